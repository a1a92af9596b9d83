"""The curtain: a device that several players share shows a side's pages only after it was handed over.

A cookie remembers which seat the device shows. It is no secret (the device holds those seats anyway): it keeps one player
from seeing by accident what is another's, so it lapses as soon as the device shows the table again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import Flask, Response, after_this_request, make_response, render_template, request

if TYPE_CHECKING:
    from companion.web.seats import DeviceVisit


class CurtainDrawn(Exception):
    """The device must be handed over before it shows this seat."""

    def __init__(self, code: str, seat: str, name: str) -> None:
        super().__init__(f"the curtain before the {seat} seat of table {code} is drawn")
        self.code, self.seat, self.name = code, seat, name


def cookie_name(code: str) -> str:
    return f"shows-{code}"


def is_drawn(visit: DeviceVisit) -> bool:
    """Whether this device must be handed over before it shows the seat that is visited."""
    if len(visit.held) < 2 or request.cookies.get(cookie_name(visit.code)) == visit.seat:
        return False
    return visit.seat in visit.game.sides and not visit.game["solo"]


def fall(code: str) -> None:
    """Draw the curtain again behind a side's player: the device shows a whole page that is nobody's own."""
    stream = request.endpoint == "live.stream"
    whole_page = request.method == "GET" and "HX-Request" not in request.headers and not stream
    if whole_page and cookie_name(code) in request.cookies:

        @after_this_request
        def lower(response: Response) -> Response:
            response.delete_cookie(cookie_name(code), httponly=True, samesite="Lax")
            return response


def open_for(response: Response, code: str, seat: str) -> Response:
    """The player holds the device: it shows this seat until it shows another, or its browser is closed."""
    response.set_cookie(cookie_name(code), seat, httponly=True, samesite="Lax", secure=request.is_secure)
    return response


def init_app(app: Flask) -> None:
    """Answer every request that meets the curtain."""

    @app.errorhandler(CurtainDrawn)
    def drawn(error: CurtainDrawn) -> Response:
        status = 200 if request.method == "GET" else 403
        if "HX-Request" in request.headers:  # the page is somebody else's now: load it again, whole
            return Response(status=status, headers={"HX-Refresh": "true"})
        back = request.full_path.rstrip("?") if request.method == "GET" else ""
        page = render_template("curtain.html", code=error.code, seat=error.seat, name=error.name, back=back)
        response = make_response(page, status)
        response.delete_cookie(cookie_name(error.code), httponly=True, samesite="Lax")
        return response
