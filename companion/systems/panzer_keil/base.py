"""Names that every module of Panzer Keil shares: sides, Fronts, what a unit is, what state it is in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from companion.engine.errors import NotNow
from companion.engine.kit.roster import Unit
from companion.engine.positions.pieces import on_map
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems import new_rules

rules = new_rules("panzer-keil")

SOVIET, GERMAN = "soviet", "german"
FRONTS = {"voronezh": "Voronezh", "southwestern": "Southwestern", "southern": "Southern", "don": "Don"}
ALLIES = ("italian", "romanian", "hungarian")  # [B1]
SOME_ALLY = "allied"
"""What a player has told of a counter without naming its nation."""
MECHANIZED = ("armour", "mechanized infantry", "motorized infantry")  # [2.2.1]
SOME_MECHANIZED, FOOT = "mechanized", "foot"
"""What a player has told of a counter without naming its type: it ends exhausted, or never does."""
STALINGRAD = ("1703", "1803")  # [B13.2.2]
ZAPORIZHZHIA = "2547"  # [B15.3]
GERMAN_ROOTS = ("1450", "2050", "2750")  # [6.1.1, B6.1]
SOVIET_ROOT = "0114"  # [6.1.1, B6.1]
FIRST_RAILHEAD = "1406"  # [B14.2]
DON_RADIUS = 5  # [B13.2.2]
DON_TEN = ("don-52grd", "don-66grd", "don-277rd", "don-333rd", "don-157rd", "don-204rd")  # [B13.2.3]
BY_RAIL = " (rail)"
"""How the roster writes that an entry code is boxed: the unit may come on by rail [8.7.1, B14.4]."""
DEAD, EXIT, EXIT_WEST = "dead", "box:exit", "box:exit-west"
DON_GONE, DON_RESERVE = "box:don-gone", "box:don-reserve"
STACK = 3  # [B4]


def phases(name: str) -> tuple[str, str]:
    """Both sides' phase of a kind: 'supply' -> soviet-supply and german-supply [4, B3]."""
    return f"{SOVIET}-{name}", f"{GERMAN}-{name}"


@dataclass(frozen=True)
class Fault:
    """What a rule has against something that is done on the board: a mistake, or only advice."""

    text: str
    rule: str = ""

    def __str__(self) -> str:
        return f"{self.text} [{self.rule}]" if self.rule else self.text


# -- what a unit is ----------------------------------------------------------------------------------------


SPELLED = {
    "armour": "armor armoured armored panzer tank tanks pz tk",
    "mechanized infantry": "mech-inf mech-infantry panzergrenadier panzergrenadiers pzgren",
    "motorized infantry": "motorized motorised mot mot-inf mot-infantry",
    "infantry": "inf rifle rifles airborne guards",
    "mountain": "geb mtn gebirgsjaeger mountain-infantry",
    "hq": "headquarters",
    SOME_MECHANIZED: "mech",
    FOOT: "non-mechanized not-mechanized",
}
"""The types, and how else people write them [2.2.1]."""


def kind_of(unit: Unit) -> str:
    """A unit's type however it was spelled; nothing while nobody has told it."""
    word = unit.kind.strip().lower().replace("mechanis", "mechaniz").replace("motoris", "motoriz")
    found = (
        kind for kind, words in SPELLED.items() if word == kind or word.replace(" ", "-") in words.split()
    )
    return next(found, "")


def mechanized(unit: Unit) -> bool | None:
    """Whether a unit is mechanized; None while its type is not on record [2.2.1]."""
    return kind_of(unit) in (*MECHANIZED, SOME_MECHANIZED) if kind_of(unit) else None


def type_known(unit: Unit) -> bool:
    """Whether the record tells if a unit is armour: its type is there, or that it is not even mechanized."""
    return kind_of(unit) not in ("", SOME_MECHANIZED)


def is_hq(unit: Unit) -> bool:
    return kind_of(unit) == "hq"


def surplus(stack: Iterable[Unit]) -> int:
    """How many units a stack holds too many: three at most, one Soviet corps, headquarters apart [B4]."""
    counted = [u for u in stack if not is_hq(u)]
    corps = sum(1 for u in counted if u.side == SOVIET and u.size == "XXX")
    return max(0, len(counted) - STACK, corps - 1)


def is_sixth(unit: Unit) -> bool:
    """Whether a unit belongs to the German 6th Army [B13.1]."""
    return unit.side == GERMAN and unit.formation == "6A"


def is_ally(unit: Unit) -> bool:
    """Italian, Romanian or Hungarian [B1]."""
    return unit.klass in (*ALLIES, SOME_ALLY)


def edge_of(unit: Unit) -> str:
    """The edge that a reinforcement comes on at, without the sign for rail [B14.3, B14.4]."""
    return unit.entry.removesuffix(BY_RAIL)


def in_play(unit: Unit) -> bool:
    """Whether a unit is on the map or may still come there."""
    return unit.on_map or not unit.place


def named(game: Game, units: Iterable[str]) -> str:
    """Units by name, for a sentence."""
    return ", ".join(game.units[u].name or u for u in units)


def hexes_of(game: Game, side: str) -> set[str]:
    """The hexes where a side stands."""
    return {u.place for u in on_map(game, side)}


# -- battles -----------------------------------------------------------------------------------------------


def target_of(battle: Battle | None) -> str:
    """The hex that is attacked, where it is on record."""
    return battle.hexes[0] if battle and battle.hexes else ""


def recorded(battle: Battle | None) -> Battle:
    """The battle that an answer belongs to.

    :raises NotNow: in a game begun before battles were kept
    """
    if battle is None:
        raise NotNow("this was asked by an earlier version: do it on the map, then say that it is done")
    return battle


def fought_now(game: Game) -> list[Battle]:
    """The battles of this phase, support attacks too [9.1.6, 7.3]."""
    return [b for b in game.battles.values() if (b.turn, b.phase) == (game.turn, game.phase)]


def has_attacked(game: Game, unit: str) -> bool:
    """Whether a unit has attacked in this phase [9.1.6]."""
    return any(unit in b.units(b.attacker) for b in fought_now(game))


# -- states ------------------------------------------------------------------------------------------------


def disrupted(game: Game, unit: str) -> bool:
    """Disrupted either way, D or AD, each unit for itself [5.3.2, 5.3.4]."""
    return bool(game.mark(unit, "disrupted"))


def exhausted(game: Game, unit: str) -> bool:
    """On its exhausted side, which only mechanized units have [2.2.1]."""
    return bool(game.mark(unit, "exhausted"))


def out_of_supply(game: Game, unit: str) -> bool:
    """Out of supply until its side's next supply phase [6.1.6, 6.2]."""
    return bool(game.mark(unit, "oos"))


def don_bound(game: Game, unit: Unit) -> bool:
    """Whether only the Don headquarters may command it [B13.2.1]."""
    return bool(game.mark(unit.id, "don"))


def factor(game: Game, unit: Unit, name: str) -> int | None:
    """Attack (AF), defence (DF) or movement (MF) on the side that lies up; None when it was never entered."""
    return unit.factors.get(f"X{name}" if exhausted(game, unit.id) else name)
