"""Phases, the German order, the two restricted armies (5.2-5.7, 6.2, 6.3, 13.4)."""

from __future__ import annotations

from typing import Any

import pytest
from harness import refused

from companion.engine.errors import NotNow, NotYours

AREAS = (
    ("area", "2315", "", "west"),
    ("area", "2315", "", "south"),
    ("area", "2316", "", "south"),
    ("area", "2305", "", "perimeter"),
)


def dials(t: Any) -> tuple[str, str]:
    return t.game["first-panzer"], t.game["seventeenth"]


def test_the_phases_of_a_whole_game(table: Any) -> None:
    """5.2, 5.6: four phases on turns 1 and 2, six on turns 3 to 8."""
    t = table()
    t.do("table", "correct", name="perimeter", value="crossed")
    seen: dict[int, int] = {}
    for _ in range(44):
        seen[t.game.turn] = seen.get(t.game.turn, 0) + 1
        if (t.game.turn, t.game.phase) == (8, "german-combat"):
            t.do("table", "terminal-check", units=0)
        t.next()
    assert seen == {1: 4, 2: 4, 3: 6, 4: 6, 5: 6, 6: 6, 7: 6, 8: 6}
    assert t.game.ended


@pytest.mark.parametrize(
    ("order", "phases"),
    [("move-fight", ["german-move", "german-combat"]), ("fight-move", ["german-combat", "german-move"])],
)
def test_the_german_declares_his_order(table: Any, order: str, phases: list[str]) -> None:
    """5.3: once a turn, at the start; the next turn is open again."""
    t = table()
    t.until("german-move")
    ways = {"move-fight": "move-first", "fight-move": "fight-first"}
    assert set(ways.values()) <= {a["name"] for a in t.sees("german")["actions"] if a["primary"]}
    t.do("german", ways[order])
    assert t.game["german-order"] == order
    assert t.game.phase == phases[0]
    with refused(NotNow):
        t.do("german", "move-first")
    t.next()
    assert t.game.phase == phases[1]
    t.next()
    assert (t.game.turn, t.game.phase, t.game["german-order"]) == (2, "soviet-move", "undeclared")


def test_moving_without_a_word_is_move_fight(table: Any) -> None:
    t = table()
    t.until("german-combat")
    assert t.game["german-order"] == "move-fight"


def test_only_the_german_declares(table: Any) -> None:
    t = table()
    t.until("german-move")
    with refused(NotYours):
        t.do("soviet", "fight-first")


def test_release_on_turn_3(table: Any) -> None:
    """6.2: at the start of the German player turn."""
    t = table()
    t.until("air-removal", 3)
    assert dials(t) == ("restricted", "restricted")
    t.until("german-move", 3)
    assert dials(t) == ("released", "released")


@pytest.mark.parametrize("phase", ["soviet-move", "soviet-combat"])
def test_early_release_by_a_button(table: Any, phase: str) -> None:
    """6.3; 13.4 note: no penalty in the Historical scenario."""
    t = table()
    t.until(phase)
    t.do("soviet", "southern-crossing", who="5th Cavalry")
    assert dials(t) == ("released", "released")
    with refused(NotNow, rule="6.2"):
        t.do("soviet", "southern-crossing")


def test_early_release_seen_on_the_record(table: Any) -> None:
    """6.3, A14: with the two lines in the map book a move or an attack is noticed."""
    t = table(ground=AREAS, units=({"name": "CD", "side": "soviet", "hex": "2415"},))
    assert dials(t)[0] == "restricted"
    t.do("soviet", "place-unit", unit="soviet-cd", hex="2315")
    assert dials(t) == ("released", "released")
    t = table(ground=AREAS, phase="soviet-combat", result="0/0")
    t.do("soviet", "resolve-combat", target="2315", attack=10, defence=5, die="3")
    assert dials(t) == ("released", "released")


def test_voluntary_release_has_its_price(table: Any) -> None:
    """13.4: as if out of supply for that player turn, and doubly so when it really is."""
    t = table("alternative")
    t.until("german-move", 2)
    t.do("german", "voluntary-release", armies="first-panzer")
    assert dials(t) == ("hasty", "restricted")
    t.next()
    plain = t.calc("combat", attack=9, defence=3, army="1st Panzer Army")
    worse = t.calc("combat", attack_oos=9, defence=3, army="1st Panzer Army")
    sixth = t.calc("combat", attack=9, defence=3, army="6th Army")
    assert [s.facts["attack"] for s in (plain, worse, sixth)] == [5, 3, 9]
    t.next()
    assert dials(t) == ("released", "restricted")


