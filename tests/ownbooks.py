"""Owners' books for browser tests. They are SYNTHETIC: names, values and faces are made up here, only counts are real."""

from __future__ import annotations

import json
import urllib.parse
import urllib.request

FULL, REDUCED = range(96, 100), range(91, 95)
"""Strengths on Kharkov Battles' chits; with 4 more beside them no total equals a chit."""
RESULT = "D(1)r2"
"""The one result of its combat table."""
TOLD = {41: ("name", "type"), 44: ("turn", "name", "type", "events", "tactics")}
"""What the rulebook itself tells of cards."""
LATE = {"soviet": range(18, 23), "german": [n for n in range(28, 46) if n not in (28, 29, 30, 31, 41)]}


def share(server, system: str, sheets: dict[str, dict[str, str]]) -> None:
    """Import a book as a shared one, the way an owner gets it from a friend."""
    head = {"kind": "kharkov-companion chart book", "format": 1, "system": system}
    body = urllib.parse.urlencode({"text": json.dumps({**head, "sheets": sheets})}).encode()
    headers = {"Origin": server.url, "Cookie": f"book-key={server.book_key()}"}
    request = urllib.request.Request(f"{server.url}/book/{system}/share", body, headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        page = answer.read().decode()
    assert "Not usable" not in page, page[page.index("Not usable") - 200 :][:900]


def kharkov_battles(server) -> None:
    """One combat result everywhere, a turn track, four chits."""
    crt = {f"{roll}|{odds}-1": RESULT for roll in range(10) for odds in range(1, 12)}
    crt.pop("4|7-1")  # the rulebook's own cell
    track = {
        f"{turn}|{name}": value
        for turn in range(17)
        for name, value in (("weather", "clear"), ("axis-air", "1"))
    }
    chits = {
        f"made-up-{n}|{face}": f"A{value} B{value}"
        for n, values in enumerate(zip(FULL, REDUCED, strict=True))
        for face, value in zip(("full", "reduced"), values, strict=True)
    }
    places = {f"{h}|owner": "axis" for h in ("KB3617", "KB3618", "KB1905", "KB1205", "KB1024", "KB3505")}
    places["KB3631|owner"] = "soviet"
    sheets = {"chart/crt": crt, "book/trt-kb": track, "book/chits": chits, "book/places": places}
    share(server, "kharkov-battles", sheets)


def enemy_action(server) -> None:
    """45 cards with the rulebook's counts (Soviet 6/11/5, German 5/5/13), sixty equal chits, a calendar."""
    cards: dict[str, str] = {}
    for n in range(1, 46):
        side = "soviet" if n <= 22 else "german"
        row = {
            "kind": "primary" if n <= 6 or 23 <= n <= 27 else "supplemental",
            "turn": "3" if n in LATE[side] else "0",
            "name": f"Synthetic {side} card {n}",
            "value": str(n % 5 + 1),
            "type": "army" if side == "soviet" else "german army",
            "events": "air supply, engineers",
            "tactics": "artillery, combat engineers",
        }
        printed = TOLD.get(n, ())
        cards |= {f"P{n:02d}|{column}": value for column, value in row.items() if column not in printed}
    chits: dict[str, str] = {}
    for n in range(1, 61):
        face = {"front": "terrain", "front_detail": "clear", "front_hits": "A1 D1"}
        face |= {"back": "terrain", "back_detail": "city", "back_hits": "A1"}
        chits |= {f"C{n:02d}|{column}": value for column, value in face.items()}
        if n <= 3:
            chits[f"C{n:02d}|dark"] = "yes"
    calendar = {
        f"{turn}|{column}": value
        for turn in range(2, 15)
        for column, value in (
            ("soviet_supplementals", "7" if turn == 2 else "6"),
            ("german_supplementals", "4"),
            ("german_hand", "5"),
        )
    }
    sheets = {"book/cards": cards, "book/chits": chits, "book/calendar": calendar}
    share(server, "enemy-action-kharkov", sheets)
