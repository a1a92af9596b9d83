"""Giving the command of a card: activation, Kampfgruppe, one unit, reserves, replacements, event (5.2-5.5, 6)."""

from __future__ import annotations

from typing import Annotated

from companion.engine import events as e
from companion.engine.actions import Events
from companion.engine.errors import NotNow, Unreadable
from companion.engine.fields import Choice, Context, HexId, UnitRef, Whole
from companion.engine.game import Game
from companion.engine.moves import put_mark
from companion.engine.roster import Unit
from companion.systems.enemy_action_kharkov import command as c
from companion.systems.enemy_action_kharkov.base import (
    FORMATION_NAMES,
    SOVIET,
    SOVIET_ARMIES,
    ask,
    on_map,
    rules,
)
from companion.systems.enemy_action_kharkov.manifest import Card
from companion.systems.enemy_action_kharkov.supply import hex_supplied


def _laid(game: Game) -> bool | str:
    said = c.in_command(game)
    if not said:
        return "play a card first"
    return "what" not in said or "the command is given already"


def _what(ctx: Context) -> list[tuple[str, str]]:
    return c.commands(ctx.game, c.played(ctx.game)) if ctx.game and c.in_command(ctx.game) else []


def _formations(ctx: Context) -> list[tuple[str, str]]:
    game = ctx.game
    if game is None or not c.in_command(game):
        return []
    what = str(ctx.values.get("what") or "")
    known = None if what == "one-unit" else c.played(game)
    closed = c.barred(game, game.active, c.played(game), what) if what in ACTIVATIONS else {}
    return [(f, label) for f, label in c.formation_choices(game, game.active, known) if f not in closed]


DEPLOYS = {"army units": 1, "army": 1, "corps": 1, "corps kg": 1, "german army": 1, "army group": 2}
"""5.3: how many formations a card deploys; fronts and STAVKA take all of theirs."""
ACTIVATIONS = ("activate", "units", "kg", "one-unit")


def _along(ctx: Context) -> list[tuple[str, str]]:
    """5.2: armies that a front or STAVKA card can take units of along, named by hand."""
    game = ctx.game
    if game is None or game.active != SOVIET or not c.in_command(game):
        return []
    known = c.played(game)
    if known.type not in ("front", "stavka", ""):
        return []
    front = known.formation if known.type == "front" and game["front-extras"] == "front" else ""
    closed = c.barred(game, SOVIET, known)
    open_ = [f for f, of in SOVIET_ARMIES.items() if f not in closed and (not front or of == front)]
    return [(f, FORMATION_NAMES[f]) for f in open_]


def _own(ctx: Context) -> list[Unit]:
    return on_map(ctx.game, ctx.game.active) if ctx.game else []


def _events(ctx: Context) -> list[tuple[str, str]]:
    return c.event_choices(ctx.game, c.played(ctx.game)) if ctx.game and c.in_command(ctx.game) else []


def _range(ctx: Context) -> int:
    return c.RANGES.get(c.played(ctx.game).type, 2) if ctx.game and c.in_command(ctx.game) else 2


@rules.action(
    phase="command", by="active", rule="5.2-5.5", label="Give the command", primary=True, when=_laid
)
def give_command(
    game: Game,
    what: Annotated[str, Choice(label="Command", options=_what)],
    formations: Annotated[
        tuple[str, ...],
        Choice(
            label="Formations",
            options=_formations,
            many=True,
            help="army or corps; for a Kampfgruppe every corps that takes part",
            when=lambda c: str(c.values.get("what") or "") != "event",
        ),
    ] = (),
    hex: Annotated[str, HexId(label="KG marker", when=lambda c: c.values.get("what") == "kg")] = "",
    reach: Annotated[
        int | None, Whole(label="Range", high=3, start=_range, when=lambda c: c.values.get("what") == "kg")
    ] = None,
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Units",
            many=True,
            pick=_own,
            help="only with positions on record: the one unit, the units in two hexes, or those stacked with the army",
            when=lambda c: c.values.get("what") in ("activate", "units", "one-unit"),
        ),
    ] = (),
    also: Annotated[
        tuple[str, ...],
        Choice(
            label="Armies of stacked units that come along",
            options=_along,
            many=True,
            when=lambda c: c.values.get("what") == "activate" and bool(_along(c)),
        ),
    ] = (),
    event: Annotated[
        str, Choice(label="Event", options=_events, when=lambda c: c.values.get("what") == "event")
    ] = "",
    steps: Annotated[
        int, Whole(label="Steps", low=1, high=2, when=lambda c: c.values.get("what") == "replace")
    ] = 1,
) -> Events:
    """Say what the card is played for; barred formations are refused."""
    known, side = c.played(game), game.active
    chosen = [game.units[u] for u in units]
    if what == "event":
        if not event:
            raise Unreadable("which event?", field="event")
        yield from _event(game, side, event)
        return
    if what == "kg" and hex:
        reach = _range(Context(game)) if reach is None else reach
        chosen = c.kampfgruppe(game, known, hex, reach)
        yield e.Marked(hex, "kg", reach, reason="Kampfgruppe", rule="6.2")
    if what == "activate":
        chosen = _whole_formation(game, formations, chosen)
    names = tuple(dict.fromkeys([*formations, *also, *(u.formation for u in chosen if u.formation)]))
    if not names:
        raise Unreadable("which formation? Name at least one army or corps", field="formations")
    if what in ACTIVATIONS:
        closed = [f for f in names if f in c.barred(game, side, known, what)]
        if closed:
            raise NotNow(
                f"{', '.join(closed)} was activated in the last {side} impulse [6.3]", field="formations"
            )
        yield from _activate(game, side, what, names, chosen)
        return
    yield from _other_command(game, known, what, names, steps)


