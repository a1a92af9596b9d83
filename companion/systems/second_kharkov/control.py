"""Who holds which hex: Kharkov, towns, cities, edge sources, banks of crossings [3.4, 3.5]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.forms.fields import HexId, SideRef
from companion.engine.forms.panels import Fact, Panel
from companion.engine.play.actions import Events
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.second_kharkov.base import FIGHT, GERMAN, KHARKOV, MOVE, SOVIET, rules
from companion.systems.second_kharkov.judging import at_start
from companion.systems.second_kharkov.supply import banks


def matters(game: Game, hex_id: str) -> bool:
    """Whether anything in the rules asks who holds this hex."""
    here = board(game)
    if "held hexes" not in here.memo:
        edges = {h for name in here.book.names("source") for h in here.book.named("source", name)}
        here.memo["held hexes"] = {*here.book.places(), *edges, *banks(here), *KHARKOV}
    return hex_id in here.memo["held hexes"]


def holder(game: Game, hex_id: str) -> str:
    """The side that controls a hex as far as is known: whoever entered last, else who began with it."""
    marked = game.mark(hex_id, "owner")
    if marked:
        return str(marked)
    return next((side for side, hexes in at_start(game).items() if hex_id in hexes), "")


def take(game: Game, hex_id: str, side: str, reason: str) -> Events:
    """A hex changes hands the moment the other side enters it [3.5]."""
    if matters(game, hex_id) and holder(game, hex_id) != side:
        yield from _change_hands(game, hex_id, side, reason)


def _change_hands(game: Game, hex_id: str, side: str, reason: str) -> Events:
    words = "; ".join(filter(None, (reason, marker_words(game, hex_id, side))))
    yield e.Marked(hex_id, "owner", side, reason=words, rule="3.4, 3.5")


def marker_words(game: Game, hex_id: str, side: str) -> str:
    """What to do with the cardboard control marker as a hex changes hands [3.4, 9.6]; empty when nothing.

    Germans mark towns and banks of crossings, Soviets cities other than Kharkov; who began with a hex lifts it.
    """
    first = next((s for s, hexes in at_start(game).items() if hex_id in hexes), "")
    marked_before = game.mark(hex_id, "owner") is not None
    if hex_id in KHARKOV or (not first and not marked_before and _setting_up(game)):
        return ""
    here = board(game)
    german = hex_id in here.places["town"] or hex_id in banks(here)
    marking = {SOVIET: hex_id in here.places["city"], GERMAN: german}
    if side != first and marking[side]:
        return f"put a control marker there, {game.side_name(side)} side up"
    return "lift the control marker" if marked_before and marking[game.other(side)] else ""


def _setting_up(game: Game) -> bool:
    """Whether a unit that comes on record may have begun the game there."""
    return game.turn == 1 and game.phase == MOVE[SOVIET]


@rules.watch
def units_take_hexes(game: Game) -> Events:
    """Units on record take the hexes that matter as they enter them [3.5]."""
    for hex_id, stack in game.stacks().items():
        if matters(game, hex_id) and len({u.side for u in stack}) == 1:
            yield from take(game, hex_id, stack[0].side, "entered")


def _who_enters(game: Game) -> str:
    """The side to move; Germans that fall back in the Soviet combat phase enter hexes, too [12.23]."""
    return "any" if game.phase == FIGHT[SOVIET] else game.active


@rules.action(
    by=_who_enters, phase=(*MOVE.values(), *FIGHT.values()), rule="3.5", label="Take a hex", order=32
)
def take_hex(
    game: Game,
    hexes: Annotated[tuple[str, ...], HexId(label="Hexes", many=True)],
    side: Annotated[
        str, SideRef(label="Now held by", start=lambda c: c.seat if c.seat in c.game.sides else c.game.active)
    ],
) -> Events:
    """Note who holds a town, city, edge source or bank of a crossing; put or lift its control marker."""
    for hex_id in hexes:
        if holder(game, hex_id) != side:
            yield from _change_hands(game, hex_id, side, "entered")


@rules.panel
def held_hexes(game: Game) -> Panel | None:
    """Kharkov, and every hex that has changed hands."""
    fallen = [h for h in KHARKOV if holder(game, h) == SOVIET]
    state = f"Soviet in {', '.join(fallen)}" if fallen else game.side_name(GERMAN)
    rows = [Fact("Kharkov", state, "4.2")]
    names = board(game).book.places()
    for hex_id, side in sorted(game.marked("owner").items()):
        if hex_id not in KHARKOV:
            name = f"{names[hex_id]} {hex_id}" if hex_id in names else hex_id
            rows.append(Fact(name, game.side_name(str(side)), "3.5"))
    return Panel("Control", rows)
