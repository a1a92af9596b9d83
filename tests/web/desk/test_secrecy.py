"""The organiser sees of a table what a watcher sees: no page of the desk tells what a side keeps to itself."""

import re
from collections.abc import Callable, Iterator

import pytest
from deskkey import Organiser
from flask import Flask
from werkzeug.routing import Rule

from companion.tables.tables import Tables

SECRETS = ("operation-kremlin", "wolf-hour", "mine-red", "0808", "Partisan brigade")
FILLED = {"code": "", "seat": "red", "number": "1", "round": "1", "name": "x", "which": "1", "table": "1"}


@pytest.fixture
def code(tables: Tables, founded: Callable[..., list[str]]) -> str:
    """Red keeps secrets of every kind, and has called a judge."""
    code = founded("1,toy,,Anna,Boris\n")[0]
    tables.act(code, "table", "set-up", {})
    for name, fields in (
        ("draw-card", {}),
        ("choose", {"mission": "operation-kremlin"}),
        ("whisper", {"text": "wolf-hour"}),
        ("lay-mine", {"hex": "0808"}),
        ("add-unit", {"side": "red", "name": "Partisan brigade", "hex": "0606"}),
        ("place-unit", {"unit": "Guards", "hex": "0606"}),
        ("hide-chit", {}),
        ("secret-roll", {}),
        ("call-judge", {"about": "7.1"}),
    ):
        tables.act(code, "red", name, fields)
    return code


def addresses(app: Flask, code: str) -> Iterator[str]:
    """Every page of the desk, and the pages that everybody in the hall may open."""

    def is_page(rule: Rule) -> bool:
        return "GET" in (rule.methods or ()) and rule.endpoint.split(".")[0] in {"desk", "hall", "standings"}

    with app.test_request_context():
        adapter = app.url_map.bind("localhost")
        for rule in filter(is_page, app.url_map.iter_rules()):
            filled = {**FILLED, "code": code}
            unknown = set(rule.arguments) - set(filled)
            assert not unknown, f"{rule}: say above what to fill in for {unknown}"
            values = {
                name: 1 if type(rule._converters[name]).__name__ == "IntegerConverter" else filled[name]
                for name in rule.arguments
            }
            yield adapter.build(rule.endpoint, values)


def test_no_page_of_the_desk_or_the_hall_tells_a_sides_secrets(
    app: Flask, boss: Organiser, tables: Tables, code: str
) -> None:
    game = tables.game(code)
    words = [*SECRETS, *game.piles["deck"]["hand:red"], *game.piles["cup"]["aside"], tables.row(code).seed]
    assert len(words) > len(SECRETS) + 1
    opened = {}
    for address in addresses(app, code):
        answer = boss.client.get(address, buffered=False)
        if answer.mimetype == "text/event-stream":
            text = next(iter(answer.response), b"")
            text = text.decode() if isinstance(text, bytes) else str(text)
            answer.close()
        else:
            text = answer.text
        opened[address] = answer.status_code
        told = [
            word for word in words if re.search(rf"\b{re.escape(word)}\b", text)
        ]  # a chit is called ember
        assert not told, address
    assert sum(status == 200 for status in opened.values()) >= 8, opened


def test_red_sees_these_secrets(app: Flask, code: str) -> None:
    """So that the test above cannot pass for want of secrets."""
    from toykit import Device

    red = Device(app, code, "red")
    text = "".join(
        red.get(page).text for page in ("", "units", "log", "more", "map", "settings", "export.json")
    )
    assert [word for word in SECRETS if word not in text] == []
