"""Card and chit faces seen in play go into the owner's lists, marked as such; nothing hidden before it lies open."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import SCENARIOS, refused
from toykit import all_agree

from companion.books.book import ListSheet
from companion.books.played import LOCK, keep_faces
from companion.books.sheet import Edit
from companion.engine.errors import NotNow, Unreadable, Warned
from companion.engine.record import events as e
from companion.store import open_store
from companion.systems.enemy_action_kharkov.manifest import adjustment, card, chits_ready
from companion.tables.tables import Tables

AT = "2026-01-01T00:00:00+00:00"
EA, KB = "enemy-action-kharkov", "kharkov-battles"


@pytest.fixture
def real(tmp_path: Path) -> Iterator[Tables]:
    """An installation with the real games and an empty book."""
    tables = Tables(open_store(tmp_path / "home.db"), SCENARIOS)
    yield tables
    tables.store.close()


def sheet(tables: Tables, name: str, system: str = EA) -> ListSheet:
    return ListSheet(tables.store, tables.system(system), name)


def record(tables: Tables, code: str, *events: e.Event) -> None:
    """Bring a table to where a test begins."""
    with tables.store.transaction(code) as tx:
        tx.append(
            [event.to_json() for event in events],
            at=AT,
            seat="table",
            act=f"test-{tx.latest}",
            name="test",
            stream=tx.stream,
            answer={},
        )


# -- Enemy Action's cards: real ones, laid open by whoever plays them [5.1] -----------------------------------


def card_table(tables: Tables, **options: Any) -> str:
    """A table with real cards at the first impulse."""
    code = tables.new(EA, "campaign", {"mode-cards": "physical", "mode-chits": "physical"} | options, "")
    record(
        tables,
        code,
        e.Advanced(1, "command"),
        e.Set("cards-run", "real"),
        e.Set("cards-prepared", 1),
        e.Set("impulse", "soviet"),
        e.Set("soviet-hand", 5),
        e.Set("german-hand", 4),
    )
    return code


def play(tables: Tables, code: str, **face: Any) -> None:
    tables.act(code, "soviet", "play-real-card", {"card": "P07", **face})


def test_a_card_s_face_is_known_at_every_table_once_it_was_played(real: Tables) -> None:
    """5.2-5.6: kind and type are asked of a card whose row in the manifest is blank, once for all tables."""
    one, other = card_table(real), card_table(real)
    real.game(other)  # a table that is open already learns it, too
    play(real, one, kind="supplemental", type="army")
    for code in (one, other):
        known = card(real.game(code), "P07")
        assert (known.kind, known.type) == ("supplemental", "army")
    spot = sheet(real, "cards").spot("P07", "kind")
    assert (spot.text, spot.source, spot.origin) == ("supplemental", "play", "read in play")
    told = {spot.column: answers for spot, answers in sheet(real, "cards").from_play()}
    assert set(told) == {"kind", "type"} and [a["table"] for a in told["kind"]] == [one]
    play(real, other)  # nothing is asked any more


def test_the_table_knows_it_even_where_seats_may_not_write(real: Tables) -> None:
    real.store.setting_put(LOCK, {"salt": "", "hash": "", "seats": False})
    one, other = card_table(real), card_table(real)
    play(real, one, kind="supplemental", type="army")
    assert card(real.game(one), "P07").type == "army"
    assert card(real.game(other), "P07").type == "" and not sheet(real, "cards").from_play()


def test_of_two_answers_the_first_counts_both_are_shown_and_the_owner_decides(
    real: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = card_table(real), card_table(real)
    with monkeypatch.context() as patch:  # both tables are asked before either has answered
        patch.setattr("companion.tables.played.keep_faces", lambda *args: False)
        play(real, other, kind="primary", type="army")
    play(real, one, kind="supplemental", type="army")
    assert card(real.game(other), "P07").kind == "supplemental", "the book counts before what a table heard"
    keep_faces(real.store, real.system(EA), real.game(other)["faces"], other, AT)
    (spot, answers), *rest = sheet(real, "cards").from_play()
    assert spot.text == "supplemental" and len(rest) == 1
    assert [(a["value"], a["table"]) for a in answers] == [("supplemental", one), ("primary", other)]
    sheet(real, "cards").save([Edit("P07", "kind", "primary")], AT)
    real.book_changed()
    assert [spot.column for spot, _ in sheet(real, "cards").from_play()] == ["type"]
    assert card(real.game(one), "P07").kind == "primary", "the owner's own word wins"


def test_an_owner_who_empties_a_cell_forgets_what_play_told(real: Tables) -> None:
    play(real, card_table(real), kind="supplemental", type="army")
    sheet(real, "cards").save([Edit("P07", "type", "", was="army")], AT)
    assert sheet(real, "cards").spot("P07", "type").source == ""
    assert sheet(real, "cards").merged()["P07"] == {"kind": "supplemental"}


def test_what_the_rulebook_or_nobody_lists_is_never_learnt(real: Tables) -> None:
    told = {
        "cards|P41|name": "x",
        "cards|P99|kind": "primary",
        "cards|P01|kind": "club",
        "none|P01|kind": "primary",
    }
    keep_faces(real.store, real.system(EA), told, "ABCD", AT)
    assert not sheet(real, "cards").from_play()


def test_a_tactic_s_line_of_the_aid_is_asked_once(real: Tables) -> None:
    """9.51: what the one tactic that nobody copied adds is its line of the aid, and counts by itself from then on."""
    code = card_table(real)
    record(
        real,
        code,
        e.Engaged(
            title="Attack on 2408",
            attacker="soviet",
            defender="german",
            facts={"attack_tactics": ["rifle brigade"]},
        ),
    )
    (battle,) = real.game(code).battles
    owed = e.Asked("aid", ("soviet", "german", "table"), "?", "total-hits", {}, duty=e.OWED, battle=battle)
    record(real, code, owed)
    real.act(code, "soviet", "total-hits", {"attacker": -1, "defender": 1})
    assert real.game(code).battles[battle].result == "A0 D1", "counted once"
    assert adjustment(real.game(card_table(real)), "rifle brigade", "attack") == (-1, 1)


# -- Enemy Action's combat chits: open to both when they are drawn [9.4] --------------------------------------

CHIT = {
    "front": "ratio at least",
    "front_detail": "3",
    "front_hits": "D1",
    "back": "one-hex attack",
    "back_hits": "A1",
    "red_p": "front",
}


def chit_table(tables: Tables) -> str:
    code = card_table(tables)
    record(tables, code, e.Returned("chits", ("C01", "C02"), "cup", "drawn", 2, "physical"))
    return code


def test_a_chit_that_lies_open_is_copied_into_the_first_blank_row(real: Tables) -> None:
    """2.22, 9.4: sixty chits, two sides each; the sheet fills by playing."""
    code = chit_table(real)
    real.act(code, "german", "copy-chit", CHIT)
    row = sheet(real, "chits").merged()["C01"]
    assert row == {
        "front": "ratio at least",
        "front_detail": "3",
        "front_hits": "D1",
        "front_p": True,
        "back": "one-hex attack",
        "back_hits": "A1",
    }
    real.act(code, "soviet", "copy-chit", CHIT | {"back_hits": "A2"})
    assert sheet(real, "chits").merged()["C02"]["back_hits"] == "A2"
    assert not chits_ready(real.game(code))


def test_the_same_chit_is_not_copied_twice_unless_there_are_two(real: Tables) -> None:
    real.act(chit_table(real), "german", "copy-chit", CHIT)
    other = chit_table(real)
    with refused(Warned):
        real.act(other, "german", "copy-chit", CHIT)
    real.act(other, "german", "copy-chit", CHIT | {"anyway": "on"})
    assert set(sheet(real, "chits").merged()) == {"C01", "C02"}


def test_a_chit_in_the_cup_is_not_copied(real: Tables) -> None:
    code = card_table(real)
    with refused(NotNow):
        real.act(code, "german", "copy-chit", CHIT)


# -- Kharkov Battles' chits: seen by their own side alone [2.6, 27.3] -----------------------------------------


@pytest.fixture
def hidden(real: Tables) -> Callable[..., str]:
    """A table where an Axis division has drawn a real chit."""

    def new(**options: Any) -> str:
        code = real.new(KB, "operation-star", {"mode-chits": "physical"} | options, "")
        unit = {"side": "axis", "name": "168", "kind": "infantry", "factors": {}, "steps": 3, "full": 3}
        record(
            real,
            code,
            e.Placed("axis-168", "KB3010", facts=unit, side="axis"),
            e.Marked("axis-168", "rating", "B"),
            e.Marked("axis-168", "chit", "full", only=("axis",)),
        )
        return code

    return new


def test_a_hidden_chit_is_in_the_book_only_when_the_record_lies_open(real: Tables, hidden: Any) -> None:
    """2.6: the number is known at once to its side; the book, which the other side reads, learns it after the game."""
    code = hidden()
    real.act(code, "axis", "copy-chit", {"unit": "axis-168", "full": "b5, A7", "reduced": "A4 B3"})
    assert real.game(code).mark("axis-168", "chit-number") == 5
    assert not sheet(real, "chits", KB).seen() and not sheet(real, "chits", KB).from_play()
    record(real, code, e.Ended("axis", "", "by hand"))
    assert not sheet(real, "chits", KB).seen(), "an ending opens nothing by itself"
    real.act(code, "axis", "lay-open", {})
    all_agree(real, code)
    assert real.game(code).record_open
    (seen,) = sheet(real, "chits", KB).seen()
    assert seen["face"] == {"full": "A7 B5", "reduced": "A4 B3"} and seen["table"] == code


def test_the_other_side_reads_nothing_of_it(real: Tables, hidden: Any) -> None:
    code = hidden()
    real.act(code, "axis", "copy-chit", {"unit": "axis-168", "full": "A97 B95", "reduced": "A94 B93"})
    for seat in ("soviet", "table", "watch"):
        told = repr([entry.lines for entry in real.log(code, seat, limit=1)])
        assert "95" not in told and "secret" not in told, told
        assert "A97" not in repr(real.visit(code, seat).view.to_json())


def test_alone_at_the_table_nothing_is_hidden(real: Tables, hidden: Any) -> None:
    code = hidden(solo=True)
    real.act(code, "axis", "copy-chit", {"unit": "axis-168", "full": "A7 B5", "reduced": "A4 B3"})
    assert len(sheet(real, "chits", KB).seen()) == 1


def test_how_many_chits_an_open_list_has_only_its_owner_can_tell(real: Tables, hidden: Any) -> None:
    """A cup of the one chit that somebody saw would be drawn from: what was seen counts when its owner takes it."""
    faces = {"chits|axis 1|full": "A7 B5", "chits|axis 1|reduced": "A4 B3", "chits|axis 2|full": "A8"}
    keep_faces(real.store, real.system(KB), faces, "ABCD", AT)
    keep_faces(real.store, real.system(KB), faces, "EFGH", AT)  # the same again is nothing new
    book = sheet(real, "chits", KB)
    assert len(book.seen()) == 2 and book.merged() == {}
    book.settle_seen(0, AT, take=True)
    book.settle_seen(0, AT, take=False)
    assert sheet(real, "chits", KB).merged() == {"1": {"full": "A7 B5", "reduced": "A4 B3"}}
    assert not sheet(real, "chits", KB).seen()
    keep_faces(real.store, real.system(KB), {"chits|axis 3|full": "A7 B5"}, "EFGH", AT)
    assert not sheet(real, "chits", KB).seen(), "a chit that has its row is not laid before him again"
    with pytest.raises(Unreadable):
        book.settle_seen(7, AT, take=True)


def test_hitler_s_goal_is_in_no_book_before_the_record_lies_open(real: Tables) -> None:
    """27.3: the Axis draws from the real box, and the Soviet must not know which."""
    code = real.new(KB, "grand-campaign", {"mode-chits": "physical"}, "")
    real.act(code, "axis", "draw-goal", {"drawn": "volga"})
    assert real.game(code)["goal"] == "volga" and not sheet(real, "goals", KB).seen()
    record(real, code, e.Ended("axis", "", "by hand"), e.Set("record", None))
    real.act(code, "axis", "lay-open", {})
    all_agree(real, code)
    assert [one["face"] for one in sheet(real, "goals", KB).seen()] == [{"goal": "volga"}]
