"""What the combat form asks, and when: a question that cannot apply is not asked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.fields import Choice, Context, Flag, HexId, Text, UnitRef, Whole
from companion.engine.positions.situation import board
from companion.systems.second_kharkov import known
from companion.systems.second_kharkov.base import FIGHT, GERMAN, SIDES, in_play
from companion.systems.second_kharkov.ground import TERRAINS
from companion.systems.second_kharkov.odds import INTO
from companion.systems.second_kharkov.units import ARMIES, ARMY_DIALS, SIXTH, armies_of, seen_by

RIVERS = (("none", "none"), ("minor", "minor"), ("major", "major, or a crossing"))


# -- what applies ----------------------------------------------------------------------------------


def no_table(ctx: Context) -> bool:
    return not in_play(ctx.game)


def any_side(ctx: Context) -> bool:
    return ctx.game.phase not in FIGHT.values()


def german_attacks(ctx: Context) -> bool:
    return known.attacking_side(ctx) == GERMAN


def attack_is_typed(ctx: Context) -> bool:
    return not known.all_known(ctx, known.attackers(ctx), "AF")


def defence_is_typed(ctx: Context) -> bool:
    return not known.all_known(ctx, known.defenders(ctx), "DF")


def supply_matters(ctx: Context) -> bool:
    return known.turn(ctx) > 1  # [5.5]


def mech_is_halved(ctx: Context) -> bool:
    return known.terrain(ctx) in INTO


def army_matters(ctx: Context) -> bool:
    """Whether it makes a difference which army attacks [6.2, 13.4], and nobody on record tells."""
    held = in_play(ctx.game) and any(ctx.game[dial] != "released" for dial in ARMY_DIALS.values())
    return held and german_attacks(ctx) and not armies_of(known.attackers(ctx))


def air_is_possible(ctx: Context) -> bool:
    """Aircraft are promised to a declared attack before its form is opened [12.17]."""
    return known.free_aircraft(ctx) > 0 and ctx.game.mark(known.target(ctx), "target") is None


# -- what can be chosen ----------------------------------------------------------------------------


def tank_choices(ctx: Context) -> list[tuple[str, str]]:
    """One all-tank hex is enough [12.25]; whether all of several hexes count twice is a table's reading."""
    plain = [("no", "no"), ("hex", "yes")]
    return [*plain, ("every", "in all of several hexes")] if ctx.game["tank-doctrine"] == "twice" else plain


def air_choices(ctx: Context) -> list[tuple[str, str]]:
    """How many aircraft may be promised to one battle [12.17]; without a table nobody has read the rule yet."""
    free = known.free_aircraft(ctx)
    most = min(1, free) if in_play(ctx.game) and ctx.game["air-per-battle"] == "one" else free
    return [("0", "none"), *((str(n), str(n)) for n in range(1, most + 1))]


def terrain_choices(ctx: Context) -> list[tuple[str, str]]:
    """Untouched, the field follows the target hex on the map; where the map is blank that is clear ground."""
    mapped = known.mapped_terrain(ctx)
    return [("", f"as mapped: {mapped}"), *TERRAINS] if mapped else [("", "clear"), *TERRAINS[1:]]


def river_choices(ctx: Context) -> list[tuple[str, str]]:
    """The same for rivers, once some are entered and the attackers known; a crossing fights as major [12.14]."""
    if board(ctx.game).features and known.target(ctx) and known.attackers(ctx):
        return [("", f"as mapped: {known.mapped_river(ctx)}"), *RIVERS]
    return [("", "none"), *RIVERS[1:]]


def attackers_on_map(ctx: Context) -> list[Unit]:
    """The attacker's units that this seat may name; after the stacks are opened, all that were declared."""
    mine = [u for u in seen_by(ctx, known.attacking_side(ctx)) if u.on_map]
    return list({u.id: u for u in (*(known.attackers(ctx) if known.opened(ctx) else []), *mine)}.values())


def near_target(ctx: Context) -> list[Unit]:
    """Attackers to pick from, any of those in the hexes around the target when it is known [12.1, 12.3, 12.6]."""
    near = around_target(ctx)
    return [u for u in attackers_on_map(ctx) if not near or u.place in near]


def around_target(ctx: Context) -> set[str]:
    hex_id = known.target(ctx)
    return set(ctx.game.maps.neighbours(hex_id)) if hex_id else set()


