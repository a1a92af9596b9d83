"""Seats at a real table: a lost tablet, one device for two players, and a seats page that tells by itself."""

import re

from playwright.sync_api import Page, expect
from tablehand import Table

SEALED = "1905"
"""The hex of the German player's sealed mission."""


def test_a_lost_tablet_is_replaced_by_two_phones_and_refused(server, device, network_errors):
    """Three devices; the tablet is gone; both players agree; a new tablet scans the code and plays on."""
    table = Table(server, "wb95", "kharkov-1943")
    lost = table.seat(device("tablet"), "table")
    german, soviet = table.seat(device("phone"), "german"), table.seat(device("phone"), "soviet")
    lost.expected_errors += [*network_errors, "403"]

    german.get_by_role("navigation", name="Pages of this table").get_by_role("link", name="More").click()
    german.get_by_role("link", name=re.compile("^Seats")).click()
    german.get_by_role("link", name="The table's screen is lost: new code").click()
    expect(german.get_by_text("Soviet is asked to agree")).to_be_visible()
    german.get_by_role("button", name="Ask for a new code").click()
    expect(german.get_by_text("waiting for Soviet")).to_be_visible()

    soviet.get_by_role("region", name="Waiting for you").get_by_role("button", name="Agree").click()
    soviet.get_by_role("link", name="Its new code is under Seats").click()
    code = soviet.locator("#seat-table").get_by_role("link", name="or sit down on this device")
    expect(code).to_be_visible()
    expect(german.locator("#seat-table").get_by_role("img")).to_be_visible()  # without a reload
    expect(lost.get_by_role("alert")).to_contain_text("does not hold the table seat")

    found = device("tablet")
    found.goto(code.get_attribute("href"))
    expect(found.locator("#link")).to_have_text("live")
    for phone in (german, soviet):
        expect(phone.locator("#seat-table")).to_contain_text("taken")
        expect(phone.locator("#seat-table").get_by_role("img")).to_have_count(0)
    found.get_by_role("button", name="Roll 1d6").click()
    expect(found.get_by_label("This turn so far")).to_contain_text("1d6 rolled")
    lost.goto(f"{server.url}/t/{table.code}/table")
    expect(lost.get_by_role("alert")).to_contain_text("does not hold the table seat")


def test_the_seats_page_tells_by_itself_who_joins_and_leaves(server, device):
    table = Table(server, "wb95", "kharkov-1943")
    tablet = table.seat(device("tablet"), "table")
    tablet.get_by_role("link", name=re.compile("Seats and QR codes")).click()
    seat = tablet.locator("#seat-german")
    expect(seat.get_by_role("img")).to_be_visible()

    phone = table.seat(device("phone"), "german")
    expect(seat).to_contain_text("joined", timeout=3_000)
    expect(seat.get_by_role("img")).to_have_count(0)

    phone.goto(f"{server.url}/t/{table.code}/german/more")
    phone.locator("#more-leave > summary").click()
    phone.get_by_role("link", name="Give up this device's seats").click()
    expect(phone.get_by_text("The German seat is free then")).to_be_visible()
    phone.get_by_role("button", name="Give up").click()
    expect(seat.get_by_role("img")).to_be_visible(timeout=3_000)

    tablet.locator("#seat-soviet").get_by_role("link", name="Close this seat").click()
    tablet.get_by_role("button", name="Close this seat").click()
    expect(tablet.locator("#seat-soviet")).to_contain_text("Closed")


def hand_over(page: Page, side: str) -> str:
    """Go to a side's tab through the curtain; returns what the curtain's page held."""
    page.get_by_role("navigation", name="Seats on this device").get_by_role("link", name=side).click()
    expect(page.get_by_role("heading", name=f"Pass the device to the {side} player.")).to_be_visible()
    behind = page.content()
    page.get_by_role("button", name="I hold it").click()
    expect(page.locator("#link")).to_have_text("live")
    return behind


def without_code(html: str, code: str) -> str:
    # Neither a random table code nor a revision may look like the hex by chance.
    return re.sub(r"[0-9a-f]{64}", "", html).replace(code, "")


def assign(page: Page, mission: str, hex_id: str, points: int) -> None:
    page.get_by_role("link", name=re.compile("Assign air missions")).first.click()
    page.locator(f"[name=mission_1][value={mission}]").check(force=True)
    page.locator("[name=hex_1]").fill(hex_id)
    page.locator("[name=sp_1]").fill(str(points))
    page.locator("#sheet .sheet-foot button").click()
    expect(page.locator("#sheet .sheet")).to_have_count(0)


def test_two_players_share_one_tablet_through_a_sealed_air_phase(server, device):
    """8.1.7: both assign their missions on the same device, and neither sees the other's before they lie open."""
    tablet = device("tablet")
    tablet.expected_errors += ["htmx:sendAbort", "htmx:afterRequest"]
    tablet.goto(f"{server.url}/new/wb95/kharkov-1943")
    tablet.get_by_label("Two players, this device only").check(force=True)
    tablet.get_by_role("button", name="Open the table").click()
    expect(tablet.locator("#link")).to_have_text("live")
    code = tablet.url.split("/")[4]
    tabs = tablet.get_by_role("navigation", name="Seats on this device")
    expect(tabs.get_by_role("link")).to_have_count(3)
    expect(tabs.get_by_role("link", name=re.compile("German is asked something"))).to_be_visible()

    hand_over(tablet, "German")
    assign(tablet, "support", SEALED, 3)
    expect(tablet.locator("#live")).to_contain_text(SEALED)  # his own choice, on his own page
    expect(tabs.get_by_role("link", name=re.compile("German is asked something"))).to_have_count(0)

    curtain = hand_over(tablet, "Soviet")
    seen = [curtain, tablet.content()]
    for path in ("/soviet", "/soviet/log", "/soviet/units", "/soviet/more", "/soviet/export.json", "/german"):
        seen.append(tablet.request.get(f"{server.url}/t/{code}{path}").text())
    seen.append(tablet.request.get(f"{server.url}/api/tables/{code}?seat=german").text())
    assert all(SEALED not in without_code(text, code) for text in seen)

    tablet.goto(f"{server.url}/t/{code}/table")
    assert SEALED not in without_code(tablet.content(), code)
    hand_over(tablet, "Soviet")
    assign(tablet, "support", "3618", 2)
    tabs.get_by_role("link", name="Table").click()
    sky = tablet.get_by_label("In the air")
    expect(sky).to_contain_text(SEALED)
    expect(sky).to_contain_text("3618")


def test_solo_opens_every_side_without_a_curtain(server, device):
    """Enemy Action: both hands are reached by tabs."""
    tablet = device("tablet")
    tablet.goto(f"{server.url}/new/enemy-action-kharkov/campaign")
    tablet.get_by_label("Solo").check(force=True)
    tablet.get_by_role("button", name="Open the table").click()
    tabs = tablet.get_by_role("navigation", name="Seats on this device")
    for side in ("German", "Soviet", "Table"):
        tabs.get_by_role("link", name=side).click()
        expect(tabs.get_by_role("link", name=side)).to_have_attribute("aria-current", "page")
        expect(tablet.locator("#link")).to_have_text("live")
