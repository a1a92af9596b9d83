"""The combat sheet's form: every field once, shared by the worksheet and the action.

The form shows what most combats need; a tap on *Also counts* opens the rest. A field that is not shown is still read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.kit.roster import Unit
from companion.engine.play.fields import Choice, Context, Flag, HexId, Text, UnitRef, Whole
from companion.engine.record.game import Game
from companion.systems.wb95.airmarks import over
from companion.systems.wb95.base import (
    GUN_RANGE,
    SOVIET,
    active_units,
    at_hexes,
    has_units,
    in_transport,
    is_gun,
    is_hq,
    is_regular,
    is_towed,
    level,
    option,
    own,
    visible,
)
from companion.systems.wb95.hq import usable
from companion.systems.wb95.obligations import duties
from companion.systems.wb95.terrain import GROUND, printed

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
ALSO = (
    ("guns", "artillery"),
    ("air", "aircraft"),
    ("halved", "halved units"),
    ("water", "river, Doniec"),
    ("division", "same division"),
    ("stars", "stars"),
    ("alone", "only guns or HQ"),
    ("fort", "other fortification"),
    ("special", "RG, VS, FU"),
)


def _also(ctx: Context) -> list[tuple[str, str]]:
    """What a tap opens, without the rules that this table does not play and what the record tells anyway."""
    gone = set() if option(ctx.game, "special-units", True) else {"stars", "special"}
    gone |= set() if option(ctx.game, "concentration", True) else {"division"}
    gone |= set() if ctx.values.get("target") else {"fort"}
    return [(name, text) for name, text in ALSO if name not in gone]


def _aside(part: str, *names: str) -> Callable[[Context], bool]:
    """Not shown until its part is ticked, or one of these fields is filled in."""

    def quiet(ctx: Context) -> bool:
        return part not in (ctx.values.get("also") or ()) and not any(ctx.values.get(n) for n in names)

    return quiet


def front(ctx: Context) -> list[tuple[str, str]]:
    """Enemy hexes that units of the active side touch, with fortification and duty [5.1.2, 5.1.4]."""
    game = ctx.game
    if game is None or not game.active:
        return []
    side = game.active
    enemy = {u.place for u in own(game, game.other(side))}
    beside = {
        h for u in own(game, side) if is_regular(u) for h in game.maps.neighbours(u.place) if h in enemy
    }
    named = [h for h in ctx.values.get("target") or () if h in enemy]
    must = {u.place for u in duties(game, side).must_be_attacked}
    rows = []
    for hex_id in sorted({*beside, *named}):
        fort = str(game.mark(hex_id, "fort") or "").upper()
        words = [f"{hex_id} {fort}".strip(), *(["must"] if hex_id in must else [])]
        rows.append((hex_id, ", ".join(words)))
    return rows


@dataclass(frozen=True)
class EnemyHexes(HexId):
    """Hexes to attack: those along the front to tap where units are on record, any others typed."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        rows = front(ctx)
        known = super().describe(ctx)
        return {**known, "choices": [{"value": v, "label": text} for v, text in rows]} if rows else known


def _attackers(ctx: Context) -> list[Unit]:
    """Units that can attack, beside the named hexes where there are any [5.1.2, 5.1.10]."""
    able = [u for u in active_units(ctx) if not is_towed(u) and not is_hq(u)]
    return _beside(ctx, able) or able


def _beside(ctx: Context, units: list[Unit]) -> list[Unit]:
    hexes, game = ctx.values.get("target") or (), ctx.game
    return [u for u in units if game and any(game.maps.distance(u.place, h) == 1 for h in hexes)]


def _fresh(ctx: Context) -> list[Unit]:
    """Those that have not fought in this phase [5.1.1]."""
    able = [u for u in active_units(ctx) if not is_towed(u) and not is_hq(u)]
    return [u for u in _beside(ctx, able) if ctx.game and not ctx.game.mark(u.id, "fought")]


def _guns(ctx: Context, mine: bool) -> list[Unit]:
    game = ctx.game
    if game is None:
        return []
    side = game.active
    wanted = [u for u in game.units.values() if u.on_map and is_gun(u) and (u.side == side) == mine]
    known = [u for u in wanted if ctx.seat in {"table", u.side}]
    return _near(ctx, known, mine) or known


def _near(ctx: Context, guns: list[Unit], mine: bool) -> list[Unit]:
    """An attacking hex is beside the target, so its guns stand at most one hex further off [6.3.2]."""
    game, hexes = ctx.game, ctx.values.get("target") or ()
    reach = GUN_RANGE + (1 if mine else 0)
    return [u for u in guns if game and any(game.maps.distance(u.place, h) <= reach for h in hexes)]


