"""A battle from declaration to exploitation (2.14, 7.6, 12.4, 12.17-12.23)."""

from __future__ import annotations

from typing import Any

import pytest
from harness import SCENARIOS, refused

from companion.engine.errors import NotNow, StillOwed, Unreadable, Warned
from companion.engine.record import events as e
from companion.engine.seat.words import describe as describe_event
from companion.systems import find_system


def soviets_attack(table: Any, result: str = "1/1", aircraft: int = 2, **options: Any) -> Any:
    """Turn 4: a rifle division, untried, faces 3 Pz and 44 in 2510."""
    t = table(turn=4, phase="soviet-combat", result=result, **options)
    t.enter("3 Pz", "german", "2510", army="6th Army", kind="panzer", af=8, df=6)
    t.enter("44", "german", "2510", army="6th Army", kind="infantry", af=4, df=5)
    t.enter("RD", "soviet", "2610", kind="rifle")
    if aircraft:
        t.do("table", "correct", name="air-free", value=aircraft)
    return t


def stacks_are_open(t: Any) -> bool:
    return "aircraft" in newest(t).facts


def newest(t: Any) -> Any:
    return t.game.battles[max(t.game.battles)]


def test_declared_air_then_opened(table: Any) -> None:
    """12.17: aircraft are promised before the stacks are opened."""
    t = soviets_attack(table)
    t.do("soviet", "declare-attack", target="2510", attackers="soviet-rd")
    assert not stacks_are_open(t) and t.game.units["soviet-rd"].untried
    with refused(NotNow, rule="12.17"):
        t.do("soviet", "roll-combat", attack=30, die="3")
    t.answer("german", aircraft="1")
    assert stacks_are_open(t) and not t.game.units["soviet-rd"].untried
    assert (t.game["air-free"], t.game["air-used"]) == (1, 1)
    t.answer("soviet", attack=30, die="3")
    sheet = t.game.last_result["breakdown"]
    assert sheet["facts"]["defence"] == 11 and sheet["facts"]["air"] == 1
    assert sheet["modifier"] == 1
    assert t.game["air-used"] == 1
    assert newest(t).result == "1/1"


def test_putting_the_question_away_sends_no_aircraft(table: Any) -> None:
    """12.17: the attacker is told whom he waits for, and a German who declines by one tap holds nobody up."""
    t = soviets_attack(table)
    t.do("soviet", "declare-attack", target="2510", attackers="soviet-rd")
    (battle,) = t.view("soviet").battles
    assert battle.waits == ["German: how many aircraft defend?"]
    t.do("german", "dismiss", ask=t.asked("german")[0]["id"], how="does not apply")
    assert stacks_are_open(t) and t.game["air-used"] == 0
    assert [a["action"] for a in t.asked("soviet")] == ["roll-combat"]


def test_a_declared_attack_is_not_lost_with_its_phase(table: Any) -> None:
    """7.6: looking into the stack does not let the attacker call it off by ending the phase."""
    t = soviets_attack(table)
    t.do("soviet", "declare-attack", target="2510", attackers="soviet-rd")
    t.answer("german", aircraft="1")
    with refused(StillOwed) as said:
        t.do("soviet", "next-phase")
    assert said.value.said == ["Roll for the attack on 2510"]
    t.next()
    assert t.game.phase == "air-removal"
    assert [a["action"] for a in t.asked("soviet")] == ["roll-combat"], "it goes along"
    t.answer("soviet", attack=30, die="3")
    facts = t.game.last_result["breakdown"]["facts"]
    assert (facts["attacker"], facts["air"]) == ("soviet", 1), "whoever's phase it is now"


def test_without_aircraft_the_stacks_open_at_once(table: Any) -> None:
    t = soviets_attack(table, aircraft=0)
    t.do("soviet", "declare-attack", target="2510", attackers="soviet-rd")
    assert stacks_are_open(t)
    assert t.asked("soviet")[0]["action"] == "roll-combat"


