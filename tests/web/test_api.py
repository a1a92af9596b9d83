"""The JSON API: the same actions as the forms, for programs; every mistake has one shape."""

import json
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from toykit import Device
from werkzeug.test import TestResponse

from companion.tables.tables import Tables
from companion.web.seats import token


class Client:
    """A program that talks to one table, with a seat's token or without."""

    def __init__(self, client: FlaskClient, code: str = "", token: str = "") -> None:
        self.client, self.code = client, code
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}

    def get(self, path: str = "") -> TestResponse:
        return self.client.get(self.url(path), headers=self.headers)

    def post(self, path: str, body: Any = None, raw: bytes | None = None) -> TestResponse:
        data = raw if raw is not None else json.dumps({} if body is None else body).encode()
        return self.client.post(
            self.url(path), data=data, headers=self.headers, content_type="application/json"
        )

    def act(self, name: str, /, **body: Any) -> TestResponse:
        return self.post(f"/actions/{name}", body)

    def url(self, path: str) -> str:
        return path if path.startswith("/api") else f"/api/tables/{self.code}{path}"


@pytest.fixture
def seats(app: Flask) -> dict[str, Client]:
    """A table founded through the API: a client for each seat, and one that watches."""
    client = app.test_client()
    founded = Client(client).post("/api/tables", {"system": "toy", "scenario": "skirmish", "title": "Friday"})
    assert founded.status_code == 201
    found = {
        seat: Client(client, founded.json["code"], token) for seat, token in founded.json["seats"].items()
    }
    found["watch"] = Client(client, founded.json["code"])
    found["table"].act("set-up")
    return found


def mistake(answer: TestResponse, status: int, field: str | None = None) -> str:
    """The message of a refused call, after checking the one shape that every mistake has."""
    assert answer.status_code == status, answer.text
    assert answer.mimetype == "application/json"
    body: dict[str, Any] = answer.json or {}
    assert (
        {"error", "field", "given", "accepted", "rule"}
        <= set(body)
        <= {"error", "field", "given", "accepted", "rule", "errors"}
    )
    assert isinstance(body["error"], str) and body["error"]
    assert body["given"] is None or isinstance(body["given"], str)
    assert field is None or body["field"] == field
    for one in body.get("errors", []):
        # lines of typed positions are told by line
        assert set(one) in ({"error", "field", "given", "accepted", "rule"}, {"error", "line"})
    return str(body["error"])


# -- the happy way -------------------------------------------------------------------------------------------


def test_systems_lists_games_scenarios_options_and_worksheets(app: Flask) -> None:
    (toy,) = Client(app.test_client()).get("/api/systems").json["systems"]
    assert (toy["id"], toy["sides"]) == ("toy", ["red", "blue"])
    assert toy["scenarios"] == [{"id": "skirmish", "name": "Skirmish", "first": 1, "last": 3, "partial": ""}]
    assert {"mode-dice", "fog", "storm", "reading"} <= {o["id"] for o in toy["options"]}
    assert toy["worksheets"]["combat"]["fields"] == ["attack", "defence", "posture"]


def test_a_table_is_founded_with_a_secret_for_every_seat(app: Flask, tables: Tables) -> None:
    body = {"system": "toy", "scenario": "skirmish", "options": {"storm": True}, "title": "Friday"}
    founded = Client(app.test_client()).post("/api/tables", body).json
    assert set(founded["seats"]) == {"table", "red", "blue"}
    assert len(set(founded["seats"].values())) == 3
    assert tables.game(founded["code"])["storm"] is True
    assert founded["revision"] == tables.store.latest(founded["code"])


@pytest.mark.parametrize("seat", ["table", "red", "blue", "watch"])
def test_the_table_is_seen_as_by_the_bearers_seat(seats: dict[str, Client], seat: str) -> None:
    view = seats[seat].get().json
    assert (view["seat"], view["code"]) == (seat, seats[seat].code)
    assert view["turn"]["number"] == 1


def test_actions_are_listed_with_their_fields(seats: dict[str, Client]) -> None:
    answer = seats["red"].get("/actions").json
    by_name = {a["name"]: a for a in answer["actions"]}
    assert answer["seat"] == "red"
    assert by_name["roll-dice"]["fields"][0]["name"] == "dice"
    (die,) = by_name["roll-weather"]["fields"]
    assert (die["type"], die["dice"], die["mode"], die["required"]) == ("dice", "1d6", "either", False)
    assert seats["watch"].get("/actions").json["actions"] == []


