"""Supply: tracing to heads and edges, the three states, and what they do [10.0-10.3]."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Annotated

from companion.engine.forms.fields import Choice, Context, Flag, HexId, UnitRef
from companion.engine.forms.worksheet import Breakdown
from companion.engine.hexes.ground import RULEBOOK
from companion.engine.hexes.trace import Ban, Policy, Situation, SupplyLine, Trace, either, trace
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe
from companion.engine.positions.pieces import count, on_map
from companion.engine.positions.situation import board, situation
from companion.engine.record import events as e
from companion.engine.record.changes import put_mark
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import (
    GERMAN,
    SIDES,
    SOVIET,
    Reason,
    isolated,
    owe_a_step,
    rules,
    side_at,
    ticked_off,
)
from companion.systems.enemy_action_kharkov.support import in_support

SOVIET_TOWNS = frozenset({"0202", "1103"})  # [12.1]
REACH, OVER_DNIEPR = 7, 2  # [10.1]
BLOCKED = Ban(frozenset({"blocked dniepr"}), "blocked Dniepr [10.1]")
DNIEPR = Ban(frozenset({"dniepr"}), "unbridged Dniepr [10.1]", unless=frozenset({"bridge"}))
ROAD = frozenset({"road"})


def towns(game: Game) -> dict[str, str]:
    """Town and city hexes of the map book, with their names."""
    return board(game).book.places("town") | board(game).book.places("city")


def edge_vp_hexes(game: Game) -> dict[str, int]:
    """The VP hexes that are neither town nor city; nobody owns them [14.1]."""
    places = towns(game)
    facts = board(game).book.of_kind("vp")
    return {f.a: int(f.value) for f in facts if f.a not in places and f.value.isdecimal()}


def owner(game: Game, hex_id: str) -> str:
    """German at the start but for two towns; then whoever entered last [12.1]."""
    return str(game.mark(hex_id, "owner") or (SOVIET if hex_id in SOVIET_TOWNS else GERMAN))


def at_start(game: Game) -> dict[str, set[str]]:
    places = set(towns(game))
    return {SOVIET: places & SOVIET_TOWNS, GERMAN: places - SOVIET_TOWNS}


def scene(game: Game, moved: Mapping[str, str] = MappingProxyType({})) -> Situation:
    """The map for tracing: isolated units have no zone [8.0, 10.22].

    :param moved: units that would stand in another hex by then
    """
    here = situation(game, at_start(game), zoc=lambda u: game.mark(u.id, "supply") != "isolated")
    if not moved:
        return here
    return replace(here, units=tuple(p._replace(hex=moved.get(p.id, p.hex)) for p in here.units))


def _enemy_towns(game: Game, side: str) -> Callable[[Situation], Mapping[str, str]]:
    enemy = game.other(side)
    return lambda now: {h: "enemy town or city [12.1]" for h in towns(game) if now.controls(enemy, h)}


def road_heads(game: Game, side: str, here: Situation) -> list[str]:
    """Road hexes with an open road to a friendly edge hex where a road leaves the map [10.1]."""
    closed = _enemy_towns(game, side)
    roads = Policy(side, ezoc="closed", friends_cancel=True, blocks=closed, along=ROAD, bans=(BLOCKED,))
    return trace(here, roads, here.board.book.named("source", side)).reached()


def traces(game: Game, side: str, moved: Mapping[str, str] = MappingProxyType({})) -> list[Trace]:
    """Seven hexes without crossing the Dniepr, or two with it, to an edge hex or a road head [10.1]."""
    here = scene(game, moved)
    sources = [*here.board.book.named("edge", side), *road_heads(game, side, here)]
    found = []
    for reach, bans in ((REACH, (BLOCKED, DNIEPR)), (OVER_DNIEPR, (BLOCKED,))):
        policy = Policy(
            side,
            ezoc="last",
            friends_cancel=True,
            blocks=_enemy_towns(game, side),
            bans=bans,
            limit=reach,
            source_in_ezoc=bool(game["edge-in-zone"]),
            supplied_on_source=True,
        )
        found.append(trace(here, policy, sources))
    return found


def supply_heads(game: Game, side: str) -> set[str]:
    """Every friendly edge hex, and road hexes with an open road to one [10.1]."""
    here = scene(game)
    return {*here.board.book.named("edge", side), *road_heads(game, side, here)}


def map_ready(game: Game, side: str) -> bool:
    """Whether the owner entered edges or road exits of a side, so that tracing means something."""
    facts = board(game).book.facts.items()
    return any(by != RULEBOOK and f.kind in ("edge", "source") and f.value.lower() == side for f, by in facts)


def hex_supplied(game: Game, side: str, hex_id: str, moved: Iterable[Unit] = ()) -> bool | None:
    """Whether a hex can trace at this moment; None when the map book cannot tell [10.0].

    :param moved: units that would stand there by then, and no longer where they are [8.1]
    """
    if not map_ready(game, side):
        return None
    gone = {u.id: hex_id for u in moved}
    return any(t.supplied(hex_id) for t in traces(game, side, gone))


@rules.supplies
def supply(game: Game, side: str) -> Mapping[str, SupplyLine]:
    """Every unit of a side; before turn 2 all, and Soviets before turn 4, are supplied [10.0]."""
    answers = either(*traces(game, side))
    if game.turn == 1 or (side == SOVIET and game.turn < 4):
        return {u: a._replace(supplied=True, found=None) for u, a in answers.items()}
    return answers


# -- the supply phase ------------------------------------------------------------------------------------------


def next_state(state: str, can_trace: bool, *, heavy_mud: bool = False) -> str:
    """Supplied ('') -> oos -> isolated; a path clears all [10.2]; heavy mud only clears [15.34]."""
    if can_trace:
        return ""
    if heavy_mud:
        return state
    return {"": "oos", "oos": "isolated", "isolated": "isolated"}[state]


def _due_sides(game: Game) -> list[str]:
    return [GERMAN, *([SOVIET] if game.turn >= 4 else [])]


def _unchecked(game: Game) -> list[str]:
    return [s for s in _due_sides(game) if game["supply-checked"].get(s) != game.turn]


@rules.due_in("supply", stays=True)
def supply_to_check(game: Game) -> Iterator[str]:
    """Every side's supply is checked before the phase ends [4-III]."""
    for side in _unchecked(game):
        yield f"{game.side_name(side)} supply is not checked [4-III]"