def _ready(ctx: Context, mine: bool) -> list[Unit]:
    """Guns in reach, in firing position, that have not fired."""
    game = ctx.game
    return [
        u
        for u in _near(ctx, _guns(ctx, mine), mine)
        if game
        and not in_transport(game, u)
        and not game.mark(u.id, "fought")
        and not game.mark(u.id, "barrage-fired")
    ]


def _starved(ctx: Context) -> list[Unit]:
    """Attackers out of supply, who may pay a level [10.2.3]."""
    game = ctx.game
    chosen = ctx.values.get("attackers") or ()
    return [game.units[u] for u in chosen if level(game, u)] if game else []


def overhead(game: Game | None, attacker: bool, hexes: Iterable[str]) -> int:
    """Support missions over the hexes of this combat."""
    if game is None or not game.active:
        return 0
    side = game.active if attacker else game.other(game.active)
    return sum(over(game, side, h).get("support" if attacker else "defence", 0) for h in hexes)


def _may_star(ctx: Context) -> bool:
    return bool(option(ctx.game, "special-units", True))


def _pools(ctx: Context, attacker: bool) -> bool:
    game = ctx.game
    return bool(game and game.active and usable(game, game.active if attacker else game.other(game.active)))


def _mapped(ctx: Context) -> bool:
    """The map book tells the ground of the defending hexes."""
    game, hexes = ctx.game, ctx.values.get("target") or ()
    return bool(game and hexes and not ctx.values.get("terrain") and all(printed(game, h) for h in hexes))


def _open_defence(ctx: Context) -> bool:
    """Without fog the record tells whether a headquarters covers the defenders."""
    game = ctx.game
    return bool(game and not game["fog"] and ctx.values.get("target") and not ctx.values.get("defence_hq"))


Target = Annotated[tuple[str, ...], EnemyHexes(label="Defending hexes", many=True)]
Attackers = Annotated[
    tuple[str, ...],
    UnitRef(
        label="Attackers",
        many=True,
        pick=_attackers,
        suggest=_fresh,
        when=has_units,
        quiet=lambda c: not _fresh(c),
    ),
]
AttackGuns = Annotated[
    tuple[str, ...],
    UnitRef(
        label="Guns with the attack",
        many=True,
        pick=lambda c: _guns(c, True),
        suggest=lambda c: _ready(c, True),
        when=has_units,
        quiet=lambda c: not _ready(c, True),
    ),
]
Pay = Annotated[
    tuple[str, ...],
    UnitRef(
        label="Out of supply: pay a level for full strength",
        many=True,
        pick=active_units,
        suggest=_starved,
        when=has_units,
        quiet=lambda c: not _starved(c),
    ),
]
AttackPool = Annotated[
    int, Whole(label="Attacker's shifts for a fallen HQ", high=20, when=lambda c: _pools(c, True))
]
DefencePool = Annotated[
    int, Whole(label="Defender's shifts for a fallen HQ", high=20, when=lambda c: _pools(c, False))
]


@dataclass(frozen=True)
class Total(Whole):
    """Strength typed by hand; the form says whose is missing on record."""

    attacker: bool = True

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "help": _wanted(ctx, self.attacker)}


def _wanted(ctx: Context, attacker: bool) -> str:
    """Whose strength has to be typed: units that are named but whose counters were never copied."""
    game, v = ctx.game, ctx.values
    if game is None:
        return ""
    if attacker:
        units = [game.units[u] for u in (*(v.get("attackers") or ()), *(v.get("attack_guns") or ()))]
    else:
        there = at_hexes(game, game.other(game.active), v.get("target") or ()) if game.active else []
        known = visible(ctx, there)
        if any(u not in known and not game.mark(u.place, "attacked") for u in there):
            return "the stack is closed to you: ask for its strength, or declare the attack first"
        units = [u for u in there if not is_hq(u)]
        units += [game.units[u] for u in v.get("defence_guns") or ()]
    blank = [u.name for u in units if ("A" if attacker else "D") not in u.factors]
    return f"add up {', '.join(blank)}: not on record" if blank else "only what is not on record"


