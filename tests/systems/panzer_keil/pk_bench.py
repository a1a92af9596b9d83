"""A Panzer Keil table for tests, with a synthetic owner's book: every chart cell, list and rail line is made up."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from harness import SCENARIOS, Bench, refused

from companion.engine.errors import Warned
from companion.engine.hexes.ground import MapBook, Vocabulary
from companion.engine.hexes.groundtext import enter
from companion.engine.kit.book import Book
from companion.systems import find_system
from companion.systems.panzer_keil.odds import COLUMNS

RAILS = """
rail 0114 0214 0314 0414 0514 0614 0714 0814 0914 1014 1114 1214 1314 1313 1413 1412..1406
rail 1450..1430
rail 2050..2030
"""
TRACK = ["snow", "snow", "freeze", "snow", "thaw", "snow", "freeze", "thaw", "snow", "thaw", "mud"]
BANDS = [(0, 5, 6, 5), (6, 12, 4, 3), (13, None, 2, 1)]
# One made-up combat table for all four charts: better odds and higher rolls favour the attacker.
SCALE = ["AL2", "AL", "A2D", "A1D", "A2", "A1", "C", "EX", "D1", "D2", "D1D", "D2D", "DL", "DL2"]
SUPPORT = {"1": "-", "2": "-", "3": "-", "4": "D", "5": "D", "6": "1D"}


def made_up_crt(die: int, column: int) -> str:
    return SCALE[min(len(SCALE) - 1, die + column)]


def owners_book(
    rails: str = RAILS,
    track: list[str] | None = None,
    crt: bool = True,
    counters: dict[str, Any] | None = None,
) -> Book:
    """An owner who has copied everything, with invented figures."""
    kit = find_system("panzer-keil", SCENARIOS).kit
    charts = dict(kit.charts)
    if crt:
        for name in charts:
            if name.startswith("crt-"):
                cells = {f"{d}|{c}": made_up_crt(d, i) for d in range(1, 7) for i, c in enumerate(COLUMNS)}
                charts[name] = charts[name].fill(cells)
        charts["support"] = charts["support"].fill(
            {f"{d}|{p}": r for d, r in SUPPORT.items() for p in range(1, 6)}
        )
    tables: dict[str, Any] = {
        "weather": {str(n): {"weather": w} for n, w in enumerate(TRACK if track is None else track, 1)},
        "front-points": {
            str(n): {"from": a, "to": b, "supply": s, "support": g} for n, (a, b, s, g) in enumerate(BANDS, 1)
        },
        "counters": counters or {},
    }
    words = tomllib.loads((SCENARIOS / "panzer-keil" / "grid.toml").read_text(encoding="utf-8"))["map"]
    book = MapBook()
    problems = enter(book, rails, kit.maps, Vocabulary.from_toml(words))
    assert not problems, problems
    return Book(charts=charts, tables=tables, map=book.to_json())


def table(book: Book | None = None, units: bool = True, **options: Any) -> Bench:
    """A fresh table, its units on record."""
    bench = Bench("panzer-keil", "winter-1943", book, **options)
    if units:
        bench.do("table", "set-up")
        quiet(bench)
        for unit in [u.id for u in bench.game.units.values() if u.on_map]:
            bench.do("table", "place-unit", unit=unit, box="box:exit")  # an empty map, for tests to fill
    return bench


def quiet(bench: Bench) -> None:
    """Tap the set-up's question away."""
    for ask in bench.asked("table"):
        bench.do("table", "dismiss", ask=ask["id"])


def put(bench: Bench, unit: str, hex_id: str, kind: str = "", nation: str = "", **values: Any) -> None:
    """A unit of the roster on a hex, its counter read."""
    bench.do("table", "place-unit", unit=unit, hex=hex_id)
    facts = {k: v for k, v in {"kind": kind, "nation": nation, **values}.items() if v != ""}
    if facts:
        bench.do("table", "describe-unit", unit=unit, **facts)


def mark(bench: Bench, unit: str, marker: str, value: str = "on") -> None:
    bench.do("table", "mark", marker=marker, units=[unit], value=value)


def go(bench: Bench, phase: str, turn: int | None = None) -> None:
    """Straight to a phase, without playing what lies between."""
    bench.do("table", "go-to", turn=turn or bench.game.turn, phase=phase)


def shown(bench: Bench, seat: str, action: str, **fields: Any) -> dict[str, dict[str, Any]]:
    """The fields of a form that a player sees, in order."""
    return {r["name"]: r for r in bench.form(seat, action, **fields) if not (r["hidden"] or r["quiet"])}


def strike(bench: Bench, result: str, **fields: Any) -> None:
    """Two Germans attack 2040, and the printed chart says this."""
    given = {"target": "2040", "attackers": ["ss-w-1", "302id"], "die": "1", **fields}
    bench.do("german", "resolve-combat", **given)
    reply(bench, "german", "enter-result", result=result)


@contextmanager
def warned(*rules: str) -> Iterator[None]:
    """What these rules have against it is said first, and nothing is done."""
    with refused(Warned) as refusal:
        yield
    said = refusal.value.said
    assert all(any(number in line for line in said) for number in rules), said


def duty(bench: Bench, seat: str, action: str) -> dict[str, Any]:
    """The first thing of a kind that a seat is asked for."""
    return next(a for a in bench.asked(seat) if a["action"] == action)


def reply(bench: Bench, seat: str, action: str, **fields: Any) -> list[Any]:
    """Answer the first thing of a kind that a seat is asked for."""
    return bench.do(seat, action, _asked=duty(bench, seat, action)["id"], **fields)


def actions(bench: Bench, seat: str, live: bool = True) -> list[str]:
    """What a seat may answer now, or has before it at all."""
    return [a["action"] for a in bench.asked(seat) if a["live"] or not live]


def offered(bench: Bench, seat: str, action: str, field: str = "to") -> list[str]:
    """What the card of a duty lets choose from."""
    return [c["value"] for c in card(bench, seat, action)[field]["choices"]]


def card(bench: Bench, seat: str, action: str) -> dict[str, dict[str, Any]]:
    """The fields on the card of a duty, in order."""
    rows = duty(bench, seat, action)["form"]
    return {r["name"]: r for r in rows if not (r["hidden"] or r["quiet"])}
