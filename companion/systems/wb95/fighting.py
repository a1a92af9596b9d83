"""A battle from its declaration to its result: who fights, the dice, and what each side then owes [5.1, 5.2.1]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Annotated, Any

from companion.engine.errors import Mistake, NotNow, Unreadable
from companion.engine.forms.fields import Context, Dice, Roll
from companion.engine.forms.worksheet import Breakdown, Line, look_up
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import engage, learn, leave, owe, standing
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import IN_PASSING, fogged, put_mark
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_unit
from companion.systems.wb95 import airmarks, grammar, oos
from companion.systems.wb95.base import (
    ATTACK,
    LOSSES,
    ROLL,
    at_hexes,
    deployed,
    is_regular,
    level,
    rules,
)
from companion.systems.wb95.combat import combat, row_of
from companion.systems.wb95.combat_form import CombatForm, defenders
from companion.systems.wb95.defending import TYPED, Means, ask_defender, both_there, keep_strengths, means
from companion.systems.wb95.hq import covered, spend
from companion.systems.wb95.losses import owe_losses
from companion.systems.wb95.retreat import owe_retreat
from companion.systems.wb95.shaken import disturb, exposed, owe_tests, shake
from companion.systems.wb95.strength import against_support, attacking, closed, defending

# -- before it is declared -------------------------------------------------------------------------


def _named(ctx: Context, name: str) -> list[Unit]:
    return [ctx.game.units[u] for u in ctx.values.get(name) or ()]


def _said_against(ctx: Context) -> list[str]:
    """What the rules have against the attack, said before a stack is opened [5.1.1, 5.1.2, 5.1.5, 6.1.4, 6.4.5]."""
    game, target = ctx.game, list(ctx.values.get("target") or ())
    near, mine = game.maps.distance, _named(ctx, "attackers")
    found = [
        f"{u.name} in {u.place} is not beside {' or '.join(target)} (5.1.2)"
        for u in mine
        if target and all(near(u.place, h) != 1 for h in target)
    ]
    found += [f"{u.name} has fought in this phase (5.1.1)" for u in mine if game.mark(u.id, "fought")]
    guns = _named(ctx, "attack_guns")
    found += against_support(game, guns, [u.place for u in mine])
    found += [
        f"{u.name} is set aside for strategic movement (12.1.2)"
        for u in (*mine, *guns)
        if game.mark(u.id, "strategic")
    ]
    for hex_id in target:
        if game.mark(hex_id, "attacked") or any(hex_id in b.hexes for b in _open_combats(game)):
            found.append(f"{hex_id} was attacked in this phase (5.1.1)")
        elif any(game.mark(u.id, "attacked") for u in at_hexes(game, game.other(game.active), [hex_id])):
            found.append(f"somebody in {hex_id} was attacked in this phase (5.1.1)")
        if game.mark(hex_id, "shelled"):
            found.append(f"{hex_id} was shelled at range and may not be assaulted (6.4.5)")
        if _nobody_there(ctx, hex_id):
            foe = game.side_name(game.other(game.active))
            found.append(f"no {foe} unit is on record in {hex_id}, and no strength is typed (5.1.2)")
    if len({u.place for u in mine}) > 1 and len(target) > 1:
        found.append("one of the two sides must stand in a single hex (5.1.5)")
    owed = [d.text for b in _open_combats(game) for d in game.duties(b) if d.is_owed]
    return found + [f"the last battle is not finished: {text} (5.2.1)" for text in owed[:1]]


def _nobody_there(ctx: Context, hex_id: str) -> bool:
    game, foe = ctx.game, ctx.game.other(ctx.game.active)
    typed = any(ctx.values.get(name) for name in TYPED)
    return bool(on_map(game, foe)) and not typed and not at_hexes(game, foe, [hex_id])


def _open_combats(game: Game) -> list[Battle]:
    return [b for b in game.fighting if b.facts.get("kind") == "combat"]


def _hidden(game: Game, units: Sequence[Unit], seat: str) -> bool:
    return any(not may_see_unit(game, u, seat) for u in units)


def _under_others(game: Game, units: Sequence[Unit]) -> bool:
    """Whether this attack lays anything open, even if another battle does so just now [16.1.3]."""
    tops = [next(v.id for v in game.units_at(u.place) if v.side == u.side) for u in units]
    return bool(game["fog"]) and any(u.only or u.id != top for u, top in zip(units, tops, strict=True))


def _check_reach(game: Game, side: str, target: Sequence[str], attackers: Sequence[Unit]) -> None:
    """A closed stack is opened by an attack on it alone: nobody looks into hexes that he cannot attack [16.1.1]."""
    for hex_id in target:
        if not _hidden(game, at_hexes(game, game.other(side), [hex_id]), side):
            continue
        mine = attackers or [u for u in on_map(game, side) if is_regular(u)]
        if all(game.maps.distance(u.place, hex_id) != 1 for u in mine):
            words = f"{hex_id} is not beside any unit that attacks: its stack stays closed"
            raise NotNow(words, field="target", given=hex_id, rule="5.1.2, 16.1.1")


def _defender_says(ctx: Context) -> Means:
    game = ctx.game
    return means(game, game.other(game.active), ctx.values) if game.active else Means()


def _rolls_now(ctx: Context) -> bool:
    """The dice fall at once unless the defender has something to say, or his stack must be opened first."""
    try:
        return ctx.duty is not None or not (_defender_says(ctx).any or closed(ctx, defenders(ctx)))
    except (Mistake, KeyError):
        return False


Die = Annotated[Roll | None, Dice(label="Roll", spec="2d6", purpose="combat", when=_rolls_now)]


@rules.action(
    phase=ATTACK,
    by="active",
    rule="5.2.1",
    worksheet=combat,
    label="Attack",
    primary=True,
    warns=_said_against,
)
def resolve_combat(game: Game, sheet: Breakdown, form: CombatForm, die: Die) -> Events:
    """Name attackers and targets and roll; a defender with guns, stars or closed counters is asked first."""
    side, target = game.active, form.target
    attackers = [game.units[u] for u in form.attackers]
    _check_reach(game, side, target, attackers)
    guns = [game.units[u] for u in form.attack_guns]
    there = at_hexes(game, game.other(side), target)
    told = {f.name: _plain(getattr(form, f.name)) for f in fields(CombatForm)}
    asked = means(game, game.other(side), told)
    places = sorted({u.place for u in attackers})
    told["attack_hq"] = (
        form.attack_hq or bool(places) and covered(Context(game, side), side, _covered_hexes(game, form))
    )
    left_open = ("attack_sp", "defence_sp", *(("defence",) if asked.untold else ()))
    battle = yield from engage(
        game,
        f"Attack on {', '.join(target)}" if target else "Attack",
        side,
        target,
        {
            side: [*form.attackers, *_beside(game, form.attack_guns, target)],
            game.other(side): [u.id for u in there],
        },
        "5.2.1",
        opens=_under_others(game, [*there, *attackers]),
        kind="combat",
        stood={side: places, game.other(side): list(target)},
    )
    form_told = {name: value for name, value in told.items() if name not in left_open}
    battle = yield from learn(
        game, battle, only=fogged(game, side), form=form_told
    )  # guns stay hidden [16.1.1]
    # Not before it has begun: its dice would belong to no battle.
    unknown = attacking(game, attackers, guns).unknown
    yield from keep_strengths(game, unknown, form.attack_sp, "A", "attack_sp")
    if form.defence_sp:
        unknown = _without_strength(game, game.other(side), target)
        yield from keep_strengths(game, unknown, form.defence_sp, "D", "defence_sp")
    yield from leave(game)
    if form.attack_pool:
        yield from spend(game, side, form.attack_pool, target, "attack_pool")
    if asked.any:
        yield from ask_defender(game, battle, asked)
    if asked.any or not sheet.column:
        yield _owe_roll(game, battle)
    else:
        yield from _fight(game, battle, sheet, die)


def _without_strength(game: Game, side: str, hexes: Sequence[str]) -> list[Unit]:
    return defending(Context(game, side), at_hexes(game, side, hexes), ()).unknown


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _beside(game: Game, guns: Sequence[str], hexes: Sequence[str]) -> list[str]:
    """Guns that support beside the enemy suffer what the others do [6.3.4, 6.3.5]."""
    near = game.maps.distance
    return [g for g in guns if any(near(game.units[g].place, h) <= 1 for h in hexes)]


def _covered_hexes(game: Game, form: CombatForm) -> list[str]:
    guns = form.attack_guns if game["hq-counts-guns"] else ()
    return [game.units[u].place for u in (*form.attackers, *guns)]


def _owe_roll(game: Game, battle: Battle) -> e.Asked:
    """An attack once declared is fought; calling it off needs the other side."""
    text = f"{game.side_name(battle.attacker)}: roll for the {battle.title[:1].lower()}{battle.title[1:]}"
    return owe(game, battle.attacker, text, roll_combat, battle=battle, step=ROLL, rule="5.2.1", binding=True)


@rules.follow_up(rule="5.2.1", label="Roll", worksheet=combat, still=both_there)
def roll_combat(game: Game, battle: Battle, sheet: Breakdown, form: CombatForm, die: Die) -> Events:
    """Roll for the attack that stands."""
    if not sheet.column:
        name = "defence_sp" if battle.units(battle.defender) else "defence"
        raise Unreadable("the defenders' strength is missing", field=name, accepted="above 0", rule="5.2.1")
    if form.defence_sp:
        unknown = _without_strength(game, battle.defender, battle.hexes)
        yield from keep_strengths(game, unknown, form.defence_sp, "D", "defence_sp")
    yield from _fight(game, battle, sheet, die)


@rules.sheet_of_battle
def before_the_roll(game: Game, battle: Battle, seat: str) -> Breakdown | None:
    """How a declared attack stands, from what this seat may know [5.2.1]."""
    duty = next(iter(game.duties(battle, "roll-combat")), None)
    if duty is None:
        return None
    ctx = Context(game, seat, duty=duty)
    values = {**{f.name: f.default for f in fields(CombatForm)}, **ctx.told}
    return combat.answer(values, ctx.having(values))


@rules.watch
def called_off(game: Game) -> Events:
    """A battle that was given up before its dice fell, by both sides or for want of anybody to fight."""
    for battle in list(game.battles.values()):
        if not battle.result and not game.duties(battle):
            yield from learn(game, battle, result="called off", concluded=True)


# -- the dice --------------------------------------------------------------------------------------


def _fight(game: Game, battle: Battle, sheet: Breakdown, die: Roll | None) -> Events:
    """Book who fights, paid levels at once [10.2.5], support flown, rest disturbed; read the table."""
    if die is None:
        raise Unreadable("roll two dice", field="die", accepted="2 to 12")
    side, foe = battle.attacker, battle.defender
    form = {**battle.facts["form"], **battle.facts.get("joined", {})}
    target, there = list(battle.hexes), at_hexes(game, foe, battle.hexes)
    attackers, guns, cover, pay = (
        [n for n in form.get(name, ()) if n in game.units and game.units[n].on_map]
        for name in ("attackers", "attack_guns", "defence_guns", "pay")
    )
    from_where = [game.units[u].place for u in attackers]
    battle = yield from learn(
        game,
        battle,
        forces={side: battle.units(side), foe: [*(u.id for u in there), *_beside(game, cover, from_where)]},
        starred={side: sheet.facts.pop("attack_users"), foe: sheet.facts.pop("defence_users")},
        helpless=foe if sheet.facts["helpless"] else None,
    )
    yield from _mark_fighters(game, attackers, [*guns, *cover], there, target)
    for unit in pay:
        if level(game, unit):
            yield from oos.raise_level(game, unit, 1, "full attack", "10.2.3")
    yield from disturb(game, [*(game.units[u] for u in (*attackers, *guns, *cover)), *there])
    yield from airmarks.use_up(game, side, "support", {*target, *from_where})
    yield from airmarks.use_up(game, foe, "defence", {*target, *from_where})
    sheet.roll = die.total
    look_up(sheet, game.chart("combat"), row_of(die.total, sheet.modifier))
    if sheet.result:
        shares = zip((side, foe), grammar.combat(sheet.result), strict=True)
        sheet.effects = [Line(game.side_name(s), share.words(), "5.2.1") for s, share in shares]
    yield from rules.settle(game, "combat", sheet, (side, "table"), "5.2.1", battle)


def _mark_fighters(
    game: Game, attackers: Sequence[str], guns: Sequence[str], there: Sequence[Unit], target: Sequence[str]
) -> Events:
    """Everybody fights once a phase [5.1.1], guns fire once [6.1.4], and a hex that was attacked has been [5.1.4]."""
    for unit in (*attackers, *guns):
        if game.mark(unit, "strategic"):  # who fought does not move after combat [12.1.2]
            yield put_mark(game, unit, "strategic", None, reason="fights", rule="12.1.2")
    for unit in attackers:
        yield put_mark(game, unit, "fought", True, reason=IN_PASSING, rule="5.1.1")
    for unit in (*guns, *(u.id for u in there if deployed(game, u))):
        yield put_mark(game, unit, "fired", True, reason=IN_PASSING, rule="6.1.4")
    for held in there:
        yield put_mark(game, held.id, "attacked", True, reason=IN_PASSING, rule="5.1.4")
    for hex_id in target:
        yield e.Marked(hex_id, "attacked", True, reason=IN_PASSING, rule="5.1.4")


# -- the result ------------------------------------------------------------------------------------


@rules.outcome("combat")
def combat_outcome(game: Game, sheet: dict[str, Any], result: str, battle: Battle | None) -> Events:
    """Losses first, then retreats and their price, then pursuit; tests come last [5.2.1]."""
    if battle is None:  # rolled at a table that kept no battles yet
        battle = yield from _found_again(game, sheet.get("facts", {}), result)
    shares = dict(zip((battle.attacker, battle.defender), grammar.combat(result), strict=True))
    driven = shares[battle.defender].retreat > 0
    force = {side: standing(game, battle, side) for side in shares}
    yield from oos.after_combat(game, force[battle.attacker], force[battle.defender], driven)
    for side, share in shares.items():
        ids, hexes = [u.id for u in force[side]], battle.facts["stood"].get(side, [])
        yield from owe_losses(game, side, share.loss, ids, f"result {result}", "5.2.1", battle, LOSSES, hexes)
        if share.retreat:
            fixed = side == battle.defender and bool(sheet.get("facts", {}).get("fp"))
            yield from owe_retreat(game, battle, side, share, fixed=fixed)
        if share.disorganised and (not share.retreat or game["bought-off"]):
            shaken = exposed(game, force[side], direct=True)
            yield from shake(game, shaken, f"result {result}", battle=battle)
        if share.test:
            yield from owe_tests(game, side, 1, force[side], f"result {result}", "5.6.1", battle, hexes)


def _found_again(game: Game, facts: dict[str, Any], result: str) -> Any:
    """The battle of a result that was left open by an earlier version of the rules."""
    side = str(facts.get("attacker") or game.active or game.sides[0])
    target, foe = list(facts.get("hexes", ())), game.other(side)
    places = list(facts.get("from", ()))
    forces = {
        side: [u.id for u in at_hexes(game, side, places)],
        foe: [u.id for u in at_hexes(game, foe, target)],
    }
    title = f"Attack on {', '.join(target)}" if target else "Attack"
    battle = yield from engage(
        game, title, side, target, forces, "5.2.1", kind="combat", stood={side: places, foe: target}
    )
    return (yield from learn(game, battle, result=result))
