"""Retreats, reserves, replacements and withdrawal on record: the examples of 9.7, 11.1, 13.2 and 8.1."""

from __future__ import annotations

from typing import Any

from harness import refused
from systems.enemy_action_kharkov.ea_bench import activate, command, mark, owners_book, put, set_, table, take

from companion.engine.errors import NotNow, Unreadable, Warned
from companion.systems.enemy_action_kharkov.reserves import delayed, placement
from companion.systems.enemy_action_kharkov.retreat import routes
from companion.systems.enemy_action_kharkov.stacking import overstacked


def ways(t: Any, *units: str, length: int = 1) -> dict[str, int]:
    found = routes(t.game, [t.game.units[u] for u in units], length)
    return {" ".join(w.hex for w in way): cost for way, cost in found}


def retreat_example(*reds: str) -> Any:
    """9.7 example: A 1911, B 1711, C 1611, D 2010; the Soviets stand where the example's words fit."""
    t = command(book=owners_book("edge german 0115 1915 1715 1515 2115\ntown 1910 Lozovaia\n"))
    for name, place, steps in (("A", "1911", 2), ("B", "1711", 3), ("D", "2010", 2)):
        put(t, "german", name, place, formation="XL", steps=steps, full=max(steps, 2))
    for name in ("C1", "C2"):
        put(t, "german", name, "1611", formation="XL", steps=2)
    for place in reds:
        put(t, "soviet", f"red {place}", place)
    mark(t, "1910", "owner", "soviet")
    return t


def test_unit_a_goes_west() -> None:
    t = retreat_example("1910", "1810", "2112")
    assert ways(t, "a") == {"1912": 0}


def test_unit_b_goes_two_hexes() -> None:
    """Every hex is free of enemy zones: 1612, 1713 or 1812."""
    t = retreat_example("1710", "1810", "1610")
    assert set(ways(t, "b", length=2).items()) == {("1712 1612", 0), ("1712 1713", 0), ("1712 1812", 0)}


def test_unit_c_pays_a_step() -> None:
    """1612 would hold seven steps; what is left lies in the zone of the unit that took B's hex."""
    t = retreat_example("1610", "1511")
    t.do("table", "place-unit", unit="b", hex="1612")
    put(t, "soviet", "advanced", "1711")
    assert ways(t, "c1", "c2") == {"1512": 1, "1712": 1}


def test_unit_d_avoids_elimination() -> None:
    """D loses one step by 2011 then 1912, where a friend stands; 2111 then 2210 would cost two."""
    t = retreat_example("2009", "2110", "2112", "2211")
    t.do("table", "place-unit", unit="a", hex="1912")
    put(t, "soviet", "in A", "1911")
    assert ways(t, "d", length=2) == {"2011 1912": 1}


def test_enemy_towns_and_blocked_rivers_are_closed() -> None:
    t = command(book=owners_book("town 1911 T\n2010-2011 blocked dniepr\n2010-2111 dniepr\n"))
    mark(t, "1911", "owner", "soviet")
    put(t, "german", "D", "2010", formation="XL")
    found = ways(t, "d")
    assert "1911" not in found and "2011" not in found and "2111" not in found
    put(t, "soviet", "r1", "2008")  # its zone covers the east
    assert set(found) == {"1910", "2009", "2110"}


def test_retreat_on_record_moves_and_disperses() -> None:
    t = command()
    d = put(t, "german", "D", "2010", formation="XL", steps=2)
    red = put(t, "soviet", "red", "2009", formation="3T")
    activate(t, "P03", "3T")
    set_(t, "mode-chits", "physical")
    t.do("soviet", "declare-combat", hex="2010", units=[red])
    t.do("soviet", "draw-chits", hits="D2, -")
    t.answer("german", choice="retreat-2")
    with refused(Unreadable, field="route", given="2009-2008"):
        t.do("german", "retreat", route="2009-2008")
    t.do("german", "retreat", route="2011-2012")
    assert t.game.units[d].place == "2012"
    assert t.game.mark(d, "dispersed") == "on"


