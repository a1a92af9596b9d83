"""The chart book's pages through the web: plain forms, single cells, spreadsheets, the lock. Values are made up here."""

import html
import io
import json
import re

import pytest
from bookkey import give_key

from companion.web import passphrase
from companion.web.app import create_app
from companion.web.book import lock

CRT = "/book/second-kharkov/chart/crt"
CARDS = "/book/enemy-action-kharkov/list/cards"
GOALS = "/book/kharkov-battles/list/goals"
ROSTER = "/book/second-kharkov/roster/historical"
NASTY = ["<script>alert(1)</script>", "🙂🙂", "x" * 10_000, "'; drop table book; --", "{{ 7*7 }}", "\0"]


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    return create_app(tmp_path_factory.mktemp("data"), testing=True)


@pytest.fixture
def client(tmp_path):
    """A device that knows the passphrase of a book as it was shipped."""
    app = create_app(tmp_path / "data", testing=True)
    return give_key(app, device(app))


def device(app):
    """A browser of its own: it has its cookies, and says that it comes from our own page."""
    made = app.test_client()
    made.environ_base["HTTP_SEC_FETCH_SITE"] = "same-origin"
    return made


def text_of(answer):
    return html.unescape(answer.get_data(as_text=True))


def cell(client, page, at, value):
    return client.post(f"{page}/cell", data={"at": at, "value": value}, headers={"HX-Request": "true"})


def plain_form(client, page, **typed):
    """Send the whole form as a browser without JavaScript would, with some cells typed over."""
    shown = client.get(page).get_data(as_text=True)
    was = html.unescape(re.search(r'name="was" value="([^"]*)"', shown)[1])
    fields = {"was": was}
    for n, (at, text) in enumerate(json.loads(was)):
        if f'name="f{n}"' in shown:
            fields[f"f{n}"] = typed.get(at, text)
    return client.post(page, data=fields)


def csv_of(client, page):
    return client.get(f"{page}.csv").get_data(as_text=True)


# -- the shelf


def test_every_game_and_sheet_is_on_the_shelf_and_every_link_of_the_book_leads_somewhere(app):
    client = app.test_client()
    page = client.get("/book").get_data(as_text=True)
    links = set(re.findall(r'href="(/book/[^"#]+)"', page))
    for game in app.extensions["companion"]["tables"].systems:
        assert f"/book/{game}" in links
    for link in sorted(links):
        if not link.endswith("/map"):
            assert client.get(link).status_code == 200, link
    assert "2</b> of 64 cells filled" in page and "on: mapsheet" in page


@pytest.mark.parametrize(
    "page", ["/book/nowhere", "/book/second-kharkov/chart/nope", "/book/second-kharkov/what/crt"]
)
def test_what_is_not_there_is_named(app, page):
    answer = app.test_client().get(page)
    assert answer.status_code == 404 and "no" in text_of(answer)


def test_no_page_of_the_book_has_inline_code(app):
    for page in ("/book", "/book/wb95", CRT, CARDS, GOALS, ROSTER):
        text = app.test_client().get(page).get_data(as_text=True)
        assert not re.search(r"\sstyle=|\son\w+=|<style|javascript:|<script>", text), page


# -- a chart


def test_a_chart_looks_like_the_printed_one(app):
    page = give_key(app, app.test_client()).get(CRT).get_data(as_text=True)
    assert re.findall(r'<th scope="row">([^<]*)<', page) == ["&lt;1", "1", "2", "3", "4", "5", "6", "&gt;6"]
    assert page.count("cell cell-blank") == 62 + 1  # and the legend
    assert "12.18" in page and "12.7 errata" in page
    assert len(re.findall(r'name="f\d+"', page)) == 62


def test_one_cell_is_saved_and_comes_back_with_the_progress(client):
    answer = cell(client, CRT, "1|1:3", "2/0")
    assert answer.status_code == 200
    assert "cell-owner" in text_of(answer) and "<b>3</b> of 64" in text_of(answer)
    assert 'hx-swap-oob="true"' in text_of(answer) and "<html" not in text_of(answer)
    assert "1,2/0" in csv_of(client, CRT)


