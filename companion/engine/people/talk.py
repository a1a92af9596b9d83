"""What players say to each other and to the organiser: notes, a judge called, a reminder put away."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow, NotYours
from companion.engine.forms.fields import Choice, Context, Text
from companion.engine.people.consent import WAIVE, request, who
from companion.engine.play.actions import Events
from companion.engine.play.duties import DONE, NO, NOT_NEEDED
from companion.engine.play.rules import Rules
from companion.engine.record import events as e
from companion.engine.record.game import Game

talk_rules = Rules("talk")


@talk_rules.action(by="any", label="Write a note", group="talk")
def note(game: Game, text: Annotated[str, Text(label="Note", most=500, long=True)]) -> Events:
    """Put a remark in the log."""
    yield e.Noted(text)


SETTLED = "settled"
SHOWN = "judge-sees"
"""The sides that let the judge see what is theirs alone."""


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
    """Settled: play goes on, and what a side showed the judge is its own again."""
    yield e.Set("judge", SETTLED, was=game["judge"])
    if game[SHOWN]:
        yield e.Set(SHOWN, (), reason="the judge has been")


def _may_show(game: Game) -> bool | str:
    return bool(judge(game)) or "no judge is called"


@talk_rules.action(by="any", label="Show the judge my side", group="talk", secret=True, when=_may_show)
def show_judge(game: Game, seat: str = "") -> Events:
    """Let the judge see what only your side sees, until he has been. The other side is told that you did, nothing else."""
    if seat in game[SHOWN]:
        raise NotNow("the judge sees your side already", given=seat)
    yield e.Set(SHOWN, (*game[SHOWN], seat), reason=f"{game.side_name(seat)} lets the judge see its side")


def _instead(ctx: Context) -> list[tuple[str, str]]:
    duty = ctx.game.asked.get(str(ctx.values.get("ask")))
    said = (DONE, NOT_NEEDED) if duty is not None and duty.is_owed else (NO, DONE, NOT_NEEDED)
    return [(word, word.capitalize()) for word in said]


@talk_rules.action(by="any", label="Answer", group="hidden")
def dismiss(
    game: Game,
    ask: Annotated[str, Text(most=60)],
    how: Annotated[str, Choice(label="Because", options=_instead)] = "",
    seat: str = "",
) -> Events:
    """Decline an offer; or say that what is owed was done on the map, or does not apply. The other side is told."""
    duty = game.asked.get(ask)
    if duty is None or duty.is_consent or (seat not in duty.to and seat != "table"):
        raise NotNow("that is no longer open", field="ask", given=ask)
    if seat not in duty.to and duty.only:
        raise NotYours("that is answered on a player's own phone", field="ask", given=seat)
    said = how or (DONE if duty.is_owed else NO)
    if duty.binding and said != DONE:
        text = f"{who(game, seat)} says: {duty.text} does not apply. Agree?"
        yield from request(game, seat, WAIVE, text, {"duty": ask})
        return
    yield e.Answered(ask, said, text=duty.text if duty.is_owed else "")
