"""The actions that take positions: by the line and by the file."""

from __future__ import annotations

from typing import Annotated

from companion.engine.forms.fields import Text
from companion.engine.play.actions import Events
from companion.engine.play.rules import Rules
from companion.engine.positions.line import enter
from companion.engine.positions.sheets import import_units
from companion.engine.record.game import Game

HELP = "3Pz 2408 · 2408 2409 +2 · -3Pz · 3Pz dead · soviet 3 2408 · 3Pz oos"


def bind_entry(rules: Rules) -> None:
    """Give a game the actions that take positions by the line and by the file."""

    @rules.action(by="any", label="Enter positions", group="units", order=-2)
    def enter_positions(
        game: Game,
        text: Annotated[
            str, Text(label="Positions", most=20_000, long=True, placeholder="3Pz 2408", help=HELP)
        ],
        seat: str = "",
    ) -> Events:
        """Move, create, remove and mark units, a line each. A bad line stops them all."""
        yield from enter(game, seat, text)

    @rules.action(by="any", label="Positions from a file", group="units", order=20)
    def import_positions(
        game: Game,
        csv: Annotated[
            str, Text(label="CSV", most=200_000, long=True, placeholder="id,side,name,kind,steps,place")
        ],
        seat: str = "",
    ) -> Events:
        """Put units on record from a spreadsheet with the columns of a roster. A bad row stops them all."""
        yield from import_units(game, seat, csv)
