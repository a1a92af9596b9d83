"""Designating attacks [12.1, 12.2]: who may attack what, and which enemies must be attacked besides."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.forms.fields import Context, HexId, UnitRef
from companion.engine.forms.panels import Fact, Panel
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import engage, learn, owe, standing
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import ground, reach
from companion.systems.kharkov_battles.base import AXIS, COMBAT_PHASES, SOVIET, K, Objection, rules, scenario
from companion.systems.kharkov_battles.battles import (
    BEGIN,
    PREPARED,
    attack_of,
    attacked,
    designated,
    of_phase,
    origins,
    was_attacked,
)
from companion.systems.kharkov_battles.command import out_of_command, wake
from companion.systems.kharkov_battles.deeds import names
from companion.systems.kharkov_battles.full_support import no_attack
from companion.systems.kharkov_battles.strength import weight
from companion.systems.kharkov_battles.units import (
    STATIC,
    icon,
    is_hq,
    is_mech,
    is_silhouette,
    label,
    on_the_map,
)
from companion.systems.kharkov_battles.works import stop_building

BUSY = {
    "uncommitted": Objection("is uncommitted", rule="13.11"),
    "repl": Objection("is taking replacements", rule="16.22"),
}
"""What a marker has against an attack by its unit."""


# -- what the rules have against an attack -----------------------------------------------------------------


def problem(game: Game, unit: Unit, hexes: list[str]) -> Objection | None:
    """Why a unit cannot make this attack, or nothing."""
    if unit.kind in STATIC:
        return Objection("never attacks", rule="20.1, 27.4")
    for marker, why in BUSY.items():
        if game.mark(unit.id, marker):
            return why
    for h in hexes:
        why_not = _side_problem(game, unit, h)
        if why_not:
            return why_not
    fights = attack_of(game, unit)
    if fights is not None:
        return Objection(f"attacks {' and '.join(fights.hexes)} in this phase", rule="12.0")
    return out_of_command(game, unit) or no_attack(game, unit) or _stack_problem(game, unit)


def _side_problem(game: Game, unit: Unit, hex_id: str) -> Objection | None:
    """What lies between a unit and the hex it would attack."""
    if hex_id not in ground.grid_at(game, unit.place).neighbours(unit.place):
        return Objection(f"is not adjacent to {hex_id}", rule="12.21")
    if ground.river(game, unit.place, hex_id) == "barred":
        return Objection(f"cannot attack over the hexside to {hex_id}", rule="12.35, 12.36")
    marsh = ground.terrain(game, hex_id) == "marsh" and is_mech(unit) and is_silhouette(game, unit)
    if marsh and _marsh_holds(game) and not ground.links(game, unit.place, hex_id) & {"road", "rail"}:
        words = f"is a silhouette unit and no road or railway leads into the marsh of {hex_id}"
        return Objection(words, rule="12.33")
    return None


def _marsh_holds(game: Game) -> bool:
    """In Freeze only the owner's chart can say that marsh still bars silhouettes."""
    return game["weather"] != "freeze" or game.chart("freeze").cell("marsh", "in Freeze").value == "normal"


def _stack_problem(game: Game, unit: Unit) -> Objection | None:
    """An unsupported mechanized unit in the hex bars it [9.41]."""
    if unit.side != AXIS:
        return None
    for friend in game.units_at(unit.place):
        if friend.id == unit.id or not is_mech(friend):
            continue
        if no_attack(game, friend) or reach.supported_now(game, friend) is False:
            return Objection(f"shares its hex with {label(friend)}, which lacks full support", rule="9.41")
    if reach.supported_now(game, unit) is False and not is_hq(unit):
        return Objection("has no full support", rule="9.3")
    return None


def against(game: Game, hexes: list[str], force: list[Unit]) -> Iterator[Objection]:
    """Everything that the rules have against an attack as it is designated."""
    battle = designated(game, hexes[0])
    whole = [*standing(game, battle, battle.attacker), *force] if battle else force
    every = list(dict.fromkeys([*(battle.hexes if battle else ()), *hexes]))
    if any(b.facts.get("begun") for b in of_phase(game)):
        yield Objection("all attacks are designated before any is resolved", rule="12.0")
    for h in every:
        if attacked(game, h) and (battle is None or h not in battle.hexes):
            yield Objection(f"{h} is attacked already in this phase", rule="12.0")
        yield from _hex_problems(game, h, battle)
    for unit in whole:
        why = problem(game, unit, every) if unit in force else _side_problems(game, unit, every)
        if why:
            yield Objection(f"{label(unit)} {why.words}", rule=why.rule)
    colours = _colours(game, whole)
    if len(colours) > 1:
        yield Objection(f"{' and '.join(colours)} do not attack the same defenders", rule="20.2")
    if whole and all(is_hq(u) for u in whole):
        yield Objection("HQs do not attack by themselves", rule="15.11")
    for h in crowded(game, force):
        yield Objection(f"{h}: one multi-step unit fights from a hex in a combat phase", rule="6.21")


