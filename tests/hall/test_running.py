"""The hall while it is played: tables paused, closed, put away and restored; renamed, renumbered, reordered."""

import pytest

from companion.engine.errors import NotNow, Unknown, Unreadable
from companion.hall import founding, running
from companion.hall.desk import Desk
from companion.hall.founding import Wanted
from companion.hall.running import Details
from companion.tables.tables import Tables


@pytest.fixture
def codes(tables: Tables, desk: Desk) -> list[str]:
    """Three tables; the first is set up."""
    tables.barred = running.bar(desk)
    people = [("Anna", "Boris"), ("Carl", "Dora"), ("Emil", "Fritz")]
    wanted = [
        Wanted(n, "toy", "skirmish", {"red": a, "blue": b}, line=n) for n, (a, b) in enumerate(people, 1)
    ]
    made = [table.code for table in founding.found(tables, desk, wanted)]
    tables.act(made[0], "table", "set-up", {})
    return made


def state(desk: Desk, code: str) -> str:
    return desk.state().by_code[code].state


def told(tables: Tables, code: str, seat: str = "watch") -> tuple[str, str]:
    newest = tables.log(code, seat)[0]
    return newest.seat_name, newest.lines[0]


def test_at_a_paused_table_nothing_is_played_until_it_is_opened(
    tables: Tables, desk: Desk, codes: list[str]
) -> None:
    assert running.set_state(tables, desk, [codes[0]], "paused", " lunch\n till one ") == [codes[0]]
    assert told(tables, codes[0]) == ("Organiser", "The organiser paused this table: lunch till one.")
    with pytest.raises(NotNow, match="paused this table: lunch till one"):
        tables.act(codes[0], "red", "roll-dice", {"dice": "1d6"})
    tables.act(codes[1], "red", "roll-dice", {"dice": "1d6"})
    running.set_state(tables, desk, [codes[0]], "open")
    tables.act(codes[0], "red", "roll-dice", {"dice": "1d6"})


def test_a_judge_can_be_called_and_a_note_written_at_a_paused_table(
    tables: Tables, desk: Desk, codes: list[str]
) -> None:
    running.set_state(tables, desk, [codes[0]], "paused")
    tables.act(codes[0], "red", "call-judge", {"about": "7.1"})
    tables.act(codes[0], "red", "note", {"text": "we wait"})
    tables.act(codes[0], "table", "new-code", {"which": "red"})


def test_an_action_done_before_the_pause_is_answered_as_it_was(
    tables: Tables, desk: Desk, codes: list[str]
) -> None:
    """The answer was lost on the Wi-Fi: its repeat must not sound as if it had been refused."""
    done = tables.act(codes[0], "red", "roll-dice", {"dice": "1d6"}, action_id="tap-000001")
    running.set_state(tables, desk, [codes[0]], "paused")
    again = tables.act(codes[0], "red", "roll-dice", {"dice": "1d6"}, action_id="tap-000001")
    assert again.repeated and again.lines == done.lines


def test_undo_takes_back_what_was_played_and_no_word_of_the_organiser(
    tables: Tables, desk: Desk, codes: list[str]
) -> None:
    tables.act(codes[0], "red", "roll-dice", {"dice": "1d6"})
    before = tables.undo_target(codes[0])
    running.set_state(tables, desk, [codes[0]], "paused")
    running.set_state(tables, desk, [codes[0]], "open")
    assert tables.undo_target(codes[0]) == before


def test_a_closed_table_can_be_restored_and_goes_on(tables: Tables, desk: Desk, codes: list[str]) -> None:
    running.set_state(tables, desk, [codes[0]], "closed", "the hall shuts")
    for name, fields in (("roll-dice", {"dice": "1d6"}), ("note", {"text": "x"})):
        with pytest.raises(NotNow, match="closed this table: the hall shuts"):
            tables.act(codes[0], "red", name, fields)
    running.put_away(tables, desk, codes[0])
    assert codes[0] not in [row.code for row in tables.store.tables()]
    running.restore(tables, desk, codes[0])
    assert state(desk, codes[0]) == "open" and codes[0] in [row.code for row in tables.store.tables()]
    assert told(tables, codes[0])[1] == "The organiser opened this table again."
    tables.act(codes[0], "red", "roll-dice", {"dice": "1d6"})


