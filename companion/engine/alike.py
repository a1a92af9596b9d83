"""Lines that read alike are told once, with how many they are: 2 × Tank brigade, 3 Soviet units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def several(name: str, number: int) -> str:
    """So many of one name; units that lie hidden have none of their own."""
    if number == 1:
        return name
    return f"{number} {name[2:]}s" if name.startswith("a ") else f"{number} \u00d7 {name}"


def each_once(told: Iterable[tuple[str, str, str]]) -> list[str]:
    """What became of units, each in one line.

    :param told: a unit's id, its name and what it did; of hidden ones without an id, only how many did the same is known
    """
    units: dict[tuple[str, str], list[str]] = {}
    for unit, name, what in told:
        units.setdefault((unit, name), []).append(what)
    found = Counter[tuple[str, str]]()
    for (unit, name), deeds in units.items():
        found[name, ", ".join(dict.fromkeys(deeds))] += 1 if unit else max(Counter(deeds).values())
    return [f"{several(name, number)}: {what}" for (name, what), number in found.items()]


def gathered(lines: Iterable[str]) -> list[str]:
    """Who went the same way or was marked alike in one line; others stay, the same ones with their number."""
    found: dict[tuple[str, str], list[str]] = {}
    for line in lines:
        name, _, what = line.partition(": ")
        if what:
            found.setdefault(("", what), []).append(name)
        else:
            found.setdefault((line, ""), [])
    return [
        f"{', '.join(counted(names))}: {what}" if names else line for (line, what), names in found.items()
    ]


def counted(names: Iterable[str]) -> list[str]:
    """Names, each once."""
    found: dict[str, int] = {}  # a Counter takes longer to make than to fill
    for name in names:
        found[name] = found.get(name, 0) + 1
    return [several(name, number) for name, number in found.items()]
