"""The organiser's tables: founded from a list, looked over, paused, closed and restored, with new links for lost devices."""

import io
import re
from collections.abc import Callable

from deskkey import ORIGIN, Organiser
from flask import Flask
from toykit import Device

from companion.hall.desk import Desk
from companion.tables.tables import Tables

Found = Callable[..., list[str]]


def test_an_empty_desk_says_how_to_begin(boss: Organiser) -> None:
    assert "Paste a list" in boss.get("/desk").text


def test_a_list_is_looked_over_before_anything_is_founded(boss: Organiser, desk: Desk) -> None:
    page = boss.post("/desk/new", list=",toy,,Anna <b>,Boris,storm,Window\n")
    assert page.status_code == 200 and "Set up 1 table" in page.text and "Anna &lt;b&gt;" in page.text
    assert desk.state().tables == ()
    ready = re.search(r'name="list" hidden>(.*?)</textarea>', page.text, re.S)
    assert ready is not None and "1,toy,skirmish,Anna &lt;b&gt;,Boris,storm=on,Window" in ready[1]


def test_every_problem_of_a_list_is_shown_with_its_line_and_the_list_is_kept(
    boss: Organiser, desk: Desk, tables: Tables
) -> None:
    text = "1,toy,,Anna,Boris\n1,tay,,Carl,\n"
    page = boss.post("/desk/new", list=text, do="found")
    assert page.status_code == 422 and "3 things to put right" not in page.text
    assert "2 things to put right" in page.text and "1,tay,,Carl,</code>" in page.text
    assert "<b>Line 2</b>" in page.text and "<b>Line 1</b>" not in page.text
    assert f">{text}</textarea>" in page.text.replace("\r", "")
    assert desk.state().tables == () and tables.store.tables() == []


def test_a_file_is_as_good_as_a_pasted_list(boss: Organiser, desk: Desk) -> None:
    sent = {"do": "found", "list": "", "file": (io.BytesIO("7;toy;;Jörg;Ana\n".encode("utf-16")), "list.csv")}
    answer = boss.client.post("/desk/new", data=sent, headers=ORIGIN, content_type="multipart/form-data")
    assert answer.status_code == 303 and desk.state().tables[0].players == {"red": "Jörg", "blue": "Ana"}


def test_founding_many_tables_is_not_slowed_like_a_strangers(app: Flask, founded: Found) -> None:
    from companion.web.flood import Allowance

    app.extensions["companion"]["founding"] = Allowance(burst=1)
    assert len(founded("\n".join(f"{n},toy,,A{n},B{n}" for n in range(1, 13)))) == 12


def test_the_desk_lists_the_tables_and_gives_them_as_a_list(boss: Organiser, founded: Found) -> None:
    codes = founded()
    page = boss.get("/desk?done=founded&n=2").text
    assert "2 tables set up" in page and page.index(codes[0]) < page.index(codes[1])
    assert "Anna" in page and "nothing done yet" in page
    boss.post(f"/desk/table/{codes[0]}/move", by="down")
    page = boss.get("/desk").text
    assert page.index(codes[1]) < page.index(codes[0])
    boss.post("/desk/sort")
    csv = boss.get("/desk/tables.csv")
    assert csv.mimetype == "text/csv"
    assert csv.text.splitlines()[1:] == ["1,toy,skirmish,Anna,Boris,,", "2,toy,skirmish,Carl,Dora,,"]


def test_all_tables_are_paused_with_a_word_and_opened_again(
    boss: Organiser, app: Flask, founded: Found
) -> None:
    codes = founded()
    red = Device(app, codes[0], "red")
    boss.post("/desk/state", state="paused", why="Lunch <1>")
    for page in (red.get(), red.get("more"), Device(app, codes[0]).get(f"/t/{codes[0]}/watch")):
        assert "paused this table: Lunch &lt;1&gt;" in page.text
    refused = red.do("roll-dice", dice="1d6")
    assert refused.status_code == 409 and "paused" in refused.text
    boss.post("/desk/state", state="open")
    assert "paused this table" not in red.get().text.split("<ol")[0]
    assert red.do("roll-dice", dice="1d6").status_code < 400


def test_a_table_in_play_is_closed_only_after_a_question(
    boss: Organiser, tables: Tables, desk: Desk, founded: Found
) -> None:
    code = founded()[0]
    tables.act(code, "table", "set-up", {})
    asked = boss.post(f"/desk/table/{code}/state", do="close")
    assert asked.status_code == 303 and asked.location.endswith("/close")
    assert desk.state().by_code[code].state == "open"
    assert "It is in play" in boss.get(asked.location).text
    boss.post(f"/desk/table/{code}/state", do="close", sure="yes", why="flood")
    assert desk.state().by_code[code].state == "closed"
    assert "closed this table: flood" in tables.log(code, "red")[0].lines[0]
    assert "Closed and archived" in boss.get("/desk").text
    boss.post(f"/desk/table/{code}/state", do="archive")
    assert tables.row(code).archived
    boss.post(f"/desk/table/{code}/state", do="restore")
    assert desk.state().by_code[code].state == "open" and not tables.row(code).archived


