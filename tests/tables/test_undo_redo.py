"""Undo names what it undoes and asks whose act it was; redo puts back what was just taken back."""

import random
from contextlib import suppress

import pytest
from toykit import all_agree, plain

from companion.engine.errors import NotNow
from companion.engine.people.consent import DEEDS
from companion.tables.past import Past
from companion.tables.tables import Tables
from companion.tables.transfer import export_table
from companion.tables.verify import verify


@pytest.fixture
def code(tables: Tables) -> str:
    code = tables.new("toy", "skirmish", {"mode-dice": "either"}, "Friday night")
    tables.act(code, "table", "set-up", {})
    tables.act(code, "table", "next-phase", {}, revision=tables.store.latest(code))
    return code


def undo(tables: Tables, code: str, seat: str) -> None:
    tables.act(code, seat, "take-back", {"to": tables.undo_target(code)})


def named(tables: Tables, code: str, seat: str) -> str:
    found = tables.visit(code, seat)
    found.log(8, most=12)
    return found.undo.label if found.undo else ""


def waiting(tables: Tables, code: str) -> list[tuple[str, ...]]:
    return [a.to for a in tables.game(code).asked.values() if a.by in DEEDS]


def notes(tables: Tables, code: str) -> list[str]:
    """The notes that count, oldest first."""
    rows = tables.log(code, "table")
    return [e.lines[0] for e in reversed(rows) if "noted" in e.kinds and not e.undone]


# -- names ---------------------------------------------------------------------------------------------------


def test_undo_names_what_it_undoes(tables: Tables, code: str) -> None:
    assert named(tables, code, "red") == "next phase"
    tables.act(code, "red", "attack", {"hex": "0505"})
    assert named(tables, code, "red") == named(tables, code, "blue") == "attack on 0505"
    tables.act(code, "blue", "call-guns", {"guns": 1})
    assert named(tables, code, "red") == "call in guns"
    tables.act(code, "red", "roll-attack", {"die": "4"})
    assert named(tables, code, "table") == "die 4"
    tables.act(code, "red", "roll-dice", {"dice": "2d6", "result": "3 5"})
    assert named(tables, code, "table") == "dice 3 + 5"


def test_undo_never_names_what_another_seat_did_in_secret(tables: Tables, code: str) -> None:
    tables.act(code, "red", "secret-roll", {})
    assert named(tables, code, "red").startswith("die ")
    assert not named(tables, code, "blue") and not named(tables, code, "table")
    fresh = tables.visit(code, "blue")  # nothing of it was read before
    assert fresh.undo is not None and not fresh.undo.label


# -- whose act it was ------------------------------------------------------------------------------------------


def test_what_one_did_oneself_is_taken_back_at_once(tables: Tables, code: str) -> None:
    tables.act(code, "red", "note", {"text": "mine"})
    undo(tables, code, "red")
    assert not waiting(tables, code) and notes(tables, code) == []


@pytest.mark.parametrize("there", [True, False])
def test_what_the_other_side_did_needs_its_tap(tables: Tables, code: str, there: bool) -> None:
    if there:
        tables.seating.sit_down(code, ["red"], "device", "phone")
    tables.act(code, "red", "note", {"text": "theirs"})
    undo(tables, code, "blue")
    assert waiting(tables, code) == [("red",) if there else ("red", "table")]
    asked = next(iter(tables.game(code).asked.values()))
    assert "take back what Red did" in asked.text and notes(tables, code) == ["theirs"]
    all_agree(tables, code)
    assert notes(tables, code) == []


def test_the_asker_may_withdraw(tables: Tables, code: str) -> None:
    tables.act(code, "red", "note", {"text": "theirs"})
    undo(tables, code, "blue")
    ask = next(iter(tables.game(code).asked))
    tables.act(code, "blue", "agree", {"ask": ask, "yes": False})
    assert not waiting(tables, code) and notes(tables, code) == ["theirs"]


def test_the_table_s_screen_speaks_for_sides_that_are_absent(tables: Tables, code: str) -> None:
    tables.act(code, "red", "note", {"text": "one"})
    undo(tables, code, "table")
    assert notes(tables, code) == []
    tables.seating.sit_down(code, ["red"], "device", "phone")
    tables.act(code, "red", "note", {"text": "two"})
    undo(tables, code, "table")
    assert waiting(tables, code) == [("red",)]


def test_stacks_once_open_are_closed_again_by_consent_only(tables: Tables, code: str) -> None:
    tables.act(code, "red", "attack", {"hex": "0505"})
    undo(tables, code, "red")
    assert waiting(tables, code) == [("blue", "table")] and tables.game(code).battles


def test_alone_nobody_is_asked(tables: Tables) -> None:
    code = tables.new("toy", "skirmish", {"solo": True}, "")
    tables.act(code, "red", "roll-dice", {})
    undo(tables, code, "blue")
    assert not tables.game(code).asked and tables.undo_target(code) is None
    tables.act(code, "blue", "redo", {})
    assert tables.game(code).last_roll


