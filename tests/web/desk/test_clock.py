"""The organiser's round clock and announcements, and the line on top of every screen."""

import re
from dataclasses import replace

import pytest
from deskkey import ORIGIN, organiser
from flask import Flask
from flask.testing import FlaskClient
from toykit import Device

from companion.hall.roll import HallTable
from companion.tables.tables import Tables
from companion.web import live
from companion.web.live import Page


@pytest.fixture
def desk(app: Flask) -> FlaskClient:
    return organiser(app)


@pytest.fixture
def code(app: Flask) -> str:
    tables: Tables = app.extensions["companion"]["tables"]
    return tables.new("toy", "skirmish", {})


def post(client: FlaskClient, page: str, **form: str):
    return client.post(f"/desk/{page}", data=form, headers=ORIGIN)


def start(client: FlaskClient, label: str = "Round 2", minutes: str = "150") -> None:
    assert post(client, "clock", do="start", label=label, minutes=minutes).status_code == 303


SCREENS = (
    "/",
    "/hall",
    "/new",
    "/book",
    "/t/{code}/watch",
    "/t/{code}/red",
    "/t/{code}/table",
    "/t/{code}/red/log",
)


@pytest.mark.parametrize("screen", SCREENS)
def test_the_clock_and_the_news_are_on_every_screen(
    app: Flask, desk: FlaskClient, code: str, screen: str
) -> None:
    red, table = Device(app, code, "red"), Device(app, code, "table")
    device = table if "table" in screen else red
    assert re.search(r'id="round" data-sign="-"[^>]* hidden', device.get(screen.format(code=code)).text)
    start(desk)
    post(desk, "announce", text="Lunch <b>now</b>")
    page = device.get(screen.format(code=code)).text
    line = page[page.index('id="round"') : page.index("</aside>")]
    assert "Round 2" in line and "2:30:00" in line and "Lunch &lt;b&gt;now&lt;/b&gt;" in line
    assert " hidden" not in line


def test_the_clock_is_paused_changed_and_taken_away(app: Flask, desk: FlaskClient) -> None:
    start(desk, minutes="60")
    post(desk, "clock", do="pause")
    assert "paused" in desk.get("/hall/strip").text and "data-counting" not in desk.get("/hall/strip").text
    post(desk, "clock", do="change", by="5")
    assert "1:05:00" in desk.get("/hall/strip").text
    post(desk, "clock", do="change", by="-30")
    assert "0:35:00" in desk.get("/hall/strip").text
    post(desk, "clock", do="resume")
    assert "data-counting" in desk.get("/hall/strip").text
    post(desk, "clock", do="off")
    assert " hidden" in desk.get("/hall/strip").text


@pytest.mark.parametrize(
    ("page", "form", "status"),
    [
        ("clock", {"do": "start", "label": "Round 1", "minutes": "soon"}, 422),
        ("clock", {"do": "start", "label": "Round 1", "minutes": "0"}, 422),
        ("clock", {"do": "pause"}, 409),
        ("clock", {"do": "dance"}, 409),
        ("announce", {"text": "  "}, 422),
        ("announce", {"text": "x" * 201}, 422),
        ("withdraw", {"id": "7"}, 409),
        ("withdraw", {"id": "x"}, 409),
    ],
)
def test_a_mistake_is_told_on_the_page_and_changes_nothing(
    app: Flask, desk: FlaskClient, page: str, form: dict[str, str], status: int
) -> None:
    answer = post(desk, page, **form)
    assert answer.status_code == status and 'role="alert"' in answer.text
    if "label" in form:
        assert 'value="Round 1"' in answer.text and f'value="{form["minutes"]}"' in answer.text
    assert app.extensions["companion"]["desk"].state().version == 0


def test_only_the_organiser_sets_the_clock(app: Flask, desk: FlaskClient) -> None:
    stranger = app.test_client()
    assert post(stranger, "clock", do="start", minutes="5").status_code == 403
    assert post(stranger, "announce", text="Ha").status_code == 403
    assert stranger.get("/desk/clock").status_code == 403


def test_an_announcement_is_withdrawn(desk: FlaskClient) -> None:
    post(desk, "announce", text="The bar is open")
    assert "Withdraw" in desk.get("/desk/clock").text
    post(desk, "withdraw", id="1")
    assert "The bar is open" not in desk.get("/hall/strip").text
    assert "withdrawn" in desk.get("/desk/clock").text


def read_until(pieces, wanted: str) -> str:
    text = ""
    while wanted not in text:
        piece = next(pieces)
        text += piece.decode() if isinstance(piece, bytes) else piece
    return text


