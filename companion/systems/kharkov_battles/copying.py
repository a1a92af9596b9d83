"""A real strength chit is copied by the side it lies under [2.6]; the chart book learns it when the record lies open."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Text, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.record.changes import read_face
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books, chits
from companion.systems.kharkov_battles.base import rules
from companion.systems.kharkov_battles.units import on_the_map, rating


def _real(game: Game) -> bool | str:
    if chits.digital(game):
        return False
    held = any(chits.status(game, unit) for unit in game.units.values())
    return held or "no unit has a strength chit yet [2.6]"


def _has_one(game: Game, unit: Unit) -> bool:
    return bool(chits.status(game, unit))


def _pairs(text: str, field: str) -> str:
    """'a7, b5' -> 'A7 B5'."""
    numbers = books.chit_numbers(text)
    if not numbers:
        raise Unreadable(
            f"{text[:40]!r} is not a chit's side: letters with their numbers",
            field=field,
            given=text[:40],
            accepted="A7 B5 C4",
            rule="2.6",
        )
    return " ".join(f"{letter}{number}" for letter, number in sorted(numbers.items()))


@rules.action(
    by="any", rule="2.6", label="Copy a chit into the book", group="book-keeping", secret=True, when=_real
)
def copy_chit(
    game: Game,
    unit: Annotated[str, UnitRef(label="It lies under", pick=on_the_map(_has_one))],
    full: Annotated[str, Text(label="Full side", most=60, placeholder="A7 B5 C4")],
    reduced: Annotated[str, Text(label="Reduced side", most=60, placeholder="A4 B3 C2")],
) -> Events:
    """Copy both sides of your own chit: its number is known at once, to you alone; the book gets it after the game."""
    held = game.units[unit]
    face = {"full": _pairs(full, "full"), "reduced": _pairs(reduced, "reduced")}
    number = books.chit_numbers(face[chits.status(game, held)]).get(rating(game, held))
    if number is None:
        words = f"the chit has no number for the rating {rating(game, held)}"
        raise Unreadable(words, field=chits.status(game, held), given=full[:40], rule="2.6")
    told = (*game["faces"], *game[f"faces-{held.side}"])
    seen = {key.split("|")[1] for key in told if key.startswith(f"chits|{held.side} ")}
    yield from chits.tell(held, number)
    yield from read_face(game, "chits", f"{held.side} {len(seen) + 1}", face, side=held.side)
