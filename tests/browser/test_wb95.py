"""Kharkov 1942/1943 (WB-95) at the table: set-up in one tap, secret air missions on two phones, combats."""

import html
import json
import re
import urllib.request

from playwright.sync_api import Locator, Page, expect
from tablehand import Table, tap

ABORTED = ["htmx:sendAbort", "htmx:afterRequest"]
"""What the console says when the next tap overtakes a preview that is still on its way."""


def open_form(page: Page, label: str) -> None:
    page.expected_errors += ABORTED
    tap(page.get_by_role("link", name=re.compile(label)).first, page.locator("#sheet .sheet"))


def panel(page: Page, title: str) -> Locator:
    """What a game shows beside its actions: on a card of its own where it matters now, else folded into a line."""
    folded = f"#panel-{title.lower().replace(' ', '-')}"
    return page.locator(f'section[aria-label="{title}"], {folded}')


def tells(page: Page, title: str, label: str, value: str) -> None:
    """A line of a panel, its rule number apart."""
    line = panel(page, title).locator(".facts div").filter(has_text=label).first
    expect(line.locator("dd")).to_have_text(value)


def revision(page: Page) -> str:
    """How far the table is, as the server tells this device: not what it shows, which may be older."""
    found = re.search(r'data-rev="(\d+)"', page.request.get(page.url).text())
    assert found, page.url
    return found[1]


def press(page: Page, button: Locator, then: Locator | None = None) -> None:
    """Tap a button until the table has moved on, or `then` shows: after news buttons rest for a moment and swallow a tap."""
    before = revision(page)
    for _ in range(5):
        if button.count():
            button.click()
        for _ in range(30):
            if revision(page) != before or (then is not None and then.count()):
                return
            page.wait_for_timeout(100)
    raise AssertionError(f"nothing came of {button}")


def send(page: Page) -> None:
    """Send the open sheet, or the card that has just been filled in."""
    foot = page.locator("#sheet .sheet-foot .btn-primary:visible")
    press(page, foot if foot.count() else page.card.locator(".btn-primary:visible").first)
    expect(page.locator("#sheet .sheet")).to_have_count(0)


def answer(page: Page, what: str) -> None:
    """Find the first thing that waits for this seat; a long form is opened, a short one stands on its card."""
    page.expected_errors += ABORTED
    prompt = page.locator("#live").get_by_role("region", name="Waiting for you").filter(has_text=what).first
    expect(prompt).to_be_visible()
    page.card = prompt
    link, own = prompt.get_by_role("link"), prompt.get_by_text("or your own dice")
    if link.count():
        tap(link, page.locator("#sheet .sheet"))
    elif own.count():
        tap(own.first, prompt.locator(".dice-hand").first)


def choose_mission(page: Page, number: int, mission: str, hex_id: str, points: int) -> None:
    page.locator(f"[name=mission_{number}][value={mission}]").check(force=True)
    page.locator(f"[name=hex_{number}]").fill(hex_id)
    page.locator(f"[name=sp_{number}]").fill(str(points))


def events(table: Table, seat: str) -> str:
    """The whole record as the API tells it to a seat."""
    found, since = [], 0
    while True:
        request = urllib.request.Request(
            f"{table.server.url}/api/tables/{table.code}/events?since={since}",
            headers={"Authorization": f"Bearer {table.tokens[seat]}"},
        )
        with urllib.request.urlopen(request, timeout=10) as reply:
            body = reply.read().decode()
        found.append(body)
        rows = json.loads(body)["events"]
        if not rows:
            return "\n".join(found)
        since = rows[-1]["seq"]


def every_page(table: Table, page: Page, seat: str) -> str:
    """All that a device can load or ask for: its pages as they are sent, and the API's answers."""
    found = [page.content()]
    for path in ("", "/units", "/log", "/more", "/map", "/settings", "/export.json"):
        found.append(page.request.get(f"{table.server.url}/t/{table.code}/{seat}{path}").text())
    found.append(json.dumps(table.sees(seat)))
    for path in ("", "/actions", "/events"):
        request = urllib.request.Request(
            f"{table.server.url}/api/tables/{table.code}{path}",
            headers={"Authorization": f"Bearer {table.tokens[seat]}"},
        )
        with urllib.request.urlopen(request, timeout=10) as reply:
            found.append(reply.read().decode())
    # The dice's public commitment is random: by chance it may hold any hex number.
    return re.sub(r"[0-9a-f]{64}", "", "\n".join(found))


