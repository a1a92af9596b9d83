"""The pieces pages are made of, rendered from the types they are drawn with."""

import re

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from companion.engine.forms.worksheet import Breakdown, Line
from companion.engine.seat.shapes import PhaseRow
from companion.resources import STATIC, TEMPLATES
from companion.tables.log import Entry
from companion.web.drawnonce import kept, side_mark
from companion.web.formfield import FormField
from companion.web.page import clock, side_name

environment = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
environment.filters |= {"clock": clock, "kept": kept, "side_name": side_name}
environment.globals["side_mark"] = side_mark
ui = environment.get_template("macros.html").module
CHOICES = [{"value": "clear", "label": "Clear"}, {"value": "mud", "label": "Mud"}]
TYPES = ["text", "long", "whole", "flag", "choice", "hex", "unit", "side", "tokens"]


def field(**changes):
    base = {"name": "x", "label": "Ground", "type": "text", "value": None, "required": True}
    return ui.field(FormField(**(base | changes)))


@pytest.mark.parametrize("kind", TYPES)
def test_every_kind_of_field_has_its_name_label_help_and_error(kind):
    choices = CHOICES if kind in ("choice", "side", "unit") else None
    html = field(type=kind, choices=choices, help="Look <here>", error="'9' is not it", value="mud")
    assert 'name="x"' in html
    assert "Ground" in html
    assert "Look &lt;here&gt;" in html and 'id="f-x-help"' in html
    assert "&#39;9&#39; is not it" in html and 'id="f-x-error"' in html
    assert "f-x-help f-x-error" in html


@pytest.mark.parametrize("kind", TYPES)
def test_no_field_is_written_with_the_word_none(kind):
    assert "None" not in field(type=kind, choices=CHOICES)


def test_the_chosen_one_is_checked_also_when_it_is_a_number():
    html = field(type="choice", value=2, choices=[{"value": n, "label": f"Turn {n}"} for n in (1, 2)])
    assert re.findall(r'value="(\d)" checked', html) == ["2"]


def test_many_choices_become_a_list():
    html = field(type="choice", choices=[{"value": n, "label": n} for n in range(11)])
    assert "<select" in html and html.count("<option") == 12


def test_a_whole_number_has_bounds_also_when_they_are_zero():
    html = field(type="whole", value=0, min=0, max=9)
    assert 'min="0"' in html and 'max="9"' in html and 'value="0"' in html


@pytest.mark.parametrize(("low", "digits_only"), [(0, True), (1, True), (-5, False)])
def test_a_number_below_zero_can_be_typed_on_a_phone(low, digits_only):
    """A phone's keypad for digits has no minus."""
    assert ('inputmode="numeric"' in field(type="whole", min=low, max=9)) == digits_only


def test_a_side_is_a_shape_and_a_word():
    assert "#mark-soviet" in ui.side_mark("soviet") and "Soviet" in ui.side_mark("soviet")
    assert "#mark-german" in ui.side_mark("german") and "German" in ui.side_mark("german")
    assert "Axis" in ui.side_mark({"id": "german", "name": "Axis"})
    assert 'class="sr">German' in ui.side_mark("german", label=False)
    assert "Both" in ui.side_mark(None)


def test_a_skipped_phase_says_why_and_the_current_one_is_marked():
    html = ui.stepper(
        [
            PhaseRow("air", "I.A", "Air", "soviet", "", "skipped", "no aircraft"),
            PhaseRow("combat", "I.C", "Combat", "soviet", "", "now", ""),
        ]
    )
    assert "no aircraft" in html
    assert html.count('aria-current="step"') == 1


@pytest.mark.parametrize(("state", "crowded"), [("to come", True), ("skipped", False)])
def test_only_phases_that_are_played_crowd_the_strip(state, crowded):
    """Dots take no room: names need not break because a scenario skips half of its phases."""
    rows = [PhaseRow(f"p{n}", "", "End of turn", "", "", state, "") for n in range(12)]
    assert ("stepper-many" in ui.stepper(rows)) is crowded


def test_a_breakdown_shows_lines_total_chart_and_chances():
    sheet = Breakdown(
        "26 : 7",
        [Line("forest", "+1", "12.12")],
        "3:1",
        modifier=1,
        row="4",
        read_chart="read your CRT: column 3:1, row 4",
        chances={"EX": 0.2, "D1": 1 / 3},
    )
    html = ui.breakdown(sheet)
    for words in ("26 : 7", "forest", "12.12", "column 3:1", sheet.read_chart, "33%"):
        assert words in html
    assert html.index("D1") < html.index("EX"), "the likeliest first"


def test_a_line_of_a_calculation_is_drawn_once():
    drawn = []

    def macro(thing):
        drawn.append(thing)
        return Markup("{}").format(str(thing))

    lines = [Line("forest", "+1", "12.12"), Line("forest", "+1", "12.12"), Line("forest", "+1", "12.13")]
    assert [kept(macro, line) for line in lines] == [macro(line) for line in lines]
    assert drawn[:2] == [lines[0], lines[2]], "and another rule is another line"
    shares = [{"EX": 0.5, "D1": 0.5}, {"EX": 0.5, "D1": 0.5}, {"D1": 0.5, "EX": 0.5}]
    assert [kept(macro, one) for one in shares] == [macro(one) for one in shares], "each in its own order"
    for odd in (Line(["forest"]), {"EX": [0.5]}):  # of a record that somebody wrote by hand
        assert kept(macro, odd) == kept(macro, odd) == macro(odd)


def test_what_players_typed_is_escaped_in_the_log():
    at = "2025-04-01T20:00:00+00:00"
    entry = Entry(
        1, 2, at, "soviet", "Soviet", "Note", "1.0", ["<script>"] * 2, 3, 1, "air", ["noted"], False, False
    )
    assert "<script>" not in ui.logline(entry) and "and 3 more lines" in ui.logline(entry)


def test_templates_and_scripts_keep_to_the_content_security_policy():
    for path in [*TEMPLATES.rglob("*.html"), *STATIC.glob("*.js")]:
        text = path.read_text()
        assert not re.search(r"\sstyle=|\son(click|change|submit|load|input)=|<style|hx-on|js:", text), path
        assert not re.search(r"<script(?![^>]*\ssrc=)", text), path
        assert not re.search(r"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?//""", text), path


def test_a_field_may_ask_for_another_keyboard():
    """Sums such as 5+4 want digits and a plus, which a phone shows for 'tel' alone."""
    assert 'inputmode="tel"' in field(keys="tel") and "inputmode" not in field()


def test_every_side_has_its_shape_at_the_top_of_the_page():
    page = environment.get_template("side_shapes.html").render()
    assert "side_shapes.html" in (TEMPLATES / "base.html").read_text()
    shown = [
        ui.side_mark(side) for side in ("soviet", "german", "axis", None, {"id": "table", "name": "<T>"})
    ]
    for mark in shown:
        assert f'<symbol id="{re.search("#([a-z-]+)", mark)[1]}">' in page
    assert "&lt;T&gt;" in shown[-1]
