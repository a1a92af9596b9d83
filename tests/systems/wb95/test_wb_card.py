"""What a battle's forms ask and its card tells: strengths in one order, what came of it, for everybody [1.2, 5.2.1]."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from harness import refused

from companion.engine.errors import Several, StillOwed, Unreadable
from companion.engine.forms.fields import Context
from companion.engine.seat.story import battle_story
from companion.engine.seat.words import describe

Make = Callable[..., Any]
SEATS = ("soviet", "german", "table", "watch")


def told(t: Any, seat: str) -> list[str]:
    """What has come of the newest battle, as a seat's card tells it."""
    return [line.label for line in t.view(seat).battles[-1].sheet.effects]


def story(t: Any, seat: str) -> str:
    return battle_story(t.hears(seat)[t.fight.id - 1 :], t.fight.id, t.game)


# -- what is asked


def test_a_gun_whose_strength_nobody_told_joins_with_the_one_typed_beside_it(table: Make) -> None:
    """6.3.3, 1.2: the form is sent as it stands, tick and number together."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "landser", "3011", a=4)
    gun = t.unit("german", "gun", "3013", kind="ART", cel=1)
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles")
    with refused(Unreadable, field="strengths", rule="1.2"):
        t.settle("german", "defend", guns=[gun])
    t.settle("german", "defend", guns=[gun], strengths="2", hq="", anyway="")
    assert t.game.units[gun].factors["D"] == 2
    t.settle("soviet", "roll-combat", die="3 3")
    assert t.breakdown["facts"]["defence"] == 6


class Spy(Mapping[str, Any]):
    """Values that note which of them are looked at."""

    def __init__(self) -> None:
        self.seen: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.seen.add(name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def test_no_field_depends_on_one_that_is_read_after_it(table: Make) -> None:
    """It would be dropped although it was sent."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010")
    t.unit("german", "landser", "3011")
    t.unit("german", "gun", "3013", kind="ART", cel=1)
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles", attack_sp="9")
    duties = {d.action: d for d in t.game.duties()}
    for action in t.rules.actions.values():
        names = list(action.fields)
        for place, (name, item) in enumerate(action.fields.items()):
            if item.when is None or item.type == "dice":
                continue
            spy = Spy()
            item.when(Context(t.game, "german", values=spy, duty=duties.get(action.name)))
            assert not spy.seen & set(names[place:]), f"{action.name}: {name}"


def test_strengths_are_asked_in_the_order_of_the_chips(table: Make) -> None:
    """1.2: the first number is the first chip's, in whatever order they were tapped or put on record."""
    t = table(phase="attack-a", fog=False)
    t.unit("german", "landser", "3011", a=4)
    late, early = t.unit("soviet", "244", "3110"), t.unit("soviet", "13", "3010")
    gun = t.unit("soviet", "1 gun", "3009", kind="ART", cel=1)
    filled = {"target": "3011", "attackers": f"{late},{early}", "attack_guns": gun}
    fields = t.shown("soviet", "resolve-combat", **filled)
    assert [c["value"] for c in fields["attackers"]["choices"]] == [early, late]
    assert fields["attack_sp"]["help"].startswith("13, 244, 1 gun: ")
    assert fields["attack_sp"]["placeholder"] == "4 6 3"  # how to type it, not whose
    t.do("soviet", "resolve-combat", **filled, attack_sp="7 5 2", die="3 3", anyway=True)
    assert [t.game.units[u].factors["A"] for u in (early, late, gun)] == [7, 5, 2]


def test_the_defender_is_asked_for_strengths_that_the_attacker_leaves_empty(table: Make) -> None:
    """5.2.1, 1.2: on record and off it alike."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=9)
    d = t.unit("german", "landser", "3011")
    field = t.shown("soviet", "resolve-combat", target="3011", attackers="rifles")["defence_sp"]
    assert not field["required"]
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles")
    t.settle("german", "defend", strengths="4")
    assert t.game.units[d].factors["D"] == 4
    t.settle("soviet", "roll-combat", die="3 3")
    assert t.breakdown["facts"]["defence"] == 4
    bare = table(phase="attack-a", fog=False).shown("soviet", "resolve-combat", attack="9")
    assert bare["defence"]["value"] is None  # an empty field, where empty means to ask


def test_who_is_counted_is_offered(table: Make) -> None:
    """Attackers ticked for another hex stay in sight until they are taken out."""
    t = table(phase="attack-a", fog=False)
    t.unit("german", "landser", "3011", a=4)
    t.unit("german", "others", "2005", a=4)
    near, far = t.unit("soviet", "near", "3010", a=4), t.unit("soviet", "far", "2004", a=4)
    chips = t.shown("soviet", "resolve-combat", target="3011", attackers=far)["attackers"]
    assert [c["value"] for c in chips["choices"]] == [far, near] and chips["value"] == [far]


def test_the_reverse_of_a_counter_is_asked_anew(table: Make) -> None:
    """1.2: after a loss the printed full strength is never used; the weaker one is kept until the next loss."""
    t = table(phase="attack-a", fog=False)
    a = t.unit("soviet", "rifles", "3010", a=9)
    d = t.unit("german", "landser", "3011", a=4)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, die="6 5")  # 2:1, 11: -1 / -1
    assert t.game.units[a].steps == 1 and "A" not in t.game.units[a].factors
    assert "D" not in t.game.units[d].factors
    t.until("attack-a", 2)
    with refused(Several, field="attack_sp"):
        t.do("soviet", "resolve-combat", target="3011", attackers=a)
    t.do("soviet", "resolve-combat", target="3011", attackers=a, attack_sp="6", defence_sp="2", die="3 3")
    assert t.breakdown["facts"]["attack"] == 6 and t.breakdown["facts"]["defence"] == 2
    assert t.game.units[a].factors["A"] == 6


def test_a_strength_typed_with_an_attack_has_no_line_of_its_own(table: Make) -> None:
    """The attack and its odds come first; the sum tells the strength."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010")
    t.unit("german", "landser", "3011", a=4)
    done = t.do("soviet", "resolve-combat", target="3011", attackers="rifles", attack_sp="9", die="3 3")
    lines = [line for event in done if (line := describe(event.seen_by("soviet"), t.game))]
    assert "3011" in lines[0] and "read off" not in " ".join(lines)
    assert [r.purpose for r in t.view("watch").battles[-1].rolls] == ["combat"]


