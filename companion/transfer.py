"""Export, import and verification: a game as one file that another machine restores exactly."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import groupby
from typing import Any

from companion.engine import dice
from companion.engine import events as e
from companion.engine.errors import Unknown, Unreadable, did_you_mean
from companion.engine.game import Game, replay
from companion.store import NewTable
from companion.tables import Tables

FORMAT = 1


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
    events = []
    for item in stored:
        body = item.body if whole else e.Event.from_json(item.body).seen_by(seat)
        events.append(
            {
                "seq": item.seq,
                "at": item.at,
                "seat": item.seat,
                "act": item.act,
                "name": "" if body.get("hidden") else item.name,
                "body": body,
            }
        )
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


def checksum(copy: Mapping[str, Any]) -> str:
    """SHA-256 over everything but the checksum itself, so that a damaged file is noticed."""
    body = {k: v for k, v in copy.items() if k != "checksum"}
    text = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def read_copy(text: str) -> dict[str, Any]:
    """A file's content checked as far as possible before anything is stored."""
    try:
        copy = json.loads(text)
    except json.JSONDecodeError as error:
        raise Unreadable(
            f"this file is not a companion export: it stops making sense at line {error.lineno} ({error.msg}). "
            "Was it cut off on the way? Export the game again."
        ) from None
    except RecursionError:
        raise Unreadable("this file is not a companion export: it is nested too deep to be read") from None
    if not isinstance(copy, dict) or "companion" not in copy or "events" not in copy:
        raise Unreadable("this file is JSON, but not a companion export: it has no 'companion' and 'events'")
    if copy["companion"] != FORMAT:
        raise Unreadable(
            f"this export has format {copy['companion']!r}; this companion reads format {FORMAT}"
        )
    if copy.get("checksum") != checksum(copy):
        raise Unreadable(
            "this export was changed after it was made (its checksum does not fit): export it again"
        )
    return copy


_NEEDED = {
    "code": str,
    "system": str,
    "scenario": str,
    "title": str,
    "options": dict,
    "created_at": str,
    "seed": str,
    "stream": int,
    "events": list,
}
_NEEDED_OF_EVENT = {"seq": int, "at": str, "seat": str, "act": str, "name": str, "body": dict}


def _check_shape(copy: Mapping[str, Any]) -> None:
    """Everything that a whole export must hold is there and of its kind, or an Unreadable that names what is not."""
    wrong = [name for name, kind in _NEEDED.items() if not isinstance(copy.get(name), kind)]
    if wrong:
        raise Unreadable(
            f"this export is incomplete: {', '.join(wrong)} missing or not as written by the companion"
        )
    for number, item in enumerate(copy["events"], 1):
        kinds = _NEEDED_OF_EVENT.items()
        wrong = [n for n, kind in kinds if not isinstance(item, dict) or not isinstance(item.get(n), kind)]
        if wrong:
            raise Unreadable(f"this export's event {number} is incomplete: {', '.join(wrong)} missing")
        if item["seq"] != number:
            raise Unreadable("this export's events are not numbered 1, 2, 3 ...: it is incomplete")
        try:
            datetime.fromisoformat(item["at"])
        except ValueError:
            raise Unreadable(
                f"this export's event {number} has no readable time: {item['at'][:40]!r}"
            ) from None
    if not copy["events"] or copy["events"][0]["body"].get("kind") != "started":
        raise Unreadable("this export does not begin with the opening of its table: it is incomplete")
    try:
        dice.commitment(copy["seed"])
    except ValueError:
        raise Unreadable("this export's dice seed cannot be read") from None


def import_table(tables: Tables, text: str) -> str:
    """Restore a game exactly, under its own code when that is free; returns the code."""
    copy = read_copy(text)
    if "seed" not in copy:
        raise Unreadable(
            f"this is a copy {copy.get('copy')}: hidden things were left out, so it cannot be played on. "
            "Ask the host for the whole export."
        )
    _check_shape(copy)
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


def verify(copy: Mapping[str, Any], tables: Tables) -> Iterator[tuple[int, str, bool]]:
    """Recompute every digital roll and draw: (event number, words, whether it is the fair stream's)."""
    if "seed" not in copy:
        raise Unreadable("this copy does not hold the dice seed: it is revealed when the game has ended")
    _check_shape(copy)
    seed = str(copy["seed"])
    first = copy["events"][0]["body"]
    yield 1, "the seed fits the commitment shown at the start", dice.commitment(seed) == first["commitment"]
    system = tables.system(str(copy["system"]))
    done: list[e.Event] = []
    game = Game(system.kit, str(copy["scenario"]))
    position = 0
    for item in copy["events"]:
        event = e.Event.from_json(item["body"])
        if isinstance(event, e.Rolled | e.Drawn) and event.mode == "digital" and event.index is not None:
            words = [str(game[f"entropy-{s}"]) for s in game.sides if game[f"entropy-{s}"]]
            stream = dice.Stream(seed, event.index, words)
            in_order = event.index >= position
            if isinstance(event, e.Rolled):
                fair = stream.roll(dice.Spec.parse(event.dice)) == tuple(event.values)
                text = f"{event.dice} rolled {', '.join(map(str, event.values))}"
            else:
                held = game.piles[event.pile][event.source]
                fair = stream.pick(held, len(event.tokens)) == tuple(event.tokens)
                text = f"{len(event.tokens)} drawn from {event.pile}"
            position = stream.position
            yield int(item["seq"]), text, fair and in_order
        done.append(event)
        if isinstance(event, e.Undone):
            game = replay(Game(system.kit, str(copy["scenario"])), done)
        else:
            game.apply(event)
