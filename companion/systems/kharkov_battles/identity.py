"""What a counter is that came on record by its name alone: asked once, of its owner, when it matters [2.5, 2.7].

Its type decides who loses first [12.63] and where it goes when it is lost [16.3]; its steps, whether it is lost at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Flag, Text, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import IN_PASSING, change, put_mark, read_off
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import chits
from companion.systems.kharkov_battles.base import SOVIET, Objection, rules
from companion.systems.kharkov_battles.units import is_unknown, label, mine, rating, trait

RATED = "rated"
STEPS = (("1", "1 step"), ("2", "2 steps"), (RATED, "Combat Rating letter"))
"""A counter with a letter has 3 steps [2.7]."""
OF_ONE_STEP = ("hq", "breakdown regiment", "ersatz", "fortress region")
"""Types that need no question about steps."""
HINTS = (
    ("pzgr?|pg", "panzergrenadier"), ("pz|panzer", "panzer"), ("mot", "motorized"), ("st?u?g", "assault gun"),
    ("g?tk|tank", "tank"), ("mech|mk", "mechanized"), ("cav|kav", "cavalry"), ("ski", "ski"), ("sec", "security"),
    ("mtn|geb", "mountain"), ("jg|j\u00e4g|lt|light", "light"), ("inf|id", "infantry"), ("rif|rd|gd|gds|guards?", "rifle"),
)  # fmt: skip
"""How players shorten a type in a name; only the first value of a question."""


def ask_identity(game: Game, units: Iterable[Unit], battle: Battle | None = None, step: int = 0) -> Events:
    """Ask what the unknown ones among units are, before a loss falls on them."""
    asked = {name for d in game.duties(action="tell-counter") for name in d.units}
    for unit in units:
        if is_unknown(game, unit) and unit.id not in asked:
            text = f"{game.side_name(unit.side)}: type and steps of {label(unit)}"
            yield owe(
                game, unit.side, text, "tell-counter", battle=battle, step=step, units=[unit.id], rule="2.7"
            )


def being_asked(game: Game, units: Iterable[Unit]) -> bool:
    """Whether somebody has still to say what one of these units is."""
    asked = {name for d in game.duties(action="tell-counter") for name in d.units}
    return any(u.id in asked for u in units)


# -- the question ------------------------------------------------------------------------------------------


def _unit(ctx: Context) -> Unit | None:
    named = ctx.duty.units[0] if ctx.duty and ctx.duty.units else ctx.values.get("unit")
    return ctx.game.units.get(str(named or ""))


def _kinds(ctx: Context) -> list[tuple[str, str]]:
    return [(k, k) for k in ctx.game.kit.unit_kinds]


def _likely(ctx: Context) -> str:
    """The type on record, or the one that the name hints at."""
    unit = _unit(ctx)
    if unit is None or unit.kind in ctx.game.kit.unit_kinds:
        return unit.kind if unit else ""
    word = " ".join(re.findall(r"[^\W\d_]+", unit.name.casefold()))
    return next((kind for hint, kind in HINTS if re.search(rf"\b(?:{hint})", word)), "")


def _kind(ctx: Context) -> str:
    return str(ctx.values.get("kind") or _likely(ctx))


def _asks_steps(ctx: Context) -> bool:
    return not _kind(ctx).startswith(OF_ONE_STEP)


def _steps(ctx: Context) -> str:
    """What is on record; of a unit that nobody has described nothing is taken for granted but its type's own."""
    unit = _unit(ctx)
    if unit is not None and rating(ctx.game, unit):
        return RATED
    if unit is not None and not is_unknown(ctx.game, unit):
        return str(min(2, unit.full))
    if unit is not None and unit.side == SOVIET and _kind(ctx) == "rifle":
        return "2" if _guards(ctx) else "1"
    return ""


def _lettered(ctx: Context) -> bool:
    return str(ctx.values.get("steps") or _steps(ctx)) == RATED and _asks_steps(ctx)


def _letter(ctx: Context) -> str:
    unit = _unit(ctx)
    return rating(ctx.game, unit) if unit else ""


def _may_be_guards(ctx: Context) -> bool:
    unit = _unit(ctx)
    return unit is not None and unit.side == SOVIET


def _guards(ctx: Context) -> bool:
    unit = _unit(ctx)
    if unit is None or unit.side != SOVIET:
        return False
    return bool(trait(ctx.game, unit, "guards") or re.search(r"g(?:d|ds|uards?)\b", unit.name.casefold()))


