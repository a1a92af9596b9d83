"""A rule's code is found by one grep for its number, and what docs/games/ calls automated has such code.

Comments and docstrings cite rules in brackets, `[12.19]`, `[9.6, B10.3.1]`, `[5.3.1-5.3.6]`; decorators, events,
mistakes and kits say `rule="12.19"`.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion.systems import IDS

ROOT = Path(__file__).parents[1]
NUMBER = r"[A-Z]?\d+(?:\.\d+)*(?:-[IVX]+)?"
CITATION = re.compile(rf"(?<!\w)\[({NUMBER}(?:-{NUMBER})?(?:, {NUMBER}(?:-{NUMBER})?)*)\]")
RULE = re.compile(r"""\brule\s*=\s*f?["']([^"']*)["']""")
STRAY = re.compile(r"(?<![\w.`'\"/:+-])[A-Z]?\d+\.\d+(?:\.\d+)*(?![\w`'\"/%])")


def code(game: str) -> list[Path]:
    return sorted((ROOT / "companion" / "systems" / game.replace("-", "_")).glob("*.py"))


def words(path: Path) -> Iterator[tuple[int, str]]:
    """A module's comments and docstrings, each with its line."""
    text = path.read_text(encoding="utf-8")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ):
            yield node.lineno, node.value.value


def cited(game: str) -> set[str]:
    """Every rule number that a line of the game's code or kit names."""
    found: set[str] = set()
    for path in code(game):
        for _, text in words(path):
            for group in CITATION.findall(text):
                found |= set(numbers(group))
        found |= {n for value in RULE.findall(path.read_text(encoding="utf-8")) for n in numbers(value)}
    for path in (ROOT / "scenarios" / game).glob("*.toml"):
        found |= {n for value in RULE.findall(path.read_text(encoding="utf-8")) for n in numbers(value)}
    return found


def numbers(text: str) -> Iterator[str]:
    """The numbers of a citation; a range stands for all it spans."""
    for part in re.split(r"[,;]\s*|\s+and\s+", text):
        span = re.fullmatch(rf"({NUMBER})-({NUMBER})", part.strip())
        if span is None:
            yield from re.findall(rf"^{NUMBER}", part.strip())
            continue
        first, last = span.groups()
        stem, _, low = first.rpartition(".")
        high = last.rpartition(".")[2]
        if "." not in first or "." in last:
            yield last
        yield first
        if low.isdecimal() and high.isdecimal():
            yield from (f"{stem}.{n}" if stem else str(n) for n in range(int(low), int(high) + 1))


def automated(game: str) -> list[str]:
    """The rules that the coverage table of docs/games/ calls automated, as it writes them."""
    text = (ROOT / "docs" / "games" / f"{game}.md").read_text(encoding="utf-8")
    table = text.partition("## Coverage")[2].partition("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table.splitlines()
        if line.startswith("|")
    ]
    assert rows and [c.lower() for c in rows[0]] == ["rule", "what", "how", "where"], (
        f"{game}: the coverage table's head"
    )
    return [row[0] for row in rows[2:] if "automated" in row[2]]


def is_covered(wanted: str, known: set[str]) -> bool:
    """Whether a rule, or a paragraph of it, is cited."""
    return any(
        number == wanted or number.startswith(f"{wanted}.") or number.startswith(f"{wanted}-")
        for number in known
    )


@pytest.mark.parametrize("game", IDS)
def test_what_is_called_automated_has_code_that_cites_it(game: str) -> None:
    known = cited(game)
    missing = [n for cell in automated(game) for n in numbers(cell) if not is_covered(n, known)]
    assert automated(game) and not missing


@pytest.mark.parametrize("game", IDS)
def test_comments_and_docstrings_cite_rules_in_one_style(game: str) -> None:
    strays = [
        f"{path.name}:{line}: {found}"
        for path in code(game)
        for line, text in words(path)
        for found in STRAY.findall(CITATION.sub("", text))
    ]
    assert not strays


def test_the_check_reads_citations() -> None:
    assert set(numbers("9.6, B10.3.1")) == {"9.6", "B10.3.1"}
    assert set(numbers("5.3.1-5.3.3")) == {"5.3.1", "5.3.2", "5.3.3"}
    assert set(numbers("B6.1-2")) == {"B6.1", "B6.2"}
    assert CITATION.findall("Losses fall evenly [12.19, 12.20].") == ["12.19, 12.20"]
    assert not CITATION.findall("values[0] and [a-z]")
    assert STRAY.findall("12.19: losses (12.20)") == ["12.19", "12.20"]
