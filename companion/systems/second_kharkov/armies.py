"""1st Panzer and 17th Armies: restricted, released, or released in haste [6.2-6.4, 13.4]."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Choice, Context
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.second_kharkov.base import (
    FIGHT,
    GERMAN,
    MOVE,
    SOUTH,
    SOVIET,
    WEST,
    Crosser,
    Reason,
    area,
    first_german_phase,
    german_player_turn,
    historical,
    put,
    rules,
)
from companion.systems.second_kharkov.units import ARMY_DIALS, label

RELEASE_TURN = 3


def restricted(game: Game, army: str) -> bool:
    """Whether this army may neither attack nor pass the front line [6.2]."""
    return army in ARMY_DIALS and game[ARMY_DIALS[army]] == "restricted"


def hasty(game: Game, army: str) -> bool:
    """Whether this army acts as if out of supply in the present player turn [13.4]."""
    return army in ARMY_DIALS and game[ARMY_DIALS[army]] == "hasty" and german_player_turn(game)


def any_restricted(game: Game) -> bool:
    return any(restricted(game, army) for army in ARMY_DIALS)


def frozen(game: Game, unit: Unit, does: str) -> Reason | None:
    """Why a Soviet that set up south of the boundary stays put on turn 1 [5.5]; None when it is free.

    Where it set up is not known of a unit that its player placed.
    """
    if unit.side != SOVIET or game.turn != 1:
        return None
    marked = any(game.mark(t, "frozen") for t in (unit.id, unit.place))
    home = next((u.place for u in game.roster if u.id == unit.id), "")
    if not marked and (home or unit.place) not in area(game, SOUTH):
        return None
    sure = marked or home
    where = "set up south of the boundary and" if sure else "if it set up south of the boundary,"
    return Reason(f"{label(unit)} {where} {does} on turn 1", "5.5")


def release(game: Game, state: str, why: str, rule: str) -> Events:
    for army, dial in ARMY_DIALS.items():
        if restricted(game, army):
            yield e.Set(dial, state, was=game[dial], reason=why, rule=rule)


def triggered(game: Game, why: str) -> Events:
    """A Soviet crossing in the south frees both armies for good [6.3]."""
    yield from release(game, "hasty" if game["triggered-penalty"] else "released", why, "6.3")


@rules.watch
def released_on_turn_3(game: Game) -> Events:
    """Free from the start of the German player turn of turn 3 [6.2]."""
    if game.turn > RELEASE_TURN or (game.turn == RELEASE_TURN and german_player_turn(game)):
        yield from release(game, "released", "turn 3 has come", "6.2")


@rules.watch
def released_by_a_move(game: Game) -> Events:
    """Seen from the record where the owner has entered the two lines [6.3]."""
    yield from released_by_passing(game, [h for h, stack in game.stacks().items() if stack[0].side == SOVIET])


def released_by_passing(game: Game, hexes: Iterable[str]) -> Events:
    """Soviets that were in one of these hexes, even if only on their way [6.3]."""
    beyond = area(game, WEST) & area(game, SOUTH)
    if any_restricted(game) and (crossed := [h for h in hexes if h in beyond]):
        yield from triggered(game, f"Soviets in {crossed[0]}")


def released_by_an_attack(game: Game, attacker: str, target: str) -> Events:
    """An attack over the front line in the south is enough [6.3]."""
    if attacker == SOVIET and any_restricted(game) and target in area(game, WEST) & area(game, SOUTH):
        yield from triggered(game, f"Soviets attack {target}")


@rules.leaving("turn")
def haste_is_over(game: Game) -> Events:
    """The price is paid for one player turn [13.4]."""
    for dial in ARMY_DIALS.values():
        if game[dial] == "hasty":
            yield from put(game, dial, "released", "the player turn is over", "13.4")


@rules.action(
    by="any",
    phase=(MOVE[SOVIET], FIGHT[SOVIET]),
    rule="6.3",
    label="Record: front line crossed in the south",
    order=30,
    when=lambda game: any_restricted(game) or NotNow("both armies are free already", rule="6.2"),
)
def southern_crossing(game: Game, who: Crosser = "") -> Events:
    """A Soviet unit moved or attacked over the front line in the south: both armies are free at once."""
    yield from triggered(game, f"{who or 'Soviets'} crossed the front line in the south")


def _still_held(ctx: Context) -> list[tuple[str, str]]:
    return [(dial, army) for army, dial in ARMY_DIALS.items() if restricted(ctx.game, army)]


def _only_one_held(ctx: Context) -> list[str]:
    held = [dial for dial, _ in _still_held(ctx)]
    return held if len(held) == 1 else []


def _may_release(game: Game) -> bool | NotNow:
    if historical(game):
        return NotNow("only the Alternative scenario lets the German free an army early", rule="13.4")
    if game.turn != 2 or game.phase != first_german_phase(game):
        return NotNow("on turn 2 only, as the German player turn opens", rule="13.4")
    return any_restricted(game) or NotNow("both armies are free already", rule="6.2")


def _late(ctx: Context) -> list[Reason]:
    """It is decided as the German player turn opens, before anything is done [13.4]."""
    game = ctx.game
    fought = [b for b in game.battles.values() if b.attacker == GERMAN and b.turn == game.turn]
    moved = [n for n in game.marked("spent") if n in game.units and game.units[n].side == GERMAN]
    return [Reason("the player turn is under way already", "13.4")] if fought or moved else []


@rules.action(
    by=GERMAN,
    phase=(MOVE[GERMAN], FIGHT[GERMAN]),
    rule="13.4",
    label="Free an army early",
    order=5,
    when=_may_release,
    warns=_late,
)
def voluntary_release(
    game: Game,
    armies: Annotated[
        tuple[str, ...], Choice(label="Armies", options=_still_held, many=True, start=_only_one_held)
    ],
) -> Events:
    """Free one or both armies now; this player turn they move and fight as if out of supply."""
    for dial in armies:
        yield from put(game, dial, "hasty", "freed by the German", "13.4")
