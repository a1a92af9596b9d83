"""Counters that are not on record yet, named on the spot: '57 INF 2408', or only the hex where they stand."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Context, Text
from companion.engine.kit.roster import slug
from companion.engine.record import events as e
from companion.engine.record.changes import create
from companion.engine.record.game import Game
from companion.systems.wb95.base import is_gun_kind, touchable
from companion.systems.wb95.needed import Needed


def _split(game: Game, text: str) -> list[tuple[str, str]]:
    """Names with their hexes; every counter stands somewhere, or nothing could ever be told of it."""
    found = []
    for part in filter(None, (p.strip() for p in text.replace(";", ",").replace("\n", ",").split(","))):
        name, _, place = part.rpartition(" ")
        try:
            found.append((name.strip(), game.maps.parse(place)))
        except ValueError:
            raise Unreadable(
                f"{part!r}: say where it stands, such as 57 INF 2408", given=part, accepted="57 INF 2408"
            ) from None
    return found


@dataclass(frozen=True)
class NewCounters(Needed, Text):
    """Counters to put on record with what is said of them."""

    most: int = 300
    placeholder: str = "57 INF 2408"

    def read(self, raw: Any, ctx: Context) -> str:
        text = super().read(raw, ctx)
        _split(ctx.game, text)
        return text


def _all_there(ctx: Context) -> bool:
    """Not shown once the scenario's list is on record: then there are counters to tap."""
    return any(u.id in ctx.game.units for u in ctx.game.roster) and not ctx.values.get("named")


def _nobody(ctx: Context) -> bool:
    """Needed where nobody is there to be tapped."""
    return not touchable(ctx)


Named = Annotated[str, NewCounters(label="Counters by name and hex", quiet=_all_there, needed=_nobody)]
NamedToo = Annotated[
    str, NewCounters(label="Counters by name and hex", quiet=_all_there, needed=lambda c: False)
]
"""The same where it need not be said that there is anybody."""


def with_new(
    game: Game, seat: str, units: Iterable[str], named: str, kind: str = ""
) -> Generator[e.Event, None, tuple[str, ...]]:
    """The units that were tapped and those named on the spot, which come on record now; somebody must be meant.

    :param kind: what they are where the name does not tell it
    """
    side, chosen = seat if seat in game.sides else game.active, list(units)
    if named and not side:
        raise Unreadable("whose counters? Name them on their side's phone", field="named", given=named)
    for name, place in _split(game, named):
        known = [
            u for u in game.units_at(place) if u.side == side and name.casefold() in ("", u.name.casefold())
        ]
        chosen += [u.id for u in known] or [(yield from _put_on_record(game, side, name, place, kind))]
    if not chosen:
        raise Unreadable("say which counters", field="named", accepted="57 INF 2408")
    return tuple(dict.fromkeys(chosen))


def _put_on_record(game: Game, side: str, name: str, place: str, kind: str) -> Generator[e.Event, None, str]:
    """A counter with its type, where the name tells it; one CEL for guns and headquarters, else two [1.2]."""
    words = [w.upper().rstrip(".") for w in name.replace("-", " ").split()]
    kind = next((w for w in words if w in game.kit.unit_kinds), kind)
    new = base = slug(f"{side} {name or place}")
    number = 2
    while new in game.units:
        new, number = f"{base}-{number}", number + 1
    cel = 1 if kind == "HQ" or is_gun_kind(kind) else 2
    facts = {"side": side, "name": name or f"stack at {place}", "kind": kind, "steps": cel, "full": cel}
    yield create(game, new, place, {k: v for k, v in facts.items() if v})
    return new
