"""What is worked out once for as long as a game stays as it is, however many seats ask.

`@once` keeps what a look at the game came to; `Game.apply` drops all of it, and so does whoever changes the owner's
book under it. Whoever is given such a thing must not change it. What a seat may see is no business of it: it is for
facts about the table.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

if TYPE_CHECKING:
    from companion.engine.record.game import Game

Asked = ParamSpec("Asked")
Found = TypeVar("Found")


class Worked(dict[tuple[Any, ...], Any]):
    """What was worked out since the game last changed."""


def once(
    look: Callable[Concatenate[Game, Asked], Found],
) -> Callable[Concatenate[Game, Asked], Found]:
    """Work something out once; what else it is asked with must be hashable."""

    @wraps(look)
    def kept(game: Game, /, *args: Asked.args, **named: Asked.kwargs) -> Found:
        key = (look, *args, *sorted(named.items()))
        if key not in game.worked:
            game.worked[key] = look(game, *args, **named)
        found: Found = game.worked[key]
        return found

    return kept
