"""Dates as owners copy them from a map: read in the usual spellings, counted on in days."""

from __future__ import annotations

from datetime import datetime, timedelta

SPELLINGS = ("%d %B %Y", "%d %b %Y", "%Y-%m-%d", "%d.%m.%Y")


def days_later(text: str, days: int) -> str:
    """A date so many days after a written one; nothing when it cannot be read."""
    for spelling in SPELLINGS:
        try:
            day = datetime.strptime(text.strip(), spelling) + timedelta(days=days)
        except ValueError:
            continue
        return f"{day.day} {day:%B %Y}"
    return ""
