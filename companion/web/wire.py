"""Connections that cannot be held for nothing: every request has to arrive in time, and nobody takes all the places.

gevent's server waits for ever, so one device that sends a byte a minute (or nothing at all) would keep a connection
as long as it likes, and a thousand of them would keep everybody else out. Nor does a connection cost much while nobody
asks anything on it: there is a greenlet with its handler only from the first byte of a request to the end of its answer.
"""

from __future__ import annotations

import contextlib
import errno
import socket
import time
from contextlib import AbstractContextManager
from typing import Any

import gevent
from gevent.pool import Pool
from gevent.pywsgi import Input, WSGIHandler, WSGIServer
from werkzeug.exceptions import RequestTimeout

from companion.web import carrying, heads
from companion.web.carrying import Carried
from companion.web.hands import Hands
from companion.web.proxy import is_loopback
from companion.web.telling import CARRIED

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

# A hall of 600 devices holds 600 streams and, for moments, as many connections again; every connection is a file.
MOST = 4096
FILES_KEPT_FREE = 64
# On a LAN each device has its own address and a browser opens six; behind one NAT the whole hall may share one, and
# still fits. One hostile device gets a quarter, so that three quarters are left for the others.
SHARE_OF_ONE_ADDRESS = 4

_END_OF_HEAD = b"\r\n\r\n"
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
    here = 0
    """Bytes of it that came with the head."""

    def _do_read(self, length: int | None = None, use_readline: bool = False) -> bytes:
        if self.position >= (self.content_length or 0):
            return b""
        if self.here >= (self.content_length or 0):
            return bytes(super()._do_read(length, use_readline))  # nobody need watch the time
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

    connection: Connection
    socket: Any
    carried: Carried | None = None
    """The stream that the answer became."""
    is_answered = False
    """Whether there was a request, and no other one has come yet."""
    _come = b""
    """What of the next request came at once."""
    _together: list[bytes] | None = None
    """What is to be sent at once."""

    def handle(self) -> None:
        """Answer what has come, and leave nothing behind that would hold the socket."""
        reader = self.rfile
        try:
            super().handle()
        finally:
            reader.close()
            self.environ = None

    def handle_one_request(self) -> Any:
        """Answer one request; where no other one has come, the connection is left as it is."""
        self._come = self._look()
        if self.is_answered and not self._come:
            self.socket = None
            return None
        self.is_answered = False
        return super().handle_one_request()

    def _look(self) -> bytes:
        """What has come of the next request, without waiting for any of it."""
        sock = self.connection.sock
        sock.settimeout(0)
        try:
            return bytes(self.rfile.peek(1))
        except OSError:
            return b""
        finally:
            sock.settimeout(None)

    def _in_time(self, late: str) -> AbstractContextManager[object]:
        """Wait only so long for the head, unless it is here."""
        if _END_OF_HEAD in self._come:
            return contextlib.nullcontext()
        limit: AbstractContextManager[object] = gevent.Timeout(HEAD_SECONDS, TimeoutError(late))
        return limit

    def read_requestline(self) -> str:
        """Read the first line, which has begun to come."""
        # An OSError, which ends the connection without a word, as a device that has left would.
        with self._in_time("the request came too slowly"):
            return str(super().read_requestline())

    def read_request(self, raw_requestline: str) -> bool:
        """Read the headers, all of them within their time."""
        with self._in_time("the headers came too slowly"):
            return bool(super().read_request(raw_requestline))

    def MessageClass(self, rfile: Any, *more: Any) -> Any:
        """The headers, taken apart."""
        return heads.read(rfile, super().MessageClass)

    def get_environ(self) -> dict[str, Any]:
        """Give the application a body that has to arrive in time."""
        environ: dict[str, Any] = super().get_environ()
        plain: Any = environ["wsgi.input"]
        self.wsgi_input = environ["wsgi.input"] = TimedInput(
            plain.rfile, plain.content_length, socket=plain.socket, chunked_input=plain.chunked_input
        )
        self.wsgi_input.here = len(self._come.partition(_END_OF_HEAD)[2])
        environ[CARRIED] = self.carry
        return environ

    def carry(self) -> Carried:
        """The answer will be a stream, which goes on without this handler."""
        self.carried = Carried(self.connection)
        return self.carried

    def finalize_headers(self) -> None:
        """A connection that has carried a stream is of no other use."""
        if self.carried is not None:
            self.response_headers.append((b"Connection", b"close"))
            self.close_connection = True
        super().finalize_headers()

    def process_result(self) -> None:
        """Send the answer; one that goes on as a stream is not ended."""
        if self.carried is not None:
            for piece in self.result:
                self.write(piece)
            if self.carried.begun:
                self.socket = None
                return
        super().process_result()

    def handle_one_response(self) -> None:
        """Answer; a body that was not read to its end cannot be followed by another request."""
        super().handle_one_response()
        if self.wsgi_input.late:
            self.close_connection = True
        self.is_answered = not self.close_connection

    def _write_with_headers(self, data: bytes) -> None:
        """Send the head together with what comes first: to send takes as long as to draw a small page."""
        self._together = []
        try:
            super()._write_with_headers(data)
            pieces = self._together
        finally:
            self._together = None
        self._sendall(b"".join(pieces))

    def _sendall(self, data: bytes) -> None:
        if self._together is not None:
            self._together.append(data)
            return
        rest = carrying.at_once(self.socket, data)
        self.response_length += len(data) - len(rest)
        if not rest:
            return
        self.socket.settimeout(carrying.SEND_SECONDS)
        try:
            super()._sendall(rest)
        except TimeoutError:
            # As a broken pipe, which is what it amounts to, and which is no news for the log.
            raise BrokenPipeError(errno.EPIPE, "the answer is not taken") from None
        finally:
            self.socket.settimeout(None)

    def log_request(self) -> None:
        """Write the request down where somebody reads that; its line takes a while to put together."""
        if self.server.is_logged:
            super().log_request()

    def _handle_client_error(self, ex: Exception) -> tuple[str, bytes]:
        if isinstance(ex, TimeoutError):
            return "408", _LATE
        result: tuple[str, bytes] = super()._handle_client_error(ex)
        return result


