"""Cards of Second Kharkov: answered with one tap, and read at a glance."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from toykit import Device

from companion.tables.tables import Tables
from companion.web.app import create_app


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    app: Flask = create_app(tmp_path / "data", testing=True)
    yield app
    app.extensions["companion"]["store"].close()


@pytest.fixture
def tables(app: Flask) -> Tables:
    return app.extensions["companion"]["tables"]


@pytest.fixture
def code(tables: Tables) -> str:
    return tables.new("second-kharkov", "historical", {}, "")


def go_to(tables: Tables, code: str, turn: int, phase: str) -> None:
    last = tables.store.latest(code)
    tables.act(code, "table", "go-to", {"turn": turn, "phase": phase}, revision=last)


def test_how_many_aircraft_come_is_one_tap(app: Flask, tables: Tables, code: str) -> None:
    """10.4: none to six."""
    go_to(tables, code, 2, "soviet-combat")
    tables.act(code, "soviet", "next-phase", {}, revision=tables.store.latest(code))
    page = Device(app, code, "german").get(target="live").text
    assert re.findall(r'name="aircraft" value="(\d)"', page) == list("0123456") and "data-step" not in page


def test_a_battle_that_is_over_says_what_became_of_ones_units(app: Flask, tables: Tables, code: str) -> None:
    """2.13: whose counters must be swapped reads so without unfolding anything."""
    go_to(tables, code, 3, "soviet-combat")
    tables.act(code, "german", "enter-positions", {"text": "294 Inf 2619"})
    tables.act(code, "soviet", "enter-positions", {"text": "1 Rifle 2719"})
    attack = {"target": "2619", "attackers": "soviet-1-rifle"}
    tables.act(code, "soviet", "declare-attack", attack)
    tables.act(code, "soviet", "roll-combat", {"attack": "30", "defence": "5", "die": "2"})
    tables.act(code, "soviet", "enter-result", {"result": "0/2"})
    tables.act(code, "german", "german-losses", {"how": "stand"})
    page = Device(app, code, "german").get(target="live").text
    line = re.search(r'class="card battle-last".*?</summary>', page, re.S)[0]
    assert "294 Inf: 2 steps: put its substitute counter in" in line
    assert 'id="last-result"' not in page, "the battle tells its result"
