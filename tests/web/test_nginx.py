"""docs/hosting/nginx.conf as it stands, in a real nginx, before two companions on one database, as on two machines."""

import http.client
import os
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.liveserver import LiveServer, LiveTable

pytestmark = pytest.mark.slow

EXAMPLE = Path(__file__).parents[2] / "docs" / "hosting" / "nginx.conf"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def configured(ports: list[int], port: int, folder: Path) -> str:
    """The example with our ports instead of its own, and without the certificate that nobody has here."""
    text = EXAMPLE.read_text(encoding="utf-8")
    wanted = {
        "server 127.0.0.1:1942;": " ".join(f"server 127.0.0.1:{one};" for one in ports),
        "listen 443 ssl;": f"listen 127.0.0.1:{port};",
        "server_name games.example.org;": "server_name 127.0.0.1;",
        "proxy_set_header Host $host;": "proxy_set_header Host $http_host;",
    }
    for old, new in wanted.items():
        assert old in text, f"the example no longer says {old!r}"
        text = text.replace(old, new)
    text = "\n".join(line for line in text.splitlines() if "ssl_certificate" not in line)
    paths = "".join(
        f"{name}_temp_path {folder}/{name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root;" if os.geteuid() == 0 else ""  # the tests' folder is nobody else's
    return f"""
{user}
worker_processes 1;
daemon off;
pid {folder}/pid;
error_log {folder}/error.log warn;
events {{}}
http {{
access_log off;
{paths}
{text}
}}
"""


@pytest.fixture(scope="module")
def site(
    cluster: Any, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[LiveServer]:
    """The proxy, as a server like any other; `.behind` are the two companions."""
    if NGINX is None:
        why = "there is no nginx (Debian: apt-get install nginx)"
        if os.environ.get("COMPANION_REQUIRE_POSTGRES", "0") not in ("", "0"):
            pytest.fail(why)
        pytest.skip(why)
    folder, port = tmp_path_factory.mktemp("nginx"), free_port()
    public = ("--public-url", f"http://127.0.0.1:{port}", "--access-log")
    database = str(cluster.database())
    with (
        LiveServer(folder / "one", *public, database=database) as one,
        LiveServer(folder / "two", *public, database=database) as two,
    ):
        conf = folder / "nginx.conf"
        conf.write_text(configured([one.port, two.port], port, folder), encoding="utf-8")
        proxy = subprocess.Popen([NGINX, "-c", str(conf), "-e", str(folder / "error.log")])
        front = LiveServer(folder / "front")
        front.port, front.url = port, f"http://127.0.0.1:{port}"
        front.behind = (one, two)  # type: ignore[attr-defined]
        try:
            deadline = time.monotonic() + 20
            while time.monotonic() < deadline:
                try:
                    front.call("/api/openapi.json")
                    break
                except OSError:
                    time.sleep(0.05)
            yield front
        finally:
            proxy.terminate()
            proxy.wait(20)


def test_a_tap_at_one_machine_is_heard_at_once_by_a_stream_at_the_other(site: LiveServer) -> None:
    """Streams are not buffered by the proxy; and one that ended up at the other machine hears of every tap, too."""
    table = LiveTable(site)
    bearer = {"Authorization": f"Bearer {table.tokens['soviet']}"}
    streams = []
    one, two = site.behind  # type: ignore[attr-defined]
    for port in (site.port, one.port, two.port):
        conn = http.client.HTTPConnection("127.0.0.1", port, timeout=8)
        conn.request("GET", f"/t/{table.code}/soviet/stream?page=p{len(streams)}", headers=bearer)
        answer = conn.getresponse()
        assert answer.getheader("Content-Type", "").startswith("text/event-stream")
        assert [answer.readline() for _ in range(4)][1] == b"event: rev\n"
        streams.append((conn, answer))
    for number in range(4):
        began = time.monotonic()
        revision = table.roll(f"tap-{number}", "german")["revision"]
        for _, answer in streams:
            assert answer.readline() == b"event: rev\n"
            assert answer.readline() == f"data: {revision}\n".encode()
            answer.readline()
        assert time.monotonic() - began < 3, "a buffered stream would wait for the beat, or for ever"
    for conn, _ in streams:
        conn.close()


def test_a_table_keeps_to_one_machine_and_any_other_answers_as_well(site: LiveServer) -> None:
    """Tables are dealt out by their codes; a seat's secret opens it wherever the request ends up."""
    before = [len(server.said()) for server in site.behind]  # type: ignore[attr-defined]
    table = LiveTable(site)
    for number, server in enumerate((site, *site.behind) * 2):  # type: ignore[attr-defined]
        page = urllib.request.Request(
            f"{server.url}/t/{table.code}/german",
            headers={"Authorization": f"Bearer {table.tokens['german']}"},
        )
        with urllib.request.urlopen(page, timeout=20) as answer:
            assert answer.status == 200
        table.roll(f"tap-{number}", "german", server)
    assert sorted(table.rolled()) == [f"tap-{n}" for n in range(6)]
    for _ in range(12):
        table.server.call(f"/api/tables/{table.code}", token=table.tokens["german"])

    def asked() -> list[int]:
        return sorted(
            server.said()[old:].count(f"GET /api/tables/{table.code} ")
            for server, old in zip(site.behind, before, strict=True)  # type: ignore[attr-defined]
        )

    deadline = time.monotonic() + 10
    while sum(asked()) < 12 and time.monotonic() < deadline:  # a request is logged when it has been answered
        time.sleep(0.05)
    assert asked() == [0, 12]


def test_a_long_save_passes_and_a_page_of_another_site_does_not(site: LiveServer) -> None:
    body = b"x" * 3_000_000
    for origin, status in ((site.url, 422), ("https://elsewhere.example", 403)):
        head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="g.json"\r\n\r\n'
        request = urllib.request.Request(
            f"{site.url}/import",
            head + body + b"\r\n--b--\r\n",
            {"Content-Type": "multipart/form-data; boundary=b", "Origin": origin},
        )
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(request, timeout=20)
        with caught.value as answer:
            assert answer.code == status, answer.read()[:300]


def test_one_machine_may_stop_and_the_others_go_on(site: LiveServer) -> None:
    tables = [LiveTable(site) for _ in range(6)]
    one: LiveServer = site.behind[0]  # type: ignore[attr-defined]
    one.stop()
    for table in tables:
        table.roll("alone")
        assert table.rolled() == ["alone"]
