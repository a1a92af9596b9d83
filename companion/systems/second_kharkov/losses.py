"""Step losses: German evenness, the Soviet's free choice, and points for what is lost [4.4, 12.19, 12.20]."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Flag, Whole
from companion.engine.record import events as e
from companion.engine.record.changes import change
from companion.engine.record.game import Game
from companion.systems.second_kharkov import pursuit
from companion.systems.second_kharkov.base import GERMAN, SOVIET, Reason, count, historical, rules
from companion.systems.second_kharkov.dead import DEAD, bury, eliminate, step_value
from companion.systems.second_kharkov.fighting import LOSSES, attacker_waits, close, fought, vacated
from companion.systems.second_kharkov.units import Wanted, after_loss, label
from companion.systems.second_kharkov.victory import score

# -- sharing out -----------------------------------------------------------------------------------


def shares(
    steps: Mapping[str, int], lost: int, chosen: Sequence[str] = (), even: bool = True
) -> dict[str, int]:
    """Who loses how many steps. No unit takes a second loss before every unit has taken one [12.20].

    `chosen` take what does not go round evenly. Losses beyond the steps involved are ignored [12.19].
    With `even` false only the first round is even; what is left goes to the chosen units in turn.

    :raises Unreadable: when others must be chosen, or another number of them
    """
    left = dict(steps)
    taken = dict.fromkeys(steps, 0)
    remaining = min(lost, sum(left.values()))
    first = True
    while remaining:
        alive = [u for u in left if left[u]]
        if len(alive) > 1 and (remaining < len(alive) or (not even and not first)):
            wanted = min(remaining, len(alive))
            picked = [u for u in chosen if u in alive]
            if not picked or ((even or first) and len(picked) != wanted):
                words = f"choose {count(wanted, 'unit')} for what does not go round evenly"
                raise Unreadable(words, field="units", accepted=", ".join(alive), rule="12.20")
            alive = picked[:wanted]
        for unit in alive:
            left[unit] -= 1
            taken[unit] += 1
        remaining -= len(alive)
        first = False
    return {u: n for u, n in taken.items() if n}


def to_choose(steps: Mapping[str, int], lost: int, even: bool = True) -> Unreadable | None:
    """What the player has to choose; None when everything goes round evenly."""
    try:
        shares(steps, lost, (), even)
    except Unreadable as choice:
        return choice
    return None


# -- who was in the battle -------------------------------------------------------------------------


def involved(game: Game, side: str) -> list[Unit]:
    """A side's units of the last battle that are still there."""
    facts = fought(game)
    role = next((r for r in ("attacker", "defender") if facts.get(r) == side), "")
    force = [game.units[name] for name in facts.get(f"{role}s", [])]
    return [u for u in force if u.steps and u.place != DEAD]


def _defends(ctx: Context, side: str) -> bool:
    return fought(ctx.game).get("defender") == side


def _germans(ctx: Context) -> list[Unit]:
    return involved(ctx.game, GERMAN)


def _soviets(ctx: Context) -> list[Unit]:
    return involved(ctx.game, SOVIET)


def _steps(ctx: Context) -> int:
    return int(ctx.values.get("steps") or 0)


def _owed(ctx: Context) -> int:
    """The steps left to lose once falling back has saved one [12.23]."""
    return max(0, _steps(ctx) - bool(ctx.values.get("retreat")))


def _even(game: Game) -> bool:
    return bool(game["even-losses"] == "rounds")


def _odd_steps(ctx: Context) -> Unreadable | None:
    return to_choose({u.id: u.steps for u in _germans(ctx)}, _owed(ctx), _even(ctx.game))


@dataclass(frozen=True)
class Takers(Wanted):
    """Units to choose for losses: the form says how many."""

    how_many: Callable[[Context], object] = str

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "help": str(self.how_many(ctx) or "")}


# -- German losses ---------------------------------------------------------------------------------


def _target(ctx: Context) -> str:
    return str(fought(ctx.game).get("target") or "")


def _may_retreat(ctx: Context) -> bool:
    """Germans alone fall back [8.9]: in defence, not out of a city, and only instead of a step [12.23]."""
    return (
        _defends(ctx, GERMAN)
        and fought(ctx.game).get("terrain") != "city"
        and _steps(ctx) > 0
        and pursuit.can_fall_back(ctx.game, _germans(ctx), _target(ctx))
    )


def _refuges(ctx: Context) -> list[tuple[str, str]]:
    return [(r.hex, r.words) for r in pursuit.refuges(ctx.game, _germans(ctx), _target(ctx))]


def _asks_where(ctx: Context) -> bool:
    return bool(ctx.values.get("retreat")) and bool(_refuges(ctx))


def _asks_mechanised(ctx: Context) -> bool:
    """Only points tell mechanised steps from others [4.4], and units on record tell it themselves."""
    return not _germans(ctx) and bool(_owed(ctx)) and historical(ctx.game)


def _asks_vacated(ctx: Context) -> bool:
    return _defends(ctx, GERMAN) and not _germans(ctx) and not ctx.values.get("retreat")


