"""After the losses: German retreat, advance into the won hex, mechanised exploitation [12.21-12.23]."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from companion.engine.errors import NotNow, Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context, HexId
from companion.engine.positions.situation import situation
from companion.engine.record import events as e
from companion.engine.record.changes import move
from companion.engine.record.game import Game
from companion.systems.second_kharkov import ground
from companion.systems.second_kharkov.air import interdicted
from companion.systems.second_kharkov.base import FIGHT, GERMAN, SOVIET, Reason, rules
from companion.systems.second_kharkov.control import take
from companion.systems.second_kharkov.fighting import close, fought, losses_open
from companion.systems.second_kharkov.judging import at_start
from companion.systems.second_kharkov.route import next_to
from companion.systems.second_kharkov.stacking import overstacked
from companion.systems.second_kharkov.units import Wanted, label, mechanised

EXPLOITATION = 2  # hexes beyond the won one [12.22]


# -- retreat ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Refuge:
    """A hex that beaten Germans may fall back to."""

    hex: str
    distance: int
    source: str

    @property
    def words(self) -> str:
        return f"{self.hex} ({self.distance} from source {self.source})" if self.source else self.hex


def working_sources(game: Game) -> list[str]:
    """The German edge hexes that the Soviet does not control [9.12]."""
    now = situation(game, at_start(game))
    return [h for h in now.board.book.named("source", GERMAN) if not now.controls(SOVIET, h)]


def refuges(game: Game, force: Sequence[Unit], origin: str) -> list[Refuge]:
    """The hexes nearest to a working source that take the whole force [12.23]; ties are his choice."""
    if not force or not origin:
        return []
    sources = working_sources(game)
    found = []
    for hex_id in game.maps.neighbours(origin):
        if _barred(game, force, origin, hex_id):
            continue
        distances = [(game.maps.distance(hex_id, s), s) for s in sources]
        distance, source = min(distances, default=(0, ""))
        found.append(Refuge(hex_id, distance, source))
    best = min((r.distance for r in found), default=0)
    return [r for r in sorted(found, key=lambda r: r.hex) if r.distance == best]


def _barred(game: Game, force: Sequence[Unit], origin: str, hex_id: str) -> Reason | None:
    """Why a force may not step into a hex; None when it may. Enemy zones never matter [8.5, 8.6, 8.10]."""
    side, there = force[0].side, game.units_at(hex_id)
    if any(u.side != side for u in there):
        return Reason("enemy units are there", "7.1")
    if crowd := overstacked(side, [*there, *(u for u in force if u.place != hex_id)]):
        return crowd
    if game.phase == FIGHT[SOVIET] and side == GERMAN and game["retreat-terrain"] == "free":
        return None
    if ground.terrain(game, hex_id) == "marsh" and any(mechanised(u) for u in force):
        return Reason("mechanised units never enter marsh", "11.13, 12.22")
    return _river_bar(game, side, origin, hex_id)


def _river_bar(game: Game, side: str, origin: str, hex_id: str) -> Reason | None:
    if not ground.unbridged(game, origin, hex_id):
        return None
    advancing = fought(game).get("attacker") == side and hex_id == fought(game).get("target")
    if not advancing or game["advance-river"] == "barred":
        return Reason("an unbridged major river lies between", "11.14")
    if side == SOVIET and {origin, hex_id} & interdicted(game):
        return Reason("an interdiction zone closes the major river", "11.19")
    return None


def fall_back(game: Game, force: Sequence[Unit], to: str) -> Events:
    """The whole force leaves [12.23]; in its new hex it may be attacked again, with the stack it joins."""
    if not force:
        return
    origin = str(fought(game).get("target"))
    choices = [r.hex for r in refuges(game, force, origin)]
    if to and to not in choices:
        words = f"{to} is no retreat: {', '.join(choices) or 'none'}"
        raise Unreadable(words, field="to", given=to, rule="12.23")
    where = to or (choices[0] if len(choices) == 1 else "")
    if not where and choices:
        accepted = ", ".join(choices)
        raise Unreadable(f"choose where to: {accepted}", field="to", accepted=accepted, rule="12.23")
    if not where:
        yield from _split(game, force, origin)
        return
    for unit in force:
        yield move(game, unit.id, where, reason="falls back", rule="12.23")


def _split(game: Game, force: Sequence[Unit], origin: str) -> Events:
    """Only where stacking bars one hex for all do they part, each to the nearest that takes him [12.23]."""
    taken: set[str] = set()
    for unit in force:
        choices = [r.hex for r in refuges(game, [unit], origin)]
        if not choices:
            words = f"{label(unit)} has no hex to fall back to: the step is lost"
            raise NotNow(words, field="retreat", rule="12.23")
        where = next((h for h in choices if h in taken), choices[0])
        taken.add(where)
        yield move(game, unit.id, where, reason="falls back", rule="12.23")
    yield e.Noted(
        "No one hex takes the whole force, so it parts; where two hexes are equally near, move by hand",
        rule="12.23",
    )


def can_fall_back(game: Game, force: Sequence[Unit], origin: str) -> bool:
    """Whether every unit on record has somewhere to go [12.23]; without positions the players see for themselves."""
    if not origin:
        return True
    return all(refuges(game, [unit], origin) for unit in force)


# -- advance and exploitation ----------------------------------------------------------------------


def _victors(ctx: Context) -> list[Unit]:
    facts = fought(ctx.game)
    force = [ctx.game.units[n] for n in facts["attackers"]] if facts.get("target") else []
    return [u for u in force if u.on_map]


@rules.action(by="active", phase=tuple(FIGHT.values()), rule="12.21", label="Advance", group="hidden")
def advance(
    game: Game,
    units: Annotated[
        tuple[str, ...],
        Wanted(
            label="Who moves in",
            many=True,
            pick=_victors,
            when=lambda c: bool(_victors(c)),
            follow_up="advance",
        ),
    ] = (),
) -> Events:
    """Move attackers into the won hex, or note that some moved in."""
    facts = fought(game)
    if not facts:
        raise NotNow("no battle was fought whose hex could be entered", rule="12.21")
    side, target = str(facts["attacker"]), str(facts.get("target") or "")
    on_record = _victors(Context(game))
    if losses_open(game):
        raise NotNow("losses are taken before anyone moves in", rule="12.19, 12.21")
    if on_record and not units:
        raise Unreadable("choose who moves in, or put the reminder away", field="units", rule="12.21")
    _check_advance(game, [game.units[n] for n in units], target)
    yield from close(game, "advance")
    for name in units:
        yield move(game, name, target, reason="advance after combat", rule="12.21")
    if target:
        yield from take(game, target, side, "advance after combat")
    if side == GERMAN:
        yield from _ask_to_exploit(game)


def _check_advance(game: Game, force: Sequence[Unit], hex_id: str) -> None:
    for unit in force:
        _check_step(game, unit, unit.place, hex_id, "units", unit.id)
    crowd = overstacked(force[0].side, [*game.units_at(hex_id), *force]) if force else None
    if crowd:
        raise NotNow(f"{hex_id}: {crowd.words}", field="units", rule=crowd.rule)


def _check_step(game: Game, unit: Unit, origin: str, hex_id: str, field: str, given: str) -> None:
    bar = _barred(game, [unit], origin, hex_id)
    if bar:
        words = f"{label(unit)} cannot enter {hex_id}: {bar.words}"
        raise NotNow(words, field=field, given=given, rule=bar.rule)


def _exploiters(ctx: Context) -> list[Unit]:
    """Supplied mechanised units that advanced and have not gone on yet [12.22]."""
    facts = fought(ctx.game)
    able = [ctx.game.units[n] for n in facts["exploiters"]] if facts.get("target") else []
    return [u for u in able if u.place == facts["target"]]


def _ask_to_exploit(game: Game) -> Events:
    facts = fought(game)
    ready = _exploiters(Context(game))
    name, to = f"exploit-{game.revision}", (GERMAN, "table")
    if ready:  # everybody reads this, and only the top unit of a stack lies open again [7.6]
        text = f"Supplied mechanised units in {facts['target']} may go on one or two hexes"
        yield e.Asked(name, to, text, "exploit", rule="12.22")
    elif not facts["attackers"]:
        yield e.Asked(
            name, to, "Supplied mechanised units that moved in may go on one or two hexes", rule="12.22"
        )


@rules.action(by=GERMAN, phase=FIGHT[GERMAN], rule="12.22", label="Exploit", group="hidden")
def exploit(
    game: Game,
    unit: Annotated[str, Wanted(label="Unit", pick=_exploiters, follow_up="exploit")],
    hexes: Annotated[tuple[str, ...], HexId(label="Hexes, in order", many=True)],
) -> Events:
    """Carry a supplied mechanised unit on by one or two hexes; enemy zones do not stop it."""
    held = game.units[unit]
    if len(hexes) > EXPLOITATION:
        words = f"{len(hexes)} hexes are too many: one or two"
        raise Unreadable(words, field="hexes", given=hexes, rule="12.22")
    here = held.place
    for hex_id in hexes:
        next_to(game, here, hex_id)
        _check_step(game, held, here, hex_id, "hexes", hex_id)
        yield move(game, unit, hex_id, reason="exploits", rule="12.22")
        yield from take(game, hex_id, GERMAN, "exploitation")
        here = hex_id
    yield from close(game, "exploit")
    yield from _ask_to_exploit(game)
