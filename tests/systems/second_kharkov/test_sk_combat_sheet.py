"""The combat worksheet: every modifier with its rule, on the command line and at a table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from harness import bare, refused

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Context
from companion.engine.forms.worksheet import Breakdown
from companion.systems.second_kharkov import rules


def calc(**fields: Any) -> Breakdown:
    """The worksheet without a table, as `companion calc` uses it."""
    given = {"attack": 30, "defence": 10, "turn": 3, "attacker": "soviet", **fields}
    return rules.worksheets["combat"].work(given, bare("second-kharkov"))


@pytest.mark.parametrize(
    ("fields", "modifier", "rule"),
    [
        ({}, 0, "12.11"),
        ({"terrain": "forest"}, 1, "12.12"),
        ({"terrain": "marsh"}, -1, "12.13"),
        ({"terrain": "town"}, 1, "12.15"),
        ({"terrain": "city"}, 2, "12.16"),
        ({"river": "none"}, 0, "12.14"),
        ({"river": "minor"}, 1, "12.14"),
        ({"river": "major"}, 2, "12.14"),
        ({"river": "minor", "terrain": "town"}, 2, "12.14: adds to the terrain"),
        ({"turn": 1}, -1, "5.5"),
        ({"turn": 1, "attacker": "german"}, 1, "5.5"),
        ({"attacker": "german", "fight_move": True}, -1, "5.7"),
        ({"attacker": "german", "air": "1"}, -1, "12.17"),
        ({"air": "1"}, 1, "12.17"),
        ({"tank_attack": "hex"}, 1, "12.25"),
        ({"attacker": "german", "tank_defence": True}, -1, "12.25"),
        ({"turn": 4}, 0, "12.26: not yet"),
        ({"turn": 5}, 1, "12.26"),
        ({"turn": 8, "attacker": "german"}, -1, "12.26"),
        ({"attack": 80}, -2, "12.9 example"),
        ({"attack": 80, "turn": 5}, 1, "12.26: no bonus above 6:1"),
        ({"attack": 80, "turn": 5, "attacker": "german"}, -3, "12.26: the German keeps it"),
        (
            {
                "attacker": "german",
                "turn": 6,
                "fight_move": True,
                "air": "1",
                "tank_defence": True,
                "terrain": "marsh",
            },
            -5,
            "12.26: all add up (12.10)",
        ),
    ],
)
def test_modifiers(fields: dict[str, Any], modifier: int, rule: str) -> None:
    sheet = calc(**fields)
    assert sheet.modifier == modifier
    if modifier:
        assert rule.partition(":")[0].split()[0] in " ".join(line.rule for line in sheet.lines)


@pytest.mark.parametrize(
    ("fields", "attack", "defence", "rules_named"),
    [
        ({"attack": "14+12", "defence": 7}, 26, 7, "12.7"),
        ({"attack": 10, "attack_oos": 9}, 15, 10, "1.5, 9.9"),
        ({"attack": 10, "attack_mech": 9, "terrain": "city"}, 15, 10, "1.5, 12.16"),
        ({"attack": 10, "attack_mech": 9, "terrain": "marsh"}, 15, 10, "1.5, 12.13"),
        ({"attack": 0, "attack_both": 9, "terrain": "marsh", "defence": 1}, 3, 1, "1.5, 9.9, 12.13"),
        ({"attack": 10, "defence": 0, "defence_oos": "5+4"}, 10, 5, "1.5, 9.9"),
    ],
)
def test_halved_factors(fields: dict[str, Any], attack: int, defence: int, rules_named: str) -> None:
    sheet = calc(**fields)
    assert (sheet.facts["attack"], sheet.facts["defence"]) == (attack, defence)
    assert rules_named in [line.rule for line in sheet.lines]


@pytest.mark.parametrize(
    ("turn", "attacker", "terrain", "hidden"),
    [
        (
            1,
            "soviet",
            "clear",
            {"attack_mech", "attack_oos", "attack_both", "defence_oos", "air", "army", "tank_defence"},
        ),
        (3, "soviet", "clear", {"attack_mech", "attack_both", "army", "tank_defence", "fight_move"}),
        (3, "german", "city", {"tank_attack"}),
    ],
)
def test_a_form_asks_only_what_can_apply(turn: int, attacker: str, terrain: str, hidden: set[str]) -> None:
    here = replace(bare("second-kharkov"), values={"turn": turn, "attacker": attacker, "terrain": terrain})
    fields = rules.worksheets["combat"].fields
    assert {n for n in hidden if fields[n].when is not None and not fields[n].when(here)} == hidden
    shown = {n for n, f in fields.items() if f.when is None or f.when(here)}
    assert {"attack", "defence", "terrain", "river"} <= shown


def test_without_a_table_nothing_is_assumed() -> None:
    """What is typed decides: no army is restricted, no aircraft counted, no plain turn special."""
    plain = calc(attacker="german")
    assert (plain.modifier, plain.warnings) == (0, [])
    assert calc(attacker="german", air="6").modifier == -6
    assert rules.worksheets["combat"].work({"attack": 9, "defence": 3}, bare("second-kharkov")).modifier == 0


def test_worse_than_one_to_three_needs_no_column() -> None:
    """12.9."""
    sheet = calc(attack=2, defence=7)
    assert sheet.result == "2/0" and not sheet.column and not sheet.dice


@pytest.mark.parametrize(
    ("field", "given"),
    [("attack", ""), ("defence", ""), ("defence", 0), ("attack", "ten"), ("river", "lake")],
)
def test_what_cannot_be_worked_out_is_said(field: str, given: Any) -> None:
    with refused(Unreadable, field=field):
        calc(**{field: given})


def test_known_cells_give_chances_and_blank_ones_say_so(table: Any) -> None:
    t = table(phase="soviet-combat")
    sheet = t.calc("combat", attack=26, defence=7)
    assert sheet.chances == {"1/2": pytest.approx(1 / 6), "read your chart": pytest.approx(5 / 6)}
    full = table(phase="soviet-combat", result="1/1").calc("combat", attack=26, defence=7)
    assert sum(full.chances.values()) == pytest.approx(1)


def test_the_table_knows_side_turn_and_order(table: Any) -> None:
    """5.5, 5.7: nothing to type that the game knows."""
    t = table(turn=2, phase="german-move")
    t.do("german", "fight-first")
    sheet = t.calc("combat", attack=20, defence=10)
    assert sheet.facts["attacker"] == "german" and sheet.modifier == -1


@pytest.mark.parametrize(
    ("attackers", "reading", "modifier"),
    [
        ((("tank", "2507"), ("tank", "2507")), "once", 1),
        ((("tank", "2507"), ("motorised", "2507")), "once", 0),
        ((("tank", "2507"), ("rifle", "2508")), "once", 1),
        ((("tank", "2507"), ("tank", "2508")), "once", 1),
        ((("tank", "2507"), ("tank", "2508")), "twice", 2),
        ((("rifle", "2507"), ("rifle", "2508")), "twice", 0),
    ],
)
def test_armour_doctrine_from_the_record(
    table: Any, attackers: tuple[tuple[str, str], ...], reading: str, modifier: int
) -> None:
    """12.25: one unit that is no tank brigade saves its hex; a motorised brigade is none."""
    t = table(turn=3, phase="soviet-combat", fog=False, tank_doctrine=reading, units=tuple(
        {"name": f"{kind} {n}", "side": "soviet", "kind": kind, "hex": place, "af": 4, "df": 2}
        for n, (kind, place) in enumerate(attackers)
    ))  # fmt: skip
    names = [u.id for u in t.game.units.values()]
    sheet = t.calc("combat", target="2408", attackers=names, terrain="clear", defence=4)
    assert sheet.modifier == modifier
    assert sheet.facts["attack"] == 4 * len(attackers)


def test_units_on_record_are_halved_stack_by_stack(table: Any) -> None:
    """1.5, 9.9: supply is judged unit by unit, stacks are summed first; whole battle as an option."""
    units = tuple(
        {"name": f"R{n}", "side": "soviet", "kind": "rifle", "hex": place, "af": 3, "df": 3}
        for n, place in enumerate(("2507", "2507", "2508"))
    )
    for reading, expected in (("stack", 3 + 2), ("battle", 5)):
        t = table(turn=3, phase="soviet-combat", fog=False, halving=reading, units=units)
        t.do("soviet", "judge-supply", hexes="2507 2508", state="out")
        sheet = t.calc("combat", target="2408", attackers=list(t.game.units), defence=4)
        assert sheet.facts["attack"] == expected


@pytest.mark.parametrize(("reading", "modifier"), [("attackers", 1), ("stack", 0)])
def test_who_makes_a_hex_all_tank(table: Any, reading: str, modifier: int) -> None:
    """12.25, A8: a rifle division that stays out of it."""
    t = table(turn=3, phase="soviet-combat", fog=False, tank_hex=reading)
    tank = t.enter("TB", "soviet", "2507", kind="tank", af=4, df=2)
    t.enter("RD", "soviet", "2507", kind="rifle", af=4, df=2)
    assert t.calc("combat", target="2408", attackers=tank, defence=4).modifier == modifier


@pytest.mark.parametrize(("reading", "row"), [("row", "<1"), ("clamp", "1")])
def test_rolls_below_one(table: Any, reading: str, row: str) -> None:
    """A21."""
    t = table(turn=5, phase="german-combat", below_one=reading)
    t.do("german", "resolve-combat", attack=40, defence=10, terrain="marsh", die="1")
    assert t.game.last_result["breakdown"]["row"] == row


def test_rivers_come_from_the_map_book(table: Any) -> None:
    """12.14: a crossing counts as a major river; one dry attacker spoils the defender's bonus."""
    sides = (
        ("side", "2408", "2507", "minor river"),
        ("side", "2408", "2508", "major river"),
        ("side", "2408", "2508", "crossing"),
    )
    units = tuple(
        {"name": n, "side": "soviet", "kind": "rifle", "hex": h, "af": 3, "df": 3}
        for n, h in (("A", "2507"), ("B", "2508"), ("C", "2409"))
    )
    t = table(turn=3, phase="soviet-combat", fog=False, ground=sides, units=units)
    ids = {u.name: u.id for u in t.game.units.values()}
    wanted = {"A": 1, "AB": 2, "B": 2, "ABC": 0}
    for names, modifier in wanted.items():
        sheet = t.calc("combat", target="2408", attackers=[ids[n] for n in names], defence=4)
        assert sheet.modifier == modifier, names


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ({"army": "17th Army"}, "restricted"),
        ({"army": "6th Army + 17th Army"}, "together"),
    ],
)
def test_forbidden_attacks_are_pointed_out(table: Any, setting: dict[str, str], words: str) -> None:
    """6.2, 12.24."""
    t = table(turn=2, phase="german-combat", fog=False)
    if "+" in setting["army"]:
        armies = setting["army"].split(" + ")
        ids = [t.enter(a, "german", "2409", army=a, kind="panzer", af=5, df=5) for a in armies]
        sheet = t.calc("combat", target="2408", attackers=ids, defence=3)
    else:
        sheet = t.calc("combat", attack=10, defence=3, army=setting["army"])
    assert words in " ".join(sheet.warnings)


