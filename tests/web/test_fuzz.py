"""Fuzz: every address, every method, every seat, with what nobody would send by accident. Never a 500, always soon.

The seed is fixed. COMPANION_FUZZ_ROUNDS=50 goes on for minutes; the default takes some seconds of `make test`.
"""

import inspect
import io
import json
import os
import random
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from flask import Flask
from jinja2 import FileSystemBytecodeCache
from toykit import Device
from werkzeug.routing import Rule

from companion.engine.errors import Mistake
from companion.engine.forms import fields as kinds
from companion.tables.tables import Tables
from companion.web.app import create_app
from companion.web.seats import token

ROUNDS = int(os.environ.get("COMPANION_FUZZ_ROUNDS", "1"))
SOON = 5.0
"""Seconds for one answer on the slowest and busiest machine; the caps keep it far below."""

TEXTS = [
    "", " ", "0", "-1", "1", "²", "٣", "9" * 400, "9" * 4400, "1e309", "NaN", "0x10", "null", "None", "x", "é", "😀",
    "Харьков", "\u202e\u0000", "\x7f\x1b[2J", "a\r\nSet-Cookie: x=1", "\n", "\t", "..", "../../etc/passwd", "%00", "%",
    "<b>", "'", '"', "{{7*7}}", "box:dead", "0303", "0303-0304", "crt", "red-guards", "Guards", "a" * 3000, "a," * 500,
    " ".join(["0303"] * 300), "=1+1", "[]", "{}", "true", "\udcff", "\ud800", "0303..0999", "1/2/3", "2d6", "99d99",
]  # fmt: skip
BYTES = ["%FF%FE", "%ED%A0%80", "%C3", "%00", "%0A", "%0D%0A", "%2F..%2F", "%F0%9F%98%80", "%u1234", "%"]
NAMES = [
    "rev", "before", "since", "show", "side", "kind", "map", "layer", "hex", "unit", "reach", "to", "text", "q", "quiet",
    "game", "code", "seat", "back", "action_id", "page", "said", "csv", "cells", "was", "at", "value", "key", "many", "do",
    "passphrase", "take", "answer", "reset", "columns", "rows", "title", "players", "options", "x", "f0", "name", "ask",
    "yes", "_asked", "marker", "units", "hexes", "reason", "out", "row", "column", "step", "skip", "dice", "system", "ſ",
]  # fmt: skip
JSON: list[Any] = [
    None, True, -1, 0, 1.5, 10**30, "", "x", [], {}, [[]], [None], ["0303"] * 800, {"a": {"b": []}}, float("inf"),
    "9" * 5000, ["x" * 200] * 50, {"": ""},
]  # fmt: skip
HEADERS = {
    "HX-Target": ["live", "sheet", "facts", "\xff", "x" * 2000],
    "HX-Request": ["true", "\xe9"],
    "If-None-Match": ['"', "*", "W/", '"3-red"', "\xff" * 40],
    "Authorization": ["Bearer", "Bearer ", "Bearer \xff\xfe", "Basic x", "Bearer " + "a" * 3000, "Bearer a.b.c"],
    "Accept": ["application/json", "\xff", "*/*;q=x"],
    "Accept-Encoding": ["gzip", "\xff", "gzip;q=nan"],
    "Content-Type": [
        "application/json", "application/x-www-form-urlencoded; charset=nonsense", "multipart/form-data",
        "multipart/form-data; boundary=", "multipart/form-data; boundary=\xff", "text/plain", "\xff", "a" * 500,
    ],
    "Range": ["bytes=0-1", "bytes=9-1", "lines=1"],
    "If-Modified-Since": ["yesterday", "\xff"],
    "Sec-Fetch-Site": ["same-origin", "cross-site", "\xff"],
}  # fmt: skip
METHODS = ("GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE")


