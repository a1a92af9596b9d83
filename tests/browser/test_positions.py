"""Positions in a real browser: typed on a phone, seen on the tablet's map, traced by a tap, printed, rebuilt."""

import json
import re
import subprocess
import sys
import urllib.request

import pytest
from playwright.sync_api import expect

RING = "german 1 2420; german 1 2520; german 1 2521; german 1 2422; german 1 2321; german 1 2320"


class Table:
    """A table of Second Kharkov on a running server."""

    def __init__(self, server, **options):
        self.url = server.url
        body = {"system": "second-kharkov", "scenario": "historical", "options": options}
        made = self.call("/api/tables", body)
        self.code, self.seats = made["code"], made["seats"]

    def call(self, path, body, token=""):
        headers = {
            "Content-Type": "application/json",
            **({"Authorization": f"Bearer {token}"} if token else {}),
        }
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read())

    def act(self, seat, action, **fields):
        return self.call(f"/api/tables/{self.code}/actions/{action}", fields, self.seats[seat])

    def enter(self, seat, text):
        return self.act(seat, "enter-positions", text=text)

    def front(self):
        """A Soviet pocket and a free Soviet on turn 2."""
        self.enter("german", "Geheim 2408; 3Pz 2408")
        self.enter("soviet", "7 Cav 2421; 6 Cav 2421; 38 Guards 2617")
        last = self.enter("table", RING)
        self.act("table", "go-to", turn=2, phase="soviet-move", revision=last["revision"])
        return self

    def sit(self, page, seat, path=""):
        page.goto(f"{self.url}/j/{self.code}/{self.seats[seat]}")
        page.goto(f"{self.url}/t/{self.code}/{seat}/{path}")
        return page


@pytest.fixture
def table(server):
    return Table(server)


def open_map(page):
    expect(page.locator("#map")).to_have_class(re.compile("ready"))
    return page.locator("#map")


def on_screen(page, hex_id):
    """Where a hex is on the screen: just under its printed number."""
    box = page.locator("#base .numbers text", has_text=re.compile(f"^{hex_id}$")).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] * 2.2


def tap(page, hex_id):
    page.touchscreen.tap(*on_screen(page, hex_id))


def view_boxes(page):
    return {layer.get_attribute("viewBox") for layer in page.locator(".map-layer").all()}


# -- entry


def test_a_phone_types_and_the_tablet_sees_it(table, device):
    phone, tablet = table.sit(device("phone"), "german", "entry"), table.sit(device("tablet"), "table", "map")
    open_map(tablet)
    expect(tablet.locator(".map-empty")).to_contain_text("No units yet.")
    line = phone.get_by_role("textbox", name="Enter positions")
    line.fill("3Pz 2408")
    phone.get_by_role("button", name="Enter", exact=True).click()
    expect(phone.locator("#entry-answer")).to_contain_text("3rd Panzer: 2408")
    expect(line).to_have_value("")
    expect(phone.locator("#live")).to_contain_text("3rd Panzer")
    expect(tablet.locator("#overlay .nm")).to_have_text("3rd Panzer")
    expect(tablet.locator(".map-empty")).to_have_count(0)
    expect(tablet.locator("#base .numbers text")).to_have_count(29 * 29)


def test_ten_moves_by_keypad_and_chips(table, device):
    table.enter("german", "; ".join(f"{n}Pz 24{n:02d}" for n in range(10, 20)))
    phone = table.sit(device("phone"), "german", "entry")
    line = phone.get_by_role("textbox", name="Enter positions")
    assert line.get_attribute("inputmode") == "none", "our keypad, not the phone's keyboard over it"
    keys = phone.get_by_role("group", name="Keypad")
    for n in range(10, 20):
        phone.get_by_role("button", name=f"Type 24{n:02d}").click()
        expect(line).to_have_value(f"24{n:02d} ")
        if n % 2:
            around = phone.get_by_role("group", name=f"Around 24{n:02d}")
            around.get_by_role("button", name=f"25{n:02d}", exact=True).click()
        else:
            for key in f"25{n:02d}":
                keys.get_by_role("button", name=key, exact=True).click()
        phone.get_by_role("button", name="Enter", exact=True).click()
        expect(phone.locator("#entry-answer")).to_contain_text(f"24{n:02d} \u2192 25{n:02d}")
        expect(phone.get_by_role("button", name=f"Type 25{n:02d}")).to_be_visible()
    keys.get_by_role("button", name="1", exact=True).click()
    keys.get_by_role("button", name="Erase").click()
    expect(line).to_have_value("")


