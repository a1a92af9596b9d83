"""A fight: who attacks whom with what, put together from the form, the record and the map [9.2-9.5, B10.3, B11]."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from companion.engine.errors import NotNow, Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import (
    GERMAN,
    SOVIET,
    Fault,
    disrupted,
    factor,
    fought_now,
    has_attacked,
    is_ally,
    kind_of,
    named,
    out_of_supply,
    target_of,
    type_known,
)
from companion.systems.panzer_keil.ground import (
    MAJOR,
    RIVER,
    SEA,
    barrier,
    hindrances_known,
    surrounded,
    terrain,
)
from companion.systems.panzer_keil.odds import HINDRANCES, Armour, Attack, attack_strength, half_up

if TYPE_CHECKING:
    from companion.systems.panzer_keil.form import CombatForm


@dataclass(frozen=True)
class Fight:
    """Everything that the odds, the column and the follow-ups of an attack depend on."""

    side: str
    target: str
    attackers: tuple[Unit, ...]
    defenders: tuple[Unit, ...]
    attack: Attack
    concentric: bool
    strength: Fraction
    """The whole attack as modified."""
    strong: int
    weak: int
    """The defence of disrupted units, before it is halved."""
    ground: str
    """'clear', 'other', or nothing when nobody tells."""
    armour: Armour
    die: str
    """The side whose die column is used [B11.1]."""
    crossers: tuple[str, ...] = ()
    """Attackers over a major river, as far as they are named."""
    worths: Mapping[str, int] = field(default_factory=dict)
    """Each unit's own modified strength, for an exchange [9.6]."""
    halved: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    """Attackers that something halves: the strength before that, and the stack they are summed with [9.2.1]."""
    read: Mapping[str, int] = field(default_factory=dict)
    """Strengths typed off counters, to be kept on them."""

    @property
    def defence(self) -> int:
        """The whole defence as modified [9.2.5]."""
        return self.strong + half_up(self.weak)


# -- what the record tells ---------------------------------------------------------------------------------


def armoured(unit: Unit) -> bool:
    """Soviet mechanized infantry gains the armour effect too [9.4.5]."""
    return kind_of(unit) == "armour" or (unit.side == SOVIET and kind_of(unit) == "mechanized infantry")


def grenadier(unit: Unit) -> bool:
    """German mechanized infantry [B11.3]."""
    return unit.side == GERMAN and kind_of(unit) == "mechanized infantry" and not is_ally(unit)


def roll_column(units: Iterable[Unit]) -> str:
    """Soviets and allies alone roll in the Soviet column; one German lets all use the German one [9.5.2, B11.1]."""
    return GERMAN if any(u.side == GERMAN and not is_ally(u) for u in units) else SOVIET


def holders(game: Game, side: str, target: str) -> list[Unit]:
    """Everybody in the hex defends [9.1.2]."""
    return [u for u in game.units_at(target) if u.side != side] if target else []


def ground_of(game: Game, target: str) -> str:
    word = terrain(game, target) if target else ""
    return "" if not word else "clear" if word == "clear" else "other"


def unread(game: Game, units: Iterable[Unit], name: str) -> list[Unit]:
    """Those whose strength is not on record."""
    return [u for u in units if factor(game, u, name) is None]


# -- putting it together -----------------------------------------------------------------------------------


def assemble(game: Game, form: CombatForm) -> Fight:
    """The fight a form describes; what the form leaves open comes from the record and the map."""
    target = form.elsewhere or form.target
    attackers = tuple(game.units[u] for u in form.attackers)
    side = form.side or (attackers[0].side if attackers else game.active) or GERMAN
    defenders = tuple(holders(game, side, target))
    thrust = _strengths(game, form, attackers, "AF", form.full, "full")
    guard = _strengths(game, form, defenders, "DF", form.defence, "defence")
    causes = {u.id: _cause(game, form, u, target) for u in attackers}
    attack = _stacked(attackers, thrust, causes) if attackers else _typed(form)
    weak = [u for u in defenders if disrupted(game, u.id)]
    strong_sum = sum(guard[u.id] for u in defenders if u not in weak) if defenders else sum(form.defence)
    weak_sum = sum(guard[u.id] for u in weak) if defenders else form.weak or 0
    concentric = _concentric(game, form, side, target, attackers)
    ground = form.ground or ground_of(game, target)
    found = Fight(
        side=side,
        target=target,
        attackers=attackers,
        defenders=defenders,
        attack=attack,
        concentric=concentric,
        strength=attack_strength(attack, game["oos-halving"]) * (2 if concentric else 1),
        strong=strong_sum,
        weak=weak_sum,
        ground=ground,
        armour=_armour(form, side, ground, attackers, defenders, causes, attack),
        die=form.roll
        or (SOVIET if "allies" in form.halved else roll_column(attackers) if attackers else side),
        crossers=tuple(u for u, cause in causes.items() if cause == "major"),
        worths=_worths(thrust, guard, causes, weak, concentric),
        halved={
            u.id: (thrust[u.id], f"{u.place} {causes[u.id]}") for u in attackers if causes[u.id] != "full"
        },
        read=_typed_anew(game, thrust, "AF") | _typed_anew(game, guard, "DF"),
    )
    if not found.defence:
        raise Unreadable("the defence strength is missing", field="defence", rule="9.2")
    return found


