"""What the counters say: class, steps, cadres, zones, headquarters; and putting a counter on record."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any

from companion.engine.forms.fields import Choice, Context, Flag, HexId, SideRef, Text, Whole
from companion.engine.kit.roster import Unit, slug
from companion.engine.play.actions import Events
from companion.engine.positions.situation import board
from companion.engine.record import events as e
from companion.engine.record.changes import change, create, put_mark
from companion.engine.record.game import Game
from companion.systems.kharkov_battles.base import (
    AXIS,
    SOVIET,
    STAR,
    K,
    Objection,
    fall_blau,
    own_side,
    rules,
    scenario,
)

MECH = ("panzer", "panzergrenadier", "motorized", "assault gun", "tank", "mechanized", "tiger")
NO_ZONE = ("hq", "tiger company")
STATIC = ("ersatz", "fortress region")
SIZES = (("I", "company"), ("II", "battalion"), ("III", "regiment"), ("X", "brigade"), ("XX", "division"),
         ("XXX", "corps"), ("XXXX", "army"))  # fmt: skip


def trait(game: Game, unit: Unit, name: str) -> Any:
    """A trait printed on the counter."""
    return game.mark(unit.id, name)


def is_hq(unit: Unit) -> bool:
    return unit.kind.startswith("hq")


def is_formation(unit: Unit) -> bool:
    """The divisions and corps that Second Kharkov counts; headquarters are neither [20.2]."""
    return unit.size in ("XX", "XXX") and not is_hq(unit)


def printed_number(text: str) -> int:
    """The number a division's name begins with, however it is written: '60.Motorized', '60 Mot', '60M'."""
    found = re.match(r"\d+(?!\d|\.?SS)", text.strip(), re.I)
    return int(found[0]) if found else 0


def is_mech(unit: Unit) -> bool:
    """Tanks, assault guns, mechanized and motorized infantry [2.5]."""
    return unit.klass == "mech" or (not unit.klass and unit.kind.startswith(MECH))


def is_tiger(unit: Unit) -> bool:
    return unit.kind.startswith("tiger")


def brings_shift(game: Game, unit: Unit) -> bool:
    """A Tiger battalion always, a company with a unit of its parent formation in the stack [15.3]."""
    if unit.kind == "tiger battalion":
        return True
    friends = [u for u in game.units_at(unit.place) if u.id != unit.id and u.formation == unit.formation]
    return unit.kind == "tiger company" and bool(unit.formation and friends)


def icon(unit: Unit) -> str:
    """The icon colour that a Soviet army is known by, however it was written [13.22]."""
    return unit.formation.strip().lower()


def rating(game: Game, unit: Unit) -> str:
    """The Combat Rating letter, empty when the unit has a printed strength."""
    return str(trait(game, unit, "rating") or "").upper()


def is_cadre(game: Game, unit: Unit) -> bool:
    return bool(trait(game, unit, "cadre"))


def is_unknown(game: Game, unit: Unit) -> bool:
    """Whether a counter came on record by its name alone: nobody has told its type nor its steps [2.5, 2.7]."""
    bare = unit.kind in ("", "unit") and unit.full == 1
    return bare and not unit.untried and not rating(game, unit) and not is_cadre(game, unit)


def is_multi_step(game: Game, unit: Unit) -> bool:
    """More than one step printed, and not down to its cadre [2.7]."""
    return (unit.full > 1 or bool(rating(game, unit))) and not is_cadre(game, unit)


def is_silhouette(game: Game, unit: Unit) -> bool:
    return bool(trait(game, unit, "silhouette")) or is_tiger(unit)


def is_german_regiment(game: Game, unit: Unit) -> bool:
    """A regimental unit of a German mechanized division: it needs a PanzerKorps and costs points when lost.

    Second Kharkov's 3. Panzer is one counter and treated as a regiment [20.2].
    """
    whole = scenario(game) == K and unit.size == "XX"
    return (
        unit.side == AXIS and is_mech(unit) and not is_silhouette(game, unit) and bool(unit.formation or whole)
        and nation(game, unit) == "german"
    )  # fmt: skip


def nation(game: Game, unit: Unit) -> str:
    if unit.side == SOVIET:
        return "soviet"
    return str(trait(game, unit, "nation") or "german")


