"""Templates name only what there is: each field of the view and of what it is made of is looked up in its type."""

from __future__ import annotations

import types
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from jinja2 import Environment, FileSystemLoader, nodes

from companion.engine.forms import panels
from companion.engine.kit import blocks
from companion.engine.once import Part
from companion.engine.record import events
from companion.engine.seat import shapes, view
from companion.engine.seat.view import SeatView
from companion.resources import TEMPLATES
from companion.tables.log import Entry
from companion.web import dutycards
from companion.web.page import Toast

environment = Environment(loader=FileSystemLoader(TEMPLATES), extensions=["jinja2.ext.do"])
KNOWN = {k: v for m in (blocks, panels, events, shapes, view, dutycards) for k, v in vars(m).items()}
ROOTS = {
    "v": SeatView,
    "l": Entry,
    "fight": shapes.BattleView,
    "q": dutycards.Question,
    "duty_card": dutycards.Card,
    "toast": Toast,
}
"""What these names stand for in every template."""
MADE = {
    name: part for name, part in vars(SeatView).items() if isinstance(part, cached_property | property | Part)
}


def type_of(owner: Any, name: str) -> Any:
    """The type of a field, or None where it is open what it holds."""
    if owner is SeatView:
        if name in ("seat", "guard"):
            return None
        hints = get_type_hints(SeatView, localns={**KNOWN, "cached_property": cached_property, "Part": Part})
        if name in hints:
            return get_args(hints[name])[0]
        part = MADE[name]
        made = (
            part.func
            if isinstance(part, cached_property)
            else part.make
            if isinstance(part, Part)
            else part.fget
        )
        return get_type_hints(made, localns=KNOWN).get("return")
    return get_type_hints(owner, localns=KNOWN).get(name)


def names_of(owner: Any) -> set[str]:
    """Everything that a template may call by name on a thing of this type."""
    if owner is SeatView:
        return {*MADE, "seat"}
    properties = {n for n, p in vars(owner).items() if isinstance(p, property)}
    return {f.name for f in fields(owner)} | properties


def inner(kind: Any) -> Any:
    """The one of ours that a type holds: of `list[X]`, `X | None`, `Sequence[X]` it is X."""
    if isinstance(kind, type) and (kind is SeatView or is_dataclass(kind)):
        return kind
    if get_origin(kind) in (Union, types.UnionType, list, tuple) or get_origin(kind) is not None:
        found = [one for one in map(inner, get_args(kind)) if one is not None]
        return found[0] if found and not issubclass(get_origin(kind) or object, dict) else None
    return None


FILTERS = ("selectattr", "rejectattr", "list", "sort", "first")


class Checker:
    """One template, walked with what is known of each name in it."""

    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.looked = 0

    def kind(self, node: nodes.Node, scope: dict[str, Any]) -> Any:
        if isinstance(node, nodes.Name):
            return scope.get(node.name)
        if isinstance(node, nodes.Getattr):
            owner = self.kind(node.node, scope)
            return (
                None
                if owner is None or node.attr not in names_of(owner)
                else inner(type_of(owner, node.attr))
            )
        if isinstance(node, nodes.Filter) and node.name in FILTERS and node.node is not None:
            return self.kind(node.node, scope)
        return None

    def check(self, node: nodes.Node, scope: dict[str, Any]) -> None:
        if isinstance(node, nodes.Getattr):
            owner = self.kind(node.node, scope)
            if owner is not None:
                self.looked += 1
                if node.attr not in names_of(owner):
                    self.wrong.append(f"line {node.lineno}: {owner.__name__} has no {node.attr}")
        if isinstance(node, nodes.Filter) and node.name in ("selectattr", "rejectattr", "map"):
            self.check_filter(node, scope)
        if isinstance(node, nodes.For):
            scope = self.in_loop(node, scope)
        elif isinstance(node, nodes.Macro):
            # What a macro is given goes by its own name: only the names that mean the same everywhere are known.
            scope = dict(ROOTS)
        for child in node.iter_child_nodes():
            if isinstance(child, nodes.Assign) and isinstance(child.target, nodes.Name):
                scope = {**scope, child.target.name: self.kind(child.node, scope)}
            self.check(child, scope)

    def check_filter(self, node: nodes.Filter, scope: dict[str, Any]) -> None:
        owner = self.kind(node.node, scope) if node.node is not None else None
        named = (
            [k.value for k in node.kwargs if k.key == "attribute"] if node.name == "map" else node.args[:1]
        )
        for arg in named:
            if owner is not None and isinstance(arg, nodes.Const) and arg.value not in names_of(owner):
                self.wrong.append(f"line {node.lineno}: {owner.__name__} has no {arg.value}")

    def in_loop(self, node: nodes.For, scope: dict[str, Any]) -> dict[str, Any]:
        targets = [t.name for t in node.target.find_all(nodes.Name)] or [getattr(node.target, "name", "")]
        if isinstance(node.target, nodes.Name):
            known = self.kind(node.iter, scope)
            root = ROOTS.get(node.target.name)
            return {**scope, node.target.name: known or root}
        return {**scope, **dict.fromkeys(targets)}


EVERY = [path.name for path in sorted(TEMPLATES.glob("*.html"))]


def faults_of(source: str) -> Checker:
    checker = Checker()
    checker.check(environment.parse(source), dict(ROOTS))
    return checker


@pytest.mark.parametrize("name", EVERY)
def test_a_template_names_only_fields_that_exist(name: str) -> None:
    assert not faults_of((TEMPLATES / name).read_text()).wrong


def test_enough_of_the_templates_is_looked_at() -> None:
    """Or a change of the templates' style could leave nothing to check."""
    assert sum(faults_of((TEMPLATES / name).read_text()).looked for name in EVERY) > 200


@pytest.mark.parametrize(
    "source",
    [
        "{{ v.unitz }}",
        "{{ v.phase.nmae }}",
        "{% for u in v.units %}{{ u.mark_words }}{% endfor %}",
        "{% for p in v.piles %}{% for z in p.zones if z.cuont %}{% endfor %}{% endfor %}",
        '{{ v.asked | selectattr("mien") | list }}',
        '{{ v.asked | map(attribute="txet") | list }}',
        '{% set asked = v.asked | selectattr("mine") | list %}{% for a in asked %}{{ a.txet }}{% endfor %}',
        "{% macro dice(v) %}{{ v.trya }}{% endmacro %}",
        "{{ l.txet }}",
    ],
)
def test_a_field_that_does_not_exist_is_found(source: str) -> None:
    assert len(faults_of(source).wrong) == 1


def test_nothing_is_asked_by_the_browsers_own_box() -> None:
    """What speaks against an act is said on the page, with what it costs, and once."""
    assert not [t.name for t in TEMPLATES.glob("*.html") if "hx-confirm" in t.read_text()]
