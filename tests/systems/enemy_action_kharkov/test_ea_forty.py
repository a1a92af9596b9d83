"""The forty most intricate places of the rulebook, played: out of order, early, late, twice, half on record, taken back."""

from __future__ import annotations

from typing import Any

import pytest
from harness import Bench, refused
from systems.enemy_action_kharkov.ea_bench import (
    activate,
    battle,
    by_hand,
    cards,
    command,
    decline,
    fought,
    hand,
    mark,
    open_actions,
    owners_book,
    play_event,
    put,
    set_,
    table,
    take,
    zones,
)

from companion.engine.errors import NotNow, NotYours, StillOwed, Unreadable, Warned
from companion.engine.record import events as e

SOVIETS, GERMANS = ("soviet", "german", "3T", "P03", 1), ("german", "soviet", "XL", "P23", 7)


def field(
    lines: str = "",
    hits: str = "",
    *,
    turn: int = 1,
    red: Any = (),
    grey: Any = (),
    who: Any = None,
    **options: Any,
) -> Bench:
    """Attackers a0 ... (facts in `red`) in 2009 against d0 ... (in `grey`) in 2010, with a real cup."""
    side, other, formation, number, least = who or SOVIETS
    t = command(mode_chits="physical", book=owners_book(lines), turn=max(turn, least), **options)
    for n, facts in enumerate(grey or ({},)):
        put(t, other, f"d{n}", "2010", **{"formation": "XL" if other == "german" else "40", **facts})
    for n, facts in enumerate(red or ({},)):
        put(t, side, f"a{n}", "2009", **{"formation": formation, **facts})
    activate(t, number, formation)
    t.do(side, "declare-combat", hex="2010", units=[f"a{n}" for n in range(len(red or ({},)))])
    if hits:
        draw(t, hits)
    return t


def draw(t: Bench, hits: str) -> None:
    """The chits of a real cup; no more than are required."""
    side = t.game.active
    t.do(side, "draw-chits", hits=hits)
    while open_actions(t, side) == ["declare-draws"]:
        t.answer(side, extra="0")


def ways(t: Bench, action: str, field_name: str = "") -> list[str]:
    """What an open duty lets one choose."""
    duty = t.game.duties(action=action)[0]
    rows = [f for f in t.form_of(duty.to[0], duty) if not field_name or f["name"] == field_name]
    return [c["value"] for c in rows[0]["choices"]]


def place(t: Bench, name: str) -> str:
    return t.game.units[name].place


# -- taken back -----------------------------------------------------------------------------------------------


def test_01_a_late_supply_check_taken_back_is_owed_again() -> None:
    """4-III."""
    t = table(solo=True)
    t.do("table", "go-to", turn=2, phase="supply")
    lost = put(t, "german", "lost", "2010")
    t.next()
    before = t.game.revision
    t.do("table", "check-late", by_hand=True, cut=[lost])
    assert t.game.mark(lost, "supply") == "oos"
    t.do("table", "take-back", to=before)
    assert not t.game.mark(lost, "supply") and t.game.duties(action="check-late")


def test_02_a_joiner_taken_back_stands_where_he_stood() -> None:
    """9.0, 9.3: and the combat is as it was before he came."""
    t = field(solo=True)
    put(t, "soviet", "far", "1708", formation="40")
    t.do("soviet", "play-tactic", card=hand(t, "soviet")[0], tactic="assault coordination")
    before, small = t.game.revision, fought(t).small
    t.do("soviet", "join-combat", units=["far"], hex="2009")
    assert place(t, "far") == "2009" and fought(t).small == small + 1
    t.do("soviet", "take-back", to=before)
    assert place(t, "far") == "1708" and fought(t).small == small
    assert t.game.duties(action="join-combat")


def test_03_an_impulse_taken_back_gives_activity_and_cards_again() -> None:
    """4-IV: marks, hand and turn to move."""
    t = field(solo=True)
    by_hand(t)
    before, held = t.game.revision, hand(t, "soviet")
    t.do("soviet", "end-impulse")
    assert t.game.active == "german" and not t.game.marked("active")
    t.do("soviet", "take-back", to=before)
    assert t.game.active == "soviet" and t.game.mark("a0", "active") and hand(t, "soviet") == held


# -- retreats [9.7] ---------------------------------------------------------------------------------------------


