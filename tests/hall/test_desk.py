"""The organiser's record: one document, changed as a whole, known to every process."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from companion.hall import kept
from companion.hall.desk import Desk, Hall
from companion.hall.roll import HallTable
from companion.store import Store, open_store

TABLE = HallTable("TK7M", 4, "second-kharkov", "historical", {"soviet": "Anna"}, round=2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "companion.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    found = open_store(path)
    yield found
    found.close()


def with_table(hall: Hall) -> Hall:
    return replace(hall, tables=(*hall.tables, TABLE))


def test_a_hall_that_nobody_organises_is_empty(store: Store) -> None:
    assert Desk(store).state() == Hall()


def test_what_was_changed_is_there_after_a_restart(path: Path) -> None:
    first = open_store(path)
    Desk(first).change(with_table)
    first.close()
    again = open_store(path)
    assert Desk(again).state() == Hall(1, (TABLE,))
    assert Desk(again).state().by_code == {"TK7M": TABLE}
    again.close()


def test_a_change_that_fails_leaves_everything_as_it_was(store: Store) -> None:
    desk = Desk(store)
    desk.change(with_table)

    def fail(hall: Hall) -> Hall:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        desk.change(fail)
    assert desk.state() == Desk(store).state() == Hall(1, (TABLE,))


def test_two_desks_change_one_record(path: Path, store: Store) -> None:
    """A change begins with what is stored, not with what this process remembers."""
    other_store = open_store(path)
    here, there = Desk(store), Desk(other_store)
    assert here.state() == there.state() == Hall()
    there.change(with_table)
    assert here.change(with_table) == Hall(2, (TABLE, TABLE))
    other_store.close()


def test_another_processs_change_is_noticed_and_told_once(path: Path, store: Store) -> None:
    other_store = open_store(path)
    here, told = Desk(store), list[Hall]()
    here.state()
    stop = here.subscribe(told.append)
    here.look()
    assert told == []
    Desk(other_store).change(with_table)
    assert here.state() == Hall()
    here.look()
    here.look()
    assert told == [Hall(1, (TABLE,))] == [here.state()]
    stop()
    here.change(with_table)
    assert len(told) == 1
    other_store.close()


def test_a_listener_that_fails_stops_nobody(store: Store) -> None:
    desk, told = Desk(store), list[Hall]()

    def fail(hall: Hall) -> None:
        raise RuntimeError("a fault of ours")

    desk.subscribe(fail)
    desk.subscribe(told.append)
    desk.change(with_table)
    assert told == [Hall(1, (TABLE,))]


@dataclass(frozen=True)
class Inner:
    name: str = ""
    pair: tuple[str, int] = ("", 0)


@dataclass(frozen=True)
class Outer:
    one: Inner | None = None
    many: tuple[Inner, ...] = ()
    named: dict[str, Inner] | None = None
    count: int | None = None


def test_the_order_of_a_tables_sides_is_kept(path: Path, store: Store) -> None:
    """A store sorts the keys of what it keeps; the first side of a game need not be the first of the alphabet."""
    seated = replace(TABLE, players={"soviet": "Anna", "axis": "Boris"})
    Desk(store).change(lambda hall: replace(hall, tables=(seated,)))
    (table,) = Desk(store).state().tables
    assert table.against == "Anna – Boris" and table.players == seated.players


def test_parts_inside_parts_are_read_as_they_were_written() -> None:
    whole = Outer(Inner("a", ("b", 3)), (Inner("c"),), {"d": Inner("e")}, 7)
    assert kept.read(Outer, kept.written(whole)) == whole


def test_what_an_older_version_did_not_write_is_at_its_default_and_what_a_newer_one_wrote_is_left_out() -> (
    None
):
    assert kept.read(Outer, {"many": [{"name": "x", "colour": "red"}]}) == Outer(many=(Inner("x"),))
