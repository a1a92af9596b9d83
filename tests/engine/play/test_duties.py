"""Duties: what is owed stays, what is offered lapses; in order, by the right seat, with what the record says."""

from typing import Any

import pytest
from harness import consents, refused
from toykit import Table, plain, toy_rules

from companion.engine.errors import NotNow, NotYours, StillOwed, Unreadable
from companion.engine.people.consent import propose_end, withdraw_end
from companion.engine.play.duties import DONE, NO, NOT_NEEDED
from companion.engine.positions.pieces import dealt
from companion.engine.record import events as e


def attacked(column: str = "2:1", **options: Any) -> Table:
    """Red attacks Blue's two units in 0505."""
    table = Table(**options).until("red-move")
    table.do("red", "attack", hex="0505", column=column)
    return table


def rolled(die: int, column: str = "2:1", **options: Any) -> Table:
    table = attacked(column, **options)
    table.do("blue", "dismiss", ask=ask_of(table, "call-guns"))
    table.do("red", "roll-attack", die=str(die))
    return table


def ask_of(table: Table, action: str, side: str = "") -> str:
    return next(a.id for a in table.game.duties(action=action) if side in ("", *a.to))


def open_actions(table: Table) -> list[tuple[str, str]]:
    return [(a.to[0], a.action) for a in table.game.duties()]


# -- order and seats -------------------------------------------------------------------------------------------


def test_only_the_next_step_of_a_battle_is_live() -> None:
    table = attacked()
    live = {a.action for a in table.game.duties() if table.game.is_live(a)}
    assert live == {"call-guns"}
    with refused(NotNow, rule="7.6") as came:
        table.do("red", "roll-attack", die="3")
    assert came.value.message.startswith("First: Call in guns")
    table.do("blue", "call-guns", guns=1)
    table.do("red", "roll-attack", die="4")
    assert table.game.fighting[0].result == "DR"


def test_both_sides_owe_at_the_same_step_and_answer_in_any_order() -> None:
    table = rolled(4)
    assert open_actions(table)[:2] == [("blue", "lose-steps"), ("red", "lose-steps")]
    table.do("red", "lose-steps", units=["red-tanks"])
    table.do("blue", "lose-steps", units=["blue-flak"])
    assert [a for _, a in open_actions(table)] == ["fall-back", "advance"]


@pytest.mark.parametrize("seat", ["red", "watch"])
def test_another_seat_cannot_answer(seat: str) -> None:
    table = attacked()
    with refused(NotYours, given=seat):
        table.do(seat, "call-guns", guns=1)
    with refused(NotYours, given=seat):
        table.do(seat, "call-guns", guns=1, _asked=ask_of(table, "call-guns"))


def test_the_table_s_screen_may_answer_what_is_no_secret() -> None:
    table = attacked()
    table.do("table", "call-guns", guns=2)
    assert table.game.fighting[0].facts["guns"] == 2


def test_a_follow_up_exists_only_while_its_duty_is_open() -> None:
    table = Table().until("red-move")
    with refused(NotNow, given="lose-steps"):
        table.do("blue", "lose-steps", units=["blue-flak"])
    assert "lose-steps" not in {a["name"] for a in table.sees("blue")["actions"]}


def test_a_duty_is_answered_once() -> None:
    table = attacked()
    ask = ask_of(table, "call-guns")
    table.do("blue", "call-guns", guns=1, _asked=ask)
    with refused(NotNow, given="call-guns"):
        table.do("blue", "call-guns", guns=2, _asked=ask)


def test_a_named_duty_must_be_of_that_action() -> None:
    table = attacked()
    with refused(NotNow, given="roll-attack"):
        table.do("red", "roll-attack", die="3", _asked=ask_of(table, "call-guns"))


def test_its_arguments_come_from_the_record_and_never_from_the_browser() -> None:
    table = rolled(4)
    with refused(Unreadable, field="steps"):
        table.do("blue", "lose-steps", units=["blue-flak"], steps=0)
    table.do("blue", "lose-steps", units=["blue-flak"], _asked=ask_of(table, "lose-steps", "blue"))
    assert table.game.units["blue-flak"].steps == 0


def test_whoever_is_asked_chooses_only_among_the_duty_s_own_units() -> None:
    table = rolled(4)
    with refused(Unreadable, field="units"):
        table.do("blue", "lose-steps", units=["blue-relief"])


# -- by themselves ---------------------------------------------------------------------------------------------


