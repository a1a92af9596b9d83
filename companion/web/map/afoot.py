"""What is afoot on the map: the hexes that are fought for, and those that answer what this seat is asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.engine.hexes.grid import Grid
from companion.engine.seat.view import SeatView
from companion.web.dutycards import Question, cards


@dataclass(frozen=True)
class Answer:
    """A question of this seat that one tap on a hex answers: where a beaten stack goes."""

    hex: str
    question: Question
    field: str
    value: str
    words: str


def fought_for(view: SeatView, grid: Grid) -> list[str]:
    """The hexes under attack, in every battle that goes on."""
    return sorted({h for b in view.battles if not b.over for h in b.hexes if h in grid.index})


def answers(view: SeatView, grid: Grid) -> list[Answer]:
    """The hexes that are offered to this seat, and to no other: nothing here comes from more than its own cards."""
    asked = [q for card in cards(view) for q in card.questions]
    return [a for q in asked if q.duty.at_once and not q.sent_along for a in _hexes(q, grid)]


def _hexes(question: Question, grid: Grid) -> Iterator[Answer]:
    """The answers to a question that are hexes, or the ways to one, which end there."""
    field = next((f for f in question.fields if not f.hidden and not f.quiet), None)
    if field is None or field.many and field.exactly != 1:
        return
    for choice in field.choices:
        value = str(choice["value"])
        end = value.rpartition("-")[2]
        if end in grid.index:
            words = f"{question.duty.label}: {choice['label']}"
            yield Answer(end, question, field.name, value, words)
