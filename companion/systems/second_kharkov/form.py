"""What the combat form asks, and when: a question that cannot apply is not asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Flag, HexId, Text, Whole
from companion.engine.kit.roster import Unit
from companion.engine.positions import pieces
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_mark, may_see_unit
from companion.systems.second_kharkov import known
from companion.systems.second_kharkov.armies import frozen, restricted
from companion.systems.second_kharkov.base import FIGHT, GERMAN, SIDES, in_play
from companion.systems.second_kharkov.ground import TERRAINS
from companion.systems.second_kharkov.odds import INTO
from companion.systems.second_kharkov.units import ARMIES, ARMY_DIALS, SIXTH, Apart, armies_of, label, seen_by

RIVERS = (("none", "none"), ("minor", "minor"), ("major", "major, or a crossing"))


# -- what applies ----------------------------------------------------------------------------------


def no_table(ctx: Context) -> bool:
    return not in_play(ctx.game)


def any_side(ctx: Context) -> bool:
    return ctx.game.phase not in FIGHT.values()


def german_attacks(ctx: Context) -> bool:
    return known.attacking_side(ctx) == GERMAN


def blank_attackers(ctx: Context) -> list[Unit]:
    return known.blank(ctx, known.attackers(ctx), "AF")


def blank_defenders(ctx: Context) -> list[Unit]:
    return known.blank(ctx, known.defenders(ctx), "DF")


def attack_is_typed(ctx: Context) -> bool:
    return not known.attackers(ctx) or bool(blank_attackers(ctx))


def defence_is_typed(ctx: Context) -> bool:
    return not known.defenders(ctx) or bool(blank_defenders(ctx))


def later(units: Callable[[Context], list[Unit]]) -> Callable[[Context], bool]:
    """Whether factors are asked at the roll alone: one of these counters must be turned over first [2.14]."""
    return lambda ctx: ctx.duty is None and any(u.untried for u in units(ctx))


def nobody_named(ctx: Context) -> bool:
    """Of units on record the companion knows who is halved; of typed factors the players say it."""
    return not known.attackers(ctx)


def nobody_there(ctx: Context) -> bool:
    return not known.holders(ctx)


def supply_matters(ctx: Context) -> bool:
    return known.turn(ctx) > 1  # [5.5]


def none_is_out(ctx: Context) -> bool:
    """Nobody has said that somebody is out of supply: the fields for it stay folded."""
    return not ctx.values.get("out")


def mech_is_halved(ctx: Context) -> bool:
    return known.terrain(ctx) in INTO


def army_matters(ctx: Context) -> bool:
    """Whether it makes a difference which army attacks [6.2, 13.4], and nobody on record tells."""
    held = in_play(ctx.game) and any(ctx.game[dial] != "released" for dial in ARMY_DIALS.values())
    return held and german_attacks(ctx) and not armies_of(known.attackers(ctx))


def air_is_possible(ctx: Context) -> bool:
    """The German promises aircraft with his own attack; against a Soviet one he is asked on his own phone [12.17]."""
    return known.free_aircraft(ctx) > 0 and (no_table(ctx) or german_attacks(ctx))


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
    """The attacker's units that this seat may name."""
    return [u for u in seen_by(ctx, known.attacking_side(ctx)) if u.on_map]


def any_attacker(ctx: Context) -> bool:
    """Whether there are any: mostly the first is one."""
    mine = pieces.on_map(ctx.game, known.attacking_side(ctx))
    return any(may_see_unit(ctx.game, u, ctx.seat) for u in mine)


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
    """Combat factors: of each unit on record whose factor is not known yet, in order; of all others one sum,
    or hex by hex so that each stack is rounded for itself [1.5]."""

    most: int = 120
    placeholder: str = "26"
    keys: str = "tel"  # 5+4 needs a plus
    units: Callable[[Context], list[Unit]] = lambda ctx: []
    """The units on record that a factor is asked of, one each."""
    halved: tuple[str, ...] = ()
    """For the plain factors: the fields for those that are halved. One of all of them must be filled in."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        plain, asked = super().describe(ctx), self.units(ctx)
        if asked:
            sample = "+".join(str(5 - n % 3) for n in range(len(asked)))
            names = ", ".join(map(label, asked))
            help_text = f"one number each: {names}"
            return {**plain, "help": help_text, "placeholder": sample, "required": ctx.duty is not None}
        if not self.halved:
            return plain
        split = not none_is_out(ctx) or ("attack_mech" in self.halved and mech_is_halved(ctx))
        help_text = "those not halved" if split else ""
        wanted = not any(ctx.values.get(n) for n in self.halved) and not known.is_closed(ctx)
        return {**plain, "help": help_text, "required": wanted}

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
        numbers, asked = tuple(int(n) for n in re.findall(r"\d+", text)), self.units(ctx)
        if asked and len(numbers) != len(asked):
            words = f"one number each for {', '.join(map(label, asked))}, not {len(numbers)}"
            raise Unreadable(words, given=text, accepted="+".join("5" for _ in asked))
        return numbers


@dataclass(frozen=True)
class Target(HexId):
    """The hex attacked: enemies on record next to one's own units are offered. What another attack ends is said."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        offered = [{"value": h, "label": h} for h in in_reach(ctx)]
        lost = [words for _, words in given_up(ctx.game)] if ctx.duty is None and in_play(ctx.game) else []
        help_text = f"this attack gives up {' and '.join(lost)} (12.21)" if lost else ""
        return {**super().describe(ctx), "choices": offered, "help": help_text}


