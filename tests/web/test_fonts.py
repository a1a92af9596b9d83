"""The shipped fonts: the listed files, small, with every character of the pages, kept for good by a browser."""

import hashlib
import re

from companion.resources import SCENARIOS, STATIC, TEMPLATES

FONTS = STATIC / "fonts"
CSS = (STATIC / "app.css").read_text()
LISTED = {
    name: (int(size.replace(",", "")), digest)
    for name, size, digest in re.findall(
        r"\| `([^`]+)` \|[^|]+\| ([\d,]+) \| `([0-9a-f]{64})` \|", (FONTS / "README.md").read_text()
    )
}
BUDGET = 80_000


def files():
    return {path.name: path.read_bytes() for path in FONTS.glob("*.woff2")}


def test_every_font_is_the_one_listed():
    assert {name: (len(data), hashlib.sha256(data).hexdigest()) for name, data in files().items()} == LISTED


def test_the_fonts_together_are_small():
    assert 0 < sum(map(len, files().values())) < BUDGET


def test_a_font_s_name_changes_with_its_content():
    for name, (_, digest) in LISTED.items():
        assert name.endswith(f"-{digest[:8]}.woff2")


def test_every_family_lies_beside_its_licence():
    families = {name.split("-latin")[0] for name in LISTED if "-latin" in name}
    assert families == {"archivo", "archivo-narrow"}
    for family in families:
        licence = (FONTS / f"{family}-OFL.txt").read_text()
        assert "SIL OPEN FONT LICENSE Version 1.1" in licence
        assert (
            "Reserved Font Name" not in licence.split("PREAMBLE")[0]
        )  # with one, a subset would need another name


def test_pages_ask_for_the_files_that_are_there():
    faces = re.findall(r'url\("fonts/([^"]+)"\)', CSS)
    assert sorted(faces) == sorted(LISTED)
    preloaded = re.findall(r"filename='fonts/([^']+)'", (TEMPLATES / "base.html").read_text())
    assert preloaded == [name for name in faces if re.search(r"-latin-[0-9a-f]{8}", name)]


def test_the_fonts_cover_every_character_of_pages_and_kits():
    covered = set()
    for first, last in re.findall(r"U\+([0-9A-F]{4})(?:-([0-9A-F]{4}))?", CSS):
        covered |= set(range(int(first, 16), int(last or first, 16) + 1))
    package = STATIC.parent / "companion" if (STATIC.parent / "companion").is_dir() else STATIC.parent
    places = [(TEMPLATES, "*.html"), (STATIC, "*.css"), (STATIC, "*.js"), (SCENARIOS, "*.toml")]
    places += [(SCENARIOS, "*.csv"), (package, "*.py")]
    missing = {
        (sign, path.name)
        for folder, pattern in places
        for path in folder.rglob(pattern)
        for sign in path.read_text(encoding="utf-8")
        if ord(sign) > 0x1F and ord(sign) not in covered
    }
    assert not missing


def test_a_browser_may_use_the_fonts_and_keep_them(app):
    client = app.test_client()
    assert "font-src 'self'" in client.get("/").headers["Content-Security-Policy"]
    for name in LISTED:
        with client.get(f"/static/fonts/{name}") as answer:
            assert answer.status_code == 200
            assert answer.mimetype == "font/woff2"
            assert answer.cache_control.max_age == 365 * 24 * 3600
            assert answer.cache_control.immutable
            assert answer.cache_control.no_cache is None
    with client.get("/static/app.css") as answer:
        assert answer.cache_control.max_age == 3600
