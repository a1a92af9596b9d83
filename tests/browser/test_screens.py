"""The laws of the screens: what matters is above the fold, the bars stand on every page, whoever is called is told."""

import re

import pytest
from playwright.sync_api import Page, expect
from tablehand import Table, tap

GAMES = {
    "second-kharkov": ("historical", "soviet", "soviet-combat"),
    "panzer-keil": ("winter-1943", "german", "german-combat"),
    "enemy-action-kharkov": ("campaign", "soviet", "command"),
    "kharkov-battles": ("operation-star", "axis", "axis-combat"),
    "wb95": ("kharkov-1942", "soviet", "attack-a"),
}
ON_TOP = """el => {
    const box = el.getBoundingClientRect();
    return el.contains(document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2));
}"""
PAGES = ("", "/units", "/log", "/more", "/settings", "/seats", "/entry", "/supply")


@pytest.fixture
def server(own_server):
    """Its tables are many: one address founds so many at a server, and no more."""
    return own_server


def opened(server, game: str, phase: str = "", **options) -> Table:
    scenario, _, usual = GAMES[game]
    table = Table(server, game, scenario, **options)
    if any(action["name"] == "set-up" for action in table.sees("table")["actions"]):
        table.do("table", "set-up")
    table.do("table", "go-to", turn=1, phase=phase or usual)
    return table


def height(page: Page) -> int:
    return page.evaluate("document.documentElement.scrollHeight")


@pytest.mark.parametrize("game", GAMES)
def test_every_page_at_rest_is_two_phone_screens_at_most(server, device, game):
    table, side = opened(server, game), GAMES[game][1]
    for ask in table.sees(side)["asked"]:
        table.do("table", "dismiss", ask=ask["id"])
    phone = table.seat(device("small"), side)
    too_long = {}
    for path in PAGES:
        phone.goto(f"{server.url}/t/{table.code}/{side}{path}")
        if height(phone) > 2 * 640:
            too_long[path or "now"] = height(phone)
    assert not too_long


@pytest.mark.parametrize("game", GAMES)
def test_the_longest_name_of_a_phase_stands_whole_on_the_smallest_phone(server, device, game):
    table, side = opened(server, game), GAMES[game][1]
    longest = max(table.sees("table")["phases"], key=lambda phase: len(phase["name"]))
    table.do("table", "go-to", turn=1, phase=longest["id"])
    head = table.seat(device("small"), side).locator(".head-turn")
    expect(head).to_contain_text(longest["name"])
    assert head.evaluate("head => head.scrollWidth <= head.clientWidth"), longest["name"]


def test_the_tab_bar_stands_at_the_foot_of_every_page(server, device):
    table = opened(server, "second-kharkov")
    phone = table.seat(device("small"), "soviet")
    for path in (*PAGES, "/map"):
        phone.goto(f"{server.url}/t/{table.code}/soviet{path}")
        bar = phone.get_by_role("navigation", name="Pages of this table")
        box = bar.bounding_box()
        assert box and box["y"] + box["height"] == pytest.approx(640, abs=1), path
        for name in ("Now", "Units", "Map", "Log", "More"):
            expect(bar.get_by_role("link", name=name)).to_be_visible()


def test_whoever_is_called_is_told_on_every_page(server, device):
    """The head and the badge of the log, the map and any other page say who is awaited, while it is open."""
    table = opened(server, "second-kharkov", phase="german-move")
    phone = table.seat(device("phone"), "soviet")
    for path in ("/log", "/map", "/settings"):
        phone.goto(f"{server.url}/t/{table.code}/soviet{path}")
        expect(phone.locator("#link")).to_have_text("live")
        badge = phone.get_by_role("link", name=re.compile("Now.*asked"))
        expect(badge).to_have_count(0)
        table.do("table", "go-to", turn=1, phase="soviet-combat")
        expect(phone.locator(".phone-head")).to_contain_text("Soviet combat")
        expect(phone.locator(".phone-head")).to_contain_text("your move")
        expect(badge).to_have_count(0)  # to move is no question
        table.do("german", "end-game", winner="german", why="the last train")
        expect(phone.locator(".phone-head")).to_contain_text("your answer")
        expect(badge).to_be_visible()
        assert phone.title().startswith("! ")
        table.do("soviet", "agree", ask=table.sees("soviet")["asked"][0]["id"], yes=False)
        table.do("table", "go-to", turn=1, phase="german-move")
        expect(phone.locator(".phone-head")).to_contain_text("German")
        expect(phone.locator("#link")).to_have_text("live")


