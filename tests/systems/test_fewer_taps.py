"""What is known is not asked: dice that the companion rolls, the hex where others came in by the same way."""

import pytest
from harness import Bench


@pytest.mark.parametrize(("mode", "asked"), [("digital", 0), ("either", 1), ("physical", 1)])
def test_an_act_of_dice_alone_asks_nothing_where_the_companion_rolls(mode: str, asked: int) -> None:
    """B5.1 of Panzer Keil: the weather is one tap."""
    t = Bench("panzer-keil", "winter-1943", mode_dice=mode)
    t.do("table", "go-to", turn=2, phase="weather")
    offered = {action["name"]: action for action in t.sees("soviet")["actions"]}
    assert offered["roll-weather"]["fields"] == asked


def test_the_hex_where_others_came_in_is_filled_in() -> None:
    """11.1 of WB-95: the hexes of a zone are printed on the map alone; the first stack tells one for those that follow."""
    t = Bench("wb95", "kharkov-1942")
    t.do("table", "set-up")
    t.do("table", "go-to", turn=7, phase="move-a")

    def offered() -> str:
        rows = t.form("soviet", "arrive", arrival="soviet-7-22")
        return str(next(row["value"] for row in rows if row["name"] == "hex") or "")

    assert offered() == ""
    t.do("soviet", "arrive", arrival="soviet-7-21", hex="3805")
    assert offered() == "3805"
    assert "zone T" not in repr(t.hears("german")), "under fog of war the way in is the owner's business"
