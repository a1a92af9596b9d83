"""Filling a list one by one, as an owner with his box beside him. All cards and chits are made up here."""

import html
import random
import re

import pytest
from bookkey import give_key

from companion.web.app import create_app

GAME = "/book/enemy-action-kharkov/list"
CHITS, CARDS = f"{GAME}/chits/walk", f"{GAME}/cards/walk"
TAPS_IN_FIVE_MINUTES = 300
"""At a tap a second."""


@pytest.fixture
def client(tmp_path):
    app = create_app(tmp_path / "data", testing=True)
    made = give_key(app, app.test_client())
    made.environ_base["HTTP_SEC_FETCH_SITE"] = "same-origin"
    return made


class Owner:
    """Reads the page, taps what is offered, counts taps and types only what no button says."""

    BUTTON = re.compile(
        r'<button class="btn[^>]*name="(\w+)" value="([^"]*)"(?: aria-label="([^"]*)")?[^>]*>([^<]*)'
    )

    def __init__(self, client, url):
        self.client, self.url, self.taps, self.typed = client, url, 0, 0
        self.page = client.get(url, headers={"HX-Request": "true"}).get_data(as_text=True)

    @property
    def done(self):
        return 'name="row"' not in self.page

    @property
    def at(self):
        found = re.search(
            r'name="row" value="([^"]*)"><input type="hidden" name="at" value="([^"]*)"', self.page
        )
        return (html.unescape(found[1]), found[2])

    def buttons(self):
        return {
            (name, html.unescape(label or text).strip()): html.unescape(value)
            for name, value, label, text in self.BUTTON.findall(self.page)
        }

    def post(self, **fields):
        row, at = self.at
        data = {"row": row, "at": at, **fields}
        answer = self.client.post(self.url, data=data, headers={"HX-Request": "true"})
        self.page = answer.get_data(as_text=True)
        return answer

    def tap(self, name, label):
        self.taps += 1
        return self.post(**{name: self.buttons()[name, label]})

    def label(self, text):
        """What the button of a value says."""
        found = (label for (name, label), value in self.buttons().items() if (name, value) == ("value", text))
        return next(found, "")

    def known(self, first, rest):
        """Tap the whole answer, when it was given before."""
        whole = f"{self.label(first)}, {rest}"
        if ("known", whole) not in self.buttons():
            return False
        self.tap("known", whole)
        return True

    def answer(self, text):
        if self.label(text):
            return self.tap("value", self.label(text))
        self.typed += 1
        self.taps += 2 + len(text)
        return self.post(text=text)


def faces(count=44, seed=1942):
    """Made-up faces: a situation, its number where it has one, and hits."""
    rng = random.Random(seed)
    plain = ["flank attack", "one-hex attack", "large attack", "nkvd", "ip crossfire", "defender adjacent"]
    plain += ["attacker artillery", "defender artillery", "combat engineers", "dispersed or unsupplied"]
    found = set()
    while len(found) < count:
        hits = rng.choice(["D1", "D2", "A1", "A1 D1", "D-1"])
        kind = rng.choice(["plain", "plain", "ratio", "terrain"])
        if kind == "plain":
            found.add((rng.choice(plain), "", hits))
        elif kind == "ratio":
            found.add((rng.choice(["ratio at least", "ratio under"]), rng.choice(["1.5", "2", "3"]), hits))
        else:
            found.add(("terrain", rng.choice(["clear", "broken", "town city"]), hits))
    return sorted(found)


def fill_chits(owner):
    rng = random.Random(43)
    pool = faces()
    stock = pool + [rng.choice(pool) for _ in range(120 - len(pool))]
    rng.shuffle(stock)
    wanted = {}
    while not owner.done:
        row, at = owner.at
        if at == "front" and row in ("C07", "C30", "C55") and ("tick", "Dark") in owner.buttons():
            owner.tap("tick", "Dark")
        situation, detail, hits = stock.pop()
        side = at
        wanted[row] = wanted.get(row, {}) | {side: situation, f"{side}_hits": hits, f"{side}_detail": detail}
        whole = " · ".join(filter(None, (detail, hits)))
        if owner.known(situation, whole):
            continue
        owner.answer(situation)
        if detail:
            owner.answer(detail)
        owner.answer(hits)
    return wanted


def fill_cards(owner):
    kinds = {
        "P": [("primary", "0")] * 6 + [("supplemental", "0")] * 11,
        "G": [("primary", "0")] * 5 + [("supplemental", "0")] * 4,
    }
    turns = {
        "P": ["4", "5", "7", "8", "10"],
        "G": ["2", "3", "5", "5", "6", "7", "7", "8", "9", "10", "12", "13"],
    }
    while not owner.done:
        row, at = owner.at
        side = "P" if row <= "P22" else "G"
        if row == "P44":  # the rulebook gives its turn
            owner.answer("primary")
            continue
        kind, turn = kinds[side].pop(0) if kinds[side] else ("primary", turns[side].pop(0))
        if not owner.known(kind, turn):
            owner.answer(kind)
            owner.answer(turn)


def fill_calendar(owner):
    rng = random.Random(7)
    while not owner.done:
        numbers = [rng.choice("567"), rng.choice("45"), rng.choice("56")]
        if owner.known(numbers[0], f"{numbers[1]} · {numbers[2]}"):
            continue
        row = owner.at[0]
        while not owner.done and owner.at[0] == row:
            owner.answer(numbers.pop(0))


