"""Games recorded by earlier versions (tests/games) open as they were: events are facts, whatever the rules say today."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from games.expected import SEATS, UNWRITTEN, differences, find, names, read, seats, state
from harness import SCENARIOS
from toykit import all_agree, plain

from companion.engine.record import events as e
from companion.engine.record.game import Game, replay
from companion.engine.record.hindsight import effective
from companion.engine.seat.view import view
from companion.store import open_store
from companion.systems import load_systems
from companion.tables.tables import Tables
from companion.tables.transfer import export_table, import_table
from companion.tables.verify import verify

GAMES = names()


@cache
def recorded(name: str) -> dict[str, Any]:
    """A recorded export, read."""
    found: dict[str, Any] = json.loads(read(find(name, "game")))
    return found


def expected(name: str, part: str) -> dict[str, Any]:
    """What was written down of a game's moments: its `states` or its `seats`."""
    found: dict[str, Any] = json.loads(read(find(name, part)))
    return found


@dataclass
class Opened:
    """A recorded game restored in an installation that knows nothing else."""

    name: str
    tables: Tables
    code: str
    moments: dict[int, Game] = field(default_factory=dict)

    def at(self, revision: int) -> Game:
        """The game as it stood after an event."""
        if revision not in self.moments:
            self.moments[revision] = self.tables.load(self.code, revision)
        return self.moments[revision]


@pytest.fixture(scope="module", params=GAMES)
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    store = open_store(tmp_path_factory.mktemp("recorded") / "companion.db")
    tables = Tables(store, SCENARIOS, clock=lambda: "2025-04-01T20:00:00+00:00")
    yield Opened(request.param, tables, import_table(tables, read(find(request.param, "game"))))
    store.close()


def none_of(found: Iterator[str]) -> None:
    """Nothing differs; else the first differences, to be read."""
    lines = list(found)
    if lines:
        pytest.fail(f"{len(lines)} differences:\n" + "\n".join(lines[:12]), pytrace=False)


def test_a_replay_ends_where_the_game_ended(opened: Opened) -> None:
    copy = recorded(opened.name)
    kit = opened.tables.system(copy["system"]).kit
    game = replay(Game(kit, copy["scenario"]), [e.Event.from_json(item["body"]) for item in copy["events"]])
    none_of(differences(expected(opened.name, "states")["end"], state(game)))


def test_the_restored_table_stands_as_it_stood(opened: Opened) -> None:
    """At its end as the pages get it, and at every moment that was written down, undone ones included."""
    states = expected(opened.name, "states")
    none_of(differences(states["end"], state(opened.tables.game(opened.code))))
    for moment in states:
        game = opened.at(states[moment]["revision"])
        none_of(f"{moment}: {line}" for line in differences(states[moment], state(game)))


def test_every_few_actions_are_taken_back_without_folding(opened: Opened) -> None:
    """Nobody takes back that the table was opened, and what was much is folded."""
    stored = opened.tables.store.events(opened.code)
    numbered = {item.seq: e.Event.from_json(item.body) for item in stored}
    acts = {item.seq: item.act for item in stored}
    system, scenario = recorded(opened.name)["system"], recorded(opened.name)["scenario"]
    game, line, before = Game(opened.tables.system(system).kit, scenario), -1, None
    counting = effective(numbered, len(numbered))[1]
    for number, (_, group) in enumerate(groupby(counting, key=acts.__getitem__)):
        lines = list(group)
        if number % 3 == 1:
            line, before = game.revision, plain(game)
        game.way_back.begin(game.revision)
        for seq in lines:
            game.apply(numbered[seq], seq)
        if number % 3 == 0 and game.way_back.leads_to(line):
            game.way_back.go(game, line)
            none_of(f"before {lines[0]}: {told}" for told in differences(before, plain(game)))
            for seq in (seq for seq in counting if line < seq <= lines[-1]):
                game.apply(numbered[seq], seq)


def test_every_seat_sees_what_it_saw(opened: Opened) -> None:
    """Not less, and above all not more."""
    rules = opened.tables.system_of(opened.code).rules
    states = expected(opened.name, "states")
    for moment, wanted in expected(opened.name, "seats").items():
        game = opened.at(states[moment]["revision"])
        found = seats(game, lambda seat, game=game: view(rules, game, seat).to_json())
        then = UNWRITTEN | states[moment]["values"].keys()
        none_of(f"{moment}: {line}" for line in differences(wanted, found, SEATS, then))


def test_every_roll_is_still_verified(opened: Opened) -> None:
    wrong = verify(recorded(opened.name), opened.tables).faults
    assert not wrong


def test_the_export_of_the_restored_game_is_the_same_record(opened: Opened) -> None:
    was, now = recorded(opened.name), export_table(opened.tables, opened.code)
    for part in (
        "code",
        "system",
        "scenario",
        "title",
        "options",
        "seed",
        "stream",
        "commitment",
        "created_at",
    ):
        assert now[part] == was[part], part
    keys = ("seq", "at", "seat", "act", "name", "body")
    assert [[i[k] for k in keys] for i in now["events"]] == [[i[k] for k in keys] for i in was["events"]]


