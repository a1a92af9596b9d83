"""Bridges: who controls them, blowing, rebuilding, and a headquarters' bridge over a big river [14.0]."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Choice, Context, Flag, HexId, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.panels import Fact, Panel
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.wb95.artillery import bridge_name
from companion.systems.wb95.base import (
    MOVE,
    SUPPLY,
    active_units,
    at_hexes,
    hq_range,
    is_hq,
    is_regular,
    occupants,
    rules,
)
from companion.systems.wb95.terrain import crossed
from companion.systems.wb95.zones import zones

WATERS = (("river", "river or stream"), ("big", "big river"))
DEMOLISH = {"river": 1, "big": 3}  # [14.2.1, 14.3.1]
REBUILD = 3  # [14.2.2]
_WORK = re.compile(r"(\S+) (?:since day )?(\d+)(?:,)? at (\S+)")
READY = "ready"
Pair = Annotated[tuple[str, ...], HexId(label="The two hexes it joins", many=True)]
OtherPair = Annotated[
    tuple[str, ...],
    HexId(label="The two hexes it joins", many=True, when=lambda c: not c.values.get("bridge")),
]


@dataclass(frozen=True)
class Work:
    """How far a headquarters' bridge has come [14.3.2]."""

    name: str
    """The two hexes that it will join; before they are declared, that it is ready to build."""
    day: int
    place: str

    def __str__(self) -> str:
        return f"{self.name} since day {self.day}, at {self.place}"

    @property
    def ready(self) -> bool:
        return self.name == READY


def work(game: Game, unit: str) -> Work | None:
    """A headquarters' bridge, as its marker writes it."""
    found = _WORK.fullmatch(str(game.mark(unit, "bridgework")))
    return Work(found[1], int(found[2]), found[3]) if found else None


def _bridge(state: Callable[[Game], str]) -> Choice:
    """A bridge on record that is held so, or another."""

    def those(ctx: Context) -> list[tuple[str, str]]:
        found = sorted(b for b, v in ctx.game.marked("bridge").items() if v == state(ctx.game))
        return [*((b, b) for b in found), ("", "another")]

    return Choice(label="Bridge", options=those, when=lambda c: len(those(c)) > 1)


def _known_water(ctx: Context) -> bool:
    ends = str(ctx.values.get("bridge") or "").split("-")
    return len(ends) == 2 and bool(crossed(ctx.game, *ends))


def _played(game: Game) -> bool | str:
    return bool(game["bridges"]) or "bridges are not played at this table [14.0]"


_at_a_bridge = partial(rules.action, phase=MOVE, by="active", group="book-keeping", when=_played)


def _pair(game: Game, hexes: tuple[str, ...]) -> str:
    if len(hexes) != 2:
        raise Unreadable("name the two hexes that the bridge joins", field="hexes", given=" ".join(hexes))
    return bridge_name(game, hexes, "hexes")


@_at_a_bridge(rule="14.2.1, 14.3.1", label="Demolish a bridge", order=30)
def demolish_bridge(
    game: Game,
    bridge: Annotated[str, _bridge(lambda game: game.active)] = "",
    hexes: OtherPair = (),
    water: Annotated[str, Choice(label="Over", options=WATERS, quiet=_known_water)] = "river",
) -> Events:
    """A regular unit or headquarters at either end blows a bridge that its side controls."""
    hexes = tuple(bridge.split("-")) if bridge else hexes
    name = _pair(game, hexes)
    holder = game.mark(name, "bridge")
    if holder == "down":
        raise NotNow(f"the bridge {name} is down already", field="hexes", given=name, rule="14.1.1")
    if holder and holder != game.active:
        controls = f"the {game.side_name(str(holder))} side controls {name}"
        raise NotNow(controls, field="hexes", given=name, rule="14.1.4")
    here = at_hexes(game, game.active, hexes)
    if on_map(game, game.active) and not any(is_regular(u) or is_hq(u) for u in here):
        nobody = "a regular unit or headquarters must stand at one end"
        raise NotNow(nobody, field="hexes", given=name, rule="14.2.1")
    cost = DEMOLISH["big" if water == "big" or "doniec" in crossed(game, *hexes) else "river"]
    yield e.Marked(name, "bridge", "down", reason=f"demolished for {cost} MP", rule="14.2.1, 14.3.1")


def _builders(ctx: Context) -> list[Unit]:
    """Any unit but guns, or the headquarters itself [14.2.2]."""
    return [u for u in active_units(ctx) if is_regular(u) or is_hq(u)]


@_at_a_bridge(rule="14.2.2", label="Rebuild a bridge", order=31)
def rebuild_bridge(
    game: Game,
    bridge: Annotated[str, _bridge(lambda game: "down")] = "",
    hexes: OtherPair = (),
    unit: Annotated[str, UnitRef(label="Builder", pick=_builders)] = "",
) -> Events:
    """Over a river or stream where one is printed: any unit but guns in HQ range, or the HQ, for 3 MP."""
    hexes = tuple(bridge.split("-")) if bridge else hexes
    name = _pair(game, hexes)
    if "doniec" in crossed(game, *hexes) and game["doniec-is-big"]:
        raise NotNow(
            "over a big river only a headquarters builds, in two turns",
            field="hexes",
            given=name,
            rule="14.3.2",
        )
    if unit:
        builder = game.units[unit]
        near = [h for h in on_map(game, builder.side) if is_hq(h)]
        if not any(game.maps.distance(h.place, builder.place) <= hq_range(game, h) for h in near):
            raise NotNow("no headquarters in range", field="unit", given=unit, rule="14.2.2")
    yield e.Marked(name, "bridge", game.active, reason=f"rebuilt for {REBUILD} MP", rule="14.2.2")


