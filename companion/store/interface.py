"""What a store promises: the contract that both SQLite and PostgreSQL keep.

`tests/store/test_contract.py` checks these promises. Every method that takes a table's code raises
`NoTable` when no table has it. Times are text given by the caller, UTC in ISO 8601, so that they sort.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

Json = dict[str, Any]


@dataclass(frozen=True)
class NewTable:
    """A table as it is founded."""

    code: str
    system: str
    scenario: str
    title: str
    # The seed decides every future roll: it must not reach a log through repr().
    seed: str = field(repr=False)
    options: Json
    created_at: str


@dataclass(frozen=True)
class TableRow:
    """A table as the lobby lists it and as the game is opened from it."""

    code: str
    system: str
    scenario: str
    title: str
    seed: str = field(repr=False)
    options: Json
    created_at: str
    changed_at: str
    revision: int
    stream: int
    ended: bool
    archived: bool
    summary: Json


@dataclass(frozen=True)
class StoredEvent:
    """One event with who caused it, by which action, and when."""

    seq: int
    at: str
    seat: str
    act: str
    name: str
    body: Json

    @property
    def kind(self) -> str:
        """The event's kind, as its body states it."""
        return str(self.body["kind"])


@dataclass(frozen=True)
class Generation:
    """Which issue of a seat's link is valid; a seat never touched is at `Generation()`."""

    number: int = 1
    claimed_at: str | None = None
    revoked: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """What whoever comes to a table asks first."""

    code: str
    system: str
    revision: int
    seats: dict[str, Generation]
    """Those that were claimed, re-issued or revoked; any other is at `Generation()`."""


@dataclass(frozen=True)
class BookRow:
    """A book of the installation's library, without its contents."""

    name: str
    changed_at: str


class Tx(Protocol):
    """One table's write transaction: everything in it is kept, or nothing."""

    @property
    def latest(self) -> int:
        """The newest event's number, including those appended in this transaction."""

    @property
    def stream(self) -> int:
        """The position of the table's random stream, which never goes back."""

    @property
    def archived(self) -> bool:
        """Whether the table is hidden from the lobby."""

    @property
    def summary(self) -> Json:
        """What the lobby tells of the table until now."""

    @property
    def seed(self) -> str:
        """What decides the table's rolls to come; nobody changes it while the transaction lasts."""

    def answer_to(self, act: str, *, seat: str, name: str, digest: str = "") -> Json | None:
        """Return what an earlier submission with this action id was answered, or None when there was none.

        :param digest: a fingerprint of the submission's body; without one, seat and name alone are compared
        :raises ActionIdReused: if that submission came from another seat, was another action or said something else
        """

    def events(self, after: int = 0) -> list[StoredEvent]:
        """Return the events numbered above `after`, including those appended in this transaction."""

    @property
    def written(self) -> list[StoredEvent]:
        """The events appended in this transaction, as they are read after it."""

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
        """Append events and the answer to their action, and return the new revision.

        A failed append leaves nothing behind, even if the transaction goes on.

        :param stream: the random stream's position after these events
        :param answer: what a repeat of this action id is to be answered
        :param digest: a fingerprint of the submission's body, to tell a repeat from something new
        :param summary: the lobby's new summary; None keeps the old one
        :param ended: whether the game is over; None keeps the old word
        :param seed: the seed of the rolls to come; None keeps the old one
        :raises ActionIdReused: if the action id was used at this table before
        :raises ValueError: if a body has no kind or is not JSON, or the stream would go back
        """

    def restore(self, events: Sequence[StoredEvent], *, stream: int, summary: Json, ended: bool) -> int:
        """Append a whole record, numbered from 1, to a table without events, and return the new revision.

        Actions are told by their ids alone, with nothing to compare a repeat's body with.

        :raises ActionIdReused: if two actions that do not follow each other have one id
        """

    def save_snapshot(self, seq: int, state: Json) -> None:
        """Keep the state after event `seq`, in the same commit as the events."""

    def seats(self) -> dict[str, Generation]:
        """Return the seats that were claimed, re-issued or revoked; any other is at `Generation()`."""

    def reissue_seat(self, seat: str) -> None:
        """Make the seat's old links worthless, in the same commit as the events that say so."""

    def revoke_seat(self, seat: str) -> None:
        """Close the seat until it is re-issued, in the same commit as the events that say so."""


