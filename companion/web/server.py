"""Serving the companion to a table: which port, which address to tell the phones, gevent, a clean end.

The `serve` command must call `gevent.monkey.patch_all()` before it imports anything else of ours.
"""

import contextlib
import ctypes
import errno
import os
import re
import signal
import socket
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from companion.web import qr
from companion.web.addresses import lan_addresses
from companion.web.workers import Worker, Workers

DEFAULT_PORT = 1942
PORTS_TO_TRY = 100
GIVE_BACK_EVERY = 2.0
EVERYWHERE = ("", "0.0.0.0", "::")


class CannotServe(ValueError):
    """The server cannot be started as asked; the message says what to do instead."""


@dataclass(frozen=True)
class Site:
    """Where this server can be reached."""

    url: str
    """The address to give to the other devices, with a closing slash."""
    also: tuple[str, ...] = ()
    """Other addresses that lead here."""
    hosts: tuple[str, ...] = ()
    """Every name the server goes by, for the Host check."""
    public_url: str | None = None


def serve(
    app_factory: Callable[[Site], Any],
    host: str = "0.0.0.0",
    port: int | None = None,
    *,
    next_port: bool = False,
    public_url: str | None = None,
    data: Path | None = None,
    access_log: bool = False,
    notes: Callable[[], Iterable[str]] = tuple,
    at_stop: Callable[[], None] = lambda: None,
    worker: Worker | None = None,
) -> int:
    """Serve an application until Ctrl-C or SIGTERM, and return the exit code of the command.

    Monkey-patching has to be the caller's first act, before Flask or sqlite3 is imported:

        try:
            from gevent import monkey
            monkey.patch_all()
        except ImportError:
            pass

    :param app_factory: called with the `Site` once the port is known; returns the WSGI application.
    :param port: what the user asked for; None takes 1942 or the next free one.
    :param notes: what else to say at the start, asked for when the application is made.
    :param at_stop: called when no request is under way any more.
    :param next_port: whether a taken port may be replaced by the next free one without asking.
    :param worker: this process's part where several share the port; it speaks only as the first of them.
    """
    say = _printer()
    try:
        check_public_url(public_url)
        listener = (
            _adopted(worker.listener)
            if worker is not None
            else choose_port(host, port, next_port=next_port, say=say)
        )
    except CannotServe as problem:
        print(problem, file=sys.stderr)
        return 1
    site = find_site(host, listener.getsockname()[1], public_url)
    raise_file_limit()
    run = _prepare(app_factory(site), listener, access_log=access_log, say=say, worker=worker)
    if worker is None or worker.first:
        welcome(site, data, say, notes())
    if worker is not None:
        worker.ready()
    try:
        with contextlib.suppress(KeyboardInterrupt):
            run()
    finally:
        at_stop()
    if worker is None:
        say("Stopped. The games are saved.")
    return 0


def serve_with_workers(
    count: int,
    work: Callable[[Worker], int],
    host: str,
    port: int | None,
    *,
    next_port: bool,
    public_url: str | None,
) -> int:
    """Let so many processes serve on one port until Ctrl-C or SIGTERM, and return the exit code of the command."""
    say = _printer()
    try:
        if not hasattr(os, "fork"):
            raise CannotServe(
                "--workers needs Linux or macOS: here start one companion for each port instead."
            )
        check_public_url(public_url)
        listener = choose_port(host, port, next_port=next_port, say=say, kind=socket.socket)
    except CannotServe as problem:
        print(problem, file=sys.stderr)
        return 1
    code = Workers(count, listener, work).run()
    if code == 0:
        say("Stopped. The games are saved.")
    return code


def _adopted(shared: socket.socket) -> socket.socket:
    """The workers' common socket as this process's own loop uses it."""
    return _socket_type()(shared.family, shared.type, fileno=os.dup(shared.fileno()))


def check_public_url(url: str | None) -> None:
    """Refuse an address that no browser could open.

    :raises CannotServe: naming it, with an example
    """
    if url and not re.fullmatch(r"https?://[^/?#@\s]+/?", url):
        raise CannotServe(f"--public-url {url!r} is not an address such as https://games.example.org.")


def choose_port(
    host: str,
    port: int | None,
    *,
    next_port: bool,
    say: Callable[[str], None],
    kind: type[socket.socket] | None = None,
) -> socket.socket:
    """Return a listening socket on the port asked for, or on the next free one where that is allowed.

    :raises CannotServe: naming the port, and the next free one if there is one.
    """
    wanted = DEFAULT_PORT if port is None else port
    if not 0 <= wanted <= 65535:
        raise CannotServe(f"Port {wanted} is out of range: give a number from 1024 to 65535.")
    try:
        return _listen(host, wanted, kind)
    except OSError as problem:
        if problem.errno != errno.EADDRINUSE:
            raise _explained(problem, host, wanted) from None
    listener = _next_free(host, wanted, kind)
    free = listener.getsockname()[1]
    if port is None or next_port:
        say(f"Port {wanted} is taken, perhaps by another companion; using {free} instead.")
        return listener
    if sys.stdin is not None and sys.stdin.isatty():
        answer = input(f"Port {wanted} is taken, perhaps by another companion. Use {free} instead? [Y/n] ")
        if answer.strip().lower() in ("", "y", "yes"):
            return listener
    listener.close()
    raise CannotServe(
        f"Port {wanted} is taken, perhaps by another companion. The next free one is {free}: "
        f"use --port {free}, or --next-port to have it taken without asking."
    )


