"""Tables in a store: one action is one transaction, no tap is lost, none counts twice."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import refused
from toykit import all_agree, plain

from companion.engine.errors import Mistake, NotNow, Unknown, Unreadable
from companion.engine.record import events as e
from companion.engine.record.game import Game, replay
from companion.store import ActionIdReused, NoTable, open_store
from companion.tables.tables import SNAPSHOT_EVERY, Tables

Opener = Callable[[], Tables]


@pytest.fixture
def another(tmp_path: Path, shelf: Path) -> Iterator[Opener]:
    """Opens the installation once more, as a second process would."""
    opened = []

    def opener() -> Tables:
        found = Tables(
            open_store(tmp_path / "companion.db"), shelf, clock=lambda: "1942-05-12T12:00:00+00:00"
        )
        opened.append(found)
        return found

    yield opener
    for tables in opened:
        tables.store.close()


@pytest.fixture
def tables(another: Opener) -> Tables:
    return another()


@pytest.fixture
def code(tables: Tables) -> str:
    return tables.new("toy", "skirmish", {}, "Friday night")


def go_on(tables: Tables, code: str) -> int:
    return tables.act(code, "table", "next-phase", {}, revision=tables.store.latest(code)).revision


def stored(tables: Tables, code: str) -> list[e.Event]:
    return [e.Event.from_json(item.body) for item in tables.store.events(code)]


def refolded(tables: Tables, code: str) -> Any:
    return plain(replay(Game(tables.system_of(code).kit, "skirmish"), stored(tables, code)))


# -- opening -------------------------------------------------------------------------------------------------


def test_a_new_table_has_its_own_code_seed_and_first_phase(tables: Tables, code: str) -> None:
    row = tables.row(code)
    assert len(code) == 4 and row.title == "Friday night" and len(row.seed) == 64
    assert row.summary == {
        "played": False,
        "turn": 1,
        "last": 3,
        "date": "12 May",
        "phase": "Weather Phase",
        "active": "",
        "awaited": ["red", "blue"],
        "since": row.created_at,
        "phase_since": row.created_at,
        "ended": "",
        "result": None,
        "judge": "",
        "judge_since": row.created_at,
        "score": "",
    }
    assert tables.game(code).phase == "weather"
    assert tables.row(tables.new("toy", "skirmish", {})).seed != row.seed


@pytest.mark.parametrize(
    ("system", "scenario", "options", "kind", "field"),
    [
        ("tyo", "skirmish", {}, Unknown, "system"),
        ("toy", "skirmisch", {}, Unknown, "scenario"),
        ("toy", "skirmish", {"strom": True}, Unreadable, "strom"),
        ("toy", "skirmish", {"storm": "perhaps"}, Unreadable, "storm"),
        ("toy", "skirmish", {"reading": "both"}, Unreadable, "reading"),
        ("toy", "skirmish", {"mode-dice": "loaded"}, Unreadable, "mode-dice"),
    ],
)
def test_what_cannot_be_opened_is_named(
    tables: Tables, system: str, scenario: str, options: dict[str, Any], kind: type[Mistake], field: str
) -> None:
    with refused(kind, field=field):
        tables.new(system, scenario, options)
    assert tables.store.tables() == []


def test_a_solo_table_has_no_fog(tables: Tables) -> None:
    game = tables.game(tables.new("toy", "skirmish", {"solo": True}))
    assert (game["solo"], game["fog"]) == (True, False)


@pytest.mark.parametrize(
    ("title", "kept"),
    [("x" * 10_000, "x" * 80), ("<b>🎲</b>", "<b>🎲</b>"), ("half \ud83d", "half ?"), (" \0 ", "")],
)
def test_any_title_can_be_kept(tables: Tables, title: str, kept: str) -> None:
    assert tables.row(tables.new("toy", "skirmish", {}, title)).title == kept


@pytest.mark.parametrize("typed", ["ab cd", "ABCD", " abCd\n"])
def test_a_code_is_read_as_people_type_it(tables: Tables, typed: str) -> None:
    assert tables.normal(typed) == "ABCD"


def test_an_unknown_table_is_named(tables: Tables) -> None:
    with pytest.raises(NoTable, match="there is no table 'ZZZZ'"):
        tables.act("ZZZZ", "table", "roll-dice", {})


# -- acting --------------------------------------------------------------------------------------------------


def test_an_action_is_answered_with_the_new_revision_and_what_happened(tables: Tables, code: str) -> None:
    answer = tables.act(code, "red", "roll-dice", {"dice": "1d6", "result": "4", "purpose": "luck"})
    assert answer.revision == tables.store.latest(code) == 3
    assert answer.lines == ["luck: 1d6 rolled 4 (by hand)"]


def test_a_mistake_changes_nothing(tables: Tables, code: str) -> None:
    tables.act(code, "table", "set-up", {})
    before, revision = plain(tables.game(code)), tables.store.latest(code)
    for seat, name, raw in (
        ("red", "place-unit", {"unit": "Guards", "hex": "9999"}),
        ("watch", "draw-chit", {}),
        ("red", "blue-word", {}),
        ("red", "fight", {"attack": 3, "defence": 1}),
        ("red", "roll-weather", {"die": "9"}),
    ):
        with pytest.raises(ValueError):
            tables.act(code, seat, name, raw)
    assert plain(tables.game(code)) == before
    assert (tables.store.latest(code), tables.row(code).stream) == (revision, 0)


def test_a_repeated_submission_is_answered_as_the_first(tables: Tables, code: str) -> None:
    first = tables.act(code, "red", "draw-chit", {}, action_id="tap-1")
    again = tables.act(code, "red", "draw-chit", {}, action_id="tap-1")
    assert (again.repeated, first.repeated) == (True, False)
    assert again.to_json() == first.to_json()
    assert len(tables.game(code).piles["cup"]["drawn"]) == 1
    assert tables.act(code, "red", "draw-chit", {}, action_id="tap-2").revision == first.revision + 1


@pytest.mark.parametrize(("seat", "name"), [("blue", "draw-chit"), ("red", "roll-dice")])
def test_an_action_id_serves_one_seat_and_one_action(tables: Tables, code: str, seat: str, name: str) -> None:
    tables.act(code, "red", "draw-chit", {}, action_id="tap-1")
    with pytest.raises(ActionIdReused):
        tables.act(code, seat, name, {}, action_id="tap-1")


def test_an_action_id_serves_one_body(tables: Tables, code: str) -> None:
    first = tables.act(code, "red", "note", {"text": "one", "_asked": "x"}, action_id="tap-1")
    assert tables.act(code, "red", "note", {"_asked": "x", "text": "one"}, action_id="tap-1").repeated
    for other in ({"text": "two", "_asked": "x"}, {"text": "one"}, {"text": "\ud83d"}, {}):
        with pytest.raises(ActionIdReused):
            tables.act(code, "red", "note", other, action_id="tap-1")
    assert tables.store.latest(code) == first.revision


def test_a_long_action_id_is_refused_and_not_cut(tables: Tables, code: str) -> None:
    before = tables.store.latest(code)
    with refused(Unreadable, field="action_id"):
        tables.act(code, "red", "draw-chit", {}, action_id="x" * 81)
    assert tables.store.latest(code) == before
    assert not tables.act(code, "red", "draw-chit", {}, action_id="x" * 80).repeated


def test_a_repeat_is_answered_even_when_the_phase_is_over(tables: Tables, code: str) -> None:
    """The Wi-Fi lost the answer to a tap on Next phase: the retry is no second step."""
    revision = tables.store.latest(code)
    first = tables.act(code, "table", "next-phase", {}, action_id="tap-1", revision=revision)
    again = tables.act(code, "table", "next-phase", {}, action_id="tap-1", revision=revision)
    assert again.revision == first.revision
    assert tables.game(code).phase == "red-move"


@pytest.mark.parametrize("action", ["next-phase", "end-game", "go-to"])
def test_a_phase_change_against_a_stale_page_is_refused(tables: Tables, code: str, action: str) -> None:
    seen = tables.store.latest(code)
    tables.act(code, "red", "roll-dice", {})
    with pytest.raises(NotNow) as raised:
        tables.act(code, "table", action, {"winner": "red"}, revision=seen)
    assert raised.value.status == 409
    assert raised.value.message.startswith("The table has moved on")
    assert raised.value.accepted == str(seen + 1)
    assert tables.game(code).phase == "weather"


def test_a_phase_change_without_a_revision_is_refused(tables: Tables, code: str) -> None:
    with refused(NotNow, field="revision"):
        tables.act(code, "table", "next-phase", {})


def test_what_a_stale_page_cannot_spoil_goes_through(tables: Tables, code: str) -> None:
    tables.act(code, "red", "roll-dice", {})
    assert tables.act(code, "blue", "roll-dice", {}, revision=1).revision == 4


def test_the_answer_tells_a_seat_no_more_than_it_may_see(tables: Tables, code: str) -> None:
    tables.act(code, "table", "set-up", {})
    answer = tables.act(code, "table", "place-unit", {"unit": "Tanks", "hex": "0404"})
    assert answer.lines == ["a Red unit: 0303 → 0404"]


# -- concurrent clients --------------------------------------------------------------------------------------


def at_once(*jobs: Callable[[], Any]) -> list[Any]:
    """Run all jobs from threads that start together; their answers, or what they raised."""
    barrier = threading.Barrier(len(jobs))
    answers: list[Any] = [None] * len(jobs)

    def run(index: int, job: Callable[[], Any]) -> None:
        barrier.wait()
        try:
            answers[index] = job()
        except Exception as error:  # noqa: BLE001 - the test looks at it
            answers[index] = error

    threads = [threading.Thread(target=run, args=item) for item in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    return answers


def test_the_same_tap_sent_by_many_has_one_effect(tables: Tables, another: Opener, code: str) -> None:
    other = another()
    jobs = [lambda t=t: t.act(code, "red", "draw-chit", {}, action_id="tap-1") for t in (tables, other) * 4]
    answers = at_once(*jobs)
    assert [a.to_json() for a in answers] == [answers[0].to_json()] * 8
    assert sum(not a.repeated for a in answers) == 1
    assert len(tables.game(code).piles["cup"]["drawn"]) == 1


def test_nothing_is_lost_when_all_tap_at_once(tables: Tables, another: Opener, code: str) -> None:
    other = another()
    seats = ("red", "blue", "table", "red", "blue", "table")
    before = tables.store.latest(code)

    def play(index: int, seat: str) -> list[int]:
        mine = (tables, other)[index % 2]
        return [
            mine.act(code, seat, "note", {"text": f"{index}-{n}"}, action_id=f"{index}-{n}").revision
            for n in range(5)
        ]

    answers = at_once(*(lambda i=i, s=s: play(i, s) for i, s in enumerate(seats)))
    revisions = sorted(r for answer in answers for r in answer)
    assert revisions == list(range(before + 1, before + 31)), (
        "every tap has a revision of its own, without gaps"
    )
    texts = [event.text for event in stored(tables, code) if isinstance(event, e.Noted)]
    assert sorted(texts) == sorted(f"{i}-{n}" for i in range(6) for n in range(5))
    for index in range(6):
        mine = [t for t in texts if t.startswith(f"{index}-")]
        assert mine == sorted(mine), "each device's taps keep their order"


def test_of_two_who_end_the_phase_at_once_one_is_told(tables: Tables, another: Opener, code: str) -> None:
    seen, other = tables.store.latest(code), another()
    answers = at_once(
        lambda: tables.act(code, "red", "next-phase", {}, revision=seen),
        lambda: other.act(code, "blue", "next-phase", {}, revision=seen),
    )
    assert sorted(type(a).__name__ for a in answers) == ["Answer", "NotNow"]
    assert tables.game(code).phase == other.game(code).phase == "red-move"


def test_two_processes_on_one_file_catch_up_with_each_other(
    tables: Tables, another: Opener, code: str
) -> None:
    other = another()
    tables.act(code, "red", "count-reserve", {"points": 7})
    assert other.game(code)["reserve"] == 7
    other.act(code, "blue", "note", {"text": "seen"})
    line = other.store.latest(code)
    other.act(code, "red", "count-reserve", {"points": 9})
    assert tables.game(code)["reserve"] == 9
    other.act(code, "red", "take-back", {"to": line})
    assert tables.game(code)["reserve"] == 7, "an undo elsewhere is folded anew here"
    assert plain(tables.game(code)) == plain(other.game(code)) == refolded(tables, code)


@pytest.mark.parametrize(("error", "kept"), [(NotNow("No."), True), (RuntimeError("a slip"), False)])
def test_what_is_refused_halfway_leaves_the_game_as_it_was(
    tables: Tables, code: str, monkeypatch: pytest.MonkeyPatch, error: Exception, kept: bool
) -> None:
    """After a refusal it knows the way back; after anything else it is folded again from the record."""

    def watcher(game: Game) -> Iterator[e.Event]:
        yield e.Set("vp", game["vp"] + 5)
        raise error

    tables.act(code, "table", "set-up", {})
    game, before = tables.game(code), plain(tables.game(code))
    monkeypatch.setattr(tables.system_of(code).rules, "watchers", [watcher])
    with pytest.raises(type(error)):
        tables.act(code, "red", "add-unit", {"side": "red", "name": "New", "hex": "0505"})
    assert plain(tables.game(code)) == before == refolded(tables, code)
    assert (tables.game(code) is game) == kept


# -- taking back ---------------------------------------------------------------------------------------------


def test_undo_takes_back_whole_actions_newest_first(tables: Tables, code: str) -> None:
    assert tables.undo_target(code) is None, "the opening stays"
    opened = tables.store.latest(code)
    tables.act(code, "table", "set-up", {})
    set_up = tables.store.latest(code)
    tables.act(code, "red", "correct", {"name": "vp", "value": "9"})
    assert tables.undo_target(code) == set_up
    tables.act(code, "red", "take-back", {"to": set_up})
    assert tables.undo_target(code) == opened
    tables.act(code, "red", "take-back", {"to": opened})
    assert tables.undo_target(code) is None
    assert not tables.game(code).units


def test_the_lobby_says_where_the_game_is_after_an_undo(tables: Tables, code: str) -> None:
    line = go_on(tables, code)
    tables.act(code, "table", "end-game", {"winner": "red", "why": "Blue left"}, revision=line)
    all_agree(tables, code)
    assert (tables.row(code).ended, tables.row(code).summary["ended"]) == (True, "Blue left")
    tables.act(code, "table", "take-back", {"to": line})
    all_agree(tables, code)
    assert (tables.row(code).ended, tables.row(code).summary["ended"]) == (False, "")
    tables.act(code, "table", "take-back", {"to": 2})
    assert tables.row(code).summary["phase"] == "Weather Phase"


def test_dice_after_an_undo_are_new_ones(tables: Tables) -> None:
    code = tables.new("toy", "skirmish", {"solo": True})
    line = tables.store.latest(code)
    for _ in range(2):
        tables.act(code, "red", "roll-dice", {"dice": "3d6"})
        tables.act(code, "red", "take-back", {"to": line})
    rolls = [event for event in stored(tables, code) if isinstance(event, e.Rolled)]
    assert [r.index for r in rolls] == [0, 3]
    assert tables.row(code).stream == 6


# -- the log -------------------------------------------------------------------------------------------------


def test_the_log_groups_events_by_action_newest_first(tables: Tables, code: str) -> None:
    tables.act(code, "table", "set-up", {})
    tables.act(code, "red", "roll-weather", {"die": "6"})
    newest, set_up, opening = tables.log(code, "red")
    assert (newest.label, newest.seat_name, newest.rule) == ("Roll for the weather", "Red", "4.1")
    assert newest.lines == ["Weather: Clear → Deep mud", "weather: 1d6 rolled 6 (by hand)"]
    assert (newest.turn, newest.phase, newest.kinds) == (1, "weather", ["rolled", "set", "ticked"])
    assert (set_up.label, len(set_up.lines)) == ("Set up the scenario", 4)
    assert sum("2 Blue units: " in line for line in set_up.lines) == 1, "told once, with their number"
    assert opening.lines[0] == "Table opened: Toy Kharkov, Skirmish"
    assert (opening.first, opening.last, set_up.first) == (1, 2, 3)


def test_the_result_of_a_battle_heads_its_line(tables: Tables, code: str) -> None:
    """The roll, its modifiers and the markers come after what everybody wants to know."""
    revision = tables.game(code).revision
    tables.act(code, "table", "go-to", {"turn": 1, "phase": "red-move"}, revision=revision)
    tables.act(code, "red", "fight", {"attack": 6, "defence": 3, "die": "3"})
    first, *rest = tables.log(code, "red")[0].lines
    assert first.startswith("Combat at 2:1") and any("rolled 3" in line for line in rest)


def test_the_log_says_what_a_seat_may_read(tables: Tables, code: str) -> None:
    tables.act(code, "red", "whisper", {"text": "operation-kremlin"})
    assert tables.log(code, "red")[0].lines[0] == "operation-kremlin"
    assert [entry.lines for entry in tables.log(code, "blue")][0] == ["a note in secret"]


def test_what_was_taken_back_is_struck_out_until_that_is_taken_back_too(tables: Tables, code: str) -> None:
    tables.act(code, "red", "note", {"text": "first"})
    line = tables.store.latest(code)
    tables.act(code, "red", "note", {"text": "second"})
    tables.act(code, "red", "take-back", {"to": line})

    def struck() -> dict[str, bool]:
        return {entry.lines[0]: entry.undone for entry in tables.log(code, "red")}

    assert struck()["second"] and not struck()["first"] and not struck()[f"taken back to line {line}"]
    tables.act(code, "red", "take-back", {"to": line + 1})
    all_agree(tables, code)
    assert not struck()["second"]
    assert struck()[f"taken back to line {line}"]


def test_the_log_puts_a_line_under_the_phase_it_happened_in(tables: Tables, code: str) -> None:
    tables.act(code, "red", "note", {"text": "before"})
    line = tables.store.latest(code)
    go_on(tables, code)
    tables.act(code, "red", "note", {"text": "in red's phase"})
    tables.act(code, "red", "take-back", {"to": line})
    tables.act(code, "red", "note", {"text": "back again"})
    phases = {entry.lines[0]: entry.phase for entry in tables.log(code, "red")}
    assert (phases["before"], phases["in red's phase"], phases["back again"]) == (
        "weather",
        "red-move",
        "weather",
    )
    late = tables.log(code, "red", limit=1)[0]
    assert (late.lines, late.phase) == (["back again"], "weather"), (
        "also when the log is read from the middle"
    )


def test_older_pages_of_the_log_go_on_where_the_last_ended(tables: Tables, code: str) -> None:
    for n in range(30):
        tables.act(code, "red", "note", {"text": f"note {n}"})
    seen: list[str] = []
    before = None
    while page := tables.log(code, "red", limit=8, before=before):
        seen += [entry.lines[0] for entry in page]
        before = page[-1].first
    assert seen == [*(f"note {n}" for n in reversed(range(30))), "Table opened: Toy Kharkov, Skirmish"]


# -- long games ----------------------------------------------------------------------------------------------


def events_loaded(tables: Tables, code: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many events are read to open a table that nobody holds in memory."""
    count = 0
    read = tables.store.events

    def counted(*args: Any) -> Any:
        nonlocal count
        found = read(*args)
        count += len(found)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(tables.store, "events", counted)
        tables.load(code)
    return count