def test_04_two_hexes_through_friends_beyond_stacking() -> None:
    """9.75: one may pass through a full hex, not end in it."""
    t = field("town 1910 L\nvp 1910 1\n")
    mark(t, "1910", "owner", "soviet")
    for n in range(3):
        put(t, "german", f"full{n}", "2011", formation="III")
    for spot in ("1911", "2111", "2110"):
        put(t, "soviet", f"r{spot}", spot, formation="40")
    draw(t, "D2, -")
    t.answer("german", choice="retreat-2")
    assert place(t, "d0") == "2012" and battle(t).facts["path"] == [
        "2011"
    ]  # the only way, so nobody is asked


@pytest.mark.parametrize(
    ("lines", "open_"), [("2010-2011 dniepr\n", False), ("2010-2011 dniepr\n2010-2011 bridge\n", True)]
)
def test_05_over_the_dniepr_only_if_nothing_else_will_do(lines: str, open_: bool) -> None:
    """9.7: of hexes of one priority the one across an unbridged Dniepr is the last; a bridge is none."""
    t = field(lines, "D1, -")
    t.answer("german", choice="retreat-1")
    assert ("2011" in ways(t, "retreat")) is open_


def test_06_the_dniepr_is_crossed_where_every_way_leads_over_it() -> None:
    """9.7: within a priority, not beyond it."""
    around = ("2011", "1910", "1911", "2110", "2111")
    t = field("".join(f"2010-{h} dniepr\n" for h in around), "D1, -")
    t.answer("german", choice="retreat-1")
    assert set(ways(t, "retreat")) <= set(around) and ways(t, "retreat")


def test_07_soviets_stay_behind_their_boundary_if_they_can() -> None:
    """7.6: across it only if that is the only route."""
    zone = "2010 2009 2011 1911"
    for area, wanted in ((zone, {"2011", "1911"}), ("2010", {"2011", "1911", "2111", "1910", "2110"})):
        t = field(f'area "voronezh front" {area}\n', "D1, -", who=GERMANS)
        t.answer("soviet", choice="retreat-1")
        assert set(ways(t, "retreat")) <= wanted


def test_08_one_isolated_tank_pins_its_stack() -> None:
    """10.22: nobody in the hex retreats; an isolated rifle unit lets all of them go one hex."""
    for kind, choices in (("armour", ["stand"]), ("infantry", ["stand", "retreat-1"])):
        t = field(grey=({"kind": kind}, {}), turn=4)
        mark(t, "d0", "supply", "isolated")
        draw(t, "D2, -, -, -")
        if choices == ["stand"]:
            assert battle(t).facts["retreat"] == 0  # nobody was asked
        else:
            assert ways(t, "apply-defence") == choices


@pytest.mark.parametrize(("how", "stands"), [("tactic", True), ("event", False)])
def test_09_nkvd_holds_soviet_defenders(how: str, stands: bool) -> None:
    """9.7: the tactic applied to this combat does, the event of the turn does not."""
    t = field(who=GERMANS)
    if how == "tactic":
        t.do("soviet", "play-tactic", card=hand(t, "soviet")[0], tactic="nkvd")
    else:
        set_(t, "nkvd-turn", t.game.turn)
    draw(t, "D1, -")
    if t.game.duties(action="total-hits"):
        t.do("table", "total-hits")
    assert ("retreat" in battle(t).facts) is stands  # with one answer nobody is asked
    if not stands:
        assert ways(t, "apply-defence") == ["stand", "retreat-1"]


def test_10_a_dispersed_unit_keeps_its_stack_to_one_hex() -> None:
    """9.52, 9.9: one of two is enough."""
    t = field(grey=({}, {}))
    mark(t, "d0", "dispersed", "on")
    draw(t, "D2, -, -, -")
    assert ways(t, "apply-defence") == ["stand", "retreat-1"]


def test_11_who_fell_back_is_lost_with_those_who_die() -> None:
    """9.74: eliminated defenders take the unit along that had fallen back on them; it took no hits itself."""
    t = field("town 1910 L\nvp 1910 1\n", grey=({"steps": 2},))
    mark(t, "1910", "owner", "soviet")
    put(t, "german", "host", "2011", formation="III", steps=1, full=2)
    put(t, "soviet", "second", "2012", formation="3T")
    for spot in ("1911", "2111"):
        put(t, "soviet", f"r{spot}", spot, formation="40")
    t.record(e.Marked("second", "active", "on"))
    draw(t, "D1, -")
    t.answer("german", choice="retreat-1")  # by itself into 2011, where a supplied friend stands
    assert t.game.mark("d0", "fell-back")
    if t.game.duties(action="advance"):
        t.do("soviet", "dismiss", ask=t.game.duties(action="advance")[0].id)
    t.do("soviet", "declare-combat", hex="2011", units=["second"])
    assert fought(t).steps == 1 and list(fought(t).defenders) == ["host"]
    draw(t, "D1")
    t.answer("german", choice="stand")
    assert place(t, "host") == place(t, "d0") == "box:eliminated-german"


