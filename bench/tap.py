"""How many of the companion's functions one tap runs through: `python -m bench.tap`.

The tap is *Roll* on the combat form of Second Kharkov with typed factors, sent as a browser's form, and the refresh of
the screen that follows it. Each function counts once however often it is called; the calls are counted beside it.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Any

import companion
from companion.web.app import create_app
from companion.web.seats import token

PACKAGE = str(Path(companion.__file__).parent)
FORM = {
    "target": "2408",
    "attack": "24",
    "defence": "6",
    "terrain": "clear",
    "river": "none",
    "action_id": "one-tap",
}


@contextmanager
def counting() -> Iterator[Counter[CodeType]]:
    """The companion's functions that run inside, and how often."""
    seen: Counter[CodeType] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        named = not frame.f_code.co_name.startswith(
            "<"
        )  # a comprehension is a function only before Python 3.12
        if event == "call" and named and frame.f_code.co_filename.startswith(PACKAGE):
            seen[frame.f_code] += 1

    sys.setprofile(note)
    try:
        yield seen
    finally:
        sys.setprofile(None)


def measured(what: str, ask: Callable[[], Any]) -> set[CodeType]:
    with counting() as seen:
        answer = ask()
    print(f"{what}: {len(seen)} functions, {sum(seen.values())} calls (answer {answer.status_code})")
    return set(seen)


def main() -> None:
    with TemporaryDirectory() as folder:
        app = create_app(Path(folder), testing=True)
        tables = app.extensions["companion"]["tables"]
        code = tables.new("second-kharkov", "historical", {"fog": False})
        tables.act(
            code, "table", "go-to", {"turn": 1, "phase": "soviet-combat"}, revision=tables.game(code).revision
        )
        with app.test_request_context(base_url="http://table.test"):
            key = token(code, "soviet")
        client = app.test_client()
        headers = {"Authorization": f"Bearer {key}", "Origin": "http://table.test"}

        def tap() -> Any:
            sent = headers | {"HX-Request": "true", "HX-Target": "sheet"}
            return client.post(
                f"/t/{code}/soviet/do/resolve-combat", data=FORM, headers=sent, base_url="http://table.test"
            )

        def refresh() -> Any:
            sent = headers | {"HX-Request": "true", "HX-Target": "live"}
            return client.get(f"/t/{code}/soviet", headers=sent, base_url="http://table.test")

        refresh()
        together = measured("the tap", tap) | measured("the refresh", refresh)
        print(f"both: {len(together)} functions")
        app.extensions["companion"]["store"].close()


if __name__ == "__main__":
    main()
