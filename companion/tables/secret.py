"""The installation's secret: every seat's link and every sealed save is derived from it.

It lies in the database, so that a backup is complete: links that were handed out open their seats wherever the
backup is put back.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from companion.store import Store, StoreError

SETTING = "secret"
LENGTH = 32
OLD_FILE = "secret.key"


class BadSecret(StoreError):
    """The installation's secret cannot be read."""


def installation_secret(store: Store, folder: Path | None) -> bytes:
    """Return this installation's secret: the stored one, that of an older version's file, or a new one.

    :param folder: where the database lies; None where it lies in no folder of ours
    :raises BadSecret: if it is there and cannot be used
    """
    found = store.setting_get(SETTING)
    if found is None:
        secret = (folder and _of_older_version(folder / OLD_FILE)) or secrets.token_bytes(LENGTH)
        if folder is not None:
            _for_its_owner_only(folder)
        # Two processes may start at once: the first one's secret holds for both.
        found = store.setting_once(SETTING, secret.hex())
    try:
        secret = bytes.fromhex(str(found))
    except ValueError:
        secret = b""
    if len(secret) != LENGTH:
        raise BadSecret("The secret in the database was changed by hand: restore the newest backup")
    return secret


def _of_older_version(path: Path) -> bytes | None:
    """What an older version kept in a file of its own."""
    try:
        secret = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadSecret(
            f"{path} cannot be read ({error.strerror}): give the companion's account the right to"
        ) from None
    if len(secret) != LENGTH:
        raise BadSecret(
            f"{path} holds {len(secret)} bytes instead of {LENGTH}. Put it back from a copy, or delete it to have "
            "a new one made: every seat must then be joined again"
        )
    return secret


def _for_its_owner_only(folder: Path) -> None:
    """The database now holds what the file of an older version held: as closed to others as that was."""
    for name in ("companion.db", "companion.db-wal", "companion.db-shm"):
        with suppress(OSError):
            os.chmod(folder / name, 0o600)