Kind = Annotated[str, Choice(label="Type", options=_kinds, start=_likely)]
Steps = Annotated[str, Choice(label="Steps", options=STEPS, start=_steps, when=_asks_steps)]
Letter = Annotated[str, Text(label="Combat Rating letter", most=1, start=_letter, when=_lettered)]
Guards = Annotated[bool, Flag(label="Guards", start=_guards, when=_may_be_guards)]


@rules.follow_up(
    rule="2.7",
    label="Tell what it is",
    still=lambda game, duty: any(is_unknown(game, u) and u.on_map for u in _of(game, duty)),
)
def tell_counter(
    game: Game, duty: e.Asked, kind: Kind, steps: Steps = "", letter: Letter = "", guards: Guards = False
) -> Events:
    """Read type and steps off a counter; they are kept."""
    for unit in _of(game, duty):
        yield from describe(game, unit, kind, steps, letter, guards=guards)


def _of(game: Game, duty: e.Asked) -> list[Unit]:
    return [game.units[n] for n in duty.units if n in game.units]


def describe(
    game: Game, unit: Unit, kind: str, steps: str, letter: str, *, strength: int = 0, **traits: Any
) -> Iterator[e.Event]:
    """What is printed on a counter comes on record; what it has lost before stays lost."""
    rated = steps == RATED
    if kind.startswith(OF_ONE_STEP):
        rated, steps = False, "1"
    if not steps:
        raise Unreadable("say how many steps it has", field="steps", rule="2.7")
    if rated and not letter.strip():
        raise Unreadable("say which letter is printed on it", field="letter", rule="2.7")
    full = 3 if rated else int(steps)
    left = min(full, max(1, full - (unit.full - unit.steps)))
    factors = {**unit.factors, **({"CS": strength} if strength else {})}
    told = factors.pop("CS", None) if rated else None  # what was told as its strength stood on its chit
    facts = {"kind": kind, "full": full, "steps": left, "factors": factors}
    yield read_off(game, unit.id, facts, "2.7", public=True)
    for marker, value in (("rating", letter.strip().upper() if rated else ""), *traits.items()):
        if bool(game.mark(unit.id, marker)) != bool(value) or (value and game.mark(unit.id, marker) != value):
            yield put_mark(game, unit.id, marker, value or None, reason=IN_PASSING, rule="2.7")
    if told and not chits.status(game, unit) and not chits.in_the_cup(game, unit.side):
        yield e.Marked(unit.id, "chit", "full", reason=IN_PASSING, rule="2.6", only=(unit.side,))
        yield from chits.tell(unit, told)


# -- of one's own accord -----------------------------------------------------------------------------------


def _strength(ctx: Context) -> int:
    unit = _unit(ctx)
    return unit.factors.get("CS", 0) if unit else 0


def _formation(ctx: Context) -> str:
    unit = _unit(ctx)
    return unit.formation if unit else ""


@rules.action(
    by="any",
    label="Describe a counter",
    group="units",
    rule="3.0",
    when=lambda game: bool(on_map(game)) or "no counter is on record",
)
def describe_counter(
    game: Game,
    unit: Annotated[str, UnitRef(label="Counter", pick=mine())],
    kind: Kind,
    steps: Steps = "",
    letter: Letter = "",
    guards: Guards = False,
    strength: Annotated[
        int, Whole(label="Printed strength", high=30, start=_strength, when=lambda c: not _lettered(c))
    ] = 0,
    formation: Annotated[str, Text(label="Division, or icon colour", most=30, start=_formation)] = "",
) -> Events:
    """Say what is printed on a counter that is on record by its name."""
    held = game.units[unit]
    yield from describe(game, held, kind, steps, letter, strength=strength, guards=guards)
    if formation != held.formation:
        yield change(game, unit, {"formation": formation}, reason=IN_PASSING, public=True)


def undescribed(ctx: Context) -> Iterator[Objection]:
    """What is to be said before a loss is taken off a counter that nobody has described."""
    unit = _unit(ctx)
    if unit is not None and is_unknown(ctx.game, unit):
        words = f"nobody has told what {label(unit)} is: its type and steps say whether and where it goes"
        yield Objection(f"{words}; describe it first", rule="2.7, 16.3")
