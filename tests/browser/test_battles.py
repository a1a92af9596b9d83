"""One battle of each game on a tablet and two phones, the defender taking part: real dice and digital ones."""

import re

import ownbooks
import pytest
from playwright.sync_api import Locator, expect
from screens import Screens, answer, hand, play_out, roll
from tablehand import Table, tap


@pytest.fixture
def server(start_server):
    """A server for each battle: chart cells that one reads off are in the book of all its tables from then on."""
    return start_server()


@pytest.mark.parametrize("mode", ["physical", "digital"])
def test_second_kharkov(server, device, mode):
    """12.17-12.21: declared, aircraft defend, rolled, losses in order, the victors move in; no sheet is left to close."""
    table = Table(server, "second-kharkov", "historical", **{"mode-dice": mode})
    table.do("table", "go-to", turn=4, phase="soviet-combat")
    table.do("table", "correct", name="air-free", value="2")
    for name, side, hex_id, steps in (
        ("3 Pz", "german", "2510", 2),
        ("44 ID", "german", "2510", 4),
        ("13 TC", "soviet", "2610", 1),
        ("226 RD", "soviet", "2611", 1),
    ):
        table.do(
            "table",
            "add-unit",
            name=name,
            side=side,
            hex=hex_id,
            steps=steps,
            kind={"german": "infantry", "soviet": "rifle"}[side],
        )
    screens = Screens(table, device, "soviet", "german")
    soviet, german = screens.phones["soviet"], screens.phones["german"]
    screens.shot("at-rest")
    tap(soviet.get_by_role("link", name=re.compile("^Attack")), soviet.locator("#sheet .sheet"))
    soviet.get_by_label(re.compile("Target hex")).fill("2510")
    soviet.get_by_role("checkbox", name=re.compile("13 TC")).check()
    soviet.get_by_role("checkbox", name=re.compile("226 RD")).check()
    screens.shot("form")
    expect(soviet.locator("#sheet")).to_contain_text("once turned over")  # who attacks decides what is asked
    soviet.locator("#sheet .sheet-foot button").last.click()

    # The German is asked on his own phone, in one tap; the Soviet is told whom he waits for, and closes nothing.
    expect(german.get_by_role("heading", name="Attack on 2510", exact=True)).to_be_visible()
    expect(soviet.locator("#sheet .sheet")).to_have_count(0)
    expect(soviet.locator("body")).to_contain_text("waiting for German")
    screens.shot("declared")
    german.get_by_role("button", name="1 defends").click()

    # Stacks lie open on every screen; what the counters do not tell is typed once, then the die.
    for page in screens.all().values():
        expect(page.locator("#live")).to_contain_text("13 TC, 226 RD")
        expect(page.locator("#live")).to_contain_text("44 ID")
    screens.shot("opened")
    tap(soviet.get_by_role("link", name=re.compile("^Roll")), soviet.locator("#sheet .sheet"))
    soviet.get_by_label(re.compile("Attack factors")).fill("14+12")
    soviet.get_by_label(re.compile("Defence factors")).fill("5+2")
    expect(soviet.locator("#sheet .breakdown")).to_contain_text("3:1")
    screens.shot("odds")
    roll(soviet.locator("#sheet"), mode, 4)
    expect(soviet.locator("#sheet .sheet")).to_have_count(0)
    screens.shot("rolled")
    assert play_out(screens, mode, code="1/2") >= 2
    screens.shot("over")