# -- reserves ----------------------------------------------------------------------------------------------------

DEPLOY = """
area "4th panzer army" 1108 1407 1507 1106 1110 1205
edge german 1115
source german 1115
road 1115 1114 1113 1112 1111 1110 1109 1108 1208 1308 1407 1507
"""


def reserve_table() -> Any:
    t = command(book=owners_book(DEPLOY), turn=7)
    put(t, "german", "LVII unit", "1110", formation="LVII")
    put(t, "soviet", "red", "1104", formation="3T")
    for name in ("AH", "DF", "DR", "DL"):
        put(t, "german", name, "box:reserve-german", formation="IISS", kind="mechanised", steps=3, full=3)
    take(t, "german", "P44")
    t.do("german", "play-card", card="P44")
    t.do("german", "give-command", what="deploy", formations="IISS")
    return t


def failed(t: Any, unit: str, hex: str, how: str = "tactical") -> set[str]:
    """What stands against placing a reserve."""
    return {test.what for test in placement(t.game, t.game.units[unit], hex, how) if test.passed is False}


def test_four_units_of_iiss() -> None:
    """11.1 example: first within three of the army, then of the corps; stacking sends the last to 1507."""
    t = reserve_table()
    t.do("german", "deploy-reserve", unit="ah", hex="1108")
    t.do("german", "deploy-reserve", unit="df", hex="1407")
    t.do("german", "deploy-reserve", unit="dr", hex="1407")
    with refused(Warned):
        t.do("german", "deploy-reserve", unit="dl", hex="1407")
    assert failed(t, "dl", "1407") == {"stacking"}
    t.do("german", "deploy-reserve", unit="dl", hex="1507")
    assert not [u for u in t.game.units.values() if u.place == "box:reserve-german"]


def test_distance_area_and_heads() -> None:
    t = reserve_table()
    with refused(Warned):
        t.do("german", "deploy-reserve", unit="ah", hex="1106")
    assert "distance" in failed(t, "ah", "1106")
    with refused(Warned):
        t.do("german", "deploy-reserve", unit="ah", hex="1112")
    assert "area" in failed(t, "ah", "1112")
    with refused(Warned):
        t.do("german", "deploy-reserve", unit="ah", hex="1205", how="strategic")
    assert "head" in failed(t, "ah", "1205", "strategic")
    sheet = t.calc("deployment", unit="ah", hex="1108", how="tactical")
    assert sheet.result == "allowed"


def test_only_named_formations_are_deployed() -> None:
    t = reserve_table()
    put(t, "german", "other", "box:reserve-german", formation="XL")
    with refused(Warned) as told:
        t.do("german", "deploy-reserve", unit="other", hex="1108")
    assert told.value.said[0] == "the card deploys IISS, not XL [5.3]"


def test_arrivals_and_delayed_reserves() -> None:
    """4-I, 11.3: full-strength units two turns late need no card."""
    t = table()
    put(t, "german", "late", "", formation="XL", turn=2)
    put(t, "german", "reduced", "box:reserve-german", formation="XL", turn=1, steps=1)
    t.until("reserve", 2)
    assert t.game.units["late"].place == "box:reserve-german"
    t.until("reserve", 4)
    assert [u.id for u in delayed(t.game)] == ["late"]
    assert any("late" in a["text"] for a in t.asked("german"))
    t.do("german", "deploy-reserve", unit="late", hex="1510", how="strategic", anyway=True)
    assert t.game.units["late"].place == "1510"


# -- replacements ------------------------------------------------------------------------------------------------


