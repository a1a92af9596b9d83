"""Winning: the scenario tables, the early victories, and the campaign's calendar [14.2, 15]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.forms.fields import Choice, Context, Whole
from companion.engine.forms.worksheet import Breakdown
from companion.engine.people.consent import propose_end, withdraw_end
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe
from companion.engine.positions.pieces import on_map
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import GERMAN, SOVIET, WEST_ZONE, rules
from companion.systems.enemy_action_kharkov.manifest import calendar, calendar_text
from companion.systems.enemy_action_kharkov.supply import owner, towns

Verdict = tuple[str, str, str]
"""Winner, level, why."""
LEVELS = [(level, level) for level in ("Tactical", "Operational", "Strategic")]
# Lowest VP of each band, best Soviet result first.
STAR_AND_GALLOP = (
    (26, SOVIET, "Strategic"),
    (24, SOVIET, "Operational"),
    (21, SOVIET, "Tactical"),
    (18, GERMAN, "Tactical"),
    (16, GERMAN, "Operational"),
    (0, GERMAN, "Strategic"),
)
INITIAL_ASSAULT = ((8, SOVIET, "Tactical"), (0, GERMAN, "Tactical"))
TABLES = {"initial-assault": (INITIAL_ASSAULT, "15.1"), "star-and-gallop": (STAR_AND_GALLOP, "15.2")}
DRAW_ABOVE = 16
LAST_TURN = 14


def by_table(scenario: str, vp: int) -> Verdict:
    """The result of a scenario table."""
    table, _ = TABLES[scenario]
    side, level = next((s, level) for least, s, level in table if vp >= least)
    return side, level, f"{vp} VP"


def by_calendar(game: Game, turn: int, vp: int) -> Verdict | None:
    """Strictly above the Soviet value or strictly below the German one; None to play on or when unknown [15.36]."""
    over, under = calendar(game, turn, "soviet_over"), calendar(game, turn, "german_under")
    if over is not None and vp > over:
        return (
            SOVIET,
            calendar_text(game, turn, "soviet_level"),
            f"{vp} VP, more than {over} on turn {turn}",
        )
    if under is not None and vp < under:
        return (
            GERMAN,
            calendar_text(game, turn, "german_level"),
            f"{vp} VP, fewer than {under} on turn {turn}",
        )
    return None


def calendar_known(game: Game, turn: int) -> bool:
    """Whether both values of a turn's space are in the owner's calendar; with one alone, the other is asked."""
    return all(calendar(game, turn, column) is not None for column in ("soviet_over", "german_under"))


def after_last_turn(vp: int) -> Verdict:
    """Sixteen VP or fewer at the end of turn 14 [15.36]."""
    if vp <= DRAW_ABOVE:
        return GERMAN, "Tactical", f"{vp} VP after turn 14"
    return "nobody", "Draw", f"{vp} VP after turn 14"


@rules.worksheet(rule="14.2, 15", title="Victory")
def victory(
    ctx: Context,
    scenario: Annotated[
        str,
        Choice(
            label="Scenario",
            options=[
                ("initial-assault", "The Initial Assault"),
                ("star-and-gallop", "Star and Gallop"),
                ("campaign", "Campaign, after turn 14"),
            ],
            start=lambda c: c.game.scenario.id,
        ),
    ] = "star-and-gallop",
    vp: Annotated[int, Whole(label="Soviet VP", high=99, start=lambda c: c.game["vp"])] = 2,
) -> Breakdown:
    """Who wins with so many Soviet VP at the end of the scenario."""
    sheet = Breakdown("Victory")
    verdict = by_table(scenario, vp) if scenario in TABLES else after_last_turn(vp)
    sheet.add(verdict[2], "", "15")
    sheet.result = f"{verdict[0]} {verdict[1]}"
    return sheet


def _propose(game: Game, verdict: Verdict, rule: str, key: str, *, again: bool = False) -> Events:
    """An end before the last turn is put to both sides."""
    winner, level, why = verdict
    yield from propose_end(game, winner, level, f"{why[:1].upper()}{why[1:]}.", rule, key, again=again)


# -- the campaign's calendar [15.36] ---------------------------------------------------------------------


def _compares(game: Game) -> bool:
    """From turn 4 of the campaign on, never in heavy mud; on turn 14 as the table reads it [15.34, 15.36]."""
    if game.scenario.id != "campaign" or game.turn < 4 or game["ground"] == "heavy-mud":
        return False
    return game.turn != LAST_TURN or bool(game["gt14-calendar"])


@rules.entering("end")
def ask_for_the_calendar(game: Game) -> Events:
    """Where the owner's calendar does not tell both values, the printed one is read [4-V, 15.36]."""
    if (
        _compares(game)
        and not calendar_known(game, game.turn)
        and not by_calendar(game, game.turn, int(game["vp"]))
    ):
        text = f"Compare {game['vp']} VP with the two values of turn {game.turn} on your calendar"
        yield owe(game, (*game.sides, "table"), text, calendar_verdict, rule="15.36", turn=game.turn)


