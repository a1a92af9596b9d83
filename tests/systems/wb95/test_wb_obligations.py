"""Mandatory attacks, headquarters, disorganisation clocks, masking [5.1, 5.6, 9.0, 16.0]."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from harness import refused

from companion.engine.errors import Unreadable
from companion.engine.positions.pieces import anybody_on_map
from companion.engine.record import events as e
from companion.systems.wb95.hq import pools
from companion.systems.wb95.obligations import duties
from companion.systems.wb95.zones import pressing, zones

Make = Callable[..., Any]


def owed(t: Any, side: str = "soviet") -> tuple[set[str], set[str]]:
    duty = duties(t.game, side)
    return {u.name for u in duty.must_attack}, {u.name for u in duty.must_be_attacked}


# -- 5.1.3-5.1.5


def test_example_a(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "tanks", "3010", a=4)
    t.unit("german", "landser", "3011", a=4)
    assert owed(t) == ({"tanks"}, {"landser"})


def test_only_zones_that_reach_somebody(table: Make) -> None:
    """Whoever stands away from the enemy presses nobody, until he comes up."""
    t = table(phase="move-a", fog=False)
    t.unit("soviet", "tanks", "3010", a=4)
    t.unit("german", "landser", "3011", a=4)
    far = t.unit("german", "reserve", "2020", a=4)
    assert [u.name for u in pressing(t.game, "german")["3010"]] == ["landser"]
    assert "2020" not in {u.place for units in pressing(t.game, "german").values() for u in units}
    t.do("german", "place-unit", unit=far, hex="3011")
    assert pressing(t.game, "german")["3010"] == zones(t.game, "german")["3010"]
    assert {u.name for u in pressing(t.game, "german")["3010"]} == {"landser", "reserve"}


def test_whoever_vouches_leaves(table: Make) -> None:
    """That somebody is on the map is known until the one that was seen there goes; then the others are looked at."""
    t = table(phase="move-a", fog=False)
    assert not anybody_on_map(t.game)
    first = t.unit("soviet", "tanks", "3010", a=4)
    second = t.unit("german", "landser", "2020", a=4)
    assert anybody_on_map(t.game)
    t.game.apply(e.Placed(first, "box:eliminated"))
    assert anybody_on_map(t.game)
    t.game.apply(e.Placed(second, "box:eliminated"))
    assert not anybody_on_map(t.game)


def test_example_b_swamp(table: Make, map_book: Make) -> None:
    """A motorised zone does not reach into swamp, the cavalry's reaches out of it."""
    t = table(phase="attack-a", fog=False, book=map_book("terrain,3011,,swamp"))
    t.unit("soviet", "mech", "3010", a=4, kind="MOT", klass="mechanized")
    t.unit("german", "rosiori", "3011", a=4, kind="CAV", klass="foot", troops="romanian")
    assert owed(t, "soviet") == ({"mech"}, {"rosiori"})
    assert owed(t, "german") == (set(), set())


def test_example_c_entrenched(table: Make) -> None:
    """Unit 1 is not entrenched: A and B must both be attacked, 2 and 3 need not attack."""
    t = table(phase="attack-a", fog=False)
    t.unit("german", "A", "3011")
    t.unit("german", "B", "2910")
    around = [h for h in t.game.maps.neighbours("3011") if t.game.maps.distance(h, "2910") > 1]
    beside_both = next(
        h for h in t.game.maps.neighbours("3011") if t.game.maps.distance(h, "2910") == 1 and h != "2910"
    )
    one = t.unit("soviet", "1", beside_both, a=4)
    for name, place in zip("23", around, strict=False):
        t.unit("soviet", name, place)
        t.do("table", "mark", marker="fort", hexes=place, value="ff")
    assert owed(t) == ({"1"}, {"A", "B"})
    t.do("soviet", "resolve-combat", target="2910", attackers=one, defence_sp="3", die="3 4")
    assert owed(t) == (set(), {"A"})  # 2 or 3 must attack A although entrenched


