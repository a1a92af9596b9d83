"""Nothing that lies in a stack reaches another seat: not in hints, not in prompts, not on the shared screen [16.1]."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from harness import refused

from companion.engine.errors import Mistake, Unreadable
from companion.engine.seat.words import describe
from companion.systems.wb95 import oos
from companion.systems.wb95.losses import owe_losses
from companion.systems.wb95.shaken import owe_tests

Make = Callable[..., Any]
PLACE = "2510"


def stacked(table: Make, **options: Any) -> Any:
    """A German stack whose lower formation is secret."""
    t = table("black-snow", **options)
    t.unit("german", "Grossgeheim", PLACE, cel=4)
    t.unit("german", "Oben", PLACE, cel=2)
    return t


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("set-supply", {"units": "{}", "now": 2}),
        ("disorganise", {"units": "{}"}),
        ("set-counter", {"unit": "{}", "attack": 3}),
        ("lose-cel", {"cel": 1, "units": "{}"}),
        ("test-order", {"units": "{}"}),
        ("open-formation", {"unit": "{}", "counters": "a b"}),
    ],
)
@pytest.mark.parametrize("name", ["Grossgehei", "german-grossgehei", "nobody"])
def test_no_refusal_on_the_shared_screen_names_a_hidden_formation(
    table: Make, action: str, fields: dict[str, Any], name: str
) -> None:
    t = stacked(table)
    given = {k: v.format(name) if isinstance(v, str) else v for k, v in fields.items()}
    with pytest.raises(Mistake) as wrong:
        t.do("table", action, **given)
    assert "grossgeheim" not in json.dumps(wrong.value.to_json()).lower()


def test_losses_are_named_as_far_as_the_seat_may_look(table: Make) -> None:
    """5.1.8: the shared screen names the top counter and sends to the owner's phone for the rest."""
    t = stacked(table)
    words = {}
    for event in owe_losses(t.game, "german", 1, [u.id for u in t.game.units_at(PLACE)], "bombs", "tables"):
        t.record(event)
    for seat in ("table", "german"):
        with refused(Unreadable, rule="5.1.8", field="units") as wrong:
            t.settle(seat, "take-losses")
        words[seat] = wrong.value.message
    assert "Oben (2), the others on the German phone" in words["table"]
    assert "Grossgeheim (4)" in words["german"]


def test_a_test_for_a_formation_is_asked_of_its_side_alone(table: Make) -> None:
    """5.5: where each unit tests, the question names it; so it does not lie on the shared screen."""
    t = stacked(table, test_for="unit")
    asked = list(owe_tests(t.game, "german", 1, t.game.units_at(PLACE), "fell back 2", "5.3.9"))
    assert any("Grossgeheim" in a.text for a in asked)
    for event in asked:
        assert event.to == ("german",)
        for seat in ("table", "soviet", "watch"):
            assert "grossgeheim" not in json.dumps(event.seen_by(seat)).lower()


def test_a_surrender_test_does_not_tell_the_shared_screen_what_stands_there(table: Make) -> None:
    """10.2.6."""
    t = stacked(table)
    t.do("german", "set-supply", units="german-grossgeheim", now=5)
    (ask,) = oos._owe_surrender(t.game, [t.game.units["german-grossgeheim"]])
    assert ask.to == ("german",)
    assert "grossgeheim" not in json.dumps(ask.seen_by("table")).lower()


@pytest.mark.parametrize("seat", ["table", "soviet", "watch"])
def test_who_is_set_aside_for_strategic_movement_is_his_sides_business(table: Make, seat: str) -> None:
    """12.1.4: its mark is hidden, so no other screen lists it, not even by its hex."""
    t = stacked(table)
    phase = next(p.id for p in t.game.kit.phases if p.id.startswith("move") and t.game.side_of(p) == "german")
    t.until(phase)
    t.do("german", "mark-strategic", units="german-grossgeheim")

    assert t.panel("german", "Strategic movement")
    assert not t.panel(seat, "Strategic movement")
    t.until(phase.replace("-a", "-b") if phase.endswith("-a") else phase.replace("-b", "-a"))
    assert not t.panel(seat, "Strategic movement"), "in the other side's phase neither"


