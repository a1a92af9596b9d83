"""Taps on the map: what a stack's bar offers, what moves and marks, and what stays with its own seat."""

import html
import re

import pytest
from hall import Hall, text_of

SECRET = "Geheimdivision"
TAP = {"HX-Request": "true", "HX-Target": "sheet"}


@pytest.fixture
def front(tmp_path):
    """A German stack with a buried unit beside a Soviet one; turn 1, the Soviets move."""
    hall = Hall(tmp_path)
    hall.act("german", "enter-positions", text=f"{SECRET} 2408; 3Pz 2408; 16Pz 2508")
    hall.act("soviet", "enter-positions", text="7 Cav 2421; 6 Cav 2421; 38 Guards 2409")
    return hall


def place(hall, name):
    return hall.tables.game(hall.code).unit(name).place


def tapped(hall, seat, path):
    return text_of(hall.get(seat, f"map/hex/{path}", **TAP))


# -- moving


def test_a_tap_takes_the_whole_stack_up(front):
    bar = tapped(front, "soviet", "2421?tap=1")
    assert "sheet-bar" in bar and len(re.findall(r'name="units" value="[^"]+" checked', bar)) == 2
    assert 'name="hex"' in bar, "a hex can still be typed"
    assert "Range" not in bar and "Range" in tapped(front, "soviet", "2421")
    assert "move-form" not in tapped(front, "german", "2421?tap=1"), "not another side's stack"
    assert "move-form" not in tapped(front, "watch", "2421?tap=1")
    assert "sheet-bar" not in tapped(front, "soviet", "2422?tap=1"), "an empty hex tells all it knows"


def test_a_move_closes_the_sheet_and_says_so_with_undo(front):
    answer = front.post(
        "soviet", "map/move", target="sheet", units=["soviet-7-cav", "soviet-6-cav"], hex="2422"
    )
    text = text_of(answer)
    assert answer.headers["HX-Trigger"] == "table-changed" and 'id="hex-sheet"' not in text
    assert "2421 \u2192 2422" in text and "take-back" in text
    assert 'hx-target="#sheet"' in text and 'hx-target="#live"' not in text, "Undo leaves the map where it is"
    assert place(front, "7 Cav") == place(front, "6 Cav") == "2422"


def test_what_speaks_against_a_move_is_said_and_it_is_made(front):
    text = text_of(front.post("soviet", "map/move", target="sheet", units="soviet-38-guards", hex="2408"))
    assert "2408 is held by the enemy" in text and place(front, "38 Guards") == "2408"


def test_a_wrong_hex_leaves_the_stack_taken_up(front):
    answer = front.post(
        "soviet", "map/move", target="sheet", units="soviet-7-cav", hex="9999", **{"from": "2421"}
    )
    assert answer.status_code == 422
    assert "9999 is not on this map" in text_of(answer) and "move-form" in text_of(answer)
    assert front.post("soviet", "map/move", target="sheet", hex="2422", **{"from": "2421"}).status_code == 422
    assert place(front, "7 Cav") == "2421"


def test_a_repeated_tap_counts_once(front):
    form = {"units": "soviet-7-cav", "hex": "2422", "action_id": "one"}
    front.post("soviet", "map/move", target="sheet", **form)
    front.act("soviet", "move-stack", units=["soviet-7-cav"], hex="2423")
    front.post("soviet", "map/move", target="sheet", **form)
    assert place(front, "7 Cav") == "2423"


def test_nobody_moves_what_is_not_his(front):
    for units in ("3-panzer", "german-geheimdivision", "german-2408-2", "nobody"):
        answer = front.post("soviet", "map/move", target="sheet", units=units, hex="2410", **{"from": "2408"})
        assert answer.status_code == 422 and "geheim" not in text_of(answer).casefold().replace(units, "")

    def answer_to(units):
        form = {"units": units, "hex": "2410", "from": "2410"}
        return text_of(front.post("soviet", "map/move", target="sheet", **form)).replace(units, "")

    same = {answer_to("german-geheimdivision"), answer_to("german-nobodyatall")}
    assert len(same) == 1, "the answer is the same whether such a unit exists or not"
    assert front.post("watch", "map/move", target="sheet", units="3-panzer", hex="2410").status_code == 403
    stranger = front.clients["soviet"].post(f"/t/{front.code}/german/map/move", data={"units": "3-panzer"})
    assert stranger.status_code == 403
    assert place(front, "3-panzer") == "2408"


def test_without_javascript_a_form_moves_the_stack(front):
    page = text_of(front.get("soviet", "map?hex=2421"))
    assert 'id="move-form"' in page and 'action="/t/' in page
    answer = front.post("soviet", "map/move", units="soviet-7-cav", hex="2422")
    assert answer.status_code == 303 and answer.headers["Location"].endswith("map?hex=2422")
    assert place(front, "7 Cav") == "2422"


