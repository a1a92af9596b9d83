"""Battles in the record: dumped, restored, replayed, laid open only while they last, and never more seen than allowed."""

import json

import pytest
from harness import consents
from toykit import Table, plain, toy_kit

from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_unit

OTHERS = ("blue", "table", "watch")


def ask_of(table: Table, action: str) -> str:
    return next(a.id for a in table.game.duties(action=action))


def attacked() -> Table:
    table = Table().until("red-move")
    table.do("red", "attack", hex="0505", column="2:1")
    return table


def test_a_battle_is_known_by_the_event_that_began_it() -> None:
    table = attacked()
    (number,) = table.game.battles
    begun = table.events[number - 1]
    assert isinstance(begun, e.Engaged) and begun.title == "Attack on 0505"
    battle = table.game.battles[number]
    assert (battle.attacker, battle.defender, battle.hexes) == ("red", "blue", ("0505",))
    assert (battle.turn, battle.phase, battle.role_of("blue")) == (1, "red-move", "defender")


def test_dice_results_and_facts_of_a_battle_are_its_own() -> None:
    table = attacked()
    table.do("blue", "call-guns", guns=1)
    table.do("red", "roll-dice", dice="1d6", result="6")  # for something else
    table.do("red", "roll-attack", die="5")
    (battle,) = table.game.battles.values()
    assert [roll["values"] for roll in battle.rolls] == [(5,)]
    assert battle.result == "DR" and battle.sheet["column"] == "2:1"
    assert battle.facts == {"column": "2:1", "plan": "none", "guns": 1}


def test_a_fact_that_is_none_is_forgotten() -> None:
    table = attacked()
    (number,) = table.game.battles
    table.record(e.Engaged(number, facts={"plan": None}))
    assert "plan" not in table.game.battles[number].facts


def test_battles_are_dumped_restored_and_replayed() -> None:
    table = attacked()
    table.do("blue", "call-guns", guns=1)
    table.do("red", "plan-secretly")
    table.do("red", "roll-attack", die="4")
    assert plain(table.replayed()) == plain(table.game)
    state = json.loads(json.dumps(table.game.dump()))
    again = Game(toy_kit(), "skirmish").restore(state)
    assert plain(again) == plain(table.game)
    assert again.battles[min(again.battles)].units("red") == ("red-guards", "red-tanks")
    battle = again.battles[max(again.battles)]
    assert Battle.from_json(json.loads(json.dumps(battle.to_json()))) == battle


def test_a_battle_is_over_when_it_has_a_result_and_nothing_is_owed() -> None:
    table = attacked()
    (battle,) = table.game.fighting
    table.do("blue", "dismiss", ask=ask_of(table, "call-guns"))
    table.do("red", "roll-attack", die="5")
    assert table.game.fighting
    table.do("blue", "lose-steps")
    table.do("red", "lose-steps", units=["red-tanks"])
    table.do("blue", "fall-back", to="0406")
    assert not table.game.fighting, "an advance is only offered"
    assert [a.action for a in table.game.duties(battle.id)] == ["advance"]
    shown = table.view("red").battles
    assert (
        [b.id for b in shown] == [battle.id]
        and shown[0].over
        and shown[0].waits == ["Red: advance into 0505"]
    )


def test_a_battle_may_be_called_off() -> None:
    table = attacked()
    table.do("red", "call-off")
    assert not table.game.fighting
    assert next(iter(table.game.battles.values())).result == "called off"


def test_what_is_over_goes_with_its_turn_but_the_newest_stays() -> None:
    table = attacked()
    table.do("red", "call-off")
    table.do("red", "attack", hex="0505", column="2:1")
    table.do("red", "call-off")
    newest = max(table.game.battles)
    table.until("weather", 2)
    assert list(table.game.battles) == [newest]


def test_what_is_owed_keeps_its_battle() -> None:
    table = attacked()
    table.do("blue", "dismiss", ask=ask_of(table, "call-guns"))
    first = max(table.game.battles)
    table.do("red", "attack", hex="0505", column="2:1")
    for _ in range(4):
        table.do("table", "next-phase", anyway=True)
        if table.game.turn == 2:
            break
    assert first in table.game.battles and table.game.turn == 2


# -- laid open ---------------------------------------------------------------------------------------------------


