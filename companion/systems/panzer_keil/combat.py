"""The combat worksheet: strengths, odds, armour, column, roll [9.2-9.5, B10.3, B11]."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated, Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.kit.chart import Chart
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Dice, Field, Flag, Roll, UnitRef, Whole
from companion.engine.play.worksheet import Breakdown, chances, look_up
from companion.engine.record.game import Game
from companion.systems.panzer_keil import asking
from companion.systems.panzer_keil.base import GERMAN, SOVIET, phases, reading, rules
from companion.systems.panzer_keil.fight import Fight, read_fight
from companion.systems.panzer_keil.ground import board
from companion.systems.panzer_keil.odds import (
    COLUMNS,
    Armour,
    Attack,
    armour_shift,
    attack_strength,
    column,
    half_down,
    half_up,
    odds,
    rank,
)
from companion.systems.panzer_keil.results import RESULTS, over_river

TARGET = asking.Target(label="Target hex")
YES_NO = [("yes", "yes"), ("no", "no")]
CODES = [code for code in RESULTS if code != "AE"]


@dataclass(frozen=True)
class Sums(Field):
    """Strengths hex by hex: '3 5' for two hexes, '3+2 5' with a stack of two in the first."""

    def read(self, raw: Any, ctx: Context) -> tuple[int, ...]:
        parts = (
            [str(p) for p in raw] if isinstance(raw, list | tuple) else re.split(r"[\s,;]+", str(raw).strip())
        )
        found = []
        for part in filter(None, parts):
            if not re.fullmatch(r"\d{1,3}(\+\d{1,3})*", part):
                raise Unreadable(
                    f"{part!r} is not a strength: write 3 5, or 3+2 for a stack", given=part, accepted="3+2 5"
                )
            found.append(sum(map(int, part.split("+"))))
        return tuple(found)

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {"placeholder": "3+2 5", "most": 80, "long": False}


@rules.worksheet(rule="9.2-9.5, B11", title="Combat")
def combat(
    ctx: Context,
    target: Annotated[str, TARGET] = "",
    elsewhere: Annotated[str, TARGET.another()] = "",
    attackers: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Attackers",
            many=True,
            pick=asking.beside,
            suggest=asking.able,
            when=asking.on_record,
        ),
    ] = (),
    side: Annotated[
        str,
        Choice(
            label="Attacking side",
            options=[(SOVIET, "Soviet"), (GERMAN, "German")],
            quiet=asking.side_known,
        ),
    ] = "",
    typed: Annotated[
        bool,
        Flag(label="Enter it by hand", help="instead of what the record tells", when=asking.may_type),
    ] = False,
    full: Annotated[
        tuple[int, ...],
        Sums(label="Attack", help="one number for each hex", quiet=asking.attack_told),
    ] = (),
    halved: Annotated[
        tuple[str, ...],
        Choice(label="Some attackers are halved", options=asking.HINDRANCES, many=True, when=asking.by_hand),
    ] = (),
    river: Annotated[
        tuple[int, ...], Sums(label="Attack over a river", quiet=asking.not_hindered("river"))
    ] = (),
    major: Annotated[
        tuple[int, ...],
        Sums(
            label="Attack over a major river",
            help="not at a railroad",
            quiet=asking.not_hindered("major"),
        ),
    ] = (),
    over: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Who attacks over the major river",
            many=True,
            pick=asking.named_attackers,
            quiet=asking.crossers_known,
        ),
    ] = (),
    marsh: Annotated[
        tuple[int, ...], Sums(label="Attack out of a marsh", quiet=asking.not_hindered("marsh"))
    ] = (),
    oos: Annotated[
        tuple[int, ...],
        Sums(label="Attack out of supply", help="if not halved already", quiet=asking.not_hindered("oos")),
    ] = (),
    defence: Annotated[
        int | None, Whole(label="Defence", help="undisrupted units", high=99, quiet=asking.defence_told)
    ] = None,
    weak: Annotated[
        int | None, Whole(label="Defence of disrupted units", high=99, quiet=asking.defence_told)
    ] = None,
    ground: Annotated[
        str,
        Choice(
            label="Defender's hex",
            options=[("clear", "clear"), ("other", "other")],
            quiet=asking.ground_told,
        ),
    ] = "",
    armour: Annotated[
        str,
        Choice(
            label="Attacker's armour",
            options=asking.armour_choices,
            quiet=asking.armour_told(defending=False),
        ),
    ] = "",
    enemy_armour: Annotated[
        str,
        Choice(label="Defender's armour", options=YES_NO, quiet=asking.armour_told(defending=True)),
    ] = "",
    grenadiers: Annotated[
        str,
        Choice(label="German mechanized infantry takes part", options=YES_NO, quiet=asking.no_grenadiers),
    ] = "",
    concentric: Annotated[
        str,
        Choice(
            label="Concentric attack",
            help="all six hexes around are German or in German zones",
            options=YES_NO,
            quiet=asking.not_concentric,
        ),
    ] = "",
    roll: Annotated[
        str,
        Choice(
            label="Die column",
            help="Soviet when only allies attack",
            options=[(GERMAN, "German"), (SOVIET, "Soviet")],
            quiet=asking.column_told,
        ),
    ] = "",
) -> Breakdown:
    """Strengths, odds and column of an attack. Empty fields are read off the record where it tells."""
    game = ctx.game
    target = elsewhere or target
    known = read_fight(game, attackers, target) if game else Fight()
    if typed:
        known = replace(known, attack=Attack(), defence=None, weak=None, concentric=False)
    who = (
        side
        or (game.units[attackers[0]].side if game and attackers else game.active if game else "")
        or GERMAN
    )
    entered = Attack(full, river, major, marsh, oos)
    attack = entered if entered.given else known.attack
    sheet = Breakdown(f"{who.capitalize()} attack on {target}" if target else "Combat", dice="1d6")
    strong = defence if defence is not None else (0 if weak is not None else known.defence)
    soft = weak if weak is not None else (0 if defence is not None else known.weak)
    _need(known, entered, strong)
    total = _attack_lines(sheet, attack, str(reading(game, "oos-halving")))
    doubled = who == GERMAN and (concentric == "yes" or (concentric == "" and known.concentric))
    if concentric == "yes" and who != GERMAN:
        raise NotNow(
            "only German attackers attack concentrically [B11.2]", field="concentric", given=concentric
        )
    if doubled:
        total *= 2
        sheet.add("concentric attack: doubled", _show(total), "B11.2")
    against = _defence_lines(sheet, strong or 0, soft or 0)
    if not against:
        raise Unreadable("the defence strength is missing", field="defence")
    if total <= 0 and reading(game, "zero-attack") == "forbid":
        raise NotNow("an attack strength of 0 cannot attack", field="full", given=0)
    clear = (ground or known.ground or "clear") == "clear"
    if game and target and game.mark(target, "fought"):
        sheet.warnings.append(f"{target} was attacked in this phase already [9.1.5]")
    if game and not ground and not known.ground:
        sheet.warnings.append("the defender's terrain is not entered: taken as clear")
    if game and target and attackers and board(game).blank and not entered.given:
        sheet.warnings.append("the map book is empty: rivers and marsh were not looked at")
    case = Armour(
        clear=clear,
        attacker=armour or known.armour or "none",
        defender=enemy_armour == "yes" or (enemy_armour == "" and known.enemy_armour),
        german="attacker" if who == GERMAN else "defender",
        grenadiers=grenadiers == "yes" or (grenadiers == "" and known.grenadiers),
        hindered_attack=attack.hindered,
    )
    shift = armour_shift(case, str(reading(game, "river-armour")), str(reading(game, "grenadiers-cancel")))
    for label, rule in shift.why:
        sheet.add(label, f"{shift.by:+d}" if rule == "9.4" else "", rule)
    sheet.modifier = shift.by
    ratio = odds(total, against, str(reading(game, "odds-below")))
    sheet.add(f"odds {_show(total)} to {against}", ratio, "9.3")
    dice = roll or known.roll or (GERMAN if who == GERMAN else SOVIET)
    place = "clear" if clear else "other"
    sheet.chart = f"crt-{dice}-{place}"
    sheet.add(f"{dice.capitalize()} die column, {place} ground", "", "9.5.1, B11.1")
    low, high, printed = _ends(game, sheet.chart, place)
    sheet.column = column(ratio, shift.by, low, high)
    if game and not printed and not rank(low) <= rank(ratio) <= rank(high):
        end = low if rank(ratio) < rank(low) else high
        sheet.warnings.append(
            f"{ratio} is beyond {end}, where your table is taken to end; enter its first and last odds "
            "in the chart book [9.5.1]"
        )
    if attack.major:
        sheet.add("major river: one worse for the attacker, advance of one hex", "", "B10.3")
    if game is not None and _filled(game.chart(sheet.chart)):
        sheet.chances = chances(game.chart(sheet.chart), sheet.column, "1d6", str)
    crossers = _crossers(known, entered, attackers, over)
    values = {u: v * 2 if doubled and u in attackers else v for u, v in known.values.items()}
    if entered.given:
        values = _typed(values, attackers, int(total))
    if defence is not None or weak is not None:
        values = _typed(values, known.defenders, against)
    sheet.facts = {
        "side": who,
        "attack": _show(total),
        "defence": against,
        "odds": ratio,
        "target": target,
        "attackers": list(attackers),
        "crossers": crossers,
        "defenders": known.defenders,
        "major": bool(attack.major),
        "all_major": _all_major(attack),
        "values": values,
    }
    return sheet


def _all_major(attack: Attack) -> bool:
    return bool(attack.major) and not (attack.full or attack.river or attack.marsh or attack.oos)


def _crossers(known: Fight, typed: Attack, attackers: Sequence[str], over: Sequence[str]) -> list[str]:
    """Who attacks over a major river: as the map tells, or as the typed strengths do [B10.3.1]."""
    if not typed.given:
        return known.crossers
    if not typed.major:
        return []
    if _all_major(typed):
        return list(attackers)
    if len(attackers) > 1 and not over and not known.crossers:
        raise Unreadable("say who attacks over the major river: he suffers more [B10.3.1]", field="over")
    return list(over) or known.crossers


def _typed(values: Mapping[str, int], units: Sequence[str], total: int) -> dict[str, int]:
    """The units' worth where strengths were typed: unknown one by one, a single unit has it all."""
    rest = {u: v for u, v in values.items() if u not in units}
    return {**rest, units[0]: total} if len(units) == 1 else rest


