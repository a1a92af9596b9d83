"""The two campaigns [27.3-27.8]: Hitler's goals, exits, Star hexes, Voronezh, withdrawals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.forms.fields import Choice, Context, Flag, HexId, UnitRef, Whole
from companion.engine.forms.panels import Fact, Panel
from companion.engine.kit.roster import Unit
from companion.engine.people.consent import propose_end, withdraw_end
from companion.engine.play.actions import Chance, Events
from companion.engine.play.duties import drop, offer, owe
from companion.engine.positions.pieces import on_map
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, create, move, put_mark, read_face
from companion.engine.record.game import Game
from companion.systems.kharkov_battles import books, ground
from companion.systems.kharkov_battles.base import (
    AXIS,
    CAMPAIGN,
    JANUARY,
    SETTING_UP,
    SOVIET,
    K,
    Objection,
    add,
    done,
    rules,
    scenario,
    tick,
)
from companion.systems.kharkov_battles.owners import NAMES, owner, owns
from companion.systems.kharkov_battles.units import is_mech, is_multi_step, nation, on_the_map

DRAWS = (1, 10, 28, 46)
GOALS = {
    "moscow": ("B2114", "A3621"),
    "volga": ("B2114", "B3050"),
    "caucasus": ("B2114", "K0917", "C2302", "G3718", "G2832"),
}
EXITS = {"moscow": 6, "volga": 3, "caucasus": 0}
SECRET = (AXIS,)
GOAL_MET = "Hitler's goal"


@rules.entering("turn")
def goal_box(game: Game) -> Events:
    """Fill the box of goal chits at the start; on the drawing turns remind the Axis, and only the Axis."""
    if scenario(game) != CAMPAIGN:
        return
    rows = books.table(game, "goals")
    if game.turn == game.scenario.first and rows and not game.piles["goals"].tokens():
        yield e.Drawn("goals", tuple(sorted(rows)), "", "box", len(rows), reason=IN_PASSING)
        yield e.Noted(f"{len(rows)} goal chits are in the box", rule="27.3")
    if game.turn in DRAWS and not done(game, "goal"):
        yield tick(game, "goal")
        text = "Draw Hitler's goal; nobody else may see it"
        yield owe(game, AXIS, text, draw_goal, rule="27.3", only=SECRET, turn=game.turn)


def met(game: Game, goal: str) -> bool:
    """Whether the Axis has done what a goal asks."""
    if goal not in GOALS or not owns(game, AXIS, *GOALS[goal]):
        return False
    if goal == "moscow":
        return int(game["exits-cde"]) >= EXITS[goal]
    if goal == "volga":
        out = (int(game["exits-h"]), int(game["exits-i"]))
        return (max(out) if game["volga-both"] == "one" else sum(out)) >= EXITS[goal]
    return True


def _digital(game: Game) -> bool:
    return game["mode-chits"] != "physical" and bool(game.piles["goals"]["box"])


@rules.follow_up(
    rule="27.3",
    label="Draw Hitler's goal",
    still=lambda game, duty: duty.args.get("turn", game.turn) == game.turn,
)
def draw_goal(
    game: Game,
    chance: Chance,
    drawn: Annotated[
        str,
        Choice(
            label="You drew",
            options=(("moscow", "Moscow"), ("volga", "Volga"), ("caucasus", "Caucasus")),
            when=lambda c: not _digital(c.game),
        ),
    ] = "",
) -> Events:
    """Put the old goal chit away and draw another; only the Axis seat sees it."""
    before = str(game["goal"])
    if game["hitler-sack"] and before in GOALS and not any(owner(game, h) == AXIS for h in GOALS[before]):
        why = "The Axis owns none of the hexes of its goal: Hitler takes over."
        yield from propose_end(game, SOVIET, "Victory", why, "27.3", f"sack {game.turn}")
    old = tuple(game.piles["goals"]["current"])
    if old:
        yield e.Returned(
            "goals", old, "current", "removed", len(old), reason="old goal out of play", only=SECRET
        )
    if _digital(game):
        event = chance.draw(game, "goals", "box", "current", only=SECRET, reason="new goal")
        yield event
        drawn = books.word(game.face("goals", event.tokens[0]), "goal")
    elif drawn in GOALS:
        yield from read_face(game, "goals", f"turn {game.turn}", {"goal": drawn}, side=AXIS)
    if drawn not in GOALS:
        raise NotNow("say which goal you drew", field="drawn", rule="27.3")
    yield e.Set("goal", drawn, was=before, reason="drawn", rule="27.3", only=SECRET)
    yield e.Noted("Hitler's goal is drawn", rule="27.3")


@rules.watch
def watch_goal(game: Game) -> Events:
    """The current goal, once met, wins at once."""
    if scenario(game) == CAMPAIGN and met(game, str(game["goal"])):
        why = f"Hitler's goal {str(game['goal']).capitalize()} is met."
        yield from propose_end(game, AXIS, "Strategic Victory", why, "27.3", GOAL_MET)
    else:
        yield from withdraw_end(game, GOAL_MET)


@rules.panel
def goal_panel(game: Game, seat: str) -> Panel | None:
    """The current goal, on the Axis screen only."""
    goal = str(game["goal"])
    if seat != AXIS or goal not in GOALS:
        return None
    rows = []
    for h in GOALS[goal]:
        held = owner(game, h)
        shown = game.side_name(held) if held else "?"
        rows.append(Fact(f"{NAMES[h]} {h}", shown, "27.3"))
    if EXITS[goal]:
        tracks = ("exits-cde",) if goal == "moscow" else ("exits-h", "exits-i")
        out = sum(int(game[t]) for t in tracks)
        rows.append(Fact("multi-step mechanized units out", f"{out} of {EXITS[goal]}", "27.3"))
    return Panel(f"Hitler's goal: {goal.capitalize()}", rows)


@rules.action(
    by=AXIS,
    rule="27.3",
    label="Exit units by an Entry Area",
    group="units",
    when=lambda game: scenario(game) == CAMPAIGN or "nobody leaves the map in this scenario",
)
def exit_units(
    game: Game,
    area: Annotated[str, Choice(label="Entry Area", options=[(a, a) for a in "CDEHI"])],
    number: Annotated[int, Whole(label="Multi-step mechanized units", low=0, high=12)] = 0,
    units: Annotated[tuple[str, ...], UnitRef(label="Units on record", many=True, pick=on_the_map())] = (),
    no_line: Annotated[bool, Flag(label="No supply line from the exit hex")] = False,
) -> Events:
    """Units leave for good; with a supply line they count toward Hitler's goal."""
    counting = [n for n in units if is_mech(game.units[n]) and is_multi_step(game, game.units[n])]
    for name in units:
        yield move(game, name, "box:exited", reason=f"by Area {area}", rule="27.3")
    if no_line:
        yield e.Noted("they left without a supply line and do not count", rule="27.3")
        return
    track = "exits-cde" if area in "CDE" else f"exits-{area.lower()}"
    yield from add(game, track, number or len(counting), f"left by Area {area}", "27.3")


