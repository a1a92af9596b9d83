"""Air Points [5.0]: what each side has this turn, interdiction, ground support, rubble."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context, HexId, SideRef, Whole
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.changes import put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books
from companion.systems.kharkov_battles.base import (
    AXIS,
    SOVIET,
    add,
    done,
    fall_blau,
    own_phone,
    own_side,
    rules,
    some,
    tick,
)


def printed_air(game: Game, side: str) -> int | None:
    """The turn track's Air Points for the weather there is [5.11, 19.15]."""
    row = books.track_row(game)
    if game["weather"] == "mud":
        return books.whole(row, f"{side}-air-mud")
    return books.whole(row, f"{side}-air")


@rules.entering("air")
def air_phase(game: Game) -> Events:
    """Fill both boxes from the owner's turn track, or ask."""
    blank = []
    for side in game.sides:
        points = printed_air(game, side)
        if points is None:
            blank.append(side)
        elif points != game[f"air-{side}"]:
            yield e.Set(f"air-{side}", points, was=game[f"air-{side}"], reason="turn track", rule="5.11")
    for side in blank:
        text = f"{game.side_name(side)}: enter this turn's Air Points from your turn track"
        yield e.Asked(
            f"air-{side}-{game.revision}", (side, "table"), text, "take-air", {"side": side}, rule="5.11"
        )


@rules.action(
    phase="air",
    by="any",
    rule="5.11",
    label="Take Air Points",
    primary=True,
    when=lambda game: (
        any(printed_air(game, side) is None and not done(game, f"air/{side}") for side in game.sides)
        or "both boxes are filled: correct them on the tracks"
    ),
)
def take_air(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=own_side, quiet=own_phone)],
    points: Annotated[int, Whole(label="Air Points", high=30)],
) -> Events:
    """Put a side's Air Points of this turn in its box; they replace what was there."""
    yield e.Set(f"air-{side}", points, was=game[f"air-{side}"], reason="turn track", rule="5.11")
    yield tick(game, f"air/{side}")


@rules.action(
    phase="air",
    by=AXIS,
    rule="5.3",
    label="Place interdiction",
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
        if not on_road(game, h):
            raise NotNow(f"no road runs through {h} by your map book", field="hexes", given=h, rule="5.3")
        yield e.Marked(h, "interdiction", True, reason="Axis air", rule="5.3")
    yield from add(game, "air-axis", -len(hexes), "interdiction", "5.3")


def on_road(game: Game, hex_id: str) -> bool:
    """Whether a road runs through a hex; a map without roads is believed."""
    classes = {"road", "rail"} if fall_blau(game) else {"road"}  # rail hexes count there [27.2]
    found = [f for f in board(game).book.of_kind("link") if f.value in classes]
    return not found or any(hex_id in (f.a, f.b) for f in found)


def most_air(attacking: bool, mobile: bool) -> int:
    """Two points support a Prepared Assault, one a Mobile Assault; one helps a defender [5.21]."""
    return 2 if attacking and not mobile else 1


def spend_air(game: Game, attacker: str, attack: int, defence: int, mobile: bool = False) -> Events:
    """Use up what both sides declared for one combat [5.12, 5.22]."""
    shares = ((attacker, attack, "attacker_air"), (game.other(attacker), defence, "defender_air"))
    for side, points, field in shares:
        who, most = game.side_name(side), most_air(side == attacker, mobile)
        if points > most:
            text = f"{who}: at most {some(most, 'Air Point')} in this combat"
            raise NotNow(text, field=field, given=points, rule="5.21")
        if points > int(game[f"air-{side}"]):
            text = f"{who} has {game[f'air-{side}']} Air Points left, not {points}"
            raise NotNow(text, field=field, given=points, rule="5.22")
        if points:
            yield from add(game, f"air-{side}", -points, "ground support", "5.22")


def rubble(game: Game, attack_air: int, target: str, city: bool) -> Events:
    """Two Air Points on a city leave rubble, for the combats after this one [5.41]."""
    if attack_air >= 2 and city and target and not game.mark(target, "rubble"):
        yield put_mark(game, target, "rubble", True, reason="two Air Points on a city", rule="5.41")


def air_left(ctx: Context, attacker: bool) -> int:
    """What a combat form may still offer."""
    if not ctx.game.active:
        return 0
    side = ctx.game.active if attacker else ctx.game.other(ctx.game.active)
    return int(ctx.game[f"air-{side}"])


@rules.leaving("end")
def clear_air(game: Game) -> Events:
    """Nothing is kept [5.12]."""
    for side in (AXIS, SOVIET):
        if game[f"air-{side}"]:
            yield e.Set(f"air-{side}", 0, was=game[f"air-{side}"], reason="end of turn", rule="5.12")
