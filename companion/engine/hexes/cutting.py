"""Why a hex is cut off: the blocked hexes and hexsides between it and the ground that supply reaches."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from companion.engine.hexes.policy import UNSEEN

if TYPE_CHECKING:
    from companion.engine.hexes.trace import Trace

NO_SOURCE = "no source of supply is entered for this side"
NO_WAY = "no way for supply on this ground"


@dataclass
class Pocket:
    """Open ground that supply does not reach, with what walls it in."""

    near: bool = False
    """Whether supplied ground is next to it, so that only the limit kept supply out."""
    outside: dict[str, str] = field(default_factory=dict)
    """The walls that also touch supplied ground: these cut."""
    walls: dict[str, str] = field(default_factory=dict)
    """All walls, an enemy in the pocket's middle too."""

    def take(self, other: Pocket) -> None:
        """Add another pocket's walls to these."""
        self.near = self.near or other.near
        self.outside |= other.outside
        self.walls |= other.walls


def cutters(found: Trace, hex_id: str) -> dict[str, str]:
    """The hexes and hexsides that stop every path to a hex, each with its reason."""
    if found.supplied(hex_id):
        return {}
    i = found.grid.index[hex_id]
    if i in found.ground.closed:
        return {hex_id: found.ground.closed[i]}
    if not found.starts:
        return dict(found.lost) or {hex_id: NO_SOURCE}
    pocket = _around(found, i)
    reasons = pocket.outside or pocket.walls
    if not pocket.near:
        return dict(reasons)
    limit = found.policy.limit
    far = {hex_id: f"further than {limit} {found.policy.limit_unit} from the nearest source"}
    straight = min(found.grid.distance(hex_id, found.grid.ids[s]) for s in found.starts)
    # With the source out of range anyway, whoever stands in between is not what cuts.
    return far if limit is not None and straight > limit else {**far, **reasons}


def _around(found: Trace, i: int) -> Pocket:
    """The pocket of a hex; a hex where paths may only end has the pockets beside it for its own."""
    if i not in found.ground.last:
        return found.pockets.get(i) or _explore(found, i)
    whole = Pocket()
    for j in _look(found, i, whole):
        whole.take(found.pockets.get(j) or _explore(found, j))
    return whole


def _explore(found: Trace, i: int) -> Pocket:
    """Spread over the open ground around a hex, looking closely only where it ends."""
    pocket, pockets, came, last = Pocket(), found.pockets, found.came, found.ground.last
    links, everywhere = found.links, found.grid.adjacency
    sources = {found.grid.index[h] for h in found.lost}
    pockets[i] = pocket
    stack = [i]
    while stack:
        here = stack.pop()
        rim = found.prices is not None or here in sources or len(links[here]) < len(everywhere[here])
        for j in links[here]:
            if came[j] != UNSEEN or j in last:
                rim = True
            elif j not in pockets and not found.prices:
                pockets[j] = pocket
                stack.append(j)
        if rim:
            for j in _look(found, here, pocket):
                if j not in pockets:
                    pockets[j] = pocket
                    stack.append(j)
    return pocket


def _look(found: Trace, here: int, pocket: Pocket) -> list[int]:
    """Note the walls beside a hex; return the open hexes from which a path could have come."""
    (closed, last, shut, _, _), ids, came = found.ground, found.grid.ids, found.came
    links, prices, lost = found.links, found.prices, found.lost
    onward = []
    if ids[here] in lost:
        _wall(pocket, ids[here], lost[ids[here]], True)
    for j in found.grid.adjacency[here]:
        if shut and (j, here) in shut:
            # A river inside the pocket cuts nothing; one with supplied ground behind it does.
            _wall(pocket, found.situation.board.hexside(here, j), shut[j, here], came[j] >= 0)
        elif j in closed or j in last:
            _wall(pocket, ids[j], lost.get(ids[j]) or closed.get(j) or last[j], j in found.outer)
        elif prices is not None and here not in prices[j]:
            _wall(pocket, ids[here], NO_WAY, came[j] >= 0)
        elif found.policy.along and here not in links[j]:
            continue
        elif came[j] >= 0:
            pocket.near = True
        else:
            onward.append(j)
    return onward


def _wall(pocket: Pocket, key: str, reason: str, outside: bool) -> None:
    pocket.walls[key] = reason
    if outside:
        pocket.outside[key] = reason
