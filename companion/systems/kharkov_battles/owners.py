"""Hex ownership [2.3]: where it stands at the start, and every ground unit that changes it."""

from __future__ import annotations

from typing import Annotated

from companion.engine.forms.fields import Choice, Context, Flag, HexId, SideRef
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books
from companion.systems.kharkov_battles.base import (
    AXIS,
    CAMPAIGN,
    JANUARY,
    SOVIET,
    STAR,
    K,
    L,
    own_side,
    rules,
    scenario,
)

GOALS: dict[str, tuple[str, ...]] = {
    STAR: ("KB3617", "KB3618", "KB1905", "KB1205", "KB1024", "KB3505", "KB3631"),
    K: ("KH1305", "KH3017", "KH3018", "KH2905", "KH2526", "KH1923"),
    L: ("KB3617", "KB3618", "KB4321", "KB3126"),
    JANUARY: ("A3621", "A2110", "B2114", "A2435"),
    CAMPAIGN: ("B2114", "A3621", "B3050", "G3718", "B3303", "A4102", "C2302", "G2832", "K0917"),
}
"""The hexes that decide each scenario."""

NAMES = {
    "KB3617": "Kharkov", "KB3618": "Kharkov", "KB1905": "Dnepropetrovsk", "KB1205": "Zaporozh'ye", "KB1024": "Stalino",
    "KB3505": "Poltava", "KB3631": "Valuki", "KB4321": "Belgorod", "KB3126": "Kupyansk", "KH1305": "Dnepropetrovsk",
    "KH3017": "Kharkov", "KH3018": "Kharkov", "KH2905": "Poltava", "KH2526": "Kupyansk", "KH1923": "Izyum",
    "A3621": "Voronezh", "A2110": "Valuyki", "B2114": "Rostov", "A2435": "Novokhoperskiy", "B3050": "Stalingrad",
    "G3718": "Groznyy", "B3303": "Stalino", "A4102": "Kursk", "C2302": "Tuapse", "G2832": "Makhachkala",
    "K0917": "Novorossiysk",
}  # fmt: skip

ALIASES = {"D1324": "B3303", "D5923": "A4102", "D4621": "A2801", "D0229": "B2209"}
"""The same places on map D [27.3]."""


def one_hex(hex_id: str) -> str:
    """A place under its one name, whatever map it was read from."""
    return ALIASES.get(hex_id, hex_id)


def owner(game: Game, hex_id: str) -> str:
    """Who owns a hex; empty when nobody told the companion."""
    return str(game.mark(one_hex(hex_id), "owner") or "")


def owns(game: Game, side: str, *hexes: str) -> bool:
    """Whether a side is known to own all of these."""
    return all(owner(game, h) == side for h in hexes)


@rules.entering("turn")
def start_ownership(game: Game) -> Events:
    """On the first turn: owners at the start from the owner's list of places, or a request for them."""
    if game.turn != game.scenario.first or game.marked("owner"):
        return
    column = str(game.scenario.extra.get("owner", "owner"))
    known = set()
    for hex_id, row in books.places(game).items():
        side = books.word(row, column)
        if side in game.sides:
            known.add(one_hex(hex_id))
            yield e.Marked(one_hex(hex_id), "owner", side, reason=IN_PASSING, rule="2.3")
    if known:
        yield e.Noted(f"{count(len(known), 'town')} belong to their owners at the start", rule="2.3")
    if [h for h in GOALS[scenario(game)] if h not in known]:
        text = "Which of the deciding towns are behind the Axis start line?"
        yield owe(game, ("table", *game.sides), text, start_line, rule="2.3")


def _undecided(ctx: Context) -> list[tuple[str, str]]:
    """The deciding hexes whose owner nobody has told."""
    game = ctx.game
    return [(h, f"{NAMES[h]} {h}") for h in GOALS[scenario(game)] if not owner(game, h)]


@rules.follow_up(
    rule="2.3", label="Set the start line", still=lambda game, duty: bool(_undecided(Context(game)))
)
def start_line(
    game: Game,
    axis: Annotated[
        tuple[str, ...],
        Choice(label="Axis at the start", options=_undecided, many=True, help="the others are Soviet"),
    ] = (),
) -> Events:
    """Tap what lies on the Axis side of the printed start line; the rest belongs to the Soviets."""
    told: dict[str, list[str]] = {AXIS: [], SOVIET: []}
    for h, words in _undecided(Context(game)):
        side = AXIS if h in axis else SOVIET
        told[side].append(words)
        yield e.Marked(h, "owner", side, reason=IN_PASSING, rule="2.3")
    held = (f"{game.side_name(s)}: {', '.join(towns)}" for s, towns in told.items() if towns)
    yield e.Noted(f"Start line. {'; '.join(held)}", rule="2.3")


@rules.action(by="any", rule="2.3", label="Change the owner of hexes", group="book-keeping")
def own_hexes(
    game: Game,
    side: Annotated[str, SideRef(label="Now owned by", start=own_side)],
    hexes: Annotated[tuple[str, ...], HexId(label="Hexes", many=True)],
) -> Events:
    """A ground unit entered these hexes, or they lay behind its start line."""
    for h in hexes:
        if owner(game, h) != side:
            yield e.Marked(one_hex(h), "owner", side, rule="2.3")


def of_interest(game: Game) -> set[str]:
    """Hexes whose ownership matters: goals, the owner's places, and those noted before."""
    return {*GOALS[scenario(game)], *books.places(game), *game.marked("owner")}


@rules.watch
def watch_owners(game: Game) -> Events:
    """Whoever stands in a hex owns it."""
    wanted = of_interest(game)
    for hex_id, stack in game.stacks().items():
        if one_hex(hex_id) in wanted:
            sides = {u.side for u in stack}
            if len(sides) == 1 and owner(game, hex_id) not in sides:
                yield e.Marked(one_hex(hex_id), "owner", sides.pop(), reason="entered", rule="2.3")


@rules.action(by="any", rule="20.0", label="Cut off a victory hex", group="book-keeping")
def victory_hex(
    game: Game,
    hexes: Annotated[tuple[str, ...], HexId(label="Hexes", many=True)],
    cut: Annotated[bool, Flag(label="No supply line reaches them", start=lambda c: True)] = False,
) -> Events:
    """Say whether a line of supply reaches these hexes, for conditions that need one."""
    for h in hexes:
        yield e.Marked(one_hex(h), "cut", True if cut else None, rule="20.0")
