"""The advance after combat: into the vacated hex, and one further where the result allows [9.8, B10.3.2]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import has_units, learn, offer, standing, units_of
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import STACK, is_hq, named, recorded, rules, surplus, target_of
from companion.systems.panzer_keil.exchange import ALL_LOST
from companion.systems.panzer_keil.ground import MAJOR, SEA, WATER, barrier, pass_through, terrain
from companion.systems.panzer_keil.results import ADVANCE, one_for_crossers


@rules.watch
def hex_vacated(game: Game) -> Events:
    """With losses and retreats carried out, see whether the hex is empty, and how far it lets the attackers go [9.8]."""
    for battle in list(game.battles.values()):
        if "advance" not in battle.facts or any(d.step < ADVANCE for d in game.duties(battle)):
            continue
        limit = int(battle.facts["advance"])
        battle = yield from learn(game, battle, advance=None)
        defenders = battle.units(battle.defender)
        if defenders and not standing(game, battle, battle.defender):
            limit = ALL_LOST  # [9.8.2]
        elif battle.facts.get("short") and game["advance-short"] == "hexes":
            limit = min(limit, 1)  # two hexes were not retreated [9.8.2]
        if limit and not _held(game, battle):
            yield from _offer(game, battle, battle.units(battle.attacker), limit)


def _held(game: Game, battle: Battle) -> bool:
    """Whether a defender is still in the hex."""
    target = target_of(battle)
    return bool(target) and any(u.side == battle.defender for u in game.units_at(target))


def _offer(game: Game, battle: Battle, units: Sequence[str], limit: int, again: bool = False) -> Events:
    """To as many attackers as like [9.8.3]; who attacked over a major river goes one hex only [B10.3.2]."""
    side, target = battle.attacker, target_of(battle)
    here = [u for u in units if game.units[u].on_map]
    crossers = battle.facts.get("crossers", ())
    if battle.facts.get("all_major") or (here and set(here) <= set(crossers)):
        limit = 1
    if here and target:
        who = f" with {named(game, here)}" if again else ""
        gone = [u for u in battle.units(battle.defender) if not game.units[u].steps]
        fate = f": {named(game, gone)} eliminated" if gone and not again else ""
        text = f"Advance into {target}{' and one hex beyond' if limit > 1 else ''}{who}, if you like{fate}"
        yield offer(
            game, side, text, advance, battle=battle, step=ADVANCE, units=here, rule="9.8", limit=limit
        )
    elif here or not units:
        far = f"{count(limit, 'hex', 'hexes')}{one_for_crossers(battle, limit)}"
        text = f"Attackers may advance {far}, first into the vacated one"
        yield offer(game, side, text, battle=battle, step=ADVANCE, rule="9.8")


def _still_open(game: Game, duty: e.Asked) -> bool:
    """The hex is empty of enemies, and one of the attackers is left to move in."""
    battle = game.battles.get(duty.battle)
    return battle is None or (has_units(game, duty) and not _held(game, battle))


def may_advance(game: Game, unit: str, hex_id: str) -> bool:
    """Whether an open offer lets a unit go to a hex that somebody points at on the map [9.8]."""
    for duty in game.duties(action=advance.name):
        battle = game.battles.get(duty.battle)
        if battle is not None and unit in duty.units and target_of(battle):
            beyond = _beyond(game, battle) if int(duty.args["limit"]) > 1 else []
            if hex_id in (target_of(battle), *beyond):
                return True
    return False


def _victors(ctx: Context) -> list[Unit]:
    return units_of(ctx.game, ctx.duty) if ctx.duty else []


def _as_many_as_fit(ctx: Context) -> list[str]:
    """Those ticked to begin with: whoever has room in the hex [9.8.3, B4]."""
    chosen: list[Unit] = []
    there = ctx.game.units_at(target_of(ctx.battle)) if target_of(ctx.battle) else []
    for unit in _victors(ctx):
        if not surplus([*there, *chosen, unit]):
            chosen.append(unit)
    return [u.id for u in chosen]


def _limit(ctx: Context) -> int:
    return int(ctx.args.get("limit", 1))


def _choices(ctx: Context) -> list[tuple[str, str]]:
    """The vacated hex and those beyond that a second step may lead to [9.8.2, B10.3.2]."""
    game, target = ctx.game, target_of(ctx.battle)
    if not target:
        return []
    units = ctx.values.get("units") or _as_many_as_fit(ctx)
    left = {game.units[u].place for u in units}
    beyond = [h for h in _beyond(game, recorded(ctx.battle)) if h not in left and _room(game, h)]
    return [(target, f"Into {target}"), *((h, f"On to {h}") for h in beyond)]


def _beyond(game: Game, battle: Battle) -> list[str]:
    """Never among enemies, over water or over a major river [9.8.2, B10.3.2]."""
    vacated = target_of(battle)
    return [
        h
        for h in sorted(game.maps.neighbours(vacated))
        if barrier(game, vacated, h) not in (MAJOR, SEA)
        and terrain(game, h) not in WATER
        and all(u.side == battle.attacker for u in game.units_at(h))
    ]


def _room(game: Game, hex_id: str) -> bool:
    """Whether one more unit may stop in a hex [9.8.3, B4]."""
    return len([u for u in game.units_at(hex_id) if not is_hq(u)]) < STACK


def _against(ctx: Context) -> list[str]:
    """More units than a hex may hold; a second hex for those over a major river [9.8.3, B4, B10.3.2]."""
    game, units, target = ctx.game, ctx.values.get("units") or (), target_of(ctx.battle)
    end = str(ctx.values.get("to") or target)
    there = [u for u in game.units_at(end) if u.id not in units] if end else []
    over = surplus([*there, *(game.units[u] for u in units)])
    found = [f"{end} would hold {count(over, 'unit')} too many [9.8.3, B4]"] if over else []
    crossers = [u for u in units if u in recorded(ctx.battle).facts.get("crossers", ())]
    if end != target and crossers:
        words = f"{named(game, crossers)} attacked over a major river: one hex only [B10.3.2]"
        found.append(words)
    return found


@rules.follow_up(rule="9.8", label="Advance", still=_still_open, warns=_against)
def advance(
    game: Game,
    duty: e.Asked,
    battle: Battle | None,
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Units",
            many=True,
            pick=_victors,
            start=_as_many_as_fit,
            quiet=lambda c: len(_victors(c)) == 1 == len(_as_many_as_fit(c)),
        ),
    ],
    to: Annotated[
        str,
        Choice(
            label="To",
            options=_choices,
            start=lambda c: target_of(c.battle),
            when=lambda c: _limit(c) > 1,
        ),
    ] = "",
) -> Events:
    """Move attackers into the vacated hex, and one further when the result allows."""
    battle = recorded(battle)
    target, limit = target_of(battle), int(duty.args["limit"])
    if not units:
        raise Unreadable("choose who advances, or say no", field="units", rule="9.8")
    path = (target,) if to in ("", target) else (target, to)
    for unit in units:
        yield move(game, unit, path[-1], reason="advance after combat", rule="9.8")
    yield from pass_through(game, battle.attacker, path)
    rest = [u for u in duty.units if u not in units]
    if limit > 1 and rest:  # they may go another way, as in the worked example
        yield from _offer(game, battle, rest, limit, again=True)
