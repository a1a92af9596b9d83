"""Sealed saves: a whole game in a file that its holder cannot read.

A file key encrypts the game. It is wrapped twice: under the installation's secret, so that the installation that made
the file opens it by itself, and under the restore keys of all sides together, so that any other one opens it once
every player has given his. Fernet (AES-128-CBC with HMAC-SHA256) does the encrypting; nothing of it is our own.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion.engine.errors import Unreadable
from companion.limits import UPLOAD_BYTES
from companion.tables.background import in_turn

SEALED = "sealed"
FORMAT = 1
LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
KEY_LENGTH = 10
"""Fifty bits a side: with the cost below, guessing the other side's key takes longer than any game is remembered."""

MOST_OPENED = UPLOAD_BYTES
"""What a whole export may have, too."""
COST = {"n": 2**15, "r": 8, "p": 1, "maxmem": 64 * 1024 * 1024}
CLOSED = ("salt", "here", "keys", "sealed")
"""What is written on the file for the companion; everything else is for people."""


class NeedsKeys(Unreadable):
    """The restore keys of all sides are needed, because the file was made elsewhere or its game is still here."""

    def __init__(self, header: Header, here: str = "") -> None:
        where = (
            f"this game is still here as table {here}; a second one"
            if here
            else "this file was saved elsewhere; it"
        )
        super().__init__(
            f"{where} is restored with the keys of both sides: {' and '.join(header.sides)}", field="key"
        )
        self.header = header
        self.here = here
        """The table where the game still is; empty when it was saved by another installation."""


class WrongKeys(Unreadable):
    """The keys given do not open the file."""


@dataclass(frozen=True)
class Header:
    """What anybody may read on a sealed file."""

    code: str
    system: str
    scenario: str
    title: str
    now: str
    """Turn and phase in words."""
    sides: tuple[str, ...]
    """The names of the sides whose keys open it; none when it was played solo."""
    saved_at: str


def restore_key(secret: bytes, code: str, side: str) -> str:
    """A side's part of what opens its table's saves elsewhere, as it is written: K7QM4-TRX2B."""
    digest = hmac.digest(secret, "\0".join(["restore", code.lower(), side]).encode(), "sha256")
    number = int.from_bytes(digest)
    letters = "".join(LETTERS[number >> (5 * i) & 31] for i in range(KEY_LENGTH))
    return f"{letters[:5]}-{letters[5:]}"


def read_key(typed: str, whose: str = "restore key") -> str:
    """A typed restore key as it was meant: any case, any spaces and dashes, O for 0, I and L for 1.

    :raises WrongKeys: when it cannot be one
    """
    letters = "".join(c for c in typed.upper() if c.isalnum()).translate(str.maketrans("OIL", "011"))
    if len(letters) != KEY_LENGTH or not set(letters) <= set(LETTERS):
        raise WrongKeys(
            f"{whose}: {typed.strip()[:30]!r} is no restore key. It has {KEY_LENGTH} letters and digits, like K7QM4-TRX2B.",
            field="key",
        )
    return letters


def is_sealed(copy: Any) -> bool:
    """Whether a file's content is a sealed save."""
    return isinstance(copy, dict) and copy.get("copy") == SEALED and "sealed" in copy


def seal(
    header: Mapping[str, Any], inside: Mapping[str, Any], secret: bytes, keys: Sequence[str]
) -> dict[str, Any]:
    """Close a game in a file.

    :param header: what anybody may read
    :param keys: the restore keys of all sides; none when there is nobody to hide anything from
    """
    fernet = _fernet()
    body = {"header": dict(header), **inside}
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
    if len(text) > MOST_OPENED:
        raise Unreadable(
            "This game is too long for one file. Ask the host for a backup of all games instead."
        )
    file_key, salt = fernet.generate_key(), os.urandom(16)
    return {
        **header,
        "salt": salt.hex(),
        "here": fernet(_own_key(secret)).encrypt(file_key).decode(),
        "keys": fernet(_shared_key(keys, salt)).encrypt(file_key).decode(),
        "sealed": fernet(file_key).encrypt(zlib.compress(text, 6)).decode(),
    }


