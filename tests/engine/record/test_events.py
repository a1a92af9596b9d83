"""Events: what is stored comes back the same, and what is secret stays with the seats that may see it."""

import json
from dataclasses import replace
from typing import Any

import pytest
from toykit import HIDDEN, OPEN

from companion.engine.plain import altered
from companion.engine.record import events as e


def through_json(event: e.Event) -> e.Event:
    return e.Event.from_json(json.loads(json.dumps(event.to_json())))


def name(event: e.Event) -> str:
    return f"{event.KIND}-{'hidden' if event.only else 'open'}"


@pytest.mark.parametrize("event", [*OPEN, *HIDDEN], ids=name)
def test_an_event_is_the_same_after_storing(event: e.Event) -> None:
    again = through_json(event)
    assert type(again) is type(event)
    assert json.dumps(again.to_json(), sort_keys=True) == json.dumps(event.to_json(), sort_keys=True)
    for field in event.__dataclass_fields__:
        before, after = getattr(event, field), getattr(again, field)
        assert json.dumps(after) == json.dumps(before), field


@pytest.mark.parametrize("event", [*OPEN, *HIDDEN], ids=name)
def test_an_altered_event_is_the_same_but_for_that(event: e.Event) -> None:
    before = replace(event)
    assert altered(event, only=("red",)) == replace(event, only=("red",))
    assert event == before


def test_every_kind_of_event_is_tried_here() -> None:
    assert {event.KIND for event in OPEN} == set(e.KINDS)


def test_every_kind_with_secrets_is_tried_here() -> None:
    assert {event.KIND for event in HIDDEN} == {kind for kind, cls in e.KINDS.items() if cls.SECRET}


def test_no_two_kinds_share_a_name() -> None:
    assert len(set(e.KINDS.values())) == len(e.KINDS)


def test_a_default_is_not_written_out() -> None:
    assert e.Noted("rain").to_json() == {"kind": "noted", "text": "rain"}


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"kind": "exploded"}, ["exploded", "noted", "rolled"]),
        ({}, ["None", "known are"]),
        ({"kind": ["noted"], "text": "x"}, ["unknown kind"]),
        ({"kind": "noted", "text": "x", "colour": "red", "angle": 3}, ["noted", "angle, colour"]),
    ],
)
def test_an_event_that_cannot_be_read_is_named(body: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ValueError, match="event") as raised:
        e.Event.from_json(body)
    assert all(word in str(raised.value) for word in words)


@pytest.mark.parametrize("event", HIDDEN, ids=name)
@pytest.mark.parametrize("seat", ["blue", "table", "watch", ""])
def test_another_seat_gets_no_secret_field(event: e.Event, seat: str) -> None:
    seen = event.seen_by(seat)
    assert seen["hidden"] is True
    assert not set(event.SECRET) & set(seen)
    assert "SECRET" not in json.dumps(seen) and "987654" not in json.dumps(seen)
    assert "only" not in seen, "who may see it is nobody else's business"


@pytest.mark.parametrize("event", HIDDEN, ids=name)
def test_the_seat_itself_gets_everything(event: e.Event) -> None:
    seen = event.seen_by("red")
    assert "hidden" not in seen and "only" not in seen
    assert seen == {k: v for k, v in event.to_json().items() if k != "only"}


@pytest.mark.parametrize("event", OPEN, ids=name)
def test_an_open_event_is_the_same_for_all(event: e.Event) -> None:
    assert event.seen_by("red") == event.seen_by("watch") == event.to_json()
