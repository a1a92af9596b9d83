"""What was read off a counter in play is in the owner's roster from then on, and nothing of his is overwritten."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import SCENARIOS

from companion.books.played import LOCK
from companion.books.roster import RosterBook
from companion.engine.record import events as e
from companion.engine.record.changes import OFF_COUNTER
from companion.store import open_store
from companion.tables.played import Known, keep_what_was_read
from companion.tables.tables import Tables

AT = "2026-11-18T20:00:00+00:00"


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Tables]:
    store = open_store(tmp_path / "companion.db")
    yield Tables(store, SCENARIOS)
    store.close()


def read_off(tables: Tables, code: str, unit: str, **factors: int) -> bool:
    seen = e.Placed(unit, facts={"factors": factors}, reason=OFF_COUNTER, side="soviet")
    game = tables.game(code)
    return keep_what_was_read(tables.store, tables.system_of(code), code, [seen], game, Known.of(game), AT)


def roster(tables: Tables, code: str) -> RosterBook:
    return RosterBook(tables.store, tables.system_of(code), tables.row(code).scenario)


def test_a_blank_is_filled_and_marked_and_a_filled_one_stays(tables: Tables) -> None:
    code = tables.new("panzer-keil", "winter-1943", {})
    unit = next(u for u in roster(tables, code).units() if not u.factors)
    assert read_off(tables, code, unit.id, S=3)
    (line,) = [x for x in roster(tables, code).lines() if x.unit.id == unit.id]
    assert line.unit.factors == {"S": 3} and f"from play, table {code}" in line.unit.note
    assert not read_off(tables, code, unit.id, S=5)
    (line,) = [x for x in roster(tables, code).lines() if x.unit.id == unit.id]
    assert line.unit.factors == {"S": 3}


def test_the_next_table_knows_it(tables: Tables) -> None:
    code = tables.new("panzer-keil", "winter-1943", {})
    unit = next(u for u in roster(tables, code).units() if not u.factors)
    read_off(tables, code, unit.id, S=3)
    tables.book_changed()
    other = tables.new("panzer-keil", "winter-1943", {})
    assert next(u for u in tables.game(other).roster if u.id == unit.id).factors == {"S": 3}


def test_a_unit_put_on_record_by_hand_stays_its_tables_own(tables: Tables) -> None:
    code = tables.new("panzer-keil", "winter-1943", {})
    assert not read_off(tables, code, "nobody-knows-it", S=3)


def test_a_locked_book_is_not_written(tables: Tables) -> None:
    code = tables.new("panzer-keil", "winter-1943", {})
    unit = next(u for u in roster(tables, code).units() if not u.factors)
    tables.store.setting_put(LOCK, {"seats": False})
    assert not read_off(tables, code, unit.id, S=3)


def test_steps_fill_an_empty_cell_and_overwrite_none(tables: Tables) -> None:
    """One step is what an empty cell reads as; a number that stands there stays."""
    code = tables.new("enemy-action-kharkov", "campaign", {})
    held = roster(tables, code)
    assert held.take([["id", "side", "name", "steps"], ["gd", "german", "GD.Raus", ""]], AT) == (1, [])
    for steps in (3, 2):
        held.seen_in_play("gd", {"steps": steps, "full": steps}, code, AT)
        held = roster(tables, code)
        assert [u.steps for u in held.units() if u.id == "gd"] == [3]


def test_a_type_comes_with_its_steps(tables: Tables) -> None:
    """A counter without a type is listed with one step for want of better; a listed type keeps the steps beside it."""
    code = tables.new("panzer-keil", "winter-1943", {})
    held = roster(tables, code)
    typed = next(u for u in held.units() if u.kind)
    heads = ["id", "side", "name", "kind", "steps"]
    rows = [["new", typed.side, "New", "", "1"], ["old", typed.side, "Old", typed.kind, "1"]]
    assert held.take([heads, *rows], AT) == (2, [])
    for unit in ("new", "old"):
        facts = {"kind": typed.kind, "full": 3, "steps": 3}
        seen = e.Placed(unit, facts=facts, reason=OFF_COUNTER, side=typed.side)
        game = tables.game(code)
        keep_what_was_read(tables.store, tables.system_of(code), code, [seen], game, Known.of(game), AT)
    known = {u.id: u for u in roster(tables, code).units()}
    assert (known["new"].kind, known["new"].steps) == (typed.kind, 3)
    assert known["old"].steps == 1
