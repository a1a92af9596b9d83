"""Losing steps [2.7, 12.63] and where lost units go [15.13, 16.3]."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import NotNow
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Chance, Events
from companion.engine.play.fields import Context, Flag, HexId, SideRef, UnitRef, Whole
from companion.engine.record import events as e
from companion.engine.record.changes import change, move, put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import chits
from companion.systems.kharkov_battles.base import (
    AXIS,
    SOVIET,
    K,
    add,
    done,
    only_its_own,
    own_side,
    rules,
    scenario,
    some,
    to_side,
)
from companion.systems.kharkov_battles.forces import COMBAT, ROLE, first_to_lose, force
from companion.systems.kharkov_battles.lines import can_trace
from companion.systems.kharkov_battles.retreats import nobody_left
from companion.systems.kharkov_battles.units import (
    become_cadre,
    is_cadre,
    is_formation,
    is_german_regiment,
    is_hq,
    is_mech,
    is_silhouette,
    label,
    on_map,
    on_the_map,
    rating,
    steps_left,
    supply_state,
    trait,
)

NEVER_BACK = ("popov", "bobkin")
LATER = 5
OFF_WITH_IT = (
    "supply", "pa", "builder", "disorganized", "cadre", "ls", "ooc", "combat", "must-attack", "repl", "fights",
    "full-support", "supported", "uncommitted", "ma-done", "infiltrated",
)  # fmt: skip
"""A lost unit takes none of these with it to its box."""


def destination(game: Game, unit: Unit, traced: bool, overrun: bool = False) -> tuple[str, str]:
    """The box a lost unit goes to, and the rule."""
    if is_hq(unit):
        if any(name in unit.name.lower() for name in NEVER_BACK):
            return "box:dead", "15.13"
        return ("box:dead", "11.32") if overrun and game["hq-overrun"] == "dead" else ("box:track", "15.13")
    if unit.kind == "fortress region":
        return "box:track", "27.4"
    if unit.kind == "ersatz":
        return "box:ersatz", "20.1"
    if unit.kind == "breakdown regiment":
        return "box:regiments", "15.23"
    if trait(game, unit, "no-repl"):
        return "box:dead", "16.36"
    if unit.side == AXIS and is_mech(unit) and is_silhouette(game, unit):
        return "box:track", "16.35"
    returns = unit.kind == "rifle" and not trait(game, unit, "guards")
    returns = returns or (is_mech(unit) and is_silhouette(game, unit))
    if unit.side == SOVIET and returns and unit.full == 1 and not rating(game, unit):
        return ("box:pool", "16.31") if traced else ("box:dead", "16.31")
    return "box:dead", "16.36"


def eliminate(game: Game, unit: Unit, traced: bool, reason: str, overrun: bool = False) -> Iterator[e.Event]:
    """A unit leaves the map: chit to the cup, counter to its box, losses counted."""
    place, rule = destination(game, unit, traced, overrun)
    regiment = is_german_regiment(game, unit)
    yield from chits.give_back(game, unit, reason)
    for marker in OFF_WITH_IT:
        if game.mark(unit.id, marker) is not None:
            yield put_mark(game, unit.id, marker, None, reason=reason)
    if place == "box:track":
        yield change(
            game,
            unit.id,
            {"turn": game.turn + LATER},
            reason=f"back on turn {game.turn + LATER}",
            public=True,
        )
    yield move(game, unit.id, place, reason=reason, rule=rule)
    if unit.kind == "ersatz":
        yield from add(game, "ersatz", 1, "available again", "20.1")
    if regiment:
        yield from add(game, "regiments-lost", 1, f"{label(unit)} lost", "20.1, 27.3, 27.8")
    if scenario(game) == K and unit.side == SOVIET and is_formation(unit):
        yield from add(game, "soviet-lost", 1, f"{label(unit)} lost", "20.2")


def lose(game: Game, unit: Unit, steps: int, traced: bool, chance: Chance, reason: str) -> Iterator[e.Event]:
    """Take steps off a unit; the chit is drawn when only its reduced side is needed."""
    left = steps_left(game, unit) - steps
    if left <= 0:
        yield from eliminate(game, unit, traced, reason)
    elif rating(game, unit) and not is_cadre(game, unit):
        if left == 2:
            if not chits.status(game, unit):
                yield from chits.draw(game, unit, chance)
            yield from chits.turn_over(game, unit)
        else:
            yield from chits.give_back(game, unit, "cadre")
            yield from become_cadre(game, unit.id, reason)
    elif left == 1:
        yield from become_cadre(game, unit.id, reason)
    else:
        yield change(game, unit.id, {"steps": left}, reason=reason, rule="2.7", public=True)


def hit_by_attrition(game: Game, side: str, hex_id: str) -> list[str]:
    """The Isolated units of a hex; by one reading not those that became Isolated just now [8.4]."""
    fresh = game["attrition-who"] == "old"
    return [
        u.id for u in game.units_at(hex_id)
        if u.side == side and supply_state(game, u) == "isolated" and not (fresh and done(game, f"isolated/{u.id}"))
    ]  # fmt: skip


def no_line_for(field: str) -> Callable[[Context], bool]:
    """Whether the chosen unit has no supply line; unknown counts as in supply, the player says otherwise."""

    def test(ctx: Context) -> bool:
        game, name = ctx.game, str(ctx.values.get(field) or "")
        return name in game.units and can_trace(game, game.units[name]) is False

    return test


def line_decides(field: str) -> Callable[[Context], bool]:
    """Whether a supply line decides over the chosen unit's box; nobody is asked about others [16.31]."""

    def test(ctx: Context) -> bool:
        game, name = ctx.game, str(ctx.values.get(field) or "")
        if name not in game.units:
            return False
        return destination(game, game.units[name], True) != destination(game, game.units[name], False)

    return test


