"""Tables: games kept in a store. One action is one transaction: catch up, check, append, commit, notify."""

from __future__ import annotations

import logging
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from companion.books.book import load_book
from companion.engine import dice
from companion.engine.errors import Mistake
from companion.engine.forms.fields import storable
from companion.engine.hexes.gridbook import owner_maps
from companion.engine.kit.book import Book
from companion.engine.play.actions import Action, Chance
from companion.engine.play.performing import TAKING_BACK, AnsweredWrong, perform
from companion.engine.play.phases import open_table
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.engine.record.hindsight import Hindsight
from companion.limits import TITLE
from companion.store import NewTable, Store, StoredEvent, StoreError, TableRow, Tx, digest
from companion.systems import System, find_system, load_systems
from companion.tables.backwards import seats_since
from companion.tables.clocks import Stopwatch
from companion.tables.folding import fold
from companion.tables.log import Entry, TableLog
from companion.tables.options import read_options
from companion.tables.past import Past
from companion.tables.played import Known, keep_what_was_read
from companion.tables.seating import Seating, carry_out, has_moved, seated
from companion.tables.submission import Answer, answer_of, read_id, stale
from companion.tables.summary import summary
from companion.tables.takeback import after_take_back, gone_back
from companion.tables.visit import Visit

logger = logging.getLogger(__name__)

CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
SNAPSHOT_EVERY = 500
CACHED_GAMES = 400


