"""A battle: who attacks whom with what, put together from the form and the record [9.2-9.5, B10.3, B11]."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from companion.engine.errors import NotNow, Unreadable
from companion.engine.record.game import Game
from companion.systems.panzer_keil.base import GERMAN
from companion.systems.panzer_keil.fight import Fight, read_fight
from companion.systems.panzer_keil.form import CombatForm
from companion.systems.panzer_keil.ground import board
from companion.systems.panzer_keil.odds import Armour, Attack, attack_strength, half_up


@dataclass(frozen=True)
class Battle:
    """Everything that the odds, the column and the follow-ups of an attack depend on."""

    side: str
    target: str
    attackers: tuple[str, ...]
    defenders: tuple[str, ...]
    attack: Attack
    typed: bool
    """The attack strengths were typed."""
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
    crossers: tuple[str, ...]
    """Attackers over a major river, as far as they are named."""
    worths: Mapping[str, int]
    """Each unit's own modified strength, for an exchange [9.6]."""

    @property
    def defence(self) -> int:
        """The whole defence as modified [9.2.5]."""
        return self.strong + half_up(self.weak)


def assemble(game: Game, form: CombatForm) -> Battle:
    """The battle a form describes; what the form leaves open comes from the record and the map."""
    target = form.elsewhere or form.target
    known = read_fight(game, form.attackers, target)
    if form.typed:
        known = replace(known, attack=Attack(), defence=None, weak=None, concentric=False)
    side = form.side or (game.units[form.attackers[0]].side if form.attackers else game.active) or GERMAN
    typed = Attack(form.full, form.river, form.major, form.marsh, form.oos)
    attack = _attack(known, typed)
    strong, weak = _defence(known, form)
    concentric = _concentric(known, form, side)
    battle = Battle(
        side=side,
        target=target,
        attackers=form.attackers,
        defenders=tuple(known.defenders),
        attack=attack,
        typed=typed.given,
        concentric=concentric,
        strength=attack_strength(attack, game["oos-halving"]) * (2 if concentric else 1),
        strong=strong,
        weak=weak,
        ground=form.ground or known.ground,
        armour=_armour(known, form, side, attack),
        die=form.roll or known.roll or side,
        crossers=(),
        worths={},
    )
    if not battle.defence:
        raise Unreadable("the defence strength is missing", field="defence", rule="9.2")
    if battle.strength <= 0 and game["zero-attack"] == "forbid":
        raise NotNow("an attack strength of 0 cannot attack", field="full", given=0, rule="9.2")
    return replace(battle, crossers=_crossers(known, form, typed), worths=_worths(known, form, battle))


def _attack(known: Fight, typed: Attack) -> Attack:
    if typed.given:
        return typed
    if known.no_attack or not known.attack.given:
        who = f" of {', '.join(known.no_attack)}" if known.no_attack else ""
        raise Unreadable(
            f"the attack strength{who} is not on record: enter it", field="full", accepted="3+2 5"
        )
    return known.attack


def _defence(known: Fight, form: CombatForm) -> tuple[int, int]:
    """Undisrupted and disrupted units' strength: typed, or all of it off the record."""
    if form.defence is not None or form.weak is not None:
        return form.defence or 0, form.weak or 0
    if known.defence is None:
        who = f" of {', '.join(known.no_defence)}" if known.no_defence else ""
        raise Unreadable(f"the defence strength{who} is not on record: enter it", field="defence")
    return known.defence, known.weak or 0


def _concentric(known: Fight, form: CombatForm, side: str) -> bool:
    if form.concentric == "yes" and side != GERMAN:
        raise NotNow(
            "only German attackers attack concentrically",
            field="concentric",
            given=form.concentric,
            rule="B11.2",
        )
    return side == GERMAN and (form.concentric == "yes" or (not form.concentric and known.concentric))


def _armour(known: Fight, form: CombatForm, side: str, attack: Attack) -> Armour:
    """Who has armour and panzergrenadiers, as said or as the counters tell [9.4, B11.3]."""
    return Armour(
        clear=(form.ground or known.ground or "clear") == "clear",
        attacker=form.armour or known.armour or "none",
        defender=form.enemy_armour == "yes" or (not form.enemy_armour and known.enemy_armour),
        german="attacker" if side == GERMAN else "defender",
        grenadiers=form.grenadiers == "yes" or (not form.grenadiers and known.grenadiers),
        hindered_attack=attack.hindered,
    )


def _crossers(known: Fight, form: CombatForm, typed: Attack) -> tuple[str, ...]:
    """Who attacks over a major river: as the map tells, or as the typed strengths do [B10.3.1]."""
    if not typed.given:
        return tuple(known.crossers)
    if not typed.major:
        return ()
    if typed.all_major:
        return form.attackers
    if len(form.attackers) > 1 and not form.over and not known.crossers:
        raise Unreadable(
            "say who attacks over the major river: he suffers more", field="over", rule="B10.3.1"
        )
    return form.over or tuple(known.crossers)


def _worths(known: Fight, form: CombatForm, battle: Battle) -> dict[str, int]:
    doubled = battle.attackers if battle.concentric else ()
    found = {u: v * 2 if u in doubled else v for u, v in known.values.items()}
    if battle.typed:
        found = _shared(found, battle.attackers, int(battle.strength))
    if form.defence is not None or form.weak is not None:
        found = _shared(found, battle.defenders, battle.defence)
    return found


def _shared(values: Mapping[str, int], units: Sequence[str], total: int) -> dict[str, int]:
    """The units' worth where strengths were typed: unknown one by one, a single unit has it all."""
    rest = {u: v for u, v in values.items() if u not in units}
    return {**rest, units[0]: total} if len(units) == 1 else rest


def doubts(game: Game, battle: Battle) -> list[str]:
    """What the players should look at again."""
    found = []
    if battle.target and game.mark(battle.target, "fought"):
        found.append(f"{battle.target} was attacked in this phase already [9.1.5]")
    if not battle.ground:
        found.append("the defender's terrain is not entered: taken as clear")
    if battle.target and battle.attackers and board(game).blank and not battle.typed:
        found.append("the map book is empty: rivers and marsh were not looked at")
    return found
