"""Charts and lists of the owner's book without the web: reading, merging, spreadsheets. Values are made up here."""

import pytest
from harness import refused
from hypothesis import given
from hypothesis import strategies as st

from companion.books.book import ChartSheet, ListSheet, load_book, natural, sheets
from companion.books.sheet import Edit
from companion.books.spreadsheet import decode, read_table, write_table
from companion.books.tabular import from_table, to_csv
from companion.engine.errors import Mistake, Unreadable
from companion.engine.kit.book import BookShape
from companion.engine.kit.lists import Column, build_list
from companion.resources import SCENARIOS
from companion.store import open_store
from companion.systems import find_system, load_systems

NOW = "2026-01-01T12:00:00+00:00"
KHARKOV = "second-kharkov"


@pytest.fixture
def store(tmp_path):
    made = open_store(tmp_path / "companion.db")
    yield made
    made.close()


@pytest.fixture
def crt(store):
    return lambda: ChartSheet(store, find_system(KHARKOV, SCENARIOS), "crt")


@pytest.fixture
def cards(store):
    return lambda: ListSheet(store, find_system("enemy-action-kharkov", SCENARIOS), "cards")


@pytest.fixture
def goals(store):
    return lambda: ListSheet(store, find_system("kharkov-battles", SCENARIOS), "goals")


def column(**block):
    return Column.from_toml({"id": "x", "label": "X", **block})


def shape(table, **changes):
    block = {
        "id": "track",
        "title": "Track",
        "key": "turn",
        "columns": (
            {"id": "air", "type": "whole", "min": 0, "max": 9},
            {"id": "ground", "choices": ["dry", "mud"]},
        ),
        "rows": ("1", "2", "3"),
        "more": False,
        "rule": "9.1",
        "help": "",
        "where": "map",
    }
    return build_list(BookShape(**{**block, **changes}), table)


# -- columns


@pytest.mark.parametrize(
    ("block", "text", "value"),
    [
        ({"type": "whole", "min": -9, "max": 9}, " 3 ", 3),
        ({"type": "whole", "min": -9, "max": 9}, "\N{MINUS SIGN}3", -3),
        ({"type": "whole"}, "", None),
        ({"choices": ["primary", "supplemental"]}, "S", "supplemental"),
        ({"choices": ["primary", "supplemental"]}, "PRIMARY", "primary"),
        ({"choices": [{"value": 2, "label": "two"}]}, "two", 2),
        ({"choices": [{"value": 2, "label": "two"}]}, "2", 2),
        ({"type": "flag"}, "x", True),
        ({"type": "flag"}, "no", False),
        ({"type": "text"}, "  Von   Manstein ", "Von Manstein"),
        ({"type": "text"}, "🙂 <b>", "🙂 <b>"),
    ],
)
def test_a_cell_is_read_as_its_column_says(block, text, value):
    assert column(**block).read(text) == value


@pytest.mark.parametrize(
    ("block", "text", "words"),
    [
        ({"type": "whole", "min": 0, "max": 9}, "12", "12 is out of range: a whole number from 0 to 9"),
        ({"type": "whole"}, "many", "'many' is not a number that fits"),
        ({"choices": ["clear", "cloudy"]}, "cl", "could be several"),
        ({"choices": ["clear", "mud"]}, "muud", "Did you mean mud?"),
        ({"type": "flag"}, "perhaps", "yes or no"),
        ({"type": "text"}, "a" * 10_000, "too long, 10,000 characters"),
        ({"type": "text"}, "a\x07b", "cannot be printed"),
    ],
)
def test_what_cannot_be_read_says_what_would_do(block, text, words):
    with pytest.raises(Unreadable, match=words.replace("?", r"\?")):
        column(**block).read(text)


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({"type": "wohle"}, "Did you mean whole?"),
        ({"type": "choice"}, "needs choices"),
        ({"lable": "X"}, "Did you mean label?"),
        ({"id": ""}, "needs an id"),
    ],
)
def test_a_faulty_column_of_a_kit_is_named(block, words):
    with pytest.raises(ValueError) as caught:
        column(**block)
    assert words in str(caught.value)


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused_in_words(text):
    for block in ({"type": "text"}, {"type": "whole"}, {"type": "flag"}, {"choices": ["a", "b"]}):
        one = column(**block)
        try:
            value = one.read(text)
        except Mistake as mistake:
            assert len(mistake.message) < 400
        else:
            assert one.read(one.write(value)) == value


# -- what a kit ships


