"""Every list, hint and message is made from what the seat may see."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from toykit import Table, toy_rules

from companion.engine.errors import Mistake
from companion.engine.forms.fields import Context, Tokens, UnitRef
from companion.engine.play.actions import make_action
from companion.engine.record import events as e
from companion.engine.record.game import Game

HIDDEN = "Jaeger"  # it lies under the Flak


def field(**spec: Any) -> UnitRef:
    """A field whose game offers every unit, whoever asks."""
    return UnitRef(pick=lambda c: c.game.units.values() if c.game else [], **spec)


def told(table: Table, seat: str, item: UnitRef, given: str) -> str:
    """Everything a refusal says, without what was given."""
    with pytest.raises(Mistake) as wrong:
        item.read(given, Context(table.game, seat))
    return json.dumps(wrong.value.to_json()).replace(given, "X")


@pytest.mark.parametrize("seat", ["table", "red", "watch"])
@pytest.mark.parametrize("given", ["Jaege", "blue-jaege", "nobody", "Jaeger", "blue-jaeger"])
def test_no_hint_names_a_unit_that_lies_hidden(seat: str, given: str) -> None:
    answer = told(Table(), seat, field(), given)
    assert HIDDEN not in answer and "jaeger" not in answer


def test_a_near_miss_still_leads_to_a_unit_that_lies_open() -> None:
    assert "Did you mean Flak?" in told(Table(), "table", field(), "Flac")


@pytest.mark.parametrize("seat", ["table", "red"])
def test_a_hidden_unit_is_answered_as_one_that_is_not_there(seat: str) -> None:
    table = Table()
    assert told(table, seat, field(), HIDDEN) == told(table, seat, field(), "Nobody")


def test_the_shared_screen_sends_to_the_sides_phone() -> None:
    """Whether there is such a unit or not."""
    for name in (HIDDEN, "Nobody"):
        assert "chosen on its own side's phone" in told(Table(), "table", field(), name)


def test_the_accepted_units_are_those_that_lie_open() -> None:
    item = UnitRef(pick=lambda c: [c.game.units["blue-jaeger"]] if c.game else [])
    table = Table()
    assert "jaeger" not in told(table, "table", item, "Flak")
    assert item.read(HIDDEN, Context(table.game, "blue")) == "blue-jaeger"


@pytest.mark.parametrize(
    ("seat", "first"), [("table", ["blue-flak"]), ("blue", ["blue-flak", "blue-jaeger"])]
)
def test_a_form_begins_with_units_that_lie_open(seat: str, first: list[str]) -> None:
    item = field(many=True, start=lambda c: ["blue-jaeger", "blue-flak"])
    assert item.first(Context(Table().game, seat)) == first


def test_a_form_that_begins_with_one_hidden_unit_begins_empty() -> None:
    def nothing(game: Game, unit: Annotated[str, field(start=lambda c: "blue-jaeger")] = "") -> Any:
        yield e.Noted(unit)

    action, game = make_action(nothing), Table().game
    assert [row["value"] for row in action.describe(Context(game, "table"))] == [""]
    assert [row["value"] for row in action.describe(Context(game, "blue"))] == ["blue-jaeger"]


@pytest.mark.parametrize("seat", ["table", "blue", "watch"])
def test_tokens_of_a_closed_zone_are_neither_offered_nor_named(seat: str) -> None:
    table = Table()
    table.do("red", "draw-card")
    (card,) = table.game.piles["deck"]["hand:red"]
    item = Tokens(pile="deck", zone="hand:red")
    here = Context(table.game, seat)
    assert item.describe(here)["choices"] == []
    with pytest.raises(Mistake) as wrong:
        item.read("x", here)
    assert card not in json.dumps(wrong.value.to_json())
    assert item.read(card, Context(table.game, "red")) == card


def test_the_answer_to_a_hidden_question_is_hidden_too() -> None:
    table = Table()
    table.do("red", "whisper", text="wolf-hour")
    (ask,) = table.game.asked
    done = table.do("red", "spend", _asked=ask)
    (answer,) = [event for event in done if isinstance(event, e.Answered)]
    assert answer.seen_by("red")["answer"] == toy_rules().find("spend").label
    for seat in ("blue", "table", "watch"):
        assert answer.seen_by(seat) == {"kind": "answered", "id": ask, "hidden": True}


def test_a_hidden_marker_goes_off_in_secret_too() -> None:
    """The sequence clears markers by itself; the record must not name the hidden unit that carried one."""
    table = Table()
    definition = next(m for m in table.game.kit.markers if m.clears and "unit" in m.on)
    marker, value = definition.id, next(iter(definition.values), "on")
    table.do("blue", "mark", marker=marker, units="blue-jaeger", value=value)
    while table.game.mark("blue-jaeger", marker) is not None:
        table.do("table", "next-phase")
    for seat in ("red", "table", "watch"):
        assert "jaeger" not in json.dumps(table.hears(seat)).lower()
