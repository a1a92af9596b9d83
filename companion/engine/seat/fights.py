"""Duties and battles as a seat sees them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from companion.engine.alike import counted
from companion.engine.errors import Mistake
from companion.engine.forms.fields import Context, Roll
from companion.engine.forms.worksheet import Breakdown, Line
from companion.engine.kit.roster import Unit
from companion.engine.once import once
from companion.engine.people.clocks import holds_up
from companion.engine.people.consent import voices
from companion.engine.plain import altered
from companion.engine.play.actions import Action
from companion.engine.record import sight
from companion.engine.record.battle import ALSO, Battle
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.events import Asked, seen_by
from companion.engine.record.game import Game
from companion.engine.seat import shapes

if TYPE_CHECKING:
    from companion.engine.seat.view import SeatView


def duties(seen: SeatView) -> list[shapes.DutyView]:
    game, seat = seen._game, seen.seat
    return [
        _duty(seen, ask)
        for ask in game.asked.values()
        if seat in (ask.only or (seat,)) and (seat in ask.to or not ask.only)
    ]


def _duty(seen: SeatView, ask: Asked) -> shapes.DutyView:
    game, seat, action = seen._game, seen.seat, seen._rules.actions.get(ask.action)
    mine, live = seat in ask.to, game.is_live(ask)
    form = seen.guard.part(ask.text, lambda: _form(game, seat, action, ask), None) if mine and live else []
    return shapes.DutyView.of(
        ask,
        label=action.label if action else "",
        args=dict(ask.args) if mine else {},
        form=form or [],
        fields=1 if form is None else len(_shown(form)),
        at_once=form is not None
        and action is not None
        and _at_once(Context(game, seat, duty=ask), action, form),
        told=action is not None and action.follow_up is not None,
        to=list(ask.to),
        to_words=voices(game, ask.to),
        mine=mine,
        live=live,
        consent=ask.is_consent,
        asker=str(ask.args.get("asker", "")),
    )


def _shown(form: list[dict[str, Any]]) -> list[str]:
    return [row["name"] for row in form if not row["hidden"] and not row["quiet"]]


def _at_once(ctx: Context, action: Action, form: list[dict[str, Any]]) -> bool:
    """Whether the one field that is shown is all there is to say, whatever the answer to it."""
    shown = _shown(form)
    if len(shown) != 1:
        return False
    if len(form) == len(action.fields):
        return True
    asked = next(row for row in form if row["name"] == shown[0])
    answers = [choice["value"] for choice in asked.get("choices", ())] or ["on", ""]
    return all(_shown(action.describe(ctx, {shown[0]: answer})) == shown for answer in answers[:12])


def _form(game: Game, seat: str, action: Action | None, ask: Asked) -> list[dict[str, Any]] | None:
    """What is left to say to a duty; None where its form is more than fields, or cannot be opened now."""
    if action is None or action.refusal(game, seat, ask) is not None:
        return None
    form = action.describe(Context(game, seat, duty=ask), {} if action.follow_up else ask.args)
    if action.worksheet is None:
        return form
    asked = {row["type"] for row in form if row["name"] in _shown(form)}
    return form if ask.battle and asked <= {"dice"} else None  # its battle shows the calculation


def awaits(seen: SeatView) -> shapes.AwaitedView:
    """Whom the table waits for, as this seat reads it: first what keeps the game from going on, then whose move it is."""
    game, seat = seen._game, seen.seat
    if game.ended:
        return shapes.AwaitedView("the game is over", False)
    asked = [a for a in game.asked.values() if game.is_live(a) and (a.is_consent or holds_up(game, a))]
    if any(seat in a.to for a in asked) and seat in game.sides:
        return shapes.AwaitedView("your answer", True, True)
    # battles first, and of them the one that is furthest: others wait until it is settled
    held_up = sorted((a for a in asked if not a.is_consent), key=lambda a: (not a.battle, -a.step))
    if held_up:
        more = f", and {len(held_up) - 1} more" if len(held_up) > 1 else ""
        return shapes.AwaitedView(f"waiting for {_told(game, held_up[0], seat).rstrip('.?')}{more}", False)
    if seat in seen.movers:
        return shapes.AwaitedView("your move", True)
    if seat in game.sides and any(seat in a.to and game.is_live(a) for a in game.asked.values()):
        return shapes.AwaitedView("your answer", True, True)
    return shapes.AwaitedView(f"{' and '.join(map(game.side_name, seen.movers))} to move", False)


def battles(seen: SeatView) -> list[shapes.BattleView]:
    """Every battle of which something is open, oldest first, and last the newest even when nothing is."""
    game = seen._game
    shown = {max(game.battles, default=0), *(a.battle for a in game.duties())}
    return [_battle(seen, battle) for battle in game.battles.values() if battle.id in shown]


def _battle(seen: SeatView, battle: Battle) -> shapes.BattleView:
    game, seat, also = seen._game, seen.seat, battle.facts.get(ALSO, {})
    forces = {
        side: counted([*map(_standing, _fought(game, battle, side, seat)), *also.get(side, ())])
        for side in battle.forces
        if battle.opened or seat in battle.known_to.get(side, (seat,))
    }
    open_duties = sorted(game.duties(battle), key=lambda a: a.step)
    told = [(_told(game, a, seat), a.step == open_duties[0].step, seat not in a.to) for a in open_duties]
    return shapes.BattleView.of(
        battle,
        forces=forces,
        sheet=seen.guard.part(battle.title, lambda: _sheet(seen, battle), None),
        rolls=[_chance(seen, battle, body) for body in battle.rolls],
        waits=_named(words for words, live, _ in told if live),
        others=_named(words for words, live, other in told if live and other),
        then=_named(words for words, live, _ in told if not live),
        over=game.is_over(battle),
    )


def _named(told: Iterable[str]) -> list[str]:
    """Without a bare side where something of the same side is named."""
    words = list(dict.fromkeys(told))
    return [one for one in words if not any(other.startswith(f"{one}:") for other in words)]


def _fought(game: Game, battle: Battle, side: str, seat: str) -> list[Unit]:
    """A side's units in a battle. Until its phase is over all know who lay open in it, whatever covers him since."""
    units = [game.units[n] for n in battle.units(side) if n in game.units]
    told = battle.opened and side not in battle.known_to
    fresh = told and (battle.turn, battle.phase) == (game.turn, game.phase)
    return units if fresh else sight.seen_units(game, units, seat)