class Connection:
    """A connection with its place, for as long as it lasts. Between two requests it rests: nobody waits on it."""

    __slots__ = ("_late", "_readable", "_stream", "address", "peer", "server", "sock")

    def __init__(self, server: CappedServer, sock: Any, address: Any) -> None:
        self.server, self.sock, self.address = server, sock, address
        self.peer = str(address[0]) if address else ""
        self._stream: Carried | None = None
        self._readable: Any = None
        self._late: Any = None

    def rest(self, seconds: float) -> None:
        """Wait for a request so long without a greenlet."""
        loop = self.server.loop
        self._readable, self._late = loop.io(self.sock.fileno(), 1), loop.timer(seconds)
        self._readable.start(self._wake)
        self._late.start(self.close)

    def _wake(self) -> None:
        self._stop()
        self.server.hands.do(self.answer)

    def _stop(self) -> None:
        for watcher in (self._readable, self._late):
            if watcher is not None:
                watcher.stop()
                watcher.close()
        self._readable = self._late = None

    def answer(self) -> None:
        """Answer the request that has come, and those that came with it."""
        handler = self.server.handler_class(self.sock, self.address, self.server)
        handler.connection = self
        try:
            handler.handle()
        finally:
            self._stream = handler.carried
            if self._stream is not None and self._stream.begun:
                self._stream.go_on(chunked=handler.response_use_chunked)
            elif handler.is_answered:
                self.rest(IDLE_SECONDS)
            else:
                self.close()

    def close(self) -> None:
        """Give up the connection and its place."""
        self._stop()
        if self._stream is not None:
            self._stream.leave()
            self._stream = None  # each knows the other: nothing is left to be looked for
        self.sock.close()
        self.server.leave(self)


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
        self.hands = Hands(self.pool.spawn)
        self.is_logged = log is not None
        self.most = most_connections() if most is None else most
        self.per_address = max(8, self.most // SHARE_OF_ONE_ADDRESS)
        self._open: dict[str, set[Connection]] = {}
        self._count = 0

    def do_handle(self, sock: Any, address: Any) -> None:
        """Give a new connection its place, or say that there are too many."""
        connection = Connection(self, sock, address)
        if not self._has_room(connection.peer):
            self.pool.spawn(_refuse, sock)
            return
        self._open.setdefault(connection.peer, set()).add(connection)
        self._count += 1
        try:
            # pywsgi writes head and body apart; with Nagle's delay every small answer would take 40 ms more.
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.rest(HEAD_SECONDS)
        except OSError:  # it has gone already
            connection.close()

    def leave(self, connection: Connection) -> None:
        """A connection has ended: its place is free."""
        here = self._open.get(connection.peer, set())
        if connection in here:
            here.remove(connection)
            self._count -= 1
        if not here:
            self._open.pop(connection.peer, None)

    def stop(self, timeout: float | None = None) -> None:
        """End: whoever is being answered is let finish, and nobody else is waited for."""
        self.hands.end()
        super().stop(timeout)
        for connection in [one for here in self._open.values() for one in here]:
            connection.close()

    def _has_room(self, peer: str) -> bool:
        if self._count >= self.most:
            return False
        # This machine's own programs, a proxy before all, speak for many.
        return is_loopback(peer) or len(self._open.get(peer, ())) < self.per_address


def _refuse(sock: Any) -> None:
    with contextlib.closing(sock), contextlib.suppress(OSError):
        sock.sendall(_TOO_MANY)


def most_connections() -> int:
    """How many connections there are places for: every one needs an open file."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return MOST
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return MOST if files == resource.RLIM_INFINITY else max(64, min(MOST, files - FILES_KEPT_FREE))
