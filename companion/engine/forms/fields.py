"""What an action or worksheet asks for: each field reads a form value or JSON and describes itself."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, cast

from companion.engine import dice
from companion.engine.errors import Unreadable, did_you_mean
from companion.engine.record.sight import may_see_zone, seen_units
from companion.limits import NUMBER_DIGITS

if TYPE_CHECKING:
    from companion.engine.kit.roster import Unit
    from companion.engine.record.battle import Battle
    from companion.engine.record.events import Asked
    from companion.engine.record.game import Game

REQUIRED: Any = object()

HIDDEN_HERE = "or it lies hidden from this screen and is chosen on its own side's phone"
"""What the shared screen says of any unit that it cannot find, whether there is one or not."""


@dataclass(frozen=True)
class Context:
    """What a field may look at: the game (a bare one where there is no table), the seat, the other values."""

    game: Game
    seat: str = "table"
    values: Mapping[str, Any] = field(default_factory=dict)
    worked: dict[Any, Any] | None = None
    """What worksheets came to, kept for as long as nothing changes; None where something may."""
    duty: Asked | None = None
    """What is being answered; None where somebody acts of his own accord."""

    @property
    def battle(self) -> Battle | None:
        """The battle that the answer belongs to."""
        return self.game.battles.get(self.duty.battle) if self.duty else None

    @property
    def told(self) -> Mapping[str, Any]:
        """Fields that the record of the battle answers already: neither asked again nor read from a browser.

        The one who began it told its `form`, the other side what `joined` it; each part may be hidden from the other.
        """
        if self.battle is None:
            return {}
        facts = self.battle.facts
        form = {**facts.get("form", {}), **facts.get("joined", {})}
        return {name: tuple(value) if isinstance(value, list) else value for name, value in form.items()}

    @property
    def args(self) -> Mapping[str, Any]:
        """What the duty itself says: how many steps, from which hex."""
        return self.duty.args if self.duty else {}

    def having(self, values: Mapping[str, Any]) -> Context:
        """The same game and seat with other values."""
        return Context(self.game, self.seat, values, self.worked, self.duty)

    def also(self, **values: Any) -> Context:
        """The same form with some values more; of its own only those count as looked at that are."""
        return self.having(ChainMap(values, cast(dict[str, Any], self.values)))


Options = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Field:
    """One thing to fill in."""

    type: ClassVar[str] = "text"
    label: str = ""
    help: str = ""
    when: Callable[[Context], bool] | None = None
    """Shown and read only while this holds, so a form never asks what cannot apply."""
    start: Callable[[Context], Any] | None = None
    """A value to begin with, taken from the game."""
    hidden: bool = False
    """Carried along by a follow-up, not asked of the player."""
    quiet: Callable[[Context], bool] | None = None
    """Not shown while this holds, yet carried along and read: what a prompt filled in, or the record tells."""

    def read(self, raw: Any, ctx: Context) -> Any:
        """The value of a raw form or JSON value, or a Mistake."""
        return str(raw).strip()

    def first(self, ctx: Context) -> Any:
        """The value a form begins with, None when the game gives none."""
        return self.start(ctx) if self.start else None

    def describe(self, ctx: Context) -> dict[str, Any]:
        """What a form or an API client needs to know."""
        return {}


def storable(text: str) -> str:
    """Text without half characters (lone surrogates), which no file can hold."""
    return text.encode("utf-8", "replace").decode()


@dataclass(frozen=True)
class Text(Field):
    most: int = 500
    long: bool = False
    placeholder: str = ""
    keys: str = ""
    """The keyboard that a phone should show, as HTML names it: 'tel' for digits with a plus."""

    def read(self, raw: Any, ctx: Context) -> str:
        text = storable(str(raw).replace("\r\n", "\n").replace("\0", "")).strip()
        if len(text) > self.most:
            raise Unreadable(
                f"{len(text)} characters are too many: at most {self.most}",
                given=text[:40],
                accepted=f"up to {self.most} characters",
            )
        return text

    def describe(self, ctx: Context) -> dict[str, Any]:
        plain = {"most": self.most, "long": self.long, "placeholder": self.placeholder}
        return {**plain, "keys": self.keys} if self.keys else plain


@dataclass(frozen=True)
class Whole(Field):
    type = "whole"
    low: int = 0
    high: int = 999
    half: bool = False
    """Whether it stands beside its neighbour, where two numbers belong together."""

    def read(self, raw: Any, ctx: Context) -> int:
        accepted = f"a whole number from {self.low} to {self.high}"
        text = str(raw).strip().replace("\u2212", "-")
        try:
            if len(text) > NUMBER_DIGITS:
                raise ValueError
            value = int(text)
        except ValueError:
            raise Unreadable(f"{str(raw)[:40]!r} is not {accepted}", given=raw, accepted=accepted) from None
        if not self.low <= value <= self.high:
            raise Unreadable(f"{value} is not {accepted}", given=raw, accepted=accepted)
        return value

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {"min": self.low, "max": self.high, "half": self.half}


@dataclass(frozen=True)
class Flag(Field):
    type = "flag"

    def read(self, raw: Any, ctx: Context) -> bool:
        if isinstance(raw, bool):
            return raw
        text = str(raw).strip().lower()
        if text in {"", "0", "no", "false", "off", "none"}:
            return False
        if text in {"1", "yes", "true", "on"}:
            return True
        raise Unreadable(f"{text[:40]!r} is not yes or no", given=text[:40], accepted="yes or no")


@dataclass(frozen=True)
class Choice(Field):
    type = "choice"
    options: Options | Callable[[Context], Options] = ()
    many: bool = False

    def choices(self, ctx: Context) -> Options:
        return self.options(ctx) if callable(self.options) else self.options

    def read(self, raw: Any, ctx: Context) -> Any:
        options = self.choices(ctx)
        values = {str(v).lower(): v for v, _ in options}
        labels = {label.lower(): v for v, label in options}
        chosen = []
        for part in _parts(raw) if self.many else [str(raw).strip()]:
            value = values.get(part.lower(), labels.get(part.lower()))
            if value is None:
                accepted = ", ".join(str(v) for v, _ in options) or "nothing at the moment"
                raise Unreadable(
                    f"{part[:60]!r} is not one of: {accepted}.{did_you_mean(part, values)}",
                    given=part,
                    accepted=accepted,
                )
            chosen.append(value)
        return tuple(chosen) if self.many else chosen[0]

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {
            "choices": [{"value": v, "label": label} for v, label in self.choices(ctx)],
            "many": self.many,
        }


@dataclass(frozen=True)
class SideRef(Choice):
    type = "choice"

    def choices(self, ctx: Context) -> Options:
        return [(s.id, s.name) for s in ctx.game.kit.sides]


@dataclass(frozen=True)
class HexId(Field):
    type = "hex"
    many: bool = False

    def read(self, raw: Any, ctx: Context) -> Any:
        parse = ctx.game.maps.parse
        if not self.many:
            return parse(str(raw))
        return tuple(dict.fromkeys(parse(part) for part in _parts(raw)))

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {"many": self.many, "placeholder": "2408 2409" if self.many else "2408"}


def on_the_form(unit: Unit) -> tuple[str, str, str]:
    """The order in which a form lists units."""
    return unit.side, unit.place, unit.name


@dataclass(frozen=True)
class UnitRef(Field):
    type = "unit"
    pick: Callable[[Context], Iterable[Unit]] | None = None
    """The units that may be chosen; others are refused."""
    suggest: Callable[[Context], Iterable[Unit]] | None = None
    """The units offered, where more may be chosen than make sense; the action itself then says what is wrong."""
    many: bool = False
    exactly: Callable[[Context], int] | None = None
    """How many must be chosen, where the rules say so: of one, each is an answer by itself."""

    def units(self, ctx: Context, offered: bool = False) -> list[Unit]:
        """The units to choose from, as far as the seat may see them for what they are."""
        choose = self.suggest if offered and self.suggest else self.pick
        return sorted(self.seen(ctx, self._among(ctx, choose)), key=on_the_form)

    def _among(self, ctx: Context, choose: Callable[[Context], Iterable[Unit]] | None) -> Iterable[Unit]:
        return choose(ctx) if choose else ctx.game.units.values()

    def seen(self, ctx: Context, units: Iterable[Unit]) -> list[Unit]:
        """Those of the units that the seat may see for what they are; the others are neither chosen nor named."""
        return seen_units(ctx.game, units, ctx.seat)

    def first(self, ctx: Context) -> Any:
        found = super().first(ctx)
        if not found:
            return found
        named = [ctx.game.units[u] for u in ([found] if isinstance(found, str) else found)]
        # as their boxes stand and will be sent: numbers typed for them follow that order
        seen = [u.id for u in sorted(self.seen(ctx, named), key=on_the_form)]
        return seen if self.many else "".join(seen)

    def read(self, raw: Any, ctx: Context) -> Any:
        parts = _parts(raw, commas_only=True) if self.many else [str(raw)]
        named = [u for u in self._among(ctx, self.pick) if u.id in parts]
        if {u.id for u in self.seen(ctx, named)}.issuperset(parts):  # by their ids, as every form sends them
            return tuple(dict.fromkeys(parts)) if self.many else parts[0]
        allowed = {u.id for u in self.units(ctx)}
        # A unit that this seat may not see is treated as if it were not there, or its name could be sounded out.
        known = {u.id for u in seen_units(ctx.game, ctx.game.units.values(), ctx.seat)} | allowed
        unseen = HIDDEN_HERE if ctx.seat == "table" else "or it lies hidden from you"
        chosen = []
        for part in parts:
            unit = ctx.game.unit(part, known, unseen)
            if unit.id not in allowed:
                raise Unreadable(
                    f"{unit.name or unit.id} cannot be chosen here",
                    given=part,
                    accepted=", ".join(sorted(allowed)[:12]),
                )
            chosen.append(unit.id)
        return tuple(dict.fromkeys(chosen)) if self.many else chosen[0]

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {
            "many": self.many,
            "exactly": self.exactly(ctx) if self.exactly else None,
            "choices": [
                {"value": u.id, "label": f"{u.name or u.id}{f' ({u.place})' if u.on_map else ''}"}
                for u in self.units(ctx, offered=True)
            ],
        }


@dataclass(frozen=True)
class Tokens(Field):
    """Tokens or cards chosen from a zone that the seat can see."""

    type = "tokens"
    pile: str | Callable[[Context], str] = ""
    zone: str | Callable[[Context], str] = ""
    many: bool = False

    def pile_id(self, ctx: Context) -> str:
        return self.pile(ctx) if callable(self.pile) else self.pile

    def held(self, ctx: Context) -> list[str]:
        """What lies in the zone, as far as the seat may look into it."""
        pile = self.pile_id(ctx)
        if pile not in ctx.game.piles:
            return []
        zone = self.zone(ctx) if callable(self.zone) else self.zone
        return ctx.game.piles[pile][zone] if may_see_zone(ctx.game, pile, zone, ctx.seat) else []

    def read(self, raw: Any, ctx: Context) -> Any:
        held = {t.lower(): t for t in self.held(ctx)}
        chosen = []
        for part in _parts(raw):
            if part.lower() not in held:
                raise Unreadable(
                    f"{part[:40]!r} is not there: {', '.join(held.values()) or 'nothing'}",
                    given=part,
                    accepted=", ".join(held),
                )
            chosen.append(held[part.lower()])
        chosen = list(dict.fromkeys(chosen))  # a token named twice is still one
        if not chosen and not self.many:
            raise Unreadable(
                f"choose one of: {', '.join(held.values()) or 'nothing'}", given=raw, accepted=", ".join(held)
            )
        return tuple(chosen) if self.many else chosen[0]

    def describe(self, ctx: Context) -> dict[str, Any]:
        names = {t: str(ctx.game.face(self.pile_id(ctx), t).get("name", "")) for t in self.held(ctx)}
        return {
            "many": self.many,
            "choices": [{"value": t, "label": f"{t} {name}".strip()} for t, name in names.items()],
        }


@dataclass(frozen=True)
class Roll:
    """Dice as they fell, digital or physical."""

    dice: str
    values: tuple[int, ...]
    """Each die; empty where the player told only their sum."""
    mode: str = "digital"
    sum: int | None = None
    """What a player told instead of each die: all of them together, before the spec's plus."""

    @property
    def total(self) -> int:
        shown = sum(self.values) if self.sum is None else self.sum
        return shown + dice.Spec.parse(self.dice).plus


