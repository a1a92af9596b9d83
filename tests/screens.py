"""The three screens of a table in a real browser: what they show, what fingers do on them, and how often.

COMPANION_SHOTS=folder keeps a picture of every screen at every step, to be looked at.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect
from tablehand import Table, tap

SHOTS = os.environ.get("COMPANION_SHOTS", "")
COUNTER = """
const count = (name, by) => sessionStorage.setItem(name, by + Number(sessionStorage.getItem(name) || 0));
const typed = new WeakMap();
const words = (e) => (e?.getAttribute("aria-label") || e?.innerText || e?.labels?.[0]?.innerText || "?");
addEventListener("pointerdown", (event) => {
  count("taps", 1);
  const tapped = words(event.target.closest("a, button, summary, label, input")).replace(/\\s+/g, " ").trim().slice(0, 40);
  sessionStorage.setItem("trail", `${sessionStorage.getItem("trail") || ""}${Date.now()} ${tapped}\\n`);
}, true);
addEventListener("input", (event) => {
  if (!event.target.matches("input:not([type=radio], [type=checkbox]):focus, textarea:focus")) return;
  const now = event.target.value.length, before = typed.get(event.target) || 0;
  const keys = event.inputType === "insertText" ? event.data.length : event.inputType ? 1 : Math.max(0, now - before);
  count("typed", keys);
  typed.set(event.target, now);
}, true);
"""
"""Counts what fingers do on a device, across its pages."""


class Screens:
    """The three devices of a table, the attacker's phone before the defender's."""

    def __init__(self, table: Table, device, *sides: str) -> None:
        self.table = table
        seats = dict(zip(("table", *sides), ("tablet", "phone", "small"), strict=True))
        pages = {seat: device(size) for seat, size in seats.items()}
        for page in pages.values():
            page.add_init_script(COUNTER)
        self.tablet = table.seat(pages.pop("table"), "table")
        self.phones = {side: table.seat(page, side) for side, page in pages.items()}
        self.step = 0

    def all(self) -> dict[str, Page]:
        return {"table": self.tablet, **self.phones}

    def shot(self, name: str) -> None:
        """A picture of every screen, where pictures are wanted."""
        self.step += 1
        if SHOTS:
            test = re.sub(r".*::test_|chromium-|\]? .*", "", os.environ["PYTEST_CURRENT_TEST"]).replace(
                "[", "-"
            )
            for seat, page in self.all().items():
                page.screenshot(path=Path(SHOTS) / test / f"{self.step:02d}-{name}-{seat}.png")

    def stands(self, *words: str) -> None:
        """The battle stands on every screen, with these words, and nowhere is a sheet left to close."""
        for page in self.all().values():
            for word in words:
                expect(page.locator(".battle").first).to_contain_text(word, ignore_case=True)
            expect(page.locator("#sheet .sheet")).to_have_count(0)

    def waits(self, side: str, words: str) -> None:
        """Whoever is not asked reads whom he waits for, and what for; a question is no question there."""
        words = words.removesuffix("?")
        for seat, page in self.all().items():
            if seat != side:
                expect(page.locator(".bar-awaits, .phone-head").first).to_contain_text(
                    words, ignore_case=True
                )

    def sources(self, *seats: str) -> str:
        """Everything that seats are sent of the table, by page and by API."""
        found = []
        for seat in seats:
            page = self.all()[seat]
            for path in ("", "/units", "/log", "/map", "/more"):
                reply = page.request.get(f"{self.table.server.url}/t/{self.table.code}/{seat}{path}")
                assert reply.ok, (seat, path)
                found.append(reply.text())
            found += [page.content(), json.dumps(self.table.sees(seat))]
        return "\n".join(found)

    def forget(self) -> None:
        """Count from here."""
        for page in self.all().values():
            page.evaluate("() => ['taps', 'typed', 'trail'].forEach(name => sessionStorage.removeItem(name))")

    def trail(self) -> list[str]:
        """What was tapped and by whom, in order."""
        found = []
        for seat, page in self.all().items():
            lines = str(page.evaluate("() => sessionStorage.getItem('trail') || ''")).splitlines()
            found += [(*line.partition(" ")[::2], seat) for line in lines]
        return [f"{seat}: {tapped}" for _, tapped, seat in sorted(found)]

    def cost(self) -> tuple[int, int]:
        """The taps on all devices, and the characters typed."""
        script = "name => Number(sessionStorage.getItem(name) || 0)"
        taps, typed = (sum(p.evaluate(script, n) for p in self.all().values()) for n in ("taps", "typed"))
        return taps, typed


def roll(page: Page | Locator, mode: str, *faces: int) -> None:
    """Let the companion roll, or tap what the real dice show."""
    if mode == "digital":
        page.get_by_role("button", name=re.compile("^Roll")).first.click()
        return
    one = page.get_by_role("button", name=str(faces[0]), exact=True)
    if len(faces) == 1 and one.count():  # on a card one tap says what one die shows
        one.first.click()
        return
    for number, face in enumerate(faces, 1):
        name = "Die" if len(faces) == 1 else f"Die {number}"
        page.get_by_role("radiogroup", name=name).first.get_by_role(
            "radio", name=str(face), exact=True
        ).check()
    page.get_by_role("button", name=re.compile("^Use")).first.click()


def answer(page: Page, mode: str, code: str, which: str = ".duty", patience: int = 2_000) -> bool:
    """Answer the first thing that a phone is asked, with what stands on the card; False when it is asked nothing.

    :param code: what is read off a printed chart
    """
    duty = page.locator(which).first
    try:
        expect(duty).to_be_visible(timeout=patience)  # what another screen shows may not be here yet
    except AssertionError:
        return False
    name = duty.get_attribute("id")
    codes = duty.locator(".result-entry button")
    chips = duty.locator(
        "fieldset:not(:has([data-fill])):not(:has-text('Only these')) input[type=checkbox]:visible"
    )
    if codes.count():
        wanted = codes.filter(has_text=re.compile(f"^{re.escape(code)}$"))
        (wanted if wanted.count() else codes).first.click()
    elif duty.locator(".duty-row-map").count():  # a reminder of something done on the map
        duty.get_by_role("button", name="Done", exact=True).click()
    elif duty.locator("a.btn-primary").count():
        tap(duty.locator("a.btn-primary").first, page.locator("#sheet .sheet"))
        finish(page.locator("#sheet"), mode)
    else:
        helped = duty.locator(".field-help")
        told = re.search(r"\d+", helped.first.inner_text()) if chips.count() and helped.count() else None
        for number in range(min(chips.count(), int(told[0]) if told else 1)):
            chips.nth(number).check()
        finish(duty, mode)
    expect(page.locator(f"#{name}")).to_have_count(0)
    return True


def finish(form: Locator, mode: str) -> None:
    """Tap the dice in where there are any, and the first hex where one is asked, then the button."""
    for offered in form.locator(".choices:has([data-fill])").all():
        if not offered.locator("[aria-pressed=true]").count():
            offered.locator("[data-fill]").first.click()
    for row in form.get_by_role("radiogroup").all():
        if row.is_visible() and not row.locator("input:checked").count():
            row.get_by_role("radio").nth(2).check()
    for row in form.locator("fieldset:not([data-dice]):has(input[type=radio][required])").all():
        if not row.locator("input:checked").count():
            row.get_by_role("radio").first.check()
    use = form.get_by_role("button", name=re.compile("^Use"))
    (
        use
        if mode == "physical" and use.count()
        else form.locator(".duty-answers button, .sheet-foot button")
    ).first.click()


def play_out(screens: Screens, mode: str, code: str = "", most: int = 16) -> int:
    """Answer on the phones whatever a battle asks, until nothing of it is open; how many answers it took."""
    taken = 0
    while screens.table.sees("table")["asked"]:
        assert taken < most, (
            f"the battle does not end: {[a['text'] for a in screens.table.sees('table')['asked']]}"
        )
        for page in screens.phones.values():
            page.wait_for_timeout(300)
            if answer(page, mode, code):
                taken += 1
                screens.shot(f"answer-{taken}")
    for page in screens.all().values():
        expect(page.locator(".battle:not(.battle-over) .duty")).to_have_count(0)
        expect(page.locator("#sheet .sheet")).to_have_count(0)
    return taken


def hand(table: Table, side: str) -> list[str]:
    """The cards that a side holds, as its own phone names them."""
    pile = next(p for p in table.sees(side)["piles"] if p["id"] == f"{side}-cards")
    return [t["id"] for z in pile["zones"] if z["zone"] == f"hand:{side}" for t in z["tokens"]]