HARD = [
    "",
    "-1",
    "9",
    "9" * 400,
    "9" * 4400,
    "\u00b2",
    "\u00e9",
    "\U0001f600",
    "0303",
    "x",
    "a\nb",
    "\ud800",
    "%",
]
"""The strangest values, each sent alone to every name that a page reads."""


READS = re.compile(
    r"""request\.(?:args|values|form|files)(?:\.get(?:list)?\(|\[)"(\w+)"|"(\w+)" in request\.(?:form|values|args)"""
)


def names_read(app: Flask, rule: Rule) -> tuple[list[str], list[str]]:
    """The names that a page takes from a request, and those that others of its module do; read off the source."""
    view = app.view_functions[rule.endpoint]
    module = inspect.getmodule(view)
    if module is None or not module.__name__.startswith("companion"):
        return [], []
    own = {"".join(found) for found in READS.findall(inspect.getsource(view))}
    others = {"".join(found) for found in READS.findall(inspect.getsource(module))}
    return sorted(own), sorted(others - own)


class Fuzzer:
    """Sends strange requests from the devices of one table, and looks at every answer."""

    def __init__(self, app: Flask, code: str, seed: int = 1942) -> None:
        self.app, self.code = app, code
        self.dice = random.Random(seed)
        sides = app.extensions["companion"]["tables"].game(code).sides
        self.devices = [Device(app, code), *(Device(app, code, seat) for seat in ("table", *sides))]
        app.extensions["companion"]["guesses"].burst = 10**9
        self.sent = 0
        self.slowest = (0.0, "")

    def text(self) -> str:
        return self.dice.choice(TEXTS)

    def path(self, rule: Rule, right: dict[str, str]) -> str:
        """An address of the route; each part is right, strange, or bytes that are no text."""
        path = rule.rule
        for name in rule.arguments:
            value = right.get(name, "x")
            chance = self.dice.random()
            if chance < 0.15:
                value = self.dice.choice(BYTES)
            elif chance < 0.3:
                value = quote(self.text()[:300].encode("utf-8", "surrogatepass"))
            for form in (f"<{name}>", f"<path:{name}>", f"<int:{name}>"):
                path = path.replace(form, value)
        return path

    def pairs(self, names: list[str]) -> list[tuple[str, str]]:
        chosen = self.dice.sample(names, min(len(names), self.dice.randrange(5)))
        return [(name, self.text()) for name in chosen for _ in range(self.dice.choice([1, 1, 2]))]

    def query(self) -> str:
        if self.dice.random() < 0.3:
            return f"?{self.dice.choice(NAMES)}={self.dice.choice(BYTES)}"
        found = [(n, quote(v[:900].encode("utf-8", "surrogatepass"))) for n, v in self.pairs(NAMES)]
        return "?" + "&".join(f"{quote(n)}={v}" for n, v in found)

    def body(self, names: list[str]) -> dict[str, Any]:
        """A form, a JSON body, an upload, or bytes."""
        kind = self.dice.randrange(4)
        if kind == 0:
            data = "&".join(f"{quote(n)}={quote(v.encode('utf-8', 'replace'))}" for n, v in self.pairs(names))
            return {"data": data, "content_type": "application/x-www-form-urlencoded"}
        if kind == 1:
            given = {n: self.dice.choice([*JSON, self.text()]) for n, _ in self.pairs(names)}
            whole = given if self.dice.random() < 0.9 else self.dice.choice(JSON)
            return {"data": json.dumps(whole), "content_type": "application/json"}
        if kind == 2:
            sent = self.dice.choice([b"", b"\xff\xfe\x00", b'{"companion": 1, "events": [[]]}', b"side,name\nred,=1\n",
                                     b"PK\x03\x04", b'"', b"[" * 5000, b"a,b\n" * 4000, b'{"kind": 1}'])  # fmt: skip
            file = (io.BytesIO(sent), self.dice.choice(["x.json", "é.csv", "..", ""]))
            rest = {n: v.encode("utf-8", "replace").decode() for n, v in self.pairs(names)}
            return {"data": {**rest, "file": file}, "content_type": "multipart/form-data"}
        raw = self.dice.choice(
            [b"", b"\xff" * 50, b"%", b"=&=&", b"{" * 2000, b"[" * 2000, b"a=%FF&b=%00", b"\0"]
        )
        return {"data": raw}

    def headers(self) -> dict[str, str]:
        chosen = self.dice.sample(list(HEADERS), self.dice.randrange(4))
        found = {name: self.dice.choice(HEADERS[name]) for name in chosen}
        return found if "Sec-Fetch-Site" in found else {"Origin": "http://localhost", **found}

    def send(
        self,
        path: str,
        method: str,
        names: list[str],
        *,
        device: Device | None = None,
        target: str = "",
        **more: Any,
    ) -> None:
        """One request; the app is in testing mode, so an unforeseen error is raised here.

        :param device: who sends it, with quite usual headers; any, with strange ones, when it is not given
        """
        if method in {"POST", "PUT"} and not more:
            more = self.body(names)
        usual = {"Origin": "http://localhost"} | (
            {"HX-Request": "true", "HX-Target": target} if target else {}
        )
        headers = usual if device else self.headers()
        device = device or self.dice.choice(self.devices)
        if "Content-Type" in headers and "content_type" in more:
            del headers["Content-Type"]
        client = device.client
        if self.dice.random() < 0.1:
            client = self.app.test_client(use_cookies=False)
            headers["Cookie"] = self.dice.choice(
                [
                    "book-key=\xe9",
                    f"seats-{self.code}=\xff.\xfe",
                    f"seats-{self.code}=" + "a." * 2000,
                    "=;=;",
                    "\xff",
                ]
            )
        begun = time.perf_counter()
        told = f"{method} {path[:200]!r} {device.seat} {headers} {str(more)[:300]}"
        try:
            answer = client.open(path, method=method, headers=headers, **more)
        except Exception as error:
            raise AssertionError(f"{told}: {type(error).__name__}: {error}") from error
        took = time.perf_counter() - begun
        assert answer.status_code < 500, (told, answer.text[:500])
        assert took < SOON, f"{took:.1f} s: {told}"
        self.sent += 1
        self.slowest = max(self.slowest, (took, told))
        answer.close()


