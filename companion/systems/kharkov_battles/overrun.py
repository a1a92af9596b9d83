"""Overrun [11.3]: a multi-step unit rides over a lone unit without a zone; friends nearby may take it in."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Flag, UnitRef
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import ground
from companion.systems.kharkov_battles.base import MOVE_PHASES, Objection, rules
from companion.systems.kharkov_battles.losses import eliminate, line_decides, no_line_for
from companion.systems.kharkov_battles.units import has_zoc, is_multi_step, label, on_the_map, supply_state

LOST = "lost"


def lone(game: Game, side: str) -> list[Unit]:
    """Lone units of a side without a zone, HQs, cadres, white stripes, outside towns and cities [11.31, 11.33]."""
    return [
        stack[0]
        for hex_id, stack in ground.stacks(game, side).items()
        if len(stack) == 1
        and not has_zoc(game, stack[0])
        and ground.size(game, hex_id) not in ("city", "town")
    ]


def shelters(game: Game, unit: Unit) -> list[str]:
    """The hexes of friends whose zone covers the overrun unit [11.32]."""
    return sorted(ground.zones(game, unit.side).get(unit.place, ()))


def barred(game: Game, unit: Unit, victim: Unit) -> Objection | None:
    """Why a unit cannot overrun, or nothing."""
    if not is_multi_step(game, unit):
        return Objection("is not a multi-step unit", "11.31")
    if supply_state(game, unit):
        return Objection("is not Operational: no Overrun", "11.34")
    if game.mark(unit.id, "infiltrated"):
        return Objection("used Mobile Infiltration this phase", "11.31")
    if game.mark(unit.id, "repl") or game.mark(unit.id, "uncommitted"):
        return Objection("may not move now", "16.22, 13.11")
    beside = victim.place in ground.grid_at(game, unit.place).neighbours(unit.place)
    if beside and ground.river(game, unit.place, victim.place) in ("major", "barred"):
        return Objection("cannot overrun across a Major River or the Dnepr", "11.33")
    return None


def _victims(ctx: Context) -> list[Unit]:
    return lone(ctx.game, ctx.game.other(ctx.game.active)) if ctx.game.active else []


def _ways_out(ctx: Context) -> list[tuple[str, str]]:
    unit = ctx.game.units.get(str(ctx.values.get("victim") or ""))
    found = shelters(ctx.game, unit) if unit is not None else []
    return [*((h, f"displaced to {h}") for h in found), (LOST, "it is lost")]


def _covered(ctx: Context) -> bool:
    return len(_ways_out(ctx)) > 1


def _movers(ctx: Context) -> list[Unit]:
    return on_the_map(lambda g, u: u.side == g.active and is_multi_step(g, u))(ctx)


@rules.action(
    phase=MOVE_PHASES,
    by="active",
    rule="11.3",
    label="Overrun a unit",
    order=2,
    when=lambda game: (
        bool(lone(game, game.other(game.active))) or "no lone enemy without a zone is on record"
    ),
)
def overrun(
    game: Game,
    victim: Annotated[str, UnitRef(label="Overrun unit", pick=_victims)],
    by_unit: Annotated[
        str,
        UnitRef(
            label="Overrunning unit",
            pick=on_the_map(lambda g, u: u.side == g.active),
            suggest=_movers,
            when=lambda c: bool(_movers(c)),
        ),
    ] = "",
    displaced: Annotated[
        str,
        Choice(label="Its owner says", options=_ways_out, when=_covered, help="a friendly zone covers it"),
    ] = "",
    no_line: Annotated[
        bool, Flag(label="It has no supply line", start=no_line_for("victim"), when=line_decides("victim"))
    ] = False,
) -> Events:
    """A multi-step unit rides over a lone HQ, cadre or unit without a zone, for 1 MP more."""
    unit = game.units[victim]
    if by_unit:
        why = barred(game, game.units[by_unit], unit)
        if why:
            raise why.to(label(game.units[by_unit]), field="by_unit", given=by_unit)
    if shelters(game, unit) and not displaced:
        text = f"a friendly zone covers {label(unit)}: its owner says where it goes"
        raise NotNow(text, field="displaced", rule="11.32")
    if displaced and displaced != LOST:
        yield move(game, victim, displaced, reason="Forced Displacement", rule="11.32")
    else:
        yield from eliminate(game, unit, not no_line, "overrun", overrun=True)