class Store(Protocol):
    """The tables of one installation."""

    def create(self, row: NewTable) -> None:
        """Found a table without events.

        :raises TableExists: if the code is taken, also by an archived table
        """

    def creating(
        self, row: NewTable, seats: Mapping[str, Generation] | None = None
    ) -> AbstractContextManager[Tx]:
        """Found a table and yield its first transaction: table and events appear together or not at all.

        :param seats: the issues of its seats' links, where they do not begin at the first
        """

    def tables(self, *, archived: bool = False, codes: Collection[str] | None = None) -> list[TableRow]:
        """Return the tables in play, or the archived ones instead, newest activity first; of these codes only, if given."""

    def quiet_since(self, before: str, *, most: int) -> list[str]:
        """Return the codes of tables at which nothing was done since a time, those quiet for longest first."""

    def born(self, system: str, scenario: str, created_at: str) -> list[str]:
        """Return the codes of the tables that were founded as this game at this time."""

    def table(self, code: str) -> TableRow:
        """Return one table, archived or not."""

    def is_free(self, code: str) -> bool:
        """Whether no table has this code, or ever had."""

    def archive(self, code: str) -> None:
        """Hide a table from the lobby; nothing of it is deleted."""

    def unarchive(self, code: str) -> None:
        """Show an archived table in the lobby again."""

    def delete(self, code: str) -> None:
        """Delete a table with everything that is kept of it; no other will ever have its code."""

    def transaction(self, code: str) -> AbstractContextManager[Tx]:
        """Open the table's write transaction: the block's end commits, an exception rolls back.

        Subscribers are told after the commit. Transactions do not nest.
        """

    def events(
        self, code: str, after: int = 0, upto: int | None = None, kinds: Sequence[str] = ()
    ) -> list[StoredEvent]:
        """Return the events numbered above `after`, up to and including `upto`; of these kinds only, if any are named."""

    def latest(self, code: str) -> int:
        """Return the newest event's number, the table's revision; 0 when it has no events."""

    def snapshot_before(self, code: str, seq: int) -> tuple[int, Json] | None:
        """Return the newest sound snapshot taken at or before event `seq`, with its number.

        A snapshot that is not what was written is passed over: the events are the record, this only saves time.
        """

    def save_snapshot(self, code: str, seq: int, state: Json) -> None:
        """Keep the state after event `seq`; older snapshots are thinned out."""

    def subscribe(self, callback: Callable[[str, int], None]) -> Callable[[], None]:
        """Call back with (code, revision) after every commit that added events; return the unsubscriber.

        Calls may repeat a revision or arrive out of order when writers are concurrent: keep the greatest.
        """

    def subscribe_books(self, callback: Callable[[str], None]) -> Callable[[], None]:
        """Call back with a system when another process has written one of its books; return the unsubscriber.

        Now and then it may be called for a book that this process wrote itself.
        """

    def poll_others(self, within: float = 0) -> None:
        """Tell subscribers of every table whose revision another process has changed, and of books.

        :param within: how many seconds to wait for news; where the database tells them, they are passed on at once
        """

    def tidy(self) -> None:
        """Bring the file in order when nobody has written for some seconds; call it now and then."""

    def standing(self, code: str) -> Standing:
        """Return a table's game, its newest event's number and its seats, read at once."""

    def seat_generations(self, code: str) -> dict[str, Generation]:
        """Return the seats that were claimed, re-issued or revoked; any other is at `Generation()`."""

    def reissue_seat(self, code: str, seat: str) -> Generation:
        """Make the seat's old links worthless and return the new, unclaimed generation."""

    def revoke_seat(self, code: str, seat: str) -> Generation:
        """Close the seat until it is re-issued."""

    def claim_seat(self, code: str, seat: str, at: str) -> Generation:
        """Record that a device took the seat; the first claim's time is kept.

        :raises SeatRevoked: if the seat is closed
        """

    def book_get(self, system: str, name: str) -> Json | None:
        """Return a book of the installation's library, or None when its owner never wrote one."""

    def book_change(self, system: str, name: str, change: Callable[[Json | None], Json], at: str) -> Json:
        """Rewrite a book from what it holds in one transaction, so that two editors lose nothing."""

    def book_list(self, system: str) -> list[BookRow]:
        """Return the system's books by name."""

    def setting_get(self, key: str) -> Any:
        """Return an installation setting, or None when it was never set."""

    def setting_put(self, key: str, value: Any) -> None:
        """Set an installation setting to any JSON value; None takes it away."""

    def setting_change(self, key: str, change: Callable[[Any], Any]) -> Any:
        """Rewrite a setting from what it is in one transaction, so that two writers lose nothing; None takes it away."""

    def setting_once(self, key: str, value: Any) -> Any:
        """Set an installation setting unless it is set already, and return what it is now."""

    def backup(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Copy the whole store to one file while it is in use.

        :raises StoreError: where the database has tools of its own for that, naming them
        :raises FileExistsError: if the file exists and `overwrite` was not asked for
        """

    def close(self) -> None:
        """Give up every connection; later calls raise `StoreClosed`."""
