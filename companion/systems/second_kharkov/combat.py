"""The combat worksheet: odds, every modifier with its reason, and the chance of each result [12.7-12.26]."""

from __future__ import annotations

from typing import Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Context
from companion.engine.forms.worksheet import Breakdown, chances
from companion.engine.record.game import Game
from companion.systems.second_kharkov.base import SOVIET, rules
from companion.systems.second_kharkov.battle import Fight, assemble, doubts
from companion.systems.second_kharkov.form import CombatForm
from companion.systems.second_kharkov.odds import AUTOMATIC, Group, Odds, odds, row, total

PANIC_TURN = 5  # [12.26]
TERRAIN_DRM = {"forest": (1, "12.12"), "marsh": (-1, "12.13"), "town": (1, "12.15"), "city": (2, "12.16")}
RIVER_DRM = {"minor": 1, "major": 2}  # [12.14]


@rules.worksheet(rule="12.7", title="Combat")
def combat(ctx: Context, form: CombatForm) -> Breakdown:
    """Odds, modifiers and chances of an attack, from units on record or from bare factors."""
    return work_out(ctx.game, assemble(ctx, form))


def work_out(game: Game, fight: Fight) -> Breakdown:
    """The sheet of a battle before its roll."""
    sheet = Breakdown(f"Attack on {fight.target}" if fight.target else "Combat")
    sheet.facts.update(_facts(fight))
    sheet.warnings += map(str, doubts(game, fight))
    ratio = _odds(sheet, fight, by_stack=game["halving"] == "stack")
    if ratio is None:
        for reason in fight.open:
            sheet.add(reason.words, "?", reason.rule)
        return sheet
    if ratio.automatic:
        sheet.add("worse than 1:3: no roll", AUTOMATIC, "12.9")
        sheet.result = AUTOMATIC
        return sheet
    sheet.column, sheet.dice, sheet.chart = ratio.column, "1d6", "crt"
    _modifiers(game, sheet, fight, ratio)
    chart = game.chart("crt")
    if any(chart.cell(row, sheet.column) for row in chart.rows):  # a blank column has no chances to show
        sheet.chances = chances(chart, sheet.column, "1d6", lambda die: final_row(game, sheet, die))
    return sheet


def final_row(game: Game, sheet: Breakdown, die: int) -> str:
    """The chart row of a roll on this sheet."""
    return row(die + sheet.modifier, clamp=game["below-one"] == "clamp")


def _odds(sheet: Breakdown, fight: Fight, by_stack: bool) -> Odds | None:
    """The ratio; None while something on record is not known yet."""
    for field, groups in (("attack", fight.attack), ("defence", fight.defence)):
        if not groups and not fight.open:
            words = f"{field} factors are missing: type them, or name units on record"
            raise Unreadable(words, field=field, rule="12.7")
        _show(sheet, field, groups, by_stack)
    if fight.open:
        return None
    strength, resistance = total(fight.attack, by_stack), total(fight.defence, by_stack)
    if resistance < 1:
        raise Unreadable(
            "the rules give no odds against 0 defence factors; type 1 if you both agree",
            field="defence",
            given=0,
            rule="12.7",
        )
    ratio = odds(strength, resistance)
    sheet.facts.update(attack=strength, defence=resistance, odds=str(ratio))
    sheet.add(f"{strength} against {resistance}", str(ratio), "12.8" if ratio.poor else "12.7")
    return ratio


def _show(sheet: Breakdown, name: str, groups: tuple[Group, ...], by_stack: bool) -> None:
    for group in groups:
        how = ", ".join(filter(None, (group.arithmetic(by_stack), *(cause.words for cause in group.causes))))
        rule = ", ".join(["1.5", *(cause.rule for cause in group.causes)]) if group.causes else "12.7"
        sheet.add(f"{name} factors{f': {how}' if how else ''}", str(group.total(by_stack)), rule)


def _modifiers(game: Game, sheet: Breakdown, fight: Fight, ratio: Odds) -> None:
    """All that apply add up; plus helps the defender [12.10]."""
    amount, rule = TERRAIN_DRM.get(fight.terrain, (0, "12.11"))
    sheet.shift(f"defender in {fight.terrain}", amount, rule)
    sheet.shift(f"every attacker crosses a {fight.river} river", RIVER_DRM.get(fight.river, 0), "12.14")
    _first_turn(sheet, fight)
    if fight.fight_move:
        sheet.shift("German fights before moving", -1, "5.7")
    if fight.air:
        against = fight.attacker == SOVIET
        sheet.shift("German air support", fight.air if against else -fight.air, "12.17")
    _armour(game, sheet, fight)
    _panic(sheet, fight, ratio)


def _first_turn(sheet: Breakdown, fight: Fight) -> None:
    """The Soviets have surprise on their side [5.5]."""
    if fight.turn == 1 and fight.attacker == SOVIET:
        sheet.shift("Soviet attack on turn 1", -1, "5.5")
    elif fight.turn == 1:
        sheet.shift("German attack on turn 1", 1, "5.5")


def _armour(game: Game, sheet: Breakdown, fight: Fight) -> None:
    """Tank brigades without infantry [12.25]."""
    if fight.tank_defence:
        sheet.shift("only tank brigades defend", -1, "12.25")
    if fight.tank_attack != "no":
        twice = fight.tank_attack == "every" and game["tank-doctrine"] == "twice"
        where = "in one attacking hex" if fight.tank_attack == "hex" else "attack"
        sheet.shift(f"only tank brigades {where}", 2 if twice else 1, "12.25")


def _panic(sheet: Breakdown, fight: Fight, ratio: Odds) -> None:
    """Odds above 6:1 help the attacker [12.9], but a panicking Soviet no more [12.26]."""
    soviet_attack, panic = fight.attacker == SOVIET, fight.turn >= PANIC_TURN
    if panic:
        sheet.shift("Soviet panic", 1 if soviet_attack else -1, "12.26")
    if ratio.surplus and soviet_attack and panic:
        sheet.add(f"odds {ratio}: no bonus above 6:1 in panic", "0", "12.26")
    elif ratio.surplus:
        sheet.shift(f"odds {ratio}, above 6:1", -ratio.surplus, "12.9")


def _facts(fight: Fight) -> dict[str, Any]:
    """What the follow-ups of the battle need to know."""
    return {
        "attacker": fight.attacker,
        "defender": fight.defender,
        "turn": fight.turn,
        "target": fight.target,
        "terrain": fight.terrain,
        "army": " + ".join(fight.armies),
        "air": fight.air,
        "attackers": [u.id for u in fight.attackers],
        "defenders": [u.id for u in fight.defenders],
        "exploiters": fight.exploiters,
        "typed": fight.typed,
        "closed": fight.closed,
    }
