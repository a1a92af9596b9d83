"""A chart cell read in play goes into the book, marked as such; the owner's own value wins, and he settles the rest."""

import pytest

from companion.books.book import ChartSheet
from companion.books.played import LOCK, keep_played
from companion.books.sheet import Edit
from companion.tables.tables import Tables


def table(tables: Tables) -> str:
    code = tables.new("toy", "skirmish", {"mode-dice": "either"}, "")
    tables.act(code, "table", "set-up", {})
    tables.act(code, "table", "next-phase", {}, revision=tables.store.latest(code))
    return code


def read_cell(tables: Tables, code: str, result: str, die: int = 5) -> None:
    """Fight at 1:1, where the chart's rows 5 and 6 are blank, and tell what the printed one says."""
    tables.act(code, "red", "attack", {"hex": "0505", "column": "1:1"})
    tables.act(code, "blue", "dismiss", {"ask": asked(tables, code, "call-guns")})
    tables.act(code, "red", "roll-attack", {"die": die})
    tables.act(code, "red", "enter-result", {"result": result})


def asked(tables: Tables, code: str, action: str) -> str:
    return next(a.id for a in tables.game(code).asked.values() if a.action == action)


def sheet(tables: Tables) -> ChartSheet:
    return ChartSheet(tables.store, tables.system("toy"), "crt")


def test_what_was_read_in_play_is_known_at_every_table(tables: Tables) -> None:
    one, other = table(tables), table(tables)
    tables.game(other)  # a table that is open already knows it too
    read_cell(tables, one, "NE")
    cell = tables.game(other).chart("crt").cell("5", "1:1")
    assert (cell.value, cell.source) == ("NE", "play")
    spot = sheet(tables).spot("5", "1:1")
    assert (spot.text, spot.source, spot.origin) == ("NE", "play", "read in play")
    ((_, (answer,)),) = sheet(tables).from_play()
    assert answer["table"] == one and answer["at"]


def test_the_owner_s_own_value_wins_before_and_after(tables: Tables) -> None:
    read_cell(tables, table(tables), "NE")
    outcome = sheet(tables).save([Edit("5", "1:1", "DR", was="NE")], "2026-01-01T00:00:00+00:00")
    tables.book_changed()
    assert outcome.saved == 1 and not sheet(tables).from_play()
    other = table(tables)
    assert tables.game(other).chart("crt").cell("5", "1:1").value == "DR"
    read_cell(tables, table(tables), "NE", die=6)
    assert sheet(tables).spot("5", "1:1").source == "owner"
    assert sheet(tables).spot("6", "1:1").source == "play"


def test_of_two_answers_the_first_counts_and_both_are_shown(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = table(tables), table(tables)
    with monkeypatch.context() as patch:  # both tables are asked before either has answered
        patch.setattr("companion.tables.played.keep_played", lambda *args: False)
        read_cell(tables, other, "DR")
    read_cell(tables, one, "NE")
    kept = tables.game(other)["cells"]
    assert kept == {"crt|5|1:1": "DR"}, "a table keeps what it read itself"
    keep_played(tables.store, tables.system("toy"), kept, other, "2026-01-01T00:00:00+00:00")
    ((spot, answers),) = sheet(tables).from_play()
    assert spot.text == "NE" and [(a["value"], a["table"]) for a in answers] == [("NE", one), ("DR", other)]
    sheet(tables).save([Edit("5", "1:1", "DR")], "2026-01-02T00:00:00+00:00")
    assert not sheet(tables).from_play() and sheet(tables).spot("5", "1:1").text == "DR"


def test_a_table_that_thinks_again_replaces_its_own_answer(tables: Tables) -> None:
    code = table(tables)
    read_cell(tables, code, "NE")
    keep_played(tables.store, tables.system("toy"), {"crt|5|1:1": "DR"}, code, "2026-01-01T00:00:00+00:00")
    ((spot, answers),) = sheet(tables).from_play()
    assert spot.text == "DR" and len(answers) == 1


def test_what_the_rulebook_gives_is_never_read_in_play(tables: Tables) -> None:
    keep_played(tables.store, tables.system("toy"), {"crt|1|1:1": "DE", "none|1|1:1": "DE"}, "ABCD", "now")
    assert sheet(tables).spot("1", "1:1").text == "AR" and not sheet(tables).from_play()


def test_where_seats_may_not_write_in_the_book_play_does_not_either(tables: Tables) -> None:
    tables.store.setting_put(LOCK, {"salt": "", "hash": "", "seats": False})
    code = table(tables)
    read_cell(tables, code, "NE")
    assert not sheet(tables).from_play()
    assert tables.game(code).chart("crt").cell("5", "1:1").value == "NE", "the table itself knows it"
