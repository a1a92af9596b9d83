"""A battle: who fights whom, where, with what, put together from the form, the record and the map book."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from companion.engine.kit.roster import Unit
from companion.engine.play.fields import Context
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_unit
from companion.systems.second_kharkov import known
from companion.systems.second_kharkov.armies import frozen, hasty, restricted
from companion.systems.second_kharkov.base import GERMAN, SOVIET, Reason
from companion.systems.second_kharkov.form import CombatForm
from companion.systems.second_kharkov.judging import out_of_supply
from companion.systems.second_kharkov.odds import HASTE, INTO, OOS, Group, grouped
from companion.systems.second_kharkov.units import armies_of, factor, label, mechanised, tanks_only

Causes = tuple[Reason, ...]


@dataclass(frozen=True)
class Battle:
    """Everything the odds and the modifiers depend on."""

    attacker: str
    defender: str
    turn: int
    target: str
    terrain: str
    river: str
    attackers: tuple[Unit, ...]
    defenders: tuple[Unit, ...]
    armies: tuple[str, ...]
    """The German armies that attack; more than one may not [12.24]."""
    attack: tuple[Group, ...]
    defence: tuple[Group, ...]
    air: int
    tank_attack: str
    """'no'; 'hex': one of several hexes is all tank; 'all', 'every': one or more, all tank [12.25]."""
    tank_defence: bool
    fight_move: bool
    supplied: frozenset[str] = frozenset()
    """Attackers in supply as the battle begins [12.22]."""
    unhalved: tuple[Unit, ...] = ()
    """Units out of supply whose factors were typed, so that nobody forgets to halve them."""

    @property
    def exploiters(self) -> list[str]:
        """German mechanised attackers in supply [12.22]."""
        if self.attacker != GERMAN:
            return []
        return [u.id for u in self.attackers if mechanised(u) and u.id in self.supplied]


def assemble(ctx: Context, form: CombatForm) -> Battle:
    """The battle a form describes; what the form leaves open comes from the record and the map."""
    here = replace(ctx, values={**ctx.values, **vars(form)})
    game, side = ctx.game, known.attacking_side(here)
    force, holders = known.attackers(here), known.defenders(here)
    armies = (armies_of(force) or (form.army,)) if side == GERMAN else ()
    late = (HASTE,) if len(armies) == 1 and hasty(game, armies[0]) else ()
    out = out_of_supply(game, [*force, *holders])
    return Battle(
        attacker=side,
        defender=known.defending_side(here),
        turn=known.turn(here),
        target=known.target(here),
        terrain=known.terrain(here),
        river=known.river(here),
        attackers=tuple(force),
        defenders=tuple(holders),
        armies=armies,
        attack=_attack_groups(here, form, out, late),
        defence=_defence_groups(here, form, out),
        air=int(game.mark(known.target(here), "support") or form.air),
        tank_attack=_tank_attack(here, form) if side == SOVIET else "no",
        tank_defence=side == GERMAN and (tanks_only(holders) if holders else form.tank_defence),
        fight_move=known.fights_first(here),
        supplied=frozenset(u.id for u in force if u.id not in out and not late),
        unhalved=tuple(u for u in _typed(here, force, holders) if u.id in out),
    )


def _typed(ctx: Context, force: list[Unit], holders: list[Unit]) -> list[Unit]:
    """The units whose factors the record does not give."""
    by_hand = (
        units for units, name in ((force, "AF"), (holders, "DF")) if not known.all_known(ctx, units, name)
    )
    return [unit for units in by_hand for unit in units]


def _attack_groups(ctx: Context, form: CombatForm, out: set[str], late: Causes) -> tuple[Group, ...]:
    """The attack factors by what halves them: supply [9.9], the ground [12.13, 12.16], haste [13.4]."""
    force, into = known.attackers(ctx), known.terrain(ctx)
    slow: Causes = (INTO[into],) if into in INTO else ()
    if known.all_known(ctx, force, "AF"):
        causes = [(*((OOS,) if u.id in out else ()), *(slow if mechanised(u) else ()), *late) for u in force]
        return _on_record(ctx.game, "AF", force, causes)
    typed: tuple[tuple[tuple[int, ...], Causes], ...] = (
        (form.attack, ()),
        (form.attack_oos, (OOS,)),
        (form.attack_mech, slow),
        (form.attack_both, (OOS, *slow)),
    )
    return tuple(Group(stacks, causes + late) for stacks, causes in typed if stacks)


def _defence_groups(ctx: Context, form: CombatForm, out: set[str]) -> tuple[Group, ...]:
    """The defence factors, halved where a unit is out of supply [9.9]."""
    holders = known.defenders(ctx)
    if known.all_known(ctx, holders, "DF"):
        return _on_record(ctx.game, "DF", holders, [(OOS,) if u.id in out else () for u in holders])
    typed: tuple[tuple[tuple[int, ...], Causes], ...] = ((form.defence, ()), (form.defence_oos, (OOS,)))
    return tuple(Group(stacks, causes) for stacks, causes in typed if stacks)


def _on_record(game: Game, name: str, units: Sequence[Unit], causes: Sequence[Causes]) -> tuple[Group, ...]:
    parts = zip(units, causes, strict=True)
    return tuple(grouped((unit.place, factor(game, unit, name) or 0, why) for unit, why in parts))


def _tank_attack(ctx: Context, form: CombatForm) -> str:
    """Which attacking hexes hold tank brigades alone [12.25]."""
    force = known.attackers(ctx)
    if not force:
        return form.tank_attack
    hexes: dict[str, list[Unit]] = {}
    for unit in force:
        hexes.setdefault(unit.place, []).append(unit)
    if ctx.game["tank-hex"] == "stack":
        stacks = {place: ctx.game.units_at(place) for place in hexes}
        hexes = {p: [u for u in s if may_see_unit(ctx.game, u, ctx.seat)] for p, s in stacks.items()}
    all_tank = [place for place, units in hexes.items() if tanks_only(units)]
    if len(all_tank) == len(hexes):
        return "all" if len(hexes) == 1 else "every"
    return "hex" if all_tank else "no"


def doubts(game: Game, battle: Battle) -> list[Reason]:
    """What the rules do not allow about this battle; the players decide."""
    return [*_army_doubts(game, battle), *_attacker_doubts(game, battle), *_defender_doubts(game, battle)]


def _army_doubts(game: Game, battle: Battle) -> Iterator[Reason]:
    if len(battle.armies) > 1:
        yield Reason(f"armies may not attack together: {' + '.join(battle.armies)}", "12.24")
    elif any(restricted(game, army) for army in battle.armies):
        yield Reason(f"{battle.armies[0]} is restricted and may not attack", "6.2")


def _attacker_doubts(game: Game, battle: Battle) -> Iterator[Reason]:
    near = game.maps.neighbours(battle.target) if battle.target else ()
    for unit in battle.attackers:
        if near and unit.place not in near:
            yield Reason(f"{label(unit)} in {unit.place} is not next to {battle.target}", "12.1")
        if game.mark(unit.id, "attacked"):
            yield Reason(f"{label(unit)} has attacked in this phase", "12.4")
        if stuck := frozen(game, unit, "may not attack"):
            yield stuck
    if battle.unhalved:
        names = ", ".join(map(label, battle.unhalved))
        yield Reason(f"out of supply, so type these factors in the halved field: {names}", "9.9")


def _defender_doubts(game: Game, battle: Battle) -> Iterator[Reason]:
    marked = [battle.target] if game.mark(battle.target, "defended") and not battle.defenders else []
    # who fell back after an attack may be attacked again where he is now [12.23]
    marked += [label(u) for u in battle.defenders if game.mark(u.id, "defended") == battle.target]
    for name in marked:
        yield Reason(f"{name} was attacked in this phase", "12.4")
