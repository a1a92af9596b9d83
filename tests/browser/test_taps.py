"""What an act costs, from rest to rest: every tap and every typed character, on all three devices.

`make taps` runs this file alone and writes docs/taps.md; over a budget it fails, here and in `make test`.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import ownbooks
import pytest
from playwright.sync_api import Locator, Page, expect
from screens import Screens, answer, hand, roll
from tablehand import Table

from companion.engine import dice
from companion.store import open_store
from companion.systems import IDS

TARGET = os.environ.get("COMPANION_TAPS", "")
"""Where the table is written."""


class Cost(NamedTuple):
    """Taps, and characters typed."""

    taps: int
    typed: int = 0

    def __str__(self) -> str:
        return f"{self.taps}+{self.typed}" if self.typed else str(self.taps)

    def within(self, budget: Cost) -> bool:
        """A tap may take the place of a typed character, but never the other way round."""
        return sum(self) <= sum(budget) and self.typed <= budget.typed


ACTS: dict[str, tuple[str, Cost]] = {
    "next phase": ("1", Cost(1)),
    "roll a die": ("1", Cost(1)),
    "undo": ("1", Cost(1)),
    "roll weather (digital)": ("3", Cost(1)),
    "draw the chits owed": ("3", Cost(1)),
    "play a card": ("4", Cost(2)),
    "play a tactic": ("4", Cost(2)),
    "Second Kharkov combat, nothing on record": ("14+3", Cost(8, 3)),
    "Second Kharkov combat, three units": ("23+7", Cost(9)),
    "WB-95 combat (a D3), nothing on record": ("19+3", Cost(8, 3)),
    "WB-95 combat (a D3), units": ("20+7", Cost(9, 3)),
    "Enemy Action combat, plain, nothing on record": ("22+6", Cost(10, 4)),
    "Enemy Action combat, units, real cup, loss and retreat": ("23+4", Cost(9)),
    "Kharkov Battles combat, direct": ("11+3", Cost(8, 3)),
    "Kharkov Battles combat, units and chits": ("35+8", Cost(12)),
    "Panzer Keil combat, nothing on record": ("9+6", Cost(8, 4)),
    "Panzer Keil combat, 8 attackers, 3 stacks retreat": ("22", Cost(8)),
    "reinforcement in": ("3", Cost(1)),
    "reinforcement in, with a hex": ("4+4", Cost(2)),
    "mark out of supply": ("4+4 to 10+4", Cost(2)),
    "move a stack": ("6+4 to 12", Cost(2)),
    "correct a value": ("4", Cost(2)),
}
NOW: dict[str, Cost] = {}
"""What each act cost when it was done just now."""


class OverBudget(AssertionError):
    """An act costs more than it may."""


@contextlib.contextmanager
def counted(screens: Screens, act: str) -> Iterator[None]:
    """Count what is done on all devices, until they rest, and hold it to the budget."""
    screens.forget()
    yield
    for page in screens.all().values():
        expect(page.locator("#sheet .sheet")).to_have_count(0)
    NOW[act] = cost = Cost(*screens.cost())
    budget = ACTS[act][1]
    assert cost.taps, f"{act}: nothing was counted"
    if not cost.within(budget):
        raise OverBudget(f"{act}: {cost}, and {budget} is allowed. Tapped: {'; '.join(screens.trail())}")


@pytest.fixture(scope="module", autouse=True)
def table_of_taps() -> Iterator[None]:
    """Write docs/taps.md, where it is wanted."""
    yield
    if TARGET:
        rows = [
            f"| {act} | {was} | {budget} | {told(NOW.get(act), budget)} |"
            for act, (was, budget) in ACTS.items()
        ]
        Path(TARGET).write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")


def told(now: Cost | None, budget: Cost) -> str:
    return "not done" if now is None else str(now) if now.within(budget) else f"**{now}**, over"


HEAD = """# Taps

What an act costs from rest to rest: every tap on all devices, both players', and after `+` every typed
character. `make taps` does each act with real clicks on a tablet and two phones, writes this table, and fails
where one is over its budget. *Was* is what the act cost before screens were made for it.

