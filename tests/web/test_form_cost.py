"""What a combat form costs, counted in functions that run: a table with 167 counters on the map is no dearer than others."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from toykit import Device

from bench.hall import SAMPLES, Sample, found
from companion.engine import once
from companion.tables.tables import Tables
from companion.web.app import create_app

FORM, PREVIEW = 5_000, 3_000
"""Python's own functions for a form after something happened at the table, and for a preview of one more number typed.
WB-95 took 38,000 while each field looked through every counter, and 10,000 while each was looked at with every key."""


def functions(ask: Callable[[], Any]) -> int:
    """How many functions run while something is asked for."""
    ran = 0

    def count(frame: FrameType, event: str, arg: object) -> None:
        nonlocal ran
        ran += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        answer = ask()
    finally:
        sys.setprofile(before)
    assert answer.status_code == 200
    return ran


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.system)
def test_a_combat_form_and_its_preview(
    tmp_path: Path, sample: Sample, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(once, "checking", None)  # at a table nobody works it out twice to compare
    app = create_app(tmp_path)
    tables: Tables = app.extensions["companion"]["tables"]
    try:
        place = found(app, sample)
        device = Device(app, place.code, sample.seat)
        headers = {"Origin": "http://localhost", "HX-Request": "true", "HX-Target": "sheet-body"}
        form, preview = (device.url(f"{way}/{sample.combat}") for way in ("do", "preview"))
        typed = next(name for name in ("attack", "full") if name in sample.form)

        def press(number: int) -> Any:
            sent = {**sample.form, typed: str(number), "rev": "1"}
            return device.client.post(preview, data=sent, headers=headers)

        assert device.client.get(form, headers=headers).status_code == 200
        tables.act(place.code, sample.seat, *sample.light)
        assert functions(lambda: device.client.get(form, headers=headers)) < FORM
        press(20)
        assert functions(lambda: press(21)) < PREVIEW
    finally:
        app.extensions["companion"]["store"].close()
