"""The movement calculator: can I get there? (8.3, 8.7, 9.8, 11.3, 11.11-11.19)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import Unreadable, did_you_mean
from companion.engine.hexes.board import ZoneRule, zone_indices
from companion.engine.kit.roster import Unit
from companion.engine.play.fields import Choice, Context, Flag, HexId, Text, UnitRef, Whole
from companion.engine.play.worksheet import Breakdown, halve
from companion.engine.positions.situation import situation
from companion.engine.record.game import Game
from companion.systems.second_kharkov import ground
from companion.systems.second_kharkov.air import interdicted
from companion.systems.second_kharkov.armies import frozen, frozen_words, hasty, restricted
from companion.systems.second_kharkov.base import GERMAN, SOVIET, WEST, area, rules
from companion.systems.second_kharkov.judging import out_of_supply
from companion.systems.second_kharkov.stacking import overstacked
from companion.systems.second_kharkov.units import factor, mechanised, seen_by

COST = {"clear": (1, 1), "forest": (1, 2), "marsh": (2, None), "town": (1, 1), "city": (1, 2)}
"""To enter: non-mechanised, mechanised (11.11-11.15); None is never."""
RIVER = {"minor": (1, 2), "crossing": (1, 2)}  # 11.14
RULE = {"clear": "11.11", "forest": "11.12", "marsh": "11.13", "town": "11.15", "city": "11.15"}
WORDS = (*COST, *RIVER, "major", "iz", "zoc")


@dataclass(frozen=True)
class Step:
    """One hex entered."""

    terrain: str = "clear"
    river: str = ""
    iz: bool = False
    zoc: bool = False
    hex: str = ""

    def __str__(self) -> str:
        parts = [
            self.hex,
            f"{self.river} river" if self.river in ("minor", "major") else self.river,
            self.terrain,
        ]
        return " ".join(p for p in (*parts, "in an interdiction zone" if self.iz else "") if p)


@dataclass(frozen=True)
class Mover:
    """Who moves: what a step costs depends on side and class only."""

    side: str
    mech: bool
    mf: int
    from_zoc: bool = False
    from_iz: bool = False


def price(step: Step, mover: Mover) -> int | None:
    """11.16: all costs of one step add up; None when the ground is closed to the class."""
    ground_cost = COST[step.terrain][mover.mech]
    if ground_cost is None:
        return None
    river_cost = RIVER.get(step.river, (0, 0))[mover.mech]
    return ground_cost + river_cost + (1 if step.iz and mover.side == SOVIET else 0)


def bar(steps: Sequence[Step], index: int, mover: Mover) -> tuple[str, str]:
    """Why a step cannot be made, with the rule; both empty when only its cost matters."""
    step = steps[index]
    before = steps[index - 1] if index else None
    from_zoc = before.zoc if before else mover.from_zoc
    from_iz = before.iz if before else mover.from_iz
    if step.terrain == "marsh" and mover.mech:
        return "mechanised units never enter marsh", "11.13"
    if before and before.zoc:
        return "the move ended in an enemy zone", "8.3" if mover.side == GERMAN else "8.7"
    if mover.side == SOVIET and from_zoc and step.zoc:
        return "Soviets never step from enemy zone to enemy zone", "8.7"
    if step.river == "major" and before:
        return "a major river is crossed only by units that began the phase beside it", "11.14"
    if step.river == "major" and mover.side == SOVIET and (step.iz or from_iz):
        return "an interdiction zone closes the major river", "11.19"
    return "", ""


def walk(sheet: Breakdown, steps: Sequence[Step], mover: Mover) -> int:
    """Add up a route on the sheet; returns how many steps can be made."""
    left = mover.mf
    for index, step in enumerate(steps):
        reason, rule = bar(steps, index, mover)
        cost = price(step, mover)
        if reason or cost is None:
            sheet.add(f"{index + 1}. {step}: {reason}", "stop", rule)
            return index
        if step.river == "major":
            cost, rule = left, "11.14"
        elif cost > left and index == 0 and mover.mf:
            cost, rule = left, "11.3"  # one hex is always possible with the whole factor
        if cost > left:
            sheet.add(f"{index + 1}. {step}: costs {cost}, only {left} left", "stop", "11.2")
            return index
        left -= cost
        sheet.add(f"{index + 1}. {step}, {left} left", f"-{cost}", rule or RULE[step.terrain])
    sheet.facts["left"] = left
    return len(steps)


# -- the worksheet ---------------------------------------------------------------------------------


def read_route(text: str) -> list[Step]:
    """'clear, minor forest, iz town zoc' -> steps; hexes apart by commas, what is true of each by spaces."""
    steps = []
    for part in filter(None, (p.strip() for p in text.lower().split(","))):
        words = part.split()
        unknown = [w for w in words if w not in WORDS]
        if unknown:
            raise Unreadable(
                f"{unknown[0]!r} is no ground: {', '.join(WORDS)}.{did_you_mean(unknown[0], WORDS)}",
                field="route",
                given=unknown[0],
                accepted=", ".join(WORDS),
            )
        terrain = next((w for w in words if w in COST), "clear")
        river = next((w for w in words if w in (*RIVER, "major")), "")
        steps.append(Step(terrain, river, "iz" in words, "zoc" in words))
    return steps


def read_hexes(game: Game, side: str, start: str, hexes: Sequence[str]) -> list[Step]:
    """The steps of a path on the map, as far as the map book and the record tell."""
    zones, air = enemy_zone(game, side), interdicted(game) if side == SOVIET else set()
    steps, here = [], start
    for hex_id in hexes:
        if hex_id not in game.maps.neighbours(here):
            raise Unreadable(f"{hex_id} is not next to {here}", field="hexes", given=hex_id)
        terrain = ground.terrain(game, hex_id) or "clear"
        steps.append(Step(terrain, ground.river(game, here, hex_id), hex_id in air, hex_id in zones, hex_id))
        here = hex_id
    return steps


def enemy_zone(game: Game, side: str) -> set[str]:
    """8.1, 8.2: the hexes around every enemy unit, over any ground."""
    now = situation(game)
    return {now.board.grid.ids[i] for i in zone_indices(now.board, now.enemies(side), ZoneRule())}


def _unit(ctx: Context) -> Unit | None:
    return ctx.game.units.get(str(ctx.values.get("unit") or "")) if ctx.game else None


def _side(ctx: Context) -> str:
    unit = _unit(ctx)
    return (
        unit.side if unit else str(ctx.values.get("side") or (ctx.game.active if ctx.game else "") or SOVIET)
    )


def _no_unit(ctx: Context) -> bool:
    return _unit(ctx) is None


def _on_map(ctx: Context) -> list[Unit]:
    return [u for u in seen_by(ctx) if u.on_map and ctx.seat in ("table", u.side)]


def _type_mf(ctx: Context) -> bool:
    unit = _unit(ctx)
    return unit is None or ctx.game is None or factor(ctx.game, unit, "MF") is None


def _later(ctx: Context) -> bool:
    return ctx.game is None or ctx.game.turn > 1


def _interdicted(ctx: Context) -> bool:
    return ctx.game is None or bool(ctx.game.marked("interdiction"))


CLASSES = (("non-mech", "non-mechanised"), ("mech", "mechanised"))


@rules.worksheet(rule="11.0", title="Movement")
def movement(
    ctx: Context,
    unit: Annotated[str, UnitRef(label="Unit", pick=_on_map, when=lambda c: bool(_on_map(c)))] = "",
    side: Annotated[
        str,
        Choice(
            label="Side",
            options=((SOVIET, "Soviet"), (GERMAN, "German")),
            when=_no_unit,
            start=lambda c: c.game.active if c.game else "",
        ),
    ] = "",
    klass: Annotated[str, Choice(label="Class", options=CLASSES, when=_no_unit)] = "non-mech",
    mf: Annotated[
        int, Whole(label="Movement factor", help="of a stack: its slowest unit", high=30, when=_type_mf)
    ] = 0,
    oos: Annotated[bool, Flag(label="Out of supply", when=lambda c: _no_unit(c) and _later(c))] = False,
    from_zoc: Annotated[bool, Flag(label="Starts in an enemy zone", when=_no_unit)] = False,
    from_iz: Annotated[
        bool,
        Flag(
            label="Starts in an interdiction zone",
            when=lambda c: _no_unit(c) and _side(c) == SOVIET and _interdicted(c),
        ),
    ] = False,
    hexes: Annotated[
        tuple[str, ...],
        HexId(label="Path", many=True, help="hexes entered, in order", when=lambda c: not _no_unit(c)),
    ] = (),
    route: Annotated[
        str,
        Text(
            label="Ground entered",
            most=200,
            placeholder="clear, minor forest, iz town",
            help=f"hexes apart by commas; words: {', '.join(WORDS)}",
            when=lambda c: not c.values.get("hexes"),
        ),
    ] = "",
) -> Breakdown:
    """Add up what a move costs, hex by hex, and say how far it gets."""
    sheet = Breakdown("Movement")
    form = {"unit": unit, "side": side, "hexes": hexes}
    here = Context(ctx.game, ctx.seat, {**ctx.values, **form})
    mover = _mover(sheet, here, klass == "mech", mf, oos, from_zoc, from_iz)
    held = _unit(here)
    on_paper = hexes and held is not None and ctx.game is not None
    steps = read_hexes(ctx.game, mover.side, held.place, hexes) if on_paper else read_route(route)  # type: ignore[arg-type, union-attr]
    if not steps:
        raise Unreadable(
            "say where: hexes of a path, or the ground entered", field="route", accepted=", ".join(WORDS)
        )
    made = walk(sheet, steps, mover)
    sheet.facts.update(steps=made, mf=mover.mf)
    sheet.result = (
        f"gets there, {sheet.facts['left']} MP left"
        if made == len(steps)
        else f"stops after {made} of {len(steps)}"
    )
    if held is not None and ctx.game is not None:
        sheet.warnings += _doubts(ctx.game, held, steps)
    return sheet


def _mover(
    sheet: Breakdown, ctx: Context, mech: bool, mf: int, oos: bool, from_zoc: bool, from_iz: bool
) -> Mover:
    unit, game = _unit(ctx), ctx.game
    late = False
    if unit is not None and game is not None:
        known = factor(game, unit, "MF")
        mf, mech = mf if known is None else known, mechanised(unit)
        oos, late = bool(out_of_supply(game, [unit])), hasty(game, unit.formation)
        from_zoc, from_iz = unit.place in enemy_zone(game, unit.side), unit.place in interdicted(game)
    sheet.add("movement factor", str(mf), "11.1")
    for applies, reason, rule in ((oos, "out of supply", "9.8"), (late, "freed early", "13.4")):
        if applies:
            sheet.add(f"{reason}: half of {mf}", str(halve(mf)), rule)
            mf = halve(mf)
    return Mover(_side(ctx), mech, mf, from_zoc, from_iz)


def _doubts(game: Game, unit: Unit, steps: Sequence[Step]) -> list[str]:
    found = []
    if frozen(game, unit):
        found.append(frozen_words(game, unit, "stays put"))
    west = area(game, WEST)
    beyond = [s.hex for s in steps if s.hex and west and s.hex not in west]
    if restricted(game, unit.formation):
        found.append(
            f"{unit.formation} may not pass the front line: {', '.join(beyond)} (6.2)"
            if beyond
            else f"{unit.formation} stays on its own side of the front line (6.2)"
        )
    held: dict[str, Any] = {u.place: u for u in game.units.values() if u.on_map and u.side != unit.side}
    found += [f"{s.hex} is held by the enemy (11.4)" for s in steps if s.hex in held]
    for step in steps:
        friends = [u for u in game.units_at(step.hex) if u.side == unit.side and u.id != unit.id]
        if step.hex and (crowd := overstacked(unit.side, [*friends, unit])):
            found.append(f"{step.hex}: {crowd}; also in passing (7.2)")
    return found
