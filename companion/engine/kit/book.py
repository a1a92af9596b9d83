"""The owner's book: the lists that a kit wants of him, and all of it as a game reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.engine.hexes.maps import Maps
from companion.engine.kit.chart import Chart
from companion.engine.kit.roster import UnitDef


@dataclass
class Book:
    """What the installation's owner filled in: charts, manifests, rosters. Advice, never part of the record."""

    charts: Mapping[str, Chart] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, Mapping[str, Any]]] = field(default_factory=dict)
    """Filled lists by name: tables['cards']['P44'] = {...}."""
    map: Mapping[str, Any] = field(default_factory=dict)
    """The owner's map book, as `MapBook.to_json` writes it."""
    maps: Maps | None = None
    """The grids with the owner's answer to the parity question; None means as the kit has them."""
    roster: Mapping[str, tuple[UnitDef, ...]] = field(default_factory=dict)
    """Each scenario's units: the rulebook's with the owner's over them. A scenario left out is as the kit has it."""


@dataclass(frozen=True)
class BookShape:
    """A list that the owner copies from his own components: card manifest, chit sheet, calendar."""

    id: str
    title: str
    key: str
    columns: tuple[dict[str, Any], ...]
    rows: tuple[str, ...] = ()
    """The rows there are; without them the owner adds his own."""
    more: bool = False
    """Rows may be added to the given ones."""
    rule: str = ""
    help: str = ""
    where: str = ""
    """Where it is printed: map, cards, play aid."""
    file: str = ""
    """What the rulebook tells of it, a CSV; books/<id>.csv when not said."""
    walk: tuple[str, ...] = ()
    """The columns that filling it one by one asks for; the required ones when not said."""
