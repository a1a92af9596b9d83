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
    expect(sheet).to_contain_text("17%")  # 3:1 with a 3 is one of the cells the rulebook tells: 1/2 (12.18)

    # A real die is tapped in; the printed example's result follows.
    page.get_by_role("radiogroup", name="Die").get_by_role("radio", name="3", exact=True).check()
    page.get_by_role("button", name="Use 3", exact=True).click()
    expect(page.locator("#sheet .breakdown-result")).to_have_text("1/2")

    # Each side is asked for its own losses; the defender takes his first (12.19).
    prompt = german.get_by_role("region", name="Waiting for you")
    expect(prompt).to_contain_text("German defender: lose 2 steps")
    prompt.get_by_role("link", name="German losses").click()
    german.get_by_role("spinbutton", name=re.compile("Mechanised steps")).fill("1")
    german.get_by_role("button", name="German losses").click()
    # One mechanised step counts 2, the other 1 (4.4).
    expect(tablet.locator("[data-glow=track-vp-soviet]")).to_contain_text("3")

    expect(soviet.get_by_role("region", name="Waiting for you").first).to_contain_text(
        "Soviet attacker: lose 1 step"
    )
    if attacker == "phone":
        soviet.get_by_role("link", name="Close").first.click()
    tap(soviet.get_by_role("link", name="Soviet losses"), soviet.locator("#sheet .sheet"))
    soviet.get_by_role("button", name="Soviet losses").click()
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
    sheet_of(soviet).get_by_role("button", name="1/1").click()
    expect(sheet_of(soviet).get_by_role("status").last).to_contain_text("German defender: lose 1 step")
    expect(sheet_of(soviet).get_by_role("region", name="Waiting for you")).to_contain_text("Soviet attacker")
    # The log begins with the battle, not with the roll (12.18).
    lines = tablet.get_by_role("region", name="Last events").get_by_role("listitem")
    expect(lines.first).to_contain_text("Combat at 1:1: 1/1")
    expect(lines.nth(1)).to_contain_text(re.compile(r"Soviet\s+Combat at 1:1[\s\S]*rolled 4"))


def test_nobody_sees_an_untried_unit_before_its_battle(server, device):
    """2.14: even when its factors were typed in by mistake, no page shows them."""
    table = Table(server, "second-kharkov", "historical")
    table.do("soviet", "set-up")
    german, soviet = (table.seat(device("phone"), side) for side in ("german", "soviet"))
    for page, side in ((german, "german"), (soviet, "soviet")):
        page.goto(f"{server.url}/t/{table.code}/{side}/units")
        expect(page.get_by_text("untried").first).to_be_visible()
        assert "AF" not in page.locator(".side-soviet .unit-more").first.inner_text()


def german_line(table: Table) -> None:
    """Two German divisions in 2619, next to the Soviet set-up stack of 2719 and the one in 2718."""
    table.do("table", "set-up")
    for name in ("44 Infantry", "62 Infantry"):
        table.do("german", "add-unit", side="german", name=name, kind="infantry", hex="2619", steps=4)
        table.do("german", "copy-counter", unit=name, kind="infantry", army="6th Army", af=6, df=7, mf=4)


def sheet_of(page: Page):
    return page.locator("#sheet")


