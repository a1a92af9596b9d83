"""What became of a battle, told on its card to both sides: losses, retreats, who may follow [12.6-12.8]."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

from companion.engine.forms.panels import Fact, Panel
from companion.engine.forms.worksheet import Line
from companion.engine.kit.roster import Unit
from companion.engine.play.duties import learn
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.engine.seat.shapes import sheet_of
from companion.systems.kharkov_battles.base import rules
from companion.systems.kharkov_battles.units import is_cadre, label, rating

TOLD = "told"
"""The fact of a battle that holds what was told of it, each with its rule."""


def show(game: Game, battle: Battle, words: str, rule: str) -> Generator[e.Event, None, Battle]:
    """A line for the battle's card; the log has it already in events of its own."""
    held = game.battles[battle.id]
    return (yield from learn(game, held, told=[*held.facts.get(TOLD, ()), [words, rule]]))


def tell(game: Game, battle: Battle, words: str, rule: str) -> Generator[e.Event, None, Battle]:
    """A line for the battle's card and for the log."""
    yield e.Noted(words, rule=rule)
    return (yield from show(game, battle, words, rule))


@rules.deeds_of_battle
def deeds(game: Game, battle: Battle, seat: str) -> Iterator[Line]:
    """What the result means and everything that was told of it; nothing of it is a secret."""
    told = _told(battle)
    yield from told or sheet_of(battle.sheet).effects  # what was owed, until it is told what came of it


def _told(battle: Battle) -> list[Line]:
    return [Line(str(words), "", str(rule)) for words, rule in battle.facts.get(TOLD, ())]


@rules.panel
def last_deeds(game: Game) -> Panel | None:
    """What the players do on the map after an attack with nobody on record, in sight until the next or the phase's end."""
    battle = game.battles.get(max(game.battles, default=0))
    if battle is None or (battle.turn, battle.phase) != (game.turn, game.phase) or game.duties(battle):
        return None
    bare = not any(battle.units(side) for side in game.sides)
    rows = [Fact(line.label, "", line.rule) for line in _told(battle)]
    return Panel(f"{battle.title}: on the map", rows, first=True) if bare and rows else None


def names(units: Sequence[Unit]) -> str:
    return ", ".join(label(u) for u in units)


def loss(game: Game, name: str, lost: int) -> str:
    """What a loss did to a unit, as everybody at the table sees it; a chit turns in secret [2.6]."""
    unit = game.units[name]
    if not unit.on_map:
        box = unit.place.removeprefix("box:")
        where = next((b.label for b in game.kit.boxes if b.id == box), box)
        return f"{label(unit)} is lost: {where}"
    if is_cadre(game, unit):
        return f"{label(unit)} is a cadre now"
    if rating(game, unit):
        return f"{game.side_name(unit.side)}: {count(lost, 'step')} taken"
    return f"{label(unit)} loses {count(lost, 'step')}, {unit.steps} left"
