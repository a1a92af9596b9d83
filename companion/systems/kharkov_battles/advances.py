"""Following up [12.8]: who may advance, how far, and into which hex first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Context, Flag, HexId, UnitRef, Whole
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import learn, offer
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import ground
from companion.systems.kharkov_battles.base import Objection, fall_blau, hex_count, rules
from companion.systems.kharkov_battles.battles import ADVANCE, attack_of, members, origins, side_of
from companion.systems.kharkov_battles.deeds import names, show, tell
from companion.systems.kharkov_battles.units import STATIC, is_hq, is_mech, label


def victor(battle: Battle) -> str:
    """The letter of the side that follows up [12.65]."""
    return "A" if battle.facts.get("loser") == "D" else "D"


def vacated(battle: Battle) -> list[str]:
    """The hexes that the beaten held: the first of an advance [12.82]."""
    if battle.facts.get("vacated"):
        return list(battle.facts["vacated"])
    return list(battle.hexes) if victor(battle) == "A" else sorted(set(origins(battle).values()))


def limited(game: Game, battle: Battle) -> bool:
    """After an Encirclement Bonus, non-mechanized attackers go one hex [12.51]; Fall Blau's errata drop it."""
    return bool(battle.facts.get("encircled")) and victor(battle) == "A" and not fall_blau(game)


def _free(game: Game, battle: Battle) -> list[str]:
    """Those of the vacated hexes that no enemy holds."""
    beaten = side_of(battle, str(battle.facts.get("loser") or "D"))
    return [h for h in vacated(battle) if not any(u.side == beaten for u in game.units_at(h))]


def along(game: Game, battle: Battle) -> list[str]:
    """The vacated hexes, then the path of retreat as far as the victor may follow it [12.8]."""
    found = _free(game, battle)
    for origin in list(found):
        found += _path(battle, origin)
    return [h for h in dict.fromkeys(found) if not _held(game, battle, h)]


def _path(battle: Battle, origin: str) -> list[str]:
    """What lies behind a vacated hex; the advance spends its first hex on that one [12.82]."""
    return list(battle.facts.get("paths", {}).get(origin, ()))[: max(0, int(battle.facts.get("back", 0)) - 1)]


def _held(game: Game, battle: Battle, hex_id: str) -> bool:
    beaten = side_of(battle, str(battle.facts.get("loser") or "D"))
    return any(u.side == beaten for u in game.units_at(hex_id))


def within_reach(game: Game, battle: Battle, unit: Unit) -> set[str]:
    """Every hex that a unit may advance to: the vacated one, then on, hex by hex [12.82-12.85]."""
    enemy = game.other(unit.side)
    zones = ground.zones(game, enemy, combat=True)
    found: set[str] = set()
    for first in _free(game, battle):
        if first not in ground.grid_at(game, unit.place).neighbours(unit.place):
            continue
        over = ground.features(game, unit.place, first)
        if "impassable" in over or ("dnepr" in over and not over & ground.BRIDGES):
            continue
        found.add(first)
        held_up = first in zones and not is_mech(unit)  # the mechanized ignore the zone of the first hex
        if ground.is_city(game, first) or over & {"major river", "dnepr"} or held_up:
            continue
        if not is_mech(unit) and limited(game, battle):
            continue
        strict = not is_mech(unit) and first in battle.facts.get("paths", {})
        only = set(_path(battle, first)) if strict else None
        found |= _onward(game, battle, first, zones, only)
    return found


def _onward(
    game: Game, battle: Battle, first: str, zones: Mapping[str, set[str]], only: set[str] | None
) -> set[str]:
    """Beyond the first hex: never over an unbridged river, and no further than a zone or a city."""
    found, edge = {first}, [first]
    for _ in range(int(battle.facts.get("back", 0)) - 1):
        beyond = []
        for a in edge:
            for b in ground.grid_at(game, a).neighbours(a):
                barred = ground.wall(game, a, b) or _held(game, battle, b) or b in found
                if not barred and (only is None or b in only):
                    found.add(b)
                    if b not in zones and not ground.is_city(game, b):
                        beyond.append(b)
        edge = beyond
    return found


