"""Chit draws, situations, hits and their application: the examples of 9.3-9.6 and what follows from them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from harness import bare, refused
from systems.enemy_action_kharkov.ea_bench import (
    SYSTEM,
    activate,
    battle,
    blank_table,
    by_hand,
    chits,
    command,
    decline,
    fought,
    mark,
    open_actions,
    owners_book,
    put,
    set_,
    take,
)

from companion.engine.errors import NotNow, Unreadable, Warned
from companion.systems.enemy_action_kharkov import rules
from companion.systems.enemy_action_kharkov.fight import Fight
from companion.systems.enemy_action_kharkov.hits import adjust
from companion.systems.enemy_action_kharkov.odds import distribution
from companion.systems.enemy_action_kharkov.situations import applies, judge, words
from companion.systems.enemy_action_kharkov.taking import attack_options, defence_options


@pytest.mark.parametrize(
    ("fields", "required", "maximum", "extra"),
    [
        ({"small": 4, "large": 1, "steps": 2, "tactics": 2}, 2, 8, 6),  # 9.3 example
        ({"small": 2, "steps": 3}, 3, 2, 0),  # 9.3: required goes beyond the maximum
        ({"small": 2, "steps": 1, "status": "oos"}, 1, 3, 2),
        ({"small": 2, "steps": 1, "status": "isolated"}, 1, 4, 3),
        ({"small": 2, "steps": 1, "status": "dispersed"}, 1, 2, 1),
        ({"small": 2, "steps": 1, "status": "mixed"}, 1, 3, 2),
        ({"small": 3, "steps": 2, "tactics": 1, "barrage": True}, 2, 5, 3),  # 9.24: artillery for nothing
    ],
)
def test_how_many_chits(fields: dict[str, Any], required: int, maximum: int, extra: int) -> None:
    t = blank_table()
    t.do("table", "go-to", turn=2, phase="command")  # 10.0: on turn 1 nobody lacks supply
    sheet = t.calc("combat", attack=9, defence=3, terrain="clear", **fields)
    assert (sheet.facts["required"], sheet.facts["maximum"], sheet.facts["extra"]) == (
        required,
        maximum,
        extra,
    )


def test_without_a_table_what_is_typed_decides() -> None:
    """`companion calc` knows no turn: who attacks, bad supply and lost support are as they are told."""
    sheet = rules.worksheets["combat"].work(
        {
            "attacker": "german",
            "small": 2,
            "steps": 1,
            "status": "isolated",
            "unsupported": True,
            "hex": "2010",
        },
        bare(SYSTEM),
    )
    fight = sheet.facts["fight"]
    assert (fight["attacker"], fight["status"], fight["supported"]) == ("german", "isolated", False)
    assert sheet.facts["maximum"] == 4 and not sheet.warnings
    order = rules.worksheets["replacement-candidates"].work({"side": "soviet"}, bare(SYSTEM))
    assert len(order.lines) == 4


def test_light_mud_caps_the_draw() -> None:
    t = blank_table()
    set_(t, "ground", "light-mud")
    assert t.calc("combat", small=9, steps=2, attack=9, defence=3).facts["maximum"] == 6


@pytest.mark.parametrize(
    ("situation", "detail", "attack", "defence", "holds"),
    [
        ("ratio at least", "3", 9, 3, True),
        ("ratio over", "1", 5, 4, True),
        ("ratio under", "2", 5, 3, True),
        ("ratio at least", "8:1", 16, 2, True),
        ("ratio under", "1.5", 7, 5, True),
        ("ratio under", "1.5", 8, 5, False),
        ("ratio at least", "3", 8, 3, False),
        ("ratio at least", "3", 1, 0, True),
    ],
)
def test_ratios(situation: str, detail: str, attack: int, defence: int, holds: bool) -> None:
    """9.4: the printed examples, by cross-multiplication."""
    assert applies(situation, detail, Fight(attack=attack, defence=defence), 3) is holds


@pytest.mark.parametrize(
    ("situation", "detail", "fight", "drawn", "holds"),
    [
        ("flank attack", "", {"hexes": 3}, 3, True),
        ("flank attack", "", {"hexes": 1}, 3, False),
        ("flank attack", "", {"hexes": 3, "terrain": "town"}, 3, False),
        ("flank attack", "", {"hexes": 2, "apart": True}, 3, True),
        ("flank attack", "", {"hexes": 2}, 3, False),
        ("one-hex attack", "", {"hexes": 1}, 3, True),
        ("large attack", "", {"attacker": "soviet"}, 6, False),
        ("large attack", "", {"attacker": "soviet"}, 7, True),
        ("large attack", "", {"attacker": "german"}, 6, True),
        ("terrain", "clear, broken", {"terrain": "broken"}, 3, True),
        ("terrain", "town city", {"terrain": "woods"}, 3, False),
        ("combat engineers", "", {"defence_tactics": ["combat engineers"]}, 3, False),
        ("combat engineers", "", {"attack_tactics": ["combat engineers"]}, 3, True),
        ("soviet airpower", "", {"defence_tactics": ["soviet airpower"]}, 3, True),
        ("defender artillery", "", {"attack_tactics": ["artillery"]}, 3, False),
        ("attacker artillery", "", {"attack_tactics": ["artillery"]}, 3, True),
        ("only attacker armour", "", {"attacker_armour": True}, 3, True),
        (
            "only attacker armour",
            "",
            {"attacker_armour": True, "defence_tactics": ["tank brigade"]},
            3,
            False,
        ),
        ("only defender armour", "", {"defence_tactics": ["panzer battalion"]}, 3, True),
        ("command value", "4", {"value": 4}, 3, True),
        ("command value", "4", {"value": 5}, 3, False),
        ("nkvd", "", {"nkvd_event": True}, 3, True),
        ("ip crossfire", "", {"ip": True}, 3, True),
        ("dispersed or unsupplied", "", {"status": "poor"}, 3, True),
        ("dispersed or unsupplied", "", {}, 3, False),
        ("defender adjacent", "", {"adjacent": True}, 3, True),
        ("attack not supported", "", {"attacker": "soviet", "supported": False}, 3, True),
        ("attack not supported", "", {"attacker": "german", "supported": False}, 3, False),
        ("defender not supported", "", {"attacker": "german", "supported": False}, 3, True),
        ("soviets not supported", "", {"attacker": "german", "supported": False}, 3, True),
    ],
)
def test_situations(situation: str, detail: str, fight: dict[str, Any], drawn: int, holds: bool) -> None:
    assert applies(situation, detail, Fight(**fight), drawn) is holds


def test_red_p_decides_when_both_sides_apply() -> None:
    """2.22, 9.4."""
    row = {
        "front": "terrain",
        "front_detail": "clear",
        "front_hits": "D1",
        "front_p": "",
        "back": "flank attack",
    }
    row |= {"back_hits": "D2", "back_p": "yes"}
    assert judge(row, Fight(hexes=3), 3).face == "back"
    assert judge(row, Fight(hexes=1), 3).face == "front"
    assert judge(row, Fight(hexes=1, terrain="town"), 3).face == ""


def enter_all(t: Any, text: str) -> dict[str, int]:
    """Enter a whole combat's chits with a real cup: the totals."""
    t.do(t.game.active, "draw-chits", hits=text)
    return {k: t.game.last_result["breakdown"]["facts"][k] for k in "AD"}


