"""The combat worksheet and its roll: strengths, odds, armour, column [9.2-9.5, B10.3, B11]."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from fractions import Fraction
from typing import Annotated, Any

from companion.engine.forms.fields import Context, Dice, Roll
from companion.engine.forms.worksheet import Breakdown, Line, chances, look_up
from companion.engine.kit.chart import Chart
from companion.engine.play.actions import Events
from companion.engine.play.duties import engage, leave
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import read_off
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import exhausted, fought_now, phases, rules
from companion.systems.panzer_keil.fight import Fight, assemble, doubts, faults, unsaid
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
from companion.systems.panzer_keil.results import RESULTS

KEPT = ("crossers", "major", "all_major", "values", "defence", "halved", "concentric")
"""The facts of a battle that its follow-ups need."""


@rules.worksheet(rule="9.2-9.5, B11", title="Combat")
def combat(ctx: Context, form: CombatForm) -> Breakdown:
    """Strengths, odds and column of an attack. Empty fields are read off the record where it tells."""
    game = ctx.game
    fight = assemble(game, form)
    where = fight.target
    title = f"{game.side_name(fight.side)} attack"
    sheet = Breakdown(f"{title} on {where}" if where else title, dice="1d6")
    _attack_lines(sheet, fight, game["oos-halving"])
    _defence_lines(sheet, fight)
    sheet.warnings += [*map(str, (*faults(game, fight), *unsaid(fight, form))), *doubts(game, fight, form)]
    shift = _armour_lines(sheet, game, fight)
    ratio = odds(fight.strength, fight.defence, game["odds-below"])
    sheet.add(f"odds {_show(fight.strength)} to {fight.defence}", ratio, "9.3")
    _column_lines(sheet, game, fight, ratio, shift)
    if fight.attack.major:
        sheet.add("major river: one worse for the attacker, advance of one hex", "", "B10.3")
    sheet.facts = _facts(fight, ratio)
    return sheet


def _facts(fight: Fight, ratio: str) -> dict[str, Any]:
    """What the follow-ups of the battle need to know."""
    return {
        "side": fight.side,
        "attack": _show(fight.strength),
        "defence": fight.defence,
        "odds": ratio,
        "target": fight.target,
        "attackers": [u.id for u in fight.attackers],
        "crossers": list(fight.crossers),
        "defenders": [u.id for u in fight.defenders],
        "major": bool(fight.attack.major),
        "all_major": fight.attack.all_major,
        "values": dict(fight.worths),
        "halved": {unit: list(found) for unit, found in fight.halved.items()},
        "concentric": fight.concentric,
    }


def _show(strength: Fraction | int) -> str:
    whole, rest = divmod(Fraction(strength), 1)
    return f"{whole} 1/2" if rest else str(whole)


def _attack_lines(sheet: Breakdown, fight: Fight, oos_halving: str) -> None:
    attack = fight.attack
    if attack.full:
        sheet.add("attack", str(sum(attack.full)), "9.2")
    for cause in HINDRANCES:
        stacks = attack.by(cause)
        if stacks:
            exact = cause.unrounded and oos_halving == "exact"
            halved = _show(Fraction(sum(stacks), 2)) if exact else str(half_down(stacks))
            sheet.add(f"{cause.words}: {' and '.join(map(str, stacks))} halved", halved, cause.rule)
    if fight.concentric:
        sheet.add("concentric attack: doubled", _show(fight.strength), "B11.2")


def _defence_lines(sheet: Breakdown, fight: Fight) -> None:
    if fight.strong:
        sheet.add("defence", str(fight.strong), "9.2")
    if fight.weak:
        sheet.add(f"disrupted defenders: {fight.weak} halved", str(half_up(fight.weak)), "9.2.5")


def _armour_lines(sheet: Breakdown, game: Game, fight: Fight) -> int:
    """Columns that armour moves the odds by, with the reasons."""
    shift = armour_shift(fight.armour, game["river-armour"], game["grenadiers-cancel"])
    for reason in shift.why:
        sheet.add(reason.label, f"{shift.by:+d}" if reason.counts else "", reason.rule)
    return shift.by


def _column_lines(sheet: Breakdown, game: Game, fight: Fight, ratio: str, shift: int) -> None:
    """The column that the odds and the armour lead to, in the chart for army and ground [9.5.1, B11.1].

    It stands for both: a shift beside it would read as one column more.
    """
    place = "clear" if fight.armour.clear else "other"
    sheet.chart = f"crt-{fight.die}-{place}"
    sheet.add(f"{fight.die.capitalize()} die column, {place} ground", "", "9.5.1, B11.1")
    chart = game.chart(sheet.chart)
    low, high, printed = _ends(game, chart, place)
    sheet.column = column(ratio, shift, low, high)
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
    filled = _copied(chart) or COLUMNS
    row: Mapping[str, Any] = game.book.tables.get("crt-ends", {}).get(place, {})
    lowest, highest = str(row.get("lowest") or ""), str(row.get("highest") or "")
    return lowest or filled[0], highest or filled[-1], bool(lowest and highest)


def _copied(chart: Chart) -> list[str]:
    """The columns of a chart that was copied column by column; single cells read in play tell nothing of its ends."""
    filled = _filled(chart)
    return filled if all(chart.cell(row, c) for c in filled for row in chart.rows) else []


def _filled(chart: Chart) -> list[str]:
    columns = {c for (_, c), cell in chart.cells.items() if cell}
    return sorted(columns, key=rank)


def _against(ctx: Context) -> list[str]:
    """What the rules have against the attack, said before the die falls; one battle is settled before the next [9]."""
    game = ctx.game
    now = fought_now(game)  # what is done on the map alone, of earlier phases, holds up nobody
    owed = [d for b in game.fighting for d in game.duties(b) if d.is_owed and (d.action or b in now)]
    found = [f"the last battle is not settled: {duty.text}" for duty in owed]
    form = combat.form(ctx.values)
    fight = assemble(game, form)
    if fight.side != game.active:
        found.append(f"this is the {game.side_name(game.active)} combat phase [9.1]")
    return [*found, *map(str, (*faults(game, fight), *unsaid(fight, form)))]


@rules.action(
    phase=phases("combat"),
    by="active",
    rule="9",
    worksheet=combat,
    label="Attack",
    primary=True,
    warns=_against,
)
def resolve_combat(
    game: Game,
    sheet: Breakdown,
    form: CombatForm,
    die: Annotated[Roll, Dice(label="Die", spec="1d6", purpose="combat")],
) -> Events:
    """Work out the odds, roll, and set off what the result demands."""
    battle = yield from begin(game, sheet.title, sheet.facts)
    yield from leave(game)
    for unit, strength in assemble(game, form).read.items():  # for the side of the counter that lies up
        name = f"{'X' if exhausted(game, unit) else ''}{'AF' if unit in form.attackers else 'DF'}"
        yield read_off(game, unit, {"factors": {**game.units[unit].factors, name: strength}}, "2.2.1")
    sheet.roll = die.total
    look_up(sheet, game.chart(sheet.chart), str(die.total))
    if sheet.result:
        sheet.effects = [Line(RESULTS[sheet.result].text, "", "9.6")]
    yield from rules.settle(game, "combat", sheet, (battle.attacker, "table"), "9.5", battle)


def begin(game: Game, title: str, facts: Mapping[str, Any]) -> Generator[e.Event, None, Battle]:
    """The battle of a worked-out attack, with all that its follow-ups need to know."""
    side, target = str(facts["side"]), str(facts["target"])
    forces = {side: facts["attackers"], game.other(side): facts["defenders"]}
    kept = {name: facts[name] for name in KEPT if name in facts}
    return (yield from engage(game, title, side, [target] if target else [], forces, "9.1", **kept))
