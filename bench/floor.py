"""The floor under every figure: bare gevent and SQLite, with the same commits, streams and answers, and constant pages.

`python -m bench.floor FOLDER PORT` serves until it is ended. A tap is one durable commit of the same rows (the event, the
answer to its action, the table) and a poke of the table's streams; every page is the same 15 KB with the table's revision
in it, and each device asks for it when it hears of a new one.
"""

from __future__ import annotations

import sqlite3
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

EVENT = '{"kind": "rolled", "dice": "2d6", "values": [3, 4], "purpose": "", "mode": "digital"}'
PAGE = "<p>" + "constant words of a constant page; " * 420 + "</p>"


class Floor:
    """As little as three screens of a table need."""

    def __init__(self, folder: Path) -> None:
        from gevent.queue import SimpleQueue

        self.queue = SimpleQueue
        self.link = sqlite3.connect(folder / "floor.db", isolation_level=None, check_same_thread=False)
        self.link.execute("pragma journal_mode=wal")
        self.link.execute("pragma synchronous=full")
        self.link.execute(
            "create table if not exists game (code text primary key, revision integer, summary text)"
        )
        self.link.execute(
            "create table if not exists event "
            "(code text, seq integer, at text, act text, body text, primary key (code, seq))"
        )
        self.link.execute(
            "create table if not exists answer (code text, act text, body text, primary key (code, act))"
        )
        self.revisions: dict[str, int] = defaultdict(int)
        self.listeners: dict[str, list[Any]] = defaultdict(list)

    def __call__(self, environ: dict[str, Any], start: Any) -> Any:
        code, _, what = environ["PATH_INFO"].lstrip("/").partition("/")
        if what == "stream":
            start("200 OK", [("Content-Type", "text/event-stream")])
            return self.stream(code)
        if what == "tap":
            environ["wsgi.input"].read()
            self.tap(code)
        body = f'<div id="live" data-rev="{self.revisions[code]}">{PAGE}</div>'.encode()
        start("200 OK", [("Content-Type", "text/html"), ("Content-Length", str(len(body)))])
        return [body]

    def tap(self, code: str) -> None:
        seq = self.revisions[code] + 1
        act = f"{code}-{seq}"
        self.link.execute("begin immediate")
        self.link.execute("select body from answer where code = ? and act = ?", [code, act]).fetchone()
        self.link.execute(
            "insert into event values (?, ?, '2026-11-18T12:00:00', ?, ?)", [code, seq, act, EVENT]
        )
        self.link.execute("insert into answer values (?, ?, ?)", [code, act, EVENT])
        self.link.execute("insert or replace into game values (?, ?, ?)", [code, seq, EVENT])
        self.link.execute("commit")
        self.revisions[code] = seq
        for listener in self.listeners[code]:
            listener.put(seq)

    def stream(self, code: str) -> Iterator[bytes]:
        mine = self.queue()
        self.listeners[code].append(mine)
        try:
            yield f"event: rev\ndata: {self.revisions[code]}\n\n".encode()
            while True:
                yield f"event: rev\ndata: {mine.get()}\n\n".encode()
        finally:
            self.listeners[code].remove(mine)


def main() -> None:
    from gevent import monkey

    monkey.patch_all()
    import socket

    from gevent.pywsgi import WSGIServer

    class Server(WSGIServer):
        def handle(self, sock: Any, address: Any) -> None:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            super().handle(sock, address)

    folder, port = Path(sys.argv[1]), int(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    Server(("127.0.0.1", port), Floor(folder), log=None, backlog=1024).serve_forever()


if __name__ == "__main__":
    main()
