"""Soviet command [13.0]: commitment, and units out of their army's reach."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Dice, Flag, Roll, Text, UnitRef
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import drop, owe, units_of
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.changes import put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import ground
from companion.systems.kharkov_battles.base import (
    D10,
    SOVIET,
    STAR,
    K,
    L,
    Objection,
    done,
    read_row,
    rules,
    scenario,
    tick,
    tick_line,
)
from companion.systems.kharkov_battles.units import fortified, icon, is_hq, is_mech, label, trait

NEAR = 3


def commit_colour(game: Game, army: str, reason: str, rule: str) -> Iterator[e.Event]:
    """A whole icon colour is committed for good, and Operational [13.12, 13.13]."""
    yield from _commit(game, [u for u in game.units.values() if icon(u) == army.lower()], reason, rule)


def _commit(game: Game, units: Iterable[Unit], reason: str, rule: str) -> Iterator[e.Event]:
    for unit in [u for u in units if u.side == SOVIET]:
        if game.mark(unit.id, "uncommitted"):
            yield put_mark(game, unit.id, "uncommitted", None, reason=reason, rule=rule)
            if game.mark(unit.id, "supply"):
                yield put_mark(
                    game, unit.id, "supply", None, reason="Operational when committed", rule="13.13"
                )


def wake(game: Game, attacked: Iterable[Unit]) -> Iterator[e.Event]:
    """An attack, mobile or prepared, commits the icon colours of those it strikes [13.12]."""
    for unit in attacked:
        if game.mark(unit.id, "uncommitted"):
            army = icon(unit)  # of a counter without a colour nobody knows who else belongs to it
            alike = [u for u in game.units.values() if icon(u) == army] if army else [unit]
            yield from _commit(game, alike, "attacked", "13.12")


def _waiting_colours(ctx: Context) -> list[tuple[str, str]]:
    found = {icon(u) for u in ctx.game.units.values() if ctx.game.mark(u.id, "uncommitted")}
    return [(c, c or "no colour") for c in sorted(found)]


@rules.action(
    by="any",
    rule="13.12",
    label="Commit an army",
    group="units",
    when=lambda game: bool(game.marked("uncommitted")),
)
def commit_army(
    game: Game, colour: Annotated[str, Choice(label="Icon colour", options=_waiting_colours)]
) -> Events:
    """An Axis attack, or a scenario rule, commits every unit of an icon colour."""
    yield from commit_colour(game, colour, "committed", "13.12")


@rules.entering("soviet-command", turns="3")
def commit_all(game: Game) -> Events:
    """On turn 3 of Second Kharkov everybody is committed [20.2]."""
    if scenario(game) == K:
        yield from _commit(game, list(game.units.values()), "turn 3", "20.2")
        yield tick(game, "commit-all", "All Soviet units are committed")


def any_hq(game: Game) -> bool:
    """Where colours do not matter [20.3, 2.72]."""
    return scenario(game) == L or bool(game["untried"])


def in_command(game: Game, unit: Unit) -> bool:
    """A committed HQ of its colour reaches it; enemies in between do not matter [13.2, 13.22]."""
    for hq in on_map(game, SOVIET):
        if not is_hq(hq) or game.mark(hq.id, "uncommitted"):
            continue
        if not (any_hq(game) or icon(unit) == "beige" or icon(hq) == icon(unit)):
            continue
        away = ground.distance(game, hq.place, unit.place)
        if away is not None and away <= hq.factors.get("CR", 0):
            return True
    return False


def dry(game: Game, unit: Unit) -> bool:
    """Popov's mechanized units without fuel [20.1]."""
    return game["popov"] == "dry" and is_mech(unit) and icon(unit) in ("orange", "pink")


def near_enemy(game: Game, unit: Unit) -> bool:
    away = (ground.distance(game, unit.place, enemy.place) for enemy in on_map(game, game.other(unit.side)))
    return any(d is not None and d <= NEAR for d in away)


