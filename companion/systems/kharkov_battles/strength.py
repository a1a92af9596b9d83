"""One unit's strength in one combat [2.7, 8.3, 12.3, 14.0, 15.1]: halved once, doubled, never below 1."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from companion.engine.forms.fields import Choice, Context, Flag, HexId, UnitRef
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import chits, ground
from companion.systems.kharkov_battles.base import (
    CAMPAIGN,
    JANUARY,
    SOVIET,
    fall_blau,
    rules,
    scenario,
)
from companion.systems.kharkov_battles.units import (
    STATIC,
    icon,
    is_cadre,
    is_hq,
    is_mech,
    is_multi_step,
    label,
    on_the_map,
    rating,
    supply_state,
    trait,
)

ROLES = (("attack", "attacking"), ("defence", "defending"))


@dataclass
class Part:
    """What a unit brings to a combat, with the reasons."""

    strength: int
    reasons: list[tuple[str, str, str]]


def adjust(
    printed: int,
    *,
    halved: Iterable[tuple[str, str]] = (),
    capped: tuple[str, str] | None = None,
    doubled: tuple[str, str] | None = None,
    cap_last: bool = False,
    early_minimum: bool = False,
) -> Part:
    """Halve once whatever the number of reasons, cap, double, and never go below 1 [2.7]."""
    value, reasons = printed, []
    for number, (why, rule) in enumerate(halved):
        reasons.append((why, "halved" if number == 0 else "already halved", rule))
    if reasons:
        value //= 2
    if early_minimum:
        value = max(1, value)
    if capped and not cap_last:
        value = min(value, 1)
        reasons.append((capped[0], "at most 1", capped[1]))
    if doubled:
        value *= 2
        reasons.append((doubled[0], "doubled", doubled[1]))
    if capped and cap_last:
        value = min(value, 1)
        reasons.append((capped[0], "at most 1", capped[1]))
    if value < 1:
        reasons.append(("never less than 1", "1", "2.7"))
    return Part(max(1, value), reasons)


def base_strength(game: Game, unit: Unit) -> int | None:
    """Printed or chit strength; 1 for HQ, cadre, Tiger company [2.71, 15.12, 15.32]; None where nobody has told it."""
    if unit.untried:
        return None
    if is_hq(unit) or is_cadre(game, unit) or unit.kind == "tiger company":
        return 1
    if rating(game, unit):
        return chits.value(game, unit)
    return unit.factors.get("CS") or None


def to_be_told(game: Game, unit: Unit) -> bool:
    """Whether a unit's strength must be asked of its owner: not printed on record [15.2], or on a real chit [2.6]."""
    if rating(game, unit) and chits.needs_chit(game, unit):
        return not chits.in_the_cup(game, unit.side)
    known = unit.untried and unit.factors.get("CS")
    return base_strength(game, unit) is None and not known


def river_effect(game: Game, feature: str) -> bool:
    """Whether Freeze leaves a river's or marsh's effect in force; the owner's chart says."""
    if game["weather"] != "freeze":
        return True
    return game.chart("freeze").cell(feature, "in Freeze").value != "none"


def freeze_unknown(game: Game, feature: str) -> bool:
    return game["weather"] == "freeze" and not game.chart("freeze").cell(feature, "in Freeze")


def winter_bonus(game: Game, unit: Unit) -> tuple[str, str] | None:
    """Soviet tank and mechanized corps, not cadres, in Prepared Assaults [14.2, 27.2]."""
    if (
        unit.side != SOVIET
        or unit.size != "XXX"
        or unit.kind not in ("tank", "mechanized")
        or is_cadre(game, unit)
    ):
        return None
    if fall_blau(game):
        on = scenario(game) == JANUARY or (scenario(game) == CAMPAIGN and bool(game["counteroffensive"]))
        return ("counteroffensive", "27.2") if on else None
    if game["weather"] != "freeze":
        return None
    if game["popov"] == "dry" and icon(unit) in ("orange", "pink"):
        return None
    return ("winter bonus", "14.2")


def attack_part(game: Game, unit: Unit, printed: int, target: str, mobile: bool = False) -> Part:
    """An attacker's strength against a hex [8.32, 8.33, 11.28, 12.31, 12.33]."""
    halved: list[tuple[str, str]] = []
    state = supply_state(game, unit)
    if state == "oos":
        halved.append(("OOS", "8.32"))
    if target and ground.river(game, unit.place, target) == "major" and river_effect(game, "major river"):
        halved.append(("across a Major River", "12.31"))
    marsh = bool(target) and ground.terrain(game, target) == "marsh"
    if marsh and is_mech(unit) and river_effect(game, "marsh"):
        halved.append(("mechanized into Marsh", "12.33"))
    if game.mark(unit.id, "disorganized"):
        halved.append(("Disorganized", "11.28"))
    return adjust(
        printed,
        halved=halved,
        capped=("Isolated attacker", "8.33") if state == "isolated" else None,
        doubled=None if mobile else winter_bonus(game, unit),
        cap_last=game["isolated-double"] == "cap",
        early_minimum=game["small-double"] == "early",
    )