def test_air_missions_stay_sealed_until_both_have_chosen(server, device):
    """8.1.7: no other phone, nor the tablet, gets the hex or the mission before the reveal, in page or API."""
    table = Table(server, "wb95", "kharkov-1943")
    tablet = table.seat(device("tablet"), "table")
    german = table.seat(device("phone"), "german")
    soviet = table.seat(device("phone"), "soviet")
    expect(tablet.get_by_role("link", name=re.compile("Assign air missions"))).to_have_count(0)

    open_form(german, "Assign air missions")
    choose_mission(german, 1, "attack", "3517", 5)
    choose_mission(german, 2, "support", "3619", 3)
    send(german)
    expect(panel(german, "Air missions")).to_contain_text("3517, 5 SP")
    tells(tablet, "Air missions", "German", "chosen")
    tells(tablet, "Air missions", "Soviet", "still to choose")
    for page, seat in ((soviet, "soviet"), (tablet, "table")):
        seen = every_page(table, page, seat)
        assert "3517" not in seen and "3619" not in seen, seat
        assert "offensive support over" not in seen and '"attack", "3517"' not in seen
    assert table.sees("soviet")["my_sealed"] == {}

    # Nobody ends the phase over the other's head.
    soviet.expected_errors += ["409"]
    still = soviet.get_by_role("alert", name="Still to do")
    tap(soviet.get_by_role("button", name="Next phase"), still)
    expect(still).to_contain_text("air missions")

    open_form(soviet, "Assign air missions")
    choose_mission(soviet, 1, "support", "3618", 2)  # beside 3619: they meet in the air
    send(soviet)
    sky = panel(tablet, "In the air")
    for words in ("attack 5", "support 3", "support 2"):
        expect(sky).to_contain_text(words)
    expect(tablet.locator("[data-glow=track-air-german]")).to_contain_text("0")
    expect(tablet.locator("[data-glow=track-air-soviet]")).to_contain_text("1")

    # Air combat, then the air attack is asked for on the phone that flies it.
    answer(tablet, "Air combat: German 3 SP over 3619, Soviet 2 SP over 3618")
    dice_of(tablet, "German die").get_by_role("radio", name="4", exact=True).check()
    dice_of(tablet, "Soviet die").get_by_role("radio", name="1", exact=True).check()
    expect(tablet.locator("[data-use]:visible")).to_have_text("Use 4 and 1")
    send(tablet)
    expect(sky).not_to_contain_text("3618")
    answer(german, "air attack on 3517 with 5 SP")
    roll(german, "1 1")
    expect(german.locator(".battle-result")).to_have_text("-1")
    expect(tablet.get_by_role("region", name="This turn so far").locator(".logline").first).to_contain_text(
        "3517"
    )


def stay_out(attackers: Locator, hex_id: str) -> None:
    """Take those out who could attack and shall not."""
    boxes = attackers.get_by_role("checkbox", name=re.compile(rf"\({hex_id}\)"))
    expect(boxes.first).to_be_checked()
    for number in range(boxes.count()):
        boxes.nth(number).uncheck(force=True)
        attackers.page.wait_for_timeout(900)  # the form is drawn again after a tap
        expect(boxes.nth(number)).not_to_be_checked()


