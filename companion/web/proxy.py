"""Behind a proxy: whose request it really is, and that it came over HTTPS.

Believed only when the server was started with `--public-url`, only from a neighbour (this machine or a private
network, where a proxy stands) and only its last word, which that proxy wrote itself. The Host header is left as it
came, so that the check against DNS rebinding keeps its meaning.
"""

import ipaddress
import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

WsgiApp = Callable[[dict[str, Any], Any], Iterable[bytes]]
SIGNS = ("HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_PROTO", "HTTP_FORWARDED", "HTTP_VIA")
"""What proxies put into a request that passes through them."""
NEIGHBOURS = [
    ipaddress.ip_network(block)
    for block in ("127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16")
    + ("::1/128", "fc00::/7", "fe80::/10")
]
PORT = re.compile(r"\[([0-9a-f:.]+)\](?::\d+)?|([0-9.]+):\d+", re.I)
"""An address with a port, as some proxies write it."""


class BehindProxy:
    """Passes requests on with the client's own address and the scheme of the public address."""

    def __init__(self, app: WsgiApp, public_url: str) -> None:
        self.app = app
        public = urlsplit(public_url)
        self.scheme, self.host = public.scheme, public.netloc.lower()

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if is_neighbour(str(environ.get("REMOTE_ADDR", ""))) and self._came_through(environ):
            environ["wsgi.url_scheme"] = self.scheme
            client = _client(environ.get("HTTP_X_FORWARDED_FOR", ""))
            if client:
                environ["REMOTE_ADDR"] = client
        return self.app(environ, start_response)

    def _came_through(self, environ: dict[str, Any]) -> bool:
        host = str(environ.get("HTTP_HOST", "")).lower()
        return host == self.host or any(environ.get(sign) for sign in SIGNS)


def is_loopback(address: str) -> bool:
    """Whether an address is this machine itself."""
    found = _read(address)
    return found is not None and found.is_loopback


def is_neighbour(address: str) -> bool:
    """Whether an address is this machine or lies in a private network."""
    found = _read(address)
    return found is not None and any(found in network for network in NEIGHBOURS)


def _client(forwarded: str) -> str:
    """The address the nearest proxy was asked by; earlier ones in the list are anybody's claim."""
    last = forwarded.rpartition(",")[2].strip()
    with_port = PORT.fullmatch(last)
    found = _read(next(filter(None, with_port.groups())) if with_port else last)
    return str(found) if found else ""


def _read(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found
