"""A real server in a process of its own, and real Chromium windows the size of a tablet and a phone.

    def test_lobby(server, tablet):            # one window: a Playwright Page
        tablet.goto(server.url)

    def test_two_phones(server, device):       # several, each its own player: "phone", "tablet", "small"
        red, blue = device("phone"), device("phone")

    def test_lost_server(start_server, phone): # a server of this test alone: .stop(), .kill(), .start()
        server = start_server()

Windows ask for reduced motion: a button in motion is waited for, and a glow is painted 60 times a second. One that
shall move says so, `device("tablet", reduced_motion="no-preference")`; the evening's tablet does.

Pages fail their test on any console error, uncaught exception or breach of the content security policy.
A test that provokes one says which: `phone.expected_errors += network_errors`, or any words of the message.
"""

import contextlib
import importlib.util
import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from bookkey import unlocked

SIZES = {
    "tablet": {"viewport": {"width": 1024, "height": 768}, "has_touch": True},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "has_touch": True,
        "is_mobile": True,
        "device_scale_factor": 2,
    },
    "small": {"viewport": {"width": 360, "height": 640}, "has_touch": True, "is_mobile": True},
}
STARTS_WITHIN = 60

PATIENCE = 15_000
"""Milliseconds until a page must show what is expected of it: two workers share a small machine."""

if importlib.util.find_spec("playwright") is None:
    collect_ignore_glob = ["test_*.py"]
else:
    from playwright.sync_api import expect

    expect.set_options(timeout=PATIENCE)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """`python -m companion serve` on a free port of this machine, with data of its own."""

    program = ("-m", "companion")

    def __init__(self, folder: Path, *args: str):
        self.data, self.log, self.args = folder / "data", folder / "server.log", args
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        # Browsers trust 127.0.0.1; phones on a LAN get an insecure origin, such as this name.
        name = socket.gethostname().lower().removesuffix(".local").split(".")[0]
        self.lan_url = f"http://{name}.local:{self.port}"
        self.process: subprocess.Popen | None = None

    def start(self) -> "Server":
        command = [sys.executable, *self.program, "serve", "--host", "127.0.0.1"]
        command += ["--port", str(self.port), "--data", str(self.data), *self.args]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONUNBUFFERED": "1"},
            )
        deadline = time.monotonic() + STARTS_WITHIN
        while not self.answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                pytest.fail(f"the server did not start:\n{self.output()}", pytrace=False)
            time.sleep(0.05)
        return self

    def answers(self) -> bool:
        try:
            with urllib.request.urlopen(self.url, timeout=2):
                return True
        except urllib.error.HTTPError as reply:
            reply.close()
            return True
        except OSError:
            return False

    def stop(self) -> int:
        """Ask it to end, and return its exit code."""
        self.process.terminate()
        try:
            return self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def kill(self) -> None:
        """Pull the plug."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def book_key(self) -> str:
        """The cookie that opens the chart book, had for the passphrase that the first start printed."""
        words = re.search(r"Chart book passphrase: (\S+)", self.output())
        assert words, self.output()
        return unlocked(self.url, words[1])

    def unlock_book(self, page) -> None:
        """Let a window write in the chart book without a seat."""
        where = {"domain": "127.0.0.1", "path": "/book"}
        page.context.add_cookies([{"name": "book-key", "value": self.book_key(), **where}])

    def output(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""


class ToyServer(Server):
    """The same with the toy alone on its shelf: for what no real game shows on demand."""

    program = (str(Path(__file__).parent.parent / "toyserver.py"),)


@pytest.fixture(scope="session")
def toy_server(tmp_path_factory):
    """One server with the toy for all tests that play it."""
    made = ToyServer(tmp_path_factory.mktemp("toy-server")).start()
    yield made
    made.kill()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """One server for all tests that neither stop it nor mind other tables."""
    made = Server(tmp_path_factory.mktemp("server")).start()
    yield made
    made.kill()


@pytest.fixture(scope="module")
def own_server(tmp_path_factory):
    """One server for the tests of one file: its tables and its book are theirs alone."""
    made = Server(tmp_path_factory.mktemp("own-server")).start()
    yield made
    made.kill()


@pytest.fixture(scope="module")
def hall_server(tmp_path_factory):
    """One server with an organiser, for the tests of one file."""
    made = Server(tmp_path_factory.mktemp("hall-server"), "--organiser").start()
    yield made
    made.kill()


@pytest.fixture
def start_server(tmp_path):
    """Start servers of this test alone; `start_server("--option")` passes options on."""
    made: list[Server] = []

    def start(*args: str) -> Server:
        folder = tmp_path / f"server{len(made)}"
        folder.mkdir()
        made.append(Server(folder, *args))
        return made[-1].start()

    yield start
    for server in made:
        server.kill()


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args, chromium):
    flags = [
        "--disable-background-networking",
        "--disable-component-update",
        "--no-first-run",
        "--host-resolver-rules=MAP *.local 127.0.0.1",
        # No page of a test lives long enough to earn back what V8 spends on making its scripts fast.
        "--js-flags=--no-opt --no-maglev --single-threaded",
    ]
    return {**browser_type_launch_args, "executable_path": chromium, "args": flags}


@pytest.fixture
def device(browser):
    """Open windows by size, `device("phone")`, each with its own cookies; options go to its context."""
    pages = []
    with contextlib.ExitStack() as stack:

        def open_window(size: str = "phone", **options):
            context = browser.new_context(**{"reduced_motion": "reduce", **SIZES[size], **options})
            context.set_default_timeout(PATIENCE)
            stack.callback(context.close)
            page = context.new_page()
            # A keystroke that overtakes a live preview cancels it; htmx says so on the console.
            page.errors, page.expected_errors = [], ["sendAbort", "htmx:afterRequest"]
            page.on("console", lambda message: message.type == "error" and page.errors.append(message.text))
            page.on("dialog", lambda dialog: dialog.accept())
            page.on("pageerror", lambda error: page.errors.append(str(error)))
            pages.append(page)
            return page

        yield open_window
    for page in pages:
        unexpected = [
            error for error in page.errors if not any(re.search(word, error) for word in page.expected_errors)
        ]
        assert not unexpected, f"errors in the browser's console: {unexpected}"


@pytest.fixture
def network_errors():
    """What the console says when the server cannot be reached."""
    return ["ERR_", "htmx:", "Failed to fetch"]


@pytest.fixture
def tablet(device):
    """A 1024x768 window."""
    return device("tablet")


@pytest.fixture
def phone(device):
    """A 390x844 touch window."""
    return device("phone")


def pytest_itemcollected(item: pytest.Item) -> None:
    if Path(__file__).parent in item.path.parents:
        item.add_marker(pytest.mark.browser)
        item.add_marker(
            pytest.mark.no_cover
        )  # the server is a process of its own: there is nothing to trace here


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Show what the servers said when a test fails."""
    report = yield
    if report.failed:
        made = getattr(item, "funcargs", {}).get("server")
        logs = [made.log] if made is not None and hasattr(made, "log") else []
        folder = getattr(item, "funcargs", {}).get("tmp_path")
        logs += sorted(folder.glob("server*/server.log")) if folder else []
        for log in logs:
            report.sections.append((f"output of {log.parent.name}", log.read_text(errors="replace")[-8_000:]))
    return report
