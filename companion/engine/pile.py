"""Cups and decks: one type. A pile is a set of tokens, each lying in exactly one zone.

There is no hidden order to leak: a draw picks at random at the moment of drawing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from companion.engine.errors import Unknown


class Pile:
    """Which token lies in which zone."""

    def __init__(self, zones: Mapping[str, Iterable[str]] | None = None) -> None:
        self.zones: dict[str, list[str]] = {z: sorted(t) for z, t in (zones or {}).items()}

    def move(self, tokens: Iterable[str], source: str, target: str) -> None:
        """Move tokens from one zone to another; a token that is not there is an error, so none is lost."""
        held = self.zones.get(source, [])
        moving = list(dict.fromkeys(tokens))  # a token named twice is still one
        missing = [t for t in moving if t not in held]
        if missing:
            raise Unknown(f"{', '.join(missing)} is not in {source}", given=missing[0])
        self.zones[source] = [t for t in held if t not in moving]
        self.zones[target] = sorted([*self.zones.get(target, []), *moving])
        if not self.zones[source] and ":" in source:
            del self.zones[source]  # hands and attachments vanish when empty

    def add(self, tokens: Iterable[str], zone: str) -> None:
        """Put new tokens in, as set-up does."""
        self.zones[zone] = sorted([*self.zones.get(zone, []), *tokens])

    def where(self, token: str) -> str | None:
        """The zone a token lies in."""
        return next((zone for zone, tokens in self.zones.items() if token in tokens), None)

    def count(self, zone: str) -> int:
        return len(self.zones.get(zone, []))

    def tokens(self) -> list[str]:
        return sorted(t for tokens in self.zones.values() for t in tokens)

    def __getitem__(self, zone: str) -> list[str]:
        return self.zones.get(zone, [])
