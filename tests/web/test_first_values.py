"""What a form begins with may follow from what it begins with elsewhere: nothing known is asked."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from toykit import Device
from werkzeug.test import TestResponse

from companion.tables.tables import Tables
from companion.web.app import create_app


def test_first_values_follow_from_one_another(tmp_path: Path) -> None:
    """The only target is chosen, so are those next to it, and of these no factors are asked that the record knows."""
    app: Flask = create_app(tmp_path / "data", testing=True)
    tables: Tables = app.extensions["companion"]["tables"]
    try:
        code = tables.new("second-kharkov", "historical", {"fog": False}, "")
        tables.act(
            code, "table", "go-to", {"turn": 4, "phase": "soviet-combat"}, revision=tables.store.latest(code)
        )
        for side, name, hex_id, kind in (
            ("german", "44", "2510", "infantry"),
            ("soviet", "RD", "2610", "rifle"),
        ):
            tables.act(code, "table", "add-unit", {"side": side, "name": name, "hex": hex_id, "kind": kind})
            tables.act(code, side, "copy-counter", {"unit": f"{side}-{name.lower()}", "af": 6, "df": 2})
        sheet = Device(app, code, "soviet").get("do/resolve-combat", target="sheet").text
        assert 'class="foot-odds">3:1' in sheet and "Attack factors" not in sheet
    finally:
        app.extensions["companion"]["store"].close()


@pytest.fixture
def attack(tmp_path: Path) -> Iterator[Device]:
    """Two Soviet stacks next to one German; the Soviets fight, and one hex alone can be attacked."""
    app: Flask = create_app(tmp_path / "data", testing=True)
    tables: Tables = app.extensions["companion"]["tables"]
    try:
        code = tables.new("second-kharkov", "historical", {"fog": False}, "")
        last = tables.store.latest(code)
        tables.act(code, "table", "go-to", {"turn": 4, "phase": "soviet-combat"}, revision=last)
        tables.act(code, "german", "enter-positions", {"text": "44 Inf 2619; 62 Inf 2615"})
        tables.act(code, "soviet", "enter-positions", {"text": "1 Rifle 2718; 2 Rifle 2719; 3 Rifle 2714"})
        yield Device(app, code, "soviet")
    finally:
        app.extensions["companion"]["store"].close()


def send(device: Device, path: str, **form: str) -> TestResponse:
    """A form with a field called target, from a sheet."""
    headers = {"Origin": "http://localhost", "HX-Request": "true", "HX-Target": "sheet"}
    return device.client.post(device.url(path), data=form, headers=headers)


def field(page: str, name: str) -> str:
    return re.search(rf'name="{name}"[^>]*?value="([^"]*)"', page)[1]


def ticked(page: str) -> set[str]:
    return set(re.findall(r'name="attackers"[^>]*value="([^"]+)"[^>]* checked', page))


def touched(page: str) -> str:
    return re.search(r'data-touched="([^"]*)"', page)[1]


def test_what_the_map_filled_in_is_kept_as_another_field_is_touched(attack: Device) -> None:
    """A form with its target filled in does not forget it when somebody unticks an attacker."""
    form = attack.get("do/resolve-combat?target=2619", target="sheet").text
    assert field(form, "target") == "2619" and ticked(form) == {"soviet-1-rifle", "soviet-2-rifle"}
    changed = {"target": "2619", "attackers": "soviet-2-rifle", "_touched": f"{touched(form)} attackers"}
    after = send(attack, "preview/resolve-combat", **changed).text
    assert field(after, "target") == "2619" and ticked(after) == {"soviet-2-rifle"}


def test_a_refused_form_remembers_what_was_touched(attack: Device) -> None:
    """Who cleared the target and typed factors gets no target back because a factor was misspelled."""
    attack.do("enter-positions", text="3 Rifle off")
    assert field(attack.get("do/resolve-combat", target="sheet").text, "target") == "2619"
    typed = {"target": "", "attack": "14+", "defence": "7", "_touched": "target attack"}
    refused = send(attack, "do/resolve-combat", **typed)
    assert refused.status_code == 422 and touched(refused.text) == "target attack"
    again = send(attack, "preview/resolve-combat", **typed).text
    assert field(again, "target") == "" and field(again, "attack") == "14+"


def test_a_refused_form_still_knows_what_was_filled_in(tmp_path: Path) -> None:
    """What a person tapped before a refusal is not taken for a suggestion by the preview after it."""
    app: Flask = create_app(tmp_path / "data", testing=True)
    tables: Tables = app.extensions["companion"]["tables"]
    try:
        code = tables.new("wb95", "kharkov-1942", {}, "")
        tables.act(code, "table", "set-up", {})
        go = {"turn": 1, "phase": "attack-a"}
        tables.act(code, "table", "go-to", go, revision=tables.store.latest(code))
        soviet = Device(app, code, "soviet")
        sent = {"target": "2307", "attackers": ["k42-s-050", "k42-s-051"], "attack_sp": "3 6 3"}
        told = {**sent, "_touched": "target attack_sp"}
        headers = {"Origin": "http://localhost", "HX-Request": "true", "HX-Target": "sheet"}
        said = soviet.client.post(soviet.url("do/resolve-combat"), data=told, headers=headers)
        assert said.status_code == 422 and 'data-touched="target attack_sp"' in said.text
    finally:
        app.extensions["companion"]["store"].close()
