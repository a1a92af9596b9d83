"""Names that occur nowhere else, so that a search for them in a page has no false alarm."""

from __future__ import annotations

import random
import re
import string
from typing import Any

from companion.engine.kit.book import Book
from companion.engine.record import events as e
from companion.engine.record.changes import change, create
from companion.engine.record.game import Game
from companion.systems import System
from companion.tables.tables import Tables

STACKS = 4
HIGH = 3


def canary(number: int) -> str:
    """A name of fixed length without digits, far enough from every other that one typing error leads to one only."""
    letters = random.Random(f"canary {number}").sample(string.ascii_lowercase, 8)
    return f"Zq{''.join(letters)}x"


def is_canary(name: str) -> bool:
    """Whether a name is one of these; the crawl itself puts units on record whose names are only nearly so."""
    return re.fullmatch(r"Zq[a-z]{8}x", name) is not None


def with_faces(system: System, book: Book) -> Book:
    """The owner's book with a name on every card and chit, and chits and goals where the kit leaves them to him."""
    lists: dict[str, dict[str, dict[str, Any]]] = {name: dict(rows) for name, rows in book.tables.items()}
    if system.id == "kharkov-battles":
        numbers = {"full": "A9 B7", "reduced": "A5 B3", "pool": "both"}
        lists["chits"] = {canary(5000 + n).lower(): dict(numbers) for n in range(40)}
        goals = ("moscow", "volga", "caucasus")
        lists["goals"] = {canary(6000 + n).lower(): {"goal": goals[n % 3]} for n in range(6)}
    printed = [(p.faces, token) for p in system.kit.system.piles if p.faces for token in p.tokens]
    for number, (faces, token) in enumerate(printed):
        rows = lists.setdefault(faces, {})
        rows[token] = {**rows.get(token, {}), "name": canary(7000 + number)}
    if system.id == "enemy-action-kharkov":
        for number, row in lists["cards"].items():
            first = int(number[1:]) in (*range(1, 7), *range(23, 28))
            row |= {"kind": "primary" if first else "supplemental", "turn": 0}
    book.tables = lists
    return book


def put_out(tables: Tables, code: str, rng: random.Random) -> None:
    """Give every unit on record a canary's name, and lay stacks of canaries of both sides beside each other."""
    game = tables.game(code)
    units = enumerate(game.units.values())
    events: list[e.Event] = [change(game, u.id, {"name": canary(n)}, reason="renamed") for n, u in units]
    for index, place in enumerate(front(game, rng)):
        side = game.sides[index % 2]
        for height in range(HIGH):
            name = canary(1000 + index * HIGH + height)
            facts = {"side": side, "name": name, "steps": 2, "full": 2}
            events.append(create(game, f"{side}-{name.lower()}", place, facts))
    with tables.store.transaction(code) as tx:
        tx.append(
            [event.to_json() for event in events], at=tables.clock(), seat="table", act=f"put-out-{code}",
            name="set-up", stream=tx.stream, answer={"revision": tx.latest + len(events)},
        )  # fmt: skip


def front(game: Game, rng: random.Random) -> list[str]:
    """Some hexes in a row, near units if there are any."""
    held = sorted({u.place for u in game.units.values() if u.on_map})
    grid = game.maps.grids[0]
    home = next((g for g in game.maps.grids if game.maps.home in g.prefixes), grid)
    middle = sorted(home.index)[len(home.index) // 2]
    found = [rng.choice(held) if held else middle]
    while len(found) < 2 * STACKS:
        near = [h for h in game.maps.neighbours(found[-1]) if h not in found]
        found.append(rng.choice(near or sorted(home.index)))
    return found
