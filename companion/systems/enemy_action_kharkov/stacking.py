"""Too many in a hex: said as the impulse ends, and then owed by the side whose stack it is [7.4]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated

from companion.engine.forms.fields import Context, UnitRef
from companion.engine.forms.panels import Fact, Panel
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import (
    Reason,
    called,
    fits,
    owe_a_step,
    rules,
    steps_untold,
)
from companion.systems.enemy_action_kharkov.losses import lose_step


def overstacked(game: Game) -> dict[str, str]:
    """Hexes with more than three units or six steps [7.4]."""
    return {
        hex_id: f"{len(stack)} units, {sum(u.steps for u in stack)} steps"
        for hex_id, stack in game.stacks().items()
        if not fits(stack)
    }


@rules.panel
def too_many(game: Game) -> Panel | None:
    """Hexes over the limit: the owner takes steps or units off."""
    if game.phase == "command":
        return None  # while units move nobody is nagged: it is said as the impulse ends
    rows = [Fact(hex_id, text, "7.4") for hex_id, text in overstacked(game).items()]
    return Panel("Too many in a hex", rows) if rows else None


@rules.due_in("command", stays=True)
def stacks_to_reduce(game: Game) -> Iterator[str]:
    """Movement, retreats and advances are over: the limit holds again [7.4]."""
    owed = {duty.args["hex"] for duty in game.duties(action="reduce-stack")}
    for hex_id, text in overstacked(game).items():
        if hex_id not in owed:
            yield f"{hex_id} holds too many: {text} [7.4]"


def owe_reductions(game: Game) -> Events:
    """An impulse that ends over them leaves them to their owners."""
    owed = {duty.args["hex"] for duty in game.duties(action="reduce-stack")}
    for hex_id, text in overstacked(game).items():
        if hex_id not in owed:
            yield _owe(game, hex_id, text)


def _owe(game: Game, hex_id: str, text: str) -> e.Asked:
    side = game.units_at(hex_id)[0].side
    words = f"{game.side_name(side)}: reduce {hex_id}, {text}"
    return owe(game, side, words, reduce_stack, rule="7.4", hex=hex_id)


def _stack(ctx: Context) -> list[Unit]:
    return ctx.game.units_at(str(ctx.args.get("hex", "")))


def _more_than_needed(ctx: Context) -> Iterator[Reason]:
    """The limit holds before all of the chosen units have paid [7.4]."""
    chosen = set(ctx.values.get("units") or ())
    paid = chosen - {next(iter(ctx.values.get("units") or ("",)))}
    left = [replace(u, steps=u.steps - (u.id in paid)) for u in _stack(ctx)]
    if len(chosen) > 1 and fits([u for u in left if u.steps]):
        yield Reason("fewer steps will do", "7.4")


@rules.follow_up(
    rule="7.4",
    label="Lose a step",
    warns=_more_than_needed,
    still=lambda game, duty: duty.args.get("hex") in overstacked(game),
)
def reduce_stack(
    game: Game,
    duty: e.Asked,
    units: Annotated[tuple[str, ...], UnitRef(label="A step of each", many=True, pick=_stack)],
) -> Events:
    """Reduce or eliminate units of your choice until the hex holds them."""
    hex_id = str(duty.args["hex"])
    for unit in units:
        if steps_untold(game, game.units[unit]):
            yield owe_a_step(game, f"lose a step of {called(game.units[unit])}", [unit], "7.4")
        else:
            yield from lose_step(game, game.units[unit])
    if text := overstacked(game).get(hex_id):
        yield _owe(game, hex_id, text)