def utc_now() -> str:
    """The time as the log keeps it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


class Tables:
    """Every table of the installation."""

    def __init__(
        self, store: Store, scenarios: Path, clock: Callable[[], str] = utc_now, letters: int = 4
    ) -> None:
        """:param letters: of a new table's code, as long as there are free ones of that length"""
        self.store = store
        self.scenarios = scenarios
        self.clock = clock
        self.seating = Seating(store, clock)
        self._games: OrderedDict[str, Game] = OrderedDict()
        self._pasts: dict[str, Past] = {}
        self._locks: dict[str, threading.RLock] = {}
        self._guard = threading.Lock()
        self._books: dict[str, tuple[int, Book]] = {}
        self._book_version = 0
        self._unkept: set[str] = set()
        self.letters = letters
        store.subscribe_books(self.book_changed)
        self.stopwatch = Stopwatch()
        store.subscribe(lambda code, _: self.stopwatch.heard(code))
        self.barred: Callable[[str, Action], None] = lambda code, action: None
        """Raises a mistake where somebody outside the game lets nothing be done at a table."""

    # -- the shelf ---------------------------------------------------------------------------------------

    @property
    def systems(self) -> dict[str, System]:
        return load_systems(self.scenarios)

    def system(self, name: str) -> System:
        return find_system(name, self.scenarios)

    def book(self, system: System) -> Book:
        """What the owner filled in for a game, over the kit's known cells."""
        held = self._books.get(system.id)
        if held and held[0] == self._book_version:
            return held[1]
        book = load_book(self.store, system)
        book.maps = owner_maps(system.kit.maps, self.store.book_get(system.id, "grid") or {})
        self._books[system.id] = (self._book_version, book)
        return book

    def book_changed(self, system: str = "") -> None:
        """Owner's books were edited, here or by another process: read them again, for open games too."""
        if system and system not in self._books:
            return  # not one of a game that anybody has open
        self._book_version += 1
        for game in list(self._games.values()):
            if system in ("", game.kit.id):
                game.book = self.book(self.system(game.kit.id))
                game.worked.clear()

    def forget(self, code: str) -> None:
        """The table is gone: nothing of it stays in memory."""
        self._games.pop(code, None)
        self._pasts.pop(code, None)

    def system_of(self, code: str) -> System:
        return self.system(self.store.standing(code).system)

    # -- opening -----------------------------------------------------------------------------------------

    def new(self, system: str, scenario: str, options: Mapping[str, Any], title: str = "") -> str:
        """Found a table and return its code."""
        game_system = self.system(system)
        game = Game(game_system.kit, scenario, self.book(game_system))
        settings = read_options(game, options)
        title = storable(title).replace("\0", "").strip()[:TITLE]
        seed = secrets.token_hex(32)
        code = self._free_code()
        row = NewTable(code, system, scenario, title, seed, dict(settings), self.clock())
        events: list[e.Event] = []
        for event in open_table(game_system.rules, game, settings, dice.commitment(seed), title):
            game.apply(event)
            events.append(event)
        with self.store.creating(row) as tx:
            tx.append(
                [event.to_json() for event in events],
                at=row.created_at,
                seat="table",
                act=f"open-{code}",
                name="open",
                stream=0,
                answer={"revision": len(events)},
                summary=summary(game_system, game, row.created_at, events),
            )
        return code

    def _free_code(self) -> str:
        for tried in range(100):
            length = self.letters + tried // 10  # a million tables have all codes of four letters
            code = "".join(secrets.choice(CODE_LETTERS) for _ in range(length))
            if self.store.is_free(code):
                return code
        raise RuntimeError("no free table code found")

    # -- reading -----------------------------------------------------------------------------------------

    def normal(self, code: str) -> str:
        """A table code as it is stored: capitals, no spaces."""
        return "".join(code.split()).upper()[:12]

    def row(self, code: str) -> TableRow:
        return self.store.table(code)

    def standing_still(self, code: str) -> threading.RLock:
        """A lock: nobody else acts at the table while it is held, and its game may be looked at."""
        lock = self._locks.get(code)
        if lock is None:
            with self._guard:
                lock = self._locks.setdefault(code, threading.RLock())
        return lock

    def game(self, code: str, latest: int | None = None) -> Game:
        """The table's game, caught up with the store. Do not change it.

        :param latest: the newest event, where the caller knows; one read before somebody else acted is not believed
        """
        with self.standing_still(code):
            known = self._games.get(code)
            if latest is None or (known is not None and known.revision > latest):
                latest = self.store.latest(code)
            game = self._caught_up(code, latest)
            if code in self._unkept:
                self._keep(code, game)
            return game

    def _keep(self, code: str, game: Game) -> None:
        """Write a snapshot where there was none of use, so that only the first opening is slow."""
        self._unkept.discard(code)
        try:
            self.store.save_snapshot(code, game.revision, game.dump())
        except (StoreError, RuntimeError):  # a cache is not worth a failed page
            logger.warning("table %s: no new snapshot could be kept", code)

    def _caught_up(
        self, code: str, latest: int, tx_events: Callable[[int], list[StoredEvent]] | None = None
    ) -> Game:
        game = self._games.get(code)
        if game is not None and game.revision < latest:
            missing = (
                tx_events(game.revision) if tx_events else self.store.events(code, game.revision, latest)
            )
            events = [e.Event.from_json(m.body) for m in missing]
            if any(isinstance(event, e.Undone) for event in events):
                game = None
            else:
                game.way_back.begin(game.revision)
                for stored, event in zip(missing, events, strict=True):
                    game.apply(event, stored.seq)
        if game is None or game.revision != latest:
            game = self.load(code, latest)
        self._games[code] = game
        self._games.move_to_end(code)
        while len(self._games) > CACHED_GAMES:
            self._pasts.pop(self._games.popitem(last=False)[0], None)
        return game

    def load(self, code: str, upto: int | None = None) -> Game:
        """A fresh game folded from the nearest snapshot that is beyond doubt."""
        row = self.store.table(code)
        system = self.system(row.system)
        last = row.revision if upto is None else upto
        game, steps = fold(self.store, code, last, lambda: Game(system.kit, row.scenario, self.book(system)))
        if steps > 2 * SNAPSHOT_EVERY:
            self._unkept.add(code)
        return game

    def view(self, code: str, seat: str) -> dict[str, Any]:
        """All of the table that a seat may see, as the API answers it."""
        with self.standing_still(code):
            return {"code": code, **self.visit(code, seat).view.to_json()}

    def visit(self, code: str, seat: str) -> Visit:
        """A seat's look at a table."""
        return Visit(self, code, seat)

    # -- acting ------------------------------------------------------------------------------------------

    def act(
        self,
        code: str,
        seat: str,
        name: str,
        raw: Mapping[str, Any],
        *,
        action_id: str = "",
        revision: int | None = None,
        system: System | None = None,
    ) -> Answer:
        """Carry out one action: all of it, once, or nothing.

        :param revision: of the table as whoever acts sees it
        :param system: the table's game, where the caller knows
        """
        act = read_id(action_id) or secrets.token_urlsafe(12)
        with self.standing_still(code):
            system = system or self.system_of(code)
            action = system.rules.find(name)
            try:
                answer = self._act(code, system, seat, action, raw, act, revision)
            except Mistake:
                raise  # it is as it was
            except BaseException:
                self._games.pop(code, None)  # it may be half-changed: fold it again from the record
                raise
        return answer

    def _act(
        self,
        code: str,
        system: System,
        seat: str,
        action: Action,
        raw: Mapping[str, Any],
        act: str,
        revision: int | None,
    ) -> Answer:
        with self.store.transaction(code) as tx:
            said = digest(seat, action.name, dict(raw))
            earlier = tx.answer_to(act, seat=seat, name=action.name, digest=said)
            if earlier is not None:
                return Answer(
                    earlier["revision"], earlier.get("lines", []), earlier.get("result", {}), repeated=True
                )
            self.barred(code, action)
            game = self._caught_up(code, tx.latest, tx.events)
            if action.fresh and has_moved(tx, revision):
                raise stale(action, revision, game.revision)
            known, before = Known.of(game), game.revision
            game.way_back.begin(before)
            try:
                events, stream = self._performed(tx, code, system, seat, action, raw)
                if not events:
                    return Answer(before)
                game, seed = self._games[code], tx.seed
                undone = next((event for event in events if isinstance(event, e.Undone)), None)
                if undone is not None:
                    now, game = gone_back(game, undone.to, partial(self.load, code))
                    seed, more = after_take_back(now, game, seed)
                    events += more
                bodies = [event.to_json() for event in events]
                at, answer = self.clock(), answer_of(events, bodies, seat, game, before)
                latest = tx.append(
                    bodies,
                    at=at,
                    seat=seat,
                    act=act,
                    name=action.name,
                    stream=stream,
                    answer=answer.to_json(),
                    digest=said,
                    summary=summary(system, game, at, events, tx.summary),
                    ended=game.ended is not None,
                    seed=seed,
                )
                carry_out(tx, events)
                if undone is None and latest // SNAPSHOT_EVERY > before // SNAPSHOT_EVERY:
                    tx.save_snapshot(latest, game.dump())
            except Mistake:
                self._stand_again(code, before)
                raise
        if undone is not None:
            game.revision = latest  # it stands where it stood then, at the end of the record
            game.worked.changed(("revision",))
            self._games[code] = game
        if code in self._pasts:
            self._pasts[code].wrote(before, tx)
        self.stopwatch.running(code, game)
        if tx.archived:  # a table that is played at belongs in the lobby
            self.store.unarchive(code)
        if keep_what_was_read(self.store, system, code, events, game, known, at):
            self.book_changed()
        return answer

    def _stand_again(self, code: str, line: int) -> None:
        """After a mistake the game stands where it stood; where it does not know the way back, it is forgotten."""
        game = self._games[code]
        if game.way_back.leads_to(line):
            game.way_back.go(game, line)
        else:
            del self._games[code]

    def _performed(
        self, tx: Tx, code: str, system: System, seat: str, action: Action, raw: Mapping[str, Any]
    ) -> tuple[list[e.Event], int]:
        """What an action brings about, with the time that passed before it, and where the dice then stand."""
        game, before = self._games[code], tx.latest
        game.seated = seated(tx.seats())
        if action.name in (*TAKING_BACK, "agree"):
            log = TableLog(self.past(code), system.rules, game, seat)
            game.hindsight = self._hindsight(code, before, raw, log)
        passed = self.stopwatch.passed(code, system.rules, game)
        sides = [game[f"entropy-{s}"] for s in game.sides]
        stream = partial(dice.Stream, tx.seed, tx.stream, [w for w in sides if w])
        chance = Chance(stream())
        if passed:
            game.apply(passed)
        try:
            events = perform(system.rules, game, seat, action, raw, chance)
        except AnsweredWrong:
            logger.exception("table %s: a duty is left to be answered by hand", code)
            self._games[code] = game = self.load(code, before)
            game.seated, chance = seated(tx.seats()), Chance(stream())
            if passed:
                game.apply(passed)
            events = perform(system.rules, game, seat, action, raw, chance, alone=False)
        if passed and not events:
            del self._games[code]  # it has taken over what is not kept
        return [passed, *events] if passed and events else events, chance.stream.position

    def _hindsight(self, code: str, latest: int, raw: Mapping[str, Any], log: TableLog) -> Hindsight:
        """What the game must know of its past to take something back."""
        line, past = str(raw.get("to", "")).strip(), self.past(code)
        to = int(line) if line.isdecimal() and len(line) < 10 else latest
        act, undo = past.last_act(latest), past.last_undo(latest)
        void = past.taken_back(latest)
        return Hindsight(
            void,
            seats_since(self.store, code, to, latest, void),
            log.name_of(act) if act and act.to == to else "",
            undo.to if undo else 0,
            undo.by if undo else "",
        )

    # -- the log -----------------------------------------------------------------------------------------

    def past(self, code: str) -> Past:
        """What is known of the table's past."""
        return self._pasts.get(code) or self._pasts.setdefault(code, Past(self.store, code))

    def undo_target(self, code: str) -> int | None:
        """The line to go back to so that the newest action that counts is undone; None when there is none."""
        act = self.past(code).last_act(self.store.latest(code))
        return act.to if act else None

    def log(self, code: str, seat: str, *, limit: int = 60, before: int | None = None) -> list[Entry]:
        """Newest actions first, each with the lines this seat may read."""
        with self.standing_still(code):
            return self.visit(code, seat).log(limit, before)
