"""Fields under thumbs and keys: real dice tapped face by face, numbers typed over, positions entered on every device."""

import json
import re
import urllib.request

import pytest
from playwright.sync_api import expect

SIZES = ["small", "phone", "tablet"]
TAP = 44
"""The least that a thumb hits, in CSS pixels."""


class Table:
    """A table on a running server; `state()` is what everybody may see of it."""

    def __init__(self, server, system="wb95", scenario="kharkov-1942", **options):
        self.url = server.url
        made = self.call("/api/tables", {"system": system, "scenario": scenario, "options": options})
        self.code, self.seats = made["code"], made["seats"]

    def call(self, path, body=None, token=""):
        headers = {"Content-Type": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data, headers)) as answer:
            return json.loads(answer.read())

    def act(self, seat, action, **fields):
        return self.call(f"/api/tables/{self.code}/actions/{action}", fields, self.seats[seat])

    def last_roll(self):
        return self.call(f"/api/tables/{self.code}")["last_roll"]

    def sit(self, page, seat, path=""):
        page.goto(f"{self.url}/j/{self.code}/{self.seats[seat]}")
        page.goto(f"{self.url}/t/{self.code}/{seat}/{path}".rstrip("/"))
        return page


def sheet(page):
    return page.get_by_role("region", name="Roll dice")


def die(page, number, face):
    return page.get_by_role("radiogroup", name=f"Die {number}").get_by_role("radio", name=face, exact=True)


def in_view(page, locator):
    box = locator.bounding_box()
    return box["y"] >= 0 and box["y"] + box["height"] <= page.viewport_size["height"]


# -- real dice


@pytest.mark.parametrize("size", SIZES)
def test_tapped_faces_are_what_is_recorded(server, device, size):
    table = Table(server)
    page = table.sit(device(size), "soviet", "do/roll-dice?dice=2d6")
    for number in (1, 2):
        for face in "123456":
            box = die(page, number, face).bounding_box()
            assert min(box["width"], box["height"]) >= TAP, f"{face} of die {number} is small: {box}"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    use = page.locator("#use-dice")
    expect(use).to_have_text("Use my dice")
    die(page, 1, "6").tap()
    expect(use).to_have_text("Use 6 + ?")
    die(page, 2, "6").tap()
    expect(use).to_have_text("Use 6 + 6 = 12")
    expect(page.locator("#roll-dice")).to_be_hidden()
    use.tap()
    expect(page.locator(".toast")).to_contain_text("2d6 rolled 6, 6 = 12 (by hand)")
    roll = table.last_roll()
    assert (roll["values"], roll["total"], roll["mode"]) == ([6, 6], 12, "physical")


@pytest.mark.parametrize("size", SIZES)
def test_with_real_dice_only_the_tray_leads_to_the_faces(server, device, size):
    table = Table(server, **{"mode-dice": "physical"})
    page = table.sit(device(size), "table" if size == "tablet" else "german")
    page.get_by_role("link", name="2d6", exact=True).first.tap()
    expect(sheet(page).locator("#roll-dice")).to_have_count(0)
    die(page, 1, "1").tap()
    die(page, 2, "2").tap()
    sheet(page).get_by_role("button", name="Use 1 + 2 = 3").tap()
    expect(page.locator("#live .die")).to_have_text(["1", "2"])
    assert table.last_roll()["values"] == [1, 2]


@pytest.mark.parametrize("typed", ["12", "11", "7"])
def test_a_typed_sum_stays_a_sum(server, device, typed):
    table = Table(server)
    page = table.sit(device("phone"), "soviet", "do/roll-dice?dice=2d6")
    die(page, 1, "3").tap()
    page.get_by_label("or type their sum").press_sequentially(typed)
    expect(die(page, 1, "3")).not_to_be_checked()
    page.get_by_role("button", name=f"Use {typed}", exact=True).tap()
    expect(page.locator(".toast")).to_contain_text(f"2d6 rolled {typed} (by hand)")
    roll = table.last_roll()
    assert (roll["values"], roll["sum"], roll["total"]) == ([], int(typed), int(typed))


