"""Declaring a combat: the worksheet of chits, and the battle that every chit is judged against [9.0-9.4]."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Context
from companion.engine.forms.worksheet import Breakdown
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.duties import engage, leave
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import (
    SOVIET,
    Reason,
    called,
    on_record,
    rules,
    steps_untold,
    titled,
)
from companion.systems.enemy_action_kharkov.command import in_command, played
from companion.systems.enemy_action_kharkov.cup import owe_chits
from companion.systems.enemy_action_kharkov.fight import LARGE, Fight, draws, headline, one_at_a_time
from companion.systems.enemy_action_kharkov.form import CombatForm, against_attacker, attacker, inactive
from companion.systems.enemy_action_kharkov.manifest import cup_is_real
from companion.systems.enemy_action_kharkov.record import (
    barrage,
    fight_of,
    from_record,
    terrain,
    unknown_units,
)
from companion.systems.enemy_action_kharkov.situations import armoured, flank
from companion.systems.enemy_action_kharkov.tactics import invite, owe_bonus
from companion.systems.enemy_action_kharkov.telling import ask_of_units


@rules.worksheet(rule="9.3, 9.4", title="Combat")
def combat(ctx: Context, form: CombatForm) -> Breakdown:
    """How many chits the attacker must and may draw, and which situations hold."""
    game = ctx.game
    sheet = _sheet(assemble(game, form), form.tactics)
    attack, defence = form.typed_strengths
    sheet.facts["typed"] = {
        "attack": _strength(None, attack, form.attack_halved),
        "defence": _strength(None, defence, form.defence_halved),
        "attackers": form.small is not None or form.large is not None,
        "steps": form.steps is not None,
    }
    if bare := _bare(game, form):
        sheet.warnings.append(f"asked next, and counted as one step until then: {', '.join(bare)} [9.3]")
    if in_command(game) and not cup_is_real(game) and played(game).value is None:
        sheet.warnings.append(
            "no command value is known for the card: chits that name one do not apply [9.4]"
        )
    return sheet


def _bare(game: Game, form: CombatForm) -> list[str]:
    """Units that would fight and whose steps nobody has told."""
    here = [u for u in game.units_at(form.hex) if form.hex and u.id not in form.units]
    return [called(u) for u in (*on_record(game, form.units), *here) if steps_untold(game, u)]


def assemble(game: Game, form: CombatForm) -> Fight:
    """The combat as the record shows it, under what is typed."""
    side = form.attacker or game.active or SOVIET
    fight = Fight(attacker=side, target=form.hex)
    if form.hex:
        fight = from_record(game, side, form.hex, tuple(form.units))
    told = _typed(fight, form) | {"light_mud": game["ground"] == "light-mud"}
    if form.units and not form.by_hand and (known := terrain(game, form.hex)):
        told["terrain"] = known  # the map book knows better than what the form began with
    status = told.get("status", fight.status)
    if status == "mixed" and game["mixed-isolation"] == "none":
        status = told["status"] = "poor"
    if status != "good":  # one defender must be supplied and in order [9.2]
        told["defender_tactics_open"] = False
    if side == SOVIET and game.turn <= 2 and (form.barrage or barrage(game, form.hex)):
        told["attack_tactics"] = ("artillery",)  # [9.24]
    return replace(fight, **told)


def _typed(fight: Fight, form: CombatForm) -> dict[str, Any]:
    """Typed numbers instead of the record's, ticks besides them."""
    numbers = {
        name: getattr(form, name) for name in ("small", "large", "steps", "hexes", "terrain", "status")
    }
    ticks = ("apart", "adjacent", "ip", "river", "attacker_armour", "defender_armour")
    attack, defence = form.typed_strengths
    return {
        **{name: number for name, number in numbers.items() if number not in (None, "")},
        **{name: getattr(fight, name) or getattr(form, name) for name in ticks},
        "attack": _strength(fight.attack, attack, form.attack_halved),
        "defence": _strength(fight.defence, defence, form.defence_halved),
        "supported": fight.supported and not form.unsupported,
    }


def _strength(recorded: int | None, full: int | None, halved: int) -> int | None:
    """Typed strength, what is halved rounded down once [9.4]; the record's where none is typed."""
    return recorded if full is None and not halved else (full or 0) + halved // 2


