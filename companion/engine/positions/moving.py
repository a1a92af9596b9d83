"""Units taken up together and put down in another hex: what a tap on the map does, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from typing import Annotated

from companion.engine.errors import Mistake, Unreadable
from companion.engine.forms.fields import Context, HexId, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.people.units import movable
from companion.engine.play.actions import Events
from companion.engine.play.rules import Attack, Rules
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_unit


def bind_moving(rules: Rules) -> None:
    """Give a game the action that moves units of one hex together."""

    @rules.action(by="any", label="Move", group="map")
    def move_stack(
        game: Game,
        hex: Annotated[str, HexId(label="To hex")],
        units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=movable)] = (),
        below: Annotated[
            str, HexId(label="With what lies hidden in hex", when=lambda c: c.seat == "table")
        ] = "",
        seat: str = "",
    ) -> Events:
        """Move units to a hex together; they keep their order. The table's screen takes closed stacks along unread."""
        going = [game.units[name] for name in units]
        if below:
            going += hidden_in(game, seat, below, {unit.side for unit in going})
        if not going:
            raise Unreadable("say who moves: tick a unit", field="units")
        if all(unit.place == hex for unit in going):
            raise Unreadable(f"they stand in {hex} already: tap another hex", field="hex", given=hex)
        for unit in sorted(going, key=lambda u: u.order):
            if unit.place != hex:
                yield move(game, unit.id, hex)


def hidden_in(game: Game, seat: str, hex_id: str, sides: Container[str] = ()) -> list[Unit]:
    """The counters in a hex that a seat may move and not read.

    :param sides: of which side, where that is known
    :raises Unreadable: when they are of both sides
    """
    found = [u for u in game.units_at(hex_id) if not may_see_unit(game, u, seat)]
    found = [u for u in found if u.side in sides] if sides else found
    if len({u.side for u in found}) > 1:
        raise Unreadable(
            f"both sides lie hidden in {hex_id}: type whose stack moves", field="below", given=hex_id
        )
    return found


def said_of_move(rules: Rules, game: Game, seat: str, units: Sequence[Unit], start: str) -> list[str]:
    """What the rules have against a move that was made, as far as the seat may know it.

    :param start: where the units came from
    """
    here, side = units[0].place, units[0].side
    found = [f"{here} is held by the enemy"] if enemies(game, side, here) else []
    own = [u for u in game.units_at(here) if u.side == side]
    if all(
        may_see_unit(game, unit, seat) for unit in own
    ):  # what is wrong with a stack tells what lies in it
        found += [str(words) for minds in rules.minds for words in minds(game, units, start)]
    return list(dict.fromkeys(found))


def enemies(game: Game, side: str, hex_id: str) -> bool:
    """Whether the other side stands in a hex; that counters lie there is plain to see."""
    return any(unit.side != side for unit in game.units_at(hex_id))


def stack_there(game: Game, units: Sequence[Unit]) -> list[Unit]:
    """All of a side in the hex that its units came to."""
    return [u for u in game.units_at(units[0].place) if u.side == units[0].side]


def too_far(
    game: Game, units: Sequence[Unit], start: str, points: Callable[[Unit], int | None], a_point: int = 1
) -> Iterator[str]:
    """Who went further than his movement allows on the best of ways.

    :param points: a unit's movement, None while nobody knows it
    :param a_point: how many hexes the cheapest way gives for a point
    """
    try:
        steps = game.maps.distance(start, units[0].place)
    except Mistake:  # out of a box, or from another map
        return
    for unit in units:
        held = points(unit)
        if held is not None and steps > held * a_point:
            yield f"{unit.name or unit.id} went {steps} hexes with {held} movement points"


def out_of_turn(game: Game, units: Sequence[Unit]) -> Iterator[str]:
    """Units taken up in the other side's phase, of which no open duty asks a move: a retreat, an advance.

    A battle's duty that names nobody may be about anybody.
    """
    asked = [duty for duty in game.duties() if duty.units or duty.battle]
    for unit in units:
        free = any(not duty.units or unit.id in duty.units for duty in asked)
        if game.active and game.active != unit.side and unit.on_map and not free:
            now = game.phase_def()
            phase = now.name if now else game.phase
            yield f"{unit.name or unit.id} is {game.side_name(unit.side)}, and this is {phase}"


def minds_turns(rules: Rules, rule: str) -> None:
    """Let a game say so before units go out of their side's turn by a tap on the map.

    :param rule: where the game gives its sequence of play
    """

    @rules.warns_of("move-stack")
    def said_first(ctx: Context) -> list[str]:
        going = [ctx.game.units[name] for name in ctx.values["units"]]
        return [f"{words} [{rule}]" for words in out_of_turn(ctx.game, going)]


def attacks_on(rules: Rules, game: Game, seat: str, hex_id: str) -> list[tuple[Attack, list[Unit]]]:
    """The ways in which this seat may attack a hex now, with its units next to it that it may name."""
    beside = set(game.maps.neighbours(hex_id))
    found = []
    for attack in rules.attacks:
        action = rules.actions[attack.action]
        if action.refusal(game, seat) is not None:
            continue
        side = game.active if seat == "table" else seat
        near = [u for u in game.units.values() if u.side == side and u.place in beside]
        if near and enemies(game, side, hex_id):
            found.append((attack, [u for u in near if may_see_unit(game, u, seat)]))
    return found
