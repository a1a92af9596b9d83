"""What a thumb taps is 44 px high, shows that it unfolds, and stays in sight."""

import pytest
from playwright.sync_api import expect
from tablehand import Table

TAP = 44
THINGS = ":is(a.btn, a.tap-link, button, summary, input:not([type=hidden], [type=checkbox], [type=file]), label.chip)"


def low(page, within: str) -> list[str]:
    """What is too low for a thumb, and how high it is."""
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true })")
    found = []
    for thing in page.locator(within).locator(THINGS).all():
        box = thing.bounding_box() if thing.is_visible() else None
        if box and box["height"] < TAP - 0.5:
            found.append(f"{thing.inner_text() or thing.get_attribute('name')}: {box['height']:.0f} px")
    return found


@pytest.fixture
def table(server):
    return Table(server, "second-kharkov", "historical")


def test_an_answer_of_three_lines_leaves_the_button_under_the_thumb(table, device):
    phone = table.seat(device("small"), "german")
    phone.goto(f"{table.server.url}/t/{table.code}/german/entry")
    phone.locator("#entry-text").fill("3Pz 2408\n23Pz 2409\n44ID 2410")
    enter = phone.get_by_role("button", name="Enter", exact=True)
    enter.click()
    for name in ("3rd Panzer", "23Pz", "44ID"):
        expect(phone.locator("#entry-answer")).to_contain_text(name)
    expect(phone.get_by_role("group", name="Recent hexes")).to_be_visible()
    button, bar = enter.bounding_box(), phone.locator(".tabbar").bounding_box()
    assert button["y"] + button["height"] <= bar["y"]
    last = phone.get_by_role("group", name="Keypad").get_by_role("button").last.bounding_box()
    assert last["y"] + last["height"] <= button["y"], "and covers no key"


@pytest.mark.parametrize("size", ["small", "tablet"])
def test_everything_on_the_entry_page_is_high_enough(table, device, size):
    table.do("german", "enter-positions", text="3Pz 2408; 23Pz 2409")
    page = table.seat(device(size), "german")
    page.goto(f"{table.server.url}/t/{table.code}/german/entry")
    expect(page.get_by_role("button", name="Type 2408")).to_be_visible()
    assert not low(page, "#content")
    for fold in page.locator("#content summary").all():
        assert fold.evaluate("(fold) => getComputedStyle(fold, '::before').content").startswith('"\u25be"')


@pytest.mark.parametrize("size", ["small", "tablet"])
def test_everything_about_a_hex_is_high_enough(table, device, size):
    table.do("table", "enter-positions", text="soviet 38G 2617; german 3Pz 2408")
    page = table.seat(device(size), "soviet")
    page.goto(f"{table.server.url}/t/{table.code}/soviet/map/hex/2617")
    expect(page.locator("#hex-sheet")).to_contain_text("What the map book says")
    assert not low(page, "#hex-sheet")
