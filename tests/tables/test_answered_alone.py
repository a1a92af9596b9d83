"""Duties that the companion answers by itself: a slip in a game's rules must not refuse what a player did."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from harness import SCENARIOS

from companion.store import open_store
from companion.tables.tables import Tables


def test_what_a_game_answers_wrongly_is_left_to_be_answered_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(tmp_path / "companion.db")
    tables = Tables(store, SCENARIOS)
    code = tables.new("second-kharkov", "historical", {"mode-dice": "either"})
    rules = tables.system("second-kharkov").rules
    losses = rules.actions["soviet-losses"]
    assert losses.follow_up is not None
    wrong = replace(losses, follow_up=replace(losses.follow_up, alone=lambda ctx: {"nonsense": 1}))
    monkeypatch.setitem(rules.actions, "soviet-losses", wrong)
    tables.act(code, "table", "go-to", {"turn": 1, "phase": "soviet-combat"}, revision=store.latest(code))
    tables.act(code, "soviet", "resolve-combat", {"attack": "1", "defence": "9"})
    tables.act(code, "soviet", "roll-dice", {"dice": "1d6"})
    (duty,) = tables.game(code).duties(action="soviet-losses")
    assert tables.game(code).dump() == tables.load(code).dump()
    tables.act(code, "soviet", "dismiss", {"ask": duty.id})
    assert not tables.game(code).duties()
    store.close()
