"""Artillery: combat and transport setup, fire at range, barrage, bridges [6.0]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Context, Dice, Flag, HexId, Roll, Whole
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import IN_PASSING, put_mark
from companion.engine.record.game import Game
from companion.systems.wb95 import airmarks, bombardment
from companion.systems.wb95.base import (
    AIR,
    ATTACK,
    BARRAGE,
    GUN_RANGE,
    MOVE,
    active_units,
    anybody,
    idle,
    in_transport,
    is_gun,
    is_kind,
    level,
    refusal,
    rules,
    units_to_tap,
)
from companion.systems.wb95.named import Named, with_new
from companion.systems.wb95.needed import Flipped, unless
from companion.systems.wb95.obligations import duties
from companion.systems.wb95.oos import raise_level
from companion.systems.wb95.shaken import disturb
from companion.systems.wb95.strength import label, worth
from companion.systems.wb95.terrain import TargetGround


def _batteries(ctx: Context) -> list[Unit]:
    """Towed and self-propelled artillery [6.4.1]."""
    return [u for u in active_units(ctx) if is_gun(u) or (is_kind(u, "ART") and u.klass == "mechanized")]


def _towed(ctx: Context) -> list[Unit]:
    return [u for u in active_units(ctx) if is_gun(u)]


@rules.action(phase=MOVE, by="active", rule="6.2.4", label="Change gun setup", order=21)
def flip_artillery(
    game: Game,
    units: Annotated[
        tuple[str, ...],
        Flipped(
            label="Towed guns",
            many=True,
            pick=_towed,
            when=lambda c: bool(_towed(c)),
            needed=unless("named"),
        ),
    ] = (),
    named: Named = "",
    seat: str = "",
) -> Events:
    """Change between combat and transport setup, for 1 MP each."""
    units = yield from with_new(game, seat, units, named, kind="ART")
    for unit in units:
        moving = in_transport(game, game.units[unit])
        words = "combat setup, 1 MP" if moving else "1 MP"  # the marker itself says transport setup
        yield put_mark(game, unit, "transport", None if moving else True, reason=words, rule="6.2.4")


def _in_range(ctx: Context) -> list[Unit]:
    """Batteries that can shell the target; every one that is ready when none is named."""
    game, target = ctx.game, str(ctx.values.get("target") or "")
    ready = [u for u in _batteries(ctx) if idle(game, u)]
    return [u for u in ready if not target or 2 <= game.maps.distance(u.place, target) <= GUN_RANGE]


Guns = Annotated[tuple[str, ...], units_to_tap("Batteries", _batteries, _in_range, when=anybody)]
Doubled = Annotated[
    bool,
    Flag(
        label="Barrage: guns doubled",
        when=lambda c: (
            bool(c.game["barrage"]) or not c.game.phase
        ),  # away from a table it is said, not played
    ),
]
TargetHex = Annotated[str, HexId(label="Target hex")]


def _starved(ctx: Context) -> list[Unit]:
    """Named batteries out of supply [10.2.3]."""
    named = [ctx.game.units[u] for u in ctx.values.get("guns") or ()]
    return [u for u in named if level(ctx.game, u.id)]


Pay = Annotated[
    tuple[str, ...],
    units_to_tap("Out of supply: pay a level for full strength", _starved, _starved, when=anybody),
]


@rules.worksheet(rule="6.4.2", title="Fire at range")
def ranged_fire(
    ctx: Context,
    target: TargetHex = "",
    guns: Guns = (),
    pay: Pay = (),
    sp: Annotated[int, Whole(label="Gun SP", help="only what is not on record")] = 0,
    air: Annotated[int, Whole(label="Air SP in support", help="0: as flown over the target")] = 0,
    terrain: TargetGround = (),
    barrage: Doubled = False,
) -> Breakdown:
    """Strength less twice the target's terrain shifts gives the column; two dice give the row."""
    game, side, sheet = ctx.game, ctx.game.active, Breakdown("Barrage" if barrage else "Fire at range")
    if sp:
        sheet.add("guns", f"{sp} SP", "6.4.2")
    total = sp + _batteries_worth(sheet, game, [game.units[g] for g in guns], pay)
    if barrage:
        total *= 2
        sheet.add("barrage", f"doubled to {total} SP", "6.5.3")
    if side and target:
        air = air or airmarks.over(game, side, target).get("support", 0)  # [8.2.3]
    if air:
        total += air
        sheet.add("aircraft", f"{air} SP", "8.2.3")
    if total <= 0:
        raise refusal("give the strength of the guns", field="sp", accepted="a strength above 0")
    sheet.facts = {"victim": game.other(side) if side else "", "hexes": [target] if target else []}
    if side and target and any(u.place == target for u in duties(game, side).must_be_attacked):
        sheet.warnings.append("this hex must be assaulted, so it cannot be shelled (6.4.5)")
    bombardment.aim(sheet, game, total, "fire", terrain, target)
    return sheet


