"""A route and what it costs: ground, rivers, enemy zones, interdiction [8.3, 8.7, 11.1-11.19]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from companion.engine.errors import Unreadable, did_you_mean
from companion.engine.forms.worksheet import Breakdown
from companion.engine.hexes.board import ZoneRule, zone_indices
from companion.engine.positions.situation import situation
from companion.engine.record.game import Game
from companion.systems.second_kharkov import ground
from companion.systems.second_kharkov.air import interdicted
from companion.systems.second_kharkov.base import GERMAN, SOVIET, Reason

FOOT_COST = {"clear": 1, "forest": 1, "marsh": 2, "town": 1, "city": 1}
MECH_COST = {"clear": 1, "forest": 2, "town": 1, "city": 2}
"""To enter a hex [11.11-11.13, 11.15]; marsh is closed to mechanised units."""
RIVER = {"minor": (1, 2), "crossing": (1, 2)}  # on foot, mechanised [11.14]
RULE = {"clear": "11.11", "forest": "11.12", "marsh": "11.13", "town": "11.15", "city": "11.15"}
WORDS = (*FOOT_COST, *RIVER, "major", "iz", "zoc")
ALL_OF_IT = 30
"""What crossing a major river costs a unit whose factor nobody told [11.14]: more than any unit has."""


@dataclass(frozen=True)
class Step:
    """One hex entered."""

    terrain: str = "clear"
    river: str = ""
    iz: bool = False
    zoc: bool = False
    hex: str = ""

    def __str__(self) -> str:
        parts = [
            self.hex,
            f"{self.river} river" if self.river in ("minor", "major") else self.river,
            self.terrain,
        ]
        return " ".join(p for p in (*parts, "in an interdiction zone" if self.iz else "") if p)


@dataclass(frozen=True)
class Mover:
    """Who moves: what a step costs depends on side and class only."""

    side: str
    mech: bool
    mf: int | None
    """None where nobody told it: then the costs are added up, and how far they get is the players' to see."""
    from_zoc: bool = False
    from_iz: bool = False
    spent: int = 0
    """What it has used up in this phase: an entry hex [10.1], or a march that was halted [11.2, 11.6]."""


def price(step: Step, mover: Mover) -> int:
    """All costs of one step add up [11.16]; an interdiction zone adds one for Soviets [11.19]."""
    ground_cost = (MECH_COST if mover.mech else FOOT_COST)[step.terrain]
    river_cost = RIVER.get(step.river, (0, 0))[mover.mech]
    return ground_cost + river_cost + (1 if step.iz and mover.side == SOVIET else 0)


def bar(steps: Sequence[Step], index: int, mover: Mover) -> Reason | None:
    """Why a step cannot be made; None when only its cost matters."""
    step = steps[index]
    before = steps[index - 1] if index else None
    from_zoc = before.zoc if before else mover.from_zoc
    from_iz = before.iz if before else mover.from_iz
    if mover.mech and step.terrain not in MECH_COST:
        return Reason(f"mechanised units never enter {step.terrain}", "11.13")
    if (before and before.zoc) or (mover.spent and from_zoc):
        return Reason("the move ended in an enemy zone", "8.3" if mover.side == GERMAN else "8.7")
    if mover.side == SOVIET and from_zoc and step.zoc:
        return Reason("Soviets never step from enemy zone to enemy zone", "8.7")
    if step.river == "major" and (before or mover.spent):
        return Reason("a major river is crossed only by units that began the phase beside it", "11.14")
    if step.river == "major" and mover.side == SOVIET and (step.iz or from_iz):
        return Reason("an interdiction zone closes the major river", "11.19")
    return None


@dataclass(frozen=True)
class Walked:
    """How far a route was made: hexes entered, points it took, points left (None where the factor is not known)."""

    made: int
    cost: int
    left: int | None


