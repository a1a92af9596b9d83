"""Rounds of a hall: proposed, changed by hand, published, told by their tables, corrected with a reason."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from harness import refused
from toykit import all_agree

from companion.engine.errors import Mistake, NotNow, Unknown, Unreadable
from companion.hall import editing, publishing
from companion.hall.desk import Desk, Hall
from companion.hall.founding import BadList
from companion.hall.kept import read, written
from companion.hall.publishing import publish_round
from companion.hall.results import Reports
from companion.hall.rounds import (
    Contest,
    Correction,
    Pair,
    Player,
    Round,
    Tournament,
    entrants,
    history,
    key,
    propose,
    ranking,
)
from companion.hall.running import Details, change_details
from companion.hall.standings import Level, Match, Points
from companion.tables.tables import Tables

SIDES = {"toy": ("red", "blue"), "mirror": ("blue", "red")}
TOY = Tournament("Toy cup", "toy", "skirmish")
FOUR = ("Ann", "Ben", "Cleo", "Dan")


def contest(*names: str, **more: object) -> Contest:
    found = Contest((TOY,), tuple(Player(name, TOY.name) for name in names))
    return replace(found, **more)  # type: ignore[arg-type]


def sides(system: str) -> tuple[str, str]:
    return SIDES[system]


def proposed(start: Contest, results: dict[str, Match] | None = None) -> Contest:
    return propose(start, results or {}, sides, lambda names: names)


def published(start: Contest) -> Contest:
    found = proposed(start)
    number = editing.proposal_of(found).number
    return editing.publish(found, number, "2026-11-21T10:00:00+00:00", {})


def couples(one: Round | None) -> set[frozenset[str]]:
    return {frozenset(pair.players) for pair in one.pairs} if one else set()


# -- proposing -------------------------------------------------------------------------------------------


def test_each_tournament_is_paired_by_itself_and_tables_are_numbered_through() -> None:
    other = Tournament("Mirror", "mirror", "skirmish")
    players = (*(Player(n, TOY.name) for n in FOUR[:3]), *(Player(n, other.name) for n in ("Eve", "Fay")))
    found = proposed(Contest((TOY, other), players)).proposal
    assert found is not None
    assert [(p.tournament, p.table, len(p.players)) for p in found.pairs] == [
        ("Toy cup", 1, 2),
        ("Toy cup", 0, 1),
        ("Mirror", 2, 2),
    ]


def test_lots_are_drawn_for_the_first_round_only() -> None:
    drawn: list[list[str]] = []

    def shuffled(names: object) -> list[str]:
        drawn.append(list(names))  # type: ignore[call-overload]
        return ["Dan", "Ann", "Cleo", "Ben"]

    first = propose(contest(*FOUR), {}, sides, shuffled)
    assert couples(first.proposal) == {frozenset({"Dan", "Cleo"}), frozenset({"Ann", "Ben"})}
    propose(editing.publish(first, 1, "now", {}), {}, sides, shuffled)
    assert drawn == [list(FOUR)]


def test_who_sits_out_is_not_paired_and_keeps_his_points() -> None:
    start = published(contest(*FOUR))
    results = {key(1, pair.table): Match(pair.players, pair.players[0]) for pair in start.rounds[0].tables}
    gone = editing.put_player(start, start.rounds[0].pairs[0].players[0], out=True)
    name = start.rounds[0].pairs[0].players[0]
    assert not any(name in pair.players for pair in proposed(gone, results).rounds[-1].pairs)
    assert next(s for s in ranking(gone, results, TOY.name) if s.player == name).points == 3


def test_a_new_proposal_takes_the_place_of_the_old_one() -> None:
    assert [r.number for r in proposed(proposed(contest(*FOUR))).rounds] == [1]


def test_one_alone_cannot_be_paired() -> None:
    with refused(NotNow):
        proposed(contest("Ann"))


def test_a_table_without_a_result_counts_as_played_but_gives_no_points() -> None:
    start = published(contest(*FOUR))
    found = entrants(start, {}, TOY, sides)
    assert all(one.points == 0 and len(one.met) == len(one.sides) == 1 for one in found)


def test_sides_are_those_of_the_game_that_was_played() -> None:
    """The first side of one game may be the second of another, which the tournament plays next."""
    pairs = (Pair("Toy cup", "mirror", "skirmish", ("Ann", "Ben"), 1),)
    start = contest("Ann", "Ben", rounds=(Round(1, pairs, "now"),))
    assert [seat.side for seat in history(start, sides)["Ann"]] == ["blue"]
    assert proposed(start).rounds[-1].pairs[0].players == ("Ann", "Ben")  # Ann was Blue, now Red comes first


# -- by hand ---------------------------------------------------------------------------------------------


def test_two_players_change_places_one_of_whom_may_sit_out() -> None:
    start = proposed(contest(*FOUR[:3]))
    found = editing.exchange(start, "ann", "cleo").proposal
    swapped = {"Ann": "Cleo", "Cleo": "Ann", "Ben": "Ben"}
    assert found is not None
    assert [p.players for p in found.pairs] == [
        tuple(swapped[name] for name in pair.players) for pair in start.rounds[0].pairs
    ]


def test_the_two_at_a_table_change_sides() -> None:
    start = proposed(contest("Ann", "Ben"))
    found = editing.turn(start, 1).proposal
    assert found is not None
    assert found.pairs[0].players == start.rounds[0].pairs[0].players[::-1]


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda c: editing.exchange(c, "Ann", "Ann"), Unreadable),
        (lambda c: editing.exchange(c, "Ann", "Nobody"), Unknown),
        (lambda c: editing.turn(c, 9), Unknown),
        (lambda c: editing.put_player(c, "Ann", new="BEN"), NotNow),
        (lambda c: editing.drop_player(c, "Ann"), NotNow),
        (lambda c: editing.drop_tournament(c, "Toy cup"), NotNow),
        (lambda c: editing.put_tournament(c, Tournament("toy CUP", "toy", "skirmish")), NotNow),
        (lambda c: editing.put_tournament(c, Tournament(" ", "toy", "skirmish")), Unreadable),
        (lambda c: editing.turn(editing.discard(c), 1), NotNow),
        (lambda c: editing.correct(c, 1, 1, Correction("red", reason="told")), Unknown),
    ],
)
def test_what_makes_no_sense_is_refused(change: Callable[[Contest], Contest], kind: type[Mistake]) -> None:
    with refused(kind):
        change(proposed(contest(*FOUR)))


def test_a_published_round_stays_as_it_is() -> None:
    with refused(NotNow):
        editing.turn(published(contest(*FOUR)), 1)


def test_a_player_is_renamed_everywhere() -> None:
    found = editing.put_player(published(contest("Ann", "Ben")), "ann", new="Anna  Berg")
    assert found.players[0].name == "Anna Berg"
    assert "Anna Berg" in found.rounds[0].pairs[0].players


def test_another_scenario_is_for_rounds_to_come() -> None:
    start = proposed(published(contest("Ann", "Ben")))
    found = editing.put_tournament(start, Tournament("Toys", "toy", "duel"), "Toy cup")
    assert [(r.pairs[0].tournament, r.pairs[0].scenario) for r in found.rounds] == [
        ("Toys", "skirmish"),
        ("Toys", "duel"),
    ]
    assert {player.tournament for player in found.players} == {"Toys"}


def test_a_result_by_hand_needs_a_reason() -> None:
    with refused(Unreadable, field="reason"):
        editing.correct(published(contest("Ann", "Ben")), 1, 1, Correction("red", reason=" "))


def test_everything_is_kept_as_it_was() -> None:
    start = published(contest(*FOUR[:3]))
    start = editing.correct(start, 1, 1, Correction("red", "minor", {"red": 3}, "told", "now"))
    hall = Hall(3, contest=replace(start, points=Points(2.5, levels=(Level("minor", 2.0, 0.5),))))
    assert read(Hall, written(hall)) == hall


# -- published: tables, reports, corrections -------------------------------------------------------------


@pytest.fixture
def playing(tables: Tables, desk: Desk) -> Desk:
    """Round 1 of four, published."""
    desk.change(lambda hall: replace(hall, contest=proposed(contest(*FOUR))))
    publish_round(tables, desk, 1)
    return desk


def end(tables: Tables, code: str, **how: str) -> None:
    tables.act(code, "table", "end-game", how, revision=tables.store.latest(code))
    all_agree(tables, code)


def test_publishing_founds_the_tables_with_their_players(tables: Tables, playing: Desk) -> None:
    hall = playing.state()
    assert len(tables.store.tables()) == 2
    for pair in hall.contest.rounds[0].pairs:
        table = hall.by_code[pair.code]
        assert (table.number, table.round) == (pair.table, 1)
        assert table.players == dict(zip(("red", "blue"), pair.players, strict=True))


def test_publishing_twice_founds_nothing_twice(tables: Tables, playing: Desk) -> None:
    assert publish_round(tables, playing, 1) == playing.state().contest.rounds[0]
    assert len(tables.store.tables()) == 2


def test_a_round_cut_short_goes_on_with_the_tables_that_were_founded(
    tables: Tables, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The power goes between founding and publishing."""
    desk.change(lambda hall: replace(hall, contest=proposed(contest(*FOUR))))
    with monkeypatch.context() as patch:
        patch.setattr(publishing, "publish", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            publish_round(tables, desk, 1)
    assert desk.state().contest.proposal is not None
    publish_round(tables, desk, 1)
    assert len(tables.store.tables()) == 2
    assert all(pair.code for pair in desk.state().contest.rounds[0].pairs)


def test_a_round_that_cannot_be_founded_is_not_published(tables: Tables, desk: Desk) -> None:
    bad = editing.put_tournament(proposed(contest(*FOUR)), replace(TOY, scenario="nowhere"), "Toy cup")
    desk.change(lambda hall: replace(hall, contest=bad))
    with pytest.raises(BadList):
        publish_round(tables, desk, 1)
    assert desk.state().contest.published == ()
    assert tables.store.tables() == []


def test_a_finished_table_reports_by_itself(tables: Tables, playing: Desk) -> None:
    state, reports = playing.state().contest, Reports(tables)
    assert reports.matches(state) == {}
    pair = state.rounds[0].pairs[0]
    tables.act(pair.code, "table", "roll-dice", {"dice": "1d6"})
    end(tables, pair.code, winner="red", level="decisive")
    line = reports.lines(state)[0]
    assert line.report is not None
    assert (line.report.winner, line.report.level, line.report.minutes) == ("red", "decisive", 0)
    assert reports.matches(state) == {"1-1": Match(pair.players, pair.players[0], "decisive")}


def test_an_archived_table_still_counts(tables: Tables, playing: Desk) -> None:
    code = playing.state().contest.rounds[0].pairs[0].code
    end(tables, code, winner="blue")
    tables.store.archive(code)
    assert list(Reports(tables).matches(playing.state().contest)) == ["1-1"]


def test_an_ending_taken_back_is_no_result_any_more(tables: Tables, playing: Desk) -> None:
    code = playing.state().contest.rounds[0].pairs[0].code
    reports, line = Reports(tables), tables.store.latest(code)
    end(tables, code, winner="blue")
    assert reports.matches(playing.state().contest)
    tables.act(code, "red", "take-back", {"to": line})
    all_agree(tables, code)
    assert reports.matches(playing.state().contest) == {}


def test_a_count_that_decided_nothing_waits_for_the_organiser(tables: Tables, playing: Desk) -> None:
    """The toy ends after its last turn without a winner: that is no draw before somebody says so."""
    code = playing.state().contest.rounds[0].pairs[0].code
    game = tables.game(code)
    last = game.kit.phases[-1].id
    tables.act(code, "red", "go-to", {"turn": game.last, "phase": last}, revision=game.revision)
    while not tables.row(code).ended:
        tables.act(code, "table", "next-phase", {"anyway": "on"}, revision=tables.store.latest(code))
    line = Reports(tables).lines(playing.state().contest)[0]
    assert line.report is not None and not line.report.decided
    assert line.match is None


def test_the_organisers_word_goes_before_the_tables(tables: Tables, playing: Desk) -> None:
    state = playing.state().contest
    pair = state.rounds[0].pairs[0]
    end(tables, pair.code, winner="red")
    said = Correction("blue", "minor", {"blue": 4}, "they mixed up the sides", "now")
    corrected = editing.correct(state, 1, 1, said)
    line = Reports(tables).lines(corrected)[0]
    assert line.match == Match(pair.players, pair.players[1], "minor", {pair.players[1]: 4})
    assert line.report is not None and line.report.winner == "red"
    assert Reports(tables).matches(editing.correct(corrected, 1, 1, None))["1-1"].winner == pair.players[0]


def test_two_rounds_are_played_scored_and_paired_again(tables: Tables, playing: Desk) -> None:
    """Winners meet winners; nobody meets again whom he met."""
    reports = Reports(tables)
    for pair in playing.state().contest.rounds[0].pairs:
        end(tables, pair.code, winner="red")
    state = playing.change(
        lambda hall: replace(
            hall, contest=propose(hall.contest, reports.matches(hall.contest), reports.sides, list)
        )
    ).contest
    winners = frozenset(pair.players[0] for pair in state.rounds[0].pairs)
    assert winners in couples(state.proposal)
    publish_round(tables, playing, 2)
    assert {row.code for row in tables.store.tables()} == {
        p.code for p in playing.state().contest.rounds[1].pairs
    }
    for pair in playing.state().contest.rounds[1].pairs:
        end(tables, pair.code, winner="nobody")
    state = playing.state().contest
    table = ranking(state, reports.matches(state), TOY.name)
    assert [line.points for line in table] == [4, 4, 1, 1]
    assert couples(state.rounds[0]).isdisjoint(couples(state.rounds[1]))


# -- tables that change under a round --------------------------------------------------------------------


def test_a_table_renumbered_takes_its_result_along(tables: Tables, playing: Desk) -> None:
    pair = playing.state().contest.rounds[0].pairs[0]
    said = Correction("red", reason="told")
    playing.change(lambda hall: replace(hall, contest=editing.correct(hall.contest, 1, pair.table, said)))
    players = playing.state().by_code[pair.code].players
    change_details(playing, pair.code, Details(40, "", players))
    now = playing.state().contest
    assert [p.table for p in now.rounds[0].pairs if p.code == pair.code] == [40]
    assert now.results == {"1-40": said}


def test_a_substitute_who_entered_plays_in_the_round(tables: Tables, playing: Desk) -> None:
    """Somebody did not come, and another player takes the seat: the result is his. A stranger's is not anybody's."""
    desk = playing
    desk.change(
        lambda hall: replace(
            hall, contest=replace(hall.contest, players=(*hall.contest.players, Player("Eve", TOY.name)))
        )
    )
    pair = desk.state().contest.rounds[0].pairs[0]
    change_details(desk, pair.code, Details(pair.table, "", {"red": "Stranger", "blue": pair.players[1]}))
    assert desk.state().contest.rounds[0].pairs[0].players == pair.players
    change_details(desk, pair.code, Details(pair.table, "", {"red": "eve", "blue": pair.players[1]}))
    assert desk.state().contest.rounds[0].pairs[0].players == ("Eve", pair.players[1])


def test_the_next_round_closes_tables_whose_result_was_told_by_hand_and_leaves_the_others(
    tables: Tables, playing: Desk
) -> None:
    """Their players sit at the next round's tables; a game that goes on is not disturbed."""
    told, going = (pair.code for pair in playing.state().contest.rounds[0].pairs)
    said = Correction("red", reason="told")
    playing.change(lambda hall: replace(hall, contest=editing.correct(hall.contest, 1, 1, said)))
    playing.change(lambda hall: replace(hall, contest=proposed(hall.contest)))
    publish_round(tables, playing, 2)
    hall = playing.state()
    assert (hall.by_code[told].state, hall.by_code[going].state) == ("closed", "open")
    assert "round 2 has begun" in tables.log(told, "watch")[0].lines[0]
    assert all(hall.by_code[pair.code].state == "open" for pair in hall.contest.rounds[1].pairs)
