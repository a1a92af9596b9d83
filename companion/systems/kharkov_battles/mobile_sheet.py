"""The Mobile Assault worksheet [11.2]: cost, exact odds, and the modifiers of the owner's table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Choice, Context, HexId, Whole
from companion.engine.forms.ladder import Ladder
from companion.engine.forms.worksheet import Breakdown
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books, fighting, ground
from companion.systems.kharkov_battles.base import D10, rules

EXACT = Ladder(("1-1", *(f"{n}-1" for n in range(2, 61))))


def table_line(game: Game, defence: int) -> Mapping[str, Any] | None:
    """The row of the owner's Mobile Assault Table for a defence strength."""
    for row in books.table(game, "ma-table").values():
        low, high = books.whole(row, "from"), books.whole(row, "to")
        if (low is None or low <= defence) and (high is None or defence <= high):
            return row
    return None


def drm(game: Game, condition: str) -> int | None:
    """A modifier of the owner's table; None when it is blank."""
    return books.whole(books.table(game, "ma-drm").get(condition, {}), "drm")


def _others(ctx: Context) -> list[tuple[str, str]]:
    rows = books.table(ctx.game, "ma-drm")
    return [(c, c) for c in rows if not c.startswith("odds ") and c not in ("attacker air", "defender air")]


def _no_air(ctx: Context) -> bool:
    return not ctx.game.active or not fighting.most_air(ctx.game, ctx.game.active, True, True)


def _at_a_table(ctx: Context) -> bool:
    """There the defender says it on his own phone [5.21]."""
    return bool(ctx.game.phase)


def _cost(ctx: Context) -> int:
    """What your terrain chart asks of mechanized units for the target hex; 1 where it is blank."""
    game, target = ctx.game, str(ctx.values.get("target") or "")
    if not target:
        return 1
    here, chart = ground.terrain(game, target) or "clear", game.chart("tec")
    cell = str(chart.cell(here, f"mech, {str(game['weather']).capitalize()}").value or "")
    return int(cell) if here in chart.rows and cell.isdecimal() else 1


def _paid(ctx: Context) -> bool:
    """An assault that stands has been paid for [11.2]."""
    return ctx.duty is not None


def _complete(ctx: Context) -> bool:
    """Whether the owner's table gives every modifier that a declared assault meets."""
    told = ctx.told
    attack, defence = told.get("attack"), told.get("defence")
    if ctx.duty is None or not attack or not defence or attack < defence:
        return ctx.duty is not None and bool(attack and defence)
    wanted = [f"odds {EXACT.at(attack, defence)}"]
    wanted += [f"{side} air" for side in ("attacker", "defender") if told.get(f"{side}_air")]
    return all(drm(ctx.game, condition) is not None for condition in wanted)


@rules.worksheet(rule="11.2", title="Mobile Assault")
def mobile_odds(
    ctx: Context,
    target: Annotated[str, HexId(label="Target hex")] = "",
    attack: Annotated[int, Whole(label="Attack strength", high=400)] = 0,
    defence: Annotated[int, Whole(label="Strength of the whole hex", high=400)] = 0,
    attacker_air: Annotated[int, Whole(label="Attacker's Air Point", high=1, quiet=_no_air)] = 0,
    defender_air: Annotated[int, Whole(label="Defender's Air Point", high=1, quiet=_at_a_table)] = 0,
    conditions: Annotated[
        tuple[str, ...],
        Choice(label="Conditions on your table", options=_others, many=True, when=lambda c: bool(_others(c))),
    ] = (),
    other: Annotated[int, Whole(label="Further modifier", low=-9, high=9, quiet=_complete)] = 0,
    terrain_cost: Annotated[
        int,
        Whole(
            label="Cost of the target hex",
            help="roads and railways ignored",
            high=9,
            start=_cost,
            quiet=_paid,
        ),
    ] = 1,
    mp_left: Annotated[int | None, Whole(label="Movement points left", high=30, quiet=_paid)] = None,
) -> Breakdown:
    """Odds, modifiers and movement cost of a Mobile Assault."""
    if not attack or not defence:
        text = "enter both strengths: the attacking unit's and the whole defending hex's"
        raise NotNow(text, field="attack", rule="11.2")
    sheet = Breakdown("Mobile Assault", dice=D10, chart="ma-table")
    cost = 2 + terrain_cost
    sheet.add("movement: 2 and the hex", f"{cost} MP", "11.2")
    if mp_left is not None and mp_left < cost:
        sheet.warnings.append(f"{too_far(cost, mp_left)} [11.2]")
    whole = attack >= defence
    odds = EXACT.at(attack, defence) if whole else "below 1-1"
    sheet.add(f"{attack} : {defence}", odds, "11.2")
    sheet.column = odds
    typed = {
        "target": target, "attack": attack, "defence": defence, "attacker_air": attacker_air,
        "defender_air": defender_air, "conditions": list(conditions), "other": other,
    }  # fmt: skip
    sheet.facts = {"odds": odds, "cost": cost, "defence": defence, "blank": [], "typed": typed}
    if not whole:  # [11.21]
        sheet.result = "AD"
        sheet.dice = ""
        sheet.add("cannot be made: the attacker is Disorganized, air is spent", "AD", "11.21")
        return sheet
    wanted = (
        [f"odds {odds}"]
        + ["attacker air"] * bool(attacker_air)
        + ["defender air"] * bool(defender_air)
        + list(conditions)
    )
    for condition in wanted:
        amount = drm(ctx.game, condition)
        if amount is None:
            sheet.facts["blank"].append(condition)
        else:
            sheet.shift(condition, amount, "11.2, 27.2")
    sheet.shift("by hand", other, "11.2")
    if sheet.facts["blank"]:
        sheet.warnings.append(
            f"your table's modifier for {', '.join(sheet.facts['blank'])} is not in the book: add it by hand"
        )
    return sheet


def too_far(cost: int, left: int) -> str:
    return f"{cost} MP are needed, {left} are left: not possible"


def read(game: Game, sheet: Breakdown, roll: int) -> None:
    final = roll + sheet.modifier
    sheet.roll = roll
    column = "below" if final < 0 else "above" if final > 9 else f"r{final}"
    line = table_line(game, int(sheet.facts["defence"]))
    sheet.result = str(line.get(column) or "").replace(" ", "") if line else ""
    if sheet.facts["blank"]:
        sheet.result = ""  # a modifier is missing, so the table is read by the players
    if not sheet.result:
        missing = f", plus its modifier for {', '.join(sheet.facts['blank'])}" if sheet.facts["blank"] else ""
        where = f"defence {sheet.facts['defence']}, odds {sheet.column}, roll {final}"
        sheet.read_chart = f"read your Mobile Assault Table: {where}{missing}"
        sheet.codes = ["Dr3", "D(1)r3", "AD", "A(1)D"]
