"""A request and its answer, as this app has them: what Flask does for every kind of app, without what this one has none of.

There are no sessions, no other hosts and no web sockets, a form is a line of names and values, and an answer is one piece
of text that stays on this site. Whatever is not so plain goes Flask's way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from flask import Flask, Request, Response, request
from flask.sessions import NullSession, SessionInterface
from werkzeug.datastructures import Headers, ImmutableMultiDict
from werkzeug.exceptions import HTTPException
from werkzeug.http import parse_cookie
from werkzeug.routing import Map, MapAdapter, RuleFactory
from werkzeug.sansio.utils import get_current_url
from werkzeug.utils import cached_property
from werkzeug.wsgi import get_content_length, get_host

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

FORM, HTML = "application/x-www-form-urlencoded", "text/html; charset=utf-8"
LATELY, SHORT = 1_000, 200
"""Addresses of which it is known where they lead, and how long they may be."""
_ELSEWHERE = frozenset({"location", "content-location"})
_WITH_RULE = {"return_rule": True}


asked: Callable[[], Request] = request._get_current_object  # type: ignore[attr-defined]
"""The request itself: each look at Flask's stand-in for it takes three calls."""


class Asked(Request):
    """A request whose length, cookies and form are read from where they are."""

    @cached_property
    def blueprints(self) -> list[str]:
        """Where its handler belongs, which Flask asks before the handler, after it and at the end."""
        return super().blueprints

    @cached_property
    def content_length(self) -> int | None:
        """How long its body is, if it says so."""
        return get_content_length(self.environ)

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
            return ImmutableMultiDict(_fields(body.decode()))
        except ValueError:  # no text: nothing was filled in
            return ImmutableMultiDict()


def _fields(sent: str) -> list[tuple[str, str]]:
    if "%" in sent:
        return parse_qsl(sent, keep_blank_values=True, errors="werkzeug.url_quote")
    pairs = [pair.partition("=") for pair in sent.replace("+", " ").split("&") if pair]
    return [(name, value) for name, _, value in pairs]


class Answer(Response):
    """An answer that is sent as it is."""

    has_end = False
    """Whether something is to be done when it was sent."""

    def __init__(
        self,
        response: Any = None,
        status: Any = None,
        headers: Any = None,
        mimetype: str | None = None,
        content_type: str | None = None,
        direct_passthrough: bool = False,
    ) -> None:
        if not headers and mimetype is None and content_type is None:
            content_type = HTML  # as Flask works it out each time
        super().__init__(response, status, headers, mimetype, content_type, direct_passthrough)

    def call_on_close(self, func: Callable[[], Any]) -> Callable[[], Any]:
        """Do something when it was sent."""
        self.has_end = True
        return super().call_on_close(func)

    def get_app_iter(self, environ: WSGIEnvironment) -> Iterable[bytes]:
        """The pieces of the body; a single one with nothing to follow needs nobody who goes through it."""
        pieces: Any = self.response
        is_one = type(pieces) is list and len(pieces) == 1 and type(pieces[0]) is bytes
        if is_one and self._has_body() and not self.has_end and environ["REQUEST_METHOD"] != "HEAD":
            return pieces  # type: ignore[no-any-return]
        return super().get_app_iter(environ)

    def _has_body(self) -> bool:
        return self.status_code == 200 or self.status_code >= 400

    def get_wsgi_headers(self, environ: WSGIEnvironment) -> Headers:
        """The headers to be sent; only one that leads elsewhere, or has no body, needs others than it has."""
        names = {name.lower() for name, _ in self.headers}
        if self._has_body() and "content-length" in names and names.isdisjoint(_ELSEWHERE):
            return self.headers
        return super().get_wsgi_headers(environ)


class NoSession(SessionInterface):
    """Seats are cookies of their own; nothing else is remembered of a device."""

    _none = NullSession()

    def open_session(self, app: Flask, request: Request) -> NullSession:
        return self._none


class Ways(Map):
    """All addresses, and where those led that were asked for lately: most are asked for again and again."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.lately = lru_cache(LATELY)(self._look)

    def _look(self, path: str, method: str) -> tuple[Any, Mapping[str, Any]]:
        return MapAdapter(self, "", "", "", "http", path, method).match(return_rule=True)

    def add(self, rulefactory: RuleFactory) -> None:
        """One more address, which may stand before another."""
        super().add(rulefactory)
        self.lately.cache_clear()


class Way(MapAdapter):
    """Where one request leads."""

    def match(self, *asked: Any, **named: Any) -> Any:
        """What answers it; whatever does not lead straight there is told in the words for this request."""
        is_plain = not asked and named == _WITH_RULE and len(self.path_info) <= SHORT
        if is_plain and isinstance(self.map, Ways):
            try:
                rule, values = self.map.lately(self.path_info, self.default_method)
            except HTTPException:
                pass
            else:
                return rule, dict(values)
        return super().match(*asked, **named)


def bind(app: Flask, request: Request) -> MapAdapter | None:
    """Where a request leads; None where Flask has to look closer."""
    environ = request.environ
    if "HTTP_UPGRADE" in environ:
        return None
    scheme, named = environ["wsgi.url_scheme"], environ.get("HTTP_HOST")
    request.host, server = _host(scheme, named) if named else _named(get_host(environ))
    return Way(
        app.url_map,
        server,
        _text(environ.get("SCRIPT_NAME", "")),
        "",
        scheme,
        _text(environ.get("PATH_INFO", "")),
        environ["REQUEST_METHOD"],
        _text(environ.get("QUERY_STRING", "")),
    )


@lru_cache(200)
def _host(scheme: str, named: str) -> tuple[str, str]:
    return _named(get_host({"wsgi.url_scheme": scheme, "HTTP_HOST": named}))


def _named(host: str) -> tuple[str, str]:
    """A host, and how it is written where only ASCII is.

    :raises BadHost: if it cannot be
    """
    return host, Map().bind(host).server_name


@lru_cache(200)
def address_of(scheme: str, host: str) -> str:
    """The address of this site, as a request of this scheme and host finds it."""
    return get_current_url(scheme, host).rstrip("/")


def _text(header: str) -> str:
    return header.encode("latin-1").decode(errors="replace")