def stacks_free(game: Game, unit: Unit) -> bool:
    """Cadres, Tiger companies, Ersatz and Fortress Regions do not count [6.12, 15.32, 20.1, 27.4]."""
    return is_cadre(game, unit) or unit.kind in (*STATIC, "tiger company")


def is_combat_unit(unit: Unit) -> bool:
    return not is_hq(unit)


def steps_left(game: Game, unit: Unit) -> int:
    """The true number of steps, a hidden reduced chit included: for its owner's eyes."""
    if is_cadre(game, unit):
        return 1
    if rating(game, unit):
        return 2 if game.mark(unit.id, "chit") == "reduced" else 3
    return max(1, unit.steps)


def steps_seen(game: Game, unit: Unit, seat: str) -> int:
    """The steps as a seat may know them: under a chit that it cannot see there may be all of them [2.6]."""
    if is_unknown(game, unit):  # as many as a counter may have
        return 3
    if rating(game, unit) and not is_cadre(game, unit) and seat != unit.side:
        return 3
    return steps_left(game, unit)


def supply_state(game: Game, unit: Unit) -> str:
    """'', 'oos' or 'isolated'; a hex's marker is about the stacks in it that are not on record."""
    return str(game.mark(unit.id, "supply") or "")


def fortified(game: Game, hex_id: str, side: str) -> bool:
    """A Fortified Zone of a side: its marker, or one printed on the map, which nobody can destroy [18.1]."""
    return game.mark(hex_id, "fz") == side or hex_id in board(game).book.named("area", f"fz {side}")


def has_zoc(game: Game, unit: Unit) -> bool:
    """Whether a unit exerts a zone, its stack and fortifications considered [2.4, 7.13, 15.11, 18.12]."""
    if fortified(game, unit.place, unit.side):
        return True
    if is_hq(unit) or unit.kind in NO_ZONE or trait(game, unit, "no-zoc"):
        return False
    if is_cadre(game, unit):
        return sum(1 for u in game.units_at(unit.place) if is_cadre(game, u)) >= 3
    return True


Pick = Callable[[Context], list[Unit]]


def mine(test: Callable[[Game, Unit], bool] = lambda game, unit: True) -> Pick:
    """The units of the seat's side that pass a test."""

    def pick(ctx: Context) -> list[Unit]:
        units = ctx.game.units.values()
        return [u for u in units if ctx.seat in {"table", u.side} and test(ctx.game, u)]

    return pick


def on_the_map(test: Callable[[Game, Unit], bool] = lambda game, unit: True) -> Pick:
    """The seat's own units on the map that pass a test."""
    return mine(lambda game, unit: unit.on_map and test(game, unit))


def label(unit: Unit) -> str:
    return unit.name or unit.kind or unit.id


def _is_headquarters(ctx: Context) -> bool:
    """What only combat counters carry is not asked of an HQ, nor a command range of others."""
    return str(ctx.values.get("kind") or "").startswith("hq")


def _is_on_foot(ctx: Context) -> bool:
    kind = str(ctx.values.get("kind") or "")
    return bool(kind) and not kind.startswith(MECH)


def _of(side: str) -> Callable[[Context], bool]:
    return lambda c: str(c.values.get("side") or own_side(c)) == side


def _enrolled_before(ctx: Context) -> Iterator[Objection]:
    """A counter of that name is on record, perhaps by its name alone."""
    side, name = str(ctx.values.get("side") or ""), slug(str(ctx.values.get("name") or ""))
    for unit in ctx.game.units.values():
        if unit.side == side and slug(unit.name) == name:
            where = f" in {unit.place}" if unit.on_map else ""
            yield Objection(
                f"{unit.name} is on record already{where}: describe it instead, or enrol another", rule="3.0"
            )


