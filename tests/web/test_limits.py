"""One request never holds up the other tables: what is too much is refused at once, with words."""

import html
import io
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from harness import bare, refused
from toykit import Device, Table
from werkzeug.test import TestResponse

from companion import limits
from companion.engine.errors import Mistake, NotNow, Several, Unreadable, did_you_mean
from companion.engine.hexes.ground import Fact, MapBook, Vocabulary
from companion.engine.hexes.groundtext import enter
from companion.tables.tables import Tables
from companion.web.app import create_app
from companion.web.seats import token


@pytest.fixture
def code(tables: Tables) -> str:
    code = tables.new("toy", "skirmish", {})
    tables.act(code, "table", "set-up", {})
    return code


def seconds(work: Callable[[], object]) -> float:
    """The processor's time for the work, the shortest of three runs, because other programs share the machine."""

    def once() -> float:
        begun = time.process_time()
        work()
        return time.process_time() - begun

    return min(once() for _ in range(3))


def mistake_of(*args: Any, **fields: Any) -> Mistake:
    with pytest.raises(Mistake) as caught:
        Table().do(*args, **fields)
    return caught.value


# -- fields --------------------------------------------------------------------------------------------------


def test_unknown_fields_are_named_up_to_a_few_and_then_counted() -> None:
    wrong = mistake_of("red", "note", text="x", **{f"textt{n}": "x" for n in range(3000)})
    assert isinstance(wrong, Several) and len(wrong.mistakes) == limits.UNKNOWN_FIELDS + 1
    assert "there is no field 'textt0': text. Did you mean text?" in wrong.message
    assert f"and {3000 - limits.UNKNOWN_FIELDS} more fields" in wrong.message


def test_many_unknown_fields_cost_hardly_more_than_a_few() -> None:
    table = Table()

    def send(count: int) -> Callable[[], object]:
        fields = {f"field-{n}" * 4: "x" for n in range(count)}
        return lambda: pytest.raises(Mistake, table.do, "red", "note", text="x", **fields)

    assert seconds(send(20_000)) < 20 * seconds(send(20)) + 0.05


def test_a_guess_is_made_only_for_what_could_be_a_slip_of_the_fingers() -> None:
    assert did_you_mean("Gaurds", ["Guards"]) == " Did you mean Guards?"
    assert did_you_mean("Guards" * 5000, ["Guards"]) == ""
    among = [f"unit number {n}" for n in range(100_000)]
    assert seconds(lambda: did_you_mean("unti numbre", among)) < 2


@pytest.mark.parametrize(
    ("action", "fields", "words"),
    [
        ("mark", {"marker": "fort", "hexes": ["0303"] * 5000}, "Hexes: 5,000 values are too many: at most 700"),
        ("mark", {"marker": "fort", "hexes": "0303 " * 9000}, "Hexes: 45,000 characters are too many"),
        ("mark", {"marker": "x" * 30_000, "hexes": "0303"}, "Marker: 30,000 characters are too many"),
        ("set-steps", {"unit": "Guards", "steps": "9" * 5000}, "is not a whole number from 0 to 9"),
        ("roll-dice", {"dice": "1d6", "result": [1] * 5000}, "5,000 values are too many"),
        ("note", {"text": "x" * 501}, "501 characters are too many: at most 500"),
        ("enter-positions", {"text": "3Pz 0303\n" * 501}, "501 lines at once are too many: at most 500"),
        ("enter-positions", {"text": "a b " * 400}, "longer than 1000 characters"),
        ("import-positions", {"csv": "side\n" + "red\n" * 3001}, "at most 3,000 lines"),
        ("import-positions", {"csv": "side" + ",x" * 80}, "81 columns are too many, at most 60"),
    ],
)  # fmt: skip
def test_what_is_too_much_is_refused_with_the_limit(action: str, fields: dict[str, Any], words: str) -> None:
    assert words in mistake_of("red", action, **fields).message


# -- units ---------------------------------------------------------------------------------------------------


def full(table: Table, units: int) -> Table:
    rows = [f"u{n},red,{n} Rifle,0{n % 9 + 1}0{n // 9 % 9 + 1}" for n in range(units - len(table.game.units))]
    table.do("table", "import-positions", csv="\n".join(["id,side,name,place", *rows]))
    return table


def test_a_table_keeps_only_so_many_units() -> None:
    table = full(Table(), limits.UNITS)
    for action, fields in (
        ("add-unit", {"side": "red", "name": "One more"}),
        ("enter-positions", {"text": "+New 0303"}),
        ("import-positions", {"csv": "id,side\nnew,red"}),
    ):
        with pytest.raises(Unreadable, match=f"at most {limits.UNITS} units on record"):
            table.do("red", action, **fields)
    table.do("red", "enter-positions", text="7 Rifle 0505")
    assert len(table.game.units) == limits.UNITS, "those that are there go on moving"


