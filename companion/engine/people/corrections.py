"""What is done by hand at every table: dice for anything, values put right, the table's settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import Unknown
from companion.engine.forms.fields import Choice, Context, Dice, Roll, Text, Whole
from companion.engine.play.actions import Events
from companion.engine.play.rules import Rules
from companion.engine.record import events as e
from companion.engine.record.game import Game

correction_rules = Rules("corrections")


@correction_rules.action(by="any", label="Roll dice", group="dice", when=lambda game: bool(game.kit.tray))
def roll_dice(
    game: Game,
    dice: Annotated[str, Text(label="Dice", most=12, placeholder="2d6")] = "1d6",
    purpose: Annotated[str, Text(label="What for", most=80, placeholder="optional")] = "",
    result: Annotated[
        Roll | None,
        Dice(
            label="Roll",
            spec=lambda c: str(c.values.get("dice") or "1d6"),
            purpose=lambda c: str(c.values.get("purpose") or ""),
        ),
    ] = None,
) -> Events:
    """Roll any dice, for anything."""
    return iter(())


def _values(ctx: Context) -> list[tuple[str, str]]:
    game = ctx.game
    return [(n, label) for n, label in named_values(game) if ctx.seat in game.hidden.get(n, (ctx.seat,))]


def _tracks(ctx: Context) -> list[str]:
    return [t.id for t in ctx.game.kit.tracks]


def _is_now(ctx: Context) -> Any:
    name = str(ctx.values.get("name") or "")
    value = ctx.game[name] if name else ""
    return {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value


@dataclass(frozen=True)
class NamedValue(Text):
    """A value of whatever the field `name` names: the form asks for a number, or offers the positions of a dial."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        name = str(ctx.values.get("name") or "")
        if not name:
            return super().describe(ctx)
        track = next((t for t in ctx.game.kit.tracks if t.id == name), None)
        if track is not None:
            return {"type": "whole", "min": track.min, "max": track.max}
        choices = value_choices(ctx.game, name)
        return {"type": "choice", "choices": [{"value": v, "label": label} for v, label in choices]}


@correction_rules.action(by="any", label="Correct a value", group="fix")
def correct(
    game: Game,
    name: Annotated[str, Choice(label="What", options=_values)],
    value: Annotated[str, NamedValue(label="Is really", most=60, start=_is_now)],
    reason: Annotated[str, Text(label="Why", most=200, placeholder="for the log")] = "",
) -> Events:
    """Set any track, dial or option by hand; the log keeps the reason."""
    yield e.Set(
        name,
        _checked(game, name, value),
        was=game[name],
        reason=reason or "corrected by hand",
        only=game.hidden.get(name, ()),
    )


def _checked(game: Game, name: str, value: str) -> Any:
    for track in game.kit.tracks:
        if track.id == name:
            return Whole(low=track.min, high=track.max).read(value, Context(game))
    choices = value_choices(game, name)
    if not choices:
        raise Unknown(f"there is no value {name!r}", field="name", given=name)
    chosen = Choice(options=choices).read(value, Context(game))
    return chosen == "yes" if choices == YES_NO else chosen


YES_NO = [("yes", "Yes"), ("no", "No")]


def value_choices(game: Game, name: str) -> list[tuple[str, str]]:
    """The positions of a dial or the answers to an option; empty when there is no such thing."""
    for dial in game.kit.dials:
        if dial.id == name:
            return [(v.id, v.label) for v in dial.values]
    for option in (*game.kit.options, *game.scenario.options):
        if option.id == name:
            return [(v.id, v.label) for v in option.choices] or YES_NO
    return []


@correction_rules.action(by="any", label="Change a track", group="hidden")
def adjust(
    game: Game,
    name: Annotated[
        str,
        Choice(label="Track", options=lambda c: [(n, label) for n, label in _values(c) if n in _tracks(c)]),
    ],
    change: Annotated[int, Whole(label="By", low=-99, high=99)],
    reason: Annotated[str, Text(label="Why", most=200)] = "",
) -> Events:
    """Move a track up or down."""
    yield e.Set(
        name,
        _checked(game, name, str(int(game[name]) + change)),
        was=game[name],
        reason=reason or "by hand",
        only=game.hidden.get(name, ()),
    )


def named_values(game: Game) -> list[tuple[str, str]]:
    """Every track, dial and option with its label."""
    return [
        *((t.id, t.label) for t in game.kit.tracks),
        *((d.id, d.label) for d in game.kit.dials),
        *((o.id, o.label) for o in (*game.kit.options, *game.scenario.options)),
    ]
