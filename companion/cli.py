"""The `companion` command."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from companion import keeping, moving, serving
from companion.keeping import opened, place_of, read_text

DESCRIPTION = """\
The digital assistant beside a physical wargame: turns, dice, chits, cards, odds and the record.

  companion serve                    start it, and scan the QR code with the phones
  companion scenarios                what can be played
  companion calc second-kharkov combat attack=26 defence=7
"""


def main(argv: list[str] | None = None) -> int:
    """Run a command and return its exit code."""
    parser = _parser()
    args = parser.parse_args(argv)
    if args.command is None:
        parser.print_help()
        return 0
    if args.command == "serve":
        return serving.run(args)
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
    data.add_argument(
        "--database",
        metavar="ADDRESS",
        help="the games are in PostgreSQL instead: postgresql://role@host/name (or COMPANION_DATABASE)",
    )

    serving.add_command(commands, data)

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
    moving.add_command(commands)

    passphrase = commands.add_parser(
        "passphrase", parents=[data], help="make a new passphrase for the chart book or the organiser"
    )
    passphrase.add_argument("--organiser", action="store_true", help="for the organiser's desk")
    passphrase.set_defaults(run=_passphrase)
    return parser


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

    with opened(place_of(args)) as tables:
        words = ORGANISER.new(tables.store) if args.organiser else new_passphrase(tables.store)
    print(f"{'Organiser' if args.organiser else 'Chart book'} passphrase: {words}")
    print("It holds at once. Devices that knew the old one have to be told this one.")


if __name__ == "__main__":
    sys.exit(main())
