"""The head of a request, read in one go where it is plain.

gevent gives it to the reader of Python's mail library, which goes through all that a letter may have: half of what a
small request costs. What browsers send is plain, line for line a name and printable ASCII. Every other head is read as
gevent reads it, so that nothing odd is understood in another way than before.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from io import BytesIO
from typing import Any, BinaryIO

LINES, LONGEST = 100, 65_536
"""As many as the library takes, and so long; beyond that it refuses them in its own words."""
_PLAIN = re.compile(rb"(?:[A-Za-z0-9-]+:[\t -~]*\r\n)*\r\n")
_FIELD = re.compile(r"([^:]+):[\t ]*(.*)\r\n")
_ENDS = (b"\r\n", b"\n", b"")


class Head:
    """The fields of a plain head, as far as gevent looks at them."""

    __slots__ = ("_fields", "headers")
    status = ""
    """What is wrong with it: nothing."""

    def __init__(self, head: bytes) -> None:
        text = head.decode("ascii").removesuffix("\r\n")
        self.headers = text.splitlines(keepends=True)
        """Its lines."""
        # Of several of a name the first counts, as in the library; what becomes of all of them is seen in its lines.
        self._fields = {name.lower(): value for name, value in reversed(_FIELD.findall(text))}

    def get(self, name: str, default: Any = None) -> Any:
        """A field's value, by its name in any case."""
        return self._fields.get(name.lower(), default)

    getheader = get

    def __delitem__(self, name: str) -> None:
        self._fields.pop(name.lower(), None)

    @property
    def typeheader(self) -> str | None:
        """What kind of body follows."""
        return self._fields.get("content-type")


def read(source: BinaryIO, otherwise: Callable[[BinaryIO], Any]) -> Any:
    """The head that comes next.

    :param otherwise: reads those that are not plain
    """
    lines: list[bytes] = []
    while len(lines) <= LINES:
        line = source.readline(LONGEST + 1)
        lines.append(line)
        if line in _ENDS or len(line) > LONGEST:
            break
    head = b"".join(lines)
    if len(lines) <= LINES and _PLAIN.fullmatch(head):
        return Head(head)
    return otherwise(BytesIO(head))