def test_the_table_takes_what_lies_hidden_along(front):
    bar = tapped(front, "table", "2408?tap=1")
    assert 'name="below" value="2408" checked' in bar and "1 hidden" in bar and SECRET not in bar
    assert 'name="below"' not in tapped(front, "soviet", "2421?tap=1")
    onto = tapped(front, "table", "2508?tap=1&from=2408&units=3-panzer&below=2408")
    assert "Move 3rd Panzer + 1 here" in onto and 'name="below" value="2408"' in onto
    form = {"units": "3-panzer", "below": "2408", "hex": "2407", "anyway": "on"}
    text = text_of(front.post("table", "map/move", target="sheet", **form))
    assert "3rd Panzer and 1 hidden: 2408 \u2192 2407" in text and SECRET not in text
    assert place(front, SECRET) == place(front, "3-panzer") == "2407"
    alone = text_of(front.post("table", "map/move", target="sheet", below="2407", hex="2406"))
    assert SECRET not in alone and place(front, SECRET) == "2406"


# -- two stacks


def test_another_stack_is_looked_at_before_anything_is_put_on_it(front):
    own = tapped(front, "soviet", "2421?tap=1&from=2409&units=soviet-38-guards")
    assert "Move 38 Guards here<" in own.replace("</button>", "<")
    enemy = tapped(front, "soviet", "2408?tap=1&from=2409&units=soviet-38-guards")
    assert "Move 38 Guards here anyway" in enemy and "The enemy holds 2408" in enemy
    forged = tapped(front, "soviet", "2421?tap=1&from=2408&units=3-panzer&units=german-geheimdivision")
    assert "here</button>" not in forged and "Panzer" not in forged


def test_the_attack_form_opens_with_its_target_and_those_beside_it(front):
    assert "Attack 2408" not in tapped(front, "soviet", "2408?tap=1"), "not while units move"
    front.act("table", "go-to", turn=1, phase="soviet-combat")
    sheet = tapped(front, "soviet", "2408?tap=1")
    url = re.search(r'hx-get="(/t/[^"]+/do/resolve-combat\?target=2408)"', sheet)[1]
    assert "Attack 2408" in sheet and "Declare an attack" in sheet
    form = text_of(front.clients["soviet"].get(url, headers=TAP))
    assert 'value="2408"' in form and re.search(r'value="soviet-38-guards"[^>]*checked', form)
    assert "Attack 2408" not in tapped(front, "german", "2408?tap=1")
    assert "Attack 2421" not in tapped(front, "german", "2421?tap=1"), "it is not their combat"
    assert "Attack" not in tapped(front, "watch", "2408?tap=1")
    assert "Attack 2303" not in tapped(front, "soviet", "2303?tap=1")


def test_the_stack_that_was_taken_up_attacks_and_nobody_else(front):
    front.act("soviet", "enter-positions", text="99 Rifle 2409; 12 Rifle 2307")
    front.act("table", "go-to", turn=1, phase="soviet-combat")
    taken = "units=soviet-38-guards&units=soviet-99-rifle"
    sheet = tapped(front, "soviet", f"2408?tap=1&from=2409&{taken}&units=soviet-7-cav")
    url = html.unescape(re.search(r'hx-get="(/t/[^"]+/do/resolve-combat\?[^"]+)"', sheet)[1])
    form = text_of(front.clients["soviet"].get(url, headers=TAP))
    ticked = re.findall(r'name="attackers"[^>]*value="([^"]+)"[^>]* checked', form)
    assert sorted(ticked) == ["soviet-38-guards", "soviet-99-rifle"], "12 Rifle was not taken up"


# -- markers


def test_out_of_supply_is_the_first_tap_of_a_long_press(front):
    sheet = text_of(front.get("soviet", "map/marks/2421", **TAP))
    first = re.search(r'name="unit-mark" value="([^"]+)"', sheet)[1]
    assert first == "oos=on"
    both = {"units": ["soviet-7-cav", "soviet-6-cav"], "hex": "2421"}
    text = text_of(front.post("soviet", "map/mark", target="sheet", **both, **{"unit-mark": first}))
    assert "7 Cav: Out of supply" in text and "take-back" in text
    game = front.tables.game(front.code)
    assert game.mark("soviet-7-cav", "oos") and game.mark("soviet-6-cav", "oos")
    again = text_of(front.get("soviet", "map/marks/2421", **TAP))
    assert 'value="oos=off" aria-pressed="true"' in again, "the next tap takes it off"


def test_a_hex_is_marked_with_nobody_in_it(front):
    sheet = text_of(front.get("soviet", "map/marks/2430", **TAP))
    assert "unit-mark" not in sheet and 'name="hex-mark" value="owner=soviet"' in sheet
    front.post("soviet", "map/mark", target="sheet", hex="2430", **{"hex-mark": "owner=soviet"})
    assert front.tables.game(front.code).mark("2430", "owner") == "soviet"


