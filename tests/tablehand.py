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
        body = json.dumps({"system": system, "scenario": scenario, "options": options}).encode()
        request = urllib.request.Request(
            f"{server.url}/api/tables", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            found = json.load(answer)
        self._sit_at(server, found["code"], found["seats"])

    @classmethod
    def opened(cls, server, code: str, tokens: dict[str, str]) -> Table:
        """A table that somebody opened by hand."""
        table = cls.__new__(cls)
        table._sit_at(server, code, tokens)
        return table

    def _sit_at(self, server, code: str, tokens: dict[str, str]) -> None:
        self.server, self.code, self.tokens = server, code, tokens
        self.windows: list[Page] = []

    def seat(self, page: Page, seat: str) -> Page:
        """Sit down by the seat's link, as if its QR code had been scanned."""
        page.goto(f"{self.server.url}/j/{self.code}/{self.tokens[seat]}")
        expect(page.locator("#link")).to_have_text("live")
        self.windows.append(page)
        return page

    def rest(self) -> None:
        """Wait until no tap of a window is under way: only then does the API tell what the tap came to."""
        for page in self.windows:
            if not page.is_closed():
                expect(page.locator(".htmx-request")).to_have_count(0)

    def do(self, seat: str, action: str, **fields) -> dict:
        """Play on through the API, to come to the moment a test is about."""
        self.rest()
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
        self.rest()
        request = urllib.request.Request(
            f"{self.server.url}/api/tables/{self.code}",
            headers={"Authorization": f"Bearer {self.tokens[seat]}"},
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)
