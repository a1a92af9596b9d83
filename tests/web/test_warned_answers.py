"""An answer on a card that the rules speak against: said on the card's own screen, and done by the second tap."""

import re
from pathlib import Path

from toykit import Device

from companion.tables.tables import Tables
from companion.web.app import create_app


def test_a_warned_answer_is_given_anyway(tmp_path: Path) -> None:
    """Second Kharkov 7.1, 12.21: four Germans move into the won hex; the map may know better."""
    app = create_app(tmp_path / "data", testing=True)
    tables: Tables = app.extensions["companion"]["tables"]
    try:
        code = tables.new("second-kharkov", "historical", {"fog": False, "mode-dice": "either"}, "")
        go = {"turn": 4, "phase": "german-combat"}
        tables.act(code, "table", "go-to", go, revision=tables.store.latest(code))
        force = [f"german-a{n}" for n in range(4)]
        units = [("german", f"A{n}", "2510", "infantry") for n in range(4)]
        for side, name, hex_id, kind in (*units, ("soviet", "RD", "2610", "rifle")):
            fields = {"side": side, "name": name, "hex": hex_id, "kind": kind}
            tables.act(
                code, "table", "add-unit", {**fields, **({"army": "6th Army"} if side == "german" else {})}
            )
            if side == "german":
                tables.act(code, side, "copy-counter", {"unit": f"german-{name.lower()}", "af": 9})
        tables.act(code, "german", "resolve-combat", {"target": "2610", "attackers": force})
        tables.act(code, "german", "roll-combat", {"defence": "2", "die": "4"})
        chart = next(a.id for a in tables.game(code).asked.values() if a.action == "enter-result")
        tables.act(code, "german", "enter-result", {"result": "0/1", "_asked": chart})
        (ask,) = tables.game(code).asked.values()
        german = Device(app, code, "german")
        said = german.do("advance", target="live", _asked=ask.id, units=force)
        assert said.status_code == 409 and "more than 3 units (7.1)" in said.text
        form = said.text[said.text.index('id="warning"') :]
        again = re.findall(r'name="(units|_asked|anyway)" value="([^"]+)"', form)
        assert again == [("anyway", "on"), ("_asked", ask.id), *(("units", unit) for unit in force)]
        german.do("advance", target="live", _asked=ask.id, units=force, anyway="on")
        assert len(tables.game(code).units_at("2610")) == 4
    finally:
        app.extensions["companion"]["store"].close()
