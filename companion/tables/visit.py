"""A visit: one seat's look at a table, and what it does there, for the time of one request."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from companion.engine.forms.fields import Context
from companion.engine.once import lazy
from companion.engine.play.actions import Action
from companion.engine.play.performing import answered_by
from companion.engine.play.rules import Rules
from companion.engine.record.game import Game
from companion.engine.seat.view import SeatView, view
from companion.store import Standing, TableRow
from companion.systems import System
from companion.tables.clocks import Clocks
from companion.tables.log import Entry, TableLog

if TYPE_CHECKING:
    from companion.tables.submission import Answer
    from companion.tables.tables import Tables


@dataclass(frozen=True)
class Undo:
    """What Undo would undo: the line to go back to, and its name ('attack on 2408', 'die 4')."""

    to: int
    label: str


class Visit:
    """A table as one seat finds it: what stands there is read once, and again after something was done.

    The game is shared by all who visit the table: hold `Tables.standing_still` as long as any of it is looked at.
    """

    LASTS: ClassVar[Set[str]] = {"system", "rules", "standing"}
    """What is still so after an act that changed nobody's seat, but for how far the table has come."""
    COMMON: ClassVar[Set[str]] = {"system", "rules", "standing"}
    """What does not depend on who looks, nor on what happened since but for what the standing tells."""

    def __init__(self, tables: Tables, code: str, seat: str) -> None:
        self.tables, self.code, self.seat = tables, code, seat

    @lazy
    def standing(self) -> Standing:
        """Its game, how far it has come, and its seats."""
        return self.tables.store.standing(self.code)

    @lazy
    def revision(self) -> int:
        """How far the table has come."""
        return self.standing.revision

    @lazy
    def row(self) -> TableRow:
        """The table as the lobby knows it."""
        return self.tables.row(self.code)

    @lazy
    def game(self) -> Game:
        """The state of the table. Do not change it."""
        return self.tables.game(self.code, self.revision)

    @lazy
    def view(self) -> SeatView:
        """The table as the seat may see it."""
        return view(self.rules, self.game, self.seat)

    @lazy
    def system(self) -> System:
        return self.tables.system(self.standing.system)

    @lazy
    def rules(self) -> Rules:
        return self.system.rules

    @lazy
    def context(self) -> Context:
        """The game and the seat, as fields and worksheets want them; what is worked out once stays."""
        return Context(self.game, self.seat, worked={})

    @property
    def clocks(self) -> Clocks | None:
        """The sides' clocks at this moment; None where the table has none."""
        return self.tables.stopwatch.clocks(self.code, self.rules, self.game)

    @lazy
    def undo(self) -> Undo | None:
        """What Undo would undo, in words of this seat; None when there is nothing."""
        act = self.tables.past(self.code).last_act(self.game.revision)
        return Undo(act.to, self._log.name_of(act)) if act else None

    @property
    def can_redo(self) -> bool:
        """Whether something was taken back and nothing has happened since."""
        return self.tables.past(self.code).last_undo(self.game.revision) is not None

    @lazy
    def _log(self) -> TableLog:
        return TableLog(self.tables.past(self.code), self.rules, self.game, self.seat)

    def log(self, limit: int, before: int | None = None, most: int = 0) -> list[Entry]:
        """Newest actions first, each with the lines this seat may read.

        :param most: so many lines of an action after its first; all without it
        """
        return self._log.entries(limit, before, most)

    def last_words(self, last: int) -> list[str]:
        """What the action did that ended with this line, as this seat may read it; nothing when it was long ago."""
        return self._log.lines_of(last)

    def form(self, name: str, raw: Mapping[str, Any]) -> tuple[Action, Context]:
        """An action, and what its fields may look at: with the duty that this submission answers, if any.

        :raises Mistake: when this seat cannot do it now
        """
        action = self.rules.find(name)
        duty = answered_by(self.game, action, self.seat, raw)
        refused = action.refusal(self.game, self.seat, duty)
        if refused:
            raise refused
        return action, replace(self.context, duty=duty)

    def fields(self, name: str, raw: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
        """An action's fields as its form needs them."""
        return self.rules.find(name).describe(self.context, raw)

    def act(
        self, name: str, raw: Mapping[str, Any], *, action_id: str = "", revision: int | None = None
    ) -> Answer:
        """Carry out one action: all of it, once, or nothing."""
        answer, system = None, self.system
        try:
            answer = self.tables.act(
                self.code, self.seat, name, raw, action_id=action_id, revision=revision, system=system
            )
        finally:
            self._look_again(self.LASTS if answer and not answer.reseats else {"system"})
        if not answer.repeated:
            self.revision = answer.revision
        if not answer.repeated and not answer.reseats and answer.after == self.standing.revision:
            self.standing = replace(self.standing, revision=answer.revision)
        return answer

    @property
    def common(self) -> dict[str, Any]:
        """What was read here, and whoever else looks at the table as it stands now need not read."""
        return {name: found for name, found in vars(self).items() if name in self.COMMON}

    def _look_again(self, lasts: Set[str]) -> None:
        """Forget what was read: the table may have changed.

        :param lasts: what is still so
        """
        for name in list(vars(self)):
            if name not in lasts and isinstance(getattr(type(self), name, None), lazy):
                delattr(self, name)
