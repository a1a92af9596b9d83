"""The crawl itself: what every seat is answered between the moves of a random game, searched for secrets.

Longer than in the tests: COMPANION_CRAWL_STEPS=500, or `Crawl(app, "wb95", "black-snow").run(500, 10)`.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from flask import Flask
from werkzeug.test import TestResponse

from companion.engine.forms.fields import UnitRef
from companion.engine.record.game import Game
from companion.tables.sealing import restore_key
from companion.tables.tables import Tables
from companion.web.seats import token
from crawl.canaries import canary, is_canary, put_out, with_faces
from crawl.oracle import Oracle, Secrets, event_leaks, is_hidden, lying_open
from crawl.player import Player
from crawl.probes import Probe, Prober

RECORD = {"seat_page", "log_page", "more_page", "settings_page", "export", "events", "table", "worksheet_page",
          "seats_page", "card_page", "do_action", "action_form", "action_preview"}  # fmt: skip
"""Pages that may tell what was seen before: they show the log, the last result, or what waits."""
SHEETS = {"do_action", "action_form", "action_preview", "card_page"}
"""Those of them that a sheet shows without the rest of the page."""


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
        app.config["PROPAGATE_EXCEPTIONS"] = False  # a fault is an answer to be searched, and to be reported
        self.tables: Tables = app.extensions["companion"]["tables"]
        self.rng = random.Random(f"{system} {scenario} {seed}")
        self.report = Report()
        found = self.tables.system(system)
        with_faces(found, self.tables.book(found))
        self.system, self.scenario = system, scenario
        self.sit_down()

    def sit_down(self) -> None:
        """A new table with its units, and a device at every seat."""
        with patch("companion.tables.tables.secrets.token_hex", lambda size: self.rng.randbytes(size).hex()):
            self.code = self.tables.new(self.system, self.scenario, {})  # the same dice every time
        if self.game.roster:
            self.tables.act(self.code, "table", "set-up", {})
        put_out(self.tables, self.code, self.rng)
        self.seats = ("table", *self.game.sides, "watch")
        self.oracle = Oracle(self.seats)
        self.player = Player(self.tables, self.code, self.rng)
        self.prober = Prober(self.app, self.player, self.seats, self.rng)
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
            self.move()
            if self.game.record_open:  # an ended game may lie open: on to the next
                self.sit_down()
            self.follow()
            for probe in self.prober.next(probes):
                self.ask(probe)
            self.sound_out()
        self.listen()
        return self.report

    def move(self) -> None:
        """One move that the table lets happen, within a few attempts."""
        for _ in range(6):
            try:
                moved = self.player.step()
            except Exception as fault:  # noqa: BLE001 - any is reported, and the crawl goes on
                self.report.faults.append(f"{self.system} {self.player.doing}: {fault!r}")
                continue
            if moved:
                self.report.steps += 1
                return

    def follow(self) -> None:
        self.oracle.follow(self.game, self.tables.store.events(self.code, self.oracle.read))

    # -- looking -----------------------------------------------------------------------------------------

    def send(self, probe: Probe) -> TestResponse:
        headers = {"Origin": "http://localhost"}
        if probe.target:
            headers |= {"HX-Request": "true", "HX-Target": probe.target}
        client = self.clients[probe.seat]
        self.report.requests += 1
        if probe.method == "GET":
            return client.get(probe.path, headers=headers)
        if probe.path.startswith("/api/"):
            return client.post(probe.path, json=probe.form, headers=headers)
        return client.post(probe.path, data=probe.form, headers=headers)

    def ask(self, probe: Probe) -> None:
        """Send a request and search the answer."""
        before = self.tables.store.latest(self.code)
        answer = self.send(probe)
        self.report.routes.add(probe.endpoint)
        if answer.status_code >= 500:
            self.report.faults.append(f"{probe}: {answer.status_code}")
        if self.tables.store.latest(self.code) != before:
            self.follow()
        if self.game.record_open:
            return
        sheet = probe.endpoint in SHEETS and probe.target == "sheet"
        secrets = self.secrets(probe, now=sheet or probe.endpoint not in RECORD)
        self.report.secrets += len(secrets.names) + sum(len(hidden) for _, _, hidden in secrets.piles)
        self.note(probe, secrets.found_in(self.plain(probe, answer)))
        if answer.is_json:
            self.note(probe, self.structure(probe, answer.get_json()))

    def secrets(self, probe: Probe, *, now: bool) -> Secrets:
        found = self.oracle.secrets(self.game, probe.seat, now=now)
        found.words = {self.tables.row(self.code).seed}
        found.words |= {word for seat, word in self.tokens.items() if seat != probe.seat}
        secret: bytes = self.app.extensions["companion"]["secret"]
        others = [side for side in self.game.sides if side != probe.seat]
        found.words |= {restore_key(secret, self.code, side) for side in others}
        return found

    def plain(self, probe: Probe, answer: TestResponse) -> str:
        """The answer's headers and text, without what the request itself said."""
        text = answer.get_data(as_text=True) + "".join(f"{k}: {v}\n" for k, v in answer.headers)
        path = probe.path.partition("?")[0]
        if answer.status_code == 404:
            text = text.replace(f"&#39;{path.rpartition('/')[2]}&#39;", "")
        return text.replace(path, "")

    def note(self, probe: Probe, found: list[str]) -> None:
        for what in found:
            self.report.leaks.append(f"r{self.tables.store.latest(self.code)} {probe}: {what}")

    def structure(self, probe: Probe, body: Any) -> list[str]:
        """What JSON holds although its event, marker, value or choice is hidden."""
        if probe.endpoint == "table":
            return self.view_leaks(probe.seat, body)
        if probe.endpoint not in {"events", "export"} or "events" not in body:
            return []
        found = []
        stored = {s.seq: s for s in self.tables.store.events(self.code)}
        for row in body["events"]:
            item = stored[row["seq"]]
            only = item.body.get("only") or ()
            found += [
                f"event {item.seq} shows {name}"
                for name in event_leaks(row.get("body", row), only, probe.seat)
            ]
            if only and probe.seat not in only:
                told = {str(v) for k, v in row.items() if k in {"name", "action", "act"} and v}
                found += [f"event {item.seq} names {word}" for word in told & {item.name, item.act}]
        return found

    def view_leaks(self, seat: str, view: dict[str, Any]) -> list[str]:
        """Marks, values and sealed choices in a seat's view that are not for it."""
        game, found = self.game, []
        shown = {u["id"]: u.get("marks", {}) for u in view["units"]} | view["hexes"]
        for target, marks in shown.items():
            for marker in marks:
                only = game.marks[target][marker].only
                if only and seat not in only:
                    found.append(f"marker {marker} on {target}")
        values = {row["id"] for row in (*view["tracks"], *view["dials"])}
        found += [
            f"value {name}" for name, only in game.hidden.items() if seat not in only and name in values
        ]
        sealed = {name: choices[seat] for name, choices in game.sealed.items() if seat in choices}
        if json.dumps(view["my_sealed"], sort_keys=True) != json.dumps(sealed, sort_keys=True):
            found.append("sealed choices")
        return found

    def sound_out(self) -> None:
        """A hidden unit's name must be answered exactly as a name that nobody bears."""
        game = self.game
        seat = self.rng.choice([s for s in self.seats if s != "watch"])
        open_now = lying_open(game, seat)
        hidden = [
            u
            for u in game.units.values()
            if is_canary(u.name) and u.id not in open_now and is_hidden(game, u, seat)
        ]
        asking = [
            (action.name, key)
            for action in self.tables.system_of(self.code).rules.actions.values()
            for key, item in action.fields.items()
            if isinstance(item, UnitRef) and action.refusal(game, seat) is None
        ]
        if not hidden or not asking:
            return
        unit, (name, key) = self.rng.choice(hidden), self.rng.choice(asking)
        nobody = "-".join(("x9", *unit.id.split("-")[1:]))
        for true, false in ((unit.name, canary(99_999)), (unit.id, nobody)):
            first, second = (self.answer_to(seat, name, key, word) for word in (true, false))
            if first != second:
                self.report.leaks.append(f"{seat} can tell {true} from {false} by {name} {key}: {first}")
        self.follow()

    def answer_to(self, seat: str, name: str, key: str, word: str) -> tuple[int, str]:
        """How an action answers to a name, without the name itself and without names that resemble it."""
        path = f"/api/tables/{self.code}/actions/{name}?seat={seat}"
        answer = self.send(Probe(seat, "POST", path, {key: word}))
        plain = re.sub(r" Did you mean [^?]*\?", "", answer.get_data(as_text=True))
        return answer.status_code, plain.replace(word, "X")

    def listen(self) -> None:
        """The live stream tells a number and nothing else."""
        for seat in self.seats:
            answer = self.clients[seat].get(f"/t/{self.code}/{seat}/stream", buffered=False)
            first = next(iter(answer.response))
            answer.close()
            text = first.decode() if isinstance(first, bytes) else str(first)
            if not re.fullmatch(r"retry: \d+\nevent: rev\ndata: \d+\n\n", text):
                self.report.leaks.append(f"{seat} stream: {text}")
            self.report.routes.add("stream")

    def reuse_ids(self) -> list[str]:
        """What is answered to the id of another seat's action; it must not say what that was."""
        told = []
        for item in {s.act: s for s in self.tables.store.events(self.code)}.values():
            for seat in self.tokens:
                if seat != item.seat:
                    path = f"/api/tables/{self.code}/actions/note?seat={seat}"
                    answer = self.send(Probe(seat, "POST", path, {"text": "x", "action_id": item.act}))
                    text = answer.get_data(as_text=True).replace(item.act, "")
                    if answer.status_code != 409 or item.name in text or item.seat in text:
                        told.append(f"{seat}: {text}")
        return told
