"""Fair dice, held against forgers: what `companion verify` finds out about an exported game."""

import random
from typing import Any

import pytest
from forging import mutated

from companion.engine.errors import Mistake, Unreadable
from companion.tables.tables import Tables
from companion.tables.transfer import export_table
from companion.tables.verify import Report, verify

Copy = dict[str, Any]


@pytest.fixture
def copy(home: Tables) -> Copy:
    """A game with words in the dice, hidden draws, an undone roll, and rolls by hand."""
    code = home.new("toy", "skirmish", {})
    for seat, words in (("red", "fox"), ("blue", "hen")):
        home.act(code, seat, "add-entropy", {"words": words})
    for seat in ("red", "blue"):
        home.act(code, seat, "draw-card", {})
    home.act(code, "table", "roll-dice", {"dice": "3d6"})
    line = home.store.latest(code)
    home.act(code, "red", "roll-dice", {"dice": "1d6"})
    home.act(code, "red", "take-back", {"to": line})
    (ask,) = home.game(code).asked
    home.act(code, "blue", "agree", {"ask": ask, "yes": True})
    home.act(code, "blue", "roll-dice", {"dice": "1d6", "result": "4"})
    home.act(code, "table", "draw-chit", {})
    return export_table(home, code)


def of_kind(copy: Copy, kind: str, number: int = 0) -> dict[str, Any]:
    """The body of the first, second ... event of a kind."""
    bodies: list[dict[str, Any]] = [i["body"] for i in copy["events"] if i["body"]["kind"] == kind]
    return bodies[number]


def words(report: Report) -> str:
    return "; ".join(fault.words for fault in report.faults)


def test_an_honest_game_is_fair_and_its_rolls_by_hand_are_counted(home: Tables, copy: Copy) -> None:
    report = verify(copy, home)
    assert report.fair and report.recomputed == 5
    assert report.by_hand == {"blue": 1}


def test_a_bettered_roll_is_found_out(home: Tables, copy: Copy) -> None:
    roll = of_kind(copy, "rolled")
    roll["values"] = [n % 6 + 1 for n in roll["values"]]
    report = verify(copy, home)
    assert len(report.faults) == 1 and words(report).startswith("3d6 rolled")


def test_a_chosen_card_is_found_out(home: Tables, copy: Copy) -> None:
    held = {t for n in (0, 1) for t in of_kind(copy, "drawn", n)["tokens"]}
    of_kind(copy, "drawn")["tokens"] = [t for t in ("STUKA", "KATYUSHA", "SABOTAGE") if t not in held][:1]
    assert not verify(copy, home).fair


def test_a_roll_dropped_from_the_record_leaves_a_gap(home: Tables, copy: Copy) -> None:
    roll = of_kind(copy, "rolled")
    roll.clear()
    roll |= {"kind": "noted", "text": "nothing to see"}
    assert "numbers 2 to 4 of the stream were used before this line" in words(verify(copy, home))


def test_the_last_draw_dropped_is_missed_at_the_end(home: Tables, copy: Copy) -> None:
    last = of_kind(copy, "drawn", -1)
    last.clear()
    last |= {"kind": "noted", "text": "nothing to see"}
    assert "missing" in words(verify(copy, home))


def test_a_digital_roll_called_one_by_hand_is_found_out(home: Tables, copy: Copy) -> None:
    roll = of_kind(copy, "rolled")
    del roll["index"]
    roll["mode"], roll["values"] = "physical", [6, 6, 6]
    assert "called one by hand" in words(verify(copy, home))


def test_a_roll_by_hand_at_a_digital_table_is_found_out(home: Tables, copy: Copy) -> None:
    copy["events"][0]["body"]["options"]["mode-dice"] = "digital"
    assert "typed in at a table set to digital dice" in words(verify(copy, home))


def test_a_digital_roll_without_its_number_is_found_out(home: Tables, copy: Copy) -> None:
    del of_kind(copy, "rolled")["index"]
    assert "without its number" in words(verify(copy, home))


def test_a_roll_that_skips_back_in_the_stream_is_found_out(home: Tables, copy: Copy) -> None:
    """A host who rolled, did not like it, and took the position of an earlier roll."""
    of_kind(copy, "rolled")["index"] = 0
    assert "number 0 of the stream had been used before" in words(verify(copy, home))


def test_changed_words_of_a_player_are_found_out(home: Tables, copy: Copy) -> None:
    stirred = next(i["body"] for i in copy["events"] if i["body"].get("name") == "entropy-red")
    stirred["value"] = "wolf"
    assert not verify(copy, home).fair


def test_a_changed_seed_is_found_out(home: Tables, copy: Copy) -> None:
    assert "does not fit the fingerprint" in words(verify({**copy, "seed": "00" * 32}, home))


def test_a_new_seed_out_of_nowhere_is_found_out(home: Tables, copy: Copy) -> None:
    note = of_kind(copy, "undone")
    note.clear()
    note |= {"kind": "reseeded", "commitment": copy["commitment"], "revealed": copy["seed"]}
    assert "did not come from an ending taken back" in words(verify(copy, home))


def test_another_fingerprint_on_the_file_is_found_out(home: Tables, copy: Copy) -> None:
    assert "fingerprint written on the file" in words(verify({**copy, "commitment": "00" * 32}, home))


def test_words_that_went_in_late_are_remarked(home: Tables, copy: Copy) -> None:
    late = of_kind(copy, "undone")
    late.clear()
    late |= {"kind": "set", "name": "entropy-red", "value": "ground until it fits"}
    assert "after the first roll" in verify(copy, home).remarks[0].words


def test_a_players_copy_cannot_be_verified_before_the_record_is_open(home: Tables, copy: Copy) -> None:
    with pytest.raises(Unreadable, match="laid open when the game is over and both sides agree"):
        verify(export_table(home, str(copy["code"]), "blue"), home)


@pytest.mark.parametrize("seed", range(150))
def test_a_mutated_file_is_judged_or_refused_never_a_crash(home: Tables, copy: Copy, seed: int) -> None:
    try:
        verify(mutated(copy, random.Random(seed)), home)
    except Mistake as mistake:
        assert mistake.message
