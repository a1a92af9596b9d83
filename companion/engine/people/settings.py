"""How a table is set: digital or real dice, chits and cards, and the fog of war."""

from __future__ import annotations

from typing import Annotated

from companion.engine.forms.fields import Choice, Flag
from companion.engine.people.consent import LIFT_FOG, request
from companion.engine.play.actions import Events
from companion.engine.play.rules import Rules
from companion.engine.record import events as e
from companion.engine.record.game import Game

setting_rules = Rules("settings")


MODES = (("either", "Digital, or typed in"), ("digital", "Digital only"), ("physical", "Real ones, typed in"))


@setting_rules.action(by="table", label="Table settings", group="settings")
def set_mode(
    game: Game,
    dice: Annotated[str, Choice(label="Dice", options=MODES, start=lambda c: c.game["mode-dice"])] = "either",
    chits: Annotated[
        str, Choice(label="Chits", options=MODES, start=lambda c: c.game["mode-chits"])
    ] = "either",
    cards: Annotated[
        str, Choice(label="Cards", options=MODES, start=lambda c: c.game["mode-cards"])
    ] = "either",
    fog: Annotated[
        bool,
        Flag(
            label="Fog of war",
            help="a side sees only what it may of the other's stacks",
            start=lambda c: c.game["fog"],
        ),
    ] = False,
    seat: str = "",
) -> Events:
    """Choose between digital and real dice, chits and cards; hide or show stacks."""
    for name, value in (("mode-dice", dice), ("mode-chits", chits), ("mode-cards", cards)):
        if game[name] != value:
            yield e.Set(name, value, was=game[name])
    if fog and not game["fog"]:
        yield e.Set("fog", True, was=False)
    elif game["fog"] and not fog:  # shows everybody what was hidden, so it is not the table's to decide
        text = "The fog of war is to be lifted: each side would see all of the other's stacks. Agree?"
        yield from request(game, seat, LIFT_FOG, text, {})
