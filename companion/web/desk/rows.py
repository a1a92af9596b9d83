"""A table as the organiser's pages show it: the roll's words and what any watcher may see of the game."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from companion.hall.roll import HallTable
from companion.store import TableRow
from companion.web.current import desk, tables


@dataclass(frozen=True)
class Player:
    """A side and who plays it."""

    side: str
    side_name: str
    name: str


@dataclass(frozen=True)
class Row:
    """One table of the hall."""

    table: HallTable
    game: str
    scenario: str
    players: list[Player]
    turn: str
    phase: str
    judge: str
    ended: str
    """How the game ended, when it has."""
    begun: bool
    archived: bool

    @property
    def code(self) -> str:
        return self.table.code

    def has(self, query: str) -> bool:
        """Whether all words that somebody looks for stand here; a number means the table's."""
        names = " ".join(player.name for player in self.players)
        text = f"{self.code} {self.table.name} {self.game} {self.scenario} {names}".casefold()
        return all(
            word == str(self.table.number) if word.isdecimal() else word in text
            for word in query.casefold().split()
        )

    @property
    def in_play(self) -> bool:
        """Whether closing it would end something."""
        return self.begun and not self.ended and self.table.state != "closed"


def row_of(table: HallTable, kept: TableRow) -> Row | None:
    """One table; None when its game is not on this shelf."""
    system = tables().systems.get(table.system)
    if system is None:
        return None
    kit, told = system.kit.system, kept.summary
    scenario = system.kit.scenarios.get(table.scenario)
    return Row(
        table,
        kit.name,
        scenario.name if scenario else table.scenario,
        [Player(side.id, side.name, table.players.get(side.id, "")) for side in kit.sides],
        f"{kit.turn_name} {told.get('turn', '')}" + (f" of {told['last']}" if told.get("last") else ""),
        str(told.get("phase", "")),
        str(told.get("judge", "")),
        str(told.get("ended") or "ended") if kept.ended else "",
        told.get("played") is not False,
        kept.archived,
    )


def rows_of(found: Iterable[HallTable]) -> list[Row]:
    """Several tables, in their order; those whose game or record is not here are left out."""
    store = tables().store
    kept = {row.code: row for row in (*store.tables(), *store.tables(archived=True))}
    rows = [row_of(table, kept[table.code]) for table in found if table.code in kept]
    return [row for row in rows if row is not None]


def all_rows() -> list[Row]:
    """Every table of the hall."""
    return rows_of(desk().state().tables)
