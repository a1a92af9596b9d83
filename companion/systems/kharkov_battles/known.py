"""What the map and the counters tell about a battle, so that nobody has to [12.2-12.5, 15.3]."""

from __future__ import annotations

from dataclasses import dataclass

from companion.engine.forms.fields import Context
from companion.engine.kit.roster import Unit
from companion.engine.once import once
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import ground
from companion.systems.kharkov_battles.bonuses import combined_arms
from companion.systems.kharkov_battles.fighting import force_of
from companion.systems.kharkov_battles.odds import COLUMNS
from companion.systems.kharkov_battles.units import fortified

LINES = ("clear", "woods", "high woods", "marsh", "mountain", "town", "city")


@dataclass(frozen=True)
class Field:
    """Where a battle is fought and who fights it, as far as they are on record."""

    hexes: tuple[str, ...] = ()
    attacker: str = ""
    force: tuple[Unit, ...] = ()
    held: tuple[Unit, ...] = ()
    battle: Battle | None = None


def field_of(ctx: Context) -> Field:
    """The battle that is being rolled for, or the one that a form names by its hex."""
    game, battle = ctx.game, ctx.battle
    if battle is not None:
        force, held = force_of(game, battle, "attack"), force_of(game, battle, "defence")
        return Field(battle.hexes, battle.attacker, tuple(force), tuple(held), battle)
    target = str(ctx.values.get("target") or "")
    side = game.active
    return Field(
        (target,) if target else (), side, (), tuple(u for u in game.units_at(target) if u.side != side)
    )


def terrain_line(game: Game, target: str) -> str:
    """The line a hex is read on: a city is one of its own [12.45]; nothing where nobody entered it."""
    return "city" if ground.size(game, target) == "city" else ground.terrain(game, target)


@once
def best_line(game: Game, hexes: tuple[str, ...]) -> str:
    """Of several hexes the terrain that serves the defender best, by the owner's lines where they are filled [12.24]."""

    def kindness(line: str) -> tuple[int, int]:
        read = [game.chart("lines").cell(line or "clear", column).value for column in COLUMNS]
        known = [COLUMNS.index(str(r)) for r in read if r in COLUMNS]
        return (-sum(known) if len(known) == len(COLUMNS) else 0, LINES.index(line) if line in LINES else 0)

    return max((terrain_line(game, h) for h in hexes), key=kindness, default="")


def rivers_crossed(game: Game, field: Field) -> str:
    """What the attackers on record cross, in the worksheet's words; one dry way into any hex is enough for none."""
    kinds = {ground.river(game, u.place, h) for u in field.force for h in field.hexes}
    if not kinds or "" in kinds:
        return "some" if "major" in kinds else "none"
    if kinds == {"minor"}:
        return "minor"
    return "major" if kinds == {"major"} else "mixed"


def encircled(game: Game, field: Field) -> bool:
    """As the map stands at the moment of the die: an earlier combat may have closed the ring [12.5]."""
    alone = len(field.hexes) == 1 and bool(field.held or field.force)
    return alone and ground.encircled(game, field.hexes[0], field.attacker)


def band_crosses(game: Game, field: Field) -> bool:
    over = [u for u in field.force if any(ground.river(game, u.place, h) == "major" for h in field.hexes)]
    return any(game.mark(u.id, "band") for u in over)


def in_town(game: Game, field: Field) -> bool:
    return any(ground.size(game, h) == "town" for h in field.hexes)


def in_works(game: Game, field: Field) -> bool:
    return (
        any(fortified(game, h, game.other(field.attacker)) for h in field.hexes) if field.attacker else False
    )


def in_rubble(game: Game, field: Field) -> bool:
    return any(game.mark(h, "rubble") for h in field.hexes)


def attackers_combine(game: Game, field: Field) -> bool:
    return combined_arms(game, list(field.force), field.battle)


def defenders_combine(game: Game, field: Field) -> bool:
    return combined_arms(game, list(field.held), field.battle, stack_only=True)


def having(ctx: Context, target: str) -> Context:
    """The same form about this hex."""
    return ctx.also(target=target)
