"""The hall in a browser: the board on a wall and on a phone, clocks that count on by themselves, a judge who answers."""

import re

import pytest
from playwright.sync_api import expect

WALL = {"width": 1920, "height": 1080}
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"], "resultTypes": ["violations"]}
GAMES = ("second-kharkov", "panzer-keil", "enemy-action-kharkov", "kharkov-battles", "wb95")


@pytest.fixture(scope="module")
def boss(hall_server, browser):
    """The organiser's cookies, in a hall of thirty tables."""
    context = browser.new_context(viewport={"width": 1024, "height": 768})
    page = context.new_page()
    words = re.search(r"Organiser's passphrase: (\S+)", hall_server.output())
    page.goto(f"{hall_server.url}/desk/new")
    page.get_by_label("Passphrase").fill(words[1])
    page.get_by_role("button", name="Open the desk").click()
    lines = (f"{n}, {GAMES[n % 5]}, , Player {2 * n}, Player {2 * n + 1}" for n in range(1, 31))
    scenarios = {
        "second-kharkov": "historical",
        "enemy-action-kharkov": "campaign",
        "kharkov-battles": "operation-star",
        "wb95": "kharkov-1943",
        "panzer-keil": "winter-1943",
    }
    listed = "\n".join(line.replace(", ,", f", {scenarios[line.split(', ')[1]]},") for line in lines)
    page.locator("#list").fill(listed)
    page.get_by_role("button", name="Look it over").click()
    page.get_by_role("button", name="Set up 30 tables").click()
    expect(page.locator(".desk-notice")).to_contain_text("30 tables set up")
    codes = page.locator(".desk-row .bar-code").all_inner_texts()
    state = context.storage_state()
    context.close()
    return codes, state


def links(device, hall_server, boss, number):
    """The links of a table's seats, as its card prints them."""
    page = device("tablet", storage_state=boss[1])
    page.goto(f"{hall_server.url}/desk/table/{boss[0][number - 1]}")
    return [a.get_attribute("href") for a in page.locator(".qr-url a").all()]


def test_a_wall_is_read_from_ten_metres_and_turns_its_pages(hall_server, boss, browser):
    """Ten metres from a picture three metres wide, letters of 35 mm are read: 22 pixels; a number is twice that."""
    context = browser.new_context(viewport=WALL)
    page = context.new_page()
    page.clock.install()
    page.goto(f"{hall_server.url}/hall?wall=on")
    expect(page.locator(".hall-table")).to_have_count(30)

    def size(what):
        return float(
            page.evaluate(f"parseFloat(getComputedStyle(document.querySelector('{what}')).fontSize)")
        )

    assert size(".hall-number") >= 60 and size(".hall-player .side-name") >= 26 and size(".hall-phase") >= 26
    shown = page.locator(".hall-table:not([data-away])")
    first = shown.locator(".hall-number").all_inner_texts()
    assert 6 <= len(first) < 30
    bottoms = page.evaluate(
        "[...document.querySelectorAll('.hall-table:not([data-away])')].map((e) => e.getBoundingClientRect().bottom)"
    )
    assert max(bottoms) <= WALL["height"]
    page.clock.fast_forward(12_500)
    assert not set(shown.locator(".hall-number").all_inner_texts()) & set(first)
    context.close()


@pytest.mark.parametrize("size", ["tablet", "phone", "small"])
def test_the_board_fits_every_screen_and_is_accessible(hall_server, boss, device, size):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    page = device(size, storage_state=boss[1])
    for path in (
        "/hall",
        "/hall?show=play&sort=table&q=Player+12",
        "/hall?show=ended",
        "/desk/clock",
        "/desk/judge",
    ):
        page.goto(f"{hall_server.url}{path}")
        page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true })")
        width, most = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert width <= most, path
        found = axe.run(page, options=RULES).response["violations"]
        assert not found, (path, [(v["id"], v["nodes"][0]["html"][:160]) for v in found])


def test_a_call_for_a_judge_is_on_the_board_at_once_and_answered(hall_server, boss, device):
    links_of = links(device, hall_server, boss, 6)
    board, judge, red = (
        device("phone", storage_state=boss[1]),
        device("tablet", storage_state=boss[1]),
        device(),
    )
    board.goto(f"{hall_server.url}/hall")
    expect(board.locator("#link")).to_have_text("live")
    red.goto(links_of[1])
    code = boss[0][5]
    red.goto(f"{red.url.split('?')[0].rstrip('/')}/do/call-judge")
    red.get_by_label("What about").fill("rule 12.5, the retreat")
    red.get_by_role("button", name="Call a judge").click()
    expect(board.locator(f"#hall-{code}")).to_contain_text("Judge: rule 12.5, the retreat")
    expect(board.locator(".hall-table").first).to_have_id(f"hall-{code}")
    judge.goto(f"{hall_server.url}/desk/judge")
    judge.get_by_role("link", name="Table 6").click()
    expect(judge.locator(".judge-call")).to_contain_text("rule 12.5")
    judge.get_by_label("What you ruled").fill("It may retreat: the hex is empty")
    judge.get_by_label("Rule", exact=True).fill("12.5")
    judge.get_by_role("button", name="Write it into the log").click()
    expect(judge.locator(".desk-notice")).to_be_visible()
    expect(board.locator(f"#hall-{code}")).not_to_contain_text("Judge:")
    red.goto(f"{hall_server.url}/t/{code}/watch/log")
    expect(red.locator("#live")).to_contain_text("Judge: It may retreat: the hex is empty [12.5]")
    board.locator(f"#hall-{code} a").first.click()
    expect(board.locator("h1")).to_contain_text("watching")


