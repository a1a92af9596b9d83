"""Devices round many tables: every one holds a stream and shows a screen, and fetches it again when the table moves on.

They do what static/live.js does: a page tells which parts it shows, a tap on the screen is answered by that screen, one in
a sheet closes the sheet, and the screens of all others come down their streams, or are asked for. One process, on loopback.
"""

from __future__ import annotations

import re
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlencode

import gevent
from gevent import socket
from gevent.event import Event
from gevent.lock import RLock

_REV = re.compile(rb'id="live"[^>]* data-rev="(\d+)"')
_PART = re.compile(rb'data-part="([^"=]+)=([^"]+)"')
_ASKED = re.compile(rb'name="ask" value="([^"]+)"')
WAITS = 20.0
UNUSED = 30.0
"""Seconds after which a browser opens another connection: the server gives up those that are long unused."""


@dataclass(frozen=True)
class Tap:
    """One thing that a player does."""

    seat: str
    path: str
    """The last part of the address: 'do/roll-dice'."""
    fields: dict[str, str]
    sheet: bool = False
    """Whether it is sent from a sheet, and not by a button on the screen."""
    undoes: bool = False
    """Whether it takes the tap before it back."""
    answers: bool = False
    """Whether it says of what is owed that it was done on the map."""
    settled: Tap | None = None
    """What is done instead while something is owed: nobody begins a battle before the last one is settled."""


def _pieces(held: bytes) -> tuple[bytes, bytes]:
    """What the whole chunks of a chunked answer hold, and what is left of it."""
    found = b""
    while True:
        size, line, rest = held.partition(b"\r\n")
        if not line or len(rest) < (length := int(size, 16)) + 2:
            return found, held
        found, held = found + rest[:length], rest[length + 2 :]


class Failed(Exception):
    """An answer that is none."""


def _words(page: bytes) -> str:
    """What a refusal says."""
    found = re.search(r'(?:role="alert"|toast-lines)[^>]*>(.*?)</', page.decode(), re.S)
    return re.sub(r"<[^>]*>", " ", found[1]).strip() if found else page[-200:].decode()


class Link:
    """A kept-alive connection."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.bytes = 0
        self.open()

    def open(self) -> None:
        self.sock = socket.create_connection(("127.0.0.1", self.port), timeout=WAITS)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.held = self.head = b""
        self.used = time.monotonic()

    def send(self, method: str, path: str, headers: dict[str, str], body: bytes = b"") -> None:
        if time.monotonic() - self.used > UNUSED:
            self.sock.close()
            self.open()
        self.used = time.monotonic()
        lines = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if method == "POST":
            lines += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
        self.sock.sendall("\r\n".join([*lines, "", ""]).encode() + body)

    def more(self) -> bytes:
        data = self.sock.recv(65536)
        if not data:
            raise Failed("the connection was closed")
        self.bytes += len(data)
        return bytes(data)

    def answer(self) -> tuple[int, bytes]:
        """Status and body of the next answer."""
        while b"\r\n\r\n" not in self.held:
            self.held += self.more()
        head, _, rest = self.held.partition(b"\r\n\r\n")
        self.head = low = head.lower()
        found = re.search(rb"content-length: (\d+)", low)
        length = int(found[1]) if found else 0
        while len(rest) < length:
            rest += self.more()
        body, self.held = rest[:length], rest[length:]
        if b"content-encoding: gzip" in low:
            body = zlib.decompress(body, 47)
        return int(head.split(b" ", 2)[1]), body


class Screen:
    """One device: what it shows, its connection and its stream."""

    def __init__(self, port: int, base: str, token: str, number: int) -> None:
        self.port, self.base, self.number = port, base, number
        self.headers = {"Accept-Encoding": "gzip, deflate", "Authorization": f"Bearer {token}"}
        self.page = f"p{number}"
        self.asked_for = 0
        """Screens that had to be asked for, though the stream might have brought them."""
        self.parts: dict[str, str] = {}
        self.shown = 0
        self.asked = ""
        """Something that is owed."""
        self.head = b""
        """The head of the last answer."""
        self.changed = Event()
        self.lock = RLock()

    def open(self) -> None:
        """Show the page, and listen."""
        self.connect()
        self.look()
        self.stream = Link(self.port)
        told = urlencode({"page": self.page, "rev": self.shown, "parts": self.told()})
        self.stream.send("GET", f"{self.base}/stream?screen&{told}", self.headers)
        self.stream.sock.settimeout(None)
        self.listener = gevent.spawn(self._listen)

    def connect(self) -> Screen:
        self.link = Link(self.port)
        self.parts.clear()
        return self

    def close(self) -> None:
        self.listener.kill()
        self.link.sock.close()
        self.stream.sock.close()

    def _listen(self) -> None:
        unpack = zlib.decompressobj(47)
        text = held = b""
        while True:
            held += self.stream.more()
            if not text and b"\r\n\r\n" in held:
                head, _, held = held.partition(b"\r\n\r\n")
                packed, text = b"content-encoding: gzip" in head.lower(), b"\n\n"
            pieces, held = _pieces(held)
            text += unpack.decompress(pieces) if packed else pieces
            *events, text = text.split(b"\n\n")
            for event in filter(None, events):
                self.hear(event)
            text = text or b"\n\n"

    def hear(self, event: bytes) -> None:
        """The table's revision, or what changed on the screen; where that does not fit, it is asked for."""
        name, _, rest = event.rpartition(b"event: ")[2].partition(b"\n")
        if name == b"hall":  # the line on top, which is not measured
            return
        if name == b"screen":
            told, _, page = rest.replace(b"data: ", b"").partition(b"\n")
            before, now = told.split()
            if before == b"*" or int(before) == self.shown:
                self.show(page)
                return
            if int(now) <= self.shown:
                return
        elif int(rest.removeprefix(b"data: ")) <= self.shown:
            return
        if not self.lock.locked():  # an answer is under way otherwise
            self.asked_for += 1
            self.look()

    def ask(self, method: str, path: str, body: bytes = b"", target: str = "live") -> bytes:
        """An answer; what it shows of the screen is shown."""
        with self.lock:
            more = {"HX-Request": "true", "HX-Target": target, "X-Page": self.page} if target else {}
            if target == "live":
                more["X-Parts"] = self.told()
            self.link.send(method, path, {**self.headers, **more}, body)
            status, page = self.link.answer()
            self.head = self.link.head
        if status >= 400:
            raise Failed(f"{method} {path}: {status} {_words(page)}")
        self.show(page)
        return page

    def show(self, page: bytes) -> None:
        """What is new on the screen."""
        shown = _REV.search(page)
        if shown:
            self.parts |= {name.decode(): sign.decode() for name, sign in _PART.findall(page)}
            if b'data-part="happening=' in page:
                asked = _ASKED.search(page)
                self.asked = asked[1].decode() if asked else ""
            self.shown = max(self.shown, int(shown[1]))
            self.changed.set()

    def told(self) -> str:
        """What the screen shows, as a page tells it."""
        return " ".join(f"{name}={sign}" for name, sign in self.parts.items())

    def look(self) -> None:
        self.ask("GET", self.base)

    def tap(self, tap: Tap) -> None:
        body = urlencode({**tap.fields, "rev": self.shown}).encode()
        self.ask("POST", f"{self.base}/{tap.path}", body, "sheet" if tap.sheet else "live")
        if tap.sheet and b"table-moved" not in self.head:  # the sheet has closed
            self.look()