def test_a_declared_attack_stands(table: Any) -> None:
    """7.6, 12.5."""
    t = soviets_attack(table, aircraft=0)
    t.do("soviet", "declare-attack", target="2510", attackers="soviet-rd")
    with refused(NotNow, rule="12.5"):
        t.do("soviet", "declare-attack", target="2511")
    with refused(NotNow, rule="12.5"):
        t.do("soviet", "resolve-combat", target="2511", attack=3, defence=3, die="3")


def test_untried_units_become_veterans_in_battle(table: Any) -> None:
    """2.14."""
    t = soviets_attack(table, aircraft=0)
    assert t.game.units["soviet-rd"].untried
    t.do("soviet", "resolve-combat", target="2510", attackers="soviet-rd")
    assert not t.game.units["soviet-rd"].untried
    assert t.game.mark("soviet-rd", "veteran")
    t.answer("soviet", attack=30, die="3")
    assert t.game.units["soviet-rd"].factors == {"AF": 30}, "typed once, and kept"


def test_untried_units_stay_closed_outside_battle(table: Any) -> None:
    """2.14."""
    t = table(turn=2)
    t.enter("RD", "soviet", "2610", kind="rifle")
    with refused(NotNow, rule="2.14", field="unit"):
        t.do("soviet", "copy-counter", unit="soviet-rd", af=5)
    t.do("soviet", "copy-counter", unit="soviet-rd", mf=5)
    assert t.game.units["soviet-rd"].untried


def test_each_unit_fights_once_a_phase(table: Any) -> None:
    """12.4."""
    t = soviets_attack(table, result="0/0", aircraft=0, fog=False)
    t.do("table", "correct", name="perimeter", value="crossed")
    resolve(t, "2510", "soviet-rd", attack=30)
    sheet = t.calc("combat", target="2510", attackers="soviet-rd")
    assert [w for w in sheet.warnings if "has attacked" in w] and [
        w for w in sheet.warnings if "was attacked" in w
    ]
    t.until("soviet-combat", 5)
    assert not t.calc("combat", target="2510", attackers="soviet-rd").warnings


def test_a_blank_cell_asks_for_the_printed_chart(table: Any) -> None:
    t = table(turn=4, phase="soviet-combat")
    t.do("soviet", "resolve-combat", attack=20, defence=10, die="5")
    ask = t.asked("soviet")[0]
    assert "column 2:1, row 5" in ask["text"] and "2/1" in ask["args"]["codes"]
    with refused(Unreadable, field="5|2:1", given="AS"):
        t.answer("soviet", result="AS")
    t.answer("soviet", result="2/1")
    assert [a["text"] for a in t.asked("table")] == [
        "German defender: lose 1 step",
        "Soviet attacker: lose 2 steps",
    ]


def test_known_cells_of_the_rulebook(table: Any) -> None:
    """12.18 example: 3:1, final roll 3 gives 1/2; 12.7 errata: 4:1 above 6 gives 1/1."""
    t = table(turn=3, phase="soviet-combat")
    t.do("soviet", "resolve-combat", attack=26, defence=7, die="3")
    assert t.game.last_result["result"] == "1/2"
    t = table(turn=3, phase="soviet-combat")
    t.do("soviet", "resolve-combat", attack=40, defence=10, terrain="city", die="5")
    assert t.game.last_result["result"] == "1/1"


def test_worse_than_one_to_three_takes_no_die(table: Any) -> None:
    """12.9, and A23: the aircraft is spent, or not, as the table reads it."""
    for reading, free in (("spent", 1), ("kept", 2)):
        t = soviets_attack(table, air_in_automatic=reading)
        t.do("soviet", "declare-attack", target="2510", attackers="soviet-rd")
        t.answer("german", aircraft="1")
        done = t.answer("soviet", attack=2)
        assert not [event for event in done if isinstance(event, e.Rolled)]
        assert t.game.last_result["result"] == "2/0"
        assert t.game["air-free"] == free


