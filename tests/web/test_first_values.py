"""What a form begins with may follow from what it begins with elsewhere: nothing known is asked."""

from pathlib import Path

from flask import Flask
from toykit import Device

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
