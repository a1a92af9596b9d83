"""Railroads: the Soviet line and its marker, German rail movement [8.7, B9]."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Context, HexId, Whole
from companion.engine.hexes.board import NOTHING, zone_indices
from companion.engine.hexes.trace import Situation
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, move
from companion.engine.record.game import Game
from companion.systems.panzer_keil.arrivals import entry_faults
from companion.systems.panzer_keil.base import (
    BY_RAIL,
    FIRST_RAILHEAD,
    GERMAN,
    SOVIET,
    SOVIET_ROOT,
    edge_of,
    hexes_of,
    rules,
)
from companion.systems.panzer_keil.condition import WantedHex, WantedUnits, waiting
from companion.systems.panzer_keil.ground import (
    RAIL,
    board,
    has_rails,
    near_enemy,
    pass_through,
    situation,
    supply_zones,
    zone,
)

REPAIRS, RAIL_UNITS, RAIL_HEXES, SAFETY = 3, 5, 30, 3  # [B9.3.1, B9.1, 8.7.3]
MOST_HEXES = RAIL_UNITS * RAIL_HEXES


def railhead(game: Game) -> str:
    """The hex of the railroad marker."""
    return next(iter(game.marked("railhead")), FIRST_RAILHEAD)


def along_rails(game: Game, start: str, end: str, safe: Callable[[str], bool]) -> list[str]:
    """The shortest way by the entered rails through hexes that are safe; empty without one."""
    here = board(game)
    ids, rails = here.grid.ids, here.along(RAIL)
    a, b = here.grid.index[start], here.grid.index[end]
    came = {a: a}
    queue = deque([a] if safe(start) else [])
    while queue and b not in came:
        i = queue.popleft()
        for j in rails[i]:
            if j not in came and safe(ids[j]):
                came[j] = i
                queue.append(j)
    if b not in came or not safe(end):
        return []
    way = [b]
    while way[-1] != a:
        way.append(came[way[-1]])
    return [ids[i] for i in reversed(way)]


def soviet_line(game: Game) -> list[str]:
    """The rail hexes from 0114 to the marker; only the marker's own while no such railroad is entered [B9.3]."""
    return along_rails(game, SOVIET_ROOT, railhead(game), lambda h: True) or [railhead(game)]


def working_line(game: Game, now: Situation | None = None) -> list[str]:
    """The Soviet line up to where an enemy unit or zone cuts it [B9.3.3]."""
    now = now or situation(game)
    here = now.board
    enemies = now.enemies(SOVIET)
    cut = zone_indices(here, enemies, supply_zones(game))
    if game["rail-friends"]:
        cut -= {i for i, units in now.occupied.get(SOVIET, {}).items() if any(u.cancels for u in units)}
    found = []
    for hex_id in soviet_line(game):
        if here.grid.index[hex_id] in enemies or here.grid.index[hex_id] in cut:
            break
        found.append(hex_id)
    return found


def put_railhead(game: Game, hex_id: str, reason: str, rule: str) -> Events:
    """Move the railroad marker."""
    for old in game.marked("railhead"):
        if old != hex_id:
            yield e.Marked(old, "railhead", None, reason=reason, rule=rule)
    if not game.mark(hex_id, "railhead"):
        yield e.Marked(hex_id, "railhead", True, reason=reason, rule=rule)


def retreat_railhead(game: Game) -> Events:
    """Pull the marker back to the last hex still linked to 0114; nothing when the line holds [B9.3.3]."""
    if not has_rails(game) or len(soviet_line(game)) < 2:
        return
    works = working_line(game)
    last = works[-1] if works else SOVIET_ROOT
    if last != railhead(game):
        yield from put_railhead(game, last, "the line behind it is cut", "B9.3.3")


@rules.entering("turn")
def _fresh_rails(game: Game) -> Events:
    for name in ("rail-repaired", "rail-units", "rail-hexes"):
        if game[name]:
            yield e.Set(name, 0, was=game[name], reason="new turn", rule="B9")


def _repair_now(game: Game) -> bool | str:
    if game.phase != f"{SOVIET}-{game['repair-phase']}":
        return "repairs belong to the phase chosen in the table's options [B9.3]"
    return game["rail-repaired"] < REPAIRS or f"{REPAIRS} hexes are repaired this turn [B9.3.1]"


