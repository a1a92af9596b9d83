"""Hitler's visit to Zaporizhzhia and the Soviets' one chance to catch him [B15.3]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.forms.fields import Dice, Roll
from companion.engine.people.consent import propose_end
from companion.engine.play.actions import Events
from companion.engine.play.duties import drop, owe
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import GERMAN, SOVIET, ZAPORIZHZHIA, rules
from companion.systems.panzer_keil.ground import occupier

COMES, LEAVES = "7", "8"
CAUGHT = "Hitler"
"""What the end is founded on [B15.3.3]."""


@rules.entering("german-move", turns=COMES)
def _arrives(game: Game) -> Events:
    # With a German zone over it nobody occupies the hex [5.4.1]; he does not land among Soviet units all the same.
    held = any(u.side == SOVIET for u in game.units_at(ZAPORIZHZHIA))
    if held or occupier(game, ZAPORIZHZHIA) == SOVIET:
        yield e.Noted("Zaporizhzhia is Soviet: Hitler does not come", rule="B15.3.1")
        return
    yield e.Set("hitler", "here", was=game["hitler"], rule="B15.3.1")
    if game.mark(ZAPORIZHZHIA, "owner") == SOVIET:  # who passes now passes anew
        yield e.Marked(ZAPORIZHZHIA, "owner", GERMAN, reason=IN_PASSING, rule="B15.3.1")
    yield e.Marked(ZAPORIZHZHIA, "hitler-here", True, rule="B15.3.1")


@rules.entering("german-move", turns=LEAVES)
def _departs(game: Game) -> Events:
    if game["hitler"] != "away":
        yield e.Set("hitler", "away", was=game["hitler"], rule="B15.3.2")
    if game.mark(ZAPORIZHZHIA, "hitler-here"):
        yield e.Marked(ZAPORIZHZHIA, "hitler-here", None, rule="B15.3.2")


def _there(game: Game) -> bool | str:
    if game["hitler"] in ("missed", "caught"):
        return "the one chance to capture Hitler is used up [B15.3.2]"
    return game["hitler"] == "here" or "Hitler is not in Zaporizhzhia"


Die = Annotated[Roll, Dice(label="Die", spec="1d6", purpose="capture Hitler")]


@rules.action(
    phase=("soviet-move", "soviet-combat"),
    by=SOVIET,
    rule="B15.3.3",
    label="Capture Hitler",
    when=_there,
    order=50,
)
def capture_hitler(game: Game, die: Die) -> Events:
    """A Soviet unit has entered Zaporizhzhia: on a 6 the war is over."""
    yield from drop(game, roll_for_hitler)
    yield from _grab(game, die)


def _let_go(game: Game, duty: e.Asked, how: str) -> Events:
    """There is one chance [B15.3.2]: whoever says that it is over has had it."""
    if game["hitler"] == "here":
        yield e.Set("hitler", "missed", was="here", reason=how, rule="B15.3.2")


@rules.follow_up(rule="B15.3.3", label="Roll to capture Hitler", declined=_let_go)
def roll_for_hitler(game: Game, die: Die) -> Events:
    """A Soviet unit has entered Zaporizhzhia: on a 6 the war is over."""
    yield from _grab(game, die)


def _grab(game: Game, die: Roll) -> Events:
    caught = die.total == 6
    yield e.Set(
        "hitler",
        "caught" if caught else "missed",
        was=game["hitler"],
        reason=f"rolled {die.total}",
        rule="B15.3.3",
    )
    if caught:
        yield from propose_end(
            game, SOVIET, "decisive", "Hitler is captured in Zaporizhzhia.", "B15.3.3", CAUGHT
        )


@rules.watch
def _soviets_enter(game: Game) -> Events:
    """Whoever enters, to stay, to pass or in retreat, gives the one chance [B15.3.3]."""
    if game["hitler"] != "here" or game.ended:
        return
    inside = any(u.side == SOVIET for u in game.units_at(ZAPORIZHZHIA))
    passed = game.mark(ZAPORIZHZHIA, "owner") == SOVIET
    if (inside or passed) and not game.duties(action=roll_for_hitler.name):
        text = "A Soviet unit is in Zaporizhzhia: roll to capture Hitler"
        yield owe(game, SOVIET, text, roll_for_hitler, rule="B15.3.3")
