"""Going to another phase by hand: each phase is offered once, and told apart by its side."""

import pytest

from companion.engine.forms.fields import Context
from companion.engine.play.phases import phase_title
from companion.engine.record.game import Game
from companion.resources import SCENARIOS
from companion.systems import load_systems

SYSTEMS = load_systems(SCENARIOS)


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_two_phases_are_called_the_same(system: str) -> None:
    found = SYSTEMS[system]
    for scenario in found.kit.scenarios:
        game = Game(found.kit, scenario)
        field = found.rules.find("go-to").fields["phase"]
        labels = [choice["label"] for choice in field.describe(Context(game))["choices"]]
        assert len(labels) == len(set(labels)), (scenario, labels)


def test_a_name_that_says_its_side_is_not_said_twice() -> None:
    game = Game(SYSTEMS["second-kharkov"].kit, "historical")
    titles = {p.id: phase_title(game, p) for p in game.kit.phases}
    assert titles["soviet-move"] == "Soviet movement"
    assert titles["air-placement"] == "German: Air interdiction"
