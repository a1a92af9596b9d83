"""A fight as far as its form, the record and the map tell it, assembled before it is worked out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from companion.engine.forms.fields import Context
from companion.engine.kit.roster import Unit
from companion.engine.record.game import Game
from companion.systems.wb95.airmarks import over
from companion.systems.wb95.base import at_hexes, halve
from companion.systems.wb95.combat_form import CombatForm
from companion.systems.wb95.strength import Force, across, attacking, defending, numbers, told
from companion.systems.wb95.terrain import printed


@dataclass(frozen=True)
class Fight:
    """Who fights whom, where, and with what."""

    form: CombatForm
    side: str
    """The attacker; empty where nobody's phase it is."""
    attackers: tuple[Unit, ...]
    guns: tuple[Unit, ...]
    manned: bool
    """Somebody on record stands in a defending hex."""
    defenders: tuple[Unit, ...]
    """None where their stack is closed."""
    cover: tuple[Unit, ...]
    """The defender's guns that fire from afar."""
    stars: tuple[tuple[Unit, ...], tuple[Unit, ...]]
    """The attacker's and the defender's units that use their star."""
    force: Force
    wall: Force
    attack_halved: int
    """What halved attackers that are not on record are worth together."""
    defence_halved: int
    attack_air: int
    defence_air: int
    fort: str
    ground: tuple[str, ...]
    water: dict[str, int]
    """River or Doniec -> the strength that attacks across it."""

    @property
    def regular(self) -> int:
        """The strength of regular units, which alone cross rivers."""
        return self.force.regular + self.form.attack + self.attack_halved

    @property
    def fire(self) -> int:
        """Guns and aircraft with the attack [6.3.1, 8.2.2]."""
        return self.force.guns + self.form.attack_artillery + self.attack_air

    @property
    def held(self) -> int:
        """All that defends; aircraft count half [8.2.4]."""
        form, wall = self.form, self.wall
        typed = form.defence + self.defence_halved + form.defence_artillery + form.lone_guns
        return wall.regular + wall.guns + typed + halve(self.defence_air)

    @property
    def helpless(self) -> bool:
        """Only headquarters, or guns in transport setup, defend [5.1.9, 6.6.4]."""
        return self.form.helpless or self.wall.helpless

    @property
    def fortified(self) -> bool:
        return self.fort != "none"

    @property
    def frontal(self) -> bool:
        """At least half of the regular strength comes over a fixed position's edge [7.3.4]."""
        return 2 * self.form.front >= self.regular > 0


def assemble(ctx: Context, form: CombatForm) -> Fight:
    """The fight that a form describes; what it leaves open comes from the record and the map."""
    game, side, target = ctx.game, attacking_side(ctx), form.target
    mine, guns, cover = (
        _units(game, names) for names in (form.attackers, form.attack_guns, form.defence_guns)
    )
    theirs = at_hexes(game, game.other(side), target) if side else []
    force = attacking(game, mine, guns, form.pay)
    if force.unknown and form.attack_sp:
        force = attacking(game, mine, guns, form.pay, told(force.unknown, form.attack_sp, "attack_sp"))
    wall = defending(ctx, theirs, cover)
    if wall.unknown and form.defence_sp:
        wall = defending(ctx, theirs, cover, told(wall.unknown, form.defence_sp, "defence_sp"))
    fought_over = {*target, *(u.place for u in mine)}
    strongest = max(target, key=lambda h: wall.by_hex.get(h, 0), default="")
    # Of several hexes the one with most SP decides whatever the defender gains: ground, works, water [5.5.3].
    return Fight(
        form=form,
        side=side,
        attackers=mine,
        guns=guns,
        manned=bool(theirs),
        defenders=() if wall.closed else tuple(theirs),
        cover=() if wall.closed else cover,
        stars=(_units(game, form.attack_star_units), _units(game, form.defence_star_units)),
        force=force,
        wall=wall,
        attack_halved=sum(halve(n) for n in numbers(form.attack_halved, "attack_halved")),
        defence_halved=sum(halve(n) for n in numbers(form.defence_halved, "defence_halved")),
        attack_air=form.attack_air or (_flown(game, side, "support", fought_over) if side else 0),
        defence_air=form.defence_air
        or (_flown(game, game.other(side), "defence", fought_over) if side else 0),
        fort=form.fort if form.fort != "auto" else str(game.mark(strongest, "fort") or "none"),
        ground=form.terrain or (printed(game, strongest) if strongest else ()),
        water={
            "river": form.river or across(game, mine, strongest, "river", force.by_hex),
            "doniec": form.doniec or across(game, mine, strongest, "doniec", force.by_hex),
        },
    )


def attacking_side(ctx: Context) -> str:
    """The side that began the battle; before that the one whose phase it is."""
    return ctx.battle.attacker if ctx.battle else ctx.game.active


def _units(game: Game, names: Iterable[str]) -> tuple[Unit, ...]:
    """Those who are left of the units named when the attack was declared."""
    return tuple(u for n in names if (u := game.units.get(n)) is not None and u.on_map)


def _flown(game: Game, side: str, mission: str, hexes: Iterable[str]) -> int:
    """Support missions over the hexes of this combat [8.2.2, 8.2.4]."""
    return sum(over(game, side, h).get(mission, 0) for h in hexes)
