"""Support [9.0]: points for the turn, headquarters turned to their supported side, Limited Support."""

from __future__ import annotations

from typing import Annotated, Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Dice, Roll, UnitRef, Whole
from companion.engine.play.worksheet import Breakdown
from companion.engine.record import events as e
from companion.engine.record.changes import put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books
from companion.systems.kharkov_battles.base import (
    AXIS,
    D10,
    JANUARY,
    STAR,
    K,
    L,
    add,
    done,
    read_row,
    rules,
    scenario,
    tick,
    to_side,
)
from companion.systems.kharkov_battles.reach import fully_supported_regiments, is_xvii, korps
from companion.systems.kharkov_battles.units import is_german_regiment, is_hq, label, on_map, supply_state

SOURCES = (("roll", "Support Table"), ("track", "turn track"))


def suggested_source(game: Game) -> str:
    """9.2: the roll, unless the scenario or an agreement says the track."""
    if scenario(game) in (K, JANUARY) or game["trt-support"] or (scenario(game) == STAR and game.turn == 1):
        return "track"
    return "roll"


def nothing_on_turn_1(game: Game) -> bool:
    """9.2: by one reading Operation Star's turn 1 brings nothing, whatever the track prints."""
    return scenario(game) == STAR and game.turn == 1 and game["star-sp"] == "none"


def _source(ctx: Context) -> str:
    return str(ctx.values.get("source") or (suggested_source(ctx.game) if ctx.game else "roll"))


def _may_roll(ctx: Context) -> bool:
    return _source(ctx) == "roll"


def _sources(ctx: Context) -> list[tuple[str, str]]:
    """Where a scenario leaves no choice there is none."""
    game = ctx.game
    if game is None:
        return list(SOURCES)
    if scenario(game) in (K, JANUARY) or (scenario(game) == STAR and game.turn == 1):
        return [("track", dict(SOURCES)["track"])]
    return list(SOURCES)


def no_support_needed(game: Game) -> bool | str:
    if scenario(game) == L:
        return "all German HQs are supported for the whole scenario [20.3]"
    return "this turn's Support Points are received already" if done(game, "support") else True


@rules.action(
    phase="maintenance",
    by=AXIS,
    rule="9.2",
    label="Receive Support Points",
    when=no_support_needed,
    primary=True,
)
def receive_support(
    game: Game,
    source: Annotated[
        str,
        Choice(label="From", options=_sources, start=_source, quiet=lambda c: len(_sources(c)) == 1),
    ],
    printed: Annotated[
        int | None,
        Whole(
            label="Number on the track",
            high=30,
            when=lambda c: _source(c) == "track" and not (c.game and nothing_on_turn_1(c.game)),
            start=lambda c: books.whole(books.track_row(c.game), "support") if c.game else None,
        ),
    ] = None,
    die: Annotated[
        Roll | None, Dice(label="Support roll", spec=D10, purpose="Support", when=_may_roll)
    ] = None,
) -> Events:
    """Add this turn's Support Points to those saved."""
    if source == "track":
        points = printed if printed is not None else books.whole(books.track_row(game), "support")
        if nothing_on_turn_1(game):
            points = 0
        if points is None:
            if not (scenario(game) == STAR and game.turn == 1):
                raise NotNow("enter the number your turn track prints for this turn", field="printed")
            points = 0  # nothing is rolled on turn 1 and nothing is known to be printed
        yield from gain(game, points, "turn track")
        return
    sheet = Breakdown("Support Points", column="points", dice=D10, roll=die.total if die else 0)
    read_row(sheet, game.chart("support"), str(sheet.roll))
    yield from rules.settle(game, "support", sheet, to_side(game, AXIS), "9.2")


@rules.outcome("support")
def support_outcome(game: Game, sheet: dict[str, Any], result: str) -> Events:
    """The table's number goes on the track."""
    if not result.strip().isdecimal():
        raise Unreadable(f"{result!r} is not a number of Support Points", field="result", given=result)
    yield from gain(game, int(result), f"Support Table, rolled {sheet.get('roll')}")


def gain(game: Game, points: int, reason: str) -> Events:
    """Points are added and kept until used [9.2]."""
    yield from add(game, "sp", points, reason, "9.2")
    yield tick(game, "support")


# -- headquarters ------------------------------------------------------------------------------------------


def flippable(ctx: Context) -> list[Unit]:
    game = ctx.game
    if game is None:
        return []
    return [u for u in on_map(game, AXIS) if is_hq(u) and not game.mark(u.id, "supported")]


def barred_hq(game: Game, hq: Unit) -> str:
    """Why an HQ cannot be supported, or nothing."""
    if supply_state(game, hq):
        return "is not Operational [9.22]"
    if scenario(game) == K and korps(hq) == "XI":
        return "Group Kortzfleisch is never supported [20.2]"
    if scenario(game) == JANUARY and game.turn == 61 and korps(hq) not in {"48", "XLVIII", "XXXXVIII"}:
        return "the turn's only point goes to 48th PanzerKorps [27.8]"
    return ""


def price(panzer: int, armee: int, single: int, credit: int) -> tuple[int, int]:
    """Points for some flips, and whether a second ArmeeKorps is left paid for [9.21, 20.2]."""
    left = armee - min(credit, armee)
    credit -= min(credit, armee)
    cost = panzer + single + (left + 1) // 2
    return cost, credit + left % 2


def _on_record(ctx: Context) -> bool:
    """Whether the HQs can be named, so that nobody need count them."""
    return ctx.game is not None and any(is_hq(u) for u in on_map(ctx.game, AXIS))


def _in_k(ctx: Context) -> bool:
    return ctx.game is None or scenario(ctx.game) == K