def _next_side(ctx: Context) -> str:
    """The side that is not checked yet, German first."""
    return next(iter(_unchecked(ctx.game)), GERMAN)


def _side(ctx: Context) -> str:
    return str(ctx.args.get("side") or ctx.values.get("side") or _next_side(ctx))


def _own(ctx: Context) -> list[Unit]:
    return on_map(ctx.game, _side(ctx))


def _can_trace(ctx: Context) -> bool:
    return map_ready(ctx.game, _side(ctx)) and bool(_own(ctx))


def _by_hand(ctx: Context) -> bool:
    return bool(_own(ctx)) and (bool(ctx.values.get("by_hand")) or not map_ready(ctx.game, _side(ctx)))


ByHand = Annotated[bool, Flag(label="I say who is cut off", when=_can_trace)]
CutOff = Annotated[
    tuple[str, ...], UnitRef(label="Units that cannot trace", many=True, pick=_own, when=_by_hand)
]


def _german_first(ctx: Context) -> Iterator[Reason]:
    """Markers that come off Germans may bring zones back before the Soviets are traced [4-III]."""
    left = _unchecked(ctx.game)
    if left and left[0] != _side(ctx):
        yield Reason(f"{ctx.game.side_name(left[0])} units are checked first", "4-III")


@rules.action(
    phase="supply",
    by="any",
    rule="4-III, 10.2",
    label="Check supply",
    primary=True,
    ticks=False,
    fresh=True,
    when=lambda game: bool(_unchecked(game)) or "supply is checked: a second check would worsen units twice",
    warns=_german_first,
)
def check_supply(
    game: Game,
    side: Annotated[
        str,
        Choice(
            label="Side",
            options=lambda c: [(s, c.game.side_name(s)) for s in _unchecked(c.game)],
            start=_next_side,
            quiet=lambda c: True,
        ),
    ] = "",
    by_hand: ByHand = False,
    cut: CutOff = (),
) -> Events:
    """Check the Germans, then the Soviets: clear the markers of units that can trace, worsen the others one level."""
    yield from _check(game, side or _unchecked(game)[0], by_hand, cut)


@rules.leaving("supply")
def unchecked_goes_along(game: Game) -> Events:
    """What nobody checked can still be checked on this turn [4-III]."""
    for side in _unchecked(game):
        text = f"{game.side_name(side)}: check the supply of turn {game.turn}"
        yield owe(game, side, text, check_late, rule="4-III", side=side, turn=game.turn)


def _still_unchecked(game: Game, duty: e.Asked) -> bool:
    """The next turn's check takes the place of this one's."""
    return duty.args["turn"] == game.turn and duty.args["side"] in _unchecked(game)


@rules.follow_up(rule="4-III, 10.2", label="Check supply now", still=_still_unchecked, warns=_german_first)
def check_late(game: Game, duty: e.Asked, by_hand: ByHand = False, cut: CutOff = ()) -> Events:
    """Check a side's supply although its phase is over."""
    yield from _check(game, str(duty.args["side"]), by_hand, cut)


