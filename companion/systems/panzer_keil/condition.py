"""What players do to their units' states: forced march, the guaranteed hex, recovery, facts of a counter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Flag, HexId, Text, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.engine.people.units import due
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.changes import change, read_off
from companion.engine.record.game import Game
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.base import (
    ALLIES,
    FOOT,
    GERMAN,
    MECHANIZED,
    SOME_MECHANIZED,
    SOVIET,
    disrupted,
    exhausted,
    mechanized,
    out_of_supply,
    phases,
    rules,
)

KINDS = (*MECHANIZED, "infantry", "mountain", "hq", SOME_MECHANIZED, FOOT)


def own_on_map(ctx: Context) -> list[Unit]:
    """The acting side's units on the map."""
    return on_map(ctx.game, ctx.game.active)


def on_record(ctx: Context) -> bool:
    """Whether the acting side has units on the map."""
    return bool(own_on_map(ctx))


@dataclass(frozen=True)
class WantedUnits(UnitRef):
    """Units that must be chosen wherever the field is shown, though the action can do without it elsewhere."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "required": True}


@dataclass(frozen=True)
class WantedHex(HexId):
    """The same of a hex."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "required": True}


FEW = 12
"""Units that a form shows at once; beyond that it asks for the hex first."""


def many_on_map(ctx: Context) -> bool:
    """Whether the acting side has too many units to list."""
    return len(own_on_map(ctx)) > FEW


def own_here(ctx: Context) -> list[Unit]:
    """The acting side's units to offer: those in the hex just typed, or all while they are few."""
    own, at = own_on_map(ctx), ctx.values.get("at")
    if at:
        return [u for u in own if u.place == at]
    return own if len(own) <= FEW else []


def here_field() -> HexId:
    """The hex whose units a form then offers."""
    return HexId(label="Stack in hex", help="its units are offered below", when=many_on_map)


def units_on_record(game: Game) -> bool | str:
    """For what is done to a unit wherever it is."""
    return bool(game.units) or "no unit is on record"


def any_on_map(game: Game) -> bool | str:
    """For actions that need units on record."""
    return bool(on_map(game, game.active)) or "no unit of this side is on record: turn the counter on the map"


def waiting(ctx: Context) -> list[Unit]:
    """Reinforcements of the acting side whose turn has come, however long ago, and that are not on the map [8.6.1]."""
    game = ctx.game
    names = {n for _, arrival in due(game) if arrival.side == game.active for n in arrival.units}
    return [u for u in game.units.values() if u.id in names and not u.place]


def grace_until(game: Game) -> int:
    """The last turn in whose supply phase a Soviet reinforcement needs no path [B14.3]."""
    return game.turn + (1 if game["grace-length"] == "next-check" else 0)


def may_march(ctx: Context) -> list[Unit]:
    """Own units that could force march or could be found out to [8.3.1]."""
    game = ctx.game
    return [
        u
        for u in own_here(ctx)
        if mechanized(u) is not False
        and not (exhausted(game, u.id) or disrupted(game, u.id) or out_of_supply(game, u.id))
    ]


def _types_asked(ctx: Context) -> bool:
    """Whether it matters that some of the units chosen may be mechanized, and nobody has said so [8.5.3, 10.1]."""
    matters = ctx.game.phase == "german-mech" or ctx.values.get("effort", "one-hex") == "one-hex"
    return matters and any(mechanized(ctx.game.units[u]) is None for u in ctx.values.get("units") or ())


KIND = Choice(
    label="Their type",
    help="not on record yet; it is kept",
    options=[(SOME_MECHANIZED, "Mechanized"), (FOOT, "Not mechanized")],
    when=_types_asked,
)


def tell_types(game: Game, units: Sequence[str], kind: str, matters: bool = True) -> Events:
    """Keep what was said of units whose type was not on record; where it matters it must be said."""
    for unit in units:
        if mechanized(game.units[unit]) is None and (kind or matters):
            if not kind:
                words = f"{game.units[unit].name or unit}: is it mechanized? Move units of one type at a time"
                raise Unreadable(words, field="kind", given=unit, rule="2.2.1")
            yield change(game, unit, {"kind": kind}, reason="as told", rule="2.2.1")


def _any_able(game: Game) -> bool | str:
    ctx = Context(game)
    if not own_on_map(ctx):
        return "no unit of this side is on record: turn the markers on the map"
    waiting = _disrupted(ctx)
    if any(_recovers(game, u) for u in waiting):
        return True
    if any(out_of_supply(game, u.id) for u in waiting):
        return "whoever is still disrupted is out of supply [11.1]"
    if any(disrupted(game, u.id) for u in own_on_map(ctx)):
        return "whoever is still disrupted was turned in this phase [11.1]"
    return "no unit of this side is disrupted"


def _disrupted(ctx: Context) -> list[Unit]:
    """Own disrupted units, without those whose marker was turned in this phase already."""
    game = ctx.game
    return [u for u in own_on_map(ctx) if disrupted(game, u.id) and game.mark(u.id, "turned") != game.turn]