A tap may take the place of a typed character, never the other way round. A device rests on the page of the act:
stacks are moved and marked on the map, everything else is done on the main screen. A battle is fought until nothing of it is
owed; an offer that nobody takes up lapses by itself. Dice are real ones that are tapped in, but for WB-95, where
the companion rolls; the chits of Kharkov Battles are drawn by the companion.

| act | was | budget | now |
|---|---|---|---|
"""


def type_in(field: Locator, text: str) -> None:
    """Tap a field and type, as a finger must."""
    field.click()
    field.press_sequentially(text)


def enter(form: Locator, label: str, value: int) -> None:
    """Give a number the shortest way there is: a row of values, the steps beside a field, or the field itself."""
    row = form.get_by_role("group", name=re.compile(label))
    if row.count():
        chosen = row.get_by_role("radio", name=str(value), exact=True)
        if not chosen.is_checked():
            row.locator("label", has_text=re.compile(f"^{value}$")).click()
    elif value <= 2:
        for _ in range(value):
            form.get_by_role("button", name=re.compile(f"{label}.*one more")).click()
    else:
        type_in(form.get_by_label(label, exact=True), str(value))


def open_sheet(page: Page, name: str) -> Locator:
    """Tap an act and have its form."""
    page.get_by_role("link", name=re.compile(name)).first.click()
    expect(page.locator("#sheet .sheet")).to_be_visible()
    return page.locator("#sheet")


def send(page: Page) -> None:
    """Tap a form's button."""
    page.locator("#sheet .sheet-foot button").last.click()
    expect(page.locator("#sheet .sheet")).to_have_count(0)


def settle(screens: Screens, mode: str = "physical", code: str = "") -> None:
    """Answer what is owed on the phones until nothing is; an offer is put away only where it holds up what is owed."""
    for _ in range(12):
        asked = screens.table.sees("table")["asked"]
        owed = [a for a in asked if a["duty"] == "owed"]
        if not owed:
            return
        live = [a for a in owed if a["live"]] or [a for a in asked if a["live"]]
        page = next(page for side, page in screens.phones.items() if side in live[0]["to"])
        if live[0] in owed:
            assert answer(page, mode, code, f"#ask-{live[0]['id']}", 15_000)
        else:
            page.locator(f"#ask-{live[0]['id']}").get_by_role("button", name="No", exact=True).click()
            expect(page.locator(f"#ask-{live[0]['id']}")).to_have_count(0)
    raise AssertionError(f"the battle does not end: {[a['text'] for a in asked]}")


def choose_hex(sheet: Locator, hex_id: str) -> None:
    """Tap a hex that is offered, unless it is chosen already."""
    offered = sheet.get_by_role("button", name=hex_id, exact=True)
    if offered.count() and offered.first.get_attribute("aria-pressed") != "true":
        offered.first.click()


@pytest.fixture
def server(own_server):
    """This file's server, its book as it was shipped: a chart cell that one combat reads off costs the next nothing."""
    store = open_store(own_server.data / "companion.db")
    written = [
        (system, row) for system in IDS for row in store.book_list(system) if store.book_get(system, row.name)
    ]
    for system, row in written:
        store.book_change(system, row.name, lambda _: {}, row.changed_at)
    store.close()
    if written:
        ownbooks.share(own_server, written[0][0], {})  # the server looks at its book again
    return own_server


# -- every minute ---------------------------------------------------------------------------------------------


def test_next_phase_die_and_undo(server, device) -> None:
    table = Table(server, "second-kharkov", "historical", **{"mode-dice": "digital"})
    screens = Screens(table, device, "soviet", "german")
    tablet = screens.tablet
    before = table.sees("table")["phase"]["name"]
    with counted(screens, "next phase"):
        tablet.get_by_role("button", name=re.compile("Next phase")).click()
        expect(tablet.locator("#phase")).not_to_contain_text(before)
    with counted(screens, "undo"):
        tablet.get_by_role("button", name="Undo: next phase").click()
        expect(tablet.locator("#phase")).to_contain_text(before)
    with counted(screens, "roll a die"):
        screens.phones["german"].get_by_role("button", name="Roll 1d6").click()
        expect(screens.phones["german"].locator(".dice .die")).to_have_count(1)


