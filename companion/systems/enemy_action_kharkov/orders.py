"""Giving the command of a card: activation, Kampfgruppe, one unit, reserves, replacements, event [5.2-5.5, 6]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Choice, Context, HexId, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import offer
from companion.engine.positions.pieces import count, on_map
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, put_mark
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov import command as c
from companion.systems.enemy_action_kharkov.base import (
    FORMATION_NAMES,
    SOVIET,
    SOVIET_ARMIES,
    Reason,
    called,
    rules,
)
from companion.systems.enemy_action_kharkov.command import Order
from companion.systems.enemy_action_kharkov.events import play_event
from companion.systems.enemy_action_kharkov.manifest import Card, chosen_card
from companion.systems.enemy_action_kharkov.replacements import candidates
from companion.systems.enemy_action_kharkov.reserves import offer_reserves, reserves
from companion.systems.enemy_action_kharkov.supply import hex_supplied

DEPLOYS = {"army units": 1, "army": 1, "corps": 1, "corps kg": 1, "german army": 1, "army group": 2}
"""How many formations a card deploys; fronts and STAVKA take all of theirs [5.3]."""


def _laid(game: Game) -> bool | str:
    said = c.in_command(game)
    if not said:
        return "play a card first"
    return "what" not in said or "the command is given already"


# -- what a form asks: the card is in play already, or chosen in the same form ---------------------------------


def _card(ctx: Context) -> Card | None:
    """The card the command is about."""
    game = ctx.game
    if game.active not in game.sides:
        return None
    if c.in_command(game):
        return c.played(game)
    known = chosen_card(ctx)
    return c.told(known, ctx.values) if known else None


def _said(ctx: Context) -> str:
    return str(ctx.values.get("what") or "")


def command_choices(ctx: Context) -> list[tuple[str, str]]:
    known = _card(ctx)
    return c.commands(ctx.game, known) if known else []


def _formations(ctx: Context) -> list[tuple[str, str]]:
    game, known, what = ctx.game, _card(ctx), _said(ctx)
    if known is None:
        return []
    closed = c.barred(game, game.active, known, what) if what in c.ACTIVATIONS else []
    every = c.formation_choices(game.active, None if what == "one-unit" else known)
    return [(f, label) for f, label in every if f not in closed]


def _only_one(ctx: Context) -> tuple[str, ...]:
    """The card's one formation is chosen from the start."""
    found = _formations(ctx)
    return (found[0][0],) if len(found) == 1 else ()


def _own(ctx: Context) -> list[Unit]:
    return on_map(ctx.game, ctx.game.active)


def _army(ctx: Context) -> str:
    """The army or corps that is activated as a whole: as chosen, or the card's only one."""
    return next(iter(ctx.values.get("formations") or _only_one(ctx)), "")


def _offered_units(ctx: Context) -> list[Unit]:
    """The units that make sense: of the card's army, around the marker, stacked with the army; none that is barred."""
    game, known, what, own = ctx.game, _card(ctx), _said(ctx), _own(ctx)
    if known is None:
        return own
    if what == "kg":
        return _in_range(ctx)
    if what == "activate":
        army = _army(ctx)
        own = c.stacked_with(game, army, known) if army else []
    if what == "units":
        named = dict(c.formation_choices(game.active, known))
        own = [u for u in own if not u.formation or u.formation in named]
    closed = c.barred(game, game.active, known, what)
    return [u for u in own if u.formation not in closed]


def _in_range(ctx: Context) -> list[Unit]:
    known, marker = _card(ctx), str(ctx.values.get("hex") or "")
    if known is None or not marker:
        return []
    reach = ctx.values.get("reach")
    return c.kampfgruppe(ctx.game, known, marker, _range(ctx) if reach is None else int(reach))


def _all_in_range(ctx: Context) -> list[str] | None:
    return [u.id for u in _in_range(ctx)] if _said(ctx) == "kg" else None


def _deploys_all(known: Card) -> bool:
    """A front card deploys all of its front, STAVKA all there are: nothing is left to name [5.3]."""
    return known.type == "stavka" or (known.type == "front" and bool(known.formation))


