"""What was really done about a battle's result: told on its card, and of bare battles in the log [12.19-12.23]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from companion.engine.forms.worksheet import Line
from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import fogged
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_unit
from companion.engine.seat.shapes import sheet_of
from companion.systems.second_kharkov.aftermath import losses_of
from companion.systems.second_kharkov.base import rules
from companion.systems.second_kharkov.units import label

DEED = "deed-"
"""How the facts of a battle are named that tell what was done: one fact each, so that each keeps its own secret."""


def told(game: Game, battle: Battle, side: str, words: str, rule: str, *, loss: bool = False) -> Events:
    """What a side without units on record did: a line of the card, and one of the log.

    :param loss: whether it stands for the losses that the result asked for
    """
    words = f"{game.side_name(side)}: {words}"
    yield e.Noted(words, rule=rule)
    yield from _keep(game, battle, (), side=side, words=words, rule=rule, loss=loss)


def done(
    game: Game, battle: Battle, side: str, units: Mapping[str, str], rule: str, *, loss: bool = False
) -> Events:
    """What became of units on record, which the log tells by itself: a line of the card for each.

    Losses are seen by all [2.13]; of units that move, the others may know no more than of any stack [7.6].
    """
    if units:
        only = () if loss else fogged(game, side)
        yield from _keep(game, battle, only, side=side, units=dict(units), rule=rule, loss=loss)


def _keep(game: Game, battle: Battle, only: tuple[str, ...], **deed: Any) -> Events:
    number = len(_kept(game.battles[battle.id]))
    yield e.Engaged(battle.id, facts={f"{DEED}{number}": deed}, only=only)


def _kept(battle: Battle) -> list[Mapping[str, Any]]:
    return [fact for name, fact in battle.facts.items() if name.startswith(DEED)]


@rules.deeds_of_battle
def deeds(game: Game, battle: Battle, seat: str) -> list[Line]:
    """The losses as they were taken, who moved where; of losses that nobody has booked here, what the result says."""
    kept = _kept(battle)
    booked = {deed["side"] for deed in kept if deed["loss"]}
    asked = {words: side for side, _, words in losses_of(game, battle, battle.result) if side in booked}
    lines = [line for line in sheet_of(battle.sheet).effects if line.label not in asked]
    found: dict[str, tuple[str, list[str], list[str]]] = {}
    for deed in kept:
        for key, who, what in _read(game, deed, seat):
            _, words, cited = found.setdefault(key, (who, [], []))
            words.append(what)
            cited.append(str(deed["rule"]))
    for who, words, cited in found.values():
        line = ": ".join(filter(None, (who, ", ".join(dict.fromkeys(words)))))
        lines.append(Line(line, "", ", ".join(dict.fromkeys(cited))))
    return lines


def _read(game: Game, deed: Mapping[str, Any], seat: str) -> Iterator[tuple[str, str, str]]:
    """Who did what, as a seat may know it: what tells him from others, his name, the deed."""
    if "words" in deed:
        yield str(deed["words"]), str(deed["words"]), ""
    for name, what in deed.get("units", {}).items():
        unit = game.units.get(name)
        if unit is not None and (deed["loss"] or may_see_unit(game, unit, seat)):
            yield name, label(unit), what
        else:
            words = f"a {game.side_name(str(deed['side']))} unit"
            yield words, words, what
