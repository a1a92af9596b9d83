"""What every test may rely on. Browser tests have more in browser/conftest.py."""

import importlib.util
import os
import shutil

import pytest
from hypothesis import settings

from companion.engine import guard

settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("nightly", max_examples=2_000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

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


guard.strict = True  # a failing panel fails its test; tests of the guard itself set it back


@pytest.fixture(scope="session")
def chromium() -> str | None:
    return find_chromium()


def why_no_browser() -> str | None:
    """The reason browser tests cannot run here, or None."""
    if importlib.util.find_spec("pytest_playwright") is None:
        return "no Playwright: pip install '.[browser]'"
    if find_chromium() is None:
        return "no Chromium on the path: apt install chromium-headless-shell, or chromium, or set COMPANION_CHROMIUM"
    return None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker(
            "slow"
        ):  # tracing makes them slower by minutes; the others walk the same lines
            item.add_marker(pytest.mark.no_cover)
    wanted = [item for item in items if item.get_closest_marker("browser")]
    reason = why_no_browser()
    if BROWSER_REQUIRED and (reason or not wanted):
        raise pytest.UsageError(
            f"COMPANION_REQUIRE_BROWSER is set, but no browser test can run: {reason or 'none collected'}"
        )
    if reason:
        for item in wanted:
            item.add_marker(pytest.mark.skip(reason=reason))
