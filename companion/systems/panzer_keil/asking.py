"""What the combat form asks: only what the record does not tell and what can still matter [9.2-9.5, B11]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from companion.engine.forms.fields import Context, HexId
from companion.engine.kit.roster import Unit
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import (
    GERMAN,
    SOVIET,
    disrupted,
    has_attacked,
    hexes_of,
    is_hq,
    phases,
    type_known,
)
from companion.systems.panzer_keil.condition import FEW, own_on_map
from companion.systems.panzer_keil.fight import ground_of, holders, unread
from companion.systems.panzer_keil.ground import hindrances_known
from companion.systems.panzer_keil.odds import HINDRANCES

HALVED = tuple(cause.id for cause in HINDRANCES)
"""The fields for strengths that something halves, named as the ticks that ask for them [9.2.1-9.2.3]."""

Quiet = Callable[[Context], bool]


def targets(game: Game, side: str) -> list[str]:
    """Enemy-held hexes beside a unit of this side."""
    near = {n for place in hexes_of(game, side) for n in game.maps.neighbours(place)}
    return sorted(hexes_of(game, game.other(side)) & near)


def only_target(ctx: Context) -> str:
    """The one hex that can be attacked, where there is but one."""
    found = targets(ctx.game, ctx.game.active) if ctx.game.active else []
    return found[0] if len(found) == 1 else ""


SHOWN = 24
"""Hexes that a form lays out to be tapped; more are typed."""


@dataclass(frozen=True)
class Target(HexId):
    """A hex to attack; those with an enemy beside an own unit are laid out to be tapped."""

    def found(self, ctx: Context) -> list[str]:
        """The hexes that the record offers."""
        return targets(ctx.game, ctx.game.active) if ctx.game.active else []

    def describe(self, ctx: Context) -> dict[str, Any]:
        found = self.found(ctx)
        listed = {"choices": [{"value": h, "label": h} for h in found]}
        return {**super().describe(ctx), **listed, **({"type": "choice"} if tapped(found) else {})}

    def another(self) -> HexId:
        """The field beside it, for a hex where nobody is on record."""
        return HexId(
            label="or another hex",
            when=lambda c: tapped(self.found(c)),
            quiet=lambda c: bool(c.values.get("target")) and not c.values.get("elsewhere"),
        )


def tapped(found: Sequence[str]) -> bool:
    """Whether hexes are few enough to lay them out."""
    return 0 < len(found) <= SHOWN


# -- who fights --------------------------------------------------------------------------------------------


def target_in(ctx: Context) -> str:
    """The target as far as it is chosen."""
    return str(ctx.values.get("elsewhere") or ctx.values.get("target") or "")


def beside(ctx: Context) -> list[Unit]:
    """Own units, once the target is known those beside it [9.1.2]."""
    target = target_in(ctx)
    near = set(ctx.game.maps.neighbours(target)) if target else set()
    return [u for u in own_on_map(ctx) if not near or u.place in near]


def able(ctx: Context) -> list[Unit]:
    """Those of them that may attack [9.1.6, 9.1.7]; none before the target is known when they are many."""
    game = ctx.game
    found = [u for u in beside(ctx) if not (is_hq(u) or disrupted(game, u.id) or has_attacked(game, u.id))]
    return found if target_in(ctx) or len(found) <= FEW else []


def all_able(ctx: Context) -> list[str]:
    """Whoever can attack the target, chosen or the only one, is ticked to begin with."""
    target = target_in(ctx) or only_target(ctx)
    return [u.id for u in able(ctx.also(target=target))] if target else []


def attackers(ctx: Context) -> list[Unit]:
    """The attackers as far as they are chosen."""
    return [ctx.game.units[u] for u in ctx.values.get("attackers") or ()]


def nobody_named(ctx: Context) -> bool:
    return not ctx.values.get("attackers")


def attacker_of(ctx: Context) -> str:
    """Who attacks: as said, else whose phase it is."""
    return str(ctx.values.get("side") or ctx.game.active or GERMAN)


def defenders(ctx: Context) -> list[Unit]:
    """Everybody on record in the target hex."""
    return holders(ctx.game, attacker_of(ctx), target_in(ctx))


def nobody_there(ctx: Context) -> bool:
    return not defenders(ctx)


def side_known(ctx: Context) -> bool:
    return ctx.game.phase in phases("combat")


# -- strengths ---------------------------------------------------------------------------------------------


def to_type(ctx: Context, name: str) -> list[Unit]:
    """The units on record whose strength is asked for: those without one, or all when it is entered by hand."""
    units = attackers(ctx) if name == "AF" else defenders(ctx)
    return units if ctx.values.get("typed") else unread(ctx.game, units, name)


def attack_told(ctx: Context) -> bool:
    """Whether the record knows every attacker's strength."""
    return bool(attackers(ctx)) and not to_type(ctx, "AF")


