"""The end of a stored game: who may end it, when its secrets and its seed are shown, and how play goes on after all."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from toykit import all_agree, install

from companion.engine import events as e
from companion.engine.dice import commitment
from companion.engine.errors import NotNow
from companion.store import open_store
from companion.tables import Tables
from companion.transfer import export_table, import_table
from companion.verify import verify


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Tables]:
    with open_store(tmp_path / "home.db") as store:
        yield Tables(store, install(monkeypatch, tmp_path))


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
    with pytest.raises(NotNow, match="End the game again instead"):
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
