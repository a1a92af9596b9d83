"""Words that a player reads: no raw id, no question in the middle of a sentence, one of a thing is one."""

import pytest

from companion.engine.errors import StillOwed
from companion.engine.forms.fields import Context
from companion.engine.record.game import Game
from companion.engine.seat.view import view
from companion.resources import SCENARIOS
from companion.systems import load_systems
from companion.tables.options import common_options

SYSTEMS = load_systems(SCENARIOS)


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_markers_values_are_words(system: str) -> None:
    found = SYSTEMS[system]
    game = Game.bare(found.kit)
    field = found.rules.find("mark").fields["value"]
    for marker in game.kit.markers:
        offered = field.describe(Context(game, values={"marker": marker.id})).get("choices", [])
        assert "Oos" not in [choice["label"] for choice in offered], marker.id


def test_what_is_owed_is_listed_in_one_sentence() -> None:
    words = StillOwed(["Which towns are behind the line?", "Roll for turn 2?"]).message
    assert "?" not in words and words.startswith(
        "Still to do: Which towns are behind the line; Roll for turn 2."
    )


def test_whom_one_waits_for_is_no_question() -> None:
    from companion.engine.play.phases import open_table

    found = SYSTEMS["kharkov-battles"]
    game = Game(found.kit, "operation-star")
    options = {option.id: option.default for option in common_options()}
    for event in open_table(found.rules, game, options, "", ""):
        game.apply(event)
    assert "?" not in view(found.rules, game, "watch").awaits.words


@pytest.mark.parametrize(
    ("system", "uses"),
    [
        ("second-kharkov", ("dice",)),
        ("panzer-keil", ("dice",)),
        ("wb95", ("dice",)),
        ("kharkov-battles", ("dice", "chits")),
        ("enemy-action-kharkov", ("chits", "cards")),
    ],
)
def test_a_game_offers_only_what_it_has(system: str, uses: tuple[str, ...]) -> None:
    kit = SYSTEMS[system].kit.system
    assert kit.uses == uses
    asked = SYSTEMS[system].rules.find("set-mode").describe(Context(Game.bare(SYSTEMS[system].kit)), {})
    assert {row["name"] for row in asked} == {*uses, "fog"}
