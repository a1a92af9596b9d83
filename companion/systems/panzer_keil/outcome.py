"""What follows from a combat result: losses, markers, retreats, exhaustion, Don binding [9.6-9.9, B10.3]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context, Flag, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import DONE, learn, owe, units_of
from companion.engine.positions.pieces import count, eliminate
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import change
from companion.engine.record.game import Game
from companion.systems.panzer_keil import states
from companion.systems.panzer_keil.base import (
    DEAD,
    FOOT,
    SOME_MECHANIZED,
    SOVIET,
    is_sixth,
    mechanized,
    named,
    recorded,
    rules,
)
from companion.systems.panzer_keil.combat import begin
from companion.systems.panzer_keil.exchange import owe_exchange
from companion.systems.panzer_keil.results import (
    ATTACKER,
    EXHAUSTION,
    LOSSES,
    RESULTS,
    Result,
    advance_limit,
    beside_river,
    one_for_crossers,
    over_river,
)
from companion.systems.panzer_keil.retreat import owe_retreat
from companion.systems.panzer_keil.stalingrad import bind

TIRED = "attacking mechanized units end exhausted"


@rules.outcome("combat")
def combat_outcome(game: Game, sheet: dict[str, Any], code: str, battle: Battle | None) -> Events:
    """Carry out a result of the combat table."""
    if battle is None:  # the chart is read in a game begun before battles were kept
        battle = yield from begin(game, str(sheet.get("title", "Combat")), {"defence": 0, **sheet["facts"]})
    attackers, defenders = battle.units(battle.attacker), battle.units(battle.defender)
    yield from _tire(game, attackers)
    if battle.attacker == SOVIET and any(is_sixth(game.units[d]) for d in defenders):
        yield from bind(game, attackers)
        if not attackers:
            yield e.Noted("Who attacked the 6th Army belongs to the Don Front from now on", rule="B13.2.1")
    result = RESULTS[code]
    if code == "EX":
        yield from owe_exchange(game, battle)
    elif not attackers and (not defenders or result.sufferer == ATTACKER):
        yield _on_the_map(game, battle, code)
        return
    elif result.sufferer == ATTACKER:
        for worse, units in _thrown_back(game, battle, code):
            yield from suffer(game, battle, worse, units)
    elif result.sufferer:
        yield from suffer(game, battle, code, defenders)
    if result.advance or code == "EX":  # worked out once the hex is empty [9.8]
        yield from learn(game, game.battles[battle.id], advance=result.advance)
    yield from _ask_tired(game, battle)


def _thrown_back(game: Game, battle: Battle, code: str) -> list[tuple[str, Sequence[str]]]:
    """Who suffers what: the worse result for those over a major river, by the table's reading for all [B10.3.1]."""
    attackers, crossers = battle.units(battle.attacker), battle.facts.get("crossers", ())
    rest = [u for u in attackers if u not in crossers]
    if not battle.facts.get("major"):
        return [(code, attackers)]
    if game["river-upgrade"] == "all" or not rest:
        return [(over_river(code), attackers)]
    return [(over_river(code), crossers), (beside_river(code), rest)]


def suffer(game: Game, battle: Battle, code: str, units: Sequence[str]) -> Events:
    """Apply a code to the units it hits: losses first, then markers and retreats [9.6]."""
    result = RESULTS[code]
    here = [u for u in units if game.units[u].on_map]
    owner = battle.side_in(result.sufferer)
    if result.all_lost or (here and len(here) <= result.losses):
        yield from _lose(game, here, code)
    elif result.losses and here:
        rest = f"; the rest goes back {count(result.retreat, 'hex', 'hexes')}, disrupted"
        text = f"{game.side_name(owner)}: lose {result.losses} of {named(game, here)}{rest}"
        yield owe(
            game, owner, text, lose_units, battle=battle, step=LOSSES, units=here, rule="9.6", result=code
        )
    elif here:
        yield from push(game, battle, result, here)
    else:
        does = battle.side_in(result.by or result.sufferer)
        yield _line(game, battle, f"{code}: {_told(game, battle, code)}", "9.6", to=does)


