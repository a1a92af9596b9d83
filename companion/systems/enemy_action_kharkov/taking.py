"""Taking hits: what a combat's chits come to, and how each side satisfies its share [9.5, 9.52]."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from companion.engine.forms.fields import Choice, Context, Whole
from companion.engine.forms.worksheet import Breakdown
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe, standing
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import put_mark, read_face
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.advance import vacated
from companion.systems.enemy_action_kharkov.base import (
    SOVIET,
    isolated,
    mechanised,
    on_record,
    rules,
    steps_untold,
    titled,
)
from companion.systems.enemy_action_kharkov.fight import (
    AID,
    ATTACK,
    ATTACKER_LOSES,
    DEFEND,
    LOSE,
    Fight,
    clean_up,
    tell,
)
from companion.systems.enemy_action_kharkov.hits import adjust, base_hits, tally, unknown_tactics
from companion.systems.enemy_action_kharkov.losses import left_the_hex, owe_losses
from companion.systems.enemy_action_kharkov.record import fight_of
from companion.systems.enemy_action_kharkov.retreat import can_leave, owe_retreat


def settle(game: Game, battle: Battle) -> Events:
    """All chits are drawn: total them, or first ask for what only the tactics aid tells [9.5, 9.51]."""
    unknown = unknown_tactics(game, fight_of(game, battle))
    if unknown:
        text = f"Read your tactics aid: what do {', '.join(map(titled, unknown))} add to the hits?"
        yield owe(game, (*game.sides, "table"), text, total_hits, battle=battle, step=AID, rule="9.51")
        return
    yield from _total(game, battle, (0, 0))


def _nothing_added(game: Game, duty: e.Asked, how: str) -> Events:
    yield from _total(game, game.battles[duty.battle], (0, 0))


@rules.follow_up(rule="9.51", label="Enter the tactics' hits", declined=_nothing_added)
def total_hits(
    game: Game,
    battle: Battle,
    attacker: Annotated[int, Whole(label="Attacker hits, more or fewer", low=-9, high=9)] = 0,
    defender: Annotated[int, Whole(label="Defender hits, more or fewer", low=-9, high=9)] = 0,
) -> Events:
    """Enter what the tactics aid adds to or takes from the hits."""
    fight = fight_of(game, battle)
    unknown = unknown_tactics(game, fight)
    if len(unknown) == 1:  # the aid's line of this tactic: it counts by itself from now on
        role = "attack" if unknown[0] in fight.attack_tactics else "defence"
        yield from read_face(game, "tactics", unknown[0], {f"{role}_a": attacker, f"{role}_d": defender})
        attacker, defender = 0, 0
    yield from _total(game, battle, (attacker, defender))


def _total(game: Game, battle: Battle, by_hand: tuple[int, int]) -> Events:
    """The combat has its result: the defender takes his hits first, then the attacker [9.52]."""
    fight = fight_of(game, battle)
    sheet = adjust(game, fight, base_hits(game, fight), by_hand)
    sheet.lines[:0] = tally(game, fight).lines
    yield e.Resolved("hits", sheet.to_json(), sheet.result, battle=battle.id)
    if sheet.facts["ip_spent"] and fight.target and game.mark(fight.target, "ip"):
        yield e.Marked(fight.target, "ip", None, reason="absorbed a hit", rule="12.24")
    yield from clean_up(game, battle, fought=True)
    for side, action, step, hits in (
        (battle.defender, apply_defence, DEFEND, sheet.facts["D"]),
        (battle.attacker, apply_attack, ATTACK, sheet.facts["A"]),
    ):
        if hits:
            text = f"{game.side_name(side)}: take {count(hits, 'hit')}"
            yield owe(game, side, text, action, battle=battle, step=step, rule="9.52", hits=hits)


# -- what each side may choose ---------------------------------------------------------------------------


def retreat_limit(game: Game, fight: Fight) -> int:
    """How many hexes the defenders may retreat at most."""
    units = [u for u in on_record(game, fight.defenders) if u.on_map]
    cut_off = [u for u in units if isolated(game, u)]
    if fight.defender == SOVIET and "nkvd" in (*fight.attack_tactics, *fight.defence_tactics):
        return 0  # Soviet defenders stand [9.7]
    if any(mechanised(u) for u in cut_off):
        return 0  # one that cannot move pins its stack [10.22]
    if cut_off or (not units and fight.status in ("isolated", "mixed")):
        return 1  # [9.75, 10.22]
    if any(game.mark(u.id, "dispersed") for u in units) or (
        not units and fight.status in ("dispersed", "dispersed-oos", "poor")
    ):
        return 1  # a dispersed unit keeps its stack to one hex [9.52]
    return 2


def steps_text(number: int, have: int | None = None) -> str:
    """What a loss is called: of all the steps there are, as far as they are known, it is the end [9.63]."""
    if have and number >= have:
        return "eliminated"
    return f"lose {count(number, 'step') if number else 'no steps'}"


def steps_of(game: Game, battle: Battle, side: str) -> int | None:
    """The steps of a side's units in a combat; None where some are not known."""
    units = standing(game, battle, side)
    if not units and side == battle.defender:
        return battle.facts.get("steps") or None  # as they were counted on the map
    return None if any(steps_untold(game, u) for u in units) else sum(u.steps for u in units) or None


