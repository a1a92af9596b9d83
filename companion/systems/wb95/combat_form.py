"""The combat sheet's form: every field once, shared by the worksheet and the action.

The form shows what most combats need; a tap on *Also counts* opens the rest. A field that is not shown is still read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.play.fields import Choice, Context, Flag, Text, Whole
from companion.systems.wb95.base import SOVIET, active_units, at_hexes, has_units, is_hq, units_to_tap
from companion.systems.wb95.front import EnemyHexes, Guns, attackers, fresh, starved
from companion.systems.wb95.hq import usable
from companion.systems.wb95.strength import closed
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
    gone = set() if ctx.game["special-units"] else {"stars", "special"}
    gone |= set() if ctx.game["concentration"] else {"division"}
    gone |= set() if ctx.values.get("target") else {"fort"}
    return [(name, text) for name, text in ALSO if name not in gone]


def _aside(part: str, name: str) -> Callable[[Context], bool]:
    """A field that is not shown until its part is ticked, or it is filled in."""
    return lambda c: part not in (c.values.get("also") or ()) and not c.values.get(name)


def _number(part: str, name: str, label: str, **more: Any) -> Whole:
    return Whole(label=label, quiet=_aside(part, name), **more)


def _tick(part: str, name: str, label: str, **more: Any) -> Flag:
    return Flag(label=label, quiet=_aside(part, name), **more)


def _text(part: str, name: str, label: str, example: str, most: int = 60, **more: Any) -> Text:
    return Text(label=label, most=most, placeholder=example, quiet=_aside(part, name), **more)


def _stars(ctx: Context) -> bool:
    return bool(ctx.game["special-units"])


def _volkssturm(ctx: Context) -> bool:
    return bool({"vs-attacks", "vs-defends"} & set(ctx.values.get("special") or ()))


def _fixed(ctx: Context) -> bool:
    return ctx.values.get("fort") == "fp"


def _pool(attacker: bool) -> Whole:
    """Shifts for a fallen headquarters, where there are any to spend [9.1.6]."""

    def some(ctx: Context) -> bool:
        game, side = ctx.game, ctx.game.active
        return bool(side and usable(game, side if attacker else game.other(side)))

    who = "Attacker" if attacker else "Defender"
    return Whole(label=f"{who}'s shifts for a fallen HQ", high=20, when=some)


def _mapped(ctx: Context) -> bool:
    """The map book tells the ground of the defending hexes."""
    hexes = ctx.values.get("target") or ()
    return bool(hexes and not ctx.values.get("terrain") and all(printed(ctx.game, h) for h in hexes))


def _named_attack(ctx: Context) -> bool:
    return bool(ctx.values.get("attackers"))


def _open_defence(ctx: Context) -> bool:
    """Without fog the record tells whether a headquarters covers the defenders."""
    return bool(not ctx.game["fog"] and ctx.values.get("target") and not ctx.values.get("defence_hq"))


@dataclass(frozen=True)
class Total(Whole):
    """Strength typed by hand; the form says whose is missing on record."""

    attacker: bool = True

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "help": _wanted(ctx, self.attacker)}


def _wanted(ctx: Context, attacker: bool) -> str:
    """Whose strength has to be typed: units that are named but whose counters were never copied."""
    game, v = ctx.game, ctx.values
    if attacker:
        units = [game.units[u] for u in (*(v.get("attackers") or ()), *(v.get("attack_guns") or ()))]
    else:
        there = at_hexes(game, game.other(game.active), v.get("target") or ()) if game.active else []
        if closed(ctx, there):
            return "the stack is closed to you: ask for its strength, or declare the attack first"
        units = [u for u in there if not is_hq(u)]
        units += [game.units[u] for u in v.get("defence_guns") or ()]
    blank = [u.name for u in units if ("A" if attacker else "D") not in u.factors]
    return f"add up {', '.join(blank)}: not on record" if blank else "only what is not on record"


@dataclass(frozen=True)
class FortChoice(Choice):
    """As recorded, or another; without a hex there is no record, so that means none."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        if ctx.values.get("target"):
            return super().describe(ctx)
        offered = [("auto", "none"), *(f for f in FORTS if f[0] not in {"auto", "none"})]
        return {"choices": [{"value": v, "label": text} for v, text in offered], "many": False}


def _as_recorded(ctx: Context) -> bool:
    chosen = ctx.values.get("fort") not in (None, "auto") or "fort" in (ctx.values.get("also") or ())
    return bool(ctx.values.get("target")) and not chosen


