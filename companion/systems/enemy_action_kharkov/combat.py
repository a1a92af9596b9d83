"""Declaring a combat: the worksheet of chits, and the record that every chit is judged against [9.0-9.3]."""

from __future__ import annotations

from dataclasses import replace

from companion.engine.errors import NotNow, Unreadable
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Context
from companion.engine.play.worksheet import Breakdown
from companion.engine.record import events as e
from companion.engine.record.game import Game

from .base import SOVIET, ask, called, rules
from .command import in_command, played
from .fight import LARGE, Fight, cleanup, current, draws, save
from .form import CombatForm
from .manifest import cup_is_real
from .record import barrage, from_record
from .situations import armoured, flank
from .tactics import invite


@rules.worksheet(rule="9.3, 9.4", title="Combat")
def combat(ctx: Context, form: CombatForm) -> Breakdown:
    """How many chits the attacker must and may draw, and which situations hold."""
    game = ctx.game
    sheet = _sheet(assemble(game, form), form.tactics)
    if in_command(game) and not cup_is_real(game) and played(game).value is None:
        sheet.warnings.append(
            "no command value is known for the card: chits that name one do not apply [9.4]"
        )
    return sheet


def assemble(game: Game, form: CombatForm) -> Fight:
    """The combat as the record shows it, under what is typed."""
    side = form.attacker or game.active or SOVIET
    fight = Fight(attacker=side, target=form.hex)
    if form.hex and not form.by_hand:
        fight = from_record(game, side, form.hex, [game.units[u] for u in form.units])
    fight = _typed(fight, form)
    if fight.status == "mixed" and game["mixed-isolation"] == "none":
        fight.status = "poor"
    if fight.status != "good":
        fight.defender_tactics_open = False  # one defender must be supplied and in order [9.2]
    if side == SOVIET and game.turn <= 2 and (form.barrage or barrage(game, form.hex)):
        fight.attack_tactics.append("artillery")  # [9.24]
    fight.light_mud = game["ground"] == "light-mud"
    return fight


def _typed(fight: Fight, form: CombatForm) -> Fight:
    """Typed numbers instead of the record's, ticks besides them."""
    numbers = {
        name: getattr(form, name) for name in ("small", "large", "steps", "hexes", "terrain", "status")
    }
    ticks = ("apart", "adjacent", "ip", "river", "attacker_armour", "defender_armour")
    return replace(
        fight,
        **{name: number for name, number in numbers.items() if number not in (None, "")},
        **{name: getattr(fight, name) or getattr(form, name) for name in ticks},
        attack=_strength(fight.attack, form.attack, form.attack_halved),
        defence=_strength(fight.defence, form.defence, form.defence_halved),
        supported=fight.supported and not form.unsupported,
    )


def _strength(recorded: int, full: int | None, halved: int) -> int:
    """Typed strength, what is halved rounded down once [9.4]; the record's where none is typed."""
    return recorded if full is None and not halved else (full or 0) + halved // 2


def _sheet(fight: Fight, preview: int = 0) -> Breakdown:
    shown = replace(
        fight, attack_tactics=[*fight.attack_tactics, *(f"tactic {n + 1}" for n in range(preview))]
    )
    sheet = draws(shown, Breakdown("Combat"))
    sheet.facts["fight"] = fight.to_json()
    ours, theirs = armoured(fight)
    for label, true, rule in (
        ("flank attack", flank(fight), "9.4"),
        ("one-hex attack", fight.hexes == 1, "9.4"),
        ("defender adjacent to a friend", fight.adjacent, "9.4"),
        ("IP crossfire", fight.ip, "9.4"),
        ("only the attacker has armour", ours and not theirs, "9.4"),
        ("only the defender has armour", theirs and not ours, "9.4"),
        ("dispersed or unsupplied defenders", fight.status != "good", "9.4"),
        ("Soviets not supported", not fight.supported, "10.42"),
        ("all attack across a river: one defender hit less", fight.river, "9.51"),
    ):
        if true:
            sheet.add(label, "applies", rule)
    if fight.attack or fight.defence:
        sheet.add(f"strength {fight.attack}:{fight.defence} in {fight.terrain}", "", "9.4")
    sheet.result = f"{sheet.facts['required']} required, {sheet.facts['maximum']} at most"
    need = LARGE[fight.attacker]
    sheet.add("large attack from", f"{need} chits", "9.4")
    return sheet


