"""Publishing a round: its tables are founded, all of them or none, and then it counts."""

from __future__ import annotations

import threading
from dataclasses import replace

from companion.hall.desk import Desk, Hall
from companion.hall.editing import proposal_of, publish
from companion.hall.founding import Wanted, found
from companion.hall.results import Reports
from companion.hall.rounds import Pair, Round, key
from companion.hall.running import set_state
from companion.tables.background import gently
from companion.tables.tables import Tables

_turn = threading.Lock()
"""One after the other: whoever taps twice founds no table twice."""


def publish_round(tables: Tables, desk: Desk, number: int) -> Round:
    """Found the tables of the proposed round and publish it; once it is, nothing more happens.

    Tables of earlier rounds whose games have ended leave lobby and board, and those whose result was told by hand are
    closed: their players sit elsewhere now. What they came to stays, and each can be restored.

    :raises BadList: when anything stands against any of the tables; then none was founded
    """
    with _turn:
        desk.look()
        hall = desk.state()
        there = next((one for one in hall.contest.published if one.number == number), None)
        if there is not None:
            return there
        pairs = proposal_of(hall.contest).tables
        codes = {pair.table: code for pair in pairs if (code := _founded(hall, number, pair))}
        wanted = [_wanted(hall, tables, number, pair) for pair in pairs if pair.table not in codes]
        if wanted:
            codes |= {table.number: table.code for table in found(tables, desk, wanted, number)}
        at = tables.clock()
        hall = desk.change(lambda now: replace(now, contest=publish(now.contest, number, at, codes)))
        _put_away(tables, desk, number)
    return hall.contest.published[-1]


def _put_away(tables: Tables, desk: Desk, number: int) -> None:
    hall = desk.state()
    earlier = {table.code: table for table in hall.tables if 0 < table.round < number}
    rows = [row for row in tables.store.tables() if row.code in earlier]
    for row in gently([row for row in rows if row.ended]):
        tables.store.archive(row.code)
    told = [t.code for t in earlier.values() if key(t.round, t.number) in hall.contest.results]
    over = [row.code for row in rows if not row.ended and row.code in told]
    set_state(tables, desk, over, "closed", f"its result is in, and round {number} has begun")


def _founded(hall: Hall, number: int, pair: Pair) -> str:
    """The code of a table that was founded for this pair before the power went."""
    for table in hall.tables:
        if (table.round, table.number) == (number, pair.table) and table.state != "closed":
            same = (table.system, table.scenario) == (pair.system, pair.scenario)
            return table.code if same and tuple(table.players.values()) == pair.players else ""
    return ""


def _wanted(hall: Hall, tables: Tables, number: int, pair: Pair) -> Wanted:
    sides = Reports(tables).sides(pair.system)
    players = dict(zip(sides, pair.players, strict=True))
    options = hall.contest.tournament(pair.tournament).options
    return Wanted(pair.table, pair.system, pair.scenario, players, options)
