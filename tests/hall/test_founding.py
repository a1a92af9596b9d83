"""Tables from a pasted list: every problem at once, by line; all of them or none."""

import random
import re
from dataclasses import replace

import pytest

from companion.engine.errors import NotNow
from companion.hall import founding
from companion.hall.desk import Desk, Hall
from companion.hall.founding import BadList, Problem, Wanted
from companion.hall.listing import check_list, read_list, write_list
from companion.hall.roll import HallTable
from companion.resources import SCENARIOS
from companion.systems import load_systems
from companion.tables.tables import Tables


def wrong(tables: Tables, text: str, hall: Hall | None = None) -> list[tuple[int, str]]:
    return [(p.line, p.words) for p in check_list(tables, hall or Hall(), text).problems]


def test_a_line_is_a_table(tables: Tables) -> None:
    found = check_list(tables, Hall(), "4,toy,skirmish,Anna  Berg,Boris,storm reading=defender,Window\n")
    assert found.problems == []
    options = {"storm": "on", "reading": "defender"}
    assert found.wanted == [
        Wanted(4, "toy", "skirmish", {"red": "Anna Berg", "blue": "Boris"}, options, "Window", 1)
    ]


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_any_spreadsheets_separator_and_any_order_of_named_columns(tables: Tables, sign: str) -> None:
    head = sign.join(("Player 2", "Game", "No.", "Player 1", "Scenario"))
    line = sign.join(("Boris", "TOY kharkov", "7", "Anna", "skir"))
    (one,), problems = check_list(tables, Hall(), f"\n{head}\r\n{line}\r\n")
    assert problems == []
    assert (one.number, one.system, one.scenario, one.line) == (7, "toy", "skirmish", 3)
    assert one.players == {"red": "Anna", "blue": "Boris"}


def test_a_name_may_say_its_side_and_a_seat_may_stay_free(tables: Tables) -> None:
    found = check_list(tables, Hall(), "1,toy,,Blue: Anna,Red: Boris\n2,toy,,-,Carl\n")
    assert found.problems == []
    assert [one.players for one in found.wanted] == [{"blue": "Anna", "red": "Boris"}, {"blue": "Carl"}]


def test_numbers_left_blank_are_given_around_those_that_are_taken(tables: Tables) -> None:
    hall = Hall(tables=(HallTable("AAAA", 1, "toy", "skirmish"), HallTable("BBBB", 3, "toy", "skirmish")))
    found = check_list(tables, hall, ",toy,,A,B\n2,toy,,C,D\n,toy,,E,F\n")
    assert found.problems == [] and [one.number for one in found.wanted] == [4, 2, 5]


def test_every_problem_is_told_at_once_with_its_line(tables: Tables) -> None:
    text = (
        "table,game,scenario,player 1,player 2,options\n"
        "1,toy,skirmish,Anna,Boris\n"
        "1,toi,skirmish,Carl,Dora\n"
        "\n"
        "x,toy,skirmsh,Emil,\n"
        "3,toy,,anna ,Fritz,stom\n"
        "4,,,G,H\n"
    )
    told = wrong(tables, text)
    assert [line for line, _ in told] == [3, 3, 5, 5, 5, 6, 6, 7]
    for line, words in (
        (3, "'toi'. Did you mean toy"),
        (3, "number 1 is taken: line 2"),
        (5, "'x' is no table number"),
        (5, "no player for Blue"),
        (5, "no scenario 'skirmsh'"),
        (6, "plays at table 1 already, line 2"),
        (6, "no option 'stom'"),
        (7, "no game"),
    ):
        assert any(at == line and words in said for at, said in told), (line, words, told)


def test_five_hundred_bad_lines_are_told_line_by_line_and_nothing_is_founded(
    tables: Tables, desk: Desk
) -> None:
    """Duplicates, unknown games and missing players among good lines."""
    rng = random.Random(21)
    lines = [f"{n},toy,skirmish,P{n}a,P{n}b" for n in range(1, 501)]
    bad = sorted(rng.sample(range(2, 501), 300))
    for at in bad:
        number, game, scenario, one, two = lines[at - 1].split(",")
        kind = rng.randrange(4)
        changed = [
            (1, game, scenario, one, two),
            (number, "tic-tac", scenario, one, two),
            (number, game, scenario, "", two),
            (number, game, scenario, one, "P1A"),
        ][kind]
        lines[at - 1] = ",".join(map(str, changed))
    found = check_list(tables, desk.state(), "\n".join(lines))
    assert sorted({p.line for p in found.problems}) == bad
    with pytest.raises(BadList) as caught:
        founding.found(tables, desk, found.wanted)
    assert caught.value.problems
    assert tables.store.tables() == [] and desk.state() == Hall()


def test_more_lines_than_a_hall_holds_are_refused(tables: Tables) -> None:
    told = wrong(tables, "\n".join(f"{n},toy,,A{n},B{n}" for n in range(1, 502)))
    assert told == [(0, "501 lines are too many: at most 500 tables.")]


