"""Battles on the map: the hex under attack for all, the hexes of a retreat for who owes it, and a tap that answers."""

import re

import pytest
from hall import Hall, text_of

SETUP = """side,name,kind,size,steps,CS,place
axis,1/LAH,panzergrenadier,III,2,12,KB3614
soviet,25 Guards,rifle,XX,2,4,KB3615
soviet,62 Guards,rifle,XX,2,4,KB3618
"""


@pytest.fixture
def beaten(tmp_path):
    """Kharkov Battles: the attack on KB3615 has given Dr1, and its defender chose to go [12.62, 12.72]."""
    hall = Hall(tmp_path, "kharkov-battles", "third-kharkov-l")
    hall.act("table", "import-positions", csv=SETUP)
    hall.act("table", "go-to", turn=11, phase="axis-combat")
    hall.act("axis", "declare-assault", target="KB3615", attackers=["axis-1-lah"], anyway="on")
    answer(hall, "axis", "begin-assault")
    answer(hall, "axis", "roll-assault", die="5")
    answer(hall, "axis", "enter-result", result="Dr1")
    answer(hall, "soviet", "settle-result", more="0")
    return hall


def answer(hall, seat, action, **fields):
    asked = [d for d in hall.tables.visit(hall.code, seat).view.asked if d.mine and d.action == action]
    return hall.act(seat, action, _asked=asked[0].id, **fields)


def offered(page):
    return set(re.search(r'data-answers="([^"]*)"', page)[1].split())


@pytest.mark.parametrize("seat", ["axis", "soviet", "table", "watch"])
def test_the_hex_under_attack_is_marked_for_everybody(beaten, seat):
    page = text_of(beaten.get(seat, "map", live=True))
    assert page.count('class="fought"') == 1
    assert "Under attack:" in page


def test_the_hexes_of_a_retreat_are_marked_for_who_owes_it_alone(beaten):
    mine = text_of(beaten.get("soviet", "map", live=True))
    assert offered(mine) == {"KB3515", "KB3616", "KB3715"}
    assert mine.count('class="offered"') == len(offered(mine))
    for seat in ("axis", "watch"):
        page = text_of(beaten.get(seat, "map", live=True))
        assert not offered(page) and 'class="offered"' not in page and "Retreat" not in page
    there = min(offered(mine))
    assert "fall-back" not in text_of(beaten.get("axis", f"map/hex/{there}"))


def test_a_tap_on_an_offered_hex_answers(beaten):
    there = min(offered(text_of(beaten.get("soviet", "map", live=True))))
    sheet = text_of(
        beaten.get("soviet", f"map/hex/{there}?tap=1", **{"HX-Request": "true", "HX-Target": "sheet"})
    )
    form = re.search(
        r'action="[^"]*/(do/fall-back)".*?name="_asked" value="([^"]+)".*?name="to" value="([^"]+)"', sheet
    )
    assert form and form[3] == there
    told = beaten.post("soviet", form[1], target="sheet", _asked=form[2], to=form[3])
    assert told.status_code == 200
    assert beaten.tables.game(beaten.code).units["soviet-25-guards"].place == there
    page = text_of(beaten.get("soviet", "map", live=True))
    assert not offered(page)


def test_no_battle_no_mark(beaten):
    there = min(offered(text_of(beaten.get("soviet", "map", live=True))))
    answer(beaten, "soviet", "fall-back", to=there)
    asked = [d for d in beaten.tables.visit(beaten.code, "axis").view.asked if d.action == "advance"]
    beaten.act("axis", "dismiss", ask=asked[0].id, how="no")
    assert 'class="fought"' not in text_of(beaten.get("axis", "map", live=True))


@pytest.mark.parametrize(
    ("scenario", "maps"),
    [("third-kharkov-l", []), ("second-kharkov-k", []), ("january-campaign", ["Fall Blau A", "Fall Blau B"])],
)
def test_only_maps_that_lie_on_the_table_have_a_tab(tmp_path, scenario, maps):
    """One map needs none; a counter that stands on another map brings its tab."""
    hall = Hall(tmp_path, "kharkov-battles", scenario)
    tabs = r'<nav class="map-tabs".*?</nav>'

    def shown():
        found = re.search(tabs, text_of(hall.get("axis", "map")), re.DOTALL)
        return re.findall(r">([^<>]+)</a>", found[0]) if found else []

    assert shown() == maps
    hall.act("axis", "enter-positions", text="57 Inf G3718")
    assert "Fall Blau G" in shown()


def test_what_came_of_the_last_battle_stands_in_sight(beaten):
    """Not in a fold: where a stack went is for the other side's hands, too."""
    answer(beaten, "soviet", "fall-back", to="KB3616")
    asked = [d for d in beaten.tables.visit(beaten.code, "axis").view.asked if d.action == "advance"]
    beaten.act("axis", "dismiss", ask=asked[0].id, how="no")
    for seat in ("axis", "soviet", "table"):
        page = text_of(beaten.clients[seat].get(f"/t/{beaten.code}/{seat}"))
        summary = re.search(r'battle-last".*?</summary>', page, re.DOTALL)[0]
        assert "25 Guards: back to KB3616" in summary


def test_the_battle_under_way_stands_before_one_that_is_not_begun(tmp_path):
    """Both wait for the attacker; the newer one was only designated."""
    hall = Hall(tmp_path, "kharkov-battles", "third-kharkov-l")
    hall.act("table", "import-positions", csv=SETUP + "axis,2/LAH,panzergrenadier,III,2,12,KB3619\n")
    hall.act("table", "go-to", turn=11, phase="axis-combat")
    for target, unit in (("KB3615", "axis-1-lah"), ("KB3618", "axis-2-lah")):
        hall.act("axis", "declare-assault", target=target, attackers=[unit], anyway="on")
    answer(hall, "axis", "begin-assault")
    page = text_of(hall.clients["axis"].get(f"/t/{hall.code}/axis"))
    assert page.index("Attack on KB3615</h2>") < page.index("Attack on KB3618</h2>")
