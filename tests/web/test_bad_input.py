"""Bad input: whatever is sent to whatever address, the answer is a clear refusal, and nothing is lost."""

import html
import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from toykit import Device
from werkzeug.routing import Rule

from companion.store import StoreBusy
from companion.tables.tables import Tables
from companion.tables.transfer import export_table

HTML = '<script>alert("x")</script><img src=x onerror=alert(1)>'


@pytest.fixture
def code(tables: Tables) -> str:
    code = tables.new("toy", "skirmish", {}, HTML[:80])
    tables.act(code, "table", "set-up", {})
    return code


# -- a fuzzer over every address -----------------------------------------------------------------------------

STRANGE = [
    "x",
    "0",
    "-1",
    "²",
    "9" * 400,
    "😀",
    "<b>",
    "..",
    "%00",
    "a b",
    "null",
    "box:dead",
    "0303",
    "crt",
    "cards",
]


def addresses(rule: Rule, code: str, strange: str) -> Iterator[str]:
    """An address of a route with one part strange and the others right, for each part."""
    right: dict[str, Any] = {
        "code": code, "seat": "table", "system": "toy", "scenario": "skirmish", "name": "roll-dice",
        "worksheet": "combat", "which": "red", "what": "reissue", "pile": "deck", "token": "STUKA", "filename": "app.css",
        "chart": "crt", "book": "cards", "hex": "0303", "hex_id": "0303",
    }  # fmt: skip
    for wrong in [None, *sorted(rule.arguments)]:
        values = {name: strange if name == wrong else right.get(name, strange) for name in rule.arguments}
        path = rule.rule
        for name, value in values.items():
            for form in (f"<{name}>", f"<path:{name}>", f"<int:{name}>"):
                path = path.replace(form, value.replace(" ", "%20").replace("<", "%3C").replace(">", "%3E"))
        yield path


@pytest.mark.parametrize("strange", STRANGE)
def test_no_address_ever_crashes(app: Flask, code: str, strange: str) -> None:
    """The app is in testing mode, so an unforeseen error would be raised here, not answered with 500."""
    guest, host = Device(app, code), Device(app, code, "table")
    app.extensions["companion"]["guesses"].burst = 10**6
    tried = 0
    for rule in app.url_map.iter_rules():
        for path in dict.fromkeys(addresses(rule, code, strange)):
            if path.endswith("/stream") or rule.endpoint == "seatpages.change_seat":
                continue  # a stream does not end; seats have their own tests
            for device in (guest, host):
                if "GET" in (rule.methods or ()):
                    answer = device.get(
                        f"{path}?rev={strange}&before={strange}&since={strange}&show={strange}"
                    )
                    assert answer.status_code < 500, (path, answer.text)
                    answer.close()
                if "POST" in (rule.methods or ()) and not path.endswith("/leave"):
                    answer = device.post(path, text=strange, rev=strange, hex=strange, cells=strange)
                    assert answer.status_code < 500, (path, answer.text)
                tried += 1
    assert tried > 60
    assert host.get().status_code in {200, 403}


def test_what_needs_a_number_takes_none_for_an_answer(red: Device) -> None:
    for rev in ("²", "9" * 5000, "-1", "1.5", ""):
        assert red.do("roll-dice", rev=rev).status_code == 303
        assert red.do("next-phase", rev=rev).status_code in {403, 409}
    assert red.get("log?before=" + "9" * 400).status_code == 200
    assert red.get("log?before=-5").status_code == 200


# -- unknown things ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/t/ZZZZ", 404, "there is no table 'ZZZZ'"),
        ("/t/ZZZZ/watch", 404, "there is no table 'ZZZZ'"),
        ("/t/ZZZZ/watch/log", 404, "there is no table 'ZZZZ'"),
        ("/t/ZZZZ/red/do/roll-dice", 404, "there is no table 'ZZZZ'"),
        ("/j/ZZZZ/secret", 404, "there is no table 'ZZZZ'"),
        ("/new/tyo/skirmish", 404, "there is no game 'tyo'"),
        ("/new/toy/d-day", 404, "has no scenario 'd-day': skirmish"),
        ("/nowhere", 404, "There is no page /nowhere"),
        ("/t/{code}/green", 404, "There is no seat 'green' at table {code}: table, red, blue or watch"),
        ("/t/{code}/red/do/dance", 404, "there is no action 'dance' in this game"),
        ("/t/{code}/red/sheet/dance", 404, "There is no worksheet 'dance'"),
        ("/t/{code}/red/card/deck/ACE", 404, "There is no card 'ACE' in your hand"),
        ("/t/{code}/red/do/fight", 409, "Fight belongs to Red Movement or Blue Movement"),
        ("/t/{code}/red/do/ring", 403, "Ring the bell is done on the table's own screen"),
    ],
)
def test_an_unknown_or_wrong_thing_is_named(
    red: Device, code: str, path: str, status: int, words: str
) -> None:
    answer = red.get(path.format(code=code))
    assert answer.status_code == status
    assert words.format(code=code) in html.unescape(answer.text)