def defence_options(hits: int, limit: int, have: int | None = None) -> list[tuple[str, str]]:
    """Stand, or retreat a hex a hit, up to two [9.52]."""
    found = [("stand", f"Stand: {steps_text(hits, have)}")]
    if hits >= 1 and limit >= 1:
        found.append(("retreat-1", f"Retreat one hex: {steps_text(hits - 1, have)}"))
    if hits >= 2 and limit >= 2:
        found.append(("retreat-2", f"Retreat two hexes, dispersed: {steps_text(hits - 2, have)}"))
    return found


def attack_options(hits: int, have: int | None = None) -> list[tuple[str, str]]:
    """The first hit costs a step; dispersing all attackers satisfies up to two more [9.52]."""
    found = [("steps", f"{'All attackers ' if have and hits >= have else ''}{steps_text(hits, have)}")]
    if hits >= 2:
        found.append(("disperse", f"Disperse all attackers: {steps_text(max(1, hits - 2), have)}"))
    return [(name, label[:1].upper() + label[1:]) for name, label in found]


@rules.worksheet(rule="9.52", title="Ways to satisfy hits")
def apply_hits(
    ctx: Context,
    role: Annotated[
        str, Choice(label="Role", options=[("defender", "Defender"), ("attacker", "Attacker")])
    ] = "defender",
    hits: Annotated[int, Whole(label="Hits", high=20)] = 0,
    limit: Annotated[int, Whole(label="Hexes they may retreat", high=2)] = 2,
) -> Breakdown:
    """What a side may choose for its hits."""
    sheet = Breakdown("Ways to satisfy hits")
    options = defence_options(hits, limit) if role == "defender" else attack_options(hits) if hits else []
    for name, label in options:
        sheet.add(label, name, "9.52")
    sheet.facts["options"] = [name for name, _ in options]
    return sheet


def ways_to_defend(game: Game, battle: Battle, hits: int) -> list[tuple[str, str]]:
    """Stand, or retreat as far as the rules and the hexes around let all of them [9.52, 9.7]."""
    units = standing(game, battle, battle.defender)
    limit = retreat_limit(game, fight_of(game, battle))
    found = defence_options(hits, limit, steps_of(game, battle, battle.defender))
    return [
        (name, label) for name, label in found
        if not (BACK[name] and units) or can_leave(game, units, BACK[name])
    ]  # fmt: skip


BACK = {"stand": 0, "retreat-1": 1, "retreat-2": 2}


def _defence(ctx: Context) -> list[tuple[str, str]]:
    return ways_to_defend(ctx.game, ctx.battle, int(ctx.args["hits"])) if ctx.battle else []


def _attack(ctx: Context) -> list[tuple[str, str]]:
    have = steps_of(ctx.game, ctx.battle, ctx.battle.attacker) if ctx.battle else None
    return attack_options(int(ctx.args.get("hits", 0)), have)


def _sole(options: list[tuple[str, str]]) -> Mapping[str, Any] | None:
    return {"choice": options[0][0]} if len(options) == 1 else None


def _taken_on_the_map(game: Game, duty: e.Asked, how: str) -> Events:
    if battle := game.battles.get(duty.battle):
        yield from left_the_hex(game, battle)


@rules.follow_up(
    rule="9.52", label="Take the hits", alone=lambda c: _sole(_defence(c)), declined=_taken_on_the_map
)
def apply_defence(
    game: Game, duty: e.Asked, battle: Battle, choice: Annotated[str, Choice(label="How", options=_defence)]
) -> Events:
    """Stand, or retreat one or two hexes; the other hits are step losses."""
    back, side = BACK[choice], battle.defender
    losses = int(duty.args["hits"]) - back
    how = {0: "stands", 1: "retreats one hex", 2: "retreats two hexes, dispersed"}[back]
    units = standing(game, battle, side)
    lost = f", loses {count(losses, 'step')}" if losses and not units else ""  # units on record are named
    words = f"{game.side_name(side)} {how}{lost}"
    battle = yield from tell(game, battle, words, retreat=back)
    if losses and units:
        yield owe_losses(game, battle, side, losses, LOSE)
    if back and units:
        yield from owe_retreat(game, battle, units, back)
    if not units:  # on the map, where the players see whether the hex is empty
        yield from vacated(game, battle)


@rules.follow_up(rule="9.52", label="Take the hits", alone=lambda c: _sole(_attack(c)))
def apply_attack(
    game: Game, duty: e.Asked, battle: Battle, choice: Annotated[str, Choice(label="How", options=_attack)]
) -> Events:
    """Lose steps, or disperse every attacker to satisfy up to two hits after the first."""
    hits, side, dispersed = int(duty.args["hits"]), battle.attacker, choice == "disperse"
    losses = max(1, hits - 2) if dispersed else hits
    units = standing(game, battle, side)
    lost = "" if units else f"loses {count(losses, 'step')}"  # units on record are named
    how = ", ".join(filter(None, (lost, "disperses all attackers" if dispersed else "")))
    if how:
        battle = yield from tell(game, battle, f"{game.side_name(side)} {how}", dispersed=dispersed or None)
    if dispersed:
        for unit in units:
            yield put_mark(game, unit.id, "dispersed", "fresh", rule="9.9")
    if units:
        yield owe_losses(game, battle, side, losses, ATTACKER_LOSES)