def _against_repair(ctx: Context) -> list[str]:
    """Three hexes a turn, along a railroad, never into a German zone: no friend in it helps [B9.3.1, B9.3.2]."""
    game, hexes = ctx.game, ctx.values["hexes"]
    here, done = board(game), game["rail-repaired"]
    found = [f"{h} lies in a German zone [B9.3.2]" for h in hexes if h in zone(game, GERMAN)]
    if done + len(hexes) > REPAIRS:
        found.append(f"{REPAIRS} hexes a turn at most, {done} are repaired [B9.3.1]")
    for a, b in pairwise((railhead(game), *hexes)):
        linked = here.links.get((here.grid.index[a], here.grid.index[b]), NOTHING)
        if has_rails(game) and not RAIL & linked:
            found.append(f"no railroad is entered from {a} to {b} [B9.3]")
    return found


@dataclass(frozen=True)
class RepairedHexes(HexId):
    """The hexes in which the line is repaired; where its marker stands is said."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "help": f"the marker stands in {railhead(ctx.game)}"}


@rules.action(
    phase=("soviet-move", "soviet-supply"),
    by=SOVIET,
    rule="B9.3",
    label="Repair the railroad",
    when=_repair_now,
    order=30,
    warns=_against_repair,
)
def extend_railroad(
    game: Game,
    hexes: Annotated[tuple[str, ...], RepairedHexes(label="Rail hexes, from the marker outward", many=True)],
) -> Events:
    """Extend the Soviet railroad by up to three hexes a turn and move its marker."""
    for at, hex_id in pairwise((railhead(game), *hexes)):
        if hex_id not in game.maps.neighbours(at):
            raise Unreadable(
                f"{hex_id} does not touch {at}: name the hexes in order",
                field="hexes",
                given=hex_id,
                rule="B9.3.1",
            )
    done = game["rail-repaired"]
    yield e.Set("rail-repaired", min(REPAIRS, done + len(hexes)), was=done, rule="B9.3.1")
    yield from put_railhead(game, hexes[-1], "repaired", "B9.3.1")


@dataclass(frozen=True)
class MarkerHex(HexId):
    """Where the railroad marker goes; only the entered rails can tell it by themselves."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        known = has_rails(ctx.game)
        told = {"help": "empty: as far as the line works"} if known else {"required": True}
        return {**super().describe(ctx), **told}


@rules.action(by="any", rule="B9.3.3", label="Move the railroad marker", group="fix")
def pull_back_railhead(game: Game, hex: Annotated[str, MarkerHex(label="To rail hex")] = "") -> Events:
    """Pull the railroad marker back to where the line is still linked to 0114."""
    if not hex and not has_rails(game):
        raise Unreadable("no railroad is entered: say where the marker goes", field="hex", rule="B9.3.3")
    if hex:
        yield from put_railhead(game, hex, "set by hand", "B9.3.3")
    else:
        yield from retreat_railhead(game)


def rail_entry(game: Game, unit: Unit) -> bool:
    """Whether a reinforcement's edge lets it come by rail [B14.4]."""
    return unit.entry.endswith(BY_RAIL) or (edge_of(unit) == "NW" and bool(game["nw-rail"]))


def rail_riders(ctx: Context) -> list[Unit]:
    """German reinforcements that came on this turn or wait, at an edge with rail [8.6.5, 8.7.1, B9.2]."""
    game = ctx.game
    fresh = [u for u in game.units.values() if u.side == GERMAN and game.mark(u.id, "entered")]
    return [u for u in (*fresh, *waiting(ctx)) if u.side == GERMAN and rail_entry(game, u)]


def _riders(ctx: Context) -> bool:
    return bool(rail_riders(ctx))


def _from_where(ctx: Context) -> str:
    """Where the riders chosen so far have come in, if they stand in one hex."""
    places = {ctx.game.units[u].place for u in ctx.values.get("units") or ()}
    return places.pop() if len(places) == 1 else ""


def rail_way(game: Game, start: str, end: str, clear: bool) -> list[str]:
    """The shortest way by the entered rails, `clear` of Soviet units all along [8.7.2, 8.7.3]; empty without one."""
    enemies = hexes_of(game, SOVIET) if clear else set()
    return along_rails(
        game, start, end, lambda h: all(game.maps.distance(h, enemy) > SAFETY for enemy in enemies)
    )


def _length_told(ctx: Context) -> bool:
    """Whether the map book tells how long the ride is, or will once both its ends are named."""
    game, start, end = ctx.game, ctx.values.get("start") or _from_where(ctx), ctx.values.get("end")
    if not (start and end):
        return _riders(ctx)
    return bool(rail_way(game, start, end, clear=False))


def _anybody_by_rail(game: Game) -> bool | str:
    if game["rail-units"] >= RAIL_UNITS:
        return f"{RAIL_UNITS} units have gone by rail this turn [B9.1]"
    if not game.units or rail_riders(Context(game)):
        return True
    return "only units that arrive this turn at a boxed edge go by rail [8.7.1, B14.4]"


