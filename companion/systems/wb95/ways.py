"""Where a retreat leads: the hexes that are open, who goes to which, and what it costs on the way [5.3.2-5.3.6, 5.3.10]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.forms.fields import Choice, Context, HexId, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Action, Events
from companion.engine.play.duties import learn, owe, units_of
from companion.engine.positions.pieces import count, on_map
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import IN_PASSING, move, put_mark
from companion.engine.record.game import Game
from companion.systems.wb95.base import (
    MOVE,
    STACKING,
    WHERE,
    at_hexes,
    is_motorised,
    occupants,
    rules,
    take_off_own,
)
from companion.systems.wb95.losses import take_level
from companion.systems.wb95.shaken import stays_shaken
from companion.systems.wb95.strength import named_openly
from companion.systems.wb95.telling import came_of
from companion.systems.wb95.terrain import barred, bridged, crossed
from companion.systems.wb95.zones import zones


def side_of(game: Game, duty: e.Asked) -> str:
    return next(s for s in duty.to if s in game.sides)


def meant(ctx: Context) -> list[Unit]:
    """Those of the duty who are left."""
    return units_of(ctx.game, ctx.duty) if ctx.duty else []


def owe_way(
    game: Game,
    battle: Battle,
    side: str,
    origin: str,
    units: Sequence[str],
    far: int,
    action: Action | str = "fall-back",
) -> e.Asked:
    text = f"{game.side_name(side)}: {origin} falls back {count(far, 'hex', 'hexes')}: where to?"
    return owe(
        game,
        side,
        text,
        action,
        battle=battle,
        step=WHERE,
        units=units,
        rule="5.3.2",
        origin=origin,
        far=far,
    )


def refuges(game: Game, units: Sequence[Unit], origin: str, far: int) -> dict[str, int]:
    """Hexes just so far away that a retreat can end in, with the CEL that each unit pays on the way [5.3.2-5.3.6]."""
    side = units[0].side
    held, threat = occupants(game), zones(game, game.other(side))
    reached = {origin: 0}
    for ring in range(1, far + 1):
        step: dict[str, int] = {}
        for here, paid in reached.items():
            for there in game.maps.neighbours(here):
                if game.maps.distance(origin, there) != ring or _barred(game, units, here, there, held):
                    continue
                if there in threat and held.get(there) != side:
                    continue
                cost = paid + (there in threat)
                step[there] = min(cost, step.get(there, cost))
        reached = step
    weight = sum(u.steps for u in units)
    return {h: paid for h, paid in sorted(reached.items()) if _load(game, side, h) + weight <= STACKING}


def _barred(game: Game, units: Sequence[Unit], here: str, there: str, held: Mapping[str, str]) -> bool:
    """Enemies, closed ground, or a big river without a bridge [3.1.8, 5.3.3, 5.3.5]."""
    side = units[0].side
    river = (
        game["doniec-is-big"] and "doniec" in crossed(game, here, there) and not bridged(game, here, there)
    )
    if river or held.get(there, side) != side:
        return True
    return any(barred(game, there, is_motorised(u)) for u in units)


def _load(game: Game, side: str, hex_id: str) -> int:
    return sum(u.steps for u in at_hexes(game, side, [hex_id]))


def _group(ctx: Context) -> list[Unit]:
    """Those of the duty who still stand where they fought."""
    return [u for u in meant(ctx) if u.place == ctx.args.get("origin")]


def _open_ways(ctx: Context, units: Sequence[Unit]) -> dict[str, int]:
    if not units:
        return {}
    return refuges(ctx.game, units, str(ctx.args["origin"]), int(ctx.args["far"]))


ELSEWHERE = "elsewhere"
MOST_WAYS = 5


def _likely(ctx: Context) -> list[tuple[str, str]]:
    """The ways that cost least and lead furthest from the enemy; the others, and a stack that parts, are a tap further."""
    game, group = ctx.game, _group(ctx)
    ways = _open_ways(ctx, group)
    foes = [u.place for u in on_map(game, game.other(group[0].side))] if group else []

    def exposed_to(hex_id: str) -> tuple[int, int, str]:
        return ways[hex_id], -min((game.maps.distance(hex_id, f) for f in foes), default=0), hex_id

    best = sorted(ways, key=exposed_to)[:MOST_WAYS]
    rows = [(h, f"To {h}, each loses {ways[h]} CEL" if ways[h] else f"To {h}") for h in best]
    return [*rows, (ELSEWHERE, "Elsewhere, or part the stack" if len(group) > 1 else "Elsewhere")]


@dataclass(frozen=True)
class WayBack(Choice):
    """Where a retreat can end, to tap; any other hex is read too, and the path is the players' own."""

    def read(self, raw: Any, ctx: Context) -> str:
        return ELSEWHERE if str(raw).strip() == ELSEWHERE else HexId().read(raw, ctx)


