"""Announcing a force's strength [12.0]: chits are drawn and added up, the total is told, nothing else."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Chance, Events
from companion.engine.play.fields import Choice, Context, HexId, UnitRef, Whole
from companion.engine.play.worksheet import Breakdown
from companion.engine.record import events as e
from companion.engine.record.changes import BY_SEQUENCE, IN_PASSING, change
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import chits
from companion.systems.kharkov_battles.base import COMBAT_PHASES, MOVE_PHASES, only_its_own, rules
from companion.systems.kharkov_battles.mobile import offer_mobile
from companion.systems.kharkov_battles.offers import offer_resolution
from companion.systems.kharkov_battles.strength import ROLES, add_up, strength
from companion.systems.kharkov_battles.targets import attackers_of, defenders_of, is_mobile
from companion.systems.kharkov_battles.units import on_the_map


def _in_reach(ctx: Context) -> list[Unit]:
    """The units that the question is about: designated attackers, or everybody in the hexes under attack."""
    game, target = ctx.game, str(ctx.values.get("target") or "")
    if not target:
        return on_the_map()(ctx)
    if ctx.values.get("role") == "defence":
        return defenders_of(game, target)
    attacker = game.units.get(str(game.mark(target, "ma-target") or ""))
    return [attacker] if attacker else attackers_of(game, target)


@rules.action(
    phase=(*COMBAT_PHASES, *MOVE_PHASES),
    by="any",
    rule="12.0",
    label="Announce strength",
    worksheet=strength,
    group="hidden",
)
def announce_strength(
    game: Game,
    chance: Chance,
    role: Annotated[str, Choice(label="They are", options=ROLES, hidden=True)] = "attack",
    target: Annotated[str, HexId(label="Hex under attack", hidden=True)] = "",
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Units in it",
            many=True,
            pick=on_the_map(),
            suggest=_in_reach,
            quiet=lambda c: not _in_reach(c),
        ),
    ] = (),
    total: Annotated[
        int,
        Whole(label="Total, added up by hand", high=300, help="with real chits, or counters not on record"),
    ] = 0,
    seat: str = "",
) -> Events:
    """Draw the chits still needed, add up, and tell the table the total; the chits stay secret."""
    if not target:
        raise NotNow("say which hex is under attack", field="target", rule="12.0")
    mobile = is_mobile(game, target)
    chosen = [game.units[name] for name in units]
    side = game.active if role == "attack" else game.other(game.active)
    only_its_own(game, seat, side, "announces this total", field="role")
    if any(u.side != side for u in chosen):
        raise NotNow(f"these are not all {game.side_name(side)} units", field="units", rule="12.0")
    for unit in chosen:
        if role == "defence":  # its owner says who fights [6.22]
            yield e.Marked(unit.id, "fights", True, reason=BY_SEQUENCE, rule="6.22")
        if unit.untried:
            yield change(game, unit.id, {"untried": False}, reason="first combat", rule="2.72", public=True)
        if chits.needs_chit(game, unit):
            yield from chits.draw(game, unit, chance)
    sheet: Breakdown | None = None
    if not total:
        sheet = add_up(game, chosen, role, target, side, mobile)
        if not sheet.facts["complete"]:
            raise NotNow("look under your counters and enter the total", field="total", rule="2.6")
        if not chosen:
            raise NotNow("name the units, or enter the total", field="units", rule="12.0")
        sheet.title = f"{game.side_name(side)} strength at {target}"
        # its name is all that others read of it, with the total that is announced
        yield e.Resolved(sheet.title, sheet.to_json(), sheet.result, only=(side,))
        total = int(sheet.facts["total"])
    told = IN_PASSING if chosen and sheet is not None else ""
    yield e.Marked(target, f"{role}-total", total, reason=told, rule="12.0")
    yield from (offer_mobile if mobile else offer_resolution)(game, target)