def _standing(unit: Unit) -> str:
    """A unit's name, and whether nothing is left of it."""
    return f"{unit.name or unit.id}{'' if unit.steps else ' (eliminated)'}"


def _told(game: Game, ask: Asked, seat: str) -> str:
    """A duty as the others read it: who must do what; of a hidden one only who."""
    side = next((game.side_name(s) for s in ask.to if s in game.sides), "the table")
    if ask.only and seat not in ask.only:
        return side
    if ask.action == "enter-result":
        return f"{side}: read the printed chart"  # where on it stands with the dice
    battle = game.battles.get(ask.battle)
    text = ask.text.removeprefix(f"{battle.title}: ") if battle else ask.text
    if text.startswith(side):
        return text
    text = text[:1].lower() + text[1:] if text[1:2].islower() else text
    return f"{side}: {text}"


def _sheet(seen: SeatView, battle: Battle) -> Breakdown | None:
    """A battle's calculation as it was recorded, or before that as this seat may know it.

    Once something has come of it, that is told instead of what the result would mean; what is still open is asked.
    """
    if battle.sheet:
        if seen.seat not in (battle.sheet_for or (seen.seat,)):
            return None
        sheet, deeds = _calculation(seen._game, battle.id), seen._rules.battle_deeds
        if deeds is not None and battle.result:
            return altered(sheet, effects=list(deeds(seen._game, battle, seen.seat)))
        return altered(sheet, effects=_came_of(battle, seen.seat)) if battle.notes else sheet
    make = seen._rules.battle_sheet
    if make is None or battle.result:
        return None
    try:
        return make(seen._game, battle, seen.seat)
    except Mistake:
        return None  # not enough is known yet


@once
def _calculation(game: Game, battle: int) -> Breakdown:
    """A battle's calculation as it was recorded; what it came to for a seat goes into a sheet of its own."""
    return shapes.sheet_of(game.battles[battle].sheet)


def _came_of(battle: Battle, seat: str) -> list[Line]:
    told = [seen_by(body, seat) for body in battle.notes]
    return [Line(str(body["text"]), rule=str(body.get("rule", ""))) for body in told if "text" in body]


def _chance(seen: SeatView, battle: Battle, body: dict[str, Any]) -> shapes.ChanceView:
    shown = seen_by(body, seen.seat)
    by_hand = body.get("mode") == "physical"
    if body["kind"] == "rolled":
        values = [int(v) for v in shown.get("values", ())]
        known = bool(values) or "sum" in shown
        roll = Roll(str(body["dice"]), tuple(values), sum=shown.get("sum"))
        purpose, total = str(body.get("purpose", "")), roll.total if known and not body.get("each") else None
        return shapes.ChanceView(purpose, str(body["dice"]), values, total, by_hand, [], 0)
    pile = str(body["pile"])
    faces = [shapes.TokenView(t, _face(seen, battle, pile, t)) for t in map(str, shown.get("tokens", ()))]
    reason = str(body.get("reason", ""))
    return shapes.ChanceView(
        "" if reason == IN_PASSING else reason, "", [], None, by_hand, faces, int(body.get("count", 0))
    )


def _face(seen: SeatView, battle: Battle, pile: str, token: str) -> Mapping[str, Any]:
    """What a chit or card says, in the game's own words where it has some."""
    game, reads = seen._game, seen._rules.faces.get(pile)
    if reads is None:
        return game.face(pile, token)
    return seen.guard.part(token, lambda: reads(game, battle, token), {})
