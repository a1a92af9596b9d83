"""A whole game from set-up to score with a synthetic owner's book, and every other way a game can end."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import pytest
from harness import Bench
from systems.panzer_keil.pk_bench import RAILS, owners_book, reply, table

from companion.engine.forms.fields import Context
from companion.engine.record.game import Game, replay
from companion.systems.panzer_keil.base import has_attacked
from companion.systems.panzer_keil.condition import waiting
from companion.systems.panzer_keil.support import targets

GROUND = RAILS + "2040 2041 2042 2039 clear\nrail 2030 2029 2028\n"

GERMANS = {
    "ss-w-1": "2034",
    "ss-w-2": "2034",
    "302id": "2035",
    "19pzd": "1529",
    "6a-1": "1703",
    "6a-2": "1803",
}
SOVIETS = {
    "southwestern-hq": "1420",
    "southwestern-1": "2033",
    "southwestern-2": "2031",
    "southwestern-3": "2032",
    "don-hq": "1608",
    "don-1": "1704",
    "don-2": "1804",
    "voronezh-hq": "1016",
    "southern-hq": "1812",
}
COUNTERS: dict[str, Any] = {
    "ss-w-1": {"kind": "armour", "nation": "german", "AF": 9, "DF": 7, "MF": 8, "XAF": 5, "XDF": 4, "XMF": 4},
    "ss-w-2": {"kind": "mechanized infantry", "nation": "german", "AF": 6, "DF": 6, "XAF": 3, "XDF": 4},
    "302id": {"kind": "infantry", "nation": "german", "AF": 4, "DF": 5},
    "19pzd": {"kind": "armour", "nation": "german", "AF": 8, "DF": 6, "XAF": 4, "XDF": 4},
    **{f"6a-{n}": {"kind": "infantry", "nation": "german", "AF": 2, "DF": 3} for n in range(1, 22)},
    **{f"southwestern-{n}": {"kind": "infantry", "nation": "soviet", "AF": 4, "DF": 4} for n in (1, 2)},
    "southwestern-3": {"kind": "armour", "nation": "soviet", "AF": 7, "DF": 5, "XAF": 4, "XDF": 3},
    "don-1": {"kind": "infantry", "nation": "soviet", "AF": 6, "DF": 5},
    "don-2": {"kind": "infantry", "nation": "soviet", "AF": 6, "DF": 5},
}


def started(**options: Any) -> Bench:
    t = table(owners_book(GROUND, counters=COUNTERS), units=False, **options)
    t.do("table", "set-up")
    for unit, place in {**GERMANS, **SOVIETS}.items():
        t.do("table", "place-unit", unit=unit, hex=place)
    return t


def every_screen_draws(t: Bench) -> None:
    """Each seat sees its page, and each offered action its form."""
    for seat in ("table", "soviet", "german", "watch"):
        seen = t.sees(seat)
        for offered in seen["actions"]:
            t.form(seat, offered["name"])


def settle(t: Bench) -> None:
    """Answer whatever can be answered: with the first choice of every card, all else as offered."""
    for _ in range(60):
        live = [(seat, ask) for seat in ("soviet", "german") for ask in t.asked(seat) if ask["live"]]
        if not live:
            return
        seat, ask = live[0]
        if ask["action"] in ("", "place-formation"):
            t.do(seat, "dismiss", ask=ask["id"])
        else:
            t.do(seat, ask["action"], _asked=ask["id"], **filled(t, ask))


def filled(t: Bench, ask: dict[str, Any]) -> dict[str, Any]:
    """A card filled in as a player in a hurry would."""
    found: dict[str, Any] = {}
    for row in ask["form"]:
        choices = [c["value"] for c in row.get("choices", ())]
        if row["type"] == "whole":
            found[row["name"]] = 9
        elif row["value"] in (None, "", []) and choices:
            found[row["name"]] = choices[:1] if row.get("many") else choices[0]
        elif row["value"] not in (None, "", []):
            found[row["name"]] = row["value"]
    if ask["action"] in ("retreat", "lose-units") and "lost" in found or "units" in found:
        short = ask["args"].get("hexes", 0) if ask["action"] == "retreat" else 2
        name = "lost" if "lost" in found else "units"
        if ask["action"] == "retreat" or ask["args"].get("result", "") in ("AL2", "DL2"):
            row = next(r for r in ask["form"] if r["name"] == name)
            found[name] = [c["value"] for c in row["choices"]][:short]
    return found


def attack(t: Bench, side: str, die: str) -> bool:
    """Let the first able stack attack the first enemy beside it."""
    game = t.game
    for unit in [u for u in game.units.values() if u.side == side and u.on_map and u.factors.get("AF")]:
        if game.mark(unit.id, "disrupted") or has_attacked(game, unit.id):
            continue
        for place in game.maps.neighbours(unit.place):
            foes = [u for u in game.units_at(place) if u.side != side]
            if foes and all(u.factors.get("DF") for u in foes):
                try:
                    t.do(side, "resolve-combat", target=place, attackers=[unit.id], die=die)
                except ValueError:
                    continue  # a strength of 0
                settle(t)
                return True
    return False


@pytest.mark.slow
def test_a_whole_game_to_its_score() -> None:
    t = started()
    dice = cycle("4152643")
    seen: set[str] = set()
    recoveries = 0
    while not t.game.ended and t.game.turn < 15:
        phase, side = t.game.phase, t.game.active
        seen.add(phase)
        every_screen_draws(t)
        if phase == "weather":
            t.do("soviet", "roll-weather", die="1" if t.game.turn < 9 else "6")
        elif phase.endswith("-supply"):
            t.do(side, "check-supply")
            settle(t)
            pool = "german-sp" if side == "german" else "southwestern-sp"
            tired = [
                u.id
                for u in t.game.units.values()
                if u.side == side
                and t.game.mark(u.id, "exhausted")
                and not t.game.mark(u.id, "oos")
                and not t.game.mark(u.id, "disrupted")
            ]
            if tired and t.game[pool]:
                more = {"front": "southwestern"} if side == "soviet" else {}
                try:
                    t.do(side, "spend-supply", units=tired[:1], **more)
                except ValueError as mistake:
                    assert "command" in str(mistake) or "Don" in str(mistake)
        elif phase == "german-support":
            for target in targets(t.game, "german")[:1]:
                t.do("german", "allot-support", target=target, points=2)
                reply(t, "german", "roll-support", die=next(dice), anyway=True)
                settle(t)
        elif phase.endswith("-combat"):
            for _ in range(3):
                if not attack(t, side, next(dice)):
                    break
        elif phase.endswith("-recovery"):
            if "recover" in {a["name"] for a in t.sees(side)["actions"]}:
                t.do(side, "recover")
                recoveries += 1
        elif phase.endswith("-move"):
            if side == "german":
                _reinforce(t)
            close_up(t, side)
        elif phase == "scoring":
            settle(t)
            t.do("table", "score-game")
            break
        settle(t)
        t.next()
    assert t.game.ended, f"never ended: turn {t.game.turn}, {t.game.phase}"
    assert len(seen) == 13 and t.game["weather"] == "mud"
    assert t.game.ended.winner in ("soviet", "german") and "points" in t.game.ended.why
    kinds = {event.KIND for event in t.events}
    assert {
        "advanced",
        "set",
        "rolled",
        "placed",
        "marked",
        "resolved",
        "asked",
        "answered",
        "ended",
    } <= kinds
    battles = [event for event in t.events if event.KIND == "resolved"]
    assert len(battles) > 15 and recoveries
    again = replay(Game(t.system.kit, "winter-1943", t.book), t.events)
    assert again.dump() == t.game.dump()
    places = [u.place for u in t.game.units.values()]
    assert len(places) == 223  # nobody is lost from the record


def _reinforce(t: Bench) -> None:
    units = [u.id for u in waiting(Context(t.game, "german")) if "rail" in u.entry][:3]
    free = [f"{row:02d}50" for row in range(14, 30) if len(t.game.units_at(f"{row:02d}50")) < 1]
    if units:
        t.do("german", "enter-units", units=units, hex=free[0])


def close_up(t: Bench, side: str) -> None:
    """March every able unit beside the nearest enemy."""
    game = t.game
    for unit in [u for u in game.units.values() if u.side == side and u.on_map and u.factors.get("AF")]:
        foes = {u.place for u in game.units.values() if u.on_map and u.side != side and u.factors.get("DF")}
        near = sorted((game.maps.distance(h, unit.place), h) for h in foes)
        if game.mark(unit.id, "disrupted") or not near or not 1 < near[0][0] < 15:
            continue
        for hex_id in game.maps.neighbours(near[0][1]):
            stack = game.units_at(hex_id)
            if len(stack) < 3 and all(u.side == side for u in stack):
                t.do(side, "place-unit", unit=unit.id, hex=hex_id)
                break


@pytest.mark.parametrize(
    ("fields", "winner", "level"),
    [
        ({"held": "2147 0941", "foot": 5}, "soviet", "strategic"),
        ({"held": "0941", "foot": 3}, "soviet", "tactical"),
        ({"held": "0147", "foot": 1}, "soviet", "narrow"),
        ({"held": "0941", "foot": 10}, "german", ""),
        ({"held": "0147", "foot": 5}, "german", "narrow"),
        ({"held": "0147", "foot": 15}, "german", "tactical"),
        ({"held": "0147", "foot": 20}, "german", "strategic"),
    ],
)
def test_with_nothing_typed_in_but_dice_and_score(fields: dict[str, Any], winner: str, level: str) -> None:
    """The lowest rung: no units, no map, no charts."""
    t = table(units=False)
    while not t.game.ended:
        if t.game.phase == "weather":
            t.do("table", "roll-weather")
            reply(t, "table", "enter-result", result="mud, last square" if t.game.turn == 3 else "snow")
        elif t.game.phase.endswith("combat"):
            t.do("table", "resolve-combat", full="6", defence=3)
            for ask in t.asked("table"):
                if ask["action"] == "enter-result":
                    t.do("table", "enter-result", _asked=ask["id"], result="C")
        elif t.game.phase == "scoring":
            for ask in t.asked("table"):
                t.do("table", "dismiss", ask=ask["id"])  # what was done on the map
            t.do("table", "score-game", **{"majors": 0, "towns": 0, "mech": 0, "allies": 0, **fields})
            break
        every_screen_draws(t)
        t.next()
    assert t.game.turn == 3
    assert t.game.ended and (t.game.ended.winner, t.game.ended.level) == (winner, level)


def test_hitler_captured_ends_the_game_at_once() -> None:
    t = started()
    t.until("soviet-move", 8)
    t.do("soviet", "place-unit", unit="southwestern-3", hex="2547")
    t.answer("soviet", die="6")
    assert not t.game.ended  # both sides are told first
    t.agree()
    assert t.game.ended and t.game.ended.level == "decisive"


def test_a_game_without_end_stops_at_the_record_limit() -> None:
    t = table(units=False)
    for _ in range(400):
        if t.game.ended:
            break
        t.next()
    assert t.game.ended and t.game.turn == 30
