"""Helpers for this game's tests: a synthetic owner's book (made-up numbers) and tables with units on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from harness import SCENARIOS, Bench

from companion.engine.errors import Warned
from companion.engine.kit.book import Book
from companion.systems import find_system

ID = "kharkov-battles"
RESULTS = ("Ar2", "A(1)r1", "Ar1", "A(1)", "NE", "D(1)", "Dr1", "D(1)r2", "D(1)r3", "D(2)r3")


def chit_sheet(count: int = 12) -> dict[str, dict[str, str]]:
    """Made-up chits, each different."""
    return {
        f"c{n:02d}": {"full": f"A{n + 3} B{n + 1}", "reduced": f"A{n + 1} B{n}", "pool": "both"}
        for n in range(1, count + 1)
    }


def track(
    first: int, last: int, weather: str = "clear", **special: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """A made-up turn track."""
    rows = {}
    for turn in range(first, last + 1):
        rows[str(turn)] = {
            "weather": weather, "mud": "", "axis-air": 3, "axis-air-mud": 1, "soviet-air": 2, "soviet-air-mud": 0,
            "support": 2, "soviet-mech": 1, "soviet-foot": 4, **special.get(f"t{turn}", {}),
        }  # fmt: skip
    return rows


def places() -> dict[str, dict[str, Any]]:
    """Made-up values and start lines."""
    star = {"KB3617": 30, "KB3618": 30, "KB1905": 25, "KB1205": 20, "KB1024": 10, "KB3505": 5}
    rows: dict[str, dict[str, Any]] = {
        h: {"name": h, "size": "city", "vp": vp, "owner": "axis", "owner-l": "soviet"}
        for h, vp in star.items()
    }
    rows["KB3631"] = {"name": "Valuki", "size": "town", "vp": 5, "owner": "soviet", "owner-l": "soviet"}
    rows["KB4321"] = {"name": "Belgorod", "size": "town", "vp": 0, "owner": "axis", "owner-l": "soviet"}
    rows["KB3126"] = {"name": "Kupyansk", "size": "town", "vp": 0, "owner": "axis", "owner-l": "soviet"}
    for h in ("KH3017", "KH3018", "KH1305", "KH2905"):
        rows[h] = {"name": h, "size": "city", "owner": "axis"}
    for h in ("KH2526", "KH1923"):
        rows[h] = {"name": h, "size": "town", "owner": "soviet"}
    for h, vp in {"A3621": 10, "A2110": 5, "B2114": 20, "A2435": 0}.items():
        rows[h] = {"name": h, "size": "town", "vp": vp, "owner": "axis", "owner-j": "axis"}
    for h, vp in {
        "B3050": 40,
        "G3718": 30,
        "B3303": 30,
        "A4102": 30,
        "C2302": 10,
        "G2832": 10,
        "K0917": 10,
    }.items():
        rows[h] = {"name": h, "size": "city", "vp": vp, "owner": "soviet" if vp in (40, 10) else "axis"}
    return rows


def synthetic_book(**tables: Any) -> Book:
    """An owner's book with nothing real in it."""
    kit = find_system(ID, SCENARIOS).kit
    charts = dict(kit.charts)
    crt = charts["crt"]
    charts["crt"] = crt.fill({f"{r}|{c}": RESULTS[int(r)] for r in crt.rows for c in crt.columns})
    lines = charts["lines"]
    odds = lines.columns
    charts["lines"] = lines.fill({f"woods|{c}": odds[max(0, n - 1)] for n, c in enumerate(odds)})
    charts["attrition"] = charts["attrition"].fill({f"{n}|result": "-" if n < 4 else "1" for n in range(10)})
    charts["breakout"] = charts["breakout"].fill(
        {f"{n}|result": "free" if n > 4 else "pay" for n in range(10)}
    )
    charts["command"] = charts["command"].fill(
        {f"{n}|result": "no attack" if n < 4 else "-" for n in range(-3, 11)}
    )
    charts["support"] = charts["support"].fill({f"{n}|points": str(1 + n // 3) for n in range(10)})
    line = {f"r{n}": ("AD", "A(1)D", "Dr3", "D(1)r3")[n // 3] for n in range(10)}
    own: dict[str, Any] = {
        "chits": chit_sheet(),
        "goals": {f"g{n}": {"goal": ("moscow", "volga", "caucasus")[n % 3]} for n in range(6)},
        "trt-kb": track(
            0, 16, "freeze", t5={"mud": "0-3"}, t8={"weather": "mud"}, t12={"weather": "clear", "mud": "5-9"}
        ),
        "trt-kh": track(1, 6),
        "trt-gc": track(1, 74),
        "places": places(),
        "ma-table": {"all": {"below": "AD", **line, "above": "D(1)r3"}},
        "ma-drm": {
            **{f"odds {n}-1": {"drm": n - 1} for n in range(1, 11)},
            "attacker air": {"drm": 1},
            "defender air": {"drm": -1},
        },
        "counters": {"fz axis": {"count": 4}, "fz soviet": {"count": 4}, "breakdown regiments": {"count": 6}},
        "arrivals": {
            "1": {
                "scenario": "operation-star",
                "turn": 3,
                "side": "axis",
                "units": "a division",
                "entry": "S1",
            }
        },
    }
    return Book(charts=charts, tables={**own, **tables})


def table(scenario: str, book: Book | None = None, **options: Any) -> Bench:
    """A table with the synthetic book."""
    return Bench(ID, scenario, book or synthetic_book(), **options)


def printed(scenario: str) -> Bench:
    """A table whose owner has filled in nothing: the rulebook's own cells are all there is."""
    return Bench(ID, scenario, Book(charts=find_system(ID, SCENARIOS).kit.charts))


def mapped(*facts: tuple[str, str, str, str], scenario: str = "operation-star", **options: Any) -> Bench:
    """A table whose owner has entered these facts about the map."""
    book = synthetic_book()
    book.map = {"facts": [[*fact, "owner"] for fact in facts], "removed": []}
    return table(scenario, book, **options)


def enrol(t: Bench, side: str, name: str, kind: str, hex: str = "", **facts: Any) -> str:
    """Put a counter on record and give its id."""
    before = set(t.game.units)
    t.do("table", "enrol", side=side, name=name, kind=kind, hex=hex, **facts)
    return next(iter(set(t.game.units) - before))


def jump(t: Bench, phase: str, turn: int | None = None) -> None:
    """Go to a phase by hand, without what happens on the way; nobody has Air Points there."""
    for side in ("axis", "soviet"):
        if t.game[f"air-{side}"]:
            t.do("table", "correct", name=f"air-{side}", value="0")
    t.do("table", "go-to", turn=t.game.turn if turn is None else turn, phase=phase)


@contextmanager
def warned(rule: str, words: str = "") -> Iterator[None]:
    """Demand that the rules speak against it first: this rule, and these words where they are told."""
    with pytest.raises(Warned) as caught:
        yield
    said = caught.value.said
    assert any(f"[{rule}]" in text and words in text for text in said), said


def duties(t: Bench, seat: str, action: str = "") -> list[dict[str, Any]]:
    """What a seat may answer now."""
    return [a for a in t.asked(seat) if a["live"] and action in ("", a["action"])]


def answer(t: Bench, seat: str, action: str, **fields: Any) -> list[Any]:
    """Answer the first live duty of an action, as its card would."""
    ask = duties(t, seat, action)[0]
    return t.do(seat, action, _asked=ask["id"], **fields)


def options(t: Bench, seat: str, action: str, field: str) -> dict[str, str]:
    """The choices that a card offers: value and label."""
    row = next(r for r in duties(t, seat, action)[0]["form"] if r["name"] == field)
    return {str(c["value"]): c["label"] for c in row["choices"]}


def designate(
    t: Bench, target: str, *attackers: str, also: tuple[str, ...] = (), anyway: bool = False
) -> None:
    t.do(
        t.game.active,
        "declare-assault",
        target=target,
        attackers=list(attackers),
        also=list(also),
        anyway=anyway,
    )


def fight(t: Bench, target: str, *attackers: str, die: str, points: str = "0", **fields: Any) -> None:
    """A Prepared Assault from its designation to its die."""
    side = t.game.active
    designate(t, target, *attackers)
    answer(t, side, "begin-assault", points=points)
    answer(t, side, "roll-assault", die=die, **fields)


def battle(t: Bench) -> Any:
    """The newest battle."""
    return t.game.battles[max(t.game.battles)]


def total(t: Bench, role: str) -> Any:
    """What a side has announced in the newest battle."""
    return battle(t).facts.get("form", {}).get(role)
