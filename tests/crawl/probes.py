"""Requests to every route of a table, with values that are nearly right."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from flask import Flask
from werkzeug.routing import Rule

from companion.engine.errors import Mistake
from companion.engine.forms.fields import Choice, Dice, Tokens, UnitRef
from crawl.oracle import is_hidden
from crawl.player import Player

ELSEWHERE = {"stream", "hall_stream", "leave", "join_link", "static"}
"""Routes that are looked at in a way of their own, or change who sits where."""
FORMS = {
    "do_action", "action_preview", "worksheet_page", "act", "enter", "import_file", "apply_supply", "move_stack",
    "lay_marker",
}  # fmt: skip
"""What is sent as well as looked at; other routes that change something are not about what is hidden."""
OPENING = {"set-mode", "take-back", "agree", "lost-table", "new-code", "close-seat"}
"""Actions that take the canaries back, change the table's dice or sign devices out: their forms are looked at, not sent."""
HX = ("", "live", "sheet")
QUERIES = {
    "map_page": ("", "layer=control&layer=supply", "layer=zoc-{a}&layer=zoc-{b}", "x=0&y=0"),
    "hex_sheet": ("", "reach=3", "to={hex}", "tap=1", "tap=1&from={hex}&units={near}"),
    "units_page": (
        "",
        "show=oos",
        "show=reduced",
        "show=mine",
        "show=waiting",
        "most=600",
        "most=600&q={near}",
    ),
    "log_page": ("", "kind=noted", "kind=placed", "side={a}", "before=40"),
    "entry_hints": ("text=zq", "text={near}", "text={hex} zq"),
    "entry_page": ("", "text={near}"),
    "supply_page": ("", "side={a}", "side={b}"),
    "events": ("", "since=20"),
    "join": ("code={code}",),
}


@dataclass(frozen=True)
class Probe:
    """One request of one seat."""

    seat: str
    method: str
    path: str
    form: dict[str, Any] = field(default_factory=dict)
    target: str = ""
    endpoint: str = ""

    def __str__(self) -> str:
        return f"{self.seat} {self.method} {self.path} {self.form or ''} {self.target}"


class Prober:
    """Makes the requests of a crawl, each kind in its turn, so that none is left out for long."""

    def __init__(self, app: Flask, player: Player, seats: tuple[str, ...], rng: random.Random) -> None:
        self.app, self.player, self.seats, self.rng = app, player, seats, rng
        self.tables, self.code = player.tables, player.code
        self.queue: list[tuple[str, Rule, str, str]] = []

    def next(self, count: int) -> Iterator[Probe]:
        """The next so many requests."""
        for _ in range(count):
            if not self.queue:
                self.queue = [(seat, *kind) for seat in self.seats for kind in self.kinds()]
                self.rng.shuffle(self.queue)
            found = self.probe(*self.queue.pop())
            if found is not None:
                yield found

    def kinds(self) -> Iterator[tuple[Rule, str, str]]:
        """Every route and method; those with an action or a worksheet in their path, for each of these."""
        rules = self.tables.system_of(self.code).rules
        for rule in self.app.url_map.iter_rules():
            for method in self.methods(rule):
                if "name" not in rule.arguments:
                    yield rule, method, ""
                    continue
                for each in rules.worksheets if "/sheet/" in rule.rule else rules.actions:
                    if method == "GET" or each not in OPENING:
                        yield rule, method, each

    def methods(self, rule: Rule) -> list[str]:
        """How a route is asked: all of a table, and every page that may tell of tables. The owner's book is apart."""
        name, known = short(rule), rule.methods or set()
        about = "code" in rule.arguments or not rule.arguments
        if name in ELSEWHERE or not about or rule.rule.startswith("/book"):
            return []
        return [m for m in ("GET", "POST") if m in known and (m == "GET" or name in FORMS)]

    def probe(self, seat: str, rule: Rule, method: str, name: str) -> Probe | None:
        """One request to a route."""
        path = rule.rule
        for part, value in (("code", self.code), ("seat", seat), ("name", name), ("text", self.player.hex())):
            path = path.replace(f"<{part}>", value)
        if "<pile>" in path:
            piles = {p: pile.tokens() for p, pile in self.player.game.piles.items() if pile.tokens()}
            if not piles:
                return None
            pile = self.rng.choice(sorted(piles))
            path = path.replace("<pile>", pile).replace("<token>", self.rng.choice(piles[pile]))
        if "<unit>" in path:
            path = path.replace("<unit>", self.rng.choice(sorted(self.player.game.units) or ["nobody"]))
        if "<" in path:
            return None
        endpoint = short(rule)
        form = self.form(seat, endpoint, name) if method == "POST" else {}
        query = self.query(seat, endpoint, name) if method == "GET" else ""
        if rule.rule.startswith("/api/tables/"):
            query = f"{query}&seat={seat}" if query else f"seat={seat}"
        path += f"?{query}" if query else ""
        return Probe(seat, method, path, form, self.rng.choice(HX), endpoint)

    def query(self, seat: str, endpoint: str, name: str) -> str:
        if endpoint == "action_form" and self.rng.random() < 0.5:
            return urlencode(self.form(seat, endpoint, name))
        a, b = self.player.game.sides
        words = {"a": a, "b": b, "near": self.near_miss(seat), "hex": self.player.hex(), "code": self.code}
        return self.rng.choice(QUERIES.get(endpoint, ("",))).format(**words)

    def form(self, seat: str, endpoint: str, name: str) -> dict[str, Any]:
        """A form filled in, mostly wrongly: names that nearly are those of hidden units, and values that are none."""
        if endpoint == "enter":
            return {"text": f"{self.near_miss(seat)} {self.player.hex()}"}
        if endpoint == "import_file":
            side = self.rng.choice(self.player.game.sides)
            return {"csv": f"side,name,place\n{side},{self.near_miss(seat)},{self.player.hex()}"}
        if endpoint == "apply_supply":
            return {"side": self.rng.choice(self.player.game.sides)}
        if endpoint in {"move_stack", "lay_marker"}:
            where = {"hex": self.player.hex(), "from": self.player.hex()}
            return {**where, "units": self.near_miss(seat), "unit-mark": "oos=on"}
        rules = self.tables.system_of(self.code).rules
        if endpoint != "worksheet_page" and self.rng.random() < 0.3:
            try:
                return {k: v for k, v in self.player.fill(seat, name, {}).items() if v is not None}
            except Mistake:
                return {}
        fields = (rules.worksheets if endpoint == "worksheet_page" else rules.actions)[name].fields
        form: dict[str, Any] = {}
        for key, item in fields.items():
            if isinstance(item, UnitRef):
                form[key] = self.near_miss(seat)
            elif isinstance(item, Choice | Tokens):
                form[key] = self.rng.choice(("nonsense", "P0", "zq"))
            elif item.type == "hex":
                form[key] = self.player.hex()
            elif not isinstance(item, Dice) and self.rng.random() < 0.3:
                form[key] = "17"
        return form

    def near_miss(self, seat: str) -> str:
        """A name with its last letter missing: a hidden unit's if there is one."""
        game = self.player.game
        hidden = [u for u in game.units.values() if is_hidden(game, u, seat)]
        names = [u.name or u.id for u in hidden or game.units.values()] or ["nobody"]
        return self.rng.choice(names)[:-1]


def short(rule: Rule) -> str:
    """A route's name without its blueprint's."""
    return rule.endpoint.rpartition(".")[2]