def german_falls_back(table: Table, german: Page, soviet: Page) -> None:
    """From the declared attack on 1905 to its end, each question on the phone it belongs to, in the order of 5.2.1."""
    answer(german, "join the defence")
    press(german, german.card.get_by_role("button", name="No", exact=True))
    answer(soviet, "roll for the attack on 1905")
    roll(soviet, "2 3")
    for page in (soviet, german):
        expect(page.locator(".battle-result")).to_have_text("• / D2")
    expect(german.locator(".phone-head")).to_contain_text("your answer")
    answer(german, "fall back 2 from 1905")
    expect(german.card.get_by_role("button", name="Fall back 1, lose 1 CEL")).to_be_visible()
    press(german, german.card.get_by_role("button", name="Fall back 2", exact=True))
    answer(german, "where to")
    press(german, german.card.get_by_role("button", name="To 1907"))
    answer(soviet, "may pursue into 1905")
    soviet.card.get_by_role("checkbox", name=re.compile("57 ARM-BR")).check(force=True)
    press(soviet, soviet.card.get_by_role("button", name="Pursue"))
    answer(soviet, "may pursue into 1905")  # the other one stays
    expect(soviet.card.get_by_role("checkbox")).to_have_count(0)
    press(soviet, soviet.card.get_by_role("button", name="No", exact=True))
    answer(soviet, "disorganisation test")
    roll(soviet, "1 2")
    answer(german, "disorganisation test")
    roll(german, "6 6")
    for page in (soviet, german):
        expect(page.get_by_role("region", name="Waiting for you")).to_have_count(0)


def test_combat_with_units_on_record(server, device):
    """Set up by one tap; target and attackers tapped; result, retreat, test and pursuit on the phones they belong to."""
    table = Table(server, "wb95", "kharkov-1942")
    tablet = table.seat(device("tablet"), "table")
    press(tablet, tablet.get_by_role("button", name=re.compile("Set up the scenario")))
    expect(tablet.locator("#toast")).to_contain_text("Kharkov 1942 is set up: 167 counters on the map")
    table.do("soviet", "assign-air", mission_1="support", hex_1="1905", sp_1=3)
    for _ in ("air", "movement"):
        table.do("soviet", "next-phase")
    for unit in table.sees("soviet")["units"]:
        if unit["place"] == "1904":
            table.do("soviet", "set-counter", unit=unit["id"], attack=6)
    for unit in table.sees("german")["units"]:
        if unit["place"] == "1905":
            table.do("german", "set-counter", unit=unit["id"], attack=3)
    soviet = table.seat(device("phone"), "soviet")
    german = table.seat(device("phone"), "german")
    expect(panel(soviet, "Attacks that must be made")).to_contain_text("1905")

    open_form(soviet, "^Attack")
    soviet.get_by_role("checkbox", name="1905 IF, must").check(force=True)
    attackers = soviet.get_by_role("group", name=re.compile("^Attackers"))
    chips = attackers.get_by_role("checkbox", name=re.compile(r"\(1904\)"))
    expect(chips).to_have_count(2)
    stay_out(attackers, "2005")
    for number in range(2):
        expect(chips.nth(number)).to_be_checked()  # whoever can attack is ticked
    sheet = soviet.locator("#sheet .breakdown")
    expect(sheet).to_contain_text("15 against 3")  # 6 + 6 and 3 from the air
    expect(sheet).to_contain_text("improved fortification")
    expect(sheet).to_contain_text("3:1")
    send(soviet)
    german_falls_back(table, german, soviet)

    places = {u["name"]: u["place"] for u in table.sees("soviet")["units"] if u["side"] == "soviet"}
    assert places["57 ARM-BR"] == "1905"
    assert "1905" not in {u["place"] for u in table.sees("german")["units"] if u["side"] == "german"}
    assert not table.sees("table")["hexes"].get("1905", {}).get("fort")  # 7.1.6: the enemy walked in


def test_a_refused_form_keeps_what_was_tapped(server, device):
    """A strength too many is refused; put right, it still meets the target and attackers tapped before."""
    table = Table(server, "wb95", "kharkov-1942")
    table.do("table", "set-up")
    table.do("soviet", "assign-air")
    for _ in ("air", "movement"):
        table.do("soviet", "next-phase")
    soviet = table.seat(device("phone"), "soviet")
    soviet.expected_errors += ["422"]
    open_form(soviet, "^Attack")
    soviet.get_by_role("checkbox", name="2307 IF, must").check(force=True)
    strengths = soviet.locator("[name=attack_sp]")
    strengths.fill("3 6 3")
    soviet.locator("#sheet .sheet-foot .btn-primary").click()
    expect(soviet.locator("#sheet")).to_contain_text("2 strengths are needed")
    strengths.fill("6 3")
    soviet.locator("[name=defence_sp]").fill("3")
    expect(soviet.locator("#sheet .breakdown")).to_contain_text("9 against 3")
    expect(soviet.get_by_role("checkbox", name="2307 IF, must")).to_be_checked()


