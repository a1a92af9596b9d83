"""Folders in which a database is not safe: WAL needs shared memory, which networks and syncing break."""

import os
import sys
from pathlib import Path, PureWindowsPath

_SYNCED = {
    "dropbox": "Dropbox",
    "onedrive": "OneDrive",
    "icloud": "iCloud",
    "mobile documents": "iCloud",
    "com~apple~clouddocs": "iCloud",
    "google drive": "Google Drive",
    "googledrive": "Google Drive",
    "google-drive": "Google Drive",
    "my drive": "Google Drive",
    "cloudstorage": "a cloud service",
    "nextcloud": "Nextcloud",
    "owncloud": "ownCloud",
    "pcloud": "pCloud",
    "megasync": "MEGA",
    "box sync": "Box",
    "syncthing": "Syncthing",
}
_NETWORK = {
    "nfs",
    "nfs4",
    "cifs",
    "smbfs",
    "smb3",
    "9p",
    "afs",
    "ncpfs",
    "davfs",
    "fuse.sshfs",
    "fuse.rclone",
}


def unsafe_location(path: str | Path, *, mounts: str | None = None) -> str | None:
    """Return a warning when the file would lie in a network or cloud-synced folder, else None.

    :param mounts: the text of Linux's mount table; None reads the machine's own
    """
    where = _cloud(str(path)) or _network(str(path), _mount_table() if mounts is None else mounts)
    if where is None:
        return None
    return (
        f"{path} lies in {where}. A database there can be damaged when two machines touch it: "
        "keep the data on this machine's own disk (--data FOLDER) and copy backups there instead"
    )


def _cloud(path: str) -> str | None:
    # A Windows path splits at both kinds of slash, so it serves for every system's names.
    for part in PureWindowsPath(os.path.abspath(path)).parts:
        for name, service in _SYNCED.items():
            if part.casefold() == name or part.casefold().startswith(
                (name + " ", name + "-", name + "drive")
            ):
                return f"a folder synced by {service}"
    return None


def _network(path: str, mounts: str) -> str | None:
    if path.startswith(("\\\\", "//")) and not path.startswith(("\\\\?\\", "\\\\.\\")):
        return "a network share"
    real = os.path.realpath(path)
    found, kind = "", ""
    for line in mounts.splitlines():
        fields = line.split()
        if len(fields) < 3:
            continue
        # The mount table writes a space in a folder's name as \040.
        point = fields[1].replace("\\040", " ")
        inside = real == point or real.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(found):
            found, kind = point, fields[2]
    return f"a network folder ({kind}, mounted on {found})" if kind in _NETWORK else None


def _mount_table() -> str:
    if not sys.platform.startswith("linux"):
        return ""
    try:
        return Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
