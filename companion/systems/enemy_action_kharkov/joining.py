"""Units that a tactic brings into a combat [9.1, 9.8]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context, Flag, SideRef, UnitRef, Whole
from companion.engine.record.game import Game

from .base import armour, called, on_map, rules, side_at, side_of, strength
from .fight import Fight, current, in_hand, save
from .tactics import before_the_chits


def _pinned(game: Game, unit: Unit) -> bool:
    """Beside an active enemy, so that it cannot reinforce: the rulebook's list of changes says so, without a number."""
    near = [u for h in game.maps.neighbours(unit.place) for u in game.units_at(h)]
    return any(u.side != unit.side and game.mark(u.id, "active") for u in near)


def _joiners(ctx: Context) -> list[Unit]:
    fight = current(ctx.game)
    inside = (*fight.units, *fight.defenders) if fight else ()
    return [u for u in on_map(ctx.game, side_of(ctx)) if fight and u.id not in inside]


def _by_hand(ctx: Context, attacking: bool) -> bool:
    """Numbers are asked only where no unit on record tells them."""
    fight = current(ctx.game)
    return fight is not None and not ctx.values.get("units") and (side_of(ctx) == fight.attacker) is attacking


def _crossing(ctx: Context) -> bool:
    fight = current(ctx.game)
    return fight is not None and fight.river and side_of(ctx) == fight.attacker


@rules.action(
    phase="command", by="any", rule="9.1", label="Join the combat", group="hidden", when=before_the_chits
)
def join_combat(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=side_at, quiet=lambda c: bool(c.values.get("side")))],
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Units", many=True, pick=_joiners, when=lambda c: bool(_joiners(c))),
    ] = (),
    small: Annotated[
        int, Whole(label="Units with 1 or 2 steps", high=9, when=lambda c: _by_hand(c, True))
    ] = 0,
    large: Annotated[int, Whole(label="Units with 3 steps", high=9, when=lambda c: _by_hand(c, True))] = 0,
    steps: Annotated[int, Whole(label="Their steps", high=9, when=lambda c: _by_hand(c, False))] = 0,
    dry: Annotated[bool, Flag(label="They do not attack across the river", when=_crossing)] = False,
    points: Annotated[
        int, Whole(label="Their strength", high=99, when=lambda c: not c.values.get("units"))
    ] = 0,
) -> Events:
    """Units brought in by Reinforce Battle or Assault Coordination add to the combat."""
    fight = in_hand(game)
    chosen = [game.units[u] for u in units]
    pinned = [called(u) for u in chosen if side == fight.defender and _pinned(game, u)]
    if pinned:
        raise NotNow(f"{', '.join(pinned)}: a unit beside an active enemy cannot reinforce", field="units")
    points += sum(strength(u) or 0 for u in chosen)
    armoured = any(armour(u, game) for u in chosen)
    if side == fight.attacker:
        fight.small += small + sum(u.steps < 3 for u in chosen)
        fight.large += large + sum(u.steps >= 3 for u in chosen)
        fight.attack += points
        fight.units += units
        _count_hexes(game, fight)
        fight.river = fight.river and not (dry and game["joiners-river"])
        fight.attacker_armour = fight.attacker_armour or armoured
    else:
        fight.steps += steps + sum(u.steps for u in chosen)
        fight.defence += points
        fight.defenders += units
        fight.defender_armour = fight.defender_armour or armoured
    yield save(fight, f"{game.side_name(side)} reinforces the combat")


def _count_hexes(game: Game, fight: Fight) -> None:
    """Units that joined may attack from another hex, as far as all of them stand next to the target [9.4]."""
    beside = game.maps.neighbours(fight.target) if fight.target else ()
    places = sorted({game.units[u].place for u in fight.units})
    if len(fight.units) == fight.small + fight.large and all(p in beside for p in places):
        fight.hexes = len(places)
        fight.apart = len(places) == 2 and game.maps.distance(*places) > 1
