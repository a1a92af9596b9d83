"""Victory: cities, exits and surviving units, the level, and the end of the game [B15]."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.forms.fields import Choice, Context, UnitRef, Whole
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe, units_of
from companion.engine.positions.pieces import count, on_map
from companion.engine.record import events as e
from companion.engine.record.changes import change
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import (
    FOOT,
    GERMAN,
    SOME_ALLY,
    SOME_MECHANIZED,
    SOVIET,
    is_ally,
    is_sixth,
    mechanized,
    out_of_supply,
    rules,
)
from companion.systems.panzer_keil.ground import board, cities, has_rails, occupier_among, zone
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
"""What a named city is worth; a value in the owner's map book wins [B15.1]."""
MAJOR_CITY, CITY, EXIT_POINTS = 5, 1, 2
NARROW, TACTICAL = 10, 30
NONE = "none"


def level(soviet: int, german: int) -> tuple[str, str]:
    """Winner and level; a tie is the German's, without a level [B15.4]."""
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


def soviet_cities(game: Game) -> dict[str, int]:
    """The city hexes that are Soviet-occupied and linked to the Soviet source, with their points [B15.1]."""
    zones_of = {side: zone(game, side) for side in (SOVIET, GERMAN)}
    held = [h for h in cities(game) if occupier_among(game, h, zones_of) == SOVIET]
    if has_rails(game):
        source = soviet_source(game)
        held = [h for h in held if source.supplied(h)]
    return {h: city_value(game, h) for h in held}


def german_units(game: Game) -> tuple[int, int, int]:
    """Mechanized, other and allied units on the map that count [B15.2]."""
    need = game["german-vp-supply"]
    counts = [0, 0, 0]
    for unit in on_map(game, GERMAN):
        supplied = is_sixth(unit) or not out_of_supply(game, unit.id)
        kind = 2 if is_ally(unit) else 0 if mechanized(unit) else 1
        if supplied or (need == "allies" and kind != 2):
            counts[kind] += 1
    return counts[0], counts[1], counts[2]


@dataclass(frozen=True)
class Held:
    """The Soviet cities on record: the named ones, the others by what they usually are worth."""

    named: list[str]
    others: dict[int, list[int]]
    """The points of each hex, by its usual worth; the owner may have written others."""

    @classmethod
    def on_record(cls, game: Game) -> Held:
        held, majors = soviet_cities(game), board(game).book.places("major city")
        others: dict[int, list[int]] = {MAJOR_CITY: [], CITY: []}
        for hex_id, worth in held.items():
            if hex_id not in NAMED:
                others[MAJOR_CITY if hex_id in majors else CITY].append(worth)
        return cls([h for h in held if h in NAMED], others)


def _from_record(pick: Callable[[Game], Any]) -> Callable[[Context], Any]:
    """What the record counts, to begin with; nothing without units."""
    return lambda ctx: pick(ctx.game) if ctx.game.units else None


def _named(game: Game) -> list[str]:
    return Held.on_record(game).named


def _others(worth: int) -> Callable[[Game], int]:
    return lambda game: len(Held.on_record(game).others[worth])


def _units(kind: int) -> Callable[[Game], int]:
    return lambda game: german_units(game)[kind]


def _whole(label: str, high: int, pick: Callable[[Game], int]) -> Whole:
    return Whole(label=label, high=high, start=_from_record(pick))


@dataclass(frozen=True)
class ScoreForm:
    """What both sides hold at the end; what is empty is read off the record."""

    held: Annotated[
        tuple[str, ...] | None,
        Choice(
            label="Named cities Soviet and linked",
            options=[*((h, n) for h, (n, _) in NAMED.items()), (NONE, "none of them")],
            many=True,
            start=_from_record(_named),
        ),
    ] = None
    majors: Annotated[int | None, _whole("Other major city hexes", 60, _others(MAJOR_CITY))] = None
    towns: Annotated[int | None, _whole("Other city hexes", 99, _others(CITY))] = None
    exits: Annotated[
        int | None,
        Whole(label="Supplied units off the western edge", high=140, start=lambda c: c.game["exits"]),
    ] = None
    mech: Annotated[int | None, _whole("German mechanized units", 99, _units(0))] = None
    foot: Annotated[int | None, _whole("German other units", 99, _units(1))] = None
    allies: Annotated[int | None, _whole("Italian, Romanian, Hungarian units", 99, _units(2))] = None