def test_a_game_that_has_more_already_is_played_on() -> None:
    table = full(Table(), limits.UNITS)
    for n in range(5):
        table.game.units[f"old-{n}"] = table.game.units["red-guards"].__class__(
            f"old-{n}", "red", place="0303"
        )
    table.do("red", "place-unit", unit="old-3", hex="0404")


def test_questions_that_nobody_answers_do_not_pile_up() -> None:
    table = Table()
    for n in range(limits.OPEN_QUESTIONS + 1):
        table.do("red", "note", text=f"line {n}")
    table.do("red", "roll-dice")
    with pytest.raises(NotNow, match="questions wait for an answer already"):
        for n in range(limits.OPEN_QUESTIONS + 1):
            table.do("red", "take-back", to=2 + n)


@pytest.mark.parametrize(
    "line", ["{n} Rilfe 0303", "{n} Rifle 0404", "nobody at all 0303", "'{n}', x, y 0303"]
)
def test_a_long_entry_at_a_full_table_takes_no_longer_than_its_lines_need(line: str) -> None:
    table = full(Table(), limits.UNITS)

    def send(lines: int) -> Callable[[], object]:
        text = "\n".join(line.format(n=n) for n in range(lines))

        def work() -> None:
            with suppress(Mistake):
                table.do("red", "enter-positions", text=text)

        return work

    assert seconds(send(limits.ENTRY_LINES)) < 40 * seconds(send(20)) + 0.2


PAGES = [
    "",
    "units",
    "map?layer=zoc-red",
    "entry",
    "takedown",
    "log",
    "supply",
    "settings",
    "entry/hints?text=Rif",
]


def test_pages_of_a_full_table_take_no_longer_than_its_units_need(
    app: Flask, tables: Tables, code: str, red: Device
) -> None:
    empty = {page: seconds(lambda page=page: red.get(page)) for page in PAGES}  # type: ignore[misc]
    rows = [f"u{n},red,{n} Rifle,0{n % 9 + 1}0{n // 9 % 9 + 1}" for n in range(limits.UNITS - 5)]
    tables.act(code, "table", "import-positions", {"csv": "\n".join(["id,side,name,place", *rows])})
    for page in PAGES:
        took = seconds(lambda page=page: red.get(page))  # type: ignore[misc]
        assert took < 150 * empty[page] + 0.3, page
    assert seconds(lambda: tables.undo_target(code)) < 0.5, (
        "an action of 600 lines is not fetched line by line"
    )


# -- the map book --------------------------------------------------------------------------------------------

WORDS = Vocabulary(terrains=("forest", "marsh"))


@pytest.mark.parametrize(
    "line", ["{h} forest", "{h} forrest", "99{n:02} forest", "clear {h}", "- {h} forest"]
)
def test_a_long_map_book_takes_no_longer_than_its_lines_need(line: str) -> None:
    maps = Table().game.maps
    ids = maps.grids[0].ids
    facts = {Fact("town", h, "", f"t{n}"): "owner" for n, h in enumerate(ids)}

    def send(lines: int) -> Callable[[], object]:
        text = "\n".join(line.format(h=ids[n % len(ids)], n=n % 100) for n in range(lines))
        return lambda: enter(MapBook(dict(facts)), text, maps, WORDS)

    assert seconds(send(limits.MAP_LINES)) < 90 * seconds(send(100)) + 0.1


def test_a_map_book_beyond_all_maps_is_refused_and_what_was_not_read_comes_back(red: Device) -> None:
    answer = red.post("/book/toy/map", text="0303 forest\n" * (limits.MAP_LINES + 1))
    assert answer.status_code == 422 and "lines at once are too many: at most 3,000" in answer.text
    answer = red.post("/book/toy/map", text="\n".join(f"0303 nonsense{n}" for n in range(100)))
    assert answer.status_code == 422
    assert "line 41: this line and those after it were not read any more" in html.unescape(answer.text)
    assert "nonsense99" in answer.text, "the box still holds them"


def test_a_line_that_names_a_whole_map_again_and_again_is_refused() -> None:
    maps = Table().game.maps
    problems = enter(MapBook(), " ".join(["0101..0110"] * 100) + " forest", maps, WORDS)
    assert "names more than 500 hexes" in problems[0].message


