"""Random legal play with fog on in every game, and every route, form, error, stream and export searched for secrets.

COMPANION_CRAWL_STEPS makes the games longer than a test run has time for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from crawl.walk import Crawl
from flask import Flask

from companion.web.app import create_app

STEPS = int(os.environ.get("COMPANION_CRAWL_STEPS", "0"))
GAMES = [
    ("wb95", "black-snow", 20, 10),
    ("wb95", "kharkov-1943", 10, 10),
    ("second-kharkov", "historical", 35, 10),
    ("second-kharkov", "alternative", 25, 10),
    ("enemy-action-kharkov", "campaign", 40, 10),
    ("enemy-action-kharkov", "initial-assault", 20, 10),
    ("kharkov-battles", "grand-campaign", 20, 10),
    ("kharkov-battles", "operation-star", 20, 10),
    ("panzer-keil", "winter-1943", 10, 10),
]
ROUTES = {
    "seat_page", "any_seat", "action_form", "action_preview", "do_action", "units_page", "unit_page", "log_page",
    "more_page", "worksheet_page", "settings_page", "export", "stream", "table", "actions", "act", "events", "map_page",
    "hex_sheet", "head", "marks_sheet", "move_stack", "lay_marker", "supply_page", "apply_supply", "entry_page",
    "entry_hints", "enter", "import_file", "positions_csv", "take_down", "lobby", "hall", "openapi",
}  # fmt: skip
visited: set[str] = set()


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    app = create_app(tmp_path / "data", testing=True)
    try:
        yield app
    finally:
        app.extensions["companion"]["store"].close()


@pytest.mark.slow
@pytest.mark.parametrize(("system", "scenario", "steps", "probes"), GAMES)
def test_no_seat_is_told_what_it_must_not_know(
    app: Flask, system: str, scenario: str, steps: int, probes: int
) -> None:
    crawl = Crawl(app, system, scenario)
    report = crawl.run(STEPS or steps, probes)
    visited.update(report.routes)
    assert report.leaks == []
    assert report.faults == []
    assert report.steps > (STEPS or steps) / 2, "hardly anything was played"
    if system != "panzer-keil":  # nothing is hidden in that game
        assert report.secrets > report.requests, "hardly anything was hidden"


@pytest.mark.slow
def test_the_crawl_has_been_everywhere() -> None:
    """All games together; a route that is new or was renamed has to be thought of here."""
    if visited:
        assert visited >= ROUTES


@pytest.mark.slow
def test_a_used_action_id_does_not_tell_what_it_stood_for(app: Flask) -> None:
    crawl = Crawl(app, "wb95", "black-snow")
    for _ in range(6):
        crawl.move()
    assert crawl.reuse_ids() == []
