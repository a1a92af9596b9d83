"""An organiser runs a round in a real browser: without JavaScript, on a phone, and with everything readable."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

MEASURE = (Path(__file__).parent / "measure.js").read_text()
NAMES = (
    "Anna Berg", "Boris Cohen", "Clara Dietrich", "Dmitri Egorov", "Lena Maximilianowa-von Hohenstein-Donaudampf",
)  # fmt: skip
PAGES = (
    "/desk/players", "/desk/players?player=Anna Berg", "/desk/rounds", "/desk/rounds?round=1", "/desk/rounds/1/1",
    "/desk/standings", "/standings", "/round", "/round/names",
)  # fmt: skip


def sign_in(server, page) -> None:
    page.expected_errors += ["403"]  # the gate
    words = re.search(r"Organiser's passphrase: (\S+)", server.output())
    page.goto(f"{server.url}/desk/players")
    page.get_by_label("Passphrase").fill(words[1])
    page.get_by_role("button", name="Open the desk").click()


def run_a_round(server, page) -> None:
    """Enter players, pair, publish, enter a result, pair again."""
    page.get_by_label("Game and scenario").select_option("second-kharkov/historical")
    page.get_by_role("button", name="Add it").click()
    page.get_by_label("A line a player").fill("\n".join(NAMES))
    page.get_by_role("button", name="Enter them").click()
    page.goto(f"{server.url}/desk/rounds")
    page.get_by_role("button", name="Pair round 1").click()
    page.get_by_role("button", name="Change sides").first.click()
    page.get_by_role("button", name="Publish round 1").click()
    page.get_by_role("link", name="Result of table 1").click()
    page.get_by_role("radio", name="Soviet").check(force=True)
    page.get_by_label("Level").fill("strategic")
    page.get_by_label("Why").fill("time was up")
    page.get_by_role("button", name="Enter this result").click()
    expect(page.get_by_role("heading", name="1 of 2 results are in")).to_be_visible()
    page.get_by_role("button", name="Pair round 2 without them").click()
    expect(page.get_by_role("button", name="Publish round 2")).to_be_visible()


def test_an_organiser_runs_a_round_without_javascript(start_server, device):
    server = start_server("--organiser")
    page = device("phone", java_script_enabled=False)
    sign_in(server, page)
    run_a_round(server, page)
    page.goto(f"{server.url}/round/names")
    assert all(page.get_by_text(name).count() for name in NAMES)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_of_rounds_hold_and_are_accessible(start_server, device, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    rules = {
        "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
        "resultTypes": ["violations"],
    }
    server, page = start_server("--organiser"), device("small", color_scheme=theme)
    sign_in(server, page)
    run_a_round(server, page)
    wrong = []
    for path in PAGES:
        page.goto(server.url + path)
        page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true })")
        for width in (360, 390, 1024):
            page.set_viewport_size({"width": width, "height": 800})
            wrong += [f"{path} at {width}: {fault}" for fault in page.evaluate(MEASURE, width)]
        found = axe.run(page, options=rules).response["violations"]
        wrong += [f"{path}: {v['id']} {v['nodes'][0]['html'][:160]}" for v in found]
    assert not wrong, "\n" + "\n".join(wrong)
