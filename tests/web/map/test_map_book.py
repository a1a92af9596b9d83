"""The map book's pages: typing, tapping, files, the numbering, and the lock."""

import io

import pytest
from bookkey import give_key
from hall import Hall, text_of

from companion.engine.hexes.ground import MapBook
from companion.web.app import create_app

ORIGIN = {"Origin": "http://localhost"}
URL = "/book/second-kharkov/map"


@pytest.fixture
def app(tmp_path):
    return create_app(tmp_path, testing=True)


@pytest.fixture
def browser(app):
    return give_key(app, app.test_client())


def owner(app):
    tables = app.extensions["companion"]["tables"]
    return MapBook.from_json(tables.store.book_get("second-kharkov", "map") or {})


def post(browser, path="", **form):
    return browser.post(URL + path, data=form, headers=ORIGIN, content_type="multipart/form-data")


def test_a_new_book_asks_its_question_and_says_that_it_is_blank(browser):
    page = browser.get(URL).get_data(as_text=True)
    assert "Does 2306 share a side with 2407" in page and "No ground yet" in page
    assert "Kharkov" in page and "rulebook" in page


def test_whoever_came_from_his_map_is_led_back_to_it_with_the_answer(browser):
    page = browser.get(f"{URL}?back=/t/ABCD/soviet/map").get_data(as_text=True)
    assert 'name="back" value="/t/ABCD/soviet/map"' in page and 'href="/t/ABCD/soviet/map"' in page
    answer = post(browser, "/grid", answer="Yes, both", back="/t/ABCD/soviet/map")
    assert answer.status_code == 303 and answer.headers["Location"].endswith("/t/ABCD/soviet/map")
    for wrong in ("//elsewhere.example", "https://elsewhere.example", "/t/A\nB"):
        assert URL in post(browser, "/grid", answer="Yes, both", back=wrong).headers["Location"]


def test_whoever_came_from_a_table_finds_the_way_back_to_it(tmp_path):
    hall = Hall(tmp_path)
    hall.get("german", "more")
    assert "Back to table" not in text_of(hall.clients["watch"].get(URL))
    hall.clients["german"].get(f"/t/{hall.code}/german")
    page = text_of(hall.clients["german"].get(URL))
    assert f'href="/t/{hall.code}/german/more">‹ Back to table {hall.code}<' in page
    page = text_of(hall.clients["german"].get(f"{URL}?back=/t/{hall.code}/german/map"))
    assert "Back to the map" in page and "Back to table" not in page, "one way back is enough"


def test_good_lines_count_and_bad_ones_come_back(app, browser):
    answer = post(browser, text="2408 forest\n9999 forest\n2408-2409 major river\nroad 1 2")
    page = answer.get_data(as_text=True)
    assert answer.status_code == 422
    assert "line 2: 9999 is not on this map" in page and "line 4:" in page
    assert "9999 forest\nroad 1 2</textarea>" in page, "only what was wrong is typed again"
    facts = {tuple(f) for f in owner(app).facts}
    assert facts == {("terrain", "2408", "", "forest"), ("side", "2408", "2409", "major river")}
    assert 'badge-good">owner' in page


def test_a_rulebook_fact_is_struck_out_and_comes_back(app, browser):
    post(browser, text="- city 2306 Kharkov")
    assert [f.a for f in owner(app).removed] == ["2306"]
    assert "2306" not in str(browser.get(f"{URL}?q=Kharkov").data.split(b'id="facts"')[1])
    post(browser, text="city 2306 Kharkov")
    assert not owner(app).removed


def test_a_tap_is_a_line_and_gets_the_new_drawing(browser):
    before = browser.get(URL).get_data(as_text=True)
    answer = browser.post(
        URL, data={"text": "2408 forest", "map": "0"}, headers={**ORIGIN, "Accept": "application/json"}
    )
    told = answer.get_json()
    assert told["problems"] == [] and told["base"] not in before and not told["blank"]
    svg = browser.get(told["base"]).get_data(as_text=True)
    assert "t-forest" in svg and "url(#trees)" in svg
    wrong = browser.post(
        URL, data={"text": "2408-2411 crossing"}, headers={**ORIGIN, "Accept": "application/json"}
    )
    assert wrong.status_code == 422 and "share no hexside" in wrong.get_json()["problems"][0]


