"""Supply and support points: filled each turn, spent by unit and hex, lost when unused [B6.3, B7, B8]."""

from __future__ import annotations

from typing import Annotated

from companion.engine import events as e
from companion.engine.actions import Events
from companion.engine.errors import NotNow, Unreadable
from companion.engine.fields import Choice, Context, UnitRef, Whole
from companion.engine.game import Game
from companion.engine.roster import Unit
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.base import FRONTS, GERMAN, SOVIET, don_bound, exhausted, phases, rules
from companion.systems.panzer_keil.books import points_at
from companion.systems.panzer_keil.condition import own_on_map
from companion.systems.panzer_keil.ground import has_rails
from companion.systems.panzer_keil.supply import front_distance, hq_of, in_command

CHANGE_OF_PACE = 6
"""B6.3.1, B7.1: from this turn on the Germans get more."""


def german_points(turn: int) -> tuple[int, int]:
    """Supply and support points of a German turn."""
    return (5, 3) if turn < CHANGE_OF_PACE else (8, 5)


def fill(game: Game, name: str, value: int, reason: str, rule: str) -> Events:
    """Set a pool unless it holds that already."""
    if game[name] != value:
        yield e.Set(name, value, was=game[name], reason=reason, rule=rule)


def front_alive(game: Game, front: str) -> bool:
    """Whether a Front still has a headquarters to hand out points."""
    if front == "don" and game["stalingrad"] == "fallen":
        return False
    unit = game.units.get(f"{front}-hq")
    return unit is None or not unit.place.startswith("box:")


def fill_fronts(game: Game) -> Events:
    """Give each headquarters its points from the owner's table, and ask where it is blank [B6.3.2, B7.2]."""
    table = game.book.tables.get("front-points", {})
    for front, name in FRONTS.items():
        if not front_alive(game, front):
            continue
        distance = front_distance(game, front) if hq_of(game, front) else None
        if hq_of(game, front) and distance is None:
            yield from _set_front(game, front, (0, 0), "no supply path or disrupted")
            continue
        found = points_at(table, distance) if distance is not None else None
        if found is not None:
            yield from _set_front(game, front, found, f"{distance} hexes from the source")
        else:
            where = f"{distance} hexes away" if distance is not None else "how far away?"
            yield from _ask_front(
                game, front, f"{name} Front headquarters, {where}: points from your table", distance
            )


def _ask_front(game: Game, front: str, text: str, distance: int | None) -> Events:
    if any(a.action == "front-points" and a.args.get("front") == front for a in game.asked.values()):
        return
    args = {"front": front} | ({"distance": distance} if distance is not None else {})
    yield e.Asked(
        f"points-{front}-{game.revision}", (SOVIET, "table"), text, "front-points", args, rule="B6.3.2, B7.2"
    )


def _set_front(game: Game, front: str, points: tuple[int, int], reason: str) -> Events:
    yield from fill(game, f"{front}-sp", points[0], reason, "B8.2.3")
    yield from fill(game, f"{front}-sap", points[1], reason, "B8.3.1")
    for ask in [
        a.id for a in game.asked.values() if a.action == "front-points" and a.args.get("front") == front
    ]:
        yield e.Answered(ask, reason)


@rules.entering("soviet-supply")
def _soviet_pools(game: Game) -> Events:
    for front in FRONTS:
        for kind, rule in (("sp", "B6.3.5"), ("sap", "B7.2")):
            yield from fill(game, f"{front}-{kind}", 0, "new turn", rule)
    if has_rails(game) and any(hq_of(game, front) for front in FRONTS):
        text = "Check supply: it also works out each headquarters' points"
        yield e.Asked(f"supply-{game.revision}", (SOVIET, "table"), text, "check-supply", rule="6.1.6")
        return
    for front, name in FRONTS.items():
        if front_alive(game, front):
            yield from _ask_front(game, front, f"{name} Front headquarters: distance or points", None)


@rules.entering("german-supply")
def _german_pools(game: Game) -> Events:
    supply, support = german_points(game.turn)
    yield from fill(game, "german-sp", supply, "turn record", "B6.3.1")
    yield from fill(game, "german-sap", support, "turn record", "B7.1")


def _lapse(game: Game, names: list[str], rule: str) -> Events:
    for name in names:
        yield from fill(game, name, 0, "unused points are lost", rule)


