"""What the defender brings to a battle, said on his own phone: guns, stars, headquarters, strengths [6.3.3, 9.2, 15.1]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Context, Flag, Text, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import learn, offer, owe, standing
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import OFF_IN_PASSING, fogged, read_off
from companion.engine.record.game import Game
from companion.systems.wb95.base import DEFEND, GUN_RANGE, at_hexes, deployed, idle, is_gun, rules
from companion.systems.wb95.combat_form import unprinted
from companion.systems.wb95.hq import covered, spend, usable
from companion.systems.wb95.strength import against_support, defending, named, told

TYPED = ("defence", "defence_halved", "defence_artillery", "lone_guns", "helpless")
"""What tells a defence that is not on record."""


@dataclass(frozen=True)
class Means:
    """What a defender could still say of a battle."""

    guns: tuple[Unit, ...] = ()
    stars: tuple[Unit, ...] = ()
    shifts: int = 0
    hq: bool = False
    """A headquarters covers all of them, and the attacker cannot see it."""
    lacking: tuple[Unit, ...] = ()
    """Defenders whose strength nobody has told."""
    untold: bool = False
    """Nobody on record defends, and no strength was typed."""

    @property
    def missing(self) -> bool:
        """Without it there are no odds."""
        return bool(self.lacking) or self.untold

    @property
    def any(self) -> bool:
        return bool(self.guns or self.stars or self.shifts or self.hq) or self.missing


def batteries(game: Game, side: str, hexes: Iterable[str]) -> list[Unit]:
    """Guns in combat setup outside the hexes that are attacked, one of them in range [6.3.3]."""
    where = set(hexes)
    near = game.maps.distance
    mine = [u for u in on_map(game, side) if deployed(game, u) and u.place not in where]
    return [u for u in mine if any(near(u.place, h) <= GUN_RANGE for h in where)]


def starred(game: Game, side: str, hexes: Iterable[str]) -> list[Unit]:
    """Defenders with a star that counts in defence, towed ones among them [15.1.2, 15.1.5]."""
    there = at_hexes(game, side, hexes) if game["special-units"] else []
    return [u for u in there if game.mark(u.id, "star") not in (None, "yellow")]


def means(game: Game, side: str, form: Mapping[str, Any]) -> Means:
    """What the defender could add to what the attacker's form tells."""
    hexes = [str(h) for h in form.get("target") or ()]
    there = at_hexes(game, side, hexes)
    mine = Context(game, side)
    unknown = defending(mine, there, ()).unknown
    typed = any(form.get(name) for name in TYPED)
    return Means(
        guns=tuple(u for u in batteries(game, side, hexes) if idle(game, u)),
        stars=tuple(starred(game, side, hexes)),
        shifts=sum(p.left for p in usable(game, side, hexes)),
        hq=bool(there)
        and covered(mine, side, hexes)
        and not covered(Context(game, game.other(side)), side, hexes),
        lacking=() if form.get("defence_sp") else tuple(unknown),
        untold=not there and not typed,
    )


def both_there(game: Game, duty: e.Asked) -> bool:
    """Whether anybody on record is left to attack, and to defend the hexes attacked."""
    battle = game.battles.get(duty.battle)
    if battle is None:
        return False
    attacked = not battle.units(battle.defender) or at_hexes(game, battle.defender, battle.hexes)
    return bool(attacked and (not battle.units(battle.attacker) or standing(game, battle, battle.attacker)))


def ask_defender(game: Game, battle: Battle, found: Means) -> Events:
    """The defender joins before the dice are rolled; where a strength is missing he must."""
    name = game.side_name(battle.defender)
    if found.missing:
        text = f"{name}: what defends {', '.join(battle.hexes) or 'against the attack'}?"
        yield owe(game, battle.defender, text, defend, battle=battle, step=DEFEND, rule="5.2.1")
    else:
        wanted = {
            "guns": found.guns,
            "stars": found.stars,
            "shifts of a fallen HQ": found.shifts,
            "headquarters": found.hq,
        }
        words = ", ".join(word for word, there in wanted.items() if there)
        text = f"{name}: do {words} join the defence?"
        yield offer(game, battle.defender, text, defend, battle=battle, step=DEFEND, rule="6.3.3, 9.2, 15.1")


