"""Second Kharkov at the table: a combat from preview to booked losses, on phones and on the tablet."""

import re

import pytest
from playwright.sync_api import Page, expect
from tablehand import Table, tap


@pytest.fixture
def device(device):
    """Windows whose previews may be overtaken by the next keystroke: htmx tells of each one it gives up."""

    def open_window(*args, **options):
        page = device(*args, **options)
        page.expected_errors += ["htmx:sendAbort", "htmx:afterRequest"]
        return page

    return open_window


def fill_in(page: Page, attack: int, defence: int, terrain: str) -> None:
    tap(page.get_by_role("link", name=re.compile("Resolve a combat")), page.locator("#sheet .sheet"))
    page.get_by_label(re.compile("Attack factors")).fill(str(attack))
    page.get_by_label(re.compile("Defence factors")).first.fill(str(defence))
    page.get_by_role("radio", name=terrain).check()


@pytest.mark.parametrize("attacker", ["phone", "tablet"])
def test_combat_from_preview_to_losses(server, device, attacker):
    table = Table(server, "second-kharkov", "historical")
    table.do("soviet", "next-phase")
    tablet = table.seat(device("tablet"), "table")
    soviet = table.seat(device("phone"), "soviet")
    german = table.seat(device("phone"), "german")
    page = soviet if attacker == "phone" else tablet

    # The worksheet answers while typing, each modifier with its rule.
    fill_in(page, 26, 7, "forest")
    sheet = page.locator("#sheet .breakdown")
    expect(sheet).to_contain_text("3:1")
    expect(sheet).to_contain_text("12.12")
    expect(sheet).to_contain_text(
        re.compile(r"\d+%")
    )  # 3:1 with a 3 is one of the cells the rulebook tells: 1/2 (12.18)

    # A real die is tapped in; the printed example's result follows.
    page.get_by_role("radiogroup", name="Die").get_by_role("radio", name="3", exact=True).check()
    page.get_by_role("button", name="Use 3", exact=True).click()
    for screen in (tablet, soviet, german):
        expect(screen.locator(".battle-result")).to_have_text("1/2")
    expect(page.locator("#sheet .sheet")).to_have_count(0)

    # The defender takes his losses first, on the card (12.19); the attacker is told whom he waits for.
    expect(soviet.locator(".phone-head")).to_contain_text("waiting for German defender: lose 2 steps")
    prompt = german.get_by_role("region", name="Waiting for you")
    expect(prompt).to_contain_text("German defender: lose 2 steps")
    prompt.get_by_role("radio", name="1", exact=True).check()
    prompt.get_by_role("button", name="Lose steps").click()
    # One mechanised step counts 2, the other 1 (4.4).
    expect(tablet.locator("[data-glow=track-vp-soviet]")).to_contain_text("3")

    # With nobody on record there is nothing to choose about one step: it is booked by itself.
    expect(tablet.locator("[data-glow=track-vp-german]")).to_contain_text("1")


def test_a_blank_cell_is_read_off_the_printed_chart(server, device):
    table = Table(server, "second-kharkov", "historical")
    table.do("soviet", "next-phase")
    soviet = table.seat(device("phone"), "soviet")
    tablet = table.seat(device("tablet"), "table")
    fill_in(soviet, 8, 8, "clear")
    soviet.get_by_role("radiogroup", name="Die").get_by_role("radio", name="4", exact=True).check()
    soviet.get_by_role("button", name="Use 4", exact=True).click()
    asked = tablet.get_by_role("region", name="Waiting for you")
    expect(asked).to_contain_text("column 1:1, row 3")
    # He taps what he reads, and sees at once whose turn it is to lose what.
    soviet.get_by_role("region", name="Waiting for you").get_by_role("button", name="1/1").click()
    expect(soviet.locator(".battle")).to_contain_text("Waiting for German defender: lose 1 step")
    expect(soviet.locator(".battle")).to_contain_text("Soviet attacker: lose 1 step")
    # The log tells the battle in one entry (12.18).
    lines = tablet.get_by_role("region", name="Last events").locator(".logline")
    expect(lines.first).to_contain_text("Soviet attack, 1:1 -1, die 4: 1/1.")


