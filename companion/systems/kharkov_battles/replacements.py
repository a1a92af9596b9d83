"""Replacements [16.0]: points, what they buy, who may have them; and units that come back by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Choice, Context, HexId, SideRef, UnitRef, Whole
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import owe
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.changes import change, move, put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books, chits, ground
from companion.systems.kharkov_battles.base import (
    AXIS,
    CAMPAIGN,
    JANUARY,
    SOVIET,
    STAR,
    K,
    L,
    Objection,
    add,
    done,
    only_its_own,
    own_phone,
    own_side,
    rules,
    scenario,
    tick,
)
from companion.systems.kharkov_battles.breakdown import broken_down
from companion.systems.kharkov_battles.lines import can_trace
from companion.systems.kharkov_battles.losses import come_back
from companion.systems.kharkov_battles.units import (
    is_cadre,
    is_german_regiment,
    is_hq,
    is_mech,
    label,
    nation,
    rating,
    supply_state,
)

KINDS = (
    ("reduced", "reduced chit off"),
    ("cadre", "cadre to full strength"),
    ("rifle", "rifle division from the pool"),
    ("silhouette", "silhouette from the pool"),
    ("regiment", "regiment to division"),
)
PRICES = {"reduced": 1, "cadre": 2, "rifle": 2, "silhouette": 1, "regiment": 2}
ONLY = {"rifle": SOVIET, "silhouette": SOVIET, "regiment": AXIS}
"""What only one side can buy."""

SATELLITES = ("hungarian", "italian", "rumanian")

AXIS_SCHEDULE: dict[str, dict[int, tuple[int, int]]] = {
    STAR: {6: (8, 9)},
    JANUARY: {62: (2, 0), 63: (0, 1), 65: (0, 1), 66: (2, 0), 67: (0, 1), 69: (0, 1), 70: (2, 0), 71: (0, 1)},
}
"""Turn -> (mechanized, non-mechanized) points that the Axis receives [20.1, 27.8]."""


def schedule(game: Game) -> tuple[int, int, int]:
    """What the Axis receives this turn: mechanized, German non-mechanized, satellites each."""
    if scenario(game) == CAMPAIGN and game["rp-schedule"]:  # [27.7]
        return int(game.turn % 6 == 0), int(game.turn % 4 == 0), int(game.turn in (10, 28, 46))
    mech, foot = AXIS_SCHEDULE.get(scenario(game), {}).get(game.turn, (0, 0))
    return mech, foot, 0


def doubled(game: Game) -> bool:
    """The Rostov fight or three units on Star hexes double Soviet points, once [27.8]."""
    return scenario(game) == JANUARY and (done(game, "rostov") or int(game["star-units"]) >= 3)


@rules.entering("reinforcement")
def points_phase(game: Game) -> Events:
    """Axis points are added, Soviet ones replace what was left; once a turn, however often the phase is entered."""
    if done(game, "points"):
        return
    yield tick(game, "points")
    mech, foot, satellite = schedule(game)
    yield from add(game, "rp-axis-mech", mech, "schedule", "16.0")
    yield from add(game, "rp-axis-foot", foot, "schedule", "16.0")
    for who in SATELLITES:
        yield from add(game, f"rp-{who}", satellite, "schedule", "27.7")
    if scenario(game) == STAR and game.turn in (2, 3, 4):
        yield from add(game, "ersatz", 1, "one more is available", "20.1")
    if scenario(game) == K:
        return
    row = books.track_row(game)
    printed = {kind: books.whole(row, f"soviet-{kind}") for kind in ("mech", "foot")}
    yield from _soviet_points(game, printed["mech"] or 0, printed["foot"] or 0)
    if None in printed.values():
        text = "Enter this turn's Soviet replacements from your turn track"
        yield owe(game, SOVIET, text, take_replacements, rule="16.0", turn=game.turn)


def _soviet_points(game: Game, mech: int, foot: int) -> Iterator[e.Event]:
    """Points for this turn alone; what was left is gone."""
    twice = doubled(game)
    for kind, printed in (("mech", mech), ("foot", foot)):
        points = printed * 2 if twice else printed
        if points != game[f"rp-soviet-{kind}"]:
            before = game[f"rp-soviet-{kind}"]
            why = (
                "turn track, doubled" if twice else f"turn track{'; not kept from before' if before else ''}"
            )
            yield e.Set(f"rp-soviet-{kind}", points, was=before, reason=why, rule="16.0")


@rules.follow_up(
    rule="16.0",
    label="Take Soviet replacements",
    still=lambda game, duty: duty.args.get("turn", game.turn) == game.turn,
)
def take_replacements(
    game: Game,
    mech: Annotated[int, Whole(label="Mech, as printed", high=30)] = 0,
    foot: Annotated[int, Whole(label="Non-mech, as printed", high=30)] = 0,
) -> Events:
    """Enter the turn track's Soviet points; they are doubled where the scenario says so."""
    yield from _soviet_points(game, mech, foot)