# -- every address -------------------------------------------------------------------------------------------

RIGHT = {
    "seat": "table", "system": "toy", "scenario": "skirmish", "worksheet": "combat", "which": "red", "what": "shout",
    "pile": "deck", "token": "STUKA", "filename": "app.css", "kind": "chart", "text": "0303", "index": "0",
    "name": "roll-dice",
}  # fmt: skip


@pytest.fixture
def code(tables: Tables) -> str:
    code = tables.new("toy", "skirmish", {})
    tables.act(code, "table", "set-up", {})
    return code


def routes(app: Flask) -> Iterator[tuple[Rule, str]]:
    for rule in app.url_map.iter_rules():
        if rule.endpoint not in {
            "live.stream",
            "live.hall_stream",
            "play.leave",
        }:  # a stream does not end; who leaves cannot go on
            for method in METHODS:
                yield rule, method


def test_no_address_fails_whatever_is_sent(app: Flask, tables: Tables, code: str) -> None:
    fuzzer = Fuzzer(app, code)
    actions = list(tables.system_of(code).rules.actions)
    for _ in range(ROUNDS):
        for rule, method in routes(app):
            usual = method in (rule.methods or ())
            for _ in range(4 if usual and method in {"GET", "POST"} else 1):
                right = RIGHT | {"code": code, "seat": fuzzer.dice.choice(["table", "red", "blue", "watch"])}
                if "sheet" in rule.rule:
                    right["name"] = "combat"
                elif "/book/" in rule.rule:
                    right["name"] = "crt"
                elif fuzzer.dice.random() < 0.7:
                    right["name"] = fuzzer.dice.choice(actions)
                fuzzer.send(fuzzer.path(rule, right) + fuzzer.query(), method, NAMES)
    assert fuzzer.sent > 300
    assert Device(app, code, "red").get().status_code in {200, 403}


