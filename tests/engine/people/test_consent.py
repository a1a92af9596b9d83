"""Consent: taking back, ending the game, laying the record open, lifting the fog, words in the dice."""

import pytest
from harness import refused
from toykit import Table, consents

from companion.engine.errors import NotNow, NotYours, Unreadable
from companion.engine.record import events as e


def seated(*seats: str, **options: bool) -> Table:
    """A table where devices sit at these seats."""
    table = Table(**options)
    table.game.seated = frozenset(seats)
    return table


# -- who must agree ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sitting", "asker", "asked"),
    [
        (("red", "blue"), "red", [("blue",)]),
        (("red", "blue"), "table", [("red",), ("blue",)]),
        (("red",), "red", [("blue", "table")]),
        (("red",), "table", [("red",), ("blue", "table")]),
        ((), "table", [("red", "blue", "table")]),
        ((), "red", [("blue", "table")]),
    ],
)
def test_ending_the_game_needs_every_side(
    sitting: tuple[str, ...], asker: str, asked: list[tuple[str, ...]]
) -> None:
    """The table's screen speaks for those sides only that no device sits at."""
    table = seated(*sitting)
    table.do(asker, "end-game", winner="red")
    assert [ask.to for ask in consents(table.game)] == asked
    assert table.game.ended is None
    table.agree()
    assert table.game.ended == e.Ended("red") and table.game.record_open


def test_one_yes_of_two_ends_nothing() -> None:
    table = seated("red", "blue")
    table.do("table", "end-game", winner="red")
    first, second = consents(table.game)
    table.do("red", "agree", ask=first.id, yes=True)
    assert table.game.ended is None
    table.do("blue", "agree", ask=second.id)
    assert table.game.ended is None and not consents(table.game)


def test_a_refusal_closes_the_question_for_all() -> None:
    table = seated("red", "blue")
    table.do("table", "end-game", winner="red")
    first, _ = consents(table.game)
    table.do("red", "agree", ask=first.id)
    assert not consents(table.game)


def test_the_asker_cannot_agree_and_may_withdraw() -> None:
    table = seated("red", "blue")
    table.do("red", "end-game", winner="red")
    (ask,) = consents(table.game)
    with pytest.raises(NotYours):
        table.do("red", "agree", ask=ask.id, yes=True)
    with pytest.raises(NotYours):
        table.do("table", "agree", ask=ask.id, yes=True)
    assert table.do("red", "agree", ask=ask.id) == [e.Answered(ask.id, "withdrawn")]


def test_the_same_question_is_not_asked_twice() -> None:
    table = seated("red", "blue")
    table.do("red", "end-game", winner="red")
    with refused(NotNow, given="end-game"):
        table.do("red", "end-game", winner="red")


def test_a_question_for_consent_outlives_its_phase() -> None:
    table = seated("red", "blue")
    table.do("red", "end-game", winner="red")
    table.do("table", "next-phase")
    assert len(consents(table.game)) == 1


def test_the_asker_is_told_whom_the_table_waits_for() -> None:
    table = seated("red", "blue")
    table.do("red", "end-game", winner="red")
    (mine,) = [a for a in table.sees("red")["asked"] if a["consent"]]
    assert (mine["asker"], mine["mine"], mine["to_words"]) == ("red", False, "Blue")


def test_alone_at_the_table_nobody_is_asked() -> None:
    table = Table(solo=True)
    table.do("red", "end-game", winner="red")
    assert table.game.ended == e.Ended("red") and table.game.record_open


def test_an_ended_game_is_not_ended_again() -> None:
    table = Table(solo=True)
    table.do("red", "end-game", winner="red")
    with pytest.raises(NotNow):
        table.do("red", "end-game", winner="blue")


# -- the record ----------------------------------------------------------------------------------------------


def ended_by_the_rules() -> Table:
    table = seated("red", "blue")
    table.game.apply(e.Ended("red", "", "Red has twenty points."))
    table.events.append(e.Ended("red", "", "Red has twenty points."))
    return table


def test_an_ending_by_the_rules_leaves_the_record_closed() -> None:
    """Otherwise a side could bring an ending about by corrections, look, and take it back."""
    table = ended_by_the_rules()
    assert table.game.ended and not table.game.record_open
    table.do("red", "lay-open")
    assert not table.game.record_open
    table.agree()
    assert table.game.record_open


def test_the_record_cannot_be_laid_open_while_the_game_goes_on() -> None:
    with refused(NotNow, given="lay-open"):
        seated("red", "blue").do("red", "lay-open")


def test_taking_an_ending_back_needs_the_other_side() -> None:
    table = ended_by_the_rules()
    (ask,) = table.do("red", "take-back", to=table.game.revision - 1)
    assert isinstance(ask, e.Asked) and "the game's end" in ask.text


def test_the_fog_is_not_the_tables_to_lift() -> None:
    table = seated("red", "blue")
    table.do("table", "set-mode", fog=False)
    assert table.game["fog"] and [ask.to for ask in consents(table.game)] == [("red",), ("blue",)]
    table.agree()
    assert table.game["fog"] is False
    table.do("table", "set-mode", fog=True)
    assert table.game["fog"] is True


# -- taking back ---------------------------------------------------------------------------------------------


