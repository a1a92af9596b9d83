"""The `serve` command: one process on a data folder, or one or several on PostgreSQL."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion import keeping
from companion.keeping import place_of

if TYPE_CHECKING:
    from companion.web.workers import Worker

MOST_WORKERS = 64
READ_AHEAD = 2.0
"""Seconds after the start: the first page comes first."""


def add_command(commands: Any, data: argparse.ArgumentParser) -> None:
    """Add the command to the parser."""
    serve = commands.add_parser(
        "serve", parents=[data], help="start the companion and print its address and QR code"
    )
    serve.add_argument(
        "--host", default="0.0.0.0", help="address to listen on (default: all of this machine's)"
    )
    serve.add_argument("--port", type=int, help="port (default: 1942, or the next free one)")
    serve.add_argument("--next-port", action="store_true", help="take the next free port without asking")
    serve.add_argument("--public-url", help="address players type when a proxy stands in front")
    serve.add_argument(
        "--workers",
        type=_count(1, MOST_WORKERS),
        default=1,
        metavar="N",
        help="processes that serve, one for each core (default: 1; more need --database)",
    )
    serve.add_argument(
        "--lobby",
        choices=("open", "private"),
        help="open: the lobby lists every table; private: a device sees only the tables where it sits "
        "(default: open in a data folder, private with --database)",
    )
    serve.add_argument(
        "--keep-days",
        type=_count(1, 36_500),
        metavar="N",
        help="delete tables at which nothing was done for so many days (default: keep them)",
    )
    serve.add_argument(
        "--backups",
        type=_count(0, 1000),
        default=10,
        metavar="N",
        help="automatic backups to keep (default: 10; 0 makes none); PostgreSQL is backed up by its own tools",
    )
    serve.add_argument(
        "--backup-to",
        type=Path,
        metavar="FOLDER",
        help="copy every automatic backup there too, such as to a stick for a second machine",
    )
    serve.add_argument(
        "--organiser",
        action="store_true",
        help="open the organiser's pages at /desk; their passphrase is printed at the first such start",
    )
    serve.add_argument("--access-log", action="store_true", help="print every request")
    serve.set_defaults(run=None)


def _count(least: int, most: int) -> Any:
    def number(text: str) -> int:
        if not text.isdecimal() or not least <= int(text[:6]) <= most:
            raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number from {least} to {most}")
        return int(text)

    return number


def run(args: argparse.Namespace) -> int:
    """Serve until Ctrl-C or SIGTERM, and return the exit code of the command."""
    if args.workers == 1:
        return _work(args)
    if isinstance(place_of(args), Path):
        print(
            "companion serve: --workers needs PostgreSQL (--database postgresql://...). A data folder is served by one "
            "process: SQLite lets one write at a time, so that more of them would only wait for each other.",
            file=sys.stderr,
        )
        return 1
    from companion.web.server import serve_with_workers

    return serve_with_workers(
        args.workers,
        lambda worker: _work(args, worker),
        args.host,
        args.port,
        next_port=args.next_port,
        public_url=args.public_url,
    )


def _work(args: argparse.Namespace, worker: Worker | None = None) -> int:
    """Serve in this process."""
    try:
        from gevent import monkey

        monkey.patch_all()  # before anything of ours imports sockets or sqlite3
    except ImportError:
        if worker is not None:
            print("companion serve: --workers needs gevent, which is not installed", file=sys.stderr)
            return 1
    from companion.store import StoreError
    from companion.web.server import serve

    if args.backup_to is not None and not args.backup_to.is_dir():
        print(f"companion serve: there is no folder {args.backup_to} for backups", file=sys.stderr)
        return 1
    serving = Serving(args, worker)
    try:
        return serve(
            serving.make,
            args.host,
            args.port,
            next_port=args.next_port,
            public_url=args.public_url,
            data=serving.place if isinstance(serving.place, Path) else None,
            access_log=args.access_log,
            notes=serving.notes,
            at_stop=serving.close,
            worker=worker,
        )
    except (StoreError, OSError) as problem:
        print(f"companion serve: {problem}", file=sys.stderr)
        return 1


class Serving:
    """The app of one process, and what goes on beside it."""

    def __init__(self, args: argparse.Namespace, worker: Worker | None) -> None:
        from companion.store import unsafe_location
        from companion.tables.backups import Backups

        self.args, self.worker = args, worker
        self.place = place_of(args)
        lobby = args.lobby or ("open" if isinstance(self.place, Path) else "private")
        self.private = lobby == "private"
        # Every process may do these things, but it would be of no use.
        self.alone_or_first = worker is None or worker.number == 0
        self.backups: Backups | None = None
        if isinstance(self.place, Path):
            warning = unsafe_location(self.place)
            if warning:
                print(warning, file=sys.stderr)
            self.backups = Backups(self.place / "companion.db", keep=args.backups, also=args.backup_to)

    def make(self, site: Any) -> Any:
        """The app, once it is known where it can be reached."""
        import threading

        from companion.web.app import create_app

        app = create_app(
            self.place,
            site=site,
            private=self.private,
            keep_days=self.args.keep_days,
            organiser=self.args.organiser,
        )
        held = app.extensions["companion"]
        self.store = held["store"]
        keeping.remember_address(self.store, site.url)
        if self.backups is not None:
            held["backups"] = self.backups
            self.backups.start()
        if self.args.keep_days and self.alone_or_first:
            from companion.tables.retention import Retention

            Retention(held["tables"], self.args.keep_days).start()
        held["hub"].watch_others()
        # Read all games while the first player is still scanning the QR code, but not before he could.
        reading = threading.Timer(READ_AHEAD, lambda: held["tables"].systems)
        reading.daemon = True
        reading.start()
        return app

    def notes(self) -> list[str]:
        """What else the host should know at the start."""
        said = [_book_note(self.store, seats=not self.private)]
        if self.args.organiser:
            said += _organiser_notes(self.store)
        if self.backups is None:
            said.insert(0, f"Games are kept in {self.store.address}")
            said.append("PostgreSQL is backed up by its own tools: see pg_dump in docs/hosting.md.")
        if self.args.workers > 1:
            said.append(f"{self.args.workers} processes serve.")
        if self.args.keep_days:
            said.append(f"Tables at which nothing is done for {self.args.keep_days} days are deleted.")
        return said

    def close(self) -> None:
        """Make the last backup, then leave companion.db as a complete copy in one file."""
        if self.backups is not None:
            self.backups.stop()
        self.store.close()


def _book_note(store: Any, *, seats: bool) -> str:
    """The chart book's passphrase at the first start, how to get a new one at every other."""
    from companion.web.book.lock import first_passphrase

    words = first_passphrase(store, seats=seats)
    if words is None:
        return "The chart book has its passphrase; if it is lost, companion passphrase makes a new one."
    return f"Chart book passphrase: {words} (shown only now; companion passphrase makes a new one)"


def _organiser_notes(store: Any) -> list[str]:
    """The organiser's passphrase at the first start that has one, how to get a new one at every other."""
    from companion.web.desk.blueprint import first_passphrase

    words = first_passphrase(store)
    if words is None:
        told = "has its passphrase; if it is lost, companion passphrase --organiser makes a new one."
        return [f"The organiser's desk, at /desk, {told}"]
    return [
        f"Organiser's passphrase: {words} (shown only now; companion passphrase --organiser makes a new one)",
        "The organiser's desk is at /desk.",
    ]
