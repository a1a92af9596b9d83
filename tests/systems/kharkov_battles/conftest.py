"""A synthetic owner's book: every number in it is made up for the tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def book():
    from kb_bench import synthetic_book

    return synthetic_book()