def start(side: str = "soviet", number: int = 3, **fields: Any) -> Any:
    """A combat with a real cup that must draw `number` chits."""
    t = blank_table(mode_chits="physical")
    t.until("cards")
    t.do("table", "prepare-cards", soviet_supplementals=6)
    t.until("command")
    set_(t, "impulse", side)
    card, formation = ("P07", "3T") if side == "soviet" else ("P30", "XL")
    t.do(side, "play-real-card", card=card, kind="supplemental")
    t.do(side, "give-command", what="activate", formations=formation)
    t.do(
        side,
        "declare-combat",
        **{"small": 1, "steps": number, "attack": 9, "defence": 3, "terrain": "clear"} | fields,
    )
    return t


@pytest.mark.parametrize(
    ("side", "text", "totals"),
    [
        ("soviet", "A1 D1, A1, D1", (2, 2)),  # 9.5 examples: totals as printed
        ("soviet", "D2, D2, D-1, A1, D-1", (1, 2)),
        ("soviet", "D2, D2, D-1, A1", (1, 3)),
        ("soviet", "S1, D1, D1, D1", (1, 3)),
        ("german", "S1, D1, D1, D1", (0, 4)),
        ("soviet", "-, D1, -", (0, 1)),
    ],
)
def test_hit_totals(side: str, text: str, totals: tuple[int, int]) -> None:
    t = start(side, number=len(text.split(",")))
    assert enter_all(t, text) == {"A": totals[0], "D": totals[1]}


