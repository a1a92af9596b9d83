"""Enemy Action: Kharkov at the table: two phones with hidden hands, and a tablet that shows only what is public.

The owner's book is SYNTHETIC: names, values and faces are made up by this test; only the counts are the rulebook's.
"""

from __future__ import annotations

import json
import re
import urllib.parse
import urllib.request

import pytest
from playwright.sync_api import Locator, Page, expect
from tablehand import Table, tap

SYSTEM = "enemy-action-kharkov"
SIDES = ("soviet", "german")
EVERY_PAGE = ("units", "log", "map", "more", "settings", "takedown", "export.json")
LATE = {"soviet": range(18, 23), "german": [n for n in range(28, 46) if n not in (28, 29, 30, 31, 41)]}


def synthetic_book() -> dict[str, dict[str, str]]:
    """45 cards with the rulebook's counts (Soviet 6/11/5, German 5/5/13), sixty equal chits, a calendar."""
    cards: dict[str, str] = {}
    for n in range(1, 46):
        side = "soviet" if n <= 22 else "german"
        row = {
            "kind": "primary" if n <= 6 or 23 <= n <= 27 else "supplemental",
            "turn": "3" if n in LATE[side] else "0",
            "name": f"Synthetic {side} card {n}",
            "value": str(n % 5 + 1),
            "type": "army" if side == "soviet" else "german army",
            "events": "air supply, engineers",
            "tactics": "artillery, combat engineers",
        }
        cards |= {f"P{n:02d}|{column}": value for column, value in row.items()}
    chits: dict[str, str] = {}
    for n in range(1, 61):
        face = {"front": "terrain", "front_detail": "clear", "front_hits": "A1 D1"}
        face |= {"back": "terrain", "back_detail": "city", "back_hits": "A1"}
        chits |= {f"C{n:02d}|{column}": value for column, value in face.items()}
        if n <= 3:
            chits[f"C{n:02d}|dark"] = "yes"
    calendar = {
        f"{turn}|{column}": value
        for turn in range(2, 15)
        for column, value in (
            ("soviet_supplementals", "6"),
            ("german_supplementals", "4"),
            ("german_hand", "5"),
        )
    }
    return {"book/cards": cards, "book/chits": chits, "book/calendar": calendar}


