"""Ways back [12.71-12.74]: which hexes a beaten stack enters, what each costs, and where it may end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from companion.engine.kit.roster import Unit
from companion.engine.play.duties import standing
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import ground
from companion.systems.kharkov_battles.battles import members, of_phase

KEPT = 3
"""Of so many equally cheap paths into a hex the search remembers."""
FURTHER = 4
"""How many hexes beyond its result a stack is followed to find a free one [12.74]."""
MOST = 5
"""Up to so many ways each is offered; beyond that one to each hex."""

Path = tuple[str, ...]


@dataclass(frozen=True)
class Way:
    """One way back: the hexes entered, and where a step is lost on it."""

    origin: str
    path: Path
    tolls: Path
    """The hex of each step lost: enemy zones entered, and the last hex for each that could not be entered."""
    hexes: int
    """How far the victor may follow: hexes beyond the result do not count [12.74]."""

    @property
    def end(self) -> str:
        return self.path[-1] if self.path else self.origin

    @property
    def words(self) -> str:
        via = f" by {', '.join(self.path[:-1])}" if len(self.path) > 1 else ""
        there = f"{self.end}{via}" if self.path else f"Stays in {self.origin}"
        return f"{there}, lose {len(self.tolls)}" if self.tolls else there


@dataclass(frozen=True)
class Field:
    """The map as a retreating stack sees it."""

    game: Game
    side: str
    controlled: frozenset[str]
    """Enemy zones without a friend in them [7.32]."""
    enemies: frozenset[str]
    marked: frozenset[str]
    """Beside enemies whose own attack is still to be fought [12.74]."""

    @classmethod
    def of(cls, game: Game, side: str) -> Field:
        enemy = game.other(side)
        friends = ground.stacks(game, side)
        zones = frozenset(h for h in ground.zones(game, enemy, combat=True) if h not in friends)
        waiting = [b for b in of_phase(game) if b.attacker == enemy and not b.result and not b.sheet]
        places = {u.place for b in waiting for u in standing(game, b, enemy)}
        beside = {h for p in places for h in ground.grid_at(game, p).neighbours(p)}
        return cls(game, side, zones, frozenset(ground.stacks(game, enemy)), frozenset(beside))

    def shut(self, a: str, b: str) -> bool:
        """Hexes it could not normally go [12.71], over the Dnepr too [12.36]."""
        return (
            b in self.enemies or ground.river(self.game, a, b) == "barred" or ground.out_of_play(self.game, b)
        )

    def free(self, hex_id: str) -> bool:
        """Whether a retreat may end here, while there is a choice [12.74]."""
        return hex_id not in self.controlled and hex_id not in self.marked

    def tolls(self, path: Iterable[str]) -> Path:
        return tuple(h for h in path if h in self.controlled)

    def layers(self, origin: str, most: int) -> list[dict[str, list[Path]]]:
        """The cheapest paths to every hex, by their length; no hex twice [12.72]."""
        found: list[dict[str, list[Path]]] = [{origin: [()]}]
        for _ in range(most):
            here: dict[str, list[Path]] = {}
            for hex_id, paths in found[-1].items():
                for h in ground.grid_at(self.game, hex_id).neighbours(hex_id):
                    if h != origin and not self.shut(hex_id, h):
                        here.setdefault(h, []).extend((*p, h) for p in paths if h not in p)
            for h, paths in here.items():
                paths.sort(key=lambda p: (len(self.tolls(p)), p))
                cheapest = [p for p in paths if len(self.tolls(p)) == len(self.tolls(paths[0]))]
                here[h] = cheapest[:KEPT]
            found.append({h: paths for h, paths in here.items() if paths})
        return found


def ways_back(game: Game, battle: Battle, force: Sequence[Unit], origin: str, back: int) -> list[Way]:
    """The ways a stack may take: to a free hex if there is one, the cheapest, as far from who fought it as can be."""
    if not force:
        return []
    field = Field.of(game, force[0].side)
    layers = field.layers(origin, back)
    length = max(n for n, layer in enumerate(layers) if layer)
    ends = [p for paths in layers[length].values() for p in paths if p]
    if not ends:
        return [Way(origin, (), (origin,) * back, 0)]
    free = [p for p in ends if field.free(p[-1])]
    if not free and length == back:
        free = _further(field, origin, back)
    best = free or ends
    cheapest = min(len(field.tolls(p)) for p in best)
    best = [p for p in best if len(field.tolls(p)) == cheapest]
    foes = [u.place for u in members(game, battle, "A" if field.side == battle.defender else "D")]

    def away(path: Path) -> int:
        found = [d for f in foes if (d := ground.distance(game, path[-1], f)) is not None]
        return min(found, default=0)

    far = max(map(away, best))
    short = back - length
    found = [
        Way(origin, p, (*field.tolls(p), *(p[-1:] * short)), length)
        for p in sorted(best, key=lambda p: (p[-1], p))
        if away(p) == far
    ]
    return found if len(found) <= MOST else list({w.end: w for w in reversed(found)}.values())[::-1]


def _further(field: Field, origin: str, back: int) -> list[Path]:
    """Every end is controlled, or beside an attack still to come: the stack goes on to the next free hex [12.74]."""
    for layer in field.layers(origin, back + FURTHER)[back + 1 :]:
        free = [p for paths in layer.values() for p in paths if field.free(p[-1])]
        if free:
            return free
    return []


def connected(game: Game, origin: str, path: Sequence[str]) -> bool:
    """Whether each hex of a path that somebody told touches the one before."""
    steps = zip((origin, *path), path, strict=False)
    return bool(path) and all(b in ground.grid_at(game, a).neighbours(a) for a, b in steps)


def way_along(game: Game, side: str, origin: str, path: Sequence[str], back: int) -> Way:
    """A way that the players took on the map; its price is counted where every hex of it was told."""
    field = Field.of(game, side)
    if not connected(game, origin, path):
        return Way(origin, tuple(path[-1:]), (), back)
    short = max(0, back - len(path))
    return Way(origin, tuple(path), (*field.tolls(path), *(tuple(path[-1:]) * short)), min(back, len(path)))
