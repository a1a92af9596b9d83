"""The game's page names everything that a player can do or choose."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import SCENARIOS

from companion.systems import find_system, new_rules

PAGE = (Path(__file__).parents[3] / "docs" / "games" / "wb95.md").read_text(encoding="utf-8")
SYSTEM = find_system("wb95", SCENARIOS)
OWN = sorted(set(SYSTEM.rules.actions) - set(new_rules("any").actions) - set(new_rules("none").actions))
OPTIONS = [o.id for o in SYSTEM.kit.system.options] + [
    o.id for s in SYSTEM.kit.scenarios.values() for o in s.options
]


@pytest.mark.parametrize("name", OWN)
def test_every_action_is_described(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("name", sorted(set(SYSTEM.rules.worksheets) - set(new_rules("none").worksheets)))
def test_every_worksheet_is_described(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("name", OPTIONS)
def test_every_option_is_described(name: str) -> None:
    assert f"`{name}`" in PAGE


@pytest.mark.parametrize("chapter", range(1, 17))
def test_every_chapter_is_in_the_coverage_table(chapter: int) -> None:
    assert f"\n| {chapter}" in PAGE