def test_asked_by_the_tables_screen_both_sides_must_agree_to_a_take_back() -> None:
    """Nobody knows who tapped there."""
    table = seated("red", "blue")
    line = table.game.revision
    table.do("red", "roll-dice")
    table.do("table", "take-back", to=line)
    assert [ask.to for ask in consents(table.game)] == [("red",), ("blue",)]


def test_where_a_device_sits_at_the_other_side_only_that_one_can_agree() -> None:
    table = seated("red", "blue")
    line = table.game.revision
    table.do("red", "roll-dice")
    (ask,) = table.do("red", "take-back", to=line)
    assert isinstance(ask, e.Asked) and ask.to == ("blue",)


def test_what_involved_no_chance_is_taken_back_at_once() -> None:
    table = Table()
    line = table.game.revision
    table.do("red", "correct", name="vp", value="9")
    assert table.do("blue", "take-back", to=line) == [e.Undone(line)]
    assert table.game["vp"] == 3


@pytest.mark.parametrize(
    "chance", [("roll-dice", {}), ("roll-dice", {"result": "4"}), ("draw-chit", {}), ("draw-card", {})]
)
def test_past_chance_the_other_side_must_agree(chance: tuple[str, dict[str, str]]) -> None:
    table = Table()
    line = table.game.revision
    table.do("red", chance[0], **chance[1])
    (ask,) = table.do("red", "take-back", to=line)
    assert isinstance(ask, e.Asked)
    assert ask.to == ("blue", "table")
    with refused(NotYours, field="ask", given="red"):
        table.do("red", "agree", ask=ask.id, yes=True)
    assert table.do("blue", "agree", ask=ask.id, yes=True) == [
        e.Undone(line, reason="Red asked, Blue agreed")
    ]
    assert table.game.revision > line and table.game.last_chance == 0
    with refused(NotNow, field="ask", given=ask.id):
        table.do("blue", "agree", ask=ask.id, yes=True)


def test_past_a_reveal_the_other_side_must_agree() -> None:
    table = Table()
    line = table.game.revision
    table.do("red", "choose", mission="bomb")
    assert table.do("red", "take-back", to=line) == [e.Undone(line)], (
        "one sealed choice tells nobody anything"
    )
    table.do("red", "choose", mission="bomb")
    table.do("blue", "choose", mission="flee")
    assert isinstance(table.do("red", "take-back", to=line)[0], e.Asked)


def test_a_refused_take_back_leaves_everything() -> None:
    table = Table()
    line = table.game.revision
    table.do("red", "draw-card")
    (ask,) = table.do("red", "take-back", to=line)
    table.do("blue", "agree", ask=ask.id)  # type: ignore[attr-defined]
    assert table.game.piles["deck"].count("hand:red") == 1
    assert not table.game.asked


def test_a_solo_player_needs_nobodys_consent() -> None:
    table = Table(solo=True, fog=False)
    line = table.game.revision
    table.do("red", "draw-card")
    assert table.do("red", "take-back", to=line) == [e.Undone(line)]


def test_a_second_try_rolls_other_dice() -> None:
    """The random stream never rewinds, so nobody can fish for a better roll."""
    table = Table(solo=True)
    line = table.game.revision
    (first,) = table.do("red", "roll-dice", dice="5d6")
    table.do("red", "take-back", to=line)
    (second,) = table.do("red", "roll-dice", dice="5d6")
    assert (first.index, second.index) == (0, 5)  # type: ignore[attr-defined]
    assert first.values != second.values  # type: ignore[attr-defined]


@pytest.mark.parametrize("back", [0, -1])
def test_what_has_not_happened_cannot_be_taken_back(back: int) -> None:
    table = Table()
    with refused(Unreadable, field="to"):
        table.do("red", "take-back", to=table.game.revision - back)


@pytest.mark.parametrize("line", [0, 1])
def test_the_opening_of_the_table_cannot_be_taken_back(line: int) -> None:
    with refused(Unreadable, field="to", given=line):
        Table().do("red", "take-back", to=line)


# -- words mixed into the dice ---------------------------------------------------------------------------------


def test_each_sides_words_are_mixed_into_the_dice() -> None:
    plain, stirred = Table(), Table()
    stirred.do("red", "add-entropy", words="the fox")
    rolls = [t.do("blue", "roll-dice", dice="20d6")[0] for t in (plain, stirred)]
    assert rolls[0].values != rolls[1].values  # type: ignore[attr-defined]
    with pytest.raises(NotYours):
        stirred.do("table", "add-entropy", words="the cat")


def test_words_in_the_dice_are_not_changed() -> None:
    table = Table()
    table.do("red", "add-entropy", words="the fox")
    with refused(NotNow, field="words"):
        table.do("red", "add-entropy", words="the cat")
    table.do("blue", "add-entropy", words="the hen")


@pytest.mark.parametrize("chance", ["roll-dice", "draw-card"])
def test_words_go_in_before_the_first_roll(chance: str) -> None:
    table = Table()
    table.do("red", chance)
    with refused(NotNow, given="add-entropy"):
        table.do("blue", "add-entropy", words="the hen")


def test_a_take_back_does_not_make_the_first_roll_undone() -> None:
    table = Table(solo=True)
    line = table.game.revision
    table.do("red", "roll-dice")
    table.do("red", "take-back", to=line)
    assert table.game.last_chance == 0
    with refused(NotNow, field="words"):
        table.do("blue", "add-entropy", words="the hen")
