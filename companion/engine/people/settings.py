"""How a table is set: digital or real dice, chits and cards, the fog of war, and how much goes on record."""

from __future__ import annotations

from typing import Annotated

from companion.engine.forms.fields import Choice, Flag
from companion.engine.once import once
from companion.engine.people.consent import LIFT_FOG, request
from companion.engine.play.actions import Events
from companion.engine.play.rules import Rules
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.engine.record.sequence import first

setting_rules = Rules("settings")


MODES = (("either", "Digital, or typed in"), ("digital", "Digital only"), ("physical", "Real ones, typed in"))

EFFORTS = (
    ("turn", "Just run the turn"),
    ("exceptions", "Mark exceptions"),
    ("record", "Put every counter on record"),
)
"""How much the players tell of the map, the least first; each can be chosen at any time."""

SETTING_NAMES = {"mode-dice": "Dice", "mode-chits": "Chits", "mode-cards": "Cards", "effort": "On record"}
SETTING_VALUES = {**{name: MODES for name in SETTING_NAMES if name != "effort"}, "effort": EFFORTS}
"""What the table's own settings and their values are called."""


def _mode(thing: str) -> Choice:
    """Digital or real, asked for what the game has."""
    return Choice(
        label=thing.capitalize(),
        options=MODES,
        start=lambda c: c.game[f"mode-{thing}"],
        when=lambda c: thing in c.game.kit.uses,
    )


@setting_rules.action(by="table", label="Table settings", group="settings")
def set_mode(
    game: Game,
    dice: Annotated[str, _mode("dice")] = "",
    chits: Annotated[str, _mode("chits")] = "",
    cards: Annotated[str, _mode("cards")] = "",
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
        if value and game[name] != value:  # what a form does not name stays as it is
            yield e.Set(name, value, was=game[name])
    if fog and not game["fog"]:
        yield e.Set("fog", True, was=False)
    elif game["fog"] and not fog:  # shows everybody what was hidden, so it is not the table's to decide
        text = "The fog of war is to be lifted: each side would see all of the other's stacks. Agree?"
        yield from request(game, seat, LIFT_FOG, text, {})


@once
def is_unsettled(game: Game) -> bool:
    """Whether a new table still has to say how much goes on record: nobody has, and nothing is done that would tell."""
    opened = (game.turn, game.phase) == first(game)
    return not game["effort"] and opened and not game.units and not game.ended


@setting_rules.action(by="any", label="How much goes on record", group="settings")
def set_effort(
    game: Game,
    effort: Annotated[str, Choice(label="How much", options=EFFORTS, start=lambda c: c.game["effort"])],
) -> Events:
    """Choose how much you tell the companion of the map; any of it works at any time."""
    if game["effort"] != effort:
        yield e.Set("effort", effort)
