"""Seats: a link opens one, a lost phone's link is worthless, guessing is slow."""

import re

import pytest
from flask import Flask
from toykit import Device

from companion.tables import Tables
from companion.web.seats import token


@pytest.fixture
def code(tables: Tables) -> str:
    return tables.new("toy", "skirmish", {}, "Friday night")


def link(app: Flask, code: str, seat: str) -> str:
    with app.test_request_context():
        return f"/j/{code}/{token(code, seat)}"


def test_a_link_sits_the_device_down_with_a_cookie_that_scripts_cannot_read(app: Flask, code: str) -> None:
    device = Device(app, code)
    answer = device.get(link(app, code, "red"))
    assert (answer.status_code, answer.headers["Location"]) == (303, f"/t/{code}/red")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie
    assert device.get(f"/t/{code}/red").status_code == 200


@pytest.mark.parametrize("change", [str.upper, lambda s: s.replace(s.split("/")[2], s.split("/")[2].lower())])
def test_a_link_typed_in_another_case_works(app: Flask, code: str, change: object) -> None:
    path = link(app, code, "red")
    changed = "/j/" + change(path)[3:]  # type: ignore[operator]
    assert Device(app, code).get(changed).status_code == 303


def test_one_device_may_hold_several_seats(app: Flask, code: str) -> None:
    device = Device(app, code, "red")
    device.get(link(app, code, "blue"))
    assert [device.get(f"/t/{code}/{s}").status_code for s in ("red", "blue", "table")] == [200, 200, 403]


def test_seats_of_one_table_open_no_other(app: Flask, tables: Tables, table: Device) -> None:
    other = tables.new("toy", "skirmish", {})
    assert table.get(f"/t/{other}/table").status_code == 403


def test_only_the_tables_screen_hands_seats_out(app: Flask, table: Device, code: str) -> None:
    page = table.get("seats").text
    assert all(link(app, code, seat) in page for seat in ("red", "blue"))
    assert Device(app, code, "red").get("seats").status_code == 403


def test_a_taken_seat_shows_no_link(app: Flask, table: Device, code: str) -> None:
    Device(app, code, "red")
    page = table.get("seats").text
    assert link(app, code, "red") not in page
    assert link(app, code, "blue") in page


def test_a_reissued_seat_makes_the_old_cookie_and_link_worthless(
    app: Flask, table: Device, code: str
) -> None:
    lost = Device(app, code, "red")
    old = link(app, code, "red")
    assert table.post("seats/red/reissue").status_code == 303
    assert lost.get().status_code == 403
    assert lost.do("roll-dice").status_code == 403
    assert lost.client.get(f"/api/tables/{code}").json["seat"] == "watch"
    refused = Device(app, code).get(old)
    assert refused.status_code == 403 and "no longer opens a seat" in refused.text
    assert link(app, code, "red") != old
    assert Device(app, code, "red").get().status_code == 200
    assert "The red seat was re-issued" in table.get("log").text


def test_the_tables_own_seat_can_be_reissued_without_locking_oneself_out(
    app: Flask, table: Device, code: str
) -> None:
    other = Device(app, code, "table")
    assert table.post("seats/table/reissue").status_code == 303
    assert table.get().status_code == 200
    assert other.get().status_code == 403


def test_a_closed_seat_opens_to_nobody_until_reissued(app: Flask, table: Device, code: str) -> None:
    device = Device(app, code, "red")
    table.post("seats/red/revoke")
    assert device.get().status_code == 403
    assert Device(app, code).get(link(app, code, "red")).status_code == 403
    table.post("seats/red/reissue")
    assert Device(app, code, "red").get().status_code == 200


@pytest.mark.parametrize("path", ["seats/green/reissue", "seats/red/burn"])
def test_a_seat_that_is_not_there_cannot_be_changed(table: Device, path: str) -> None:
    answer = table.post(path)
    assert answer.status_code == 404 and "There is no seat" in answer.text


@pytest.mark.parametrize("seat", ["red", "watch"])
def test_no_other_seat_can_change_seats(app: Flask, tables: Tables, code: str, seat: str) -> None:
    device = Device(app, code, "red") if seat == "red" else Device(app, code)
    assert device.post(f"/t/{code}/table/seats/blue/reissue").status_code == 403
    assert tables.store.seat_generations(code).get("blue") is None


@pytest.mark.parametrize("path", ["/join?code=ZZZ{n}", "/j/{code}/wrong{n}"])
def test_guessing_is_slowed_down(app: Flask, code: str, path: str) -> None:
    device = Device(app, code)
    answers = [device.get(path.format(n=n, code=code)) for n in range(12)]
    assert answers[0].status_code in {403, 404}
    assert answers[-1].status_code == 429
    assert re.search(r"Try again in \d+ seconds", answers[-1].text)
    right = device.get(link(app, code, "red"))
    assert right.status_code == 303, "a stranger's guesses shut nobody out"


def test_right_codes_are_never_slowed_down(app: Flask, code: str) -> None:
    """At a convention a whole hall of phones shares one address."""
    assert {Device(app).get(f"/join?code={code}").status_code for _ in range(30)} == {303}


@pytest.mark.parametrize("given", ["", "ZZZZ", "x" * 10_000, "<b>", "😀"])
def test_an_unknown_code_is_named(app: Flask, given: str) -> None:
    answer = Device(app).get(f"/join?code={given}")
    assert answer.status_code == 404
    assert "There is no table" in answer.text and "<b>" not in answer.text.partition("<main")[2]


@pytest.mark.parametrize("cookie", ["", ".", "x.y.z", "0" * 5000, "ü", '"'])
def test_a_strange_cookie_opens_nothing(app: Flask, code: str, cookie: str) -> None:
    device = Device(app, code)
    answer = device.client.get(
        f"/t/{code}/red", headers={"Cookie": f"seats-{code}={cookie}".encode().decode("latin-1")}
    )
    assert answer.status_code == 403


def test_a_form_sent_from_another_site_is_refused(app: Flask, tables: Tables, code: str) -> None:
    device = Device(app, code, "red")
    revision = tables.store.latest(code)
    for headers in ({"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {}):
        answer = device.client.post(f"/t/{code}/red/do/roll-dice", headers=headers)
        assert answer.status_code == 403, headers
    assert tables.store.latest(code) == revision
