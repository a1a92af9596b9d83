"""Weather [19.0]: the turn track's condition, and the roll where it prints MUD?."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Dice, Roll, Text
from companion.engine.forms.panels import Fact, Panel
from companion.engine.play.actions import Events
from companion.engine.play.duties import drop, owe
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books
from companion.systems.kharkov_battles.base import D10, SOVIET, done, only_its_own, rules, tick

FOR_GOOD = "mud for the rest of the game (19.11)"
KINDS = (("clear", "Clear"), ("mud", "Mud"), ("freeze", "Freeze"))


def _printed(ctx: Context) -> str:
    return books.word(books.track_row(ctx.game), "weather")


def _range(ctx: Context) -> str:
    return str(books.track_row(ctx.game).get("mud") or "")


def _rolls(ctx: Context) -> bool:
    """Whether a die decides: MUD? beside Clear or Freeze, and not yet mud for good."""
    if ctx.game["mud"] == "yes":
        return False
    typed = "mud_range" in ctx.values and ctx.values.get("printed")
    span = ctx.values.get("mud_range") if typed else _range(ctx)
    return bool(str(span or "").strip()) and (ctx.values.get("printed") or _printed(ctx)) != "mud"


def _unset(game: Game) -> bool | str:
    """Once a turn."""
    return not done(game, "weather") or "the weather is set: tap it beside the tracks to correct it"


def into(game: Game, weather: str, reason: str) -> Events:
    """The weather marker moves."""
    if game["weather"] != weather:
        yield e.Set("weather", weather, was=game["weather"], reason=reason, rule="19.0")
    yield tick(game, "weather")
    yield from drop(game, "roll-mud", why="the weather is set")


@rules.action(
    phase="weather",
    by="any",
    rule="19.11",
    label="Set the weather",
    primary=True,
    when=_unset,
)
def set_weather(
    game: Game,
    printed: Annotated[str, Choice(label="The track prints", options=KINDS, start=_printed)],
    mud_range: Annotated[
        str,
        Text(label="MUD? on", most=5, placeholder="0-3, or empty", start=_range, help="rolls that bring mud"),
    ] = "",
    die: Annotated[Roll | None, Dice(label="Soviet roll", spec=D10, purpose="Weather", when=_rolls)] = None,
    seat: str = "",
) -> Events:
    """Read the turn's weather off the track; with a MUD? range the Soviet player rolls."""
    if game["mud"] == "yes":
        yield from into(game, "mud", FOR_GOOD)
        return
    if die is None:
        yield from into(game, printed, "turn track")
        return
    only_its_own(game, seat, SOVIET, "rolls for mud", field="die")
    yield from _rolled(game, printed, mud_range, die.total)


def _rolled(game: Game, printed: str, mud_range: str, rolled: int) -> Events:
    """Mud from Clear lasts the turn, from Freeze to the end of the game [19.11]."""
    span = books.mud_range(mud_range)
    if span is None:
        raise Unreadable("say on which rolls mud comes, e.g. 0-3", field="mud_range", rule="19.11")
    low, high = span
    muddy = low <= rolled <= high
    if muddy and printed == "freeze":
        yield e.Set("mud", "yes", was=game["mud"], reason="thaw: mud for the rest of the game", rule="19.11")
    yield from into(game, "mud" if muddy else printed, f"MUD? on {mud_range}, rolled {rolled}")


def from_track(game: Game) -> Events:
    """What the owner's turn track settles by itself; a MUD? is left to the Soviet player."""
    if game["mud"] == "yes":
        yield from into(game, "mud", FOR_GOOD)
        return
    row = books.track_row(game)
    printed, span = books.word(row, "weather"), str(row.get("mud") or "").strip()
    if printed and not (span and printed != "mud"):
        yield from into(game, printed, "turn track")
    elif printed and game.phase == "weather":
        text = f"Roll for mud: it comes on {span}, else {printed.capitalize()}"
        yield owe(game, SOVIET, text, roll_mud, rule="19.11", printed=printed, span=span, turn=game.turn)


@rules.follow_up(
    rule="19.11", label="Roll for mud", still=lambda game, duty: duty.args.get("turn") == game.turn
)
def roll_mud(game: Game, duty: e.Asked, die: Annotated[Roll, Dice(spec=D10, purpose="Weather")]) -> Events:
    """The Soviet player rolls where the track prints MUD?."""
    yield from _rolled(game, str(duty.args["printed"]), str(duty.args["span"]), die.total)


@rules.entering("weather")
def weather_phase(game: Game) -> Events:
    """Set what needs no die."""
    yield from from_track(game)


@rules.due_in("weather")
def weather_due(game: Game) -> list[str]:
    """Last turn's weather does not stay by itself [19.11]."""
    if done(game, "weather") or game.duties(action="roll-mud"):
        return []
    last = "" if _first_turn(game) else f": {_now(game)} is last turn's"
    return [f"set the weather{last} [19.11]"]


def _now(game: Game) -> str:
    return dict(KINDS)[str(game["weather"])]


def _first_turn(game: Game) -> bool:
    """Nobody has set any weather yet: what the marker shows is nothing that was read."""
    return game.turn == game.scenario.first


def _was(game: Game) -> str:
    return "" if _first_turn(game) else f"{_now(game)}, last turn's: "


@rules.panel
def weather_panel(game: Game, seat: str) -> Panel | None:
    """This turn's weather: before all else while it is to be set, then a line as long as it changes anything."""
    if not game.phase:
        return None
    unset = game.phase == "weather" and not done(game, "weather")
    if not unset and (
        game["weather"] == "clear" or seat == "table"
    ):  # the table's screen has its track in sight
        return None
    words = f"{_was(game)}read the turn track" if unset else _now(game)
    return Panel("Weather", [Fact("Now", words, "19.0")], first=unset)


@rules.entering("turn", turns="0")
def turn_zero(game: Game) -> Events:
    """Operation Star's turn 0 has no Preparation Stage; its weather is the track's."""
    yield from from_track(game)
    if not done(game, "weather"):
        text = "Which weather does your turn track print for turn 0?"
        yield owe(game, (*game.sides, "table"), text, tell_weather, rule="19.0")


@rules.follow_up(
    rule="19.0",
    label="Tell the weather",
    still=lambda game, duty: not game.turn and not done(game, "weather"),
)
def tell_weather(
    game: Game, printed: Annotated[str, Choice(label="The track prints", options=KINDS)]
) -> Events:
    """Turn 0 has no weather phase; its winter bonus hangs on what the track prints."""
    yield from into(game, printed, "turn track")