def test_whatever_is_offered_can_be_asked_for(seats: dict[str, Client]) -> None:
    """Every action without needed fields can be done as it is offered; nothing offered is refused for its seat."""
    for seat in ("red", "blue", "table"):
        for action in seats[seat].get("/actions").json["actions"]:
            revision = seats[seat].get().json["revision"]
            answer = seats[seat].act(action["name"], revision=revision)
            assert answer.status_code in {200, 409, 422}, (seat, action["name"], answer.text)
            if answer.status_code == 422:
                assert answer.json["field"], (action["name"], answer.json)
            if answer.status_code == 409:
                assert seats[seat].get().json["revision"] == revision


def test_an_action_is_answered_with_revision_and_lines(seats: dict[str, Client]) -> None:
    answer = seats["red"].act("roll-dice", dice="2d6", result=[3, 5], purpose="luck")
    assert answer.json["lines"] == ["luck: 2d6 rolled 3, 5 = 8 (by hand)"]
    assert answer.json["revision"] == seats["blue"].get().json["revision"]


def test_a_worksheets_action_answers_with_its_breakdown(seats: dict[str, Client]) -> None:
    seats["table"].act("next-phase", revision=seats["table"].get().json["revision"])
    result = seats["red"].act("fight", attack=8, defence=4, die="3").json["result"]
    assert (result["column"], result["result"]) == ("2:1", "DR")


def test_a_repeat_of_an_action_id_is_harmless(seats: dict[str, Client]) -> None:
    first = seats["red"].act("draw-chit", action_id="tap-1")
    assert seats["red"].act("draw-chit", action_id="tap-1").json == first.json
    assert "already used" in mistake(seats["blue"].act("draw-chit", action_id="tap-1"), 409)


def test_a_reused_action_id_tells_nothing_of_what_was_done(seats: dict[str, Client]) -> None:
    seats["red"].act("whisper", text="operation-kremlin", action_id="tap-1")
    for other in (
        seats["blue"].act("draw-chit", action_id="tap-1"),
        seats["red"].act("whisper", text="another", action_id="tap-1"),
    ):
        assert other.status_code == 409
        assert not [word for word in ("whisper", "red", "kremlin") if word in other.text]


def test_an_action_id_is_text_of_at_most_80_characters(seats: dict[str, Client]) -> None:
    assert "at most 80" in mistake(seats["red"].act("draw-chit", action_id="x" * 81), 422)
    revisions = [seats["red"].act("draw-chit", action_id=None).json["revision"] for _ in range(2)]
    assert revisions[1] == revisions[0] + 1, "null is no id"


def test_a_worksheet_is_worked_without_a_table(app: Flask) -> None:
    answer = Client(app.test_client()).post("/api/calc/toy/combat", {"attack": 6, "defence": "3"})
    assert answer.json["column"] == "2:1"
    assert answer.json["lines"][0] == {"label": "Odds", "effect": "2:1", "rule": "7.1"}


def test_events_are_paged_by_since(seats: dict[str, Client], tables: Tables) -> None:
    code = seats["red"].code
    for n in range(7):
        seats["red"].act("note", text=f"note {n}")
    every = seats["red"].get("/events").json
    assert [x["seq"] for x in every["events"]] == list(range(1, every["revision"] + 1))
    last = seats["red"].get(f"/events?since={every['revision'] - 2}").json["events"]
    assert [x["text"] for x in last] == ["note 5", "note 6"]
    assert set(last[0]) == {"seq", "at", "seat", "action", "kind", "text"}
    assert seats["red"].get(f"/events?since={every['revision']}").json["events"] == []
    with tables.store.transaction(code) as tx:
        bodies = [{"kind": "noted", "text": str(n)} for n in range(600)]
        tx.append(
            bodies,
            at="1942-05-12T12:00:00Z",
            seat="red",
            act="many",
            name="note",
            stream=tx.stream,
            answer={},
        )
    seen: list[int] = []
    while page := seats["red"].get(f"/events?since={seen[-1] if seen else 0}").json["events"]:
        assert len(page) <= 500
        seen += [x["seq"] for x in page]
    assert seen == list(range(1, tables.store.latest(code) + 1))


def test_a_browsers_cookie_serves_as_well_as_a_bearer_token(app: Flask, seats: dict[str, Client]) -> None:
    device = Device(app, seats["red"].code, "red")
    assert device.client.get(f"/api/tables/{device.code}").json["seat"] == "red"


def test_a_device_with_several_seats_says_which(app: Flask, seats: dict[str, Client]) -> None:
    device, other = Device(app, seats["red"].code, "red"), Device(app, seats["red"].code, "blue")
    with app.test_request_context():
        device.get(f"/j/{device.code}/{token(device.code, 'blue')}")
    url = f"/api/tables/{device.code}"
    assert device.get(f"{url}?seat=blue").status_code == 403, "before the device was handed over"
    device.post(f"/t/{device.code}/blue/open")
    assert device.get(f"{url}?seat=blue").json["seat"] == "blue"
    assert device.get(f"{url}?seat=watch").json["seat"] == "watch"
    assert other.get(f"{url}?seat=red").status_code == 403