_MINE, _THEIRS = Guns(attack=True), Guns(attack=False)
Target = Annotated[tuple[str, ...], EnemyHexes(label="Defending hexes", many=True)]
Attackers = Annotated[tuple[str, ...], units_to_tap("Attackers", attackers, fresh, when=has_units)]
AttackGuns = Annotated[
    tuple[str, ...], units_to_tap("Guns with the attack", _MINE.known, _MINE.ready, when=has_units)
]
DefenceGuns = Annotated[
    tuple[str, ...], units_to_tap("Guns with the defence", _THEIRS.known, _THEIRS.ready, when=has_units)
]
Pay = Annotated[
    tuple[str, ...],
    units_to_tap("Out of supply: pay a level for full strength", active_units, starved, when=has_units),
]
AttackPool = Annotated[int, _pool(attacker=True)]
DefencePool = Annotated[int, _pool(attacker=False)]
Terrain = Annotated[
    tuple[str, ...],
    Choice(label="Defender's terrain", options=[(g, g) for g in GROUND], many=True, quiet=_mapped),
]
DefenceAir = Annotated[
    int,
    _number(
        "air",
        "defence_air",
        "Air SP in defence",
        help="half of it counts; 0: as flown",
        when=lambda c: c.game.active in {"", SOVIET},
    ),
]
AttackHalved = Annotated[
    str,
    _text(
        "halved",
        "attack_halved",
        "SP of each halved attacker",
        "5 4",
        help="out of supply or disorganised; each is halved and rounded up",
    ),
]
AttackFormations = Annotated[
    str,
    _text(
        "division",
        "attack_formations",
        "Attackers of each division",
        "3 6",
        most=40,
        help="counters not on record: how many of each division or corps",
    ),
]


@dataclass(frozen=True)
class CombatForm:
    """All that may be said of a combat, in the order in which it is asked."""

    target: Target = ()
    attackers: Attackers = ()
    attack_guns: AttackGuns = ()
    pay: Pay = ()
    attack: Annotated[int, Total(label="Attack SP")] = 0
    defence_guns: DefenceGuns = ()
    defence: Annotated[int, Total(label="Defence SP", attacker=False)] = 0
    terrain: Terrain = ()
    fort: Annotated[str, FortChoice(label="Fortification", options=FORTS, quiet=_as_recorded)] = "auto"
    front: Annotated[int, Whole(label="Attack SP across the fixed position's edge", when=_fixed)] = 0
    fp_shifts: Annotated[int, Whole(label="Shifts of the fixed position", high=9, when=_fixed)] = 3
    attack_hq: Annotated[bool, Flag(label="All attackers in HQ range", quiet=_named_attack)] = False
    defence_hq: Annotated[bool, Flag(label="All defenders in HQ range", quiet=_open_defence)] = False
    attack_pool: AttackPool = 0
    defence_pool: DefencePool = 0
    also: Annotated[
        tuple[str, ...],
        Choice(label="Also counts", options=_also, many=True, help="opens what is to be filled in"),
    ] = ()
    attack_artillery: Annotated[int, _number("guns", "attack_artillery", "Artillery SP in attack")] = 0
    defence_artillery: Annotated[int, _number("guns", "defence_artillery", "Artillery SP in defence")] = 0
    attack_air: Annotated[int, _number("air", "attack_air", "Air SP in attack", help="0: as flown")] = 0
    defence_air: DefenceAir = 0
    attack_halved: AttackHalved = ""
    defence_halved: Annotated[
        str, _text("halved", "defence_halved", "SP of each disorganised defender", "4 3")
    ] = ""
    river: Annotated[int, _number("water", "river", "Attack SP across a river")] = 0
    doniec: Annotated[int, _number("water", "doniec", "Attack SP across the Doniec")] = 0
    lone_guns: Annotated[
        int, _number("alone", "lone_guns", "Hexes held by guns alone, in firing position", high=6)
    ] = 0
    helpless: Annotated[bool, _tick("alone", "helpless", "Only an HQ, or guns in travel position")] = False
    attack_formations: AttackFormations = ""
    defence_formations: Annotated[
        str, _text("division", "defence_formations", "Defenders of each division", "3", most=40)
    ] = ""
    attack_stars: Annotated[
        str, _text("stars", "attack_stars", "Stars used in attack", "black 1, yellow 2", when=_stars)
    ] = ""
    defence_stars: Annotated[
        str, _text("stars", "defence_stars", "Stars used in defence", "white 2", when=_stars)
    ] = ""
    attack_mech: Annotated[bool, _tick("stars", "attack_mech", "Attackers are mechanized", when=_stars)] = (
        False
    )
    defence_mech: Annotated[bool, _tick("stars", "defence_mech", "Defenders are mechanized", when=_stars)] = (
        False
    )
    special: Annotated[
        tuple[str, ...],
        Choice(
            label="Special units",
            options=SPECIAL,
            many=True,
            when=_stars,
            quiet=_aside("special", "special"),
        ),
    ] = ()
    vs_regulars: Annotated[
        int, Whole(label="Regular units with the Volkssturm", high=9, when=_volkssturm)
    ] = 0