def victors(game: Game, battle: Battle) -> list[Unit]:
    """Who took part, or is stacked with somebody who did, and has not gone yet; nobody that never moves [12.8]."""
    side = side_of(battle, victor(battle))
    if battle.units(side):
        places = {u.place for u in members(game, battle, victor(battle))} - set(vacated(battle))
    else:  # told by its total alone: whoever stands beside the hex and attacked nothing else may have been in it
        near = {n for h in vacated(battle) for n in ground.grid_at(game, h).neighbours(h)}
        places = {u.place for u in on_map(game, side) if u.place in near and not attack_of(game, u, battle)}
    gone = battle.facts.get("advanced", ())
    return [u for u in on_map(game, side) if u.place in places and u.kind not in STATIC and u.id not in gone]


def offer_advance(game: Game, battle: Battle, more: bool = False) -> Events:
    """The victor may follow as far as the beaten went [12.8]."""
    side, back = side_of(battle, victor(battle)), int(battle.facts.get("back", 0))
    who, foot = game.side_name(side), "; non-mechanized units 1 hex after the encirclement"
    foot = foot if limited(game, battle) else ""
    units = victors(game, battle)
    if not battle.units(side) and not more:
        yield from tell(game, battle, f"{who} may advance up to {hex_count(back)}{foot}", "12.8")
    if not _free(game, battle) or not [u for u in units if not more or not is_hq(u)]:
        return
    words = "does anybody else advance? Up to" if more else "advance up to"
    text = f"{who}: {words} {hex_count(back)}{'' if more else '?'}{foot}"
    yield offer(
        game, side, text, advance, battle=battle, step=ADVANCE, units=[u.id for u in units], rule="12.8"
    )


def _victors(ctx: Context) -> list[Unit]:
    return victors(ctx.game, ctx.battle) if ctx.battle else []


def _likely(ctx: Context) -> list[str]:
    """Everybody who fought and can get there; not headquarters, and nobody who was just left out of an advance."""
    battle = ctx.battle
    if battle is None or battle.facts.get("advanced") or not battle.units(side_of(battle, victor(battle))):
        return []
    able = [u for u in _victors(ctx) if not is_hq(u)]
    return [u.id for u in able if within_reach(ctx.game, battle, u)]


def _first(ctx: Context) -> str:
    return next(iter(_free(ctx.game, ctx.battle)), "") if ctx.battle else ""


def _still_open(game: Game, duty: e.Asked) -> bool:
    """A vacated hex is open, and one of the victors is left to move in."""
    battle = game.battles.get(duty.battle)
    return battle is not None and bool(_free(game, battle)) and bool(victors(game, battle))


def _too_far(ctx: Context) -> Iterator[Objection]:
    if ctx.battle is None:
        return
    there, back = str(ctx.values.get("hex") or _first(ctx)), int(ctx.battle.facts.get("back", 0))
    for unit in (ctx.game.units[n] for n in ctx.values.get("units") or ()):
        most, reason, rule = furthest(
            ctx.game, unit, back, vacated(ctx.battle), limited(ctx.game, ctx.battle)
        )
        away = ground.distance(ctx.game, unit.place, there)
        if away is not None and away > most:
            because = f" ({reason})" if most < back else ""
            words = f"{label(unit)} may advance {hex_count(most)}{because}; {there} is {away} away"
            yield Objection(words, rule=rule)
        elif there not in within_reach(ctx.game, ctx.battle, unit):
            path = "" if is_mech(unit) else "along the path of retreat, and "
            words = f"{label(unit)} does not get to {there}: first the vacated hex, {path}no further than an enemy zone"
            yield Objection(f"{words}, a city or an unbridged Major River", rule="12.82-12.85")