def test_an_untouched_terrain_field_follows_the_target(table: Any) -> None:
    """A browser sends every field at every stroke: what was offered first must not stick."""
    t = table(turn=3, phase="soviet-combat", ground=(("terrain", "2510", "", "forest"),))
    first = {f["name"]: f for f in t.form("soviet", "resolve-combat")}
    sent = {"target": "2510", "terrain": first["terrain"]["value"], "river": first["river"]["value"]}
    then = {f["name"]: f for f in t.form("soviet", "resolve-combat", **sent)}
    assert then["terrain"]["choices"][0] == {"value": "", "label": "as mapped: forest"}
    sheet = t.calc("combat", **sent, attack=9, defence=3)
    assert sheet.modifier == 1
    assert t.calc("combat", **{**sent, "terrain": "clear"}, attack=9, defence=3).modifier == 0


def test_factors_are_asked_in_the_order_of_the_attackers_on_the_form(table: Any) -> None:
    """2.11: one number a unit, and they are sent as the boxes stand, whoever came on record first."""
    t = table(turn=3, phase="german-combat")
    t.enter("RD", "soviet", "2619", kind="rifle", af=3, df=3)
    for name in ("62", "44"):
        t.enter(name, "german", "2620", kind="infantry", army="6th Army")
    action, ctx = rules.actions["resolve-combat"], Context(t.game, "german")
    rows = {row["name"]: row for row in action.describe(ctx, {"target": "2619"})}
    boxes = [choice["value"] for choice in rows["attackers"]["choices"]]
    assert rows["attackers"]["value"] == boxes == ["german-44", "german-62"]
    asked = {row["name"]: row for row in action.describe(ctx, {"target": "2619", "attackers": boxes})}
    assert asked["attack"]["help"].endswith("44, 62")