def cost_of(what: str, unit_rated: bool = True) -> int:
    """What a purchase costs [16.21, 16.32, 16.34]."""
    return 1 if what == "cadre" and not unit_rated else PRICES[what]


def ineligible(game: Game, unit: Unit) -> Objection | None:
    """Beside an enemy, or without a supply line [16.1]."""
    if ground.next_to_enemy(game, unit):
        return Objection("stands beside an enemy", rule="16.1")
    if supply_state(game, unit) or can_trace(game, unit) is False:
        return Objection("cannot trace supply", rule="16.1")
    return None


def _wanted(ctx: Context) -> list[Unit]:
    """The units that the chosen purchase could be for."""
    game = ctx.game
    side, what = str(ctx.values.get("side") or own_side(ctx)), str(ctx.values.get("what") or "")
    own = [u for u in game.units.values() if u.side == side]
    if what == "reduced":
        if ctx.seat not in (side, "table") or (ctx.seat == "table" and not game["solo"]):
            return []  # which chits are reduced is the owner's secret
        return [u for u in own if u.on_map and chits.status(game, u) == "reduced"]
    if what == "cadre":
        return [u for u in own if u.on_map and is_cadre(game, u)]
    if what == "rifle":
        return [u for u in own if u.place == "box:pool" and not is_mech(u)]
    if what == "silhouette":
        return [u for u in own if u.place == "box:pool" and is_mech(u)]
    return [u for u in own if u.on_map and u.kind == "breakdown regiment"]


NOT_WANTED = {
    "cadre": "is no cadre on the map",
    "rifle": "is no rifle division in the pool",
    "silhouette": "is no silhouette in the pool",
    "regiment": "is no breakdown regiment on the map",
}


def _nameable(ctx: Context) -> list[Unit]:
    """Whoever may be named, so that the answer says why not; of chits nothing is told by a refusal [2.6]."""
    if str(ctx.values.get("what") or "") == "reduced" or not _wanted(ctx):
        return _wanted(ctx)
    side = str(ctx.values.get("side") or own_side(ctx))
    return [u for u in ctx.game.units.values() if u.side == side]


def _goods(ctx: Context) -> list[tuple[str, str]]:
    side = str(ctx.values.get("side") or own_side(ctx))
    prices = {kind: str(price) for kind, price in PRICES.items()} | {"cadre": "2, 1 without a Rating"}
    return [(kind, f"{text}: {prices[kind]}") for kind, text in KINDS if ONLY.get(kind, side) == side]


def _no_replacements(game: Game) -> bool | str:
    if scenario(game) == K:
        return "there are no replacements in this scenario [20.2]"
    purses = [t.id for t in game.kit.tracks if t.id.startswith("rp-")]
    return any(int(game[p]) for p in purses) or "nobody has replacement points this turn"


def _against_buying(ctx: Context) -> Iterator[Objection]:
    """Who may not have replacements [16.1], what comes once a turn [16.34], which points serve whom, and the HQ [16.32]."""
    game, values = ctx.game, ctx.values
    side, what = str(values.get("side") or own_side(ctx)), str(values.get("what") or "")
    held = game.units.get(str(values.get("unit") or ""))
    if what == "regiment" and done(game, "regiment-to-division"):
        yield Objection("one division a turn comes back this way", rule="16.34")
    if held and what in ("reduced", "cadre", "regiment"):
        why = ineligible(game, held)
        if why:
            yield Objection(f"{label(held)} {why.words}", rule=why.rule)
    if held and side == AXIS:
        why = _not_for(game, held, is_mech(held))
        if why:
            yield why
    if what in ("rifle", "silhouette") and values.get("hex"):
        yield from _no_hq(game, str(values["hex"]))


