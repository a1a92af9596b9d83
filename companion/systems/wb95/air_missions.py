"""What aircraft do once they are over a hex: attack, hinder movement, attack crossings, supply [8.2]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.forms.fields import Context, Dice, HexId, Roll, SideRef, UnitRef, Whole
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.wb95 import airmarks, bombardment, oos
from companion.systems.wb95.base import (
    AIR,
    GERMAN,
    SOVIET,
    active_units,
    at_hexes,
    level,
    marching,
    rules,
    touchable,
)
from companion.systems.wb95.losses import owe_losses, take_level
from companion.systems.wb95.terrain import TargetGround

Where = Annotated[str, HexId(label="Target hex")]


def _seated(ctx: Context) -> str:
    """A side's own phone speaks for that side; at the table it must be said."""
    return ctx.seat if ctx.seat in ctx.game.sides else ""


Whose = Annotated[str, SideRef(label="Attacking side", start=_seated, quiet=lambda c: bool(_seated(c)))]


@rules.worksheet(rule="8.2.6, 8.2.7", title="Air attack")
def air_attack(
    ctx: Context,
    sp: Annotated[int, Whole(label="Air SP", low=1, high=99)],
    target: Where = "",
    terrain: TargetGround = (),
    shifts: Annotated[
        int, Whole(label="Terrain shifts, where a table gives others", high=6, hidden=True)
    ] = 0,
    side: Whose = "",
) -> Breakdown:
    """Strength less twice the target's terrain shifts gives the column; two dice give the row."""
    sheet = Breakdown("Air attack")
    sheet.add("aircraft", f"{sp} SP", "8.2.6")
    game = ctx.game
    victim = game.other(side) if side in game.sides else ""
    sheet.facts = {"victim": victim, "hexes": [target] if target else []}
    if shifts:
        sheet.add("terrain shifts", f"-{2 * shifts} SP", "8.2.7")
        bombardment.set_column(sheet, game, sp - 2 * shifts, "air")
    else:
        bombardment.aim(sheet, game, sp, "air", terrain, target)
    return sheet


@rules.action(
    phase=AIR, rule="8.2.6", worksheet=air_attack, label="Roll an air attack", group="book-keeping", order=20
)
def attack_from_air(
    game: Game,
    sheet: Breakdown,
    target: Where = "",
    side: Whose = "",
    *,
    die: Annotated[Roll, Dice(label="Roll", spec="2d6", purpose="air attack")],
) -> Events:
    """Roll on the air chart; the owner of the hex takes losses and disorganisation."""
    battle = yield from bombardment.begin(game, "Air attack", side, [target] if target else [], "8.2.6")
    if target and side:
        yield from airmarks.use_up(game, side, "attack", [target])
    yield from bombardment.fire(game, battle, "air-attack", sheet, die.total)


@rules.follow_up(
    rule="8.2.6", label="Roll", worksheet=air_attack, still=airmarks.overhead, declined=airmarks.spent
)
def bomb_hex(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    sheet: Breakdown,
    *,
    die: Annotated[Roll, Dice(label="Roll", spec="2d6", purpose="air attack")],
) -> Events:
    """Roll for the aircraft over a hex; its owner takes losses and disorganisation."""
    yield from airmarks.use_up(game, battle.attacker, "attack", [str(duty.args["over"])])
    yield from bombardment.fire(game, battle, "air-attack", sheet, die.total)


def _soviets(ctx: Context) -> list[Unit]:
    return [u for u in touchable(ctx) if u.side == SOVIET]


def _had_points(game: Game, side: str) -> bool:
    """Whether a side's aircraft can be over the map at all today; they may have been flown without the companion."""
    today = game.scenario.by_turn.get(f"air-{side}", {}).get(str(game.turn), 0)
    return bool(today or game[f"air-{side}"] or airmarks.everywhere(game, side))


def _soviet_move(game: Game) -> bool | str:
    if game.active != SOVIET:
        return "only Soviet movement is hindered [8.2.11]"
    return _had_points(game, GERMAN) or "the Germans have no aircraft today"


def _crossed(game: Game) -> bool | str:
    enemy = game.other(game.active) if game.active else ""
    return not enemy or _had_points(game, enemy) or "the enemy has no aircraft today"


@rules.worksheet(rule="8.2.13-8.2.16", title="Hindered movement")
def hindered(
    ctx: Context,
    per_hex: Annotated[int, Whole(label="Air SP on each hex", low=1, high=2)] = 1,
    hexes: Annotated[int, Whole(label="Hindered hexes moved through", high=30)] = 1,
    starts_inside: Annotated[int, Whole(label="SP on the hex where it starts", high=2)] = 0,
) -> Breakdown:
    """What German aircraft cost a Soviet unit's move."""
    sheet = Breakdown("Hindered movement")
    extra = per_hex * hexes
    sheet.add(f"{hexes} hexes at +{per_hex} MP", f"+{extra} MP", "8.2.13")
    if starts_inside:
        sheet.add("starts under attack", f"-{starts_inside} MP at the start", "8.2.16")
    rolls = (hexes if per_hex == 2 else 0) + (1 if starts_inside == 2 else 0)
    if rolls:
        sheet.add("loss rolls: 2, 3 or 4 on two dice", f"{rolls}", "8.2.14, 8.2.16")
    sheet.facts = {"extra": extra, "lost": starts_inside, "rolls": rolls, "total": extra + starts_inside}
    return sheet


