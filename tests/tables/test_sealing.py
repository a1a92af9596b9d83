"""Sealed saves: whoever holds the file reads nothing hidden; whoever may open it restores everything."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from toykit import plain

from companion.engine.errors import Unreadable
from companion.store import Generation
from companion.tables import sealing
from companion.tables.sealing import NeedsKeys, WrongKeys, open_here, open_with, read_key, restore_key, seal
from companion.tables.tables import Tables
from companion.tables.transfer import export_table, import_table, save_table

HOME, AWAY = b"h" * 32, b"a" * 32
NOON = "1942-05-12T12:00:00+00:00"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is slow on purpose is made quick."""
    monkeypatch.setitem(sealing.COST, "n", 2**4)


@pytest.fixture
def code(home: Tables) -> str:
    """A game full of secrets."""
    code = home.new("toy", "skirmish", {}, "Friday night")
    home.act(code, "table", "set-up", {})
    for seat in ("red", "blue"):
        home.act(code, seat, "draw-card", {})
    home.act(code, "red", "choose", {"mission": "operation-kremlin"})
    home.act(code, "red", "whisper", {"text": "wolf-hour"})
    home.act(code, "blue", "lay-mine", {"hex": "0808"})
    home.act(code, "table", "roll-dice", {"dice": "3d6"})
    return code


def saved(tables: Tables, code: str, secret: bytes = HOME) -> str:
    return json.dumps(save_table(tables, code, secret, NOON))


def keys(code: str, secret: bytes = HOME) -> list[str]:
    return [restore_key(secret, code, side) for side in ("red", "blue")]


# -- what the file shows -------------------------------------------------------------------------------------


def test_the_file_says_what_it_is_and_nothing_that_is_hidden(home: Tables, code: str) -> None:
    text = saved(home, code)
    copy = json.loads(text)
    assert (copy["code"], copy["title"], copy["copy"], copy["now"]) == (
        code,
        "Friday night",
        "sealed",
        "Day 1: Weather Phase",
    )
    assert copy["commitment"] == home.game(code).commitment
    game = home.game(code)
    hidden = [
        "operation-kremlin",
        "wolf-hour",
        "mine-blue",
        "0808",
        "lay-mine",
        home.row(code).seed,
        *game.piles["deck"]["hand:red"],
        *game.piles["deck"]["hand:blue"],
        *(unit.name for unit in game.units.values()),
        *keys(code),
        *(key.replace("-", "") for key in keys(code)),
    ]
    readable = re.sub(
        r"[0-9a-f]{64}", "", json.dumps({k: v for k, v in copy.items() if k not in sealing.CLOSED})
    )
    assert [word for word in hidden if word in readable] == []
    assert [word for word in hidden if len(word) > 4 and word in text] == []


def test_two_saves_of_the_same_moment_have_nothing_sealed_in_common(home: Tables, code: str) -> None:
    one, two = (json.loads(saved(home, code)) for _ in range(2))
    assert all(one[name] != two[name] for name in sealing.CLOSED)


# -- who opens it --------------------------------------------------------------------------------------------


def test_an_empty_installation_restores_it_with_the_keys_of_both_sides(
    home: Tables, installation: Callable[[], Tables], code: str
) -> None:
    away = installation()
    assert import_table(away, saved(home, code), AWAY, keys(code)) == code
    assert export_table(away, code) == export_table(home, code)
    assert plain(away.game(code)) == plain(home.game(code))
    rolls = [t.act(code, "red", "roll-dice", {"dice": "10d6"}).lines for t in (home, away)]
    assert rolls[0] == rolls[1]


def test_the_installation_that_made_it_restores_it_without_a_question(
    home: Tables, installation: Callable[[], Tables], code: str
) -> None:
    """Its database was lost; its secret came back with a backup."""
    again = installation()
    assert import_table(again, saved(home, code), HOME) == code
    assert export_table(again, code) == export_table(home, code)


@pytest.mark.parametrize("given", [[], ["red"], ["red", "red"], ["blue"]])
def test_neither_side_opens_it_alone(
    home: Tables, installation: Callable[[], Tables], code: str, given: list[str]
) -> None:
    away = installation()
    with pytest.raises((NeedsKeys, WrongKeys)):
        import_table(away, saved(home, code), AWAY, [restore_key(HOME, code, side) for side in given])
    assert away.store.tables() == []


def test_a_second_copy_beside_the_game_needs_both_sides(home: Tables, code: str) -> None:
    """Or whoever holds the table's screen would save, restore, take both sides' seats and read everything."""
    with pytest.raises(NeedsKeys) as refused:
        import_table(home, saved(home, code), HOME)
    assert refused.value.here == code
    home.store.archive(code)
    with pytest.raises(NeedsKeys):
        import_table(home, saved(home, code), HOME)
    assert import_table(home, saved(home, code), HOME, keys(code)) != code


def test_the_operator_makes_a_second_copy_without_being_asked(home: Tables, code: str) -> None:
    assert import_table(home, saved(home, code), HOME, operator=True) != code


def test_a_solo_game_has_nobody_to_hide_from_and_needs_no_keys(
    home: Tables, installation: Callable[[], Tables]
) -> None:
    code = home.new("toy", "skirmish", {"solo": True})
    text = saved(home, code)
    assert home.row(code).seed not in text
    assert import_table(installation(), text, AWAY) == code
    assert import_table(home, text, HOME) != code


# -- typing a key --------------------------------------------------------------------------------------------


