"""Enemy Action: Kharkov at the table: two phones with hidden hands, and a tablet that shows only what is public.

The owner's book is SYNTHETIC: names, values and faces are made up by this test; only the counts are the rulebook's.
"""

from __future__ import annotations

import json
import re
import urllib.parse
import urllib.request
from collections.abc import Callable

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


def fill_in_the_book(server, book: dict[str, dict[str, str]] | None = None) -> None:
    """Import it as a shared book, the way an owner gets one from a friend."""
    shared = {
        "kind": "kharkov-companion chart book",
        "format": 1,
        "system": SYSTEM,
        "sheets": book or synthetic_book(),
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

    def __init__(self, server, device, book: dict[str, dict[str, str]] | None = None, **options: str) -> None:
        fill_in_the_book(server, book)
        self.table = Table(server, SYSTEM, "campaign", **options)
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
        button = page.get_by_role("button", name=re.compile("End the impulse"))
        tap_until(button, lambda: expect(button).to_have_count(0, timeout=6_000))

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


def submit(page: Page, label: str) -> None:
    """Send the sheet's form; it closes by itself, with nothing left to read."""
    button = page.locator("#sheet .sheet-foot").get_by_role("button", name=label, exact=True)
    tap_until(button, lambda: expect(page.locator("#sheet .sheet")).to_have_count(0, timeout=4_000))


def tap_until(button: Locator, shown: Callable[[], None]) -> None:
    """Tap as a player would: again, when news changed the button under the finger and it rested instead."""
    for _ in range(3):
        if button.count():
            button.first.click()
        try:
            shown()
        except AssertionError:
            continue
        return
    shown()


def open_card(page: Page, card: str) -> Locator:
    """Tap a card of the hand: what it can be played as is returned."""
    tap(page.locator("#hand .hand-card", has_text=card), page.locator("#sheet .sheet"))
    return page.locator("#sheet")


def command(page: Page, card: str, what: str, *choices: str) -> None:
    """Play a card as a command, naming what stands on it, a formation or an event."""
    sheet = open_card(page, card)
    tap(sheet.get_by_role("link", name=what, exact=True), sheet.locator("form label.choice").first)
    for choice in choices:
        sheet.locator("label.choice", has_text=choice).click()
    submit(page, "Play as command")


def answer(page: Page, words: str, button: str | re.Pattern[str]) -> None:
    """Answer a question right on its card."""
    duty = page.locator(".duty").filter(has_text=words)
    expect(duty.first).to_be_visible()
    name = duty.get_by_role("button", name=button, exact=isinstance(button, str))
    tap_until(name, lambda: expect(name).to_have_count(0, timeout=4_000))


def test_three_impulses_and_a_combat_with_hidden_hands(start_server, device):
    evening = Evening(start_server(), device)
    tablet, soviet, german = evening.tablet, evening.phones["soviet"], evening.phones["german"]

    # One tap prepares and deals; the tablet shows backs and counts.
    tablet.get_by_role("button", name=re.compile("Next phase")).click()
    tap_until(
        tablet.get_by_role("button", name=re.compile("Prepare the cards")),
        lambda: expect(soviet.locator("#hand .hand-card")).to_have_count(5),
    )
    expect(german.locator("#hand .hand-card")).to_have_count(4)
    expect(soviet.locator("#hand .hand-card").first).to_contain_text("artillery")  # its tactics and events
    expect(soviet.locator("#hand .hand-card").first).to_contain_text("air supply")
    expect(tablet.locator(".hand-card")).to_have_count(0)
    evening.keep_secrets(*EVERY_PAGE)
    tap_until(
        tablet.get_by_role("button", name=re.compile("Next phase")),
        lambda: expect(tablet.get_by_role("heading", level=1)).to_contain_text("Command"),
    )

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
    tap(
        soviet.get_by_role("link", name=re.compile("Declare a combat")).first,
        soviet.locator("#sheet .sheet"),
    )
    soviet.get_by_role("spinbutton", name=re.compile("Attackers of 1 or 2")).fill("3")
    soviet.get_by_role("group", name="Defending steps").locator("label.choice", has_text="2").click()
    soviet.get_by_label(re.compile("Strengths")).fill("9:3")
    expect(soviet.locator("#sheet .breakdown-result")).to_have_text("2 required, 3 at most")
    submit(soviet, "Declare a combat")

    # Tactics, attacker first; the defender is asked when the attacker is done. Each card is two taps.
    for side, words, tactic in (
        ("soviet", "Soviet: play a tactic", "Artillery"),
        ("german", "German: play a tactic", "Combat engineers"),
    ):
        page, other = evening.phones[side], evening.phones[next(s for s in SIDES if s != side)]
        expect(page.locator(".duty").filter(has_text=words)).to_be_visible()
        expect(other.locator(".duty")).to_have_count(0)
        sheet = open_card(page, evening.hand(side)[0])
        tap_until(
            sheet.get_by_role("button", name=tactic, exact=True),
            lambda page=page: expect(page.locator("#sheet .sheet")).to_have_count(0, timeout=4_000),
        )
        expect(other.locator(".battle .battle-title")).to_contain_text(tactic)
        expect(tablet.locator(".battle .battle-title")).to_contain_text(tactic)
        answer(page, words, "No")
    evening.keep_secrets(*EVERY_PAGE)

    # The cup: one chit, the other required one, and one more that the attacker declares; all see both faces.
    answer(soviet, "draw 2 chits", "Draw one of them")
    for page in (tablet, soviet, german):
        expect(page.locator(".battle .chit")).to_have_count(1)
        expect(page.locator(".battle .chit")).to_contain_text("clear terrain: A1 D1")
        expect(page.locator(".battle .chit")).to_contain_text("city terrain: A1")
    answer(soviet, "draw 1 chit", "Draw 1 chit")
    expect(soviet.locator(".duty").get_by_role("button", name="Stop here")).to_be_visible()
    answer(soviet, "stop, or draw up to 2 more", re.compile("Draw 1 more"))
    # Three chits, less one for the position that the defender's engineers made (9.51).
    for page in (tablet, soviet, german):
        expect(page.locator(".battle .battle-result")).to_have_text("A3 D2")

    # Defender first, then attacker; on the map there is nothing to tell of the advance.
    expect(soviet.locator(".duty")).to_have_count(0)
    answer(german, "take 2 hits", re.compile("Retreat one hex"))
    answer(soviet, "take 3 hits", re.compile("Disperse all attackers"))
    for page in (tablet, soviet, german):
        expect(page.locator(".battle")).to_have_count(0)
        expect(page.locator("#sheet .sheet")).to_have_count(0)
    evening.end_impulse("soviet")
    expect(soviet.locator("#hand .hand-card")).to_have_count(5)
    expect(german.locator("#hand .hand-card")).to_have_count(
        3
    )  # one draws up at the end of one's own impulse
    evening.keep_secrets()

    # Second impulse: a Kampfgruppe. German cards are left in the pile, so there is no pass (5.1).
    expect(german.get_by_role("button", name=re.compile("^Pass"))).to_have_count(0)
    command(german, evening.hand("german")[0], "Kampfgruppe", "4th Panzer Army", "LVII Panzer Corps")
    evening.end_impulse("german")
    expect(german.locator("#hand .hand-card")).to_have_count(4)

    # Third impulse: the 40th Army is barred and not offered; the card serves as an event.
    expect(soviet.get_by_role("region", name="Impulse")).to_contain_text("40th Army")
    fresh = evening.hand("soviet")
    sheet = open_card(soviet, fresh[0])
    tap(sheet.get_by_role("link", name="Activate", exact=True), sheet.locator("form label.choice").first)
    expect(sheet.locator("form label.choice", has_text="69th Army")).to_have_count(1)
    expect(sheet.locator("form label.choice", has_text="40th Army")).to_have_count(0)
    sheet.get_by_role("link", name="Close").click()
    expect(soviet.locator("#sheet .sheet")).to_have_count(0)
    command(soviet, fresh[0], "Event", "Air supply")
    answer(soviet, "supplied again", "Done")
    evening.end_impulse("soviet")
    expect(tablet.locator(".bar-awaits")).to_have_text("German to move")
    evening.keep_secrets()


class Finger:
    """Two players' fingers: every tap and every typed character is counted, a tap into a field as well."""

    def __init__(self) -> None:
        self.taps, self.typed = 0, 0

    def tap(self, button: Locator) -> None:
        button.first.wait_for()
        button.page.wait_for_timeout(400)  # news may have changed it: it rests for a moment
        button.first.click()
        self.taps += 1

    def type(self, field: Locator, text: str) -> None:
        self.tap(field)
        field.press_sequentially(text)
        self.typed += len(text)

    @property
    def cost(self) -> tuple[int, int]:
        return self.taps, self.typed


def duty(page: Page, button: str | re.Pattern[str]) -> Locator:
    return page.locator(".duty").get_by_role("button", name=button, exact=isinstance(button, str))


def test_taps_of_a_combat_with_nothing_on_record(start_server, device):
    """The budget: a card 2, a plain combat 10 taps and 4 characters, the chits that are owed 1."""
    evening = Evening(start_server(), device)
    for action in ("next-phase", "prepare-cards", "next-phase"):
        evening.table.do("table", action, revision=evening.table.sees("table")["revision"])
    soviet, german = evening.phones["soviet"], evening.phones["german"]
    expect(soviet.locator("#hand .hand-card")).to_have_count(5)
    evening.table.do("soviet", "play-card", card=evening.hand("soviet")[0], what="activate", formations="40")
    finger = Finger()
    finger.tap(soviet.get_by_role("link", name=re.compile("Declare a combat")))
    finger.type(soviet.get_by_role("spinbutton", name=re.compile("Attackers of 1 or 2")), "2")
    finger.tap(soviet.get_by_role("group", name="Defending steps").locator("label.choice", has_text="2"))
    finger.type(soviet.get_by_label(re.compile("Strengths")), "9:3")
    expect(soviet.locator("#sheet .breakdown-result")).to_have_text("2 required, 2 at most")
    finger.tap(soviet.locator("#sheet .sheet-foot button"))
    for page in (soviet, german):
        finger.tap(duty(page, "No"))
    before = finger.taps
    finger.tap(duty(soviet, "Draw 2 chits"))
    assert finger.taps == before + 1
    finger.tap(duty(german, re.compile("Retreat one hex")))
    finger.tap(duty(soviet, re.compile("Disperse all attackers")))
    for page in (soviet, german):
        expect(page.locator(".duty, .battle, #sheet .sheet")).to_have_count(0)
    taps, typed = finger.cost
    assert taps <= 10 and typed <= 4, finger.cost


def test_taps_of_a_card_and_of_a_combat_with_units(start_server, device):
    """The budget: a card with one army 2, a tactic 2; units on record, a real cup, a loss and a retreat 9."""
    evening = Evening(start_server(), device, **{"mode-chits": "physical"})
    table = evening.table
    for action in ("next-phase", "prepare-cards", "next-phase"):
        table.do("table", action, revision=table.sees("table")["revision"])
    for side, name, hex_id in (
        ("soviet", "183.40", "2010"),
        ("soviet", "25.40", "2010"),
        ("german", "168.Raus", "2011"),
    ):
        table.do("table", "add-unit", side=side, name=name, kind="infantry", hex=hex_id, steps=2)
    table.do("soviet", "play-card", card=evening.hand("soviet")[0], what="activate", formations="40")
    soviet, german = evening.phones["soviet"], evening.phones["german"]
    finger = Finger()
    finger.tap(soviet.get_by_role("link", name=re.compile("Declare a combat")))
    finger.tap(soviet.locator("#sheet .sheet-foot button"))
    for page in (soviet, german):
        finger.tap(duty(page, "No"))
    finger.tap(
        soviet.get_by_role("group", name=re.compile("Defender hits")).locator("label.choice", has_text="2")
    )
    finger.tap(duty(soviet, "Enter the chits"))
    finger.tap(duty(german, re.compile("Retreat one hex")))  # one unit: its loss is told, not asked
    finger.tap(duty(german, "2012"))
    finger.tap(duty(soviet, "Advance"))
    for page in (soviet, german):
        expect(page.locator(".duty, .battle, #sheet .sheet")).to_have_count(0)
    assert finger.cost <= (9, 0)
    places = {u["name"]: (u["place"], u["steps"]) for u in table.sees("table")["units"]}
    assert places == {"183.40": ("2011", 2), "25.40": ("2011", 2), "168.Raus": ("2012", 1)}

    # A tactic: the card and the tactic, two taps; the rest of the combat is put away.
    table.do("soviet", "end-impulse", revision=table.sees("table")["revision"])
    table.do("german", "play-card", card=evening.hand("german")[0], what="activate", formations="Raus")
    table.do("german", "declare-combat", small=1, steps=1)
    finger = Finger()
    finger.tap(german.locator("#hand .hand-card"))
    finger.tap(german.locator("#sheet").get_by_role("button", name="Artillery", exact=True))
    expect(german.locator(".battle")).to_contain_text("Artillery")
    assert finger.cost == (2, 0)


def test_a_card_of_one_army_is_played_with_two_taps(start_server, device):
    """5.2: where the manifest names its army, the card and the command say it all."""
    book = synthetic_book()
    book["book/cards"] |= {f"P{n:02d}|formation": "40" for n in range(1, 23)}
    evening = Evening(start_server(), device, book=book)
    for action in ("next-phase", "prepare-cards", "next-phase"):
        evening.table.do("table", action, revision=evening.table.sees("table")["revision"])
    soviet, finger = evening.phones["soviet"], Finger()
    finger.tap(soviet.locator("#hand .hand-card"))
    finger.tap(soviet.locator("#sheet").get_by_role("button", name="Activate", exact=True))
    expect(evening.tablet.get_by_role("region", name="Impulse")).to_contain_text("Activate: 40th Army")
    expect(soviet.locator("#sheet .sheet")).to_have_count(0)
    assert finger.cost == (2, 0)


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
