"""Disorganisation: tests, markers, and how long they last [5.6]."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated

from companion.engine.forms.fields import Choice, Context, Dice, Roll, UnitRef
from companion.engine.forms.panels import Fact, Panel
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import has_units, owe, units_of
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import IN_PASSING, fogged, put_mark, take_off
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_mark
from companion.systems.wb95.base import (
    AIR,
    ATTACK,
    BARRAGE,
    GERMAN,
    GERMAN_ALLIES,
    MORALE,
    MOVE,
    SOVIET,
    STRATEGIC,
    SUPPLY,
    TESTS,
    anybody,
    is_gun,
    limit_of,
    morale,
    rolls_itself,
    rules,
    somebody_there,
    touchable,
)
from companion.systems.wb95.moments import Moment, now, when, written
from companion.systems.wb95.named import Named, with_new
from companion.systems.wb95.needed import NeededUnits, unless
from companion.systems.wb95.strength import named, named_openly
from companion.systems.wb95.telling import came_of

ORDINARY = {GERMAN: "wehrmacht", SOVIET: "soviet"}


def until(game: Game, unit: Unit) -> Moment:
    """The phase at whose end a unit hit now recovers if it rests [5.6.5]."""
    if game.phase not in ATTACK or game["recovery"] == "full-turn":
        return when(game, game.turn + 1, game.phase)
    mine = next(p for p in ATTACK if game.side_of(game.phase_def(p)) == unit.side)
    later = mine == "attack-b" and game.phase == "attack-a"
    return when(game, game.turn if later else game.turn + 1, mine)


def rests_until(game: Game, unit: str) -> Moment | None:
    """When a disorganised unit recovers, as far as it is known."""
    number = game.mark(unit, "rests-until")
    return Moment.of(int(number)) if number else None


def _rest(game: Game, unit: Unit, end: Moment, place: str) -> Events:
    """A disorganised unit must rest until then, and where it is [5.6.5]."""
    yield put_mark(game, unit.id, "rests-until", int(end), reason=IN_PASSING, rule="5.6.5")
    yield put_mark(game, unit.id, "rests-at", place, reason=IN_PASSING, rule="5.6.5")


def shake(
    game: Game, units: Iterable[Unit], reason: str, rule: str = "5.6.1", battle: Battle | None = None
) -> Events:
    """Units become disorganised.

    :param battle: the one whose result does it, without a test
    """
    hit = list(units)
    if battle is not None and hit:
        yield came_of(battle, f"{named_openly(game, hit)}: disorganised", rule, told=True)
    for unit in hit:
        yield put_mark(game, unit.id, "disorganised", True, reason=reason, rule=rule)
        yield from disturb(game, [unit])


def stays_shaken(game: Game, unit: str, place: str) -> Events:
    """A disorganised unit was driven to another hex: that is no movement of its own."""
    if end := rests_until(game, unit):
        yield from _rest(game, game.units[unit], end, place)


def disturb(game: Game, units: Iterable[Unit]) -> Events:
    """Disorganised units that fight, fire or are attacked start their rest anew, never to rest the less for it [5.6.5]."""
    for unit in list(units):
        if game.mark(unit.id, "disorganised"):
            had = rests_until(game, unit.id)
            anew = until(game, unit)
            yield from _rest(game, unit, max(had, anew) if had else anew, unit.place)


@rules.watch
def begin_rests(game: Game) -> Events:
    """A marker laid by hand begins its rest now; one of an early record says itself when it ends."""
    for target, value in list(game.marked("disorganised").items()):
        unit = game.units.get(target)
        if unit is not None and not game.mark(target, "rests-until"):
            said = written(value)
            place = str(value).rpartition(", at ")[2] if said else unit.place
            yield from _rest(game, unit, said[0] if said else until(game, unit), place)
    for target in set(game.marked("rests-until")) - set(game.marked("disorganised")):
        yield from _rested(game, target)


def _rested(game: Game, unit: str) -> Events:
    for name in ("rests-until", "rests-at"):
        if game.mark(unit, name):
            yield take_off(game, unit, name, IN_PASSING)


def _recover(game: Game) -> Events:
    """Units that rested long enough where they were are themselves again, whatever the phase [5.6.5]."""
    for target in list(game.marked("disorganised")):
        end, unit = rests_until(game, target), game.units.get(target)
        if unit is None or end is None or end > now(game):
            continue
        if unit.place == game.mark(target, "rests-at"):
            yield put_mark(game, target, "disorganised", None, reason="rested", rule="5.6.5")
            yield from _rested(game, target)
        else:
            yield from _rest(game, unit, until(game, unit), unit.place)


for _phase in (*AIR, *BARRAGE, *MOVE, *ATTACK, *STRATEGIC, *SUPPLY):
    rules.leaving(_phase)(_recover)


@rules.panel
def recovering(game: Game, seat: str) -> Panel | None:
    """When a side's disorganised units are themselves again, if they rest [5.6.5]."""
    found = [(game.units[n], rests_until(game, n)) for n in game.marked("disorganised") if n in game.units]
    rows = [
        Fact(f"{unit.name} {unit.place}", f"end of {end}", "5.6.5")
        for unit, end in found
        if end and may_see_mark(game, unit.id, "disorganised", seat)
    ]
    return Panel("Disorganised, recover if they rest", rows) if rows else None


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
    known = bool(meant) and not game["fog"]  # they may have gone elsewhere before they test
    groups = {f" of {named(meant)}" if known else f" at {where}" if where else "": meant}
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
    return _kinds(ctx.game, GERMAN if ctx.duty is None or GERMAN in ctx.duty.to else SOVIET)


