"""Designating attacks [12.1, 12.2]: who may attack what, and which enemies must be attacked besides."""

from __future__ import annotations

from typing import Annotated, Any

from companion.engine.errors import Mistake, NotNow, Several
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, HexId, SideRef, UnitRef
from companion.engine.play.panels import Fact, Panel
from companion.engine.play.worksheet import Breakdown
from companion.engine.record import events as e
from companion.engine.record.changes import BY_SEQUENCE, put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import ground, reach
from companion.systems.kharkov_battles.air import most_air
from companion.systems.kharkov_battles.base import (
    AXIS,
    COMBAT_PHASES,
    MOVE_PHASES,
    SOVIET,
    K,
    Objection,
    only_its_own,
    own_side,
    rules,
    scenario,
    some,
    to_side,
)
from companion.systems.kharkov_battles.command import wake
from companion.systems.kharkov_battles.forces import has_attacked
from companion.systems.kharkov_battles.strength import over_limit, weight
from companion.systems.kharkov_battles.support import no_attack
from companion.systems.kharkov_battles.targets import (
    already_attacked,
    attackers_of,
    defenders_of,
    is_mobile,
)
from companion.systems.kharkov_battles.units import STATIC, is_hq, is_mech, is_silhouette, label, on_the_map
from companion.systems.kharkov_battles.works import stop_building

BUSY = {
    "uncommitted": Objection("is uncommitted", "13.11"),
    "repl": Objection("is taking replacements", "16.22"),
    "pa": Objection("attacks elsewhere already", "12.0"),
}
"""What a marker has against an attack by its unit."""


def problem(game: Game, unit: Unit, hexes: list[str]) -> Objection | None:
    """Why a unit cannot make this attack, or nothing."""
    if unit.kind in STATIC:
        return Objection("never attacks", "20.1, 27.4")
    for marker, why in BUSY.items():
        if game.mark(unit.id, marker):
            return why
    for h in hexes:
        if h not in ground.grid_at(game, unit.place).neighbours(unit.place):
            return Objection(f"is not adjacent to {h}", "12.21")
        if ground.river(game, unit.place, h) == "barred":
            return Objection(f"cannot attack over the hexside to {h}", "12.35, 12.36")
        marsh = ground.terrain(game, h) == "marsh" and is_mech(unit) and is_silhouette(game, unit)
        if marsh and _marsh_holds(game) and not ground.links(game, unit.place, h) & {"road", "rail"}:
            words = f"is a silhouette unit and no road or railway leads into the marsh of {h}"
            return Objection(words, "12.33")
    if has_attacked(game, unit):
        return Objection("has attacked in this phase", "12.0")
    return no_attack(game, unit) or _stack_problem(game, unit)


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
            return Objection(f"shares its hex with {label(friend)}, which lacks full support", "9.41")
    if reach.supported_now(game, unit) is False and not is_hq(unit):
        return Objection("has no full support", "9.3")
    return None


def colours_at(game: Game, units: list[Unit], target: str) -> list[str]:
    """The Soviet icon colours in an attack, where they do not share defenders; beige may join any [20.2]."""
    if scenario(game) != K or game.active != SOVIET:
        return []
    force = [*units, *attackers_of(game, target)]
    return sorted({u.formation.lower() for u in force if u.formation and u.formation.lower() != "beige"})


def _active_units(ctx: Context) -> list[Unit]:
    return on_the_map(lambda game, unit: unit.side == game.active)(ctx)


def _near(ctx: Context) -> list[Unit]:
    """Once the target is typed, only those that could attack it."""
    game, target = ctx.game, str(ctx.values.get("target") or "")
    if not target:
        return _active_units(ctx)
    beside = set(ground.grid_at(game, target).neighbours(target))
    return [u for u in _active_units(ctx) if u.place in beside and not problem(game, u, [target])]


