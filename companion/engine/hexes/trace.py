"""One path search for every game's lines of supply and command.

`trace` floods the map once from all sources together, so that one pass answers for every unit of a side;
what stops the flood is a Policy's business.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import heappop, heappush
from typing import Literal, NamedTuple

from companion.engine.hexes.board import Board, Cost, Piece, Situation, ZoneRule, zoc
from companion.engine.hexes.cutting import Pocket, cutters
from companion.engine.hexes.policy import CLOSED, UNSEEN, ZONE, Ban, Policy, survey

__all__ = [
    "Ban",
    "Board",
    "Cost",
    "Piece",
    "Policy",
    "Situation",
    "Stage",
    "SupplyLine",
    "Trace",
    "ZoneRule",
    "chain",
    "either",
    "trace",
    "zoc",
]


class SupplyLine(NamedTuple):
    """One unit's line of supply as a trace found it; path and cause are worked out when they are asked for."""

    unit: str
    hex: str
    supplied: bool
    from_units_only: bool = False
    """The map book is empty, so rivers, roads and terrain were not looked at."""
    found: Trace | None = None

    @property
    def path(self) -> tuple[str, ...]:
        """The hexes from the source to the unit."""
        return self.found.path(self.hex) if self.found and self.supplied else ()

    @property
    def cut(self) -> dict[str, str]:
        """When cut: the hexes and hexsides that stop every path, each with its reason."""
        return {} if self.found is None or self.supplied else self.found.cut(self.hex)


