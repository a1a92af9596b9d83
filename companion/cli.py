"""The `companion` command."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from companion import keeping
from companion.keeping import data_folder, opened, read_text

DESCRIPTION = """\
The digital assistant beside a physical wargame: turns, dice, chits, cards, odds and the record.

  companion serve                    start it, and scan the QR code with the phones
  companion scenarios                what can be played
  companion calc second-kharkov combat attack=26 defence=7
"""


READ_AHEAD = 2.0
"""Seconds after the start: the first page comes first."""


def main(argv: list[str] | None = None) -> int:
    """Run a command and return its exit code."""
    parser = _parser()
    args = parser.parse_args(argv)
    if args.command is None:
        parser.print_help()
        return 0
    if args.command == "serve":
        return _serve(args)
    from companion.engine.errors import Mistake
    from companion.store import StoreError

    try:
        return int(args.run(args) or 0)
    except (Mistake, StoreError) as problem:
        print(f"companion {args.command}: {problem}", file=sys.stderr)
        return 1
    except FileNotFoundError as problem:
        print(f"companion {args.command}: there is no file {problem.filename}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="companion", description=DESCRIPTION, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    from companion import __version__

    parser.add_argument("--version", action="version", version=f"companion {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    data = argparse.ArgumentParser(add_help=False)
    data.add_argument("--data", type=Path, help="folder of the games (default: your user data folder)")

    _add_serve(commands, data)

    scenarios = commands.add_parser("scenarios", help="list games and scenarios")
    scenarios.add_argument("--json", action="store_true", help="as JSON")
    scenarios.set_defaults(run=_scenarios)

    calc = commands.add_parser("calc", help="work a worksheet: companion calc GAME WORKSHEET name=value ...")
    calc.add_argument("system", nargs="?", help="game")
    calc.add_argument("worksheet", nargs="?", help="worksheet of that game")
    calc.add_argument("values", nargs="*", metavar="name=value", help="what it asks for")
    calc.add_argument("--json", action="store_true", help="as JSON")
    calc.add_argument("--list", action="store_true", help="list worksheets with their fields")
    calc.set_defaults(run=_calc)

    check = commands.add_parser(
        "check", help="check scenario folders and name every problem with file and remedy"
    )
    check.add_argument("folder", nargs="*", type=Path, help="folder of a game (default: all shipped ones)")
    check.set_defaults(run=_check)

    verify = commands.add_parser("verify", help="recompute every digital roll of an exported game")
    verify.add_argument("file", help="the export, or - for standard input")
    verify.set_defaults(run=_verify)

    keeping.add_commands(commands, data)

    passphrase = commands.add_parser(
        "passphrase", parents=[data], help="make a new passphrase for the chart book or the organiser"
    )
    passphrase.add_argument("--organiser", action="store_true", help="for the organiser's desk")
    passphrase.set_defaults(run=_passphrase)
    return parser


def _add_serve(commands: Any, data: argparse.ArgumentParser) -> None:
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
        "--backups",
        type=_count,
        default=10,
        metavar="N",
        help="automatic backups to keep (default: 10; 0 makes none)",
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


def _count(text: str) -> int:
    if not text.isdecimal() or int(text[:4]) > 1000:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not a number from 0 to 1000")
    return int(text)


def _serve(args: argparse.Namespace) -> int:
    try:
        from gevent import monkey

        monkey.patch_all()  # before anything of ours imports sockets or sqlite3
    except ImportError:
        pass
    import threading

    from companion.store import StoreError, unsafe_location
    from companion.tables.backups import Backups
    from companion.web.app import create_app
    from companion.web.server import serve

    folder = data_folder(args.data)
    warning = unsafe_location(folder)
    if warning:
        print(warning, file=sys.stderr)

    if args.backup_to is not None and not args.backup_to.is_dir():
        print(f"companion serve: there is no folder {args.backup_to} for backups", file=sys.stderr)
        return 1
    backups = Backups(folder / "companion.db", keep=args.backups, also=args.backup_to)
    stores: list[Any] = []

    def make(site: Any) -> Any:
        app = create_app(folder, site=site, organiser=args.organiser)
        stores.append(app.extensions["companion"]["store"])
        keeping.remember_address(stores[0], site.url)
        app.extensions["companion"]["backups"] = backups
        backups.start()
        app.extensions["companion"]["hub"].watch_others()
        # Read all games while the first player is still scanning the QR code, but not before he could.
        reading = threading.Timer(READ_AHEAD, lambda: app.extensions["companion"]["tables"].systems)
        reading.daemon = True
        reading.start()
        return app

    try:
        return serve(
            make,
            args.host,
            args.port,
            next_port=args.next_port,
            public_url=args.public_url,
            data=folder,
            access_log=args.access_log,
            notes=lambda: [_book_note(stores[0]), *(_organiser_notes(stores[0]) if args.organiser else [])],
            at_stop=lambda: _close(backups, stores[0]),
        )
    except (StoreError, OSError) as problem:
        print(f"companion serve: {problem}", file=sys.stderr)
        return 1


def _close(backups: Any, store: Any) -> None:
    """Make the last backup, then leave companion.db as a complete copy in one file."""
    backups.stop()
    store.close()


def _book_note(store: Any) -> str:
    """The chart book's passphrase at the first start, how to get a new one at every other."""
    from companion.web.book.lock import first_passphrase

    words = first_passphrase(store)
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


