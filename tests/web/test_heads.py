"""The head of a request is understood as gevent understands it, whatever it holds."""

from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest
from gevent.pywsgi import WSGIHandler
from hypothesis import example, given
from hypothesis import strategies as st

from companion.web import heads, wire

PLAIN = (
    b"Host: 127.0.0.1:1942\r\nAccept-Encoding: gzip, deflate\r\nCookie: a=b\r\ncookie: c=d\r\nX-Empty:\r\n"
    b"Content-Type:  application/x-www-form-urlencoded \r\nContent-Length: 4\r\nHX-Target:\tlive \r\n\r\n"
)
ODD = {
    "folded": b"Host: a\r\nX-Long: one\r\n two\r\n\r\n",
    "no colon": b"Host: a\r\nnonsense\r\nX-After: b\r\n\r\n",
    "no name": b": a\r\n\r\n",
    "spaces before the colon": b"Content-Length : 4\r\n\r\n",
    "bare line ends": b"Host: a\nX-B: c\n\n",
    "a bare CR": b"Host: a\rX-B: c\r\n\r\n",
    "no ASCII": b"Host: \xc3\xa4\r\n\r\n",
    "nulls": b"Host: a\0b\r\n\r\n",
    "underscores": b"X_A: b\r\nX-A: c\r\n\r\n",
    "cut off": b"Host: a\r\nX-B: c",
    "empty": b"\r\n",
    "twice": b"Content-Length: 4\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    "a letter": b"From me\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n",
    "many": b"A: b\r\n" * 99 + b"\r\n",
}


class Server(SimpleNamespace):
    def get_environ(self) -> dict[str, Any]:
        return {"wsgi.url_scheme": "http"}


def understood(kind: type[WSGIHandler], head: bytes) -> tuple[Any, bytes]:
    """What an application is told of a request with this head, or how it is refused; and what is left to be read."""
    handler = kind.__new__(kind)
    handler.rfile, handler.server = BytesIO(head + b"body"), Server()
    handler.socket, handler.client_address = None, ("10.0.0.1", 5)
    handler.connection = None
    try:
        told = handler.read_request("POST /t HTTP/1.1\r\n")
        environ = WSGIHandler.get_environ(handler)
    except Exception as refusal:
        return type(refusal), b""
    environ = {name: value for name, value in environ.items() if name != "wsgi.input"}
    return (told, environ, handler.content_length, handler.close_connection), handler.rfile.read()


class Timed(wire.TimedHandler):
    _come = b"\r\n\r\n"


@pytest.mark.parametrize("head", [PLAIN, *ODD.values()], ids=["plain", *ODD])
def test_a_head_is_understood_as_ever(head: bytes) -> None:
    assert understood(Timed, head) == understood(WSGIHandler, head)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([b"Host", b"content-length", b"Content-Type", b"Transfer-Encoding", b"X-A", b"X_A", b"", b" a"]),
            st.sampled_from([b":", b": ", b" :", b":\t", b""]),
            st.sampled_from([b"4", b"5", b"chunked", b"close", b"a b ", b"\xff", b"\x0b", b"\x85", b"a:b", b""]),
            st.sampled_from([b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r", b"\r\n ", b"\r\n\r\n"]),
        ),
        max_size=6,
    )
)  # fmt: skip
@example([(b"X-A", b":", b"b", b"\r\n")] * 5)
def test_so_is_any_other(lines: list[tuple[bytes, ...]]) -> None:
    head = b"".join(b"".join(line) for line in lines) + b"\r\n"
    assert understood(Timed, head) == understood(WSGIHandler, head)


@pytest.mark.parametrize("head", [b"A: b\r\n" * 200 + b"\r\n", b"A: " + b"b" * 70_000 + b"\r\n\r\n"])
def test_too_much_of_a_head_is_refused_as_ever(head: bytes) -> None:
    refused = understood(Timed, head)
    assert refused == understood(WSGIHandler, head) and issubclass(refused[0], Exception)


def test_what_browsers_send_is_read_at_once() -> None:
    assert isinstance(heads.read(BytesIO(PLAIN), lambda _: None), heads.Head)
    for name, head in ODD.items():
        if name not in {"empty", "twice", "many"}:
            assert head.startswith(heads.read(BytesIO(head), lambda rest: rest.read())), name


def test_a_chunked_body_has_no_length() -> None:
    head = heads.read(BytesIO(PLAIN), lambda _: None)
    del head["Content-Length"]
    assert head.get("content-length") is None and head.getheader("content-length", 0) == 0
    del head["content-length"]
    assert head.typeheader == "application/x-www-form-urlencoded "