def test_12_a_retreat_that_losses_made_needless() -> None:
    """9.52: whoever dies by the other hits does not retreat; the hex lies open, as after an elimination."""
    t = field(grey=({"steps": 1, "full": 2},), hits="D2")
    t.answer("german", choice="retreat-1")
    assert place(t, "d0") == "box:eliminated-german" and not t.game.duties(action="retreat")
    assert open_actions(t, "soviet") == ["advance"]


# -- losses [9.6] ------------------------------------------------------------------------------------------------


def test_13_the_first_loss_is_armours_or_a_big_units() -> None:
    """9.61, 9.62: then one each before anybody pays twice."""
    t = field(
        grey=({"kind": "armour"}, {"steps": 3, "full": 3}, {"steps": 1, "full": 1}), hits="D2, -, -, -, -, -"
    )
    t.answer("german", choice="stand")
    with refused(Unreadable, rule="9.62"):
        t.answer("german", units=["d1"])
    t.answer("german", units=["d0", "d2"])
    assert [t.game.units[f"d{n}"].steps for n in range(2)] == [1, 3] and place(t, "d2") == "box:out"
    t = field(
        grey=({"kind": "armour"}, {"steps": 3, "full": 3}, {"steps": 1, "full": 1}), hits="D1, -, -, -, -, -"
    )
    t.answer("german", choice="stand")
    assert set(ways(t, "lose-steps")) == {"d0", "d1"}


def test_14_four_losses_of_three_units() -> None:
    """9.62: all have lost one, the fourth is the owner's choice."""
    t = field(grey=({}, {}, {}), hits="D4, -, -, -, -, -")
    t.answer("german", choice="stand")
    t.answer("german", units=["d2"])
    assert [t.game.units[f"d{n}"].steps for n in (0, 1)] == [1, 1] and not t.game.units["d2"].on_map


def test_15_joiners_share_the_losses_but_not_the_advance() -> None:
    """9.6, 9.8: they took part."""
    t = field(grey=({"steps": 1, "full": 1},))
    put(t, "soviet", "helper", "2110", formation="40", kind="armour")
    t.do("soviet", "play-tactic", card=hand(t, "soviet")[0], tactic="assault coordination")
    t.do("soviet", "join-combat", units=["helper"])
    draw(t, "A1 D1")
    t.answer("german", choice="stand")
    assert t.game.units["helper"].steps == 1  # the only armour takes the first loss
    assert ways(t, "advance") == ["a0"]


def test_16_surrender_of_the_last_step_is_for_good() -> None:
    """10.23, 9.63: destroyed, not eliminated; a stack pays one step for all."""
    t = table()
    t.do("table", "go-to", turn=4, phase="supply")
    mark(t, put(t, "german", "last", "2010", steps=1, full=3), "supply", "isolated")
    put(t, "soviet", "red", "2011")
    t.do("table", "check-supply", side="german", by_hand=True, cut=["last"])
    assert place(t, "last") == "box:out" and not t.game.duties()


# -- advance [9.8] ------------------------------------------------------------------------------------------------


def test_17_along_the_path_over_the_river_and_through_zones() -> None:
    """9.81, 9.82: what is closed elsewhere is open where the defenders went."""
    t = field("2010-2011 donets\n2010-1911 donets\n", red=({"kind": "armour"},))
    draw(t, "D2, -")
    t.answer("german", choice="retreat-2")
    route = next(w for w in ways(t, "retreat") if w.startswith("2011-"))
    t.answer("german", route=route)
    t.answer("soviet", units=["a0"])
    goals = {m.split()[1] for m in ways(t, "go-on")}
    assert "2011" in goals and "1911" not in goals
    t.answer("soviet", where="a0 2011")
    assert place(t, "a0") == "2011"


def test_18_one_stops_behind_the_river_one_attacked_over() -> None:
    """9.82: even if mechanised; over a bridge there is no stop."""
    for lines, goes_on in (("2009-2010 dniepr\n", False), ("2009-2010 dniepr\n2009-2010 bridge\n", True)):
        t = field(lines, red=({"kind": "armour"},), grey=({"steps": 1, "full": 1},), hits="D2")
        t.answer("german", choice="stand")
        t.answer("soviet", units=["a0"])
        assert bool(t.game.duties(action="go-on")) is goes_on


