"""Step losses: German evenness, the Soviet's free choice, and points for what is lost [4.4, 12.19, 12.20]."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import standing
from companion.engine.positions.pieces import count, dealt
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import change
from companion.engine.record.game import Game
from companion.systems.second_kharkov import pursuit
from companion.systems.second_kharkov.aftermath import target_of, vacated
from companion.systems.second_kharkov.base import GERMAN, SOVIET, Reason, historical, rules
from companion.systems.second_kharkov.dead import bury, eliminate, step_value
from companion.systems.second_kharkov.deeds import done, told
from companion.systems.second_kharkov.units import Wanted, after_loss, label
from companion.systems.second_kharkov.victory import score

STAND, EMPTY, BACK = "stand", "empty", "back"

# -- who was in the battle -------------------------------------------------------------------------


def _force(ctx: Context, side: str) -> list[Unit]:
    """A side's units of the battle that are still there."""
    return standing(ctx.game, ctx.battle, side) if ctx.battle else []


def _germans(ctx: Context) -> list[Unit]:
    return _force(ctx, GERMAN)


def _soviets(ctx: Context) -> list[Unit]:
    return _force(ctx, SOVIET)


def _defends(ctx: Context, side: str) -> bool:
    return ctx.battle is not None and ctx.battle.defender == side


def _steps(ctx: Context) -> int:
    return int(ctx.args.get("steps", 0))