@pytest.mark.parametrize(("reading", "most"), [("one", 1), ("many", 3)])
def test_aircraft_in_one_battle(table: Any, reading: str, most: int) -> None:
    """A7."""
    t = table(turn=4, phase="german-combat", result="0/1", air_per_battle=reading)
    t.do("table", "correct", name="air-free", value=3)
    with refused(Unreadable, field="air"):
        t.do("german", "resolve-combat", attack=10, defence=5, air=str(most + 1), die="3")
    t.do("german", "resolve-combat", attack=10, defence=5, air=str(most), die="3")
    assert t.game.last_result["breakdown"]["modifier"] == -most
    assert t.game["air-free"] == 3 - most


# -- retreat -------------------------------------------------------------------------------------------


def test_retreat_saves_a_step_and_opens_the_hex(table: Any) -> None:
    """12.23: the whole force falls back to the hex nearest a source; then the attacker may move in."""
    t = soviets_attack(table, result="0/2", aircraft=0, fog=False)
    resolve(t, "2510", "soviet-rd", attack=30)
    form = owed(t, "german")
    assert [c["label"] for c in form["how"]["choices"]] == ["Lose 2 steps", "Fall back, lose 1 step"]
    assert "mech" not in form
    t.answer("german", how="back", units="german-44")
    (to,) = {u.place for u in t.game.units.values() if u.side == "german"}
    assert t.game["vp-soviet"] == 1
    assert to == "2509", "no choice: only one hex is nearest a source"
    assert t.game.mark("german-44", "defended") != t.game.units["german-44"].place, "may defend again there"
    t.answer("soviet", units="soviet-rd")
    assert t.game.units["soviet-rd"].place == "2510"


def owed(t: Any, seat: str, index: int = 0) -> dict[str, dict[str, Any]]:
    """The fields of the card that a seat has to answer."""
    return {f["name"]: f for f in t.asked(seat)[index]["form"]}


def resolve(t: Any, target: str, attackers: Any, die: str = "3", **fields: Any) -> None:
    """Attack, and roll at once or when all is known."""
    seat = t.game.active
    now = {} if "attack" in fields else {"die": die}
    wait = {n: fields.pop(n) for n in ("attack", "defence") if n in fields}
    t.do(seat, "resolve-combat", target=target, attackers=attackers, **fields, **now)
    if wait:
        t.answer(seat, die=die, **wait)


def test_no_retreat_out_of_a_city(table: Any) -> None:
    """12.23; and what goes round evenly is taken without asking (12.20)."""
    t = soviets_attack(table, result="0/2", aircraft=0, fog=False)
    resolve(t, "2510", "soviet-rd", attack=30, terrain="city")
    assert t.game["vp-soviet"] == 3 and not t.asked("german")


def test_retreats_go_where_the_rules_let_them(table: Any) -> None:
    """12.23, 7.1, 7.3, A12: not onto enemies, other armies or full stacks; no marsh for panzers."""
    from companion.systems.second_kharkov.pursuit import refuges

    near = ("2509", "2511", "2610", "2611", "2410", "2411")
    t = soviets_attack(table, result="0/1", aircraft=0, fog=False, ground=(("terrain", "2509", "", "marsh"),))
    assert set(t.game.maps.neighbours("2510")) == set(near)
    resolve(t, "2510", "soviet-rd", attack=30)
    force = t.game.units_at("2510")
    assert [r.hex for r in refuges(t.game, force, "2510")] == ["2410"], (
        "2509 is nearer the north edge, but marsh"
    )
    t.enter("17A", "german", "2410", army="17th Army", kind="infantry", af=1, df=1)
    assert [r.hex for r in refuges(t.game, force, "2510")] == ["2411", "2511", "2611"], (
        "equally near: his choice"
    )
    for n in range(2):
        t.enter(f"S{n}", "german", "2411", army="6th Army", kind="infantry", af=1, df=1)
    assert [r.hex for r in refuges(t.game, force, "2510")] == ["2511", "2611"], "2411 would hold four"


# -- advance and exploitation --------------------------------------------------------------------------