def test_what_has_one_answer_is_done_and_told() -> None:
    table = attacked()
    table.record(e.Placed("blue-flak", "box:dead", facts={"steps": 0}))
    table.do("blue", "dismiss", ask=ask_of(table, "call-guns"))
    done = table.do("red", "roll-attack", die="4")
    assert table.game.units["blue-jaeger"].steps == 1
    assert any(isinstance(ev, e.Answered) and ev.answer == "Take the losses" for ev in done)
    assert ("blue", "lose-steps") not in open_actions(table) and ("red", "lose-steps") in open_actions(table)


def test_what_no_longer_makes_sense_is_withdrawn_and_told() -> None:
    table = rolled(4)
    table.record(e.Placed("blue-flak", "box:dead", facts={"steps": 0}))
    table.record(e.Placed("blue-jaeger", "box:dead", facts={"steps": 0}))
    done = table.do("table", "note", text="all gone")
    gone = [ev for ev in done if isinstance(ev, e.Answered) and ev.answer == "no longer applies"]
    assert [ev.text for ev in gone] == ["Blue: lose 1 step", "Fall back from 0505"]
    assert all(ev.battle == table.game.fighting[0].id for ev in gone)


def test_declining_has_its_consequence() -> None:
    table = attacked()
    done = table.do("blue", "dismiss", ask=ask_of(table, "call-guns"))
    assert e.Noted("no guns at 0505") in done


def test_an_offer_lapses_with_its_phase_and_has_its_consequence() -> None:
    table = attacked()
    done = table.do("table", "next-phase", anyway=True)
    assert e.Noted("no guns at 0505") in done
    assert open_actions(table) == [("red", "roll-attack")], "what is owed goes along"


# -- owed --------------------------------------------------------------------------------------------------------


def test_a_phase_ends_over_what_is_owed_only_when_that_is_said() -> None:
    table = rolled(4)
    before = plain(table.game)
    with pytest.raises(StillOwed) as came:
        table.do("red", "next-phase")
    named = "(Attack on 0505)"  # where the words do not name it themselves
    assert came.value.said == [
        f"Blue: lose 1 step {named}",
        f"Red: lose 1 step {named}",
        "Fall back from 0505",
    ]
    assert plain(table.game) == before
    table.do("red", "next-phase", anyway=True)
    assert table.game.phase == "blue-move"
    table.do("red", "lose-steps", units=["red-tanks"])  # it is answered in another phase as well
    assert ("red", "lose-steps") not in open_actions(table)


