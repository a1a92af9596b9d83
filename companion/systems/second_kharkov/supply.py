"""Second Kharkov's supply: what each side's path may cross [8.4, 8.8, 8.11, 9.2-9.15]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet

from companion.engine.hexes.trace import Ban, Board, Piece, Policy, Situation, SupplyLine, Trace, trace
from companion.systems.second_kharkov.base import GERMAN, KHARKOV, SOVIET

# Kharkov starts German [4.2, 13.5]. Which other cities do is printed on the map only.
AT_START: Mapping[str, AbstractSet[str]] = {GERMAN: frozenset(KHARKOV)}

CROSSING = frozenset({"crossing"})
# No path over a major river but at a crossing [9.5]; minor rivers stop nobody.
MAJOR_RIVER = Ban(frozenset({"major river"}), "major river without a crossing [9.5]", unless=CROSSING)


def banks(board: Board) -> frozenset[str]:
    """The hexes on either side of a major river crossing [9.6]."""
    if "banks" not in board.memo:
        ids = board.grid.ids
        board.memo["banks"] = frozenset(ids[i] for i, j in board.features if board.features[i, j] & CROSSING)
    found: frozenset[str] = board.memo["banks"]
    return found


def _german_bank(situation: Situation, a: str, b: str) -> bool:
    return situation.controls(GERMAN, a) or situation.controls(GERMAN, b)


# The crossing itself is barred, not the hexes on its banks [9.6].
GERMAN_CROSSING = Ban(CROSSING, "crossing with a German-controlled bank [9.6]", when=_german_bank)


def _enemy_cities(situation: Situation, enemy: str) -> dict[str, str]:
    """An enemy-controlled city stops a path even when nobody is in it [9.7]."""
    cities = situation.board.places["city"]
    return {h: f"{enemy.capitalize()}-controlled city [9.7]" for h in cities if situation.controls(enemy, h)}


GERMAN_SUPPLY = Policy(
    side=GERMAN,
    ezoc="open",  # German paths ignore enemy zones [8.4, 9.4]
    bans=(MAJOR_RIVER,),
    blocks=lambda situation: _enemy_cities(situation, SOVIET),
    source_in_ezoc=True,  # control is enough [9.12]
)
SOVIET_SUPPLY = Policy(
    side=SOVIET,
    ezoc="last",  # one hex in an enemy zone, and only at the path's end [8.8, 9.4]
    friends_cancel=False,  # own units do not cancel a zone [8.11, 9.4]
    bans=(MAJOR_RIVER, GERMAN_CROSSING),
    blocks=lambda situation: _enemy_cities(situation, GERMAN),
    source_in_ezoc=False,  # controlled and free of enemy zones [9.13]
)
POLICIES = {GERMAN: GERMAN_SUPPLY, SOVIET: SOVIET_SUPPLY}


def lines(situation: Situation, policy: Policy) -> Trace:
    """A side's lines of supply from the sources in the map book, whatever its armies [9.2, 9.15].

    No line enters a hex with enemy units [9.3]. A captured enemy source feeds nobody [9.14], so each side reads
    its own list only.
    """
    return trace(situation, policy, situation.board.book.named("source", policy.side))


def answers(situation: Situation, policy: Policy, turn: int | None) -> Mapping[str, SupplyLine]:
    """Whether each unit of a side is in supply; on turn 1 all are [5.5]."""
    if turn != 1:
        return lines(situation, policy).answers()
    board = situation.board
    mine = (u for u in situation.units if u.side == policy.side and u.hex in board.grid.index)
    return {u.id: SupplyLine(u.id, u.hex, True, from_units_only=board.blank) for u in mine}


def check(
    board: Board,
    units: Iterable[tuple[str, str, str]],
    held: Mapping[str, AbstractSet[str]] | None = None,
    turn: int | None = None,
) -> dict[str, SupplyLine]:
    """The supply line of every unit (id, side, hex) on the map, both sides.

    :param held: hexes known to be controlled by each side besides those its units stand in; by default
        Kharkov is German.
    :param turn: on game turn 1 everybody is in supply [5.5].
    """
    situation = Situation(board, tuple(Piece(*unit) for unit in units), AT_START if held is None else held)
    return {n: a for policy in POLICIES.values() for n, a in answers(situation, policy, turn).items()}
