"""Panzer Keil at the table: one whole turn on a tablet and two phones, with and without units on record."""

import re

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
    "320id": {"kind": "infantry", "nation": "german", "attack": 4, "defence": 5},
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


class Evening:
    """A tablet and two phones at one table."""

    def __init__(self, server, device) -> None:
        tablet = device("tablet")
        server.unlock_book(tablet)
        tablet.goto(f"{server.url}/book/panzer-keil/map")
        tablet.get_by_role("textbox", name=re.compile("Type|Lines|facts", re.I)).first.fill(GROUND)
        tablet.get_by_role("button", name="Enter").first.click()
        self.table = Table(server, "panzer-keil", "winter-1943", **{"mode-dice": "physical"})
        self.tablet = self.table.seat(tablet, "table")
        self.soviet, self.german = (self.table.seat(device("phone"), side) for side in ("soviet", "german"))
        self.everybody = (self.tablet, self.soviet, self.german)

    def end_phase(self, page: Page, title: str) -> None:
        """Tap the big button once the page is up to date; every device shows the next phase."""
        now = str(self.table.sees("table")["revision"])
        expect(page.locator("#live")).to_have_attribute("data-rev", now, timeout=10_000)
        button = page.get_by_role("button", name=re.compile("Next phase|End my phase"))
        tap(button, page.get_by_role("heading", level=1).filter(has_text=title))
        for other in self.everybody:
            expect(other.get_by_role("heading", level=1)).to_contain_text(title, timeout=10_000)

    def end_knowingly(self, page: Page, title: str) -> None:
        """What would be lost or is still due is said first."""
        page.expected_errors += ["409"]
        anyway = page.get_by_role("button", name=re.compile("anyway$"))
        tap(page.get_by_role("button", name=re.compile("End my phase")), anyway)
        tap(anyway, page.get_by_role("heading", level=1).filter(has_text=title))

    def place(self, places: dict[str, str]) -> None:
        for unit, place in places.items():
            self.table.do("table", "place-unit", unit=unit, hex=place)


def answer(page: Page, words: str, button: str) -> None:
    """Answer what a card asks with one of its buttons; the card goes away by itself."""
    card = page.locator(".duty").filter(has_text=words)
    press = card.get_by_role("button", name=button, exact=True)
    for _ in range(4):  # a button under which news has changed the page rests for a moment
        expect(press).to_be_visible()
        press.click()
        try:
            expect(card).to_have_count(0, timeout=4_000)
            return
        except AssertionError:
            continue
    expect(card).to_have_count(0)


def set_up(e: Evening) -> None:
    """The German side is led from formation to formation, and may stop at any of them."""
    e.tablet.get_by_role("button", name=re.compile("Set up the scenario")).click()
    ask = waiting(e.german).filter(has_text="Set up FP: 3 units, within 5 hexes of 1722")
    ask.get_by_role("textbox", name="Hexes").fill("1722 1721 1622")
    ask.get_by_role("button", name="Place a formation").click()
    answer(e.german, "Set up Hollidt-A: 9 units, within 3 hexes of 2319", "No")
    expect(e.tablet.get_by_role("button", name=re.compile("Set up the scenario"))).to_have_count(0)
    e.place({**GERMANS, **SOVIETS})
    for unit, facts in COUNTERS.items():
        e.table.do("table", "describe-unit", unit=unit, **facts)


