"""The blocks a kit is written in: a frozen dataclass for each table of scenarios/<system>/*.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from companion.engine.hexes.maps import Maps
from companion.engine.kit.book import BookShape
from companion.engine.kit.chart import Chart
from companion.engine.kit.everytable import TABLE_VALUES
from companion.engine.kit.lists import BookList
from companion.engine.kit.roster import UnitDef

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Side:
    """One of the two sides; `mark` is its shape beside its colour."""

    id: str
    name: str
    mark: str = "square"
    adjective: str = ""


@dataclass(frozen=True)
class Check:
    """One line of a phase's checklist, in our own words."""

    text: str
    rule: str = ""
    turns: str = ""
    when: str = ""
    action: str = ""
    """The action that this line is about, offered beside it."""
    act: bool = False
    """Whether it is something that a player does on the map, and ticks off; a line with neither is a reminder."""


@dataclass(frozen=True)
class Phase:
    """One phase of the sequence of play."""

    id: str
    name: str
    code: str = ""
    side: str = ""
    """A side, a role that the scenario gives to a side, or empty for both."""
    part: str = ""
    turns: str = ""
    when: str = ""
    skip: str = ""
    rule: str = ""
    help: str = ""
    checklist: tuple[Check, ...] = ()


@dataclass(frozen=True)
class Variant:
    """Another order of the phases, used while a condition holds."""

    when: str
    phases: tuple[str, ...]


@dataclass(frozen=True)
class Track:
    """A number with bounds."""

    id: str
    label: str
    start: int = 0
    min: int = 0
    max: int = 999
    side: str = ""
    rule: str = ""
    help: str = ""
    hidden: bool = False
    """Not shown on the table screen (internal bookkeeping)."""
    phases: tuple[str, ...] = ()
    """Shown in these phases only; in all when there are none."""
    when: str = ""
    """Shown while this holds, such as 'scenario=winter'."""


@dataclass(frozen=True)
class Value:
    """One position of a dial."""

    id: str
    label: str
    effect: str = ""


@dataclass(frozen=True)
class Dial:
    """A named value: weather, ground, support line."""

    id: str
    label: str
    values: tuple[Value, ...]
    start: str = ""
    rule: str = ""
    hidden: bool = False
    when: str = ""
    """Shown while this holds."""


@dataclass(frozen=True)
class Memo:
    """A value that only the rules read: no screen shows it, nobody corrects it by hand."""

    id: str
    what: str
    """What it remembers, for whoever reads the kit."""
    start: Any = None
    """Its value until it is set."""
    rule: str = ""


@dataclass(frozen=True)
class Marker:
    """A marker that may lie on a unit or a hex."""

    id: str
    label: str
    on: tuple[str, ...] = ("unit",)
    values: tuple[str, ...] = ()
    """Accepted values; empty means on/off, '#' means a number."""
    effect: str = ""
    rule: str = ""
    symbol: str = ""
    clears: str = ""
    """When the companion takes it off by itself: 'phase', 'turn', or a phase id."""
    words: Json = field(default_factory=dict)
    """Values in words where the value itself is only a sign: {ff = "field"}."""
    quiet: bool = False
    """Kept for the rules: the log and the units' badges pass over it."""
    by_hand: bool = True
    """Whether players lay it by hand; False where only the rules do."""
    stays: bool = False
    """Whether it stays on a unit that is eliminated, such as a sign that it may come back."""
    side: str = ""
    """Whose units it is offered for; empty for both sides'."""
    sides: Json = field(default_factory=dict)
    """Whose units a value is offered for, where only some are: {ss = "german"}."""
    when: str = ""
    """While what it is offered; it may be typed at any time."""

    def offered(self, side: str) -> tuple[str, ...]:
        """Its values that make sense on a side's units; 'on' for one that has none."""
        if self.side and self.side != side:
            return ()
        return tuple(v for v in self.values or ("on",) if self.sides.get(v, side) == side)


@dataclass(frozen=True)
class Note:
    """Something in force during certain turns."""

    text: str
    turns: str = ""
    phases: tuple[str, ...] = ()
    when: str = ""
    rule: str = ""
    side: str = ""


@dataclass(frozen=True)
class Option:
    """A table option; each ambiguity of a rulebook is one, with the suggested reading as default."""

    id: str
    label: str
    default: Any = False
    choices: tuple[Value, ...] = ()
    text: str = ""
    rule: str = ""
    kind: str = "reading"
    """'reading' (an ambiguity), 'rule' (optional rule), 'help' (what the companion shows)."""


@dataclass(frozen=True)
class Zone:
    """A zone of a pile and who sees what lies in it: all, owner, count or none."""

    id: str
    label: str = ""
    seen: str = "count"


@dataclass(frozen=True)
class PileDef:
    """A cup or deck."""

    id: str
    label: str
    zones: tuple[Zone, ...]
    start: str = ""
    tokens: tuple[str, ...] = ()
    count: int = 0
    side: str = ""
    faces: str = ""
    """Name of the owner's book that tells what is printed on the tokens."""
    rule: str = ""
    when: str = ""
    """Shown while this holds."""


@dataclass(frozen=True)
class Box:
    """A place off the map: dead pile, reserve, turn track."""

    id: str
    label: str
    side: str = ""
    out: bool = False
    """Units here are out of the game."""
    waits: bool = False
    """Units here come in again as reinforcements, on their turn and by their entry."""


@dataclass(frozen=True)
class Arrival:
    """Reinforcements or anything else due on a turn."""

    turn: int
    text: str
    side: str = ""
    rule: str = ""
    units: tuple[str, ...] = ()
    entry: str = ""
    when: str = ""
    phases: tuple[str, ...] = ()
    id: str = ""
    doubtful: str = ""
    secret: bool = False
    """Only its own side reads it: units whose way the list does not tell."""