def test_weather(server, device) -> None:
    """B5.1 of Panzer Keil."""
    table = Table(server, "panzer-keil", "winter-1943", **{"mode-dice": "digital"})
    table.do("table", "go-to", turn=2, phase="weather")
    screens = Screens(table, device, "soviet", "german")
    with counted(screens, "roll weather (digital)"):
        screens.tablet.locator("#do-roll-weather button").click()
        expect(screens.tablet.locator("#do-roll-weather")).to_have_count(0)


def command_phase(server, **modes: str) -> Table:
    """Enemy Action at the first Soviet impulse, its cards dealt by the companion."""
    ownbooks.enemy_action(server)
    table = Table(server, "enemy-action-kharkov", "campaign", **modes)
    for action in ("next-phase", "prepare-cards", "next-phase"):
        table.do("table", action, revision=table.sees("table")["revision"])
    return table


def activated(server, units: bool, **modes: str) -> Table:
    """The same with a formation activated, so that it may attack."""
    table = command_phase(server, **modes)
    for side, name, hex_id, kind in (
        ("soviet", "183 RD", "2010", "infantry"),
        ("soviet", "25 GRD", "2010", "infantry"),
        ("soviet", "5 GTC", "2111", "armour"),
        ("german", "168 ID", "2011", "infantry"),
    ):
        if units:
            table.do("table", "add-unit", side=side, name=name, kind=kind, hex=hex_id, steps=2)
    table.do("soviet", "play-card", card=hand(table, "soviet")[0], what="activate", formations="40")
    return table


def no_tactics(screens: Screens) -> None:
    """Neither side plays any."""
    for page in screens.phones.values():
        page.locator(".duty").get_by_role("button", name="No", exact=True).click()


def test_chits_owed(server, device) -> None:
    """9.3: the required draw, out of the companion's cup."""
    table = activated(server, units=True, **{"mode-chits": "digital"})
    table.do("soviet", "declare-combat", hex="2011", units=[u["id"] for u in mine(table, "soviet")])
    for number, ask in enumerate(table.sees("table")["asked"]):
        if ask["action"] == "tell-strength":
            table.do("table", "tell-strength", _asked=ask["id"], points=5 - number)
    for side in ("soviet", "german"):
        for ask in table.sees(side)["asked"]:
            if ask["action"] == "no-tactics" and ask["live"] and ask["mine"]:
                table.do(side, "no-tactics", _asked=ask["id"], until="here")
    screens = Screens(table, device, "soviet", "german")
    soviet = screens.phones["soviet"]
    with counted(screens, "draw the chits owed"):
        soviet.locator(".duty").get_by_role("button", name="Draw 2 chits").click()
        expect(soviet.locator(".duty")).to_contain_text("stop, or draw")


def mine(table: Table, side: str) -> list[dict]:
    return [u for u in table.sees(side)["units"] if u["side"] == side]


def test_card(server, device) -> None:
    """5.1, 5.2: an army's card of the hand is played to activate that army."""
    table = command_phase(server)
    armies = {f"P{number:02d}|formation": "40" for number in range(1, 23)}
    ownbooks.share(server, "enemy-action-kharkov", {"book/cards": armies})
    screens = Screens(table, device, "soviet", "german")
    soviet = screens.phones["soviet"]
    with counted(screens, "play a card"):
        soviet.locator("#hand .hand-card").first.click()
        soviet.locator("#sheet").get_by_text("Activate").first.click()
        finish_sheet(soviet)
        expect(soviet.locator("#hand .hand-card")).to_have_count(4)


def finish_sheet(page: Page) -> None:
    """Where a form still stands there, its button must be tapped, too."""
    page.wait_for_timeout(700)
    if page.locator("#sheet .sheet-foot button").count():
        send(page)


