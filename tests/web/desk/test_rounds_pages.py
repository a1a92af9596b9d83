"""The organiser's pages of players, rounds and standings, as without JavaScript; and what the hall sees of them."""

import io
import re

import pytest
from deskkey import ORIGIN, organiser
from flask import Flask
from flask.testing import FlaskClient
from toykit import all_agree
from werkzeug.test import TestResponse

from companion.hall.desk import Desk
from companion.hall.rounds import Contest
from companion.tables.tables import Tables

NAMES = ("Ann", "Ben", "Cleo", "Dan", "Eve")


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return organiser(app)


@pytest.fixture
def tables(app: Flask) -> Tables:
    found: Tables = app.extensions["companion"]["tables"]
    return found


def contest(app: Flask) -> Contest:
    found: Desk = app.extensions["companion"]["desk"]
    return found.state().contest


def post(client: FlaskClient, page: str, **form: object) -> TestResponse:
    return client.post(f"/desk/{page}", data=form, headers=ORIGIN)


def entered(client: FlaskClient, *names: str) -> None:
    assert post(client, "players/tournament", name="Toy cup", scenario="toy/skirmish").status_code == 303
    assert post(client, "players", list="\n".join(names)).status_code == 303


@pytest.fixture
def playing(client: FlaskClient) -> FlaskClient:
    """Round 1 of five, published."""
    entered(client, *NAMES)
    assert post(client, "rounds/pair").status_code == 303
    assert post(client, "rounds/publish", round="1").status_code == 303
    return client


def end(tables: Tables, code: str, **how: str) -> None:
    tables.act(code, "table", "end-game", how, revision=tables.store.latest(code))
    all_agree(tables, code)


# -- players ---------------------------------------------------------------------------------------------


def test_an_empty_hall_says_what_to_do_first(client: FlaskClient) -> None:
    for page in ("players", "rounds", "standings"):
        answer = client.get(f"/desk/{page}")
        assert answer.status_code == 200
        assert "/desk/players" in answer.text
    for page in ("/standings", "/round"):
        assert 'class="empty"' in client.get(page).text


def test_tournament_and_players_are_entered(client: FlaskClient, app: Flask) -> None:
    entered(client, *NAMES)
    page = client.get("/desk/players").text
    assert all(name in page for name in NAMES)
    assert [t.name for t in contest(app).tournaments] == ["Toy cup"]


def test_a_players_file_is_read_like_a_list(client: FlaskClient, app: Flask) -> None:
    entered(client, "Ann")
    file = (io.BytesIO("player;tournament\nBj\u00f6rn;Toy cup\n".encode("cp1252")), "players.csv")
    assert client.post("/desk/players", data={"file": file}, headers=ORIGIN).status_code == 303
    assert [p.name for p in contest(app).players] == ["Ann", "Björn"]


def test_a_bad_list_comes_back_with_every_problem_and_what_was_typed(client: FlaskClient, app: Flask) -> None:
    entered(client, "Ann")
    answer = post(client, "players", list="Ben\nBen\nCleo,Toy cap\n")
    assert answer.status_code == 422
    assert "Line 2" in answer.text and "Line 3" in answer.text and "Cleo,Toy cap" in answer.text
    assert [p.name for p in contest(app).players] == ["Ann"]


@pytest.mark.parametrize(
    "form",
    [
        {"name": "X", "scenario": "toy/nowhere"},
        {"name": "X", "scenario": "nothing/at-all"},
        {"name": "X" * 99, "scenario": "toy/skirmish"},
        {"name": "X", "scenario": "toy/skirmish", "options": "dice=a dice=b"},
        {"was": "Nobody", "do": "drop"},
    ],
)
def test_a_tournament_that_makes_no_sense_is_refused_on_its_page(
    client: FlaskClient, app: Flask, form: dict[str, str]
) -> None:
    answer = post(client, "players/tournament", **form)
    assert answer.status_code in (404, 422)
    assert 'role="alert"' in answer.text and "<h1" in answer.text
    assert contest(app).tournaments == ()


def test_a_player_sits_out_comes_back_is_renamed_and_struck_out(client: FlaskClient, app: Flask) -> None:
    entered(client, "Ann", "Ben")
    assert "Strike out" in client.get("/desk/players?player=ann").text
    post(client, "players/one", player="Ann", do="out")
    assert contest(app).player("Ann").out
    post(client, "players/one", player="Ann", do="in")
    post(client, "players/one", player="Ann", do="rename", new="Anna")
    post(client, "players/one", player="Ben", do="drop")
    assert [(p.name, p.out) for p in contest(app).players] == [("Anna", False)]


