"""Reinforcements: bringing units in, holding them back, and where they may enter [10.1-10.3]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import Mistake, NotNow, Unreadable
from companion.engine.forms.fields import Choice, Context, HexId, Text, UnitRef
from companion.engine.forms.panels import Fact, Panel
from companion.engine.hexes.board import Board
from companion.engine.kit.roster import Unit
from companion.engine.once import once
from companion.engine.people.units import arrive as arrive_plainly
from companion.engine.people.units import arriving, can_arrive, due
from companion.engine.play.actions import Events
from companion.engine.positions.situation import board, held_hexes
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, create, move, put_mark
from companion.engine.record.game import Game
from companion.systems.second_kharkov.base import GERMAN, MOVE, SOVIET, Reason, rules
from companion.systems.second_kharkov.counters import fresh_id
from companion.systems.second_kharkov.declaring import movement_has_begun
from companion.systems.second_kharkov.entry import HELD_BACK, doubts, entry_cost, unchecked
from companion.systems.second_kharkov.judging import at_start
from companion.systems.second_kharkov.movement import SPENT
from companion.systems.second_kharkov.units import (
    ARMIES,
    NAMES,
    Kind,
    class_of,
    full_strength,
    label,
    type_of,
)


def waiting(ctx: Context) -> list[Unit]:
    """Units of the side to move that are due and not on the map."""
    game = ctx.game
    here = [u for u in game.units.values() if u.side == game.active and u.steps and u.turn <= game.turn]
    return [u for u in here if u.place in ("", HELD_BACK)]


@dataclass(frozen=True)
class NewKind(Kind):
    """The type of a new unit: asked where its name does not tell it [2.10]."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        told = type_of(str(ctx.values.get("name") or ""), ctx.game.active)
        return {**super().describe(ctx), "required": not told}


@dataclass(frozen=True)
class NewName(Text):
    """The name of a new unit: of an untried Soviet its type is name enough [2.14]."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        plain = {**super().describe(ctx), "required": ctx.game.active == GERMAN}
        return plain if waiting(ctx) else {**plain, "label": "Unit"}


@dataclass(frozen=True)
class Needed(Choice):
    """A choice that must be made wherever the form asks for it."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "required": True}


def _only_one(ctx: Context) -> str:
    here = waiting(ctx)
    return here[0].id if len(here) == 1 else ""


@dataclass(frozen=True)
class EntryHex(HexId):
    """A hex that must be given wherever the form asks for it; those used before are offered, and what is against it said."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        used = _last_entries(ctx.game)
        plain = {**super().describe(ctx), "required": True, "help": _said(ctx)}
        return {**plain, "choices": [{"value": h, "label": h} for h in used]}


def _last_entries(game: Game) -> list[str]:
    """Where this side's units of this turn came in, as far as they still stand there."""
    here = [
        u.place for u in game.units.values() if u.side == game.active and u.turn == game.turn and u.on_map
    ]
    return list(dict.fromkeys(h for h in here if any(game.mark(u.id, SPENT) for u in game.units_at(h))))


def _said(ctx: Context) -> str:
    """What is not checked of the hex as it is filled in."""
    try:
        unit, hex_id = _entering(ctx)
    except (Mistake, KeyError):
        return ""
    return f"not checked: {'; '.join(open_)}" if (open_ := unchecked(ctx.game, unit, hex_id)) else ""


def _entering(ctx: Context) -> tuple[Unit, str]:
    """Who enters and where, once the form tells both.

    :raises Mistake: while it does not
    """
    game, told = ctx.game, ctx.values
    unit = str(told.get("unit") or "")
    held = (
        game.units[unit]
        if unit
        else _new_unit(game, *(str(told.get(n) or "") for n in ("name", "kind", "army")))
    )
    hex_id = str(told.get("hex") or "")
    if not hex_id:
        raise Unreadable(
            "say where it enters; without positions tap 'in' beside what is due",
            field="hex",
            accepted="1402",
            rule="10.1",
        )
    return held, hex_id


