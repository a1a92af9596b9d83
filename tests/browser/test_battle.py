"""A battle on three screens: answers stand on the card, no receipt is closed, everybody sees who is awaited."""

import pytest
from playwright.sync_api import Page, expect
from tablehand import Table, tap


def opened(server, **options) -> Table:
    table = Table(server, "toy", "skirmish", **{"mode-dice": "either", **options})
    table.do("table", "set-up")
    table.do("table", "next-phase")
    return table


def fits(page: Page) -> None:
    """Nothing sticks out to the side, and every button of the cards is big enough for a thumb."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for button in page.locator(".battle .btn:visible, .prompt .btn:visible, .ending .btn:visible").all():
        box = button.bounding_box()
        assert box and box["height"] >= 43.5 and box["width"] >= 43.5, button.inner_text()


def card(page: Page):
    return page.locator(".battle")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_battle_from_declaration_to_advance(toy_server, device, scheme):
    table = opened(toy_server)
    tablet = table.seat(device("tablet", color_scheme=scheme), "table")
    red = table.seat(device("phone", color_scheme=scheme), "red")
    blue = table.seat(device("small", color_scheme=scheme), "blue")
    screens = (tablet, red, blue)

    table.do("red", "attack", hex="0505", column="2:1")
    for page in screens:
        expect(card(page)).to_contain_text("Attack on 0505")
        expect(card(page).locator(".chances")).to_contain_text("33%")
        fits(page)
    expect(red.locator(".phone-head")).to_contain_text("waiting for Blue: call in guns")
    expect(tablet.locator(".bar-awaits")).to_have_text("Waiting for Blue: call in guns")
    expect(card(red)).to_contain_text("Then Red: roll for the attack")

    # One tap answers; the other phone calls its player.
    card(blue).get_by_role("button", name="1", exact=True).click()
    expect(red.locator(".phone-head")).to_contain_text("your answer")
    expect(card(red)).to_contain_text("-1")

    # Real dice on the card: unfolded, tapped, and the button says what it will use.
    five = card(red).get_by_role("radio", name="5", exact=True)
    tap(card(red).get_by_text("or your own dice"), five)
    five.check()
    card(red).get_by_role("button", name="Use 5", exact=True).click()
    expect(tablet.locator(".battle-result")).to_have_text("DR")
    size = tablet.locator(".battle-result").evaluate("el => parseFloat(getComputedStyle(el).fontSize)")
    assert size >= 40, "read at arm's length"
    expect(card(tablet).locator(".die")).to_have_text("5")
    expect(red.locator("#sheet")).to_be_empty()

    # Both owe at once; ticks on a card stay while the other side acts.
    blue.locator(".battle .choice", has_text="Flak").click()
    red.locator(".battle .choice", has_text="Tanks").click()
    card(red).get_by_role("button", name="Take the losses").click()
    expect(card(blue)).not_to_contain_text("Waiting for Red")
    expect(blue.get_by_role("checkbox", name="Flak")).to_be_checked()
    fits(blue)
    card(blue).get_by_role("button", name="Take the losses").click()
    card(blue).get_by_role("button", name="0406").click()
    expect(red.locator(".phone-head")).to_contain_text("your move")
    card(red).get_by_role("button", name="Advance").click()
    for page in screens:
        expect(page.locator(".battle")).to_have_count(0)
        expect(page.locator(".battle-last")).to_contain_text("Attack on 0505, 2:1 -1, die 5: DR")
    expect(red.locator(".toast")).to_contain_text("advances")
    expect(tablet.locator(".logline").first).to_contain_text("Red attack on 0505, 2:1 -1, die 5: DR.")


def test_undo_on_the_toast_and_redo_beside_it(toy_server, device):
    table = opened(toy_server)
    red = table.seat(device("phone"), "red")
    blue = table.seat(device("small"), "blue")
    red.get_by_role("link", name="Count the reserve").click()
    red.get_by_role("spinbutton", name="Points").fill("7")
    red.locator("#sheet").get_by_role("button", name="Count the reserve").click()
    expect(red.locator("#sheet")).to_be_empty()
    expect(red.locator("[data-glow=track-reserve]")).to_contain_text("7")
    expect(red.get_by_role("button", name="Undo: count the reserve")).to_be_visible()
    red.locator(".toast").get_by_role("button", name="Undo").click()
    expect(red.locator("[data-glow=track-reserve]")).to_contain_text("0")
    expect(blue.locator("#toast")).to_contain_text("Red")  # the other phone is told, not what it was
    expect(blue.locator("#toast")).not_to_contain_text("7")
    red.get_by_role("button", name="Redo").click()
    expect(red.locator("[data-glow=track-reserve]")).to_contain_text("7")
    expect(red.get_by_role("button", name="Redo")).to_have_count(0)


def test_what_the_other_side_did_is_undone_by_its_tap(toy_server, device):
    table = opened(toy_server)
    red = table.seat(device("phone"), "red")
    blue = table.seat(device("small"), "blue")
    table.do("red", "note", text="we march")
    expect(blue.get_by_role("button", name="Undo: write a note")).to_be_visible()
    blue.get_by_role("button", name="Undo: write a note").click()
    expect(blue.get_by_role("region", name="Waiting for an answer")).to_contain_text("Waiting for Red")
    asked = red.get_by_role("region", name="Waiting for you")
    expect(asked).to_contain_text("wants to take back what Red did")
    expect(asked).to_contain_text("we march")
    asked.get_by_role("button", name="Agree").click()
    expect(blue.get_by_role("region", name="Waiting for an answer")).to_have_count(0)
    expect(red.get_by_role("button", name="Redo")).to_be_visible()


@pytest.mark.parametrize("size", ["tablet", "phone", "small"])
def test_a_phase_ends_over_what_is_owed_by_a_second_tap(toy_server, device, size):
    table = opened(toy_server)
    page = table.seat(device(size), "table" if size == "tablet" else "red")
    page.expected_errors += ["409"]  # what is said instead of ending it
    table.do("red", "owe-something")
    expect(page.locator(".prompt")).to_have_count(2)
    fits(page)
    page.get_by_role("button", name="Next phase" if size == "tablet" else "End my phase").click()
    ending = page.get_by_role("alert").filter(has_text="Still to do")
    expect(ending).to_contain_text("Turn the night marker")
    expect(page.locator("#toast")).to_be_hidden()  # what was done before does not cover it
    fits(page)
    page.get_by_role("button", name="End it anyway").click()
    expect(page.locator("h1").first).to_contain_text("Blue Movement")
    expect(page.locator(".prompt").first).to_contain_text("Turn the night marker")


def test_a_card_whose_form_changes_is_drawn_again_in_place(toy_server, device):
    table = opened(toy_server)
    red = table.seat(device("small"), "red")
    table.do("red", "owe-something")
    bridge = red.locator(".prompt", has_text="Test the bridge")
    bridge.get_by_role("checkbox", name="Hold it").check()
    bridge.get_by_role("radio", name="With guns").check()
    bridge.get_by_role("button", name="Test the bridge").click()
    expect(red.locator("#toast")).to_contain_text("The bridge is held with guns")
    night = red.locator(".prompt", has_text="Turn the night marker")
    night.get_by_role("button", name="Done").click()
    expect(red.locator(".prompt")).to_have_count(0)


def test_a_battle_without_javascript(toy_server, device):
    table = opened(toy_server)
    table.do("red", "attack", hex="0505", column="1:1")
    red, blue = (device("small", java_script_enabled=False) for _ in range(2))
    for page, seat in ((red, "red"), (blue, "blue")):
        page.goto(f"{toy_server.url}/j/{table.code}/{table.tokens[seat]}")
    blue.locator(".battle").get_by_role("button", name="No").click()
    expect(blue.locator(".head-awaits")).to_have_text("waiting for Red: roll for the attack")
    red.reload()
    red.locator(".battle").get_by_text("or your own dice").click()
    red.locator(".battle").get_by_role("radio", name="5", exact=True).check()
    red.locator(".battle").get_by_role("button", name="Use my dice").click()
    red.locator(".battle").get_by_role("button", name="DR", exact=True).click()
    expect(red.locator(".battle-result")).to_have_text("DR")
    expect(red.locator(".toast")).to_contain_text("DR")
    red.locator(".toast").get_by_role("button", name="Undo").click()
    expect(red.locator(".battle").get_by_role("button", name="DR", exact=True)).to_be_visible()
    expect(red.get_by_role("button", name="Redo")).to_be_visible()
