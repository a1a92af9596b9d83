"""Kharkov 1942/1943 (WB-95) at the table: set-up in one tap, secret air missions on two phones, combats."""

import json
import re
import urllib.request

from playwright.sync_api import Page, expect
from tablehand import Table

ABORTED = ["htmx:sendAbort", "htmx:afterRequest"]
"""What the console says when the next tap overtakes a preview that is still on its way."""


def open_form(page: Page, label: str) -> None:
    page.expected_errors += ABORTED
    page.get_by_role("link", name=re.compile(label)).first.click()
    expect(page.locator("#sheet .sheet")).to_be_visible()


def send(page: Page) -> None:
    page.locator("#sheet .sheet-foot button").click()
    expect(page.locator("#sheet .sheet[aria-label$=': done']")).to_be_visible()


def close(page: Page) -> None:
    page.locator("#sheet a[data-close]").last.click()
    expect(page.locator("#sheet .sheet")).to_have_count(0)


def answer(page: Page, what: str) -> None:
    """Open the form of the first thing that waits for this seat."""
    page.expected_errors += ABORTED
    prompt = page.locator("#live").get_by_role("region", name="Waiting for you").filter(has_text=what).first
    prompt.get_by_role("link").click()
    expect(page.locator("#sheet .sheet")).to_be_visible()


def choose_mission(page: Page, number: int, mission: str, hex_id: str, points: int) -> None:
    page.locator(f"[name=mission_{number}][value={mission}]").check(force=True)
    page.locator(f"[name=hex_{number}]").fill(hex_id)
    page.locator(f"[name=sp_{number}]").fill(str(points))


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
    return "\n".join(found)


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
    close(german)
    expect(german.get_by_role("region", name="Air missions")).to_contain_text("3517, 5 SP")
    waiting = tablet.get_by_role("region", name="Air missions")
    expect(waiting).to_contain_text(re.compile(r"German\s*chosen"))
    expect(waiting).to_contain_text(re.compile(r"Soviet\s*still to choose"))
    for page, seat in ((soviet, "soviet"), (tablet, "table")):
        seen = every_page(table, page, seat)
        assert "3517" not in seen and "3619" not in seen, seat
        assert "offensive support over" not in seen and '"attack", "3517"' not in seen
    assert table.sees("soviet")["my_sealed"] == {}

    # Nobody ends the phase over the other's head.
    soviet.get_by_role("button", name="Next phase").click()
    expect(soviet.locator("#toast")).to_contain_text("Soviet has not assigned its air missions")
    soviet.expected_errors += ["409"]

    open_form(soviet, "Assign air missions")
    choose_mission(soviet, 1, "support", "3618", 2)  # beside 3619: they meet in the air
    send(soviet)
    close(soviet)
    sky = tablet.get_by_role("region", name="In the air")
    for words in ("attack 5", "support 3", "support 2"):
        expect(sky).to_contain_text(words)
    expect(tablet.locator("[data-glow=track-air-german]")).to_contain_text("0")
    expect(tablet.locator("[data-glow=track-air-soviet]")).to_contain_text("1")

    # Air combat, then the air attack is asked for on the phone that flies it.
    answer(tablet, "Air combat: German 3 SP over 3619, Soviet 2 SP over 3618")
    tablet.locator("[name=german_die]").fill("4")
    tablet.locator("[name=soviet_die]").fill("1")
    send(tablet)
    close(tablet)
    expect(sky).not_to_contain_text("3618")
    answer(german, "air attack on 3517 with 5 SP")
    expect(german.locator("#sheet .breakdown")).to_contain_text("column 3-5")
    german.locator("[name=die]").fill("1 1")
    send(german)
    expect(german.locator("#sheet .breakdown-result")).to_have_text("-1")
    expect(soviet.get_by_role("region", name="Waiting for you")).to_contain_text("lose 1 CEL at 3517")


