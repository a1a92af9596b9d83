"""Pages: every seat's every page answers, forms work without JavaScript, fragments work with it."""

import re
from typing import Any

import pytest
from flask import Flask
from toykit import Device, all_agree

from companion.tables.tables import Tables

SEATS = ("table", "red", "blue", "watch")
PAGES = ("", "units", "log", "more", "settings", "map", "sheet/combat", "do/roll-dice", "export.json")


@pytest.fixture
def code(tables: Tables) -> str:
    code = tables.new("toy", "skirmish", {}, "Friday night")
    tables.act(code, "table", "set-up", {})
    tables.act(code, "red", "draw-card", {})
    return code


def watcher(app: Flask, code: str) -> Device:
    device = Device(app, code)
    device.seat = "watch"
    return device


def words(text: str) -> str:
    """A page as read: tags gone, spaces collapsed."""
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


# -- every page ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", SEATS)
def test_every_page_answers_for_every_seat(app: Flask, code: str, seat: str) -> None:
    device = watcher(app, code) if seat == "watch" else Device(app, code, seat)
    for part in PAGES:
        if (seat, part) == ("watch", "do/roll-dice"):
            continue
        answer = device.get(part)
        assert answer.status_code == 200, part
        assert answer.headers["Cache-Control"] in {"no-store", "no-cache"}, part
        assert "Content-Security-Policy" in answer.headers, part
        if part != "export.json":
            assert answer.text.lstrip().lower().startswith("<!doctype html>"), part


@pytest.mark.parametrize("path", ["/", "/new", "/new/toy/skirmish"])
def test_the_lobby_is_open_to_all(app: Flask, path: str) -> None:
    answer = Device(app).get(path)
    assert answer.status_code == 200
    assert ("New table" if path == "/" else "Toy Kharkov") in answer.text


@pytest.mark.parametrize("seat", ["table", "red", "blue"])
def test_without_its_cookie_a_seat_is_closed(app: Flask, code: str, seat: str) -> None:
    device = Device(app, code)
    device.seat = seat
    for part in (*PAGES, "stream", "seats"):
        answer = device.get(part)
        assert answer.status_code == 403, part
        assert f"does not hold the {seat} seat of table {code}" in answer.text, part


def test_a_side_cannot_open_the_other_sides_pages(red: Device, code: str) -> None:
    assert red.get(f"/t/{code}/blue").status_code == 403
    assert red.post(f"/t/{code}/blue/do/draw-card").status_code == 403
    assert red.get(f"/t/{code}/green").status_code == 404


def test_the_page_of_a_table_leads_to_the_seat_held(app: Flask, red: Device, code: str) -> None:
    assert red.get(f"/t/{code}").headers["Location"] == f"/t/{code}/red"
    assert Device(app).get(f"/t/{code.lower()}").headers["Location"] == f"/t/{code}/watch"


@pytest.mark.parametrize("part", ["", "units"])
def test_htmx_gets_only_the_live_part(table: Device, part: str) -> None:
    text = table.get(part, "live").text
    assert "<!doctype" not in text.lower()
    assert re.search(r'id="live" data-rev="\d+"', text)


def test_a_page_that_is_up_to_date_is_not_sent_again(table: Device) -> None:
    first = table.get("", "live")
    assert table.get("", "live", **{"If-None-Match": first.headers["ETag"]}).status_code == 304
    table.do("roll-dice")
    assert table.get("", "live", **{"If-None-Match": first.headers["ETag"]}).status_code == 200


def test_watching_is_read_only(app: Flask, tables: Tables, code: str) -> None:
    device = watcher(app, code)
    page = device.get("").text
    assert "watching" in page
    assert 'method="post"' not in page.partition("</header>")[2]
    revision = tables.store.latest(code)
    for action in ("roll-dice", "next-phase", "note", "take-back", "agree", "set-mode"):
        assert device.do(action, text="x", rev=revision, to=2).status_code == 403, action
        assert device.get(f"do/{action}").status_code == 403, action
    assert tables.store.latest(code) == revision


# -- without JavaScript --------------------------------------------------------------------------------------