@rules.action(phase=COMBAT_PHASES, by="active", rule="12.1", label="Designate an attack", primary=True)
def declare_assault(
    game: Game,
    target: Annotated[str, HexId(label="Hex under attack")],
    attackers: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Attacking units",
            many=True,
            pick=_active_units,
            suggest=_near,
            when=lambda c: bool(_active_units(c)),
        ),
    ] = (),
    also: Annotated[tuple[str, ...], HexId(label="Further hexes in the same attack", many=True)] = (),
) -> Events:
    """Put Prepared Assault markers on the attackers; both sides are asked for their strength."""
    hexes = [target, *also]
    force = [game.units[name] for name in attackers]
    wrong = _mistakes(game, force, hexes)
    if wrong:
        raise Several(wrong) if len(wrong) > 1 else wrong[0]
    for unit in force:
        yield put_mark(game, unit.id, "pa", target, rule="12.1")
    silent = BY_SEQUENCE if force and not also else ""
    yield e.Marked(target, "target", "+".join(hexes), reason=silent, rule="12.1")
    enemy = game.other(game.active)
    yield from wake(game, defenders_of(game, target))
    for h in hexes:
        yield from stop_building(game, h, enemy, "attacked")
    for h, units in owed(game).items():
        yield e.Noted(f"{h} must be attacked as well: its zone reaches {', '.join(units)}", rule="12.1")
    yield from ask_air(game, target)


def _mistakes(game: Game, force: list[Unit], hexes: list[str]) -> list[Mistake]:
    """Everything that is wrong with an attack as it is designated."""
    wrong: list[Mistake] = []

    def note(words: str, rule: str, field: str = "attackers", given: object = None) -> None:
        wrong.append(NotNow(words, field=field, given=given, rule=rule))

    target = hexes[0]
    for h in hexes:
        if already_attacked(game, h) and not (h == target and force and attackers_of(game, target)):
            note(f"{h} is attacked already in this phase", "12.0", "target", h)
    for unit in force:
        why = problem(game, unit, hexes)
        if why:
            wrong.append(why.to(label(unit), field="attackers", given=unit.id))
    colours = colours_at(game, force, target)
    if len(colours) > 1:
        together = " and ".join(colours)
        note(f"{together} do not attack the same defenders", "20.2", given=together)
    if force and all(is_hq(u) for u in force):
        note("HQs do not attack by themselves", "15.11")
    places = {u.place for u in force}
    busy = [game.units[n] for n in game.marked("pa") if n in game.units and game.units[n].place in places]
    for h in over_limit(game, [*force, *busy]):
        note(f"{h}: one multi-step unit fights from a hex", "6.21", given=h)
    return wrong


def ask_air(game: Game, target: str) -> Events:
    """The attacker says first, then the defender; a side without Air Points is not asked [5.21]."""
    for role, side in (("attack", game.active), ("defence", game.other(game.active))):
        most = _most_air(game, side, target)
        if game.mark(target, f"{role}-air") is None and most:
            text = f"{game.side_name(side)}: Air Points for {target}? At most {most}"
            args: dict[str, Any] = {"side": side, "target": target}
            name = f"air-{role}-{target}-{game.revision}"
            yield e.Asked(name, to_side(game, side), text, "commit-air", args, rule="5.21")
            return
        if game.mark(target, f"{role}-air") is None:
            yield e.Marked(target, f"{role}-air", 0, reason=BY_SEQUENCE, rule="5.21")
    yield from ask_strengths(game, target)


@rules.watch
def no_air_wanted(game: Game) -> Events:
    """A question about air that was waved away means none: the combat goes on."""
    for target in [*game.marked("target"), *game.marked("ma-target")]:
        if any(a.args.get("target") == target for a in game.asked.values()):
            continue
        for role in ("attack", "defence"):
            if game.mark(target, f"{role}-air") is None:
                yield e.Marked(target, f"{role}-air", 0, reason=BY_SEQUENCE, rule="5.21")
                yield from ask_air(game, target)
                break


def free_air(game: Game, role: str, side: str) -> int:
    """Air Points of a side that no open combat has claimed."""
    claimed = sum(int(n) for n in game.marked(f"{role}-air").values())
    return max(0, int(game[f"air-{side}"]) - claimed)


