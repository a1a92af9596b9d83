"""A headquarters' bridge over a big river: prepared, declared in secret, completed a turn later [14.3.2-14.3.4]."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated

from companion.engine.forms.fields import Context, HexId, UnitRef
from companion.engine.forms.panels import Fact, Panel
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import on_map
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.wb95.base import (
    AIR,
    ATTACK,
    BARRAGE,
    MOVE,
    STRATEGIC,
    SUPPLY,
    active_units,
    at_hexes,
    is_hq,
    is_regular,
    rules,
)
from companion.systems.wb95.bridges import big, pair, played
from companion.systems.wb95.moments import Moment, now
from companion.systems.wb95.zones import zones

READY = "ready"


@dataclass(frozen=True)
class Work:
    """How far a headquarters' bridge has come [14.3.2]."""

    name: str
    """The two hexes that it will join; before they are declared, that it is ready to build."""
    day: int
    place: str
    lost: Moment | None = None
    """When the far hex was found not to be held."""

    @property
    def ready(self) -> bool:
        return self.name == READY

    @property
    def far(self) -> str:
        """The hex on the other bank."""
        return next((h for h in self.name.split("-") if h != self.place), "")


def works(game: Game, side: str) -> dict[str, Work]:
    """The bridges that a side's headquarters are at work on, by headquarters."""
    found = {}
    for hq, name in game.marked("bridgework").items():
        day, place, lost = (game.mark(hq, m) for m in ("bridge-since", "bridge-from", "bridge-lost"))
        if hq in game.units and game.units[hq].side == side and game.units[hq].on_map and place:
            found[hq] = Work(str(name), int(day), str(place), Moment.of(int(lost)) if lost else None)
    return found


def _keep(game: Game, hq: str, step: Work | None) -> Events:
    """Note how far it has come, told to its side alone."""
    told = {
        "bridgework": step and step.name,
        "bridge-since": step and step.day,
        "bridge-from": step and step.place,
        "bridge-lost": int(step.lost) if step and step.lost else None,
    }
    for marker, value in told.items():
        if game.mark(hq, marker) != value:
            reason = "" if marker == "bridgework" else IN_PASSING
            yield e.Marked(hq, marker, value, reason=reason, rule="14.3.2", only=(game.units[hq].side,))


def _headquarters(ctx: Context) -> list[Unit]:
    return [u for u in active_units(ctx) if is_hq(u)]


def _at_work(ready: bool) -> UnitRef:
    """A headquarters whose bridge has come so far; not asked where there is just one."""

    def those(ctx: Context) -> list[Unit]:
        steps = works(ctx.game, ctx.game.active)
        return [u for u in _headquarters(ctx) if u.id in steps and steps[u.id].ready == ready]

    return UnitRef(
        label="Headquarters",
        pick=those,
        start=lambda c: found[0].id if len(found := those(c)) == 1 else "",
        quiet=lambda c: len(those(c)) == 1,
    )


def _only_one(ctx: Context) -> str:
    found = _headquarters(ctx)
    return found[0].id if len(found) == 1 else ""


Hq = Annotated[
    str,
    UnitRef(label="Headquarters", pick=_headquarters, start=_only_one, quiet=lambda c: bool(_only_one(c))),
]
ReadyHq = Annotated[str, _at_work(ready=True)]
BuildingHq = Annotated[str, _at_work(ready=False)]


def _can_prepare(game: Game) -> bool | str:
    if not game["bridges"]:
        return played(game)
    there = any(is_hq(u) for u in on_map(game, game.active)) if game.active else False
    return there or "no headquarters of this side is on record"


def _prepared(game: Game) -> bool | str:
    if not game["bridges"]:
        return played(game)
    ready = any(s.ready for s in works(game, game.active).values())
    return ready or "no headquarters stood ready at a bank [14.3.2]"


def _declared(game: Game) -> bool | str:
    if not game["bridges"]:
        return played(game)
    due = any(not s.ready and s.day < game.turn for s in works(game, game.active).values())
    return due or "no bridge was declared a turn ago [14.3.2]"


_building = partial(rules.action, by="active", rule="14.3.2", secret=True)
"""What a headquarters does for its bridge, on its side's own phone."""


def _banks(game: Game, hex_id: str) -> list[str]:
    """The hexes across a big river, as far as the map book has one."""
    return [h for h in game.maps.neighbours(hex_id) if big(game, (hex_id, h))]


def _rivers_known(game: Game) -> bool:
    """Whether the map book has any big river, so that a bank can be told from another hex."""
    return any({"doniec", "big river"} & waters for waters in board(game).features.values())


def _off_the_bank(ctx: Context) -> list[str]:
    game, unit = ctx.game, ctx.game.units.get(str(ctx.values.get("unit") or ""))
    if unit is None or not _rivers_known(game) or _banks(game, unit.place):
        return []
    return [f"{unit.name} in {unit.place} does not stand at a big river (14.3.2)"]


