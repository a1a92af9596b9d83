"""Winning: the scenario tables, the early victories, and the campaign's calendar [14.2, 15]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Whole
from companion.engine.play.worksheet import Breakdown
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.game import Game

from .base import GERMAN, SOVIET, WEST_ZONE, ask, on_map, rules
from .manifest import calendar, calendar_text
from .supply import owner, towns

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
TABLES = {"initial-assault": (2, INITIAL_ASSAULT, "15.1"), "star-and-gallop": (6, STAR_AND_GALLOP, "15.2")}
DRAW_ABOVE = 16


def by_table(scenario: str, vp: int) -> Verdict:
    """The result of a scenario table."""
    _, table, _ = TABLES[scenario]
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


def _end(verdict: Verdict, rule: str) -> e.Ended:
    return e.Ended(verdict[0], verdict[1], verdict[2], rule=rule)


@rules.entering("end")
def check_victory(game: Game) -> Events:
    """The scenario's last turn, or the campaign's calendar from turn 4; never in heavy mud [4-V, 15.34, 15.36]."""
    if game.ended:
        return
    vp = int(game["vp"])
    if game.scenario.id in TABLES:
        last, _, rule = TABLES[game.scenario.id]
        if game.turn == last:
            yield _end(by_table(game.scenario.id, vp), rule)
        return
    if game.turn < 4 or game["ground"] == "heavy-mud" or (game.turn == 14 and not game["gt14-calendar"]):
        return
    verdict = by_calendar(game, game.turn, vp)
    if verdict:
        yield _end(verdict, "15.36")
    elif not calendar_known(game, game.turn):
        text = f"Compare {vp} VP with the two values of turn {game.turn} on your calendar"
        yield ask(game, "calendar", (*game.sides, "table"), text, "calendar-verdict", "15.36")


def _may_compare(game: Game) -> bool | str:
    if game.scenario.id != "campaign" or game.turn < 4 or game["ground"] == "heavy-mud":
        return "victory is checked from turn 4 of the campaign on, not in heavy mud [15.36]"
    return not calendar_known(game, game.turn) or "the owner's calendar was compared by itself [15.36]"


@rules.action(
    phase="end",
    by="any",
    rule="15.36",
    label="Compare with the calendar",
    primary=True,
    when=_may_compare,
)
def calendar_verdict(
    game: Game,
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
        str, Choice(label="Printed level", options=LEVELS, when=lambda c: c.values.get("winner") != "nobody")
    ] = "",
) -> Events:
    """Say what the printed calendar makes of the VP."""
    if winner == "nobody":
        yield e.Noted(f"{game['vp']} VP on turn {game.turn}: the game goes on", rule="15.36")
        return
    yield _end((winner, level, f"{game['vp']} VP, by the calendar of turn {game.turn}"), "15.36")


@rules.watch
def early_victory(game: Game) -> Events:
    """26 VP, or a Soviet unit in Kharkov or beyond the West line [15.1, 15.2]."""
    if game.ended:
        return
    if game.scenario.id == "star-and-gallop" and int(game["vp"]) >= 26:
        yield _end(by_table("star-and-gallop", int(game["vp"])), "15.2")
    if game.scenario.id == "initial-assault" and game["beyond-line"] == "any":
        where = _breakthrough(game)
        if where:
            yield _end((SOVIET, "Operational", f"a Soviet unit in {where}"), "15.1")


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
    label="Kharkov entered or West line crossed",
    group="book-keeping",
    fresh=True,
    when=lambda game: game.scenario.id == "initial-assault",
)
def breakthrough(game: Game) -> Events:
    """A Soviet unit entered Kharkov or a hex beyond the West support line: the game ends at once."""
    yield _end((SOVIET, "Operational", "Kharkov entered or the West line crossed"), "15.1")


@rules.at_end
def final_verdict(game: Game) -> Events:
    """After turn 14 with nobody ahead by the calendar [15.36]."""
    if game.scenario.id == "campaign":
        yield _end(after_last_turn(int(game["vp"])), "15.36")
    else:
        last, _, rule = TABLES[game.scenario.id]
        yield _end(by_table(game.scenario.id, int(game["vp"])), rule)


@rules.scores
def in_few_words(game: Game) -> str:
    """Soviet points count for both [14.1]."""
    return f"Soviet {game['vp']} VP"