@dataclass
class Table:
    """A table with its devices, and what its players do next."""

    screens: dict[str, Screen]
    taps: Iterator[Tap]
    busy: bool = False
    before: int = 0
    """What was shown before the last tap."""

    def play(self) -> float:
        """Seconds from the next tap until all screens show its outcome."""
        tap = next(self.taps)
        if tap.undoes:
            tap = replace(tap, fields={"to": str(self.before)})
        if tap.settled and self.screens[tap.settled.seat].asked:
            tap = tap.settled
        if tap.answers:
            asked = self.screens[tap.seat].asked
            tap = replace(tap, fields={"ask": asked}) if asked else next(self.taps)
        before = self.before = max(screen.shown for screen in self.screens.values())
        start = time.perf_counter()
        self.screens[tap.seat].tap(tap)
        for screen in self.screens.values():
            while screen.shown <= before:
                screen.changed.clear()
                if not screen.changed.wait(WAITS):
                    raise Failed(f"a screen still shows {screen.shown} {WAITS:g} s after {tap}")
        return time.perf_counter() - start


@dataclass
class Felt:
    """What came of so many taps a second."""

    waits: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    late: int = 0
    """Taps that found every table still waiting for its screens."""
    cpu: float = 0.0
    """Seconds of the server."""
    bytes: int = 0

    def add(self, more: Felt) -> None:
        """And of some more."""
        self.waits += more.waits
        self.errors += more.errors
        self.late += more.late
        self.cpu += more.cpu
        self.bytes += more.bytes

    @property
    def taps(self) -> int:
        return max(1, len(self.waits))

    def quantile(self, part: float) -> float:
        """Milliseconds within which this part of the taps was shown everywhere."""
        ordered = sorted(self.waits) or [float("inf")]
        return ordered[min(len(ordered) - 1, int(part * len(ordered)))] * 1e3


def cpu_of(pid: int) -> float:
    """Seconds of processor time that a process has used: Linux has a clock for each."""
    return time.clock_gettime((~pid << 3) | 2)


def drive(tables: Sequence[Table], pid: int, rate: float, seconds: float) -> Felt:
    """Taps at a steady rate, whatever becomes of them, each at the next table that is not busy."""
    felt = Felt()
    links = [link for t in tables for s in t.screens.values() for link in (s.link, s.stream)]
    sent, used = sum(link.bytes for link in links), cpu_of(pid)

    def one(table: Table) -> None:
        try:
            felt.waits.append(table.play())
        except (Failed, OSError) as error:
            felt.errors.append(str(error))
        table.busy = False

    going, start, index = [], time.perf_counter(), 0
    for number in range(int(rate * seconds)):
        gevent.sleep(max(0.0, start + number / rate - time.perf_counter()))
        free = next((k for k in range(len(tables)) if not tables[(index + k) % len(tables)].busy), None)
        if free is None:
            felt.late += 1
            continue
        index = (index + free + 1) % len(tables)
        table = tables[index - 1]
        table.busy = True
        going.append(gevent.spawn(one, table))
    gevent.joinall(going, timeout=WAITS * 2)
    felt.cpu, felt.bytes = cpu_of(pid) - used, sum(link.bytes for link in links) - sent
    return felt