@pytest.mark.parametrize("mode", ["physical", "digital"])
def test_panzer_keil(server, device, mode):
    """9.6-9.9: the die, the printed chart in one tap, the defender's loss, his stack thrown back, the advance."""
    table = Table(server, "panzer-keil", "winter-1943", **{"mode-dice": mode})
    table.do("table", "set-up")
    for ask in table.sees("table")["asked"]:
        table.do("table", "dismiss", ask=ask["id"])
    for unit, hex_id, kind, nation, strength in (
        ("ss-w-1", "2041", "armour", "german", 8),
        ("302id", "1941", "infantry", "german", 6),
        ("voronezh-1", "2040", "infantry", "", 4),
        ("voronezh-2", "2040", "infantry", "", 5),
    ):
        table.do("table", "place-unit", unit=unit, hex=hex_id)
        facts = {"nation": nation} if nation else {}
        table.do("table", "describe-unit", unit=unit, kind=kind, attack=strength, defence=strength, **facts)
    table.do("table", "go-to", turn=1, phase="german-combat")
    screens = Screens(table, device, "german", "soviet")
    german = screens.phones["german"]
    screens.shot("pk-at-rest")
    tap(german.get_by_role("link", name=re.compile("^Attack")), german.locator("#sheet .sheet"))
    expect(german.locator("#sheet .foot-odds")).to_have_text(
        "2:1"
    )  # 14:9 and a shift of one; beside the button, always seen
    screens.shot("pk-form")
    roll(german.locator("#sheet"), mode, 4)
    screens.stands("German attack on 2040", "302 ID", "Voronezh 1", "2:1")
    screens.waits("german", "waiting for German: read the printed chart")
    screens.shot("pk-rolled")
    assert answer(german, mode, "DL")

    # The defender chooses whom he loses; the victor moves the rest back and follows.
    screens.waits("soviet", "waiting for Soviet: lose 1 of Voronezh 2, Voronezh 1")
    screens.stands("DL")
    screens.shot("pk-loss")
    assert answer(screens.phones["soviet"], mode, "")
    screens.waits("german", "waiting for German: move Voronezh 1 back 2 hexes")
    screens.shot("pk-retreat")
    assert answer(german, mode, "")
    screens.shot("pk-advance")
    assert play_out(screens, mode) == 1
    screens.shot("pk-over")
    assert screens.cost() == ({"physical": 7, "digital": 6}[mode], 0)


def test_panzer_keil_without_anything_on_record(server, device):
    """9.2-9.6: two strengths, the ground, the die, the printed chart, and one line that says what follows."""
    table = Table(server, "panzer-keil", "winter-1943", **{"mode-dice": "physical"})
    table.do("table", "go-to", turn=1, phase="soviet-combat")
    screens = Screens(table, device, "soviet", "german")
    soviet = screens.phones["soviet"]
    sheet = soviet.locator("#sheet")
    tap(soviet.get_by_role("link", name=re.compile("^Attack")), sheet.locator(".sheet"))
    screens.shot("pk-bare-form")
    for field, role, strength in (("^Attack$", "textbox", "13"), ("^Defence$", "spinbutton", "6")):
        box = sheet.get_by_role(role, name=re.compile(field)).first
        box.click()
        box.press_sequentially(strength)
    sheet.get_by_role("radio", name="other").check()
    expect(sheet.locator(".foot-odds")).to_have_text("2:1")
    roll(sheet, "physical", 4)
    expect(sheet.locator(".sheet")).to_have_count(0)
    screens.shot("pk-bare-rolled")
    assert answer(soviet, "physical", "D1")
    screens.stands("D1: defenders back 1, moved by the German player")
    screens.shot("pk-bare-result")
    soviet.locator(".duty").get_by_role("button", name="Done", exact=True).click()
    for page in screens.all().values():
        expect(page.locator(".duty")).to_have_count(0)
    taps, typed = screens.cost()
    assert taps <= 8 and typed <= 4, (taps, typed)


