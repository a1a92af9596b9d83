"""Supply and support points: filled each turn, spent by unit and hex, lost when unused [B6.3, B7, B8]."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Options, Whole
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import drop, owe
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
    in_play,
    out_of_supply,
    phases,
    rules,
)
from companion.systems.panzer_keil.books import Table, bands, points_at
from companion.systems.panzer_keil.condition import WantedUnits, on_record, own_on_map
from companion.systems.panzer_keil.ground import has_rails
from companion.systems.panzer_keil.supply import front_distance, hq_of, in_command

LAST_POINTS = "front-points-last"
"""The headquarters' points when they were last set: the game's own record, no track."""

CHANGE_OF_PACE = 6
"""From this turn on the Germans get more [B6.3.1, B7.1]."""


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
    return unit is None or in_play(unit)


def _table(game: Game) -> Table:
    """The owner's points by distance; empty until it is filled in [B6.3.2]."""
    return game.book.tables.get("front-points", {})


def fill_fronts(game: Game, again: bool = False) -> Events:
    """Give each headquarters its points from the owner's table, and ask where it is blank [B6.3.2, B7.2].

    :param again: what was spent of them in this phase stays spent
    """
    missing: dict[str, str] = {}
    for front, name in FRONTS.items():
        if not front_alive(game, front):
            continue
        if hq_of(game, front) is None:
            missing[front] = name
            continue
        distance = front_distance(game, front)
        found = points_at(_table(game), distance) if distance is not None else (0, 0)
        if found is None:
            missing[front] = f"{name} {distance} hexes"
        else:
            why = "no supply path or disrupted" if distance is None else f"{distance} hexes from the source"
            yield from _set_front(game, front, found, why, again)
    yield from drop(game, headquarters_points, why="settled")
    if missing:
        yield from _ask_fronts(game, missing)


def _ask_fronts(game: Game, fronts: Mapping[str, str]) -> Events:
    """Ask how far headquarters are, where the owner's table tells the points then; else for the points themselves."""
    far = bool(bands(_table(game))) and not any(hq_of(game, front) for front in fronts)
    what = "How many hexes is each headquarters from the source" if far else "Read the points off your table"
    text = f"{what}: {', '.join(fronts.values())}"
    yield owe(game, SOVIET, text, headquarters_points, rule="B6.3.2", fronts=list(fronts))


def _set_front(game: Game, front: str, points: tuple[int, int], reason: str, again: bool = False) -> Events:
    had = game[LAST_POINTS].get(front, points) if again else points
    for kind, now, before, rule in zip(("sp", "sap"), points, had, ("B8.2.3", "B8.3.1"), strict=True):
        spent = before - game[f"{front}-{kind}"] if again else 0
        yield from fill(game, f"{front}-{kind}", max(0, now - spent), reason, rule)
    record = {**game[LAST_POINTS], front: list(points)}
    if record != game[LAST_POINTS]:
        yield e.Set(LAST_POINTS, record)


@rules.entering("soviet-supply")
def _soviet_pools(game: Game) -> Events:
    for unit, until in game.marked("grace").items():
        if int(until) < game.turn:
            yield e.Marked(unit, "grace", None, reason="over", rule="B14.3")
    for front in FRONTS:
        for kind, rule in (("sp", "B6.3.5"), ("sap", "B7.2")):
            yield from fill(game, f"{front}-{kind}", 0, "new turn", rule)
    if has_rails(game) and any(hq_of(game, front) for front in FRONTS):
        return  # the supply check works them out
    alive = {front: name for front, name in FRONTS.items() if front_alive(game, front)}
    if alive:
        yield from _ask_fronts(game, alive)


@rules.entering("german-supply")
def _german_pools(game: Game) -> Events:
    supply, support = german_points(game.turn)
    yield from fill(game, "german-sp", supply, "turn record", "B6.3.1")
    yield from fill(game, "german-sap", support, "turn record", "B7.1")