@dataclass(frozen=True)
class Ride:
    """A journey by rail as it is asked for."""

    start: str
    end: str
    riders: int
    known: tuple[str, ...]
    """The way by the entered rails; empty where the map book tells of none."""
    clear: tuple[str, ...]
    """The one that keeps clear of Soviet units all along."""
    hexes: int
    total: int
    """The hexes of all units that went this turn."""

    @classmethod
    def of(cls, ctx: Context) -> Ride:
        game, values = ctx.game, ctx.values
        start, end = str(values.get("start") or _from_where(ctx)), str(values.get("end") or "")
        known = rail_way(game, start, end, clear=False) if start and end else []
        clear = rail_way(game, start, end, clear=True) if known else []
        riders = len(values.get("units") or ()) or int(values.get("count") or 0)
        hexes = len(clear or known) - 1 if known else int(values.get("hexes") or 0)
        total = game["rail-hexes"] + hexes * riders
        return cls(start, end, riders, tuple(known), tuple(clear), hexes, total)


def _against_riding(ctx: Context) -> list[str]:
    """What the rules have against a ride: its length, its rails, its edge, Soviet units near it [8.7, B9.1, B14.4]."""
    game, ride = ctx.game, Ride.of(ctx)
    used, spent = game["rail-units"], game["rail-hexes"]
    found = []
    if used + ride.riders > RAIL_UNITS:
        found.append(f"{RAIL_UNITS} units a turn by rail, {used} have gone [B9.1]")
    if ride.hexes > RAIL_HEXES or (game["rail-limit"] == "total" and ride.total > RAIL_HEXES):
        found.append(f"{RAIL_HEXES} rail hexes at most, {spent} used [B9.1]")
    for unit in (game.units[u] for u in ctx.values.get("units") or ()):
        if ride.start and not unit.place:
            found += [str(fault) for fault in entry_faults(game, unit, ride.start)]
    ends = [h for h in (ride.start, ride.end) if h]
    off = [h for h in ends if has_rails(game) and not _on_rails(game, h)]
    found += [f"no railroad is entered in {h} [8.7.2]" for h in off]
    if len(ends) == 2 and not off and has_rails(game) and not ride.known:
        found.append(f"no railroad is entered from {ride.start} to {ride.end} [8.7.2]")
    close = near_enemy(game, [*ends, *(() if ride.clear else ride.known)], GERMAN, SAFETY)
    if close:
        found.append(f"Soviet units within {SAFETY} hexes: {', '.join(close)} [8.7.3]")
    return list(dict.fromkeys(found))


def _on_rails(game: Game, hex_id: str) -> bool:
    here = board(game)
    return bool(here.along(RAIL)[here.grid.index[hex_id]])


@rules.action(
    phase="german-move",
    by=GERMAN,
    rule="8.7, B9.1",
    label="Move by rail",
    order=25,
    when=_anybody_by_rail,
    warns=_against_riding,
)
def rail_move(
    game: Game,
    units: Annotated[
        tuple[str, ...], WantedUnits(label="Arriving units", many=True, pick=rail_riders, when=_riders)
    ] = (),
    count: Annotated[int, Whole(label="How many units", high=RAIL_UNITS, quiet=_riders)] = 0,
    start: Annotated[
        str,
        HexId(label="From hex", help="where they come in", when=_riders, start=_from_where),
    ] = "",
    end: Annotated[str, WantedHex(label="To hex", when=_riders)] = "",
    hexes: Annotated[int, Whole(label="Rail hexes travelled by each", high=150, quiet=_length_told)] = 0,
) -> Events:
    """Carry arriving units along the rails: five units and thirty hexes a turn, clear of Soviet units."""
    values = {"units": units, "count": count, "start": start, "end": end, "hexes": hexes}
    ride = Ride.of(Context(game, values=values))
    if not ride.riders:
        raise Unreadable("say which units travel, or how many", field="units", rule="8.7")
    if units and not end:
        raise Unreadable("where does the ride end?", field="end", rule="8.7")
    for unit in units:
        yield move(game, unit, end, reason="by rail", rule="8.7")
        if game.mark(unit, "entered"):  # who has ridden rides no more
            yield e.Marked(unit, "entered", None, reason=IN_PASSING, rule="8.7.1")
    if units:
        yield from pass_through(game, GERMAN, ride.clear or ride.known or [end])
    used, spent = game["rail-units"], game["rail-hexes"]
    yield e.Set("rail-units", min(RAIL_UNITS, used + ride.riders), was=used, rule="B9.1")
    yield e.Set("rail-hexes", min(MOST_HEXES, ride.total), was=spent, rule="B9.1")
