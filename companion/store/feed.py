"""Who wants to hear of new events, and what they were last told."""

import logging
from collections.abc import Callable, Mapping

logger = logging.getLogger(__name__)

Listener = Callable[[str, int], None]
BookListener = Callable[[str], None]


class Feed:
    """The subscribers of one store in this process."""

    def __init__(self, revisions: Mapping[str, int]) -> None:
        self._told = dict(revisions)
        self._listeners: dict[object, Listener] = {}
        self._book_listeners: dict[object, BookListener] = {}

    def subscribe(self, callback: Listener) -> Callable[[], None]:
        """Add a subscriber and return the function that removes it."""
        ticket = object()
        self._listeners[ticket] = callback

        def unsubscribe() -> None:
            self._listeners.pop(ticket, None)

        return unsubscribe

    def subscribe_books(self, callback: BookListener) -> Callable[[], None]:
        """Add a subscriber to the news of books and return the function that removes it."""
        ticket = object()
        self._book_listeners[ticket] = callback
        return lambda: (self._book_listeners.pop(ticket, None), None)[1]

    def tell_book(self, system: str) -> None:
        """Tell every subscriber that a system's books were written elsewhere."""
        for callback in list(self._book_listeners.values()):
            try:
                callback(system)
            except Exception:
                logger.exception("a subscriber failed on the books of %s", system)

    def tell(self, code: str, revision: int) -> None:
        """Tell every subscriber; one that fails is logged and stops nobody else."""
        self._told[code] = max(revision, self._told.get(code, 0))
        for callback in list(self._listeners.values()):
            try:
                callback(code, revision)
            except Exception:
                # The events are committed: a subscriber's mistake must not look like a failed action.
                logger.exception("a subscriber failed on table %s at revision %s", code, revision)

    def catch_up(self, revisions: Mapping[str, int]) -> None:
        """Tell of every table that is further than it was last told."""
        for code, revision in revisions.items():
            if revision > self._told.get(code, 0):
                self.tell(code, revision)
