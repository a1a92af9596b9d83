"""Pursuit, and what is overrun on the way [5.4, 6.1.7, 9.1.5]."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.forms.fields import Context, HexId, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import learn, offer, standing, units_of
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.wb95.base import (
    PURSUIT,
    at_hexes,
    foes_in,
    is_hq,
    is_motorised,
    is_regular,
    is_towed,
    rules,
)
from companion.systems.wb95.losses import remove
from companion.systems.wb95.strength import named_openly
from companion.systems.wb95.telling import came_of
from companion.systems.wb95.terrain import barred, crossed
from companion.systems.wb95.zones import zones

BEYOND = 2  # the emptied hex and one more, where the enemy was eliminated [5.4.10]


@dataclass(frozen=True)
class Prey:
    """A hex that the beaten side left, and how far one may go through it."""

    hex: str
    limit: int
    ends: tuple[str, ...]
    """Where those who went from here fell back to; none where all of them died."""


def prey(game: Game, battle: Battle, loser: str) -> list[Prey]:
    """Hexes of a battle where nobody of the beaten side can hold out any more [5.4.1, 5.4.10]."""
    ways = [w for w in battle.facts.get("retreats", ()) if w["side"] == loser and "origin" in w]
    lost = any(not game.units[n].on_map for n in battle.units(loser) if n in game.units)
    found = []
    for hex_id in battle.facts["stood"].get(loser, ()) if battle.units(loser) else ():
        gone = [w for w in ways if w["origin"] == hex_id]
        if (gone or lost) and not foes_in(game, game.other(loser), hex_id):
            limit = max([int(w["far"]) for w in gone] + ([BEYOND] if lost else []))
            found.append(Prey(hex_id, limit, tuple(str(w["to"]) for w in gone)))
    return found


def _reach(game: Game, unit: Unit, prey: Prey) -> set[str]:
    """Where a unit's pursuit through this hex can end: along the way back and a hex beside it [5.4.2-5.4.8]."""
    side, near = unit.side, game.maps.distance
    if not _open(game, unit, prey.hex):
        return set()
    found, edge = {prey.hex}, [] if _stops(game, unit.place, prey.hex) else [prey.hex]
    if not prey.ends and prey.hex in zones(game, game.other(side)):
        return found  # who enters an enemy zone stops, for this is movement [5.4.10]
    for _ in range(1, prey.limit):
        ahead = []
        for here in edge:
            for there in game.maps.neighbours(here):
                if there in found or not _open(game, unit, there):
                    continue
                found.add(there)
                on_the_way = any(
                    near(prey.hex, there) + near(there, e) == near(prey.hex, e) for e in prey.ends
                )
                if on_the_way and not _stops(game, here, there):
                    ahead.append(there)
        edge = ahead
    return found


def _open(game: Game, unit: Unit, hex_id: str) -> bool:
    """Neither held by the enemy nor closed ground [3.1.8, 5.4.7]."""
    return not foes_in(game, unit.side, hex_id) and not barred(game, hex_id, is_motorised(unit))


def _stops(game: Game, here: str, there: str) -> bool:
    """Who has crossed a big river goes no further [5.4.8]."""
    return bool(game["doniec-is-big"]) and "doniec" in crossed(game, here, there)


@rules.watch
def conclude(game: Game) -> Events:
    """Once losses, retreats and their price are done with, the winner may pursue, asked once a battle [5.2.1]."""
    for battle in list(game.battles.values()):
        facts = battle.facts
        if not battle.result or facts.get("kind") != "combat" or facts.get("concluded"):
            continue
        if any(duty.step < PURSUIT for duty in game.duties(battle)):
            continue
        yield from learn(game, battle, concluded=True)
        for loser in (battle.defender, battle.attacker):
            yield from _offer_pursuit(game, battle, game.other(loser))


def _offer_pursuit(game: Game, battle: Battle, side: str) -> Events:
    loser = game.other(side)
    found = prey(game, battle, loser)
    victors = [u.id for u in standing(game, battle, side) if not is_towed(u) and _beside(game, u, found)]
    if found and (victors or not battle.units(side)):
        where = " or ".join(p.hex for p in found)
        limit = max(p.limit for p in found)
    elif not battle.units(loser) and (_bare_limit(battle, loser)) and (victors or not battle.units(side)):
        where, limit = (
            " or ".join(battle.facts["stood"].get(loser, ())) or "the hex",
            _bare_limit(battle, loser),
        )
    else:
        return
    text = f"{game.side_name(side)}: may pursue into {where}, up to {count(limit, 'hex', 'hexes')}"
    yield offer(game, side, text, pursue, battle=battle, step=PURSUIT, units=victors, rule="5.4")


