"""Behind a proxy: https links, Secure cookies, the real client's address; and nobody shuts the others out."""

import re
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, jsonify, request
from flask.testing import FlaskClient
from toykit import install

from companion.web import security
from companion.web.app import create_app
from companion.web.seats import token
from companion.web.server import find_site

PUBLIC = "https://games.example.org"
THROUGH = {"Host": "games.example.org", "X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https"}


@pytest.fixture
def echo() -> FlaskClient:
    app = Flask(__name__)
    security.init_app(app, public_url=PUBLIC)
    app.get("/")(lambda: jsonify(address=request.remote_addr, scheme=request.scheme))
    return app.test_client()


def seen(echo: FlaskClient, peer: str = "127.0.0.1", **headers: str) -> tuple[str, str]:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = echo.get("/", headers=given, environ_base={"REMOTE_ADDR": peer}).get_json()
    return answer["address"], answer["scheme"]


@pytest.mark.parametrize(
    "peer", ["127.0.0.1", "::1", "::ffff:127.0.0.1", "10.0.0.2", "172.17.0.1", "192.168.1.4"]
)
def test_a_neighbouring_proxy_is_believed(echo: FlaskClient, peer: str) -> None:
    assert seen(echo, peer, X_Forwarded_For="203.0.113.9") == ("203.0.113.9", "https")


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        ("1.1.1.1, 203.0.113.9", "203.0.113.9"),  # only the nearest proxy's own word
        ("2001:db8::7", "2001:db8::7"),
        ("[2001:db8::7]:4711", "2001:db8::7"),
        ("203.0.113.9:4711", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("unknown", "10.0.0.2"),
        ("203.0.113.9,", "10.0.0.2"),
        ("203.0.113.9/../x", "10.0.0.2"),
        ("é" * 100, "10.0.0.2"),
        ("[", "10.0.0.2"),
    ],
)
def test_the_last_address_counts_if_it_is_one(echo: FlaskClient, forwarded: str, address: str) -> None:
    assert seen(echo, "10.0.0.2", X_Forwarded_For=forwarded)[0] == address


def test_a_stranger_is_not_believed(echo: FlaskClient) -> None:
    assert seen(echo, "203.0.113.50", X_Forwarded_For="10.0.0.1") == ("203.0.113.50", "http")


def test_a_device_of_the_hall_that_comes_directly_is_itself(echo: FlaskClient) -> None:
    assert seen(echo, "192.168.1.30", Host="192.168.1.2:1942") == ("192.168.1.30", "http")


def test_without_a_public_url_nobody_is_believed() -> None:
    app = Flask(__name__)
    security.init_app(app)
    app.get("/")(lambda: jsonify(address=request.remote_addr, scheme=request.scheme))
    assert seen(app.test_client(), X_Forwarded_For="203.0.113.9", X_Forwarded_Proto="https") == (
        "127.0.0.1",
        "http",
    )


def test_forwarded_headers_do_not_help_a_foreign_name(echo: FlaskClient) -> None:
    """A page elsewhere that points its own name here may send any header it likes."""
    assert echo.get("/", headers={**THROUGH, "Host": "evil.example"}).status_code == 400


def test_browsers_are_told_to_stay_with_https(echo: FlaskClient) -> None:
    assert "max-age=" in echo.get("/", headers=THROUGH).headers["Strict-Transport-Security"]
    assert "Strict-Transport-Security" not in echo.get("/", headers={"Host": "192.168.1.2"}).headers


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    site = find_site("127.0.0.1", 1942, PUBLIC)
    return create_app(tmp_path / "data", site=site, scenarios=install(monkeypatch), testing=True)


def found_table(client: FlaskClient) -> str:
    origin = {**THROUGH, "Origin": PUBLIC}
    answer = client.post("/new/toy/skirmish", data={"players": "two"}, headers=origin)
    assert answer.status_code == 303, answer.text
    return str(re.search(r"/t/(\w+)/", answer.headers["Location"])[1])  # type: ignore[index]


def test_seats_are_in_secure_cookies(app: Flask) -> None:
    client = app.test_client()
    origin = {**THROUGH, "Origin": PUBLIC}
    answer = client.post("/new/toy/skirmish", data={"players": "two"}, headers=origin)
    assert "Secure" in answer.headers["Set-Cookie"] and "HttpOnly" in answer.headers["Set-Cookie"]
    assert (
        client.post(
            "/new/toy/skirmish", headers={**THROUGH, "Origin": "http://games.example.org"}
        ).status_code
        == 403
    )


@pytest.mark.parametrize("headers", [THROUGH, {"Host": "127.0.0.1:1942", **dict(list(THROUGH.items())[1:])}])
def test_every_link_is_the_public_one(app: Flask, headers: dict[str, str]) -> None:
    client = app.test_client()
    code = found_table(client)
    with app.test_request_context(headers=headers):
        link = f"/j/{code}/{token(code, 'table')}"
    host = headers["Host"]
    seated = app.test_client()
    assert seated.get(link, headers=headers, base_url=f"https://{host}").status_code == 303
    for path in ("/", f"/t/{code}/table/seats", f"/t/{code}/watch"):
        page = seated.get(path, headers=headers, base_url=f"https://{host}")
        assert page.status_code == 200
        assert not re.search(r"http://(?!www\.w3\.org)", page.text), path


def test_wrong_links_lock_nobody_out(app: Flask) -> None:
    """One stranger guesses; a player behind the same address still sits down."""
    client = app.test_client()
    code = found_table(client)
    with app.test_request_context():
        right = f"/j/{code}/{token(code, 'red')}"
    stranger = app.test_client()
    codes = [stranger.get(f"/j/{code}/wrong-{n}", headers=THROUGH).status_code for n in range(30)]
    assert codes[0] == 403 and codes[-1] == 429
    codes = [stranger.get("/join?code=ZZZZ", headers=THROUGH).status_code for _ in range(3)]
    assert codes[-1] == 429
    player = app.test_client()
    assert player.get(right, headers=THROUGH).status_code == 303
    assert player.get(f"/join?code={code}", headers=THROUGH).status_code == 303
    elsewhere = {**THROUGH, "X-Forwarded-For": "203.0.113.77"}
    assert stranger.get(f"/j/{code}/wrong", headers=elsewhere).status_code == 403
