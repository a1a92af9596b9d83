"""Set-up: the scenario's list with its missing CEL, counters typed in, and formations opened."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Annotated

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Choice, Context, Text, UnitRef, Whole
from companion.engine.forms.panels import Fact, Panel
from companion.engine.kit.roster import Unit, slug
from companion.engine.kit.when import holds
from companion.engine.once import once
from companion.engine.people.units import set_up as plain_set_up
from companion.engine.people.units import waits
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import any_unit
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, change, create, move, put_mark, read_off
from companion.engine.record.game import Game
from companion.systems.wb95.base import rules
from companion.systems.wb95.losses import shares, take_level
from companion.systems.wb95.terrain import CLASSES


def _whole_formation(unit: Unit, missing: int) -> bool:
    """Whether a line stands for several counters: a division or corps, or it lacks all that one counter has."""
    return unit.size in {"division", "corps"} or missing >= unit.steps


@rules.action(label="Set up the scenario", group="setup", order=-1, when=plain_set_up.when)
def set_up(game: Game) -> Events:
    """Put every unit of the list on record and take missing CEL off single counters; formations wait for their owner."""
    waiting = sum(1 for u in game.roster if u.turn or not u.place)
    yield e.Noted(
        f"{game.scenario.name} is set up: {len(game.roster) - waiting} counters on the map, {waiting} to come"
    )
    for event in plain_set_up.fn(game):  # told by the line above: 167 counters are no news one by one
        yield replace(event, reason=IN_PASSING) if isinstance(event, e.Placed | e.Marked) else event
    for name, missing in list(game.marked("short").items()):
        unit = game.units[name]
        if not _whole_formation(unit, missing):
            yield change(
                game, name, {"steps": max(1, unit.steps - int(missing))}, reason=f"-{missing} CEL in the list"
            )
            yield put_mark(game, name, "short", None)
    unplaced = [u for u in game.units.values() if not u.place and not u.turn]
    if unplaced:
        places = sorted({u.note.split(", any hex")[0].split("; ")[-1].removeprefix("in ") for u in unplaced})
        yield e.Noted(
            f"{len(unplaced)} units are placed by their owner: {', '.join(places)}", rule="set-up list"
        )
    doubtful = [u for u in game.roster if u.doubtful]
    if doubtful:
        yield e.Noted(f"{len(doubtful)} lines of the list are doubtful: check them on the units page")


def _known(ctx: Context) -> list[Unit]:
    return [u for u in ctx.game.units.values() if ctx.seat in {"table", u.side}]


def _short(ctx: Context) -> list[Unit]:
    return [u for u in _known(ctx) if ctx.game.mark(u.id, "short")]


def _counters(ctx: Context) -> list[Unit]:
    """Counters of the one formation that is ticked."""
    chosen = list(ctx.values.get("formations") or ())
    if len(chosen) != 1:
        return []
    named = ctx.game.units[chosen[0]]
    return [
        u
        for u in _known(ctx)
        if u.side == named.side and u.formation and u.formation == named.formation and u.on_map
    ]


@rules.action(
    rule="set-up list", label="Take missing CEL off", group="setup", order=91,
    when=lambda game: bool(game.marked("short")) or "no formation lacks CEL",
)  # fmt: skip
def take_missing(
    game: Game,
    formations: Annotated[
        tuple[str, ...],
        UnitRef(label="Formations", many=True, pick=_short, start=lambda c: [u.id for u in _short(c)]),
    ],
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Taken by these counters",
            many=True,
            pick=_known,
            suggest=_counters,
            help="empty: done on the map only",
            quiet=lambda c: len(_counters(c)) < 2,
        ),
    ] = (),
) -> Events:
    """The list says how many CEL a formation lacks; its owner takes them off counters as he likes."""
    if units and len(formations) != 1:
        raise Unreadable(
            "counters can be named for one formation at a time", field="units", rule="set-up list"
        )
    for formation in formations:
        missing = int(game.mark(formation, "short") or 0)
        for unit, amount in shares([game.units[u] for u in units], missing).items():
            yield from take_level(game, unit, amount, "set-up list")
        yield put_mark(game, formation, "short", None, reason=f"{missing} CEL taken off")


@rules.panel
def short_formations(game: Game, seat: str) -> Panel | None:
    """How many CEL each formation of a side lacks at the start; the tablet under fog shows neither side's."""
    mine = [
        (game.units[name], missing)
        for name, missing in game.marked("short").items()
        if name in game.units and (seat == game.units[name].side or not game["fog"])
    ]
    rows = [
        Fact(f"{unit.name} {unit.place}".strip(), f"{missing} CEL", "set-up list") for unit, missing in mine
    ]
    return Panel("To take off before play", rows) if rows else None


