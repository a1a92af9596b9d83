"""Step losses, elimination and dispersal of units on record (9.6, 9.9)."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow, Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context, Flag, UnitRef
from companion.engine.record.changes import change, put_mark
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import armour, ask, rules
from companion.systems.enemy_action_kharkov.fight import Fight, answered, current, save
from companion.systems.enemy_action_kharkov.hits import caught_again, conclude, eliminate, steps


def lose_step(game: Game, unit: Unit, rule: str = "9.6") -> Events:
    """One step off; the last one sends it to its eliminated box, or out of the game (9.63, 10.22)."""
    if unit.steps > 1:
        yield change(game, unit.id, {"steps": unit.steps - 1}, reason="step lost", rule=rule, public=True)
        return
    yield from eliminate(game, unit, "", "9.63")


def order_mistake(game: Game, fight: Fight, units: list[Unit]) -> str:
    """9.61, 9.62: the first loss to a three-step or armoured unit, then evenly; '' when the choice is right."""
    sides = fight.units if units[0].id in fight.units else fight.defenders
    taking = [game.units[u] for u in sides if u in game.units and game.units[u].on_map]
    lost = dict(fight.lost)
    for unit in units:
        fresh = not any(lost.get(u) for u in sides)
        strong = [u.id for u in taking if u.steps >= 3 or armour(u, game)]
        if fresh and strong and unit.id not in strong:
            return "the first loss goes to a three-step or armoured unit [9.61]"
        if lost.get(unit.id) and any(not lost.get(u.id) for u in taking):
            return f"{unit.name or unit.id} takes a second loss only when all others have one [9.62]"
        lost[unit.id] = lost.get(unit.id, 0) + 1
    return ""


def _stack(game: Game, unit: Unit) -> list[Unit]:
    return [u for u in game.units_at(unit.place) if u.side == unit.side]


def _participants(ctx: Context) -> list[Unit]:
    game = ctx.game
    fight = current(game) if game else None
    if game is None:
        return []
    if fight is None or not (fight.units or fight.defenders):
        return [u for u in game.units.values() if u.on_map and ctx.seat in ("table", u.side)]
    ids = [*fight.units, *fight.defenders]
    return [game.units[u] for u in ids if u in game.units and ctx.seat in ("table", game.units[u].side)]


def _fighting(ctx: Context) -> bool:
    return ctx.game is None or current(ctx.game) is not None


@rules.action(by="any", rule="9.6", label="Lose steps", group="units")
def lose_steps(
    game: Game,
    units: Annotated[
        tuple[str, ...], UnitRef(label="Units, one step each", many=True, pick=_participants)
    ] = (),
    penalty: Annotated[
        bool, Flag(label="For a bad retreat hex or a withdrawal", when=lambda c: _fighting(c))
    ] = False,
    anyway: Annotated[bool, Flag(label="Against the order of losses", when=lambda c: _fighting(c))] = False,
) -> Events:
    """Take one step from each unit chosen; with no units on record, just tick the losses off."""
    fight = current(game)
    chosen = [game.units[u] for u in units]
    if fight is None or penalty:
        if not chosen:
            raise Unreadable("which units?", field="units")
        ordered = game["penalty-order"] if fight else game["surrender-order"]
        strong = [u for u in _stack(game, chosen[0]) if u.steps >= 3 or armour(u, game)]
        if ordered == "order" and strong and chosen[0] not in strong and not anyway:
            raise NotNow(
                "this table takes such a step from a three-step or armoured unit first", field="units"
            )
        for unit in chosen:
            yield from lose_step(game, unit)
        if fight is not None:
            yield from conclude(game, fight)
        return
    if not chosen:
        if fight.units or fight.defenders:
            raise Unreadable("which units lose a step?", field="units")
        fight.owed = {}
        yield save(fight, "step losses taken on the map")
        return
    if len({u.side for u in chosen}) > 1:
        raise Unreadable("one side at a time", field="units")
    wrong = "" if anyway else order_mistake(game, fight, chosen)
    if wrong:
        raise NotNow(wrong, field="units")
    side = chosen[0].side
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
        yield ask(game, "lose", (side, "table"), f"{who}: lose {steps(left)} more", "lose-steps", "9.62")
    yield from conclude(game, fight)


@rules.action(phase="command", by="any", rule="9.9", label="Disperse units", group="hidden")
def disperse(
    game: Game,
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Units",
            many=True,
            pick=lambda c: [u for u in c.game.units.values() if u.on_map] if c.game else [],
        ),
    ] = (),
) -> Events:
    """Put dispersed markers on the targets of Partisan Uprising or Over Extended."""
    for unit in units:
        yield put_mark(game, unit, "dispersed", "on", reason="event", rule="9.9")
