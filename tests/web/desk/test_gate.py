"""The gate of the organiser's desk: who passes, and how a wrong passphrase is slowed."""

from deskkey import ORIGIN, organiser
from flask import Flask
from werkzeug.test import TestResponse

from companion.web.desk.blueprint import ORGANISER, first_passphrase


def try_words(app: Flask, words: str, address: str = "10.0.0.7", to: str = "/desk") -> TestResponse:
    return app.test_client().post(
        "/desk/sign-in",
        data={"passphrase": words, "to": to},
        headers=ORIGIN,
        environ_overrides={"REMOTE_ADDR": address},
    )


def test_without_an_organiser_there_is_no_desk(app: Flask) -> None:
    client = organiser(app)
    app.extensions["companion"]["organiser"] = False
    assert client.get("/desk").status_code == 404
    assert client.post("/desk/sign-in", data={"passphrase": "x"}, headers=ORIGIN).status_code == 404


def test_a_stranger_is_asked_for_the_passphrase_and_can_do_nothing(app: Flask) -> None:
    first_passphrase(app.extensions["companion"]["store"])
    client = app.test_client()
    page = client.get("/desk")
    assert page.status_code == 403 and 'name="passphrase"' in page.text
    assert client.post("/desk/sign-out", headers=ORIGIN).status_code == 403


def test_the_passphrase_is_made_once_and_opens_the_desk(app: Flask) -> None:
    store = app.extensions["companion"]["store"]
    words = first_passphrase(store)
    assert words is not None and first_passphrase(store) is None
    client = app.test_client()
    answer = client.post("/desk/sign-in", data={"passphrase": f" {words} "}, headers=ORIGIN)
    assert answer.status_code == 303 and answer.location == "/desk"
    assert client.get("/desk").status_code == 200
    client.post("/desk/sign-out", headers=ORIGIN)
    assert client.get("/desk").status_code == 403


def test_it_leads_back_to_pages_of_the_desk_only(app: Flask) -> None:
    words = first_passphrase(app.extensions["companion"]["store"]) or ""
    assert try_words(app, words, to="/desk/health?x=1").location == "/desk/health?x=1"
    for elsewhere in ("https://example.org/", "//example.org", "/deskx", ""):
        assert try_words(app, words, to=elsewhere).location == "/desk"


def test_wrong_words_are_slowed_for_their_own_address_alone(app: Flask) -> None:
    """Neither another address nor a device that is signed in notices a guesser."""
    words = first_passphrase(app.extensions["companion"]["store"]) or ""
    inside = app.test_client()
    inside.post("/desk/sign-in", data={"passphrase": words}, headers=ORIGIN)
    app.extensions["companion"]["guesses"].burst = 3
    assert [try_words(app, "guess").status_code for _ in range(4)] == [403, 403, 403, 429]
    slowed = try_words(app, words)
    assert slowed.status_code == 429 and "seconds" in slowed.text
    assert try_words(app, words, "10.0.0.8").status_code == 303
    assert inside.get("/desk", environ_overrides={"REMOTE_ADDR": "10.0.0.7"}).status_code == 200


def test_guesses_at_the_book_do_not_slow_the_organiser(app: Flask) -> None:
    app.extensions["companion"]["guesses"].burst = 1
    words = first_passphrase(app.extensions["companion"]["store"]) or ""
    app.test_client().post("/book/lock", data={"do": "unlock", "passphrase": "guess"}, headers=ORIGIN)
    assert try_words(app, words, "127.0.0.1").status_code == 303


def test_a_new_passphrase_shuts_out_devices_that_knew_the_old_one(app: Flask) -> None:
    client = organiser(app)
    assert client.get("/desk").status_code == 200
    ORGANISER.new(app.extensions["companion"]["store"])
    assert client.get("/desk").status_code == 403
