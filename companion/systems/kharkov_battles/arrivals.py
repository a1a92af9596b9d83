"""Reinforcements [17.0]: units that enter, blocked Entry Areas, untried divisions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Context, HexId, Text, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Chance, Events
from companion.engine.record import events as e
from companion.engine.record.changes import change, move, put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles.base import AXIS, SOVIET, Objection, rules
from companion.systems.kharkov_battles.ground import zones
from companion.systems.kharkov_battles.losses import come_back
from companion.systems.kharkov_battles.units import is_hq, is_mech, label, mine, trait

WAITING = ("", "box:entry")


def _waiting(ctx: Context) -> list[Unit]:
    return mine(lambda game, unit: unit.place in WAITING)(ctx)


def _somebody_waits(game: Game) -> bool | str:
    """Arrivals of both sides in the reinforcement phase, of the moving side while it moves."""
    here = [u for u in game.units.values() if u.place in WAITING and game.active in ("", u.side)]
    return bool(here) or "no unit on record waits to come in"


def _controlled(ctx: Context) -> Iterator[Objection]:
    game, hex_id = ctx.game, str(ctx.values.get("hex") or "")
    sides = {game.units[n].side for n in ctx.values.get("units") or ()}
    if hex_id and any(hex_id in zones(game, game.other(side)) for side in sides):
        yield Objection(f"{hex_id} is in an enemy zone", rule="17.12")


@rules.action(
    phase=("reinforcement", "axis-move", "soviet-move"),
    by="active",
    rule="17.0",
    label="Bring in reinforcements",
    order=1,
    warns=_controlled,
    when=_somebody_waits,
)
def enter_units(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=_waiting)],
    hex: Annotated[str, HexId(label="Entry hex")] = "",
    area: Annotated[str, Text(label="or Entry Area", most=10)] = "",
) -> Events:
    """Place arrivals on their hex or in their Entry Area: Operational, committed, Axis mechanized ones supported."""
    if not hex and not area:
        raise NotNow("say where they enter: a hex, or an Entry Area", field="hex", rule="17.0")
    for name in units:
        unit = game.units[name]
        if hex and any(u.side != unit.side for u in game.units_at(hex)):
            raise NotNow(f"{hex} is held by the enemy", field="hex", given=hex, rule="17.12")
        if area:
            yield change(game, name, {"entry": area}, reason="reinforcement", rule="17.0")
        yield move(game, name, hex or "box:entry", reason="reinforcement", rule="17.0")
        for marker in ("supply", "uncommitted"):
            if game.mark(name, marker):
                yield put_mark(game, name, marker, None, reason="reinforcement", rule="17.11")
        if unit.side == AXIS and is_mech(unit) and not is_hq(unit):
            yield put_mark(game, name, "full-support", True, reason=f"{label(unit)} arrives", rule="17.11")


@rules.action(by="any", rule="17.12", label="Delay an arrival", group="arrive", phase="reinforcement")
def delay_arrival(
    game: Game,
    what: Annotated[str, Text(label="Reinforcements", most=80)],
    area: Annotated[str, Text(label="Now by Area", most=10)],
) -> Events:
    """All entry hexes are held or controlled by the enemy: the units shift to the next Area, a turn late."""
    yield e.Noted(f"{what}: Area {area}, on turn {game.turn + 1}", rule="17.12")


@rules.action(
    by=SOVIET,
    rule="2.72",
    label="Draw untried divisions",
    group="units",
    when=lambda game: bool(game["untried"]) or "the untried-divisions option is off",
)
def draw_untried(
    game: Game,
    chance: Chance,
    hex: Annotated[str, HexId(label="To hex")],
    number: Annotated[int, Whole(label="How many", low=1, high=6)] = 1,
) -> Events:
    """Take rifle divisions from the pool at random; nobody knows their strength yet."""
    for _ in range(number):
        waiting = sorted(u.id for u in game.units.values() if u.place == "box:pool" and u.kind == "rifle")
        waiting = [w for w in waiting if not trait(game, game.units[w], "guards")]
        if not waiting:
            raise NotNow("no rifle division is left in the pool", field="number", given=number, rule="2.72")
        index = 0
        if len(waiting) > 1:
            roll = chance.roll(f"1d{min(len(waiting), 100)}", "untried division")
            yield roll
            index = roll.values[0] - 1
        yield come_back(game, game.units[waiting[index]], hex, "untried", "2.72", untried=True)
