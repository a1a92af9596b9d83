"""Seats as far as the record knows them: a new code for a lost device, a closed seat. The store keeps who sits where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Choice, Context
from companion.engine.people.consent import deed
from companion.engine.play.actions import Events
from companion.engine.play.rules import Rules
from companion.engine.record import events as e
from companion.engine.record.game import Game

seat_rules = Rules("seats")


def _sides(ctx: Context) -> list[tuple[str, str]]:
    return [(s.id, s.name) for s in ctx.game.kit.sides]


@seat_rules.action(by="any", label="The table's screen is lost: new code", group="hidden")
def lost_table(game: Game, seat: str = "") -> Events:
    """Ask the other side for a new code for the table's screen; playing solo, or alone at the table, it comes at once."""
    open_now = next((a for a in game.asked.values() if a.by == e.NEW_CODE), None)
    if open_now is not None and seat in open_now.to:  # both say the same: that is agreement
        yield e.Answered(open_now.id, "agreed")
        yield from _granted(game, open_now.args, game.side_name(seat))
        return
    if open_now is not None:
        names = " and ".join(game.side_name(s) for s in open_now.to)
        raise NotNow(f"{names} was asked already: wait for the answer", given=seat)
    others = tuple(s for s in game.sides if s != seat and s in game.seated)
    if seat == "table" or game["solo"] or not others:
        who = "asked on the screen itself" if seat == "table" else f"{game.side_name(seat)} asked"
        yield e.Seated("table", "new-code", why=who)
        return
    text = (
        f"{game.side_name(seat)} says the table's screen is lost and asks for a new code. "
        "The old screen is signed out at once. Agree?"
    )
    yield e.Asked(f"{e.NEW_CODE}-{game.revision}", others, text, "agree", {"asker": seat}, by=e.NEW_CODE)


@deed(e.NEW_CODE)
def _granted(game: Game, args: Mapping[str, Any], by: str) -> Events:
    asker = game.side_name(str(args["asker"]))
    yield e.Seated("table", "new-code", why=f"{asker} asked, {by} agreed")


@seat_rules.action(by="table", label="New code for a seat", group="hidden")
def new_code(game: Game, which: Annotated[str, Choice(label="Seat", options=_sides)]) -> Events:
    """Sign a side's device out and show a new code for its seat: a lost phone, or one that changes hands."""
    yield e.Seated(which, "new-code")


@seat_rules.action(by="table", label="Close a seat", group="hidden")
def close_seat(game: Game, which: Annotated[str, Choice(label="Seat", options=_sides)]) -> Events:
    """Sign a side's device out and let nobody sit there until the seat gets a new code."""
    yield e.Seated(which, "closed")
