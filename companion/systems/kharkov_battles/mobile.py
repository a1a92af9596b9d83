"""Mobile Assault [11.2]: who may, what it costs, modifiers from the owner's table, results."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any

from companion.engine import events as e
from companion.engine.actions import Chance, Events
from companion.engine.errors import NotNow
from companion.engine.fields import Choice, Context, Dice, Flag, HexId, Roll, UnitRef, Whole
from companion.engine.game import Game
from companion.engine.moves import put_mark
from companion.engine.roster import Unit
from companion.engine.worksheet import Breakdown

from . import air, books, chits, ground
from .base import AXIS, D10, MOVE_PHASES, SOVIET, K, rules, scenario, to_side
from .forces import enlist, next_number
from .odds import column_of
from .strength import add_up
from .support import no_attack
from .units import is_mech, is_multi_step, label, on_the_map, supply_state
from .works import stop_building

EXACT = ("1-1", *(f"{n}-1" for n in range(2, 61)))
RESULT = re.compile(r"(?:D(?:\((\d)\))?(?:r(\d))?|A(?:\((\d)\))?D|AD(?:\((\d)\))?)")


def forbidden(game: Game) -> bool | str:
    """Why nobody may make one now."""
    if game["weather"] == "mud":
        return "no Mobile Assaults in Mud [11.23, 19.14]"
    if scenario(game) == K and game.active == SOVIET:
        return "Soviets make no Mobile Assaults in this scenario [20.2]"
    return True


def problem(game: Game, unit: Unit, target: str) -> str:
    """Why this unit cannot make this Mobile Assault, or nothing."""
    if not is_mech(unit) or not is_multi_step(game, unit):
        return "is not a mechanized multi-step unit [11.2]"
    if game.mark(unit.id, "ma-done"):
        return "has made its Mobile Assault this phase [11.2]"
    if game.mark(unit.id, "infiltrated"):
        return "used Mobile Infiltration this phase [11.2]"
    if game.mark(unit.id, "repl") or game.mark(unit.id, "uncommitted"):
        return "may not move or attack now [16.22, 13.11]"
    if supply_state(game, unit):
        return "is not Operational [11.2]"
    if no_attack(game, unit):
        return f"has {no_attack(game, unit)}"
    return _hex_problem(game, unit, target)


def _hex_problem(game: Game, unit: Unit, target: str) -> str:
    if target not in ground.grid_at(game, unit.place).neighbours(unit.place):
        return f"is not adjacent to {target}"
    if ground.size(game, target) in ("town", "city"):
        return "cannot assault a town or city [11.22]"
    if "marsh" in (ground.terrain(game, target), ground.terrain(game, unit.place)):
        return "cannot assault from or into Marsh [11.22]"
    if ground.river(game, unit.place, target) in ("major", "barred"):
        return "cannot assault across a Major River or the Dnepr [11.22]"
    controllers = ground.zones(game, game.other(unit.side)).get(unit.place, set())
    if controllers - {target}:
        return f"is also in the zone of {', '.join(sorted(controllers - {target}))} [11.2]"
    return ""


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
    rows = books.table(ctx.game, "ma-drm") if ctx.game else {}
    return [(c, c) for c in rows if not c.startswith("odds ") and c not in ("attacker air", "defender air")]


@rules.worksheet(rule="11.2", title="Mobile Assault")
def mobile_odds(
    ctx: Context,
    attack: Annotated[int, Whole(label="Attack strength", high=100)] = 0,
    defence: Annotated[int, Whole(label="Strength of the whole hex", high=200)] = 0,
    attacker_air: Annotated[bool, Flag(label="Attacker's Air Point")] = False,
    defender_air: Annotated[bool, Flag(label="Defender's Air Point")] = False,
    conditions: Annotated[
        tuple[str, ...], Choice(label="Conditions on your table", options=_others, many=True)
    ] = (),
    other: Annotated[int, Whole(label="Further modifier", low=-9, high=9)] = 0,
    terrain_cost: Annotated[
        int, Whole(label="Cost of the target hex", help="roads and railways ignored", high=9)
    ] = 1,
    mp_left: Annotated[int | None, Whole(label="Movement points left", high=30)] = None,
) -> Breakdown:
    """Odds, modifiers and movement cost of a Mobile Assault."""
    sheet = Breakdown("Mobile Assault", dice=D10, chart="ma-table")
    cost = 2 + terrain_cost
    sheet.add("movement: 2 and the hex", f"{cost} MP", "11.2")
    if mp_left is not None and mp_left < cost:
        sheet.warnings.append(f"{cost} MP are needed, {mp_left} are left: not possible [11.2]")
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
        amount = drm(ctx.game, condition) if ctx.game else None
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


def _needs_die(ctx: Context) -> bool:
    attack, defence = ctx.values.get("attack"), ctx.values.get("defence")
    if not isinstance(attack, int) or not isinstance(defence, int) or not attack or not defence:
        return True
    return attack >= defence


def _movers(ctx: Context) -> list[Unit]:
    return on_the_map(lambda g, u: u.side == g.active and is_mech(u))(ctx)


@rules.action(
    phase=MOVE_PHASES,
    by="active",
    rule="11.2",
    label="Mobile Assault",
    worksheet=mobile_odds,
    when=forbidden,
    primary=True,
)
def mobile_assault(
    game: Game,
    sheet: Breakdown,
    attack: Annotated[int, Whole(label="Attack strength", high=100)] = 0,
    defence: Annotated[int, Whole(label="Strength of the whole hex", high=200)] = 0,
    attacker_air: Annotated[bool, Flag(label="Attacker's Air Point")] = False,
    defender_air: Annotated[bool, Flag(label="Defender's Air Point")] = False,
    unit: Annotated[str, UnitRef(label="Attacking unit", pick=_movers)] = "",
    target: Annotated[str, HexId(label="Target hex")] = "",
    die: Annotated[Roll | None, Dice(spec=D10, purpose="Mobile Assault", when=_needs_die)] = None,
) -> Events:
    """Roll a Mobile Assault and hand out what follows."""
    if not attack or not defence:
        raise NotNow(
            "enter both strengths: the attacking unit's and the whole defending hex's", field="attack"
        )
    if sheet.warnings and "not possible" in sheet.warnings[0]:
        raise NotNow(sheet.warnings[0], field="mp_left")
    if unit and target:
        why = problem(game, game.units[unit], target)
        if why:
            raise NotNow(f"{label(game.units[unit])} {why}", field="unit", given=unit)
    origin = game.units[unit].place if unit else ""
    yield from _count_hexes(game, origin, target)
    yield from air.spend_air(game, game.active, int(attacker_air), int(defender_air), mobile=True)
    if unit:
        yield put_mark(game, unit, "ma-done", True, rule="11.2")
    if target and game["building-ma"] == "stops":
        yield from stop_building(game, target, game.other(game.active), "Mobile Assault")
    sheet.facts |= {"attacker": game.active, "unit": unit, "target": target, "combat": next_number(game)}
    held = [u for u in game.units_at(target) if u.side != game.active] if target else []
    yield from enlist(game, target, [game.units[unit]] if unit else [], held)
    if die is not None:
        _read(game, sheet, die.total)
    yield from rules.settle(game, "mobile-assault", sheet, (*game.sides, "table"), "11.26, 11.27")


def _count_hexes(game: Game, *hexes: str) -> Events:
    """11.24: a hex serves twice a phase as origin or target."""
    for h in filter(None, hexes):
        used = int(game.mark(h, "ma-count") or 0)
        if used >= 2:
            raise NotNow(f"{h} was origin or target of two Mobile Assaults this phase [11.24]", given=h)
        yield e.Marked(h, "ma-count", used + 1, rule="11.24")


def _read(game: Game, sheet: Breakdown, roll: int) -> None:
    final = roll + sheet.modifier
    sheet.roll = roll
    column = "below" if final < 0 else "above" if final > 9 else f"r{final}"
    line = table_line(game, int(sheet.facts["defence"]))
    sheet.result = str(line.get(column) or "").replace(" ", "") if line else ""
    if sheet.facts["blank"]:
        sheet.result = ""  # a modifier is missing, so the table is read by the players
    if not sheet.result:
        missing = f", and add {', '.join(sheet.facts['blank'])}" if sheet.facts["blank"] else ""
        sheet.read_chart = f"read your Mobile Assault Table: odds {sheet.column}, roll {final}{missing}"
        sheet.codes = ["Dr3", "D(1)r3", "AD", "A(1)D"]


def parse(result: str) -> tuple[int, int, bool, int]:
    """Defender's steps, defender's retreat, attacker Disorganized, attacker's steps."""
    found = RESULT.fullmatch(result.replace(" ", ""))
    if not found:
        return 0, 0, False, 0
    if result.startswith("D"):
        return int(found[1] or 0), int(found[2] or 0), False, 0
    return 0, 0, True, int(found[3] or found[4] or 0)


