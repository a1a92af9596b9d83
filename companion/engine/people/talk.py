"""What players say to each other and to the organiser: notes, a judge called, a reminder put away."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.play.actions import Events
from companion.engine.play.fields import Text
from companion.engine.play.rules import Rules
from companion.engine.record import events as e
from companion.engine.record.game import Game

talk_rules = Rules("talk")


@talk_rules.action(by="any", label="Write a note", group="talk")
def note(game: Game, text: Annotated[str, Text(label="Note", most=500, long=True)]) -> Events:
    """Put a remark in the log."""
    yield e.Noted(text)


SETTLED = "settled"


def judge(game: Game) -> str:
    """What a judge is waited for; nothing when none is."""
    return "" if game["judge"] in (None, SETTLED) else str(game["judge"])


@talk_rules.action(by="any", label="Call a judge", group="talk", when=lambda game: not judge(game))
def call_judge(
    game: Game,
    about: Annotated[
        str, Text(label="What about", most=80, placeholder="rule 12.4, retreat before combat")
    ] = "",
    seat: str = "",
) -> Events:
    """Ask for a judge: the organiser's hall shows this table first."""
    who = "the table" if seat == "table" else game.side_name(seat)
    yield e.Set("judge", about or "called", reason=f"asked by {who}")


@talk_rules.action(by="any", label="The judge has been", group="talk", when=lambda game: bool(judge(game)))
def judge_has_been(game: Game) -> Events:
    """Settled: play goes on."""
    yield e.Set("judge", SETTLED, was=game["judge"])


@talk_rules.action(by="any", label="Not needed", group="hidden")
def dismiss(game: Game, ask: Annotated[str, Text(most=60)], seat: str = "") -> Events:
    """Put away a reminder that is not needed."""
    question = game.asked.get(ask)
    if question is None or question.is_consent or (seat not in question.to and seat != "table"):
        raise NotNow("that reminder is no longer open", field="ask", given=ask)
    yield e.Answered(ask, "not needed")
