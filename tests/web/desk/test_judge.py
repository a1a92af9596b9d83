"""The judge's page: a table at a glance as a watcher may see it, and an answer that goes into its log."""

import pytest
from deskkey import ORIGIN, organiser
from flask import Flask
from flask.testing import FlaskClient
from toykit import Device

from companion.tables.tables import Tables


@pytest.fixture
def desk(app: Flask) -> FlaskClient:
    return organiser(app)


@pytest.fixture
def code(tables: Tables) -> str:
    """A battle is being fought, and Red calls a judge about it."""
    code = tables.new("toy", "skirmish", {"mode-dice": "either"})
    tables.act(code, "table", "set-up", {})
    tables.act(code, "table", "next-phase", {}, revision=tables.store.latest(code))
    tables.act(code, "red", "attack", {"hex": "0505"})
    tables.act(code, "red", "call-judge", {"about": "rule 12.4, retreat"})
    return code


def answer(client: FlaskClient, code: str, **form: str):
    return client.post(f"/desk/judge/{code}", data=form, headers=ORIGIN)


def test_the_list_shows_who_waits(app: Flask, desk: FlaskClient, tables: Tables, code: str) -> None:
    other = tables.new("toy", "skirmish", {})
    page = desk.get("/desk/judge").text
    assert page.index(code) < page.index(other) and "rule 12.4, retreat" in page
    tables.act(code, "red", "judge-has-been", {})
    assert "Nobody waits for a judge" in desk.get("/desk/judge").text


def test_a_table_is_seen_at_a_glance(desk: FlaskClient, code: str) -> None:
    page = desk.get(f"/desk/judge/{code}").text
    assert "rule 12.4, retreat" in page and "12.4</span>" in page  # what about, and the rule's number
    assert "7.6" in page  # the rule of what is open
    assert "Attack on 0505" in page and "call in" in page.casefold()  # the battle, and what is owed
    assert 'id="story"' in page and "Red: " in page  # the log


def test_the_answer_is_in_the_log_and_ends_the_call(
    app: Flask, desk: FlaskClient, tables: Tables, code: str
) -> None:
    assert answer(desk, code, ruling="The retreat is legal", rule="12.4", settled="on").status_code == 303
    red = Device(app, code, "red")
    assert "Judge: The retreat is legal [12.4]" in red.get("log").text
    assert "Waiting for a judge" not in red.get().text
    entry = next(e for e in tables.log(code, "blue") if "legal" in e.lines[0])
    assert entry.seat_name == "Judge"


def test_no_undo_takes_the_answer_away(desk: FlaskClient, tables: Tables, code: str) -> None:
    answer(desk, code, ruling="Roll again", rule="7.1")
    before = tables.undo_target(code)
    tables.act(code, "table", "take-back", {"to": before})
    entry = next(e for e in tables.log(code, "red") if "Roll again" in e.lines[0])
    assert not entry.undone


def test_the_call_stays_open_where_the_judge_has_to_come_back(
    desk: FlaskClient, tables: Tables, code: str
) -> None:
    answer(desk, code, ruling="I ask my colleague", rule="")
    assert tables.row(code).summary["judge"] == "rule 12.4, retreat"


@pytest.mark.parametrize("form", [{"ruling": " "}, {"ruling": "x" * 301}, {"ruling": "ok", "rule": "1" * 21}])
def test_a_mistake_is_told_and_nothing_is_logged(
    desk: FlaskClient, tables: Tables, code: str, form: dict[str, str]
) -> None:
    before = tables.store.latest(code)
    told = answer(desk, code, **form)
    assert told.status_code == 422 and 'role="alert"' in told.text
    assert tables.store.latest(code) == before


def test_only_the_organiser_judges(app: Flask, desk: FlaskClient, code: str) -> None:
    stranger = app.test_client()
    assert stranger.get(f"/desk/judge/{code}").status_code == 403
    assert answer(stranger, code, ruling="I win").status_code == 403
    assert desk.get("/desk/judge/NONE").status_code == 404


# -- hidden information ------------------------------------------------------------------------------------


@pytest.fixture
def secret(tables: Tables, code: str) -> str:
    tables.act(code, "red", "whisper", {"text": "ZqCanaryWord"})
    return "ZqCanaryWord"


def test_a_judge_sees_only_what_a_watcher_sees(desk: FlaskClient, code: str, secret: str) -> None:
    assert secret not in desk.get(f"/desk/judge/{code}").text
    for side in ("red", "blue", "table", "nobody"):
        refused = desk.get(f"/desk/judge/{code}?as={side}")
        assert refused.status_code == 403 and secret not in refused.text


def test_a_side_shows_the_judge_what_is_its_own_until_he_has_been(
    app: Flask, desk: FlaskClient, tables: Tables, code: str, secret: str
) -> None:
    red = Device(app, code, "red")
    assert "Show the judge my side" in red.get("more").text
    red.do("show-judge")
    assert secret in desk.get(f"/desk/judge/{code}?as=red").text
    assert secret not in desk.get(f"/desk/judge/{code}").text
    assert desk.get(f"/desk/judge/{code}?as=blue").status_code == 403
    assert "Red lets the judge see its side" in Device(app, code, "blue").get("log").text
    assert secret not in Device(app, code, "blue").get("log").text
    answer(desk, code, ruling="Seen", settled="on")
    assert desk.get(f"/desk/judge/{code}?as=red").status_code == 403
    tables.act(code, "table", "take-back", {"to": tables.undo_target(code)})
    assert desk.get(f"/desk/judge/{code}?as=red").status_code == 403  # nothing brings that back by itself


def test_the_tables_screen_shows_nobodys_side(app: Flask, code: str) -> None:
    assert Device(app, code, "table").do("show-judge").status_code == 403
