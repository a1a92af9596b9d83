"""One device for two players: tabs for its seats, and a curtain so that neither sees what is the other's."""

import re

import pytest
from flask import Flask
from toykit import Device

from companion.tables.tables import Tables
from companion.web.seats import token

SECRET = "bomb the bridge"


@pytest.fixture
def code(tables: Tables) -> str:
    return tables.new("toy", "skirmish", {})


@pytest.fixture
def shared(app: Flask, code: str) -> Device:
    """A tablet that holds every seat; Red has sealed a mission on it."""
    device = Device(app, code, "table")
    for seat in ("red", "blue"):
        sit(app, device, seat)
    hand_to(device, "red")
    assert device.post(f"/t/{code}/red/do/choose", mission=SECRET).status_code == 303
    return device


def sit(app: Flask, device: Device, seat: str) -> None:
    with app.test_request_context():
        secret = token(device.code, seat)
    device.client.get(f"/j/{device.code}/{secret}")


def hand_to(device: Device, seat: str, back: str = "") -> str:
    answer = device.post(f"/t/{device.code}/{seat}/open", back=back)
    assert answer.status_code == 303
    return str(answer.headers["Location"])


def is_curtain(text: str) -> bool:
    return "Pass the device to the" in text


PAGES = ("", "/units", "/log", "/more", "/settings", "/seats", "/map", "/entry", "/supply", "/takedown", "/export.json",
         "/do/choose", "/do/draw-card", "/card/deck/STUKA", "/sheet/combat")  # fmt: skip


@pytest.mark.parametrize("page", PAGES)
def test_no_page_of_a_side_shows_before_the_device_was_handed_over(
    shared: Device, code: str, page: str
) -> None:
    answer = shared.get(f"/t/{code}/blue{page}")
    assert answer.status_code == 200 and is_curtain(answer.text)
    assert SECRET not in answer.text and "Pass the device to the Blue player" in answer.text
    back = shared.get(f"/t/{code}/red{page}")
    assert is_curtain(back.text), "looking at Blue's curtain drew Red's own again"
    assert SECRET not in back.text


def test_the_own_page_shows_the_own_choice_and_the_others_never_does(shared: Device, code: str) -> None:
    assert not is_curtain(shared.get(f"/t/{code}/red").text)
    shared.get(f"/t/{code}/blue")
    assert hand_to(shared, "blue", back=f"/t/{code}/blue/log") == f"/t/{code}/blue/log"
    for page in ("", "/log", "/units", "/export.json"):
        text = shared.get(f"/t/{code}/blue{page}").text
        assert not is_curtain(text) and SECRET not in text


def test_the_tables_screen_draws_the_curtain_again(shared: Device, code: str) -> None:
    assert not is_curtain(shared.get(f"/t/{code}/red").text)
    assert shared.get(f"/t/{code}/table", "live").status_code == 200
    assert not is_curtain(shared.get(f"/t/{code}/red").text), "a part fetched in the background is no page"
    for public in ("table", "watch"):
        hand_to(shared, "red")
        page = shared.get(f"/t/{code}/{public}").text
        assert not is_curtain(page) and SECRET not in page
        assert is_curtain(shared.get(f"/t/{code}/red").text)


@pytest.mark.parametrize(("path", "target"), [("", "live"), ("/do/choose", "sheet"), ("/units", "live")])
def test_a_part_of_a_page_is_answered_with_a_fresh_start(
    shared: Device, code: str, path: str, target: str
) -> None:
    answer = shared.get(f"/t/{code}/blue{path}", target)
    assert answer.headers["HX-Refresh"] == "true" and answer.text == ""


def test_nothing_is_done_for_a_side_that_does_not_hold_the_device(
    shared: Device, tables: Tables, code: str
) -> None:
    before = tables.store.latest(code)
    for target in ("", "live", "sheet"):
        answer = shared.post(f"/t/{code}/blue/do/draw-card", target)
        assert answer.status_code == 403
        assert not target or answer.headers["HX-Refresh"] == "true"
    assert tables.store.latest(code) == before