@rules.outcome("mobile-assault")
def mobile_outcome(game: Game, sheet: dict[str, Any], result: str) -> Events:
    """The attacker moves the retreating stack; AD stops and disorganizes him [11.26, 11.27]."""
    facts = sheet.get("facts", {})
    attacker = str(facts.get("attacker") or game.active)
    defender, unit, target = (
        game.other(attacker),
        str(facts.get("unit") or ""),
        str(facts.get("target") or ""),
    )
    number = int(facts.get("combat") or 0)
    steps, retreat, disorganized, own = parse(result)
    if retreat:
        where = f" from {target}" if target else ""
        text = f"{game.side_name(attacker)} moves the defenders{where} {retreat} hexes; no steps in exchange"
        yield e.Asked(
            f"ma-retreat-{game.revision}", to_side(game, attacker), text, "retreat-done", rule="11.26"
        )
        for static in [
            u for u in game.units_at(target) if u.side == defender and u.kind in ("ersatz", "fortress region")
        ]:
            text = f"{label(static)} cannot retreat: eliminate it"
            args = {"unit": static.id}
            yield e.Asked(
                f"static-{static.id}-{game.revision}",
                to_side(game, defender),
                text,
                "eliminate-unit",
                args,
                rule="20.1, 27.4",
            )
    if steps:
        args2: dict[str, Any] = {"side": defender, "steps": steps, "combat": number, "role": "D"}
        text = f"{game.side_name(defender)}: lose {steps} step(s)"
        yield e.Asked(
            f"ma-loss-{game.revision}", to_side(game, defender), text, "take-losses", args2, rule="11.26"
        )
    if disorganized:
        if unit:
            yield put_mark(game, unit, "disorganized", True, rule="11.27")
        else:
            yield e.Noted("the attacking unit stops and is Disorganized", rule="11.27")
    if own:
        args3: dict[str, Any] = {"side": attacker, "steps": own, "combat": number, "role": "A", "first": True}
        text = f"{game.side_name(attacker)}: lose {own} step(s) of the attacking unit"
        yield e.Asked(
            f"ma-own-{game.revision}", to_side(game, attacker), text, "take-losses", args3, rule="11.27"
        )


