"""Reinforcements: bringing units in, holding them back, and where they may enter [10.1-10.3]."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Choice, Context, HexId, Text, UnitRef
from companion.engine.hexes.board import zone_indices
from companion.engine.hexes.trace import Trace
from companion.engine.kit.roster import Unit
from companion.engine.people.units import due
from companion.engine.play.actions import Events
from companion.engine.play.panels import Fact, Panel
from companion.engine.positions.situation import situation
from companion.engine.record import events as e
from companion.engine.record.changes import create, move
from companion.engine.record.game import Game
from companion.engine.record.once import once
from companion.systems.second_kharkov import supply
from companion.systems.second_kharkov.armies import any_restricted
from companion.systems.second_kharkov.base import GERMAN, MOVE, SOUTH, SOVIET, area, rules
from companion.systems.second_kharkov.counters import fresh_id
from companion.systems.second_kharkov.declaring import movement_has_begun
from companion.systems.second_kharkov.judging import at_start, policy
from companion.systems.second_kharkov.route import enemy_zone
from companion.systems.second_kharkov.stacking import overstacked
from companion.systems.second_kharkov.units import (
    ARMIES,
    NAMES,
    SIXTH,
    Kind,
    class_of,
    full_strength,
    is_172_75,
    label,
    type_of,
)

HELD_BACK = "box:delayed"
PANZER_ARMY = ARMIES[0]


def waiting(ctx: Context) -> list[Unit]:
    """Units of the side to move that are due and not on the map."""
    game = ctx.game
    here = [u for u in game.units.values() if u.side == game.active and u.steps and u.turn <= game.turn]
    return [u for u in here if u.place in ("", HELD_BACK)]


def doubts(game: Game, unit: Unit, hex_id: str) -> list[str]:
    """What the rules have against this entry hex [7.1, 7.3, 10.1]; players decide."""
    sources = _lines(game, unit.side)
    if is_172_75(unit):
        edge = situation(game).board.book.named("edge", "172/75")
        found = [] if hex_id in edge else ["172/75 enters by 1402 to 2402 only"]
    elif hex_id in sources.grid.ids and sources.grid.index[hex_id] in sources.starts:
        found = _wrong_edge(game, unit, hex_id)
    elif unit.side == SOVIET:
        found = _wrong_town(game, sources, hex_id)
    else:
        found = ["it is no working German edge source"]
    crowd = overstacked(unit.side, [*game.units_at(hex_id), unit])
    return [*found, *([str(crowd)] if crowd else [])]


def _lines(game: Game, side: str) -> Trace:
    return supply.lines(situation(game, at_start(game)), policy(game, side))


def _wrong_edge(game: Game, unit: Unit, hex_id: str) -> list[str]:
    """6th Army comes in north of its boundary, 1st Panzer south of it [10.1], even after the release as the
    table reads it [6.4]; 17th Army anywhere."""
    south = area(game, SOUTH)
    if (
        not south
        or unit.side == SOVIET
        or (game["boundary-entry"] == "until-release" and not any_restricted(game))
    ):
        return []
    if unit.formation == SIXTH and hex_id in south:
        return ["6th Army enters north of its boundary"]
    if unit.formation == PANZER_ARMY and hex_id not in south:
        return ["1st Panzer Army enters south of the 6th Army Boundary"]
    return []


def _wrong_town(game: Game, sources: Trace, hex_id: str) -> list[str]:
    """A town Soviet from the start, held, supplied and clear of German zones [10.1]."""
    now = sources.situation
    if hex_id not in now.board.places["town"]:
        return ["it is neither a working Soviet edge source nor a town"]
    found = []
    if hex_id in at_start(game)[GERMAN]:
        found.append("the town was not Soviet at the start")
    if now.controls(GERMAN, hex_id):
        found.append("the town is German now")
    zone = zone_indices(now.board, now.enemies(SOVIET), sources.policy.zone)
    if now.board.grid.index[hex_id] in zone:
        found.append("a German zone reaches the town")
    if not sources.supplied(hex_id):
        found.append("the town is out of supply")
    return found


@dataclass(frozen=True)
class EntryHex(HexId):
    """A hex that must be given wherever the form asks for it."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "required": True}


def _may_bring_in(game: Game) -> bool | NotNow:
    """Nobody comes before his turn; whoever was delayed may come in any later one [10.2]."""
    if game.turn == 1:
        return NotNow("nobody arrives on turn 1", rule="10.1")
    on_track = any(item.side == game.active for _, item in due(game))
    return on_track or bool(waiting(Context(game))) or NotNow("nobody is due", rule="10.2")


