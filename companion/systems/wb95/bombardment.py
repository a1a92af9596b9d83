"""What shells and bombs do to a hex: strength bands, terrain, and the result handed out [6.4, 8.2.6]."""

from __future__ import annotations

from typing import Any

from companion.engine.play.actions import Events
from companion.engine.play.worksheet import Breakdown, Line, chances, look_up
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.wb95 import grammar
from companion.systems.wb95.base import at_hexes, rules
from companion.systems.wb95.losses import ask_losses
from companion.systems.wb95.shaken import ask_tests, disturb, exposed, shake
from companion.systems.wb95.terrain import hex_shift, printed

BANDS = (("1-2", 1, 2), ("3-5", 3, 5), ("6-8", 6, 8), ("9-12", 9, 12), ("13-16", 13, 16), ("17+", 17, 9999))


def band(strength: int) -> str:
    """The chart's column for this strength; empty below 1."""
    return next((name for name, low, high in BANDS if low <= strength <= high), "")


def aim(
    sheet: Breakdown, game: Game, strength: int, chart: str, ground: tuple[str, ...], hex_id: str
) -> None:
    """Take twice the terrain's shifts off and find the column [6.4.2, 8.2.7]."""
    if not ground and hex_id:
        ground = printed(game, hex_id)
    lost = 2 * hex_shift(game, ground)
    if lost:
        sheet.add(f"terrain: {', '.join(ground)}", f"-{lost} SP", "6.4.2, 8.2.7")
    set_column(sheet, game, strength - lost, chart)


def set_column(sheet: Breakdown, game: Game, strength: int, chart: str) -> None:
    sheet.column, sheet.dice, sheet.chart = band(strength), "2d6", chart
    column = f", column {sheet.column}" if sheet.column else ""
    sheet.add(f"strength that counts{column}", f"{max(0, strength)} SP")
    sheet.facts["strength"] = strength
    if not sheet.column:
        sheet.warnings.append("nothing is left after the terrain: no effect")
    else:
        sheet.chances = chances(game.chart(chart), sheet.column, "2d6", str)


def fire(game: Game, worksheet: str, sheet: Breakdown, roll: int) -> Events:
    """Read the chart and hand out the result; strength below 1 does nothing."""
    sheet.roll = roll
    if sheet.column:
        look_up(sheet, game.chart(sheet.chart), str(roll))
    else:
        sheet.result = "-"
    if sheet.result:
        where = ", ".join(map(str, sheet.facts.get("hexes", ()))) or "target"
        sheet.effects = [Line(where, grammar.part(sheet.result).words(), "tables")]
    yield from rules.settle(game, worksheet, sheet)


def land(game: Game, sheet: dict[str, Any], result: str) -> Events:
    """Losses, disorganisation and tests of the units in the target hex."""
    share = grammar.part(result)
    facts = sheet.get("facts", {})
    victim, hexes = str(facts.get("victim", "")), list(facts.get("hexes", ()))
    if victim not in game.sides:
        return
    here = at_hexes(game, victim, hexes)
    yield from disturb(game, here)
    yield from ask_losses(game, victim, share.loss, hexes, f"{sheet['title'].lower()} {result}", "tables")
    if share.disorganised:
        yield from shake(game, exposed(game, here, direct=False), f"{sheet['title'].lower()} {result}")
        if not here:
            yield e.Noted(
                f"{game.side_name(victim)}: units in {', '.join(hexes) or 'the hex'} are disorganised"
            )
    if share.test:
        yield from ask_tests(game, victim, 1, f"{sheet['title'].lower()} {result}", "5.6.1", 0, hexes)


for _name in ("ranged-fire", "air-attack"):
    rules.outcome(_name)(land)


def hit_bridge(game: Game, sheet: dict[str, Any], result: str) -> Events:
    """The object chart says D: the bridge is down."""
    name = str(sheet.get("facts", {}).get("bridge", ""))
    if result == "D" and name:
        yield e.Marked(name, "bridge", "down", reason="destroyed", rule="14.1.1")


rules.outcome("object-attack")(hit_bridge)