def _typed_anew(game: Game, strengths: Mapping[str, int], name: str) -> dict[str, int]:
    """What is not what the record has of these counters."""
    return {u: n for u, n in strengths.items() if n != factor(game, game.units[u], name)}


def _strengths(
    game: Game, form: CombatForm, units: Sequence[Unit], name: str, typed: Sequence[int], where: str
) -> dict[str, int]:
    """Each unit's strength: its counter's, else typed, one number for each unit that lacks it [9.2]."""
    wanted = list(units) if len(typed) == len(units) else unread(game, units, name)
    if units and len(typed) != len(wanted):
        who = named(game, [u.id for u in wanted])
        words = (
            f"the strength of {who} is not on record: enter it" if not typed else f"one number each for {who}"
        )
        raise Unreadable(
            words if who else "every strength is on record", field=where, given=len(typed), accepted="3 5"
        )
    by_hand = dict(zip([u.id for u in wanted], typed, strict=False))
    return {u.id: by_hand.get(u.id, factor(game, u, name) or 0) for u in units}


def _cause(game: Game, form: CombatForm, unit: Unit, target: str) -> str:
    """What hinders an attacker, the ground before supply, for nothing is halved twice [9.2.1-9.2.4]."""
    said = {"river": form.by_river, "major": form.over, "marsh": form.by_marsh}
    ground = ""
    if form.typed or not hindrances_known(game):
        told = (n for n, who in said.items() if n in form.halved and unit.id in _who(form, n, who))
        ground = next(told, "")
    if not ground and not form.typed and target:
        between = barrier(game, unit.place, target)
        here = "marsh" if terrain(game, unit.place) == "marsh" else ""
        ground = {MAJOR: "major", RIVER: "river"}.get(between, here)
    return ground or ("oos" if out_of_supply(game, unit.id) else "full")


def _who(form: CombatForm, name: str, units: Sequence[str]) -> Sequence[str]:
    """Those whom a ticked reason halves; of several attackers they must be named [9.2.1, 9.2.2, B10.3.1]."""
    if units or len(form.attackers) == 1:
        return units or form.attackers
    where, rule = {
        "river": ("by_river", "9.2.1"),
        "major": ("over", "B10.3.1"),
        "marsh": ("by_marsh", "9.2.2"),
    }[name]
    raise Unreadable("say which of the attackers", field=where, rule=rule)


def _stacked(attackers: Sequence[Unit], thrust: Mapping[str, int], causes: Mapping[str, str]) -> Attack:
    """Strengths summed hex by hex under what hinders them [9.2.1]."""
    groups: dict[str, dict[str, int]] = {name: {} for name in ("full", "river", "major", "marsh", "oos")}
    for unit in attackers:
        hexes = groups[causes[unit.id]]
        hexes[unit.place] = hexes.get(unit.place, 0) + thrust[unit.id]
    return Attack(**{name: tuple(sums.values()) for name, sums in groups.items()})


def _typed(form: CombatForm) -> Attack:
    typed = Attack(form.full, form.river, form.major, form.marsh, form.oos)
    if not typed.given:
        raise Unreadable("the attack strength is missing", field="full", accepted="3+2 5", rule="9.2")
    return typed


