"""Strength chits [2.6, 2.7]: drawn face down, kept under their unit, turned when reduced, never lost.

A chit is seen by its unit's owner alone: every event about one carries `only`. What it shows comes from the
owner's chit sheet; with real chits the companion keeps only which units have one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Choice, UnitRef
from companion.engine.forms.panels import Fact, Panel
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Chance, Events
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books
from companion.systems.kharkov_battles.base import AXIS, SOVIET, rules
from companion.systems.kharkov_battles.units import is_cadre, label, on_the_map, rating

PILE = "chits"
NUMBER = "chit-number"
"""What an owner told of a chit that the companion does not know."""


def digital(game: Game) -> bool:
    """Whether the companion draws: not with real chits, and not before the chit sheet is filled."""
    return game["mode-chits"] != "physical" and bool(game.piles[PILE].tokens())


def pool(game: Game, side: str) -> str:
    """The cup a side draws from."""
    return f"pool:{side}" if game["chit-pools"] == "two" else "pool"


def under(unit: str) -> str:
    """The zone of the chit under a unit."""
    return f"at:{unit}"


@rules.entering("turn")
def fill_the_cup(game: Game) -> Events:
    """When the table opens, every chit of the owner's sheet goes into the cup."""
    rows = books.table(game, PILE)
    if game.turn != game.scenario.first or game.piles[PILE].tokens() or not rows:
        return
    two = game["chit-pools"] == "two"
    cups: dict[str, list[str]] = {}
    for token, row in rows.items():
        owner = books.word(row, "pool") or "both"
        if two and owner == "both":
            raise NotNow(
                f"chit {token}: with two cups the chit sheet must say whose cup it belongs to", rule="2.6"
            )
        cups.setdefault(f"pool:{owner}" if two else "pool", []).append(token)
    for zone, tokens in cups.items():
        yield e.Drawn(PILE, tuple(sorted(tokens)), "", zone, len(tokens), reason=IN_PASSING)
    yield e.Noted(f"{len(rows)} strength chits are in the cup{'s' if two else ''}", rule="2.6")


def status(game: Game, unit: Unit) -> str:
    """'', 'full' or 'reduced': for the owner's eyes."""
    return str(game.mark(unit.id, "chit") or "")


def needs_chit(game: Game, unit: Unit) -> bool:
    return bool(rating(game, unit)) and not is_cadre(game, unit) and not status(game, unit)


def draw(game: Game, unit: Unit, chance: Chance) -> Iterator[e.Event]:
    """One chit goes face down under a unit; from an empty cup none comes, and its owner says what it is worth."""
    secret = (unit.side,)
    if in_the_cup(game, unit.side):
        yield chance.draw(game, PILE, pool(game, unit.side), under(unit.id), only=secret, reason=IN_PASSING)
    elif digital(game):
        yield e.Noted(f"no strength chit is left in the cup for {label(unit)}", rule="2.6")
    yield e.Marked(unit.id, "chit", "full", reason=IN_PASSING, rule="2.6", only=secret)
    yield e.Noted(f"{label(unit)} has drawn a strength chit", rule="2.6")


def in_the_cup(game: Game, side: str) -> bool:
    """Whether the companion can draw a chit for a side."""
    return digital(game) and bool(game.piles[PILE][pool(game, side)])


def tell(unit: Unit, number: int) -> Iterator[e.Event]:
    """The owner says what a chit is worth that the companion does not know."""
    yield e.Marked(unit.id, NUMBER, number, reason=IN_PASSING, rule="2.6", only=(unit.side,))


def turn_over(game: Game, unit: Unit) -> Iterator[e.Event]:
    """First step lost: the chit lies on its reduced side, with another number."""
    yield e.Marked(unit.id, "chit", "reduced", rule="2.7", only=(unit.side,))
    if game.mark(unit.id, NUMBER) is not None:
        yield e.Marked(unit.id, NUMBER, None, reason=IN_PASSING, rule="2.7", only=(unit.side,))