def test_19_after_an_elimination_there_is_no_path() -> None:
    """9.81: from zone to zone nobody goes on."""
    t = field(red=({"kind": "armour"},), grey=({"steps": 1, "full": 1},))
    put(t, "german", "north", "1911", formation="III")
    put(t, "german", "south", "2111", formation="III")
    draw(t, "D1")
    t.answer("german", choice="stand")
    t.answer("soviet", units=["a0"])
    goals = {m.split()[1] for m in ways(t, "go-on")} if t.game.duties(action="go-on") else set()
    assert not goals & {"2011", "1910", "2110"}


def test_20_a_mixed_end_is_no_deep_advance() -> None:
    """9.81: one of two eliminated, the other a single hex back: one hex of advance."""
    t = field(red=({"kind": "armour"},), grey=({"steps": 1, "full": 1}, {"steps": 2}), hits="D2, -, -")
    t.answer("german", choice="retreat-1")
    t.answer("german", units=["d0"])
    t.answer("german", route=ways(t, "retreat")[0])
    t.answer("soviet", units=["a0"])
    assert place(t, "a0") == "2010" and not t.game.duties(action="go-on")


# -- improved positions [12.2] ----------------------------------------------------------------------------------


def test_21_a_position_left_by_retreat_is_not_inherited() -> None:
    """12.24: spent by the hit or abandoned, it is gone before the attackers move in."""
    t = field()
    mark(t, "2010", "ip", "german")
    t.do("soviet", "note", text="dug in after the declaration does not count for this combat's facts")
    draw(t, "D1, -")
    t.answer("german", choice="retreat-1")
    t.answer("german", route=ways(t, "retreat")[0])
    assert not t.game.mark("2010", "ip")


@pytest.mark.parametrize(("attackers", "left"), [(["a", "b"], False), (["a"], True)])
def test_22_a_position_goes_when_all_its_units_attack(attackers: list[str], left: bool) -> None:
    """12.24: at once, and not when one stays in it."""
    t = command(mode_chits="physical")
    for name in ("a", "b"):
        put(t, "soviet", name, "2009", formation="3T")
    put(t, "german", "D", "2010", formation="XL")
    mark(t, "2009", "ip", "soviet")
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=attackers)
    assert bool(t.game.mark("2009", "ip")) is left


def test_23_the_order_of_an_activation() -> None:
    """6.0, 4-IV: combats, withdrawals, positions; whoever turns it round is told."""
    t = command(mode_chits="physical")
    put(t, "soviet", "idle", "1005", formation="3T")
    put(t, "soviet", "a", "2009", formation="3T")
    put(t, "german", "D", "2010", formation="XL")
    activate(t, "P03", "3T")
    t.do("soviet", "build-ip", hexes="1005")
    with refused(Warned) as told:
        t.do("soviet", "declare-combat", hex="2010", units=["a"])
    assert told.value.said == ["combats come before withdrawals and improved positions [6.0]"]
    with refused(Warned) as told:
        t.do("soviet", "withdraw", units=["a"], hex="2008")
    assert "withdrawals come before improved positions [6.0]" in told.value.said


def test_24_who_moved_attacked_or_withdrew_digs_no_more() -> None:
    """12.21: and a Soviet activation has one position only, whichever way it was built."""
    t = command(mode_chits="physical")
    for name, spot in (("moved", "1005"), ("still", "1305"), ("other", "1505")):
        put(t, "soviet", name, spot, formation="3T")
    activate(t, "P03", "3T")
    t.do("soviet", "place-unit", unit="moved", hex="1006")
    with refused(Warned) as told:
        t.do("soviet", "build-ip", hexes="1006")
    assert told.value.said == ["1006: no active unit there that stood still [12.21]"]
    t.do("soviet", "build-ip", hexes="1305")
    with refused(Warned) as told:
        t.do("soviet", "build-ip", hexes="1505")
    assert told.value.said == ["a Soviet activation builds one position [12.21]"]


# -- tactics and chits [9.2, 9.3] ------------------------------------------------------------------------------


def test_25_screen_takes_two_from_the_most_and_none_from_the_required() -> None:
    """9.3: Germans in defence only."""
    t = field(red=({}, {}, {}))
    assert fought(t).extra == 1
    t.do("german", "play-tactic", card=hand(t, "german")[0], tactic="screen")
    assert fought(t).extra == 0 and fought(t).required == 2


