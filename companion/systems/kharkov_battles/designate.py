"""Designating attacks [12.1, 12.2]: who may attack what, and which enemies must be attacked besides."""

from __future__ import annotations

from typing import Annotated, Any

from companion.engine.errors import Mistake, NotNow, NotYours, Several
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, HexId, SideRef, UnitRef
from companion.engine.play.panels import Fact, Panel
from companion.engine.play.worksheet import Breakdown
from companion.engine.record import events as e
from companion.engine.record.changes import BY_SEQUENCE, put_mark
from companion.engine.record.game import Game

from . import ground, reach
from .base import AXIS, COMBAT_PHASES, MOVE_PHASES, SOVIET, K, own_side, rules, scenario, some, to_side
from .command import wake
from .forces import has_attacked
from .strength import over_limit, weight
from .support import no_attack
from .units import STATIC, is_hq, is_mech, is_silhouette, label, on_the_map
from .works import stop_building


def attackers_of(game: Game, target: str) -> list[Unit]:
    """The units designated against a hex."""
    return [
        game.units[name]
        for name, hex_id in game.marked("pa").items()
        if hex_id == target and name in game.units
    ]


def target_hexes(game: Game, target: str) -> list[str]:
    """All hexes of one combat; the first is its name."""
    value = game.mark(target, "target")
    return str(value).split("+") if isinstance(value, str) and value else [target]


def defenders_of(game: Game, target: str) -> list[Unit]:
    """The other side's units in the hexes under attack."""
    return [u for h in target_hexes(game, target) for u in game.units_at(h) if u.side != game.active]


def under_attack(game: Game) -> set[str]:
    """Every hex of the attacks designated and not yet resolved."""
    return {h for target in game.marked("target") for h in target_hexes(game, target)}


def already_attacked(game: Game, hex_id: str) -> bool:
    """12.0: a hex is attacked once a phase, as a further hex of an attack too."""
    return f"{game.turn}/{game.phase}/attacked/{hex_id}" in game.ticked or hex_id in under_attack(game)


def problem(game: Game, unit: Unit, hexes: list[str]) -> str:
    """Why a unit cannot make this attack, or nothing."""
    if unit.kind in STATIC:
        return "never attacks [20.1, 27.4]"
    for marker, why in (("uncommitted", "is uncommitted [13.11]"), ("repl", "is taking replacements [16.22]"),
                        ("pa", "attacks elsewhere already [12.0]")):  # fmt: skip
        if game.mark(unit.id, marker):
            return why
    for h in hexes:
        if h not in ground.grid_at(game, unit.place).neighbours(unit.place):
            return f"is not adjacent to {h} [12.21]"
        if ground.river(game, unit.place, h) == "barred":
            return f"cannot attack over the hexside to {h} [12.35, 12.36]"
        marsh = ground.terrain(game, h) == "marsh" and is_mech(unit) and is_silhouette(game, unit)
        if marsh and _marsh_holds(game) and not ground.links(game, unit.place, h) & {"road", "rail"}:
            return f"is a silhouette unit and no road or railway leads into the marsh of {h} [12.33]"
    if has_attacked(game, unit):
        return "has attacked in this phase [12.0]"
    return no_attack(game, unit) or _stack_problem(game, unit)


def _marsh_holds(game: Game) -> bool:
    """In Freeze only the owner's chart can say that marsh still bars silhouettes."""
    return game["weather"] != "freeze" or game.chart("freeze").cell("marsh", "in Freeze").value == "normal"


def _stack_problem(game: Game, unit: Unit) -> str:
    """9.41: an unsupported mechanized unit in the hex bars it."""
    if unit.side != AXIS:
        return ""
    for friend in game.units_at(unit.place):
        if friend.id == unit.id or not is_mech(friend):
            continue
        if no_attack(game, friend) or reach.supported_now(game, friend) is False:
            return f"shares its hex with {label(friend)}, which lacks full support [9.41]"
    return "has no full support [9.3]" if reach.supported_now(game, unit) is False and not is_hq(unit) else ""


def colour_clash(game: Game, units: list[Unit], target: str) -> str:
    """20.2: Soviet icon colours do not share defenders; beige may join any."""
    if scenario(game) != K or game.active != SOVIET:
        return ""
    force = [*units, *attackers_of(game, target)]
    colours = {u.formation.lower() for u in force if u.formation and u.formation.lower() != "beige"}
    return (
        f"{' and '.join(sorted(colours))} do not attack the same defenders [20.2]" if len(colours) > 1 else ""
    )


