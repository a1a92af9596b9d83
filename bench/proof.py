"""`make proof`: everything that may go wrong at a table, done on purpose; prints a table and exits 1 when something gave.

Bounded in count and time, and on loopback only.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.day import convention_day
from bench.drills import DRILLS as TROUBLE
from bench.drills import Drill, Outcome
from bench.hosted import HOSTED

DRILLS: dict[str, Drill] = {**TROUBLE, "convention day": convention_day}
LONG: dict[str, dict[str, int]] = {
    "kill": {"times": 12, "taps": 80},
    "contention": {"players": 16, "taps": 1500},
    "two processes": {"taps": 600},
    "workers killed": {"times": 8, "taps": 80},
    "database killed": {"times": 6, "taps": 80},
    "one table, two workers": {"players": 16, "taps": 1500},
    "takeover": {"tables": 201},
    "convention day": {"tables": 200, "rate": 40, "seconds": 180, "most": 150},
}
"""How much more than the tests' short form; the others are the same."""

ALL = {**DRILLS, **HOSTED}

CRAWLS: dict[str, tuple[str, dict[str, str]]] = {
    "forged imports": (
        "tests/web/test_forged_imports.py tests/tables/test_verify.py",
        {"COMPANION_FORGED_ROUNDS": "800"},
    ),
    "fuzz of routes and API": ("tests/web/test_fuzz.py", {"COMPANION_FUZZ_ROUNDS": "4"}),
    "secrecy crawl": ("tests/web/test_secrecy_crawl.py", {"COMPANION_CRAWL_STEPS": "60"}),
}
"""Tests that take a number of rounds from the environment."""


def crawl(paths: str, rounds: dict[str, str]) -> Outcome:
    """Run tests with more rounds than `make test` gives them."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "--dist",
        "loadfile",
        "-p",
        "no:cacheprovider",
        *paths.split(),
    ]
    run = subprocess.run(command, env={**os.environ, **rounds}, capture_output=True, text=True, timeout=900)
    last = run.stdout.strip().splitlines()[-1] if run.stdout.strip() else run.stderr[-200:]
    if run.returncode:
        print(run.stdout[-6000:], file=sys.stderr)
    what = ", ".join(f"{value} {name.removeprefix('COMPANION_').lower()}" for name, value in rounds.items())
    return Outcome(what.replace("_", " "), re.sub(r"=+", "", last).strip(), run.returncode == 0)


def main() -> int:
    """Run every drill and crawl, or those named."""
    wanted = sys.argv[1:] or [*ALL, *CRAWLS]
    unknown = [name for name in wanted if name not in (*ALL, *CRAWLS)]
    if unknown:
        print(f"There is no {unknown[0]!r}: {', '.join((*ALL, *CRAWLS))}", file=sys.stderr)
        return 2
    print("| what | done | found | time |\n|---|---|---|---|", flush=True)
    good = True
    for name in wanted:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = ALL[name](Path(folder), **LONG.get(name, {})) if name in ALL else crawl(*CRAWLS[name])
            except Exception as error:  # noqa: BLE001 - a drill that breaks has found something
                found = Outcome("", f"{type(error).__name__}: {error}", False)
        good = good and found.good
        seconds = time.monotonic() - began
        verdict = "" if found.good else "**FAILED** "
        print(f"| {name} | {found.did} | {verdict}{found.found} | {seconds:.0f} s |", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
