"""Who fights whom, where and with what: a battle put together from the form, the record and the map book."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from companion.engine.fields import Context
from companion.engine.game import Game
from companion.engine.roster import Unit
from companion.engine.view import may_see_unit
from companion.systems.second_kharkov import ground
from companion.systems.second_kharkov.armies import frozen, hasty, restricted
from companion.systems.second_kharkov.base import FIGHT, GERMAN, SOVIET
from companion.systems.second_kharkov.judging import out_of_supply
from companion.systems.second_kharkov.odds import Cause, Group, grouped
from companion.systems.second_kharkov.units import army_of, factor, label, mechanised, tanks_only

OOS = Cause("out of supply", "9.9")
HASTE = Cause("freed early, as if out of supply", "13.4")
INTO = {"marsh": Cause("mechanised into marsh", "12.13"), "city": Cause("mechanised into a city", "12.16")}


# -- what a form's context tells, before and after everything is filled in -------------------------


def attacking_side(ctx: Context) -> str:
    """The side whose combat phase it is; in other phases, and without a table, the one chosen."""
    game = ctx.game
    if game is not None and game.phase in FIGHT.values():
        return game.active
    chosen = ctx.values.get("attacker") or (game.active if game else "")
    return str(chosen or SOVIET)


def defending_side(ctx: Context) -> str:
    return GERMAN if attacking_side(ctx) == SOVIET else SOVIET


def turn(ctx: Context) -> int:
    return ctx.game.turn if ctx.game else int(ctx.values.get("turn") or 3)


def target(ctx: Context) -> str:
    """The hex attacked: as typed, else the one declared."""
    typed = str(ctx.values.get("target") or "")
    declared = list(ctx.game.marked("target")) if ctx.game else []
    return typed or (declared[0] if len(declared) == 1 else "")


def opened(ctx: Context) -> bool:
    """7.6, 12.17: whether an attack was declared and aircraft settled, so that both stacks lie open."""
    return ctx.game is not None and ctx.game.mark(target(ctx), "target") == "open"


def attackers(ctx: Context) -> list[Unit]:
    """The attackers on record: those picked, else those named when the attack was declared."""
    game = ctx.game
    if game is None:
        return []
    picked = ctx.values.get("attackers") or ()
    if picked:
        return [game.units[name] for name in picked]
    if not target(ctx) or not (opened(ctx) or ctx.seat == attacking_side(ctx)):
        return []
    return [game.units[name] for name, hex_id in game.marked("attacking").items() if hex_id == target(ctx)]


def defenders(ctx: Context) -> list[Unit]:
    """12.2: all units on record in the target hex, as far as this seat may look at them now (7.6)."""
    game, hex_id = ctx.game, target(ctx)
    if game is None or not hex_id:
        return []
    there = [u for u in game.units_at(hex_id) if u.side == defending_side(ctx)]
    return there if opened(ctx) or all(may_see_unit(game, u, ctx.seat) for u in there) else []


def all_known(ctx: Context, units: Sequence[Unit], name: str) -> bool:
    """Whether the record gives this factor of every unit, so that nobody has to type it."""
    game = ctx.game
    return game is not None and bool(units) and all(factor(game, u, name) is not None for u in units)


def terrain(ctx: Context) -> str:
    return str(ctx.values.get("terrain") or "") or mapped_terrain(ctx) or "clear"


def mapped_terrain(ctx: Context) -> str:
    return ground.terrain(ctx.game, target(ctx)) if ctx.game and target(ctx) else ""


def mapped_river(ctx: Context) -> str:
    """12.14: what every attacker on record crosses, or 'none' when one of them crosses nothing."""
    game, hex_id = ctx.game, target(ctx)
    places = {u.place for u in attackers(ctx)}
    if game is None or not hex_id or not places:
        return "none"
    crossed = {ground.river(game, place, hex_id) for place in places}
    if "" in crossed:
        return "none"
    return "minor" if crossed == {ground.MINOR} else "major"  # for combat a crossing is a major river


# -- the battle itself -----------------------------------------------------------------------------


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
    game, side = ctx.game, attacking_side(here)
    force, holders = attackers(here), defenders(here)
    army = army_of(force) or str(form.get("army") or "") if side == GERMAN else ""
    late = (HASTE,) if game is not None and hasty(game, army) else ()
    into = terrain(here)
    out = out_of_supply(game, [*force, *holders]) if game is not None else set()
    return Battle(
        attacker=side,
        turn=turn(here),
        target=target(here),
        terrain=into,
        river=str(form.get("river") or "") or mapped_river(here),
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
    )


def _attack_groups(
    ctx: Context, force: list[Unit], into: str, out: set[str], late: tuple[Cause, ...]
) -> tuple[Group, ...]:
    if all_known(ctx, force, "AF") and ctx.game is not None:
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
    if all_known(ctx, holders, "DF") and ctx.game is not None:
        parts = [(u.place, factor(ctx.game, u, "DF") or 0, (OOS,) if u.id in out else ()) for u in holders]
        return tuple(grouped(parts))
    typed = (("defence", ()), ("defence_oos", (OOS,)))
    return tuple(Group(ctx.values[name], causes) for name, causes in typed if ctx.values.get(name))


def _aircraft(ctx: Context) -> int:
    declared = ctx.game.mark(target(ctx), "support") if ctx.game and target(ctx) else None
    return int(declared or ctx.values.get("air") or 0)


def _tank_attack(ctx: Context, force: list[Unit]) -> str:
    """12.25: 'no'; 'hex': one of several hexes is all tank; 'all', 'every': one or more, all tank."""
    if not force or ctx.game is None:
        return str(ctx.values.get("tank_attack") or "no")
    hexes: dict[str, list[Unit]] = {}
    for unit in force:
        hexes.setdefault(unit.place, []).append(unit)
    if ctx.game["tank-hex"] == "stack":
        hexes = {place: ctx.game.units_at(place) for place in hexes}
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
            found.append(f"{label(unit)} set up south of the boundary and may not attack on turn 1 (5.5)")
    marked = [battle.target] if game.mark(battle.target, "defended") and not battle.defenders else []
    marked += [label(u) for u in battle.defenders if game.mark(u.id, "defended")]
    found += [f"{name} was attacked in this phase (12.4)" for name in marked]
    return found
