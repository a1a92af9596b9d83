"""What shells and bombs do to a hex: strength bands, terrain, and the result handed out [6.4, 8.2.6]."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from companion.engine.forms.worksheet import Breakdown, Line, chances, look_up
from companion.engine.play.actions import Events
from companion.engine.play.duties import engage
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import fogged
from companion.engine.record.game import Game
from companion.systems.wb95 import grammar
from companion.systems.wb95.base import at_hexes, rules
from companion.systems.wb95.losses import owe_losses
from companion.systems.wb95.shaken import disturb, exposed, owe_tests, shake
from companion.systems.wb95.telling import came_of
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


def begin(
    game: Game,
    what: str,
    side: str,
    hexes: Sequence[str],
    rule: str,
    form: Mapping[str, Any] | None = None,
) -> Generator[e.Event, None, Battle]:
    """Bombs or shells fall on a hex: a battle whose victims are those who stand there."""
    where = " and ".join(hexes)
    victims = [u.id for u in at_hexes(game, game.other(side), hexes)] if side else []
    title = f"{what} on {where}" if where else what
    kept = {name: value for name, value in (form or {}).items() if value not in ((), [], "")}
    attacker = side or game.sides[0]
    struck = {game.other(attacker): victims}
    only = fogged(game, game.other(attacker)) if victims else ()
    battle = yield from engage(game, title, attacker, hexes, struck, rule, only=only, kind="fire", form=kept)
    return battle


def fire(game: Game, battle: Battle, worksheet: str, sheet: Breakdown, roll: int) -> Events:
    """Read the chart and hand out the result; strength below 1 does nothing."""
    sheet.roll = roll
    if sheet.column:
        look_up(sheet, game.chart(sheet.chart), str(roll))
    else:
        sheet.result = "-"
    if sheet.result:
        where = ", ".join(map(str, sheet.facts.get("hexes", ()))) or "target"
        sheet.effects = [Line(where, grammar.part(sheet.result).words(), "tables")]
    yield from rules.settle(game, worksheet, sheet, battle=battle)


def land(game: Game, sheet: dict[str, Any], result: str, battle: Battle | None) -> Events:
    """Losses, disorganisation and tests of the units in the target hex; nobody walks in after them [5.4.10]."""
    share = grammar.part(result)
    facts = sheet.get("facts", {})
    victim, hexes = str(facts.get("victim", "")), list(facts.get("hexes", ()))
    if victim not in game.sides:
        return
    here, why = at_hexes(game, victim, hexes), f"{sheet['title'].lower()} {result}"
    yield from disturb(game, here)
    ids = [u.id for u in here]
    yield from owe_losses(game, victim, share.loss, ids, why, "tables", battle, hexes=hexes, closed=True)
    if share.disorganised:
        yield from shake(game, exposed(game, here, direct=False), why, battle=battle)
        if not here:
            where = ", ".join(hexes) or "the hex"
            yield came_of(battle, f"{game.side_name(victim)}: units in {where} are disorganised", "5.6.1")
    if share.test:
        shaky = exposed(game, here, direct=False)
        yield from owe_tests(game, victim, 1, shaky, why, "5.6.1", battle, hexes, closed=True)


for _name in ("ranged-fire", "air-attack"):
    rules.outcome(_name)(land)


def bridge_falls(game: Game, sheet: dict[str, Any], result: str) -> Events:
    """The object chart says D: the bridge is down."""
    name = str(sheet.get("facts", {}).get("bridge", ""))
    if result == "D" and name:
        yield e.Marked(name, "bridge", "down", reason="destroyed", rule="14.1.1")


rules.outcome("object-attack")(bridge_falls)
