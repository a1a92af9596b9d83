"""What the owner copied from his cards, chits, calendar and aids, read into facts; and the checks of the totals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Context
from companion.engine.kit.lists import Unfilled
from companion.engine.kit.when import Turns
from companion.engine.once import once
from companion.engine.record import events as e
from companion.engine.record.changes import read_face
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import ADJUSTING, GERMAN, SOVIET, TACTICS, whole, yes

Rows = Mapping[str, Mapping[str, Any]]

# Initial primary, initial supplemental, reinforcements [2.3, 3].
TOTALS = {SOVIET: (6, 11, 5), GERMAN: (5, 5, 13)}
NUMBERS = {SOVIET: [f"P{n:02d}" for n in range(1, 23)], GERMAN: [f"P{n:02d}" for n in range(23, 46)]}
CHITS = [f"C{n:02d}" for n in range(1, 61)]
SET_ASIDE = "P41"
"""LVII Panzer Corps KG begins in the German hand [3, 4-II]."""
DARK = 3  # [2.22]
KINDS = [("primary", "Primary"), ("supplemental", "Supplemental")]
RATIOS = ("ratio at least", "ratio over", "ratio under")
HITS = re.compile(r"([ADSG])\s*([-\u2212+]?\d+)")
PLAIN = re.compile(r"\s*(([ADSG]\s*[-\u2212+]?\d+)[\s,]*)+")


@dataclass(frozen=True)
class Card:
    """One card as far as the manifest tells; an empty string or None is unknown."""

    id: str
    kind: str = ""
    turn: int | None = None
    name: str = ""
    value: int | None = None
    type: str = ""
    formation: str = ""
    steps: int | None = None
    events: str = ""
    tactics: str = ""

    @property
    def side(self) -> str:
        return SOVIET if self.id in NUMBERS[SOVIET] else GERMAN

    @property
    def label(self) -> str:
        return f"{self.id} {self.name}".strip()

    @property
    def told_whose(self) -> bool:
        """Whether it is known whose units it activates around a marker: those of an army or corps that it names [6.2]."""
        return bool(self.formation) or self.type not in ("german army", "corps kg")

    @property
    def stavka(self) -> bool:
        return self.type == "stavka" or "stavka" in self.name.lower()

    @property
    def manstein(self) -> bool:
        return self.type == "von manstein" or "manstein" in self.name.lower()


def read_card(number: str, row: Mapping[str, Any]) -> Card:
    """A row of the manifest; the rule's own fact about P41 needs no owner."""
    kind = str(row.get("kind") or "").strip().lower()
    turn = whole(row.get("turn"))
    if number == SET_ASIDE:
        kind, turn = kind or "supplemental", 0 if turn is None else turn
    words = {k: str(row.get(k) or "").strip() for k in ("name", "type", "formation", "events", "tactics")}
    return Card(number, kind, turn, value=whole(row.get("value")), steps=whole(row.get("steps")), **words)


def card(game: Game, number: str) -> Card:
    """A card as the manifest tells, or else as somebody told when it was played from a real hand."""
    told = game["told-cards"].get(number, {})  # games recorded before faces went into the book
    row = game.listed("cards").get(number, {})
    return read_card(number, {**told, **{k: v for k, v in row.items() if v not in ("", None)}})


def chosen_card(ctx: Context) -> Card | None:
    """The card chosen in a form."""
    number = str(ctx.values.get("card") or "")
    return card(ctx.game, number) if number else None


def remember(game: Game, number: str, said: Mapping[str, Any]) -> Iterator[e.Event]:
    """What was told of a card that lies open now is not asked again, here or at the next table."""
    yield from read_face(game, "cards", number, said)


def kind_unknown() -> Unreadable:
    """What a player of a real card has to tell, so that it is discarded with its kind."""
    return Unreadable(
        "is the card primary or supplemental? The manifest does not tell", field="kind", rule="5.6"
    )


def manifest_ready(game: Game) -> bool:
    """Whether every card's kind and turn of entry is known, so that the companion can deal."""
    cards = [card(game, n) for numbers in NUMBERS.values() for n in numbers]
    return all(c.kind in dict(KINDS) and c.turn is not None for c in cards)


def chits_ready(game: Game) -> bool:
    """Whether every chit has both its faces, so that the companion can draw and judge."""
    sheet = game.listed("chits")
    return all(chit_filled(sheet.get(c, {})) for c in CHITS)


