"""Set-up by formation: counters as the owner copied them, a check of counts and places [3, B14.1-B14.2]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, HexId, SideRef, UnitRef, Whole
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit, UnitDef, unit_facts
from companion.engine.play.actions import Events
from companion.engine.play.duties import drop, offer
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, create, move, put_mark
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import GERMAN, SOVIET, rules
from companion.systems.panzer_keil.books import number
from companion.systems.panzer_keil.ground import board

NEAR: dict[str, tuple[str, int]] = {"FP": ("1722", 5), "Hollidt-A": ("2319", 3), "Hollidt-B": ("2516", 2)}
"""Formations that set up within so many hexes of one [B14.1]."""
AREAS = ("4PzA", "6A", "Voronezh", "S.West", "South", "Don")
"""Formations with a printed area, which the owner may copy into his map book under this name [B14]."""
FACTORS = ("AF", "DF", "MF", "XAF", "XDF", "XMF")


def counter_facts(game: Game, unit: UnitDef) -> dict[str, Any]:
    """What a unit brings along: the roster's facts with the owner's counter sheet over them."""
    facts = unit_facts(unit)
    row = game.book.tables.get("counters", {}).get(unit.id, {})
    for name, cell in (("name", "name"), ("kind", "kind"), ("klass", "nation"), ("size", "size")):
        if row.get(cell):
            facts[name] = str(row[cell])
    factors = {f: n for f in FACTORS if (n := number(row.get(f))) is not None}
    if factors:
        facts["factors"] = {**dict(facts.get("factors", {})), **factors}
    return facts


def _at_the_start(game: Game) -> bool | str:
    if game.units:
        return "units are on record already"
    begun = game.turn > 1 or game.phase != "weather"
    return "the game has begun: load the counters under Units" if begun else True


@rules.action(by="any", label="Set up the scenario", group="setup", rule="B14", order=90, when=_at_the_start)
def set_up(game: Game) -> Events:
    """Put every unit on record: on its printed hex, or for its owner to place in its area."""
    yield from _every_counter(game)
    yield from _ask_next(game)


@rules.action(
    by="any",
    label="Load the counters",
    group="units",
    rule="B14",
    when=lambda game: (not game.units and _at_the_start(game) is not True) or "units are on record already",
)
def load_counters(game: Game) -> Events:
    """Put every unit on record in the middle of a game, as it is set up; then enter where it stands."""
    yield from _every_counter(game)


def _every_counter(game: Game) -> Events:
    here = sum(1 for u in game.roster if u.place and not u.turn)
    later = sum(1 for u in game.roster if u.turn)
    text = f"{len(game.roster)} units are on record: {here} on their printed hexes"
    yield e.Noted(f"{text}, {len(game.roster) - here - later} to place, {later} to come later", rule="B14")
    for unit in game.roster:
        place = "" if unit.turn else unit.place
        yield create(
            game, unit.id, place, counter_facts(game, unit), reason=IN_PASSING
        )  # the note tells of all
        for name, value in unit.marks.items():
            yield put_mark(game, unit.id, name, value, reason=IN_PASSING)
    for target, marks in game.scenario.hex_marks.items():
        for name, value in marks.items():
            yield e.Marked(target, name, value)


@rules.action(
    by="any",
    label="Read the counter sheet again",
    group="book-keeping",
    rule="2.2.1",
    when=lambda game: bool(game.units) or "no unit is on record",
)
def read_counters(game: Game) -> Events:
    """Take over what the owner has filled in on the counter sheet since the set-up."""
    for definition in game.roster:
        held = game.units.get(definition.id)
        if held is None:
            continue
        facts = counter_facts(game, definition)
        new: dict[str, Any] = {
            k: facts[k]
            for k in ("name", "kind", "klass", "size", "factors")
            if k in facts and facts[k] != getattr(held, k)
        }
        if new:
            yield e.Placed(held.id, facts=new, reason="counter sheet", rule="2.2.1", side=held.side)


def unplaced(game: Game, formation: str = "") -> list[Unit]:
    """Set-up units that nobody has put on the map yet."""
    free = [u for u in game.units.values() if not u.turn and not u.place]
    return [u for u in free if not formation or u.formation == formation]


def _formations(ctx: Context) -> list[tuple[str, str]]:
    """Formations with units still to place: how many, and where they belong."""
    mine = [u for u in unplaced(ctx.game) if ctx.seat in ("table", u.side)]
    counts = Counter(u.formation for u in mine)
    return [(name, f"{name}: {n}, {_where(name)}") for name, n in counts.items()]


def _ask_next(game: Game) -> Events:
    """The formation to lay out next: Germans first, then Soviets [B14.1, B14.2]."""
    free = unplaced(game)
    if free:
        name, side = free[0].formation, free[0].side
        left = sum(u.formation == name for u in free)
        text = f"Set up {name}: {count(left, 'unit')}, {_where(name)}"
        yield offer(game, side, text, "place-formation", rule="B14", formation=name)


def _of_formation(ctx: Context) -> list[Unit]:
    return unplaced(ctx.game, str(ctx.values.get("formation") or "-"))


def _next_in_line(ctx: Context) -> bool:
    """Whether those of a formation are as good as alike: the record knows no counter of it better than another."""
    return ctx.duty is not None and not any(u.kind or u.factors for u in _of_formation(ctx))


def _laid_out(
    game: Game, formation: str, hexes: Sequence[str], each: int, units: Sequence[str]
) -> tuple[list[str], list[str]]:
    """The units to lay out, and a place for each of them in turn."""
    waiting = list(units) or [u.id for u in unplaced(game, formation)]
    return waiting, [h for h in hexes for _ in range(each)]


def _outside(ctx: Context) -> list[str]:
    """Who would not stand where his formation sets up [B14.1, B14.2]."""
    game, given = ctx.game, ctx.values
    laid = _laid_out(game, given["formation"], given["hexes"], given["each"], given["units"])
    pairs = zip(*laid, strict=False)
    return [f"{why} [B14]" for u, h in pairs if (why := misplaced(game, replace(game.units[u], place=h)))]


@rules.action(
    by="any",
    label="Place a formation",
    group="units",
    rule="B14",
    when=lambda game: bool(unplaced(game)) or "every unit of the set-up has been placed",
    warns=_outside,
)
def place_formation(
    game: Game,
    formation: Annotated[
        str, Choice(label="Formation", options=_formations, quiet=lambda c: c.duty is not None)
    ],
    hexes: Annotated[tuple[str, ...], HexId(label="Hexes", help="filled in this order", many=True)],
    each: Annotated[int, Whole(label="Units to a hex", low=1, high=3)] = 1,
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Which",
            help="none: the next ones in line",
            many=True,
            pick=_of_formation,
            quiet=_next_in_line,
        ),
    ] = (),
) -> Events:
    """Lay out a formation hex by hex: Germans first, then Soviets."""
    waiting, places = _laid_out(game, formation, hexes, each, units)
    if len(places) < len(units):
        raise Unreadable(
            f"{len(units)} units do not fit in there", field="hexes", given=len(hexes), rule="B14"
        )
    if len(places) - each >= len(waiting):
        raise Unreadable(
            f"{len(hexes)} hexes for {len(waiting)} units: some would stay empty",
            field="hexes",
            given=len(hexes),
            rule="B14",
        )
    laid = list(zip(waiting, places, strict=False))
    yield e.Noted(
        f"{formation}: {count(len(laid), 'unit')} in {', '.join(dict.fromkeys(places))}", rule="B14"
    )
    for unit, place in laid:
        yield move(game, unit, place, reason=IN_PASSING, rule="B14")
    yield from drop(game, "place-formation", why=formation)
    if game.turn == 1:
        yield from _ask_next(game)


def misplaced(game: Game, unit: Unit) -> str:
    """Why a unit does not stand where its formation sets up, or nothing."""
    if not unit.on_map:
        return ""
    if unit.formation in NEAR:
        centre, radius = NEAR[unit.formation]
        far = game.maps.distance(unit.place, centre)
        return f"{unit.name} is {far} from {centre}, not within {radius}" if far > radius else ""
    book = board(game).book
    area = book.named("area", unit.formation) if unit.formation in AREAS else []
    if area and unit.place not in area:
        return f"{unit.name} in {unit.place} is outside the area {unit.formation}"
    if unit.formation == "Don" and unit.place in book.named("area", "6A"):
        return f"{unit.name} in {unit.place} is inside the area 6A"
    return ""


@rules.worksheet(rule="B14.1, B14.2", title="Set-up check")
def set_up_check(ctx: Context, side: Annotated[str, SideRef(label="Side")] = "") -> Breakdown:
    """Which formations are placed, and who stands outside its area."""
    sheet = Breakdown("Set-up check")
    game = ctx.game
    waiting = 0
    for wanted in (GERMAN, SOVIET):
        if side and side != wanted:
            continue
        groups: dict[str, list[Unit]] = {}
        for unit in game.units.values():
            if unit.side == wanted and not unit.turn:
                groups.setdefault(unit.formation, []).append(unit)
        for name, units in groups.items():
            on_map = sum(1 for u in units if u.on_map)
            waiting += len(units) - on_map
            sheet.add(
                f"{name}: {on_map} of {len(units)}", _where(name), "B14.1" if wanted == GERMAN else "B14.2"
            )
            sheet.warnings += [why for u in units if (why := misplaced(game, u))]
    sheet.result = "complete" if not waiting and not sheet.warnings else f"{waiting} still to place"
    sheet.facts = {"waiting": waiting}
    return sheet


def _where(formation: str) -> str:
    if formation in NEAR:
        return f"within {NEAR[formation][1]} hexes of {NEAR[formation][0]}"
    return f"area {formation}" if formation in AREAS else "printed hexes"
