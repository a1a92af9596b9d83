"""Who may know what a unit is, and what lies in a zone of a pile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from companion.engine.kit.roster import Unit
from companion.engine.record.game import Game


def may_see_unit(game: Game, unit: Unit, seat: str) -> bool:
    """Whether a seat may know what a unit is: its own, or the enemy's as far as the game lets him look."""
    if seat == unit.side:
        return True
    if unit.only and seat not in unit.only:
        return False
    if not game["fog"] or game.kit.enemy_stacks == "all" or not unit.on_map:
        return True
    if unit.id in game.laid_open:
        return True
    if game.kit.enemy_stacks == "top":
        own = [u.id for u in stack_of(game, unit) if u.side == unit.side]
        return own[0] == unit.id  # where both sides share a hex, each has a top unit of its own
    return False


def seen_units(game: Game, units: Iterable[Unit], seat: str) -> list[Unit]:
    """Those of the units that a seat may know for what they are."""
    return [u for u in units if may_see_unit(game, u, seat)]


def may_see_mark(game: Game, target: str, marker: str, seat: str) -> bool:
    """Whether a unit or hex carries a marker that a seat may see."""
    held = game.lying(target, marker)
    return held is not None and (not held.only or seat in held.only)


def stack_of(game: Game, unit: Unit) -> list[Unit]:
    """The stack a unit lies in, top first."""
    return game.stacks().get(unit.place) or game.units_at(unit.place)


def zone_rule(game: Game, pile: str, zone: str) -> str:
    """Who may look into a zone, as the kit has it: all, its owner, or nobody (count, none)."""
    definition = next((p for p in game.kit.piles if p.id == pile), None)
    base = zone.partition(":")[0]
    return next((z.seen for z in definition.zones if z.id == base), "count") if definition else "count"


def may_see_zone(game: Game, pile: str, zone: str, seat: str) -> bool:
    """Whether a seat may know what lies in a zone; a zone under a unit belongs to the unit's side."""
    owner = zone.partition(":")[2]
    if owner in game.units:
        owner = game.units[owner].side
    side = next((p.side for p in game.kit.piles if p.id == pile), "")
    rule = zone_rule(game, pile, zone)
    return rule == "all" or (rule == "owner" and seat == (owner or side))


def known_factors(game: Game, unit: Unit) -> Mapping[str, int]:
    """The factors anybody knows: an untried unit shows only what its back shows."""
    if not unit.untried:
        return unit.factors
    return {name: value for name, value in unit.factors.items() if name in game.kit.untried_factors}
