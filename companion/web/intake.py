"""What a request may bring: limits enforced before its body is read, and numbers read from addresses."""

from __future__ import annotations

from typing import Any

from flask import Flask, Request, abort
from werkzeug.exceptions import RequestEntityTooLarge

from companion import limits
from companion.web.exchange import FORM, asked

UPLOADS = {"restoring.import_file", "book.merge_share"}
"""Where a whole game or a whole book is sent."""
SHEETS = {
    "book.save_sheet",
    "book.save_cells",
    "book.import_sheet",
    "book.import_roster",
    "map.type_facts",
    "map.import_facts",
    "map.import_file",
    "desk.enter_players",
    "desk.change_round",
    "desk.enter_results",
    "desk.found_tables",
}
"""Where a spreadsheet or a page full of cells is sent."""
POSITIONS = "import-positions"


class TooMuch(RequestEntityTooLarge):
    """More than this address takes, with how much that is."""

    def __init__(self, most: int) -> None:
        size = f"{most // (1024 * 1024)} MB" if most >= 1024 * 1024 else f"{most // 1024} KB"
        super().__init__(f"That is too much at once: at most {size} can be sent here.")


def allowed(asker: Request) -> tuple[int, int]:
    """How many bytes and how many named values the address of a request takes."""
    endpoint = asker.endpoint
    if endpoint in UPLOADS:
        return limits.UPLOAD_BYTES, limits.SHEET_FIELDS
    if endpoint in SHEETS or (asker.view_args or {}).get("name") == POSITIONS:
        return limits.SHEET_BYTES, limits.SHEET_FIELDS
    return limits.FORM_BYTES, limits.FORM_FIELDS


def init_app(app: Flask) -> None:
    """Check the size of every request before any of it is read."""
    app.config["MAX_CONTENT_LENGTH"] = limits.UPLOAD_BYTES
    app.config["MAX_FORM_MEMORY_SIZE"] = limits.UPLOAD_BYTES  # the size of the whole request counts
    app.config["MAX_FORM_PARTS"] = limits.SHEET_FIELDS

    @app.before_request
    def check_size() -> None:
        asker = asked()
        most, fields = allowed(asker)
        if len(asker.query_string) > limits.QUERY_LENGTH:
            abort(414, f"That address is too long: at most {limits.QUERY_LENGTH:,} characters.")
        try:
            asker.query_string.decode()
        except UnicodeDecodeError:
            abort(400, "That address holds bytes that are no characters. Type it again.")
        if asker.content_length is not None and asker.content_length > most:
            raise TooMuch(most)
        asker.max_content_length = most  # for a body that does not say how long it is
        asker.max_form_parts = fields
        if asker.mimetype == FORM:
            check_fields(asker.get_data(parse_form_data=False), fields)


def check_fields(body: bytes, most: int) -> None:
    """Refuse a form of too many fields before it is taken apart."""
    count = body.count(b"&") + 1
    if count > most:
        abort(413, f"{count:,} fields are too many: at most {most:,} can be sent here.")


def number(text: str | None) -> int | None:
    """A whole number from an address, 0 or more; None for anything else."""
    if not text or len(text) > limits.NUMBER_DIGITS or not (text.isascii() and text.isdecimal()):
        return None
    return int(text)


def depth(value: Any) -> int:
    """How deep a JSON value is nested, without going down itself so deep that it fails."""
    deepest, level = 0, [value]
    while level and deepest <= limits.JSON_DEPTH:
        deepest += 1
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
    return deepest
