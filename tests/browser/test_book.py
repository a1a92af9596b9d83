"""The chart book in a real browser: keys, paste, taps, spreadsheets. The values are made up here."""

import re

import pytest
from harness import SCENARIOS
from playwright.sync_api import expect

from companion.books.played import keep_faces
from companion.store import open_store
from companion.systems import IDS, find_system

CRT = "/book/second-kharkov/chart/crt"
CARDS = "/book/enemy-action-kharkov/list/cards"
CHITS = "/book/enemy-action-kharkov/list/chits"
ROSTER = "/book/second-kharkov/roster/historical"
REFUSED = "422"  # the console tells of every answer that is not 2xx


@pytest.fixture
def book_server(own_server):
    """This file's server, with its book as it was shipped."""
    store = open_store(own_server.data / "companion.db")
    for system in IDS:
        for row in store.book_list(system):
            store.book_change(system, row.name, lambda _: {}, row.changed_at)
    store.close()
    return own_server


@pytest.fixture
def book(book_server):
    return book_server.url


@pytest.fixture
def device(device, request):
    """Windows that may write in the book of this test's server."""
    server = request.getfixturevalue("book_server" if "book" in request.fixturenames else "server")

    def open_window(size="phone", **options):
        page = device(size, **options)
        server.unlock_book(page)
        return page

    return open_window


def cell(page, row, column):
    return page.get_by_role("textbox", name=re.compile(rf"row {re.escape(row)}, column {re.escape(column)},"))


def saved(page):
    expect(page.locator("#save-state")).to_have_text("Saved")


def paste(page, text):
    """What Ctrl-V does, without the clipboard that an insecure page has not."""
    page.evaluate(
        """(text) => {
            const data = new DataTransfer();
            data.setData("text/plain", text);
            const event = new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true});
            document.activeElement.dispatchEvent(event);
        }""",
        text,
    )


def test_a_chart_is_filled_by_keyboard(book, tablet):
    tablet.goto(book + CRT)
    expect(tablet.locator("#progress")).to_contain_text("2 of 64 cells")
    cell(tablet, "2", "3:1").focus()
    tablet.keyboard.type("1/3")
    tablet.keyboard.press("Enter")  # row 3 of this column is the rulebook's: skipped
    expect(cell(tablet, "4", "3:1")).to_be_focused()
    tablet.keyboard.type("1/1")
    tablet.keyboard.press("ArrowRight")
    expect(cell(tablet, "4", "4:1")).to_be_focused()
    tablet.keyboard.press("ArrowUp")
    tablet.keyboard.press("ArrowLeft")
    expect(cell(tablet, "3", "2:1")).to_be_focused()
    tablet.keyboard.type("0/1")
    tablet.keyboard.press("Tab")
    expect(cell(tablet, "3", "4:1")).to_be_focused()
    saved(tablet)
    expect(tablet.locator("#progress")).to_contain_text("5 of 64 cells")
    tablet.reload()
    expect(cell(tablet, "2", "3:1")).to_have_value("1/3")
    expect(cell(tablet, "4", "3:1")).to_have_value("1/1")


def test_a_wrong_code_stays_and_is_named_until_it_is_right(book, tablet):
    tablet.expected_errors.append(REFUSED)
    tablet.goto(book + CRT)
    cell(tablet, "1", "1:3").fill("many <b>🙂</b>")
    tablet.keyboard.press("Enter")
    problem = tablet.locator("#problems")
    expect(problem).to_contain_text("row 1, column 1:3: 'many <b>🙂</b>' is not a result of this chart")
    expect(cell(tablet, "1", "1:3")).to_have_value("many <b>🙂</b>")
    expect(tablet.locator("#save-state")).to_contain_text("1 not taken over")
    problem.get_by_role("link").click()
    expect(cell(tablet, "1", "1:3")).to_be_focused()
    tablet.keyboard.press("Escape")
    expect(problem).to_be_hidden()
    expect(cell(tablet, "1", "1:3")).to_have_value("")


