"""Panzer Keil at the table: one whole turn on a tablet and two phones, with and without units on record."""

import re

import pytest
from playwright.sync_api import Page, expect
from tablehand import Table, tap

GROUND = """rail 1406 1407 1408 1409 1410 1411 1412 1413 1414 1415 1416 1417 1418 1419 1420
rail 2050..2035
2033 2034 2035 clear"""
GERMANS = {"ss-w-1": "2034", "ss-w-2": "2034", "302id": "2036"}
SOVIETS = {
    "southwestern-hq": "1826",
    "southwestern-1": "2033",
    "southwestern-2": "2033",
    "southwestern-3": "2032",
}
COUNTERS = {
    "ss-w-1": {"kind": "armour", "nation": "german", "attack": 9, "defence": 7},
    "ss-w-2": {"kind": "mechanized infantry", "nation": "german", "attack": 6, "defence": 6},
    "302id": {"kind": "infantry", "nation": "german", "attack": 4, "defence": 5},
    "southwestern-1": {"kind": "infantry", "attack": 4, "defence": 4},
    "southwestern-2": {"kind": "infantry", "attack": 4, "defence": 4},
    "southwestern-3": {"kind": "armour", "attack": 7, "defence": 5, "exhausted_defence": 3},
}


def sheet(page: Page):
    return page.locator("#sheet")


def closed(page: Page) -> None:
    """What was sent is done: the sheet has closed by itself."""
    expect(sheet(page).locator(".sheet")).to_have_count(0)


def waiting(page: Page):
    """What this device is asked for, outside any sheet."""
    return page.locator("#live").get_by_role("region", name="Waiting for you")


def start(page: Page, name: str) -> None:
    """Tap an action of the phase; its sheet opens."""
    phase = page.locator("#live .phase-body, #live .phone-page")
    tap(phase.get_by_role("link", name=re.compile(name)).first, sheet(page).get_by_role("heading", level=2))


def roll(page: Page, die: int) -> None:
    """Tap in a real die."""
    page.expected_errors += ["htmx:sendAbort", "htmx:afterRequest"]  # a preview that newer input overtook
    sheet(page).get_by_role("radiogroup", name="Die").get_by_role("radio", name=str(die), exact=True).check()
    sheet(page).get_by_role("button", name=f"Use {die}", exact=True).click()


def tick(page: Page, *names: str) -> None:
    for name in names:
        box = sheet(page).get_by_role("checkbox", name=re.compile(name))
        box.check()
        expect(box).to_be_checked()


def end_phase(table: Table, page: Page, title: str, *others: Page) -> None:
    """Tap the big button once the page is up to date; every device shows the next phase."""
    now = str(table.sees("table")["revision"])
    expect(page.locator("#live")).to_have_attribute("data-rev", now, timeout=10_000)
    page.get_by_role("button", name=re.compile("Next phase|End my phase")).click()
    for other in (page, *others):
        expect(other.get_by_role("heading", level=1)).to_contain_text(title, timeout=10_000)


def lay_out(table: Table) -> None:
    """Counters on record and where they stand, the other set-up questions tapped away."""
    for unit, place in {**GERMANS, **SOVIETS}.items():
        table.do("table", "place-unit", unit=unit, hex=place)
    for unit, facts in COUNTERS.items():
        table.do("table", "describe-unit", unit=unit, **facts)


