"""The combat sheet's form: every field once, shared by the worksheet and the action.

The form shows what most combats need; a tap on *Also counts* opens the rest. A field that is not shown is still read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Annotated, Any

from companion.engine.forms.fields import Choice, Context, Flag, Text, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.systems.wb95.base import SOVIET, anybody, at_hexes, is_towed, units_to_tap
from companion.systems.wb95.front import EnemyHexes, Guns, able, all_fresh, offered, only_target, starved
from companion.systems.wb95.hq import usable
from companion.systems.wb95.strength import Force, attacking, defending, named
from companion.systems.wb95.terrain import GROUND, printed

ASKED = "empty: the defender is asked"
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
    ("more", "units not on record"),
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
    named = bool(ctx.values.get("attackers"))
    gone = set() if ctx.game["special-units"] else {"stars", "special"}
    gone |= set() if ctx.game["concentration"] else {"division"}
    gone |= set() if ctx.values.get("target") else {"fort"}
    gone |= set() if rare(ctx) else {"special"}
    gone |= {"halved", "division", "stars"} if named and _all_named(ctx) else set() if named else {"more"}
    gone |= {"alone"} if defenders(ctx) else set()
    return [(name, text) for name, text in ALSO if name not in gone]


def _all_named(ctx: Context) -> bool:
    """Every attacker is on record, which then tells what halves, concentrates and shines."""
    more = "more" in (ctx.values.get("also") or ()) or ctx.values.get("attack")
    return bool(ctx.values.get("attackers")) and not more


@dataclass(frozen=True)
class AlsoChoice(Choice):
    """Offers what may still count; whatever was ticked before is read."""

    def read(self, raw: Any, ctx: Context) -> Any:
        return Choice(options=ALSO, many=True).read(raw, ctx)


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


def rare(ctx: Context) -> bool:
    """Fixed positions, resilience groups, Volkssturm, fortification units: no scenario here has any.

    Away from a table they are said, not played.
    """
    return bool(ctx.game["rare-units"]) or not ctx.game.phase


def _rare_units(ctx: Context) -> bool:
    return _stars(ctx) and rare(ctx)


def _loose_stars(ctx: Context) -> bool:
    """Stars of attackers on record are on their counters; only those of others are typed [15.1.5]."""
    return _stars(ctx) and (not ctx.values.get("attackers") or bool(ctx.values.get("attack")))


def _volkssturm(ctx: Context) -> bool:
    return bool({"vs-attacks", "vs-defends"} & set(ctx.values.get("special") or ()))


def _fixed(ctx: Context) -> bool:
    return ctx.values.get("fort") == "fp"


def _has_pool(ctx: Context) -> bool:
    """Shifts for a fallen headquarters, where there are any to spend [9.1.6]."""
    return bool(ctx.game.active and usable(ctx.game, ctx.game.active))


def _never(ctx: Context) -> bool:
    """Only the defender says this, on his own phone; it comes with the battle."""
    return False


def defenders(ctx: Context) -> list[Unit]:
    """The enemy units on record in the hexes named."""
    game, side = ctx.game, ctx.battle.attacker if ctx.battle else ctx.game.active
    return at_hexes(game, game.other(side), ctx.values.get("target") or ()) if side else []


def off_record(ctx: Context) -> bool:
    """Nobody on record defends, so what the defender brings is typed."""
    return not defenders(ctx)


def _stars_off_record(ctx: Context) -> bool:
    return _stars(ctx) and off_record(ctx)


def _named(ctx: Context, name: str) -> list[Unit]:
    return [ctx.game.units[u] for u in ctx.values.get(name) or ()]


def starred(ctx: Context) -> list[Unit]:
    """Attackers with a star, who may use it [15.1.6]; towed units use theirs in defence only [15.1.5]."""
    return [u for u in _named(ctx, "attackers") if ctx.game.mark(u.id, "star") and not is_towed(u)]


def _lacks_attack(ctx: Context) -> list[Unit]:
    """Named attackers whose counters were never copied."""
    units = [u for u in _named(ctx, "attackers") if not is_towed(u)]
    return attacking(ctx.game, units, ()).unknown + [
        u for u in _named(ctx, "attack_guns") if "A" not in u.factors
    ]


def _lacks_defence(ctx: Context) -> list[Unit]:
    """The same of defenders that lie open; of a closed stack its owner is asked."""
    wall: Force = defending(ctx, defenders(ctx), ())
    return wall.unknown


def _mapped(ctx: Context) -> bool:
    """The map book tells the ground of the defending hexes."""
    hexes = ctx.values.get("target") or ()
    return bool(hexes and not ctx.values.get("terrain") and all(printed(ctx.game, h) for h in hexes))


def _named_attack(ctx: Context) -> bool:
    return bool(ctx.values.get("attackers"))


@dataclass(frozen=True)
class Unprinted(Text):
    """Strengths that the record lacks, a number for each unit; they are kept on the units."""

    most: int = 60
    lacking: Callable[[Context], list[Unit]] = lambda c: []
    optional: str = ""
    """What happens when it is left empty; otherwise it must be told."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        lacking = self.lacking(ctx)
        help = "; ".join(filter(None, (f"{named(lacking)}: as printed, in this order", self.optional)))
        example = " ".join(islice(cycle("463"), len(lacking)))
        return {**super().describe(ctx), "help": help, "placeholder": example, "required": not self.optional}


def unprinted(label: str, lacking: Callable[[Context], list[Unit]], optional: str = "") -> Unprinted:
    return Unprinted(label=label, lacking=lacking, optional=optional, when=lambda c: bool(lacking(c)))


