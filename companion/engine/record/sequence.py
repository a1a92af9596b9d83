"""Turns, phases, and when each is played."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from companion.engine.kit.load import Phase
    from companion.engine.record.game import Game


class Turns:
    """A set of turns written as the rulebooks do: '1', '3+', '7-13', '1-2,5'. Empty means all."""

    def __init__(self, text: str = "") -> None:
        self.text = text.strip()
        self.spans: list[tuple[int, float]] = []
        for part in filter(None, (p.strip() for p in self.text.split(","))):
            found = re.fullmatch(r"(\d+)(\+|-(\d+))?", part)
            if not found:
                raise ValueError(f"turns {text!r} cannot be read: write 1, 3+, 7-13 or 1-2,5")
            low = int(found[1])
            high = float("inf") if found[2] == "+" else int(found[3] or low)
            if high < low:
                raise ValueError(f"turns {text!r}: {part} runs backwards")
            self.spans.append((low, high))

    def __contains__(self, turn: int) -> bool:
        return not self.spans or any(low <= turn <= high for low, high in self.spans)


def holds(when: str, values: Mapping[str, Any]) -> bool:
    """Whether a condition such as 'weather=mud, !released' holds; `a=b|c` accepts either."""
    for part in filter(None, (p.strip() for p in when.split(","))):
        wanted = not part.startswith("!")
        name, equals, value = part.lstrip("!").partition("=")
        have = values.get(name.strip())
        accepted = {v.strip().lower() for v in value.split("|")}
        met = str(have).lower() in accepted if equals else bool(have)
        if met != wanted:
            return False
    return True


def condition_names(when: str) -> list[str]:
    """The values that a condition looks at."""
    return [p.strip().lstrip("!").partition("=")[0].strip() for p in when.split(",") if p.strip()]


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
