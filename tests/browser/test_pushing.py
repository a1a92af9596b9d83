"""A tap costs the other screens no request: what changed comes down their streams, and a page that fell behind asks."""

import re

from playwright.sync_api import Page, expect
from tablehand import Table, tap


def asked_by(page: Page, table: Table) -> list[str]:
    """What the page asks of the table from now on, its stream aside."""
    found: list[str] = []
    mine = re.compile(rf"/t/{table.code}/[a-z]+(\?|/do/|$)")
    page.on("request", lambda r: found.append(f"{r.method} {r.url}") if mine.search(r.url) else None)
    return found


def test_what_somebody_else_does_comes_down_the_stream(toy_server, device):
    table = Table(toy_server, "toy", "skirmish", **{"mode-dice": "digital"})
    table.do("table", "set-up")
    tablet = table.seat(device("tablet"), "table")
    red, blue = (table.seat(device("phone"), seat) for seat in ("red", "blue"))
    asked = {page: asked_by(page, table) for page in (tablet, red, blue)}
    for _ in range(3):
        table.do("table", "next-phase")
        title = table.sees("red")["phase"]["name"]
        expect(red.locator(".phone-head")).to_contain_text(title)
        expect(tablet.locator("#phase")).to_contain_text(title)
    revision = str(table.sees("red")["revision"])
    for page in (tablet, red, blue):
        expect(page.locator("#live")).to_have_attribute("data-rev", revision)
        expect(page.locator("#link")).to_have_text("live")
        assert asked[page] == [], "nobody had to ask"


def test_one_s_own_tap_is_one_request(toy_server, device):
    table = Table(toy_server, "toy", "skirmish", **{"mode-dice": "digital"})
    table.do("table", "set-up")
    red, blue = (table.seat(device("phone"), seat) for seat in ("red", "blue"))
    asked = {page: asked_by(page, table) for page in (red, blue)}
    before = table.sees("red")["revision"]
    die = red.get_by_role("button", name="Roll", exact=False).first
    die.click()
    for page in (red, blue):
        expect(page.locator("#live")).not_to_have_attribute("data-rev", str(before))
    assert len(asked[red]) == 1 and asked[red][0].startswith("POST") and asked[blue] == []


def test_a_sheet_s_outcome_comes_without_a_second_request(toy_server, device):
    table = Table(toy_server, "toy", "skirmish", **{"mode-dice": "digital"})
    table.do("table", "set-up")
    table.do("table", "next-phase")
    red = table.seat(device("phone"), "red")
    tap(red.get_by_role("link", name="Attack"), red.locator("#sheet form"))
    red.locator("#sheet [name=hex]").fill("0505")
    red.locator("#sheet [name=column]").first.click() if red.locator("#sheet [name=column]").count() else None
    asked = asked_by(red, table)
    red.locator("#sheet button.btn-primary").first.click()
    expect(red.locator(".battle")).to_be_visible()
    assert [one.split()[0] for one in asked] == ["POST"]


def test_a_page_that_shows_something_else_asks(toy_server, device):
    table = Table(toy_server, "toy", "skirmish", **{"mode-dice": "digital"})
    table.do("table", "set-up")
    red = table.seat(device("phone"), "red")
    table.do("table", "next-phase")
    expect(red.locator("#live")).to_have_attribute("data-rev", str(table.sees("red")["revision"]))
    asked = asked_by(red, table)
    red.evaluate("document.getElementById('live').dataset.rev = '1'")  # as if an answer had been lost
    table.do("table", "next-phase")
    expect(red.locator("#live")).to_have_attribute("data-rev", str(table.sees("red")["revision"]))
    assert any(one.startswith("GET") for one in asked)