def test_stacks_lie_open_only_as_long_as_the_battle_lasts() -> None:
    table = Table().until("red-move")
    under = next(
        u for u in table.game.units.values() if u.side == "blue" and not may_see_unit(table.game, u, "red")
    )
    assert under.name not in json.dumps(table.sees("red"))
    table.do("red", "attack", hex="0505", column="2:1")
    assert may_see_unit(table.game, under, "red") and under.name in json.dumps(table.sees("red"))
    table.do("red", "call-off")
    assert not may_see_unit(table.game, under, "red")
    assert under.name not in json.dumps([u for u in table.sees("red")["units"]])


def test_taking_back_what_was_laid_open_needs_consent() -> None:
    table = Table().until("red-move")
    line = table.game.revision
    table.do("red", "attack", hex="0505", column="2:1")
    assert table.game.last_chance == max(table.game.battles)
    table.do("red", "take-back", to=line)
    assert table.game.battles and consents(table.game)
    table.agree()
    assert not table.game.battles


def test_a_battle_that_opens_nothing_is_taken_back_at_once() -> None:
    table = Table().until("red-move")
    line = table.game.revision
    table.do("red", "plan-secretly")
    table.do("red", "take-back", to=line)
    assert not table.game.battles


# -- secrets -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", OTHERS)
def test_secret_facts_forces_and_duties_are_in_no_other_view_or_event(seat: str) -> None:
    table = Table().until("red-move")
    table.do("red", "plan-secretly")
    seen, heard = table.sees(seat), table.hears(seat)
    text = json.dumps([seen, heard])
    assert "SECRET" not in text
    (battle,) = seen["battles"]
    assert battle["title"] == "Raid" and "red" not in battle["forces"], "not even those on top of a stack"
    assert battle["waits"] == ["Red"], "that somebody must do something is all"
    engaged = next(body for body in heard if body["kind"] == "engaged")
    assert engaged["hidden"] and "forces" not in engaged and "facts" not in engaged
    assert "SECRET-DUTY" in json.dumps(table.sees("red")) and table.sees("red")["battles"][0]["forces"]["red"]


@pytest.mark.parametrize("seat", OTHERS)
def test_the_answer_to_a_secret_duty_is_as_hidden(seat: str) -> None:
    table = Table().until("red-move")
    table.do("red", "plan-secretly")
    table.do("red", "carry-plan")
    assert "SECRET" not in json.dumps([table.sees(seat), table.hears(seat)])
    assert table.sees(seat)["battles"][0]["result"] == "carried out"


def test_facts_are_shown_to_nobody_but_through_the_game_s_own_words() -> None:
    table = attacked()
    for seat in ("red", *OTHERS):
        assert "facts" not in table.sees(seat)["battles"][0]


# -- what a seat is told -----------------------------------------------------------------------------------------


def test_whoever_is_awaited_is_named() -> None:
    table = Table().until("red-move")

    def words(seat: str) -> tuple[str, bool]:
        found = table.view(seat).awaits
        return found.words, found.mine

    assert words("red") == ("your move", True) and words("blue") == ("Red to move", False)
    table.do("red", "attack", hex="0505", column="2:1")
    assert words("red") == ("waiting for Blue: call in guns", False), (
        "it is not Red's move while Blue is asked"
    )
    assert words("blue") == ("your answer", True)
    assert words("table") == words("watch") == ("waiting for Blue: call in guns", False)
    table.do("blue", "dismiss", ask=ask_of(table, "call-guns"))
    table.do("red", "roll-attack", die="4")
    assert words("watch") == ("waiting for Blue: lose 1 step, and 1 more", False)
    assert words("red") == words("blue") == ("your answer", True)


def test_a_last_offer_holds_nobody_up() -> None:
    table = attacked()
    table.do("blue", "dismiss", ask=ask_of(table, "call-guns"))
    table.do("red", "roll-attack", die="5")
    table.do("blue", "lose-steps")
    table.do("red", "lose-steps", units=["red-tanks"])
    table.do("blue", "fall-back", to="0406")
    assert table.view("red").awaits.words == "your move" and table.view("blue").awaits.words == "Red to move"


def test_the_chances_are_seen_by_all_before_the_roll() -> None:
    table = attacked()
    for seat in ("red", *OTHERS):
        (battle,) = table.view(seat).battles
        assert battle.sheet is not None and battle.sheet.chances and not battle.rolls
