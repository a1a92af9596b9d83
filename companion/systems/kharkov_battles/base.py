"""Names that the whole game shares: sides, scenarios, seats, and what was done once this turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.engine.errors import NotNow, NotYours
from companion.engine.forms.fields import Context
from companion.engine.forms.worksheet import Breakdown, look_up
from companion.engine.kit.chart import Chart
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems import new_rules

rules = new_rules("kharkov-battles")

AXIS, SOVIET = "axis", "soviet"
STAR, K, L = "operation-star", "second-kharkov-k", "third-kharkov-l"
JANUARY, CAMPAIGN = "january-campaign", "grand-campaign"
D10 = "1d10z"

COMBAT_PHASES = ("axis-combat", "soviet-combat")
MOVE_PHASES = ("axis-move", "soviet-move")
SETTING_UP = ("weather", "air")
"""The phases in which the first turn still asks about the set-up."""
PHASES = (
    "weather", "air", "supply", "maintenance", "reinforcement", "axis-construction", "axis-move", "axis-combat",
    "soviet-command", "soviet-construction", "soviet-move", "soviet-combat", "end",
)  # fmt: skip
CONSTRUCTION = ("axis-construction", "soviet-construction")


def scenario(game: Game) -> str:
    """The scenario's id."""
    return game.scenario.id


def fall_blau(game: Game) -> bool:
    """Whether the scenario is played on Fall Blau's own rules with this book's errata [27.2]."""
    return bool(game.scenario.extra.get("fall-blau"))


def own_side(ctx: Context) -> str:
    """The side of a player's seat; the table's screen speaks for the side whose turn it is."""
    return ctx.seat if ctx.seat in ctx.game.sides else ctx.game.active or AXIS


def own_phone(ctx: Context) -> bool:
    """On a player's own phone his side needs no asking."""
    return ctx.seat in ctx.game.sides


@dataclass(frozen=True)
class Objection:
    """What a rule has against something: words that go on from the name of a unit, and the rule's number."""

    words: str
    rule: str

    def __str__(self) -> str:
        return f"{self.words} [{self.rule}]"

    def to(self, who: str, *, field: str, given: object) -> NotNow:
        """The mistake it makes of a player's choice."""
        return NotNow(f"{who} {self.words}", field=field, given=given, rule=self.rule)


def only_its_own(game: Game, seat: str, side: str, deed: str, field: str = "side") -> None:
    """Refuse a player who acts for the other side; the table's screen may act for both.

    :raises NotYours: saying that the side `deed`s itself
    """
    if seat in game.sides and seat != side:
        raise NotYours(f"{game.side_name(side)} {deed}", field=field, given=seat, accepted=side)


def hex_count(number: int) -> str:
    """'1 hex', '2 hexes'."""
    return count(number, "hex", "hexes")


def read_row(sheet: Breakdown, chart: Chart, row: str) -> None:
    """Look up a table of one column; its only head is not worth a word."""
    look_up(sheet, chart, row)
    if sheet.read_chart:
        sheet.read_chart = f"read your {chart.title}: {chart.row_label} {row}"
    sheet.column = ""


def done(game: Game, what: str) -> bool:
    """Whether something that happens once a turn has happened this turn."""
    return f"{game.turn}/{what}" in game.ticked


def tick(game: Game, what: str, text: str = IN_PASSING) -> e.Ticked:
    """Remember that it has happened; without a text the log keeps silent about it."""
    return e.Ticked(f"{game.turn}/{what}", True, text)


def tick_line(game: Game, action: str) -> Iterator[e.Event]:
    """The line of the phase's checklist that an action belongs to is done with: both sides have done their part."""
    phase = game.phase_def()
    for index, check in enumerate(phase.checklist if phase else ()):
        if check.action == action:
            yield e.Ticked(f"{game.turn}/{game.phase}/{index}", True, IN_PASSING)


def count_done(game: Game, what: str) -> int:
    """How often a numbered thing has happened this turn."""
    return sum(1 for item in game.ticked if item.startswith(f"{game.turn}/{what}/"))


def add(game: Game, track: str, change: int, reason: str, rule: str = "") -> Iterator[e.Event]:
    """Move a track, never below its printed floor."""
    definition = next(t for t in game.kit.tracks if t.id == track)
    value = max(definition.min, min(definition.max, int(game[track]) + change))
    if value != game[track]:
        yield e.Set(track, value, was=game[track], reason=reason, rule=rule)