class Trace:
    """The flooded map: ask it about hexes and units."""

    def __init__(
        self,
        situation: Situation,
        policy: Policy,
        sources: Iterable[str],
        parent: Trace | None = None,
    ) -> None:
        self.situation, self.policy, self.parent = situation, policy, parent
        self.grid = situation.board.grid
        self.ground = survey(situation, policy)
        self.lost: dict[str, str] = {}
        """The sources that do not work, each with its reason."""
        self._sources = {self.grid.index[h] for h in sources if h in self.grid.index}
        self.starts = sorted(i for i in self._sources if self._works(i))
        self.links = self.ground.links
        self.came = self._flood() if policy.cost is None else self._weigh(policy.cost)

    def _works(self, i: int) -> bool:
        """Whether a source can be drawn on; if not, note why."""
        hex_id, policy = self.grid.ids[i], self.policy
        reason = self.ground.closed.get(i, "")
        if not reason and i in self.ground.last and not policy.source_in_ezoc:
            reason = ZONE
        if not reason and not policy.source_if_held:
            others = (side for side in self.situation.held if side != policy.side)
            if any(self.situation.controls(side, hex_id) for side in others):
                reason = "held by the enemy"
        if reason:
            self.lost[hex_id] = f"source: {reason}"
        return not reason

    def _blank(self) -> list[int]:
        came = [UNSEEN] * len(self.grid.ids)
        for i in self.ground.closed:
            came[i] = CLOSED
        for i in self.starts:
            came[i] = i
        return came

    def _flood(self) -> list[int]:
        """Where each reached hex was entered from; a source points at itself."""
        came, links, last = self._blank(), self.links, self.ground.last
        limit = len(came) if self.policy.limit is None else self.policy.limit
        frontier = self.starts
        while frontier and limit > 0:
            limit -= 1
            reached = []
            for i in frontier:
                for j in links[i]:
                    if came[j] == UNSEEN:
                        came[j] = i
                        if j not in last:
                            reached.append(j)
            frontier = reached
        return came

    def _weigh(self, cost: Cost) -> list[int]:
        """The same with a price on each step, cheapest first."""
        came, links, last = self._blank(), self.links, self.ground.last
        prices = self.situation.board.costs(cost)
        friends = self.situation.occupied.get(self.policy.side, {}) if self.policy.friends_free else {}
        far = 1 << 60
        limit = far if self.policy.limit is None else self.policy.limit
        spent = [far] * len(came)
        heap = [(0, i) for i in self.starts]
        for i in self.starts:
            spent[i] = 0
        while heap:
            so_far, i = heappop(heap)
            if so_far > spent[i] or (i in last and came[i] != i):
                continue
            for j in links[i]:
                price = 0 if i in friends and j in friends else prices[i].get(j)
                if price is None or came[j] == CLOSED:
                    continue
                total = so_far + price
                if total < spent[j] and total <= limit:
                    spent[j], came[j] = total, i
                    heappush(heap, (total, j))
        return came

    # --- asking

    def reached(self) -> list[str]:
        """Every hex through which a path may go on."""
        last = self.ground.last
        came = self.came
        return [h for i, h in enumerate(self.grid.ids) if came[i] == i or (came[i] >= 0 and i not in last)]

    def _entry(self, i: int) -> int:
        """From where a path enters the hex, a last step over a ban included; UNSEEN when none does."""
        if self.came[i] >= 0:
            return self.came[i]
        if self.came[i] == UNSEEN:
            for j in self.ground.beside.get(i, ()):
                if self.came[j] < 0 or j in self.ground.last:
                    continue
                if self.policy.limit is None or len(self._walk(j)) <= self.policy.limit:
                    return j
        return UNSEEN

    def _walk(self, i: int) -> list[int]:
        came, path = self.came, [i]
        while came[i] != i:
            i = came[i]
            path.append(i)
        return path

    def supplied(self, hex_id: str) -> bool:
        """Say whether a path reaches this hex."""
        return self._supplied(self.grid.index[self.grid.parse(hex_id)])

    def _supplied(self, i: int) -> bool:
        return self._entry(i) >= 0 or (self.policy.supplied_on_source and i in self._sources)

    def path(self, hex_id: str) -> tuple[str, ...]:
        """The hexes from the source to this one, or nothing when it is cut."""
        i = self.grid.index[self.grid.parse(hex_id)]
        if not self._supplied(i):
            return ()
        entry = self._entry(i)
        walk = [i] if entry in (UNSEEN, i) else [i, *self._walk(entry)]
        ids = self.grid.ids
        own = tuple([ids[k] for k in reversed(walk)])
        return (*self.parent.path(own[0])[:-1], *own) if self.parent else own

    def cut(self, hex_id: str) -> dict[str, str]:
        """What stops every path to this hex; empty when one gets through."""
        return cutters(self, hex_id)

    @cached_property
    def outer(self) -> set[int]:
        """The blocked hexes that touch supplied ground, directly or through other blocked hexes."""
        ground, links, came = self.ground, self.grid.adjacency, self.came
        blocked = {*ground.closed, *ground.last}
        stack = [i for i in blocked if any(came[j] >= 0 and j not in blocked for j in links[i])]
        found = set(stack)
        while stack:
            for j in links[stack.pop()]:
                if j in blocked and j not in found:
                    found.add(j)
                    stack.append(j)
        return found

    @cached_property
    def pockets(self) -> dict[int, Pocket]:
        """What was already found out about cut-off ground, so that units in one pocket share it."""
        return {}

    @cached_property
    def prices(self) -> list[dict[int, int]] | None:
        """What steps cost where a policy prices them."""
        return None if self.policy.cost is None else self.situation.board.costs(self.policy.cost)

    def answer(self, unit: Piece) -> SupplyLine:
        """The answer for one unit of the side, which must be on the map."""
        return SupplyLine(unit.id, unit.hex, self.supplied(unit.hex), self.situation.board.blank, self)

    def answers(self) -> dict[str, SupplyLine]:
        """The answers for all units of the side that are on the map."""
        stacks, blank = self.situation.occupied.get(self.policy.side, {}), self.situation.board.blank
        found: dict[str, SupplyLine] = {}
        for i, units in stacks.items():
            supplied = self._supplied(i)
            for unit in units:
                found[unit.id] = SupplyLine(unit.id, unit.hex, supplied, blank, self)
        return found


def trace(situation: Situation, policy: Policy, sources: Iterable[str]) -> Trace:
    """Trace all paths of a side at once."""
    return Trace(situation, policy, sources)


@dataclass(frozen=True)
class Stage:
    """One leg of a relayed path: along the rails, then to the headquarters, then to the units."""

    policy: Policy
    hand_on: Literal["hexes", "relays"] = "hexes"
    """What feeds the next leg: every hex reached, or the relay units that are supplied."""


def chain(situation: Situation, stages: Sequence[Stage], sources: Iterable[str]) -> Trace:
    """Trace leg by leg; the last leg's Trace answers, and its paths run all the way back to the sources."""
    found: Trace | None = None
    for stage in stages:
        found = Trace(situation, stage.policy, sources, parent=found)
        if stage.hand_on == "hexes":
            sources = found.reached()
        else:
            stacks = situation.occupied.get(stage.policy.side, {}).values()
            relays = [unit.hex for units in stacks for unit in units if unit.relay]
            sources = [h for h in relays if found.supplied(h)]
    if found is None:
        raise ValueError("a chain needs at least one stage")
    return found


def either(*traces: Trace) -> dict[str, SupplyLine]:
    """For each unit the first trace that supplies it; a cut unit gets the first trace's reasons."""
    best = traces[0].answers()
    for other in traces[1:]:
        for name, answer in other.answers().items():
            if answer.supplied and not best[name].supplied:
                best[name] = answer
    return best
