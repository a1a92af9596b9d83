"""Stacking [6.1] at the end of a movement phase, and what is due this turn by the owner's charts."""

from __future__ import annotations

from companion.engine.forms.panels import Fact, Panel
from companion.engine.kit.roster import Unit
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books
from companion.systems.kharkov_battles.base import AXIS, MOVE_PHASES, SOVIET, rules, scenario
from companion.systems.kharkov_battles.returns import due_back
from companion.systems.kharkov_battles.units import is_combat_unit, is_hq, label, nation, stacks_free


def wrong_with(game: Game, stack: list[Unit]) -> list[tuple[str, str]]:
    """What is too much in one stack, with the rule [6.0, 6.12-6.14]."""
    found = []
    side = stack[0].side
    counted = [u for u in stack if is_combat_unit(u) and not stacks_free(game, u)]
    if len(counted) > 3:
        found.append((f"{len(counted)} combat units, 3 at most", "6.0"))
    if sum(1 for u in stack if is_hq(u)) > 1:
        found.append(("more than one HQ", "6.12"))
    if (
        side == AXIS
        and sum(1 for u in counted if u.kind in ("infantry", "light", "mountain") and u.size == "XX") > 2
    ):
        found.append(("more than two infantry divisions", "6.13"))
    if side == SOVIET and sum(1 for u in counted if u.size == "XXX") > 2:
        found.append(("more than two corps", "6.13"))
    nations = {nation(game, u) for u in stack if side == AXIS} - {"german"}
    if len(nations) > 1:
        found.append((f"{' and '.join(sorted(nations))} together", "6.14"))
    return found


def overstacked(game: Game) -> list[Fact]:
    """Stacks of the moving side that break a limit."""
    rows = []
    for hex_id, stack in game.stacks().items():
        own = [u for u in stack if u.side == game.active]
        for text, rule in wrong_with(game, own) if own else ():
            rows.append(Fact(hex_id, f"{text}: {', '.join(label(u) for u in own)}", rule))
    return rows


@rules.due_in(*MOVE_PHASES)
def stacks_due(game: Game) -> list[str]:
    """Limits hold as a movement phase ends [6.0, 6.11]."""
    return [f"{row.label}: {row.value} [{row.rule}]" for row in overstacked(game)]


@rules.panel
def stacking_panel(game: Game) -> Panel | None:
    """The same beside the map."""
    rows = overstacked(game) if game.phase in MOVE_PHASES else []
    return Panel("Stacking to put right", rows) if rows else None


@rules.panel
def due_panel(game: Game) -> Panel | None:
    """Reinforcements of the owner's charts and returns of this turn."""
    if game.phase != "reinforcement":
        return None
    rows = []
    for row in books.table(game, "arrivals").values():
        if books.word(row, "scenario") == scenario(game) and books.whole(row, "turn") == game.turn:
            side = game.side_name(books.word(row, "side"))
            rows.append(Fact(f"{side}: {row.get('units')}", str(row.get("entry") or ""), "17.0"))
    for unit in due_back(game):
        rows.append(Fact(f"{game.side_name(unit.side)}: {label(unit)} returns", "", "16.33, 16.35"))
    return Panel("Due this turn", rows) if rows else None