@rules.action(by=GERMAN, rule="12.20", label="German losses", group="hidden")
def german_losses(
    game: Game,
    steps: Annotated[int, Whole(label="Steps to lose", high=20)],
    retreat: Annotated[
        bool, Flag(label="Fall back one hex instead of losing one step", when=_may_retreat)
    ] = False,
    to: Annotated[
        str,
        Choice(
            label="Fall back to",
            options=_refuges,
            when=_asks_where,
            start=lambda c: next((value for value, _ in _refuges(c)), ""),
        ),
    ] = "",
    units: Annotated[
        tuple[str, ...],
        Takers(
            label="Who takes the odd steps",
            many=True,
            pick=_germans,
            when=lambda c: _odd_steps(c) is not None,
            how_many=_odd_steps,
            follow_up="german-losses",
        ),
    ] = (),
    mech: Annotated[
        int, Whole(label="Mechanised steps among them", help="2 points each", high=20, when=_asks_mechanised)
    ] = 0,
    vacated_hex: Annotated[bool, Flag(label="The hex is empty now", when=_asks_vacated)] = False,
) -> Events:
    """Take German step losses, spread evenly; a defender outside a city may fall back to save one."""
    attacker_waits(game, GERMAN)
    yield from close(game, LOSSES[GERMAN])
    owed = max(0, steps - retreat)
    if force := involved(game, GERMAN):
        for name, lost in shares({u.id: u.steps for u in force}, owed, units, _even(game)).items():
            yield from _reduce(game, game.units[name], lost)
    else:
        yield from _count_steps(game, owed, mech)
        if retreat:
            yield e.Noted("The German defenders fall back one hex", rule="12.23")
    if retreat:
        yield from pursuit.fall_back(game, involved(game, GERMAN), to)
    yield from _after(game, GERMAN, vacated_hex or retreat)


def _count_steps(game: Game, lost: int, mech: int) -> Events:
    """Points for steps of Germans who are not on record [4.4]."""
    if mech > lost:
        words = f"{mech} mechanised steps are more than the {lost} lost"
        raise Unreadable(words, field="mech", given=mech, rule="4.4")
    words = count(lost, "German step") + (f", {mech} mechanised" if mech else "")
    yield from score(game, SOVIET, lost + mech, words, "4.4")


def _reduce(game: Game, unit: Unit, lost: int) -> Events:
    """Turn or swap the counter [2.13]; a mechanised step is worth two points [4.4]."""
    left = unit.steps - lost
    loses = f"loses {count(lost, 'step')}"
    if left:
        swap = unit.full == 4 and unit.steps > int(game["substitute"]) >= left
        reason = f"{loses}: put its substitute counter in" if swap else loses
        facts = after_loss(game, unit, left)
        yield change(game, unit.id, facts, reason=reason, rule="2.13, 12.20", public=True)
    else:
        yield from bury(unit, "2.13")
    yield from score(game, SOVIET, lost * step_value(unit), f"{label(unit)} {loses}", "4.4")


# -- Soviet losses ---------------------------------------------------------------------------------


def _soviet_choice(ctx: Context) -> bool:
    return 0 < _steps(ctx) < len(_soviets(ctx))


@rules.action(by=SOVIET, rule="12.20", label="Soviet losses", group="hidden")
def soviet_losses(
    game: Game,
    steps: Annotated[int, Whole(label="Units to lose", help="every Soviet unit is one step", high=20)],
    units: Annotated[
        tuple[str, ...],
        Takers(
            label="Which",
            many=True,
            pick=_soviets,
            when=_soviet_choice,
            how_many=lambda c: Reason(f"choose {count(_steps(c), 'unit')}", "12.20"),
            follow_up="soviet-losses",
        ),
    ] = (),
    vacated_hex: Annotated[
        bool, Flag(label="The hex is empty now", when=lambda c: _defends(c, SOVIET) and not _soviets(c))
    ] = False,
) -> Events:
    """Take Soviet losses; the Soviet player chooses freely."""
    attacker_waits(game, SOVIET)
    yield from close(game, LOSSES[SOVIET])
    force = [u.id for u in involved(game, SOVIET)]
    if force:
        lost = force if steps >= len(force) else list(units)
        if len(lost) != min(steps, len(force)):
            words, accepted = f"choose {count(steps, 'unit')}", ", ".join(force)
            raise Unreadable(words, field="units", accepted=accepted, rule="12.20")
        for name in lost:
            yield from eliminate(game, game.units[name], "12.20")
    else:
        yield from score(game, GERMAN, steps, count(steps, "Soviet unit"), "4.4")
    yield from _after(game, SOVIET, vacated_hex)


def _after(game: Game, side: str, empty: bool) -> Events:
    """Once the defender's losses are taken, see whether the hex is open [12.21]."""
    facts = fought(game)
    if facts.get("defender") != side:
        if facts.get("attackers") and not involved(game, side):
            yield from close(game, "advance")  # nobody is left to move in
        return
    target = str(facts.get("target") or "")
    if facts.get("defenders"):
        empty = not any(u.side == side for u in game.units_at(target))
    if empty:
        yield from vacated(game)