def defence_part(game: Game, unit: Unit, printed: int) -> Part:
    """A defender's strength where it stands [8.33, 14.1]."""
    halved = []
    if supply_state(game, unit) == "isolated":
        halved.append(("Isolated defender", "8.33"))
    nkvd = trait(game, unit, "nkvd") and ground.size(game, unit.place) in ("town", "city")
    return adjust(
        printed,
        halved=halved,
        doubled=("NKVD in a town or city", "14.1") if nkvd else None,
        early_minimum=game["small-double"] == "early",
    )


def weight(game: Game, unit: Unit) -> float:
    """What a unit takes of the one multi-step unit a hex may bring [6.21]."""
    if not is_multi_step(game, unit):
        return 0
    if trait(game, unit, "guards") and unit.kind == "rifle":
        return 0
    if fall_blau(game) and trait(game, unit, "nkvd") and unit.kind == "rifle":
        return 0  # [27.2]
    return 0.5 if trait(game, unit, "half") else 1


def over_limit(game: Game, units: Iterable[Unit]) -> list[str]:
    """Hexes that bring more than one multi-step unit [6.21, 6.23]."""
    load: dict[str, float] = {}
    for unit in units:
        load[unit.place] = load.get(unit.place, 0) + weight(game, unit)
    return [h for h, total in load.items() if total > 1]


def add_up(
    game: Game, units: list[Unit], role: str, target: str, seat: str, mobile: bool = False
) -> Breakdown:
    """The sum of a force, unit by unit; chits that the seat may not see are left out and said so."""
    sheet = Breakdown("Strength")
    total, hidden = 0, False
    for unit in units:
        if role == "attack" and unit.kind in STATIC:
            sheet.add(label(unit), "never attacks", "20.1, 27.4")
            continue
        if unit.kind == "tiger company" and len(game.units_at(unit.place)) > 1:
            sheet.add(label(unit), "its shift only", "15.3")
            continue
        secret = bool(rating(game, unit)) and not is_cadre(game, unit) and seat != unit.side
        printed = None if secret else base_strength(game, unit)
        if printed is None:
            hidden = True
            sheet.add(label(unit), _missing(game, unit, secret), "2.6" if rating(game, unit) else "2.7")
            continue
        attacking = role == "attack"
        part = (
            attack_part(game, unit, printed, target, mobile)
            if attacking
            else defence_part(game, unit, printed)
        )
        total += part.strength
        sheet.add(
            label(unit), f"{printed}" if not part.reasons else f"{printed} \u2192 {part.strength}", "2.7"
        )
        for why, effect, rule in part.reasons:
            sheet.add(f"  {why}", effect, rule)
    if not mobile or role == "attack":
        for h in over_limit(game, units):
            sheet.warnings.append(f"{h}: more than one multi-step unit fights from here [6.21]")
    if role == "attack" and target and _frozen_question(game, units, target):
        sheet.warnings.append("Freeze: check your Terrain Effects Chart for rivers and marsh [19.23]")
    sheet.facts = {"total": total, "complete": not hidden}
    sheet.result = str(total) if not hidden else ""
    return sheet


def _missing(game: Game, unit: Unit, secret: bool) -> str:
    if secret:
        return "chit not seen here"
    return "chit to draw" if rating(game, unit) else "strength not known"


def _frozen_question(game: Game, units: list[Unit], target: str) -> bool:
    """Whether Freeze may lift a halving that the owner's chart has not settled."""
    if not ground.known_map(game):
        return freeze_unknown(game, "major river") or freeze_unknown(game, "marsh")
    crossed = any(ground.river(game, u.place, target) == "major" for u in units)
    marsh = ground.terrain(game, target) == "marsh"
    return (crossed and freeze_unknown(game, "major river")) or (marsh and freeze_unknown(game, "marsh"))


@rules.worksheet(rule="2.7", title="Strength")
def strength(
    ctx: Context,
    role: Annotated[str, Choice(label="They are", options=ROLES)] = "attack",
    target: Annotated[str, HexId(label="Hex under attack")] = "",
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=on_the_map())] = (),
    mobile: Annotated[bool, Flag(label="Mobile Assault")] = False,
) -> Breakdown:
    """Add up a force, each unit with its halving and doubling."""
    chosen = [ctx.game.units[name] for name in units]
    return add_up(ctx.game, chosen, role, target, ctx.seat, mobile)
