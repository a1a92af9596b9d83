"""The companion with the toy alone on its shelf, for a browser: `python tests/toyserver.py serve --data FOLDER`."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

from gevent import monkey

monkey.patch_all()  # as `companion serve` does, before anything imports sockets or sqlite3

from companion import resources  # noqa: E402


def main() -> int:
    with TemporaryDirectory(prefix="toyserver-") as folder:
        resources.SCENARIOS = Path(folder)  # before anything reads it
        from toykit import toy_rules, write_kit

        from companion import cli, systems

        write_kit(Path(folder) / "toy")
        module = ModuleType("companion.systems.toy")
        module.__spec__ = ModuleSpec("companion.systems.toy", None)
        module.rules = toy_rules()  # type: ignore[attr-defined]
        sys.modules["companion.systems.toy"] = module
        systems.IDS = (*systems.IDS, "toy")
        return cli.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
