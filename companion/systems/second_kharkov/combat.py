"""The combat worksheet: odds, every modifier with its reason, and the chance of each result (12.7-12.26)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.fields import Choice, Context, Flag, HexId, Text, UnitRef, Whole
from companion.engine.roster import Unit
from companion.engine.worksheet import Breakdown, chances
from companion.systems.second_kharkov import battle as b
from companion.systems.second_kharkov.base import FIGHT, GERMAN, SOVIET, rules
from companion.systems.second_kharkov.ground import TERRAINS
from companion.systems.second_kharkov.odds import AUTOMATIC, Group, Odds, odds, row, total
from companion.systems.second_kharkov.units import ARMIES, SIXTH, army_of, seen_by

PANIC_TURN = 5  # 12.26
TERRAIN_DRM = {"forest": (1, "12.12"), "marsh": (-1, "12.13"), "town": (1, "12.15"), "city": (2, "12.16")}
RIVER_DRM = {"minor": 1, "major": 2}  # 12.14
RIVERS = (
    ("none", "no, or not all of them"),
    ("minor", "all, over minor rivers"),
    ("major", "all, at least one over a major"),
)
TANKS = (
    ("no", "no"),
    ("hex", "in one of the attacking hexes"),
    ("all", "all of them, from one hex"),
    ("every", "all of them, from several hexes"),
)


@dataclass(frozen=True)
class Factors(Text):
    """Combat factors: one sum, or hex by hex so that each stack is rounded for itself (1.5)."""

    most: int = 60
    placeholder: str = "26, or hex by hex 14+12"

    def read(self, raw: Any, ctx: Context) -> tuple[int, ...]:  # type: ignore[override]
        if isinstance(raw, tuple | list):
            raw = "+".join(map(str, raw))
        text = super().read(raw, ctx)
        if not re.fullmatch(r"\d{1,3}(\s*[+, ]\s*\d{1,3})*", text):
            raise Unreadable(
                f"{text!r} is not a sum of factors: 26, or hex by hex 14+12",
                given=text,
                accepted="26 or 14+12",
            )
        return tuple(int(n) for n in re.findall(r"\d+", text))


# -- which fields can apply ------------------------------------------------------------------------


def _bare(ctx: Context) -> bool:
    return ctx.game is None


def _any_side(ctx: Context) -> bool:
    return ctx.game is None or ctx.game.phase not in FIGHT.values()


def _german_attacks(ctx: Context) -> bool:
    return b.attacking_side(ctx) == GERMAN


def _type_attack(ctx: Context) -> bool:
    return not b.all_known(ctx, b.attackers(ctx), "AF")


def _type_defence(ctx: Context) -> bool:
    return not b.all_known(ctx, b.defenders(ctx), "DF")


def _some_out(ctx: Context) -> bool:
    return b.turn(ctx) > 1  # 5.5


def _mech_halved(ctx: Context) -> bool:
    return b.terrain(ctx) in b.INTO


def _air_possible(ctx: Context) -> bool:
    if ctx.game is None:
        return b.turn(ctx) > 1
    return int(ctx.game["air-free"]) > 0 and ctx.game.mark(b.target(ctx), "target") is None


def air_choices(ctx: Context) -> list[tuple[str, str]]:
    """12.17: how many aircraft may be promised to one battle."""
    free = int(ctx.game["air-free"]) if ctx.game else 6
    most = free if ctx.game is None or ctx.game["air-per-battle"] == "many" else min(1, free)
    return [("0", "none"), *((str(n), str(n)) for n in range(1, most + 1))]


def _own_on_map(ctx: Context) -> list[Unit]:
    """Attackers to pick from: on the map, next to the target when it is known (12.1)."""
    mine = {u.id: u for u in seen_by(ctx, b.attacking_side(ctx)) if u.on_map}
    hex_id = b.target(ctx)
    near = set(ctx.game.maps.neighbours(hex_id)) if ctx.game and hex_id else set()
    named = b.attackers(ctx) if b.opened(ctx) else []
    return list({u.id: u for u in (*named, *mine.values()) if not near or u.place in near}.values())


SIDES = ((SOVIET, "Soviet"), (GERMAN, "German"))


@rules.worksheet(rule="12.7", title="Combat")
def combat(
    ctx: Context,
    attacker: Annotated[
        str,
        Choice(
            label="Attacker", options=SIDES, when=_any_side, start=lambda c: c.game.active if c.game else ""
        ),
    ] = "",
    turn: Annotated[int, Whole(label="Turn", low=1, high=8, when=_bare)] = 3,
    fight_move: Annotated[
        bool, Flag(label="German fights before moving", when=lambda c: _bare(c) and _german_attacks(c))
    ] = False,
    target: Annotated[str, HexId(label="Target hex", help="optional", start=b.target)] = "",
    attackers: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Attackers",
            many=True,
            help="optional",
            pick=_own_on_map,
            when=lambda c: bool(_own_on_map(c)),
            start=lambda c: [u.id for u in b.attackers(c)],
        ),
    ] = (),
    army: Annotated[
        str,
        Choice(
            label="Army",
            options=[(a, a) for a in ARMIES],
            when=lambda c: _german_attacks(c) and not army_of(b.attackers(c)),
        ),
    ] = SIXTH,
    terrain: Annotated[str, Choice(label="Defender in", options=TERRAINS, start=b.terrain)] = "",
    river: Annotated[str, Choice(label="Attackers cross a river", options=RIVERS, start=b.mapped_river)] = "",
    attack: Annotated[tuple[int, ...], Factors(label="Attack factors, not halved", when=_type_attack)] = (),
    attack_mech: Annotated[
        tuple[int, ...],
        Factors(
            label="Mechanised attack factors",
            help="halved here",
            when=lambda c: _type_attack(c) and _mech_halved(c),
        ),
    ] = (),
    attack_oos: Annotated[
        tuple[int, ...],
        Factors(
            label="Attack factors out of supply",
            help="halved",
            when=lambda c: _type_attack(c) and _some_out(c),
        ),
    ] = (),
    attack_both: Annotated[
        tuple[int, ...],
        Factors(
            label="Mechanised and out of supply",
            help="halved twice",
            when=lambda c: _type_attack(c) and _some_out(c) and _mech_halved(c),
        ),
    ] = (),
    defence: Annotated[tuple[int, ...], Factors(label="Defence factors", when=_type_defence)] = (),
    defence_oos: Annotated[
        tuple[int, ...],
        Factors(
            label="Defence factors out of supply",
            help="halved",
            when=lambda c: _type_defence(c) and _some_out(c),
        ),
    ] = (),
    air: Annotated[str, Choice(label="German aircraft", options=air_choices, when=_air_possible)] = "0",
    tank_attack: Annotated[
        str,
        Choice(
            label="Tank brigades alone",
            options=TANKS,
            when=lambda c: not _german_attacks(c) and not b.attackers(c),
        ),
    ] = "no",
    tank_defence: Annotated[
        bool,
        Flag(label="Only tank brigades defend", when=lambda c: _german_attacks(c) and not b.defenders(c)),
    ] = False,
) -> Breakdown:
    """Odds, modifiers and chances of an attack, from units on record or from bare factors."""
    form = {name: value for name, value in locals().items() if name != "ctx"}  # the fields as they were read
    return work_out(ctx, b.assemble(ctx, form))


def work_out(ctx: Context, battle: b.Battle) -> Breakdown:
    """The sheet of a battle before its roll."""
    sheet = Breakdown(f"Attack on {battle.target}" if battle.target else "Combat")
    by_stack = ctx.game is None or ctx.game["halving"] == "stack"
    ratio = _odds(sheet, battle, by_stack)
    sheet.facts.update(_facts(battle))
    if ctx.game is not None:
        sheet.warnings += b.doubts(ctx.game, battle)
    if ratio.automatic:
        sheet.add("worse than 1:3: no roll", AUTOMATIC, "12.9")
        sheet.result = AUTOMATIC
        return sheet
    sheet.column, sheet.dice, sheet.chart = ratio.column, "1d6", "crt"
    _modifiers(ctx, sheet, battle, ratio)
    if ctx.game is not None:
        sheet.chances = chances(
            ctx.game.chart("crt"), sheet.column, "1d6", lambda die: final_row(ctx, sheet, die)
        )
    return sheet


def final_row(ctx: Context, sheet: Breakdown, die: int) -> str:
    """The chart row of a roll on this sheet."""
    return row(die + sheet.modifier, ctx.game is not None and ctx.game["below-one"] == "clamp")


def _odds(sheet: Breakdown, battle: b.Battle, by_stack: bool) -> Odds:
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
        why = "".join(f", {cause.words}" for cause in group.causes)
        rule = ", ".join(["1.5", *(cause.rule for cause in group.causes)]) if group.causes else "12.7"
        sheet.add(f"{name} factors{why}", group.arithmetic(by_stack), rule)


def _modifiers(ctx: Context, sheet: Breakdown, battle: b.Battle, ratio: Odds) -> None:
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


def _armour(ctx: Context, sheet: Breakdown, battle: b.Battle) -> None:
    """12.25: tank brigades without infantry."""
    if battle.tank_defence:
        sheet.shift("only tank brigades defend", -1, "12.25")
    if battle.tank_attack != "no":
        twice = (
            battle.tank_attack == "every" and ctx.game is not None and ctx.game["tank-doctrine"] == "twice"
        )
        where = "in one attacking hex" if battle.tank_attack == "hex" else "attack"
        sheet.shift(f"only tank brigades {where}", 2 if twice else 1, "12.25")


def _facts(battle: b.Battle) -> dict[str, Any]:
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
