"""The exchange: attackers given up, and what the defender loses for them [9.6, 9.8.2]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Whole
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import learn, owe, standing
from companion.engine.positions.pieces import eliminate
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import DEAD, named, recorded, rules, target_of
from companion.systems.panzer_keil.condition import WantedUnits
from companion.systems.panzer_keil.form import Sums
from companion.systems.panzer_keil.odds import exchange_loss, half_down
from companion.systems.panzer_keil.results import LOSSES, PAYING

ALL_LOST = 2
"""The advance after all defenders are gone [9.8.2]."""


@rules.worksheet(rule="9.6", title="Exchange")
def exchange(
    ctx: Context,
    loss: Annotated[int, Whole(label="Attack strength given up", help="as modified", high=99)],
    defenders: Annotated[tuple[int, ...], Sums(label="Defenders one by one", help="as modified: 4 4 3")],
    total: Annotated[
        int | None, Whole(label="Whole defence", help="if it was halved as a stack", high=99)
    ] = None,
) -> Breakdown:
    """What the defender loses against the attack strength that the attacker gave up."""
    sheet = Breakdown("Exchange")
    between = ctx.game["exchange-between"]
    lost = exchange_loss(loss, defenders, total, between)
    whole = sum(defenders) if total is None else total
    sheet.add("attacker gives up", str(loss), "9.6")
    sheet.add("defenders", " ".join(map(str, defenders)), "9.6")
    if not lost:
        sheet.add("less than any single defender: nobody is lost", "", "9.6")
    elif len(lost) == len(defenders):
        sheet.add(f"{loss} covers the whole defence of {whole}: all are lost", "", "9.6")
    elif sum(lost) == loss:
        sheet.add("defenders of the same strength", f"{sum(lost)}", "9.6")
    else:
        word = "most that does not exceed it" if between == "below" else "least that reaches it"
        sheet.add(f"no exact match: the {word}", f"{sum(lost)}", "9.6")
    sheet.result = "defender loses " + ("+".join(map(str, lost)) if lost else "nothing")
    sheet.facts = {"lost": lost, "sum": sum(lost), "all": bool(defenders) and len(lost) == len(defenders)}
    return sheet


def owe_exchange(game: Game, battle: Battle) -> Events:
    """The attacker gives up units first [9.6]."""
    where = f" at {target_of(battle)}" if target_of(battle) else ""
    text = f"Exchange{where}: choose the attackers to give up"
    units = battle.units(battle.attacker)
    side = battle.attacker
    yield owe(game, side, text, exchange_attackers, battle=battle, step=LOSSES, units=units, rule="9.6")


def _worths(battle: Battle | None) -> Mapping[str, int]:
    """What each unit is worth by itself, as halved and doubled."""
    return battle.facts.get("values", {}) if battle else {}


def given_up(game: Game, battle: Battle, units: Iterable[str]) -> int:
    """What attackers are worth together: each its own half, or by a reading halved as the stack that fought [9.2.1, 9.6]."""
    halved = battle.facts.get("halved", {}) if game["exchange-halves"] == "stack" else {}
    stacks: dict[str, int] = {}
    for unit in units:
        if unit in halved:
            strength, stack = halved[unit]
            stacks[stack] = stacks.get(stack, 0) + int(strength)
    twice = 2 if battle.facts.get("concentric") else 1
    values = _worths(battle)
    return sum(values[u] for u in units if u not in halved) + half_down(stacks.values()) * twice


def _givers(ctx: Context) -> list[Unit]:
    return standing(ctx.game, ctx.battle, ctx.battle.attacker) if ctx.battle else []


@dataclass(frozen=True)
class WorthyUnits(WantedUnits):
    """Units offered with what they are worth in this exchange."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        found, values = super().describe(ctx), _worths(ctx.battle)
        for choice in found["choices"]:
            if choice["value"] in values:
                choice["label"] += f": {values[choice['value']]}"
        return found