@pytest.mark.parametrize(("scenario", "turn"), [("historical", 2), ("alternative", 1), ("alternative", 3)])
def test_no_voluntary_release_otherwise(table: Any, scenario: str, turn: int) -> None:
    """13.4."""
    t = table(scenario)
    t.until("german-move", turn)
    with refused(NotNow, rule="13.4"):
        t.do("german", "voluntary-release", armies="seventeenth")


def test_voluntary_release_before_fighting_first(table: Any) -> None:
    """13.4: the start of the player turn, whatever the order."""
    t = table("alternative")
    t.until("german-move", 2)
    t.do("german", "fight-first")
    t.do("german", "voluntary-release", armies=["1st Panzer Army", "17th Army"])
    assert dials(t) == ("hasty", "hasty")
    t.next()
    with refused(NotNow, rule="13.4"):
        t.do("german", "voluntary-release", armies="seventeenth")


@pytest.mark.parametrize(("penalty", "state"), [(False, "released"), (True, "hasty")])
def test_a_triggered_release_in_the_alternative_scenario(table: Any, penalty: bool, state: str) -> None:
    """A18."""
    t = table("alternative", triggered_penalty=penalty)
    t.do("table", "southern-crossing")
    assert dials(t) == (state, state)
    t.until("soviet-move", 2)
    assert dials(t) == ("released", "released")


def test_southern_soviets_are_frozen_on_turn_1(table: Any) -> None:
    """5.5: by the map book's boundary, or by a marker."""
    t = table(ground=AREAS, phase="soviet-combat", fog=False)
    south = t.enter("CD", "soviet", "2316", kind="cavalry", af=3, df=3)
    marked = t.enter("RD", "soviet", "2415", kind="rifle", af=3, df=3)
    t.do("table", "mark", marker="frozen", units=marked)
    sheet = t.calc("combat", target="2416", attackers=south, defence=3)
    assert "5.5" in " ".join(sheet.warnings)
    assert "5.5" in " ".join(t.calc("combat", target="2416", attackers=marked, defence=3).warnings)
    t.until("soviet-combat", 2)
    assert "5.5" not in " ".join(t.calc("combat", target="2416", attackers=marked, defence=3).warnings)


@pytest.mark.parametrize(
    ("freed", "held"), [("first-panzer", "17th Army"), ("seventeenth", "1st Panzer Army")]
)
def test_one_army_freed_leaves_the_other_held(table: Any, freed: str, held: str) -> None:
    """13.4, 6.3: every reminder about the army that is still held stays, and the German may press the button."""
    t = table("alternative")
    t.until("german-move", 2)
    t.do("german", "voluntary-release", armies=freed)
    lines = [c["text"] for c in t.sees("german")["phase"]["checklist"]]
    assert [line for line in lines if "side of the front line" in line] == [
        f"{held} stays on its side of the front line"
    ]
    t.until("soviet-combat", 3)
    lines = [c["text"] for c in t.sees("soviet")["phase"]["checklist"]]
    assert sum("front line in the south" in line for line in lines) == 1
    assert any(held in n["text"] and "in the south free it" in n["text"] for n in t.sees("soviet")["notes"])
    t.do("german", "southern-crossing")
    assert dials(t) == ("released", "released")


def test_where_a_unit_set_up_decides_not_where_it_stands(table: Any) -> None:
    """5.5: the rifle division of 2718 comes from the north of this boundary and may fight in the south."""
    south = tuple(("area", hex_id, "", "south") for hex_id in ("2719", "2819"))
    t = table(ground=south, fog=False)
    t.do("table", "set-up")
    t.do("soviet", "place-unit", unit="rifle-2718", hex="2819")
    moved = t.enter("RD", "soviet", "2819", kind="rifle", af=3, df=3)
    t.until("soviet-combat")

    def warned(unit: str) -> str:
        return " ".join(t.calc("combat", target="2820", attackers=unit, attack=3, defence=3).warnings)

    assert "5.5" not in warned("rifle-2718")
    assert "set up south" in warned("tank-2719-1").replace("if it set up", "")
    assert "if it set up south" in warned(moved), "the record does not know where his player placed him"


@pytest.mark.parametrize(
    ("turn", "words"),
    [(1, "Everyone is in supply"), (2, "1st Panzer and 17th Armies neither"), (5, "Panic"), (8, "Last turn")],
)
def test_notes_of_the_turn(table: Any, turn: int, words: str) -> None:
    t = table(turn=turn)
    assert any(words in note["text"] for note in t.sees("table")["notes"])
