"""Map, entry and supply pages: what they say, what they refuse, and what they keep from the wrong seat."""

import gzip
import re
from xml.etree import ElementTree

import pytest
from hall import ORIGIN, Hall, text_of

SECRET = "Geheimdivision"
RING = "german 1 2420; german 1 2520; german 1 2521; german 1 2422; german 1 2321; german 1 2320"


@pytest.fixture
def hall(tmp_path):
    return Hall(tmp_path)


@pytest.fixture
def front(hall):
    """A German stack with a buried unit, a Soviet pocket, a free Soviet; turn 2."""
    hall.act("german", "enter-positions", text=f"{SECRET} 2408; 3Pz 2408; 16Pz 2508")
    hall.act("soviet", "enter-positions", text="7 Cav 2421; 6 Cav 2421; 38 Guards 3805")
    hall.act("table", "enter-positions", text=RING)
    hall.act("table", "go-to", turn=2, phase="soviet-move")
    return hall


# -- the picture


def test_the_base_map_is_a_file_for_good_and_small(hall):
    page = text_of(hall.get("table", "map"))
    url = re.search(r'data-base="([^"]+)"', page)[1]
    answer = hall.clients["table"].get(url, headers={"Accept-Encoding": "gzip"})
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["Content-Encoding"] == "gzip"
    svg = gzip.decompress(answer.data).decode()
    root = ElementTree.fromstring(svg)
    numbers = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"1402", "2408", "4230", "Kharkov"} <= set(numbers)
    assert "style=" not in svg and "<script" not in svg
    plain = hall.clients["table"].get(url, headers={"Accept-Encoding": ""})
    assert plain.get_data(as_text=True) == svg and "Content-Encoding" not in plain.headers
    stale = hall.clients["table"].get(url.replace(url[-20:-4], "0" * 16))
    assert stale.headers["Cache-Control"] == "no-store"
    assert hall.clients["table"].get("/map/second-kharkov/9/x.svg").status_code == 422


def test_an_empty_map_teaches(hall):
    page = text_of(hall.get("soviet", "map"))
    assert "No units yet." in page and "<code>3Pz 2408</code>" in page
    assert hall.get("watch", "map").status_code == 200


def test_a_move_refreshes_only_what_lies_on_the_map(front):
    live = front.get("german", "map", live=True)
    assert text_of(live).lstrip().startswith('<div id="live"')
    assert "<html" not in text_of(live) and "numbers" not in text_of(live)
    tag = live.headers["ETag"]
    assert front.get("german", "map", live=True, **{"If-None-Match": tag}).status_code == 304
    front.act("german", "enter-positions", text="16Pz 2509")
    moved = front.get("german", "map", live=True, **{"If-None-Match": tag})
    assert moved.status_code == 200 and 'data-hex="2509"' in text_of(moved)


def test_layers_are_drawn_when_they_are_asked_for(front):
    plain = text_of(front.get("table", "map", live=True))
    assert "zone-a" not in plain and "cut-off" not in plain
    full = text_of(
        front.get("table", "map?layer=zoc-soviet&layer=zoc-german&layer=control&layer=supply", live=True)
    )
    assert all(word in full for word in ("#zone-a", "#zone-b", "cut-off", "held side-soviet"))
    assert "layer=supply" in full, "the next refresh asks for the same layers"
    assert "Supply" not in re.findall(r"<span>([^<]+)</span></label>", text_of(front.get("watch", "map")))


def test_a_hex_tells_its_stack_its_ground_and_its_line(front):
    page = text_of(front.get("soviet", "map/hex/2421", **{"HX-Request": "true", "HX-Target": "sheet"}))
    assert "7 Cav" in page and "Out of supply." in page and "enemy unit" in page
    assert 'id="pick"' in page and 'class="cutting"' in page and "hx-swap-oob" in page
    assert "Computed from units only" in page
    free = text_of(front.get("soviet", "map/hex/3805", **{"HX-Request": "true"}))
    assert "In supply." in free and 'class="line"' in free
    whole = text_of(front.get("soviet", "map/hex/3805"))
    assert "<html" in whole and whole.count('id="pick"') == 1


def test_a_line_of_its_own_for_each_unit_of_a_stack(front):
    page = text_of(front.get("soviet", "map/hex/2421?unit=soviet-7-cav", **{"HX-Request": "true"}))
    assert "Out of supply." in page and "btn-primary" in page
    strange = text_of(front.get("german", "map/hex/2421?unit=soviet-7-cav", **{"HX-Request": "true"}))
    assert "supply-line" not in strange and "for its own side to ask" in strange


