"""The log's words: what each event says to those who may read it and to those who may not."""

from dataclasses import replace

import pytest
from toykit import HIDDEN, OPEN, Table

from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, OFF_COUNTER
from companion.engine.seat.story import lowered
from companion.engine.seat.words import describe, name_label, place_label, value_label

GAME = Table().game

LINES: list[tuple[e.Event, str]] = [
    (e.Started("toy", "skirmish", {}, "ab"), "Table opened: Toy Kharkov, Skirmish"),
    (e.Advanced(2, "air"), "Day 2, 13 May: Air Phase"),
    (e.Advanced(2, "air", reason="we forgot"), "Day 2, 13 May: Air Phase (we forgot)"),
    (e.Set("vp", 4, was=3, reason="won a fight"), "Victory points: 3 → 4 (won a fight)"),
    (e.Set("weather", "mud", was="clear"), "Weather: Clear → Deep mud"),
    (e.Set("storm", True), "Storm order: yes"),
    (e.Set("mode-dice", "physical"), "Dice: real ones, typed in"),
    (e.Rolled("2d6+1", (3, 5), "combat", index=1), "combat: 2d6+1 rolled 3, 5 +1 = 9"),
    (e.Rolled("1d6", (3,), mode="physical"), "1d6 rolled 3 (by hand)"),
    (e.Rolled("2d6", (6, 6), mode="physical"), "2d6 rolled 6, 6 = 12 (by hand)"),
    (e.Rolled("2d6", (), mode="physical", sum=12), "2d6 rolled 12 (by hand)"),
    (e.Rolled("2d6+1", (), mode="physical", sum=12), "2d6+1 rolled 12 +1 = 13 (by hand)"),
    (e.Drawn("cup", ("amber",), "cup", "drawn", 1), "Chit cup: amber from cup to drawn"),
    (e.Drawn("deck", ("STUKA",), "deck", "hand:red", 1), "Card deck: STUKA from deck to Red hand"),
    (e.Drawn("deck", ("STUKA",), "deck", "at:red-guards", 1), "Card deck: STUKA from deck to under Guards"),
    (
        e.Returned("cup", ("amber",), "drawn", "cup", 1, "physical"),
        "Chit cup: amber from drawn to cup (by hand)",
    ),
    (e.Placed("red-guards", "box:dead", was="0303"), "Guards: 0303 → Dead pile"),
    (e.Placed("red-guards", ""), "Guards: off the record"),
    (e.Placed("red-guards", "", reason=IN_PASSING), ""),
    (e.Placed("red-guards", facts={"steps": 1}), "Guards: 1 step"),
    (e.Placed("red-guards", facts={"name": "x"}, reason="renamed"), "Guards: renamed"),
    (
        e.Placed("red-guards", facts={"factors": {"A": 9}}, reason=OFF_COUNTER),
        "Guards: A 9 (read off the counter)",
    ),
    (
        e.Placed("red-guards", facts={"kind": "rifle", "steps": 2, "factors": {}}, reason=OFF_COUNTER),
        "Guards: rifle, 2 steps (read off the counter)",
    ),
    (e.Marked("red-guards", "oos", 2), "Guards: Out of supply 2"),
    (e.Marked("0303", "fort", True), "0303: Fort"),
    (e.Marked("0303", "fort"), "0303: Fort off"),
    (e.Marked("0303", "fort", True, reason=IN_PASSING), ""),
    (e.Set("vp-red", 3, was=2, reason=IN_PASSING), ""),
    (e.Sealed("mission", "red", "x"), "Red has chosen in secret"),
    (e.Revealed("mission", {}), "Revealed: mission"),
    (e.Resolved("combat", {"title": "Combat", "column": "2:1"}, "DR"), "Combat at 2:1: DR"),
    (e.Engaged(title="Attack on 0303", attacker="red", defender="blue"), "Red: Attack on 0303"),
    (e.Engaged(7, result="called off"), "The battle: called off"),
    (e.Engaged(7, reason="two aircraft join"), "two aircraft join"),
    (e.Engaged(7, facts={"aircraft": 2}), ""),
    (e.Asked("q", ("red",), "Read your chart"), "Red to do: Read your chart"),
    (e.Asked("q", ("red",), "Red: lose 1 step"), "To do: Red: lose 1 step"),
    (e.Asked("q", ("red", "blue"), "Count the points"), "To do: Count the points"),
    (e.Asked("q", ("red",), "Move in", duty="offered"), ""),
    (e.Answered("q", "does not apply", text="Lose 1 step"), "Does not apply: Lose 1 step"),
    (e.Answered("q"), ""),
    (e.Ticked("1/weather/0", True, "Roll"), "Done: Roll"),
    (e.Ticked("1/weather/0", False), "Not done: 1/weather/0"),
    (e.Ticked("1/combat/1", True, IN_PASSING), ""),
    (e.Drawn("cup", ("amber",), "cup", "drawn", 1, reason=IN_PASSING), ""),
    (e.Noted("rain"), "rain"),
    (e.Seated("red", "joined", "phone"), "Red phone joined."),
    (e.Seated("red", "left", "phone"), "Red phone left."),
    (e.Seated("red", "left", "phone", why="free"), "Red phone left: the seat is free."),
    (
        e.Seated("red", "new-code"),
        "Red seat: the old code and device no longer work, a new code is shown.",
    ),
    (e.Seated("red", "closed"), "Red seat: closed."),
    (e.Seated("table", "joined", "tablet"), "Table's screen: a tablet joined."),
    (e.Seated("table", "left", "tablet", why="free"), "Table's screen: a tablet left, nobody holds it now."),
    (
        e.Seated("table", "new-code", why="Red asked, Blue agreed"),
        "The table's screen got a new code: Red asked, Blue agreed.",
    ),
    (e.Answered("new-code-7", "refused"), "The new code for the table's screen was refused."),
    (e.Answered("new-code-7", "agreed"), ""),
    (e.Undone(4, "agreed by Blue"), "taken back to line 4 (agreed by Blue)"),
    (e.Reseeded("cd" * 32, "11" * 32), "The dice go on with a new seed, fingerprint cdcdcdcdcdcd…"),
    (e.Ended("red", "decisive", "Twenty points."), "The game is over: Red, decisive. Twenty points."),
    (e.Ended("nobody"), "The game is over: nobody."),
]

