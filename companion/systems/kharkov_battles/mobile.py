"""Mobile Assault [11.2]: who may, what it costs, modifiers from the owner's table, results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from companion.engine.errors import NotNow
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Dice, Flag, HexId, Roll, UnitRef, Whole
from companion.engine.play.worksheet import Breakdown
from companion.engine.record import events as e
from companion.engine.record.changes import BY_SEQUENCE, put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import air, books, ground, reach
from companion.systems.kharkov_battles.asking import announced, no_air, told
from companion.systems.kharkov_battles.base import (
    AXIS,
    D10,
    MOVE_PHASES,
    SOVIET,
    K,
    Objection,
    rules,
    scenario,
    to_side,
)
from companion.systems.kharkov_battles.command import wake
from companion.systems.kharkov_battles.designate import ask_air
from companion.systems.kharkov_battles.forces import enlist, next_number
from companion.systems.kharkov_battles.odds import column_of
from companion.systems.kharkov_battles.support import no_attack
from companion.systems.kharkov_battles.targets import defenders_of
from companion.systems.kharkov_battles.units import (
    is_mech,
    is_multi_step,
    label,
    on_map,
    on_the_map,
    supply_state,
)
from companion.systems.kharkov_battles.works import stop_building

EXACT = ("1-1", *(f"{n}-1" for n in range(2, 61)))


def forbidden(game: Game) -> bool | str:
    """Why nobody may make one now."""
    if game["weather"] == "mud":
        return "no Mobile Assaults in Mud [11.23, 19.14]"
    if scenario(game) == K and game.active == SOVIET:
        return "Soviets make no Mobile Assaults in this scenario [20.2]"
    return True


def problem(game: Game, unit: Unit, target: str) -> Objection | None:
    """Why this unit cannot make this Mobile Assault, or nothing."""
    if not is_mech(unit) or not is_multi_step(game, unit):
        return Objection("is not a mechanized multi-step unit", "11.2")
    if game.mark(unit.id, "ma-done"):
        return Objection("has made its Mobile Assault this phase", "11.2")
    if game.mark(unit.id, "infiltrated"):
        return Objection("used Mobile Infiltration this phase", "11.2")
    if game.mark(unit.id, "repl") or game.mark(unit.id, "uncommitted"):
        return Objection("may not move or attack now", "16.22, 13.11")
    if supply_state(game, unit):
        return Objection("is not Operational", "11.2")
    if no_attack(game, unit):
        return no_attack(game, unit)
    if unit.side == AXIS and reach.supported_now(game, unit) is False:
        return Objection("has no full support", "9.0")
    return _hex_problem(game, unit, target)


def _hex_problem(game: Game, unit: Unit, target: str) -> Objection | None:
    if target not in ground.grid_at(game, unit.place).neighbours(unit.place):
        return Objection(f"is not adjacent to {target}", "11.2")
    if ground.size(game, target) in ("town", "city"):
        return Objection("cannot assault a town or city", "11.22")
    if "marsh" in (ground.terrain(game, target), ground.terrain(game, unit.place)):
        return Objection("cannot assault from or into Marsh", "11.22")
    if ground.river(game, unit.place, target) in ("major", "barred"):
        return Objection("cannot assault across a Major River or the Dnepr", "11.22")
    others = ground.zones(game, game.other(unit.side)).get(unit.place, set()) - {target}
    return Objection(f"is also in the zone of {', '.join(sorted(others))}", "11.2") if others else None


def table_line(game: Game, defence: int) -> Mapping[str, Any] | None:
    """The row of the owner's Mobile Assault Table for a defence strength."""
    for row in books.table(game, "ma-table").values():
        low, high = books.whole(row, "from"), books.whole(row, "to")
        if (low is None or low <= defence) and (high is None or defence <= high):
            return row
    return None


def drm(game: Game, condition: str) -> int | None:
    """A modifier of the owner's table; None when it is blank."""
    return books.whole(books.table(game, "ma-drm").get(condition, {}), "drm")


def _others(ctx: Context) -> list[tuple[str, str]]:
    rows = books.table(ctx.game, "ma-drm")
    return [(c, c) for c in rows if not c.startswith("odds ") and c not in ("attacker air", "defender air")]


TARGET = Annotated[str, HexId(label="Target hex", quiet=told("ma-target"))]
ATTACK = Annotated[
    int,
    Whole(label="Attack strength", high=100, start=announced("attack-total"), quiet=told("attack-total")),
]
DEFENCE = Annotated[
    int,
    Whole(
        label="Strength of the whole hex",
        high=200,
        start=announced("defence-total"),
        quiet=told("defence-total"),
    ),
]
ATTACK_AIR = Annotated[bool, Flag(label="Attacker's Air Point", quiet=no_air(True))]
DEFENCE_AIR = Annotated[bool, Flag(label="Defender's Air Point", quiet=no_air(False))]
MP_LEFT = Annotated[int | None, Whole(label="Movement points left", high=30)]