def push(game: Game, battle: Battle, result: Result, units: Sequence[str]) -> Events:
    """Markers and the retreat of those who are left."""
    if result.disrupts:
        trigger = states.repulsed if result.sufferer == ATTACKER else states.hit
        for unit in units:
            yield from states.put(game, unit, trigger, reason=result.code)
    if result.retreat:
        mover, far = battle.side_in(result.by), result.retreat
        yield from owe_retreat(game, battle, mover, units, hexes=far, disrupts=result.disrupts)


def _lose(game: Game, units: Sequence[str], why: str) -> Events:
    for unit in units:
        yield from eliminate(game, game.units[unit], DEAD, why, "9.6")


# -- losses ------------------------------------------------------------------------------------------------


def _losers(ctx: Context) -> list[Unit]:
    return units_of(ctx.game, ctx.duty) if ctx.duty else []


def _to_lose(ctx: Context) -> int:
    return RESULTS[str(ctx.args.get("result", "AL"))].losses


def _no_choice(ctx: Context) -> Mapping[str, Any] | None:
    return {} if len(_losers(ctx)) <= _to_lose(ctx) else None


def _lost_on_the_map(game: Game, duty: e.Asked, how: str) -> Events:
    """Whoever is left after losses taken on the map suffers the rest of the result [9.6]."""
    battle = game.battles.get(duty.battle)
    if battle is not None and how == DONE:
        rest = [u.id for u in units_of(game, duty)]
        yield from push(game, battle, RESULTS[duty.args["result"]], rest)


@rules.follow_up(rule="9.6", label="Lose units", alone=_no_choice, declined=_lost_on_the_map)
def lose_units(
    game: Game,
    duty: e.Asked,
    battle: Battle | None,
    unit: Annotated[
        str | None,
        Choice(
            label="Which",
            options=lambda c: [(u.id, f"Lose {u.name or u.id}") for u in _losers(c)],
            when=lambda c: _no_choice(c) is None and _to_lose(c) == 1,
        ),
    ],
    units: Annotated[
        tuple[str, ...] | None,
        UnitRef(
            label="Which",
            many=True,
            pick=_losers,
            when=lambda c: _no_choice(c) is None and _to_lose(c) > 1,
        ),
    ],
) -> Events:
    """Eliminate the units that a result costs; the others then suffer the rest of it."""
    battle = recorded(battle)
    result = RESULTS[duty.args["result"]]
    here = [u.id for u in units_of(game, duty)]
    lost = here if len(here) <= result.losses else [unit] if unit else list(units or ())
    if len(lost) != min(result.losses, len(here)):
        words = f"choose {count(result.losses, 'unit')}, not {len(lost)}"
        raise Unreadable(words, field="units", given=len(lost), rule="9.6")
    yield from _lose(game, lost, result.code)
    rest = [u for u in here if u not in lost]
    if rest:
        yield from push(game, battle, result, rest)


# -- without units on record -------------------------------------------------------------------------------


def _line(game: Game, battle: Battle, text: str, rule: str, step: int = LOSSES, to: str = "") -> e.Asked:
    """Something to do on the map alone: the side that does it taps it away, or the table; the attacker if both do."""
    return owe(game, to or battle.attacker, text, battle=battle, step=step, rule=rule)


def _on_the_map(game: Game, battle: Battle, code: str) -> e.Asked:
    """Everything a result demands in one line."""
    major, all_major = battle.facts.get("major"), battle.facts.get("all_major")
    parts = [f"{code}: {_told(game, battle, code)}"]
    if RESULTS[code].sufferer == ATTACKER and major:
        worse = over_river(code)
        parts = [f"{worse} over the major river: {_told(game, battle, worse)}"]
        if not all_major and game["river-upgrade"] != "all":
            rest = beside_river(code)
            parts.append(f"the others {rest}: {_told(game, battle, rest)}")
    limit = advance_limit(code, bool(major and all_major))
    if limit:
        parts.append(f"attackers may advance {limit}{one_for_crossers(battle, limit)}")
    return _line(game, battle, "; ".join([*parts, TIRED]), "9.6, 9.9")


def _told(game: Game, battle: Battle, code: str) -> str:
    """A result in words, with the player who moves the retreat."""
    result = RESULTS[code]
    if not result.retreat:
        return result.text
    return f"{result.text}, moved by the {game.side_name(battle.side_in(result.by))} player"


