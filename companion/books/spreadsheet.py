"""Tables as people send them: CSV with commas, semicolons or tabs, from any spreadsheet program, or pasted."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from companion.engine.cells import disarmed, rearm
from companion.engine.errors import Unreadable

LINES, WIDTH, FIELD = 3000, 300, 20_000
MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mai|okt|dez"
DATE = re.compile(
    rf"\d{{1,2}}[-. /]({MONTHS})\w*\.?([-. /]\d{{2,4}})?|({MONTHS})\w*[-. /]\d{{1,4}}|\d{{4}}-\d\d-\d\d.*"
    r"|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}:\d\d(:\d\d)?( ?[ap]m)?",
    re.IGNORECASE,
)


def date_hint(text: str) -> str:
    """A closing sentence for what looks like a date that a spreadsheet program made of 1/2 or 3-1."""
    if not DATE.fullmatch(text.strip()):
        return ""
    return " A spreadsheet program took it for a date or time: format the cells as text before typing or opening."


def decode(data: bytes) -> str:
    """The text of a file, whatever program wrote it."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            raise _no_table() from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _no_table() -> Unreadable:
    return Unreadable(
        "This is not a table: save the sheet as CSV (UTF-8) in your spreadsheet program, then send that file"
    )


def read_table(text: str) -> list[list[str]]:
    """The lines of a CSV as cells; the separator is found out from the first line.

    :raises Unreadable: when it is empty, no text at all, or far too big
    """
    text = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    if "\0" in text or text.startswith("PK\x03\x04"):
        raise _no_table()
    if not text.strip():
        raise Unreadable("There is nothing in it: the first line names the columns")
    first = next(line for line in text.splitlines() if line.strip())
    sign = max("\t;,", key=lambda s: (first.count(s), s == ","))
    try:
        table = [
            [_unwrap(cell) for cell in line]
            for line in csv.reader(io.StringIO(text.lstrip("\r\n"), newline=""), delimiter=sign)
        ]
    except csv.Error as error:
        raise Unreadable(f"This is not a table that can be read: {error}") from None
    while table and not any(table[-1]):
        table.pop()
    if not table:  # a line of separators only
        raise Unreadable("There is nothing in it: the first line names the columns")
    if len(table) > LINES or max(map(len, table)) > WIDTH:
        raise Unreadable(f"That is too big: at most {LINES} lines of {WIDTH} columns")
    if any(len(cell) > FIELD for line in table for cell in line):
        raise Unreadable("One cell holds a whole book: a quotation mark was probably left open")
    return table


def _unwrap(cell: str) -> str:
    found = re.fullmatch(r'="(.*)"', cell.strip())
    return found[1] if found else rearm(cell.strip())


def write_table(lines: Iterable[Sequence[str]]) -> str:
    """CSV as every spreadsheet program reads it."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(map(disarmed, lines))
    return out.getvalue()