def test_shipped_rows_are_locked_and_doubtful_ones_are_not():
    track, wrong = shape([["turn", "air", "ground"], ["1", "4", "mud?"], ["2", "", ""]])
    assert wrong == []
    assert track.locked("1", "air") and not track.locked("1", "ground")
    assert track.merged({"1": {"air": 5, "ground": "dry"}, "3": {"air": 1}}) == {
        "1": {"air": 4, "ground": "dry"},
        "3": {"air": 1},
    }


def test_a_faulty_shipped_list_is_told_by_line_and_column():
    _, wrong = shape([["turn", "air", "grund"], ["1", "12", ""], ["7", "", ""]])
    assert len(wrong) == 3
    assert (
        "Did you mean ground?" in wrong[0] and "line 2, column air" in wrong[1] and "no row '7'" in wrong[2]
    )


def test_a_value_that_no_longer_fits_its_column_is_left_out():
    track, _ = shape([])
    assert track.merged({"1": {"air": 77, "ground": "snow"}}) == {}


def test_what_the_rulebook_gives_alone_does_not_count_as_filled():
    track, _ = shape([["turn", "air"], ["1", "4"]])
    assert not track.complete("1", {"air": 4})
    assert track.complete("1", {"air": 4, "ground": "mud"})


@pytest.mark.parametrize("system", load_systems(SCENARIOS))
def test_every_shipped_sheet_reads_back_what_it_writes(system, store):
    for sheet in sheets(store, find_system(system, SCENARIOS)):
        outcome, problems = from_table(sheet, read_table(to_csv(sheet)), NOW)
        assert (outcome.problems, problems) == ({}, []), sheet.title
        assert outcome.saved == 0, f"{sheet.title}: a doubtful cell is not confirmed by sending it back"


# -- saving


def test_known_cells_are_locked_and_carry_their_rule(crt):
    spot = crt().spot("3", "3:1")
    assert (spot.text, spot.source, spot.rule, spot.locked) == ("1/2", "rulebook", "12.18", True)
    outcome = crt().save([Edit("3", "3:1", "2/2")], NOW)
    assert "row 3, column 3:1: the rulebook gives '1/2' (12.18)" in outcome.problems["3|3:1"]
    assert crt().spot("3", "3:1").text == "1/2"


def test_the_good_ones_are_saved_and_the_bad_ones_kept_as_typed(crt):
    sheet = crt()
    outcome = sheet.save(
        [Edit("1", "1:3", "2/0"), Edit("1", "1:2", "<script>"), Edit("1", "1:1", "x" * 10_000)], NOW
    )
    assert outcome.saved == 1
    assert crt().spot("1", "1:3").source == "owner"
    bad = sheet.spot("1", "1:2", outcome)
    assert bad.text == "<script>" and "row 1, column 1:2" in bad.error
    assert "10,000 characters" in sheet.spot("1", "1:1", outcome).error
    assert len(sheet.spot("1", "1:1", outcome).text) <= 1000
    assert crt().spot("1", "1:2").text == ""


@pytest.mark.parametrize("typed", ["1/2", " 1 / 2 ", "1/ 2"])
def test_a_code_may_be_typed_loosely(crt, typed):
    assert crt().read("1", "1:3", typed) == "1/2"


def test_another_device_is_not_overwritten_unseen(crt):
    crt().save([Edit("1", "1:3", "2/0")], NOW)
    outcome = crt().save([Edit("1", "1:3", "1/1", was="")], NOW)
    assert "another device wrote '2/0' meanwhile" in outcome.problems["1|1:3"]
    assert crt().spot("1", "1:3").text == "2/0"
    assert crt().save([Edit("1", "1:3", "1/1", was="2/0")], NOW).saved == 1


def test_changes_are_logged_with_what_stood_there(crt):
    crt().save([Edit("1", "1:3", "2/0")], NOW)
    crt().save([Edit("1", "1:3", "")], NOW)
    newest = crt().log[0]
    assert (newest["was"], newest["is"], newest["at"]) == ("2/0", "", NOW)
    assert crt().spot("1", "1:3").source == ""


def test_cards_take_choices_and_numbers_and_count_when_required_columns_are_there(cards):
    before = cards().filled
    sheet = cards()
    outcome = sheet.save([Edit("P01", "kind", "p"), Edit("P01", "turn", "1"), Edit("P02", "turn", "99")], NOW)
    assert outcome.saved == 2 and "card P02" in outcome.problems["P02|turn"]
    assert cards().filled == before + 1
    assert cards().merged()["P01"] == {"kind": "primary", "turn": 1}


