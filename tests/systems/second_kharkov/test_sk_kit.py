"""The kit and the page in the docs say what the rules can do, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness import SCENARIOS

from companion.engine.kit.load import load_kit
from companion.systems import find_system, new_rules
from companion.systems.second_kharkov import rules

FOLDER = SCENARIOS / "second-kharkov"
CODE = Path(rules.actions["resolve-combat"].fn.__code__.co_filename).parent
PAGE = (SCENARIOS.parent / "docs" / "games" / "second-kharkov.md").read_text(encoding="utf-8")
KIT = find_system("second-kharkov", SCENARIOS).kit
OWN = sorted(
    n for n, a in rules.actions.items() if a.fn.__module__.startswith("companion.systems.second_kharkov")
)
OPTIONS = sorted(
    {o.id for o in (*KIT.system.options, *(o for s in KIT.scenarios.values() for o in s.options))}
)


def test_the_kit_is_sound() -> None:
    _, problems = load_kit(FOLDER)
    assert problems == []


def test_checklists_offer_actions_that_exist() -> None:
    named = {c.action for p in KIT.system.phases for c in p.checklist if c.action}
    assert named <= set(rules.actions) and not named & set(new_rules("any").actions)


def test_arrivals_name_units_of_the_roster() -> None:
    for scenario in KIT.scenarios.values():
        units = {u.id for u in scenario.units}
        assert all(set(a.units) <= units for a in scenario.arrivals)


def test_every_unit_s_note_is_whole() -> None:
    """A comma in a spreadsheet begins the next column: 172/75 lost half its note to `untried`."""
    units = {u.id: u for u in KIT.scenarios["historical"].units}
    assert "turn is on the counter" in units["172-75"].note
    assert {u.untried for u in units.values() if u.side == "german"} == {False}


def test_both_scenarios_share_the_reinforcement_schedule() -> None:
    """13.3."""
    assert KIT.scenarios["historical"].arrivals == KIT.scenarios["alternative"].arrivals


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_changes_something(option: str) -> None:
    code = "".join(p.read_text(encoding="utf-8") for p in CODE.glob("*.py"))
    assert f'"{option}"' in code
    assert f"`{option}`" in PAGE, "and its reading stands in the docs"


@pytest.mark.parametrize("name", OWN)
def test_every_action_is_documented(name: str) -> None:
    assert rules.actions[name].rule, "an action cites its rule"
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("name", ["combat", "movement"])
def test_every_worksheet_is_documented(name: str) -> None:
    assert f"`{name}`" in PAGE


def test_the_page_names_only_what_is_there() -> None:
    named = set(re.findall(r"`([a-z][a-z0-9-]+)`", PAGE))
    things = {*rules.actions, *rules.worksheets, *OPTIONS, *(b.id for b in KIT.system.books)}
    things |= {m.id for m in KIT.system.markers} | {"west", "south", "perimeter"}
    assert named <= things, named - things


def test_only_three_results_are_known_from_the_rulebook() -> None:
    """12.18, 12.7 errata; 12.9's automatic result has no cell."""
    known = {key: cell.value for key, cell in KIT.charts["crt"].cells.items() if cell}
    assert known == {("3", "3:1"): "1/2", (">6", "4:1"): "1/1"}