def germans_attack(table: Any, **options: Any) -> Any:
    """Turn 4: 3 Pz and 44 of 6th Army in 2510 against a tank brigade in 2610."""
    t = table(turn=4, phase="german-combat", result="0/1", fog=False, **options)
    t.enter("3 Pz", "german", "2510", army="6th Army", kind="panzer", af=8, df=6)
    t.enter("44", "german", "2510", army="6th Army", kind="infantry", af=4, df=5)
    t.enter("TB", "soviet", "2610", kind="tank", af=5, df=2)
    return t


def test_nobody_moves_in_before_the_losses_are_taken(table: Any) -> None:
    """12.19, 12.21; and the dead do not advance."""
    t = soviets_attack(table, result="1/1", aircraft=0, fog=False)
    t.enter("RD2", "soviet", "2610", kind="rifle", af=2, df=2)
    resolve(t, "2510", "soviet-rd, soviet-rd2", attack=30)
    t.answer("german", how="back")
    assert [a["action"] for a in t.asked("soviet")] == ["soviet-losses", "advance"]
    with refused(NotNow, rule="12.19, 12.20"):
        t.answer("soviet", 1, units="soviet-rd")
    t.answer("soviet", 0, units="soviet-rd")
    assert [c["value"] for c in owed(t, "soviet")["units"]["choices"]] == ["soviet-rd2"]
    t = soviets_attack(table, result="1/1", aircraft=0, fog=False)
    resolve(t, "2510", "soviet-rd", attack=30)
    t.answer("german", how="back")
    assert not t.asked("soviet"), "the only attacker is lost without asking, and nobody is left to move in"


@pytest.mark.parametrize(
    ("kind", "terrain", "out", "attack", "rules_named"),
    [
        ("rifle", "clear", True, 15, "9.9"),
        ("tank", "city", False, 15, "12.16"),
        ("tank", "marsh", False, 15, "12.13"),
        ("tank", "city", True, 8, "9.9, 12.16"),
        ("rifle", "city", False, 30, ""),
    ],
)
def test_what_the_record_knows_halves_typed_factors(
    table: Any, kind: str, terrain: str, out: bool, attack: int, rules_named: str
) -> None:
    """9.9, 12.13, 12.16: the factor is typed at its unit, so nobody has to remember what halves it."""
    t = soviets_attack(table, aircraft=0, fog=False)
    unit = t.enter("Fresh", "soviet", "2611", kind=kind)
    if out:
        t.do("soviet", "judge-supply", units=unit)
    resolve(t, "2510", unit, attack=30, terrain=terrain)
    sheet = t.game.last_result["breakdown"]
    assert sheet["facts"]["attack"] == attack
    assert rules_named in sheet["lines"][0]["rule"]
    assert "attack_oos" not in {f["name"] for f in t.form("soviet", "resolve-combat", attackers=[unit])}


def test_advance_then_exploit(table: Any) -> None:
    """12.21, 12.22: supplied mechanised units go on by one or two hexes, hex by hex."""
    t = germans_attack(table)
    t.do("german", "resolve-combat", target="2610", attackers="german-3-pz, german-44", die="3")
    assert t.game.last_result["breakdown"]["modifier"] == -1, "12.25: tanks alone defend"
    assert t.game["vp-german"] == 1
    t.answer("german", units="german-3-pz, german-44")
    assert t.game.units["german-44"].place == "2610"
    ask = t.asked("german")[0]
    assert ask["action"] == "exploit" and "in 2610" in ask["text"]
    assert [choice["value"] for choice in owed(t, "german")["unit"]["choices"]] == ["german-3-pz"]
    with refused(Unreadable, field="unit"):
        t.answer("german", unit="german-44", hexes="2710")
    with refused(Unreadable, rule="12.22", field="hexes"):
        t.answer("german", unit="german-3-pz", hexes="2710 2811 2911")
    t.answer("german", unit="german-3-pz", hexes="2710 2811")
    assert t.game.units["german-3-pz"].place == "2811"
    assert not t.asked("german")


