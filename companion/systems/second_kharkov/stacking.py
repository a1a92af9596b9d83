"""Stacking: how many to a hex, which armies together, and what overstacking costs (7.1-7.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from companion.engine import events as e
from companion.engine.actions import Events
from companion.engine.errors import Unreadable
from companion.engine.fields import Context, UnitRef
from companion.engine.game import Game
from companion.engine.roster import Unit
from companion.engine.sight import may_see_unit
from companion.systems.second_kharkov.base import GERMAN, PHASES, SOVIET, count, rules
from companion.systems.second_kharkov.dead import eliminate
from companion.systems.second_kharkov.units import ARMIES, SIXTH, army_of, is_172_75

LIMIT = {GERMAN: 3, SOVIET: 4}  # 7.1


def weight(side: str, stack: Sequence[Unit]) -> int:
    """How many units count: 172/75 is free in a 6th Army stack (7.5)."""
    others = [u for u in stack if not is_172_75(u)]
    free = (
        side == GERMAN
        and len(others) < len(stack)
        and all(u.formation in ("", SIXTH) for u in others)
        and others
    )
    return len(others) if free else len(stack)


def excess(side: str, stack: Sequence[Unit]) -> int:
    return max(0, weight(side, stack) - LIMIT[side])


def mixed(stack: Sequence[Unit]) -> str:
    """7.3: the armies in a hex when there is more than one."""
    armies = army_of(u for u in stack if u.formation in ARMIES)
    return armies if "+" in armies else ""


def overstacked(side: str, stack: Sequence[Unit]) -> str:
    """What is wrong with a stack, empty when nothing is."""
    if excess(side, stack):
        return f"more than {LIMIT[side]} units (7.1)"
    if side == GERMAN and mixed(stack):
        return f"armies do not stack: {mixed(stack)} (7.3)"
    return ""


def crowded(game: Game) -> dict[str, tuple[str, int]]:
    """Every overstacked hex with its side and how many units are too many."""
    found = {}
    for hex_id, stack in game.stacks().items():
        side = stack[0].side
        if over := excess(side, [u for u in stack if u.side == side]):
            found[hex_id] = (side, over)
    return found


@rules.panel
def stacking_warnings(game: Game, seat: str) -> dict[str, Any] | None:
    """Hexes that break the stacking rules, as far as this seat may look."""
    rows = [
        {"label": hex_id, "value": f"{count(over, 'unit')} too many", "rule": "7.1"}
        for hex_id, (_, over) in crowded(game).items()
    ]
    for hex_id, stack in game.stacks().items():
        if len({u.side for u in stack}) > 1:
            rows.append({"label": hex_id, "value": "both sides in one hex", "rule": "7.1, 11.4"})
        seen = [u for u in stack if u.side == GERMAN and may_see_unit(game, u, seat)]
        if mixed(seen):
            rows.append({"label": hex_id, "value": f"armies do not stack: {mixed(seen)}", "rule": "7.3"})
    return {"title": "Stacking", "rows": rows, "for": "both"} if rows else None


def ask_to_remove(game: Game) -> Events:
    """7.2: overstacking found as a phase opens costs the units too many, of the enemy's choice."""
    for hex_id, (side, over) in crowded(game).items():
        text = f"{hex_id} is overstacked: {game.side_name(game.other(side))} removes {count(over, 'unit')}"
        name, to = f"overstack-{hex_id}-{game.revision}", (game.other(side), "table")
        yield e.Asked(name, to, text, "remove-overstack", rule="7.2")


for _phase in PHASES:
    rules.entering(_phase)(ask_to_remove)


def _removable(ctx: Context) -> list[Unit]:
    """Units of overstacked hexes; a side's phone offers the enemy's only."""
    game = ctx.game
    if game is None:
        return []
    hexes = [h for h, (side, _) in crowded(game).items() if side != ctx.seat]
    return [u for h in hexes for u in game.units_at(h)]


@rules.action(by="any", rule="7.2", label="Remove overstacked units", group="hidden")
def remove_overstack(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Which", many=True, pick=_removable)],
) -> Events:
    """Send the units too many to the dead pile, the enemy's choice and no more than needed."""
    for hex_id, (_, over) in crowded(game).items():
        named = [n for n in units if game.units[n].place == hex_id]
        if len(named) > over:
            raise Unreadable(
                f"{hex_id}: {count(over, 'unit')} must go, not {len(named)} (7.2)", field="units"
            )
    for name in units:
        yield from eliminate(game, game.units[name], "7.2", counts=bool(game["overstack-vp"]))
