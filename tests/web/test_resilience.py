"""One bad part never takes a page down: it says so in a line, is logged, and Undo still works."""

import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from flask import Flask
from toykit import Device, shelf

from companion.engine import guard
from companion.engine.errors import Unreadable
from companion.engine.play.rules import Rules
from companion.engine.record.events import Marked
from companion.engine.record.game import Game
from companion.systems import find_system
from companion.tables.tables import Tables

SECRET = "the hidden 23rd Panzer"


@pytest.fixture(autouse=True)
def as_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """The guard as it is while serving; every other test lets a failing part fail."""
    monkeypatch.setattr(guard, "strict", False)
    monkeypatch.setattr(guard, "_logged", {})


@pytest.fixture
def code(tables: Tables) -> str:
    code = tables.new("toy", "skirmish", {})
    tables.act(code, "table", "set-up", {})
    tables.act(code, "red", "note", {"text": "before"})
    return code


def boom(*_: Any) -> Any:
    raise RuntimeError(SECRET)


def mistaken(*_: Any) -> Any:
    raise Unreadable(SECRET)


def in_play() -> Rules:
    """The toy's rules as they are served: loading a game copies those of its package."""
    return find_system("toy", shelf()).rules


def break_panel(patch: pytest.MonkeyPatch, how: Callable[..., Any]) -> None:
    patch.setattr(in_play(), "panels", [how, *in_play().panels])


def break_score(patch: pytest.MonkeyPatch, how: Callable[..., Any]) -> None:
    patch.setattr(in_play(), "score", how)


def break_supply(patch: pytest.MonkeyPatch, how: Callable[..., Any]) -> None:
    patch.setattr(in_play(), "supply", how)


def break_awaits(patch: pytest.MonkeyPatch, how: Callable[..., Any]) -> None:
    patch.setattr(in_play(), "awaited", how)


def break_watcher(patch: pytest.MonkeyPatch, how: Callable[..., Any]) -> None:
    patch.setattr(in_play(), "watchers", [how])


def break_when(patch: pytest.MonkeyPatch, how: Callable[..., Any]) -> None:
    patch.setattr(in_play().actions["scout"].__class__, "__setattr__", object.__setattr__)
    patch.setattr(in_play().actions["scout"], "when", how)


def break_words(patch: pytest.MonkeyPatch, how: Callable[..., Any]) -> None:
    patch.setattr("companion.tables.log.describe", how)


PARTS = [break_panel, break_score, break_supply, break_awaits, break_watcher, break_when, break_words]
PAGES = ["", "units", "map", "map?layer=zoc-red&layer=supply&layer=control", "supply", "log", "entry", "more",
         "settings", "takedown", "map/hex/0303", "sheet/combat", "do/note"]  # fmt: skip


