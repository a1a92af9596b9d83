"""Reserves: from the calendar to the boxes, and onto the map by the placement rules (4-I, 11)."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Flag, HexId, UnitRef
from companion.engine.play.worksheet import Breakdown
from companion.engine.positions.situation import board
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import (
    AREA_NAMES,
    DEPLOY_AREA,
    LIMIT_STEPS,
    LIMIT_UNITS,
    SOVIET,
    ask,
    on_map,
    rules,
)
from companion.systems.enemy_action_kharkov.command import in_command
from companion.systems.enemy_action_kharkov.record import terrain
from companion.systems.enemy_action_kharkov.supply import map_ready, owner, supply_heads, towns
from companion.systems.enemy_action_kharkov.support import in_support

DISTANCE = {"tactical": 3, "strategic": 5}
EDGE_DISTANCE = 2
ANCHOR = {SOVIET: 2, "german": 3}


def box_of(side: str) -> str:
    return f"box:reserve-{side}"


@rules.entering("reserve")
def arrivals(game: Game) -> Events:
    """4-I: units whose printed turn is this one go to their reserve box."""
    for unit in list(game.units.values()):
        if unit.turn == game.turn and not unit.place:
            yield move(game, unit.id, box_of(unit.side), reason="arrives as a reserve", rule="4-I")
    late = delayed(game)
    for side in game.sides:
        names = [u.name or u.id for u in late if u.side == side]
        if names:
            text = (
                f"{game.side_name(side)}: overdue reserves may be placed without a card: {', '.join(names)}"
            )
            yield ask(game, f"delayed-{side}", (side, "table"), text, "deploy-reserve", "11.3")


def reserves(game: Game, side: str) -> list[Unit]:
    return [u for u in game.units.values() if u.place == box_of(side)]


def delayed(game: Game) -> list[Unit]:
    """11.3: full-strength reserves whose printed turn lies two turns back, from turn 3 on."""
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
    """The distance to the nearest enemy unit that is not isolated, or enemy town, and what it is."""
    near = [
        (game.maps.distance(hex_id, u.place), u.name or u.id)
        for u in on_map(game, game.other(side))
        if game.mark(u.id, "supply") != "isolated"
    ]
    near += [
        (game.maps.distance(hex_id, h), name) for h, name in towns(game).items() if owner(game, h) != side
    ]
    return min(near, default=(99, "nobody"))


def anchors(game: Game, unit: Unit, hex_id: str) -> tuple[bool, str]:
    """11.1: within reach of the same corps or army on the map; if it has nobody, of the same army or front."""
    reach = ANCHOR[unit.side]
    own = [u for u in on_map(game, unit.side) if u.formation == unit.formation]
    area = DEPLOY_AREA.get(unit.formation)
    wider = [u for u in on_map(game, unit.side) if DEPLOY_AREA.get(u.formation) == area]
    for group, name in ((own, "same corps or army"), (wider, "same army or front")):
        near = [u for u in group if game.maps.distance(u.place, hex_id) <= reach]
        if near:
            return True, f"within {reach} of {near[0].name or near[0].id} ({name})"
        if group is own and own:
            return False, f"own formation is on the map, but not within {reach}"
    return False, f"no unit of its army or front within {reach}"


def deployment_tests(game: Game, unit: Unit, hex_id: str, how: str) -> Breakdown:
    """11.1: every test with its answer; `facts['wrong']` lists the failed ones."""
    sheet = Breakdown("Deployment")
    wrong: list[str] = []

    def test(label: str, passed: bool | None, rule: str = "11.1") -> None:
        sheet.add(label, {True: "yes", False: "NO", None: "look at the map"}[passed], rule)
        if passed is False:
            wrong.append(label)

    side = unit.side
    area = board(game).book.named("area", AREA_NAMES.get(DEPLOY_AREA.get(unit.formation, ""), ""))
    test("in the front or army area", hex_id in area if area else None)
    heads = supply_heads(game, side) if map_ready(game, side) else None
    at_head = None if heads is None else hex_id in heads
    if heads is not None and how == "tactical" and not at_head:
        clear = terrain(game, hex_id) in ("clear", "")
        at_head = clear and any(h in heads for h in game.maps.neighbours(hex_id))
    test("supply head" if how == "strategic" else "supply head, or clear hex beside one", at_head)
    edge = hex_id in board(game).book.named("edge", side)
    need = EDGE_DISTANCE if edge else DISTANCE[how]
    far, what = nearest_enemy(game, side, hex_id)
    enough = far > need if game["reserve-distance"] == "barred" and not edge else far >= need
    test(f"{need} hexes from the enemy (nearest: {what}, {far})", enough)
    if far == need and not edge:
        sheet.warnings.append(
            "exactly at the limit: rule and example of 11.1 differ, see the table's reading"
        )
    if how == "tactical":
        found, why = anchors(game, unit, hex_id)
        test(why, found)
    if side == SOVIET and game.turn >= 5:
        test("in Soviet support", in_support(game, hex_id), "10.42")
    stack = game.units_at(hex_id)
    steps = sum(u.steps for u in stack) + unit.steps
    test("stacking", len(stack) < LIMIT_UNITS and steps <= LIMIT_STEPS, "7.4")
    sheet.facts["wrong"] = wrong
    sheet.result = "not allowed" if wrong else "allowed"
    return sheet


def _placeable(ctx: Context) -> list[Unit]:
    game = ctx.game
    if game is None:
        return []
    return [u for s in game.sides if ctx.seat in ("table", s) for u in reserves(game, s)]


@rules.worksheet(rule="11.1", title="Deployment")
def deployment(
    ctx: Context,
    unit: Annotated[str, UnitRef(label="Reserve unit", pick=_placeable)] = "",
    hex: Annotated[str, HexId(label="Hex")] = "",
    how: Annotated[
        str, Choice(label="Deployment", options=[("tactical", "Tactical"), ("strategic", "Strategic")])
    ] = "tactical",
) -> Breakdown:
    """Whether a reserve may be placed in a hex: area, supply head, distances, anchor, support, stacking."""
    if ctx.game is None or not unit or not hex:
        sheet = Breakdown("Deployment", facts={"wrong": []})
        sheet.add("tactical: three hexes from the enemy, strategic: five, friendly edge hex: two", "", "11.1")
        return sheet
    return deployment_tests(ctx.game, ctx.game.units[unit], hex, how)


def _may_deploy(game: Game) -> bool | str:
    if game.phase == "reserve":
        return bool(delayed(game)) or "no overdue reserve is on record [11.3]"
    if in_command(game).get("what") != "deploy":
        return "play a card to deploy reserves first [11.1]"
    return bool(reserves(game, game.active)) or "no reserve is on record: place it on the map [11.1]"


@rules.action(
    phase=("reserve", "command"),
    by="any",
    rule="11.1",
    worksheet=deployment,
    label="Place a reserve",
    primary=True,
    when=_may_deploy,
)
def deploy_reserve(
    game: Game,
    sheet: Breakdown,
    unit: Annotated[str, UnitRef(label="Reserve unit", pick=_placeable)],
    hex: Annotated[str, HexId(label="Hex")],
    anyway: Annotated[bool, Flag(label="Although the companion objects")] = False,
) -> Events:
    """Put a reserve unit on the map; every placement rule is checked as far as positions and map book tell."""
    chosen = game.units[unit]
    if game.phase == "reserve" and chosen not in delayed(game) and not anyway:
        raise NotNow("only full-strength reserves two turns late come in without a card [11.3]", field="unit")
    named = in_command(game).get("for", [])
    if game.phase == "command" and chosen.formation and chosen.formation not in named and not anyway:
        raise NotNow(f"the card deploys {', '.join(named)}, not {chosen.formation} [5.3]", field="unit")
    if sheet.facts["wrong"] and not anyway:
        raise NotNow(f"{hex}: {'; '.join(sheet.facts['wrong'])} [11.1]", field="hex", given=hex)
    yield move(game, unit, hex, reason="deployed", rule="11.1")
