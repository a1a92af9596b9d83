"""Units that stood beside a split attack [12.23]: they share one result, and their owner says which."""

from __future__ import annotations

from companion.engine.play.actions import Events
from companion.engine.play.duties import learn, offer, units_of
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.kharkov_battles.base import rules
from companion.systems.kharkov_battles.battles import CHOICE, of_phase, origins
from companion.systems.kharkov_battles.units import label


def _settled(battle: Battle) -> bool:
    """Whether a result has begun to be applied."""
    return "loser" in battle.facts or "lost" in battle.facts


def offer_choice(game: Game, battle: Battle) -> Events:
    """Idle units went with the first combat rolled from their hex; the second one's result is theirs to choose."""
    battle = game.battles[battle.id]
    places = set(origins(battle).values())
    for other in of_phase(game, like=battle):
        beside = [game.units[n] for n in other.facts.get("beside", ()) if n in game.units]
        idle = [u for u in beside if u.place in places]
        if other.id != battle.id and idle and not _settled(other):
            names = ", ".join(label(u) for u in idle)
            text = f"{game.side_name(battle.attacker)}: {names} may share this result, not that of the {other.title}"
            ids = [u.id for u in idle]
            yield offer(
                game, battle.attacker, text, share_result, battle=battle, step=CHOICE, units=ids, rule="12.23",
                other=other.id,
            )  # fmt: skip


def _still_open(game: Game, duty: e.Asked) -> bool:
    """Neither result is being applied yet, and somebody of them is there."""
    both = [game.battles.get(duty.battle), game.battles.get(int(duty.args["other"]))]
    return bool(units_of(game, duty)) and not any(b is None or _settled(b) for b in both)


@rules.follow_up(rule="12.23", label="Share this result", still=_still_open)
def share_result(game: Game, duty: e.Asked, battle: Battle) -> Events:
    """The idle units of a split hex follow this combat's result."""
    other = game.battles[int(duty.args["other"])]
    left = [n for n in other.facts.get("beside", ()) if n not in duty.units]
    yield from learn(game, other, beside=left)
    names = ", ".join(label(u) for u in units_of(game, duty))
    beside = [*battle.facts.get("beside", ()), *duty.units]
    yield from learn(game, battle, f"{names} share this result", beside=beside)
