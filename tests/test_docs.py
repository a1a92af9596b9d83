"""What the documents point at is there: a reader who follows a path finds it."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PATH = re.compile(r"`([a-z_0-9/]+\.(?:py|html|js|css|toml))`")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_file_that_a_document_names_exists(document: Path) -> None:
    files = {path.as_posix() for path in ROOT.rglob("*.*") if ".venv" not in path.parts}
    named = set(PATH.findall(document.read_text(encoding="utf-8")))
    gone = {name for name in named if not any(file.endswith(f"/{name}") for file in files)}
    assert not gone


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_link_between_documents_leads_somewhere(document: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", document.read_text(encoding="utf-8"))
    assert not [link for link in links if not (document.parent / link).exists()]
