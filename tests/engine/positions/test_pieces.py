"""What every game does with units."""

import pytest
from toykit import Table

from companion.engine.errors import Undeclared
from companion.engine.positions.pieces import eliminate
from companion.engine.record import events as e


def test_a_marker_that_the_kit_no_longer_declares_goes_with_its_unit() -> None:
    table = Table()
    unit = table.game.units["red-guards"]
    table.game.apply(e.Marked(unit.id, "worn", True))  # as an older version recorded it
    with pytest.raises(Undeclared):
        table.game.declares(e.Marked(unit.id, "worn", True))
    for event in eliminate(table.game, unit, "dead"):
        table.game.declares(event)
        table.game.apply(event)
    assert table.game.unit("Guards").place == "box:dead"
    assert not table.game.marks.get(unit.id)
