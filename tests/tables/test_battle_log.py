"""One battle is one entry of the log, told in a sentence; its lines unfold. Nothing hidden is in either."""

from dataclasses import fields

import pytest
from toykit import all_agree

from companion.engine.record.events import KINDS
from companion.engine.seat.story import act_words
from companion.tables.log import Entry, told
from companion.tables.misfits import misfit
from companion.tables.tables import Tables


@pytest.fixture
def code(tables: Tables) -> str:
    code = tables.new("toy", "skirmish", {"mode-dice": "either", "fog": True}, "Friday night")
    tables.act(code, "table", "set-up", {})
    tables.act(code, "table", "next-phase", {}, revision=tables.store.latest(code))
    return code


def ask_of(tables: Tables, code: str, action: str) -> str:
    return next(a.id for a in tables.game(code).asked.values() if a.action == action)


def fight(tables: Tables, code: str) -> None:
    """A battle from its declaration to its end, with a remark in between."""
    tables.act(code, "red", "attack", {"hex": "0505", "column": "2:1"})
    tables.act(code, "blue", "call-guns", {"guns": 1})
    tables.act(code, "red", "note", {"text": "now or never"})
    tables.act(code, "red", "roll-attack", {"die": "5"})
    tables.act(code, "blue", "lose-steps", {"units": ["blue-flak"]})
    tables.act(code, "red", "lose-steps", {"units": ["red-tanks"]})
    tables.act(code, "blue", "fall-back", {"to": "0406"})
    tables.act(code, "red", "advance", {})


def battles(tables: Tables, code: str, seat: str) -> list[Entry]:
    return [e for e in tables.log(code, seat) if e.battle]


def test_a_battle_is_one_entry_told_in_a_sentence(tables: Tables, code: str) -> None:
    fight(tables, code)
    for seat in ("table", "red", "blue", "watch"):
        (entry,) = battles(tables, code, seat)
        assert entry.lines[0].startswith("Red attack on 0505, 2:1 -1, die 5: DR. "), entry.lines[0]
        assert entry.seat == "red" and entry.battle == entry.first
        told = " | ".join(entry.lines[1:])
        assert "1 guns" in told and "attack: 1d6 rolled 5" in told and "To do: Blue: lose 1 step" in told
    rows = tables.log(code, "blue")
    assert [e.battle != 0 for e in rows[:2]] == [True, False], "what was said meanwhile stays its own entry"
    assert rows[1].lines == ["now or never"]


def test_the_sentence_says_what_became_of_the_units(tables: Tables, code: str) -> None:
    fight(tables, code)
    (entry,) = battles(tables, code, "blue")
    assert "Flak: Dead pile (losses)" in entry.lines[0]
    assert "Jaeger: 0505 \u2192 0406 (falls back)" in entry.lines[0]
    assert "Guards: 0303 \u2192 0505 (advances)" in entry.lines[0]


def test_the_strip_shows_the_same(tables: Tables, code: str) -> None:
    fight(tables, code)
    visit = tables.visit(code, "red")
    first, again = visit.log(8, most=6), visit.log(8, most=6)
    assert [e.lines[0] for e in first] == [e.lines[0] for e in again]
    entry = next(e for e in first if e.battle)
    assert entry.lines[0] == battles(tables, code, "red")[0].lines[0]
    assert len(entry.lines) == 6 and entry.left_out > 0


def test_a_battle_that_was_taken_back_is_struck_out_as_one(tables: Tables, code: str) -> None:
    line = tables.store.latest(code)
    tables.act(code, "red", "attack", {"hex": "0505", "column": "2:1"})
    tables.act(code, "blue", "call-guns", {"guns": 1})
    tables.act(code, "red", "take-back", {"to": line})
    all_agree(tables, code)
    (entry,) = battles(tables, code, "red")
    assert entry.undone


def test_a_part_that_was_taken_back_stands_by_itself(tables: Tables, code: str) -> None:
    tables.act(code, "red", "attack", {"hex": "0505", "column": "2:1"})
    tables.act(code, "blue", "call-guns", {"guns": 1})
    tables.act(code, "blue", "take-back", {"to": tables.undo_target(code)})
    tables.act(code, "blue", "call-guns", {"guns": 2})
    kept, void = sorted(battles(tables, code, "red"), key=lambda e: e.undone)
    assert "2 guns" in kept.lines and "1 guns" in void.lines and "1 guns" not in kept.lines


def test_leaving_the_phase_is_no_part_of_the_battle(tables: Tables, code: str) -> None:
    tables.act(code, "red", "attack", {"hex": "0505", "column": "2:1"})
    tables.act(code, "blue", "call-guns", {"guns": 1})
    tables.act(code, "red", "roll-attack", {"die": "1"})
    tables.act(code, "table", "next-phase", {}, revision=tables.store.latest(code))
    rows = tables.log(code, "table")
    assert not rows[0].battle and "Blue Movement" in " ".join(rows[0].lines)


def test_what_is_planned_in_secret_is_in_nobody_else_s_entry(tables: Tables, code: str) -> None:
    tables.act(code, "red", "plan-secretly", {})
    for seat in ("blue", "table", "watch"):
        for entry in tables.log(code, seat):
            assert "SECRET" not in " ".join(entry.lines)
    assert "SECRET-DUTY" in " ".join(battles(tables, code, "red")[0].lines)


def test_an_export_may_hold_a_battle() -> None:
    """Every field of every event is read from a file by what it is."""
    for cls in KINDS.values():
        known = {f.name: f.type for f in fields(cls)}
        assert "of another kind" not in misfit({"kind": cls.KIND}) and known
    body = {"kind": "engaged", "title": "x", "attacker": "red", "defender": "blue", "forces": {"red": ["a"]}}
    assert misfit(body) == ""
    assert "forces of another kind" in misfit({**body, "forces": {"red": "a"}})


def test_the_sentence_is_whole_when_the_battle_began_long_ago(tables: Tables, code: str) -> None:
    tables.act(code, "red", "attack", {"hex": "0505", "column": "2:1"})
    tables.act(code, "blue", "call-guns", {"guns": 1})
    tables.act(code, "red", "roll-attack", {"die": "5"})
    for n in range(60):
        tables.act(code, "red", "note", {"text": str(n)})
    tables.act(code, "blue", "lose-steps", {"units": ["blue-flak"]})
    entry = next(e for e in tables.visit(code, "watch").log(8, most=6) if e.battle)
    assert entry.lines[0] == "Red attack on 0505, 2:1 -1, die 5: DR. Flak: Dead pile (losses)."


def test_what_was_answered_in_the_same_breath_is_nobodys_to_do(tables: Tables, code: str) -> None:
    asked = {
        "kind": "asked",
        "id": "q1",
        "to": ["red"],
        "text": "Read your chart",
        "action": "x",
        "duty": "owed",
    }
    other = asked | {"id": "q2", "text": "Roll"}
    lines = told([asked, other, {"kind": "answered", "id": "q1"}], tables.game(code))
    assert lines == ["Red to do: Roll"]


def test_undo_names_an_attack_by_its_nation() -> None:
    begun = {"kind": "engaged", "title": "Soviet attack on 2408", "attacker": "soviet"}
    assert act_words([begun], "") == "Soviet attack on 2408"
    assert act_words([begun | {"title": "Attack on 2408"}], "") == "attack on 2408"
