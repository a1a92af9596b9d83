"""The one-line language of positions: what each line does, what is said to a wrong one, and what nobody learns."""

import contextlib

import pytest
from harness import Bench
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.engine.errors import Mistake
from companion.engine.positions.hints import hints
from companion.engine.positions.line import BadLines, split_lines
from companion.engine.positions.sheets import write_positions


@pytest.fixture
def table():
    return Bench("second-kharkov", "historical")


def enter(table, seat, text):
    return table.do(seat, "enter-positions", text=text)


def where(table, name):
    return table.game.unit(name).place


def refused(table, seat, text):
    with pytest.raises(Mistake) as caught:
        enter(table, seat, text)
    return caught.value


@pytest.mark.parametrize(
    ("line", "unit", "place"),
    [
        ("3Pz 2408", "3-panzer", "2408"),  # the scenario's own unit, by its letters
        ("3rd Panzer 2408", "3-panzer", "2408"),
        ("3RD PANZER 2408", "3-panzer", "2408"),
        ("97 2408", "97-jaeger", "2408"),
        ("16Pz 2408", "german-16pz", "2408"),
        ("294 2408", "german-294", "2408"),  # three digits are no hex on a map that begins at 14
        ("german 16Pz 2408", "german-16pz", "2408"),
        ("+3rd 2408", "german-3rd", "2408"),
        ("16Pz dead", "german-16pz", "box:dead"),
        ("16Pz Dead pile", "german-16pz", "box:dead"),
        ("16Pz held", "german-16pz", "box:delayed"),
        (" 16Pz   2408  # a remark", "german-16pz", "2408"),
    ],
)
def test_a_line_puts_a_unit_on_record(table, line, unit, place):
    enter(table, "german", line)
    assert table.game.units[unit].place == place
    assert table.game.units[unit].side == "german"


@pytest.mark.parametrize(
    ("line", "unit", "place"),
    [
        ("16Pz 2409", "german-16pz", "2409"),
        ("16 2409", "german-16pz", "2409"),
        ("16Pz 2408 2409", "german-16pz", "2409"),
        ("-16Pz", "german-16pz", "box:dead"),
        ("- 16Pz", "german-16pz", "box:dead"),
        ("\u221216Pz", "german-16pz", "box:dead"),
        ("16Pz off", "german-16pz", ""),
        ("16Pz, 24Pz 2410", "german-24pz", "2410"),
        ("2408 2411", "german-24pz", "2411"),
        ("2408 dead", "german-16pz", "box:dead"),
    ],
)
def test_a_line_moves_what_is_on_record(table, line, unit, place):
    enter(table, "german", "16Pz 2408; 24Pz 2408")
    enter(table, "german", line)
    assert table.game.units[unit].place == place


def test_a_stack_keeps_its_order_and_its_top_goes_first(table):
    enter(table, "german", "16Pz 2408\n24Pz 2408\n3Pz 2408")
    before = [u.id for u in table.game.units_at("2408")]
    enter(table, "german", "2408 2409 +2")
    assert [u.id for u in table.game.units_at("2409")] == before[:2]
    assert [u.id for u in table.game.units_at("2408")] == before[2:]
    enter(table, "german", "2408 2409")
    enter(table, "german", "2409 2410")
    assert [u.id for u in table.game.units_at("2410")] == [before[2], *before[:2]]


def test_a_stack_can_do_without_names(table):
    enter(table, "table", "soviet 3 2713")
    assert len(table.game.units_at("2713")) == 3
    enter(table, "table", "soviet 3 2713")
    assert len(table.game.units_at("2713")) == 3, "saying it twice is saying it once"
    enter(table, "table", "soviet +1 2713; 2713 2714 +2")
    assert [len(table.game.units_at(h)) for h in ("2713", "2714")] == [2, 2]
    enter(table, "table", "soviet 0 2713")
    assert not table.game.units_at("2713")
    enter(table, "soviet", "soviet 2 2713")
    assert len(table.game.units) == 4, "counters that were taken off come back first"


