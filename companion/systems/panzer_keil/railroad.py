"""Railroads: the Soviet line and its marker, German rail movement [8.7, B9]."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Annotated

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Context, HexId, UnitRef, Whole
from companion.engine.hexes.board import zone_indices
from companion.engine.hexes.trace import Situation
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, move
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import (
    BY_RAIL,
    FIRST_RAILHEAD,
    GERMAN,
    SOVIET,
    SOVIET_ROOT,
    edge_of,
    hexes_of,
    named,
    rules,
)
from companion.systems.panzer_keil.condition import waiting
from companion.systems.panzer_keil.ground import (
    RAIL,
    board,
    has_rails,
    near_enemy,
    pass_through,
    situation,
    supply_zones,
    wrong_edge,
    zone,
)

REPAIRS, RAIL_UNITS, RAIL_HEXES, SAFETY = 3, 5, 30, 3  # [B9.3.1, B9.1, 8.7.3]


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
    wanted = f"{SOVIET}-{game['repair-phase']}"
    return game.phase == wanted or "repairs belong to the phase chosen in the table's options [B9.3]"


@rules.action(
    phase=("soviet-move", "soviet-supply"),
    by=SOVIET,
    rule="B9.3",
    label="Repair the railroad",
    when=_repair_now,
    order=30,
    # A friendly unit does not help here: the rule for repairs knows no exception.
    warns=lambda c: [
        f"{h} lies in a German zone [B9.3.2]" for h in c.values["hexes"] if h in zone(c.game, GERMAN)
    ],
)
def extend_railroad(
    game: Game,
    hexes: Annotated[tuple[str, ...], HexId(label="Rail hexes, from the marker outward", many=True)],
) -> Events:
    """Extend the Soviet railroad by up to three hexes a turn and move its marker."""
    done = game["rail-repaired"]
    if done + len(hexes) > REPAIRS:
        raise NotNow(
            f"{REPAIRS} hexes a turn at most, {done} already repaired",
            field="hexes",
            given=len(hexes),
            rule="B9.3.1",
        )
    here, at = board(game), railhead(game)
    for hex_id in hexes:
        if hex_id not in game.maps.neighbours(at):
            raise Unreadable(
                f"{hex_id} does not touch {at}: name the hexes in order",
                field="hexes",
                given=hex_id,
                rule="B9.3.1",
            )
        pair = (here.grid.index[at], here.grid.index[hex_id])
        if has_rails(game) and not RAIL & here.links.get(pair, set()):
            raise Unreadable(
                f"no railroad is entered from {at} to {hex_id}", field="hexes", given=hex_id, rule="B9.3"
            )
        at = hex_id
    yield e.Set("rail-repaired", done + len(hexes), was=done, rule="B9.3.1")
    yield from put_railhead(game, at, "repaired", "B9.3.1")


@rules.action(by="any", rule="B9.3.3", label="Move the railroad marker", group="fix")
def pull_back_railhead(
    game: Game, hex: Annotated[str, HexId(label="To rail hex", help="empty: as far as the line works")] = ""
) -> Events:
    """Pull the railroad marker back to where the line is still linked to 0114."""
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


def _way_known(ctx: Context) -> bool:
    """Whether the map book tells how long the ride is."""
    game, start, end = ctx.game, ctx.values.get("start") or _from_where(ctx), ctx.values.get("end")
    return bool(start and end and rail_way(game, start, end, clear=False))


def _anybody_by_rail(game: Game) -> bool | str:
    if not game.units or rail_riders(Context(game)):
        return True
    return "only units that arrive this turn at a boxed edge go by rail [8.7.1, B14.4]"


def _too_close(ctx: Context) -> list[str]:
    """Soviet units too near to where a ride begins, ends, or cannot but pass [8.7.3]."""
    game, end = ctx.game, str(ctx.values.get("end") or "")
    start = str(ctx.values.get("start") or _from_where(ctx))
    known = rail_way(game, start, end, clear=False) if start and end else []
    clear = rail_way(game, start, end, clear=True) if known else []
    close = near_enemy(game, [h for h in (start, end, *([] if clear else known)) if h], GERMAN, SAFETY)
    return [f"Soviet units within {SAFETY} hexes: {', '.join(close)} [8.7.3]"] if close else []


@rules.action(
    phase="german-move",
    by=GERMAN,
    rule="8.7, B9.1",
    label="Move by rail",
    order=25,
    when=_anybody_by_rail,
    warns=_too_close,
)
def rail_move(
    game: Game,
    units: Annotated[
        tuple[str, ...], UnitRef(label="Arriving units", many=True, pick=rail_riders, when=_riders)
    ] = (),
    count: Annotated[int, Whole(label="Arriving units", high=RAIL_UNITS, quiet=_riders)] = 0,
    start: Annotated[
        str,
        HexId(label="From hex", help="where they come in", when=_riders, start=_from_where),
    ] = "",
    end: Annotated[str, HexId(label="To hex", when=_riders)] = "",
    hexes: Annotated[int, Whole(label="Rail hexes travelled by each", high=150, quiet=_way_known)] = 0,
) -> Events:
    """Carry arriving units along the rails: five units and thirty hexes a turn, clear of Soviet units."""
    riders = len(units) or count
    if not riders:
        raise Unreadable("say which units travel, or how many", field="units", rule="8.7")
    used, spent = game["rail-units"], game["rail-hexes"]
    if used + riders > RAIL_UNITS:
        raise NotNow(
            f"{RAIL_UNITS} units a turn by rail, {used} have gone", field="units", given=riders, rule="B9.1"
        )
    start = start or _from_where(Context(game, values={"units": units}))
    for unit in units:
        wrong = wrong_edge(game, game.units[unit], start) if start and not game.units[unit].place else ""
        if wrong:
            raise Unreadable(wrong, field="start", given=start, rule="B14")
    known = rail_way(game, start, end, clear=False) if start and end else []
    way = rail_way(game, start, end, clear=True) if known else []
    hexes = len(way or known) - 1 if known else hexes
    total = spent + hexes * riders
    if hexes > RAIL_HEXES or (game["rail-limit"] == "total" and total > RAIL_HEXES):
        raise NotNow(
            f"{RAIL_HEXES} rail hexes at most, {spent} used", field="hexes", given=hexes, rule="B9.1"
        )
    for unit in units:
        if end:
            yield move(game, unit, end, reason="by rail", rule="8.7")
            yield e.Marked(unit, "entered", True, reason=IN_PASSING, rule="8.6")
    if units and end:
        yield from pass_through(game, GERMAN, way or [end])
    if not end and units:
        yield e.Noted(f"{named(game, units)} by rail", rule="8.7")
    yield e.Set("rail-units", used + riders, was=used, rule="B9.1")
    yield e.Set("rail-hexes", total, was=spent, rule="B9.1")