@pytest.mark.parametrize(
    ("fight", "raw", "final", "spent"),
    [
        ({"terrain": "city"}, (1, 2), (1, 1), False),
        ({"ip": True}, (0, 1), (0, 0), True),
        ({"ip": True}, (1, 0), (1, 0), False),  # 12.24: stays when no hit fell
        ({"terrain": "town", "river": True}, (0, 3), (0, 1), False),
        ({"ip": True, "river": True}, (0, 1), (0, 0), True),
        ({"status": "oos"}, (2, 1), (1, 1), False),
        ({"status": "dispersed-oos"}, (2, 1), (1, 1), False),
        ({"status": "isolated"}, (4, 1), (0, 1), False),
        ({}, (-2, -1), (0, 0), False),
        ({"attack_tactics": ["rifle brigade"]}, (2, 1), (1, 1), False),  # amount from the synthetic book
    ],
)
def test_adjustments(
    fight: dict[str, Any], raw: tuple[int, int], final: tuple[int, int], spent: bool
) -> None:
    t = command()
    sheet = adjust(t.game, Fight(**fight), raw)
    assert (sheet.facts["A"], sheet.facts["D"], sheet.facts["ip_spent"]) == (*final, spent)


def test_ways_to_satisfy_hits() -> None:
    """9.52 example: D3 on two units, A2 on the attackers; and the tables' edges."""
    assert [o for o, _ in defence_options(3, 2)] == ["stand", "retreat-1", "retreat-2"]
    assert [o for o, _ in defence_options(1, 2)] == ["stand", "retreat-1"]
    assert [o for o, _ in defence_options(3, 1)] == ["stand", "retreat-1"]
    assert [o for o, _ in defence_options(3, 0)] == ["stand"]
    assert [o for o, _ in attack_options(1)] == ["steps"]
    assert "lose 1 step" in attack_options(3)[1][1] and "lose 2 steps" in attack_options(4)[1][1]


def test_the_cup_is_refilled_by_a_dark_chit() -> None:
    """9.41: earlier chits return at once, this combat's at its end."""
    t = start(number=2)
    enter_all(t, "D1, -")
    with refused(NotNow, rule="9.0"):
        t.do("soviet", "declare-combat", small=1, steps=3, attack=4, defence=4, terrain="clear")
    t.answer("german", choice="stand")
    cup = t.game.piles["chits"]
    assert (cup.count("cup"), cup.count("aside"), cup.count("drawn")) == (58, 2, 0)
    t.do("soviet", "declare-combat", small=1, steps=3, attack=4, defence=4, terrain="clear")
    t.do("soviet", "draw-chits", hits="D1")
    assert (cup.count("cup"), cup.count("aside")) == (57, 2)
    t.do("soviet", "draw-chits", hits="D2*")
    cup = t.game.piles["chits"]
    assert (cup.count("cup"), cup.count("aside"), cup.count("drawn")) == (58, 0, 2)
    t.do("soviet", "draw-chits", hits="A1")
    assert t.game.piles["chits"].count("cup") == 60