def must_roll(game: Game) -> list[Unit]:
    """The Soviet combat units that owe a Command and Control roll; not those in a Fortified Zone [13.2, 13.21]."""
    found = []
    for unit in on_map(game, SOVIET):
        if is_hq(unit) or unit.kind == "fortress region" or game.mark(unit.id, "uncommitted"):
            continue
        if (
            dry(game, unit)
            or not fortified(game, unit.place, SOVIET)
            and near_enemy(game, unit)
            and not in_command(game, unit)
        ):
            found.append(unit)
    return found


def out_of_command(game: Game, unit: Unit) -> Objection | None:
    """What the Command and Control Table has said of a unit this turn, or has still to say [13.2]."""
    if game.mark(unit.id, "ooc"):
        return Objection(f"is out of command: {game.mark(unit.id, 'ooc')}", rule="13.2")
    if any(unit.id in d.units for d in game.duties(action="command-rolls")):
        return Objection("has still to roll for command", rule="13.2")
    return None


def hqs_known(game: Game) -> bool:
    """Whether Soviet headquarters are on record, dead ones too: only then can it be told who is out of command."""
    return any(is_hq(u) for u in game.units.values() if u.side == SOVIET)


def owing(game: Game) -> list[Unit]:
    """Who has still to roll this turn, as far as the positions on record tell."""
    known = hqs_known(game)
    return [u for u in must_roll(game) if (known or dry(game, u)) and not done(game, f"command/{u.id}")]


@rules.watch
def ask_for_command(game: Game) -> Events:
    """Everybody who must roll is asked for on one card, also once the last HQ is dead, and on turn 0 [13.2, 20.1]."""
    if game.phase != "soviet-command":
        return
    names = {u.id for u in owing(game)}
    if names - {n for d in game.duties(action="command-rolls") for n in d.units}:
        yield from drop(game, "command-rolls", why="more must roll")
        late = [u for u in owing(game) if u.id in names]
        text = f"Out of command, roll for {', '.join(label(u) for u in late)}"
        yield owe(game, SOVIET, text, command_rolls, units=[u.id for u in late], rule="13.2", turn=game.turn)


def _rolling(ctx: Context) -> list[Unit]:
    """Those of a card who must still roll."""
    here = units_of(ctx.game, ctx.duty) if ctx.duty else []
    return [u for u in here if not done(ctx.game, f"command/{u.id}")]


def _makes_sense(game: Game, duty: e.Asked) -> bool:
    """The turn is the same, and somebody of them has not rolled; in the command phase still out of reach."""
    here = {u.id for u in _rolling(Context(game, duty=duty))}
    if game.phase == "soviet-command":
        here &= {u.id for u in owing(game)}
    return duty.args.get("turn") == game.turn and bool(here)


@rules.follow_up(rule="13.2", label="Roll for command", still=_makes_sense)
def command_rolls(
    game: Game,
    duty: e.Asked,
    dice: Annotated[
        Roll,
        Dice(
            label="A die for each, in this order",
            spec=lambda c: f"{max(1, len(_rolling(c)))}{D10[1:]}",
            purpose="Command",
            each=True,
        ),
    ],
) -> Events:
    """One die for each unit near the enemy and out of its army's command range."""
    for unit, rolled in zip(_rolling(Context(game, duty=duty)), dice.values, strict=True):
        yield tick(game, f"command/{unit.id}")
        yield from _roll(
            game, unit.id, label(unit), bool(trait(game, unit, "guards")), dry(game, unit), rolled
        )
    yield from tick_line(game, "roll-command")


def _chosen(ctx: Context) -> Unit | None:
    return ctx.game.units.get(str(ctx.values.get("unit") or ""))


def _guards(ctx: Context) -> bool:
    unit = _chosen(ctx)
    return bool(unit and trait(ctx.game, unit, "guards"))


def _no_fuel(ctx: Context) -> bool:
    unit = _chosen(ctx)
    return bool(unit and dry(ctx.game, unit))