# -- mistakes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "status", "field", "words"),
    [
        ({}, 422, "system", "system is missing"),
        ({"system": "toy"}, 422, "scenario", "scenario is missing"),
        ({"system": "tyo", "scenario": "skirmish"}, 404, "system", "no game 'tyo'"),
        ({"system": "toy", "scenario": "d-day"}, 404, "scenario", "no scenario 'd-day'"),
        ({"system": ["toy"], "scenario": {}}, 404, "system", "no game"),
        ({"system": "toy", "scenario": "skirmish", "options": [1]}, 422, "options", "must be an object"),
        (
            {"system": "toy", "scenario": "skirmish", "options": {"strom": 1}},
            422,
            "strom",
            "Did you mean storm",
        ),
        ({"system": "toy", "scenario": "skirmish", "options": {"storm": "x"}}, 422, "storm", "not yes or no"),
    ],
)
def test_a_table_that_cannot_be_founded(
    app: Flask, tables: Tables, body: Any, status: int, field: str, words: str
) -> None:
    assert words in mistake(Client(app.test_client()).post("/api/tables", body), status, field)
    assert tables.store.tables() == []


@pytest.mark.parametrize("path", ["", "/actions", "/events"])
def test_an_unknown_table_is_named(app: Flask, path: str) -> None:
    assert "no table 'ZZZZ'" in mistake(Client(app.test_client(), "ZZZZ").get(path), 404)


CALLS: list[tuple[str, str, dict[str, Any], int, str | None, str]] = [
    ("red", "dance", {}, 404, "action", "no action 'dance'"),
    ("red", "draw-cart", {}, 404, "action", "Did you mean draw-card"),
    ("watch", "roll-dice", {}, 403, None, "a seat's token is needed"),
    ("red", "blue-word", {}, 403, None, "belongs to the Blue seat"),
    ("red", "ring", {}, 403, None, "on the table's own screen"),
    ("table", "draw-card", {}, 403, None, "on a player's own phone"),
    ("red", "fight", {"attack": 3, "defence": 1}, 409, None, "belongs to Red Movement or Blue Movement"),
    ("red", "scout", {"unit": "Guards"}, 409, None, "scouts ride from day 2 on"),
    ("red", "next-phase", {}, 409, "revision", "needs the revision"),
    ("red", "next-phase", {"revision": 1}, 409, "revision", "has moved on"),
    ("red", "next-phase", {"revision": "one"}, 422, "revision", "must be a whole number"),
    ("red", "place-unit", {"unit": "Nobody", "hex": "0404"}, 404, "unit", "no unit 'Nobody'"),
    ("red", "place-unit", {"unit": "Guards", "hex": "9999"}, 422, "hex", "9999"),
    ("red", "place-unit", {"unit": "Guards", "hex": "<b>"}, 422, "hex", "not a hex number"),
    ("red", "place-unit", {"unit": "Guards", "box": "moon"}, 422, "box", "is not one of"),
    ("red", "roll-dice", {"dice": "soup"}, 422, "dice", "is not a roll"),
    ("red", "roll-dice", {"result": "9"}, 422, "result", "is not a roll of 1d6"),
    ("red", "roll-dice", {"dcie": "1d6"}, 422, "dcie", "Did you mean dice"),
    ("red", "play-card", {"card": "STUKA"}, 422, "card", "is not there"),
    ("red", "agree", {"ask": "nothing"}, 409, "ask", "no longer open"),
    ("red", "take-back", {"to": 9999}, 422, "to", "is not behind us"),
    ("red", "note", {"text": "x" * 10_000}, 422, "text", "10000 characters are too many: at most 500"),
]


@pytest.mark.parametrize(("seat", "action", "body", "status", "field", "words"), CALLS)
def test_a_wrong_call_is_named_and_changes_nothing(
    seats: dict[str, Client],
    tables: Tables,
    seat: str,
    action: str,
    body: dict[str, Any],
    status: int,
    field: str | None,
    words: str,
) -> None:
    revision = tables.store.latest(seats[seat].code)
    answer = seats[seat].act(action, **body)
    assert words in mistake(answer, status, field)
    assert tables.store.latest(seats[seat].code) == revision
    assert len(answer.text) < 20_000


def test_all_mistakes_of_a_call_come_at_once(seats: dict[str, Client]) -> None:
    answer = seats["red"].act("add-unit", side="green", steps="many", colour="x")
    mistake(answer, 422)
    assert [e["field"] for e in answer.json["errors"]] == ["side", "name", "steps", "colour"]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"{", "the body is not JSON"),
        (b"\xff\xfe", "the body is not JSON"),
        (b"[" * 5000, "the body is not JSON"),
        (b"[1]", "must be a JSON object, not list"),
        (b'"text"', "must be a JSON object, not str"),
        (b"null", "must be a JSON object, not NoneType"),
        (b"7", "must be a JSON object, not int"),
    ],
)
@pytest.mark.parametrize("path", ["/api/tables", "/actions/roll-dice", "/api/calc/toy/combat"])
def test_a_body_that_is_no_object_is_refused(
    seats: dict[str, Client], path: str, raw: bytes, words: str
) -> None:
    assert words in mistake(seats["red"].post(path, raw=raw), 422)


