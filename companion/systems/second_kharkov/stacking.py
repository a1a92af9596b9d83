"""Stacking: how many to a hex, which armies together, and what overstacking costs [7.1-7.5]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context
from companion.engine.forms.panels import Fact, Panel
from companion.engine.kit.roster import Unit
from companion.engine.once import once
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_unit, seen_units
from companion.systems.second_kharkov.base import GERMAN, PHASES, SOVIET, Reason, rules
from companion.systems.second_kharkov.dead import eliminate
from companion.systems.second_kharkov.units import ARMIES, SIXTH, armies_of, is_172_75, label

LIMIT = {GERMAN: 3, SOVIET: 4}  # [7.1]


def weight(side: str, stack: Sequence[Unit]) -> int:
    """How many units count: 172/75 is free in a 6th Army stack [7.5]."""
    others = [u for u in stack if not is_172_75(u)]
    free = (
        side == GERMAN
        and len(others) < len(stack)
        and all(u.formation in ("", SIXTH) for u in others)
        and others
    )
    return len(others) if free else len(stack)


def excess(side: str, stack: Sequence[Unit]) -> int:
    return max(0, weight(side, stack) - LIMIT[side])


def mixed(stack: Sequence[Unit]) -> Reason | None:
    """What is wrong with a hex that holds more than one army [7.3]."""
    armies = armies_of(u for u in stack if u.formation in ARMIES)
    return Reason(f"armies do not stack: {' + '.join(armies)}", "7.3") if len(armies) > 1 else None


def over_limit(side: str) -> Reason:
    return Reason(f"more than {LIMIT[side]} units", "7.1")


def overstacked(side: str, stack: Sequence[Unit]) -> Reason | None:
    """What is wrong with a stack, None when nothing is."""
    if excess(side, stack):
        return over_limit(side)
    return mixed(stack) if side == GERMAN else None


@once
def crowded(game: Game) -> dict[str, tuple[str, int]]:
    """Every overstacked hex with its side and how many units are too many."""
    found = {}
    for hex_id, stack in game.stacks().items():
        side = stack[0].side
        if over := excess(side, [u for u in stack if u.side == side]):
            found[hex_id] = (side, over)
    return found


@rules.panel
def stacking_warnings(game: Game, seat: str) -> Panel | None:
    """Hexes that break the stacking rules, as far as this seat may look."""
    rows = [
        Fact(hex_id, f"{count(over, 'unit')} too many", "7.1") for hex_id, (_, over) in crowded(game).items()
    ]
    for hex_id, both, germans in _mingled(game):
        if both:
            rows.append(Fact(hex_id, "both sides in one hex", "7.1, 11.4"))
        if wrong := mixed(seen_units(game, germans, seat)):
            rows.append(Fact(hex_id, wrong.words, wrong.rule))
    return Panel("Stacking", rows) if rows else None


@once
def _mingled(game: Game) -> list[tuple[str, bool, list[Unit]]]:
    """Hexes with both sides in them or German units of two armies, whoever sees that; whether both; the German units."""
    found = []
    for hex_id, stack in game.stacks().items():
        if len(stack) > 1:
            both, germans = len({u.side for u in stack}) > 1, [u for u in stack if u.side == GERMAN]
            if both or mixed(germans):
                found.append((hex_id, both, germans))
    return found


def ask_to_remove(game: Game) -> Events:
    """Overstacking found as a phase opens costs the units too many, of the enemy's choice [7.2]."""
    for hex_id, (side, over) in crowded(game).items():
        text = f"{hex_id} is overstacked: {game.side_name(game.other(side))} removes {count(over, 'unit')}"
        if not any(duty.args.get("hex") == hex_id for duty in game.duties(action="remove-overstack")):
            yield owe(game, game.other(side), text, "remove-overstack", rule="7.2", hex=hex_id)


for _phase in PHASES:
    rules.entering(_phase)(ask_to_remove)


ORDINAL = ("top", "second", "third")


def _removable(ctx: Context) -> list[tuple[str, str]]:
    """Units of the overstacked hex whose going makes a difference: 172/75 may count for nothing [7.5].

    He chooses among all of them [7.2], but what lies under the top unit has no name for him [7.6].
    """
    game, hex_id = ctx.game, str(ctx.args.get("hex", ""))
    side, _ = crowded(game).get(hex_id, ("", 0))
    stack, found = _stack(game, hex_id, side), []
    for place, unit in enumerate(stack):
        if weight(side, [u for u in stack if u is not unit]) == weight(side, stack):
            continue
        if may_see_unit(game, unit, ctx.seat):
            found.append((unit.id, label(unit)))
        else:
            where = ORDINAL[place] if place < len(ORDINAL) else f"{place + 1}th"
            found.append((f"{hex_id}#{place}", f"{where} from the top"))
    return found


def _stack(game: Game, hex_id: str, side: str) -> list[Unit]:
    return [u for u in game.units_at(hex_id) if u.side == side]


def _chosen(game: Game, name: str) -> Unit:
    """A unit by its id, or by its place in a stack."""
    hex_id, _, place = name.partition("#")
    return _stack(game, hex_id, crowded(game)[hex_id][0])[int(place)] if place else game.units[name]


@rules.follow_up(rule="7.2", label="Remove", still=lambda game, duty: duty.args.get("hex") in crowded(game))
def remove_overstack(
    game: Game,
    duty: e.Asked,
    units: Annotated[tuple[str, ...], Choice(label="Which", many=True, options=_removable)],
) -> Events:
    """Send the units too many to the dead pile: the enemy's choice, no more and no less than needed."""
    going = list({unit.id: unit for unit in (_chosen(game, name) for name in units)}.values())
    hex_id = str(duty.args["hex"])
    side, over = crowded(game)[hex_id]
    rest = [u for u in _stack(game, hex_id, side) if u not in going]
    if excess(side, rest) or any(not excess(side, [*rest, unit]) for unit in going):
        words = f"{hex_id}: {count(over, 'unit')} must go, no fewer and no more than needed"
        raise Unreadable(words, field="units", given=len(going), rule="7.2")
    for unit in going:
        yield from eliminate(game, unit, "7.2", counts=bool(game["overstack-vp"]))
