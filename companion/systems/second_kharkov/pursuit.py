"""After the losses: German retreat, advance into the won hex, mechanised exploitation (12.21-12.23)."""

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
from companion.systems.second_kharkov.base import FIGHT, GERMAN, SOVIET, rules
from companion.systems.second_kharkov.control import take
from companion.systems.second_kharkov.fighting import close, fought, losses_open
from companion.systems.second_kharkov.judging import at_start
from companion.systems.second_kharkov.stacking import overstacked
from companion.systems.second_kharkov.units import Wanted, label, mechanised

EXPLOITATION = 2  # 12.22: hexes beyond the won one


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
    """9.12: the German edge hexes that the Soviet does not control."""
    now = situation(game, at_start(game))
    return [h for h in now.board.book.named("source", GERMAN) if not now.controls(SOVIET, h)]


def refuges(game: Game, force: Sequence[Unit], origin: str) -> list[Refuge]:
    """12.23: the hexes nearest to a working source that take the whole force; ties are his choice."""
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


def _barred(game: Game, force: Sequence[Unit], origin: str, hex_id: str) -> str:
    """Why a force may not step into a hex; empty when it may. Enemy zones never matter (8.5, 8.6, 8.10)."""
    there = game.units_at(hex_id)
    if any(u.side != force[0].side for u in there):
        return "enemy units are there (7.1)"
    crowd = overstacked(force[0].side, [*there, *(u for u in force if u.place != hex_id)])
    if crowd:
        return crowd
    free_ground = (
        game.phase == FIGHT[SOVIET] and force[0].side == GERMAN and game["retreat-terrain"] == "free"
    )
    if free_ground:
        return ""
    if ground.terrain(game, hex_id) == "marsh" and any(mechanised(u) for u in force):
        return "mechanised units never enter marsh (11.13, 12.22)"
    return _river_bar(game, force[0].side, origin, hex_id)


def _river_bar(game: Game, side: str, origin: str, hex_id: str) -> str:
    if not ground.unbridged(game, origin, hex_id):
        return ""
    advancing = fought(game).get("attacker") == side and hex_id == fought(game).get("target")
    if not advancing or game["advance-river"] == "barred":
        return "an unbridged major river lies between (11.14)"
    if side == SOVIET and {origin, hex_id} & interdicted(game):
        return "an interdiction zone closes the major river (11.19)"
    return ""


def fall_back(game: Game, force: Sequence[Unit], to: str) -> Events:
    """12.23: the whole force leaves; in its new hex it may be attacked again, with the stack it joins."""
    if not force:
        return
    origin = str(fought(game).get("target"))
    choices = [r.hex for r in refuges(game, force, origin)]
    if to and to not in choices:
        raise Unreadable(f"{to} is no retreat: {', '.join(choices) or 'none'} (12.23)", field="to", given=to)
    where = to or (choices[0] if len(choices) == 1 else "")
    if not where and choices:
        raise Unreadable(
            f"choose where to: {', '.join(choices)} (12.23)", field="to", accepted=", ".join(choices)
        )
    if not where:
        yield from _split(game, force, origin)
        return
    for unit in force:
        yield move(game, unit.id, where, reason="falls back", rule="12.23")


def _split(game: Game, force: Sequence[Unit], origin: str) -> Events:
    """12.23: only where stacking bars one hex for all do they part, each to the nearest that takes him."""
    taken: set[str] = set()
    for unit in force:
        choices = [r.hex for r in refuges(game, [unit], origin)]
        if not choices:
            raise NotNow(
                f"{label(unit)} has no hex to fall back to: the step is lost (12.23)", field="retreat"
            )
        where = next((h for h in choices if h in taken), choices[0])
        taken.add(where)
        yield move(game, unit.id, where, reason="falls back", rule="12.23")
    yield e.Noted(
        "No one hex takes the whole force, so it parts; where two hexes are equally near, move by hand",
        rule="12.23",
    )


def can_fall_back(game: Game, force: Sequence[Unit], origin: str) -> bool:
    """12.23: whether every unit on record has somewhere to go; without positions the players see for themselves."""
    if not origin:
        return True
    return all(refuges(game, [unit], origin) for unit in force)


# -- advance and exploitation ----------------------------------------------------------------------


def _victors(ctx: Context) -> list[Unit]:
    game = ctx.game
    facts = fought(game) if game else {}
    if game is None or not facts.get("target"):
        return []
    return [game.units[n] for n in facts["attackers"] if game.units[n].on_map]


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
        raise NotNow("no battle was fought whose hex could be entered (12.21)")
    side, target = str(facts["attacker"]), str(facts.get("target") or "")
    on_record = _victors(Context(game))
    if losses_open(game):
        raise NotNow("losses are taken before anyone moves in (12.19, 12.21)")
    if on_record and not units:
        raise Unreadable("choose who moves in, or put the reminder away", field="units")
    _check_steps(game, [game.units[n] for n in units], target)
    yield from close(game, "advance")
    for name in units:
        yield move(game, name, target, reason="advance after combat", rule="12.21")
    if target:
        yield from take(game, target, side, "advance after combat")
    if side == GERMAN:
        yield from _ask_to_exploit(game)


def _check_steps(game: Game, force: Sequence[Unit], hex_id: str) -> None:
    for unit in force:
        reason = _barred(game, [unit], unit.place, hex_id)
        if reason:
            raise NotNow(f"{label(unit)} cannot enter {hex_id}: {reason}", field="units", given=unit.id)
    crowd = overstacked(force[0].side, [*game.units_at(hex_id), *force]) if force else ""
    if crowd:
        raise NotNow(f"{hex_id}: {crowd}", field="units")


def _exploiters(ctx: Context) -> list[Unit]:
    """12.22: supplied mechanised units that advanced and have not gone on yet."""
    game = ctx.game
    facts = fought(game) if game else {}
    if game is None or not facts.get("target"):
        return []
    return [game.units[n] for n in facts["exploiters"] if game.units[n].place == facts["target"]]


def _ask_to_exploit(game: Game) -> Events:
    facts = fought(game)
    ready = _exploiters(Context(game))
    name, to = f"exploit-{game.revision}", (GERMAN, "table")
    if ready:  # everybody reads this, and only the top unit of a stack lies open again (7.6)
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
        raise Unreadable(f"{len(hexes)} hexes are too many: one or two (12.22)", field="hexes", given=hexes)
    here = held.place
    for hex_id in hexes:
        if hex_id not in game.maps.neighbours(here):
            raise Unreadable(f"{hex_id} is not next to {here}", field="hexes", given=hex_id)
        reason = _barred(game, [held], here, hex_id)
        if reason:
            raise NotNow(f"{label(held)} cannot enter {hex_id}: {reason}", field="hexes", given=hex_id)
        yield move(game, unit, hex_id, reason="exploits", rule="12.22")
        yield from take(game, hex_id, GERMAN, "exploitation")
        here = hex_id
    yield from close(game, "exploit")
    yield from _ask_to_exploit(game)
