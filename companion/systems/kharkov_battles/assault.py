"""Prepared Assault [12.0]: odds, terrain line, every shift with its rule, automatic results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Annotated, Any

from companion.engine.errors import Mistake, NotNow
from companion.engine.forms.fields import Context, Dice, Roll
from companion.engine.forms.worksheet import Breakdown, Line, chances, look_up
from companion.engine.play.actions import Events
from companion.engine.play.duties import engage, learn, leave
from companion.engine.record.battle import Battle
from companion.engine.record.changes import BY_SEQUENCE, put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import air, fighting, known
from companion.systems.kharkov_battles.assault_form import AssaultForm, with_record
from companion.systems.kharkov_battles.base import COMBAT_PHASES, D10, Objection, rules
from companion.systems.kharkov_battles.battles import (
    MOBILE,
    PREPARED,
    bystanders,
    designated,
    kind_of,
    target_of,
)
from companion.systems.kharkov_battles.command import wake
from companion.systems.kharkov_battles.designate import against, reached_by
from companion.systems.kharkov_battles.idle import offer_choice
from companion.systems.kharkov_battles.odds import AUTOMATIC, COLUMNS, ladder, on_table
from companion.systems.kharkov_battles.results import in_words, parse
from companion.systems.kharkov_battles.strength import freeze_unknown, river_effect
from companion.systems.kharkov_battles.units import is_unknown, label
from companion.systems.kharkov_battles.works import stop_building


@rules.worksheet(rule="12.0", title="Prepared Assault")
def prepared_assault(ctx: Context, form: AssaultForm) -> Breakdown:
    """Work out the final odds of a Prepared Assault, shift by shift."""
    if not form.attack or not form.defence:
        raise NotNow("enter both strengths; each is at least 1", field="attack", rule="2.7")
    form = with_record(ctx, form)
    title = f"Prepared Assault on {form.target}" if form.target else "Prepared Assault"
    sheet = Breakdown(title, dice=D10, chart="crt")
    columns = ladder(ctx.game)
    start = columns.at(form.attack, form.defence)
    sheet.add(f"{form.attack} : {form.defence}, rounded for the defender", start, "12.0")
    sheet.shift("attacker's Air Points", form.attacker_air, "5.21")
    sheet.shift("defender's Air Point", -form.defender_air, "5.21")
    _combined_arms(ctx.game, sheet, form)
    _encirclement(sheet, form)
    _rivers(ctx.game, sheet, form)
    _shelter_and_tigers(sheet, form)
    sheet.column = on_table(columns.shifted(start, sheet.modifier))
    sheet.add(f"{form.terrain} line", sheet.column, "12.0")
    _untold(ctx, sheet, form)
    sheet.modifier = 0  # the column is the shifted one: nothing is left to be added
    sheet.facts = {
        "start": start,
        "final": sheet.column,
        "terrain": form.terrain,
        "target": form.target,
        "encircled": form.encircled,
        "attacker_air": form.attacker_air,
    }
    _look_ahead(ctx.game, sheet)
    return sheet


def _untold(ctx: Context, sheet: Breakdown, form: AssaultForm) -> None:
    """Counters of which only the name is on record bring nothing that hangs on their type [12.43, 14.2, 15.3]."""
    field = known.field_of(known.having(ctx, form.target))
    unknown = [label(u) for u in (*field.force, *field.held) if is_unknown(ctx.game, u)]
    if unknown:
        words = "Combined Arms, winter bonus and Tigers are not counted"
        sheet.warnings.append(f"{', '.join(unknown)}: type not told, so {words} [12.43, 14.2, 15.3]")


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


def _shelter_and_tigers(sheet: Breakdown, form: AssaultForm) -> None:
    """A column for each thing that shelters the defender [5.44, 12.34, 18.11], and for each Tiger [15.3]."""
    sheet.shift("town", -int(form.town), "12.34")
    sheet.shift("Fortified Zone", -int(form.fz), "18.11")
    sheet.shift("Rubble", -int(form.rubble), "5.44")
    sheet.shift("Tigers attacking", form.tigers, "15.3")
    sheet.shift("Tigers defending", -form.tigers_defence, "15.3")


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


def _asks_for_air(game: Game) -> bool:
    """Whether the defender says first whether an Air Point helps him [5.21]."""
    return bool(game.active) and fighting.most_air(game, game.other(game.active), False, False) > 0


def _needs_die(ctx: Context) -> bool:
    """A die is rolled unless the odds settle it [12.64], and not before the defender has said what flies [5.21]."""
    if ctx.duty is None and _asks_for_air(ctx.game):
        return False
    try:
        return not prepared_assault.answer(ctx.values, ctx).result
    except (KeyError, Mistake):
        return True


Die = Annotated[Roll | None, Dice(spec=D10, purpose="Prepared Assault", when=_needs_die)]


@rules.sheet_of_battle
def before_the_roll(game: Game, battle: Battle, seat: str) -> Breakdown | None:
    """How a battle stands once both strengths are announced, for everybody [12.0]."""
    action = "roll-mobile" if kind_of(battle) == MOBILE else "roll-assault"
    duty = next(iter(game.duties(battle, action)), None)
    form = battle.facts.get("form", {})
    if duty is None or not form.get("attack"):
        return None
    if not form.get("defence"):
        return Breakdown(battle.title, column=f"{form['attack']} : ?")
    sheet = rules.actions[action].worksheet
    assert sheet is not None
    ctx = Context(game, seat, duty=duty)
    values = {**sheet.defaults, **ctx.told}
    found = sheet.answer(values, ctx.having(values))
    start = str(found.facts.get("start") or found.column)
    shifted = "" if start == found.column else f" \u2192 {found.column}"
    return replace(found, column=f"{form['attack']} : {form['defence']} = {start}{shifted}")


# -- rolling -----------------------------------------------------------------------------------------------


def _warnings(ctx: Context) -> Iterator[Objection]:
    target = str(ctx.values.get("target") or "")
    if target:
        yield from (why for why in against(ctx.game, [target], []) if "designated before" not in why.words)


@rules.action(
    phase=COMBAT_PHASES,
    by="active",
    rule="12.0",
    label="Resolve an assault, totals typed in",
    worksheet=prepared_assault,
    order=1,
    warns=_warnings,
)
def resolve_assault(game: Game, sheet: Breakdown, form: AssaultForm, die: Die = None) -> Events:
    """Fight one attack with totals typed in; where the defender has Air Points he is asked before the die."""
    side, target = game.active, form.target
    if target and designated(game, target):
        words = f"the attack on {target} is designated: fight it from its own card"
        raise NotNow(words, field="target", given=target, rule="12.0")
    if form.defender_air:
        raise NotNow("the defender commits his own Air Point", field="defender_air", rule="5.21")
    held = [u.id for u in game.units_at(target) if u.side != side] if target else []
    told = {f.name: getattr(form, f.name) for f in fields(AssaultForm)}
    del told["attacker_air"], told["defender_air"], told["more"]
    title = f"Attack on {target}" if target else "Attack"
    battle = yield from engage(
        game, title, side, [target] if target else [], {side: (), game.other(side): held}, "12.0",
        kind=PREPARED, begun=True, form=told,
    )  # fmt: skip
    yield from leave(game)
    yield from wake(game, [game.units[n] for n in held])
    if target:
        yield from stop_building(game, target, game.other(side), "attacked")
    yield from _spend(game, battle, form.attacker_air)
    if _asks_for_air(game):
        yield from fighting.go_on(game, game.battles[battle.id])
    else:
        yield from _fight(game, game.battles[battle.id], sheet, die)


def _spend(game: Game, battle: Battle, points: int) -> Events:
    most = fighting.most_air(game, battle.attacker, True, False)
    if points > most:
        text = f"at most {most} of {game.side_name(battle.attacker)}'s Air Points can support this attack"
        raise NotNow(text, field="attacker_air", given=points, rule="5.21")
    yield from fighting.commit(game, battle, battle.attacker, points)


@rules.follow_up(rule="12.0", label="Roll", worksheet=prepared_assault, declined=fighting.on_the_map)
def roll_assault(game: Game, battle: Battle, sheet: Breakdown, die: Die = None) -> Events:
    """Roll for the attack that stands."""
    yield from _fight(game, battle, sheet, die)


def _fight(game: Game, battle: Battle, sheet: Breakdown, die: Roll | None) -> Events:
    """Roll the die, read the table, and hand out what follows."""
    if die is not None:
        sheet.roll = die.total
        _read(game, sheet, die.total)
    facts: dict[str, Any] = {"encircled": sheet.facts["encircled"], "beside": bystanders(game, battle)}
    battle = yield from learn(game, battle, reached=reached_by(game, battle), **facts)
    for name in battle.units(battle.attacker):
        if name in game.marked("must-attack"):
            yield put_mark(game, name, "must-attack", None, reason=BY_SEQUENCE, rule="7.26")
    in_city = sheet.facts["terrain"] == "city"
    yield from air.rubble(game, int(sheet.facts["attacker_air"]), target_of(battle), in_city)
    if sheet.result:
        sides = {"A": battle.attacker, "D": battle.defender}
        sheet.effects = [
            Line(in_words(s, game.side_name(sides[s.role])), "", "12.6") for s in parse(sheet.result)
        ]
    yield from rules.settle(game, "prepared-assault", sheet, (*game.sides, "table"), "12.6", battle)
    yield from offer_choice(game, battle)


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
