"""Answers that send a device on to another page."""

from __future__ import annotations

from flask import Response, make_response, redirect


def see_other(url: str) -> Response:
    """After a POST: go on with a GET there, so that reloading the page repeats nothing."""
    return make_response(redirect(url, 303))