@pytest.mark.parametrize(
    ("action", "form", "words"),
    [
        ("place-unit", {"unit": "Gaurds", "hex": "0404"}, "Did you mean Guards"),
        ("place-unit", {"unit": "Guards", "hex": "9999"}, "9999"),
        ("play-card", {"card": "ACE"}, "'ACE' is not there"),
        ("mark", {"marker": "fort", "hexes": "0303", "value": "seven"}, "is not a value of this marker"),
        ("correct", {"name": "vp", "value": "many"}, "'many' is not a whole number from 0 to 20"),
        ("note", {"text": "x" * 10_000}, "10000 characters are too many: at most 500"),
    ],
)
def test_a_form_with_an_unknown_thing_comes_back_with_the_reason(
    red: Device, action: str, form: dict[str, str], words: str
) -> None:
    answer = red.do(action, **form)
    assert answer.status_code == 422
    assert words in html.unescape(answer.text)


# -- text ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", [HTML, "😀 Привет, Харьков", "{{ 7 * 7 }}", "'; drop table event; --", "a\nb", "%s %d {0}"]
)
def test_any_text_is_kept_as_text(red: Device, tables: Tables, code: str, text: str) -> None:
    assert red.do("note", text=text).status_code == 303
    assert tables.log(code, "red")[0].lines == [text]
    page = red.get("log").text
    assert text in html.unescape(page)
    assert "<" not in text or text not in page, "it is escaped"


@pytest.mark.parametrize("part", ["", "log", "units", "settings", "more", "map"])
def test_html_is_never_let_loose(app: Flask, tables: Tables, code: str, part: str) -> None:
    tables.act(code, "red", "note", {"text": HTML})
    tables.act(code, "red", "add-unit", {"side": "red", "name": HTML[:40], "kind": HTML[:30], "hex": "0909"})
    tables.act(code, "red", "roll-dice", {"purpose": HTML})
    for seat in ("red", "table"):
        text = Device(app, code, seat).get(part).text
        assert "<script>alert" not in text and "<img src=x" not in text
    lobby = Device(app).get("/").text
    assert "<script>alert" not in lobby and "&lt;script&gt;" in lobby


@pytest.mark.parametrize(
    "path",
    [
        "/t/{code}/<script>alert(1)</script>",
        "/new/<script>alert(1)</script>/x",
        "/<script>alert(1)</script>",
        "/join?code=<script>alert(1)</script>",
    ],
)
def test_an_error_page_does_not_echo_html(red: Device, code: str, path: str) -> None:
    answer = red.get(path.format(code=code))
    assert answer.status_code in {403, 404}
    assert "<script>alert" not in answer.text


# -- import --------------------------------------------------------------------------------------------------


def sent(device: Device, name: str, data: bytes) -> Any:
    return device.client.post(
        "/import", data={"file": (io.BytesIO(data), name)}, headers={"Origin": "http://localhost"}
    )


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("", b"", "Choose a file first"),
        ("photo.jpg", b"\xff\xd8\xff", "photo.jpg is not a companion export"),
        ("half.json", b'{"companion": 1, "events": [', "cut off on the way"),
        ("other.json", b"{}", "not a companion export"),
        ("old.json", b'{"companion": 0, "events": []}', "format 0"),
    ],
)
def test_a_file_that_is_no_game_is_refused_in_the_lobby(
    app: Flask, tables: Tables, name: str, data: bytes, words: str
) -> None:
    answer = sent(Device(app), name, data)
    assert answer.status_code == 422
    assert words in html.unescape(answer.text)
    assert tables.store.tables() == []


def test_a_game_is_restored_from_the_lobby(app: Flask, tables: Tables, code: str) -> None:
    device = Device(app)
    answer = sent(device, "game.json", json.dumps(export_table(tables, code)).encode())
    assert answer.status_code == 303
    assert device.get(answer.headers["Location"]).status_code == 200
    assert len(tables.store.tables()) == 2


# -- a disk in trouble ---------------------------------------------------------------------------------------


def test_a_full_disk_is_told_and_loses_nothing_acknowledged(
    app: Flask, red: Device, tables: Tables, code: str
) -> None:
    red.do("note", text="before")
    with tables.store._pool.writing() as db:  # type: ignore[attr-defined]
        pages = db.execute("pragma page_count").fetchone()[0]
        db.execute(f"pragma max_page_count = {pages}")
    statuses = set()
    for n in range(200):
        answer = red.do("note", text=f"{n} " + "x" * 400)
        statuses.add(answer.status_code)
        if answer.status_code != 303:
            assert "disk is full" in html.unescape(answer.text) and "companion.db" not in answer.text
            break
    assert statuses == {303, 507}
    kept = [item.body["text"] for item in tables.store.events(code) if item.kind == "noted"]
    assert kept[0] == "before" and len(kept) == n + 1
    assert red.get().status_code == 200, "what is there can still be read"


def test_a_locked_file_is_told(
    app: Flask, red: Device, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(code: str) -> Any:
        raise StoreBusy("/srv/data/companion.db is locked by another program: close it, or try again")

    monkeypatch.setattr(tables.store, "transaction", locked)
    answer = red.do("roll-dice")
    assert answer.status_code == 503 and "in use by another program" in answer.text
    assert "/srv/data" not in answer.text, "no path of this machine reaches a phone"