@dataclass(frozen=True)
class Takers(Wanted):
    """Units to choose for losses: the form says how many."""

    how_many: Callable[[Context], object] = str
    number: Callable[[Context], int] = lambda ctx: 0
    """Where it is one, each unit is an answer by itself."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        several = self.number(ctx) != 1
        return {
            **super().describe(ctx),
            "many": several,
            "help": str(self.how_many(ctx) or "") if several else "",
        }


def _ways(ctx: Context, side: str, lose: str) -> list[tuple[str, str]]:
    """How losses are taken; of a defender who is not on record, what becomes of the hex [12.21]."""
    if not _defends(ctx, side) or _force(ctx, side):
        return [(STAND, lose)]
    where = target_of(ctx.battle) or "the hex"
    return [(STAND, f"{lose}, {where} is still held"), (EMPTY, f"{lose}, {where} is empty now")]


# -- German losses ---------------------------------------------------------------------------------


def _owed(ctx: Context) -> int:
    """The steps left to lose once falling back has saved one [12.23]."""
    return max(0, _steps(ctx) - (ctx.values.get("how") == BACK))


def _shares(game: Game, force: list[Unit], lost: int, chosen: tuple[str, ...] = ()) -> dict[str, int]:
    """No unit takes a second loss before every unit has taken one [12.20]; beyond their steps nothing is lost [12.19]."""
    even = game["even-losses"] == "rounds"
    return dealt({u.id: u.steps for u in force}, lost, chosen, even=even, rule="12.20")


def _odd_steps(ctx: Context) -> Unreadable | None:
    """What the player has to choose; None when everything goes round evenly."""
    try:
        _shares(ctx.game, _germans(ctx), _owed(ctx))
    except Unreadable as choice:
        return choice
    return None


def _odd_takers(ctx: Context) -> list[Unit]:
    """Who can take an odd step: those whom the even ones have left."""
    choice = _odd_steps(ctx)
    left = str(choice.accepted).split(", ") if choice else []
    return [u for u in _germans(ctx) if u.id in left]


def _odd_number(ctx: Context) -> int:
    """How many take an odd step; 0 where that is open, because only the first round need be even."""
    takers = [u.id for u in _odd_takers(ctx)]
    for number in range(1, len(takers)) if ctx.game["even-losses"] == "rounds" else ():
        try:
            _shares(ctx.game, _germans(ctx), _owed(ctx), tuple(takers[:number]))
        except Unreadable:
            continue
        return number
    return 0


def _may_fall_back(ctx: Context) -> bool:
    """Germans alone fall back [8.9]: in defence, not out of a city, and only instead of a step [12.23]."""
    battle = ctx.battle
    if battle is None or not _defends(ctx, GERMAN) or battle.facts.get("terrain") == "city":
        return False
    nobody = not _germans(ctx)  # on record: the players see for themselves
    return nobody or any(left and pursuit.can_fall_back(ctx.game, battle, left) for left in _survivors(ctx))


def _survivors(ctx: Context) -> Iterator[list[Unit]]:
    """Who may be left to fall back, one step being saved, whoever is chosen for the odd ones."""
    force = _germans(ctx)
    for chosen in (few for n in range(len(force) + 1) for few in combinations(force, n)):
        try:
            lost = _shares(ctx.game, force, _steps(ctx) - 1, tuple(u.id for u in chosen))
        except Unreadable:
            continue
        yield [u for u in force if lost.get(u.id, 0) < u.steps]


def _german_ways(ctx: Context) -> list[tuple[str, str]]:
    lost = _steps(ctx)
    ways = _ways(ctx, GERMAN, f"Lose {count(lost, 'step')}")
    if not _may_fall_back(ctx):
        return ways
    return [*ways, (BACK, f"Fall back, lose {count(lost - 1, 'step') if lost > 1 else 'nothing'}")]


def _asks_mechanised(ctx: Context) -> bool:
    """Only points tell mechanised steps from others [4.4], and units on record tell it themselves."""
    return not _germans(ctx) and bool(_owed(ctx)) and historical(ctx.game)


def _numbers(ctx: Context) -> list[tuple[str, str]]:
    return [(str(n), str(n)) for n in range(_owed(ctx) + 1)]


def _no_german_choice(ctx: Context) -> Mapping[str, Any] | None:
    """Units on record that must stand lose what goes round evenly, and nobody is asked [12.20]."""
    choice = len(_german_ways(ctx)) > 1 or _odd_steps(ctx) is not None or _asks_mechanised(ctx)
    return None if choice else {}


@rules.follow_up(rule="12.20", label="Lose steps", alone=_no_german_choice)
def german_losses(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    how: Annotated[
        str, Choice(label="How", options=_german_ways, when=lambda c: len(_german_ways(c)) > 1)
    ] = STAND,
    units: Annotated[
        tuple[str, ...],
        Takers(
            label="Who takes the odd steps",
            many=True,
            pick=_odd_takers,
            when=lambda c: _odd_steps(c) is not None,
            how_many=_odd_steps,
            number=_odd_number,
        ),
    ] = (),
    mech: Annotated[
        str,
        Choice(label="Mechanised steps among them, 2 points each", options=_numbers, when=_asks_mechanised),
    ] = "0",
) -> Events:
    """Take German step losses, spread evenly; a defender outside a city may fall back to save one."""
    falls_back = how == BACK
    lost = max(0, int(duty.args["steps"]) - falls_back)
    force = standing(game, battle, GERMAN)
    shares = _shares(game, force, lost, units)
    taken = {name: _left(game, game.units[name], steps) for name, steps in shares.items() if steps}
    for name, steps in shares.items():
        yield from _reduce(game, game.units[name], steps)
    yield from done(game, battle, GERMAN, taken, "12.20", loss=True)
    if not force:
        yield from told(
            game, battle, GERMAN, _bare_words(lost, how), "12.23" if falls_back else "12.19", loss=True
        )
        words = count(lost, "German step") + (f", {mech} mechanised" if int(mech) else "")
        yield from score(game, SOVIET, lost + int(mech), words, "4.4")
    if falls_back:
        yield from pursuit.must_fall_back(game, battle)
    yield from _after(game, battle, GERMAN, how == EMPTY or (falls_back and not force))


def _left(game: Game, unit: Unit, lost: int) -> str:
    """What is left of a unit; the counter that must be put in is said where its owner looks [2.13]."""
    left = unit.steps - lost
    return f"{count(left, 'step')}{SWAP if _swaps(game, unit, left) else ''}" if left else "eliminated"


SWAP = ": put its substitute counter in"


def _swaps(game: Game, unit: Unit, left: int) -> bool:
    """Whether a whole division's counter makes way for its substitute [2.13]."""
    return unit.full == 4 and unit.steps > int(game["substitute"]) >= left


