"""Who sits where, under the web: lines of the log that no undo touches, and codes issued with them."""

import pytest
from harness import refused

from companion.engine.errors import NotNow, NotYours
from companion.store import Generation
from companion.tables.seating import is_table_free
from companion.tables.tables import Tables


@pytest.fixture
def code(tables: Tables) -> str:
    return tables.new("toy", "skirmish", {})


def sit(tables: Tables, code: str, *seats: str, device: str = "") -> None:
    for seat in seats:
        tables.seating.sit_down(code, [seat], device or f"{seat}'s", "phone")


def texts(tables: Tables, code: str) -> list[str]:
    return [line for entry in tables.log(code, "watch") for line in entry.lines]


def ask(tables: Tables, code: str) -> str:
    return next(iter(tables.game(code).asked))


def test_joining_moves_the_revision_once_a_device(tables: Tables, code: str) -> None:
    before = tables.store.latest(code)
    sit(tables, code, "red")
    assert tables.store.latest(code) == before + 1
    sit(tables, code, "red")
    assert tables.store.latest(code) == before + 1, "the same device again is no news"
    sit(tables, code, "red", device="another")
    assert texts(tables, code)[:2] == ["Red phone joined.", "Red phone joined."]
    assert [d.kind for d in tables.seating.devices(code)["red"]] == ["phone", "phone"]


def test_a_joining_phone_is_never_what_undo_takes_back(tables: Tables, code: str) -> None:
    sit(tables, code, "table")
    assert tables.undo_target(code) is None, "nothing was played yet"
    start = tables.store.latest(code)
    tables.act(code, "red", "note", {"text": "first"})
    sit(tables, code, "red", "blue")
    assert tables.undo_target(code) == start
    tables.act(code, "red", "take-back", {"to": start})
    sit(tables, code, "blue", device="another")
    assert tables.undo_target(code) is None
    marked = {entry.lines[0]: entry.undone for entry in tables.log(code, "red")}
    assert marked["first"] and not marked["Red phone joined."], "seats are not taken back"


def test_a_phase_may_end_although_somebody_joined_meanwhile(tables: Tables, code: str) -> None:
    seen = tables.store.latest(code)
    sit(tables, code, "red")
    tables.act(code, "table", "next-phase", {}, revision=seen)
    assert tables.game(code).phase == "red-move"
    with refused(NotNow, field="revision", given=2):
        tables.act(code, "table", "next-phase", {}, revision=seen)
    with refused(NotNow, field="revision", given=9):
        tables.act(code, "table", "next-phase", {}, revision=tables.store.latest(code) + 5)


def test_two_seats_give_the_table_a_new_code_and_one_does_not(tables: Tables, code: str) -> None:
    sit(tables, code, "table", "red", "blue")
    tables.act(code, "red", "lost-table", {})
    assert tables.store.seat_generations(code)["table"].number == 1
    with refused(NotNow, given="red"):
        tables.act(code, "red", "lost-table", {})
    for seat in ("red", "table"):
        with pytest.raises(NotYours):
            tables.act(code, seat, "agree", {"ask": ask(tables, code), "yes": True})
        with pytest.raises(NotNow):
            tables.act(code, seat, "dismiss", {"ask": ask(tables, code)})
    tables.act(code, "table", "next-phase", {}, revision=tables.store.latest(code))
    tables.act(code, "blue", "agree", {"ask": ask(tables, code), "yes": True})
    assert tables.store.seat_generations(code)["table"] == Generation(2)
    assert texts(tables, code)[0] == "The table's screen got a new code: Red asked, Blue agreed."
    assert not tables.game(code).asked


def test_both_asking_is_agreement(tables: Tables, code: str) -> None:
    sit(tables, code, "red", "blue")
    tables.act(code, "red", "lost-table", {})
    tables.act(code, "blue", "lost-table", {})
    assert tables.store.seat_generations(code)["table"] == Generation(2)


