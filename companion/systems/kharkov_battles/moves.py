"""Where the moving side stood as its phase began, and what that tells: rivers crossed [7.26], units that must not move."""

from __future__ import annotations

from collections.abc import Mapping

from companion.engine.forms.panels import Fact, Panel
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import on_map
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import ground
from companion.systems.kharkov_battles.base import MOVE_PHASES, SOVIET, STAR, rules, scenario
from companion.systems.kharkov_battles.units import icon, label, rooted

FAR = 12
"""So many hexes a unit is followed round a river before it is taken to have crossed it."""
NORTH = 49
"""38th Army's southernmost row [20.1]."""
RIVERS = frozenset({"major river", "dnepr"})


@rules.entering("axis-move")
@rules.entering("soviet-move")
def remember(game: Game) -> Events:
    """Everybody's place as the phase begins, where somebody is on record."""
    stood = {u.id: u.place for u in on_map(game, game.active)}
    if stood != game["stood"]:
        yield e.Set("stood", stood, was=game["stood"], reason=IN_PASSING)


def moved(game: Game) -> dict[str, str]:
    """Units of the moving side that stand elsewhere than before, with where they came from."""
    stood: Mapping[str, str] = game["stood"]
    return {u.id: stood[u.id] for u in on_map(game, game.active) if stood.get(u.id, u.place) != u.place}


# -- over a Major River ------------------------------------------------------------------------------------


def crossed(game: Game, a: str, b: str) -> bool:
    """Whether the way from one hex to another leads over a Major River: there is none round it [7.26]."""
    if b in ground.grid_at(game, a).neighbours(a):
        return bool(ground.features(game, a, b) & RIVERS)
    seen, edge = {a}, {a}
    for _ in range(FAR):
        steps = ((c, h) for c in edge for h in ground.grid_at(game, c).neighbours(c) if h not in seen)
        edge = {h for c, h in steps if not ground.features(game, c, h) & RIVERS}
        seen |= edge
        if b in seen:
            return False
    return True


def must_attack(game: Game, unit: Unit, before: str) -> bool:
    """Over a Major River into an empty hex that an enemy on that bank controls [7.26]."""
    controlled = ground.zones(game, game.other(unit.side)).get(unit.place, set())
    same_bank = [h for h in controlled if not ground.features(game, unit.place, h) & RIVERS]
    held = unit.place in {p for n, p in game["stood"].items() if n != unit.id}
    return bool(same_bank) and not held and crossed(game, before, unit.place)


@rules.watch
def notice_crossings(game: Game) -> Events:
    """Who crossed a Major River into an enemy zone is marked by itself, and cleared when it goes elsewhere [7.26]."""
    if game.phase not in MOVE_PHASES or not any(
        f & RIVERS for f in map(frozenset, board(game).features.values())
    ):
        return
    away = moved(game)
    over = [n for n, before in away.items() if must_attack(game, game.units[n], before)]
    noticed = list(game["crossed"])
    for name in over:
        if not game.mark(name, "must-attack"):
            words = "crossed a Major River into an enemy zone"
            yield put_mark(game, name, "must-attack", True, reason=words, rule="7.26")
    for name in noticed:
        if name not in over and game.mark(name, "must-attack"):
            yield put_mark(game, name, "must-attack", None, reason="no longer over the river", rule="7.26")
    if over != noticed:
        yield e.Set("crossed", over, was=noticed, reason=IN_PASSING)


# -- not where they may be ---------------------------------------------------------------------------------


def astray(game: Game) -> list[tuple[str, str, str]]:
    """Units of the moving side that moved though they may not, or stand where they may not: who, why, the rule."""
    found = []
    for name, before in moved(game).items():
        why = rooted(game, game.units[name])
        if why:
            found.append((label(game.units[name]), f"{why.words}; it stood in {before}", why.rule))
    for unit in on_map(game, game.active):
        if ground.out_of_play(game, unit.place):
            found.append((label(unit), f"stands in {unit.place}, which is out of play", "20.3, 27.8"))
        elif _too_far_south(game, unit):
            words = f"stands in {unit.place}: 38th Army stays on row KB{NORTH} or north of it"
            found.append((label(unit), words, "20.1"))
    return found


def _too_far_south(game: Game, unit: Unit) -> bool:
    if scenario(game) != STAR or unit.side != SOVIET or icon(unit) != "yellow":
        return False
    return ground.grid_at(game, unit.place).column_row(unit.place)[1] < NORTH


@rules.due_in(*MOVE_PHASES)
def put_right(game: Game) -> list[str]:
    """Said as the movement phase ends [13.11, 16.22, 20.1, 27.8]."""
    return [f"{who} {words} [{rule}]" for who, words, rule in astray(game)]


@rules.panel
def astray_panel(game: Game) -> Panel | None:
    """The same beside the map."""
    rows = [Fact(who, words, rule) for who, words, rule in astray(game)] if game.phase in MOVE_PHASES else []
    return Panel("Moves to put right", rows) if rows else None