def _beside(game: Game, unit: Unit, found: list[Prey]) -> bool:
    """The first hex of a pursuit is the one that was left [5.4.4]."""
    return not found or any(game.maps.distance(unit.place, p.hex) <= 1 for p in found)


def _bare_limit(battle: Battle, loser: str) -> int:
    """How far one may follow a side that is not on record."""
    far = [int(w["far"]) for w in battle.facts.get("retreats", ()) if w["side"] == loser]
    gone = battle.facts.get("gone") and loser == battle.defender
    return max([*far, BEYOND if gone else 0])


def _victors(ctx: Context) -> list[Unit]:
    """Towed units do not pursue [5.4.9]."""
    return units_of(ctx.game, ctx.duty) if ctx.duty else []


def _goals(ctx: Context) -> list[str]:
    game, battle, able = ctx.game, ctx.battle, _victors(ctx)
    if battle is None or not able:
        return []
    left = prey(game, battle, game.other(able[0].side))
    ends = {h for p in left for u in able if _beside(game, u, [p]) for h in _reach(game, u, p)}
    first = [p.hex for p in left]
    return [*first, *sorted(ends - set(first) - {u.place for u in able})]


@dataclass(frozen=True)
class Goal(HexId):
    """Where a pursuit can end, the emptied hex first."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "choices": [{"value": h, "label": h} for h in _goals(ctx)]}


def _against_pursuit(ctx: Context) -> list[str]:
    """What the rules have against it [3.1.8, 5.4.4, 5.4.6, 5.4.7]."""
    game, to = ctx.game, str(ctx.values.get("to") or "")
    units = [game.units[u] for u in ctx.values.get("units") or ()] or _victors(ctx)
    if not units or not to or ctx.battle is None:
        return []
    side, found = units[0].side, []
    if foes_in(game, side, to):
        found.append(f"the enemy holds {to} (3.1.8)")
    elif to not in _goals(ctx):
        found.append(f"{to} is not on or beside the way back, or too far (5.4.2, 5.4.6)")
    entries = prey(game, ctx.battle, game.other(side))
    for unit in units:
        if not _beside(game, unit, entries):
            found.append(f"{unit.name} is not beside the hex that was left (5.4.4)")
        elif to in _goals(ctx) and not any(to in _reach(game, unit, p) for p in entries):
            found.append(f"{unit.name} stops behind the big river (5.4.8)")
        if barred(game, to, is_motorised(unit)):
            found.append(f"{to} is closed to {unit.name} (5.4.7)")
    return found


def _still_open(game: Game, duty: e.Asked) -> bool:
    battle = game.battles.get(duty.battle)
    if battle is None or (duty.units and not units_of(game, duty)):
        return False
    side = next(s for s in duty.to if s in game.sides)
    return not battle.units(game.other(side)) or bool(prey(game, battle, game.other(side)))


@rules.follow_up(rule="5.4", label="Pursue", still=_still_open, warns=_against_pursuit)
def pursue(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Pursuing units",
            many=True,
            pick=_victors,
            help="nobody named: all",
            quiet=lambda c: len(_victors(c)) < 2,
        ),
    ] = (),
    to: Annotated[
        str, Goal(label="Ending in", start=lambda c: (_goals(c) or [""])[0], when=lambda c: bool(_goals(c)))
    ] = "",
) -> Events:
    """Follow the beaten side; guns and headquarters left alone in hexes that are entered are lost."""
    able = units_of(game, duty)
    going = [u for u in able if u.id in units] or able
    side = next(s for s in duty.to if s in game.sides)
    if not able:
        yield came_of(battle, f"{game.side_name(side)} pursues", "5.4")
        return
    found = prey(game, battle, game.other(side))
    to = to or found[0].hex
    through = next((p.hex for p in found for u in going if to in _reach(game, u, p)), to)
    yield came_of(battle, f"{named_openly(game, going)} pursues into {to}", "5.4", told=True)
    for unit in going:
        yield move(game, unit.id, to, reason="pursuit", rule="5.4")
    yield from overrun(game, game.other(side), [through, to])
    left = [u.id for u in able if u not in going]
    if left:
        yield offer(game, side, duty.text, pursue, battle=battle, step=PURSUIT, units=left, rule="5.4")


def overrun(game: Game, victim: str, hexes: Iterable[str]) -> Events:
    """Guns and headquarters without a regular unit die when the enemy enters [6.1.7, 9.1.5]."""
    for hex_id in dict.fromkeys(hexes):
        here = at_hexes(game, victim, [hex_id])
        if here and not any(is_regular(u) for u in here):
            for unit in here:
                rule = "9.1.5" if is_hq(unit) else "6.1.7"
                yield from remove(game, unit.id, "overrun", rule)
