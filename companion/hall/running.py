"""Keeping the hall in order while it is played: pause, close, put away and restore tables; names, numbers, order.

A table's players are told of what concerns them, in its log and on its screens; at a table that is paused or closed
nothing is played until the organiser opens it again. Its record is not touched by any of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from companion.engine.errors import NotNow, Unknown, Unreadable
from companion.engine.play.actions import Action
from companion.hall.adopting import follow
from companion.hall.desk import Desk, Hall
from companion.hall.roll import HallTable, State, same_name
from companion.hall.telling import tell
from companion.limits import HALL_NUMBER, NOTE, PLAYER, TITLE
from companion.tables.background import gently
from companion.tables.tables import Tables

ALWAYS = {"lost-table", "new-code", "close-seat", "agree"}
"""What is about seats can be done at any table."""
WHILE_PAUSED = ALWAYS | {"note", "call-judge", "judge-has-been", "show-judge"}


def held_up(table: HallTable) -> str:
    """Why nothing is played at a table, in words for its players; empty where it is open."""
    if table.state == "open":
        return ""
    words = f"The organiser {table.state} this table{f': {table.why}' if table.why else ''}"
    return words if words.endswith((".", "!", "?")) else f"{words}."


def bar(desk: Desk) -> Callable[[str, Action], None]:
    """What refuses actions at tables that are paused or closed."""

    def check(code: str, action: Action) -> None:
        table = desk.state().by_code.get(code)
        if table is None or table.state == "open":
            return
        if action.name not in (ALWAYS if table.state == "closed" else WHILE_PAUSED):
            raise NotNow(f"{held_up(table)} Play goes on when it is opened again.", given=action.name)

    return check


def stopped(desk: Desk) -> Callable[[str], bool]:
    """What tells whether a table is paused or closed."""

    def is_stopped(code: str) -> bool:
        table = desk.state().by_code.get(code)
        return table is not None and table.state != "open"

    return is_stopped


def find(hall: Hall, code: str) -> HallTable:
    """A table of the roll.

    :raises Unknown: if it has none of this code
    """
    found = hall.by_code.get(code)
    if found is None:
        raise Unknown(f"The organiser has no table {code[:12]!r}.", given=code[:12])
    return found


def put(hall: Hall, code: str, change: Callable[[HallTable], HallTable]) -> Hall:
    """The hall with one table changed."""
    find(hall, code)
    return replace(hall, tables=tuple(change(t) if t.code == code else t for t in hall.tables))


# -- whether it is played at -----------------------------------------------------------------------------


def set_state(tables: Tables, desk: Desk, codes: Collection[str], state: State, why: str = "") -> list[str]:
    """Pause, close or open tables and tell their players; returns those that were not so already."""
    why = " ".join(why.split())[:NOTE]
    changed = list[str]()

    def change(hall: Hall) -> Hall:
        changed[:] = [code for code in codes if find(hall, code).state != state]
        if state == "open":
            _check_room(hall, changed)
        return replace(
            hall,
            tables=tuple(replace(t, state=state, why=why) if t.code in changed else t for t in hall.tables),
        )

    hall = desk.change(change)
    for code in gently(changed):
        if state == "open" and tables.row(code).archived:
            tables.store.unarchive(code)
        tell(tables, code, held_up(hall.by_code[code]) or "The organiser opened this table again.")
    return changed


def _check_room(hall: Hall, codes: Collection[str]) -> None:
    """Refuse to open a table again whose number another has now."""
    for table in (find(hall, code) for code in codes):
        others = [t for t in hall.tables if t.state != "closed" and t.code != table.code]
        if any((t.round, t.number) == (table.round, table.number) for t in others):
            raise NotNow(
                f"Number {table.number} was given to another table since. Change one of the two numbers first.",
                given=table.number,
            )


def put_away(tables: Tables, desk: Desk, code: str) -> None:
    """Take a table off the lobby and the hall's board; the organiser restores it, and its links still open it.

    :raises NotNow: while it is played at
    """
    table = find(desk.state(), code)
    if table.state != "closed" and not tables.row(code).ended:
        raise NotNow("Only a closed table, or one whose game has ended, can be archived.", given=code)
    tables.store.archive(code)


def restore(tables: Tables, desk: Desk, code: str) -> None:
    """Bring a table back that was paused, closed or put away."""
    set_state(tables, desk, [code], "open")
    tables.store.unarchive(code)


# -- what it is called, and where it stands ---------------------------------------------------------------


@dataclass(frozen=True)
class Details:
    """What the organiser can change of a table."""

    number: int
    name: str
    players: Mapping[str, str]


def change_details(desk: Desk, code: str, new: Details) -> Hall:
    """Give a table another number, name or players.

    :raises Unreadable: naming the field
    """
    if not 1 <= new.number <= HALL_NUMBER:
        raise Unreadable(f"{new.number} is no table number: 1 to {HALL_NUMBER}", field="number")
    if len(new.name) > TITLE:
        raise Unreadable(f"A table's name has at most {TITLE} characters", field="name")
    players = {side: " ".join(name.split()) for side, name in new.players.items() if name.strip()}
    for side, name in players.items():
        if len(name) > PLAYER:
            raise Unreadable(f"A player's name has at most {PLAYER} characters", field=f"player-{side}")

    def change(hall: Hall) -> Hall:
        table = find(hall, code)
        beside = [t for t in hall.tables if t.code != code and t.round == table.round and t.state != "closed"]
        if table.state != "closed" and any(t.number == new.number for t in beside):
            raise Unreadable(f"Number {new.number} is taken", field="number", given=new.number)
        seated = {same_name(name): t.number for t in beside for name in t.players.values()}
        for side, name in players.items():
            if same_name(name) in seated and name != table.players.get(side):
                where = seated[same_name(name)]
                raise Unreadable(f"{name} plays at table {where} already", field=f"player-{side}")
        changed = replace(table, number=new.number, name=new.name.strip(), players=players)
        return replace(put(hall, code, lambda _: changed), contest=follow(hall.contest, changed))

    return desk.change(change)


def move(desk: Desk, code: str, by: int) -> Hall:
    """Move a table up (-1) or down (+1): it changes places with the next one of its round that is not closed."""

    def change(hall: Hall) -> Hall:
        table = find(hall, code)
        listed = [t for t in hall.tables if t.round == table.round and (t.state != "closed" or t == table)]
        at = listed.index(table)
        other = listed[max(0, min(len(listed) - 1, at + by))]
        swapped = {table.code: other, other.code: table}
        return replace(hall, tables=tuple(swapped.get(t.code, t) for t in hall.tables))

    return desk.change(change)


def by_number(desk: Desk) -> Hall:
    """Order the tables by round and number."""
    return desk.change(
        lambda hall: replace(hall, tables=tuple(sorted(hall.tables, key=lambda t: (t.round, t.number))))
    )
