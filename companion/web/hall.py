"""The organiser's hall: every table of this installation at a glance, those that need somebody first."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, abort, render_template, request

from companion.engine.errors import Unreadable
from companion.store import TableRow
from companion.web.current import held, tables
from companion.web.intake import number

bp = Blueprint("hall", __name__)
QUIET = 30
"""Minutes without an action after which a table is worth a look."""


def _minutes(since: str, now: datetime) -> int:
    then = datetime.fromisoformat(since)
    return max(0, int((now - (then if then.tzinfo else then.replace(tzinfo=UTC))).total_seconds() // 60))


def _row(table: TableRow, now: datetime, quiet: int) -> dict[str, Any] | None:
    system = tables().systems.get(table.system)
    if system is None:
        return None
    kit, summary = system.kit.system, table.summary
    scenario = system.kit.scenarios.get(table.scenario)
    minutes = _minutes(table.changed_at, now)
    side = next((s for s in kit.sides if s.id == summary.get("active")), None)
    state = (
        "ended" if table.ended else "judge" if summary.get("judge") else "quiet" if minutes >= quiet else ""
    )
    return {
        "code": table.code,
        "title": table.title,
        "game": kit.name,
        "system": table.system,
        "scenario": scenario.name if scenario else table.scenario,
        "turn": f"{kit.turn_name} {summary.get('turn', '')}"
        + (f" of {summary['last']}" if summary.get("last") else ""),
        "phase": summary.get("phase", ""),
        "side": {"id": side.id, "name": side.name} if side else None,
        "score": summary.get("score", ""),
        "judge": summary.get("judge", ""),
        "why": summary.get("ended", ""),
        "minutes": minutes,
        "state": state,
    }


def _ago(minutes: int) -> str:
    if minutes < 1:
        return "just now"
    if minutes < 120:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} days"


@bp.get("/hall")
def hall() -> str:
    """The board; it holds nothing that a watcher of a table may not see."""
    if held("private"):
        abort(404, "There is no hall here: this companion tells nobody of other people's tables.")
    asked = request.args.get("quiet") or str(QUIET)
    quiet = number(asked)
    if quiet is None or not 1 <= quiet <= 9999:
        raise Unreadable(f"quiet={asked[:20]!r}: minutes, 1 to 9999", field="quiet", given=asked[:20])
    game = request.args.get("game", "")
    now = datetime.now(UTC)
    found = [r for r in (_row(t, now, quiet) for t in tables().store.tables()) if r]
    games = {r["system"]: r["game"] for r in sorted(found, key=lambda r: str(r["game"]))}
    rows = [r for r in found if not game or r["system"] == game]
    first = {"judge": 0, "quiet": 1, "": 2, "ended": 3}
    rows.sort(
        key=lambda r: (first[r["state"]], -r["minutes"] if r["state"] in ("judge", "quiet") else 0, r["code"])
    )
    live = request.headers.get("HX-Target") == "live"
    return render_template(
        "hall_live.html" if live else "hall.html",
        rows=rows,
        games=games,
        game=game,
        quiet=quiet,
        count=Counter(r["state"] for r in rows),
        ago=_ago,
        now=now.astimezone().strftime("%H:%M"),
    )
