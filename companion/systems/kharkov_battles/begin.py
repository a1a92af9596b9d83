"""Fighting a designated attack [12.0]: the attacker's air, and the ground where nobody entered it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from companion.engine.forms.fields import Choice, Context
from companion.engine.play.actions import Events
from companion.engine.play.duties import learn, leave, standing
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import ground
from companion.systems.kharkov_battles.assault_form import OVER, inside, lines, unmapped
from companion.systems.kharkov_battles.base import Objection, rules
from companion.systems.kharkov_battles.battles import holders, target_of, waits_for
from companion.systems.kharkov_battles.fighting import air_choices, commit, go_on, on_the_map
from companion.systems.kharkov_battles.known import best_line
from companion.systems.kharkov_battles.units import label


def _attacker_air(ctx: Context) -> list[tuple[str, str]]:
    return air_choices(ctx.game, ctx.battle.attacker, True, False) if ctx.battle else []


def _still_attacked(game: Game, duty: e.Asked) -> bool:
    """Somebody is left to attack, and to be attacked, as far as counters are on record."""
    battle = game.battles.get(duty.battle)
    if battle is None:
        return False
    mine, theirs = battle.units(battle.attacker), battle.units(battle.defender)
    return bool(not mine or standing(game, battle, battle.attacker)) and bool(
        not theirs or holders(game, battle)
    )


def _unfinished(ctx: Context) -> Iterator[Objection]:
    """Results are applied before another attack is resolved, but for attacks out of one hex [12.0, 12.23]."""
    for battle in ctx.game.fighting:
        if not battle.result or battle.id == (ctx.battle.id if ctx.battle else 0):
            continue
        if not waits_for(ctx.game, battle):
            for duty in ctx.game.duties(battle):
                if duty.is_owed:
                    yield Objection(f"first finish the {battle.title}: {duty.text}", rule="12.0")


def _before_the_die(ctx: Context) -> Iterator[Objection]:
    """What speaks against fighting it now: results that wait [12.0], and attackers that have gone [12.21]."""
    yield from _unfinished(ctx)
    battle = ctx.battle
    for unit in standing(ctx.game, battle, battle.attacker) if battle else ():
        near = ground.grid_at(ctx.game, unit.place).neighbours(unit.place)
        for h in battle.hexes if battle else ():
            if h not in near:
                yield Objection(f"{label(unit)} stands in {unit.place}, not beside {h}", rule="12.21")


@rules.follow_up(
    rule="12.0", label="Fight it", still=_still_attacked, warns=_before_the_die, declined=on_the_map
)
def begin_assault(
    game: Game,
    battle: Battle,
    points: Annotated[
        str, Choice(label="Air Points", options=_attacker_air, when=lambda c: len(_attacker_air(c)) > 1)
    ] = "0",
    terrain: Annotated[
        str, Choice(label="They defend in", options=lines, when=unmapped, start=lambda c: "clear")
    ] = "",
    shelter: Annotated[
        tuple[str, ...],
        Choice(label="With", options=inside, many=True, when=lambda c: unmapped(c) and bool(inside(c))),
    ] = (),
    river: Annotated[
        str,
        Choice(
            label="All attack over",
            options=OVER,
            when=lambda c: not ground.known_map(c.game),
            start=lambda c: "none",
        ),
    ] = "",
) -> Events:
    """Resolve this attack now, with the attacker's Air Points; no more attacks are designated from here on."""
    yield from leave(game)
    form: dict[str, object] = {"target": target_of(battle), "several_hexes": len(battle.hexes) > 1}
    if not best_line(game, battle.hexes):
        form |= {"terrain": terrain or "clear", **{name: True for name in shelter}}
    if not ground.known_map(game):
        form["river"] = river or "none"
    held = [u.id for u in holders(game, battle)]
    battle = yield from learn(game, battle, forces={battle.defender: held}, begun=True, form=form)
    yield from commit(game, battle, battle.attacker, int(points))
    yield from go_on(game, game.battles[battle.id])
