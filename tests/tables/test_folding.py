"""A snapshot is a cache: whatever is wrong with one, the table opens as its events tell it."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from toykit import plain

from companion.engine.record import events as e
from companion.engine.record.game import Game, replay
from companion.engine.record.state import STATE_VERSION
from companion.tables.tables import SNAPSHOT_EVERY, Tables


@pytest.fixture
def code(tables: Tables) -> str:
    """A table with a few actions on record and a sound snapshot half-way."""
    code = tables.new("toy", "skirmish", {})
    tables.act(code, "red", "count-reserve", {"points": 7})
    game = tables.game(code)
    tables.store.save_snapshot(code, game.revision, game.dump())
    tables.act(code, "blue", "lay-mine", {"hex": "0404"})
    tables.act(code, "red", "draw-chit", {})
    return code


def truth(tables: Tables, code: str) -> Any:
    events = [e.Event.from_json(item.body) for item in tables.store.events(code)]
    return plain(replay(Game(tables.system_of(code).kit, "skirmish"), events))


SPOILT: list[dict[str, Any]] = [
    {"version": STATE_VERSION + 1},
    {"version": None},
    {"revision": 10**6},
    {"revision": 1},
    {"values": None},
    {"units": [{"id": "x"}]},
    {"units": "many"},
    {"marks": {"0404": 3}},
    {"piles": []},
    {"asked": [{"kind": "unheard-of"}]},
    {"ended": {"kind": 7}},
]


@pytest.mark.parametrize("harm", SPOILT)
def test_a_spoilt_snapshot_is_passed_over_and_logged(
    tables: Tables, shelf: Path, code: str, harm: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    game = tables.game(code)
    tables.store.save_snapshot(code, game.revision, game.dump() | harm)
    fresh = Tables(tables.store, shelf)
    assert plain(fresh.game(code)) == truth(tables, code)
    assert f"table {code}: the snapshot of event {game.revision}" in caplog.text
    assert fresh.act(code, "red", "count-reserve", {"points": 9}).revision == game.revision + 1


def test_a_snapshot_without_a_part_is_passed_over(tables: Tables, shelf: Path, code: str) -> None:
    game = tables.game(code)
    for name in game.dump():
        state = game.dump()
        del state[name]
        tables.store.save_snapshot(code, game.revision, state)
        assert plain(Tables(tables.store, shelf).game(code)) == truth(tables, code), name


def test_when_every_snapshot_is_spoilt_the_events_are_enough(tables: Tables, shelf: Path, code: str) -> None:
    with closing(sqlite3.connect(tables.store.path)) as conn:  # type: ignore[attr-defined]
        conn.execute("update snapshot set state = replace(state, '7', '8')")
        conn.commit()
    game = Tables(tables.store, shelf).game(code)
    assert game["reserve"] == 7, "a wrong one is not believed"
    assert plain(game) == truth(tables, code)


def test_a_long_game_without_a_sound_snapshot_gets_one_when_it_is_opened(
    tables: Tables, shelf: Path, code: str
) -> None:
    bodies = [e.Noted(f"note {n}").to_json() for n in range(3 * SNAPSHOT_EVERY)]
    with tables.store.transaction(code) as tx:
        tx.append(bodies, at="", seat="red", act="many", name="note", stream=tx.stream, answer={})
    revision = Tables(tables.store, shelf).game(code).revision
    assert (tables.store.snapshot_before(code, 10**6) or (0,))[0] == revision
    assert plain(Tables(tables.store, shelf).game(code)) == truth(tables, code)


def test_a_fault_in_the_record_itself_is_not_hidden(
    tables: Tables, shelf: Path, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(Game, "apply", broken)
    with pytest.raises(ZeroDivisionError):
        Tables(tables.store, shelf).game(code)


def test_a_change_of_the_dumped_shape_needs_a_new_version() -> None:
    """When this fails: raise STATE_VERSION in companion/engine/record/state.py, then write the new names here."""
    from toykit import toy_kit

    assert STATE_VERSION == 2
    assert " ".join(Game(toy_kit(), "skirmish").dump()) == (
        "version revision title commitment turn phase order last_chance values last_result last_roll hidden units marks "
        "piles sealed revealed asked battles ticked ended"
    )
