"""A fight: who against whom, where, with what, put together from the form, the record and the map book."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from companion.engine.forms.fields import Context
from companion.engine.kit.roster import Unit
from companion.engine.positions import pieces
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
class Fight:
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
    typed: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """AF or DF -> factors told at the battle, by unit."""
    open: tuple[Reason, ...] = ()
    """What is not known yet: there are no odds before it is."""
    closed: bool = False
    """Whether a stack on record waits to be opened [7.6]: odds before that are a guess."""

    @property
    def exploiters(self) -> list[str]:
        """German mechanised attackers in supply [12.22]."""
        if self.attacker != GERMAN:
            return []
        return [u.id for u in self.attackers if mechanised(u) and u.id in self.supplied]


def assemble(ctx: Context, form: CombatForm) -> Fight:
    """The battle a form describes; what the form leaves open comes from the record and the map."""
    here = replace(ctx, values={**ctx.values, **vars(form)})
    side = known.attacking_side(here)
    closed = known.is_closed(here)
    force, holders = known.attackers(here), [] if closed else known.holders(here)
    armies = (armies_of(force) or (form.army,)) if side == GERMAN else ()
    late = _in_haste(here, force, armies)
    out = _out_of_supply(here, [*force, *holders])
    typed = {"AF": _told(here, force, "AF", form.attack), "DF": _told(here, holders, "DF", form.defence)}
    return Fight(
        attacker=side,
        defender=known.defending_side(here),
        turn=known.turn(here),
        target=known.target(here),
        terrain=known.terrain(here),
        river=known.river(here),
        attackers=tuple(force),
        defenders=tuple(holders),
        armies=armies,
        attack=_attack_groups(here, form, force, typed["AF"], out, late),
        defence=_defence_groups(here, form, holders, typed["DF"], out),
        air=int(form.air),
        tank_attack=_tank_attack(here, form, force) if side == SOVIET else "no",
        tank_defence=side == GERMAN and (tanks_only(holders) if holders else form.tank_defence),
        fight_move=known.fights_first(here),
        supplied=frozenset(u.id for u in force if u.id not in out | late),
        typed=typed,
        open=tuple(_not_known(here, form, force, holders, typed)),
        closed=closed,
    )


def as_it_stands(ctx: Context) -> dict[str, list[str]]:
    """Who is out of supply or in haste now: what a battle that is rolled for in a later phase must know [9.1, 13.4]."""
    force, holders = known.attackers(ctx), known.holders(ctx)
    late = _in_haste(ctx, force, armies_of(force) or (str(ctx.values.get("army") or ""),))
    return {"out": sorted(out_of_supply(ctx.game, [*force, *holders])), "late": sorted(late)}


def _out_of_supply(ctx: Context, units: Sequence[Unit]) -> set[str]:
    """Judged as the battle begins [9.1]: of one carried into a later phase, as its own phase ended."""
    kept = ctx.battle.facts.get("out") if ctx.battle else None
    return out_of_supply(ctx.game, units) if kept is None else set(kept)


def _in_haste(ctx: Context, force: Sequence[Unit], armies: Sequence[str]) -> set[str]:
    kept = ctx.battle.facts.get("late") if ctx.battle else None
    if kept is not None:
        return set(kept)
    return {u.id for u in force if hasty(ctx.game, u.formation or "".join(armies[:1]))}


def _told(ctx: Context, units: Sequence[Unit], name: str, given: Sequence[int]) -> dict[str, int]:
    """The factors typed at this battle, one for each unit whose counter nobody had copied."""
    blank = known.blank(ctx, units, name)
    return dict(zip((u.id for u in blank), given, strict=False))


def _not_known(
    ctx: Context,
    form: CombatForm,
    force: Sequence[Unit],
    holders: Sequence[Unit],
    typed: Mapping[str, Mapping[str, int]],
) -> Iterator[Reason]:
    """What stands between this battle and its odds; nobody takes it for nought in silence."""
    if not holders and not (form.defence or form.defence_oos) and known.is_closed(ctx):
        yield Reason(f"the stack in {known.target(ctx)} is opened once the attack stands", "7.6")
    for units, name, word in ((force, "AF", "attack"), (holders, "DF", "defence")):
        missing = [u for u in known.blank(ctx, units, name) if u.id not in typed[name]]
        if missing:
            untried = any(u.untried for u in missing)
            words = f"{word} factor of {', '.join(map(label, missing))}"
            yield Reason(f"{words}, once turned over" if untried else words, "2.14" if untried else "2.11")


def _attack_groups(
    ctx: Context,
    form: CombatForm,
    force: Sequence[Unit],
    typed: Mapping[str, int],
    out: set[str],
    late: set[str],
) -> tuple[Group, ...]:
    """The attack factors by what halves them: supply [9.9], the ground [12.13, 12.16], haste [13.4]."""
    into = known.terrain(ctx)
    slow: Causes = (INTO[into],) if into in INTO else ()
    if force:
        causes = [
            (
                *((OOS,) if u.id in out else ()),
                *(slow if mechanised(u) else ()),
                *((HASTE,) if u.id in late else ()),
            )
            for u in force
        ]
        return _on_record(ctx.game, "AF", force, typed, causes)
    by_hand: tuple[tuple[tuple[int, ...], Causes], ...] = (
        (form.attack, ()),
        (form.attack_oos, (OOS,)),
        (form.attack_mech, slow),
        (form.attack_both, (OOS, *slow)),
    )
    haste: Causes = (HASTE,) if known.attacking_side(ctx) == GERMAN and hasty(ctx.game, form.army) else ()
    return tuple(Group(stacks, causes + haste) for stacks, causes in by_hand if stacks)


def _defence_groups(
    ctx: Context, form: CombatForm, holders: Sequence[Unit], typed: Mapping[str, int], out: set[str]
) -> tuple[Group, ...]:
    """The defence factors, halved where a unit is out of supply [9.9]."""
    if holders:
        return _on_record(ctx.game, "DF", holders, typed, [(OOS,) if u.id in out else () for u in holders])
    by_hand: tuple[tuple[tuple[int, ...], Causes], ...] = ((form.defence, ()), (form.defence_oos, (OOS,)))
    return tuple(Group(stacks, causes) for stacks, causes in by_hand if stacks)


def _on_record(
    game: Game, name: str, units: Sequence[Unit], typed: Mapping[str, int], causes: Sequence[Causes]
) -> tuple[Group, ...]:
    parts = ((u, typed.get(u.id, factor(game, u, name)), why) for u, why in zip(units, causes, strict=True))
    return tuple(grouped((u.place, value, why) for u, value, why in parts if value is not None))


def _tank_attack(ctx: Context, form: CombatForm, force: Sequence[Unit]) -> str:
    """Which attacking hexes hold tank brigades alone [12.25]."""
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


def doubts(game: Game, fight: Fight) -> list[Reason]:
    """What the rules do not allow about this battle; the players decide."""
    return [*_army_doubts(game, fight), *_attacker_doubts(game, fight), *_defender_doubts(game, fight)]


def _army_doubts(game: Game, fight: Fight) -> Iterator[Reason]:
    if len(fight.armies) > 1:
        yield Reason(f"armies may not attack together: {' + '.join(fight.armies)}", "12.24")
    for army in fight.armies:
        if restricted(game, army):
            yield Reason(f"{army} is restricted and may not attack", "6.2")


def _attacker_doubts(game: Game, fight: Fight) -> Iterator[Reason]:
    near = game.maps.neighbours(fight.target) if fight.target else ()
    for unit in fight.attackers:
        if near and unit.place not in near:
            yield Reason(f"{label(unit)} in {unit.place} is not next to {fight.target}", "12.1")
        if game.mark(unit.id, "attacked"):
            yield Reason(f"{label(unit)} has attacked in this phase", "12.4")
        if stuck := frozen(game, unit, "may not attack"):
            yield stuck


def _defender_doubts(game: Game, fight: Fight) -> Iterator[Reason]:
    """Who fell back after an attack may be attacked again where he is now [12.23]."""
    there = [u for u in game.units_at(fight.target) if u.side == fight.defender] if fight.target else []
    marked = [u for u in there if game.mark(u.id, "defended") == fight.target]
    if fight.closed and marked:  # what lies under the top unit has no name [7.6]
        yield Reason(f"units in {fight.target} were attacked in this phase", "12.4")
    elif not there and game.mark(fight.target, "defended"):
        yield Reason(f"{fight.target} was attacked in this phase", "12.4")
    else:
        yield from (Reason(f"{label(u)} was attacked in this phase", "12.4") for u in marked)
    if not there and fight.target and pieces.on_map(game, fight.defender):
        yield Reason(f"no {game.side_name(fight.defender)} unit is on record in {fight.target}", "12.1")


def not_named(game: Game, fight: Fight) -> Iterator[Reason]:
    """Typed totals say nothing of who is out of supply, mechanised, or has attacked."""
    near = game.maps.neighbours(fight.target) if fight.target else ()
    if not fight.attackers and any(u.place in near for u in pieces.on_map(game, fight.attacker)):
        words = f"units next to {fight.target} are on record and none is named: halve and mark by hand"
        yield Reason(words, "9.9, 12.4")
