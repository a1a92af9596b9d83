"""A noisy day: the record replays to the same state, and no seat ever sees a hidden name."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from companion.engine.errors import Mistake
from companion.engine.forms.fields import Context
from companion.engine.record.game import Game

Make = Callable[..., Any]


@pytest.mark.parametrize("scenario", ["kharkov-1942", "kharkov-1943", "black-snow"])
def test_random_days_replay(table: Make, scenario: str) -> None:
    """Answer every question somehow for two days: nothing crashes, and the record folds to the same table."""
    rng = random.Random(scenario)
    t = table(scenario)
    t.do("table", "set-up")
    for unit in rng.sample(sorted(t.game.units), 25):
        t.do(t.game.units[unit].side, "set-counter", unit=unit, attack=rng.randint(2, 8))
    while t.game.turn < 3 and not t.game.ended:
        act(t, rng)
        if not t.game.ended:
            t.next()
    wanted = json.loads(json.dumps(t.game.dump()))
    assert json.loads(json.dumps(t.replayed().dump())) == wanted
    snapshot = Game(t.kit, t.scenario, t.book).restore(wanted)
    assert json.loads(json.dumps(snapshot.dump())) == wanted


def act(t: Any, rng: random.Random) -> None:
    side = t.game.active
    if t.game.phase.startswith("air"):
        for seat in t.game.sides:
            left = t.game[f"air-{seat}"]
            if left and seat not in t.game.sealed.get(next(iter(t.game.sealed), ""), {}):
                foe = rng.choice([u.place for u in t.game.units.values() if u.on_map and u.side != seat])
                attempt(t, seat, "assign-air", mission_1="attack", hex_1=foe, sp_1=max(1, left // 2))
    if t.game.phase.startswith("attack"):
        for _ in range(4):
            mine = [u for u in t.game.units.values() if u.on_map and u.side == side]
            unit = rng.choice(mine)
            foes = [
                h
                for h in t.game.maps.neighbours(unit.place)
                if any(u.side != side for u in t.game.units_at(h))
            ]
            target = (
                rng.choice(foes) if foes else rng.choice([u.place for u in t.game.units.values() if u.on_map])
            )
            typed = {"attack_sp": "4"} if "A" not in unit.factors else {}
            attempt(t, side, "resolve-combat", target=target, attackers=unit.id, anyway=True, **typed)
            answers(t)
    if t.game.phase.startswith("supply"):
        mine = [u.id for u in t.game.units.values() if u.on_map and u.side == side]
        attempt(t, side, "check-supply", out=",".join(rng.sample(mine, 5)))
    answers(t)


def answers(t: Any) -> None:
    """Answer every card by the first that it offers; put away what needs more thought."""
    for _ in range(60):
        for ask in list(t.game.asked.values()):
            if ask.id not in t.game.asked or not t.game.is_live(ask):
                continue
            seat = next(s for s in ask.to if s in t.game.sides)
            try:
                t.do(seat, ask.action, _asked=ask.id, anyway=True, **filled(t, seat, ask))
            except Mistake:
                attempt(t, seat, "dismiss", ask=ask.id, how="done on the map")
        if not t.game.asked:
            return
    raise AssertionError(f"questions without end: {t.asks()}")


def filled(t: Any, seat: str, ask: Any) -> dict[str, Any]:
    """The first choice of every field that a card shows."""
    if ask.action == "enter-result":
        return {"result": "- / D1" if "Combat" in ask.text else "-1"}
    found = {}
    for row in t.rules.find(ask.action).describe(Context(t.game, seat, duty=ask)):
        if row.get("choices") and not row["hidden"]:
            found[row["name"]] = row["choices"][0]["value"]
        elif row["name"] in ("strengths", "defence_sp"):
            found[row["name"]] = " ".join("3" * (row["help"].count(",")))
    return found


def attempt(t: Any, seat: str, action: str, **fields: Any) -> None:
    try:
        t.do(seat, action, **fields)
    except Mistake:
        return


def test_set_up_under_fog_tells_the_enemy_nothing(table: Make) -> None:
    """Names of units under a stack's top counter, or waiting off the map, stay with their side."""
    t = table()
    t.do("table", "set-up")
    top = {stack[0].id for stack in t.game.stacks().values()}
    hidden = [u for u in t.game.units.values() if u.side == "german" and u.on_map and u.id not in top]
    assert hidden
    events = json.dumps(t.hears("soviet"))
    units = json.dumps(t.sees("soviet")["units"])
    for unit in hidden:
        assert f'"{unit.id}"' not in events
        assert f'"{unit.id}"' not in units