def _sorties(ctx: Context) -> list[tuple[str, str]]:
    """As many as this combat may have."""
    side, target = str(ctx.values.get("side") or own_side(ctx)), str(ctx.values.get("target") or "")
    return [(str(n), str(n) if n else "none") for n in range(_most_air(ctx.game, side, target) + 1)]


def _role(game: Game, side: str) -> str:
    return "attack" if side == game.active else "defence"


def _most_air(game: Game, side: str, target: str) -> int:
    """The Air Points a side may commit to a combat, of those it has [5.21]."""
    limit = most_air(side == game.active, is_mobile(game, target))
    return min(limit, free_air(game, _role(game, side), side))


@rules.action(
    phase=(*COMBAT_PHASES, *MOVE_PHASES), by="any", rule="5.21", label="Commit Air Points", group="hidden"
)
def commit_air(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=own_side, hidden=True)],
    target: Annotated[str, HexId(label="Hex under attack", hidden=True)],
    points: Annotated[str, Choice(label="Air Points", options=_sorties)] = "0",
    seat: str = "",
) -> Events:
    """Declare ground support for one combat; it is spent when the combat is resolved."""
    only_its_own(game, seat, side, "commits its own Air Points")
    yield e.Marked(target, f"{_role(game, side)}-air", int(points), rule="5.21")
    yield from ask_air(game, target)


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


def ask_strengths(game: Game, target: str) -> Events:
    """Ask each side for its total; a Mobile Assault meets the entire hex [11.2]."""
    attacker = str(game.mark(target, "ma-target") or "")
    force = [attacker] if attacker else [u.id for u in attackers_of(game, target)]
    held = defenders_of(game, target)
    sides = (("attack", game.active, force),
             ("defence", game.other(game.active), [u.id for u in held] if attacker else fighting(game, held)))  # fmt: skip
    for role, side, units in sides:
        text = f"{game.side_name(side)}: strength {'attacking' if role == 'attack' else 'defending'} {target}"
        args: dict[str, Any] = {"role": role, "target": target, "units": units}
        name = f"{role}-{target}-{game.revision}"
        yield e.Asked(name, to_side(game, side), text, "announce-strength", args, rule="12.0")


# -- forced attacks ----------------------------------------------------------------------------------------


def owed(game: Game) -> dict[str, list[str]]:
    """Enemy stacks whose zone reaches a designated attacker and that nobody attacks, with the attackers [12.1]."""
    attackers = [game.units[n] for n in game.marked("pa") if n in game.units and game.units[n].on_map]
    if not attackers:
        return {}
    enemy = game.other(game.active) if game.active else ""
    controlled = ground.zones(game, enemy, combat=True) if enemy else {}
    found: dict[str, list[str]] = {}
    for unit in attackers:
        if ground.is_city(game, unit.place):
            continue  # the city's occupant cancels the zone [7.14]
        for h in sorted(controlled.get(unit.place, ())):
            if not already_attacked(game, h):
                found.setdefault(h, []).append(label(unit))
    return dict(sorted(found.items()))


@rules.worksheet(rule="12.1", title="Attacks still owed")
def attacks_owed(ctx: Context) -> Breakdown:
    """Which enemy stacks must still be attacked because their zone reaches an attacker."""
    sheet = Breakdown("Attacks still owed")
    for h, units in owed(ctx.game).items():
        sheet.add(f"{h} controls the hex of {', '.join(units)}", "attack it", "12.1")
    sheet.result = "none" if not sheet.lines else some(len(sheet.lines), "stack")
    return sheet


@rules.panel
def owed_panel(game: Game, seat: str) -> Panel | None:
    """The forced attacks, while attacks are being designated."""
    if game.phase not in COMBAT_PHASES:
        return None
    rows = [Fact(h, ", ".join(units), "12.1") for h, units in owed(game).items()]
    return Panel("Must be attacked as well", rows) if rows else None
