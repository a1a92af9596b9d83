"""What the lobby and the hall tell of a table, kept with its row: nothing that anybody keeps secret."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from companion.engine.guard import attempt
from companion.engine.once import once
from companion.engine.people.clocks import awaited
from companion.engine.people.talk import judge
from companion.engine.play.rules import Rules
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems import System
from companion.tables.outcome import outcome

MOVES_ON = (e.Started, e.Advanced, e.Ended, e.Undone)
"""When a score that takes long is worked out again; in between the last one stands."""


def summary(
    system: System, game: Game, at: str, events: Iterable[e.Event], before: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The table as it is after these events.

    :param at: the moment that they are recorded at
    :param before: the summary until then; None for a table that is just opened
    """
    phase, known, rules = game.phase_def(), before or {}, system.rules
    nobody: list[str] = []
    waits = attempt("Whom the table waits for", partial(awaited, rules, game), nobody)
    here = {
        "turn": game.turn,
        "phase": phase.name if phase else "",
        "active": game.active,
        "awaited": waits,
    }
    called = judge(game)
    same_phase = all(known.get(name) == here[name] for name in ("turn", "phase"))
    return {
        "played": before is not None,
        **here,
        "last": None if game.scenario.open_end else game.last,
        "date": game.date(game.turn),
        "since": known.get("since", at) if same_phase and known.get("awaited") == waits else at,
        "phase_since": known.get("phase_since", at) if same_phase else at,
        "ended": game.ended.why if game.ended else "",
        "result": outcome(system, game),
        "judge": called,
        "judge_since": known.get("judge_since", at) if called and known.get("judge") == called else at,
        "score": _score(rules, game, events, known),
    }


def _score(rules: Rules, game: Game, events: Iterable[e.Event], known: Mapping[str, Any]) -> str:
    score = rules.score
    if score is None:
        return ""
    if rules.score_takes_long and "score" in known and not any(isinstance(one, MOVES_ON) for one in events):
        return str(known["score"])
    return attempt("The score", partial(_counted, game, score), "")


@once
def _counted(game: Game, score: Callable[[Game], str]) -> str:
    return score(game)
