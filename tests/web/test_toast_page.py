"""Undo in a toast: the seat's main page gets its live part back, every other page looks again for itself."""

import pytest
from hall import Hall, text_of


@pytest.fixture
def hall(tmp_path):
    return Hall(tmp_path)


@pytest.mark.parametrize(("page", "into"), [("", "#live"), ("/map", "#sheet"), ("/units", "#sheet")])
def test_undo_stays_on_its_page(hall, page, into):
    headers = {
        "Origin": "http://localhost",
        "HX-Request": "true",
        "HX-Target": "sheet",
        "HX-Current-URL": f"http://localhost/t/{hall.code}/soviet{page}",
    }
    form = {"side": "soviet", "name": "7 Cav", "hex": "2421"}
    answer = hall.clients["soviet"].post(f"/t/{hall.code}/soviet/do/add-unit", data=form, headers=headers)
    assert "take-back" in text_of(answer) and f'hx-target="{into}"' in text_of(answer)


@pytest.mark.parametrize("seat", ["table", "soviet"])
def test_what_is_asked_before_an_end_is_not_covered_by_a_toast(tmp_path, seat):
    """The answer to *End it anyway?* takes away what the last act said: on a phone it would lie over the buttons."""
    hall = Hall(tmp_path, "wb95", "kharkov-1942")
    hall.act("table", "set-up")
    hall.act("table", "go-to", turn=1, phase="attack-a")
    answer = hall.post(seat, "do/next-phase", target="live", rev=hall.tables.store.latest(hall.code))
    assert answer.status_code == 409 and 'id="warning"' in text_of(answer)
    assert 'id="toast"' in text_of(answer) and 'class="toast"' not in text_of(answer)


def test_what_dice_came_to_is_said_before_them(tmp_path):
    """A battle's screen leaves room for one line: who won in the air (WB-95 8.1.8), not what was rolled."""
    hall = Hall(tmp_path, "wb95", "kharkov-1943")
    for side in ("german", "soviet"):
        hall.act(side, "assign-air", mission_1="attack", hex_1="2106", sp_1=2)
    (duty,) = [d for d in hall.tables.game(hall.code).asked.values() if d.action == "fight-in-the-air"]
    dice = {"german_die": "6", "soviet_die": "1", "_asked": duty.id}
    answer = hall.post("german", "do/fight-in-the-air", **dice, target="live")
    first = text_of(answer).partition('class="toast-lines"><p>')[2].partition("</p>")[0]
    assert first == "Air combat over 2106: German 8, Soviet 3: Soviet aircraft leave"


def test_set_up_is_told_in_few_lines(tmp_path):
    """WB-95: 167 counters are no news one by one."""
    hall = Hall(tmp_path, "wb95", "kharkov-1942")
    lines = hall.act("soviet", "set-up").lines
    assert lines[0].startswith("Kharkov 1942 is set up: 167 counters") and len(lines) < 4


def test_dice_of_another_phase_are_not_shown(hall):
    """What was rolled in the last phase only takes room from what is to be done in this one."""
    page = f"/t/{hall.code}/soviet"
    hall.act("soviet", "roll-dice", dice="2d6")
    assert 'class="dice-sum"' in text_of(hall.clients["soviet"].get(page))
    hall.act("table", "go-to", turn=2, phase="soviet-combat")
    assert 'class="dice-sum"' not in text_of(hall.clients["soviet"].get(page))