@pytest.mark.parametrize("typed", NASTY)
def test_bad_input_gets_a_clear_message_and_stays_as_typed(client, typed):
    answer = cell(client, CRT, "1|1:3", typed)
    text = answer.get_data(as_text=True)
    assert answer.status_code == 422
    assert "row 1, column 1:3" in text and "<script>" not in text and "49" not in text
    assert (
        html.escape(typed[:20], quote=False).split("&#")[0][:5] in text.replace("&#39;", "'") or "\0" in typed
    )
    assert len(text) < 8_000
    assert "2</b> of 64" in client.get(CRT).get_data(as_text=True)


@pytest.mark.parametrize("at", ["", "1", "1|9:1", "99|1:3", "|", "x" * 10_000])
def test_a_cell_that_is_not_on_the_chart_is_refused(client, at):
    assert cell(client, CRT, at, "1/1").status_code == 422


def test_the_plain_form_saves_the_good_ones_and_keeps_the_bad_ones(client):
    answer = plain_form(client, CRT, **{"1|1:3": "2/0", "2|1:3": "wrong", "3|1:3": " 1 / 1 "})
    text = text_of(answer)
    assert answer.status_code == 422
    assert "2 cells saved" in text and "row 2, column 1:3: 'wrong'" in text and 'value="wrong"' in text
    assert csv_of(client, CRT).count("2/0") == 1 and "3,1/1" in csv_of(client, CRT)


def test_the_plain_form_leaves_alone_what_another_device_wrote_meanwhile(client):
    shown = client.get(CRT).get_data(as_text=True)
    was = html.unescape(re.search(r'name="was" value="([^"]*)"', shown)[1])
    cell(client, CRT, "1|1:3", "2/0")
    n = next(i for i, (at, _) in enumerate(json.loads(was)) if at == "2|1:3")
    client.post(CRT, data={"was": was, f"f{n}": "1/1", f"f{n - 8}": ""})
    assert "1,2/0" in csv_of(client, CRT) and "2,1/1" in csv_of(client, CRT)


@pytest.mark.parametrize("was", ["", "{}", "[[1]]", "[" * 10_000, '[["a"]]'])
def test_a_broken_form_is_refused(client, was):
    assert client.post(CRT, data={"was": was}).status_code == 422


def test_a_pasted_block_saves_what_it_can_and_names_the_rest(client):
    block = [["1|1:3", "2/0"], ["1|1:2", "oops"], ["3|3:1", "2/2"], ["77|1:3", "1/1"]]
    answer = client.post(f"{CRT}/cells", data={"cells": json.dumps(block)})
    text = text_of(answer)
    assert answer.status_code == 422 and text.count("<section") == 1
    assert "row 1, column 1:2" in text and "the rulebook gives '1/2'" in text and "has no row '77'" in text
    assert 'value="oops"' in text and "1,2/0" in csv_of(client, CRT)


def test_a_doubtful_cell_is_flagged_and_confirmed_by_one_tap(client):
    page = "/book/wb95/chart/combat"
    at = html.unescape(re.search(r'value="([^"]*)" data-confirm', client.get(page).get_data(as_text=True))[1])
    answer = client.post(f"{page}/confirm", data={"at": at})
    assert answer.status_code == 200 and f'value="{html.escape(at)}" data-confirm' not in answer.get_data(
        as_text=True
    )


def test_csv_goes_out_and_comes_back(client):
    cell(client, CRT, "1|1:3", "2/0")
    sent = csv_of(client, CRT)
    assert sent.splitlines()[0] == "crt,1:3,1:2,1:1,2:1,3:1,4:1,5:1,6:1"
    filled = sent.replace("\n4,,", "\n4,1/1,")
    answer = client.post(f"{CRT}/csv", data={"file": (io.BytesIO(filled.encode()), "crt.csv")})
    assert answer.status_code == 200 and "1 cell saved" in text_of(answer)
    assert csv_of(client, CRT) == filled


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ("", "Choose a file, or paste"),
        ("hello", "none of its columns"),
        ("crt,1:3\n1,nonsense\n", "row 1, column 1:3: 'nonsense'"),
        ("crt,1:3\n9,1/1\n", "line 2: no row '9'"),
        ("crt,7:1,1:3\n1,1/1,1/1\n", "no column '7:1'"),
        ("crt,1:3\n1,1-Feb\n", "took it for a date"),
        ("crt,3:1\n3,2/2\n", "the rulebook gives '1/2'"),
        ("crt,1:3\n1,<img src=x>\n", "'<img src=x>' is not a result"),
    ],
)
def test_a_wrong_csv_is_answered_by_row_and_column_and_stays_in_the_box(client, sent, words):
    answer = client.post(f"{CRT}/csv", data={"text": sent})
    assert answer.status_code == 422 and words in text_of(answer)
    assert "<img" not in answer.get_data(as_text=True)
    if sent:
        assert sent.strip() in text_of(answer)


