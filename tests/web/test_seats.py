"""Seats: a link opens one, a lost phone's link is worthless, guessing is slow."""

import re

import pytest
from flask import Flask
from toykit import Device

from companion.tables.tables import Tables
from companion.web.seats import device_kind, token


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
    elsewhere = Device(app, code, "red").get("seats").text
    assert not any(link(app, code, seat) in elsewhere for seat in ("table", "red", "blue"))
    assert Device(app, code).get(f"/t/{code}/watch/seats").status_code == 403


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
    assert "Red seat: the old code and device no longer work" in table.get("log").text


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


# -- a lost tablet -------------------------------------------------------------------------------------------


def test_two_phones_give_the_table_a_new_screen(app: Flask, tables: Tables, table: Device, code: str) -> None:
    red, blue = Device(app, code, "red"), Device(app, code, "blue")
    old = link(app, code, "table")
    asking = red.get("seats/lost-table").text
    assert "Blue is asked to agree" in asking and "signed out at once" in asking
    assert red.post("seats/lost-table").status_code == 303
    assert "waiting for Blue" in red.get("seats").text
    assert table.get().status_code == 200, "one player alone changes nothing"
    assert "Agree" in blue.get().text and "Agree" in blue.get("seats").text
    question = next(iter(tables.game(code).asked))
    answer = blue.do("agree", ask=question, yes="on", back=f"/t/{code}/blue/seats")
    assert answer.headers["Location"].startswith(f"/t/{code}/blue/seats?said=")
    assert table.get().status_code == 403, "the lost tablet is signed out"
    assert Device(app, code).get(old).status_code == 403, "and so is its link"
    new = link(app, code, "table")
    for player in (red, blue):
        assert new in player.get("seats").text and "new code is under Seats" in player.get().text
    assert new not in Device(app, code).get(f"/t/{code}/watch").text
    fresh = Device(app, code, "table")
    assert fresh.get().status_code == 200
    for player in (red, blue):
        assert new not in player.get("seats").text, "a taken seat hides its code"
    assert "got a new code: Red asked, Blue agreed" in fresh.get("log").text


def test_two_tokens_give_the_table_a_new_code_through_the_api(app: Flask, code: str) -> None:
    client = app.test_client()
    with app.test_request_context():
        secrets = {
            seat: {"Authorization": f"Bearer {token(code, seat)}"} for seat in ("table", "red", "blue")
        }
    at = f"/api/tables/{code}"
    for seat in secrets:
        assert client.get(at, headers=secrets[seat]).json["seat"] == seat
    client.post(f"{at}/actions/lost-table", json={}, headers=secrets["red"])
    asked = client.get(at, headers=secrets["blue"]).json["asked"][0]
    client.post(f"{at}/actions/agree", json={"ask": asked["id"], "yes": True}, headers=secrets["blue"])
    assert client.get(at, headers=secrets["table"]).json["seat"] == "watch"
    for seat in ("red", "blue"):
        rows = {r["id"]: r for r in client.get(f"{at}/seats", headers=secrets[seat]).json["seats"]}
        assert rows["table"]["state"] == "free" and rows["table"]["link"].endswith(link(app, code, "table"))
        assert rows["red"]["state"] == rows["blue"]["state"] == "taken"
        assert rows["red"]["link"] == rows["blue"]["link"] == ""
    assert client.get(f"{at}/seats").status_code == 403


def test_a_seat_used_by_a_program_shows_its_code_to_nobody(app: Flask, table: Device, code: str) -> None:
    with app.test_request_context():
        bearer = {"Authorization": f"Bearer {token(code, 'red')}"}
    app.test_client().get(f"/api/tables/{code}", headers=bearer)
    assert link(app, code, "red") not in table.get("seats").text


def test_a_device_that_holds_both_sides_needs_nobody_else(app: Flask, table: Device, code: str) -> None:
    device = Device(app, code, "red")
    device.get(link(app, code, "blue"))
    device.post(f"/t/{code}/red/open")
    assert "is asked to agree" not in device.get("seats/lost-table").text
    device.post("seats/lost-table")
    assert table.get().status_code == 403
    assert link(app, code, "table") in device.get("seats").text


