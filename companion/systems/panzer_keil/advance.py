"""The advance after combat: into the vacated hex, and one further where the result allows [9.8, B10.3.2]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from companion.engine.errors import NotNow, Unreadable
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, HexId, UnitRef, Whole
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import named, rules
from companion.systems.panzer_keil.followup import ask, prompted, remind
from companion.systems.panzer_keil.ground import MAJOR, SEA, WATER, barrier, pass_through, terrain


def ask_advance(
    game: Game,
    side: str,
    units: Sequence[str],
    limit: int,
    battle: str,
    crossers: Sequence[str],
    again: bool = False,
) -> Events:
    """Offer the advance after combat, to as many attackers as like [9.8.1-9.8.3]."""
    here = [u for u in units if game.units[u].on_map]
    if limit and here and set(here) <= set(crossers):
        limit = 1  # [B10.3.2]
    if limit and here and battle:
        who = f" with {named(game, here)}" if again else ""
        text = f"Advance into {battle}{' and one hex beyond' if limit > 1 else ''}{who}, if you like"
        args: dict[str, object] = {"units": here, "among": here, "limit": limit, "battle": battle}
        if crossers:
            args["crossers"] = list(crossers)
        yield ask(game, side, text, "advance", args, "9.8")
    elif limit:
        yield remind(game, side, f"Attackers may advance up to {limit}, first into the vacated hex", "9.8")


def _advance_choices(ctx: Context) -> list[tuple[str, str]]:
    """The vacated hex, and where a second hex is allowed those beyond [9.8, B10.3.2]."""
    game, units, battle = ctx.game, ctx.values.get("units"), str(ctx.values.get("battle") or "")
    if not units or not battle:
        return []
    side = game.units[units[0]].side
    found = [(battle, battle)]
    if int(ctx.values.get("limit") or 1) > 1 and not set(units) & set(ctx.values.get("crossers") or ()):
        left = {game.units[u].place for u in units}
        found += [
            (h, f"{battle}, then {h}")
            for h in _beyond(game, battle)
            if h not in left and all(u.side == side for u in game.units_at(h))
        ]
    return found


def _only_vacated(ctx: Context) -> str:
    return str(ctx.values.get("battle") or "")


@rules.action(by="any", rule="9.8", label="Advance after combat", group="hidden")
def advance(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, suggest=prompted)],
    among: Annotated[tuple[str, ...], UnitRef(label="Of these", many=True, hidden=True)] = (),
    limit: Annotated[int, Whole(label="Hexes at most", high=2, hidden=True)] = 1,
    battle: Annotated[str, HexId(label="Vacated hex", hidden=True)] = "",
    crossers: Annotated[
        tuple[str, ...], UnitRef(label="Attacked over a major river", many=True, hidden=True)
    ] = (),
    to: Annotated[
        str,
        Choice(
            label="To",
            options=_advance_choices,
            start=_only_vacated,
            when=lambda c: bool(_advance_choices(c)),
        ),
    ] = "",
    hexes: Annotated[
        tuple[str, ...],
        HexId(label="Hexes in order", help="the vacated hex first", many=True, hidden=True),
    ] = (),
) -> Events:
    """Move attackers into the vacated hex, and one further when the result allows."""
    path = hexes or ((battle,) if battle and to in ("", battle) else (battle, to) if battle else ())
    side = game.units[units[0]].side
    _check(game, side, path, limit, battle)
    if len(path) > 1 and set(units) & set(crossers):
        raise NotNow("who attacked over a major river advances one hex only", field="units", rule="B10.3.2")
    for unit in units:
        yield move(game, unit, path[-1], reason="advance after combat", rule="9.8")
    yield from pass_through(game, side, path)
    rest = [u for u in among if u not in units]
    if limit > 1 and rest:  # they may go another way, as in the worked example
        yield from ask_advance(
            game, side, rest, limit, battle, [u for u in crossers if u in rest], again=True
        )


def _check(game: Game, side: str, path: Sequence[str], limit: int, battle: str) -> None:
    """First the vacated hex, then one beside it, never among enemies or over water [9.8, B10.3.2]."""
    if not path or (battle and path[0] != battle):
        raise Unreadable(f"the first hex is the vacated one, {battle}", field="hexes", rule="9.8.1")
    if len(path) > limit:
        raise NotNow(f"{limit} at most", field="hexes", given=len(path), rule="9.8")
    for hex_id in path:
        if any(u.side != side for u in game.units_at(hex_id)):
            raise NotNow(
                f"the enemy is still in {hex_id}: his retreat first",
                field="hexes",
                given=hex_id,
                rule="9.8.1",
            )
    if len(path) > 1 and path[1] not in _beyond(game, path[0]):
        raise NotNow(
            f"the second hex may not lie over a major river, sea or lake, nor apart: {path[1]}",
            field="hexes",
            given=path[1],
            rule="B10.3.2",
        )


def _beyond(game: Game, vacated: str) -> list[str]:
    """The hexes that a second step may lead to [B10.3.2]."""
    return [
        h
        for h in sorted(game.maps.neighbours(vacated))
        if barrier(game, vacated, h) not in (MAJOR, SEA) and terrain(game, h) not in WATER
    ]
