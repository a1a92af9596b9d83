"""What units on record bring to a combat: strength with halvings, concentration, water crossed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from companion.engine.forms.fields import Context
from companion.engine.kit.roster import Unit
from companion.engine.record.game import Game
from companion.systems.wb95.base import (
    GERMAN_ALLIES,
    GUN_RANGE,
    deployed,
    halve,
    idle,
    in_transport,
    is_gun,
    is_hq,
    is_regular,
    is_towed,
    level,
    refusal,
    troops,
    visible,
)
from companion.systems.wb95.terrain import crossed


@dataclass
class Force:
    """One side of a combat, as far as the record tells it."""

    regular: int = 0
    guns: int = 0
    lines: list[tuple[str, str, str]] = field(default_factory=list)
    unknown: list[Unit] = field(default_factory=list)
    """Units whose strength nobody has told yet."""
    closed: bool = False
    """Some of it may not be looked at by this seat."""
    helpless: bool = False
    """Only headquarters or guns in transport setup: the rightmost column [5.1.9, 6.6.4]."""
    by_hex: dict[str, int] = field(default_factory=dict)
    idle: list[Unit] = field(default_factory=list)
    """Those who stand there without taking part: guns in transport setup, or that have fired, and headquarters."""


def label(game: Game, unit: Unit) -> str:
    """A unit as a public record may call it: stacks that fought close again after the phase [16.1.3]."""
    return f"{unit.kind or 'unit'} at {unit.place}" if game["fog"] else unit.name or unit.id


def named_openly(game: Game, units: Sequence[Unit]) -> str:
    """Units of one side as everybody may read it: by name, under fog only whose they are [16.1.1]."""
    return game.side_name(units[0].side) if game["fog"] else named(units)


def numbers(text: str, name: str) -> list[int]:
    """'5 4' -> [5, 4]."""
    parts = text.replace(",", " ").replace("+", " ").split()
    if not all(p.isdecimal() for p in parts):
        raise refusal(
            f"{text!r}: write the strengths one after the other, such as 5 4", field=name, given=text
        )
    return [int(p) for p in parts]


def in_order(units: Iterable[Unit]) -> list[Unit]:
    """Units as their chips run: hex by hex, guns after the others. Strengths are asked for and typed in this order."""
    return sorted(units, key=lambda u: (is_gun(u), u.place, u.name))


def named(units: Iterable[Unit]) -> str:
    return ", ".join(u.name or u.id for u in in_order(units))


def told(units: Iterable[Unit], text: str, name: str) -> dict[str, int]:
    """Strengths typed one after the other for units whose counters were never copied."""
    given, wanted = numbers(text, name), in_order(units)
    if given and len(given) != len(wanted):
        words = f"{len(wanted)} strengths are needed, in this order: {named(wanted)}"
        raise refusal(words, field=name, given=text)
    return dict(zip((u.id for u in wanted), given, strict=False))


@dataclass(frozen=True)
class Halving:
    """What halves a unit's strength."""

    words: str
    rule: str


STARVED = Halving("out of supply", "10.2.2")
SHAKEN = Halving("disorganised", "5.6.4")


@dataclass(frozen=True)
class Worth:
    """A unit's strength after its halvings."""

    amount: int
    halvings: tuple[Halving, ...] = ()

    @property
    def why(self) -> str:
        """The halvings as they follow a unit's name."""
        return f", {' and '.join(h.words for h in self.halvings)}" if self.halvings else ""


def worth(
    game: Game, unit: Unit, factor: str, paid: bool = False, typed: Mapping[str, int] | None = None
) -> Worth | None:
    """A unit's strength, on record or typed, after its halvings [5.6.4, 10.2.2]; None when nobody told it."""
    value = unit.factors.get(factor, (typed or {}).get(unit.id))
    if value is None:
        return None
    starved = factor == "A" and level(game, unit.id) > 0 and not paid
    shaken = bool(game.mark(unit.id, "disorganised"))
    found = tuple(h for h, met in ((STARVED, starved), (SHAKEN, shaken)) if met)
    for _ in found if game["double-halving"] else found[:1]:
        value = halve(value)
    return Worth(value, found)


def attacking(
    game: Game,
    units: Sequence[Unit],
    guns: Sequence[Unit],
    paid: Sequence[str] = (),
    typed: Mapping[str, int] | None = None,
) -> Force:
    """The attackers: who may attack, what each is worth [5.1.10, 5.6.4, 10.2.2]."""
    force = Force()
    for unit in units:
        if is_towed(unit):
            raise refusal(
                f"{unit.name} is towed and cannot attack directly; name guns as support",
                field="attackers",
                given=unit.id,
                rule="5.1.10",
            )
        if not is_hq(unit):
            _count(force, game, unit, worth(game, unit, "A", unit.id in paid, typed))
    _support(force, game, guns, "A", paid, typed)
    return force