def test_panzer_keil_eight_attackers_thrown_back(server, device):
    """9.6, 9.7: eight units in three hexes attack, and the three stacks go back two hexes, a tap each."""
    table = Table(server, "panzer-keil", "winter-1943", **{"mode-dice": "physical"})
    table.do("table", "set-up")
    for ask in table.sees("table")["asked"]:
        table.do("table", "dismiss", ask=ask["id"])
    names = ["ss-w-1", "ss-w-2", "ss-w-3", "302id", "320id", "333id", "88id", "340id"]
    for number, unit in enumerate(names):
        table.do("table", "place-unit", unit=unit, hex=("2041", "1941", "2141")[number // 3])
        table.do("table", "describe-unit", unit=unit, kind="infantry", nation="german", attack=2, defence=2)
    table.do("table", "place-unit", unit="voronezh-1", hex="2040")
    table.do("table", "describe-unit", unit="voronezh-1", kind="infantry", defence=9)
    table.do("table", "go-to", turn=1, phase="german-combat")
    screens = Screens(table, device, "german", "soviet")
    german = screens.phones["german"]
    sheet = german.locator("#sheet")
    tap(german.get_by_role("link", name=re.compile("^Attack")), sheet.locator(".sheet"))
    expect(sheet.locator(".foot-odds")).to_have_text("1:1")  # the only target, and whoever can attack it
    screens.shot("pk-eight-form")
    roll(sheet, "physical", 1)
    assert answer(german, "physical", "A2")
    screens.shot("pk-eight-retreats")
    for _ in range(3):
        german.wait_for_timeout(400)  # a button rests for a moment when the page has changed under the finger
        ask = german.locator(".duty").first
        name = ask.get_attribute("id")
        ask.locator(".duty-answers button").first.click()
        expect(german.locator(f"#{name}")).to_have_count(0)
    for page in screens.all().values():
        expect(page.locator(".duty")).to_have_count(0)
    screens.shot("pk-eight-over")
    taps, typed = screens.cost()
    assert taps <= 8 and not typed, (taps, typed)


@pytest.mark.parametrize("mode", ["physical", "digital"])
def test_wb95(server, device, mode):
    """5.2.1, 6.3.3, 16.1: closed stacks are opened by the attack, the defender's gun joins on his own phone."""
    table = Table(server, "wb95", "kharkov-1942", **{"mode-dice": mode})
    for side, name, hex_id, kind, strength in (
        ("soviet", "226 RD", "3010", "INF", 14),
        ("soviet", "36 TB", "3010", "ARM", 4),
        ("german", "Covered 211", "3011", "INF", 3),
        ("german", "294 ID", "3011", "INF", 4),
        ("german", "Battery 77", "3013", "ART", 4),
        ("german", "Behind 77", "3013", "INF", 2),
    ):
        table.do(
            "table", "add-unit", side=side, name=name, kind=kind, hex=hex_id, steps=1 if kind == "ART" else 2
        )
        unit = next(u["id"] for u in table.sees(side)["units"] if u["name"] == name)
        table.do("table", "set-counter", unit=unit, attack=strength, defence=strength)
    table.do("table", "go-to", turn=1, phase="attack-a")
    screens = Screens(table, device, "soviet", "german")
    soviet, german = screens.phones["soviet"], screens.phones["german"]
    assert not re.search("Covered 211|Battery 77", screens.sources("soviet", "table"))
    screens.shot("wb-at-rest")
    tap(soviet.get_by_role("link", name=re.compile("^Attack")), soviet.locator("#sheet .sheet"))
    for name in ("3011", "226 RD", "36 TB"):  # the only target, and whoever can attack it
        expect(soviet.locator("#sheet").get_by_role("checkbox", name=re.compile(name))).to_be_checked()
    screens.shot("wb-form")
    soviet.locator("#sheet .sheet-foot button").last.click()

    # Both stacks lie open; the battery that may fire is known to its owner alone.
    screens.stands("Attack on 3011", "226 RD", "Covered 211", "3:1")
    screens.waits("german", "waiting for German: do guns join the defence")
    assert "Battery 77" not in screens.sources("soviet", "table")
    screens.shot("wb-declared")
    german.locator(".duty label.choice", has_text="Battery 77").click()
    german.locator(".duty").get_by_role("button", name="Join the defence").click()
    screens.stands("2:1")
    screens.waits("soviet", "waiting for Soviet: roll")
    screens.shot("wb-joined")
    roll(soviet.locator(".duty"), mode, 4, 5)  # right on the card
    for page in screens.all().values():
        expect(page.locator(".battle, .battle-last").first.locator(".die")).to_have_count(2)
    screens.shot("wb-rolled")
    play_out(screens, mode)
    screens.shot("wb-over")
    assert mode == "digital" or screens.cost() <= (15, 0)


def type_in(field: Locator, text: str) -> None:
    """As a finger does: a tap into the field, then the keys."""
    field.click()
    field.page.keyboard.type(text)


def strangers(table: Table, number: int) -> None:
    """Soviets before a closed German stack, none of whose counters was ever copied but the one beneath; all others gone."""
    for side in ("soviet", "german"):
        for unit in table.sees(side)["units"]:
            if unit["side"] == side and unit["place"].isdecimal():
                table.do(side, "place-unit", unit=unit["id"], box="box:dead")
    for side, name, row in (("soviet", "RD", 10), ("german", "Covered", 11), ("german", "ID", 11)):
        hex_id = f"{20 + 2 * number}{row}"
        table.do("table", "add-unit", side=side, name=f"{name} {number}", kind="INF", hex=hex_id, steps=2)
    covered = next(u["id"] for u in table.sees("german")["units"] if u["name"] == f"Covered {number}")
    table.do("german", "set-counter", unit=covered, attack=1)


def test_wb95_taps_with_strengths_that_nobody_knows(server, device):
    """SCREENS: 9 taps and 3 characters, each strength asked of its owner; digital dice until they bring a plain retreat."""
    table = Table(server, "wb95", "kharkov-1942", **{"mode-dice": "digital"})
    table.do("table", "go-to", turn=1, phase="attack-a")
    strangers(table, 0)
    screens = Screens(table, device, "soviet", "german")
    soviet, german = screens.phones["soviet"], screens.phones["german"]
    for number in range(1, 13):
        before = screens.cost()
        tap(soviet.get_by_role("link", name=re.compile("^Attack")), soviet.locator("#sheet .sheet"))
        type_in(soviet.get_by_label("SP of each attacker"), "14")
        soviet.locator("#sheet .sheet-foot button").last.click()
        type_in(german.locator(".duty [name=strengths]"), "2")
        german.locator(".duty").get_by_role("button", name="Join the defence").click()
        roll(soviet.locator(".duty"), "digital")
        expect(soviet.locator(".battle-result").first).to_contain_text("/")
        result = table.sees("soviet")["battles"][-1]["result"]
        if re.fullmatch(r"[-•] / D[23]", result):
            break
        for seat in ("soviet", "german"):  # losses beside: another battle, to count the same thing
            for ask in table.sees(seat)["asked"]:
                table.do("table", "dismiss", ask=ask["id"])
        strangers(table, number)
    german.locator(".duty").get_by_role("button", name=re.compile("^Fall back [23]$")).click()
    german.locator(".duty").get_by_role("button", name=re.compile("^To ")).first.click()
    soviet.locator(".duty").get_by_role("button", name="No", exact=True).click()
    for page in screens.phones.values():
        expect(page.locator(".duty")).to_have_count(0)  # the tests rolled themselves
    assert table.sees("table")["battles"][-1]["over"]
    spent, typed = (now - then for now, then in zip(screens.cost(), before, strict=True))
    assert spent <= 9 and typed <= 3, (spent, typed)


def chits_of(table: Table, side: str) -> list[str]:
    """The chits that a side has drawn, as its own phone names them."""
    pile = next(p for p in table.sees(side)["piles"] if p["id"] == "chits")
    return [t["id"] for z in pile["zones"] if z["zone"].startswith(f"at:{side}") for t in z["tokens"]]


def told(sources: str) -> str:
    """Pages without what is drawn, scripted, timed or counted anyway."""
    return re.sub(r"<svg.*?</svg>|<script.*?</script>|\d\d:\d\d|[0-9a-f]{32,}", "", sources, flags=re.S)


@pytest.mark.parametrize("mode", ["physical", "digital"])
def test_kharkov_battles(start_server, device, mode):
    """5.21, 12.0-12.8: designated, air on both sides, hidden strengths announced, the die, the loser's way to pay."""
    server = start_server()
    if mode == "digital":  # else the chits are the players' own, and their charts printed
        ownbooks.kharkov_battles(server)
    table = Table(server, "kharkov-battles", "operation-star", **{"mode-dice": mode, "mode-chits": mode})
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
    for ask in table.sees("table")["asked"]:  # of the set-up
        table.do("table", "dismiss", ask=ask["id"])
    for side in ("axis", "soviet"):
        table.do("table", "correct", name=f"air-{side}", value="1")
    screens = Screens(table, device, "soviet", "axis")
    soviet, axis = screens.phones["soviet"], screens.phones["axis"]
    screens.shot("kb-at-rest")
    tap(soviet.get_by_role("link", name=re.compile("Designate an attack")), soviet.locator("#sheet .sheet"))
    expect(soviet.get_by_label(re.compile("Hex under attack"))).to_have_value("KB3620")  # there is no other
    for name in ("12 Tank", "62 Gds"):
        expect(soviet.locator("#sheet").get_by_role("checkbox", name=re.compile(name))).to_be_checked()
    screens.shot("kb-form")
    soviet.locator("#sheet .sheet-foot button").last.click()
    screens.stands("Attack on KB3620", "12 Tank", "62 Gds")
    screens.waits("soviet", "waiting for Soviet: fight the attack on KB3620")
    screens.shot("kb-designated")
    soviet.locator(".duty").get_by_role("button", name="Fight it").click()  # in the clear, without air

    # The defender's air is asked on his phone; then each side tells its strength, and nobody sees the other's chits.
    screens.waits("axis", "waiting for Axis: does an Air Point defend?")
    screens.shot("kb-air")
    axis.locator(".battle .duty").get_by_role("button", name="1 Air Point").click()
    if mode == "physical":
        for side, number, words in (("soviet", "97", "attacking"), ("axis", "89", "defending")):
            page, other = screens.phones[side], "axis" if side == "soviet" else "soviet"
            # A number that no clock shows, no counter carries, and no line of the record has come to yet.
            assert table.sees("table")["revision"] < int(number)
            screens.waits(side, f"strength {words} KB3620")
            screens.shot(f"kb-strength-{side}")
            duty = page.locator(".battle .duty").filter(has_text="on the chit")
            duty.get_by_role("spinbutton").fill(number)
            duty.get_by_role("button", name="Tell the strength").click()
            expect(duty).to_have_count(0)
            assert not re.search(rf"(?<![\w.#-]){number}(?![\w.-])", told(screens.sources(other, "table"))), (
                side
            )
    else:
        hidden = {side: chits_of(table, side) for side in screens.phones}
        for side, other in (("soviet", "axis"), ("axis", "soviet")):
            assert hidden[side] and not any(c in screens.sources(other, "table") for c in hidden[side])
    screens.stands("Attack on KB3620", "1-2")
    screens.waits("soviet", "waiting for Soviet: roll")
    screens.shot("kb-announced")
    roll(soviet.locator(".battle .duty"), mode, 7)  # right on the card
    screens.stands("KB3620")
    screens.shot("kb-rolled")
    play_out(screens, mode, code="D(1)r2")
    screens.shot("kb-over")
    assert screens.cost() <= {"physical": (14, 4), "digital": (12, 0)}[mode]


def test_kharkov_battles_with_nothing_on_record(server, device):
    """12.0: two numbers, the die, the loser's word; the rest is on the map."""
    ownbooks.kharkov_battles(server)
    table = Table(server, "kharkov-battles", "operation-star", **{"mode-dice": "physical"})
    table.do("table", "go-to", turn=1, phase="soviet-combat")
    for ask in table.sees("table")["asked"]:  # of the set-up
        table.do("table", "dismiss", ask=ask["id"])
    table.do("table", "correct", name="air-soviet", value="0")
    screens = Screens(table, device, "soviet", "axis")
    soviet = screens.phones["soviet"]
    tap(soviet.get_by_role("link", name=re.compile("Resolve an assault")), soviet.locator("#sheet .sheet"))
    soviet.get_by_role("spinbutton", name="Attack strength").fill("26")
    soviet.get_by_role("spinbutton", name="Defence strength").fill("7")
    expect(soviet.locator("#sheet .foot-odds")).to_contain_text("3-1")
    screens.shot("kb-direct-form")
    roll(soviet.locator("#sheet"), "physical", 7)
    screens.stands("D(1)r2")
    screens.shot("kb-direct-rolled")
    axis = screens.phones["axis"]
    lose = axis.locator(".duty").get_by_role("button", name="Lose 1 step, retreat 2 hexes")
    tap(lose, axis.locator(".battle-last").filter(has_text="Soviet may advance up to 2 hexes"))
    for page in screens.all().values():
        expect(page.locator(".duty")).to_have_count(0)
        expect(page.locator(".battle-last")).to_contain_text("Axis loses 1 step and retreats 2 hexes")
        expect(page.locator(".battle-last")).to_contain_text("Soviet may advance up to 2 hexes")
    screens.shot("kb-direct-over")
    taps, typed = screens.cost()
    assert taps <= 8 and typed <= 3, (taps, typed)


@pytest.mark.parametrize("mode", ["physical", "digital"])
def test_enemy_action(start_server, device, mode):
    """9.0-9.8: tactics from hidden hands on both phones, the cup, hits in order, the retreat, the advance."""
    server = start_server()
    ownbooks.enemy_action(server)
    table = Table(server, "enemy-action-kharkov", "campaign", **{"mode-chits": mode})
    for action in ("next-phase", "prepare-cards", "next-phase"):
        table.do("table", action, revision=table.sees("table")["revision"])
    for side, name, hex_id, kind in (
        ("soviet", "183 RD", "2010", "infantry"),
        ("soviet", "25 GRD", "2010", "infantry"),
        ("soviet", "5 GTC", "2111", "armour"),
        ("german", "168 ID", "2011", "infantry"),
    ):
        table.do("table", "add-unit", side=side, name=name, kind=kind, hex=hex_id, steps=2)
    hands = {side: hand(table, side) for side in ("soviet", "german")}
    table.do("soviet", "play-card", card=hands["soviet"][0], what="activate", formations="40")
    screens = Screens(table, device, "soviet", "german")
    soviet, german = screens.phones["soviet"], screens.phones["german"]
    screens.shot("ea-at-rest")
    tap(soviet.get_by_role("link", name=re.compile("Declare a combat")), soviet.locator("#sheet .sheet"))
    expect(soviet.get_by_label(re.compile("Target hex"))).to_have_value("2011")
    for name in ("183 RD", "25 GRD", "5 GTC"):
        expect(soviet.locator("#sheet").get_by_role("checkbox", name=re.compile(name))).to_be_checked()
    screens.shot("ea-form")
    soviet.locator("#sheet .sheet-foot button").last.click()
    screens.stands("Attack on 2011", "183 RD", "168 ID")
    if mode == "digital":  # chits compare strengths: each is read off its counter, once
        expect(soviet.locator(".duty").first).to_contain_text("strength of 183 RD at 2 steps")
        expect(german.locator(".duty").first).to_contain_text("strength of 168 ID at 2 steps")  # each his own
        for number, ask in enumerate(table.sees("table")["asked"]):
            if ask["action"] == "tell-strength":
                table.do("table", "tell-strength", _asked=ask["id"], points=5 - number)

    # Tactics, attacker first, out of hidden hands: two taps and a No.
    screens.waits("soviet", "waiting for Soviet: play a tactic, or No")
    screens.shot("ea-tactics")
    for side, tactic in (("soviet", "Artillery"), ("german", "Combat engineers")):
        page, card = screens.phones[side], hand(table, side)[0]
        others = screens.sources(*(seat for seat in screens.all() if seat != side))
        assert not re.search(rf"\b{card}\b", others), side
        page.locator("#hand .hand-card", has_text=card).click()
        screens.shot(f"ea-card-{side}")
        page.locator("#sheet").get_by_role("button", name=tactic, exact=True).click()
        screens.stands(tactic)
        screens.shot(f"ea-played-{side}")
        page.locator(".duty").get_by_role("button", name="No", exact=True).click()
    screens.waits("soviet", "waiting for Soviet: draw 2 chits")
    screens.shot("ea-chits")
    if mode == "physical":
        for hits in ("Defender hits", "Attacker hits"):  # tapped, not typed
            soviet.get_by_role("group", name=re.compile(hits)).locator("label.choice", has_text="2").click()
        soviet.locator(".duty").get_by_role("button", name="Enter the chits").click()
    else:
        soviet.locator(".duty").get_by_role("button", name="Draw 2 chits").click()
    expect(soviet.locator(".duty")).to_contain_text("stop, or draw up to 2 more")
    screens.shot("ea-more")
    soviet.locator(".duty").get_by_role("button", name="Stop here").click()
    screens.waits("german", "waiting for German: take 1 hit")  # the engineers' position took one of two
    screens.stands("A2 D1")
    screens.shot("ea-hits")
    german.locator(".duty").get_by_role("button", name=re.compile("Retreat one hex")).click()
    screens.waits("german", "waiting for German: retreat")
    screens.shot("ea-retreat")
    assert answer(german, mode, "")
    soviet.locator(".duty").get_by_role("button", name=re.compile("Disperse all attackers")).click()
    screens.shot("ea-dispersed")
    play_out(screens, mode)
    screens.shot("ea-over")
    taps, typed = screens.cost()
    assert taps <= {"physical": 15, "digital": 13}[mode] and not typed
