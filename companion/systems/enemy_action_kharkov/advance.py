"""The advance into a hex that the defenders left, and of mechanised units beyond it [9.8]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from companion.engine.forms.fields import Choice, Context, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import NO, learn, offer, standing
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import (
    Reason,
    called,
    fits,
    kind_of,
    mechanised,
    on_record,
    rules,
)
from companion.systems.enemy_action_kharkov.fight import ADVANCE, FURTHER, tell
from companion.systems.enemy_action_kharkov.posts import enemy_zone, in_area
from companion.systems.enemy_action_kharkov.supply import owner, towns

BIG_RIVERS = {"donets", "dniepr"}


def vacated(game: Game, battle: Battle) -> Events:
    """The hex lies open: undispersed attackers may move in, but none that a tactic brought [9.8]."""
    if game.duties(battle, "advance"):
        return
    side = game.side_name(battle.attacker)
    if not battle.units(battle.attacker):  # on the map: there is nothing to tell, and nobody is asked
        if not battle.facts.get("open"):
            far = ", mechanised units a hex further" if _is_far(game, battle) else ""
            words = f"{side} may advance into the hex if it is empty{far}"
            yield from tell(game, battle, words, open=True)
        return
    text = f"{side}: advance into {battle.hexes[0]}"
    units = [u.id for u in victors(game, battle)]
    yield offer(game, battle.attacker, text, advance, battle=battle, step=ADVANCE, units=units, rule="9.8")


def victors(game: Game, battle: Battle) -> list[Unit]:
    """Attackers on record who may move in: in order, not brought by a tactic, inside their front's area [7.6, 9.8]."""
    joined, target = battle.facts.get("brought", ()), battle.hexes[0] if battle.hexes else ""
    return [
        u
        for u in standing(game, battle, battle.attacker)
        if u.id not in joined
        and not game.mark(u.id, "dispersed")
        and target in game.maps.neighbours(u.place)
        and "blocked dniepr" not in board(game).book.features(game.maps.hexside(u.place, target))
        and in_area(game, [u], target)
    ]


def _is_far(game: Game, battle: Battle) -> bool:
    """A two-hex retreat, or nobody left, lets mechanised units go on [9.81]."""
    return battle.facts.get("retreat") == 2 or (
        bool(battle.units(battle.defender)) and not standing(game, battle, battle.defender)
    )


def _still_open(game: Game, duty: e.Asked) -> bool:
    """The hex is empty of defenders, and somebody may move in."""
    battle = game.battles.get(duty.battle)
    if battle is None or battle.facts.get("dispersed"):
        return False
    if battle.hexes and any(u.side == battle.defender for u in game.units_at(battle.hexes[0])):
        return False
    return bool(victors(game, battle))


def _victors(ctx: Context) -> list[Unit]:
    return victors(ctx.game, ctx.battle) if ctx.battle else []


def _likely(ctx: Context) -> list[str]:
    """All that the hex holds; whoever stays behind is tapped away [7.4]."""
    target = ctx.battle.hexes[0] if ctx.battle else ""
    there: list[Unit] = list(ctx.game.units_at(target))
    found: list[str] = []
    for unit in _victors(ctx):
        if fits([*there, unit]):
            there.append(unit)
            found.append(unit.id)
    return found


def _too_many(ctx: Context) -> Iterator[Reason]:
    units = [ctx.game.units[u] for u in ctx.values.get("units") or ()]
    if ctx.battle and ctx.battle.hexes and not fits([*ctx.game.units_at(ctx.battle.hexes[0]), *units]):
        yield Reason(f"{ctx.battle.hexes[0]} would hold too many units or steps", "7.4")


def _stays(game: Game, duty: e.Asked, how: str) -> Events:
    """That nobody moves in is told as well."""
    if (battle := game.battles.get(duty.battle)) is not None and how == NO:
        yield from tell(game, battle, f"{game.side_name(battle.attacker)} does not advance")


