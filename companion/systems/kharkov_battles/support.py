"""Support [9.0]: points for the turn, headquarters turned to their supported side, Limited Support."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Choice, Context, Dice, Roll, UnitRef, Whole
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import on_map
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
    Objection,
    add,
    done,
    read_row,
    rules,
    scenario,
    tick,
)
from companion.systems.kharkov_battles.reach import is_xvii, korps
from companion.systems.kharkov_battles.units import is_hq, label, supply_state

SOURCES = (("roll", "Support Table"), ("track", "turn track"))


def only_the_track(game: Game) -> bool:
    """Whether the scenario leaves nothing to roll for [9.2, 20.2, 27.8]."""
    return scenario(game) in (K, JANUARY) or (scenario(game) == STAR and game.turn == 1)


def suggested_source(game: Game) -> str:
    """The roll, unless the scenario or an agreement says the track [9.2]."""
    return "track" if only_the_track(game) or game["trt-support"] else "roll"


def nothing_on_turn_1(game: Game) -> bool:
    """By one reading Operation Star's turn 1 brings nothing, whatever the track prints [9.2]."""
    return scenario(game) == STAR and game.turn == 1 and game["star-sp"] == "none"


def _source(ctx: Context) -> str:
    return str(ctx.values.get("source") or suggested_source(ctx.game))


def _may_roll(ctx: Context) -> bool:
    return _source(ctx) == "roll"


def _sources(ctx: Context) -> list[tuple[str, str]]:
    """Where a scenario leaves no choice there is none."""
    if only_the_track(ctx.game):
        return [("track", dict(SOURCES)["track"])]
    return list(SOURCES)


def hqs_need_points(game: Game) -> bool | str:
    return "all German HQs are supported for the whole scenario [20.3]" if scenario(game) == L else True


def points_to_spend(game: Game) -> bool | str:
    """Points, or a second ArmeeKorps that is paid for already [9.21]."""
    some = int(game["sp"]) + int(game["sp-free"]) + int(game["ak-credit"])
    return hqs_need_points(game) if some else "there are no Support Points to spend"


def points_are_due(game: Game) -> bool | str:
    return (
        "this turn's Support Points are received already" if done(game, "support") else hqs_need_points(game)
    )