@dataclass(frozen=True)
class DemandedSums(Sums):
    """Strengths that must be told wherever they are asked for."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "required": True}


def _only_giver(ctx: Context) -> Mapping[str, Any] | None:
    """A single attacker has no choice, where the record tells the defenders."""
    told = ctx.battle is not None and bool(ctx.battle.units(ctx.battle.defender))
    found = _givers(ctx)
    return {"units": [found[0].id]} if told and len(found) == 1 else None


@rules.follow_up(rule="9.6", label="Give up attackers", alone=_only_giver)
def exchange_attackers(
    game: Game,
    battle: Battle | None,
    units: Annotated[
        tuple[str, ...],
        WorthyUnits(label="Attackers given up", many=True, pick=_givers, when=lambda c: bool(_givers(c))),
    ] = (),
    loss: Annotated[
        int,
        Whole(label="Attack strength given up", help="as modified", high=99, when=lambda c: not _givers(c)),
    ] = 0,
    strengths: Annotated[
        tuple[int, ...],
        DemandedSums(
            label="Defence of each defender",
            help="as halved",
            when=lambda c: c.battle is not None and not c.battle.units(c.battle.defender),
        ),
    ] = (),
) -> Events:
    """Remove attackers of your choice; the defender then pays as much as he can."""
    battle = recorded(battle)
    if standing(game, battle, battle.attacker) and not units:
        raise Unreadable("choose the attackers to give up", field="units", rule="9.6")
    values, holders = _worths(battle), battle.units(battle.defender)
    if not holders and not strengths:
        raise Unreadable("enter each defender's strength", field="strengths", accepted="4 4 3", rule="9.6")
    paid = given_up(game, battle, units) or loss
    for unit in units:
        yield from eliminate(game, game.units[unit], DEAD, "exchange", "9.6")
    here = [u.id for u in standing(game, battle, battle.defender)]
    total = battle.facts["defence"] if len(here) == len(holders) and holders else None
    found = exchange.fn(
        Context(game),
        loss=paid,
        defenders=tuple(values[u] for u in here) if holders else strengths,
        total=total,
    )
    yield e.Noted(f"Exchange: the attacker gives up {paid}, the {found.result}", rule="9.6")
    if not holders:
        text = f"Exchange: the {found.result}"
        yield owe(game, battle.defender, text, battle=battle, step=PAYING, rule="9.6")
        yield from learn(game, battle, advance=ALL_LOST if found.facts["all"] else None)
    elif found.facts["all"]:
        yield from _pay(game, here)
    elif found.facts["lost"]:
        worth, to = found.facts["sum"], battle.defender
        text, pay = f"Exchange: lose units worth {worth} of {named(game, here)}", exchange_defenders
        yield owe(game, to, text, pay, battle=battle, step=PAYING, units=here, rule="9.6", worth=worth)


def _prices(game: Game, duty: e.Asked | None) -> dict[str, tuple[str, ...]]:
    """Every set of defenders left that is worth what is owed [9.6]."""
    battle = game.battles.get(duty.battle) if duty else None
    if duty is None or battle is None:
        return {}
    values, here = _worths(battle), [u.id for u in standing(game, battle, battle.defender)]
    sets = (units for n in range(1, len(here) + 1) for units in combinations(here, n))
    return {"+".join(units): units for units in sets if sum(values[u] for u in units) == duty.args["worth"]}


def _price_choices(ctx: Context) -> list[tuple[str, str]]:
    found = _prices(ctx.game, ctx.duty)
    return [(key, f"Lose {named(ctx.game, units)}") for key, units in found.items()]


def _only_price(ctx: Context) -> Mapping[str, Any] | None:
    found = _prices(ctx.game, ctx.duty)
    return {"which": next(iter(found))} if len(found) == 1 else None


@rules.follow_up(
    rule="9.6",
    label="Lose defenders",
    still=lambda game, duty: not duty.battle or bool(_prices(game, duty)),
    alone=_only_price,
)
def exchange_defenders(
    game: Game, duty: e.Asked, which: Annotated[str, Choice(label="Which", options=_price_choices)]
) -> Events:
    """Remove the defenders that the exchange demands."""
    yield from _pay(game, _prices(game, duty)[which])


def _pay(game: Game, units: tuple[str, ...] | list[str]) -> Events:
    for unit in units:
        yield from eliminate(game, game.units[unit], DEAD, "exchange", "9.6")
