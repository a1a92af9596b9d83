"""The exchange: attackers given up, and what the defender loses for them [9.6, 9.8.2]."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context, HexId, Text, UnitRef, Whole
from companion.engine.play.worksheet import Breakdown
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.advance import ask_advance
from companion.systems.panzer_keil.base import named, phases, rules
from companion.systems.panzer_keil.followup import ask, remind
from companion.systems.panzer_keil.form import Sums
from companion.systems.panzer_keil.odds import exchange_loss


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


@rules.action(
    phase=phases("combat"),
    by="active",
    rule="9.6",
    worksheet=exchange,
    label="Work out an exchange",
    group="book-keeping",
)
def exchange_by_hand(game: Game, sheet: Breakdown) -> Events:
    """Work out an exchange from strengths typed in."""
    yield e.Resolved("exchange", sheet.to_json(), sheet.result)


def ask_exchange(game: Game, side: str, facts: Mapping[str, Any]) -> Events:
    """Ask the attacker what he gives up; the question carries its battle along, whatever is fought meanwhile."""
    attackers = list(facts.get("attackers", ()))
    if not attackers:
        yield ask(game, side, "Exchange: what did the attacker give up?", "exchange-by-hand", {}, "9.6")
        return
    args: dict[str, object] = {
        "among": attackers,
        "against": list(facts.get("defenders", ())),
        "worths": _written(dict(facts.get("values", {}))),
        "whole": int(facts.get("defence", 0)),
        "battle": str(facts.get("target", "")),
        "crossers": list(facts.get("crossers", ())),
    }
    where = f" at {args['battle']}" if args["battle"] else ""
    text = f"Exchange{where}: choose the attackers to give up"
    yield ask(game, side, text, "exchange-attackers", {k: v for k, v in args.items() if v}, "9.6")


def _written(values: Mapping[str, int]) -> str:
    """Units' modified strengths as a follow-up carries them: '302id=6 voronezh-1=4'."""
    return " ".join(f"{unit}={worth}" for unit, worth in values.items())


def _read(text: object) -> dict[str, int]:
    parts = (part.rpartition("=") for part in str(text or "").split())
    return {unit: int(worth) for unit, _, worth in parts if unit and worth.isdecimal()}


def _living(name: str) -> Callable[[Context], list[Unit]]:
    """The units of a battle that are still on the map, as another field holds them."""

    def found(ctx: Context) -> list[Unit]:
        units = [ctx.game.units[u] for u in ctx.values.get(name) or ()]
        return [u for u in units if u.on_map]

    return found


def _unit_worths_known(name: str) -> Callable[[Context], bool]:
    """Whether the battle's record tells what each of these units is worth."""

    def known(ctx: Context) -> bool:
        values, units = _read(ctx.values.get("worths")), ctx.values.get(name) or ()
        return bool(units) and all(u in values for u in units)

    return known


def _paid_known(ctx: Context) -> bool:
    """Whether the units chosen so far, or all that could be, have their strength on record."""
    return _unit_worths_known("units" if ctx.values.get("units") else "among")(ctx)


@dataclass(frozen=True)
class DefenderSums(Sums):
    """The defenders' strengths in the order of their names."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        names = named(ctx.game, ctx.values.get("against") or ())
        found = {**super().describe(ctx), "placeholder": "4 4 3"}
        return {**found, "help": f"as halved, in this order: {names}"} if names else found


@dataclass(frozen=True)
class WorthyUnits(UnitRef):
    """Units offered with what they are worth in this exchange."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        found, values = super().describe(ctx), _read(ctx.values.get("worths"))
        for choice in found["choices"]:
            if choice["value"] in values:
                choice["label"] += f": {values[choice['value']]}"
        return found


def _worths() -> Text:
    return Text(label="Modified strengths", most=400, hidden=True)


