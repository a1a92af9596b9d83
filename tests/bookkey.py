"""The key of the chart book, for tests that fill it in without sitting at a table."""

import http.client
import urllib.parse
from urllib.parse import urlsplit

from flask import Flask
from flask.testing import FlaskClient

from companion.web.book import lock

WORDS = "red star rising"
HASH = "0" * 64


def give_key(app: Flask, client: FlaskClient) -> FlaskClient:
    """Let this client write in the book; without a passphrase it gets one that nobody knows, at no cost."""
    store = app.extensions["companion"]["store"]
    if not store.setting_get(lock.BOOK.setting):
        store.setting_put(lock.BOOK.setting, {"salt": "00", "hash": HASH, "seats": True})
    with app.test_request_context():
        key = lock.BOOK.key(store.setting_get(lock.BOOK.setting))
    client.set_cookie(lock.BOOK.cookie, key, path="/book")
    return client


def unlocked(url: str, words: str) -> str:
    """The key that a running server hands out for its passphrase."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
    body = urllib.parse.urlencode({"do": "unlock", "passphrase": words})
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Origin": url}
    connection.request("POST", "/book/lock", body, headers)
    answer = connection.getresponse()
    cookie = answer.getheader("Set-Cookie") or ""
    connection.close()
    assert answer.status == 303 and cookie.startswith(f"{lock.BOOK.cookie}="), answer.status
    return cookie.split(";")[0].removeprefix(f"{lock.BOOK.cookie}=")
