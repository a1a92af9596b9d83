"""The companion with one more page: a bare endpoint that does one durable commit, to compare actions with."""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    from gevent import monkey

    monkey.patch_all()
    import sqlite3

    from companion.web.app import create_app
    from companion.web.flood import Allowance
    from companion.web.server import serve

    folder, port = Path(sys.argv[1]), int(sys.argv[2])

    def make(site):
        app = create_app(folder, site=site, founding=Allowance(burst=100_000))
        link = sqlite3.connect(folder / "bare.db", check_same_thread=False, isolation_level=None)
        link.execute("pragma journal_mode=wal")
        link.execute("pragma synchronous=full")
        link.execute("create table if not exists row (n integer primary key, body text)")

        @app.post("/bench/commit")
        def commit():
            link.execute("begin immediate")
            link.execute("insert into row (body) values ('{}')")
            link.execute("commit")
            return {"ok": True}

        return app

    return serve(make, "127.0.0.1", port, data=folder)


if __name__ == "__main__":
    sys.exit(main())