def _against(ctx: Context) -> list[str]:
    """Said before the unit stands there [10.1]."""
    return doubts(ctx.game, *_entering(ctx))


def _on_the_list(ctx: Context) -> list[Unit]:
    """The units that an item of the track names and that still wait."""
    item = dict(due(ctx.game)).get(str(ctx.values.get("arrival") or ""))
    named = [ctx.game.units[n] for n in item.units if n in ctx.game.units] if item else []
    return [u for u in named if not u.place]


def _against_arriving(ctx: Context) -> list[str]:
    """The same for units of the track that are given their hex beside it [10.1]."""
    hex_id = str(ctx.values.get("hex") or "")
    coming = _on_the_list(ctx) if hex_id else []
    return [f"{label(u)}: {words}" for u in coming for words in doubts(ctx.game, u, hex_id)]


@rules.action(
    by="any",
    label=arrive_plainly.label,
    group="arrive",
    rule="10.1",
    when=can_arrive,
    warns=_against_arriving,
)
def arrive(
    game: Game,
    arrival: Annotated[str, Choice(label="Which", options=arriving)],
    hex: Annotated[str, HexId(label="Entry hex", when=lambda c: bool(_on_the_list(c)))] = "",
) -> Events:
    """Reinforcements have entered the map; those on record do so by a hex, which costs them movement."""
    coming = _on_the_list(Context(game, values={"arrival": arrival})) if hex else []
    yield from arrive_plainly.fn(game, arrival=arrival, hex=hex)
    for unit in coming:
        yield put_mark(game, unit.id, SPENT, entry_cost(game, unit, hex), reason=IN_PASSING, rule="10.1")


def _may_bring_in(game: Game) -> bool | NotNow:
    """Nobody comes before his turn; whoever was delayed may come in any later one [10.2]."""
    if game.turn == 1:
        return NotNow("nobody arrives on turn 1", rule="10.1")
    today = [item for item in game.scenario.arrivals if item.turn == game.turn]  # ticked off or not
    on_track = any(item.side == game.active for item in (*today, *(item for _, item in due(game))))
    return on_track or bool(waiting(Context(game))) or NotNow("nobody is due", rule="10.2")


@rules.action(
    by="active",
    phase=tuple(MOVE.values()),
    rule="10.1",
    label="Bring a unit in",
    order=12,
    when=_may_bring_in,
    warns=_against,
)
def bring_in(
    game: Game,
    unit: Annotated[
        str,
        UnitRef(
            label="Unit",
            help="waiting or held back",
            pick=waiting,
            start=_only_one,
            when=lambda c: bool(waiting(c)),
        ),
    ] = "",
    name: Annotated[
        str,
        NewName(
            label="or a new one",
            most=40,
            placeholder="name on the counter",
            when=lambda c: not c.values.get("unit"),
        ),
    ] = "",
    kind: Annotated[str, NewKind(label="Type", when=lambda c: not c.values.get("unit"))] = "",
    army: Annotated[
        str,
        Needed(
            label="Army",
            options=[(a, a) for a in ARMIES],
            when=lambda c: not c.values.get("unit") and c.game.active == GERMAN,
        ),
    ] = "",
    hex: Annotated[
        str, EntryHex(label="Entry hex", start=lambda c: (_last_entries(c.game) or [""])[-1])
    ] = "",
) -> Events:
    """Bring a reinforcement onto the map; the entry hex is checked against the rules and costs movement."""
    held, hex = _entering(
        Context(game, values={"unit": unit, "name": name, "kind": kind, "army": army, "hex": hex})
    )
    problems = doubts(game, held, hex)  # judged before it stands there
    problems += [f"not checked: {words}" for words in unchecked(game, held, hex)]
    yield from movement_has_begun(game)
    if not unit:
        yield create(game, held.id, hex, _facts(held), reason="reinforcement")
    else:
        yield move(game, unit, hex, reason="reinforcement", rule="10.1")
    yield put_mark(game, held.id, SPENT, entry_cost(game, held, hex), reason=IN_PASSING, rule="10.1")
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
    unit.change({**told, "untried": side == SOVIET, "turn": game.turn})
    return unit


