"""Points, sudden deaths, the terminal supply check and the end [4.1-4.6, 13.5]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Context, Whole
from companion.engine.forms.panels import Fact, Panel
from companion.engine.people.consent import propose_end, withdraw_end
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.second_kharkov.base import (
    FIGHT,
    GERMAN,
    KHARKOV,
    MOVE,
    PERIMETER,
    PHASES,
    SOVIET,
    Crosser,
    area,
    historical,
    put,
    rules,
)
from companion.systems.second_kharkov.control import holder
from companion.systems.second_kharkov.judging import out_of_supply

POINTS = {SOVIET: "vp-soviet", GERMAN: "vp-german"}
LAST_TURN = 8
CHECKED_AFTER = 4  # [4.3]
FALLEN = "Kharkov"
"""What the sudden death is founded on, with the hexes held [4.2]: asked once of each, no more when a hex is retaken."""


def score(game: Game, side: str, points: int, reason: str, rule: str) -> Events:
    """Points to a side [4.4]; the Alternative scenario counts none [13.5]."""
    if historical(game) and points:
        track = POINTS[side]
        yield e.Set(track, int(game[track]) + points, was=game[track], reason=reason, rule=rule)
        if side == GERMAN and game["terminal-check"] == "done" and rule != "4.5":
            yield from _count_again(game)


def _count_again(game: Game) -> Events:
    """The terminal check is the last step of turn 8 [4.5]: a unit lost after it must not count twice."""
    yield from score(game, GERMAN, -int(game["terminal-oos"]), "the terminal check is made again", "4.5")
    yield from put(game, "terminal-oos", 0, "a unit was lost after it", "4.5")
    yield from put(game, "terminal-check", "open", "a unit was lost after it", "4.5")


def german_needs(soviet_points: int) -> int:
    """The fewest German points that are at least 125 percent of the Soviet's [4.6]."""
    return -(-5 * soviet_points // 4)


# -- sudden deaths ---------------------------------------------------------------------------------


@rules.watch
def kharkov_falls(game: Game) -> Events:
    """One hex of Kharkov wins at once [4.2]; the Alternative scenario asks for all three together [13.5]."""
    held = [h for h in KHARKOV if holder(game, h) == SOVIET]
    enough = len(held) == len(KHARKOV) or (historical(game) and held)
    key = f"{FALLEN} {' '.join(held)}" if enough else ""
    yield from _other_grounds(game, key)
    if key and historical(game):
        why = f"The Soviets hold {', '.join(held)} in Kharkov on turn {game.turn}."
        yield from propose_end(game, SOVIET, "sudden death", why, "4.2", key)
    elif key:
        why = f"All three hexes of Kharkov are Soviet on turn {game.turn}."
        yield from propose_end(game, SOVIET, "", why, "13.5", key)


def _other_grounds(game: Game, key: str) -> Events:
    """Questions and refusals about hexes that are not held any more, or not they alone, are things of the past."""
    for ask in list(game.asked.values()):
        old = str(ask.args.get("key", ""))
        if old.startswith(FALLEN) and old != key:
            yield from withdraw_end(game, old)
    kept = tuple(k for k in game["disputed"] if k == key or not str(k).startswith(FALLEN))
    if len(kept) < len(game["disputed"]):
        yield e.Set("disputed", kept, reason=IN_PASSING)


@rules.leaving("turn", turns="4")
def perimeter_check(game: Game) -> Events:
    """The German wins when no Soviet has crossed the perimeter by the end of turn 4 [4.3]."""
    if historical(game) and game["perimeter"] == "intact":
        why = "No Soviet unit moved or attacked over the Kharkov perimeter by the end of turn 4."
        yield from propose_end(game, GERMAN, "sudden death", why, "4.3", PERIMETER)


def within(game: Game) -> frozenset[str]:
    """The hexes inside the perimeter that are known: Kharkov's own in any case [4.2, 4.3]."""
    return area(game, PERIMETER) | set(KHARKOV)


def _perimeter_open(game: Game) -> bool:
    return historical(game) and game["perimeter"] == "intact"


def _may_cross(game: Game) -> bool | NotNow:
    """Until turn 4 is over, and as long as both are asked whether that was the end [4.3]."""
    asked = any(ask.args.get("key") == PERIMETER for ask in game.asked.values())
    if _perimeter_open(game) and (game.turn <= CHECKED_AFTER or asked):
        return True
    return NotNow("the perimeter was crossed already, or does not matter any more", rule="4.3")


@rules.action(
    by=SOVIET,
    phase=PHASES,
    rule="4.3",
    label="Record: Kharkov perimeter crossed",
    order=31,
    when=_may_cross,
)
def cross_perimeter(game: Game, who: Crosser = "") -> Events:
    """A Soviet unit moved or attacked over the Kharkov outer perimeter; a failed attack counts too."""
    yield from put(game, "perimeter", "crossed", f"turn {game.turn}: {who or 'a Soviet unit'}", "4.3")
    yield from withdraw_end(game, PERIMETER)


@rules.watch
def perimeter_entered(game: Game) -> Events:
    """Seen from the record where the owner has entered the perimeter [4.3]."""
    yield from perimeter_passed(game, [h for h, stack in game.stacks().items() if stack[0].side == SOVIET])


def perimeter_passed(game: Game, hexes: Iterable[str]) -> Events:
    """Soviets that were in one of these hexes, even if only on their way [4.3]."""
    if _perimeter_open(game) and (inside := [h for h in hexes if h in within(game)]):
        yield from put(game, "perimeter", "crossed", f"turn {game.turn}: Soviets in {inside[0]}", "4.3")


def perimeter_attacked(game: Game, attacker: str, target: str) -> Events:
    """The attack need not succeed [4.3]."""
    if attacker == SOVIET and _perimeter_open(game) and target in within(game):
        yield from put(game, "perimeter", "crossed", f"turn {game.turn}: Soviets attack {target}", "4.3")


# -- the last turn ---------------------------------------------------------------------------------


def cut_off(game: Game) -> list[str]:
    """The Soviet units on record that are out of supply now [4.5]."""
    soviets = [u for u in game.units.values() if u.side == SOVIET and u.on_map]
    return sorted(out_of_supply(game, soviets))


def closing(game: Game) -> bool:
    """Whether this is the phase that ends turn 8, in the order that was declared [4.5, 5.4]."""
    last = MOVE[GERMAN] if game["german-order"] == "fight-move" else FIGHT[GERMAN]
    return game.turn == LAST_TURN and game.phase == last


def _may_check(game: Game) -> bool | NotNow:
    if not historical(game):
        return NotNow("the Alternative scenario has no terminal supply check", rule="13.5")
    return closing(game) or NotNow("the terminal supply check is the last step of turn 8", rule="4.5")


@dataclass(frozen=True)
class CutOff(Whole):
    """How many Soviet units are out of supply: starts with what the record finds, and says where."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "help": self._found(ctx.game)}

    def _found(self, game: Game) -> str:
        here = [u for u in game.units.values() if u.side == SOVIET and u.on_map]
        out = [game.units[n] for n in cut_off(game)]
        if not here:
            return "count them on the map; 0 for none"
        where = ", ".join(f"{n} in {h}" for h, n in sorted(Counter(u.place for u in out).items()))
        known = f"of the {count(len(here), 'Soviet unit')} on record"
        return f"{known}: {where or 'none'}. Add those that stand on the map only."


@rules.action(by="any", rule="4.5", label="Make the terminal supply check", order=5, when=_may_check)
def terminal_check(
    game: Game,
    units: Annotated[int, CutOff(label="Soviet units out of supply", start=lambda c: len(cut_off(c.game)))],
) -> Events:
    """Count the Soviet units out of supply as turn 8 closes, a point each to the German. May be redone."""
    before = int(game["terminal-oos"])
    yield from score(game, GERMAN, units - before, "terminal supply check", "4.5")
    yield from put(game, "terminal-oos", units, "counted", "4.5")
    yield from put(game, "terminal-check", "done", "counted", "4.5")


@rules.due_in(MOVE[GERMAN], FIGHT[GERMAN])
def closing_check(game: Game) -> Iterator[str]:
    """The last step of turn 8 [4.5]. The record may hold a few of the counters only, so the players say it."""
    if historical(game) and closing(game) and game["terminal-check"] != "done":
        yield "Terminal supply check: say how many Soviet units are out of supply, 0 for none (4.5)"


@rules.at_end
def count_up(game: Game) -> Events:
    """At least 125 percent of the Soviet points wins for the German [4.6]; there is no draw [4.1]."""
    if not historical(game):
        yield e.Ended(GERMAN, "", "The Soviets never held all of Kharkov at one time.", "13.5")
        return
    german, soviet = int(game["vp-german"]), int(game["vp-soviet"])
    needed = german_needs(soviet)
    winner = GERMAN if german >= needed else SOVIET
    done = game["terminal-check"] == "done"
    cut = f"{game['terminal-oos']} of them for units out of supply" if done else "no terminal supply check"
    why = (
        f"German {german} points, {cut}; Soviet {soviet}."
        f" 125 percent of {soviet} is {soviet * 1.25:g}: the German needed {needed}."
    )
    yield e.Ended(winner, "on points", why, "4.6")


def tally(game: Game) -> dict[str, int]:
    """The points of both sides [4.4]; the Alternative scenario has none [13.5]."""
    return {side: int(game[track]) for side, track in POINTS.items()} if historical(game) else {}


@rules.panel
def standing(game: Game) -> Panel | None:
    """Who would win as things stand."""
    if not historical(game):
        held = sum(holder(game, h) == SOVIET for h in KHARKOV)
        return Panel("Victory", [Fact("Kharkov hexes held by the Soviets", f"{held} of 3", "13.5")])
    soviet, german = int(game["vp-soviet"]), int(game["vp-german"])
    needed = german_needs(soviet)
    leads = GERMAN if german >= needed else SOVIET
    rows = [
        Fact(f"German needs 125 % of {soviet}", str(needed), "4.6"),
        Fact("As it stands", f"{game.side_name(leads)} wins", "4.6"),
    ]
    return Panel("Victory", rows)


@rules.scores
def in_few_words(game: Game) -> str:
    """The points as they stand [4.6]; the Alternative scenario has none, but three hexes to hold [13.5]."""
    if historical(game):
        return f"Soviet {game['vp-soviet']}, German {game['vp-german']} VP"
    return f"Soviet {sum(holder(game, h) == SOVIET for h in KHARKOV)} of 3 Kharkov hexes"