def test_ranges_and_distances(hall):
    page = text_of(hall.get("table", "map/hex/2408?reach=2", **{"HX-Request": "true"}))
    assert "Within 2: 19 hexes" in page and 'class="reach"' in page
    page = text_of(hall.get("table", "map/hex/2408?to=2411", **{"HX-Request": "true"}))
    assert "2408 to 2411: 3 hexes" in page and 'class="measure"' in page
    page = text_of(hall.get("table", "map/hex/2408?to=9999", **{"HX-Request": "true"}))
    assert "9999 is not on this map" in page
    assert hall.get("table", "map/hex/9999").status_code == 422


def test_a_wrong_hex_is_answered_with_the_bounds(hall):
    answer = hall.get("table", "map/hex/9999", **{"HX-Request": "true"})
    assert answer.status_code == 422 and "columns 14-42, rows 02-30" in text_of(answer)


# -- entry


def test_entering_by_a_plain_form(hall):
    page = text_of(hall.get("german", "entry"))
    assert "No units yet." in page and "Load the scenario" in page
    done = text_of(hall.post("german", "entry", text="3Pz 2408; 16Pz 2409"))
    assert "3rd Panzer: 2408" in done and "16Pz: 2409" in done and "<html" in done
    wrong = hall.post("german", "entry", text="3Pz 2410\nnobody 9999")
    assert wrong.status_code == 422 and "line 2: 9999 is not on this map" in text_of(wrong)
    assert "3Pz 2410\nnobody 9999</textarea>" in text_of(wrong), "what was typed stays"
    assert hall.tables.game(hall.code).unit("3-panzer").place == "2408"


def test_entering_by_htmx_answers_with_the_result_only(hall):
    done = hall.post("german", "entry", target="entry-answer", text="3Pz 2408", action_id="one")
    assert "<html" not in text_of(done) and done.headers["HX-Trigger"] == "table-changed, entered"
    again = hall.post("german", "entry", target="entry-answer", text="3Pz 2408", action_id="one")
    assert text_of(again) == text_of(done), "a repeat gets the first answer"
    wrong = hall.post("german", "entry", target="entry-answer", text="3Pz 9999")
    assert wrong.status_code == 422 and "HX-Trigger" not in wrong.headers
    sheet = hall.post("german", "entry", target="sheet", text="3Pz 2410", hex="2408")
    assert 'id="hex-sheet"' in text_of(sheet) and "3rd Panzer: 2408" in text_of(sheet)


def test_hints_chips_and_recent_hexes(front):
    chips = text_of(front.get("german", "entry/hints?text=16Pz%20"))
    assert 'data-name="16Pz"' in chips and "Around 2508" in chips
    assert "2508" in text_of(front.get("german", "entry/hints?text="))


def test_a_file_by_form(hall):
    csv = "side,name,place\ngerman,A,2408\ngerman,B,2409\n"
    assert "A: 2408" in text_of(hall.post("german", "entry/import", csv=csv))
    wrong = hall.post("table", "entry/import", csv="side,name,place\ngerman,C,9999\n")
    assert wrong.status_code == 422 and "line 2: 9999" in text_of(wrong)
    out = hall.get("table", "positions.csv")
    assert out.mimetype == "text/csv" and "german-a,german,A" in text_of(out)


def test_watchers_look_on(hall):
    assert hall.get("watch", "entry").status_code == 403
    assert hall.get("watch", "supply").status_code == 403
    assert hall.post("watch", "entry", text="3Pz 2408").status_code == 403
    assert hall.clients["soviet"].get(f"/t/{hall.code}/german/entry").status_code == 403
    assert hall.clients["soviet"].get(f"/t/{hall.code}/german/map").status_code == 403


# -- supply


def test_supply_lists_differences_and_applies_what_is_ticked(front):
    page = text_of(front.get("soviet", "supply"))
    assert "<strong>2</strong> out of supply" in page and "Computed from units only" in page
    assert 'name="out" value="soviet-7-cav" checked' in page
    done = text_of(front.post("soviet", "supply", side="soviet", out="soviet-7-cav"))
    assert "7 Cav: Out of supply" in done
    game = front.tables.game(front.code)
    assert game.mark("soviet-7-cav", "oos") is True and game.mark("soviet-6-cav", "oos") is None
    wrong = front.post("soviet", "supply", target="live", side="soviet", out="soviet-38-guards")
    assert wrong.status_code == 409 and "Look again" in text_of(wrong)


