"""What must hold whatever is played: nothing is lost or spent twice, and the sheets explain themselves."""

from __future__ import annotations

from typing import Any

import pytest
from harness import SCENARIOS, Bench, bare
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.engine.errors import Mistake
from companion.engine.kit.roster import Unit
from companion.systems import find_system
from companion.systems.wb95 import rules
from companion.systems.wb95.grammar import retreat_choices
from companion.systems.wb95.losses import shares
from companion.systems.wb95.moments import Moment, written
from companion.systems.wb95.ratio import COLUMNS, shifted, start_column

strengths = st.integers(1, 120)


@given(strengths, strengths, st.integers(0, 12), st.integers(0, 12))
def test_columns_stay_on_the_table_and_more_strength_never_hurts(
    a: int, d: int, plus: int, minus: int
) -> None:
    column = shifted(start_column(a, d), plus, minus)[1]
    assert 0 <= column < len(COLUMNS)
    assert shifted(start_column(a + 1, d), plus, minus)[1] >= column
    assert shifted(start_column(a, d + 1), plus, minus)[1] <= column
    assert shifted(start_column(a, d), plus, minus + 1)[1] <= column


@given(st.integers(1, 5), st.booleans())
def test_every_hex_of_a_retreat_is_gone_or_paid(hexes: int, fixed: bool) -> None:
    for go, pay in retreat_choices(hexes, fixed):
        assert go + pay == hexes or (fixed and go + pay in (hexes - 1, hexes))


@given(st.lists(st.integers(1, 4), min_size=1, max_size=6), st.integers(0, 20))
def test_losses_are_dealt_exactly(steps: list[int], cel: int) -> None:
    units = [Unit(f"u{n}", "german", steps=s) for n, s in enumerate(steps)]
    taken = shares(units, cel)
    assert sum(taken.values()) == min(cel, sum(steps))
    assert all(0 < taken[u.id] <= u.steps for u in units if u.id in taken)


plans = st.lists(
    st.tuples(
        st.sampled_from(["support", "attack"]), st.sampled_from(["2020", "2525", "3030"]), st.integers(1, 9)
    ),
    max_size=3,
)


@settings(max_examples=25, deadline=None)
@given(plans, plans, plans)
def test_air_points_are_conserved_over_a_day(first: Any, second: Any, third: Any) -> None:
    """What a side flies in both air phases never exceeds its day's points, and the track tells the rest."""
    t = Bench("wb95", "kharkov-1942")
    t.until("air-a", 6)
    flown = 0
    for phase, plan in (("air-a", first), ("air-b", second), ("air-b", third)):
        t.until(phase, 6)
        wanted = sum(sp for _, _, sp in plan)
        text = "\n".join(f"{m} {h} {sp}" for m, h, sp in plan)
        try:
            t.do("german", "assign-air", more=text)
            t.do("soviet", "assign-air")
        except Mistake:
            continue
        flown += wanted
        assert t.game["air-german"] == 10 - flown
    assert 0 <= t.game["air-german"] <= 10


CALLS: dict[str, dict[str, Any]] = {
    "combat": {"attack": 17, "defence": 8, "terrain": "forest", "fort": "ff", "attack_stars": "black 1"},
    "air-attack": {"sp": 9, "terrain": "hills"},
    "hindered": {"per_hex": 2},
    "ranged-fire": {"sp": 9, "terrain": "hills"},
    "object-attack": {"sp": 9},
    "stack-entry": {"cost": "2", "cel": 20},
    "zone-change": {"printed": "C", "wanted": "D"},
    "allowance": {"mp": 7, "out_of_supply": True},
    "hex-cost": {"terrain": "forest"},
    "overrun-cost": {"guns": 2},
}


@pytest.mark.parametrize("name", sorted(CALLS))
def test_worksheets_work_without_a_table(name: str) -> None:
    """The command line has no table: the printed figures and suggested readings are used."""
    sheet = rules.worksheets[name].work(CALLS[name], bare("wb95"))
    assert sheet.lines


def test_what_is_typed_decides_without_a_table() -> None:
    """No option of a table stands against it, as *Artillery barrage* would."""
    sheet = rules.worksheets["ranged-fire"].work({"sp": 4, "barrage": True}, bare("wb95"))
    assert (sheet.facts["strength"], sheet.column) == (8, "6-8")


moments = st.builds(Moment, st.integers(1, 22), st.integers(1, 12))


@given(moments, moments)
def test_moments_are_kept_as_numbers_in_their_order(first: Moment, second: Moment) -> None:
    assert Moment.of(int(first)) == first
    assert (int(first) < int(second)) == (first < second)
    assert written(f"5 CM: {first}, {second}") == [first, second]  # as early records wrote them


@pytest.mark.parametrize("text", ["True", "None", "day 3", "until noon, at 3010", "5 CM: tomorrow"])
def test_markers_laid_by_hand_say_nothing_more(text: str) -> None:
    assert written(text) == []


def test_every_line_of_a_checklist_names_its_rule() -> None:
    kit = find_system("wb95", SCENARIOS).kit
    assert all(line.rule for phase in kit.system.phases for line in phase.checklist)


def test_every_option_has_its_question() -> None:
    kit = find_system("wb95", SCENARIOS).kit
    scenario_options = [o for s in kit.scenarios.values() for o in s.options]
    for option in (*kit.system.options, *scenario_options):
        assert option.text
        assert option.rule
        assert not option.choices or option.default in {c.id for c in option.choices}
