"""A machine without a browser: the run says in its last lines what was left out, and what to install."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOME = "tests/browser/test_live.py"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """pytest in a process of its own, with nothing on the path but Python."""
    env = {
        name: value for name, value in os.environ.items() if not name.startswith(("COMPANION_", "PYTEST_"))
    }
    env |= {"PATH": str(Path(sys.executable).parent), **environment}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=180)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_the_last_lines_say_how_many_browser_tests_did_not_run(workers):
    pytest.importorskip("pytest_playwright")
    done = run("-n", workers, SOME)
    assert done.returncode == 0, done.stdout + done.stderr
    said, remedy = done.stdout.splitlines()[-2:]
    count, _, rest = said.partition(" ")
    assert int(count) >= 5
    assert f"{count} skipped" in done.stdout
    assert rest == "browser tests did not run: there is no Chromium on the path."
    assert remedy == (
        "To run them: apt install chromium-headless-shell (or chromium), or set COMPANION_CHROMIUM to one."
    )


def test_nothing_is_said_where_no_browser_test_was_asked_for():
    done = run("-n", "0", "tests/web/test_vendor.py")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "browser" not in done.stdout


def test_without_playwright_the_browser_tests_are_told_of_too(tmp_path):
    """They cannot even be read there, so none is counted as skipped."""
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util\n"
        "real = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, package=None: None if 'playwright' in name else real(name, package)\n"
    )
    done = run("-n", "0", "-p", "no:playwright", "tests/browser", PYTHONPATH=str(tmp_path))
    assert "did not run: there is no Playwright." in done.stdout.splitlines()[-2]


def test_a_required_browser_that_is_not_there_is_an_error():
    pytest.importorskip("pytest_playwright")
    done = run("-n", "0", SOME, COMPANION_REQUIRE_BROWSER="1")
    assert done.returncode != 0
    assert "apt install chromium-headless-shell" in done.stdout + done.stderr


@pytest.mark.parametrize(("required", "code"), [("0", 0), ("1", 1)])
def test_without_postgresql_its_tests_are_skipped_with_a_word_unless_it_is_required(tmp_path, required, code):
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['psycopg'] = None\n")
    done = run(
        "-n", "0", "tests/store/test_contract.py", "-k", "test_a_code_is_used_once",
        PYTHONPATH=str(tmp_path), COMPANION_REQUIRE_POSTGRES=required,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    assert "no PostgreSQL to test with" in done.stdout
    assert "1 passed" in done.stdout, "SQLite is tested in any case"