def _names_a_formation(ctx: Context) -> bool:
    """Units on record tell their formation themselves."""
    what, known = _said(ctx), _card(ctx)
    if what in ("", "event") or (what == "deploy" and known is not None and _deploys_all(known)):
        return False
    if what == "kg":
        return not (ctx.values.get("hex") and _own(ctx)) or (known is not None and not known.told_whose)
    return what not in ("units", "one-unit") or not ctx.values.get("units")


def _box_open(ctx: Context) -> bool:
    """Which army or corps stands on the card is asked first: then there may be nothing left to name."""
    known = None if c.in_command(ctx.game) else _card(ctx)
    open_ = known is not None and not known.formation and bool(c.of_the_card(known.side, known.type))
    return open_ and _said(ctx) in c.OF_THE_CARD


def _takes_along(ctx: Context) -> bool:
    known = _card(ctx)
    return _said(ctx) == "activate" and known is not None and known.type in ("front", "stavka", "")


def _picks_units(ctx: Context) -> bool:
    what = _said(ctx)
    if what in ("units", "one-unit"):
        return bool(_own(ctx))
    chooses = (what == "kg" and ctx.game["kg-units"] == "may") or _takes_along(ctx)
    return chooses and bool(_offered_units(ctx))


def _along(ctx: Context) -> list[tuple[str, str]]:
    """Armies that a front or STAVKA card can take units of along, named by hand once its own army is [5.2]."""
    game, known, army = ctx.game, _card(ctx), _army(ctx)
    if known is None or not (known.type and army) or game.active != SOVIET or not _takes_along(ctx):
        return []
    front = known.formation if known.type == "front" and game["front-extras"] == "front" else ""
    closed = c.barred(game, SOVIET, known, "activate")
    open_ = [f for f, of in SOVIET_ARMIES.items() if f not in (*closed, army) and (not front or of == front)]
    return [(f, FORMATION_NAMES[f]) for f in open_]


def _events(ctx: Context) -> list[tuple[str, str]]:
    known = _card(ctx)
    return c.event_choices(ctx.game, known) if known else []


def _range(ctx: Context) -> int:
    known = _card(ctx)
    return c.RANGES.get(known.type, c.USUAL_RANGE) if known else c.USUAL_RANGE


def _type_known(ctx: Context) -> bool:
    """The type of a card tells how far its Kampfgruppe reaches [6.2]."""
    known = _card(ctx)
    return known is not None and bool(known.type)


def _places_marker(ctx: Context) -> bool:
    return _said(ctx) == "kg" and bool(_own(ctx))


def _asks_steps(ctx: Context) -> bool:
    known = _card(ctx)
    return (
        _said(ctx) == "replace" and known is not None and known.side != SOVIET and known.steps not in (1, 2)
    )