@rules.action(by="any", label="Enrol a counter", group="units", rule="3.0", warns=_enrolled_before)
def enrol(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=own_side)],
    name: Annotated[str, Text(label="Name", most=40, placeholder="LAH 1")],
    kind: Annotated[str, Choice(label="Type", options=lambda c: [(k, k) for k in c.game.kit.unit_kinds])],
    size: Annotated[str, Choice(label="Size", options=SIZES)] = "XX",
    formation: Annotated[str, Text(label="Division, or icon colour", most=30)] = "",
    rating: Annotated[str, Text(label="Combat Rating letter", most=1, quiet=_is_headquarters)] = "",
    strength: Annotated[int, Whole(label="Printed strength", high=30, quiet=_is_headquarters)] = 0,
    movement: Annotated[int, Whole(label="Movement allowance", high=30)] = 0,
    reach: Annotated[
        int, Whole(label="Command range (HQ)", high=30, quiet=lambda c: not _is_headquarters(c))
    ] = 0,
    steps: Annotated[int, Whole(label="Steps", low=1, high=3, quiet=_is_headquarters)] = 1,
    band: Annotated[
        str,
        Choice(label="Armor band", options=(("blue", "blue"), ("yellow", "yellow")), quiet=_is_on_foot),
    ] = "",
    nationality: Annotated[
        str,
        Choice(
            label="Nationality",
            options=[(n, n) for n in ("german", "hungarian", "italian", "rumanian")],
            quiet=_of(SOVIET),
        ),
    ] = "",
    half: Annotated[bool, Flag(label="White size symbol", quiet=_is_headquarters)] = False,
    stripe: Annotated[bool, Flag(label="White stripe (no zone)", quiet=_is_headquarters)] = False,
    silhouette: Annotated[bool, Flag(label="Silhouette", quiet=_is_on_foot)] = False,
    guards: Annotated[bool, Flag(label="Guards", quiet=_of(AXIS))] = False,
    nkvd: Annotated[bool, Flag(label="NKVD", quiet=_of(AXIS))] = False,
    no_repl: Annotated[bool, Flag(label="No Repl", quiet=_is_headquarters)] = False,
    hex: Annotated[str, HexId(label="Hex")] = "",
) -> Events:
    """Put one counter on record with what is printed on it."""
    base = slug(f"{side} {name}")
    unit_id, number = base, 2
    while unit_id in game.units:
        unit_id, number = f"{base}-{number}", number + 1
    full = 3 if rating else steps
    factors = {k: v for k, v in (("CS", strength), ("MP", movement), ("CR", reach)) if v}
    facts = {"side": side, "name": name, "kind": kind, "size": size, "formation": formation, "steps": full,
             "full": full, "factors": factors}  # fmt: skip
    yield create(game, unit_id, hex, {k: v for k, v in facts.items() if v})
    traits = {"rating": rating.upper(), "band": band, "nation": nationality, "half": half, "no-zoc": stripe,
              "silhouette": silhouette, "guards": guards, "nkvd": nkvd, "no-repl": no_repl}  # fmt: skip
    for marker, value in traits.items():
        if value:
            yield put_mark(game, unit_id, marker, value)


def rooted(game: Game, unit: Unit) -> Objection | None:
    """Why a unit may not move at all this turn, or nothing."""
    if game.mark(unit.id, "repl"):
        return Objection("is taking replacements and does not move", rule="16.22")
    if game.mark(unit.id, "uncommitted"):
        return Objection("is uncommitted and does not move", rule="13.11")
    trucks = scenario(game) == STAR and not game.turn and bool(game["popov-trucks"])
    if trucks and is_mech(unit) and icon(unit) == "orange":
        return Objection("waits for Popov's trucks and does not move", rule="20.1")
    return None


def no_infiltration(game: Game, unit: Unit) -> Objection | None:
    """Why a unit cannot use Mobile Infiltration, or nothing."""
    if supply_state(game, unit) == "isolated":
        return Objection("is Isolated and cannot infiltrate", rule="8.33e")
    if fall_blau(game) and (unit.side == SOVIET or not is_mech(unit)):
        return Objection(
            "does not infiltrate: only German mechanized units do, by Fall Blau's errata", rule="27.2"
        )
    if unit.side == AXIS and (not is_mech(unit) or nation(game, unit) != "german"):
        return Objection("does not infiltrate: only German mechanized units do", rule="11.1")
    if unit.side == SOVIET and not (is_mech(unit) or unit.kind == "cavalry"):
        return Objection("does not infiltrate: only mechanized units and cavalry do", rule="11.1")
    if unit.side == SOVIET and scenario(game) == K and game.turn != 1:
        return Objection("does not infiltrate: Soviets do on turn 1 only", rule="20.2")
    return None


def become_cadre(game: Game, unit: str, reason: str) -> Iterable[e.Event]:
    """The counter is turned to its cadre side, for all to see."""
    yield put_mark(game, unit, "cadre", True, reason=reason, rule="2.7")
    yield change(game, unit, {"steps": 1}, reason=reason, rule="2.71", public=True)
