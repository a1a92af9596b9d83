"""Supply points spent: exhausted units turned back to normal, one point each [B6.3, B8.2]."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Context, Whole
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import count as so_many
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.base import (
    FRONTS,
    GERMAN,
    SOVIET,
    disrupted,
    don_bound,
    exhausted,
    named,
    out_of_supply,
    phases,
    rules,
)
from companion.systems.panzer_keil.condition import WantedUnits, on_record, own_on_map
from companion.systems.panzer_keil.points import payer, paying, purses
from companion.systems.panzer_keil.supply import hq_of, in_command


def _tired(ctx: Context) -> list[Unit]:
    return [u for u in own_on_map(ctx) if exhausted(ctx.game, u.id)]


def _refreshable(ctx: Context) -> list[Unit]:
    """Exhausted units that a point can help: in supply and undisrupted [B6.3.3]."""
    game = ctx.game
    return [u for u in _tired(ctx) if not disrupted(game, u.id) and not out_of_supply(game, u.id)]


def _serves(ctx: Context, front: str) -> bool:
    """Whether a Front's point can turn anybody back."""
    return bool(_commanded(ctx.game, front, _refreshable(ctx)))


def _offered(ctx: Context) -> list[Unit]:
    """Those of them that the paying headquarters commands [B8.2]; where nobody can be helped, all who are exhausted."""
    return _commanded(ctx.game, payer(ctx, "sp", _serves), _refreshable(ctx) or _tired(ctx))


def _commanded(game: Game, front: str, found: list[Unit]) -> list[Unit]:
    if game.active != SOVIET or not found or not front:
        return found
    if hq_of(game, front) is None:
        return [u for u in found if front == "don" or not don_bound(game, u)]
    reach = in_command(game, front)
    return [u for u in found if u.id in reach]


def _any_tired(game: Game) -> bool | str:
    ctx = Context(game)
    if not own_on_map(ctx):
        return True
    return bool(_tired(ctx)) or "no exhausted unit is on record [B6.3]"


def _against_spending(ctx: Context) -> list[str]:
    """More than is left, on units that get none or that another headquarters commands [B6.3.3, B8.2, B13.2.1]."""
    game, values = ctx.game, ctx.values
    units, front = values.get("units") or (), str(values.get("front") or "")
    found = [str(fault) for fault in states.against(game, units, states.supply_point)]
    known = front or game.active == GERMAN  # the Front is asked for first
    if known and (len(units) or values.get("count") or 0) > game[_pool(game, front)]:
        found.append(f"only {game[_pool(game, front)]} of its supply points left [B6.3]")
    return [*found, *_out_of_command(game, units, front)] if game.active == SOVIET else found


def _pool(game: Game, front: str, kind: str = "sp") -> str:
    return f"{front if game.active == SOVIET else GERMAN}-{kind}"


@rules.action(
    phase=phases("supply"),
    by="active",
    rule="B6.3",
    label="Spend supply points",
    order=3,
    when=_any_tired,
    warns=_against_spending,
)
def spend_supply(
    game: Game,
    front: Annotated[str, paying("Points of", "sp", _serves)] = "",
    units: Annotated[
        tuple[str, ...],
        WantedUnits(label="Exhausted units", many=True, pick=_tired, suggest=_offered, when=on_record),
    ] = (),
    count: Annotated[int, Whole(label="Units turned back", high=20, quiet=on_record)] = 0,
) -> Events:
    """Turn exhausted units back to normal, one point each."""
    spent = len(units) or count
    if not spent:
        field = "units" if on_map(game, game.active) else "count"
        raise Unreadable("say which units recover, or how many", field=field, rule="B6.3")
    if game.active == SOVIET and not front:
        raise Unreadable("whose points? Name the Front that commands the units", field="front", rule="B8.2")
    pool = _pool(game, front)
    for unit in units:
        yield from states.put(game, unit, states.supply_point)
    left = max(0, game[pool] - spent)
    yield e.Set(pool, left, was=game[pool], reason=f"{spent} spent", rule="B6.3.4")


def _out_of_command(game: Game, units: Sequence[str], front: str) -> list[str]:
    """A headquarters supplies the units it commands [B8.2]; Don-bound ones only the Don's [B13.2.1]."""
    if not front:
        return []
    bound = [u for u in units if don_bound(game, game.units[u]) and front != "don"]
    found = [f"{game.units[u].name} is bound to the Don Front [B13.2.1]" for u in bound]
    reach = in_command(game, front) if hq_of(game, front) else set(units)
    others = [u for u in units if u not in reach and u not in bound]
    return [*found, *(f"{game.units[u].name} is not in command of {FRONTS[front]} [B8.2]" for u in others)]


@rules.due_in(*phases("supply"))
def _points_left(game: Game) -> Iterable[str]:
    """What is not spent in this phase is lost [B6.3.5]; said while it could turn somebody back."""
    ctx = Context(game)
    for front, whose, left in purses(game, "sp"):
        if tired := _commanded(game, front, _refreshable(ctx)):
            who, lost = named(game, [u.id for u in tired]), "it" if left == 1 else "them"
            yield f"Spend {so_many(left, f'{whose} supply point')} on {who}, or lose {lost} [B6.3.5]"
