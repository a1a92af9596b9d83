"""The live stream: it carries the revision, pokes on change, and cleans up behind every device that leaves."""

import threading
from typing import Any

import pytest
from flask import Flask
from toykit import Device

from companion.tables.tables import Tables
from companion.web import live, telling
from companion.web.live import STREAMS_PER_SEAT, WATCHERS_PER_TABLE, Hub, Page


@pytest.fixture
def hub(app: Flask) -> Hub:
    found: Hub = app.extensions["companion"]["hub"]
    return found


@pytest.fixture
def code(tables: Tables) -> str:
    return tables.new("toy", "skirmish", {})


class Stream:
    """One open stream, read piece by piece."""

    def __init__(self, app: Flask, code: str, page: str = "", seat: str = "watch") -> None:
        client = Device(app, code, seat).client if seat != "watch" else app.test_client()
        query = f"?page={page}" if page else ""
        self.answer = client.get(f"/t/{code}/{seat}/stream{query}", buffered=False)
        self.pieces = iter(self.answer.response)

    def next(self) -> str:
        piece: Any = next(self.pieces)
        return piece.decode() if isinstance(piece, bytes) else str(piece)

    def close(self) -> None:
        self.answer.close()


def test_the_first_piece_is_the_revision(app: Flask, tables: Tables, code: str) -> None:
    stream = Stream(app, code)
    assert stream.answer.mimetype == "text/event-stream"
    assert stream.answer.headers["Cache-Control"] == "no-store"
    assert stream.next() == f"retry: 2000\nevent: rev\ndata: {tables.store.latest(code)}\n\n"
    stream.close()


@pytest.mark.parametrize("seat", ["red", "table", "watch"])
def test_a_change_pokes_every_seat_with_the_revision_and_nothing_else(
    app: Flask, tables: Tables, code: str, seat: str
) -> None:
    stream = Stream(app, code, seat=seat)
    stream.next()
    revision = tables.act(code, "red", "whisper", {"text": "operation-kremlin"}).revision
    assert stream.next() == f"event: rev\ndata: {revision}\n\n"
    stream.close()


def test_a_change_of_another_table_is_none_of_its_business(app: Flask, tables: Tables, code: str) -> None:
    other = tables.new("toy", "skirmish", {})
    stream = Stream(app, code)
    stream.next()
    tables.act(other, "red", "roll-dice", {})
    revision = tables.act(code, "red", "roll-dice", {}).revision
    assert f"data: {revision}" in stream.next()
    stream.close()


def test_old_news_is_not_repeated(app: Flask, tables: Tables, hub: Hub, code: str) -> None:
    stream = Stream(app, code)
    stream.next()
    now = tables.store.latest(code)
    for revision in (now - 1, now, now + 2, now + 1, now + 3):
        hub.tell(code, revision)
    assert [stream.next(), stream.next()] == [f"event: rev\ndata: {n}\n\n" for n in (now + 2, now + 3)]
    stream.close()


def test_a_quiet_table_still_beats(
    app: Flask, tables: Tables, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telling, "BEAT", 0.01)
    stream = Stream(app, code)
    stream.next()
    assert stream.next() == f"event: beat\ndata: {tables.store.latest(code)}\n\n"
    stream.close()


@pytest.mark.parametrize("read", [0, 1])
def test_leaving_cleans_up_even_before_the_first_piece(app: Flask, hub: Hub, code: str, read: int) -> None:
    stream = Stream(app, code)
    for _ in range(read):
        stream.next()
    assert hub.count() == 1
    stream.close()
    assert hub.count() == 0
    assert hub._listeners == {}


def test_a_page_that_comes_back_replaces_its_own_old_stream(app: Flask, hub: Hub, code: str) -> None:
    old = Stream(app, code, "tablet")
    old.next()
    new = Stream(app, code, "tablet")
    new.next()
    assert hub.count() == 1
    assert list(old.pieces) == [], "the old one ends"
    old.close()
    assert hub.count() == 1, "its end does not take the new one along"
    new.close()
    assert hub.count() == 0


def test_devices_without_a_page_name_do_not_push_each_other_out(app: Flask, hub: Hub, code: str) -> None:
    streams = [Stream(app, code) for _ in range(3)]
    assert hub.count() == 3
    for stream in streams:
        stream.close()


def test_too_many_watchers_end_the_oldest(app: Flask, hub: Hub, code: str) -> None:
    streams = [Stream(app, code, f"page-{n}") for n in range(WATCHERS_PER_TABLE + 1)]
    assert hub.count() == WATCHERS_PER_TABLE
    streams[0].next()
    assert list(streams[0].pieces) == []
    assert "event: rev" in streams[1].next()
    for stream in streams:
        stream.close()
    assert hub.count() == 0


