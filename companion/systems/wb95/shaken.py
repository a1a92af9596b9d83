"""Disorganisation: tests, markers, and how long they last [5.6]."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Annotated

from companion.engine.forms.fields import Choice, Context, Dice, Roll, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe, units_of
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import fogged, put_mark
from companion.engine.record.game import Game
from companion.systems.wb95.base import (
    AIR,
    ATTACK,
    BARRAGE,
    GERMAN,
    GERMAN_ALLIES,
    MORALE,
    SOVIET,
    TESTS,
    is_gun,
    morale,
    rules,
    touchable,
)
from companion.systems.wb95.moments import Moment, now, when

ORDINARY = {GERMAN: "wehrmacht", SOVIET: "soviet"}
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


# -- tests -----------------------------------------------------------------------------------------


def owe_tests(
    game: Game,
    side: str,
    tests: int,
    units: Iterable[Unit],
    why: str,
    rule: str,
    battle: Battle | None = None,
    hexes: Iterable[str] = (),
    *,
    closed: bool = False,
) -> Events:
    """So many disorganisation tests, for the side, each hex or each unit as the table reads it."""
    meant, where = list(units), ", ".join(hexes)
    groups = {f" at {where}" if where else "": meant}
    if meant and game["test-for"] == "hex":
        groups = {f" at {h}": [u for u in meant if u.place == h] for h in sorted({u.place for u in meant})}
    elif meant and game["test-for"] == "unit":
        groups = {f" of {u.name}": [u] for u in meant}
    secret = (
        fogged(game, side) if meant and (closed or game["test-for"] == "unit") else ()
    )  # it names formations
    for who, held in groups.items() if tests else ():
        text = f"{game.side_name(side)}: {count(tests, 'disorganisation test')}{who} ({why})"
        ids = [u.id for u in held]
        yield owe(
            game,
            side,
            text,
            take_tests,
            battle=battle,
            step=TESTS,
            units=ids,
            rule=rule,
            only=secret,
            tests=tests,
        )


def _tests(least: int) -> Callable[[Context], bool]:
    return lambda c: int(c.args.get("tests") or 1) >= least


def _nth(number: int) -> Dice:
    return Dice(label=f"Test {number}", spec="2d6", purpose="disorganisation test", when=_tests(number))


def _limits(ctx: Context) -> list[tuple[str, str]]:
    """The morale limits of a side's soldiers that are not on record [5.6.2]."""
    german = {"wehrmacht", "ss", "volkssturm", *GERMAN_ALLIES}
    mine = GERMAN in ctx.duty.to if ctx.duty else True
    first = ORDINARY[GERMAN if mine else SOVIET]
    kinds = [first, *(k for k in MORALE if (k in german) == mine and k != first)]
    return [
        (kind, f"{kind.upper() if kind == 'ss' else kind.capitalize()}: {MORALE[kind]}") for kind in kinds
    ]


def _off_record(ctx: Context) -> bool:
    return ctx.duty is not None and not ctx.duty.units


@rules.follow_up(rule="5.6.2", label="Disorganisation test")
def take_tests(
    game: Game,
    duty: e.Asked,
    troops: Annotated[
        str, Choice(label="Who tests", options=_limits, when=_off_record, start=lambda c: _limits(c)[0][0])
    ] = "",
    *,
    die: Annotated[Roll, _nth(1)],
    die_2: Annotated[Roll | None, _nth(2)],
    die_3: Annotated[Roll | None, _nth(3)],
    die_4: Annotated[Roll | None, _nth(4)],
) -> Events:
    """Roll two dice for each test; from the morale limit up a unit is disorganised."""
    side = next(s for s in duty.to if s in game.sides)
    limit = 0 if duty.units else MORALE[troops or ORDINARY[side]]
    for roll in (die, die_2, die_3, die_4):
        if roll is not None:
            yield from _judge(game, side, units_of(game, duty), roll.total, limit)


def _judge(game: Game, side: str, meant: list[Unit], rolled: int, limit: int = 0) -> Events:
    """One roll, held against each unit's own limit [5.6.2]."""
    if not meant:
        verdict = "disorganised" if rolled >= limit else "keeps order"
        yield e.Noted(f"{game.side_name(side)}: {rolled} against {limit}, {verdict}", rule="5.6.2")
        return
    failed = [u for u in meant if rolled >= (limit or morale(game, u))]
    yield e.Noted(
        f"{game.side_name(side)}: rolled {rolled}, {len(failed)} of {len(meant)} disorganised", rule="5.6.2"
    )
    yield from shake(game, failed, "failed its test", "5.6.2")


@rules.action(rule="5.6.2", label="Test units for order", group="book-keeping", order=30)
def test_order(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=touchable)],
    limit: Annotated[int, Whole(label="Morale limit", high=13, help="0: each unit's own")] = 0,
    *,
    die: Annotated[Roll, Dice(label="Roll", spec="2d6", purpose="disorganisation test")],
) -> Events:
    """Roll two dice for units by hand; from the morale limit up they are disorganised."""
    meant = [game.units[u] for u in units]
    yield from _judge(game, meant[0].side, meant, die.total, limit)


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