def _lapse(game: Game, kind: str, rule: str) -> Events:
    """What is left of a side's points when their phase ends is lost."""
    for owner in FRONTS if game.active == SOVIET else (GERMAN,):
        yield from fill(game, f"{owner}-{kind}", 0, "unused points are lost", rule)


@rules.leaving("soviet-supply")
@rules.leaving("german-supply")
def _supply_lapses(game: Game) -> Events:
    yield from _lapse(game, "sp", "B6.3.5")


@rules.leaving("soviet-support")
@rules.leaving("german-support")
def _support_lapses(game: Game) -> Events:
    yield from _lapse(game, "sap", "7.2.1")


FRONT_CHOICES = [(front, name) for front, name in FRONTS.items()]


def soviet_now(ctx: Context) -> bool:
    """Whether a form should ask for the Front."""
    return ctx.game.active == SOVIET


@dataclass(frozen=True)
class Payer(Choice):
    """A Front that pays with its points of a kind; those that have some are offered."""

    kind: str = "sp"

    def choices(self, ctx: Context) -> Options:
        game = ctx.game
        return [(f, f"{n}: {game[f'{f}-{self.kind}']}") for f, n in FRONT_CHOICES if front_alive(game, f)]

    def describe(self, ctx: Context) -> dict[str, Any]:
        everybody = self.choices(ctx)
        rich = [(f, label) for f, label in everybody if ctx.game[f"{f}-{self.kind}"]]
        offered = [{"value": f, "label": label} for f, label in rich or everybody]
        return {"choices": offered, "many": False, "required": True}


def paying(label: str, kind: str) -> Payer:
    """The field that asks for the Front; the first that has points is ticked."""

    def rich(ctx: Context) -> str:
        game = ctx.game
        return next((f for f in FRONTS if front_alive(game, f) and game[f"{f}-{kind}"]), "")

    return Payer(label=label, when=soviet_now, start=rich, kind=kind)


def payer(ctx: Context, kind: str) -> str:
    """The Front chosen so far, or the one the form begins with."""
    return str(ctx.values.get("front") or (paying("", kind).start or str)(ctx) or "")


def _wanted(front: str, by_table: bool) -> Callable[[Context], bool]:
    """Whether a form asks for this headquarters: by distance where the owner's table is filled, else for points.

    A headquarters on record is asked about only because the table is blank for its distance: points are wanted then.
    """

    def asked(ctx: Context) -> bool:
        game = ctx.game
        if not front_alive(game, front) or front not in (ctx.args.get("fronts") or FRONTS):
            return False
        measured = bool(bands(_table(game))) and hq_of(game, front) is None
        typed = ctx.values.get(f"{front}_hexes")
        blank = typed is not None and points_at(_table(game), typed) is None
        return measured if by_table else not measured or blank

    return asked


def _last(front: str, which: int) -> Callable[[Context], int | None]:
    """What the headquarters had last turn, to begin with."""

    def found(ctx: Context) -> int | None:
        had = ctx.game[LAST_POINTS].get(front)
        return int(had[which]) if had else None

    return found


def _hexes(front: str) -> Whole:
    return Whole(label=f"{FRONTS[front]}: hexes from the source", high=99, when=_wanted(front, True))


def _supply(front: str) -> Whole:
    return Whole(label=f"{FRONTS[front]} supply", high=20, when=_wanted(front, False), start=_last(front, 0))


def _support(front: str) -> Whole:
    return Whole(label=f"{FRONTS[front]} support", high=20, when=_wanted(front, False), start=_last(front, 1))


def _still_wanted(game: Game, duty: e.Asked) -> bool:
    """Points are spent in the Soviet supply and support phases; after them they are asked for anew [B6.3.5]."""
    return not duty.is_owed or game.phase in ("soviet-supply", "soviet-support")


