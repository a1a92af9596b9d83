"""A Swiss round: like meets like, nobody twice, byes and sides go round."""

import time
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.hall.matching import most_couples
from companion.hall.pairing import Draw, Entrant, draw, repeats

SIDES = ("soviet", "german")


def most_by_trying(edges: frozenset[tuple[int, int]]) -> int:
    """How many couples there can be, by trying everything."""
    if not edges:
        return 0
    a, b = min(edges)
    rest = most_by_trying(frozenset(e for e in edges if a not in e and b not in e))
    return max(1 + rest, most_by_trying(edges - {(a, b)}))


@st.composite
def graphs(make):
    size = make(st.integers(0, 8))
    pairs = list(combinations(range(size), 2))
    return size, frozenset(make(st.sets(st.sampled_from(pairs)))) if pairs else frozenset()


@given(graphs())
@settings(max_examples=300, deadline=None)
def test_there_are_as_many_couples_as_there_can_be(graph):
    size, edges = graph
    willing = [{b for b in range(size) if (min(a, b), max(a, b)) in edges} for a in range(size)]
    found = most_couples(willing, range(size))
    assert all(found[b] == a and b in willing[a] for a, b in found.items())
    assert len(found) == 2 * most_by_trying(edges)


def test_an_odd_circle_hides_no_couple():
    """Five in a ring with a tail at each of two neighbours: whoever couples greedily leaves two over."""
    edges = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 5), (2, 6), (6, 7)]
    willing = [{b for e in edges for b in e if a in e and b != a} for a in range(8)]
    assert len(most_couples(willing, range(8))) == 8


# -- whole rounds ----------------------------------------------------------------------------------------


def play(players: int, rounds: int, wins) -> list[tuple[Draw, list[Entrant]]]:
    """So many rounds, each with the entrants it was drawn for; `wins(round, table)` tells whether the first side won."""
    field = [Entrant(f"P{n}") for n in range(players)]
    played = []
    for number in range(rounds):
        field.sort(key=lambda one: -one.points)
        drawn = draw(field, SIDES)
        played.append((drawn, list(field)))
        now = {one.name: one for one in field}
        for table, (a, b) in enumerate(drawn.couples):
            for name, other, side, won in (
                (a, b, SIDES[0], wins(number, table)),
                (b, a, SIDES[1], not wins(number, table)),
            ):
                one = now[name]
                now[name] = Entrant(
                    name, one.points + 3 * won, (*one.met, other), (*one.sides, side), one.byes
                )
        if drawn.bye:
            one = now[drawn.bye]
            now[drawn.bye] = Entrant(one.name, one.points + 3, one.met, one.sides, one.byes + 1)
        field = list(now.values())
    return played