# -- exhaustion --------------------------------------------------------------------------------------------


def _tire(game: Game, attackers: Sequence[str]) -> Events:
    """Attacking mechanized units are exhausted, whatever the result [9.9]."""
    for unit in attackers:
        yield from states.put(game, unit, states.attack)


def _ask_tired(game: Game, battle: Battle) -> Events:
    """Where the record does not tell who is mechanized, the player does."""
    attackers = battle.units(battle.attacker)
    unknown = [u for u in attackers if mechanized(game.units[u]) is None and game.units[u].on_map]
    if unknown:
        # Some may still die before it is asked: who is left, the card tells.
        one = (
            f"is {named(game, unknown)} mechanized?" if len(unknown) == 1 else "which of them are mechanized?"
        )
        text = f"Attackers end exhausted if they are mechanized: {one}"
        yield owe(
            game, battle.attacker, text, exhaust, battle=battle, step=EXHAUSTION, units=unknown, rule="9.9"
        )
    elif not attackers:
        yield _line(game, battle, TIRED.capitalize(), "9.9", EXHAUSTION)


def _unknown(ctx: Context) -> list[Unit]:
    return [u for u in _losers(ctx) if mechanized(u) is None]


def _still_unknown(game: Game, duty: e.Asked) -> bool:
    return not duty.units or any(mechanized(u) is None for u in units_of(game, duty))


def _one(ctx: Context) -> bool:
    return len(_unknown(ctx)) == 1


def _by_button(ctx: Context) -> bool:
    """Several of them are asked about with a button for each answer; somebody among many is ticked afterwards."""
    return len(_unknown(ctx)) > 1 and not ctx.args.get("some")


BOTH, NONE, SOME = "both", "none", "some"


def _which(ctx: Context) -> list[tuple[str, str]]:
    """Of those whose type is not on record: all or none; of two, one or the other."""
    unknown = _unknown(ctx)
    if len(unknown) > 2:
        return [(BOTH, "All"), (NONE, "None"), (SOME, "Some of them")]
    return [*((u.id, u.name or u.id) for u in unknown), (BOTH, "Both"), (NONE, "None")]


def _types(ctx: Context) -> list[tuple[str, str]]:
    """The last one whose type is not on record, by its name."""
    who = named(ctx.game, [u.id for u in _unknown(ctx)])
    return [(SOME_MECHANIZED, f"{who} is mechanized: exhausted"), (FOOT, f"{who} is not mechanized")]


@rules.follow_up(rule="9.9", label="Exhaust units", still=_still_unknown)
def exhaust(
    game: Game,
    duty: e.Asked,
    kind: Annotated[
        str | None,
        Choice(
            label="Type",
            options=_types,
            when=_one,
        ),
    ],
    which: Annotated[str | None, Choice(label="Mechanized", options=_which, when=_by_button)] = None,
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Mechanized units", many=True, pick=_unknown, when=lambda c: not _one(c), quiet=_by_button
        ),
    ] = (),
    none: Annotated[
        bool, Flag(label="None of them is mechanized", when=lambda c: not _one(c), quiet=_by_button)
    ] = False,
) -> Events:
    """Turn mechanized units that attacked to their exhausted side; who they are is remembered."""
    asked = [u.id for u in units_of(game, duty) if mechanized(u) is None]
    if kind:
        units, none = (tuple(asked), False) if kind == SOME_MECHANIZED else ((), True)
    if which == SOME:
        battle = game.battles.get(duty.battle)
        yield owe(
            game,
            duty.to,
            duty.text,
            exhaust,
            battle=battle,
            step=duty.step,
            units=asked,
            rule="9.9",
            some=True,
        )
        return
    if which:
        units = {BOTH: tuple(asked), NONE: ()}.get(which, (which,))
        none = not units
    if bool(units) == none:
        raise Unreadable("tick the mechanized units, or that none is", field="units", rule="9.9")
    for unit in asked:
        found, why = (SOME_MECHANIZED, "mechanized") if unit in units else (FOOT, "not mechanized")
        yield change(game, unit, {"kind": found}, reason=why, rule="2.2.1")
        yield from states.put(game, unit, states.attack)
