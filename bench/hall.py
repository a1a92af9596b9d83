"""Tables of all five games for measuring: set up, at a phase with combats, fresh or with a long record behind them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from typing import Any

from flask import Flask

from bench.crowd import Tap
from companion.engine.errors import Mistake
from companion.engine.record import events as e
from companion.store import NewTable, StoredEvent
from companion.tables.tables import Tables
from companion.web.seats import token


@dataclass(frozen=True)
class Sample:
    """A game as it is measured: who acts in which phase, and one combat with typed factors."""

    system: str
    scenario: str
    seat: str
    phase: str
    combat: str
    form: dict[str, str]
    given: Sequence[e.Event] = ()
    """What else is on record: a card that was played."""
    light: tuple[str, dict[str, str]] = ("roll-dice", {"dice": "2d6"})
    """The lightest tap there is: a roll, or a note in a game without dice."""
    elsewhere: str = ""
    """A phase to go to and back from, where ending this one draws a card and so cannot be taken back by one alone."""


SAMPLES = (
    Sample(
        "second-kharkov", "historical", "soviet", "soviet-combat", "resolve-combat",
        {"target": "2408", "attack": "24", "defence": "6", "terrain": "clear", "river": "none"},
    ),
    Sample(
        "wb95", "kharkov-1942", "soviet", "attack-a", "resolve-combat",
        {"target": "2408", "attack": "24", "defence": "6", "terrain": "clear"},
    ),
    Sample(
        "panzer-keil", "winter-1943", "soviet", "soviet-combat", "resolve-combat",
        {"target": "2408", "typed": "on", "full": "24", "defence": "6", "ground": "clear"},
    ),
    Sample(
        "enemy-action-kharkov", "campaign", "soviet", "command", "declare-combat",
        {"hex": "2408", "by_hand": "on", "small": "4", "steps": "3", "attack": "24", "defence": "6", "terrain": "clear"},
        (
            e.Drawn("soviet-cards", ("P22",), "box", "in-use", 1),
            e.Set("command", {"card": "P22", "what": "activate"}),
        ),
        ("note", {"text": "so it was"}),
        "supply",
    ),
    Sample(
        "kharkov-battles", "operation-star", "soviet", "soviet-combat", "resolve-assault",
        {"target": "2408", "attack": "24", "defence": "6", "terrain": "clear"},
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Place:
    """One table of the hall: its seats' secrets, and a unit that walks between two hexes."""

    sample: Sample
    code: str
    seats: dict[str, str]
    turn: int
    walker: str
    hexes: tuple[str, str]

    def taps(self, begins: int) -> Iterator[Tap]:
        """What is done at a table: rolls, combats and what they call for, moves and phases; each table begins elsewhere."""
        seat = self.sample.seat
        name, said = self.sample.light
        roll = Tap(seat, f"do/{name}", said)
        done = Tap("table", "do/dismiss", {}, answers=True)
        fields = {**self.sample.form, "anyway": "on"}
        combat = Tap(seat, f"do/{self.sample.combat}", fields, sheet=True, settled=done)
        onward = Tap("table", "do/next-phase", {"anyway": "on"})
        stay = Tap("table", "do/take-back", {}, undoes=True)
        if self.sample.elsewhere:
            onward, stay = (
                Tap("table", "do/go-to", {"turn": str(self.turn), "phase": phase}, sheet=True)
                for phase in (self.sample.elsewhere, self.sample.phase)
            )
        here, there = (
            Tap(seat, "do/place-unit", {"unit": self.walker, "hex": h}, sheet=True) for h in self.hexes
        )
        mix = [roll, there, combat, done, roll, here, onward, stay]
        begins %= len(mix) - 1  # not with the last, which takes something back
        return cycle(mix[begins:] + mix[:begins])


def found(app: Flask, sample: Sample, rolls: int = 0) -> Place:
    """A table that is set up, with so many rolls on record."""
    tables: Tables = app.extensions["companion"]["tables"]
    return made_ready(app, sample, tables.new(sample.system, sample.scenario, {}), rolls)


def made_ready(app: Flask, sample: Sample, code: str, rolls: int = 0) -> Place:
    """The same of a table that is founded already."""
    tables: Tables = app.extensions["companion"]["tables"]
    with contextlib.suppress(Mistake):  # this scenario's roster may be its owner's
        tables.act(code, "table", "set-up", {})
    walker, hexes = _walker(tables, code, sample)
    turn = tables.game(code).turn
    tables.act(
        code, "table", "go-to", {"turn": turn, "phase": sample.phase}, revision=tables.store.latest(code)
    )
    _record(tables, code, sample.given)
    if rolls:
        code = _aged(tables, code, sample, rolls)
    with app.test_request_context(base_url="http://127.0.0.1"):
        seats = {seat: token(code, seat) for seat in ("table", *tables.game(code).sides)}
    return Place(sample, code, seats, turn, walker, hexes)


def _record(tables: Tables, code: str, events: Sequence[e.Event]) -> None:
    if events:
        with tables.store.transaction(code) as tx:
            answer = {"revision": tx.latest + len(events)}
            bodies = [event.to_json() for event in events]
            tx.append(
                bodies,
                at=tables.clock(),
                seat="table",
                act="given",
                name="given",
                stream=tx.stream,
                answer=answer,
            )


def _walker(tables: Tables, code: str, sample: Sample) -> tuple[str, tuple[str, str]]:
    game = tables.game(code)
    grid = next((g for g in game.maps.grids if game.maps.home in g.prefixes), game.maps.grids[0])
    held = {unit.place for unit in game.units.values()}
    index = sorted(grid.index)
    start = next(h for h in index[len(index) // 2 :] if h not in held)
    then = next(h for h in game.maps.neighbours(start) if h not in held)
    known = set(game.units)
    tables.act(code, sample.seat, "add-unit", {"side": sample.seat, "name": "Walker", "hex": start})
    return next(name for name in tables.game(code).units if name not in known), (start, then)


def _aged(tables: Tables, code: str, sample: Sample, rolls: int) -> str:
    """The same table under another code, with so many rolls more, each an action of its own."""
    store = tables.store
    before = store.events(code)
    tables.act(code, sample.seat, *sample.light)
    roll, row, old = store.events(code)[-1], store.table(code), tables._free_code()
    many: list[StoredEvent] = [
        replace(roll, seq=seq, act=f"roll-{seq}") for seq in range(len(before) + 1, len(before) + rolls + 1)
    ]
    founding: dict[str, Any] = {"options": row.options, "created_at": row.created_at}
    new = NewTable(old, row.system, row.scenario, f"{rolls} rolls", row.seed, **founding)
    with store.creating(new) as tx:
        tx.restore([*before, *many], stream=row.stream, summary=row.summary, ended=False)
    tables.game(old)
    return old
