"""Step losses, elimination and dispersal of units on record [9.6, 9.9]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe, standing, units_of
from companion.engine.positions import pieces
from companion.engine.positions.pieces import count, dealt
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import change, put_mark, read_off
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.advance import vacated
from companion.systems.enemy_action_kharkov.base import (
    EVENLY,
    Reason,
    armour,
    called,
    isolated,
    rules,
    steps_untold,
    told_steps,
)
from companion.systems.enemy_action_kharkov.fight import tell


def lose_step(game: Game, unit: Unit, steps: int = 1) -> Events:
    """Steps off; the last one eliminates the unit [9.6, 9.63]."""
    if unit.steps > steps:
        words = f"loses {count(steps, 'step')}"
        yield change(game, unit.id, {"steps": unit.steps - steps}, reason=words, rule="9.6", public=True)
    else:
        yield from eliminate(game, unit, "", "9.63")


def eliminate(game: Game, unit: Unit, why: str, rule: str) -> Events:
    """To its eliminated box, or out of the game for good [9.63, 10.22]."""
    destroyed = isolated(game, unit)
    box = "out" if destroyed or unit.full == 1 else f"eliminated-{unit.side}"
    end = "destroyed, isolated [10.22]" if destroyed else "eliminated"
    words = ", ".join(filter(None, (end, "one step only" if unit.full == 1 else "", why)))
    yield from pieces.eliminate(game, unit, box, words, rule)


def left_the_hex(game: Game, battle: Battle) -> Events:
    """Once no defender is left in the hex: units that had fallen back into it are lost [9.74], and it lies open [9.8]."""
    target = battle.hexes[0] if battle.hexes else ""
    if any(u.place == target for u in standing(game, battle, battle.defender)):
        return
    for unit in [u for u in game.units_at(target) if target and game.mark(u.id, "fell-back")]:
        if unit.side == battle.defender:
            yield from eliminate(game, unit, f"had fallen back into {target}", "9.74")
    yield from vacated(game, battle)


# -- who loses them ----------------------------------------------------------------------------------


def owe_losses(game: Game, battle: Battle, side: str, steps: int, step: int, rule: str = "9.6") -> e.Asked:
    """The steps that a side's hits cost its units on record."""
    return owe(
        game,
        side,
        f"{game.side_name(side)}: lose {count(steps, 'step')}",
        lose_steps,
        battle=battle,
        step=step,
        units=battle.units(side),
        rule=rule,
        steps=steps,
        how=EVENLY,
    )


def strong(game: Game, units: Sequence[Unit]) -> list[Unit]:
    """Those that take the first loss, if there are any [9.61]."""
    return [u for u in units if u.steps >= 3 or armour(u, game)]


def shares(game: Game, duty: e.Asked, force: Sequence[Unit], chosen: Sequence[str] = ()) -> dict[str, int]:
    """Who loses how much: the first loss to a strong unit, no second one before all have one [9.61, 9.62].

    :raises Unreadable: when somebody must be chosen
    """
    steps, first = int(duty.args["steps"]), _first_to_pay(game, duty, force)
    if not chosen and steps == 1 and len(first) == 1:
        chosen = [first[0].id]
    return dealt({u.id: u.steps for u in force}, steps, chosen, even=False, rule="9.62")


def _first_to_pay(game: Game, duty: e.Asked, force: Sequence[Unit]) -> list[Unit]:
    """The strong units, where the order of combat losses holds [9.61]."""
    return strong(game, force) if duty.args["how"] == EVENLY else []


def _against_choice(ctx: Context) -> Iterator[Reason]:
    """The first loss is a strong unit's [9.61]."""
    if ctx.duty is None:
        return
    force, chosen = _force(ctx), ctx.values.get("units") or ()
    first, found = _first_to_pay(ctx.game, ctx.duty, force), shares(ctx.game, ctx.duty, force, chosen)
    if first and found and not any(u.id in found for u in first):
        names = ", ".join(called(u) for u in first)
        yield Reason(f"the first loss goes to a three-step or armoured unit: {names}", "9.61")


def _force(ctx: Context) -> list[Unit]:
    return units_of(ctx.game, ctx.duty) if ctx.duty else []


