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
    assert "Put counters on record" in page and "Load the scenario" not in page


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