@dataclass(frozen=True)
class Formation(Choice):
    """Armies on one side, corps on the other; the card and its command stand there, where they are not asked again."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        known, what = _card(ctx), _said(ctx)
        label = "Army" if ctx.game.active == SOVIET else "Corps"
        return {
            **super().describe(ctx),
            "label": label,
            "help": f"{known.label}: {c.COMMANDS[what]}" if known and what in c.COMMANDS else "",
        }


Formations = Annotated[
    tuple[str, ...],
    Formation(
        label="Army or corps",
        options=_formations,
        many=True,
        start=_only_one,
        when=_names_a_formation,
        quiet=lambda ctx: bool(_only_one(ctx)) or _box_open(ctx),
    ),
]
Marker = Annotated[str, HexId(label="KG marker", when=_places_marker)]
Reach = Annotated[
    int | None,
    Whole(label="Range", high=3, start=_range, when=_places_marker, quiet=lambda ctx: _type_known(ctx)),
]
Units = Annotated[
    tuple[str, ...],
    UnitRef(
        label="Units",
        many=True,
        pick=_own,
        suggest=_offered_units,
        start=_all_in_range,
        quiet=lambda ctx: not _picks_units(ctx),
    ),
]
Also = Annotated[
    tuple[str, ...],
    Choice(
        label="Stacked units of other armies come along",
        options=_along,
        many=True,
        when=lambda ctx: not _own(ctx) and bool(_along(ctx)),
    ),
]
Event = Annotated[str, Choice(label="Event", options=_events, when=lambda ctx: _said(ctx) == "event")]
Steps = Annotated[int, Whole(label="Steps", low=1, high=2, when=_asks_steps)]


def against_command(ctx: Context) -> Iterator[Reason]:
    """What the rules have against the units of a command; the cardboard may know better [5.2, 6.1, 6.3]."""
    game, known, what = ctx.game, _card(ctx), _said(ctx)
    chosen = [game.units[u] for u in ctx.values.get("units") or ()]
    if known is None or what in ("", "kg", "event"):
        return
    if what in ("deploy", "replace"):
        yield from _against_others(ctx, known, what)
    elif what == "activate":
        army = _army(ctx)
        along = {u.id for u in c.stacked_with(game, army, known)} if army else set()
        for unit in [u for u in chosen if army and u.formation != army and u.id not in along]:
            yield Reason(f"{called(unit)} cannot come along", "5.2")
    elif what == "units":
        named = dict(c.formation_choices(game.active, known))
        for unit in [u for u in chosen if u.formation and u.formation not in named]:
            yield Reason(f"{called(unit)} is not of {', '.join(named.values())}", "5.2")
        if len({u.place for u in chosen}) > 2:
            yield Reason("an Army Units card activates units in up to two hexes", "5.2")
    elif chosen and hex_supplied(game, game.active, chosen[0].place) is False:
        yield Reason(f"{chosen[0].place} cannot trace supply now", "6.1")
    closed = c.barred(game, game.active, known, what)
    for unit in [u for u in chosen if u.formation in closed]:
        yield Reason(f"{called(unit)}: {unit.formation} was activated in the last impulse", "6.3")


def _against_others(ctx: Context, known: Card, what: str) -> Iterator[Reason]:
    """Reserves and replacements have limits of their own [5.3, 5.5]."""
    names = ctx.values.get("formations") or ()
    most = DEPLOYS.get(known.type, len(names)) if what == "deploy" else 1
    if len(names) > most:
        yield Reason(f"this card names {count(most, 'formation')} at most", "5.3, 5.5")
    if "Raus" in names and what == "deploy" and known.formation == "4Pz" and not ctx.game["raus-by-4pz"]:
        yield Reason("Corps Raus stands alone for deployment at this table", "2.21")


@rules.action(
    phase="command",
    by="active",
    rule="5.2-5.5",
    label="Give the command",
    primary=True,
    when=_laid,
    warns=against_command,
)
def give_command(
    game: Game,
    what: Annotated[str, Choice(label="Command", options=command_choices)],
    hex: Marker = "",
    reach: Reach = None,
    units: Units = (),
    formations: Formations = (),
    also: Also = (),
    event: Event = "",
    steps: Steps = 1,
) -> Events:
    """Say what the card is played for; barred formations are not offered."""
    yield from give(game, Order(what, hex, reach, units, formations, also, event, steps), told=False)


def give(game: Game, order: Order, *, told: bool = True) -> Events:
    """The command of the card that lies open [5.2-5.5]; `told` with the card, it is no second line of the log."""
    known, side, what = c.played(game), game.active, order.what
    if what == "event":
        yield from play_event(game, side, order.event, told=told)
        return
    chosen = [game.units[u] for u in order.units]
    if what == "kg" and order.hex:
        reach = c.RANGES.get(known.type, c.USUAL_RANGE) if order.reach is None else order.reach
        chosen = _kampfgruppe(game, known, order, reach)
        yield e.Marked(order.hex, "kg", reach, reason=IN_PASSING, rule="6.2")
    printed = tuple(f for f, _ in c.formation_choices(side, known))
    formations = order.formations or (printed if len(printed) == 1 and what in c.OF_THE_CARD else ())
    if what == "activate":
        chosen = _whole_formation(game, formations, chosen)
    named = [] if chosen and what in ("units", "kg") else [*formations]
    names = tuple(dict.fromkeys([*named, *order.also, *(u.formation for u in chosen if u.formation)]))
    if what == "deploy" and _deploys_all(known):
        names = names or printed
    names = names or formations
    if not names:
        raise Unreadable("which formation? Name at least one army or corps", field="formations", rule="5.2")
    if what not in c.ACTIVATIONS:
        yield from _other_command(game, known, what, names, order.steps, told)
        return
    yield from _activate(game, side, what, names, chosen, told and set(names) <= set(order.formations))


def _kampfgruppe(game: Game, known: Card, order: Order, reach: int) -> list[Unit]:
    """The units around its marker; without any on record its corps are named [6.2]."""
    if not known.told_whose and not order.formations:
        raise Unreadable("whose card is it? Name its army or corps", field="formations", rule="5.2, 6.2")
    chosen = c.kampfgruppe(game, known, order.hex, reach, order.formations)
    if not chosen and not order.formations:
        raise NotNow(
            f"no unit of this card on record within {reach} of {order.hex} may be activated now. "
            "Leave the marker out to name its corps",
            field="hex",
            rule="6.2, 6.3",
        )
    if game["kg-units"] == "may" and order.units:
        return [u for u in chosen if u.id in order.units]
    return chosen


def _other_command(
    game: Game, known: Card, what: str, names: tuple[str, ...], steps: int, told: bool
) -> Events:
    """Reserves and replacements: no activation [6.3], and limits of their own [5.3, 5.5]."""
    side, text = game.active, ", ".join(FORMATION_NAMES[f] for f in names)
    if what == "replace":
        steps = 1 if side == SOVIET else known.steps or steps
    said = {**c.in_command(game), "what": what, "for": list(names), "steps": steps}
    yield e.Set("command", said, reason=IN_PASSING if told else text)
    if what == "deploy":
        if reserves(game, side):
            yield from offer_reserves(game, side)
        else:
            yield offer(game, side, f"Place the reserves of {text}", rule="11.1")
    else:
        action = "replace-steps" if candidates(game, side, list(names)) else ""
        yield offer(game, side, f"Assign {count(steps, 'step')} in {text}", action, rule="13.1")


def _whole_formation(game: Game, formations: tuple[str, ...], extra: list[Unit]) -> list[Unit]:
    """All units of one army or corps, with stacked ones that the card lets come along [5.2]."""
    if len(formations) != 1:
        raise Unreadable("name the one army or corps that is activated", field="formations", rule="5.2")
    own = [u for u in on_map(game, game.active) if u.formation == formations[0]]
    return list({u.id: u for u in [*own, *extra]}.values())


def _activate(
    game: Game, side: str, what: str, names: tuple[str, ...], chosen: list[Unit], told: bool
) -> Events:
    if what == "one-unit":
        if len(chosen) > 1 or len(names) > 1:
            raise Unreadable("one unit only", field="units", rule="6.1")
        yield e.Set(f"one-unit-{side}", game.turn, was=game[f"one-unit-{side}"], reason=IN_PASSING)
        yield from _live_supply(game, side, chosen)
    text = ", ".join(FORMATION_NAMES[f] for f in names)
    said = {**c.in_command(game), "what": what, "for": list(names), "from": {u.id: u.place for u in chosen}}
    yield e.Set("command", said, reason=IN_PASSING if told else f"activates {text}")
    for unit in chosen:
        may = "no-attack" if what == "one-unit" else "on"
        yield put_mark(game, unit.id, "active", may, reason=IN_PASSING, rule="6.0")


def _live_supply(game: Game, side: str, chosen: list[Unit]) -> Events:
    """The unit's hex must trace at this moment; its marker is not what counts [6.1]."""
    if not chosen or hex_supplied(game, side, chosen[0].place) is None:
        yield e.Noted("One unit: see on the map that its hex can trace supply now", rule="6.1")