def test_what_no_duty_keeps_is_not_promised_for_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a phase alone asks for is over with it; what is owed stays."""
    table = rolled(4)
    with pytest.raises(StillOwed) as came:
        table.do("red", "next-phase")
    assert "stays open" in came.value.after and "undone" not in came.value.after
    monkeypatch.setattr(table.rules, "duties", [(("red-move",), lambda game: ["move the tanks"], False)])
    with pytest.raises(StillOwed) as came:
        table.do("red", "next-phase")
    assert "move the tanks" in came.value.said
    assert "undone if not done now: move the tanks. The rest stays open" in came.value.after
    for duty in list(table.game.duties()):
        table.do("table", "dismiss", ask=duty.id)
    with pytest.raises(StillOwed) as came:
        table.do("red", "next-phase")
    assert came.value.said == ["move the tanks"] and "stays open" not in came.value.after


def test_what_came_of_a_battle_is_told_instead_of_what_its_result_means() -> None:
    """On every seat's card, but for a note of one side's own."""
    table = rolled(4)
    number = table.game.fighting[0].id
    table.record(e.Noted("somewhere it rains"))
    assert not table.game.battles[number].notes
    table.record(e.Noted("Blue stands", rule="7.8", battle=number))
    table.record(e.Noted("the tanks hide", battle=number, only=("red",)))
    told = {
        seat: [line.label for line in table.view(seat).battles[-1].sheet.effects] for seat in ("red", "blue")
    }
    assert told == {"red": ["Blue stands", "the tanks hide"], "blue": ["Blue stands"]}
    assert plain(table.replayed()) == plain(table.game)


@pytest.mark.parametrize("how", ["", DONE, NOT_NEEDED])
def test_what_is_owed_may_be_done_on_the_map_or_not_apply_and_all_are_told(how: str) -> None:
    table = rolled(4)
    done = table.do(
        "blue", "dismiss", ask=ask_of(table, "lose-steps", "blue"), **({"how": how} if how else {})
    )
    said = next(ev for ev in done if isinstance(ev, e.Answered))
    assert (said.answer, said.text) == (how or DONE, "Blue: lose 1 step")
    assert table.game.units["blue-flak"].steps == 1


def test_no_is_no_answer_to_what_is_owed() -> None:
    table = rolled(4)
    with refused(Unreadable, field="how"):
        table.do("blue", "dismiss", ask=ask_of(table, "lose-steps", "blue"), how=NO)


def test_what_binds_is_waived_by_the_other_side_only() -> None:
    table = attacked()
    table.do("blue", "dismiss", ask=ask_of(table, "call-guns"))
    ask = ask_of(table, "roll-attack")
    table.do("red", "dismiss", ask=ask, how=NOT_NEEDED)
    assert ask in table.game.asked
    (question,) = consents(table.game)
    assert question.to == ("blue", "table") and "does not apply" in question.text
    table.agree()
    assert ask not in table.game.asked


def test_a_refused_waiver_leaves_the_duty() -> None:
    table = attacked()
    table.do("blue", "dismiss", ask=ask_of(table, "call-guns"))
    ask = ask_of(table, "roll-attack")
    table.do("red", "dismiss", ask=ask, how=NOT_NEEDED)
    table.do("blue", "agree", ask=consents(table.game)[0].id)
    assert ask in table.game.asked and not consents(table.game)


def test_what_binds_may_still_be_done_on_the_map() -> None:
    table = attacked()
    table.do("blue", "dismiss", ask=ask_of(table, "call-guns"))
    ask = ask_of(table, "roll-attack")
    table.do("red", "dismiss", ask=ask, how=DONE)
    assert ask not in table.game.asked


def test_a_secret_duty_is_neither_answered_nor_put_away_by_others() -> None:
    table = Table().until("red-move")
    table.do("red", "plan-secretly")
    ask = ask_of(table, "carry-plan")
    for seat in ("blue", "table"):
        with pytest.raises((NotNow, NotYours)):
            table.do(seat, "dismiss", ask=ask)
        with refused(NotYours):
            table.do(seat, "carry-plan", _asked=ask)
    with pytest.raises(StillOwed):
        table.do("red", "next-phase")
    with pytest.raises(StillOwed, match="on his own phone"):  # that there is something, and nothing of it
        table.do("table", "next-phase")
    table.do("table", "next-phase", anyway=True)
    table.do("red", "carry-plan")


# -- losses ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "lost", "chosen", "taken"),
    [
        ({"a": 2, "b": 2}, 2, [], {"a": 1, "b": 1}),
        ({"a": 2, "b": 2}, 1, ["b"], {"b": 1}),
        ({"a": 2, "b": 2}, 3, ["b"], {"a": 1, "b": 2}),
        ({"a": 1}, 5, [], {"a": 1}),
        ({}, 2, [], {}),
    ],
)
def test_losses_go_round_evenly(
    steps: dict[str, int], lost: int, chosen: list[str], taken: dict[str, int]
) -> None:
    assert dealt(steps, lost, chosen) == taken


@pytest.mark.parametrize("chosen", [[], ["a", "b"], ["x"]])
def test_whoever_takes_what_is_left_over_is_chosen(chosen: list[str]) -> None:
    with refused(Unreadable, field="units", rule="7.7"):
        dealt({"a": 2, "b": 2}, 1, chosen, rule="7.7")


# -- an ending by the rules ------------------------------------------------------------------------------------


def over(table: Table, **more: Any) -> None:
    for event in propose_end(table.game, "red", "decisive", "The city fell.", "9.2", "city", **more):
        table.record(event)


def test_an_ending_by_the_rules_is_put_to_both_sides() -> None:
    table = Table()
    table.game.seated = frozenset({"red", "blue"})
    over(table)
    assert [a.to for a in consents(table.game)] == [("red",), ("blue",)]
    over(table)
    assert len(consents(table.game)) == 2, "asked once"
    table.agree()
    assert table.game.ended == e.Ended("red", "decisive", "The city fell.", "9.2")


def test_whoever_refuses_plays_on_and_is_not_asked_again_on_the_same_grounds() -> None:
    table = Table()
    over(table)
    done = table.do("blue", "agree", ask=consents(table.game)[0].id)
    assert any(isinstance(ev, e.Noted) and "does not agree" in ev.text for ev in done)
    over(table)
    assert not consents(table.game) and not table.game.ended
    over(table, again=True)
    assert consents(table.game)


def test_alone_one_tap_ends_it() -> None:
    table = Table(solo=True)
    over(table)
    (question,) = consents(table.game)
    table.do("red", "agree", ask=question.id, yes=True)
    assert table.game.ended


def test_grounds_that_no_longer_hold_withdraw_the_question() -> None:
    table = Table()
    over(table)
    for event in withdraw_end(table.game, "city"):
        table.record(event)
    assert not consents(table.game)


def test_the_toy_declares_what_it_plays_with() -> None:
    names = {n for n, a in toy_rules().actions.items() if a.follow_up}
    assert {"call-guns", "roll-attack", "lose-steps", "fall-back", "advance", "enter-result"} <= names