def test_a_refusal_is_told_and_changes_nothing(tables: Tables, code: str) -> None:
    sit(tables, code, "table", "red", "blue")
    tables.act(code, "red", "lost-table", {})
    tables.act(code, "blue", "agree", {"ask": ask(tables, code), "yes": ""})
    assert tables.store.seat_generations(code)["table"].number == 1
    assert texts(tables, code)[0] == "The new code for the table's screen was refused."


@pytest.mark.parametrize(("options", "seats"), [({"solo": True}, ("red", "blue")), ({}, ("red",))])
def test_solo_or_alone_at_the_table_the_code_comes_at_once(
    tables: Tables, options: dict[str, bool], seats: tuple[str, ...]
) -> None:
    code = tables.new("toy", "skirmish", options)
    sit(tables, code, "table", *seats)
    tables.act(code, "red", "lost-table", {})
    assert tables.store.seat_generations(code)["table"] == Generation(2)


def test_an_undo_never_brings_an_old_code_back(tables: Tables, code: str) -> None:
    sit(tables, code, "table", "red", "blue")
    start = tables.store.latest(code)
    tables.act(code, "red", "note", {"text": "before"})
    tables.act(code, "red", "lost-table", {})
    tables.act(code, "blue", "lost-table", {})
    assert tables.undo_target(code) == start, "the note is undone, not the code"
    tables.act(code, "red", "take-back", {"to": start})
    assert tables.store.seat_generations(code)["table"] == Generation(2)
    assert not tables.game(code).asked
    assert "table" not in tables.seating.taken(code) and is_table_free(tables.store.seat_generations(code))


def test_a_repeated_answer_issues_one_code(tables: Tables, code: str) -> None:
    sit(tables, code, "red", "blue")
    tables.act(code, "red", "lost-table", {})
    given = {"ask": ask(tables, code), "yes": True}
    for _ in range(2):
        tables.act(code, "blue", "agree", given, action_id="tap-1")
    assert tables.store.seat_generations(code)["table"].number == 2


@pytest.mark.parametrize(
    ("action", "issue"), [("new-code", Generation(2)), ("close-seat", Generation(1, None, True))]
)
def test_the_tables_screen_alone_renews_and_closes_a_sides_seat(
    tables: Tables, code: str, action: str, issue: Generation
) -> None:
    with pytest.raises(NotYours):
        tables.act(code, "red", action, {"which": "blue"})
    tables.act(code, "table", action, {"which": "blue"})
    assert tables.store.seat_generations(code)["blue"] == issue


def test_a_seat_is_free_when_its_last_device_leaves(tables: Tables, code: str) -> None:
    sit(tables, code, "red")
    sit(tables, code, "red", device="second")
    tables.seating.stand_up(code, ["red"], "red's")
    assert tables.seating.taken(code) == {"red"}
    tables.seating.stand_up(code, ["red"], "second")
    assert not tables.seating.taken(code)
    assert tables.store.seat_generations(code)["red"] == Generation(2), "old cookies are worthless"
    assert texts(tables, code)[:2] == ["Red phone left: the seat is free.", "Red phone left."]


def test_a_visit_reads_the_seats_again_only_after_an_act_that_changed_one(
    tables: Tables, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sit(tables, code, "table", "red")
    visit, read, standing = tables.visit(code, "red"), [], tables.store.standing
    monkeypatch.setattr(tables.store, "standing", lambda code: read.append(code) or standing(code))
    assert visit.standing.seats["table"].number == 1
    visit.act("note", {"text": "on"})
    assert visit.standing.seats["table"].number == 1 and len(read) == 1
    assert visit.revision == visit.game.revision == tables.store.latest(code)
    visit.act("lost-table", {})
    assert visit.standing.seats["table"].number == 2 and len(read) == 2
    assert visit.revision == visit.game.revision == tables.store.latest(code)