@_building(
    phase=SUPPLY,
    label="Prepare an HQ bridge",
    group="book-keeping",
    order=30,
    when=_can_prepare,
    warns=_off_the_bank,
)
def begin_bridge(game: Game, unit: Hq) -> Events:
    """A headquarters at the bank of a big river may build in its next two movement phases."""
    held = game.units[unit]
    yield from _keep(game, unit, Work(READY, game.turn, held.place))


def _against_declaring(ctx: Context) -> list[str]:
    """From the bank where it stood ready, over a big river, one headquarters a bridge [14.3.2-14.3.4]."""
    game, hexes = ctx.game, tuple(ctx.values.get("hexes") or ())
    unit = game.units.get(str(ctx.values.get("unit") or ""))
    if unit is None or len(hexes) != 2:
        return []
    steps, found = works(game, unit.side), []
    if unit.place != steps[unit.id].place or unit.place not in hexes:
        found.append(
            f"{unit.name} stays on its bank {steps[unit.id].place}, and the bridge starts there (14.3.4)"
        )
    if _rivers_known(game) and not big(game, hexes):
        found.append(f"no big river runs between {' and '.join(hexes)} (14.3.2)")
    if any(s.name == "-".join(sorted(hexes)) for hq, s in steps.items() if hq != unit.id):
        found.append("another headquarters builds this bridge (14.3.3)")
    return found


def _over(ctx: Context) -> list[str]:
    """The only bridge that can be built from where the headquarters stands."""
    unit = ctx.game.units.get(str(ctx.values.get("unit") or ""))
    banks = _banks(ctx.game, unit.place) if unit else []
    return [unit.place, banks[0]] if unit and len(banks) == 1 else []


@_building(phase=MOVE, label="Declare an HQ bridge", order=32, when=_prepared, warns=_against_declaring)
def declare_bridge(
    game: Game,
    unit: ReadyHq,
    hexes: Annotated[tuple[str, ...], HexId(label="The two hexes it joins", many=True, start=_over)],
) -> Events:
    """Note in secret which hexes the bridge will join; the headquarters spends all its movement."""
    held = game.units[unit]
    yield from _keep(game, unit, Work(pair(game, hexes), game.turn, held.place))


def _held(game: Game, side: str, step: Work) -> bool:
    """Whether the far hex is controlled: out of enemy zones, or regular units on both banks [14.3.2]."""
    both = all(any(map(is_regular, at_hexes(game, side, [h]))) for h in (step.place, step.far))
    enemy = game.other(side)
    return both or not (step.far in zones(game, enemy) or at_hexes(game, enemy, [step.far]))


def _look_across(game: Game) -> Events:
    """Control of the far hex lasts from the declaration to the next movement, looked at as phases end [14.3.2]."""
    for side in game.sides:
        for hq, step in works(game, side).items():
            if not step.ready and not step.lost and not _held(game, side, step):
                yield from _keep(game, hq, replace(step, lost=now(game)))


for _phase in (*AIR, *BARRAGE, *MOVE, *ATTACK, *STRATEGIC, *SUPPLY):
    rules.leaving(_phase)(_look_across)


def _against_completing(ctx: Context) -> list[str]:
    """The headquarters stayed, the far hex was held all the time, and a turn has passed [14.3.2, 14.3.4]."""
    game, unit = ctx.game, ctx.game.units.get(str(ctx.values.get("unit") or ""))
    if unit is None:
        return []
    step, found = works(game, unit.side)[unit.id], []
    if step.day >= game.turn:
        found.append("it was declared in this turn (14.3.2)")
    if unit.place != step.place:
        found.append(f"{unit.name} left {step.place}: the work is lost (14.3.4)")
    if step.lost:
        found.append(f"{step.far} was not controlled in {step.lost} (14.3.2)")
    elif not _held(game, unit.side, step):
        found.append(f"{step.far} is not controlled: an enemy zone reaches it (14.3.2)")
    return found


@_building(phase=MOVE, label="Complete an HQ bridge", order=33, when=_declared, warns=_against_completing)
def complete_bridge(game: Game, unit: BuildingHq) -> Events:
    """A turn after the declaration, with the far hex controlled all the time, the bridge stands and can be used."""
    held = game.units[unit]
    step = works(game, held.side)[unit]
    built = "built by a headquarters, all MP spent"
    yield e.Marked(step.name, "bridge", held.side, reason=built, rule="14.3.2")
    yield from _keep(game, unit, None)


@rules.panel
def works_panel(game: Game, seat: str) -> Panel | None:
    """A side's own secret building."""
    rows = []
    for hq, step in works(game, seat).items():
        words = f"{step.name} since day {step.day}{f', {step.far} lost in {step.lost}' if step.lost else ''}"
        rows.append(Fact(f"{game.units[hq].name}: bridge", words, "14.3.2"))
    return Panel("Bridges being built", rows) if rows and game["bridges"] else None