def _cost(ctx: Context) -> int:
    """What your terrain chart asks of mechanized units for the target hex; 1 where it is blank."""
    game, target = ctx.game, str(ctx.values.get("target") or "")
    if not target:
        return 1
    here, chart = ground.terrain(game, target) or "clear", game.chart("tec")
    cell = str(chart.cell(here, f"mech, {str(game['weather']).capitalize()}").value or "")
    return int(cell) if here in chart.rows and cell.isdecimal() else 1


@rules.worksheet(rule="11.2", title="Mobile Assault")
def mobile_odds(
    ctx: Context,
    target: TARGET = "",
    attack: ATTACK = 0,
    defence: DEFENCE = 0,
    attacker_air: ATTACK_AIR = False,
    defender_air: DEFENCE_AIR = False,
    conditions: Annotated[
        tuple[str, ...],
        Choice(label="Conditions on your table", options=_others, many=True, when=lambda c: bool(_others(c))),
    ] = (),
    other: Annotated[int, Whole(label="Further modifier", low=-9, high=9)] = 0,
    terrain_cost: Annotated[
        int, Whole(label="Cost of the target hex", help="roads and railways ignored", high=9, start=_cost)
    ] = 1,
    mp_left: MP_LEFT = None,
) -> Breakdown:
    """Odds, modifiers and movement cost of a Mobile Assault."""
    if not attack or not defence:
        text = "enter both strengths: the attacking unit's and the whole defending hex's"
        raise NotNow(text, field="attack", rule="11.2")
    sheet = Breakdown("Mobile Assault", dice=D10, chart="ma-table")
    cost = 2 + terrain_cost
    sheet.add("movement: 2 and the hex", f"{cost} MP", "11.2")
    if mp_left is not None and mp_left < cost:
        sheet.warnings.append(f"{_too_far(cost, mp_left)} [11.2]")
    whole = attack >= defence
    odds = column_of(attack, defence, list(EXACT)) if whole else "below 1-1"
    sheet.add(f"{attack} : {defence}", odds, "11.2")
    sheet.column = odds
    sheet.facts = {"odds": odds, "cost": cost, "defence": defence, "blank": []}
    if not whole:
        sheet.result = "AD"
        sheet.dice = ""
        sheet.add("cannot be made: the attacker is Disorganized, air is spent", "AD", "11.21")
        return sheet
    wanted = (
        [f"odds {odds}"]
        + ["attacker air"] * attacker_air
        + ["defender air"] * defender_air
        + list(conditions)
    )
    for condition in wanted:
        amount = drm(ctx.game, condition)
        if amount is None:
            sheet.facts["blank"].append(condition)
        else:
            sheet.shift(condition, amount, "11.2, 27.2")
    sheet.shift("by hand", other, "11.2")
    if sheet.facts["blank"]:
        sheet.warnings.append(
            f"your table's modifier for {', '.join(sheet.facts['blank'])} is not in the book: add it by hand"
        )
    return sheet


def _too_far(cost: int, left: int) -> str:
    return f"{cost} MP are needed, {left} are left: not possible"


def _needs_die(ctx: Context) -> bool:
    attack, defence = ctx.values.get("attack"), ctx.values.get("defence")
    if not isinstance(attack, int) or not isinstance(defence, int) or not attack or not defence:
        return True
    return attack >= defence


def _movers(ctx: Context) -> list[Unit]:
    return on_the_map(lambda g, u: u.side == g.active and is_mech(u))(ctx)


def _may_declare(game: Game) -> bool | str:
    found = forbidden(game)
    if found is not True:
        return found
    return any(is_mech(u) for u in on_map(game, game.active)) or "no mechanized unit is on record"


@rules.action(
    phase=MOVE_PHASES, by="active", rule="11.2", label="Mobile Assault", when=_may_declare, primary=True
)
def declare_mobile(
    game: Game,
    unit: Annotated[str, UnitRef(label="Attacking unit", pick=_movers)],
    target: Annotated[str, HexId(label="Target hex")],
) -> Events:
    """One unit attacks during its move: both sides are asked for air and strength, then it is rolled."""
    why = problem(game, game.units[unit], target)
    if why:
        raise why.to(label(game.units[unit]), field="unit", given=unit)
    for open_one in list(game.marked("ma-target")):
        if any(a.args.get("target") == open_one for a in game.asked.values()):
            raise NotNow(f"finish the Mobile Assault on {open_one} first", field="target", rule="11.2")
        yield from _wipe(game, open_one)
    for h in (game.units[unit].place, target):
        _still_free(game, h)
    yield e.Marked(target, "ma-target", unit, reason=BY_SEQUENCE, rule="11.2")
    yield from wake(game, defenders_of(game, target))
    yield e.Noted(f"{label(game.units[unit])} makes a Mobile Assault on {target}", rule="11.2")
    yield from ask_air(game, target)


