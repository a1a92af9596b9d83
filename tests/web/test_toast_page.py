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


def test_a_toast_does_not_repeat_the_question_that_its_card_asks(tmp_path):
    """Kharkov Battles asks both sides for their Air Points as the phase begins [5.11]: the cards do, the toast does not."""
    hall = Hall(tmp_path, "kharkov-battles", "third-kharkov-l")
    hall.act("table", "set-weather", printed="freeze")
    rev = hall.tables.store.latest(hall.code)
    told = text_of(hall.post("axis", "do/next-phase", target="live", rev=rev, anyway="on"))
    toast = told[told.index('class="toast"') :]
    assert "Air allocation" in toast and "To do:" not in toast and "enter this turn" not in toast
    assert "enter this turn&#39;s Air Points" in told


def test_a_refused_list_stays_in_its_box(hall):
    """Nothing was entered: the pasted rows are there to be mended."""
    rows = "side,name,place\nsoviet,7 Cav,2421\n"
    told = hall.post("german", "entry/import", csv=rows)
    assert told.status_code != 200 and "7 Cav,2421\n</textarea>" in text_of(told)


def test_a_side_with_nothing_on_record_is_shown_the_way_though_the_other_has_units(tmp_path):
    hall = Hall(tmp_path, "kharkov-battles", "third-kharkov-l")
    hall.act("axis", "set-effort", effort="record")
    hall.act("axis", "enter-positions", text="LAH KB3613")
    own, other = (text_of(hall.clients[s].get(f"/t/{hall.code}/{s}")) for s in ("axis", "soviet"))
    assert (
        "Put counters on record" in other and "set-up, or type" not in other
    )  # this scenario has none to load
    assert "Put counters on record" not in own
