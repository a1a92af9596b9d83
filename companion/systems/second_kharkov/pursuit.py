"""After the losses: German retreat, advance into the won hex, mechanised exploitation [12.21-12.23]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
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
from companion.systems.second_kharkov.aftermath import EXPLOIT, RETREAT, target_of, vacated
from companion.systems.second_kharkov.air import interdicted
from companion.systems.second_kharkov.base import GERMAN, SOVIET, Reason, rules
from companion.systems.second_kharkov.control import take
from companion.systems.second_kharkov.deeds import done, told
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
    found = _open_hexes(game, force, origin)
    best = min((r.distance for r in found), default=0)
    return [r for r in found if r.distance == best]


def _open_hexes(game: Game, force: Sequence[Unit], origin: str) -> list[Refuge]:
    """Every hex around that takes the whole force, near a source or not."""
    if not force or not origin:
        return []
    sources = working_sources(game)
    found = []
    for hex_id in sorted(game.maps.neighbours(origin)):
        if not _barred(game, force, origin, hex_id):
            distance, source = min(((game.maps.distance(hex_id, s), s) for s in sources), default=(0, ""))
            found.append(Refuge(hex_id, distance, source))
    return found


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
    if force and refuges(game, force, origin):
        text, names = f"German: fall back from {origin}", [u.id for u in force]
        yield owe(
            game, battle.defender, text, fall_back, battle=battle, step=RETREAT, units=names, rule="12.23"
        )
    elif force:
        yield from _split(game, battle, force, origin)


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
    yield from done(game, battle, GERMAN, {u.id: f"to {to}" for u in left_behind}, "12.23")
    yield from vacated(game, battle)


def _parted(game: Game, force: Sequence[Unit], origin: str) -> dict[str, str] | None:
    """Where each of a force goes that no one hex takes: as near to a source as there is room, in few parts [12.23].

    None when somebody would be left over.
    """
    found: dict[tuple[int, int], dict[str, str]] = {}
    for chosen in product(*(_open_hexes(game, [unit], origin) for unit in force)):
        parts: dict[str, list[Unit]] = {}
        for unit, refuge in zip(force, chosen, strict=True):
            parts.setdefault(refuge.hex, []).append(unit)
        if not any(_barred(game, units, origin, h) for h, units in parts.items()):
            price = sum(refuge.distance for refuge in chosen), len(parts)
            found.setdefault(price, {u.id: h for h, units in parts.items() for u in units})
    return found[min(found)] if found else None


def _split(game: Game, battle: Battle, force: Sequence[Unit], origin: str) -> Events:
    """Only where stacking bars one hex for all do they part, each to the nearest that takes him [12.23]."""
    ways = _parted(game, force, origin)
    if ways is None:
        words = f"not all of {', '.join(map(label, force))} have a hex to fall back to: the step is lost"
        raise NotNow(words, field="how", rule="12.23")
    for name, hex_id in ways.items():
        yield move(game, name, hex_id, reason="falls back", rule="12.23")
    yield from done(game, battle, GERMAN, {name: f"to {h}" for name, h in ways.items()}, "12.23")
    yield e.Noted(
        "No one hex takes the whole force, so it parts; where two hexes are equally near, move by hand",
        rule="12.23",
    )


def can_fall_back(game: Game, battle: Battle, force: Sequence[Unit]) -> bool:
    """Whether all of them have somewhere to go [12.23]."""
    origin = target_of(battle)
    return bool(refuges(game, force, origin)) or _parted(game, force, origin) is not None


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


def _against_advance(ctx: Context) -> list[str]:
    """What ground and stacking have against these units in the won hex [12.21]; the map may know better."""
    game, battle, hex_id = ctx.game, ctx.battle, target_of(ctx.battle)
    force = [game.units[n] for n in ctx.values.get("units") or ()]
    found = {str(bar): None for u in force if (bar := _barred(game, [u], u.place, hex_id, battle))}
    if force and (crowd := overstacked(force[0].side, [*game.units_at(hex_id), *force])):
        found[str(crowd)] = None
    return [f"{hex_id}: {words}" for words in found]


@rules.follow_up(rule="12.21", label="Advance", still=_still_open, warns=_against_advance)
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
    for name in units:
        yield move(game, name, target, reason="advance after combat", rule="12.21")
    yield from done(game, battle, side, {name: f"to {target}" for name in units}, "12.21")
    if not units:
        yield from told(game, battle, side, f"moves into {target or 'the hex'}", "12.21")
    if target:
        yield from take(game, target, side, "advance after combat")
    if side == GERMAN:
        yield from _offer_to_exploit(game, battle)


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


THEN = "then "
"""What marks the second hex of an exploitation among the choices."""


@dataclass(frozen=True)
class Onward(HexId):
    """The hexes of an exploitation. The first ones keep their places in the list while it is drawn again and the second
    ones say that they are: the order of the list is not the order of the way."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        gone: tuple[str, ...] = ctx.values.get("hexes") or ()
        start = target_of(ctx.battle)
        first = self._free(ctx, start)
        second = [h for h in self._free(ctx, gone[0]) if h != start] if gone else []
        values = [THEN + h if h in second and h != gone[0] else h for h in first]
        values += [THEN + h for h in second if h not in first]
        offered = [{"value": value, "label": value} for value in values]
        return {**super().describe(ctx), "help": "one or two", "choices": offered}

    def _free(self, ctx: Context, here: str) -> list[str]:
        """The hexes around one that the unit can enter."""
        held = ctx.game.units.get(str(ctx.values.get("unit") or _only_exploiter(ctx)))
        near = ctx.game.maps.neighbours(here) if here else ()
        return [h for h in near if held is None or not _barred(ctx.game, [held], here, h, ctx.battle)]

    def read(self, raw: Any, ctx: Context) -> Any:
        parts = [str(part) for part in raw] if isinstance(raw, list | tuple) else [str(raw)]
        parts.sort(key=lambda part: part.startswith(THEN))
        return super().read(" ".join(part.replace(THEN, " ") for part in parts), ctx)


