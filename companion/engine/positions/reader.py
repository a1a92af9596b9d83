"""What the words of an entry mean in a game as it is now: hexes, boxes, units and stacks on record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from companion.engine.errors import Mistake, Unknown, Unreadable, meant, near_names
from companion.engine.hexes.typed import HexError, is_hex_text
from companion.engine.kit.roster import Unit
from companion.engine.positions.names import MOST_NAME, closest, digits, key_of
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_unit, seen_units
from companion.engine.seat.words import place_label
from companion.limits import GUESS_LENGTH

OFF_RECORD = ("off", "away")


def not_here(name: str) -> Mistake:
    """What the shared screen says to the name of a unit that it does not see; a stack it moves by its hex."""
    return Unknown(
        f"no {name[:MOST_NAME]!r} lies open on this screen. What lies under another counter goes with its whole "
        "stack, as in 2408 2409, or is entered on its own side's phone",
        given=name,
    )


def may_touch(game: Game, seat: str, unit: Unit) -> bool:
    """Whether a seat may move or mark a unit: its own; the table's screen, all."""
    return seat in {"table", unit.side}


@dataclass
class Reader:
    """Reads a seat's words; a side narrows them to that side's units."""

    game: Game
    seat: str
    side: str = ""

    # -- places

    def place_of(self, words: Sequence[str]) -> str | None:
        """The hex or box that these words name, None when they name none; a wrong hex is a HexError."""
        text = " ".join(words)
        if is_hex_text(text):
            return self.game.maps.parse(text)
        key = text.casefold()
        if key in OFF_RECORD:
            return ""
        names = {b.id: (b.id.replace("-", " "), b.id, b.label.casefold()) for b in self.game.kit.boxes}
        exact = [box for box, known in names.items() if key in known]
        near = [box for box, known in names.items() if len(key) > 2 and any(k.startswith(key) for k in known)]
        found = exact or near
        if len(found) > 1:
            raise Unreadable(f"{text!r} could be {' or '.join(found)}", accepted=", ".join(found))
        return f"box:{found[0]}" if found else None

    def hex_of(self, word: str) -> str | None:
        """The hex a word names if it is one of this map."""
        try:
            return self.game.maps.parse(word) if is_hex_text(word) else None
        except HexError:
            return None

    # -- units

    def picked(self, words: Sequence[str]) -> list[Unit]:
        """The units on record that these words name: units, stacks, or both, parted by commas."""
        return [unit for part in by_comma(words) for unit in self.stack(part) or [self._known(part)]]

    def stack(self, part: Sequence[str], count: int | None = None) -> list[Unit]:
        """The stack that one word names by its hex; empty when it names no hex."""
        here = self.hex_of(part[0]) if len(part) == 1 else None
        if here is None or self.called(part[0], exact=True) is not None:
            return []
        found = [u for u in self.game.units_at(here) if may_touch(self.game, self.seat, u)]
        found = [u for u in found if self.side in {"", u.side}]
        if len({u.side for u in found}) > 1:
            names = " or ".join(s.id for s in self.game.kit.sides)
            raise Unreadable(f"{here} holds units of both sides: begin the line with {names}", accepted=names)
        if not found:
            whose = f"{self.game.side_name(self.side)} " if self.side else ""
            near = [h for h in self.game.maps.neighbours(here) if self._own_at(h)]
            more = f" There is one in {' and in '.join(near[:3])}." if near else ""
            raise Unknown(f"no {whose}unit is recorded in {here}.{more}", accepted=", ".join(near))
        if count is not None and count > len(found):
            raise Unreadable(f"{here} holds only {len(found)}, not {count}", accepted=f"1 to {len(found)}")
        return found if count is None else found[:count]

    def _own_at(self, hex_id: str) -> bool:
        return any(u.place == hex_id and self.side in {"", u.side} for u in self.game.units.values())

    def _known(self, part: Sequence[str]) -> Unit:
        """One unit on record by its name, and by its hex where several share the name."""
        found = self.called(" ".join(part))
        if found is None and len(part) > 1 and (here := self.hex_of(part[-1])) is not None:
            found = self.called(" ".join(part[:-1]), at=here)
        if found is None:
            raise self._nobody(" ".join(part))
        return found

    def called(self, name: str, *, at: str = "", exact: bool = False) -> Unit | None:
        """The unit that a name means, None when there is none; several are a mistake that lists them.

        A unit that lies hidden from this seat answers to no name, or an order to it would tell where it lies.
        """
        game, key = self.game, key_of(name)
        mine = [u for u in game.units.values() if may_touch(game, self.seat, u) and self.side in {"", u.side}]
        full = [u for u in mine if key in {key_of(u.id), key_of(u.name)}]
        open_ = [u for u in seen_units(game, mine, self.seat) if at in {"", u.place}]
        meant = [u for u in full if u in open_]
        if full and not meant and not exact and len(full) > len(seen_units(game, full, self.seat)):
            raise not_here(name)
        if meant or exact or not key:
            return self._one(name, meant)
        return self._one(name, closest(key, open_))

    def _one(self, name: str, found: list[Unit]) -> Unit | None:
        if len(found) > 1 and len({(u.side, u.place, key_of(u.name), u.steps) for u in found}) > 1:
            names = [u.name or u.id for u in found]
            twins = len({key_of(n) for n in names}) < len(names)  # only their places tell them apart
            names = [u.id for u in found] if twins else names
            places = (place_label(self.game, u.place) for u in found)
            listed = ", ".join([f"{n} ({place})" for n, place in zip(names, places, strict=True)][:8])
            more = f" and {len(found) - 8} more" if len(found) > 8 else ""
            way = f"Add the hex it stands in: {name} 2407 2408" if twins else f"Write {names[0]}, say"
            raise Unreadable(
                f"{name!r} could be {listed}{more}. {way}", given=name, accepted=", ".join(names[:8])
            )
        # Twins in one stack are as good as each other: take the one on top.
        return max(found, key=lambda u: u.order) if found else None

    def _nobody(self, name: str) -> Mistake:
        close = self.like(name)
        return Unknown(
            f"there is no unit {name[:MOST_NAME]!r} on record.{meant(close)}",
            given=name,
            accepted=", ".join(close),
        )

    def like(self, name: str) -> list[str]:
        """Names of units this seat may see that a slip of the fingers could turn into this one."""
        key = key_of(name[:GUESS_LENGTH])
        named = (u for u in self.game.units.values() if u.name and self.side in {"", u.side})
        # 23rd is no slip of the fingers for 3rd: numbers tell units apart.
        near = (u for u in named if digits(key_of(u.name)) == digits(key))
        names = {key_of(u.name): u.name for u in near if may_see_unit(self.game, u, self.seat)}
        return [names[k] for k in near_names(key, names, cutoff=0.75)]


def by_comma(words: Sequence[str]) -> Iterator[list[str]]:
    """The words between commas, without empty parts."""
    part: list[str] = []
    for word in words:
        if word == ",":
            if part:
                yield part
            part = []
        else:
            part.append(word)
    if part:
        yield part
