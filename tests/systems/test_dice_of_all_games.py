"""Dice fields of every game: a rule that looks at single dice never takes their sum instead."""

import inspect
import re

import pytest
from harness import SCENARIOS

from companion.engine.forms.fields import Dice
from companion.engine.play.actions import Action
from companion.systems import load_systems

FIELDS = [
    pytest.param(action, name, field, id=f"{system}-{action.name}-{name}")
    for system, game in load_systems(SCENARIOS).items()
    for action in game.rules.actions.values()
    for name, field in action.fields.items()
    if isinstance(field, Dice)
]


@pytest.mark.parametrize(("action", "name", "field"), FIELDS)
def test_only_a_rule_that_reads_single_dice_insists_on_them(action: Action, name: str, field: Dice) -> None:
    reads_each = re.search(rf"\b{name}\.values\b", inspect.getsource(action.fn)) is not None
    assert field.each == reads_each, f"{action.name}: Dice(each={reads_each}) is meant"