def test_open_tables_see_a_new_cell_at_once(client):
    tables = client.application.extensions["companion"]["tables"]
    code = tables.new("second-kharkov", "historical", {})
    assert tables.game(code).chart("crt").cell("1", "1:3").value == ""
    cell(client, CRT, "1|1:3", "2/0")
    assert tables.game(code).chart("crt").cell("1", "1:3").value == "2/0"


# -- a list


def test_a_list_is_tapped_in_and_counts_its_rows(client):
    before = int(re.search(r"<b>(\d+)</b> of 45", client.get(CARDS).get_data(as_text=True))[1])
    assert cell(client, CARDS, "P01|kind", "primary").status_code == 200
    answer = cell(client, CARDS, "P01|turn", "1")
    assert f"<b>{before + 1}</b> of 45" in text_of(answer) and 'id="sum-0"' in text_of(answer)
    assert "P01,primary,1" in csv_of(client, CARDS)
    assert cell(client, CARDS, "P01|kind", "").status_code == 200
    assert "P01,,1" in csv_of(client, CARDS)


@pytest.mark.parametrize("typed", NASTY)
def test_bad_choices_and_numbers_are_refused_in_words(client, typed):
    for at in ("P01|kind", "P01|turn"):
        answer = cell(client, CARDS, at, typed)
        assert answer.status_code == 422 and "card P01" in text_of(answer)
        assert len(answer.data) < 12_000


def test_what_the_rulebook_tells_of_a_card_is_locked(client):
    assert "the rulebook gives" in text_of(cell(client, CARDS, "P44|turn", "9"))
    assert cell(client, CARDS, "P99|turn", "9").status_code == 422
    assert cell(client, CARDS, "P01|nothing", "9").status_code == 422


def test_the_plain_form_of_a_list_works_with_ticks_and_choices(client):
    chits = "/book/enemy-action-kharkov/list/chits"
    shown = client.get(chits).get_data(as_text=True)
    was = html.unescape(re.search(r'name="was" value="([^"]*)"', shown)[1])
    pairs = json.loads(was)
    fields = {"was": was}
    fields |= {f"f{n}": "yes" for n, (at, _) in enumerate(pairs) if at == "C01|dark"}
    fields |= {f"f{n}": "A1 D1" for n, (at, _) in enumerate(pairs) if at == "C01|front_hits"}
    assert "2 cells saved" in text_of(client.post(chits, data=fields))
    assert plain_form(client, chits).status_code == 200
    assert "A1 D1" in csv_of(client, chits)


def test_rows_of_an_open_list_come_and_go(client):
    assert client.post(f"{GOALS}/add", data={"key": "7"}).status_code == 303
    assert client.post(f"{GOALS}/add", data={"many": "10"}).status_code == 303
    assert csv_of(client, GOALS).splitlines()[1:] == [f"{n}," for n in range(7, 18)]
    again = client.post(f"{GOALS}/add", data={"key": "7"})
    assert again.status_code == 422 and "already" in text_of(again)
    for bad in ("a|b", "x" * 10_000):
        assert client.post(f"{GOALS}/add", data={"key": bad}).status_code == 422
    client.post(f"{GOALS}/remove", data={"key": "7"})
    assert "\n7," not in csv_of(client, GOALS)
    assert client.post(f"{GOALS}/remove", data={"key": "nope"}).status_code == 422
    assert client.post(f"{CARDS}/add", data={"key": "P99"}).status_code == 422
    assert client.post(f"{CARDS}/remove", data={"key": "P01"}).status_code == 422


def test_a_list_goes_out_and_comes_back_as_csv(client):
    sent = csv_of(client, CARDS).replace("P02,,", "P02,supplemental,2").replace("P03,,", "P03,wrong,77")
    answer = client.post(f"{CARDS}/csv", data={"text": sent})
    text = text_of(answer)
    assert answer.status_code == 422 and "2 cells saved" in text
    assert "card P03, Kind: 'wrong'" in text and "card P03, Enters on turn: 77" in text
    assert "P02,supplemental,2" in csv_of(client, CARDS)


# -- a roster


