"""The combat worksheet and its roll: strengths, odds, armour, column [9.2-9.5, B10.3, B11]."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any

from companion.engine.errors import NotNow
from companion.engine.kit.chart import Chart
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context, Dice, Roll
from companion.engine.play.worksheet import Breakdown, chances, look_up
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import phases, rules
from companion.systems.panzer_keil.battle import Battle, assemble, doubts
from companion.systems.panzer_keil.form import CombatForm
from companion.systems.panzer_keil.odds import (
    COLUMNS,
    HINDRANCES,
    armour_shift,
    column,
    half_down,
    half_up,
    odds,
    rank,
)
from companion.systems.panzer_keil.results import RESULTS, over_river

CODES = [code for code in RESULTS if code != "AE"]


@rules.worksheet(rule="9.2-9.5, B11", title="Combat")
def combat(ctx: Context, form: CombatForm) -> Breakdown:
    """Strengths, odds and column of an attack. Empty fields are read off the record where it tells."""
    return work_out(ctx.game, assemble(ctx.game, form))


def work_out(game: Game, battle: Battle) -> Breakdown:
    """The sheet of a battle before its roll."""
    where = battle.target
    sheet = Breakdown(f"{battle.side.capitalize()} attack on {where}" if where else "Combat", dice="1d6")
    _attack_lines(sheet, battle, game["oos-halving"])
    _defence_lines(sheet, battle)
    sheet.warnings += doubts(game, battle)
    _armour_lines(sheet, game, battle)
    ratio = odds(battle.strength, battle.defence, game["odds-below"])
    sheet.add(f"odds {_show(battle.strength)} to {battle.defence}", ratio, "9.3")
    _column_lines(sheet, game, battle, ratio)
    if battle.attack.major:
        sheet.add("major river: one worse for the attacker, advance of one hex", "", "B10.3")
    sheet.facts = _facts(battle, ratio)
    return sheet


def _facts(battle: Battle, ratio: str) -> dict[str, Any]:
    """What the follow-ups of the battle need to know."""
    return {
        "side": battle.side,
        "attack": _show(battle.strength),
        "defence": battle.defence,
        "odds": ratio,
        "target": battle.target,
        "attackers": list(battle.attackers),
        "crossers": list(battle.crossers),
        "defenders": list(battle.defenders),
        "major": bool(battle.attack.major),
        "all_major": battle.attack.all_major,
        "values": battle.worths,
    }


def _show(strength: Fraction | int) -> str:
    whole, rest = divmod(Fraction(strength), 1)
    return f"{whole} 1/2" if rest else str(whole)


def _attack_lines(sheet: Breakdown, battle: Battle, oos_halving: str) -> None:
    attack = battle.attack
    if attack.full:
        sheet.add("attack", str(sum(attack.full)), "9.2")
    for cause in HINDRANCES:
        stacks = attack.by(cause)
        if stacks:
            exact = cause.unrounded and oos_halving == "exact"
            halved = _show(Fraction(sum(stacks), 2)) if exact else str(half_down(stacks))
            sheet.add(f"{cause.words}: {' and '.join(map(str, stacks))} halved", halved, cause.rule)
    if battle.concentric:
        sheet.add("concentric attack: doubled", _show(battle.strength), "B11.2")


def _defence_lines(sheet: Breakdown, battle: Battle) -> None:
    if battle.strong:
        sheet.add("defence", str(battle.strong), "9.2")
    if battle.weak:
        sheet.add(f"disrupted defenders: {battle.weak} halved", str(half_up(battle.weak)), "9.2.5")


def _armour_lines(sheet: Breakdown, game: Game, battle: Battle) -> None:
    shift = armour_shift(battle.armour, game["river-armour"], game["grenadiers-cancel"])
    for reason in shift.why:
        sheet.add(reason.label, f"{shift.by:+d}" if reason.counts else "", reason.rule)
    sheet.modifier = shift.by


def _column_lines(sheet: Breakdown, game: Game, battle: Battle, ratio: str) -> None:
    """The column that the odds and the armour lead to, in the chart for army and ground [9.5.1, B11.1]."""
    place = "clear" if battle.armour.clear else "other"
    sheet.chart = f"crt-{battle.die}-{place}"
    sheet.add(f"{battle.die.capitalize()} die column, {place} ground", "", "9.5.1, B11.1")
    chart = game.chart(sheet.chart)
    low, high, printed = _ends(game, chart, place)
    sheet.column = column(ratio, sheet.modifier, low, high)
    if not printed and not rank(low) <= rank(ratio) <= rank(high):
        end = low if rank(ratio) < rank(low) else high
        sheet.warnings.append(
            f"{ratio} is beyond {end}, where your table is taken to end; enter its first and last odds "
            "in the chart book [9.5.1]"
        )
    if _filled(chart):
        sheet.chances = chances(chart, sheet.column, "1d6", str)


def _ends(game: Game, chart: Chart, place: str) -> tuple[str, str, bool]:
    """The ends of the odds, and whether they are printed ones: the owner's list, his filled columns, the whole frame."""
    filled = _filled(chart) or COLUMNS
    row: Mapping[str, Any] = game.book.tables.get("crt-ends", {}).get(place, {})
    lowest, highest = str(row.get("lowest") or ""), str(row.get("highest") or "")
    return lowest or filled[0], highest or filled[-1], bool(lowest and highest)


def _filled(chart: Chart) -> list[str]:
    columns = {c for (_, c), cell in chart.cells.items() if cell}
    return sorted(columns, key=rank)


@rules.action(
    phase=phases("combat"),
    by="active",
    rule="9",
    worksheet=combat,
    label="Resolve a combat",
    primary=True,
)
def resolve_combat(
    game: Game,
    sheet: Breakdown,
    die: Annotated[Roll, Dice(label="Die", spec="1d6", purpose="combat")],
) -> Events:
    """Work out the odds, roll, and set off what the result demands."""
    if sheet.facts["side"] != game.active:
        raise NotNow(
            f"this is the {game.side_name(game.active)} combat phase",
            field="side",
            given=sheet.facts["side"],
            rule="9.1",
        )
    sheet.roll = die.total
    look_up(sheet, game.chart(sheet.chart), str(die.total))
    if sheet.read_chart:
        sheet.codes = CODES
    if sheet.result and sheet.facts["major"] and over_river(sheet.result) != sheet.result:
        sheet.warnings.append(
            f"over the major river {sheet.result} becomes {over_river(sheet.result)} [B10.3.1]"
        )
    yield from rules.settle(game, "combat", sheet, (game.active, "table"), rule="9.5")