# -- his form --------------------------------------------------------------------------------------


def _means(ctx: Context) -> Means:
    battle = ctx.battle
    return means(ctx.game, battle.defender, battle.facts["form"]) if battle else Means()


def _guns(ctx: Context) -> list[Unit]:
    return batteries(ctx.game, ctx.battle.defender, ctx.battle.hexes) if ctx.battle else []


def _stars(ctx: Context) -> list[Unit]:
    return list(_means(ctx).stars)


def _lacking(ctx: Context) -> list[Unit]:
    """Defenders and named guns without a strength."""
    chosen = [ctx.game.units[u] for u in ctx.values.get("guns") or ()]
    return [*_means(ctx).lacking, *(u for u in chosen if "D" not in u.factors)]


def _untold(ctx: Context) -> bool:
    return _means(ctx).untold


def _fired(ctx: Context) -> list[str]:
    """Guns fire once in a combat phase, whomever they support [6.1.4]."""
    chosen = [ctx.game.units[u] for u in ctx.values.get("guns") or ()]
    return against_support(ctx.game, chosen, ctx.battle.hexes if ctx.battle else ())


@rules.follow_up(rule="6.3.3", label="Join the defence", still=both_there, warns=_fired)
def defend(
    game: Game,
    battle: Battle,
    guns: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Guns that support",
            many=True,
            pick=_guns,
            suggest=lambda c: _means(c).guns,
            when=lambda c: bool(_guns(c)),
        ),
    ] = (),
    strengths: Annotated[str, unprinted("SP of each", _lacking)] = "",
    defence: Annotated[int, Whole(label="Defence SP", when=_untold)] = 0,
    artillery: Annotated[int, Whole(label="Artillery SP with it", when=_untold)] = 0,
    star_words: Annotated[
        str,
        Text(
            label="Stars used",
            most=60,
            placeholder="white 2",
            when=lambda c: _untold(c) and bool(c.game["special-units"]),
        ),
    ] = "",
    stars: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Stars used",
            many=True,
            pick=_stars,
            when=lambda c: bool(_stars(c)),
            help="one of them then shares any loss",
        ),
    ] = (),
    hq: Annotated[
        bool,
        Flag(
            label="Headquarters joins: all are in range",
            when=lambda c: _means(c).hq or _untold(c),
            start=lambda c: _means(c).hq,
        ),
    ] = False,
    shifts: Annotated[
        int, Whole(label="Shifts for a fallen HQ", high=20, when=lambda c: _means(c).shifts > 0)
    ] = 0,
    seat: str = "",
) -> Events:
    """Say what defends besides the counters that are attacked."""
    side, form = battle.defender, battle.facts["form"]
    found = means(game, side, form)
    if found.untold and defence + artillery <= 0:
        raise Unreadable("say how many SP defend", field="defence", accepted="above 0", rule="5.2.1")
    lacking = [*found.lacking, *(game.units[u] for u in guns if "D" not in game.units[u].factors)]
    if lacking and not strengths:
        raise Unreadable(f"type the strength of {named(lacking)}", field="strengths", rule="1.2")
    yield from keep_strengths(game, lacking, strengths, "D", "strengths")
    if shifts:
        yield from spend(game, side, shifts, battle.hexes, "shifts")
    said: dict[str, Any] = {
        "defence_guns": list(guns),
        "defence_star_units": list(stars),
        "defence_pool": shifts,
    }
    if hq or found.hq:
        said["defence_hq"] = hq
    if found.untold:
        said |= {"defence": defence, "defence_artillery": artillery, "defence_stars": star_words}
    # Guns that fire from afar stay where they are hidden [16.1.1].
    yield from learn(game, battle, only=fogged(game, side), joined=said)


def keep_strengths(game: Game, units: Iterable[Unit], text: str, factor: str, field: str) -> Events:
    """What was typed of a counter stays on it: attack and defence are the same but for guns [1.2]."""
    for name, value in told(list(units), text, field).items():
        unit = game.units[name]
        same = {} if is_gun(unit) else {"A": value, "D": value}
        facts = {"factors": {**same, **unit.factors, factor: value}}
        yield read_off(game, name, facts, "1.2", reason=OFF_IN_PASSING)  # the sum tells it