# -- fields of its own -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Factors(Text):
    """Combat factors: one sum, or hex by hex so that each stack is rounded for itself [1.5]."""

    most: int = 60
    placeholder: str = "26, or hex by hex 14+12"
    halved: tuple[str, ...] = ()
    """For the plain factors: the fields for those that are halved. One of all of them must be filled in."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        plain = super().describe(ctx)
        if not self.halved:
            return plain
        help_text = "those not halved" if supply_matters(ctx) or mech_is_halved(ctx) else ""
        return {**plain, "help": help_text, "required": not any(ctx.values.get(n) for n in self.halved)}

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


@dataclass(frozen=True)
class Attackers(UnitRef):
    """Who attacks. The shared screen knows the top of a stack only, and says so [7.6]."""

    def seen(self, ctx: Context, units: Iterable[Unit]) -> list[Unit]:
        """Once the stacks are opened, everybody knows who was declared [12.17]."""
        there = list(units)
        shown = [*super().seen(ctx, there), *(known.declared(ctx) if known.opened(ctx) else [])]
        return [u for u in there if u in shown]

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "help": self._closed(ctx)}

    def _closed(self, ctx: Context) -> str:
        game, side, near = ctx.game, known.attacking_side(ctx), around_target(ctx)
        there = [
            u for u in game.units.values() if u.side == side and u.on_map and (not near or u.place in near)
        ]
        if len(self.seen(ctx, there)) == len(there):
            return ""
        return (
            f"the top unit of each stack; lower ones are named on the {game.side_name(side)} phone,"
            " or type factors and name nobody (7.6)"
        )


# -- the form --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CombatForm:
    """The combat form as it was read: what the record knows is not asked and stays as it is here."""

    attacker: Annotated[
        str, Choice(label="Attacker", options=SIDES, when=any_side, start=lambda c: c.game.active)
    ] = ""
    turn: Annotated[int, Whole(label="Turn", low=1, high=8, when=no_table)] = known.PLAIN_TURN
    fight_move: Annotated[
        bool, Flag(label="German fights before moving", when=lambda c: no_table(c) and german_attacks(c))
    ] = False
    target: Annotated[str, HexId(label="Target hex", start=known.target, quiet=known.opened)] = ""
    attackers: Annotated[
        tuple[str, ...],
        Attackers(
            label="Attackers",
            many=True,
            pick=near_target,
            when=lambda c: bool(attackers_on_map(c)),
            start=lambda c: [u.id for u in known.attackers(c)],
            quiet=lambda c: known.opened(c) and bool(known.declared(c)),
        ),
    ] = ()
    attack: Annotated[
        tuple[int, ...],
        Factors(
            label="Attack factors", when=attack_is_typed, halved=("attack_mech", "attack_oos", "attack_both")
        ),
    ] = ()
    defence: Annotated[
        tuple[int, ...], Factors(label="Defence factors", when=defence_is_typed, halved=("defence_oos",))
    ] = ()
    terrain: Annotated[str, Choice(label="Defender in", options=terrain_choices)] = ""
    river: Annotated[str, Choice(label="Every attacker crosses a river", options=river_choices)] = ""
    attack_mech: Annotated[
        tuple[int, ...],
        Factors(
            label="Mechanised attack factors",
            help="halved here",
            when=lambda c: attack_is_typed(c) and mech_is_halved(c),
        ),
    ] = ()
    attack_oos: Annotated[
        tuple[int, ...],
        Factors(
            label="Attack factors out of supply",
            help="halved",
            when=lambda c: attack_is_typed(c) and supply_matters(c),
        ),
    ] = ()
    attack_both: Annotated[
        tuple[int, ...],
        Factors(
            label="Mechanised and out of supply",
            help="halved twice",
            when=lambda c: attack_is_typed(c) and supply_matters(c) and mech_is_halved(c),
        ),
    ] = ()
    defence_oos: Annotated[
        tuple[int, ...],
        Factors(
            label="Defence factors out of supply",
            help="halved",
            when=lambda c: defence_is_typed(c) and supply_matters(c),
        ),
    ] = ()
    army: Annotated[str, Choice(label="Army", options=[(a, a) for a in ARMIES], when=army_matters)] = SIXTH
    air: Annotated[str, Choice(label="German aircraft", options=air_choices, when=air_is_possible)] = "0"
    tank_attack: Annotated[
        str,
        Choice(
            label="Tank brigades alone in an attacking hex",
            options=tank_choices,
            when=lambda c: not german_attacks(c) and not known.attackers(c),
        ),
    ] = "no"
    tank_defence: Annotated[
        bool,
        Flag(label="Only tank brigades defend", when=lambda c: german_attacks(c) and not known.defenders(c)),
    ] = False
