"""Units that a tactic brings into a combat: who may come, where to, and what they add [9.0, 9.1, 9.8]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from companion.engine.forms.fields import Choice, Context, Flag, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import drop, learn
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import Reason, fits, on_record, rules
from companion.systems.enemy_action_kharkov.cup import draw_chits, owe_chits
from companion.systems.enemy_action_kharkov.record import (
    adjacent_help,
    against_joining,
    joiners,
    knows_rivers,
    outside,
    river_between,
)
from companion.systems.enemy_action_kharkov.telling import ask_of_units


def _side(ctx: Context) -> str:
    return ctx.duty.to[0] if ctx.duty else ""


def _attacks(ctx: Context) -> bool:
    return ctx.battle is not None and _side(ctx) == ctx.battle.attacker


def _target(battle: Battle | None) -> str:
    return battle.hexes[0] if battle and battle.hexes else ""


def _outside(ctx: Context) -> list[Unit]:
    return outside(ctx.game, ctx.battle, _side(ctx)) if ctx.battle else []


def _joiners(ctx: Context) -> list[Unit]:
    return joiners(ctx.game, ctx.battle, _side(ctx)) if ctx.battle else []


def _chosen(ctx: Context) -> list[Unit]:
    return on_record(ctx.game, ctx.values.get("units") or ())


def _untold(ctx: Context) -> bool:
    """Numbers are asked where no unit on record can come, or the player prefers them."""
    return not _chosen(ctx) and (not _joiners(ctx) or bool(ctx.values.get("by_hand")))


def _beside(game: Game, target: str) -> list[str]:
    """The hexes around the target that no enemy of the attackers holds."""
    taken = {u.side for u in game.units_at(target)}
    return [h for h in game.maps.neighbours(target) if not any(u.side in taken for u in game.units_at(h))]


def _from_afar(ctx: Context) -> list[Unit]:
    """Attackers who have to be moved beside the target first [9.0]."""
    target = _target(ctx.battle)
    if not target or not _attacks(ctx):
        return []
    return [u for u in _chosen(ctx) if u.place not in ctx.game.maps.neighbours(target)]


def _ends(ctx: Context) -> list[tuple[str, str]]:
    game, coming = ctx.game, _from_afar(ctx)
    return [(h, h) for h in _beside(game, _target(ctx.battle)) if fits([*game.units_at(h), *coming])]


def _first_end(ctx: Context) -> str | None:
    """Where the combat's own attackers stand, if there is room."""
    ends = [h for h, _ in _ends(ctx)]
    own = [u.place for u in on_record(ctx.game, ctx.battle.units(_side(ctx)))] if ctx.battle else []
    return next((h for h in own if h in ends), ends[0] if ends else None)


def _rivers_untold(ctx: Context) -> bool:
    if not (_attacks(ctx) and ctx.battle and ctx.battle.facts.get("river")):
        return False
    return _untold(ctx) or (bool(_chosen(ctx)) and not knows_rivers(ctx.game))


def _against_it(ctx: Context) -> Iterator[Reason]:
    """What the rules have against those who come [7.4, 9.1, 9.9, 10.22]."""
    game, target = ctx.game, _target(ctx.battle)
    for unit in _chosen(ctx):
        yield from against_joining(game, unit, attacks=_attacks(ctx))
    if target and not _attacks(ctx) and not fits([*game.units_at(target), *_chosen(ctx)]):
        yield Reason(f"{target} would hold too many units or steps", "7.4")
    if _from_afar(ctx) and not _ends(ctx):
        yield Reason(f"there is no room for all of them beside {target}", "7.4")


