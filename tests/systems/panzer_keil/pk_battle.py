"""A battle for tests: Germans around 2040, Soviets in it, on a map without anything that matters."""

from __future__ import annotations

from typing import Any

from harness import Bench
from systems.panzer_keil.pk_bench import go, owners_book, put, strike, table

FLAT = "2040 2041 2042 2039 2140 2141 1941 1940 clear\n3040-3041 river\n3045-3046 major river\n"
"""A map without anything that matters; rivers far away tell that rivers are entered."""


def battle(
    attackers: dict[str, str], defenders: list[int], ground: str = "", attack: int = 6, **options: Any
) -> Bench:
    """Germans around 2040, infantry of one strength; Soviets in it with these defences."""
    t = table(owners_book(FLAT + ground, crt=False), **options)
    for unit, place in attackers.items():
        put(t, unit, place, kind="infantry", nation="german", attack=attack, defence=4)
    for n, defence in enumerate(defenders, 1):
        put(t, f"voronezh-{n}", "2040", kind="infantry", attack=3, defence=defence)
    go(t, "german-combat")
    return t


def sheet(t: Bench, *attackers: str, **fields: Any) -> Any:
    return t.calc("combat", target="2040", attackers=list(attackers), **fields)


def hit(t: Bench, result: str, *attackers: str, **fields: Any) -> None:
    strike(t, result, attackers=list(attackers), **fields)


def places(t: Bench, *units: str) -> list[str]:
    return [t.game.units[u].place for u in units]