def test_a_block_from_a_spreadsheet_is_pasted(book, tablet):
    tablet.expected_errors.append(REFUSED)
    tablet.goto(book + CRT)
    cell(tablet, "5", "4:1").focus()
    paste(tablet, "1/1\t1/2\t0/2\r\n1/2\toops\t0/2\t9/9\r\n")
    expect(tablet.locator("#notice")).to_contain_text("5 cells saved")
    expect(tablet.locator("#problems")).to_contain_text("row 6, column 5:1: 'oops'")
    expect(tablet.locator("#toast")).to_contain_text("1 value fell outside the chart: 9/9")
    expect(cell(tablet, "6", "6:1")).to_have_value("0/2")
    expect(tablet.locator("#progress")).to_contain_text("7 of 64")
    cell(tablet, "6", "5:1").fill("1/3")
    tablet.keyboard.press("Enter")
    expect(tablet.locator("#problems")).to_be_hidden()


def test_the_whole_chart_is_pasted_heads_and_all(book, tablet):
    tablet.goto(book + CRT)
    heads = ["1:3", "1:2", "1:1", "2:1", "3:1", "4:1", "5:1", "6:1"]
    rows = ["<1", "1", "2", "3", "4", "5", "6", ">6"]
    known = {("3", "3:1"): "1/2", (">6", "4:1"): "1/1"}
    lines = ["\t".join(["", *heads])]
    lines += ["\t".join([row, *(known.get((row, head), "1/1") for head in heads)]) for row in rows]
    cell(tablet, "4", "4:1").focus()
    paste(tablet, "\n".join(lines))
    expect(tablet.locator("#notice")).to_contain_text("62 cells saved")
    expect(tablet.locator("#problems")).to_be_hidden()
    tablet.reload()
    expect(tablet.locator("#progress")).to_contain_text("complete")


def test_codes_of_the_chart_are_tapped_in(book, tablet):
    tablet.goto(book + CRT)
    cell(tablet, "<1", "1:3").click()
    palette = tablet.locator("#palette")
    palette.get_by_role("button", name="1/1").click()
    palette.get_by_role("button", name="1/2").click()
    saved(tablet)
    expect(cell(tablet, "<1", "1:3")).to_have_value("1/1")
    expect(cell(tablet, "<1", "1:2")).to_have_value("1/2")
    expect(cell(tablet, "<1", "1:1")).to_be_focused()


def test_a_lost_network_loses_no_entry(book, tablet, network_errors):
    tablet.expected_errors += network_errors
    tablet.goto(book + CRT)
    tablet.context.set_offline(True)
    cell(tablet, "1", "1:3").fill("1/1")
    tablet.keyboard.press("Enter")
    expect(tablet.locator("#save-state")).to_contain_text("1 not saved yet")
    tablet.context.set_offline(False)
    saved(tablet)
    tablet.reload()
    expect(cell(tablet, "1", "1:3")).to_have_value("1/1")


def test_cards_are_tapped_in_on_a_phone(book, phone):
    phone.goto(book + CARDS)
    row = phone.locator('[data-key="P01"]')
    row.get_by_role("radio", name="primary").check()
    turn = row.get_by_role("textbox", name="Enters on turn")
    turn.fill("3")
    turn.press("Enter")
    expect(phone.locator('[data-key="P02"]').get_by_role("textbox", name="Enters on turn")).to_be_focused()
    expect(row.locator(".brow-sum")).to_contain_text("Primary · 3")
    row.get_by_text("Primary", exact=True).tap(force=True)  # a second tap takes it back
    expect(row.get_by_role("radio", name="primary")).not_to_be_checked()
    saved(phone)
    phone.reload()
    expect(row.get_by_role("radio", name="primary")).not_to_be_checked()
    expect(turn).to_have_value("3")
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_brush_fills_many_cards_with_one_tap_each(book, phone):
    phone.goto(book + CARDS)
    brush = phone.get_by_role("group", name="Quick fill")
    brush.get_by_role("radio", name="supplemental").check()
    for card in ("P05", "P06", "P07"):
        phone.get_by_role("button", name=card, exact=True).tap()
        expect(phone.locator(f'[data-key="{card}"] .brow-sum')).to_contain_text("Supplemental")
    brush.get_by_role("radio", name="2", exact=True).check()
    phone.get_by_role("button", name="P06", exact=True).tap()
    expect(phone.locator('[data-key="P06"] .brow-sum')).to_contain_text("Supplemental · 2")
    phone.get_by_role("button", name="P07", exact=True).tap()
    expect(phone.locator('[data-key="P07"] .brow-sum')).to_contain_text("Supplemental · 2")
    saved(phone)
    brush.get_by_role("radio", name="off").check()
    row = phone.locator('[data-key="P06"]')
    expect(row.get_by_role("radio", name="supplemental")).to_be_checked()
    expect(row.get_by_role("textbox", name="Enters on turn")).to_have_value("2")