# -- January -----------------------------------------------------------------------------------------------


@rules.action(
    phase=("axis-move", "axis-combat"),
    by=AXIS,
    rule="27.8",
    label="Count units on Star hexes",
    group="units",
    when=lambda game: scenario(game) == JANUARY or "Star hexes are not watched in this scenario",
)
def star_hex(
    game: Game,
    number: Annotated[int, Whole(label="Axis units that were never there before", low=1, high=9)] = 1,
) -> Events:
    """Count different Axis units on Star hexes: at three, Soviet replacements double and Star Optional units may enter."""
    before = int(game["star-units"])
    yield from add(game, "star-units", number, "different Axis units on Star hexes", "27.8")
    if before < 3 <= int(game["star-units"]):
        text = "Star Optional units may enter by Areas C-H: 2 Guards Cavalry Corps, 88, 154 and 274 Rifle Divisions"
        yield owe(game, SOVIET, text, rule="27.8")


@rules.watch
def watch_voronezh(game: Game) -> Events:
    """Voronezh Soviet-owned for the first time: a free rifle division next turn, once [27.8]."""
    if scenario(game) != JANUARY:
        return
    if owner(game, "A3621") == AXIS and "voronezh/axis" not in game.ticked:
        yield e.Ticked("voronezh/axis", True, "Voronezh is in Axis hands")
    if (
        owner(game, "A3621") == SOVIET
        and "voronezh/axis" in game.ticked
        and "voronezh/free" not in game.ticked
    ):
        yield e.Ticked("voronezh/free", True, f"Voronezh liberated: a free division on turn {game.turn + 1}")
        yield e.Ticked(f"{game.turn + 1}/free-division", True, "one free Soviet rifle division is due")


def rostov_near(game: Game) -> bool:
    """A Soviet unit within five hexes of Axis-owned Rostov [27.8]."""
    if game.mark("B2114", "owner") != AXIS:
        return False
    near = (ground.distance(game, "B2114", u.place) for u in on_map(game, "soviet"))
    return any(d is not None and d <= 5 for d in near)


def _far_from_rostov(ctx: Context) -> Iterator[Objection]:
    if on_map(ctx.game, SOVIET) and not rostov_near(ctx.game):
        yield Objection("no Soviet unit on record is within five hexes of an Axis-owned Rostov", rule="27.8")