@rules.follow_up(rule="9.1", label="Join the combat", warns=_against_it)
def join_combat(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Units",
            help="how far they may come from stands on your tactics aid",
            many=True,
            pick=_outside,
            suggest=_joiners,
            when=lambda c: bool(_outside(c)),
        ),
    ] = (),
    by_hand: Annotated[
        bool,
        Flag(label="Enter numbers instead", when=lambda c: bool(_joiners(c)) and not c.values.get("units")),
    ] = False,
    hex: Annotated[
        str,
        Choice(label="They attack from", options=_ends, start=_first_end, when=lambda c: bool(_from_afar(c))),
    ] = "",
    small: Annotated[
        int, Whole(label="Units with 1 or 2 steps", high=9, when=lambda c: _attacks(c) and _untold(c))
    ] = 0,
    large: Annotated[
        int, Whole(label="Units with 3 steps", high=9, when=lambda c: _attacks(c) and _untold(c))
    ] = 0,
    steps: Annotated[
        int, Whole(label="Their steps", high=9, when=lambda c: not _attacks(c) and _untold(c))
    ] = 0,
    dry: Annotated[bool, Flag(label="They do not attack across the river", when=_rivers_untold)] = False,
    points: Annotated[int, Whole(label="Their strength", high=99, when=_untold)] = 0,
) -> Events:
    """Units brought in by Reinforce Battle or Assault Coordination move up and add to the combat."""
    side, facts = duty.to[0], battle.facts
    yield from _move_up(game, battle, side, units, hex)
    chosen = on_record(game, units)
    if side == battle.attacker:
        changed = _attackers(game, battle, chosen, (small, large), dry)
    else:
        changed = _defenders(game, battle, chosen, steps)
    changed["brought"] = [*facts.get("brought", ()), *units]
    told = facts.get("points", {})
    changed["points"] = {**told, side: told.get(side, 0) + points}
    forces = {side: (*battle.units(side), *units)}
    words = f"{game.side_name(side)} reinforces the combat"
    battle = yield from learn(game, battle, words, forces=forces, **changed)
    if side == battle.attacker:
        yield from _count_hexes(game, battle)
    yield from ask_of_units(game, battle)
    yield from drop(game, draw_chits, battle=battle, why="units joined")
    yield owe_chits(game, battle)


def _attackers(
    game: Game, battle: Battle, chosen: list[Unit], typed: tuple[int, int], dry: bool
) -> dict[str, Any]:
    """What more attackers change: the chits, and whether all attack across the river [9.3, 9.51]."""
    facts, (small, large) = battle.facts, typed
    on_land = dry or _on_land(game, battle, chosen)
    return {
        "small": facts.get("small", 0) + small + sum(u.steps < 3 for u in chosen),
        "large": facts.get("large", 0) + large + sum(u.steps >= 3 for u in chosen),
        "river": bool(facts.get("river")) and not (on_land and game["joiners-river"]),
    }


def _defenders(game: Game, battle: Battle, chosen: list[Unit], steps: int) -> dict[str, Any]:
    """What more defenders change: the required draw, and the friend next door who may be the one who came [9.3, 9.4]."""
    facts = battle.facts
    changed: dict[str, Any] = {"steps": facts.get("steps", 0) + steps + sum(u.steps for u in chosen)}
    if chosen:
        beside = adjacent_help(game, _target(battle), battle.defender)
        changed["adjacent"] = bool(facts.get("adjacent")) and beside
    return changed


def _move_up(game: Game, battle: Battle, side: str, units: tuple[str, ...], hex_id: str) -> Events:
    """Defenders come into the hex, attackers from afar beside it [9.0]."""
    target = _target(battle)
    near = game.maps.neighbours(target) if target else ()
    for unit in on_record(game, units):
        goal = target if side == battle.defender else "" if unit.place in near else hex_id
        if goal and unit.place != goal:
            yield move(game, unit.id, goal, reason="joins the combat", rule="9.0")


def _on_land(game: Game, battle: Battle, chosen: list[Unit]) -> bool:
    """Whether one of them attacks over no big river, as far as the map book tells [9.51]."""
    target = _target(battle)
    return knows_rivers(game) and any(not river_between(game, u.place, target) for u in chosen)


def _count_hexes(game: Game, battle: Battle) -> Events:
    """Units that joined may attack from another hex, as far as all of them stand next to the target [9.4]."""
    units = battle.units(battle.attacker)
    beside = game.maps.neighbours(battle.hexes[0]) if battle.hexes else ()
    places = sorted({game.units[u].place for u in units})
    counted = battle.facts.get("small", 0) + battle.facts.get("large", 0)
    if len(units) == counted and all(p in beside for p in places):
        apart = len(places) == 2 and game.maps.distance(*places) > 1
        yield from learn(game, battle, attacked_from=len(places), apart=apart)