def test_tactic(server, device) -> None:
    """9.2."""
    table = activated(server, units=True, **{"mode-chits": "physical"})
    table.do("soviet", "declare-combat", hex="2011", units=[u["id"] for u in mine(table, "soviet")])
    screens = Screens(table, device, "soviet", "german")
    soviet = screens.phones["soviet"]
    with counted(screens, "play a tactic"):
        soviet.locator("#hand .hand-card").first.click()
        soviet.locator("#sheet").get_by_role("button", name="Artillery", exact=True).click()
        screens.stands("artillery")


# -- combats: real dice, charts read off the printed sheet --------------------------------------------------------


def test_second_kharkov_with_nothing_on_record(server, device) -> None:
    """12.7-12.19: 26 against 7, result 1/2."""
    table = Table(server, "second-kharkov", "historical", **{"mode-dice": "physical"})
    table.do("table", "go-to", turn=4, phase="soviet-combat")
    screens = Screens(table, device, "soviet", "german")
    soviet = screens.phones["soviet"]
    with counted(screens, "Second Kharkov combat, nothing on record"):
        sheet = open_sheet(soviet, "^Attack")
        type_in(sheet.get_by_label("Attack factors", exact=True), "26")
        type_in(sheet.get_by_label("Defence factors", exact=True), "7")
        roll(sheet, "physical", 4)
        assert answer(soviet, "physical", "1/2")
        settle(screens)


def test_second_kharkov_with_three_units(server, device) -> None:
    """12.7-12.21: two attackers whose counters are known against one German, aircraft refused, result 1/2."""
    table = Table(server, "second-kharkov", "historical", **{"mode-dice": "physical"})
    table.do("table", "go-to", turn=4, phase="soviet-combat")
    for name, side, hex_id, factors in (
        ("44 ID", "german", "2510", (7, 7)),
        ("13 TC", "soviet", "2610", (14, 8)),
        ("226 RD", "soviet", "2611", (12, 8)),
    ):
        kind = {"german": "infantry", "soviet": "rifle"}[side]
        table.do("table", "add-unit", name=name, side=side, hex=hex_id, kind=kind)
        unit = next(u["id"] for u in table.sees(side)["units"] if u["name"] == name)
        table.do("table", "copy-counter", unit=unit, af=factors[0], df=factors[1])
    screens = Screens(table, device, "soviet", "german")
    soviet = screens.phones["soviet"]
    with counted(screens, "Second Kharkov combat, three units"):
        sheet = open_sheet(soviet, "^Attack")
        choose_hex(sheet, "2510")
        for name in ("13 TC", "226 RD"):
            sheet.get_by_role("checkbox", name=re.compile(name)).check()
        expect(sheet.locator(".foot-odds")).to_contain_text("3:1")
        roll(sheet, "physical", 4)
        assert answer(soviet, "physical", "1/2")
        settle(screens)


def will_roll(server, total: int) -> Table:
    """A table of WB-95 whose next two digital dice show this total: a D3 cannot be had on demand otherwise."""
    table = Table(server, "wb95", "kharkov-1942", **{"mode-dice": "digital"})
    store = open_store(server.data / "companion.db")
    seed = store.table(table.code).seed
    store.close()
    for position in range(200):
        if sum(dice.Stream(seed, position).roll(dice.Spec.parse("2d6"))) == total:
            return table
        table.do("table", "roll-dice", dice="1d6")
    raise AssertionError("dice that never fall so are not dice")


def test_wb95_with_nothing_on_record(server, device) -> None:
    """5.2.1, 5.4: 28 against 7 on clear ground, a D3; the companion rolls, the tests of those who fell back too."""
    table = will_roll(server, 5)
    table.do("table", "go-to", turn=1, phase="attack-a")
    screens = Screens(table, device, "soviet", "german")
    soviet = screens.phones["soviet"]
    with counted(screens, "WB-95 combat (a D3), nothing on record"):
        sheet = open_sheet(soviet, "^Attack")
        type_in(sheet.get_by_label("Attack SP", exact=True), "28")
        type_in(sheet.get_by_label("Defence SP", exact=True), "7")
        sheet.get_by_role("checkbox", name="clear").check()
        roll(sheet, "digital")
        screens.stands("D3")
        settle(screens, "digital")