def location(answer: Any) -> str:
    """Where a form leads, without the line that the page there is to tell of."""
    assert answer.status_code == 303, words(answer.text)[:300]
    return re.sub(r"\?said=\d+$", "", str(answer.headers["Location"]))


def test_a_table_is_founded_by_a_plain_form(app: Flask, tables: Tables) -> None:
    device = Device(app)
    where = location(
        device.post("/new/toy/skirmish", title="Friday", players="two", reading="defender", storm="on")
    )
    found = re.fullmatch(r"/t/([A-Z0-9]{4})/table/seats", where)
    assert found
    game = tables.game(found[1])
    assert (game["reading"], game["storm"], game["fog"], game["solo"]) == ("defender", True, True, False)
    assert device.get(where).text.count("/j/") >= 2, "a link for each side"
    assert "Friday" in device.get("/").text


@pytest.mark.parametrize(
    ("players", "seats"), [("solo", SEATS[:3]), ("shared", SEATS[:3]), ("two", ("table",))]
)
def test_who_plays_decides_which_seats_this_device_gets(
    app: Flask, players: str, seats: tuple[str, ...]
) -> None:
    device = Device(app)
    code = location(device.post("/new/toy/skirmish", players=players)).split("/")[2]
    held = [s for s in ("table", "red", "blue") if device.get(f"/t/{code}/{s}").status_code == 200]
    assert held == list(seats)


def test_a_wrong_option_shows_the_form_again_with_the_reason(app: Flask, tables: Tables) -> None:
    answer = Device(app).post("/new/toy/skirmish", title="Friday", reading="both")
    assert answer.status_code == 422
    assert "is not one of: attacker, defender" in words(answer.text) and 'value="Friday"' in answer.text
    assert tables.store.tables() == []


def test_joining_by_code_leads_to_a_place_to_watch_or_the_own_seat(
    app: Flask, red: Device, code: str
) -> None:
    assert location(Device(app).get(f"/join?code={code.lower()}")) == f"/t/{code}/watch"
    assert location(red.get(f"/join?code={code}")) == f"/t/{code}/red"


def test_dice_roll_by_a_plain_form(red: Device, tables: Tables, code: str) -> None:
    assert location(red.do("roll-dice", dice="2d6", purpose="luck")) == f"/t/{code}/red"
    assert tables.game(code).last_roll["purpose"] == "luck"
    assert "luck" in red.get("log").text


def test_the_phase_ends_by_a_plain_form(table: Device, tables: Tables, code: str) -> None:
    page = table.get().text
    form = re.search(r'action="[^"]+do/next-phase".*?name="rev" value="(\d+)"', page, re.S)
    assert form
    assert location(table.do("next-phase", rev=form[1])) == f"/t/{code}/table"
    assert "Red Movement" in table.get().text


def test_a_stale_plain_form_is_told_and_nothing_happens(table: Device, tables: Tables, code: str) -> None:
    seen = tables.store.latest(code)
    table.do("roll-dice")
    answer = table.do("next-phase", rev=seen)
    assert answer.status_code == 409
    assert "The table has moved on" in words(answer.text)
    assert tables.game(code).phase == "weather"


def test_a_checklist_line_is_ticked_by_a_plain_form(table: Device, tables: Tables, code: str) -> None:
    assert "1/weather/0" in table.get().text
    location(table.do("tick", item="1/weather/0", done="on"))
    assert tables.game(code).ticked == {"1/weather/0"}


def test_everything_else_begins_with_the_game_s_own_worksheets(red: Device) -> None:
    """'What are the odds?' is asked every few minutes; a phone must not scroll past the settings for it."""
    page = words(red.get("more").text)
    places = [
        page.index(word) for word in ("Worksheets", "Combat Rule 7.1", "Distance", "Roll dice", "Settings")
    ]
    assert places == sorted(places)


def test_undo_is_one_plain_button(table: Device, tables: Tables, code: str) -> None:
    table.do("correct", name="vp", value="9")
    form = re.search(r'do/take-back".*?name="to" value="(\d+)"', table.get().text, re.S)
    assert form
    location(table.do("take-back", to=form[1]))
    assert tables.game(code)["vp"] == 3


