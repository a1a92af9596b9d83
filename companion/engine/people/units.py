"""What can be done with units at every table: move, add, mark, set up, bring in reinforcements."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, HexId, SideRef, Text, UnitRef, Whole
from companion.engine.kit.blocks import Arrival, SystemKit
from companion.engine.kit.roster import Unit, slug, unit_facts
from companion.engine.kit.when import holds
from companion.engine.once import once
from companion.engine.play.actions import Action, Events
from companion.engine.play.rules import Rules
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, change, create, fogged, move, put_mark
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_unit

unit_rules = Rules("units")


# -- units and markers -----------------------------------------------------------------------------------


def places(ctx: Context) -> list[tuple[str, str]]:
    """The boxes a unit can lie in."""
    return [(f"box:{b.id}", b.label) for b in ctx.game.kit.boxes]


def movable(ctx: Context) -> list[Any]:
    """The units a seat may touch: its own; the table's screen, all that lie open."""
    game = ctx.game
    mine = [u for u in game.units.values() if ctx.seat in {"table", u.side}]
    return [u for u in mine if may_see_unit(game, u, ctx.seat)]


@unit_rules.action(
    by="any",
    label="Move a unit",
    group="units",
    when=lambda game: bool(game.units) or "no unit is on record yet: enter positions, or add a unit",
)
def place_unit(
    game: Game,
    unit: Annotated[str, UnitRef(label="Unit", pick=movable)],
    hex: Annotated[str, HexId(label="To hex")] = "",
    box: Annotated[str, Choice(label="or to", options=places)] = "",
    reason: Annotated[str, Text(label="Why", most=200, placeholder="optional")] = "",
) -> Events:
    """Put a unit in a hex or a box."""
    if not hex and not box:
        raise Unreadable("say where: a hex number, or a box", field="hex")
    yield move(game, unit, hex or box, reason=reason)


@unit_rules.action(by="any", label="Add a unit", group="units")
def add_unit(
    game: Game,
    side: Annotated[
        str, SideRef(label="Side", start=lambda c: c.seat if c.game and c.seat in c.game.sides else "")
    ],
    name: Annotated[str, Text(label="Name", most=40, placeholder="3rd Panzer")],
    kind: Annotated[str, Text(label="Type", most=30, placeholder="optional")] = "",
    hex: Annotated[str, HexId(label="Hex")] = "",
    steps: Annotated[int, Whole(label="Steps", low=1, high=9)] = 1,
) -> Events:
    """Put a unit on record that the scenario does not list."""
    base = slug(f"{side} {name}")
    unit_id = base
    number = 2
    while unit_id in game.units:
        unit_id, number = f"{base}-{number}", number + 1
    facts = {"side": side, "name": name, "kind": kind, "steps": steps, "full": steps}
    yield create(game, unit_id, hex, {k: v for k, v in facts.items() if v})


def _losable(game: Game) -> bool | str:
    one = f"no unit on record has more than one {game.kit.step_name}"
    return any(u.full > 1 for u in game.units.values()) or one


@unit_rules.action(by="any", label="Set steps", group="units", when=_losable)
def set_steps(
    game: Game,
    unit: Annotated[str, UnitRef(label="Unit", pick=movable)],
    steps: Annotated[int, Whole(label="Steps left", high=9)],
    reason: Annotated[str, Text(label="Why", most=200, placeholder="optional")] = "",
) -> Events:
    """Set how many steps a unit has left."""
    yield change(game, unit, {"steps": steps}, reason=reason or "by hand")


def _markers(ctx: Context) -> list[tuple[str, str]]:
    return [(m.id, m.label) for m in ctx.game.kit.markers if m.by_hand]


