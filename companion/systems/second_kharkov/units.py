"""Units: class, army, the factors of the face that lies up, and untried Soviets [2.6-2.14]."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import NotNow
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Text, UnitRef, Whole
from companion.engine.record.changes import IN_PASSING, change, put_mark
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_unit
from companion.systems.second_kharkov.base import FIGHT, GERMAN, SOVIET, rules

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


def mechanised(unit: Unit) -> bool:
    """By class where it is given, else by type [2.10]. Motorised infantry is mechanised but no tank unit."""
    return unit.klass == "mech" or (not unit.klass and unit.kind in MECHANISED)


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
    return unit.side == GERMAN and (unit.id == "172-75" or unit.name.startswith("172/75"))


def label(unit: Unit) -> str:
    return unit.name or unit.kind or unit.id


@dataclass(frozen=True)
class Wanted(UnitRef):
    """Units of the battle just fought, to be chosen from wherever the form asks for them."""

    follow_up: str = ""
    """The follow-up of the battle that asks; while it waits, its units lie open to everybody [7.6, 12.17]."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "required": True}

    def seen(self, ctx: Context, units: Iterable[Unit]) -> list[Unit]:
        """On the shared screen too a loss may fall on a unit that lies under another."""
        waits = any(a.action == self.follow_up for a in ctx.game.asked.values())
        return list(units) if waits else super().seen(ctx, units)


def seen_by(ctx: Context, side: str = "") -> list[Unit]:
    """The units a seat may pick by name: its own, and of the enemy what lies open."""
    mine = [u for u in ctx.game.units.values() if side in ("", u.side)]
    return [u for u in mine if may_see_unit(ctx.game, u, ctx.seat)]


@rules.watch
def soviets_come_untried(game: Game) -> Events:
    """A Soviet unit comes on record question mark up, and stays so until its first battle [2.14]."""
    for unit in list(game.units.values()):
        if unit.side == SOVIET and not unit.untried and game.mark(unit.id, "veteran") is None:
            yield change(game, unit.id, {"untried": True}, reason="untried", rule="2.14")


def turn_over(game: Game, units: Iterable[Unit]) -> Events:
    """Untried units that enter a battle become veterans for good, in plain sight [2.14]."""
    for unit in units:
        if unit.untried:
            yield change(
                game, unit.id, {"untried": False}, reason="turned over in battle", rule="2.14", public=True
            )
            yield put_mark(game, unit.id, "veteran", True, reason=IN_PASSING, rule="2.14", public=True)


def _picked(ctx: Context) -> Unit | None:
    return ctx.game.units.get(str(ctx.values.get("unit")))


def _is_german(ctx: Context) -> bool:
    unit = _picked(ctx)
    return unit is not None and unit.side == GERMAN


def _kinds(ctx: Context) -> list[tuple[str, str]]:
    unit = _picked(ctx)
    return [(k, k) for k in (KINDS[unit.side] if unit else ())]


@rules.action(by="any", rule="2.5, 2.14", label="Copy a counter", group="units")
def copy_counter(
    game: Game,
    unit: Annotated[str, UnitRef(label="Unit", pick=seen_by)],
    name: Annotated[str, Text(label="Name on it", most=40)] = "",
    kind: Annotated[str, Choice(label="Type", options=_kinds, when=lambda c: _picked(c) is not None)] = "",
    army: Annotated[str, Choice(label="Army", options=[(a, a) for a in ARMIES], when=_is_german)] = "",
    af: Annotated[int | None, Whole(label="Attack factor", high=99)] = None,
    df: Annotated[int | None, Whole(label="Defence factor", high=99)] = None,
    mf: Annotated[int | None, Whole(label="Movement factor", high=99)] = None,
) -> Events:
    """Put on record what the face of a counter shows. An untried unit is turned over only in a battle."""
    held = game.units[unit]
    turning = held.untried and (af is not None or df is not None or bool(name))
    if turning and game.phase not in FIGHT.values():
        raise NotNow(
            f"{label(held)} is untried: it is turned over in its first battle",
            field="unit",
            given=unit,
            rule="2.14",
        )
    if turning:
        yield from turn_over(game, [held])
    words = {"name": name, "kind": kind, "formation": army}
    if kind:
        words["klass"] = "mech" if kind in MECHANISED else "non-mech"
    given = {"AF": af, "DF": df, "MF": mf}
    numbers = {**held.factors, **{k: v for k, v in given.items() if v is not None}}
    facts = {**{k: v for k, v in words.items() if v}, "factors": numbers}
    yield change(game, unit, facts, reason="copied from the counter", rule="2.5", public=turning)
