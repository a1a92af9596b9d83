"""Tables and small positions for the WB-95 tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from harness import SCENARIOS, Bench

from companion.engine.hexes.ground import MapBook, Vocabulary
from companion.engine.hexes.groundtext import read_csv
from companion.engine.kit.book import Book
from companion.systems import find_system


class Table(Bench):
    """A table with shorthands for putting counters on the map."""

    def unit(
        self,
        side: str,
        name: str,
        hex: str = "",
        kind: str = "INF",
        a: int = -1,
        d: int = -1,
        cel: int = 2,
        klass: str = "",
        **marks: Any,
    ) -> str:
        before = set(self.game.units)
        self.do("table", "add-unit", side=side, name=name, kind=kind, hex=hex, steps=cel)
        made = next(iter(set(self.game.units) - before))
        fields: dict[str, Any] = {"unit": made}
        if a >= 0:
            fields |= {"attack": a, "defence": d if d >= 0 else a}
        if klass:
            fields["klass"] = klass
        if len(fields) > 1:
            self.do("table", "set-counter", **fields)
        for marker, value in marks.items():
            self.do("table", "mark", marker=marker, units=made, value=str(value))
        return made

    def shown(self, seat: str, action: str, **filled: Any) -> dict[str, dict[str, Any]]:
        """The fields that a form shows, by name; dice apart."""
        rows = self.form(seat, action, **filled)
        return {r["name"]: r for r in rows if not r["hidden"] and not r["quiet"] and r["type"] != "dice"}

    def panel(self, seat: str, title: str) -> dict[str, str]:
        """What a panel of this title says, by label; empty where there is none."""
        rows = [r for p in self.sees(seat)["panels"] if p["title"] == title for r in p["rows"]]
        return {r["label"]: r["value"] for r in rows}

    def mark(self, target: str, marker: str) -> Any:
        return self.game.mark(target, marker)

    def asks(self) -> list[str]:
        return [a.action for a in self.game.asked.values()]

    def duty(self, seat: str, action: str) -> dict[str, Any]:
        """The one duty of this kind that a seat has, as its card shows it."""
        (found,) = [a for a in self.asked(seat) if a["action"] == action]
        return found

    def about(self, seat: str, action: str) -> list[str]:
        """The units that this duty is about."""
        return list(self.game.asked[self.duty(seat, action)["id"]].units)

    def settle(self, seat: str, action: str, **fields: Any) -> list[Any]:
        """Answer the one duty of this kind."""
        return self.do(seat, action, _asked=self.duty(seat, action)["id"], **fields)

    def offered(self, seat: str, action: str, field: str) -> list[str]:
        """What a card's field offers, in words."""
        rows = {row["name"]: row for row in self.duty(seat, action)["form"]}
        return [c["label"] for c in rows[field]["choices"]] if field in rows else []

    def ways(self, seat: str, action: str) -> list[str]:
        """The hexes that a card offers."""
        rows = {row["name"]: row for row in self.duty(seat, action)["form"]}
        return [c["value"] for c in rows["to"]["choices"] if c["value"].isdecimal()] if "to" in rows else []

    @property
    def fight(self) -> Any:
        """The newest battle."""
        return self.game.battles[max(self.game.battles)]

    @property
    def breakdown(self) -> dict[str, Any]:
        return dict(self.fight.sheet)


@pytest.fixture
def table() -> Callable[..., Table]:
    """`table("kharkov-1942", phase="attack-a", fog=False)`."""

    def make(
        scenario: str = "kharkov-1942", phase: str = "", turn: int | None = None, **options: Any
    ) -> Table:
        t = Table("wb95", scenario, options.pop("book", None), **options)
        if phase:
            t.until(phase, turn)
        return t

    return make


@pytest.fixture
def map_book() -> Callable[[str], Book]:
    """An owner's book made by the test from CSV lines 'kind,a,b,value'; nothing in it is the real map."""

    def make(lines: str) -> Book:
        kit = find_system("wb95", SCENARIOS).kit
        words = Vocabulary(
            terrains=("clear", "hills", "forest", "swamp", "mountains"),
            hexsides=("stream", "river", "doniec", "big river", "bridge"),
            links=("main road", "side road"),
            places=("town", "city"),
        )
        text = "kind,a,b,value\n" + "\n".join(line.strip() for line in lines.strip().splitlines())
        book, wrong = read_csv(text, kit.maps, words, "owner")
        assert not wrong, wrong
        assert isinstance(book, MapBook)
        return Book(charts=kit.charts, map=book.to_json())

    return make
