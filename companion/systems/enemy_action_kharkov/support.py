"""Soviet support: the line in use, forward support markers, and which hexes are inside [10.4]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from companion.engine.forms.fields import Choice, Context, HexId
from companion.engine.play.actions import Events
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import (
    EAST_LINE,
    EAST_ZONE,
    WEST_LINE,
    WEST_ZONE,
    Reason,
    rules,
)

REACH = 5  # [10.43]
MOST = 2  # [10.43]


def line_for(game: Game, turn: int, vp: int) -> str:
    """No line before turn 5, West up to turn 7, then by the VP [10.41]."""
    if turn < 5:
        return "everywhere"
    if turn < 8:
        return "west"
    return "west" if vp >= int(game["support-threshold"]) else "east"


def in_support(game: Game, hex_id: str) -> bool | None:
    """Whether a hex is in Soviet support; None when the map book does not tell [10.42]."""
    line = game["support-line"]
    if line == "everywhere":
        return True
    if any(game.maps.distance(hex_id, marker) <= REACH for marker in game.marked("forward-support")):
        return True
    zone = board(game).book.named("area", WEST_ZONE if line == "west" else EAST_ZONE)
    return hex_id in zone if zone else None


def east_of_artillery_line(game: Game, hex_id: str) -> bool | None:
    zone = board(game).book.named("area", EAST_ZONE)
    return hex_id in zone if zone else None


def _set_line(game: Game, reason: str) -> Events:
    line = line_for(game, game.turn, int(game["vp"]))
    if line != game["support-line"]:
        yield e.Set("support-line", line, was=game["support-line"], reason=reason, rule="10.41")


@rules.entering("turn")
def line_at_start(game: Game) -> Events:
    """Turns 5-7 the West line; later what the VP say now, until the supply phase fixes it [10.41]."""
    if game.turn < 8 or game["mud-line"] == "start":
        yield from _set_line(game, "start of the turn")


def lock_line(game: Game) -> Events:
    """The VP at this moment decide for the whole turn [4-III, 10.41]."""
    if game.turn >= 5:  # before turn 8 it is there already, unless the table began in mid-game
        yield from _set_line(game, "fixed for this turn")


def _against_it(ctx: Context) -> Iterator[Reason]:
    game, hex_id = ctx.game, ctx.values["hex"]
    if len(game.marked("forward-support")) >= MOST:
        yield Reason("two forward support markers are on the map already", "10.43")
    border = board(game).book.named("area", WEST_LINE if game["support-line"] == "west" else EAST_LINE)
    if border and hex_id not in border:
        yield Reason(f"{hex_id} does not border the current support line", "10.43")


@rules.follow_up(rule="10.43", label="Place forward support", warns=_against_it)
def forward_support(game: Game, hex: Annotated[str, HexId(label="Hex on the support line")]) -> Events:
    """Put a forward support marker in a hex that borders the current line; two at most."""
    yield e.Marked(hex, "forward-support", True, rule="10.43")


@rules.follow_up(
    rule="10.44", label="Take it off", still=lambda game, duty: bool(game.marked("forward-support"))
)
def air_interdiction(
    game: Game,
    hex: Annotated[
        str,
        Choice(
            label="Marker",
            options=lambda c: [(h, f"The one in {h}") for h in c.game.marked("forward-support")],
        ),
    ],
) -> Events:
    """Take one forward support marker off the map."""
    yield e.Marked(hex, "forward-support", None, reason="air interdiction", rule="10.44")