@pytest.mark.parametrize("since", ["-1", "x", "1.5", "²", "", "9" * 5000])
def test_since_must_be_a_number(seats: dict[str, Client], since: str) -> None:
    answer = seats["red"].get(f"/events?since={since}")
    if answer.status_code == 200:
        assert answer.json["events"] == [], "past the end there is nothing"
    else:
        assert "is not an event number" in mistake(answer, 422, "since")


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        [[]],
        {"a": 1},
        True,
        1.5,
        -1,
        10**30,
        "",
        " ",
        ",",
        "\0",
        "😀" * 50,
        "\ud800",
        "<script>",
    ],
)
def test_any_json_value_in_any_field_is_a_mistake_or_done_but_never_a_crash(
    seats: dict[str, Client], value: Any
) -> None:
    revision = seats["red"].get().json["revision"]
    for action in seats["red"].get("/actions").json["actions"]:
        body = {field["name"]: value for field in action["fields"]}
        answer = seats["red"].act(action["name"], **body, _asked=value, action_id=value, revision=revision)
        assert answer.status_code in {200, 403, 404, 409, 422}, (action["name"], answer.text)
        if answer.status_code != 200:
            mistake(answer, answer.status_code)
        assert seats["red"].get().status_code == 200
        assert seats["watch"].get("/events").status_code == 200


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/api/calc/tyo/combat", 404, "no game 'tyo'"),
        ("/api/calc/toy/combta", 404, "Did you mean combat"),
        ("/api/calc/toy/combat", 422, "Attack is missing"),
    ],
)
def test_a_calculation_that_cannot_be_done(app: Flask, path: str, status: int, words: str) -> None:
    assert words in mistake(Client(app.test_client()).post(path), status)


@pytest.mark.parametrize("token", ["", "x", "0" * 26, "ü" * 26, "a b"])
def test_a_wrong_token_only_watches(app: Flask, seats: dict[str, Client], token: str) -> None:
    stranger = Client(app.test_client(), seats["red"].code)
    stranger.headers = {"Authorization": f"Bearer {token}".encode().decode("latin-1")}
    assert stranger.get().json["seat"] == "watch"
    assert "does not open the seat 'red'" in mistake(stranger.get("?seat=red"), 403, "seat")


def test_a_token_of_another_table_opens_nothing(app: Flask, seats: dict[str, Client]) -> None:
    client = app.test_client()
    other = Client(client).post("/api/tables", {"system": "toy", "scenario": "skirmish"}).json
    assert Client(client, seats["red"].code, other["seats"]["red"]).get().json["seat"] == "watch"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("get", "/api/nowhere", 404), ("delete", "/api/systems", 405), ("get", "/api/calc/toy/combat", 405)],
)
def test_a_wrong_address_or_method_is_json_too(app: Flask, method: str, path: str, status: int) -> None:
    mistake(getattr(app.test_client(), method)(path), status)


def test_too_much_at_once_is_refused(app: Flask) -> None:
    assert "too much at once" in mistake(
        Client(app.test_client()).post("/api/tables", raw=b" " * 9_000_000), 413
    )


# -- the description -----------------------------------------------------------------------------------------


def test_the_description_lists_every_route_and_worksheet(app: Flask) -> None:
    document = Client(app.test_client()).get("/api/openapi.json").json
    assert document["openapi"].startswith("3.")
    described = {(path, method) for path, methods in document["paths"].items() for method in methods}
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith("/api/") and rule.rule not in {
            "/api/openapi.json",
            "/api/calc/<system>/<worksheet>",
        }:
            path = rule.rule.replace("<", "{").replace(">", "}")
            for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
                assert (path, method.lower()) in described, rule
    assert ("/api/calc/toy/combat", "post") in described
    fields = document["paths"]["/api/calc/toy/combat"]["post"]["requestBody"]["content"]["application/json"][
        "schema"
    ]
    assert fields["properties"]["attack"] == {"type": "integer", "description": "Attack"}


def test_the_description_of_a_mistake_is_the_shape_of_a_mistake(app: Flask) -> None:
    client = Client(app.test_client())
    schema = client.get("/api/openapi.json").json["components"]["schemas"]["Error"]
    answer = client.post("/api/calc/toy/combat").json
    assert set(schema["required"]) <= set(answer)
