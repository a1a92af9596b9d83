"""Who holds which hex: Kharkov, towns, cities, edge sources, banks of crossings (3.4, 3.5)."""

from __future__ import annotations

from typing import Annotated, Any

from companion.engine import events as e
from companion.engine.actions import Events
from companion.engine.fields import HexId, SideRef
from companion.engine.game import Game
from companion.engine.positions import board
from companion.systems.second_kharkov.base import FIGHT, GERMAN, KHARKOV, MOVE, SOVIET, rules
from companion.systems.second_kharkov.judging import at_start
from companion.systems.second_kharkov.supply import CROSSING


def matters(game: Game, hex_id: str) -> bool:
    """Whether anything in the rules asks who holds this hex."""
    here = board(game)
    if "held hexes" not in here.memo:
        ids = here.grid.ids
        banks = {ids[i] for i, j in here.features if here.features[i, j] & CROSSING}
        edges = {h for name in here.book.names("source") for h in here.book.named("source", name)}
        here.memo["held hexes"] = {*here.book.places(), *edges, *banks, *KHARKOV}
    return hex_id in here.memo["held hexes"]


def holder(game: Game, hex_id: str) -> str:
    """The side that controls a hex as far as is known: whoever entered last, else who began with it."""
    marked = game.mark(hex_id, "owner")
    if marked:
        return str(marked)
    return next((side for side, hexes in at_start(game).items() if hex_id in hexes), "")


def take(game: Game, hex_id: str, side: str, reason: str) -> Events:
    """3.5: a hex changes hands the moment the other side enters it."""
    if matters(game, hex_id) and holder(game, hex_id) != side:
        yield e.Marked(hex_id, "owner", side, reason=reason, rule="3.5")


@rules.watch
def units_take_hexes(game: Game) -> Events:
    """3.5: units on record take the hexes that matter as they enter them."""
    for hex_id, stack in game.stacks().items():
        if matters(game, hex_id) and len({u.side for u in stack}) == 1:
            yield from take(game, hex_id, stack[0].side, "entered")


@rules.action(by="active", phase=(*MOVE.values(), *FIGHT.values()), rule="3.5", label="Take a hex", order=32)
def take_hex(
    game: Game,
    hexes: Annotated[tuple[str, ...], HexId(label="Hexes", many=True)],
    side: Annotated[str, SideRef(label="Now held by", start=lambda c: c.game.active if c.game else "")],
) -> Events:
    """Note who holds a town, city, edge source or bank of a crossing; put or lift its control marker."""
    for hex_id in hexes:
        if holder(game, hex_id) != side:
            yield e.Marked(hex_id, "owner", side, reason="entered", rule="3.5")


@rules.panel
def held_hexes(game: Game, seat: str) -> dict[str, Any] | None:
    """Kharkov, and every hex that has changed hands."""
    fallen = [h for h in KHARKOV if holder(game, h) == SOVIET]
    state = f"Soviet in {', '.join(fallen)}" if fallen else game.side_name(GERMAN)
    rows = [{"label": "Kharkov", "value": state, "rule": "4.2"}]
    names = board(game).book.places()
    for hex_id, side in sorted(game.marked("owner").items()):
        if hex_id not in KHARKOV:
            name = f"{names[hex_id]} {hex_id}" if hex_id in names else hex_id
            rows.append({"label": name, "value": game.side_name(str(side)), "rule": "3.5"})
    return {"title": "Control", "rows": rows, "for": "table"}