def closed(ctx: Context, units: Iterable[Unit]) -> bool:
    """Whether some may not be looked at; stacks that fought lie open until the phase is over [16.1.3]."""
    there = list(units)
    known = {u.id for u in visible(ctx, there)}
    return any(u.id not in known and not ctx.game.mark(u.place, "attacked") for u in there)


def defending(
    ctx: Context, units: Sequence[Unit], guns: Sequence[Unit], typed: Mapping[str, int] | None = None
) -> Force:
    """The defenders of the named hexes: guns alone are worth 1 a hex, helpless stacks nothing [6.6.1-6.6.4]."""
    game, force = ctx.game, Force(closed=closed(ctx, units))
    if force.closed:
        return force
    stacks: dict[str, list[Unit]] = {}
    for unit in units:
        stacks.setdefault(unit.place, []).append(unit)
    fighting = False
    for place, stack in stacks.items():
        batteries = [u for u in stack if deployed(game, u)]
        if any(is_regular(u) for u in stack):
            fighting = True
            for unit in stack:
                if is_regular(unit):
                    _count(force, game, unit, worth(game, unit, "D", typed=typed))
                elif unit in batteries and idle(game, unit):  # once in a combat phase [6.1.4]
                    value = worth(game, unit, "D", typed=typed)
                    _count(force, game, unit, value, gun=True)
                    force.by_hex[place] = force.by_hex.get(place, 0) + (value.amount if value else 0)
                else:
                    force.idle.append(unit)
        elif batteries:
            fighting = True
            force.regular += 1
            force.by_hex[place] = 1
            force.lines.append((f"guns alone in {place}", "1 SP", "6.6.3"))
    force.helpless = bool(stacks) and not fighting
    _support(force, game, guns, "D", (), typed)
    return force


def _count(force: Force, game: Game, unit: Unit, value: Worth | None, gun: bool = False) -> None:
    if value is None:
        force.unknown.append(unit)
        return
    rule = value.halvings[0].rule if value.halvings else ""
    if gun:
        force.guns += value.amount
        rule = "6.3.1"
    else:
        force.regular += value.amount
        force.by_hex[unit.place] = force.by_hex.get(unit.place, 0) + value.amount
    force.lines.append((f"{label(game, unit)}{value.why}", f"{value.amount} SP", rule))


def _support(
    force: Force,
    game: Game,
    guns: Sequence[Unit],
    factor: str,
    paid: Sequence[str],
    typed: Mapping[str, int] | None,
) -> None:
    """Guns that fire from afar [6.3.1]; out of supply they attack with half, or pay a level [10.2.2, 10.2.3]."""
    for unit in guns:
        _count(force, game, unit, worth(game, unit, factor, unit.id in paid, typed), gun=True)


def against_support(game: Game, guns: Iterable[Unit], hexes: Sequence[str]) -> list[str]:
    """What the rules have against guns that support a combat at these hexes [6.1.2-6.1.4, 6.3.2, 6.3.3, 6.5.6]."""
    found = []
    for unit in guns:
        name = label(game, unit)
        if in_transport(game, unit):
            found.append(f"{name} is in transport setup and cannot fire (6.1.3)")
        elif game.mark(unit.id, "barrage-fired"):
            found.append(f"{name} fired a barrage and supports nobody (6.5.6)")
        elif not idle(game, unit):
            found.append(f"{name} has fired in this phase (6.1.4)")
        if hexes and all(game.maps.distance(unit.place, h) > GUN_RANGE for h in hexes):
            found.append(f"{name} is more than {GUN_RANGE} hexes away (6.1.2)")
    return found


def concentration(game: Game, units: Iterable[Unit]) -> dict[str, int]:
    """Shifts by formation, one for every three units of it wherever they stand [13.1.2-13.1.5]."""
    counts: dict[str, int] = {}
    for unit in units:
        if _concentrates(game, unit):
            counts[unit.formation] = counts.get(unit.formation, 0) + 1
    return {name: n // 3 for name, n in counts.items() if n >= 3}


def _concentrates(game: Game, unit: Unit) -> bool:
    """Whether a unit's formation counts; formations are told apart as the rosters write them [13.1.1]."""
    if unit.formation.endswith("Division"):
        return troops(game, unit) not in GERMAN_ALLIES or bool(game["concentration-allies"])
    if unit.formation.endswith("CAV Corps"):
        return bool(game["concentration-cavalry"])
    return unit.formation.endswith(("ARM Corps", "MECH Corps"))


def across(game: Game, units: Iterable[Unit], target: str, water: str, by_hex: dict[str, int]) -> int:
    """Strength that attacks a hex over this water [5.5.4]."""
    places = {u.place for u in units} if target else set()
    return sum(by_hex.get(place, 0) for place in places if water in crossed(game, place, target))
