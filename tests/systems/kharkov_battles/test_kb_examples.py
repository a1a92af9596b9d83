"""The rulebook's own combat examples, played from their designation to their end."""

import pytest
from harness import refused
from kb_bench import answer, battle, designate, duties, enrol, jump, mapped, options, printed, total, warned

from companion.engine.errors import Unreadable
from companion.systems.kharkov_battles.designate import owed


def example(t=None):
    """The Combat Example after 12.85: stacks 3, 4 and 5 against C, and a soak-off against D.

    C stands in KB3011. 60. Motorized attacks from KB3010 and KB3012, an infantry division from KB3111; its hex also
    holds the breakdown regiment that holds off D in KB3211. Strengths add up to 29 against 5 and 3 against 6.
    """
    t = t or printed("operation-star")
    jump(t, "axis-combat", 1)
    units = {
        "92": enrol(
            t, "axis", "92/60M", "motorized", "KB3010", size="III", formation="60.Motorized", strength=9
        ),
        "120": enrol(
            t, "axis", "120/60M", "motorized", "KB3012", size="III", formation="60.Motorized", strength=9
        ),
        "inf": enrol(t, "axis", "Inf", "infantry", "KB3111", strength=11),
        "reg": enrol(t, "axis", "Reg", "breakdown regiment", "KB3111", size="III", strength=3),
        "south": enrol(t, "axis", "South", "infantry", "KB2811", strength=2),
    }
    for name, strength in (("R1", 2), ("R2", 2), ("R3", 1)):
        units[name] = enrol(t, "soviet", name, "rifle", "KB3011", strength=strength)
    units["G"] = enrol(t, "soviet", "Guards", "rifle", "KB3211", strength=4, steps=2, guards=True)
    units["T"] = enrol(t, "soviet", "Tank Bde", "tank", "KB3211", size="X", strength=2)
    return t, units


def test_the_combat_example_to_its_end():
    """12.1, 12.23, 12.42, 12.5, 12.62, 12.63, 12.65, 12.73: as the rulebook tells it."""
    t, u = example()
    designate(t, "KB3011", u["92"], u["120"], u["inf"])
    assert owed(t.game) == {"KB3211": ["Inf"]}  # stack D must be attacked as well
    designate(t, "KB3211", u["reg"])
    assert not owed(t.game)
    main, soak = [d["id"] for d in duties(t, "axis", "begin-assault")]
    t.do("axis", "begin-assault", _asked=main)
    first = t.game.battles[t.game.asked[duties(t, "axis", "roll-assault")[0]["id"]].battle]
    sheet = t.sees("axis")["battles"][0]["sheet"]
    effects = {line["label"]: line["effect"] for line in sheet["lines"]}
    assert effects["29 : 5, rounded for the defender"] == "5-1"
    assert (
        effects["Combined Arms"] == "+1"
        and effects["Encirclement"] == "+1"
        and sheet["facts"]["final"] == "7-1"
    )
    answer(t, "axis", "roll-assault", die="4")
    assert t.game.battles[first.id].result == "D(1)r2"

    # Both attacks of stack 3's hex are rolled before any result is applied.
    with warned("12.23", "Attack on KB3211"):
        answer(t, "soviet", "settle-result", more=0)
    t.do("axis", "begin-assault", _asked=soak)
    answer(t, "axis", "roll-assault", die="6")
    second = battle(t)
    assert (second.sheet["column"], second.result) == ("1-2", "Ar1")

    # The regiment's only step would pay for the hex; it accepts the retreat.
    assert options(t, "axis", "settle-result", "more") == {
        "0": "Retreat 1 hex",
        "1": "Lose 1 step, stand fast",
    }
    answer(t, "axis", "settle-result", more=0)
    answer(t, "axis", "fall-back", to=next(iter(options(t, "axis", "fall-back", "to"))))
    assert t.game.units[u["reg"]].place not in ("KB3111", "box:regiments")

    # The Soviet loser: one step at once, then both others, or two hexes through the zones.
    assert options(t, "soviet", "settle-result", "more") == {
        "0": "Lose 1 step, retreat 2 hexes",
        "1": "Lose 2 steps, retreat 1 hex",
        "2": "Lose 3 steps, stand fast",
    }
    answer(t, "soviet", "settle-result", more=0)
    answer(t, "soviet", "take-losses", how=f"{u['R3']}:1", no_line=True)
    assert t.game.units[u["R3"]].place == "box:dead"
    ways = options(t, "soviet", "fall-back", "to")
    assert all("lose" in words for hex_id, words in ways.items() if hex_id != "map")
    answer(t, "soviet", "fall-back", to=next(iter(ways)))
    answer(t, "soviet", "take-losses", how=f"{u['R1']}:1")
    assert t.game.units[u["R1"]].place == "box:pool" and t.game.units[u["R2"]].on_map

    # Now stacks 3, 4 and 5 may advance; the foot only one hex after the encirclement.
    ask = next(a for a in duties(t, "axis", "advance") if "up to 2 hexes" in a["text"])
    assert "non-mechanized units 1 hex" in ask["text"]
    t.do("axis", "advance", _asked=ask["id"], units=[u["92"], u["inf"]])
    assert {t.game.units[u[n]].place for n in ("92", "inf")} == {"KB3011"}


