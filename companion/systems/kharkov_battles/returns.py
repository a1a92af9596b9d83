"""Units that come back by themselves from the turn track [16.33, 16.35]: headquarters and German silhouettes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Context, HexId, Text, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books, ground
from companion.systems.kharkov_battles.base import (
    AXIS,
    K,
    Objection,
    count_done,
    done,
    only_its_own,
    rules,
    scenario,
    tick,
)
from companion.systems.kharkov_battles.losses import come_back
from companion.systems.kharkov_battles.units import is_hq, is_silhouette, nation


def due_back(game: Game) -> list[Unit]:
    """Units on the turn track whose turn has come."""
    return [u for u in game.units.values() if u.place == "box:track" and u.turn <= game.turn]


def _due_to(ctx: Context) -> list[Unit]:
    return [u for u in due_back(ctx.game) if ctx.seat in ("table", u.side)]


def _returns(game: Game) -> bool | str:
    if scenario(game) == K and game["k-returns"] == "stay":
        return "nothing returns in this scenario [20.2]"
    return bool(due_back(game)) or "nothing is due back this turn"


def _against_return(ctx: Context) -> Iterator[Objection]:
    """One HQ of each nationality [16.33], three silhouettes [16.35], to a friendly city or an Entry Area."""
    game, hex_id = ctx.game, str(ctx.values.get("hex") or "")
    unit = game.units[str(ctx.values["unit"])]
    if is_hq(unit) and done(game, f"hq-back/{nation(game, unit)}"):
        yield Objection("one HQ of each nationality returns per turn; the others wait", rule="16.33")
    if not is_hq(unit) and is_silhouette(game, unit) and count_done(game, "silhouette-back") >= 3:
        yield Objection("three silhouettes have come back this turn", rule="16.35")
    if not hex_id or unit.kind == "fortress region":
        return
    rule = "16.33" if is_hq(unit) else "16.35"
    if game.mark(hex_id, "owner") not in (None, unit.side):
        yield Objection(f"{hex_id} is not owned by the {game.side_name(unit.side)}", rule=rule)
    if (ground.known_map(game) or books.places(game)) and not ground.is_city(game, hex_id):
        yield Objection(f"{hex_id} is no city by your map book and list of places", rule=rule)


@rules.action(
    phase="reinforcement",
    by="any",
    rule="16.33, 16.35",
    label="Return a unit",
    when=_returns,
    order=2,
    warns=_against_return,
)
def return_unit(
    game: Game,
    unit: Annotated[str, UnitRef(label="Unit", pick=lambda c: due_back(c.game), suggest=_due_to)],
    hex: Annotated[str, HexId(label="City hex")] = "",
    area: Annotated[str, Text(label="or Entry Area", most=10)] = "",
    seat: str = "",
) -> Events:
    """An HQ or German silhouette comes back from the turn track to a friendly city or Entry Area."""
    held = game.units[unit]
    only_its_own(game, seat, held.side, "brings back its own units", field="unit")
    if is_hq(held):
        key = f"hq-back/{nation(game, held)}"
    elif is_silhouette(game, held):
        key = f"silhouette-back/{unit}"
    else:
        key = f"back/{unit}"
    if not hex and not area:
        raise NotNow(
            "say where it comes back: a friendly city, or an Entry Area", field="hex", rule="16.33, 16.35"
        )
    yield come_back(game, held, hex or "box:entry", "returns", "16.33", turn=0, entry=area)
    yield tick(game, key)


@rules.leaving("reinforcement")
def surplus(game: Game) -> Events:
    """Of more than three silhouettes due, the rest are gone for good [16.35]."""
    due = [u for u in due_back(game) if u.side == AXIS and is_silhouette(game, u) and u.turn == game.turn]
    back = count_done(game, "silhouette-back")
    for unit in due[max(0, 3 - back) :]:
        yield move(game, unit.id, "box:dead", reason="more than three due on one turn", rule="16.35")
