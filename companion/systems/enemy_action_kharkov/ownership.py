"""Towns, cities and edge hexes: who owns them, and the Soviet VP booked at once [12.1, 14.1]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Choice, Context, Flag, HexId, Whole
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import SIDES, SOVIET, rules
from companion.systems.enemy_action_kharkov.numbers import Needed
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


def named_hex(name: str, hex_id: str) -> str:
    """A town with its number; the number alone where it has no name."""
    return name if hex_id in name else f"{name} {hex_id}"


def flip(game: Game, hex_id: str, side: str, points: int | None) -> Events:
    """A unit entered an enemy town: the owner changes and the VP with it [12.1]."""
    name = towns(game).get(hex_id, hex_id)
    yield e.Noted(f"{game.side_name(side)} takes {named_hex(name, hex_id)}", rule="12.1")
    yield e.Marked(hex_id, "owner", side, reason=IN_PASSING, rule="12.1")
    untold = [duty for duty in game.duties(action="book-points") if duty.args["hex"] == hex_id]
    if (
        points is None and untold
    ):  # back with its old owner before anybody told them: nothing is gained or lost
        for duty in untold:
            yield e.Answered(duty.id, "changed hands again")
    elif points is None:
        text = f"{name} is {game.side_name(side)} now: enter its printed VP"
        yield owe(game, side, text, book_points, rule="14.1", side=side, hex=hex_id, name=name)
    else:
        yield from book_vp(game, points if side == SOVIET else -points, named_hex(name, hex_id))


@rules.watch
def entered_towns(game: Game) -> Events:
    """Units on record that stand in an enemy town take it at once."""
    if game.ended:
        return
    for hex_id in towns(game):
        there = {unit.side for unit in game.units_at(hex_id)}
        if (
            len(there) == 1 and owner(game, hex_id) not in there
        ):  # while both are on record there, nobody entered
            yield from flip(game, hex_id, there.pop(), vp_of(game, hex_id))


@rules.watch
def edge_points(game: Game) -> Events:
    """An edge hex scores when occupied and supplied; it is lost when left [14.1]."""
    if game.ended:
        return
    for hex_id, points in edge_vp_hexes(game).items():
        scored = game.mark(hex_id, "edge-vp")
        again = scored == "cut" and game["edge-rescore"] == "at-once"
        if not _held(game, hex_id):
            if scored is not None:
                yield e.Marked(hex_id, "edge-vp", None, reason="left", rule="14.1")
                yield from book_vp(game, -_points(scored), f"edge hex {hex_id} left")
        elif scored is None or again:
            yield from _test_edge(game, hex_id, points, hex_supplied(game, SOVIET, hex_id))


def _held(game: Game, hex_id: str) -> bool:
    return any(u.side == SOVIET for u in game.units_at(hex_id))


def _points(scored: Any) -> int:
    """What a hex has brought: a number, or nothing while it is cut off."""
    return scored if isinstance(scored, int) else 0


def _test_edge(game: Game, hex_id: str, points: int, can: bool | None) -> Events:
    """Whether an occupied hex scores; where the map book cannot tell, the players are asked [14.1]."""
    scored = game.mark(hex_id, "edge-vp")
    if can is None:
        if scored != "cut":
            yield from _ask_edge(game, hex_id, points)
    elif can and not isinstance(scored, int):
        yield e.Marked(hex_id, "edge-vp", points, rule="14.1")
        yield from book_vp(game, points, f"edge hex {hex_id}")
    elif not can and scored != "cut":
        yield e.Marked(hex_id, "edge-vp", "cut", reason="cannot trace", rule="14.1")
        yield from book_vp(game, -_points(scored), f"edge hex {hex_id} cut off")


def _ask_edge(game: Game, hex_id: str, points: int) -> Events:
    if not any(duty.args.get("hex") == hex_id for duty in game.duties(action="judge-edge")):
        text = f"Can the Soviets in {hex_id} trace supply? It is worth {points} VP"
        yield owe(game, (*game.sides, "table"), text, judge_edge, rule="14.1", hex=hex_id, points=points)


def _unknown_for_good(game: Game, duty: e.Asked, how: str) -> Events:
    """Nobody can tell: it does not score, and is not asked again before the next supply phase."""
    hex_id = str(duty.args["hex"])
    if game.mark(hex_id, "edge-vp") is None:
        yield e.Marked(hex_id, "edge-vp", "cut", reason="not told", rule="14.1")


@rules.follow_up(
    rule="14.1",
    label="Judge the edge hex",
    still=lambda game, duty: _held(game, str(duty.args["hex"])),
    declined=_unknown_for_good,
)
def judge_edge(
    game: Game, duty: e.Asked, supplied: Annotated[bool, Flag(label="It can trace supply")] = False
) -> Events:
    """Say whether the Soviet units in an edge VP hex can trace supply."""
    yield from _test_edge(game, str(duty.args["hex"]), int(duty.args["points"]), supplied)


@rules.entering("supply", turns="4+")
def edges_to_judge(game: Game) -> Events:
    """Occupied edge hexes are tested again: by the players where the map book cannot tell [14.1]."""
    if game["ground"] != "heavy-mud":
        for hex_id, points in edge_vp_hexes(game).items():
            if _held(game, hex_id) and hex_supplied(game, SOVIET, hex_id) is None:
                yield from _ask_edge(game, hex_id, points)


@rules.leaving("supply", turns="4+")
def end_of_supply(game: Game) -> Events:
    """Edge hexes first, then the support line from the VP that are left [14.1, 4-III]; heavy mud skips both [15.34]."""
    if game["ground"] != "heavy-mud":
        for hex_id, points in edge_vp_hexes(game).items():
            can = hex_supplied(game, SOVIET, hex_id)
            if _held(game, hex_id) and can is not None:
                yield from _test_edge(game, hex_id, points, can)
        yield from lock_line(game)


# -- by hand -----------------------------------------------------------------------------------------------------


def _vp_start(ctx: Context) -> int | None:
    return vp_of(ctx.game, str(ctx.values["hex"])) if ctx.values.get("hex") else None


def _vp_unknown(ctx: Context) -> bool:
    """Asked only of a hex whose number neither the map book nor this table knows."""
    return bool(ctx.values.get("hex")) and _vp_start(ctx) is None


@rules.action(phase=("command", "end"), by="any", rule="12.1, 14.1", label="Take a town", order=8)
def take_town(
    game: Game,
    hex: Annotated[str, HexId(label="Town or city")],
    side: Annotated[str, Choice(label="Entered by", options=SIDES, start=lambda c: c.game.active)],
    vp: Annotated[int | None, Whole(label="Printed VP", high=30, when=_vp_unknown)] = None,
) -> Events:
    """Record who entered a town or city; the VP are booked at once, or asked for."""
    if owner(game, hex) == side:
        raise NotNow(f"{hex} is {game.side_name(side)} already", field="side", given=side, rule="12.1")
    if vp is not None:
        yield e.Set("told-vp", {**game["told-vp"], hex: vp}, reason=IN_PASSING)
    yield from flip(game, hex, side, vp_of(game, hex))


@rules.action(by="any", rule="14.1", label="Score an edge VP hex", group="units")
def score_edge(
    game: Game,
    hex: Annotated[str, HexId(label="Edge hex")],
    held: Annotated[bool, Flag(label="Soviet-occupied and able to trace supply")] = False,
    vp: Annotated[
        int | None,
        Needed(label="Printed VP", high=30, when=lambda c: bool(c.values.get("held")) and _vp_unknown(c)),
    ] = None,
) -> Events:
    """Book an edge hex that Soviet units hold in supply, or take its VP off again."""
    scored = game.mark(hex, "edge-vp")
    if held == isinstance(scored, int):
        words = "scores already" if held else "does not score"
        raise NotNow(f"{hex} {words}", field="held", given=held, rule="14.1")
    if not held:
        yield e.Marked(hex, "edge-vp", "cut" if _held(game, hex) else None, rule="14.1")
        yield from book_vp(game, -_points(scored), f"edge hex {hex}")
        return
    points = vp_of(game, hex) if vp is None else vp
    if points is None:
        raise Unreadable(f"how many VP are printed in {hex}?", field="vp", rule="14.1")
    if vp is not None:
        yield e.Set("told-vp", {**game["told-vp"], hex: vp}, reason=IN_PASSING)
    yield from _test_edge(game, hex, points, True)


def _known_by_now(ctx: Context) -> Mapping[str, Any] | None:
    """The number was told meanwhile: for another change of hands, or in the map book."""
    known = vp_of(ctx.game, str(ctx.args["hex"]))
    return None if known is None else {"vp": known}


@rules.follow_up(rule="14.1", label="Book VP", alone=_known_by_now)
def book_points(game: Game, duty: e.Asked, vp: Annotated[int, Whole(label="Printed VP", high=30)]) -> Events:
    """Enter the printed VP of a town that changed hands; they are not asked again."""
    hex_id = str(duty.args["hex"])
    yield e.Set("told-vp", {**game["told-vp"], hex_id: vp}, reason=IN_PASSING)
    why = named_hex(str(duty.args["name"]), hex_id)
    yield from book_vp(game, vp if duty.args["side"] == SOVIET else -vp, why)
