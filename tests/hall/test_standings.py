"""Who stands where: points, head to head, opponents' score, victory points."""

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.hall.standings import Level, Match, Points, standings

NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eve")
LEVELS = Points(3.0, 1.0, 0.0, 3.0, (Level("Strategic", 5.0, 0.0), Level("Tactical", 3.0, 1.5)))


@st.composite
def matches(make):
    found = []
    for a, b in make(st.lists(st.sampled_from(list(combinations(NAMES, 2))), max_size=8)):
        winner = make(st.sampled_from([a, b, ""]))
        level = make(st.sampled_from(["", "Tactical", "Soviet strategic victory"])) if winner else ""
        vp = {a: make(st.integers(0, 30)), b: make(st.integers(0, 30))}
        found.append(Match((a, b), winner, level, vp))
    return [*found, *(Match((name,)) for name in make(st.lists(st.sampled_from(NAMES), max_size=2)))]


def order(*played: Match) -> list[str]:
    return [line.player for line in standings(NAMES[:4], played, Points())]


def test_a_level_is_worth_what_was_set_for_a_word_in_it():
    assert LEVELS.of("Soviet strategic victory") == (5.0, 0.0)
    assert LEVELS.of("TACTICAL") == (3.0, 1.5)
    assert LEVELS.of("operational") == LEVELS.of("") == (3.0, 0.0)
    assert LEVELS.of("tacticalish") == (3.0, 0.0)


def test_more_points_stand_higher():
    assert order(Match(("Ann", "Ben"), "Ben"), Match(("Cleo", "Dan")))[0] == "Ben"


def test_a_bye_is_worth_what_was_set():
    line = standings(["Ann"], [Match(("Ann",))], Points(bye=2.0))[0]
    assert (line.points, line.byes, line.played) == (2.0, 1, 0)


def test_of_two_with_equal_points_the_one_who_beat_the_other_stands_higher():
    """Ben beat Ann, then lost to somebody weaker: his opponents' score is the worse, and he stands higher all the same."""
    played = [
        Match(("Ann", "Ben"), "Ben"),
        Match(("Ann", "Cleo"), "Ann"),
        Match(("Ben", "Dan"), "Dan"),
        Match(("Cleo", "Dan"), "Cleo"),
        Match(("Cleo",)),
        Match(("Dan",)),
    ]
    found = {line.player: line for line in standings(NAMES[:4], played, Points())}
    assert found["Ann"].points == found["Ben"].points == 3.0
    assert found["Ben"].rank < found["Ann"].rank
    assert (found["Ben"].head_to_head, found["Ann"].head_to_head) == (3.0, 0.0)


def test_those_who_have_not_all_met_are_told_apart_by_their_opponents():
    """Ann and Ben never met; Ann beat somebody who won elsewhere."""
    found = standings(
        ["Ben", "Ann", "Cleo", "Dan"],
        [Match(("Ann", "Cleo"), "Ann"), Match(("Ben", "Dan"), "Ben"), Match(("Cleo",))],
        Points(bye=1.0),
    )
    assert [line.player for line in found][:2] == ["Ann", "Ben"]
    assert found[0].head_to_head is None


def test_then_victory_points_more_than_the_opponents_count():
    played = [
        Match(("Ann", "Cleo"), "Ann", vp={"Ann": 12, "Cleo": 10}),
        Match(("Ben", "Dan"), "Ben", vp={"Ben": 9, "Dan": 2}),
    ]
    assert order(*played)[:2] == ["Ben", "Ann"]


def test_where_one_side_alone_counts_points_the_other_lacks_them():
    match = Match(("Ann", "Ben"), "Ann", vp={"Ann": 7})
    assert (match.lead("Ann"), match.lead("Ben")) == (7, -7)


def test_equal_in_everything_share_a_rank_and_the_next_is_skipped():
    found = standings(["Cleo", "Ben", "Ann"], [Match(("Ann", "Ben"))], Points())
    assert [(line.rank, line.player) for line in found] == [(1, "Ann"), (1, "Ben"), (3, "Cleo")]


def test_a_bye_does_not_lower_the_opponents_score():
    """The mean is taken over opponents met, not over rounds."""
    found = standings(["Ann", "Ben"], [Match(("Ann", "Ben"), "Ben"), Match(("Ann",))], Points())
    assert next(line for line in found if line.player == "Ann").opponents == 3


@given(matches(), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_in_which_order_results_came_in_matters_to_nobody(played, chance):
    mixed, names = list(played), list(NAMES)
    chance.shuffle(mixed)
    chance.shuffle(names)
    assert standings(names, mixed, LEVELS) == standings(NAMES, played, LEVELS)


@given(matches())
@settings(max_examples=150, deadline=None)
def test_points_are_given_once_and_victory_points_cancel_out(played):
    found = standings(NAMES, played, LEVELS)
    assert sum(line.points for line in found) == sum(m.worth(p, LEVELS) for m in played for p in m.players)
    assert sum(line.vp for line in found) == 0
    assert sum(line.won for line in found) == sum(line.lost for line in found)
    assert all(line.played == line.won + line.drawn + line.lost for line in found)


@given(matches())
@settings(max_examples=150, deadline=None)
def test_ranks_follow_points_and_the_beaten_one_of_two_stands_below(played):
    found = standings(NAMES, played, Points())
    assert [line.points for line in found] == sorted((line.points for line in found), reverse=True)
    assert [line.rank for line in found] == sorted(line.rank for line in found)
    for a, b in combinations(found, 2):
        equals = [line for line in found if line.points == a.points]
        met = [m for m in played if set(m.players) == {a.player, b.player}]
        if len(equals) == 2 and a.points == b.points and len(met) == 1 and met[0].winner:
            assert met[0].winner == a.player


@given(matches(), st.sampled_from(NAMES))
@settings(max_examples=100, deadline=None)
def test_one_more_victory_never_lowers_anybodys_points(played, name):
    other = next(n for n in NAMES if n != name)
    before = {line.player: line.points for line in standings(NAMES, played, LEVELS)}
    after = {
        line.player: line.points for line in standings(NAMES, [*played, Match((name, other), name)], LEVELS)
    }
    assert all(after[n] >= before[n] for n in NAMES)
    assert after[name] == before[name] + 3.0


@pytest.mark.parametrize("points", [Points(), LEVELS])
def test_nobody_has_played_yet(points):
    assert [(line.rank, line.points) for line in standings(["Ann", "Ben"], [], points)] == [
        (1, 0.0),
        (1, 0.0),
    ]