def _systems() -> dict[str, Any]:
    from companion.resources import SCENARIOS
    from companion.systems import load_systems

    return load_systems(SCENARIOS)


def _scenarios(args: argparse.Namespace) -> None:
    systems = _systems()
    if args.json:
        rows = [
            {
                "system": s.id,
                "name": s.kit.system.name,
                "scenario": c.id,
                "title": c.name,
                "first": c.first,
                "last": c.last,
            }
            for s in systems.values()
            for c in s.kit.scenarios.values()
        ]
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return
    for system in systems.values():
        print(f"{system.id}: {system.kit.system.name}")
        for scenario in system.kit.scenarios.values():
            end = " on" if scenario.open_end else f"-{scenario.last}"
            turns = f"{system.kit.system.turn_name.lower()}s {scenario.first}{end}"
            print(f"  {scenario.id:<24} {scenario.name}, {turns}")


def _calc(args: argparse.Namespace) -> int:
    from companion.engine.errors import Unknown, Unreadable, did_you_mean
    from companion.engine.forms.fields import Context
    from companion.engine.record.game import Game
    from companion.resources import SCENARIOS
    from companion.systems import find_system

    if args.list or not args.system or not args.worksheet:
        chosen = [find_system(args.system, SCENARIOS)] if args.system else _systems().values()
        for system in chosen:
            for sheet in system.rules.worksheets.values():
                print(f"{system.id} {sheet.name}: {sheet.title} ({sheet.rule})")
                print(f"    {' '.join(sheet.fields)}")
        return 0 if args.list else 2
    system = find_system(args.system, SCENARIOS)
    sheets = system.rules.worksheets
    if args.worksheet not in sheets:
        raise Unknown(
            f"{args.system} has no worksheet {args.worksheet!r}: {', '.join(sheets)}.{did_you_mean(args.worksheet, sheets)}"
        )
    values = {}
    for pair in args.values:
        name, equals, value = pair.partition("=")
        if not equals:
            raise Unreadable(f"{pair!r} is not name=value")
        values[name] = value
    sheet = sheets[args.worksheet].work(values, Context(Game.bare(system.kit)))
    if args.json:
        print(json.dumps(sheet.to_json(), indent=2, ensure_ascii=False))
        return 0
    print(sheet.title)
    for line in sheet.lines:
        print(f"  {line.effect:>8}  {line.label}{f'  [{line.rule}]' if line.rule else ''}")
    if sheet.column:
        print(f"  column {sheet.column}, modifier {sheet.modifier:+d}")
    for result, chance in sorted(sheet.chances.items(), key=lambda c: -c[1]):
        print(f"  {chance:>7.1%}  {result}")
    for text in (sheet.result, sheet.read_chart, *sheet.warnings):
        if text:
            print(f"  {text}")
    return 0


def _check(args: argparse.Namespace) -> int:
    from companion.resources import SCENARIOS
    from companion.systems import IDS, load_system
    from companion.systems.names import undeclared

    folders = args.folder or [SCENARIOS / name for name in IDS if (SCENARIOS / name / "system.toml").exists()]
    wrong = 0
    for folder in folders:
        if not folder.is_dir():
            print(f"{folder} is not a folder", file=sys.stderr)
            wrong += 1
            continue
        system, problems = load_system(folder.name, folder.parent)
        problems += undeclared(system) if system is not None else []
        for problem in problems:
            print(f"{folder.name}/{problem}")
        wrong += len(problems)
        if system is not None and not problems:
            print(f"{folder.name}: {len(system.kit.scenarios)} scenario(s), nothing wrong")
    return 1 if wrong else 0


def _verify(args: argparse.Namespace) -> int:
    import tempfile

    from companion.engine.errors import Unreadable
    from companion.tables.savefile import read_copy
    from companion.tables.transfer import sealed_save
    from companion.tables.verify import verify

    text = read_text(args.file)
    if sealed_save(text) is not None:
        raise Unreadable(
            "this is a sealed save: its dice can be verified when the record lies open, from the whole export"
        )
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as tables:
        report = verify(read_copy(text), tables)
    for fault in report.faults:
        print(f"line {fault.seq}: {fault.words}" if fault.seq else fault.words)
    print(f"{report.recomputed} digital rolls and draws recomputed from the seed: as they should be.")
    if report.by_hand:
        seats = ", ".join(f"{seat} {count}" for seat, count in sorted(report.by_hand.items()))
        print(f"{report.by_hand.total()} typed in by hand, which nobody can recompute: {seats}.")
    for remark in report.remarks:
        print(f"line {remark.seq}: {remark.words}; this version no longer allows that")
    print("All fair: nothing is missing." if report.fair else f"NOT fair: {len(report.faults)} found.")
    return 0 if report.fair else 1


def _passphrase(args: argparse.Namespace) -> None:
    from companion.web.book.lock import new_passphrase
    from companion.web.desk.blueprint import ORGANISER

    with opened(data_folder(args.data)) as tables:
        words = ORGANISER.new(tables.store) if args.organiser else new_passphrase(tables.store)
    print(f"{'Organiser' if args.organiser else 'Chart book'} passphrase: {words}")
    print("It holds at once. Devices that knew the old one have to be told this one.")


if __name__ == "__main__":
    sys.exit(main())