def test_the_games_own_checks_are_shown_and_a_faulty_one_harms_nobody(cards, monkeypatch):
    monkeypatch.setattr(
        "companion.books.book.book_checks", lambda system: {"cards": lambda rows: [f"{len(rows)} known"]}
    )
    assert cards().to_do() == [f"{len(cards().merged())} known"]
    monkeypatch.setattr(
        "companion.books.book.book_checks", lambda system: {"cards": lambda rows: rows["nobody"]}
    )
    assert cards().to_do() == []


def test_rows_are_added_to_open_lists_only_and_removed_again(goals, cards):
    goals().add(["1", "2"], NOW)
    goals().save([Edit("2", "goal", "volga")], NOW)
    assert goals().rows()[-2:] == ["1", "2"] and goals().next_key() == "3"
    with refused(Unreadable, field="key", given="2"):
        goals().add(["2"], NOW)
    with refused(Unreadable, field="key", given="a|b"):
        goals().add(["a|b"], NOW)
    with pytest.raises(Unreadable, match="fixed rows"):
        cards().add(["P99"], NOW)
    goals().remove("2", NOW)
    assert goals().rows()[-1:] == ["1"] and "goal volga" in goals().log[0]["was"]


def test_what_the_owner_wrote_reaches_the_games(store, crt, cards):
    crt().save([Edit("1", "1:3", "2/0")], NOW)
    cards().save([Edit("P01", "kind", "primary")], NOW)
    assert load_book(store, find_system(KHARKOV, SCENARIOS)).charts["crt"].cell("1", "1:3").value == "2/0"
    eak = load_book(store, find_system("enemy-action-kharkov", SCENARIOS))
    assert eak.tables["cards"]["P01"]["kind"] == "primary"
    assert eak.tables["cards"]["P44"]["turn"] == 4, "what the kit ships is there too"


def test_ten_comes_after_two():
    assert sorted(["C10", "C2", "C1"], key=natural) == ["C1", "C2", "C10"]


# -- spreadsheets


def test_every_problem_of_a_spreadsheet_is_named_by_row_and_column(crt):
    table = read_table("crt;1:3;9:1;1:2\n1;2/0;1/1;zz\n17;1/1;;\n3;;;2/1\n")
    outcome, problems = from_table(crt(), table, NOW)
    assert outcome.saved == 2
    assert "row 1, column 1:2" in outcome.problems["1|1:2"]
    assert any("no column '9:1'" in p for p in problems) and any("line 3: no row '17'" in p for p in problems)


def test_dates_that_a_spreadsheet_program_made_of_codes_are_explained(crt):
    outcome, _ = from_table(crt(), read_table("crt,1:3\n1,1-Feb\n"), NOW)
    assert "took it for a date" in outcome.problems["1|1:3"]


def test_heads_that_became_times_are_understood_by_their_order(crt):
    table = read_table("crt,1:03,1:02,1:01,2:01,3:01,4:01,5:01,6:01\n1,2/0\n")
    assert from_table(crt(), table, NOW)[0].saved == 1
    assert crt().spot("1", "1:3").text == "2/0"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "nothing in it"),
        ("PK\x03\x04", "not a table"),
        ("a\0b", "not a table"),
        ("<html><body>hello</body></html>", "none of its columns belongs"),
        ('a,b\n"' + "x" * 140_000, "."),
    ],
)
def test_what_is_no_spreadsheet_is_refused(crt, text, words):
    with pytest.raises(Unreadable, match=words):
        from_table(crt(), read_table(text), NOW)


@pytest.mark.parametrize(
    "data",
    ["crt,1:3\n1,2/0\n".encode(code) for code in ("utf-8", "utf-8-sig", "utf-16", "cp1252")]
    + [b"crt\t1:3\r\n1\t2/0\r\n", b'crt;"1:3"\n1;="2/0"\n'],
)
def test_files_of_any_spreadsheet_program_are_read(data):
    table = read_table(decode(data))
    assert [line[:2] for line in table] == [["crt", "1:3"], ["1", "2/0"]]


@given(st.lists(st.lists(st.text('ab1/;,"\n é', max_size=5), min_size=2, max_size=4), min_size=1, max_size=4))
def test_tables_round_trip(lines):
    table = [["head", "x"], *lines]
    read = read_table(write_table(table))
    assert [[c.strip() for c in line] for line in table][: len(read)] == read


# -- closing the gap between kit and book


def test_an_unknown_chart_or_list_is_named_with_the_known_ones(store):
    with pytest.raises(Mistake, match="crt"):
        ChartSheet(store, find_system(KHARKOV, SCENARIOS), "crtt")
    with pytest.raises(Mistake, match="Did you mean cards"):
        ListSheet(store, find_system("enemy-action-kharkov", SCENARIOS), "card")
