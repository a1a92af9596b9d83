"""Second Kharkov at the table: a combat from preview to booked losses, on phones and on the tablet."""

import re

import pytest
from browser.test_battles import Screens
from playwright.sync_api import Locator, Page, expect
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
    tap(page.get_by_role("link", name=re.compile("^Attack")), page.locator("#sheet .sheet"))
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
    expect(soviet.locator(".head-awaits")).to_contain_text("waiting for German defender: lose 1 step")
    expect(soviet.locator(".battle")).to_contain_text("Soviet attacker: lose 1 step")
    # The log tells the battle in one entry (12.18).
    lines = tablet.get_by_label("This turn so far").locator(".logline")
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


def tap_away(button: Locator) -> None:
    """Tap a button that goes with its question: again, when news moved under the finger and the tap did not count."""
    for _ in range(4):
        button.click()
        try:
            expect(button).to_have_count(0, timeout=4_000)
        except AssertionError:
            continue
        return
    expect(button).to_have_count(0)


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
    zone = tablet.get_by_label("Interdiction: Soviets +1 MP")
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
    tap(soviet.locator("#todo > summary"), soviet.locator("#todo .checklist"))
    line = soviet.get_by_role("listitem").filter(has_text="a Kharkov hex or an edge source entered")
    tap(line.get_by_role("link", name="Open"), sheet_of(soviet).locator(".sheet"))
    sheet_of(soviet).get_by_role("textbox", name="Hexes").fill("2406")
    tap_away(sheet_of(soviet).get_by_role("button", name="Take a hex"))
    for page in (soviet, german):  # an ending by the rules is put to both sides first
        asked = page.get_by_role("region", name="Waiting for you")
        expect(asked).to_contain_text("Soviet victory, sudden death")
        tap_away(asked.get_by_role("button", name="Agree"))
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
        tablet.get_by_role("link", name=re.compile("terminal supply check")).first,
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


def test_a_stack_moves_from_its_sheet(server, device):
    """11.5-11.8, 3.5: chosen together, the way found, costs told, made; every screen shows it."""
    table = Table(server, "second-kharkov", "historical")
    table.do("table", "go-to", turn=4, phase="soviet-move")
    for name, hex_id, kind in (
        ("13 TC", "2610", "tank"),
        ("226 RD", "2610", "rifle"),
        ("5 CD", "2710", "cavalry"),
    ):
        table.do("table", "add-unit", name=name, side="soviet", hex=hex_id, kind=kind)
    soviet = table.seat(device("phone"), "soviet")
    tap(soviet.get_by_role("link", name=re.compile("Move units")), soviet.locator("#sheet .sheet"))
    sheet_of(soviet).get_by_role("checkbox", name=re.compile("13 TC")).check()
    expect(sheet_of(soviet).get_by_role("checkbox", name=re.compile("5 CD"))).to_have_count(
        0
    )  # not in that hex
    sheet_of(soviet).get_by_role("checkbox", name=re.compile("226 RD")).check()
    soviet.get_by_label("To hex").fill("2612")
    expect(soviet.locator("#sheet .breakdown")).to_contain_text("costs 2 MP")
    tap_away(sheet_of(soviet).get_by_role("button", name="Move units"))
    places = {u["name"]: u["place"] for u in table.sees("soviet")["units"]}
    assert places == {"13 TC": "2612", "226 RD": "2612", "5 CD": "2710"}


# -- taps ------------------------------------------------------------------------------------------------


def first_duty(page: Page) -> Locator:
    return page.locator(".duty").first


def throw(page: Page, mode: str) -> None:
    """One tap for the die: rolled, or what the real one shows."""
    name = "4" if mode == "physical" else "Roll 1d6"
    tap_away(first_duty(page).get_by_role("button", name=name, exact=True))


@pytest.mark.parametrize("mode", ["physical", "digital"])
def test_a_combat_with_nothing_on_record_within_its_taps(start_server, device, mode):
    """12.17-12.20: both players, aircraft that could defend, a chart nobody has copied: 8 taps and three digits."""
    table = Table(start_server(), "second-kharkov", "historical", **{"mode-dice": mode})
    table.do("table", "go-to", turn=4, phase="soviet-combat")
    table.do("table", "correct", name="air-free", value="2")
    screens = Screens(table, device, "soviet", "german")
    soviet, german = screens.phones["soviet"], screens.phones["german"]
    tap(soviet.get_by_role("link", name=re.compile("^Attack")), soviet.locator("#sheet .sheet"))
    for name, digits in (("Attack factors", "26"), ("Defence factors", "5")):
        soviet.get_by_label(name, exact=True).click()
        soviet.keyboard.type(digits)
    expect(soviet.locator("#sheet .foot-odds")).to_have_text("5:1")
    tap_away(sheet_of(soviet).get_by_role("button", name="Attack", exact=True))
    tap_away(german.get_by_role("button", name="None defend"))
    throw(soviet, mode)
    tap_away(soviet.locator(".result-entry").get_by_role("button", name="1/2", exact=True))
    tap_away(first_duty(german).get_by_role("button", name="Lose steps"))
    assert not table.sees("table")["asked"]
    taps, typed = screens.cost()
    assert taps <= 8 and typed == 3, (taps, typed)


