"""What a combat form costs, counted in functions that run: a table with 167 counters on the map is no dearer than others."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from toykit import Device

from bench.hall import SAMPLES, Sample, found
from companion.web.app import create_app

MOST = 14_000
"""Python's own functions for one form or preview; WB-95 took 38,000 while each field looked through every counter."""


def functions(ask: Callable[[], Any]) -> int:
    """How many functions run while something is asked for, the third time."""
    ask(), ask()
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
def test_a_combat_form_and_its_preview(tmp_path: Path, sample: Sample) -> None:
    app = create_app(tmp_path)
    try:
        place = found(app, sample)
        device = Device(app, place.code, sample.seat)
        typed: dict[str, Any] = {**sample.form, "rev": "1"}
        headers = {"Origin": "http://localhost", "HX-Request": "true", "HX-Target": "sheet"}
        form, preview = (device.url(f"{way}/{sample.combat}") for way in ("do", "preview"))
        assert functions(lambda: device.client.get(form, headers=headers)) < MOST
        assert functions(lambda: device.client.post(preview, data=typed, headers=headers)) < MOST
    finally:
        app.extensions["companion"]["store"].close()