@rules.action(
    by="active",
    phase=tuple(MOVE.values()),
    rule="10.1",
    label="Bring a unit in",
    order=12,
    when=_may_bring_in,
)
def bring_in(
    game: Game,
    unit: Annotated[
        str, UnitRef(label="Unit", help="waiting or held back", pick=waiting, when=lambda c: bool(waiting(c)))
    ] = "",
    name: Annotated[
        str,
        Text(
            label="or a new one",
            most=40,
            placeholder="name on the counter",
            when=lambda c: not c.values.get("unit"),
        ),
    ] = "",
    kind: Annotated[str, Kind(label="Type", when=lambda c: not c.values.get("unit"))] = "",
    army: Annotated[
        str,
        Choice(
            label="Army",
            options=[(a, a) for a in ARMIES],
            when=lambda c: not c.values.get("unit") and c.game.active == GERMAN,
        ),
    ] = "",
    hex: Annotated[str, EntryHex(label="Entry hex")] = "",
) -> Events:
    """Bring a reinforcement onto the map; the entry hex is checked against the rules and costs movement."""
    held = game.units[unit] if unit else _new_unit(game, name, kind, army)
    if not hex:
        raise Unreadable(
            "say where it enters; without positions tap 'in' beside what is due",
            field="hex",
            accepted="1402",
            rule="10.1",
        )
    problems = doubts(game, held, hex)  # judged before it stands there
    yield from movement_has_begun(game)
    if not unit:
        yield create(game, held.id, hex, _facts(held), reason="reinforcement")
    else:
        yield move(game, unit, hex, reason="reinforcement", rule="10.1")
    if problems:
        seats = (held.side,) if game["fog"] else ()
        yield e.Noted(f"{label(held)} at {hex}: {'; '.join(problems)} (10.1)", rule="10.1", only=seats)


def _new_unit(game: Game, name: str, kind: str, army: str) -> Unit:
    """A unit not listed yet, whole [2.13, 3.4]; Soviets come untried [2.14]. Its type and army are asked."""
    side = game.active
    called = name or (NAMES.get(kind, "") if side == SOVIET else "")
    if not called:
        words = "say which unit comes in: one that waits, or a new one by its name"
        raise Unreadable(words, field="name", rule="10.1")
    told = class_of(kind or type_of(called, side))
    if not told:
        raise Unreadable(f"say which type {called} is", field="kind", rule="2.10")
    if side == GERMAN and not army:
        raise Unreadable(f"say which army {called} belongs to", field="army", rule="2.7")
    steps = full_strength(side, called)
    unit = Unit(fresh_id(game, side, called), side, called, formation=army, steps=steps, full=steps)
    unit.change({**told, "untried": side == SOVIET})
    return unit


def _facts(unit: Unit) -> dict[str, Any]:
    names = ("side", "name", "kind", "klass", "formation", "steps", "full", "untried")
    return {name: getattr(unit, name) for name in names if getattr(unit, name)}


@rules.action(
    by="active",
    phase=tuple(MOVE.values()),
    rule="10.2",
    label="Hold a unit back",
    group="arrive",
    when=lambda game: bool(waiting(Context(game))) or NotNow("nobody on record is waiting", rule="10.2"),
)
def hold_back(
    game: Game, units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=waiting)]
) -> Events:
    """Delay reinforcements, turn by turn and unit by unit."""
    for name in units:
        if game.units[name].place == HELD_BACK:
            words = f"{label(game.units[name])} is held back already"
            raise NotNow(words, field="units", given=name, rule="10.2")
        yield move(game, name, HELD_BACK, reason="arrival delayed", rule="10.2")


@once
def closed_sources(game: Game) -> dict[str, dict[str, list[str]]]:
    """Each side's edge sources that do not work now, by reason [9.12, 9.13]. German ones work in a zone, too."""
    now = situation(game, at_start(game))
    found: dict[str, dict[str, list[str]]] = {}
    for side in (SOVIET, GERMAN):
        enemy = game.other(side)
        zone = enemy_zone(game, side) if side == SOVIET else set()
        for hex_id in now.board.book.named("source", side):
            taken = now.controls(enemy, hex_id)
            if taken or hex_id in zone:
                why = f"{game.side_name(enemy)}-held" if taken else f"in a {game.side_name(enemy)} zone"
                found.setdefault(side, {}).setdefault(why, []).append(hex_id)
    return found


@rules.panel
def sources(game: Game, seat: str) -> Panel | None:
    """The edge sources that feed nobody and let nobody in for now [9.12, 9.13, 10.1]."""
    rules_of = {SOVIET: "9.13", GERMAN: "9.12"}
    rows = [
        Fact(f"{game.side_name(side)}, {why}", " ".join(sorted(hexes)), rules_of[side])
        for side, reasons in closed_sources(game).items()
        for why, hexes in reasons.items()
    ]
    return Panel("Edge sources closed", rows) if rows else None


@rules.panel
def delayed(game: Game, seat: str) -> Panel | None:
    """Who was held back: he may come in any later movement phase of his side."""
    held = [u for u in game.units.values() if u.place == HELD_BACK]
    rows = [Fact(label(u), u.entry or "may enter", "10.2") for u in held]
    return Panel("Held back", rows) if rows else None