HQS = Annotated[
    tuple[str, ...],
    UnitRef(
        label="Turn to their supported side",
        many=True,
        pick=flippable,
        when=lambda c: c.game is None or bool(flippable(c)),
    ),
]


@rules.worksheet(rule="9.21", title="Support for headquarters")
def support_cost(
    ctx: Context,
    hqs: HQS = (),
    panzerkorps: Annotated[int, Whole(label="PanzerKorps", high=12, quiet=_on_record)] = 0,
    armeekorps: Annotated[int, Whole(label="ArmeeKorps", high=12, quiet=_on_record)] = 0,
    single: Annotated[int, Whole(label="XVII. AK", high=1, when=_in_k, quiet=_on_record)] = 0,
) -> Breakdown:
    """What turning headquarters to their supported side costs."""
    sheet = Breakdown("Support for headquarters")
    for name in hqs:
        hq = ctx.game.units[name] if ctx.game else None
        if hq is None or ctx.game is None:
            continue
        reason = barred_hq(ctx.game, hq)
        if reason:
            sheet.warnings.append(f"{label(hq)} {reason}")
        if is_xvii(ctx.game, hq):
            single += 1
        elif hq.kind == "hq panzerkorps":
            panzerkorps += 1
        else:
            armeekorps += 1
    credit = int(ctx.game["ak-credit"] or 0) if ctx.game else 0
    cost, after = price(panzerkorps, armeekorps, single, credit)
    if panzerkorps:
        sheet.add(f"{panzerkorps} PanzerKorps, 1 point each", str(panzerkorps), "9.21")
    if armeekorps:
        sheet.add(f"{armeekorps} ArmeeKorps, two to a point", str(cost - panzerkorps - single), "9.21")
    if ctx.game is not None and scenario(ctx.game) != L:
        there = int(ctx.game["sp"]) + int(ctx.game["sp-free"] or 0)
        sheet.add("Support Points there are", str(there), "9.2")
    if single:
        sheet.add("XVII. AK takes a whole point", str(single), "20.2")
    if after:
        sheet.add("one more ArmeeKorps is paid for this turn", "", "9.21")
    sheet.facts = {"cost": cost, "credit": after}
    sheet.result = f"{cost} SP"
    return sheet


def _when_flip(game: Game) -> bool | str:
    return "all German HQs are supported for the whole scenario [20.3]" if scenario(game) == L else True


@rules.action(
    phase="maintenance",
    by=AXIS,
    rule="9.21",
    label="Support headquarters",
    order=1,
    worksheet=support_cost,
    when=_when_flip,
)
def support_hq(
    game: Game,
    sheet: Breakdown,
    hqs: HQS = (),
) -> Events:
    """Spend Support Points and turn headquarters to their supported side."""
    if sheet.warnings:
        raise NotNow(f"{sheet.warnings[0]}", field="hqs")
    cost = int(sheet.facts["cost"])
    free = int(game["sp-free"] or 0)
    if cost > int(game["sp"]) + free:
        raise NotNow(f"that costs {cost} Support Points; there are {int(game['sp']) + free}", given=cost)
    yield from add(game, "sp-free", -min(free, cost), "spent first", "27.8")
    yield from add(game, "sp", -(cost - min(free, cost)), "headquarters supported", "9.21")
    if sheet.facts["credit"] != game["ak-credit"]:
        yield e.Set("ak-credit", sheet.facts["credit"], was=game["ak-credit"], rule="9.21")
    for hq in hqs:
        yield put_mark(game, hq, "supported", True, rule="9.21")


# -- full support ------------------------------------------------------------------------------------------


def must_check(game: Game) -> list[Unit]:
    """9.3: Operational German mechanized regiments, cadres too, not those supported by rule."""
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
            pick=lambda c: must_check(c.game) if c.game else [],
            start=lambda c: without_support(c.game) if c.game else (),
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


def no_attack(game: Game, unit: Unit) -> str:
    """Why an Axis unit may not attack for want of support, or nothing [9.0, 9.4]."""
    if unit.side != AXIS or game.mark(unit.id, "full-support"):
        return ""
    if game.mark(unit.id, "ls"):
        return "Limited Support [9.4]"
    if is_german_regiment(game, unit) and supply_state(game, unit) and game["oos-regiments"] != "exempt":
        return "not Operational, so not fully supported [9.3]"
    return ""


@rules.entering("maintenance")
def by_rule(game: Game) -> Events:
    """Support that a scenario gives: LAH and the DR Tigers on turn 1 [20.1]; 108 Light [20.2]; all HQs [20.3]."""
    for unit in on_map(game, AXIS):
        if scenario(game) == STAR and game.turn == 1 and _free_on_turn_1(unit):
            yield put_mark(game, unit.id, "full-support", True, reason="turn 1", rule="20.1")
        if scenario(game) == K and unit.name.startswith("108") and not supply_state(game, unit):
            yield put_mark(game, unit.id, "full-support", True, reason="Hungarian 108 Light", rule="20.2")
        if scenario(game) == L and is_hq(unit) and not game.mark(unit.id, "supported"):
            yield put_mark(game, unit.id, "supported", True, reason="whole scenario", rule="20.3")


def _free_on_turn_1(unit: Unit) -> bool:
    text = f"{unit.formation} {unit.name}".upper()
    return "LAH" in text or (unit.kind == "tiger company" and "DR" in text.split())


@rules.leaving("end")
def stand_down(game: Game) -> Events:
    """4.1 D: HQs back to unsupported, except where the scenario keeps them; one-turn points lapse."""
    if scenario(game) != L:
        for hq in game.marked("supported"):
            yield put_mark(game, hq, "supported", None, reason="end of turn", rule="4.1 D")
    for track in ("ak-credit", "sp-free"):
        if game[track]:
            yield e.Set(track, 0, was=game[track], reason="end of turn", rule="9.21")
