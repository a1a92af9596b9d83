"""The cost of a march, step by step, from the owner's terrain table and map [8.2-8.5, B5.2, B10.1-B10.2]."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Flag, HexId, Text, UnitRef, Whole
from companion.engine.forms.worksheet import Breakdown
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import (
    Fault,
    disrupted,
    exhausted,
    factor,
    mechanized,
    out_of_supply,
    rules,
)
from companion.systems.panzer_keil.books import WEATHERS
from companion.systems.panzer_keil.condition import own_on_map
from companion.systems.panzer_keil.ground import (
    MAJOR,
    RIVER,
    SEA,
    WATER,
    barrier,
    board,
    supply_zones,
    terrain,
    zone,
)
from companion.systems.panzer_keil.weather import ground

TERRAINS = ("clear", "hills", "forest", "marsh", "city")
EXTRAS = ("river", "major", "camp", "zone")
WORDS = "clear, hills, forest, marsh, city, road, river, major, camp, zone"


def cost_of(text: str) -> Fraction:
    """'1/2', '2', '+3', '1 1/2' as a number."""
    return sum((Fraction(part) for part in text.lstrip("+").split()), Fraction(0))


def step_cost(game: Game, words: list[str], column: str) -> Fraction:
    """One step: terrain or road, river, camp, and one more for leaving an enemy zone [8.2.2-8.2.4, 8.4.2, B10.2]."""
    road = "road" in words
    rows: list[str] = []
    if road:
        rows.append("road over river" if "river" in words else "road")  # it ignores the terrain [8.2.4]
    else:
        rows += [w for w in words if w in TERRAINS] or ["clear"]
        rows += ["river"] if "river" in words else []
    rows += ["major river"] if "major" in words else []
    rows += ["camp"] if "camp" in words else []
    total = Fraction(1 if "zone" in words else 0)
    for row in rows:
        text = game.chart("terrain").cell(row, column).value
        if not text or text == "no":
            why = (
                "cannot be entered"
                if text == "no"
                else f"has no cost in the {column} column of your terrain table"
            )
            raise Unreadable(f"{row} {why}", field="steps", given=row, rule="8.2")
        total += cost_of(text)
    return total


def _show(number: Fraction) -> str:
    whole, rest = divmod(number, 1)
    return str(whole) if not rest else f"{whole} {rest}" if whole else str(rest)


def march(game: Game, side: str, path: Sequence[str]) -> tuple[list[list[str]], list[Fault]]:
    """Each step of a path in words, and what the rules have against it [8.1.2, 8.4.1-8.4.4, 8.5.2, B10.1.2]."""
    enemy = game.other(side)
    near, full = zone(game, enemy, supply_zones(game)), zone(game, enemy)
    here = board(game)
    steps: list[list[str]] = []
    wrong: list[Fault] = []
    for number, (a, b) in enumerate(zip(path, path[1:], strict=False)):
        if b not in game.maps.neighbours(a):
            raise Unreadable(
                f"{b} does not touch {a}: name every hex of the way", field="path", given=b, rule="8.1"
            )
        between = barrier(game, a, b)
        words = [w for w in (terrain(game, b),) if w in TERRAINS] or ["clear"]
        words += ["road"] if "road" in here.links.get((here.grid.index[a], here.grid.index[b]), set()) else []
        words += ["major"] if between == MAJOR else ["river"] if between == RIVER else []
        # A zone that only reaches over a major river costs nothing to leave [B10.1.3].
        words += ["zone"] if number == 0 and a in near else []
        if between == SEA or terrain(game, b) in WATER:
            wrong.append(Fault(f"sea or lake before {b}", "8.5.2"))
        if any(u.side == enemy for u in game.units_at(b)):
            wrong.append(Fault(f"an enemy stands in {b}", "8"))
        if (a in near and b in near) or (between == MAJOR and a in full and b in full):
            wrong.append(Fault(f"straight from one enemy zone into another at {b}", "8.4.4, B10.1.2"))
        elif b in near and b != path[-1]:
            wrong.append(Fault(f"the move ends in the enemy zone at {b}", "8.4.1"))
        steps.append(words)
    return steps, wrong


def _read_steps(text: str) -> list[list[str]]:
    steps = []
    for number, part in enumerate((s.strip() for s in text.split(",")), 1):
        words = [w.strip().lower() for w in part.split("+") if w.strip()]
        wrong = [w for w in words if w not in (*TERRAINS, *EXTRAS, "road")]
        if wrong or not words:
            raise Unreadable(
                f"step {number}: {part!r} is not made of: {WORDS}", field="steps", given=part, accepted=WORDS
            )
        steps.append(words)
    return steps


@rules.worksheet(rule="8.2-8.5, B5.2", title="Movement cost")
def movement(
    ctx: Context,
    unit: Annotated[str, UnitRef(label="Unit", pick=own_on_map)] = "",
    path: Annotated[
        tuple[str, ...], HexId(label="Hexes of the way", help="without the first", many=True)
    ] = (),
    points: Annotated[int | None, Whole(label="Movement points", high=30, help="empty: the unit's")] = None,
    steps: Annotated[
        str, Text(label="or steps in words", most=400, placeholder="road+zone, road, forest+road+river+camp")
    ] = "",
    kind: Annotated[
        str, Choice(label="Unit type", options=[("mechanized", "mechanized"), ("other", "not mechanized")])
    ] = "",
    weather: Annotated[str, Choice(label="Weather", options=[(w, w) for w in WEATHERS])] = "",
    tired: Annotated[bool, Flag(label="Already exhausted or out of supply")] = False,
) -> Breakdown:
    """Add up a march: hexes of a unit on record, or steps in words, separated by commas and joined by plus signs."""
    game = ctx.game
    sheet = Breakdown("Movement cost")
    held = game.units[unit] if unit else None
    if held:
        way, wrong = march(game, held.side, (held.place, *path))
        wrong += [Fault(f"{held.name} is disrupted", "8.5.1")] if disrupted(game, held.id) else []
        sheet.warnings += map(str, wrong)
        points = factor(game, held, "MF") if points is None else points
        tired = tired or exhausted(game, held.id) or out_of_supply(game, held.id)
        if not kind and mechanized(held) is None:
            unknown = f"the type of {held.name or held.id} is not on record: say whether it is mechanized"
            raise Unreadable(unknown, field="kind", accepted="mechanized or other", rule="2.2.1, B5.2")
        kind = kind or ("mechanized" if mechanized(held) else "other")
    else:
        way = _read_steps(steps)
    if points is None:
        raise Unreadable("the movement points are not on record: enter them", field="points", rule="8.2.1")
    mobile = kind != "other"
    column = ground(weather or game["weather"], mobile)
    sheet.add(f"{column} column", "", "B5.2")
    total = Fraction(0)
    reached = 0
    for number, words in enumerate(way, 1):
        cost = step_cost(game, words, column)
        total += cost
        sheet.add(f"{number}: {' '.join(words)}", _show(cost), "8.2")
        reached = number if total <= points else reached
    _reach(sheet, total, points, reached, mobile, tired)
    return sheet


def _reach(sheet: Breakdown, total: Fraction, points: int, reached: int, mobile: bool, tired: bool) -> None:
    """How far the points last, and what may follow [8.3, 8.5.3]."""
    left = points - total
    sheet.facts = {
        "cost": _show(total),
        "left": _show(left) if left >= 0 else f"-{_show(-left)}",
        "reached": reached,
    }
    spent = f"{_show(total)} of {points} points"
    if left >= 0:
        sheet.result = f"{spent}, {_show(left)} left"
    elif not reached:
        sheet.result = f"{spent}: the first hex all the same, nothing more"
        if mobile:
            sheet.add("one hex with too few points exhausts a mechanized unit", "", "8.5.3")
    else:
        sheet.result = f"{spent}: stops after step {reached}"
        if mobile and not tired:
            sheet.add("a forced march may follow on the reverse side", "", "8.3")