def _headquarters(ctx: Context) -> list[Unit]:
    return [u for u in active_units(ctx) if is_hq(u)]


def _at_work(ready: bool) -> UnitRef:
    """A headquarters whose bridge has come so far; it stands in the form when there is just one."""

    def those(ctx: Context) -> list[Unit]:
        found = ((u, work(ctx.game, u.id)) for u in _headquarters(ctx))
        return [u for u, step in found if step and step.ready == ready]

    return UnitRef(
        label="Headquarters",
        pick=_headquarters,
        suggest=those,
        start=lambda c: found[0].id if len(found := those(c)) == 1 else "",
    )


Hq = Annotated[str, UnitRef(label="Headquarters", pick=_headquarters)]
ReadyHq = Annotated[str, _at_work(ready=True)]
BuildingHq = Annotated[str, _at_work(ready=False)]


def _steps(game: Game) -> list[Work]:
    """The active side's bridges being built; only that side's phone is offered to go on with them."""
    found = [work(game, u.id) for u in on_map(game, game.active) if game.active]
    return [step for step in found if step]


def _prepared(game: Game) -> bool | str:
    if not game["bridges"]:
        return _played(game)
    return any(s.ready for s in _steps(game)) or "no headquarters stood ready at a bank [14.3.2]"


def _declared(game: Game) -> bool | str:
    if not game["bridges"]:
        return _played(game)
    due = any(not s.ready and s.day < game.turn for s in _steps(game))
    return due or "no bridge was declared a turn ago [14.3.2]"


def _progress(game: Game, unit: Unit, name: str, reason: str = "") -> e.Marked:
    """The marker of a headquarters' work, told to its side alone."""
    value = str(Work(name, game.turn, unit.place))
    return e.Marked(unit.id, "bridgework", value, reason=reason, rule="14.3.2", only=(unit.side,))


_building = partial(rules.action, by="active", rule="14.3.2", secret=True)
"""What a headquarters does for its bridge, on its side's own phone."""


@_building(phase=SUPPLY, label="Prepare an HQ bridge", group="book-keeping", order=30, when=_played)
def begin_bridge(game: Game, unit: Hq) -> Events:
    """A headquarters at the bank of a big river may build in its next two movement phases."""
    yield _progress(game, game.units[unit], READY)


@_building(phase=MOVE, label="Declare an HQ bridge", order=32, when=_prepared)
def declare_bridge(game: Game, unit: ReadyHq, hexes: Pair) -> Events:
    """Note in secret which hexes the bridge will join; the headquarters spends all its movement."""
    name = _pair(game, hexes)
    held, step = game.units[unit], work(game, unit)
    if step is None or not step.ready:
        why = "it must have stood at the bank at the end of its supply phase"
        raise NotNow(why, field="unit", given=unit, rule="14.3.2")
    if held.place != step.place or held.place not in hexes:
        why = "it must stay on its bank, and the bridge starts there"
        raise NotNow(why, field="unit", given=unit, rule="14.3.4")
    if any(
        (other := work(game, u.id)) and other.name == name for u in on_map(game, held.side) if u.id != unit
    ):
        raise NotNow("one headquarters builds one bridge", field="unit", given=unit, rule="14.3.3")
    yield _progress(game, held, name, "all MP spent")


@_building(phase=MOVE, label="Complete an HQ bridge", order=33, when=_declared)
def complete_bridge(
    game: Game,
    unit: BuildingHq,
    sure: Annotated[
        bool, Flag(label="The far hex was ours all the time", help="only needed without positions")
    ] = False,
) -> Events:
    """A turn after the declaration, with the far hex still controlled, the bridge stands and can be used."""
    held, step = game.units[unit], work(game, unit)
    if step is None or step.ready or step.day >= game.turn:
        why = "no bridge of this headquarters was declared a turn ago"
        raise NotNow(why, field="unit", given=unit, rule="14.3.2")
    if held.place != step.place:
        raise NotNow("it left its hex: the work is lost", field="unit", given=unit, rule="14.3.4")
    ends = step.name.split("-")
    far = next(h for h in ends if h != held.place)
    enemy = zones(game, game.other(held.side))
    both = all(any(is_regular(u) for u in at_hexes(game, held.side, [h])) for h in ends)
    lost = far in enemy or bool(at_hexes(game, game.other(held.side), [far]))
    if lost and not both and not sure:
        why = f"{far} is not controlled: an enemy zone reaches it"
        raise NotNow(why, field="unit", given=far, rule="14.3.2")
    built = "built by a headquarters, all MP spent"
    yield e.Marked(step.name, "bridge", held.side, reason=built, rule="14.3.2")
    yield e.Marked(unit, "bridgework", None, reason="the bridge stands", only=(held.side,))


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
def bridge_panel(game: Game, seat: str) -> Panel | None:
    """Known bridges, and a side's own secret building."""
    words = {"down": "destroyed"}
    rows = [
        Fact(f"Bridge {name}", words.get(str(v), game.side_name(str(v))), "14.1.3")
        for name, v in sorted(game.marked("bridge").items())
    ]
    for unit in on_map(game, seat) if seat in game.sides else []:
        step = work(game, unit.id)
        if step:
            rows.append(Fact(f"{unit.name}: bridge", f"{step.name} since day {step.day}", "14.3.2"))
    return Panel("Bridges", rows) if rows and game["bridges"] else None
