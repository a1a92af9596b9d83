"""What comes down the stream is the seat's own screen: only what changed, and never to a device that may not see it."""

import gzip
import re
import zlib
from typing import Any

import pytest
from flask import Flask
from sqlite_utils import Database
from toykit import Device

from companion.engine.record.events import Seated
from companion.tables.seating import carry_out
from companion.tables.tables import Tables
from companion.web import pushing
from companion.web.seats import token


@pytest.fixture
def code(tables: Tables) -> str:
    return tables.new("toy", "skirmish", {})


class Page:
    """A page of one seat with its stream, and what came down it."""

    def __init__(
        self, app: Flask, code: str, seat: str, device: Device | None = None, **headers: str
    ) -> None:
        self.device = device or Device(app, code, seat)
        self.address, self.name = f"/t/{code}/{seat}", f"page-{seat}"
        self.answer = self.device.client.get(
            f"{self.address}/stream?screen&page={self.name}", buffered=False, headers=headers
        )
        self.pieces = iter(self.answer.response)
        self.first = self.next()

    def next(self) -> str:
        piece: Any = next(self.pieces)
        return piece.decode() if isinstance(piece, bytes) else str(piece)

    def look(self, **headers: str) -> str:
        told = {"HX-Request": "true", "HX-Target": "live", "X-Page": self.name, **headers}
        return self.device.client.get(self.address, headers=told).text

    def post(self, action: str, target: str = "live", **fields: str) -> Any:
        told = {"HX-Request": "true", "HX-Target": target, "X-Page": self.name, "Origin": "http://localhost"}
        return self.device.client.post(f"{self.address}/do/{action}", data=fields, headers=told)

    def close(self) -> None:
        self.answer.close()


def parts_of(event: str) -> set[str]:
    return set(re.findall(r'data-part="([^"=]+)=', event))


def test_a_change_brings_the_parts_that_changed_and_says_what_they_fit_onto(
    app: Flask, tables: Tables, code: str
) -> None:
    page = Page(app, code, "red")
    first = tables.act(code, "red", "roll-dice", {"dice": "2d6"}).revision
    whole = page.next()
    assert whole.startswith(f"event: screen\ndata: * {first}\n") and {"head", "acts"} <= parts_of(whole)
    second = tables.act(code, "red", "roll-dice", {"dice": "2d6"}).revision
    changed = page.next()
    assert changed.startswith(f"event: screen\ndata: {first} {second}\n")
    assert "so_far" in parts_of(changed) and not {"head", "acts"} & parts_of(changed)
    assert all(line.startswith(("event: ", "data: ")) for line in changed.strip().splitlines())
    page.close()


def test_a_page_that_tells_what_it_shows_is_sent_only_changes_from_the_first(
    app: Flask, tables: Tables, code: str
) -> None:
    device = Device(app, code, "red")
    shown = device.client.get(f"/t/{code}/red").text
    told = " ".join(re.findall(r'data-part="([^"]+)"', shown))
    revision = tables.store.latest(code)
    query = {"screen": "", "page": "p", "rev": str(revision), "parts": told}
    answer = device.client.get(f"/t/{code}/red/stream", query_string=query, buffered=False)
    pieces = iter(answer.response)
    next(pieces)
    now = tables.act(code, "red", "roll-dice", {"dice": "2d6"}).revision
    pushed = next(pieces).decode()
    assert pushed.startswith(f"event: screen\ndata: {revision} {now}\n")
    assert "so_far" in parts_of(pushed) and not {"head", "acts"} & parts_of(pushed)
    answer.close()


def test_it_is_what_the_page_would_be_answered(app: Flask, tables: Tables, code: str) -> None:
    page = Page(app, code, "red")
    tables.act(code, "red", "roll-dice", {"dice": "2d6"})
    _, _, *lines = page.next().strip().split("\n")
    pushed = "\n".join(line.removeprefix("data: ") for line in lines)
    asked = page.look()
    assert [line.strip() for line in pushed.splitlines() if line.strip()] == [
        line.strip() for line in asked.splitlines() if line.strip()
    ]
    page.close()


