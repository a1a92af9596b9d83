"""What keeps a table's secrets on an open Wi-Fi: host and origin checks, headers, tokens, limits on guessing.

Cross-site requests are refused by their headers, as Go 1.25's CrossOriginProtection and Datasette do, so no
form carries a token. Phones on a LAN use plain HTTP, where browsers send `Origin` but no `Sec-Fetch-Site`.
"""

import hmac
import ipaddress
import time
from collections.abc import Callable, Iterable
from functools import lru_cache
from urllib.parse import urlsplit

from flask import Flask, Request, Response, abort

from companion.web.exchange import asked
from companion.web.proxy import BehindProxy

CSP = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)
HEADERS = {
    "Content-Security-Policy": CSP,
    # Not "no-referrer": under it browsers post plain forms with `Origin: null`, which `check_origin` refuses.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
ALWAYS_NEW = {**HEADERS, "Cache-Control": "no-store"}
SAFE_METHODS = {"GET", "HEAD", "OPTIONS", "TRACE"}
MAX_CONTENT_LENGTH = 64 * 1024

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: no i, l, o or u, so nothing is mistaken for 1 or 0."""

TOKEN_LENGTH = 26


def init_app(app: Flask, *, hosts: Iterable[str] = (), public_url: str | None = None) -> None:
    """Check the host and origin of every request, and give every response the security headers.

    :param hosts: names this server goes by; `localhost` and any literal address are always answered.
    :param public_url: the address players type when a proxy stands in front of this server.
    """
    https = False
    names = frozenset({"localhost", *(host.lower().rstrip(".") for host in hosts)})
    origins = set()
    if public_url:
        public = urlsplit(public_url)
        if public.scheme not in ("http", "https") or not public.hostname:
            raise ValueError(f"public URL {public_url!r} is not an address such as https://games.example.org")
        names |= {public.hostname}
        origins.add(f"{public.scheme}://{public.netloc.lower()}")
        https = public.scheme == "https"
        app.wsgi_app = BehindProxy(app.wsgi_app, public_url)  # type: ignore[method-assign]

    # A setting made before this call wins; Flask's own default is None, no limit at all.
    if app.config.get("MAX_CONTENT_LENGTH") is None:
        app.config["MAX_CONTENT_LENGTH"] = MAX_CONTENT_LENGTH
    app.config.update(SESSION_COOKIE_HTTPONLY=True, SESSION_COOKIE_SAMESITE="Lax")

    @app.before_request
    def check_host() -> Response | None:
        asker = asked()
        host = asker.environ.get("HTTP_HOST", "")
        if is_known_host(host, names):
            check_origin(asker, host)
            return None
        message = (
            f"{host[:80]!r} is not a name this companion answers to. Use the address it printed when it "
            "started, or start it with --public-url."
        )
        # Without a page around it: some names are so wrong that no link can be made under them.
        return Response(message, 400, mimetype="text/plain")

    def check_origin(asker: Request, host: str) -> None:
        own = f"{asker.scheme}://{host.lower()}"
        if asker.method not in SAFE_METHODS and not is_own_request(asker, {own, *origins}):
            abort(
                403, "This was sent by a page of another site. Open the companion's own page and try again."
            )

    @app.after_request
    def add_headers(response: Response) -> Response:
        asker = asked()
        ours = HEADERS if asker.endpoint == "static" else ALWAYS_NEW
        if asker.is_secure:  # on plain HTTP browsers ignore it, with an error in the console
            ours = {**ours, "Cross-Origin-Opener-Policy": "same-origin"}
            if https:
                # Half a year, this name alone: its owner said that it is served over HTTPS.
                ours["Strict-Transport-Security"] = "max-age=15552000"
        given = {name.lower() for name, _ in response.headers}
        for name, value in ours.items():
            if name.lower() not in given:
                response.headers.add(name, value)
        return response


@lru_cache(200)
def is_known_host(host: str, names: frozenset[str]) -> bool:
    """Whether a Host header is one of the names, or a literal address.

    A page elsewhere can point its own *name* at this machine (DNS rebinding); it cannot do so with an
    address, so an address is always safe to answer, also one the router gave out after the server started.
    """
    try:
        name = urlsplit(f"//{host}").hostname
        if not name or "@" in host or "/" in host:
            return False
        if name.rstrip(".") in names:
            return True
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_own_request(asker: Request, own_origins: set[str]) -> bool:
    """Whether a request came from one of our own pages, or from no page at all (an API client)."""
    site = asker.environ.get("HTTP_SEC_FETCH_SITE")
    if site is not None:
        return site in ("same-origin", "none")
    origin: str | None = asker.environ.get("HTTP_ORIGIN")
    if origin is not None:
        return origin.lower() in own_origins
    return not asker.cookies


@lru_cache(4_000)
def seat_token(secret: bytes, code: str, seat: str, generation: int) -> str:
    """The secret of one seat's join link; a new generation makes the old link useless."""
    message = "\0".join(["seat", code.lower(), seat, str(generation)]).encode()
    number = int.from_bytes(hmac.digest(secret, message, "sha256"))
    return "".join(ALPHABET[number >> (5 * i) & 31] for i in range(TOKEN_LENGTH))


def is_seat_token(given: str, secret: bytes, code: str, seat: str, generation: int) -> bool:
    """Whether a token is the one of this seat, in any case, without telling by the time taken how nearly."""
    return hmac.compare_digest(given.lower().encode(), seat_token(secret, code, seat, generation).encode())


class FailureLimit:
    """A bucket of failures per key: `burst` of them at once, then one more every `every` seconds.

    Only failures count, because at a convention a whole hall of honest phones may share one address.
    """

    def __init__(
        self,
        burst: int = 10,
        every: float = 6.0,
        clock: Callable[[], float] = time.monotonic,
        keys: int = 10_000,
    ) -> None:
        self.burst, self.every, self.clock, self.keys = burst, every, clock, keys
        self._empty_at: dict[str, float] = {}

    def wait(self, key: str) -> float:
        """Seconds until this key may try again; 0 when it may now."""
        full = self.burst * self.every
        return max(0.0, self._empty_at.get(key, 0.0) - self.clock() - full + self.every)

    def failed(self, key: str) -> None:
        """Count one failure against this key."""
        now = self.clock()
        if len(self._empty_at) >= self.keys:
            self._empty_at = {k: at for k, at in self._empty_at.items() if at > now}
            if len(self._empty_at) >= self.keys:
                self._empty_at.clear()
        self._empty_at[key] = max(self._empty_at.get(key, now), now) + self.every