def _batteries_worth(sheet: Breakdown, game: Game, guns: list[Unit], pay: Sequence[str]) -> int:
    """Log the batteries on record and add them up; out of supply they count half, or pay a level [6.4.4, 10.2.2, 10.2.3]."""
    total = 0
    for unit in guns:
        value = worth(game, unit, "A", unit.id in pay)
        if value is None:
            sheet.warnings.append(f"{label(game, unit)}: strength not on record, add it by hand")
        else:
            total += value.amount
            sheet.add(f"{label(game, unit)}{value.why}", f"{value.amount} SP", "6.4.2")
    return total


def _cannot_fire(game: Game, unit: Unit, target: str) -> str:
    """Why a battery does not fire at range: not in position, fired already, too near or too far [6.1.2-6.1.4, 6.4.3]."""
    away = game.maps.distance(unit.place, target) if target else 2
    if in_transport(game, unit):
        return f"{unit.name} is in transport setup and cannot fire (6.1.3)"
    if not idle(game, unit):
        return f"{unit.name} has fired already (6.1.4, 6.5.6)"
    if not 2 <= away <= GUN_RANGE:
        return f"{unit.name} is {count(away, 'hex', 'hexes')} away: fire at range goes 2 or 3 hexes (6.1.2, 6.4.3)"
    return ""


def _unable(ctx: Context) -> list[str]:
    """Named batteries that do not fire at range."""
    game, target = ctx.game, str(ctx.values.get("target") or "")
    named = [game.units[u] for u in ctx.values.get("guns") or ()]
    return [why for unit in named if (why := _cannot_fire(game, unit, target))]


def _against_shelling(ctx: Context) -> list[str]:
    """Who must be assaulted is not shelled, who was assaulted neither [6.4.5]."""
    game, target = ctx.game, str(ctx.values.get("target") or "")
    found = []
    if target and any(u.place == target for u in duties(game, game.active).must_be_attacked):
        found.append(f"{target} must be assaulted, so it cannot be shelled (6.4.5)")
    if target and game.mark(target, "attacked"):
        found.append(f"{target} was attacked in this phase (6.4.5)")
    found += _unable(ctx)
    named = [game.units[u] for u in ctx.values.get("guns") or ()]
    return found + [
        f"{u.name} is set aside for strategic movement (12.1.2)"
        for u in named
        if game.mark(u.id, "strategic")
    ]


@rules.action(
    phase=ATTACK,
    by="active",
    rule="6.4",
    worksheet=ranged_fire,
    label="Fire at range",
    order=10,
    warns=_against_shelling,
)
def fire_at_range(
    game: Game,
    sheet: Breakdown,
    target: TargetHex = "",
    guns: Guns = (),
    pay: Pay = (),
    barrage: Doubled = False,
    *,
    die: Annotated[Roll, Dice(label="Roll", spec="2d6", purpose="fire at range")],
) -> Events:
    """Shell one hex that is not assaulted in this phase."""
    if barrage:
        raise NotNow("a barrage is fired in the barrage phase", field="barrage", rule="6.5.2")
    battle = yield from bombardment.begin(
        game, "Fire at range", game.active, [target] if target else [], "6.4"
    )
    yield from _fire(game, guns, pay)
    if target:
        yield e.Marked(target, "shelled", True, rule="6.4.5")
        yield from airmarks.use_up(game, game.active, "support", [target])
    yield from bombardment.fire(game, battle, "ranged-fire", sheet, die.total)


def _fire(game: Game, guns: Sequence[str], pay: Sequence[str]) -> Events:
    """Guns fire once in a combat phase [6.1.4]; levels are paid at once [10.2.5]; who fires does not rest [5.6.5]."""
    for unit in guns:
        yield put_mark(game, unit, "fired", True, reason=IN_PASSING, rule="6.1.4")
        if game.mark(unit, "strategic"):
            yield put_mark(game, unit, "strategic", None, reason="fires", rule="12.1.2")
    for unit in pay:
        yield from raise_level(game, unit, 1, "full attack", "10.2.3")
    yield from disturb(game, [game.units[u] for u in guns])


@rules.action(
    phase=BARRAGE,
    by="active",
    rule="6.5",
    worksheet=ranged_fire,
    label="Fire a barrage",
    primary=True,
    warns=_unable,
)
def fire_barrage(
    game: Game,
    sheet: Breakdown,
    guns: Guns = (),
    batteries: Annotated[
        int, Whole(label="Batteries firing", high=30, help="needed when they are not on record")
    ] = 0,
    barrage: Annotated[bool, Flag(label="Barrage: guns doubled")] = True,
    *,
    die: Annotated[Roll, Dice(label="Roll", spec="2d6", purpose="barrage")],
) -> Events:
    """At least two batteries, one ammo unit each, at double strength."""
    firing = batteries or len(guns)
    side = game.active
    left = int(game[f"ammo-{side}"])
    if firing < 2:
        raise refusal("at least two batteries fire on a hex", field="batteries", given=firing, rule="6.5.4")
    if firing > left:
        raise refusal(
            f"{firing} ammo units are needed, {left} are left", field="batteries", given=firing, rule="6.5.7"
        )
    if not barrage:
        raise refusal("a barrage doubles the guns: leave the box ticked", field="barrage", rule="6.5.3")
    battle = yield from bombardment.begin(game, "Barrage", side, sheet.facts["hexes"], "6.5")
    yield e.Set(f"ammo-{side}", left - firing, was=left, reason="barrage", rule="6.5.7")
    for unit in guns:
        yield put_mark(game, unit, "barrage-fired", 2, rule="6.5.6")
    yield from disturb(game, [game.units[u] for u in guns])
    yield from bombardment.fire(game, battle, "ranged-fire", sheet, die.total)


