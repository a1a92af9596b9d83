"""What every test may rely on. Browser tests have more in browser/conftest.py."""

import gc
import importlib
import importlib.util
import io
import os
import pickle
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from hypothesis import settings
from jinja2 import FileSystemBytecodeCache
from werkzeug.routing import Rule

from companion.engine import guard, once
from companion.systems import IDS

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("nightly", max_examples=2_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

ENOUGH_MEMORY = 2 * 2**30
BROWSER_TESTS = Path(__file__).parent / "browser"
POSTGRES_REQUIRED = os.environ.get("COMPANION_REQUIRE_POSTGRES", "0") not in ("", "0")
BROWSER_REQUIRED = os.environ.get("COMPANION_REQUIRE_BROWSER", "0") not in ("", "0")


def find_chromium() -> str | None:
    """The Chromium to drive: the one named by COMPANION_CHROMIUM, or the first on the path, the light one before others."""
    names = (
        "chromium-headless-shell",
        "chromium",
        "chromium-browser",
        "google-chrome",
        "google-chrome-stable",
    )
    return os.environ.get("COMPANION_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def compile_routes_once() -> None:
    """Werkzeug reads each route of each app and writes code for it, which was half the work of a test of a page."""
    compiled: dict[object, dict[str, Any]] = {}
    compile_route = Rule.compile

    def compile_once(rule: Rule) -> None:
        key = (rule.rule, rule.subdomain, rule.host, rule.merge_slashes, repr(rule.defaults))
        if key not in compiled:
            compile_route(rule)
            made = {name: getattr(rule, name) for name in ("_parts", "_trace", "_converters")}
            made |= {name: getattr(rule, name).__func__ for name in ("_build", "_build_unknown")}
            compiled[key] = made
        for name, part in compiled[key].items():
            setattr(rule, name, part.__get__(rule) if callable(part) else part)
        rule.arguments.update(rule._converters)

    Rule.compile = compile_once


def compile_templates_once(folder: Path) -> None:
    """All apps of a run, in all its processes, share the templates one of them compiled."""
    Flask.jinja_options = {**Flask.jinja_options, "bytecode_cache": FileSystemBytecodeCache(str(folder))}


def look_less_for_garbage() -> None:
    """Thousands of tests, kits and modules stay until the end; looking through them again and again frees nothing."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


def pytest_collection_finish(session: pytest.Session) -> None:
    look_less_for_garbage()


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        memory = Path("/dev/shm")  # no disk to wait for: the store makes sure of every action
        if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > ENOUGH_MEMORY:
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(memory))
        compiled = tempfile.TemporaryDirectory(prefix="templates-")
        config.add_cleanup(compiled.cleanup)
        os.environ["COMPANION_TEST_TEMPLATES"] = compiled.name
    compile_templates_once(Path(os.environ["COMPANION_TEST_TEMPLATES"]))
    compile_routes_once()


def is_alike(kept: Any, now: Any) -> bool:
    """Whether two things say the same; some have no other equality than to be one."""
    if kept == now:
        return True
    signs = []
    for value in (kept, now):
        pickler = pickle.Pickler(out := io.BytesIO(), 5)
        pickler.fast = True  # equal values give equal bytes, whichever of their parts are one object
        try:
            pickler.dump(value)
        except Exception:  # noqa: BLE001 - what has no sign is compared with nothing
            out = io.BytesIO()
        signs.append(out.getvalue())
    return signs[0] == signs[1]


once.checking = is_alike  # held against what it would be now
guard.strict = True  # a failing panel fails its test; tests of the guard itself set it back


@pytest.fixture(scope="session")
def chromium() -> str | None:
    return find_chromium()


def lacking_postgres() -> str:
    """Why PostgreSQL cannot be tested here; empty when it can."""
    from bench.cluster import NoPostgres, programs

    try:
        importlib.import_module("psycopg")
        programs()
    except (ImportError, NoPostgres) as lacking:
        return f"no PostgreSQL to test with: {lacking}"
    return ""


@pytest.fixture(scope="session")
def postgres_there() -> None:
    """Without PostgreSQL its tests are skipped with a word, except where they must not be."""
    lacking = lacking_postgres()
    if lacking and POSTGRES_REQUIRED:
        pytest.fail(f"COMPANION_REQUIRE_POSTGRES is set, but there is {lacking}")
    if lacking:
        pytest.skip(lacking)


@pytest.fixture(scope="session")
def cluster(postgres_there: None) -> Generator[Any, None, None]:
    """PostgreSQL in memory: quick, and gone with its plug."""
    from bench.cluster import Cluster

    with Cluster(durable=False) as found:
        yield found


@pytest.fixture
def postgres(cluster: Any) -> str:
    """The address of an empty database."""
    return str(cluster.database())


def why_no_browser() -> tuple[str, str] | None:
    """What browser tests lack here and how to get it, or None."""
    if importlib.util.find_spec("pytest_playwright") is None:
        return "there is no Playwright", "pip install '.[browser]'"
    if find_chromium() is None:
        remedy = "apt install chromium-headless-shell (or chromium), or set COMPANION_CHROMIUM to one"
        return "there is no Chromium on the path", remedy
    if has_no_font():
        return "Chromium does not run on a machine without any font", "apt install fonts-dejavu-core"
    return None


def has_no_font() -> bool:
    """Whether the machine says that it has no font at all; our pages bring theirs, but Chromium itself wants one."""
    lister = shutil.which("fc-list")
    return bool(lister) and not subprocess.run([lister], capture_output=True, timeout=30).stdout.strip()


def is_long(item: pytest.Item) -> bool:
    return any(item.get_closest_marker(name) for name in ("browser", "slow"))


def goes_with(test: str) -> str:
    """What a test must share a worker with: its file, which may have made something for all of it, or nothing."""
    file, _, name = test.partition("::")
    if file.endswith("browser/test_layout.py"):
        return next((f"{file} {system}" for system in IDS if system in name), file)
    if file.endswith("test_drills.py") or ("/browser/" in file and not file.endswith("test_book.py")):
        return test
    return file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Share tests out by `goes_with`: xdist's own way to say it, a marker, is lost under pytest 9.2."""
    if config.getvalue("dist") != "loadscope":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Sharing(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return goes_with(nodeid)

    return Sharing(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker(
            "slow"
        ):  # tracing makes them slower by minutes; the others walk the same lines
            item.add_marker(pytest.mark.no_cover)
    wanted = [item for item in items if item.get_closest_marker("browser")]
    items.sort(key=is_long, reverse=True)  # so that none of them is left for the end
    lacking = why_no_browser()
    reason = ": ".join(lacking or ())
    if BROWSER_REQUIRED and (lacking or not wanted):
        raise pytest.UsageError(
            f"COMPANION_REQUIRE_BROWSER is set, but no browser test can run: {reason or 'none collected'}"
        )
    if lacking:
        for item in wanted:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Generator[None, None, None]:
    """Say last of all, below the numbers, which browser tests did not run: among dots and lists it is overlooked."""
    yield
    lacking = why_no_browser()
    out = session.config.pluginmanager.get_plugin("terminalreporter")
    if lacking is None or out is None or hasattr(session.config, "workerinput"):
        return
    what, remedy = lacking
    skipped = [r for r in out.stats.get("skipped", ()) if what in str(r.longrepr)]
    count = f"{len(skipped)} browser test{'s' * (len(skipped) != 1)}"
    if not skipped and any(BROWSER_TESTS.is_relative_to(Path(arg).absolute()) for arg in session.config.args):
        count = (
            f"the browser tests in {len(list(BROWSER_TESTS.glob('test_*.py')))} files"  # cannot even be read
        )
    elif not skipped:
        return
    out.write_line(f"{count[0].upper()}{count[1:]} did not run: {what}.", yellow=True, bold=True)
    out.write_line(f"To run them: {remedy}.", yellow=True, bold=True)
