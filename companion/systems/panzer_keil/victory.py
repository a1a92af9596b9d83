"""Victory: cities, exits and surviving units, the level, and the end of the game [B15]."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated

from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Whole
from companion.engine.play.worksheet import Breakdown
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import (
    GERMAN,
    SOVIET,
    is_ally,
    is_sixth,
    mechanized,
    out_of_supply,
    reading,
    rules,
)
from companion.systems.panzer_keil.ground import board, has_rails, occupier_among, zone
from companion.systems.panzer_keil.supply import soviet_source

NAMED = {
    "2147": ("Dnipropetrovsk", 30),
    "0941": ("Kharkiv", 20),
    "0147": ("Sumy", 3),
    "0439": ("Belgorod", 3),
    "1149": ("Poltava", 3),
    "2547": ("Zaporizhzhia", 3),
    "3346": ("Melitopol", 3),
}
"""B15.1, first to third line; a value in the owner's map book wins."""
MAJOR_CITY, CITY, EXIT_POINTS = 5, 1, 2
NARROW, TACTICAL = 10, 30
NONE = "none"


def level(soviet: int, german: int) -> tuple[str, str]:
    """B15.4: winner and level; a tie is the German's, without a level."""
    gap = soviet - german
    winner = SOVIET if gap > 0 else GERMAN
    if not gap:
        return GERMAN, ""
    size = abs(gap)
    return winner, "narrow" if size <= NARROW else "tactical" if size <= TACTICAL else "strategic"


def city_value(game: Game, hex_id: str) -> int:
    """What a city hex is worth: the map book's value, the named list, else by its kind."""
    book = board(game).book
    written = [f.value for f in book.about(hex_id) if f.kind == "vp"]
    if written:
        return int(written[0])
    if hex_id in NAMED:
        return NAMED[hex_id][1]
    return MAJOR_CITY if hex_id in book.places("major city") else CITY


def cities(game: Game) -> dict[str, str]:
    """Every city and major city on the map, as far as it is entered."""
    book = board(game).book
    return {**book.places("city"), **book.places("major city")}


def soviet_cities(game: Game) -> dict[str, int]:
    """B15.1: the city hexes that are Soviet-occupied and linked to the Soviet source, with their points."""
    zones_of = {side: zone(game, side) for side in (SOVIET, GERMAN)}
    held = [h for h in cities(game) if occupier_among(game, h, zones_of) == SOVIET]
    if has_rails(game):
        source = soviet_source(game)
        held = [h for h in held if source.supplied(h)]
    return {h: city_value(game, h) for h in held}


def german_units(game: Game) -> tuple[int, int, int]:
    """B15.2: mechanized, other and allied units on the map that count."""
    need = reading(game, "german-vp-supply")
    counts = [0, 0, 0]
    for unit in game.units.values():
        if unit.side != GERMAN or not unit.on_map:
            continue
        supplied = is_sixth(unit) or not out_of_supply(game, unit.id)
        kind = 2 if is_ally(unit) else 0 if mechanized(unit) else 1
        if supplied or (need == "allies" and kind != 2):
            counts[kind] += 1
    return counts[0], counts[1], counts[2]


def _cities_by_kind(game: Game | None) -> tuple[list[str], int, int]:
    """The named cities held, and the points of the major and other ones."""
    if game is None:
        return [], 0, 0
    held = soviet_cities(game)
    others = {h: v for h, v in held.items() if h not in NAMED}
    majors = board(game).book.places("major city")
    return (
        [h for h in held if h in NAMED],
        sum(1 for h in others if h in majors),
        sum(1 for h in others if h not in majors),
    )


def _count(given: int | None, found: int) -> int:
    return found if given is None else given


def _written_worths(game: Game | None) -> dict[int, int]:
    """The points of the unnamed cities on record by their usual worth; the owner may have written others."""
    if game is None:
        return {MAJOR_CITY: 0, CITY: 0}
    majors = board(game).book.places("major city")
    others = {h: v for h, v in soviet_cities(game).items() if h not in NAMED}
    return {
        MAJOR_CITY: sum(v for h, v in others.items() if h in majors),
        CITY: sum(v for h, v in others.items() if h not in majors),
    }


def _worth(given: int | None, found: int, each: int, recorded: int) -> tuple[int, int]:
    """A number and its points: the record's own points while the number is the record's."""
    number = _count(given, found)
    return number, recorded if number == found else number * each


def _from_record(pick: Callable[[Game], int]) -> Callable[[Context], int | None]:
    """What the record counts, to begin with; nothing without units."""

    def found(ctx: Context) -> int | None:
        return pick(ctx.game) if ctx.game is not None and ctx.game.units else None

    return found


def _held_now(ctx: Context) -> list[str]:
    return _cities_by_kind(ctx.game)[0] if ctx.game and ctx.game.units else []


