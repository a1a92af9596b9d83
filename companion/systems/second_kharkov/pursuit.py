"""After the losses: German retreat, advance into the won hex, mechanised exploitation [12.21-12.23]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Choice, Context, HexId
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import offer, owe, standing, units_of
from companion.engine.positions.situation import situation
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.second_kharkov import ground
from companion.systems.second_kharkov.air import interdicted
from companion.systems.second_kharkov.base import GERMAN, SOVIET, Reason, rules
from companion.systems.second_kharkov.control import take
from companion.systems.second_kharkov.fighting import EXPLOIT, RETREAT, target_of, vacated
from companion.systems.second_kharkov.judging import at_start
from companion.systems.second_kharkov.route import next_to
from companion.systems.second_kharkov.stacking import LIMIT, overstacked
from companion.systems.second_kharkov.units import Wanted, label, mechanised

EXPLOITATION = 2  # hexes beyond the won one [12.22]


# -- retreat ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Refuge:
    """A hex that beaten Germans may fall back to."""

    hex: str
    distance: int
    source: str

    @property
    def words(self) -> str:
        return f"{self.hex} ({self.distance} from source {self.source})" if self.source else self.hex


def working_sources(game: Game) -> list[str]:
    """The German edge hexes that the Soviet does not control [9.12]."""
    now = situation(game, at_start(game))
    return [h for h in now.board.book.named("source", GERMAN) if not now.controls(SOVIET, h)]


def refuges(game: Game, force: Sequence[Unit], origin: str) -> list[Refuge]:
    """The hexes nearest to a working source that take the whole force [12.23]; ties are his choice."""
    if not force or not origin:
        return []
    sources = working_sources(game)
    found = []
    for hex_id in game.maps.neighbours(origin):
        if _barred(game, force, origin, hex_id):
            continue
        distances = [(game.maps.distance(hex_id, s), s) for s in sources]
        distance, source = min(distances, default=(0, ""))
        found.append(Refuge(hex_id, distance, source))
    best = min((r.distance for r in found), default=0)
    return [r for r in sorted(found, key=lambda r: r.hex) if r.distance == best]


def _barred(
    game: Game, force: Sequence[Unit], origin: str, hex_id: str, battle: Battle | None = None
) -> Reason | None:
    """Why a force may not step into a hex; None when it may. Enemy zones never matter [8.5, 8.6, 8.10].

    :param battle: the one that units advance after; None for a retreat
    """
    side, there = force[0].side, game.units_at(hex_id)
    if any(u.side != side for u in there):
        return Reason("enemy units are there", "7.1")
    if crowd := overstacked(side, [*there, *(u for u in force if u.place != hex_id)]):
        return crowd
    if battle is None and game["retreat-terrain"] == "free":
        return None
    if ground.terrain(game, hex_id) == "marsh" and any(mechanised(u) for u in force):
        return Reason("mechanised units never enter marsh", "11.13, 12.22")
    return _river_bar(game, side, origin, hex_id, battle)


def _river_bar(
    game: Game, side: str, origin: str, hex_id: str, battle: Battle | None = None
) -> Reason | None:
    """:param battle: the one that a unit advances after; crossing a river into the won hex may be allowed"""
    if not ground.unbridged(game, origin, hex_id):
        return None
    advancing = battle is not None and battle.attacker == side and hex_id == target_of(battle)
    if not advancing or game["advance-river"] == "barred":
        return Reason("an unbridged major river lies between", "11.14")
    if side == SOVIET and {origin, hex_id} & interdicted(game):
        return Reason("an interdiction zone closes the major river", "11.19")
    return None


def must_fall_back(game: Game, battle: Battle) -> Events:
    """The Germans who are left leave together [12.23]; where to is asked of those who are left."""
    force, origin = standing(game, battle, battle.defender), target_of(battle)
    if not battle.units(battle.defender):
        yield e.Noted("The German defenders fall back one hex", rule="12.23")
    elif force and refuges(game, force, origin):
        text, names = f"German: fall back from {origin}", [u.id for u in force]
        yield owe(
            game, battle.defender, text, fall_back, battle=battle, step=RETREAT, units=names, rule="12.23"
        )
    elif force:
        yield from _split(game, force, origin)


def _leaving(ctx: Context) -> list[Unit]:
    """Those who are left of the force and still in the hex that was attacked."""
    here = target_of(ctx.battle)
    return [u for u in units_of(ctx.game, ctx.duty) if u.place == here] if ctx.duty else []


def _ways_back(ctx: Context) -> list[tuple[str, str]]:
    return [(r.hex, r.words) for r in refuges(ctx.game, _leaving(ctx), target_of(ctx.battle))]


def _only_way_back(ctx: Context) -> Mapping[str, Any] | None:
    """One hex to go to; or they have left already, moved by hand."""
    ways = _ways_back(ctx)
    return ({"to": ways[0][0]} if ways else {}) if len(ways) == 1 or not _leaving(ctx) else None


@rules.follow_up(rule="12.23", label="Fall back", alone=_only_way_back)
def fall_back(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    to: Annotated[str, Choice(label="To", options=_ways_back, when=lambda c: bool(_ways_back(c)))] = "",
) -> Events:
    """The whole force leaves; in its new hex it may be attacked again, with the stack it joins."""
    left_behind = [u for u in units_of(game, duty) if u.place == target_of(battle)]
    if left_behind and not to:
        raise Unreadable("say where they fall back to, or move them by hand", field="to", rule="12.23")
    for unit in left_behind:
        yield move(game, unit.id, to, reason="falls back", rule="12.23")
    yield from vacated(game, battle)


def _split(game: Game, force: Sequence[Unit], origin: str) -> Events:
    """Only where stacking bars one hex for all do they part, each to the nearest that takes him [12.23]."""
    taken: set[str] = set()
    for unit in force:
        choices = [r.hex for r in refuges(game, [unit], origin)]
        if not choices:
            words = f"{label(unit)} has no hex to fall back to: the step is lost"
            raise NotNow(words, field="how", rule="12.23")
        where = next((h for h in choices if h in taken), choices[0])
        taken.add(where)
        yield move(game, unit.id, where, reason="falls back", rule="12.23")
    yield e.Noted(
        "No one hex takes the whole force, so it parts; where two hexes are equally near, move by hand",
        rule="12.23",
    )


def can_fall_back(game: Game, battle: Battle, force: Sequence[Unit]) -> bool:
    """Whether each of them has somewhere to go [12.23]."""
    return all(refuges(game, [unit], target_of(battle)) for unit in force)


# -- advance and exploitation ----------------------------------------------------------------------


def _victors(ctx: Context) -> list[Unit]:
    return standing(ctx.game, ctx.battle, ctx.battle.attacker) if target_of(ctx.battle) and ctx.battle else []


def _can_enter(ctx: Context) -> list[Unit]:
    """The victors whom ground and stacking let in [12.21]."""
    here, battle = target_of(ctx.battle), ctx.battle
    return [u for u in _victors(ctx) if not _barred(ctx.game, [u], u.place, here, battle)]


def _likely(ctx: Context) -> list[str]:
    """As many as the won hex holds."""
    able = _can_enter(ctx)
    return [u.id for u in able[: LIMIT[able[0].side]]] if able else []


def _still_open(game: Game, duty: e.Asked) -> bool:
    """The won hex is empty of enemies, and one of the attackers is left that can move in."""
    battle = game.battles.get(duty.battle)
    target = target_of(battle)
    if battle is None or not target or not duty.units:
        return battle is not None
    held = any(u.side == battle.defender for u in game.units_at(target))
    return not held and bool(_can_enter(Context(game, duty=duty)))


@rules.follow_up(rule="12.21", label="Advance", still=_still_open)
def advance(
    game: Game,
    battle: Battle,
    units: Annotated[
        tuple[str, ...],
        Wanted(
            label="Who moves in",
            many=True,
            pick=_victors,
            suggest=_can_enter,
            start=_likely,
            when=lambda c: bool(_victors(c)),
        ),
    ] = (),
) -> Events:
    """Move attackers into the won hex, or note that some moved in."""
    side, target = battle.attacker, target_of(battle)
    if standing(game, battle, side) and target and not units:
        raise Unreadable("choose who moves in, or say no", field="units", rule="12.21")
    _check_advance(game, battle, [game.units[n] for n in units])
    for name in units:
        yield move(game, name, target, reason="advance after combat", rule="12.21")
    if target:
        yield from take(game, target, side, "advance after combat")
    if side == GERMAN:
        yield from _offer_to_exploit(game, battle)


def _check_advance(game: Game, battle: Battle, force: Sequence[Unit]) -> None:
    """
    :raises NotNow: when the ground, the enemy or stacking keeps one of them out [12.21]
    """
    hex_id = target_of(battle)
    for unit in force:
        _check_step(game, battle, unit, unit.place, hex_id, "units", unit.id)
    crowd = overstacked(force[0].side, [*game.units_at(hex_id), *force]) if force else None
    if crowd:
        raise NotNow(f"{hex_id}: {crowd.words}", field="units", rule=crowd.rule)


def _check_step(
    game: Game, battle: Battle, unit: Unit, origin: str, hex_id: str, field: str, given: str
) -> None:
    bar = _barred(game, [unit], origin, hex_id, battle)
    if bar:
        words = f"{label(unit)} cannot enter {hex_id}: {bar.words}"
        raise NotNow(words, field=field, given=given, rule=bar.rule)


def _exploiters(ctx: Context) -> list[Unit]:
    return _able(ctx.game, ctx.battle) if ctx.battle else []


def _able(game: Game, battle: Battle) -> list[Unit]:
    """Supplied mechanised units that advanced and have not gone on yet [12.22]."""
    force = [game.units[n] for n in battle.facts.get("exploiters", ())]
    return [u for u in force if u.place and u.place == target_of(battle)]


def _offer_to_exploit(game: Game, battle: Battle) -> Events:
    """Everybody reads this, and only the top unit of a stack lies open again [7.6]: it names the hex alone."""
    if _able(game, battle):
        text, action = (
            f"Supplied mechanised units in {target_of(battle)} may go on one or two hexes",
            "exploit",
        )
    elif not battle.units(battle.attacker):
        text, action = "Supplied mechanised units that moved in may go on one or two hexes", ""
    else:
        return
    yield offer(game, GERMAN, text, action, battle=battle, step=EXPLOIT, rule="12.22")


@rules.follow_up(
    rule="12.22",
    label="Exploit",
    still=lambda game, duty: duty.battle in game.battles and bool(_able(game, game.battles[duty.battle])),
)
def exploit(
    game: Game,
    battle: Battle,
    unit: Annotated[str, Wanted(label="Unit", pick=_exploiters)],
    hexes: Annotated[tuple[str, ...], HexId(label="Hexes, in order", many=True)],
) -> Events:
    """Carry a supplied mechanised unit on by one or two hexes; enemy zones do not stop it."""
    held = game.units[unit]
    if len(hexes) > EXPLOITATION:
        words = f"{len(hexes)} hexes are too many: one or two"
        raise Unreadable(words, field="hexes", given=hexes, rule="12.22")
    here = held.place
    for hex_id in hexes:
        next_to(game, here, hex_id)
        _check_step(game, battle, held, here, hex_id, "hexes", hex_id)
        yield move(game, unit, hex_id, reason="exploits", rule="12.22")
        yield from take(game, hex_id, GERMAN, "exploitation")
        here = hex_id
    yield from _offer_to_exploit(game, battle)
