"""What the owner copied from his components: turn track, chits, places, tables; and the checks of these lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from companion.engine.errors import Unreadable
from companion.engine.record.game import Game

Table = Mapping[str, Mapping[str, Any]]

_PAIR = re.compile(r"([A-Za-z])\s*[-:=]?\s*(\d{1,2})")


def table(game: Game, name: str) -> Table:
    """A filled list; empty when the owner has not filled it."""
    return game.book.tables.get(name, {})


def whole(row: Mapping[str, Any], name: str) -> int | None:
    """A number of a row, None when it is blank."""
    value = row.get(name)
    if value is None or str(value).strip() == "":
        return None
    try:
        return int(str(value).strip())
    except ValueError:
        return None


def word(row: Mapping[str, Any], name: str) -> str:
    """A word of a row, small letters."""
    return str(row.get(name) or "").strip().lower()


def track_row(game: Game, turn: int | None = None) -> Mapping[str, Any]:
    """This turn's line of the scenario's turn record track."""
    number = game.turn if turn is None else turn
    return table(game, str(game.scenario.extra.get("track", ""))).get(str(number), {})


def places(game: Game) -> dict[str, Mapping[str, Any]]:
    """The owner's places on the maps of this scenario."""
    maps = game.scenario.extra.get("maps") or [game.scenario.extra.get("map", "")]
    found = {}
    for hex_id, row in table(game, "places").items():
        prefix = hex_id.rstrip("0123456789")
        if prefix in maps:
            found[hex_id] = row
    return found


def limit(game: Game, counter: str) -> int | None:
    """How many counters of a kind there are, as far as the owner said."""
    return whole(table(game, "counters").get(counter, {}), "count")


def mud_range(text: str) -> tuple[int, int] | None:
    """The rolls that bring mud: '0-3', '2' or empty."""
    found = re.fullmatch(r"\s*(\d)\s*(?:[-\u2013]\s*(\d))?\s*", text)
    if not text.strip():
        return None
    if not found:
        words = f"{text!r} is not a range of rolls: write 0-3"
        raise Unreadable(words, field="mud_range", given=text, accepted="0-3", rule="19.11")
    low = int(found[1])
    high = int(found[2]) if found[2] else low
    if high < low:
        words = f"{text!r} runs backwards: write the lower roll first"
        raise Unreadable(words, field="mud_range", given=text, accepted="0-3", rule="19.11")
    return low, high


def chit_numbers(text: str) -> dict[str, int]:
    """'A7 B5' -> {'A': 7, 'B': 5}."""
    return {letter.upper(): int(number) for letter, number in _PAIR.findall(text)}


def printed_odds(game: Game, columns: tuple[str, ...]) -> list[str]:
    """The odds columns of the printed table: the owner's word, else whole-number odds."""
    rows = table(game, "columns")
    found = []
    for column in columns:
        said = word(rows.get(column, {}), "printed")
        if said == "yes" or (not said and column != "3-2"):
            found.append(column)
    return found


# -- checks ------------------------------------------------------------------------------------------------


def check_chits(rows: Table) -> list[str]:
    """Every chit names the same letters on both sides, and its reduced side is the weaker one."""
    wrong, letters = [], {frozenset(chit_numbers(str(r.get("full") or ""))) for r in rows.values()}
    if len(letters) > 1:
        wrong.append("the chits do not all name the same letters on their full side")
    for name, row in rows.items():
        full, reduced = chit_numbers(str(row.get("full") or "")), chit_numbers(str(row.get("reduced") or ""))
        if not full:
            wrong.append(f"chit {name}: the full side is empty; write letter and number pairs like A7 B5")
        elif set(full) != set(reduced):
            wrong.append(f"chit {name}: full side has {sorted(full)}, reduced side {sorted(reduced)}")
        else:
            bad = [letter for letter in full if reduced[letter] > full[letter]]
            wrong += [f"chit {name}: letter {letter} is stronger when reduced" for letter in bad]
    return wrong


def check_track(rows: Table) -> list[str]:
    """Ranges can be read; a turn with a MUD? range is not a turn of certain mud."""
    wrong = []
    for turn, row in rows.items():
        try:
            found = mud_range(str(row.get("mud") or ""))
        except Unreadable as mistake:
            wrong.append(f"turn {turn}: {mistake.message}")
            continue
        if found and word(row, "weather") == "mud":
            wrong.append(f"turn {turn}: MUD? stands beside Clear or Freeze, not beside Mud [19.11]")
        for side in ("axis", "soviet"):
            dry, wet = whole(row, f"{side}-air"), whole(row, f"{side}-air-mud")
            if dry is not None and wet is not None and wet > dry:
                wrong.append(f"turn {turn}: Mud takes Air Points away, it does not add {side} ones [19.15]")
    return wrong


def check_goals(rows: Table) -> list[str]:
    """Four draws with removal need four chits [27.3]."""
    wrong = [f"chit {name}: say which goal it shows" for name, row in rows.items() if not word(row, "goal")]
    if 0 < len(rows) < 4:
        wrong.append(f"{len(rows)} chits: the game draws four times and puts each old chit away [27.3]")
    return wrong


def check_places(rows: Table) -> list[str]:
    """Keys are hexes."""
    return [
        f"{name!r} is not a hex: write it like KB3617"
        for name in rows
        if not re.fullmatch(r"[A-Z]{1,2}\d{4}", name)
    ]


def check_ma_table(rows: Table) -> list[str]:
    """Results are of the Mobile Assault's kinds, brackets do not overlap."""
    wrong, spans = [], []
    for name, row in rows.items():
        low, high = whole(row, "from"), whole(row, "to")
        if low is not None and high is not None and high < low:
            wrong.append(f"line {name}: {low} to {high} runs backwards")
        spans.append((low or 0, 999 if high is None else high, name))
        for column in ("below", *(f"r{n}" for n in range(10)), "above"):
            text = str(row.get(column) or "").replace(" ", "")
            if text and not re.fullmatch(r"NE|-|D(\(\d\))?r\d|D\(\d\)|A(\(\d\))?D|AD(\(\d\))?", text):
                wrong.append(f"line {name}, {column}: {text!r} is not a result like Dr3, D(1)r3, AD or A(1)D")
    spans.sort()
    for (_, high, first), (low, _, second) in zip(spans, spans[1:], strict=False):
        if low <= high:
            wrong.append(f"lines {first} and {second} overlap")
    return wrong


def check_columns(rows: Table) -> list[str]:
    """The text itself uses these columns."""
    known = ("1-6", "1-2", "5-1", "7-1", "12-1")
    return [
        f"{c} is on the table: the rules use it" for c in known if word(rows.get(c, {}), "printed") == "no"
    ]


BOOK_CHECKS: dict[str, Callable[[Table], list[str]]] = {
    "chits": check_chits,
    "trt-kb": check_track,
    "trt-kh": check_track,
    "trt-gc": check_track,
    "goals": check_goals,
    "places": check_places,
    "ma-table": check_ma_table,
    "columns": check_columns,
}
