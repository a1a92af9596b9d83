"""Weather: a die moves the marker along the owner's track, whose last square ends the game [B5]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Dice, Flag, Roll, Whole
from companion.engine.forms.worksheet import Breakdown
from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import SOVIET, rules
from companion.systems.panzer_keil.books import WEATHERS, flag, number
from companion.systems.panzer_keil.victory import settle_record

LAST = "mud, last square"


def squares_moved(die: int) -> int:
    """1-2 one square, 3-4 two, 5-6 three [B5.1]."""
    return (die + 1) // 2


def ground(weather: str, mechanized: bool) -> str:
    """Which column of the terrain table a unit moves by [B5.2]."""
    return "worse" if mechanized and weather in ("thaw", "mud") else "good"


def track(game: Game) -> dict[int, str]:
    """The owner's weather track: square -> weather; empty until it is filled in."""
    rows: Mapping[str, Mapping[str, Any]] = game.book.tables.get("weather", {})
    found = {number(key): str(row.get("weather") or "") for key, row in rows.items()}
    return {
        key: value
        for key, value in sorted(found.items(), key=lambda i: i[0] or 0)
        if key and value in WEATHERS
    }


def starting_square(game: Game) -> int:
    """Where the marker begins: the square the owner ticked, else before the first."""
    rows = game.book.tables.get("weather", {})
    ticked = [number(key) or 0 for key, row in rows.items() if flag(row.get("start"))]
    return min(ticked, default=0)


@rules.entering("weather", turns="1")
def _marker_set(game: Game) -> Events:
    start = starting_square(game)
    if start:
        yield e.Set("weather-square", start, was=game["weather-square"], reason="set-up", rule="B5.1")


@rules.entering("weather", turns="2+")
def _last_weeks_weather(game: Game) -> Events:
    """Last turn's weather is over: this turn's is not known before the roll [B5.1]."""
    if game["weather"] != "unknown" and _not_rolled(game) is True:
        yield e.Set("weather", "unknown", was=game["weather"], reason="new turn", rule="B5.1")


def _not_rolled(game: Game) -> bool | str:
    return "the weather of this turn is settled" if game["weather-turn"] == [game.turn] else True


@rules.due_in("weather")
def _still_to_roll(game: Game) -> Iterable[str]:
    """Every turn has its weather [B5.1]."""
    if _not_rolled(game) is True:
        yield "Roll for the weather [B5.1]"


@rules.action(
    phase="weather", by=SOVIET, rule="B5.1", label="Roll for the weather", primary=True, when=_not_rolled
)
def roll_weather(
    game: Game, die: Annotated[Roll, Dice(label="Die", spec="1d6", purpose="weather")]
) -> Events:
    """Roll, move the marker one to three squares, and read this turn's weather."""
    moved = squares_moved(die.total)
    squares = track(game)
    start: int = game["weather-square"]
    if not start and not game["weather-turn"]:  # the track may have been copied after the table was opened
        start = starting_square(game)
    end = max(squares, default=0)
    # Nothing is said of an overshoot: the marker stops on the last square [B5.1.1].
    square = min(start + moved, end) if end else start + moved
    yield e.Set("weather-turn", [game.turn])
    yield e.Set("weather-square", square, was=start, reason=f"rolled {die.total}: {moved} on", rule="B5.1")
    if square in squares:
        yield from _settle(game, squares[square], square == end)
        return
    where = f"to square {square}" if squares else f"{moved} square{'s' if moved > 1 else ''} on"
    sheet = Breakdown("Weather", codes=[*WEATHERS, LAST])
    sheet.read_chart = f"move the marker {where}: what does it show?"
    sheet.add("squares on", str(moved), "B5.1")
    yield from rules.settle(game, "weather", sheet, (SOVIET, "table"), "B5.1")


@rules.outcome("weather")
def _read_off(game: Game, sheet: dict[str, Any], result: str) -> Events:
    """What the player found on the printed track."""
    word = result.strip().lower()
    if word not in (*WEATHERS, LAST):
        raise Unreadable(
            f"{result!r} is no weather: {', '.join((*WEATHERS, LAST))}",
            field="result",
            given=result,
            rule="B5.1",
        )
    yield from _settle(game, "mud" if word == LAST else word, word == LAST)


@rules.action(by="any", rule="B5.1", label="Set the weather", group="fix")
def set_weather(
    game: Game,
    weather: Annotated[str, Choice(label="Weather", options=[(k, k) for k in WEATHERS])],
    last: Annotated[bool, Flag(label="It is the last square")] = False,
    square: Annotated[int | None, Whole(label="Square", high=60)] = None,
) -> Events:
    """Say what weather the printed track shows, and whether its end is reached."""
    if square is not None and square != game["weather-square"]:
        yield e.Set("weather-square", square, was=game["weather-square"], reason="by hand", rule="B5.1")
    yield from _settle(game, weather, last)


def _settle(game: Game, weather: str, last: bool) -> Events:
    if weather != game["weather"]:
        yield e.Set("weather", weather, was=game["weather"], rule="B5.1")
    final = "yes" if last else "no"
    if final != game["final-turn"]:
        yield e.Set("final-turn", final, was=game["final-turn"], reason="weather track", rule="B5.1.1")
    if last and game["weather-end"] == "at-once" and game.phase != "scoring":
        yield e.Advanced(game.turn, "scoring", reason="the weather track has ended")
        yield from settle_record(game)