def test_struck_out_facts_leave_the_book_s_answers_right() -> None:
    """The indices follow each change instead of being made again."""
    book = MapBook()
    town, wood = Fact("town", "0303", "", "Burluk"), Fact("terrain", "0303", "", "forest")
    river = Fact("side", "0303", "0304", "river")
    assert book.about("0303") == [] and book.features("0303-0304") == frozenset() and book.places() == {}
    for fact in (town, wood, river):
        book.add(fact)
    assert book.about("0303") == [town, wood] and book.features("0303-0304") == {"river"}
    book.add(Fact("terrain", "0303", "", "marsh"))
    assert book.terrain("0303") == "marsh" and book.places() == {"0303": "Burluk"}
    book.remove(town)
    book.remove(river)
    assert book.places() == {} and book.names("town") == [] and book.on_side("0303-0304") == []


# -- requests ------------------------------------------------------------------------------------------------


def post(app: Flask, path: str, size: int, kind: str = "application/x-www-form-urlencoded") -> TestResponse:
    return app.test_client().post(path, data=b"a" * size, content_type=kind)


@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("/t/{code}/red/do/note", limits.FORM_BYTES),
        ("/new/toy/skirmish", limits.FORM_BYTES),
        ("/api/tables", limits.FORM_BYTES),
        ("/api/tables/{code}/actions/note", limits.FORM_BYTES),
        ("/api/tables/{code}/actions/import-positions", limits.SHEET_BYTES),
        ("/t/{code}/red/entry", limits.FORM_BYTES),
        ("/t/{code}/red/entry/import", limits.SHEET_BYTES),
        ("/book/toy/map", limits.SHEET_BYTES),
        ("/book/toy/chart/crt/csv", limits.SHEET_BYTES),
        ("/book/toy/share", limits.UPLOAD_BYTES),
        ("/import", limits.UPLOAD_BYTES),
    ],
)
def test_each_address_takes_only_so_much(app: Flask, code: str, path: str, most: int) -> None:
    size = f"{most // 1024 // 1024} MB" if most >= 2**20 else f"{most // 1024} KB"
    answer = post(app, path.format(code=code), most + 1)
    assert answer.status_code == 413 and f"at most {size} can be sent here" in html.unescape(answer.text)
    assert post(app, path.format(code=code), 100).status_code != 413


def test_what_is_too_much_is_refused_before_it_is_read(app: Flask) -> None:
    class Body(io.BytesIO):
        def read(self, *args: Any) -> bytes:
            raise AssertionError("it was read")

    environ = {"CONTENT_LENGTH": "99999999", "wsgi.input": Body(b"x")}
    answer = app.test_client().post("/new/toy/skirmish", environ_overrides=environ)
    assert answer.status_code == 413


def test_a_form_of_too_many_fields_is_refused_before_it_is_taken_apart(app: Flask, red: Device) -> None:
    body = "&".join(f"f{n}=" for n in range(5000))
    answer = red.client.post(
        red.url("do/note"),
        data=body,
        content_type="application/x-www-form-urlencoded",
        headers={"Origin": "http://localhost"},
    )
    assert answer.status_code == 413 and "5,000 fields are too many: at most 1,000" in answer.text


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"text": ' + "[" * 50 + "]" * 50 + "}", "nested too deep: at most 20 levels"),
        ("[" * 30_000 + "]" * 30_000, "the body is not JSON"),
        ("{" + ",".join(f'"f{n}": 1' for n in range(3000)) + "}", "3,000 fields are too many"),
        ('{"text": ' + "9" * 5000 + "}", "the body is not JSON"),
    ],
)
def test_json_beyond_all_measure_is_refused(app: Flask, code: str, body: str, words: str) -> None:
    with app.test_request_context():
        headers = {"Authorization": f"Bearer {token(code, 'red')}"}
    answer = app.test_client().post(
        f"/api/tables/{code}/actions/note", data=body, content_type="application/json", headers=headers
    )
    assert answer.status_code == 422 and words in answer.get_json()["error"]


def test_an_error_does_not_send_back_what_was_too_long(app: Flask, code: str) -> None:
    with app.test_request_context():
        headers = {"Authorization": f"Bearer {token(code, 'red')}"}
    body = {"x" * 9000: "y" * 9000, "text": "x"}
    answer = app.test_client().post(f"/api/tables/{code}/actions/note", json=body, headers=headers)
    assert answer.status_code == 422 and len(answer.data) < 1000


