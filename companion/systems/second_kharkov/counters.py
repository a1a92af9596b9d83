"""Counters put on record: what is printed on them is right however they enter, or it is asked [2.5, 2.10-2.14, 3.4]."""

from __future__ import annotations

from typing import Annotated, Any

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Choice, Context, HexId, SideRef, Text, UnitRef, Whole
from companion.engine.kit.roster import Unit, slug
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe
from companion.engine.positions import pieces
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import IN_PASSING, change, create, read_off
from companion.engine.record.game import Game
from companion.systems.second_kharkov.base import FIGHT, GERMAN, SOVIET, rules
from companion.systems.second_kharkov.units import (
    ARMIES,
    KINDS,
    Kind,
    class_of,
    full_strength,
    label,
    seen_by,
    turn_over,
    type_of,
    typeless,
)

# -- as printed ------------------------------------------------------------------------------------


@rules.watch
def counters_as_printed(game: Game) -> Events:
    """Whatever way a unit comes on record, its type, steps and question mark are those of its counter."""
    for unit in list(game.units.values()):
        facts = {**_type(unit), **_steps(unit), **_question_mark(game, unit)}
        if facts:
            yield change(game, unit.id, facts, reason=IN_PASSING, rule="2.10, 2.13, 2.14")


def _type(unit: Unit) -> dict[str, Any]:
    """A type written freely, or only in the name, is one of the list [2.10]."""
    if unit.kind in KINDS[unit.side]:
        return {}
    kind = type_of(unit.kind, unit.side) or ("" if unit.klass else type_of(unit.name, unit.side))
    return class_of(kind)


def _steps(unit: Unit) -> dict[str, Any]:
    """Steps that nobody told are those of a whole unit [2.13, 3.4]; no unit has more than it can have."""
    untold = unit.steps == unit.full == 1 and unit.kind not in KINDS[unit.side]
    full = full_strength(unit.side, unit.name or unit.id)
    if untold and unit.full != full:
        return {"full": full, "steps": full}
    if max(unit.steps, unit.full) <= full:
        return {}
    return {"full": min(unit.full, full), "steps": min(unit.steps, full)}


@rules.watch
def without_steps(game: Game) -> Events:
    """Whoever is set to no steps by hand is in the dead pile [2.13]; points for that are the players' to count."""
    for unit in list(game.units.values()):
        if unit.on_map and unit.steps < 1:
            yield from pieces.eliminate(game, unit, "dead", rule="2.13")


def _question_mark(game: Game, unit: Unit) -> dict[str, Any]:
    """A Soviet unit comes question mark up, and stays so until its first battle [2.14]."""
    fresh = unit.side == SOVIET and not unit.untried and game.mark(unit.id, "veteran") is None
    return {"untried": True} if fresh else {}


def fresh_id(game: Game, side: str, name: str) -> str:
    """An id for a new unit; those of the same name are numbered."""
    base = slug(f"{side} {name}")
    number, unit_id = 2, base
    while unit_id in game.units:
        unit_id, number = f"{base}-{number}", number + 1
    return unit_id


def _chosen_side(ctx: Context) -> str:
    return str(ctx.values.get("side") or "")


@rules.action(by="any", label="Add a unit", group="units", rule="2.5, 2.13")
def add_unit(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=lambda c: c.seat if c.seat in c.game.sides else "")],
    name: Annotated[str, Text(label="Name", most=40, placeholder="3rd Panzer")],
    kind: Annotated[str, Kind(label="Type", side=_chosen_side, when=lambda c: bool(_chosen_side(c)))] = "",
    army: Annotated[
        str, Choice(label="Army", options=[(a, a) for a in ARMIES], when=lambda c: _chosen_side(c) == GERMAN)
    ] = "",
    hex: Annotated[str, HexId(label="Hex")] = "",
    steps: Annotated[
        int | None,
        Whole(
            label="Steps left", help="blank: whole", low=1, high=4, when=lambda c: _chosen_side(c) == GERMAN
        ),
    ] = None,
) -> Events:
    """Put a unit on record that the scenario does not list."""
    full = full_strength(side, name)
    facts = {
        "side": side,
        "name": name,
        **class_of(kind or type_of(name, side)),
        "formation": army,
        "steps": min(steps or full, full),
        "full": full,
        "untried": side == SOVIET,
    }
    yield create(game, fresh_id(game, side, name), hex, {k: v for k, v in facts.items() if v})


# -- types, asked where they matter ----------------------------------------------------------------


def ask_types(game: Game, battle: Battle, step: int) -> Events:
    """Whether a unit is mechanised decides halvings and points [2.10, 4.4]: asked once, at its first battle."""
    for side in battle.forces:
        for unit in typeless(game.units[n] for n in battle.units(side)):
            text = f"{game.side_name(side)}: which type is {label(unit)}?"
            yield owe(game, side, text, name_type, battle=battle, step=step, units=[unit.id], rule="2.10")


def _asked_of(ctx: Context) -> str:
    return ctx.game.units[ctx.duty.units[0]].side if ctx.duty else ""


def _nameless(game: Game, duty: e.Asked) -> bool:
    return any(n in game.units and typeless([game.units[n]]) for n in duty.units)


@rules.follow_up(rule="2.10", label="Name its type", still=_nameless)
def name_type(game: Game, duty: e.Asked, kind: Annotated[str, Kind(label="Type", side=_asked_of)]) -> Events:
    """Say what type a unit in the battle is; it is remembered."""
    yield change(game, duty.units[0], class_of(kind), reason=kind, rule="2.10", public=True)


# -- copying ---------------------------------------------------------------------------------------


def _picked(ctx: Context) -> Unit | None:
    return ctx.game.units.get(str(ctx.values.get("unit")))


def _picked_side(ctx: Context) -> str:
    unit = _picked(ctx)
    return unit.side if unit else ""


@rules.action(
    by="any",
    rule="2.5, 2.14",
    label="Copy a counter",
    group="units",
    when=lambda game: bool(game.units) or NotNow("no unit is on record", rule="2.5"),
)
def copy_counter(
    game: Game,
    unit: Annotated[str, UnitRef(label="Unit", pick=seen_by)],
    name: Annotated[str, Text(label="Name on it", most=40)] = "",
    kind: Annotated[str, Kind(label="Type", side=_picked_side, when=lambda c: _picked(c) is not None)] = "",
    army: Annotated[
        str, Choice(label="Army", options=[(a, a) for a in ARMIES], when=lambda c: _picked_side(c) == GERMAN)
    ] = "",
    af: Annotated[int | None, Whole(label="Attack factor", high=99)] = None,
    df: Annotated[int | None, Whole(label="Defence factor", high=99)] = None,
    mf: Annotated[int | None, Whole(label="Movement factor", high=99)] = None,
) -> Events:
    """Put on record what the face of a counter shows. An untried unit is turned over only in a battle."""
    held = game.units[unit]
    turning = held.untried and (af is not None or df is not None or bool(name))
    if turning and game.phase not in FIGHT.values():
        raise NotNow(
            f"{label(held)} is untried: it is turned over in its first battle",
            field="unit",
            given=unit,
            rule="2.14",
        )
    if turning:
        yield from turn_over(game, [held])
    words = {"name": name, **class_of(kind), "formation": army}
    given = {"AF": af, "DF": df, "MF": mf}
    numbers = {**held.factors, **{k: v for k, v in given.items() if v is not None}}
    facts = {**{k: v for k, v in words.items() if v}, "factors": numbers}
    yield read_off(game, unit, facts, "2.5", public=turning)
