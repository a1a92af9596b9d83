"""Mobile Infiltration [11.1, 18.13]: one hex through enemy zones, and where it may not lead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Context, HexId, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import on_map
from companion.engine.record.changes import move, put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import ground
from companion.systems.kharkov_battles.base import MOVE_PHASES, Objection, rules
from companion.systems.kharkov_battles.battles import MOBILE, OVERRUN, of_phase, stopped
from companion.systems.kharkov_battles.units import fortified, label, no_infiltration, on_the_map, rooted


def barred(game: Game, unit: Unit) -> Objection | None:
    """Why a unit cannot infiltrate now, wherever to, or nothing."""
    if game.mark(unit.id, "infiltrated"):
        return Objection("has infiltrated this phase: it is a move of one hex", rule="11.1")
    if stopped(game, unit):
        return Objection("moves no further: its Mobile Assault failed", rule="11.27")
    for kind, rule, deed in ((MOBILE, "11.2", "Mobile Assault"), (OVERRUN, "11.31", "Overrun")):
        if any(unit.id in b.units(b.attacker) for b in of_phase(game, kind)):
            return Objection(f"has made its {deed} this phase", rule=rule)
    return rooted(game, unit) or no_infiltration(game, unit)


def shut(game: Game, unit: Unit, hex_id: str) -> Objection | None:
    """Why a unit cannot infiltrate into a hex, or nothing."""
    if hex_id not in ground.grid_at(game, unit.place).neighbours(unit.place):
        return Objection(f"is not adjacent to {hex_id}", rule="10.56")
    over, empty = ground.features(game, unit.place, hex_id), not game.units_at(hex_id)
    if "dnepr" in over:
        return Objection("cannot infiltrate over the Dnepr", rule="11.1")
    if "impassable" in over:
        return Objection("cannot cross an impassable hexside", rule="10.56")
    if "major river" in over and empty:
        return Objection("cannot infiltrate over a Major River into an empty hex", rule="11.1")
    if empty and fortified(game, hex_id, game.other(unit.side)):
        return Objection("cannot infiltrate into an empty enemy Fortified Zone", rule="11.1, 18.13")
    return None


def _movers(ctx: Context) -> list[Unit]:
    return on_the_map(lambda g, u: u.side == g.active)(ctx)


def _able(ctx: Context) -> list[Unit]:
    return [u for u in _movers(ctx) if not barred(ctx.game, u)]


def _warnings(ctx: Context) -> Iterator[Objection]:
    hex_id = str(ctx.values.get("hex") or "")
    for unit in (ctx.game.units[n] for n in ctx.values.get("units") or ()):
        for why in (barred(ctx.game, unit), shut(ctx.game, unit, hex_id) if hex_id else None):
            if why:
                yield Objection(f"{label(unit)} {why.words}", rule=why.rule)


@rules.action(
    by="active",
    label="Infiltrate",
    group="units",
    phase=MOVE_PHASES,
    rule="11.1",
    warns=_warnings,
    when=lambda game: bool(on_map(game, game.active)) or "no counter of the moving side is on record",
)
def infiltrate(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=_movers, suggest=_able)],
    hex: Annotated[str, HexId(label="Into hex")],
) -> Events:
    """Mobile Infiltration: one hex whatever the zones, and then no Mobile Assault or Overrun this phase."""
    for name in units:
        if any(u.side != game.units[name].side for u in game.units_at(hex)):
            raise NotNow(f"{hex} holds enemy units", field="hex", given=hex, rule="10.51")
        if game.units[name].place != hex:
            yield move(game, name, hex, reason="Mobile Infiltration", rule="11.1")
        yield put_mark(game, name, "infiltrated", True, rule="11.1")
