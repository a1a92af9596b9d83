"""A battle: who fights whom, where, with what, put together from the form, the record and the map book."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from companion.engine.kit.roster import Unit
from companion.engine.play.fields import Context
from companion.engine.record.game import Game
from companion.engine.record.sight import may_see_unit
from companion.systems.second_kharkov import known
from companion.systems.second_kharkov.armies import frozen, frozen_words, hasty, restricted
from companion.systems.second_kharkov.base import GERMAN, SOVIET
from companion.systems.second_kharkov.judging import out_of_supply
from companion.systems.second_kharkov.odds import Cause, Group, grouped
from companion.systems.second_kharkov.units import army_of, factor, label, mechanised, tanks_only

OOS = Cause("out of supply", "9.9")
HASTE = Cause("freed early, as if out of supply", "13.4")
INTO = {"marsh": Cause("mechanised into marsh", "12.13"), "city": Cause("mechanised into a city", "12.16")}


@dataclass(frozen=True)
class Battle:
    """Everything the odds and the modifiers depend on."""

    attacker: str
    turn: int
    target: str
    terrain: str
    river: str
    attackers: tuple[Unit, ...]
    defenders: tuple[Unit, ...]
    army: str
    attack: tuple[Group, ...]
    defence: tuple[Group, ...]
    air: int
    tank_attack: str
    tank_defence: bool
    fight_move: bool
    supplied: frozenset[str] = frozenset()
    """12.22: attackers in supply as the battle begins."""
    unhalved: tuple[Unit, ...] = ()
    """Units out of supply whose factors were typed, so that nobody forgets to halve them."""

    @property
    def defender(self) -> str:
        return GERMAN if self.attacker == SOVIET else SOVIET

    @property
    def exploiters(self) -> list[str]:
        """12.22: German mechanised attackers in supply."""
        if self.attacker != GERMAN:
            return []
        return [u.id for u in self.attackers if mechanised(u) and u.id in self.supplied]


def assemble(ctx: Context, form: dict[str, Any]) -> Battle:
    """The battle a form describes; what the form leaves open comes from the record and the map."""
    here = replace(ctx, values={**ctx.values, **form})
    game, side = ctx.game, known.attacking_side(here)
    force, holders = known.attackers(here), known.defenders(here)
    army = army_of(force) or str(form.get("army") or "") if side == GERMAN else ""
    late = (HASTE,) if game is not None and hasty(game, army) else ()
    into = known.terrain(here)
    out = out_of_supply(game, [*force, *holders]) if game is not None else set()
    return Battle(
        attacker=side,
        turn=known.turn(here),
        target=known.target(here),
        terrain=into,
        river=str(form.get("river") or "") or known.mapped_river(here),
        attackers=tuple(force),
        defenders=tuple(holders),
        army=army,
        attack=_attack_groups(here, force, into, out, late),
        defence=_defence_groups(here, holders, out),
        air=_aircraft(here),
        tank_attack=_tank_attack(here, force) if side == SOVIET else "no",
        tank_defence=side == GERMAN and (tanks_only(holders) if holders else bool(form.get("tank_defence"))),
        fight_move=side == GERMAN and _fights_first(here),
        supplied=frozenset(u.id for u in force if u.id not in out and not late),
        unhalved=tuple(u for u in _typed(here, force, holders) if u.id in out),
    )


def _typed(ctx: Context, force: list[Unit], holders: list[Unit]) -> list[Unit]:
    """The units whose factors the record does not give."""
    by_hand = (
        units for units, name in ((force, "AF"), (holders, "DF")) if not known.all_known(ctx, units, name)
    )
    return [unit for units in by_hand for unit in units]


def _attack_groups(
    ctx: Context, force: list[Unit], into: str, out: set[str], late: tuple[Cause, ...]
) -> tuple[Group, ...]:
    if known.all_known(ctx, force, "AF") and ctx.game is not None:
        parts = []
        for unit in force:
            causes: tuple[Cause, ...] = (OOS,) if unit.id in out else ()
            causes += (INTO[into],) if into in INTO and mechanised(unit) else ()
            parts.append((unit.place, factor(ctx.game, unit, "AF") or 0, causes + late))
        return tuple(grouped(parts))
    slow = (INTO[into],) if into in INTO else ()
    typed = (("attack", ()), ("attack_oos", (OOS,)), ("attack_mech", slow), ("attack_both", (OOS, *slow)))
    return tuple(Group(ctx.values[name], causes + late) for name, causes in typed if ctx.values.get(name))


def _defence_groups(ctx: Context, holders: list[Unit], out: set[str]) -> tuple[Group, ...]:
    if known.all_known(ctx, holders, "DF") and ctx.game is not None:
        parts = [(u.place, factor(ctx.game, u, "DF") or 0, (OOS,) if u.id in out else ()) for u in holders]
        return tuple(grouped(parts))
    typed = (("defence", ()), ("defence_oos", (OOS,)))
    return tuple(Group(ctx.values[name], causes) for name, causes in typed if ctx.values.get(name))


def _aircraft(ctx: Context) -> int:
    declared = ctx.game.mark(known.target(ctx), "support") if ctx.game and known.target(ctx) else None
    return int(declared or ctx.values.get("air") or 0)


def _tank_attack(ctx: Context, force: list[Unit]) -> str:
    """12.25: 'no'; 'hex': one of several hexes is all tank; 'all', 'every': one or more, all tank."""
    if not force or ctx.game is None:
        return str(ctx.values.get("tank_attack") or "no")
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


def _fights_first(ctx: Context) -> bool:
    return ctx.game["german-order"] == "fight-move" if ctx.game else bool(ctx.values.get("fight_move"))


def doubts(game: Game, battle: Battle) -> list[str]:
    """What the rules do not allow about this battle; the players decide."""
    found = []
    if restricted(game, battle.army):
        found.append(f"{battle.army} is restricted and may not attack (6.2)")
    if "+" in battle.army:
        found.append(f"armies may not attack together: {battle.army} (12.24)")
    near = set(game.maps.neighbours(battle.target)) if battle.target else set()
    for unit in battle.attackers:
        if near and unit.place not in near:
            found.append(f"{label(unit)} in {unit.place} is not next to {battle.target} (12.1)")
        if game.mark(unit.id, "attacked"):
            found.append(f"{label(unit)} has attacked in this phase (12.4)")
        if frozen(game, unit):
            found.append(frozen_words(game, unit, "may not attack"))
    if battle.unhalved:
        names = ", ".join(map(label, battle.unhalved))
        found.append(f"out of supply, so type these factors in the halved field: {names} (9.9)")
    marked = [battle.target] if game.mark(battle.target, "defended") and not battle.defenders else []
    # 12.23: who fell back after an attack may be attacked again where he is now
    marked += [label(u) for u in battle.defenders if game.mark(u.id, "defended") == battle.target]
    found += [f"{name} was attacked in this phase (12.4)" for name in marked]
    return found
