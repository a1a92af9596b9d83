"""A field of a form that is being filled in is looked at again only when something it looks at was changed."""

from collections.abc import Mapping
from typing import Any

import pytest
from harness import bare
from toykit import toy_kit

from companion.engine import once
from companion.engine.forms.answers import LONGEST, MOST, Answers, Noted
from companion.engine.forms.fields import Choice, Context, Field, Flag, Text, Whole
from companion.engine.forms.filling import Filled, Filling, describe_fields
from companion.engine.once import MEANWHILE
from companion.engine.record import events as e
from companion.engine.record.game import Game


@pytest.fixture(autouse=True)
def unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept is given as it is: the tests look every time otherwise."""
    monkeypatch.setattr(once, "checking", None)


class Form:
    """Bridges and guards: which bridge can be chosen follows from the river, and how many guards from the bridge."""

    def __init__(self) -> None:
        self.looks: list[str] = []
        self.answers = Answers()
        self.context = bare(toy_kit(), "red")
        self.fields: dict[str, Field] = {
            "river": Text(),
            "bridge": Choice(options=self.bridges, when=lambda c: bool(c.values.get("river"))),
            "guards": Whole(start=self.guards),
            "note": Text(start=lambda c: "all of it" if len(dict(c.values)) > 3 else ""),
        }
        self.defaults = {"river": "", "bridge": "", "guards": 0, "note": ""}

    def bridges(self, ctx: Context) -> list[tuple[str, str]]:
        self.looks.append("bridges")
        return [(f"{ctx.values['river']}-{n}", str(n)) for n in (1, 2)]

    def guards(self, ctx: Context) -> int:
        self.looks.append("guards")
        if not ctx.values.get("river"):
            return 1
        return 2 if ctx.values.get("bridge") else 3

    def send(self, **raw: Any) -> Filled:
        self.looks.clear()
        return Filling(self.fields, self.defaults, self.context, self.answers).fill(raw)


def row(filled: Filled, name: str) -> Mapping[str, Any]:
    return next(one for one in filled.rows if one["name"] == name)


def test_what_looks_at_nothing_that_changed_stays() -> None:
    form = Form()
    first = form.send(river="Donets", note="so")
    assert form.looks
    again = form.send(river="Donets", note="so it was")
    assert form.looks == [] and row(again, "bridge") is row(first, "bridge")
    assert row(again, "note")["value"] == "so it was"


def test_what_looks_at_something_that_changed_is_looked_at_again() -> None:
    form = Form()
    form.send(river="Donets")
    choices = row(form.send(river="Oskol"), "bridge")["choices"]
    assert [one["value"] for one in choices] == ["Oskol-1", "Oskol-2"] and "bridges" in form.looks


def test_a_field_that_looks_further_than_before_is_known_by_all_it_looked_at() -> None:
    """Without a river nobody looks at the bridge; with one, the guards follow from it."""
    form = Form()
    assert row(form.send(), "guards")["value"] == 1
    assert row(form.send(river="Donets"), "guards")["value"] == 3
    assert row(form.send(river="Donets", bridge="Donets-2"), "guards")["value"] == 2
    assert row(form.send(), "guards")["value"] == 1
    assert row(form.send(river="Donets"), "guards")["value"] == 3


def test_whoever_adds_a_value_looks_at_no_others_by_that() -> None:
    noted = Noted({"river": "Donets", "bridge": "1", "note": "so"})
    ctx = bare(toy_kit(), "red").having(noted).also(bridge="2")
    assert (ctx.values["bridge"], ctx.values.get("guards")) == ("2", None) and list(noted.names) == ["guards"]
    assert ctx.values.get("river") == "Donets" and list(noted.names) == ["guards", "river"]
    assert dict(ctx.values) == {"river": "Donets", "bridge": "2", "note": "so"}
    assert set(noted.names) == {"guards", "river", "bridge", "note"}, "all were looked at"


@pytest.mark.parametrize("look", [dict, lambda values: {**values}, list, len, lambda values: values.items()])
def test_whoever_looks_at_all_values_looks_at_each(look: Any) -> None:
    noted = Noted({"river": "Donets", "bridge": "1"})
    list(found) if not isinstance(found := look(noted), int) else None
    assert set(noted.names) == {"river", "bridge"}


def test_a_whole_form_is_given_again_while_it_is_one_of_the_last() -> None:
    answers, made = Answers(), list[str]()

    def ask(word: str, *, keeps: bool = True) -> str:
        def make() -> str:
            made.append(word)
            return word.upper()

        return answers.whole({"word": word, "many": [word]}, make, lambda: keeps)

    assert [ask(word) for word in ("a", "a", "b", "a", "c", "b", "a")] == list("AABACBA")
    assert made == ["a", "b", "c", "a"], "the last two are known"
    assert ask("d", keeps=False) == ask("d", keeps=False) == "D" and made[-2:] == ["d", "d"]
    long = "x" * LONGEST
    assert ask(long) == ask(long) and made[-2:] == [long, long]


def test_a_mistake_comes_back_as_often_as_it_is_sent() -> None:
    form = Form()
    for _ in range(2):
        filled = form.send(guards="many")
        assert [m.field for m in filled.mistakes] == ["guards"] and filled.values["guards"] == 0
    assert form.send(guards="4").mistakes == []


@pytest.mark.parametrize("given", [["a", "b"], ("a", "b"), [{"deep": 1}], {"deep": 1}, True, 1, "1", None])
def test_whatever_is_sent_is_read_as_if_nothing_were_kept(given: Any) -> None:
    """JSON sends 1 and true, which are equal and not the same; some of it cannot even be looked up."""
    fields: dict[str, Field] = {"units": Text(), "sure": Flag(), "guards": Whole()}
    defaults = dict.fromkeys(fields)
    kept, context = Answers(), bare(toy_kit(), "red")
    for sent in (True, 1, "1", ["a", "b"], given, given):
        raw = dict.fromkeys(fields, sent)
        filled = Filling(fields, defaults, context, kept).fill(raw)
        assert filled.rows == describe_fields(fields, defaults, context, raw)
        plain = Filling(fields, defaults, context).fill(raw)
        assert filled.values == plain.values
        assert [m.message for m in filled.mistakes] == [m.message for m in plain.mistakes]


def test_not_everything_is_kept_for_ever() -> None:
    form = Form()
    for n in range(5 * MOST):
        form.send(river="Donets", note=str(n))
    assert all(len(question.found) <= MOST for question in form.answers._questions.values())


@pytest.mark.parametrize("happens", ["event", "book"])
def test_a_form_begins_anew_when_anything_happens(happens: str) -> None:
    game = Game(toy_kit(), "skirmish")
    before = game.worked.meanwhile("form", Answers)
    assert game.worked.meanwhile("form", Answers) is before
    if happens == "event":
        game.apply(e.Noted("so it was"))
    else:
        game.worked.clear()  # as an edited book does
    assert game.worked.meanwhile("form", Answers) is not before


def test_a_table_keeps_few_open_forms() -> None:
    game = Game(toy_kit(), "skirmish")
    forms = [game.worked.meanwhile(n, Answers) for n in range(MEANWHILE + 1)]
    assert game.worked.meanwhile(MEANWHILE, Answers) is forms[-1]
    assert game.worked.meanwhile(0, Answers) is not forms[0]