def test_nobody_sees_an_untried_unit_before_its_battle(server, device):
    """2.14: even when its factors were typed in by mistake, no page shows them."""
    table = Table(server, "second-kharkov", "historical")
    table.do("soviet", "set-up")
    german, soviet = (table.seat(device("phone"), side) for side in ("german", "soviet"))
    for page, side in ((german, "german"), (soviet, "soviet")):
        page.goto(f"{server.url}/t/{table.code}/{side}/units")
        expect(page.get_by_text("untried").first).to_be_visible()
        page.locator(".urow.side-soviet", has_text="untried").first.click()
        expect(page.locator("#sheet .facts")).to_contain_text("untried")
        assert "AF" not in page.locator("#sheet .facts").inner_text()


def sheet_of(page: Page):
    return page.locator("#sheet")


def test_the_german_turn_opens_with_one_tap(server, device):
    """5.3, 11.19, 6.2: interdiction, the order of the player turn, and the release, on the tablet."""
    table = Table(server, "second-kharkov", "historical")
    table.do("table", "go-to", turn=3, phase="air-placement")
    table.do("table", "correct", name="air-free", value="2")
    tablet = table.seat(device("tablet"), "table")
    tap(tablet.get_by_role("link", name=re.compile("Interdict hexes")), tablet.locator("#sheet .sheet"))
    sheet_of(tablet).get_by_role("textbox", name="Hexes").fill("2720")
    sheet_of(tablet).get_by_role("button", name="Interdict hexes").click()
    expect(sheet_of(tablet).locator(".sheet")).to_have_count(0)
    zone = tablet.get_by_role("region", name="Interdiction: Soviets +1 MP")
    expect(zone).to_contain_text("2720 2719 2820 2821 2721 2621 2620")
    for phase in ("soviet-move", "soviet-combat", "air-removal", "german-move"):
        table.do("table", "next-phase")
        assert table.sees("table")["phase"]["id"] == phase
    expect(zone).to_have_count(0)
    expect(tablet.get_by_role("region", name="Tracks")).to_contain_text("17th Army released")
    tablet.get_by_role("button", name=re.compile("Fight first")).click()
    expect(tablet.get_by_role("heading", level=1)).to_contain_text("German combat")
    expect(tablet.get_by_role("button", name=re.compile("Move first"))).to_have_count(0)


def test_kharkov_falls_on_every_screen(server, device):
    """4.2: a line of the checklist opens its own form, and the end is told to everybody."""
    table = Table(server, "second-kharkov", "historical")
    tablet = table.seat(device("tablet"), "table")
    soviet, german = (table.seat(device("small"), side) for side in ("soviet", "german"))
    line = soviet.get_by_role("listitem").filter(has_text="a Kharkov hex or an edge source entered")
    line.get_by_role("link", name="Open").click()
    sheet_of(soviet).get_by_role("textbox", name="Hexes").fill("2406")
    sheet_of(soviet).get_by_role("button", name="Take a hex").click()
    for page in (soviet, german):  # an ending by the rules is put to both sides first
        asked = page.get_by_role("region", name="Waiting for you")
        expect(asked).to_contain_text("Soviet victory, sudden death")
        asked.get_by_role("button", name="Agree").click()
    for page in (tablet, german):
        expect(page.get_by_role("region", name="The game is over")).to_contain_text(
            "Soviet victory: sudden death"
        )
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0


def test_turn_8_closes_with_the_supply_check(server, device):
    """4.5, 4.6: nobody ends the game by accident; the form starts with what the record finds, then points decide."""
    table = Table(server, "second-kharkov", "historical")
    table.do("table", "set-up")
    table.do("table", "correct", name="vp-soviet", value="1")
    table.do("table", "correct", name="german-order", value="move-fight")
    table.do("table", "go-to", turn=8, phase="german-combat")
    tablet = table.seat(device("tablet"), "table")
    german = table.seat(device("phone"), "german")
    tablet.expected_errors += ["409"]
    tablet.get_by_role("button", name=re.compile("Next phase")).click()
    expect(tablet.get_by_role("alert", name="Still to do")).to_contain_text("Terminal supply check")
    tap(
        tablet.get_by_role("link", name=re.compile("Terminal supply check")).first,
        tablet.locator("#sheet .sheet"),
    )
    expect(sheet_of(tablet)).to_contain_text("of the 8 Soviet units on record: none")
    sheet_of(tablet).get_by_role("spinbutton").fill("2")
    sheet_of(tablet).get_by_role("button", name="Terminal supply check").click()
    expect(tablet.locator("[data-glow=track-vp-german]")).to_contain_text("2")
    tablet.get_by_role("button", name=re.compile("Next phase")).click()
    for page in (tablet, german):
        over = page.get_by_role("region", name="The game is over")
        expect(over).to_contain_text("German victory: on points")
        expect(over).to_contain_text("the German needed 2")