def test_a_table_gets_another_number_name_and_players(boss: Organiser, desk: Desk, founded: Found) -> None:
    codes = founded()
    sent = {"number": "12", "name": "Stage", "player-red": "Zoe", "player-blue": ""}
    assert boss.post(f"/desk/table/{codes[0]}", **sent).status_code == 303
    assert desk.state().by_code[codes[0]].title == "Table 12: Stage"
    bad = boss.post(f"/desk/table/{codes[0]}", **{**sent, "number": "2", "player-red": "Anton"})
    assert bad.status_code == 422 and "Number 2 is taken" in bad.text and 'value="Anton"' in bad.text
    assert boss.post(f"/desk/table/{codes[0]}", **{**sent, "number": "x"}).status_code == 422


def test_a_lost_phone_gets_a_new_link_and_nobody_else_notices(
    boss: Organiser, app: Flask, founded: Found
) -> None:
    code = founded()[0]
    red, blue = Device(app, code, "red"), Device(app, code, "blue")
    page = boss.get(f"/desk/table/{code}").text
    assert page.count("/j/") == 2, (
        "the link of the table's screen, as words and as address; taken seats show none"
    )
    assert "signed out at once" in boss.get(f"/desk/table/{code}/link/red").text
    answer = boss.post(f"/desk/table/{code}/link/red")
    assert red.get().status_code == 403 and blue.get().status_code == 200
    link = re.search(
        r'id="seat-red".*?href="http://localhost(/j/[^"]+)"', boss.get(answer.location).text, re.S
    )
    assert link is not None
    other = app.test_client()
    assert other.get(link[1]).status_code == 303
    assert other.get(f"/t/{code}/red").status_code == 200
    assert boss.post(f"/desk/table/{code}/link/green").status_code == 404


def test_the_tables_screen_gets_a_new_link_even_where_its_players_were_asked_already(
    boss: Organiser, app: Flask, founded: Found
) -> None:
    code = founded()[0]
    tablet, red = Device(app, code, "table"), Device(app, code, "red")
    Device(app, code, "blue")
    red.do("lost-table")
    boss.post(f"/desk/table/{code}/link/table")
    assert tablet.get().status_code == 403 and red.get().status_code == 200


def test_a_table_that_is_not_the_organisers_is_not_found(boss: Organiser, tables: Tables) -> None:
    code = tables.new("toy", "skirmish", {})
    assert boss.get(f"/desk/table/{code}").status_code == 404
    assert boss.post(f"/desk/table/{code}/state", do="pause").status_code == 404
    assert boss.post("/desk/state", state="burned").status_code == 422


def test_a_table_is_found_by_number_player_game_or_code(boss: Organiser, founded: Found) -> None:
    codes = founded("1,toy,,Anna,Boris\n2,toy,,Carl,Dora\n12,toy,,Emil,Fritz\n")

    def found(query: str) -> list[str]:
        return re.findall(r'id="table-(\w+)"', boss.get(f"/desk?q={query}").text)

    assert found("2") == [codes[1]] and found("boris") == [codes[0]] and found(codes[2].lower()) == [codes[2]]
    assert found("toy") == codes and "No table like" in boss.get("/desk?q=nobody-like-that").text


def test_the_lobby_names_a_table_of_the_hall_by_its_number_and_players(
    boss: Organiser, app: Flask, founded: Found
) -> None:
    """Whoever looks for his own name in the lobby finds his table."""
    codes = founded("1,toy,,Anna,Boris\n2,toy,,Carl,Dora\n")
    page = Device(app).get("/?q=dora").text
    assert "Table 2 · Carl – Dora" in page and codes[1] in page and codes[0] not in page
    boss.post(f"/desk/table/{codes[1]}", number="9", **{"player-red": "Carl", "player-blue": "Zoe"})
    assert "Table 9 · Carl – Zoe" in Device(app).get("/?q=zoe").text


def test_a_closed_table_is_out_of_the_lobbys_way(boss: Organiser, app: Flask, founded: Found) -> None:
    codes = founded()
    boss.post(f"/desk/table/{codes[0]}/state", do="close", sure="yes")
    page = Device(app).get("/").text
    assert page.index("Archived (1)") < page.index(codes[0]) and page.index(codes[1]) < page.index(
        "Archived (1)"
    )


def test_tables_set_up_days_before_stay_in_the_lobby(app: Flask, tables: Tables, founded: Found) -> None:
    """A table that a stranger opened and left is put away after a day; the organiser's is not."""
    from datetime import UTC, datetime, timedelta

    from companion.web.flood import put_away_empty

    codes, strangers = founded(), tables.new("toy", "skirmish", {})
    with app.test_request_context():
        assert put_away_empty(datetime.now(UTC) + timedelta(days=3)) == [strangers]
    assert {row.code for row in tables.store.tables()} == set(codes)