# -- what came of it


def beaten(table: Make, **options: Any) -> Any:
    """2:1, 6: the Germans must fall back two hexes, and choose to go one and pay one."""
    t = table(phase="attack-a", **{"fog": False, **options})
    t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "landser", "3011", a=4)
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles", die="3 3")
    if "defend" in t.asks():
        t.do("german", "dismiss", ask=t.duty("german", "defend")["id"])
        t.settle("soviet", "roll-combat", die="3 3")
    return t


@pytest.mark.parametrize("seat", SEATS)
def test_the_card_tells_everybody_what_came_of_the_battle(table: Make, seat: str) -> None:
    """5.2.1: retreat, price, way, pursuit and test, instead of what the result would mean."""
    t = beaten(table)
    assert any("fall back" in words for words in told_before(t, seat))
    t.settle("german", "retreat", go=2)
    assert told(t, seat) == ["German falls back 2 hexes"]
    to = t.ways("german", "fall-back")[0]
    t.settle("german", "fall-back", to=to)
    t.settle("soviet", "pursue", to="3011")
    t.settle("german", "take-tests", die="6 5")
    assert told(t, seat) == [
        "German falls back 2 hexes",
        f"landser falls back from 3011 to {to}",
        "rifles pursues into 3011",
        "German: test 11 against 11, landser disorganised",
    ]
    sentence = story(t, seat)
    assert "German falls back 2 hexes." in sentence and "landser disorganised." in sentence
    assert sentence.count(f"\u2192 {to}") == 1 and "falls back from" not in sentence


def told_before(t: Any, seat: str) -> list[str]:
    return [f"{line.label}: {line.effect}" for line in t.view(seat).battles[-1].sheet.effects]


@pytest.mark.parametrize("seat", SEATS)
def test_losses_that_are_taken_by_themselves_are_told(table: Make, seat: str) -> None:
    """5.1.8: there was no choice, so nobody was asked."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "landser", "3011", a=4, cel=1)
    t.do("soviet", "resolve-combat", target="3011", attackers="rifles", die="6 5")  # 2:1, 11: -1 / -1
    assert told(t, seat)[:2] == ["Soviet loses 1 CEL: rifles", "German loses 1 CEL: landser, destroyed"]


def test_under_fog_the_card_names_nobody(table: Make) -> None:
    """16.1.1, 16.1.3."""
    t = beaten(table, fog=True)
    t.settle("german", "retreat", go=2)
    to = t.ways("german", "fall-back")[0]
    t.settle("german", "fall-back", to=to)
    t.do("soviet", "dismiss", ask=t.duty("soviet", "pursue")["id"])
    t.settle("german", "take-tests", die="6 5")
    for seat in SEATS:
        assert told(t, seat)[1:] == [
            f"German falls back from 3011 to {to}",
            "German: test 11, 1 of 1 disorganised",
        ]


def test_the_combats_dice_are_told_from_a_tests(table: Make) -> None:
    """5.2.1, 5.6.2: by what they were rolled for, and by the sheet."""
    t = beaten(table)
    t.settle("german", "retreat", go=2)
    t.settle("german", "fall-back", to=t.ways("german", "fall-back")[0])
    t.do("soviet", "dismiss", ask=t.duty("soviet", "pursue")["id"])
    t.settle("german", "take-tests", die="1 1")
    battle = t.view("watch").battles[-1]
    assert [(r.purpose, r.total) for r in battle.rolls] == [("combat", 6), ("disorganisation test", 2)]
    assert battle.sheet.roll == 6


def test_who_tests_is_named_where_he_may_have_moved(table: Make) -> None:
    """5.6.1: the test comes after retreat and pursuit."""
    t = beaten(table)
    t.settle("german", "retreat", go=2)
    (test,) = [d for d in t.game.duties() if d.action == "take-tests"]
    assert "landser" in test.text and "3011" not in test.text


# -- what ends with its phase


def test_attacks_that_were_not_made_are_not_promised_for_later(table: Make) -> None:
    """5.1.3, 5.1.4: with the phase the chance is gone."""
    t = table(phase="attack-a", fog=False)
    t.unit("soviet", "rifles", "3010", a=9)
    t.unit("german", "landser", "3011", a=4)
    with refused(StillOwed) as said:
        t.do("soviet", "next-phase")
    assert "stays open" not in said.value.after


def test_choosing_missions_is_ticked_off_when_they_open(table: Make) -> None:
    """8.1.7: not before, or the other side would learn who has chosen."""
    t = table("kharkov-1943", phase="air-a")
    t.do("german", "assign-air")
    assert not t.game.ticked
    t.do("soviet", "assign-air")
    assert t.game.ticked == {f"{t.game.turn}/air-a/0"}
