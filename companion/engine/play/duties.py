"""Duties: what is owed and what is offered, to whom, and in which order inside a battle."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Action, Events
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game

Words = Callable[[Game], Iterable[str]]


# -- battles ---------------------------------------------------------------------------------------------


def engage(
    game: Game,
    title: str,
    attacker: str,
    hexes: Iterable[str] = (),
    forces: Mapping[str, Iterable[str]] | None = None,
    rule: str = "",
    *,
    opens: bool = False,
    only: tuple[str, ...] = (),
    **facts: Any,
) -> Generator[e.Event, None, Battle]:
    """A battle begins: `battle = yield from engage(...)`. Its facts are whatever the game must remember of it."""
    held = {side: tuple(units) for side, units in (forces or {}).items()}
    yield e.Engaged(
        title=title,
        attacker=attacker,
        defender=game.other(attacker),
        hexes=tuple(hexes),
        forces=held,
        facts=facts,
        opens=opens,
        rule=rule,
        only=only,
    )
    return game.battles[max(game.battles)]  # dice that began it may have been recorded since


def learn(
    game: Game,
    battle: Battle,
    reason: str = "",
    *,
    forces: Mapping[str, Iterable[str]] | None = None,
    hexes: Iterable[str] = (),
    opens: bool = False,
    result: str = "",
    only: tuple[str, ...] = (),
    **facts: Any,
) -> Generator[e.Event, None, Battle]:
    """Something of a battle changes: `battle = yield from learn(...)`. A fact that is None is forgotten."""
    held = {side: tuple(units) for side, units in (forces or {}).items()}
    yield e.Engaged(
        battle.id,
        hexes=tuple(hexes),
        forces=held,
        facts=facts,
        opens=opens,
        result=result,
        reason=reason,
        only=only,
    )
    return game.battles[battle.id]


def leave(game: Game) -> Events:
    """Battles that have their result are left behind: what they still offer lapses."""
    for duty in game.duties():
        battle = game.battles.get(duty.battle)
        if battle is not None and battle.result and not duty.is_owed:
            yield e.Answered(duty.id, LEFT, battle=duty.battle)


def standing(game: Game, battle: Battle, side: str) -> list[Unit]:
    """A side's units of a battle that are still on the map."""
    return [u for n in battle.units(side) if (u := game.units.get(n)) is not None and u.on_map]


DONE, NOT_NEEDED, NO = "done on the map", "does not apply", "no"
"""What may be said to a duty instead of answering it: of what is owed, or of an offer."""
LEFT = "left"
"""The answer to an offer that lapsed with its phase, or when its battle was left."""


# -- owing and offering ----------------------------------------------------------------------------------


def owe(
    game: Game,
    to: str | Sequence[str],
    text: str,
    action: Action | str = "",
    *,
    battle: Battle | None = None,
    step: int = 0,
    units: Iterable[str] = (),
    rule: str = "",
    only: tuple[str, ...] = (),
    binding: bool = False,
    kind: str = e.OWED,
    **args: Any,
) -> e.Asked:
    """Something must be done: it stays until it is, or somebody says that it was done on the map or does not apply.

    :param to: a side, which may answer on its phone or on the table's screen, or the very seats that may
    :param step: its place in the battle's order; only the lowest open one is live
    :param only: the seats that may know what is asked, where that is a secret
    :param binding: saying that it does not apply needs the other side
    :param args: what the answer needs to know, kept in the record
    """
    name = action.name if isinstance(action, Action) else action
    seats = tuple(to) if not isinstance(to, str) else (to,) if only else (to, "table")
    return e.Asked(
        f"{name or 'map'}-{game.revision}",
        seats,
        text,
        name,
        args,
        rule=rule,
        duty=kind,
        battle=battle.id if battle else 0,
        step=step,
        units=tuple(units),
        binding=binding,
        only=only,
    )


offer = partial(owe, kind=e.OFFERED)
"""Something may be done: it lapses with its phase or when its battle is left, and a plain No puts it away."""


def has_units(game: Game, duty: e.Asked) -> bool:
    """Whether one of the units that a duty is about is still there; a duty about none always makes sense."""
    return not duty.units or bool(units_of(game, duty))


def units_of(game: Game, duty: e.Asked) -> list[Unit]:
    """The units a duty is about that are still on the map."""
    return [u for n in duty.units if (u := game.units.get(n)) is not None and u.on_map]


def drop(game: Game, *actions: Action | str, battle: Battle | None = None, why: str = "done") -> Events:
    """Close what is open of some actions, of one battle where it is told."""
    names = {a.name if isinstance(a, Action) else a for a in actions}
    for duty in game.duties(battle or 0):
        if duty.action in names:
            yield e.Answered(duty.id, why, battle=duty.battle)
