"""Our templates are compiled with less on the way, and say the same as Jinja's own would."""

import html

import pytest
from flask import Flask
from jinja2 import Environment, StrictUndefined, UndefinedError
from markupsafe import Markup
from werkzeug.local import LocalProxy

from companion.resources import TEMPLATES
from companion.web.compiling import Templates, narrow

ours = Templates(Flask(__name__), autoescape=True)


class Drawn:
    def __html__(self) -> str:
        return "<i>drawn</i>"

    def __str__(self) -> str:
        return "not this"


class Said:
    def __str__(self) -> str:
        return "a < b"


GIVEN = {
    "words": "<b> & 'c' \"d\"",
    "safe": Markup("<b>safe</b>"),
    "number": 7,
    "nothing": None,
    "drawn": Drawn(),
    "said": Said(),
    "lines": ["one", "<two>"],
    "facts": {"value": "<v>"},
    "join": lambda *words, sep="-": sep.join(words),
}
SAID = [
    "{{ words }}{{ safe }}{{ number }}{{ nothing }}{{ drawn }}{{ said }}[{{ unknown }}]",
    "{{ words if number else safe }}{{ safe if number }}{{ words if not number }}",
    "{{ lines | join(', ') }} {{ words | e }} {{ words | safe }} {{ facts.value }} {{ safe ~ words }}",
    "{% for one in lines %}{{ loop.index }}{{ one }}{{ loop.cycle('a', 'b') }}{% endfor %}",
    "{{ join('<a>', words) }} {{ join(*lines) }} {{ join('x', 'y', sep='<') }} {{ join('x', 'y', **{'sep': '+'}) }}",
    "{% set kept %}<u>{{ words }}</u>{% endset %}{{ kept }}",
    "{% macro m(a, b='<d>', class='') %}{{ a }}{{ b }}{{ class }}{% endmacro %}"
    "{{ m(words) }}|{{ m('x', safe) }}|{{ m('x', class='<c>') }}|{{ m(b='y', a=number) }}|{{ m('x') | upper }}",
    "{% macro m(a) %}[{{ a }}]{% endmacro %}{{ m() }}{{ [m(1), m('<')] | join }}",
    "{% macro fold(title, open=false) %}<p>{{ title }}{{ caller() }}{{ open }}</p>{% endmacro %}"
    "{% call fold(words) %}{{ words }}{% endcall %}{% call fold('x', open=true) %}{{ safe }}{% endcall %}",
    "{% macro fold(title) %}{% if caller %}{{ caller() }}{% else %}alone{% endif %}{% endmacro %}{{ fold('x') }}",
    "{% macro each(lines) %}{% for one in lines %}{{ caller(one) }}{% endfor %}{% endmacro %}"
    "{% call(one) each(lines) %}<li>{{ one }}{% endcall %}",
    "{% macro all() %}{{ varargs | length }}{{ kwargs.a }}{% endmacro %}{{ all(1, 2, a='<') }}",
    "{% macro outer(a) %}{% macro inner(b) %}{{ a }}{{ b }}{% endmacro %}{{ inner('<') }}{% endmacro %}{{ outer('>') }}",
]


@pytest.mark.parametrize("text", SAID)
def test_a_template_says_what_jinja_says(text: str) -> None:
    assert ours.from_string(text).render(GIVEN) == Environment(autoescape=True).from_string(text).render(
        GIVEN
    )


@pytest.mark.parametrize("call", ["m(1, 2, 3)", "m(1, c=3)", "m(1, a=2)"])
def test_a_macro_takes_what_it_names_and_no_more(call: str) -> None:
    template = ours.from_string("{% macro m(a, b=2) %}{{ a }}{% endmacro %}{{ " + call + " }}")
    with pytest.raises(TypeError, match=r"takes \(a, b\)"):
        template.render()


@pytest.mark.parametrize(
    "text", ["{{ unknown }}", "{{ unknown() }}", "{% macro m(a) %}{{ a }}{% endmacro %}{{ m() }}"]
)
def test_what_nothing_has_fails_where_that_is_wanted(text: str) -> None:
    strict = Templates(Flask(__name__), autoescape=True, undefined=StrictUndefined)
    with pytest.raises(UndefinedError):
        strict.from_string(text).render()


def test_no_function_of_the_templates_wants_the_context(app: Flask) -> None:
    given = {name: one for name, one in app.jinja_env.globals.items() if not isinstance(one, LocalProxy)}
    wanting = [name for name, one in given.items() if hasattr(one, "jinja_pass_arg")]
    assert not wanting


def test_everything_is_escaped() -> None:
    files = [path for path in TEMPLATES.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".html"}
    assert not [path.name for path in files if "autoescape" in path.read_text("utf-8")]


def test_signs_stand_as_numbers_and_are_read_as_they_are() -> None:
    """One arrow would make each letter of a page two bytes wide."""
    drawn = ours.from_string("<b title='‹'>→ {{ words }} ·</b>").render(words="a · b")
    assert drawn == "<b title='&#8249;'>&#8594; a · b &#183;</b>"
    assert html.unescape(drawn) == "<b title='‹'>→ a · b ·</b>" and narrow("a b") == "a b"
