"""Step losses, elimination and dispersal of units on record [9.6, 9.9]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow, Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context, Flag, UnitRef
from companion.engine.record import events as e
from companion.engine.record.changes import change, put_mark
from companion.engine.record.game import Game

from .base import armour, ask, called, isolated, on_record, rules
from .ending import conclude
from .fight import Fight, answered, current, save, steps_text


def lose_step(game: Game, unit: Unit) -> Events:
    """One step off; the last one eliminates the unit [9.6, 9.63]."""
    if unit.steps > 1:
        yield change(game, unit.id, {"steps": unit.steps - 1}, reason="step lost", rule="9.6", public=True)
    else:
        yield from eliminate(game, unit, "", "9.63")


def eliminate(game: Game, unit: Unit, why: str, rule: str) -> Events:
    """To its eliminated box, or out of the game for good [9.63, 10.22]."""
    destroyed = isolated(game, unit)
    gone = destroyed or unit.full == 1
    place = "box:out" if gone else f"box:eliminated-{unit.side}"
    end = (
        "destroyed, isolated [10.22]" if destroyed else "eliminated, one step only" if gone else "eliminated"
    )
    why = ", ".join(filter(None, (end, why)))
    yield e.Placed(unit.id, place, was=unit.place, facts={"steps": 1}, reason=why, rule=rule, side=unit.side)
    for marker in ("supply", "dispersed", "active", "fell-back"):
        if game.mark(unit.id, marker):
            yield e.Marked(unit.id, marker, None)


def caught_again(game: Game, fight: Fight) -> Events:
    """Units that had fallen back into this hex are eliminated when its defenders leave [9.74]."""
    stack = game.units_at(fight.target) if fight.target else []
    for unit in [u for u in stack if u.side == fight.defender and game.mark(u.id, "fell-back")]:
        yield from eliminate(game, unit, f"had fallen back into {fight.target}", "9.74")


def _strong(game: Game, units: list[Unit]) -> list[Unit]:
    """Those that take the first loss, if there are any [9.61]."""
    return [u for u in units if u.steps >= 3 or armour(u, game)]


def check_order(game: Game, fight: Fight, units: list[Unit]) -> None:
    """The first loss falls on a three-step or armoured unit, the others evenly [9.61, 9.62]."""
    ids = fight.units if units[0].id in fight.units else fight.defenders
    taking = [u for u in on_record(game, ids) if u.on_map]
    strong, lost = _strong(game, taking), dict(fight.lost)
    for unit in units:
        if strong and unit not in strong and not any(lost.get(u) for u in ids):
            raise NotNow("the first loss goes to a three-step or armoured unit", field="units", rule="9.61")
        if lost.get(unit.id) and any(not lost.get(u.id) for u in taking):
            raise NotNow(
                f"{called(unit)} takes a second loss only when all others have one",
                field="units",
                rule="9.62",
            )
        lost[unit.id] = lost.get(unit.id, 0) + 1


def _participants(ctx: Context) -> list[Unit]:
    game, fight = ctx.game, current(ctx.game)
    if fight is None or not (fight.units or fight.defenders):
        among = [u for u in game.units.values() if u.on_map]
    else:
        among = on_record(game, [*fight.units, *fight.defenders])
    return [u for u in among if ctx.seat in ("table", u.side)]


def _fighting(ctx: Context) -> bool:
    return current(ctx.game) is not None


@rules.action(by="any", rule="9.6", label="Lose steps", group="units")
def lose_steps(
    game: Game,
    units: Annotated[
        tuple[str, ...], UnitRef(label="Units, one step each", many=True, pick=_participants)
    ] = (),
    penalty: Annotated[bool, Flag(label="For a bad retreat hex or a withdrawal", when=_fighting)] = False,
    anyway: Annotated[bool, Flag(label="Against the order of losses", when=_fighting)] = False,
) -> Events:
    """Take one step from each unit chosen; with no units on record, just tick the losses off."""
    fight = current(game)
    chosen = [game.units[u] for u in units]
    if fight is None or penalty:
        yield from _pay(game, fight, chosen, anyway=anyway)
    elif chosen:
        yield from _take(game, fight, chosen, anyway=anyway)
    elif fight.units or fight.defenders:
        raise Unreadable("which units lose a step?", field="units", rule="9.6")
    else:
        fight.owed = {}
        yield save(fight, "step losses taken on the map")


def _pay(game: Game, fight: Fight | None, chosen: list[Unit], *, anyway: bool) -> Events:
    """Steps of a retreat, a withdrawal or a surrender: the owner's choice, or as the table reads it [8.1, 9.7, 10.23]."""
    if not chosen:
        raise Unreadable("which units?", field="units", rule="9.6")
    ordered = game["penalty-order"] if fight else game["surrender-order"]
    strong = _strong(game, [u for u in game.units_at(chosen[0].place) if u.side == chosen[0].side])
    if ordered == "order" and strong and chosen[0] not in strong and not anyway:
        raise NotNow(
            "this table takes such a step from a three-step or armoured unit first",
            field="units",
            rule="9.61",
        )
    for unit in chosen:
        yield from lose_step(game, unit)
    if fight is not None:
        yield from conclude(game, fight)


def _take(game: Game, fight: Fight, chosen: list[Unit], *, anyway: bool) -> Events:
    """Step losses of the combat's hits, until no more are owed [9.6]."""
    side = chosen[0].side
    if any(u.side != side for u in chosen):
        raise Unreadable("one side at a time", field="units", rule="9.52")
    if not anyway:
        check_order(game, fight, chosen)
    yield from answered(game, "lose", by=side)
    for unit in chosen:
        yield from lose_step(game, unit)
        fight.lost[unit.id] = fight.lost.get(unit.id, 0) + 1
    left = max(0, fight.owed.get(side, 0) - len(chosen))
    fight.owed = {s: n for s, n in {**fight.owed, side: left}.items() if n}
    yield save(fight, f"{len(chosen)} steps lost")
    if side == fight.defender and not any(game.units[u].on_map for u in fight.defenders):
        fight.owed.pop(side, None)  # nobody is left to lose more
        yield save(fight, "")
        yield from caught_again(game, fight)
    elif left:
        who = "Defender" if side == fight.defender else "Attacker"
        yield ask(game, "lose", (side, "table"), f"{who}: lose {steps_text(left)} more", "lose-steps", "9.62")
    yield from conclude(game, fight)


@rules.action(phase="command", by="any", rule="9.9", label="Disperse units", group="hidden")
def disperse(
    game: Game,
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Units", many=True, pick=lambda c: [u for u in c.game.units.values() if u.on_map]),
    ] = (),
) -> Events:
    """Put dispersed markers on the targets of Partisan Uprising or Over Extended."""
    for unit in units:
        yield put_mark(game, unit, "dispersed", "on", reason="event", rule="9.9")
