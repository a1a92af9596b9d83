"""What the positions on record tell about a combat; anything may still be entered by hand instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace

from companion.engine.kit.roster import Unit
from companion.engine.once import once
from companion.engine.play.duties import standing
from companion.engine.positions.pieces import on_map
from companion.engine.positions.situation import board
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import (
    SOVIET,
    Reason,
    armour,
    called,
    in_order,
    isolated,
    kind_of,
    mechanised,
    steps_untold,
    strength,
)
from companion.systems.enemy_action_kharkov.fight import Fight, drawn_for
from companion.systems.enemy_action_kharkov.manifest import cup_is_real
from companion.systems.enemy_action_kharkov.support import east_of_artillery_line, in_support

RIVERS = frozenset({"donets", "dniepr"})


def halved(units: Sequence[Unit], affected: Iterable[str]) -> int | None:
    """Affected units are totalled, halved and rounded down once [9.4]; None while one strength is not known."""
    known = {u.id: strength(u) for u in units}
    if not known or None in known.values():
        return None
    pool = sum(known[u] or 0 for u in affected)
    return sum(n or 0 for n in known.values()) - pool + pool // 2


def weighed(game: Game, target: str, attackers: Sequence[Unit]) -> int | None:
    """The attackers' strength: over the Dniepr, and mechanised units into or out of marsh, at half [9.4]."""
    ground = terrain(game, target)
    return halved(
        attackers,
        [
            u.id
            for u in attackers
            if "dniepr" in river_between(game, u.place, target)
            or (mechanised(u) and "marsh" in (ground, terrain(game, u.place)))
        ],
    )


def holding(game: Game, target: str, defenders: Sequence[Unit]) -> int | None:
    """The defenders' strength, mechanised units in marsh at half [9.4]."""
    in_marsh = terrain(game, target) == "marsh"
    return halved(defenders, [u.id for u in defenders if mechanised(u) and in_marsh])


def fight_of(game: Game, battle: Battle) -> Fight:
    """A battle as its chits are judged now; strengths are those of its units, or as typed [9.4]."""
    known = {f.name: battle.facts[f.name] for f in fields(Fight) if f.name in battle.facts}
    for fact, side in (("attacker_armour", battle.attacker), ("defender_armour", battle.defender)):
        known[fact] = bool(known.get(fact)) or any(armour(u, game) for u in standing(game, battle, side))
    return Fight(
        **{
            **known,
            "attacker": battle.attacker,
            "target": battle.hexes[0] if battle.hexes else "",
            "units": battle.units(battle.attacker),
            "defenders": battle.units(battle.defender),
            "attack": _strength(game, battle, "attack"),
            "defence": _strength(game, battle, "defence"),
            "hexes": battle.facts.get("attacked_from", 0),
            "chits": drawn_for(battle),
        }
    )


def _strength(game: Game, battle: Battle, role: str) -> int | None:
    """A side's strength: as typed, else by its units; and what tactics brought in."""
    target = battle.hexes[0] if battle.hexes else ""
    side = battle.attacker if role == "attack" else battle.defender
    units, joined = standing(game, battle, side), battle.facts.get("brought", ())
    typed, more = battle.facts.get("typed", {}).get(role), int(battle.facts.get("points", {}).get(side, 0))
    work = weighed if role == "attack" else holding
    if typed is None:
        found = work(game, target, units)  # those who joined are halved like the others
        return None if found is None else found + more
    came = [u for u in units if u.id in joined]
    found = work(game, target, came) if came else 0
    return None if found is None else int(typed) + found + more


def untold(game: Game, battle: Battle, unit: Unit) -> list[str]:
    """What a combat needs to know of a unit and nobody has told [9.3, 9.4, 9.61, 9.81].

    Its steps and its type, and where the companion judges the chits its strength, unless a total was typed.
    """
    role = "attack" if unit.side == battle.attacker else "defence"
    typed = battle.facts.get("typed", {}).get(role) is not None and unit.id not in battle.facts.get(
        "brought", ()
    )
    missing = {
        "steps": steps_untold(game, unit),
        "strength": strength(unit) is None and not typed and not cup_is_real(game),
        "type": not kind_of(unit),
    }
    return [what for what, open_ in missing.items() if open_]


def unknown_units(game: Game, battle: Battle) -> list[Unit]:
    """Units of a battle that must be looked at before a chit is judged [9.4]."""
    fighting = [u for side in (battle.attacker, battle.defender) for u in standing(game, battle, side)]
    return [u for u in fighting if untold(game, battle, u)]


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


@once
def from_record(game: Game, attacker: str, target: str, names: tuple[str, ...]) -> Fight:
    """The combat of these units as the positions show it."""
    attackers = [game.units[name] for name in names]
    fight = Fight(attacker=attacker, target=target, units=[u.id for u in attackers])
    defenders = [
        u for u in game.units_at(target) if u.side == fight.defender and not game.mark(u.id, "fell-back")
    ]
    places = sorted({u.place for u in attackers})
    return replace(
        fight,
        defenders=[u.id for u in defenders],
        small=sum(u.steps < 3 for u in attackers),
        large=sum(u.steps >= 3 for u in attackers),
        steps=sum(u.steps for u in defenders),
        attack=weighed(game, target, attackers),
        defence=holding(game, target, defenders),
        hexes=len(places),
        apart=len(places) == 2 and game.maps.distance(*places) > 1,
        terrain=terrain(game, target) or "clear",
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


# -- who may join a combat [9.1] --------------------------------------------------------------------------


def outside(game: Game, battle: Battle, side: str) -> list[Unit]:
    """A side's units on the map that are not in the combat."""
    return [u for u in on_map(game, side) if u.id not in battle.units(side)]


def against_joining(game: Game, unit: Unit, *, attacks: bool) -> Iterator[Reason]:
    """What the rulebook has against a unit that a tactic would bring; how far it comes, the aid says [9.1]."""
    if game.mark(unit.id, "dispersed"):
        yield Reason(f"{called(unit)} is dispersed", "9.9")
    if isolated(game, unit) and (attacks or mechanised(unit)):
        yield Reason(f"{called(unit)} is isolated", "10.22")
    if attacks and game.mark(unit.id, "attacked"):
        yield Reason(f"{called(unit)} has attacked in this activation", "9.1")
    if not attacks and game.mark(unit.id, "fell-back"):
        yield Reason(f"{called(unit)} retreated in this activation", "9.74")
    if not attacks and _pinned(game, unit):
        yield Reason(f"{called(unit)} stands beside an active enemy", "9.1")


def _pinned(game: Game, unit: Unit) -> bool:
    """Beside an active enemy, so that it cannot reinforce: the rulebook's list of changes says so, without a number."""
    near = [u for h in game.maps.neighbours(unit.place) for u in game.units_at(h)]
    return any(u.side != unit.side and game.mark(u.id, "active") for u in near)


def joiners(game: Game, battle: Battle, side: str) -> list[Unit]:
    """Those against whom nothing is known."""
    attacks = side == battle.attacker
    return [u for u in outside(game, battle, side) if not any(against_joining(game, u, attacks=attacks))]
