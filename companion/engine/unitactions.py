"""What can be done with units at every table: move, add, mark, set up, bring in reinforcements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine import events as e
from companion.engine.actions import Events
from companion.engine.errors import Unreadable
from companion.engine.fields import Choice, Context, HexId, SideRef, Text, UnitRef, Whole
from companion.engine.game import Game
from companion.engine.kit import Arrival
from companion.engine.moves import change, create, move, put_mark
from companion.engine.roster import slug, unit_facts
from companion.engine.rules import Rules
from companion.engine.sequence import holds
from companion.engine.sight import may_see_unit

unit_rules = Rules("units")


# -- units and markers -----------------------------------------------------------------------------------


def places(ctx: Context) -> list[tuple[str, str]]:
    """The boxes a unit can lie in."""
    return [(f"box:{b.id}", b.label) for b in ctx.game.kit.boxes] if ctx.game else []


def movable(ctx: Context) -> list[Any]:
    """The units a seat may touch: its own; the table's screen, all that lie open."""
    game = ctx.game
    if game is None:
        return []
    mine = [u for u in game.units.values() if ctx.seat in {"table", u.side}]
    stacks = game.stacks()
    return [u for u in mine if may_see_unit(game, u, ctx.seat, stacks)]


@unit_rules.action(by="any", label="Move a unit", group="units")
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


@unit_rules.action(by="any", label="Set steps", group="units")
def set_steps(
    game: Game,
    unit: Annotated[str, UnitRef(label="Unit", pick=movable)],
    steps: Annotated[int, Whole(label="Steps left", high=9)],
    reason: Annotated[str, Text(label="Why", most=200, placeholder="optional")] = "",
) -> Events:
    """Set how many steps a unit has left."""
    yield change(game, unit, {"steps": steps}, reason=reason or "by hand")


def _markers(ctx: Context) -> list[tuple[str, str]]:
    return [(m.id, m.label) for m in ctx.game.kit.markers] if ctx.game else []


@dataclass(frozen=True)
class MarkerValue(Text):
    """A value that the chosen marker can have."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        kinds = ctx.game.kit.markers if ctx.game else ()
        marker = next((m for m in kinds if m.id == ctx.values.get("marker")), None)
        if marker is None or "#" in marker.values:
            return super().describe(ctx)
        words = [v for v in marker.values if v != "#"] or ["on"]
        return {"type": "choice", "choices": [{"value": w, "label": w.capitalize()} for w in (*words, "off")]}


@unit_rules.action(by="any", label="Mark a unit or hex", group="units")
def mark(
    game: Game,
    marker: Annotated[str, Choice(label="Marker", options=_markers)],
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=movable)] = (),
    hexes: Annotated[tuple[str, ...], HexId(label="or hexes", many=True)] = (),
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
            yield e.Marked(target, name, value)


# -- reinforcements --------------------------------------------------------------------------------------


def arrival_id(arrival: Arrival, index: int) -> str:
    return arrival.id or f"{arrival.turn}-{arrival.side or 'all'}-{index}"


def due(game: Game) -> list[tuple[str, Arrival]]:
    """Arrivals whose turn has come and that are not in yet."""
    found = []
    for index, arrival in enumerate(game.scenario.arrivals):
        name = arrival_id(arrival, index)
        if (
            arrival.turn > game.turn
            or f"arrival/{name}" in game.ticked
            or not holds(arrival.when, game.values)
        ):
            continue
        if arrival.units and all(u in game.units and game.units[u].place for u in arrival.units):
            continue
        found.append((name, arrival))
    return found


@unit_rules.action(
    by="any",
    label="Reinforcements are in",
    group="arrive",
    when=lambda game: bool(due(game)) or "nothing is due",
)
def arrive(
    game: Game,
    arrival: Annotated[
        str, Choice(label="Which", options=lambda c: [(n, a.text) for n, a in due(c.game)] if c.game else [])
    ],
    hex: Annotated[str, HexId(label="Entry hex", help="optional")] = "",
) -> Events:
    """Reinforcements have entered the map, or the item that was due is dealt with."""
    item = dict(due(game))[arrival]
    for name in item.units:
        if name in game.units and not game.units[name].place and hex:
            yield move(game, name, hex, reason="reinforcement", rule=item.rule)
    yield e.Ticked(f"arrival/{arrival}", True, item.text)