@rules.leaving("soviet-supply")
def _soviet_supply_lapses(game: Game) -> Events:
    yield from _lapse(game, [f"{front}-sp" for front in FRONTS], "B6.3.5")


@rules.leaving("german-supply")
def _german_supply_lapses(game: Game) -> Events:
    yield from _lapse(game, ["german-sp"], "B6.3.5")


@rules.leaving("soviet-support")
def _soviet_support_lapses(game: Game) -> Events:
    yield from _lapse(game, [f"{front}-sap" for front in FRONTS], "7.2.1")


@rules.leaving("german-support")
def _german_support_lapses(game: Game) -> Events:
    yield from _lapse(game, ["german-sap"], "7.2.1")


FRONT_CHOICES = [(front, name) for front, name in FRONTS.items()]


def soviet_now(ctx: Context) -> bool:
    """Whether a form should ask for the Front."""
    return ctx.game is not None and ctx.game.active == SOVIET


@rules.action(
    phase="soviet-supply",
    by=SOVIET,
    rule="B6.3.2, B7.2",
    label="Points of a headquarters",
    group="phase",
    order=10,
)
def front_points(
    game: Game,
    front: Annotated[str, Choice(label="Front", options=FRONT_CHOICES)],
    distance: Annotated[int | None, Whole(label="Hexes from the source", high=99)] = None,
    supply: Annotated[
        int | None, Whole(label="Supply points", high=20, help="empty: from the owner's table")
    ] = None,
    support: Annotated[
        int | None, Whole(label="Support points", high=20, help="empty: from the owner's table")
    ] = None,
) -> Events:
    """Set a headquarters' supply and support points for this turn."""
    if not front_alive(game, front):
        raise NotNow(f"the {FRONTS[front]} Front has no headquarters", field="front", given=front)
    found = points_at(game.book.tables.get("front-points", {}), distance) if distance is not None else None
    values = [
        given if given is not None else (found[i] if found else None)
        for i, given in enumerate((supply, support))
    ]
    if values[0] is None or values[1] is None:
        raise Unreadable("enter both points: the owner's table is blank for this distance", field="supply")
    reason = f"{distance} hexes from the source" if distance is not None else "by hand"
    yield from _set_front(game, front, (values[0], values[1]), reason)


def _tired(ctx: Context) -> list[Unit]:
    return [u for u in own_on_map(ctx) if ctx.game and exhausted(ctx.game, u.id)]


@rules.action(phase=phases("supply"), by="active", rule="B6.3", label="Spend supply points", order=11)
def spend_supply(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Exhausted units", many=True, pick=_tired)] = (),
    count: Annotated[int, Whole(label="or number of units", high=20, help="without units on record")] = 0,
    front: Annotated[str, Choice(label="Points of", options=FRONT_CHOICES, when=soviet_now)] = "",
) -> Events:
    """Turn exhausted units back to normal, one point each."""
    spent = len(units) or count
    if not spent:
        raise Unreadable("say which units recover, or how many", field="units")
    if game.active == SOVIET and not front:
        raise Unreadable("whose points? Name the Front that commands the units", field="front")
    pool = f"{front}-sp" if game.active == SOVIET else "german-sp"
    if spent > int(game[pool]):
        raise NotNow(f"only {game[pool]} supply points are left there [B6.3]", field="units", given=spent)
    if game.active == SOVIET:
        _check_command(game, units, front)
    for unit in units:
        yield from states.put(game, unit, states.supply_point)
    yield e.Set(pool, int(game[pool]) - spent, was=game[pool], reason=f"{spent} spent", rule="B6.3.4")


def _check_command(game: Game, units: tuple[str, ...], front: str) -> None:
    """B8.2: a headquarters supplies the units it commands; Don-bound ones only the Don's [B13.2.1]."""
    for name in units:
        if don_bound(game, game.units[name]) and front != "don":
            raise NotNow(
                f"{game.units[name].name} is bound to the Don Front [B13.2.1]", field="front", given=front
            )
    if hq_of(game, front) is None:
        return
    reach = in_command(game, front)
    for name in units:
        if name not in reach:
            raise NotNow(
                f"{game.units[name].name} is not in command of the {FRONTS[front]} Front [B8.2]",
                field="units",
                given=name,
            )


def pool_of(side: str, front: str) -> str:
    """The track of a side's support points."""
    return "german-sap" if side == GERMAN else f"{front}-sap"
