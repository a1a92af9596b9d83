"""What the combat form asks, and when: a question that cannot apply is not asked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from companion.engine.errors import Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.fields import Context, Text, UnitRef
from companion.engine.positions.situation import board
from companion.systems.second_kharkov import known
from companion.systems.second_kharkov.base import FIGHT, GERMAN, SOVIET
from companion.systems.second_kharkov.battle import INTO
from companion.systems.second_kharkov.ground import TERRAINS
from companion.systems.second_kharkov.units import ARMY_DIALS, seen_by

SIDES = ((SOVIET, "Soviet"), (GERMAN, "German"))
RIVERS = (("none", "none"), ("minor", "minor"), ("major", "major, or a crossing"))


@dataclass(frozen=True)
class Factors(Text):
    """Combat factors: one sum, or hex by hex so that each stack is rounded for itself (1.5)."""

    most: int = 60
    placeholder: str = "26, or hex by hex 14+12"
    halved: tuple[str, ...] = ()
    """For the plain factors: the fields for those that are halved. One of all of them must be filled in."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        plain = super().describe(ctx)
        if not self.halved:
            return plain
        help_text = "those not halved" if halving(ctx) else ""
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


def no_table(ctx: Context) -> bool:
    return ctx.game is None


def any_side(ctx: Context) -> bool:
    return ctx.game is None or ctx.game.phase not in FIGHT.values()


def german_attacks(ctx: Context) -> bool:
    return known.attacking_side(ctx) == GERMAN


def attack_is_typed(ctx: Context) -> bool:
    return not known.all_known(ctx, known.attackers(ctx), "AF")


def defence_is_typed(ctx: Context) -> bool:
    return not known.all_known(ctx, known.defenders(ctx), "DF")


def supply_matters(ctx: Context) -> bool:
    return known.turn(ctx) > 1  # 5.5


def mech_is_halved(ctx: Context) -> bool:
    return known.terrain(ctx) in INTO


def halving(ctx: Context) -> bool:
    """Whether some factors may have to be halved, and so typed apart."""
    return supply_matters(ctx) or mech_is_halved(ctx)


def army_matters(ctx: Context) -> bool:
    """6.2, 13.4: whether it makes a difference which army attacks."""
    return ctx.game is not None and any(ctx.game[dial] != "released" for dial in ARMY_DIALS.values())


def tank_choices(ctx: Context) -> list[tuple[str, str]]:
    """12.25: one all-tank hex is enough; whether all of several hexes count twice is a table's reading."""
    plain = [("no", "no"), ("hex", "yes")]
    if ctx.game is not None and ctx.game["tank-doctrine"] == "twice":
        return [*plain, ("every", "in all of several hexes")]
    return plain


def air_is_possible(ctx: Context) -> bool:
    if ctx.game is None:
        return known.turn(ctx) > 1
    return int(ctx.game["air-free"]) > 0 and ctx.game.mark(known.target(ctx), "target") is None


def air_choices(ctx: Context) -> list[tuple[str, str]]:
    """12.17: how many aircraft may be promised to one battle."""
    free = int(ctx.game["air-free"]) if ctx.game else 6
    most = free if ctx.game is None or ctx.game["air-per-battle"] == "many" else min(1, free)
    return [("0", "none"), *((str(n), str(n)) for n in range(1, most + 1))]


def terrain_choices(ctx: Context) -> list[tuple[str, str]]:
    """Untouched, the field follows the target hex on the map; where the map is blank that is clear ground."""
    mapped = known.mapped_terrain(ctx)
    return [("", f"as mapped: {mapped}"), *TERRAINS] if mapped else [("", "clear"), *TERRAINS[1:]]


def river_choices(ctx: Context) -> list[tuple[str, str]]:
    """12.14: the same for rivers, once some are entered and the attackers known; a crossing fights as major."""
    if ctx.game is not None and board(ctx.game).features and known.target(ctx) and known.attackers(ctx):
        return [("", f"as mapped: {known.mapped_river(ctx)}"), *RIVERS]
    return [("", "none"), *RIVERS[1:]]


def attackers_on_map(ctx: Context) -> list[Unit]:
    """The attacker's units that this seat may name; after the stacks are opened, all that were declared."""
    mine = [u for u in seen_by(ctx, known.attacking_side(ctx)) if u.on_map]
    return list({u.id: u for u in (*(known.attackers(ctx) if known.opened(ctx) else []), *mine)}.values())


def near_target(ctx: Context) -> list[Unit]:
    """12.1: attackers to pick from, next to the target when it is known."""
    near = around_target(ctx)
    return [u for u in attackers_on_map(ctx) if not near or u.place in near]


def around_target(ctx: Context) -> set[str]:
    hex_id = known.target(ctx)
    return set(ctx.game.maps.neighbours(hex_id)) if ctx.game and hex_id else set()


@dataclass(frozen=True)
class Attackers(UnitRef):
    """Who attacks. The shared screen knows the top of a stack only, and says so (7.6)."""

    def seen(self, ctx: Context, units: Iterable[Unit]) -> list[Unit]:
        """12.17: once the stacks are opened, everybody knows who was declared."""
        there = list(units)
        shown = [*super().seen(ctx, there), *(known.declared(ctx) if known.opened(ctx) else [])]
        return [u for u in there if u in shown]

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "help": self._closed(ctx)}

    def _closed(self, ctx: Context) -> str:
        game, side, near = ctx.game, known.attacking_side(ctx), around_target(ctx)
        if game is None:
            return ""
        there = [
            u for u in game.units.values() if u.side == side and u.on_map and (not near or u.place in near)
        ]
        open_ones = {u.id for u in self.seen(ctx, there)}
        if all(u.id in open_ones for u in there):
            return ""
        return (
            f"the top unit of each stack; lower ones are named on the {game.side_name(side)} phone,"
            " or type factors and name nobody (7.6)"
        )