def test_named_units_are_not_counted_away(table):
    enter(table, "soviet", "38 Guards 2713; soviet 1 2713; soviet 0 2713")
    assert [u.name for u in table.game.units_at("2713")] == ["38 Guards"]


def test_markers_and_steps(table):
    enter(table, "german", "3Pz 2408; 3Pz oos; 3Pz =2; 2409 owner german; interdiction 2410 2411")
    game = table.game
    assert game.mark("3-panzer", "oos") is True and game.units["3-panzer"].steps == 2
    assert game.mark("2409", "owner") == "german"
    assert game.mark("2410", "interdiction") is True and game.mark("2411", "interdiction") is True
    enter(table, "german", "3Pz out of supply off; 2410 IZ off")
    assert game.mark("3-panzer", "oos") is None and game.mark("2410", "interdiction") is None


def test_entering_what_is_so_already_changes_nothing(table):
    enter(table, "german", "3Pz 2408")
    assert enter(table, "german", "3Pz 2408") == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("3Pz 9999", "9999 is not on this map: columns 14-42, rows 02-30"),
        ("3Pz 2461", "Did you mean 2416"),
        ("9999 2408", "If 9999 is a unit: +9999 2408"),
        ("2408", "what goes to 2408?"),
        ("3Pz", "does not end with a place: a hex number such as 2408, or dead, delayed"),
        ("2409 2410", "no German unit is recorded in 2409. There is one in 2408."),
        ("2408 2409 +5", "2408 holds only 2, not 5"),
        ("16Pzz 2409", "Did you mean 16Pz? A new one: +16Pzz 2409"),
        ("nobody oos", "there is no unit 'nobody' on record"),
        ("soviet 3 2408", "Soviet units are entered on the Soviet seat or at the table"),
        ("3Pz owner german", "Controlled by lies in a hex"),
        ("2408 owner nobody", "'nobody' is not a value of this marker"),
        ("-", "names no unit"),
        ("+", "names no unit"),
        ("x" * 41 + " 2408", "longer than 40 characters"),
    ],
)
def test_a_wrong_line_says_what_would_do(table, line, words):
    enter(table, "german", "16Pz 2408; 24Pz 2408")
    assert words in refused(table, "german", line).message


def test_a_word_that_several_names_share_is_answered_with_their_names(table):
    enter(table, "german", "North HQ 2408; South HQ 2409")
    mistake = refused(table, "german", "HQ 2410")
    assert "North HQ (2408), South HQ (2409)" in mistake.message and "Write North HQ" in mistake.message
    assert "german-north-hq" not in mistake.message and "stands in" not in mistake.message


def test_twins_are_told_apart_by_their_hex(table):
    enter(table, "german", "Rgt 2408; +Rgt 2409")
    mistake = refused(table, "german", "Rgt 2410")
    assert "german-rgt (2408)" in mistake.message and "german-rgt-2 (2409)" in mistake.message
    enter(table, "german", "Rgt 2409 2410; german-rgt 2411")
    assert [where(table, "german-rgt-2"), where(table, "german-rgt")] == ["2410", "2411"]


def test_all_bad_lines_are_named_and_nothing_is_half_done(table):
    enter(table, "german", "16Pz 2408")
    before = table.game.dump()
    mistake = refused(table, "german", "16Pz 2409\n24Pz 9999\n3Pz 2410\nnobody oos")
    assert isinstance(mistake, BadLines)
    assert [n for n, _ in mistake.problems] == [2, 4]
    assert "line 2: 9999" in mistake.message and "line 4: there is no unit" in mistake.message
    assert len(mistake.to_json()["errors"]) == 2
    assert table.game.dump() == before


def test_later_lines_build_on_earlier_ones(table):
    enter(table, "german", "16Pz 2408; 24Pz 2408; 2408 2409; -24Pz")
    assert [where(table, "16Pz"), where(table, "24Pz")] == ["2409", "box:dead"]