@pytest.mark.parametrize("every", [1, 40, 200])
def test_undos_over_snapshots_end_in_the_same_state(tmp_path: Path, every: int) -> None:
    """The restored game gets the snapshots that it had while it was played, and closer ones."""
    store = open_store(tmp_path / "companion.db")
    tables = Tables(store, SCENARIOS)
    code = import_table(tables, read(find("undo", "game")))
    states = expected("undo", "states")
    kept = {n: tables.load(code, n).dump() for n in range(every, states["end"]["revision"], every)}
    with store.transaction(code) as tx:
        for revision, dump in kept.items():
            tx.save_snapshot(revision, dump)
    for moment, wanted in states.items():
        found = state(tables.load(code, wanted["revision"]))
        none_of(f"{moment}: {line}" for line in differences(wanted, found))
    store.close()


@pytest.mark.parametrize(
    "name", ["fog-of-war", "panzer-keil-winter-1943", "hidden-hands", "face-down-chits", "sealed-missions"]
)
def test_play_goes_on(name: str, tmp_path: Path) -> None:
    """One game of each system takes another line, and a line that is taken back again."""
    store = open_store(tmp_path / "companion.db")
    tables = Tables(store, SCENARIOS)
    code = import_table(tables, read(find(name, "game")))
    before = state(tables.game(code))
    tables.act(code, "table", "note", {"text": "years later"})
    line = tables.store.latest(code)
    tables.act(code, "table", "call-judge", {"about": "years later"})
    tables.act(code, "table", "take-back", {"to": line})
    all_agree(tables, code)  # where the game had ended
    after = state(tables.load(code))
    assert after == {**before, "revision": tables.store.latest(code)}
    store.close()


# -- that enough is recorded -----------------------------------------------------------------------------


def test_every_scenario_has_a_game_played_to_its_end() -> None:
    played = {(c["system"], c["scenario"]) for c in map(recorded, GAMES) if "ended" in _kinds(c)}
    every = {(s.id, scenario) for s in load_systems(SCENARIOS).values() for scenario in s.kit.scenarios}
    assert every - played == set(), "record a game of each: python -m tests.games.record"


def test_every_kind_of_event_is_in_a_recorded_game() -> None:
    assert set(e.KINDS) - set[str]().union(*(_kinds(recorded(name)) for name in GAMES)) == set()


@pytest.mark.parametrize("mode", ["digital", "physical"])
@pytest.mark.parametrize("kind", ["rolled", "drawn"])
def test_dice_and_draws_of_both_sorts_are_recorded(kind: str, mode: str) -> None:
    bodies = [item["body"] for name in GAMES for item in recorded(name)["events"]]
    assert any(b["kind"] == kind and b.get("mode", "digital") == mode for b in bodies)


def test_an_undo_goes_back_over_a_snapshot() -> None:
    """Tables take one every 200 events."""
    undos = [i for i in recorded("undo")["events"] if i["body"]["kind"] == "undone"]
    assert any(i["body"]["to"] // 200 < (i["seq"] - 1) // 200 for i in undos)


@pytest.mark.parametrize(
    ("name", "moment", "part"),
    [
        ("fog-of-war", "stacks shuffled", "units"),
        ("sealed-missions", "one side has chosen", "my sealed"),
        ("hidden-hands", "hands dealt", "piles"),
        ("face-down-chits", "four chits face down", "piles"),
        ("kharkov-battles-grand-campaign", "Hitler's goal is drawn", "piles"),
    ],
)
def test_the_seats_differ_where_something_is_hidden(name: str, moment: str, part: str) -> None:
    """Or the comparison of what each seat sees would prove nothing."""
    seen = expected(name, "seats")[moment]
    sides = [s.id for s in load_systems(SCENARIOS)[recorded(name)["system"]].kit.system.sides]
    one, other = (seen[side][part] for side in sides)
    assert one != other and one != seen["watch"][part]


def _kinds(copy: dict[str, Any]) -> set[str]:
    return {item["body"]["kind"] for item in copy["events"]}


# -- that a difference would be found --------------------------------------------------------------------


def test_new_fields_are_no_difference() -> None:
    was = {"turn": 1, "values": {"vp": 3}, "units": [{"id": "a"}], "marks": {"a": {"oos": {"value": 1}}}}
    now = {
        "turn": 1,
        "record": "closed",
        "values": {"vp": 3, "new-track": 0},
        "units": [{"id": "a", "colour": ""}],
        "marks": {"a": {"oos": {"value": 1, "since": None}}},
    }
    none_of(differences(was, now))


@pytest.mark.parametrize(
    "now",
    [
        {"turn": 2},
        {"values": {}},
        {"units": [{"id": "a", "untried": True}]},
        {"units": [{"id": "a"}, {"id": "b"}]},
        {"marks": {"a": {"oos": {"value": 1}, "moved": {"value": 1}}}},
        {"marks": {"a": {"oos": {"value": 1}}, "b": {"oos": {"value": 1}}}},
        {"turn": True},
    ],
)
def test_any_other_change_is_one(now: dict[str, Any]) -> None:
    was = {"turn": 1, "values": {"vp": 3}, "units": [{"id": "a"}], "marks": {"a": {"oos": {"value": 1}}}}
    assert list(differences(was, {**was, **now}))


def test_a_hidden_track_that_shows_is_one() -> None:
    was = {"soviet": {"tracks": {"vp": 3}}}
    now = {"soviet": {"tracks": {"vp": 3, "secret": 1}}}
    assert list(differences(was, now, SEATS, UNWRITTEN | {"vp", "secret"}))
    none_of(differences(was, now, SEATS, UNWRITTEN | {"vp"}))