NO_LINE = Annotated[
    bool, Flag(label="It has no supply line", start=no_line_for("unit"), when=line_decides("unit"))
]


@dataclass(frozen=True)
class Debt:
    """Steps that a side has still to lose: to a combat, to a pocket's attrition, or to nothing on record."""

    side: str
    steps: int
    combat: int
    role: str
    pocket: str

    def bearers(self, game: Game) -> list[Unit]:
        """Those of the record on whom it falls; nobody where it names neither combat nor pocket."""
        if self.combat:
            return force(game, self.combat, self.role)
        return (
            [game.units[name] for name in hit_by_attrition(game, self.side, self.pocket)]
            if self.pocket
            else []
        )

    def ask(self, game: Game) -> Events:
        """Ask for the rest."""
        args: dict[str, Any] = {"side": self.side, "steps": self.steps}
        args |= {"combat": self.combat, "role": self.role} if self.combat else {}
        args |= {"pocket": self.pocket} if self.pocket else {}
        text = f"{game.side_name(self.side)}: {some(self.steps, 'step')} more to lose"
        name = f"loss-{self.side}-{game.revision}"
        yield e.Asked(name, to_side(game, self.side), text, "take-losses", args, rule="12.61")


def _losers(ctx: Context) -> list[Unit]:
    """The units a loss may fall on: a combat's force, its first losers, a pocket, or anybody."""
    game = ctx.game
    side = str(ctx.values.get("side") or own_side(ctx))
    number, role = int(ctx.values.get("combat") or 0), str(ctx.values.get("role") or "D")
    pocket = str(ctx.values.get("pocket") or "")
    if pocket:
        return [game.units[name] for name in hit_by_attrition(game, side, pocket)]
    if number and force(game, number, role):
        return first_to_lose(game, number, role) if ctx.values.get("first") else force(game, number, role)
    return [u for u in game.units.values() if u.side == side and u.on_map]


def _only_loser(ctx: Context) -> str:
    """Where there is no choice it is made."""
    found = _losers(ctx)
    return found[0].id if len(found) == 1 else ""


@rules.action(by="any", rule="12.61-12.63", label="Take losses", group="hidden")
def take_losses(
    game: Game,
    chance: Chance,
    side: Annotated[str, SideRef(label="Side", start=own_side, hidden=True)],
    steps: Annotated[int, Whole(label="Steps still to lose", low=1, high=20, hidden=True)],
    combat: COMBAT = 0,
    role: ROLE = "D",
    first: Annotated[bool, Flag(label="First loss of this combat", hidden=True)] = False,
    pocket: Annotated[str, HexId(label="Pocket", hidden=True)] = "",
    unit: Annotated[
        str,
        UnitRef(
            label="Unit",
            pick=_losers,
            start=_only_loser,
            when=lambda c: bool(_losers(c)),
            help="leave it open for a counter that is not on record",
        ),
    ] = "",
    lose_here: Annotated[
        int,
        Whole(
            label="Steps from this unit",
            low=1,
            high=3,
            when=lambda c: bool(_losers(c)),
            quiet=lambda c: c.values.get("steps") == 1,
        ),
    ] = 1,
    no_line: NO_LINE = False,
    seat: str = "",
) -> Events:
    """Choose a unit and take steps off it; what is still owed is asked for again."""
    only_its_own(game, seat, side, "chooses its own losses")
    if not unit:
        yield from _on_the_board(game, Debt(side, steps, combat, role, pocket))
        return
    victim = game.units[unit]
    before = steps_left(game, victim)
    taken = min(lose_here, steps, before)
    yield from lose(game, victim, taken, not no_line, chance, "step loss")
    if rating(game, victim) and before - taken == 2:  # the chit turned in secret; that a step went is seen
        yield e.Noted(f"{game.side_name(side)}: {some(taken, 'step')} taken", rule="12.61")
    yield from nobody_left(game, combat, role)
    rest = Debt(side, steps - taken, combat, role, pocket)
    if rest.steps and (rest.bearers(game) or not (combat or pocket)):
        yield from rest.ask(game)


def _on_the_board(game: Game, debt: Debt) -> Events:
    """Steps that no counter on record lost; where one could have, it must be named."""
    on_record = on_map(game, debt.side) if debt.combat else []  # of a combat that nobody on record fought
    if debt.bearers(game) or on_record:
        raise NotNow("choose the unit that loses steps", field="unit", rule="12.63")
    yield e.Noted(f"{game.side_name(debt.side)} loses {some(debt.steps, 'step')} on the board", rule="12.61")


@rules.action(by="any", rule="2.7", label="Lose steps", group="units")
def lose_steps(
    game: Game,
    chance: Chance,
    unit: Annotated[str, UnitRef(label="Unit", pick=on_the_map())],
    steps: Annotated[int, Whole(label="Steps", low=1, high=3)] = 1,
    no_line: NO_LINE = False,
) -> Events:
    """Take steps off a unit: the chit is turned, the counter becomes a cadre, or it leaves the map."""
    yield from lose(game, game.units[unit], steps, not no_line, chance, "step loss")


@rules.action(by="any", rule="16.3", label="Eliminate a unit", group="units")
def eliminate_unit(
    game: Game,
    unit: Annotated[str, UnitRef(label="Unit", pick=on_the_map())],
    no_line: NO_LINE = False,
) -> Events:
    """Send a unit to the box it belongs in."""
    yield from eliminate(game, game.units[unit], not no_line, "eliminated")