@rules.follow_up(rule="9.8", label="Advance", still=_still_open, warns=_too_many, declined=_stays)
def advance(
    game: Game,
    battle: Battle,
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Who moves in", many=True, pick=_victors, start=_likely),
    ],
) -> Events:
    """Move attackers into the hex."""
    target = battle.hexes[0]
    stopped = [u for u in units if _crosses(game, game.units[u].place, target)]  # [9.82]
    captured = target in towns(game) and owner(game, target) != battle.attacker
    for unit in units:
        yield move(game, unit, target, reason="advance", rule="9.8")
    names = ", ".join(called(u) for u in on_record(game, units))
    battle = yield from tell(game, battle, f"{names}: advance into {target}", logged=False)
    if units and _is_far(game, battle):
        onward = [u for u in units if u not in stopped]
        battle = yield from learn(game, battle, onward=onward, entered=list(units) if captured else None)
        yield from _offer_more(game, battle)


# -- a second hex [9.81, 9.82] -------------------------------------------------------------------------


def _crosses(game: Game, a: str, b: str) -> bool:
    """Whether an unbridged Donets or Dniepr lies between."""
    features = board(game).book.features(game.maps.hexside(a, b))
    return bool(features & BIG_RIVERS) and "bridge" not in features


def _onward(game: Game, battle: Battle) -> list[Unit]:
    """Mechanised units that moved in and may go on; Panzer Battalion lets one infantry unit do so [9.81].

    Of one whose type nobody has told only the players know it.
    """
    target, entered = battle.hexes[0], battle.facts.get("entered", ())
    if len([u for u in on_record(game, entered) if u.place == target]) == 1:
        return []  # whoever enters an enemy town stops there; only those after him pass through [12.1]
    there = [
        u for u in standing(game, battle, battle.attacker)
        if u.id in battle.facts.get("onward", ()) and u.place == target
    ]  # fmt: skip
    carried = "panzer battalion" in battle.facts.get("attack_tactics", ()) and not battle.facts.get("carried")
    return [u for u in there if mechanised(u) or not kind_of(u) or (carried and kind_of(u) == "infantry")]


def _second_hexes(game: Game, battle: Battle, unit: Unit) -> list[str]:
    """Along the path of retreat whatever the zones; elsewhere not from zone to zone, nor over a big river."""
    target, path, zone = battle.hexes[0], battle.facts.get("path", ()), enemy_zone(game, unit.side)
    found = []
    for hex_id in game.maps.neighbours(target):
        there = game.units_at(hex_id)
        blocked = "blocked dniepr" in board(game).book.features(game.maps.hexside(target, hex_id))
        if blocked or any(u.side != unit.side for u in there) or not fits([*there, unit]):
            continue
        free = not (target in zone and hex_id in zone) and not _crosses(game, target, hex_id)
        if (hex_id in path or free) and in_area(game, [unit], hex_id):
            found.append(hex_id)
    return found


def _moves(game: Game, battle: Battle | None) -> Sequence[tuple[str, str]]:
    if battle is None or not battle.hexes:
        return []
    return [
        (f"{unit.id} {hex_id}", f"{called(unit)}{'' if kind_of(unit) else ', if mechanised,'} to {hex_id}")
        for unit in _onward(game, battle)
        for hex_id in _second_hexes(game, battle, unit)
    ]


def _offer_more(game: Game, battle: Battle) -> Events:
    if _moves(game, battle):
        text = f"{game.side_name(battle.attacker)}: mechanised units may go on one hex"
        units = [u.id for u in _onward(game, battle)]
        yield offer(game, battle.attacker, text, go_on, battle=battle, step=FURTHER, units=units, rule="9.81")


@rules.follow_up(
    rule="9.81", label="Go on", still=lambda game, duty: bool(_moves(game, game.battles.get(duty.battle)))
)
def go_on(
    game: Game,
    battle: Battle,
    where: Annotated[str, Choice(label="Who, where", options=lambda c: _moves(c.game, c.battle))],
) -> Events:
    """Advance a mechanised unit into a second hex."""
    name, _, hex_id = where.rpartition(" ")
    yield move(game, name, hex_id, reason="advance", rule="9.81")
    battle = yield from tell(game, battle, f"{called(game.units[name])}: on to {hex_id}", logged=False)
    if kind_of(game.units[name]) == "infantry":
        battle = yield from learn(game, battle, carried=True)
    yield from _offer_more(game, battle)