def _kinds(game: Game, side: str) -> list[tuple[str, str]]:
    """A side's soldiers in this scenario with their morale limits, the ordinary ones first."""
    first = ORDINARY[side]
    german = {"wehrmacht", "ss", "volkssturm", *GERMAN_ALLIES}
    theirs = german if side == GERMAN else set(MORALE) - german
    here = _in_the_lists(game) | ({"volkssturm"} if game["rare-units"] else set())
    kinds = [first, *(k for k in MORALE if k in theirs & here and k != first)]
    return [(k, f"{'SS' if k == 'ss' else k.capitalize()} {limit_of(game, k)}") for k in kinds]


def _in_the_lists(game: Game) -> set[str]:
    """Whose soldiers the scenario's lists and the counters on record name."""
    listed = {str(unit.marks.get("troops", "")) for unit in game.scenario.units}
    return listed | {str(troops) for troops in game.marked("troops").values()}


def _off_record(ctx: Context) -> bool:
    return ctx.duty is not None and not ctx.duty.units


@rules.follow_up(rule="5.6.2", label="Test for disorganisation", still=has_units, alone=rolls_itself)
def take_tests(
    game: Game,
    duty: e.Asked,
    battle: Battle | None,
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
    limit = 0 if duty.units else limit_of(game, troops or ORDINARY[side])
    for roll in (die, die_2, die_3, die_4):
        if roll is not None:
            yield from _judge(game, side, units_of(game, duty), roll.total, limit, battle)


def _judge(
    game: Game, side: str, meant: list[Unit], rolled: int, limit: int = 0, battle: Battle | None = None
) -> Events:
    """One roll, held against each unit's own limit [5.6.2]."""
    name = game.side_name(side)
    if not meant:
        verdict = "disorganised" if rolled >= limit else "keeps order"
        yield came_of(battle, f"{name}: {rolled} against {limit}, {verdict}", "5.6.2")
        return
    failed = [u for u in meant if rolled >= (limit or morale(game, u))]
    against = ", ".join(map(str, sorted({limit or morale(game, u) for u in meant})))
    if not failed:
        verdict = "keeps order"
    elif game["fog"]:
        verdict = f"{len(failed)} of {len(meant)} disorganised"
    else:
        verdict = f"{named(failed)} disorganised"
    # Under fog whose limit it was would tell whose soldiers stand there [16.1.1].
    rolls = f"{rolled}" if game["fog"] else f"{rolled} against {against}"
    yield came_of(battle, f"{name}: test {rolls}, {verdict}", "5.6.2")
    yield from shake(game, failed, "failed its test", "5.6.2")


OWN = "own"


def _held_against(ctx: Context) -> list[tuple[str, str]]:
    """Each unit's own limit, or another for all of them."""
    sides = {ctx.game.units[u].side for u in ctx.values.get("units") or ()} or set(ctx.game.sides)
    return [(OWN, "each unit's own"), *(k for s in ctx.game.sides if s in sides for k in _kinds(ctx.game, s))]


@rules.action(rule="5.6.2", label="Test units for order", group="book-keeping", order=30, when=somebody_there)
def test_order(
    game: Game,
    units: Annotated[tuple[str, ...], UnitRef(label="Units", many=True, pick=touchable)],
    limit: Annotated[str, Choice(label="Morale limit", options=_held_against)] = OWN,
    *,
    die: Annotated[Roll, Dice(label="Roll", spec="2d6", purpose="disorganisation test")],
) -> Events:
    """Roll two dice for units by hand; from the morale limit up they are disorganised."""
    meant = [game.units[u] for u in units]
    yield from _judge(game, meant[0].side, meant, die.total, 0 if limit == OWN else limit_of(game, limit))


@rules.action(rule="5.6.1", label="Disorganise units", group="book-keeping", order=31)
def disorganise(
    game: Game,
    units: Annotated[
        tuple[str, ...],
        NeededUnits(label="Units", many=True, pick=touchable, when=anybody, needed=unless("named")),
    ] = (),
    named: Named = "",
    seat: str = "",
) -> Events:
    """Put the disorganisation marker on units; it lifts by itself after their rest."""
    units = yield from with_new(game, seat, units, named)
    yield from shake(game, [game.units[u] for u in units], "by hand")


def exposed(game: Game, units: Iterable[Unit], direct: bool) -> list[Unit]:
    """Units that a result can disorganise: guns only beside the enemy, or under fire if so read [5.6.3]."""
    return [u for u in units if not is_gun(u) or direct or game["guns-shaken"]]
