"""A battle from its declaration to its result [7.6, 12.4, 12.5, 12.17-12.19]."""

from __future__ import annotations

from typing import Annotated, Any

from companion.engine.errors import Mistake, NotNow
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Dice, HexId, Roll
from companion.engine.play.panels import Fact, Panel
from companion.engine.play.worksheet import Breakdown, Line, look_up
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, put_mark
from companion.engine.record.game import Game
from companion.systems.second_kharkov import air
from companion.systems.second_kharkov.armies import released_by_an_attack
from companion.systems.second_kharkov.base import FIGHT, GERMAN, SOVIET, count, put, rules
from companion.systems.second_kharkov.combat import combat, final_row
from companion.systems.second_kharkov.form import Attackers, air_choices
from companion.systems.second_kharkov.odds import steps_of
from companion.systems.second_kharkov.units import seen_by, turn_over
from companion.systems.second_kharkov.victory import perimeter_attacked

COMBAT_PHASES = tuple(FIGHT.values())
FOLLOW_UPS = ("soviet-losses", "german-losses", "advance", "exploit", "enter-result")
WAIT = "wait-for-air"
LOSSES = {SOVIET: "soviet-losses", GERMAN: "german-losses"}
UNDONE = {
    "defend-by-air": "12.17",
    "resolve-combat": "7.6",
    **dict.fromkeys((*LOSSES.values(), "enter-result"), "12.19"),
}
"""What a combat phase does not end over, with the rule."""


def fought(game: Game) -> dict[str, Any]:
    """The facts of the battle last resolved; empty before the first."""
    if game.last_result.get("worksheet") != "combat":
        return {}
    return dict(game.last_result["breakdown"].get("facts", {}))


def unfinished(game: Game) -> str:
    """What is still to do of the last battle [12.5]."""
    return next((a.text for a in game.asked.values() if a.action in FOLLOW_UPS), "")


def close(game: Game, action: str) -> Events:
    """Put away what is asked about an action that is dealt with."""
    for ask in [a for a in game.asked.values() if a.action == action]:
        yield e.Answered(ask.id, "done")


def _ready(game: Game) -> bool | NotNow:
    rest = unfinished(game)
    return NotNow(f"finish the last battle first: {rest}", rule="12.5") if rest else True


@rules.leaving(FIGHT[SOVIET])
@rules.leaving(FIGHT[GERMAN])
def losses_come_first(game: Game) -> Events:
    """An attack once declared is fought and its losses are taken before the phase ends [7.6, 12.19].

    Whoever disagrees puts the reminder away.
    """
    for ask in game.asked.values():
        if ask.action in UNDONE:
            raise NotNow(f"still to do before the phase ends: {ask.text}", rule=UNDONE[ask.action])
    return iter(())


# -- declaring -------------------------------------------------------------------------------------


def _may_declare(game: Game) -> bool | NotNow:
    for standing in game.marked("target"):
        return NotNow(f"the attack on {standing} stands: resolve it first", rule="7.6, 12.5")
    return _ready(game)


def _near_target(ctx: Context) -> list[Unit]:
    hex_id = str(ctx.values.get("target") or "")
    near = ctx.game.maps.neighbours(hex_id) if hex_id else ()
    return [u for u in seen_by(ctx, ctx.game.active) if u.place in near]


def _german_may_fly(ctx: Context) -> bool:
    return ctx.game.active == GERMAN and int(ctx.game[air.FREE]) > 0


@rules.action(
    phase=COMBAT_PHASES, by="active", rule="12.5", label="Declare an attack", order=10, when=_may_declare
)
def declare_attack(
    game: Game,
    target: Annotated[str, HexId(label="Target hex")],
    attackers: Annotated[
        tuple[str, ...],
        Attackers(label="Attackers", many=True, pick=_near_target, when=lambda c: bool(_near_target(c))),
    ] = (),
    aircraft: Annotated[str, Choice(label="Aircraft", options=air_choices, when=_german_may_fly)] = "0",
) -> Events:
    """Name one target hex; from here the attack stands. Aircraft are promised before stacks are opened."""
    for name in attackers:
        yield put_mark(game, name, "attacking", target, rule="12.5")
    if game.active == GERMAN:
        yield from _open(game, target, int(aircraft))
    elif int(game[air.FREE]):
        yield e.Marked(target, "target", "declared", rule="7.6")
        text = f"Soviets attack {target}: do aircraft defend?"
        yield e.Asked(f"air-{game.revision}", (GERMAN, "table"), text, "defend-by-air", rule="12.17")
        text = f"Attack on {target} declared: the German decides on aircraft"
        yield e.Asked(f"{WAIT}-{game.revision}", (SOVIET,), text, rule="12.17")
    else:
        yield from _open(game, target, 0)


