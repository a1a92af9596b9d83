"""What the combat form asks: only what the record does not tell and what can still matter [9.2-9.5, B11]."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from companion.engine.errors import Mistake
from companion.engine.kit.roster import Unit
from companion.engine.play.fields import Context, HexId
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import GERMAN, SOVIET, disrupted, hexes_of, is_hq, phases, type_known
from companion.systems.panzer_keil.condition import FEW, own_on_map
from companion.systems.panzer_keil.fight import Fight, read_fight

Quiet = Callable[[Context], bool]


def targets(game: Game, side: str) -> list[str]:
    """Enemy-held hexes beside a unit of this side."""
    near = {n for place in hexes_of(game, side) for n in game.maps.neighbours(place)}
    return sorted(hexes_of(game, game.other(side)) & near)


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


def target_of(ctx: Context) -> str:
    """The target as far as it is chosen."""
    return str(ctx.values.get("elsewhere") or ctx.values.get("target") or "")


def beside(ctx: Context) -> list[Unit]:
    """Own units, once the target is known those beside it [9.1.2]."""
    target = target_of(ctx)
    near = set(ctx.game.maps.neighbours(target)) if target else set()
    return [u for u in own_on_map(ctx) if not near or u.place in near]


def able(ctx: Context) -> list[Unit]:
    """Those of them that may attack [9.1.6, 9.1.7]; none before the target is known when they are many."""
    found = [
        u
        for u in beside(ctx)
        if not is_hq(u) and not disrupted(ctx.game, u.id) and not ctx.game.mark(u.id, "attacked")
    ]
    return found if target_of(ctx) or len(found) <= FEW else []


def told(ctx: Context) -> Fight | None:
    """The combat as far as the record tells it; nothing when a mistake or the player's own figures stand against it."""
    if ctx.values.get("typed"):
        return None
    try:
        return read_fight(ctx.game, ctx.values.get("attackers") or (), target_of(ctx))
    except Mistake:
        return None


def attack_told(ctx: Context) -> bool:
    """Whether the record knows every attacker's strength."""
    found = told(ctx)
    return found is not None and found.attack.given and not found.no_attack


def defence_told(ctx: Context) -> bool:
    found = told(ctx)
    return found is not None and found.defence is not None


def by_hand(ctx: Context) -> bool:
    return not attack_told(ctx)


def may_type(ctx: Context) -> bool:
    """Whether there is a record to overrule."""
    return bool(ctx.values.get("typed")) or attack_told(ctx)


def not_hindered(name: str) -> Quiet:
    """A box for halved strengths stays away until its reason is ticked."""

    def quiet(ctx: Context) -> bool:
        if ctx.values.get(name):
            return False
        return not by_hand(ctx) or name not in (ctx.values.get("halved") or ())

    return quiet


def named_attackers(ctx: Context) -> list[Unit]:
    """The attackers as far as they are chosen."""
    return [ctx.game.units[u] for u in ctx.values.get("attackers") or ()]


def crossers_known(ctx: Context) -> bool:
    """Whether nobody has to say who crossed: asked only of a typed attack partly over a major river [B10.3.1]."""
    values = ctx.values
    others = any(values.get(name) for name in ("full", "river", "marsh", "oos"))
    return not (values.get("major") and others and len(named_attackers(ctx)) > 1)


def attacker_of(ctx: Context) -> str:
    """Who attacks: as said, else whose phase it is."""
    return str(ctx.values.get("side") or ctx.game.active)


def side_known(ctx: Context) -> bool:
    return ctx.game.phase in phases("combat")


def ground_told(ctx: Context) -> bool:
    found = told(ctx)
    return found is not None and bool(found.ground)


def _units(ctx: Context, defending: bool) -> list[Unit]:
    found = told(ctx)
    if found is None:
        return []
    return [ctx.game.units[u] for u in found.defenders] if defending else named_attackers(ctx)


def _rough(ctx: Context) -> bool:
    """Whether the defender stands on other than clear ground, where no armour counts [9.4.4]."""
    found = told(ctx)
    return (ctx.values.get("ground") or (found.ground if found else "")) == "other"


def armour_told(defending: bool) -> Quiet:
    def quiet(ctx: Context) -> bool:
        units = _units(ctx, defending)
        return _rough(ctx) or (bool(units) and all(type_known(u) for u in units))

    return quiet


def no_grenadiers(ctx: Context) -> bool:
    """Panzergrenadiers matter only where the Soviet side has armour; told where all types are known [B11.3]."""
    if _rough(ctx) or (armour_told(False)(ctx) and armour_told(True)(ctx)):
        return True
    soviet = ctx.values.get("armour") if attacker_of(ctx) == SOVIET else ctx.values.get("enemy_armour")
    return soviet in (None, "", "none", "no")


def not_concentric(ctx: Context) -> bool:
    """German attackers only; told by the positions when units and target are named [B11.2]."""
    named = bool(ctx.values.get("attackers") and target_of(ctx)) and told(ctx) is not None
    return attacker_of(ctx) != GERMAN or named


def column_told(ctx: Context) -> bool:
    """Only the German side has allies, whose nation the record may know [B11.1]."""
    units = _units(ctx, defending=False)
    return attacker_of(ctx) != GERMAN or (bool(units) and all(u.klass for u in units))


def armour_choices(ctx: Context) -> list[tuple[str, str]]:
    """Attacker's armour; hindered only where somebody attacks over a river or out of a marsh [9.4.4]."""
    hinders = ("river", "major", "marsh")
    some = any(ctx.values.get(n) or n in (ctx.values.get("halved") or ()) for n in hinders)
    hindered = [("hindered", "all of it hindered")]
    return [("none", "none"), ("free", "yes"), *(hindered if some or ctx.values.get("attackers") else [])]