def test_supply_with_a_map_book_is_no_longer_from_units_only(front):
    front.clients["table"].post("/book/second-kharkov/map", data={"text": "2421 forest"}, headers=ORIGIN)
    assert "Computed from units only" not in text_of(front.get("soviet", "supply"))


# -- secrecy


PAGES = [
    "map", "map?layer=zoc-soviet&layer=zoc-german&layer=control&layer=supply", "map/hex/2408", "map/hex/2508",
    "map/hex/2408?reach=3", "map?hex=2408", "entry", "entry/hints?text=Geh", "entry/hints?text=2408%20", "supply",
    "supply?side=german", "takedown", "positions.csv", "map/hex/2408?unit=german-2408-2",
]  # fmt: skip


@pytest.mark.parametrize("seat", ["soviet", "watch", "table"])
def test_a_buried_unit_is_on_no_page_but_its_owners(front, seat):
    for path in PAGES:
        for target in ("", "live", "sheet"):
            headers = {"HX-Request": "true", "HX-Target": target} if target else {}
            answer = front.get(seat, path, **headers)
            assert answer.status_code in {200, 403}, path
            assert "geheim" not in text_of(answer).casefold().replace("text=geh", ""), path


def test_the_owner_sees_it_everywhere(front):
    for page in (
        "map",
        "map/hex/2408",
        "entry",
        "entry/hints?text=Geh",
        "supply",
        "takedown",
        "positions.csv",
    ):
        assert SECRET in text_of(front.get("german", page)), page


def test_untried_factors_are_on_no_page(hall):
    csv = "side,name,place,steps,AF,DF\nsoviet,Tank brigade 77,2708,1,97,89\n"
    hall.act("soviet", "import-positions", csv=csv)
    assert hall.tables.game(hall.code).unit("Tank brigade 77").untried
    for seat in ("soviet", "german", "table", "watch"):
        for path in (*PAGES, "map/hex/2708"):
            words = re.sub(r"<svg.*?</svg>", "", text_of(hall.get(seat, path)), flags=re.DOTALL)
            assert not re.search(r"AF 97|DF 89|,97,|\b97,89\b", words), path


def test_the_enemys_answers_to_a_trace_are_hexes_only(front):
    page = text_of(front.get("soviet", "map/hex/2421", **{"HX-Request": "true"}))
    assert "german-unit" not in page
    assert "german-unit" not in text_of(front.get("soviet", "supply"))


# -- every game


@pytest.mark.parametrize(
    ("system", "scenario"),
    [
        ("panzer-keil", "winter-1943"),
        ("enemy-action-kharkov", "campaign"),
        ("kharkov-battles", "operation-star"),
        ("wb95", "kharkov-1942"),
    ],
)
def test_the_pages_work_for_every_game(tmp_path, system, scenario):
    hall = Hall(tmp_path, system, scenario)
    offered = [a["name"] for a in hall.tables.view(hall.code, "table")["actions"]]
    if "set-up" in offered:
        hall.act("table", "set-up")
    side = hall.tables.game(hall.code).sides[0]
    for seat in ("table", side):
        for page in ("map?layer=control&layer=supply", "entry", "supply", "takedown", "positions.csv"):
            assert hall.get(seat, page).status_code == 200, page
    view = hall.tables.view(hall.code, "table")
    layers = "&".join(f"layer=zoc-{s['id']}" for s in view["sides"])
    assert hall.get("table", f"map?{layers}").status_code == 200
    on_map = [u["place"] for u in view["units"] if u["place"] and ":" not in u["place"]]
    for hex_id in on_map[:3]:
        assert hall.get("table", f"map/hex/{hex_id}").status_code == 200
    assert hall.clients["watch"].get(f"/book/{system}/map").status_code == 200
    assert hall.clients["watch"].get(f"/scenario/{system}/{scenario}/setup").status_code == 200


def test_nothing_is_said_of_a_line_that_cannot_be_traced(tmp_path):
    """WB-95 without rivers and roads: neither in supply nor another side's business, and the supply page tells why."""
    hall = Hall(tmp_path, "wb95", "kharkov-1942")
    hall.act("table", "set-up")
    sheet = text_of(hall.get("german", "map/hex/2008", **{"HX-Request": "true", "HX-Target": "sheet"}))
    assert "211/71 INF-R" in sheet and "In supply" not in sheet and "its own side to ask" not in sheet
    page = text_of(hall.get("german", "supply"))
    assert "cut nobody off" in page and "in supply</span>" not in page
