"""Who fought in which combat of the phase, so that losses fall on the right units [12.63]."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

from companion.engine.kit.roster import Unit
from companion.engine.play.fields import Choice, Whole
from companion.engine.record import events as e
from companion.engine.record.changes import BY_SEQUENCE
from companion.engine.record.game import Game
from companion.systems.kharkov_battles.base import count_done, tick
from companion.systems.kharkov_battles.units import is_mech, is_tiger

ROLE = Annotated[str, Choice(label="Force", options=(("A", "attacker"), ("D", "defender")), hidden=True)]
COMBAT = Annotated[int, Whole(label="Combat number", high=99, hidden=True)]
"""How a follow-up names the force it is about: its part, and the combat's number in this phase."""
MARK = "combat"
"""Its value: the combat's number in this phase and A (attacked), D (defended), or a, d (stood beside them)."""


def next_number(game: Game) -> int:
    """Combats are numbered afresh in every phase."""
    return 1 + count_done(game, f"{game.phase}/combat")


def enlist(game: Game, attackers: Iterable[Unit], defenders: Iterable[Unit]) -> Iterator[e.Event]:
    """Number a combat and note who is in it; units of an attacker's hex that attack nobody share its fate [12.23]."""
    number = next_number(game)
    yield tick(game, f"{game.phase}/combat/{number}")
    fighting = list(attackers)
    names = {u.id for u in fighting}
    beside = [
        u for place in {a.place for a in fighting} for u in game.units_at(place)
        if u.side == game.active and u.id not in names and game.mark(u.id, "pa") is None and not game.mark(u.id, MARK)
    ]  # fmt: skip
    held = list(defenders)
    named = [u for u in held if game.mark(u.id, "fights")]
    idle = [u for u in held if u not in named] if named else []
    for letter, units in (("A", fighting), ("D", named or held), ("a", beside), ("d", idle)):
        for unit in units:
            yield e.Marked(unit.id, MARK, f"{number}{letter}", reason=BY_SEQUENCE, rule="12.63")


def force(game: Game, number: int, role: str) -> list[Unit]:
    """The units that share a combat's result and are still on the map."""
    wanted = {f"{number}{role}", f"{number}{role.lower()}"}
    return [game.units[n] for n, v in game.marked(MARK).items() if v in wanted and game.units[n].on_map]


def first_to_lose(game: Game, number: int, role: str) -> list[Unit]:
    """The first step comes from a participant: a Tiger, else an attacker's mechanized unit [12.63, 15.3]."""
    here = [u for u in force(game, number, role) if game.mark(u.id, MARK) in (f"{number}A", f"{number}D")]
    tigers = [u for u in here if is_tiger(u)]
    mech = [u for u in here if is_mech(u)]
    return tigers or (mech if role == "A" else []) or here


def has_attacked(game: Game, unit: Unit) -> bool:
    """Once per combat phase [12.0]."""
    return str(game.mark(unit.id, MARK) or "").endswith("A")