@pytest.mark.parametrize("part", PARTS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("how", [boom, mistaken])
def test_no_failing_part_takes_a_page_down(
    app: Flask, code: str, monkeypatch: pytest.MonkeyPatch, part: Any, how: Any
) -> None:
    devices = [Device(app, code, seat) for seat in ("table", "red", "blue")]
    part(monkeypatch, how)
    for device in devices:
        for page in PAGES:
            answer = device.get(page)
            assert answer.status_code == 200, (device.seat, page)
            assert SECRET not in answer.text, "why it failed may name what this seat must not know"
        assert device.get("", target="live").status_code == 200
    assert devices[0].get(f"/api/tables/{code}").status_code == 200
    assert Device(app).get("/").status_code == Device(app).get("/hall").status_code == 200


@pytest.mark.parametrize("part", PARTS, ids=lambda f: f.__name__)
def test_undo_works_whatever_is_broken(
    app: Flask, tables: Tables, code: str, monkeypatch: pytest.MonkeyPatch, part: Any
) -> None:
    red = Device(app, code, "red")
    part(monkeypatch, boom)
    assert red.do("take-back", to=str(tables.undo_target(code))).status_code == 303
    assert tables.store.events(code)[-1].kind == "undone"


@pytest.mark.parametrize("part", PARTS, ids=lambda f: f.__name__)
def test_undo_past_a_roll_works_whatever_is_broken(
    app: Flask, tables: Tables, code: str, monkeypatch: pytest.MonkeyPatch, part: Any
) -> None:
    red, blue = Device(app, code, "red"), Device(app, code, "blue")
    red.do("roll-dice")
    part(monkeypatch, boom)
    assert red.do("take-back", to=str(tables.undo_target(code))).status_code == 303
    question = next(iter(tables.game(code).asked))
    assert blue.do("agree", ask=question, yes="yes").status_code == 303
    assert tables.store.events(code)[-1].kind == "undone"


def test_a_failing_panel_says_so_in_a_line_and_is_logged_once(
    app: Flask, code: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def supply_lines(game: Game, seat: str) -> Any:
        raise RuntimeError("no such hex")

    break_panel(monkeypatch, supply_lines)
    red = Device(app, code, "red")
    with caplog.at_level(logging.ERROR, "companion"):
        text = red.get().text
        red.get()
    assert "Supply lines cannot be shown" in text and "Undo still works" in text
    assert "Victory" in text, "the other panels stand"
    assert "no such hex" not in text
    assert [r.message for r in caplog.records] == ["Supply lines failed"]
    assert "no such hex" in caplog.text, "the log has the traceback"


def test_a_fault_nobody_foresaw_is_told_without_its_details(
    app: Flask, code: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    app.config["PROPAGATE_EXCEPTIONS"] = False
    app.config["TESTING"] = False
    red = Device(app, code, "red")
    monkeypatch.setattr(Tables, "game", boom)
    page = red.get()
    assert page.status_code == 500 and "Undo still works" in page.text and SECRET not in page.text
    data = red.get(f"/api/tables/{code}")
    assert data.status_code == 500 and "went wrong" in data.get_json()["error"] and SECRET not in data.text
    assert SECRET in caplog.text


# -- the real case -------------------------------------------------------------------------------------------


@pytest.fixture
def kharkov(app: Flask, tmp_path: Any) -> Iterator[Tables]:
    from companion.web.app import create_app

    served = create_app(tmp_path / "real", testing=True)
    yield served.extensions["companion"]["tables"]
    served.extensions["companion"]["store"].close()


REAL = [("second-kharkov", "historical", "interdiction"), ("wb95", "kharkov-1942", "owner"),
        ("kharkov-battles", "january-campaign", "interdiction")]  # fmt: skip


@pytest.mark.parametrize(("system", "scenario", "marker"), REAL)
def test_a_marker_of_hexes_is_refused_on_a_unit(
    kharkov: Tables, system: str, scenario: str, marker: str
) -> None:
    code = kharkov.new(system, scenario, {})
    side = kharkov.game(code).sides[0]
    kharkov.act(code, side, "add-unit", {"side": side, "name": "Lonely"})
    unit = next(iter(kharkov.game(code).units))
    value = kharkov.game(code).sides[0] if marker == "owner" else "on"
    with pytest.raises(Unreadable, match="lies in a hex, not on a unit such as Lonely"):
        kharkov.act(code, side, "mark", {"marker": marker, "units": unit, "value": value})
    with pytest.raises(Unreadable, match=r"lies in a hex"):
        kharkov.act(code, side, "import-positions", {"csv": f"id,side,name,marks\nx,{side},X,{marker}"})


@pytest.mark.parametrize(("system", "scenario", "marker"), REAL)
def test_a_table_that_holds_such_a_marker_already_opens_for_everybody(
    kharkov: Tables, system: str, scenario: str, marker: str
) -> None:
    """The record of a game in which a side did that before it was refused."""
    from companion.web.app import create_app

    code = kharkov.new(system, scenario, {})
    game = kharkov.game(code)
    side = game.sides[0]
    kharkov.act(code, side, "add-unit", {"side": side, "name": "Lonely"})
    unit = next(iter(kharkov.game(code).units))
    old = Marked(unit, marker, side if marker == "owner" else True)
    with kharkov.store.transaction(code) as tx:
        tx.append([old.to_json()], at="2026-01-01T00:00:00+00:00", seat=side, act="old", name="mark",
                  stream=tx.stream, answer={"revision": tx.latest + 1})  # fmt: skip
    app = create_app(kharkov.store.path.parent, testing=True)  # type: ignore[attr-defined]
    for seat in ("table", *game.sides):
        device = Device(app, code, seat)
        for page in ("", "units", "map?layer=supply&layer=control", "supply", "log", "takedown", "entry"):
            answer = device.get(page)
            assert answer.status_code == 200, (seat, page)
            assert "cannot be shown" not in answer.text
    player = Device(app, code, side)
    assert player.do("mark", marker=marker, units=unit, value="off").status_code in {303, 422}
    back = app.extensions["companion"]["tables"].undo_target(code)
    assert player.do("take-back", to=str(back)).status_code == 303
    app.extensions["companion"]["store"].close()
