"""What a seat is offered: the actions it may do now, and what the game itself tells it."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from companion.engine.forms.fields import Context, Dice, Field
from companion.engine.forms.panels import Panel
from companion.engine.guard import name_of
from companion.engine.play.actions import Action
from companion.engine.play.rules import Rules
from companion.engine.record.game import Game
from companion.engine.seat import shapes

if TYPE_CHECKING:
    from companion.engine.seat.view import SeatView

Offered = tuple[Action, shapes.ActionView | None]


def offered(seen: SeatView) -> list[shapes.ActionView]:
    """The actions this seat may do now; only what depends on who looks is worked out for each seat."""
    game, seat, worked = seen._game, seen.seat, seen._game.worked
    found, mine = list[shapes.ActionView | None](), dict[Any, bool]()
    possible, doubtful = worked.find(game, "possible", partial(_possible, seen._rules, game))
    for a in doubtful:  # it fails again, and the seat hears of it
        seen.guard.part(a.label, partial(a.refusal, game, seat), None)
    for a, offer in possible:
        if offer is not None:
            whose = (a.by, a.secret)
            if whose not in mine:  # asked once for all that it is the same of
                mine[whose] = a.not_yours(game, seat) is None
            if mine[whose]:
                found.append(offer)
        elif held := worked.recall((a.name, seat)):
            found.append(held.value)
        else:
            keep = partial(worked.find, game, (a.name, seat), partial(_offer, a, game, seat))
            found.append(seen.guard.part(a.label, keep, None))
    return [offer for offer in found if offer is not None]


def _possible(rules: Rules, game: Game) -> tuple[list[Offered], list[Action]]:
    """What can be done now, whoever may do it, in the order it is shown in; and that of which it cannot be told."""
    possible, doubtful, find = [], list[Action](), game.worked.find
    phase, goes_on = game.phase, not game.ended
    for a, offer in _all_offers(rules, game["mode-dice"] == "digital"):
        if not a.phases or phase in a.phases:
            try:
                if (goes_on and a.when is None) or not find(game, (a.name, "now"), partial(a.not_now, game)):
                    possible.append((a, offer))
            except Exception:  # noqa: BLE001 - whoever may do it is told
                doubtful.append(a)
    return possible, doubtful


@lru_cache(100)
def _all_offers(rules: Rules, rolled: bool) -> list[Offered]:
    """All that is offered at any time, in order, each as every seat sees it; None where that depends on who looks."""
    found = (a for a in rules.actions.values() if a.group != "hidden" and a.follow_up is None)
    shown = sorted(found, key=lambda a: (not a.primary, a.order, a.label))
    asks = {a.name: callable(a.by) or any(f.when for f in _asked(a, rolled)) for a in shown}
    return [(a, None if asks[a.name] else _as_offered(a, rolled)) for a in shown]


def _offer(action: Action, game: Game, seat: str) -> shapes.ActionView | None:
    yours = action.not_yours(game, seat) is None
    return _as_offered(action, game["mode-dice"] == "digital", Context(game, seat)) if yours else None


def _as_offered(action: Action, rolled: bool, here: Any = None) -> shapes.ActionView:
    return _with_fields(action, sum(1 for f in _asked(action, rolled) if f.when is None or f.when(here)))


@lru_cache(4_000)
def _with_fields(action: Action, asked: int) -> shapes.ActionView:
    """An action with how many fields its form would show; with none, and no worksheet to look at, a button does it."""
    fields = asked if action.worksheet is None else len(action.fields)
    return shapes.ActionView.of(action, fields=fields, now=bool(action.phases))


@lru_cache(4_000)
def _asked(action: Action, rolled: bool) -> list[Field]:
    """What a form without a worksheet asks at most: no dice where the companion rolls them."""
    fields = action.fields.values() if action.worksheet is None else ()
    return [f for f in fields if not f.hidden and not (rolled and isinstance(f, Dice))]


def panels(seen: SeatView) -> list[Panel]:
    game, worked, for_all, found = seen._game, seen._game.worked, seen._rules.for_all, []
    for make in seen._rules.panels:
        key = (make,) if make in for_all else (make, seen.seat)
        held = worked.recall(key)
        if held is None:
            keep = partial(worked.find, game, key, partial(make, game, *key[1:]))
        found.append(held.value if held else seen.guard.part(name_of(make), keep, None))
    return [panel for panel in found if panel]