@pytest.mark.xfail(
    reason="drives the screens of before answers stood on cards; the battle itself is played in test_battles.py",
    run=False,
)
def test_a_turn_on_three_devices(start_server, device):
    server = start_server()
    tablet = device("tablet")
    server.unlock_book(tablet)
    tablet.goto(f"{server.url}/book/panzer-keil/map")
    tablet.get_by_role("textbox", name=re.compile("Type|Lines|facts", re.I)).first.fill(GROUND)
    tablet.get_by_role("button", name="Enter").first.click()
    table = Table(server, "panzer-keil", "winter-1943")
    table.seat(tablet, "table")
    soviet, german = (table.seat(device("phone"), side) for side in ("soviet", "german"))
    everybody = (tablet, soviet, german)
    expect(tablet.locator(".bar-turn")).to_have_text("Turn 1")  # nobody knows which turn is the last

    # Set-up: the German side is led from formation to formation.
    tablet.get_by_role("button", name=re.compile("Set up the scenario")).click()
    expect(waiting(german)).to_contain_text("Set up FP: 3 units, within 5 of 1722")
    tap(waiting(german).get_by_role("link", name="Place a formation"), german.locator("#sheet .sheet"))
    sheet(german).get_by_role("textbox", name="Hexes").fill("1722 1721 1622")
    sheet(german).get_by_role("button", name="Place a formation").click()
    expect(sheet(german)).to_contain_text("Set up Hollidt-A: 9 units, within 3 of 2319")
    sheet(german).get_by_role("button", name="Not needed").click()
    german.goto(f"{server.url}/t/{table.code}/german")
    lay_out(table)

    # 1 Weather: the die, then one tap for what the printed square shows.
    start(soviet, "Roll for the weather")
    roll(soviet, 3)
    asked = sheet(soviet).get_by_role("region", name="Waiting for you")
    expect(asked).to_contain_text("2 squares on")
    asked.get_by_role("button", name="snow").click()
    expect(tablet.get_by_role("region", name="Tracks")).to_contain_text("snow")
    closed(soviet)
    end_phase(table, soviet, "Soviet supply", tablet, german)

    # 2 Supply in one tap; the points of the headquarters come from the owner's printed table.
    soviet.get_by_role("button", name=re.compile("Check supply")).click()
    expect(waiting(soviet)).to_contain_text("Read the headquarters' points off your table")
    tap(waiting(soviet).get_by_role("link", name="HQ points"), soviet.locator("#sheet .sheet"))
    for name, points in (("Southwestern supply", 1), ("Southwestern support", 2)):
        sheet(soviet).get_by_role("spinbutton", name=name).fill(str(points))
    sheet(soviet).get_by_role("button", name="HQ points").click()
    expect(tablet.locator("[data-glow=track-southwestern-sap]")).to_contain_text("2")
    closed(soviet)
    end_phase(table, soviet, "Soviet support", tablet, german)

    # 3 Support attack: allot, resolve, read the chart, and the firing player retreats the target.
    start(soviet, "Allot support points")
    expect(sheet(soviet).get_by_role("radio", name="Southwestern: 2")).to_be_checked()  # who has points
    sheet(soviet).get_by_role("radio", name="2034").check()
    sheet(soviet).get_by_role("spinbutton", name="Points").fill("2")
    sheet(soviet).get_by_role("button", name="Allot support points").click()
    expect(sheet(soviet)).to_contain_text("allotted to 2034")
    closed(soviet)
    start(soviet, "Resolve a support attack")
    expect(sheet(soviet).get_by_role("radio", name="2034: 2 points")).to_be_checked()
    roll(soviet, 5)
    asked = sheet(soviet).get_by_role("region", name="Waiting for you")
    expect(asked).to_contain_text("column 2, row 5")
    asked.get_by_role("button", name="1D").click()
    expect(asked).to_contain_text("Retreat 1 hex, moved by the Soviet player")
    asked.get_by_role("link", name="Retreat").click()
    sheet(soviet).get_by_role("radio", name="2035").check()
    sheet(soviet).get_by_role("button", name="Retreat").click()
    expect(german.get_by_role("region", name="Units", exact=True)).to_contain_text(
        re.compile(r"Disrupted\s*German 2")
    )
    closed(soviet)
    end_phase(table, soviet, "Soviet movement", tablet, german)

    # 4 Movement: a unit follows.
    start(soviet, "Move units")
    tick(soviet, r"S\.West 3")
    sheet(soviet).get_by_role("textbox", name="To hex").fill("2033 2034")
    sheet(soviet).get_by_role("button", name="Move units").click()
    expect(sheet(soviet)).to_contain_text("2032 → 2034")
    closed(soviet)
    end_phase(table, soviet, "Soviet combat", tablet, german)

    # 5 Combat on the tablet: strengths are on record, so only target and attackers are asked.
    start(tablet, "Resolve a combat")
    sheet(tablet).get_by_role("radio", name="2035").check()
    expect(sheet(tablet).get_by_role("checkbox", name=re.compile(r"S\.West 3"))).to_be_visible()
    tick(tablet, r"S\.West 3")
    worked = sheet(tablet).locator(".breakdown")
    expect(worked).to_contain_text("disrupted defenders: 13 halved")
    expect(worked).to_contain_text("odds 7 to 7")
    expect(sheet(tablet).get_by_role("textbox", name=re.compile("Attack"))).to_have_count(0)
    roll(tablet, 4)
    asked = sheet(tablet).get_by_role("region", name="Waiting for you")
    expect(asked).to_contain_text("column 1:1, row 4")
    asked.get_by_role("button", name="DL", exact=True).click()
    # The owner chooses his loss; then the attacker moves the rest and may follow.
    expect(waiting(german)).to_contain_text("DL: lose 1 of")
    tap(waiting(german).get_by_role("link", name="Lose units"), german.locator("#sheet .sheet"))
    tick(german, "PzD 2")
    sheet(german).get_by_role("button", name="Lose units").click()
    closed(german)
    expect(waiting(soviet).first).to_contain_text("Advance into 2035")
    retreat = waiting(soviet).filter(has_text="Retreat 2 hexes, moved by the Soviet player")
    retreat.get_by_role("link", name="Retreat").click()
    sheet(soviet).get_by_role("radio").first.check()
    sheet(soviet).get_by_role("button", name="Retreat").click()
    closed(soviet)
    tap(waiting(soviet).get_by_role("link", name="Advance after combat"), soviet.locator("#sheet .sheet"))
    expect(sheet(soviet).get_by_role("radio", name="2035", exact=True)).to_be_checked()
    sheet(soviet).get_by_role("button", name="Advance after combat").click()
    expect(sheet(soviet)).to_contain_text("2034 → 2035")
    closed(soviet)
    closed(tablet)
    expect(tablet.get_by_role("region", name="Units", exact=True)).to_contain_text(
        re.compile(r"Exhausted\s*Soviet 1")
    )
    end_phase(table, tablet, "Soviet recovery", soviet, german)
    end_phase(table, soviet, "German supply", tablet, german)

    # 7-8 German supply and support: the pools fill by themselves.
    expect(tablet.locator("[data-glow=track-german-sp]")).to_contain_text("5")
    german.get_by_role("button", name=re.compile("Check supply")).click()
    expect(german.get_by_role("region", name="Last events")).to_contain_text("Out of supply")
    end_phase(table, german, "German support", tablet, soviet)
    end_phase(table, german, "German movement", tablet, soviet)

    # 9 Reinforcements off the list of what is due.
    due = german.get_by_role("region", name="Due and in force")
    due.get_by_role("listitem").filter(has_text="320 ID").get_by_role("link", name="in").click()
    sheet(german).get_by_role("textbox", name=re.compile("Entry hex")).fill("2050")
    sheet(german).get_by_role("button", name="Reinforcements are in").click()
    expect(sheet(german)).to_contain_text("320 ID")
    closed(german)
    expect(due).not_to_contain_text("320 ID")
    end_phase(table, german, "German combat", tablet, soviet)

    # 10-12 An exchange, the mechanized phase, recovery.
    table.do("table", "place-unit", unit="302id", hex="2036")
    start(german, "Resolve a combat")
    sheet(german).get_by_role("radio", name="2035").check()
    tick(german, "302 ID")
    roll(german, 1)
    sheet(german).get_by_role("button", name="EX", exact=True).click()
    sheet(german).get_by_role("link", name="Exchange: give up attackers").click()
    tick(german, "302 ID")
    sheet(german).get_by_role("button", name="Exchange: give up attackers").click()
    expect(sheet(german).locator(".breakdown-result")).to_contain_text("defender loses")
    closed(german)
    for ask in table.sees("table")["asked"]:
        table.do("table", "dismiss", ask=ask["id"])
    expect(waiting(german)).to_have_count(0)
    end_phase(table, german, "German mechanized movement", tablet, soviet)
    end_phase(table, german, "German recovery", tablet, soviet)
    german.get_by_role("button", name=re.compile("Recover")).first.click()  # one tap for all who can
    expect(german.get_by_role("region", name="Last events")).to_contain_text("Disrupted off")
    end_phase(table, german, "Weather", *everybody)
    expect(tablet.locator(".bar-turn")).to_have_text("Turn 2")


