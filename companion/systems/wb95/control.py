"""Hex control at the end of a supply phase [4.3], and what it means for the cities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, HexId
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import on_map
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.wb95.base import GERMAN, SOVIET, SUPPLY, in_1942, level, occupants, rules
from companion.systems.wb95.cities import hexes_of, victory_hexes, worth_watching
from companion.systems.wb95.oos import fed
from companion.systems.wb95.zones import has_zone, zones

CITIES = ("kharkov", "bielgorod", "izjum")


def owner(game: Game, hex_id: str) -> str:
    """Who is known to control a hex: german, soviet, nobody, or empty when it was never said."""
    return str(game.mark(hex_id, "owner") or "")


def _extend(game: Game) -> Events:
    """The side whose supply phase ends takes hold of what it reaches [4.3.2, 4.3.3]."""
    side = game.active
    enemy = game.other(side)
    standing = occupants(game)
    # Who still has to roll for surrender provides no control: he may be gone [4.3.4].
    doomed = {n for duty in game.duties(action="surrender-tests") for n in duty.units}
    sure = {u.place for u in on_map(game, side) if u.id not in doomed}
    if standing:
        supplied = zones(game, side, lambda g, u: has_zone(g, u) and fed(g, u))
        mine, theirs = zones(game, side), zones(game, enemy)
        for hex_id in worth_watching(game):
            before, now = owner(game, hex_id), None
            if standing.get(hex_id) == side:
                now = side if hex_id in sure else None
            elif hex_id not in standing:
                now = _empty(game, hex_id, side, hex_id in supplied, hex_id in mine, theirs.get(hex_id, []))
            if now and now != before:
                yield e.Marked(hex_id, "owner", now, reason="end of the supply phase", rule="4.3")
    yield from read_cities(game)


def _empty(game: Game, hex_id: str, side: str, supplied: bool, mine: bool, foes: list[Unit]) -> str | None:
    """An empty hex: taken by supplied zones alone, nobody's where both reach [4.3.3, 4.3.6]."""
    if supplied and not foes:
        return side
    if mine and foes:
        return "nobody" if game["contested"] == "nobody" else None
    if foes and all(level(game, u.id) for u in foes) and owner(game, hex_id) == side and game["oos-strips"]:
        return "nobody"
    return None


for _phase in SUPPLY:
    rules.leaving(_phase)(_extend)


def city_holder(game: Game, name: str) -> str:
    """Who holds a city, from the control of its hexes; empty when they are not all known."""
    hexes = hexes_of(game, name)
    owners = [owner(game, h) for h in hexes]
    if not hexes or not all(owners):
        return ""
    for side in game.sides:
        count = owners.count(side)
        if count == len(hexes) or (game["city-taken"] == "most" and 2 * count > len(hexes)):
            return side
    return "contested"


def read_cities(game: Game) -> Events:
    """Turn the dials of the cities whose hexes the map book knows."""
    for name in CITIES:
        holder = city_holder(game, name)
        if holder and game[name] not in (holder, "open"):
            yield e.Set(name, holder, was=game[name], reason="control of its hexes", rule="4.3")
    taken = sum(1 for h in hexes_of(game, "kharkov") if owner(game, h) == SOVIET)
    if in_1942(game) and hexes_of(game, "kharkov") and taken != game["kharkov-captured"]:
        yield e.Set("kharkov-captured", taken, was=game["kharkov-captured"], reason="control of its hexes")


OWNERS = ((GERMAN, "German"), (SOVIET, "Soviet"), ("nobody", "nobody"))


@rules.action(rule="4.3", label="Set control of hexes", group="book-keeping", order=60)
def set_control(
    game: Game,
    hexes: Annotated[tuple[str, ...], HexId(label="Hexes", many=True)],
    by: Annotated[str, Choice(label="Controlled by", options=OWNERS)],
) -> Events:
    """Say who controls hexes: those behind the printed front line at the start, or a correction."""
    for hex_id in hexes:
        yield e.Marked(hex_id, "owner", by, reason="by hand", rule="4.3.1")
    yield from read_cities(game)


def _nearer(side: str) -> Callable[[Context], list[str]]:
    def guess(ctx: Context) -> list[str]:
        game = ctx.game
        return [h for h in victory_hexes(game) if not owner(game, h) and nearest_side(game, h) == side]

    return guess


def nearest_side(game: Game, hex_id: str) -> str:
    """The side whose unit stands nearest, for a suggestion only; empty on a tie."""
    best = {
        s: min((game.maps.distance(u.place, hex_id) for u in on_map(game, s)), default=999)
        for s in game.sides
    }
    near = sorted(game.sides, key=lambda s: best[s])
    return "" if best[near[0]] == best[near[1]] else near[0]


def _countable(ctx: Context) -> list[tuple[str, str]]:
    """Victory hexes with their names, as far as the map book has them."""
    names = board(ctx.game).book.places()
    return [(h, f"{h} {names[h]}" if names.get(h) else h) for h in sorted(victory_hexes(ctx.game))]


def _unsaid(game: Game) -> bool | str:
    return any(not owner(game, h) for h in victory_hexes(game)) or "control of every victory hex is on record"


@rules.action(rule="4.3.1", label="Say who holds the victory hexes", group="setup", order=90, when=_unsaid)
def start_control(
    game: Game,
    german: Annotated[
        tuple[str, ...], Choice(label="German", options=_countable, many=True, start=_nearer(GERMAN))
    ] = (),
    soviet: Annotated[
        tuple[str, ...], Choice(label="Soviet", options=_countable, many=True, start=_nearer(SOVIET))
    ] = (),
) -> Events:
    """The front line is printed on the map: confirm or correct what the nearest units suggest."""
    twice = sorted({*german} & {*soviet})
    if twice:
        raise Unreadable(
            f"{', '.join(twice)}: held by one side only", field="soviet", given=twice[0], rule="4.3.1"
        )
    for side, hexes in ((GERMAN, german), (SOVIET, soviet)):
        for hex_id in hexes:
            yield e.Marked(hex_id, "owner", side, reason=IN_PASSING, rule="4.3.1")
        if hexes:
            yield e.Noted(f"{game.side_name(side)} holds {', '.join(hexes)}", rule="4.3.1")
    yield from read_cities(game)
