"""Strict names: what a game's rules and checklists name is declared by its kit, and a slip is found without playing."""

import ast
from types import ModuleType

import pytest
from harness import SCENARIOS, Bench
from toykit import Table

from companion.engine.errors import Undeclared
from companion.engine.record import events as e
from companion.systems import IDS, find_system
from companion.systems.names import undeclared, uses


@pytest.mark.parametrize("game", IDS)
def test_every_name_is_declared(game: str) -> None:
    assert undeclared(find_system(game, SCENARIOS)) == []


@pytest.mark.parametrize(
    ("line", "kind", "pattern"),
    [
        ('game["wether"]', "value", "wether"),
        ('ctx.game["wether"]', "value", "wether"),
        ('game[f"air-{side}"]', "value", r"air\-.+"),
        ("game[TRACK]", "value", "supply"),
        ('e.Set("wether", 1)', "value", "wether"),
        ('game.mark(unit, "oss")', "marker", "oss"),
        ('game.marked("oss")', "marker", "oss"),
        ('put_mark(game, unit, "oss", True)', "marker", "oss"),
        ('e.Marked(unit, "oss", True)', "marker", "oss"),
        ('game.piles["cpu"]', "pile", "cpu"),
        ('e.Drawn("cpu", (), "a", "b")', "pile", "cpu"),
        ('game.chart("crd")', "chart", "crd"),
        ('place == "box:daed"', "box", "daed"),
        ('f"box:daed-{side}"', "box", r"daed\-.+"),
        ('game.book.tables.get("crads")', "list", "crads"),
    ],
)
def test_names_are_found_in_source(line: str, kind: str, pattern: str) -> None:
    module = ModuleType("rules")
    module.TRACK = "supply"  # type: ignore[attr-defined]
    assert [(u.kind, u.pattern) for u in uses(ast.parse(line), module)] == [(kind, pattern)]


def test_a_name_that_only_a_run_can_tell_is_left_to_the_run() -> None:
    assert not list(uses(ast.parse("game[name]; game.mark(unit, marker)"), ModuleType("rules")))
    with pytest.raises(Undeclared, match="no value 'wether'. Did you mean weather"):
        Table().game["wether"]
    with pytest.raises(Undeclared, match="no marker 'oss'"):
        Table().game.mark("g1", "oss")


def test_nothing_undeclared_is_recorded() -> None:
    t = Bench("second-kharkov", "historical")
    for event in (e.Set("wether", "mud"), e.Marked("2408", "oss", True), e.Drawn("cpu", (), "", "hand")):
        with pytest.raises(Undeclared):
            t.game.declares(event)


def test_an_old_record_with_a_name_that_is_gone_still_opens() -> None:
    t = Bench("second-kharkov", "historical")
    t.record(e.Set("a-track-of-old", 3))
    assert t.replayed()["a-track-of-old"] == 3


def test_a_memo_has_its_start_until_it_is_set() -> None:
    t = Bench("enemy-action-kharkov", "campaign")
    assert t.game["told-cards"] == {} and t.game["last-german"] == ""