def notes(tables: Tables, code: str, many: int) -> None:
    """Append many notes the quick way, with the snapshots that as many taps would have left."""
    done = tables.store.latest(code)
    while done < many:
        game = tables.load(code)
        upto = min(many, (done // SNAPSHOT_EVERY + 1) * SNAPSHOT_EVERY)
        bodies = [e.Noted(f"note {n}").to_json() for n in range(done + 1, upto + 1)]
        with tables.store.transaction(code) as tx:
            tx.append(
                bodies,
                at=tables.clock(),
                seat="red",
                act=f"n{upto}",
                name="note",
                stream=tx.stream,
                answer={},
            )
            for body in bodies:
                game.apply(e.Event.from_json(body))
            if upto % SNAPSHOT_EVERY == 0:
                tx.save_snapshot(upto, game.dump())
        done = upto


def test_a_tap_that_crosses_the_mark_leaves_a_snapshot(tables: Tables, code: str) -> None:
    notes(tables, code, SNAPSHOT_EVERY - 1)
    tables.act(code, "table", "set-up", {})
    seq, state = tables.store.snapshot_before(code, 10**6) or (0, {})
    assert seq == tables.store.latest(code) > SNAPSHOT_EVERY
    assert state == plain(tables.game(code))


def test_a_long_game_opens_from_its_snapshot(
    tables: Tables, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = tables.new("toy", "skirmish", {})
    notes(tables, short, 100)
    tables.act(code, "red", "count-reserve", {"points": 7})
    notes(tables, code, 10_000)
    tables.act(code, "red", "note", {"text": "the last"})
    assert tables.store.latest(code) == 10_001
    assert events_loaded(tables, code, monkeypatch) <= events_loaded(tables, short, monkeypatch)
    assert tables.load(code)["reserve"] == 7


def test_an_undo_behind_the_snapshot_is_still_exact(tables: Tables, another: Opener, code: str) -> None:
    tables.act(code, "red", "count-reserve", {"points": 7})
    line = tables.store.latest(code)
    tables.act(code, "red", "count-reserve", {"points": 9})
    notes(tables, code, 3 * SNAPSHOT_EVERY + 5)
    tables.act(code, "red", "take-back", {"to": line})
    tables.act(code, "blue", "lay-mine", {"hex": "0404"})
    for found in (tables, another()):
        assert found.game(code)["reserve"] == 7
        assert plain(found.game(code)) == refolded(found, code)


# -- forms ---------------------------------------------------------------------------------------------------


def test_a_forms_fields_know_the_table(tables: Tables, code: str) -> None:
    tables.act(code, "table", "set-up", {})
    unit = tables.visit(code, "red").fields("place-unit")[0]
    assert [c["value"] for c in unit["choices"]] == ["red-guards", "red-tanks"]


def test_a_row_read_before_somebody_else_acted_does_not_bring_the_old_game_back(
    tables: Tables, code: str
) -> None:
    """A request reads the table's row, waits while another acts, and only then looks at the game."""
    waiting = tables.visit(code, "red")
    assert waiting.row.revision == tables.game(code).revision
    tables.act(code, "blue", "note", {"text": "meanwhile"})
    now = tables.game(code)
    assert waiting.game is now and waiting.game.revision == tables.store.latest(code)
    assert waiting.undo and waiting.undo.to == tables.undo_target(code)
