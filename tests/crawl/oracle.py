"""What each seat must not know, worked out from the record alone and not from `view` or `sight`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.engine.kit.lists import Column
from companion.engine.kit.roster import Unit
from companion.engine.record.game import Game
from companion.store import StoredEvent
from crawl.canaries import is_canary

SECRET_FIELDS = {
    "set": {"value", "was"},
    "rolled": {"values", "sum"},
    "drawn": {"tokens"},
    "returned": {"tokens"},
    "placed": {"unit", "facts"},
    "marked": {"target", "marker", "value", "reason", "rule"},
    "sealed": {"value"},
    "resolved": {"breakdown"},
    "answered": {"answer", "text"},
    "asked": {"text", "action", "args", "rule", "units"},
    "engaged": {"forces", "facts"},
    "noted": {"text"},
}
"""What a hidden event of each kind must leave out; written down here a second time on purpose."""


def is_hidden(game: Game, unit: Unit, seat: str) -> bool:
    """Whether a unit lies under another of its side, or is kept from this seat altogether."""
    if seat == unit.side:
        return False
    if unit.only and seat not in unit.only:
        return True
    if not game["fog"] or game.kit.enemy_stacks == "all" or not unit.on_map:
        return False
    if game.kit.enemy_stacks != "top":
        return True
    above = [
        u
        for u in game.units.values()
        if u.place == unit.place and u.side == unit.side and u.order > unit.order
    ]
    return bool(above)


def lying_open(game: Game, seat: str) -> set[str]:
    """Units of a battle that a rule lays open for a while, though they lie under others."""
    return _in_open_battles(game) | _by_old_rules(game, seat)


def _in_open_battles(game: Game) -> set[str]:
    """Both stacks of a battle that was declared openly, until it has a result and nothing of it is owed."""
    found = set()
    for battle in game.battles.values():
        asked = [a for a in game.asked.values() if a.battle == battle.id and a.action != "agree"]
        going_on = any(a.duty == "owed" for a in asked) if battle.result else bool(asked)
        if battle.opened and going_on:
            found |= {unit for units in battle.forces.values() for unit in units}
    return found


def _by_old_rules(game: Game, seat: str) -> set[str]:
    """What single games lay open by marks of their own."""
    if game.kit.id == "wb95" and seat in game.sides and game["masking"] and game.phase.startswith("attack"):
        return _fought_stacks(game)
    return set()


def _fought_stacks(game: Game) -> set[str]:
    """WB-95 16.1.3: in the attack phase the enemy is told what is in a stack that fought."""
    places = {u.place for u in game.units.values() if game.mark(u.id, "fought")} | set(
        game.marked("attacked")
    )
    return {u.id for u in game.units.values() if u.place in places}


@dataclass
class Secrets:
    """What one seat must not know at one moment, as words to look for."""

    names: dict[str, str] = field(default_factory=dict)
    """Word -> what it would give away."""
    piles: list[tuple[str, set[str], set[str]]] = field(default_factory=list)
    """Pile, all its tokens, those that lie hidden: naming all of them tells nothing."""
    words: set[str] = field(default_factory=set)

    def found_in(self, text: str) -> list[str]:
        """What a text gives away."""
        low = text.lower()
        found = [
            f"{what} in ...{_around(word, low)}..."
            for word, what in self.names.items()
            if word in low and (word[:2] == "zq" or _stands_alone(word, low))
        ]
        found += [f"{word[:12]}..." for word in self.words if word in text]
        for pile, everything, hidden in self.piles:
            named = {t for t in everything if t.lower() in low and _stands_alone(t.lower(), low)}
            if named & hidden and named != everything:
                word = min(named & hidden)
                found.append(f"{pile} in ...{_around(word.lower(), low)}...")
        return found


def _around(word: str, low: str) -> str:
    """The words around the first find, for whoever has to mend it."""
    at = low.find(word)
    return " ".join(low[max(0, at - 70) : at + len(word) + 40].split())


def _stands_alone(word: str, low: str) -> bool:
    return re.search(rf"(?<![a-z0-9]){re.escape(word)}(?![\w-])", low) is not None


class Oracle:
    """Follows a game and remembers what each seat was shown before."""

    def __init__(self, seats: Iterable[str]) -> None:
        self.seats = tuple(seats)
        self.shown: dict[str, set[str]] = {seat: set() for seat in self.seats}
        """Units and tokens that a seat has met before."""
        self.read = 0

    def follow(self, game: Game, stored: Iterable[StoredEvent]) -> None:
        """Take over what has happened since: whoever has seen a unit once may meet its name in the log."""
        for item in stored:
            if item.seq <= self.read:
                continue
            self.read = item.seq
            body = item.body
            if body["kind"] == "placed" and not body.get("only"):  # named to all on purpose: lost in battle
                for seat in self.seats:
                    self.shown[seat].add(str(body["unit"]))
            if body["kind"] in {"drawn", "returned"} and body["source"]:
                for seat in body.get("only") or self.seats:
                    self.shown.setdefault(seat, set()).update(body["tokens"])
            if body["kind"] == "resolved" and game.kit.id == "second-kharkov":
                facts = dict(body["breakdown"]).get("facts", {})
                for seat in self.seats:
                    self.shown[seat] |= {*facts.get("attackers", ()), *facts.get("defenders", ())}
        for seat in self.seats:
            self.shown[seat] |= {u.id for u in game.units.values() if not is_hidden(game, u, seat)}
            self.shown[seat] |= lying_open(game, seat)

    def secrets(self, game: Game, seat: str, *, now: bool) -> Secrets:
        """What a seat must not know.

        :param now: also units it has seen before and that lie hidden now; the log and the record may name those.
        """
        found = Secrets()
        known = lying_open(game, seat) if now else self.shown[seat]
        for unit in game.units.values():
            if is_hidden(game, unit, seat) and unit.id not in known:
                found.names[unit.id.lower()] = "hidden unit's id"
                if is_canary(unit.name):  # "Tank brigade" is a type, and many bear it
                    found.names[unit.name.lower()] = "hidden unit"
        for definition in game.kit.piles:
            pile = game.piles.get(definition.id)
            if pile is None:
                continue
            hidden: set[str] = set()
            for zone, tokens in pile.zones.items():
                if tokens and not _open_zone(game, definition, zone, seat):
                    hidden |= set(tokens) if now else set(tokens) - self.shown[seat]
            hidden -= printed(game)
            for token in hidden:
                name = str(game.face(definition.id, token).get("name") or "")
                if name:
                    found.names[name.lower()] = f"face of {token}"
            if hidden:
                found.piles.append((definition.id, set(pile.tokens()), hidden))
        return found


def _open_zone(game: Game, definition: Any, zone: str, seat: str) -> bool:
    """Whether a seat may know, or can work out from what lies open, which tokens lie in a zone."""
    base, _, owner = zone.partition(":")
    rules = {z.id: z.seen for z in definition.zones}
    if rules.get(base) == "all":
        return True
    if rules.get(base) == "owner":
        side = game.units[owner].side if owner in game.units else owner or definition.side
        return bool(seat == side)
    if definition.side == seat:
        return True  # what is neither in his hand nor out lies in his own draw pile
    return set(rules.values()) <= {"all", "count"} and list(rules.values()).count("count") == 1


def printed(game: Game) -> set[str]:
    """Tokens that are named for another reason: a checklist names 'P41', and a chit's 'G1' is a hit, not a ground marker."""
    lines = " ".join(check.text for phase in game.kit.phases for check in phase.checklist)
    usual = {
        text
        for book in game.kit.books
        for column in book.columns
        for texts in Column.from_toml(column).taps.values()
        for text in texts
    }
    return {*re.findall(r"\b[A-Z]\d\d\b", lines), *usual}


def event_leaks(row: Mapping[str, Any], only: Iterable[str], seat: str) -> list[str]:
    """What an event as given to a seat holds although it is hidden from it."""
    allowed = tuple(only)
    if not allowed or seat in allowed:
        return []
    told = {name for name, value in row.items() if value != ""}
    return sorted(SECRET_FIELDS.get(str(row["kind"]), set()) & told)