def fill_ground(owner):
    faces_left = ["frozen", "light-mud", "heavy-mud", "heavy-mud", "frozen"]
    while not owner.done:
        owner.answer(faces_left.pop())


FILLS = {"cards": fill_cards, "chits": fill_chits, "calendar": fill_calendar, "ground": fill_ground}


@pytest.mark.slow
def test_the_whole_book_is_a_matter_of_five_minutes(client):
    spent = {}
    for name, fill in FILLS.items():
        owner = Owner(client, f"{GAME}/{name}/walk")
        wanted = fill(owner)
        assert owner.done and "Something does not add up" not in owner.page, owner.page
        spent[name] = owner.taps
        assert owner.typed == 0
        if wanted:
            table = client.get(f"{GAME}/chits.csv").get_data(as_text=True).splitlines()
            heads = table[0].split(",")
            for line in table[1:]:
                row = dict(zip(heads, line.split(","), strict=True))
                assert {k: row[k] for k in wanted[row["chit"]]} == wanted[row["chit"]]
    assert sum(spent.values()) <= TAPS_IN_FIVE_MINUTES, spent


def test_a_tick_stays_on_its_question_and_is_taken_back_by_a_second_tap(client):
    owner = Owner(client, CHITS)
    owner.tap("tick", "Dark")
    owner.tap("tick", "red P")
    assert owner.at == ("C01", "front")
    assert owner.page.count('aria-pressed="true"') == 2
    owner.tap("tick", "red P")
    assert owner.page.count('aria-pressed="true"') == 1


def test_the_same_as_the_one_before(client):
    owner = Owner(client, CHITS)
    for text in ("ratio at least", "3", "D1", "flank attack", "A1"):
        owner.answer(text)
    assert owner.at == ("C02", "front")
    owner.tap("same", "Same as C01")
    assert owner.at == ("C03", "front")
    lines = client.get(f"{GAME}/chits.csv").get_data(as_text=True).splitlines()
    assert lines[1].partition(",")[2] == lines[2].partition(",")[2] != ",,,,,,,,"


def test_what_cannot_be_read_stays_in_the_field_and_says_what_would_do(client):
    owner = Owner(client, CARDS)
    owner.answer("primary")
    answer = owner.post(text="ninety")
    assert answer.status_code == 422
    assert "ninety" in owner.page and "a whole number from 0 to 14" in owner.page
    assert owner.at == ("P01", "turn")
    assert owner.post(text="   ").status_code == 422
    assert "Tap an answer" in owner.page
    assert owner.post(known="999").status_code == 422
    assert owner.post(tick="nothing").status_code == 422
    assert owner.post(same="nothing").status_code == 422


def test_the_rulebooks_word_is_shown_and_stays(client):
    page = client.get(f"{CARDS}?row=P44&at=turn").get_data(as_text=True)
    assert "The rulebook gives" in page and 'id="walk-text"' not in page
    assert 'name="skip"' in page
    owner = Owner(client, f"{CARDS}?row=P44&at=turn")
    owner.url = CARDS
    assert owner.post(value="9").status_code == 422
    assert "P44,,4," in client.get(f"{GAME}/cards.csv").get_data(as_text=True)


def test_without_javascript_every_answer_leads_to_the_next_question(client):
    answer = client.post(CARDS, data={"row": "P01", "at": "kind", "value": "primary"})
    assert answer.status_code == 303 and answer.location.endswith("/cards/walk?row=P01&at=turn")
    page = client.get(answer.location).get_data(as_text=True)
    assert "<html" in page and "Enters on turn" in page
    wrong = client.post(CARDS, data={"row": "P01", "at": "turn", "text": "x"})
    assert wrong.status_code == 422 and "<html" in wrong.get_data(as_text=True)


def test_only_lists_with_a_walk_have_one(client):
    assert client.get(f"{GAME}/tactics/walk").status_code == 404
    assert "one by one" not in client.get(f"{GAME}/tactics").get_data(as_text=True)
    assert "Fill in one by one" in client.get(f"{GAME}/chits").get_data(as_text=True)
    assert client.get(f"{CHITS}?row=C99").status_code == 422


def test_a_locked_book_is_read_only(client):
    stranger = client.application.test_client()
    stranger.environ_base["HTTP_SEC_FETCH_SITE"] = "same-origin"
    page = stranger.get(CHITS).get_data(as_text=True)
    assert "The book is locked" in page and 'name="value"' not in page
    assert stranger.post(CHITS, data={"row": "C01", "at": "front", "value": "nkvd"}).status_code == 403


def test_midway_only_contradictions_are_pointed_out(client):
    owner = Owner(client, CARDS)
    for _ in range(6):
        owner.answer("primary")
        assert "still need" not in owner.page  # the progress says it
        owner.answer("0")
    assert "does not add up" not in owner.page and "rulebook counts" not in owner.page
    owner.answer("primary")
    owner.answer("0")
    assert "7 initial primary cards, the rulebook counts 6" in owner.page
    assert "still need" in client.get(f"{GAME}/cards").get_data(as_text=True)
