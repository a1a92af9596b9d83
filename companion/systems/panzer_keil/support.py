"""Support attacks: points allotted to hexes, then a roll for each hex [7, B7, B8.3]."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Context, Dice, HexId, Roll, Whole
from companion.engine.forms.worksheet import Breakdown, chances, look_up
from companion.engine.play.actions import Events
from companion.engine.play.duties import NOT_NEEDED, engage, learn, owe
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.asking import Target, tapped
from companion.systems.panzer_keil.base import (
    FRONTS,
    GERMAN,
    SOVIET,
    disrupted,
    fought_now,
    hexes_of,
    is_hq,
    out_of_supply,
    phases,
    recorded,
    rules,
    target_of,
)
from companion.systems.panzer_keil.points import payer, paying, purses
from companion.systems.panzer_keil.results import ROLL
from companion.systems.panzer_keil.retreat import owe_retreat
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


def _reaches(ctx: Context, front: str) -> bool:
    """Whether a Front's points can hit anybody."""
    return bool(targets(ctx.game, ctx.game.active, front))


@dataclass(frozen=True)
class SupportTarget(Target):
    """A hex to hit; those that the points can reach are laid out to be tapped."""

    def found(self, ctx: Context) -> list[str]:
        game = ctx.game
        return targets(game, game.active, payer(ctx, "sap", _reaches)) if game.active else []

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "required": not tapped(self.found(ctx))}


TARGET = SupportTarget(label="Target hex")


def shelling(game: Game, target: str) -> Battle | None:
    """The support attack on a hex that is still to be rolled for [7.2.2]."""
    waiting = (b for b in fought_now(game) if target_of(b) == target and not b.result)
    return next((b for b in waiting if game.duties(b, "roll-support")), None)


def _points_in(battle: Battle | None) -> int:
    return int(battle.facts["form"]["points"]) if battle else 0


def _against_allotting(ctx: Context) -> list[str]:
    """What the rules have against it: all points first, from one headquarters, beside an able unit [7.1, 7.3, B8.3]."""
    game, values, side = ctx.game, ctx.values, ctx.game.active
    target, front = str(values.get("elsewhere") or values.get("target") or ""), str(values.get("front") or "")
    found = []
    if any(b.rolls for b in fought_now(game)):
        found.append("points are allotted before the first hex is resolved [7.3]")
    there = shelling(game, target) if target else None
    if there and front and there.facts["front"] != front:
        found.append(
            f"{target} gets points from {FRONTS[there.facts['front']]}: one headquarters only [B8.3.2]"
        )
    if (
        target
        and any(u.side != side for u in game.units_at(target))
        and not sponsors(game, side, target, front)
    ):
        whose = " of that command" if side == SOVIET else ""
        found.append(f"no undisrupted, supplied unit{whose} beside {target} [7.1, B8.3]")
    if target and any(u.side == side for u in game.units_at(target)):
        found.append(f"own units stand in {target} [7.1]")
    pool = f"{front if side == SOVIET else GERMAN}-sap"
    left = game[pool] if front or side == GERMAN else MOST  # the Front is asked for first
    if int(values["points"]) > left:
        found.append(f"only {left} of its support points left [7.2.1]")
    return found


def _all_of_them(ctx: Context) -> int | None:
    """As many as may lie on one hex, to begin with."""
    owner = payer(ctx, "sap", _reaches) if ctx.game.active == SOVIET else GERMAN
    left = ctx.game[f"{owner}-sap"] if owner else 0
    return min(MOST, left) or None


def _points_left(game: Game) -> bool | str:
    """While there are points to lay; where nobody keeps count of them, until some were laid."""
    pools = [f"{front}-sap" for front in FRONTS] if game.active == SOVIET else [f"{GERMAN}-sap"]
    if any(game[pool] for pool in pools) or not fought_now(game):
        return True
    return "every support point is allotted [7.2.1]"


def _unlaid(game: Game) -> list[tuple[str, int]]:
    """Whose points could still be laid on somebody, and how many: until the first hex is resolved [7.2, 7.3]."""
    if any(b.rolls for b in fought_now(game)):
        return []
    return [
        (whose, n)
        for front, whose, n in purses(game, "sap")
        if any(_takes_more(game, target, front) for target in targets(game, game.active, front))
    ]


def _takes_more(game: Game, target: str, front: str) -> bool:
    """Whether a hex may get points, or more of them: five at most, from one headquarters [7.2.3, B8.3.2]."""
    there = shelling(game, target)
    return there is None or (_points_in(there) < MOST and there.facts["front"] == front)


@rules.due_in(*phases("support"))
def _lost_otherwise(game: Game) -> Iterable[str]:
    """Points of this turn are not kept for the next [7.2.1]."""
    for whose, left in _unlaid(game):
        yield f"Allot {count(left, f'{whose} support point')}, or lose {'it' if left == 1 else 'them'} [7.2.1]"


