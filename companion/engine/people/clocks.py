"""A clock for each side, which counts while that side is awaited. How long it was is told by the table's keeper."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Text, Whole
from companion.engine.play.actions import Events
from companion.engine.play.rules import Rules
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game

clock_rules = Rules("clocks")

OFF, RUNNING, PAUSED = "off", "running", "paused"
SPENT = "spent"
"""The value that holds the seconds each side was awaited; no take-back gives time back."""
BY_HAND = "clock-set"
"""The seconds that were added or taken off by hand, which are taken back like anything else."""
CLOCK_STATES = ((OFF, "Off"), (RUNNING, "Running"), (PAUSED, "Paused"))
LIMITS = ("0", "30", "45", "60", "75", "90", "105", "120", "150", "180", "240", "300")
"""Minutes a side, where a table is opened with a limit; 0 for none."""
MOST_MINUTES = 9_999


def holds_up(game: Game, duty: e.Asked) -> bool:
    """Whether the game waits for it: it is owed, or something of its battle comes after it."""
    return duty.is_owed or (duty.battle != 0 and any(a.step > duty.step for a in game.duties(duty.battle)))


def awaited(rules: Rules, game: Game) -> list[str]:
    """The sides that the table waits for: those whose answer keeps the game from going on, else whose move it is."""
    if game.ended:
        return []
    asked = {
        seat
        for duty in game.asked.values()
        if game.is_live(duty) and (duty.is_consent or holds_up(game, duty))
        for seat in duty.to
    }
    return [side for side in game.sides if side in asked] or rules.movers(game)


def time_passed(game: Game, sides: Collection[str], seconds: float) -> e.Set | None:
    """The fact that these sides were awaited for so long; None where it would tell nothing new."""
    gone = round(seconds, 1)
    if gone <= 0 or not sides:
        return None
    before = game[SPENT]
    spent = {side: before.get(side, 0) + (gone if side in sides else 0) for side in game.sides}
    return e.Set(SPENT, {side: round(total, 1) for side, total in spent.items()}, reason=IN_PASSING)


def spent_by(game: Game, side: str) -> float:
    """The seconds that a side has used, as far as they are on record."""
    return max(0.0, float(game[SPENT].get(side, 0) + game[BY_HAND].get(side, 0)))


def limit_of(game: Game) -> int:
    """Seconds that a side has; 0 without a limit."""
    return 60 * int(game["clock-limit"])


def _is(*states: str) -> object:
    return lambda game: game["clock"] in states


@clock_rules.action(by="any", label="Start the clocks", group="clock", when=_is(OFF))
def start_clocks(
    game: Game,
    minutes: Annotated[
        int,
        Whole(label="Minutes a side", high=MOST_MINUTES, help="0 for no limit", start=lambda c: _limit(c)),
    ] = 0,
) -> Events:
    """Give each side a clock that counts while the table waits for it; with a limit, the screens say when it is over."""
    yield from _limited(game, minutes)
    yield e.Set("clock", RUNNING)


@clock_rules.action(by="any", label="Pause the clocks", group="clock", when=_is(RUNNING))
def pause_clocks(game: Game) -> Events:
    """A break: nobody's time counts until the clocks go on."""
    yield e.Set("clock", PAUSED, was=game["clock"])


@clock_rules.action(by="any", label="Let the clocks go on", group="clock", when=_is(PAUSED))
def resume_clocks(game: Game) -> Events:
    """The break is over."""
    yield e.Set("clock", RUNNING, was=game["clock"])


@clock_rules.action(by="any", label="Take the clocks away", group="clock", when=_is(RUNNING, PAUSED))
def stop_clocks(game: Game) -> Events:
    """Play without clocks; the time so far stays on record."""
    yield e.Set("clock", OFF, was=game["clock"])


def _limit(ctx: Context) -> int:
    return int(ctx.game["clock-limit"])


def _limited(game: Game, minutes: int) -> Events:
    if minutes != int(game["clock-limit"]):
        words = f"{minutes} minutes a side" if minutes else "no limit"
        yield e.Set("clock-limit", str(minutes), was=game["clock-limit"], reason=words)


def _sides(ctx: Context) -> list[tuple[str, str]]:
    return [(s.id, s.name) for s in ctx.game.kit.sides]


@clock_rules.action(by="any", label="Set a clock by hand", group="clock", when=_is(RUNNING, PAUSED))
def set_clock(
    game: Game,
    side: Annotated[str, Choice(label="Whose", options=_sides)],
    minutes: Annotated[int, Whole(label="Minutes used", high=MOST_MINUTES)],
    reason: Annotated[str, Text(label="Why", most=200, placeholder="for the log")] = "",
    limit: Annotated[
        int | None, Whole(label="Minutes a side", high=MOST_MINUTES, help="0 for no limit", start=_limit)
    ] = None,
) -> Events:
    """Put a side's time right, or change the limit; the log keeps the reason."""
    if side not in game.sides:
        raise Unreadable(f"there is no side {side[:40]!r}", field="side", given=side)
    if limit is not None:
        yield from _limited(game, limit)
    was = round(spent_by(game, side) / 60)
    why = f", {reason}" if reason else ""
    words = f"{game.side_name(side)} {was} \u2192 {minutes} minutes used{why}"
    yield e.Set(BY_HAND, {**game[BY_HAND], side: 60 * minutes - game[SPENT].get(side, 0)}, reason=words)
