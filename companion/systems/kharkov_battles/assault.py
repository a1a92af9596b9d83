"""Prepared Assault [12.0]: odds, terrain line, every shift with its rule, automatic results."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import Mistake, NotNow
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Dice, Flag, HexId, Roll, Whole
from companion.engine.play.worksheet import Breakdown, chances, look_up
from companion.engine.record import events as e
from companion.engine.record.changes import BY_SEQUENCE
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import air, ground
from companion.systems.kharkov_battles.asking import announced, no_air, no_tigers, told
from companion.systems.kharkov_battles.base import COMBAT_PHASES, D10, fall_blau, rules, tick
from companion.systems.kharkov_battles.designate import attackers_of, defenders_of, target_hexes
from companion.systems.kharkov_battles.forces import enlist, next_number
from companion.systems.kharkov_battles.odds import AUTOMATIC, COLUMNS, column_of, ladder, on_table, shifted
from companion.systems.kharkov_battles.strength import freeze_unknown, river_effect
from companion.systems.kharkov_battles.units import fortified

LINES = ("clear", "woods", "high woods", "marsh", "mountain", "town", "city")
RARE_LINES = ("high woods", "mountain")
"""Fall Blau's maps only."""
RIVERS = (
    ("none", "no, or some over Minor"),
    ("minor", "all over Minor"),
    ("mixed", "all over Minor or Major"),
    ("major", "all over Major"),
    ("some", "some over Major"),
)


def _lines(ctx: Context) -> list[tuple[str, str]]:
    """The terrain lines to choose from; a town is a shift, not a line [12.34]."""
    game = ctx.game
    if game is None:
        return [(t, t.capitalize()) for t in LINES]
    here = terrain_line(game, str(ctx.values.get("target") or ""))
    rare = RARE_LINES if not fall_blau(game) else ()
    return [(t, t.capitalize()) for t in LINES if t == here or t not in (*rare, "town")]


def terrain_line(game: Game, target: str) -> str:
    """The line a hex is read on: a city is one of its own [12.45]."""
    if ground.size(game, target) == "city":
        return "city"
    return ground.terrain(game, target) or "clear"


def _open_ground(ctx: Context) -> bool:
    return ctx.game is not None and ctx.values.get("terrain") != "city"


def _in_city(ctx: Context) -> bool:
    return ctx.values.get("terrain") == "city"


def _place(ctx: Context) -> str:
    game, target = ctx.game, ctx.values.get("target")
    return ground.size(game, str(target)) if game is not None and target else ""


def _fortified(ctx: Context) -> bool:
    game, target = ctx.game, str(ctx.values.get("target") or "")
    return game is not None and bool(target) and fortified(game, target, game.other(game.active))


def _ca_denied(ctx: Context, river: str, band_crosses: bool) -> bool:
    """12.45: no bonus across a Major River; who must cross is a reading."""
    reading = ctx.game["ca-river"] if ctx.game is not None else "band"
    if river == "major":
        return True
    if river not in ("mixed", "some"):
        return False
    return reading == "any" or (reading == "band" and band_crosses)


TARGET = Annotated[str, HexId(label="Hex under attack", quiet=told("target"))]
ATTACK = Annotated[
    int,
    Whole(
        label="Attack strength",
        help="after halving and doubling",
        high=400,
        start=announced("attack-total"),
        quiet=told("attack-total"),
    ),
]
DEFENCE = Annotated[
    int,
    Whole(
        label="Defence strength",
        help="after halving and doubling",
        high=400,
        start=announced("defence-total"),
        quiet=told("defence-total"),
    ),
]
ATTACK_AIR = Annotated[int, Whole(label="Attacker's Air Points", high=2, quiet=no_air(True))]
DEFENCE_AIR = Annotated[int, Whole(label="Defender's Air Points", high=1, quiet=no_air(False))]