def _other_command(game: Game, known: Card, what: str, names: tuple[str, ...], steps: int) -> Events:
    """Reserves and replacements: no activation (6.3), and limits of their own (5.3, 5.5)."""
    side, text = game.active, ", ".join(FORMATION_NAMES[f] for f in names)
    most = DEPLOYS.get(known.type, len(names)) if what == "deploy" else 1
    if len(names) > most:
        raise Unreadable(f"this card names {most} formation(s) at most [5.3, 5.5]", field="formations")
    if "Raus" in names and what == "deploy" and known.formation == "4Pz" and not game["raus-by-4pz"]:
        raise NotNow("Corps Raus stands alone for deployment at this table [2.21]", field="formations")
    if what == "replace":
        steps = 1 if side == SOVIET else known.steps or steps
    said = {**c.in_command(game), "what": what, "for": list(names), "steps": steps}
    yield e.Set("command", said, reason=text)
    to = (side, "table")
    if what == "deploy":
        yield ask(game, "deploy", to, f"Place the reserves of {text}", "deploy-reserve", "11.1")
    else:
        yield ask(game, "replace", to, f"Assign {steps} step(s) in {text}", "replace-steps", "13.1")


def _whole_formation(game: Game, formations: tuple[str, ...], extra: list[Unit]) -> list[Unit]:
    """5.2: all units of one army or corps, with stacked ones that the card lets come along."""
    if len(formations) != 1:
        raise Unreadable("name the one army or corps that is activated", field="formations")
    own = [u for u in on_map(game, game.active) if u.formation == formations[0]]
    allowed = {u.id for u in c.stacked_with(game, formations[0], c.played(game), ())}
    wrong = [u.name or u.id for u in extra if u.formation != formations[0] and u.id not in allowed]
    if wrong:
        raise Unreadable(f"{', '.join(wrong)} cannot come along: see 5.2", field="units")
    return list({u.id: u for u in [*own, *extra]}.values())


def _activate(game: Game, side: str, what: str, names: tuple[str, ...], chosen: list[Unit]) -> Events:
    if what == "one-unit":
        if len(chosen) > 1 or len(names) > 1:
            raise Unreadable("one unit only [6.1]", field="units")
        yield e.Set(
            f"one-unit-{side}", game.turn, was=game[f"one-unit-{side}"], reason="used for this turn [6.1]"
        )
        yield from _live_supply(game, side, chosen)
    if what == "units" and len({u.place for u in chosen}) > 2:
        raise Unreadable("units in up to two hexes [5.2]", field="units")
    text = ", ".join(FORMATION_NAMES[f] for f in names)
    said = {**c.in_command(game), "what": what, "for": list(names), "from": {u.id: u.place for u in chosen}}
    yield e.Set("command", said, reason=f"activates {text}")
    for unit in chosen:
        yield put_mark(game, unit.id, "active", "no-attack" if what == "one-unit" else "on", rule="6.0")


def _live_supply(game: Game, side: str, chosen: list[Unit]) -> Events:
    """6.1: the unit's hex must trace at this moment; its marker is not what counts."""
    can = hex_supplied(game, side, chosen[0].place) if chosen else None
    if can is False:
        raise NotNow(f"{chosen[0].place} cannot trace supply now [6.1]", field="units")
    if can is None:
        yield e.Noted("One unit: see on the map that its hex can trace supply now", rule="6.1")


FOLLOW_UP = {
    "air supply": ("air-supply", "Choose the unit or stack that is supplied again", "10.3"),
    "engineers": ("engineers", "Place or remove up to three improved positions", "12.21, 12.24"),
    "forward support": ("forward-support", "Place a forward support marker on the line", "10.43"),
    "air interdiction": ("air-interdiction", "Take one forward support marker off", "10.44"),
    "partisan uprising": ("disperse", "Disperse the Germans the aid allows", "9.9"),
    "over extended": ("disperse", "Disperse the Soviets the aid allows", "9.9"),
}


def _event(game: Game, side: str, event: str) -> Events:
    yield e.Set("command", {**c.in_command(game), "what": "event", "event": event}, reason=f"event: {event}")
    if event == "nkvd":
        yield e.Set("nkvd-turn", game.turn, was=game["nkvd-turn"], reason="NKVD chits apply this turn [9.4]")
    elif event in FOLLOW_UP:
        action, text, rule = FOLLOW_UP[event]
        yield ask(game, action, (side, "table"), text, action, rule)
    else:
        yield e.Noted(f"{event.capitalize()}: carry it out as the card and the events aid say", rule="5.4")