@rules.action(by="any", rule="11.26", label="Retreat done", group="hidden")
def retreat_done(game: Game) -> Events:
    """The stack was moved on the map."""
    yield e.Noted("retreat after the Mobile Assault done; the attacker may move in and go on", rule="11.2")


@rules.action(
    phase=MOVE_PHASES, by="any", rule="11.2", label="Strength for a Mobile Assault", secret=True, group="hand"
)
def mobile_strength(
    game: Game,
    chance: Chance,
    units: Annotated[tuple[str, ...], UnitRef(label="Your units in it", many=True, pick=on_the_map())],
    target: Annotated[str, HexId(label="Target hex")] = "",
    seat: str = "",
) -> Events:
    """Draw the chits still needed and tell the table your total: one attacking unit, or the whole defending hex."""
    chosen = [game.units[name] for name in units]
    role = "attack" if seat == game.active else "defence"
    for unit in chosen:
        if chits.needs_chit(game, unit):
            yield from chits.draw(game, unit, chance)
    sheet = add_up(game, chosen, role, target, seat, mobile=True)
    if not sheet.facts["complete"]:
        raise NotNow("look under your counters and say the total aloud", field="units")
    sheet.title = f"{game.side_name(seat)} strength in the Mobile Assault"
    yield e.Resolved("strength", sheet.to_json(), sheet.result, only=(seat,))
    yield e.Noted(
        f"{game.side_name(seat)} strength in the Mobile Assault: {sheet.facts['total']}", rule="11.2"
    )


@rules.action(phase=MOVE_PHASES, by="active", rule="7.26", label="Crossed a Major River", group="units")
def river_crossing(
    game: Game,
    units: Annotated[
        tuple[str, ...], UnitRef(label="Units", many=True, pick=on_the_map(lambda g, u: u.side == g.active))
    ],
) -> Events:
    """Note units that crossed a Major River into an enemy zone: they must attack in the combat phase."""
    for name in units:
        yield put_mark(game, name, "must-attack", True, rule="7.26")


@rules.leaving("axis-combat")
@rules.leaving("soviet-combat")
def tidy_combat(game: Game) -> Events:
    """11.28: Disorganized comes off; 7.26: a crossing that did not attack goes back."""
    side = AXIS if game.phase == "axis-combat" else SOVIET
    for name in list(game.marked("disorganized")):
        if game.units[name].side == side:
            yield put_mark(game, name, "disorganized", None, reason="combat phase over", rule="11.28")
    for name in list(game.marked("must-attack")):
        if game.units[name].side == side:
            yield put_mark(game, name, "must-attack", None, rule="7.26")
            if side == AXIS:
                yield e.Noted(
                    f"{label(game.units[name])} did not attack: it retreats over the river", rule="7.26"
                )
