"""Offering a designated assault for resolution, with everything that the map and the counters tell."""

from __future__ import annotations

from typing import Any

from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import ground
from companion.systems.kharkov_battles.assault_form import LINES, terrain_line
from companion.systems.kharkov_battles.base import rules, to_side
from companion.systems.kharkov_battles.bonuses import combined_arms, tiger_shifts
from companion.systems.kharkov_battles.odds import COLUMNS
from companion.systems.kharkov_battles.targets import attackers_of, defenders_of, target_hexes
from companion.systems.kharkov_battles.units import fortified


def rivers_crossed(game: Game, target: str) -> str:
    """What the designated attackers cross, in the worksheet's words."""
    force = [u for u in attackers_of(game, target) if u.on_map]
    kinds = {ground.river(game, u.place, target) for u in force}
    if not kinds or "" in kinds:
        return "some" if "major" in kinds else "none"
    if kinds == {"minor"}:
        return "minor"
    return "major" if kinds == {"major"} else "mixed"


def suggestion(game: Game, target: str) -> dict[str, Any]:
    """Everything the record tells about a designated assault."""
    force, held = attackers_of(game, target), defenders_of(game, target)
    crossing = [u for u in force if ground.river(game, u.place, target) == "major"]
    hexes = target_hexes(game, target)
    several = len(hexes) > 1
    found: dict[str, Any] = {
        "target": target,
        "attack": game.mark(target, "attack-total") or 0,
        "defence": game.mark(target, "defence-total") or 0,
        "attacker_air": game.mark(target, "attack-air") or 0,
        "defender_air": game.mark(target, "defence-air") or 0,
        "river": rivers_crossed(game, target),
        "combined": combined_arms(game, force),
        "combined_defence": combined_arms(game, held, stack_only=True),
        "band_crosses": any(game.mark(u.id, "band") for u in crossing),
        "encircled": bool(force) and not several and ground.encircled(game, target, game.active),
        "fz": any(fortified(game, h, game.other(game.active)) for h in hexes),
        "rubble": any(game.mark(h, "rubble") for h in hexes),
        "town": any(ground.size(game, h) == "town" for h in hexes),
        "tigers": tiger_shifts(game, force),
        "tigers_defence": tiger_shifts(game, held),
        "several_hexes": several,
        "terrain": best_line(game, hexes),
    }
    return {k: v for k, v in found.items() if v}


def best_line(game: Game, hexes: list[str]) -> str:
    """Of several hexes the terrain that serves the defender best, by the owner's lines where they are filled [12.24]."""

    def kindness(line: str) -> tuple[int, int]:
        read = [game.chart("lines").cell(line, column).value for column in COLUMNS]
        known = [COLUMNS.index(str(r)) for r in read if r in COLUMNS]
        return (-sum(known) if len(known) == len(COLUMNS) else 0, LINES.index(line) if line in LINES else 0)

    return max((terrain_line(game, h) for h in hexes), key=kindness)


@rules.watch
def fresh_offers(game: Game) -> Events:
    """What an offered assault is resolved with is as the map stands now, not when it was announced [12.5]."""
    for ask in [a for a in game.asked.values() if a.action == "resolve-assault"]:
        target = str(ask.args.get("target") or "")
        if game.mark(target, "attack-total") is not None and suggestion(game, target) != ask.args:
            yield e.Answered(ask.id, "the situation has changed")
            yield from offer_resolution(game, target)


def offer_resolution(game: Game, target: str) -> Events:
    """Once both totals are known, the attacker may roll."""
    if game.mark(target, "attack-total") is None or game.mark(target, "defence-total") is None:
        return
    args = suggestion(game, target)
    text = f"Resolve the assault on {target}: {args['attack']} to {args['defence']}"
    if not ground.terrain(game, target) and args["terrain"] == "clear":
        text += ". Check the terrain: your map book does not tell it"
    yield e.Asked(
        f"assault-{target}-{game.revision}",
        to_side(game, game.active),
        text,
        "resolve-assault",
        args,
        rule="12.0",
    )