@rules.action(
    phase="maintenance",
    by=AXIS,
    rule="9.2",
    label="Receive Support Points",
    when=points_are_due,
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
            when=lambda c: _source(c) == "track" and not nothing_on_turn_1(c.game),
            start=lambda c: books.whole(books.track_row(c.game), "support"),
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
                raise NotNow(
                    "enter the number your turn track prints for this turn", field="printed", rule="9.2"
                )
            points = 0  # nothing is rolled on turn 1 and nothing is known to be printed
        yield from gain(game, points, "turn track")
        return
    sheet = Breakdown("Support Points", column="points", dice=D10, roll=die.total if die else 0)
    read_row(sheet, game.chart("support"), str(sheet.roll))
    yield from rules.settle(game, "support", sheet, (AXIS, "table"), "9.2")


@rules.outcome("support")
def support_outcome(game: Game, sheet: dict[str, Any], result: str) -> Events:
    """The table's number goes on the track."""
    if not result.strip().isdecimal():
        text = f"{result!r} is not a number of Support Points"
        raise Unreadable(text, field="result", given=result, rule="9.2")
    yield from gain(game, int(result), f"Support Table, rolled {sheet.get('roll')}")


def gain(game: Game, points: int, reason: str) -> Events:
    """Points are added and kept until used [9.2]."""
    yield from add(game, "sp", points, reason, "9.2")
    yield tick(game, "support")


@rules.entering("maintenance")
def from_the_track(game: Game) -> Events:
    """Where nothing is rolled and the track's number is known, the points come by themselves [9.2]."""
    if done(game, "support") or scenario(game) == L or suggested_source(game) != "track":
        return
    points = 0 if nothing_on_turn_1(game) else books.whole(books.track_row(game), "support")
    if points is not None:
        yield from gain(game, points, "turn track")


# -- headquarters ------------------------------------------------------------------------------------------


def flippable(ctx: Context) -> list[Unit]:
    return [u for u in on_map(ctx.game, AXIS) if is_hq(u) and not ctx.game.mark(u.id, "supported")]


def barred_hq(game: Game, hq: Unit) -> Objection | None:
    """Why an HQ cannot be supported, or nothing."""
    if game.mark(hq.id, "supported"):
        return Objection("is supported already", rule="9.21")
    if supply_state(game, hq):
        return Objection("is not Operational", rule="9.22")
    if scenario(game) == K and korps(hq) == "XI":
        return Objection("Group Kortzfleisch is never supported", rule="20.2")
    if scenario(game) == JANUARY and game.turn == 61 and korps(hq) not in {"48", "XLVIII", "XXXXVIII"}:
        return Objection("the turn's only point goes to 48th PanzerKorps", rule="27.8")
    return None


def price(panzer: int, armee: int, single: int, credit: int) -> tuple[int, int]:
    """Points for some flips, and whether a second ArmeeKorps is left paid for [9.21, 20.2]."""
    left = armee - min(credit, armee)
    credit -= min(credit, armee)
    cost = panzer + single + (left + 1) // 2
    return cost, credit + left % 2


def _on_record(ctx: Context) -> bool:
    """Whether the HQs can be named, so that nobody need count them."""
    return any(is_hq(u) for u in on_map(ctx.game, AXIS))


def _no_single(ctx: Context) -> bool:
    return scenario(ctx.game) != K or _on_record(ctx)


HQS = Annotated[
    tuple[str, ...],
    UnitRef(
        label="Turn to their supported side",
        many=True,
        pick=lambda c: [u for u in on_map(c.game, AXIS) if is_hq(u)],
        suggest=flippable,
        when=lambda c: bool(flippable(c)),
    ),
]


@rules.worksheet(rule="9.21", title="Support for headquarters")
def support_cost(
    ctx: Context,
    hqs: HQS = (),
    panzerkorps: Annotated[int, Whole(label="PanzerKorps", high=12, quiet=_on_record)] = 0,
    armeekorps: Annotated[int, Whole(label="ArmeeKorps", high=12, quiet=_on_record)] = 0,
    single: Annotated[int, Whole(label="XVII. AK", high=1, quiet=_no_single)] = 0,
) -> Breakdown:
    """What turning headquarters to their supported side costs."""
    sheet, game = Breakdown("Support for headquarters"), ctx.game
    for hq in (game.units[name] for name in hqs):
        why = barred_hq(game, hq)
        if why:
            sheet.warnings.append(f"{label(hq)} {why.words} [{why.rule}]")
        if is_xvii(game, hq):
            single += 1
        elif hq.kind == "hq panzerkorps":
            panzerkorps += 1
        else:
            armeekorps += 1
    cost, after = price(panzerkorps, armeekorps, single, int(game["ak-credit"]))
    if panzerkorps:
        sheet.add(f"{panzerkorps} PanzerKorps, 1 point each", str(panzerkorps), "9.21")
    if armeekorps:
        sheet.add(f"{armeekorps} ArmeeKorps, two to a point", str(cost - panzerkorps - single), "9.21")
    if scenario(game) != L:
        sheet.add("Support Points there are", str(int(game["sp"]) + int(game["sp-free"])), "9.2")
    if single:
        sheet.add("XVII. AK takes a whole point", str(single), "20.2")
    if after:
        sheet.add("one more ArmeeKorps is paid for this turn", "", "9.21")
    sheet.facts = {"cost": cost, "credit": after}
    sheet.result = f"{cost} SP"
    return sheet


def _barred(ctx: Context) -> Iterator[Objection]:
    for hq in (ctx.game.units[n] for n in ctx.values.get("hqs") or ()):
        why = barred_hq(ctx.game, hq)
        if why:
            yield Objection(f"{label(hq)} {why.words}", rule=why.rule)


@rules.action(
    phase="maintenance",
    by=AXIS,
    rule="9.21",
    label="Support headquarters",
    order=1,
    warns=_barred,
    worksheet=support_cost,
    when=points_to_spend,
)
def support_hq(
    game: Game,
    sheet: Breakdown,
    hqs: HQS = (),
) -> Events:
    """Spend Support Points and turn headquarters to their supported side."""
    cost = int(sheet.facts["cost"])
    free = int(game["sp-free"])
    if cost > int(game["sp"]) + free:
        text = f"that costs {cost} Support Points; there are {int(game['sp']) + free}"
        raise NotNow(text, field="hqs", given=cost, rule="9.21")
    yield from add(game, "sp-free", -min(free, cost), "spent first", "27.8")
    yield from add(game, "sp", -(cost - min(free, cost)), "headquarters supported", "9.21")
    if sheet.facts["credit"] != game["ak-credit"]:
        yield e.Set("ak-credit", sheet.facts["credit"], was=game["ak-credit"], rule="9.21")
    for hq in hqs:
        yield put_mark(game, hq, "supported", True, rule="9.21")