def test_wb95_with_units(server, device) -> None:
    """5.2.1, 5.4: two attackers, two defenders, a D3."""
    table = will_roll(server, 5)
    for side, name, hex_id, kind, strength in (
        ("soviet", "226 RD", "3010", "INF", 14),
        ("soviet", "36 TB", "3010", "ARM", 14),
        ("german", "294 ID", "3011", "INF", 4),
        ("german", "211 GR", "3011", "INF", 3),
    ):
        table.do("table", "add-unit", side=side, name=name, kind=kind, hex=hex_id, steps=2)
        unit = next(u["id"] for u in table.sees(side)["units"] if u["name"] == name)
        table.do("table", "set-counter", unit=unit, attack=strength, defence=strength)
    table.do("table", "go-to", turn=1, phase="attack-a")
    screens = Screens(table, device, "soviet", "german")
    soviet = screens.phones["soviet"]
    with counted(screens, "WB-95 combat (a D3), units"):
        open_sheet(soviet, "^Attack")
        send(soviet)
        roll(soviet.locator(".duty"), "digital")
        screens.stands("D3")
        settle(screens, "digital")


def test_enemy_action_with_nothing_on_record(server, device) -> None:
    """9.0-9.52: three attackers against two steps, no tactics, the required chits out of the real cup."""
    table = activated(server, units=False, **{"mode-chits": "physical"})
    screens = Screens(table, device, "soviet", "german")
    soviet, german = screens.phones.values()
    with counted(screens, "Enemy Action combat, plain, nothing on record"):
        sheet = open_sheet(soviet, "Declare a combat")
        enter(sheet, "Attackers of 1 or 2 steps", 3)
        enter(sheet, "Defending steps", 2)
        send(soviet)
        no_tactics(screens)
        real_chits(soviet, 1, 1)
        soviet.locator(".duty").get_by_role("button", name="Stop here").click()
        german.locator(".duty").get_by_role("button", name=re.compile("Retreat one hex")).click()
        settle(screens)


def real_chits(page: Page, attacker: int, defender: int) -> None:
    """What came out of the real cup."""
    duty = page.locator(".duty", has_text=re.compile(r"draw \d+ chit"))
    expect(duty).to_be_visible()
    for role, hits in (("Attacker", attacker), ("Defender", defender)):
        if hits:
            enter(duty, f"{role} hits", hits)
    duty.get_by_role("button", name="Enter the chits").click()


def test_enemy_action_with_units(server, device) -> None:
    """9.0-9.8: three units against one, a loss and a retreat of one hex."""
    table = activated(server, units=True, **{"mode-chits": "physical"})
    screens = Screens(table, device, "soviet", "german")
    soviet, german = screens.phones.values()
    with counted(screens, "Enemy Action combat, units, real cup, loss and retreat"):
        open_sheet(soviet, "Declare a combat")
        send(soviet)
        no_tactics(screens)
        real_chits(soviet, 0, 2)
        soviet.locator(".duty").get_by_role("button", name="Stop here").click()
        german.locator(".duty").get_by_role("button", name=re.compile("Retreat one hex")).click()
        expect(german.locator(".duty", has_text=re.compile(r"take \d hit"))).to_have_count(0)
        settle(screens)


def soviet_combat(server) -> Table:
    """Kharkov Battles at the Soviet combat phase, with nothing owed."""
    table = Table(
        server, "kharkov-battles", "operation-star", **{"mode-dice": "physical", "mode-chits": "physical"}
    )
    table.do("table", "go-to", turn=1, phase="soviet-combat")
    for ask in table.sees("table")["asked"]:  # of the set-up
        table.do("table", "dismiss", ask=ask["id"])
    return table


def test_kharkov_battles_directly(server, device) -> None:
    """12.0: 30 against 8, a D(1)r2."""
    screens = Screens(soviet_combat(server), device, "soviet", "axis")
    soviet = screens.phones["soviet"]
    with counted(screens, "Kharkov Battles combat, direct"):
        sheet = open_sheet(soviet, "Resolve an assault")
        type_in(sheet.get_by_label("Attack strength", exact=True), "30")
        type_in(sheet.get_by_label("Defence strength", exact=True), "8")
        roll(sheet, "physical", 7)
        settle(screens, code="D(1)r2")


