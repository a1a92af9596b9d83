"""Blocks of facts for the table and the players' phones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from companion.engine.forms.panels import Fact, Panel
from companion.engine.positions.pieces import on_map
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import (
    GERMAN,
    SOVIET,
    disrupted,
    exhausted,
    mechanized,
    out_of_supply,
    rules,
)
from companion.systems.panzer_keil.condition import can_mech_move
from companion.systems.panzer_keil.railroad import railhead
from companion.systems.panzer_keil.stalingrad import sixth_left
from companion.systems.panzer_keil.weather import track


@rules.panel
def weather_panel(game: Game) -> Panel | None:
    """How far the weather track still runs, three squares a turn at most."""
    left = max(track(game), default=0) - game["weather-square"]
    if left <= 0:
        return None
    rows = [
        Fact("Squares to the end", str(left), "B5.1.1"),
        Fact("Turns left at least", str(-(-left // 3)), "B5.1"),
    ]
    return Panel("Weather track", rows)


@rules.panel
def units_panel(game: Game) -> Panel | None:
    """How many units of each side are in trouble."""
    if not on_map(game):
        return None
    here = {side: [u.id for u in on_map(game, side)] for side in (SOVIET, GERMAN)}

    def count(test: Callable[[str], bool]) -> str:
        counts = {side: sum(map(test, units)) for side, units in here.items()}
        return ", ".join(f"{game.side_name(side)} {n}" for side, n in counts.items() if n)

    rows = [Fact("On the map", count(lambda u: True))]
    for label, test in (("Exhausted", exhausted), ("Disrupted", disrupted), ("Out of supply", out_of_supply)):
        found = count(partial(test, game))
        if found:
            rows.append(Fact(label, found))
    rows.append(Fact("Railroad marker", railhead(game), "B9.3"))
    if game["stalingrad"] == "besieged":
        rows.append(Fact("6th Army", f"{len(sixth_left(game))} units", "B13"))
    return Panel("Units", rows)


@rules.panel
def mech_panel(game: Game) -> Panel | None:
    """Who may move once more in the mechanized movement phase."""
    if game.phase != "german-mech":
        return None
    able = [u for u in game.units.values() if can_mech_move(game, u)]
    rows = [Fact(u.name or u.id, u.place, "10.1") for u in able if mechanized(u)]
    unknown = len(able) - len(rows)
    if unknown:
        rows.append(Fact("Of unknown type", f"{unknown} units, if mechanized", "10.1"))
    return Panel("May move again", rows) if rows else None
