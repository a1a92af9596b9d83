"""JSON as the store writes it: one text for one value, so that replays compare byte for byte."""

import hashlib
import json
from sys import intern
from typing import Any

from companion.store.interface import Json

_read = json.JSONDecoder().raw_decode
_told = json.JSONEncoder(sort_keys=True, separators=(",", ":"), default=repr).encode
_written = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def dump(value: Any) -> str:
    """Return the value's canonical JSON text.

    :raises ValueError: if JSON or UTF-8 cannot hold it
    """
    try:
        text = _written(value)
        # A lone surrogate passes json.dumps but would fail later, inside SQLite.
        text.encode()
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise ValueError(f"text holds half a character ({half!r}) and cannot be stored: remove it") from error
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"not storable as JSON: {error}") from error
    return text


def load(text: str) -> Any:
    """Return the value of a JSON text written by `dump`."""
    value, end = _read(text)
    return value if end == len(text) else json.loads(text)  # which says what is wrong with it


def load_kept(text: str) -> Any:
    """The same where much of it is kept: the same words, which are at hundreds of units of all tables, are one object."""
    value, end = _read_kept(text)
    return value if end == len(text) else json.loads(text)


def _sharing(pairs: list[tuple[str, Any]]) -> Json:
    return {name: intern(value) if type(value) is str else value for name, value in pairs}


_read_kept = json.JSONDecoder(object_pairs_hook=_sharing).raw_decode


def dump_object(value: Json, what: str) -> str:
    """Return the JSON text of an object, refusing any other value by name."""
    if not isinstance(value, dict):
        raise ValueError(f"{what} must be a JSON object, not {type(value).__name__}")
    return dump(value)


def dump_event(body: Json) -> tuple[str, str]:
    """Return an event's kind and its JSON text."""
    text = dump_object(body, "an event")
    kind = body.get("kind")
    if not isinstance(kind, str) or not kind:
        raise ValueError(f"an event needs a 'kind' that is a name, not {kind!r}: {text[:200]}")
    return kind, text


def digest(*parts: Any) -> str:
    """Return a fingerprint of these values: the same for the same values, whatever the order of their keys."""
    # Not `dump`: what a client sent may hold half a character, and only has to be told from something else.
    return hashlib.sha256(_told(parts).encode()).hexdigest()
