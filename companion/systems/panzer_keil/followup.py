"""Follow-ups of a battle: questions and reminders for one side, and the units they are about [9.6-9.8]."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import on_map, rules


def ask(game: Game, to: str, text: str, action: str, args: Mapping[str, object], rule: str) -> e.Asked:
    """A follow-up for one side, with the action that carries it out."""
    return e.Asked(f"{action}-{game.revision}", (to, "table"), text, action, args, rule=rule)


def remind(game: Game, to: str, text: str, rule: str) -> e.Asked:
    """Something to do on the map alone: a line to tap away."""
    return e.Asked(f"map-{game.revision}", (to, "table"), text, rule=rule)


@rules.watch
def _nobody_left(game: Game) -> Events:
    """A question about units that have all been lost since asks for nothing."""
    for question in list(game.asked.values()):
        units = [str(u) for u in question.args.get("among", ())] if question.args else []
        if units and not any(u in game.units and game.units[u].on_map for u in units):
            yield e.Answered(question.id, "nobody is left")


def those(name: str) -> Callable[[Context], list[Unit]]:
    """The units that a prompt is about, as another field holds them; all while it holds none."""

    def found(ctx: Context) -> list[Unit]:
        return [ctx.game.units[u] for u in ctx.values.get(name) or ()] or on_map(ctx.game, "")

    return found


def prompted(ctx: Context) -> list[Unit]:
    """The units that a prompt is about, ticked or not: they may part company [9.7.1, 9.8]."""
    return those("among" if ctx.values.get("among") else "units")(ctx)