@rules.follow_up(rule="B6.3.2", label="Set the points", still=_still_wanted)
def headquarters_points(
    game: Game,
    voronezh_hexes: Annotated[int | None, _hexes("voronezh")] = None,
    voronezh_supply: Annotated[int | None, _supply("voronezh")] = None,
    voronezh_support: Annotated[int | None, _support("voronezh")] = None,
    southwestern_hexes: Annotated[int | None, _hexes("southwestern")] = None,
    southwestern_supply: Annotated[int | None, _supply("southwestern")] = None,
    southwestern_support: Annotated[int | None, _support("southwestern")] = None,
    southern_hexes: Annotated[int | None, _hexes("southern")] = None,
    southern_supply: Annotated[int | None, _supply("southern")] = None,
    southern_support: Annotated[int | None, _support("southern")] = None,
    don_hexes: Annotated[int | None, _hexes("don")] = None,
    don_supply: Annotated[int | None, _supply("don")] = None,
    don_support: Annotated[int | None, _support("don")] = None,
) -> Events:
    """A headquarters out of supply or disrupted has none; one left empty gets none this turn."""
    given = {
        "voronezh": (voronezh_hexes, voronezh_supply, voronezh_support),
        "southwestern": (southwestern_hexes, southwestern_supply, southwestern_support),
        "southern": (southern_hexes, southern_supply, southern_support),
        "don": (don_hexes, don_supply, don_support),
    }
    if all(value is None for values in given.values() for value in values):
        raise Unreadable("enter at least one headquarters", field="voronezh_supply", rule="B6.3.2")
    for front, values in given.items():
        if any(value is not None for value in values):
            yield from _front_by_hand(game, front, *values)


def _front_by_hand(
    game: Game, front: str, distance: int | None, supply: int | None, support: int | None
) -> Events:
    """One headquarters' points: as typed, else by its distance from the owner's table."""
    found = points_at(_table(game), distance) if distance is not None else None
    values = [
        given if given is not None else (found[i] if found else None)
        for i, given in enumerate((supply, support))
    ]
    if values[0] is None or values[1] is None:
        missing = "supply" if values[0] is None else "support"
        raise Unreadable(
            f"{FRONTS[front]}: enter both points; the owner's table is blank for this distance",
            field=f"{front}_{missing}",
            rule="B6.3.2",
        )
    reason = f"{distance} hexes from the source" if distance is not None else "by hand"
    yield from _set_front(game, front, (values[0], values[1]), reason)


def _alive(ctx: Context) -> list[tuple[str, str]]:
    return [(front, name) for front, name in FRONT_CHOICES if front_alive(ctx.game, front)]


@rules.action(
    phase="soviet-supply",
    by=SOVIET,
    rule="B6.3.2",
    label="Set the points of one headquarters",
    group="book-keeping",
)
def front_points(
    game: Game,
    front: Annotated[str, Choice(label="Front", options=_alive)],
    distance: Annotated[int | None, Whole(label="Hexes from the source", high=99)] = None,
    supply: Annotated[
        int | None, Whole(label="Supply points", high=20, help="empty: from the owner's table")
    ] = None,
    support: Annotated[
        int | None, Whole(label="Support points", high=20, help="empty: from the owner's table")
    ] = None,
) -> Events:
    """Set a headquarters' supply and support points for this turn."""
    yield from _front_by_hand(game, front, distance, supply, support)


def _tired(ctx: Context) -> list[Unit]:
    return [u for u in own_on_map(ctx) if exhausted(ctx.game, u.id)]


def _refreshable(ctx: Context) -> list[Unit]:
    """Exhausted units that a point can help: in supply and undisrupted [B6.3.3]."""
    game = ctx.game
    return [u for u in _tired(ctx) if not disrupted(game, u.id) and not out_of_supply(game, u.id)]


def _offered(ctx: Context) -> list[Unit]:
    """Those of them that the paying headquarters commands [B8.2]; where nobody can be helped, all who are exhausted."""
    game, found = ctx.game, _refreshable(ctx) or _tired(ctx)
    front = payer(ctx, "sp")
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
    front: Annotated[str, paying("Points of", "sp")] = "",
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