def _against_exploit(ctx: Context) -> list[str]:
    """What the ground has against each step [12.22]; the map may know better."""
    game, held = ctx.game, ctx.game.units[str(ctx.values["unit"])]
    found, here = [], held.place
    for hex_id in ctx.values["hexes"]:
        if bar := _barred(game, [held], here, hex_id, ctx.battle):
            found.append(f"{hex_id}: {bar}")
        here = hex_id
    return found


def _only_exploiter(ctx: Context) -> str:
    here = _exploiters(ctx)
    return here[0].id if len(here) == 1 else ""


@rules.follow_up(
    rule="12.22",
    label="Exploit",
    still=lambda game, duty: duty.battle in game.battles and bool(_able(game, game.battles[duty.battle])),
    warns=_against_exploit,
)
def exploit(
    game: Game,
    battle: Battle,
    unit: Annotated[str, Wanted(label="Unit", pick=_exploiters, start=_only_exploiter)],
    hexes: Annotated[tuple[str, ...], Onward(label="Hexes, in order", many=True)],
) -> Events:
    """Carry a supplied mechanised unit on by one or two hexes; enemy zones do not stop it."""
    held = game.units[unit]
    if len(hexes) > EXPLOITATION:
        words = f"{len(hexes)} hexes are too many: one or two"
        raise Unreadable(words, field="hexes", given=hexes, rule="12.22")
    here = held.place
    for hex_id in hexes:
        next_to(game, here, hex_id)
        if any(u.side != GERMAN for u in game.units_at(hex_id)):
            words = f"{label(held)} cannot enter {hex_id}: enemy units are there"
            raise NotNow(words, field="hexes", given=hex_id, rule="7.1")
        yield move(game, unit, hex_id, reason="exploits", rule="12.22")
        yield from take(game, hex_id, GERMAN, "exploitation")
        here = hex_id
    yield from done(game, battle, GERMAN, {unit: f"on to {' and '.join(hexes)}"}, "12.22")
    yield from _offer_to_exploit(game, battle)