def test_a_rename_reaches_the_tables(playing: FlaskClient, app: Flask) -> None:
    post(playing, "players/one", player="Ann", do="rename", new="Anna Berg")
    hall = app.extensions["companion"]["desk"].state()
    seated = {name for table in hall.tables for name in table.players.values()}
    byes = {pair.players[0] for pair in hall.contest.rounds[0].pairs if pair.is_bye}
    assert "Anna Berg" in seated | byes and "Ann" not in seated | byes


# -- a round ---------------------------------------------------------------------------------------------


def test_a_round_is_proposed_changed_and_published(client: FlaskClient, app: Flask, tables: Tables) -> None:
    entered(client, *NAMES)
    post(client, "rounds/pair")
    before = contest(app).rounds[0]
    assert not before.published and tables.store.tables() == []
    page = client.get("/desk/rounds").text
    assert "Publish round 1" in page and "Bye" in page
    post(client, "rounds/change", do="turn-1")
    assert contest(app).rounds[0].pairs[0].players == before.pairs[0].players[::-1]
    bye = next(pair.players[0] for pair in before.pairs if pair.is_bye)
    post(client, "rounds/change", do="exchange", one=before.pairs[0].players[0], other=bye)
    assert bye in contest(app).rounds[0].pairs[0].players
    assert client.get("/round").text.count('class="pair ') == 0  # nobody sees it yet
    assert post(client, "rounds/publish", round="1").status_code == 303
    assert len(tables.store.tables()) == 2
    assert client.get("/round").text.count('class="pair ') == 2
    post(client, "rounds/publish", round="1")
    assert len(tables.store.tables()) == 2


def test_a_proposal_is_changed_as_a_list(client: FlaskClient, app: Flask) -> None:
    entered(client, "Ann", "Ben")
    post(client, "rounds/pair")
    assert post(client, "rounds/change", do="list", list="31, Ben, Ann").status_code == 303
    assert contest(app).rounds[0].pairs[0].players == ("Ben", "Ann")
    assert contest(app).rounds[0].pairs[0].table == 31
    answer = post(client, "rounds/change", do="list", list="31, Ben, Bob")
    assert answer.status_code == 422
    assert "Line 1" in answer.text and "31, Ben, Bob" in answer.text


def test_a_proposal_is_thrown_away(client: FlaskClient, app: Flask) -> None:
    entered(client, "Ann", "Ben")
    post(client, "rounds/pair")
    post(client, "rounds/change", do="discard")
    assert contest(app).rounds == ()
    assert post(client, "rounds/change", do="discard").status_code == 409


def test_the_next_round_waits_for_results_unless_told_otherwise(playing: FlaskClient, app: Flask) -> None:
    assert post(playing, "rounds/pair").status_code == 409
    assert "without them" in playing.get("/desk/rounds").text
    assert post(playing, "rounds/pair", anyway="on").status_code == 303
    assert [r.number for r in contest(app).rounds] == [1, 2]


def test_tables_of_a_list_become_the_first_round(client: FlaskClient, app: Flask) -> None:
    """Twelve tables set up from a list with names: the organiser need not enter anybody again."""
    lines = "\n".join(f"{n},toy,skirmish,A{n},B{n}" for n in range(1, 13))
    assert post(client, "new", list=lines, do="found").status_code == 303
    assert "Take them as round 1" in client.get("/desk/rounds").text
    post(client, "rounds/adopt")
    state = app.extensions["companion"]["desk"].state()
    assert len(state.contest.players) == 24
    assert {table.round for table in state.tables} == {1}
    assert [pair.code for pair in state.contest.rounds[0].pairs] == [t.code for t in state.tables]
    assert post(client, "rounds/adopt").status_code == 409


# -- results ---------------------------------------------------------------------------------------------


def test_results_come_in_by_themselves_and_are_scored(
    playing: FlaskClient, app: Flask, tables: Tables
) -> None:
    pairs = contest(app).rounds[0].tables
    for pair in pairs:
        end(tables, pair.code, winner="red", level="decisive")
    page = playing.get("/desk/rounds").text
    assert "2 of 2 results are in" in page and page.count(">won<") == 2
    table = playing.get("/desk/standings").text
    first = re.search(r'<tr><td>1</td><th scope="row" class="standings-name">(\w+)', table)
    assert first is not None
    assert first[1] in {pair.players[0] for pair in pairs} | {
        p.players[0] for p in contest(app).rounds[0].pairs
    }
    assert "decisive" in table  # reported, and in no line of the points yet


