"""A side's air plan: missions as typed, checked against what the side may fly [8.2]."""

from __future__ import annotations

from typing import Any, NamedTuple

from companion.engine.errors import Mistake, NotNow, Unreadable, did_you_mean
from companion.engine.record.game import Game
from companion.systems.wb95.base import GERMAN, SOVIET

MISSIONS = (
    ("support", "offensive support"),
    ("defence", "defensive support"),
    ("attack", "air attack"),
    ("object", "bridge attack"),
    ("harass", "hinder Soviet movement"),
    ("crossing", "river crossing attack"),
    ("supply", "air supply"),
)


class Row(NamedTuple):
    """One mission: its points, and what it puts over each hex."""

    mission: str
    sp: int
    amounts: tuple[tuple[str, int], ...]
    number: int = 0
    """Which of the form's missions it is; 0 for a line of its text."""

    def field(self, name: str) -> str:
        """Where this part of it was typed."""
        return f"{name}_{self.number}" if self.number else "more"


def row(mission: str, hex_id: str, sp: int, number: int = 0) -> Row:
    """A mission over a single hex; a crossing mission's attacks are twice its points [8.2.18]."""
    return Row(mission, sp, ((hex_id, 2 * sp if mission == "crossing" else sp),), number)


def read_lines(game: Game, text: str) -> list[Row]:
    """Lines such as 'attack 2408 3' or 'crossing 2408:3 2409:1 2'."""
    found = []
    for line in filter(None, (part.strip() for part in text.replace(";", "\n").split("\n"))):
        words = line.lower().split()
        names = [m for m, _ in MISSIONS]
        if len(words) < 3 or words[0] not in names or not words[-1].isdecimal() or not int(words[-1]):
            raise Unreadable(
                f"{line!r}: write mission, hex and SP, such as attack 2408 3.{did_you_mean(words[0], names)}",
                field="more",
                given=line,
                accepted=", ".join(names),
            )
        sp, places = int(words[-1]), words[1:-1]
        if len(places) == 1 and ":" not in places[0]:
            found.append(row(words[0], _hex(game, places[0]), sp))
        elif words[0] == "crossing":
            pairs = [p.partition(":") for p in places]
            amounts = tuple((_hex(game, h), int(n)) for h, _, n in pairs if n.isdecimal())
            if len(amounts) != len(places) or sum(n for _, n in amounts) != 2 * sp:
                raise Unreadable(
                    f"{line!r}: {sp} SP are {2 * sp} attacks, all to be given to hexes",
                    field="more",
                    given=line,
                    rule="8.2.18",
                )
            found.append(Row("crossing", sp, amounts))
        else:
            raise Unreadable(f"{line!r}: this mission has one hex", field="more", given=line)
    return found


def _hex(game: Game, text: str) -> str:
    try:
        return game.maps.parse(text)
    except ValueError as error:
        raise Unreadable(str(error), field="more", given=text) from None


class Plan:
    """Missions of one side for one air phase."""

    def __init__(self, game: Game, side: str) -> None:
        self.game, self.side = game, side
        self.rows: list[Row] = []

    def add(self, mission: Row) -> None:
        """Take a mission, or say why it cannot be flown."""
        problem = self._problem(mission)
        if problem is not None:
            raise problem
        self.rows.append(mission)

    def _problem(self, new: Row) -> Mistake | None:
        left = int(self.game[f"air-{self.side}"]) - sum(r.sp for r in self.rows)
        name = dict(MISSIONS)[new.mission]
        if new.sp > left:
            left_over = f"{name}: {new.sp} SP, but only {left} are left today"
            return NotNow(left_over, field=new.field("sp"), given=new.sp, rule="8.1.5")
        if new.mission == "defence" and self.side == SOVIET:
            return NotNow(
                "Soviet aircraft do not support a defence", field=new.field("mission"), rule="8.2.5"
            )
        if new.mission == "supply" and not self.game["air-supply"]:
            british = "only American and British aircraft fly supplies"
            return NotNow(british, field=new.field("mission"), rule="8.2.23")
        if new.mission == "supply" and new.sp < 7:
            return NotNow(
                "a supply mission needs at least 7 SP", field=new.field("sp"), given=new.sp, rule="8.2.24"
            )
        if new.mission == "object" and new.sp < 4:
            few = "a bridge is attacked with at least 4 SP"
            return NotNow(few, field=new.field("sp"), given=new.sp, rule="8.2.10")
        if new.mission == "harass" and self.side != GERMAN:
            return NotNow("only Soviet movement can be hindered", field=new.field("mission"), rule="8.2.11")
        if new.mission == "harass":
            here = {r.amounts[0][0]: r.sp for r in self.rows if r.mission == "harass"}
            if new.sp + here.get(new.amounts[0][0], 0) > 2:
                many = "at most 2 SP on a hex to hinder movement"
                return NotNow(many, field=new.field("sp"), given=new.sp, rule="8.2.15")
        if new.mission == "crossing" and not self._connected([h for h, _ in new.amounts]):
            apart = "the hexes of a crossing attack must be connected"
            return NotNow(apart, field="more", rule="8.2.19")
        return None

    def _connected(self, hexes: list[str]) -> bool:
        seen, stack = {hexes[0]}, [hexes[0]]
        while stack:
            for beside in self.game.maps.neighbours(stack.pop()):
                if beside in hexes and beside not in seen:
                    seen.add(beside)
                    stack.append(beside)
        return seen == set(hexes)

    def sealed(self) -> dict[str, Any]:
        """What is kept sealed until both sides have chosen."""
        return {
            "sp": sum(r.sp for r in self.rows),
            "missions": [[r.mission, hex_id, amount] for r in self.rows for hex_id, amount in r.amounts],
        }