# -- redo ------------------------------------------------------------------------------------------------------


def test_whoever_took_it_back_alone_puts_it_back_alone(tables: Tables, code: str) -> None:
    tables.act(code, "red", "note", {"text": "mine"})
    before = plain(tables.game(code))
    undo(tables, code, "red")
    assert tables.visit(code, "red").can_redo
    tables.act(code, "red", "redo", {})
    now = plain(tables.game(code))
    assert {**now, "revision": 0} == {**before, "revision": 0} and notes(tables, code) == ["mine"]
    assert not tables.visit(code, "red").can_redo


def test_others_ask_first(tables: Tables, code: str) -> None:
    tables.act(code, "red", "note", {"text": "mine"})
    undo(tables, code, "red")
    tables.act(code, "blue", "redo", {})
    assert waiting(tables, code) == [("red", "table")] and notes(tables, code) == []
    all_agree(tables, code)
    assert notes(tables, code) == ["mine"] and not waiting(tables, code)


def test_what_was_taken_back_by_consent_is_put_back_by_consent(tables: Tables, code: str) -> None:
    tables.act(code, "red", "roll-dice", {"dice": "1d6", "result": "4"})
    undo(tables, code, "red")
    all_agree(tables, code)
    assert not tables.game(code).last_roll
    tables.act(code, "red", "redo", {})
    assert not tables.game(code).last_roll and waiting(tables, code) == [("blue", "table")]
    all_agree(tables, code)
    assert tables.game(code).last_roll["values"] == [4] and not tables.game(code).asked


def test_redo_goes_as_soon_as_something_happens(tables: Tables, code: str) -> None:
    tables.act(code, "red", "note", {"text": "one"})
    undo(tables, code, "red")
    tables.seating.sit_down(code, ["blue"], "device", "phone")
    assert tables.visit(code, "red").can_redo, "somebody who sits down is nothing that happens"
    tables.act(code, "blue", "note", {"text": "two"})
    assert not tables.visit(code, "red").can_redo
    with pytest.raises(NotNow, match="nothing to put back"):
        tables.act(code, "red", "redo", {})


def test_play_that_went_on_is_not_lost_to_a_late_yes(tables: Tables, code: str) -> None:
    tables.act(code, "red", "note", {"text": "one"})
    undo(tables, code, "red")
    tables.act(code, "blue", "redo", {})
    tables.act(code, "red", "note", {"text": "two"})
    assert not tables.game(code).asked, "there is nothing left to agree to"
    assert notes(tables, code) == ["two"]


def test_several_undos_are_put_back_one_after_the_other(tables: Tables, code: str) -> None:
    for text in ("one", "two", "three"):
        tables.act(code, "red", "note", {"text": text})
    undo(tables, code, "red")
    undo(tables, code, "red")
    assert notes(tables, code) == ["one"]
    tables.act(code, "red", "redo", {})
    assert notes(tables, code) == ["one", "two"]
    tables.act(code, "red", "redo", {})
    assert notes(tables, code) == ["one", "two", "three"]
    assert not tables.visit(code, "red").can_redo
    undo(tables, code, "red")
    assert notes(tables, code) == ["one", "two"], "what was put back is undone like anything else"


def test_an_ending_taken_back_is_not_put_back(tables: Tables, code: str) -> None:
    tables.act(code, "red", "end-game", {"winner": "red"}, revision=tables.store.latest(code))
    all_agree(tables, code)
    undo(tables, code, "red")
    all_agree(tables, code)
    assert not tables.game(code).ended and not tables.visit(code, "red").can_redo


def test_replay_snapshots_and_verification_agree_about_it(tables: Tables, code: str) -> None:
    tables.act(code, "red", "attack", {"hex": "0505", "column": "2:1"})
    for n in range(220):  # a snapshot lies between
        tables.act(code, "red", "note", {"text": f"{n}"})
    tables.act(code, "blue", "dismiss", {"ask": next(iter(tables.game(code).asked))})
    tables.act(code, "red", "roll-attack", {})
    undo(tables, code, "red")
    all_agree(tables, code)
    tables.act(code, "red", "redo", {})
    all_agree(tables, code)
    live = plain(tables.game(code))
    assert plain(tables.load(code)) == live
    assert verify(export_table(tables, code), tables).fair


def test_the_log_says_what_was_taken_back_and_put_back(tables: Tables, code: str) -> None:
    tables.act(code, "red", "attack", {"hex": "0505"})
    tables.log(code, "blue")
    undo(tables, code, "red")
    all_agree(tables, code)
    visit = tables.visit(code, "blue")
    visit.log(8, most=12)
    assert visit.log(8, most=12)[0].lines[0] == "taken back: attack on 0505 (Red asked, Blue agreed)"
    tables.act(code, "red", "redo", {})
    all_agree(tables, code)
    assert tables.log(code, "blue")[0].lines[0] == "put back what was taken back: Red asked, Blue agreed"