@dataclass(frozen=True)
class AnyWayBack(HexId):
    """Every hex that the record finds open, and any that is typed."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        chosen = [u for u in _group(ctx) if u.id in (ctx.values.get("units") or ())]
        ways = _open_ways(ctx, chosen or _group(ctx))
        rows = [
            {"value": h, "label": f"{h}, each loses {paid} CEL" if paid else h} for h, paid in ways.items()
        ]
        return {**super().describe(ctx), "choices": rows}


def _only_way(ctx: Context) -> Mapping[str, Any] | None:
    ways = _open_ways(ctx, _group(ctx))
    return {"to": next(iter(ways)), "anyway": True} if len(ways) == 1 else None


def _against_way(ctx: Context) -> list[str]:
    """What the rules have against the hex, said before the counters go there [5.3.2-5.3.6]."""
    game, to = ctx.game, str(ctx.values.get("to") or "")
    chosen = [u for u in _group(ctx) if u.id in (ctx.values.get("units") or ())] or _group(ctx)
    if not chosen or to == ELSEWHERE or to in _open_ways(ctx, chosen):
        return []
    side, origin, far = chosen[0].side, str(ctx.args["origin"]), int(ctx.args["far"])
    away, held, found = game.maps.distance(origin, to), occupants(game), []
    if away != far:
        found.append(f"{to} is {count(away, 'hex', 'hexes')} from {origin}, not {far} (5.3.2)")
    if held.get(to, side) != side:
        found.append(f"the enemy holds {to} (3.1.8)")
    elif to in zones(game, game.other(side)) and to not in held:
        found.append(f"{to} lies in an enemy zone (5.3.3)")
    if _load(game, side, to) + sum(u.steps for u in chosen) > STACKING:
        found.append(f"{to} would hold more than {STACKING} CEL (5.3.6)")
    return found or [f"no open way leads to {to} (5.3.3, 5.3.5)"]


def _still_there(game: Game, duty: e.Asked) -> bool:
    return any(u.place == duty.args.get("origin") for u in units_of(game, duty))


@rules.follow_up(rule="5.3.2", label="Fall back", still=_still_there, alone=_only_way, warns=_against_way)
def fall_back(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    to: Annotated[str, WayBack(label="To hex", options=_likely)],
    units: Annotated[tuple[str, ...], UnitRef(many=True, pick=_group, hidden=True)] = (),
) -> Events:
    """The counters go where their retreat ends."""
    if to == ELSEWHERE:
        yield owe_way(
            game, battle, side_of(game, duty), duty.args["origin"], duty.units, duty.args["far"], part_ways
        )
    else:
        yield from _go(game, duty, battle, to, units)


@rules.follow_up(rule="5.3.2", label="Fall back", still=_still_there, warns=_against_way)
def part_ways(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    to: Annotated[str, AnyWayBack(label="To hex")],
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Only these",
            many=True,
            pick=_group,
            help="nobody named: all",
            quiet=lambda c: len(_group(c)) < 2,
        ),
    ] = (),
) -> Events:
    """To a hex of your own choice; a stack may part, each group to another."""
    yield from _go(game, duty, battle, to, units)


def _go(game: Game, duty: e.Asked, battle: Battle, to: str, units: Sequence[str]) -> Events:
    """Book a retreat and what it costs on the way [5.3.4, 5.3.10]; whoever is left is asked again."""
    origin, far = str(duty.args["origin"]), int(duty.args["far"])
    group = [u for u in units_of(game, duty) if u.place == origin]
    going = [u for u in group if u.id in units] or group
    paid = refuges(game, going, origin, far).get(to, 0)
    dear = f", each loses {paid} CEL on the way" if paid else ""
    words = f"{named_openly(game, going)} falls back from {origin} to {to}{dear}"
    yield came_of(battle, words, "5.3.2", told=True)
    for unit in going:
        yield put_mark(game, unit.id, "retreated", True, reason=IN_PASSING, rule="5.3.10")
        yield move(game, unit.id, to, reason=f"retreat {far}", rule="5.3.2")
        yield from stays_shaken(game, unit.id, to)
        if paid:
            yield from take_level(game, unit.id, paid, "through enemy zones", "5.3.4")
    way = {"side": going[0].side, "origin": origin, "to": to, "far": far}
    battle = yield from learn(game, battle, retreats=[*battle.facts.get("retreats", ()), way])
    if left := [u.id for u in group if u not in going]:
        yield owe_way(game, battle, going[0].side, origin, left, far)


def _clear_retreats(game: Game) -> Events:
    """A unit may dig in again once its own next movement phase is over [5.3.10]."""
    yield from take_off_own(game, "retreated")


for _phase in MOVE:
    rules.leaving(_phase)(_clear_retreats)