def test_the_table_must_say_whose_a_new_unit_is(table):
    assert "soviet 5Tk 2712 or german 5Tk 2712" in refused(table, "table", "5Tk 2712").message
    enter(table, "table", "soviet 5Tk 2712")
    assert table.game.unit("5Tk").side == "soviet"


def test_a_side_cannot_touch_the_other_one(table):
    enter(table, "soviet", "38 Guards 2713")
    refused(table, "german", "38 Guards oos")
    assert "no German unit is recorded in 2713" in refused(table, "german", "2713 2714").message
    enter(table, "german", "38 Guards 2712")
    assert where(table, "soviet-38-guards") == "2713", "it is another unit of that name"


@pytest.mark.parametrize("seat", ["soviet", "table"])
def test_a_buried_unit_is_named_in_no_answer(table, seat):
    enter(table, "german", "Secretguard 2408; 3Pz 2408")  # 3Pz lies on top
    told = ""
    for line in (
        "Secretgard 2409",
        "Secret 2409",
        "Sec oos",
        "2408 9999",
        "Secretguar 9999",
        "german Sec 2409",
    ):
        try:
            enter(table, seat, line)
        except Mistake as mistake:
            told += mistake.message.replace(line, "")
    assert "secretguard" not in told.casefold()
    shown = hints(table.game, seat, "Sec")
    assert "Secretguard" not in [u.name for u in shown.units]
    for body in [e.seen_by(seat) for e in table.events]:
        assert "secretguard" not in str(body).casefold()


@pytest.mark.parametrize(
    "line", ["Secretguard 2409", "german Secretguard 2409", "Secretguard 2408 2409", "Secretguard oos"]
)
def test_the_shared_screen_does_not_order_a_buried_unit_about_by_name(table, line):
    """Its move would tell everybody where it lay; the whole stack can be moved, and its own side names it."""
    enter(table, "german", "Secretguard 2408; 3Pz 2408")
    before = len(table.events)
    assert "lies open on this screen" in refused(table, "table", line).message
    assert len(table.events) == before
    enter(table, "table", "2408 2409")
    assert where(table, "german-secretguard") == "2409"
    enter(table, "german", "Secretguard 2410")
    assert where(table, "german-secretguard") == "2410"


def test_a_file_read_in_at_the_shared_screen_does_not_move_a_buried_unit(table):
    enter(table, "german", "Secretguard 2408; 3Pz 2408")
    text = "id,side,name,place\ngerman-secretguard,german,Secretguard,2511"
    with pytest.raises(Mistake, match="lies open on this screen"):
        table.do("table", "import-positions", csv=text)
    assert where(table, "german-secretguard") == "2408"
    table.do("german", "import-positions", csv=text)
    assert where(table, "german-secretguard") == "2511"


def test_hints_while_typing(table):
    enter(table, "german", "16Pz 2408; 24Pz 2410; 3Pz 2412")
    assert [u.name for u in hints(table.game, "german", "3Pz 2408\n16").units] == ["16Pz"]
    for text, typed in (
        ("3Pz 2408\n16", "16"),
        ("+16", "16"),
        ("german  16", "16"),
        ("3Pz, 16", "16"),
        ("16Pz ", "16Pz "),
    ):
        shown = hints(table.game, "german", text)
        assert ([u.name for u in shown.units], shown.typed) == (["16Pz"], typed), (
            "what a tap on the name completes"
        )
    around = hints(table.game, "german", "16Pz ")
    assert around.about == "2408" and set(around.hexes[1:]) == set(table.game.maps.neighbours("2408"))
    assert hints(table.game, "german", "2410 ").about == "2410"
    assert hints(table.game, "german", "").units == ()


def test_lines_are_parted_by_line_ends_and_semicolons():
    assert split_lines("a; b\n\n# no\nc;") == [(1, "a"), (2, "b"), (3, "c")]


# -- files