def test_fortified_units_alone_owe_nothing_unless_read_to_the_letter(table: Make) -> None:
    for literal in (False, True):
        t = table(phase="attack-a", fog=False, **{"entrenched-trigger": literal})
        t.unit("soviet", "dug in", "3010")
        t.unit("german", "landser", "3011")
        t.do("table", "mark", marker="fort", hexes="3010", value="ff")
        assert owed(t) == (set(), {"landser"} if literal else set())


def test_guns_and_headquarters_press_nobody(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010")
    t.unit("german", "gun", "3011", kind="ART", cel=1)
    t.unit("german", "HQ x", "2910", kind="HQ", cel=1)
    assert owed(t) == (set(), set())


def test_big_rivers_keep_sides_apart(table: Make, map_book: Make) -> None:
    t = table(phase="attack-a", fog=False, book=map_book("side,3010,3011,doniec"))
    t.unit("soviet", "rifles", "3010")
    t.unit("german", "landser", "3011")
    assert owed(t) == (set(), set())


def test_panel_names_hexes_only(table: Make) -> None:
    t = table(phase="attack-a")
    t.unit("soviet", "shadow rifles", "3010")
    t.unit("german", "shadow landser", "3011")
    for seat in ("soviet", "german", "table", "watch"):
        panel = t.panel(seat, "Attacks that must be made")
        assert list(panel.values())[:2] == ["3010", "3011"]
        assert "shadow" not in json.dumps(panel)


# -- headquarters


def pool(t: Any, side: str = "soviet") -> tuple[int, list[str]] | None:
    """The one pool of a side: what is left, and when it may be used."""
    found = pools(t.game, side)
    return (found[0].left, [str(m) for m in found[0].moments]) if found else None


def test_fallen_headquarters_example(table: Make) -> None:
    """9.1.6: lost in phase 4 of turn 5, used in phase 10 of turn 5 and phase 4 of turn 6."""
    t = table(fog=False)
    t.until("attack-a", 5)
    hq = t.unit("german", "HQ x", "3011", kind="HQ", cel=1)
    t.do("table", "lose-hq", unit=hq)
    assert pool(t) == (5, ["day 5 phase 10", "day 6 phase 4"])
    t.do("soviet", "resolve-combat", attack=4, defence=4, attack_pool=2, die="3 4")
    assert t.game.last_result["breakdown"]["column"] == "1:1"  # not yet: the field is not offered
    t.until("attack-b")
    t.do("german", "resolve-combat", target="3013", attack=8, defence=4, anyway=True)
    t.settle("soviet", "defend", shifts=2)  # the defender spends them on his own phone
    t.settle("german", "roll-combat", die="3 4")
    assert pool(t) == (3, ["day 5 phase 10", "day 6 phase 4"])
    assert t.breakdown["column"] == "1:2"
    t.until("attack-a", 6)
    with refused(Unreadable, rule="9.1.6, 9.1.7", field="attack_pool"):
        t.do(
            "soviet",
            "resolve-combat",
            target="3030",
            attack=4,
            defence=4,
            attack_pool=1,
            die="3 4",
            anyway=True,
        )
    t.do(
        "soviet", "resolve-combat", target="3019", attack=4, defence=4, attack_pool=3, die="3 4", anyway=True
    )
    assert t.mark("3011", "hq-pool-soviet") is None
    assert t.game.last_result["breakdown"]["column"] == "4:1"


def test_the_pool_expires(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    t.do("table", "lose-hq", side="german", hex="3011")
    t.until("attack-a", 2)
    assert t.mark("3011", "hq-pool-soviet")
    t.next()
    assert t.mark("3011", "hq-pool-soviet") is None


@pytest.mark.parametrize("opens", [True, False])
def test_headquarters_lost_in_movement(table: Make, opens: bool) -> None:
    t = table(phase="move-a", fog=False, **{"hq-pool-moving": opens})
    t.do("table", "lose-hq", side="german", hex="3011")
    assert pool(t) == ((5, ["day 1 phase 4", "day 1 phase 10"]) if opens else None)


def test_a_pool_put_right_by_hand_keeps_its_phases(table: Make) -> None:
    """Two shifts were used on the map; and one laid by hand serves the next two combat phases."""
    t = table(phase="attack-a", fog=False)
    t.do("table", "lose-hq", side="german", hex="3011")
    t.do("table", "mark", marker="hq-pool-soviet", hexes="3011", value="3")
    assert pool(t) == (3, ["day 1 phase 10", "day 2 phase 4"])
    t.do("table", "mark", marker="hq-pool-soviet", hexes="3011", value="off")
    assert pool(t) is None and not t.game.marked("pool-until-soviet")
    t.until("move-b")
    t.do("table", "mark", marker="hq-pool-soviet", hexes="3011", value="5")
    assert pool(t) == (5, ["day 1 phase 10", "day 2 phase 4"])


def test_a_pool_of_an_early_record_is_still_used(table: Make) -> None:
    t = table(phase="attack-b", fog=False)
    t.game.apply(e.Marked("3011", "hq-pool-german", "4 CM: day 1 phase 10, day 2 phase 4"))
    t.do("german", "note", text="on")
    assert pool(t, "german") == (4, ["day 1 phase 10", "day 2 phase 4"])


@pytest.mark.parametrize(
    ("side", "troops", "away", "covered"),
    [
        ("german", "", 4, True),
        ("german", "", 5, False),
        ("german", "romanian", 4, False),
        ("german", "romanian", 3, True),
    ],
)
def test_headquarters_range(table: Make, side: str, troops: str, away: int, covered: bool) -> None:
    t = table(phase="attack-b", fog=False)
    marks = {"troops": troops} if troops else {}
    t.unit(side, "HQ x", f"30{10 + away}", kind="HQ", cel=1, **marks)
    a = t.unit(side, "landser", "3010", a=4)
    t.unit("soviet", "rifles", "3009", a=4)
    sheet = t.calc("combat", target="3009", attackers=a)
    assert (sheet.modifier == -1) is covered  # 9.2.2


# -- disorganisation


@pytest.mark.parametrize(
    ("side", "troops", "die", "shaken"),
    [
        ("german", "ss", "6 6", True),
        ("german", "ss", "6 5", False),
        ("german", "", "6 5", True),
        ("german", "romanian", "4 5", True),
        ("german", "hungarian", "4 4", False),
        ("german", "italian", "4 5", True),
        ("soviet", "guards", "5 5", False),
        ("soviet", "", "5 5", True),
        ("soviet", "", "5 4", False),
    ],
)
def test_morale_limits(table: Make, side: str, troops: str, die: str, shaken: bool) -> None:
    t = table(phase="attack-a", fog=False)
    unit = t.unit(side, "unit", "3010", **({"troops": troops} if troops else {}))
    t.do(side, "test-order", units=unit, die=die)
    assert bool(t.mark(unit, "disorganised")) is shaken  # 5.6.2


def test_italian_limit_is_an_option(table: Make) -> None:
    t = table(phase="attack-a", fog=False, **{"italian-limit": "7"})
    unit = t.unit("german", "bers", "3010", troops="italian")
    t.do("german", "test-order", units=unit, die="3 4")
    assert t.mark(unit, "disorganised")


def test_one_roll_is_held_against_each_units_limit(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "guards", "3010", troops="guards")
    b = t.unit("soviet", "rifles", "3010")
    t.do("soviet", "test-order", units=f"{a},{b}", die="5 5")
    assert (bool(t.mark(a, "disorganised")), bool(t.mark(b, "disorganised"))) == (False, True)


@pytest.mark.parametrize(
    ("side", "reading", "turn", "phase"),
    [
        ("soviet", "own-combat", 2, "attack-a"),  # attacker, 5.6.5 a
        ("german", "own-combat", 1, "attack-b"),  # defender: its next combat phase
        ("german", "full-turn", 2, "attack-a"),
    ],
)
def test_recovery_after_combat(table: Make, side: str, reading: str, turn: int, phase: str) -> None:
    t = table(phase="attack-a", fog=False, recovery=reading)
    unit = t.unit(side, "unit", "3010")
    t.do(side, "disorganise", units=unit)
    t.until(phase, turn)
    assert t.mark(unit, "disorganised")
    t.next()
    assert not t.mark(unit, "disorganised")


def test_recovery_after_an_air_attack_in_phase_7(table: Make) -> None:
    """5.6.5 b: end of phase 7 next turn."""
    t = table(phase="air-b", fog=False)
    unit = t.unit("soviet", "unit", "3010")
    t.do("soviet", "disorganise", units=unit)
    t.until("air-b", 2)
    assert t.mark(unit, "disorganised")
    t.next()
    assert not t.mark(unit, "disorganised")


def test_moving_or_fighting_spoils_the_rest(table: Make) -> None:
    t = table(phase="attack-a", fog=False)
    mover, fighter = t.unit("soviet", "mover", "3010"), t.unit("soviet", "fighter", "2010", a=4)
    t.do("soviet", "disorganise", units=f"{mover},{fighter}")
    t.do("table", "place-unit", unit=mover, hex="3009")
    t.until("attack-a", 2)
    t.do("soviet", "resolve-combat", attackers=fighter, defence=4, die="3 3")
    t.next()
    assert t.mark(mover, "disorganised")
    assert t.mark(fighter, "disorganised")


# -- masking


TOLD = "What you are told"


def test_neighbours_are_told_types_and_cel(table: Make) -> None:
    t = table(phase="move-a")
    t.unit("soviet", "rifles", "3010")
    t.unit("german", "secret landser", "3011")
    t.unit("german", "secret gun", "3011", kind="ART", cel=1)
    t.unit("german", "far", "3030")
    assert t.panel("soviet", TOLD) == {"3011": "ART 1 CEL, INF 2 CEL"}  # 16.1.4
    t.do("table", "mark", marker="fort", hexes="3011", value="ff")
    assert t.panel("soviet", TOLD) == {"3011": "ART, INF"}
    assert t.panel("table", TOLD) == {}


def test_stacks_that_fought_lie_open_until_the_phase_ends(table: Make) -> None:
    t = table(phase="attack-a")
    a = t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "hidden one", "3011", a=4)
    t.unit("german", "top", "3011", a=1)
    t.do("soviet", "resolve-combat", target="3011", attackers=a)
    assert "hidden one" in t.panel("soviet", TOLD)["3011"]  # 16.1.3
    assert owed(t) == ({"rifles"}, {"hidden one", "top"})  # 5.1.4: to declare is not to attack
    t.settle("soviet", "roll-combat", die="3 4")
    assert owed(t) == (set(), set())
    assert t.breakdown["facts"]["defence"] == 5
    t.next()
    t.settle("german", "retreat", go=0)
    t.settle("german", "take-losses", units="german-top")
    assert "hidden one" not in json.dumps(t.sees("soviet"))


def test_a_mask_hides_the_top_counter(table: Make) -> None:
    t = table(phase="move-a")
    unit = t.unit("german", "tigers", "3011")
    assert "tigers" in json.dumps(t.sees("soviet")["units"])
    t.do("german", "mask-stack", hexes="3011")
    assert "tigers" not in json.dumps(t.sees("soviet")["units"])
    assert "tigers" in json.dumps(t.sees("german")["units"])
    t.do("german", "place-unit", unit=unit, hex="3015")
    assert "tigers" in json.dumps(t.sees("soviet")["units"])


def test_closed_stacks_do_not_feed_the_sheet(table: Make) -> None:
    """A form's preview must not tell what stands under the top counter."""
    from companion.engine.forms.fields import Context

    t = table(phase="attack-a")
    a = t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "grenadiers", "3011", a=7)
    t.unit("german", "top", "3011", a=1)
    t.unit("german", "HQ x", "3012", kind="HQ", cel=1)
    t.unit("german", "cover", "3012", a=1)
    raw = {"target": "3011", "attackers": a}
    sheet = t.system.rules.worksheets["combat"].work(raw, Context(t.game, "soviet"))
    assert not sheet.column and "defence" not in sheet.facts
    assert sheet.modifier == 0  # the headquarters under another counter is not given away
    assert "grenadiers" not in json.dumps(sheet.to_json())
    assert "grenadiers" not in json.dumps(t.form("soviet", "resolve-combat"))