def _worths(
    thrust: Mapping[str, int],
    guard: Mapping[str, int],
    causes: Mapping[str, str],
    weak: Sequence[Unit],
    concentric: bool,
) -> dict[str, int]:
    """What each unit is worth in an exchange, as halved and doubled [9.6]."""
    halved = {u.id for u in weak}
    attack = {u: (n if causes[u] == "full" else n // 2) * (2 if concentric else 1) for u, n in thrust.items()}
    return attack | {u: half_up(n) if u in halved else n for u, n in guard.items()}


def _concentric(game: Game, form: CombatForm, side: str, target: str, attackers: Sequence[Unit]) -> bool:
    said = form.concentric or ("yes" if "concentric" in form.halved else "")
    if said == "yes" and side != GERMAN:
        raise NotNow(
            "only German attackers attack concentrically",
            field="concentric",
            given=form.concentric,
            rule="B11.2",
        )
    if side != GERMAN or said:
        return said == "yes"
    return bool(target and attackers) and not form.typed and surrounded(game, target)


def _armour(
    form: CombatForm,
    side: str,
    ground: str,
    attackers: Sequence[Unit],
    defenders: Sequence[Unit],
    causes: Mapping[str, str],
    attack: Attack,
) -> Armour:
    """Who has armour and panzergrenadiers, as said or as the counters tell [9.4, B11.3]."""
    panzers = [u for u in attackers if armoured(u)]
    free = any(causes[u.id] in ("full", "oos") for u in panzers)
    told = "free" if free else "hindered" if panzers else "none"
    return Armour(
        clear=(ground or "clear") == "clear",
        attacker=form.armour or told,
        defender=form.enemy_armour == "yes" or (not form.enemy_armour and any(map(armoured, defenders))),
        german="attacker" if side == GERMAN else "defender",
        grenadiers=form.grenadiers == "yes"
        or (not form.grenadiers and any(map(grenadier, (*attackers, *defenders)))),
        hindered_attack=attack.hindered,
    )


# -- what speaks against it --------------------------------------------------------------------------------


def faults(game: Game, fight: Fight) -> list[Fault]:
    """What the rules do not allow about this attack; the players decide [9.1.5-9.1.7, 9.2]."""
    found = []
    for unit in fight.attackers:
        name = unit.name or unit.id
        if disrupted(game, unit.id):
            found.append(Fault(f"{name} is disrupted and cannot attack", "9.1.7"))
        if has_attacked(game, unit.id):
            found.append(Fault(f"{name} has attacked in this phase", "9.1.6"))
        if fight.target and barrier(game, unit.place, fight.target) == SEA:
            found.append(Fault(f"{name} would attack over sea or lake", "9.1.7"))
    if fight.target and any(target_of(b) == fight.target for b in fought_now(game)):
        found.append(Fault(f"{fight.target} was attacked in this phase already", "9.1.5"))
    if fight.strength <= 0 and game["zero-attack"] == "forbid":
        found.append(Fault("an attack strength of 0 cannot attack", "9.2"))
    return found


def unsaid(fight: Fight, form: CombatForm) -> list[Fault]:
    """Ticks that change nothing because the strength they are about is not entered [9.2.1-9.2.3, 9.2.5]."""
    found = []
    if not fight.attackers:
        empty = [c for c in HINDRANCES if c.id in form.halved and not getattr(form, c.id)]
        found += [
            Fault(f"{c.words} is ticked, and no strength for it: nothing is halved", c.rule) for c in empty
        ]
    if not fight.defenders and "disrupted" in form.halved and not form.weak:
        found.append(Fault("against disrupted units is ticked, and no defence of theirs is entered", "9.2.5"))
    return found


def doubts(game: Game, fight: Fight, form: CombatForm) -> list[str]:
    """What nobody has told, and how it was taken."""
    found = []
    if not fight.ground:
        found.append("the defender's terrain is not entered: taken as clear")
    if fight.target and fight.attackers and not form.halved and not hindrances_known(game):
        found.append("no river or marsh is in the map book: none was looked for")
    known = ((fight.attackers, form.armour), (fight.defenders, form.enemy_armour))
    blank = [u.id for units, said in known if not said for u in units if not type_known(u)]
    if blank and fight.armour.clear:
        found.append(f"the type is not on record, no armour counted: {named(game, blank)}")
    told = form.roll or "allies" in form.halved
    if fight.side == GERMAN and not told and any(not u.klass for u in fight.attackers):
        found.append("an attacker's nation is not on record: taken as German [B11.1]")
    return found