def test_26_light_mud_caps_bonus_and_barrage_alike() -> None:
    """9.3, 15.34: six at most, however many attack with whatever tactics."""
    t = command(turn=7, mode_chits="physical")
    set_(t, "ground", "light-mud")
    activate(t, "P26", "XL")
    t.do("german", "declare-combat", small=6, large=2, steps=2)
    t.answer("german", tactic="artillery")
    assert fought(t).extra == 6 - 2


def test_27_the_barrage_is_artillery_and_counts_once() -> None:
    """9.21, 9.24: it is not offered again, neither as a card nor as STAVKA's bonus."""
    t = command(mode_chits="physical")
    activate(t, "P01", "3T")
    t.do("soviet", "declare-combat", small=2, steps=2, barrage=True)
    assert list(fought(t).attack_tactics) == ["artillery"] and "artillery" not in ways(t, "bonus-tactic")
    t.answer("soviet", tactic="fixed artillery")
    take(t, "soviet", "P02")
    rows = [f for f in t.form("soviet", "play-tactic", card="P02") if f["name"] == "tactic"]
    assert not {"artillery", "fixed artillery"} & {c["value"] for c in rows[0]["choices"]}


@pytest.mark.parametrize(("marker", "bonus"), [(False, False), (True, True)])
def test_28_no_bonus_beyond_support_but_with_forward_support(marker: bool, bonus: bool) -> None:
    """9.23, 10.42, 10.43: all attackers and the target outside; a marker within five hexes mends it at once."""
    t = command(book=owners_book('area "west support zone" 0101\n'), turn=5, mode_chits="physical")
    put(t, "soviet", "a", "2009", formation="3T")
    put(t, "german", "D", "2010", formation="XL")
    if marker:
        mark(t, "1906", "forward-support")
    activate(t, "P01", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=["a"])
    assert bool(t.game.duties(action="bonus-tactic")) is bonus
    assert fought(t).supported is bonus
    assert bool([d for d in t.game.duties(action="no-tactics") if d.to[0] == "soviet"]) is bonus


def test_29_air_supply_gives_supply_and_no_support() -> None:
    """10.3, 10.41: the unit attacks and has tactics again, as far as it is in support."""
    t = command(book=owners_book('area "west support zone" 0101\n'), turn=5, mode_chits="physical")
    put(t, "soviet", "a", "2009", formation="3T")
    put(t, "german", "D", "2010", formation="XL")
    mark(t, "a", "supply", "oos")
    take(t, "soviet", "P02")
    t.do("soviet", "play-card", card="P02", what="event", event="air supply")
    t.answer("soviet", units=["a"])
    assert not t.game.mark("a", "supply")
    t.do("soviet", "end-impulse")
    play_event(t)
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=["a"])
    assert not fought(t).supported


def test_30_out_of_supply_only_beside_a_supplied_unit() -> None:
    """9.1, 10.21: alone it is spoken against, with a supplied comrade it is not; tactics need the comrade too."""
    t = command(turn=4, mode_chits="physical")
    for name in ("poor", "good"):
        put(t, "soviet", name, "2009", formation="3T")
    mark(t, "poor", "supply", "oos")
    put(t, "german", "D", "2010", formation="XL")
    activate(t, "P03", "3T")
    with refused(Warned) as told:
        t.do("soviet", "declare-combat", hex="2010", units=["poor"])
    assert told.value.said == ["at least one supplied unit must attack [9.1]"]
    t.do("soviet", "declare-combat", hex="2010", units=["poor", "good"])
    assert fought(t).attacker_tactics_open and fought(t).small == 2


def test_31_a_side_without_units_in_order_plays_no_tactics() -> None:
    """9.2, 9.9, 10.21: each of them dispersed or out of supply; the attacker goes on alone."""
    t = field(grey=({}, {}), turn=4)
    by_hand(t)
    t.do("soviet", "end-impulse")
    for name, marker, value in (("d0", "dispersed", "on"), ("d1", "supply", "oos")):
        mark(t, name, marker, value)
    play_event(t)
    put(t, "soviet", "b0", "2009", formation="69")
    take(t, "soviet", "P04")
    t.do("soviet", "play-card", card="P04", what="units", units=["b0"])
    t.do("soviet", "declare-combat", hex="2010", units=["b0"])
    assert [d.to[0] for d in t.game.duties(action="no-tactics")] == ["soviet"]
    assert fought(t).status == "poor"


