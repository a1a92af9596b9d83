import pytest
from flask import Flask, request

from companion.web import security

CODE, SEAT = "tk7m", "soviet"


@pytest.fixture
def client():
    app = Flask(__name__)
    security.init_app(app, hosts=["cafe.local"], public_url="https://games.example.org")

    @app.route("/", methods=["GET", "POST"])
    def page():
        return "ok"

    @app.get("/poll")
    def poll():
        return "ok", 200, {"Cache-Control": "no-cache"}

    return app.test_client()


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:1942",
        "cafe.local",
        "CAFE.local:1942",
        "192.168.4.1:1942",
        "[fe80::1]:1942",
        "games.example.org",
    ],
)
def test_answers_to_its_own_names_and_to_any_address(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "evil@localhost", "", "[::1", "a b"]
)
def test_refuses_a_name_that_is_not_its_own(client, host):
    reply = client.get("/", headers={"Host": host})
    assert reply.status_code == 400


def test_refusal_names_the_host_and_the_remedy(client):
    text = client.get("/", headers={"Host": "evil.example"}).text
    assert "evil.example" in text and "--public-url" in text


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Origin": "http://localhost"}, 200),
        ({"Origin": "https://games.example.org"}, 200),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "https://localhost"}, 403),
        ({"Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"}, 403),
        ({}, 200),
    ],
)
def test_a_post_must_come_from_our_own_page(client, headers, status):
    assert client.post("/", headers=headers).status_code == status


def test_a_post_with_a_cookie_must_name_its_origin(client):
    client.set_cookie("seat", "1")
    assert client.post("/").status_code == 403
    assert client.post("/", headers={"Origin": "http://localhost"}).status_code == 200


def test_reading_is_open_to_links_from_elsewhere(client):
    assert client.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


def test_every_response_carries_the_headers(client):
    for path in ("/", "/nowhere"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"


def test_the_opener_policy_is_sent_only_where_browsers_heed_it(client):
    assert "Cross-Origin-Opener-Policy" not in client.get("/").headers
    assert (
        client.get("/", base_url="https://localhost").headers["Cross-Origin-Opener-Policy"] == "same-origin"
    )


def test_views_are_not_stored_unless_they_say_otherwise(client):
    assert client.get("/").headers["Cache-Control"] == "no-store"
    assert client.get("/poll").headers["Cache-Control"] == "no-cache"


def test_too_long_a_body_is_refused(client):
    @client.application.post("/form")
    def form():
        return request.form["text"]

    assert client.post("/form", data={"text": "x" * 70_000}).status_code == 413


def test_public_url_must_be_one():
    with pytest.raises(ValueError, match="games.example.org"):
        security.init_app(Flask(__name__), public_url="games")


def test_seat_token_is_long_and_has_no_look_alikes():
    token = security.seat_token(b"k" * 32, CODE, SEAT, 1)
    assert len(token) == 26
    assert set(token) <= set(security.ALPHABET)
    assert len(set(security.ALPHABET)) == 32 and not set("ilou") & set(security.ALPHABET)


def test_seat_token_differs_by_secret_table_seat_and_generation():
    tokens = {
        security.seat_token(secret, code, seat, generation)
        for secret in (b"k" * 32, b"q" * 32)
        for code in ("tk7m", "p3xa")
        for seat in ("soviet", "german")
        for generation in (1, 2)
    }
    assert len(tokens) == 16


def test_only_the_seats_own_token_is_accepted():
    secret = b"k" * 32
    token = security.seat_token(secret, CODE, SEAT, 1)
    assert security.is_seat_token(token, secret, CODE, SEAT, 1)
    assert security.is_seat_token(token.upper(), secret, CODE.upper(), SEAT, 1)
    assert not security.is_seat_token(token, secret, CODE, "german", 1)
    assert not security.is_seat_token(token, secret, CODE, SEAT, 2)
    assert not security.is_seat_token("é" * 26, secret, CODE, SEAT, 1)
    assert not security.is_seat_token("", secret, CODE, SEAT, 1)


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


def test_failures_are_limited_per_key_and_wear_off():
    clock = Clock()
    limit = security.FailureLimit(burst=3, every=10, clock=clock)
    for _ in range(3):
        assert limit.wait("10.0.0.7") == 0
        limit.failed("10.0.0.7")
    assert limit.wait("10.0.0.7") == 10
    assert limit.wait("10.0.0.8") == 0
    clock.now += 10
    assert limit.wait("10.0.0.7") == 0
    limit.failed("10.0.0.7")
    assert limit.wait("10.0.0.7") == 10
    clock.now += 1000
    for _ in range(3):
        assert limit.wait("10.0.0.7") == 0
        limit.failed("10.0.0.7")


def test_the_limit_forgets_old_keys_rather_than_growing():
    clock = Clock()
    limit = security.FailureLimit(burst=1, every=10, clock=clock, keys=100)
    for n in range(1000):
        limit.failed(str(n))
        clock.now += 1
    assert len(limit._empty_at) <= 100
