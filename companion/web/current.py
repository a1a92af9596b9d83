"""What the running app holds, for request handlers."""

from __future__ import annotations

from typing import Any

from flask import current_app

from companion.tables.tables import Tables


def held(name: str) -> Any:
    """A part of the app: tables, store, hub, secret, site, guesses, founding, data."""
    return current_app.extensions["companion"][name]


def tables() -> Tables:
    """The tables of the running app."""
    found: Tables = held("tables")
    return found
