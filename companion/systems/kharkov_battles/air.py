"""Air Points [5.0]: what each side has this turn, interdiction, ground support, rubble."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Context, HexId, Whole
from companion.engine.play.actions import Events
from companion.engine.play.duties import drop, owe
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.changes import put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books
from companion.systems.kharkov_battles.base import AXIS, SOVIET, Objection, add, done, fall_blau, rules, tick


def printed_air(game: Game, side: str) -> int | None:
    """The turn track's Air Points for the weather there is [5.11, 19.15]."""
    row = books.track_row(game)
    if game["weather"] == "mud":
        return books.whole(row, f"{side}-air-mud")
    return books.whole(row, f"{side}-air")


@rules.entering("air")
def air_phase(game: Game) -> Events:
    """Fill both boxes from the owner's turn track, or ask; again only when the weather was put right meanwhile."""
    key = f"air/{game['weather']}"
    if done(game, key):
        return
    yield tick(game, key)
    yield from drop(game, "take-air", why="the weather was put right")
    blank = []
    for side in game.sides:
        points = printed_air(game, side)
        if points is None:
            blank.append(side)
        elif points != game[f"air-{side}"]:
            yield e.Set(f"air-{side}", points, was=game[f"air-{side}"], reason="turn track", rule="5.11")
    for side in blank:
        text = f"{game.side_name(side)}: enter this turn's Air Points from your turn track"
        yield owe(game, side, text, "take-air", rule="5.11", side=side, turn=game.turn)


@rules.follow_up(
    rule="5.11",
    label="Take Air Points",
    still=lambda game, duty: duty.args.get("turn", game.turn) == game.turn,
)
def take_air(game: Game, duty: e.Asked, points: Annotated[int, Whole(label="Air Points", high=30)]) -> Events:
    """Put a side's Air Points of this turn in its box; they replace what was there."""
    side = str(duty.args["side"])
    yield e.Set(f"air-{side}", points, was=game[f"air-{side}"], reason="turn track", rule="5.11")


def _off_road(ctx: Context) -> Iterator[Objection]:
    for h in ctx.values.get("hexes") or ():
        if not on_road(ctx.game, h):
            yield Objection(f"no road runs through {h} by your map book", rule="5.3")


@rules.action(
    phase="air",
    by=AXIS,
    rule="5.3",
    label="Place interdiction",
    warns=_off_road,
    when=lambda game: bool(game["air-axis"]) or "the Axis has no Air Points",
)
def interdict(game: Game, hexes: Annotated[tuple[str, ...], HexId(label="Road hexes", many=True)]) -> Events:
    """Put one Axis Air Point on each road hex: shut to Soviet Strategic Movement this turn."""
    if len(hexes) > int(game["air-axis"]):
        raise NotNow(
            f"{len(hexes)} hexes need {len(hexes)} Air Points; the Axis has {game['air-axis']}",
            field="hexes",
            given=len(hexes),
            accepted=f"up to {game['air-axis']}",
            rule="5.3",
        )
    for h in hexes:
        if game.mark(h, "interdiction"):
            raise NotNow(
                f"{h} is interdicted already: one Air Point to a hex", field="hexes", given=h, rule="5.31"
            )
        yield e.Marked(h, "interdiction", True, reason="Axis air", rule="5.3")
    yield from add(game, "air-axis", -len(hexes), "interdiction", "5.3")


def on_road(game: Game, hex_id: str) -> bool:
    """Whether a road runs through a hex; a map without roads is believed."""
    classes = {"road", "rail"} if fall_blau(game) else {"road"}  # rail hexes count there [27.2]
    found = [f for f in board(game).book.of_kind("link") if f.value in classes]
    return not found or any(hex_id in (f.a, f.b) for f in found)


def rubble(game: Game, attack_air: int, target: str, city: bool) -> Events:
    """Two Air Points on a city leave rubble, for the combats after this one [5.41]."""
    if attack_air >= 2 and city and target and not game.mark(target, "rubble"):
        yield put_mark(game, target, "rubble", True, reason="two Air Points on a city", rule="5.41")


@rules.leaving("end")
def clear_air(game: Game) -> Events:
    """Nothing is kept [5.12]."""
    for side in (AXIS, SOVIET):
        if game[f"air-{side}"]:
            yield e.Set(f"air-{side}", 0, was=game[f"air-{side}"], reason="end of turn", rule="5.12")