def _may_declare(game: Game) -> bool | str:
    said = in_command(game)
    if not said or said.get("what") not in ("activate", "units", "kg"):
        return "only units activated by the card of this impulse attack [9.1]"
    fight = current(game)
    return fight is None or fight.settled or "finish the combat in hand first"


@rules.action(
    phase="command",
    by="active",
    rule="9.0",
    worksheet=combat,
    label="Declare a combat",
    primary=True,
    when=_may_declare,
)
def declare_combat(game: Game, sheet: Breakdown) -> Events:
    """Name the target and the attackers; both sides may then play tactics, attacker first."""
    fight = Fight(**sheet.facts["fight"])
    attackers = [game.units[u] for u in fight.units]
    _check(game, fight, attackers)
    yield from cleanup(game)
    _know_the_card(game, fight)
    yield e.Resolved("combat", sheet.to_json(), sheet.result)
    where = f" on {fight.target}" if fight.target else ""
    yield save(fight, f"{game.side_name(fight.attacker)} attack{where}")
    for unit in attackers:
        yield from _leave_ip(game, unit, fight)
    if fight.bonus:
        text = f"Attacker: name the free tactic of {played(game).label}"
        yield ask(game, "bonus", (fight.attacker, "table"), text, "bonus-tactic", "9.23")
    yield from invite(game, fight)


def _check(game: Game, fight: Fight, attackers: list[Unit]) -> None:
    """Everything the chits need is told, and the units may fight [9.1]."""
    if not fight.small + fight.large:
        raise Unreadable(
            "how many units attack? Choose them, or enter their number", field="small", rule="9.3"
        )
    if not fight.steps:
        raise Unreadable("how many steps defend? One chit is drawn for each", field="steps", rule="9.3")
    beside = game.maps.neighbours(fight.target) if fight.target else ()
    far = [called(u) for u in attackers if u.place not in beside]
    if far:
        raise NotNow(f"{', '.join(far)}: not next to {fight.target}", field="units", rule="9.1")
    if attackers and all(game.mark(u.id, "supply") for u in attackers):
        raise NotNow("at least one supplied unit must attack", field="units", rule="9.1")
    if fight.defenders and all(game.mark(d, "struck") for d in fight.defenders):
        raise NotNow("those defenders were attacked in this activation already", field="hex", rule="9.1")
    if not fight.attack and not fight.units and not cup_is_real(game):
        raise Unreadable("enter both strengths: many chits compare them", field="attack", rule="9.4")


def _know_the_card(game: Game, fight: Fight) -> None:
    """What the card in play and Soviet support mean for the combat [9.23, 9.4, 10.42]."""
    known = played(game)
    fight.value = known.value
    fight.fixed_counts = bool(game["fixed-counts"])
    fight.nkvd_event = game["nkvd-turn"] == game.turn
    if fight.supported or fight.attacker != SOVIET:
        fight.bonus = int(known.manstein or known.stavka)
    else:
        fight.attacker_tactics_open = False
        fight.attack_tactics = []
    if fight.defender == SOVIET and not fight.supported:
        fight.defender_tactics_open = False


def _leave_ip(game: Game, unit: Unit, fight: Fight) -> Events:
    """An IP goes when all units of its hex attack [12.24]."""
    if game.mark(unit.place, "ip") and all(u.id in fight.units for u in game.units_at(unit.place)):
        yield e.Marked(unit.place, "ip", None, reason="all its units attack", rule="12.24")