def test_no_name_that_a_page_reads_fails_whatever_it_holds(app: Flask, tables: Tables, code: str) -> None:
    fuzzer = Fuzzer(app, code)
    for rule in app.url_map.iter_rules():
        own, others = names_read(app, rule)
        if rule.endpoint in {"live.stream", "live.hall_stream", "play.leave"}:
            continue
        for name in (*own, *fuzzer.dice.sample(others, min(4, len(others)))):
            for value in fuzzer.dice.sample([*HARD, *BYTES[:4]], min(17, (5 if name in own else 1) * ROUNDS)):
                seat = fuzzer.dice.choice(["table", "red"])
                right = RIGHT | {"code": code, "seat": seat}
                right["name"] = (
                    "combat" if "sheet" in rule.rule else "crt" if "/book/" in rule.rule else "note"
                )
                path = rule.rule
                for part in rule.arguments:
                    path = re.sub(rf"<(\w+:)?{part}>", right.get(part, "x"), path)
                escaped = value if value in BYTES else quote(value.encode("utf-8", "surrogatepass"))
                device = next(d for d in fuzzer.devices if d.seat == seat)
                target = fuzzer.dice.choice(["", "live", "sheet"])
                if "GET" in (rule.methods or ()):
                    fuzzer.send(f"{path}?{name}={escaped}", "GET", [], device=device, target=target)
                if "POST" in (rule.methods or ()):
                    form = f"{name}={escaped}&text=x"
                    kind = "application/x-www-form-urlencoded"
                    fuzzer.send(path, "POST", [], device=device, target=target, data=form, content_type=kind)
    assert fuzzer.sent > 300


# -- every action of every game ------------------------------------------------------------------------------

FIRST = {
    "second-kharkov": "historical", "panzer-keil": "winter-1943", "enemy-action-kharkov": "campaign",
    "kharkov-battles": "january-campaign", "wb95": "kharkov-1942",
}  # fmt: skip


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    app = create_app(tmp_path_factory.mktemp("real"), testing=True)
    app.jinja_env.bytecode_cache = FileSystemBytecodeCache(str(tmp_path_factory.mktemp("templates")))
    yield app
    app.extensions["companion"]["store"].close()


def likely(fuzzer: Fuzzer, field: kinds.Field, ctx: kinds.Context) -> Any:
    """A value that the field may take, or any other."""
    dice = fuzzer.dice
    if dice.random() < 0.35:
        return dice.choice([*JSON, *TEXTS])
    if isinstance(field, kinds.Whole):
        return dice.choice([field.low, field.high, field.low - 1, field.high + 1, 1])
    if isinstance(field, kinds.Flag):
        return dice.choice([True, False, "yes", "on"])
    if isinstance(field, kinds.Choice | kinds.UnitRef | kinds.Tokens):
        try:
            values = [c["value"] for c in field.describe(ctx).get("choices", [])]
        except Mistake:
            values = []
        chosen = dice.sample(values, min(len(values), dice.randrange(1, 4)))
        return (chosen if getattr(field, "many", False) else chosen[0]) if chosen else fuzzer.text()
    if isinstance(field, kinds.HexId):
        hexes = list(ctx.game.maps.grids[0].ids) if ctx.game else ["0101"]
        return dice.sample(hexes, dice.randrange(1, 4)) if field.many else dice.choice(hexes)
    return fuzzer.text()