def _bare(ctx: Context) -> Unit | None:
    """One of them whose steps nobody has told: it is not taken for a counter of one step [9.6]."""
    return next((u for u in _force(ctx) if steps_untold(ctx.game, u)), None)


def _step_numbers(ctx: Context) -> list[tuple[str, str]]:
    unit = _bare(ctx)
    return [(str(n), f"{called(unit)} has {count(n, 'step')}") for n in (1, 2, 3)] if unit else []


def _takers(ctx: Context) -> list[Unit]:
    """The units to choose from: a single loss falls on a strong one [9.61]."""
    force = _force(ctx)
    if ctx.args.get("how") == EVENLY and ctx.args.get("steps") == 1:
        return strong(ctx.game, force) or force
    return force


def _choice(ctx: Context) -> Unreadable | None:
    """What has to be chosen; None when there is no choice."""
    try:
        if ctx.duty is not None:
            shares(ctx.game, ctx.duty, _force(ctx))
    except Unreadable as choice:
        return choice
    return None


def _chooses(ctx: Context) -> bool:
    return _bare(ctx) is None and _choice(ctx) is not None


def _exactly(ctx: Context) -> int | None:
    """How many must be chosen: one for each step, or who takes the last one when all have lost theirs [9.62]."""
    steps, force = int(ctx.args.get("steps", 0)), len(_force(ctx))
    return steps if steps < force else 1 if steps == force + 1 else None


@dataclass(frozen=True)
class Takers(UnitRef):
    """Units to choose for losses: the form says how many."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        steps, force = int(ctx.args.get("steps", 0)), len(_force(ctx))
        if steps < force:
            help = "" if steps == 1 else f"choose {steps}: each loses a step"
        else:
            more = steps - force
            help = f"each loses a step; who loses {'the other one' if more == 1 else f'the other {more}'}?"
        return {**super().describe(ctx), "required": True, "exactly": _exactly(ctx), "help": help}


def _no_choice(ctx: Context) -> Mapping[str, Any] | None:
    return {} if _bare(ctx) is None and _choice(ctx) is None else None


def _tell(game: Game, duty: e.Asked, unit: Unit, steps: int) -> Events:
    """The counter is read before it loses anything; then the losses are asked for again."""
    yield from told_steps(game, unit, steps)
    yield read_off(game, unit.id, {"steps": steps, "full": steps}, "9.6", public=True)
    yield replace(duty, id=f"lose-steps-{game.revision}")


@rules.follow_up(rule="9.6", label="Lose steps", alone=_no_choice, warns=_against_choice)
def lose_steps(
    game: Game,
    duty: e.Asked,
    units: Annotated[
        tuple[str, ...],
        Takers(label="Who", many=True, pick=_force, suggest=_takers, when=_chooses),
    ] = (),
    counter: Annotated[
        str,
        Choice(label="Its counter", options=_step_numbers, when=lambda c: _bare(c) is not None),
    ] = "",
    battle: Battle | None = None,
) -> Events:
    """Take the steps that are owed, no more and no fewer."""
    unit = _bare(Context(game, duty=duty))
    if unit is not None:
        if not counter:
            raise Unreadable(f"how many steps has {called(unit)}?", field="counter", rule="9.6")
        yield from _tell(game, duty, unit, int(counter))
        return
    found, held = shares(game, duty, units_of(game, duty), units), dict(game.units)
    for name, steps in found.items():
        yield from lose_step(game, held[name], steps)
    if battle is not None and found:
        lost = [
            f"{called(held[n])} {'loses ' + count(s, 'step') if game.units[n].steps else 'is eliminated'}"
            for n, s in found.items()
        ]
        battle = yield from tell(game, battle, "; ".join(lost), logged=False)
    if battle is not None and duty.to[0] == battle.defender:
        yield from left_the_hex(game, battle)


def _on_map(ctx: Context) -> list[Unit]:
    """The other side's units: an event's targets."""
    return pieces.on_map(ctx.game, ctx.game.other(ctx.duty.to[0])) if ctx.duty else []


@rules.follow_up(rule="9.9", label="Disperse units")
def disperse(
    game: Game, units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=_on_map)]
) -> Events:
    """Put dispersed markers on the targets of Partisan Uprising or Over Extended."""
    for unit in units:
        yield put_mark(game, unit, "dispersed", "on", reason="event", rule="9.9")
