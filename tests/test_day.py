"""The short form of a convention's day: a hall is paired, plays on a real server, reports, and is paired again."""

import sys
from pathlib import Path

import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("the server's processor time is read off a Linux clock", allow_module_level=True)

from bench.day import convention_day

pytestmark = pytest.mark.slow


def test_a_round_is_paired_played_scored_and_paired_again(tmp_path: Path) -> None:
    """Ten tables of all five games, thirty devices, through the real pages; nothing is lost, doubled or miscounted."""
    outcome = convention_day(tmp_path)
    assert outcome.good, f"{outcome.did}: {outcome.found}"