@rules.action(
    phase=phases("combat"), by="active", rule="9.6", label="Exchange: give up attackers", group="hidden"
)
def exchange_attackers(
    game: Game,
    *,
    among: Annotated[tuple[str, ...], UnitRef(label="Attackers", many=True, hidden=True)] = (),
    against: Annotated[tuple[str, ...], UnitRef(label="Defenders", many=True, hidden=True)] = (),
    worths: Annotated[str, _worths()] = "",
    whole: Annotated[int, Whole(label="Whole defence", high=99, hidden=True)] = 0,
    battle: Annotated[str, HexId(label="Battle hex", hidden=True)] = "",
    crossers: Annotated[
        tuple[str, ...], UnitRef(label="Attacked over a major river", many=True, hidden=True)
    ] = (),
    units: Annotated[
        tuple[str, ...], WorthyUnits(label="Attackers given up", many=True, pick=_living("among"))
    ],
    loss: Annotated[
        int | None, Whole(label="Their attack", help="as halved or doubled", high=99, quiet=_paid_known)
    ] = None,
    strengths: Annotated[
        tuple[int, ...],
        DefenderSums(label="Defence of each defender", help="as halved", quiet=_unit_worths_known("against")),
    ] = (),
) -> Events:
    """Remove attackers of your choice; the defender then pays as much as he can."""
    values = _read(worths)
    defenders = [u for u in against if game.units[u].on_map]
    if strengths:
        if defenders and len(strengths) != len(defenders):
            raise Unreadable(
                f"{len(defenders)} strengths are wanted, for {named(game, defenders)}",
                field="strengths",
                given=len(strengths),
                rule="9.6",
            )
        values |= dict(zip(defenders, strengths, strict=False))
    if loss is None and any(u not in values for u in units):
        raise Unreadable("their strength is not on record: enter it", field="loss", rule="9.6")
    if any(u not in values for u in defenders) or not (defenders or strengths):
        raise Unreadable(
            "the defenders' strengths are not on record: enter them", field="strengths", rule="9.6"
        )
    paid = loss if loss is not None else sum(values[u] for u in units)
    side = game.units[units[0]].side
    for unit in units:
        yield from states.eliminate(game, unit, "exchange", "9.6")
    sheet = exchange.fn(
        Context(game),
        loss=paid,
        defenders=tuple(values[u] for u in defenders) or strengths,
        total=whole if whole and not strengths else None,
    )
    yield e.Resolved("exchange", sheet.to_json(), sheet.result)
    left = [u for u in among if u not in units and game.units[u].on_map]
    if sheet.facts["all"]:
        yield from _all_lost(game, defenders, side, left, battle, [u for u in crossers if u in left])
    elif sheet.facts["lost"] and defenders:
        text = f"Exchange: lose units worth {sheet.facts['sum']} of {named(game, defenders)}"
        args = {"worth": sheet.facts["sum"], "among": defenders, "worths": _written(values)}
        yield ask(game, game.other(side), text, "exchange-defenders", args, "9.6")
    elif sheet.facts["lost"]:
        yield remind(game, game.other(side), f"Exchange: {sheet.result}", "9.6")


@rules.action(
    phase=phases("combat"), by="any", rule="9.6", label="Exchange: remove defenders", group="hidden"
)
def exchange_defenders(
    game: Game,
    *,
    among: Annotated[tuple[str, ...], UnitRef(label="Defenders", many=True, hidden=True)] = (),
    worths: Annotated[str, _worths()] = "",
    worth: Annotated[int, Whole(label="Worth", high=99, hidden=True)] = 0,
    units: Annotated[tuple[str, ...], WorthyUnits(label="Defenders lost", many=True, pick=_living("among"))],
) -> Events:
    """Remove the defenders that the exchange demands."""
    values = _read(worths)
    given = sum(values.get(u, 0) for u in units)
    if worth and given != worth:
        raise Unreadable(f"these are worth {given}, not {worth}", field="units", given=given, rule="9.6")
    for unit in units:
        yield from states.eliminate(game, unit, "exchange", "9.6")


def _all_lost(
    game: Game, defenders: list[str], side: str, attackers: list[str], target: str, crossers: list[str]
) -> Events:
    """All defenders gone, so the advance is two hexes [9.8.2]."""
    for unit in defenders:
        yield from states.eliminate(game, unit, "exchange", "9.6")
    if not defenders:
        yield remind(game, game.other(side), "Exchange: all defenders are lost", "9.6")
    limit = 1 if attackers and set(attackers) <= set(crossers) else 2
    if attackers:
        yield from ask_advance(game, side, attackers, limit, target, crossers)