def test_out_of_supply_units_do_not_exploit(table: Any) -> None:
    """12.22, A24: judged as the battle began."""
    t = germans_attack(table)
    t.do("german", "judge-supply", hexes="2510", state="out")
    t.do("german", "resolve-combat", target="2610", attackers="german-3-pz", die="3")
    assert t.game.last_result["breakdown"]["facts"]["attack"] == 4
    t.answer("german", units="german-3-pz")
    assert not t.asked("german")


@pytest.mark.parametrize(
    ("ground", "rule"),
    [
        ((("terrain", "2610", "", "marsh"),), "11.13, 12.22"),
        ((("side", "2510", "2610", "major river"),), "11.14"),
    ],
)
def test_ground_bars_an_advance(table: Any, ground: tuple[Any, ...], rule: str) -> None:
    """12.21 with 11.13 and, where the table reads it so, 11.14: who cannot move in is not offered."""
    t = germans_attack(table, ground=ground, advance_river="barred")
    t.enter("45", "german", "2611", army="6th Army", kind="infantry", af=4, df=5)
    t.do("german", "resolve-combat", target="2610", attackers="german-3-pz, german-45", die="3")
    assert [c["value"] for c in owed(t, "german")["units"]["choices"]] == ["german-45"]
    with refused(Warned) as said:
        t.answer("german", units="german-3-pz")
    assert f"({rule})" in said.value.said[0]
    t.answer("german", units="german-45")
    assert t.game.units["german-45"].place == "2610"


def test_advance_over_a_major_river_is_the_default(table: Any) -> None:
    """A11: the won hex yes, exploitation no."""
    t = germans_attack(
        table, ground=(("side", "2510", "2610", "major river"), ("side", "2610", "2710", "major river"))
    )
    t.do("german", "resolve-combat", target="2610", attackers="german-3-pz", die="3")
    t.answer("german", units="german-3-pz")
    assert t.game.units["german-3-pz"].place == "2610"
    with refused(Unreadable, rule="11.1", field="hexes"):
        t.answer("german", unit="german-3-pz", hexes="2812")
    with refused(Warned) as said:
        t.answer("german", unit="german-3-pz", hexes="2710")
    assert "(11.14)" in said.value.said[0]
    assert "2710" not in [c["value"] for c in owed(t, "german")["hexes"]["choices"]]


def test_interdiction_bars_a_soviet_advance_over_a_major_river(table: Any) -> None:
    """11.19, A11."""
    t = table(
        turn=4,
        phase="soviet-combat",
        result="0/1",
        fog=False,
        ground=(("side", "2510", "2610", "major river"),),
    )
    t.enter("44", "german", "2510", kind="infantry", steps=1, af=4, df=5)
    unit = t.enter("RD", "soviet", "2610", kind="rifle", af=20, df=3)
    other = t.enter("RD2", "soviet", "2509", kind="rifle", af=20, df=3)
    t.do("table", "mark", marker="interdiction", hexes="2611")
    t.do("soviet", "resolve-combat", target="2510", attackers=[unit, other], die="3")
    t.answer("german", how="stand")
    with refused(Warned) as said:
        t.answer("soviet", units=unit)
    assert "(11.19)" in said.value.said[0]
    t.answer("soviet", units=other)


@pytest.mark.parametrize(("reading", "hexes"), [("barred", ["2410"]), ("free", ["2509"])])
def test_ground_and_retreat(table: Any, reading: str, hexes: list[str]) -> None:
    """A12."""
    from companion.systems.second_kharkov.pursuit import refuges

    t = soviets_attack(table, aircraft=0, ground=(("terrain", "2509", "", "marsh"),), retreat_terrain=reading)
    assert [r.hex for r in refuges(t.game, t.game.units_at("2510"), "2510")] == hexes


