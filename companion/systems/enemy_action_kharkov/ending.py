"""The end of a combat: the advance, and putting cards and chits away [9.0, 9.8]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context, Flag
from companion.engine.record import events as e
from companion.engine.record.game import Game

from .base import ask, on_record, rules
from .fight import Fight, attacker_of, cleanup, current, is_fought, save, waiting


def unfinished(game: Game) -> list[str]:
    """What units on record still owe after the hits: the retreat itself, and steps for it."""
    return [q.text for q in waiting(game, "retreat", "paid") if q.action]


@rules.watch
def combat_goes_on(game: Game) -> Events:
    """The advance is offered once the retreat is done or waved away."""
    fight = current(game)
    if fight is not None:
        yield from conclude(game, fight)


def conclude(game: Game, fight: Fight) -> Events:
    """When all hits are taken and the defenders are away: the advance, if the hex may be empty, and the end."""
    if not fight.settled or fight.concluded or unfinished(game):
        return
    fight.concluded = True
    yield save(fight, "")
    defenders = on_record(game, fight.defenders)
    gone = bool(defenders) and not any(u.on_map and u.place == fight.target for u in defenders)
    unknown = not defenders and bool(fight.hits.get("D"))
    if fight.retreat or gone or unknown:
        yield _advance(game, fight, far=fight.retreat != 1)
    else:
        why = "The defenders hold" if fight.hits.get("D") else "No hits on the defenders"
        text = f"{why}: end the combat"
        yield ask(game, "advance", (fight.attacker, "table"), text, "end-combat", "9.0")


def _advance(game: Game, fight: Fight, *, far: bool) -> e.Asked:
    """Who may follow up when the hex is empty [9.8]; `far`: after a two-hex retreat or an elimination."""
    text = "If the hex is empty, undispersed active attackers may advance, but none that a tactic brought in"
    if far:
        text += "; mechanised units two hexes, off the path of retreat not from zone to zone"
    return ask(game, "advance", (fight.attacker, "table"), text, "end-combat", "9.8")


def _unsettled(ctx: Context) -> bool:
    fight = current(ctx.game)
    return fight is not None and (not fight.settled or bool(unfinished(ctx.game)))


@rules.action(
    phase="command", by=attacker_of, rule="9.0", label="End the combat", group="hidden", when=is_fought
)
def end_combat(
    game: Game,
    anyway: Annotated[bool, Flag(label="Although something is still open", when=_unsettled)] = False,
) -> Events:
    """Advance, then put tactic cards and chits away."""
    fight = current(game)
    if fight is not None and not anyway:
        _check(game, fight)
    yield from cleanup(game)


def _check(game: Game, fight: Fight) -> None:
    """Nothing of the combat is left to do [9.0]."""
    if fight.missing or not fight.hits:
        raise NotNow(
            "chits are still to be drawn; tick 'although something is open' to break the combat off",
            rule="9.3",
        )
    if fight.owed:
        owed = ", ".join(f"{game.side_name(s)} {n}" for s, n in fight.owed.items())
        raise NotNow(f"steps are still to be lost: {owed}", rule="9.6")
    for text in unfinished(game):
        raise NotNow(f"first: {text}", rule="9.7")
    if not fight.settled:
        raise NotNow(
            "there are hits to take first; tick 'although something is open' to break the combat off",
            rule="9.52",
        )


@rules.action(
    phase="command",
    by=attacker_of,
    rule="9.0",
    label="Break off the combat",
    group="book-keeping",
    when=is_fought,
)
def break_off(game: Game) -> Events:
    """Put tactic cards and chits away although something is still open."""
    yield e.Noted("The combat is broken off", rule="9.0")
    yield from cleanup(game)
