"""What units on record bring to a combat: strength with halvings, concentration, water crossed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from companion.engine.kit.roster import Unit
from companion.engine.play.fields import Context
from companion.engine.record.game import Game
from companion.systems.wb95.base import (
    GERMAN_ALLIES,
    GUN_RANGE,
    halve,
    in_transport,
    is_gun,
    is_hq,
    is_regular,
    is_towed,
    level,
    option,
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
    unknown: list[str] = field(default_factory=list)
    """Units whose strength is not on record."""
    closed: bool = False
    """Some of it may not be looked at by this seat."""
    helpless: bool = False
    """Only headquarters or guns on the move: the rightmost column [5.1.9, 6.6.4]."""
    by_hex: dict[str, int] = field(default_factory=dict)


def label(game: Game, unit: Unit) -> str:
    """A unit as a public record may call it: stacks that fought close again after the phase [16.1.3]."""
    return f"{unit.kind or 'unit'} at {unit.place}" if game["fog"] else unit.name or unit.id


def numbers(text: str, name: str) -> list[int]:
    """'5 4' -> [5, 4]."""
    parts = text.replace(",", " ").replace("+", " ").split()
    if not all(p.isdecimal() for p in parts):
        raise refusal(
            f"{text!r}: write the strengths one after the other, such as 5 4", field=name, given=text
        )
    return [int(p) for p in parts]


def worth(game: Game, unit: Unit, factor: str, paid: bool = False) -> tuple[int, str] | None:
    """A unit's strength after its halvings, with the reason; None when it is not on record."""
    if factor not in unit.factors:
        return None
    value = unit.factors[factor]
    starved = factor == "A" and level(game, unit.id) > 0 and not paid
    shaken = bool(game.mark(unit.id, "disorganised"))
    reasons = [word for word, met in (("out of supply", starved), ("disorganised", shaken)) if met]
    if reasons:
        value = halve(value)
    if starved and shaken and game["double-halving"]:
        value = halve(value)
    return value, " and ".join(reasons)


def attacking(game: Game, units: Sequence[Unit], guns: Sequence[Unit], paid: Iterable[str]) -> Force:
    """The attackers: who may attack, what each is worth [5.1.10, 5.6.4, 10.2.2]."""
    force = Force()
    for unit in units:
        if is_towed(unit):
            raise refusal(
                f"{unit.name} is towed and cannot attack directly [5.1.10]; name guns as support",
                field="attackers",
                given=unit.id,
            )
        if is_hq(unit):
            continue
        _count(force, game, unit, worth(game, unit, "A", unit.id in set(paid)))
    _support(force, game, guns, "A", [u.place for u in units], "attack_guns")
    return force


def defending(ctx: Context, units: Sequence[Unit], guns: Sequence[Unit]) -> Force:
    """The defenders of the named hexes: guns alone are worth 1 a hex, helpless stacks nothing [6.6]."""
    game, force = ctx.game, Force()
    if game is None:
        return force
    # 16.1.3: stacks named in an attack lie open until the phase is over.
    known = {u.id for u in visible(ctx, units)}
    force.closed = any(u.id not in known and not game.mark(u.place, "attacked") for u in units)
    if force.closed:
        return force
    stacks: dict[str, list[Unit]] = {}
    for unit in units:
        stacks.setdefault(unit.place, []).append(unit)
    fighting = False
    for place, stack in stacks.items():
        batteries = [u for u in stack if is_gun(u) and not in_transport(game, u)]
        if any(is_regular(u) for u in stack):
            fighting = True
            for unit in stack:
                if is_regular(unit):
                    _count(force, game, unit, worth(game, unit, "D"))
                elif unit in batteries:
                    _gun(force, game, unit, "D")
        elif batteries:
            fighting = True
            force.regular += 1
            force.by_hex[place] = 1
            force.lines.append((f"guns alone in {place}", "1 SP", "6.6.3"))
    force.helpless = bool(stacks) and not fighting
    _support(force, game, guns, "D", list(stacks), "defence_guns")
    return force


def _count(force: Force, game: Game, unit: Unit, value: tuple[int, str] | None) -> None:
    if value is None:
        force.unknown.append(label(game, unit))
        return
    amount, why = value
    force.regular += amount
    force.by_hex[unit.place] = force.by_hex.get(unit.place, 0) + amount
    rule = "10.2.2" if "supply" in why else "5.6.4" if why else ""
    force.lines.append((f"{label(game, unit)}{f', {why}' if why else ''}", f"{amount} SP", rule))


def _gun(force: Force, game: Game, unit: Unit, factor: str) -> None:
    value = worth(game, unit, factor)
    if value is None:
        force.unknown.append(label(game, unit))
        return
    force.guns += value[0]
    why = f", {value[1]}" if value[1] else ""
    force.lines.append((f"{label(game, unit)}{why}", f"{value[0]} SP", "6.3.1"))


def _support(
    force: Force, game: Game, guns: Sequence[Unit], factor: str, hexes: list[str], name: str
) -> None:
    for unit in guns:
        if in_transport(game, unit):
            raise refusal(f"{unit.name} is on the move and cannot fire [6.1.3]", field=name, given=unit.id)
        if game.mark(unit.id, "barrage-fired"):
            raise refusal(
                f"{unit.name} fired a barrage and supports nobody [6.5.6]", field=name, given=unit.id
            )
        if hexes and all(game.maps.distance(unit.place, h) > GUN_RANGE for h in hexes):
            raise refusal(f"{unit.name} is more than 3 hexes away [6.1.2]", field=name, given=unit.id)
        _gun(force, game, unit, factor)


def concentration(game: Game | None, units: Iterable[Unit]) -> dict[str, int]:
    """Shifts by formation: one for every three units of a division or Soviet armoured corps [13.1]."""
    counts: dict[str, int] = {}
    for unit in units:
        if _concentrates(game, unit):
            counts[unit.formation] = counts.get(unit.formation, 0) + 1
    return {name: n // 3 for name, n in counts.items() if n >= 3}


def _concentrates(game: Game | None, unit: Unit) -> bool:
    if unit.formation.endswith("Division"):
        minor = game is not None and troops(game, unit) in GERMAN_ALLIES
        return not minor or bool(option(game, "concentration-allies", True))
    if unit.formation.endswith("CAV Corps"):
        return bool(option(game, "concentration-cavalry", False))
    return unit.formation.endswith("ARM Corps")


def across(
    game: Game, units: Iterable[Unit], targets: Sequence[str], water: str, by_hex: dict[str, int]
) -> int:
    """Strength that attacks over this water, from units that touch a target hex."""
    hexes = {u.place for u in units}
    total = 0
    for place in hexes:
        beside = [t for t in targets if t in game.maps.neighbours(place)]
        if beside and all(water in crossed(game, place, t) for t in beside):
            total += by_hex.get(place, 0)
    return total