@dataclass(frozen=True)
class Dice(Field):
    """Dice that the server rolls, or that the player rolled by hand, as the table is set."""

    type = "dice"
    spec: str | Callable[[Context], str] = "1d6"
    purpose: str | Callable[[Context], str] = ""
    each: bool = False
    """The rule looks at every single die, so that their sum alone does not tell enough."""

    def dice(self, ctx: Context) -> str:
        return self.spec(ctx) if callable(self.spec) else self.spec

    def why(self, ctx: Context) -> str:
        return self.purpose(ctx) if callable(self.purpose) else self.purpose

    def read(self, raw: Any, ctx: Context) -> Roll:
        spec = dice.Spec.parse(self.dice(ctx))
        told = spec.read(raw, by_sum=not self.each)
        return Roll(str(spec), told.values, "physical", told.sum)

    def describe(self, ctx: Context) -> dict[str, Any]:
        asked = {"dice": self.dice(ctx), "mode": ctx.game["mode-dice"]}
        try:
            spec = dice.Spec.parse(self.dice(ctx))
        except Unreadable:
            return asked  # the field that names the dice says what is wrong
        sums = list(spec.sums) if spec.count > 1 and not self.each else None
        return asked | {
            "count": spec.count, "min": spec.lowest, "max": spec.highest, "plus": spec.plus, "sum": sums,
        }  # fmt: skip


def _parts(raw: Any, commas_only: bool = False) -> list[str]:
    if isinstance(raw, list | tuple):
        return [text for r in raw if (text := str(r).strip())]
    text = str(raw).replace(",", "\n") if commas_only else str(raw).replace(",", " ")
    return [p.strip() for p in (text.split("\n") if commas_only else text.split()) if p.strip()]
