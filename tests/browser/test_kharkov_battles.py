"""Kharkov Battles at the table: a Prepared Assault with hidden strength chits on two phones.

The owner's book used here is synthetic: every number in it is made up by this test.
"""

import json
import re
import urllib.parse
import urllib.request

import pytest
from playwright.sync_api import Locator, Page, expect
from tablehand import Table, tap

pytestmark = pytest.mark.browser

FULL, REDUCED = range(96, 100), range(91, 95)
CHITS = {
    f"made-up-{n}": {"full": f"A{full} B{full}", "reduced": f"A{reduced} B{reduced}"}
    for n, (full, reduced) in enumerate(zip(FULL, REDUCED, strict=True))
}
"""Strengths 96-99, reduced 91-94: with 4 more beside them no total equals a chit."""
RESULT = "D(1)r2"


def synthetic_book() -> dict:
    """An owner's book with nothing real in it: one combat result everywhere, a turn track, four chits."""
    crt = {f"{roll}|{odds}-1": RESULT for roll in range(10) for odds in range(1, 12)}
    crt.pop("4|7-1")  # the rulebook's own cell
    track = {
        f"{turn}|{name}": value
        for turn in range(17)
        for name, value in (("weather", "clear"), ("axis-air", "1"))
    }
    chits = {f"{chit}|{face}": text for chit, faces in CHITS.items() for face, text in faces.items()}
    places = {f"{h}|owner": "axis" for h in ("KB3617", "KB3618", "KB1905", "KB1205", "KB1024", "KB3505")}
    places["KB3631|owner"] = "soviet"
    sheets = {"chart/crt": crt, "book/trt-kb": track, "book/chits": chits, "book/places": places}
    head = {"kind": "kharkov-companion chart book", "format": 1, "system": "kharkov-battles"}
    return {**head, "sheets": sheets}


def load_book(server) -> None:
    body = urllib.parse.urlencode({"text": json.dumps(synthetic_book())}).encode()
    headers = {"Origin": server.url, "Cookie": f"book-key={server.book_key()}"}
    request = urllib.request.Request(f"{server.url}/book/kharkov-battles/share", body, headers)
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert "Not usable" not in answer.read().decode()


def deploy(table: Table) -> None:
    """A tank corps and a Guards division face a German regiment and a security division."""

    def enrol(side: str, name: str, kind: str, at: str, **printed) -> None:
        table.do("table", "enrol", side=side, name=name, kind=kind, hex=at, **printed)

    enrol("axis", "Test Regiment", "panzergrenadier", "3620", size="III", formation="Test", rating="A")
    enrol("axis", "Test Security", "security", "3620", strength=4)
    enrol("soviet", "Test Tank", "tank", "3520", size="XXX", formation="pink", rating="B")
    enrol("soviet", "Test Guards", "rifle", "3520", formation="pink", strength=4, steps=2, guards=True)


def card(page: Page, text: str) -> Locator:
    """The question that stands on a phone, inside its battle."""
    found = page.locator(".battle .duty").filter(has_text=re.compile(text, re.I))
    expect(found).to_be_visible()
    return found


def press(question: Locator, name: str) -> None:
    """Answer with a button of the card: again while it still rests under the finger after a swap."""
    button = question.get_by_role("button", name=name, exact=True)
    for _ in range(4):
        button.click()
        try:
            expect(button).to_have_count(0, timeout=4_000)
        except AssertionError:
            continue
        return
    expect(button).to_have_count(0)


def secret(table: Table, seat: str, unit: str) -> dict:
    """The chit under a unit, as its owner's seat sees it."""
    chits = next(p for p in table.sees(seat)["piles"] if p["id"] == "chits")
    return next(z["tokens"][0] for z in chits["zones"] if z["zone"] == f"at:{unit}")


