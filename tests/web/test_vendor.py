import hashlib
import re

from companion.resources import STATIC

VENDOR = STATIC / "vendor"
LISTED = dict(re.findall(r"\| `([^`]+)` \|.*\| `([0-9a-f]{64})` \|", (VENDOR / "README.md").read_text()))


def test_every_vendored_file_is_the_one_listed():
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in VENDOR.glob("*.js")}
    assert found == LISTED
    assert len(found) == 2


def test_the_file_name_carries_the_version_listed():
    for name, version in re.findall(r"\| `([^`]+)` \| \S+ \| (\S+) \|", (VENDOR / "README.md").read_text()):
        assert f"-{version}.min.js" in name
