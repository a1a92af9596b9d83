"""Victory [20.0, 27.3, 27.8]: automatic conditions after every action, points and levels at the end."""

from __future__ import annotations

from dataclasses import dataclass

from companion.engine.forms.panels import Fact, Panel
from companion.engine.kit.roster import Unit
from companion.engine.people.consent import propose_end, withdraw_end
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import count, on_map
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books, lines
from companion.systems.kharkov_battles.base import (
    AXIS,
    CAMPAIGN,
    JANUARY,
    SOVIET,
    STAR,
    K,
    L,
    rules,
    scenario,
)
from companion.systems.kharkov_battles.owners import GOALS, NAMES, one_hex, owner, owns
from companion.systems.kharkov_battles.units import is_formation, supply_state

KHARKOV = ("KB3617", "KB3618")
LEVELS = {
    "German Major": AXIS,
    "German Minor": AXIS,
    "Draw": "nobody",
    "Soviet Minor": SOVIET,
    "Soviet Major": SOVIET,
}
"""The levels of victory from one end to the other, each with its winner."""
BANDS: dict[str, tuple[tuple[int, str], ...]] = {
    STAR: ((125, "German Major"), (115, "German Minor"), (100, "Draw"), (80, "Soviet Minor")),
    JANUARY: ((42, "German Major"), (21, "German Minor"), (15, "Soviet Minor")),
    CAMPAIGN: ((185, "German Major"), (165, "German Minor"), (125, "Soviet Minor")),
}
REGIMENT = {STAR: 5, JANUARY: 5, CAMPAIGN: 10}
"""Points lost for a German mechanized regiment."""


AT_ONCE: dict[str, dict[str, tuple[tuple[str, ...], ...]]] = {
    STAR: {
        SOVIET: (*((h,) for h in (*KHARKOV, "KB1905", "KB1205")), ("KB1024", "KB3505")),
        AXIS: tuple((h,) for h in (*KHARKOV, "KB1905", "KB1205", "KB1024", "KB3505", "KB3631")),
    },
    L: {AXIS: tuple((h,) for h in (*KHARKOV, "KB4321", "KB3126"))},
    JANUARY: {SOVIET: (("A3621",), ("A2110",), ("B2114",))},
    CAMPAIGN: {
        SOVIET: (*((h,) for h in ("B2114", "A3621", "B3050", "G3718")), ("B3303", "A4102")),
        AXIS: tuple((h,) for h in ("B2114", "A3621", "B3050", "G3718", "B3303", "A4102", "C2302", "G2832")),
    },
}
"""Who owns one hex of every group has won, whatever the supply [20.1, 20.3, 27.3, 27.8]."""
OUTRIGHT = "deciding hexes"
RULE = {L: "20.3", JANUARY: "27.8", CAMPAIGN: "27.3"}


def missing(game: Game, side: str) -> list[str]:
    """What a side does not own of what would win at once."""
    wanted = AT_ONCE[scenario(game)][side]
    lacking = [group for group in wanted if not any(owns(game, side, h) for h in group)]
    words = [" or ".join(NAMES[h] for h in group) for group in lacking]
    return list(dict.fromkeys(words))


def automatic(game: Game) -> tuple[str, str, str] | None:
    """The side that has won outright, why, and the rule."""
    for side, groups in AT_ONCE.get(scenario(game), {}).items():
        if not missing(game, side):
            held = [NAMES[h] for group in groups for h in group if owns(game, side, h)]
            *most, last = dict.fromkeys(held)
            return side, f"{', '.join(most)} and {last}", RULE.get(scenario(game), "20.1")
    return None


@rules.watch
def watch_victory(game: Game) -> Events:
    """An automatic victory is put to both sides at once; supply does not matter."""
    found = automatic(game)
    if found:
        side, held, rule = found
        level = "Victory" if scenario(game) == L else "Strategic Victory"
        why = f"{game.side_name(side)} owns {held}."
        yield from propose_end(game, side, level, why, rule, OUTRIGHT)
    else:
        yield from withdraw_end(game, OUTRIGHT)


# -- points ------------------------------------------------------------------------------------------------


def in_supply(game: Game, side: str, hex_id: str) -> bool:
    """Whether a victory hex counts: the players' word, else the map's, else yes."""
    if game.mark(one_hex(hex_id), "cut"):
        return False
    return lines.hex_in_supply(game, side, hex_id) is not False