def test_combat_by_bare_numbers(server, device):
    """No unit on record: strength typed, what else counts opened by a tap, losses noted."""
    table = Table(server, "wb95", "black-snow")
    for _ in ("air", "movement"):
        table.do("german", "next-phase")
    german = table.seat(device("small"), "german")
    open_form(german, "^Attack")
    expect(german.locator("[name=attack_artillery]")).to_have_attribute("type", "hidden")
    german.locator("[name=attack]").fill("20")
    german.locator("[name=defence]").fill("7")
    german.get_by_role("checkbox", name="forest").check(force=True)
    german.get_by_role("checkbox", name="artillery").check(force=True)
    german.get_by_role("spinbutton", name=re.compile("Artillery SP in attack")).fill("6")
    expect(german.locator("#sheet .breakdown")).to_contain_text("26 against 7")
    wide = german.evaluate("document.documentElement.scrollWidth")
    assert wide <= 360, wide
    roll(german, "5 6")
    expect(german.locator(".battle-result")).to_have_text("-1 / -1")  # 4:1 less 1 for the forest: 3:1, 11
    expect(german.locator("#sheet .sheet")).to_have_count(0)


def test_the_tablet_shows_all_twelve_phases(server, device):
    """However many are done: nothing of the strip is cut."""
    table = Table(server, "wb95", "kharkov-1942")
    tablet = table.seat(device("tablet"), "table")
    for phase in ("air-a", "strategic-a", "supply-b"):
        table.do("table", "go-to", turn=1, phase=phase)
        tablet.reload()
        wide = tablet.locator(".stepper").evaluate("strip => [strip.scrollWidth, strip.clientWidth]")
        assert wide[0] <= wide[1], (phase, wide)


def test_a_long_list_of_units_is_narrowed_by_typing(server, device):
    table = Table(server, "wb95", "kharkov-1942")
    table.do("table", "set-up")
    table.do("soviet", "assign-air")
    table.do("soviet", "next-phase")
    soviet = table.seat(device("phone"), "soviet")
    open_form(soviet, "Dig in")
    units = soviet.locator("#sheet .choice:visible")
    before = units.count()
    assert before > 40
    soviet.get_by_role("searchbox", name=re.compile("find by name or hex")).fill("arm 1904")
    expect(units).to_have_count(1)
    units.first.click()
    soviet.wait_for_timeout(800)  # the form is drawn again after a tap
    expect(soviet.get_by_role("checkbox", name=re.compile("57 ARM-BR"))).to_be_checked()
    soviet.get_by_role("searchbox").fill("1502")
    expect(units).to_have_count(2)  # the one that is ticked stays in sight
    send(soviet)
    expect(soviet.locator("#toast")).to_contain_text("1904: Fortification field (FF)")


# -- a whole day ----------------------------------------------------------------------------------------------


def phase_is(*pages: Page, day: int, name: str) -> None:
    for page in pages:
        expect(page.locator("h1").first).to_contain_text(f"Day {day} · {name}")


def end_phase(table: Table, page: Page, label: str = "End my phase") -> None:
    """Tap on when the screen has caught up: a tap on an older one is refused, as it should be."""
    expect(page.locator("#live")).to_have_attribute("data-rev", str(table.sees("german")["revision"]))
    page.expected_errors += ["409"]  # what is still to do is said first
    anyway = page.locator("#warning").get_by_role("button", name="End it anyway")
    before = revision(page)
    press(page, page.get_by_role("button", name=label), then=anyway)
    if revision(page) == before:
        press(page, anyway)


def open_line(page: Page, words: str) -> None:
    """Open the form of a line of the checklist, which is folded away on a phone."""
    line = page.locator(".checklist li", has_text=words).get_by_role("link")
    if not line.is_visible():
        tap(page.locator("#todo > summary"), line)
    tap(line, page.locator("#sheet .sheet"))


def tick_unit(page: Page, words: str) -> None:
    """Narrow a long list by typing and tick what is left."""
    page.locator("#sheet").get_by_role("searchbox").fill(words)
    left = page.locator("#sheet .choice:visible")
    expect(left).to_have_count(1)
    left.get_by_role("checkbox").check()