def test_undo_past_a_draw_asks_the_other_side_and_goes_back_when_it_agrees(
    app: Flask, red: Device, tables: Tables, code: str
) -> None:
    blue = Device(app, code, "blue")
    location(red.do("take-back", to=tables.undo_target(code)))
    page = blue.get().text
    assert "past a roll or draw. Agree?" in words(page)
    ask = re.search(r'name="ask" value="([^"]+)"', page)
    assert ask
    location(blue.do("agree", ask=ask[1], yes="on"))
    assert tables.game(code).piles["deck"].count("hand:red") == 0


def test_a_plain_form_leads_back_to_what_it_did(
    red: Device, table: Device, tables: Tables, code: str
) -> None:
    table.do("next-phase", rev=tables.store.latest(code))
    answer = red.do("fight", attack=8, defence=4, die="3")
    assert location(answer) == f"/t/{code}/red"
    page = red.get(answer.headers["Location"]).text
    assert "DR" in words(page).partition("Combat")[2], "the result stands on the screen, not on a receipt"
    toast = re.search(r'id="toast".*', page, re.S)
    assert toast and "Combat at 2:1: DR" in toast[0] and f'value="{tables.undo_target(code)}"' in toast[0]
    tables.act(code, "blue", "note", {"text": "later"})
    assert 'class="toast"' not in red.get(answer.headers["Location"]).text, "it is no news any more"


def test_a_mistake_shows_the_form_again_with_all_reasons(
    red: Device, table: Device, tables: Tables, code: str
) -> None:
    table.do("next-phase", rev=tables.store.latest(code))
    answer = red.do("fight", attack="lots", defence="0")
    assert answer.status_code == 422
    page = words(answer.text)
    assert "is not a whole number from 1 to 99" in page and "Defence: 0 is not" in page
    assert 'value="lots"' in answer.text, "what was typed is kept"


@pytest.mark.parametrize(
    "back", ["https://example.org/", "//example.org", "javascript:alert(1)", "/t/XXXX/red"]
)
def test_a_form_never_leads_to_another_place(red: Device, code: str, back: str) -> None:
    assert location(red.do("note", text="x", back=back)) == f"/t/{code}/red"
    assert location(red.do("note", text="y", back=f"/t/{code}/red/log")) == f"/t/{code}/red/log"


def test_leaving_gives_the_seats_up(red: Device, code: str) -> None:
    location(red.post(f"/t/{code}/leave"))
    assert red.get().status_code == 403


# -- with htmx -----------------------------------------------------------------------------------------------


def test_a_tap_answers_with_the_fresh_live_part(table: Device) -> None:
    answer = table.do("roll-dice", "live", dice="1d6")
    assert answer.status_code == 200
    assert 'id="live"' in answer.text and "<!doctype" not in answer.text.lower()
    assert "1d6 rolled" in answer.text


def test_a_stale_next_phase_answers_409_with_the_fresh_live_part(
    table: Device, tables: Tables, code: str
) -> None:
    seen = tables.store.latest(code)
    table.do("roll-dice")
    answer = table.do("next-phase", "live", rev=seen)
    assert answer.status_code == 409
    assert f'data-rev="{seen + 1}"' in answer.text
    assert "The table has moved on" in answer.text
    assert tables.game(code).phase == "weather"


def test_a_form_opens_in_the_sheet_and_keeps_the_table_page(table: Device) -> None:
    answer = table.get("do/roll-dice", "sheet")
    assert answer.status_code == 200
    assert "<form" in answer.text and "<!doctype" not in answer.text.lower()


def test_a_mistake_in_the_sheet_stays_in_the_sheet(red: Device) -> None:
    answer = red.do("roll-dice", "sheet", dice="soup")
    assert answer.status_code == 422
    assert "is not a roll" in words(answer.text) and "<!doctype" not in answer.text.lower()


def test_an_action_done_in_the_sheet_tells_the_page_to_refresh(red: Device) -> None:
    answer = red.do("note", "sheet", text="hello")
    assert answer.status_code == 200
    assert "table-changed" in answer.headers["HX-Trigger"]


