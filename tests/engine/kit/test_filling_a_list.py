"""Filling a list one by one: what is asked next, and what was answered before. The list is made up here."""

import pytest

from companion.engine.kit import walk
from companion.engine.kit.book import BookShape
from companion.engine.kit.lists import BookList, Column, Given, build_list

SITUATION = {"type": "choice", "choices": ["flank", "ratio", "terrain"]}
COLUMNS = [
    {"id": "dark", "type": "flag"},
    *(
        column
        for side in ("front", "back")
        for column in (
            {"id": side, "part": side, **SITUATION},
            {
                "id": f"{side}_detail",
                "part": side,
                "when": {side: ["ratio", "terrain"]},
                "taps": {"ratio": ["2", "3"], "terrain": ["clear"]},
            },
            {"id": f"{side}_hits", "part": side, "taps": ["A1", "D1"]},
            {"id": f"{side}_p", "label": "red P", "part": side, "type": "flag"},
        )
    ),
    {"id": "note"},
]
CHITS = BookList(
    "chits",
    "Chits",
    "chit",
    tuple(Column.from_toml(c) for c in COLUMNS),
    rows=("C1", "C2", "C3"),
    walk=tuple(c["id"] for c in COLUMNS if c["id"] != "note"),
)
CARDS = BookList(
    "cards",
    "Cards",
    "card",
    (
        Column.from_toml({"id": "kind", "choices": ["primary", "supplemental"], "required": True}),
        Column.from_toml({"id": "turn", "type": "whole", "min": 0, "max": 14, "required": True}),
        Column("name", "Name"),
    ),
    rows=("P1", "P2", "P3"),
    shipped={"P2": {"kind": Given("primary")}},
)
FLANK = {"front": "flank", "front_hits": "D1"}
RATIO = {"front": "ratio", "front_detail": "3", "front_hits": "A1"}
WHOLE = FLANK | {"back": "terrain", "back_detail": "clear", "back_hits": "D1", "back_p": True}


def ids(columns):
    return [c.id for c in columns]


def test_what_is_walked():
    assert ids(walk.walked(CARDS)) == ["kind", "turn"]  # nothing said: what is required
    assert "note" not in ids(walk.walked(CHITS))
    front, back = walk.parts(CHITS)
    assert ids(front.asked) == ["front", "front_detail", "front_hits"] and ids(front.ticks) == ["front_p"]
    assert back.name == "back" and ids(walk.loose_ticks(CHITS)) == ["dark"]
    assert walk.walked(BookList("x", "X", "x", (Column("a", "A"),))) == ()


@pytest.mark.parametrize(
    ("row", "left"),
    [
        ({}, ["front", "front_hits", "back", "back_hits"]),
        ({"front": "flank"}, ["front_hits", "back", "back_hits"]),
        ({"front": "ratio"}, ["front_detail", "front_hits", "back", "back_hits"]),
        (FLANK | {"back": "terrain"}, ["back_detail", "back_hits"]),
        (WHOLE, []),
        ({k: v for k, v in WHOLE.items() if k != "back_p"}, []),  # a tick is never missing
    ],
)
def test_what_a_row_is_still_asked(row, left):
    assert ids(walk.missing(CHITS, row)) == left
    assert CHITS.complete("C1", row) == (not left)


@pytest.mark.parametrize(
    ("held", "at", "then"),
    [
        ({}, ("C1", "front"), ("C1", "front_hits")),  # skipped: on with the row
        ({"C1": {"front": "ratio"}}, ("C1", "front"), ("C1", "front_detail")),
        ({"C1": FLANK}, ("C1", "front_hits"), ("C1", "back")),
        ({"C1": WHOLE}, ("C1", "back_hits"), ("C2", "front")),
        ({"C1": WHOLE, "C2": WHOLE}, ("C1", "back_hits"), ("C3", "front")),
        ({"C3": WHOLE}, ("C3", "back_hits"), ("C1", "front")),  # from the end to what was skipped
        ({"C2": WHOLE, "C3": WHOLE}, ("C1", "back_hits"), ("C1", "front")),
        ({"C1": WHOLE, "C2": WHOLE, "C3": WHOLE}, ("C3", "back_hits"), None),
        ({"C1": WHOLE, "C2": WHOLE, "C3": FLANK}, ("C3", "back"), ("C3", "back_hits")),
    ],
)
def test_where_it_goes_on(held, at, then):
    assert walk.following(CHITS, CHITS.rows, held, *at) == then


