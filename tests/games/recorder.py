"""A table kept in a store as every real one is, that can be played like the tests' `Bench` and written to files."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

from harness import SCENARIOS, Bench

from companion.engine.kit.book import Book
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.engine.seat.view import view
from companion.store import open_store
from companion.systems import System
from companion.tables.tables import Tables
from companion.tables.transfer import export_table, import_table

from .expected import seats, state

LARGE = 30_000
"""Characters from which on a file is packed with gzip."""
BEGIN = datetime(2025, 3, 1, 19, 0, tzinfo=UTC)


class FixedTables(Tables):
    """Tables whose codes, clock and owner's book are told instead of found."""

    def __init__(self, folder: Path, code: str, book: Book | None) -> None:
        self._taps = 0
        self._code = code
        self._own_book = book
        super().__init__(open_store(folder / "companion.db"), SCENARIOS, clock=self._tick)

    def _tick(self) -> str:
        """Half a minute passes between two taps."""
        self._taps += 1
        return (BEGIN + timedelta(seconds=30 * self._taps)).isoformat(timespec="seconds")

    def _free_code(self) -> str:
        return self._code

    def book(self, system: System) -> Book:
        return self._own_book or super().book(system)


class Stored(Bench):
    """A Bench whose game lies in a store: every action is one transaction, snapshots are taken, undos jump."""

    folder: Path
    """Where the next table's store goes; set by whoever records."""
    name = ""
    opened: Stored

    def __init__(self, system: str, scenario: str, book: Book | None = None, **options: Any) -> None:
        name = Stored.name
        seed = hashlib.sha256(f"recorded game {name}".encode()).hexdigest()
        self.code = "R" + hashlib.sha256(name.encode()).hexdigest()[:3].upper()
        self.tables = FixedTables(Stored.folder, self.code, book)
        self.system = self.tables.system(system)
        self.scenario = scenario
        self.book = self.tables.book(self.system)
        self.moments: dict[str, int] = {}
        self._acts = 0
        settings = {k.replace("_", "-"): v for k, v in options.items()}
        with mock.patch("companion.tables.tables.secrets.token_hex", lambda size: seed):
            self.tables.new(system, scenario, settings, f"Recorded: {name}")
        Stored.opened = self

    @property
    def game(self) -> Game:
        return self.tables.game(self.code)

    @property
    def events(self) -> list[e.Event]:
        return [e.Event.from_json(item.body) for item in self.tables.store.events(self.code)]

    @property
    def revision(self) -> int:
        return self.tables.store.latest(self.code)

    def do(self, seat: str, action: str, **fields: Any) -> list[e.Event]:
        """Carry out an action as a device would: with an id of its own and the revision it looks at."""
        before = self.revision
        self._acts += 1
        act = f"{self.code}-{self._acts:05d}"
        self.tables.act(self.code, seat, action, fields, action_id=act, revision=before)
        stored = self.tables.store.events(self.code, before, self.revision)
        return [e.Event.from_json(item.body) for item in stored]

    def refold(self) -> None:
        """Forget the open game, so that it is folded again from the record."""
        self.tables._games.pop(self.code, None)

    def moment(self, name: str) -> None:
        """Remember this point of the game: what stands here, and what each seat sees of it, is written down."""
        self.moments[name] = self.revision


def record(name: str, play: Callable[[], Any], work: Path, target: Path) -> list[Path]:
    """Play one game in a work folder and write its export, states and seats into another."""
    Stored.name = name
    Stored.folder = work / name
    Stored.folder.mkdir()
    play()
    table = Stored.opened
    table.moment("end")
    copy = export_table(table.tables, table.code)
    table.tables.store.close()
    text = json.dumps(copy, ensure_ascii=False, separators=(",", ":"))
    states, seen = expectations(text, table.moments, Stored.folder)
    return [
        write(target / f"{name}.game.json", text),
        write(target / f"{name}.states.json", _lines(states)),
        write(target / f"{name}.seats.json", _lines(seen)),
    ]


def expectations(text: str, moments: dict[str, int], folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a game's moments are and what each seat sees of them, as an empty installation reads the export."""
    tables = Tables(open_store(folder / "empty.db"), SCENARIOS)
    code = import_table(tables, text)
    rules = tables.system_of(code).rules
    states, seen = {}, {}
    for moment, revision in moments.items():
        game = tables.load(code, revision)
        states[moment] = state(game)
        seen[moment] = seats(game, lambda seat, game=game: view(rules, game, seat).to_json())
    tables.store.close()
    return states, seen


def _lines(data: Any) -> str:
    """JSON that a difference can be read in."""
    return json.dumps(data, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def write(path: Path, text: str) -> Path:
    """Write a file, packed when it is large; the same text always gives the same bytes."""
    if len(text) <= LARGE:
        path.write_text(text, encoding="utf-8")
        return path
    packed = path.with_name(path.name + ".gz")
    packed.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    return packed