def test_digital_draw_declares_and_totals() -> None:
    t = command()
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", small=4, steps=2, attack=12, defence=4, terrain="clear", hexes=3)
    with refused(NotNow, given="declare-draws"):
        t.do("soviet", "declare-draws", extra=1)
    t.do("soviet", "draw-chits")
    assert len(t.game.piles["chits"]["drawn"]) == 2
    for seat in ("soviet", "german", "table"):  # 9.4: for both players to see, with their faces
        rolls = t.sees(seat)["battles"][-1]["rolls"]
        assert [token["id"] for roll in rolls for token in roll["tokens"]] == fought(t).chits
        for token in [token for roll in rolls for token in roll["tokens"]]:
            row = t.game.face("chits", token["id"])
            for side in ("front", "back"):  # as printed, and not as the row of a book
                assert token[side].endswith(
                    f"{words(row[side], row[f'{side}_detail'])}: {row[f'{side}_hits']}"
                )
            up = [side for side in ("front", "back") if token[side].startswith("\u2713")]
            assert up == list(filter(None, [judge(row, fought(t), 2).face]))
    ask = next(a for a in t.asked("soviet") if a["action"] == "declare-draws")
    sheet = t.calc("extra-draws", extra=2)
    assert abs(sum(sheet.chances.values()) - 1) < 1e-9 and "expected_defender" in sheet.facts
    with refused(Unreadable, field="extra", given="3"):
        t.do("soviet", "declare-draws", extra=3)
    t.do("soviet", "declare-draws", extra=2, _asked=ask["id"])
    assert fought(t).drawn == 4 and battle(t).result
    with refused(NotNow, given="draw-chits"):
        t.do("soviet", "draw-chits")


def test_no_chances_when_the_table_does_not_want_them() -> None:
    t = command(show_chances=False)
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", small=4, steps=2, attack=12, defence=4, terrain="clear")
    t.do("soviet", "draw-chits")
    assert not t.calc("extra-draws", extra=1).chances


def brute(
    cup: list[tuple[tuple[int, int], bool]], aside: list[tuple[int, int]], draws: int
) -> dict[Any, Fraction]:
    """Every order of drawing from a tiny cup, with the refill played out."""
    found: dict[Any, Fraction] = {}

    def go(held: list[Any], put_by: list[Any], left: int, total: tuple[int, int], chance: Fraction) -> None:
        if not left:
            found[total] = found.get(total, Fraction(0)) + chance
            return
        for i, (hits, is_dark) in enumerate(held):
            rest = held[:i] + held[i + 1 :]
            more = [(h, False) for h in put_by] if is_dark else []
            now = (total[0] + hits[0], total[1] + hits[1])
            go(rest + more, [] if is_dark else put_by, left - 1, now, chance / len(held))

    go(cup, aside, draws, (0, 0), Fraction(1))
    return found


@pytest.mark.parametrize("draws", [0, 1, 2, 3])
def test_chances_equal_every_order_of_drawing(draws: int) -> None:
    light = [(0, 1), (0, 1), (1, 0), (0, 2)]
    black = [(1, 1), (0, 0)]
    aside = [(0, -1), (0, 1), (2, 0)]
    cup = [(h, False) for h in light] + [(h, True) for h in black]
    counted = {h: light.count(h) for h in light}
    exact = distribution(counted, black, {h: aside.count(h) for h in aside}, draws, refilled=False)
    assert exact == brute(cup, aside, draws)
    assert sum(exact.values()) == 1


# -- tactics -----------------------------------------------------------------------------------------------------


