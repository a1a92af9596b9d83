"""Events from a file [docs/design.md 3]: every kind that the companion writes can be read, and held to its types."""

import pytest
from toykit import OPEN

from companion.tables.misfits import misfit


@pytest.mark.parametrize("event", OPEN, ids=lambda event: event.KIND)
def test_what_the_companion_writes_fits(event):
    assert misfit(event.to_json()) == ""


@pytest.mark.parametrize("forces", [[], {"red": "red-guards"}, {"red": [1]}])
def test_forces_of_another_shape_do_not(forces):
    body = {"kind": "engaged", "title": "Attack", "forces": forces}
    assert "forces" in misfit(body)
