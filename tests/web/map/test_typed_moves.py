"""What the rules have against a move is said where it was typed or tapped; on the map it may be made anyway."""

import pytest
from hall import Hall, text_of


@pytest.fixture
def front(tmp_path):
    hall = Hall(tmp_path)
    hall.act("soviet", "enter-positions", text="38 Guards 2719")
    return hall


def test_a_hex_that_the_enemy_holds_is_said_where_it_was_typed(front):
    assert "2719 is held by the enemy" in text_of(
        front.post("german", "entry", target="answer", text="3Pz 2719")
    )


def test_nothing_is_said_of_a_hex_of_ones_own(front):
    assert "Mind:" not in text_of(front.post("german", "entry", target="answer", text="3Pz 2408"))


def test_a_move_that_is_warned_of_is_made_anyway(tmp_path):
    """Panzer Keil 4.1: nobody moves a unit in the other side's phase by looking around the map."""
    hall = Hall(tmp_path, "panzer-keil", "winter-1943")
    hall.act("soviet", "enter-positions", text="+Probe 1022")
    hall.act("table", "go-to", turn=1, phase="german-move")
    unit = hall.tables.game(hall.code).unit("Probe").id
    sent = {"units": unit, "hex": "1023", "from": "1022"}
    answer = hall.post("soviet", "map/move", target="sheet", **sent)
    assert answer.status_code == 409 and "anyway" in text_of(answer) and "4.1" in text_of(answer)
    assert hall.tables.game(hall.code).units[unit].place == "1022"
    assert hall.post("soviet", "map/move", target="sheet", anyway="on", **sent).status_code == 200
    assert hall.tables.game(hall.code).units[unit].place == "1023"
