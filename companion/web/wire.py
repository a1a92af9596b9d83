"""Connections that cannot be held for nothing: every request has to arrive in time, and nobody takes all the places.

gevent's server waits for ever, so one device that sends a byte a minute (or nothing at all) would keep a connection
as long as it likes, and a thousand of them would keep everybody else out.
"""

import contextlib
import errno
import socket
import time
from typing import Any

import gevent
from gevent.pool import Pool
from gevent.pywsgi import Input, WSGIHandler, WSGIServer
from werkzeug.exceptions import RequestTimeout

from companion.web.proxy import is_loopback

# A phone on bad Wi-Fi sends its few hundred bytes of request well within this.
HEAD_SECONDS = 15.0
# A browser keeps connections for its next tap; a minute spares it most new ones.
IDLE_SECONDS = 60.0
# A body has half a minute and a second more for every 32 KB: the largest import (8 MB) may come at 28 KB/s.
BODY_SECONDS = 30.0
BODY_RATE = 32 * 1024
LARGEST_BODY = 8 * 1024 * 1024
# What is sent too much is swallowed so far, so that its sender can read the refusal.
SWALLOWED = 2 * LARGEST_BODY
# A device that takes none of its answer for so long has gone.
SEND_SECONDS = 60.0

# A hall of 600 devices holds 600 streams and, for moments, as many connections again; every connection is a file.
MOST = 4096
FILES_KEPT_FREE = 64
# On a LAN each device has its own address and a browser opens six; behind one NAT the whole hall may share one, and
# still fits. One hostile device gets a quarter, so that three quarters are left for the others.
SHARE_OF_ONE_ADDRESS = 4

_LATE = (
    b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 29\r\n\r\n"
    b"The request came too slowly.\n"
)
_TOO_MANY_WORDS = b"Too many connections are open from this device. Close some pages and try again.\n"
_TOO_MANY = (
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: text/plain\r\nRetry-After: 5\r\n"
    b"Content-Length: %d\r\n\r\n%s" % (len(_TOO_MANY_WORDS), _TOO_MANY_WORDS)
)


class TooSlow(RequestTimeout, OSError):
    """A body that does not arrive: an answer of its own to the application, a lost connection to the server."""

    description = "The request came too slowly. Try again."


class TimedInput(Input):  # type: ignore[misc]
    """A request's body, which has to arrive at a bearable pace."""

    began: float | None = None
    late = False

    def _do_read(self, length: int | None = None, use_readline: bool = False) -> bytes:
        with self._in_time():
            return bytes(super()._do_read(length, use_readline))

    def _chunked_read(self, length: int | None = None, use_readline: bool = False) -> bytes:
        with self._in_time():
            return bytes(super()._chunked_read(length, use_readline))

    def _discard(self) -> None:
        if self.late or (self.content_length or 0) - self.position > SWALLOWED:
            self.late = True
            return
        super()._discard()

    @contextlib.contextmanager
    def _in_time(self) -> Any:
        now = time.monotonic()
        if self.began is None:
            self.began = now
        size = min(max(self.content_length or 0, self.position), LARGEST_BODY)
        left = self.began + BODY_SECONDS + size / BODY_RATE - now
        try:
            if left <= 0:
                raise TooSlow
            with gevent.Timeout(left, TooSlow):
                yield
        except TooSlow:
            self.late = True
            raise


class TimedHandler(WSGIHandler):  # type: ignore[misc]
    """One connection's requests, each of which has to arrive in time."""

    answered = 0

    def read_requestline(self) -> str:
        """Wait for a request: briefly on a new connection, longer on one that was already of use."""
        seconds = IDLE_SECONDS if self.answered else HEAD_SECONDS
        # An OSError, which ends the connection without a word, as a device that has left would.
        with gevent.Timeout(seconds, TimeoutError("no request came")):
            return str(super().read_requestline())

    def read_request(self, raw_requestline: str) -> bool:
        """Read the headers, all of them within their time."""
        with gevent.Timeout(HEAD_SECONDS, TimeoutError("the headers came too slowly")):
            return bool(super().read_request(raw_requestline))

    def get_environ(self) -> dict[str, Any]:
        """Give the application a body that has to arrive in time."""
        environ: dict[str, Any] = super().get_environ()
        plain: Any = environ["wsgi.input"]
        self.wsgi_input = environ["wsgi.input"] = TimedInput(
            plain.rfile, plain.content_length, socket=plain.socket, chunked_input=plain.chunked_input
        )
        return environ

    def handle_one_response(self) -> None:
        """Answer; a body that was not read to its end cannot be followed by another request."""
        super().handle_one_response()
        self.answered += 1
        if self.wsgi_input.late:
            self.close_connection = True

    def _sendall(self, data: bytes) -> None:
        # As a broken pipe, which is what it amounts to, and which is no news for the log.
        with gevent.Timeout(SEND_SECONDS, BrokenPipeError(errno.EPIPE, "the answer is not taken")):
            super()._sendall(data)

    def _handle_client_error(self, ex: Exception) -> tuple[str, bytes]:
        if isinstance(ex, TimeoutError):
            return "408", _LATE
        result: tuple[str, bytes] = super()._handle_client_error(ex)
        return result


class CappedServer(WSGIServer):  # type: ignore[misc]
    """gevent's server with a limit to its connections, in all and from one address."""

    handler_class = TimedHandler

    def __init__(
        self,
        listener: socket.socket,
        application: Any,
        *,
        log: Any,
        most: int | None = None,
        alone: bool = True,
    ) -> None:
        """:param alone: whether no other process takes connections from the same port"""
        # Among several, each takes one connection at a time, or the quickest would take them all.
        super().__init__(
            listener,
            application,
            spawn=Pool(),
            log=log,
            environ=None if alone else {"wsgi.multiprocess": True},
        )
        self.most = most_connections() if most is None else most
        self.per_address = max(8, self.most // SHARE_OF_ONE_ADDRESS)
        self._open: dict[str, int] = {}
        self._count = 0

    def handle(self, sock: socket.socket, address: Any) -> None:
        """Serve one connection, or say that there are too many."""
        # pywsgi writes head and body apart; with Nagle's delay every small answer would take 40 ms more.
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer = str(address[0]) if address else ""
        if not self._has_room(peer):
            with contextlib.suppress(OSError):
                sock.sendall(_TOO_MANY)
            return
        self._open[peer] = self._open.get(peer, 0) + 1
        self._count += 1
        try:
            super().handle(sock, address)
        finally:
            self._count -= 1
            self._open[peer] -= 1
            if not self._open[peer]:
                del self._open[peer]

    def _has_room(self, peer: str) -> bool:
        if self._count >= self.most:
            return False
        # This machine's own programs, a proxy before all, speak for many.
        return is_loopback(peer) or self._open.get(peer, 0) < self.per_address


def most_connections() -> int:
    """How many connections there are places for: every one needs an open file."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST if files == resource.RLIM_INFINITY else max(64, min(MOST, files - FILES_KEPT_FREE))
