"""Game: the state of one table, and `apply`, the only place where it changes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Any

from companion.engine.errors import Undeclared, Unknown, did_you_mean
from companion.engine.hexes.maps import Maps
from companion.engine.kit.blocks import Dial, Kit, Marker, Option, Phase, Scenario, SystemKit, Track
from companion.engine.kit.book import Book
from companion.engine.kit.chart import Chart
from companion.engine.kit.dates import days_later
from companion.engine.kit.roster import Unit, UnitDef
from companion.engine.kit.when import holds
from companion.engine.once import once, one
from companion.engine.pile import Pile
from companion.engine.record import events as e
from companion.engine.record.battle import begun
from companion.engine.record.hindsight import Hindsight, effective
from companion.engine.record.state import Mark, State
from companion.engine.wayback import WayBack


class Game(State):
    """The state of one table: a fold of its events over a kit."""

    def __init__(self, kit: Kit, scenario: str, book: Book | None = None) -> None:
        if scenario not in kit.scenarios:
            raise Unknown(
                f"{kit.system.name} has no scenario {scenario!r}: {', '.join(kit.scenarios)}."
                f"{did_you_mean(scenario, kit.scenarios)}",
                field="scenario",
                given=scenario,
                accepted=", ".join(kit.scenarios),
            )
        self.kit: SystemKit = kit.system
        self.scenario: Scenario = kit.scenarios[scenario]
        self.book = book or Book(charts=kit.charts, tables=kit.tables)
        self.sides = [s.id for s in kit.system.sides]
        self._declared = kit.declared[scenario]
        self._markers = {m.id: m for m in kit.system.markers}
        self._kit_maps = kit.maps
        self._home_maps: Maps | None = None
        self.map_facts = kit.map_facts
        super().__init__(scenario, self.scenario.first)
        self.seated: frozenset[str] = frozenset()
        """Seats that a device sits at now. Not part of the record: whoever keeps the seats says so."""
        self.way_back = WayBack()
        self.hindsight = Hindsight()
        """What taking back must know of the record. Not part of the state: told by its keeper."""

    @classmethod
    def bare(cls, kit: Kit, book: Book | None = None) -> Game:
        """A game that nobody plays, for a worksheet without a table: the first scenario with the kit's own values."""
        game = cls(kit, next(iter(kit.scenarios)), book)
        game._started(e.Started(kit.id, game.scenario.id, {}, ""))
        return game

    # -- looking -----------------------------------------------------------------------------------------

    def __getitem__(self, name: str) -> Any:
        """The value of a track, dial, option, memo or mode; what the kit starts it with until it is set.

        :raises Undeclared: when the kit has no such name
        """
        if (looked := self.worked._looked) is not None:  # without a call: it is done most of all
            looked.add(one("values", name))
        held: dict[str, Any] = self.__dict__["values"]  # looked at by itself, as every value
        if name in held:
            return held[name]
        self._demand("value", name, self._declared)
        return self._declared[name]

    def _demand(self, what: str, name: str, declared: Collection[str]) -> None:
        if name not in declared:
            raise Undeclared(f"{self.kit.id} declares no {what} {name!r}.{did_you_mean(name, declared)}")

    @property
    def last(self) -> int:
        """The last turn: the scenario's, or another one while a condition holds (`extra.last_when`)."""
        for when, turn in dict(self.scenario.extra.get("last_when", {})).items():
            if holds(str(when), self.values):
                return int(turn)
        return self.scenario.last

    @property
    def record_open(self) -> bool:
        """Whether everything hidden and the dice seed may be shown to all: the game is over, and both sides agreed."""
        return self.ended is not None and bool(self["solo"] or self["record"] == "open")

    def other(self, side: str) -> str:
        """The opponent."""
        return next(s.id for s in self.kit.sides if s.id != side)

    def side_name(self, side: str) -> str:
        return next((s.name for s in self.kit.sides if s.id == side), side.capitalize())

    def phase_def(self, phase: str | None = None) -> Phase | None:
        return self.kit.phase_by_id.get(phase or self.phase)

    def side_of(self, phase: Phase | None) -> str:
        """The side that acts in a phase, roles and side-valued dials resolved; empty for both."""
        if phase is None or not phase.side:
            return ""
        if phase.side.startswith("@"):
            return str(self.values.get(phase.side[1:], ""))
        return str(self.scenario.roles.get(phase.side, phase.side))

    @property
    def active(self) -> str:
        """The side to act now; empty when both may."""
        return self.side_of(self.kit.phase_by_id.get(self.phase))

    def unit(self, name: str, among: Collection[str] | None = None, unseen: str = "") -> Unit:
        """A unit by id, or by its name when that is unambiguous.

        :param among: the ids to look at, when not all may be known to whoever asks.
        :param unseen: what to add when it is not among them, while there are others.
        """
        if name in self.units and (among is None or name in among):
            return self.units[name]
        units = [u for u in self.units.values() if among is None or u.id in among]
        wanted = name.strip().lower()
        found = [u for u in units if u.name.lower() == wanted or u.id == wanted]
        if len(found) == 1:
            return found[0]
        names = [u.name or u.id for u in units]
        more = f" It could be {', '.join(u.id for u in found)}." if found else did_you_mean(name[:60], names)
        hidden = f", {unseen}" if unseen and len(units) < len(self.units) else ""
        raise Unknown(
            f"there is no unit {name[:60]!r} at this table{hidden}.{more}", field="unit", given=name
        )

    def units_at(self, place: str) -> list[Unit]:
        """The stack in a hex or box, top unit first."""
        return sorted((u for u in self.units.values() if u.place == place), key=lambda u: -u.order)

    @once
    def stacks(self) -> dict[str, list[Unit]]:
        """Every occupied hex with its stack, top unit first."""
        found: dict[str, list[Unit]] = {}
        for unit in sorted(self.units.values(), key=attrgetter("order"), reverse=True):
            if unit.on_map:
                found.setdefault(unit.place, []).append(unit)
        return {place: found[place] for place in sorted(found)}

    def mark(self, target: str, marker: str) -> Any:
        """A marker's value on a unit or hex, None when it is not there."""
        if marker not in self._markers:
            self._demand("marker", marker, self._markers)
        held = self.lying(target, marker)
        return held.value if held else None

    def lying(self, target: str, marker: str) -> Mark | None:
        """A marker as it lies on a unit or hex; whoever asks for one kind does not look at the others."""
        if (looked := self.worked._looked) is not None:  # without a call: it is done most of all
            looked.add(one("marks", marker))
        held: dict[str, Mark] = self.__dict__["marks"].get(target)
        return held.get(marker) if held else None

    @once
    def marked(self, marker: str) -> Mapping[str, Any]:
        """Every unit or hex that carries this marker, with its value.

        A marker that lies where it does not belong, as in games recorded before that was checked, is passed over.
        """
        kind = self.marker(marker)
        self.worked.look(one("marks", marker))
        found = {t: m[marker].value for t, m in vars(self)["marks"].items() if marker in m}
        return {t: v for t, v in found.items() if self.may_carry(t, kind)}

    def marker(self, name: str) -> Marker:
        """A marker as the kit declares it.

        :raises Undeclared: when the kit has no such marker
        """
        if name not in self._markers:
            self._demand("marker", name, self._markers)
        return self._markers[name]

    def may_carry(self, target: str, marker: Marker) -> bool:
        """Whether a marker belongs on this thing: a unit, or else a hex or hexside."""
        self.worked.look(one("units"))
        return ("unit" if target in vars(self)["units"] else "hex") in marker.on

    @property
    def maps(self) -> Maps:
        """The grids of the game's maps: parse, neighbours, distance. A bare number is on the scenario's own map."""
        found = self.book.maps or self._kit_maps
        home = str(self.scenario.extra.get("map", ""))
        if not home or found.home == home:
            return found
        if self._home_maps is None or self._home_maps.grids is not found.grids:
            self._home_maps = replace(found, home=home)
        return self._home_maps

    @property
    def roster(self) -> tuple[UnitDef, ...]:
        """The scenario's units, as far as the rulebook and the owner's book tell."""
        return self.book.roster.get(self.scenario.id, self.scenario.units)

    def date(self, turn: int) -> str:
        """A turn's date: the scenario's, or the owner's calendar's, counted on from its first turn."""
        rows = self.book.tables.get(self.kit.calendar, {})
        text = self.scenario.date(turn) or str(rows.get(str(turn), {}).get("date") or "")
        if text or not self.kit.turn_days:
            return text
        first = self.scenario.first
        days = self.kit.turn_days * (turn - first)
        return days_later(str(rows.get(str(first), {}).get("date") or ""), days)

    def chart(self, name: str) -> Chart:
        """A chart as the rulebook and the owner's book tell it, and what was read off the printed one at this table."""
        chart = self.book.charts[name]
        told = {
            key.partition("|")[2]: text for key, text in self["cells"].items() if key.startswith(f"{name}|")
        }
        return chart.read_in_play(told) if told else chart

    def face(self, pile: str, token: str) -> Mapping[str, Any]:
        """What is printed on a token, as far as the owner's book tells."""
        definition = next((p for p in self.kit.piles if p.id == pile), None)
        return self.listed(definition.faces).get(token, {}) if definition and definition.faces else {}

    def listed(self, name: str) -> Mapping[str, Mapping[str, Any]]:
        """An owner's list as the rulebook and his book tell it, and what was seen at this table where they are silent."""
        rows = self.book.tables.get(name, {})
        told = {key: value for key, value in self["faces"].items() if key.startswith(f"{name}|")}
        if not told:
            return rows
        fixed = next((shape.rows for shape in self.kit.books if shape.id == name), ())
        found = {key: dict(row) for key, row in rows.items()}
        for key, value in told.items():
            _, row, column = key.split("|")
            if row in rows or row in fixed:  # how many rows an open list has, only its owner can tell
                found.setdefault(row, {}).setdefault(column, value)
        return found

    def declares(self, event: e.Event) -> None:
        """Whether the kit declares what a new event names; old records are believed as they are.

        :raises Undeclared: when it does not
        """
        if isinstance(event, e.Set):
            self._demand("value", event.name, self._declared)
        elif isinstance(event, e.Marked) and event.value is not None:  # what an old record left lying may go
            self._demand("marker", event.marker, self._markers)
        elif isinstance(event, e.Drawn):
            self._demand("pile", event.pile, self.piles)

    # -- changing ----------------------------------------------------------------------------------------

    def apply(self, event: e.Event, seq: int | None = None) -> None:
        """Take one fact over into the state."""
        # Counted before the event is taken over: a battle is known by the event that begins it.
        self.revision = self.revision + 1 if seq is None else seq
        touched = self._touched(event)
        self.way_back.note(self, event, touched)
        getattr(self, f"_{event.KIND}")(event)
        if e.is_chance(event):
            self.last_chance, self.left_to_chance = self.revision, True
        self.worked.changed(touched)

    def _started(self, event: e.Started) -> None:
        self.worked.clear()
        self.title, self.commitment = event.title, event.commitment
        shown: tuple[Track | Dial | Option, ...] = (
            *self.kit.tracks,
            *self.kit.dials,
            *self.kit.options,
            *self.scenario.options,
        )
        self.values.update({thing.id: self._declared[thing.id] for thing in shown})
        self.values.update(event.options)
        for pile in self.kit.piles:
            tokens = pile.tokens or tuple(f"#{n:02d}" for n in range(1, pile.count + 1))
            self.piles[pile.id] = Pile({pile.start or pile.zones[0].id: tokens})

    def _reseeded(self, event: e.Reseeded) -> None:
        self.commitment = event.commitment

    def _advanced(self, event: e.Advanced) -> None:
        if event.turn != self.turn:  # what is over the log tells; only the newest battle stays on the screens
            newest = max(self.battles, default=0)
            self.battles = {n: b for n, b in self.battles.items() if n == newest or not self.is_over(b)}
        self.turn, self.phase = event.turn, event.phase

    def _engaged(self, event: e.Engaged) -> None:
        known = self.battles.get(event.battle)
        if known is not None:
            self.battles[event.battle] = known.joined(event)
        elif not event.battle:
            self.battles[self.revision] = begun(event, self.revision, self.turn, self.phase)

    def _set(self, event: e.Set) -> None:
        self.values[event.name] = event.value
        self.hidden.pop(event.name, None)
        if event.only:
            self.hidden[event.name] = event.only

    def _rolled(self, event: e.Rolled) -> None:
        if event.battle in self.battles:
            self.battles[event.battle] = self.battles[event.battle].rolled(event)
        if not event.only:  # what follows from a roll is in the events after it
            told = {"values": list(event.values), "purpose": event.purpose, "mode": event.mode}
            more = {"sum": event.sum} if event.sum is not None else {"each": True} if event.each else {}
            self.last_roll = {"dice": event.dice, **told, **more}

    def _drawn(self, event: e.Drawn) -> None:
        if event.battle in self.battles and not isinstance(event, e.Returned):
            self.battles[event.battle] = self.battles[event.battle].rolled(event)
        pile = self.piles.setdefault(event.pile, Pile())
        if event.source:
            pile.move(event.tokens, event.source, event.target)
        else:
            pile.add(event.tokens, event.target)

    _returned = _drawn

    def _placed(self, event: e.Placed) -> None:
        unit = self.units.get(event.unit)
        if unit is None:
            unit = self.units[event.unit] = Unit(id=event.unit, side=str(event.facts.get("side", "")))
        unit.change(event.facts)
        if event.place is not None and event.place != unit.place:
            self.order += 1
            unit.place, unit.order = event.place, self.order

    def _marked(self, event: e.Marked) -> None:
        held = self.marks.setdefault(event.target, {})
        if event.value is None or event.value is False:
            held.pop(event.marker, None)
        else:
            held[event.marker] = Mark(event.value, event.only)
        if not held:
            del self.marks[event.target]

    def _sealed(self, event: e.Sealed) -> None:
        self.sealed.setdefault(event.name, {})[event.seat] = event.value

    def _revealed(self, event: e.Revealed) -> None:
        self.sealed.pop(event.name, None)
        self.revealed[event.name] = dict(event.values)

    def _resolved(self, event: e.Resolved) -> None:
        if event.battle in self.battles:
            self.battles[event.battle] = self.battles[event.battle].resolved(event)
        self.last_result = {
            "worksheet": event.worksheet,
            "result": event.result,
            "breakdown": dict(event.breakdown),
            "only": list(event.only),
        }

    def _asked(self, event: e.Asked) -> None:
        self.asked[event.id] = event

    def _answered(self, event: e.Answered) -> None:
        self.asked.pop(event.id, None)

    def _ticked(self, event: e.Ticked) -> None:
        (self.ticked.add if event.done else self.ticked.discard)(event.item)

    def _noted(self, event: e.Noted) -> None:
        if event.battle in self.battles:
            self.battles[event.battle] = self.battles[event.battle].noted(event)

    def _seated(self, event: e.Seated) -> None:
        pass  # who sits where is the store's to know: no undo may bring an old seat back

    def _undone(self, event: e.Undone) -> None:
        raise RuntimeError("an undo is resolved by `effective`, never applied to a state")

    def _ended(self, event: e.Ended) -> None:
        self.ended = event


def replay(game: Game, events: Iterable[e.Event]) -> Game:
    """Fold a whole list of events, numbered from 1, over a fresh game."""
    numbered = dict(enumerate(events, 1))
    _, chain = effective(numbered, len(numbered))
    for seq in chain:
        game.apply(numbered[seq], seq)
    game.revision = len(numbered)
    return game
