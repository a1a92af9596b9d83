"""Replacement steps: who may receive them and in which order [13, 15.34]."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, SideRef, UnitRef
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, change, move
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import (
    SOVIET,
    Reason,
    called,
    kind_of,
    mechanised,
    rules,
    side_at,
    side_of,
    ticked_off,
)
from companion.systems.enemy_action_kharkov.command import formation_choices, in_command
from companion.systems.enemy_action_kharkov.reserves import box_of
from companion.systems.enemy_action_kharkov.supply import hex_supplied
from companion.systems.enemy_action_kharkov.support import in_support

PRIORITIES = {
    1: "reduced non-mechanised unit on the map",
    2: "eliminated non-mechanised unit",
    3: "reduced mechanised unit on the map",
    4: "eliminated mechanised unit",
}


def may_receive(game: Game, unit: Unit) -> bool:
    """One of several steps: eliminated, or on the map with one step left, in supply and support [13.2, 13.21]."""
    if unit.full < 2:
        return False
    if unit.place == f"box:eliminated-{unit.side}":
        return True
    if not unit.on_map or unit.steps > 1 or game.mark(unit.id, "supply"):
        return False
    if hex_supplied(game, unit.side, unit.place) is False:
        return False
    return unit.side != SOVIET or in_support(game, unit.place) is not False


def priority(unit: Unit) -> int:
    """Non-mechanised before mechanised, map before eliminated box [13.1]."""
    return (3 if mechanised(unit) else 1) + (0 if unit.on_map else 1)


def candidates(game: Game, side: str, formations: list[str]) -> list[Unit]:
    """Eligible units of some formations, by priority."""
    found = [
        u for u in game.units.values() if u.side == side and (not formations or u.formation in formations)
    ]
    return sorted((u for u in found if may_receive(game, u)), key=lambda u: (priority(u), u.name))


def against_order(ctx: Context) -> Iterator[Reason]:
    """A lower priority only when all of a higher one have theirs [13.1]."""
    chosen = [ctx.game.units[u] for u in ctx.values.get("units") or ()]
    left = [u for u in _own(ctx) if u not in chosen]
    for unit in chosen:
        before = [u for u in left if priority(u) < priority(unit)]
        if not kind_of(unit) and left:
            yield Reason(f"nobody told the type of {called(unit)}: non-mechanised units come first", "13.1")
        if before:
            yield Reason(f"{called(before[0])} comes first: {PRIORITIES[priority(before[0])]}", "13.1")


@rules.worksheet(rule="13.1", title="Replacement candidates")
def replacement_candidates(
    ctx: Context, side: Annotated[str, SideRef(label="Side", start=side_at)] = ""
) -> Breakdown:
    """The units that may receive a step, in their order."""
    sheet = Breakdown("Replacement candidates")
    game = ctx.game
    if not side or not game.units:
        for number, text in PRIORITIES.items():
            sheet.add(text, f"priority {number}", "13.1")
        return sheet
    said = in_command(game)
    named = (
        list(said.get("for", []))
        if said.get("what") == "replace"
        else [f for f, _ in formation_choices(side)]
    )
    found = candidates(game, side, named)
    for unit in found:
        sheet.add(f"{called(unit)}: {PRIORITIES[priority(unit)]}", f"priority {priority(unit)}", "13.1")
    sheet.facts["candidates"] = [u.id for u in found]
    return sheet


def _give(game: Game, unit: Unit) -> Events:
    if unit.on_map:
        yield change(game, unit.id, {"steps": 2}, reason="replacement", rule="13.1", public=True)
    else:
        yield move(game, unit.id, box_of(unit.side), reason="rebuilt with one step", rule="13.1")
        yield change(game, unit.id, {"steps": 1}, reason=IN_PASSING, public=True)


def _own(ctx: Context) -> list[Unit]:
    game, side = ctx.game, side_of(ctx)
    named = list(in_command(game).get("for", [])) if game.phase == "command" else []
    return candidates(game, side, named)


def _replacing(game: Game) -> bool | str:
    said = in_command(game)
    if said.get("what") != "replace":
        return "play a card for replacements first [5.5]"
    if not candidates(game, game.active, list(said.get("for", []))):
        return "no unit on record can receive a step: do it on the map [13.2]"
    return int(said.get("given", 0)) < int(said.get("steps", 1)) or "all steps are assigned [13.1]"


@rules.action(
    phase="command",
    by="active",
    rule="13.1",
    label="Assign replacement steps",
    primary=True,
    when=_replacing,
    warns=against_order,
)
def replace_steps(
    game: Game, units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=_own)]
) -> Events:
    """Give each chosen unit one step: on the map its second, from the eliminated box a place in reserve."""
    said = in_command(game)
    chosen = [game.units[u] for u in units]
    steps = int(said.get("steps", 1)) - int(said.get("given", 0))
    if len(chosen) > steps:
        raise Unreadable(f"{steps} step(s) to give, {len(chosen)} units named", field="units", rule="13.1")
    for unit in chosen:
        yield from _give(game, unit)
    given = int(said.get("given", 0)) + len(chosen)
    yield e.Set("command", {**said, "given": given}, reason=f"{len(chosen)} steps assigned")


MUD_STEPS = 2  # [15.34]


def _mud_used(game: Game) -> dict[str, int]:
    """The turn, and the infantry steps that sides have assigned on it."""
    told: dict[str, int] = game["mud-steps"]
    return told if told.get("turn") == game.turn else {"turn": game.turn}


def _mud_left(game: Game) -> dict[str, int]:
    """Infantry steps that each side may still assign on this heavy-mud turn, Soviet first [15.34]."""
    used = _mud_used(game)
    return {s: MUD_STEPS - used.get(s, 0) for s in game.sides if used.get(s, 0) < MUD_STEPS}


def _mud_side(ctx: Context) -> str:
    left = _mud_left(ctx.game)
    return ctx.seat if ctx.seat in left else next(iter(left), "")


def _mud_sides(ctx: Context) -> list[tuple[str, str]]:
    """A side assigns its own steps; on the table's screen, either [15.34]."""
    left = [s for s in _mud_left(ctx.game) if ctx.seat in (s, "table")]
    return [(s, ctx.game.side_name(s)) for s in left]


