"""A battle on its way to the die [5.2, 12.0]: it is begun, air is promised, strengths are announced; or it is called off."""

from __future__ import annotations

from typing import Annotated

from companion.engine.forms.fields import Choice, Context
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import DONE, drop, learn, offer, owe, standing
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.kharkov_battles.base import add, rules
from companion.systems.kharkov_battles.battles import (
    AIR,
    CALLED_OFF,
    MOBILE,
    ROLES,
    ROLL,
    kind_of,
    where,
)
from companion.systems.kharkov_battles.strength import to_be_told
from companion.systems.kharkov_battles.units import label, rating

MOST_AIR = {True: 1, False: 2}
"""One point supports a Mobile Assault, two a Prepared one [5.21]."""


# -- Air Points --------------------------------------------------------------------------------------------


def most_air(game: Game, side: str, attacking: bool, mobile: bool) -> int:
    """The Air Points a side may commit to a combat, of those it has; one helps a defender [5.21]."""
    return min(MOST_AIR[mobile] if attacking else 1, int(game[f"air-{side}"]))


def air_choices(game: Game, side: str, attacking: bool, mobile: bool) -> list[tuple[str, str]]:
    most = most_air(game, side, attacking, mobile)
    return [(str(n), count(n, "Air Point") if n else "No air") for n in range(most + 1)]


def commit(game: Game, battle: Battle, side: str, points: int) -> Events:
    """Points are promised to one combat and used up [5.12, 5.22]."""
    field = "attacker_air" if side == battle.attacker else "defender_air"
    battle = game.battles[battle.id]
    yield from learn(game, battle, form={**battle.facts.get("form", {}), field: points})
    if points:
        yield from add(
            game, f"air-{side}", -points, f"ground support at {where(battle) or 'a combat'}", "5.22"
        )


def _defender_air(ctx: Context) -> list[tuple[str, str]]:
    battle = ctx.battle
    if battle is None:
        return [("0", "No air")]
    return air_choices(ctx.game, battle.defender, False, kind_of(battle) == MOBILE)


@rules.follow_up(rule="5.21", label="Commit Air Points", still=lambda game, duty: duty.battle in game.battles)
def commit_air(
    game: Game,
    battle: Battle,
    points: Annotated[str, Choice(label="Air Points", options=_defender_air)] = "0",
) -> Events:
    """The defender says after the attacker whether an Air Point helps him."""
    if not int(points):
        yield e.Noted(f"no air defends {where(battle) or 'there'}", rule="5.21")
    yield from commit(game, battle, battle.defender, int(points))


# -- beginning ---------------------------------------------------------------------------------------------


def on_the_map(game: Game, duty: e.Asked, how: str) -> Events:
    """A battle that was fought without the companion has a result all the same, and its units have fought."""
    battle = game.battles.get(duty.battle)
    if battle is not None and how == DONE:
        yield from drop(game, *BEFORE, battle=battle)
        yield from learn(game, battle, result=DONE)


def go_on(game: Game, battle: Battle) -> Events:
    """What is left to be said before the die: the defender's air, both strengths [5.21, 12.0]."""
    mobile = kind_of(battle) == MOBILE
    if "defender_air" not in battle.facts.get("form", {}) and most_air(game, battle.defender, False, mobile):
        text = f"{battle.title}: does an Air Point defend?"
        yield offer(game, battle.defender, text, "commit-air", battle=battle, step=AIR, rule="5.21")
    for role in ROLES:
        if role not in battle.facts.get("form", {}):
            yield from ask_strength(game, battle, role)
    yield owe(
        game,
        battle.attacker,
        f"{battle.title}: roll",
        "roll-mobile" if mobile else "roll-assault",
        battle=battle,
        step=ROLL,
        rule="11.2" if mobile else "12.0",
        binding=True,
    )


# -- strengths ---------------------------------------------------------------------------------------------


def force_of(game: Game, battle: Battle, role: str) -> list[Unit]:
    """Who is there to fight: the designated attackers, or everybody in the hexes under attack."""
    return standing(game, battle, battle.attacker if role == "attack" else battle.defender)


def ask_strength(game: Game, battle: Battle, role: str) -> Events:
    """Ask a side for its total, and for every strength that it needs and nobody has told."""
    side = battle.attacker if role == "attack" else battle.defender
    units = force_of(game, battle, role)
    text = (
        f"{game.side_name(side)}: strength {'attacking' if role == 'attack' else 'defending'} {where(battle)}"
    )
    yield owe(
        game, side, text.strip(), "announce-strength", battle=battle, step=ROLES[role], rule="12.0", role=role
    )
    yield from ask_unknown(game, battle, role, units)


def ask_unknown(game: Game, battle: Battle, role: str, units: list[Unit]) -> Events:
    """A strength that is not known is asked of its owner, at that unit [15.2]; a chit's number in secret [2.6]."""
    asked = {name for d in game.duties(battle, "tell-strength") for name in d.units}
    for unit in units:
        if to_be_told(game, unit) and unit.id not in asked:
            letter = rating(game, unit)
            what = (
                f"the number for {letter} on the chit under {label(unit)}"
                if letter
                else f"{label(unit)}'s strength"
            )
            yield owe(
                game,
                unit.side,
                f"{game.side_name(unit.side)}: {what}",
                "tell-strength",
                battle=battle,
                step=ROLES[role],
                units=[unit.id],
                rule="2.6" if letter else "2.7",
                only=(unit.side,) if letter else (),
                role=role,
            )


# -- called off --------------------------------------------------------------------------------------------


@rules.watch
def called_off(game: Game) -> Events:
    """An attack that both sides waived, or that nobody is left for, is called off, and its Air Points return [5.22]."""
    for battle in list(game.battles.values()):
        if battle.result or battle.sheet:
            continue
        if any(d.action in ROLLING for d in game.duties(battle)):
            continue
        yield from drop(game, *BEFORE, battle=battle, why=CALLED_OFF)
        form = battle.facts.get("form", {})
        yield from learn(game, battle, result=CALLED_OFF)
        for side, field in ((battle.attacker, "attacker_air"), (battle.defender, "defender_air")):
            yield from add(
                game, f"air-{side}", int(form.get(field) or 0), "the attack was called off", "5.22"
            )


ROLLING = ("begin-assault", "roll-assault", "roll-mobile", "enter-result", "overrun-fate")
"""As long as one of these is open, a battle has a die or a decision before it."""
BEFORE = ("commit-air", "announce-strength", "tell-strength")
