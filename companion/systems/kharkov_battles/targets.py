"""The attacks that are designated: who attacks which hexes, and who holds them [12.1, 12.2]."""

from __future__ import annotations

from companion.engine.kit.roster import Unit
from companion.engine.record.game import Game
from companion.systems.kharkov_battles.base import done


def attackers_of(game: Game, target: str) -> list[Unit]:
    """The units designated against a hex."""
    return [
        game.units[name]
        for name, hex_id in game.marked("pa").items()
        if hex_id == target and name in game.units
    ]


def target_hexes(game: Game, target: str) -> list[str]:
    """All hexes of one combat; the first is its name."""
    value = game.mark(target, "target")
    return str(value).split("+") if isinstance(value, str) and value else [target]


def defenders_of(game: Game, target: str) -> list[Unit]:
    """The other side's units in the hexes under attack."""
    return [u for h in target_hexes(game, target) for u in game.units_at(h) if u.side != game.active]


def under_attack(game: Game) -> set[str]:
    """Every hex of the attacks designated and not yet resolved."""
    return {h for target in game.marked("target") for h in target_hexes(game, target)}


def already_attacked(game: Game, hex_id: str) -> bool:
    """A hex is attacked once a phase, as a further hex of an attack too [12.0]."""
    return done(game, f"{game.phase}/attacked/{hex_id}") or hex_id in under_attack(game)


def is_mobile(game: Game, target: str) -> bool:
    """Whether the combat in a hex is a Mobile Assault."""
    return game.mark(target, "ma-target") is not None
