"""Support attacks: points allotted to hexes, then a roll for each hex [7, B7, B8.3]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context, Dice, HexId, Roll, Whole
from companion.engine.play.worksheet import Breakdown, chances, look_up
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.asking import Target
from companion.systems.panzer_keil.base import (
    FRONTS,
    GERMAN,
    SOVIET,
    disrupted,
    hexes_of,
    is_hq,
    out_of_supply,
    phases,
    rules,
)
from companion.systems.panzer_keil.points import payer, paying
from companion.systems.panzer_keil.retreat import ask_retreat
from companion.systems.panzer_keil.supply import hq_of, in_command

MOST = 5  # [7.2.3]


def sponsors(game: Game, side: str, target: str, front: str = "") -> list[str]:
    """Who lets a hex be hit: adjacent, undisrupted, in supply; Soviets in that command [7.1, B8.3]."""
    around = set(game.maps.neighbours(target))
    found = [
        u.id
        for u in game.units.values()
        if u.side == side
        and u.place in around
        and not disrupted(game, u.id)
        and not out_of_supply(game, u.id)
    ]
    if side == GERMAN or not front or hq_of(game, front) is None:
        return found
    reach = in_command(game, front)
    return [name for name in found if name in reach or (is_hq(game.units[name]) and name == f"{front}-hq")]


def targets(game: Game, side: str, front: str = "") -> list[str]:
    """Enemy-held hexes beside an able own unit, of this command if one is named [7.1, B8.3]."""
    enemies = hexes_of(game, game.other(side))
    return sorted(h for h in enemies if sponsors(game, side, h) and sponsors(game, side, h, front))


@dataclass(frozen=True)
class SupportTarget(Target):
    """A hex to hit; those that the points can reach are laid out to be tapped."""

    def found(self, ctx: Context) -> list[str]:
        game = ctx.game
        return targets(game, game.active, payer(ctx, "sap")) if game.active else []


TARGET = SupportTarget(label="Target hex")


def allotted(game: Game, target: str) -> int:
    """The points that lie on a hex [7.2.2]."""
    return int(game.mark(target, "support") or 0)


def _unresolved(game: Game) -> bool | str:
    return not game.marked("shelled") or "points are allotted before the first hex is resolved [7.3]"


@rules.action(
    phase=phases("support"),
    by="active",
    rule="7.2",
    label="Allot support points",
    when=_unresolved,
    primary=True,
    order=1,
)
def allot_support(
    game: Game,
    *,
    front: Annotated[str, paying("From", "sap")] = "",
    target: Annotated[str, TARGET] = "",
    elsewhere: Annotated[str, TARGET.another()] = "",
    points: Annotated[int, Whole(label="Points", low=1, high=MOST, help="five to a hex at most")],
) -> Events:
    """Lay support points on a target hex, five at most and from one headquarters."""
    side, target = game.active, elsewhere or target
    if not target:
        raise Unreadable("choose a target hex", field="target", rule="7.1")
    if side == SOVIET and not front:
        raise Unreadable("whose points? Name the Front", field="front", rule="B8.3")
    pool = f"{front if side == SOVIET else GERMAN}-sap"
    lies = allotted(game, target)
    _check_allotment(game, target, front, points, pool)
    yield e.Set(pool, game[pool] - points, was=game[pool], reason=f"allotted to {target}", rule="7.2.2")
    yield e.Marked(target, "support", lies + points, reason=IN_PASSING, rule="7.2.2")
    if side == SOVIET:
        yield e.Marked(target, "support-front", front, rule="B8.3.2")


def _check_allotment(game: Game, target: str, front: str, points: int, pool: str) -> None:
    """Five to a hex, from one headquarters that has them, beside an able unit of its command [7.1, 7.2, B8.3]."""
    side, lies, other = game.active, allotted(game, target), game.mark(target, "support-front")
    if lies + points > MOST:
        raise NotNow(
            f"{MOST} points to a hex, {lies} lie there already", field="points", given=points, rule="7.2.3"
        )
    if side == SOVIET and other and other != front:
        raise NotNow(
            f"{target} already gets points from {FRONTS[other]}: one headquarters only",
            field="front",
            rule="B8.3.2",
        )
    if points > game[pool]:
        raise NotNow(
            f"only {game[pool]} of its support points left", field="points", given=points, rule="7.2.1"
        )
    if any(u.side != side for u in game.units_at(target)) and not sponsors(game, side, target, front):
        raise NotNow(
            f"no undisrupted, supplied unit of that command beside {target}",
            field="target",
            given=target,
            rule="7.1, B8.3",
        )


def _allotted(ctx: Context) -> dict[str, int]:
    """The hexes with points on them that are still to be resolved."""
    return {h: int(n) for h, n in ctx.game.marked("support").items()}


def _first_target(ctx: Context) -> str:
    return next(iter(_allotted(ctx)), "")


@dataclass(frozen=True)
class Allotted(HexId):
    """A target hex, offered among those with points on them."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        lies = _allotted(ctx)
        choices = [{"value": h, "label": f"{h}: {n} point{'s' if n > 1 else ''}"} for h, n in lies.items()]
        return {"type": "choice", "choices": choices} if lies else super().describe(ctx)