def test_the_table_after_a_take_back_is_the_one_that_its_record_tells(tables: Tables, code: str) -> None:
    tables.act(code, "red", "note", {"text": "one"})
    tables.act(code, "red", "note", {"text": "two"})
    undo(tables, code, "red")
    assert tables.game(code).dump() == tables.load(code).dump()
    tables.act(code, "red", "note", {"text": "three"})
    assert tables.game(code).dump() == tables.load(code).dump()


def test_what_was_worked_out_is_dropped_with_a_new_book(tables: Tables, code: str) -> None:
    game = tables.game(code)
    game.stacks()
    assert game.worked
    tables.book_changed()
    assert not game.worked


# -- the way back --------------------------------------------------------------------------------------------


def folded(tables: Tables, code: str) -> object:
    """The table's state by its record alone."""
    return plain(tables.load(code, tables.store.latest(code)))


def test_what_was_done_last_is_taken_back_without_reading_the_record(
    tables: Tables, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("one", "two", "three"):
        tables.act(code, "red", "note", {"text": text})
        tables.act(code, "red", "add-unit", {"side": "red", "name": text, "hex": "0505"})
    tables.game(code)
    with monkeypatch.context() as nothing_is_folded:
        nothing_is_folded.setattr(tables, "load", pytest.fail)
        for _ in range(3):
            undo(tables, code, "red")
        tables.act(code, "red", "note", {"text": "four"})
        undo(tables, code, "red")
        undo(tables, code, "red")
    assert notes(tables, code) == ["one"]
    assert plain(tables.game(code)) == folded(tables, code)


def test_further_back_the_record_is_asked(tables: Tables, code: str) -> None:
    line = tables.store.latest(code)
    for text in "abcdefgh":
        tables.act(code, "red", "note", {"text": text})
    tables.act(code, "red", "take-back", {"to": line})
    assert not notes(tables, code)
    assert plain(tables.game(code)) == folded(tables, code)
    tables.act(code, "red", "add-unit", {"side": "red", "name": "New", "hex": "0505"})
    undo(tables, code, "red")
    assert plain(tables.game(code)) == folded(tables, code)


def test_the_way_back_leads_over_what_somebody_else_wrote(tables: Tables, code: str) -> None:
    """A phone sits down between two acts: its line is no act, and the table is caught up with it."""
    tables.act(code, "red", "add-unit", {"side": "red", "name": "New", "hex": "0505"})
    tables.seating.sit_down(code, ["red"], "d1", "phone")
    tables.game(code)
    undo(tables, code, "red")
    assert plain(tables.game(code)) == folded(tables, code)
    assert "New" not in {unit.name for unit in tables.game(code).units.values()}


def test_by_consent_it_leads_to_the_same(tables: Tables, code: str) -> None:
    tables.seating.sit_down(code, ["blue"], "d1", "phone")
    tables.seating.sit_down(code, ["red"], "d2", "phone")
    line = tables.store.latest(code)
    tables.act(code, "red", "roll-dice", {"dice": "2d6"})
    tables.act(code, "red", "take-back", {"to": line})
    all_agree(tables, code)
    assert not tables.game(code).last_roll
    assert plain(tables.game(code)) == folded(tables, code)


# -- what is known of the past -------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_who_looked_all_along_knows_the_past_as_who_comes_new(tables: Tables, code: str, seed: int) -> None:
    """Undo, redo, undo again, back to some line, somebody sits down: what is kept says what the record says."""
    chance = random.Random(seed)
    for number in range(30):
        latest, how = tables.store.latest(code), chance.random()
        with suppress(NotNow):  # some of it is asked already
            if how < 0.4:
                tables.act(code, "red", "note", {"text": str(number)})
            elif how < 0.65 and (to := tables.undo_target(code)) is not None:
                tables.act(code, "red", "take-back", {"to": to})
            elif how < 0.8 and tables.past(code).last_undo(latest) is not None:
                tables.act(code, "red", "redo", {})
            elif how < 0.9:
                tables.act(code, "red", "take-back", {"to": chance.randint(7, latest - 1)})
            else:
                tables.seating.sit_down(code, ["red"], str(number), "phone")
        if chance.random() < 0.7:  # not everybody looks each time
            latest, kept, new = tables.store.latest(code), tables.past(code), Past(tables.store, code)
            assert kept.taken_back(latest) == new.taken_back(latest)
            assert kept.last_act(latest) == new.last_act(latest)
            assert kept.last_undo(latest) == new.last_undo(latest)
    assert plain(tables.game(code)) == folded(tables, code)
