"""Work that would hold up the server's loop, done in a real thread beside it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

LONGEST_REST = 0.05

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


def gently(items: Iterable[T]) -> Iterator[T]:
    """Pass long work on item by item, and rest after each as long as it took: half of the time belongs to the others.

    Under gevent one turn of the loop is not enough for a request, which reads, waits for its table and writes.
    """
    for item in items:
        began = time.perf_counter()
        yield item
        time.sleep(min(LONGEST_REST, time.perf_counter() - began))


def slices(items: Iterable[T], size: int = 100) -> Iterator[T]:
    """Pass long work on item by item; under gevent other requests are answered after every so many.

    Only for work that holds no lock and no transaction.
    """
    for number, item in enumerate(items, 1):
        yield item
        if number % size == 0:
            time.sleep(0)