@dataclass(frozen=True)
class MarkerValue(Text):
    """A value that the chosen marker can have."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        kinds = ctx.game.kit.markers
        marker = next((m for m in kinds if m.id == ctx.values.get("marker")), None)
        if marker is None:
            return super().describe(ctx)
        told = {"help": marker.effect or self.help}
        if "#" in marker.values:
            return super().describe(ctx) | told
        values = [v for v in marker.values if v != "#"] or ["on"]
        names = {s.id: s.name for s in ctx.game.kit.sides}
        names |= dict(marker.words)
        offered = [(v, str(names.get(v, v))) for v in (*values, "off")]
        return {
            "type": "choice",
            "choices": [{"value": v, "label": name[:1].upper() + name[1:]} for v, name in offered],
            **told,
        }


def _lies_on(ctx: Context, what: str) -> bool:
    """Whether the chosen marker belongs on such a thing; any may, before one is chosen."""
    kinds = ctx.game.kit.markers
    marker = next((m for m in kinds if m.id == ctx.values.get("marker")), None)
    return marker is None or what in marker.on


@unit_rules.action(by="any", label="Mark a unit or hex", group="units")
def mark(
    game: Game,
    marker: Annotated[str, Choice(label="Marker", options=_markers)],
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Units", many=True, pick=movable, quiet=lambda c: not _lies_on(c, "unit")),
    ] = (),
    hexes: Annotated[
        tuple[str, ...],
        HexId(label="Hexes", many=True, quiet=lambda c: not _lies_on(c, "hex")),
    ] = (),
    value: Annotated[str, MarkerValue(label="Value", most=30, placeholder="on, off, or a number")] = "on",
    reason: Annotated[str, Text(label="Why", most=200, placeholder="optional")] = "",
) -> Events:
    """Put a marker on units or hexes, or take it off."""
    if not units and not hexes:
        raise Unreadable("say what to mark: a unit, or a hex number", field="units")
    definition = next(m for m in game.kit.markers if m.id == marker)
    for target in (*units, *hexes):
        yield put_mark(game, target, marker, marker_value(definition.values, value), reason=reason)


def marker_value(values: tuple[str, ...], text: str) -> Any:
    """A marker's value as given: on, off, a number, or one of its own values."""
    word = text.strip().lower()
    if word in {"off", "no", "", "none", "0"}:
        return None
    if "#" in values and word.isdecimal():
        return int(word)
    named = [v for v in values if v != "#"]
    if word in [v.lower() for v in named]:
        return word
    if word in {"on", "yes"} and not named:
        return 1 if "#" in values else True
    accepted = ", ".join(
        [*named, *(["a number"] if "#" in values else []), *(["on"] if not named else []), "off"]
    )
    raise Unreadable(
        f"{text!r} is not a value of this marker: {accepted}", field="value", given=text, accepted=accepted
    )


def _can_set_up(game: Game) -> bool | str:
    if game.units:
        return "units are on record already"
    return bool(game.roster) or "this scenario lists no units yet: fill in its roster in the chart book"


@unit_rules.action(by="any", label="Set up the scenario", group="setup", when=_can_set_up)
def set_up(game: Game) -> Events:
    """Put every unit of the scenario on record: on its printed hex, or waiting for its turn."""
    for unit in game.roster:
        place = unit.place if not unit.turn else ""
        yield create(game, unit.id, place, unit_facts(unit))
        for name, value in unit.marks.items():
            yield put_mark(game, unit.id, name, value)
    for target, marks in game.scenario.hex_marks.items():
        for name, value in marks.items():
            yield put_mark(game, target, name, value)


_STEPS = re.compile(r"\b([Ss])teps?\b")


def unit_words(actions: Mapping[str, Action], kit: SystemKit) -> dict[str, Action]:
    """The actions about steps in the game's own word for them."""
    word = kit.steps_name
    capital = word[:1].upper() + word[1:]

    def own(text: str) -> str:
        return _STEPS.sub(lambda found: capital if found[1] == "S" else word, text)

    return {
        name: replace(
            action,
            label=own(action.label),
            doc=own(action.doc),
            fields={n: replace(f, label=own(f.label)) for n, f in action.fields.items()},
        )
        for name, action in actions.items()
        if name in {"add-unit", "set-steps"} and word != "steps"
    }


# -- reinforcements --------------------------------------------------------------------------------------


def arrival_id(arrival: Arrival, index: int) -> str:
    return arrival.id or f"{arrival.turn}-{arrival.side or 'all'}-{index}"


def waits(game: Game, unit: Unit) -> bool:
    """Whether a unit on record is still to come: it has no place yet, or lies in a box from which one returns."""
    return not unit.place or unit.place.removeprefix("box:") in game.kit.waiting_boxes


@once
def due(game: Game) -> list[tuple[str, Arrival]]:
    """Arrivals whose turn has come and that are not in yet; a unit sent elsewhere is due where and when it now enters."""
    apart, turn, ticked, units = _gone_apart(game), game.turn, game.ticked, game.units
    found = []
    for index, arrival in enumerate(game.scenario.arrivals):
        name = arrival_id(arrival, index)
        if arrival.turn > turn or f"arrival/{name}" in ticked or not holds(arrival.when, game.values):
            continue
        left = tuple(u for u in arrival.units if u not in apart)
        if arrival.units and all(u in units and units[u].place for u in left):
            continue
        found.append((name, replace(arrival, units=left)))
    return found + _on_their_own_way(game, apart)


def _gone_apart(game: Game) -> dict[str, Unit]:
    """Units still to come whose turn or entry is no longer the list's, or that no list names."""
    waiting = [u for u in game.units.values() if u.turn and waits(game, u)]
    printed = _printed(game) if waiting else {}
    return {u.id: u for u in waiting if u.place or printed.get(u.id) != (u.turn, u.entry)}