def chit_filled(row: Mapping[str, Any]) -> bool:
    """Front and back each have a situation, its number or terrain, and hits [9.4]; half a chit would be misjudged."""
    sides = ("front", "back")
    return all(row.get(side) and row.get(f"{side}_hits") for side in sides) and all(
        str(row.get(f"{side}_detail") or "").strip() or not needs_detail(str(row[side])) for side in sides
    )


def needs_detail(situation: str) -> bool:
    return situation in (*RATIOS, "terrain", "command value")


@once
def cup_is_real(game: Game) -> bool:
    """Whether chits are entered by hand: a real cup, or a chit sheet that is not filled yet."""
    return bool(game["mode-chits"] == "physical") or not chits_ready(game)


def ground_ready(game: Game) -> bool:
    table = game.book.tables.get("ground", {})
    return all(table.get(f"G{n}", {}).get("face") for n in range(1, 6))


def calendar(game: Game, turn: int, column: str) -> int | None:
    """A number of the owner's calendar."""
    return whole(game.book.tables.get("calendar", {}).get(str(turn), {}).get(column))


def calendar_text(game: Game, turn: int, column: str) -> str:
    return str(game.book.tables.get("calendar", {}).get(str(turn), {}).get(column) or "").strip()


def adjustment(game: Game, tactic: str, role: str) -> tuple[int, int] | None:
    """What a tactic adds to attacker and defender hits when `role` (attack, defence) plays it [9.51]; None if unknown."""
    row = game.listed("tactics").get(tactic, {})
    a, d = whole(row.get(f"{role}_a")), whole(row.get(f"{role}_d"))
    if a is None and d is None:
        return None if tactic in ADJUSTING else (0, 0)
    return a or 0, d or 0


def tactic_turns(game: Game, tactic: str) -> Turns:
    """The turns on which a tactic may be applied, by the owner's aid; all when it does not tell."""
    return Turns(str(game.book.tables.get("tactics", {}).get(tactic, {}).get("turns") or ""))


def parse_hits(text: str) -> dict[str, int]:
    """'A1 D-1' -> {'A': 1, 'D': -1}."""
    found: dict[str, int] = {}
    for letter, number in HITS.findall(text.upper()):
        found[letter] = found.get(letter, 0) + int(number.replace("\u2212", "-"))
    return found


def dark(row: Mapping[str, Any]) -> bool:
    return yes(row.get("dark"))


def listed(text: str, turn: int) -> list[str] | None:
    """Names of a card's list that hold on a turn; None when it is empty (unknown), ['any'] for a wild one, [] for `none`."""
    names: list[str] = []
    for part in filter(None, (p.strip().lower() for p in text.split(","))):
        if part in ("none", "-"):
            continue
        found = re.fullmatch(r"(.*?)\s*\(([\d+,\s-]+)\)", part)
        if found is None:
            names.append(part)
        elif turn in Turns(found[2]):
            names.append(found[1])
    return names if text.strip() else None


# -- checks of the owner's lists ---------------------------------------------------------------------------


def check_cards(rows: Rows) -> list[str]:
    """The counts every copy of the game must show [3]."""
    found: list[str] = []
    for side, wanted in TOTALS.items():
        cards = [read_card(n, rows.get(n, {})) for n in NUMBERS[side]]
        unknown = [c.id for c in cards if not c.kind or c.turn is None]
        first = [c for c in cards if c.turn == 0]
        have = (
            sum(c.kind == "primary" for c in first),
            sum(c.kind == "supplemental" for c in first),
            sum(bool(c.turn) for c in cards),
        )
        words = ("initial primary", "initial supplemental", "reinforcement")
        name = side.capitalize()
        for label, count, target in zip(words, have, wanted, strict=True):
            if count > target or (not unknown and count != target):
                found.append(f"{name}: {count} {label} cards, the rulebook counts {target}")
        if unknown:
            some = f"{', '.join(unknown[:4])}{' ...' if len(unknown) > 4 else ''}"
            found.append(Unfilled(f"{name}: {len(unknown)} cards still need kind or turn ({some})"))
    for number, row in rows.items():
        kind = str(row.get("kind") or "").strip().lower()
        if kind and kind not in dict(KINDS):
            found.append(f"{number}: kind {kind!r} is neither primary nor supplemental")
    if read_card(SET_ASIDE, rows.get(SET_ASIDE, {})).kind != "supplemental":
        found.append("P41 is supplemental and starts in the German hand")
    return found


