"""A game folded from its record. A snapshot shortens the way; on any doubt about one, the events alone count."""

from __future__ import annotations

import logging
from collections.abc import Callable

from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.engine.record.hindsight import effective
from companion.store import Json, Store

logger = logging.getLogger(__name__)

Snapshot = tuple[int, Json]


def fold(store: Store, code: str, upto: int, fresh: Callable[[], Game]) -> tuple[Game, int]:
    """Return the table's game as it was after event `upto`, and how many events had to be applied for it.

    :param fresh: makes the game before its first event
    """
    doubted: set[int] = set()
    while True:
        snapshot, pending = _way(store, code, upto, doubted)
        try:
            game = fresh() if snapshot is None else _restored(fresh(), snapshot)
            for seq, event in pending:
                game.apply(event, seq)
        except Exception as error:  # whatever is wrong, the record is asked again without this snapshot
            if snapshot is None:
                raise
            doubted.add(snapshot[0])
            logger.warning(
                "table %s: the snapshot of event %s does not open (%r); the events are folded again",
                code,
                snapshot[0],
                error,
            )
            continue
        game.revision = upto
        return game, len(pending)


def _restored(game: Game, snapshot: Snapshot) -> Game:
    seq, state = snapshot
    if state.get("revision") != seq:
        raise ValueError(f"the state is of event {state.get('revision')!r}")
    return game.restore(state)


def _way(
    store: Store, code: str, upto: int, doubted: set[int]
) -> tuple[Snapshot | None, list[tuple[int, e.Event]]]:
    """The snapshot to begin with and the events that count after it, with what was taken back left out."""
    target, pending = upto, list[tuple[int, e.Event]]()
    while True:
        snapshot = _snapshot(store, code, target, doubted)
        floor = snapshot[0] if snapshot else 0
        stored = {s.seq: e.Event.from_json(s.body) for s in store.events(code, floor, target)}
        base, chain = effective(stored, target, floor)
        pending = [(n, stored[n]) for n in chain] + pending
        if base == floor:
            return snapshot, pending
        target = base  # an undo jumped behind the snapshot


def _snapshot(store: Store, code: str, target: int, doubted: set[int]) -> Snapshot | None:
    found = store.snapshot_before(code, target)
    while found is not None and found[0] in doubted:
        found = store.snapshot_before(code, found[0] - 1)
    return found
