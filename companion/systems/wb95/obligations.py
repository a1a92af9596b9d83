"""Who must attack and who must be attacked, from positions [5.1.3-5.1.5]."""

from __future__ import annotations

from dataclasses import dataclass

from companion.engine.forms.panels import Fact, Panel
from companion.engine.kit.roster import Unit
from companion.engine.once import once
from companion.engine.positions.pieces import on_map
from companion.engine.record.game import Game
from companion.systems.wb95.base import ATTACK, is_regular, is_towed, rules
from companion.systems.wb95.zones import pressing


@dataclass(frozen=True)
class Duty:
    """What is still owed in a combat phase."""

    must_attack: tuple[Unit, ...]
    must_be_attacked: tuple[Unit, ...]


@once
def duties(game: Game, side: str) -> Duty:
    """Units in an enemy zone attack unless fortified; an enemy whose zone holds such a unit is attacked.

    An enemy that touches only fortified units owes nobody anything, or their right not to attack
    would be void; the option `entrenched-trigger` reads the rule to the letter [5.1.4, 7.1.11].
    """
    forts, fought, attacked = map(game.marked, ("fort", "fought", "attacked"))
    attackers: list[Unit] = []
    targets: dict[str, Unit] = {}
    for unit, foes in _pressed(game, side):
        free = bool(forts.get(unit.place))
        if not free and not is_towed(unit) and not fought.get(unit.id):
            attackers.append(unit)
        if not free or game["entrenched-trigger"]:
            targets |= {foe.id: foe for foe in foes}
    # rolled for in this phase, wherever it has fallen back to since; to declare an attack is not enough [5.1.4]
    left = (foe for name, foe in targets.items() if not attacked.get(name) and not attacked.get(foe.place))
    return Duty(tuple(attackers), tuple(left))


@once
def _pressed(game: Game, side: str) -> list[tuple[Unit, list[Unit]]]:
    """A side's regular units in enemy zones, each with those whose zones they are."""
    threat = pressing(game, game.other(side))
    return [(u, threat[u.place]) for u in on_map(game, side) if u.place in threat and is_regular(u)]


@rules.due_in(*ATTACK)
def attacks_due(game: Game) -> list[str]:
    """Mandatory attacks come before the phase ends [5.1.7]; hexes only, what stands in them stays closed."""
    duty = duties(game, game.active)
    found = [f"must attack: {_hexes(duty.must_attack)} (5.1.3)"] if duty.must_attack else []
    foes = [f"must be attacked: {_hexes(duty.must_be_attacked)} (5.1.4)"] if duty.must_be_attacked else []
    return found + foes


def _hexes(units: tuple[Unit, ...]) -> str:
    return ", ".join(sorted({unit.place for unit in units})) or "none"


@rules.panel
def obligations(game: Game, seat: str) -> Panel | None:
    """Hexes only: what stands in them stays closed."""
    rows = _owed(game) if game.phase in ATTACK else []
    return Panel("Attacks that must be made", rows, first=seat in {"table", game.active}) if rows else None


@once
def _owed(game: Game) -> list[Fact]:
    duty = duties(game, game.active)
    if not duty.must_attack and not duty.must_be_attacked:
        return []
    return [
        Fact("Own hexes that must attack", _hexes(duty.must_attack), "5.1.3"),
        Fact("Enemy hexes to be attacked", _hexes(duty.must_be_attacked), "5.1.4"),
    ]
