"""Long work in slices: the server's loop runs on meanwhile."""

import subprocess
import sys

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