def _anything(game: Game) -> bool | str:
    return bool(game.units) or "no counter is on record"


@rules.action(rule="1.2", label="Set a counter", group="units", order=75, when=_anything)
def set_counter(
    game: Game,
    unit: Annotated[str, UnitRef(label="Unit", pick=_known)],
    attack: Annotated[int, Whole(label="SP (attack)", high=40, help="as printed")] = -1,
    defence: Annotated[int, Whole(label="Defence SP", high=40, help="artillery only; else the same")] = -1,
    mp: Annotated[int, Whole(label="Movement points", high=30)] = -1,
    cel: Annotated[int, Whole(label="CEL", low=1, high=4)] = -1,
    klass: Annotated[
        str, Choice(label="Moves as", options=[("", "unchanged"), *CLASSES, ("towed", "Towed")])
    ] = "",
    star: Annotated[
        str,
        Choice(
            label="Star", options=[("", "unchanged"), *((c, c) for c in ("black", "white", "yellow", "blue"))]
        ),
    ] = "",
) -> Events:
    """Copy what is printed on your counter, so that the combat sheet can add it up."""
    held = game.units[unit]
    factors = dict(held.factors)
    if attack >= 0:
        factors["A"] = attack
        factors["D"] = defence if defence >= 0 else attack
    elif defence >= 0:
        factors["D"] = defence
    if mp >= 0:
        factors["MP"] = mp
    facts: dict[str, object] = {"factors": factors}
    if cel > 0:
        lost = held.full - held.steps
        facts |= {"full": cel, "steps": max(1, cel - lost)}
    if klass:
        facts["klass"] = klass
    yield read_off(game, unit, facts, "1.2")
    if star:
        yield put_mark(game, unit, "star", star, rule="15.1")


KEPT = ("star", "short")
"""Marks that belong to one counter or to the line of the list, not to all counters of a formation."""


def _in_battle(game: Game, unit: str) -> bool:
    """Whether something is owed that is about this very counter."""
    return any(unit in duty.units for duty in game.duties()) or any(
        unit in units for battle in game.fighting for units in battle.forces.values()
    )


def _formations(ctx: Context) -> list[Unit]:
    """What may stand for several counters; not while its reserve is held back, whose counters nobody could date."""
    return [u for u in _known(ctx) if _may_open(ctx.game, u)]


def _may_open(game: Game, unit: Unit) -> bool:
    return (unit.on_map or waits(game, unit)) and unit.id not in _held_back(game)


@once
def _held_back(game: Game) -> frozenset[str]:
    """Units of reserves that are not released."""
    arrivals = game.scenario.arrivals
    return frozenset(n for a in arrivals if not holds(a.when, game.values) for n in a.units)


def _any_formation(game: Game) -> bool | str:
    return any_unit(game, partial(_may_open, game)) or "nothing is on record"


@rules.action(
    rule="1.3", label="Open a formation into counters", group="units", order=76, when=_any_formation
)
def open_formation(
    game: Game,
    unit: Annotated[str, UnitRef(label="Formation", pick=_formations)],
    counters: Annotated[str, Text(label="Its counters", most=200, placeholder="I/6, 3, 394, Art.")],
) -> Events:
    """Replace the one line of a division or corps by its counters, all in the same place."""
    held = game.units[unit]
    names = [n.strip() for n in counters.split(",") if n.strip()]
    if not names:
        raise Unreadable("name the counters, separated by commas", field="counters", rule="1.3")
    if _in_battle(game, unit):
        raise NotNow("it is in a battle: finish that first", field="unit", given=unit, rule="1.3")
    marks = {m: game.mark(unit, m) for m in game.marks.get(unit, {}) if m not in KEPT}
    for name in names:
        gun = name.lower().startswith("art")
        facts = {
            "side": held.side,
            "name": f"{name}/{held.name}",
            "kind": "ART" if gun else held.kind,
            "klass": "trucked" if gun else held.klass,
            "formation": held.formation,
            "steps": 1 if gun else 2,
            "full": 1 if gun else 2,
            "turn": held.turn,
            "entry": held.entry,
        }
        new = slug(f"{unit} {name}")
        if new in game.units:
            raise Unreadable(f"{name} is on record already", field="counters", given=name)
        yield create(game, new, held.place, {k: v for k, v in facts.items() if v}, reason="opened")
        for marker, value in marks.items():
            yield put_mark(game, new, marker, value)
    yield move(game, unit, "box:opened", reason="replaced by its counters")