def test_the_way_back_of_a_phone_closes_the_sheet_first(server, device):
    table = opened(server, "second-kharkov", phase="soviet-move")
    phone = table.seat(device("phone"), "soviet")
    sheet = phone.locator("#sheet .sheet")
    tap(phone.get_by_role("link", name=re.compile("Take a hex")).first, sheet)
    phone.go_back()
    expect(sheet).to_have_count(0)
    assert phone.url.endswith("/soviet")
    tap(phone.get_by_role("link", name=re.compile("Take a hex")).first, sheet)
    sheet.get_by_role("link", name="Close").click()
    expect(sheet).to_have_count(0)
    assert phone.evaluate("history.state?.sheet ?? null") is None  # no step of the history is left behind


def test_a_new_phase_begins_at_the_top(server, device):
    table = opened(server, "wb95")
    phone = table.seat(device("small"), "soviet")
    for line in phone.locator("details.fold").all():
        line.locator("summary").first.click()
    phone.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    assert phone.evaluate("scrollY") > 100
    table.do("table", "next-phase")
    expect(phone.locator(".phone-head")).to_contain_text("Strategic movement")
    expect(phone.locator("#link")).to_have_text("live")
    assert phone.evaluate("scrollY") == 0


@pytest.mark.parametrize("game", GAMES)
def test_the_tablet_shows_everything_without_scrolling_its_page(server, device, game):
    """What is only read aloud makes no page scroll; the result of the last act stands on top."""
    table = opened(server, game)
    tablet = table.seat(device("tablet"), "table")
    assert height(tablet) == 768
    expect(
        tablet.get_by_role("button", name=re.compile("Next phase|Leave the phase|End")).first
    ).to_be_in_viewport()


def test_chips_keep_their_size_when_ticked(server, device):
    table = opened(server, "second-kharkov", phase="soviet-combat")
    phone = table.seat(device("phone"), "soviet")
    phone.goto(f"{server.url}/t/{table.code}/soviet/do/mark")
    chip = phone.locator(".choice:has(input[type=checkbox])").first
    before = chip.bounding_box()
    chip.locator("input").check()
    assert chip.bounding_box() == before


def test_reminders_have_no_box_and_acts_say_when_they_are_done(server, device):
    table = opened(server, "second-kharkov", phase="soviet-move")
    phone = table.seat(device("phone"), "soviet")
    fold = phone.locator("#todo")
    before = fold.locator(".fold-sum").inner_text()
    assert re.fullmatch(r"0 of \d+", before)
    fold.locator("summary").click()
    zones = fold.get_by_role("listitem").filter(has_text="Never step from one enemy zone")
    expect(zones).to_be_visible()
    expect(zones.get_by_role("checkbox")).to_have_count(0)
    table.do("soviet", "take-hex", hexes="3510", side="soviet")
    line = fold.get_by_role("listitem").filter(has_text="A town, a city")
    expect(line.get_by_role("checkbox")).to_be_checked()
    expect(fold.locator(".fold-sum")).to_have_text(before.replace("0 of", "1 of"))


def test_news_lie_above_the_bars(server, device):
    """A toast, and what waits for the network, are never under the thumb bar."""
    table = opened(server, "second-kharkov", phase="soviet-move")
    phone = table.seat(device("small"), "soviet")
    phone.get_by_role("button", name="Roll 1d6").click()
    toast = phone.locator(".toast")
    expect(toast).to_be_visible()
    assert toast.get_by_role("button", name="Undo").evaluate(ON_TOP)
    phone.evaluate("document.getElementById('waiting').hidden = false")
    phone.evaluate("document.getElementById('waiting').append('Roll: waiting for the network')")
    assert phone.locator("#waiting").evaluate(ON_TOP)


@pytest.mark.parametrize("turned", ["landscape", "zoomed"])
def test_nothing_is_lost_on_its_side_or_at_twice_the_size(server, device, turned):
    """A phone on its side, and a page at 200 %, which is half the width: the way on is there and nothing is cut off."""
    size = {"width": 740, "height": 360} if turned == "landscape" else {"width": 512, "height": 384}
    table = opened(server, "wb95")
    for seat in ("soviet", "table"):
        page = table.seat(device("phone", viewport=size), seat)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], seat
        onward = page.get_by_role("button", name=re.compile("Next phase|End my phase"))
        onward.scroll_into_view_if_needed()
        expect(onward).to_be_in_viewport()
        act = page.get_by_role("link", name=re.compile("^Attack")).first
        act.scroll_into_view_if_needed()
        assert act.evaluate(ON_TOP), seat


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("game", GAMES)
def test_main_screens_are_accessible_in_both_themes(server, device, game, theme):
    """WCAG 2.2 AA, with everything unfolded."""
    from axe_playwright_python.sync_playwright import Axe

    table, side = opened(server, game), GAMES[game][1]
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
    rules["resultTypes"] = ["violations"]
    for size, seat in (("tablet", "table"), ("small", side)):
        page = table.seat(device(size, color_scheme=theme), seat)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        found = Axe().run(page, options=rules).response["violations"]
        assert not found, (seat, [(v["id"], v["nodes"][0]["html"][:160]) for v in found])