def _cool(game: Game) -> Events:
    """Two combat phases after a barrage the guns support again [6.5.6]."""
    for unit, left in list(game.marked("barrage-fired").items()):
        yield put_mark(game, unit, "barrage-fired", int(left) - 1 or None, rule="6.5.6")


for _phase in ATTACK:
    rules.leaving(_phase)(_cool)


ByAir = Annotated[
    bool,
    Flag(
        label="From the air",
        start=lambda c: c.game.phase in AIR,
        when=lambda c: c.game.phase not in ATTACK,
    ),
]


@rules.worksheet(rule="6.4.7, 8.2.8", title="Attack on a bridge")
def object_attack(
    ctx: Context,
    bridge: Annotated[tuple[str, ...], HexId(label="Bridge between two hexes", many=True)] = (),
    sp: Annotated[int, Whole(label="SP of guns or aircraft", low=1, high=200)] = 1,
    by_air: ByAir = False,
) -> Breakdown:
    """Strength gives the column, no terrain counts; from the air at least 4 SP."""
    sheet = Breakdown("Attack on a bridge")
    if by_air and sp < 4:
        raise refusal("aircraft need at least 4 SP against a bridge", field="sp", given=sp, rule="8.2.10")
    sheet.add("aircraft" if by_air else "guns", f"{sp} SP", "8.2.10" if by_air else "6.4.7")
    if bridge and len(bridge) != 2:
        raise refusal("name the two hexes that the bridge joins", field="bridge", given=" ".join(bridge))
    if bridge:
        sheet.facts["bridge"] = bridge_name(ctx.game, bridge, "bridge")
    bombardment.set_column(sheet, ctx.game, sp, "objects")
    return sheet


def bridge_name(game: Game, hexes: tuple[str, ...], field: str) -> str:
    """'1602-1603'; the hexes must touch."""
    a, b = sorted(hexes)
    if b not in game.maps.neighbours(a):
        raise refusal(f"{a} and {b} do not touch", field=field, given=f"{a} {b}")
    return f"{a}-{b}"


def _against_bridge(ctx: Context) -> list[str]:
    """Whether only the controller may destroy a bridge binds guns and aircraft, too, is a table's reading [14.1.4]."""
    game, hexes = ctx.game, tuple(ctx.values.get("bridge") or ())
    side = ctx.battle.attacker if ctx.battle else game.active
    if len(hexes) != 2 or game["any-bridge"] or not side:
        return []
    name = "-".join(sorted(hexes))
    theirs = game.mark(name, "bridge") not in (None, "down", side)
    return (
        [f"only the side that controls {name} destroys it, as this table reads the rule (14.1.4)"]
        if theirs
        else []
    )


def _hit(game: Game, battle: Battle, sheet: Breakdown, by_air: bool, roll: int) -> Events:
    name = str(sheet.facts.get("bridge", ""))
    if name and by_air:
        for side in game.sides:
            yield from airmarks.use_up(game, side, "object", name.split("-"))
    yield from bombardment.fire(game, battle, "object-attack", sheet, roll)


@rules.action(
    phase=(*ATTACK, *AIR),
    rule="6.4.7, 8.2.8",
    worksheet=object_attack,
    label="Hit a bridge",
    group="book-keeping",
    order=30,
    warns=_against_bridge,
)
def hit_bridge(
    game: Game,
    sheet: Breakdown,
    by_air: ByAir = False,
    *,
    die: Annotated[Roll, Dice(label="Roll", spec="2d6", purpose="attack on a bridge")],
) -> Events:
    """Roll on the object chart; D destroys the bridge."""
    hexes = str(sheet.facts.get("bridge", "")).split("-") if sheet.facts.get("bridge") else []
    battle = yield from bombardment.begin(game, "Attack on a bridge", game.active, hexes, "6.4.7")
    yield from _hit(game, battle, sheet, by_air, die.total)


@rules.follow_up(
    rule="8.2.8",
    label="Hit the bridge",
    worksheet=object_attack,
    still=airmarks.overhead,
    declined=airmarks.spent,
    warns=_against_bridge,
)
def bomb_bridge(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    sheet: Breakdown,
    *,
    die: Annotated[Roll, Dice(label="Roll", spec="2d6", purpose="attack on a bridge")],
) -> Events:
    """Roll for the aircraft over a bridge; D destroys it."""
    yield from airmarks.use_up(game, battle.attacker, "object", [str(duty.args["over"])])
    yield from _hit(game, battle, sheet, True, die.total)