@pytest.mark.parametrize("mode", ["physical", "digital"])
def test_a_combat_of_three_units_within_its_taps(start_server, device, mode):
    """12.17-12.23: one target, factors known: he falls back, a unit is lost, the other moves in; nothing is typed."""
    table = Table(start_server(), "second-kharkov", "historical", **{"mode-dice": mode})
    table.do("table", "go-to", turn=4, phase="soviet-combat")
    table.do("table", "correct", name="air-free", value="2")
    for name, side, hex_id, kind in (
        ("44 ID", "german", "2510", "infantry"),
        ("13 TC", "soviet", "2610", "rifle"),
        ("226 RD", "soviet", "2611", "rifle"),
    ):
        table.do("table", "add-unit", name=name, side=side, hex=hex_id, kind=kind)
        unit = next(u["id"] for u in table.sees(side)["units"] if u["name"] == name)
        table.do(side, "copy-counter", unit=unit, af=13, df=5)
    screens = Screens(table, device, "soviet", "german")
    soviet, german = screens.phones["soviet"], screens.phones["german"]
    tap(soviet.get_by_role("link", name=re.compile("^Attack")), soviet.locator("#sheet .sheet"))
    expect(soviet.locator("#sheet .foot-odds")).to_have_text("5:1")  # target and attackers are chosen already
    tap_away(sheet_of(soviet).get_by_role("button", name="Attack", exact=True))
    tap_away(german.get_by_role("button", name="None defend"))
    throw(soviet, mode)
    tap_away(soviet.locator(".result-entry").get_by_role("button", name="1/1", exact=True))
    tap_away(first_duty(german).get_by_role("button", name="Fall back, lose nothing"))
    tap_away(first_duty(soviet).get_by_role("button", name=re.compile("13 TC")))
    tap_away(first_duty(soviet).get_by_role("button", name="Advance"))
    assert not table.sees("table")["asked"]
    taps, typed = screens.cost()
    assert taps <= 9 and typed == 0, (taps, typed)


def test_one_tap_ticks_one_hex_of_an_exploitation(server, device):
    """12.22: the list is drawn again under the finger; what is ticked is what was tapped, and what is booked."""
    table = Table(server, "second-kharkov", "historical")
    table.do("table", "go-to", turn=4, phase="german-combat")
    for name, side, hex_id, kind in (
        ("23 Pz", "german", "2717", "panzer"),
        ("TB", "soviet", "2718", "tank"),
    ):
        table.do("table", "add-unit", name=name, side=side, hex=hex_id, kind=kind)
        unit = next(u["id"] for u in table.sees(side)["units"] if u["name"] == name)
        table.do(
            side, "copy-counter", unit=unit, af=30, df=5, **({"army": "6th Army"} if kind == "panzer" else {})
        )
    table.do("german", "resolve-combat", target="2718", attackers="german-23-pz", die="3")
    asked = table.sees("german")["asked"]
    if asked and asked[0]["action"] == "enter-result":
        table.do("german", "enter-result", result="0/1")
    table.do("german", "advance", units="german-23-pz")
    german = table.seat(device("small"), "german")
    hexes = first_duty(german).get_by_role("group", name="Hexes, in order")
    for tapped in ("2819", "2818"):
        hexes.get_by_role("checkbox", name=tapped, exact=True).click()
        expect(hexes.get_by_text(re.compile("^then ")).first).to_be_visible()
        expect(hexes.get_by_role("checkbox", checked=True)).to_have_count(1)
        expect(hexes.get_by_role("checkbox", name=tapped, exact=True)).to_be_checked()
        if tapped == "2819":
            hexes.get_by_role("checkbox", name=tapped, exact=True).click()
            expect(hexes.get_by_text(re.compile("^then "))).to_have_count(0)
    hexes.get_by_role("checkbox", name="then 2817", exact=True).click()
    expect(hexes.get_by_role("checkbox", checked=True)).to_have_count(2)
    tap_away(first_duty(german).get_by_role("button", name="Exploit"))
    assert next(u for u in table.sees("german")["units"] if u["name"] == "23 Pz")["place"] == "2817"