def numbers_in(thing) -> set[int]:
    """Every number anywhere in an API answer."""
    if isinstance(thing, dict):
        return {n for item in thing.items() for part in item for n in numbers_in(part)}
    if isinstance(thing, list):
        return {n for item in thing for n in numbers_in(item)}
    return {int(n) for n in re.findall(r"(?<![\w.])\d{1,4}(?![\w.])", str(thing))}


def never_shows(table: Table, chit: dict, pages: dict[str, Page], watcher: Page) -> None:
    """Neither the other phone, nor the table, nor a watcher is sent the chit, by page or by API."""
    wrong = {int(n) for face in ("full", "reduced") for n in re.findall(r"\d+", chit[face])}
    words = (chit["id"], chit["full"], chit["reduced"])
    assert table.sees("table")["revision"] < min(REDUCED), "the record's own line numbers would be mistaken"
    sources = {}
    for seat, page in {**pages, "watch": watcher}.items():
        base = f"{table.server.url}/t/{table.code}/{seat}"
        answers = [page.request.get(base + path) for path in ("", "/log", "/units", "/map")]
        assert all(answer.ok for answer in answers), seat
        sources[seat] = [page.content(), *(answer.text() for answer in answers)]
        if seat != "watch":
            view = table.sees(seat)
            assert not wrong & numbers_in(view), (seat, wrong & numbers_in(view))
            sources[seat].append(json.dumps(view))
    for seat, texts in sources.items():
        for text in texts:
            assert not [word for word in words if word in text], seat
            plain = re.sub(
                r'<svg.*?</svg>|<script.*?</script>|data-(?:frame|home)="[^"]*"', "", text, flags=re.S
            )
            shown = {int(n) for n in re.findall(r"(?<![\w.#-])\d{2}(?![\w.-])", plain)}
            assert not wrong & shown, (seat, wrong & shown)


def test_a_prepared_assault_with_hidden_chits(start_server, device):
    """2.6, 5.21, 12.0-12.8: two phones, a tablet and a watcher; at every step nobody is sent the other's chit."""
    server = start_server()
    load_book(server)
    table = Table(server, "kharkov-battles", "operation-star")
    deploy(table)
    for _ in range(3):  # turn 0: Soviet command, construction, movement
        table.do("soviet", "next-phase")
    tablet = table.seat(device("tablet"), "table")
    soviet, axis = (table.seat(device("phone"), side) for side in ("soviet", "axis"))
    watcher = device("small")
    watcher.goto(f"{server.url}/t/{table.code}/watch")

    # The only target stands in the form, with everybody who can attack it.
    designate = soviet.get_by_role("link", name=re.compile("Designate an attack")).first
    tap(designate, soviet.locator("#sheet .sheet"))
    expect(soviet.get_by_label(re.compile("Hex under attack"))).to_have_value("KB3620")
    for name in ("Test Tank", "Test Guards"):
        expect(soviet.locator("#sheet").get_by_role("checkbox", name=re.compile(name))).to_be_checked()
    soviet.locator("#sheet .sheet-foot button").last.click()
    for page in (soviet, axis, tablet):
        expect(page.locator(".battle")).to_contain_text("Attack on KB3620")

    # Air first. The Axis has none on turn 0, so nobody asks it; each side's chits are drawn and its total told.
    fight = card(soviet, "fight it")
    fight.locator("label.choice", has_text="1 Air Point").click()
    press(fight, "Fight it")
    card(soviet, "roll")
    chit = secret(table, "soviet", "soviet-test-tank")
    other = secret(table, "axis", "axis-test-regiment")
    own = int(re.search(r"B(\d+)", chit["full"]).group(1))
    held = int(re.search(r"A(\d+)", other["full"]).group(1))
    assert {own, held} <= set(FULL)
    record = tablet.request.get(f"{server.url}/t/{table.code}/table/log").text()
    assert f"Soviet attacks with {own + 4}" in record and f"Axis defends with {held + 4}" in record
    others = {"axis": {"soviet": soviet, "table": tablet}, "soviet": {"axis": axis, "table": tablet}}
    never_shows(table, chit, others["soviet"], watcher)
    never_shows(table, other, others["axis"], watcher)

    # The odds stand on every screen with their shift; the die is on the card.
    expect(tablet.locator(".battle")).to_contain_text("attacker's Air Points")
    roll = card(soviet, "roll").get_by_role("button", name=re.compile("^Roll"))
    tap(roll, axis.locator(".battle .duty"))
    expect(tablet.locator(".battle")).to_contain_text(RESULT)
    expect(tablet.locator("[data-glow=track-air-soviet]")).to_contain_text("0")

    # The loser chooses on his phone; his chit is turned where only he sees it.
    press(card(axis, "lose 1 step, then retreat 2 hexes"), "Lose 2 steps, retreat 1 hex")
    press(card(axis, "lose 2 steps"), "Test Regiment \u22121, Test Security \u22121")
    way = card(axis, "retreat from KB3620, 1 hex")
    weaker = re.search(r"A(\d+)", other["reduced"]).group(1)
    assert int(weaker) in REDUCED
    expect(axis.locator("body")).to_contain_text(f"{weaker} (reduced)")
    never_shows(table, other, others["axis"], watcher)

    # What is left falls back, and the victor follows into the hex.
    press(way, way.get_by_role("button", name=re.compile("^KB")).first.inner_text())
    advance = card(soviet, "advance up to 1 hex")
    expect(advance.get_by_label(re.compile("To hex"))).to_have_value("KB3620")  # the hex the enemy left
    press(advance, "Advance")
    expect(soviet.locator(".battle:not(.battle-over) .duty")).to_have_count(0)
    places = {u["id"]: u["place"] for u in table.sees("table")["units"]}
    assert places["soviet-test-tank"] == "KB3620" and places["axis-test-regiment"] != "KB3620"
    never_shows(table, chit, others["soviet"], watcher)
    never_shows(table, other, others["axis"], watcher)

    # The record of it can be read aloud: totals, result, what the loser did; no ticks, no chit moves.
    record = tablet.request.get(f"{server.url}/t/{table.code}/table/log").text()
    for line in ("Prepared Assault on KB3620", "Axis loses 2 steps and retreats 1 hex", "Axis: 1 step taken"):
        assert line in record, line
    assert "Done:" not in record and "from pool" not in record


