"""How many instructions one tap takes with its three screens: `python -m bench.counted [GAME ...]`.

Time depends on who else uses the machine, the number of instructions does not: with the same seeds it repeats to a part in
two thousand, so that a change of one part in a hundred can be seen. It is counted by valgrind's callgrind, over a mix of
taps, in a process of its own for each game and without a network: the request as the app is given it, and what is sent
down the streams of the other two devices.
`--time` takes the processor's time instead, which needs no valgrind, `--profile FILE` says where it goes.
"""

from __future__ import annotations

import cProfile
import io
import os
import random
import secrets
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from unittest import mock
from urllib.parse import urlencode

from flask import Flask

from bench.crowd import Failed, Screen, Table, _words
from bench.hall import SAMPLES, Sample, found

Made = TypeVar("Made")
WARM, TAPS = 64, 64
"""Taps before and while it is counted, each some rounds of the mix."""


class Local:
    """What is counted, in this very process: the server's part of what a device does."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.profile: cProfile.Profile | None = None

    def count(self, work: Callable[[], Made]) -> Made:
        """Do some of it. Valgrind counts what is done inside of `sys.call_tracing`, which nobody else calls."""
        if self.profile:
            self.profile.enable()
        begun = time.thread_time()
        try:
            return sys.call_tracing(work, ())
        finally:
            self.seconds += time.thread_time() - begun
            if self.profile:
                self.profile.disable()


class Near(Screen):
    """A device that speaks to the app without a network."""

    def __init__(self, app: Flask, local: Local, base: str, token: str, number: int) -> None:
        super().__init__(0, base, token, number)
        self.app, self.local = app, local
        self.news: list[Any] = []
        self.changed: Any = self
        """Whoever waits for it has it told."""

    def set(self) -> None:
        """It shows something new."""

    def clear(self) -> None:
        """It is to be waited for."""

    def wait(self, _: float) -> bool:
        """Hear what there is."""
        had, _ = bool(self.news), self.hear_all()
        return had

    def open(self) -> None:
        from companion.web.telling import CARRIED

        self.look()
        told = urlencode({"page": self.page, "rev": self.shown, "parts": self.told()})
        environ = self._environ("GET", f"{self.base}/stream?screen&{told}", self.headers)
        environ[CARRIED] = lambda: self
        b"".join(self.app.wsgi_app(environ, lambda *_: None))

    def begin(self, first: str, telling: Any, *, packed: bool) -> Iterator[bytes]:
        """Carry the stream, as our own server does."""
        from companion.web.compress import Packer

        self.telling, self.pack = telling, Packer()
        return iter((self.pack(first.encode()),))

    def put(self, news: Any, /) -> None:
        self.news.append(news)

    def hear_all(self) -> None:
        """Be told whatever there is to tell."""

        def told() -> bytes:
            text: bytes = self.telling.hear(self.news.pop(0))
            if text:
                self.pack(text)
            return text

        while self.news:
            for event in filter(None, self.local.count(told).split(b"\n\n")):
                self.hear(event)

    def _environ(self, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> dict[str, Any]:
        place, _, query = path.partition("?")
        return {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "",
            "PATH_INFO": place,
            "QUERY_STRING": query,
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "8000",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "127.0.0.1:8000",
            "CONTENT_TYPE": "application/x-www-form-urlencoded" if method == "POST" else "",
            "CONTENT_LENGTH": str(len(body)) if method == "POST" else "",
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": sys.stderr,
            **{f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()},
        }

    def ask(self, method: str, path: str, body: bytes = b"", target: str = "live") -> bytes:
        more = {"HX-Request": "true", "HX-Target": target, "X-Page": self.page} if target else {}
        if target == "live":
            more["X-Parts"] = self.told()
        environ = self._environ(method, path, {**self.headers, **more}, body)
        answer: list[Any] = []

        def answered() -> bytes:
            pieces = self.app.wsgi_app(
                environ, lambda status, headers, _=None: answer.extend((status, headers))
            )
            page = b"".join(pieces)
            getattr(pieces, "close", lambda: None)()
            return page

        page = self.local.count(answered)
        status, headers = answer
        self.head = "\r\n".join(f"{name}: {value}" for name, value in headers).lower().encode()
        if b"content-encoding: gzip" in self.head:
            page = zlib.decompress(page, 47)
        if int(status[:3]) >= 400:
            raise Failed(f"{method} {path}: {status} {_words(page)}")
        self.show(page)
        return page


def seated(app: Flask, sample: Sample, local: Local) -> Table:
    """A table with its three devices in this process."""
    place = found(app, sample)
    seats = place.seats.items()
    screens = {s: Near(app, local, f"/t/{place.code}/{s}", token, n) for n, (s, token) in enumerate(seats)}
    table = Table(dict(screens), place.taps(0))
    for screen in screens.values():
        screen.open()
    return table


def many(app: Flask, sample: Sample, local: Local, tables: int) -> Callable[[], object]:
    """A tap at the next of some tables."""
    at = [seated(app, sample, local) for _ in range(tables)]

    def tap() -> None:
        at.append(at.pop(0))
        at[-1].play()
        for screen in at[-1].screens.values():  # whoever was told already hears nothing new
            screen.hear_all()  # type: ignore[attr-defined]

    return tap


@contextmanager
def no_chance() -> Iterator[None]:
    """Codes, seeds and dice are the same each time."""
    fair = random.Random(1)
    with (
        mock.patch.object(secrets, "token_hex", lambda n=32: fair.randbytes(n).hex()),
        mock.patch.object(secrets, "token_bytes", lambda n=32: fair.randbytes(n)),
        mock.patch.object(secrets, "token_urlsafe", lambda n=32: fair.randbytes(n).hex()),
        mock.patch.object(secrets, "choice", fair.choice),
    ):
        yield


def count(system: str, tables: int, *, timed: bool, profile: str = "") -> None:
    """Tap away, in a process that is watched."""
    from companion.web.app import create_app

    sample = next(sample for sample in SAMPLES if sample.system == system)
    with tempfile.TemporaryDirectory() as folder, no_chance():
        app, local = create_app(Path(folder)), Local()
        tap = many(app, sample, local, tables)
        for _ in range(WARM * tables):
            tap()
        _switch("on", timed)
        local.seconds, local.profile = 0.0, cProfile.Profile() if profile else None
        taps = TAPS * max(tables, 16 if timed else 1)
        for _ in range(taps):
            tap()
        _switch("off", timed)
        if timed:
            print(f"{system}: {local.seconds / taps * 1e3:.2f} ms of the processor a tap")
        if local.profile:
            local.profile.dump_stats(profile)
        app.extensions["companion"]["store"].close()


def _switch(to: str, timed: bool) -> None:
    if not timed:
        subprocess.run(["callgrind_control", "-i", to, str(os.getpid())], check=True, capture_output=True)


def watched(system: str) -> float:
    """Millions of instructions a tap."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "counted"
        command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}"]
        command += ["--collect-atstart=no", "--toggle-collect=_PyEval_CallTracing"]
        inner = [sys.executable, "-m", "bench.counted", system, "--inner"]
        done = subprocess.run(
            [*command, *inner], env={**os.environ, "PYTHONHASHSEED": "0"}, capture_output=True, text=True
        )
        if done.returncode:
            raise RuntimeError(done.stderr[-2000:])
        totals = next(x for x in out.read_text().splitlines() if x.startswith("totals:"))
        return int(totals.split()[1]) / TAPS / 1e6


def main() -> None:
    asked = [word for word in sys.argv[1:] if not word.startswith("-")]
    profile = asked.pop() if "--profile" in sys.argv else ""
    for system in asked or [sample.system for sample in SAMPLES]:
        if "--inner" in sys.argv or "--time" in sys.argv or profile:
            count(system, 1, timed="--inner" not in sys.argv, profile=profile)
        else:
            print(f"{system}: {watched(system):.2f} million instructions a tap", flush=True)


if __name__ == "__main__":
    main()
