"""The combat worksheet: odds, every modifier with its reason, and the chance of each result (12.7-12.26)."""

from __future__ import annotations

from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.play.fields import Choice, Context, Flag, HexId, Whole
from companion.engine.play.worksheet import Breakdown, chances
from companion.systems.second_kharkov import form, known
from companion.systems.second_kharkov.base import SOVIET, rules
from companion.systems.second_kharkov.battle import Battle, assemble, doubts
from companion.systems.second_kharkov.odds import AUTOMATIC, Group, Odds, odds, row, total
from companion.systems.second_kharkov.units import ARMIES, SIXTH, army_of

PANIC_TURN = 5  # 12.26
TERRAIN_DRM = {"forest": (1, "12.12"), "marsh": (-1, "12.13"), "town": (1, "12.15"), "city": (2, "12.16")}
RIVER_DRM = {"minor": 1, "major": 2}  # 12.14


@rules.worksheet(rule="12.7", title="Combat")
def combat(
    ctx: Context,
    attacker: Annotated[
        str,
        Choice(
            label="Attacker",
            options=form.SIDES,
            when=form.any_side,
            start=lambda c: c.game.active if c.game else "",
        ),
    ] = "",
    turn: Annotated[int, Whole(label="Turn", low=1, high=8, when=form.no_table)] = 3,
    fight_move: Annotated[
        bool,
        Flag(label="German fights before moving", when=lambda c: form.no_table(c) and form.german_attacks(c)),
    ] = False,
    target: Annotated[str, HexId(label="Target hex", start=known.target, quiet=known.opened)] = "",
    attackers: Annotated[
        tuple[str, ...],
        form.Attackers(
            label="Attackers",
            many=True,
            pick=form.near_target,
            when=lambda c: bool(form.attackers_on_map(c)),
            start=lambda c: [u.id for u in known.attackers(c)],
            quiet=lambda c: known.opened(c) and bool(known.declared(c)),
        ),
    ] = (),
    attack: Annotated[
        tuple[int, ...],
        form.Factors(
            label="Attack factors",
            when=form.attack_is_typed,
            halved=("attack_mech", "attack_oos", "attack_both"),
        ),
    ] = (),
    defence: Annotated[
        tuple[int, ...],
        form.Factors(label="Defence factors", when=form.defence_is_typed, halved=("defence_oos",)),
    ] = (),
    terrain: Annotated[str, Choice(label="Defender in", options=form.terrain_choices)] = "",
    river: Annotated[str, Choice(label="Every attacker crosses a river", options=form.river_choices)] = "",
    attack_mech: Annotated[
        tuple[int, ...],
        form.Factors(
            label="Mechanised attack factors",
            help="halved here",
            when=lambda c: form.attack_is_typed(c) and form.mech_is_halved(c),
        ),
    ] = (),
    attack_oos: Annotated[
        tuple[int, ...],
        form.Factors(
            label="Attack factors out of supply",
            help="halved",
            when=lambda c: form.attack_is_typed(c) and form.supply_matters(c),
        ),
    ] = (),
    attack_both: Annotated[
        tuple[int, ...],
        form.Factors(
            label="Mechanised and out of supply",
            help="halved twice",
            when=lambda c: form.attack_is_typed(c) and form.supply_matters(c) and form.mech_is_halved(c),
        ),
    ] = (),
    defence_oos: Annotated[
        tuple[int, ...],
        form.Factors(
            label="Defence factors out of supply",
            help="halved",
            when=lambda c: form.defence_is_typed(c) and form.supply_matters(c),
        ),
    ] = (),
    army: Annotated[
        str,
        Choice(
            label="Army",
            options=[(a, a) for a in ARMIES],
            when=lambda c: (
                form.german_attacks(c) and form.army_matters(c) and not army_of(known.attackers(c))
            ),
        ),
    ] = SIXTH,
    air: Annotated[
        str, Choice(label="German aircraft", options=form.air_choices, when=form.air_is_possible)
    ] = "0",
    tank_attack: Annotated[
        str,
        Choice(
            label="Tank brigades alone in an attacking hex",
            options=form.tank_choices,
            when=lambda c: not form.german_attacks(c) and not known.attackers(c),
        ),
    ] = "no",
    tank_defence: Annotated[
        bool,
        Flag(
            label="Only tank brigades defend",
            when=lambda c: form.german_attacks(c) and not known.defenders(c),
        ),
    ] = False,
) -> Breakdown:
    """Odds, modifiers and chances of an attack, from units on record or from bare factors."""
    typed = {name: value for name, value in locals().items() if name != "ctx"}  # the fields as they were read
    return work_out(ctx, assemble(ctx, typed))


