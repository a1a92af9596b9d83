"""The table's settings: modes, readings of the rules, what the companion shows; each is changed where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from flask import render_template

from companion.engine.kit.blocks import Option
from companion.engine.people.corrections import YES_NO
from companion.engine.people.settings import EFFORTS, MODES
from companion.engine.record.game import Game
from companion.engine.seat.shapes import ActionView
from companion.engine.seat.words import value_label
from companion.web.page import page_context, said, target
from companion.web.play import bp
from companion.web.seats import WATCH, DeviceVisit, require

KINDS = {"reading": "How you read the rules", "rule": "Optional rules", "help": "What the companion shows"}
ABOUT_MODES = {
    "dice": "Rolled by the companion, or your own dice typed in.",
    "chits": "Drawn by the companion, or from your own cup.",
    "cards": "Dealt by the companion, or from your own deck.",
}
FOG = "A side sees only what it may of the other's stacks. Lifting it asks both sides."
EFFORT = "How much you tell of the map. Turns, dice and odds need nothing; zones, supply and the map need every counter."
MIXING = ("add-entropy",)
FOLLOWS = ("set-mode", "set-effort", "correct")
"""Done on this page with a tap, so that no button opens a form for them."""


@dataclass(frozen=True)
class Answer:
    """One of a setting's choices."""

    value: str
    label: str
    on: bool
    suggested: bool = False


@dataclass(frozen=True)
class Setting:
    """Something that the players can set, with its choices and the action that sets it."""

    id: str
    label: str
    now: str
    choices: Sequence[Answer]
    action: str
    sends: str
    """The field that a choice answers."""
    args: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    rule: str = ""
    changed: bool = False
    may: bool = True
    why: str = ""
    """Where it is set, for a seat that may not."""


@dataclass(frozen=True)
class Group:
    """Settings that belong together."""

    id: str
    title: str
    about: str
    settings: Sequence[Setting]
    open: bool = False


@bp.get("/t/<code>/<seat>/settings")
def settings_page(code: str, seat: str) -> str:
    """Modes, readings of the rules, corrections, and how to check the dice."""
    visit = require(code, seat)
    game, actions = visit.game, visit.view.actions
    return render_template(
        "settings_live.html" if target() == "live" else "settings.html",
        groups=[group for group in _groups(visit) if group.settings],
        fixes=_offered(actions, ("settings", "fix"), but=(*FOLLOWS, *MIXING)),
        mixing=[a for a in actions if a.name in MIXING],
        entropy={s: bool(game[f"entropy-{s}"]) for s in game.sides},
        seed=visit.row.seed if game.record_open else "",
        **page_context(visit, said(visit)),
    )


def _offered(
    actions: Iterable[ActionView], groups: tuple[str, ...], but: tuple[str, ...]
) -> list[ActionView]:
    return [a for a in actions if a.group in groups and a.name not in but]


def _groups(visit: DeviceVisit) -> list[Group]:
    game, seat = visit.game, visit.seat
    used = ", ".join(game.kit.uses)
    found = [Group("modes", "Real or digital", f"{used}, fog", _modes(game, seat), open=True)]
    options = (*game.kit.options, *game.scenario.options)
    for kind, title in KINDS.items():
        rows = [_reading(game, o, seat) for o in options if o.kind == kind]
        changed = sum(row.changed for row in rows)
        about = f"{len(rows)}, {changed} changed" if changed else f"{len(rows)}, as suggested"
        found.append(Group(kind, title, about, rows))
    return found


def _modes(game: Game, seat: str) -> list[Setting]:
    """Dice, chits and cards as far as the game has them, the fog, and how much goes on record."""
    may, why = seat == "table", "" if seat == WATCH else "Set on the table's screen."
    kept = {"fog": "on"} if game["fog"] else {}  # a box that is not sent is an empty one
    found = []
    for thing in game.kit.uses:
        now = str(game[f"mode-{thing}"])
        choices = [Answer(value, label, value == now) for value, label in MODES]
        label = next(c.label for c in choices if c.on)
        found.append(
            Setting(
                thing,
                thing.capitalize(),
                label,
                choices,
                "set-mode",
                thing,
                kept,
                ABOUT_MODES[thing],
                may=may,
                why=why,
            )
        )
    fog = [Answer("on", "On", bool(game["fog"])), Answer("", "Off", not game["fog"])]
    if not game["solo"]:
        now = "On" if game["fog"] else "Off"
        found.append(Setting("fog", "Fog of war", now, fog, "set-mode", "fog", {}, FOG, may=may, why=why))
    ways = [Answer(value, label, value == game["effort"]) for value, label in EFFORTS]
    now = next((way.label for way in ways if way.on), "Not chosen")
    found.append(
        Setting("effort", "On record", now, ways, "set-effort", "effort", {}, EFFORT, may=seat != WATCH)
    )
    return found


def _reading(game: Game, option: Option, seat: str) -> Setting:
    """An option of the game, with its choices as buttons."""
    value = game[option.id]
    pairs = [(v.id, v.label) for v in option.choices] or YES_NO
    held = {True: "yes", False: "no"}.get(value, str(value)) if not option.choices else str(value)
    usual = {True: "yes", False: "no"}.get(option.default, "") if not option.choices else str(option.default)
    return Setting(
        option.id,
        option.label,
        value_label(game, option.id, value),
        [Answer(v, label, v == held, v == usual) for v, label in pairs],
        "correct",
        "value",
        {"name": option.id, "reason": "agreed at the table"},
        option.text,
        option.rule,
        changed=held != usual,
        may=seat != WATCH,
    )