def test_a_result_is_corrected_with_a_reason_and_left_to_the_table_again(
    playing: FlaskClient, app: Flask, tables: Tables
) -> None:
    pair = contest(app).rounds[0].tables[0]
    end(tables, pair.code, winner="red")
    page = f"rounds/1/{pair.table}"
    assert 'value="red" checked' in playing.get(f"/desk/{page}").text
    answer = post(playing, page, winner="blue", level="minor")
    assert answer.status_code == 422 and 'value="blue" checked' in answer.text
    wrong = {"winner": "green", "vp-1": "many", "reason": "x"}
    assert post(playing, page, **wrong).text.count("<li>") == 2
    told = {"winner": "blue", "level": "minor", "vp-2": "5", "reason": "sides mixed up"}
    assert post(playing, page, **told).status_code == 303
    assert "by hand: sides mixed up" in playing.get("/desk/rounds?round=1").text
    post(playing, page, do="table")
    assert contest(app).results == {}
    assert playing.get("/desk/rounds/1/99").status_code == 404


def test_results_are_saved_changed_and_sent_back(playing: FlaskClient, app: Flask) -> None:
    saved = playing.get("/desk/results.csv")
    assert saved.mimetype == "text/csv" and "attachment" in saved.headers["Content-Disposition"]
    assert post(playing, "results", list=saved.text).status_code == 303
    assert contest(app).results == {}
    assert post(playing, "results", list="1,1,red,major,9,,told\n1,2,draw,,,,told").status_code == 303
    assert set(contest(app).results) == {"1-1", "1-2"}
    answer = post(playing, "results", list="1,1,nobody else,,,,told\n1,7,red,,,,told")
    assert answer.status_code == 422 and answer.text.count("<li>") >= 2


def test_points_are_set_by_level_and_refused_all_at_once(playing: FlaskClient, app: Flask) -> None:
    form = {"win": "4", "draw": "2", "loss": "0,5", "bye": "2.5"}
    levels = {"word": ["strategic", ""], "level-win": ["6", ""], "level-loss": ["0", ""]}
    assert post(playing, "standings", **form, **levels).status_code == 303
    points = contest(app).points
    assert (points.win, points.loss, points.bye, points.of("Strategic")) == (4, 0.5, 2.5, (6, 0))
    bad = {**form, "win": "lots", "draw": "0.3", "word": ["x"], "level-win": ["-1"], "level-loss": ["nan"]}
    answer = post(playing, "standings", **bad)
    assert answer.status_code == 422
    assert all(text in answer.text for text in ("lots", "0.3", "-1", "nan"))
    assert contest(app).points == points


@pytest.mark.parametrize("page", ["players.csv", "standings.csv", "results.csv", "rounds/1.csv"])
def test_everything_is_saved_as_a_spreadsheet(playing: FlaskClient, page: str) -> None:
    answer = playing.get(f"/desk/{page}")
    assert answer.status_code == 200
    assert len(answer.text.splitlines()) >= 3


# -- who may see and do what -----------------------------------------------------------------------------


def test_a_stranger_neither_sees_nor_changes_anything_of_the_desk(playing: FlaskClient, app: Flask) -> None:
    stranger, before = app.test_client(), contest(app)
    for page in ("players", "rounds", "standings", "rounds/1/1", "results.csv", "players.csv"):
        assert stranger.get(f"/desk/{page}").status_code == 403
    for page in ("players", "rounds/pair", "rounds/publish", "rounds/1/1", "results", "standings"):
        assert stranger.post(f"/desk/{page}", headers=ORIGIN).status_code == 403
    assert contest(app) == before


def test_the_hall_sees_rounds_and_standings_but_no_proposal_and_no_reasons(
    playing: FlaskClient, app: Flask
) -> None:
    pair = contest(app).rounds[0].tables[0]
    post(playing, f"rounds/1/{pair.table}", winner="red", reason="CANARY")
    post(playing, "rounds/pair", anyway="on")
    stranger = app.test_client()
    seen = stranger.get("/round").text + stranger.get("/standings").text
    assert "Round 1" in seen and "Round 2" not in seen and "CANARY" not in seen
    assert all(name in seen for name in NAMES)


def test_a_whole_hall_may_look_at_once(
    playing: FlaskClient, app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One drawing serves everybody for some seconds; a change at the desk is seen at once."""
    store, asked = app.extensions["companion"]["store"], []
    listed = store.tables
    monkeypatch.setattr(store, "tables", lambda **how: asked.append(how) or listed(**how))
    for _ in range(20):
        assert app.test_client().get("/standings").status_code == 200
    assert len(asked) <= 4
    post(playing, "players/one", player="Ann", do="rename", new="Zoe")
    assert "Zoe" in app.test_client().get("/standings").text