@rules.action(
    phase="reinforcement",
    by="any",
    rule="16.2, 16.3",
    label="Spend replacements",
    when=_no_replacements,
    primary=True,
    warns=_against_buying,
)
def replace(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=own_side, quiet=own_phone)],
    what: Annotated[str, Choice(label="Buy", options=_goods)],
    unit: Annotated[
        str, UnitRef(label="Unit", pick=_nameable, suggest=_wanted, when=lambda c: bool(_nameable(c)))
    ] = "",
    klass: Annotated[
        str,
        Choice(
            label="Points",
            options=(("mech", "mechanized"), ("foot", "non-mechanized")),
            when=lambda c: not c.values.get("unit") and c.values.get("what") in ("reduced", "cadre"),
        ),
    ] = "foot",
    hex: Annotated[
        str, HexId(label="Hex of the HQ", when=lambda c: c.values.get("what") in ("rifle", "silhouette"))
    ] = "",
    division: Annotated[
        str,
        UnitRef(
            label="Division from the Breakdown Pool",
            pick=lambda c: broken_down(c.game),
            when=lambda c: c.values.get("what") == "regiment",
        ),
    ] = "",
    seat: str = "",
) -> Events:
    """Pay for rebuilding or returning a unit; it gets a Repl marker and stays put this turn."""
    only_its_own(game, seat, side, "spends its own replacements")
    held = game.units.get(unit)
    mech = is_mech(held) if held else klass == "mech"
    mech = mech if what in ("reduced", "cadre") else what == "silhouette"
    price = cost_of(what, bool(rating(game, held)) if held else True)
    if held and what != "reduced" and held not in _wanted(Context(game, seat, {"side": side, "what": what})):
        raise NotNow(f"{label(held)} {NOT_WANTED[what]}", field="unit", given=unit, rule="16.2, 16.3")
    track = _purse(game, side, mech, held)
    if price > int(game[track]):
        text = f"that costs {count(price, 'point')}; there are {game[track]}"
        raise NotNow(text, field="what", given=price, rule="16.2")
    yield from add(game, track, -price, dict(KINDS)[what], "16.2")
    yield from _deliver(game, what, held, hex, division)


def _own_schedule(game: Game) -> bool:
    return scenario(game) == CAMPAIGN and bool(game["rp-schedule"])


def _not_for(game: Game, unit: Unit, mech: bool) -> Objection | None:
    """Some points serve German units, or German regiments, alone [20.3, 27.7, 27.8]."""
    name = scenario(game)
    if nation(game, unit) != "german":
        words = "satellites get no replacements in this scenario"
        return Objection(words, rule="20.3" if name == L else "27.8") if name in (L, JANUARY) else None
    if mech and (_own_schedule(game) or name == JANUARY) and not is_german_regiment(game, unit):
        words = "mechanized points serve German regiments only"
        return Objection(words, rule="27.7" if _own_schedule(game) else "27.8")
    return None


def _purse(game: Game, side: str, mech: bool, unit: Unit | None) -> str:
    """The track that pays: satellites have their own by the realistic schedule [27.7]."""
    if unit is not None and side == AXIS and nation(game, unit) != "german" and _own_schedule(game):
        return f"rp-{nation(game, unit)}"
    return f"rp-{side}-{'mech' if mech else 'foot'}"


def _deliver(game: Game, what: str, unit: Unit | None, hex_id: str, division: str) -> Iterator[e.Event]:
    if what == "regiment":
        if unit is not None and not division:
            raise NotNow("say which division comes from the Breakdown Pool", field="division", rule="16.34")
        yield tick(game, "regiment-to-division")
    if unit is None:
        yield e.Noted(f"replacements: {dict(KINDS)[what]}", rule="16.2")
        return
    if what == "reduced":
        yield from chits.give_back(game, unit, "replacements")
    elif what == "cadre":
        yield put_mark(game, unit.id, "cadre", None, reason="replacements", rule="16.21")
        yield change(game, unit.id, {"steps": unit.full}, reason="replacements", rule="16.21", public=True)
    elif what in ("rifle", "silhouette"):
        yield from _from_pool(game, unit, hex_id)
        if game["pool-repl"] != "yes":
            return
    elif division:
        place = unit.place
        yield move(game, unit.id, "box:regiments", reason="became a division", rule="16.34")
        yield move(game, division, place, reason="from the Breakdown Pool", rule="16.34")
        yield put_mark(game, division, "repl", True, rule="16.22")
        return
    yield put_mark(game, unit.id, "repl", True, rule="16.22")


def _no_hq(game: Game, hex_id: str) -> Iterator[Objection]:
    """Units from the pool come to a committed, Operational HQ away from the enemy [16.32]."""
    hqs = [u for u in game.units_at(hex_id) if u.side == SOVIET and is_hq(u)]
    if any(is_hq(u) for u in game.units.values() if u.side == SOVIET) and not hqs:
        yield Objection(f"no Soviet HQ is in {hex_id}", rule="16.32")
    for hq in hqs:
        if game.mark(hq.id, "uncommitted") or supply_state(game, hq) or ground.next_to_enemy(game, hq):
            yield Objection(
                f"{label(hq)} is not committed, Operational and away from the enemy", rule="16.32"
            )


def _from_pool(game: Game, unit: Unit, hex_id: str) -> Iterator[e.Event]:
    if not hex_id:
        raise NotNow("say in which hex the HQ stands", field="hex", rule="16.32")
    yield come_back(game, unit, hex_id, "from the pool", "16.32")