def _too_few(ctx: Context) -> list[str]:
    """Only the second point on a hex brings a roll [8.2.14]."""
    hex_id = str(ctx.values.get("hex") or "")
    few = hex_id and airmarks.over(ctx.game, GERMAN, hex_id).get("harass", 0) < 2
    return [f"fewer than 2 SP hinder movement over {hex_id}: no roll (8.2.14)"] if few else []


@marching(rule="8.2.14", label="Roll under aircraft", order=40, when=_soviet_move, warns=_too_few)
def roll_harassment(
    game: Game,
    hex: Annotated[str, HexId(label="Hindered hex")] = "",
    unit: Annotated[str, UnitRef(label="Unit", pick=_soviets, quiet=lambda c: not _soviets(c))] = "",
    *,
    die: Annotated[Roll, Dice(label="Roll", spec="2d6", purpose="movement under aircraft")],
) -> Events:
    """With two strength points on a hex each unit moving there rolls: 2, 3 or 4 costs 1 CEL."""
    if die.total > 4:
        yield e.Noted(f"Under aircraft: {die.total}, no loss", rule="8.2.14")
    elif unit:
        yield from take_level(game, unit, 1, f"under aircraft, rolled {die.total}", "8.2.14")
    else:
        there = [u.id for u in at_hexes(game, SOVIET, [hex])] if hex else []
        yield from owe_losses(
            game, SOVIET, 1, there, f"under aircraft, rolled {die.total}", "8.2.14", closed=True
        )


def _attacks(ctx: Context) -> str:
    """A die for each air attack on the hex, as far as the record tells [8.2.20]."""
    game, hex_id = ctx.game, str(ctx.values.get("hex") or "")
    side = str(ctx.values.get("side") or game.active)
    known = airmarks.over(game, game.other(side), hex_id).get("crossing", 0) if hex_id and side else 0
    return f"{max(1, min(20, known or int(ctx.values.get('attacks') or 1)))}d6"


@marching(rule="8.2.20", label="Roll for a crossing", order=41, when=_crossed)
def roll_crossing(
    game: Game,
    side: Annotated[str, SideRef(label="Side that crosses", hidden=True)] = "",
    hex: Annotated[str, HexId(label="Hex entered across the big river")] = "",
    attacks: Annotated[
        int, Whole(label="Air attacks on that hex", low=1, high=20, help="missions on record count first")
    ] = 1,
    unit: Annotated[str, UnitRef(label="Unit", pick=active_units, quiet=lambda c: not active_units(c))] = "",
    *,
    dice: Annotated[Roll, Dice(label="Roll", spec=_attacks, each=True, purpose="crossing under aircraft")],
) -> Events:
    """One die for each air attack on the hex: every 6 costs 1 CEL. Bridges are safe."""
    side = side or game.active
    hits = sum(1 for v in dice.values if v == 6)
    if not hits:
        yield e.Noted(f"Crossing under aircraft: {', '.join(map(str, dice.values))}, no loss", rule="8.2.20")
    elif unit:
        yield from take_level(game, unit, hits, "crossing under aircraft", "8.2.20")
    else:
        there = [u.id for u in at_hexes(game, side, [hex])] if hex else []
        yield from owe_losses(game, side, hits, there, "crossing under aircraft", "8.2.20", closed=True)


@rules.action(
    phase=AIR, rule="8.2.25", label="Fly supplies", group="book-keeping", order=50,
    when=lambda game: bool(game["air-supply"]) or "only American and British aircraft fly supplies [8.2.23]",
)  # fmt: skip
def fly_supplies(
    game: Game,
    side: Annotated[str, SideRef(label="Side")],
    hex: Annotated[str, HexId(label="Hex")],
    missions: Annotated[int, Whole(label="Air units", low=1, high=20)] = 1,
    *,
    dice: Annotated[
        Roll,
        Dice(
            label="Roll", spec=lambda c: f"{c.values.get('missions') or 1}d6", each=True, purpose="air supply"
        ),
    ],
) -> Events:
    """One die an air unit: a 6 fails, every other lowers the level of all units in the hex by 1."""
    good = sum(1 for v in dice.values if v != 6)
    yield e.Noted(f"Air supply at {hex}: {good} of {missions} succeed", rule="8.2.25")
    for unit in at_hexes(game, side, [hex]):  # [8.2.26]
        if level(game, unit.id) and good:
            yield from oos.raise_level(game, unit.id, -good, "supplied from the air", "8.2.26")
