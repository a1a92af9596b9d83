"""The `move` command: an installation copied between a data folder and PostgreSQL, every table checked by replay."""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from companion.store import Store
    from companion.tables.tables import Tables


def add_command(commands: Any) -> None:
    """Add the command to the parser."""
    move = commands.add_parser(
        "move",
        help="copy all games, seats and books from one place to another: a data folder, or a PostgreSQL database",
    )
    move.add_argument(
        "--from", dest="source", required=True, metavar="PLACE", help="folder or postgresql://..."
    )
    move.add_argument(
        "--to", dest="target", required=True, metavar="PLACE", help="an empty one of either kind"
    )
    move.set_defaults(run=_move)


def _move(args: argparse.Namespace) -> int:
    from companion.resources import SCENARIOS
    from companion.store import StoreError
    from companion.store.moving import copy_all
    from companion.tables.secret import installation_secret
    from companion.tables.tables import Tables

    if args.source == args.target:
        raise StoreError("--from and --to name the same place")
    with ExitStack() as open_ones:
        stores: list[Any] = []
        for place, must_exist in ((args.source, True), (args.target, False)):
            stores.append(_open(place, must_exist))
            open_ones.callback(stores[-1].close)
        source, target = stores
        if not _is_address(args.source):
            installation_secret(source, Path(args.source))  # an older version kept it beside the database
        codes = copy_all(source, target, _Progress())
        old, new = Tables(source, SCENARIOS), Tables(target, SCENARIOS)
        wrong = [told for code in codes if (told := _difference(old, new, code))]
        unread = [code for code in codes if not _is_known(new, code)]
    for told in wrong:
        print(f"companion move: {told}", file=sys.stderr)
    if unread:
        print(f"Copied, but of a game that this version does not have: {', '.join(unread)}", file=sys.stderr)
    if wrong:
        print("Do not use the copy. The original is as it was.", file=sys.stderr)
        return 1
    count = len(codes) - len(unread)
    print(
        f"{len(codes)} table{'' if len(codes) == 1 else 's'} copied, {count} replayed on both sides: all equal."
    )
    print(
        "Links and devices go on as they were when the companion is served from the new place. The old one stays."
    )
    return 0


class _Progress:
    """Says now and then how far it is."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, code: str) -> None:
        self.count += 1
        if self.count % 100 == 0:
            print(f"{self.count} tables ...", file=sys.stderr, flush=True)


def _is_address(place: str) -> bool:
    from companion.store import is_address

    return is_address(place)


def _open(place: str, must_exist: bool) -> Store:
    from companion.store import NotAStore, open_any

    if _is_address(place):
        return open_any(place)
    file = Path(place) / "companion.db"
    if must_exist and not file.exists():
        raise NotAStore(f"there is no companion.db in {place}")
    return open_any(file)


def _is_known(tables: Tables, code: str) -> bool:
    row = tables.row(code)
    system = tables.systems.get(row.system)
    return system is not None and row.scenario in system.kit.scenarios


def _difference(old: Tables, new: Tables, code: str) -> str:
    """What differs between a table and its copy; empty when nothing does."""
    if old.row(code) != new.row(code):
        return f"table {code}: its row differs"
    if old.store.seat_generations(code) != new.store.seat_generations(code):
        return f"table {code}: its seats differ"
    events = [tables.store.events(code) for tables in (old, new)]
    if events[0] != events[1]:
        return f"table {code}: its events differ"
    if not _is_known(new, code):
        return ""
    before, after = (_replayed(tables, code) for tables in (old, new))
    return "" if before == after else f"table {code}: it replays to another game"


def _replayed(tables: Tables, code: str) -> dict[str, Any]:
    """The game that a table's events alone come to."""
    from companion.engine.record import events as e
    from companion.engine.record.game import Game, replay

    row = tables.row(code)
    game = Game(tables.system(row.system).kit, row.scenario)
    return replay(game, [e.Event.from_json(item.body) for item in tables.store.events(code)]).dump()