def dice_of(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name=re.compile(name))


def roll(page: Page, dice: str) -> None:
    for number, face in enumerate(dice.split(), 1):
        row = page.get_by_role("radiogroup", name=f"Die {number}")
        row.get_by_role("radio", name=face, exact=True).check()
    expect(page.locator("[data-use]:visible").first).to_have_text(re.compile(r"= \d+$"))
    send(page)


def logged(table: Table, page: Page, seat: str, *words: str) -> None:
    """What an act did stands in the log: no receipt has to be closed."""
    expect(page.locator("#live")).to_have_attribute("data-rev", str(table.sees("german")["revision"]))
    log = page.request.get(f"{table.server.url}/t/{table.code}/{seat}/log").text()
    for one in words:
        assert one in html.unescape(log), one


def place(table: Table, seat: str, name: str) -> str:
    return next(u["place"] for u in table.sees(seat)["units"] if u["name"] == name)


def new_table(server, tablet: Page) -> Table:
    """Open a table as a stranger does, from the lobby."""
    tablet.goto(server.url)
    tablet.get_by_role("link", name="New table").click()
    game = tablet.locator("#g-wb95")
    game.locator("summary").click()
    expect(game.get_by_role("link", name="Kharkov 1942")).to_contain_text("days 1-17")
    game.get_by_role("link", name="Kharkov 1942").click()
    tablet.get_by_role("button", name="Open the table").click()
    expect(tablet.get_by_role("heading", name="Sit down")).to_be_visible()
    links = tablet.locator("a[href*='/j/']").evaluate_all("all => all.map(a => a.href)")
    tokens = dict(zip(("german", "soviet"), (link.split("/")[-1] for link in links), strict=True))
    held = {cookie["name"]: cookie["value"] for cookie in tablet.context.cookies()}
    code = links[0].split("/")[-2]
    table = Table.opened(server, code, tokens | {"table": held[f"seats-{code}"]})
    tablet.get_by_role("link", name="To the table").click()
    expect(tablet.locator("#link")).to_have_text("live")
    return table


