"""Masks, and what must be told of a stack to the enemy beside it [16.1]."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Flag, HexId
from companion.engine.forms.panels import Fact, Panel
from companion.engine.kit.roster import Unit
from companion.engine.once import once
from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.changes import change
from companion.engine.record.game import Game
from companion.systems.wb95.base import ATTACK, at_hexes, rules, somebody_there
from companion.systems.wb95.zones import touching


def told(game: Game, unit: Unit) -> str:
    """The type; with CEL when the stack is not fortified [16.1.4]."""
    kind = unit.kind or "unit"
    return kind if game.mark(unit.place, "fort") else f"{kind} {unit.steps} CEL"


@rules.panel
def neighbours(game: Game, seat: str) -> Panel | None:
    """What this side may ask about enemy stacks: types beside it, everything of stacks that fought."""
    if seat not in game.sides or not game["fog"] or not game["masking"]:
        return None
    known = _beside(game, seat)
    if game.phase in ATTACK:
        known = known | _fought(game, game.other(seat))
    return Panel("What you are told", [known[place] for place in sorted(known)]) if known else None


@once
def _beside(game: Game, seat: str) -> dict[str, Fact]:
    """Types of the enemy stacks beside this side's, by hex [16.1.4]."""
    enemy = game.other(seat)
    near = _stacks(game, enemy, touching(game, enemy)).items()
    return {p: Fact(p, ", ".join(sorted(told(game, u) for u in stack)), "16.1.4") for p, stack in near}


def _fought(game: Game, enemy: str) -> dict[str, Fact]:
    """All of the stacks that fought in this phase, by hex [16.1.3]."""
    attacked = game.marked("attacked")
    known = game.laid_open | {name for name, fought in game.marked("fought").items() if fought}
    units = filter(None, map(game.units.get, known))
    lying_open = {unit.place for unit in units if unit.side == enemy}
    shown = lying_open | {place for place, fought in attacked.items() if fought}
    return {
        place: Fact(place, ", ".join(f"{u.name} {u.steps} CEL" for u in stack), "16.1.3")
        for place, stack in _stacks(game, enemy, shown).items()
    }


def _stacks(game: Game, side: str, hexes: Iterable[str]) -> dict[str, list[Unit]]:
    """A side's units in these hexes, by hex."""
    stacks: dict[str, list[Unit]] = {}
    for unit in at_hexes(game, side, hexes):
        stacks.setdefault(unit.place, []).append(unit)
    return stacks


def _can_mask(game: Game) -> bool | str:
    return somebody_there(game) if game["masking"] else "masking is not played [16.0]"


@rules.action(
    by="any", rule="16.1.2", label="Mask a stack", group="book-keeping", order=80, secret=True,
    when=_can_mask,
)  # fmt: skip
def mask_stack(
    game: Game,
    hexes: Annotated[tuple[str, ...], HexId(label="Own hexes", many=True)],
    off: Annotated[bool, Flag(label="Take the mask off")] = False,
    seat: str = "",
) -> Events:
    """Cover a stack so that not even its top counter is seen."""
    for hex_id in hexes:
        stack = at_hexes(game, seat, [hex_id])
        if not stack:
            raise NotNow(
                f"none of your units is on record in {hex_id}", field="hexes", given=hex_id, rule="16.1.2"
            )
        for unit in stack:
            yield change(game, unit.id, {"only": () if off else (seat,)}, reason="mask", rule="16.1.2")
        yield e.Marked(hex_id, "masked", None if off else True, rule="16.1.2")


@rules.watch
def empty_masks(game: Game) -> Events:
    """A mask stays with its hex; units that left it, or a hex left empty, lose it."""
    masks = game.marked("masked")
    hidden = [u for u in game.units.values() if u.only and u.place not in masks]
    for unit in hidden:
        yield change(game, unit.id, {"only": ()}, reason="left its mask")
    for hex_id in masks:
        if not game.units_at(hex_id):
            yield e.Marked(hex_id, "masked", None)