def _active_units(ctx: Context) -> list[Unit]:
    return on_the_map(lambda game, unit: unit.side == game.active)(ctx)


def _near(ctx: Context) -> list[Unit]:
    """Once the target is typed, only those that could attack it."""
    game, target = ctx.game, str(ctx.values.get("target") or "")
    if game is None or not target:
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
    wrong: list[Mistake] = []
    for h in hexes:
        if already_attacked(game, h) and not (h == target and force and attackers_of(game, target)):
            wrong.append(NotNow(f"{h} is attacked already in this phase [12.0]", field="target", given=h))
    for unit in force:
        why = problem(game, unit, hexes)
        if why:
            wrong.append(NotNow(f"{label(unit)} {why}", field="attackers", given=unit.id))
    clash = colour_clash(game, force, target)
    if clash:
        wrong.append(NotNow(clash, field="attackers"))
    if force and all(is_hq(u) for u in force):
        wrong.append(NotNow("HQs do not attack by themselves [15.11]", field="attackers"))
    places = {u.place for u in force}
    busy = [game.units[n] for n in game.marked("pa") if n in game.units and game.units[n].place in places]
    for h in over_limit(game, [*force, *busy]):
        wrong.append(NotNow(f"{h}: one multi-step unit fights from a hex [6.21]", field="attackers", given=h))
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


def is_mobile(game: Game, target: str) -> bool:
    """Whether the combat in a hex is a Mobile Assault."""
    return game.mark(target, "ma-target") is not None


def ask_air(game: Game, target: str) -> Events:
    """5.21: the attacker says first, then the defender; a side without Air Points is not asked."""
    most_attack = 1 if is_mobile(game, target) else 2
    for role, side, limit in (("attack", game.active, most_attack), ("defence", game.other(game.active), 1)):
        most = min(limit, free_air(game, role, side))
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
    return max(0, int(game[f"air-{side}"] or 0) - claimed)


def _sorties(ctx: Context) -> list[tuple[str, str]]:
    """As many as this combat may have."""
    if ctx.game is None:
        return [(n, n) for n in "012"]
    side, target = str(ctx.values.get("side") or own_side(ctx)), str(ctx.values.get("target") or "")
    role, most = _air_limit(ctx.game, side, target)
    return [(str(n), str(n) if n else "none") for n in range(min(most, free_air(ctx.game, role, side)) + 1)]


def _air_limit(game: Game, side: str, target: str) -> tuple[str, int]:
    if side != game.active:
        return "defence", 1
    return "attack", 1 if is_mobile(game, target) else 2


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
    if seat in game.sides and seat != side:
        raise NotYours(f"{game.side_name(side)} commits its own Air Points", given=seat, accepted=side)
    role, _ = _air_limit(game, side, target)
    yield e.Marked(target, f"{role}-air", int(points), rule="5.21")
    yield from ask_air(game, target)


def fighting(game: Game, units: list[Unit]) -> list[str]:
    """A first choice within the limit of 6.21; its owner may choose otherwise."""
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
    """12.1: enemy stacks whose zone reaches a designated attacker and that nobody attacks, with the attackers."""
    attackers = [game.units[n] for n in game.marked("pa") if n in game.units and game.units[n].on_map]
    if not attackers:
        return {}
    enemy = game.other(game.active) if game.active else ""
    controlled = ground.zones(game, enemy, combat=True) if enemy else {}
    found: dict[str, list[str]] = {}
    for unit in attackers:
        if ground.is_city(game, unit.place):
            continue  # 7.14: the city's occupant cancels the zone
        for h in sorted(controlled.get(unit.place, ())):
            if not already_attacked(game, h):
                found.setdefault(h, []).append(label(unit))
    return dict(sorted(found.items()))


@rules.worksheet(rule="12.1", title="Attacks still owed")
def attacks_owed(ctx: Context) -> Breakdown:
    """Which enemy stacks must still be attacked because their zone reaches an attacker."""
    sheet = Breakdown("Attacks still owed")
    for h, units in owed(ctx.game).items() if ctx.game else ():
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
