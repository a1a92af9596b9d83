"""One table's write transaction."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from companion.store.base import Connections, Db
from companion.store.codec import dump_event, dump_object, load
from companion.store.errors import ActionIdReused
from companion.store.interface import Generation, Json, StoredEvent
from companion.store.rows import find_table, select_events
from companion.store.seats import generations, reissue, revoke
from companion.store.snapshots import digest_of

# Snapshots only save time, so few are kept: enough to open a table, and one a block for undoing far back.
NEWEST_KEPT = 3
BLOCK = 1000

_INSERT_EVENT = """insert into event (game, seq, at, seat, act, name, kind, body)
                   values (?, ?, ?, ?, ?, ?, ?, ?)"""
_INSERT_ACTION = """insert into action (game, act, seat, name, revision, answer, digest)
                    values (?, ?, ?, ?, ?, ?, ?) on conflict (game, act) do nothing"""


@lru_cache(400)
def _told(summary: str) -> Json:
    """What a table's summary tells, for as long as it stays the same; whoever is given it does not change it."""
    found: Json = load(summary)
    return found


class TableTx:
    """A table's transaction, valid until the end of its `with` block."""

    def __init__(self, pool: Connections, db: Db, code: str) -> None:
        """Take the table to oneself; nobody else acts at it until the block ends."""
        columns = "revision, stream, seed, archived, summary"
        revision, stream, seed, archived, summary = find_table(db, code, columns, pool.row_lock)
        self._pool = pool
        self._db = db
        self._code = code
        self._latest = int(revision)
        self._stream = int(stream)
        self._seed = str(seed)
        self._archived = bool(archived)
        self._summary = str(summary)
        self._over = False
        self._written: list[tuple[Any, ...]] = []

    @property
    def latest(self) -> int:
        """The newest event's number, including those appended in this transaction."""
        return self._latest

    @property
    def stream(self) -> int:
        """The position of the table's random stream, which never goes back."""
        return self._stream

    @property
    def seed(self) -> str:
        """What decides the table's rolls to come."""
        return self._seed

    @property
    def archived(self) -> bool:
        """Whether the table is hidden from the lobby."""
        return self._archived

    @property
    def summary(self) -> Json:
        """What the lobby tells of the table until now."""
        return _told(self._summary)

    def answer_to(self, act: str, *, seat: str, name: str, digest: str = "") -> Json | None:
        """Return what an earlier submission with this action id was answered, or None when there was none."""
        self._check_open()
        row = self._db.execute(
            "select seat, name, digest, answer from action where game = ? and act = ?", [self._code, act]
        ).fetchone()
        if row is None:
            return None
        # Rows of before the digests, and imported ones, have none to compare.
        if (row[0], row[1]) != (seat, name) or (row[2] and digest and row[2] != digest):
            raise ActionIdReused(act)
        answer: Json = load(row[3])
        return answer

    def events(self, after: int = 0) -> list[StoredEvent]:
        """Return the events numbered above `after`, including those appended in this transaction."""
        self._check_open()
        return select_events(self._db, self._code, after, None)

    @property
    def written(self) -> list[StoredEvent]:
        """The events appended in this transaction, as they are read after it."""
        rows = self._written
        return [
            StoredEvent(seq, at, seat, act, name, load(text)) for _, seq, at, seat, act, name, _, text in rows
        ]

    def append(
        self,
        bodies: Sequence[Json],
        *,
        at: str,
        seat: str,
        act: str,
        name: str,
        stream: int,
        answer: Json,
        digest: str = "",
        summary: Json | None = None,
        ended: bool | None = None,
        seed: str | None = None,
    ) -> int:
        """Append events and the answer to their action, and return the new revision."""
        self._check_open()
        if not act:
            raise ValueError(
                "an action needs an id: without one a repeat could not be told from a new action"
            )
        if stream < self._stream:
            raise ValueError(f"the random stream is at {self._stream} and cannot go back to {stream}")
        rows = [
            (self._code, seq, at, seat, act, name, *dump_event(body))
            for seq, body in enumerate(bodies, self._latest + 1)
        ]
        revision = self._latest + len(rows)
        answer_text = dump_object(answer, "an answer")
        told = None if summary is None or summary == self.summary else summary
        summary_text = None if told is None else dump_object(told, "a summary")
        # A savepoint, so that a caller who goes on after an error commits no half of this.
        with self._pool.atomic(self._db):
            self._record(act, seat, name, revision, answer_text, digest)
            self._pool.many(self._db, _INSERT_EVENT, rows)
            self._db.execute(
                """update game set revision = ?, stream = ?, changed_at = ?,
                   summary = coalesce(?, summary), ended = coalesce(?, ended), seed = coalesce(?, seed)
                   where code = ?""",
                [revision, stream, at, summary_text, ended, seed, self._code],
            )
        self._latest, self._stream, self._seed = revision, stream, seed or self._seed
        self._summary = summary_text or self._summary
        self._written += rows
        return revision

    def restore(self, events: Sequence[StoredEvent], *, stream: int, summary: Json, ended: bool) -> int:
        """Append a whole record with its own times and actions, and return the new revision."""
        self._check_open()
        rows, actions = [], []
        for act, items in groupby(events, key=lambda item: item.act):
            group = list(items)
            rows += [(self._code, i.seq, i.at, i.seat, act, i.name, *dump_event(i.body)) for i in group]
            first, last = group[0], group[-1]
            answer = dump_object({"revision": last.seq}, "an answer")
            actions.append((self._code, act, first.seat, first.name, last.seq, answer))
        if len({row[1] for row in actions}) < len(actions):
            raise ActionIdReused("one of them")
        with self._pool.atomic(self._db):
            self._pool.many(
                self._db,
                "insert into action (game, act, seat, name, revision, answer) values (?, ?, ?, ?, ?, ?)",
                actions,
            )
            self._pool.many(self._db, _INSERT_EVENT, rows)
            self._db.execute(
                "update game set revision = ?, stream = ?, changed_at = ?, summary = ?, ended = ? where code = ?",
                [len(rows), stream, events[-1].at, dump_object(summary, "a summary"), ended, self._code],
            )
        self._latest, self._stream = len(rows), stream
        return self._latest

    def save_snapshot(self, seq: int, state: Json) -> None:
        """Keep the state after event `seq`, with the newest three and the first of every thousand events."""
        self._check_open()
        if not 0 <= seq <= self._latest:
            raise ValueError(f"no snapshot of event {seq}: table {self._code!r} is at {self._latest}")
        text = dump_object(state, "a state")
        self._db.execute(
            """insert into snapshot (game, seq, state, digest) values (?, ?, ?, ?)
               on conflict (game, seq) do update set state = excluded.state, digest = excluded.digest""",
            [self._code, seq, text, digest_of(self._code, seq, text)],
        )
        self._db.execute(
            f"""delete from snapshot where game = ?
                and seq not in (select seq from snapshot where game = ? order by seq desc limit {NEWEST_KEPT})
                and seq not in (select min(seq) from snapshot where game = ? group by seq / {BLOCK})""",
            [self._code] * 3,
        )

    def seats(self) -> dict[str, Generation]:
        """Return the seats that were claimed, re-issued or revoked; any other is at `Generation()`."""
        self._check_open()
        return generations(self._db, self._code)

    def reissue_seat(self, seat: str) -> None:
        """Make the seat's old links worthless, in the same commit as the events that say so."""
        self._check_open()
        reissue(self._db, self._code, seat)

    def revoke_seat(self, seat: str) -> None:
        """Close the seat until it is re-issued, in the same commit as the events that say so."""
        self._check_open()
        revoke(self._db, self._code, seat)

    def finish(self) -> None:
        """Make the transaction unusable, because its block has ended."""
        self._over = True

    def _record(self, act: str, seat: str, name: str, revision: int, answer: str, digest: str) -> None:
        row = (self._code, act, seat, name, revision, answer, digest)
        if not self._pool.put_new(self._db, _INSERT_ACTION, row):
            raise ActionIdReused(act)

    def _check_open(self) -> None:
        # Outside its transaction a statement would commit by itself.
        if self._over or not self._pool.is_open(self._db):
            raise RuntimeError("this store transaction is over: open a new one")