def weather_and_supply(e: Evening) -> None:
    """1, 2: the die and one tap for the printed square; supply in one tap, then the headquarters' points."""
    start(e.soviet, "Roll for the weather")
    roll(e.soviet, 3)
    answer(e.soviet, "2 squares on", "snow")
    expect(e.tablet.get_by_role("region", name="Tracks")).to_contain_text("snow")
    e.end_phase(e.soviet, "Soviet supply")
    e.soviet.expected_errors += ["409"]  # the other Fronts' headquarters are not on the map: said first
    e.soviet.get_by_role("button", name=re.compile("Check supply")).click()
    e.soviet.get_by_role("button", name="Do it anyway").click()
    expect(waiting(e.soviet)).to_contain_text("Read the points off your table: Voronezh, Southwestern")
    tap(waiting(e.soviet).get_by_role("link", name="Set the points"), e.soviet.locator("#sheet .sheet"))
    for name, points in (("Southwestern supply", 1), ("Southwestern support", 2)):
        sheet(e.soviet).get_by_role("spinbutton", name=name).fill(str(points))
    sheet(e.soviet).get_by_role("button", name="Set the points").click()
    expect(e.tablet.locator("[data-glow=track-southwestern-sap]")).to_contain_text("2")
    closed(e.soviet)
    e.end_phase(e.soviet, "Soviet support")


def support_and_movement(e: Evening) -> None:
    """3, 4: points on a hex, their roll on the card, the firing player drives the target back; a unit follows."""
    start(e.soviet, "Allot support points")
    expect(sheet(e.soviet).get_by_role("radio", name="Southwestern: 2")).to_be_checked()  # who has points
    sheet(e.soviet).get_by_role("radio", name="2034").check()
    sheet(e.soviet).get_by_role("spinbutton", name="Points").fill("2")
    sheet(e.soviet).get_by_role("button", name="Allot support points").click()
    closed(e.soviet)
    ask = e.soviet.locator(".duty").filter(has_text="Roll for the support attack on 2034")
    ask.get_by_role("button", name="5", exact=True).click()
    answer(e.soviet, "column 2, row 5", "1D")
    answer(e.soviet, "back 1 hex", "2035")
    expect(e.german.locator(".panel, [id^=panel-]").filter(has_text="Disrupted").first).to_contain_text(
        "German 2"
    )
    e.end_phase(e.soviet, "Soviet movement")
    start(e.soviet, "Move units")
    tick(e.soviet, r"S\.West 3")
    sheet(e.soviet).get_by_role("textbox", name="To hex").fill("2033 2034")
    e.soviet.expected_errors += ["409"]
    sheet(e.soviet).get_by_role("button", name="Move units").click()
    closed(e.soviet)
    e.end_phase(e.soviet, "Soviet combat")


def soviet_combat(e: Evening) -> None:
    """5: on the tablet, with everything on record; losses, retreat and advance on the phones of those whose they are."""
    start(e.tablet, "^Attack")
    worked = sheet(e.tablet).locator(".breakdown")
    expect(worked).to_contain_text("disrupted defenders: 13 halved")  # the only target, and who can attack it
    expect(worked).to_contain_text("odds 7 to 7")
    expect(sheet(e.tablet).get_by_role("textbox", name=re.compile("Attack"))).to_have_count(0)
    roll(e.tablet, 4)
    answer(e.soviet, "column 1:1, row 4", "DL")
    answer(e.german, "lose 1 of", 'Lose SS "W" PzD 2')
    moved = e.soviet.locator(".duty").filter(has_text="back 2 hexes")
    expect(moved.get_by_role("button").first).to_be_visible()
    answer(e.soviet, "back 2 hexes", moved.get_by_role("button").first.inner_text())
    answer(e.soviet, "Advance into 2035", "Into 2035")
    for page in e.everybody:
        expect(page.locator(".duty")).to_have_count(0)
    e.end_phase(e.tablet, "Soviet recovery")
    e.end_phase(e.soviet, "German supply")


