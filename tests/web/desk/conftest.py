"""The organiser at the desk, with the toy on the shelf."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from deskkey import Organiser
from flask import Flask
from toykit import serving

from companion.hall.desk import Desk


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    with serving(monkeypatch, tmp_path) as app:
        app.extensions["companion"]["organiser"] = True
        yield app


@pytest.fixture
def desk(app: Flask) -> Desk:
    found: Desk = app.extensions["companion"]["desk"]
    return found


@pytest.fixture
def boss(app: Flask) -> Organiser:
    return Organiser(app)


@pytest.fixture
def founded(boss: Organiser, desk: Desk) -> Callable[[str], list[str]]:
    """Found tables from a list and return their codes."""

    def found(text: str = "1,toy,,Anna,Boris\n2,toy,,Carl,Dora\n") -> list[str]:
        before = set(desk.state().by_code)
        assert boss.post("/desk/new", list=text, do="found").status_code == 303
        return [table.code for table in desk.state().tables if table.code not in before]

    return found
