"""Bridges: who controls them, blowing and rebuilding [14.1, 14.2, 14.3.1]."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context
from companion.engine.forms.panels import Fact, Panel
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.wb95.artillery import bridge_name
from companion.systems.wb95.base import (
    GERMAN,
    MOVE,
    SOVIET,
    active_units,
    at_hexes,
    hq_range,
    is_hq,
    is_regular,
    occupants,
    rules,
    units_to_tap,
)
from companion.systems.wb95.needed import NeededHex
from companion.systems.wb95.terrain import crossed

WATERS = (("river", "river or stream"), ("big", "big river"))
DEMOLISH = {"river": 1, "big": 3}  # [14.2.1, 14.3.1]
REBUILD = 3  # [14.2.2]
OtherPair = Annotated[
    tuple[str, ...],
    NeededHex(label="The two hexes it joins", many=True, when=lambda c: not c.values.get("bridge")),
]


def _bridge(state: Callable[[Game], str]) -> Choice:
    """A bridge on record that is held so, or another."""

    def those(ctx: Context) -> list[tuple[str, str]]:
        found = sorted(b for b, v in ctx.game.marked("bridge").items() if v == state(ctx.game))
        return [*((b, b) for b in found), ("", "another")]

    return Choice(label="Bridge", options=those, when=lambda c: len(those(c)) > 1)


def _meant(ctx: Context) -> tuple[str, ...]:
    """The two hexes of the bridge that is tapped or typed; none while that is unfinished."""
    named = str(ctx.values.get("bridge") or "")
    hexes = tuple(named.split("-")) if named else tuple(ctx.values.get("hexes") or ())
    return hexes if len(hexes) == 2 and hexes[1] in ctx.game.maps.neighbours(hexes[0]) else ()


def _known_water(ctx: Context) -> bool:
    ends = _meant(ctx)
    return len(ends) == 2 and bool(crossed(ctx.game, *ends))


def played(game: Game) -> bool | str:
    return bool(game["bridges"]) or "bridges are not played at this table [14.0]"


_at_a_bridge = partial(rules.action, phase=MOVE, by="active", group="book-keeping", when=played)


def pair(game: Game, hexes: tuple[str, ...]) -> str:
    if len(hexes) != 2:
        raise Unreadable("name the two hexes that the bridge joins", field="hexes", given=" ".join(hexes))
    return bridge_name(game, hexes, "hexes")


def big(game: Game, hexes: tuple[str, ...]) -> bool:
    return bool(game["doniec-is-big"]) and "doniec" in crossed(game, *hexes)


def _against_blowing(ctx: Context) -> list[str]:
    """Who controls it blows it, from one of its ends [14.1.4, 14.2.1, 14.3.1]."""
    game, hexes = ctx.game, _meant(ctx)
    if not hexes:
        return []
    name, found = "-".join(sorted(hexes)), []
    holder = game.mark(name, "bridge")
    if holder == "down":
        found.append(f"the bridge {name} is down already (14.1.1)")
    elif holder and holder != game.active:
        found.append(f"the {game.side_name(str(holder))} side controls {name} (14.1.4)")
    here = at_hexes(game, game.active, hexes)
    if on_map(game, game.active) and not any(is_regular(u) or is_hq(u) for u in here):
        found.append(f"no regular unit or headquarters of yours stands at {name} (14.2.1)")
    return found


@_at_a_bridge(rule="14.2.1, 14.3.1", label="Demolish a bridge", order=30, warns=_against_blowing)
def demolish_bridge(
    game: Game,
    bridge: Annotated[str, _bridge(lambda game: game.active)] = "",
    hexes: OtherPair = (),
    water: Annotated[str, Choice(label="Over", options=WATERS, quiet=_known_water)] = "river",
) -> Events:
    """A regular unit or headquarters at either end blows a bridge that its side controls."""
    hexes = tuple(bridge.split("-")) if bridge else hexes
    name = pair(game, hexes)
    cost = DEMOLISH["big" if water == "big" or big(game, hexes) else "river"]
    yield e.Marked(name, "bridge", "down", reason=f"demolished for {cost} MP", rule="14.2.1, 14.3.1")


def _builders(ctx: Context) -> list[Unit]:
    """Any unit but guns, or the headquarters itself [14.2.2]."""
    return [u for u in active_units(ctx) if is_regular(u) or is_hq(u)]


def _at_the_bridge(ctx: Context) -> list[Unit]:
    return [u for u in _builders(ctx) if u.place in _meant(ctx)]


def _against_rebuilding(ctx: Context) -> list[str]:
    """Rivers and streams only, in range of a headquarters, where one was [14.2.2, 14.3.2]."""
    game, hexes = ctx.game, _meant(ctx)
    if not hexes:
        return []
    name, found = "-".join(sorted(hexes)), []
    if big(game, hexes):
        found.append("over a big river only a headquarters builds, in two turns (14.3.2)")
    if game.mark(name, "bridge") not in (None, "down"):
        found.append(f"the bridge {name} stands (14.2.2)")
    chosen = [game.units[u] for u in (ctx.values.get("unit"),) if u]
    there = chosen or [u for u in at_hexes(game, game.active, hexes) if is_regular(u) or is_hq(u)]
    if chosen and chosen[0].place not in hexes:
        found.append(f"{chosen[0].name} does not stand at {name} (14.2.2)")
    elif on_map(game, game.active) and not there:
        found.append(f"nobody who could build stands at {name} (14.2.2)")
    near = [h for h in on_map(game, game.active) if is_hq(h)]
    reach = game.maps.distance
    if there and not any(reach(h.place, u.place) <= hq_range(game, h) for u in there for h in near):
        found.append("no headquarters is in range (14.2.2)")
    return found


@_at_a_bridge(rule="14.2.2", label="Rebuild a bridge", order=31, warns=_against_rebuilding)
def rebuild_bridge(
    game: Game,
    bridge: Annotated[str, _bridge(lambda game: "down")] = "",
    hexes: OtherPair = (),
    unit: Annotated[str, units_to_tap("Builder", _builders, _at_the_bridge, many=False)] = "",
) -> Events:
    """Over a river or stream where one is printed: any unit but guns in HQ range, or the HQ, for 3 MP."""
    name = pair(game, tuple(bridge.split("-")) if bridge else hexes)
    yield e.Marked(name, "bridge", game.active, reason=f"rebuilt for {REBUILD} MP", rule="14.2.2")


STATES = ((GERMAN, "held by the Germans"), (SOVIET, "held by the Soviets"), ("down", "destroyed"))


@rules.action(rule="14.1.3", label="Set a bridge", group="book-keeping", order=61, when=played)
def set_bridge(
    game: Game,
    hexes: Annotated[tuple[str, ...], NeededHex(label="The two hexes it joins", many=True)],
    state: Annotated[str, Choice(label="It is", options=STATES)],
) -> Events:
    """Put a bridge on record, or correct who holds it."""
    yield e.Marked(pair(game, hexes), "bridge", state, reason="by hand", rule="14.1.3")


@rules.watch
def take_bridges(game: Game) -> Events:
    """Alone at its ends a side takes a bridge; with enemies at both the first comer keeps it [14.1.3]."""
    bridges = game.marked("bridge")
    if not bridges:
        return
    standing = occupants(game)
    for name, holder in list(bridges.items()):
        there = {standing[h] for h in name.split("-") if h in standing}
        if holder != "down" and len(there) == 1 and holder not in there:
            yield e.Marked(name, "bridge", there.pop(), reason="alone at the bridge", rule="14.1.3")


@rules.panel
def bridge_panel(game: Game) -> Panel | None:
    """Known bridges, and who controls them."""
    rows = [
        Fact(f"Bridge {name}", "destroyed" if v == "down" else game.side_name(str(v)), "14.1.3")
        for name, v in sorted(game.marked("bridge").items())
    ]
    return Panel("Bridges", rows) if rows and game["bridges"] else None
