"""Several processes that serve on one port: each works on one core, and the first process starts again whoever dies.

The first process itself serves nobody. It must not have been monkey-patched: a forked loop would be of no use.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

LOOK_EVERY = 0.1
STOPS_WITHIN = 20.0
SHORT_LIFE = 5.0
"""A worker that dies sooner is started again later each time, up to `LONGEST_PAUSE`: the database may be away."""
LONGEST_PAUSE = 10.0


@dataclass(frozen=True)
class Worker:
    """What one of several serving processes is given."""

    number: int
    listener: socket.socket
    """The port that all of them share."""
    first: bool
    """Whether it is the one that speaks: the first worker in its first life."""
    parent: int
    """A file that can be read to its end when the first process is no more."""
    ready: Callable[[], None]
    """To be called when it serves."""


@dataclass
class _Life:
    """A worker as the first process knows it."""

    number: int
    pid: int = 0
    began: float = 0.0
    due: float = 0.0
    failures: int = 0


@dataclass
class Workers:
    """The first process."""

    count: int
    listener: socket.socket
    work: Callable[[Worker], int]
    """What a worker does until it is told to stop; returns the exit code."""
    lives: list[_Life] = field(default_factory=list)
    stopping: bool = False

    def run(self) -> int:
        """Start the workers, and go on until Ctrl-C or SIGTERM; returns the exit code of the command."""
        self._lifeline, self._held = os.pipe()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        self.lives = [_Life(number) for number in range(self.count)]
        code = self._first()
        if code is not None:
            return code
        while not self.stopping:
            for life in self.lives:
                if not life.pid and time.monotonic() >= life.due:
                    self._start(life)
            self._bury()
            time.sleep(LOOK_EVERY)
        return self._end()

    def _stop(self, *_: object) -> None:
        self.stopping = True

    def _first(self) -> int | None:
        """Start the first worker alone: it may find that nothing can be served. Its exit code then, otherwise None."""
        read, write = os.pipe()
        self._start(self.lives[0], write)
        os.close(write)
        served = bool(_read_one(read))
        os.close(read)
        if served:
            return None
        return (
            self._end() if self.stopping else os.waitstatus_to_exitcode(os.waitpid(self.lives[0].pid, 0)[1])
        )

    def _start(self, life: _Life, tell: int | None = None) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        life.began = time.monotonic()
        life.pid = os.fork()
        if life.pid:
            return
        code = 1
        try:
            os.close(self._held)  # the first process alone holds it
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)

            def ready() -> None:
                if tell is not None:
                    os.write(tell, b"1")

            code = self.work(Worker(life.number, self.listener, tell is not None, self._lifeline, ready))
        except KeyboardInterrupt:
            code = 0
        except BaseException:
            import traceback

            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)

    def _bury(self) -> None:
        """Notice workers that ended, and say when they are started again."""
        for life in self.lives:
            if not life.pid or os.waitpid(life.pid, os.WNOHANG) == (0, 0):
                continue
            now = time.monotonic()
            life.failures = life.failures + 1 if now - life.began < SHORT_LIFE else 0
            pause = min(LONGEST_PAUSE, 0.5 * 2 ** (life.failures - 1)) if life.failures else 0.0
            life.pid, life.due = 0, now + pause
            if not self.stopping:
                when = f"in {pause:g} s" if pause else "now"
                print(
                    f"Worker {life.number + 1} ended; it is started again {when}.",
                    file=sys.stderr,
                    flush=True,
                )

    def _end(self) -> int:
        """Let the workers finish what they are at."""
        for life in self.lives:
            if life.pid:
                _send(life.pid, signal.SIGTERM)
        deadline = time.monotonic() + STOPS_WITHIN
        while any(life.pid for life in self.lives):
            if time.monotonic() > deadline:
                for life in self.lives:
                    if life.pid:
                        _send(life.pid, signal.SIGKILL)
            self._bury()
            time.sleep(LOOK_EVERY)
        return 0


def _send(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def _read_one(file: int) -> bytes:
    """A byte, or nothing when nobody will write one any more."""
    while True:
        try:
            return os.read(file, 1)
        except InterruptedError:
            continue
