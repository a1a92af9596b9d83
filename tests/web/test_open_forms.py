"""A form that is being filled in: what did not change is neither worked out nor drawn again, and nobody gets another's."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from toykit import Device

from companion.engine import guard, once
from companion.engine.forms.answers import LONGEST
from companion.tables.tables import Tables
from companion.web import openform
from companion.web.app import create_app
from companion.web.formfield import FormField, form_fields


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    """Second Kharkov under fog: two Soviet stacks next to one German hex, the Soviets fight."""
    app = create_app(tmp_path / "data", testing=True)
    tables: Tables = app.extensions["companion"]["tables"]
    code = tables.new("second-kharkov", "historical", {"fog": True}, "")
    last = tables.store.latest(code)
    tables.act(code, "table", "go-to", {"turn": 4, "phase": "soviet-combat"}, revision=last)
    tables.act(code, "german", "enter-positions", {"text": "44 Inf 2619"})
    tables.act(code, "soviet", "enter-positions", {"text": "1 Rifle 2718; 2 Rifle 2718; 3 Rifle 2719"})
    app.config["code"] = code
    yield app
    app.extensions["companion"]["store"].close()


def device(app: Flask, seat: str) -> Device:
    return Device(app, app.config["code"], seat)


def preview(who: Device, **form: str) -> str:
    headers = {"Origin": "http://localhost", "HX-Request": "true", "HX-Target": "sheet-body"}
    return who.client.post(who.url("preview/resolve-combat"), data=form, headers=headers).text


def offered(page: str) -> set[str]:
    return set(re.findall(r'name="attackers"[^>]*value="([^"]+)"', page))


def test_one_seat_is_never_shown_the_form_of_another(app: Flask) -> None:
    """The shared screen knows the top of each stack only, also right after the owner opened the same form [7.6]."""
    own, shared = (device(app, seat) for seat in ("soviet", "table"))
    for _ in range(2):
        assert len(offered(preview(own, target="2619"))) == 3
        assert len(offered(preview(shared, target="2619"))) == 2
        assert len(offered(own.get("do/resolve-combat?target=2619", target="sheet").text)) == 3
        assert len(offered(shared.get("do/resolve-combat?target=2619", target="sheet").text)) == 2


def test_what_happens_meanwhile_is_in_the_next_preview(app: Flask) -> None:
    soviet = device(app, "soviet")
    assert "soviet-3-rifle" in offered(preview(soviet, target="2619"))
    device(app, "soviet").do("enter-positions", text="3 Rifle 2722")
    assert "soviet-3-rifle" not in offered(preview(soviet, target="2619"))


def test_a_preview_is_the_body_of_the_form_and_nothing_else(app: Flask) -> None:
    soviet = device(app, "soviet")
    body = preview(soviet, target="2619", attack="24")
    assert (
        body.strip().startswith('<div id="sheet-body"') and "sheet-head" not in body and "<form" not in body
    )
    assert body.strip() in soviet.get("do/resolve-combat?target=2619&attack=24", target="sheet").text


def test_the_same_form_sent_again_is_not_worked_out_again(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A field that is left sends what was previewed already, and whoever steps too far goes back."""
    soviet, filled = device(app, "soviet"), list[str]()
    whole = openform.OpenForm.begin

    def counted(form: openform.OpenForm, raw: dict[str, Any], but: tuple[str, ...] = ()) -> openform.OpenForm:
        filled.append(raw["attack"])
        return whole(form, raw, but)

    monkeypatch.setattr(openform.OpenForm, "begin", counted)
    monkeypatch.setattr(once, "checking", None)  # which works everything out a second time
    pages = [
        preview(soviet, target="2619", attack=number, defence="6")
        for number in ("24", "24", "25", "24", "26", "25", "24")
    ]
    assert filled == ["24", "25", "26", "24"], "the last two are known"
    assert pages[0] == pages[1] == pages[3] == pages[6] and pages[2] == pages[5] != pages[0]