def _open(game: Game, target: str, aircraft: int) -> Events:
    """With the aircraft promised, both stacks are opened [12.17, 7.6]."""
    yield from _stop_waiting(game)
    if aircraft:
        yield e.Marked(target, "support", aircraft, rule="12.17")
        yield from air.fly(game, aircraft, air.USED, f"support at {target}", "12.17")
    yield e.Marked(target, "target", "begun", rule="7.6")
    name, to = f"resolve-{game.revision}", (game.active, "table")
    yield e.Asked(
        name, to, f"Resolve the attack on {target}", "resolve-combat", {"target": target}, rule="12.7"
    )


def _stop_waiting(game: Game) -> Events:
    for name in [n for n in game.asked if n.startswith(WAIT)]:
        yield e.Answered(name, "answered")


rules.leaving(FIGHT[SOVIET])(_stop_waiting)


def _waiting(game: Game) -> list[str]:
    return [hex_id for hex_id, state in game.marked("target").items() if state == "declared"]


@rules.action(
    by=GERMAN,
    phase=FIGHT[SOVIET],
    rule="12.17",
    label="Aircraft defend",
    group="hidden",
    when=lambda game: (
        bool(_waiting(game)) or NotNow("no Soviet attack is waiting for your aircraft", rule="12.17")
    ),
)
def defend_by_air(
    game: Game,
    aircraft: Annotated[str, Choice(label="Aircraft", options=air_choices, start=lambda c: "1")] = "0",
) -> Events:
    """Promise aircraft to the declared battle before the stacks are opened."""
    yield from close(game, "defend-by-air")
    yield from _open(game, _waiting(game)[0], int(aircraft))


@rules.watch
def no_aircraft_defend(game: Game) -> Events:
    """A German who puts the question away sends none [12.17]."""
    if not any(a.action == "defend-by-air" for a in game.asked.values()):
        for hex_id in _waiting(game):
            yield from _open(game, hex_id, 0)


@rules.watch
def both_called_it_off(game: Game) -> Events:
    """An attack whose reminder was put away never was [7.6]; the next one may be declared."""
    if any(a.action == "resolve-combat" for a in game.asked.values()):
        return
    for hex_id, state in list(game.marked("target").items()):
        if state == "begun":
            yield from _lift_declaration(game, hex_id)


def _lift_declaration(game: Game, target: str) -> Events:
    for marker in ("target", "support"):
        if target and game.mark(target, marker) is not None:
            yield e.Marked(target, marker, None, reason=IN_PASSING, rule="12.5")
    for name, hex_id in list(game.marked("attacking").items()):
        if hex_id == target:
            yield put_mark(game, name, "attacking", None, reason=IN_PASSING, rule="12.5")


@rules.panel
def declared_attack(game: Game, seat: str) -> Panel | None:
    """The attack that stands, and whom it waits for."""
    rows = []
    for hex_id, state in game.marked("target").items():
        waits = "the German decides on aircraft" if state == "declared" else "stacks lie open"
        rows.append(Fact(f"on {hex_id}", waits, "7.6"))
        if aircraft := int(game.mark(hex_id, "support") or 0):
            rows.append(Fact("German aircraft", str(aircraft), "12.17"))
    return Panel("Attack declared", rows) if rows else None


# -- resolving -------------------------------------------------------------------------------------


def _needs_die(ctx: Context) -> bool:
    """Attacks worse than 1:3 are not rolled for [12.9]."""
    try:
        return not combat.answer(ctx.values, ctx).result
    except (Mistake, KeyError):
        return True  # the form is not complete yet


def _may_resolve(game: Game) -> bool | NotNow:
    if _waiting(game):
        return NotNow("the German has not said yet whether aircraft defend", rule="12.17")
    return _ready(game)


