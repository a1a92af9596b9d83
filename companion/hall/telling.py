"""A word from outside the game in a table's log: the organiser's, a judge's, a new link. No undo takes it back."""

from __future__ import annotations

import secrets

from companion.engine.record import events as e
from companion.tables.seating import carry_out
from companion.tables.tables import Tables

ORGANISER, JUDGE = "organiser", "judge"


def tell(tables: Tables, code: str, words: str, by: str = ORGANISER) -> int:
    """Write a line into a table's log, so that every open page of the table looks again; return its revision."""
    return _write(tables, code, e.Seated("table", "told", why=words), by)


def new_link(tables: Tables, code: str, seat: str) -> int:
    """Give a seat a new link, for a lost phone or tablet: the old one is signed out, nobody else notices."""
    return _write(tables, code, e.Seated(seat, "new-code", why="the organiser gave it"), ORGANISER)


def _write(tables: Tables, code: str, event: e.Seated, by: str) -> int:
    with tables.store.transaction(code) as tx:
        revision = tx.append(
            [event.to_json()],
            at=tables.clock(),
            seat=by,
            act=f"{by}-{secrets.token_urlsafe(9)}",
            name=by,
            stream=tx.stream,
            answer={},
        )
        carry_out(tx, [event])
    return revision
