"""The hall's Wi-Fi, as a phone's camera reads it from a card."""

from __future__ import annotations

from dataclasses import dataclass

from companion.engine.errors import Unreadable

KINDS = {"WPA": "WPA or WPA2, WPA3", "WEP": "WEP", "nopass": "open, without a password"}


@dataclass(frozen=True)
class Wifi:
    """A network; without a name it is on no card."""

    name: str = ""
    password: str = ""
    kind: str = "WPA"
    hidden: bool = False
    """Whether it does not tell its name by itself."""

    def code(self) -> str:
        """The text of its QR code: `WIFI:T:WPA;S:Hall;P:secret;;`."""
        secret = "" if self.kind == "nopass" else f"P:{_escaped(self.password)};"
        return f"WIFI:T:{self.kind};S:{_escaped(self.name)};{secret}{'H:true;' if self.hidden else ''};"


def _escaped(text: str) -> str:
    """The format's own signs with a backslash before them."""
    return "".join(f"\\{sign}" if sign in '\\;,:"' else sign for sign in text)


def read_wifi(name: str, password: str, kind: str, *, hidden: bool) -> Wifi:
    """A network as somebody typed it, checked as far as a phone would refuse it.

    :raises Unreadable: naming the field
    """
    name = name.strip()
    if kind not in KINDS:
        raise Unreadable(f"{kind[:20]!r} is no kind of Wi-Fi: {', '.join(KINDS)}", field="kind")
    if not name:
        return Wifi()
    if len(name.encode()) > 32:
        raise Unreadable("A Wi-Fi's name has at most 32 letters", field="name", given=name)
    if kind == "nopass":
        return Wifi(name, "", kind, hidden)
    if kind == "WPA" and not 8 <= len(password) <= 63:
        raise Unreadable("A WPA password has 8 to 63 characters", field="password")
    if not password or len(password) > 63:
        raise Unreadable("A WEP password is needed, of at most 63 characters", field="password")
    return Wifi(name, password, kind, hidden)
