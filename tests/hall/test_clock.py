"""The round clock and announcements: harmed neither by a jump of the time of day nor by a restart."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.engine.errors import NotNow, Unreadable
from companion.hall.clock import (
    NOTHING,
    Countdown,
    RoundClock,
    announced,
    changed,
    paused,
    resumed,
    started,
    strip,
    withdrawn,
)
from companion.hall.desk import Hall
from companion.hall.kept import read, written

NOON = datetime(2026, 6, 6, 12, 0, tzinfo=UTC)


class Machine:
    """Both clocks of a machine, moved by a test."""

    def __init__(self, day: datetime = NOON) -> None:
        self.forward, self.day = 100.0, day
        self.countdown = Countdown(lambda: self.forward, lambda: self.day)

    def wait(self, seconds: float) -> None:
        self.forward += seconds
        self.day += timedelta(seconds=seconds)


@pytest.fixture
def machine() -> Machine:
    return Machine()


@pytest.fixture
def clock() -> RoundClock:
    return started("Round 1", 180, NOON.isoformat())


def test_a_round_counts_down_and_stops_at_nothing(machine: Machine, clock: RoundClock) -> None:
    assert machine.countdown.left(clock) == 180 * 60
    machine.wait(90)
    assert machine.countdown.left(clock) == 180 * 60 - 90
    machine.wait(999_999)
    assert machine.countdown.left(clock) == 0


@given(st.integers(-(10**8), 10**8), st.integers(0, 10_000))
def test_a_jump_of_the_time_of_day_moves_nothing(jump: int, waited: int) -> None:
    machine, clock = Machine(), started("Round 1", 180, NOON.isoformat())
    machine.countdown.left(clock)
    machine.day += timedelta(seconds=jump)
    machine.wait(waited)
    assert machine.countdown.left(clock) == max(0, 180 * 60 - waited)


def test_after_a_restart_it_goes_on_by_the_time_of_day(clock: RoundClock) -> None:
    again = Machine(NOON + timedelta(minutes=30))
    assert again.countdown.left(clock) == 150 * 60
    wrong = Machine(NOON - timedelta(days=3))  # a machine that forgot the time while it was off
    assert wrong.countdown.left(clock) == 180 * 60
    wrong.wait(60)
    assert wrong.countdown.left(clock) == 179 * 60


def test_a_pause_and_minutes_more_or_less(machine: Machine, clock: RoundClock) -> None:
    machine.wait(600)
    still = paused(clock, machine.countdown.left(clock), machine.day.isoformat())
    machine.wait(5000)
    assert machine.countdown.left(still) == 170 * 60
    on = resumed(still, machine.day.isoformat())
    machine.wait(60)
    assert machine.countdown.left(on) == 169 * 60
    more = changed(on, machine.countdown.left(on), 5, machine.day.isoformat())
    assert machine.countdown.left(more) == 174 * 60
    assert machine.countdown.left(changed(more, 60, -5, machine.day.isoformat())) == 0


def test_what_cannot_be_done_now_is_refused(clock: RoundClock) -> None:
    for wrong in (0, -3, 10**6):
        with pytest.raises(Unreadable):
            started("", wrong, "")
    with pytest.raises(NotNow):
        resumed(clock, "")
    with pytest.raises(NotNow):
        paused(RoundClock(), 0, "")
    with pytest.raises(NotNow):
        changed(RoundClock(), 0, 5, "")


def test_the_newest_announcement_that_is_not_withdrawn_is_shown(machine: Machine) -> None:
    said = announced(announced((), "Lunch  at one", "t1"), "Dice jar is empty", "t2")
    assert strip(RoundClock(), said, machine.countdown).news == "Dice jar is empty"
    said = withdrawn(said, 2)
    assert strip(RoundClock(), said, machine.countdown).news == "Lunch at one"
    with pytest.raises(NotNow):
        withdrawn(said, 2)
    for wrong in ("", "  ", "x" * 201):
        with pytest.raises(Unreadable):
            announced(said, wrong, "t3")
    assert strip(RoundClock(), withdrawn(said, 1), machine.countdown).sign == NOTHING


def test_the_sign_changes_with_what_is_shown_and_not_with_time(machine: Machine, clock: RoundClock) -> None:
    first = strip(clock, (), machine.countdown)
    machine.wait(60)
    assert strip(clock, (), machine.countdown).sign == first.sign
    assert strip(clock, announced((), "Hello", "t"), machine.countdown).sign != first.sign
    assert strip(paused(clock, 5, "t"), (), machine.countdown).sign != first.sign


def test_it_is_kept_with_the_organisers_record(clock: RoundClock) -> None:
    hall = Hall(clock=clock, announcements=announced((), "Hello", "t"))
    assert read(Hall, written(hall)) == hall
    assert read(Hall, {"version": 3}).clock == RoundClock()
