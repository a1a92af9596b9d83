"""Nothing hidden leaves the server for the wrong seat: not in pages, fragments, JSON, events, logs, exports or undo."""

import re

import pytest
from flask import Flask
from toykit import Device, all_agree

from companion.tables.tables import Tables
from companion.tables.transfer import export_table

OTHERS = ("blue", "table", "watch")
WORDS = ("operation-kremlin", "wolf-hour", "mine-red", "0808", "Partisan brigade")
PAGES = ("", "units", "log", "more", "settings", "map", "export.json", "log?kind=noted", "log?side=red")


@pytest.fixture
def code(tables: Tables) -> str:
    """Red keeps secrets of every kind; its brigade lies under another counter."""
    code = tables.new("toy", "skirmish", {})
    tables.act(code, "table", "set-up", {})
    for name, fields in (
        ("draw-card", {}),
        ("draw-card", {}),
        ("choose", {"mission": "operation-kremlin"}),
        ("whisper", {"text": "wolf-hour"}),
        ("lay-mine", {"hex": "0808"}),
        ("count-reserve", {"points": 17}),
        ("add-unit", {"side": "red", "name": "Partisan brigade", "hex": "0606"}),
        ("place-unit", {"unit": "Guards", "hex": "0606"}),
        ("hide-chit", {}),
        ("secret-roll", {}),
    ):
        tables.act(code, "red", name, fields)
    return code


def secrets(tables: Tables, code: str) -> list[str]:
    game = tables.game(code)
    return [*WORDS, *game.piles["deck"]["hand:red"], *game.piles["cup"]["aside"], tables.row(code).seed]


def device(app: Flask, code: str, seat: str) -> Device:
    found = Device(app, code, "" if seat == "watch" else seat)
    found.seat = seat
    return found


def leaks(text: str, words: list[str]) -> list[str]:
    """The secrets in a text. The dice's public commitment is random: by chance it may hold a hex number."""
    plain = re.sub(r"[0-9a-f]{64}", "", text)
    return [word for word in words if word in (text if len(word) == 64 else plain)]


def test_its_owner_sees_every_one_of_these_secrets(app: Flask, tables: Tables, code: str) -> None:
    """So that the tests below cannot pass for want of secrets."""
    red = device(app, code, "red")
    text = "".join(red.get(part).text for part in PAGES) + red.get(f"/api/tables/{code}").text
    words = [w for w in secrets(tables, code) if w != tables.row(code).seed]
    assert leaks(text, words) == words


@pytest.mark.parametrize("seat", OTHERS)
def test_no_page_of_another_seat_holds_a_secret(app: Flask, tables: Tables, code: str, seat: str) -> None:
    other = device(app, code, seat)
    for part in PAGES:
        for target in ("", "live"):
            answer = other.get(part, target)
            assert answer.status_code == 200
            assert leaks(answer.text, secrets(tables, code)) == [], part


@pytest.mark.parametrize("seat", OTHERS)
@pytest.mark.parametrize("path", ["", "/actions", "/events"])
def test_no_api_answer_to_another_seat_holds_a_secret(
    app: Flask, tables: Tables, code: str, seat: str, path: str
) -> None:
    answer = device(app, code, seat).get(f"/api/tables/{code}{path}?seat={seat}")
    assert answer.status_code == 200
    assert leaks(answer.text, secrets(tables, code)) == []
    assert '"value": 17' not in answer.text and '"value":17' not in answer.text


@pytest.mark.parametrize("seat", ["blue", "table", "watch"])
def test_no_form_or_preview_shows_another_seats_hand(
    app: Flask, tables: Tables, code: str, seat: str
) -> None:
    other = device(app, code, seat)
    names = list(tables.system_of(code).rules.actions)
    assert "red-card" in names
    for name in names:
        for answer in (
            other.get(f"do/{name}"),
            other.post(f"preview/{name}"),
            other.do(name, card="x", rev="1"),
        ):
            assert leaks(answer.text, secrets(tables, code)) == [], name


@pytest.mark.parametrize("seat", ["blue", "table"])
def test_a_take_back_shows_nothing_that_was_hidden(app: Flask, tables: Tables, code: str, seat: str) -> None:
    words = secrets(tables, code)
    line = tables.undo_target(code)
    tables.act(code, "red", "take-back", {"to": line})
    other = device(app, code, seat)
    (ask,) = [a["id"] for a in tables.view(code, seat)["asked"] if a["by"] == "take-back"]
    answer = other.do("agree", ask=ask, yes="on")
    assert answer.status_code == 303
    for part in PAGES:
        assert leaks(other.get(part).text, words) == [], part


