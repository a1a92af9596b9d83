"""Overrun [11.3]: a multi-step unit rides over a lone unit without a zone; friends nearby may take it in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from companion.engine.forms.fields import Choice, Context, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import DONE, engage, learn, leave, owe
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import ground
from companion.systems.kharkov_battles.base import MOVE_PHASES, Objection, rules
from companion.systems.kharkov_battles.battles import CHOICE, OVERRUN, stopped, target_of
from companion.systems.kharkov_battles.identity import ask_identity
from companion.systems.kharkov_battles.lines import can_trace
from companion.systems.kharkov_battles.losses import destination, eliminate
from companion.systems.kharkov_battles.units import (
    has_zoc,
    is_multi_step,
    label,
    on_the_map,
    rooted,
    supply_state,
)

LOST, CUT_OFF = "lost", "cut-off"


def safe(game: Game, unit: Unit) -> Objection | None:
    """Why a unit cannot be overrun: only lone ones without a zone outside towns and cities can [11.31, 11.33]."""
    if len([u for u in game.units_at(unit.place) if u.side == unit.side]) > 1:
        return Objection("is not alone in its hex", rule="11.31")
    if has_zoc(game, unit):
        return Objection("has a zone of control", rule="11.31")
    if ground.size(game, unit.place) in ("city", "town"):
        return Objection("stands in a town or city", rule="11.33")
    return None


def lone(game: Game, side: str) -> list[Unit]:
    """A side's units that can be overrun."""
    return [u for u in on_map(game, side) if not safe(game, u)]


def shelters(game: Game, unit: Unit) -> list[str]:
    """The hexes of friends whose zone covers the overrun unit [11.32]."""
    return sorted(ground.zones(game, unit.side).get(unit.place, ()))


def barred(game: Game, unit: Unit, victim: Unit) -> Objection | None:
    """Why a unit cannot overrun, or nothing."""
    if not is_multi_step(game, unit):
        return Objection("is not a multi-step unit", rule="11.31")
    if supply_state(game, unit):
        return Objection("is not Operational: no Overrun", rule="11.34")
    if game.mark(unit.id, "infiltrated"):
        return Objection("used Mobile Infiltration this phase", rule="11.31")
    if rooted(game, unit):
        return rooted(game, unit)
    if stopped(game, unit):
        return Objection("moves no further: its Mobile Assault failed", rule="11.27")
    beside = victim.place in ground.grid_at(game, unit.place).neighbours(unit.place)
    if beside and ground.river(game, unit.place, victim.place) in ("major", "barred"):
        return Objection("cannot overrun across a Major River or the Dnepr", rule="11.33")
    return None


def _enemies(ctx: Context) -> list[Unit]:
    return on_map(ctx.game, ctx.game.other(ctx.game.active)) if ctx.game.active else []


def _victims(ctx: Context) -> list[Unit]:
    return lone(ctx.game, ctx.game.other(ctx.game.active)) if ctx.game.active else []


def _movers(ctx: Context) -> list[Unit]:
    return on_the_map(lambda g, u: u.side == g.active and is_multi_step(g, u))(ctx)


def _warnings(ctx: Context) -> Iterator[Objection]:
    game = ctx.game
    victim = game.units[str(ctx.values["victim"])]
    by_unit = game.units.get(str(ctx.values.get("by_unit") or ""))
    for unit, why in (
        (victim, safe(game, victim)),
        (by_unit, barred(game, by_unit, victim) if by_unit else None),
    ):
        if unit is not None and why is not None:
            yield Objection(f"{label(unit)} {why.words}", rule=why.rule)


@rules.action(
    phase=MOVE_PHASES,
    by="active",
    rule="11.3",
    label="Overrun a unit",
    order=2,
    warns=_warnings,
    when=lambda game: (
        bool(lone(game, game.other(game.active))) or "no lone enemy without a zone is on record"
    ),
)
def overrun(
    game: Game,
    victim: Annotated[str, UnitRef(label="Overrun unit", pick=_enemies, suggest=_victims)],
    by_unit: Annotated[
        str,
        UnitRef(
            label="Overrunning unit",
            pick=on_the_map(lambda g, u: u.side == g.active),
            suggest=_movers,
            when=lambda c: bool(_movers(c)),
        ),
    ] = "",
) -> Events:
    """A multi-step unit rides over a lone HQ, cadre or unit without a zone, for 1 MP more."""
    unit, side = game.units[victim], game.active
    forces = {side: [by_unit] if by_unit else [], unit.side: [victim]}
    battle = yield from engage(
        game, f"Overrun in {unit.place}", side, [unit.place], forces, "11.3", kind=OVERRUN
    )
    yield from leave(game)
    yield from ask_identity(game, [unit], battle, CHOICE - 1)  # its type says whether and where it is lost
    text = f"{game.side_name(unit.side)}: {label(unit)} is overrun in {unit.place}"
    yield owe(game, unit.side, text, overrun_fate, battle=battle, step=CHOICE, units=[victim], rule="11.32")


def _victim(ctx: Context) -> Unit | None:
    return ctx.game.units.get(ctx.duty.units[0]) if ctx.duty and ctx.duty.units else None


def _ways_out(ctx: Context) -> list[tuple[str, str]]:
    """Its owner's choices: a friend whose zone covers it [11.32], or its loss, and to which box [16.31]."""
    unit = _victim(ctx)
    if unit is None:
        return []
    found = [(h, f"Displaced to {h}") for h in shelters(ctx.game, unit)]
    same = destination(ctx.game, unit, True, True) == destination(ctx.game, unit, False, True)
    if same or can_trace(ctx.game, unit) is not None:
        return [*found, (LOST, "Lost")]
    return [*found, (LOST, "Lost, with a supply line"), (CUT_OFF, "Lost, no supply line")]


def _only_way(ctx: Context) -> Mapping[str, Any] | None:
    ways = _ways_out(ctx)
    return {"fate": ways[0][0]} if len(ways) == 1 else None


def _on_the_map(game: Game, duty: e.Asked, how: str) -> Events:
    battle = game.battles.get(duty.battle)
    if battle is not None and how == DONE:
        yield from learn(game, battle, result="overrun")


@rules.follow_up(rule="11.32", label="Settle the overrun", alone=_only_way, declined=_on_the_map)
def overrun_fate(
    game: Game, duty: e.Asked, battle: Battle, fate: Annotated[str, Choice(label="It is", options=_ways_out)]
) -> Events:
    """The owner of an overrun unit says where it goes."""
    unit = game.units[duty.units[0]]
    if fate in (LOST, CUT_OFF):
        traced = can_trace(game, unit)
        yield from eliminate(game, unit, fate == LOST if traced is None else traced, "overrun", overrun=True)
        battle = yield from learn(game, battle, result="overrun")
    else:
        yield move(game, unit.id, fate, reason="Forced Displacement", rule="11.32")
        battle = yield from learn(game, battle, result="displaced")
    yield from _ride_on(game, battle)


def _ride_on(game: Game, battle: Battle) -> Events:
    """The overrunning unit stands in the hex it overran, and may go on [11.31]."""
    hex_id = target_of(battle)
    for name in battle.units(battle.attacker):
        unit = game.units[name]
        if (
            unit.on_map
            and unit.place != hex_id
            and not any(u.side != unit.side for u in game.units_at(hex_id))
        ):
            yield move(game, name, hex_id, reason="overruns", rule="11.31")