def test_kharkov_battles_with_units_and_chits(server, device) -> None:
    """12.0-12.8, 2.6: designated, air refused, chits drawn by the companion and announced, the die, the loss."""
    ownbooks.kharkov_battles(server)
    modes = {"mode-dice": "physical", "mode-chits": "digital"}
    table = Table(server, "kharkov-battles", "operation-star", **modes)
    for side, name, kind, hex_id, printed in (
        ("axis", "LAH 1", "panzergrenadier", "3620", {"size": "III", "formation": "LAH", "rating": "A"}),
        ("axis", "213 Sec", "security", "3620", {"strength": 4}),
        ("soviet", "12 Tank", "tank", "3520", {"size": "XXX", "formation": "pink", "rating": "B"}),
        (
            "soviet",
            "62 Gds",
            "rifle",
            "3520",
            {"formation": "pink", "strength": 4, "steps": 2, "guards": True},
        ),
    ):
        table.do("table", "enrol", side=side, name=name, kind=kind, hex=hex_id, **printed)
    table.do("table", "go-to", turn=1, phase="soviet-combat")
    for ask in table.sees("table")["asked"]:
        table.do("table", "dismiss", ask=ask["id"])
    for side in ("axis", "soviet"):
        table.do("table", "correct", name=f"air-{side}", value="1")
    screens = Screens(table, device, "soviet", "axis")
    soviet, axis = screens.phones.values()
    with counted(screens, "Kharkov Battles combat, units and chits"):
        open_sheet(soviet, "Designate an attack")
        send(soviet)
        soviet.locator(".duty").get_by_role("button", name=re.compile("No air|Fight it")).click()
        axis.locator(".battle .duty").get_by_role("button", name="1 Air Point").click()
        expect(soviet.locator(".duty").first).to_contain_text(re.compile("roll", re.I))
        if soviet.locator(".duty a.btn-primary").count():
            roll(open_sheet(soviet, "^Roll"), "physical", 7)
        else:
            roll(soviet.locator(".duty"), "physical", 7)
        settle(screens, code="D(1)r2")


def test_panzer_keil_with_nothing_on_record(server, device) -> None:
    """9.6-9.9: 18 against 9, a D1."""
    table = Table(server, "panzer-keil", "winter-1943", **{"mode-dice": "physical"})
    table.do("table", "go-to", turn=1, phase="german-combat")
    screens = Screens(table, device, "german", "soviet")
    german = screens.phones["german"]
    with counted(screens, "Panzer Keil combat, nothing on record"):
        sheet = open_sheet(german, "^Attack")
        type_in(sheet.get_by_role("textbox", name="Attack", exact=True), "18")
        type_in(sheet.get_by_label("Defence", exact=True), "9")
        roll(sheet, "physical", 4)
        assert answer(german, "physical", "D1")
        settle(screens)


def test_panzer_keil_with_eight_attackers(server, device) -> None:
    """9.6-9.9: eight attackers out of three hexes, three units thrown back."""
    table = Table(server, "panzer-keil", "winter-1943", **{"mode-dice": "physical"})
    table.do("table", "set-up")
    for ask in table.sees("table")["asked"]:
        table.do("table", "dismiss", ask=ask["id"])
    for number in range(8):
        unit, hex_id = f"hollidt-a-{number + 1}", ("1941", "2041", "2141")[number % 3]
        table.do("table", "place-unit", unit=unit, hex=hex_id)
        table.do("table", "describe-unit", unit=unit, kind="infantry", attack=6, defence=6, nation="german")
    for number in (1, 2, 3):
        unit = f"voronezh-{number}"
        table.do("table", "place-unit", unit=unit, hex="2040")
        table.do("table", "describe-unit", unit=unit, kind="infantry", attack=4, defence=4)
    table.do("table", "go-to", turn=1, phase="german-combat")
    screens = Screens(table, device, "german", "soviet")
    german = screens.phones["german"]
    with counted(screens, "Panzer Keil combat, 8 attackers, 3 stacks retreat"):
        sheet = open_sheet(german, "^Attack")
        roll(sheet, "physical", 4)
        assert answer(german, "physical", "D2")
        settle(screens)