def test_tactics_add_chits_once_each() -> None:
    t = command()
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear")
    a, b = [c for c in t.game.piles["soviet-cards"]["hand:soviet"]][:2]
    t.do("soviet", "play-tactic", card=a, tactic="artillery")
    with refused(Unreadable, field="tactic", given="artillery"):  # 9.21: a second one is not even offered
        t.do("soviet", "play-tactic", card=b, tactic="artillery")
    german = t.game.piles["german-cards"]["hand:german"][0]
    t.do("german", "play-tactic", card=german, tactic="screen")
    sheet = t.sees("table")["battles"][-1]["sheet"]
    assert sheet["result"] == "1 required, 1 at most"  # 2 units + 1 tactic - 2 screen
    t.do("soviet", "draw-chits")
    with refused(NotNow, given="play-tactic"):
        t.do("soviet", "play-tactic", card=b, tactic="intelligence")
    by_hand(t)
    zone = "discard-p" if a < "P07" else "discard-s"
    assert a in t.game.piles["soviet-cards"][zone]


def test_stavka_gives_every_attack_a_free_tactic() -> None:
    """9.23 example: a different one for each attack."""
    t = command()
    activate(t, "P01", "3T")
    for tactic in ("intelligence", "artillery"):
        t.do("soviet", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear")
        assert t.asked("soviet")[0]["action"] == "bonus-tactic"
        t.answer("soviet", tactic=tactic)
        assert fought(t).attack_tactics == [tactic]
        assert fought(t).value == 4
        by_hand(t)


def test_manstein_gives_two_tactics() -> None:
    t = command()
    activate(t, "P03", "3T")
    t.do("soviet", "end-impulse")
    activate(t, "P23", "XL")
    t.do("german", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear")
    take(t, "german", "P26")
    t.do("german", "play-tactic", card="P26", tactic="artillery", second="german airpower")
    assert fought(t).attack_tactics == ["artillery", "german airpower"]


def test_no_tactics_for_an_unsupported_soviet_attack() -> None:
    t = command(turn=5)
    set_(t, "support-line", "west")
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", small=2, steps=1, attack=6, defence=3, terrain="clear", unsupported=True)
    with refused(NotNow, given="play-tactic"):
        t.do("soviet", "play-tactic", card=t.game.piles["soviet-cards"]["hand:soviet"][0], tactic="artillery")


def test_unknown_adjustments_are_asked_of_the_aid() -> None:
    t = command()
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", small=1, steps=1, attack=6, defence=3, terrain="clear")
    t.do("soviet", "play-tactic", card=t.game.piles["soviet-cards"]["hand:soviet"][0], tactic="tank brigade")
    t.do("soviet", "draw-chits")
    t.do("soviet", "declare-draws", extra=0)
    assert any(a["action"] == "total-hits" for a in t.asked("soviet"))
    t.do("table", "total-hits", defender=1)
    assert battle(t).result


# -- on record ---------------------------------------------------------------------------------------------------


def test_positions_fill_in_the_worksheet() -> None:
    book = owners_book("2010 clear\n2009 marsh\n2010-2009 dniepr\n2110-2010 donets\n")
    t = command(book=book)
    a = put(t, "soviet", "1TC", "2009", formation="3T", kind="armour", steps=3, full=3, factors={"CS3": 7})
    b = put(t, "soviet", "48G", "2110", formation="3T", steps=2, full=2, factors={"CS2": 4})
    put(t, "german", "333", "2010", formation="XL", factors={"CS2": 3})
    put(t, "german", "friend", "1911", formation="XL")
    activate(t, "P03", "3T")
    sheet = t.calc("combat", hex="2010", units=[a, b])
    fight = sheet.facts["fight"]
    assert (fight["attack"], fight["defence"]) == (
        7 // 2 + 4,
        3,
    )  # 9.4: over the Dniepr halved once, rounded down
    assert (fight["small"], fight["large"], fight["steps"]) == (1, 1, 2)
    assert fight["river"] and fight["adjacent"] and fight["attacker_armour"]
    t.do("soviet", "declare-combat", hex="2010", units=[a, b])
    by_hand(t)
    with refused(Warned, field="anyway") as told:
        t.do("soviet", "declare-combat", hex="2010", small=1)
    assert "attacked in this activation already [9.1]" in str(told.value)


def attacked(*defenders: dict[str, Any], **table: Any) -> Any:
    """Defenders in 2010, attacked from 2009 by a two-step unit, with a real cup; tactics declined."""
    t = command(mode_chits="physical", **table)
    for number, facts in enumerate(defenders):
        put(t, "german", f"d{number}", "2010", formation="XL", **facts)
    put(t, "soviet", "red", "2009", formation="3T")
    activate(t, "P03", "3T")
    t.do("soviet", "declare-combat", hex="2010", units=["red"])
    return t


def test_step_losses_in_their_order() -> None:
    """9.61-9.63: a three-step or armoured unit first, then evenly; exactly as many as are owed [9.52]."""
    tank, foot, other = {"kind": "armour", "steps": 2, "full": 3}, {"steps": 1, "full": 1}, {"steps": 2}
    t = attacked(tank, foot, other)
    t.do("soviet", "draw-chits", hits="D2, -, -, -, -")
    t.answer("german", choice="stand")
    with refused(Warned) as told:
        t.answer("german", units=["d1", "d2"])
    assert told.value.said == ["the first loss goes to a three-step or armoured unit: d0 [9.61]"]
    for wrong in (["d0"], ["d0", "d1", "d2"]):
        with refused(Unreadable, rule="9.62", field="units"):
            t.answer("german", units=wrong)
    t.answer("german", units=["d0", "d1"])
    assert [t.game.units[u].steps for u in ("d0", "d2")] == [1, 2]
    assert t.game.units["d1"].place == "box:out"  # one step at full strength: gone for good
    assert not t.asked("german")


def test_what_leaves_no_choice_is_taken_by_itself() -> None:
    """9.6, 9.81: all steps are lost, nobody is asked who; mechanised units may go on into a second hex."""
    t = attacked({"kind": "armour", "steps": 2, "full": 3}, {"steps": 1, "full": 1})
    t.do("soviet", "draw-chits", hits="D3, -, -")
    t.answer("german", choice="stand")
    assert t.game.units["d0"].place == "box:eliminated-german"
    assert t.game.units["d1"].place == "box:out"
    assert open_actions(t, "soviet") == ["advance"] and not t.asked("german")


def test_isolated_units_are_destroyed() -> None:
    t = attacked({"steps": 1, "full": 2})
    mark(t, "d0", "supply", "isolated")
    t.do("soviet", "draw-chits", hits="D1")
    t.answer("german", choice="stand")
    assert t.game.units["d0"].place == "box:out"


def test_dispersal_of_attackers_and_its_end() -> None:
    """9.9: an attacker dispersed by its own attack stays so past this activation, then recovers when activated."""
    t = attacked({"steps": 2})
    unit = "red"
    t.do("soviet", "draw-chits", hits="A2, -")
    t.answer("soviet", choice="disperse")
    t.do("soviet", "end-impulse")
    assert t.game.mark(unit, "dispersed") == "on" and t.game.units[unit].steps == 1
    mark(t, unit, "active", "on")
    set_(t, "impulse", "soviet")
    set_(t, "command", {"card": "P08", "kind": "supplemental", "what": "event"})
    t.game.piles["soviet-cards"].move(["P08"], str(t.game.piles["soviet-cards"].where("P08")), "in-use")
    t.do("soviet", "end-impulse")
    assert not t.game.mark(unit, "dispersed")


def test_nkvd_keeps_soviet_defenders_in_place() -> None:
    t = start("german", number=2)
    decline(t)
    t.do("soviet", "play-real-tactic", card="P09", kind="supplemental", tactic="nkvd")
    t.do("german", "draw-chits", hits="D2, -")
    t.do("table", "total-hits")
    assert battle(t).facts["retreat"] == 0  # 9.7: to stand is all they may, so nobody is asked
    assert not t.asked("soviet")


def test_chit_sheet_of_the_tests_is_synthetic() -> None:
    assert len(chits()) == 60