@rules.worksheet(rule="7.3", title="Support attack")
def support(
    ctx: Context,
    target: Annotated[str, Allotted(label="Target hex", start=_first_target)] = "",
    points: Annotated[
        int | None,
        Whole(label="Points", low=1, high=MOST, quiet=lambda c: bool(_allotted(c))),
    ] = None,
) -> Breakdown:
    """The column of a support attack and what it may bring."""
    game = ctx.game
    target = target or _first_target(ctx)
    title = f"Support attack on {target}" if target else "Support attack"
    sheet = Breakdown(title, dice="1d6", chart="support")
    used = points or allotted(game, target)
    if not used:
        raise Unreadable("how many points? None are allotted to this hex", field="points", rule="7.2")
    sheet.add("support points", str(used), "7.3.1")
    sheet.column = str(used)
    sheet.facts = {"points": used, "target": target, "side": game.active}
    if any(game.chart("support").cells.values()):
        sheet.chances = chances(game.chart("support"), sheet.column, "1d6", str)
    enemy_there = target and any(u.side != game.active for u in game.units_at(target))
    if enemy_there and not sponsors(game, game.active, target, str(game.mark(target, "support-front") or "")):
        sheet.warnings.append(f"no undisrupted, supplied unit beside {target} [7.1]")
    return sheet


@rules.action(
    phase=phases("support"),
    by="active",
    rule="7.3",
    label="Resolve a support attack",
    worksheet=support,
    when=lambda game: bool(game.marked("support")) or "allot points to a hex first [7.2]",
    primary=True,
    order=2,
)
def resolve_support(
    game: Game,
    sheet: Breakdown,
    die: Annotated[Roll, Dice(label="Die", spec="1d6", purpose="support attack")],
) -> Events:
    """Roll for one target hex and apply the result to every unit in it."""
    target = str(sheet.facts["target"])
    if sheet.facts["points"] != allotted(game, target):
        raise NotNow("allot the points first, so that the right pool pays", field="points", rule="7.2, B8.3")
    yield e.Marked(target, "support", None, reason=IN_PASSING, rule="7.3")
    yield e.Marked(target, "shelled", True, reason=IN_PASSING, rule="7.3")
    sheet.roll = die.total
    look_up(sheet, game.chart("support"), str(die.total))
    if sheet.read_chart:
        sheet.codes = ["-", "D", "1D"]
    yield from rules.settle(game, "support", sheet, (game.active, "table"), rule="7.3")


@rules.outcome("support")
def support_outcome(game: Game, sheet: dict[str, Any], result: str) -> Events:
    """Nothing, disrupted, or disrupted and pushed back one hex by the firing player [7.3.2]."""
    facts = sheet.get("facts", {})
    target, side = str(facts.get("target", "")), str(facts.get("side") or game.active)
    if result == "-":
        return
    units = [u.id for u in game.units_at(target) if u.side != side] if target else []
    for unit in units:
        yield from states.put(game, unit, states.hit, reason="support attack")
    if result == "1D":
        yield from ask_retreat(game, side, units, 1, target, disrupts=True, rule="7.3.2")
    elif not units:
        yield e.Noted(f"All units in {target or 'the target hex'} are disrupted", rule="7.3.2")