def test_combat_with_units_on_record(server, device):
    """Set up by one tap; target and attackers tapped; result, retreat, test and pursuit on the phones they belong to."""
    table = Table(server, "wb95", "kharkov-1942")
    tablet = table.seat(device("tablet"), "table")
    tablet.get_by_role("button", name=re.compile("Set up the scenario")).click()
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
    expect(soviet.get_by_role("region", name="Attacks that must be made")).to_contain_text("1905")

    open_form(soviet, "Resolve a combat")
    soviet.get_by_role("checkbox", name="1905 IF, must").check(force=True)
    attackers = soviet.get_by_role("group", name=re.compile("^Attackers"))
    chips = attackers.get_by_role("checkbox", name=re.compile(r"\(1904\)"))
    expect(chips).to_have_count(2)
    for number in range(2):
        chips.nth(number).check(force=True)
    sheet = soviet.locator("#sheet .breakdown")
    expect(sheet).to_contain_text("15 against 3")  # 6 + 6 and 3 from the air
    expect(sheet).to_contain_text("improved fortification")
    expect(sheet).to_contain_text("3:1")
    soviet.locator("[name=die]").fill("2 3")
    send(soviet)
    expect(soviet.locator("#sheet .breakdown-result")).to_have_text("• / D2")

    answer(german, "fall back 2 from 1905")
    expect(german.get_by_role("radio", name="1 back, pay 1 CEL")).to_be_visible()
    german.get_by_role("radio", name="2 back").check(force=True)
    german.locator("#sheet [name=to]").fill("1907")
    send(german)
    expect(german.locator("#sheet")).to_contain_text("disorganisation test")
    close(german)
    answer(german, "disorganisation test")
    german.locator("[name=die]").fill("6 6")
    send(german)
    expect(german.locator("#sheet")).to_contain_text("1 of 1 disorganised")

    close(soviet)
    answer(soviet, "may pursue into 1905")
    soviet.get_by_role("checkbox", name=re.compile("ARM-BR .1904.")).check(force=True)
    soviet.locator("#sheet [name=to]").fill("1905")
    send(soviet)
    places = {u["name"]: u["place"] for u in table.sees("soviet")["units"] if u["side"] == "soviet"}
    assert places["57 ARM-BR"] == "1905"
    assert "1905" not in {u["place"] for u in table.sees("german")["units"] if u["side"] == "german"}
    assert not table.sees("table")["hexes"].get("1905", {}).get("fort")  # 7.1.6: the enemy walked in


def test_combat_by_bare_numbers(server, device):
    """No unit on record: strength typed, what else counts opened by a tap, losses noted."""
    table = Table(server, "wb95", "black-snow")
    for _ in ("air", "movement"):
        table.do("german", "next-phase")
    german = table.seat(device("small"), "german")
    open_form(german, "Resolve a combat")
    expect(german.locator("[name=attack_artillery]")).to_have_attribute("type", "hidden")
    german.locator("[name=attack]").fill("20")
    german.locator("[name=defence]").fill("7")
    german.get_by_role("checkbox", name="forest").check(force=True)
    german.get_by_role("checkbox", name="artillery").check(force=True)
    german.get_by_role("spinbutton", name=re.compile("Artillery SP in attack")).fill("6")
    expect(german.locator("#sheet .breakdown")).to_contain_text("26 against 7")
    wide = german.evaluate("document.documentElement.scrollWidth")
    assert wide <= 360, wide
    german.locator("[name=die]").fill("5 6")
    send(german)
    expect(german.locator("#sheet .breakdown-result")).to_have_text(
        "-1 / -1"
    )  # 4:1 less 1 for the forest: 3:1, 11
    german.locator("#sheet").get_by_role("link", name="Lose CEL").click()
    german.locator("#sheet .sheet-foot button").click()
    expect(german.locator("#sheet")).to_contain_text("German loses 1 CEL")


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
    expect(soviet.locator("#sheet")).to_contain_text("1904: Fortification ff")
