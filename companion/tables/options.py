"""Options that every table has, and those of a new table as they were given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.engine.errors import Mistake, Unreadable, did_you_mean
from companion.engine.forms.fields import Choice, Context, Flag
from companion.engine.kit.blocks import Option, Value
from companion.engine.people.clocks import CLOCK_STATES, LIMITS
from companion.engine.people.settings import MODES
from companion.engine.record.game import Game


def common_options() -> tuple[Option, ...]:
    """Options that every table has."""
    modes = tuple(Value(v, label) for v, label in MODES)
    return (
        Option(
            "mode-dice",
            "Dice",
            "either",
            modes,
            "Rolled by the companion, or real dice typed in.",
            kind="mode",
        ),
        Option(
            "mode-chits",
            "Chits",
            "either",
            modes,
            "Drawn by the companion, or from your own cup.",
            kind="mode",
        ),
        Option(
            "mode-cards", "Cards", "either", modes, "Dealt by the companion, or your own deck.", kind="mode"
        ),
        Option(
            "solo",
            "Solo",
            False,
            (),
            "One device holds every seat; nobody needs to agree to a take-back.",
            kind="mode",
        ),
        Option(
            "fog", "Fog of war", True, (), "A side sees only what it may of the other's stacks.", kind="mode"
        ),
    )


def clock_options() -> tuple[Option, ...]:
    """Options of a table that is opened with clocks; others start them in play."""
    return (
        Option(
            "clock",
            "Side clocks",
            "off",
            tuple(Value(v, label) for v, label in CLOCK_STATES),
            "A clock for each side, which counts while the table waits for it.",
            kind="mode",
        ),
        Option(
            "clock-limit",
            "Minutes a side",
            "0",
            tuple(Value(v, v if v != "0" else "No limit") for v in LIMITS),
            "How long each side may take in all.",
            kind="mode",
        ),
    )


def read_options(game: Game, given: Mapping[str, Any]) -> dict[str, Any]:
    known = {
        o.id: o for o in (*common_options(), *clock_options(), *game.kit.options, *game.scenario.options)
    }
    settings: dict[str, Any] = {o.id: o.default for o in common_options()}
    for name, raw in given.items():
        option = known.get(name)
        if option is None:
            raise Unreadable(
                f"there is no option {name[:40]!r}.{did_you_mean(name, known)}",
                field=name,
                given=name,
                accepted=", ".join(known),
            )
        field_ = Choice(options=[(v.id, v.label) for v in option.choices]) if option.choices else Flag()
        try:
            settings[name] = field_.read(raw, Context(game))
        except Mistake as mistake:
            mistake.field = name
            raise
    if settings["solo"]:
        settings["fog"] = False
    return settings
