"""The pages beside the main screens, in a browser: two phone screens long, live, and used where they stand."""

import re

import pytest
from playwright.sync_api import expect
from tablehand import Table

TWO_SCREENS = 2 * 640


@pytest.fixture(scope="module")
def games(own_server):
    """A large set-up in play, and the game with the most to choose, each opened once."""
    large = Table(own_server, "wb95", "kharkov-1942")
    large.do("table", "set-up")
    for number in range(20):
        large.do(
            "soviet", "note", text=f"Note {number}: of the weather, the roads and the long way to Kharkov"
        )
        large.do("soviet", "roll-dice", dice="2d6")
    return {"wb95": large, "enemy-action-kharkov": Table(own_server, "enemy-action-kharkov", "campaign")}


def pages_of(table: Table, side: str) -> list[str]:
    own = ("units", "log", "settings", "more", "seats", "save")
    return [*(f"/t/{table.code}/{side}/{page}" for page in own), f"/t/{table.code}/watch"]


@pytest.mark.parametrize("system", ["wb95", "enemy-action-kharkov"])
def test_no_page_is_longer_than_two_screens_of_a_small_phone(own_server, games, device, system):
    page, table = device("small"), games[system]
    table.seat(page, "soviet")
    scenario = {"wb95": "kharkov-1942", "enemy-action-kharkov": "campaign"}[system]
    others = ["/", "/new", f"/new/{system}/{scenario}", "/book", f"/book/{system}", "/book/kharkov-battles"]
    long = {}
    for path in [*pages_of(table, "soviet"), *others]:
        page.goto(own_server.url + path)
        tall = page.evaluate("document.documentElement.scrollHeight")
        if tall > TWO_SCREENS:
            long[path] = tall
    assert not long, long


def test_a_unit_is_found_marked_and_unmarked_without_leaving_the_list(own_server, games, phone):
    table = games["wb95"]
    table.seat(phone, "soviet")
    phone.goto(f"{own_server.url}/t/{table.code}/soviet/units?show=mine")
    phone.get_by_role("searchbox", name="Find a unit").fill("HQ")
    expect(phone).to_have_url(re.compile(r"units\?show=mine&q=HQ"))
    expect(phone.locator(".urow").first).to_contain_text("HQ")
    phone.locator(".urow").first.click()
    phone.get_by_role("button", name="Disorganised").click()
    expect(phone.locator("#sheet .sheet")).to_have_count(0)
    expect(phone.locator(".urow").first).to_contain_text("Disorganised")
    expect(phone.get_by_role("searchbox")).to_have_value("HQ")
    phone.locator("#toast").get_by_role("button", name="Undo").click()
    expect(phone.locator(".urow").first).not_to_contain_text("Disorganised")
    expect(phone.get_by_role("heading", name="Units", level=1)).to_be_visible()


def test_the_log_tells_what_happens_while_it_is_read(own_server, games, phone):
    table = games["wb95"]
    table.seat(phone, "soviet")
    phone.goto(f"{own_server.url}/t/{table.code}/soviet/log")
    entry = phone.locator(".story-entry:has(details)").nth(2)
    name = entry.get_attribute("id")
    entry.locator("summary").click()
    back = phone.locator(f"#{name}").get_by_role("button", name="Take back to here")
    expect(back).to_be_visible()
    table.do("german", "note", text="somebody else writes this")
    expect(phone.locator(".story")).to_contain_text("somebody else writes this")
    expect(back).to_be_visible()  # what was unfolded stays so


def test_a_reading_is_changed_and_undone_where_it_stands(own_server, games, phone):
    table = games["enemy-action-kharkov"]
    table.seat(phone, "soviet")
    phone.goto(f"{own_server.url}/t/{table.code}/soviet/settings")
    phone.locator("#group-reading > summary").click()
    setting = phone.locator("#group-reading .setting").first
    setting.locator("summary").click()
    other = setting.locator("button[aria-pressed=false]").first
    words = other.inner_text().splitlines()[0]
    other.click()
    expect(setting.locator("button[aria-pressed=true]")).to_contain_text(words)
    expect(setting.locator("summary")).to_contain_text("changed")
    phone.locator("#toast").get_by_role("button", name="Undo").click()
    expect(setting.locator("summary")).not_to_contain_text("changed")
    expect(phone.get_by_role("heading", name="Settings", level=1)).to_be_visible()


def test_settings_units_and_log_work_without_javascript(own_server, games, device):
    table = games["wb95"]
    page = device("phone", java_script_enabled=False)
    page.goto(f"{own_server.url}/j/{table.code}/{table.tokens['soviet']}")
    page.goto(f"{own_server.url}/t/{table.code}/soviet/units")
    page.get_by_role("searchbox").fill("HQ 9 Army")
    page.get_by_role("button", name="Find").click()
    page.locator(".urow").first.click()
    page.get_by_role("button", name="Disorganised").click()
    expect(page).to_have_url(re.compile(r"/units\?q=HQ\+9\+Army&said=\d+$"))
    expect(page.locator(".urow").first).to_contain_text("Disorganised")
    page.get_by_role("button", name="Undo").click()
    page.goto(f"{own_server.url}/t/{table.code}/soviet/settings")
    page.locator("#group-reading > summary").click()
    page.locator("#group-reading .setting summary").first.click()
    page.locator("#group-reading .setting button[aria-pressed=false]").first.click()
    expect(page).to_have_url(re.compile(r"/settings\?said="))
    page.get_by_role("button", name="Undo").click()


def test_a_refused_form_breaks_no_security_policy(own_server, games, phone):
    """What a browser's helpers write into a field's style attribute must not be copied over."""
    phone.expected_errors += ["422"]
    table = games["wb95"]
    table.seat(phone, "soviet")
    phone.goto(f"{own_server.url}/t/{table.code}/soviet/more")
    phone.locator("#more-dice > summary").click()
    phone.get_by_role("link", name="Roll dice").click()
    dice = phone.locator("#f-dice")
    dice.fill("soup")
    dice.evaluate("(field) => { field.style.color = 'red'; field.style.color = ''; }")
    dice.press("Enter")
    expect(phone.locator("#sheet")).to_contain_text("is not a roll")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_unfolded_pages_are_accessible(own_server, games, device, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    rules = {
        "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
        "resultTypes": ["violations"],
    }
    page, table = device("small", color_scheme=theme), games["wb95"]
    table.seat(page, "soviet")
    unit = next(u["id"] for u in table.sees("soviet")["units"] if u["side"] == "soviet" and u["place"])
    paths = [*pages_of(table, "soviet"), f"/t/{table.code}/soviet/unit/{unit}", "/new", "/book", "/book/wb95"]
    for path in paths:
        page.goto(own_server.url + path)
        page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true })")
        found = axe.run(page, options=rules).response["violations"]
        assert not found, (path, [(v["id"], v["nodes"][0]["html"][:160]) for v in found])
