"""Links are written by code that is made with the first of them; they lead where they always led."""

import subprocess
import sys

from flask import Flask, url_for
from werkzeug.routing import Map, Rule

from companion.web.links import LateRule


def test_a_late_rule_writes_the_links_of_any_other() -> None:
    for address in ("/", "/t/<code>/<seat>", "/t/<code>/do/<path:name>", "/n/<int:number>/"):
        early, late = Rule(address, endpoint="one"), LateRule(address, endpoint="one")
        links = [Map([rule]).bind("table.test") for rule in (early, late)]
        values = {"code": "K7QX", "seat": "red", "name": "a b/c", "number": 7}
        named = {name: value for name, value in values.items() if name in early.arguments}
        for more in ({}, {"q": "x y"}, {"q": "again"}):
            assert len({link.build("one", {**named, **more}) for link in links}) == 1
            assert len({link.build("one", {**named, **more}, append_unknown=False) for link in links}) == 1


def test_every_address_of_the_app_is_such_a_rule(app: Flask) -> None:
    assert all(isinstance(rule, LateRule) for rule in app.url_map.iter_rules())
    with app.test_request_context():
        assert [url_for("play.seat_page", code="K7QX", seat="red") for _ in range(2)] == ["/t/K7QX/red"] * 2


def test_who_serves_looks_through_the_memory_rarely() -> None:
    told = subprocess.run(
        [sys.executable, "-c", "import gc, companion.web; print(gc.get_threshold())"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == "(5000, 20, 100)"
