"""Scripts and styles are asked for by what is in them: after an upgrade no phone goes on with an old one."""

import re
from hashlib import blake2b

from flask import Flask

from companion.resources import STATIC


def test_the_address_of_every_script_and_style_changes_with_its_content(app: Flask) -> None:
    page = app.test_client().get("/").text
    found = re.findall(r'(?:src|href)="/static/([^"?]+\.(?:js|css))([^"]*)"', page)
    assert {"live.js", "app.css"} <= {name for name, _ in found}
    for name, version in found:
        assert version == f"?v={blake2b((STATIC / name).read_bytes(), digest_size=5).hexdigest()}", name


def test_a_font_keeps_the_address_that_the_styles_ask_for(app: Flask) -> None:
    page = app.test_client().get("/").text
    assert re.findall(r'href="/static/fonts/[^"]+\.woff2"', page) and ".woff2?" not in page