def test_where_it_begins_and_how_it_goes_back():
    assert walk.first_missing(CHITS, CHITS.rows, {"C1": WHOLE, "C2": FLANK}) == ("C2", "back")
    assert walk.first_missing(CHITS, CHITS.rows, dict.fromkeys(CHITS.rows, WHOLE)) is None
    assert walk.first_missing(CARDS, CARDS.rows, CARDS.merged({})) == ("P1", "kind")
    assert walk.following(CARDS, CARDS.rows, CARDS.merged({}), "P1", "turn") == ("P2", "turn")
    held = {"C1": WHOLE, "C2": RATIO}
    assert walk.before(CHITS, CHITS.rows, held, "C2", "front_hits") == ("C2", "front_detail")
    assert walk.before(CHITS, CHITS.rows, held, "C2", "front") == ("C1", "back_hits")
    assert walk.before(CHITS, CHITS.rows, held, "C1", "front") == ("C1", "front")


def test_what_was_entered_once_is_offered_for_either_side():
    front, back = walk.parts(CHITS)
    held = {"C1": WHOLE, "C2": RATIO, "C3": {"front": "flank"}}  # C3 is not a whole answer yet
    for part in (front, back):
        found = walk.known(CHITS, held, part)
        assert [k.values for k in found] == [
            ("flank", None, "D1", None),
            ("ratio", "3", "A1", None),
            ("terrain", "clear", "D1", True),
        ]
        assert [k.words for k in found] == ["D1", "3 · A1", "clear · D1 · red P"]
    only = walk.parts(CARDS)[0]
    cards = {"P1": {"kind": "supplemental", "turn": 0}, "P3": {"kind": "primary", "turn": 12}}
    assert [k.values for k in walk.known(CARDS, cards, only)] == [("primary", 12), ("supplemental", 0)]


def test_a_detail_that_means_nothing_any_more_is_not_offered_again():
    front = walk.parts(CHITS)[0]
    held = {"C1": {"front": "flank", "front_detail": "3", "front_hits": "D1"}}
    assert [k.values for k in walk.known(CHITS, held, front)] == [("flank", None, "D1", None)]


def test_taps():
    columns = {c.id: c for c in CHITS.columns}
    held = {"C1": WHOLE, "C2": RATIO | {"front_detail": "1.5", "front_hits": "A1 D1"}}

    def texts(column, row):
        return [text for text, _ in walk.taps(CHITS, columns[column], row, held)]

    assert texts("front", {}) == ["flank", "ratio", "terrain"]
    assert texts("back_detail", {"back": "ratio"}) == [
        "2",
        "3",
        "1.5",
    ]  # usual ones, then those of the other side
    assert texts("front_detail", {"front": "terrain"}) == ["clear"]
    assert texts("back_hits", {}) == ["A1", "D1", "A1 D1"]
    turn = CARDS.columns[1]
    assert len(walk.taps(CARDS, turn, {}, {})) == 15
    assert walk.taps(CARDS, Column("n", "N", "whole", min=0, max=99), {}, {}) == []


def test_a_kit_that_names_a_missing_column_is_told():
    shape = BookShape("x", "X", "x", ({"id": "a", "when": {"b": ["1"]}},), walk=("a", "c"))
    _, wrong = build_list(shape, [])
    assert "column a: when names no column 'b'" in wrong and any(
        "walk names no column 'c'" in w for w in wrong
    )
