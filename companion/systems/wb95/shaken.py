"""Disorganisation: tests, markers, and how long they last [5.6]."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated

from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context, Dice, HexId, Roll, SideRef, UnitRef, Whole
from companion.engine.record import events as e
from companion.engine.record.changes import put_mark
from companion.engine.record.game import Game
from companion.systems.wb95.base import (
    AIR,
    ATTACK,
    BARRAGE,
    GERMAN,
    MORALE,
    by_combat,
    is_gun,
    morale,
    on_a_phone,
    rules,
    seated,
    touchable,
)
from companion.systems.wb95.combats import involved
from companion.systems.wb95.moments import Moment, now, when

_REST = re.compile(r"until (.+), at (.*)")


@dataclass(frozen=True)
class Rest:
    """What a disorganised unit needs to recover: until when it must rest, and where [5.6.5]."""

    until: Moment
    place: str

    def __str__(self) -> str:
        return f"until {self.until}, at {self.place}"

    @classmethod
    def read(cls, text: str) -> Rest | None:
        """The rest that a marker writes; one laid by hand writes none."""
        found = _REST.fullmatch(text)
        until = Moment.read(found[1]) if found else None
        return cls(until, found[2]) if found and until else None


def until(game: Game, unit: Unit) -> Moment:
    """The phase at whose end a unit hit now recovers if it rests [5.6.5]."""
    if game.phase not in ATTACK or game["recovery"] == "full-turn":
        return when(game, game.turn + 1, game.phase)
    mine = next(p for p in ATTACK if game.side_of(game.phase_def(p)) == unit.side)
    later = mine == "attack-b" and game.phase == "attack-a"
    return when(game, game.turn if later else game.turn + 1, mine)


def _unrest(game: Game, unit: Unit, reason: str, rule: str = "") -> e.Marked:
    """The marker of a unit whose rest begins now."""
    return put_mark(
        game, unit.id, "disorganised", str(Rest(until(game, unit), unit.place)), reason=reason, rule=rule
    )


def shake(game: Game, units: Iterable[Unit], reason: str, rule: str = "5.6.1") -> Events:
    """Units become disorganised."""
    for unit in units:
        yield _unrest(game, unit, reason, rule)


def stays_shaken(game: Game, unit: str, place: str) -> Events:
    """A disorganised unit was driven to another hex: that is no movement of its own."""
    rest = Rest.read(str(game.mark(unit, "disorganised")))
    if rest:
        yield put_mark(game, unit, "disorganised", str(replace(rest, place=place)), reason="fell back")


def disturb(game: Game, units: Iterable[Unit]) -> Events:
    """Disorganised units that fight, or are attacked, start their rest anew [5.6.5]."""
    for unit in list(units):
        if game.mark(unit.id, "disorganised"):
            yield _unrest(game, unit, "no rest", "5.6.5")


def _recover(game: Game) -> Events:
    """Units that rested long enough where they were are themselves again [5.6.5]."""
    for target, value in list(game.marked("disorganised").items()):
        rest, unit = Rest.read(str(value)), game.units.get(target)
        if unit is None or rest is None or rest.until != now(game):
            continue
        if unit.place == rest.place:
            yield put_mark(game, target, "disorganised", None, reason="rested", rule="5.6.5")
        else:
            yield _unrest(game, unit, "moved")


for _phase in (*AIR, *BARRAGE, *ATTACK):
    rules.leaving(_phase)(_recover)


def ask_tests(
    game: Game, side: str, count: int, why: str, rule: str, combat: int = 0, hexes: Iterable[str] = ()
) -> Events:
    """Ask for so many disorganisation tests, for the side, each hex or each unit as the table reads it."""
    where = list(hexes)
    meant = involved(game, side, combat, where)
    place = f" at {', '.join(where)}" if where else ""
    groups: list[tuple[str, dict[str, object]]] = [(place, {"combat": combat, "hexes": where})]
    if meant and game["test-for"] == "hex":
        groups = [(f" at {h}", {"hexes": [h]}) for h in sorted({u.place for u in meant})]
    elif meant and game["test-for"] == "unit":
        groups = [(f" of {u.name}", {"units": [u.id]}) for u in meant]
    named = bool(meant) and game["test-for"] == "unit" and bool(game["fog"])
    secret = (side,) if named else ()  # a formation is named to its side only
    to = secret or (side, "table")
    for number in range(count):
        nth = f" {number + 1} of {count}" if count > 1 else ""
        for who, args in groups:
            text = f"{game.side_name(side)}: disorganisation test{nth}{who} ({why})"
            told = {"side": side, **args}
            yield e.Asked(f"ask-{game.revision}", to, text, "test-order", told, rule, only=secret)


def _meant(ctx: Context) -> list[Unit]:
    side = ctx.values.get("side")
    return [u for u in touchable(ctx) if not side or u.side == side]


def _on_record(ctx: Context) -> bool:
    """The units that test are known, and so is their morale."""
    v = ctx.values
    if v.get("limit"):
        return False
    side, combat = str(v.get("side") or ""), int(v.get("combat") or 0)
    return bool(v.get("units") or involved(ctx.game, side, combat, v.get("hexes") or ()))


@rules.action(rule="5.6.2", label="Disorganisation test", group="book-keeping", order=30)
def test_order(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=seated, quiet=on_a_phone)],
    hexes: Annotated[tuple[str, ...], HexId(label="All in hexes", many=True, quiet=by_combat)] = (),
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="or units",
            many=True,
            pick=_meant,
            quiet=lambda c: by_combat(c) or not _meant(c) or bool(c.values.get("hexes")),
        ),
    ] = (),
    limit: Annotated[
        int, Whole(label="Morale limit", high=13, help="0: each unit's own", quiet=_on_record)
    ] = 0,
    combat: Annotated[int, Whole(label="Combat", high=10_000_000, hidden=True)] = 0,
    *,
    die: Annotated[Roll, Dice(label="Roll", spec="2d6", purpose="disorganisation test")],
) -> Events:
    """Roll two dice; from the morale limit up the unit is disorganised."""
    meant = [game.units[u] for u in units] or involved(game, side, combat, hexes)
    ordinary = limit or MORALE["wehrmacht" if side == GERMAN else "soviet"]
    if not meant:
        verdict = "disorganised" if die.total >= ordinary else "keeps order"
        yield e.Noted(f"{game.side_name(side)}: {die.total} against {ordinary}, {verdict}", rule="5.6.2")
        return
    failed = [u for u in meant if die.total >= (limit or morale(game, u))]
    yield e.Noted(
        f"{game.side_name(side)}: rolled {die.total}, {len(failed)} of {len(meant)} disorganised",
        rule="5.6.2",
    )
    yield from shake(game, failed, "failed its test", "5.6.2")


@rules.action(rule="5.6.1", label="Disorganise units", group="book-keeping", order=31)
def disorganise(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=touchable)],
) -> Events:
    """Put the disorganisation marker on units; it lifts by itself after their rest."""
    yield from shake(game, [game.units[u] for u in units], "by hand")


def exposed(game: Game, units: Iterable[Unit], direct: bool) -> list[Unit]:
    """Units that a result can disorganise: guns only beside the enemy, or under fire if so read [5.6.3]."""
    return [u for u in units if not is_gun(u) or direct or game["guns-shaken"]]
