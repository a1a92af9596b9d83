"""The end of a stored game: who may end it, when its secrets and its seed are shown, and how play goes on after all."""

import json
from pathlib import Path

import pytest
from harness import refused
from toykit import all_agree

from companion.engine.dice import commitment
from companion.engine.errors import NotNow
from companion.engine.record import events as e
from companion.store import open_store
from companion.tables.tables import Tables
from companion.tables.transfer import export_table, import_table
from companion.tables.verify import verify


@pytest.fixture
def code(tables: Tables) -> str:
    code = tables.new("toy", "skirmish", {}, "")
    for seat in ("table", "red", "blue"):
        tables.store.claim_seat(code, seat, "2026-11-18T10:00:00+00:00")
    tables.act(code, "red", "draw-card", {})
    return code


def end(tables: Tables, code: str) -> int:
    """Both sides end the game; the line before it."""
    line = tables.store.latest(code)
    tables.act(code, "red", "end-game", {"winner": "red"}, revision=line)
    all_agree(tables, code)
    return line


def take_back(tables: Tables, code: str, line: int) -> None:
    tables.act(code, "red", "take-back", {"to": line})
    all_agree(tables, code)


def test_a_side_alone_neither_ends_the_game_nor_sees_its_seed(tables: Tables, code: str) -> None:
    line = tables.store.latest(code)
    tables.act(code, "red", "end-game", {"winner": "red"}, revision=line)
    assert not tables.row(code).ended
    for seat in ("red", "watch", "table"):
        assert "seed" not in export_table(tables, code, seat)


def test_a_side_alone_gets_nothing_out_of_the_last_turn_either(tables: Tables, code: str) -> None:
    """Set to the last phase by hand, the game ends by its rules; its record stays closed."""
    game = tables.game(code)
    last = game.kit.phases[-1].id
    tables.act(code, "red", "go-to", {"turn": game.last, "phase": last}, revision=game.revision)
    while not tables.row(code).ended:
        tables.act(code, "table", "next-phase", {}, revision=tables.store.latest(code))
    assert "seed" not in export_table(tables, code, "watch")


def test_play_goes_on_with_a_new_seed_after_an_ending_is_taken_back(tables: Tables, code: str) -> None:
    seed = tables.row(code).seed
    take_back(tables, code, end(tables, code))
    row, game = tables.row(code), tables.game(code)
    assert (
        row.seed != seed
        and game.commitment == commitment(row.seed) == tables.view(code, "blue")["commitment"]
    )
    assert not row.ended and "seed" not in export_table(tables, code, "watch")
    tables.act(code, "red", "roll-dice", {"dice": "3d6"})
    assert verify(export_table(tables, code), tables).fair


def test_the_seed_in_use_is_said_again_when_the_change_itself_is_taken_back(
    tables: Tables, code: str
) -> None:
    start = tables.store.latest(code)
    take_back(tables, code, end(tables, code))
    seed = tables.row(code).seed
    tables.act(code, "blue", "draw-card", {})
    take_back(tables, code, start)
    assert tables.row(code).seed == seed and tables.game(code).commitment == commitment(seed)
    tables.act(code, "red", "roll-dice", {"dice": "3d6"})
    assert verify(export_table(tables, code), tables).fair


def test_nobody_goes_back_to_where_the_record_lay_open(tables: Tables, code: str) -> None:
    line = end(tables, code)
    opened = tables.store.latest(code)
    take_back(tables, code, line)
    with refused(NotNow, field="to"):
        take_back(tables, code, opened)
    assert "seed" not in export_table(tables, code, "watch")


def test_a_game_that_went_on_after_its_end_is_restored_and_verified(
    tables: Tables, code: str, tmp_path: Path
) -> None:
    take_back(tables, code, end(tables, code))
    tables.act(code, "blue", "roll-dice", {"dice": "2d6"})
    copy = export_table(tables, code)
    assert sum(item["body"]["kind"] == "reseeded" for item in copy["events"]) == 1
    with open_store(tmp_path / "away.db") as store:
        away = Tables(store, tables.scenarios)
        assert import_table(away, json.dumps(copy)) == code
        assert away.row(code).seed == tables.row(code).seed
        (first, again) = (t.act(code, "red", "roll-dice", {"dice": "5d6"}).lines for t in (tables, away))
    assert first == again


