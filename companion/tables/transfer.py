"""Export, save, import: a game as one file that another machine restores exactly."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from companion import __version__
from companion.engine.errors import Unknown, Unreadable, did_you_mean
from companion.engine.record import events as e
from companion.engine.record.game import Game, replay
from companion.store import Generation, NewTable, StoredEvent
from companion.tables import sealing
from companion.tables.background import slices
from companion.tables.reading import seen_record
from companion.tables.savefile import EVENT_PARTS, FORMAT, check_dice, check_shape, checksum, read_copy
from companion.tables.summary import summary
from companion.tables.tables import Tables
from companion.tables.trial import check_events, check_sight


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
    whole = not seat or game.record_open
    # No further than the row: what is played meanwhile would stand beside an older position of the dice.
    stored = tables.store.events(code, 0, row.revision)
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
        "copy": "whole" if whole else f"reading copy, as seen by {seat}",
        "events": events,
    }
    if whole:
        copy |= {"seed": row.seed, "stream": row.stream}
    copy["checksum"] = checksum(copy)
    return copy


def save_table(tables: Tables, code: str, secret: bytes, now: str) -> dict[str, Any]:
    """A table as a file that restores completely and that its holder cannot read."""
    row, game = tables.store.table(code), tables.game(code)
    phase = game.phase_def()
    sides = [] if game["solo"] else list(game.sides)
    header = {
        "companion": sealing.FORMAT,
        "copy": sealing.SEALED,
        "code": code,
        "system": row.system,
        "scenario": row.scenario,
        "title": row.title,
        "now": f"{game.kit.turn_name} {game.turn}{f': {phase.name}' if phase else ''}",
        "sides": [game.side_name(side) for side in sides],
        "commitment": game.commitment,
        "saved_at": now,
        "made_by": f"companion {__version__}",
    }
    generations = tables.store.seat_generations(code)
    inside = {
        "game": json.dumps(export_table(tables, code), ensure_ascii=False),
        "seats": {seat: [g.number, g.claimed_at, g.revoked] for seat, g in generations.items()},
    }
    return sealing.seal(header, inside, secret, [sealing.restore_key(secret, code, side) for side in sides])


def import_table(
    tables: Tables, text: str, secret: bytes = b"", keys: Sequence[str] = (), *, operator: bool = False
) -> str:
    """Restore a game exactly, under its own code when that is free; returns the code.

    :param keys: the restore keys of all sides, for a sealed save that this installation may not open by itself
    :param operator: whoever asks reads the database anyway, so that a second copy needs nobody's consent
    :raises NeedsKeys: when the restore keys are needed
    """
    save = sealed_save(text)
    if save is None:
        return _store(tables, _whole(text), None)
    inside = sealing.open_with(save, keys) if keys else sealing.open_here(save, secret)
    copy = _whole(str(inside.get("game")))
    here = _still_here(tables, copy)
    header = sealing.header_of(save)
    if here and not keys and not operator and header.sides:
        # A second copy has a second set of seats: one device could sit down on all of them and read everything.
        raise sealing.NeedsKeys(header, here)
    return _store(tables, copy, inside.get("seats") if sealing.made_here(save, secret) else None)


def sealed_save(text: str) -> dict[str, Any] | None:
    """A file's content when it is a sealed save; None when it is something else."""
    if sealing.SEALED not in text[:4096]:
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if sealing.is_sealed(found) else None


def _whole(text: str) -> dict[str, Any]:
    """A whole export, checked, or a refusal that says what the file is instead."""
    copy = read_copy(text)
    if "seed" not in copy:
        seen = str(copy.get("copy"))[:80].removeprefix("reading copy, ")
        raise Unreadable(
            f"this is a reading copy ({seen}): hidden things were left out, so it cannot be played on. "
            "Restore the file saved from the table's screen, or ask the host for the whole export."
        )
    check_shape(copy)
    check_dice(copy)
    return copy


def _still_here(tables: Tables, copy: Mapping[str, Any]) -> str:
    """The table where this very game is already kept, archived or not; empty when there is none."""
    return next(iter(tables.store.born(copy["system"], copy["scenario"], copy["created_at"])), "")


def _store(tables: Tables, copy: Mapping[str, Any], seats: Any) -> str:
    """Replay a checked game and keep it; returns its code."""
    system = tables.system(copy["system"])
    game = Game(system.kit, copy["scenario"])
    events = [e.Event.from_json(item["body"]) for item in slices(copy["events"])]
    check_events(game, events)
    try:
        game = replay(game, events)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise Unreadable(f"this export cannot be replayed: {error}") from None
    check_sight(system, game, events)
    code = _code_for(tables, copy["code"])
    row = NewTable(
        code,
        system.id,
        game.scenario.id,
        str(copy["title"]),
        str(copy["seed"]),
        dict(copy["options"]),
        copy["created_at"],
    )
    ids = ("table", *game.sides)
    try:
        with tables.store.creating(row, _generations(ids, seats if code == copy["code"] else None)) as tx:
            tx.restore(
                [StoredEvent(**{name: item[name] for name in EVENT_PARTS}) for item in copy["events"]],
                stream=int(copy["stream"]),
                summary=summary(system, game, copy["events"][-1]["at"], events, {}),
                ended=game.ended is not None,
            )
            tx.save_snapshot(len(events), game.dump())  # so that a long game opens as fast as it did before
    except ValueError as error:  # a null character in a name, which not every database takes
        raise Unreadable(f"this export cannot be kept: {error}") from None
    return code


def _code_for(tables: Tables, wanted: str) -> str:
    """The code wanted when it is one and nobody has it or had it, otherwise a new one."""
    if re.fullmatch(r"[A-Z0-9]{4,12}", wanted) and tables.store.is_free(wanted):
        return wanted
    return tables._free_code()


def _generations(ids: Iterable[str], saved: Any) -> dict[str, Generation]:
    """Which issue of each seat's link opens the restored table.

    The same table on the same installation goes on with its own: phones keep their seats, a revoked link stays revoked.
    Anything else begins at an issue nobody can have a link to, even where the code had an earlier life here.
    """
    if saved is not None:
        return {
            seat: Generation(int(n), at, bool(gone))
            for seat, (n, at, gone) in saved.items()
            if seat in set(ids)
        }
    return {seat: Generation(secrets.randbelow(2**31) + 2) for seat in ids}
