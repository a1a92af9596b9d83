"""What a player can get wrong, each with a message that names what was given and what would do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

from companion.limits import GUESS_AMONG, GUESS_LENGTH, KEY_LENGTH


class Mistake(ValueError):
    """A player's mistake: nothing was changed, and the message says what to do instead.

    :param field: the field that was wrong, as the form and the API call it
    :param rule: the rule that stands against it; the message ends with its number
    """

    status = 422

    def __init__(
        self, message: str, *, field: str = "", given: object = None, accepted: str = "", rule: str = ""
    ) -> None:
        self.message = f"{message} [{rule}]" if rule else message
        super().__init__(self.message)
        self.rule = rule
        self.field = field
        self.given = given
        self.accepted = accepted

    def to_json(self) -> dict[str, object]:
        """The one JSON shape of an error."""
        return {
            "error": self.message,
            "field": self.field[:KEY_LENGTH],
            "given": None if self.given is None else str(self.given)[:200],
            "accepted": self.accepted,
            "rule": self.rule,
        }


class Unreadable(Mistake):
    """The value cannot be read as what the field asks for."""


class NotNow(Mistake):
    """The action exists but cannot be done in this phase or state."""

    status = 409


class NotYours(Mistake):
    """The action belongs to another seat."""

    status = 403


class Unknown(Mistake):
    """The thing named does not exist."""

    status = 404


class Undeclared(LookupError):
    """A rule named a value, marker, pile or box that its kit does not declare: a slip in code, never a player's."""


class Several(Mistake):
    """Everything wrong with one submission, not only the first problem."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes = list(mistakes)
        super().__init__("; ".join(m.message for m in self.mistakes), field=self.mistakes[0].field)

    def to_json(self) -> dict[str, object]:
        return {**super().to_json(), "errors": [m.to_json() for m in self.mistakes]}


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """A closing sentence with the closest known names, or an empty string.

    What is far longer than any name is no slip of the fingers, and comparing it would take long.
    """
    if len(given) > GUESS_LENGTH:
        return ""
    names = {k.lower(): k for k in islice(known, GUESS_AMONG)}
    close = get_close_matches(given.lower(), names, n=3, cutoff=0.6)
    return f" Did you mean {' or '.join(names[c] for c in close)}?" if close else ""