def check_chits(rows: Rows) -> list[str]:
    """Sixty chits, three of them dark, every face with a situation and hits [2.22]."""
    found: list[str] = []
    begun = [c for c in CHITS if any(rows.get(c, {}).get(side) for side in ("front", "back"))]
    filled = [c for c in CHITS if chit_filled(rows.get(c, {}))]
    if len(begun) < len(CHITS):
        found.append(Unfilled(f"{len(CHITS) - len(begun)} of 60 chits are still blank"))
    if len(filled) < len(begun):
        half = [c for c in begun if c not in filled]
        some = f"{', '.join(half[:4])}{' ...' if len(half) > 4 else ''}"
        found.append(Unfilled(f"half filled, so that no chit is drawn by the companion yet: {some}"))
    darks = sum(dark(rows.get(c, {})) for c in CHITS)
    if darks > DARK or (len(filled) == len(CHITS) and darks != DARK):
        found.append(f"{darks} dark chits, there are {DARK}")
    for chit in begun:
        row = rows[chit]
        for side in ("front", "back"):
            found += [f"{chit} {side}: {wrong}" for wrong in _face_problems(row, side)]
        if row.get("back") and yes(row.get("front_p")) and yes(row.get("back_p")):
            found.append(f"{chit}: only one side can have the red P")
    return found


def _face_problems(row: Mapping[str, Any], side: str) -> list[str]:
    situation = str(row.get(side) or "")
    if not situation:
        return []
    detail, hits = str(row.get(f"{side}_detail") or "").strip(), str(row.get(f"{side}_hits") or "")
    found = []
    if hits and not PLAIN.fullmatch(hits.upper()):
        found.append(f"hits {hits!r} are not like A1, D2, A1 D1 or D-1")
    if detail and situation in RATIOS and not re.fullmatch(r"\d+(\.5)?(\s*:\s*1)?", detail):
        found.append(f"the ratio {detail!r} is not a number such as 3 or 1.5")
    if detail and situation == "command value" and not detail.isdecimal():
        found.append(f"the command value {detail!r} is not a number")
    return found


def check_calendar(rows: Rows) -> list[str]:
    """Levels from turn 4 on, the Soviet value above the German one [15.36]."""
    found: list[str] = []
    needed = {
        "Soviet supplementals": "soviet_supplementals",
        "German supplementals": "german_supplementals",
        "German hand": "german_hand",
    }
    for label, column in needed.items():
        blank = [t for t in range(1, 15) if whole(rows.get(str(t), {}).get(column)) is None]
        if blank:
            text = f"{label}: {len(blank)} turns are blank ({_few(blank)}); asked each turn until then"
            found.append(Unfilled(text))
    for turn in range(1, 15):
        row = rows.get(str(turn), {})
        over, under = whole(row.get("soviet_over")), whole(row.get("german_under"))
        if turn < 4 and (over is not None or under is not None):
            found.append(f"turn {turn}: victory levels begin on turn 4")
        if over is not None and under is not None and under > over:
            found.append(f"turn {turn}: the German value {under} lies above the Soviet value {over}")
    return found


def _few(turns: list[int]) -> str:
    return ", ".join(map(str, turns[:3])) + (" ..." if len(turns) > 3 else "")


def check_ground(rows: Rows) -> list[str]:
    """Five markers, at least one frozen [15.33]."""
    faces = [str(rows.get(f"G{n}", {}).get("face") or "") for n in range(1, 6)]
    if "" in faces:
        return [Unfilled(f"{faces.count('')} of five markers are still blank")]
    return [] if "frozen" in faces else ["at least one marker is frozen"]


def check_tactics(rows: Rows) -> list[str]:
    """Names of the rulebook [9.2], and turns that can be read."""
    found = [f"{name!r} is no tactic of the rulebook" for name in rows if name not in TACTICS]
    for name, row in rows.items():
        try:
            Turns(str(row.get("turns") or ""))
        except ValueError as error:
            found.append(f"{name}: {error}")
    return found


BOOK_CHECKS: dict[str, Callable[[Rows], list[str]]] = {
    "cards": check_cards,
    "chits": check_chits,
    "calendar": check_calendar,
    "ground": check_ground,
    "tactics": check_tactics,
}
