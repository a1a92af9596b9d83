"""The organiser's Saturday in a browser: twelve tables from a list, cards on paper, a pause that every screen shows."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

LIST = """\
table\tgame\tscenario\tplayer 1\tplayer 2\toptions\tname
1\tsecond-kharkov\thistorical\tAnna Berg\tBoris Cohen
2\tPanzer Keil\t\tSoviet: Dora Ibsen\tGerman: Emil Jansen\tdice=physical
3\tkharkov-battles\toperation-star\tFritz Kowalski\tGreta Larsen
4\tenemy-action-kharkov\tcampaign\tHugo Marlow\tInes Novak
5\twb95\tkharkov-1942\tJan Okafor\tKira Petrova\t\tWindow
6\tsecond-kharkov\talternative\tLars Quist\tMona Rossi
7\tPanzer Keil\t\tNils Sandoval\tOlga Tamm
8\tkharkov-battles\tsecond-kharkov-k\tPer Ulrich\tQuirin Vogel
9\tenemy-action-kharkov\tinitial-assault\tRosa Weber\tSven Xenakis
10\twb95\tblack-snow\tTilda Young\tUwe Zimmermann
11\tsecond-kharkov\thistorical\tMaximilian-Alexander von und zu Hohenstein-Wittgenstein\tWim de Boer
12\twb95\tkharkov-1943\tXaver & Yvonne\t-
"""
MEASURE = (Path(__file__).parent / "measure.js").read_text()
PAGES = ("", "/new", "/pause", "/cards", "/machine", "/players", "/rounds", "/standings", "/clock", "/judge")


def sign_in(page, hall_server):
    """Give the passphrase that the first start printed."""
    words = re.search(r"Organiser's passphrase: (\S+)", hall_server.output())
    assert words, hall_server.output()
    page.expected_errors += ["403"]  # the page that asks for it is one
    page.goto(f"{hall_server.url}/desk")
    page.get_by_label("Passphrase").fill(words[1])
    page.get_by_role("button", name="Open the desk").click()
    expect(page.get_by_role("heading", name="Tables", level=1)).to_be_visible()


@pytest.fixture(scope="module")
def tables(hall_server, browser):
    """Twelve tables, set up by hand as an organiser would; their codes in order, and the organiser's cookies."""
    context = browser.new_context(viewport={"width": 1024, "height": 768})
    page = context.new_page()
    page.expected_errors = []
    sign_in(page, hall_server)
    page.get_by_role("link", name="Cards", exact=True).click()
    page.locator("#ssid").fill("Kharkov; Hall")
    page.locator("#wpa").fill("stalingrad42")
    page.get_by_role("button", name="Save").click()
    page.goto(f"{hall_server.url}/desk/new")
    box = page.locator("#list")
    box.fill(LIST.replace("Panzer Keil\t\tNils", "Panzer Kiel\t\tNils").replace("\tInes Novak", "\t"))
    page.get_by_role("button", name="Look it over").click()
    expect(page.get_by_role("heading", name="2 things to put right")).to_be_visible()
    expect(page.get_by_text("Did you mean panzer-keil")).to_be_visible()
    box.fill(LIST)
    page.get_by_role("button", name="Look it over").click()
    page.get_by_role("button", name="Set up 12 tables").click()
    expect(page.locator(".desk-notice")).to_contain_text("12 tables set up")
    codes = page.locator(".desk-row .bar-code").all_inner_texts()
    state = context.storage_state()
    context.close()
    return codes, state


@pytest.mark.parametrize("size", ["tablet", "phone", "small"])
def test_every_page_of_the_desk_holds_and_can_be_tapped(hall_server, tables, device, size):
    codes, state = tables
    page, wrong = device(size, storage_state=state), []
    more = (f"/table/{codes[10]}", f"/table/{codes[10]}/close", f"/judge/{codes[10]}", "/cards/print?per=4")
    for path in (*PAGES, *more):
        page.goto(f"{hall_server.url}/desk{path}")
        page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true })")
        wrong += [f"{path}: {fault}" for fault in page.evaluate(MEASURE, page.viewport_size["width"])]
        wrong += page.evaluate(
            """() => [...document.querySelectorAll('main :is(button, .btn, input, select, .desk-number)')]
                .filter((e) => e.checkVisibility() && !e.closest('.choice, .toggle'))
                .filter((e) => e.getBoundingClientRect().height < 31).map((e) => e.outerHTML.slice(0, 90))"""
        )
    assert not wrong, "\n" + "\n".join(wrong)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_desk_is_accessible(hall_server, tables, device, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    rules = {
        "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
        "resultTypes": ["violations"],
    }
    codes, state = tables
    page = device("phone", storage_state=state, color_scheme=theme)
    for path in (*PAGES, f"/table/{codes[0]}", f"/table/{codes[0]}/close", "/cards/print?tables=1-2"):
        page.goto(f"{hall_server.url}/desk{path}")
        page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true })")
        found = axe.run(page, options=rules).response["violations"]
        assert not found, (path, [(v["id"], v["nodes"][0]["html"][:160]) for v in found])


