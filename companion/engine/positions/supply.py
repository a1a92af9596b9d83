"""Who is in supply: a side's lines compared with the marks on the table, and the marks put right on demand.

Lines are traced with all units on the board, because everybody sees where counters stand. What is told of the
enemy is only where: hexes, never names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import NotNow, NotYours, Unreadable
from companion.engine.forms.fields import Context, SideRef, Text
from companion.engine.hexes.board import ZoneRule, zone_indices
from companion.engine.hexes.trace import SupplyLine
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.rules import Rules
from companion.engine.record.changes import put_mark
from companion.engine.record.game import Game
from companion.engine.seat.view import shown_id


@dataclass(frozen=True)
class Row:
    """One unit's line of supply beside the mark it has."""

    unit: Unit
    answer: SupplyLine
    marked: Any
    where: str
    """What carries the mark, or would: the unit, or its whole hex."""

    @property
    def differs(self) -> bool:
        """Whether the table's mark says something else than the trace."""
        return self.answer.supplied == bool(self.marked)


def marker_of(rules: Rules, game: Game) -> tuple[str, Any]:
    """The marker that says out of supply, and its value: 'oos', or 'supply=oos'; a marker with such a value."""
    name, _, value = rules.supply_marker.partition("=")
    known = {m.id: m for m in game.kit.markers}
    if name not in known:
        name, value = next(((m.id, name) for m in game.kit.markers if name in m.values), (name, value))
    counted = name in known and "#" in known[name].values
    return name, value or (1 if counted else True)


def may_trace(game: Game, seat: str, side: str) -> bool:
    """Whether a seat may ask for a side's lines: its own; the table's screen, both."""
    return side in game.sides and seat in {"table", side}


def lines(rules: Rules, game: Game, side: str) -> list[Row]:
    """Every unit of a side on the map with its answer; empty where the game traces nothing."""
    if rules.supply is None:
        return []
    name, _ = marker_of(rules, game)
    answers = rules.supply(game, side)
    found = []
    for unit_id, answer in answers.items():
        unit = game.units[unit_id]
        where = (
            unit.place
            if game.mark(unit_id, name) is None and game.mark(unit.place, name) is not None
            else unit_id
        )
        found.append(Row(unit, answer, game.mark(where, name), where))
    return sorted(found, key=lambda row: (row.unit.place, -row.unit.order))


def shown_ids(game: Game, seat: str) -> dict[str, str]:
    """What a seat calls each unit: its id, or a stand-in for one it may not know; mapped to the real one."""
    return {shown_id(game, unit, seat): unit.id for unit in game.units.values()}


def line_at(rules: Rules, game: Game, seat: str, hex_id: str) -> tuple[str, SupplyLine] | None:
    """The line of the stack in a hex, as far as the seat may ask: (side, the top unit's answer)."""
    for unit in game.units_at(hex_id):
        if rules.supply is not None and may_trace(game, seat, unit.side):
            answer = rules.supply(game, unit.side).get(unit.id)
            if answer is not None:
                return unit.side, answer
    return None


def zones_of_control(rules: Rules, game: Game) -> dict[str, list[str]]:
    """Each side's zones as its enemy's paths meet them; plain neighbours where the game traces nothing."""
    from companion.engine.positions.situation import situation

    plain = situation(game)
    found: dict[str, list[str]] = {}
    for side in game.sides:
        now, rule = plain, ZoneRule()
        answers = rules.supply(game, game.other(side)) if rules.supply else {}
        traced = next((a.found for a in answers.values() if a.found), None)
        if traced is not None:
            now, rule = traced.situation, traced.policy.zone
        indices = zone_indices(now.board, now.occupied.get(side, {}), rule)
        found[side] = [now.board.grid.ids[i] for i in sorted(indices)]
    return found


def _start(ctx: Context) -> str:
    return ctx.seat if ctx.seat in ctx.game.sides else ""


def bind_supply(rules: Rules) -> None:
    """Give a game the action that turns a supply check into marks."""

    @rules.action(by="any", label="Apply the supply check", group="hidden")
    def apply_supply(
        game: Game,
        side: Annotated[str, SideRef(label="Side", start=_start)],
        out: Annotated[
            str, Text(label="Mark as out of supply", most=20_000, long=True, help="a unit a line")
        ] = "",
        back: Annotated[
            str, Text(label="Take the mark off", most=20_000, long=True, help="a unit a line")
        ] = "",
        seat: str = "",
    ) -> Events:
        """Mark the confirmed units, and no others, as the traced lines say."""
        if rules.supply is None:
            raise NotNow("this game's supply is not traced: mark units by hand")
        if not may_trace(game, seat, side):
            raise NotYours(
                f"{game.side_name(side)} supply is judged on that side's phone or at the table", given=side
            )
        known = shown_ids(game, seat)
        rows = {row.unit.id: row for row in lines(rules, game, side)}
        marker, value = marker_of(rules, game)
        wanted = [(name, value) for name in out.splitlines()] + [(name, None) for name in back.splitlines()]
        if not wanted:
            raise Unreadable("nothing is ticked: tick the units whose marks are to change", field="out")
        stale = []
        for name, new in wanted:
            row = rows.get(known.get(name, ""))
            if row is None or row.answer.supplied == (new is not None):
                stale.append(name)
            elif game.mark(row.where, marker) != new:
                yield put_mark(game, row.where, marker, new, reason="supply check")
        if stale:
            raise NotNow(
                f"The table has moved on: the trace says otherwise of {', '.join(stale[:6])}. Look again.",
                field="out",
                given=" ".join(stale[:6]),
            )
