"""An app with one table and a browser for each of its seats, for tests of pages: `hall.get("soviet", "map")`."""

import re

from companion.web.app import create_app
from companion.web.seats import token

ORIGIN = {"Origin": "http://localhost"}


class Hall:
    """An app with one table, and a browser for each seat."""

    def __init__(self, folder, system="second-kharkov", scenario="historical", **options):
        self.app = create_app(folder, testing=True)
        self.tables = self.app.extensions["companion"]["tables"]
        self.code = self.tables.new(system, scenario, options, "Test")
        self.clients = {}
        for seat in ("table", *self.tables.game(self.code).sides):
            client = self.app.test_client()
            with self.app.test_request_context(base_url="http://localhost"):
                link = f"/j/{self.code}/{token(self.code, seat)}"
            assert client.get(link).status_code == 303
            self.clients[seat] = client
        self.clients["watch"] = self.app.test_client()

    def act(self, seat, action, **fields):
        return self.tables.act(self.code, seat, action, fields, revision=self.tables.store.latest(self.code))

    def get(self, seat, page, live=False, **headers):
        if live:
            headers |= {"HX-Request": "true", "HX-Target": "live"}
        return self.clients[seat].get(f"/t/{self.code}/{seat}/{page}", headers=headers)

    def post(self, seat, page, target="", **form):
        headers = {**ORIGIN, **({"HX-Request": "true", "HX-Target": target} if target else {})}
        return self.clients[seat].post(f"/t/{self.code}/{seat}/{page}", data=form, headers=headers)


def text_of(response):
    """A page with its arrows and other signs as they are read."""
    return re.sub(r"&#(\d{3,});", lambda found: chr(int(found[1])), response.get_data(as_text=True))