@rules.action(
    phase="maintenance",
    by="any",
    rule="27.8",
    label="Fight for Rostov",
    order=5,
    when=lambda game: scenario(game) == JANUARY and not done(game, "rostov"),
    warns=_far_from_rostov,
)
def rostov_fight(game: Game) -> Events:
    """A Soviet unit is within five hexes of Axis-owned Rostov: a point for this turn, Soviet replacements double."""
    yield from add(game, "sp-free", 1, "fight for Rostov, this turn only", "27.8")
    yield from drop(game, "rostov-fight")
    yield tick(game, "rostov", "Fight for Rostov: 1 SP this turn, Soviet RP doubled")


@rules.entering("maintenance")
def rostov_reminder(game: Game) -> Events:
    """Offer the Rostov escalation when the positions show it."""
    if scenario(game) == JANUARY and rostov_near(game) and not done(game, "rostov"):
        text = "Soviets within five hexes of Rostov: the Axis gets 1 SP, Soviet RP double"
        yield offer(game, (*game.sides, "table"), text, rostov_fight, rule="27.8")


@rules.entering("reinforcement")
def campaign_reminders(game: Game) -> Events:
    """What falls due in the January Campaign."""
    if scenario(game) != JANUARY or done(game, "due"):
        return
    yield tick(game, "due")
    if done(game, "free-division"):
        text = "Voronezh fell last turn: one free rifle division from the pool"
        yield owe(game, SOVIET, text, rule="27.8")
    if owner(game, "A2435") == AXIS:
        yield e.Noted("Novokhoperskiy is Axis-owned: Entry Area F is closed", rule="27.8")
    if game.turn == 64:
        for unit in list(game.units.values()):
            if unit.side == AXIS and nation(game, unit) == "rumanian" and unit.place != "box:withdrawn":
                yield move(game, unit.id, "box:withdrawn", reason="Rumanians leave", rule="27.8")


def _regions(game: Game) -> bool | str:
    if game.turn != game.scenario.first:
        return "Fortress Regions are set up on the first turn"
    in_play = scenario(game) in (JANUARY, CAMPAIGN) and bool(game["fortress-regions"])
    return in_play or "Fortress Regions are not in play [27.4]"


@rules.action(
    phase=SETTING_UP,
    by="any",
    rule="27.4",
    label="Set up a Fortress Region",
    group="setup",
    order=2,
    when=_regions,
)
def fortress_region(
    game: Game,
    name: Annotated[
        str, Choice(label="Region", options=[(n, f"{n} FR") for n in ("75", "53", "117", "118", "74")])
    ],
    hex: Annotated[str, HexId(label="Hex")],
) -> Events:
    """Put a Soviet Fortress Region on record: one step, a zone, never moves or attacks."""
    unit = f"soviet-fr-{name}-{hex.lower()}"
    if unit in game.units:
        raise NotNow(f"{name} FR in {hex} is on record", field="hex", given=hex, rule="27.4")
    yield create(
        game, unit, hex, {"side": SOVIET, "name": f"{name} FR", "kind": "fortress region", "size": "X"}
    )


def _soviets(ctx: Context) -> list[Unit]:
    return [u for u in ctx.game.units.values() if u.side == SOVIET]


def _colours(ctx: Context) -> list[tuple[str, str]]:
    return [(c, c) for c in sorted({u.formation for u in _soviets(ctx) if u.formation})]


def _may_wait(game: Game) -> bool | str:
    """Only Second Kharkov and the Grand Campaign begin with armies that wait."""
    if scenario(game) not in (K, CAMPAIGN):
        return "everybody is committed in this scenario [20.1, 20.3, 27.8]"
    if game.turn != game.scenario.first:
        return "armies that wait are told before the first turn ends"
    return any(u.side == SOVIET for u in game.units.values()) or "no Soviet unit is on record"


@rules.action(
    phase=SETTING_UP,
    by="any",
    rule="13.1",
    label="Mark armies that wait",
    group="setup",
    order=1,
    when=_may_wait,
)
def setup_uncommitted(
    game: Game,
    colours: Annotated[
        tuple[str, ...],
        Choice(label="Icon colours that wait", options=_colours, many=True, when=lambda c: bool(_colours(c))),
    ] = (),
    units: Annotated[
        tuple[str, ...],
        UnitRef(label="Single units", many=True, pick=_soviets, when=lambda c: not c.values.get("colours")),
    ] = (),
) -> Events:
    """Mark the armies that wait for their commitment; everybody else is committed."""
    waiting = [u.id for u in game.units.values() if u.side == SOVIET and u.formation in colours]
    if not waiting and not units:
        raise NotNow("name the icon colours, or the units", field="colours", rule="13.1")
    for name in dict.fromkeys((*waiting, *units)):
        yield put_mark(game, name, "uncommitted", True, rule="13.1")