def test_the_stream_needs_no_curtain_as_it_carries_no_secret(shared: Device, code: str) -> None:
    answer = shared.client.get(f"/t/{code}/blue/stream")
    assert answer.mimetype == "text/event-stream"
    answer.close()


def test_programs_with_a_token_meet_no_curtain_and_the_cookie_does(
    app: Flask, shared: Device, code: str
) -> None:
    with app.test_request_context():
        bearer = {"Authorization": f"Bearer {token(code, 'blue')}"}
    assert shared.client.get(f"/api/tables/{code}?seat=blue", headers=bearer).json["seat"] == "blue"
    assert shared.client.get(f"/api/tables/{code}?seat=blue").status_code == 403


@pytest.mark.parametrize("back", ["https://example.org/", "//example.org", "/t/XXXX/red", "/t/{code}/bluer"])
def test_the_curtain_opens_no_other_place(shared: Device, code: str, back: str) -> None:
    assert hand_to(shared, "blue", back=back.format(code=code)) == f"/t/{code}/blue"


def test_only_a_held_seat_can_be_opened(red: Device, code: str) -> None:
    assert red.post(f"/t/{code}/blue/open").status_code == 403


def tabs(text: str) -> dict[str, tuple[bool, bool]]:
    """Each tab with whether it is the current one, and whether its seat is asked something."""
    found = re.findall(r'<a class="tab [^>]*id="tab-(\w+)"([^>]*)>(.*?)</a>', text, re.S)
    return {seat: ("aria-current" in attrs, "is asked something" in body) for seat, attrs, body in found}


def test_tabs_lead_to_every_seat_of_the_device(shared: Device, code: str) -> None:
    assert list(tabs(shared.get(f"/t/{code}/table").text)) == ["table", "red", "blue"]
    for page in ("", "/units", "/log", "/more", "/settings", "/seats", "/map", "/do/note", "/do/choose"):
        hand_to(shared, "blue")
        found = tabs(shared.get(f"/t/{code}/blue{page}").text)
        assert {seat: here for seat, (here, _) in found.items()} == {
            "table": False,
            "red": False,
            "blue": True,
        }, page
    assert "Sit as" not in shared.get(f"/t/{code}/blue").text


def test_a_tab_tells_that_its_seat_is_asked_something(shared: Device, code: str) -> None:
    shared.post(f"/t/{code}/table/do/roll-dice")
    shared.get(f"/t/{code}/red")
    hand_to(shared, "red")
    shared.post(f"/t/{code}/red/do/take-back", to="2")
    assert {seat: asked for seat, (_, asked) in tabs(shared.get(f"/t/{code}/table").text).items()}["blue"]


def test_a_device_with_one_seat_has_neither_tabs_nor_curtain(red: Device, code: str) -> None:
    page = red.get().text
    assert not tabs(page) and not is_curtain(page)


def test_solo_has_tabs_without_a_curtain(app: Flask) -> None:
    device = Device(app)
    where = device.post("/new/toy/skirmish", players="solo").headers["Location"]
    code = where.split("/")[2]
    for seat in ("table", "red", "blue", "red"):
        page = device.get(f"/t/{code}/{seat}").text
        assert not is_curtain(page) and list(tabs(page)) == ["table", "red", "blue"]


def test_a_shared_device_plays_under_fog_behind_its_curtain(app: Flask, tables: Tables) -> None:
    device = Device(app)
    code = device.post("/new/toy/skirmish", players="shared").headers["Location"].split("/")[2]
    assert tables.game(code)["fog"] and not tables.game(code)["solo"]
    assert is_curtain(device.get(f"/t/{code}/red").text)
    device.post(f"/t/{code}/red/open")
    assert "Draw a card" in device.get(f"/t/{code}/red").text, "what is done in secret is reachable"