def test_markers_are_laid_on_ones_own_units_only(front):
    assert "unit-mark" not in text_of(front.get("soviet", "map/marks/2408", **TAP))
    sent = {"units": "3-panzer", "hex": "2408", "unit-mark": "oos=on"}
    assert front.post("soviet", "map/mark", target="sheet", **sent).status_code == 422
    assert front.post("soviet", "map/mark", target="sheet", **sent | {"unit-mark": "x=y"}).status_code == 422
    assert front.post("soviet", "map/mark", target="sheet", hex="2408").status_code == 422
    assert front.get("watch", "map/marks/2408", **TAP).status_code == 403
    assert front.post("watch", "map/mark", target="sheet", **sent).status_code == 403
    assert front.tables.game(front.code).mark("3-panzer", "oos") is None
    assert front.get("soviet", "map/marks/9999", **TAP).status_code == 422


# -- secrecy


@pytest.mark.parametrize("seat", ["soviet", "table", "watch"])
def test_a_buried_unit_is_on_no_sheet_but_its_owners(front, seat):
    paths = [
        "hex/2408?tap=1", "hex/2409?tap=1&from=2408&units=german-geheimdivision", "marks/2408", "hex/2408",
        "hex/2407?from=2408&units=german-2408-2",
    ]  # fmt: skip
    for path in paths:
        assert "geheim" not in text_of(front.get(seat, f"map/{path}", **TAP)).casefold(), path
    front.post("table", "map/move", target="sheet", units="3-panzer", hex="2407")
    assert SECRET in tapped(front, "german", "2408?tap=1")


# -- the picture


def test_the_map_opens_on_all_counters(front):
    frame = re.search(r'data-frame="([\d. -]+)"', text_of(front.get("soviet", "map")))[1]
    x, y, w, h = map(float, frame.split())
    drawn = re.findall(
        r'class="st [^"]+" transform="translate\(([\d.]+) ([\d.]+)\)', text_of(front.get("soviet", "map"))
    )
    assert len(drawn) == 4
    assert all(x < float(a) < x + w and y < float(b) < y + h for a, b in drawn)


def test_the_map_tells_the_moment_and_stays_live(front):
    assert re.search(r'data-glow="awaits">your move', text_of(front.get("soviet", "map")))
    front.act("table", "go-to", turn=1, phase="german-move")
    assert "German to move" in text_of(front.get("soviet", "head"))


@pytest.mark.parametrize(
    ("system", "scenario", "hex_id"),
    [
        ("enemy-action-kharkov", "campaign", "2005"),
        ("kharkov-battles", "operation-star", "KB2005"),
        ("panzer-keil", "winter-1943", "1022"),
        ("wb95", "kharkov-1942", "1508"),
    ],
)
def test_every_game_moves_and_marks_by_taps(tmp_path, system, scenario, hex_id):
    hall = Hall(tmp_path, system, scenario)
    hall.act("soviet", "enter-positions", text=f"+Probe {hex_id}")
    bar = tapped(hall, "soviet", f"{hex_id}?tap=1")
    unit = re.search(r'name="units" value="([^"]+)" checked', bar)[1]
    sheet = text_of(hall.get("soviet", f"map/marks/{hex_id}", **TAP))
    first = re.search(r'name="unit-mark" value="([^"]+)"', sheet)[1]
    assert not re.search(r">[A-Z][\w ]* (on|oos|no-attack)</button>", sheet), "no raw word"
    done = hall.post("soviet", "map/mark", target="sheet", units=unit, hex=hex_id, **{"unit-mark": first})
    assert done.status_code == 200 and hall.tables.game(hall.code).marks[unit]
    target = hall.tables.game(hall.code).maps.neighbours(hex_id)[0]
    assert hall.post("soviet", "map/move", target="sheet", units=unit, hex=target).status_code == 200
    assert hall.tables.game(hall.code).units[unit].place == target


def test_a_marker_is_offered_for_the_units_it_makes_sense_on(tmp_path):
    """No SS among the Soviets, no Guards among the Germans; what lies there all the same can be taken off."""
    hall = Hall(tmp_path, "wb95", "kharkov-1942")
    for side, own, foreign in (("soviet", "guards", "ss"), ("german", "ss", "guards")):
        hex_id = {"soviet": "1508", "german": "1510"}[side]
        hall.act(side, "enter-positions", text=f"+Probe-{side} {hex_id}")
        unit = hall.tables.game(hall.code).units_at(hex_id)[0].id
        for page in (f"map/marks/{hex_id}", f"unit/{unit}"):
            text = text_of(hall.get(side, page, **TAP))
            assert f"Troops {SAID[own]}" in text and f"Troops {SAID[foreign]}" not in text, page
        hall.act(side, "mark", marker="troops", units=[unit], value=foreign)
        assert f"Troops {SAID[foreign]}" in text_of(hall.get(side, f"map/marks/{hex_id}", **TAP))
        assert f"Troops {SAID[foreign]}" in text_of(hall.get(side, f"unit/{unit}", **TAP))


SAID = {"ss": "SS", "guards": "Guards"}