@pytest.mark.parametrize("paper", ["a4", "letter"])
@pytest.mark.parametrize(("per", "sheets"), [(1, 12), (2, 6), (4, 3)])
def test_cards_fill_whole_sheets_and_nothing_of_them_is_cut(hall_server, tables, device, paper, per, sheets):
    page = device("tablet", storage_state=tables[1])
    page.goto(f"{hall_server.url}/desk/cards/print?per={per}&paper={paper}")
    pdf = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page[^s]", pdf)) == sheets
    (box,) = set(re.findall(rb"/MediaBox\s*\[0 0 (\d+)\S* (\d+)", pdf))
    assert box == {"a4": (b"594", b"841"), "letter": (b"612", b"792")}[paper]
    page.emulate_media(media="print")
    cut = page.evaluate(
        """() => [...document.querySelectorAll('.tcard')].flatMap((card) => {
            const codes = card.querySelector('.tcard-codes').getBoundingClientRect(), out = [];
            for (const code of card.querySelectorAll('.tcard-code')) {
              const b = code.getBoundingClientRect(), qr = code.querySelector('svg').getBoundingClientRect();
              if (b.bottom > codes.bottom + 1 || b.top < codes.top - 1) out.push(card.ariaLabel + ' overlaps');
              if (qr.width < 98 || Math.abs(qr.width - qr.height) > 1) out.push(card.ariaLabel + ' ' + qr.width);
            }
            if (card.scrollHeight > card.clientHeight + 1) out.push(card.ariaLabel + ' is cut');
            return out; })"""
    )
    assert cut == [], "a code is at least 26 mm wide, and lies clear of the words below"


def test_a_pause_is_on_every_screen_at_once_and_a_new_link_disturbs_nobody(hall_server, tables, device):
    codes, state = tables
    boss, red, tablet = device("tablet", storage_state=state), device("phone"), device("tablet")
    boss.goto(f"{hall_server.url}/desk/table/{codes[0]}")
    links = {
        name: boss.locator(f"#seat-{name} .qr-url a").get_attribute("href") for name in ("table", "soviet")
    }
    red.goto(links["soviet"])
    tablet.goto(links["table"])
    boss.goto(f"{hall_server.url}/desk")
    boss.get_by_role("link", name="Pause all").click()
    boss.get_by_label("What the players are told").fill("Lunch until 13:30")
    boss.get_by_role("button", name="Pause").click()
    for screen in (red, tablet):
        expect(screen.locator(".standstill")).to_contain_text("paused this table: Lunch until 13:30")
        expect(screen.locator(".standstill")).to_be_in_viewport(ratio=1)
    boss.get_by_role("button", name="Open all that are paused").click()
    for screen in (red, tablet):
        expect(screen.locator(".standstill")).to_have_count(0)
    boss.goto(f"{hall_server.url}/desk/table/{codes[0]}")
    boss.locator("#seat-soviet").get_by_role("link", name="New link").click()
    boss.get_by_role("button", name="New link").click()
    new = boss.locator("#seat-soviet .qr-url a").get_attribute("href")
    assert new != links["soviet"]
    red.expected_errors += ["403", "htmx:"]
    other = device("phone")
    other.goto(new)
    expect(other.locator(".head-turn")).to_be_visible()
    tablet.reload()
    expect(tablet.locator(".bar-turn")).to_be_visible()


def test_tables_are_set_up_without_javascript(hall_server, tables, device):
    page = device("tablet", storage_state=tables[1], java_script_enabled=False)
    page.goto(f"{hall_server.url}/desk/new")
    page.locator("#list").fill("77, panzer-keil, , Yara, Zeno")
    page.get_by_role("button", name="Look it over").click()
    page.get_by_role("button", name="Set up 1 table").click()
    page.get_by_role("link", name="Table 77", exact=True).click()
    page.get_by_role("link", name="Close…").click()
    page.get_by_role("button", name="Close the table").click()
    expect(page.locator(".desk-notice")).to_contain_text("Restore brings it back")
    page.get_by_role("button", name="Archive").click()
    expect(page.locator(".desk-notice")).to_contain_text("Archived")