def test_32_a_second_dark_chit_returns_nothing_more() -> None:
    """9.41: what earlier combats set aside came back with the first; this combat's stay out until it is over."""
    t = command(mode_chits="physical")
    activate(t, "P03", "3T")
    for hits in ("D1, -, -", "D1*, -, D1*"):
        t.do("soviet", "declare-combat", small=2, steps=3)
        draw(t, hits)
        while owed := [d for d in t.game.duties() if d.is_owed]:
            t.do("table", "dismiss", ask=owed[0].id)
    pile = t.game.piles["chits"]
    assert len(pile["cup"]) == 60 and not pile["aside"] and not pile["drawn"]


# -- cards and commands [5, 6] -----------------------------------------------------------------------------------


def test_33_tactics_spent_in_the_enemys_impulse_are_drawn_after_ones_own() -> None:
    """4-IV, 9.2: three cards short until then."""
    t = field()
    decline(t)
    for tactic in ("artillery", "combat engineers"):
        t.do("german", "play-tactic", card=hand(t, "german")[0], tactic=tactic)
    draw(t, "-, -")
    t.do("soviet", "end-impulse")
    assert zones(t, "german")["hand"] == 2
    play_event(t)
    assert zones(t, "german")["hand"] == 4


def test_34_whoever_passed_plays_again() -> None:
    """5.1: and a pass lifts the bar, as this table reads it."""
    t = command(mode_cards="physical")
    set_(t, "last-soviet", "3T")
    for name, number in (("soviet-draw", 0), ("soviet-hand", 1), ("german-hand", 2), ("german-draw", 0)):
        set_(t, name, number)
    t.do("soviet", "pass-impulse")
    assert t.game["last-soviet"] == "" and t.game.active == "german"
    t.do("german", "play-real-card", card="P23", what="activate")
    t.do("german", "end-impulse")
    t.do("soviet", "play-real-card", card="P03", what="activate")
    assert t.game["command"]["for"] == ["3T"]


def test_35_nobody_passes_before_the_cards_are_there() -> None:
    """4-II, 5.1: empty hands of a table that forgot to prepare are no reason to end the phase."""
    t = table()
    t.do("table", "go-to", turn=7, phase="supply")
    t.next()
    assert t.game.phase == "command"
    with refused(NotNow, given="pass-impulse"):
        t.do("german", "pass-impulse")
    t.do("table", "prepare-cards")
    assert hand(t, "german")


def test_36_the_last_card_ends_the_phase_and_leaves_what_is_owed_open() -> None:
    """4-IV.3: the retreat goes along into the end phase."""
    t = field(hits="D1, -")
    t.answer("german", choice="retreat-1")
    for side in ("soviet", "german"):
        for zone in (f"hand:{side}", "draw"):
            for number in list(t.game.piles[f"{side}-cards"][zone]):
                t.record(e.Drawn(f"{side}-cards", (number,), zone, "discard-s", 1))
    with refused(StillOwed):
        t.do("soviet", "end-impulse")
    t.do("soviet", "end-impulse", anyway=True)
    assert t.game.phase == "end" and open_actions(t, "german") == ["retreat"]
    t.answer("german", route=ways(t, "retreat")[0])
    assert place(t, "d0") != "2010"


def test_37_one_unit_moves_digs_in_and_bars_its_corps() -> None:
    """6.1, 6.3, 12.21: it does not attack, and it is the only one this turn."""
    t = command(turn=7)
    put(t, "german", "AH-LAH-IISS", "1510", formation="IISS")
    take(t, "german", "P23")
    t.do("german", "play-card", card="P23", what="one-unit", units=["ah-lah-iiss"])
    with refused(NotNow, given="declare-combat"):
        t.do("german", "declare-combat", small=1, steps=1)
    t.do("german", "build-ip", hexes="1510")
    t.do("german", "end-impulse")
    play_event(t)
    take(t, "german", "P24")
    rows = {f["name"]: f for f in t.form("german", "play-card", card="P24")}
    offered = {c["value"] for c in rows["what"]["choices"]}
    assert "one-unit" not in offered and "kg" not in offered and "deploy" in offered