def test_a_named_unit_must_be_next_to_the_target(table: Any) -> None:
    """12.1: not offered, and warned of when named all the same."""
    t = soviets_attack(table, aircraft=0)
    form = {f["name"]: f for f in t.form("soviet", "resolve-combat", target="2719")}
    assert form["attackers"]["choices"] == []
    with refused(Warned) as said:
        t.do("soviet", "resolve-combat", target="2719", attackers="soviet-rd", attack=3, defence=3, die="3")
    assert "(12.1)" in said.value.said[0] and not t.game.battles


def test_the_sheet_says_what_the_result_means(table: Any) -> None:
    t = table(turn=4, phase="soviet-combat", result="1/2")
    t.do("soviet", "resolve-combat", target="2510", attack=20, defence=10, die="2")
    said = [line["label"] for line in t.game.last_result["breakdown"]["effects"]]
    assert said == ["German defender: lose 2 steps at 2510", "Soviet attacker: lose 1 step at 2510"]


def test_bare_factors_get_the_same_reminders(table: Any) -> None:
    """The ladder of effort: no units on record, and every step is still asked for."""
    t = table(turn=4, phase="german-combat", result="0/1")
    t.do("german", "resolve-combat", target="2712", attack=10, defence=5, die="3")
    assert t.game.mark("2712", "defended")
    assert [c["label"] for c in owed(t, "soviet")["how"]["choices"]] == [
        "Lose 1 unit, 2712 is still held",
        "Lose 1 unit, 2712 is empty now",
    ]
    t.answer("soviet", how="empty")
    assert t.game["vp-german"] == 1
    t.answer("german")
    assert "may go on" in t.asked("german")[0]["text"]
    t.next()


def test_taking_kharkov_by_advance_wins(table: Any) -> None:
    """4.2, 12.21."""
    t = table(turn=2, phase="soviet-combat", result="0/1")
    t.do("soviet", "resolve-combat", target="2406", attack=30, defence=5, terrain="city", die="3")
    t.answer("german", how="empty")
    t.answer("soviet")
    t.agree()
    assert t.game.ended and t.game.ended.winner == "soviet" and t.game.ended.rule == "4.2"


def test_the_german_promises_aircraft_while_declaring(table: Any) -> None:
    """12.17: his own attack needs nobody's answer."""
    t = germans_attack(table)
    t.do("table", "correct", name="air-free", value=1)
    t.do("german", "declare-attack", target="2610", attackers="german-3-pz", aircraft="1")
    assert stacks_are_open(t) and t.game["air-used"] == 1
    t.answer("german", die="3")
    assert t.game.last_result["breakdown"]["modifier"] == -2, "aircraft, and tanks alone in defence"
    assert t.game["air-used"] == 1


def test_equal_refuges_are_the_germans_choice(table: Any) -> None:
    """12.23, 7.3: he must say where; elsewhere is refused."""
    t = soviets_attack(table, result="0/1", aircraft=0, fog=False, ground=(("terrain", "2509", "", "marsh"),))
    t.enter("17A", "german", "2410", army="17th Army", kind="infantry", af=1, df=1)
    resolve(t, "2510", "soviet-rd", attack=30)
    t.answer("german", how="back")
    assert [c["value"] for c in owed(t, "german")["to"]["choices"]] == ["2411", "2511", "2611"]
    with refused(Unreadable, rule="12.23", field="to"):
        t.answer("german")
    with refused(Unreadable, field="to", given="2509"):
        t.answer("german", to="2509")
    t.answer("german", to="2511")
    assert len(t.game.units_at("2511")) == 2


def test_with_no_hex_left_nothing_is_saved(table: Any) -> None:
    """12.23, 7.3: every hex around holds another army."""
    t = soviets_attack(table, result="0/1", aircraft=0, fog=False, ground=(("terrain", "2509", "", "marsh"),))
    for hex_id in ("2410", "2411", "2511", "2611"):
        t.enter(f"Other {hex_id}", "german", hex_id, army="17th Army", kind="infantry")
    resolve(t, "2510", "soviet-rd", attack=30)
    assert "how" not in owed(t, "german")
    t.answer("german", units="german-44")
    assert t.game["vp-soviet"] == 1 and len(t.game.units_at("2510")) == 2