# -- between combats --------------------------------------------------------------------------------------------


def test_reinforcement(server, device) -> None:
    """11.1 of WB-95: without counters on record it is told that they are in."""
    table = Table(server, "wb95", "kharkov-1942")
    table.do("table", "go-to", turn=4, phase="move-b")
    screens = Screens(table, device, "soviet", "german")
    due = screens.phones["german"].get_by_role("button", name="577, 578/305 INF-R is in")
    with counted(screens, "reinforcement in"):
        due.click()
        expect(due).to_have_count(0)


def test_reinforcement_by_a_zone(server, device) -> None:
    """11.1 of WB-95: counters on record enter by zone T, whose hexes only the map shows; others came in there before."""
    table = Table(server, "wb95", "kharkov-1942")
    table.do("table", "set-up")
    table.do("table", "go-to", turn=7, phase="move-a")
    table.do("soviet", "arrive", arrival="soviet-7-21", hex="3805")
    screens = Screens(table, device, "soviet", "german")
    soviet = screens.phones["soviet"]
    due = soviet.locator(".due").get_by_label("296 INF, 3 ARM-BR is in")
    with counted(screens, "reinforcement in, with a hex"):
        due.click()
        send(soviet)
        expect(due).to_have_count(0)
    places = {u["id"]: u["place"] for u in mine(table, "soviet")}
    assert places["k42-sr-03"] == places["k42-sr-04"] == "3805"


def test_correction(server, device) -> None:
    table = Table(server, "second-kharkov", "historical")
    screens = Screens(table, device, "soviet", "german")
    tablet = screens.tablet
    with counted(screens, "correct a value"):
        tablet.get_by_label("Correct Soviet VP").first.click()
        tablet.get_by_role("button", name="Soviet VP: one more").click()
        expect(tablet.locator('[data-glow="track-vp-soviet"], .tracks').first).to_contain_text("1")
    assert next(t["value"] for t in table.sees("table")["tracks"] if t["label"] == "Soviet VP") == 1


def map_of_second_kharkov(server, device) -> tuple[Screens, Page]:
    """Two Soviet cavalry divisions in one hex, and the Soviet phone resting on the map."""
    table = Table(server, "second-kharkov", "historical")
    table.do("soviet", "enter-positions", text="7 Cav 2421; 6 Cav 2421")
    table.do("table", "go-to", turn=2, phase="soviet-move")
    screens = Screens(table, device, "soviet", "german")
    page = screens.phones["soviet"]
    page.goto(f"{server.url}/t/{table.code}/soviet/map")
    expect(page.locator("#map")).to_have_class(re.compile("ready"))
    return screens, page


def on_screen(page: Page, hex_id: str) -> tuple[float, float]:
    """Where a hex is on the screen: just under its printed number."""
    box = page.locator("#base .numbers text", has_text=re.compile(f"^{hex_id}$")).bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] * 2.2


def test_move(server, device) -> None:
    screens, page = map_of_second_kharkov(server, device)
    with counted(screens, "move a stack"):
        page.touchscreen.tap(*on_screen(page, "2421"))
        expect(page.locator("#move-form")).to_be_visible()
        page.touchscreen.tap(*on_screen(page, "2420"))
        expect(page.locator("#toast")).to_contain_text("2421 \u2192 2420")
    assert {u["place"] for u in mine(screens.table, "soviet")} == {"2420"}


def test_out_of_supply(server, device) -> None:
    """A long press on the stack, and the marker."""
    screens, page = map_of_second_kharkov(server, device)
    with counted(screens, "mark out of supply"):
        x, y = on_screen(page, "2421")
        fingers = page.context.new_cdp_session(page)
        fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        page.wait_for_timeout(700)
        fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        sheet = page.get_by_role("region", name="Markers in 2421")
        sheet.get_by_role("button", name="Out of supply").first.click(timeout=3_000)
        expect(page.locator("#toast")).to_contain_text("Out of supply")
    assert all(u["marks"] for u in mine(screens.table, "soviet"))