@rules.worksheet(rule="12.0", title="Prepared Assault")
def prepared_assault(
    ctx: Context,
    target: TARGET = "",
    attack: ATTACK = 0,
    defence: DEFENCE = 0,
    terrain: Annotated[
        str,
        Choice(
            label="Terrain line",
            options=_lines,
            start=lambda c: terrain_line(c.game, str(c.values.get("target") or "")) if c.game else "clear",
        ),
    ] = "clear",
    town: Annotated[
        bool,
        Flag(
            label="Town in the hex",
            start=lambda c: _place(c) == "town",
            quiet=_in_city,
        ),
    ] = False,
    city: Annotated[bool, Flag(label="In a city", hidden=True)] = False,
    river: Annotated[str, Choice(label="Do they attack over a river?", options=RIVERS)] = "none",
    attacker_air: ATTACK_AIR = 0,
    defender_air: DEFENCE_AIR = 0,
    combined: Annotated[bool, Flag(label="Attacker has Combined Arms")] = False,
    combined_defence: Annotated[
        bool, Flag(label="Defender has Combined Arms too", quiet=lambda c: not c.values.get("combined"))
    ] = False,
    band_crosses: Annotated[
        bool,
        Flag(
            label="The armoured unit crosses the Major River",
            when=lambda c: c.values.get("river") in ("mixed", "some"),
        ),
    ] = False,
    encircled: Annotated[bool, Flag(label="Defender encircled", quiet=_in_city)] = False,
    fz: Annotated[
        bool,
        Flag(
            label="Defender in a Fortified Zone",
            start=_fortified,
        ),
    ] = False,
    rubble: Annotated[
        bool,
        Flag(
            label="Rubble",
            start=lambda c: bool(c.game and c.game.mark(str(c.values.get("target") or ""), "rubble")),
            quiet=_open_ground,
        ),
    ] = False,
    tigers: Annotated[int, Whole(label="Tigers attacking", high=6, quiet=no_tigers(True))] = 0,
    tigers_defence: Annotated[int, Whole(label="Tigers defending", high=6, quiet=no_tigers(False))] = 0,
    several_hexes: Annotated[bool, Flag(label="Defenders in several hexes", quiet=told("target"))] = False,
) -> Breakdown:
    """Work out the final odds of a Prepared Assault, shift by shift."""
    game = ctx.game
    if not attack or not defence:
        raise NotNow("enter both strengths; each is at least 1 [2.7]", field="attack")
    city = city or terrain == "city"
    sheet = Breakdown("Prepared Assault" + (f" on {target}" if target else ""), dice=D10, chart="crt")
    columns = ladder(game)
    start = column_of(attack, defence, columns)
    sheet.add(f"{attack} : {defence}, rounded for the defender", start, "12.0")
    sheet.shift("attacker's Air Points", attacker_air, "5.21")
    sheet.shift("defender's Air Point", -defender_air, "5.21")
    if combined:
        if combined_defence:
            sheet.add("Combined Arms denied: the defender has it too", 0, "12.44")
        elif fz or city:
            sheet.add("no Combined Arms against a Fortified Zone or city", 0, "12.45")
        elif _ca_denied(ctx, river, band_crosses):
            sheet.add("no Combined Arms across a Major River", 0, "12.45")
        else:
            sheet.shift("Combined Arms", 1, "12.43")
    if encircled:
        if city or several_hexes:
            sheet.add("no Encirclement Bonus here", 0, "12.5")
        else:
            sheet.shift("Encirclement", 1, "12.5")
    if river in ("minor", "mixed"):
        if game is None or river_effect(game, "minor river"):
            sheet.shift("all attackers over rivers", -1, "12.32")
        else:
            sheet.add("frozen river", 0, "19.23")
        if game is not None and freeze_unknown(game, "minor river"):
            sheet.warnings.append(
                "Freeze: your Terrain Effects Chart says whether the river still counts [12.32]"
            )
    sheet.shift("town", -int(town), "12.34")
    sheet.shift("Fortified Zone", -int(fz), "18.11")
    sheet.shift("Rubble", -int(rubble), "5.44")
    sheet.shift("Tigers attacking", tigers, "15.3")
    sheet.shift("Tigers defending", -tigers_defence, "15.3")
    sheet.column = on_table(shifted(start, sheet.modifier, columns))
    sheet.add(f"{terrain} line", sheet.column, "12.0")
    sheet.facts = {
        "start": start,
        "final": sheet.column,
        "terrain": terrain,
        "target": target,
        "encircled": encircled,
    }
    if sheet.column in AUTOMATIC:
        sheet.result = AUTOMATIC[sheet.column]
        sheet.dice = ""
        sheet.add("no die at this end of the table", sheet.result, "12.64")
        sheet.chances = {sheet.result: 1.0}
    elif game is not None:
        read = game.chart("lines").cell(terrain, sheet.column).value
        sheet.facts["read"] = read
        if read in COLUMNS:
            found = chances(game.chart("crt"), read, D10, str)
            sheet.chances = found if len(found) > 1 else {}
    return sheet


def _needs_die(ctx: Context) -> bool:
    """A die is rolled unless the odds settle it [12.64]."""
    try:
        return not prepared_assault.answer(ctx.values, ctx).result
    except (TypeError, KeyError, Mistake):
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
    city: Annotated[bool, Flag(label="In a city", hidden=True)] = False,
    target: TARGET = "",
    attack: ATTACK = 0,
    defence: DEFENCE = 0,
    die: Annotated[Roll | None, Dice(spec=D10, purpose="Prepared Assault", when=_needs_die)] = None,
) -> Events:
    """Roll the die, read the table, and hand out what follows."""
    yield from air.spend_air(game, game.active, attacker_air, defender_air)
    if die is not None:
        sheet.roll = die.total
        _read(game, sheet, die.total)
    sheet.facts |= {"attacker": game.active, "combat": next_number(game)}
    yield from enlist(game, target, attackers_of(game, target), defenders_of(game, target) if target else ())
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
