"""A request and its answer, as this app has them: what Flask does for every kind of app, without what this one has none of.

There are no sessions, no other hosts and no web sockets, a form is a line of names and values, and an answer is one piece
of text that stays on this site. Whatever is not so plain goes Flask's way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from flask import Flask, Request, Response, request
from flask.sessions import NullSession, SessionInterface
from werkzeug.datastructures import Headers, ImmutableMultiDict
from werkzeug.http import parse_cookie
from werkzeug.routing import MapAdapter
from werkzeug.utils import cached_property
from werkzeug.wsgi import get_host

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

FORM = "application/x-www-form-urlencoded"
_ELSEWHERE = frozenset({"location", "content-location"})


def asked() -> Request:
    """The request itself, for whoever looks at it more than once: each look at Flask's stand-in takes three calls."""
    found: Request = request._get_current_object()  # type: ignore[attr-defined]
    return found


class Asked(Request):
    """A request whose cookies and form are read from where they are."""

    @cached_property
    def cookies(self) -> ImmutableMultiDict[str, str]:
        """Its cookies, without a look at every header."""
        if not self.environ.get("HTTP_COOKIE", "").isascii():
            return super().cookies
        return parse_cookie(self.environ, self.dict_storage_class)  # type: ignore[return-value]

    @cached_property
    def form(self) -> ImmutableMultiDict[str, str]:
        """What was filled in."""
        if self.mimetype != FORM:
            self._load_form_data()
            return self.form
        body = self.get_data(parse_form_data=False)
        vars(self)["files"] = ImmutableMultiDict()
        try:
            fields = parse_qsl(body.decode(), keep_blank_values=True, errors="werkzeug.url_quote")
        except ValueError:  # no text: nothing was filled in
            fields = []
        return ImmutableMultiDict(fields)


class Answer(Response):
    """An answer whose headers are sent as they are."""

    def get_wsgi_headers(self, environ: WSGIEnvironment) -> Headers:
        """The headers to be sent; only one that leads elsewhere, or has no body, needs others than it has."""
        names = {name.lower() for name, _ in self.headers}
        is_plain = self.status_code == 200 or self.status_code >= 400
        if is_plain and "content-length" in names and names.isdisjoint(_ELSEWHERE):
            return self.headers
        return super().get_wsgi_headers(environ)


class NoSession(SessionInterface):
    """Seats are cookies of their own; nothing else is remembered of a device."""

    _none = NullSession()

    def open_session(self, app: Flask, request: Request) -> NullSession:
        return self._none


def bind(app: Flask, request: Request) -> MapAdapter | None:
    """Where a request leads; None where Flask has to look closer."""
    environ = request.environ
    if "HTTP_UPGRADE" in environ:
        return None
    request.host = get_host(environ)
    return app.url_map.bind(
        request.host,
        _text(environ.get("SCRIPT_NAME", "")),
        subdomain="",
        url_scheme=environ["wsgi.url_scheme"],
        default_method=environ["REQUEST_METHOD"],
        path_info=_text(environ.get("PATH_INFO", "")),
        query_args=_text(environ.get("QUERY_STRING", "")),
    )


def _text(header: str) -> str:
    return header.encode("latin-1").decode(errors="replace")