@pytest.mark.parametrize("system", FIRST)
def test_no_action_or_form_of_a_game_fails(real: Flask, system: str) -> None:
    tables: Tables = real.extensions["companion"]["tables"]
    code = tables.new(system, FIRST[system], {})
    rules = tables.system_of(code).rules
    if tables.game(code).roster:
        tables.act(code, "table", "set-up", {})
    fuzzer = Fuzzer(real, code, seed=len(system))
    seats = ("table", *tables.game(code).sides)
    phases = [p.id for p in tables.game(code).kit.phases]
    for round_ in range(ROUNDS):
        for number, (name, action) in enumerate(sorted(rules.actions.items())):
            if number % 7 == round_ % 7:  # another phase, so that other actions are open
                game = tables.game(code)
                there = {"turn": game.turn, "phase": fuzzer.dice.choice(action.phases or phases)}
                with suppress(Mistake):
                    tables.act(code, "table", "go-to", there, revision=game.revision)
            seat = fuzzer.dice.choice(seats)
            ctx = kinds.Context(tables.game(code), seat)
            body = {
                n: likely(fuzzer, f, ctx) for n, f in action.fields.items() if fuzzer.dice.random() < 0.85
            }
            if action.fresh:
                body["revision"] = tables.game(code).revision
            with real.test_request_context():
                bearer = token(code, seat)
            answer = real.test_client().post(
                f"/api/tables/{code}/actions/{name}",
                data=json.dumps(body),
                content_type="application/json",
                headers={"Authorization": f"Bearer {bearer}"},
            )
            assert answer.status_code < 500, (name, seat, body, answer.text)
            names = [*action.fields, "rev", "_asked"]
            what, method = fuzzer.dice.choice([("do", "GET"), ("preview", "POST"), ("do", "POST")])
            fuzzer.send(f"/t/{code}/{seat}/{what}/{name}", method, names)
        for name in rules.worksheets:
            names = list(rules.worksheets[name].fields)
            fuzzer.send(f"/t/{code}/{fuzzer.dice.choice(seats)}/sheet/{name}", "POST", names)
        for page in ("", "map", "units", "supply", "log", "takedown", "entry", "settings", "more"):
            for device in fuzzer.devices[1:]:
                assert device.get(page).status_code < 500
    assert fuzzer.sent > 40


# -- the API as it describes itself --------------------------------------------------------------------------


def generated(fuzzer: Fuzzer, schema: dict[str, Any]) -> Any:
    """A value of the schema's type, or now and then of another."""
    dice = fuzzer.dice
    if dice.random() < 0.25:
        return dice.choice([*JSON, fuzzer.text()])
    kind = schema.get("type", "string")
    if kind == "object":
        given = {
            n: generated(fuzzer, s) for n, s in schema.get("properties", {}).items() if dice.random() < 0.9
        }
        return given | ({"surplus": 1} if dice.random() < 0.1 else {})
    if kind == "integer":
        return dice.choice([0, 1, 2, 3, 6, 12, -1, 10**25])
    return dice.random() < 0.5 if kind == "boolean" else fuzzer.text() if kind == "string" else None


def test_the_described_api_never_fails(real: Flask, tmp_path: Path) -> None:
    tables: Tables = real.extensions["companion"]["tables"]
    code = tables.new("wb95", "kharkov-1942", {})
    fuzzer = Fuzzer(real, code, seed=3)
    document = real.test_client().get("/api/openapi.json").get_json()
    for _ in range(ROUNDS * 2):
        for path, operations in document["paths"].items():
            for method, operation in operations.items():
                address = path.replace("{code}", code).replace("{name}", "roll-dice")
                query = [p for p in operation.get("parameters", []) if p["in"] == "query"]
                values = [(p["name"], str(generated(fuzzer, p["schema"]))[:500]) for p in query]
                sent = "&".join(f"{n}={quote(v.encode('utf-8', 'replace'))}" for n, v in values)
                more = {}
                if "requestBody" in operation:
                    schema = operation["requestBody"]["content"]["application/json"]["schema"]
                    more = {"data": json.dumps(generated(fuzzer, schema)), "content_type": "application/json"}
                fuzzer.send(f"{address}?{sent}", method.upper(), [], **more)
    assert fuzzer.sent >= len(document["paths"])