def german_half(e: Evening) -> None:
    """7-9: pools fill by themselves, supply in one tap, reinforcements off the list of what is due."""
    expect(e.tablet.locator("[data-glow=track-german-sp]")).to_contain_text("5")
    e.german.get_by_role("button", name=re.compile("Check supply")).click()
    expect(e.german.get_by_role("button", name=re.compile("Check supply$"))).to_have_count(0)  # done
    e.end_phase(e.german, "German support")
    e.end_knowingly(e.german, "German movement")  # over three support points
    due = e.german.get_by_role("listitem").filter(has_text="320 ID")
    tap(due.get_by_role("link", name="in"), e.german.locator("#sheet .sheet"))
    sheet(e.german).get_by_role("textbox", name=re.compile("Entry hex")).fill("2050")
    sheet(e.german).get_by_role("button", name="Reinforcements are in").click()
    closed(e.german)
    expect(due.get_by_role("link", name="in")).to_have_count(0)
    e.end_knowingly(e.german, "German combat")  # one of SS "W" is not in yet


def exchange_and_recovery(e: Evening) -> None:
    """10-12: an exchange that costs both one unit, no advance, then recovery in one tap, and the next turn."""
    e.place({"302id": "2036", "320id": "2036"})
    start(e.german, "^Attack")
    roll(e.german, 1)
    answer(e.german, "column", "EX")
    ask = e.german.locator(".duty").filter(has_text="choose the attackers to give up")
    ask.get_by_role("checkbox", name="302 ID").check()
    ask.get_by_role("button", name="Give up attackers").click()
    answer(e.german, "Advance into 2035", "No")  # nobody is left there
    for page in e.everybody:
        expect(page.locator(".duty")).to_have_count(0)
    e.end_phase(e.german, "German mechanized movement")
    e.end_phase(e.german, "German recovery")
    e.german.get_by_role("button", name=re.compile("Recover")).first.click()  # one tap for all who can
    expect(e.german.get_by_role("button", name="Recover", exact=True)).to_have_count(0)
    e.end_phase(e.german, "Weather")
    expect(e.tablet.locator(".bar-turn")).to_have_text("Turn 2")


def test_a_turn_on_three_devices(start_server, device):
    evening = Evening(start_server(), device)
    expect(evening.tablet.locator(".bar-turn")).to_have_text("Turn 1")  # nobody knows which turn is the last
    set_up(evening)
    weather_and_supply(evening)
    support_and_movement(evening)
    soviet_combat(evening)
    german_half(evening)
    exchange_and_recovery(evening)


def test_a_battle_and_the_score_without_any_unit(server, device):
    table = Table(server, "panzer-keil", "winter-1943")
    phone = table.seat(device("small"), "soviet")
    table.do("table", "go-to", turn=1, phase="soviet-combat")
    expect(phone.get_by_role("heading", level=1)).to_contain_text("Soviet combat")
    start(phone, "^Attack")
    sheet(phone).get_by_role("textbox", name="Attack", exact=True).fill("8 4")
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


def test_the_tablet_shows_all_twelve_phases_and_the_phone_all_points(server, device):
    """Nothing of the strip is cut; the two numbers of a headquarters stand side by side, all above the fold."""
    table = Table(server, "panzer-keil", "winter-1943")
    tablet = table.seat(device("tablet"), "table")
    for phase in ("weather", "german-supply", "german-mech"):
        table.do("table", "go-to", turn=1, phase=phase)
        tablet.reload()
        wide = tablet.locator(".stepper").evaluate("strip => [strip.scrollWidth, strip.clientWidth]")
        assert wide[0] <= wide[1], (phase, wide)
    table.do("table", "go-to", turn=2, phase="weather")
    table.do("soviet", "next-phase", anyway=True)
    phone = table.seat(device("phone"), "soviet")
    tap(
        phone.get_by_role("link", name=re.compile("Set the points")),
        sheet(phone).locator("[name=don_supply]"),
    )
    found = sheet(phone).locator("[name=don_supply], [name=don_support]")
    left, right = found.evaluate_all(
        "all => all.map(e => e.getBoundingClientRect().toJSON())"
    )  # at one moment
    assert left["top"] == right["top"] and left["right"] < right["left"]
    phone.wait_for_timeout(600)  # the sheet has come up
    assert found.first.bounding_box()["y"] + left["height"] < phone.viewport_size["height"]