def _soviets(ctx: Context) -> list[Unit]:
    return on_map(ctx.game, SOVIET)


@rules.action(phase="soviet-command", by=SOVIET, rule="13.2", label="Roll for one more unit")
def roll_command(
    game: Game,
    unit: Annotated[str, UnitRef(label="Unit", pick=_soviets, when=lambda c: bool(_soviets(c)))] = "",
    name: Annotated[
        str,
        Text(label="Name of one not on record", most=40, when=lambda c: not c.values.get("unit")),
    ] = "",
    guards: Annotated[bool, Flag(label="Guards", start=_guards)] = False,
    no_fuel: Annotated[
        bool, Flag(label="Popov's, out of gas", when=lambda c: bool(c.game["popov"] == "dry"), start=_no_fuel)
    ] = False,
    die: Annotated[Roll | None, Dice(spec=D10, purpose="Command")] = None,
) -> Events:
    """One roll for a unit that the record does not know to be out of command."""
    held = game.units.get(unit)
    if held is None and not name:
        raise Unreadable(
            "say which unit rolls", field="unit" if on_map(game, SOVIET) else "name", rule="13.2"
        )
    if held is not None:
        yield tick(game, f"command/{unit}")
        guards, no_fuel = bool(trait(game, held, "guards")), dry(game, held)
    who = label(held) if held else name or "unit"
    yield from _roll(game, unit, who, guards, no_fuel, die.total if die else 0)


def _roll(game: Game, unit: str, who: str, guards: bool, no_fuel: bool, rolled: int) -> Events:
    sheet = Breakdown(f"Command: {who}", column="result", dice=D10, roll=rolled)
    sheet.add("die", str(rolled), "13.2")
    if no_fuel:
        sheet.shift("out of gas, no Guards bonus", -3, "20.1")
    elif guards:
        sheet.shift("Guards", 1, "13.2")
    sheet.facts = {"unit": unit, "name": who, "modified": rolled + sheet.modifier}
    read_row(sheet, game.chart("command"), str(sheet.facts["modified"]))
    sheet.codes = ["No effect", "OOC"]
    yield from rules.settle(game, "command", sheet, (SOVIET, "table"), "13.2")


NO_EFFECT = {"-", "ne", "none", "no effect", "normal", "in command", "ok"}


@rules.outcome("command")
def command_outcome(game: Game, sheet: dict[str, Any], result: str) -> Events:
    """Anything but no effect puts the unit out of command for the turn."""
    facts = sheet["facts"]
    if result.strip().casefold() in NO_EFFECT:
        yield e.Noted(f"{facts['name']}: no effect", rule="13.2")
        return
    if facts["unit"]:
        yield put_mark(game, facts["unit"], "ooc", result, rule="13.2")
    yield e.Noted(f"{facts['name']}: {result}", rule="13.2")


@rules.follow_up(
    rule="20.1",
    label="Roll for Popov's fuel",
    still=lambda game, duty: duty.args.get("turn", game.turn) == game.turn and game["popov"] == "fuelled",
)
def roll_popov(game: Game, die: Annotated[Roll, Dice(spec=D10, purpose="Popov's fuel")]) -> Events:
    """4 or less: Popov is out of gas for the rest of the game."""
    if die.total <= 4:
        yield e.Set("popov", "dry", was=game["popov"], reason=f"rolled {die.total}", rule="20.1")
    else:
        yield e.Noted("Popov still has fuel; roll again next turn", rule="20.1")


@rules.entering("supply", turns="6+")
def popov_reminder(game: Game) -> Events:
    """The roll comes before supply is judged."""
    asked = done(game, "popov")
    if scenario(game) == STAR and game["popov-fuel"] and game["popov"] == "fuelled" and not asked:
        yield tick(game, "popov")
        yield owe(game, SOVIET, "Roll for Popov's fuel first", roll_popov, rule="20.1", turn=game.turn)
