"""Prepared Assault [12.0]: odds, terrain line, every shift with its rule, automatic results."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import Mistake, NotNow
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context, Dice, Roll
from companion.engine.play.worksheet import Breakdown, chances, look_up
from companion.engine.record import events as e
from companion.engine.record.changes import BY_SEQUENCE
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import air
from companion.systems.kharkov_battles.assault_form import (
    ATTACK_AIR,
    DEFENCE_AIR,
    IN_CITY,
    TARGET,
    AssaultForm,
)
from companion.systems.kharkov_battles.base import COMBAT_PHASES, D10, rules, tick
from companion.systems.kharkov_battles.forces import enlist, next_number
from companion.systems.kharkov_battles.odds import (
    AUTOMATIC,
    COLUMNS,
    column_of,
    ladder,
    on_table,
    shifted,
)
from companion.systems.kharkov_battles.strength import freeze_unknown, river_effect
from companion.systems.kharkov_battles.targets import attackers_of, defenders_of, target_hexes


@rules.worksheet(rule="12.0", title="Prepared Assault")
def prepared_assault(ctx: Context, form: AssaultForm) -> Breakdown:
    """Work out the final odds of a Prepared Assault, shift by shift."""
    if not form.attack or not form.defence:
        raise NotNow("enter both strengths; each is at least 1", field="attack", rule="2.7")
    title = f"Prepared Assault on {form.target}" if form.target else "Prepared Assault"
    sheet = Breakdown(title, dice=D10, chart="crt")
    columns = ladder(ctx.game)
    start = column_of(form.attack, form.defence, columns)
    sheet.add(f"{form.attack} : {form.defence}, rounded for the defender", start, "12.0")
    sheet.shift("attacker's Air Points", form.attacker_air, "5.21")
    sheet.shift("defender's Air Point", -form.defender_air, "5.21")
    _combined_arms(ctx.game, sheet, form)
    _encirclement(sheet, form)
    _rivers(ctx.game, sheet, form)
    sheet.shift("town", -int(form.town), "12.34")
    sheet.shift("Fortified Zone", -int(form.fz), "18.11")
    sheet.shift("Rubble", -int(form.rubble), "5.44")
    sheet.shift("Tigers attacking", form.tigers, "15.3")
    sheet.shift("Tigers defending", -form.tigers_defence, "15.3")
    sheet.column = on_table(shifted(start, sheet.modifier, columns))
    sheet.add(f"{form.terrain} line", sheet.column, "12.0")
    sheet.facts = {
        "start": start,
        "final": sheet.column,
        "terrain": form.terrain,
        "target": form.target,
        "encircled": form.encircled,
    }
    _look_ahead(ctx.game, sheet)
    return sheet


def _combined_arms(game: Game, sheet: Breakdown, form: AssaultForm) -> None:
    """One column for Combined Arms [12.43], unless the defender has it [12.44] or the ground denies it [12.45]."""
    if not form.combined:
        return
    if form.combined_defence:
        sheet.add("Combined Arms denied: the defender has it too", 0, "12.44")
    elif form.fz or form.in_city:
        sheet.add("no Combined Arms against a Fortified Zone or city", 0, "12.45")
    elif _arms_stay_behind(game, form):
        sheet.add("no Combined Arms across a Major River", 0, "12.45")
    else:
        sheet.shift("Combined Arms", 1, "12.43")


def _arms_stay_behind(game: Game, form: AssaultForm) -> bool:
    """No bonus across a Major River; who must cross is a reading [12.45]."""
    if form.river not in ("mixed", "some"):
        return form.river == "major"
    return bool(game["ca-river"] == "any" or (game["ca-river"] == "band" and form.band_crosses))


def _encirclement(sheet: Breakdown, form: AssaultForm) -> None:
    """One column against an encircled stack, not in a city, not over several hexes [12.5]."""
    if not form.encircled:
        return
    if form.in_city or form.several_hexes:
        sheet.add("no Encirclement Bonus here", 0, "12.5")
    else:
        sheet.shift("Encirclement", 1, "12.5")


def _rivers(game: Game, sheet: Breakdown, form: AssaultForm) -> None:
    """A column to the left when all attack over rivers [12.32], if Freeze leaves them in force [19.23]."""
    if form.river not in ("minor", "mixed"):
        return
    if river_effect(game, "minor river"):
        sheet.shift("all attackers over rivers", -1, "12.32")
    else:
        sheet.add("frozen river", 0, "19.23")
    if freeze_unknown(game, "minor river"):
        text = "Freeze: your Terrain Effects Chart says whether the river still counts [12.32]"
        sheet.warnings.append(text)


def _look_ahead(game: Game, sheet: Breakdown) -> None:
    """What the odds settle by themselves [12.64], else the chances along the terrain line."""
    if sheet.column in AUTOMATIC:
        sheet.result = AUTOMATIC[sheet.column]
        sheet.dice = ""
        sheet.add("no die at this end of the table", sheet.result, "12.64")
        sheet.chances = {sheet.result: 1.0}
        return
    read = game.chart("lines").cell(sheet.facts["terrain"], sheet.column).value
    sheet.facts["read"] = read
    if read in COLUMNS:
        found = chances(game.chart("crt"), read, D10, str)
        sheet.chances = found if len(found) > 1 else {}


def _needs_die(ctx: Context) -> bool:
    """A die is rolled unless the odds settle it [12.64]."""
    try:
        return not prepared_assault.answer(ctx.values, ctx).result
    except (KeyError, Mistake):
        return True


@rules.action(
    phase=COMBAT_PHASES,
    by="active",
    rule="12.0",
    label="Resolve an assault",
    worksheet=prepared_assault,
    order=1,
)
def resolve_assault(
    game: Game,
    sheet: Breakdown,
    attacker_air: ATTACK_AIR = 0,
    defender_air: DEFENCE_AIR = 0,
    city: IN_CITY = False,
    target: TARGET = "",
    die: Annotated[Roll | None, Dice(spec=D10, purpose="Prepared Assault", when=_needs_die)] = None,
) -> Events:
    """Roll the die, read the table, and hand out what follows."""
    yield from air.spend_air(game, game.active, attacker_air, defender_air)
    if die is not None:
        sheet.roll = die.total
        _read(game, sheet, die.total)
    sheet.facts |= {"attacker": game.active, "combat": next_number(game)}
    yield from enlist(game, attackers_of(game, target), defenders_of(game, target) if target else ())
    yield from clear_designation(game, target)
    yield from air.rubble(game, attacker_air, target, city or sheet.facts["terrain"] == "city")
    yield from rules.settle(game, "prepared-assault", sheet, (*game.sides, "table"), "12.6")


def _read(game: Game, sheet: Breakdown, roll: int) -> None:
    """Look the result up along the terrain line; a blank line or cell is read off the printed table."""
    read = str(sheet.facts.get("read") or "")
    odds = sheet.column
    if read in AUTOMATIC:
        sheet.result = AUTOMATIC[read]
        return
    if not read:
        sheet.chart, sheet.row = "crt", str(roll)
        sheet.codes = game.chart("crt").known_values()
        sheet.read_chart = f"read your table: {sheet.facts['terrain']} line, {odds}, roll {roll}"
        return
    sheet.column = read
    look_up(sheet, game.chart("crt"), str(roll))
    sheet.column = odds
    if sheet.read_chart:
        sheet.read_chart = f"read your table: {sheet.facts['terrain']} line, {odds}, roll {roll}"


def clear_designation(game: Game, target: str) -> Events:
    """The combat is under way: its markers come off, its hex has been attacked [12.0]."""
    if not target:
        return
    hexes = target_hexes(game, target)
    for unit in attackers_of(game, target):
        for marker in ("pa", "must-attack"):
            if game.mark(unit.id, marker) is not None:
                yield e.Marked(unit.id, marker, None, reason=BY_SEQUENCE, rule="12.6")
    for marker in ("target", "attack-total", "defence-total", "attack-air", "defence-air"):
        if game.mark(target, marker) is not None:
            yield e.Marked(target, marker, None, reason=BY_SEQUENCE, rule="12.6")
    for h in hexes:
        yield tick(game, f"{game.phase}/attacked/{h}")
