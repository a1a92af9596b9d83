"""Towns, cities and edge hexes: who owns them, and the Soviet VP booked at once [12.1, 14.1]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.forms.fields import Choice, Context, Flag, HexId, Whole
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import SIDES, SOVIET, rules
from companion.systems.enemy_action_kharkov.supply import edge_vp_hexes, hex_supplied, owner, towns
from companion.systems.enemy_action_kharkov.support import lock_line


def vp_of(game: Game, hex_id: str) -> int | None:
    """The printed VP of a hex, by the map book or as told at this table; the opening towns make two together [14.1]."""
    for fact in board(game).book.about(hex_id):
        if fact.kind == "vp" and fact.value.isdecimal():
            return int(fact.value)
    told: int | None = game["told-vp"].get(hex_id)
    return told


def book_vp(game: Game, change: int, why: str) -> Events:
    """The Soviet VP change at once [14.1]."""
    if change:
        total = min(99, max(0, int(game["vp"]) + change))
        yield e.Set("vp", total, was=game["vp"], reason=why, rule="14.1")


def flip(game: Game, hex_id: str, side: str, points: int | None) -> Events:
    """A unit entered an enemy town: the owner changes and the VP with it [12.1]."""
    name = towns(game).get(hex_id, hex_id)
    yield e.Marked(hex_id, "owner", side, reason="entered", rule="12.1")
    if points is None:
        text = f"{name} is {game.side_name(side)} now: enter its printed VP"
        yield owe(
            game, (*game.sides, "table"), text, book_points, rule="14.1", side=side, hex=hex_id, name=name
        )
        return
    yield from book_vp(game, points if side == SOVIET else -points, f"{name} {hex_id}")


@rules.watch
def entered_towns(game: Game) -> Events:
    """Units on record that stand in an enemy town take it at once."""
    if game.ended:
        return
    for hex_id in towns(game):
        for unit in game.units_at(hex_id):
            if owner(game, hex_id) != unit.side:
                yield from flip(game, hex_id, unit.side, vp_of(game, hex_id))


@rules.watch
def edge_points(game: Game) -> Events:
    """An edge hex scores when occupied and supplied; it is lost when left [14.1]."""
    if game.ended:
        return
    for hex_id, points in edge_vp_hexes(game).items():
        held = any(u.side == SOVIET for u in game.units_at(hex_id))
        scored = game.mark(hex_id, "edge-vp")
        if held and (scored is None or (scored == "cut" and game["edge-rescore"] == "at-once")):
            if hex_supplied(game, SOVIET, hex_id) is not False:
                yield e.Marked(hex_id, "edge-vp", points, rule="14.1")
                yield from book_vp(game, points, f"edge hex {hex_id}")
            elif scored is None:
                yield e.Marked(hex_id, "edge-vp", "cut", reason="no supply yet", rule="14.1")
        elif not held and scored is not None:
            yield e.Marked(hex_id, "edge-vp", None, reason="left", rule="14.1")
            yield from book_vp(game, -scored if isinstance(scored, int) else 0, f"edge hex {hex_id} left")


@rules.leaving("supply", turns="4+")
def end_of_supply(game: Game) -> Events:
    """Edge hexes first, then the support line from the VP that are left [14.1, 4-III]; heavy mud skips both [15.34]."""
    if game["ground"] != "heavy-mud":
        yield from _retest_edges(game)
        yield from lock_line(game)


def _retest_edges(game: Game) -> Events:
    """Occupied edge hexes are tested again in the supply phase [14.1]."""
    for hex_id, points in edge_vp_hexes(game).items():
        scored = game.mark(hex_id, "edge-vp")
        can = hex_supplied(game, SOVIET, hex_id)
        if isinstance(scored, int) and can is False:
            yield e.Marked(hex_id, "edge-vp", "cut", reason="cannot trace", rule="14.1")
            yield from book_vp(game, -scored, f"edge hex {hex_id} cut off")
        elif scored == "cut" and can:
            yield e.Marked(hex_id, "edge-vp", points, rule="14.1")
            yield from book_vp(game, points, f"edge hex {hex_id} supplied again")


# -- by hand -----------------------------------------------------------------------------------------------------


def _vp_start(ctx: Context) -> int | None:
    return vp_of(ctx.game, str(ctx.values["hex"])) if ctx.values.get("hex") else None


@rules.action(phase="command", by="any", rule="12.1, 14.1", label="A town changes hands", order=8)
def take_town(
    game: Game,
    hex: Annotated[str, HexId(label="Town or city")],
    side: Annotated[str, Choice(label="Entered by", options=SIDES, start=lambda c: c.game.active)],
    vp: Annotated[int | None, Whole(label="Printed VP", high=30, start=_vp_start)] = None,
) -> Events:
    """Record who entered a town or city; the VP are booked at once."""
    if owner(game, hex) == side:
        yield e.Noted(f"{hex} is {game.side_name(side)} already", rule="12.1")
        return
    yield from flip(game, hex, side, vp_of(game, hex) if vp is None else vp)


@rules.action(by="any", rule="14.1", label="An edge VP hex", group="units")
def score_edge(
    game: Game,
    hex: Annotated[str, HexId(label="Edge hex")],
    held: Annotated[bool, Flag(label="Soviet-occupied and able to trace supply")] = False,
    vp: Annotated[int | None, Whole(label="Printed VP", high=30, start=_vp_start)] = None,
) -> Events:
    """Book an edge hex that Soviet units hold in supply, or take its VP off again."""
    scored = game.mark(hex, "edge-vp")
    points = vp_of(game, hex) if vp is None else vp
    if held and not isinstance(scored, int):
        if points is None:
            yield e.Noted(f"{hex}: enter its printed VP to book it", rule="14.1")
            return
        yield e.Marked(hex, "edge-vp", points, rule="14.1")
        yield from book_vp(game, points, f"edge hex {hex}")
    elif not held and scored is not None:
        yield e.Marked(hex, "edge-vp", None, rule="14.1")
        yield from book_vp(game, -scored if isinstance(scored, int) else 0, f"edge hex {hex}")


@rules.follow_up(rule="14.1", label="Book VP")
def book_points(game: Game, duty: e.Asked, vp: Annotated[int, Whole(label="Printed VP", high=30)]) -> Events:
    """Enter the printed VP of a town that changed hands; they are not asked again."""
    hex_id = str(duty.args["hex"])
    yield e.Set("told-vp", {**game["told-vp"], hex_id: vp}, reason=IN_PASSING)
    why = f"{duty.args['name']} {hex_id}"
    yield from book_vp(game, vp if duty.args["side"] == SOVIET else -vp, why)