@dataclass(frozen=True)
class SystemKit:
    """Everything of a game that is true of all its scenarios."""

    format: int
    id: str
    name: str
    sides: tuple[Side, ...]
    phases: tuple[Phase, ...]
    turn_name: str = "Turn"
    step_name: str = "step"
    steps_name: str = "steps"
    """What the game calls the levels of strength that a unit can lose, one and several."""
    calendar: str = ""
    """The owner's list that prints a `date` by turn, where no rulebook gives the dates."""
    turn_days: int = 0
    """Days between two turns: with it the date of the first turn tells all the others."""
    tray: tuple[str, ...] = ("1d6", "2d6")
    variants: tuple[Variant, ...] = ()
    tracks: tuple[Track, ...] = ()
    dials: tuple[Dial, ...] = ()
    memos: tuple[Memo, ...] = ()
    markers: tuple[Marker, ...] = ()
    notes: tuple[Note, ...] = ()
    options: tuple[Option, ...] = ()
    piles: tuple[PileDef, ...] = ()
    boxes: tuple[Box, ...] = ()
    charts: tuple[Chart, ...] = ()
    """Shapes of the printed charts; their known cells come from charts/<id>.csv."""
    books: tuple[BookShape, ...] = ()
    arrival_phases: tuple[str, ...] = ()
    """Phases in which a side brings its arrivals in, where the arrival itself does not say; any when empty."""
    enemy_stacks: str = "top"
    """What a side sees of an enemy stack: 'all', 'top' or 'count'."""
    unit_factors: tuple[str, ...] = ("AF", "DF", "MF")
    untried_factors: tuple[str, ...] = ("MF",)
    """Factors printed on the back of an untried unit, so known to all."""
    unit_kinds: tuple[str, ...] = ()
    about: str = ""

    @cached_property
    def phase_by_id(self) -> Mapping[str, Phase]:
        """Asked for many times in every look at a game."""
        return {phase.id: phase for phase in self.phases}

    @cached_property
    def waiting_boxes(self) -> frozenset[str]:
        """The boxes from which one comes in; asked of every unit."""
        return frozenset(box.id for box in self.boxes if box.waits)

    @property
    def uses(self) -> tuple[str, ...]:
        """Of dice, chits and cards those that the game has; a pile from which hands are held is one of cards.

        A game without a tray of dice rolls none.
        """
        hands = [any(zone.id == "hand" for zone in pile.zones) for pile in self.piles]
        has = {"dice": bool(self.tray), "chits": False in hands, "cards": True in hands}
        return tuple(thing for thing, there in has.items() if there)


@dataclass(frozen=True)
class Scenario:
    """One scenario: its turns and what differs from the system."""

    format: int
    id: str
    name: str
    first: int
    last: int
    """The last turn, or with `open_end` only the most the record holds."""
    open_end: bool = False
    order: int = 0
    """Place among the game's scenarios, shortest or first to play before the others."""
    about: str = ""
    dates: tuple[str, ...] = ()
    roles: Json = field(default_factory=dict)
    phase_turns: Json = field(default_factory=dict)
    start: Json = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    arrivals: tuple[Arrival, ...] = ()
    options: tuple[Option, ...] = ()
    roster: str = ""
    units: tuple[UnitDef, ...] = ()
    hex_marks: Json = field(default_factory=dict)
    by_turn: Json = field(default_factory=dict)
    """Values set when a turn begins: {track = {"3" = 5}}."""
    victory: str = ""
    first_phase: str = ""
    partial: str = ""
    """What the companion leaves to another rulebook, said on the scenario's card."""
    extra: Json = field(default_factory=dict)
    """Anything only the game's own rules read."""

    def date(self, turn: int) -> str:
        index = turn - self.first
        return self.dates[index] if 0 <= index < len(self.dates) else ""


@dataclass(frozen=True)
class Kit:
    """A system with its scenarios and charts, checked."""

    system: SystemKit
    scenarios: Mapping[str, Scenario]
    charts: Mapping[str, Chart]
    folder: Path
    maps: Maps
    map_facts: Mapping[str, Any] = field(default_factory=dict)
    """The map book's entries that the rulebook gives, as `MapBook.to_json` writes them."""
    lists: Mapping[str, BookList] = field(default_factory=dict)
    """The shapes of the owner's lists with what the rulebook tells of them."""

    @cached_property
    def tables(self) -> dict[str, dict[str, dict[str, Any]]]:
        """What the rulebook alone tells of every list."""
        return {name: shape.merged({}) for name, shape in self.lists.items()}

    @cached_property
    def declared(self) -> Mapping[str, Mapping[str, Any]]:
        """For each scenario every value there is, with what it is until it is set."""
        system = self.system
        values: dict[str, Any] = {
            "scenario": None,
            **TABLE_VALUES,
            **{f"entropy-{s.id}": "" for s in system.sides},
            **{f"faces-{s.id}": {} for s in system.sides},
        }
        values |= {o.id: None for scenario in self.scenarios.values() for o in scenario.options}
        values |= {memo.id: memo.start for memo in system.memos}
        values |= {track.id: track.start for track in system.tracks}
        values |= {dial.id: dial.start or dial.values[0].id for dial in system.dials}
        values |= {option.id: option.default for option in system.options}
        return {
            name: {**values, **{o.id: o.default for o in scenario.options}, **scenario.start}
            for name, scenario in self.scenarios.items()
        }

    @property
    def id(self) -> str:
        return self.system.id
