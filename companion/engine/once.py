"""What is worked out once for as long as a game stays as it is, however many seats ask.

`@once` keeps what a look at the game came to; `Game.apply` drops all of it, and so does whoever changes the owner's
book under it. Whoever is given such a thing must not change it. What a seat may see is no business of it: it is for
facts about the table.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

Asked = ParamSpec("Asked")
Found = TypeVar("Found")


class Worked(dict[tuple[Any, ...], Any]):
    """What was worked out since the game last changed."""


class Keeps(Protocol):
    """A game, as far as this is concerned."""

    worked: Worked


Kept = TypeVar("Kept", bound=Keeps)


def once(
    look: Callable[Concatenate[Kept, Asked], Found],
) -> Callable[Concatenate[Kept, Asked], Found]:
    """Work something out once; what else it is asked with must be hashable."""

    @wraps(look)
    def kept(game: Kept, /, *args: Asked.args, **named: Asked.kwargs) -> Found:
        key = (look, *args, *sorted(named.items()))
        if key not in game.worked:
            game.worked[key] = look(game, *args, **named)
        found: Found = game.worked[key]
        return found

    return kept
