"""Which issue of each seat's link is valid; the links' secrets are derived elsewhere and never stored."""

from collections.abc import Mapping
from dataclasses import replace

from sqlite_utils import Database

from companion.store.errors import SeatRevoked
from companion.store.interface import Generation
from companion.store.pool import Pool
from companion.store.rows import find_table


class Seats:
    """The seats' part of the SQLite store."""

    _pool: Pool

    def seat_generations(self, code: str) -> dict[str, Generation]:
        """Return the seats that were claimed, re-issued or revoked; any other is at `Generation()`."""
        with self._pool.reading() as db:
            find_table(db, code)
            return _generations(db, code)

    def reissue_seat(self, code: str, seat: str) -> Generation:
        """Make the seat's old links worthless and return the new, unclaimed generation."""
        with self._pool.writing() as db:
            find_table(db, code)
            return reissue(db, code, seat)

    def revoke_seat(self, code: str, seat: str) -> Generation:
        """Close the seat until it is re-issued."""
        with self._pool.writing() as db:
            find_table(db, code)
            return revoke(db, code, seat)

    def claim_seat(self, code: str, seat: str, at: str) -> Generation:
        """Record that a device took the seat; the first claim's time is kept."""
        with self._pool.writing() as db:
            find_table(db, code)
            old = _generations(db, code).get(seat, Generation())
            if old.revoked:
                raise SeatRevoked(code, seat)
            return _put(db, code, seat, replace(old, claimed_at=old.claimed_at or at))


def reissue(db: Database, code: str, seat: str) -> Generation:
    """Count the seat's next issue, within the caller's transaction."""
    old = _generations(db, code).get(seat, Generation())
    return _put(db, code, seat, Generation(old.number + 1))


def revoke(db: Database, code: str, seat: str) -> Generation:
    """Close the seat, within the caller's transaction."""
    old = _generations(db, code).get(seat, Generation())
    return _put(db, code, seat, replace(old, revoked=True))


def _generations(db: Database, code: str) -> dict[str, Generation]:
    rows = db.execute(
        "select seat, generation, claimed_at, revoked from seat where game = ?", [code]
    ).fetchall()
    return {seat: Generation(number, claimed_at, bool(revoked)) for seat, number, claimed_at, revoked in rows}


def put_generations(db: Database, code: str, seats: Mapping[str, Generation]) -> None:
    """Write the issues of a new table's links."""
    for seat, generation in seats.items():
        _put(db, code, seat, generation)


def _put(db: Database, code: str, seat: str, new: Generation) -> Generation:
    db.execute(
        "insert or replace into seat (game, seat, generation, claimed_at, revoked) values (?, ?, ?, ?, ?)",
        [code, seat, new.number, new.claimed_at, new.revoked],
    )
    return new
