"""Supply and support points: filled each turn, spent by unit and hex, lost when unused [B6.3, B7, B8]."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Options, Whole
from companion.engine.play.actions import Events
from companion.engine.play.duties import drop, owe
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import (
    FRONTS,
    GERMAN,
    SOVIET,
    disrupted,
    in_play,
    rules,
)
from companion.systems.panzer_keil.books import Table, bands, points_at
from companion.systems.panzer_keil.ground import has_rails
from companion.systems.panzer_keil.supply import front_distance, hq_of

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


def front_gives(game: Game, front: str) -> bool:
    """Whether a headquarters can have points, as far as the record tells: neither disrupted nor the one left off the map.

    Where no headquarters was put on the map, nobody keeps them there [B8.2.2, B8.4].
    """
    if not front_alive(game, front):
        return False
    hq = hq_of(game, front)
    if hq is None:
        return f"{front}-hq" not in game.units or not any(hq_of(game, other) for other in FRONTS)
    return not disrupted(game, hq.id)


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
    able = {front: name for front, name in FRONTS.items() if front_gives(game, front)}
    if able:
        yield from _ask_fronts(game, able)


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


Useful = Callable[[Context, str], bool]
"""Whether a Front's points can do anything now."""


def paying(label: str, kind: str, useful: Useful) -> Payer:
    """The field that asks for the Front; the first whose points are of use is ticked, else the first that has some."""

    def rich(ctx: Context) -> str:
        game = ctx.game
        held = [f for f in FRONTS if front_alive(game, f) and game[f"{f}-{kind}"]]
        return next((f for f in held if useful(ctx, f)), held[0] if held else "")

    return Payer(label=label, when=soviet_now, start=rich, kind=kind)


def payer(ctx: Context, kind: str, useful: Useful) -> str:
    """The Front chosen so far, or the one the form begins with."""
    return str(ctx.values.get("front") or (paying("", kind, useful).start or str)(ctx) or "")


def purses(game: Game, kind: str) -> Iterator[tuple[str, str, int]]:
    """Whose points of a kind are left for the side to move: the Front, none for the Germans, whose they are, how many."""
    if game.active == SOVIET:
        yield from ((f, n, game[f"{f}-{kind}"]) for f, n in FRONTS.items() if game[f"{f}-{kind}"])
    elif left := game[f"{GERMAN}-{kind}"]:
        yield "", game.side_name(GERMAN), left


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
    label, when = f"{FRONTS[front]} supply", _wanted(front, False)
    return Whole(label=label, high=20, half=True, when=when, start=_last(front, 0))


def _support(front: str) -> Whole:
    label, when = f"{FRONTS[front]} support", _wanted(front, False)
    return Whole(label=label, high=20, half=True, when=when, start=_last(front, 1))


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
