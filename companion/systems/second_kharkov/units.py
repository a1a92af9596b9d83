"""Units: type, army, steps, the factors of the face that lies up, and untried Soviets [2.6-2.14, 3.4]."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from companion.engine.forms.fields import Choice, Context, Options, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.names import digits, key_of
from companion.engine.positions.pieces import count
from companion.engine.record.changes import IN_PASSING, change, put_mark
from companion.engine.record.game import Game
from companion.engine.record.sight import seen_units
from companion.systems.second_kharkov.base import GERMAN, SOVIET

MECHANISED = ("panzer", "tank", "motorised")  # [2.10]
KINDS = {
    GERMAN: ("panzer", "motorised", "infantry", "jaeger", "mountain", "security", "cavalry"),
    SOVIET: ("tank", "motorised", "rifle", "cavalry"),
}
NAMES = {
    "tank": "Tank brigade",
    "motorised": "Motorised brigade",
    "rifle": "Rifle division",
    "cavalry": "Cavalry division",
}
"""What an untried Soviet unit is called, of which only the type is seen [2.14]."""
SIXTH = "6th Army"
ARMY_DIALS = {"1st Panzer Army": "first-panzer", "17th Army": "seventeenth"}  # the restricted ones [6.2]
ARMIES = (*ARMY_DIALS, SIXTH)


SPELLINGS = {
    "panzer": "pz pzd armour armor armoured armored tank tanks tb tbr",
    "motorised": "mot motor motorized motorised mech mechanised mechanized mib pzgr",
    "infantry": "inf id rifle rifles rd rb rbr",
    "jaeger": "j jg jag jager light",
    "mountain": "mtn mt geb gebirgs gebirgsjaeger",
    "security": "sec sich sicherung",
    "cavalry": "cav cd horse kav",
}
"""How people write the types [2.10], beside their names; what the two sides call differently is set right below."""
SOVIET_WORDS = {"panzer": "tank", "infantry": "rifle"}
REGIMENT = "17275"
WEAK = {"97": 2, "100": 2, "101": 2, "108": 1, "454": 1}
"""The Germans without four steps [3.4] by their numbers, but for the Romanians, whose corps number others have, too."""
ROMANIANS = re.compile(r"^(6|vi)r|^r(o|u)\w*?(6|vi)(?!\d)")


@lru_cache(1024)
def type_of(text: str, side: str) -> str:
    """A unit's type [2.10], however it is spelled: by itself, or in a unit's name; empty when nothing tells."""
    plain = re.sub(r"(?<=\d)(st|nd|rd|th)\b", "", text.casefold().replace("\u00e4", "ae"))
    for word in re.findall(r"[^\W\d_]+", plain):
        for kind, spelled in SPELLINGS.items():
            called = SOVIET_WORDS.get(kind, kind) if side == SOVIET else kind
            if called in KINDS.get(side, ()) and (word in (kind, called) or word in spelled.split()):
                return called
    return ""


def full_strength(side: str, name: str) -> int:
    """The steps of a whole unit: Soviets have one [2.13], Germans four but for the weak ones [3.4]."""
    if side == SOVIET:
        return 1
    key = key_of(name)
    if ROMANIANS.match(key):
        return 2
    if REGIMENT in digits(key):
        return 1
    led = re.match(r"([^\W\d_]*)(\d+)", key)  # the number comes first, or after the type: 454 Sec, Sec 454
    return WEAK.get(led[2], 4) if led and (not led[1] or type_of(led[1], side)) else 4


def class_of(kind: str) -> dict[str, str]:
    """What goes on record with a type: the class that it has [2.10]."""
    return {"kind": kind, "klass": "mech" if kind in MECHANISED else "non-mech"} if kind else {}


def mechanised(unit: Unit) -> bool:
    """By class where it is given, else by type [2.10]. Motorised infantry is mechanised but no tank unit."""
    return unit.klass == "mech" or (not unit.klass and unit.kind in MECHANISED)


def typeless(units: Iterable[Unit]) -> list[Unit]:
    """Units that nobody has told the type of, nor their class."""
    return [u for u in units if u.kind not in KINDS[u.side] and not u.klass]


@dataclass(frozen=True)
class Kind(Choice):
    """A type of a side's units, spelled any way a person would."""

    side: Callable[[Context], str] = lambda ctx: ctx.game.active

    def choices(self, ctx: Context) -> Options:
        return [(k, k) for k in KINDS.get(self.side(ctx), ())]

    def read(self, raw: Any, ctx: Context) -> Any:
        return super().read(type_of(str(raw), self.side(ctx)) or raw, ctx)