@rules.action(
    phase=COMBAT_PHASES,
    by="active",
    rule="12.7",
    worksheet=combat,
    label="Resolve a combat",
    primary=True,
    when=_may_resolve,
)
def resolve_combat(
    game: Game,
    sheet: Breakdown,
    die: Annotated[Roll | None, Dice(label="Die", spec="1d6", purpose="combat", when=_needs_die)],
) -> Events:
    """Work out the odds, roll, and book what follows."""
    facts = sheet.facts
    target = str(facts["target"])
    # Whoever resolves has declared: the whole stack lies open now, whatever the form could see [7.6, 12.2].
    facts["defenders"] = [u.id for u in game.units_at(target) if target and u.side == facts["defender"]]
    yield from _spend_aircraft(game, sheet)
    yield from turn_over(game, [game.units[n] for n in (*facts["attackers"], *facts["defenders"])])
    yield from _mark_fighters(game, facts)
    yield from released_by_an_attack(game, str(facts["attacker"]), target)
    yield from perimeter_attacked(game, str(facts["attacker"]), target)
    if die is not None:
        sheet.roll = die.total
        sheet.add(f"roll {die.total}{sheet.modifier:+d}", str(die.total + sheet.modifier), "12.18")
        look_up(sheet, game.chart("crt"), final_row(game, sheet, die.total))
    if sheet.result:
        sheet.effects = [Line(words, "", "12.19") for _, _, words in _losses(game, facts, sheet.result)]
    yield from rules.settle(game, "combat", sheet, (game.active, "table"), "12.18")


def _spend_aircraft(game: Game, sheet: Breakdown) -> Events:
    """Debit aircraft that were not promised at the declaration [12.17]; an automatic result may spare them."""
    flown, target = int(sheet.facts["air"]), str(sheet.facts["target"])
    promised = int(game.mark(target, "support") or 0) if target else 0
    kept = bool(sheet.result) and game["air-in-automatic"] == "kept"
    wanted = 0 if kept else flown
    if wanted > promised:
        yield from air.fly(game, wanted - promised, air.USED, "ground support", "12.17")
    elif promised > wanted:
        yield from put(game, air.FREE, int(game[air.FREE]) + promised, "no roll, stays free", "12.9")
        yield from put(game, air.USED, int(game[air.USED]) - promised, "no roll, stays free", "12.9")


def _mark_fighters(game: Game, facts: dict[str, Any]) -> Events:
    """Each unit attacks once and is attacked once in a combat phase [12.4]."""
    target = str(facts["target"])
    for name in facts["attackers"]:
        yield put_mark(game, name, "attacked", True, reason=IN_PASSING, rule="12.4", public=True)
    for name in facts["defenders"]:
        yield put_mark(game, name, "defended", target, reason=IN_PASSING, rule="12.4", public=True)
    if target and not facts["defenders"]:
        yield e.Marked(target, "defended", True, reason=IN_PASSING, rule="12.4")
    yield from _lift_declaration(game, target)
    yield from close(game, "resolve-combat")


# -- the result ------------------------------------------------------------------------------------


@rules.outcome("combat")
def combat_outcome(game: Game, sheet: dict[str, Any], result: str) -> Events:
    """The defender takes his losses first, then the attacker [12.19]."""
    for side, lost, words in _losses(game, sheet["facts"], result):
        name, to = f"losses-{side}-{game.revision}", (side, "table")
        yield e.Asked(name, to, words, LOSSES[side], {"steps": lost}, rule="12.19, 12.20")


def _losses(game: Game, facts: dict[str, Any], result: str) -> list[tuple[str, int, str]]:
    """Who loses how much, defender first: (side, steps, in words)."""
    steps = steps_of(result)
    where = f" at {facts['target']}" if facts.get("target") else ""
    found = []
    for role in ("defender", "attacker"):
        if steps[role]:
            side = str(facts[role])
            words = f"{game.side_name(side)} {role}: lose {count(steps[role], 'step')}{where}"
            found.append((side, steps[role], words))
    return found


def vacated(game: Game) -> Events:
    """The target hex is empty, so the attackers may move in [12.21]."""
    facts = fought(game)
    side, where = str(facts["attacker"]), facts.get("target") or "the target hex"
    text = f"{where} is empty: attackers may move in"
    yield e.Asked(f"advance-{game.revision}", (side, "table"), text, "advance", rule="12.21")


def losses_open(game: Game) -> bool:
    return any(a.action in LOSSES.values() for a in game.asked.values())


def attacker_waits(game: Game, side: str) -> None:
    """Refuse the attacker's losses while the defender's are open [12.19]."""
    facts = fought(game)
    first = str(facts.get("defender", ""))
    if side == facts.get("attacker") and any(a.action == LOSSES[first] for a in game.asked.values()):
        raise NotNow(f"the defender takes his losses first: {game.side_name(first)}", rule="12.19")
