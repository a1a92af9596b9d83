"""Step losses: German evenness, the Soviet's free choice, and points for what is lost (4.4, 12.19, 12.20)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from companion.systems.second_kharkov.base import GERMAN, SOVIET, count, historical, rules
from companion.systems.second_kharkov.dead import DEAD, bury, eliminate, step_value
from companion.systems.second_kharkov.fighting import LOSSES, attacker_waits, close, fought, vacated
from companion.systems.second_kharkov.units import Wanted, after_loss, label
from companion.systems.second_kharkov.victory import score

# -- sharing out -----------------------------------------------------------------------------------


def shares(
    steps: Mapping[str, int], lost: int, chosen: Sequence[str] = (), even: bool = True
) -> dict[str, int]:
    """12.20: who loses how many steps. No unit takes a second loss before every unit has taken one.

    `chosen` take what does not go round evenly. Losses beyond the steps involved are ignored (12.19).
    With `even` false only the first round is even; what is left goes to the chosen units in turn.
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
                raise Unreadable(
                    f"choose {count(wanted, 'unit')} for what does not go round evenly (12.20)",
                    field="units",
                    accepted=", ".join(alive),
                )
            alive = picked[:wanted]
        for unit in alive:
            left[unit] -= 1
            taken[unit] += 1
        remaining -= len(alive)
        first = False
    return {u: n for u, n in taken.items() if n}


def odd_steps(steps: Mapping[str, int], lost: int, even: bool = True) -> str:
    """What the player has to choose, in words; empty when everything goes round evenly."""
    try:
        shares(steps, lost, (), even)
    except Unreadable as choice:
        return choice.message
    return ""


# -- who was in the battle -------------------------------------------------------------------------


def involved(game: Game | None, side: str) -> list[Unit]:
    """A side's units of the last battle that are still there."""
    facts = fought(game) if game else {}
    role = next((r for r in ("attacker", "defender") if facts.get(r) == side), "")
    names = facts.get(f"{role}s", []) if role else []
    return (
        [game.units[n] for n in names if game.units[n].steps and game.units[n].place != DEAD] if game else []
    )


def _defends(ctx: Context, side: str) -> bool:
    return ctx.game is not None and fought(ctx.game).get("defender") == side


def _germans(ctx: Context) -> list[Unit]:
    return involved(ctx.game, GERMAN)


def _soviets(ctx: Context) -> list[Unit]:
    return involved(ctx.game, SOVIET)


def _owed(ctx: Context) -> int:
    steps = int(ctx.values.get("steps") or 0)
    return max(0, steps - bool(ctx.values.get("retreat")))


def _even(ctx: Context) -> bool:
    return ctx.game is None or ctx.game["even-losses"] == "rounds"


def _german_choice(ctx: Context) -> bool:
    return bool(odd_steps({u.id: u.steps for u in _germans(ctx)}, _owed(ctx), _even(ctx)))


