"""The hall's round clock and what the organiser announces, for every screen.

The clock is kept as what was left when it was last set. While a process runs it counts by a clock that only goes forward,
so that a jump of the machine's time moves nothing; only after a restart is the time of day asked how long it was away.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Literal

from companion.engine.errors import NotNow, Unreadable

MOST_MINUTES = 24 * 60
LABEL, TEXT = 40, 200
NOTHING = "-"
"""The sign of a line that shows nothing; an event without any data would not be heard."""
KEPT = 50
"""So many announcements are remembered."""

Way = Literal["off", "running", "paused"]


@dataclass(frozen=True)
class RoundClock:
    """How long the round still goes on."""

    state: Way = "off"
    label: str = ""
    left: float = 0.0
    """Seconds that were left when this was written."""
    at: str = ""
    """When that was."""


@dataclass(frozen=True)
class Announcement:
    """What the organiser tells the hall; the newest that is not withdrawn is shown."""

    id: int
    text: str
    at: str
    withdrawn: bool = False


class Countdown:
    """The round clock in this process."""

    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        wall: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.now, self.wall = now, wall
        self._known: tuple[RoundClock, float] | None = None

    def left(self, clock: RoundClock) -> float:
        """Seconds left at this moment; never below nothing."""
        if clock.state != "running":
            return max(0.0, clock.left)
        if self._known is None or self._known[0] != clock:
            self._known = (clock, self.now() - self._away(clock))
        return max(0.0, clock.left - (self.now() - self._known[1]))

    def _away(self, clock: RoundClock) -> float:
        """How long ago a clock was written that this process sees first: no less than nothing, whatever the time is."""
        try:
            then = datetime.fromisoformat(clock.at)
        except ValueError:
            return 0.0
        gone = (self.wall() - (then if then.tzinfo else then.replace(tzinfo=UTC))).total_seconds()
        return min(max(0.0, gone), clock.left)


def started(label: str, minutes: int, at: str) -> RoundClock:
    """A clock that begins now.

    :raises Unreadable: if it is no length for a round
    """
    if not 1 <= minutes <= MOST_MINUTES:
        raise Unreadable(
            f"{minutes} minutes: a round has 1 to {MOST_MINUTES}", field="minutes", given=str(minutes)
        )
    return RoundClock("running", label.strip()[:LABEL], 60.0 * minutes, at)


def paused(clock: RoundClock, left: float, at: str) -> RoundClock:
    """The same clock, standing still.

    :raises NotNow: if it does not run
    """
    if clock.state != "running":
        raise NotNow("the round clock does not run", field="do")
    return replace(clock, state="paused", left=round(left, 1), at=at)


def resumed(clock: RoundClock, at: str) -> RoundClock:
    """The same clock, running again.

    :raises NotNow: if it is not paused
    """
    if clock.state != "paused":
        raise NotNow("the round clock is not paused", field="do")
    return replace(clock, state="running", at=at)


def changed(clock: RoundClock, left: float, minutes: int, at: str) -> RoundClock:
    """The same clock with some minutes more or less.

    :raises NotNow: if there is none
    """
    if clock.state == "off":
        raise NotNow("there is no round clock to change: start one", field="do")
    most = 60.0 * MOST_MINUTES
    return replace(clock, left=min(most, max(0.0, round(left + 60 * minutes, 1))), at=at)


def announced(said: tuple[Announcement, ...], text: str, at: str) -> tuple[Announcement, ...]:
    """What was said, with one thing more.

    :raises Unreadable: if it says nothing, or too much
    """
    words = " ".join(text.split())
    if not words:
        raise Unreadable("an announcement needs some words", field="text", given=text)
    if len(words) > TEXT:
        raise Unreadable(
            f"{len(words)} letters: at most {TEXT}, or nobody reads it", field="text", given=words
        )
    number = max((one.id for one in said), default=0) + 1
    return (*said, Announcement(number, words, at))[-KEPT:]


def withdrawn(said: tuple[Announcement, ...], number: int) -> tuple[Announcement, ...]:
    """What was said, with one thing that is shown no longer.

    :raises NotNow: if that was not said, or is not shown
    """
    if not any(one.id == number and not one.withdrawn for one in said):
        raise NotNow("that announcement is shown no longer", field="id", given=str(number))
    return tuple(replace(one, withdrawn=True) if one.id == number else one for one in said)


@dataclass(frozen=True)
class Strip:
    """What every screen shows of the hall."""

    label: str
    state: Way
    left: float
    news: str
    sign: str
    """Differs whenever something else is to be shown than a page that counted on shows already"""


def strip(clock: RoundClock, said: tuple[Announcement, ...], countdown: Countdown) -> Strip:
    """The line on top of every page."""
    news = next((one for one in reversed(said) if not one.withdrawn), None)
    shown = clock.state != "off" or news is not None
    sign = blake2b(repr((clock, news)).encode(), digest_size=6).hexdigest() if shown else NOTHING
    return Strip(
        clock.label or "Round",
        clock.state,
        round(countdown.left(clock), 1),
        news.text if news else "",
        sign,
    )