def test_watchers_never_end_a_seats_stream(hub: Hub, code: str) -> None:
    seats = [
        hub.join(code, Page(seat, "", f"phone-{n}")) for seat in ("table", "red", "blue") for n in range(5)
    ]
    for n in range(10 * WATCHERS_PER_TABLE):
        hub.join(code, Page("watch", f"10.0.0.{n % 200}", f"page-{n}"))
    assert all(mine.empty() for mine in seats)
    assert hub.count() == len(seats) + WATCHERS_PER_TABLE


def test_one_device_that_floods_ends_its_own_streams(hub: Hub, code: str) -> None:
    others = [hub.join(code, Page("watch", f"10.0.0.{n}", "page")) for n in range(WATCHERS_PER_TABLE // 2)]
    for n in range(5 * WATCHERS_PER_TABLE):
        hub.join(code, Page("watch", "10.0.0.250", f"page-{n}"))
    assert all(mine.empty() for mine in others)
    latecomer = hub.join(code, Page("watch", "10.0.0.99", "page"))
    assert latecomer.empty() and all(mine.empty() for mine in others)


def test_a_seat_that_floods_ends_its_own_streams(hub: Hub, code: str) -> None:
    red = hub.join(code, Page("red", "", "phone"))
    blue = [hub.join(code, Page("blue", "", f"page-{n}")) for n in range(3 * STREAMS_PER_SEAT)]
    assert red.empty() and blue[-1].empty() and blue[0].get_nowait() is None
    assert hub.count() == 1 + STREAMS_PER_SEAT


def test_knowing_a_pages_name_ends_nobody_elses_stream(app: Flask, hub: Hub, code: str) -> None:
    red = Stream(app, code, "phone", seat="red")
    strangers = [
        Stream(app, code, "phone"),
        Stream(app, code, "phone", seat="blue"),
        Stream(app, code, "phone"),
    ]
    assert hub.count() == 3, "red's, blue's and the last of the watcher's"
    hub.tell(code, 10**6)
    while "data: 1000000" not in (line := red.next()):
        assert "event: rev" in line, "those who joined meanwhile"
    for stream in (red, *strangers):
        stream.close()


def test_watchers_at_other_addresses_may_have_the_same_page_name(hub: Hub, code: str) -> None:
    first = hub.join(code, Page("watch", "10.0.0.1", "phone"))
    hub.join(code, Page("watch", "10.0.0.2", "phone"))
    assert first.empty()


def test_streams_end_when_the_data_folder_is_gone(app: Flask, hub: Hub, code: str) -> None:
    """A stream that went on beating would say that all is well."""
    stream = Stream(app, code)
    stream.next()
    app.extensions["companion"]["store"].path.unlink()
    hub.watch_others()
    assert list(stream.pieces) == []
    answer = app.test_client().get(f"/t/{code}/watch/stream")
    assert answer.status_code == 503 and "data folder is gone" in answer.text
    stream.close()


def test_a_stream_of_an_unknown_table_leaves_nothing_behind(app: Flask, hub: Hub) -> None:
    assert app.test_client().get("/t/ZZZZ/watch/stream").status_code == 404
    assert hub.count() == 0


def test_a_seats_stream_needs_its_seat(app: Flask, hub: Hub, code: str) -> None:
    assert app.test_client().get(f"/t/{code}/red/stream").status_code == 403
    assert hub.count() == 0


def test_many_changes_reach_a_slow_reader_in_order(app: Flask, tables: Tables, code: str) -> None:
    stream = Stream(app, code)
    stream.next()
    start = tables.store.latest(code)
    threads = [
        threading.Thread(target=lambda n=n: tables.act(code, "red", "note", {"text": str(n)}))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    seen = []
    while not seen or seen[-1] < start + 8:
        seen.append(int(stream.next().split("data: ")[1]))
    assert seen == sorted(seen) and seen[-1] == tables.store.latest(code)
    stream.close()


def test_a_table_that_nobody_has_open_any_more_takes_no_memory(
    app: Flask, tables: Tables, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, drawn = tables.new("toy", "skirmish", {}), app.extensions["companion"]["drawn"]
    for one in (code, other):
        stream = Stream(app, one, seat="red")
        Device(app, one, "red").client.get(f"/t/{one}/red")
        stream.close()
    assert {code, other} <= set(tables._games) and {key[0] for key in drawn._screens} == {code, other}
    stream = Stream(app, code)
    stream.close()
    assert {code, other} <= set(tables._games), "the last one may only have been reloaded"
    monkeypatch.setattr(live, "QUIET", 0.0)
    stream = Stream(app, code)
    assert code in tables._games and other not in tables._games and other not in tables._pasts
    assert {key[0] for key in drawn._screens} == {code}
    assert Device(app, other, "red").client.get(f"/t/{other}/red").status_code == 200
    stream.close()