def test_rolling_stays_one_tap_and_is_no_slip_away_from_real_dice(server, device):
    table = Table(server)
    page = table.sit(device("small"), "soviet")
    page.get_by_role("link", name=re.compile("Other dice")).tap()
    sheet(page).get_by_role("textbox", name=re.compile("^Dice")).fill("2d6")
    die(page, 2, "4").tap()
    expect(sheet(page).locator("#roll-dice")).to_be_hidden()
    sheet(page).get_by_role("button", name="Clear").tap()
    expect(die(page, 2, "4")).not_to_be_checked()
    sheet(page).get_by_role("button", name="Roll 2d6").tap()
    expect(page.locator("#live .die")).to_have_count(2)
    assert table.last_roll()["mode"] == "digital"


def test_dice_left_out_are_asked_back_and_those_tapped_stay(server, device):
    table = Table(server)
    page = table.sit(device("phone"), "soviet")
    page.expected_errors += ["422"]
    page.get_by_role("link", name=re.compile("Other dice")).tap()
    sheet(page).get_by_role("textbox", name=re.compile("^Dice")).fill("2d6+1")
    die(page, 2, "4").tap()
    use = sheet(page).get_by_role("button", name="Use ? + 4 + 1", exact=True)
    use.tap()
    expect(sheet(page)).to_contain_text("only 1 of 2 dice is entered")
    expect(die(page, 2, "4")).to_be_checked()
    die(page, 1, "5").tap()
    sheet(page).get_by_role("button", name="Use 5 + 4 + 1 = 10").tap()
    expect(page.locator("#live .die")).to_have_text(["5", "4"])


def test_a_keyboard_enters_real_dice(server, device):
    table = Table(server)
    page = table.sit(device("tablet"), "soviet", "do/roll-dice?dice=2d6")
    page.get_by_label("or type their sum").fill("9")
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_contain_text("2d6 rolled 9 (by hand)")
    assert table.last_roll()["sum"] == 9


def test_faces_and_rolling_work_without_javascript(server, device):
    table = Table(server)
    page = table.sit(device("small", java_script_enabled=False), "soviet", "do/roll-dice?dice=1d10z")
    page.get_by_role("radio", name="0", exact=True).tap()
    page.get_by_role("button", name="Use my dice").tap()
    page.wait_for_url(re.compile(r"/soviet(\?said=\d+)?$"))
    assert (table.last_roll()["values"], table.last_roll()["mode"]) == ([0], "physical")
    page.goto(f"{table.url}/t/{table.code}/soviet/do/roll-dice?dice=1d10z")
    page.get_by_role("button", name="Roll 1d10").tap()
    page.wait_for_url(re.compile(r"/soviet(\?said=\d+)?$"))
    assert table.last_roll()["mode"] == "digital"


# -- numbers


@pytest.mark.parametrize("size", SIZES)
def test_typing_17_over_a_number_gives_17(server, device, size):
    page = Table(server).sit(device(size), "soviet", "sheet/combat")
    attack = page.get_by_label("Attack SP", exact=True)
    expect(attack).to_have_value("0")
    attack.tap()
    page.keyboard.type("17")
    expect(attack).to_have_value("17")
    attack.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.type("4")
    expect(attack).to_have_value("4")


def test_a_second_tap_places_the_cursor(server, device):
    page = Table(server).sit(device("phone"), "soviet", "sheet/combat")
    attack = page.get_by_label("Attack SP", exact=True)
    attack.fill("17")
    attack.blur()
    attack.tap()
    attack.tap()
    page.keyboard.press("End")
    page.keyboard.type("0")
    expect(attack).to_have_value("170")


@pytest.mark.parametrize(
    ("button", "low", "high", "value"),
    [
        ("one more", 0, 9, "1"),
        ("one more", 3, 9, "3"),
        ("one more", -5, 9, "1"),
        ("one more", -5, 0, "0"),
        ("one less", 0, 9, "0"),
        ("one less", 3, 9, "3"),
        ("one less", -5, 9, "-1"),
    ],
)
def test_an_empty_number_counts_from_nothing(server, device, button, low, high, value):
    page = Table(server).sit(device("phone"), "soviet", "sheet/combat")
    attack = page.get_by_label("Attack SP", exact=True)
    attack.evaluate(
        "(field, [low, high]) => Object.assign(field, { min: low, max: high, value: '' })", [low, high]
    )
    page.get_by_role("button", name=f"Attack SP: {button}").tap()
    assert attack.input_value() == value


# -- positions