def _bare_words(lost: int, how: str, thing: str = "step") -> str:
    """How losses were taken by a force that is not on record."""
    loses = f"{count(lost, thing)} lost" if lost else "nothing lost"
    return {BACK: f"falls back one hex, {loses}", EMPTY: f"{loses}, the hex is empty"}.get(how, loses)


def _reduce(game: Game, unit: Unit, lost: int) -> Events:
    """Turn or swap the counter [2.13]; a mechanised step is worth two points [4.4]."""
    left = unit.steps - lost
    loses = f"loses {count(lost, 'step')}"
    if left:
        reason = f"{loses}{SWAP}" if _swaps(game, unit, left) else loses
        facts = after_loss(game, unit, left)
        yield change(game, unit.id, facts, reason=reason, rule="2.13, 12.20", public=True)
    else:
        yield from bury(game, unit, "2.13")
    yield from score(game, SOVIET, lost * step_value(unit), f"{label(unit)} {loses}", "4.4")


# -- Soviet losses ---------------------------------------------------------------------------------


def _soviet_choice(ctx: Context) -> bool:
    return 0 < _steps(ctx) < len(_soviets(ctx))


def _soviet_ways(ctx: Context) -> list[tuple[str, str]]:
    return _ways(ctx, SOVIET, f"Lose {count(_steps(ctx), 'unit')}")


def _no_soviet_choice(ctx: Context) -> Mapping[str, Any] | None:
    """All of them go, or a Soviet attacker's units are not on record: there is nothing to choose."""
    return None if _soviet_choice(ctx) or len(_soviet_ways(ctx)) > 1 else {}


@rules.follow_up(rule="12.20", label="Lose units", alone=_no_soviet_choice)
def soviet_losses(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    units: Annotated[
        tuple[str, ...],
        Takers(
            label="Which",
            many=True,
            pick=_soviets,
            when=_soviet_choice,
            how_many=lambda c: Reason(f"choose {count(_steps(c), 'unit')}", "12.20"),
            number=_steps,
        ),
    ] = (),
    how: Annotated[
        str, Choice(label="How", options=_soviet_ways, when=lambda c: len(_soviet_ways(c)) > 1)
    ] = STAND,
) -> Events:
    """Take Soviet losses, a unit a step; the Soviet player chooses freely."""
    steps = int(duty.args["steps"])
    force = [u.id for u in standing(game, battle, SOVIET)]
    if force:
        lost = force if steps >= len(force) else list(units)
        if len(lost) != min(steps, len(force)):
            words, accepted = f"choose {count(steps, 'unit')}", ", ".join(force)
            raise Unreadable(words, field="units", accepted=accepted, rule="12.20")
        for name in lost:
            yield from eliminate(game, game.units[name], "12.20")
        yield from done(game, battle, SOVIET, dict.fromkeys(lost, "eliminated"), "12.20", loss=True)
    else:
        yield from told(game, battle, SOVIET, _bare_words(steps, how, "unit"), "12.19", loss=True)
        yield from score(game, GERMAN, steps, count(steps, "Soviet unit"), "4.4")
    yield from _after(game, battle, SOVIET, how == EMPTY)


def _after(game: Game, battle: Battle, side: str, empty: bool) -> Events:
    """Once the defender's losses are taken, see whether the hex is open [12.21]."""
    if side != battle.defender:
        return
    if battle.units(side):
        empty = not any(u.side == side for u in game.units_at(target_of(battle)))
    if empty:
        yield from vacated(game, battle)