def test_the_end_is_seen_coming_and_announced(start_server, device):
    """What each side still lacks stands on every screen; the last town taken ends the game there and then."""
    server = start_server()
    load_book(server)
    table = Table(server, "kharkov-battles", "operation-star")
    tablet, axis = table.seat(device("tablet"), "table"), table.seat(device("phone"), "axis")
    for page in (tablet, axis):
        expect(page.get_by_label("Victory")).to_contain_text("Axis wins at once with Valuki")
    table.do("axis", "own-hexes", side="axis", hexes=["KB3631"])
    for page in (tablet, axis):
        expect(page.get_by_text(re.compile("Strategic Victory")).first).to_be_visible()


def test_a_units_name_is_not_squeezed_by_its_markers(start_server, device):
    server = start_server()
    table = Table(server, "kharkov-battles", "operation-star")
    deploy(table)
    table.do("table", "mark", marker="supply", units=["soviet-test-guards"], value="isolated")
    table.do("table", "mark", marker="ooc", units=["soviet-test-guards"], value="on")
    page = table.seat(device("small"), "soviet")
    page.goto(f"{server.url}/t/{table.code}/soviet/units")
    name = page.locator(".urow-name", has_text="Test Guards")
    expect(name).to_be_visible()
    assert name.bounding_box()["height"] < 40
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_nothing_of_it_is_too_wide_for_a_small_phone(start_server, device):
    """Every form that a phase of the first full turn offers fits 360 px, with a blank book and with counters."""
    server = start_server()
    table = Table(server, "kharkov-battles", "operation-star")
    deploy(table)
    table.do("table", "correct", name="rp-axis-foot", value="3")  # so that there is something to spend
    phones = {side: table.seat(device("small"), side) for side in ("axis", "soviet")}
    seen = set()
    for _ in range(17):
        for side, page in phones.items():
            names = [
                a["name"]
                for a in table.sees(side)["actions"]
                if a["fields"] and a["group"] in ("phase", "setup", "hand", "book-keeping")
            ]
            for name in [n for n in names if (side, n) not in seen]:
                seen.add((side, name))
                page.goto(f"{server.url}/t/{table.code}/{side}/do/{name}")
                assert page.evaluate("document.documentElement.scrollWidth") <= 360, (side, name)
        table.do("table", "next-phase")
    wanted = {"judge-supply", "receive-support", "replace", "build-fz", "declare-mobile", "resolve-assault"}
    assert wanted <= {name for side, name in seen if side == "axis"}