def test_chits_are_entered_one_by_one_on_a_phone(book, phone):
    phone.goto(book + CHITS)
    phone.get_by_role("link", name="Fill in one by one").tap()
    key, ask = phone.locator(".walk-key"), phone.locator(".walk-ask")

    def tap(name):
        phone.get_by_role("button", name=name, exact=True).tap()

    expect(key).to_have_text("C01")
    tap("Dark")
    expect(phone.get_by_role("button", name="Dark", pressed=True)).to_be_visible()
    tap("Flank attack")
    expect(ask).to_have_text("Front: hits")
    tap("D1")
    expect(ask).to_contain_text("Back")
    tap("≥ ratio")
    expect(ask).to_have_text("Back: detail")
    tap("3")
    expect(ask).to_have_text("Back: hits")
    tap("A1 D1")
    expect(key).to_have_text("C02")
    tap("≥ ratio, 3 · A1 D1")
    expect(ask).to_contain_text("Back")
    phone.get_by_role("link", name="Back", exact=False).filter(has_text="◂").tap()
    expect(ask).to_have_text("Front: hits")
    tap("D2")
    expect(ask).to_contain_text("Back")
    tap("Flank attack, D1")
    expect(key).to_have_text("C03")
    tap("Same as C02")
    expect(key).to_have_text("C04")
    phone.get_by_role("link", name="See the whole list").tap()
    expect(phone.locator(".brow-sum").first).to_contain_text("Dark · Flank attack · D1")
    expect(phone.locator("#progress")).to_contain_text("3 of 60")


def test_answers_are_typed_one_after_the_other_with_a_keyboard(book, device):
    tablet = device("tablet", has_touch=False)
    tablet.expected_errors.append(REFUSED)
    tablet.goto(book + CHITS + "/walk")
    ask = tablet.locator(".walk-ask")
    for typed, asked in (
        ("fla", "Front: hits"),
        ("A2", "Back"),
        ("terr", "Back: detail"),
        ("town woods", "Back: hits"),
    ):
        expect(tablet.locator("#walk-text")).to_be_focused()
        tablet.keyboard.type(typed)
        tablet.keyboard.press("Enter")
        expect(ask).to_contain_text(asked)
    tablet.keyboard.type("D-1")
    tablet.keyboard.press("Enter")
    expect(tablet.locator(".walk-key")).to_have_text("C02")
    tablet.keyboard.type("ratio")
    tablet.keyboard.press("Enter")
    expect(tablet.locator("#walk .error")).to_contain_text("could be several")
    expect(tablet.locator("#walk-text")).to_have_value("ratio")


def test_a_chart_goes_out_as_csv_and_comes_back(book, tablet, tmp_path):
    tablet.goto(book + CRT)
    cell(tablet, "1", "1:3").fill("2/0")
    tablet.keyboard.press("Enter")
    saved(tablet)
    tablet.locator("#spreadsheet > summary").click()
    with tablet.expect_download() as caught:
        tablet.get_by_role("link", name="Export CSV").click()
    path = tmp_path / "crt.csv"
    caught.value.save_as(path)
    text = path.read_text()
    assert "\n1,2/0," in text
    path.write_text(text.replace("\n2,,", "\n2,2/1,"))
    tablet.get_by_label("CSV file").set_input_files(path)
    tablet.get_by_role("button", name="Import").click()
    expect(tablet.locator("#notice")).to_contain_text("1 cell saved")
    expect(cell(tablet, "2", "1:3")).to_have_value("2/1")


