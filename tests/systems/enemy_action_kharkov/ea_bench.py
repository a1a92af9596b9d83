"""A table of Enemy Action: Kharkov for tests, with a SYNTHETIC owner's book: none of its faces is the real game's."""

from __future__ import annotations

import csv
import io
from typing import Any

from harness import SCENARIOS, Bench

from companion.engine.hexes.ground import MapBook, Vocabulary
from companion.engine.hexes.groundtext import enter
from companion.engine.kit.book import Book
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.systems import find_system
from companion.systems.enemy_action_kharkov.deck import Deck
from companion.systems.enemy_action_kharkov.fight import CHITS, Fight
from companion.systems.enemy_action_kharkov.record import fight_of

SYSTEM = "enemy-action-kharkov"
SIDES = ("soviet", "german")
TYPES = {
    "P01": "stavka",
    "P02": "front",
    "P03": "army",
    "P04": "army units",
    "P23": "corps",
    "P24": "corps kg",
}
TYPES |= {"P25": "german army", "P26": "von manstein", "P44": "army group", "P41": "corps kg"}
FORMATION = {
    "P02": "Voronezh",
    "P03": "3T",
    "P04": "69",
    "P23": "XL",
    "P24": "IISS",
    "P25": "4Pz",
    "P41": "LVII",
}


def cards() -> dict[str, dict[str, Any]]:
    """Made up, but with the rulebook's counts: Soviet 6/11/5, German 5/5/13."""
    rows: dict[str, dict[str, Any]] = {}
    for n in range(1, 46):
        number = f"P{n:02d}"
        primary = n <= 6 or 23 <= n <= 27
        rows[number] = {"kind": "primary" if primary else "supplemental", "turn": 0, "name": f"Test card {n}"}
        if number in TYPES:
            rows[number] |= {"type": TYPES[number], "formation": FORMATION.get(number, "")}
    for n in range(18, 23):  # three on turn 2, as the rulebook's example has it
        rows[f"P{n:02d}"]["turn"] = 2 if n < 21 else n - 17
    late = [n for n in range(28, 46) if n not in (28, 29, 30, 31, 41)]
    for index, n in enumerate(late):
        rows[f"P{n:02d}"] |= {"turn": 2 + index % 9, "kind": "primary" if index % 4 == 0 else "supplemental"}
    rows["P44"] |= {"turn": 4, "name": "Army Group South", "value": 5}
    rows["P41"] |= {"turn": 0, "kind": "supplemental", "name": "LVII Panzer Corps KG"}
    rows["P01"] |= {"name": "STAVKA", "value": 4}
    rows["P26"] |= {"name": "Von Manstein", "value": 5}
    return rows


SITUATIONS = (
    ("ratio at least", "3", "D1", "ratio under", "3", "A1"),
    ("terrain", "clear broken", "D1", "terrain", "town city woods", "D-1"),
    ("flank attack", "", "D2", "one-hex attack", "", "A1"),
    ("large attack", "", "D1", "command value", "5", "A1"),
    ("ratio over", "1", "A1 D1", "ratio under", "1.5", "A2"),
    ("dispersed or unsupplied", "", "D2", "soviets not supported", "", "S1"),
)


def chits() -> dict[str, dict[str, Any]]:
    """Sixty made-up chits, three of them dark."""
    rows: dict[str, dict[str, Any]] = {}
    for n in range(60):
        front, fd, fh, back, bd, bh = SITUATIONS[n % len(SITUATIONS)]
        rows[f"C{n + 1:02d}"] = {
            "dark": n in (5, 25, 45),
            "front": front,
            "front_detail": fd,
            "front_hits": fh,
            "front_p": bool(back),
            "back": back,
            "back_detail": bd,
            "back_hits": bh,
        }
    return rows


def calendar() -> dict[str, dict[str, Any]]:
    """Made up but for what the rulebook tells of turns 1 and 2."""
    rows = {
        str(t): {
            "soviet_supplementals": 5,
            "german_supplementals": 4,
            "german_hand": 5,
            "date": f"day {3 * t}",
        }
        for t in range(1, 15)
    }
    rows["1"] |= {"soviet_supplementals": 6, "german_supplementals": 2, "german_hand": 4}
    rows["2"] |= {"soviet_supplementals": 7}
    for t in range(4, 15):
        rows[str(t)] |= {
            "soviet_over": 30,
            "soviet_level": "Strategic",
            "german_under": 1,
            "german_level": "Operational",
        }
    return rows


def ground() -> dict[str, dict[str, Any]]:
    faces = ("frozen", "frozen", "light-mud", "heavy-mud", "heavy-mud")
    return {f"G{n}": {"face": face} for n, face in enumerate(faces, 1)}


def tactics() -> dict[str, dict[str, Any]]:
    return {"rifle brigade": {"attack_a": -1, "attack_d": 0, "defence_a": 1, "defence_d": 0}}


def owners_book(map_lines: str = "", **tables: Any) -> Book:
    """The synthetic book; a table given as None is left blank, `map_lines` is typed into the map book."""
    kit = find_system(SYSTEM, SCENARIOS).kit
    filled = {
        "cards": cards(),
        "chits": chits(),
        "calendar": calendar(),
        "ground": ground(),
        "tactics": tactics(),
    }
    filled |= tables
    book = MapBook()
    words = Vocabulary(("clear", "broken", "marsh", "woods"), HEXSIDES, ("road",), ("town", "city"))
    wrong = enter(book, map_lines, kit.maps, words)
    assert not wrong, [str(w) for w in wrong]
    return Book(charts=kit.charts, tables={k: v for k, v in filled.items() if v}, map=book.to_json())