@given(st.integers(0, 13), st.integers(1, 5), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_everybody_plays_or_sits_out_once_a_round(players, rounds, chance):
    for drawn, field in play(players, rounds, lambda *_: chance.random() < 0.5):
        seen = Counter([name for couple in drawn.couples for name in couple] + [drawn.bye] * (players % 2))
        assert seen == Counter(one.name for one in field)


@given(st.integers(2, 16), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_nobody_meets_anybody_twice_while_it_can_be_helped(players, chance):
    """Half as many rounds as there are players always can be paired so."""
    for drawn, field in play(players, max(1, players // 2), lambda *_: chance.random() < 0.5):
        assert repeats(drawn, field) == []


@given(st.integers(1, 7), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_nobody_sits_out_twice_before_everybody_has(half, chance):
    players = 2 * half + 1
    byes = [drawn.bye for drawn, _ in play(players, half, lambda *_: chance.random() < 0.5)]
    assert len(set(byes)) == len(byes)


@given(graphs(), st.integers(0, 3))
@settings(max_examples=150, deadline=None)
def test_repeats_are_as_few_as_can_be(graph, spread):
    """Whoever met whom: the couples that must meet again are no more than the strangers leave over."""
    size, edges = graph
    size -= size % 2
    edges = frozenset(e for e in edges if e[1] < size)
    met = [tuple(f"P{b}" for b in range(size) if (min(a, b), max(a, b)) in edges) for a in range(size)]
    field = [Entrant(f"P{n}", float((size - n) * spread // 2), met[n]) for n in range(size)]
    strangers = frozenset(combinations(range(size), 2)) - edges
    assert len(repeats(draw(field, SIDES), field)) == size // 2 - most_by_trying(strangers)


def test_the_lowest_without_a_bye_sits_out():
    field = [Entrant("Ann", 6.0), Entrant("Ben", 3.0), Entrant("Cleo", 0.0, byes=1)]
    assert draw(field, SIDES).bye == "Ben"


def test_somebody_higher_sits_out_rather_than_two_meet_again():
    """Ann and Ben have met: were Cleo to sit out, they would meet again."""
    field = [Entrant("Ann", 3.0, ("Ben",)), Entrant("Ben", 3.0, ("Ann",)), Entrant("Cleo")]
    assert draw(field, SIDES).bye == "Ben"


def test_equal_points_meet_upper_half_against_lower():
    field = [Entrant(name, 3.0) for name in ("Ann", "Ben", "Cleo", "Dan")]
    assert {frozenset(couple) for couple in draw(field, SIDES).couples} == {
        frozenset({"Ann", "Cleo"}),
        frozenset({"Ben", "Dan"}),
    }


def test_winners_meet_winners():
    field = [Entrant("Ann", 3.0, ("Cleo",)), Entrant("Ben", 3.0, ("Dan",)), Entrant("Cleo"), Entrant("Dan")]
    assert {frozenset(couple) for couple in draw(field, SIDES).couples} == {
        frozenset({"Ann", "Ben"}),
        frozenset({"Cleo", "Dan"}),
    }


# -- sides -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ann", "ben", "first"),
    [
        (("soviet",), ("german",), "Ben"),
        (("german",), ("soviet",), "Ann"),
        (("soviet", "german"), ("german", "soviet"), "Ann"),
        (("soviet", "soviet"), ("soviet",), "Ben"),
        (("german",), (), "Ann"),
    ],
)
def test_the_first_side_goes_to_whoever_had_it_less_and_not_last(ann, ben, first):
    field = [Entrant("Ann", sides=ann), Entrant("Ben", sides=ben)]
    assert draw(field, SIDES).couples[0][0] == first


@given(st.integers(1, 6), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_in_the_second_round_all_change_sides_who_can(half, chance):
    """Two players of one score group who both had the same side meet only where nobody is left with the other."""
    (_, _), (second, field) = play(4 * half, 2, lambda *_: chance.random() < 0.5)
    had = {one.name: one.sides[-1] for one in field}
    points = {one.name: one.points for one in field}
    clashing = [(points[a], had[a]) for a, b in second.couples if had[a] == had[b] and points[a] == points[b]]
    assert all(len({side for p, side in clashing if p == group}) <= 1 for group in {p for p, _ in clashing})
    for a, b in second.couples:
        if had[a] != had[b]:
            assert (had[a], had[b]) == (SIDES[1], SIDES[0])


@given(st.integers(1, 4), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_nobody_has_one_side_three_times_more_often_while_it_can_be_helped(half, chance):
    """Two who both are two ahead on one side meet only where no other round without repeats is left."""
    size = 2 * half
    for drawn, field in play(size, half + 1, lambda *_: chance.random() < 0.5):
        place = {one.name: n for n, one in enumerate(field)}
        ahead = [one.sides.count(SIDES[0]) - one.sides.count(SIDES[1]) for one in field]

        def fits(a, b, ahead=ahead):
            return not (abs(ahead[a]) > 1 and abs(ahead[b]) > 1 and ahead[a] * ahead[b] > 0)

        pairs = [(a, b) for a, b in combinations(range(size), 2) if field[b].name not in field[a].met]
        possible = most_by_trying(frozenset(p for p in pairs if fits(*p))) == half
        assert not possible or all(fits(place[a], place[b]) for a, b in drawn.couples)


def test_four_hundred_players_are_paired_at_once():
    """A full hall's fifth round, in a time that nobody waits for."""
    began = time.process_time()
    played = play(401, 5, lambda number, table: (number + table) % 3 > 0)
    assert all(repeats(drawn, field) == [] for drawn, field in played)
    assert time.process_time() - began < 10
