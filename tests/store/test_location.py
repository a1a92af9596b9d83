"""Warnings about folders in which a database is not safe."""

import pytest

from companion.store import unsafe_location

MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
nas:/games /mnt/nas nfs4 rw 0 0
//nas/club /mnt/club\\040games cifs rw 0 0
/dev/sdb1 /mnt/nas/local ext4 rw 0 0
broken
"""


@pytest.mark.parametrize(
    ("path", "service"),
    [
        ("/home/ann/Dropbox/games/companion.db", "Dropbox"),
        ("/home/ann/Dropbox (Personal)/companion.db", "Dropbox"),
        ("C:\\Users\\Ann\\OneDrive - Club\\companion.db", "OneDrive"),
        ("/Users/ann/Library/Mobile Documents/com~apple~CloudDocs/companion.db", "iCloud"),
        ("C:\\Users\\Ann\\iCloudDrive\\companion.db", "iCloud"),
        ("/Users/ann/Google Drive/companion.db", "Google Drive"),
        ("/Users/ann/Library/CloudStorage/Box-Box/companion.db", "a cloud service"),
        ("/home/ann/Nextcloud/companion.db", "Nextcloud"),
    ],
)
def test_synced_folders_are_named_with_the_remedy(path, service):
    warning = unsafe_location(path, mounts="")
    assert warning is not None
    assert f"synced by {service}" in warning and path in warning and "--data" in warning


@pytest.mark.parametrize(
    "path", ["/mnt/nas/companion.db", "/mnt/club games/x/companion.db", "\\\\nas\\club\\c.db"]
)
def test_network_folders_are_named(path):
    assert "network" in (unsafe_location(path, mounts=MOUNTS) or "")


@pytest.mark.parametrize(
    "path", ["/home/ann/companion.db", "/mnt/nas/local/c.db", "/mnt/nastier/c.db", "/home/dropboxer/c.db"]
)
def test_ordinary_folders_are_not(path):
    assert unsafe_location(path, mounts=MOUNTS) is None


def test_the_machines_own_mounts_are_read(tmp_path):
    warning = unsafe_location(tmp_path / "companion.db")
    assert warning is None or "network" in warning