def test_open_screens_hear_of_it_by_their_own_stream(app: Flask, desk: FlaskClient, code: str) -> None:
    answer = app.test_client().get(f"/t/{code}/watch/stream", buffered=False)
    pieces = iter(answer.response)
    assert "event: hall" not in read_until(pieces, "event: rev")
    start(desk)
    sign = re.search(r'data-sign="(\w+)"', desk.get("/hall/strip").text)
    assert sign and f"data: {sign[1]}" in read_until(pieces, "event: hall")
    answer.close()


def test_a_change_of_something_else_is_no_news_to_the_screens(
    app: Flask, desk: FlaskClient, code: str
) -> None:
    start(desk)
    hub = app.extensions["companion"]["hub"]
    mine = hub.join(code, Page("watch", "", "a-page"))
    app.extensions["companion"]["desk"].change(lambda hall: hall)
    assert mine.empty()
    post(desk, "announce", text="Lunch")
    assert not mine.empty()


def test_a_screen_that_was_away_hears_what_it_missed_and_no_other_does(
    app: Flask, desk: FlaskClient, code: str
) -> None:
    start(desk)
    sign = re.search(r'data-sign="(\w+)"', desk.get("/hall/strip").text)
    assert sign
    for shown, heard in (("-", True), ("0ld", True), (sign[1], False)):
        for address in (f"/t/{code}/watch/stream", "/hall/stream"):
            answer = app.test_client().get(f"{address}?hall={shown}", buffered=False)
            assert (f"event: hall\ndata: {sign[1]}\n" in read_until(iter(answer.response), "\n\n")) == heard
            answer.close()


def test_boards_are_told_once_however_much_happens(
    app: Flask, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "HALL_REST", 0.2)
    tables: Tables = app.extensions["companion"]["tables"]
    answer = app.test_client().get("/hall/stream", buffered=False)
    pieces = iter(answer.response)
    read_until(pieces, "event: rev")
    for n in range(20):
        tables.act(code, "red", "note", {"text": str(n)})
    told = read_until(pieces, "event: rev")
    assert told.count("event: rev") == 1
    assert f"data: {app.extensions['companion']['hub'].changes}\n" in told
    hub = app.extensions["companion"]["hub"]
    answer.close()
    assert hub.count() == 0


def test_the_board_shows_the_revision_that_its_stream_tells(app: Flask, code: str) -> None:
    page = app.test_client().get("/hall").text
    changes = app.extensions["companion"]["hub"].changes
    assert f'data-rev="{changes}"' in page and 'data-stream="/hall/stream"' in page


# -- the sides' clocks of all tables -----------------------------------------------------------------------


@pytest.fixture
def two(app: Flask) -> list[str]:
    """Two open tables of the organiser's list, and a closed one."""
    tables, desk = app.extensions["companion"]["tables"], app.extensions["companion"]["desk"]
    codes = [tables.new("toy", "skirmish", {}) for _ in range(3)]
    listed = tuple(
        HallTable(code, n, "toy", "skirmish", state="closed" if n == 3 else "open")
        for n, code in enumerate(codes, 1)
    )
    desk.change(lambda hall: replace(hall, tables=listed))
    return codes


def test_the_sides_clocks_of_all_open_tables_are_started_and_paused(
    app: Flask, desk: FlaskClient, two: list[str]
) -> None:
    tables: Tables = app.extensions["companion"]["tables"]
    states = lambda: [tables.game(code)["clock"] for code in two]  # noqa: E731
    assert post(desk, "side-clocks", do="start", limit="90").location.endswith("tables=2")
    assert states() == ["running", "running", "off"] and tables.game(two[0])["clock-limit"] == "90"
    tables.act(two[0], "red", "pause-clocks", {})
    assert post(desk, "side-clocks", do="pause").location.endswith("tables=1")
    assert "Done at 1 table;" in desk.get("/desk/clock?tables=1").text
    assert post(desk, "side-clocks", do="resume").location.endswith("tables=2")
    assert states() == ["running", "running", "off"]


@pytest.mark.parametrize(
    "form", [{"do": "start", "limit": "long"}, {"do": "start", "limit": "-1"}, {"do": "x"}]
)
def test_a_mistake_starts_no_clock(
    app: Flask, desk: FlaskClient, two: list[str], form: dict[str, str]
) -> None:
    answer = post(desk, "side-clocks", **form)
    assert answer.status_code in (409, 422) and 'role="alert"' in answer.text
    assert app.extensions["companion"]["tables"].game(two[0])["clock"] == "off"