@pytest.mark.parametrize(
    ("seat", "told"), [("red", True), ("blue", False), ("table", False), ("watch", False)]
)
def test_what_is_done_in_secret_has_no_name_for_the_others(
    app: Flask, code: str, seat: str, told: bool
) -> None:
    for path in (f"/api/tables/{code}/events?seat={seat}", "export.json"):
        answer = device(app, code, seat).get(path)
        assert answer.status_code == 200
        assert ("lay-mine" in answer.text) is told, path
        assert ('"spend"' in answer.text) is told, path  # what a whispered question leads to


@pytest.mark.parametrize("seat", OTHERS)
def test_an_action_id_made_from_the_actions_name_stays_on_the_server(
    app: Flask, tables: Tables, code: str, seat: str
) -> None:
    """Any client makes its own ids; in another seat's copy they are numbers that only group."""
    tables.act(code, "red", "lay-mine", {"hex": "0707"}, action_id="lay-mine-at-0707")
    tables.act(code, "red", "note", {"text": "our move is done"}, action_id="note-after-the-mine")
    copy = export_table(tables, code, seat)
    sent = device(app, code, seat).get("export.json").text  # sealed, for the table's screen
    for text in (str(copy), sent):
        assert "lay-mine" not in text and "after-the-mine" not in text
    acts = [event["act"] for event in copy["events"]]
    assert acts[0] == acts[1] and len({*acts}) == 1 + int(acts[-1]) - int(acts[0]), (
        "what belongs together stays so"
    )
    names = {event["name"] for event in copy["events"] if event["body"].get("text") == "our move is done"}
    assert names == {"note"}


@pytest.mark.parametrize("seat", OTHERS)
def test_an_open_part_of_a_secret_action_does_not_name_it(
    app: Flask, tables: Tables, code: str, seat: str
) -> None:
    """What a secret action leads to in the open (here the answer to a question) is told without its name and rule."""
    tables.act(code, "table", "adjust", {"name": "vp", "change": -1})
    ask = next(a["id"] for a in tables.view(code, "red")["asked"] if a["action"] == "spend")
    tables.act(code, "red", "lay-mine", {"hex": "0707", "_asked": ask})
    other = device(app, code, seat)
    for path in (f"/api/tables/{code}/events?seat={seat}", "export.json"):
        text = other.get(path).text
        assert "lay-mine" not in text and "Lay a mine" not in text, path
    assert all(entry.label != "Lay a mine" for entry in tables.log(code, seat))


def test_a_part_of_the_record_names_no_secret_action_that_it_cuts_in_two(
    app: Flask, tables: Tables, code: str
) -> None:
    blue = device(app, code, "blue")
    last = tables.store.latest(code)
    for since in range(last):
        assert "lay-mine" not in blue.get(f"/api/tables/{code}/events?seat=blue&since={since}").text


def test_a_mistake_does_not_tell_what_lies_hidden(app: Flask, tables: Tables, code: str) -> None:
    blue = device(app, code, "blue")
    for name, form in (
        ("place-unit", {"unit": "Partisan", "hex": "0404"}),
        ("place-unit", {"unit": "Partisan brigad", "hex": "0404"}),
        ("set-steps", {"unit": "Partisan brigade ", "steps": "1"}),
        ("play-card", {"card": "x"}),
        ("adjust", {"name": "reserve", "change": "99"}),
        ("correct", {"name": "reserve", "value": "1"}),
        ("return-chit", {"chits": "oak"}),
    ):
        typed = " ".join(form.values())
        text = blue.do(name, "sheet", **form).text.replace(typed, "")
        hidden = [w for w in secrets(tables, code) if w not in typed]
        assert leaks(text, hidden) == [], name
        assert "116" not in text


def test_a_hidden_unit_cannot_be_told_from_one_that_is_not_there(app: Flask, code: str) -> None:
    blue = device(app, code, "blue")
    answers = [
        blue.do("place-unit", "sheet", unit=name, hex="0404").text.replace(name, "X")
        for name in ("Partisan brigade", "red-partisan-brigade", "Parachute brigade")
    ]
    assert answers[0] == answers[1] == answers[2]


def test_what_was_revealed_is_seen_by_all(app: Flask, tables: Tables, code: str) -> None:
    tables.act(code, "blue", "choose", {"mission": "sit still"})
    assert "operation-kremlin" in device(app, code, "watch").get(f"/api/tables/{code}").text


@pytest.mark.parametrize("seat", ["red", *OTHERS])
def test_the_seed_stays_on_the_server_until_the_end(app: Flask, tables: Tables, code: str, seat: str) -> None:
    seed = tables.row(code).seed
    mine = device(app, code, seat)
    before = "".join(mine.get(part).text for part in PAGES)
    assert seed not in before
    tables.act(code, "table", "end-game", {"winner": "red"}, revision=tables.store.latest(code))
    all_agree(tables, code)
    assert seed in mine.get("export.json").text
