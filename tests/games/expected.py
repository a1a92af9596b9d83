"""What of a recorded game must never change: the state at its moments, and what each seat sees of them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from companion.engine.record.game import Game

FOLDER = Path(__file__).parent


def read(path: Path) -> str:
    """A recorded file's text, packed or not."""
    return gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text("utf-8")


def find(name: str, part: str) -> Path:
    """One of the files of a game: its `game`, `states` or `seats`."""
    (path,) = FOLDER.glob(f"{name}.{part}.json*")
    return path


def names(folder: Path = FOLDER) -> list[str]:
    """Every recorded game."""
    return sorted(path.name.split(".")[0] for path in folder.glob("*.game.json*"))


def plain(data: Any) -> Any:
    """Data as JSON keeps it: no tuples, text as keys."""
    return json.loads(json.dumps(data))


def state(game: Game) -> dict[str, Any]:
    """A game's whole state."""
    return plain(game.dump())


# -- what a seat sees ------------------------------------------------------------------------------------


def seats(game: Game, look: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """For every seat the part of its view that no later version may change."""
    return {seat: seen(look(seat)) for seat in (*game.sides, "table", "watch")}


def seen(view: dict[str, Any]) -> dict[str, Any]:
    """Units, piles, values, questions and the ending as a view shows them, without words that may be mended."""
    units = [_unit(unit) for unit in view["units"]]
    return plain(
        {
            "turn": view["turn"]["number"],
            "phase": view["phase"].get("id", ""),
            "active": view["active"],
            "tracks": {row["id"]: row["value"] for row in view["tracks"]},
            "dials": {row["id"]: row["value"] for row in view["dials"]},
            "units": {unit["id"]: unit for unit in units if not unit.get("hidden")},
            "hidden units": sorted(f"{unit['side']} {unit['place']}" for unit in units if unit.get("hidden")),
            "hexes": view["hexes"],
            "piles": {pile["id"]: {z["zone"]: _zone(z) for z in pile["zones"]} for pile in view["piles"]},
            "sealed": view["sealed"],
            "my sealed": view["my_sealed"],
            "revealed": view["revealed"],
            "asked": [{"text": ask["text"], "mine": ask["mine"]} for ask in view["asked"]],
            "last roll": view["last_roll"],
            "result": view["result"].get("result", ""),
            "ended": view["ended"],
            "commitment": view["commitment"],
        }
    )


def _unit(unit: dict[str, Any]) -> dict[str, Any]:
    if unit.get("hidden"):
        return {"hidden": True, "side": unit["side"], "place": unit["place"]}
    shown = ("id", "side", "name", "place", "steps", "full", "factors", "untried", "marks")
    return {name: unit[name] for name in shown}


def _zone(zone: dict[str, Any]) -> dict[str, Any]:
    tokens = {"tokens": sorted(t["id"] for t in zone["tokens"])} if "tokens" in zone else {}
    return {"count": zone["count"], **tokens}


# -- comparing -------------------------------------------------------------------------------------------

Places = frozenset[tuple[str, ...]]
STATE: Places = frozenset(
    {
        (),
        ("values",),
        ("units", "*"),
        ("marks", "*", "*"),
        ("asked", "*"),
        ("last_result",),
        ("last_roll",),
        ("ended",),
    }
)
"""The records in a state: a later version may give them more fields. In all else one thing more is a difference."""
SEATS: Places = frozenset(
    {
        ("*",),
        ("*", "tracks"),
        ("*", "dials"),
        ("*", "units", "*"),
        ("*", "asked", "*"),
        ("*", "last roll"),
        ("*", "ended"),
    }
)
"""The same in what the seats see, by seat; * is any name or number."""
UNWRITTEN = frozenset(
    {
        "side",
        "name",
        "kind",
        "klass",
        "size",
        "formation",
        "steps",
        "full",
        "factors",
        "place",
        "turn",
        "entry",
    }
    | {"note", "doubtful", "untried", "order", "only", "action", "args", "rule", "by", "level", "why"}
)
"""Fields that a record leaves out while they are empty: one of these more is no new field, but another game."""


def differences(
    wanted: Any,
    found: Any,
    grows: Places = STATE,
    old: frozenset[str] = UNWRITTEN,
    at: tuple[str, ...] = (),
) -> Iterator[str]:
    """Where what is found is not what was recorded, in words.

    :param grows: places that may have more names than were recorded.
    :param old: names that there were when the game was recorded; only others may have come since.
    """
    where = " > ".join(at) or "all of it"
    if isinstance(wanted, dict) and isinstance(found, dict):
        more = found.keys() - wanted.keys()
        for name in sorted(more & old if _among(at, grows) else more):
            yield f"{where}: {name!r} was not there: {_short(found[name])}"
        for name in wanted:
            if name not in found:
                yield f"{where}: {name!r} is gone: it was {_short(wanted[name])}"
            else:
                yield from differences(wanted[name], found[name], grows, old, (*at, name))
    elif isinstance(wanted, list) and isinstance(found, list):
        if len(wanted) != len(found):
            yield f"{where}: was {_short(wanted)}, is {_short(found)}"
        for number, (one, other) in enumerate(zip(wanted, found, strict=False), 1):
            yield from differences(one, other, grows, old, (*at, str(number)))
    elif type(wanted) is not type(found) or wanted != found:
        yield f"{where}: was {_short(wanted)}, is {_short(found)}"


def _among(at: tuple[str, ...], places: Places) -> bool:
    return any(
        len(at) == len(place) and all(p in ("*", a) for p, a in zip(place, at, strict=True))
        for place in places
    )


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) < 160 else f"{text[:157]}..."