def test_a_roster_is_sent_as_a_spreadsheet_or_answered_by_line(client):
    bad = client.post(f"{ROSTER}/csv", data={"text": "side,name,steps\ngerman,X,lots\nmartian,Y,1\n"})
    assert bad.status_code == 422
    assert "line 2: steps 'lots'" in text_of(bad) and "line 3: side 'martian'" in text_of(bad)
    assert "german,X,lots" in text_of(bad), "what was sent is still in the box"
    good = client.post(f"{ROSTER}/csv", data={"text": "side,name,steps,AF\ngerman,<b>Own</b> 🙂,2,4\n"})
    assert good.status_code == 200 and "1 unit added" in text_of(good)
    assert "<b>Own" not in good.get_data(as_text=True)
    assert "german-b-own-b" in csv_of(client, ROSTER)
    assert client.post(f"{ROSTER}/remove", data={"unit": "german-b-own-b"}).status_code == 303
    assert client.post(f"{ROSTER}/remove", data={"unit": "german-b-own-b"}).status_code == 422
    assert client.get("/book/second-kharkov/roster/nope").status_code in (404, 422)


# -- sharing


def test_a_shared_book_fills_blanks_and_asks_about_the_rest(client, tmp_path):
    elsewhere = create_app(tmp_path / "other", testing=True)
    other = give_key(elsewhere, device(elsewhere))
    cell(other, CRT, "1|1:3", "2/0")
    cell(other, CRT, "2|1:3", "2/1")
    cell(client, CRT, "1|1:3", "1/1")
    book = other.get("/book/second-kharkov/share.json").get_data()
    answer = client.post("/book/second-kharkov/share", data={"file": (io.BytesIO(book), "b.json")})
    text = text_of(answer)
    assert (
        "1 filled in" in text
        and "1 entry differs" in text
        and "yours <b>1/1</b>, the file <b>2/0</b>" in text
    )
    assert "1,1/1" in csv_of(client, CRT) and "2,2/1" in csv_of(client, CRT)
    client.post("/book/second-kharkov/share", data={"text": book.decode(), "take": "chart/crt#1|1:3"})
    assert "1,2/0" in csv_of(client, CRT)
    refused = client.post("/book/panzer-keil/share", data={"text": book.decode()})
    assert refused.status_code == 422 and "belongs to 'second-kharkov'" in text_of(refused)
    assert client.post("/book/second-kharkov/share", data={"text": "nonsense"}).status_code == 422


# -- the lock


def test_a_book_is_read_by_all_and_written_by_who_knows_the_words(client):
    assert cell(client, CRT, "1|1:3", "2/0").status_code == 200
    stranger = device(client.application)
    page = stranger.get(CRT)
    assert page.status_code == 200 and "2/0" in text_of(page) and "<input form=" not in text_of(page)
    assert "The book is locked" in text_of(page)
    for path, data in (
        (f"{CRT}/cell", {"at": "1|1:2", "value": "1/1"}),
        (CRT, {"was": "[]"}),
        (f"{CRT}/csv", {"text": "crt,1:3\n1,1/1"}),
        (f"{GOALS}/add", {"key": "1"}),
        (f"{ROSTER}/csv", {"text": "side\n"}),
        ("/book/second-kharkov/share", {"text": "{}"}),
        ("/book/lock", {"do": "lock", "passphrase": "mine now, mine"}),
        ("/book/lock", {"do": "lock", "seats": "1"}),
        ("/book/lock", {"do": "unlock", "passphrase": "wrong words"}),
    ):
        assert stranger.post(path, data=data).status_code == 403, path
    client.post("/book/lock", data={"do": "lock", "passphrase": "red star rising", "seats": "1"})
    unlock = {"do": "unlock", "passphrase": " red star rising "}
    assert stranger.post("/book/lock", data=unlock).status_code == 303
    assert cell(stranger, CRT, "1|1:2", "1/1").status_code == 200


def test_without_any_passphrase_a_stranger_can_neither_write_nor_set_one(tmp_path):
    stranger = device(create_app(tmp_path, testing=True))
    assert cell(stranger, CRT, "1|1:3", "2/0").status_code == 403
    for form in (
        {"do": "lock", "passphrase": "mine now, mine"},
        {"do": "unlock", "passphrase": "anything"},
        {"do": "unlock", "passphrase": ""},
    ):
        assert stranger.post("/book/lock", data=form).status_code == 403
    assert stranger.post("/book/lock", data={"do": "remove"}).status_code == 422
    assert cell(stranger, CRT, "1|1:3", "2/0").status_code == 403