def points(game: Game) -> list[tuple[str, int, str]]:
    """Every line of the Axis total, with its rule."""
    name = scenario(game)
    rule = RULE.get(name, "20.1")
    found: list[tuple[str, int, str]] = []
    places = sorted(books.places(game).items())
    names = [str(row.get("name") or "") for _, row in places]
    for hex_id, row in places:
        value = books.whole(row, "vp") or 0
        called = str(row.get("name") or hex_id)
        called = f"{called} {hex_id}" if names.count(called) > 1 else called
        if value and owner(game, hex_id) == AXIS:
            if in_supply(game, AXIS, hex_id):
                found.append((called, value, rule))
            else:
                found.append((f"{called}: no supply line", 0, rule))
        west = books.word(row, "size") == "town" and books.word(row, "owner-j") == AXIS
        if name == JANUARY and west and owner(game, hex_id) == SOVIET:
            found.append((f"{called} lost, west of the start line", -10, "27.8"))
    lost = int(game["regiments-lost"])
    if lost:
        found.append(
            (f"{count(lost, 'German mechanized regiment')} lost", -REGIMENT.get(name, 0) * lost, rule)
        )
    if name == CAMPAIGN and game["okh"]:
        found.append(("OKH options taken", -int(game["okh"]), "27.3"))
    if game["vp-other"]:
        found.append(("by hand", int(game["vp-other"]), "20.0"))
    return found


def total(game: Game) -> int:
    return sum(value for _, value, _ in points(game))


def tally(game: Game) -> dict[str, int]:
    """The Axis alone has points [20.1], in scenarios that count them and where any hex has a value."""
    return {AXIS: total(game)} if scenario(game) in BANDS and points(game) else {}


def level_of(game: Game, axis_points: int) -> str:
    """The level of a number of points."""
    name = scenario(game)
    if name == JANUARY and axis_points == 20:
        return {"german-minor": "German Minor", "draw": "Draw"}.get(str(game["j-gap"]), "Soviet Minor")
    for floor, level in BANDS[name]:
        if axis_points >= floor:
            return level
    return "Soviet Major"


def shift_level(game: Game, level: str) -> str:
    """An edge lost for two turns moves the result one level [20.2, 27.8]."""
    ladder = [lv for lv in LEVELS if lv != "Draw" or scenario(game) == K or level == "Draw"]
    step = {"soviet": 1, "axis": -1}.get(str(game["shift"]), 0)
    return ladder[max(0, min(len(ladder) - 1, ladder.index(level) + step))]


# -- Second Kharkov ----------------------------------------------------------------------------------------


def eliminated_soviets(game: Game) -> int:
    """Divisions and corps lost, with those that cannot trace supply at the end [20.2]."""
    stranded = [u for u in on_map(game, SOVIET) if is_formation(u) and _stranded(game, u)]
    return int(game["soviet-lost"]) + len(stranded)


def _stranded(game: Game, unit: Unit) -> bool:
    """The map's word at this moment; a marker of the last supply phase only where the map cannot tell."""
    traced = lines.can_trace(game, unit)
    return bool(supply_state(game, unit)) if traced is None else not traced


@dataclass(frozen=True)
class Condition:
    """One of Second Kharkov's conditions, and how it stands."""

    words: str
    met: bool
    stands: str


def k_conditions(game: Game) -> dict[str, list[Condition]]:
    """Each side's three conditions [20.2]."""

    def held(side: str, *hexes: str) -> Condition:
        met = owns(game, side, *hexes) and all(in_supply(game, side, h) for h in hexes)
        return Condition(NAMES[hexes[0]], met, "yes" if met else "no")

    gone = eliminated_soviets(game)
    many = Condition("more than 20 Soviet divisions and corps gone", gone > 20, f"{gone} of 21")
    return {
        AXIS: [many, held(AXIS, "KH2526"), held(AXIS, "KH1923")],
        SOVIET: [held(SOVIET, "KH1305"), held(SOVIET, "KH3017", "KH3018"), held(SOVIET, "KH2905")],
    }


