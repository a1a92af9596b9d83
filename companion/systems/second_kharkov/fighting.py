"""A battle from its declaration to its result [7.6, 12.4, 12.5, 12.17-12.19]."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import fields
from typing import Annotated, Any

from companion.engine.errors import Mistake, NotNow, Unreadable
from companion.engine.forms.fields import Choice, Context, Dice, Roll
from companion.engine.forms.worksheet import Breakdown, Line, look_up
from companion.engine.play.actions import Events
from companion.engine.play.duties import DONE, engage, learn, leave, owe
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import IN_PASSING, OFF_IN_PASSING, fogged, put_mark, read_off
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_unit
from companion.systems.second_kharkov import air
from companion.systems.second_kharkov.aftermath import AIR, ROLL, TYPE, losses_of, target_of
from companion.systems.second_kharkov.armies import released_by_an_attack
from companion.systems.second_kharkov.base import FIGHT, GERMAN, SOVIET, rules
from companion.systems.second_kharkov.battle import as_it_stands, assemble, doubts, not_named
from companion.systems.second_kharkov.combat import combat, final_row
from companion.systems.second_kharkov.counters import ask_types
from companion.systems.second_kharkov.form import (
    ATTACKERS,
    CombatForm,
    Target,
    air_choices,
    given_up,
    only_target,
)
from companion.systems.second_kharkov.units import turn_over, typeless
from companion.systems.second_kharkov.victory import perimeter_attacked

COMBAT_PHASES = tuple(FIGHT.values())

WAIVED = "off"
CALLED_OFF, ON_THE_MAP = "called off", "fought on the map"
PLAIN = {f.name: f.default for f in fields(CombatForm)}


def _ready(game: Game) -> bool | NotNow:
    """One battle of a phase is finished before the next is declared [12.5]; one carried along holds nobody up."""
    for battle in game.fighting:
        for duty in game.duties(battle):
            if duty.is_owed and (battle.turn, battle.phase) == (game.turn, game.phase):
                return NotNow(f"finish the last battle first: {duty.text}", rule="12.5")
    return True


# -- declaring -------------------------------------------------------------------------------------


def _against(ctx: Context) -> list[str]:
    """What the rules have against the attack, said before a stack is opened [5.5, 6.2, 12.4, 12.24].

    The target's own stack stays closed: what is said here tells nothing about it.
    """
    told = {name: ctx.values[name] for name in PLAIN if name in ctx.values}
    fight = assemble(ctx, CombatForm(**told))
    return [*map(str, doubts(ctx.game, fight)), *map(str, not_named(ctx.game, fight))]


def _in_reach(game: Game, target: str) -> None:
    """Or declaring would be a way to look into any stack on the map.

    :raises NotNow: when a stack would be opened that no unit of the attacker, of those on record, stands next to
    """
    side = game.active
    mine = on_map(game, side)
    near = game.maps.neighbours(target) if target else ()
    if mine and not any(u.place in near for u in mine) and _hides_something(game, side, target):
        words = f"{target} is not next to any {game.side_name(side)} unit on record"
        raise NotNow(words, field="target", given=target, rule="12.1, 7.6")


def _hides_something(game: Game, side: str, target: str) -> bool:
    return any(not may_see_unit(game, u, side) for u in game.units_at(target)) if target else False


def _german_may_fly(ctx: Context) -> bool:
    return ctx.game.active == GERMAN and int(ctx.game[air.FREE]) > 0


@rules.action(
    phase=COMBAT_PHASES,
    by="active",
    rule="12.5",
    label="Declare an attack, roll later",
    order=10,
    when=_ready,
    warns=_against,
)
def declare_attack(
    game: Game,
    target: Annotated[str, Target(label="Target hex", start=only_target)],
    attackers: Annotated[tuple[str, ...], ATTACKERS] = (),
    aircraft: Annotated[str, Choice(label="Aircraft", options=air_choices, when=_german_may_fly)] = "0",
) -> Events:
    """By the book: only target and attackers are named, and the stacks opened. The attack stands from here."""
    battle = yield from _begin(game, {"target": target, "attackers": list(attackers)})
    if _asks_for_aircraft(game):
        yield from _ask_for_aircraft(game, battle)
    else:
        yield from _owe_roll(game, (yield from _open(game, battle, int(aircraft))))


def _begin(game: Game, told: Mapping[str, Any]) -> Generator[e.Event, None, Battle]:
    """The attack stands from here on; who attacks with what is known to all when the stacks are opened [7.6]."""
    target, side = str(told["target"]), game.active
    _in_reach(game, target)
    battle = yield from engage(
        game,
        f"Attack on {target}" if target else "Attack",
        side,
        [target] if target else [],
        {side: told["attackers"]},
        "12.5",
        only=fogged(game, side),
        form={**told, "fight_move": side == GERMAN and game["german-order"] == "fight-move"},
    )
    for duty, words in given_up(game):
        yield e.Answered(duty.id, "given up", battle=duty.battle, text=words)
    yield from leave(game)
    return battle


def _asks_for_aircraft(game: Game) -> bool:
    """Whether the German is to be asked for aircraft against a Soviet attack [12.17]."""
    return game.phase == FIGHT[SOVIET] and air.may_defend(game)


def _ask_for_aircraft(game: Game, battle: Battle) -> Events:
    text = f"{battle.title}: how many aircraft defend?"
    yield owe(game, GERMAN, text, defend_by_air, battle=battle, step=AIR, rule="12.17")
    yield from _owe_roll(game, battle)


def _owe_roll(game: Game, battle: Battle) -> Events:
    """An attack once declared is fought; calling it off needs the other side [7.6]."""
    text = f"Roll for the {battle.title[:1].lower()}{battle.title[1:]}"
    yield owe(
        game,
        battle.attacker,
        text,
        roll_combat,
        battle=battle,
        step=ROLL,
        rule="7.6, 12.7",
        binding=True,
    )


def _open(game: Game, battle: Battle, aircraft: int) -> Generator[e.Event, None, Battle]:
    """With the aircraft promised, both stacks are opened and untried units turned over [2.14, 7.6, 12.17]."""
    target, side = target_of(battle), battle.attacker
    there = [u.id for u in game.units_at(target) if u.side == battle.defender] if target else []
    force = [*battle.units(side), *there]
    unseen = _hides_something(game, side, target) or any(
        not may_see_unit(game, game.units[n], battle.defender) for n in battle.units(side)
    )
    battle = yield from learn(
        game,
        battle,
        # where the stack is not on record it is opened on the map, and that is as binding
        opens=unseen or not there or any(game.units[n].untried for n in force),
        forces={side: battle.units(side), battle.defender: there},
        form={**battle.facts["form"], "air": str(aircraft)},
        aircraft=aircraft,
        also={GERMAN: [f"{aircraft} aircraft"]} if aircraft else None,
    )
    where = f"support at {target}" if target else "ground support"
    yield from air.fly(game, aircraft, air.USED, where, "12.17")
    yield from turn_over(game, [game.units[n] for n in force])
    yield from ask_types(game, battle, TYPE)
    return battle


def _unresolved(game: Game, duty: e.Asked) -> bool:
    battle = game.battles.get(duty.battle)
    return battle is not None and not battle.result


def _none_defend(game: Game, duty: e.Asked, how: str) -> Events:
    """A German who puts the question away sends none [12.17]."""
    if _unresolved(game, duty):
        yield from _open(game, game.battles[duty.battle], 0)


def _none_can(ctx: Context) -> Mapping[str, Any] | None:
    return {"aircraft": "0"} if len(air_choices(ctx)) == 1 else None


def _defending(ctx: Context) -> list[tuple[str, str]]:
    """How many, none, or none until the phase is over."""
    ways = [
        (n, "None defend" if n == "0" else f"{n} {'defends' if n == '1' else 'defend'}")
        for n, _ in air_choices(ctx)
    ]
    more = ctx.battle is not None and (ctx.battle.turn, ctx.battle.phase) == (ctx.game.turn, ctx.game.phase)
    return [*ways, (WAIVED, "None in this phase")] if more and len(ways) > 1 else ways


@rules.follow_up(
    rule="12.17", label="Send aircraft", still=_unresolved, alone=_none_can, declined=_none_defend
)
def defend_by_air(
    game: Game, battle: Battle, aircraft: Annotated[str, Choice(label="Aircraft", options=_defending)]
) -> Events:
    """Promise aircraft to the declared battle, or none, before the stacks are opened."""
    if aircraft == WAIVED:
        yield from air.waive(game)
    yield from _open(game, battle, 0 if aircraft == WAIVED else int(aircraft))


@rules.sheet_of_battle
def before_the_roll(game: Game, battle: Battle, seat: str) -> Breakdown | None:
    """How a declared attack stands, from what this seat may know [12.7]; the attacker alone before it is opened."""
    duty = next(iter(game.duties(battle, "roll-combat")), None)
    hidden = game["fog"] and "aircraft" not in battle.facts and seat != battle.attacker
    if duty is None or hidden:
        return None
    ctx = Context(game, seat, duty=duty)
    values = {**PLAIN, **ctx.told}
    return combat.answer(values, ctx.having(values))


@rules.leaving(FIGHT[SOVIET])
@rules.leaving(FIGHT[GERMAN])
def offers_are_over(game: Game) -> Events:
    """An advance that nobody made is given up as the phase ends, and the log says so [12.21, 12.22]."""
    for duty, words in given_up(game):
        yield e.Answered(duty.id, "given up", battle=duty.battle, text=words)


@rules.leaving(FIGHT[SOVIET])
@rules.leaving(FIGHT[GERMAN])
def supply_is_remembered(game: Game) -> Events:
    """A battle carried into the next phase keeps the supply that it began with [9.1]."""
    for battle in game.fighting:
        here = (battle.turn, battle.phase) == (game.turn, game.phase)
        if here and not battle.result and (duty := next(iter(game.duties(battle, "roll-combat")), None)):
            ctx = Context(game, battle.attacker, duty=duty)
            now = as_it_stands(ctx.having({**PLAIN, **ctx.told}))
            yield from learn(game, battle, out=now["out"], late=now["late"])


# -- resolving -------------------------------------------------------------------------------------


def _needs_die(ctx: Context) -> bool:
    """Attacks worse than 1:3 are not rolled for [12.9], and none before stacks lie open and all is known [12.17]."""
    try:
        sheet = combat.answer(ctx.values, ctx)
    except (Mistake, KeyError):
        return True  # the form is not complete yet
    return bool(sheet.dice) and (ctx.duty is not None or not _must_wait(ctx.game, sheet))


def _must_wait(game: Game, sheet: Breakdown) -> bool:
    """Whether somebody has to say or open something between the declaration and the roll."""
    involved = [game.units[n] for role in ("attackers", "defenders") for n in sheet.facts[role]]
    known = bool(sheet.column or sheet.result) and not sheet.facts["closed"] and not typeless(involved)
    return _asks_for_aircraft(game) or not known


Die = Annotated[Roll | None, Dice(label="Die", spec="1d6", purpose="combat", when=_needs_die)]


@rules.action(
    phase=COMBAT_PHASES,
    by="active",
    rule="12.7",
    worksheet=combat,
    label="Attack",
    primary=True,
    when=_ready,
    warns=_against,
)
def resolve_combat(game: Game, sheet: Breakdown, form: CombatForm, die: Die) -> Events:
    """Target, attackers, factors and die at once. Where aircraft could defend, or a stack is closed, the roll waits."""
    battle = yield from _begin(game, _told(game, form, bool(sheet.facts["closed"])))
    if _asks_for_aircraft(game):
        yield from _ask_for_aircraft(game, battle)
        return
    wait = _must_wait(game, sheet)
    battle = yield from _open(game, battle, int(form.air))
    yield from _owe_roll(game, battle) if wait else _fight(game, battle, sheet, die)


def _told(game: Game, form: CombatForm, closed: bool) -> dict[str, Any]:
    """What the form answers once and for all. A guess at a closed stack is none; what is blank is asked at the roll."""
    told = {name: list(v) if isinstance(v, tuple) else v for name, v in vars(form).items() if name != "air"}
    if form.attackers and not form.attack:
        del told["attack"]
    if closed or (form.target and game.units_at(form.target) and not form.defence):
        del told["defence"]
    return told


def _waived(game: Game, duty: e.Asked, how: str) -> Events:
    """Both agree that the attack is called off, so aircraft return [7.6, 12.17]; or it was fought on the map."""
    if not _unresolved(game, duty):
        return
    fought = how == DONE
    battle = yield from learn(game, game.battles[duty.battle], result=ON_THE_MAP if fought else CALLED_OFF)
    if fought:
        yield from _fought(game, battle)
    else:
        yield from air.return_home(game, _promised(game, battle), "the attack was called off", "12.17")


def _promised(game: Game, battle: Battle) -> int:
    """The aircraft that fly for a battle; a new turn has freed them all [11.19]."""
    return int(battle.facts.get("aircraft") or 0) if battle.turn == game.turn else 0


@rules.follow_up(rule="12.7", label="Roll", worksheet=combat, declined=_waived)
def roll_combat(game: Game, battle: Battle, sheet: Breakdown, die: Die) -> Events:
    """Factors that nobody had copied are typed here, one number a unit, and kept."""
    if not sheet.column and not sheet.result:
        missing = [line for line in sheet.lines if line.effect == "?"]
        field = "attack" if "attack" in missing[0].label else "defence"
        raise Unreadable("; ".join(line.label for line in missing), field=field, rule=missing[0].rule)
    yield from _fight(game, battle, sheet, die)


def _fight(game: Game, battle: Battle, sheet: Breakdown, die: Roll | None) -> Events:
    """Work out the odds, roll, and book what follows."""
    facts = sheet.facts
    typed = facts.pop("typed")
    facts.pop("closed")
    facts["defenders"] = [
        n for n in battle.units(battle.defender) if game.units[n].place == target_of(battle)
    ]
    battle = yield from learn(
        game,
        battle,
        forces={battle.attacker: facts["attackers"], battle.defender: facts["defenders"]},
        terrain=facts["terrain"],
        exploiters=facts["exploiters"],
    )
    for name, by_unit in typed.items():
        for unit, value in by_unit.items():
            factors = {**game.units[unit].factors, name: value}
            yield read_off(game, unit, {"factors": factors}, "2.14", public=True, reason=OFF_IN_PASSING)
    if sheet.result and game["air-in-automatic"] == "kept":
        yield from air.return_home(game, _promised(game, battle), "no roll, stays free", "12.9")
    yield from _fought(game, battle)
    if die is not None:
        sheet.roll = die.total
        sheet.add(f"roll {die.total}{sheet.modifier:+d}", str(die.total + sheet.modifier), "12.18")
        look_up(sheet, game.chart("crt"), final_row(game, sheet, die.total))
    if sheet.result:
        sheet.effects = [Line(words, "", "12.19") for _, _, words in losses_of(game, battle, sheet.result)]
    yield from rules.settle(game, "combat", sheet, (battle.attacker, "table"), "12.18", battle)


def _fought(game: Game, battle: Battle) -> Events:
    """Each unit attacks once and is attacked once in a combat phase [12.4]; an attack may cross a line [4.3, 6.3]."""
    target = target_of(battle)
    for name in battle.units(battle.attacker):
        yield put_mark(game, name, "attacked", True, reason=IN_PASSING, rule="12.4", public=True)
    for name in battle.units(battle.defender):
        yield put_mark(game, name, "defended", target, reason=IN_PASSING, rule="12.4", public=True)
    if target and not battle.units(battle.defender):
        yield e.Marked(target, "defended", True, reason=IN_PASSING, rule="12.4")
    yield from released_by_an_attack(game, battle.attacker, target)
    yield from perimeter_attacked(game, battle.attacker, target)
