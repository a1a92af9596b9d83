"""What every module of WB-95 uses: the rules object, the phases' names, and what a unit is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from math import ceil
from typing import Any

from companion.engine.errors import Several, Unreadable
from companion.engine.forms.fields import Context, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.once import once
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import anybody_on_map, on_map
from companion.engine.record.changes import BY_SEQUENCE, put_mark
from companion.engine.record.game import Game
from companion.engine.record.sight import seen_units
from companion.systems import new_rules

rules = new_rules("wb95")

GERMAN, SOVIET = "german", "soviet"
# Phases come twice a day, for player A and for player B [2.2].
AIR = ("air-a", "air-b")
BARRAGE = ("barrage-a", "barrage-b")
MOVE = ("move-a", "move-b")
ATTACK = ("attack-a", "attack-b")
STRATEGIC = ("strategic-a", "strategic-b")
SUPPLY = ("supply-a", "supply-b")

marching = partial(rules.action, phase=(*MOVE, *STRATEGIC), by="active", group="book-keeping")
"""An action of the side that moves, now or strategically."""

STACKING = 8  # [3.2.1]
GUN_RANGE = 3  # [6.1.2]

DEFEND, ROLL, LOSSES, RETREAT, WHERE, PRICE, PURSUIT, TESTS = range(1, 9)
"""The order of a battle [5.2.1]: the defender joins, the dice, printed losses, who falls back, where to, the price of
standing [5.3.7], pursuit, and last the disorganisation tests."""

MORALE = {  # [5.6.2]
    "ss": 12,
    "wehrmacht": 11,
    "romanian": 9,
    "hungarian": 9,
    "italian": 9,
    "volkssturm": 9,
    "guards": 11,
    "soviet": 10,
}
GERMAN_ALLIES = {"romanian", "hungarian", "italian"}


def refusal(
    message: str, *, field: str = "", given: object = None, accepted: str = "", rule: str = ""
) -> Several:
    """What a worksheet has against its fields, in the shape of all that is wrong with a form."""
    return Several([Unreadable(message, field=field, given=given, accepted=accepted, rule=rule)])


def units_to_tap(
    label: str,
    pick: Callable[[Context], list[Unit]],
    suggest: Callable[[Context], list[Unit]],
    many: bool = True,
    **more: Any,
) -> UnitRef:
    """Units to choose from, not shown while none makes sense."""
    return UnitRef(label=label, many=many, pick=pick, suggest=suggest, quiet=lambda c: not suggest(c), **more)


def in_1942(game: Game) -> bool:
    """Kharkov 1942 has a victory and reserves of its own."""
    return game.scenario.id == "kharkov-1942"


def troops(game: Game, unit: Unit) -> str:
    """Whose soldiers they are: the marker's word, or the side's ordinary ones."""
    return str(game.mark(unit.id, "troops") or ("wehrmacht" if unit.side == GERMAN else "soviet"))


def morale(game: Game, unit: Unit) -> int:
    """The roll from which a disorganisation test fails [5.6.2]."""
    return limit_of(game, troops(game, unit))


def limit_of(game: Game, kind: str) -> int:
    """The morale limit of such soldiers; that of Italians is a table's reading [5.6.2]."""
    return int(game["italian-limit"]) if kind == "italian" else MORALE.get(kind, 10)


def hq_range(game: Game, unit: Unit) -> int:
    """4 hexes for a German headquarters, 3 for all others here [9.2.2]."""
    return 4 if unit.side == GERMAN and troops(game, unit) not in GERMAN_ALLIES else 3


SPELLED = {
    "HQ": {"HQ", "HEADQUARTERS", "STAFF"},
    "ART": {"ART", "ARTILLERY", "GUN", "GUNS", "BATTERY"},
    "RG": {"RG", "RESILIENCE GROUP"},
}
"""How people write the types that the rules tell apart; counters typed by hand need not be abbreviated."""


@lru_cache(1_000)
def _sort(written: str) -> str:
    """Which of them a type is, however it is written."""
    word = written.strip().rstrip(".").upper()
    return next((kind for kind, words in SPELLED.items() if word in words), "")


def is_kind(unit: Unit, kind: str) -> bool:
    return _sort(unit.kind) == kind


def is_gun_kind(kind: str) -> bool:
    return _sort(kind) == "ART"


def is_hq(unit: Unit) -> bool:
    return _sort(unit.kind) == "HQ"