def seconds(text):
    h, m, s = map(int, text.split(":"))
    return 3600 * h + 60 * m + s


def test_the_round_clock_and_news_reach_open_screens_by_themselves(hall_server, boss, device):
    phone, organiser = device("phone"), device("tablet", storage_state=boss[1])
    phone.goto(f"{hall_server.url}/t/{boss[0][2]}/watch")
    expect(phone.locator("#link")).to_have_text("live")
    organiser.goto(f"{hall_server.url}/desk/clock")
    organiser.get_by_label("Minutes", exact=True).fill("90")
    organiser.get_by_label("What it counts").fill("Round 7")
    organiser.get_by_role("button", name="Start the clock").click()
    line = phone.locator("#round")
    expect(line).to_contain_text("Round 7")
    before = seconds(line.locator("time").inner_text())
    assert 5300 < before <= 5400
    phone.wait_for_timeout(2_300)
    assert 1 <= before - seconds(line.locator("time").inner_text()) <= 6
    organiser.get_by_label("Tell every screen").fill("Ten minutes to lunch")
    organiser.get_by_role("button", name="Announce").click()
    expect(line).to_contain_text("Ten minutes to lunch")
    organiser.get_by_role("button", name="Withdraw").first.click()
    expect(line).not_to_contain_text("Ten minutes to lunch")
    organiser.get_by_role("button", name="Take the clock away").click()
    expect(line).to_be_hidden()


def test_a_sides_clock_counts_on_the_tablet_and_the_phone(hall_server, boss, device):
    table, phone = (device(size) for size in ("tablet", "phone"))
    seats = links(device, hall_server, boss, 10)
    table.goto(seats[0])
    phone.goto(seats[1])
    code = boss[0][9]
    home = phone.url.split("?")[0].rstrip("/")
    phone.goto(f"{home}/do/start-clocks")
    phone.get_by_role("spinbutton", name="Minutes a side").fill("60")
    phone.get_by_role("button", name="Start the clocks").click()
    table.goto(f"{hall_server.url}/t/{code}/table")
    for screen in (table, phone):
        running = screen.locator("#clocks .clock-on time").first
        expect(running).to_be_visible()
        before = seconds(running.inner_text())
        screen.wait_for_timeout(2_300)
        assert 1 <= before - seconds(running.inner_text()) <= 6
    phone.goto(f"{home}/more")
    phone.locator("#more-clock summary").click()
    phone.get_by_role("button", name="Pause the clocks").click()
    expect(table.locator("#clocks")).to_contain_text("paused")
    expect(table.locator("#clocks .clock-on")).to_have_count(0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_halls_line_and_the_clocks_fit_a_small_phone_and_are_accessible(hall_server, boss, device, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    organiser = device("tablet", storage_state=boss[1])
    organiser.goto(f"{hall_server.url}/desk/clock")
    organiser.get_by_label("Minutes", exact=True).fill("1")
    organiser.get_by_role("button", name="Start the clock").click()
    organiser.get_by_label("Tell every screen").fill(
        "Please bring every result to the desk, also drawn games. " * 3
    )
    organiser.get_by_role("button", name="Announce").click()
    organiser.get_by_role("button", name="Start at all").click()
    expect(organiser.locator(".desk-notice")).to_contain_text("Done at")
    organiser.locator("#round time").evaluate("(time) => { time.dataset.seconds = '0'; }")
    expect(organiser.locator("#round .round-up")).to_be_visible()
    small, tablet = device("small", color_scheme=theme), device("tablet", color_scheme=theme)
    for page in (small, tablet):
        for path in ("", "/log", "/map"):
            page.goto(f"{hall_server.url}/t/{boss[0][3]}/watch{path}")
            expect(page.locator("#clocks")).to_be_visible()
            width, most = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert width <= most, path
            found = axe.run(page, options=RULES).response["violations"]
            assert not found, (path, [(v["id"], v["nodes"][0]["html"][:160]) for v in found])
    organiser.get_by_role("button", name="Withdraw").first.click()
    organiser.get_by_role("button", name="Take the clock away").click()