def against_mud(ctx: Context) -> Iterator[Reason]:
    """The Soviet side first; units on the map before eliminated ones where the table keeps the order [13.1, 15.34]."""
    game, side = ctx.game, str(ctx.values["side"])
    if side != SOVIET and SOVIET in _mud_left(game):
        yield Reason("the Soviet side assigns its steps first", "15.34")
    chosen = [game.units[u] for u in ctx.values.get("units") or ()]
    infantry = _infantry(game, side)
    late = [u for u in chosen if not u.on_map and any(o.on_map and o not in chosen for o in infantry)]
    if late and game["mud-priority"]:
        yield Reason("units on the map come first", "13.1")


def _infantry(game: Game, side: str) -> list[Unit]:
    return [u for u in candidates(game, side, []) if kind_of(u) == "infantry"]


def _infantry_of(ctx: Context) -> list[Unit]:
    return _infantry(ctx.game, str(ctx.values.get("side") or "") or _mud_side(ctx))


@rules.action(
    phase="mud-replacements",
    by="any",
    rule="15.34",
    label="Assign infantry steps",
    primary=True,
    ticks=False,
    when=lambda game: bool(_mud_left(game)) or "both sides have assigned their two infantry steps [15.34]",
    warns=against_mud,
)
def mud_replacements(
    game: Game,
    side: Annotated[
        str,
        Choice(label="Side", options=_mud_sides, start=_mud_side, quiet=lambda c: len(_mud_sides(c)) == 1),
    ],
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Up to two infantry units",
            many=True,
            pick=_infantry_of,
            when=lambda c: bool(_infantry_of(c)),
        ),
    ] = (),
) -> Events:
    """Two infantry steps for two units, Soviet side first; no card is needed."""
    chosen = [game.units[u] for u in units]
    left = _mud_left(game)[side]
    if len(chosen) > left:
        raise Unreadable(f"{left} infantry step(s) left on this turn", field="units", rule="15.34")
    told = f"{len(chosen)} infantry steps" if chosen else "infantry steps assigned on the map, or none"
    yield e.Noted(f"{game.side_name(side)}: {told}", rule="15.34")
    for unit in chosen:
        yield from _give(game, unit)
    used = MUD_STEPS - left + len(chosen) if chosen else MUD_STEPS
    yield e.Set("mud-steps", {**_mud_used(game), side: used})
    yield from ticked_off(game, "mud-replacements", all_sides=game.sides, left=_mud_left(game))
