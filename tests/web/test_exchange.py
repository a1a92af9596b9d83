"""Requests are understood, and answers sent, as Flask itself does it."""

from io import BytesIO
from typing import Any

import pytest
from flask import Flask, Request, Response, redirect, request, session
from hypothesis import example, given
from hypothesis import strategies as st
from werkzeug.exceptions import HTTPException
from werkzeug.test import EnvironBuilder, run_wsgi_app

from companion.web import exchange
from companion.web.app import Companion


def environ(
    body: bytes = b"", kind: str = exchange.FORM, cookie: str | None = None, **more: str
) -> dict[str, Any]:
    made = {
        "REQUEST_METHOD": "POST",
        "CONTENT_TYPE": kind,
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": BytesIO(body),
    }
    return made | ({} if cookie is None else {"HTTP_COOKIE": cookie}) | more  # fmt: skip


@given(st.one_of(st.none(), st.text(st.characters(codec="latin-1"), max_size=40)))
@example('a=b; c="d\\073e"; a=f; =g; h')
@example("a=\xc3\xa4")
@example("a=\xff")
def test_cookies_are_read_as_ever(cookie: str | None) -> None:
    ours, flasks = exchange.Asked(environ(cookie=cookie)).cookies, Request(environ(cookie=cookie)).cookies
    assert (type(ours), list(ours.items(multi=True))) == (type(flasks), list(flasks.items(multi=True)))


@given(st.one_of(st.binary(max_size=40), st.text("ab=&;+%20fC3A4 ", max_size=30).map(str.encode)))
@example(b"a=1&a=2&b=&c&%61=%C3%A4+%ff&&")
@example(b"a=\xff")
def test_a_form_is_read_as_ever(body: bytes) -> None:
    ours, flasks = exchange.Asked(environ(body)), Request(environ(body))
    assert list(ours.form.items(multi=True)) == list(flasks.form.items(multi=True))
    assert type(ours.form) is type(flasks.form) and not ours.files and ours.get_data() == body
    assert list(ours.values.items(multi=True)) == list(flasks.values.items(multi=True))


@pytest.mark.parametrize("kind", ["multipart/form-data", "application/json", ""])
def test_other_bodies_are_left_to_flask(kind: str) -> None:
    builder = EnvironBuilder(method="POST", data={"a": "1", "f": (BytesIO(b"file"), "f.txt")})
    sent = builder.get_environ() if "multipart" in kind else environ(b'{"a": 1}', kind)
    if "multipart" in kind:
        with exchange.Asked(sent) as found:
            assert found.form["a"] == "1" and found.files["f"].read() == b"file"
    else:
        assert not exchange.Asked(sent).form and not exchange.Asked(sent).files


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize(
    "answer",
    [
        ("words", 200),
        ("words", 422),
        ("", 204),
        ("", 304),
        (b"", 200),
        (["a", "b"], 200),
        ("words", 200, {"Content-Location": "/ä", "X-A": "b"}),
        ("made", 201, {"Location": "/t/ä?b=c d"}),
    ],
    ids=str,
)
def test_an_answer_is_sent_as_ever(answer: tuple[Any, ...], method: str) -> None:
    body, *rest = answer
    sent = EnvironBuilder(path="/a", method=method).get_environ()
    ours, flasks = (
        run_wsgi_app(kind(iter(body) if isinstance(body, list) else body, *rest), sent)
        for kind in (exchange.Answer, Response)
    )
    assert ours[1:] == flasks[1:] and b"".join(ours[0]) == b"".join(flasks[0])


def test_what_is_to_be_done_after_an_answer_is_done() -> None:
    told = list[str]()
    answer = exchange.Answer("words")
    assert exchange.Answer("words").get_app_iter(environ()) == [b"words"]
    answer.call_on_close(lambda: told.append("sent"))
    body, _, _ = run_wsgi_app(answer, EnvironBuilder().get_environ())
    assert b"".join(body) == b"words" and not told
    body.close()  # type: ignore[attr-defined]
    assert told == ["sent"]


@pytest.mark.parametrize("length", ["", "4", "-4", "x", " 5 "])
@pytest.mark.parametrize("encoding", ["", "chunked"])
def test_a_length_is_read_as_ever(length: str, encoding: str) -> None:
    sent = environ(CONTENT_LENGTH=length, HTTP_TRANSFER_ENCODING=encoding)
    assert exchange.Asked(sent).content_length == Request(sent).content_length


def app() -> Flask:
    made = Companion("companion")
    made.add_url_rule("/t/<code>", "here", lambda code: f"{code} {request.host_url}")
    made.add_url_rule("/away", "away", lambda: redirect("/t/ABCD"))
    made.add_url_rule("/remember", "remember", lambda: str(session.get("a")))
    made.add_url_rule("/write", "write", lambda: session.update(a=1) or "")
    made.testing = True
    return made


@pytest.mark.parametrize(
    "sent",
    [
        {},
        {"HTTP_HOST": "Games.Example.org:8080"},
        {"HTTP_HOST": "games.example.org:80"},
        {"HTTP_HOST": "\xe4.example"},
        {"HTTP_HOST": "no host/"},
        {"HTTP_HOST": f"{'a' * 70}.org"},
        {"HTTP_HOST": "[::1]:1942", "wsgi.url_scheme": "https"},
        {"PATH_INFO": "/t/\xc3\xa4\xff"},
        {"PATH_INFO": "", "SCRIPT_NAME": "/below"},
        {"PATH_INFO": "//t//A", "QUERY_STRING": "a=\xc3\xa4"},
        {"HTTP_CONNECTION": "Upgrade", "HTTP_UPGRADE": "websocket"},
    ],
    ids=str,
)
def test_addresses_lead_where_they_led(sent: dict[str, str]) -> None:
    made, other = app(), Flask("companion")
    other.url_map = made.url_map
    told = EnvironBuilder(path="/t/ABCD", base_url="http://localhost:1942").get_environ() | sent

    def led(where: Flask) -> Any:
        try:
            adapter = where.create_url_adapter(where.request_class(dict(told)))
            assert adapter is not None
            found = adapter.match(return_rule=True)
            return found, adapter.build("here", {"code": "A"}, force_external=True)
        except HTTPException as refusal:
            return type(refusal), getattr(refusal, "new_url", "")

    expected = led(other)
    assert [led(made), led(made)] == [expected, expected]


def test_an_address_leads_elsewhere_where_another_is_added() -> None:
    made = Companion("companion")
    made.add_url_rule("/t/<code>", "table", lambda code: code)
    for path, where in [("/t/new", "table"), ("/t/new", "table"), ("/t/old", "table")]:
        with made.test_request_context(path) as asked:
            assert asked.request.endpoint == where
            asked.request.view_args["code"] = "changed by whoever answers"
    made.add_url_rule("/t/new", "new", lambda: "")
    for path, where, values in [("/t/new", "new", {}), ("/t/old", "table", {"code": "old"})]:
        with made.test_request_context(path) as asked:
            assert (asked.request.endpoint, asked.request.view_args) == (where, values)


def test_a_redirect_and_a_page_in_one_app() -> None:
    client = app().test_client()
    assert client.get("/away").headers["Location"] == "/t/ABCD"
    assert client.get("/t/ABCD").text == "ABCD http://localhost/"


def test_nothing_is_remembered_in_a_session() -> None:
    made = app()
    answer = made.test_client().get("/remember")
    assert answer.text == "None" and "Set-Cookie" not in answer.headers
    with pytest.raises(RuntimeError, match="session is unavailable"):
        made.test_client().get("/write")