def test_falling_back_may_save_the_only_step(table: Any) -> None:
    """12.23."""
    t = soviets_attack(table, result="0/1", aircraft=0, fog=False)
    resolve(t, "2510", "soviet-rd", attack=30)
    assert [c["label"] for c in owed(t, "german")["how"]["choices"]] == [
        "Lose 1 step",
        "Fall back, lose nothing",
    ]
    t.answer("german", how="back")
    assert t.game["vp-soviet"] == 0 and not t.game.units_at("2510")


def test_a_surrounded_force_cannot_fall_back(table: Any) -> None:
    """12.23, 7.1: every hex around is Soviet, so no step is saved."""
    t = soviets_attack(table, result="0/1", aircraft=0, fog=False)
    for hex_id in t.game.maps.neighbours("2510"):
        t.enter(f"Ring {hex_id}", "soviet", hex_id, kind="rifle")
    resolve(t, "2510", "soviet-rd", attack=30)
    assert "how" not in owed(t, "german")
    t.answer("german", units="german-44")
    assert t.game["vp-soviet"] == 1 and not t.asked("soviet")


def test_a_retreat_parts_only_where_stacking_asks_for_it(table: Any) -> None:
    """12.23, 7.1: two hexes with room for one unit each take one each; then the hex is open (12.21)."""
    t = soviets_attack(table, result="0/1", aircraft=0, fog=False)
    for hex_id in t.game.maps.neighbours("2510"):
        if not t.game.units_at(hex_id):
            for n in range(2):
                t.enter(f"{n} in {hex_id}", "german", hex_id, army="6th Army", kind="infantry")
    resolve(t, "2510", "soviet-rd", attack=30)
    t.answer("german", how="back")
    fled = [t.game.units[n].place for n in ("german-44", "german-3-pz")]
    assert len(set(fled)) == 2 and all(len(t.game.units_at(h)) == 3 for h in fled)
    assert t.game["vp-soviet"] == 0
    assert [a["action"] for a in t.asked("soviet")] == ["advance"]


def test_an_advance_keeps_to_the_stacking_limit(table: Any) -> None:
    """12.21, 7.1."""
    t = germans_attack(table)
    more = [
        t.enter(f"{n} ID", "german", "2509", army="6th Army", kind="infantry", af=4, df=5) for n in range(2)
    ]
    force = ["german-3-pz", "german-44", *more]
    t.do("german", "resolve-combat", target="2610", attackers=force, die="3")
    with refused(Unreadable, rule="12.21", field="units"):
        t.answer("german", units=[])
    with refused(Warned) as said:
        t.answer("german", units=force)
    assert "(7.1)" in said.value.said[0]
    t.answer("german", units=force[:3])
    assert len(t.game.units_at("2610")) == 3


def test_a_battle_is_told_in_a_few_lines(table: Any) -> None:
    """What the markers remember for 12.4 and 2.14 needs no line of its own."""
    t = soviets_attack(table, result="1/2", fog=False)
    t.do("soviet", "declare-attack", target="2510", attackers="soviet-rd")
    t.answer("german", aircraft="1")
    done = t.answer("soviet", attack=30, die="3")
    lines = [line for line in (describe_event(event.to_json(), t.game) for event in done) if line]
    assert [line for line in lines if not line.startswith("To do:")] == [
        "combat: 1d6 rolled 3 (by hand)",
        "Attack on 2510 at 2:1: 1/2 (German defender: lose 2 steps at 2510; Soviet attacker: lose 1 step at 2510)",
    ]


def test_the_act_that_may_only_declare_promises_no_result() -> None:
    """7.6, 12.17: where a stack is closed or aircraft may come the roll waits, so the button says Attack."""
    for kit in ("second-kharkov", "wb95", "panzer-keil"):
        assert find_system(kit, SCENARIOS).rules.actions["resolve-combat"].label == "Attack"
