"""Events: what is stored comes back the same, and what is secret stays with the seats that may see it."""

import json
from typing import Any

import pytest

from companion.engine import events as e

OPEN: list[e.Event] = [
    e.Started("toy", "skirmish", {"fog": True, "mode-dice": "either"}, "ab" * 32, "Friday night"),
    e.Started("toy", "skirmish", {}, "ab" * 32),
    e.Advanced(2, "air", ("bog",), "set by hand"),
    e.Advanced(1, "weather"),
    e.Set("vp", 0, was=3, reason="corrected", rule="8.1"),
    e.Set("fog", False, was=True),
    e.Set("words", "", was=None),
    e.Rolled("2d6", (3, 5), "combat", "digital", 0),
    e.Rolled("1d10z", (0,), mode="physical"),
    e.Drawn("cup", ("amber", "birch"), "cup", "drawn", 2, "digital", 7, "two at dawn"),
    e.Drawn("cup", (), "cup", "drawn"),
    e.Returned("cup", ("amber",), "drawn", "cup", 1),
    e.Placed("red-guards", "0303", was="0304", facts={"steps": 1}, reason="retreat", rule="7.4", side="red"),
    e.Placed("red-guards", ""),
    e.Placed("red-guards", facts={"steps": 0}),
    e.Marked("red-guards", "oos", 2, "cut off", "6.1"),
    e.Marked("0303", "fort"),
    e.Marked("0303", "fort", False),
    e.Sealed("mission", "red", {"bomb": ["0303"]}),
    e.Sealed("mission", "red", []),
    e.Sealed("mission", "blue", ""),
    e.Revealed("mission", {"red": "bomb", "blue": ""}),
    e.Resolved("combat", {"title": "Combat", "lines": []}, "DR"),
    e.Asked("result-9", ("red", "table"), "Read your chart", "enter-result", {"codes": ["DR"]}, "7.1", "combat"),
    e.Answered("result-9", "DR"),
    e.Ticked("1/weather/0", True, "Roll for the weather"),
    e.Ticked("1/weather/0", False),
    e.Noted("<b>привет</b> 🎲", "1.1"),
    e.Undone(4, "agreed by Blue"),
    e.Ended("red", "decisive", "Red has twenty points.", "9.1"),
    e.Ended("nobody"),
]

HIDDEN: list[e.Event] = [
    e.Set("reserve", "SECRET", was="SECRET", reason="counted", only=("red",)),
    e.Rolled("1d6", (987654,), "behind the screen", only=("red",)),
    e.Drawn("deck", ("SECRET",), "deck", "hand:red", 1, only=("red",)),
    e.Returned("deck", ("SECRET",), "hand:red", "deck", 1, only=("red",)),
    e.Placed("SECRET", "0303", was="0304", facts={"name": "SECRET"}, side="red", only=("red",)),
    e.Marked("SECRET", "fort", "SECRET", only=("red",)),
    e.Sealed("mission", "red", "SECRET", only=("red",)),
    e.Resolved("combat", {"title": "SECRET"}, "DR", only=("red",)),
    e.Asked("q1", ("red",), "SECRET", "spend", {"text": "SECRET"}, only=("red",)),
    e.Noted("SECRET", only=("red",)),
]


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
