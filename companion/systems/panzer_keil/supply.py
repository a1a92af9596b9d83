"""Supply and command: what each side's path may cross [6.1, B6, B8]."""

from __future__ import annotations

from collections.abc import Mapping

from companion.engine.hexes.trace import Ban, Policy, Situation, SupplyLine, Trace, trace
from companion.engine.kit.roster import Unit
from companion.engine.positions.pieces import on_map
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import (
    FRONTS,
    GERMAN,
    GERMAN_ROOTS,
    SOVIET,
    SOVIET_ROOT,
    disrupted,
    don_bound,
    is_hq,
    is_sixth,
    out_of_supply,
    rules,
)
from companion.systems.panzer_keil.ground import RAIL, SEA, WATER, has_rails, situation, supply_zones
from companion.systems.panzer_keil.railroad import working_line

GERMAN_REACH, COMMAND_RANGE = 15, 10  # [B6.2.1, B8.1.1]


def _blocked(game: Game, side: str, now: Situation) -> dict[str, str]:
    """Hexes no path enters: water, and by one reading hexes with only disrupted friends [6.1.4]."""
    ids = now.board.grid.ids
    found = {ids[i]: "sea or lake [6.1.4]" for i, word in now.board.terrain.items() if word in WATER}
    if game["disrupted-path"] == "literal":
        for i, units in now.occupied.get(side, {}).items():
            if not any(u.cancels for u in units):
                found[ids[i]] = "only disrupted friends [6.1.4]"
    return found


def _policy(game: Game, side: str, limit: int | None, strict: bool = True) -> Policy:
    """A path of supply (`strict`) or of command.

    An enemy zone lets a path end but not go on, so that the traced unit's own hex is exempt.
    """
    return Policy(
        side=side,
        zone=supply_zones(game),
        ezoc="last",
        friends_cancel=True,  # [6.1.3, B8.1.4]
        bans=(Ban(frozenset({SEA}), "sea or lake [6.1.4, B8.1.5]"),),
        blocks=lambda now: _blocked(game, side, now) if strict else _blocked(game, "", now),
        limit=limit,
        source_in_ezoc=False,  # [6.1.2]
        source_if_held=True,  # last passage matters for occupation, not for supply
    )


def german_supply(game: Game) -> Trace:
    """From the rails linked to the western roots, fifteen hexes on [B6.1, B6.2.1]."""
    now = situation(game)
    rails = Policy(
        side=GERMAN,
        zone=supply_zones(game),
        ezoc="last",
        friends_cancel=bool(game["rail-friends"]),
        along=RAIL,
        source_in_ezoc=False,
        source_if_held=True,
    )
    line = trace(now, rails, GERMAN_ROOTS)
    return Trace(now, _policy(game, GERMAN, GERMAN_REACH), line.reached(), parent=line)


def soviet_source(game: Game) -> Trace:
    """From the working railroad at any length: headquarters, and cities when scored [B8.2.2, B15.1]."""
    now = situation(game)
    return trace(now, _policy(game, SOVIET, None), working_line(game, now))


def hq_of(game: Game, front: str) -> Unit | None:
    """The headquarters of a Front, if it is on the map."""
    unit = game.units.get(f"{front}-hq")
    return unit if unit is not None and unit.on_map else None


def working_hqs(game: Game, source: Trace | None = None) -> dict[str, Unit]:
    """The headquarters that command now: undisrupted [B8.4], in supply unless a reading lets them off."""
    found = {}
    for front in FRONTS:
        hq = hq_of(game, front)
        if hq is None or disrupted(game, hq.id):
            continue
        supplied = source.supplied(hq.place) if source else not out_of_supply(game, hq.id)
        if supplied or game["cut-off-hq"] == "commands":
            found[front] = hq
    return found


def command(game: Game, fronts: Mapping[str, Unit], source: Trace | None = None) -> Trace:
    """Ten hexes around these headquarters, traced [B8.1.1, B8.1.2, B8.1.4, B8.1.5]."""
    friends_any = game["command-friends"] == "any"
    now = situation(game, any_friend=friends_any)
    policy = _policy(game, SOVIET, COMMAND_RANGE, strict=False)
    return Trace(now, policy, [hq.place for hq in fronts.values()], parent=source)


def in_command(game: Game, front: str) -> set[str]:
    """The Soviet units that a headquarters commands or could command now [B8.1.3, B13.2.1]."""
    hqs = working_hqs(game)
    if front not in hqs:
        return set()
    found = command(game, {front: hqs[front]})
    units = on_map(game, SOVIET)
    return {u.id for u in units if found.supplied(u.place) and (front == "don" or not don_bound(game, u))}


def in_grace(game: Game, unit: Unit) -> bool:
    """Automatic supply of Soviet reinforcements [B14.3]."""
    return int(game.mark(unit.id, "grace") or 0) >= game.turn


def _soviet(game: Game) -> dict[str, SupplyLine]:
    """Headquarters by the source, every other unit by a headquarters that may command it [B6.2.2, B8.2.1]."""
    source = soviet_source(game)
    hqs = working_hqs(game, source)
    everyone = command(game, hqs, source)
    don = command(game, {f: hq for f, hq in hqs.items() if f == "don"}, source)
    blank = everyone.situation.board.blank
    found = {}
    for unit in on_map(game, SOVIET):
        by = source if is_hq(unit) else don if don_bound(game, unit) else everyone
        free = in_grace(game, unit)
        found[unit.id] = SupplyLine(
            unit.id, unit.place, free or by.supplied(unit.place), blank, None if free else by
        )
    return found


def root_known(game: Game, side: str) -> bool:
    """Whether paths can be traced: a railroad out of a German root is entered; the Soviets' begins at the marker, too.

    [6.1.1, B6.1, B9.3]
    """
    if side == SOVIET:
        return has_rails(game)
    here = situation(game).board
    roots = {here.grid.index[h] for h in GERMAN_ROOTS}
    return any(RAIL & links and roots & set(pair) for pair, links in here.links.items())


@rules.supplies
def supply(game: Game, side: str) -> Mapping[str, SupplyLine]:
    """Supply of a side's units on the map; while paths cannot be traced, only of those that need none."""
    answers = _soviet(game) if side == SOVIET else _german(game)
    if root_known(game, side):
        return answers
    return {name: answer for name, answer in answers.items() if answer.found is None}


def _german(game: Game) -> dict[str, SupplyLine]:
    found = german_supply(game).answers()
    blank = situation(game).board.blank
    always = [n for n in found if is_sixth(game.units[n])]  # [B13.1.1]
    return {**found, **{n: SupplyLine(n, found[n].hex, True, blank) for n in always}}


def front_distance(game: Game, front: str) -> int | None:
    """How far a headquarters is from the source; None without a path or off the map [B8.2.3]."""
    hq = hq_of(game, front)
    if hq is None or disrupted(game, hq.id):
        return None
    source = soviet_source(game)
    if not source.supplied(hq.place):
        return None
    how = game["front-distance"]
    if how == "root":
        return game.maps.distance(SOVIET_ROOT, hq.place)
    if how == "straight":
        return min(game.maps.distance(h, hq.place) for h in working_line(game))
    return len(source.path(hq.place)) - 1