Attack = Annotated[int, Total(label="Attack SP")]
AttackHalved = Annotated[
    str,
    Text(
        label="SP of each halved attacker",
        most=60,
        placeholder="5 4",
        help="out of supply or disorganised; each is halved and rounded up",
        quiet=_aside("halved", "attack_halved"),
    ),
]
AttackArtillery = Annotated[
    int, Whole(label="Artillery SP in attack", quiet=_aside("guns", "attack_artillery"))
]
AttackAir = Annotated[
    int, Whole(label="Air SP in attack", help="0: as flown", quiet=_aside("air", "attack_air"))
]
DefenceGuns = Annotated[
    tuple[str, ...],
    UnitRef(
        label="Guns with the defence",
        many=True,
        pick=lambda c: _guns(c, False),
        suggest=lambda c: _ready(c, False),
        when=has_units,
        quiet=lambda c: not _ready(c, False),
    ),
]
Defence = Annotated[int, Total(label="Defence SP", attacker=False)]
DefenceHalved = Annotated[
    str,
    Text(
        label="SP of each disorganised defender",
        most=60,
        placeholder="4 3",
        quiet=_aside("halved", "defence_halved"),
    ),
]
DefenceArtillery = Annotated[
    int, Whole(label="Artillery SP in defence", quiet=_aside("guns", "defence_artillery"))
]
DefenceAir = Annotated[
    int,
    Whole(
        label="Air SP in defence",
        help="half of it counts; 0: as flown",
        when=lambda c: c.game is None or c.game.active == SOVIET or not c.game.active,
        quiet=_aside("air", "defence_air"),
    ),
]
LoneGuns = Annotated[
    int,
    Whole(label="Hexes held by guns alone, in firing position", high=6, quiet=_aside("alone", "lone_guns")),
]
Helpless = Annotated[
    bool, Flag(label="Only an HQ, or guns in travel position", quiet=_aside("alone", "helpless"))
]
Terrain = Annotated[
    tuple[str, ...],
    Choice(label="Defender's terrain", options=[(g, g) for g in GROUND], many=True, quiet=_mapped),
]
River = Annotated[int, Whole(label="Attack SP across a river", quiet=_aside("water", "river"))]
Doniec = Annotated[int, Whole(label="Attack SP across the Doniec", quiet=_aside("water", "doniec"))]


def _as_recorded(ctx: Context) -> bool:
    chosen = ctx.values.get("fort") not in (None, "auto") or "fort" in (ctx.values.get("also") or ())
    return bool(ctx.values.get("target")) and not chosen


@dataclass(frozen=True)
class FortChoice(Choice):
    """As recorded, or another; without a hex there is no record, so that means none."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        if ctx.values.get("target"):
            return super().describe(ctx)
        offered = [("auto", "none"), *(f for f in FORTS if f[0] not in {"auto", "none"})]
        return {"choices": [{"value": v, "label": text} for v, text in offered], "many": False}


Fort = Annotated[str, FortChoice(label="Fortification", options=FORTS, quiet=_as_recorded)]
Front = Annotated[
    int,
    Whole(label="Attack SP across the fixed position's edge", when=lambda c: c.values.get("fort") == "fp"),
]
FpShifts = Annotated[
    int, Whole(label="Shifts of the fixed position", high=9, when=lambda c: c.values.get("fort") == "fp")
]
AttackFormations = Annotated[
    str,
    Text(
        label="Attackers of each division",
        most=40,
        placeholder="3 6",
        help="counters not on record: how many of each division or corps",
        quiet=_aside("division", "attack_formations"),
    ),
]
DefenceFormations = Annotated[
    str,
    Text(
        label="Defenders of each division",
        most=40,
        placeholder="3",
        quiet=_aside("division", "defence_formations"),
    ),
]
AttackStars = Annotated[
    str,
    Text(
        label="Stars used in attack",
        most=60,
        placeholder="black 1, yellow 2",
        when=_may_star,
        quiet=_aside("stars", "attack_stars"),
    ),
]
DefenceStars = Annotated[
    str,
    Text(
        label="Stars used in defence",
        most=60,
        placeholder="white 2",
        when=_may_star,
        quiet=_aside("stars", "defence_stars"),
    ),
]
AttackMech = Annotated[
    bool, Flag(label="Attackers are mechanized", when=_may_star, quiet=_aside("stars", "attack_mech"))
]
DefenceMech = Annotated[
    bool, Flag(label="Defenders are mechanized", when=_may_star, quiet=_aside("stars", "defence_mech"))
]
Special = Annotated[
    tuple[str, ...],
    Choice(
        label="Special units", options=SPECIAL, many=True, when=_may_star, quiet=_aside("special", "special")
    ),
]
VsRegulars = Annotated[
    int,
    Whole(
        label="Regular units with the Volkssturm",
        high=9,
        when=lambda c: any(str(s).startswith("vs") for s in c.values.get("special") or ()),
    ),
]
AttackHq = Annotated[
    bool,
    Flag(label="All attackers in HQ range", quiet=lambda c: bool(c.values.get("attackers"))),
]
DefenceHq = Annotated[bool, Flag(label="All defenders in HQ range", quiet=_open_defence)]
Also = Annotated[
    tuple[str, ...],
    Choice(label="Also counts", options=_also, many=True, help="opens what is to be filled in"),
]