def given_up(game: Game) -> list[tuple[e.Asked, str]]:
    """What the last battle still offers, and the next one ends: it is taken before another is fought [12.21, 12.22]."""
    found = []
    for duty in game.duties():
        battle = game.battles.get(duty.battle)
        if (
            battle is not None
            and battle.result
            and not duty.is_owed
            and duty.action in ("advance", "exploit")
        ):
            where = f" into {battle.hexes[0]}" if battle.hexes and duty.action == "advance" else ""
            word = "the advance" if duty.action == "advance" else "the exploitation"
            found.append((duty, f"{word}{where}"))
    return found


def in_reach(ctx: Context) -> list[str]:
    """The enemy's hexes next to units that may still attack [12.1, 12.4]; not those attacked already."""
    game, side = ctx.game, known.attacking_side(ctx)
    mine = [u for u in pieces.on_map(game, side) if not game.mark(u.id, "attacked")]
    near = {h for u in mine for h in game.maps.neighbours(u.place)}
    there = {u.place for u in pieces.on_map(game, game.other(side)) if game.mark(u.id, "defended") != u.place}
    return sorted(there & near)


def only_target(ctx: Context) -> str:
    """Where one hex alone can be attacked, it is chosen already."""
    there = in_reach(ctx)
    return there[0] if len(there) == 1 else ""


@dataclass(frozen=True)
class Attackers(Apart):
    """Who attacks, and who has already [12.4]. The shared screen knows the top of a stack only, and says so [7.6]."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        plain = super().describe(ctx)
        spent = [
            c["value"] for c in plain["choices"] if may_see_mark(ctx.game, c["value"], "attacked", ctx.seat)
        ]
        choices = [
            {**c, "label": f"{c['label']}, has attacked"} if c["value"] in spent else c
            for c in plain["choices"]
        ]
        return {**plain, "choices": choices, "help": self._closed(ctx)}

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


def likely_attackers(ctx: Context) -> list[str]:
    """All next to the target that may attack; nobody on the shared screen, where it might be half a stack."""
    game = ctx.game
    if not known.target(ctx) or ctx.seat != known.attacking_side(ctx):
        return []
    able = [u for u in near_target(ctx) if not game.mark(u.id, "attacked") and not frozen(game, u, "")]
    able = [u for u in able if not restricted(game, u.formation)]
    return [u.id for u in able] if len(armies_of(able)) < 2 else []  # one army to an attack [12.24]


ATTACKERS = Attackers(
    label="Attackers",
    many=True,
    pick=attackers_on_map,
    suggest=near_target,
    start=likely_attackers,
    when=any_attacker,
    quiet=lambda c: not known.target(c),  # who stands next to it is chosen as it is named
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
    target: Annotated[str, Target(label="Target hex", start=only_target)] = ""
    attackers: Annotated[tuple[str, ...], ATTACKERS] = ()
    attack: Annotated[
        tuple[int, ...],
        Factors(
            label="Attack factors",
            placeholder="26, or hex by hex 14+12",
            when=attack_is_typed,
            quiet=later(blank_attackers),
            units=blank_attackers,
            halved=("attack_mech", "attack_oos", "attack_both"),
        ),
    ] = ()
    defence: Annotated[
        tuple[int, ...],
        Factors(
            label="Defence factors",
            when=defence_is_typed,
            quiet=later(blank_defenders),
            units=blank_defenders,
            halved=("defence_oos",),
        ),
    ] = ()
    terrain: Annotated[str, Choice(label="Defender in", options=terrain_choices)] = ""
    river: Annotated[str, Choice(label="Every attacker crosses a river", options=river_choices)] = ""
    attack_mech: Annotated[
        tuple[int, ...],
        Factors(
            label="Mechanised attack factors",
            help="halved here",
            when=lambda c: nobody_named(c) and mech_is_halved(c),
        ),
    ] = ()
    out: Annotated[
        bool,
        Flag(
            label="Somebody is out of supply",
            when=lambda c: (nobody_named(c) or nobody_there(c)) and supply_matters(c),
        ),
    ] = False
    attack_oos: Annotated[
        tuple[int, ...],
        Factors(
            label="Attack factors out of supply",
            help="halved",
            when=lambda c: nobody_named(c) and supply_matters(c),
            quiet=none_is_out,
        ),
    ] = ()
    attack_both: Annotated[
        tuple[int, ...],
        Factors(
            label="Mechanised and out of supply",
            help="halved twice",
            when=lambda c: nobody_named(c) and supply_matters(c) and mech_is_halved(c),
            quiet=none_is_out,
        ),
    ] = ()
    defence_oos: Annotated[
        tuple[int, ...],
        Factors(
            label="Defence factors out of supply",
            help="halved",
            when=lambda c: nobody_there(c) and supply_matters(c),
            quiet=none_is_out,
        ),
    ] = ()
    army: Annotated[str, Choice(label="Army", options=[(a, a) for a in ARMIES], when=army_matters)] = SIXTH
    air: Annotated[str, Choice(label="German aircraft", options=air_choices, when=air_is_possible)] = "0"
    tank_attack: Annotated[
        str,
        Choice(
            label="Tank brigades alone in an attacking hex",
            options=tank_choices,
            when=lambda c: not german_attacks(c) and nobody_named(c),
        ),
    ] = "no"
    tank_defence: Annotated[
        bool,
        Flag(label="Only tank brigades defend", when=lambda c: german_attacks(c) and nobody_there(c)),
    ] = False