def _need(known: Fight, typed: Attack, strong: int | None) -> None:
    """Say what the record lacks, by name."""
    if not typed.given and (known.no_attack or not known.attack.given):
        who = f" of {', '.join(known.no_attack)}" if known.no_attack else ""
        raise Unreadable(
            f"the attack strength{who} is not on record: enter it", field="full", accepted="3+2 5"
        )
    if strong is None:
        who = f" of {', '.join(known.no_defence)}" if known.no_defence else ""
        raise Unreadable(f"the defence strength{who} is not on record: enter it", field="defence")


def _show(strength: Fraction | int) -> str:
    whole, rest = divmod(Fraction(strength), 1)
    return f"{whole} 1/2" if rest else str(whole)


def _attack_lines(sheet: Breakdown, attack: Attack, oos_halving: str) -> Fraction:
    if attack.full:
        sheet.add("attack", str(sum(attack.full)), "9.2")
    for label, stacks, rule in (
        ("over a river", attack.river, "9.2.1"),
        ("over a major river", attack.major, "9.2.1, B10.3"),
        ("out of a marsh", attack.marsh, "9.2.2"),
        ("out of supply", attack.oos, "9.2.3"),
    ):
        if stacks:
            exact = rule == "9.2.3" and oos_halving == "exact"
            halved = _show(Fraction(sum(stacks), 2)) if exact else str(half_down(stacks))
            sheet.add(f"{label}: {' and '.join(map(str, stacks))} halved", halved, rule)
    return attack_strength(attack, oos_halving)


