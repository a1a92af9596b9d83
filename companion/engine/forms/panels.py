"""Panels: blocks of facts that a game puts on a seat's screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Fact:
    """One line of a panel."""

    label: str
    value: str = ""
    rule: str = ""


@dataclass(frozen=True)
class Panel:
    """A block of facts under a heading."""

    title: str
    rows: Sequence[Fact]
    first: bool = False
    """Whether it belongs to this very moment, so that it stands above everything that only informs."""
    rule: str = ""
