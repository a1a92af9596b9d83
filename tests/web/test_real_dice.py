"""Real dice in a plain form: faces tapped per die, their sum, or a roll asked for."""

import re
from typing import Any

import pytest
from flask import Flask
from toykit import Device

from companion.tables.tables import Tables
from companion.web.realdice import gather

TWO = {"dice": "2d6", "result.0": ""}


@pytest.fixture
def code(tables: Tables) -> str:
    return tables.new("toy", "skirmish", {}, "")


def last(tables: Tables, code: str) -> dict[str, Any]:
    return tables.game(code).last_roll


def set_dice(app: Flask, code: str, mode: str) -> None:
    assert Device(app, code, "table").do("set-mode", dice=mode).status_code == 303


@pytest.mark.parametrize(
    ("sent", "value"),
    [
        ({"die.0": "", "die.1": "6", "die.2": "3"}, ["6", "3"]),
        ({"die.0": "", "die.1": "6", "die.2": "3", "_dice": "hand"}, ["6", "3"]),
        ({"die.0": "", "die.2": "3"}, ["", "3"]),
        ({"die.0": "", "die.sum": "12"}, "12"),
        ({"die.0": "", "die.1": "6", "die.2": "6", "die.sum": "12"}, ["6", "6"]),
        ({"die.0": "", "die.1": "6", "die.2": "6", "die.sum": "11"}, "6 + 6 = 11"),
        ({"die.0": "", "die.2": "6", "die.sum": "11"}, "? + 6 = 11"),
        ({"die.0": "", "_dice": "hand"}, [""]),
        ({"die.0": "", "die.sum": "", "_dice": "hand"}, [""]),
    ],
)
def test_the_inputs_of_a_die_field_become_one_value(sent: dict[str, str], value: Any) -> None:
    assert gather({"other": "x", **sent}) == {"other": "x", "die": value}


@pytest.mark.parametrize(
    "sent", [{"die.0": ""}, {"die.0": "", "die.sum": ""}, {"die.0": "", "die.1": "6", "_dice": "roll"}, {}]
)
def test_without_dice_or_with_the_roll_button_the_companion_rolls(sent: dict[str, str]) -> None:
    assert gather({"other": "x", **sent}) == {"other": "x"}


def test_each_die_has_a_row_of_faces(red: Device) -> None:
    page = red.get("do/roll-dice?dice=2d6").text
    for die in ("1", "2"):
        assert re.findall(rf'type="radio" name="result\.{die}" id="[^"]+" value="(\d)"', page) == list(
            "123456"
        )
    assert 'name="result.sum"' in page and 'min="2" max="12"' in page
    assert page.count('name="_dice"') == 2, "rolled by the companion, or as entered"


def test_a_die_from_zero_has_ten_faces_and_a_large_one_a_number(red: Device) -> None:
    ten = red.get("do/roll-dice?dice=1d10z").text
    assert re.findall(r'name="result\.1" id="[^"]+" value="(\d)"', ten) == list("0123456789")
    large = red.get("do/roll-dice?dice=1d100").text
    assert 'type="number" inputmode="numeric" step="1" min="1" max="100" name="result.1"' in large
    assert 'type="radio"' not in large


def test_the_form_says_where_a_plus_goes(red: Device) -> None:
    page = red.get("do/roll-dice?dice=2d6%2B1").text
    assert "+1 comes on top" in page and "or type their sum, before the +1" in page


@pytest.mark.parametrize(
    ("mode", "rolls", "uses"), [("either", True, True), ("physical", False, True), ("digital", True, False)]
)
def test_the_buttons_are_what_the_table_allows(
    app: Flask, red: Device, code: str, mode: str, rolls: bool, uses: bool
) -> None:
    set_dice(app, code, mode)
    page = red.get("do/roll-dice?dice=2d6").text
    assert (">Roll 2d6</button>" in page) == rolls
    assert ('value="hand"' in page) == uses
    assert ('type="radio"' in page) == uses


def test_tapped_faces_are_recorded(red: Device, tables: Tables, code: str) -> None:
    sent = {**TWO, "result.1": "6", "result.2": "3", "_dice": "hand"}
    assert red.do("roll-dice", **sent).status_code == 303
    assert last(tables, code) == {"dice": "2d6", "values": [6, 3], "purpose": "", "mode": "physical"}


@pytest.mark.parametrize("typed", ["12", "11", "7"])
def test_a_typed_sum_is_recorded_as_such_and_told_so(
    red: Device, tables: Tables, code: str, typed: str
) -> None:
    assert red.do("roll-dice", **TWO, **{"result.sum": typed}).status_code == 303
    assert (last(tables, code)["values"], last(tables, code)["sum"]) == ([], int(typed))
    assert f"2d6 rolled {typed} (by hand)" in red.get("log").text
    assert f"2d6: {typed}</span>" in red.get().text


def test_the_roll_button_rolls_whatever_was_tapped(red: Device, tables: Tables, code: str) -> None:
    red.do("roll-dice", **TWO, **{"result.1": "6", "result.2": "6", "_dice": "roll"})
    assert last(tables, code)["mode"] == "digital"


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({"_dice": "hand"}, "oll first, then say what each die shows, 1 to 6"),
        ({"result.2": "6", "_dice": "hand"}, "only 1 of 2 dice is entered"),
        ({"result.2": "6"}, "only 1 of 2 dice is entered"),
        ({"result.sum": "13"}, "&#39;13&#39; is not a roll of 2d6"),
        ({"result.1": "6", "result.2": "6", "result.sum": "11"}, "&#39;6 + 6 = 11&#39; is not a roll of 2d6"),
        ({"result.1": "<b>", "result.2": "6"}, "&lt;b&gt; 6"),
    ],
)
def test_what_is_missing_or_contradicts_is_asked_back(
    red: Device, tables: Tables, code: str, sent: dict[str, str], words: str
) -> None:
    before = tables.store.latest(code)
    answer = red.do("roll-dice", **TWO, **sent)
    assert answer.status_code == 422 and words in answer.text
    assert tables.store.latest(code) == before, "nothing was rolled"


def test_tapped_faces_are_still_tapped_when_something_was_wrong(red: Device) -> None:
    page = red.do("roll-dice", **TWO, **{"result.2": "5", "_dice": "hand"}).text
    assert re.findall(r'name="(result\.\d)"[^>]*value="(\d)" checked', page) == [("result.2", "5")]


def test_dice_that_are_none_are_named_and_the_form_stays(red: Device) -> None:
    answer = red.do("roll-dice", dice="banana", _dice="roll")
    assert answer.status_code == 422
    assert "is not a roll: write it like" in answer.text and 'value="banana"' in answer.text


def test_the_api_says_which_dice_it_takes(app: Flask) -> None:
    answer = app.test_client().get("/api/openapi.json")
    assert "one number for several dice" in answer.text