def _defence_lines(sheet: Breakdown, strong: int, soft: int) -> int:
    if strong:
        sheet.add("defence", str(strong), "9.2")
    if soft:
        sheet.add(f"disrupted defenders: {soft} halved", str(half_up(soft)), "9.2.5")
    return strong + half_up(soft)


def _ends(game: Game | None, chart: str, place: str) -> tuple[str, str, bool]:
    """The ends of the odds, and whether they are printed ones: the owner's list, his filled columns, the whole frame."""
    low, high = COLUMNS[0], COLUMNS[-1]
    if game is None:
        return low, high, False
    filled = _filled(game.chart(chart))
    if filled:
        low, high = filled[0], filled[-1]
    row: Mapping[str, Any] = game.book.tables.get("crt-ends", {}).get(place, {})
    lowest, highest = str(row.get("lowest") or ""), str(row.get("highest") or "")
    return lowest or low, highest or high, bool(lowest and highest)


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
    die: Annotated[Roll | None, Dice(label="Die", spec="1d6", purpose="combat")] = None,
) -> Events:
    """Work out the odds, roll, and set off what the result demands."""
    if die is None:
        raise NotNow("the die is missing", field="die")
    if sheet.facts["side"] != game.active:
        raise NotNow(
            f"this is the {game.side_name(game.active)} combat phase", field="side", given=sheet.facts["side"]
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