def test_a_key_is_short_and_differs_by_installation_table_and_side() -> None:
    found = {
        restore_key(s, c, side) for s in (HOME, AWAY) for c in ("TK7M", "P3XA") for side in ("red", "blue")
    }
    assert len(found) == 8
    assert all(re.fullmatch(r"[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}", key) for key in found)


@pytest.mark.parametrize(
    "typed", ["K1QM0-TRX2B", "k1qm0trx2b", " kiqmo - trx2b ", "KLQMO TRX2B", "k1q m0t rx2 b"]
)
def test_typing_a_key_is_forgiving(typed: str) -> None:
    assert read_key(typed) == "K1QM0TRX2B"


@pytest.mark.parametrize("typed", ["", "K1QM", "K1QM0-TRX2BB", "K1QM0-TRX2U", "ключ", "x" * 10_000])
def test_what_is_no_key_is_refused_in_words(typed: str) -> None:
    with pytest.raises(WrongKeys, match="Red: .* is no restore key. It has 10 letters and digits") as refused:
        read_key(typed, "Red")
    assert len(refused.value.message) < 150


def test_the_order_of_the_keys_does_not_matter(home: Tables, code: str) -> None:
    copy = json.loads(saved(home, code))
    assert open_with(copy, keys(code)) == open_with(copy, keys(code)[::-1])


# -- links after restoring -----------------------------------------------------------------------------------


def test_the_same_table_on_the_same_installation_keeps_its_links_and_what_was_revoked(
    home: Tables, installation: Callable[[], Tables], code: str
) -> None:
    home.store.claim_seat(code, "red", NOON)
    home.store.reissue_seat(code, "blue")
    home.store.revoke_seat(code, "blue")
    again = installation()
    import_table(again, saved(home, code), HOME)
    assert again.store.seat_generations(code) == {
        "red": Generation(1, NOON),
        "blue": Generation(2, revoked=True),
    }


@pytest.mark.parametrize("how", ["elsewhere", "second copy", "operator's file"])
def test_anywhere_else_no_old_link_opens_a_seat(
    home: Tables, installation: Callable[[], Tables], code: str, how: str
) -> None:
    home.store.claim_seat(code, "red", NOON)
    if how == "elsewhere":
        tables, new = (away := installation()), import_table(away, saved(home, code), AWAY, keys(code))
    elif how == "second copy":
        tables, new = home, import_table(home, saved(home, code), HOME, keys(code))
    else:
        tables, new = (
            (again := installation()),
            import_table(again, json.dumps(export_table(home, code)), HOME),
        )
    seats = tables.store.seat_generations(new)
    assert set(seats) == {"table", "red", "blue"}
    assert all(g.number > 1 and g.claimed_at is None and not g.revoked for g in seats.values())


# -- files that are not what they seem -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["title", "code", "now", "sides", "commitment", "sealed", "here"])
def test_a_changed_file_is_refused(home: Tables, code: str, name: str) -> None:
    copy = json.loads(saved(home, code))
    value = copy[name]
    copy[name] = (
        value[::-1] if isinstance(value, list) else value[:-3] + ("AAA" if value[-3:] != "AAA" else "BBB")
    )
    with pytest.raises(Unreadable, match="changed or damaged|incomplete|keys of both sides"):
        open_here(copy, HOME)


@pytest.mark.parametrize(
    "change",
    [
        {"companion": 99},
        {"sides": "red"},
        {"sides": [1]},
        {"sides": ["x"] * 9},
        {"salt": 5},
        {"salt": "zz"},
        {"sealed": None},
        {"here": ["x"]},
        {"keys": "\ud800"},
        {"title": {"a": 1}},
        {"here": "", "keys": ""},
    ],
)
def test_a_malformed_file_is_refused_in_words(home: Tables, code: str, change: dict[str, Any]) -> None:
    copy = {**json.loads(saved(home, code)), **change}
    before = len(home.store.tables())
    for typed in ([], keys(code)):
        with pytest.raises(Unreadable):
            import_table(home, json.dumps(copy), AWAY, typed)
    assert len(home.store.tables()) == before


@pytest.mark.parametrize("inside", [{}, {"game": "{}"}, {"game": 5}, {"game": "[" * 9_000}])
def test_a_well_sealed_file_without_a_game_is_refused(home: Tables, inside: dict[str, Any]) -> None:
    header = {"companion": 1, "copy": "sealed", "sides": ["Red"]} | dict.fromkeys(
        ("code", "system", "scenario", "title", "now", "saved_at"), "x"
    )
    copy = seal(header, inside, HOME, ["K1QM0-TRX2B"])
    with pytest.raises(Unreadable):
        import_table(home, json.dumps(copy), HOME)


def test_a_file_that_swells_when_opened_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    header = {"companion": 1, "copy": "sealed", "sides": []} | dict.fromkeys(
        ("code", "system", "scenario", "title", "now", "saved_at"), "x"
    )
    copy = seal(header, {"game": "0" * 3_000_000}, HOME, [])
    monkeypatch.setattr(sealing, "MOST_OPENED", 1024 * 1024)
    with pytest.raises(Unreadable, match="more than 1 MB"):
        open_here(copy, HOME)
    with pytest.raises(Unreadable, match="too long for one file"):
        seal(header, {"game": "0" * 3_000_000}, HOME, [])


def test_without_the_package_the_reason_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "cryptography.fernet", None)
    with pytest.raises(Unreadable, match="'cryptography'"):
        seal({}, {}, HOME, [])
