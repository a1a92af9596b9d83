"""What many tables have in common is held once; what is each table's own stays so."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.engine import once
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.engine.seat.view import view
from companion.resources import SCENARIOS
from companion.store import open_store
from companion.tables.tables import Tables


@pytest.fixture
def tables(tmp_path: Path) -> Iterator[Tables]:
    store = open_store(tmp_path / "games.db")
    yield Tables(store, SCENARIOS)
    store.close()


@pytest.fixture
def games(tables: Tables) -> list[Game]:
    """Two tables of one game, set up and read again from their records."""
    found = []
    for _ in range(2):
        code = tables.new("wb95", "kharkov-1942", {})
        tables.act(code, "table", "set-up", {})
        tables.forget(code)
        found.append(tables.game(code))
    return found


def test_units_share_their_words_and_factors(games: list[Game]) -> None:
    one, other = games
    assert len(one.units) > 100
    for unit, twin in zip(one.units.values(), other.units.values(), strict=True):
        assert unit is not twin and unit == twin
        assert unit.id is twin.id and unit.name is twin.name and unit.place is twin.place
        assert unit.factors is twin.factors
    assert all(target is twin for target, twin in zip(one.marks, other.marks, strict=True))


def test_what_changes_at_one_table_stays_as_it_was_at_the_other(games: list[Game]) -> None:
    one, other = games
    name = next(unit.id for unit in one.units.values() if unit.factors)
    before = dict(other.units[name].factors)
    changed = {factor: value + 1 for factor, value in before.items()}
    one.apply(e.Placed(name, "2408", facts={"factors": changed}))
    assert one.units[name].factors == changed
    assert other.units[name].factors == before and other.units[name].place != "2408"


def test_seats_of_all_tables_are_offered_the_same_things(tables: Tables, games: list[Game]) -> None:
    rules = tables.system("wb95").rules
    one, other = (view(rules, game, "soviet").actions for game in games)
    assert one and len(one) == len(other)
    assert all(here is there for here, there in zip(one, other, strict=True))


def test_what_every_table_is_asked_has_one_key(tables: Tables, games: list[Game]) -> None:
    rules = tables.system("wb95").rules
    kept = []
    for game in games:
        view(rules, game, "soviet").actions  # noqa: B018 - looked at
        kept.append({id(key) for key in game.worked._kept})
    assert len(kept[0] & kept[1]) == len(kept[0]) > 30


def test_a_key_with_things_of_a_table_s_own_is_kept_for_it_alone(games: list[Game]) -> None:
    """Otherwise they would stay in memory when the table is long gone."""

    class Own:
        pass

    held = once._same.cache_info().currsize
    games[0].worked.find(games[0], ("entry", Own()), lambda: 1)
    assert once._same.cache_info().currsize <= held + 1, "no more than the names that it looked at"


def test_what_an_action_did_can_be_read_again(tables: Tables) -> None:
    code = tables.new("second-kharkov", "historical", {})
    tables.act(code, "soviet", "note", {"text": "so it was"})
    tables.visit(code, "soviet").log(8, most=12)
    deed = tables.past(code).deeds("soviet")[-1]
    stored = tables.store.events(code)[-1].body
    assert deed.bodies == [stored]
    deed.bodies[0]["text"] = "otherwise"
    assert deed.bodies == [stored], "whoever reads it has a copy of his own"