def test_the_soviet_player_may_rather_lose_all_three():
    """12.62, 12.8: standing fast with the last step allows no advance."""
    t, u = example()
    designate(t, "KB3011", u["92"], u["120"], u["inf"])
    answer(t, "axis", "begin-assault")
    answer(t, "axis", "roll-assault", die="4")
    answer(t, "soviet", "settle-result", more=2)
    answer(t, "soviet", "take-losses", how="+".join(f"{u[n]}:1" for n in ("R1", "R2", "R3")), no_line=True)
    assert all(t.game.units[u[n]].place == "box:dead" for n in ("R1", "R2", "R3"))
    assert not duties(t, "axis", "advance") and not t.game.fighting


def test_a_friend_beside_the_defender_costs_the_encirclement():
    """12.5: the example's own remark about stack D."""
    t, u = example()
    t.do("soviet", "place-unit", unit=u["G"], hex="KB3110")
    designate(t, "KB3011", u["92"], u["120"], u["inf"])
    answer(t, "axis", "begin-assault")
    assert t.sees("axis")["battles"][0]["sheet"]["facts"]["final"] == "6-1"


def test_the_step_loss_example():
    """12.62: D(2)r2 on an Axis force; two units a step each or one unit both, then three options."""
    t = printed("operation-star")
    jump(t, "soviet-combat", 1)
    enemy = enrol(t, "soviet", "3 Tank", "tank", "KB3010", size="X", strength=9)
    two = [enrol(t, "axis", f"{n} Inf", "infantry", "KB3011", strength=3, steps=2, half=True) for n in (1, 2)]
    designate(t, "KB3011", enemy)
    answer(t, "soviet", "begin-assault")
    answer(t, "soviet", "roll-assault", die="9")
    answer(t, "soviet", "enter-result", result="D(2)r2")
    assert options(t, "axis", "settle-result", "more") == {
        "0": "Lose 2 steps, retreat 2 hexes",
        "1": "Lose 3 steps, retreat 1 hex",
        "2": "Lose 4 steps, stand fast",
    }
    answer(t, "axis", "settle-result", more=0)
    assert set(options(t, "axis", "take-losses", "how").values()) == {
        "1 Inf \u22122",
        "1 Inf \u22121, 2 Inf \u22121",
        "2 Inf \u22122",
    }
    answer(t, "axis", "take-losses", how=f"{two[0]}:1+{two[1]}:1")
    assert all(t.game.mark(unit, "cadre") for unit in two)


def test_attack_determination():
    """12.1's example: a city exerts no zone, and none crosses a Major River in the combat phase."""
    t = mapped(("city", "KB3009", "", "D"), ("side", "KB3010", "KB3110", "major river"))
    jump(t, "axis-combat", 1)
    stack = enrol(t, "axis", "2", "infantry", "KB3010", strength=9)
    for name, hex_id in (("D", "KB3009"), ("C", "KB3011"), ("E", "KB3110")):
        enrol(t, "soviet", name, "rifle", hex_id, strength=3)
    designate(t, "KB3009", stack)  # against the city: C must be attacked by someone, E not
    assert owed(t.game) == {"KB3011": ["2"]}


def test_silhouettes_stay_out_of_the_marsh():
    """12.1's example, 12.33: unless a road leads in."""
    t = mapped(("terrain", "KB3011", "", "marsh"))
    jump(t, "axis-combat", 1)
    t.do("table", "correct", name="weather", value="clear")
    gun = enrol(t, "axis", "AG", "assault gun", "KB3010", size="II", silhouette=True, strength=3)
    enrol(t, "soviet", "E", "rifle", "KB3011", strength=3)
    with warned("12.33", "AG is a silhouette unit"):
        designate(t, "KB3011", gun)


@pytest.mark.parametrize(("result", "places"), [("Dr3", True), ("AD", False)])
def test_the_mobile_example(result, places):
    """11.2's example: seven MP in all; a beaten unit goes three hexes, and the panzer into its hex."""
    t = printed("operation-star")
    jump(t, "axis-move", 2)
    t.do("table", "correct", name="weather", value="clear")
    x = enrol(t, "axis", "X", "panzer", "KB3010", size="III", formation="6 Pz", strength=9, steps=2)
    z = enrol(t, "soviet", "Z", "rifle", "KB3011", strength=3)
    t.do("axis", "declare-mobile", unit=x, target="KB3011")
    assert (total(t, "attack"), total(t, "defence")) == (9, 3)
    answer(t, "axis", "roll-mobile", die="5")
    answer(t, "axis", "enter-result", result=result)
    if places:
        ways = options(t, "axis", "fall-back", "to")
        with refused(Unreadable, field="to", given="KB3012"):  # one hex is not three
            answer(t, "axis", "fall-back", to="KB3012")
        answer(t, "axis", "fall-back", to=next(iter(ways)))
        assert t.game.units[z].place in ways and t.game.units[x].place == "KB3011"
    else:
        assert t.game.mark(x, "disorganized") and t.game.units[x].place == "KB3010"
