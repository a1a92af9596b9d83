"""Loading a game's kit changes nothing that the game's package holds."""

from importlib import import_module
from pathlib import Path

import pytest

from companion.resources import SCENARIOS
from companion.systems import IDS, load_system, package_of


@pytest.mark.parametrize("system", IDS)
def test_the_package_s_own_rules_stay_as_they_are_written(system: str) -> None:
    rules = import_module(package_of(system)).rules
    before = dict(rules.actions)
    found, _ = load_system(system, Path(SCENARIOS))
    assert found is not None and rules.actions == before
    assert found.rules is not rules and set(found.rules.actions) == set(before)
