"""The commands that keep games: export, import, seats, backup, restore."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from companion.store import Store
    from companion.tables.tables import Tables

ADDRESS = "address"
"""The setting that remembers where the companion was last served."""


def data_folder(given: Path | None) -> Path:
    """Where games live: --data, or the platform's folder for a user's data."""
    if given is not None:
        return given
    from platformdirs import user_data_path

    return user_data_path("kharkov-companion", appauthor=False)


def place_of(args: argparse.Namespace) -> Path | str:
    """Where the games of a command are: a folder, or the address of a database.

    The address may hold a password, which everybody on the machine could read in a command line: the environment has
    a place for it, too. A folder that is named goes before that.
    """
    named: str = args.database or ("" if args.data is not None else os.environ.get("COMPANION_DATABASE", ""))
    if not named:
        return data_folder(args.data)
    problem = ""
    if not named.startswith(("postgresql://", "postgres://")):
        problem = "--database takes an address such as postgresql://role@host/name"
    elif args.data is not None:
        problem = "the games are in --data or in --database, not in both"
    if problem:
        print(f"companion {args.command}: {problem}", file=sys.stderr)
        raise SystemExit(2)
    return named


def folder_of(args: argparse.Namespace) -> Path | None:
    """The data folder of a command, where its games are in one."""
    place = place_of(args)
    return place if isinstance(place, Path) else None


@contextmanager
def opened(place: Path | str) -> Iterator[Tables]:
    """The tables of a data folder or database, closed again when the command is done."""
    from companion.resources import SCENARIOS
    from companion.store import open_any
    from companion.tables.tables import Tables

    if isinstance(place, Path):
        place.mkdir(parents=True, exist_ok=True)
    store = open_any(place / "companion.db" if isinstance(place, Path) else place)
    try:
        yield Tables(store, SCENARIOS)
    finally:
        store.close()


def read_text(name: str) -> str:
    """A file's text, or that of standard input."""
    from companion.engine.errors import Unreadable

    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise Unreadable(f"{name} is not a companion export: it is not text") from None


def remember_address(store: Store, url: str) -> None:
    """Keep the address players use, for links printed while nobody serves."""
    if store.setting_get(ADDRESS) != url:
        store.setting_put(ADDRESS, url)


def add_commands(commands: Any, data: argparse.ArgumentParser) -> None:
    """Add the commands to the parser."""
    export = commands.add_parser(
        "export", parents=[data], help="write a whole game to standard output, nothing in it sealed"
    )
    export.add_argument("code", help="the table's code")
    export.add_argument(
        "--seat", default="", help="a reading copy: only what this seat may see (cannot be restored)"
    )
    export.set_defaults(run=_export)

    links = argparse.ArgumentParser(add_help=False)
    links.add_argument("--url", help="address of the companion (default: where it was served last)")
    links.add_argument(
        "--qr",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="draw the links as QR codes too (default: yes)",
    )
    imported = commands.add_parser(
        "import", parents=[data, links], help="restore a game from a file and print its seats' links"
    )
    imported.add_argument("file", help="a saved game or an export, or - for standard input")
    imported.add_argument(
        "--key",
        action="append",
        default=[],
        help="a side's restore key, once for each side, for a game saved on another machine",
    )
    imported.set_defaults(run=_import)

    seats = commands.add_parser("seats", parents=[data, links], help="print the links of a table's seats")
    seats.add_argument("code", help="the table's code")
    seats.set_defaults(run=_seats)

    backup = commands.add_parser(
        "backup", parents=[data], help="copy all games and seats to one file, also while serving"
    )
    backup.add_argument("file", type=Path, help="where to")
    backup.add_argument("--force", action="store_true", help="replace the file if it is there")
    backup.set_defaults(run=_backup)

    restore = commands.add_parser("restore", parents=[data], help="put a backup back, with games and seats")
    restore.add_argument("file", type=Path, help="the backup, or a folder whose newest one is taken")
    restore.add_argument(
        "--force", action="store_true", help="also when there are games already; their file is put aside"
    )
    restore.set_defaults(run=_restore)


def _export(args: argparse.Namespace) -> None:
    from companion.tables.transfer import export_table

    with opened(place_of(args)) as tables:
        copy = export_table(tables, tables.normal(args.code), args.seat)
    json.dump(copy, sys.stdout, ensure_ascii=False, indent=1)
    print()
    if copy["copy"] == "whole":
        print("This file is not sealed: whoever has it reads both hands and the dice seed.", file=sys.stderr)


