"""Units: looked for, filtered, counted out in portions; a row opens the unit with what a tap does to it."""

import re
import time
from dataclasses import replace
from html import unescape

import pytest
from flask import Flask
from toykit import Device

from companion.tables.tables import Tables
from companion.web.unitpages import AT_REST, MORE, _tests


@pytest.fixture
def code(tables: Tables) -> str:
    code = tables.new("toy", "skirmish", {"fog": False}, "Friday night")
    tables.act(code, "table", "set-up", {})
    return code


def fill(tables: Tables, code: str, units: int) -> None:
    """Many units come on record, as in a large set-up."""
    lines = [f"unit-{n},red,Unit {n},inf,{1 + n % 9:02d}{1 + n // 9 % 9:02d}" for n in range(units)]
    tables.act(code, "table", "import-positions", {"csv": "\n".join(["id,side,name,kind,place", *lines])})


def rows(page: str) -> list[str]:
    """The names of the rows, as they stand."""
    found = re.findall(r'<span class="urow-name">(.*?)</span>', page, re.S)
    return [" ".join(unescape(re.sub("<[^>]+>", " ", name)).split()) for name in found]


def test_a_long_list_comes_in_portions_and_an_address_keeps_how_far(
    red: Device, tables: Tables, code: str
) -> None:
    fill(tables, code, 200)
    page = red.get("units").text
    assert len(rows(page)) == AT_REST
    more = re.search(r'href="([^"]+most=\d+)"', page)
    assert more
    assert len(rows(red.get(unescape(more[1])).text)) == AT_REST + MORE


def test_words_are_looked_for_in_names_hexes_and_markers_without_javascript(
    red: Device, tables: Tables, code: str
) -> None:
    fill(tables, code, 200)
    assert rows(red.get("units?q=unit+137").text) == ["Unit 137"]
    place = tables.game(code).units["unit-137"].place
    assert "Unit 137" in rows(red.get(f"units?q={place}").text)
    assert rows(red.get("units?q=nosuchthing").text) == []
    assert 'role="search"' in red.get("units").text and 'method="get"' in red.get("units").text


def test_filters_count_what_they_show_and_stay_in_every_address(
    red: Device, tables: Tables, code: str
) -> None:
    fill(tables, code, 60)
    page = red.get("units?show=mine&q=unit").text
    assert all("Unit" in name for name in rows(page))
    live = re.search(r'id="live"[^>]*hx-get="([^"]+)"', page)
    assert live and "show=mine" in live[1] and "q=unit" in live[1], "a refresh asks for the same"
    assert "show=mine" in re.findall(r'href="([^"]+most=\d+)"', page)[0]
    assert "Not yet in" not in page or "show=waiting" in page
    backs = re.findall(r'/unit/[^"]+\?back=([^"]+)"', page)
    assert backs and all("show%3Dmine" in back for back in backs), "and the unit leads back to it"


def test_what_is_hidden_is_found_by_its_hex_alone(app: Flask, tables: Tables) -> None:
    code = tables.new("toy", "skirmish", {}, "")
    tables.act(code, "table", "set-up", {})
    game = tables.game(code)
    red, view = Device(app, code, "red"), rows
    hidden = [u for u in game.units.values() if u.side == "blue" and u.place and u.name]
    unseen = [u for u in hidden if u.name not in " ".join(view(red.get("units?most=500").text))]
    assert unseen, "or there is nothing to look for"
    for unit in unseen:
        assert rows(red.get(f"units?q={unit.name}").text) == []
        assert red.get(f"unit/{unit.id}").status_code == 404
        assert unit.name not in red.get(f"unit/{unit.id}").text.replace(unit.id, "")


