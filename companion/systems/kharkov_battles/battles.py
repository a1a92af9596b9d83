"""The battles of a phase [12.0-12.2]: their order, who is in them, who has attacked and been attacked."""

from __future__ import annotations

from collections.abc import Iterable

from companion.engine.kit.roster import Unit
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.kharkov_battles.units import brings_shift, is_mech

BEGIN, AIR, ATTACK, DEFENCE, ROLL, CHOICE, LOSSES, BREAKOUT, RETREAT, TOLL, VICTOR, ADVANCE = range(1, 13)
"""The order of a battle: the attacker's air and then the defender's [5.21], the strengths and the die [12.0], the loser
before the victor [12.65], his losses before his retreat [12.62], what the way costs [12.73], and the advance [12.8]."""
PREPARED, MOBILE, OVERRUN = "prepared", "mobile", "overrun"
CALLED_OFF = "called off"
ROLES = {"attack": ATTACK, "defence": DEFENCE}


def kind_of(battle: Battle) -> str:
    return str(battle.facts.get("kind", PREPARED))


def of_phase(game: Game, kind: str = PREPARED, like: Battle | None = None) -> list[Battle]:
    """The battles of this phase, or of another battle's, fought or still to fight; not those called off."""
    when = (like.turn, like.phase) if like else (game.turn, game.phase)
    found = [b for b in game.battles.values() if (b.turn, b.phase) == when and kind_of(b) == kind]
    return [b for b in found if b.result != CALLED_OFF]


def designated(game: Game, hex_id: str) -> Battle | None:
    """The attack of this phase on a hex that is designated and not yet begun."""
    return next((b for b in of_phase(game) if hex_id in b.hexes and not b.facts.get("begun")), None)


def target_of(battle: Battle) -> str:
    """The hex that a battle is named after."""
    return battle.hexes[0] if battle.hexes else ""


def where(battle: Battle) -> str:
    """All its hexes in words, or nothing."""
    return " and ".join(battle.hexes)


def side_of(battle: Battle, letter: str) -> str:
    """The side that a result's letter names [12.6]."""
    return battle.attacker if letter == "A" else battle.defender


def origins(battle: Battle) -> dict[str, str]:
    """Where each attacker stood when it was designated."""
    return dict(battle.facts.get("origins", {}))


def attack_of(game: Game, unit: Unit, like: Battle | None = None) -> Battle | None:
    """The Prepared Assault of the phase that a unit takes part in: one at most, rolled or not [12.0]."""
    return next((b for b in of_phase(game, like=like) if unit.id in b.units(b.attacker)), None)


def attacked(game: Game, hex_id: str) -> bool:
    """A hex is attacked once a phase, as a further hex of an attack too [12.0]."""
    return any(hex_id in b.hexes for b in of_phase(game))


def was_attacked(game: Game, unit: Unit, but: Battle | None = None) -> bool:
    """No unit is attacked twice in a phase, wherever it has gone since [12.0]."""
    others = [b for b in of_phase(game, like=but) if but is None or b.id != but.id]
    return any(unit.id in b.units(b.defender) for b in others)


def stopped(game: Game, unit: Unit) -> bool:
    """Whether a unit's Mobile Assault of this phase failed: it moves no further [11.27]."""
    return any(unit.id in b.units(b.attacker) and b.result.startswith("A") for b in of_phase(game, MOBILE))


def holders(game: Game, battle: Battle) -> list[Unit]:
    """The other side's units in the hexes under attack; not those that have been attacked elsewhere."""
    found = [u for h in battle.hexes for u in game.units_at(h) if u.side == battle.defender]
    return [u for u in found if not was_attacked(game, u, battle)] if kind_of(battle) == PREPARED else found


# -- who shares a result -----------------------------------------------------------------------------------


def fighters(game: Game, battle: Battle, letter: str) -> list[Unit]:
    """Those of a force that took part themselves and are still on the map [12.63]."""
    chosen = battle.facts.get("fights") if letter == "D" else None
    return _there(game, chosen or battle.units(side_of(battle, letter)))


def members(game: Game, battle: Battle, letter: str) -> list[Unit]:
    """All that share a force's result and are still on the map, those who only stood beside it too [12.23, 12.63]."""
    beside = battle.facts.get("beside", ()) if letter == "A" else ()
    return _there(game, (*battle.units(side_of(battle, letter)), *beside))


def _there(game: Game, names: Iterable[str]) -> list[Unit]:
    return [u for n in dict.fromkeys(names) if (u := game.units.get(n)) is not None and u.on_map]


def bystanders(game: Game, battle: Battle) -> list[str]:
    """Units of the attackers' hexes that attack nobody: they share the first result from their hex [12.23]."""
    places = set(origins(battle).values())
    others = [b for b in of_phase(game, like=battle) if b.id != battle.id]
    taken = {n for b in others for n in (*b.units(b.attacker), *b.facts.get("beside", ()))}
    return [
        u.id
        for place in sorted(places)
        for u in game.units_at(place)
        if u.side == battle.attacker and u.id not in battle.units(battle.attacker) and u.id not in taken
    ]


def first_to_lose(game: Game, battle: Battle, letter: str) -> list[Unit]:
    """The first step comes from a participant: a Tiger that shifted, else an attacker's mechanized unit [12.63, 15.3]."""
    here = fighters(game, battle, letter)
    tigers = [u for u in here if brings_shift(game, u)]
    mech = [u for u in here if is_mech(u)]
    return tigers or (mech if letter == "A" else []) or here


def waits_for(game: Game, battle: Battle) -> list[Battle]:
    """Attacks out of the same hex that are still to be rolled: results wait for them [12.23]."""
    places = set(origins(battle).values()) if kind_of(battle) == PREPARED else set()
    unrolled = [b for b in of_phase(game, like=battle) if b.id != battle.id and not b.result and not b.sheet]
    return [b for b in unrolled if places & set(origins(b).values())]