def test_a_declared_attack_with_units_on_record(server, device):
    """7.6, 12.17-12.23: target, aircraft, open stacks, even losses, retreat, advance, each on its own phone."""
    table = Table(server, "second-kharkov", "historical")
    german_line(table)
    table.do("table", "go-to", turn=2, phase="soviet-combat")
    table.do("table", "correct", name="air-free", value="2")
    soviet, german = (table.seat(device("phone"), side) for side in ("soviet", "german"))

    # The attackers next to the target are offered as soon as its number is typed.
    tap(soviet.get_by_role("link", name=re.compile("Declare an attack")), soviet.locator("#sheet .sheet"))
    soviet.get_by_label(re.compile("Target hex")).press_sequentially("2619", delay=80)
    expect(sheet_of(soviet).get_by_role("checkbox")).to_have_count(5)
    for unit in sheet_of(soviet).get_by_role("checkbox").all():
        unit.check()
    sheet_of(soviet).get_by_role("button", name="Declare an attack").click()
    expect(sheet_of(soviet)).to_contain_text("the German decides on aircraft")
    sheet_of(soviet).get_by_role("link", name=re.compile("Back to the")).click()
    expect(soviet.get_by_role("link", name=re.compile("Resolve a combat"))).to_have_count(0)

    tap(german.get_by_role("link", name="Aircraft defend"), german.locator("#sheet .sheet"))
    sheet_of(german).get_by_role("button", name="Aircraft defend").click()
    sheet_of(german).get_by_role("link", name=re.compile("Back to the")).click()

    # Target and attackers stand; the defence is on record, so only the untried attackers' factors are typed.
    tap(soviet.get_by_role("link", name="Resolve a combat").first, soviet.locator("#sheet .sheet"))
    expect(sheet_of(soviet).get_by_label(re.compile("Target hex"))).to_have_count(0)
    expect(sheet_of(soviet).get_by_label(re.compile("Defence factors"))).to_have_count(0)
    soviet.get_by_label(re.compile("Attack factors")).first.press_sequentially("42", delay=150)
    expect(soviet.locator("#sheet .breakdown")).to_contain_text("German air support")
    soviet.get_by_role("radiogroup", name="Die").get_by_role("radio", name="2", exact=True).check()
    soviet.get_by_role("button", name="Use 2", exact=True).click()
    expect(soviet.locator("#sheet .breakdown-result")).to_have_text("1/2")

    # Two steps over two divisions go round evenly; a retreat saves one, and then somebody must be chosen.
    tap(german.get_by_role("link", name="German losses"), german.locator("#sheet .sheet"))
    expect(sheet_of(german)).not_to_contain_text("Who takes the odd steps")
    sheet_of(german).get_by_text("Fall back one hex").last.click()
    expect(sheet_of(german)).to_contain_text("choose 1 unit")
    sheet_of(german).get_by_role("checkbox", name=re.compile("44 Infantry")).check()
    sheet_of(german).get_by_role("button", name="German losses").click()
    expect(sheet_of(german)).to_contain_text("44 Infantry: 3 steps")

    sheet_of(soviet).get_by_role("link", name="Soviet losses").click()
    expect(sheet_of(soviet)).to_contain_text("choose 1 unit")
    sheet_of(soviet).get_by_role("checkbox").first.check()
    sheet_of(soviet).get_by_role("button", name="Soviet losses").click()
    sheet_of(soviet).get_by_role("link", name="Advance").click()
    sheet_of(soviet).get_by_role("checkbox").first.check()
    sheet_of(soviet).get_by_role("button", name="Advance").click()
    expect(sheet_of(soviet)).to_contain_text("2619 (advance after combat)")
    view = table.sees("table")
    assert {t["id"]: t["value"] for t in view["tracks"]} == {
        "vp-soviet": 1, "vp-german": 1, "air-free": 1, "air-used": 1,
    }  # fmt: skip


def test_the_german_turn_opens_with_one_tap(server, device):
    """5.3, 11.19, 6.2: interdiction, the order of the player turn, and the release, on the tablet."""
    table = Table(server, "second-kharkov", "historical")
    table.do("table", "go-to", turn=3, phase="air-placement")
    table.do("table", "correct", name="air-free", value="2")
    tablet = table.seat(device("tablet"), "table")
    tap(tablet.get_by_role("link", name=re.compile("Interdict hexes")), tablet.locator("#sheet .sheet"))
    sheet_of(tablet).get_by_role("textbox", name="Hexes").fill("2720")
    sheet_of(tablet).get_by_role("button", name="Interdict hexes").click()
    sheet_of(tablet).get_by_role("link", name=re.compile("Back to the")).click()
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
    table.do("table", "go-to", turn=8, phase="german-combat")
    tablet = table.seat(device("tablet"), "table")
    german = table.seat(device("phone"), "german")
    tablet.expected_errors += ["409"]
    tablet.get_by_role("button", name=re.compile("Next phase")).click()
    expect(tablet.get_by_role("status").filter(has_text="Terminal supply check")).to_be_visible()
    tap(
        tablet.get_by_role("link", name=re.compile("Terminal supply check")).first,
        tablet.locator("#sheet .sheet"),
    )
    expect(sheet_of(tablet)).to_contain_text("of the 8 Soviet units on record: none")
    sheet_of(tablet).get_by_role("spinbutton").fill("2")
    sheet_of(tablet).get_by_role("button", name="Terminal supply check").click()
    sheet_of(tablet).get_by_role("link", name=re.compile("Back to the")).click()
    expect(tablet.locator("[data-glow=track-vp-german]")).to_contain_text("2")
    tablet.get_by_role("button", name=re.compile("Next phase")).click()
    for page in (tablet, german):
        over = page.get_by_role("region", name="The game is over")
        expect(over).to_contain_text("German victory: on points")
        expect(over).to_contain_text("the German needed 2")


def test_losses_from_a_stack_are_taken_on_the_tablet(server, device):
    """12.20, 7.6: under fog of war the shared screen offers every unit of the battle, and tells its result first."""
    table = Table(server, "second-kharkov", "historical")
    table.do("table", "set-up")
    table.do("table", "go-to", turn=2, phase="soviet-combat")
    force = ["tank-2719-1", "tank-2719-2", "motor-2719"]
    table.do("soviet", "resolve-combat", target="2619", attackers=force, attack="9", defence="40", air="0")
    tablet = table.seat(device("tablet"), "table")
    tap(tablet.get_by_role("link", name="Soviet losses"), tablet.locator("#sheet .sheet"))
    expect(sheet_of(tablet).get_by_role("checkbox")).to_have_count(3)
    for unit in sheet_of(tablet).get_by_role("checkbox", name=re.compile("Tank brigade")).all():
        unit.check()
    sheet_of(tablet).get_by_role("button", name="Soviet losses").click()
    expect(sheet_of(tablet)).to_contain_text("Dead pile (eliminated)")
    expect(tablet.locator("[data-glow=track-vp-german]")).to_contain_text("2")