def test_the_twelfth_of_may_in_twelve_phases(start_server, device):
    """A day from the lobby to 13 May by taps alone, on a tablet and two phones."""
    server = start_server()  # of its own: strengths that other tables told are in the roster of all
    tablet = device("tablet")
    table = new_table(server, tablet)
    german = table.seat(device("phone"), "german")
    soviet = table.seat(device("phone"), "soviet")

    # Set up in one tap; the front line is suggested and confirmed.
    press(tablet, tablet.get_by_role("button", name="Set up the scenario"))
    expect(tablet.locator("#toast")).to_contain_text("167 counters on the map")
    open_form(tablet, "Say who holds the victory hexes")
    expect(tablet.get_by_role("group", name="German").get_by_role("checkbox", checked=True)).to_have_count(10)
    send(tablet)
    tells(tablet, "Victory", "VP", "German 10, Soviet 3")

    # 1 Air: the Germans have no points, so their phone waits and cannot end the phase.
    phase_is(german, soviet, day=1, name="Air")
    expect(panel(german, "Air missions")).to_contain_text("nothing to choose")
    expect(german.locator(".phone-head")).to_contain_text("Soviet to move")
    expect(german.get_by_role("button", name=re.compile("^Next phase"))).to_have_count(0)
    open_form(soviet, "Assign air missions")
    choose_mission(soviet, 1, "support", "1905", 3)
    expect(soviet.locator("#sheet")).to_contain_text("of 8 left today")
    choose_mission(soviet, 2, "attack", "1705", 4)
    assert "1705" not in json.dumps([table.sees("german")["sealed"], table.sees("german")["revealed"]])
    send(soviet)
    expect(panel(tablet, "In the air")).to_contain_text("support 3")
    answer(soviet, "air attack on 1705 with 4 SP")
    roll(soviet, "1 2")
    expect(tablet.locator("#live")).to_contain_text("no effect")
    expect(tablet.locator("[data-glow=track-air-soviet]")).to_contain_text("1")
    end_phase(table, soviet, "Next phase")

    # 2 Barrage is skipped with its reason. 3 Movement: a bridge, a trench, a unit set aside.
    phase_is(german, soviet, day=1, name="Movement")
    expect(tablet.locator(".stepper")).to_contain_text("no ammo units here (6.5.1)")
    expect(german.locator("#todo")).not_to_have_attribute("open", "")
    expect(german.locator(".head-awaits")).to_have_text("Soviet to move")
    expect(
        soviet.locator(".checklist li", has_text="German aircraft on the way").get_by_role("link")
    ).to_have_count(0)
    open_line(soviet, "Blow a bridge")
    soviet.get_by_role("radio", name="1602-1603").check()
    expect(soviet.locator("#sheet [name=hexes]")).to_have_count(0)
    send(soviet)
    logged(table, soviet, "soviet", "1602-1603: Bridge destroyed (demolished for 1 MP)")
    tells(german, "Bridges", "1602-1603", "destroyed")
    open_form(soviet, "Dig in")
    tick_unit(soviet, "293 INF")
    send(soviet)
    logged(table, soviet, "soviet", "1502: Fortification field (FF) (dug in)")
    open_form(soviet, "Mark for strategic move")
    tick_unit(soviet, "38 INF (1801)")
    send(soviet)
    end_phase(table, soviet)

    # 4 Attack: strengths typed because no counter was copied; retreat, test and pursuit each on its own phone.
    phase_is(german, soviet, day=1, name="Attack")
    expect(panel(soviet, "Attacks that must be made")).to_contain_text("1905")
    open_form(soviet, "^Attack")
    soviet.get_by_role("checkbox", name="1905 IF, must").check()
    attackers = soviet.get_by_role("group", name=re.compile("^Attackers"))
    stay_out(attackers, "2005")
    expect(soviet.locator("#sheet")).to_contain_text("244 INF, 57 ARM-BR: as printed")
    soviet.get_by_label("SP of each attacker").fill("6 6")
    soviet.get_by_label(re.compile("SP of each defender|Defence SP")).fill("3")
    expect(soviet.locator("#sheet .breakdown")).to_contain_text("15 against 3")
    send(soviet)
    german_falls_back(table, german, soviet)
    logged(
        table,
        soviet,
        "soviet",
        "57 ARM-BR: 1904 → 1905 (pursuit)",
        "1905: Fortification off (entered by the enemy)",
    )
    end_phase(table, soviet)

    # 5 Strategic movement: the unit set aside goes, entered as a line.
    phase_is(german, soviet, day=1, name="Strategic movement")
    tells(soviet, "Strategic movement", "38 INF", "1801")
    expect(panel(german, "Strategic movement")).to_have_count(0)
    soviet.get_by_role("link", name="Units").click()
    enter = soviet.get_by_role("link", name="Enter positions")
    for fold in soviet.locator("details:has(a:text('Enter positions')) > summary").all():
        if not enter.is_visible():
            tap(fold, enter)
    enter.click()
    soviet.locator("#entry-text").fill("38 INF 1802")
    soviet.get_by_role("button", name="Enter", exact=True).click()
    expect(soviet.locator("#entry-answer")).to_contain_text("38 INF: 1801 \u2192 1802")
    assert place(table, "soviet", "38 INF") == "1802"
    soviet.get_by_role("link", name="Now").click()
    end_phase(table, soviet)

    # 6 Supply: one pocket, level 1, no roll; an HQ stands ready for a bridge and the enemy hears nothing of it.
    phase_is(german, soviet, day=1, name="Supply")
    open_form(soviet, "Name who is cut off")
    expect(soviet.locator("#sheet")).to_contain_text("positions on record show nobody cut off")
    soviet.locator("#sheet [name=hexes]").fill("1502")
    send(soviet)
    logged(table, soviet, "soviet", "293 INF: Out of supply 1 (no line of supply)")
    expect(soviet.get_by_role("button", name="Check supply")).to_have_count(0)
    open_line(soviet, "An HQ at a big river")
    soviet.locator("#sheet select").select_option(label="HQ 21 Army (1601)")
    send(soviet)
    logged(table, soviet, "soviet", "HQ 21 Army: Bridge building ready")
    end_phase(table, soviet)

    # 7 Air again: the Soviets keep their last point; 8 is skipped; the German half begins.
    phase_is(german, soviet, day=1, name="Air")
    expect(german.get_by_role("button", name=re.compile("^Next phase"))).to_have_count(0)
    open_form(soviet, "Assign air missions")
    send(soviet)
    end_phase(table, german, "Next phase")

    # 9 Movement: an overrun with the unit that makes it; five shifts for the headquarters; the bridge stays a secret.
    phase_is(german, soviet, day=1, name="Movement")
    expect(soviet.locator(".phone-head")).to_contain_text("German to move")
    open_line(german, "Overrun guns or an HQ")
    german.locator("#sheet [name=hex]").fill("1601")
    german.locator("#sheet select[name=unit]").select_option(label="208/79 INF-R (1304)")
    send(german)
    logged(
        table,
        german,
        "german",
        "HQ 21 Army",
        ": 1601 → Eliminated (overrun)",
        "German shifts for a fallen HQ 5",
        "1304 → 1601 (overrun)",
    )
    for page, seat, told in ((soviet, "soviet", True), (german, "german", False), (tablet, "table", False)):
        seen = page.request.get(f"{server.url}/t/{table.code}/{seat}/log").text() + events(table, seat)
        assert ("Bridge building ready" in seen) is told, seat
        assert ("begin-bridge" in seen) is told, seat
        assert ('"marker":"bridgework"' in seen.replace(" ", "")) is told, seat
    end_phase(table, german)

    # 10 Attack: guns fire; the Soviet phone takes the loss.
    phase_is(german, soviet, day=1, name="Attack")
    expect(panel(german, "For a fallen headquarters")).to_contain_text("within 8 hexes of 1601")
    open_form(german, "Fire at range")
    german.locator("#sheet [name=target]").fill("1804")
    german.locator("#sheet [name=sp]").fill("6")
    expect(german.locator("#sheet .breakdown")).to_contain_text("column 6-8")
    roll(german, "5 6")
    answer(soviet, "lose 1 CEL at 1804")
    soviet.card.get_by_role("checkbox", name=re.compile("84 ARM-BR")).check(force=True)
    press(soviet, soviet.card.locator(".btn-primary:visible").last)
    logged(table, soviet, "soviet", "84 ARM-BR: 1 CEL")
    end_phase(table, german)

    # 11 Strategic movement: nobody. The battalion that rested through phase 10 is itself again.
    phase_is(german, soviet, day=1, name="Strategic movement")
    marks = {u["name"]: u["marks"] for u in table.sees("german")["units"] if u["side"] == "german"}
    assert "disorganised" not in marks["513/294 INF-R"]
    end_phase(table, german)

    # 12 Supply, from the tablet: both screens follow.
    phase_is(german, soviet, day=1, name="Supply")
    press(tablet, tablet.get_by_role("button", name=re.compile("^Check supply")))
    end_phase(table, tablet, "Next phase")

    # 13 May: new points, and each phone lists only its own reinforcements, to come in movement.
    phase_is(german, soviet, day=2, name="Air")
    expect(tablet.locator(".bar-date")).to_have_text("13 May 1942")
    expect(tablet.locator("[data-glow=track-air-german]")).to_contain_text("3")
    expect(tablet.locator("[data-glow=track-air-soviet]")).to_contain_text("7")
    for page, mine, theirs in (
        (german, "Romanian 20 INF", "III CAV"),
        (soviet, "III CAV", "Romanian 20 INF"),
    ):
        due = page.locator("#due")
        expect(due).to_contain_text(mine)
        expect(due).not_to_contain_text(theirs)
        expect(due.get_by_role("link")).to_have_count(0)
    for page in (german, soviet):
        open_form(page, "Assign air missions")
        send(page)
    end_phase(table, soviet, "Next phase")
    phase_is(german, soviet, day=2, name="Movement")
    tap(soviet.get_by_role("link", name="III CAV is in"), soviet.locator("#sheet .sheet"))
    soviet.locator("#sheet [name=hex]").fill("3401")
    send(soviet)
    assert place(table, "soviet", "III CAV") == "3401"
    expect(soviet.locator('#due, section[aria-label="Due now"]')).to_have_count(0)
    for page, width in ((tablet, 1024), (german, 390), (soviet, 390)):
        assert page.evaluate("document.documentElement.scrollWidth") <= width
