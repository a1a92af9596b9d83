"""Second Kharkov's supply: what each side's path may cross, rules 8.x and 9.2-9.15."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from companion.engine.hexes.trace import Ban, Board, Piece, Policy, Situation, SupplyLine, Trace, trace

GERMAN, SOVIET = "german", "soviet"
KHARKOV = frozenset({"2306", "2406", "2407"})
# 4.2, 13.5: Kharkov starts German. Which other cities do is printed on the map only.
AT_START: Mapping[str, AbstractSet[str]] = {GERMAN: KHARKOV}

CROSSING = frozenset({"crossing"})
# 9.5: no path over a major river but at a crossing; minor rivers stop nobody.
MAJOR_RIVER = Ban(frozenset({"major river"}), "major river without a crossing [9.5]", unless=CROSSING)


def _german_bank(situation: Situation, a: str, b: str) -> bool:
    return situation.controls(GERMAN, a) or situation.controls(GERMAN, b)


# 9.6: the crossing itself is barred, not the hexes on its banks.
GERMAN_CROSSING = Ban(CROSSING, "crossing with a German-controlled bank [9.6]", when=_german_bank)


def _enemy_cities(situation: Situation, enemy: str) -> dict[str, str]:
    """9.7: an enemy-controlled city stops a path even when nobody is in it."""
    cities = situation.board.places["city"]
    return {h: f"{enemy.capitalize()}-controlled city [9.7]" for h in cities if situation.controls(enemy, h)}


GERMAN_SUPPLY = Policy(
    side=GERMAN,
    ezoc="open",  # 8.4, 9.4: German paths ignore enemy zones
    bans=(MAJOR_RIVER,),
    blocks=lambda situation: _enemy_cities(situation, SOVIET),
    source_in_ezoc=True,  # 9.12: control is enough
)
SOVIET_SUPPLY = Policy(
    side=SOVIET,
    ezoc="last",  # 8.8, 9.4: one hex in an enemy zone, and only at the path's end
    friends_cancel=False,  # 8.11, 9.4: own units do not cancel a zone
    bans=(MAJOR_RIVER, GERMAN_CROSSING),
    blocks=lambda situation: _enemy_cities(situation, GERMAN),
    source_in_ezoc=False,  # 9.13: controlled and free of enemy zones
)
POLICIES = {GERMAN: GERMAN_SUPPLY, SOVIET: SOVIET_SUPPLY}


def supply(situation: Situation, side: str) -> Trace:
    """Trace one side's supply from the sources in the map book."""
    # 9.14: a captured enemy source feeds nobody, so each side reads its own list only.
    return trace(situation, POLICIES[side], situation.board.book.named("source", side))


def check(
    board: Board,
    units: Iterable[tuple[str, str, str]],
    held: Mapping[str, AbstractSet[str]] | None = None,
    turn: int | None = None,
) -> dict[str, SupplyLine]:
    """Answer for every unit (id, side, hex) on the map, both sides.

    :param held: hexes known to be controlled by each side besides those its units stand in; by default
        Kharkov is German.
    :param turn: on game turn 1 everybody is in supply [5.5].
    """
    situation = Situation(board, tuple(Piece(*unit) for unit in units), AT_START if held is None else held)
    if turn == 1:
        on_map = (unit for unit in situation.units if unit.hex in board.grid.index)
        return {u.id: SupplyLine(u.id, u.hex, True, from_units_only=board.blank) for u in on_map}
    found: dict[str, SupplyLine] = {}
    for side in POLICIES:
        found |= supply(situation, side).answers()
    return found