def _import(args: argparse.Namespace) -> None:
    from companion.engine.errors import Unreadable
    from companion.tables.sealing import NeedsKeys
    from companion.tables.secret import installation_secret
    from companion.tables.transfer import import_table

    with opened(place_of(args)) as tables:
        secret = installation_secret(tables.store, folder_of(args))
        try:
            code = import_table(tables, read_text(args.file), secret, args.key, operator=True)
        except NeedsKeys as needed:
            raise Unreadable(f"{needed.message}. Give each with --key") from None
        print(f"Restored as table {code}.")
        _print_links(tables, code, args)


def _seats(args: argparse.Namespace) -> None:
    with opened(place_of(args)) as tables:
        _print_links(tables, tables.normal(args.code), args)


def _print_links(tables: Tables, code: str, args: argparse.Namespace) -> None:
    """Each seat with its link, and the link as a QR code."""
    from companion.store import Generation
    from companion.tables.secret import installation_secret
    from companion.web import qr
    from companion.web.security import seat_token

    secret = installation_secret(tables.store, folder_of(args))
    generations = tables.store.seat_generations(code)
    game = tables.game(code)
    base = _address(tables.store, args.url)
    for seat in ("table", *game.sides):
        name = "Table's screen" if seat == "table" else game.side_name(seat)
        generation = generations.get(seat, Generation())
        if generation.revoked:
            print(f"{name}: closed; a new code is made on the table's screen, under Seats")
            continue
        link = f"{base}/j/{code}/{seat_token(secret, code, seat, generation.number)}"
        print(f"{name}{' (taken)' if generation.claimed_at else ''}: {link}")
        if args.qr:
            try:
                print(f"{qr.terminal(link)}\n")
            except UnicodeEncodeError:
                print("(This terminal cannot draw the QR code.)")


def _address(store: Store, given: str | None) -> str:
    if given:
        return given.rstrip("/")
    known = store.setting_get(ADDRESS)
    if not isinstance(known, str):
        from companion.web.server import DEFAULT_PORT, find_site

        known = find_site("0.0.0.0", DEFAULT_PORT).url
        print(f"(Never served from here; the links take {known} for its address. Another one: --url)")
    return known.rstrip("/")


def _backup(args: argparse.Namespace) -> int:
    from companion.tables.secret import installation_secret

    folder = place_of(args)
    if not isinstance(folder, Path):
        return _by_its_own_tools(
            args,
            f"pg_dump --format=custom --file={args.file} ADDRESS",
            "pg_dump copies it while it is in use",
        )
    try:
        with opened(folder) as tables:
            installation_secret(tables.store, folder)  # where no version ever served, it is made here
            tables.store.backup(args.file, overwrite=args.force)
    except FileExistsError:
        print(f"{args.file} is there already: choose another name, or --force", file=sys.stderr)
        return 1
    print(f"All games and seats copied to {args.file} ({os.path.getsize(args.file) // 1024} KB).")
    print("Put them back with companion restore. Keep the file to yourself: it opens every seat.")
    return 0


def _by_its_own_tools(args: argparse.Namespace, command: str, why: str) -> int:
    """What to use instead of a command that is for data folders."""
    print(
        f"companion {args.command} is for a data folder. For PostgreSQL: {command} ({why}).", file=sys.stderr
    )
    print("A single game: companion export. All of them into a folder: companion move.", file=sys.stderr)
    return 1


def _newest(folder: Path) -> Path:
    """The newest automatic backup of a folder, or of the `backups` in it."""
    from companion.engine.errors import Unknown
    from companion.tables.backups import found_in

    found = found_in(folder) or found_in(folder / "backups")
    if not found:
        raise Unknown(f"there is no automatic backup in {folder}")
    print(f"The newest backup there is {found[-1].name}.")
    return found[-1]


def _restore(args: argparse.Namespace) -> int:
    from companion.store import put_back
    from companion.tables.secret import OLD_FILE, SETTING

    folder = place_of(args)
    if not isinstance(folder, Path):
        return _by_its_own_tools(
            args,
            f"pg_restore --clean --if-exists --dbname=ADDRESS {args.file}",
            "while no companion serves it",
        )
    folder.mkdir(parents=True, exist_ok=True)
    source = _newest(args.file) if args.file.is_dir() else args.file
    done = put_back(source, folder / "companion.db", force=args.force, now=datetime.now(UTC))
    print(f"{done.games} game{'' if done.games == 1 else 's'} restored to {folder}.")
    if done.aside is not None:
        print(f"What was there before lies in {done.aside}.")
    with opened(folder) as tables:
        complete = tables.store.setting_get(SETTING) is not None or (folder / OLD_FILE).exists()
    if complete:
        print("Links and devices that were seated when the backup was made go on as they were.")
    else:
        print(
            f"This backup was made by an older version without the seats' secret: put its {OLD_FILE} into the folder "
            "before you start, or hand out new links with companion seats."
        )
    return 0