def _next_free(host: str, taken: int, kind: type[socket.socket] | None) -> socket.socket:
    for candidate in range(taken + 1, min(taken + 1 + PORTS_TO_TRY, 65536)):
        with contextlib.suppress(OSError):
            return _listen(host, candidate, kind)
    raise CannotServe(f"Port {taken} and the {PORTS_TO_TRY} after it are taken: choose another with --port.")


def _listen(host: str, port: int, kind: type[socket.socket] | None = None) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = (kind or _socket_type())(family, socket.SOCK_STREAM)
    try:
        # On Windows SO_REUSEADDR lets two servers share the port; elsewhere it only saves a minute's wait.
        if sys.platform == "win32":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
    except BaseException:
        listener.close()
        raise
    return listener


def _socket_type() -> type[socket.socket]:
    try:
        from gevent.socket import socket as gevent_socket
    except ImportError:
        return socket.socket
    return gevent_socket  # type: ignore[no-any-return]


def _explained(problem: OSError, host: str, port: int) -> CannotServe:
    if problem.errno in (errno.EACCES, errno.EPERM):
        return CannotServe(
            f"Port {port} is not open to you: choose one above 1023, such as --port {DEFAULT_PORT}."
        )
    return CannotServe(
        f"Cannot listen on {host!r} port {port}: {problem.strerror or problem}. "
        "--host takes an address of this machine; leave it out to be seen by the whole network."
    )


def find_site(host: str, port: int, public_url: str | None = None) -> Site:
    """Work out what to tell the phones, without asking anything beyond this machine."""
    name = socket.gethostname().lower()
    names = (name, f"{name.removesuffix('.local').split('.')[0]}.local")
    addresses = lan_addresses() if host in EVERYWHERE else [host]
    addresses = addresses or ["127.0.0.1"]
    urls = [f"http://{f'[{address}]' if ':' in address else address}:{port}/" for address in addresses]
    if host in EVERYWHERE:
        urls.append(f"http://{names[1]}:{port}/")
    if public_url:
        urls.insert(0, public_url.rstrip("/") + "/")
    return Site(urls[0], tuple(urls[1:]), ("localhost", *dict.fromkeys((*names, *addresses))), public_url)


def raise_file_limit() -> None:
    """Allow as many open sockets as the system lets us: every device holds one all the time."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 65536 if hard == resource.RLIM_INFINITY else hard
    if soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def give_back() -> None:
    """Give the system the memory back that nothing is in any more: glibc keeps it otherwise; elsewhere nothing happens.

    What a hall of devices is sent leaves gaps between what stays, several MB. It takes about a millisecond.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    try:
        found: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):  # another system, or another C library
        return None
    return found


def welcome(site: Site, data: Path | None, say: Callable[[str], None], notes: Iterable[str] = ()) -> None:
    """Print how to join, where the games are kept and how to stop."""
    say(f"The companion is open at {site.url}")
    for url in site.also:
        say(f"                     or {url}")
    say("")
    try:
        say(qr.terminal(site.url))
    except UnicodeEncodeError:
        say("(This terminal cannot draw the QR code; the page shows it.)")
    say("")
    if data is not None:
        say(f"Games are kept in {data}")
    for note in notes:
        say(note)
    if sys.platform == "win32":
        say("If Windows asks about the firewall, allow private networks, or the phones cannot connect.")
    say("Stop with Ctrl-C.")


def _printer() -> Callable[[str], None]:
    def say(text: str) -> None:
        print(text, flush=True)

    return say


def _prepare(
    app: Any,
    listener: socket.socket,
    *,
    access_log: bool,
    say: Callable[[str], None],
    worker: Worker | None = None,
) -> Callable[[], None]:
    """Return the function that serves until a signal ends it."""
    try:
        return _with_gevent(app, listener, access_log, worker)
    except ImportError as problem:
        say(f"gevent is not available ({problem}); using the simpler threaded server, enough for one table.")
        return _with_threads(app, listener, access_log)


def _with_gevent(
    app: Any, listener: socket.socket, access_log: bool, worker: Worker | None
) -> Callable[[], None]:
    import gevent
    from gevent.event import Event
    from gevent.socket import wait_read

    from companion.web.wire import CappedServer

    server = CappedServer(listener, app, log="default" if access_log else None, alone=worker is None)

    stop = Event()

    def end_with(parent: int) -> None:
        wait_read(parent)
        stop.set()

    def run() -> None:
        # Handled by the hub, so that neither signal raises in the middle of somebody's request.
        for name in ("SIGINT", "SIGTERM"):
            gevent.signal_handler(getattr(signal, name), stop.set)
        if worker is not None:
            gevent.spawn(end_with, worker.parent)
        server.start()
        while not stop.wait(GIVE_BACK_EVERY):  # a stop that came before the start is not missed
            give_back()
        server.stop(timeout=1)

    return run


def _with_threads(app: Any, listener: socket.socket, access_log: bool) -> Callable[[], None]:
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Handler(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"
        # For every single wait, which is coarser than gevent's server is; it serves one table among friends.
        timeout = 60

        def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
            if access_log:
                super().log_request(code, size)

    host, port = listener.getsockname()[:2]
    server = make_server(
        host, port, app, threaded=True, request_handler=Handler, fd=os.dup(listener.fileno())
    )
    listener.close()

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    def run() -> None:
        # A program started in the background inherits that Ctrl-C is ignored.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, interrupt)
        try:
            server.serve_forever()
        finally:
            server.server_close()

    return run
