"""What happens at every table whatever the game: words into the seed, dice, ticks, notes, corrections, taking back."""

from __future__ import annotations

from typing import Any

from ..recorder import Stored


def evening_begins(t: Stored) -> None:
    """Both sides add to the seed; dice fall digitally and on the table; a slip is taken back."""
    one, other = t.game.sides
    t.do(one, "add-entropy", words=f"{one} and a cup of tea")
    t.do(other, "add-entropy", words="Übermut 17")
    t.do("table", "note", text="Käthe brought the map; the dog lies on hex 2012.")
    if t.game["mode-dice"] != "physical":
        t.do(one, "roll-dice", dice="2d6", purpose="who sets up first")
    if t.game["mode-dice"] != "digital":
        t.do(other, "roll-dice", dice="1d10z", purpose="a real die", result="7")
    tick(t)
    slip(t)


def tick(t: Stored) -> None:
    """Tick the first lines of this phase's checklist, and clear one again."""
    for number, line in enumerate(t.sees("table")["phase"]["checklist"][:2]):
        t.do("table", "tick", item=line["item"], done=True)
        if number:
            t.do("table", "tick", item=line["item"], done=False)


def slip(t: Stored) -> None:
    """A track goes up by mistake and the tap is taken back; nobody needs to agree."""
    track = next(k for k in t.game.kit.tracks if not k.hidden and isinstance(t.game[k.id], int))
    value = t.game[track.id]
    before = t.revision
    t.do("table", "correct", name=track.id, value=str(_other(value, track.max)), reason="miscounted")
    t.do("table", "take-back", to=before)
    t.do("table", "note", text="that was the wrong track")


def _other(value: int, most: int | None) -> int:
    return value - 1 if most is not None and value >= most else value + 1


def roll_taken_back(t: Stored, side: str) -> None:
    """A roll is taken back with the other side's leave; another request is refused."""
    other = t.game.other(side)
    before = t.revision
    t.do(side, "roll-dice", dice="1d6", purpose="the wrong battle")
    t.do(side, "take-back", to=before)
    agree(t, other)
    t.do(side, "roll-dice", dice="1d6", purpose="the right battle")
    t.do(side, "take-back", to=before)
    refuse(t, other)


def agree(t: Stored, side: str) -> None:
    """Give leave to take back, where it is asked for."""
    for name in _requests(t):
        t.do(side, "agree", ask=name, yes=True)


def refuse(t: Stored, side: str) -> None:
    """Refuse to take back, where it is asked for."""
    for name in _requests(t):
        t.do(side, "agree", ask=name, yes=False)


def _requests(t: Stored) -> list[str]:
    return [ask.id for ask in t.game.asked.values() if ask.by == "take-back"]


def judge_called(t: Stored, side: str) -> None:
    """A judge is called and has been."""
    t.do(side, "call-judge", about="retreat over a river")
    t.do("table", "judge-has-been")


def tidy(t: Stored) -> None:
    """Put away whatever is still asked."""
    for name in list(t.game.asked):
        t.do("table", "dismiss", ask=name)


def answer_to(t: Stored, seat: str, action: str, **fields: Any) -> None:
    """Do the first thing of this name that a seat is asked for."""
    ask = next(a for a in t.asked(seat) if a["action"] == action)
    given = {"_asked": ask["id"]} if t.rules.find(action).follow_up else {**ask["args"], "_asked": ask["id"]}
    t.do(seat, action, **given, **fields)
