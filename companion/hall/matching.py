"""The most couples among people who will not all have each other: Edmonds' search, which sees through odd circles."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence, Set

Couples = dict[int, int]
"""Each with the one he is coupled with, both ways."""


def most_couples(willing: Sequence[Set[int]], among: Iterable[int], given: Couples | None = None) -> Couples:
    """As many couples as there can be.

    :param willing: for each, those he would have, both ways
    :param among: those who are there
    :param given: couples to begin with, so that only what is missing is searched for
    """
    there = set(among)
    couples = {a: b for a, b in (given or {}).items() if a in there and b in there}
    alone = {one for one in there if one not in couples}
    for one in sorted(alone):
        if one in alone and len(alone) > 1:  # two of them find each other, or none does
            last = _couple(one, willing, there, alone, couples)
            if last is not None:
                alone -= {one, last}
    return couples


def _couple(
    root: int, willing: Sequence[Set[int]], there: set[int], alone: set[int], couples: Couples
) -> int | None:
    """Let one who is alone and another be coupled, where others can change theirs for it; else leave all as it is."""
    search = _Search(root, willing, there, alone - {root}, couples)
    end = last = search.end_of_path()
    while last is not None:
        before = search.came_from[last]
        after = couples.get(before)
        couples[last], couples[before] = before, last
        last = after
    return end


class _Search:
    """A walk from one who is alone over couples, turn by turn unknown and known, to another who is."""

    def __init__(
        self, root: int, willing: Sequence[Set[int]], there: set[int], others: set[int], couples: Couples
    ) -> None:
        self.root, self.willing, self.there, self.others, self.couples = root, willing, there, others, couples
        self.came_from: dict[int, int] = {}
        self.base = {one: one for one in there}
        """An odd circle counts as one: its base, where the walk came into it."""
        self.reached = {root}
        self.ahead = deque([root])

    def end_of_path(self) -> int | None:
        while self.ahead:
            here = self.ahead.popleft()
            end = min(self.others & self.willing[here], default=None)
            if end is not None:
                self.came_from[end] = here
                return end
            for there in self.willing[here] & self.there:
                if self.base[here] == self.base[there] or self.couples.get(here) == there:
                    continue
                if there == self.root or self.couples[there] in self.came_from:
                    self._close_circle(here, there)
                elif there not in self.came_from:
                    self.came_from[there] = here
                    self.reached.add(self.couples[there])
                    self.ahead.append(self.couples[there])
        return None

    def _close_circle(self, one: int, other: int) -> None:
        base = self._meeting(one, other)
        circle: set[int] = set()
        self._mark(one, base, other, circle)
        self._mark(other, base, one, circle)
        for some in self.there:
            if self.base[some] in circle:
                self.base[some] = base
                if some not in self.reached:
                    self.reached.add(some)
                    self.ahead.append(some)

    def _meeting(self, one: int, other: int) -> int:
        """Where the ways back from both come together."""
        passed = set()
        while True:
            one = self.base[one]
            passed.add(one)
            if one == self.root:
                break
            one = self.came_from[self.couples[one]]
        while True:
            other = self.base[other]
            if other in passed:
                return other
            other = self.came_from[self.couples[other]]

    def _mark(self, one: int, base: int, child: int, circle: set[int]) -> None:
        while self.base[one] != base:
            partner = self.couples[one]
            circle |= {self.base[one], self.base[partner]}
            self.came_from[one] = child
            child = partner
            one = self.came_from[partner]