def _check(game: Game, side: str, by_hand: bool, cut: tuple[str, ...]) -> Events:
    """Every unit of a side, by tracing or as told [10.2]."""
    units = on_map(game, side)
    if cut or by_hand or not map_ready(game, side):
        off = set(cut)
    else:
        answers = either(*traces(game, side))
        off = {u.id for u in units if not answers[u.id].supplied}
    mud = game["ground"] == "heavy-mud"
    stuck = [u for u in units if u.id in off and isolated(game, u)]
    told = f"{len(off)} of {count(len(units), 'unit')} cut off" if units else "done on the map"
    yield e.Noted(f"{game.side_name(side)} supply checked: {told}", rule="10.2")
    for unit in units:
        now = str(game.mark(unit.id, "supply") or "")
        new = next_state(now, unit.id not in off, heavy_mud=mud)
        if new != now:
            yield put_mark(game, unit.id, "supply", new or None, reason="supply phase", rule="10.2")
    yield e.Set("supply-checked", {**game["supply-checked"], side: game.turn})
    yield from ticked_off(game, "check-supply", all_sides=_due_sides(game), left=_unchecked(game))
    if not mud:
        yield from _surrenders(game, side, stuck)


def _surrenders(game: Game, side: str, stuck: list[Unit]) -> Events:
    """An isolated unit or stack beside an enemy pays one step [10.23]."""
    for place in sorted({u.place for u in stuck}):
        beside = [u for h in game.maps.neighbours(place) for u in game.units_at(h) if u.side != side]
        if beside:
            ids = [u.id for u in stuck if u.place == place]
            yield owe_a_step(game, f"lose a step in {place}, isolated beside an enemy", ids, "10.23")


EFFECTS = {
    "oos": (
        ("no tactic is played for it", "10.21"),
        ("mechanised: two hexes of movement at most", "10.21"),
        ("attacks only beside a supplied unit", "9.1"),
        ("builds no improved position", "10.21"),
        ("gets no replacement steps", "10.21"),
        ("if all its stack is: one chit more for the attacker, one attacker hit less", "10.21"),
    ),
    "isolated": (
        ("no zone of control", "10.22"),
        ("never attacks", "10.22"),
        ("mechanised: no movement; infantry: one hex, not out of a zone, not into an enemy town", "10.22"),
        ("mechanised: its stack cannot retreat; others one hex", "10.22"),
        ("armour does not count", "10.22"),
        ("if all its stack is: two chits more, attacker hits ignored", "10.22"),
        ("eliminated: out of the game", "10.22"),
        ("does not keep enemy reserves away", "10.22"),
        ("no tactics, no IP, no steps", "10.21"),
    ),
}


@rules.worksheet(rule="10.2", title="Effects of unsupply")
def supply_effects(
    ctx: Context,
    state: Annotated[
        str, Choice(label="State", options=[("oos", "Out of supply"), ("isolated", "Isolated")])
    ] = "oos",
) -> Breakdown:
    """What a unit without supply may not do."""
    sheet = Breakdown("Out of supply" if state == "oos" else "Isolated")
    for text, rule in EFFECTS[state]:
        sheet.add(text, "", rule)
    return sheet


@rules.worksheet(rule="10.0, 10.4", title="Supply and support of a hex")
def hex_supply(
    ctx: Context,
    hex: Annotated[str, HexId(label="Hex")] = "",
    side: Annotated[str, Choice(label="Side", options=SIDES, start=side_at)] = SOVIET,
) -> Breakdown:
    """Whether a hex can trace supply now, and whether it is in Soviet support."""
    sheet = Breakdown(f"Hex {hex}")
    game = ctx.game
    if not hex:
        sheet.warnings.append("name a hex at a table")
        return sheet
    words = {True: "yes", False: "no", None: "look at the map: the map book does not tell"}
    can = hex_supplied(game, side, hex)
    sheet.add(f"{game.side_name(side)} supply", words[can], "10.1")
    sheet.facts["supplied"] = can
    if can:
        path = next(t.path(hex) for t in traces(game, side) if t.supplied(hex))
        sheet.add("path", " ".join(path), "10.1")
    sheet.add("Soviet support", words[in_support(game, hex)], "10.41")
    sheet.facts["supported"] = in_support(game, hex)
    return sheet


def _cut_off(ctx: Context) -> list[Unit]:
    own = on_map(ctx.game, ctx.duty.to[0]) if ctx.duty else []
    return [u for u in own if ctx.game.mark(u.id, "supply")]


def _one_stack(ctx: Context) -> Iterator[Reason]:
    if len({ctx.game.units[u].place for u in ctx.values.get("units") or ()}) > 1:
        yield Reason("one unit or stack only", "10.3")


@rules.follow_up(rule="10.3", label="Supply them by air", warns=_one_stack)
def air_supply(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Unit or stack", many=True, pick=_cut_off)],
) -> Events:
    """One unsupplied unit or stack is supplied at once, until the next supply phase."""
    for unit in units:
        yield put_mark(game, unit, "supply", None, reason="air supply", rule="10.3")
