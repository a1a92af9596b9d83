"""Turns, phases, and when each is played."""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.engine.kit.when import Turns, holds

if TYPE_CHECKING:
    from companion.engine.kit.blocks import Phase
    from companion.engine.record.game import Game


def order(game: Game) -> list[Phase]:
    """All phases of the current turn in the order they are played, skipped ones included."""
    by_id = {p.id: p for p in game.kit.phases}
    for variant in game.kit.variants:
        if holds(variant.when, game.values):
            return [by_id[name] for name in variant.phases]
    return list(game.kit.phases)


def skip_reason(game: Game, phase: Phase, turn: int | None = None) -> str:
    """Why a phase is not played on a turn, or an empty string when it is."""
    number = game.turn if turn is None else turn
    turns = str(game.scenario.phase_turns.get(phase.id, phase.turns))
    if number not in Turns(turns):
        return phase.skip or f"only on turn {turns}"
    if not holds(phase.when, game.values):
        return phase.skip or "not now"
    return ""


def following(game: Game) -> tuple[int, str, tuple[str, ...]] | None:
    """The next turn and phase and what is skipped on the way; None when the game is over."""
    phases = order(game)
    names = [p.id for p in phases]
    turn = game.turn
    start = names.index(game.phase) + 1 if game.phase in names else 0
    skipped: list[str] = []
    while turn <= game.last:
        for phase in phases[start:]:
            if not skip_reason(game, phase, turn):
                return turn, phase.id, tuple(skipped)
            skipped.append(phase.id)
        turn, start = turn + 1, 0
        skipped = []
    return None


def first(game: Game) -> tuple[int, str]:
    """The turn and phase a scenario begins with."""
    turn = game.scenario.first
    if game.scenario.first_phase:
        return turn, game.scenario.first_phase
    for phase in order(game):
        if not skip_reason(game, phase, turn):
            return turn, phase.id
    raise ValueError(f"scenario {game.scenario.id} plays no phase on turn {turn}")