def test_the_code_of_a_screen_that_was_never_lost_is_shown_to_no_side(app: Flask, code: str) -> None:
    assert link(app, code, "table") not in Device(app, code, "red").get("seats").text


@pytest.mark.parametrize("path", ["seats", "seats/lost-table"])
def test_a_watcher_has_no_seats_page(app: Flask, code: str, path: str) -> None:
    watcher = Device(app, code)
    assert watcher.get(f"/t/{code}/watch/{path}").status_code == 403
    assert watcher.post(f"/t/{code}/watch/seats/lost-table").status_code == 403


# -- who sits where, and asking first ------------------------------------------------------------------------

AGENTS = {
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile/15E148 Safari": "phone",
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) Chrome/124.0 Mobile Safari/537.36": "phone",
    "Mozilla/5.0 (Linux; Android 13; SM-X200) Chrome/124.0 Safari/537.36": "tablet",
    "Mozilla/5.0 (iPad; CPU OS 12_2 like Mac OS X) Mobile/15E148": "tablet",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/124.0": "computer",
    "Mozilla/5.0 (X11; Linux x86_64) Firefox/126.0": "computer",
    "curl/8": "device",
    "": "device",
}


@pytest.mark.parametrize("agent", AGENTS)
def test_a_device_is_named_as_a_player_would(agent: str) -> None:
    assert device_kind(agent) == AGENTS[agent]


def test_every_seat_sees_who_sits_where(app: Flask, table: Device, code: str) -> None:
    phone = Device(app, code)
    phone.client.get(link(app, code, "red"), headers={"User-Agent": next(iter(AGENTS))})
    for page in (table.get("seats").text, phone.get(f"/t/{code}/red/seats").text):
        assert re.search(r"phone, joined \d\d:\d\d", page)
    assert "this device" in phone.get(f"/t/{code}/red/seats").text
    assert 'data-stream="/t/' in table.get("seats").text and 'id="live"' in table.get("seats", "live").text


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("seats/red/reissue", "Red phone is signed out at once; scan the new code to sit down again"),
        ("seats/red/revoke", "nobody can sit down there"),
        ("seats/table/reissue", "Every other device that shows the table"),
        ("/t/{code}/leave", "Its new code is shown on the Seats page of every player"),
    ],
)
def test_what_cannot_be_taken_back_asks_first_and_says_what_follows(
    app: Flask, tables: Tables, table: Device, code: str, path: str, says: str
) -> None:
    red = Device(app, code, "red")
    before = tables.store.seat_generations(code)
    page = table.get(path.format(code=code))
    assert page.status_code == 200 and says in page.text.replace("&#39;", "'")
    assert page.text.count("<form") == 1 and "confirm" not in page.text
    assert tables.store.seat_generations(code) == before and red.get().status_code == 200


def test_the_last_device_is_told_how_the_table_comes_back(table: Device, code: str) -> None:
    assert f"companion seats {code}" in table.get(f"/t/{code}/leave").text


def test_giving_up_frees_the_seat_for_another_device(app: Flask, table: Device, code: str) -> None:
    red = Device(app, code, "red")
    cookie = red.client.get_cookie(f"seats-{code}")
    red.post(f"/t/{code}/leave")
    assert link(app, code, "red") in table.get("seats").text
    red.client.set_cookie(f"seats-{code}", cookie.value)
    assert red.get().status_code == 403, "a copy of the old cookie opens nothing"
    table.post(f"/t/{code}/leave")
    assert Device(app, code).get(f"/t/{code}/leave").status_code == 403


def test_a_given_up_table_is_handed_out_by_the_players(app: Flask, table: Device, code: str) -> None:
    red = Device(app, code, "red")
    table.post(f"/t/{code}/leave")
    assert link(app, code, "table") in red.get("seats").text
