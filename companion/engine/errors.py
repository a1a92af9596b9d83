"""What a player can get wrong, each with a message that names what was given and what would do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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


class Warned(NotNow):
    """The rules speak against it, and the players decide: said once, it may be done `anyway`.

    :param said: each reason, in words
    """

    heading, instead, after = "The rules say", "Do it anyway", ""
    """What stands above the reasons, on the second button, and below them."""

    def __init__(self, said: Iterable[str], words: str = "") -> None:
        self.said = list(said)
        super().__init__(words or "; ".join(self.said), field="anyway", accepted="anyway")

    def to_json(self) -> dict[str, object]:
        return {**super().to_json(), "said": self.said}


class StillOwed(Warned):
    """A phase, impulse or turn would end over something that must be done.

    :param owed: all of it, in words
    :param passing: what of it no duty keeps: it is over with the phase
    """

    heading, instead = "Still to do", "End it anyway"

    def __init__(self, owed: Sequence[str], passing: Sequence[str] = ()) -> None:
        if not passing:
            self.after = "It stays open, and can be answered later."
        elif set(owed) <= set(passing):
            self.after = "It is not kept open: what is not done now is left undone."
        else:
            lost = "; ".join(words.rstrip(".?") for words in passing)
            self.after = (
                f"Left undone if not done now: {lost}. The rest stays open, and can be answered later."
            )
        listed = "; ".join(
            words.rstrip(".?") for words in owed
        )  # a question is none in the middle of a sentence
        super().__init__(owed, f"Still to do: {listed}. {self.after}")


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


def near_names(given: str, known: Iterable[str], most: int = 3, cutoff: float = 0.6) -> tuple[str, ...]:
    """The known names that the given one may have been meant to be, closest first.

    What is far longer than any name is no slip of the fingers, and comparing it would take long.
    """
    if len(given) > GUESS_LENGTH:
        return ()
    names = {k.casefold(): k for k in islice(known, GUESS_AMONG)}
    return tuple(names[c] for c in get_close_matches(given.casefold(), names, most, cutoff))


def meant(names: Sequence[str]) -> str:
    """A closing sentence that offers names, or an empty string for none."""
    *head, last = names or ("",)
    return f" Did you mean {', '.join(head)}{' or ' if head else ''}{last}?" if names else ""


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """A closing sentence with the closest known names, or an empty string."""
    return meant(near_names(given, known))
