"""Every page holds at 360, 390 and 1024 px, light and dark: with the shipped fonts, and with a wide one in their place.

The pages are all that the app answers a GET with: a new one is walked without being listed here, and one whose address
needs something unknown (`/t/<code>/<seat>/fuel/<depot>`) fails until `Scene.values` says what to put there.
"""

import base64
import json
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from tablehand import Table

from companion.resources import STATIC
from companion.web.app import create_app

WIDTHS = (360, 390, 1024)
MEASURE = (Path(__file__).parent / "measure.js").read_text()
TEXT_FONT = next(STATIC.glob("fonts/archivo-latin-[0-9a-f]*.woff2"))

# As wide as the widest font that a device is likely to fall back on, and there on a device that has none at all.
WIDE = """
    const bytes = Uint8Array.from(atob("BYTES"), (letter) => letter.charCodeAt(0));
    document.fonts.add(new FontFace("Wide", bytes, { weight: "400 700", sizeAdjust: "125%" }));
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("*, ::before, ::after { font-family: Wide !important; }");
    document.adoptedStyleSheets = [sheet];
""".replace("BYTES", base64.b64encode(TEXT_FONT.read_bytes()).decode())

LOADED = """async () => {
    await document.fonts.ready;
    const faces = [...document.fonts];
    await Promise.all(faces.filter((face) => face.family === "Wide").map((face) => face.load()));
    const loaded = faces.filter((face) => face.status === "loaded").map((face) => face.family.replaceAll('"', ""));
    return [...new Set(loaded)].filter((family) => family !== "Companion Signs").sort();
}"""
FAMILIES = {"shipped": ["Archivo", "Archivo Narrow"], "wide": ["Wide"]}

# Asked for once: nothing happens at the table while its sheets are measured at one width after the other.
OPEN_SHEET = """async (path) => {
    const known = (window.sheetsByPath ??= new Map());
    if (!known.has(path)) {
        const answer = await fetch(path, { headers: { "HX-Request": "true", "HX-Target": "sheet" } });
        known.set(path, await answer.text());
    }
    const page = new DOMParser().parseFromString(known.get(path), "text/html");
    document.getElementById("sheet").replaceChildren(page.querySelector(".sheet"));
    for (const motion of document.getElementById("sheet").getAnimations({ subtree: true })) motion.finish();
}"""

GAMES = {
    "second-kharkov": ("historical", "soviet", "soviet-combat"),
    "panzer-keil": ("winter-1943", "german", "german-combat"),
    "enemy-action-kharkov": ("initial-assault", "soviet", "command"),
    "kharkov-battles": ("operation-star", "axis", "axis-combat"),
    "wb95": ("kharkov-1942", "soviet", "attack-a"),
}
NOT_PAGES = {"static", "live.stream", "live.hall_stream", "map.base_map", "lobby.join_link"}
# Pages of the table's screen that do not say so in their address.
OF_THE_TABLE = {"shelf.ask", "shelf.ask_to_delete"}
ENOUGH = 2  # charts, worksheets, scenarios and the like to look at of each game
LOST = ["/nowhere/at-all", "/t/zzzz/table", "/book/no-such-game"]


