"""A word from outside the game in a table's log: the organiser's, a judge's. No undo takes it back."""

from __future__ import annotations

import secrets

from companion.engine.record import events as e
from companion.tables.tables import Tables

ORGANISER, JUDGE = "organiser", "judge"


def tell(tables: Tables, code: str, words: str, by: str = ORGANISER) -> int:
    """Write a line into a table's log, so that every open page of the table looks again; return its revision."""
    with tables.store.transaction(code) as tx:
        return tx.append(
            [e.Seated("table", "told", why=words).to_json()],
            at=tables.clock(),
            seat=by,
            act=f"{by}-{secrets.token_urlsafe(9)}",
            name=by,
            stream=tx.stream,
            answer={},
        )