def work_out(ctx: Context, battle: Battle) -> Breakdown:
    """The sheet of a battle before its roll."""
    sheet = Breakdown(f"Attack on {battle.target}" if battle.target else "Combat")
    by_stack = ctx.game is None or ctx.game["halving"] == "stack"
    ratio = _odds(sheet, battle, by_stack)
    sheet.facts.update(_facts(battle))
    if ctx.game is not None:
        sheet.warnings += doubts(ctx.game, battle)
    if ratio.automatic:
        sheet.add("worse than 1:3: no roll", AUTOMATIC, "12.9")
        sheet.result = AUTOMATIC
        return sheet
    sheet.column, sheet.dice, sheet.chart = ratio.column, "1d6", "crt"
    _modifiers(ctx, sheet, battle, ratio)
    if ctx.game is not None:
        chart = ctx.game.chart("crt")
        if any(chart.cell(row, sheet.column) for row in chart.rows):  # a blank column has no chances to show
            sheet.chances = chances(chart, sheet.column, "1d6", lambda die: final_row(ctx, sheet, die))
    return sheet


def final_row(ctx: Context, sheet: Breakdown, die: int) -> str:
    """The chart row of a roll on this sheet."""
    return row(die + sheet.modifier, ctx.game is not None and ctx.game["below-one"] == "clamp")


def _odds(sheet: Breakdown, battle: Battle, by_stack: bool) -> Odds:
    for field, groups in (("attack", battle.attack), ("defence", battle.defence)):
        if not groups:
            raise Unreadable(f"{field} factors are missing: type them, or name units on record", field=field)
        _show(sheet, field, groups, by_stack)
    strength, resistance = total(battle.attack, by_stack), total(battle.defence, by_stack)
    if resistance < 1:
        raise Unreadable(
            "the rules give no odds against 0 defence factors; type 1 if you both agree",
            field="defence",
            given=0,
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


def _modifiers(ctx: Context, sheet: Breakdown, battle: Battle, ratio: Odds) -> None:
    """12.10: all that apply add up; plus helps the defender."""
    soviet_attack = battle.attacker == SOVIET
    amount, rule = TERRAIN_DRM.get(battle.terrain, (0, "12.11"))
    sheet.shift(f"defender in {battle.terrain}", amount, rule)
    sheet.shift(f"every attacker crosses a {battle.river} river", RIVER_DRM.get(battle.river, 0), "12.14")
    if battle.turn == 1:
        sheet.shift(
            "Soviet attack on turn 1" if soviet_attack else "German attack on turn 1",
            -1 if soviet_attack else 1,
            "5.5",
        )
    if battle.fight_move:
        sheet.shift("German fights before moving", -1, "5.7")
    if battle.air:
        sheet.shift("German air support", battle.air if soviet_attack else -battle.air, "12.17")
    _armour(ctx, sheet, battle)
    if battle.turn >= PANIC_TURN:
        sheet.shift("Soviet panic", 1 if soviet_attack else -1, "12.26")
    if ratio.surplus and soviet_attack and battle.turn >= PANIC_TURN:
        sheet.add(f"odds {ratio}: no bonus above 6:1 in panic", "0", "12.26")
    elif ratio.surplus:
        sheet.shift(f"odds {ratio}, above 6:1", -ratio.surplus, "12.9")


def _armour(ctx: Context, sheet: Breakdown, battle: Battle) -> None:
    """12.25: tank brigades without infantry."""
    if battle.tank_defence:
        sheet.shift("only tank brigades defend", -1, "12.25")
    if battle.tank_attack != "no":
        twice = (
            battle.tank_attack == "every" and ctx.game is not None and ctx.game["tank-doctrine"] == "twice"
        )
        where = "in one attacking hex" if battle.tank_attack == "hex" else "attack"
        sheet.shift(f"only tank brigades {where}", 2 if twice else 1, "12.25")


def _facts(battle: Battle) -> dict[str, Any]:
    """What the follow-ups of the battle need to know."""
    return {
        "attacker": battle.attacker,
        "defender": battle.defender,
        "turn": battle.turn,
        "target": battle.target,
        "terrain": battle.terrain,
        "army": battle.army,
        "air": battle.air,
        "attackers": [u.id for u in battle.attackers],
        "defenders": [u.id for u in battle.defenders],
        "exploiters": battle.exploiters,
    }