def k_level(game: Game) -> str:
    """Two conditions are a Major, one a Minor victory; the Soviets win when both qualify."""
    met = {side: sum(c.met for c in conditions) for side, conditions in k_conditions(game).items()}
    if met[SOVIET]:
        if met[AXIS] and game["k-both"] == "minor":
            return "Soviet Minor"
        return "Soviet Major" if met[SOVIET] >= 2 else "Soviet Minor"
    if met[AXIS]:
        return "German Major" if met[AXIS] >= 2 else "German Minor"
    return "Draw"


# -- the end -----------------------------------------------------------------------------------------------


@rules.at_end
def finale(game: Game) -> Events:
    """The last turn is over."""
    name = scenario(game)
    if name == L:
        yield _end_of_l(game)
        return
    if name == K:
        before = k_level(game)
        level = shift_level(game, before)
        met = [c.words for conditions in k_conditions(game).values() for c in conditions if c.met]
        why = ", ".join(met) or "no condition met"
        yield e.Ended(LEVELS[level], level, why + _shifted(before, level), "20.2")
        return
    if name == CAMPAIGN and not game["map-d"] and game["gc-bands"] == "hand":
        yield e.Ended("nobody", "", f"{total(game)} points; agree on the level by hand", "27.3")
        return
    if not points(game):
        why = "No victory hex has a value in the companion: count by hand, then close the game with End the game."
        yield e.Ended("nobody", "", why, "20.0")
        return
    before = level_of(game, total(game))
    level = shift_level(game, before)
    yield e.Ended(LEVELS[level], level, f"{total(game)} Axis points{_shifted(before, level)}", "20.0")


def _shifted(before: str, after: str) -> str:
    return f"; {before} shifted to {after} for the lost edge" if before != after else ""


def _end_of_l(game: Game) -> e.Ended:
    """Both Kharkov hexes and one of Belgorod and Kupyansk, or the Soviets win [20.3]."""
    if owns(game, AXIS, *KHARKOV) and (owns(game, AXIS, "KB4321") or owns(game, AXIS, "KB3126")):
        return e.Ended(AXIS, "Victory", "Kharkov and Belgorod or Kupyansk are in Axis hands", "20.3")
    return e.Ended(
        SOVIET, "Victory", "the Axis does not own Kharkov and one of Belgorod and Kupyansk", "20.3"
    )


@rules.scores_rarely
def in_few_words(game: Game) -> str:
    """The Axis points with their level [20.0], or how far the scenario's own conditions are met [20.2, 20.3]."""
    name = scenario(game)
    if name == K:
        return f"{k_level(game)} as it stands"
    if name == L:
        return f"Axis {sum(owner(game, h) == AXIS for h in GOALS[L])} of {len(GOALS[L])} goals"
    if not points(game):
        return ""
    return f"Axis {total(game)} VP: {level_of(game, total(game))}"


@rules.panel
def victory_panel(game: Game) -> Panel:
    """How things stand now."""
    rows: list[Fact] = []
    name = scenario(game)
    if name == K:
        for side, conditions in k_conditions(game).items():
            for c in conditions:
                rows.append(Fact(f"{game.side_name(side)}: {c.words}", c.stands, "20.2"))
        rows.append(Fact("as it stands", k_level(game), "20.2"))
    elif name == L:
        for h in GOALS[L]:
            held = owner(game, h)
            rows.append(Fact(f"{NAMES[h]} {h}", game.side_name(held) if held else "?", "20.3"))
    elif not points(game):
        rows.append(Fact("Axis points: no values in your list of places", "by hand", "20.0"))
    else:
        for text, value, rule in points(game):
            rows.append(Fact(text, f"{value:+d}", rule))
        rows.append(Fact("Axis points", f"{total(game)}: {level_of(game, total(game))}", "20.0"))
    return Panel("Victory", [*_at_once(game), *rows])


def _at_once(game: Game) -> list[Fact]:
    """How far each side is from winning outright."""
    rule = RULE.get(scenario(game), "20.1")
    told = any(
        owner(game, h) for groups in AT_ONCE.get(scenario(game), {}).values() for g in groups for h in g
    )
    return [
        Fact(
            f"{game.side_name(side)} wins at once with {', '.join(missing(game, side)) or 'nothing more'}",
            f"{len(missing(game, side))} to go" if told else "owners?",
            rule,
        )
        for side in AT_ONCE.get(scenario(game), {})
    ]