def test_38_steps_in_their_order_and_where_supply_can_be_traced() -> None:
    """13.1, 13.21: supplied in its phase, cut off now: no step; the map before the box, infantry before tanks."""
    t = command(book=owners_book("edge german 2001\n"), turn=7)
    put(t, "german", "cut", "1512", formation="XL", steps=1, full=2)
    put(t, "german", "near", "2004", formation="XL", steps=1, full=2)
    put(t, "german", "tank", "2005", formation="XL", steps=1, full=2, kind="armour")
    put(t, "german", "dead", "box:eliminated-german", formation="XL", steps=0, full=2)
    take(t, "german", "P23")
    t.do("german", "play-card", card="P23", what="replace", steps=2)
    rows = [f for f in t.form("german", "replace-steps") if f["name"] == "units"]
    assert {c["value"] for c in rows[0]["choices"]} == {"near", "tank", "dead"}
    with refused(Warned) as told:
        t.do("german", "replace-steps", units=["near", "tank"])
    assert told.value.said == ["dead comes first: eliminated non-mechanised unit [13.1]"]
    t.do("german", "replace-steps", units=["near", "dead"])
    assert t.game.units["near"].steps == 2 and place(t, "dead") == "box:reserve-german"
    with refused(NotNow, given="replace-steps"):
        t.do("german", "replace-steps", units=["tank"])


def test_39_reserves_are_offered_until_the_last_is_placed() -> None:
    """5.3, 11.2: one by one, each in play for the next; then the offer is gone."""
    t = command()
    put(t, "soviet", "friend", "0606", formation="3T")
    for name in ("r0", "r1"):
        put(t, "soviet", name, "box:reserve-soviet", formation="3T")
    take(t, "soviet", "P03")
    t.do("soviet", "play-card", card="P03", what="deploy")
    (ask,) = t.asked("soviet")
    assert "r0, r1" in ask["text"]
    t.answer("soviet", unit="r0", hex="0608")
    (ask,) = t.asked("soviet")
    assert ask["text"].endswith("r1")
    t.do("soviet", "deploy-reserve", unit="r1", hex="0610")  # two from r0, four from the friend
    assert not t.asked("soviet")


def test_40_too_many_steps_for_a_stack_are_spoken_against() -> None:
    """7.4: the limit is met with fewer; a stack moved apart meanwhile owes nothing."""
    t = command()
    for n in range(4):
        put(t, "soviet", f"u{n}", "1005", formation="3T", steps=1, full=2)
    activate(t, "P03", "3T")
    t.do("soviet", "end-impulse", anyway=True)
    with refused(Warned) as told:
        t.answer("soviet", units=["u0", "u1"])
    assert told.value.said == ["fewer steps will do [7.4]"]
    t.answer("soviet", units=["u0"])
    assert not t.game.duties()


# -- towns, victory, mud ----------------------------------------------------------------------------------------


def test_41_a_victory_is_withdrawn_with_its_points() -> None:
    """15.2, 12.1: 26 VP are put to both sides; the town retaken before they agree, the game goes on."""
    t = command("star-and-gallop", owners_book("town 1910 L\nvp 1910 2\n"))
    set_(t, "vp", 24)
    t.do("table", "take-town", hex="1910", side="soviet")
    assert t.game["vp"] == 26 and not t.game.ended and t.asked("german")
    t.do("table", "take-town", hex="1910", side="german")
    t.agree()
    assert t.game["vp"] == 24 and not t.game.ended


def test_42_a_town_with_both_sides_on_record_changes_no_hands() -> None:
    """12.1: an advance typed before the retreat does not book points to and fro."""
    t = command(book=owners_book("town 2010 T\nvp 2010 2\n"))
    put(t, "german", "D", "2010", formation="XL")
    red = put(t, "soviet", "red", "2009", formation="3T")
    t.do("soviet", "place-unit", unit=red, hex="2010")
    assert t.game["vp"] == 2
    t.do("german", "place-unit", unit="d", hex="2011")
    assert t.game["vp"] == 4 and t.game.mark("2010", "owner") == "soviet"


def test_43_heavy_mud_mends_supply_and_worsens_nobody() -> None:
    """15.34: markers come off those who can trace, surrender is not asked, dispersal ends with the turn."""
    t = table()
    t.do("table", "go-to", turn=8, phase="cards")
    set_(t, "ground", "heavy-mud")
    for name, state in (("good", "oos"), ("bad", "isolated")):
        mark(t, put(t, "german", name, "2010"), "supply", state)
    mark(t, "bad", "dispersed", "on")
    put(t, "soviet", "red", "2011")
    t.do("table", "prepare-cards")
    t.next()
    t.do("table", "check-supply", by_hand=True, cut=["bad"])
    t.do("table", "check-supply", by_hand=True)
    assert not t.game.mark("good", "supply") and t.game.mark("bad", "supply") == "isolated"
    assert not t.game.duties()
    t.until("reserve", 9)
    assert not t.game.mark("bad", "dispersed")