def test_names_are_suggested_and_wrong_lines_stay(table, device):
    table.enter("german", "16Pz 2408; 24Pz 2410")
    tablet = table.sit(device("tablet"), "german", "entry")
    line = tablet.get_by_role("textbox", name="Enter positions")
    line.press_sequentially("16")
    tablet.get_by_role("group", name="Units").get_by_role("button", name="16Pz").click()
    expect(line).to_have_value("16Pz ")
    tablet.get_by_role("group", name="Around 2408").get_by_role("button", name="2409").click()
    line.press("End")
    line.press_sequentially("; 24Pz 9999")
    tablet.expected_errors += ["422"]
    line.press("Enter")
    expect(tablet.get_by_role("alert")).to_contain_text("line 2: 9999 is not on this map")
    expect(line).to_have_value("16Pz 2409; 24Pz 9999")
    line.fill("16Pz 2409; 24Pz 2411")
    line.press("Enter")
    expect(tablet.locator("#entry-answer")).to_contain_text("24Pz: 2410 \u2192 2411")


def test_without_javascript(table, device):
    page = table.sit(device("phone", java_script_enabled=False), "soviet", "entry")
    page.get_by_role("textbox", name="Enter positions").fill("38 Guards 2713")
    page.get_by_role("button", name="Enter", exact=True).click()
    expect(page.locator("#entry-answer")).to_contain_text("38 Guards: 2713")
    page.goto(f"{table.url}/t/{table.code}/soviet/map")
    expect(page.locator("image.base-image")).to_be_visible()
    page.locator(".map-list summary").click()
    page.locator(".map-list").get_by_role("link", name="2713").click()
    expect(page.get_by_role("region", name="Hex 2713")).to_contain_text("38 Guards")


# -- the map


@pytest.mark.parametrize("size", ["phone", "tablet"])
def test_a_tap_traces_supply_or_shows_what_cuts_it(table, device, size):
    page = table.front().sit(device(size), "soviet", "map")
    open_map(page)
    page.locator("#find").fill("2421")
    page.locator("#find").press("Enter")
    sheet = page.locator("#hex-sheet")
    expect(sheet).to_contain_text("Out of supply.")
    expect(sheet).to_contain_text("2420 enemy unit")
    expect(page.locator("#pick .cutting")).to_have_count(1)
    expect(page.locator("#pick .line")).to_have_count(0)
    sheet.get_by_role("link", name="Close").click()
    expect(page.locator("#pick > *")).to_have_count(0)
    page.locator("#find").fill("2617")
    page.locator("#find").press("Enter")
    expect(sheet).to_contain_text("In supply.")
    expect(page.locator("#pick .line")).to_have_count(1)
    sheet.get_by_role("link", name="Close").click()
    tap(page, "2617")
    expect(sheet).to_contain_text("38 Guards")
    sheet.get_by_role("link", name="More about 2617").click()
    sheet.get_by_label("Range").fill("2")
    sheet.get_by_role("button", name="Show").click()
    expect(sheet).to_contain_text("Within 2: 19 hexes")
    expect(page.locator("#pick .reach")).to_have_count(1)
    assert len(view_boxes(page)) == 1, "all drawings move together"