@rules.worksheet(rule="B15", title="Victory")
def victory(ctx: Context, form: ScoreForm) -> Breakdown:
    """Both sides' points and the level of victory. Empty fields are read off the record."""
    sheet = Breakdown("Victory")
    soviet, german = _soviet_points(sheet, ctx.game, form), _german_points(sheet, ctx.game, form)
    winner, size = level(soviet, german)
    sheet.result = " ".join(filter(None, (winner.capitalize(), size, "victory")))
    sheet.facts = {"soviet": soviet, "german": german, "winner": winner, "level": size}
    sheet.warnings += _doubts(ctx.game)
    return sheet


def _soviet_points(sheet: Breakdown, game: Game, form: ScoreForm) -> int:
    """Cities that are held and linked, and supplied units that left over the western edge [B15.1]."""
    held = Held.on_record(game)
    total = 0
    for hex_id in held.named if form.held is None else [h for h in form.held if h != NONE]:
        worth = city_value(game, hex_id)
        total += worth
        sheet.add(f"{NAMED[hex_id][0]} ({hex_id})", worth, "B15.1")
    for label, given, usual, found in (
        ("other major city hexes", form.majors, MAJOR_CITY, held.others[MAJOR_CITY]),
        ("other city hexes", form.towns, CITY, held.others[CITY]),
        ("exits over the western edge", form.exits, EXIT_POINTS, [EXIT_POINTS] * game["exits"]),
    ):
        number = len(found) if given is None else given
        if number:
            # The record's own points count while the number is the record's.
            points = sum(found) if number == len(found) else number * usual
            total += points
            sheet.add(f"{label}: {number}", points, "B15.1")
    sheet.add("Soviet points", str(total), "B15.1")
    return total


def _german_points(sheet: Breakdown, game: Game, form: ScoreForm) -> int:
    """Units left on the map: one for a mechanized or allied one, two for any other [B15.2]."""
    mech, foot, allies = german_units(game)
    total = 0
    for label, given, found, worth in (
        ("mechanized units", form.mech, mech, 1),
        ("other units", form.foot, foot, 2),
        ("allied units", form.allies, allies, 1),
    ):
        number = found if given is None else given
        if number:
            total += number * worth
            sheet.add(f"{label}: {number}", number * worth, "B15.2")
    sheet.add("German points", str(total), "B15.2")
    return total


def _untold(game: Game) -> Iterable[str]:
    if not game.duties(action="settle-units") and untold_units(game):
        yield "German units without a type or nation on record are counted as German and not mechanized [B15.2]"
    if not game.duties(action="settle-cities") and (untold := untold_cities(game)):
        yield f"nobody is known to hold {', '.join(untold)}: counted as German [5.4]"


def _doubts(game: Game) -> Iterable[str]:
    yield from _untold(game)
    if game.units and not has_rails(game):
        yield "no railroad is entered: whether the cities are linked to 0114 was not looked at"


# -- what the record does not tell, settled before the count -------------------------------------------------


def untold_cities(game: Game) -> list[str]:
    """Cities that nobody on record stands in, covers or ever passed [5.4]."""
    zones_of = {side: zone(game, side) for side in (SOVIET, GERMAN)}
    towns = cities(game) if game.units else {}
    return sorted(h for h in towns if not occupier_among(game, h, zones_of))


def untold_units(game: Game) -> list[Unit]:
    """German units whose points depend on a type or nation that is not on record [B15.2]."""
    here = on_map(game, GERMAN)
    return [u for u in here if not is_ally(u) and (not u.klass or mechanized(u) is None)]


@rules.entering("scoring")
def settle_record(game: Game) -> Events:
    """Before the count, each side says what the record does not tell."""
    towns, units = untold_cities(game), untold_units(game)
    if towns:
        text = f"Who holds {count(len(towns), 'city', 'cities')} that nobody on record has passed?"
        yield owe(game, SOVIET, text, settle_cities, rule="5.4, B15.1")
    if units:
        text = f"What are {count(len(units), 'German unit')} without type or nation on record?"
        yield owe(game, GERMAN, text, settle_units, units=[u.id for u in units], rule="B15.2")


def _town_choices(ctx: Context) -> list[tuple[str, str]]:
    towns = cities(ctx.game)
    found = [(h, f"{towns[h]} ({h})") for h in untold_cities(ctx.game)]
    return [*found, (NONE, "none of them")]