def test_only_what_is_not_played_at_is_put_away(tables: Tables, desk: Desk, codes: list[str]) -> None:
    with pytest.raises(NotNow):
        running.put_away(tables, desk, codes[0])
    running.set_state(tables, desk, [codes[0]], "paused")
    with pytest.raises(NotNow):
        running.put_away(tables, desk, codes[0])


def test_all_tables_are_paused_at_once_and_each_is_told_once(
    tables: Tables, desk: Desk, codes: list[str]
) -> None:
    running.set_state(tables, desk, [codes[1]], "paused", "their own reason")
    revision = tables.store.latest(codes[1])
    assert running.set_state(tables, desk, codes, "paused", "lunch") == [codes[0], codes[2]]
    assert [desk.state().by_code[c].why for c in codes] == ["lunch", "their own reason", "lunch"]
    assert tables.store.latest(codes[1]) == revision


def test_an_unknown_table_changes_nothing(tables: Tables, desk: Desk, codes: list[str]) -> None:
    before = desk.state()
    with pytest.raises(Unknown):
        running.set_state(tables, desk, [*codes, "ZZZZ"], "paused")
    assert desk.state() == before


def test_details_are_changed_and_refused_by_field(desk: Desk, codes: list[str]) -> None:
    def refused(number: int, name: str = "", **players: str) -> str:
        with pytest.raises(Unreadable) as caught:
            running.change_details(desk, codes[0], Details(number, name, players))
        return caught.value.field

    before = desk.state()
    assert refused(2) == refused(0) == refused(10_000) == "number"
    assert refused(1, "x" * 81) == "name"
    assert refused(1, red="x" * 61) == refused(1, red="carl") == "player-red"
    assert desk.state() == before
    running.change_details(desk, codes[0], Details(9, " Stage ", {"red": " Anna  B", "blue": ""}))
    table = desk.state().by_code[codes[0]]
    assert (table.number, table.title, table.players) == (9, "Table 9: Stage", {"red": "Anna B"})


def test_a_number_that_was_given_away_keeps_a_closed_table_closed(
    tables: Tables, desk: Desk, codes: list[str]
) -> None:
    running.set_state(tables, desk, [codes[0]], "closed")
    running.put_away(tables, desk, codes[0])
    running.change_details(desk, codes[1], Details(1, "", {}))
    with pytest.raises(NotNow, match="Number 1"):
        running.restore(tables, desk, codes[0])
    assert tables.row(codes[0]).archived
    running.change_details(desk, codes[0], Details(7, "", {"red": "Anna", "blue": "Boris"}))
    running.restore(tables, desk, codes[0])
    assert state(desk, codes[0]) == "open"


def test_tables_are_moved_up_and_down_and_sorted(desk: Desk, codes: list[str]) -> None:
    def order() -> list[int]:
        return [table.number for table in desk.state().tables]

    running.move(desk, codes[2], -1)
    assert order() == [1, 3, 2]
    running.move(desk, codes[0], -1)
    assert order() == [1, 3, 2]
    running.move(desk, codes[0], 1)
    assert order() == [3, 1, 2]
    running.by_number(desk)
    assert order() == [1, 2, 3]


def test_a_move_passes_over_tables_that_are_not_listed_with_it(
    tables: Tables, desk: Desk, codes: list[str]
) -> None:
    """Closed ones lie in another list, those of another round too: one tap, one place."""
    running.set_state(tables, desk, [codes[1]], "closed")
    founding.found(tables, desk, [Wanted(1, "toy", "skirmish", line=1)], 2)
    running.move(desk, codes[0], 1)
    assert [(t.round, t.number) for t in desk.state().tables] == [(0, 3), (0, 2), (0, 1), (2, 1)]
    running.move(desk, codes[0], 1)
    assert [t.number for t in desk.state().tables] == [3, 2, 1, 1]