@pytest.mark.parametrize("seat", ["blue", "table"])
def test_another_seat_s_secret_is_not_in_it(app: Flask, tables: Tables, code: str, seat: str) -> None:
    page = Page(app, code, seat)
    tables.act(code, "red", "whisper", {"text": "operation-kremlin"})
    pushed = page.next()
    assert pushed.startswith("event: screen") and "operation-kremlin" not in pushed
    page.close()


def test_the_seat_s_own_secret_is(app: Flask, tables: Tables, code: str) -> None:
    page = Page(app, code, "red")
    tables.act(code, "red", "whisper", {"text": "operation-kremlin"})
    assert "operation-kremlin" in page.next()
    page.close()


@pytest.mark.parametrize("change", ["reissue_seat", "revoke_seat"])
def test_a_device_whose_seat_was_closed_hears_only_that_something_happened(
    app: Flask, tables: Tables, code: str, change: str
) -> None:
    page = Page(app, code, "red")
    getattr(tables.store, change)(code, "red")
    revision = tables.act(code, "blue", "roll-dice", {"dice": "2d6"}).revision
    assert page.next() == f"event: rev\ndata: {revision}\n\n"
    page.close()


def test_a_device_that_players_share_asks_for_its_screen(app: Flask, tables: Tables, code: str) -> None:
    shared = Device(app, code, "red")
    with app.test_request_context():
        secret = token(code, "blue")
    shared.client.get(f"/j/{code}/{secret}")
    page = Page(app, code, "red", shared)
    revision = tables.act(code, "blue", "roll-dice", {"dice": "2d6"}).revision
    assert page.next() == f"event: rev\ndata: {revision}\n\n"
    page.close()


def test_a_page_that_is_being_answered_is_sent_nothing_besides(app: Flask, tables: Tables, code: str) -> None:
    page = Page(app, code, "red")
    answer = page.post("roll-dice", dice="2d6")
    assert 'id="live"' in answer.text
    shown = tables.store.latest(code)
    now = tables.act(code, "blue", "roll-dice", {"dice": "2d6"}).revision
    assert page.next().startswith(f"event: screen\ndata: {shown} {now}\n"), "the answer is what it fits onto"
    page.close()


def test_a_sheet_that_closes_leaves_the_screen_to_the_stream(app: Flask, tables: Tables, code: str) -> None:
    page = Page(app, code, "red")
    done = page.post("roll-dice", "sheet", dice="2d6")
    now = tables.store.latest(code)
    assert done.headers["HX-Trigger"] == f'{{"table-moved": {{"rev": {now}}}}}'
    assert page.next().startswith(f"event: screen\ndata: * {now}\n")
    page.close()
    alone = page.post("roll-dice", "sheet", dice="2d6")
    assert alone.headers["HX-Trigger"] == "table-changed", "without a stream the page asks"


