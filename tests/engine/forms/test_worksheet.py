"""Worksheets: a calculation lists its reasons, its chances, and what to read where the chart is blank."""

from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Annotated

import pytest
from harness import bare
from toykit import Table, toy_kit, toy_rules

from companion.engine.errors import NotNow, Several
from companion.engine.forms.fields import Context, Whole
from companion.engine.forms.worksheet import Breakdown, chances, halve, look_up, ways
from companion.engine.play.rules import Rules

COMBAT = toy_rules().worksheets["combat"]
CRT = toy_kit().charts["crt"]


def test_every_number_explains_itself() -> None:
    sheet = COMBAT.work({"attack": "6", "defence": 3, "posture": "Defend"}, bare(toy_kit()))
    assert [(x.label, x.effect, x.rule) for x in sheet.lines] == [
        ("Odds", "2:1", "7.1"),
        ("Dug in", "-1", "7.2"),
    ]
    assert (sheet.column, sheet.modifier) == ("2:1", -1)


def test_a_modifier_of_nothing_is_not_a_line() -> None:
    sheet = Breakdown("Combat")
    sheet.shift("Dug in", 0)
    sheet.shift("Armour", 2, "7.3")
    sheet.shift("River", -3)
    assert (sheet.modifier, [x.effect for x in sheet.lines]) == (-1, ["+2", "-3"])


def test_chances_are_known_before_the_roll_and_blank_cells_are_gathered() -> None:
    even = COMBAT.work({"attack": 3, "defence": 3}, bare(toy_kit())).chances
    assert even == pytest.approx({"AR": 1 / 3, "NE": 1 / 3, "read your chart": 1 / 3})
    assert sum(even.values()) == pytest.approx(1)


@pytest.mark.parametrize(
    ("dice", "total", "chance"),
    [("1d6", 6, Fraction(1, 6)), ("2d6", 7, Fraction(1, 6)), ("2d6", 12, Fraction(1, 36)), ("1d10z", 0, Fraction(1, 10)),
     ("2d6+1", 13, Fraction(1, 36))],
)  # fmt: skip
def test_totals_are_exact(dice: str, total: int, chance: Fraction) -> None:
    found = ways(dice)
    assert Fraction(found[total], sum(found.values())) == chance


def test_the_owners_chart_changes_the_chances() -> None:
    filled = CRT.fill({"5|1:1": "DR", "6|1:1": "DE"})
    assert "read your chart" not in chances(filled, "1:1", "1d6", str)


@pytest.mark.parametrize(
    ("row", "result", "asks", "warns"),
    [("4", "NE", False, False), ("3", "NE", False, True), ("6", "", True, False)],
)
def test_a_cell_is_looked_up_doubted_or_asked_for(row: str, result: str, asks: bool, warns: bool) -> None:
    sheet = Breakdown("Combat", column="1:1")
    look_up(sheet, CRT, row)
    assert (sheet.result, bool(sheet.read_chart), bool(sheet.warnings)) == (result, asks, warns)
    if asks:
        assert sheet.read_chart == f"read your Combat Results Table: column 1:1, row {row}"
        assert sheet.codes == CRT.known_values()


def test_every_mistake_of_a_worksheet_is_reported_at_once() -> None:
    with pytest.raises(Several) as raised:
        COMBAT.work({"attack": "x", "posture": "run", "colour": "red"}, bare(toy_kit()))
    assert [m.field for m in raised.value.mistakes] == ["attack", "defence", "posture", "colour"]


def test_the_log_form_and_api_share_one_shape_without_empty_parts() -> None:
    assert Breakdown("Combat").to_json() == {"title": "Combat", "modifier": 0}
    body = COMBAT.work({"attack": 6, "defence": 3}, bare(toy_kit())).to_json()
    assert {"title", "lines", "column", "chances", "dice"} <= set(body)


def test_a_worksheet_at_a_table_uses_its_charts() -> None:
    table = Table()
    assert COMBAT.work({"attack": 3, "defence": 3}, Context(table.game)).chances["AR"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(("number", "half"), [(0, 0), (1, 1), (2, 1), (3, 2), (7, 4)])
def test_half_is_rounded_up(number: int, half: int) -> None:
    assert halve(number) == half


def at_a_table(ctx: Context) -> bool:
    return bool(ctx.game.phase)


@dataclass(frozen=True)
class Siege:
    """What a siege asks for, in one place; its lambdas see the module they stand in."""

    guns: Annotated[int, Whole(label="Guns", high=20)]
    walls: Annotated[int, Whole(label="Walls", high=9, when=lambda c: not at_a_table(c))] = 2


def test_many_fields_are_one_form() -> None:
    rules = Rules("toy")

    @rules.worksheet(rule="7.9")
    def siege(ctx: Context, form: Siege) -> Breakdown:
        """Guns against walls."""
        return Breakdown("Siege", facts={"left": form.guns - form.walls})

    assert list(siege.fields) == ["guns", "walls"]
    assert siege.work({"guns": "7"}, bare(toy_kit())).facts == {"left": 5}
    with pytest.raises(Several) as wrong:
        siege.work({"walls": "12"}, bare(toy_kit()))
    assert [m.field for m in wrong.value.mistakes] == ["guns", "walls"]


@pytest.mark.parametrize("refuses", [False, True])
def test_the_same_values_are_worked_out_once_while_nothing_changes(refuses: bool) -> None:
    rules, calls = Rules("toy"), []

    @rules.worksheet(rule="7.9")
    def toll(ctx: Context, tolls: Annotated[int, Whole(label="Tolls")]) -> Breakdown:
        """Count the tolls."""
        calls.append(tolls)
        if refuses:
            raise NotNow("no bell")
        return Breakdown("Toll")

    for kept, times in (({}, 1), (None, 4)):
        for _ in range(3):
            with suppress(NotNow):
                toll.work({"tolls": "7"}, replace(bare(toy_kit()), worked=kept))
        assert len(calls) == times