# -- without a mouse, without JavaScript ---------------------------------------------------------------------------


def tab_to(page: Page, name: str) -> None:
    """Press Tab until what has this name is in focus."""
    for _ in range(120):
        page.keyboard.press("Tab")
        words = page.evaluate(
            "() => { const el = document.activeElement; return el.getAttribute('aria-label') || el.innerText || ''; }"
        )
        if re.search(name, words):
            return
    raise AssertionError(f"nothing called {name} is reached by Tab")


def test_a_turn_by_keyboard_alone(server, device):
    """Second Kharkov, nothing on record: a combat is worked out, rolled and paid for, every phase ended, by keys only."""
    table = Table(server, "second-kharkov", "historical", solo=True, **{"mode-dice": "digital"})
    page = table.seat(device("tablet"), "table")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("Soviet movement")
    page.keyboard.press("n")
    expect(heading).to_contain_text("Soviet combat")
    expect(page.locator("#link")).to_have_text("live")
    page.expected_errors += ["409"]  # what is owed is said before the phase ends
    act, sheet = page.locator("#do-resolve-combat"), page.locator("#sheet .sheet")
    expect(act).not_to_have_attribute("aria-disabled", "true")  # a button that just came rests for a moment
    tab_to(page, "^Attack")
    page.keyboard.press("Enter")
    expect(sheet).to_be_visible()
    assert page.evaluate("document.getElementById('sheet').contains(document.activeElement)")
    page.keyboard.type("2408")
    for label, number in (("Attack", "26"), ("Defence", "7")):
        for _ in range(30):
            if page.evaluate("document.activeElement.labels?.[0]?.innerText ?? ''").startswith(label):
                break
            page.keyboard.press("Tab")
        page.keyboard.type(number)
    expect(sheet.locator(".foot-odds")).to_contain_text("3:1")
    tab_to(page, "^Roll")
    page.keyboard.press("Enter")
    expect(sheet).to_have_count(0)
    expect(page.locator(".battle")).to_contain_text("3:1")
    for _ in range(12):  # whatever is asked is answered by the first thing that Tab reaches on its card
        if not page.locator(".duty").count():
            break
        page.locator(".duty").first.locator("button, summary").first.focus()
        page.keyboard.press("Enter")
        page.wait_for_timeout(500)
    live, way_on = page.locator("#live"), page.locator("[data-key=n]")
    for _ in range(6):
        expect(way_on).not_to_have_attribute("aria-disabled", "true")
        phase = live.get_attribute("data-phase")
        page.keyboard.press("n")
        anyway = page.get_by_role("button", name="End it anyway")
        expect(page.locator(f"#live:not([data-phase='{phase}'])").or_(anyway).first).to_be_attached()
        if anyway.is_visible():
            anyway.focus()
            page.keyboard.press("Enter")
            expect(live).not_to_have_attribute("data-phase", str(phase))
        if (live.get_attribute("data-phase") or "").startswith("2/"):
            return
    raise AssertionError(f"turn 2 never began: {heading.inner_text()}")


def test_a_turn_without_javascript(server, device):
    """Every phase of Second Kharkov's first turn, with a combat in it, by plain forms and links on a small phone."""
    table = Table(server, "second-kharkov", "historical", solo=True, **{"mode-dice": "digital"})
    page = device("small", java_script_enabled=False)
    page.expected_errors += ["409"]
    page.goto(f"{server.url}/j/{table.code}/{table.tokens['soviet']}")
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("Soviet movement")
    page.get_by_role("button", name=re.compile("End my phase|Next phase")).click()
    expect(heading).to_contain_text("Soviet combat")
    page.get_by_role("link", name=re.compile("^Attack")).first.click()
    page.get_by_label(re.compile("^Target hex")).fill("2408")
    page.get_by_label(re.compile("^Attack")).last.fill("26")
    page.get_by_label(re.compile("^Defence")).last.fill("7")
    page.get_by_role("button", name=re.compile("^Roll")).click()
    expect(page.locator(".battle, .battle-last").first).to_contain_text("3:1")
    page.get_by_role("button", name=re.compile("End my phase|Next phase")).click()
    anyway = page.get_by_role("button", name="End it anyway")
    if anyway.count():
        anyway.click()
    expect(heading).to_contain_text("German")