@rules.follow_up(rule="5.4", label="Settle", still=lambda game, duty: bool(untold_cities(game)))
def settle_cities(
    game: Game,
    soviet: Annotated[tuple[str, ...], Choice(label="Soviet-held", options=_town_choices, many=True)],
) -> Events:
    """Name the cities that are Soviet; the others are German."""
    for hex_id in untold_cities(game):
        side = SOVIET if hex_id in soviet else GERMAN
        yield e.Marked(hex_id, "owner", side, reason="settled before the count", rule="5.4")


def _still_untold(game: Game, duty: e.Asked) -> bool:
    return any(u in untold_units(game) for u in units_of(game, duty))


def _nameless(ctx: Context) -> list[Unit]:
    return untold_units(ctx.game)


@rules.follow_up(rule="B15.2", label="Settle", still=_still_untold)
def settle_units(
    game: Game,
    mech: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Mechanized", many=True, pick=lambda c: [u for u in _nameless(c) if mechanized(u) is None]
        ),
    ] = (),
    allies: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Italian, Romanian, Hungarian",
            many=True,
            pick=lambda c: [u for u in _nameless(c) if not u.klass],
        ),
    ] = (),
) -> Events:
    """Name the mechanized and the allied ones; all others are German and not mechanized."""
    for unit in untold_units(game):
        facts: dict[str, str] = {}
        if mechanized(unit) is None:
            facts["kind"] = SOME_MECHANIZED if unit.id in mech else FOOT
        if not unit.klass:
            facts["klass"] = SOME_ALLY if unit.id in allies else GERMAN
        yield change(game, unit.id, facts, reason="settled before the count", rule="B15.2")


@rules.watch
def _last_in_town(game: Game) -> Events:
    """Who stood in a city last, however its units came there [5.4]."""
    towns = cities(game)
    for unit in game.units.values():
        if unit.place in towns and game.mark(unit.place, "owner") != unit.side:
            yield e.Marked(unit.place, "owner", unit.side, reason="last there", rule="5.4")


def _final(game: Game) -> bool | str:
    if game["final-turn"] != "yes":
        return "the weather track has not ended yet [B5.1.1]"
    over = game.phase == "scoring" or game["weather-end"] == "at-once"
    return over or "play the last turn out first [B5.1.1]"


def _unsettled(ctx: Context) -> list[str]:
    """What is owed, and what the record does not tell though nobody is asked for it any more."""
    game = ctx.game
    owed = [d.text for d in game.duties() if d.is_owed]
    return [*owed, *_untold(game)]


@rules.action(
    by="any",
    rule="B15",
    worksheet=victory,
    label="Score the game",
    when=_final,
    primary=True,
    warns=_unsettled,
)
def score_game(game: Game, sheet: Breakdown) -> Events:
    """Count both sides' points and close the game."""
    yield from _close(sheet)


def _close(sheet: Breakdown) -> Events:
    yield e.Resolved("victory", sheet.to_json(), sheet.result)
    facts = sheet.facts
    why = f"Soviet {facts['soviet']}, German {facts['german']} points"
    counted = {side: int(facts[side]) for side in (SOVIET, GERMAN)}
    yield e.Ended(str(facts["winner"]), str(facts["level"]), why, rule="B15.4", vp=counted)


def tally(game: Game) -> dict[str, int]:
    """What a game ended by hand is worth as its record stands [B15.1, B15.2]; nothing without units."""
    if not game.units:
        return {}
    facts = victory.answer({k: None for k in victory.fields}, Context(game)).facts
    return {side: int(facts[side]) for side in (SOVIET, GERMAN)}


@rules.scores_rarely
def in_few_words(game: Game) -> str:
    """Both sides' points as the record has them [B15.1, B15.2]; without units on record nobody knows them."""
    if not game.units:
        return ""
    facts = victory.answer({name: None for name in victory.fields}, Context(game)).facts
    return f"Soviet {facts['soviet']}, German {facts['german']} VP"


@rules.leaving("scoring")
def _unscored(game: Game) -> Events:
    if not game.units:
        yield e.Ended("nobody", "", "The weather ended the game; its points were not entered", rule="B5.1.1")
    else:
        yield from _close(victory.answer({k: None for k in victory.fields}, Context(game)))
