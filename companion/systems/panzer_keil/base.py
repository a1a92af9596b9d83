"""Names that every module of Panzer Keil shares: sides, Fronts, what a unit is, how a reading is found."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from companion.engine.kit.roster import Unit
from companion.engine.record.game import Game
from companion.systems import new_rules

rules = new_rules("panzer-keil")

SOVIET, GERMAN = "soviet", "german"
FRONTS = {"voronezh": "Voronezh", "southwestern": "Southwestern", "southern": "Southern", "don": "Don"}
FRONT_CODES = {"Voronezh": "voronezh", "S.West": "southwestern", "South": "southern", "Don": "don"}
ALLIES = ("italian", "romanian", "hungarian")  # B1
MECHANIZED = ("armour", "mechanized infantry", "motorized infantry")  # 2.2.1
SOME_MECHANIZED, FOOT = "mechanized", "foot"
"""What a player has told of a counter without naming its type: it ends exhausted, or never does."""
STALINGRAD = ("1703", "1803")  # B13.2.2
ZAPORIZHZHIA = "2547"  # B15.3
GERMAN_ROOTS = ("1450", "2050", "2750")  # B6.1
SOVIET_ROOT = "0114"  # B6.1
FIRST_RAILHEAD = "1406"  # B14.2
DON_RADIUS = 5  # B13.2.2
DON_TEN = ("don-52grd", "don-66grd", "don-277rd", "don-333rd", "don-157rd", "don-204rd")  # B13.2.3
DEAD, EXIT, EXIT_WEST = "box:dead", "box:exit", "box:exit-west"
DON_GONE, DON_RESERVE = "box:don-gone", "box:don-reserve"
STACK = 3  # B4

READINGS: dict[str, Any] = {
    "weather-end": "turn",
    "stack-after-mech": True,
    "disrupted-path": "in-zone",
    "grace-length": "next-check",
    "command-friends": "any",
    "cut-off-hq": "cut",
    "rail-limit": "each",
    "repair-phase": "move",
    "oos-halving": "down",
    "odds-below": "literal",
    "zero-attack": "forbid",
    "river-armour": "attacker",
    "river-upgrade": "crossers",
    "exchange-between": "below",
    "ad-needs-supply": True,
    "nw-rail": True,
    "ss-t-turn": "9",
    "german-vp-supply": "all",
    "occupation": "present",
    "grenadiers-cancel": "none",
    "edge-concentric": False,
    "zone-exit-exhausts": True,
    "crossing-zone": True,
    "rail-friends": True,
    "front-distance": "path",
}
"""The suggested readings, for calculations without a table; the kit's options hold the same."""


def reading(game: Game | None, name: str) -> Any:
    """How this table reads an unclear rule."""
    return READINGS[name] if game is None else game[name]


def phases(name: str) -> tuple[str, str]:
    """Both sides' phase of a kind: 'supply' -> soviet-supply and german-supply."""
    return f"{SOVIET}-{name}", f"{GERMAN}-{name}"


# -- what a unit is ----------------------------------------------------------------------------------------


def mechanized(unit: Unit) -> bool | None:
    """Whether a unit is mechanized; None while its type is not on record [2.2.1]."""
    return unit.kind in (*MECHANIZED, SOME_MECHANIZED) if unit.kind else None


def type_known(unit: Unit) -> bool:
    """Whether the record tells if a unit is armour: its type is there, or that it is not even mechanized."""
    return unit.kind not in ("", SOME_MECHANIZED)


def is_hq(unit: Unit) -> bool:
    return unit.kind == "hq"


def surplus(stack: Iterable[Unit]) -> int:
    """B4: how many units a stack holds too many: three at most, one Soviet corps, headquarters apart."""
    counted = [u for u in stack if not is_hq(u)]
    corps = sum(1 for u in counted if u.side == SOVIET and u.size == "XXX")
    return max(0, len(counted) - STACK, corps - 1)


def is_sixth(unit: Unit) -> bool:
    """Whether a unit belongs to the German 6th Army [B13.1]."""
    return unit.side == GERMAN and unit.formation == "6A"


def is_ally(unit: Unit) -> bool:
    return unit.klass in ALLIES


def front_of(unit: Unit) -> str:
    """The Front whose set-up area a Soviet unit began in, or nothing for reinforcements."""
    return FRONT_CODES.get(unit.formation, "")


def named(game: Game, units: Any) -> str:
    """Units by name, for a sentence."""
    return ", ".join(game.units[u].name or u for u in units)


# -- states ------------------------------------------------------------------------------------------------


def disrupted(game: Game, unit: str) -> bool:
    """Disrupted either way: D or AD."""
    return bool(game.mark(unit, "disrupted"))


def exhausted(game: Game, unit: str) -> bool:
    return bool(game.mark(unit, "exhausted"))


def out_of_supply(game: Game, unit: str) -> bool:
    return bool(game.mark(unit, "oos"))


def don_bound(game: Game, unit: Unit) -> bool:
    """Whether only the Don headquarters may command it [B13.2.1]."""
    return bool(game.mark(unit.id, "don"))


def factor(game: Game, unit: Unit, name: str) -> int | None:
    """Attack (AF), defence (DF) or movement (MF) on the side that lies up; None when it was never entered."""
    return unit.factors.get(f"X{name}" if exhausted(game, unit.id) else name)
