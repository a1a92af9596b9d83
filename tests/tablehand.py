"""What browser tests do over and over: open a table and seat its devices."""

from __future__ import annotations

import json
import urllib.request

from playwright.sync_api import Locator, Page, expect


def tap(link: Locator, then: Locator) -> None:
    """Tap as a player would: again, when news changed the button under the finger and it rested instead."""
    for _ in range(4):
        if then.is_visible():
            return
        link.click()
        try:
            expect(then).to_be_visible(timeout=4_000)
        except AssertionError:
            continue
        return
    expect(then).to_be_visible()


class Table:
    """A table opened through the API, with windows for its seats."""

    def __init__(self, server, system: str, scenario: str, **options) -> None:
        self.server = server
        body = json.dumps({"system": system, "scenario": scenario, "options": options}).encode()
        request = urllib.request.Request(
            f"{server.url}/api/tables", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            found = json.load(answer)
        self.code, self.tokens = found["code"], found["seats"]

    def seat(self, page: Page, seat: str) -> Page:
        """Sit down by the seat's link, as if its QR code had been scanned."""
        page.goto(f"{self.server.url}/j/{self.code}/{self.tokens[seat]}")
        expect(page.locator("#link")).to_have_text("live")
        return page

    def do(self, seat: str, action: str, **fields) -> dict:
        """Play on through the API, to come to the moment a test is about."""
        url = f"{self.server.url}/api/tables/{self.code}"
        headers = {"Authorization": f"Bearer {self.tokens[seat]}", "Content-Type": "application/json"}
        if action == "next-phase":
            fields.setdefault("anyway", True)  # a test comes to its moment, whatever is owed on the way
        if action in {"next-phase", "go-to", "end-game"}:
            with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as answer:
                fields["revision"] = json.load(answer)["revision"]
        request = urllib.request.Request(f"{url}/actions/{action}", json.dumps(fields).encode(), headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def sees(self, seat: str) -> dict:
        """The table as a seat's view, from the API."""
        request = urllib.request.Request(
            f"{self.server.url}/api/tables/{self.code}",
            headers={"Authorization": f"Bearer {self.tokens[seat]}"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)
