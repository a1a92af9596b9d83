"""Which issue of each seat's link is valid; the links' secrets are derived elsewhere and never stored."""

from collections.abc import Mapping
from dataclasses import replace

from companion.store.base import Connections, Db
from companion.store.errors import SeatRevoked
from companion.store.interface import Generation, Standing
from companion.store.rows import find_table, of_table

_STANDING = """select code, system, revision, seat, generation, claimed_at, revoked from game
               left join seat on seat.game = game.code where game.code = ?"""


class Seats:
    """The seats' part of a store."""

    _pool: Connections

    def standing(self, code: str) -> Standing:
        """Return a table's game, its newest event's number and its seats, read at once."""
        with self._pool.reading() as db:
            rows = of_table(db, code, lambda: db.execute(_STANDING, [code]).fetchall())
        seats = {row[3]: Generation(row[4], row[5], bool(row[6])) for row in rows if row[3] is not None}
        name, system, revision = rows[0][:3]
        return Standing(name, system, revision, seats)

    def seat_generations(self, code: str) -> dict[str, Generation]:
        """Return the seats that were claimed, re-issued or revoked; any other is at `Generation()`."""
        with self._pool.reading() as db:
            return of_table(db, code, lambda: generations(db, code))

    def reissue_seat(self, code: str, seat: str) -> Generation:
        """Make the seat's old links worthless and return the new, unclaimed generation."""
        with self._pool.writing() as db:
            find_table(db, code, lock=self._pool.row_lock)
            return reissue(db, code, seat)

    def revoke_seat(self, code: str, seat: str) -> Generation:
        """Close the seat until it is re-issued."""
        with self._pool.writing() as db:
            find_table(db, code, lock=self._pool.row_lock)
            return revoke(db, code, seat)

    def claim_seat(self, code: str, seat: str, at: str) -> Generation:
        """Record that a device took the seat; the first claim's time is kept."""
        with self._pool.writing() as db:
            find_table(db, code, lock=self._pool.row_lock)
            old = generations(db, code).get(seat, Generation())
            if old.revoked:
                raise SeatRevoked(code, seat)
            return _put(db, code, seat, replace(old, claimed_at=old.claimed_at or at))


def reissue(db: Db, code: str, seat: str) -> Generation:
    """Count the seat's next issue, within the caller's transaction."""
    old = generations(db, code).get(seat, Generation())
    return _put(db, code, seat, Generation(old.number + 1))


def revoke(db: Db, code: str, seat: str) -> Generation:
    """Close the seat, within the caller's transaction."""
    old = generations(db, code).get(seat, Generation())
    return _put(db, code, seat, replace(old, revoked=True))


def generations(db: Db, code: str) -> dict[str, Generation]:
    """Return the seats of a table that were claimed, re-issued or revoked."""
    rows = db.execute(
        "select seat, generation, claimed_at, revoked from seat where game = ?", [code]
    ).fetchall()
    return {seat: Generation(number, claimed_at, bool(revoked)) for seat, number, claimed_at, revoked in rows}


def put_generations(db: Db, code: str, seats: Mapping[str, Generation]) -> None:
    """Write the issues of a new table's links."""
    for seat, generation in seats.items():
        _put(db, code, seat, generation)


def _put(db: Db, code: str, seat: str, new: Generation) -> Generation:
    db.execute(
        """insert into seat (game, seat, generation, claimed_at, revoked) values (?, ?, ?, ?, ?)
           on conflict (game, seat) do update
           set generation = excluded.generation, claimed_at = excluded.claimed_at, revoked = excluded.revoked""",
        [code, seat, new.number, new.claimed_at, new.revoked],
    )
    return new
