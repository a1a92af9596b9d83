"""Supply as it is judged for a move or a battle: by hand, else by the traced line [9.1, 9.8, 9.9]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Choice, Context, HexId, UnitRef
from companion.engine.forms.panels import Fact, Panel
from companion.engine.forms.worksheet import halve
from companion.engine.hexes.ground import MapBook
from companion.engine.hexes.trace import Policy, Situation, SupplyLine
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.situation import board, situation
from companion.engine.record.changes import put_mark
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_mark, may_see_unit
from companion.systems.second_kharkov import supply
from companion.systems.second_kharkov.base import FIGHT, GERMAN, MOVE, SOVIET, WEST, area, rules
from companion.systems.second_kharkov.units import factor, label, seen_by


def at_start(game: Game) -> dict[str, frozenset[str]]:
    """Who holds what when play begins: Kharkov, the edge sources, the west if it is entered [3.5]."""
    here = board(game)
    if "held at start" not in here.memo:
        here.memo["held at start"] = _held_at_start(here.book, area(game, WEST))
    found: dict[str, frozenset[str]] = here.memo["held at start"]
    return found


def _held_at_start(book: MapBook, west: frozenset[str]) -> dict[str, frozenset[str]]:
    german = frozenset((*west, *supply.AT_START[GERMAN], *book.named("source", GERMAN)))
    soviet = frozenset(book.named("source", SOVIET))
    if west:  # with the front line entered, every other town and city is Soviet
        soviet |= frozenset(book.places()) - german
    return {GERMAN: german, SOVIET: soviet - german}


def policy(game: Game, side: str) -> Policy:
    """A side's rules of tracing, in this table's reading of crossings [9.6]."""
    plain = supply.POLICIES[side]
    if side == GERMAN or game["crossing-bar"] != "hex":
        return plain
    return replace(
        plain, blocks=lambda now: {**_held_banks(now), **(plain.blocks(now) if plain.blocks else {})}
    )


def _held_banks(now: Situation) -> dict[str, str]:
    held = [h for h in supply.banks(now.board) if now.controls(GERMAN, h)]
    return dict.fromkeys(held, "German-controlled bank of a crossing [9.6]")


@rules.supplies
def supplies(game: Game, side: str) -> Mapping[str, SupplyLine]:
    """Every unit's line of supply; on turn 1 all have one [5.5]."""
    return supply.answers(situation(game, at_start(game)), policy(game, side), game.turn)


def by_hand(game: Game, unit: Unit) -> bool | None:
    """What the players judged this phase: True out of supply, False in supply, None not judged."""
    for target in (unit.id, unit.place):
        for marker, out in (("oos", True), ("supplied", False)):
            if game.mark(target, marker) is not None:
                return out
    return None


def out_of_supply(game: Game, units: Iterable[Unit]) -> set[str]:
    """The units out of supply now. What was judged by hand wins over the trace; turn 1 has none [5.5]."""
    if game.turn == 1:
        return set()
    found: set[str] = set()
    traced: dict[str, Mapping[str, SupplyLine]] = {}
    for unit in units:
        judged = by_hand(game, unit)
        if judged is None and unit.on_map:
            if unit.side not in traced:
                traced[unit.side] = supplies(game, unit.side)
            answer = traced[unit.side].get(unit.id)
            judged = answer is not None and not answer.supplied
        if judged:
            found.add(unit.id)
    return found


def _judged(ctx: Context) -> list[Unit]:
    """Whose supply matters now: the moving side's; in a battle everybody's."""
    side = ctx.game.active if ctx.game.phase in MOVE.values() else ""
    return [u for u in seen_by(ctx, side) if u.on_map]


@dataclass(frozen=True)
class OrHexes(HexId):
    """Hexes to be judged, unless units are chosen."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "required": not ctx.values.get("units")}


STATES = (("out", "out of supply"), ("in", "in supply"), ("trace", "as the trace says"))


@rules.action(
    by="any",
    phase=(*MOVE.values(), *FIGHT.values()),
    rule="9.1",
    label="Judge supply",
    order=20,
    when=lambda game: game.turn > 1 or NotNow("everybody is in supply on turn 1", rule="5.5"),
)
def judge_supply(
    game: Game,
    hexes: Annotated[tuple[str, ...], OrHexes(label="Hexes", many=True)] = (),
    units: Annotated[
        tuple[str, ...], UnitRef(label="or units", many=True, pick=_judged, when=lambda c: bool(_judged(c)))
    ] = (),
    state: Annotated[str, Choice(label="are", options=STATES)] = "out",
) -> Events:
    """Say who is in or out of supply; it is remembered until the phase ends."""
    if not units and not hexes:
        raise Unreadable("say who is judged: a hex number, or a unit", field="hexes", rule="9.1")
    for target in (*units, *hexes):
        for marker, value in (("oos", state == "out"), ("supplied", state == "in")):
            if value or game.mark(target, marker) is not None:
                yield put_mark(game, target, marker, value or None, reason="judged", rule="9.1")


@rules.panel
def halved_factors(game: Game, seat: str) -> Panel | None:
    """What units judged out of supply have left of their factors."""
    rows, marked = [], game.marked("oos")
    for unit in game.units.values() if marked else ():
        judged = any(may_see_mark(game, target, "oos", seat) for target in (unit.id, unit.place))
        if unit.on_map and judged and by_hand(game, unit) and may_see_unit(game, unit, seat):
            known = ((name, factor(game, unit, name)) for name in ("AF", "DF", "MF"))
            halves = [f"{name} {value} \u2192 {halve(value)}" for name, value in known if value is not None]
            shown = ", ".join(halves) or "AF, DF and MF halved"
            rows.append(Fact(f"{label(unit)} ({unit.place})", shown, "9.8, 9.9"))
    loose = [t for t in marked if t not in game.units and not game.units_at(t)]
    rows += [Fact(h, "all units there are halved", "9.8, 9.9") for h in loose]
    return Panel("Out of supply", rows) if rows else None
