"""Full support [9.3]: who checks for it, who cannot attack without it, who has it by rule; and the end of the turn."""

from __future__ import annotations

import re
from typing import Annotated

from companion.engine.forms.fields import UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.changes import put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles.base import AXIS, STAR, K, L, Objection, done, rules, scenario, tick
from companion.systems.kharkov_battles.reach import fully_supported_regiments
from companion.systems.kharkov_battles.units import is_german_regiment, is_hq, nation, supply_state


def must_check(game: Game) -> list[Unit]:
    """Operational German mechanized regiments, cadres too, not those supported by rule [9.3]."""
    return [
        u for u in on_map(game, AXIS)
        if is_german_regiment(game, u) and not supply_state(game, u) and not game.mark(u.id, "full-support")
    ]  # fmt: skip


def without_support(game: Game) -> list[str]:
    """The regiments that the positions on record leave without full support."""
    served = fully_supported_regiments(game)
    return [u.id for u in must_check(game) if u.id not in served]


@rules.action(
    phase="maintenance",
    by=AXIS,
    rule="9.3",
    label="Check full support",
    order=2,
    when=lambda game: bool(must_check(game)) or "no mechanized regiment on record has to check",
)
def check_support(
    game: Game,
    limited: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Regiments without full support",
            many=True,
            pick=lambda c: must_check(c.game),
            start=lambda c: without_support(c.game),
            help="filled in from HQs, ranges and the three-division limit; change what you serve otherwise",
        ),
    ] = (),
) -> Events:
    """Put Limited Support markers on regiments that no supported PanzerKorps reaches."""
    for unit in must_check(game):
        wanted = unit.id in limited
        if wanted != bool(game.mark(unit.id, "ls")):
            yield put_mark(game, unit.id, "ls", wanted or None, rule="9.3")
    yield tick(game, "support-check", "Full support checked")


@rules.due_in("maintenance")
def support_due(game: Game) -> list[str]:
    """Every mechanized regiment on record checks for full support [9.3]."""
    late = bool(must_check(game)) and not done(game, "support-check")
    return ["check full support [9.3]"] if late else []


def no_attack(game: Game, unit: Unit) -> Objection | None:
    """Why an Axis unit may not attack for want of support, or nothing [9.0, 9.4, 15.15]."""
    if unit.side != AXIS or game.mark(unit.id, "full-support"):
        return None
    if game.mark(unit.id, "ls"):
        return Objection("has Limited Support", rule="9.4")
    if is_german_regiment(game, unit) and supply_state(game, unit) and game["oos-regiments"] != "exempt":
        return Objection("is not Operational, so not fully supported", rule="9.3")
    return None


@rules.entering("maintenance")
def by_rule(game: Game) -> Events:
    """Support that a scenario gives: LAH and the DR Tigers on turn 1 [20.1]; 108 Light [20.2]; all HQs [20.3]."""
    for unit in on_map(game, AXIS):
        if scenario(game) == STAR and game.turn == 1 and _free_on_turn_1(unit):
            yield put_mark(game, unit.id, "full-support", True, reason="turn 1", rule="20.1")
        if scenario(game) == K and is_108_light(game, unit) and not supply_state(game, unit):
            yield put_mark(game, unit.id, "full-support", True, reason="Hungarian 108 Light", rule="20.2")
        if scenario(game) == L and is_hq(unit) and not game.mark(unit.id, "supported"):
            yield put_mark(game, unit.id, "supported", True, reason="whole scenario", rule="20.3")


def is_108_light(game: Game, unit: Unit) -> bool:
    """The Hungarian light division, however it is written: '108 Light', 'Hung. 108 Light', '108 Le' [20.2]."""
    foot = unit.kind in ("light", "infantry") and nation(game, unit) in ("hungarian", "german")
    numbers = re.findall(r"\d+", f"{unit.name} {unit.formation}")
    named = nation(game, unit) == "hungarian" or unit.kind == "light" or "hun" in unit.name.lower()
    return foot and named and "108" in numbers


def _free_on_turn_1(unit: Unit) -> bool:
    """LAH, and the Tiger company of Das Reich, by whichever of their names [20.1]."""
    text = f"{unit.formation} {unit.name}".upper()
    words = re.findall(r"[A-Z0-9]+", text)
    lah = "LAH" in text or "LEIBSTANDARTE" in text or "1SS" in words
    reich = "DR" in words or "DAS REICH" in text or "2SS" in words
    return lah or (unit.kind == "tiger company" and reich)


@rules.leaving("end")
def stand_down(game: Game) -> Events:
    """HQs turn back to unsupported, except where the scenario keeps them; one-turn points lapse [4.1]."""
    if scenario(game) != L:
        for hq in game.marked("supported"):
            yield put_mark(game, hq, "supported", None, reason="end of turn", rule="4.1 D")
    for track in ("ak-credit", "sp-free"):
        if game[track]:
            yield e.Set(track, 0, was=game[track], reason="end of turn", rule="9.21")
