"""Games about one thing alone, whatever the rules."""

from __future__ import annotations

from systems.second_kharkov.conftest import invented_book

from . import common
from .second_kharkov import Table


def undo() -> None:
    """Undos of every kind: a tap, a phase, a roll by consent, an undo undone, and back over two snapshots."""
    t = Table("second-kharkov", "historical", invented_book("1/1"))
    common.evening_begins(t)
    t.do("table", "set-up")
    early = t.revision
    before = t.revision
    t.do("soviet", "place-unit", unit="rifle-2718", hex="2719")
    t.do("soviet", "take-back", to=before)
    undone = t.revision
    t.do("table", "correct", name="vp-soviet", value="5")
    t.do("table", "take-back", to=before)
    t.do("table", "take-back", to=undone - 1)  # the move that was taken back first counts again
    t.moment("an undo undone")
    t.next()
    back_a_phase = t.revision - 1
    t.do("table", "take-back", to=back_a_phase)
    common.roll_taken_back(t, "soviet")
    t.do("soviet", "add-entropy", words="new words in the middle of the game")
    _many_taps(t, 210)
    t.moment("past the first snapshot")
    late = t.revision
    t.do("german", "take-back", to=early)
    common.agree(t, "soviet")
    t.moment("back before the first snapshot")
    t.do("table", "correct", name="vp-german", value="2", reason="another course")
    _many_taps(t, 220)
    t.do("table", "take-back", to=late)  # what was taken back counts again, and all since does not
    common.agree(t, "german")
    t.moment("back to what was taken back")
    t.do("soviet", "note", text="so that is how it stands")
    t.do("table", "correct", name="vp-soviet", value="7")


def _many_taps(t: Table, count: int) -> None:
    """So many taps that a snapshot is taken among them."""
    for number in range(count):
        if number % 40 == 39:
            t.do("soviet", "roll-dice", dice="2d6", purpose=f"harassment {number}")
        elif number % 3:
            t.do(
                "table",
                "adjust",
                name="vp-soviet",
                change=1 if number % 2 else -1 if t.game["vp-soviet"] else 1,
            )
        else:
            unit = "tank-2719-1" if number % 2 else "tank-2719-2"
            t.do("soviet", "place-unit", unit=unit, hex=("2718", "2719", "2720")[number % 9 // 3])


def ending_taken_back() -> None:
    """One side alone ends the game, takes the ending back and rolls on; in the end the other side alone ends it."""
    t = Table("second-kharkov", "alternative", invented_book("1/1"))
    common.evening_begins(t)
    t.do("table", "set-up")
    before = t.revision
    t.do("soviet", "end-game", winner="soviet", level="by hand", why="it is late")
    t.moment("ended")
    t.do("table", "note", text="it is not that late")
    t.do("soviet", "take-back", to=before)
    t.moment("not ended after all")
    t.until("soviet-combat")
    t.do("soviet", "resolve-combat", attack=20, defence=10)
    common.tidy(t)
    t.do("german", "enter-positions", text="97 2409\n16Pz 2408\n294 dead")
    t.do("german", "end-game", winner="nobody", why="the last train")


def ending_by_consent() -> None:
    """Both sides end the game and lay its record open, then take the ending back and go on with a new seed."""
    t = Table("second-kharkov", "alternative", invented_book("1/1"))
    common.evening_begins(t)
    t.do("table", "set-up")
    before = t.revision
    t.do("soviet", "end-game", winner="soviet", level="by hand", why="it is late")
    t.moment("asked")
    _agree(t)
    t.moment("ended and open")
    t.do("german", "take-back", to=before)
    _agree(t)
    t.moment("not ended after all")
    t.do("soviet", "roll-dice", dice="2d6", purpose="with a new seed")
    t.do("german", "end-game", winner="nobody", why="the last train")
    _agree(t)


def lost_tablet() -> None:
    """The table's screen is lost: one side asks for a new code, the other agrees, and a phone is replaced too."""
    t = Table("second-kharkov", "alternative", invented_book("1/1"))
    common.evening_begins(t)
    for seat in ("table", "soviet", "german"):
        t.tables.seating.sit_down(t.code, [seat], f"device-{seat}", "phone" if seat != "table" else "tablet")
    t.do("soviet", "lost-table")
    t.moment("asked")
    _agree(t)
    t.moment("a new code")
    t.do("table", "new-code", which="german")
    t.do("soviet", "roll-dice", dice="2d6", purpose="meanwhile")
    t.do("table", "close-seat", which="german")


def _agree(t: Table) -> None:
    """Whoever is asked for consent gives it."""
    for ask in [a for a in t.game.asked.values() if a.action == "agree"]:
        t.do(ask.to[0], "agree", ask=ask.id, yes=True)