def test_the_log_says_that_the_dice_changed(tables: Tables, code: str) -> None:
    take_back(tables, code, end(tables, code))
    lines = [line for entry in tables.log(code, "watch") for line in entry.lines]
    assert any("new seed" in line for line in lines)
    assert isinstance(e.Event.from_json(tables.store.events(code)[-1].body), e.Reseeded)


def test_nobody_goes_back_to_where_the_game_had_ended(tables: Tables, code: str) -> None:
    """Not even to the line before the record was opened: it would be an ending by one side."""
    line = end(tables, code)
    ended = next(s.seq for s in tables.store.events(code) if s.kind == "ended")
    take_back(tables, code, line)
    with refused(NotNow, field="to"):
        take_back(tables, code, ended)


def test_nobody_goes_back_to_where_the_fog_was_lifted(tables: Tables, code: str) -> None:
    tables.act(code, "table", "set-mode", {"fog": False})
    all_agree(tables, code)
    lifted = tables.store.latest(code)
    tables.act(code, "table", "set-mode", {"fog": True})
    with pytest.raises(NotNow, match="The fog of war was lifted there"):
        tables.act(code, "red", "take-back", {"to": lifted})
    assert tables.game(code)["fog"] is True


def test_a_roll_that_was_taken_back_is_brought_back_by_consent_only(tables: Tables, code: str) -> None:
    line = tables.store.latest(code)
    tables.act(code, "red", "roll-dice", {"dice": "1d6"})
    rolled = tables.store.latest(code)
    take_back(tables, code, line)
    tables.act(code, "red", "take-back", {"to": rolled})
    assert [ask.to for ask in tables.game(code).asked.values()] == [("blue",)]


def test_words_stay_in_the_dice_whatever_is_taken_back(tables: Tables) -> None:
    """Or the other side could take them out, roll, and keep them from being added again."""
    code = tables.new("toy", "skirmish", {}, "")
    tables.act(code, "blue", "add-entropy", {"words": "the hen"})
    tables.act(code, "red", "take-back", {"to": 2})
    assert tables.game(code)["entropy-blue"] == "the hen"
    tables.act(code, "red", "roll-dice", {"dice": "3d6"})
    assert verify(export_table(tables, code), tables).fair


def test_a_question_for_consent_is_closed_by_its_answer_alone(tables: Tables, code: str) -> None:
    """A note that pretends to answer it does not."""
    line = tables.store.latest(code)
    tables.act(code, "table", "end-game", {"winner": "red"}, revision=line)
    to_red, to_blue = tables.game(code).asked.values()
    for seat in ("red", "table"):
        tables.act(code, seat, "note", {"text": "x", "_asked": to_blue.id})
    tables.act(code, "red", "agree", {"ask": to_red.id, "yes": True})
    assert not tables.row(code).ended and to_blue.id in tables.game(code).asked


def test_the_tables_screen_does_not_speak_for_a_side_that_sat_down_since(tables: Tables) -> None:
    code = tables.new("toy", "skirmish", {}, "")
    tables.store.claim_seat(code, "red", "2026-11-18T10:00:00+00:00")
    tables.act(code, "red", "end-game", {"winner": "red"}, revision=tables.store.latest(code))
    (ask,) = tables.game(code).asked.values()
    assert ask.to == ("blue", "table")
    tables.store.claim_seat(code, "blue", "2026-11-18T10:05:00+00:00")
    tables.act(code, "table", "agree", {"ask": ask.id, "yes": True})
    (again,) = tables.game(code).asked.values()
    assert again.to == ("blue",) and not tables.row(code).ended
    tables.act(code, "blue", "agree", {"ask": again.id, "yes": True})
    assert tables.row(code).ended