def test_a_device_with_a_seat_writes_at_once_and_cannot_change_the_lock(tmp_path):
    app = create_app(tmp_path, testing=True)
    founder = device(app)
    assert founder.post("/new/second-kharkov/historical", data={"players": "two"}).status_code == 303
    assert cell(founder, CRT, "1|1:3", "2/0").status_code == 200
    assert "this device may write: it holds a seat" in text_of(founder.get("/book"))
    for form in ({"do": "lock", "passphrase": "mine now, mine"}, {"do": "lock"}):
        assert founder.post("/book/lock", data=form).status_code == 403
    keeper = give_key(app, device(app))
    assert keeper.post("/book/lock", data={"do": "lock"}).status_code == 303, "only the passphrase counts now"
    assert cell(keeper, CRT, "1|1:3", "1/1").status_code == 200
    assert cell(founder, CRT, "1|1:3", "1/1").status_code == 403
    keeper.post("/book/lock", data={"do": "lock", "seats": "1"})
    assert cell(founder, CRT, "1|1:3", "1/1").status_code == 200


@pytest.mark.parametrize("cookie", ["seats-ZZZZ=x", "seats-=", "seats-%ff=%ff", "seats-K7QX=a.b.c"])
def test_a_made_up_seat_opens_nothing(client, cookie):
    stranger = device(client.application)
    stranger.environ_base["HTTP_COOKIE"] = cookie
    assert cell(stranger, CRT, "1|1:3", "2/0").status_code == 403


@pytest.mark.parametrize("key", ["é", "\xff\xfe", "x" * 5000, ""])
def test_a_made_up_key_opens_nothing(client, key):
    stranger = device(client.application)
    stranger.environ_base["HTTP_COOKIE"] = f"book-key={key}"
    assert stranger.get(CRT).status_code == 200
    assert cell(stranger, CRT, "1|1:3", "2/0").status_code == 403


def test_a_lock_of_before_the_seats_counted_still_keeps_them_out(tmp_path):
    app = create_app(tmp_path, testing=True)
    app.extensions["companion"]["store"].setting_put("book-lock", {"salt": "00", "hash": "1" * 64})
    founder = device(app)
    founder.post("/new/second-kharkov/historical", data={"players": "two"})
    assert cell(founder, CRT, "1|1:3", "2/0").status_code == 403


def test_a_new_passphrase_shuts_the_old_devices_out(client):
    client.post("/book/lock", data={"do": "lock", "passphrase": "red star rising"})
    other = device(client.application)
    other.post("/book/lock", data={"do": "unlock", "passphrase": "red star rising"})
    assert client.post("/book/lock", data={"do": "lock", "passphrase": "short"}).status_code == 422
    client.post("/book/lock", data={"do": "lock", "passphrase": "another word"})
    assert cell(other, CRT, "1|1:3", "1/1").status_code == 403
    assert cell(client, CRT, "1|1:3", "1/1").status_code == 200


def test_guessing_the_passphrase_is_slowed_down(client, monkeypatch):
    monkeypatch.setattr(passphrase, "digest", lambda words, salt: words)
    stranger = device(client.application)
    codes = [
        stranger.post("/book/lock", data={"do": "unlock", "passphrase": str(n)}).status_code
        for n in range(12)
    ]
    assert codes[0] == 403 and codes[-1] == 429


def test_the_passphrase_is_not_stored(client):
    client.post("/book/lock", data={"do": "lock", "passphrase": "red star rising"})
    kept = client.application.extensions["companion"]["store"].setting_get("book-lock")
    assert "red star" not in json.dumps(kept) and len(kept["hash"]) == 64


def test_the_first_start_makes_a_passphrase_and_later_ones_keep_it(client):
    app = client.application
    store = app.extensions["companion"]["store"]
    store.setting_put("book-lock", None)  # as an installation of before has it
    words = lock.first_passphrase(store)
    assert words and len(set(words)) > 3 and lock.first_passphrase(store) is None
    stranger = device(app)
    assert stranger.post("/book/lock", data={"do": "unlock", "passphrase": words}).status_code == 303
    assert cell(stranger, CRT, "1|1:3", "2/0").status_code == 200
    assert lock.new_passphrase(store) != words
    assert cell(stranger, CRT, "1|1:3", "2/0").status_code == 403
