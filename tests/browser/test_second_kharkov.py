"""Second Kharkov at the table: a combat from preview to booked losses, on phones and on the tablet."""

import re

import pytest
from playwright.sync_api import Page, expect
from tablehand import Table


def fill_in(page: Page, attack: int, defence: int, terrain: str) -> None:
    page.get_by_role("link", name=re.compile("Resolve a combat")).click()
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

    # A real die is typed in; the printed example's result follows.
    page.get_by_label(re.compile("I rolled 1d6")).fill("3")
    page.get_by_role("button", name="Roll 1d6").last.click()
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
    soviet.get_by_role("link", name="Soviet losses").click()
    soviet.get_by_role("button", name="Soviet losses").click()
    expect(tablet.locator("[data-glow=track-vp-german]")).to_contain_text("1")


def test_a_blank_cell_is_read_off_the_printed_chart(server, device):
    table = Table(server, "second-kharkov", "historical")
    table.do("soviet", "next-phase")
    soviet = table.seat(device("phone"), "soviet")
    tablet = table.seat(device("tablet"), "table")
    fill_in(soviet, 8, 8, "clear")
    soviet.get_by_label(re.compile("I rolled 1d6")).fill("4")
    soviet.get_by_role("button", name="Roll 1d6").last.click()
    asked = tablet.get_by_role("region", name="Waiting for you")
    expect(asked).to_contain_text("column 1:1, row 3")
    asked.get_by_role("button", name="1/1").click()
    expect(tablet.get_by_role("region", name="Last events")).to_contain_text("Combat at 1:1: 1/1")


def test_nobody_sees_an_untried_unit_before_its_battle(server, device):
    """2.14: even when its factors were typed in by mistake, no page shows them."""
    table = Table(server, "second-kharkov", "historical")
    table.do("soviet", "set-up")
    german, soviet = (table.seat(device("phone"), side) for side in ("german", "soviet"))
    for page, side in ((german, "german"), (soviet, "soviet")):
        page.goto(f"{server.url}/t/{table.code}/{side}/units")
        expect(page.get_by_text("untried").first).to_be_visible()
        assert "AF" not in page.locator(".side-soviet .unit-more").first.inner_text()