@rules.worksheet(rule="B15", title="Victory")
def victory(
    ctx: Context,
    held: Annotated[
        tuple[str, ...] | None,
        Choice(
            label="Named cities Soviet and linked",
            options=[*((h, n) for h, (n, _) in NAMED.items()), (NONE, "none of them")],
            many=True,
            start=_held_now,
        ),
    ] = None,
    majors: Annotated[
        int | None,
        Whole(label="Other major city hexes", high=60, start=_from_record(lambda g: _cities_by_kind(g)[1])),
    ] = None,
    towns: Annotated[
        int | None,
        Whole(label="Other city hexes", high=99, start=_from_record(lambda g: _cities_by_kind(g)[2])),
    ] = None,
    exits: Annotated[
        int | None,
        Whole(
            label="Supplied units off the western edge",
            high=140,
            start=lambda c: int(c.game["exits"]) if c.game else None,
        ),
    ] = None,
    mech: Annotated[
        int | None,
        Whole(label="German mechanized units", high=99, start=_from_record(lambda g: german_units(g)[0])),
    ] = None,
    foot: Annotated[
        int | None,
        Whole(label="German other units", high=99, start=_from_record(lambda g: german_units(g)[1])),
    ] = None,
    allies: Annotated[
        int | None,
        Whole(
            label="Italian, Romanian, Hungarian units",
            high=99,
            start=_from_record(lambda g: german_units(g)[2]),
        ),
    ] = None,
) -> Breakdown:
    """Both sides' points and the level of victory. Empty fields are read off the record."""
    game = ctx.game
    sheet = Breakdown("Victory")
    names, big, small = _cities_by_kind(game)
    tired = german_units(game) if game else (0, 0, 0)
    soviet = 0
    for hex_id in names if held is None else [h for h in held if h != NONE]:
        name, worth = NAMED[hex_id]
        worth = city_value(game, hex_id) if game else worth
        soviet += worth
        sheet.add(f"{name} ({hex_id})", worth, "B15.1")
    written = _written_worths(game)
    left = int(game["exits"]) if game else 0
    for label, number, points in (
        ("other major city hexes", *_worth(majors, big, MAJOR_CITY, written[MAJOR_CITY])),
        ("other city hexes", *_worth(towns, small, CITY, written[CITY])),
        ("exits over the western edge", *_worth(exits, left, EXIT_POINTS, left * EXIT_POINTS)),
    ):
        if number:
            soviet += points
            sheet.add(f"{label}: {number}", points, "B15.1")
    sheet.add("Soviet points", str(soviet), "B15.1")
    german = 0
    for label, number, worth in (
        ("mechanized units", _count(mech, tired[0]), 1),
        ("other units", _count(foot, tired[1]), 2),
        ("allied units", _count(allies, tired[2]), 1),
    ):
        if number:
            german += number * worth
            sheet.add(f"{label}: {number}", number * worth, "B15.2")
    sheet.add("German points", str(german), "B15.2")
    winner, size = level(soviet, german)
    sheet.result = " ".join(filter(None, (winner.capitalize(), size, "victory")))
    sheet.facts = {"soviet": soviet, "german": german, "winner": winner, "level": size}
    if game is not None:
        sheet.warnings += _doubts(game)
    return sheet


def _doubts(game: Game) -> Iterable[str]:
    if any(
        u.side == GERMAN and u.on_map and mechanized(u) is None and not is_ally(u)
        for u in game.units.values()
    ):
        yield "German units without a type on record were counted as not mechanized"
    if game.units and not has_rails(game):
        yield "no railroad is entered: whether the cities are linked to 0114 was not looked at"


@rules.watch
def _last_in_town(game: Game) -> Events:
    """5.4: who stood in a city last, however its units came there."""
    towns = cities(game)
    for unit in game.units.values():
        if unit.place in towns and game.mark(unit.place, "owner") != unit.side:
            yield e.Marked(unit.place, "owner", unit.side, reason="last there", rule="5.4")


def _final(game: Game) -> bool | str:
    if game["final-turn"] != "yes":
        return "the weather track has not ended yet [B5.1.1]"
    over = game.phase == "scoring" or reading(game, "weather-end") == "at-once"
    return over or "play the last turn out first [B5.1.1]"


@rules.action(by="any", rule="B15", worksheet=victory, label="Score the game", when=_final, primary=True)
def score_game(game: Game, sheet: Breakdown) -> Events:
    """Count both sides' points and close the game."""
    yield from _close(sheet)


def _close(sheet: Breakdown) -> Events:
    yield e.Resolved("victory", sheet.to_json(), sheet.result)
    facts = sheet.facts
    why = f"Soviet {facts['soviet']}, German {facts['german']} points"
    yield e.Ended(str(facts["winner"]), str(facts["level"]), why, rule="B15.4")


@rules.leaving("scoring")
def _unscored(game: Game) -> Events:
    if not game.units:
        yield e.Ended("nobody", "", "The weather ended the game; its points were not entered", rule="B5.1.1")
    else:
        yield from _close(victory.answer({k: None for k in victory.fields}, Context(game)))
