"""What the positions on record tell about a combat; anything may still be entered by hand instead."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from companion.engine.kit.roster import Unit
from companion.engine.positions.situation import board
from companion.engine.record.game import Game

from .base import SOVIET, armour, in_order, mechanised, strength
from .fight import Fight
from .support import east_of_artillery_line, in_support

RIVERS = frozenset({"donets", "dniepr"})


def halved(units: Iterable[Unit], affected: Iterable[str]) -> int:
    """Affected units are totalled, halved and rounded down once [9.4]."""
    chosen = set(affected)
    full = sum(strength(u) or 0 for u in units if u.id not in chosen)
    return full + sum(strength(u) or 0 for u in units if u.id in chosen) // 2


def terrain(game: Game, hex_id: str) -> str:
    book = board(game).book
    for kind in ("city", "town"):
        if hex_id in book.places(kind):
            return kind
    return book.terrain(hex_id)


def knows_rivers(game: Game) -> bool:
    """Whether the owner entered any river, so that a hexside without one means something."""
    return any(f.value in RIVERS for f in board(game).book.of_kind("side"))


def river_between(game: Game, a: str, b: str) -> frozenset[str]:
    """The rivers on a hexside; a bridge takes them away when the table reads it so."""
    if game.maps.distance(a, b) != 1:
        return frozenset()
    features = board(game).book.features(game.maps.hexside(a, b))
    if "bridge" in features and not game["bridged-attack"]:
        return frozenset()
    return features & RIVERS


def status_of(game: Game, units: list[Unit]) -> str:
    """What is true of all defenders: dispersed, out of supply, isolated, or some mix [9.3, 10.21, 10.22]."""
    supply = {game.mark(u.id, "supply") for u in units}
    dispersed = [bool(game.mark(u.id, "dispersed")) for u in units]
    if not units:
        return "good"
    if supply == {"isolated"}:
        return "isolated"
    if supply == {"oos"}:
        return "dispersed-oos" if all(dispersed) else "oos"
    if supply == {"oos", "isolated"}:
        return "mixed"
    if all(dispersed):
        return "dispersed"
    return "good" if any(in_order(game, u) for u in units) else "poor"


def adjacent_help(game: Game, hex_id: str, defender: str) -> bool:
    """A supplied, undispersed friend next door that was not attacked yet; Soviets need support [9.4, 10.42]."""
    if defender == SOVIET and in_support(game, hex_id) is False:
        return False
    for place in game.maps.neighbours(hex_id):
        if defender == SOVIET and in_support(game, place) is False:
            continue
        for unit in game.units_at(place):
            if unit.side == defender and in_order(game, unit) and not game.mark(unit.id, "struck"):
                return True
    return False


def from_record(game: Game, attacker: str, target: str, attackers: list[Unit]) -> Fight:
    """The combat as the positions show it."""
    fight = Fight(attacker=attacker, target=target, units=[u.id for u in attackers])
    defenders = [
        u for u in game.units_at(target) if u.side == fight.defender and not game.mark(u.id, "fell-back")
    ]
    places = sorted({u.place for u in attackers})
    ground = terrain(game, target)
    over_dniepr = [u.id for u in attackers if "dniepr" in river_between(game, u.place, target)]
    in_marsh = [u.id for u in attackers if mechanised(u) and "marsh" in (ground, terrain(game, u.place))]
    stuck = [u.id for u in defenders if mechanised(u) and ground == "marsh"]
    return replace(
        fight,
        defenders=[u.id for u in defenders],
        small=sum(u.steps < 3 for u in attackers),
        large=sum(u.steps >= 3 for u in attackers),
        steps=sum(u.steps for u in defenders),
        attack=halved(attackers, [*over_dniepr, *in_marsh]),
        defence=halved(defenders, stuck),
        hexes=len(places),
        apart=len(places) == 2 and game.maps.distance(*places) > 1,
        terrain=ground or "clear",
        status=status_of(game, defenders),
        adjacent=adjacent_help(game, target, fight.defender),
        ip=bool(game.mark(target, "ip")),
        river=bool(attackers) and all(river_between(game, u.place, target) for u in attackers),
        attacker_armour=any(armour(u, game) for u in attackers),
        defender_armour=any(armour(u, game) for u in defenders),
        supported=supported(game, attacker, target, places),
        attacker_tactics_open=_may_have_tactics(game, attackers),
        defender_tactics_open=_may_have_tactics(game, defenders),
    )


def _may_have_tactics(game: Game, units: list[Unit]) -> bool:
    """Whether one of them is supplied and in order, as far as they are on record [9.2]."""
    return not units or any(in_order(game, u) for u in units)


def supported(game: Game, attacker: str, target: str, places: Iterable[str]) -> bool:
    """A Soviet attack fails it only when all its hexes and the target lie outside; a defence, its own hex [10.42]."""
    from_where = list(places)
    if attacker == SOVIET and not from_where:
        return True  # nobody told where the attackers stand
    hexes = [*from_where, target] if attacker == SOVIET else [target]
    return any(in_support(game, h) is not False for h in hexes)


def barrage(game: Game, target: str) -> bool:
    """Whether the target lies in the barrage zone, as far as the map book tells [9.24]."""
    return bool(target) and bool(east_of_artillery_line(game, target))
