"""Set-up by formation: counters as the owner copied them, a check of counts and places [3, B14.1-B14.2]."""

from __future__ import annotations

from typing import Annotated, Any

from companion.engine import events as e
from companion.engine.actions import Events
from companion.engine.fields import Context, SideRef
from companion.engine.game import Game
from companion.engine.moves import create, put_mark
from companion.engine.roster import Unit, UnitDef, unit_facts
from companion.engine.worksheet import Breakdown
from companion.systems.panzer_keil.base import GERMAN, SOVIET, rules
from companion.systems.panzer_keil.books import number
from companion.systems.panzer_keil.ground import board

NEAR: dict[str, tuple[str, int]] = {"FP": ("1722", 5), "Hollidt-A": ("2319", 3), "Hollidt-B": ("2516", 2)}
"""B14.1: formations that set up within so many hexes of one."""
AREAS = ("4PzA", "6A", "Voronezh", "S.West", "South", "Don")
"""B14: formations with a printed area, which the owner may copy into his map book under this name."""
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


@rules.action(
    by="any",
    label="Set up the scenario",
    group="setup",
    rule="B14",
    when=lambda game: not game.units or "units are on record already",
)
def set_up(game: Game) -> Events:
    """Put every unit on record: on its printed hex, or for its owner to place in its area."""
    for unit in game.roster:
        yield create(game, unit.id, "" if unit.turn else unit.place, counter_facts(game, unit))
        for name, value in unit.marks.items():
            yield put_mark(game, unit.id, name, value)
    for target, marks in game.scenario.hex_marks.items():
        for name, value in marks.items():
            yield e.Marked(target, name, value)


@rules.action(by="any", label="Read the counter sheet again", group="setup", rule="2.2.1")
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
    if game is None:
        return sheet
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
        return f"within {NEAR[formation][1]} of {NEAR[formation][0]}"
    return f"area {formation}" if formation in AREAS else "printed hexes"