def test_the_supply_check_on_the_shared_screen_judges_hidden_units_by_the_trace(
    table: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """10.2.1: they cannot be ticked there, and must not come back into supply for that."""
    t = stacked(table)
    t.do("german", "set-supply", units="german-grossgeheim", now=2)
    phase = next(
        p.id for p in t.game.kit.phases if p.id.startswith("supply") and t.game.side_of(p) == "german"
    )
    t.until(phase)
    monkeypatch.setattr(oos, "_cut_off", lambda ctx: ["german-grossgeheim", "german-oben"])
    t.do("table", "check-supply", out="german-oben")
    assert (t.mark("german-grossgeheim", "oos"), t.mark("german-oben", "oos")) == (2, 1)


def test_a_masked_stack_is_marked_and_not_named(table: Make) -> None:
    """16.1.2."""
    t = stacked(table, masking=True)
    done = t.do("german", "mask-stack", hexes=PLACE)
    lines = " ".join(describe(event.seen_by("soviet"), t.game) for event in done)
    assert "Oben" not in lines and "Grossgeheim" not in lines
    assert t.shown("table", "set-counter")["unit"]["choices"] == []


# -- battles


def heard(t: Any, seat: str) -> str:
    return json.dumps([t.hears(seat), t.sees(seat)])


def test_guns_that_fire_from_a_closed_stack_stay_in_it(table: Make) -> None:
    """16.1.1: neither side's supporting guns are named to the other, nor on the shared screen."""
    t = table(phase="attack-a")
    t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "landser", "3011", a=4)
    for side, place in (("soviet", "3008"), ("german", "3013")):
        t.unit(side, f"{side} geheim", place, kind="ART", a=3, d=3, cel=1)
        t.unit(side, f"{side} oben", place, a=1)
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles", attack_guns="soviet geheim")
    t.settle("german", "defend", guns="german geheim")
    t.settle("soviet", "roll-combat", die="3 4")
    for seat, other in (("soviet", "german"), ("german", "soviet")):
        for who in (seat, "table", "watch"):
            assert f"{other}-{other}-geheim" not in heard(t, who)
            assert f"{other} geheim" not in heard(t, who)
    assert t.breakdown["facts"]["attack"] == 12 and t.breakdown["facts"]["defence"] == 7


@pytest.mark.parametrize("die", ["1 1", "6 6"])
def test_bombs_open_no_stack(table: Make, die: str) -> None:
    """Air attacks take their toll of a stack that nobody may look into; its owner chooses on his own phone."""
    t = table()
    t.until("air-a", 6)
    t.unit("soviet", "geheim", PLACE, cel=4)
    t.unit("soviet", "oben", PLACE)
    t.do("german", "assign-air", mission_1="attack", hex_1=PLACE, sp_1=8)
    t.do("soviet", "assign-air")
    t.settle("german", "bomb-hex", die=die)
    assert t.duty("soviet", "take-losses")["to"] == ["soviet"]
    for who in ("german", "table", "watch"):
        assert "geheim" not in heard(t, who)
    t.settle("soviet", "take-losses", units="soviet-geheim")
    assert t.game.units["soviet-geheim"].steps == 3
    assert "geheim" not in heard(t, "german")


def test_the_calculation_is_shown_to_a_seat_from_what_it_may_know(table: Make) -> None:
    """Before the defender has spoken nothing of his reaches the attacker's screen."""
    t = table(phase="attack-a")
    t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "landser", "3011", a=4)
    t.unit("german", "geheim", "3013", kind="ART", a=3, d=3, cel=1)
    t.unit("german", "oben", "3013", a=1)
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles")
    for seat in ("soviet", "german", "table", "watch"):
        sheet = t.sees(seat)["battles"][-1]["sheet"]
        assert sheet["column"] == "2:1" and "geheim" not in json.dumps(sheet)
    assert "geheim" not in heard(t, "soviet")
