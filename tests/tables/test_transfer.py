"""Export, import, verify: a game restored exactly elsewhere, and files that are not what they seem."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from toykit import all_agree, plain

from companion.engine.errors import Mistake, Unknown, Unreadable
from companion.tables.savefile import checksum, read_copy
from companion.tables.tables import Tables
from companion.tables.transfer import export_table, import_table


@pytest.fixture
def code(home: Tables) -> str:
    """A half-finished game with secrets, an undo and digital dice."""
    code = home.new("toy", "skirmish", {"reading": "defender"}, "Friday night 🎲")
    home.act(code, "table", "set-up", {})
    home.act(code, "red", "add-entropy", {"words": "fox"})
    home.act(code, "blue", "add-entropy", {"words": "hen"})
    for seat in ("red", "blue"):
        home.act(code, seat, "draw-card", {})
    home.act(code, "red", "choose", {"mission": "operation-kremlin"})
    home.act(code, "blue", "lay-mine", {"hex": "0808"})
    home.act(code, "table", "roll-dice", {"dice": "3d6"})
    line = home.store.latest(code)
    home.act(code, "table", "correct", {"name": "vp", "value": "9"})
    home.act(code, "table", "take-back", {"to": line})
    home.act(code, "table", "draw-chit", {})
    home.act(code, "table", "next-phase", {}, revision=home.store.latest(code))
    return code


def exported(tables: Tables, code: str, seat: str = "") -> str:
    return json.dumps(export_table(tables, code, seat))


def resealed(copy: dict[str, Any]) -> str:
    """A copy changed by someone who knows how the checksum is made."""
    return json.dumps({**copy, "checksum": checksum(copy)})


# -- there and back ------------------------------------------------------------------------------------------


def test_a_game_is_restored_exactly_on_another_machine(
    home: Tables, installation: Callable[[], Tables], code: str
) -> None:
    away = installation()
    text = exported(home, code)
    assert import_table(away, text) == code
    assert exported(away, code) == text
    assert plain(away.game(code)) == plain(home.game(code))
    assert away.row(code).summary == home.row(code).summary
    assert [x.lines for x in away.log(code, "red")] == [x.lines for x in home.log(code, "red")]


def test_a_restored_game_plays_on_with_the_same_dice(
    home: Tables, installation: Callable[[], Tables], code: str
) -> None:
    away = installation()
    import_table(away, exported(home, code))
    rolls = [t.act(code, "red", "roll-dice", {"dice": "10d6"}).lines for t in (home, away)]
    assert rolls[0] == rolls[1]


def test_a_tap_repeated_after_the_move_is_not_done_twice(
    home: Tables, installation: Callable[[], Tables], code: str
) -> None:
    home.act(code, "red", "draw-chit", {}, action_id="tap-1")
    away = installation()
    import_table(away, exported(home, code))
    assert away.act(code, "red", "draw-chit", {}, action_id="tap-1").repeated


def test_a_taken_code_gets_a_free_one_and_nothing_else_changes(home: Tables, code: str) -> None:
    new = import_table(home, exported(home, code))
    assert new != code
    first, second = export_table(home, code), export_table(home, new)
    for copy in (first, second):
        del copy["code"], copy["checksum"]
    assert first == second


def test_what_is_played_while_a_game_is_exported_does_not_turn_its_dice_back(
    home: Tables, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = home.store.latest(code)
    read = home.store.table

    def then_somebody_rolls(wanted: str) -> Any:
        row = read(wanted)
        monkeypatch.setattr(home.store, "table", read)
        home.act(code, "red", "roll-dice", {"dice": "3d6"})
        return row

    monkeypatch.setattr(home.store, "table", then_somebody_rolls)
    assert len(export_table(home, code)["events"]) == before


def test_a_restored_long_game_opens_from_a_snapshot(
    home: Tables, installation: Callable[[], Tables], code: str
) -> None:
    away = installation()
    import_table(away, exported(home, code))
    assert (away.store.snapshot_before(code, 10**6) or (0,))[0] == away.store.latest(code)


def test_a_question_whose_action_is_gone_still_opens_and_is_put_away(home: Tables, code: str) -> None:
    """Old games ask for what a newer version of their rules does by another name."""
    copy = json.loads(exported(home, code))
    old = {"kind": "asked", "id": "old-1", "to": ["red", "table"], "text": "Finish it", "action": "long-gone"}
    copy["events"].append({**copy["events"][-1], "seq": len(copy["events"]) + 1, "body": old})
    new = import_table(home, resealed(copy))
    assert "old-1" in home.game(new).asked
    home.act(new, "red", "dismiss", {"ask": "old-1"})
    assert "old-1" not in home.game(new).asked


# -- what a player's copy holds ------------------------------------------------------------------------------


def test_a_players_copy_leaves_hidden_things_out(home: Tables, code: str) -> None:
    game = home.game(code)
    red_card = game.piles["deck"]["hand:red"][0]
    blue_card = game.piles["deck"]["hand:blue"][0]
    red, blue, watch = (exported(home, code, seat) for seat in ("red", "blue", "watch"))
    assert red_card in red and "operation-kremlin" in red
    for text in (blue, watch):
        assert red_card not in text and "operation-kremlin" not in text
    assert blue_card in blue and "mine-blue" in blue
    for text in (red, watch):
        assert blue_card not in text and "mine-blue" not in text
    assert all(home.row(code).seed not in text for text in (red, blue, watch))


def test_when_both_sides_have_laid_the_record_open_every_copy_is_whole(home: Tables, code: str) -> None:
    home.act(code, "table", "end-game", {"winner": "red"}, revision=home.store.latest(code))
    assert "operation-kremlin" not in exported(home, code, "blue")
    all_agree(home, code)
    assert export_table(home, code, "watch") == export_table(home, code)
    assert "operation-kremlin" in exported(home, code, "blue")


def test_an_ending_taken_back_closes_the_copies_again(home: Tables, code: str) -> None:
    line = home.store.latest(code)
    home.act(code, "table", "end-game", {"winner": "red"}, revision=line)
    all_agree(home, code)
    home.act(code, "table", "take-back", {"to": line})
    all_agree(home, code)
    assert "operation-kremlin" not in exported(home, code, "blue")


def test_a_players_copy_cannot_be_played_on(
    home: Tables, installation: Callable[[], Tables], code: str
) -> None:
    with pytest.raises(
        Unreadable, match=r"a reading copy \(as seen by red\): hidden things were left out.*ask the host"
    ):
        import_table(installation(), exported(home, code, "red"))


def test_a_copy_for_an_unknown_seat_is_refused(home: Tables, code: str) -> None:
    with pytest.raises(
        Unknown, match="no seat 'rde' at this table: table, red, blue, watch. Did you mean red"
    ):
        export_table(home, code, "rde")


# -- files that are not what they seem -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a companion export: it stops making sense at line 1"),
        ("PK\x03\x04 a zip", "not a companion export"),
        ("[1, 2]", "JSON, but not a companion export"),
        ('{"companion": 1}', "JSON, but not a companion export"),
        ('{"companion": 99, "events": []}', "has format 99; this companion reads format 1"),
        ('{"companion": 1, "events": []}', "its checksum does not fit"),
        ("[" * 100_000, "not a companion export"),
    ],
)
def test_a_file_that_is_no_export_is_refused(home: Tables, text: str, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        import_table(home, text)
    assert home.store.tables() == []


@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_file_cut_off_on_the_way_says_so(
    home: Tables, installation: Callable[[], Tables], code: str, share: float
) -> None:
    text = exported(home, code)
    away = installation()
    with pytest.raises(Unreadable, match="cut off on the way"):
        import_table(away, text[: int(len(text) * share)])
    assert away.store.tables() == []


def test_a_file_changed_by_hand_is_noticed(home: Tables, code: str) -> None:
    with pytest.raises(Unreadable, match="changed after it was made"):
        read_copy(exported(home, code).replace("Friday night", "Friday nihgt"))


def lose(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(copy: dict[str, Any]) -> None:
        for key in path[:-1]:
            copy = copy[key]
        del copy[path[-1]]

    return change


def put(*path: Any) -> Callable[[dict[str, Any]], None]:
    def change(copy: dict[str, Any]) -> None:
        for key in path[:-2]:
            copy = copy[key]
        copy[path[-2]] = path[-1]

    return change


TAMPERED: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "an event left out": (lose("events", 5), "not numbered 1, 2, 3"),
    "no events at all": (put("events", []), "does not begin with the opening"),
    "the opening left out": (
        put("events", 0, "body", {"kind": "noted", "text": "x"}),
        "does not begin with the opening",
    ),
    "an event without its time": (lose("events", 3, "at"), "event 4 is incomplete: at missing"),
    "an event at no time": (put("events", 3, "at", "noon"), "event 4 has no readable time"),
    "an event that is no event": (put("events", 3, "x"), "event 4 is incomplete"),
    "an event of a later version": (
        put("events", 3, "body", "kind", "exploded"),
        "cannot be replayed: unknown kind of event 'exploded'",
    ),
    "an event of another shape": (put("events", 3, "body", "colour", "red"), "cannot be replayed"),
    "a unit with unknown facts": (
        put("events", 2, "body", "facts", {"wings": 2}),
        "cannot be replayed: a unit has no 'wings'",
    ),
    "a phase that is a number": (put("events", 1, "body", {"kind": "advanced"}), "cannot be replayed"),
    "an undo of the future": (
        put("events", -1, "body", {"kind": "undone", "to": 10_000}),
        "cannot be replayed.*not before it",
    ),
    "an undo of itself": (
        put("events", 3, "body", {"kind": "undone", "to": 4}),
        "cannot be replayed.*not before it",
    ),
    "a chit from nowhere": (
        put(
            "events",
            -2,
            "body",
            {"kind": "drawn", "pile": "cup", "tokens": ["oak"], "source": "cup", "target": "drawn"},
        ),
        "cannot be replayed: oak is not in cup",
    ),
    "an unknown game": (put("system", "chess"), "no game 'chess'"),
    "an unknown scenario": (put("scenario", "d-day"), "no scenario 'd-day'"),
    "no scenario": (lose("scenario"), "incomplete: scenario missing"),
    "options that are none": (put("options", "fog"), "incomplete: options missing"),
    "a seed that is none": (put("seed", "zz"), "dice seed cannot be read"),
    "a stream that is none": (put("stream", "far"), "incomplete: stream missing"),
}


@pytest.mark.parametrize("case", TAMPERED)
def test_a_file_tampered_with_is_refused_and_nothing_is_kept(
    home: Tables, installation: Callable[[], Tables], code: str, case: str
) -> None:
    change, words = TAMPERED[case]
    copy = export_table(home, code)
    change(copy)
    away = installation()
    with pytest.raises(Mistake, match=words):
        import_table(away, resealed(copy))
    assert away.store.tables() == []


@pytest.mark.parametrize("strange", ["../etc", "abcd", "", "X" * 500, "<b>"])
def test_a_strange_code_is_replaced(
    home: Tables, installation: Callable[[], Tables], code: str, strange: str
) -> None:
    away = installation()
    new = import_table(away, resealed({**export_table(home, code), "code": strange}))
    assert len(new) == 4 and new.isalnum() and new == new.upper()