# -- every failure that was found ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/hall?quiet=" + "9" * 5000, {}, 422),
        ("/hall?quiet=٣", {}, 422),
        ("/t/{code}/table/map?x=%FF%FE", {"HX-Target": "live"}, 200),
        ("/t/{code}/table/map?layer=é&layer=%C3", {"HX-Target": "live"}, 200),
        ("/book", {"Cookie": "book-key=\xe9"}, 200),
        ("/book/toy/map?map=9", {}, 404),
        ("/t/{code}/table/map?map=" + "9" * 4000, {}, 200),
    ],
)
def test_what_failed_once_is_answered(
    app: Flask, code: str, table: Device, path: str, headers: dict[str, str], status: int
) -> None:
    table.post("/book/lock", do="lock", passphrase="correct horse")
    answer = table.client.get(path.format(code=code), headers=headers)
    assert answer.status_code == status


def test_a_map_that_does_not_exist_is_refused_by_its_number(table: Device) -> None:
    answer = table.post("/book/toy/map/grid", map="9", answer="")
    assert answer.status_code == 404 and "has no map 9: 0 to 0" in answer.text


@pytest.mark.parametrize(
    "back", ["/t/{code}/red\r\nSet-Cookie: x=1", "/t/{code}/red\nx", "/t/{code}/red\x00"]
)
def test_a_way_back_with_a_line_break_leads_to_the_seat(red: Device, code: str, back: str) -> None:
    answer = red.do("note", text="x", back=back.format(code=code))
    assert answer.status_code == 303
    assert re.fullmatch(rf"/t/{code}/red\?said=\d+", answer.headers["Location"])
    assert "Set-Cookie" not in answer.headers


def test_superscript_digits_are_no_numbers() -> None:
    assert "is not a whole number" in mistake_of("red", "set-steps", unit="Guards", steps="²").message
    Table().do("table", "import-positions", csv="id,side,name,marks\nx,red,X,oos=²")


@pytest.mark.parametrize("cost", ["1e309", "1e999999", "1/0", "9" * 8, "x"])
def test_a_cost_beyond_all_measure_is_no_cost(cost: str) -> None:
    from companion.resources import SCENARIOS
    from companion.systems import find_system

    sheet = find_system("wb95", SCENARIOS).rules.worksheets["stack-entry"]
    with refused(Unreadable, field="cost"):
        sheet.work({"cost": cost, "stacks": 3}, bare("wb95"))
    assert sheet.work({"cost": "0.5", "stacks": 3}, bare("wb95")).facts["costs"] == ["0.5", "1", "1.5"]


def test_nobody_moves_in_after_a_battle_that_was_not_fought(tmp_path: Path) -> None:
    tables: Tables = create_app(tmp_path, testing=True).extensions["companion"]["tables"]
    code = tables.new("second-kharkov", "historical", {})
    with pytest.raises(NotNow, match="nothing of the kind is asked"):
        tables.act(code, "table", "advance", {})
    tables.store.close()


def test_a_roster_full_of_mistakes_is_given_up_after_some(app: Flask, red: Device) -> None:
    lines = "\n".join(f"red,Unit {n},nowhere,nonsense" for n in range(2500))
    answer = red.post("/book/toy/roster/skirmish/csv", text=f"side,name,place,marks\n{lines}")
    assert answer.status_code == 422 and "were not read any more" in answer.text


@pytest.mark.parametrize("query", [b"quiet=\xff", b"\xff=1", b"since=\xc3\x28"])
@pytest.mark.parametrize("path", ["/hall", "/join", "/book/toy/map", "/api/systems"])
def test_bytes_that_are_no_characters_are_refused_with_words(app: Flask, path: str, query: bytes) -> None:
    sent = {"QUERY_STRING": query.decode("latin-1")}  # as the server hands bytes on
    answer = app.test_client().get(path, environ_overrides=sent)
    assert answer.status_code == 400 and "bytes that are no characters" in answer.text


@pytest.mark.parametrize("host", [".", "....", "a..b", "x" * 70, "evil.example"])
def test_a_name_that_is_none_is_refused_with_words(app: Flask, host: str) -> None:
    answer = app.test_client().get("/", headers={"Host": host})
    assert answer.status_code == 400 and "is not a name this companion answers to" in answer.text


def test_a_cookie_of_thousands_of_seats_costs_no_more_than_ours(app: Flask, code: str) -> None:
    client = app.test_client(use_cookies=False)

    def cost(cookie: str) -> float:
        begun = time.process_time()
        for _ in range(3):
            assert client.get("/", headers={"Cookie": f"seats-{code}={cookie}"}).status_code == 200
        return time.process_time() - begun

    cost("a.b")  # templates are read once
    assert cost("a." * 3500) < 5 * cost("a.b") + 0.05