def test_the_plain_form_works_without_javascript(book, device):
    page = device("tablet", java_script_enabled=False)
    page.expected_errors.append(REFUSED)
    page.goto(book + CRT)
    cell(page, "1", "1:3").fill("2/0")
    cell(page, "1", "1:2").fill("wrong")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#notice")).to_contain_text("1 cell saved")
    expect(page.locator("#problems")).to_contain_text("row 1, column 1:2: 'wrong'")
    expect(cell(page, "1", "1:2")).to_have_value("wrong")


def test_a_roster_is_pasted_in_with_its_mistakes_shown(book, tablet):
    tablet.expected_errors.append(REFUSED)
    tablet.goto(book + ROSTER)
    tablet.locator("#spreadsheet > summary").click()
    box = tablet.get_by_label("or the table, pasted")
    box.fill("side,name,steps,place\ngerman,Made Up,2,9999\n")
    tablet.get_by_role("button", name="Import").click()
    expect(tablet.locator("#problems")).to_contain_text("line 2: place '9999'")
    expect(box).to_have_value(re.compile("Made Up"))
    box.fill("side,name,steps,place\ngerman,Made Up,2,2408\n")
    tablet.get_by_role("button", name="Import").click()
    expect(tablet.get_by_role("row", name=re.compile("Made Up"))).to_contain_text("yours")


PAGES = ["/book", "/book/second-kharkov", CRT, CARDS, CHITS + "/walk", ROSTER, "/book/wb95/chart/combat"]


@pytest.mark.parametrize("size", ["tablet", "phone", "small"])
def test_every_page_fits(server, device, size):
    window = device(size)
    for page in PAGES:
        window.goto(server.url + page)
        wide = window.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{page} runs {wide} px over the edge"


@pytest.mark.parametrize("page", PAGES)
def test_every_page_is_accessible(server, phone, page):
    from axe_playwright_python.sync_playwright import Axe

    window = phone
    window.goto(server.url + page)
    found = Axe().run(window)
    assert found.violations_count == 0, found.generate_report()


# -- faces seen in play --------------------------------------------------------------------------------------


@pytest.fixture
def seen_in_play(book_server):
    """Two tables that disagree about a card, one that copied a chit, and a hidden chit laid open after a game."""
    store = open_store(book_server.data / "companion.db")
    at = "2026-05-12T10:00:00+00:00"
    ea, kb = (find_system(name, SCENARIOS) for name in ("enemy-action-kharkov", "kharkov-battles"))
    card = {"cards|P07|type": "army", "cards|P07|value": 3}
    chit = {
        "front": "ratio at least",
        "front_detail": "3",
        "front_hits": "D1",
        "back": "nkvd",
        "back_hits": "A1",
    }
    keep_faces(store, ea, card | {"cards|P07|kind": "primary"}, "ABCD", at)
    keep_faces(store, ea, card | {"cards|P07|kind": "supplemental"}, "WXYZ", at)
    keep_faces(store, ea, {f"chits|C01|{name}": value for name, value in chit.items()}, "ABCD", at)
    keep_faces(store, kb, {"chits|axis 1|full": "A7 B5", "chits|axis 1|reduced": "A4 B3"}, "ABCD", at)
    store.close()


@pytest.mark.parametrize("size", ["tablet", "phone"])
def test_the_owner_settles_with_a_tap_what_tables_saw(seen_in_play, book, device, size):
    page = device(size)
    page.goto(book + CARDS)
    told = page.locator(".from-play")
    expect(told).to_contain_text("tables disagree")
    told.get_by_role("button", name="Supplemental is right").click()
    expect(page.locator(".from-play")).not_to_contain_text("tables disagree")
    page.locator(".from-play").get_by_role("button", name="All this is right").click()
    expect(page.locator(".from-play")).to_have_count(0)
    page.goto(book + CHITS)
    page.locator(".from-play").get_by_role("button", name="All this is right").click()
    expect(page.locator('.brow[data-key="C01"]')).to_contain_text("≥ ratio")
    page.goto(book + "/book/kharkov-battles/list/chits")
    page.get_by_role("button", name="Add this chit").click()
    expect(page.locator('.brow[data-key="1"] input').first).to_have_value("A7 B5")
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0