def test_a_worksheet_is_previewed_as_it_is_filled_in(
    red: Device, table: Device, tables: Tables, code: str
) -> None:
    early = red.post("preview/fight", "sheet", attack="6", defence="3")
    assert early.status_code == 200 and "breakdown" not in early.text, "it is not Red's move"
    table.do("next-phase", rev=tables.store.latest(code))
    half = red.post("preview/fight", "sheet", attack="6")
    assert half.status_code == 200
    full = red.post("preview/fight", "sheet", attack="6", defence="3")
    assert "33" in words(full.text) and "2:1" in words(full.text)
    assert tables.row(code).stream == 1, "only the card drawn before used the stream"


def test_a_worksheet_can_be_played_with_by_anybody(app: Flask, code: str) -> None:
    device = watcher(app, code)
    assert "2:1" in words(device.get("sheet/combat?attack=6&defence=3").text)
    wrong = device.post("sheet/combat", attack="lots")
    assert wrong.status_code == 422 and "is not a whole number" in words(wrong.text)
    assert device.get("sheet/soup").status_code == 404


def test_a_card_of_the_own_hand_has_its_page(app: Flask, red: Device, tables: Tables, code: str) -> None:
    card = tables.game(code).piles["deck"]["hand:red"][0]
    assert card in red.get(f"card/deck/{card}").text
    blue = Device(app, code, "blue")
    assert blue.get(f"card/deck/{card}").status_code == 404


def test_the_log_can_be_filtered_and_read_to_its_beginning(red: Device, tables: Tables, code: str) -> None:
    for n in range(100):
        tables.act(code, "blue" if n % 2 else "red", "note", {"text": f"note-{n}."})
    assert "note-1." not in red.get("log?side=red").text and "note-98." in red.get("log?side=red").text
    assert "note-98." not in red.get("log?kind=drawn").text
    seen, where = "", "log"
    for _ in range(9):
        page = red.get(where).text
        seen += page
        older = re.search(r'href="\?(before=\d+)', page)
        if not older:
            break
        where = f"log?{older[1]}"
    assert all(f"note-{n}." in seen for n in range(100)) and "Table opened" in seen


def test_the_seed_is_shown_only_when_both_sides_have_laid_the_record_open(
    red: Device, table: Device, tables: Tables, code: str
) -> None:
    seed = tables.row(code).seed
    assert seed not in red.get("settings").text
    table.do("end-game", winner="red", rev=tables.store.latest(code))
    assert seed not in red.get("settings").text
    all_agree(tables, code)
    assert seed in red.get("settings").text


def test_the_lobby_shows_where_this_device_sits_first(red: Device, code: str, tables: Tables) -> None:
    other = tables.new("toy", "skirmish", {}, "Saturday morning")
    tables.act(other, "table", "note", {"text": "we play"})
    page = words(red.get("/").text).partition("Tables")[2]
    assert page.index("Where this device sits") < page.index("Friday night") < page.index("Other tables")
    assert page.index("Other tables") < page.index("Saturday morning") < page.index(other)
    assert "ended" not in page


@pytest.mark.parametrize(("weather", "dug_in"), [("clear", False), ("mud", True)])
def test_the_first_preview_speaks_of_what_the_form_shows(
    red: Device, tables: Tables, weather: str, dug_in: bool
) -> None:
    tables.act(red.code, "table", "correct", {"name": "weather", "value": weather})
    for _ in range(6):
        if tables.game(red.code).phase == "red-move":
            break
        tables.act(red.code, "table", "next-phase", {}, revision=tables.store.latest(red.code))
    page = words(red.get("do/fight?attack=6&defence=3", "sheet").text)
    assert ("Dug in" in page) == dug_in


def test_who_is_asked_to_agree_sees_what_would_be_taken_back(app: Flask, red: Device, tables: Tables) -> None:
    blue = Device(app, red.code, "blue")
    red.do("note", text="stays as it is")
    line = tables.store.latest(red.code)
    red.do("note", text="moved the guns")
    red.do("roll-dice", dice="1d6")
    red.do("take-back", to=line)
    prompt = re.search(r'<section class="prompt.*?</section>', blue.get().text, re.S)
    assert prompt
    assert "wants to take back" in prompt[0] and "moved the guns" in prompt[0]
    assert "stays as it is" not in prompt[0]