class Scene:
    """One game in the middle of a turn: units, a note, a roll, a judge called, a take-back that waits for consent."""

    def __init__(self, server, systems, system: str) -> None:
        self.system, self.server = system, server
        scenario, self.side, phase = GAMES[system]
        self.kit, self.rules = systems[system].kit, systems[system].rules
        self.table = Table(server, system, scenario, fog=False)
        self.deploy()
        if system == "enemy-action-kharkov":
            self.deal()
        turn = self.table.sees("table")["turn"]["number"]
        self.table.do("table", "go-to", turn=turn + 1, phase=phase)
        places = [str(unit["place"]) for unit in self.table.sees("table")["units"]]
        self.hex = next(place for place in places if place[-4:].isdigit())
        self.table.do("table", "call-judge", about="Donaudampfschifffahrtsgesellschaft: may it entrain?")
        self.table.do(self.side, "note", text="Oberst Müller-Hillebrand and Łódź, Győr, Kraków " + "x" * 60)
        line = self.table.sees("table")["revision"]
        if self.kit.system.tray:
            self.table.do(self.side, "roll-dice", dice="2d6")
        else:  # what another side did is taken back by consent, too
            other = next(side.id for side in self.kit.system.sides if side.id != self.side)
            self.table.do(other, "note", text="Nobody rolls dice here.")
        self.table.do(self.side, "take-back", to=line)

    def deploy(self) -> None:
        """The scenario's own set-up, or a stack where it lists no units."""
        if self.system in ("second-kharkov", "panzer-keil", "wb95"):
            self.table.do("table", "set-up")
            return
        at = {"enemy-action-kharkov": "2315", "kharkov-battles": "3620"}[self.system]
        for number in range(1, 9):
            name = f"{number}. Panzergrenadier-Großdeutschland"
            self.table.do("table", "add-unit", side=self.side, name=name, kind="", hex=at)

    def deal(self) -> None:
        """Fill in the owner's cards, and give each side a hand of them."""
        cards = {}
        for number in range(1, 46):
            cards[f"P{number:02d}|kind"] = "primary" if number <= 6 or 23 <= number <= 27 else "supplemental"
            cards[f"P{number:02d}|turn"] = "0"
            cards[f"P{number:02d}|name"] = f"Made-up Oberkommandobefehl {number}"
            cards[f"P{number:02d}|value"] = str(number % 5 + 1)
        book = {"kind": "kharkov-companion chart book", "format": 1, "system": self.system}
        book |= {"sheets": {"book/cards": cards}, "rosters": {}, "map": {}}
        body = urllib.parse.urlencode({"text": json.dumps(book)}).encode()
        url = f"{self.server.url}/book/{self.system}/share"
        # Whoever has a seat may write in the chart book.
        headers = {
            "Origin": self.server.url,
            "Cookie": f"seats-{self.table.code}={self.table.tokens['table']}",
        }
        with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=30):
            pass
        self.table.do("table", "next-phase")
        self.table.do("table", "prepare-cards", revision=self.table.sees("table")["revision"])

    def hand(self) -> dict[str, list[str]]:
        """The cards that the side holds, by pile."""
        return {
            pile["id"]: [token["id"] for token in zone["tokens"]]
            for pile in self.table.sees(self.side)["piles"]
            for zone in pile["zones"]
            if zone["zone"] == f"hand:{self.side}"
        }

    def forms(self, seat: str) -> list[str]:
        """The actions that ask for something, now, at this seat."""
        return [action["name"] for action in self.table.sees(seat)["actions"] if action["fields"]]

    def addresses(self, rule) -> list[str]:
        """What to ask for to see pages of this kind."""
        rows: list[dict[str, str]] = [{}]
        for name in [part.split(":")[-1] for part in rule.rule.replace("<", ">").split(">")[1::2]]:
            rows = [{**row, name: value} for row in rows for value in self.values(rule.endpoint, name, row)]
        return [self.server.url + rule.build(row)[1] for row in rows]

    def values(self, endpoint: str, name: str, row: dict[str, str]) -> list[str]:
        """What to put into one place of an address, given those before it."""
        sheets = {"chart": self.kit.charts, "list": self.kit.lists}
        named = {
            "play.action_form": lambda: self.forms(row["seat"])[:1],  # all of them open as sheets, see below
            "play.worksheet_page": lambda: list(reversed(self.rules.worksheets)),
            "bookwalk.walk_page": lambda: list(self.kit.lists),
            "book.sheet_page": lambda: list(sheets[row["kind"]]),
        }
        known = {
            "code": lambda: [self.table.code],
            "seat": lambda: ["table", self.side, "watch"] if endpoint == "play.seat_page" else [self.side],
            "system": lambda: [self.system],
            "scenario": lambda: list(self.kit.scenarios)[:ENOUGH],
            "kind": lambda: list(sheets),
            "name": lambda: named[endpoint]()[:ENOUGH],
            "pile": lambda: list(self.hand()),
            "token": lambda: self.hand()[row["pile"]][:1],
            "text": lambda: [self.hex],
            "unit": lambda: [str(unit["id"]) for unit in self.table.sees(self.side)["units"]][:1],
            "which": lambda: [self.side],
            "what": lambda: ["reissue", "revoke"],
        }
        if endpoint in ("seatpages.seats_page", "saving.save_page") and name == "seat":
            return ["table", self.side]
        assert name in known, f"{endpoint} asks for <{name}>: say in Scene.values what to put there"
        return known[name]()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The app in this process, to ask what pages and games there are."""
    return create_app(tmp_path_factory.mktemp("site"), testing=True)


@pytest.fixture(scope="module")
def scenes(own_server, site):
    """One table of each game, made when it is first asked for."""
    made: dict[str, Scene] = {}

    def scene(system: str) -> Scene:
        if system not in made:
            made[system] = Scene(own_server, site.extensions["companion"]["tables"].systems, system)
        return made[system]

    return scene


@pytest.fixture
def window(device):
    """A window of any width, `window("wide")` with the font files kept from it and a wide font in their place."""

    def open_window(fonts: str):
        page = device("tablet")
        page.fonts = fonts
        page.expected_errors += ["404", "ERR_BLOCKED_BY_CLIENT"]
        if fonts == "wide":
            session = page.context.new_cdp_session(page)
            session.send("Network.enable")
            session.send("Network.setBlockedURLs", {"urls": ["*.woff2"]})
            page.add_init_script(WIDE)
        return page

    return open_window


def rules_of(site, *, of_a_game: bool) -> list:
    """The addresses that answer a GET: those of a game or table, or those of none."""
    rules = [r for r in site.url_map.iter_rules() if "GET" in r.methods and r.endpoint not in NOT_PAGES]
    rules = [
        r for r in rules if not r.endpoint.startswith("desk.")
    ]  # the organiser's: test_desk, test_rounds
    return [r for r in rules if bool({"code", "system"} & r.arguments) is of_a_game]


def is_page(page, url: str) -> bool:
    """Whether the answer is a whole page, and no fragment or file, asked as this window would."""
    cookies = "; ".join(f"{c['name']}={c['value']}" for c in page.context.cookies())
    try:
        answer = urllib.request.urlopen(urllib.request.Request(url, headers={"Cookie": cookies}), timeout=20)
    except urllib.error.HTTPError as error:
        answer = error
    with answer:
        return answer.read(15).lower() == b"<!doctype html>"


def visit(page, url: str) -> list[str]:
    """Open a page in the fonts it should be in, unfold everything on it, and measure it.

    The window is as wide as the page before left it; that width comes first, so that nothing is drawn twice.
    """
    page.goto(url, wait_until="domcontentloaded")
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true })")
    loaded = page.evaluate(LOADED)
    assert loaded == FAMILIES[page.fonts], f"{url} is drawn with {loaded}"
    widths = sorted(WIDTHS, reverse=page.evaluate("innerWidth") > min(WIDTHS))
    found = [fault for width in widths for fault in faults(page, width)]
    return [f"{urllib.parse.urlsplit(url).path} {fault}" for fault in found]


def faults(page, width: int) -> Iterator[str]:
    """What does not hold at one width, light and dark."""
    page.set_viewport_size({"width": width, "height": 800})
    yield from (f"at {width} px: {fault}" for fault in page.evaluate(MEASURE, width))


@pytest.mark.parametrize("system", GAMES)
def test_every_page_of_a_game_holds_with_a_wide_font(window, own_server, site, scenes, system):
    walk_a_game(window, "wide", site, scenes(system))


def test_every_page_of_a_game_holds_with_the_shipped_fonts(window, site, scenes):
    walk_a_game(window, "shipped", site, scenes("enemy-action-kharkov"))


def walk_a_game(window, fonts: str, site, scene: Scene) -> None:
    """Every page of the table, each in a window that holds its seat and no other: two would draw the curtain."""
    pages = {seat: window(fonts) for seat in ("table", scene.side)}
    for seat, page in pages.items():
        page.goto(f"{scene.server.url}/j/{scene.table.code}/{scene.table.tokens[seat]}")
    found = []
    for rule in rules_of(site, of_a_game=True):
        for url in scene.addresses(rule):
            page = pages["table" if "/table" in url or rule.endpoint in OF_THE_TABLE else scene.side]
            if is_page(page, url):
                found += visit(page, url)
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("fonts", FAMILIES)
def test_the_curtain_and_the_keys_of_a_saved_game_hold(window, scenes, fonts):
    scene, page = scenes("second-kharkov"), window(fonts)
    home = f"{scene.server.url}/t/{scene.table.code}"
    for seat in ("table", scene.side):
        page.goto(f"{scene.server.url}/j/{scene.table.code}/{scene.table.tokens[seat]}")
    page.goto(f"{home}/table")
    found = visit(page, f"{home}/{scene.side}")
    assert page.get_by_role("button", name="I hold it").is_visible()
    saved = page.request.get(f"{home}/table/export.json").body()
    file = {"name": "game.json", "mimeType": "application/json", "buffer": saved}
    asked = page.request.post(
        f"{scene.server.url}/import", multipart={"file": file}, headers={"Origin": scene.server.url}
    )
    found += visit(page, asked.url)
    assert "restore key" in page.content()
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("system", GAMES)
def test_every_sheet_of_a_game_holds_with_a_wide_font(window, scenes, system):
    """A sheet lies beside the table on a tablet and over the whole of a phone."""
    scene = scenes(system)
    found = []
    seen: set[str] = set()
    for seat in (scene.side, "table"):
        page = window("wide")
        page.goto(f"{scene.server.url}/j/{scene.table.code}/{scene.table.tokens[seat]}")
        page.evaluate(LOADED)
        names = [name for name in scene.forms(seat) if name not in seen]
        seen |= set(names)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            for name in names:
                page.evaluate(OPEN_SHEET, f"/t/{scene.table.code}/{seat}/do/{name}")
                found += [f"{seat}/do/{name} {fault}" for fault in faults(page, width)]
    assert len(seen) > 10
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("fonts", FAMILIES)
def test_every_other_page_holds(window, own_server, site, scenes, fonts):
    for system in GAMES:  # so that the lobby and the hall have tables to show
        scenes(system)
    page = window(fonts)
    addresses = [own_server.url + rule.rule for rule in rules_of(site, of_a_game=False) if not rule.arguments]
    found = []
    for url in addresses:
        if is_page(page, url):
            found += visit(page, url)
    for path in LOST:
        found += visit(page, own_server.url + path)
    assert not found, "\n" + "\n".join(found)


def test_words_labels_letters_and_signs_are_drawn_with_the_shipped_fonts(window, own_server, scenes):
    """As the browser itself says which fonts it used: a family that is only named in the CSS would not show."""
    scene, page = scenes("second-kharkov"), window("shipped")
    page.goto(f"{own_server.url}/j/{scene.table.code}/{scene.table.tokens[scene.side]}")
    page.goto(f"{own_server.url}/t/{scene.table.code}/{scene.side}/log")
    page.evaluate(LOADED)
    assert fonts_of(page, "h1") == {"Archivo Narrow"}
    assert fonts_of(page, ".btn:not(.nav *)") == {"Archivo"}
    assert fonts_of(page, ".logline-text:has-text('Győr')") == {"Archivo"}
    page.goto(own_server.url)
    page.evaluate(LOADED)
    assert fonts_of(page, ".theme-switch") == {"Archivo", "Companion Signs"}


def fonts_of(page, selector: str) -> set[str]:
    """The fonts that drew an element's text; one of the machine's own is marked as such."""
    element = page.locator(selector).first
    element.evaluate("(element) => element.setAttribute('data-font-of', '')")
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    found: set[str] = set()
    for where in ("[data-font-of]", "[data-font-of] *"):
        nodes = session.send("DOM.querySelectorAll", {"nodeId": root, "selector": where})["nodeIds"]
        for node in nodes:
            used = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
            found |= {f["familyName"] if f["isCustomFont"] else f"local {f['familyName']}" for f in used}
    element.evaluate("(element) => element.removeAttribute('data-font-of')")
    session.detach()
    return {name.removesuffix(" SemiBold") for name in found}
