"""The exchange: attackers given up, and what the defender loses for them [9.6 EX]."""

from __future__ import annotations

from typing import Annotated, Any

from companion.engine import events as e
from companion.engine.actions import Events
from companion.engine.errors import NotNow, Unreadable
from companion.engine.fields import Context, UnitRef, Whole
from companion.engine.game import Game
from companion.engine.roster import Unit
from companion.engine.worksheet import Breakdown
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.aftermath import ask, ask_advance
from companion.systems.panzer_keil.base import named, phases, reading, rules
from companion.systems.panzer_keil.combat import Sums
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
    between = str(reading(ctx.game, "exchange-between"))
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


def _fight(game: Game) -> dict[str, Any]:
    """The facts of the combat or exchange in hand."""
    last = game.last_result
    if last.get("worksheet") not in {"combat", "exchange"}:
        return {}
    return dict(last.get("breakdown", {}).get("facts", {}))


def _of(ctx: Context, key: str) -> list[Unit]:
    game = ctx.game
    if game is None:
        return []
    return [game.units[u] for u in _fight(game).get(key, ()) if u in game.units and game.units[u].on_map]


def _on_record(ctx: Context) -> bool:
    """Whether the record knows what the attackers are worth."""
    values = _fight(ctx.game).get("values", {}) if ctx.game else {}
    return all(u.id in values for u in _of(ctx, "attackers"))


@rules.action(
    phase=phases("combat"), by="active", rule="9.6", label="Exchange: give up attackers", group="hidden"
)
def exchange_attackers(
    game: Game,
    units: Annotated[
        tuple[str, ...], UnitRef(label="Attackers given up", many=True, pick=lambda c: _of(c, "attackers"))
    ],
    loss: Annotated[
        int | None,
        Whole(label="Their modified strength", high=99, quiet=_on_record),
    ] = None,
) -> Events:
    """Remove attackers of your choice; the defender then pays as much as he can."""
    facts = _fight(game)
    values: dict[str, int] = dict(facts.get("values", {}))
    if loss is None and any(u not in values for u in units):
        raise Unreadable("their strength is not on record: enter it", field="loss")
    paid = loss if loss is not None else sum(values[u] for u in units)
    defenders = [u for u in facts.get("defenders", ()) if game.units[u].on_map]
    if any(u not in values for u in defenders):
        raise NotNow(
            "the defenders' strengths are not on record: work the exchange out by hand", field="units"
        )
    for unit in units:
        yield from states.eliminate(game, unit, "exchange", "9.6")
    sheet = exchange.fn(
        Context(game),
        loss=paid,
        defenders=tuple(values[u] for u in defenders),
        total=int(facts.get("defence", 0)) or None,
    )
    side, target = str(facts.get("side")), str(facts.get("target", ""))
    left = [u for u in facts.get("attackers", ()) if u not in units]
    sheet.facts |= {
        "side": side,
        "target": target,
        "attackers": left,
        "crossers": facts.get("crossers", []),
        "defenders": defenders,
        "values": values,
    }
    yield e.Resolved("exchange", sheet.to_json(), sheet.result)
    if sheet.facts["all"]:
        yield from _all_lost(game, defenders, side, left, target, list(facts.get("crossers", [])))
    elif sheet.facts["lost"]:
        text = f"Exchange: lose units worth {sheet.facts['sum']} of {named(game, defenders)}"
        yield ask(game, game.other(side), text, "exchange-defenders", {"worth": sheet.facts["sum"]}, "9.6")


@rules.action(
    phase=phases("combat"), by="any", rule="9.6", label="Exchange: remove defenders", group="hidden"
)
def exchange_defenders(
    game: Game,
    units: Annotated[
        tuple[str, ...], UnitRef(label="Defenders lost", many=True, pick=lambda c: _of(c, "defenders"))
    ],
    worth: Annotated[int, Whole(label="Worth", high=99, hidden=True)] = 0,
) -> Events:
    """Remove the defenders that the exchange demands."""
    values: dict[str, int] = dict(_fight(game).get("values", {}))
    given = sum(values.get(u, 0) for u in units)
    if worth and given != worth:
        raise Unreadable(f"these are worth {given}, not {worth} [9.6]", field="units", given=given)
    for unit in units:
        yield from states.eliminate(game, unit, "exchange", "9.6")


def _all_lost(
    game: Game, defenders: list[str], side: str, attackers: list[str], target: str, crossers: list[str]
) -> Events:
    """9.8.2: all defenders gone, so the advance is two hexes."""
    for unit in defenders:
        yield from states.eliminate(game, unit, "exchange", "9.6")
    limit = 1 if attackers and set(attackers) <= set(crossers) else 2
    yield from ask_advance(game, side, attackers, limit, target, crossers)