def _wipe(game: Game, target: str) -> Events:
    """What was declared and announced for a Mobile Assault comes off its hex."""
    for marker in ("ma-target", "attack-total", "defence-total", "attack-air", "defence-air"):
        if target and game.mark(target, marker) is not None:
            yield e.Marked(target, marker, None, reason=BY_SEQUENCE, rule="11.2")


def offer_mobile(game: Game, target: str) -> Events:
    """Once both totals are known, the attacker may roll."""
    totals = {role: game.mark(target, f"{role}-total") for role in ("attack", "defence")}
    if None in totals.values():
        return
    args: dict[str, Any] = {"unit": game.mark(target, "ma-target"), "target": target, **totals}
    for role, name in (("attack", "attacker_air"), ("defence", "defender_air")):
        if game.mark(target, f"{role}-air"):
            args[name] = True
    text = f"Roll the Mobile Assault on {target}: {totals['attack']} to {totals['defence']}"
    name = f"mobile-{target}-{game.revision}"
    yield e.Asked(name, to_side(game, game.active), text, "mobile-assault", args, rule="11.2")


@rules.action(
    phase=MOVE_PHASES,
    by="active",
    rule="11.2",
    label="Roll a Mobile Assault",
    worksheet=mobile_odds,
    when=forbidden,
    order=1,
)
def mobile_assault(
    game: Game,
    sheet: Breakdown,
    attacker_air: ATTACK_AIR = False,
    defender_air: DEFENCE_AIR = False,
    mp_left: MP_LEFT = None,
    unit: Annotated[
        str,
        UnitRef(
            label="Attacking unit", pick=_movers, when=lambda c: bool(_movers(c)), quiet=told("ma-target")
        ),
    ] = "",
    target: TARGET = "",
    die: Annotated[Roll | None, Dice(spec=D10, purpose="Mobile Assault", when=_needs_die)] = None,
) -> Events:
    """Roll a Mobile Assault and hand out what follows."""
    if mp_left is not None and mp_left < sheet.facts["cost"]:
        raise NotNow(_too_far(sheet.facts["cost"], mp_left), field="mp_left", given=mp_left, rule="11.2")
    if unit and target:
        why = problem(game, game.units[unit], target)
        if why:
            raise why.to(label(game.units[unit]), field="unit", given=unit)
    origin = game.units[unit].place if unit else ""
    yield from _count_hexes(game, origin, target)
    yield from air.spend_air(game, game.active, int(attacker_air), int(defender_air), mobile=True)
    yield from _wipe(game, target)
    if unit:
        yield put_mark(game, unit, "ma-done", True, rule="11.2")
    if target and game["building-ma"] == "stops":
        yield from stop_building(game, target, game.other(game.active), "Mobile Assault")
    sheet.facts |= {"attacker": game.active, "unit": unit, "target": target, "combat": next_number(game)}
    held = defenders_of(game, target) if target else []
    yield from wake(game, held)
    yield from enlist(game, [game.units[unit]] if unit else [], held)
    if die is not None:
        _read(game, sheet, die.total)
    yield from rules.settle(game, "mobile-assault", sheet, (*game.sides, "table"), "11.26, 11.27")


def _count_hexes(game: Game, *hexes: str) -> Events:
    """A hex serves twice a phase as origin or target [11.24]."""
    for h in filter(None, hexes):
        yield e.Marked(h, "ma-count", _still_free(game, h) + 1, reason=BY_SEQUENCE, rule="11.24")


def _still_free(game: Game, hex_id: str) -> int:
    """How often a hex has served this phase; twice is all it can."""
    used = int(game.mark(hex_id, "ma-count") or 0)
    if used >= 2:
        text = f"{hex_id} was origin or target of two Mobile Assaults this phase"
        raise NotNow(text, field="target", given=hex_id, rule="11.24")
    return used


def _read(game: Game, sheet: Breakdown, roll: int) -> None:
    final = roll + sheet.modifier
    sheet.roll = roll
    column = "below" if final < 0 else "above" if final > 9 else f"r{final}"
    line = table_line(game, int(sheet.facts["defence"]))
    sheet.result = str(line.get(column) or "").replace(" ", "") if line else ""
    if sheet.facts["blank"]:
        sheet.result = ""  # a modifier is missing, so the table is read by the players
    if not sheet.result:
        missing = f", plus its modifier for {', '.join(sheet.facts['blank'])}" if sheet.facts["blank"] else ""
        where = f"defence {sheet.facts['defence']}, odds {sheet.column}, roll {final}"
        sheet.read_chart = f"read your Mobile Assault Table: {where}{missing}"
        sheet.codes = ["Dr3", "D(1)r3", "AD", "A(1)D"]