def _sheet(fight: Fight, preview: int = 0) -> Breakdown:
    tactics = [*fight.attack_tactics, *(f"tactic {n + 1}" for n in range(preview))]
    sheet = draws(replace(fight, attack_tactics=tactics) if preview else fight, Breakdown("Combat"))
    sheet.facts["fight"] = fight.to_json()
    ours, theirs = armoured(fight)
    for label, true, rule in (
        (
            f"defender's tactics: {', '.join(map(titled, fight.defence_tactics))}",
            bool(fight.defence_tactics),
            "9.2",
        ),
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
    if sheet.column:
        sheet.add(f"strength {sheet.column} in {fight.terrain}", "", "9.4")
    sheet.result = f"{sheet.facts['required']} required, {sheet.facts['maximum']} at most"
    sheet.add("large attack from", f"{LARGE[fight.attacker]} chits", "9.4")
    return sheet


def _may_declare(game: Game) -> bool | str | NotNow:
    said = in_command(game)
    if not said or said.get("what") not in ("activate", "units", "kg"):
        return "only units activated by the card of this impulse attack [9.1]"
    return one_at_a_time(game)


def _against_it(ctx: Context) -> Iterator[Reason]:
    """What the rules have against the attack as it is declared [9.1]."""
    game, target = ctx.game, str(ctx.values.get("hex") or "")
    if {"withdrew", "built"} & set(in_command(game)):
        yield Reason("combats come before withdrawals and improved positions", "6.0")
    units = [game.units[u] for u in ctx.values.get("units") or ()]
    for unit in units:
        yield from against_attacker(game, unit)
        if inactive(game, unit):
            yield Reason(f"{called(unit)} is not active", "9.1")
    far = [called(u) for u in units if target and u.place not in game.maps.neighbours(target)]
    if far:
        yield Reason(f"{', '.join(far)}: not next to {target}", "9.1")
    if units and all(game.mark(u.id, "supply") for u in units):
        yield Reason("at least one supplied unit must attack", "9.1")
    there = [u for u in game.units_at(target) if target and u.side != attacker(ctx)]
    if there and all(game.mark(u.id, "struck") for u in there if not game.mark(u.id, "fell-back")):
        yield Reason("those defenders were attacked in this activation already", "9.1")
    if target and units and not there:
        yield Reason(f"no enemy unit is on record in {target}", "9.1")


@rules.action(
    phase="command",
    by="active",
    rule="9.0",
    worksheet=combat,
    label="Declare a combat",
    primary=True,
    when=_may_declare,
    warns=_against_it,
)
def declare_combat(game: Game, sheet: Breakdown) -> Events:
    """Name the target and the attackers; both sides may then play tactics, attacker first."""
    fight, typed = Fight(**sheet.facts["fight"]), sheet.facts["typed"]
    _complete(game, fight)
    fight = _with_the_card(game, fight)
    yield from leave(game)
    battle = yield from engage(
        game,
        headline(game, fight.attacker, fight.target, {"attack_tactics": fight.attack_tactics}),
        fight.attacker,
        [fight.target] if fight.target else [],
        {fight.attacker: fight.units, fight.defender: fight.defenders},
        "9.0",
        typed=typed,
        **fight.facts(),
    )
    for unit in on_record(game, fight.units):
        yield from _leave_ip(game, unit, fight)
    yield from ask_of_units(game, battle)
    known = played(game)
    if (known.manstein or known.stavka) and (fight.supported or fight.attacker != SOVIET):
        yield from owe_bonus(game, battle, known.label)
    yield from invite(game, battle, fight)
    yield owe_chits(game, battle)


def _complete(game: Game, fight: Fight) -> None:
    """Everything the chits need is told."""
    if not fight.small + fight.large:
        raise Unreadable(
            "how many units attack? Choose them, or enter their number", field="small", rule="9.3"
        )
    if not fight.steps:
        raise Unreadable("how many steps defend? One chit is drawn for each", field="steps", rule="9.3")
    if cup_is_real(game):
        return
    for number, units in ((fight.attack, fight.units), (fight.defence, fight.defenders)):
        if number is None and not units:
            raise Unreadable("enter both strengths: many chits compare them", field="strengths", rule="9.4")


def _with_the_card(game: Game, fight: Fight) -> Fight:
    """What the card in play and Soviet support mean for the combat [9.23, 9.4, 10.42]."""
    fight = replace(
        fight,
        value=played(game).value,
        fixed_counts=bool(game["fixed-counts"]),
        nkvd_event=game["nkvd-turn"] == game.turn,
    )
    if fight.supported:
        return fight
    if fight.attacker == SOVIET:
        return replace(fight, attacker_tactics_open=False, attack_tactics=())
    return replace(fight, defender_tactics_open=False)


def _leave_ip(game: Game, unit: Unit, fight: Fight) -> Events:
    """An IP goes when all units of its hex attack; in one combat, unless the table counts several [12.24]."""
    over = game["ip-two-combats"] == "goes"
    here = [u for u in game.units_at(unit.place) if not (over and game.mark(u.id, "attacked"))]
    if game.mark(unit.place, "ip") and all(u.id in fight.units for u in here):
        yield e.Marked(unit.place, "ip", None, reason="all its units attack", rule="12.24")


@rules.sheet_of_battle
def before_the_chits(game: Game, battle: Battle, seat: str) -> Breakdown | None:
    """How a declared combat stands: everything in it is public [9.3, 9.4]."""
    sheet = _sheet(fight_of(game, battle))
    asked = unknown_units(game, battle)
    if asked:
        sheet.warnings.append(f"not known yet: {', '.join(called(u) for u in asked)} [9.4]")
    return sheet
