"""The way back: what the last actions changed, as it was before, so that taking one back folds nothing anew.

`Game.apply` tells before each event which parts of the state it changes. Only what it changes is kept, of few actions: a
unit, a value, a pile. Whatever was done before, or was much, is folded from the record as ever.
"""

from __future__ import annotations

from copy import copy
from typing import Any

from companion.engine.once import NOT_THERE, within
from companion.engine.pile import Pile

STEPS = 5
"""Actions, with the one that takes another back; most who do that take back the last."""
MUCH = 60
"""Things that one action changes: a set-up of hundreds of units is folded again rather than remembered."""
NAMED_BY = {"units": "unit", "marks": "target", "values": "name", "piles": "pile"}
"""Large parts of the state of which an event changes one thing, and the event's field that names it."""
REPLACED = frozenset({"values", "last_roll", "last_result"})
"""Parts of which nothing is changed in its place."""
NO_STATE = frozenset({"revision", "seated", "hindsight"})

Step = tuple[int, dict[tuple[str, str], Any]]
"""A line of the record, and what was changed since then with what it was there; a part as a whole has no name."""


class WayBack:
    """The way back from where one game stands."""

    def __init__(self) -> None:
        self._steps: list[Step] = []

    def begin(self, line: int) -> None:
        """From here on something new happens, which leads back to this line of the record."""
        if self._steps and not self._steps[-1][1]:
            self._steps.pop()  # nothing came of it
        self._steps = [*self._steps[1 - STEPS :], (line, {})]

    def note(self, game: Any, event: Any, touched: set[str]) -> None:
        """An event is about to change these parts of the state."""
        if not self._steps:
            return
        was = self._steps[-1][1]
        for part in touched - NO_STATE:
            if "=" in part:
                continue  # within another part, of which the thing is kept that the event names
            name = getattr(event, NAMED_BY[part]) if part in NAMED_BY else ""
            if (part, name) not in was:
                held = getattr(game, part)
                held = held.get(name, NOT_THERE) if name else held
                was[part, name] = held if part in REPLACED or held is NOT_THERE else _kept(held)
        if len(was) > MUCH:
            self._steps.clear()

    def leads_to(self, line: int) -> bool:
        """Whether the state after this line can be had without folding."""
        return any(step[0] == line for step in self._steps)

    def go(self, game: Any, line: int) -> None:
        """Put back everything that was changed since a line; whoever goes on from there begins anew."""
        changed, here = set(NO_STATE), -1
        while here != line:
            here, was = self._steps.pop()
            for (part, name), held in was.items():
                parts = vars(game)
                now = parts[part].get(name, NOT_THERE) if name else parts[part]
                if now == held:
                    continue  # what looks at it need not look again
                changed |= {part, *within(part, name, held, now)}
                if not name:
                    parts[part] = held
                elif held is NOT_THERE:
                    del parts[part][name]
                else:
                    parts[part][name] = held
        game.revision = line
        game.worked.changed(changed)


def _kept(held: Any) -> Any:
    """A part of the state, or a thing in it, as it stays when the game goes on."""
    if isinstance(held, dict):
        return {key: dict(one) if isinstance(one, dict) else one for key, one in held.items()}
    return Pile(held.zones) if isinstance(held, Pile) else copy(held)
