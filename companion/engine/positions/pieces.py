"""What every game does with units: whose are on the map, who takes which losses, who is eliminated; counted in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from companion.engine.errors import Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.once import once
from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, take_off
from companion.engine.record.game import Game


def count(number: int, thing: str, things: str = "") -> str:
    """'1 step', '2 steps'."""
    return f"{number} {thing if number == 1 else things or f'{thing}s'}"


def on_map(game: Game, side: str = "") -> list[Unit]:
    """The units on the map, of one side where it is told."""
    return list(_on_map(game, side))


@once
def _on_map(game: Game, side: str) -> tuple[Unit, ...]:
    if side:
        return tuple(u for u in _on_map(game, "") if u.side == side)
    return tuple(u for u in game.units.values() if u.on_map)


def eliminate(game: Game, unit: Unit, box: str, reason: str = "eliminated", rule: str = "") -> Events:
    """The last step is gone, and everybody sees which unit it was; markers go with it but those that `stay`."""
    yield e.Placed(unit.id, f"box:{box}", unit.place, {"steps": 0}, reason=reason, rule=rule, side=unit.side)
    staying = {marker.id for marker in game.kit.markers if marker.stays}
    for name in list(game.marks.get(unit.id, {})):
        if name not in staying:
            yield take_off(game, unit.id, name, IN_PASSING)


def dealt(
    steps: Mapping[str, int], lost: int, chosen: Sequence[str] = (), *, even: bool = True, rule: str = ""
) -> dict[str, int]:
    """Who loses how many steps when no unit takes a second loss before every unit has taken one.

    `chosen` take what does not go round evenly. Losses beyond the steps there are come to nothing.
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
                words = f"choose {wanted} unit{'' if wanted == 1 else 's'} for what does not go round evenly"
                raise Unreadable(words, field="units", accepted=", ".join(alive), rule=rule)
            alive = picked[:wanted]
        for unit in alive:
            left[unit] -= 1
            taken[unit] += 1
        remaining -= len(alive)
        first = False
    return {u: n for u, n in taken.items() if n}