def test_moving_from_the_sheet_redraws_the_counter_only(table, device):
    page = table.front().sit(device("tablet"), "soviet", "map")
    open_map(page)
    page.evaluate("document.getElementById('base').firstElementChild.dataset.kept = 'yes'")
    page.locator("#find").fill("2617")
    page.locator("#find").press("Enter")
    line = page.get_by_label("Move from here, or bring a unit in")
    line.fill("2617 2717")
    line.press("Enter")
    expect(page.locator("#hex-sheet")).to_contain_text("2617 \u2192 2717")
    expect(page.locator("#live")).to_have_attribute("data-rev", re.compile(r"\d+"))
    page.locator(".map-list summary").click()
    expect(page.locator(".map-list")).to_contain_text("2717")
    assert page.evaluate("document.getElementById('base').firstElementChild.dataset.kept") == "yes"


def test_drag_zoom_keys_and_the_view_is_kept(table, device):
    page = table.front().sit(device("tablet"), "table", "map")
    stage = open_map(page)
    first = view_boxes(page)
    page.get_by_role("button", name="Closer").click()
    expect(page.locator("#overlay")).not_to_have_attribute("viewBox", first.pop())
    stage.focus()
    before = view_boxes(page)
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("-")
    expect(page.locator("#overlay")).not_to_have_attribute("viewBox", before.pop())
    box = stage.bounding_box()
    page.mouse.move(box["x"] + 500, box["y"] + 300)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 250, steps=4)
    page.mouse.up()
    expect(page.locator("#hex-sheet")).to_have_count(0)
    page.wait_for_timeout(100)
    kept = view_boxes(page)
    assert len(kept) == 1
    page.goto(f"{table.url}/t/{table.code}/table/entry")
    page.goto(f"{table.url}/t/{table.code}/table/map")
    open_map(page)
    shown = [float(n) for n in view_boxes(page).pop().split()]
    assert shown == pytest.approx([float(n) for n in kept.pop().split()], abs=1)
    page.keyboard.press("/")
    expect(page.locator("#find")).to_be_focused()


def hold(page, hex_id):
    """A long press: one finger, still, for most of a second."""
    x, y = on_screen(page, hex_id)
    fingers = page.context.new_cdp_session(page)
    fingers.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    page.wait_for_timeout(700)
    fingers.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.parametrize("size", ["phone", "tablet", "small"])
def test_two_taps_move_a_stack_and_one_takes_it_back(table, device, size):
    other = table.sit(device("tablet"), "table", "map")
    page = table.front().sit(device(size), "soviet", "map")
    open_map(page)
    tap(page, "2617")
    expect(page.locator("#move-form")).to_be_visible()
    tap(page, "2616")
    expect(page.locator("#toast")).to_contain_text("38 Guards: 2617 \u2192 2616")
    expect(page.locator("#hex-sheet")).to_have_count(0)
    expect(page.locator("#pick > *")).to_have_count(0)
    expect(page.locator('.map-list a[data-hex="2616"]')).to_have_count(1)
    expect(other.locator('.map-list a[data-hex="2616"]')).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator('.map-list a[data-hex="2617"]')).to_have_count(1)
    expect(page.locator("#overlay")).to_be_visible()  # it is still the map
    expect(page.locator("#toast")).to_contain_text("Took back: move")


def test_a_hasty_second_tap_is_not_lost(table, device):
    page = table.front().sit(device("phone"), "soviet", "map")
    open_map(page)
    page.evaluate("""() => { const ask = htmx.ajax; htmx.ajax = async (...all) => {
        await new Promise((done) => setTimeout(done, 400)); return ask.apply(htmx, all); }; }""")
    tap(page, "2617")
    tap(page, "2616")
    expect(page.locator("#toast")).to_contain_text("38 Guards: 2617 \u2192 2616")


