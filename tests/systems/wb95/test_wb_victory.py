"""Victory: every kind of ending of the three scenarios, played through from the first day to the last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from harness import consents

Make = Callable[..., Any]

KHARKOV = "\n".join(f"city,{h},,Kharkov" for h in ("1814", "1815", "1816", "1914", "1915", "2015"))
BIELGOROD = "city,0508,,Bielgorod\ncity,0509,,Bielgorod"
IZJUM = "city,4804,,Izjum\ncity,4904,,Izjum"
CITIES = (
    f"{KHARKOV}\n{BIELGOROD}\n{IZJUM}\ncity,5108,,Slawiansk\ncity,5109,,Slawiansk\nlink,0101,0102,side road"
)
VP42 = "4909 5022 4804 3322 2915 2319 3132 0713 2609 2008 1705 1410 1306"


def play_out(t: Any) -> Any:
    for _ in range(400):
        if t.game.ended:
            return t.game.ended
        t.next()
    raise AssertionError("the game never ended")


def day(t: Any, phase_moves: dict[str, Callable[[], None]]) -> None:
    """Play on to the end of this day, doing something in certain phases."""
    turn = t.game.turn
    while not t.game.ended and t.game.turn == turn:
        phase_moves.get(t.game.phase, lambda: None)()
        if not t.game.ended:
            t.next()


# -- Kharkov 1942


def test_twelve_phases_of_12_may(table: Make) -> None:
    """One day by hand: air, movement, attack, supply for both sides."""
    t = table(fog=False)
    t.do("table", "set-up")
    assert t.sees("table")["turn"] == {"number": 1, "last": 17, "date": "12 May 1942"}
    t.do("soviet", "assign-air", mission_1="support", hex_1="2106", sp_1=6)
    codes = [(t.game.phase_def().code, t.game.active)]
    for name, strength in (("k42-s-055", 8), ("k42-s-056", 4), ("k42-g-041", 5)):
        t.do("table", "set-counter", unit=name, attack=strength)
    while t.game.turn == 1:
        if t.game.phase == "attack-a":
            assert "k42-s-055" in {u.id for u in t.game.units.values() if u.place == "2105"}
            t.do(
                "soviet",
                "resolve-combat",
                target="2106",
                attackers="k42-s-055,k42-s-056",
                attack_air=6,
            )
            t.do("german", "dismiss", ask=t.duty("german", "defend")["id"])  # no guns
            t.settle(
                "soviet", "roll-combat", die="2 3"
            )  # 18 : 5 = 4:1, IF -2 = 2:1; the German headquarters makes 5 a 6: - / D2
            assert t.game.last_result["result"] == "- / D2"
            t.settle("german", "retreat", go=1)
            t.settle("german", "fall-back", to="2107")  # the price is his only unit's
            t.settle("soviet", "pursue", units="k42-s-055", to="2106")
            assert t.mark("2106", "fort") is None  # the enemy is in the works
        if t.game.phase in ("supply-a", "supply-b"):
            t.do(t.game.active, "check-supply")
        t.next()
        codes.append((t.game.phase_def().code, t.game.active))
    assert codes[:-1] == [
        ("1", ""), ("3", "soviet"), ("4", "soviet"), ("5", "soviet"), ("6", "soviet"),
        ("7", ""), ("9", "german"), ("10", "german"), ("11", "german"), ("12", "german"),
    ]  # fmt: skip
    assert t.sees("table")["turn"]["date"] == "13 May 1942"


def test_soviet_strategic_victory_1942(table: Make, map_book: Make) -> None:
    t = table(book=map_book(CITIES), fog=False)
    t.do("table", "set-control", hexes="1814 1815 1816 1914 1915 2015", by="german")
    t.until("supply-a", 3)
    for n, hex_id in enumerate(("1814", "1815", "1816", "1914")):
        t.unit("soviet", f"storm {n}", hex_id)
    assert not t.game.ended  # control is judged when the supply phase ends
    t.next()
    assert t.game["kharkov-captured"] == 6  # four stormed, two in their zones
    assert not t.game.ended  # both are asked first
    t.agree()
    ended = t.game.ended
    assert (ended.winner, ended.level) == ("soviet", "strategic victory")


def test_soviet_strategic_victory_counted_by_hand(table: Make) -> None:
    t = table()
    t.until("attack-a", 7)
    t.do("table", "correct", name="kharkov-captured", value="4")
    assert not t.game.ended
    t.do("table", "correct", name="kharkov-captured", value="5")
    assert "By rule victory the game is over: Soviet victory" in consents(t.game)[0].text
    t.do("table", "correct", name="kharkov-captured", value="4")
    assert not consents(t.game)  # the grounds no longer hold
    t.do("table", "correct", name="kharkov-captured", value="5")
    t.agree()
    assert t.game.ended.winner == "soviet"


def test_strategic_victory_may_wait_for_the_end(table: Make) -> None:
    t = table(**{"strategic-when": "end"})
    t.do("table", "correct", name="kharkov-captured", value="6")
    assert not t.game.ended
    assert play_out(t).level == "strategic victory"
    assert t.game.turn == 17


WEST = (
    "\n".join(f"area,{h},,west of the Doniec" for h in ("3010", "3011", "4804"))
    + "\nlink,0101,0102,side road"
)


def test_german_strategic_victory_1942(table: Make, map_book: Make) -> None:
    """Put to both sides once every listed Soviet unit is on record and supply was judged."""
    t = table(book=map_book(WEST), fog=False)
    t.do("table", "set-up")
    for unit in [
        u for u in t.game.units.values() if u.side == "soviet" and u.place in ("3010", "3011", "4804")
    ]:
        t.do("table", "place-unit", unit=unit.id, hex="2000")
    pocket = t.unit("soviet", "pocket", "3010")
    t.unit("soviet", "bridgehead", "4804")
    t.until("supply-a", 2)
    t.do("soviet", "check-supply", out="")
    assert not consents(t.game)
    t.until("supply-a", 3)
    t.do("soviet", "check-supply", out=pocket)
    t.agree()
    ended = t.game.ended
    assert (ended.winner, ended.level) == ("german", "strategic victory")  # 4804 does not count


def test_one_counter_on_record_does_not_lose_the_west_bank(table: Make, map_book: Make) -> None:
    t = table(book=map_book(WEST), fog=False)
    t.unit("soviet", "far", "2000")
    t.until("supply-a")
    t.do("soviet", "check-supply", out="")
    t.next()
    assert not t.game.ended and not consents(t.game)
    assert (
        t.panel("table", "Victory")["German wins with no supplied Soviet west of the Doniec"]
        == "judge on the map"
    )


def test_no_victory_without_positions(table: Make) -> None:
    t = table()
    t.until("air-a", 4)
    assert not t.game.ended


@pytest.mark.parametrize(
    ("german", "winner", "level"), [(7, "german", "tactical victory"), (6, "soviet", "tactical victory")]
)
def test_tactical_victory_1942(table: Make, german: int, winner: str, level: str) -> None:
    t = table()
    hexes = VP42.split()
    t.do("table", "set-control", hexes=" ".join(hexes[:german]), by="german")
    t.do("table", "set-control", hexes=" ".join(hexes[german:]), by="soviet")
    ended = play_out(t)
    assert (ended.winner, ended.level, t.game.turn) == (winner, level, 17)


@pytest.mark.parametrize(("reading", "winner"), [("draw", "nobody"), ("initiative", "german")])
def test_equal_points(table: Make, reading: str, winner: str) -> None:
    t = table(tie=reading)
    hexes = VP42.split()
    t.do("table", "set-control", hexes=" ".join(hexes[:6]), by="german")
    t.do("table", "set-control", hexes=" ".join(hexes[6:12]), by="soviet")
    t.do("table", "set-control", hexes=hexes[12], by="nobody")
    ended = play_out(t)
    assert ended.winner == winner


def test_unknown_control_is_never_guessed(table: Make) -> None:
    t = table()
    t.do("table", "set-control", hexes="4909 5022", by="german")
    ended = play_out(t)
    assert (ended.winner, ended.level) == ("nobody", "not decided")
    assert "1306" in ended.why


def test_unknown_hexes_that_cannot_matter_do_not_stop_a_verdict(table: Make) -> None:
    t = table()
    t.do("table", "set-control", hexes=" ".join(VP42.split()[:8]), by="german")
    assert play_out(t).winner == "german"  # 8 against at most 5


def test_the_18th_turn_is_an_option(table: Make) -> None:
    t = table(**{"eighteenth-turn": True})
    assert t.sees("table")["turn"]["last"] == 18
    t.until("air-a", 18)
    assert (t.game["air-german"], t.game["air-soviet"]) == (0, 0)
    play_out(t)
    assert t.game.turn == 18


# -- the winter scenarios


@pytest.mark.parametrize("scenario", ["kharkov-1943", "black-snow"])
def test_german_strategic_victory_at_any_moment(table: Make, map_book: Make, scenario: str) -> None:
    t = table(scenario, book=map_book(CITIES), fog=False)
    t.do("table", "set-control", hexes="1814 1815 1816 1914 1915 2015 0508 0509", by="soviet")
    t.until("supply-a", 4)
    t.do("table", "set-control", hexes="1814 1815 1816 1914 1915 2015", by="german")
    assert t.game["kharkov"] == "german"
    assert not t.game.ended
    t.unit("german", "lah", "0508")
    t.next()
    # 0509 lies in the supplied unit's zone
    t.agree()
    assert t.game.ended.winner == "german"


@pytest.mark.parametrize("scenario", ["kharkov-1943", "black-snow"])
def test_soviets_hold_to_the_end(table: Make, scenario: str) -> None:
    t = table(scenario)
    ended = play_out(t)
    assert (ended.winner, ended.level) == ("soviet", "strategic victory")
    assert t.game.turn == {"kharkov-1943": 22, "black-snow": 17}[scenario]


def test_city_taken_by_majority_is_an_option(table: Make, map_book: Make) -> None:
    for reading, holder in (("all", "contested"), ("most", "german")):
        t = table("black-snow", book=map_book(CITIES), **{"city-taken": reading})
        t.do("table", "set-control", hexes="1814 1815 1816 1914", by="german")
        t.do("table", "set-control", hexes="1915 2015", by="soviet")
        assert t.game["kharkov"] == holder


def test_tactical_victory_1943(table: Make, map_book: Make) -> None:
    t = table("kharkov-1943", book=map_book(CITIES))
    t.do("table", "correct", name="izjum", value="german")
    t.do("table", "set-control", hexes="2915 2609 0718 2319 1820 3413 5108 5109", by="german")
    t.do("table", "set-control", hexes="4804 2104 1410 0713", by="soviet")
    ended = play_out(t)
    assert (ended.winner, ended.level) == ("german", "tactical victory")
    assert "German 8, Soviet 4" in ended.why


def test_tactical_victory_black_snow_counts_city_hexes(table: Make, map_book: Make) -> None:
    t = table("black-snow", book=map_book(CITIES))
    t.do("table", "set-control", hexes="1814 1815 1816 1914 1915 2015", by="german")
    t.do("table", "set-control", hexes="0508 0509 2815 2915 2609 0132 0133 0713 0824 0825 2104", by="soviet")
    ended = play_out(t)
    assert (ended.winner, ended.why) == ("soviet", "German 6, Soviet 11 VP")


def test_unknown_cities_are_counted_by_hand(table: Make) -> None:
    t = table("black-snow")
    t.do("table", "correct", name="izjum", value="german")
    t.do("table", "set-control", hexes="2815 2915 2609 0132 0133 0713 0824 0825 2104", by="soviet")
    assert "Kharkov" in t.panel("table", "Victory")["Count by hand"]
    t.do("table", "correct", name="city-vp-german", value="10")
    ended = play_out(t)
    assert (ended.winner, ended.why) == ("german", "German 10, Soviet 9 VP")


def test_victory_panel_says_what_is_missing(table: Make, map_book: Make) -> None:
    winter = table("black-snow", book=map_book(CITIES))
    rows = winter.panel("watch", "Victory")
    assert rows["German strategic, still missing"] == "Kharkov (Soviet), Bielgorod (Soviet)"
    rows = table().panel("watch", "Victory")
    assert rows["Soviet wins with Kharkov hexes"] == "0 of 5 (by hand)"
    assert rows["German wins with no supplied Soviet west of the Doniec"] == "judge on the map"
    assert rows["Control not said"] == "13 of 13 hexes"
