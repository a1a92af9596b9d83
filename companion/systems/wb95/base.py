"""What every module of WB-95 uses: the rules object, the phases' names, and what a unit is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from math import ceil

from companion.engine.errors import Several, Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.fields import Context
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_unit
from companion.systems import new_rules

rules = new_rules("wb95")

GERMAN, SOVIET = "german", "soviet"
AIR = ("air-a", "air-b")
BARRAGE = ("barrage-a", "barrage-b")
MOVE = ("move-a", "move-b")
ATTACK = ("attack-a", "attack-b")
STRATEGIC = ("strategic-a", "strategic-b")
SUPPLY = ("supply-a", "supply-b")

STACKING = 8  # 3.2.1
GUN_RANGE = 3  # 6.1.2

MORALE = {  # 5.6.2
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


def refusal(message: str, *, field: str = "", given: object = None, accepted: str = "") -> Several:
    """What a worksheet has against its fields, in the shape of all that is wrong with a form."""
    return Several([Unreadable(message, field=field, given=given, accepted=accepted)])


def option(game: Game | None, name: str, default: object) -> object:
    """A table option, or its suggested reading where there is no table."""
    value = None if game is None else game[name]
    return default if value is None else value


def troops(game: Game, unit: Unit) -> str:
    """Whose soldiers they are: the marker's word, or the side's ordinary ones."""
    return str(game.mark(unit.id, "troops") or ("wehrmacht" if unit.side == GERMAN else "soviet"))


def morale(game: Game, unit: Unit) -> int:
    """The roll from which a disorganisation test fails [5.6.2]."""
    kind = troops(game, unit)
    return int(str(game["italian-limit"] or 9)) if kind == "italian" else MORALE.get(kind, 10)


def hq_range(game: Game, unit: Unit) -> int:
    """4 hexes for a German headquarters, 3 for all others here [9.2.2]."""
    return 4 if unit.side == GERMAN and troops(game, unit) not in GERMAN_ALLIES else 3


def is_hq(unit: Unit) -> bool:
    return unit.kind.upper() == "HQ"


def is_gun(unit: Unit) -> bool:
    """Towed artillery; self-propelled artillery is a regular unit [1.2, 6.6.5]."""
    return unit.kind.upper() == "ART" and unit.klass != "mechanized"


def is_towed(unit: Unit) -> bool:
    """Towed guns of any sort: no direct attack, no pursuit [5.1.10, 5.4.9]."""
    return is_gun(unit) or unit.klass == "towed"


def is_regular(unit: Unit) -> bool:
    """A combat unit that is neither towed artillery nor a headquarters."""
    return not is_hq(unit) and not is_gun(unit)


def is_motorised(unit: Unit) -> bool:
    """Mechanized, trucked or towed; the others go on foot or horse [1.3]."""
    return unit.klass in {"mechanized", "trucked", "towed"} or is_gun(unit) or is_hq(unit)


def in_transport(game: Game, unit: Unit) -> bool:
    return is_gun(unit) and bool(game.mark(unit.id, "transport"))


def level(game: Game, unit: str) -> int:
    """A unit's out-of-supply level, 0 when it is supplied."""
    return int(game.mark(unit, "oos") or 0)


def halve(number: int) -> int:
    """Half, rounded up [1.7]."""
    return ceil(number / 2)


def own(game: Game, side: str) -> list[Unit]:
    """A side's units on the map."""
    return [u for u in game.units.values() if u.side == side and u.on_map]


def at_hexes(game: Game, side: str, hexes: Iterable[str]) -> list[Unit]:
    wanted = set(hexes)
    return [u for u in own(game, side) if u.place in wanted]


def visible(ctx: Context, units: Iterable[Unit]) -> list[Unit]:
    """Those units that the seat may look at; all of them where there is no table."""
    game = ctx.game
    return [u for u in units if game is None or may_see_unit(game, u, ctx.seat)]


def active_units(ctx: Context) -> list[Unit]:
    """The units of the side whose phase it is."""
    game = ctx.game
    if game is None:
        return []
    side = game.active
    mine = [u for u in game.units.values() if u.on_map and (not side or u.side == side)]
    return [u for u in mine if ctx.seat in {"table", u.side}]


def touchable(ctx: Context) -> list[Unit]:
    """Units on the map that a seat may change: its own; the table's screen, all."""
    game = ctx.game
    return [u for u in game.units.values() if u.on_map and ctx.seat in {"table", u.side}] if game else []


def seated(ctx: Context) -> str:
    """The side of the phone that asks; empty at the table, where it must be said."""
    return ctx.seat if ctx.game and ctx.seat in ctx.game.sides else ""


def on_a_phone(ctx: Context) -> bool:
    """A side's own phone speaks for that side: no need to ask whose."""
    return bool(seated(ctx))


def by_combat(ctx: Context) -> bool:
    """Asked for by a combat, which knows the answer."""
    return bool(ctx.values.get("combat"))


def has_units(ctx: Context) -> bool:
    return ctx.game is None or any(u.on_map for u in ctx.game.units.values())


def when(game: Game, turn: int, phase: str) -> str:
    """A phase of a day in words."""
    found = game.phase_def(phase)
    return f"day {turn} phase {found.code if found else phase}"


_SHORT = re.compile(r"\b(\d+)/(\d+)\b")


def in_words(value: object) -> str:
    """A marker's moment as it is written now; earlier records say 3/10."""
    return _SHORT.sub(r"day \1 phase \2", str(value or ""))


def moment(game: Game) -> str:
    return when(game, game.turn, game.phase)


def next_attacks(game: Game) -> tuple[str, str]:
    """The next two combat phases after this moment [9.1.6]."""
    names = [p.id for p in game.kit.phases]
    here = names.index(game.phase) if game.phase in names else -1
    coming = [when(game, game.turn, p) for p in ATTACK if names.index(p) > here]
    coming += [when(game, game.turn + 1, p) for p in ATTACK]
    return coming[0], coming[1]


_COMBAT = re.compile(r"combat (\d+)")


def fought_in(game: Game, unit: str) -> set[int]:
    """The combats that a unit's markers tell of: it fought there, or fell back from there."""
    words = " ".join(str(game.mark(unit, m) or "") for m in ("fought", "retreated"))
    return {int(n) for n in _COMBAT.findall(words)}


def next_combat(game: Game) -> int:
    """A small number that no marker and no open question bears."""
    used = {n for m in ("fought", "retreated") for u in game.marked(m) for n in fought_in(game, u)}
    used |= {int(a.args.get("combat") or 0) for a in game.asked.values()}
    for ask in game.asked.values():  # a result still to be read off the printed chart
        used.add(int(dict(ask.args.get("sheet") or {}).get("facts", {}).get("combat") or 0))
    return max(used, default=0) + 1