def defence_told(ctx: Context) -> bool:
    return bool(defenders(ctx)) and not to_type(ctx, "DF")


def may_type(ctx: Context) -> bool:
    """Whether there is a record to overrule."""
    return bool(attackers(ctx))


def also(ctx: Context) -> list[tuple[str, str]]:
    """What may count besides the figures, and the record does not tell: who is halved, disrupted, around, allied."""
    found = []
    if hindrances_asked(ctx):  # of units on record supply is known [9.2.1-9.2.3]
        found += [(c.id, c.words) for c in HINDRANCES if nobody_named(ctx) or c.id != "oos"]
    if nobody_there(ctx):
        found.append(("disrupted", "against disrupted units"))
    if not not_concentric(ctx):
        found.append(("concentric", "concentric, from all six sides"))
    if not column_told(ctx):
        found.append(("allies", "by allies alone"))
    return found


def no_weak(ctx: Context) -> bool:
    """The strength of disrupted defenders stays away until they are ticked [9.2.5]."""
    return not ctx.values.get("weak") and "disrupted" not in (ctx.values.get("halved") or ())


def hindrances_asked(ctx: Context) -> bool:
    """Whether nobody can look at rivers and marsh: no unit is named, or the map is blank, or overruled."""
    return nobody_named(ctx) or bool(ctx.values.get("typed")) or not hindrances_known(ctx.game)


def not_hindered(name: str) -> Quiet:
    """A box for halved strengths stays away until its reason is ticked."""
    return lambda ctx: not ctx.values.get(name) and name not in (ctx.values.get("halved") or ())


def only_some(name: str) -> Quiet:
    """Whether one of several named attackers is halved for a reason, so that somebody must say who."""

    def asked(ctx: Context) -> bool:
        return len(attackers(ctx)) > 1 and hindrances_asked(ctx) and name in (ctx.values.get("halved") or ())

    return asked


# -- ground, armour, column --------------------------------------------------------------------------------


def ground_told(ctx: Context) -> bool:
    return bool(ground_of(ctx.game, target_in(ctx))) and not ctx.values.get("typed")


def _rough(ctx: Context) -> bool:
    """Whether the defender stands on other than clear ground, where no armour counts [9.4.4]."""
    return (ctx.values.get("ground") or ground_of(ctx.game, target_in(ctx))) == "other"


def armour_told(defending: bool) -> Quiet:
    def quiet(ctx: Context) -> bool:
        units = defenders(ctx) if defending else attackers(ctx)
        known = bool(units) and all(type_known(u) for u in units)
        return _rough(ctx) or (known and not ctx.values.get("typed"))

    return quiet


def no_grenadiers(ctx: Context) -> bool:
    """Panzergrenadiers matter only where the Soviet side has armour; told where all types are known [B11.3]."""
    if _rough(ctx) or (armour_told(False)(ctx) and armour_told(True)(ctx)):
        return True
    soviet = ctx.values.get("armour") if attacker_of(ctx) == SOVIET else ctx.values.get("enemy_armour")
    return soviet in (None, "", "none", "no")


def not_concentric(ctx: Context) -> bool:
    """German attackers only; told by the positions when units and target are named [B11.2]."""
    named = bool(attackers(ctx) and target_in(ctx)) and not ctx.values.get("typed")
    return attacker_of(ctx) != GERMAN or named


def column_told(ctx: Context) -> bool:
    """Only the German side has allies, whose nation the record may know [B11.1]."""
    units = attackers(ctx)
    return attacker_of(ctx) != GERMAN or (bool(units) and all(u.klass for u in units))


def armour_choices(ctx: Context) -> list[tuple[str, str]]:
    """Attacker's armour; hindered only where somebody attacks over a river or out of a marsh [9.4.4]."""
    hinders = ("river", "major", "marsh")
    some = any(ctx.values.get(n) or n in (ctx.values.get("halved") or ()) for n in hinders)
    hindered = [("hindered", "yes, all over a river or out of a marsh")]
    return [("none", "none"), ("free", "yes"), *(hindered if some or attackers(ctx) else [])]
