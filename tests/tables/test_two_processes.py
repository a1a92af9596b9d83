"""Two processes on one store: what one keeps in memory, the other must not have made untrue."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from harness import refused
from toykit import install

from companion.engine import dice
from companion.engine.errors import Unknown, Unreadable
from companion.engine.people.clocks import spent_by
from companion.store import open_any
from companion.tables.savefile import checksum
from companion.tables.tables import Tables
from companion.tables.transfer import export_table, import_table
from companion.web.waiting import MINUTES, SharedWaiting

pytestmark = pytest.mark.parametrize("kind", ["sqlite", "postgres"])


@pytest.fixture
def process(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[], Tables]]:
    """Starts one more, as far as the store can tell."""
    shelf = install(monkeypatch)
    place: Any = request.getfixturevalue("postgres") if kind == "postgres" else tmp_path / "companion.db"
    opened: list[Tables] = []

    def start() -> Tables:
        opened.append(Tables(open_any(place), shelf))
        return opened[-1]

    yield start
    for tables in opened:
        tables.store.close()


def test_a_cached_game_notices_what_another_process_did(process: Callable[[], Tables]) -> None:
    one, other = process(), process()
    code = one.new("toy", "skirmish", {})
    for number in range(6):
        (one, other)[number % 2].act(code, "red", "note", {"text": f"note {number}"})
        assert one.game(code).dump() == other.game(code).dump()
    start = one.undo_target(code)
    other.act(code, "red", "take-back", {"to": start})
    one.act(code, "blue", "note", {"text": "after"})
    assert one.game(code).dump() == other.game(code).dump()
    assert [e.lines for e in one.log(code, "watch")] == [e.lines for e in other.log(code, "watch")]


def test_a_repeat_sent_to_another_process_counts_once(process: Callable[[], Tables]) -> None:
    one, other = process(), process()
    code = one.new("toy", "skirmish", {})
    first = one.act(code, "red", "roll-dice", {"dice": "2d6"}, action_id="tap-1")
    again = other.act(code, "red", "roll-dice", {"dice": "2d6"}, action_id="tap-1")
    assert again.repeated and (again.revision, again.lines) == (first.revision, first.lines)


def test_a_new_seed_is_used_by_whoever_rolls_next(process: Callable[[], Tables]) -> None:
    """Another process gives the table a new seed while this one waits for its turn: the old one must not roll again."""
    one, other = process(), process()
    code = one.new("toy", "skirmish", {})
    one.act(code, "red", "note", {"text": "warm"})
    real = one.store.transaction
    new = "ab" * 32

    def late(table: str) -> Any:
        with other.store.transaction(table) as tx:
            body = {"kind": "reseeded", "commitment": dice.commitment(new)}
            tx.append(
                [body], at="", seat="table", act="reseed", name="x", stream=tx.stream, answer={}, seed=new
            )
        return real(table)

    one.store.transaction = late  # type: ignore[method-assign]
    one.act(code, "red", "note", {"text": "after"})
    assert other.store.table(code).seed == new


def test_books_written_elsewhere_are_read_again_by_open_games(process: Callable[[], Tables]) -> None:
    one, other = process(), process()
    code = one.new("toy", "skirmish", {})
    toy = one.system("toy")
    before, held = one.book(toy), one.game(code)
    one.store.poll_others()
    other.store.book_change("toy", "grid", lambda book: {**(book or {})}, "now")
    one.store.poll_others()
    assert one.book(toy) is not before
    assert held.book is one.book(toy)
    kept = one.book(toy)
    other.store.book_change("hall", "rounds", lambda book: {}, "now")
    one.store.poll_others()
    assert one.book(toy) is kept, "it is no book of this game"


def test_devices_that_sit_down_at_once_are_all_remembered(process: Callable[[], Tables]) -> None:
    """Or the last to stand up would be taken for the only one, and the others be signed out."""
    processes = [process(), process()]
    code = processes[0].new("toy", "skirmish", {})

    def sit(number: int) -> None:
        processes[number % 2].seating.sit_down(code, ["red"], f"device {number}", "phone")

    with ThreadPoolExecutor(4) as crowd:
        list(crowd.map(sit, range(8)))
    assert len(processes[0].seating.devices(code)["red"]) == 8
    processes[1].seating.stand_up(code, ["red"], "device 3")
    assert len(processes[0].seating.devices(code)["red"]) == 7
    assert processes[0].store.seat_generations(code)["red"].number == 1, "nobody else is signed out"


def test_a_file_waits_for_its_keys_wherever_they_are_given(process: Callable[[], Tables]) -> None:
    now = [1000.0]
    one, other = (SharedWaiting(process().store, lambda: now[0]) for _ in range(2))
    ticket = one.put("the file", "K7QX")
    assert other.get(ticket) == ("the file", "K7QX")
    for wrong in (ticket + "x", "0-guess", "", "no-such", "9" * 30 + "-a"):
        with pytest.raises(Unknown):
            other.get(wrong)
    other.drop(ticket)
    with pytest.raises(Unknown):
        one.get(ticket)
    late = one.put("late", "")
    now[0] += MINUTES * 60 + 1
    with pytest.raises(Unknown):
        other.get(late)


def test_only_so_many_files_wait_and_the_oldest_give_way(process: Callable[[], Tables]) -> None:
    now = [1000.0]
    waiting = SharedWaiting(process().store, lambda: now[0])
    tickets = []
    for number in range(waiting.PLACES + 1):
        now[0] += 1
        tickets.append(waiting.put(f"file {number}", ""))
    with pytest.raises(Unknown):
        waiting.get(tickets[0])
    assert [waiting.get(ticket)[0] for ticket in tickets[1:]] == [f"file {n}" for n in range(1, 41)]
    waiting.drop(tickets[0])
    assert waiting.get(tickets[-1])[0] == "file 40", "a late drop takes nobody else's place"


def test_a_million_tables_need_longer_codes(
    process: Callable[[], Tables], monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = process()
    monkeypatch.setattr(tables.store, "is_free", lambda code: len(code) > 4)
    assert len(tables._free_code()) == 5


def test_a_null_character_is_the_senders_mistake_wherever_it_stands(process: Callable[[], Tables]) -> None:
    """PostgreSQL takes none in a text; nobody may be answered by a failure for that."""
    tables = process()
    code = tables.new("toy", "skirmish", {}, "Fri\0day")
    with refused(Unreadable, field="action_id"):
        tables.act(code, "red", "note", {"text": "a"}, action_id="a\0b")
    tables.act(code, "red", "note", {"text": "a\0b"})
    copy = export_table(tables, code)
    for event in copy["events"]:
        event["act"] = event["act"].replace("-", "\0-")
    copy["checksum"] = checksum({key: value for key, value in copy.items() if key != "checksum"})
    before = len(tables.store.tables())
    try:
        import_table(tables, json.dumps(copy), b"k" * 32, operator=True)
    except Unreadable:
        assert len(tables.store.tables()) == before


def test_time_is_counted_from_what_another_process_wrote(process: Callable[[], Tables]) -> None:
    """The next tap may end up at a process that has not looked at the table since: it has heard of the last one."""
    one, other = process(), process()
    now = [100.0]
    one.stopwatch.now = other.stopwatch.now = lambda: now[0]
    code = one.new("toy", "skirmish", {})
    one.act(code, "table", "start-clocks", {"minutes": "0"})
    now[0] += 5
    one.act(code, "red", "note", {"text": "after five seconds"})
    other.store.poll_others()
    now[0] += 30
    other.act(code, "red", "note", {"text": "after thirty more"})
    spent = max(spent_by(other.game(code), side) for side in other.game(code).sides)
    assert spent == 35.0
