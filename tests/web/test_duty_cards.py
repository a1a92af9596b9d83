"""Questions carry their answers: cards of duties, battles on every screen, ending a phase over what is owed."""

import re
from types import SimpleNamespace
from typing import Any, cast

import pytest
from flask import Flask
from toykit import Device

from companion.engine.seat.shapes import DutyView
from companion.tables.tables import Tables
from companion.web.dutycards import Question, Reply, _replies
from companion.web.formfield import FormField


@pytest.fixture
def code(tables: Tables) -> str:
    code = tables.new("toy", "skirmish", {"mode-dice": "either"}, "Friday night")
    tables.act(code, "table", "set-up", {})
    tables.act(code, "table", "next-phase", {}, revision=tables.store.latest(code))
    return code


@pytest.fixture
def blue(app: Flask, code: str) -> Device:
    return Device(app, code, "blue")


@pytest.fixture
def watch(app: Flask, code: str) -> Device:
    device = Device(app, code)
    device.seat = "watch"
    return device


def words(text: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


def battle(device: Device) -> str:
    """The battle card of a screen."""
    found = re.search(r'<section class="battle .*', device.get(target="live").text, re.S)
    return found[0] if found else ""


def ask_of(tables: Tables, code: str, action: str) -> str:
    return next(a.id for a in tables.game(code).asked.values() if a.action == action)


def attack(tables: Tables, code: str, **more: Any) -> None:
    tables.act(code, "red", "attack", {"hex": "0505", "column": "2:1", **more})


def buttons(page: str, action: str) -> list[tuple[str, str]]:
    """Every button of the forms for an action: its value, and what it says."""
    forms = re.findall(rf'<form[^>]*action="[^"]*/do/{action}[^"]*".*?</form>', page, re.S)
    return [
        (value, words(text))
        for form in forms
        for value, text in re.findall(r'<button[^>]*?value="([^"]*)"[^>]*>(.*?)</button>', form, re.S)
    ]


# -- answers on the card --------------------------------------------------------------------------------------


def test_few_answers_are_a_button_each_and_an_offer_has_a_plain_no(
    blue: Device, tables: Tables, code: str
) -> None:
    attack(tables, code)
    page = battle(blue)
    assert buttons(page, "call-guns") == [("0", "0"), ("1", "1"), ("2", "2")]
    assert buttons(page, "dismiss") == [("no", "No")]
    assert "Not needed" not in page and "Done on the map" not in page


def test_one_tap_on_an_answer_answers(blue: Device, tables: Tables, code: str) -> None:
    attack(tables, code)
    answer = blue.do("call-guns", target="live", _asked=ask_of(tables, code, "call-guns"), guns="2")
    assert answer.status_code == 200 and tables.game(code).fighting[0].facts["guns"] == 2
    assert "-2" in words(battle(blue))


def test_what_is_owed_may_be_done_on_the_map_or_not_apply(red: Device, tables: Tables, code: str) -> None:
    tables.act(code, "red", "owe-something", {})
    page = red.get(target="live").text
    card = re.search(r'id="ask-test-bridge.*?</section>', page, re.S)
    assert card
    assert [label for _, label in buttons(card[0], "dismiss")] == ["Done on the map", "Does not apply"]
    red.do("dismiss", target="live", ask=ask_of(tables, code, "test-bridge"), how="does not apply")
    assert "Does not apply: Test the bridge" in words(red.get("log").text)


def test_a_reminder_that_is_owed_has_one_button(red: Device, tables: Tables, code: str) -> None:
    tables.act(code, "red", "owe-something", {})
    page = red.get(target="live").text
    card = re.search(r'id="ask-map-.*?</section>', page, re.S)
    assert card and buttons(card[0], "dismiss") == [("done on the map", "Done")]


def test_what_comes_later_is_told_and_not_asked(red: Device, tables: Tables, code: str) -> None:
    attack(tables, code)
    page = battle(red)
    assert "Then Red: roll for the attack" in words(page) and not buttons(page, "roll-attack")


def test_whom_one_waits_for_is_said_once(red: Device, watch: Device, tables: Tables, code: str) -> None:
    """The head says it; neither the battle's card nor the thumb bar says it again."""
    attack(tables, code)
    page = words(red.get(target="live").text).lower()
    assert page.count("waiting for blue: call in guns") == 1
    assert words(battle(watch)).lower().count("waiting for") == 0


@pytest.mark.parametrize(
    ("mode", "shown"),
    [("digital", ["Roll 1d6"]), ("physical", [*"123456"]), ("either", ["Roll 1d6", "Use my dice"])],
)
def test_a_die_alone_is_one_button_or_a_row_of_faces(
    tables: Tables, app: Flask, mode: str, shown: list[str]
) -> None:
    code = tables.new("toy", "skirmish", {"mode-dice": mode}, "")
    tables.act(code, "table", "set-up", {})
    tables.act(code, "table", "next-phase", {}, revision=tables.store.latest(code))
    attack(tables, code)
    tables.act(code, "blue", "dismiss", {"ask": ask_of(tables, code, "call-guns")})
    page = battle(Device(app, code, "red"))
    assert [label for _, label in buttons(page, "roll-attack")] == shown
    assert page.count('class="face"') == (6 if mode == "either" else 0)


def test_all_that_one_side_owes_at_a_step_stands_on_one_card(app: Flask, tables: Tables, code: str) -> None:
    attack(tables, code, column="2:1")
    tables.act(code, "blue", "dismiss", {"ask": ask_of(tables, code, "call-guns")})
    tables.act(code, "red", "roll-attack", {"die": "3"})
    page = battle(Device(app, code, "table"))
    assert page.count('class="battle-duty') == 2, "one for each side"
    assert [v for v, _ in re.findall(r'name="units" value="([^"]+)"(.)', page)] == [
        "blue-flak",
        "blue-jaeger",
        "red-guards",
        "red-tanks",
    ]


def test_a_refused_answer_says_why_on_its_card(blue: Device, tables: Tables, code: str) -> None:
    attack(tables, code)
    answer = blue.do("call-guns", target="live", _asked=ask_of(tables, code, "call-guns"), guns="7")
    assert answer.status_code == 409
    assert "7 is not a whole number from 0 to 2" in words(battle_of(answer.text))


def battle_of(page: str) -> str:
    return page[page.index('<section class="battle ') :]


def test_a_form_that_changes_with_its_answers_is_drawn_again_on_the_card(
    red: Device, tables: Tables, code: str
) -> None:
    tables.act(code, "red", "owe-something", {})
    ask = ask_of(tables, code, "test-bridge")
    assert "With guns" not in red.get(target="live").text
    again = red.post("preview/test-bridge", target=f"body-{ask}", _asked=ask, hold="on")
    assert again.status_code == 200 and "With guns" in again.text
    assert again.text.strip().startswith(f'<div class="duty-body" id="body-{ask}"')


def test_a_result_of_the_printed_chart_is_tapped_or_typed(red: Device, tables: Tables, code: str) -> None:
    attack(tables, code, column="1:1")
    tables.act(code, "blue", "dismiss", {"ask": ask_of(tables, code, "call-guns")})
    tables.act(code, "red", "roll-attack", {"die": "5"})
    page = battle(red)
    assert ("DR", "DR") in buttons(page, "enter-result") and 'placeholder="or type it"' in page
    answer = red.do("enter-result", target="live", _asked=ask_of(tables, code, "enter-result"), result="DR")
    assert answer.status_code == 200 and tables.game(code).fighting[0].result == "DR"


def test_a_prompt_of_a_game_without_follow_ups_goes_on_working(
    red: Device, tables: Tables, code: str
) -> None:
    tables.act(code, "red", "whisper", {"text": "bring up the guns"})
    page = red.get(target="live").text
    form = re.search(r'<form[^>]*action="([^"]*do/spend[^"]*)".*?</form>', page, re.S)
    assert form and 'value="bring up the guns"' in form[0], "what the prompt tells is filled in"
    ask = ask_of(tables, code, "spend")
    red.post(form[1].replace("&amp;", "&"), target="live", _asked=ask, text="bring up the guns")
    assert tables.game(code)["vp"] == 2 and ask not in tables.game(code).asked


# -- the battle on every screen ---------------------------------------------------------------------------------


def test_a_battle_stands_on_every_screen_from_its_declaration_to_its_end(
    table: Device, red: Device, blue: Device, watch: Device, tables: Tables, code: str
) -> None:
    attack(tables, code)
    for device in (table, red, blue, watch):
        page = words(battle(device))
        assert "Attack on 0505" in page and "2:1" in page and "33%" in page, device.seat
    assert "do/" not in battle(watch)
    tables.act(code, "blue", "dismiss", {"ask": ask_of(tables, code, "call-guns")})
    tables.act(code, "red", "roll-attack", {"die": "4"})
    for device in (table, red, blue, watch):
        page = battle(device)
        assert 'class="die die-physical">4<' in page and ">DR</strong>" in page, device.seat
    assert "Waiting for Blue: lose 1 step" in words(watch.get(target="live").text)


def test_a_battle_that_is_over_is_one_line_until_the_next_act(red: Device, tables: Tables, code: str) -> None:
    attack(tables, code)
    tables.act(code, "blue", "dismiss", {"ask": ask_of(tables, code, "call-guns")})
    tables.act(code, "red", "roll-attack", {"die": "1"})
    page = red.get(target="live").text
    assert not battle(red) and "Last Attack on 0505, 2:1, die 1: NE" in words(page)
    tables.act(code, "red", "note", {"text": "on we go"})
    assert "battle-last" not in red.get(target="live").text


def test_the_head_says_who_is_really_awaited(
    table: Device, red: Device, blue: Device, watch: Device, tables: Tables, code: str
) -> None:
    def head(device: Device) -> str:
        found = re.search(r'data-glow="awaits">(.*?)</span>', device.get(target="live").text, re.S)
        return words(found[1]) if found else ""

    assert head(red) == "your move" and head(blue) == "Red to move" and head(table) == "Red to move"
    attack(tables, code)
    assert head(red) == "waiting for Blue: call in guns" and head(blue) == "your answer"
    assert head(table) == head(watch) == "Waiting for Blue: call in guns"
    tables.act(code, "blue", "dismiss", {"ask": ask_of(tables, code, "call-guns")})
    assert head(red) == "your answer" and head(blue) == "waiting for Red: roll for the attack"


# -- no receipts ------------------------------------------------------------------------------------------------


def test_a_sheet_closes_and_a_toast_says_what_happened(red: Device, tables: Tables, code: str) -> None:
    answer = red.do("attack", target="sheet", hex="0505", column="2:1")
    assert answer.headers["HX-Trigger"] == "table-changed"
    assert answer.text.strip().startswith('<div id="toast"') and "Red: Attack on 0505" in answer.text
    assert f'value="{tables.undo_target(code)}"' in answer.text and "Undo" in answer.text
    assert 'class="sheet' not in answer.text


def test_a_mistake_stays_in_the_sheet(red: Device, code: str) -> None:
    answer = red.do("attack", target="sheet", hex="nowhere")
    assert answer.status_code == 422 and 'class="sheet' in answer.text and "field-error" in answer.text


# -- ending over what is owed -------------------------------------------------------------------------------------


def test_a_phase_is_ended_over_what_is_owed_only_by_a_second_tap(
    red: Device, tables: Tables, code: str
) -> None:
    tables.act(code, "red", "owe-something", {})
    rev = tables.store.latest(code)
    answer = red.do("next-phase", target="live", rev=rev)
    assert answer.status_code == 409 and tables.game(code).phase == "red-move"
    ending = words(answer.text[answer.text.index('id="warning"') :])
    assert "Turn the night marker" in ending and "End it anyway" in ending
    assert 'name="anyway" value="on"' in answer.text
    assert red.do("next-phase", target="live", rev=rev, anyway="on").status_code == 200
    assert tables.game(code).phase == "blue-move"
    assert "Turn the night marker" in words(red.get(target="live").text), "it goes along"


def test_without_javascript_the_same_is_a_page(red: Device, tables: Tables, code: str) -> None:
    tables.act(code, "red", "owe-something", {})
    rev = tables.store.latest(code)
    page = red.do("next-phase", rev=rev)
    assert page.status_code == 409 and "Test the bridge" in page.text and "End it anyway" in page.text
    assert red.do("next-phase", rev=rev, anyway="on").status_code == 303


def test_what_the_other_side_owes_in_secret_is_not_said(red: Device, tables: Tables, code: str) -> None:
    tables.act(code, "blue", "plan-secretly", {})
    answer = red.do("next-phase", target="live", rev=tables.store.latest(code))
    assert "SECRET" not in answer.text


@pytest.mark.parametrize(
    ("labels", "each"),
    [
        (["Retreat to the river crossing at 2307"] * 6, True),
        (["Retreat to the river crossing at 2307"] * 7, False),
        ([f"{n}" for n in range(1835, 1847)], True),  # the hexes of a retreat
        ([f"{n}" for n in range(1835, 1848)], False),
    ],
)
def test_few_or_short_answers_are_a_button_each(labels: list[str], each: bool) -> None:
    choices = [{"value": str(n), "label": label} for n, label in enumerate(labels)]
    asked = FormField("to", "choice", "To", choices=choices, required=True)
    assert bool(_replies(asked, owed=True)) is each


def test_units_that_read_alike_are_one_button_with_their_number() -> None:
    """Which of three tank brigades in one hex is lost is the same: three alike buttons only ask which."""
    names = ["Tank brigade (2719)", "Guards (2719)", "Tank brigade (2719)", "Tank brigade (2618)"]
    choices = [{"value": f"u{n}", "label": name} for n, name in enumerate(names)]
    field = FormField("units", "unit", "Which", choices=choices, required=True)
    assert [(r.value, r.label) for r in _replies(field, owed=True)] == [
        ("u0", "Tank brigade (2719) (2 of them)"),
        ("u1", "Guards (2719)"),
        ("u3", "Tank brigade (2618)"),
    ]


@pytest.mark.parametrize(("values", "no"), [(("0", "1"), False), (("1", "2"), True)])
def test_an_offer_has_one_no(values: tuple[str, ...], no: bool) -> None:
    """'No air' says it already where that is among the answers."""
    choices = [{"value": v, "label": v} for v in values]
    field = FormField("points", "choice", "Air Points", choices=choices, value=values[0])
    asked = SimpleNamespace(consent=False, duty="offered")
    found = Question(cast(DutyView, asked), "buttons", [field], field, _replies(field, owed=False))
    assert bool(found.instead) is no


@pytest.mark.parametrize(
    ("replies", "speaks"), [(("Fall back 2", "Stand, lose 2"), True), (("1704", "1705"), False)]
)
def test_answers_that_are_phrases_need_no_label(replies: tuple[str, ...], speaks: bool) -> None:
    """'To hex' above 'To 1704' says the same twice; above '1704' it is needed."""
    asked = Question(None, "buttons", replies=[Reply(one, one) for one in replies])  # type: ignore[arg-type]
    assert asked.speaks is speaks