def test_a_file_goes_out_and_comes_in_elsewhere(app, browser, tmp_path):
    post(
        browser,
        text="2408 forest\n2408-2409 crossing\n- city 4026 Slavyonsk\nline front 2408-2409\ntown 3019 Balakleya",
    )
    text = browser.get("/book/second-kharkov/map.csv").data
    other = create_app(tmp_path / "other", testing=True)
    answer = give_key(other, other.test_client()).post(
        f"{URL}/import", data={"file": (io.BytesIO(text), "map.csv")}, headers=ORIGIN
    )
    assert answer.status_code == 200
    assert owner(other).to_json() == owner(app).to_json()


def test_every_bad_row_of_a_file_is_named(browser):
    rows = (
        b"kind,a,b,value\nterrain,2408,,forest\nterrain,9999,,forest\nside,2408,,crossing\nnonsense,2408,,x\n"
    )
    answer = browser.post(f"{URL}/import", data={"file": (io.BytesIO(rows), "map.csv")}, headers=ORIGIN)
    page = answer.get_data(as_text=True)
    assert answer.status_code == 422
    assert all(f"line {n}:" in page for n in (3, 4, 5)) and "1 facts read" in page


def test_the_numbering_is_asked_once_and_changes_every_table(app, browser):
    tables = app.extensions["companion"]["tables"]
    code = tables.new("second-kharkov", "historical", {})
    assert "2306" in tables.game(code).maps.neighbours("2407")
    answer = post(browser, "/grid", answer="2408 is below 2407, but 2306 does not touch 2407")
    assert answer.status_code == 303
    assert "2306" not in tables.game(code).maps.neighbours("2407")
    page = browser.get(URL).get_data(as_text=True)
    assert "One look at your map" not in page and "Ask again" in page
    post(browser, "/grid", answer="")
    assert "2306" in tables.game(code).maps.neighbours("2407")
    assert post(browser, "/grid", answer="nonsense").status_code == 422


def test_limits_are_read_off_the_sheet(app, browser):
    tables = app.extensions["companion"]["tables"]
    code = tables.new("second-kharkov", "historical", {})
    form = {"columns_low": "14", "columns_high": "43", "rows_low": "1", "rows_high": "31"}
    assert post(browser, "/grid", **form).status_code == 303
    assert tables.game(code).maps.parse("4331") == "4331"
    assert "yours" in browser.get(URL).get_data(as_text=True)
    assert post(browser, "/grid", **{**form, "columns_low": "50"}).status_code == 422
    assert post(browser, "/grid", **{**form, "rows_low": "x"}).status_code == 422
    post(browser, "/grid", reset="1")
    assert "4331" not in tables.game(code).maps.grids[0].index


def test_a_locked_book_is_read_only(app):
    browser = app.test_client()
    assert "The book is locked" in browser.get(URL).get_data(as_text=True)
    assert post(browser, text="2408 forest").status_code == 403
    assert post(browser, "/grid", answer="Yes, both").status_code == 403
    assert browser.post(f"{URL}/import", data={}, headers=ORIGIN).status_code == 403
    assert not owner(app).facts


def test_other_sites_cannot_write(browser):
    answer = browser.post(URL, data={"text": "2408 forest"}, headers={"Origin": "http://evil.example"})
    assert answer.status_code == 403


def test_each_of_several_maps_has_its_page(browser):
    page = browser.get("/book/kharkov-battles/map?map=1").get_data(as_text=True)
    assert "KH3117" in page
    assert browser.get("/book/kharkov-battles/map?map=99").status_code == 404
