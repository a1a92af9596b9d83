"""Map edges that must be held [20.0, 27.8]: two failures running end the game or shift its level."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Choice, Context
from companion.engine.forms.worksheet import Breakdown
from companion.engine.people.consent import propose_end
from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import ground
from companion.systems.kharkov_battles.base import (
    AXIS,
    CAMPAIGN,
    JANUARY,
    SOVIET,
    STAR,
    K,
    L,
    add,
    done,
    rules,
    scenario,
    tick,
)

DUTIES: dict[str, dict[str, str]] = {
    STAR: {AXIS: "a frontline marker in a controlled eastern edge hex"},
    K: {
        AXIS: "zones on the northern and the southern edge",
        SOVIET: "zones on the northern and the eastern edge",
    },
    L: {AXIS: "zones on the northern and the southern edge of the play area"},
    JANUARY: {AXIS: "a zone on the northern edge of map A", SOVIET: "a zone on the northern edge of map A"},
    CAMPAIGN: {},
}


EDGES: dict[tuple[str, str], tuple[str, ...]] = {
    (K, AXIS): ("northern", "southern"),
    (K, SOVIET): ("northern", "eastern"),
    (L, AXIS): ("northern", "southern"),
}
"""Where a side has two edges to hold."""


def _sides(ctx: Context) -> list[tuple[str, str]]:
    return [(side, ctx.game.side_name(side)) for side in DUTIES[scenario(ctx.game)]]


def _edges(ctx: Context) -> list[tuple[str, str]]:
    found = EDGES.get((scenario(ctx.game), str(ctx.values.get("side") or AXIS)), ())
    return [(edge, edge) for edge in found]


def _open(game: Game) -> bool | str:
    left = [side for side in DUTIES[scenario(game)] if not done(game, f"edge/{side}")]
    return bool(left) or "no edge is left to speak of this turn"


@rules.action(phase="end", by="any", rule="20.0", label="Say an edge is lost", when=_open)
def edge_lost(
    game: Game,
    side: Annotated[
        str,
        Choice(
            label="Who does not hold it",
            options=_sides,
            start=lambda c: AXIS,
            quiet=lambda c: len(_sides(c)) == 1,
        ),
    ],
    edges: Annotated[
        tuple[str, ...], Choice(label="Edge", options=_edges, many=True, when=lambda c: bool(_edges(c)))
    ] = (),
) -> Events:
    """Say that a side does not hold the edge it must; silence means that it does."""
    duty = DUTIES[scenario(game)][side]
    if done(game, f"edge/{side}"):
        raise NotNow("that was said already this turn", field="side", given=side, rule="20.0")
    reading = {K: "k-edge", L: "l-edge"}.get(scenario(game))
    both = EDGES.get((scenario(game), side), ())
    if both and not edges:
        raise NotNow("say which edge", field="edges", accepted=", ".join(both), rule="20.0")
    if reading and game[reading] == "both" and len(edges) < len(both):
        raise NotNow("by this table's reading only losing both edges counts", field="edges", rule="20.0")
    yield tick(game, f"edge/{side}", f"{game.side_name(side)} does not hold {duty}")
    yield from add(game, f"edge-{side}", 1, "edge not held", "20.0")
    if int(game[f"edge-{side}"]) >= 2:
        yield from _consequence(game, side)


def _consequence(game: Game, side: str) -> Events:
    if scenario(game) in (STAR, L):
        why = "The Axis lost the map edge for two turns running."
        rule = "20.1" if scenario(game) == STAR else "20.3"
        yield from propose_end(game, SOVIET, "Victory", why, rule, f"edge {game.turn}")
        return
    toward = game.other(side)
    before = str(game["shift"])
    if before == "none":
        yield e.Set(
            "shift", toward, was=before, reason=f"{game.side_name(side)} lost its edge", rule="20.2, 27.8"
        )
    elif before not in (toward, "both"):
        yield e.Set("shift", "both", was=before, reason="both sides lost an edge", rule="20.2, 27.8")


@rules.leaving("end")
def count_edges(game: Game) -> Events:
    """A turn that holds the edge starts the count again."""
    for side in DUTIES[scenario(game)]:
        if game[f"edge-{side}"] and not done(game, f"edge/{side}"):
            yield e.Set(f"edge-{side}", 0, was=game[f"edge-{side}"], reason="edge held again", rule="20.0")


@rules.worksheet(rule="20.3", title="Edges of the play area")
def edges_held(ctx: Context) -> Breakdown:
    """Whether an Axis zone or unit reaches both edges of Third Kharkov's play area."""
    sheet = Breakdown("Edges of the play area")
    game = ctx.game
    if scenario(game) != L:
        sheet.result = "by eye"
        return sheet
    reached = {*ground.zones(game, AXIS), *ground.stacks(game, AXIS)}
    for row, name in ((48, "northern"), (30, "southern")):
        held = any(ground.grid_at(game, h).column_row(h)[1] == row for h in reached)
        sheet.add(
            f"{name} edge, row {row}", "held" if held else "not held (a frontline marker may do it)", "20.3"
        )
        sheet.facts[name] = held
    sheet.result = "held" if all(sheet.facts.values()) else "not held"
    return sheet