def test_two_steps_in_xl_panzer_corps() -> None:
    """13.2 example: the reduced 333rd first, then Wes/Wik/XL from the eliminated box to the reserve."""
    t = command(turn=7)
    foot = put(t, "german", "679.333.XL", "1510", formation="XL", steps=1, full=2)
    put(t, "german", "full", "1511", formation="XL", steps=2, full=2)
    wiking = put(
        t, "german", "Wes-Wik-XL", "box:eliminated-german", formation="XL", kind="mechanised", steps=1, full=2
    )
    take(t, "german", "P23")
    t.do("german", "play-card", card="P23")
    t.do("german", "give-command", what="replace", formations="XL", steps=2)
    assert t.calc("replacement-candidates", side="german").facts["candidates"] == [foot, wiking]
    with refused(Warned) as told:
        t.do("german", "replace-steps", units=[wiking])
    assert "comes first" in told.value.said[0] and "[13.1]" in told.value.said[0]
    t.do("german", "replace-steps", units=[foot, wiking])
    assert t.game.units[foot].steps == 2
    assert (t.game.units[wiking].place, t.game.units[wiking].steps) == ("box:reserve-german", 1)
    with refused(NotNow, given="replace-steps"):
        t.do("german", "replace-steps", units=[foot])
    t.do("german", "end-impulse")
    assert not t.game["last-german"]  # 6.3: not an activation


def test_who_gets_no_step() -> None:
    t = command(turn=7)
    unit = put(t, "german", "oos", "1510", formation="XL", steps=1, full=2)
    mark(t, unit, "supply", "oos")
    put(t, "german", "tiny", "1511", formation="XL", steps=1, full=1)
    put(t, "german", "reserve", "box:reserve-german", formation="XL", steps=1, full=2)
    put(t, "german", "gone", "box:out", formation="XL", steps=1, full=2)
    take(t, "german", "P23")
    t.do("german", "play-card", card="P23")
    t.do("german", "give-command", what="replace", formations="XL")
    assert t.calc("replacement-candidates", side="german").facts["candidates"] == []


def test_heavy_mud_gives_two_infantry_steps() -> None:
    t = table()
    t.do("table", "go-to", turn=8, phase="cards")
    set_(t, "ground", "heavy-mud")
    a = put(t, "soviet", "a", "1005", formation="3T", steps=1, full=2)
    b = put(t, "soviet", "b", "box:eliminated-soviet", formation="69", steps=1, full=2)
    put(t, "soviet", "tank", "1006", formation="69", kind="armour", steps=1, full=2)
    t.next()
    t.next()
    assert t.game.phase == "mud-replacements"
    t.do("soviet", "mud-replacements", side="soviet", units=[a, b])
    assert t.game.units[a].steps == 2 and t.game.units[b].place == "box:reserve-soviet"


# -- on the ground -----------------------------------------------------------------------------------------------


def test_withdrawal_of_a_surrounded_stack() -> None:
    """8.1."""
    t = command()
    unit = put(t, "soviet", "48G", "1510", formation="3T", steps=2)
    for place in ("1408", "1412", "1608", "1612"):
        put(t, "german", f"g {place}", place, formation="XL")
    activate(t, "P03", "3T")
    with refused(Warned) as told:
        t.do("soviet", "withdraw", units=[unit], hex="1511")
    assert told.value.said[0].startswith("not surrounded") and "[8.1]" in told.value.said[0]
    for place in ("1409", "1411", "1609", "1610"):
        put(t, "german", f"h {place}", place, formation="XL")
    t.do("soviet", "withdraw", units=[unit], hex="1511")
    assert t.game.units[unit].place == "1511"
    assert t.game.units[unit].steps == 1  # alone he pays, and is not asked
    with refused(Warned) as told:
        t.do("soviet", "build-ip", hexes="1511")
    assert "1511: no active unit there that stood still [12.21]" in told.value.said


def test_overstacking_is_pointed_out() -> None:
    """7.4: three units, six steps."""
    t = table()
    for n in range(3):
        put(t, "soviet", f"u{n}", "1005", steps=2)
    assert not overstacked(t.game)
    put(t, "soviet", "u3", "1005", steps=1)
    assert overstacked(t.game) == {"1005": "4 units, 7 steps"}
    assert any(p["title"] == "Too many in a hex" for p in t.sees("table")["panels"])
