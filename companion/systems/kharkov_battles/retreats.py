"""Falling back, breaking out and following up [12.7, 12.8]; counters on record are moved along."""

from __future__ import annotations

from typing import Annotated, Any

from companion.engine.errors import NotNow
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context, Dice, Flag, HexId, Roll, SideRef, UnitRef, Whole
from companion.engine.play.worksheet import Breakdown
from companion.engine.record import events as e
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import ground
from companion.systems.kharkov_battles.base import (
    COMBAT_PHASES,
    D10,
    count_done,
    fall_blau,
    only_its_own,
    own_side,
    read_row,
    rules,
    some,
    to_side,
)
from companion.systems.kharkov_battles.forces import COMBAT, ROLE, force
from companion.systems.kharkov_battles.units import STATIC, is_hq, is_mech, label, no_infiltration, on_map


def ask_retreat(game: Game, side: str, role: str, back: int, combat: int, encircled: bool) -> Events:
    """Ask for the retreat, and tell the victor how far he may follow [12.8]."""
    who, other = game.side_name(side), game.other(side)
    if not back:
        yield e.Noted(f"{who} takes no retreat: no advance", rule="12.8")
        return
    members = force(game, combat, role) if combat else []
    text = f"{who} retreats {some(back, 'hex')}"
    if any(u.kind not in STATIC for u in members):
        args: dict[str, Any] = {"side": side, "role": role, "combat": combat}
        ask = f"{text}: where does the stack end?"
        yield e.Asked(f"retreat-{game.revision}", to_side(game, side), ask, "fall-back", args, rule="12.7")
    else:
        yield e.Noted(text, rule="12.7")
    limited = encircled and not fall_blau(game)
    text = f"{game.side_name(other)} may advance up to {some(back, 'hex')}"
    text += "; non-mechanized units 1 hex after the encirclement" if limited else ""
    args = {"hexes": back, "side": other, "role": "D" if role == "A" else "A", "combat": combat}
    left = sorted({u.place for u in members if u.on_map})
    if left:
        args["vacated"] = left
    if limited:
        args["encirclement"] = True
    yield e.Asked(f"advance-{game.revision}", to_side(game, other), text, "advance", args, rule="12.8")
    yield from ask_static(game, side, members)


def ask_static(game: Game, side: str, stack: list[Unit]) -> Events:
    """Units that never move die instead of retreating [20.1, 27.4]."""
    for unit in stack:
        if unit.kind in STATIC:
            text = f"{label(unit)} cannot retreat: eliminate it"
            name = f"static-{unit.id}-{game.revision}"
            yield e.Asked(
                name, to_side(game, side), text, "eliminate-unit", {"unit": unit.id}, rule="20.1, 27.4"
            )


def nobody_left(game: Game, combat: int, role: str) -> Events:
    """A force that was wiped out does not retreat."""
    if combat and not force(game, combat, role):
        for ask in list(game.asked.values()):
            if ask.action == "fall-back" and (ask.args.get("combat"), ask.args.get("role")) == (combat, role):
                yield e.Answered(ask.id, "nobody is left")
                yield from move_in(
                    game, str(ask.args.get("assault") or ""), str(ask.args.get("vacated") or "")
                )


def move_in(game: Game, assault: str, vacated: str) -> Events:
    """A Mobile Assault that empties its target carries the attacker into it [11.2]."""
    if assault and vacated and not [u for u in game.units_at(vacated) if u.side != game.units[assault].side]:
        yield move(game, assault, vacated, reason="moves into the vacated hex", rule="11.2")


def _retreating(ctx: Context) -> list[Unit]:
    """The beaten force, as far as it is still there."""
    game = ctx.game
    number, role = int(ctx.values.get("combat") or 0), str(ctx.values.get("role") or "D")
    side = str(ctx.values.get("side") or "")
    return [u for u in (force(game, number, role) if number else on_map(game, side)) if u.kind not in STATIC]


@rules.action(by="any", rule="12.7", label="Retreat", group="hidden")
def fall_back(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=own_side, hidden=True)] = "",
    role: ROLE = "D",
    combat: COMBAT = 0,
    assault: Annotated[str, UnitRef(label="Mobile Assault by", hidden=True)] = "",
    vacated: Annotated[str, HexId(label="From hex", hidden=True)] = "",
    hex: Annotated[str, HexId(label="To hex", help="empty: move the counters on the map later")] = "",
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Units",
            many=True,
            pick=_retreating,
            start=lambda c: [u.id for u in _retreating(c)],
            when=lambda c: bool(c.values.get("combat")),
            help="none chosen: the whole stack",
        ),
    ] = (),
    steps: Annotated[
        int,
        Whole(
            label="Steps it costs",
            high=9,
            when=lambda c: bool(c.values.get("vacated")),
            help="one for each enemy zone entered without a friend in it, one for each hex it cannot go",
        ),
    ] = 0,
    seat: str = "",
) -> Events:
    """Move the beaten stack to where its retreat ends; it moves as a whole, no hex twice."""
    mover = game.other(side) if assault else side  # the attacker moves them after a Mobile Assault [11.26]
    if side:
        only_its_own(game, seat, mover, "conducts this retreat")
    if steps:  # a Prepared Assault has asked for them before [11.26, 12.71, 12.73]
        args = {"side": side, "steps": steps, "combat": combat, "role": role}
        text = f"{game.side_name(side)}: lose {some(steps, 'step')} on the way back"
        name = f"way-back-{game.revision}"
        yield e.Asked(name, to_side(game, side), text, "take-losses", args, rule="12.71, 12.73")
    if not hex:
        yield e.Noted("retreat done on the map", rule="12.7")
        return
    if any(u.side != side for u in game.units_at(hex)):
        raise NotNow(f"{hex} holds enemy units", field="hex", given=hex, rule="12.71")
    whole = [u.id for u in force(game, combat, role) if u.kind not in STATIC] if combat else ()
    for name in units or whole:
        yield move(game, name, hex, reason="retreat", rule="12.7")
    yield from move_in(game, assault, vacated)