@dataclass(frozen=True)
class Takers(Wanted):
    """Units to choose for losses: the form says how many."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "help": self._how_many(ctx)}

    def _how_many(self, ctx: Context) -> str:
        force = self.units(ctx)
        if force and force[0].side == GERMAN:
            return odd_steps({u.id: u.steps for u in force}, _owed(ctx), _even(ctx))
        return f"choose {count(_owed(ctx), 'unit')} (12.20)"


# -- German losses ---------------------------------------------------------------------------------


def _may_retreat(ctx: Context) -> bool:
    """12.23: in defence, not out of a city, and only instead of a step."""
    return (
        _defends(ctx, GERMAN)
        and ctx.game is not None
        and fought(ctx.game).get("terrain") != "city"
        and int(ctx.values.get("steps") or 0) > 0
        and pursuit.can_fall_back(ctx.game, _germans(ctx), str(fought(ctx.game).get("target") or ""))
    )


def _refuges(ctx: Context) -> list[tuple[str, str]]:
    if ctx.game is None:
        return []
    return [
        (r.hex, r.words)
        for r in pursuit.refuges(ctx.game, _germans(ctx), str(fought(ctx.game).get("target")))
    ]


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
            when=lambda c: bool(c.values.get("retreat")) and bool(_refuges(c)),
            start=lambda c: next((value for value, _ in _refuges(c)), ""),
        ),
    ] = "",
    units: Annotated[
        tuple[str, ...],
        Takers(
            label="Who takes the odd steps",
            many=True,
            pick=_germans,
            when=_german_choice,
            follow_up="german-losses",
        ),
    ] = (),
    mech: Annotated[
        int,
        Whole(
            label="Mechanised steps among them",
            help="2 points each",
            high=20,
            when=lambda c: not _germans(c) and bool(_owed(c)) and c.game is not None and historical(c.game),
        ),
    ] = 0,
    vacated_hex: Annotated[
        bool,
        Flag(
            label="The hex is empty now",
            when=lambda c: _defends(c, GERMAN) and not _germans(c) and not c.values.get("retreat"),
        ),
    ] = False,
) -> Events:
    """Take German step losses, spread evenly; a defender outside a city may fall back to save one."""
    attacker_waits(game, GERMAN)
    yield from close(game, LOSSES[GERMAN])
    force = involved(game, GERMAN)
    owed = max(0, steps - retreat)
    if force:
        even = game["even-losses"] == "rounds"
        for name, lost in shares({u.id: u.steps for u in force}, owed, units, even).items():
            yield from _reduce(game, game.units[name], lost)
    elif mech > owed:
        raise Unreadable(f"{mech} mechanised steps are more than the {owed} lost", field="mech", given=mech)
    else:
        words = count(owed, "German step") + (f", {mech} mechanised" if mech else "")
        yield from score(game, SOVIET, owed + mech, words, "4.4")
        if retreat:
            yield e.Noted("The German defenders fall back one hex", rule="12.23")
    if retreat:
        yield from pursuit.fall_back(game, involved(game, GERMAN), to)
    yield from _after(game, GERMAN, vacated_hex or retreat)


def _reduce(game: Game, unit: Unit, lost: int) -> Events:
    """2.13: turn or swap the counter; 4.4: a mechanised step is worth two points."""
    left = unit.steps - lost
    reason = f"loses {count(lost, 'step')}"
    if unit.full == 4 and unit.steps > int(game["substitute"]) >= left > 0:
        reason += ": put its substitute counter in"
    if left:
        facts = after_loss(game, unit, left)
        yield change(game, unit.id, facts, reason=reason, rule="2.13, 12.20", public=True)
    else:
        yield from bury(unit, "2.13")
    yield from score(
        game, SOVIET, lost * step_value(unit), f"{label(unit)} {reason.partition(':')[0]}", "4.4"
    )


# -- Soviet losses ---------------------------------------------------------------------------------


def _soviet_choice(ctx: Context) -> bool:
    return 0 < int(ctx.values.get("steps") or 0) < len(_soviets(ctx))


@rules.action(by=SOVIET, rule="12.20", label="Soviet losses", group="hidden")
def soviet_losses(
    game: Game,
    steps: Annotated[int, Whole(label="Units to lose", help="every Soviet unit is one step", high=20)],
    units: Annotated[
        tuple[str, ...],
        Takers(label="Which", many=True, pick=_soviets, when=_soviet_choice, follow_up="soviet-losses"),
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
            raise Unreadable(
                f"choose {count(steps, 'unit')} (12.20)", field="units", accepted=", ".join(force)
            )
        for name in lost:
            yield from eliminate(game, game.units[name], "12.20")
    else:
        yield from score(game, GERMAN, steps, count(steps, "Soviet unit"), "4.4")
    yield from _after(game, SOVIET, vacated_hex)


def _after(game: Game, side: str, empty: bool) -> Events:
    """12.21: once the defender's losses are taken, see whether the hex is open."""
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
