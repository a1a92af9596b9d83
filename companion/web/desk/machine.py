"""The machine: disk, database, backups, devices, version; and the chart book's lock."""

from __future__ import annotations

from datetime import UTC, datetime

from flask import Response, current_app, render_template, request, url_for

from companion import __version__
from companion.engine.errors import NotNow
from companion.hall import health
from companion.hall.health import Fact
from companion.tables.background import in_turn
from companion.tables.backups import Backups
from companion.web.book.lock import let_seats_write, seats_write
from companion.web.current import held, tables
from companion.web.desk.blueprint import bp
from companion.web.page import see_other
from companion.web.seats import base_url

DONE = {
    "backup": "Backed up.",
    "locked": "The chart book is locked: only who knows its passphrase writes in it.",
    "unlocked": "Every device that holds a seat may write in the chart book.",
}


def _backups() -> Backups | None:
    """What backs up by itself while this server runs."""
    found: Backups | None = current_app.extensions["companion"].get("backups")
    return found


def facts() -> list[Fact]:
    """Everything that is known of the machine."""
    data, store = held("data"), tables().store
    rows, backups = store.tables(), _backups()
    changed_at = rows[0].changed_at if rows else ""
    count: int = held("hub").count()
    now = datetime.now(UTC)
    keeps, trouble = (backups.keep > 0, backups.trouble) if backups else (False, "")
    if data is None:  # the games are not on this machine's disk
        kept = [
            Fact("Database", f"PostgreSQL, {len(rows)} tables"),
            Fact("Backups", "by PostgreSQL's own tools"),
        ]
    else:
        path = data / "companion.db"
        kept = [
            in_turn(lambda: health.disk(data)),
            in_turn(lambda: health.database(path, len(rows))),
            in_turn(lambda: health.backup(path, changed_at, now, kept=keeps, trouble=trouble)),
        ]
    return [
        *kept,
        Fact("Devices", f"{count} screen{'' if count == 1 else 's'} connected now"),
        Fact("Address", base_url()),
        Fact("Clock", f"{now.astimezone():%H:%M, %d %B %Y}"),
        Fact("Version", __version__),
    ]


@bp.get("/machine")
def machine() -> str:
    """How the machine is."""
    return render_template(
        "desk/machine.html",
        facts=facts(),
        can_back_up=_backups() is not None,
        seats_write=seats_write(),
        notice=DONE.get(request.args.get("done", ""), ""),
    )


@bp.post("/machine/backup")
def back_up() -> Response:
    """Back up now."""
    backups = _backups()
    if backups is None or not backups.once():
        raise NotNow("The backup was not made. The companion's own output says why.")
    return see_other(url_for("desk.machine", done="backup"))


@bp.post("/machine/book")
def lock_book() -> Response:
    """Take the right to write in the chart book from the seats, or give it back."""
    lock = request.form.get("do") == "lock"
    let_seats_write(tables().store, seats=not lock)
    return see_other(url_for("desk.machine", done="locked" if lock else "unlocked"))