def _facts(unit: Unit) -> dict[str, Any]:
    names = ("side", "name", "kind", "klass", "formation", "steps", "full", "untried", "turn")
    return {name: getattr(unit, name) for name in names if getattr(unit, name)}


def _not_held_back(ctx: Context) -> list[Unit]:
    return [u for u in waiting(ctx) if u.place != HELD_BACK]


def _only_one_waits(ctx: Context) -> list[str]:
    here = _not_held_back(ctx)
    return [here[0].id] if len(here) == 1 else []


@rules.action(
    by="active",
    phase=tuple(MOVE.values()),
    rule="10.2",
    label="Hold a unit back",
    group="arrive",
    when=lambda game: (
        bool(_not_held_back(Context(game))) or NotNow("nobody on record is waiting", rule="10.2")
    ),
)
def hold_back(
    game: Game,
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Units", many=True, pick=_not_held_back, start=_only_one_waits),
    ],
) -> Events:
    """Delay reinforcements, turn by turn and unit by unit."""
    for name in units:
        yield move(game, name, HELD_BACK, reason="arrival delayed", rule="10.2")


@once
def closed_sources(game: Game) -> dict[str, dict[str, list[str]]]:
    """Each side's edge sources that do not work now, by reason [9.12, 9.13]. German ones work in a zone, too."""
    here, stacks, held = board(game), game.stacks(), held_hexes(game, at_start(game))
    found: dict[str, dict[str, list[str]]] = {}
    for side in (SOVIET, GERMAN):
        enemy = game.other(side)
        foes = {hex_id for hex_id, stack in stacks.items() if any(u.side != side for u in stack)}
        for hex_id, near in _sources(here, side):
            standing = {u.side for u in stacks.get(hex_id, ())}
            taken = enemy in standing if standing else hex_id in held[enemy]
            if taken or (side == SOVIET and not foes.isdisjoint(near)):
                why = f"{game.side_name(enemy)}-held" if taken else f"in a {game.side_name(enemy)} zone"
                found.setdefault(side, {}).setdefault(why, []).append(hex_id)
    return found


def _sources(here: Board, side: str) -> list[tuple[str, tuple[str, ...]]]:
    """A side's sources with the hexes around each, read off the map once."""
    key = ("sources", side)
    if key not in here.memo:
        hexes, on = here.book.named("source", side), here.grid.index
        here.memo[key] = [(name, here.grid.neighbours(name) if name in on else ()) for name in hexes]
    found: list[tuple[str, tuple[str, ...]]] = here.memo[key]
    return found


@rules.panel
def sources(game: Game) -> Panel | None:
    """The edge sources that feed nobody and let nobody in for now [9.12, 9.13, 10.1]."""
    rules_of = {SOVIET: "9.13", GERMAN: "9.12"}
    rows = [
        Fact(f"{game.side_name(side)}, {why}", " ".join(sorted(hexes)), rules_of[side])
        for side, reasons in closed_sources(game).items()
        for why, hexes in reasons.items()
    ]
    return Panel("Edge sources closed", rows) if rows else None


@rules.panel
def delayed(game: Game) -> Panel | None:
    """Who was held back: he may come in any later movement phase of his side."""
    held = [u for u in game.units.values() if u.place == HELD_BACK]
    rows = [Fact(label(u), u.entry or "may enter", "10.2") for u in held]
    return Panel("Held back", rows) if rows else None


@rules.warns_of("next-phase")
def not_in_yet(ctx: Context) -> Iterator[Reason]:
    """What the turn brings comes in with the movement, or is held back knowingly [10.1, 10.2]; said in its own turn only."""
    game = ctx.game
    if game.phase == MOVE.get(game.active):
        for _, arrival in due(game):
            if (arrival.side, arrival.turn) == (game.active, game.turn):
                yield Reason(f"{arrival.text} are not in yet, and stay due", "10.1, 10.2")
