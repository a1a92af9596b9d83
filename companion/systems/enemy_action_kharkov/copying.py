"""A real chit that lies open is copied into the owner's chit sheet, so that the cup fills by playing [2.22, 9.4]."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Flag
from companion.engine.kit.blocks import SystemKit
from companion.engine.kit.lists import Column
from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.changes import read_face
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import rules
from companion.systems.enemy_action_kharkov.manifest import CHITS, cup_is_real, needs_detail
from companion.systems.enemy_action_kharkov.situations import words

LIST, SIDES = "chits", ("front", "back")
Pairs = list[tuple[str, str]]


def _columns(kit: SystemKit) -> dict[str, Column]:
    shape = next(book for book in kit.books if book.id == LIST)
    return {column["id"]: Column.from_toml(column) for column in shape.columns}


def blank_row(game: Game) -> str:
    """The first chit of the sheet that nobody has copied; a begun one is its owner's to finish."""
    sheet = game.listed(LIST)
    return next((chit for chit in CHITS if not any(sheet.get(chit, {}).values())), "")


def _can_copy(game: Game) -> bool | str:
    if not cup_is_real(game):
        return False  # the companion draws, so it knows them all
    pile = game.piles[LIST]
    if not (pile["drawn"] or pile["aside"]):
        return "a chit is copied while it lies out of the cup, for both players to see [9.4]"
    return bool(blank_row(game)) or "all sixty chits are begun: finish them in the chart book"


def _situations(ctx: Context) -> Pairs:
    return [(str(value), label) for value, label in _columns(ctx.game.kit)["front"].choices]


def _usual(name: str) -> Callable[[Context], Pairs]:
    """The texts that are usual in a column, and those that stand on chits already."""

    def options(ctx: Context) -> Pairs:
        face, _, _ = name.partition("_")
        row = {face: ctx.values.get(face)}
        own = _columns(ctx.game.kit)[name]
        used = {
            str(chit[other])
            for chit in ctx.game.listed(LIST).values()
            for side in SIDES
            if chit.get(other := name.replace(face, side)) and (own.when == {} or chit.get(side) == row[face])
        }
        return [(text, text) for text in dict.fromkeys((*own.usual(row), *sorted(used)))]

    return options


def _detailed(face: str) -> Callable[[Context], bool]:
    return lambda ctx: needs_detail(str(ctx.values.get(face) or ""))


def _face(values: Mapping[str, Any]) -> dict[str, Any]:
    """A chit as a row of the sheet, without what is not on it: of a form's answers, or of a row."""
    red = values.get("red_p")
    marked = {f"{side}_p": bool(values.get(f"{side}_p")) or red == side for side in SIDES}
    names = ("dark", *(f"{side}{part}" for side in SIDES for part in ("", "_detail", "_hits", "_p")))
    found = {name: marked.get(name, values.get(name)) for name in names}
    for side in SIDES:
        if not needs_detail(str(found[side])):
            found[f"{side}_detail"] = ""
    return {name: value for name, value in found.items() if value}


def _told(face: Mapping[str, Any]) -> str:
    sides = (f"{words(face[s], face.get(f'{s}_detail', ''))} {face[f'{s}_hits']}" for s in SIDES)
    return " / ".join(sides) + (", dark" if face.get("dark") else "")


def _same_again(ctx: Context) -> Iterator[str]:
    """One chit copied twice would be two chits in the cup."""
    face = _face(ctx.values)
    same = [number for number, chit in ctx.game.listed(LIST).items() if _face(chit) == face]
    if same:
        yield f"{', '.join(same)} on the chit sheet shows the same: copy it only if this is another chit"


@rules.action(
    phase="command",
    by="any",
    rule="2.22, 9.4",
    label="Copy a chit into the book",
    group="book-keeping",
    when=_can_copy,
    warns=_same_again,
)
def copy_chit(
    game: Game,
    *,
    front: Annotated[str, Choice(label="Front", options=_situations)],
    front_detail: Annotated[
        str, Choice(label="Front: which", options=_usual("front_detail"), when=_detailed("front"))
    ] = "",
    front_hits: Annotated[str, Choice(label="Front: hits", options=_usual("front_hits"))],
    back: Annotated[str, Choice(label="Back", options=_situations)],
    back_detail: Annotated[
        str, Choice(label="Back: which", options=_usual("back_detail"), when=_detailed("back"))
    ] = "",
    back_hits: Annotated[str, Choice(label="Back: hits", options=_usual("back_hits"))],
    red_p: Annotated[str, Choice(label="Red P", options=[("front", "Front"), ("back", "Back")])] = "",
    dark: Annotated[bool, Flag(label="It is a dark chit")] = False,
) -> Events:
    """Tap in both sides of a chit that lies open; the chart book keeps it for every table."""
    face = _face(
        {
            "front": front,
            "front_detail": front_detail,
            "front_hits": front_hits,
            "back": back,
            "back_detail": back_detail,
            "back_hits": back_hits,
            "red_p": red_p,
            "dark": dark,
        }
    )
    for side in SIDES:
        if needs_detail(face[side]) and not face.get(f"{side}_detail"):
            raise Unreadable(f"which {face[side]}?", field=f"{side}_detail", rule="9.4")
    yield e.Noted(f"copied a chit: {_told(face)}", rule="9.4")
    yield from read_face(game, LIST, blank_row(game), face)
