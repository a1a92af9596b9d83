"""Who sits where: which devices hold a table's seats, and the lines of the log that tell of it.

The store's seat generations are the truth (they decide which link and cookie open a seat); the list of devices only
describes it to the players. Neither is part of a game's state, so no undo brings an old link back.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from companion.engine.record import events as e
from companion.store import Generation, Store, Tx
from companion.tables.clocks import is_clock_line

LOG_NAME = "seats"
DEVICES_PER_SEAT = 12


@dataclass(frozen=True)
class Device:
    """A device that joined a seat, as the seats page tells of it."""

    id: str
    kind: str
    at: str
    generation: int


def is_seat_line(body: Mapping[str, Any]) -> bool:
    """Whether a stored event is about seats alone: the table as it is played has not changed by it."""
    return e.is_about_seats(str(body["kind"]), str(body.get("id", "")))


def has_moved(tx: Tx, revision: int | None) -> bool:
    """Whether the table was played on since a revision; who joined or left since then does not count."""
    if revision is None or not 0 <= revision <= tx.latest:
        return True
    return any(not is_seat_line(item.body) and not is_clock_line(item.body) for item in tx.events(revision))


def seated(issues: Mapping[str, Generation]) -> frozenset[str]:
    """The seats that a device or program has taken."""
    return frozenset(seat for seat, g in issues.items() if g.claimed_at and not g.revoked)


def is_table_free(issues: Mapping[str, Generation]) -> bool:
    """Whether the table's screen got a new code that nobody has taken yet."""
    issue = issues.get("table", Generation())
    return issue.number > 1 and not issue.claimed_at and not issue.revoked


def carry_out(tx: Tx, events: Iterable[e.Event]) -> None:
    """Issue or close the seats that these events tell of, in their own transaction."""
    for event in events:
        if isinstance(event, e.Seated) and event.what == "new-code":
            tx.reissue_seat(event.seat)
        elif isinstance(event, e.Seated) and event.what == "closed":
            tx.revoke_seat(event.seat)


class Seating:
    """The devices at every table of a store."""

    def __init__(self, store: Store, clock: Callable[[], str]) -> None:
        self.store, self.clock = store, clock

    def devices(self, code: str) -> dict[str, list[Device]]:
        """The devices at each seat; those that held an older code of it are left out."""
        return self._present(code, self.store.setting_get(_key(code)))

    def _present(self, code: str, kept: Mapping[str, Any] | None) -> dict[str, list[Device]]:
        issues = self.store.seat_generations(code)
        found: dict[str, list[Device]] = {}
        for seat, rows in (kept or {}).items():
            now = issues.get(seat, Generation()).number
            found[seat] = [Device(**row) for row in rows if row["generation"] == now]
        return found

    def taken(self, code: str) -> frozenset[str]:
        """The seats that somebody holds."""
        return seated(self.store.seat_generations(code))

    def sit_down(self, code: str, seats: Iterable[str], device: str, kind: str) -> None:
        """Let a device take seats; the log tells it once.

        :raises SeatRevoked: if a seat is closed
        """
        issues = {seat: self.store.claim_seat(code, seat, self.clock()) for seat in seats}
        news = list[e.Seated]()

        def join(kept: Mapping[str, Any] | None) -> dict[str, Any]:
            here = self._present(code, kept)
            for seat, issue in issues.items():
                known = here.setdefault(seat, [])
                if all(one.id != device for one in known):
                    known.append(Device(device, kind, self.clock(), issue.number))
                    news.append(e.Seated(seat, "joined", kind))
            return _rows(here)

        here = self.devices(code)
        if any(device not in {one.id for one in here.get(seat, [])} for seat in issues):
            self.store.setting_change(_key(code), join)
        if news:
            self._tell(code, news)

    def stand_up(self, code: str, seats: Iterable[str], device: str) -> None:
        """Take seats from a device; a seat that it was the last to hold gets a new, unclaimed code."""
        news = list[e.Seated]()

        def leave(kept: Mapping[str, Any] | None) -> dict[str, Any]:
            here = self._present(code, kept)
            for seat in seats:
                name = next((one.kind for one in here.get(seat, []) if one.id == device), "device")
                here[seat] = [one for one in here.get(seat, []) if one.id != device]
                news.append(e.Seated(seat, "left", name, why="" if here[seat] else "free"))
            return _rows(here)

        self.store.setting_change(_key(code), leave)
        if news:
            self._tell(code, news, free=[event.seat for event in news if event.why])

    def forget(self, code: str) -> None:
        """The table is gone: so is the list of its devices."""
        self.store.setting_put(_key(code), None)

    def _tell(self, code: str, news: list[e.Seated], free: Iterable[str] = ()) -> None:
        """Append lines to the log, so that every open page of the table looks again."""
        with self.store.transaction(code) as tx:
            tx.append(
                [event.to_json() for event in news],
                at=self.clock(),
                seat=news[0].seat,
                act=f"{LOG_NAME}-{secrets.token_urlsafe(9)}",
                name=LOG_NAME,
                stream=tx.stream,
                answer={},
            )
            for seat in free:
                tx.reissue_seat(seat)


def _rows(here: Mapping[str, list[Device]]) -> dict[str, Any]:
    """The list of devices as it is kept."""
    return {seat: [asdict(one) for one in found[-DEVICES_PER_SEAT:]] for seat, found in here.items()}


def _key(code: str) -> str:
    return f"seats-{code}"