def test_49_mud_turned_up_in_mid_command() -> None:
    """15.33, 15.34: the marker was forgotten until then; the turn goes on where heavy mud goes on, not from its start."""
    t = table(mode_chits="physical")
    t.do("table", "go-to", turn=6, phase="end")
    t.next()
    t.until("command")
    t.do("german", "turn-up-late", shows="heavy-mud")
    assert (t.game["ground"], t.game.turn, t.game.phase) == ("heavy-mud", 7, "mud-replacements")
    t.next()
    assert (t.game.turn, t.game.phase) == (7, "end")


def test_44_unknown_terrain_is_shown_and_known_terrain_is_kept() -> None:
    """9.4: nothing is taken for clear in silence; the map book counts before what the form began with."""
    for lines, quiet, terrain in (("2010 woods\n", True, "woods"), ("2010-2009 donets\n", False, "clear")):
        t = command(book=owners_book(lines))
        put(t, "german", "D", "2010", formation="XL", factors={"CS2": 3})
        put(t, "soviet", "a", "2009", formation="3T", factors={"CS2": 3})
        activate(t, "P03", "3T")
        rows = {f["name"]: f for f in t.form("soviet", "declare-combat", hex="2010", units=["a"])}
        assert rows["terrain"]["quiet"] is quiet and (quiet or rows["terrain"]["value"] == "clear")
        t.do("soviet", "declare-combat", hex="2010", units=["a"], terrain="clear")
        assert fought(t).terrain == terrain


def test_45_numbers_that_are_needed_are_not_called_optional() -> None:
    """9.3, 9.4, 4-II: the form says what it will demand, and nothing else."""
    t = command()
    activate(t, "P03", "3T")
    rows = {f["name"]: f for f in t.form("soviet", "declare-combat")}
    assert all(rows[name]["required"] for name in ("small", "steps", "strengths"))
    rows = {f["name"]: f for f in t.form("soviet", "declare-combat", large="2")}
    assert not rows["small"]["required"]
    put(t, "german", "D", "2010", formation="XL")
    rows = {f["name"]: f for f in t.form("soviet", "declare-combat", hex="2010")}
    assert not rows["steps"]["required"]  # the record counts them
    shown = [f for f in t.form("soviet", "declare-combat") if not f["quiet"] and not f["hidden"]]
    labels = [f["label"] for f in shown]
    assert len(labels) == len(set(labels)) <= 9
    with refused(Unreadable, field="strengths", given="nine to three"):
        t.do("soviet", "declare-combat", small=2, steps=1, strengths="nine to three")
    t.do("soviet", "declare-combat", small=2, steps=1, strengths="4+5 : 3")
    assert (fought(t).attack, fought(t).defence) == (9, 3)


def test_46_an_event_with_nobody_to_choose_is_a_reminder() -> None:
    """5.4: with units on record that the event cannot mean, nothing is demanded that does not exist."""
    t = command()
    put(t, "soviet", "own", "1005", formation="3T")
    for event in ("air supply", "partisan uprising"):
        before = set(t.game.asked)
        take(t, "soviet", "P02")
        t.do("soviet", "play-card", card="P02", what="event", event=event)
        (ask,) = [a for a in t.asked("soviet") if a["id"] not in before]
        assert not ask["action"]
        t.do("soviet", "dismiss", ask=ask["id"])
        t.do("soviet", "end-impulse")
        play_event(t)
        t.record(e.Returned("soviet-cards", ("P02",), "discard-p", "draw", 1))


def test_47_wrong_seats_never_act_for_the_other_side() -> None:
    """Whatever is owed: the enemy's phone is refused, and nothing changes."""
    t = field(hits="D2, -")
    with refused(NotYours, given="soviet"):
        t.do("soviet", "apply-defence", choice="stand")
    t.answer("german", choice="retreat-2")
    with refused(NotYours, given="soviet"):
        t.do("soviet", "retreat", route=ways(t, "retreat")[0])
    t.answer("german", route=ways(t, "retreat")[0])
    with refused(NotYours, given="german"):
        t.do("german", "advance", units=["a0"])


def test_48_a_card_known_by_its_manifest_is_asked_nothing_it_tells() -> None:
    """5.2-5.5: type, value, formation and steps out of the owner's list."""
    rows = cards()
    rows["P23"] |= {"value": 3, "steps": 2, "events": "engineers", "tactics": "artillery"}
    t = command(book=owners_book(cards=rows), turn=7)
    take(t, "german", "P23")
    for what in ("activate", "replace", "deploy"):
        shown = [
            f["name"]
            for f in t.form("german", "play-card", card="P23", what=what)
            if not f["quiet"] and not f["hidden"]
        ]
        assert shown == [], what  # the command was tapped on the card