@rules.action(
    phase=phases("support"),
    by="active",
    rule="7.2",
    label="Allot support points",
    primary=True,
    order=1,
    when=_points_left,
    warns=_against_allotting,
)
def allot_support(
    game: Game,
    *,
    front: Annotated[str, paying("From", "sap", _reaches)] = "",
    target: Annotated[str, TARGET] = "",
    elsewhere: Annotated[str, TARGET.another()] = "",
    points: Annotated[
        int, Whole(label="Points", low=1, high=MOST, help="five to a hex at most", start=_all_of_them)
    ],
) -> Events:
    """Lay support points on a target hex, five at most; the roll is then owed."""
    side, target = game.active, elsewhere or target
    if not target:
        raise Unreadable("choose a target hex", field="target", rule="7.1")
    if side == SOVIET and not front:
        raise Unreadable("whose points? Name the Front", field="front", rule="B8.3")
    pool, battle = f"{front if side == SOVIET else GERMAN}-sap", shelling(game, target)
    lies = _points_in(battle)
    if lies + points > MOST:
        words = f"{MOST} points to a hex, {lies} lie there already"
        raise NotNow(words, field="points", given=points, rule="7.2.3")
    left = max(0, game[pool] - points)
    yield e.Set(pool, left, was=game[pool], reason=f"allotted to {target}", rule="7.2.2")
    form = {"target": target, "points": lies + points}
    if battle is None:
        forces = {game.other(side): [u.id for u in game.units_at(target) if u.side != side]}
        battle = yield from engage(
            game,
            f"Support attack on {target}",
            side,
            [target],
            forces,
            "7.2.2",
            form=form,
            pool=pool,
            front=front,
        )
        text = f"Roll for the support attack on {target}"
        yield owe(game, side, text, roll_support, battle=battle, step=ROLL, rule="7.3")
    else:
        yield from learn(game, battle, f"{count(lies + points, 'point')} on {target}", form=form)


@rules.worksheet(rule="7.3", title="Support attack")
def support(
    ctx: Context,
    target: Annotated[str, HexId(label="Target hex")] = "",
    points: Annotated[int | None, Whole(label="Points", low=1, high=MOST)] = None,
) -> Breakdown:
    """The column of a support attack and what it may bring."""
    game = ctx.game
    title = f"Support attack on {target}" if target else "Support attack"
    sheet = Breakdown(title, dice="1d6", chart="support")
    if not points:
        raise Unreadable("how many points?", field="points", rule="7.2")
    sheet.add("support points", str(points), "7.3.1")
    sheet.column = str(points)
    if any(game.chart("support").cells.values()):
        sheet.chances = chances(game.chart("support"), sheet.column, "1d6", str)
    return sheet


@rules.sheet_of_battle
def before_the_roll(game: Game, battle: Battle, seat: str) -> Breakdown | None:
    """How a support attack stands that is still to be rolled for [7.3.1]; a combat is rolled for at once."""
    form = battle.facts.get("form")
    return support.answer(dict(form), Context(game, seat)) if form else None


def _not_fired(game: Game, duty: e.Asked, how: str) -> Events:
    """Points that were not used after all go back to where they came from, while their phase lasts [7.2.1]."""
    battle = game.battles.get(duty.battle)
    if battle is None or battle.result:
        return
    returned = how == NOT_NEEDED and battle in fought_now(game)
    yield from learn(game, battle, result="called off" if how == NOT_NEEDED else how)
    if returned:
        pool = str(battle.facts["pool"])
        yield e.Set(pool, game[pool] + _points_in(battle), was=game[pool], reason="not fired", rule="7.2.1")


def _too_early(ctx: Context) -> list[str]:
    """All points are allotted before the first hex is resolved [7.3]: later ones would answer what the dice have shown."""
    left = (
        ", ".join(f"{whose} {n}" for whose, n in _unlaid(ctx.game))
        if ctx.battle in fought_now(ctx.game)
        else ""
    )
    return [f"points are allotted before the first hex is resolved; left: {left} [7.3]"] if left else []


@rules.follow_up(rule="7.3", label="Roll", declined=_not_fired, warns=_too_early)
def roll_support(
    game: Game,
    battle: Battle | None,
    die: Annotated[Roll, Dice(label="Die", spec="1d6", purpose="support attack")],
) -> Events:
    """Roll for one target hex and apply the result to every unit in it."""
    battle = recorded(battle)
    sheet = support.answer(dict(battle.facts["form"]), Context(game))
    there = [u.id for u in game.units_at(target_of(battle)) if u.side == battle.defender]
    battle = yield from learn(game, battle, forces={battle.defender: there})
    sheet.roll = die.total
    look_up(sheet, game.chart("support"), str(die.total))
    yield from rules.settle(game, "support", sheet, (battle.attacker, "table"), "7.3", battle)


@rules.outcome("support")
def support_outcome(game: Game, sheet: dict[str, Any], result: str, battle: Battle | None) -> Events:
    """Nothing, disrupted, or disrupted and pushed back one hex by the firing player [7.3.2]."""
    if battle is None:  # the chart is read in a game begun before battles were kept
        facts = sheet["facts"]
        side, target = str(facts["side"]), str(facts["target"])
        there = [u.id for u in game.units_at(target) if target and u.side != side]
        battle = yield from engage(game, sheet["title"], side, [target], {game.other(side): there}, "7.3")
    units = [u for u in battle.units(battle.defender) if game.units[u].on_map] if result != "-" else []
    for unit in units:
        yield from states.put(game, unit, states.hit, reason="support attack")
    if result == "1D":
        yield from owe_retreat(game, battle, battle.attacker, units, "7.3.2", hexes=1, disrupts=True)
    elif result == "D" and not units:
        yield e.Noted(f"All units in {target_of(battle) or 'the target hex'} are disrupted", rule="7.3.2")
