"""Players, rounds, results and standings as spreadsheets: every problem at once, by line, nothing half done."""

from dataclasses import replace
from fractions import Fraction

import pytest

from companion.hall import editing
from companion.hall.founding import BadList
from companion.hall.lists import (
    amount,
    read_pairs,
    read_players,
    read_results,
    write_pairs,
    write_players,
    write_results,
    write_standings,
)
from companion.hall.results import Line, Report
from companion.hall.rounds import Contest, Correction, Pair, Player, Round, Tournament, propose, ranking

TOY, OTHER = Tournament("Toy cup", "toy", "skirmish"), Tournament("Mirror", "toy", "skirmish")
SCENARIOS = {"toy": ("skirmish", "duel")}
THREE = Contest((TOY,), tuple(Player(name, TOY.name) for name in ("Ann", "Ben", "Cleo")))


def sides(_: str) -> tuple[str, str]:
    return "red", "blue"


def problems(error: pytest.ExceptionInfo[BadList]) -> list[tuple[int, str]]:
    return [(p.line, p.words) for p in error.value.problems]


# -- players ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "Ann\nBen\n",
        "player\nAnn\n\nBen",
        "Tournament;Player\ntoy cup;Ann\nTOY  CUP;Ben\n",
        "Ann\tToy cup\nBen\tToy cup",
    ],
)
def test_players_are_entered_from_any_list(text: str) -> None:
    found = read_players(Contest((TOY,)), text).players
    assert found == (Player("Ann", "Toy cup"), Player("Ben", "Toy cup"))


def test_a_longer_list_pasted_again_enters_the_late_ones() -> None:
    found = read_players(THREE, "Ann\nDan\n").players
    assert [player.name for player in found] == ["Ann", "Ben", "Cleo", "Dan"]


def test_every_problem_of_the_players_is_told_by_its_line_and_nobody_is_entered() -> None:
    start = replace(THREE, tournaments=(TOY, OTHER))
    text = f"player,tournament,club\nDan,Toy cup\n,Mirror\ndan,Toy cup\nEve,Toy cap\nFay\nAnn,Mirror\n{'x' * 99},Mirror"
    with pytest.raises(BadList) as error:
        read_players(start, text)
    found = problems(error)
    assert [line for line, _ in found] == [1, 3, 4, 5, 6, 7, 8]
    assert "Toy cup" in found[3][1]


def test_an_empty_list_says_so() -> None:
    for text in ("", "player,tournament\n"):
        with pytest.raises(BadList):
            read_players(THREE, text)


def test_players_written_are_read_again() -> None:
    assert read_players(Contest((TOY,)), write_players(THREE)) == THREE


# -- a round ---------------------------------------------------------------------------------------------


def test_a_round_written_is_read_again() -> None:
    start = propose(THREE, {}, sides, list)
    pairs = start.rounds[0].pairs
    assert read_pairs(start, write_pairs(pairs), SCENARIOS) == list(pairs)


def test_a_round_may_be_written_by_hand() -> None:
    found = read_pairs(THREE, "12,cleo,ann,duel\n,Ben\n", SCENARIOS)
    assert found == [
        Pair("Toy cup", "toy", "duel", ("Cleo", "Ann"), 12),
        Pair("Toy cup", "toy", "skirmish", ("Ben",)),
    ]


def test_every_problem_of_a_round_is_told_by_its_line() -> None:
    players = (*THREE.players, Player("Dan", "Mirror"), Player("Eve", "Toy cup", out=True))
    start = Contest((TOY, OTHER), players)
    text = "1,Ann,Dan\n1,Ben,Ann\nx,Cleo,Eve\n3,Bem,Ben,nowhere\n4\n5,Cleo,cleo\n"
    with pytest.raises(BadList) as error:
        read_pairs(start, text, SCENARIOS)
    assert {line for line, _ in problems(error)} == {1, 2, 3, 4, 5, 6}
    assert any("Ben" in words for line, words in problems(error) if line == 4)


def test_whoever_is_forgotten_is_named() -> None:
    with pytest.raises(BadList) as error:
        read_pairs(THREE, "1,Ann,Ben\n", SCENARIOS)
    assert [(line, words.split()[0]) for line, words in problems(error)] == [(0, "Cleo")]


# -- results and standings -------------------------------------------------------------------------------

PAIR = Pair("Toy cup", "toy", "skirmish", ("Ann", "Ben"), 1, "TK7M")
LINE = Line(
    1,
    PAIR,
    ("red", "blue"),
    Report("red", "minor", {"red": 7, "blue": 4}, "counted", 95, {"red": 3000.0, "blue": 2460.0}),
)
OPEN = Line(1, replace(PAIR, players=("Cleo", "Dan"), table=2), ("red", "blue"))


def test_results_as_they_were_written_change_nothing() -> None:
    assert read_results([LINE, OPEN], write_results([LINE, OPEN]), "now") == {}


def test_a_result_tells_everything_there_is() -> None:
    head, line = write_results([LINE]).splitlines()
    found = dict(zip(head.split(","), line.split(","), strict=True))
    assert found["winner"] == "Ann"
    assert (found["vp 1"], found["vp 2"], found["minutes"], found["told by"]) == ("7", "4", "95", "table")
    assert (found["clock 1"], found["clock 2"]) == ("50", "41")


@pytest.mark.parametrize(
    ("winner", "side"), [("dan", "blue"), ("Blue", "blue"), ("Cleo", "red"), ("draw", "")]
)
def test_a_winner_is_named_by_name_or_side(winner: str, side: str) -> None:
    found = read_results([OPEN], f"1,2,{winner},major,5,,they told me\n", "now")
    assert found == {(1, 2): Correction(side, "major", {"red": 5}, "they told me", "now")}


def test_every_problem_of_results_is_told_by_its_line() -> None:
    text = "1,1,Ben,,,,\n1,9,Ann,,,,told\n1,2,Ann,,,,told\n1,2,Cleo,,many,,told\n1,2,Dan,,,,told\n1,2,Cleo,,,,told\n"
    with pytest.raises(BadList) as error:
        read_results([LINE, OPEN], text, "now")
    assert [line for line, _ in problems(error)] == [1, 2, 3, 4, 6]


def test_standings_are_written_for_a_spreadsheet() -> None:
    start = replace(THREE, rounds=(Round(1, (PAIR, Pair("Toy cup", "toy", "skirmish", ("Cleo",))), "now"),))
    assert LINE.match is not None
    table = ranking(start, {"1-1": LINE.match}, "Toy cup")
    assert write_standings({"Toy cup": table}).splitlines()[:2] == [
        "rank,player,tournament,points,played,won,drawn,lost,byes,head to head,opponents,vp",
        "1,Ann,Toy cup,3,1,1,0,0,0,,0,3",
    ]


def test_a_name_that_a_spreadsheet_would_run_is_disarmed() -> None:
    start = editing.put_player(THREE, "Ann", new="=1+1")
    assert "'=1+1" in write_players(start)
    assert read_players(Contest((TOY,)), write_players(start)).players[0].name == "=1+1"


@pytest.mark.parametrize(
    ("value", "text"), [(3.0, "3"), (2.5, "2.5"), (Fraction(13, 3), "4.33"), (0, "0"), (10, "10"), (None, "")]
)
def test_amounts_are_short(value: float | Fraction | None, text: str) -> None:
    assert amount(value) == text
