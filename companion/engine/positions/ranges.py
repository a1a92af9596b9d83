"""How far is it, and what lies within: measuring on the printed map, for orders, zones and guns."""

from __future__ import annotations

from typing import Annotated, Any

from companion.engine.forms.fields import Context, HexId, Whole
from companion.engine.forms.worksheet import Breakdown
from companion.engine.play.rules import Rules
from companion.engine.record.game import Game

FAR = 60
"""Beyond this a range covers every map."""


def within(game: Game, hex_id: str, reach: int) -> list[str]:
    """Every hex at most so many steps away, the middle included."""
    return game.maps.grid_of(hex_id).within(game.maps.parse(hex_id), reach)


def _stacks(game: Game, hexes: list[str]) -> dict[str, int]:
    """How many occupied hexes each side has among these; where units stand is plain to see."""
    inside = set(hexes)
    return {
        s: len({u.place for u in game.units.values() if u.side == s and u.place in inside})
        for s in game.sides
    }


def bind_ranges(rules: Rules) -> None:
    """Give a game the worksheets that measure."""

    @rules.worksheet(title="Distance")
    def distance(
        ctx: Context,
        start: Annotated[str, HexId(label="From")],
        end: Annotated[str, HexId(label="To")],
    ) -> Breakdown:
        """How many hexes it is from one to the other, over open ground."""
        game = ctx.game
        steps = game.maps.distance(start, end)
        sheet = Breakdown("Distance")
        sheet.add(f"{start} to {end}", f"{steps}")
        path = game.maps.grid_of(start).line(game.maps.parse(start), game.maps.parse(end))
        sheet.add(
            "by way of " + ", ".join(path[1:-1])
            if steps > 1
            else "next to each other"
            if steps
            else "the same"
        )
        sheet.facts = {"distance": steps, "line": path}
        return sheet

    # Named `range_` so that Python's own range stays itself; players see "range".
    def range_(
        ctx: Context,
        hex: Annotated[str, HexId(label="Around")],
        reach: Annotated[int, Whole(label="Hexes", low=0, high=FAR)] = 1,
    ) -> Breakdown:
        """Which hexes lie within a range: of orders, guns, or an interdiction marker."""
        game = ctx.game
        hexes = within(game, hex, reach)
        sheet = Breakdown("Range")
        sheet.add(f"within {reach} of {hex}", f"{len(hexes)}")
        for side, number in _stacks(game, hexes).items():
            sheet.add(f"hexes with {game.side_name(side)} units", f"{number}")
        facts: dict[str, Any] = {"hexes": hexes}
        sheet.facts = facts
        return sheet

    range_.__name__ = "range"
    rules.worksheet(title="Range")(range_)