@rules.watch
def by_the_calendar(game: Game) -> Events:
    """In the end phase the VP are held against the owner's calendar, as they are now [15.36]."""
    key = f"calendar {game.turn}"
    verdict = by_calendar(game, game.turn, int(game["vp"])) if _compares(game) else None
    if verdict and game.phase == "end":
        yield from _propose(game, verdict, "15.36", key)
    elif calendar_known(game, game.turn):
        yield from withdraw_end(game, key)


@rules.follow_up(
    rule="15.36", label="Compare with the calendar", still=lambda game, duty: duty.args["turn"] == game.turn
)
def calendar_verdict(
    game: Game,
    duty: e.Asked,
    winner: Annotated[
        str,
        Choice(
            label="The VP are",
            options=[
                ("nobody", "at or between the two values: play on"),
                (SOVIET, "above the Soviet value"),
                (GERMAN, "below the German value"),
            ],
        ),
    ],
    level: Annotated[
        str,
        Choice(
            label="Printed level", options=LEVELS, when=lambda c: c.values.get("winner") in (SOVIET, GERMAN)
        ),
    ] = "",
) -> Events:
    """Say what the printed calendar makes of the VP."""
    if winner == "nobody":
        yield e.Noted(f"{game['vp']} VP on turn {game.turn}: the game goes on", rule="15.36")
        return
    why = f"{game['vp']} VP, by the calendar of turn {game.turn}"
    yield from _propose(game, (winner, level, why), "15.36", f"calendar {game.turn}", again=True)


# -- early victories [15.1, 15.2] ------------------------------------------------------------------------

MANY, BROKEN_THROUGH = "26 VP", "breakthrough"
"""On what an early end is founded."""


@rules.watch
def early_victory(game: Game) -> Events:
    """26 VP, or a Soviet unit in Kharkov or beyond the West line [15.1, 15.2]."""
    if game.scenario.id == "star-and-gallop":
        if int(game["vp"]) >= 26:
            yield from _propose(game, by_table("star-and-gallop", int(game["vp"])), "15.2", MANY)
        else:
            yield from withdraw_end(game, MANY)
    if game.scenario.id == "initial-assault" and game["beyond-line"] == "any":
        where = _breakthrough(game)
        if where:
            verdict = (SOVIET, "Operational", f"a Soviet unit in {where}")
            yield from _propose(game, verdict, "15.1", BROKEN_THROUGH)
        else:
            yield from withdraw_end(game, BROKEN_THROUGH)


def _breakthrough(game: Game) -> str:
    """A hex that ends the Initial Assault, entered by a Soviet unit on record or recorded as taken."""
    places = towns(game)
    if any(n.lower().startswith("kharkov") and owner(game, h) == SOVIET for h, n in places.items()):
        return "Kharkov"
    zone = board(game).book.named("area", WEST_ZONE)
    for unit in on_map(game, SOVIET):
        if places.get(unit.place, "").lower().startswith("kharkov"):
            return "Kharkov"
        if zone and unit.place not in zone:
            return f"{unit.place}, beyond the West line"
    return ""


@rules.action(
    phase=("reserve", "command"),
    by="any",
    rule="15.1",
    label="Claim the breakthrough",
    group="book-keeping",
    fresh=True,
    when=lambda game: game.scenario.id == "initial-assault",
)
def breakthrough(game: Game) -> Events:
    """A Soviet unit entered Kharkov or a hex beyond the West support line: the game ends at once."""
    verdict = (SOVIET, "Operational", "Kharkov entered or the West line crossed")
    yield from _propose(game, verdict, "15.1", "told", again=True)


@rules.at_end
def final_verdict(game: Game) -> Events:
    """After the last turn: by the scenario's table; in the campaign by the calendar, else by turn 14's own line [15.36]."""
    vp = int(game["vp"])
    if game.scenario.id in TABLES:
        winner, level, why = by_table(game.scenario.id, vp)
        yield e.Ended(winner, level, why, rule=TABLES[game.scenario.id][1])
        return
    verdict = by_calendar(game, game.turn, vp) if _compares(game) else None
    winner, level, why = verdict or after_last_turn(vp)
    yield e.Ended(winner, level, why, rule="15.36")


def tally(game: Game) -> dict[str, int]:
    """The Soviets alone have points [14.1]."""
    return {SOVIET: int(game["vp"])}


@rules.scores
def in_few_words(game: Game) -> str:
    """Soviet points count for both [14.1]."""
    return f"Soviet {game['vp']} VP"