def fill_in_the_book(server) -> None:
    """Import it as a shared book, the way an owner gets one from a friend."""
    shared = {
        "kind": "kharkov-companion chart book",
        "format": 1,
        "system": SYSTEM,
        "sheets": synthetic_book(),
        "rosters": {},
        "map": {},
    }
    body = urllib.parse.urlencode({"text": json.dumps(shared)}).encode()
    headers = {"Origin": server.url, "Cookie": f"book-key={server.book_key()}"}
    request = urllib.request.Request(f"{server.url}/book/{SYSTEM}/share", body, headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.status == 200


class Evening:
    """A table with a filled book, its three devices, and what nobody else may learn."""

    def __init__(self, server, device, scenario: str = "campaign") -> None:
        fill_in_the_book(server)
        self.table = Table(server, SYSTEM, scenario)
        self.tablet = self.table.seat(device("tablet"), "table")
        self.phones = {side: self.table.seat(device("phone"), side) for side in SIDES}
        self.url = f"{server.url}/t/{self.table.code}"
        self.api = f"{server.url}/api/tables/{self.table.code}"

    def hand(self, side: str) -> list[str]:
        piles = {p["id"]: p for p in self.table.sees(side)["piles"]}
        zone = next(z for z in piles[f"{side}-cards"]["zones"] if z["zone"] == f"hand:{side}")
        return [token["id"] for token in zone["tokens"]]

    def end_impulse(self, side: str) -> None:
        """The big button, once the phone shows the latest state: ending on an old one is refused."""
        page, now = self.phones[side], self.table.sees(side)["revision"]
        expect(page.locator("#live")).to_have_attribute("data-rev", str(now))
        page.get_by_role("button", name=re.compile("End the impulse")).click()
        expect(page.get_by_text("Waiting for the other side")).to_be_visible()

    def everything_else(self, side: str, pages: tuple[str, ...]) -> dict[str, str]:
        """What other seats are sent: pages, exports and API answers."""
        other = next(s for s in SIDES if s != side)
        found = {}
        for seat, page in (("table", self.tablet), (other, self.phones[other]), ("watch", self.tablet)):
            for path in [seat, *(f"{seat}/{p}" for p in pages if seat != "watch" or p in ("units", "log"))]:
                answer = page.request.get(f"{self.url}/{path}")
                assert answer.ok, (path, answer.status)
                found[path] = answer.text()
        for seat in ("table", other):
            headers = {"Authorization": f"Bearer {self.table.tokens[seat]}"}
            for path in ("", "/events", "/actions"):
                request = urllib.request.Request(self.api + path, headers=headers)
                with urllib.request.urlopen(request, timeout=10) as answer:
                    found[f"api {seat}{path}"] = answer.read().decode()
        return found

    def keep_secrets(self, *pages: str) -> None:
        """No card in a hand is named in anything that another seat gets, and no other seat may open it."""
        for side in SIDES:
            hand = self.hand(side)
            assert hand
            for where, text in self.everything_else(side, pages).items():
                for card in hand:
                    name = f"Synthetic {side} card {int(card[1:])}"
                    assert not re.search(rf"\b{card}\b|{name}\b", text), (side, card, where)
            other = next(s for s in SIDES if s != side)
            path = f"{self.url}/{other}/card/{side}-cards/{hand[0]}"
            assert not self.phones[other].request.get(path).ok


def close(page: Page) -> None:
    page.locator("#sheet").get_by_role("link", name="Close").click()
    expect(page.locator("#sheet .sheet")).to_have_count(0)


def submit(page: Page, label: str) -> None:
    """Send the sheet's form and wait for its answer."""
    page.locator("#sheet .sheet-foot").get_by_role("button", name=label, exact=True).click()
    expect(page.locator("#sheet .sheet")).to_have_count(0)


def follow(page: Page, label: str) -> None:
    """Go on to the next question right in the sheet."""
    page.locator("#sheet").get_by_role("link", name=label, exact=True).click()
    expect(page.locator("#sheet .sheet-foot").get_by_role("button", name=label, exact=True)).to_be_visible()


def play(page: Page, card: str, what: str) -> Locator:
    """Tap a card of the hand and one of the things it can be played as; the form is returned."""
    page.locator("#hand .hand-card", has_text=card).click()
    page.locator("#sheet").get_by_role("link", name=what, exact=True).click()
    form = page.locator("#sheet form")
    expect(form).to_be_visible()
    return form


def command(page: Page, card: str, what: str, choice: str) -> None:
    """Play a card as a command, naming a formation or an event."""
    form = play(page, card, what)
    form.locator("label.choice", has_text=choice).click()
    submit(page, "Play as command")
    close(page)


def asked(page: Page, text: str) -> Locator:
    found = page.get_by_role("region", name="Waiting for you").filter(has_text=text).first
    expect(found).to_be_visible()
    return found


@pytest.mark.xfail(
    reason="drives the screens of before answers stood on cards; the battle itself is played in test_battles.py",
    run=False,
)
def test_three_impulses_and_a_combat_with_hidden_hands(start_server, device):
    evening = Evening(start_server(), device)
    tablet, soviet, german = evening.tablet, evening.phones["soviet"], evening.phones["german"]

    # One tap prepares and deals; the tablet shows backs and counts.
    tablet.get_by_role("button", name=re.compile("Next phase")).click()
    tablet.get_by_role("button", name=re.compile("Prepare the cards")).click()
    expect(soviet.locator("#hand .hand-card")).to_have_count(5)
    expect(german.locator("#hand .hand-card")).to_have_count(4)
    decks = tablet.get_by_role("region", name="Cups and decks")
    expect(decks).to_contain_text("7 draw pile")
    expect(tablet.locator(".hand-card")).to_have_count(0)
    evening.keep_secrets(*EVERY_PAGE)
    tablet.get_by_role("button", name=re.compile("Next phase")).click()
    expect(tablet.get_by_role("heading", level=1)).to_contain_text("Command")

    # A covered hand stays covered while the table moves on.
    german.get_by_role("button", name="Cover").click()
    expect(german.locator("#hand")).to_have_class(re.compile("hand-covered"))

    # First impulse: an activation, laid open for all.
    mine = evening.hand("soviet")
    expect(soviet.get_by_role("button", name=re.compile("End my phase|Next phase"))).to_have_count(0)
    command(soviet, mine[0], "Activate", "40th Army")
    impulse = tablet.get_by_role("region", name="Impulse")
    expect(impulse).to_contain_text(mine[0])
    expect(impulse).to_contain_text("Activate: 40th Army")
    expect(german.locator("#hand")).to_have_class(re.compile("hand-covered"))
    german.reload()
    expect(german.locator("#hand")).to_have_class(re.compile("hand-covered"))
    german.get_by_role("button", name="Uncover").click()
    expect(german.locator("#hand")).not_to_have_class(re.compile("hand-covered"))

    # A combat: the sheet answers while it is filled in.
    soviet.get_by_role("link", name=re.compile("Declare a combat")).first.click()
    expect(soviet.locator("#sheet label", has_text="Defending steps")).to_have_text("Defending steps")
    for label, value in (("Attackers of 1 or 2", "3"), ("Defending steps", "2"), ("Attack strength", "9")):
        soviet.get_by_role("spinbutton", name=re.compile(label)).fill(value)
    soviet.get_by_role("spinbutton", name=re.compile("Defence strength")).first.fill("3")
    soviet.locator("#sheet label.choice", has_text="Clear").click()
    expect(soviet.locator("#sheet .breakdown-result")).to_have_text("2 required, 3 at most")
    submit(soviet, "Declare a combat")
    asked(soviet, "Attacker: play tactics")
    close(soviet)

    # Tactics, attacker first; the defender is asked when the attacker is done.
    expect(german.get_by_role("region", name="Waiting for you")).to_have_count(0)
    play(soviet, mine[1], "Artillery")
    submit(soviet, "Play as tactic")
    close(soviet)
    asked(soviet, "Attacker: play tactics").get_by_role("button", name="No more tactics").click()
    asked(german, "Defender: play tactics")
    theirs = evening.hand("german")
    play(german, theirs[0], "Combat engineers")
    submit(german, "Play as tactic")
    expect(tablet.get_by_role("region", name="Combat", exact=True)).to_contain_text("combat engineers")
    close(german)
    asked(german, "Defender: play tactics").get_by_role("button", name="Not needed").click()
    evening.keep_secrets(*EVERY_PAGE)

    # The cup: one chit, the other required one, and one more that the attacker declares.
    tap(
        asked(soviet, "Attacker: draw 2 chits").get_by_role("link", name="Draw chits"),
        soviet.locator("#sheet .sheet"),
    )
    soviet.get_by_role("spinbutton", name=re.compile("How many")).fill("1")
    submit(soviet, "Draw chits")
    expect(soviet.locator("#sheet .breakdown-result")).to_have_text("A1 D1")
    expect(tablet.get_by_role("region", name="Combat", exact=True)).to_contain_text("1 of 2 drawn")
    soviet.locator("#sheet").get_by_role("button", name="Draw chits").click()  # the last one: a tap
    follow(soviet, "Declare more chits")
    more = soviet.get_by_role("spinbutton", name=re.compile("More chits"))
    more.fill("1")
    more.press("Tab")
    expect(soviet.locator("#sheet .breakdown")).to_contain_text("A3 D2")  # the chances answer while typing
    submit(soviet, "Declare more chits")
    soviet.locator("#sheet").get_by_role("button", name="Draw chits").click()
    # Three chits, less one for the position that the defender's engineers made (9.51).
    expect(soviet.locator("#sheet .breakdown-result")).to_have_text("A3 D2")
    close(soviet)

    # Defender first, then attacker; then the advance and the end.
    tap(
        asked(german, "Defender: 2 hits").get_by_role("link", name="Defender takes hits"),
        german.locator("#sheet .sheet"),
    )
    german.locator("#sheet label.choice", has_text="Retreat one hex").click()
    submit(german, "Defender takes hits")
    close(german)
    tap(
        asked(soviet, "Attacker: 3 hits").get_by_role("link", name="Attacker takes hits"),
        soviet.locator("#sheet .sheet"),
    )
    soviet.locator("#sheet label.choice", has_text="Disperse all attackers").click()
    submit(soviet, "Attacker takes hits")
    soviet.locator("#sheet").get_by_role("button", name="End the combat").click()
    expect(soviet.locator("#sheet .sheet")).to_have_count(0)  # nothing is left to read: the sheet is gone
    expect(tablet.get_by_role("region", name="Combat", exact=True)).to_have_count(0)
    evening.end_impulse("soviet")
    expect(soviet.locator("#hand .hand-card")).to_have_count(5)
    expect(german.locator("#hand .hand-card")).to_have_count(
        3
    )  # drawn up at the end of one's own impulse only
    evening.keep_secrets()

    # Second impulse: a Kampfgruppe. German cards are left in the pile, so there is no pass (5.1).
    expect(german.get_by_role("button", name=re.compile("^Pass"))).to_have_count(0)
    command(german, theirs[1], "Kampfgruppe", "LVII Panzer Corps")
    evening.end_impulse("german")
    expect(german.locator("#hand .hand-card")).to_have_count(4)

    # Third impulse: the 40th Army is barred and not offered; the card serves as an event.
    expect(soviet.get_by_role("region", name="Impulse")).to_contain_text("40th Army")
    fresh = evening.hand("soviet")
    form = play(soviet, fresh[0], "Activate")
    expect(form.locator("label.choice", has_text="69th Army")).to_have_count(1)
    expect(form.locator("label.choice", has_text="40th Army")).to_have_count(0)
    close(soviet)
    command(soviet, fresh[0], "Event", "Air supply")
    asked(soviet, "supplied again").get_by_role("button", name="Done").click()
    expect(soviet.get_by_role("region", name="Waiting for you")).to_have_count(0)
    evening.end_impulse("soviet")
    expect(tablet.get_by_role("region", name="Impulse")).to_contain_text("German to play")
    evening.keep_secrets()


def test_nothing_runs_over_the_edge(start_server, device):
    """Every screen of the command phase fits a 360 px phone."""
    server = start_server()
    fill_in_the_book(server)
    table = Table(server, SYSTEM, "initial-assault")
    page = table.seat(device("small"), "soviet")
    for action in ("next-phase", "prepare-cards", "next-phase"):
        table.do("table", action, revision=table.sees("table")["revision"])
    card = next(
        t["id"]
        for p in table.sees("soviet")["piles"]
        if p["id"] == "soviet-cards"
        for z in p["zones"]
        if z["zone"] == "hand:soviet"
        for t in z["tokens"]
    )
    paths = ["soviet", f"soviet/card/soviet-cards/{card}", f"soviet/do/play-card?card={card}&what=activate"]
    for path in paths:
        page.goto(f"{server.url}/t/{table.code}/{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
    table.do("soviet", "play-card", card=card, what="activate", formations="40")
    for path in ("soviet", "soviet/do/declare-combat", "soviet/more"):
        page.goto(f"{server.url}/t/{table.code}/{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