def give_back(game: Game, unit: Unit, reason: str) -> Iterator[e.Event]:
    """The chit returns to its cup."""
    if not status(game, unit):
        return
    held = tuple(game.piles[PILE][under(unit.id)])
    if held:
        yield e.Returned(
            PILE, held, under(unit.id), pool(game, unit.side), len(held), reason=reason, only=(unit.side,)
        )
    for marker in ("chit", NUMBER):
        if game.mark(unit.id, marker) is not None:
            yield e.Marked(unit.id, marker, None, reason=reason, rule="2.6", only=(unit.side,))


def value(game: Game, unit: Unit) -> int | None:
    """The strength the chit gives its unit; None when the companion does not know it."""
    for token in game.piles[PILE][under(unit.id)]:
        face = "reduced" if status(game, unit) == "reduced" else "full"
        numbers = books.chit_numbers(str(game.face(PILE, token).get(face) or ""))
        return numbers.get(rating(game, unit))
    told = game.mark(unit.id, NUMBER)
    return int(told) if told is not None else None


def _somebody(test: Callable[[Game, Unit], bool], otherwise: str) -> Callable[[Game], bool | str]:
    """Whether a counter on the map makes an action of chits possible."""
    return lambda game: any(test(game, u) for u in on_map(game)) or otherwise


def _marked(game: Game, unit: Unit) -> bool:
    """That a unit has a chit is seen by everybody [2.6]."""
    return bool(status(game, unit))


def _can_draw(game: Game) -> bool | str | NotNow:
    """Somebody needs a chit, and there is a cup to draw from: the companion's, or a real one."""
    if game["mode-chits"] != "physical" and not digital(game):
        words = "no chit list is filled in: take a real chit, and tell its number when the counter fights"
        return NotNow(words, rule="2.6")
    return _somebody(needs_chit, "no counter on record needs a chit")(game)


@rules.action(by="any", rule="2.6", label="Draw strength chits", group="units", when=_can_draw)
def draw_chits(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=on_the_map(needs_chit))],
    chance: Chance,
) -> Events:
    """Draw for units with a Combat Rating that are about to fight."""
    for name in units:
        yield from draw(game, game.units[name], chance)


@rules.action(
    by="any",
    rule="2.6",
    label="Correct a chit",
    group="fix",
    secret=True,
    when=_somebody(_marked, "no counter on record has a chit"),
)
def set_chit(
    game: Game,
    unit: Annotated[str, UnitRef(label="Unit", pick=on_the_map(lambda g, u: bool(status(g, u))))],
    face: Annotated[
        str, Choice(label="It lies on its", options=(("full", "full side"), ("reduced", "reduced side")))
    ],
    seat: str = "",
) -> Events:
    """Turn one of your own chits over by hand; nobody else sees which."""
    yield e.Marked(unit, "chit", face, reason="by hand", rule="2.7", only=(seat,))
    if game.mark(unit, NUMBER) is not None:
        yield e.Marked(unit, NUMBER, None, reason=IN_PASSING, rule="2.7", only=(seat,))


@rules.action(
    by="any",
    rule="2.6",
    label="Return a chit",
    group="fix",
    when=_somebody(_marked, "no counter on record has a chit"),
)
def return_chit(
    game: Game, unit: Annotated[str, UnitRef(label="Unit", pick=on_the_map(lambda g, u: bool(status(g, u))))]
) -> Events:
    """Put a chit back in the cup by hand."""
    yield from give_back(game, game.units[unit], "by hand")


@rules.panel
def chit_panel(game: Game, seat: str) -> Panel | None:
    """A side's own chits, on its own screen."""
    if seat not in (AXIS, SOVIET):
        return None
    rows = []
    for unit in game.units.values():
        if unit.side != seat or not status(game, unit):
            continue
        number = value(game, unit)
        shown = "look under the counter" if number is None else str(number)
        rows.append(Fact(label(unit), f"{shown} ({status(game, unit)})", "2.6"))
    return Panel("Your strength chits", rows) if rows else None