def header_of(copy: Mapping[str, Any]) -> Header:
    """What is written on a sealed file, checked."""
    if copy.get("companion") != FORMAT:
        raise Unreadable(
            f"this sealed save has format {str(copy.get('companion'))[:20]!r}; this companion reads format {FORMAT}"
        )
    sides = copy.get("sides")
    words = {name: copy.get(name) for name in ("code", "system", "scenario", "title", "now", "saved_at")}
    secret = [copy.get(name) for name in ("salt", "here", "keys", "sealed")]
    if (
        not isinstance(sides, list)
        or len(sides) > 8
        or not all(isinstance(value, str) for value in (*words.values(), *secret, *sides))
    ):
        raise Unreadable("this sealed save is incomplete: save the game again, or take an older save")
    return Header(**{k: str(v)[:120] for k, v in words.items()}, sides=tuple(s[:60] for s in sides))


def made_here(copy: Mapping[str, Any], secret: bytes) -> bool:
    """Whether this installation sealed the file."""
    header_of(copy)
    return _unwrapped(copy["here"], _own_key(secret)) is not None


def open_here(copy: Mapping[str, Any], secret: bytes) -> dict[str, Any]:
    """The game in a file that this installation made, or that was played solo.

    :raises NeedsKeys: when it was made elsewhere
    """
    header = header_of(copy)
    file_key = _unwrapped(copy["here"], _own_key(secret))
    if file_key is None and header.sides:
        raise NeedsKeys(header)
    if file_key is None:
        return open_with(copy, [])
    return _opened(copy, file_key)


def open_with(copy: Mapping[str, Any], typed: Sequence[str]) -> dict[str, Any]:
    """The game in a file that the restore keys of all its sides open, in whatever order they are given.

    :raises WrongKeys: when they do not
    """
    header = header_of(copy)
    if len(typed) != len(header.sides):
        raise WrongKeys(
            f"This file needs {len(header.sides)} restore keys: {' and '.join(header.sides)}.", field="key"
        )
    keys = [read_key(key, side) for side, key in zip(header.sides, typed, strict=True)]
    file_key = _unwrapped(copy["keys"], _shared_key(keys, _salt(copy)))
    if file_key is None:
        raise WrongKeys(
            "These keys do not open this file. Each side finds its key on its own phone, under More, Save: "
            "it must be the key of this table, and of the machine that saved the file.",
            field="key",
        )
    return _opened(copy, file_key)


def _written_on(copy: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in copy.items() if name not in CLOSED}


def _fernet() -> Any:
    try:
        from cryptography.fernet import Fernet
    except ImportError as problem:
        raise Unreadable(
            "Sealed saves need the Python package 'cryptography', which is missing or broken on this machine: "
            "install it, or ask the host for a backup"
        ) from problem
    return Fernet


def _own_key(secret: bytes) -> bytes:
    return base64.urlsafe_b64encode(hmac.digest(secret, b"companion sealed save", "sha256"))


def _shared_key(keys: Sequence[str], salt: bytes) -> bytes:
    """Slow on purpose: what makes guessing a key not worth it."""
    words = b"companion\0" + "\0".join(sorted(read_key(key) for key in keys)).encode()
    # Each derivation takes 32 MB and a tenth of a second: one at a time, and not in the server's loop.
    return base64.urlsafe_b64encode(in_turn(lambda: hashlib.scrypt(words, salt=salt, dklen=32, **COST)))


def _salt(copy: Mapping[str, Any]) -> bytes:
    try:
        salt = bytes.fromhex(copy["salt"])
    except ValueError:
        salt = b""
    if len(salt) != 16:
        raise Unreadable("this sealed save is incomplete: save the game again, or take an older save")
    return salt


def _unwrapped(wrapped: str, key: bytes) -> bytes | None:
    fernet = _fernet()
    from cryptography.fernet import InvalidToken

    try:
        found: bytes = fernet(key).decrypt(wrapped.encode())
    except (InvalidToken, ValueError):  # not this key, or nothing that Fernet wrote
        return None
    return found


def _opened(copy: Mapping[str, Any], file_key: bytes) -> dict[str, Any]:
    changed = Unreadable(
        "this sealed save was changed or damaged after it was made: take another copy of the file"
    )
    packed = _unwrapped(copy["sealed"], file_key)
    if packed is None:
        raise changed
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(packed, MOST_OPENED)
    except zlib.error:
        raise changed from None
    if unpacker.unconsumed_tail:
        raise Unreadable(f"this sealed save holds more than {MOST_OPENED >> 20} MB: no game is that long")
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        raise changed from None
    if not isinstance(body, dict) or body.pop("header", None) != _written_on(copy):
        raise changed
    return body
