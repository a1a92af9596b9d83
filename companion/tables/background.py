"""Work that would hold up the server's loop, done in a real thread beside it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

_turn = threading.Lock()


def in_thread(work: Callable[[], T]) -> T:
    """Do the work and return what it returns; under gevent other requests are answered meanwhile.

    The work must not touch locks, queues or loggers: under gevent those belong to the loop's own thread.
    """
    try:
        from gevent import get_hub, monkey
    except ImportError:
        return work()
    if not monkey.is_module_patched("threading"):
        return work()
    done: T = get_hub().threadpool.apply(work)
    return done


def in_turn(work: Callable[[], T]) -> T:
    """As `in_thread`, one piece of such work after the other."""
    with _turn:
        return in_thread(work)


def slices(items: Iterable[T], size: int = 100) -> Iterator[T]:
    """Pass long work on item by item; under gevent other requests are answered after every so many.

    Only for work that holds no lock and no transaction.
    """
    for number, item in enumerate(items, 1):
        yield item
        if number % size == 0:
            time.sleep(0)