def tanks_only(units: Iterable[Unit]) -> bool:
    """Whether these are tank brigades and nothing else [12.25]."""
    kinds = [u.kind for u in units]
    return bool(kinds) and all(kind == "tank" for kind in kinds)


def armies_of(units: Iterable[Unit]) -> tuple[str, ...]:
    """The armies of these Germans as far as they are on record."""
    return tuple(sorted({u.formation for u in units if u.formation}))


def face(game: Game, unit: Unit, steps: int) -> dict[str, int]:
    """The factors of a unit at a step strength, as far as the owner's book tells."""
    book = game.book.tables.get("faces", {})
    line = book.get(unit.id) or book.get(unit.name) or {}
    columns = {"AF": f"AF{steps}", "DF": f"DF{steps}", "MF": "MF"}
    return {name: int(line[c]) for name, c in columns.items() if str(line.get(c, "")).strip().isdecimal()}


def factor(game: Game, unit: Unit, name: str) -> int | None:
    """AF, DF or MF as it lies up now; None while nobody has copied it, or nobody may know it."""
    if unit.untried and name != "MF":
        return None
    return unit.factors.get(name, face(game, unit, unit.steps).get(name))


def after_loss(game: Game, unit: Unit, steps: int) -> dict[str, Any]:
    """What changes on record when a unit is down to these steps: the new face's factors, or none known."""
    kept = {name: value for name, value in unit.factors.items() if name == "MF"}
    return {"steps": steps, "factors": {**kept, **face(game, unit, steps)}}


def is_172_75(unit: Unit) -> bool:
    """The regiment with rules of its own for stacking [7.5] and entry [10.1]."""
    return unit.side == GERMAN and REGIMENT in (*digits(key_of(unit.id)), *digits(key_of(unit.name)))


def label(unit: Unit) -> str:
    return unit.name or unit.kind or unit.id


@dataclass(frozen=True)
class Apart(UnitRef):
    """Units to choose from, of which those that would read alike say what tells them apart."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        plain = super().describe(ctx)
        alike = Counter(choice["label"] for choice in plain["choices"])
        choices = [
            self._apart(ctx, choice) if alike[choice["label"]] > 1 else choice for choice in plain["choices"]
        ]
        return {**plain, "choices": choices}

    def _apart(self, ctx: Context, choice: Mapping[str, str]) -> dict[str, str]:
        """Factors as far as the record gives them, untried or veteran [2.14]."""
        game, unit = ctx.game, ctx.game.units[choice["value"]]
        known = [
            f"{name} {value}" for name in ("AF", "DF") if (value := factor(game, unit, name)) is not None
        ]
        known += [count(unit.steps, "step")] if unit.full > 1 else []
        known += ["untried"] if unit.untried else ["veteran"] if unit.side == SOVIET and not known else []
        return {**choice, "label": ", ".join([choice["label"], *known])}


@dataclass(frozen=True)
class Wanted(Apart):
    """Units of the battle just fought, to be chosen from wherever the form asks for them."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "required": True}

    def seen(self, ctx: Context, units: Iterable[Unit]) -> list[Unit]:
        """While a battle lasts its stacks lie open [7.6, 12.17]: on the shared screen too a loss may fall on any."""
        return list(units)


def seen_by(ctx: Context, side: str = "") -> list[Unit]:
    """The units a seat may pick by name: its own, and of the enemy what lies open."""
    mine = [u for u in ctx.game.units.values() if side in ("", u.side)]
    return seen_units(ctx.game, mine, ctx.seat)


def turn_over(game: Game, units: Iterable[Unit]) -> Events:
    """Untried units that enter a battle become veterans for good, in plain sight [2.14]."""
    for unit in units:
        if unit.untried:
            yield change(
                game, unit.id, {"untried": False}, reason="turned over in battle", rule="2.14", public=True
            )
            yield put_mark(game, unit.id, "veteran", True, reason=IN_PASSING, rule="2.14", public=True)
