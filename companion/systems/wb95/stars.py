"""Stars: which count in a combat and which cancel which [15.1]."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from companion.systems.wb95.base import refusal

COLOURS = ("black", "white", "yellow", "blue")


@dataclass(frozen=True)
class Verdict:
    """How many stars of a colour count, and why the others do not."""

    colour: str
    given: int
    counted: int
    reason: str = ""


def read(text: str, field: str) -> dict[str, int]:
    """'black 2, yellow' -> {'black': 2, 'yellow': 1}."""
    found: dict[str, int] = {}
    rest = text.strip().lower()
    for match in re.finditer(r"(?:(\d+)\s*)?([a-z]+)(?:\s*[x=:]?\s*(\d+))?", rest):
        colours = [c for c in COLOURS if c.startswith(match[2])]
        if len(colours) != 1:
            raise refusal(
                f"{match[2]!r} is not the colour of a star: {', '.join(COLOURS)}",
                field=field,
                given=text,
                accepted="black 1, yellow 2",
            )
        found[colours[0]] = found.get(colours[0], 0) + int(match[1] or match[3] or 1)
    if rest and not found:
        raise refusal(
            f"{text!r}: write stars like black 1, yellow 2",
            field=field,
            given=text,
            accepted="black 1, yellow 2",
        )
    return found


def judge(
    attack: Mapping[str, int],
    defence: Mapping[str, int],
    *,
    fortified: bool,
    attack_mech: bool,
    defence_mech: bool,
    all_across_big_river: bool = False,
) -> tuple[list[Verdict], list[Verdict]]:
    """Both sides' stars: white first, then black, then yellow; a cancelled star cancels nothing [15.1.2, 15.1.8]."""
    if all_across_big_river:
        given = [Verdict(c, n, 0, "assault across a big river [15.1.8]") for c, n in attack.items() if n]
        attack = {}
    else:
        given = []
    whites = (
        attack.get("white", 0) if defence_mech else 0,
        defence.get("white", 0) if attack_mech else 0,
    )
    blacks = (
        attack.get("black", 0) if not fortified and not whites[1] else 0,
        defence.get("black", 0) if not whites[0] else 0,
    )
    yellow = attack.get("yellow", 0) if not whites[1] and not blacks[1] else 0
    reasons = {
        "white": "no mechanized enemy",
        "black": "enemy fortified" if fortified else "cancelled by white",
        "yellow": "cancelled by black or white",
    }
    counted = {"white": whites[0], "black": blacks[0], "yellow": yellow, "blue": attack.get("blue", 0)}
    for colour in COLOURS:
        n = attack.get(colour, 0)
        if n:
            given.append(Verdict(colour, n, counted[colour], "" if counted[colour] else reasons[colour]))
    against = {"white": whites[1], "black": blacks[1], "yellow": 0, "blue": defence.get("blue", 0)}
    no = {"white": "no mechanized enemy", "black": "cancelled by white", "yellow": "counts in attack only"}
    held = [
        Verdict(c, defence[c], against[c], "" if against[c] else no[c]) for c in COLOURS if defence.get(c, 0)
    ]
    return given, held