def _side_problems(game: Game, unit: Unit, hexes: list[str]) -> Objection | None:
    """Whether a unit that is in the attack already is adjacent to the hexes that join it [12.21]."""
    return next((why for h in hexes if (why := _side_problem(game, unit, h))), None)


def _hex_problems(game: Game, hex_id: str, battle: Battle | None) -> Iterator[Objection]:
    there = [u for u in game.units_at(hex_id) if u.side != game.active]
    if game.stacks() and not there:
        yield Objection(f"no enemy unit is on record in {hex_id}", rule="12.0")
    for unit in there:
        if was_attacked(game, unit, battle) and not attacked(game, hex_id):
            yield Objection(f"{label(unit)} was attacked in this phase", rule="12.0")


def _colours(game: Game, units: list[Unit]) -> list[str]:
    """The Soviet icon colours in an attack, where they do not share defenders; beige may join any [20.2]."""
    if scenario(game) != K or game.active != SOVIET:
        return []
    return sorted({icon(u) for u in units} - {"", "beige"})


def crowded(game: Game, force: list[Unit]) -> list[str]:
    """Hexes that would bring more than one multi-step unit to this phase's attacks, rolled ones included [6.21]."""
    load: dict[str, float] = {}
    for battle in of_phase(game):
        for name, place in origins(battle).items():
            load[place] = load.get(place, 0) + weight(game, game.units[name])
    for unit in force:
        load[unit.place] = load.get(unit.place, 0) + weight(game, unit)
    return [h for h in dict.fromkeys(u.place for u in force) if load[h] > 1]


# -- designating -------------------------------------------------------------------------------------------


def _active_units(ctx: Context) -> list[Unit]:
    return on_the_map(lambda game, unit: unit.side == game.active)(ctx)


def _targets(ctx: Context) -> list[str]:
    """Enemy-held hexes beside somebody who can attack them."""
    game = ctx.game
    held = {u.place for u in game.units.values() if u.on_map and u.side != game.active}
    return sorted(h for h in held if _able(ctx, h))


def _beside(game: Game, target: str) -> list[Unit]:
    """Who of the side that attacks stands next to a hex, whether it may attack or not."""
    near = set(ground.grid_at(game, target).neighbours(target))
    return [u for u in _active_units(Context(game)) if u.place in near]


def _able(ctx: Context, target: str) -> list[Unit]:
    return [u for u in _beside(ctx.game, target) if not problem(ctx.game, u, [target])]


def _only_target(ctx: Context) -> str:
    found = _targets(ctx)
    return found[0] if len(found) == 1 else ""


def _near(ctx: Context) -> list[Unit]:
    """Once the target is named, those that could attack it; where nobody may, all beside it: the form says why not."""
    target = str(ctx.values.get("target") or "")
    return _able(ctx, target) or _beside(ctx.game, target) if target else _active_units(ctx)


def _all_near(ctx: Context) -> list[str]:
    """Whoever can attack the hex is ticked to begin with, as far as they may fight together [6.21]."""
    target = str(ctx.values.get("target") or "") or _only_target(ctx)
    units = _able(ctx, target) if target else []
    return fighting(ctx.game, units) if crowded(ctx.game, units) else [u.id for u in units]