def test_a_battle_and_the_score_without_any_unit(server, device):
    table = Table(server, "panzer-keil", "winter-1943")
    phone = table.seat(device("small"), "soviet")
    table.do("table", "go-to", turn=1, phase="soviet-combat")
    expect(phone.get_by_role("heading", level=1)).to_contain_text("Soviet combat")
    start(phone, "Resolve a combat")
    sheet(phone).get_by_role("textbox", name=re.compile("^Attack ")).fill("8 4")
    tick(phone, "over a major river")
    sheet(phone).get_by_role("textbox", name=re.compile("Attack over a major river")).fill("5")
    sheet(phone).get_by_role("spinbutton", name=re.compile("^Defence(?! of)")).fill("4")
    worked = sheet(phone).locator(".breakdown")
    expect(worked).to_contain_text("over a major river: 5 halved")
    expect(worked).to_contain_text("odds 14 to 4")
    assert phone.evaluate("document.querySelector('#sheet .sheet').scrollWidth") <= 360
    roll(phone, 2)
    phone.locator(".duty").get_by_role("button", name="A1", exact=True).click()
    expect(phone.locator("#live")).to_contain_text("A1D over the major river")

    table.do("table", "set-weather", weather="mud", last=True)
    table.do("table", "go-to", turn=4, phase="scoring")
    tablet = table.seat(device("tablet"), "table")
    start(tablet, "Score the game")
    tick(tablet, "Kharkiv", "Sumy")
    sheet(tablet).get_by_role("spinbutton", name=re.compile("German other units")).fill("4")
    expect(sheet(tablet).locator(".breakdown-result")).to_have_text("Soviet tactical victory")
    tablet.expected_errors += ["409"]
    sheet(tablet).get_by_role("button", name="Score the game").click()
    sheet(tablet).get_by_role(
        "button", name="Do it anyway"
    ).click()  # what the companion cannot know is said first
    closed(tablet)
    expect(tablet.get_by_role("region", name="The game is over")).to_contain_text("Soviet")


def test_nothing_is_wider_than_a_small_phone(server, device):
    table = Table(server, "panzer-keil", "winter-1943")
    table.do("table", "set-up")
    for side in ("soviet", "german"):
        phone = table.seat(device("small"), side)
        for phase in ("supply", "support", "move", "combat"):
            table.do("table", "go-to", turn=5, phase=f"{side}-{phase}")
            actions = [
                a["name"] for a in table.sees(side)["actions"] if a["group"] == "phase" and a["fields"]
            ]
            for page in ("", *(f"/do/{name}" for name in actions)):
                phone.goto(f"{server.url}/t/{table.code}/{side}{page}")
                assert phone.evaluate("document.documentElement.scrollWidth") <= 360, (phase, page)