def test_a_screen_that_cannot_be_drawn_is_asked_for(
    app: Flask, tables: Tables, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Page(app, code, "red")

    def broken(visit: Any) -> str:
        raise RuntimeError("no ink")

    monkeypatch.setattr(pushing, "screen", broken)
    revision = tables.act(code, "red", "roll-dice", {"dice": "2d6"}).revision
    assert page.next() == f"event: rev\ndata: {revision}\n\n"
    page.close()


def test_nothing_is_left_of_a_page_that_went(app: Flask, code: str) -> None:
    page = Page(app, code, "red")
    assert app.extensions["companion"]["pages"]._showing
    page.close()
    assert not app.extensions["companion"]["pages"]._showing


def test_the_stream_is_packed_piece_by_piece(app: Flask, tables: Tables, code: str) -> None:
    device = Device(app, code, "red")
    answer = device.client.get(
        f"/t/{code}/red/stream?screen&page=p", buffered=False, headers={"Accept-Encoding": "gzip"}
    )
    assert answer.headers["Content-Encoding"] == "gzip"
    pieces, unpack = iter(answer.response), zlib.decompressobj(47)
    assert unpack.decompress(next(pieces)) == b""
    assert unpack.decompress(next(pieces)).startswith(b"retry:")
    tables.act(code, "red", "roll-dice", {"dice": "2d6"})
    piece = next(pieces)
    text = unpack.decompress(piece)
    assert text.startswith(b"event: screen") and text.endswith(b"\n\n") and len(piece) < len(text) / 2
    assert len(piece) < 1.1 * len(gzip.compress(text, 3))
    before = len(piece)
    for _ in range(3):
        tables.act(code, "red", "roll-dice", {"dice": "2d6"})
        piece = next(pieces)
        text = unpack.decompress(piece)
        assert text.startswith(b"event: screen") and text.endswith(b"\n\n")
    assert len(piece) < len(gzip.compress(text, 5)) / 2 < before, "what was sent before is not sent again"
    answer.close()


def test_whatever_ends_a_line_of_a_screen_ends_one_of_the_stream(
    app: Flask, tables: Tables, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A typed text may bring any of them along, and a line without its name would be lost."""
    page = Page(app, code, "red")
    drawn = pushing.screen
    monkeypatch.setattr(pushing, "screen", lambda visit: b"<p>a\r\nb\rc\n\nd</p>\n%b\n" % drawn(visit))
    tables.act(code, "red", "note", {"text": "on"})
    event = page.next()
    assert "data: <p>a\ndata: b\ndata: c\ndata: \ndata: d</p>\n" in event and "\r" not in event
    assert event.endswith("\n\n") and "\n\n" not in event[:-2]
    page.close()


def test_a_push_asks_the_store_once(
    app: Flask, tables: Tables, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which seats are open, and how far the table has come: asked by whoever comes first. The rest was read before."""
    pages = [Page(app, code, "red"), Page(app, code, "blue")]
    for _ in range(2):
        tables.act(code, "red", "note", {"text": "on"})
        for page in pages:
            page.next()
    tables.act(code, "red", "note", {"text": "on"})
    asked = []
    execute = Database.execute
    monkeypatch.setattr(
        Database, "execute", lambda db, sql, *args: asked.append(sql) or execute(db, sql, *args)
    )
    pages[0].next()
    assert len(asked) == 1
    pages[1].next()
    assert len(asked) == 1
    for page in pages:
        page.close()


def test_what_was_read_for_an_act_spares_its_pushes_the_store(
    app: Flask, tables: Tables, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, other = Page(app, code, "red"), Page(app, code, "blue")
    for _ in range(2):
        mine.post("note", text="on")
        other.next()
    mine.post("note", text="on")
    asked = []
    execute = Database.execute
    monkeypatch.setattr(
        Database, "execute", lambda db, sql, *args: asked.append(sql) or execute(db, sql, *args)
    )
    assert other.next().startswith("event: screen") and not asked
    mine.close()
    other.close()


@pytest.mark.parametrize("what", ["closed", "new-code"])
def test_a_seat_that_was_closed_meanwhile_is_sent_nothing_by_another_s_act(
    app: Flask, tables: Tables, code: str, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read for the act is handed on only where the act was the very next thing that happened."""
    mine, other = Page(app, code, "red"), Page(app, code, "blue")
    mine.post("note", text="on")
    other.next()
    act = Tables.act

    def closed_before(here: Tables, *args: Any, **named: Any) -> Any:
        with here.store.transaction(code) as tx:
            line = Seated("blue", what)
            tx.append(
                [line.to_json()], at="", seat="table", act=what, name="seats", stream=tx.stream, answer={}
            )
            carry_out(tx, [line])
        return act(here, *args, **named)

    monkeypatch.setattr(Tables, "act", closed_before)
    mine.post("note", text="on")
    assert [other.next().split("\n")[0] for _ in range(2)] == ["event: rev"] * 2
    mine.close()
    other.close()
