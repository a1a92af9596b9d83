"""Units that a tactic brings into a combat [9.1, 9.8]."""

from __future__ import annotations

from typing import Annotated, Any

from companion.engine.forms.fields import Context, Flag, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import drop, learn
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import on_record, rules
from companion.systems.enemy_action_kharkov.combat import ask_of_units
from companion.systems.enemy_action_kharkov.cup import draw_chits, owe_chits


def _side(ctx: Context) -> str:
    return ctx.duty.to[0] if ctx.duty else ""


def _attacks(ctx: Context) -> bool:
    return ctx.battle is not None and _side(ctx) == ctx.battle.attacker


def _pinned(game: Game, unit: Unit) -> bool:
    """Beside an active enemy, so that it cannot reinforce: the rulebook's list of changes says so, without a number."""
    near = [u for h in game.maps.neighbours(unit.place) for u in game.units_at(h)]
    return any(u.side != unit.side and game.mark(u.id, "active") for u in near)


def _joiners(ctx: Context) -> list[Unit]:
    """Own units outside the combat that may come."""
    battle, game = ctx.battle, ctx.game
    if battle is None:
        return []
    own = [u for u in on_map(game, _side(ctx)) if u.id not in battle.units(u.side)]
    return own if _attacks(ctx) else [u for u in own if not _pinned(game, u)]


def _untold(ctx: Context) -> bool:
    """Numbers are asked only where no unit on record tells them."""
    return not ctx.values.get("units")


@rules.follow_up(rule="9.1", label="Join the combat")
def join_combat(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Units", many=True, pick=_joiners, when=lambda c: bool(_joiners(c))),
    ] = (),
    small: Annotated[
        int, Whole(label="Units with 1 or 2 steps", high=9, when=lambda c: _attacks(c) and _untold(c))
    ] = 0,
    large: Annotated[
        int, Whole(label="Units with 3 steps", high=9, when=lambda c: _attacks(c) and _untold(c))
    ] = 0,
    steps: Annotated[
        int, Whole(label="Their steps", high=9, when=lambda c: not _attacks(c) and _untold(c))
    ] = 0,
    dry: Annotated[
        bool,
        Flag(
            label="They do not attack across the river",
            when=lambda c: _attacks(c) and bool(c.battle and c.battle.facts.get("river")),
        ),
    ] = False,
    points: Annotated[int, Whole(label="Their strength", high=99, when=_untold)] = 0,
) -> Events:
    """Units brought in by Reinforce Battle or Assault Coordination add to the combat."""
    side, facts = duty.to[0], battle.facts
    chosen = on_record(game, units)
    changed: dict[str, Any] = {
        "brought": [*facts.get("brought", ()), *units],
        "points": {**facts.get("points", {}), side: facts.get("points", {}).get(side, 0) + points},
    }
    if side == battle.attacker:
        changed["small"] = facts.get("small", 0) + small + sum(u.steps < 3 for u in chosen)
        changed["large"] = facts.get("large", 0) + large + sum(u.steps >= 3 for u in chosen)
        changed["river"] = bool(facts.get("river")) and not (dry and game["joiners-river"])
    else:
        changed["steps"] = facts.get("steps", 0) + steps + sum(u.steps for u in chosen)
    forces = {side: (*battle.units(side), *units)}
    battle = yield from learn(
        game, battle, f"{game.side_name(side)} reinforces the combat", forces=forces, **changed
    )
    if side == battle.attacker:
        yield from _count_hexes(game, battle)
    yield from ask_of_units(game, battle)
    yield from drop(game, draw_chits, battle=battle, why="units joined")
    yield owe_chits(game, battle)


def _count_hexes(game: Game, battle: Battle) -> Events:
    """Units that joined may attack from another hex, as far as all of them stand next to the target [9.4]."""
    units = battle.units(battle.attacker)
    beside = game.maps.neighbours(battle.hexes[0]) if battle.hexes else ()
    places = sorted({game.units[u].place for u in units})
    counted = battle.facts.get("small", 0) + battle.facts.get("large", 0)
    if len(units) == counted and all(p in beside for p in places):
        apart = len(places) == 2 and game.maps.distance(*places) > 1
        yield from learn(game, battle, attacked_from=len(places), apart=apart)
