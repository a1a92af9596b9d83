"""Announcing a force's strength [12.0]: chits are drawn and added up, the total is told, nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Context, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Chance, Events
from companion.engine.play.duties import learn
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import OFF_IN_PASSING, change, read_off
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import chits
from companion.systems.kharkov_battles.base import Objection, rules
from companion.systems.kharkov_battles.battles import MOBILE, kind_of, target_of
from companion.systems.kharkov_battles.designate import fighting
from companion.systems.kharkov_battles.fighting import ask_strength, force_of
from companion.systems.kharkov_battles.strength import add_up, over_limit, to_be_told
from companion.systems.kharkov_battles.units import label, rating


def _role(ctx: Context) -> str:
    return str(ctx.args.get("role") or "attack")


def _force(ctx: Context) -> list[Unit]:
    return force_of(ctx.game, ctx.battle, _role(ctx)) if ctx.battle else []


def _chooses(ctx: Context) -> bool:
    """A defender with more than one multi-step unit in a hex says who fights [6.22]; a Mobile Assault meets all [11.2]."""
    battle = ctx.battle
    if battle is None or _role(ctx) == "attack" or kind_of(battle) == MOBILE:
        return False
    return bool(over_limit(ctx.game, _force(ctx)))


def _by_hand(ctx: Context) -> bool:
    """The total is typed where no counter is on record, or a strength is not known."""
    force = _force(ctx)
    return not force or any(to_be_told(ctx.game, u) for u in force)


def _nothing_to_say(ctx: Context) -> Mapping[str, Any] | None:
    """Where all strengths are known or drawn by the companion, and nobody chooses, the total tells itself."""
    return None if _chooses(ctx) or _by_hand(ctx) else {}


def _too_many(ctx: Context) -> Iterator[Objection]:
    chosen = [ctx.game.units[n] for n in ctx.values.get("units") or ()]
    for h in over_limit(ctx.game, chosen):
        yield Objection(f"{h}: one multi-step unit fights from a hex", rule="6.21")


def _open(game: Game, duty: e.Asked) -> bool:
    """The total has not been announced yet, and its battle is not rolled."""
    battle = game.battles.get(duty.battle)
    told = battle is None or str(duty.args.get("role")) in battle.facts.get("form", {})
    return not told and not (battle is not None and battle.result)


EITHER = "Total of all, or else tell each counter's strength below"


class Total(Whole):
    """The total by hand, with what the record says about single units, so that nothing is forgotten."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        reasons = []
        if ctx.battle is not None:
            sheet = add_up(ctx.game, _force(ctx), _role(ctx), target_of(ctx.battle), ctx.seat)
            reasons = [
                f"{line.label.strip()}: {line.effect}" for line in sheet.lines if line.label[:2] == "  "
            ]
        words = "after halving and doubling"
        found = {**super().describe(ctx), "help": f"{words}; {', '.join(reasons)}" if reasons else words}
        return {**found, "label": EITHER} if _force(ctx) else found


@rules.follow_up(rule="12.0", label="Announce strength", still=_open, alone=_nothing_to_say, warns=_too_many)
def announce_strength(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    chance: Chance,
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Who fights",
            many=True,
            pick=_force,
            when=_chooses,
            start=lambda c: fighting(c.game, _force(c)),
        ),
    ] = (),
    total: Annotated[int, Total(label="Total, added up by hand", high=400, when=_by_hand)] = 0,
) -> Events:
    """Draw the chits still needed, add up, and tell the table the total; the chits stay secret."""
    role = str(duty.args["role"])
    side = battle.attacker if role == "attack" else battle.defender
    here = Context(game, side, duty=duty)
    if _chooses(here) and not units:
        raise Unreadable("choose who fights", field="units", rule="6.22")
    force = [game.units[n] for n in units] or force_of(game, battle, role)
    missing = [u for u in force if to_be_told(game, u)]
    yield from _draw(game, force, chance)
    if not total:
        if not force or missing:
            names = ", ".join(label(u) for u in missing)
            words = f"tell the strength of {names}, or the total" if missing else "enter the total"
            raise NotNow(words, field="total", rule="12.0")
        sheet = add_up(game, force, role, target_of(battle), side, kind_of(battle) == MOBILE)
        if not sheet.facts["complete"]:  # the cup ran out among them
            yield from ask_strength(game, battle, role)
            return
        if any(
            line.label.startswith("  ") for line in sheet.lines
        ):  # what was halved or doubled, for its owner
            told = (" ".join(filter(None, (line.label.strip(), line.effect))) for line in sheet.lines)
            yield e.Noted(f"{sheet.result}: {', '.join(told)}", rule="2.7", only=(side,))
        total = int(sheet.facts["total"])
    yield e.Noted(
        f"{game.side_name(side)} {'attacks' if role == 'attack' else 'defends'} with {total}", rule="12.0"
    )
    fights = [u.id for u in force] if role == "defence" and units else None
    yield from learn(game, battle, form={**battle.facts.get("form", {}), role: total}, fights=fights)


def _draw(game: Game, force: list[Unit], chance: Chance) -> Events:
    """Untried units are turned up [2.72], and who has no chit draws one [2.6]."""
    for unit in force:
        if unit.untried:
            yield change(game, unit.id, {"untried": False}, reason="first combat", rule="2.72", public=True)
        if chits.needs_chit(game, unit):
            yield from chits.draw(game, unit, chance)


# -- one unit's strength -----------------------------------------------------------------------------------


def _unit(ctx: Context) -> Unit | None:
    names = ctx.duty.units if ctx.duty else ()
    return ctx.game.units.get(names[0]) if names else None


def _as_another(ctx: Context) -> int | None:
    """What another counter of the kind is worth on record, to begin with."""
    unit = _unit(ctx)
    if unit is None or rating(ctx.game, unit):
        return None
    alike = [
        u for u in ctx.game.units.values() if (u.side, u.kind, u.size) == (unit.side, unit.kind, unit.size)
    ]
    return next((u.factors["CS"] for u in alike if u.factors.get("CS")), None)


def _still_needed(game: Game, duty: e.Asked) -> bool:
    unit = game.units.get(duty.units[0]) if duty.units else None
    open_totals = [
        d
        for d in game.duties(duty.battle, "announce-strength")
        if d.args.get("role") == duty.args.get("role")
    ]
    return unit is not None and unit.on_map and to_be_told(game, unit) and bool(open_totals)


@rules.follow_up(rule="2.7", label="Tell the strength", still=_still_needed)
def tell_strength(
    game: Game,
    duty: e.Asked,
    chance: Chance,
    strength: Annotated[int, Whole(label="Strength", low=1, high=99, start=_as_another)],
) -> Events:
    """Read the strength off a counter, or off the chit under it; it is kept."""
    unit = game.units[duty.units[0]]
    if rating(game, unit):
        if chits.needs_chit(game, unit):
            yield from chits.draw(game, unit, chance)
        yield from chits.tell(unit, strength)
        return
    yield read_off(game, unit.id, {"factors": {**unit.factors, "CS": strength}}, "2.7", public=True)
    for other in list(game.units.values()):  # generic counters are alike [15.22]
        if unit.kind == other.kind == "breakdown regiment" and to_be_told(game, other):
            facts = {"factors": {**other.factors, "CS": strength}}
            yield read_off(game, other.id, facts, "15.22", public=True, reason=OFF_IN_PASSING)
