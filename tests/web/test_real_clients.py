"""Real clients on a real server, some of them impatient: a tap counts once, however often it is sent."""

import threading
from pathlib import Path

import pytest

from bench.liveserver import LiveServer, LiveTable

pytestmark = pytest.mark.slow
CLIENTS, TAPS = 8, 12


def test_a_hall_of_clients_taps_at_once_and_some_taps_twice(tmp_path: Path) -> None:
    answers: dict[str, list[dict]] = {}
    lock = threading.Lock()
    with LiveServer(tmp_path / "data") as server:
        table = LiveTable(server)

        def player(number: int) -> None:
            for tap in range(TAPS):
                act = f"client-{number}-tap-{tap}"
                for _ in range(2 if tap % 3 == 0 else 1):  # an impatient thumb, or a retry over bad Wi-Fi
                    answer = table.roll(act, "soviet" if number % 2 else "german")
                    with lock:
                        answers.setdefault(act, []).append(answer)

        players = [threading.Thread(target=player, args=(n,)) for n in range(CLIENTS)]
        for one in players:
            one.start()
        for one in players:
            one.join(60)
        assert sorted(table.rolled()) == sorted(answers)  # each tap once, none lost
    assert all(first == again for first, *rest in answers.values() for again in rest)
    assert len(answers) == CLIENTS * TAPS
