"""Parts of a screen are drawn again only when something they look at has changed, and serve their own seat alone."""

import re
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
from flask import Flask
from toykit import Device

from companion.tables.tables import Tables
from companion.web import parts
from companion.web.watching import Drawn, Watch
from companion.web.watching import Screen as Held


@pytest.fixture
def code(tables: Tables) -> str:
    return tables.new("toy", "skirmish", {}, "")


@dataclass(frozen=True)
class Fact:
    words: list[str]


class Screen:
    """A screen of one seat, drawn as often as a test likes."""

    def __init__(self, drawn: Drawn | None = None, seat: str = "red") -> None:
        self.drawn, self.seat, self.times = drawn or Drawn(), seat, 0

    def draw(self, **view) -> str:
        watch = Watch(self.drawn.screen(("TOY1", self.seat)), {"v": SimpleNamespace(**view)})
        v = watch.watched()["v"]
        kept = watch.kept("acts")
        if kept is not None:
            return kept.sign

        def caller() -> str:
            self.times += 1
            return " ".join(v.turn.words)

        return watch.draw("acts", caller, lambda drawn: drawn)[0]


class Sketch:
    """A layout of fixed words."""

    def __init__(self, words: dict[str, str]) -> None:
        self.words, self.frames = words, 0
        self.names = [name for name in words if name]

    def part(self, name: str) -> str:
        return self.words[name]

    def frame(self) -> str:
        self.frames += 1
        return self.words[""]


# -- what is kept, and until when ------------------------------------------------------------------------


def test_a_part_is_drawn_once_while_all_it_looks_at_is_the_same() -> None:
    screen = Screen()
    for other in range(3):
        assert screen.draw(turn=Fact(["so", "it", "is"]), active=other) == "so it is"
    assert screen.times == 1


def test_a_part_is_drawn_again_when_something_in_what_it_looks_at_is_another() -> None:
    screen = Screen()
    screen.draw(turn=Fact(["before"]))
    assert screen.draw(turn=Fact(["after"])) == "after" and screen.times == 2


def test_what_cannot_be_compared_is_drawn_each_time() -> None:
    screen = Screen()
    for _ in range(2):
        screen.draw(turn=SimpleNamespace(words=["so"], how=lambda: None))
    assert screen.times == 2


def test_a_seat_is_never_given_what_was_drawn_for_another() -> None:
    drawn = Drawn()
    red, blue = Screen(drawn), Screen(drawn, "blue")
    red.draw(turn=Fact(["secret"]))
    blue.draw(turn=Fact(["secret"]))
    assert (red.times, blue.times) == (1, 1)


def test_the_screen_not_looked_at_for_longest_is_forgotten() -> None:
    drawn = Drawn(most=2)
    red, blue, third = (Screen(drawn, seat) for seat in ("red", "blue", "table"))
    for screen in (red, blue, red, third, red, blue):
        screen.draw(turn=Fact(["so"]))
    assert (red.times, blue.times) == (1, 2)


def test_what_a_page_shows_already_is_neither_drawn_nor_sent(app: Flask, code: str) -> None:
    kept = Held()

    def asked(shown: str = "") -> str:
        told = dict([shown.split("=")]) if shown else {}
        return parts.Drawing(Sketch({"acts": "so"}), Watch(kept), told).part("acts")

    whole = asked()
    assert asked("acts=older") == whole
    assert "data-same" in asked(f"acts={kept.inner.parts['acts'].sign}")


# -- on a page -------------------------------------------------------------------------------------------


def drawn_parts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the parts that are drawn from now on."""
    found, draw = list[str](), Watch.draw

    def noted(self: Watch, part: str, *args):
        found.append(part)
        return draw(self, part, *args)

    monkeypatch.setattr(Watch, "draw", noted)
    return found


def test_a_roll_does_not_have_the_whole_screen_drawn_again(
    app: Flask, tables: Tables, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    red = Device(app, code, "red")
    tables.act(code, "red", "note", {"text": "ready"})
    shown = {"X-Parts": " ".join(re.findall(r'data-part="([^"]+)"', red.get(target="live").text))}
    drawn = drawn_parts(monkeypatch)
    red.get(target="live", **shown)
    assert drawn == []
    tables.act(code, "red", "note", {"text": "one more line for the log"})
    assert "one more line" in red.get(target="live", **shown).text
    assert "so_far" in drawn and not {"head", "acts", "hand", "due", "folds", "tabbar"} & set(drawn)


def test_no_part_looks_at_more_than_it_shows(app: Flask, code: str) -> None:
    """A panel that is folded away, or an act that is not on the list, must not have battles and lists drawn again."""
    Device(app, code, "red").get()
    drawn: Drawn = app.extensions["companion"]["drawn"]
    [screen] = drawn._screens.values()
    looked = {name: set(part.looked_at) for name, part in screen.inner.parts.items()}
    assert not looked["happening"] & {"v.panels", "v.actions"} and "v.actions" not in looked["todo"]


def test_a_part_that_is_kept_carries_the_revision_of_the_page(app: Flask, tables: Tables, code: str) -> None:
    red = Device(app, code, "red")
    red.get()
    tables.act(code, "red", "note", {"text": "the table moves on"})
    now = tables.store.latest(code)
    assert set(re.findall(r'name="rev" value="(\d+)"', red.get().text)) <= {str(now)}


def test_what_is_drawn_once_for_all_seats_leads_each_to_its_own_address(app: Flask, code: str) -> None:
    for seat in ("red", "blue", "table"):
        page = Device(app, code, seat).get(target="live").text
        sent_to = re.findall(r'(?:action|hx-post|hx-get|href)="(/[^"]+)"', page)
        own = [address for address in sent_to if address.startswith(f"/t/{code}/{seat}")]
        assert any("/do/" in address for address in own) and len(own) == len(sent_to)
        assert not set("\0\1\2") & set(page)


def test_a_part_that_hides_what_it_is_made_of_fails_its_test(app: Flask, code: str) -> None:
    hidden = {"acts": "one", "": "a frame"}
    drawing = parts.Drawing(Sketch(hidden), Watch(Held()), {}, checked=True)
    drawing.screen(1)
    hidden["acts"] = "two"
    with pytest.raises(AssertionError, match="acts"):
        drawing.screen(2)
    hidden |= {"acts": "one", "": "another frame"}
    with pytest.raises(AssertionError, match="frame"):
        drawing.screen(2)


def test_what_stands_round_the_parts_is_kept_with_a_place_for_each_and_for_the_revision() -> None:
    held, sketch = Held(), Sketch({"acts": "so", "": "<div \1>\0acts\0</div>"})
    for revision in (7, 8):
        drawn = parts.Drawing(sketch, Watch(held), {}).screen(revision).decode()
        assert drawn.startswith(f"<div {revision}>") and ">so</div></div>" in drawn
    assert sketch.frames == 1


def test_the_frame_is_drawn_again_when_something_changes_that_only_it_looks_at(
    app: Flask, tables: Tables, code: str
) -> None:
    red = Device(app, code, "red")
    before = re.search(r'data-phase="([^"]+)"', red.get(target="live").text)[1]
    tables.act(code, "table", "next-phase", {"anyway": True}, revision=tables.store.latest(code))
    assert re.search(r'data-phase="([^"]+)"', red.get(target="live").text)[1] != before
