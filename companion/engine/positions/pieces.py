"""What every game does with units: whose are on the map, who takes which losses, who is eliminated; counted in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from companion.engine.errors import Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.once import once, one
from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, take_off
from companion.engine.record.game import Game


def count(number: int, thing: str, things: str = "") -> str:
    """'1 step', '2 steps'."""
    return f"{number} {thing if number == 1 else things or f'{thing}s'}"


def on_map(game: Game, side: str = "") -> list[Unit]:
    """The units on the map, of one side where it is told."""
    return list(_by_side(game).get(side, ()))


@once
def _by_side(game: Game) -> Mapping[str, Sequence[Unit]]:
    """The units on the map of each side, and all of them under no name: one walk for each unit that moves."""
    sides: dict[str, list[Unit]] = {}
    everybody = [u for u in game.units.values() if u.on_map]
    for unit in everybody:
        sides.setdefault(unit.side, []).append(unit)
    return {**sides, "": everybody}


def any_unit(game: Game, so: Callable[[Unit], bool]) -> bool:
    """Whether any unit on record is so; one that is vouches for it, whatever becomes of the others.

    :param so: whatever it asks besides the unit, it asks the game
    """
    found = next((name for name, unit in vars(game)["units"].items() if so(unit)), "")
    game.worked.look(one("units", found) if found else "units")
    return bool(found)


@once
def anybody_on_map(game: Game) -> bool:
    """Whether there is any unit on the map."""
    return any_unit(game, lambda unit: unit.on_map)


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
