"""The combat sheet's form: every field once, shared by the worksheet and the action."""

from __future__ import annotations

from typing import Annotated

from companion.engine.fields import Choice, Context, Flag, HexId, Text, UnitRef, Whole
from companion.engine.roster import Unit
from companion.systems.wb95.airmarks import over
from companion.systems.wb95.base import (
    GUN_RANGE,
    SOVIET,
    active_units,
    has_units,
    is_gun,
    is_hq,
    is_towed,
    option,
)
from companion.systems.wb95.hq import usable
from companion.systems.wb95.terrain import GROUND

FORTS = (
    ("auto", "as recorded"),
    ("none", "none"),
    ("ff", "field (FF)"),
    ("if", "improved (IF)"),
    ("fp", "fixed (FP)"),
)
SPECIAL = (
    ("rg", "resilience group defends (15.2)"),
    ("fu", "fortification unit used (15.4)"),
    ("vs-attacks", "Volkssturm attacks (15.3)"),
    ("vs-defends", "Volkssturm defends (15.3)"),
)


def _attackers(ctx: Context) -> list[Unit]:
    """Units that can attack, beside the named hexes where there are any [5.1.2, 5.1.10]."""
    able = [u for u in active_units(ctx) if not is_towed(u) and not is_hq(u)]
    hexes = ctx.values.get("target") or ()
    game = ctx.game
    beside = [u for u in able if game and any(game.maps.distance(u.place, h) == 1 for h in hexes)]
    return beside or able


def _guns(ctx: Context, mine: bool) -> list[Unit]:
    game = ctx.game
    if game is None:
        return []
    side = game.active
    wanted = [u for u in game.units.values() if u.on_map and is_gun(u) and (u.side == side) == mine]
    known = [u for u in wanted if ctx.seat in {"table", u.side}]
    hexes = ctx.values.get("target") or ()
    # An attacking hex is beside the target, so its guns stand at most one hex further off [6.3.2].
    reach = GUN_RANGE + (1 if mine else 0)
    near = [u for u in known if any(game.maps.distance(u.place, h) <= reach for h in hexes)]
    return near or known


def _overhead(ctx: Context, attacker: bool) -> int:
    """Support missions over the hexes of this combat, as a first value."""
    game = ctx.game
    if game is None or not game.active:
        return 0
    side = game.active if attacker else game.other(game.active)
    units = [game.units[u].place for u in ctx.values.get("attackers") or ()]
    hexes = dict.fromkeys([*(ctx.values.get("target") or ()), *units])
    return sum(over(game, side, h).get("support" if attacker else "defence", 0) for h in hexes)


def _may_star(ctx: Context) -> bool:
    return bool(option(ctx.game, "special-units", True))


def _pools(ctx: Context, attacker: bool) -> bool:
    game = ctx.game
    return bool(game and game.active and usable(game, game.active if attacker else game.other(game.active)))


Target = Annotated[
    tuple[str, ...],
    HexId(label="Defending hexes", many=True, help="optional; from the record and the map book"),
]
Attackers = Annotated[
    tuple[str, ...], UnitRef(label="Attackers on record", many=True, pick=_attackers, when=has_units)
]
AttackGuns = Annotated[
    tuple[str, ...],
    UnitRef(label="Guns in support of the attack", many=True, pick=lambda c: _guns(c, True), when=has_units),
]
Pay = Annotated[
    tuple[str, ...],
    UnitRef(
        label="Out of supply, paying a level for full strength", many=True, pick=active_units, when=has_units
    ),
]
AttackPool = Annotated[
    int, Whole(label="Attacker's shifts for a fallen HQ", high=20, when=lambda c: _pools(c, True))
]
DefencePool = Annotated[
    int, Whole(label="Defender's shifts for a fallen HQ", high=20, when=lambda c: _pools(c, False))
]
Attack = Annotated[int, Whole(label="Attack SP", help="units not on record, at full strength")]
AttackHalved = Annotated[
    str,
    Text(label="SP of halved attackers", most=60, placeholder="5 4", help="each is halved and rounded up"),
]
AttackArtillery = Annotated[int, Whole(label="Artillery SP in attack")]
AttackAir = Annotated[int, Whole(label="Air SP in attack", start=lambda c: _overhead(c, True))]
DefenceGuns = Annotated[
    tuple[str, ...],
    UnitRef(
        label="Guns in support of the defence", many=True, pick=lambda c: _guns(c, False), when=has_units
    ),
]
Defence = Annotated[int, Whole(label="Defence SP", help="units not on record or closed to you")]
DefenceHalved = Annotated[str, Text(label="SP of disorganised defenders", most=60, placeholder="4 3")]
DefenceArtillery = Annotated[int, Whole(label="Artillery SP in defence")]
DefenceAir = Annotated[
    int,
    Whole(
        label="Air SP in defence",
        start=lambda c: _overhead(c, False),
        help="half of it counts",
        when=lambda c: c.game is None or c.game.active == SOVIET or not c.game.active,
    ),
]
LoneGuns = Annotated[int, Whole(label="Hexes with guns alone in firing position", high=6)]
Helpless = Annotated[bool, Flag(label="Only an HQ, or guns on the move")]
Terrain = Annotated[
    tuple[str, ...],
    Choice(
        label="Defender's terrain",
        options=[(g, g) for g in GROUND],
        many=True,
        help="empty: from the map book",
    ),
]
River = Annotated[int, Whole(label="Attack SP across a river")]
Doniec = Annotated[int, Whole(label="Attack SP across the Doniec")]
Fort = Annotated[str, Choice(label="Fortification", options=FORTS)]
Front = Annotated[
    int,
    Whole(label="Attack SP across the fixed position's edge", when=lambda c: c.values.get("fort") == "fp"),
]
FpShifts = Annotated[
    int, Whole(label="Shifts of the fixed position", high=9, when=lambda c: c.values.get("fort") == "fp")
]
AttackFormations = Annotated[
    str,
    Text(label="Attackers by division", most=40, placeholder="3 6", help="units of each division or corps"),
]
DefenceFormations = Annotated[str, Text(label="Defenders by division", most=40, placeholder="3")]
AttackStars = Annotated[
    str, Text(label="Stars used in attack", most=60, placeholder="black 1", when=_may_star)
]
DefenceStars = Annotated[
    str, Text(label="Stars used in defence", most=60, placeholder="white 2", when=_may_star)
]
AttackMech = Annotated[bool, Flag(label="Attackers include mechanized units", when=_may_star)]
DefenceMech = Annotated[bool, Flag(label="Defenders include mechanized units", when=_may_star)]
Special = Annotated[
    tuple[str, ...], Choice(label="Special units", options=SPECIAL, many=True, when=_may_star)
]
VsRegulars = Annotated[
    int,
    Whole(
        label="Regular units with the Volkssturm",
        high=9,
        when=lambda c: any(str(s).startswith("vs") for s in c.values.get("special") or ()),
    ),
]
AttackHq = Annotated[bool, Flag(label="All attackers in HQ range")]
DefenceHq = Annotated[bool, Flag(label="All defenders in HQ range")]