def test_some_of_a_stack_stay_behind_and_a_tick_outlives_a_refresh(table, device):
    page = table.front().sit(device("phone"), "soviet", "map")
    open_map(page)
    tap(page, "2421")
    chips = page.get_by_role("group", name="Who moves")
    wide = chips.locator("label").first.bounding_box()["width"]
    chips.get_by_role("checkbox", name="6 Cav").uncheck()
    assert chips.locator("label").first.bounding_box()["width"] == wide, "a chip is as wide unticked"
    table.enter("german", "3Pz 2410")
    expect(page.locator('.map-list a[data-hex="2410"]')).to_have_count(1)
    expect(chips.get_by_role("checkbox", name="6 Cav")).not_to_be_checked()
    page.locator("#move-hex").fill("2423")
    page.get_by_role("button", name="Move", exact=True).click()
    expect(page.locator("#toast")).to_contain_text("7 Cav: 2421 \u2192 2423")
    expect(page.locator('.map-list a[data-hex="2421"]')).to_have_count(1)


def test_a_stack_is_not_put_on_another_by_a_slip(table, device):
    page = table.front().sit(device("tablet"), "soviet", "map")
    open_map(page)
    tap(page, "2617")
    expect(page.locator("#move-form")).to_have_attribute("data-from", "2617")
    tap(page, "2421")
    expect(page.locator("#move-form")).to_have_attribute("data-from", "2421")
    page.get_by_role("button", name="Move 38 Guards here").click()
    expect(page.locator("#toast")).to_contain_text("38 Guards: 2617 \u2192 2421")
    tap(page, "2421")
    expect(page.locator("#move-form")).to_be_visible()
    tap(page, "2421")
    expect(page.locator("#hex-sheet")).to_have_count(0)


@pytest.mark.parametrize("size", ["phone", "tablet"])
def test_out_of_supply_in_two_taps(table, device, size):
    page = table.front().sit(device(size), "soviet", "map")
    open_map(page)
    hold(page, "2421")
    sheet = page.get_by_role("region", name="Markers in 2421")
    sheet.get_by_role("button", name="Out of supply").first.click()
    expect(page.locator("#toast")).to_contain_text("7 Cav: Out of supply")
    expect(page.locator("#toast")).to_contain_text("6 Cav: Out of supply")
    expect(page.locator("#hex-sheet")).to_have_count(0)
    expect(page.locator("#overlay .pill")).to_have_count(1)


def test_a_tap_on_the_enemy_opens_the_attack_with_those_beside_him(table, device):
    table.front()
    last = table.enter("soviet", "38 Guards 2409")
    table.act("table", "go-to", turn=2, phase="soviet-combat", revision=last["revision"])
    page = table.sit(device("phone"), "soviet", "map")
    open_map(page)
    tap(page, "2408")
    page.get_by_role("link", name="Attack 2408").click()
    form = page.locator("#sheet form")
    expect(form.get_by_role("checkbox", name=re.compile("38 Guards"))).to_be_checked()
    expect(form.locator("[name=target]").first).to_have_value("2408")
    assert "Geheim" not in page.content()
    form.get_by_role("checkbox", name=re.compile("38 Guards")).click()
    expect(form.get_by_label("Attack factors")).to_be_visible()
    expect(form.locator("[name=target]").first).to_have_value("2408")


