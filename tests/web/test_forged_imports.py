"""Saved games that somebody changed, sent to *Restore*: refused with a sentence, or restored to pages that all open."""

import io
import json
import os
import random

import pytest
from flask import Flask
from forging import mutated
from toykit import Device

from companion.tables.savefile import checksum
from companion.tables.tables import Tables
from companion.tables.transfer import export_table

ROUNDS = int(os.environ.get("COMPANION_FORGED_ROUNDS", "120"))
PAGES = ("", "units", "map", "log", "more", "settings", "takedown", "entry", "supply", "export.json")


@pytest.fixture
def copy(tables: Tables) -> dict:
    """A game with a bit of everything."""
    code = tables.new("toy", "skirmish", {}, "Friday night")
    tables.act(code, "table", "set-up", {})
    for seat in ("red", "blue"):
        tables.act(code, seat, "draw-card", {})
    tables.act(code, "red", "choose", {"mission": "bomb"})
    tables.act(code, "blue", "lay-mine", {"hex": "0808"})
    tables.act(code, "table", "correct", {"name": "vp", "value": "9"})
    tables.act(code, "table", "mark", {"marker": "fort", "hexes": "0303"})
    tables.act(code, "red", "whisper", {"text": "guns"})
    tables.act(code, "table", "note", {"text": "well played"})
    tables.act(code, "table", "next-phase", {}, revision=tables.store.latest(code))
    return export_table(tables, code)


def restore(app: Flask, copy: dict):
    device = Device(app)
    text = json.dumps({**copy, "checksum": _sum(copy)})
    file = (io.BytesIO(text.encode("utf-8", "surrogatepass")), "game.json")
    return device, device.client.post("/import", data={"file": file}, headers={"Origin": "http://localhost"})


def _sum(copy: dict) -> str:
    try:
        return checksum(copy)
    except ValueError:
        return "0"


@pytest.mark.parametrize("slice_", range(4))
def test_a_forged_game_is_refused_with_a_sentence_or_opens_on_every_page(
    app: Flask, copy: dict, slice_: int
) -> None:
    restored = 0
    for seed in range(slice_, ROUNDS, 4):
        forged = mutated(copy, random.Random(seed), changes=1 + seed % 3)
        device, answer = restore(app, forged)
        assert answer.status_code in (303, 404, 422), (seed, answer.status_code, answer.text[:300])
        if answer.status_code != 303:
            assert len(answer.text) < 20_000 and "Traceback" not in answer.text
            continue
        restored += 1
        code = answer.location.split("/")[2]
        for page in PAGES:
            shown = device.client.get(f"/t/{code}/table/{page}".rstrip("/"))
            assert shown.status_code == 200, (seed, page, shown.text[:300])
        for page in ("/", "/hall", f"/api/tables/{code}/events", f"/t/{code}/watch"):
            assert device.client.get(page).status_code == 200, (seed, page)
    assert restored, "not every change does harm: some of these must open"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": "00" * 32}, "not the one whose fingerprint was shown"),
        ({"stream": 0}, "stands at 0, but"),
        ({"stream": 10**12}, "stream of random numbers"),
        ({"title": "x" * 200_000}, "title is longer than 80"),
        ({"created_at": "yesterday"}, "no readable time"),
        ({"stream": True}, "stream missing"),
    ],
)
def test_what_does_not_fit_is_named(app: Flask, copy: dict, change: dict, words: str) -> None:
    _, answer = restore(app, {**copy, **change})
    assert answer.status_code == 422 and words in answer.text


def test_a_stream_that_goes_back_is_refused(app: Flask, copy: dict) -> None:
    drawn = [i["body"] for i in copy["events"] if i["body"].get("index") is not None]
    drawn[0]["index"], drawn[1]["index"] = 9, 0
    _, answer = restore(app, copy)
    assert answer.status_code == 422 and "goes back in the stream" in answer.text