@dataclass(frozen=True)
class Target(HexId):
    """A hex to attack; those that somebody can attack are offered."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        return {**super().describe(ctx), "choices": [{"value": h, "label": h} for h in _targets(ctx)]}


def _warnings(ctx: Context) -> Iterator[Objection]:
    values, target = ctx.values, str(ctx.values["target"])
    hexes, force = [target, *(values.get("also") or ())], values.get("attackers") or ()
    beside = [u for u in _beside(ctx.game, target) if not is_hq(u)]
    if beside and not force and not designated(ctx.game, target):
        yield Objection(f"nobody is named who attacks; beside {target}: {names(beside)}", rule="12.0")
    yield from against(ctx.game, hexes, [ctx.game.units[n] for n in force])


@rules.action(
    phase=COMBAT_PHASES, by="active", rule="12.1", label="Designate an attack", primary=True, warns=_warnings
)
def declare_assault(
    game: Game,
    target: Annotated[str, Target(label="Hex under attack", start=_only_target)],
    attackers: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Attacking units",
            many=True,
            pick=_active_units,
            suggest=_near,
            start=_all_near,
            when=lambda c: bool(_active_units(c)),
        ),
    ] = (),
    also: Annotated[tuple[str, ...], HexId(label="Further hexes in the same attack", many=True)] = (),
) -> Events:
    """Say who attacks what, or join an attack; nothing is rolled before all attacks are designated."""
    side, battle = game.active, designated(game, target)
    before = origins(battle) if battle else {}
    hexes = list(dict.fromkeys([*(battle.hexes if battle else ()), target, *also]))
    places = {**before, **{name: game.units[name].place for name in attackers}}
    held = [u.id for h in hexes for u in game.units_at(h) if u.side != side]
    forces = {side: list(places), game.other(side): held}
    if battle is None:
        battle = yield from engage(
            game, f"Attack on {target}", side, hexes, forces, "12.1", kind=PREPARED, origins=places
        )
        text = f"Fight the attack on {target}"
        yield owe(game, side, text, "begin-assault", battle=battle, step=BEGIN, rule="12.0", binding=True)
    else:
        battle = yield from learn(
            game, battle, "more join the attack", forces=forces, hexes=hexes, origins=places
        )
    yield from wake(game, [game.units[n] for n in held])
    for h in hexes:
        yield from stop_building(game, h, game.other(side), "attacked")
    for h, units in owed(game).items():
        yield e.Noted(f"{h} must be attacked as well: its zone reaches {', '.join(units)}", rule="12.1")


# -- forced attacks ----------------------------------------------------------------------------------------


def reached_by(game: Game, battle: Battle) -> dict[str, list[str]]:
    """The enemy stacks whose zone reaches an attacker of a battle, with the attackers [12.1]."""
    controlled = ground.zones(game, battle.defender, combat=True)
    found: dict[str, list[str]] = {}
    for unit in standing(game, battle, battle.attacker):
        if ground.is_city(game, unit.place):
            continue  # the city's occupant cancels the zone [7.14]
        for h in sorted(controlled.get(unit.place, ())):
            found.setdefault(h, []).append(label(unit))
    return found


def owed(game: Game) -> dict[str, list[str]]:
    """Enemy stacks that nobody attacks though their zone reaches an attacker, also one that has rolled [12.1]."""
    found: dict[str, list[str]] = {}
    for battle in of_phase(game):
        kept = battle.facts.get("reached")  # as the map stood when it was rolled
        for h, units in (reached_by(game, battle) if kept is None else kept).items():
            if not attacked(game, h) and any(u.side == battle.defender for u in game.units_at(h)):
                found.setdefault(h, []).extend(units)
    return dict(sorted(found.items()))


@rules.due_in(*COMBAT_PHASES)
def attacks_due(game: Game) -> list[str]:
    """Stacks that must be attacked [12.1], and units over a Major River that must attack [7.26]."""
    words = [f"attack {h}: its zone reaches {', '.join(units)} [12.1]" for h, units in owed(game).items()]
    for name in game.marked("must-attack"):
        unit = game.units.get(name)
        if unit is not None and unit.on_map and unit.side == game.active and not attack_of(game, unit):
            words.append(f"{label(unit)} crossed a Major River and must attack [7.26]")
    return words


@rules.worksheet(rule="12.1", title="Attacks still owed")
def attacks_owed(ctx: Context) -> Breakdown:
    """Which enemy stacks must still be attacked because their zone reaches an attacker."""
    sheet = Breakdown("Attacks still owed")
    for h, units in owed(ctx.game).items():
        sheet.add(f"{h} controls the hex of {', '.join(units)}", "attack it", "12.1")
    sheet.result = "none" if not sheet.lines else count(len(sheet.lines), "stack")
    return sheet


@rules.panel
def owed_panel(game: Game) -> Panel | None:
    """The forced attacks, until the phase is over."""
    if game.phase not in COMBAT_PHASES:
        return None
    rows = [Fact(h, ", ".join(units), "12.1") for h, units in owed(game).items()]
    return Panel("Must be attacked as well", rows) if rows else None


def fighting(game: Game, units: list[Unit]) -> list[str]:
    """A first choice within the limit of one multi-step unit; its owner may choose otherwise [6.21, 6.22]."""
    chosen: list[str] = []
    load: dict[str, float] = {}
    for unit in sorted(units, key=lambda u: -u.factors.get("CS", 0)):
        load.setdefault(unit.place, 0.0)
        if load[unit.place] + weight(game, unit) <= 1:
            load[unit.place] += weight(game, unit)
            chosen.append(unit.id)
    return chosen