@pytest.fixture
def front(server):
    table = Table(server, "second-kharkov", "historical")
    table.act("german", "enter-positions", text="16Pz 2408; 24Pz 2410")
    return table


def entry(page):
    return page.get_by_role("textbox", name="Enter positions")


def test_a_touch_tablet_has_its_keyboard(front, device):
    tablet = front.sit(device("tablet", is_mobile=True), "german", "entry")
    assert tablet.evaluate("matchMedia('(pointer: coarse)').matches")
    expect(tablet.get_by_role("group", name="Keypad")).to_be_hidden()
    expect(entry(tablet)).to_have_attribute("inputmode", "text")
    entry(tablet).tap()
    tablet.keyboard.type("16Pz 2409")
    tablet.get_by_role("button", name="Enter", exact=True).tap()
    expect(tablet.locator("#entry-answer")).to_contain_text("16Pz: 2408 \u2192 2409")


def test_a_phone_that_is_turned_over_keeps_a_way_to_type(front, device):
    phone = front.sit(device("phone"), "german", "entry")
    expect(phone.get_by_role("group", name="Keypad")).to_be_visible()
    expect(entry(phone)).to_have_attribute("inputmode", "none")
    phone.set_viewport_size({"width": 844, "height": 390})
    expect(phone.get_by_role("group", name="Keypad")).to_be_hidden()
    expect(entry(phone)).to_have_attribute("inputmode", "text")
    phone.set_viewport_size({"width": 390, "height": 844})
    expect(entry(phone)).to_have_attribute("inputmode", "none")
    phone.get_by_role("button", name="ABC").tap()
    expect(entry(phone)).to_have_attribute("inputmode", "text")


def test_chips_complete_and_never_replace(front, device):
    page = front.sit(device("tablet"), "german", "entry")
    line = entry(page)
    units = page.get_by_role("group", name="Units")
    line.press_sequentially("24Pz 2411; 1")
    units.get_by_role("button", name="16Pz").tap()
    expect(line).to_have_value("24Pz 2411; 16Pz ")
    line.fill("16Pz")  # a whole word, no space after it
    page.get_by_role("button", name="Type 2410").tap()
    expect(line).to_have_value("16Pz 2410 ")
    line.fill("16Pz 24")  # the beginning of the hex
    page.get_by_role("button", name="Type 2410").tap()
    expect(line).to_have_value("16Pz 2410 ")
    line.fill("+2")
    units.get_by_role("button", name="24Pz").tap()
    expect(line).to_have_value("+24Pz ")
    line.fill("16Pz, 24")
    units.get_by_role("button", name="24Pz").tap()
    expect(line).to_have_value("16Pz, 24Pz ")


def test_chips_go_in_at_the_cursor(front, device):
    page = front.sit(device("tablet"), "german", "entry")
    line = entry(page)
    line.fill("16Pz ; 24Pz 2411")
    line.evaluate("field => field.setSelectionRange(5, 5)")
    page.get_by_role("button", name="Type 2410").tap()
    expect(line).to_have_value("16Pz 2410 ; 24Pz 2411")
    assert line.evaluate("field => field.selectionStart") == len("16Pz 2410 ")


def test_the_answer_is_seen_on_a_small_phone(front, device):
    page = front.sit(device("small"), "german", "entry")
    page.expected_errors += ["422"]
    send = page.get_by_role("button", name="Enter", exact=True)
    answer = page.locator("#entry-answer")
    entry(page).fill("16Pz 2409")
    send.tap()
    expect(answer).to_contain_text("16Pz: 2408 \u2192 2409")
    assert in_view(page, answer)
    entry(page).fill("16Pz 9999; 24Pz 8888")
    send.scroll_into_view_if_needed()
    send.tap()
    expect(answer).to_contain_text("Nothing was entered")
    assert in_view(page, answer)
    expect(entry(page)).to_be_in_viewport()


def test_letters_of_a_hex_can_be_typed_where_maps_have_them(server, device):
    """A phone's keypad for digits cannot write KB0713."""
    for system, scenario, mode in (
        ("kharkov-battles", "operation-star", None),
        ("second-kharkov", "historical", "numeric"),
    ):
        page = Table(server, system, scenario).sit(device("phone"), "german" if mode else "axis", "map")
        assert page.get_by_role("textbox", name="Find a hex").get_attribute("inputmode") == mode
