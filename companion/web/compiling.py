"""Templates compiled with less on the way: what they say is the same, by fewer calls.

Jinja asks at run time of everything that is put in whether it must be escaped, and of everything that is called whether it
wants the context; a macro brings its arguments together as if nobody knew them. Here all templates are escaped, no function
takes the context (a test holds both), and a macro is a function that is called. Jinja lets the compiler be exchanged
(`code_generator_class`) for ends like this.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from keyword import iskeyword
from typing import Any

from flask.sansio.app import App
from flask.templating import Environment
from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame, MacroRef
from jinja2.utils import missing
from markupsafe import Markup, escape

try:  # what `escape` does to a plain string, without making a Markup of it
    from markupsafe._speedups import _escape_inner as escaped
except ImportError:

    def escaped(text: str, /) -> str:
        return str(escape(text))


Macro = Callable[..., Markup]
_BREAK = re.compile(r"[ \t]*\n\s*")


def narrow(markup: str) -> str:
    """The same with numbers for signs such as arrows: one of them makes each letter of a page two bytes wide in memory."""
    return markup if markup.isascii() else markup.encode("ascii", "xmlcharrefreplace").decode()


class Compiler(CodeGenerator):
    """Jinja's own, but for what is put in, called, and defined as a macro."""

    def write_commons(self) -> None:
        """What every block and all macros in it find without looking far."""
        super().write_commons()
        self.writeline("escaped = environment.escaped")
        self.writeline("macro_of = environment.macro_of")

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self.write("(escaped(said) if (kind := type(said := (")

    def _output_child_post(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        self.write("))) is str else said if kind is Markup else str(said) if kind is int else escape(said))")

    def _output_child_to_const(self, node: nodes.Expr, frame: Frame, finalize: Any) -> str:
        """What stands in the template, without its indents and empty lines: nobody looks at them."""
        told = super()._output_child_to_const(node, frame, finalize)
        return narrow(_BREAK.sub(" ", told)) if isinstance(node, nodes.TemplateData) else told

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:
        """An attribute, as Python has it; where there is none, it is an item or nothing, as Jinja has it."""
        self.write("(got if (got := getattr((of := ")
        self.visit(node.node, frame)
        self.write(f"), {node.attr!r}, missing)) is not missing else environment.getattr(of, {node.attr!r}))")

    def visit_CondExpr(self, node: nodes.CondExpr, frame: Frame) -> None:
        """What is there only if: nothing else, without an object that tells so."""
        otherwise = nodes.Const("", lineno=node.lineno) if node.expr2 is None else node.expr2
        super().visit_CondExpr(nodes.CondExpr(node.test, node.expr1, otherwise, lineno=node.lineno), frame)

    def visit_Call(self, node: nodes.Call, frame: Frame, forward_caller: bool = False) -> None:
        """A call, as Python has it."""
        if node.dyn_args is not None or node.dyn_kwargs is not None:
            super().visit_Call(node, frame, forward_caller=forward_caller)
            return
        self.visit(node.node, frame)
        self.write("(")
        for arg in node.args:
            self.visit(arg, frame)
            self.write(", ")
        for one in node.kwargs:
            self.write(f"**{{{one.key!r}: " if iskeyword(one.key) else f"{one.key}=")  # such as `class`
            self.visit(one.value, frame)
            self.write("}, " if iskeyword(one.key) else ", ")
        self.write("caller=caller)" if forward_caller else ")")

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:
        """A macro that takes what it names, and no more."""
        if macro_ref.accesses_kwargs or macro_ref.accesses_varargs:
            super().macro_def(macro_ref, frame)
            return
        names = tuple(arg.name for arg in macro_ref.node.args)
        self.write(f"macro_of(macro, {names!r}, {macro_ref.accesses_caller and 'caller' not in names!r})")


class Templates(Environment):
    """The templates of the app."""

    code_generator_class = Compiler
    escaped = staticmethod(escaped)

    def __init__(self, app: App, **options: Any) -> None:
        super().__init__(app, **options)
        # Those that may be waited for ask each time whether they are: here none is.
        plain = {name: getattr(one, "__wrapped__", one) for name, one in self.filters.items()}
        self.filters.update(plain)

    def macro_of(self, function: Callable[..., str], names: Sequence[str], calls: bool) -> Macro:
        """A macro as it is called.

        :param names: of its arguments; one that is not given is `missing`, and the function knows what to take instead
        :param calls: whether it wants what a `call` block has between its ends, as the last argument
        """
        wanted = len(names) + calls

        def run(*args: Any, **named: Any) -> Markup:
            if named or len(args) != wanted:
                args = (*args, *[named.pop(name, missing) for name in names[len(args) :]])
                if calls:
                    args = (*args, named.pop("caller", None) or self.undefined("No caller defined"))
                if named or len(args) != wanted:
                    raise TypeError(
                        f"a macro takes ({', '.join(names)}), not {len(args)} values and {[*named]}"
                    )
            return str.__new__(Markup, function(*args))

        return run
