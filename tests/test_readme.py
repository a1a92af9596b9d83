"""The README tells the truth: its commands exist, its files are there."""

import re
from pathlib import Path

import pytest

from companion.cli import _parser, main

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
pytestmark = pytest.mark.skipif(not README.exists(), reason="there is no README.md yet")
TEXT = README.read_text(encoding="utf-8") if README.exists() else ""


def commands() -> set[str]:
    (actions,) = [a for a in _parser()._actions if a.dest == "command"]
    return set(actions.choices or ())


def mentioned() -> set[str]:
    return set(re.findall(r"\bcompanion ([a-z]+)\b", "\n".join(re.findall(r"^    .*$|`[^`]+`", TEXT, re.M))))


def test_the_readme_mentions_every_command_and_no_other() -> None:
    assert mentioned() == commands()


@pytest.mark.parametrize("target", sorted(set(re.findall(r"make ([a-z]+)", TEXT))))
def test_every_make_target_of_the_readme_exists(target: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    if re.search(rf"`make {target}|^    make {target}", TEXT, re.M):
        assert re.search(rf"^{target}:", makefile, re.M)


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!https?:)([^)#]+)\)", TEXT))))
def test_every_link_of_the_readme_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()


@pytest.mark.parametrize(
    "line", sorted(set(re.findall(r"companion (calc \S+ \S+ [^`\n]*=\S+)$", TEXT, re.M)))
)
def test_the_readmes_calculation_works(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 0
    assert len(capsys.readouterr().out.splitlines()) > 3


@pytest.mark.parametrize("option", sorted(set(re.findall(r"(--[a-z-]+)", TEXT)) - {"--help"}))
def test_every_option_of_the_readme_exists(option: str) -> None:
    (actions,) = [a for a in _parser()._actions if a.dest == "command"]
    known = {
        o for parser in (actions.choices or {}).values() for a in parser._actions for o in a.option_strings
    }  # type: ignore[union-attr]
    assert option in known


def test_the_first_commands_come_early() -> None:
    assert TEXT.index("make run") < 1500
