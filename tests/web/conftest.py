"""The app with the toy game, and devices that sit at a test's own `code`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from toykit import Device, serving

from companion.tables.tables import Tables


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    with serving(monkeypatch, tmp_path) as app:
        yield app


@pytest.fixture
def tables(app: Flask) -> Tables:
    found: Tables = app.extensions["companion"]["tables"]
    return found


@pytest.fixture
def table(app: Flask, code: str) -> Device:
    return Device(app, code, "table")


@pytest.fixture
def red(app: Flask, code: str) -> Device:
    return Device(app, code, "red")