@once
def _printed(game: Game) -> dict[str, tuple[int, str]]:
    """When and where the roster has each unit come."""
    return {u.id: (u.turn, u.entry) for u in game.roster}


def _on_their_own_way(game: Game, apart: Mapping[str, Unit]) -> list[tuple[str, Arrival]]:
    """Those among them whose turn has come; a formation that goes the same way comes as one."""
    if not apart:
        return []
    barred = {u for a in game.scenario.arrivals if not holds(a.when, game.values) for u in a.units}
    groups: dict[str, list[Unit]] = {}
    for unit in apart.values():
        if unit.turn <= game.turn and unit.id not in barred:
            same = f"{unit.side} {unit.formation or unit.id} {unit.entry} {unit.turn}"
            groups.setdefault(slug(same), []).append(unit)
    found = []
    for name, units in groups.items():
        first = units[0]
        item = Arrival(
            first.turn,
            ", ".join(u.name or u.id for u in units),
            first.side,
            units=tuple(u.id for u in units),
            entry=first.entry,
            secret=bool(fogged(game, first.side)),
        )
        found.append((name, item))
    return [(name, item) for name, item in found if f"arrival/{name}" not in game.ticked]


def arrival_phases(game: Game, arrival: Arrival) -> tuple[str, ...]:
    """The phases in which it can come in: its own, else the game's as far as they are its side's; any when empty."""
    if arrival.phases or not game.kit.arrival_phases:
        return arrival.phases
    phases = [p for p in game.kit.phases if p.id in game.kit.arrival_phases]
    return tuple(p.id for p in phases if not arrival.side or game.side_of(p) in {"", arrival.side})


def may_arrive(game: Game, arrival: Arrival, seat: str) -> bool:
    """Whether this seat may bring it in now: its own side's or the table's screen, in its phases."""
    phases = arrival_phases(game, arrival)
    here = not phases or game.phase in phases
    shared = seat == "table" and may_read(arrival, seat)
    return here and (shared or (seat in game.sides and arrival.side in {"", seat}))


def may_read(arrival: Arrival, seat: str) -> bool:
    """Whether this seat may know of it: its own side, and of what the list tells the table and those who watch."""
    return arrival.side in {"", seat} or (seat in {"table", "watch"} and not arrival.secret)


def arriving(ctx: Context) -> list[tuple[str, str]]:
    """What this seat may bring in now."""
    game = ctx.game
    return [(n, a.text) for n, a in due(game) if may_arrive(game, a, ctx.seat)]


def can_arrive(game: Game) -> bool | str:
    """Whether anything that is due may come in now."""
    if any(may_arrive(game, arrival, arrival.side or "table") for _, arrival in due(game)):
        return True
    return "what is due does not come in this phase" if due(game) else "nothing is due"


def entry_hex(game: Game, arrival: Arrival) -> str | None:
    """The one hex that the list names for it, 'hex 2319'; nothing for what is no unit on record, None where one chooses."""
    kind, _, place = arrival.entry.partition(" ")
    if kind == "hex" and " " not in place:
        return place
    waiting = [name for name in arrival.units if name in game.units and waits(game, game.units[name])]
    return None if waiting else ""


def _entry_hex(ctx: Context) -> str:
    """Where it probably enters: the hex that the list names, else where others last came in by the same zone or edge."""
    found = dict(due(ctx.game)).get(str(ctx.values.get("arrival") or ""))
    if found is None:
        return ""
    named = entry_hex(ctx.game, found)
    return str(ctx.game["entered"].get(f"{found.side} {found.entry}", "")) if named is None else named


@dataclass(frozen=True)
class EntryHex(HexId):
    """Where something enters; the form says by which zone or edge the list lets it in."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        found = dict(due(ctx.game)).get(str(ctx.values.get("arrival") or ""))
        return {**super().describe(ctx), "help": found.entry if found else ""}


@unit_rules.action(by="any", label="Reinforcements are in", group="arrive", when=can_arrive)
def arrive(
    game: Game,
    arrival: Annotated[str, Choice(label="Which", options=arriving)],
    hex: Annotated[str, EntryHex(label="Entry hex", start=_entry_hex)] = "",
) -> Events:
    """Reinforcements have entered the map, or the item that was due is dealt with."""
    item = dict(due(game))[arrival]
    for name in item.units:
        if name in game.units and waits(game, game.units[name]) and hex:
            yield move(game, name, hex, reason="reinforcement", rule=item.rule)
    if hex and item.entry:
        entered = {**game["entered"], f"{item.side} {item.entry}": hex}
        yield e.Set("entered", entered, reason=IN_PASSING, only=fogged(game, item.side))
    yield e.Ticked(f"arrival/{arrival}", True, item.text)