def test_the_map_is_played_by_keys(table, device):
    page = table.front().sit(device("tablet"), "soviet", "map")
    open_map(page)
    page.locator("#map").focus()
    page.keyboard.press("ArrowUp")
    says = page.locator("#map-says")
    expect(says).to_have_text(re.compile(r"^\d{4}: "))
    for _ in range(40):  # a walk over the map by its numbers
        at = says.inner_text()[:4]
        if at == "2617":
            break
        column, row = int(at[:2]), int(at[2:])
        page.keyboard.press(
            "ArrowRight"
            if column < 26
            else "ArrowLeft"
            if column > 26
            else "ArrowDown"
            if row < 17
            else "ArrowUp"
        )
        expect(says).not_to_have_text(re.compile(f"^{at}"))
    expect(says).to_have_text("2617: 38 Guards")
    page.keyboard.press("Enter")
    expect(page.locator("#move-form")).to_be_visible()
    expect(page.locator("#map")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page.locator("#toast")).to_contain_text("38 Guards: 2617 \u2192 2616")
    page.keyboard.press("m")
    expect(page.get_by_role("region", name="Markers in 2616")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#hex-sheet")).to_have_count(0)


@pytest.mark.parametrize("size", ["phone", "tablet"])
def test_the_map_opens_on_every_counter_with_its_whole_name(table, device, size):
    table.enter("german", "57 ARM-BR 1710; 513/294 Infantry Regiment 1711")
    page = table.front().sit(device(size), "soviet", "map")
    stage = open_map(page).bounding_box()
    for one in page.locator("#overlay .face").all():
        box = one.bounding_box()
        assert stage["x"] <= box["x"] and box["x"] + box["width"] <= stage["x"] + stage["width"]
        assert stage["y"] <= box["y"] and box["y"] + box["height"] <= stage["y"] + stage["height"]
    # A wide font, and they are still inside.
    page.evaluate("document.documentElement.style.setProperty('--narrow', 'monospace')")
    inside = """all => all.every((name) => { const face = name.parentNode.querySelector(".face").getBoundingClientRect(),
        box = name.getBoundingClientRect(); return box.left >= face.left - 1 && box.right <= face.right + 1; })"""
    assert page.locator("#overlay .nm").evaluate_all(inside)
    expect(page.locator("#overlay .nm", has_text="57 ARM-BR")).to_have_count(1)


def test_without_javascript_a_stack_is_moved_by_its_form(table, device):
    page = table.front().sit(device("phone", java_script_enabled=False), "soviet", "map?hex=2617")
    page.locator("#move-hex").fill("2616")
    page.get_by_role("button", name="Move", exact=True).click()
    expect(page.get_by_role("region", name="Hex 2616")).to_contain_text("38 Guards")


@pytest.mark.parametrize("size", ["phone", "small"])
def test_entry_and_supply_are_two_screens_at_most(table, device, size):
    page = table.sit(device(size), "soviet", "entry")
    pages = ("entry", "supply")
    for full in (False, True):
        if full:
            table.front()
            table.enter("soviet", "; ".join(f"{n} Rifle {2600 + n}" for n in range(3, 29)))
            table.enter("german", "; ".join(f"{n} Inf {1500 + n}" for n in range(3, 29)))
        for name in pages:
            page.goto(f"{table.url}/t/{table.code}/soviet/{name}")
            page.wait_for_timeout(150)
            assert page.evaluate("document.documentElement.scrollHeight / innerHeight") <= 2, (name, full)


def test_layers_stay_on_through_a_move_and_hide_nothing_secret(table, device):
    page = table.front().sit(device("tablet"), "soviet", "map")
    open_map(page)
    page.get_by_label("German zones").check()
    expect(page.locator("#overlay .zone")).to_have_count(1)
    table.enter("german", "3Pz 2410")
    page.locator(".map-list summary").click()
    expect(page.locator(".map-list")).to_contain_text("2410")
    expect(page.locator("#overlay .zone")).to_have_count(1)
    table.enter("german", "3Pz 2408")
    expect(page.locator(".map-list")).not_to_contain_text("2410")
    assert "Geheim" not in page.content()


def test_supply_is_marked_with_one_confirmation(table, device):
    page = table.front().sit(device("phone"), "soviet", "supply")
    expect(page.locator("#live")).to_contain_text("2 out of supply")
    page.get_by_label(re.compile("6 Cav")).uncheck()
    table.enter("german", "3Pz 2410")
    expect(page.locator("#link")).to_have_text("live")
    expect(page.get_by_label(re.compile("6 Cav"))).not_to_be_checked()
    page.get_by_role("button", name="Change the ticked marks").click()
    expect(page.locator("#toast")).to_contain_text("7 Cav: Out of supply")
    expect(page.get_by_label(re.compile("6 Cav"))).to_be_visible()
    expect(page.get_by_label(re.compile("7 Cav"))).to_have_count(0)


# -- the map book


def test_the_ground_is_tapped_in(start_server, device):
    server = start_server()
    page = device("tablet")
    server.unlock_book(page)
    page.goto(f"{server.url}/book/second-kharkov/map")
    open_map(page)
    page.get_by_role("button", name="Yes, both").click()
    open_map(page)
    expect(page.get_by_text("One look at your map")).to_have_count(0)
    page.get_by_label("forest", exact=True).check()
    tap(page, "2816")
    expect(page.locator("#brush-told")).to_have_text("Entered: 2816 forest")
    expect(page.locator("#base .t-forest")).to_have_count(1)
    page.get_by_label("major river", exact=True).check()
    a, b = on_screen(page, "2816"), on_screen(page, "2817")
    page.touchscreen.tap((a[0] + b[0]) / 2, (a[1] + b[1]) / 2 - 2)
    expect(page.locator("#brush-told")).to_have_text(re.compile(r"Entered: 281[67]-281[67] major river"))
    expect(page.locator("#base .river")).to_have_count(1)
    expect(page.locator("#facts")).to_contain_text("major river")


# -- paper


def pages_of(pdf):
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def test_a_take_down_sheet_prints_and_the_game_is_rebuilt_from_its_file(start_server, device):
    first, second = start_server(), start_server()
    table = Table(first).front()
    table.enter("german", "; ".join(f"{n} Inf {1500 + n}" for n in range(3, 29)))
    page = table.sit(device("tablet"), "german", "takedown")
    expect(page.get_by_role("heading", name="On the map")).to_be_visible()
    assert pages_of(page.pdf(prefer_css_page_size=True)) in (1, 2, 3)
    stacks = page.locator(".print-stack").all_inner_texts()
    assert len(stacks) > 30

    command = [sys.executable, "-m", "companion"]
    copy = subprocess.run(
        [*command, "export", table.code, "--data", str(first.data)], capture_output=True, check=True
    )
    told = subprocess.run(
        [*command, "import", "-", "--data", str(second.data)],
        input=copy.stdout,
        capture_output=True,
        check=True,
    )
    assert table.code in told.stdout.decode()
    watcher = device("tablet")
    watcher.goto(f"{first.url}/t/{table.code}/watch/takedown")
    here = watcher.locator(".print-stack").all_inner_texts()
    watcher.goto(f"{second.url}/t/{table.code}/watch/takedown")
    assert watcher.locator(".print-stack").all_inner_texts() == here


def test_a_set_up_sheet_prints(server, device):
    page = device("tablet")
    page.goto(f"{server.url}/scenario/second-kharkov/historical/setup")
    assert 1 <= pages_of(page.pdf(prefer_css_page_size=True)) <= 3


# -- for everybody


@pytest.mark.parametrize(("scheme", "size"), [("light", "phone"), ("dark", "tablet")])
def test_pages_are_accessible(table, device, size, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}
    rules["resultTypes"] = ["violations"]  # what passes need not be described
    page = table.front().sit(device(size, color_scheme=scheme), "soviet", "map?layer=zoc-german")
    paths = ("map?layer=zoc-german", "map/hex/2421", "map/marks/2421", "entry", "supply", "takedown")
    urls = [f"/t/{table.code}/soviet/{path}" for path in paths]
    for url in [*urls, "/book/second-kharkov/map", "/scenario/second-kharkov/historical/setup"]:
        page.goto(table.url + url)
        page.wait_for_timeout(250)
        found = axe.run(page, options=rules)
        bad = [(v["id"], [n["html"][:160] for n in v["nodes"]][:3]) for v in found.response["violations"]]
        assert not bad, f"{url}: {bad}"
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, f"{url} scrolls sideways by {wide} px"


def test_on_a_phone_the_maps_head_tells_the_tables_code(table, phone):
    """Whoever looks on from the map reads it there, as on every other page."""
    page = table.sit(phone, "german", "map")
    expect(page.locator(".phone-head .bar-code")).to_have_text(table.code)
    expect(page.locator(".phone-head .bar-code")).to_be_visible()
