"""Losing steps [2.7, 12.63] and where lost units go [15.13, 16.3]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any

from companion.engine.forms.fields import Context, Flag, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Chance, Events
from companion.engine.positions import pieces
from companion.engine.record import events as e
from companion.engine.record.changes import change
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import chits
from companion.systems.kharkov_battles.base import AXIS, SOVIET, K, add, done, rules, scenario
from companion.systems.kharkov_battles.identity import undescribed
from companion.systems.kharkov_battles.lines import can_trace
from companion.systems.kharkov_battles.units import (
    become_cadre,
    is_cadre,
    is_formation,
    is_german_regiment,
    is_hq,
    is_mech,
    is_silhouette,
    label,
    on_the_map,
    rating,
    steps_left,
    supply_state,
    trait,
)

NEVER_BACK = ("popov", "bobkin")
LATER = 5


def destination(game: Game, unit: Unit, traced: bool, overrun: bool = False) -> tuple[str, str]:
    """The box a lost unit goes to, and the rule [11.32, 15.13, 15.23, 16.31, 16.35, 16.36, 20.1, 27.4]."""
    if is_hq(unit):
        if any(name in unit.name.lower() for name in NEVER_BACK):
            return "box:dead", "15.13"
        return ("box:dead", "11.32") if overrun and game["hq-overrun"] == "dead" else ("box:track", "15.13")
    if unit.kind == "fortress region":
        return "box:track", "27.4"
    if unit.kind == "ersatz":
        return "box:ersatz", "20.1"
    if unit.kind == "breakdown regiment":
        return "box:regiments", "15.23"
    if trait(game, unit, "no-repl"):
        return "box:dead", "16.36"
    if unit.side == AXIS and is_mech(unit) and is_silhouette(game, unit):
        return "box:track", "16.35"
    returns = unit.kind == "rifle" and not trait(game, unit, "guards")
    returns = returns or (is_mech(unit) and is_silhouette(game, unit))
    if unit.side == SOVIET and returns and unit.full == 1 and not rating(game, unit):
        return ("box:pool", "16.31") if traced else ("box:dead", "16.31")
    return "box:dead", "16.36"


def eliminate(game: Game, unit: Unit, traced: bool, reason: str, overrun: bool = False) -> Iterator[e.Event]:
    """A unit leaves the map: chit to the cup, counter to its box, losses counted."""
    place, rule = destination(game, unit, traced, overrun)
    regiment = is_german_regiment(game, unit)
    yield from chits.give_back(game, unit, reason)
    yield from pieces.eliminate(game, unit, place.removeprefix("box:"), reason, rule)
    if place == "box:track":
        turn = game.turn + LATER
        yield change(game, unit.id, {"turn": turn}, reason=f"back on turn {turn}", public=True)
    if unit.kind == "ersatz":
        yield from add(game, "ersatz", 1, "available again", "20.1")
    if regiment:
        yield from add(game, "regiments-lost", 1, f"{label(unit)} lost", "20.1, 27.3, 27.8")
    if scenario(game) == K and unit.side == SOVIET and is_formation(unit):
        yield from add(game, "soviet-lost", 1, f"{label(unit)} lost", "20.2")


def come_back(game: Game, unit: Unit, place: str, reason: str, rule: str, **facts: Any) -> e.Placed:
    """A counter from a box stands on the map again, at full strength."""
    told = {"steps": unit.full, **facts}
    return e.Placed(unit.id, place, was=unit.place, facts=told, reason=reason, rule=rule, side=unit.side)


def lose(game: Game, unit: Unit, steps: int, traced: bool, chance: Chance, reason: str) -> Iterator[e.Event]:
    """Take steps off a unit; the chit is drawn when only its reduced side is needed [2.7, 2.71]."""
    left = steps_left(game, unit) - steps
    if left <= 0:
        yield from eliminate(game, unit, traced, reason)
    elif rating(game, unit) and not is_cadre(game, unit):
        if left == 2:
            if not chits.status(game, unit):
                yield from chits.draw(game, unit, chance)
            yield from chits.turn_over(game, unit)
        else:
            yield from chits.give_back(game, unit, "cadre")
            yield from become_cadre(game, unit.id, reason)
    elif left == 1:
        yield from become_cadre(game, unit.id, reason)
    else:
        yield change(game, unit.id, {"steps": left}, reason=reason, rule="2.7", public=True)


def hit_by_attrition(game: Game, side: str, hex_id: str) -> list[str]:
    """The Isolated units of a hex; by one reading not those that became Isolated just now [8.4]."""
    fresh = game["attrition-who"] == "old"
    return [
        u.id for u in game.units_at(hex_id)
        if u.side == side and supply_state(game, u) == "isolated" and not (fresh and done(game, f"isolated/{u.id}"))
    ]  # fmt: skip


def no_line_for(field: str) -> Callable[[Context], bool]:
    """Whether the chosen unit has no supply line: the map's word, else that of its last supply phase."""

    def test(ctx: Context) -> bool:
        game, name = ctx.game, str(ctx.values.get(field) or "")
        if name not in game.units:
            return False
        traced = can_trace(game, game.units[name])
        return bool(supply_state(game, game.units[name])) if traced is None else not traced

    return test


def line_decides(field: str) -> Callable[[Context], bool]:
    """Whether a supply line decides over the chosen unit's box; nobody is asked about others [16.31]."""

    def test(ctx: Context) -> bool:
        game, name = ctx.game, str(ctx.values.get(field) or "")
        if name not in game.units:
            return False
        return destination(game, game.units[name], True) != destination(game, game.units[name], False)

    return test


NO_LINE = Annotated[
    bool, Flag(label="It has no supply line", start=no_line_for("unit"), when=line_decides("unit"))
]


def _anybody(game: Game) -> bool | str:
    return bool(pieces.on_map(game)) or "no counter is on record"


@rules.action(by="any", rule="2.7", label="Lose steps", group="units", when=_anybody, warns=undescribed)
def lose_steps(
    game: Game,
    chance: Chance,
    unit: Annotated[str, UnitRef(label="Unit", pick=on_the_map())],
    steps: Annotated[int, Whole(label="Steps", low=1, high=3)] = 1,
    no_line: NO_LINE = False,
) -> Events:
    """Take steps off a unit: the chit is turned, the counter becomes a cadre, or it leaves the map."""
    yield from lose(game, game.units[unit], steps, not no_line, chance, "step loss")


@rules.action(
    by="any", rule="16.3", label="Eliminate a unit", group="units", when=_anybody, warns=undescribed
)
def eliminate_unit(
    game: Game, unit: Annotated[str, UnitRef(label="Unit", pick=on_the_map())], no_line: NO_LINE = False
) -> Events:
    """Send a unit to the box it belongs in."""
    yield from eliminate(game, game.units[unit], not no_line, "eliminated")