def is_gun(unit: Unit) -> bool:
    """Towed artillery; self-propelled artillery is a regular unit [1.2, 6.6.5]."""
    return _sort(unit.kind) == "ART" and unit.klass != "mechanized"


def is_towed(unit: Unit) -> bool:
    """Towed guns of any sort: no direct attack, no pursuit [5.1.10, 5.4.9]."""
    return is_gun(unit) or unit.klass == "towed"


def is_regular(unit: Unit) -> bool:
    """A combat unit that is neither towed artillery nor a headquarters."""
    kind = _sort(unit.kind)
    return kind != "HQ" and (kind != "ART" or unit.klass == "mechanized")


def is_motorised(unit: Unit) -> bool:
    """Mechanized, trucked or towed; the others go on foot or horse [1.3]."""
    return unit.klass in {"mechanized", "trucked", "towed"} or _sort(unit.kind) in {"ART", "HQ"}


def in_transport(game: Game, unit: Unit) -> bool:
    """Guns in transport setup [6.2.2]."""
    return is_gun(unit) and bool(game.mark(unit.id, "transport"))


def idle(game: Game, unit: Unit) -> bool:
    """Guns in combat setup that have not fired [6.1.3, 6.1.4, 6.5.6]."""
    fired = any(game.mark(unit.id, m) for m in ("fired", "fought", "barrage-fired"))
    return not fired and not in_transport(game, unit)


def level(game: Game, unit: str) -> int:
    """A unit's out-of-supply level, 0 when it is supplied."""
    return int(game.mark(unit, "oos") or 0)


def take_off_own(game: Game, marker: str) -> Events:
    """A marker goes off the units of the side whose phase ends."""
    for unit in list(game.marked(marker)):
        if unit in game.units and game.units[unit].side == game.active:
            yield put_mark(game, unit, marker, None, reason=BY_SEQUENCE)


def halve(number: int) -> int:
    """Half, rounded up [1.7]."""
    return ceil(number / 2)


@once
def occupants(game: Game) -> Mapping[str, str]:
    """Every hex with units on record, and whose they are."""
    return {u.place: u.side for u in on_map(game)}


@once
def headquarters(game: Game) -> tuple[Unit, ...]:
    """All headquarters on the map."""
    return tuple(u for u in on_map(game) if is_hq(u))


def at_hexes(game: Game, side: str, hexes: Iterable[str]) -> list[Unit]:
    wanted = set(hexes) & held(game, side)
    return [u for u in on_map(game, side) if u.place in wanted] if wanted else []


@once
def held(game: Game, side: str) -> frozenset[str]:
    """The hexes where units of a side stand."""
    return frozenset(u.place for u in on_map(game, side))


def visible(ctx: Context, units: Iterable[Unit]) -> list[Unit]:
    """Those units that the seat may look at."""
    return seen_units(ctx.game, units, ctx.seat)


def touchable(ctx: Context) -> list[Unit]:
    """Units on the map that a seat may change: its own; the table's screen, all."""
    return on_map(ctx.game, "" if ctx.seat == "table" else ctx.seat or "nobody")


def active_units(ctx: Context) -> list[Unit]:
    """The units of the side whose phase it is."""
    side = ctx.game.active
    return [u for u in touchable(ctx) if side in ("", u.side)]


def anybody(ctx: Context) -> bool:
    """Units are on record, so that they can be named."""
    return anybody_on_map(ctx.game)


def somebody_there(game: Game) -> bool | str:
    """What is done to counters can be booked only for those on record; with none of them it is not offered."""
    return anybody_on_map(game) or "no counter is on record: do it on the map"


def rolls_itself(ctx: Context) -> Mapping[str, Any] | None:
    """A compulsory test of counters on record: where the companion throws the dice nobody is asked to tap for it."""
    known = ctx.duty is not None and bool(ctx.duty.units)
    facts = ctx.battle.facts if ctx.battle else {}
    fought_out = facts.get("kind") != "combat" or facts.get("concluded")  # pursuit comes first [5.2.1]
    return {} if known and fought_out and ctx.game["mode-dice"] == "digital" else None


def deployed(game: Game, unit: Unit) -> bool:
    """Guns in combat setup: they can neither move nor fall back [6.2.3, 6.2.4]."""
    return is_gun(unit) and not in_transport(game, unit)


def foes_in(game: Game, side: str, hex_id: str) -> bool:
    """Whether regular enemy units hold a hex, which nobody enters [3.1.8]."""
    return any(is_regular(u) for u in at_hexes(game, game.other(side), [hex_id]))
