"""Reserves: from the calendar to the boxes, and onto the map by the placement rules [4-I, 11]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, NamedTuple

from companion.engine.forms.fields import Choice, Context, HexId, UnitRef
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import offer
from companion.engine.positions.pieces import on_map
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import (
    AREA_NAMES,
    DEPLOY_AREA,
    GERMAN,
    SOVIET,
    Reason,
    called,
    fits,
    isolated,
    rules,
)
from companion.systems.enemy_action_kharkov.command import in_command
from companion.systems.enemy_action_kharkov.record import terrain
from companion.systems.enemy_action_kharkov.supply import map_ready, owner, supply_heads, towns
from companion.systems.enemy_action_kharkov.support import in_support

DISTANCE = {"tactical": 3, "strategic": 5}  # [11.1]
EDGE_DISTANCE = 2
ANCHOR = {SOVIET: 2, GERMAN: 3}


def box_of(side: str) -> str:
    return f"box:reserve-{side}"


@rules.watch
def arrivals(game: Game) -> Events:
    """Units whose printed turn has come go to their reserve box, those of a roster set up late too [4-I]."""
    for unit in list(game.units.values()):
        if unit.turn and unit.turn <= game.turn and not unit.place:
            yield move(game, unit.id, box_of(unit.side), reason="arrives as a reserve", rule="4-I")


@rules.entering("reserve")
def overdue(game: Game) -> Events:
    """Overdue reserves are told [11.3]."""
    yield from arrivals(game)
    for side in game.sides:
        yield from offer_reserves(game, side)


def offer_reserves(game: Game, side: str) -> Events:
    """Say who may still be placed: by the card in play, or overdue; once nobody is left, nothing [11.1, 11.3]."""
    for duty in game.duties(action="deploy-reserve"):
        if duty.to[0] == side:
            yield e.Answered(duty.id, "placed")
    if game.phase == "reserve":
        waiting, how, rule = [u for u in delayed(game) if u.side == side], "overdue reserves, no card", "11.3"
    else:
        named = in_command(game).get("for", ())
        waiting, how, rule = (
            [u for u in reserves(game, side) if u.formation in named or not u.formation],
            "reserves",
            "11.1",
        )
    if waiting:
        text = f"{game.side_name(side)}: place {how}: {', '.join(called(u) for u in waiting)}"
        yield offer(game, side, text, deploy_reserve, rule=rule)


def reserves(game: Game, side: str) -> list[Unit]:
    return [u for u in game.units.values() if u.place == box_of(side)]


def delayed(game: Game) -> list[Unit]:
    """Full-strength reserves whose printed turn lies two turns back, from turn 3 on [11.3]."""
    if game.turn < 3:
        return []
    exact = game["delayed-reserves"] == "exactly-two"
    return [
        u
        for side in game.sides
        for u in reserves(game, side)
        if u.turn and u.steps == u.full and (game.turn - u.turn == 2 if exact else game.turn - u.turn >= 2)
    ]


def nearest_enemy(game: Game, side: str, hex_id: str) -> tuple[int, str]:
    """The distance to the nearest enemy unit that is not isolated, or enemy town, and what it is [10.22, 11.1]."""
    near = [
        (game.maps.distance(hex_id, u.place), called(u))
        for u in on_map(game, game.other(side))
        if not isolated(game, u)
    ]
    near += [
        (game.maps.distance(hex_id, h), name) for h, name in towns(game).items() if owner(game, h) != side
    ]
    return min(near, default=(99, "nobody"))


def anchors(game: Game, unit: Unit, hex_id: str) -> tuple[bool, str]:
    """Near the same corps or army; if no hex near it will do, near the same army or front [11.1]."""
    reach = ANCHOR[unit.side]
    own = [u for u in on_map(game, unit.side) if u.formation == unit.formation]
    area = DEPLOY_AREA.get(unit.formation)
    wider = [u for u in on_map(game, unit.side) if DEPLOY_AREA.get(u.formation) == area]
    for group, name in ((own, "same corps or army"), (wider, "same army or front")):
        near = [u for u in group if game.maps.distance(u.place, hex_id) <= reach]
        if near:
            return True, f"within {reach} of {called(near[0])} ({name})"
        if group is own and (room := _room_near(game, unit, own)):
            return False, f"own formation is on the map, but not within {reach}: {room} would do"
    return False, f"no unit of its army or front within {reach}"


def _room_near(game: Game, unit: Unit, own: list[Unit]) -> str:
    """A hex near the same corps or army that nothing is known against, or an empty text [11.1]."""
    reach = ANCHOR[unit.side]
    heads = supply_heads(game, unit.side) if map_ready(game, unit.side) else None
    for hex_id in dict.fromkeys(h for u in own for h in _within(game, u.place, reach)):
        if all(test.passed is not False for test in _elsewhere(game, unit, hex_id, "tactical", heads)):
            return hex_id
    return ""


def _within(game: Game, start: str, reach: int) -> list[str]:
    """The hexes up to so many away, nearest first."""
    found = {start: None}
    for _ in range(reach):
        found |= dict.fromkeys(h for place in list(found) for h in game.maps.neighbours(place))
    return list(found)


class Test(NamedTuple):
    """One condition of a placement; `passed` is None where only the map tells."""

    what: str
    label: str
    passed: bool | None
    rule: str = "11.1"


def placement(game: Game, unit: Unit, hex_id: str, how: str) -> Iterator[Test]:
    """Every condition of placing a reserve in a hex, tactically or strategically [11.1, 11.2]."""
    heads = supply_heads(game, unit.side) if map_ready(game, unit.side) else None
    yield from _elsewhere(game, unit, hex_id, how, heads)
    if how == "tactical":
        found, why = anchors(game, unit, hex_id)
        yield Test("anchor", why, found)


def _elsewhere(game: Game, unit: Unit, hex_id: str, how: str, heads: set[str] | None) -> Iterator[Test]:
    """Every condition but the nearness of friends.

    :param heads: the side's supply heads, None where the map book cannot tell
    """
    side = unit.side
    area = board(game).book.named("area", AREA_NAMES.get(DEPLOY_AREA.get(unit.formation, ""), ""))
    yield Test("area", "in the front or army area", hex_id in area if area else None)
    head = "supply head" if how == "strategic" else "supply head, or clear hex beside one"
    yield Test("head", head, None if heads is None else _at_head(game, hex_id, how, heads))
    edge = _on_edge(game, side, hex_id)
    need = EDGE_DISTANCE if edge else DISTANCE[how]
    far, what = nearest_enemy(game, side, hex_id)
    enough = far > need if game["reserve-distance"] == "barred" and not edge else far >= need
    yield Test("distance", f"{need} hexes from the enemy (nearest: {what}, {far})", enough)
    if any(u.side != side for u in game.units_at(hex_id)):
        yield Test("enemy", "no enemy unit there", False)  # an isolated one keeps its own hex [10.22]
    if side == SOVIET and game.turn >= 5:
        yield Test("support", "in Soviet support", in_support(game, hex_id), "10.42")
    yield Test("stacking", "stacking", fits([*game.units_at(hex_id), unit]), "7.4")


def _at_head(game: Game, hex_id: str, how: str, heads: set[str]) -> bool:
    if hex_id in heads or how == "strategic":
        return hex_id in heads
    return terrain(game, hex_id) in ("clear", "") and any(h in heads for h in game.maps.neighbours(hex_id))


def _on_edge(game: Game, side: str, hex_id: str) -> bool:
    return hex_id in board(game).book.named("edge", side)


def _placeable(ctx: Context) -> list[Unit]:
    return [u for s in ctx.game.sides if ctx.seat in ("table", s) for u in reserves(ctx.game, s)]


def _only_reserve(ctx: Context) -> str | None:
    """The one that waits is chosen from the start."""
    found = [unit.id for unit in _placeable(ctx)]
    return found[0] if len(found) == 1 else None


@rules.worksheet(rule="11.1", title="Deployment")
def deployment(
    ctx: Context,
    unit: Annotated[str, UnitRef(label="Reserve unit", pick=_placeable, start=_only_reserve)] = "",
    hex: Annotated[str, HexId(label="Hex")] = "",
    how: Annotated[
        str, Choice(label="Deployment", options=[("tactical", "Tactical"), ("strategic", "Strategic")])
    ] = "tactical",
) -> Breakdown:
    """Whether a reserve may be placed in a hex: area, supply head, distances, anchor, support, stacking."""
    game = ctx.game
    if not unit or not hex:
        sheet = Breakdown("Deployment", facts={"wrong": []})
        sheet.add("tactical: three hexes from the enemy, strategic: five, friendly edge hex: two", "", "11.1")
        return sheet
    tests = list(placement(game, game.units[unit], hex, how))
    wrong = [test.label for test in tests if test.passed is False]
    sheet = Breakdown("Deployment", facts={"wrong": wrong}, result="not allowed" if wrong else "allowed")
    for test in tests:
        answer = {True: "yes", False: "NO", None: "look at the map"}[test.passed]
        sheet.add(test.label, answer, test.rule)
    side = game.units[unit].side
    if nearest_enemy(game, side, hex)[0] == DISTANCE[how] and not _on_edge(game, side, hex):
        sheet.warnings.append(
            "exactly at the limit: rule and example of 11.1 differ, see the table's reading"
        )
    return sheet


def _may_deploy(game: Game) -> bool | str:
    if game.phase == "reserve":
        return bool(delayed(game)) or "no overdue reserve is on record [11.3]"
    if in_command(game).get("what") != "deploy":
        return "play a card to deploy reserves first [11.1]"
    return bool(reserves(game, game.active)) or "no reserve is on record: place it on the map [11.1]"


def _against_it(ctx: Context) -> Iterator[Reason]:
    """What the card and the placement rules have against it [5.3, 11.1, 11.3]."""
    game, hex_id = ctx.game, str(ctx.values["hex"])
    unit, named = game.units[ctx.values["unit"]], in_command(game).get("for", [])
    if game.phase == "reserve" and unit not in delayed(game):
        yield Reason("only full-strength reserves two turns late come in without a card", "11.3")
    waiting = [called(u) for u in delayed(game) if u.side == SOVIET and game.phase == "reserve"]
    if unit.side != SOVIET and waiting:
        yield Reason(f"the Soviet side comes first: {', '.join(waiting)}", "4-I")
    if game.phase == "command" and unit.formation and unit.formation not in named:
        yield Reason(f"the card deploys {', '.join(named)}, not {unit.formation}", "5.3")
    for test in placement(game, unit, hex_id, str(ctx.values.get("how") or "tactical")):
        if test.passed is False:
            yield Reason(f"{hex_id}: {test.label}", test.rule)


@rules.action(
    phase=("reserve", "command"),
    by=lambda game: "active" if game.phase == "command" else "any",
    rule="11.1",
    worksheet=deployment,
    label="Place a reserve",
    primary=True,
    when=_may_deploy,
    warns=_against_it,
)
def deploy_reserve(
    game: Game,
    unit: Annotated[str, UnitRef(label="Reserve unit", pick=_placeable, start=_only_reserve)],
    hex: Annotated[str, HexId(label="Hex")],
) -> Events:
    """Put a reserve unit on the map; every placement rule is checked as far as positions and map book tell."""
    yield move(game, unit, hex, reason="deployed", rule="11.1")
    yield from offer_reserves(game, game.units[unit].side)
