"""Victory: strategic conditions, victory points, and what is still missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from companion.engine.forms.panels import Fact, Panel
from companion.engine.once import once
from companion.engine.people.consent import propose_end, withdraw_end
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import on_map
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.wb95.base import GERMAN, SOVIET, SUPPLY, in_1942, level, rules
from companion.systems.wb95.cities import hexes_of, unknown_cities, victory_hexes
from companion.systems.wb95.control import owner
from companion.systems.wb95.oos import checked

NEEDED = 5  # Kharkov hexes, 1942
WEST = "west of the Doniec"


@once
def points(game: Game) -> dict[str, int]:
    """Victory points of both sides: listed hexes, and city hexes counted by hand where they are unknown."""
    tally = {side: int(game[f"city-vp-{side}"]) for side in game.sides}
    for hex_id in victory_hexes(game):
        if owner(game, hex_id) in tally:
            tally[owner(game, hex_id)] += 1
    return tally


def undecided(game: Game) -> list[str]:
    """Victory hexes whose control was never said."""
    return [h for h in victory_hexes(game) if not owner(game, h)]


def west_bank(game: Game) -> list[str] | None:
    """Hexes of supplied Soviet units west of the Doniec; None while the map book lacks the area."""
    area = set(board(game).book.named("area", WEST))
    if not area:
        return None
    free = set(board(game).book.named("area", "bridgehead 1942"))
    return sorted({u.place for u in on_map(game, SOVIET) if u.place in area - free and not level(game, u.id)})


@dataclass(frozen=True)
class Grounds:
    """A strategic victory, and what it is founded on."""

    winner: str
    why: str


def all_on_record(game: Game) -> bool:
    """Whether every Soviet unit of the scenario's list is on record, wherever it is by now."""
    listed = [u.id for u in game.roster if u.side == SOVIET]
    return bool(listed) and all(name in game.units for name in listed)


def strategic(game: Game, at_end: bool = False) -> Grounds | None:
    """The strategic victory that holds now, if any; what the record cannot know is never taken for granted."""
    if in_1942(game):
        taken = game["kharkov-captured"]
        if taken >= NEEDED:
            return Grounds(SOVIET, f"{taken} hexes of Kharkov captured.")
        if west_bank(game) == [] and all_on_record(game):
            return Grounds(GERMAN, "No supplied Soviet unit of the list stands west of the Doniec.")
        return None
    if game["kharkov"] == GERMAN and game["bielgorod"] == GERMAN:
        return Grounds(GERMAN, "Kharkov and Bielgorod are captured.")
    if at_end and all(game[city] == SOVIET for city in ("kharkov", "bielgorod", "izjum")):
        return Grounds(SOVIET, "Kharkov, Bielgorod and Izjum are held to the end.")
    return None


def _looked_at(game: Game, grounds: Grounds) -> bool:
    """1943: at any moment. 1942: at once where the table reads it so; the west bank once supply was judged."""
    if not in_1942(game):
        return True
    judged = grounds.winner != GERMAN or (game.phase in SUPPLY and checked(game) and not game.duties())
    return game["strategic-when"] != "end" and judged


@rules.watch
def sudden_victory(game: Game) -> Events:
    """Put to both sides with its grounds; taken back when they no longer hold."""
    found = strategic(game)
    for side in game.sides:
        if found is None or found.winner != side:
            yield from withdraw_end(game, f"strategic {side}")
    if found is not None and _looked_at(game, found):
        key = f"strategic {found.winner}"
        yield from propose_end(game, found.winner, "strategic victory", found.why, "victory", key)


def settle(game: Game) -> Events:
    """The last day is over: strategic, else victory points."""
    found = strategic(game, at_end=True)
    if found:
        yield e.Ended(found.winner, "strategic victory", found.why, "victory")
        return
    tally = points(game)
    lead = tally[GERMAN] - tally[SOVIET]
    score = f"German {tally[GERMAN]}, Soviet {tally[SOVIET]} VP"
    open_hexes, cities = undecided(game), unknown_cities(game)
    by_hand = cities and not (game["city-vp-german"] or game["city-vp-soviet"])
    if len(open_hexes) >= abs(lead) and (open_hexes or lead == 0 and by_hand) or by_hand:
        missing = ", ".join([*open_hexes, *(cities if by_hand else [])])
        yield e.Ended(
            "nobody",
            "not decided",
            f"{score}; control not on record: {missing}. Settle it by hand.",
            "victory",
        )
    elif lead:
        yield e.Ended(GERMAN if lead > 0 else SOVIET, "tactical victory", score, "victory")
    elif game["tie"] == "initiative":
        yield e.Ended(
            str(game.scenario.roles["B"]), "tactical victory", f"{score}; without the initiative", "victory"
        )
    else:
        yield e.Ended("nobody", "draw", score, "victory")


rules.at_end(settle)


def _city(game: Game, name: str) -> str:
    label = str(game[name])
    return {GERMAN: "German", SOVIET: "Soviet", "contested": "fought over"}.get(label, label)


def _missing_summer(game: Game) -> list[Fact]:
    taken = game["kharkov-captured"]
    left = west_bank(game)
    known = "" if hexes_of(game, "kharkov") else " (by hand)"
    west = (
        "judge on the map"
        if left is None or not all_on_record(game)
        else f"still at {', '.join(left)}"
        if left
        else "nobody left"
    )
    return [
        Fact("Soviet wins with Kharkov hexes", f"{taken} of {NEEDED}{known}", "victory"),
        Fact("German wins with no supplied Soviet west of the Doniec", west, "victory"),
    ]


def _missing_winter(game: Game) -> list[Fact]:
    short: Callable[[str, tuple[str, ...]], str] = lambda side, cities: ", ".join(  # noqa: E731
        f"{c.capitalize()} ({_city(game, c)})" for c in cities if game[c] != side
    )
    german = short(GERMAN, ("kharkov", "bielgorod")) or "nothing"
    soviet = short(SOVIET, ("kharkov", "bielgorod", "izjum")) or "nothing, if held to the end"
    return [
        Fact("German strategic, still missing", german, "victory"),
        Fact("Soviet strategic, still missing", soviet, "victory"),
    ]


@rules.panel
def victory_panel(game: Game) -> Panel | None:
    """How both sides stand, and what each still lacks."""
    rows = [Fact("VP", in_few_words(game).removesuffix(" VP"), "victory")]
    rows += _missing_summer(game) if in_1942(game) else _missing_winter(game)
    if undecided(game):
        left = undecided(game)
        value = ", ".join(left) if len(left) < 5 else f"{len(left)} of {len(victory_hexes(game))} hexes"
        rows.append(Fact("Control not said", value, "4.3.1"))
    if unknown_cities(game):
        rows.append(Fact("Count by hand", ", ".join(unknown_cities(game)), "victory"))
    return Panel("Victory", rows)


@rules.scores
def in_few_words(game: Game) -> str:
    """The tactical points of both sides."""
    return ", ".join(f"{game.side_name(side)} {n}" for side, n in points(game).items()) + " VP"
