"""What the organiser says on a table's own screens."""

from __future__ import annotations

from companion.hall.running import held_up
from companion.web.current import desk


def standstill(code: str) -> str:
    """Why nothing is played at a table; empty where it is open. Asked by every screen: one look into a mapping."""
    table = desk().state().by_code.get(code)
    return held_up(table) if table is not None else ""