def test_a_unit_tells_what_is_known_and_is_marked_with_one_tap(
    red: Device, tables: Tables, code: str
) -> None:
    unit = next(u for u in tables.game(code).units.values() if u.side == "red" and u.place)
    page = red.get(f"unit/{unit.id}", "sheet").text
    assert unit.name in page and unit.place in page and "<!doctype" not in page.lower()
    forms = re.findall(
        r'name="marker" value="([^"]+)".*?name="value" value="([^"]+)" aria-pressed="(\w+)"', page, re.S
    )
    form = next(("", marker, value) for marker, value, pressed in forms if pressed == "false")
    assert {marker for marker, _, _ in forms} == {"oos", "posture", "moved"}, (
        "what lies on units, nothing else"
    )
    red.do("mark", "sheet", units=unit.id, marker=form[1], value=form[2])
    assert tables.game(code).mark(unit.id, form[1])
    again = red.get(f"unit/{unit.id}", "sheet").text
    assert re.search(rf'value="{form[1]}".*?value="off" aria-pressed="true"', again, re.S), "and off again"


def test_only_its_own_side_may_touch_a_unit(app: Flask, tables: Tables, code: str) -> None:
    unit = next(u for u in tables.game(code).units.values() if u.side == "red" and u.place)
    watcher = Device(app, code)
    watcher.seat = "watch"
    for device in (Device(app, code, "blue"), watcher):
        page = device.get(f"unit/{unit.id}").text
        assert unit.name in page and "do/place-unit" not in page and "do/mark" not in page


def test_a_plain_form_leads_back_to_the_same_list(red: Device, tables: Tables, code: str) -> None:
    unit = next(u for u in tables.game(code).units.values() if u.side == "red" and u.place)
    here = f"/t/{code}/red/units?show=mine&q={unit.name[:3]}"
    answer = red.do("mark", units=unit.id, marker="oos", value="on", back=here)
    assert answer.status_code == 303 and answer.headers["Location"].startswith(
        f"/t/{code}/red/units?show=mine&q="
    )
    page = red.get(answer.headers["Location"]).text
    assert "toast-undo" in page, "with the way back"


@pytest.mark.parametrize("page", ["units", "log", "settings", "more"])
def test_a_tap_on_another_page_does_not_put_the_main_screen_there(red: Device, code: str, page: str) -> None:
    headers = {
        "Origin": "http://localhost",
        "HX-Request": "true",
        "HX-Target": "live",
        "HX-Current-URL": f"http://localhost/t/{code}/red/{page}?q=x",
    }
    answer = red.client.post(f"/t/{code}/red/do/roll-dice", data={"dice": "1d6"}, headers=headers)
    assert answer.headers["HX-Reswap"] == "none" and answer.headers["HX-Trigger"] == "table-changed"
    assert 'id="live"' not in answer.text and "1d6 rolled" in answer.text
    refused = red.client.post(
        f"/t/{code}/red/do/set-steps", data={"unit": "x", "steps": "1"}, headers=headers
    )
    assert (
        refused.status_code == 409
        and refused.headers["HX-Reswap"] == "none"
        and "toast-error" in refused.text
    )


def test_an_empty_list_says_what_it_is_good_for(app: Flask, tables: Tables) -> None:
    code = tables.new("toy", "skirmish", {}, "")
    page = Device(app, code, "red").get("units").text
    assert "none need be" in page and "/entry" in page


def test_a_page_of_250_units_is_small_and_quick(red: Device, tables: Tables, code: str) -> None:
    fill(tables, code, 250)
    red.get("units")
    began = time.perf_counter()
    page = red.get("units").text
    assert len(page) < 40_000
    assert time.perf_counter() - began < 1, "a quarter of a second is usual on a slow machine"


def test_what_was_taken_back_is_named_not_numbered(red: Device, tables: Tables, code: str) -> None:
    red.do("note", text="a slip of the pen")
    red.get()  # whoever takes something back has it before his eyes
    answer = red.do("take-back", "live", to=tables.undo_target(code))
    toast = answer.text.partition('id="toast"')[2]
    assert "Took back" in toast and "to line" not in toast


def test_who_is_lost_is_not_reduced_too(tables: Tables, code: str) -> None:
    game = tables.game(code)
    gone = next(box.id for box in game.kit.boxes if box.out)
    tables.act(code, "table", "place-unit", {"unit": next(iter(game.units)), "box": f"box:{gone}"})
    lost = [replace(u, steps=0) for u in tables.visit(code, "table").view.units if u.place == f"box:{gone}"]
    tests = _tests(tables.game(code), "table")
    assert [(tests["out"](u), tests["reduced"](u)) for u in lost] == [(True, False)]
