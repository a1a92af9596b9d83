"""Disorganisation: tests, markers, and how long they last [5.6]."""

from __future__ import annotations

import re
from collections.abc import Iterable
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
    at_hexes,
    by_combat,
    fought_in,
    in_words,
    is_gun,
    moment,
    morale,
    on_a_phone,
    own,
    rules,
    seated,
    touchable,
    when,
)

_VALUE = re.compile(r"until (.+), at (.*)")


def until(game: Game, unit: Unit) -> str:
    """The phase at whose end a unit hit now recovers if it rests [5.6.5]."""
    if game.phase not in ATTACK or game["recovery"] == "full-turn":
        return when(game, game.turn + 1, game.phase)
    mine = next(p for p in ATTACK if game.side_of(game.phase_def(p)) == unit.side)
    later = mine == "attack-b" and game.phase == "attack-a"
    return when(game, game.turn if later else game.turn + 1, mine)


def _rest(game: Game, unit: Unit) -> str:
    """The marker's words: until when it must rest, and where."""
    return f"until {until(game, unit)}, at {unit.place}"


def shake(game: Game, units: Iterable[Unit], reason: str, rule: str = "5.6.1") -> Events:
    """Units become disorganised."""
    for unit in units:
        yield put_mark(game, unit.id, "disorganised", _rest(game, unit), reason=reason, rule=rule)


def stays_shaken(game: Game, unit: str, place: str) -> Events:
    """A disorganised unit was driven to another hex: that is no movement of its own."""
    found = _VALUE.fullmatch(in_words(game.mark(unit, "disorganised")))
    if found:
        yield put_mark(game, unit, "disorganised", f"until {found[1]}, at {place}", reason="fell back")


def disturb(game: Game, units: Iterable[Unit]) -> Events:
    """Disorganised units that fight, or are attacked, start their rest anew."""
    for unit in list(units):
        if game.mark(unit.id, "disorganised"):
            yield put_mark(game, unit.id, "disorganised", _rest(game, unit), reason="no rest", rule="5.6.5")


def _recover(game: Game) -> Events:
    for target, value in list(game.marked("disorganised").items()):
        found = _VALUE.fullmatch(in_words(value))
        unit = game.units.get(target)
        if unit is None or found is None or found[1] != moment(game):
            continue
        if unit.place == found[2]:
            yield put_mark(game, target, "disorganised", None, reason="rested", rule="5.6.5")
        else:
            yield put_mark(game, target, "disorganised", _rest(game, unit), reason="moved")


for _phase in (*AIR, *BARRAGE, *ATTACK):
    rules.leaving(_phase)(_recover)


def involved(game: Game, side: str, combat: int, hexes: Iterable[str]) -> list[Unit]:
    """Who is meant: the side's units that fought or fell back in this combat, else those in the hexes."""
    found = [u for u in own(game, side) if combat and combat in fought_in(game, u.id)]
    return found or at_hexes(game, side, hexes)


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
    to, secret = (
        ((side,), (side,)) if named else ((side, "table"), ())
    )  # a formation is named to its side only
    for number in range(count):
        nth = f" {number + 1} of {count}" if count > 1 else ""
        for who, args in groups:
            text = f"{game.side_name(side)}: disorganisation test{nth}{who} ({why})"
            yield e.Asked(
                f"ask-{game.revision}",
                to,
                text,
                "test-order",
                {"side": side, **args},
                rule,
                only=secret,
            )


def _meant(ctx: Context) -> list[Unit]:
    side = ctx.values.get("side")
    return [u for u in touchable(ctx) if not side or u.side == side]


def _on_record(ctx: Context) -> bool:
    """The units that test are known, and so is their morale."""
    game, v = ctx.game, ctx.values
    if game is None or v.get("limit"):
        return False
    return bool(
        v.get("units")
        or involved(game, str(v.get("side") or ""), int(v.get("combat") or 0), v.get("hexes") or ())
    )


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
    ordinary = limit or (11 if side == GERMAN else 10)
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