def walk(sheet: Breakdown, steps: Sequence[Step], mover: Mover, who: str = "") -> Walked:
    """Add up a route on the sheet, for one of several in a stack under his name [11.8]."""
    name, total = f"{who}, " if who else "", 0
    left = None if mover.mf is None else max(0, mover.mf - mover.spent)
    for index, step in enumerate(steps):
        line = f"{name}{index + 1}. {step}"
        stop = bar(steps, index, mover)
        if stop is not None:
            sheet.add(f"{line}: {stop.words}", "stop", stop.rule)
            return Walked(index, total, left)
        cost, rule = price(step, mover), RULE[step.terrain]
        if step.river == "major":
            cost, rule = ALL_OF_IT if left is None else left, "11.14"  # it takes all there is
        elif left is not None and cost > left and index == 0 and mover.mf and not mover.spent:
            cost, rule = left, "11.3"  # one hex is always possible with the whole factor
        if left is not None and cost > left:
            sheet.add(f"{line}: costs {cost}, only {left} left", "stop", "11.2")
            return Walked(index, total, left)
        total += cost
        left = None if left is None else left - cost
        sheet.add(line if left is None else f"{line}, {left} left", f"-{cost}", rule)
    return Walked(len(steps), total, left)


# -- reading one -----------------------------------------------------------------------------------


def read_route(text: str) -> list[Step]:
    """'clear, minor forest, iz town zoc' -> steps; hexes apart by commas, what is true of each by spaces."""
    steps = []
    for part in filter(None, (p.strip() for p in text.lower().split(","))):
        words = part.split()
        unknown = [w for w in words if w not in WORDS]
        if unknown:
            raise Unreadable(
                f"{unknown[0]!r} is no ground: {', '.join(WORDS)}.{did_you_mean(unknown[0], WORDS)}",
                field="route",
                given=unknown[0],
                accepted=", ".join(WORDS),
            )
        terrain = next((w for w in words if w in FOOT_COST), "clear")
        river = next((w for w in words if w in (*RIVER, "major")), "")
        steps.append(Step(terrain, river, "iz" in words, "zoc" in words))
    return steps


def read_hexes(game: Game, side: str, start: str, hexes: Sequence[str]) -> list[Step]:
    """The steps of a path on the map, as far as the map book and the record tell."""
    zones, air = enemy_zone(game, side), interdicted(game) if side == SOVIET else set()
    steps, here = [], start
    for hex_id in hexes:
        next_to(game, here, hex_id)
        terrain = ground.terrain(game, hex_id) or "clear"
        steps.append(Step(terrain, ground.river(game, here, hex_id), hex_id in air, hex_id in zones, hex_id))
        here = hex_id
    return steps


def find_way(game: Game, mover: Mover, start: str, goal: str) -> list[str]:
    """The cheapest hexes from one hex to another, around enemies and their zones; none where there is no way.

    The goal itself may be held by the enemy: that is for the sheet to say.
    """
    zones, air = enemy_zone(game, mover.side), interdicted(game) if mover.side == SOVIET else set()
    enemies = {h for h, stack in game.stacks().items() if any(u.side != mover.side for u in stack)}
    begun = Step(zoc=mover.from_zoc, iz=mover.from_iz)
    waiting: list[tuple[int, list[str], Step]] = [(0, [start], begun)]
    reached: set[str] = set()
    while waiting:
        spent, path, here = heappop(waiting)
        if path[-1] == goal:
            return path[1:]
        if path[-1] in reached:
            continue
        reached.add(path[-1])
        for hex_id in game.maps.neighbours(path[-1]):
            if hex_id in reached or (hex_id in enemies and hex_id != goal):
                continue
            river = ground.river(game, path[-1], hex_id)
            step = Step(
                ground.terrain(game, hex_id) or "clear", river, hex_id in air, hex_id in zones, hex_id
            )
            steps = [step] if len(path) == 1 else [here, step]
            if bar(steps, len(steps) - 1, mover) is None:
                cost = ALL_OF_IT if river == "major" else price(step, mover)
                heappush(waiting, (spent + cost, [*path, hex_id], step))
    return []


def next_to(game: Game, here: str, hex_id: str) -> None:
    """Refuse a step over more than one hexside [11.1].

    :raises Unreadable: when the hexes do not touch
    """
    if hex_id not in game.maps.neighbours(here):
        raise Unreadable(f"{hex_id} is not next to {here}", field="hexes", given=hex_id, rule="11.1")


def enemy_zone(game: Game, side: str) -> set[str]:
    """The hexes around every enemy unit, over any ground [8.1, 8.2]."""
    now = situation(game)
    return {now.board.grid.ids[i] for i in zone_indices(now.board, now.enemies(side), ZoneRule())}
