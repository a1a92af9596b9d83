"""The six German aircraft: arrival, interdiction, and who has flown this turn [10.4, 11.19, 12.17]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import HexId, Whole
from companion.engine.forms.panels import Fact, Panel
from companion.engine.play.actions import Events
from companion.engine.play.duties import drop, owe
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.second_kharkov.base import FIGHT, GERMAN, MOVE, SOVIET, put, rules

ALL = 6  # [12.17]
FREE, INTERDICTING, USED = "air-free", "air-interdicting", "air-used"


def arrived(game: Game) -> int:
    return int(game[FREE]) + int(game[INTERDICTING]) + int(game[USED])


def zone(game: Game, hex_id: str) -> list[str]:
    """A marker's hex and the six around it [11.19]."""
    return [hex_id, *game.maps.neighbours(hex_id)]


def interdicted(game: Game) -> set[str]:
    """Every hex in an interdiction zone; overlaps count once."""
    return {h for marker in game.marked("interdiction") for h in zone(game, marker)}


def fly(game: Game, aircraft: int, target: str, reason: str, rule: str) -> Events:
    """Free aircraft take up a mission: `target` is the track they are counted on from now."""
    if aircraft:
        yield from put(game, FREE, int(game[FREE]) - aircraft, reason, rule)
        yield from put(game, target, int(game[target]) + aircraft, reason, rule)


def return_home(game: Game, aircraft: int, reason: str, rule: str) -> Events:
    """Aircraft promised to a battle are free again."""
    if aircraft:
        yield from put(game, FREE, int(game[FREE]) + aircraft, reason, rule)
        yield from put(game, USED, int(game[USED]) - aircraft, reason, rule)


# -- arrival and the new turn ----------------------------------------------------------------------


def lift(game: Game) -> Events:
    """Markers leave the map in I.D, which is played from turn 3 on [5.6]; their aircraft have flown this turn [11.19]."""
    for hex_id in list(game.marked("interdiction")):
        yield e.Marked(hex_id, "interdiction", None, reason="lifted", rule="11.19")
    flown = int(game[INTERDICTING])
    if flown:
        yield from put(game, USED, int(game[USED]) + flown, "interdicted", "11.19")
        yield from put(game, INTERDICTING, 0, "interdicted", "11.19")


rules.entering("air-removal")(lift)


@rules.entering("turn")
def aircraft_are_free_again(game: Game) -> Events:
    yield from lift(game)
    everyone = arrived(game)
    yield from put(game, USED, 0, IN_PASSING, "11.19")
    yield from put(game, FREE, everyone, IN_PASSING, "11.19")


@rules.entering("turn", turns="2-3")
def arrive_with_the_turn(game: Game) -> Events:
    if game["aircraft-ready"] == "game-turn":
        yield from _arrive(game)


@rules.entering(MOVE[GERMAN], turns="2-3")
def arrive_with_the_player_turn(game: Game) -> Events:
    if game["aircraft-ready"] == "german-turn" and game["german-order"] == "undeclared":
        yield from _arrive(game)


def _arrive(game: Game) -> Events:
    """Some on turn 2, the rest on turn 3 [10.4]; the turn record track tells how many."""
    if game.turn == 3:
        yield from put(game, FREE, int(game[FREE]) + ALL - arrived(game), "the last aircraft arrive", "10.4")
        yield from drop(game, aircraft_arrive, why="all are here")
    elif game["aircraft-turn-2"] != "ask":
        yield from put(game, FREE, int(game["aircraft-turn-2"]), "aircraft arrive", "10.4")
    else:
        yield from _ask_how_many(game)


def _ask_how_many(game: Game) -> Events:
    text = "How many aircraft does the turn record track bring on turn 2?"
    yield owe(game, GERMAN, text, aircraft_arrive, rule="10.4")