def test_a_form_sent_again_tells_what_happened_since(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(once, "checking", None)
    soviet, table = device(app, "soviet"), device(app, "table")
    before = [preview(who, target="2619") for who in (soviet, soviet, table)]
    assert before[0] == before[1] != before[2], "nobody is shown another's"
    device(app, "soviet").do("enter-positions", text="3 Rifle 2722")
    assert "soviet-3-rifle" in before[0] and "soviet-3-rifle" not in preview(soviet, target="2619")


def test_a_form_with_a_part_that_failed_is_tried_again(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    soviet, tried = device(app, "soviet"), list[int]()

    def fails(form: openform.OpenForm) -> None:
        tried.append(1)
        raise LookupError("broken")

    monkeypatch.setattr(openform.OpenForm, "work_out", fails)
    monkeypatch.setattr(guard, "strict", False)
    monkeypatch.setattr(once, "checking", None)
    for _ in range(2):
        page = preview(soviet, target="2408", attack="24", defence="6", terrain="clear", river="none")
        assert "cannot be shown" in page and 'class="warning fault"' in page
    assert len(tried) == 2


def test_only_what_is_described_otherwise_is_drawn_again(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    soviet, drawn = device(app, "soviet"), list[str]()

    def counted(rows: list[dict[str, Any]], errors: dict[str, str]) -> list[FormField]:
        drawn.extend(row["name"] for row in rows)
        return form_fields(rows, errors)

    monkeypatch.setattr(openform, "form_fields", counted)
    openform._piece.cache_clear()
    preview(soviet, target="2619", defence="6")
    assert len(drawn) > 3
    drawn.clear()
    assert 'value="7"' in preview(soviet, target="2619", defence="7") and drawn == ["defence"]
    drawn.clear()
    device(app, "german").do("note", text="so it was")
    preview(soviet, target="2619", defence="7")
    assert drawn == [], "what happens at the table leaves alone what reads the same"


def test_what_is_wrong_with_a_field_is_gone_when_it_is_right(app: Flask) -> None:
    soviet = device(app, "soviet")
    headers = {"Origin": "http://localhost", "HX-Request": "true", "HX-Target": "sheet"}
    said = soviet.client.post(
        soviet.url("do/resolve-combat"), data={"target": "2619", "defence": "x"}, headers=headers
    )
    assert said.status_code == 422 and 'id="f-defence-error"' in said.text
    assert "f-defence-error" not in preview(soviet, target="2619", defence="x")


def row(**changes: Any) -> dict[str, Any]:
    return {"name": "n", "type": "whole", "value": None, "hidden": False, "quiet": True, **changes}


def test_nought_is_sent_along_and_nothing_is_not() -> None:
    assert [openform._is_nothing(row(value=v)) for v in (None, "", [], False)] == [True] * 4
    assert [openform._is_nothing(row(value=v)) for v in (0, "0", ["a"], True)] == [False] * 4
    assert not openform._is_nothing(row(quiet=False)), "it is asked"


def test_no_text_is_kept_however_often_it_is_sent(app: Flask) -> None:
    """A form is kept for previews of some numbers, not for whoever sends a book to it."""
    soviet = device(app, "soviet")
    tables: Tables = app.extensions["companion"]["tables"]
    for n in range(3):
        preview(soviet, target="2619", defence=f"{n}" * LONGEST)
    (answers,) = tables.game(app.config["code"]).worked._meanwhile.values()
    assert not any(question.found for question in answers._questions.values())
    assert not answers.pieces and not answers._whole


def test_of_numbers_tried_out_only_some_are_kept(app: Flask) -> None:
    soviet = device(app, "soviet")
    tables: Tables = app.extensions["companion"]["tables"]
    for n in range(3 * openform.FIELDS):
        assert f'value="{n}"' in preview(soviet, target="2619", defence=f"{n}")
    (answers,) = tables.game(app.config["code"]).worked._meanwhile.values()
    assert 0 < len(answers.pieces) <= openform.FIELDS and len(answers._whole) == 2


def test_a_long_list_is_drawn_each_time(app: Flask) -> None:
    openform._piece.cache_clear()
    with app.test_request_context():
        long = {**row(type="text", quiet=False, label="Text"), "value": "x" * openform.LARGEST}
        assert openform._drawn("field", [long], {}) == openform._draw("field", [long], {})
    assert openform._piece.cache_info().currsize == 0
