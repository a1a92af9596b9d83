"""Mobile Assault [11.2]: who may, what it costs, modifiers from the owner's table, the roll."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Choice, Context, Dice, HexId, Roll, UnitRef
from companion.engine.forms.panels import Fact, Panel
from companion.engine.forms.worksheet import Breakdown, Line
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import engage, leave
from companion.engine.positions.pieces import on_map
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import fighting, ground, reach
from companion.systems.kharkov_battles.base import (
    AXIS,
    D10,
    MOVE_PHASES,
    SOVIET,
    K,
    Objection,
    rules,
    scenario,
)
from companion.systems.kharkov_battles.battles import MOBILE, of_phase, origins, stopped
from companion.systems.kharkov_battles.command import out_of_command, wake
from companion.systems.kharkov_battles.full_support import no_attack
from companion.systems.kharkov_battles.mobile_results import in_words
from companion.systems.kharkov_battles.mobile_sheet import mobile_odds, read, too_far
from companion.systems.kharkov_battles.units import (
    is_mech,
    is_multi_step,
    label,
    on_the_map,
    rooted,
    supply_state,
)
from companion.systems.kharkov_battles.works import stop_building


def forbidden(game: Game) -> bool | str:
    """Why nobody may make one now [11.23, 19.14, 20.2]."""
    if game["weather"] == "mud":
        return "no Mobile Assaults in Mud [11.23, 19.14]"
    if scenario(game) == K and game.active == SOVIET:
        return "Soviets make no Mobile Assaults in this scenario [20.2]"
    return True


def problem(game: Game, unit: Unit, target: str) -> Objection | None:
    """Why this unit cannot make this Mobile Assault, or nothing."""
    if not is_mech(unit) or not is_multi_step(game, unit):
        return Objection("is not a mechanized multi-step unit", rule="11.2")
    if any(unit.id in b.units(b.attacker) for b in of_phase(game, MOBILE)):
        return Objection("has made its Mobile Assault this phase", rule="11.2")
    if game.mark(unit.id, "infiltrated"):
        return Objection("used Mobile Infiltration this phase", rule="11.2")
    why = rooted(game, unit)
    if why:
        return why
    if supply_state(game, unit):
        return Objection("is not Operational", rule="11.2")
    why = out_of_command(game, unit) or no_attack(game, unit)
    if why:
        return why
    if unit.side == AXIS and reach.supported_now(game, unit) is False:
        return Objection("has no full support", rule="9.0")
    return _hex_problem(game, unit, target)


def _hex_problem(game: Game, unit: Unit, target: str) -> Objection | None:
    if target not in ground.grid_at(game, unit.place).neighbours(unit.place):
        return Objection(f"is not adjacent to {target}", rule="11.2")
    if ground.size(game, target) in ("town", "city"):
        return Objection("cannot assault a town or city", rule="11.22")
    if "marsh" in (ground.terrain(game, target), ground.terrain(game, unit.place)):
        return Objection("cannot assault from or into Marsh", rule="11.22")
    if ground.river(game, unit.place, target) in ("major", "barred"):
        return Objection("cannot assault across a Major River or the Dnepr", rule="11.22")
    held = {} if ground.is_city(game, unit.place) else ground.zones(game, game.other(unit.side))  # [7.14]
    others = held.get(unit.place, set()) - {target}
    return Objection(f"is also in the zone of {', '.join(sorted(others))}", rule="11.2") if others else None


def _movers(ctx: Context) -> list[Unit]:
    return on_the_map(lambda g, u: u.side == g.active)(ctx)


def _able(ctx: Context) -> list[Unit]:
    """Of the movers those that a form offers; whoever else is named is told why not."""
    target = str(ctx.values.get("target") or "")
    able = [u for u in _movers(ctx) if is_mech(u) and is_multi_step(ctx.game, u)]
    return [u for u in able if not problem(ctx.game, u, target)] if target else able


def _may_declare(game: Game) -> bool | str:
    found = forbidden(game)
    if found is not True:
        return found
    return any(is_mech(u) for u in on_map(game, game.active)) or "no mechanized unit is on record"


def _warnings(ctx: Context) -> Iterator[Objection]:
    """What the rules have against it, said before it is done [11.2, 11.22, 11.24]."""
    game, target = ctx.game, str(ctx.values.get("target") or "")
    unit = game.units.get(str(ctx.values.get("unit") or ""))
    for other in game.fighting:
        if other.facts.get("kind") == MOBILE:
            yield Objection(f"finish the {other.title} first", rule="11.2")
    if unit is not None and target:
        why = problem(game, unit, target)
        if why:
            yield Objection(f"{label(unit)} {why.words}", rule=why.rule)
    for h in filter(None, (unit.place if unit else "", target)):
        if _served(game, h) >= 2:
            yield Objection(f"{h} was origin or target of two Mobile Assaults this phase", rule="11.24")
    left = ctx.values.get("mp_left")
    cost = 2 + int(ctx.values.get("terrain_cost") or 0)
    if left is not None and left < cost:
        yield Objection(too_far(cost, left), rule="11.2")


def _served(game: Game, hex_id: str) -> int:
    """How often a hex has been origin or target this phase [11.24]."""
    return sum(hex_id in (*b.hexes, *origins(b).values()) for b in of_phase(game, MOBILE))


def _air(ctx: Context) -> list[tuple[str, str]]:
    return fighting.air_choices(ctx.game, ctx.game.active, True, True) if ctx.game.active else []


@rules.action(
    phase=MOVE_PHASES,
    by="active",
    rule="11.2",
    label="Make a Mobile Assault",
    when=_may_declare,
    primary=True,
    warns=_warnings,
)
def declare_mobile(
    game: Game,
    target: Annotated[str, HexId(label="Target hex")],
    unit: Annotated[str, UnitRef(label="Attacking unit", pick=_movers, suggest=_able)],
    points: Annotated[str, Choice(label="Air Points", options=_air, when=lambda c: len(_air(c)) > 1)] = "0",
) -> Events:
    """One unit attacks during its move; the defender says his air, both strengths are told, then it is rolled."""
    battle = yield from _begin(game, unit, target, {"target": target})
    yield from fighting.commit(game, battle, battle.attacker, int(points))
    yield from fighting.go_on(game, game.battles[battle.id])


def _begin(game: Game, unit: str, target: str, form: dict[str, Any]) -> Any:
    """The assault stands; being attacked commits an army [13.12] and stops work [18.16]."""
    side = game.active
    held = [u.id for u in game.units_at(target) if u.side != side] if target else []
    title = f"Mobile Assault on {target}" if target else "Mobile Assault"
    places = {unit: game.units[unit].place} if unit else {}
    forces = {side: [unit] if unit else [], game.other(side): held}
    battle = yield from engage(
        game, title, side, [target] if target else [], forces, "11.2", kind=MOBILE, origins=places, form=form
    )
    yield from leave(game)
    yield from wake(game, [game.units[n] for n in held])
    if target and game["building-ma"] == "stops":
        yield from stop_building(game, target, game.other(side), "Mobile Assault")
    return battle


# -- rolling -----------------------------------------------------------------------------------------------


def _asks_for_air(game: Game) -> bool:
    return bool(game.active) and fighting.most_air(game, game.other(game.active), False, True) > 0


def _needs_die(ctx: Context) -> bool:
    """No die below 1-1 [11.21], and none before the defender has said what flies [5.21]."""
    if ctx.duty is None and _asks_for_air(ctx.game):
        return False
    attack, defence = ctx.values.get("attack"), ctx.values.get("defence")
    if not isinstance(attack, int) or not isinstance(defence, int) or not attack or not defence:
        return True
    return attack >= defence


Die = Annotated[Roll | None, Dice(spec=D10, purpose="Mobile Assault", when=_needs_die)]


@rules.action(
    phase=MOVE_PHASES,
    by="active",
    rule="11.2",
    label="Mobile Assault, totals typed in",
    worksheet=mobile_odds,
    when=forbidden,
    order=1,
    warns=_warnings,
)
def mobile_assault(
    game: Game,
    sheet: Breakdown,
    unit: Annotated[
        str, UnitRef(label="Attacking unit", pick=_movers, suggest=_able, when=lambda c: bool(_movers(c)))
    ] = "",
    die: Die = None,
) -> Events:
    """Fight a Mobile Assault with totals typed in; where the defender has Air Points he is asked before the die."""
    typed = dict(sheet.facts["typed"])
    points, theirs = typed.pop("attacker_air"), typed.pop("defender_air")
    most = fighting.most_air(game, game.active, True, True)
    if theirs or points > most:
        words = "the defender commits his own Air Point" if theirs else f"at most {most} can be committed"
        raise NotNow(words, field="defender_air" if theirs else "attacker_air", rule="5.21")
    battle = yield from _begin(game, unit, typed["target"], typed)
    yield from fighting.commit(game, battle, battle.attacker, points)
    if _asks_for_air(game):
        yield from fighting.go_on(game, game.battles[battle.id])
    else:
        yield from _fight(game, game.battles[battle.id], sheet, die)


@rules.follow_up(rule="11.2", label="Roll", worksheet=mobile_odds, declined=fighting.on_the_map)
def roll_mobile(game: Game, battle: Battle, sheet: Breakdown, die: Die = None) -> Events:
    """Roll for the Mobile Assault that stands."""
    yield from _fight(game, battle, sheet, die)


def _fight(game: Game, battle: Battle, sheet: Breakdown, die: Roll | None) -> Events:
    if die is not None:
        read(game, sheet, die.total)
    if sheet.result:
        sheet.effects = [Line(words, "", rule) for words, rule in in_words(game, battle, sheet.result)]
    yield from rules.settle(game, "mobile-assault", sheet, (*game.sides, "table"), "11.26, 11.27", battle)


@rules.panel
def stopped_panel(game: Game) -> Panel | None:
    """Units whose Mobile Assault failed: they move no further [11.27]."""
    if game.phase not in MOVE_PHASES:
        return None
    rows = [
        Fact(label(u), "stopped, Disorganized", "11.27")
        for u in on_map(game, game.active)
        if stopped(game, u)
    ]
    return Panel("Moves no further", rows) if rows else None
