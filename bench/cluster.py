"""A real PostgreSQL of one's own: a temporary cluster, reached through a socket in its own folder, gone at the end.

PostgreSQL refuses to run as root; then it runs as the system's `postgres` or `nobody`.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

STARTS_WITHIN = 30


class NoPostgres(Exception):
    """There is no PostgreSQL on this machine."""


def programs() -> Path:
    """The folder of PostgreSQL's own programs, the newest version's.

    :raises NoPostgres: if there is none
    """
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    on_path = shutil.which("initdb")
    if not found and not on_path:
        raise NoPostgres("PostgreSQL is not installed (Debian: apt-get install postgresql)")
    return found[-1].parent if found else Path(str(on_path)).parent


def _somebody() -> dict[str, Any]:
    """As whom it runs: ourselves, or instead of root somebody without rights."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}
    raise NoPostgres("PostgreSQL does not run as root, and there is no other user here")


def _is_alive(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Cluster:
    """PostgreSQL with one superuser, `companion`, and as many databases as are asked for."""

    def __init__(self, *, durable: bool = True) -> None:
        """:param durable: whether what is committed survives; the contract's tests are faster without"""
        self.bin, self.durable, self._who = programs(), durable, _somebody()
        shared = Path("/dev/shm")
        place = shared if not durable and shared.is_dir() else None
        self.folder = Path(tempfile.mkdtemp(prefix="companion-pg-", dir=place))
        if self._who:
            os.chown(self.folder, self._who["user"], self._who["group"])
        self.data, self.log = self.folder / "data", self.folder / "log"
        self.process: subprocess.Popen[bytes] | None = None
        self._count = 0
        try:
            self._run(
                "initdb",
                "--no-sync",
                "--encoding=UTF8",
                "--locale=C",
                "--username=companion",
                "--auth=trust",
                f"--pgdata={self.data}",
            )
            self.start()
        except BaseException:
            self.close()
            raise

    def _run(self, program: str, *args: str) -> None:
        done = subprocess.run(
            [self.bin / program, *args], cwd=self.folder, capture_output=True, text=True, **self._who
        )
        if done.returncode:
            raise AssertionError(f"{program}: {done.stderr[-2000:]}")

    def start(self) -> Cluster:
        """Start it, and wait until it takes connections."""
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folder),
            "max_connections": "100",
        }
        if not self.durable:
            settings |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        options = [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [self.bin / "postgres", "-D", str(self.data), *options],
                cwd=self.folder,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for the tests alone
                **self._who,
            )
        deadline = time.monotonic() + STARTS_WITHIN
        while time.monotonic() < deadline and self.process.poll() is None:
            if not subprocess.run(
                [self.bin / "pg_isready", "--quiet", f"--host={self.folder}"], check=False
            ).returncode:
                return self
            time.sleep(0.05)
        raise AssertionError(f"PostgreSQL did not start:\n{self.log.read_text()[-2000:]}")

    def database(self) -> str:
        """Make a new database and return its address."""
        self._count += 1
        name = f"test{self._count}"
        self._run("createdb", f"--host={self.folder}", "--username=companion", name)
        return f"postgresql://companion@/{name}?host={self.folder}"

    def kill(self) -> None:
        """Pull its plug: what was not written is lost."""
        if self.process is not None and self.process.poll() is None:
            children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
            self.process.kill()
            self.process.wait()
            # They notice that it is gone, and end; before that PostgreSQL does not start again.
            deadline = time.monotonic() + 20
            while any(map(_is_alive, children)) and time.monotonic() < deadline:
                time.sleep(0.01)

    def stop(self) -> None:
        """Ask it to end now, whoever is connected."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            self.process.wait(30)

    def close(self) -> None:
        """Stop it and remove every trace."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
