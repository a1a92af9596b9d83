"""The `companion` command in this process, with the toy alone on the shelf."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from toykit import install

import companion.resources
from companion.cli import main
from companion.tables import sealing


@pytest.fixture(autouse=True)
def shelf(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Only the toy stands on the shelf, and what is slow on purpose is quick."""
    found = install(monkeypatch)
    monkeypatch.setattr(companion.resources, "SCENARIOS", found)
    monkeypatch.setitem(sealing.COST, "n", 2**4)
    return found


@dataclass
class Result:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    def command(*argv: object) -> Result:
        capsys.readouterr()
        try:
            code = main([str(a) for a in argv])
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        return Result(code, *capsys.readouterr())

    return command
