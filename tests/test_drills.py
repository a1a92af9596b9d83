"""The short form of `make proof`: every drill once, on a real server."""

import sys
from pathlib import Path

import pytest

if not sys.platform.startswith("linux"):
    pytest.skip("the drills use Linux's limits and rights of processes", allow_module_level=True)

from bench import hosted
from bench.drills import DRILLS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", DRILLS)
def test_nothing_acknowledged_is_lost_and_trouble_is_told_in_words(name: str, tmp_path: Path) -> None:
    outcome = DRILLS[name](tmp_path)
    assert outcome.good, f"{outcome.did}: {outcome.found}"


def test_the_same_holds_for_postgresql_and_several_workers(tmp_path: Path, postgres_there: None) -> None:
    with hosted.hosted(tmp_path) as (cluster, server):
        outcomes = [drill(cluster, server) for drill in hosted.DRILLS.values()]
    assert all(outcome.good for outcome in outcomes), outcomes
