"""The cost of a march, step by step, from the owner's terrain table [8.2-8.5, B5.2, B10.2]."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from companion.engine.errors import Unreadable
from companion.engine.fields import Choice, Context, Flag, Text, Whole
from companion.engine.game import Game
from companion.engine.worksheet import Breakdown
from companion.systems.panzer_keil.base import rules
from companion.systems.panzer_keil.weather import ground

TERRAINS = ("clear", "hills", "forest", "marsh", "city")
EXTRAS = ("river", "major", "camp", "zone")
EXAMPLE = {
    "clear": "1",
    "hills": "2",
    "forest": "3",
    "road": "1/2",
    "road over river": "1",
    "river": "+1",
    "major river": "+3",
    "camp": "+2",
}
"""Costs without a table: those of the basic rules' example, and the major river's [B10.2]."""
WORDS = "clear, hills, forest, marsh, city, road, river, major, camp, zone"


def cost_of(text: str) -> Fraction:
    """'1/2', '2', '+3', '1 1/2' as a number."""
    return sum((Fraction(part) for part in text.lstrip("+").split()), Fraction(0))


def _cell(game: Game | None, row: str, column: str) -> str:
    if game is None:
        return EXAMPLE.get(row, "")
    return game.chart("terrain").cell(row, column).value


def step_cost(game: Game | None, words: list[str], column: str) -> Fraction:
    """One step: terrain or road, river, camp, and one more for leaving an enemy zone [8.4.2]."""
    road = "road" in words
    rows: list[str] = []
    if road:
        rows.append("road over river" if "river" in words else "road")  # 8.2.4: a road ignores the terrain
    else:
        rows += [w for w in words if w in TERRAINS] or ["clear"]
        rows += ["river"] if "river" in words else []
    rows += ["major river"] if "major" in words else []
    rows += ["camp"] if "camp" in words else []
    total = Fraction(1 if "zone" in words else 0)
    for row in rows:
        text = _cell(game, row, column)
        if not text or text == "no":
            why = (
                "cannot be entered"
                if text == "no"
                else f"has no cost in the {column} column of your terrain table"
            )
            raise Unreadable(f"{row} {why}", field="steps", given=row)
        total += cost_of(text)
    return total


def _show(number: Fraction) -> str:
    whole, rest = divmod(number, 1)
    return str(whole) if not rest else f"{whole} {rest}" if whole else str(rest)


@rules.worksheet(rule="8.2, 8.3, 8.4, 8.5, B5.2", title="Movement cost")
def movement(
    ctx: Context,
    points: Annotated[int, Whole(label="Movement points", high=30)],
    steps: Annotated[
        str, Text(label="Steps", most=400, placeholder="road+zone, road, forest+road+river+camp")
    ],
    kind: Annotated[
        str, Choice(label="Unit", options=[("mechanized", "mechanized"), ("other", "not mechanized")])
    ] = "mechanized",
    weather: Annotated[
        str, Choice(label="Weather", options=[(w, w) for w in ("snow", "freeze", "thaw", "mud")])
    ] = "",
    exhausted: Annotated[bool, Flag(label="Already exhausted or out of supply")] = False,
) -> Breakdown:
    """Add up a march: steps separated by commas, each one or more of the words joined by plus signs."""
    game = ctx.game
    sheet = Breakdown("Movement cost")
    now = weather or (str(game["weather"]) if game else "")
    column = ground(now, kind == "mechanized")
    sheet.add(f"{column} column", "", "B5.2")
    total = Fraction(0)
    reached = 0
    short = False
    for number, text in enumerate((s.strip() for s in steps.split(",")), 1):
        words = [w.strip().lower() for w in text.split("+") if w.strip()]
        wrong = [w for w in words if w not in (*TERRAINS, *EXTRAS, "road")]
        if wrong or not words:
            raise Unreadable(
                f"step {number}: {text!r} is not made of: {WORDS}", field="steps", given=text, accepted=WORDS
            )
        cost = step_cost(game, words, column)
        total += cost
        sheet.add(f"{number}: {' '.join(words)}", _show(cost), "8.2")
        if total <= points and not short:
            reached = number
        else:
            short = True
    left = points - total
    sheet.facts = {
        "cost": _show(total),
        "left": _show(left) if left >= 0 else f"-{_show(-left)}",
        "reached": reached,
    }
    if left >= 0:
        sheet.result = f"{_show(total)} of {points} points, {_show(left)} left"
    elif not reached:
        sheet.result = f"{_show(total)} of {points} points: the first hex all the same, nothing more"
        if kind == "mechanized":
            sheet.add("one hex with too few points exhausts a mechanized unit", "", "8.5.3")
    else:
        sheet.result = f"{_show(total)} of {points} points: stops after step {reached}"
        if kind == "mechanized" and not exhausted:
            sheet.add("a forced march may follow on the reverse side", "", "8.3")
    return sheet