def _victors(ctx: Context) -> list[Unit]:
    """Who took part, or is stacked with somebody who did; nobody that never moves [12.8]."""
    game = ctx.game
    if not ctx.values.get("combat"):
        return []
    fought = force(game, int(ctx.values["combat"]), str(ctx.values.get("role") or "A"))
    places = {u.place for u in fought}
    return [
        u
        for u in on_map(game, str(ctx.values.get("side") or ""))
        if u.place in places and u.kind not in STATIC
    ]


@rules.action(by="any", rule="12.8", label="Advance", group="hidden")
def advance(
    game: Game,
    hexes: Annotated[int, Whole(label="Up to", high=9, hidden=True)] = 0,
    side: Annotated[str, SideRef(label="Side", start=own_side, hidden=True)] = "",
    role: ROLE = "A",
    combat: COMBAT = 0,
    encirclement: Annotated[bool, Flag(label="Encirclement Bonus used", hidden=True)] = False,
    vacated: Annotated[tuple[str, ...], HexId(label="Vacated", many=True, hidden=True)] = (),
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Who advances",
            many=True,
            pick=_victors,
            when=lambda c: bool(_victors(c)),
            help="none chosen: nobody, or you move the counters later",
        ),
    ] = (),
    hex: Annotated[
        str,
        HexId(
            label="To hex",
            start=lambda c: next(iter(c.values.get("vacated") or ()), ""),
            when=lambda c: bool(_victors(c)),
        ),
    ] = "",
    seat: str = "",
) -> Events:
    """Victorious units follow, first into the vacated hex, each as far as it may; they need never advance."""
    if side:
        only_its_own(game, seat, side, "advances")
    if units and not hex:
        raise NotNow("say to which hex they advance", field="hex", rule="12.8")
    if not units:
        yield e.Noted(f"advance of up to {some(hexes, 'hex')} done", rule="12.8")
        return
    if any(u.side != side for u in game.units_at(hex)):
        raise NotNow(f"{hex} holds enemy units", field="hex", given=hex, rule="12.8")
    for name in units:
        unit = game.units[name]
        most, reason, rule = furthest(game, unit, hexes, vacated, encirclement)
        away = ground.distance(game, unit.place, hex)
        if away is not None and away > most:
            because = f" ({reason})" if most < hexes else ""
            why = f"{label(unit)} may advance {some(most, 'hex')}{because}; {hex} is {away} away"
            raise NotNow(why, field="hex", given=hex, rule=rule)
        yield move(game, name, hex, reason="advance", rule="12.8")
    left = [u for u in force(game, combat, role) if u.id not in units and not is_hq(u)]
    if left:
        args: dict[str, Any] = {"hexes": hexes, "side": side, "role": role, "combat": combat}
        args |= {"encirclement": True} if encirclement else {}
        args |= {"vacated": list(vacated)} if vacated else {}
        text = f"{game.side_name(side)}: does anybody else advance? Up to {some(hexes, 'hex')}"
        yield e.Asked(f"advance-{game.revision}", to_side(game, side), text, "advance", args, rule="12.8")


def _somebody_fought(game: Game) -> bool | str:
    return (
        bool(count_done(game, f"{game.phase}/combat"))
        or "a breakout follows a combat that drives a stack back [12.73]"
    )


@rules.action(
    phase=COMBAT_PHASES, by="any", rule="12.73", label="Breakout attempt", order=3, when=_somebody_fought
)
def breakout(
    game: Game,
    side: Annotated[
        str,
        SideRef(
            label="Retreating side",
            start=lambda c: c.game.other(c.game.active),
            hidden=True,
        ),
    ],
    hex: Annotated[str, HexId(label="From hex")] = "",
    die: Annotated[Roll | None, Dice(spec=D10, purpose="Breakout")] = None,
) -> Events:
    """A defending stack with a unit able to infiltrate tries to break out instead of paying for enemy zones."""
    here = [u for u in game.units_at(hex) if u.side == side] if hex else []
    if here and all(no_infiltration(game, u) for u in here):
        raise NotNow(
            "no unit in this stack can use Mobile Infiltration", field="hex", given=hex, rule="12.73"
        )
    if side == game.active:
        raise NotNow("only a defending stack may try to break out", field="side", given=side, rule="12.73")
    sheet = Breakdown(
        f"Breakout{f' from {hex}' if hex else ''}", column="result", dice=D10, roll=die.total if die else 0
    )
    read_row(sheet, game.chart("breakout"), str(sheet.roll))
    yield from rules.settle(game, "breakout", sheet, to_side(game, side), "12.73")


@rules.outcome("breakout")
def breakout_outcome(game: Game, sheet: dict[str, Any], result: str) -> Events:
    """The table's words are for the players to carry out."""
    yield e.Noted(f"{sheet['title']}: {result}", rule="12.73")


def advance_limits(
    hexes: int, mech: bool, city: bool, major: bool, encirclement: bool, ezoc: bool
) -> tuple[int, str, str]:
    """How far one unit may advance, why, and the rule."""
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
    game: Game, unit: Unit, hexes: int, vacated: tuple[str, ...], encirclement: bool
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
        sheet.add(f"{name}: {why}", some(most, "hex"), rule)
        sheet.facts[name] = most
    sheet.add("first into the vacated hex; never over an unbridged Major River after that", "", "12.82-12.84")
    sheet.result = f"{sheet.facts['mechanized']} / {sheet.facts['others']}"
    return sheet
