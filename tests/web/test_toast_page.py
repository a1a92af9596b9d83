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


def in_command(folder):
    """Enemy Action with real cards and a real cup, in the Soviet's first impulse."""
    hall = Hall(
        folder,
        "enemy-action-kharkov",
        "initial-assault",
        **{"mode-cards": "physical", "mode-chits": "physical"},
    )
    hall.act("table", "next-phase")
    hall.act("table", "prepare-cards", soviet_supplementals="6")
    hall.act("table", "next-phase")
    return hall


def test_a_toast_does_not_repeat_the_question_that_stands_there(tmp_path):
    """Only what happened: it would lie over the very question, and say it a second time."""
    hall = in_command(tmp_path)
    page = text_of(hall.post("soviet", "do/take-town", target="live", hex="1408", side="soviet"))
    toast = page[page.index('id="toast"') :]
    assert "Soviet takes 1408" in toast and "printed VP" not in toast
    assert "1408 is Soviet now: enter its printed VP" in page


def test_a_folded_line_names_what_is_in_it(tmp_path):
    """Piles that hold nothing are not named; a set-up that does not exist is not offered."""
    hall = Hall(tmp_path, "enemy-action-kharkov", "initial-assault", **{"mode-cards": "physical"})
    hall.act("soviet", "set-effort", effort="record")
    page = text_of(hall.clients["soviet"].get(f"/t/{hall.code}/soviet"))
    line = page[page.index('id="piles"') : page.index("</summary>", page.index('id="piles"'))]
    assert "Combat chits" in line and "Soviet cards" not in line
    assert "Nothing is on record yet. Type what stands where." in page


def test_what_came_of_a_battle_is_read_without_a_tap(tmp_path):
    """The attacker did not decide it: the line of the last battle says it on every screen, and its result once."""
    hall = in_command(tmp_path)
    hall.act(
        "soviet", "play-real-card", card="P03", kind="primary", type="army", what="activate", formation="3T"
    )
    hall.act("soviet", "declare-combat", small="2", steps="2", terrain="clear")
    hall.act("soviet", "no-tactics", until="here")
    hall.act("german", "no-tactics", until="here")
    hall.act("soviet", "draw-chits", defender="3", attacker="1")
    hall.act("german", "apply-defence", choice="retreat-2")
    for seat in ("soviet", "table", "watch"):
        page = text_of(hall.clients[seat].get(f"/t/{hall.code}/{seat}"))
        line = page[page.index("battle-last") : page.index("</summary>", page.index("battle-last"))]
        assert "German retreats two hexes" in line and "Soviet may advance" in line, seat
        assert "last-result" not in page, seat
