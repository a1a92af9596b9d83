"""Retreats: who goes how far, where to, what it costs to stand, and what follows [5.3]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.forms.fields import Choice, Context, HexId, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import has_units, learn, owe, standing, units_of
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import IN_PASSING, move, put_mark
from companion.engine.record.game import Game
from companion.systems.wb95 import grammar
from companion.systems.wb95.base import (
    MOVE,
    PRICE,
    RETREAT,
    STACKING,
    WHERE,
    at_hexes,
    deployed,
    is_kind,
    is_motorised,
    occupants,
    rules,
    take_off_own,
)
from companion.systems.wb95.losses import owe_losses, take_level
from companion.systems.wb95.shaken import exposed, owe_tests, shake, stays_shaken
from companion.systems.wb95.terrain import barred, bridged, crossed
from companion.systems.wb95.zones import zones

SOME = "some"


# -- who goes, and how far -------------------------------------------------------------------------


def able(game: Game, units: Sequence[Unit]) -> list[Unit]:
    """Those who can fall back: no guns in combat setup, no resilience groups [6.2.3, 15.2.1]."""
    return [u for u in units if not deployed(game, u) and not is_kind(u, "RG")]


def owe_retreat(game: Game, battle: Battle, side: str, share: grammar.Part, *, fixed: bool) -> Events:
    """The side that was beaten chooses how far it goes [5.3.7]; who cannot go pays for every hex [5.1.9, 6.2.4]."""
    force, hexes = standing(game, battle, side), battle.facts["stood"].get(side, [])
    goers = able(game, force)
    if battle.facts.get("helpless") == side or (force and not goers):
        ids = [u.id for u in force]
        why, rule = "cannot fall back", "5.1.9, 6.2.4, 6.6.4"
        yield from owe_losses(game, side, share.retreat, ids, why, rule, battle, PRICE, hexes)
        return
    where = f" from {', '.join(hexes)}" if hexes else ""
    pay = "" if not fixed else ", the first free in a fixed position"
    yield owe(
        game,
        side,
        f"{game.side_name(side)}: fall back {share.retreat}{where}, or pay 1 CEL a hex{pay}",
        retreat,
        battle=battle,
        step=RETREAT,
        units=[u.id for u in goers],
        rule="5.3.7",
        ordered=share.retreat,
        fixed=fixed,
        shaken=share.disorganised and not game["bought-off"],
    )


def _goers(ctx: Context) -> list[Unit]:
    return units_of(ctx.game, ctx.duty) if ctx.duty else []


def _prices(ctx: Context) -> dict[int, int]:
    return dict(grammar.retreat_choices(int(ctx.args.get("ordered") or 1), bool(ctx.args.get("fixed"))))


def _ways(ctx: Context) -> list[tuple[str, str]]:
    """Every split of a retreat into hexes gone and CEL paid [5.3.7]; some may go and others stand [5.3.8]."""
    prices = _prices(ctx)
    found = [
        (str(go), f"{f'Fall back {go}' if go else 'Stand'}{f', lose {pay} CEL' if pay else ''}")
        for go, pay in prices.items()
    ]
    if len(_goers(ctx)) > 1:
        found.append((SOME, f"Some go, the others stand and lose {prices[0]} CEL"))
    return found


def _far(ctx: Context) -> list[tuple[str, str]]:
    return [(str(go), f"{count(go, 'hex', 'hexes')} back") for go in _prices(ctx) if go]


def _still_to_go(game: Game, duty: e.Asked) -> bool:
    battle = game.battles.get(duty.battle)
    return battle is not None and not battle.facts.get("gone") and has_units(game, duty)


def _no_room(ctx: Context, goers: Sequence[Unit], go: int) -> list[str]:
    """Hexes from which the record sees no way of this length [5.3.3, 5.3.6]."""
    found = []
    for origin in sorted({u.place for u in goers}):
        group = [u for u in goers if u.place == origin]
        if go and not any(refuges(ctx.game, [u], origin, go) for u in group):
            found.append(f"no hex {go} from {origin} is open to a retreat (5.3.3, 5.3.6)")
    return found


def _against_going(ctx: Context) -> list[str]:
    go = str(ctx.values.get("go"))
    return _no_room(ctx, _goers(ctx), int(go)) if go.isdecimal() else []


@rules.follow_up(rule="5.3.7", label="Retreat", still=_still_to_go, warns=_against_going)
def retreat(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    go: Annotated[str, Choice(label="You", options=_ways)],
) -> Events:
    """Go back some or all of the hexes and pay one CEL for each hex not gone."""
    if go == SOME:
        args = {k: duty.args[k] for k in ("ordered", "fixed", "shaken")}
        text = f"{duty.text}: who goes"
        yield owe(
            game,
            _side(game, duty),
            text,
            part,
            battle=battle,
            step=RETREAT,
            units=duty.units,
            rule="5.3.8",
            **args,
        )
        return
    far, goers = int(go), units_of(game, duty)
    yield from _depart(game, duty, battle, goers if far else [], far, far)


@rules.follow_up(
    rule="5.3.8",
    label="Part ways",
    still=_still_to_go,
    warns=lambda c: _no_room(c, [c.game.units[u] for u in c.values.get("units") or ()], int(c.values["far"])),
)
def part(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    units: Annotated[tuple[str, ...], UnitRef(label="These go", many=True, pick=_goers)],
    far: Annotated[str, Choice(label="They go", options=_far, start=lambda c: _far(c)[0][0])],
) -> Events:
    """Some units go; those who stand pay for every hex, once for all of them."""
    goers = [game.units[u] for u in units]
    stay = [u for u in units_of(game, duty) if u not in goers]
    yield from _depart(game, duty, battle, goers, int(far), 0 if stay else int(far))


def _side(game: Game, duty: e.Asked) -> str:
    return next(s for s in duty.to if s in game.sides)


def _depart(game: Game, duty: e.Asked, battle: Battle, goers: list[Unit], far: int, least: int) -> Events:
    """Book how far the side goes; the price falls once on those who do not go all the way [5.3.7, 5.3.8].

    :param least: the hexes that the last of them goes
    """
    side, ordered = _side(game, duty), int(duty.args["ordered"])
    price = dict(grammar.retreat_choices(ordered, bool(duty.args["fixed"])))[least]
    gone = far if goers or not duty.units else 0
    told = [f"falls back {count(gone, 'hex', 'hexes')}" if gone else "stands"]
    told += [f"pays {price} CEL"] if price else []
    yield e.Noted(f"{game.side_name(side)} {', '.join(told)}", rule="5.3.7")
    short = [u.id for u in standing(game, battle, side) if u not in goers or far < ordered]
    hexes = battle.facts["stood"].get(side, [])
    yield from owe_losses(game, side, price, short, "hexes not gone back", "5.3.7", battle, PRICE, hexes)
    if not gone:
        return
    for origin in sorted({u.place for u in goers}):
        yield _owe_way(game, battle, side, origin, [u.id for u in goers if u.place == origin], far)
    if not goers:
        yield from learn(
            game, battle, retreats=[*battle.facts.get("retreats", ()), {"side": side, "far": far}]
        )
    if duty.args["shaken"]:
        yield from shake(game, exposed(game, goers, direct=True), "combat result")
    tests = grammar.retreat_tests(far)
    if side == battle.defender or game["attacker-tests"]:
        yield from owe_tests(game, side, tests, goers, f"fell back {far}", "5.3.9", battle)


# -- where to --------------------------------------------------------------------------------------


def _owe_way(game: Game, battle: Battle, side: str, origin: str, units: Sequence[str], far: int) -> e.Asked:
    text = f"{game.side_name(side)}: {origin} falls back {count(far, 'hex', 'hexes')}: where to?"
    return owe(
        game,
        side,
        text,
        fall_back,
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
    return [u for u in _goers(ctx) if u.place == ctx.args.get("origin")]


def _open_ways(ctx: Context, units: Sequence[Unit]) -> dict[str, int]:
    if not units:
        return {}
    return refuges(ctx.game, units, str(ctx.args["origin"]), int(ctx.args["far"]))


@dataclass(frozen=True)
class WayBack(HexId):
    """Where a retreat can end; the path is the players' own."""

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
    if not chosen or to in _open_ways(ctx, chosen):
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
    to: Annotated[str, WayBack(label="To hex")],
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
    """The counters go where their retreat ends; a stack may part, each group to a hex of its own."""
    origin, far = str(duty.args["origin"]), int(duty.args["far"])
    group = [u for u in units_of(game, duty) if u.place == origin]
    going = [u for u in group if u.id in units] or group
    paid = refuges(game, going, origin, far).get(to, 0)
    for unit in going:
        yield put_mark(game, unit.id, "retreated", True, reason=IN_PASSING, rule="5.3.10")
        yield move(game, unit.id, to, reason=f"retreat {far}", rule="5.3.2")
        yield from stays_shaken(game, unit.id, to)
        if paid:
            yield from take_level(game, unit.id, paid, "through enemy zones", "5.3.4")
    way = {"side": going[0].side, "origin": origin, "to": to, "far": far}
    battle = yield from learn(game, battle, retreats=[*battle.facts.get("retreats", ()), way])
    if left := [u.id for u in group if u not in going]:
        yield _owe_way(game, battle, going[0].side, origin, left, far)


def _clear_retreats(game: Game) -> Events:
    """A unit may dig in again once its own next movement phase is over [5.3.10]."""
    yield from take_off_own(game, "retreated")


for _phase in MOVE:
    rules.leaving(_phase)(_clear_retreats)