@dataclass(frozen=True)
class FortChoice(Choice):
    """As recorded, or another; without a hex there is no record, so that means none."""

    def choices(self, ctx: Context) -> Sequence[tuple[str, str]]:
        told = [f for f in FORTS if f[0] != "fp" or rare(ctx)]
        if ctx.values.get("target"):
            return told
        return [("auto", "none"), *(f for f in told if f[0] != "auto")]

    def describe(self, ctx: Context) -> dict[str, Any]:
        rows = super().describe(ctx)
        if not ctx.values.get("target"):
            rows["choices"] = [c for c in rows["choices"] if c["value"] != "none"]
        return rows


def _as_recorded(ctx: Context) -> bool:
    chosen = ctx.values.get("fort") not in (None, "auto") or "fort" in (ctx.values.get("also") or ())
    return bool(ctx.values.get("target")) and not chosen


_MINE = Guns(attack=True)
Target = Annotated[tuple[str, ...], EnemyHexes(label="Defending hexes", many=True, start=only_target)]
Attackers = Annotated[
    tuple[str, ...],
    units_to_tap("Attackers", able, offered, when=anybody, start=all_fresh),
]
AttackGuns = Annotated[
    tuple[str, ...], units_to_tap("Guns with the attack", _MINE.known, _MINE.offered, when=anybody)
]
Brought = Annotated[tuple[str, ...], UnitRef(many=True, when=_never)]
Pay = Annotated[
    tuple[str, ...],
    units_to_tap("Out of supply: pay a level for full strength", starved, starved, when=anybody),
]
AttackPool = Annotated[int, Whole(label="Shifts for a fallen HQ", high=20, when=_has_pool)]
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
    attack_sp: Annotated[str, unprinted("SP of each attacker", _lacks_attack)] = ""
    attack_star_units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Stars used",
            many=True,
            pick=starred,
            when=lambda c: _stars(c) and bool(starred(c)),
            help="one of them then shares any loss",
        ),
    ] = ()
    attack: Annotated[int, Whole(label="Attack SP", help="of attackers not on record", quiet=_all_named)] = 0
    defence_guns: Brought = ()
    defence_star_units: Brought = ()
    defence_sp: Annotated[str, unprinted("SP of each defender", _lacks_defence, ASKED)] = ""
    defence: Annotated[int, Whole(label="Defence SP", help=ASKED, when=off_record, start=lambda c: None)] = 0
    terrain: Terrain = ()
    fort: Annotated[str, FortChoice(label="Fortification", options=FORTS, quiet=_as_recorded)] = "auto"
    front: Annotated[int, Whole(label="Attack SP across the fixed position's edge", when=_fixed)] = 0
    fp_shifts: Annotated[int, Whole(label="Shifts of the fixed position", high=9, when=_fixed)] = 3
    attack_hq: Annotated[bool, Flag(label="All attackers in HQ range", quiet=_named_attack)] = False
    defence_hq: Annotated[bool, Flag(label="All defenders in HQ range", when=off_record)] = False
    attack_pool: AttackPool = 0
    defence_pool: Annotated[int, Whole(high=20, when=_never)] = 0
    also: Annotated[
        tuple[str, ...],
        AlsoChoice(label="Also counts", options=_also, many=True, help="opens what is to be filled in"),
    ] = ()
    attack_artillery: Annotated[int, _number("guns", "attack_artillery", "Artillery SP in attack")] = 0
    defence_artillery: Annotated[
        int, _number("guns", "defence_artillery", "Artillery SP in defence", when=off_record)
    ] = 0
    attack_air: Annotated[int, _number("air", "attack_air", "Air SP in attack", help="0: as flown")] = 0
    defence_air: DefenceAir = 0
    attack_halved: AttackHalved = ""
    defence_halved: Annotated[
        str, _text("halved", "defence_halved", "SP of each disorganised defender", "4 3", when=off_record)
    ] = ""
    river: Annotated[int, _number("water", "river", "Attack SP across a river")] = 0
    doniec: Annotated[int, _number("water", "doniec", "Attack SP across the Doniec")] = 0
    lone_guns: Annotated[
        int,
        _number("alone", "lone_guns", "Hexes held by guns alone, in combat setup", high=6, when=off_record),
    ] = 0
    helpless: Annotated[
        bool, _tick("alone", "helpless", "Only an HQ, or guns in transport setup", when=off_record)
    ] = False
    attack_formations: AttackFormations = ""
    defence_formations: Annotated[
        str,
        _text("division", "defence_formations", "Defenders of each division", "3", most=40, when=off_record),
    ] = ""
    attack_stars: Annotated[
        str,
        _text(
            "stars",
            "attack_stars",
            "Stars used in attack",
            "black 1, yellow 2",
            when=_loose_stars,
            help="of units not on record, and not of towed ones",
        ),
    ] = ""
    defence_stars: Annotated[
        str, _text("stars", "defence_stars", "Stars used in defence", "white 2", when=_stars_off_record)
    ] = ""
    attack_mech: Annotated[bool, _tick("stars", "attack_mech", "Attackers are mechanized", when=_stars)] = (
        False
    )
    defence_mech: Annotated[
        bool, _tick("stars", "defence_mech", "Defenders are mechanized", when=_stars_off_record)
    ] = False
    special: Annotated[
        tuple[str, ...],
        Choice(
            label="Special units",
            options=SPECIAL,
            many=True,
            when=_rare_units,
            quiet=_aside("special", "special"),
        ),
    ] = ()
    vs_regulars: Annotated[
        int, Whole(label="Regular units with the Volkssturm", high=9, when=_volkssturm)
    ] = 0
