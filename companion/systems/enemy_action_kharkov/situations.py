"""Which side of a chit applies to a combat, and the hits it brings [9.4, 9.5]."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from companion.systems.enemy_action_kharkov.base import GERMAN, SOVIET, yes
from companion.systems.enemy_action_kharkov.fight import LARGE, Fight, compare
from companion.systems.enemy_action_kharkov.manifest import parse_hits

TOWNS = ("town", "city")
ARMOUR = frozenset({"tank brigade", "panzer battalion"})
"""Tactics that bring armour."""
UNPLEASANT = ("dispersed", "oos", "dispersed-oos", "isolated", "mixed", "poor")


class Judged(NamedTuple):
    """A chit as it counts: the side that is up ('' for none), its situation, and the hits."""

    face: str
    situation: str
    attacker: int
    defender: int


def ratio(detail: str) -> Fraction:
    """'3', '1.5' or '3:1'."""
    return Fraction(re.split(r"\s*:", detail.strip())[0] or "0")


def flank(fight: Fight) -> bool:
    """Three hexes, or two that do not touch; never against a town or city [9.4]."""
    return fight.terrain not in TOWNS and (fight.hexes >= 3 or (fight.hexes == 2 and fight.apart))


def armoured(fight: Fight) -> tuple[bool, bool]:
    """Armour on the attacking and on the defending side, the two tactics included [9.4]."""
    ours, theirs = (ARMOUR.intersection(t) for t in (fight.attack_tactics, fight.defence_tactics))
    return fight.attacker_armour or bool(ours), fight.defender_armour or bool(theirs)


def _used(fight: Fight, tactic: str) -> bool:
    return tactic in fight.attack_tactics or tactic in fight.defence_tactics


def _artillery(fight: Fight, tactics: Sequence[str]) -> bool:
    return "artillery" in tactics or (fight.fixed_counts and "fixed artillery" in tactics)


TESTS: Mapping[str, Callable[[Fight, str, int], bool]] = {
    "ratio at least": lambda f, d, n: compare(f, ratio(d)) in (0, 1),
    "ratio over": lambda f, d, n: compare(f, ratio(d)) == 1,
    "ratio under": lambda f, d, n: compare(f, ratio(d)) == -1,
    "terrain": lambda f, d, n: f.terrain in re.split(r"[\s,;/]+", d.lower()),
    "soviet airpower": lambda f, d, n: _used(f, "soviet airpower"),
    "german airpower": lambda f, d, n: _used(f, "german airpower"),
    "attacker artillery": lambda f, d, n: _artillery(f, f.attack_tactics),
    "defender artillery": lambda f, d, n: _artillery(f, f.defence_tactics),
    "combat engineers": lambda f, d, n: "combat engineers" in f.attack_tactics,
    "defender adjacent": lambda f, d, n: f.adjacent,
    "dispersed or unsupplied": lambda f, d, n: f.status in UNPLEASANT,
    "flank attack": lambda f, d, n: flank(f),
    "one-hex attack": lambda f, d, n: f.hexes == 1,
    "large attack": lambda f, d, n: n >= LARGE[f.attacker],
    "ip crossfire": lambda f, d, n: f.ip,
    "only attacker armour": lambda f, d, n: armoured(f) == (True, False),
    "only defender armour": lambda f, d, n: armoured(f) == (False, True),
    "command value": lambda f, d, n: f.value is not None and d.strip() == str(f.value),
    "nkvd": lambda f, d, n: f.nkvd_event or _used(f, "nkvd"),
    "attack not supported": lambda f, d, n: f.attacker == SOVIET and not f.supported,
    "defender not supported": lambda f, d, n: f.attacker == GERMAN and not f.supported,
    "soviets not supported": lambda f, d, n: not f.supported,
}
"""Each situation's test: (combat, the face's detail, chits drawn) -> applies [9.4]."""


def applies(situation: str, detail: str, fight: Fight, drawn: int) -> bool:
    """Whether a printed situation holds in this combat."""
    test = TESTS.get(situation.strip().lower())
    return test is not None and test(fight, detail, drawn)


SIGNS = {"ratio at least": "\u2265", "ratio over": ">", "ratio under": "<"}


def words(situation: str, detail: str) -> str:
    """A face as it is printed: \u2265 3:1, clear broken terrain, command value 4."""
    detail = detail.strip()
    if situation in SIGNS:
        return f"{SIGNS[situation]} {detail.partition(':')[0].strip()}:1"
    if situation == "terrain":
        return ", ".join(re.split(r"[\s,;/]+", detail)) + " terrain"
    named = {"nkvd": "NKVD", "ip crossfire": "IP crossfire"}.get(situation, situation.capitalize())
    return f"{named} {detail}".strip()


def judge(row: Mapping[str, Any], fight: Fight, drawn: int) -> Judged:
    """The side that applies; if both do, the one with the red P; hits by role and by nation [9.4, 9.5]."""
    up = [
        side
        for side in ("front", "back")
        if row.get(side) and applies(str(row[side]), str(row.get(f"{side}_detail") or ""), fight, drawn)
    ]
    if not up:
        return Judged("", "", 0, 0)
    face = next((side for side in up if yes(row.get(f"{side}_p"))), up[0])
    attacker, defender = by_role(parse_hits(str(row.get(f"{face}_hits") or "")), fight.attacker)
    return Judged(face, words(str(row[face]), str(row.get(f"{face}_detail") or "")), attacker, defender)


def by_role(hits: Mapping[str, int], attacker: str) -> tuple[int, int]:
    """A and D as printed; S and G go to whichever role that nation has [9.5]."""
    mine, other = ("S", "G") if attacker == SOVIET else ("G", "S")
    return hits.get("A", 0) + hits.get(mine, 0), hits.get("D", 0) + hits.get(other, 0)
