"""Man-made features [18.0]: Fortified Zones built in four phases, and pontoon bridges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Choice, Context, HexId, SideRef, UnitRef
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.positions.pieces import count, on_map
from companion.engine.record import events as e
from companion.engine.record.changes import put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books, ground
from companion.systems.kharkov_battles.base import (
    CONSTRUCTION,
    SETTING_UP,
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
from companion.systems.kharkov_battles.units import (
    fortified,
    is_multi_step,
    label,
    on_the_map,
    supply_state,
)

FIRST = 3


def may_build(game: Game, unit: Unit) -> bool:
    """An Operational multi-step unit or Soviet rifle division may start work where it stands [18.14]."""
    return idle_hands(game, unit) is None


def idle_hands(game: Game, unit: Unit) -> Objection | None:
    """Why a unit cannot start work where it stands [18.14]."""
    if not is_multi_step(game, unit) and not (unit.side == "soviet" and unit.kind == "rifle"):
        return Objection("is neither a multi-step unit nor a Soviet rifle division", rule="18.14")
    if supply_state(game, unit):
        return Objection("is not Operational", rule="18.14")
    return no_site(game, unit.place)


def no_site(game: Game, hex_id: str) -> Objection | None:
    """Why nothing can be built in a hex."""
    if ground.size(game, hex_id) in ("town", "city") or ground.terrain(game, hex_id) == "marsh":
        return Objection(f"cannot build in {hex_id}: no Fortified Zone in town, city or marsh", rule="18.15")
    if ground.terrain(game, hex_id) == "high woods" and hex_id == "G4011":
        return Objection("cannot build in High Woods", rule="27.2")
    return None


def counters_left(game: Game, kind: str, side: str) -> int | None:
    """FZ or Building counters not in use, as far as the owner said how many there are."""
    total = books.limit(game, f"{kind} {side}")
    if total is None:
        return None
    used = (
        list(game.marked("fz").values()).count(side) if kind == "fz" else len(game.marked(f"building-{side}"))
    )
    return total - used


def _builders(ctx: Context) -> list[Unit]:
    return on_the_map(lambda g, u: u.side == g.active and may_build(g, u))(ctx)


def _against_building(ctx: Context) -> Iterator[Objection]:
    """What speaks against the builders [18.14], the ground [18.15] and the counter mix [18.17]."""
    game = ctx.game
    units, hexes = [game.units[n] for n in ctx.values.get("units") or ()], ctx.values.get("hexes") or ()
    for unit in units:
        why = idle_hands(game, unit)
        if why:
            yield Objection(f"{label(unit)} {why.words}", rule=why.rule)
    for h in hexes:
        why = no_site(game, h)
        if why:
            yield Objection(f"{h} {why.words}", rule=why.rule)
    left = counters_left(game, "building", game.active)
    if left is not None and len({*hexes, *(u.place for u in units)}) > left:
        yield Objection(f"{count(left, 'Building marker')} left", rule="18.17")


@rules.action(
    phase=CONSTRUCTION,
    by="active",
    rule="18.14",
    label="Start a Fortified Zone",
    primary=True,
    warns=_against_building,
)
def build_fz(
    game: Game,
    units: Annotated[
        tuple[str, ...],
        UnitRef(
            label="Builders",
            many=True,
            pick=on_the_map(lambda g, u: u.side == g.active),
            suggest=_builders,
            when=lambda c: bool(on_map(c.game, c.game.active)),
        ),
    ] = (),
    hexes: Annotated[
        tuple[str, ...], HexId(label="Hexes", many=True, help="of builders that are not on record")
    ] = (),
) -> Events:
    """Put a Building 3 marker where eligible units stand."""
    side = game.active
    sites = {game.units[name].place: name for name in units} | {h: "" for h in hexes}
    if not sites:
        raise NotNow("name the builders, or the hexes", field="units", rule="18.14")
    for h, builder in sites.items():
        if fortified(game, h, side) or game.mark(h, f"building-{side}"):
            why = Objection("there is work or a Fortified Zone already", rule="18.14")
            raise why.to(f"{h}:", field="hexes", given=h)
        yield e.Marked(h, f"building-{side}", FIRST, rule="18.14")
        if builder:
            yield put_mark(game, builder, "builder", h, rule="18.14")


def _idle(game: Game, hex_id: str, side: str) -> str:
    """Why a work does not go on: its builder, where it is on record, can build no more [18.14]."""
    names = [n for n, where in game.marked("builder").items() if where == hex_id]
    here = [game.units[n] for n in names if game.units[n].side == side]
    why = [w for u in here if (w := idle_hands(game, u))]
    return f"{label(here[0])} {why[0].words}" if here and len(why) == len(here) else ""


def _advance_work(game: Game, side: str) -> Iterator[e.Event]:
    """Once a turn, however often the phase is entered."""
    if done(game, f"works/{side}"):
        return
    yield tick(game, f"works/{side}")
    for h, number in list(game.marked(f"building-{side}").items()):
        idle = _idle(game, h, side)
        if idle:
            yield e.Noted(f"the work in {h} stands still: {idle}", rule="18.14")
            continue
        if int(number) > 1:
            yield e.Marked(h, f"building-{side}", int(number) - 1, rule="18.14")
            continue
        if counters_left(game, "fz", side) == 0:
            text = f"{h} is finished, but every {game.side_name(side)} FZ marker is in use: remove one to place it"
            yield e.Noted(text, rule="18.17")
            continue
        yield e.Marked(h, f"building-{side}", None, reason="completed", rule="18.14")
        yield e.Marked(h, "fz", side, reason="completed", rule="18.14")
        yield from _dismiss_builders(game, h, side, "completed")


@rules.entering("axis-construction")
def axis_work(game: Game) -> Events:
    """Markers placed on earlier turns go down by one."""
    yield from _advance_work(game, "axis")


@rules.entering("soviet-construction")
def soviet_work(game: Game) -> Events:
    """Markers placed on earlier turns go down by one."""
    yield from _advance_work(game, "soviet")


def _dismiss_builders(game: Game, hex_id: str, side: str, reason: str) -> Iterator[e.Event]:
    for name, where in list(game.marked("builder").items()):
        if where == hex_id and game.units[name].side == side:
            yield put_mark(game, name, "builder", None, reason=reason, rule="18.16")


def stop_building(game: Game, hex_id: str, side: str, reason: str) -> Iterator[e.Event]:
    """Attacked or left: the work is lost [18.16]."""
    if game.mark(hex_id, f"building-{side}") is not None:
        yield e.Marked(hex_id, f"building-{side}", None, reason=reason, rule="18.16")
        yield from _dismiss_builders(game, hex_id, side, reason)


def _any_works(game: Game) -> bool | str:
    found = any(game.marked(m) for m in ("fz", "building-axis", "building-soviet"))
    return found or "no works are noted"


@rules.action(by="any", rule="18.16, 18.17", label="Remove works", group="book-keeping", when=_any_works)
def remove_works(
    game: Game,
    hex: Annotated[str, HexId(label="Hex")],
    side: Annotated[str, SideRef(label="Whose", start=own_side)],
) -> Events:
    """Take off a Building or Fortified Zone marker: stopped, captured, or given up."""
    if game.mark(hex, "fz") == side:
        yield e.Marked(hex, "fz", None, reason="removed", rule="18.16")
    elif game.mark(hex, f"building-{side}") is not None:
        yield from stop_building(game, hex, side, "removed")
    else:
        raise NotNow(
            f"no {game.side_name(side)} works are noted in {hex}", field="hex", given=hex, rule="18.16"
        )


@rules.watch
def watch_works(game: Game) -> Events:
    """Builders that left stop building; an enemy in a Fortified Zone ends it."""
    for name, where in list(game.marked("builder").items()):
        unit = game.units.get(name)
        if unit is not None and unit.place != where:
            yield from stop_building(game, str(where), unit.side, f"{label(unit)} left")
            if game.mark(name, "builder"):
                yield put_mark(game, name, "builder", None, rule="18.16")
    for h, side in list(game.marked("fz").items()):
        if any(u.side != side for u in game.units_at(h)):
            yield e.Marked(h, "fz", None, reason="occupied by the enemy", rule="18.16")


# -- pontoons ----------------------------------------------------------------------------------------------


def _may_place(game: Game) -> bool | str:
    if scenario(game) == STAR or (scenario(game) == L and game["l-pontoons"]):
        return bool(game["pontoons"]) or "all three pontoons are laid or lost [18.21]"
    return "no pontoons are placed in this scenario [18.21, 20.2, 27.8]"


@rules.entering("turn", turns="11")
def pontoons_in_l(game: Game) -> Events:
    """An option gives the Soviets their pontoons in Third Kharkov too."""
    if scenario(game) == L and game["l-pontoons"] and not done(game, "pontoons"):
        yield from add(game, "pontoons", 3, "option", "18.21")
        yield tick(game, "pontoons")


def _no_bridgehead(ctx: Context) -> Iterator[Objection]:
    game, a, b = ctx.game, str(ctx.values["hex"]), str(ctx.values["across"])
    here = {u.side for u in game.units_at(a)}
    if "soviet" not in here and (here or on_map(game, "soviet")):
        yield Objection(f"no Soviet unit stands in {a}", rule="18.21")
    if ground.known_map(game) and "dnepr" not in ground.features(game, a, b):
        yield Objection(f"your map book shows no Dnepr between {a} and {b}", rule="18.21")


@rules.action(
    phase="soviet-construction",
    by="soviet",
    rule="18.21",
    label="Place a pontoon",
    when=_may_place,
    order=1,
    warns=_no_bridgehead,
)
def place_pontoon(
    game: Game,
    hex: Annotated[str, HexId(label="Soviet-occupied hex")],
    across: Annotated[str, HexId(label="Hex across the Dnepr")],
) -> Events:
    """Bridge a Dnepr hexside: from then on a bridged Major River for both sides."""
    yield from _lay(game, hex, across)
    yield from add(game, "pontoons", -1, "placed", "18.21")


def _lay(game: Game, a: str, b: str) -> Iterator[e.Event]:
    if b not in ground.grid_at(game, a).neighbours(a):
        raise NotNow(f"{b} is not adjacent to {a}", field="across", given=b, rule="18.21")
    side = game.maps.hexside(a, b)
    if game.mark(side, "pontoon"):
        raise NotNow(f"{side} has a pontoon already", field="across", given=b, rule="18.21")
    yield e.Marked(side, "pontoon", True, rule="18.21")


def _setting_up(game: Game) -> bool | str:
    if scenario(game) != K or game.turn != game.scenario.first:
        return "pontoons are set up before Second Kharkov begins [20.2]"
    return len(game.marked("pontoon")) < 3 or "there are three pontoons in the game [18.21]"


def _no_river(ctx: Context) -> Iterator[Objection]:
    """The set-up chart says where they stand: over whatever river it likes."""
    game, a, b = ctx.game, str(ctx.values["hex"]), str(ctx.values["across"])
    if ground.known_map(game) and not ground.features(game, a, b) & {"dnepr", "major river", "minor river"}:
        yield Objection(f"your map book shows no river between {a} and {b}", rule="18.21")


@rules.action(
    phase=SETTING_UP,
    by="any",
    rule="18.21, 20.2",
    label="Set up a pontoon",
    group="setup",
    order=2,
    when=_setting_up,
    warns=_no_river,
)
def setup_pontoon(
    game: Game, hex: Annotated[str, HexId(label="Hex")], across: Annotated[str, HexId(label="Hex across")]
) -> Events:
    """Note a pontoon that stands on the map at the start (Second Kharkov)."""
    yield from _lay(game, hex, across)


def _laid(ctx: Context) -> list[tuple[str, str]]:
    return [(s, s) for s in ctx.game.marked("pontoon")]


def _bank_held(ctx: Context) -> Iterator[Objection]:
    """One's own unit on one bank and no enemy on the other [18.22]."""
    game, side = ctx.game, str(ctx.values.get("side") or own_side(ctx))
    banks = [u for h in str(ctx.values["bridge"]).split("-") for u in game.units_at(h)]
    if any(u.side != side for u in banks) or (on_map(game) and not banks):
        yield Objection("one bank must hold your unit and the other no enemy", rule="18.22")


@rules.action(
    by="any",
    rule="18.22",
    label="Remove a pontoon",
    group="units",
    when=lambda g: bool(g.marked("pontoon")),
    warns=_bank_held,
)
def remove_pontoon(
    game: Game,
    bridge: Annotated[str, Choice(label="Pontoon", options=_laid)],
    side: Annotated[str, SideRef(label="Removed by", start=own_side, quiet=own_phone)],
    seat: str = "",
) -> Events:
    """Either player takes a pontoon off for good: his unit on one bank, no enemy on the other."""
    only_its_own(game, seat, side, "removes a pontoon itself")
    yield e.Marked(bridge, "pontoon", None, reason=f"removed by {game.side_name(side)}", rule="18.22")
    yield tick(game, f"pontoon/{bridge}")