@rules.action(
    by=GERMAN,
    rule="10.4",
    label="Bring aircraft in",
    group="arrive",
    when=lambda game: (game.turn > 1 and arrived(game) < ALL) or NotNow("no aircraft is due", rule="10.4"),
)
def aircraft_arrive(game: Game, aircraft: Annotated[int, Whole(label="How many", high=ALL)]) -> Events:
    """Put newly arrived aircraft into the pool."""
    if arrived(game) + aircraft > ALL:
        raise Unreadable(
            f"there are {ALL} aircraft and {arrived(game)} are here: at most {ALL - arrived(game)} can come",
            field="aircraft",
            given=aircraft,
            rule="10.4",
        )
    yield from put(game, FREE, int(game[FREE]) + aircraft, "aircraft arrive", "10.4")
    yield from drop(game, aircraft_arrive)  # whoever says it of his own accord is not asked again


@rules.watch
def all_are_here(game: Game) -> Events:
    """Nobody is asked how many come when all have come, by whatever hand [10.4, 12.17]."""
    if arrived(game) >= ALL and game.duties(action=aircraft_arrive.name):
        yield from drop(game, aircraft_arrive, why="all are here")


# -- defence ---------------------------------------------------------------------------------------

NONE_TODAY = "ground-defence"
"""The turn in whose Soviet combat phase the German has said that no aircraft defend any more."""


def may_defend(game: Game) -> bool:
    """Whether the German has aircraft that could defend against a Soviet attack, and has not waived them [12.17]."""
    return int(game[FREE]) > 0 and game[NONE_TODAY] != game.turn


def waive(game: Game) -> Events:
    """He need not be asked at every attack of the phase."""
    yield from put(game, NONE_TODAY, game.turn, IN_PASSING, "12.17")
    yield e.Noted("No aircraft defend in this phase", rule="12.17")


@rules.action(
    by=GERMAN,
    phase=FIGHT[SOVIET],
    rule="12.17",
    label="Let aircraft defend again",
    order=20,
    when=lambda game: (
        (int(game[FREE]) > 0 and game[NONE_TODAY] == game.turn) or NotNow("they may defend", rule="12.17")
    ),
)
def aircraft_defend_again(game: Game) -> Events:
    """Be asked again at every Soviet attack."""
    yield from put(game, NONE_TODAY, 0, IN_PASSING, "12.17")
    yield e.Noted("Aircraft may defend again", rule="12.17")


# -- interdiction ----------------------------------------------------------------------------------


@rules.action(
    by=GERMAN,
    phase="air-placement",
    rule="11.19",
    label="Interdict hexes",
    primary=True,
    when=lambda game: int(game[FREE]) > 0 or NotNow("no aircraft is free", rule="11.19"),
)
def interdict(game: Game, hexes: Annotated[tuple[str, ...], HexId(label="Hexes", many=True)]) -> Events:
    """Place interdiction markers, at most one in a hex; their aircraft cannot support a battle this turn."""
    taken = [h for h in hexes if game.mark(h, "interdiction")]
    if taken:
        words = f"{', '.join(taken)}: at most one marker to a hex"
        raise NotNow(words, field="hexes", given=taken[0], rule="11.19")
    if len(hexes) > int(game[FREE]):
        raise NotNow(
            f"that takes {len(hexes)} aircraft, and {game[FREE]} are free",
            field="hexes",
            given=len(hexes),
            rule="11.19",
        )
    for hex_id in hexes:
        yield e.Marked(
            hex_id, "interdiction", True, reason=f"zone {' '.join(zone(game, hex_id))}", rule="11.19"
        )
    yield from fly(game, len(hexes), INTERDICTING, "interdict", "11.19")


@rules.panel
def interdiction_zones(game: Game) -> Panel | None:
    """The zones with their hexes, for as long as markers lie on the map."""
    rows = [
        Fact(f"marker in {h}", " ".join(zone(game, h)), "11.19") for h in sorted(game.marked("interdiction"))
    ]
    return Panel("Interdiction: Soviets +1 MP", rows) if rows else None
