"""What the cup may still bring: exact chances of each total, dark chits and their refill included [9.3, 9.41]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import comb
from typing import Any

from companion.engine.forms.worksheet import Breakdown
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.fight import Fight
from companion.systems.enemy_action_kharkov.hits import adjust, base_hits
from companion.systems.enemy_action_kharkov.manifest import dark
from companion.systems.enemy_action_kharkov.situations import judge

Hits = tuple[int, int]
Totals = dict[Hits, Fraction]
MOST_SHOWN = 12


def spread(
    cup: Mapping[Hits, int], rest: Mapping[Hits, int], most: int
) -> dict[tuple[int, int, int, int], int]:
    """Ways to draw x chits from `cup` and then y more from what is left of it plus `rest`, by hits: (x, y, A, D) -> n."""
    ways = {(0, 0, 0, 0): 1}
    for hits in sorted({*cup, *rest}):
        have, more = cup.get(hits, 0), rest.get(hits, 0)
        grown: dict[tuple[int, int, int, int], int] = {}
        for (x, y, a, d), n in ways.items():
            for i in range(min(have, most - x - y) + 1):
                left = have - i + more
                for j in range(min(left, most - x - y - i) + 1):
                    key = (x + i, y + j, a + (i + j) * hits[0], d + (i + j) * hits[1])
                    grown[key] = grown.get(key, 0) + n * comb(have, i) * comb(left, j)
        ways = grown
    return ways


def distribution(
    cup: Mapping[Hits, int], darks: Iterable[Hits], aside: Mapping[Hits, int], draws: int, *, refilled: bool
) -> Totals:
    """The chances of each total of `draws` chits: light ones in `cup` by their hits, dark ones, and those set aside.

    The first dark chit brings the set-aside ones back; before that only the cup counts.
    """
    black = list(darks)
    size, others = sum(cup.values()) + len(black), sum(aside.values())
    found: Totals = {}

    def add(hits: Hits, chance: Fraction) -> None:
        found[hits] = found.get(hits, Fraction(0)) + chance

    if refilled or not others or not black:
        whole = Counter(cup) + Counter(black)
        for (x, y, a, d), n in spread(whole, {}, draws).items():
            if x == draws and y == 0:
                add((a, d), Fraction(n, comb(size, draws)))
        return found
    for (x, y, a, d), n in spread(cup, {}, draws).items():
        if x == draws and y == 0:  # no dark chit at all
            add((a, d), Fraction(n, comb(size, draws)))
    for index, first in enumerate(black):
        rest = Counter(aside) + Counter(black[:index] + black[index + 1 :])
        for (x, y, a, d), n in spread(cup, rest, draws - 1).items():
            if x + y == draws - 1:
                orders = comb(size, x) * (size - x) * comb(size - x - 1 + others, y)
                add((a + first[0], d + first[1]), Fraction(n, orders))
    return found


def _faces(game: Game, fight: Fight, tokens: Iterable[str], drawn: int) -> list[tuple[Hits, bool]]:
    found = []
    for token in tokens:
        row = game.face("chits", token)
        judged = judge(row, fight, drawn)
        found.append(((judged.attacker, judged.defender), dark(row)))
    return found


def forecast(game: Game, fight: Fight, extra: int, sheet: Breakdown) -> None:
    """Fill the sheet with expected hits and the chance of each final total after `extra` more chits."""
    after = replace(fight, declared=extra)
    total = after.total
    cup = _faces(game, after, game.piles["chits"]["cup"], total)
    aside = _faces(game, after, game.piles["chits"]["aside"], total)
    light = Counter(hits for hits, is_dark in cup if not is_dark)
    black = [hits for hits, is_dark in cup if is_dark]
    put_by = Counter(hits for hits, _ in aside)
    now = base_hits(game, after, total)
    refilled = any(dark(game.face("chits", token)) for token in fight.chits)
    results: dict[str, float] = {}
    expected_a = expected_d = 0.0
    for (a, d), chance in distribution(light, black, put_by, extra, refilled=refilled).items():
        final = adjust(game, after, (now[0] + a, now[1] + d))
        hits: dict[str, Any] = final.facts
        name = f"A{hits['A']} D{hits['D']}"
        results[name] = results.get(name, 0.0) + float(chance)
        expected_a += float(chance) * hits["A"]
        expected_d += float(chance) * hits["D"]
    ranked = sorted(results.items(), key=lambda item: -item[1])
    sheet.chances = dict(ranked[:MOST_SHOWN])
    rest = sum(chance for _, chance in ranked[MOST_SHOWN:])
    if rest:
        sheet.chances["all others"] = rest
    sheet.facts |= {"expected_attacker": round(expected_a, 3), "expected_defender": round(expected_d, 3)}
    sheet.add("expected attacker hits", f"{expected_a:.2f}", "9.5")
    sheet.add("expected defender hits", f"{expected_d:.2f}", "9.5")