@dataclass(frozen=True)
class Along(HexId):
    """A hex to advance to; the vacated ones and the path of retreat are offered."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        hexes = along(ctx.game, ctx.battle) if ctx.battle else []
        return {**super().describe(ctx), "choices": [{"value": h, "label": h} for h in hexes]}


@rules.follow_up(rule="12.8", label="Advance", still=_still_open, warns=_too_far)
def advance(
    game: Game,
    battle: Battle,
    units: Annotated[tuple[str, ...], UnitRef(label="Who advances", many=True, pick=_victors, start=_likely)],
    hex: Annotated[str, Along(label="To hex", start=_first, help="empty: the hex the enemy left")] = "",
) -> Events:
    """Victorious units follow, first into the vacated hex, each as far as it may; they need never advance."""
    if not units:
        raise Unreadable("choose who advances, or say no", field="units", rule="12.8")
    there = hex or next(iter(_free(game, battle)), "")
    if not there or any(u.side != game.units[units[0]].side for u in game.units_at(there)):
        raise NotNow(f"{there or 'the hex'} holds enemy units", field="hex", given=there, rule="12.8")
    for name in units:
        yield move(game, name, there, reason="advance", rule="12.8")
    words = f"{names([game.units[n] for n in units])}: advance to {there}"
    battle = yield from show(game, battle, words, "12.8")
    gone = [*battle.facts.get("advanced", ()), *units]
    battle = yield from learn(game, battle, advanced=gone)
    yield from offer_advance(game, battle, more=True)


def advance_limits(
    hexes: int, mech: bool, city: bool, major: bool, encirclement: bool, ezoc: bool
) -> tuple[int, str, str]:
    """How far one unit may advance, why, and the rule [12.51, 12.82, 12.85]."""
    if hexes == 0:
        return 0, "nothing was taken as a retreat", "12.8"
    if city:
        return 1, "the first hex is a city", "12.82, 12.85"
    if major:
        return 1, "entered over a Major River", "12.82"
    if mech:
        return hexes, "may leave the path; stops at the next enemy zone", "12.82"
    if encirclement:
        return 1, "busy with prisoners after the encirclement", "12.51"
    if ezoc:
        return 1, "stops in the enemy zone of the first hex", "12.82"
    return hexes, "along the path of retreat", "12.82"


def furthest(
    game: Game, unit: Unit, hexes: int, vacated: list[str], encirclement: bool
) -> tuple[int, str, str]:
    """The longest advance of a unit by the hex it may enter first; enemy zones on the way are for the eye."""
    beside = [h for h in vacated if h in ground.grid_at(game, unit.place).neighbours(unit.place)]
    ways = [
        advance_limits(
            hexes,
            is_mech(unit),
            ground.is_city(game, h),
            ground.river(game, unit.place, h) == "major",
            encirclement,
            False,
        )
        for h in beside
    ]
    return max(ways, default=advance_limits(hexes, is_mech(unit), False, False, encirclement, False))


@rules.worksheet(rule="12.8", title="Advance after combat")
def advance_length(
    ctx: Context,
    hexes: Annotated[int, Whole(label="Hexes taken as a retreat", high=9)] = 0,
    first_city: Annotated[bool, Flag(label="First hex is a city")] = False,
    first_major: Annotated[bool, Flag(label="First hex entered over a Major River")] = False,
    first_ezoc: Annotated[bool, Flag(label="First hex in an enemy zone")] = False,
    encirclement: Annotated[bool, Flag(label="Encirclement Bonus used")] = False,
) -> Breakdown:
    """How far mechanized and other units may advance."""
    sheet = Breakdown("Advance after combat")
    errata = fall_blau(ctx.game)
    for mech, name in ((True, "mechanized"), (False, "others")):
        most, why, rule = advance_limits(
            hexes, mech, first_city, first_major, encirclement and not errata, first_ezoc
        )
        sheet.add(f"{name}: {why}", hex_count(most), rule)
        sheet.facts[name] = most
    sheet.add("first into the vacated hex; never over an unbridged Major River after that", "", "12.82-12.84")
    sheet.result = f"{sheet.facts['mechanized']} / {sheet.facts['others']}"
    return sheet