SECRET_LINES: list[tuple[e.Event, str]] = [
    (e.Set("reserve", 7, only=("red",)), "Red reserve changed in secret"),
    (e.Rolled("1d6", (3,), only=("red",)), "rolled 1d6 in secret"),
    (e.Drawn("deck", ("STUKA",), "deck", "hand:red", 1, only=("red",)), "Card deck: 1 from deck to Red hand"),
    (e.Placed("red-guards", "0404", was="0303", side="red", only=("red",)), "a Red unit: 0303 → 0404"),
    (e.Placed("red-guards", facts={"steps": 1}, side="red", only=("red",)), "a Red unit: record changed"),
    (e.Marked("red-guards", "oos", 2, only=("red",)), ""),
    (e.Noted("hush", only=("red",)), "a note in secret"),
    (e.Noted("nobody is cut off", rule="10.1", only=("red",)), ""),
    (e.Asked("q", ("red",), "hush", only=("red",)), ""),
    (e.Resolved("combat", {"title": "Ambush"}, "DR", only=("red",)), "combat: DR"),
]


@pytest.mark.parametrize(("event", "line"), LINES, ids=[f"{x.KIND}-{n}" for n, (x, _) in enumerate(LINES)])
def test_an_event_is_one_short_line(event: e.Event, line: str) -> None:
    assert describe(event.seen_by("red"), GAME) == line


@pytest.mark.parametrize(("event", "line"), SECRET_LINES, ids=[x.KIND for x, _ in SECRET_LINES])
def test_to_the_other_side_a_secret_is_a_line_that_tells_nothing(event: e.Event, line: str) -> None:
    assert describe(event.seen_by("blue"), GAME) == line


def test_every_kind_has_its_words() -> None:
    assert {event.KIND for event, _ in LINES} == set(e.KINDS)


@pytest.mark.parametrize("event", [*OPEN, *HIDDEN], ids=lambda event: event.KIND)
@pytest.mark.parametrize("seat", ["red", "blue", "watch"])
def test_no_event_is_beyond_words(event: e.Event, seat: str) -> None:
    line = describe(event.seen_by(seat), GAME)
    assert isinstance(line, str)
    assert "None" not in line
    if event.only and seat != "red":
        assert "SECRET" not in line


def test_labels_are_the_kits_words_and_fall_back_on_the_id() -> None:
    assert (value_label(GAME, "reading", "defender"), value_label(GAME, "vp", 3)) == ("The defender", "3")
    assert (name_label(GAME, "vp"), name_label(GAME, "entropy-red")) == ("Victory points", "Entropy red")
    assert (place_label(GAME, "box:camp"), place_label(GAME, "box:moon")) == ("Rear camp", "moon")


def test_a_game_has_its_own_words_for_steps_and_for_a_marker_s_values() -> None:
    game = Table().game
    words = {"attack": "going forward"}
    markers = tuple(replace(m, words=words) if m.id == "posture" else m for m in game.kit.markers)
    markers = tuple(replace(m, quiet=True) if m.id == "moved" else m for m in markers)
    game.kit = replace(game.kit, step_name="CEL", steps_name="CEL", markers=markers)
    assert describe(e.Placed("red-guards", facts={"steps": 2}).seen_by("red"), game) == "Guards: 2 CEL"
    assert describe(e.Marked("red-guards", "posture", "attack").to_json(), game) == (
        "Guards: Posture going forward"
    )
    assert describe(e.Marked("red-guards", "moved", True).to_json(), game) == ""


def test_a_result_tells_what_it_means() -> None:
    effects = [{"label": "Blue", "effect": "falls back 2"}, {"label": "Red loses 1"}]
    event = e.Resolved("combat", {"title": "Combat", "column": "2:1", "effects": effects}, "DR")
    assert describe(event.to_json(), GAME) == "Combat at 2:1: DR (Blue: falls back 2; Red loses 1)"


def test_a_secret_mark_does_not_even_tell_its_name() -> None:
    event = e.Marked("red-guards", "oos", 2, reason="cut off", rule="9.9", only=("red",))
    assert event.seen_by("blue") == {"kind": "marked", "hidden": True}


@pytest.mark.parametrize(
    ("words", "title", "told"),
    [
        ("Attack on 2408", True, "attack on 2408"),
        ("Mobile Assault on 2408", True, "Mobile Assault on 2408"),
        ("Take Air Points", False, "take Air Points"),
        ("ZOC", True, "ZOC"),
    ],
)
def test_a_term_keeps_its_capitals_within_a_sentence(words, title, told):
    assert lowered(words, title) == told
