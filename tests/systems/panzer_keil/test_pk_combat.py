"""The combat worksheet by hand and from the record, and what its results set off [9, B10.3, B11]."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from harness import refused
from systems.panzer_keil.pk_bench import actions, go, mark, owners_book, put, reply, table

from companion.engine.errors import NotNow, Unreadable, Warned

GROUND = """
rail 1450..1430
2040 2041 2042 2039 2140 clear
2141 marsh
2041-2040 river
"""


def lines(sheet: Any) -> str:
    return " | ".join(f"{x.label} {x.effect} [{x.rule}]" for x in sheet.lines)


def test_worked_example_by_hand() -> None:
    """9.6: infantry 3 over a river, panzer 8 not, against 4: 9 to 4, armour, 3:1."""
    t = table(units=False)
    sheet = t.calc("combat", side="german", full="8", river="3", defence=4, armour="free", ground="clear")
    assert (sheet.facts["attack"], sheet.facts["odds"], sheet.column) == ("9", "2:1", "3:1")
    assert sheet.chart == "crt-german-clear"
    assert "[9.2.1]" in lines(sheet) and "[9.4]" in lines(sheet)
    assert not sheet.chances  # no cell of the chart is filled in


def test_worked_example_from_the_record() -> None:
    t = table(owners_book(GROUND))
    put(t, "302id", "2041", kind="infantry", nation="german", attack=3, defence=4)
    put(t, "ss-w-1", "1941", kind="armour", nation="german", attack=8, defence=6)
    put(t, "voronezh-1", "2040", kind="infantry", attack=3, defence=4)
    go(t, "german-combat")
    sheet = t.calc("combat", target="2040", attackers=["302id", "ss-w-1"])
    assert (sheet.facts["attack"], sheet.facts["defence"], sheet.column) == ("9", 4, "3:1")
    assert sheet.facts["crossers"] == []
    t.do("german", "resolve-combat", target="2040", attackers=["302id", "ss-w-1"], die="6")
    assert t.game.last_result["result"] == "D2D"
    assert t.game.mark("voronezh-1", "disrupted") == "d"
    assert t.game.mark("ss-w-1", "exhausted") and not t.game.mark("302id", "exhausted")  # 9.9
    assert actions(t, "german", live=False) == ["retreat"]  # the advance is worked out after it [9.8]
    reply(t, "german", "retreat", to="2038")
    assert t.game.units["voronezh-1"].place == "2038"
    reply(t, "german", "advance", units=["302id", "ss-w-1"], to="2039")
    assert {t.game.units[u].place for u in ("302id", "ss-w-1")} == {"2039"}


@pytest.mark.parametrize(
    ("fields", "odds", "column", "rule"),
    [
        ({"full": "6", "defence": 2, "weak": 3}, "1:1", "1:1", "9.2.5: half of 3 is 2, against 4 in all"),
        ({"full": "4", "weak": 7}, "1:1", "1:1", "9.2.5: 7 disrupted is 4"),
        ({"river": "3 3", "defence": 2}, "1:1", "1:1", "9.2.1: by hex"),
        ({"river": "3+3", "defence": 2}, "1:1", "1:1", "9.2.1: the stack summed, 6 is 3"),
        ({"major": "9", "defence": 2}, "2:1", "2:1", "B10.3"),
        (
            {"full": "9", "defence": 2, "concentric": "yes"},
            "9:1",
            "8:1",
            "B11.2: doubled, clamped to the frame",
        ),
        ({"river": "3", "defence": 2, "concentric": "yes"}, "1:1", "1:1", "B11.2: doubled after halving"),
        ({"full": "4", "defence": 9}, "1:2", "1:2", "9.3"),
        ({"full": "8", "defence": 4, "enemy_armour": "yes"}, "2:1", "1:1", "9.4.1"),
        ({"full": "8", "defence": 4, "armour": "free", "enemy_armour": "yes"}, "2:1", "2:1", "9.4.3"),
        ({"full": "8", "defence": 4, "armour": "free", "ground": "other"}, "2:1", "2:1", "9.4.4"),
        ({"full": "8", "defence": 4, "enemy_armour": "yes", "grenadiers": "yes"}, "2:1", "2:1", "B11.3"),
    ],
)
def test_by_hand(fields: dict[str, Any], odds: str, column: str, rule: str) -> None:
    t = table(units=False)
    sheet = t.calc("combat", side="german", **fields)
    assert (sheet.facts["odds"], sheet.column) == (odds, column), rule


@pytest.mark.parametrize(
    ("nations", "column"),
    [
        (["german"], "german"),
        (["italian"], "soviet"),  # B11.1
        (["romanian", "hungarian"], "soviet"),
        (["romanian", "german"], "german"),
    ],
)
def test_die_column(nations: list[str], column: str) -> None:
    t = table(owners_book(GROUND))
    names = ["hollidt-a-1", "hollidt-a-2"][: len(nations)]
    for name, nation in zip(names, nations, strict=True):
        put(t, name, "2041", kind="infantry", nation=nation, attack=6, defence=4)
    put(t, "voronezh-1", "2040", kind="infantry", defence=2)
    go(t, "german-combat")
    assert t.calc("combat", target="2040", attackers=names).chart == f"crt-{column}-clear"


def test_marsh_supply_and_the_one_halving() -> None:
    t = table(owners_book(GROUND))
    put(t, "302id", "2141", kind="infantry", nation="german", attack=5)  # marsh
    mark(t, "302id", "oos")  # 9.2.4: not halved again
    put(t, "ss-w-1", "2140", kind="armour", nation="german", attack=7)
    mark(t, "ss-w-1", "oos")
    put(t, "voronezh-1", "2040", kind="infantry", defence=2)
    go(t, "german-combat")
    sheet = t.calc("combat", target="2040", attackers=["ss-w-1"])
    assert sheet.facts["attack"] == "3"
    with refused(Unreadable, field="attackers", given="302id"):  # 9.1.2: not beside it
        t.calc("combat", target="2039", attackers=["302id"])
    put(t, "voronezh-2", "2142", kind="infantry", defence=2)
    assert t.calc("combat", target="2142", attackers=["302id"]).facts["attack"] == "2"


def test_exhausted_units_fight_with_their_reverse_side() -> None:
    t = table(owners_book(GROUND))
    put(t, "ss-w-1", "2140", kind="armour", nation="german", attack=8, exhausted_attack=4)
    put(t, "voronezh-1", "2040", kind="infantry", defence=4)
    go(t, "german-combat")
    assert t.calc("combat", target="2040", attackers=["ss-w-1"]).facts["attack"] == "8"
    mark(t, "ss-w-1", "exhausted")
    assert t.calc("combat", target="2040", attackers=["ss-w-1"]).facts["attack"] == "4"


@pytest.mark.parametrize(
    ("places", "concentric"),
    [
        (["2041", "2039"], True),  # two on opposite sides close the ring
        (["2041", "2141"], False),
        (["2041"], False),
    ],
)
def test_concentric_attack_is_seen_on_the_map(places: list[str], concentric: bool) -> None:
    t = table(owners_book(""))
    for name, place in zip(["ss-w-1", "ss-w-2"], places, strict=False):
        put(t, name, place, kind="infantry", nation="german", attack=4)
        mark(t, name, "oos")  # B11.2.1: out of supply helps to surround all the same
    put(t, "voronezh-1", "2040", kind="infantry", defence=4)
    go(t, "german-combat")
    sheet = t.calc("combat", target="2040", attackers=["ss-w-1"])
    assert ("concentric" in lines(sheet)) is concentric
    assert sheet.facts["attack"] == ("4" if concentric else "2")
    assert t.calc("combat", target="2040", attackers=["ss-w-1"], concentric="no").facts["attack"] == "2"


def test_soviets_never_attack_concentrically() -> None:
    with refused(NotNow, rule="B11.2", field="concentric"):
        table(units=False).calc("combat", side="soviet", full="4", defence=2, concentric="yes")


def test_who_may_not_attack() -> None:
    t = table(owners_book(GROUND))
    put(t, "ss-w-1", "2140", kind="armour", nation="german", attack=8, exhausted_attack=4)
    put(t, "voronezh-1", "2040", kind="infantry", defence=4)
    go(t, "german-combat")
    mark(t, "ss-w-1", "disrupted", "ad")
    with refused(Warned) as refusal:
        t.do("german", "resolve-combat", target="2040", attackers=["ss-w-1"], die="1")
    assert any("9.1.7" in reason for reason in refusal.value.said)
    mark(t, "ss-w-1", "disrupted", "off")
    t.do("german", "resolve-combat", target="2040", attackers=["ss-w-1"], die="1")
    with refused(Warned) as refusal:
        t.do("german", "resolve-combat", target="2040", attackers=["ss-w-1"], die="1")
    assert any("9.1.6" in reason for reason in refusal.value.said)
    put(t, "ss-w-2", "1941", kind="armour", nation="german", attack=8)
    assert "9.1.5" in str(t.calc("combat", target="2040", attackers=["ss-w-2"]).warnings)


def test_unknown_values_are_asked_for_by_name() -> None:
    t = table(owners_book(GROUND))
    put(t, "ss-w-1", "2140")
    put(t, "voronezh-1", "2040")
    go(t, "german-combat")
    with refused(Unreadable, field="full") as refusal:
        t.calc("combat", target="2040", attackers=["ss-w-1"])
    assert 'SS "W" PzD 1' in refusal.value.message
    with refused(Unreadable, field="defence") as refusal:
        t.calc("combat", target="2040", attackers=["ss-w-1"], full="6")
    assert "Voronezh 1" in refusal.value.message
    assert t.calc("combat", target="2040", attackers=["ss-w-1"], full="6", defence=3).facts["odds"] == "2:1"


@pytest.mark.parametrize(("reading", "accepted"), [("forbid", False), ("lowest", True)])
def test_strength_zero(reading: str, accepted: bool) -> None:
    t = table(units=False, zero_attack=reading)
    if accepted:
        assert t.calc("combat", side="german", river="1", defence=3).column == "1:4"
    else:
        assert any(
            "9.2" in warning for warning in t.calc("combat", side="german", river="1", defence=3).warnings
        )
        go(t, "german-combat")
        with refused(Warned):
            t.do("german", "resolve-combat", river="1", defence=3, die="1")


@pytest.mark.parametrize(
    ("attack", "ends", "warned"),
    [
        (8, {}, False),  # 2:1 is among the filled columns
        (24, {}, True),  # 6:1 is beyond 3:1, which may be just the last one copied so far
        (
            24,
            {"clear": {"lowest": "1:2", "highest": "3:1"}},
            False,
        ),  # the owner says that 3:1 is printed last
    ],
)
def test_odds_beyond_the_columns_on_record_are_warned_of(
    attack: int, ends: dict[str, Any], warned: bool
) -> None:
    book = owners_book(crt=False)
    name = "crt-german-clear"
    cells = {f"{die}|{odds}": "C" for die in range(1, 7) for odds in ("1:1", "2:1", "3:1")}
    charts = {**book.charts, name: book.charts[name].fill(cells)}
    t = table(replace(book, charts=charts, tables={**book.tables, "crt-ends": ends}), units=False)
    go(t, "german-combat")
    sheet = t.calc("combat", full=str(attack), defence=4, ground="clear")
    assert any("9.5.1" in warning for warning in sheet.warnings) is warned


def test_a_cell_read_in_play_does_not_end_the_table() -> None:
    """9.5.1: after one battle at 2:1 the next one at 6:1 is not read there."""
    book = owners_book("", crt=False)
    name = "crt-german-clear"
    charts = {**book.charts, name: book.charts[name].fill({"4|2:1": "DL"})}
    t = table(replace(book, charts=charts), units=False)
    go(t, "german-combat")
    sheet = t.calc("combat", full="24", defence=4, ground="clear")
    assert sheet.column == "6:1" and not sheet.warnings


def test_printed_ends_come_from_the_owner() -> None:
    book = owners_book("", crt=False)
    tables = {**book.tables, "crt-ends": {"clear": {"lowest": "1:2", "highest": "5:1"}}}
    t = table(type(book)(book.charts, tables, book.map), units=False)
    assert t.calc("combat", side="german", full="40", defence=2).column == "5:1"
    assert t.calc("combat", side="german", full="1", defence=9).column == "1:2"


def test_blank_cells_are_read_by_the_player_and_carried_out_by_hand() -> None:
    t = table(units=False)
    t.until("soviet-combat")
    t.do("soviet", "resolve-combat", full="6", defence=3, die="4")
    ask = t.asked("soviet")[0]
    assert ask["action"] == "enter-result" and "column 2:1, row 4" in ask["text"]
    assert "D2D" in ask["args"]["codes"]
    t.answer("soviet", result="D2")
    texts = [a["text"] for a in t.asked("table")]
    assert any("exhausted" in x for x in texts) and any("defenders back 2" in x for x in texts)
    assert any("advance 2" in x for x in texts)
    assert len(texts) == 1  # one line to tap away
    t.do("table", "dismiss", ask=t.asked("table")[0]["id"])
