"""What a seat's screen puts above everything else: battles, what waits for an answer, and what the last act came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from companion.engine.errors import Warned
from companion.engine.forms.panels import Panel
from companion.engine.forms.worksheet import Breakdown
from companion.engine.once import lazy
from companion.engine.seat.shapes import ActionView, BattleView, CheckView, ResultView
from companion.engine.seat.view import SeatView
from companion.tables.log import Entry
from companion.web.dutycards import Card, cards, kept_cards

STRIP = 5
"""Lines of this turn on a screen."""


class Moment:
    """The moment as one seat sees it; each part is made when a page first asks for it.

    :param wrong: what was wrong with an answer just sent, by the duty's id
    :param sent: what was sent
    """

    def __init__(
        self,
        view: SeatView,
        log: Sequence[Entry],
        wrong: Mapping[str, str] | None = None,
        sent: Mapping[str, Any] | None = None,
    ) -> None:
        self.view, self.log, self.wrong, self.sent = view, log, wrong, sent

    @property
    def called(self) -> bool:
        """Whether this seat is asked something."""
        return self.view.awaits.asked

    @lazy
    def cards(self) -> Sequence[Card]:
        return cards(self.view, self.wrong, self.sent) if self.wrong else kept_cards(self.view)

    @lazy
    def battles(self) -> list[BattleView]:
        """The battles of which something is open: where this seat is asked something, those under way, the newest."""
        found = [b for b in self.view.battles if b.waits or b.then]
        mine = {card.battle for card in self.cards}
        return sorted(found, key=lambda b: (b.id not in mine, not (b.then or b.rolls or b.sheet), -b.id))

    @lazy
    def inside(self) -> dict[int, list[Card]]:
        """This seat's cards of each battle, which stand inside it."""
        return {b.id: [card for card in self.cards if card.battle == b.id] for b in self.battles}

    @lazy
    def loose(self) -> list[Card]:
        """The cards that belong to no battle that is shown; what the other side asks stands above everything."""
        shown = {b.id for b in self.battles}
        return [card for card in self.cards if card.battle not in shown and card not in self.consents]

    @lazy
    def consents(self) -> list[Card]:
        """What another side wants to do, and may not alone."""
        return [card for card in self.cards if card.questions[0].duty.consent]

    @lazy
    def acts(self) -> tuple[list[ActionView], list[ActionView]]:
        """What can be done now besides what is asked: the usual acts, and the rest."""
        view = self.view
        asked = {duty.action for duty in view.asked if duty.mine}
        step = (
            view.effort == "record" and not view.unsettled and not view.has_units
        )  # it offers to set up itself
        groups = ("phase", "hand") if step else ("phase", "setup", "hand")
        found = [a for a in view.actions if a.group in groups and a.name not in asked]
        return [a for a in found if a.primary], [a for a in found if not a.primary]

    @lazy
    def checks(self) -> list[tuple[CheckView, ActionView | None]]:
        """The checklist of the phase, what somebody does before what only reminds; with the form that does it, if any."""
        offered = {a.name: a for a in self.view.actions if a.fields}
        lines = sorted(self.view.phase.checklist, key=lambda check: not check.act)
        return [(check, offered.get(check.action)) for check in lines]

    @lazy
    def panels(self) -> list[Panel]:
        """The game's own panels that belong to this very moment."""
        return [panel for panel in self.view.panels if panel.first]

    @lazy
    def folded(self) -> list[Panel]:
        """The others, which only inform."""
        return [panel for panel in self.view.panels if not panel.first]

    @lazy
    def enders(self) -> list[ActionView]:
        """What ends a phase in which the sides alternate."""
        return [a for a in self.view.actions if a.group == "end"]

    @lazy
    def lines(self) -> list[Entry]:
        """The newest lines of this turn, without those that only tell of seats and phases."""
        now = self.view.turn.number
        told = (line for line in self.log if not line.about_seats and line.kinds != ["advanced"])
        return [line for line in told if line.turn == now][:STRIP]

    @lazy
    def shows_roll(self) -> bool:
        """Whether the last roll is of this phase; a battle shows its own dice."""
        return not self.battles and self._has_here("rolled")

    def _has_here(self, kind: str) -> bool:
        """Whether something of a kind happened in this phase, as far as the newest lines tell."""
        here = (self.view.turn.number, self.view.phase.id)
        return any(kind in line.kinds and (line.turn, line.phase) == here for line in self.log)

    @property
    def busy(self) -> bool:
        """Whether something is happening that folds reminders away: a battle, a question, a result just come."""
        return bool(self.battles or self.cards or self.result)

    @lazy
    def newest(self) -> Entry | None:
        """The last act; who sits down or leaves is none."""
        return next((line for line in self.log if not line.about_seats and not line.undone), None)

    @lazy
    def last(self) -> BattleView | None:
        """A battle that was over with the last act: one line, until the next one."""
        done = [b for b in self.view.battles if not b.waits and not b.then]
        newest = self.newest
        return next((b for b in done if newest and newest.battle == b.id), None)

    @lazy
    def result(self) -> ResultView | None:
        """What the last act came to where it belongs to no battle, to be read before anything else."""
        newest = self.newest
        fresh = newest is not None and "resolved" in newest.kinds and not newest.battle
        return self.view.result if fresh else None

    @lazy
    def older_result(self) -> ResultView | None:
        """This phase's last result when it is news no longer; those of battles are told by the battle."""
        found = self.view.result
        if found is None or self.result is not None or any(_same(b.sheet, found) for b in self.view.battles):
            return None
        return found if self._has_here("resolved") else None


def _same(sheet: Breakdown | None, found: ResultView) -> bool:
    """Whether a battle tells a result; what came of it stands in the battle's calculation alone."""
    if sheet is None or (sheet.title, sheet.result) != (found.sheet.title, found.sheet.result):
        return False
    return {**vars(sheet), "effects": found.sheet.effects} == vars(found.sheet)


class Objection:
    """An act that the rules speak against, or that would end a phase over what is owed: it may be done anyway."""

    def __init__(self, name: str, mistake: Warned, sent: Mapping[str, Any]) -> None:
        self.name, self.mistake = name, mistake
        self.sent = {k: v for k, v in sent.items() if k != "anyway"}