def _recovers(game: Game, unit: Unit) -> bool:
    """Whether recovery would change anything for a unit [11.1]."""
    now = states.state_of(game, unit)
    return states.recover(now, states.nature_of(game, unit)) != now


@rules.action(
    phase=phases("move"),
    by="active",
    rule="8.3",
    label="Force march",
    order=20,
    when=any_on_map,
    warns=lambda c: states.against(c.game, c.values["units"], states.forced_march),
)
def forced_march(
    game: Game,
    *,
    at: Annotated[str, here_field()] = "",
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Units that march on", many=True, pick=own_on_map, suggest=may_march),
    ],
) -> Events:
    """Turn mechanized units over to move again on their exhausted side."""
    for unit in units:
        yield from states.put(game, unit, states.forced_march)


@rules.action(
    phase=(*phases("move"), "german-mech"),
    by="active",
    rule="8.5.3",
    label="Move one hex with too few points",
    group="book-keeping",
    when=any_on_map,
    warns=lambda c: states.against(c.game, c.values["units"], states.one_hex),
)
def one_hex_move(
    game: Game,
    *,
    at: Annotated[str, here_field()] = "",
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=own_on_map, suggest=own_here)],
    kind: Annotated[str, KIND] = "",
    zone: Annotated[bool, Flag(label="Leaving an enemy zone", help="8.4.3 names no exhaustion")] = False,
) -> Events:
    """Move one hex with too few movement points; a mechanized unit is exhausted by it."""
    yield from tell_types(game, units, kind)
    for unit in units:
        if zone and not game["zone-exit-exhausts"]:
            yield e.Noted(f"{game.units[unit].name} leaves an enemy zone by one hex", rule="8.4.3")
        else:
            yield from states.put(game, unit, states.one_hex)


def _recover(game: Game, units: Sequence[str], trigger: states.Trigger = states.recover) -> Events:
    for unit in units:
        was = game.mark(unit, "disrupted")
        yield from states.put(game, unit, trigger)
        if disrupted(game, unit) and game.mark(unit, "disrupted") != was:
            yield e.Marked(unit, "turned", game.turn, rule="11.1")


@rules.action(
    phase=phases("recovery"), by="active", rule="11.1", label="Recover", primary=True, when=_any_able
)
def recover(game: Game) -> Events:
    """Take disruption off every supplied unit; attacker disrupted turns to disrupted."""
    yield from _recover(game, [u.id for u in _disrupted(Context(game))])


@rules.action(
    phase=phases("recovery"),
    by="active",
    rule="11.1",
    label="Recover some units",
    group="book-keeping",
    when=lambda game: bool(_disrupted(Context(game))) or "no unit of this side is disrupted",
    warns=lambda c: states.against(c.game, c.values["units"], states.rally),
)
def recover_some(
    game: Game, units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=_disrupted)]
) -> Events:
    """Recover these units only."""
    yield from _recover(game, units, states.rally)


@rules.action(
    by="any", label="Enter what the counter says", group="units", rule="2.2.1", when=units_on_record
)
def describe_unit(
    game: Game,
    unit: Annotated[str, UnitRef(label="Unit")],
    name: Annotated[str, Text(label="Name", most=40, placeholder="unchanged")] = "",
    kind: Annotated[str, Choice(label="Type", options=[(k, k) for k in KINDS])] = "",
    nation: Annotated[str, Choice(label="Nation", options=[(n, n) for n in (GERMAN, *ALLIES, SOVIET)])] = "",
    size: Annotated[str, Choice(label="Size", options=[(s, s) for s in ("III", "X", "XX", "XXX")])] = "",
    attack: Annotated[int | None, Whole(label="Attack", high=30)] = None,
    defence: Annotated[int | None, Whole(label="Defence", high=30)] = None,
    move: Annotated[int | None, Whole(label="Movement", high=30)] = None,
    exhausted_attack: Annotated[int | None, Whole(label="Attack, exhausted", high=30)] = None,
    exhausted_defence: Annotated[int | None, Whole(label="Defence, exhausted", high=30)] = None,
    exhausted_move: Annotated[int | None, Whole(label="Movement, exhausted", high=30)] = None,
) -> Events:
    """Enter a counter's printed type and values, as far as the rulebook does not give them."""
    values = {"AF": attack, "DF": defence, "MF": move}
    values |= {"XAF": exhausted_attack, "XDF": exhausted_defence, "XMF": exhausted_move}
    given = {k: v for k, v in values.items() if v is not None}
    facts: dict[str, object] = {"name": name, "kind": kind, "klass": nation, "size": size}
    facts = {k: v for k, v in facts.items() if v}
    if given:
        facts["factors"] = {**game.units[unit].factors, **given}
    yield read_off(game, unit, facts, "2.2.1")


def can_mech_move(game: Game, unit: Unit) -> bool:
    """German, mechanized, normal, in supply, undisrupted, not the Hungarian 1st [10.1, B12.1, B12.2]."""
    return (
        unit.on_map
        and unit.side == GERMAN
        and mechanized(unit) is not False
        and unit.formation != "1TkD"
        and not exhausted(game, unit.id)
        and not out_of_supply(game, unit.id)
        and not disrupted(game, unit.id)
    )