def test_a_counter_known_by_its_name_is_asked_for_before_it_is_lost(start_server, device):
    """2.7, 12.61: its owner tells type and steps on his phone; what the loss did stands on the other's."""
    server = start_server()
    load_book(server)
    table = Table(server, "kharkov-battles", "operation-star")
    table.do("table", "enter-positions", text="axis 320Inf 3620")
    table.do("table", "enter-positions", text="soviet 3Tk 3520")
    table.do("table", "go-to", turn=1, phase="soviet-combat")
    soviet, axis = (table.seat(device("phone"), side) for side in ("soviet", "axis"))
    table.do("soviet", "declare-assault", target="KB3620", attackers=["soviet-3tk"])

    def answer(seat: str, action: str, **fields) -> None:
        ask = next(a for a in table.sees(seat)["asked"] if a["action"] == action and a["live"])
        table.do(seat, action, _asked=ask["id"], **fields)

    answer("soviet", "begin-assault", points="0", terrain="clear")
    if any(a["action"] == "commit-air" for a in table.sees("axis")["asked"]):
        answer("axis", "commit-air", points="0")
    answer("soviet", "announce-strength", total=24)
    answer("axis", "announce-strength", total=9)
    expect(axis.locator(".battle")).to_contain_text("24 : 9")
    answer("soviet", "roll-assault")
    press(card(axis, "lose 1 step, then retreat 2 hexes"), "Lose 3 steps, stand fast")
    question = card(axis, "type and steps of 320Inf")
    expect(question.get_by_label("Type")).to_have_value("infantry")
    question.locator("label.choice", has_text="2 steps").click()
    press(question, "Tell what it is")
    expect(soviet.locator(".battle, .battle-last").first).to_contain_text(
        "320Inf is lost: Permanent Dead Box"
    )


def test_the_battle_that_was_answered_in_stays_in_sight(server, device) -> None:
    """Two attacks are designated; the lower one is begun and its card gets short: the page goes along with it."""
    table = Table(server, "kharkov-battles", "third-kharkov-l")
    table.do("table", "go-to", turn=11, phase="axis-combat")
    for ask in table.sees("table")["asked"]:
        table.do("table", "dismiss", ask=ask["id"])
    for name, at in (("One", "KB3614"), ("Two", "KB3619")):
        table.do("table", "enrol", side="axis", name=name, kind="infantry", hex=at, strength=9)
    for name, at in (("Three", "KB3615"), ("Four", "KB3620")):
        table.do("table", "enrol", side="soviet", name=name, kind="rifle", hex=at, strength=3)
    table.do("table", "correct", name="air-soviet", value="1")
    table.do("axis", "declare-assault", target="KB3615", attackers=["axis-one"], anyway=True)
    table.do("axis", "declare-assault", target="KB3620", attackers=["axis-two"], anyway=True)
    axis = table.seat(device("phone"), "axis")
    axis.set_viewport_size({"width": 360, "height": 560})
    lower = axis.locator(".battle").filter(has_text="Attack on KB3615")
    lower.get_by_role("button", name="Fight it").click()
    expect(lower).to_contain_text("Waiting for Soviet")
    expect(lower.locator(".battle-title")).to_be_in_viewport()
