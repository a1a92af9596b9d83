"""Long work in slices: the server's loop runs on meanwhile."""

import subprocess
import sys

import pytest

from companion.tables import background

LOOP = """
from gevent import monkey
monkey.patch_all()
import gevent
from companion.tables.background import slices

ticks = []
def others():
    while True:
        ticks.append(1)
        gevent.sleep(0)

gevent.spawn(others)
assert list(slices(range(1000))) == list(range(1000))
print(len(ticks))
"""


def test_other_requests_are_answered_between_slices() -> None:
    done = subprocess.run([sys.executable, "-c", LOOP], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= 10


def test_gentle_work_rests_after_each_item_as_long_as_it_took(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a hall of taps is answered while 200 cards are drawn; but a long item is not waited for twice."""
    now, rests = 0.0, list[float]()
    monkeypatch.setattr(background.time, "perf_counter", lambda: now)
    monkeypatch.setattr(background.time, "sleep", rests.append)
    for took in background.gently([0.01, 0.03, 2.0]):
        now += took
    assert [round(rest, 3) for rest in rests] == [0.01, 0.03, background.LONGEST_REST]
