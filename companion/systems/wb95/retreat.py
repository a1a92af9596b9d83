"""Retreats: who goes how far, what it costs to stand, and what follows [5.3]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from companion.engine.forms.fields import Choice, Context, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import has_units, learn, owe, standing, units_of
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.wb95 import grammar
from companion.systems.wb95.base import (
    PRICE,
    RETREAT,
    deployed,
    is_kind,
    rules,
)
from companion.systems.wb95.losses import owe_losses
from companion.systems.wb95.shaken import exposed, owe_tests, shake
from companion.systems.wb95.telling import came_of
from companion.systems.wb95.ways import meant, owe_way, refuges, side_of

SOME = "some"


# -- who goes, and how far -------------------------------------------------------------------------


def able(game: Game, units: Sequence[Unit]) -> list[Unit]:
    """Those who can fall back: no guns in combat setup, no resilience groups [6.2.3, 15.2.1]."""
    return [u for u in units if not deployed(game, u) and not is_kind(u, "RG")]


def owe_retreat(game: Game, battle: Battle, side: str, share: grammar.Part, *, fixed: bool) -> Events:
    """The side that was beaten chooses how far it goes [5.3.7]; who cannot go pays for every hex [5.1.9, 6.2.4]."""
    force, hexes = standing(game, battle, side), battle.facts["stood"].get(side, [])
    goers = able(game, force)
    if battle.facts.get("helpless") == side or (force and not goers):
        ids = [u.id for u in force]
        why, rule = "cannot fall back", "5.1.9, 6.2.4, 6.6.4"
        yield from owe_losses(game, side, share.retreat, ids, why, rule, battle, PRICE, hexes)
        return
    where = f" from {', '.join(hexes)}" if hexes else ""
    pay = "" if not fixed else ", the first free in a fixed position"
    yield owe(
        game,
        side,
        f"{game.side_name(side)}: fall back {share.retreat}{where}, or pay 1 CEL a hex{pay}",
        retreat,
        battle=battle,
        step=RETREAT,
        units=[u.id for u in goers],
        rule="5.3.7",
        ordered=share.retreat,
        fixed=fixed,
        shaken=share.disorganised and not game["bought-off"],
    )


def _prices(ctx: Context) -> dict[int, int]:
    return dict(grammar.retreat_choices(int(ctx.args.get("ordered") or 1), bool(ctx.args.get("fixed"))))


def _ways(ctx: Context) -> list[tuple[str, str]]:
    """Every split of a retreat into hexes gone and CEL paid [5.3.7]; some may go and others stand [5.3.8]."""
    prices = _prices(ctx)
    found = [
        (str(go), f"{f'Fall back {go}' if go else 'Stand'}{f', lose {pay} CEL' if pay else ''}")
        for go, pay in prices.items()
    ]
    if len(meant(ctx)) > 1:
        found.append((SOME, f"Some go, the others stand and lose {prices[0]} CEL"))
    return found


def _far(ctx: Context) -> list[tuple[str, str]]:
    return [(str(go), f"{count(go, 'hex', 'hexes')} back") for go in _prices(ctx) if go]


def _still_to_go(game: Game, duty: e.Asked) -> bool:
    battle = game.battles.get(duty.battle)
    return battle is not None and not battle.facts.get("gone") and has_units(game, duty)


def _no_room(ctx: Context, goers: Sequence[Unit], go: int) -> list[str]:
    """Hexes from which the record sees no way of this length [5.3.3, 5.3.6]."""
    found = []
    for origin in sorted({u.place for u in goers}):
        group = [u for u in goers if u.place == origin]
        if go and not any(refuges(ctx.game, [u], origin, go) for u in group):
            found.append(f"no hex {go} from {origin} is open to a retreat (5.3.3, 5.3.6)")
    return found


def _against_going(ctx: Context) -> list[str]:
    go = str(ctx.values.get("go"))
    return _no_room(ctx, meant(ctx), int(go)) if go.isdecimal() else []


@rules.follow_up(rule="5.3.7", label="Retreat", still=_still_to_go, warns=_against_going)
def retreat(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    go: Annotated[str, Choice(label="You", options=_ways)],
) -> Events:
    """Go back some or all of the hexes and pay one CEL for each hex not gone."""
    if go == SOME:
        args = {k: duty.args[k] for k in ("ordered", "fixed", "shaken")}
        text = f"{duty.text}: who goes"
        yield owe(
            game,
            side_of(game, duty),
            text,
            part,
            battle=battle,
            step=RETREAT,
            units=duty.units,
            rule="5.3.8",
            **args,
        )
        return
    far, goers = int(go), units_of(game, duty)
    yield from _depart(game, duty, battle, goers if far else [], far, far)


@rules.follow_up(
    rule="5.3.8",
    label="Part ways",
    still=_still_to_go,
    warns=lambda c: _no_room(c, [c.game.units[u] for u in c.values.get("units") or ()], int(c.values["far"])),
)
def part(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    units: Annotated[tuple[str, ...], UnitRef(label="These go", many=True, pick=meant)],
    far: Annotated[str, Choice(label="They go", options=_far, start=lambda c: _far(c)[0][0])],
) -> Events:
    """Some units go; those who stand pay for every hex, once for all of them."""
    goers = [game.units[u] for u in units]
    stay = [u for u in units_of(game, duty) if u not in goers]
    yield from _depart(game, duty, battle, goers, int(far), 0 if stay else int(far))


def _depart(game: Game, duty: e.Asked, battle: Battle, goers: list[Unit], far: int, least: int) -> Events:
    """Book how far the side goes; the price falls once on those who do not go all the way [5.3.7, 5.3.8].

    :param least: the hexes that the last of them goes
    """
    side, ordered = side_of(game, duty), int(duty.args["ordered"])
    price = dict(grammar.retreat_choices(ordered, bool(duty.args["fixed"])))[least]
    gone = far if goers or not duty.units else 0
    told = [f"falls back {count(gone, 'hex', 'hexes')}" if gone else "stands"]
    told += [f"pays {price} CEL"] if price else []
    yield came_of(battle, f"{game.side_name(side)} {', '.join(told)}", "5.3.7")
    short = [u.id for u in standing(game, battle, side) if u not in goers or far < ordered]
    hexes = battle.facts["stood"].get(side, [])
    yield from owe_losses(game, side, price, short, "hexes not gone back", "5.3.7", battle, PRICE, hexes)
    if not gone:
        return
    for origin in sorted({u.place for u in goers}):
        yield owe_way(game, battle, side, origin, [u.id for u in goers if u.place == origin], far)
    if not goers:
        yield from learn(
            game, battle, retreats=[*battle.facts.get("retreats", ()), {"side": side, "far": far}]
        )
    if duty.args["shaken"]:
        yield from shake(game, exposed(game, goers, direct=True), "combat result", battle=battle)
    tests = grammar.retreat_tests(far)
    if side == battle.defender or game["attacker-tests"]:
        yield from owe_tests(game, side, tests, goers, f"fell back {far}", "5.3.9", battle)
