"""The crawl itself: every route of the app for every seat, between the moves of a random game."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from crawl.canaries import canary, put_out, with_faces
from crawl.oracle import Oracle, Secrets, event_leaks, is_hidden, lying_open
from crawl.player import Player
from flask import Flask
from werkzeug.test import TestResponse

from companion.engine.errors import Mistake
from companion.engine.fields import Choice, Dice, Tokens, UnitRef
from companion.engine.game import Game
from companion.tables import Tables
from companion.web.seats import token

ELSEWHERE = {"stream", "leave", "any_seat", "change_seat"}
"""Routes under a table that are looked at in a way of their own, or change who sits where."""
OPENING = {"end-game", "set-mode", "take-back", "agree"}
"""Actions that lay things open, or take the canaries back: their forms are looked at, not sent."""
RECORD = {"seat_page", "log_page", "more_page", "settings_page", "export", "events", "table", "worksheet_page",
          "seats_page", "card_page", "do_action", "action_form", "action_preview"}  # fmt: skip
"""Pages that may tell what was seen before: they show the log, the last result, or what waits."""
SHEETS = {"do_action", "action_form", "action_preview", "card_page"}
"""Those of them that a sheet shows without the rest of the page."""
HX = ("", "live", "sheet")
QUERIES = {
    "map_page": ("", "layer=control&layer=supply", "layer=zoc-{a}&layer=zoc-{b}", "x=0&y=0"),
    "units_page": ("", "show=oos", "show=reduced", "show=mine", "show=waiting"),
    "log_page": ("", "kind=noted", "kind=placed", "side={a}", "before=40"),
    "entry_hints": ("text=zq", "text={near}", "text={hex} zq"),
    "entry_page": ("", "text={near}"),
    "supply_page": ("", "side={a}", "side={b}"),
    "events": ("", "since=20"),
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


@dataclass
class Report:
    """What a crawl did and found."""

    requests: int = 0
    steps: int = 0
    routes: set[str] = field(default_factory=set)
    secrets: int = 0
    leaks: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


class Crawl:
    """One table, its seats, and a seeded random game on it."""

    def __init__(self, app: Flask, system: str, scenario: str, seed: int = 1) -> None:
        self.app = app
        app.config["PROPAGATE_EXCEPTIONS"] = False  # a fault is an answer to be searched, and one to be reported
        self.tables: Tables = app.extensions["companion"]["tables"]
        self.rng = random.Random(f"{system} {scenario} {seed}")
        self.report = Report()
        self.queue: list[tuple[str, str, str]] = []
        found = self.tables.system(system)
        with_faces(found, self.tables.book(found))
        self.system, self.scenario = system, scenario
        self.sit_down()

    def sit_down(self) -> None:
        """A new table with its units, and a device at every seat."""
        self.code = self.tables.new(self.system, self.scenario, {})
        game = self.game
        if game.roster:
            self.tables.act(self.code, "table", "set-up", {})
        put_out(self.tables, self.code, self.rng)
        self.seats = ("table", *game.sides, "watch")
        self.oracle = Oracle(self.seats)
        self.player = Player(self.tables, self.code, self.rng)
        with self.app.test_request_context():
            self.tokens = {seat: token(self.code, seat) for seat in self.seats if seat != "watch"}
        self.clients = {seat: self.app.test_client() for seat in self.seats}
        for seat, secret in self.tokens.items():
            self.clients[seat].get(f"/j/{self.code}/{secret}")

    @property
    def game(self) -> Game:
        return self.tables.game(self.code)

    # -- going on ----------------------------------------------------------------------------------------

    def run(self, steps: int, probes: int) -> Report:
        """So many moves, with so many requests after each."""
        for _ in range(steps):
            for _ in range(6):
                if self.player.step():
                    self.report.steps += 1
                    break
            if self.game.ended:  # an ended game may lie open: on to the next
                self.sit_down()
            self.follow()
            for probe in self.next_probes(probes):
                self.ask(probe)
            self.sound_out()
        return self.report

    def follow(self) -> None:
        self.oracle.follow(self.game, self.tables.store.events(self.code, self.oracle.read))

    def next_probes(self, count: int) -> Iterator[Probe]:
        """The next kinds of request in turn, so that none is left out for long."""
        for _ in range(count):
            if not self.queue:
                self.queue = [(s, e, n) for s in self.seats for e, n in self.kinds()]
                self.rng.shuffle(self.queue)
            found = self.probe(*self.queue.pop())
            if found is not None:
                yield found

    def kinds(self) -> Iterator[tuple[str, str]]:
        """Every route of a table; those with an action or a worksheet in their path, for each of these."""
        rules = self.tables.system_of(self.code).rules
        for rule in self.app.url_map.iter_rules():
            name = rule.endpoint.partition(".")[2]
            if "code" not in rule.arguments or name in ELSEWHERE or rule.rule.startswith("/j/"):
                continue
            if "name" not in rule.arguments:
                yield rule.rule, ""
                continue
            for each in rules.worksheets if "sheet" in rule.rule else rules.actions:
                if each not in OPENING or "POST" not in (rule.methods or ()):
                    yield rule.rule, each

    def probe(self, seat: str, route: str, name: str) -> Probe | None:
        """A request to a route, with values that are nearly right."""
        rules = [r for r in self.app.url_map.iter_rules() if r.rule == route]
        rule = self.rng.choice(rules)
        endpoint = rule.endpoint.partition(".")[2]
        method = "POST" if "POST" in (rule.methods or ()) and (
            "GET" not in (rule.methods or ()) or self.rng.random() < 0.5) else "GET"
        path = (
            route.replace("<code>", self.code).replace("<seat>", seat).replace("<name>", name)
            .replace("<text>", self.player.hex())
        )  # fmt: skip
        if "<pile>" in path:
            piles = {p: pile.tokens() for p, pile in self.game.piles.items() if pile.tokens()}
            if not piles:
                return None
            pile = self.rng.choice(sorted(piles))
            path = path.replace("<pile>", pile).replace("<token>", self.rng.choice(piles[pile]))
        form: dict[str, Any] = {}
        if method == "POST":
            form = self.form(seat, endpoint, name)
        else:
            words = self.rng.choice(QUERIES.get(endpoint, ("",)))
            a, b = self.game.sides
            query = words.format(a=a, b=b, near=self.near_miss(seat), hex=self.player.hex())
            path += f"?{query}" if query else ""
            if endpoint == "action_form" and self.rng.random() < 0.5:
                path += "?" + "&".join(f"{k}={v}" for k, v in self.form(seat, endpoint, name).items())
        if route.startswith("/api/"):
            path += f"{'&' if '?' in path else '?'}seat={seat}"
        return Probe(seat, method, path, form, self.rng.choice(HX), endpoint)

    def form(self, seat: str, endpoint: str, name: str) -> dict[str, Any]:
        """A form filled in wrongly: names that nearly are those of hidden units, and values that are none at all."""
        if endpoint in {"enter", "import_file"}:
            text = f"{self.near_miss(seat)} {self.player.hex()}"
            return {"text": text} if endpoint == "enter" else {"csv": f"side,name,place\n{text}"}
        if endpoint == "apply_supply":
            return {"side": self.rng.choice(self.game.sides)}
        rules = self.tables.system_of(self.code).rules
        fields = (rules.worksheets if endpoint == "worksheet_page" else rules.actions)[name].fields
        if self.rng.random() < 0.3:
            try:
                return {k: v for k, v in self.player.fill(seat, name, {}).items() if v is not None}
            except (Mistake, KeyError):
                return {}
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
        hidden = [u for u in self.game.units.values() if is_hidden(self.game, u, seat)]
        names = [u.name or u.id for u in hidden or self.game.units.values()] or ["nobody"]
        return self.rng.choice(names)[:-1]

    # -- looking -----------------------------------------------------------------------------------------

    def send(self, probe: Probe) -> TestResponse:
        headers = {"Origin": "http://localhost"}
        if probe.target:
            headers |= {"HX-Request": "true", "HX-Target": probe.target}
        client = self.clients[probe.seat]
        if probe.method == "GET":
            return client.get(probe.path, headers=headers)
        if probe.path.startswith("/api/"):
            return client.post(probe.path, json=probe.form, headers=headers)
        return client.post(probe.path, data=probe.form, headers=headers)

    def ask(self, probe: Probe) -> None:
        """Send a request and search the answer."""
        before = self.tables.store.latest(self.code)
        answer = self.send(probe)
        self.report.requests += 1
        self.report.routes.add(probe.endpoint)
        if answer.status_code >= 500:
            self.report.faults.append(f"{probe}: {answer.status_code}")
        if self.tables.store.latest(self.code) != before:
            self.follow()
        loose = probe.endpoint in RECORD and not (probe.endpoint in SHEETS and probe.target == "sheet")
        secrets = self.secrets(probe, now=not loose)
        self.report.secrets += len(secrets.names) + sum(len(h) for _, _, h in secrets.piles)
        self.note(probe, secrets.found_in(self.plain(probe, answer)))
        if answer.is_json:
            self.note(probe, self.structure(probe, answer.get_json()))

    def secrets(self, probe: Probe, *, now: bool) -> Secrets:
        found = self.oracle.secrets(self.game, probe.seat, now=now)
        found.words = {self.tables.row(self.code).seed}
        if probe.endpoint != "seats_page":
            found.words |= {word for seat, word in self.tokens.items() if seat != probe.seat}
        return found

    def plain(self, probe: Probe, answer: TestResponse) -> str:
        """The answer's headers and text, without what the request itself said."""
        text = answer.get_data(as_text=True) + "".join(f"{k}: {v}\n" for k, v in answer.headers)
        path = probe.path.partition("?")[0]
        if answer.status_code == 404:
            text = text.replace(f"&#39;{path.rpartition('/')[2]}&#39;", "")
        return text.replace(f"/t/{self.code}", "").replace(path, "")

    def note(self, probe: Probe, found: list[str]) -> None:
        for what in found:
            self.report.leaks.append(f"{self.code} r{self.tables.store.latest(self.code)} {probe}: {what}")

    def structure(self, probe: Probe, body: Any) -> list[str]:
        """What the JSON of the record holds although its event is hidden."""
        rows = body.get("events") if isinstance(body, dict) else None
        if rows is None:
            return self.view_leaks(probe.seat, body) if probe.endpoint == "table" else []
        found = []
        stored = {s.seq: s for s in self.tables.store.events(self.code)}
        for row in rows:
            item = stored[row["seq"]]
            only = item.body.get("only") or ()
            seen = row.get("body", row)
            found += [f"event {item.seq} shows {name}" for name in event_leaks(seen, only, probe.seat)]
            if only and probe.seat not in only:
                told = {str(v) for k, v in row.items() if k in {"name", "action", "act"} and v}
                found += [f"event {item.seq} names {t}" for t in told & {item.name, item.act}]
        return found

    def view_leaks(self, seat: str, view: dict[str, Any]) -> list[str]:
        """Marks, values and sealed choices in a seat's view that are not for it."""
        game, found = self.game, []
        for unit in view["units"]:
            for marker in unit.get("marks", {}):
                only = game.marks[unit["id"]][marker].only
                if only and seat not in only:
                    found.append(f"marker {marker} on {unit['id']}")
        for target, marks in view["hexes"].items():
            for marker in marks:
                only = game.marks[target][marker].only
                if only and seat not in only:
                    found.append(f"marker {marker} on {target}")
        shown = {row["id"] for row in (*view["tracks"], *view["dials"])}
        found += [f"value {name}" for name, only in game.hidden.items() if seat not in only and name in shown]
        sealed = {n: c[seat] for n, c in game.sealed.items() if seat in c}
        if json.dumps(view["my_sealed"], sort_keys=True) != json.dumps(sealed, sort_keys=True):
            found.append("sealed choices")
        return found

    def sound_out(self) -> None:
        """A hidden unit's name must be answered exactly as a name that nobody bears."""
        game = self.game
        seat = self.rng.choice([s for s in self.seats if s != "watch"])
        shown = lying_open(game, seat)
        hidden = [
            u
            for u in game.units.values()
            if u.id not in shown and u.name.startswith("Zq") and is_hidden(game, u, seat)
        ]
        rules = self.tables.system_of(self.code).rules
        asking = [
            (a.name, key)
            for a in rules.actions.values()
            for key, item in a.fields.items()
            if isinstance(item, UnitRef) and a.refusal(game, seat) is None
        ]
        if not hidden or not asking:
            return
        unit, (name, key) = self.rng.choice(hidden), self.rng.choice(asking)
        for true, false in ((unit.name, canary(99_999)), (unit.id, "-".join(("x9", *unit.id.split("-")[1:])))):
            answers = []
            for word in (true, false):
                probe = Probe(seat, "POST", f"/api/tables/{self.code}/actions/{name}?seat={seat}", {key: word})
                answer = self.send(probe)
                self.report.requests += 1
                text = answer.get_data(as_text=True)
                plain = re.sub(r" Did you mean [^?]*\?", "", text)  # which names are near depends on the letters
                answers.append((answer.status_code, plain.replace(word, "X").replace(word.lower(), "X")))
            if true and answers[0] != answers[1]:
                self.report.leaks.append(f"{seat} can tell {true!r} from {false!r} in {name} {key}: {answers}")
        self.follow()

    def stream(self) -> list[str]:
        """The first line of each seat's live stream."""
        found = []
        for seat in self.seats:
            answer = self.clients[seat].get(f"/t/{self.code}/{seat}/stream", buffered=False)
            first = next(iter(answer.response))
            answer.close()
            found.append(first.decode() if isinstance(first, bytes) else str(first))
        return found
