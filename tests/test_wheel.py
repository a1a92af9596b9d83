"""The wheel, built here and installed in a new environment elsewhere, serves a page all by itself."""

import os
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.error
import urllib.request
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    built = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def elsewhere(wheel, tmp_path_factory) -> Path:
    """A new environment holding the wheel; dependencies are borrowed from this one: no network needed."""
    folder = tmp_path_factory.mktemp("elsewhere")
    venv.create(folder, with_pip=False)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    python = programs / "python"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", str(python)]
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel)], check=True)
    site = sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
    # A path file comes after the environment's own packages and does not follow this one's editable install.
    Path(site, "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return programs


def run(*command: str | Path, cwd: Path) -> str:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}
    done = subprocess.run([str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


def test_the_wheel_carries_templates_static_files_and_scenarios(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("templates", "static", "scenarios"):
        tracked = {
            f"companion/{path.relative_to(ROOT).as_posix()}"
            for path in (ROOT / folder).rglob("*")
            if path.is_file()
        }
        tracked = {name for name in tracked if not name.endswith((".pyc", ".db"))}
        assert tracked and tracked <= names
    assert not [name for name in names if not name.startswith(("companion/", "kharkov_companion-"))]


def test_the_installed_package_finds_its_own_resources(elsewhere, tmp_path):
    where = run(elsewhere / "python", "-c", "from companion.resources import ROOT; print(ROOT)", cwd=tmp_path)
    assert Path(where).is_relative_to(elsewhere.parent)
    assert Path(where, "templates", "base.html").is_file()


def test_the_installed_command_serves_a_page_and_its_files(elsewhere, tmp_path):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "COV_"))}
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [
                elsewhere / "companion",
                "serve",
                "--host",
                "127.0.0.1",
                "--port",
                str(port),
                "--data",
                tmp_path / "data",
            ],
            cwd=tmp_path,
            env={**env, "PYTHONIOENCODING": "utf-8"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        page = fetch(f"http://127.0.0.1:{port}/", process, tmp_path / "log")
        assert "<html" in page
        assert "--paper" in fetch(f"http://127.0.0.1:{port}/static/app.css", process, tmp_path / "log")
    finally:
        process.terminate()
        process.wait(10)


def fetch(url: str, process: subprocess.Popen, log: Path) -> str:
    deadline = time.monotonic() + 20
    while True:
        try:
            with urllib.request.urlopen(url, timeout=20) as reply:
                return reply.read().decode()
        except (ConnectionError, urllib.error.URLError) as problem:
            refused = problem
        if process.poll() is not None or time.monotonic() > deadline:
            raise AssertionError(f"{url}: {refused}\n{log.read_text(errors='replace')}")
        time.sleep(0.1)
