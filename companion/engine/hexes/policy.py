"""What stops a path: one game's and one side's rules of tracing, and what they make of a map.

To a path a hex is *open*, *last* (it may end there and go no further) or *closed*.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from companion.engine.hexes.board import Board, Cost, Situation, ZoneRule, zone_indices

ENEMY, ZONE = "enemy unit", "enemy zone of control"
# Where a hex was entered from, while it was not: not yet, or never.
UNSEEN, CLOSED = -1, -2
Sides = dict[tuple[int, int], str]


@dataclass(frozen=True)
class Ban:
    """A hexside that paths may not cross."""

    features: frozenset[str]
    reason: str
    unless: frozenset[str] = frozenset()
    """Features that open it again: a bridge, a crossing."""
    when: Callable[[Situation, str, str], bool] | None = None
    """The ban holds only while this is true of the two hexes."""
    beside_unit: bool = False
    """Whether the unit itself may stand right behind it: it bans every step but the last."""


@dataclass(frozen=True)
class Policy:
    """How one side's path runs in one game."""

    side: str
    zone: ZoneRule = ZoneRule()
    ezoc: Literal["open", "last", "closed"] = "last"
    """What an enemy zone of control makes of a hex."""
    friends_cancel: bool = False
    """Whether a friendly unit keeps its own hex open inside an enemy zone."""
    bans: tuple[Ban, ...] = ()
    blocks: Callable[[Situation], Mapping[str, str]] | None = None
    """Further closed hexes with the reason for each: enemy cities, forbidden terrain."""
    limit: int | None = None
    limit_unit: str = "hexes"
    cost: Cost | None = None
    """The price of a step; without it each step is one hex."""
    friends_free: bool = False
    """Whether a step between two friendly-occupied hexes costs nothing."""
    along: frozenset[str] = frozenset()
    """Road or rail classes that the path must follow."""
    source_in_ezoc: bool = True
    source_if_held: bool = False
    """Whether a source works although the enemy controls it."""
    supplied_on_source: bool = False
    """Whether a unit that stands on its side's source needs no path, even when the source does not work."""


class Ground(NamedTuple):
    """What a policy makes of the map at one moment."""

    closed: Mapping[int, str]
    last: Mapping[int, str]
    shut: Mapping[tuple[int, int], str]
    beside: Mapping[int, list[int]]
    """Hexes behind a ban that lets the last step through, with the hexes it comes from."""
    links: Sequence[tuple[int, ...]]
    """Where a path may step from each hex, occupation aside."""


def survey(situation: Situation, policy: Policy) -> Ground:
    """Work out which hexes and hexsides are closed to a policy's paths."""
    closed, last = _hexes(situation, policy)
    fixed = tuple(ban for ban in policy.bans if ban.when is None)
    key = ("fixed", policy.along, fixed)
    if key not in situation.board.memo:
        # Rivers do not move: the links that they leave open are worked out once per board.
        shut, beside = _sides(situation, fixed)
        start = situation.board.along(policy.along) if policy.along else situation.board.grid.adjacency
        situation.board.memo[key] = shut, beside, _without(start, shut)
    shut, beside, links = situation.board.memo[key]
    if len(fixed) < len(policy.bans):
        more, also = _sides(situation, tuple(ban for ban in policy.bans if ban.when))
        links = _without(links, more)
        shut, beside = {**more, **shut}, {**beside, **also}
    return Ground(closed, last, shut, beside, links)


def _hexes(situation: Situation, policy: Policy) -> tuple[dict[int, str], dict[int, str]]:
    board, enemies = situation.board, situation.enemies(policy.side)
    closed = dict.fromkeys(enemies, ENEMY)
    if policy.blocks:
        for hex_id, reason in policy.blocks(situation).items():
            if hex_id in board.grid.index:
                closed.setdefault(board.grid.index[hex_id], reason)
    last: dict[int, str] = {}
    if policy.ezoc != "open":
        zone = zone_indices(board, enemies, policy.zone)
        if policy.friends_cancel:
            friends = situation.occupied.get(policy.side, {})
            zone -= {i for i, units in friends.items() if any(unit.cancels for unit in units)}
        zone -= closed.keys()
        (last if policy.ezoc == "last" else closed).update(dict.fromkeys(zone, ZONE))
    return closed, last


def _sides(situation: Situation, bans: Sequence[Ban]) -> tuple[Sides, dict[int, list[int]]]:
    shut: Sides = {}
    beside: dict[int, list[int]] = {}
    ids = situation.board.grid.ids
    for ban in bans:
        for i, j in _banned(situation.board, ban):
            if ban.when is None or ban.when(situation, ids[i], ids[j]):
                shut.setdefault((i, j), ban.reason)
                if ban.beside_unit:
                    beside.setdefault(j, []).append(i)
    return shut, beside


def _banned(board: Board, ban: Ban) -> list[tuple[int, int]]:
    key = ("ban", ban.features, ban.unless)
    if key not in board.memo:
        board.memo[key] = [
            pair
            for pair, features in board.features.items()
            if features & ban.features and not features & ban.unless
        ]
    found: list[tuple[int, int]] = board.memo[key]
    return found


def _without(links: Sequence[tuple[int, ...]], shut: Sides) -> Sequence[tuple[int, ...]]:
    if not shut:
        return links
    rows = list(links)
    for i in {i for i, _ in shut}:
        rows[i] = tuple(j for j in rows[i] if (i, j) not in shut)
    return rows