def test_a_set_up_of_150_units_comes_in_at_once_and_goes_out_again(table):
    rows = [f"u{n},german,Unit {n},infantry,2,{1500 + n % 20 * 100 + 2 + n // 20}" for n in range(150)]
    table.do("table", "import-positions", csv="id,side,name,kind,steps,place\n" + "\n".join(rows))
    assert len(table.game.units) == 150 and all(u.on_map for u in table.game.units.values())
    again = table.do("german", "import-positions", csv="id,side,name,kind,steps,place\n" + "\n".join(rows))
    assert again == [], "the same file twice changes nothing"
    enter(table, "german", "u7 oos")
    text = write_positions(table.view("german").units, table.game.kit.unit_factors)
    other = Bench("second-kharkov", "historical")
    other.do("table", "import-positions", csv=text)
    assert {u.id: (u.place, u.steps) for u in other.game.units.values()} == {
        u.id: (u.place, u.steps) for u in table.game.units.values()
    }
    assert other.game.mark("u7", "oos") is True


def test_stacks_keep_their_order_in_a_file(table):
    enter(table, "german", "16Pz 2408; 24Pz 2408; 3Pz 2408; 24Pz 2409; 24Pz 2408")
    text = write_positions(table.view("german").units, ())
    other = Bench("second-kharkov", "historical")
    other.do("german", "import-positions", csv=text)
    assert [u.id for u in other.game.units_at("2408")] == [u.id for u in table.game.units_at("2408")]


def test_every_bad_row_of_a_file_is_named(table):
    text = "side,name,place,marks\ngerman,A,2408,\ngerman,B,9999,\nfrench,C,2408,\ngerman,D,2409,nonsense\n"
    with pytest.raises(BadLines) as caught:
        table.do("table", "import-positions", csv=text)
    assert [n for n, _ in caught.value.problems] == [3, 4, 5]
    assert not table.game.units


def test_a_file_with_semicolons_boxes_and_a_byte_order_mark(table):
    text = "\ufeffside;name;place\ngerman;A;2408\ngerman;B;box:dead\ngerman;C;held back\n"
    table.do("table", "import-positions", csv=text)
    assert [u.place for u in table.game.units.values()] == ["2408", "box:dead", "box:delayed"]


def test_a_side_imports_its_own_only(table):
    with pytest.raises(BadLines) as caught:
        table.do("german", "import-positions", csv="side,name,place\ngerman,A,2408\nsoviet,B,2409\n")
    assert "line 3: B: Soviet units are not yours to enter" in caught.value.message


# -- whatever is typed

WORDS = st.sampled_from(
    ["3Pz", "16Pz", "2408", "2409", "9999", "305", "+2", "-", "+", ",", ";", "\n", "oos", "off", "=1", "dead", "soviet",
     "german", "3", "owner", "interdiction", "x", "A2408", "\u00e9", "#", "0", "=", "box:dead"]
)  # fmt: skip


@settings(max_examples=150)
@given(st.lists(st.tuples(st.sampled_from(["table", "soviet", "german"]), st.lists(WORDS, max_size=7))))
def test_any_words_are_taken_or_refused_and_the_record_replays(lines):
    table = Bench("second-kharkov", "historical")
    for seat, words in lines:
        before = table.game.dump()
        try:
            enter(table, seat, " ".join(words))
        except Mistake as mistake:
            assert mistake.message
            assert table.game.dump() == before
        if seat != "table":
            other = "german" if seat == "soviet" else "soviet"
            sides = {u.id: u.place for u in table.game.units.values() if u.side == other}
            was = {u["id"]: u.get("place", "") for u in before["units"] if u["side"] == other}
            assert sides == was
    state = table.game.dump()
    table.refold()
    assert table.game.dump() == state


@given(st.text(max_size=60))
def test_any_text_is_taken_or_refused(text):
    table = Bench("second-kharkov", "historical")
    enter(table, "german", "3Pz 2408")
    with contextlib.suppress(Mistake):
        enter(table, "german", text)
    hints(table.game, "german", text)