HEXSIDES = ("minor river", "donets", "dniepr", "blocked dniepr", "bridge")


def shipped(name: str) -> dict[str, dict[str, str]]:
    """A list of the kit as the rulebook fills it."""
    text = (SCENARIOS / SYSTEM / "books" / f"{name}.csv").read_text(encoding="utf-8")
    rows = list(csv.reader(io.StringIO(text)))
    return {r[0]: {h: c for h, c in zip(rows[0][1:], r[1:], strict=True) if c} for r in rows[1:]}


class Table(Bench):
    """Declines tactics for whoever is asked when a test draws chits or the other side plays a tactic."""

    def do(self, seat: str, action: str, **fields: Any) -> list[Any]:
        said = []
        for _ in range(2):
            live = [d for d in self.game.duties(action="no-tactics") if self.game.is_live(d)]
            plays = action == "play-tactic" and live and live[0].to[0] != seat
            if live and (action == "draw-chits" or plays):
                said += super().do(live[0].to[0], "dismiss", ask=live[0].id)
        return [*said, *super().do(seat, action, **fields)]


def battle(t: Bench) -> Battle:
    """The combat declared last."""
    return t.game.battles[max(t.game.battles)]


def fought(t: Bench) -> Fight:
    """The combat declared last, as its chits are judged."""
    return fight_of(t.game, battle(t))


def open_actions(t: Bench, seat: str) -> list[str]:
    """What a seat can answer now, in the order of its battle."""
    return [a["action"] for a in t.asked(seat) if a["live"]]


def decline(t: Bench) -> None:
    """Whoever is offered tactics now plays none."""
    live = next(d for d in t.game.duties(action="no-tactics") if t.game.is_live(d))
    t.do(live.to[0], "dismiss", ask=live.id)


def by_hand(t: Bench) -> None:
    """The combat is settled on the map: nothing of it is owed any more."""
    while owed := [d for d in t.game.duties() if d.battle]:
        last = max(owed, key=lambda d: d.step == CHITS)
        t.do("table", "dismiss", ask=last.id)


def table(scenario: str = "campaign", book: Book | None = None, **options: Any) -> Bench:
    return Table(SYSTEM, scenario, book or owners_book(), **options)


def blank_table(scenario: str = "campaign", **options: Any) -> Bench:
    """A table whose owner has filled in nothing."""
    kit = find_system(SYSTEM, SCENARIOS).kit
    return Table(SYSTEM, scenario, Book(charts=kit.charts), **options)


def command(scenario: str = "campaign", book: Book | None = None, turn: int = 1, **options: Any) -> Bench:
    """A table in the command phase with hands dealt."""
    t = table(scenario, book, **options)
    if turn > 1:
        t.do("table", "go-to", turn=turn, phase="cards")
    t.until("cards")
    t.do("table", "prepare-cards")
    to_command(t)
    return t


def to_command(t: Bench) -> None:
    """On to the command phase, with everybody's supply checked on the way: nobody is cut off."""
    t.until("supply" if t.game.turn > 1 else "command")
    while t.game.phase == "supply" and "check-supply" in {a["name"] for a in t.sees("table")["actions"]}:
        side = next(f["value"] for f in t.form("table", "check-supply") if f["name"] == "side")
        t.do("table", "check-supply", side=side, by_hand=True)
    t.until("command")


def put(
    t: Bench,
    side: str,
    name: str,
    hex: str = "",
    *,
    formation: str = "",
    kind: str = "infantry",
    **facts: Any,
) -> str:
    """A unit on record; returns its id."""
    unit = name.lower().replace(" ", "-")
    body = {"side": side, "name": name, "kind": kind, "formation": formation, "steps": 2, "full": 2, **facts}
    t.record(e.Placed(unit, hex, facts=body, side=side))
    return unit


def mark(t: Bench, target: str, marker: str, value: Any = True) -> None:
    t.record(e.Marked(target, marker, value))


def set_(t: Bench, name: str, value: Any) -> None:
    t.record(e.Set(name, value))


def zones(t: Bench, side: str) -> dict[str, int]:
    """How many cards lie where, by the companion's own count."""
    return Deck(t.game, side).counts()


def take(t: Bench, side: str, number: str) -> None:
    """Put a certain card into a hand, for a test that needs it: it changes places with one that is there."""
    pile = f"{side}-cards"
    where = t.game.piles[pile].where(number)
    if where == f"hand:{side}":
        return
    other = t.game.piles[pile][f"hand:{side}"][0]
    t.record(e.Drawn(pile, (other,), f"hand:{side}", str(where), 1, only=(side,)))
    t.record(e.Drawn(pile, (number,), str(where), f"hand:{side}", 1, only=(side,)))


def hand(t: Bench, side: str) -> list[str]:
    return list(t.game.piles[f"{side}-cards"][f"hand:{side}"])


def activate(t: Bench, number: str, formation: str, **fields: Any) -> None:
    """The active side plays a card to activate a formation."""
    side = t.game.active
    take(t, side, number)
    t.do(side, "play-card", card=number)
    t.do(side, "give-command", what=fields.pop("what", "activate"), formations=formation, **fields)


def play_event(t: Bench) -> None:
    """The active side plays a card for an event, which activates nobody."""
    side = t.game.active
    plain = [n for n in hand(t, side) if n not in TYPES]
    t.do(side, "play-card", card=(plain or hand(t, side))[0])
    t.do(side, "give-command", what="event", event="special" if plain else "engineers")
    for duty in t.game.duties(action="engineers"):
        t.do(side, "dismiss", ask=duty.id)
    t.do(side, "end-impulse")