@pytest.mark.parametrize("text", ["", "\n\n", ",,,\n", "\0\0", "PK\x03\x04"])
def test_what_is_no_list_is_one_problem(tables: Tables, text: str) -> None:
    assert [line for line, _ in wrong(tables, text)] == [0]


def test_numbers_and_players_of_a_round_are_its_own(tables: Tables, desk: Desk) -> None:
    """A table that was closed, and one of another round, stands in nobody's way."""
    one = Wanted(1, "toy", "skirmish", {"red": "Anna", "blue": "Boris"}, line=1)
    (made,) = founding.found(tables, desk, [one], 1)
    assert founding.problems(tables, desk.state(), [one], 2) == []
    assert [p.words[:20] for p in founding.problems(tables, desk.state(), [one], 1)] == [
        "number 1 is taken: t",
        "Anna plays at table ",
        "Boris plays at table",
    ]
    desk.change(lambda hall: replace(hall, tables=(replace(made, state="closed"),)))
    assert founding.problems(tables, desk.state(), [one], 1) == []


def test_tables_are_founded_and_entered_in_the_roll_in_their_order(tables: Tables, desk: Desk) -> None:
    wanted = check_list(tables, Hall(), "2,toy,,A,B,solo,Corner\n1,toy,,D,-\n").wanted
    made = founding.found(tables, desk, wanted, 3)
    assert desk.state().tables == tuple(made)
    assert [(t.number, t.round, t.state, t.players, t.title) for t in made] == [
        (2, 3, "open", {"red": "A", "blue": "B"}, "Table 2: Corner"),
        (1, 3, "open", {"red": "D"}, "Table 1"),
    ]
    assert tables.game(made[0].code)["solo"] and not tables.game(made[1].code)["solo"]


def test_a_list_sent_twice_founds_its_tables_once(tables: Tables, desk: Desk) -> None:
    wanted = [Wanted(n, "toy", "skirmish", line=n) for n in (1, 2)]
    founding.found(tables, desk, wanted)
    with pytest.raises(BadList):
        founding.found(tables, desk, wanted)
    assert len(tables.store.tables()) == len(desk.state().tables) == 2


def test_a_store_that_fails_midway_leaves_no_table_in_sight(
    tables: Tables, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    new, count = tables.new, 0

    def fail_third(*args: object) -> str:
        nonlocal count
        count += 1
        if count == 3:
            raise NotNow("the disk is full")
        return new(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(tables, "new", fail_third)
    with pytest.raises(NotNow):
        founding.found(tables, desk, [Wanted(n, "toy", "skirmish", line=n) for n in range(1, 5)])
    assert tables.store.tables() == [] and desk.state() == Hall()


def test_a_hall_is_full_at_some_point(tables: Tables) -> None:
    hall = Hall(tables=tuple(HallTable(f"A{n}", n, "toy", "skirmish") for n in range(1, 500)))
    two = [Wanted(n, "toy", "skirmish", line=n) for n in (600, 601)]
    assert founding.problems(tables, hall, two) == [
        Problem(0, "2 tables are too many: the hall has room for 1 more.")
    ]


def test_a_hall_as_a_list_is_read_again_as_it_was(tables: Tables, desk: Desk) -> None:
    wanted = check_list(tables, Hall(), "2,toy,,=A,B,,Corner\n1,toy,,-,D\n").wanted
    made = founding.found(tables, desk, wanted)
    again = check_list(tables, Hall(), write_list(made, tables.systems))
    assert again.problems == []
    assert [replace(one, line=0) for one in again.wanted] == [replace(one, line=0) for one in wanted]


def test_all_five_games_are_found_by_their_names_and_ids() -> None:
    systems = load_systems(SCENARIOS)
    for system in systems.values():
        for scenario in system.kit.scenarios.values():
            for line in (
                f"1\t{system.id}\t{scenario.id}\tA\tB",
                f"1\t{system.kit.system.name}\t{scenario.name}\tA\tB",
            ):
                (one,), problems = read_list(line, systems, Hall())
                assert problems == [] and (one.system, one.scenario) == (system.id, scenario.id)
    told = read_list("1,kharkov,x,A,B", systems, Hall()).problems[0].words
    assert re.search("'kharkov'", told)


def test_another_process_that_was_quicker_with_a_number_wins(tables: Tables, desk: Desk) -> None:
    """This process has not heard of it yet: the record itself is asked when the tables are entered."""
    desk.state()
    other = Desk(tables.store)
    founding.found(tables, other, [Wanted(1, "toy", "skirmish", line=1)])
    with pytest.raises(BadList, match="number 1 is taken"):
        founding.found(tables, desk, [Wanted(n, "toy", "skirmish", line=n) for n in (1, 2)])
    assert len(tables.store.tables()) == 1 and len(other.state().tables) == 1
