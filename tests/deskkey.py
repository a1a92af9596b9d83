"""An app with an organiser, and a browser that gave the organiser's passphrase."""

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from companion.web.desk.blueprint import ORGANISER

ORIGIN = {"Origin": "http://localhost"}


def organiser(app: Flask) -> FlaskClient:
    """A client that may organise; the passphrase itself is one that nobody knows, at no cost."""
    app.extensions["companion"]["organiser"] = True
    store, client = app.extensions["companion"]["store"], app.test_client()
    if not store.setting_get(ORGANISER.setting):
        store.setting_put(ORGANISER.setting, {"salt": "00", "hash": "0" * 64})
    with app.test_request_context():
        kept = ORGANISER.kept()
        assert kept is not None
        client.set_cookie(ORGANISER.cookie, ORGANISER.key(kept), path=ORGANISER.path)
    return client


class Organiser:
    """The organiser's browser: `boss.get("/desk")`, `boss.post("/desk/new", list="...")`."""

    def __init__(self, app: Flask) -> None:
        self.client = organiser(app)

    def get(self, address: str) -> TestResponse:
        return self.client.get(address)

    def post(self, address: str, **form: object) -> TestResponse:
        return self.client.post(address, data=form, headers=ORIGIN)
