"""A player who does whatever the descriptions of the actions let him do, with a seed so that it can be done again."""

from __future__ import annotations

import random
from typing import Any

from companion.engine.errors import Mistake
from companion.engine.record.game import Game
from companion.tables.tables import Tables

NEVER = {"end-game", "lay-open", "set-mode", "take-back", "agree", "dismiss", "add-entropy", "set-up"}
"""What ends the game, lifts the fog, or comes about in a way of its own."""


class Player:
    """Fills in forms from their own choices."""

    def __init__(self, tables: Tables, code: str, rng: random.Random) -> None:
        self.tables, self.code, self.rng = tables, code, rng
        self.floor = tables.store.latest(code)
        """What was laid out for the crawl is not taken back."""
        self.done: dict[str, int] = {}
        self.tried: dict[str, int] = {}
        self.refused = 0
        self.doing = ""
        """What was tried last, for a report of what went wrong."""

    @property
    def game(self) -> Game:
        return self.tables.game(self.code)

    def step(self) -> bool:
        """One attempt to do something; whether the table let it happen."""
        sides = self.game.sides
        seat = self.rng.choice([*sides, *sides, "table"])
        name, raw = self._choose(seat)
        self.doing = f"{seat} {name} {raw}"
        if not name:
            return False
        try:
            self.tables.act(self.code, seat, name, raw, revision=self.tables.store.latest(self.code))
        except Mistake:
            self.refused += 1
            return False
        self.done[name] = self.done.get(name, 0) + 1
        return True

    def _choose(self, seat: str) -> tuple[str, dict[str, Any]]:
        view = self.tables.view(self.code, seat)
        asked = [a for a in view["asked"] if a["mine"] and a["action"]]
        if asked and self.rng.random() < 0.5:
            ask = self.rng.choice(asked)
            if ask["action"] == "enter-result":
                codes = list(ask["args"].get("codes") or ["-"])
                return "enter-result", {"_asked": ask["id"], "result": self.rng.choice(codes)}
            if ask["action"] == "agree":
                return "agree", {"ask": ask["id"], "yes": True}
            return ask["action"], {**self.fill(seat, ask["action"], ask["args"]), "_asked": ask["id"]}
        back = self.tables.undo_target(self.code)
        if back is not None and back >= self.floor and self.rng.random() < 0.04:
            return "take-back", {"to": back}
        names = [a["name"] for a in view["actions"] if a["name"] not in NEVER]
        if not names:
            return "", {}
        fighting = any(word in self.game.phase for word in ("attack", "combat", "assault"))
        if "next-phase" in names and self.rng.random() < (0.08 if fighting else 0.3):
            return "next-phase", {}
        first = [a["name"] for a in view["actions"] if a["now"] and a["name"] not in NEVER]
        open_now = first if first and self.rng.random() < 0.6 else names
        seldom = [1 / (1 + self.tried.get(n, 0)) for n in open_now]  # what was tried often has its answer
        name = self.rng.choices(open_now, seldom)[0]
        self.tried[name] = self.tried.get(name, 0) + 1
        return name, self.fill(seat, name, {})

    def fill(self, seat: str, name: str, given: dict[str, Any]) -> dict[str, Any]:
        """Values for a form, field by field, as the form itself changes with what is filled in."""
        raw: dict[str, Any] = dict(given)
        for most in (1, 99, 99):  # what the first field says often decides which others there are
            rows = [r for r in self.tables.visit(self.code, seat).fields(name, raw) if r["name"] not in raw]
            for row in [r for r in rows if r["type"] != "dice" and not r["quiet"]][:most]:
                value = self._value(row)
                if value is not None:
                    raw[row["name"]] = value
        return raw

    def _value(self, row: dict[str, Any]) -> Any:
        rng, kind = self.rng, row["type"]
        if row["hidden"] or (not row["required"] and rng.random() < 0.3):
            return row["value"]
        if kind in {"choice", "unit", "tokens"}:
            values = [c["value"] for c in row["choices"]]
            if not values:
                return None
            return (
                rng.sample(values, min(len(values), rng.choice((1, 1, 2))))
                if row.get("many")
                else rng.choice(values)
            )
        if kind == "hex":
            return self.hex()
        if kind == "whole":
            return rng.randint(row["min"], min(row["max"], row["min"] + 6))
        if kind == "flag":
            return rng.random() < 0.4
        return row["value"] or f"words {rng.randint(1, 99)}"

    def hex(self) -> str:
        """A hex with a unit, or beside one; most often one with a stack."""
        game = self.game
        stacks = {place: len(units) for place, units in game.stacks().items()}
        high = [place for place, count in stacks.items() if count > 2]
        held = list(stacks) or sorted(game.maps.grids[0].index)
        place = self.rng.choice(high if high and self.rng.random() < 0.6 else held)
        return place if self.rng.random() < 0.6 else self.rng.choice([place, *game.maps.neighbours(place)])
