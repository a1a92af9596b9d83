"""The kit, the owner's lists and their checks."""

from pathlib import Path

import pytest
from harness import SCENARIOS
from kb_bench import chit_sheet, synthetic_book

from companion.books.roster import RosterBook
from companion.books.share import export_book, merge_book
from companion.engine.kit.load import load_kit
from companion.store import open_store
from companion.systems import find_system
from companion.systems.kharkov_battles import BOOK_CHECKS

KIT = find_system("kharkov-battles", SCENARIOS).kit


def test_the_kit_has_no_problems():
    kit, problems = load_kit(SCENARIOS / "kharkov-battles")
    assert problems == []
    assert set(kit.scenarios) == {
        "operation-star", "second-kharkov-k", "third-kharkov-l", "january-campaign", "grand-campaign",
    }  # fmt: skip


def test_checklists_name_real_actions():
    actions = find_system("kharkov-battles", SCENARIOS).rules.actions
    named = [c.action for p in KIT.system.phases for c in p.checklist if c.action]
    assert named and all(a in actions for a in named)


def test_only_what_the_text_gives_is_shipped():
    crt = KIT.charts["crt"]
    assert crt.cell("4", "7-1").value == "D(1)r2"
    assert crt.cell("6", "1-2").source == "doubtful"
    assert not crt.cell("4", "5-1")
    for blank in ("attrition", "breakout", "command", "support", "freeze"):
        assert KIT.charts[blank].filled == 0


def test_the_synthetic_book_passes_its_own_checks():
    tables = synthetic_book().tables
    for name, check in BOOK_CHECKS.items():
        assert check(tables.get(name, {})) == [], name


@pytest.mark.parametrize(
    ("book", "rows", "complaint"),
    [
        ("chits", {"1": {"full": "A5", "reduced": "A6"}}, "stronger when reduced"),
        ("chits", {"1": {"full": "A5 B4", "reduced": "A3"}}, "reduced side"),
        ("chits", {"1": {"full": "", "reduced": "A3"}}, "is empty"),
        (
            "chits",
            {"1": {"full": "A5", "reduced": "A3"}, "2": {"full": "A5 B4", "reduced": "A3 B2"}},
            "same letters",
        ),
        ("trt-kb", {"5": {"weather": "mud", "mud": "0-3"}}, "19.11"),
        ("trt-kb", {"5": {"weather": "clear", "mud": "3-0"}}, "backwards"),
        ("trt-kb", {"5": {"axis-air": 2, "axis-air-mud": 3}}, "19.15"),
        ("goals", {"1": {"goal": "moscow"}}, "four times"),
        ("goals", {str(n): {"goal": ""} for n in range(4)}, "which goal"),
        ("places", {"Kharkov": {}}, "not a hex"),
        ("ma-table", {"a": {"from": 1, "to": 5}, "b": {"from": 4, "to": 9}}, "overlap"),
        ("ma-table", {"a": {"r0": "BOOM"}}, "not a result"),
        ("columns", {"7-1": {"printed": "no"}}, "7-1 is on the table"),
    ],
)
def test_checks_find(book, rows, complaint):
    assert any(complaint in text for text in BOOK_CHECKS[book](rows))


def test_a_sound_chit_sheet_is_silent():
    assert BOOK_CHECKS["chits"](chit_sheet()) == []


def test_modules_stay_small():
    folder = Path(__file__).parents[3] / "companion" / "systems" / "kharkov_battles"
    assert all(len(p.read_text().splitlines()) <= 350 for p in folder.glob("*.py"))


def test_a_shared_roster_keeps_what_is_printed_on_the_counters(tmp_path):
    """Ratings and bands travel with a shared book: without them no chit would ever be drawn."""
    system = find_system("kharkov-battles", SCENARIOS)
    mine, theirs = (open_store(tmp_path / name) for name in ("mine.db", "theirs.db"))
    table = [
        ["side", "name", "kind", "marks", "MP"],
        ["axis", "LAH 1", "panzergrenadier", "rating=A guards", "10"],
    ]
    assert RosterBook(mine, system, "operation-star").take(table, "2026-01-01T00:00:00Z") == (1, [])
    shared = export_book(mine, system, "2026-01-01T00:00:00Z")
    merge_book(theirs, system, shared, "2026-01-02T00:00:00Z")
    assert export_book(theirs, system, "2026-01-01T00:00:00Z")["rosters"] == shared["rosters"]
    assert shared["rosters"]["operation-star"][0]["marks"] == {"rating": "A", "guards": True}
    for store in (mine, theirs):
        store.close()
