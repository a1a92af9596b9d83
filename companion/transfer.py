"""Export and import: a game as one file that another machine restores exactly."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Any

from companion.engine import events as e
from companion.engine.errors import Unknown, Unreadable, did_you_mean
from companion.engine.game import Game, replay
from companion.record import seen_record
from companion.savefile import FORMAT, check_shape, checksum, read_copy
from companion.store import NewTable
from companion.tables import Tables


def export_table(tables: Tables, code: str, seat: str = "") -> dict[str, Any]:
    """A table as a file. Without a seat, everything (the operator's copy); with one, as that seat may see it."""
    row = tables.store.table(code)
    game = tables.game(code)
    seats = ("table", *game.sides, "watch")
    if seat and seat not in seats:
        raise Unknown(
            f"there is no seat {seat[:40]!r} at this table: {', '.join(seats)}.{did_you_mean(seat, seats)}",
            field="seat",
            given=seat,
            accepted=", ".join(seats),
        )
    whole = not seat or game.ended is not None
    stored = tables.store.events(code)
    shown = stored if whole else seen_record(tables.system_of(code).rules, stored, seat)
    events = [
        {"seq": s.seq, "at": s.at, "seat": s.seat, "act": s.act, "name": s.name, "body": s.body}
        for s in shown
    ]
    copy: dict[str, Any] = {
        "companion": FORMAT,
        "code": row.code,
        "system": row.system,
        "scenario": row.scenario,
        "title": row.title,
        "options": row.options,
        "created_at": row.created_at,
        "revision": row.revision,
        "commitment": game.commitment,
        "copy": "whole" if whole else f"as seen by {seat}",
        "events": events,
    }
    if whole:
        copy |= {"seed": row.seed, "stream": row.stream}
    copy["checksum"] = checksum(copy)
    return copy


def import_table(tables: Tables, text: str) -> str:
    """Restore a game exactly, under its own code when that is free; returns the code."""
    copy = read_copy(text)
    if "seed" not in copy:
        raise Unreadable(
            f"this is a copy {copy.get('copy')}: hidden things were left out, so it cannot be played on. "
            "Ask the host for the whole export."
        )
    check_shape(copy)
    system = tables.system(copy["system"])
    game = Game(system.kit, copy["scenario"])
    try:
        events = [e.Event.from_json(item["body"]) for item in copy["events"]]
        game = replay(game, events)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise Unreadable(f"this export cannot be replayed: {error}") from None
    code = copy["code"]
    try:
        if re.fullmatch(r"[A-Z0-9]{4,12}", code):
            tables.store.table(code)
        code = tables._free_code()
    except LookupError:
        pass
    row = NewTable(
        code,
        system.id,
        game.scenario.id,
        str(copy["title"]),
        str(copy["seed"]),
        dict(copy["options"]),
        copy["created_at"],
    )
    with tables.store.creating(row) as tx:
        for act, items in groupby(copy["events"], key=lambda item: item["act"]):
            group = list(items)
            last = group[-1]["seq"] == len(events)
            tx.append(
                [item["body"] for item in group],
                at=group[-1]["at"],
                seat=group[0]["seat"],
                act=act,
                name=group[0]["name"],
                stream=int(copy["stream"]) if last else 0,
                answer={"revision": group[-1]["seq"]},
                summary=tables._summary(game) if last else None,
                ended=game.ended is not None if last else None,
            )
        tx.save_snapshot(len(events), game.dump())  # so that a long game opens as fast as it did before
    return str(code)
