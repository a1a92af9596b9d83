"""What one seat may see: the only thing a page, an API answer or a print sheet is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

from companion.engine.guard import Guard, name_of
from companion.engine.kit.blocks import PileDef
from companion.engine.kit.roster import Unit
from companion.engine.kit.when import Turns, holds
from companion.engine.people.consent import voices
from companion.engine.people.talk import judge
from companion.engine.play.actions import Action
from companion.engine.play.fields import Context, Roll
from companion.engine.play.panels import Panel
from companion.engine.play.phases import in_force
from companion.engine.play.rules import PanelMaker, Rules
from companion.engine.play.units import due, may_arrive
from companion.engine.record.dice import Spec
from companion.engine.record.events import Asked
from companion.engine.record.game import Game
from companion.engine.record.sequence import order, skip_reason
from companion.engine.record.sight import (
    known_factors,
    may_see_mark,
    may_see_unit,
    may_see_zone,
    stack_of,
    zone_rule,
)
from companion.engine.seat.words import mark_label, place_label, steps_label, value_label


def view(rules: Rules, game: Game, seat: str) -> dict[str, Any]:
    """The table as this seat may see it; what cannot be made is left empty and named under `faults`."""
    guard = Guard()
    return {
        "revision": game.revision,
        "title": game.title,
        "seat": seat,
        "seat_name": seat_name(game, seat),
        "system": {
            "id": game.kit.id,
            "name": game.kit.name,
            "turn_name": game.kit.turn_name,
            "step_name": game.kit.step_name,
            "steps_name": game.kit.steps_name,
        },
        "scenario": {"id": game.scenario.id, "name": game.scenario.name, "partial": game.scenario.partial},
        "sides": [{"id": s.id, "name": s.name, "mark": s.mark} for s in game.kit.sides],
        "turn": {
            "number": game.turn,
            "last": None if game.scenario.open_end else game.last,
            "date": game.date(game.turn),
        },
        "phases": _phases(game),
        "phase": _phase(game),
        "active": game.active,
        "movers": guard.part("Whose move it is", lambda: rules.movers(game), []),
        "actions": offered(rules, game, seat, guard),
        "tracks": [
            {
                "id": t.id,
                "label": t.label,
                "value": game[t.id],
                "side": t.side,
                "rule": t.rule,
                "help": t.help,
            }
            for t in game.kit.tracks
            if not t.hidden
            and (not t.phases or game.phase in t.phases)
            and holds(t.when, game.values)
            and _may_see_value(game, t.id, seat)
        ],
        "dials": [
            {
                "id": d.id,
                "label": d.label,
                "value": game[d.id],
                "text": value_label(game, d.id, game[d.id]),
                "effect": next((v.effect for v in d.values if v.id == game[d.id]), ""),
                "rule": d.rule,
            }
            for d in game.kit.dials
            if not d.hidden and holds(d.when, game.values) and _may_see_value(game, d.id, seat)
        ],
        "due": guard.part("What is due", lambda: _due(game, seat), []),
        "notes": guard.part("Notes in force", lambda: in_force(game), []),
        "asked": _asked(rules, game, seat, guard),
        "units": guard.part("Units", lambda: units_view(game, seat), []),
        "hexes": guard.part("Markers in hexes", lambda: _hexes(game, seat), {}),
        "boxes": [{"id": f"box:{b.id}", "label": b.label, "side": b.side} for b in game.kit.boxes],
        "piles": guard.part("Cups and decks", lambda: _piles(game, seat), []),
        "sealed": {name: sorted(choices) for name, choices in game.sealed.items()},
        "my_sealed": {name: choices[seat] for name, choices in game.sealed.items() if seat in choices},
        "revealed": game.revealed,
        "result": game.last_result if seat in (game.last_result.get("only") or [seat]) else {},
        "last_roll": _last_roll(game),
        "panels": _panels(rules, game, seat, guard),
        "ended": game.ended.to_json() if game.ended else None,
        "record_open": game.record_open,
        "modes": {name: game[f"mode-{name}"] for name in ("dice", "chits", "cards")},
        "judge": judge(game),
        "solo": bool(game["solo"]),
        "fog": bool(game["fog"]),
        "commitment": game.commitment,
        "tray": list(game.kit.tray),
        "faults": guard.faults,
    }


def _due(game: Game, seat: str) -> list[dict[str, Any]]:
    return [
        {
            "id": name,
            "text": a.text,
            "side": a.side,
            "rule": a.rule,
            "entry": a.entry,
            "late": game.turn - a.turn,
            "doubtful": a.doubtful,
            "open": may_arrive(game, a, seat),
        }
        for name, a in due(game)
        if seat in {"table", "watch", a.side} or not a.side
    ]


def _hexes(game: Game, seat: str) -> dict[str, dict[str, Any]]:
    found = {t: marks_view(game, t, seat) for t in game.marks if t not in game.units}
    return {t: marks for t, marks in found.items() if marks}


def _panels(rules: Rules, game: Game, seat: str, guard: Guard) -> list[dict[str, Any]]:
    def made(make: PanelMaker) -> Panel | None:
        return guard.part(name_of(make), lambda: make(game, seat), None)

    return [asdict(panel) for panel in map(made, rules.panels) if panel]


def seat_name(game: Game, seat: str) -> str:
    return {"table": "Table", "watch": "Watching"}.get(seat) or game.side_name(seat)


def _may_see_value(game: Game, name: str, seat: str) -> bool:
    return seat in game.hidden.get(name, (seat,))


def _phases(game: Game) -> list[dict[str, Any]]:
    phases = order(game)
    ids = [p.id for p in phases]
    now = ids.index(game.phase) if game.phase in ids else 0
    rows = []
    for index, phase in enumerate(phases):
        reason = skip_reason(game, phase)
        state = "skipped" if reason else "now" if index == now else "done" if index < now else "to come"
        rows.append(
            {
                "id": phase.id,
                "code": phase.code,
                "name": phase.name,
                "side": game.side_of(phase),
                "part": phase.part,
                "state": state,
                "reason": reason,
            }
        )
    return rows


def _phase(game: Game) -> dict[str, Any]:
    phase = game.phase_def()
    if phase is None:
        return {}
    checks = []
    for index, check in enumerate(phase.checklist):
        if game.turn in Turns(check.turns) and holds(check.when, game.values):
            item = f"{game.turn}/{phase.id}/{index}"
            checks.append(
                {
                    "item": item,
                    "text": check.text,
                    "rule": check.rule,
                    "done": item in game.ticked,
                    "action": check.action,
                }
            )
    return {
        "id": phase.id,
        "code": phase.code,
        "name": phase.name,
        "part": phase.part,
        "rule": phase.rule,
        "help": phase.help,
        "side": game.side_of(phase),
        "alternates": phase.side.startswith("@"),
        "checklist": checks,
    }


def offered(rules: Rules, game: Game, seat: str, guard: Guard | None = None) -> list[dict[str, Any]]:
    """The actions this seat may do now."""
    guard = guard or Guard()

    def open_to_seat(action: Action) -> bool:
        return guard.part(action.label, lambda: action.refusal(game, seat) is None, False)

    found = [a for a in rules.actions.values() if a.group != "hidden" and open_to_seat(a)]
    return [
        {
            "name": a.name,
            "label": a.label,
            "doc": a.doc,
            "rule": a.rule,
            "group": a.group,
            "primary": a.primary,
            "fields": guard.part(a.label, partial(_asks, a, game, seat), len(a.fields)),
            "now": bool(a.phases),
            "order": a.order,
        }
        for a in sorted(found, key=lambda a: (not a.primary, a.order, a.label))
    ]


def _last_roll(game: Game) -> dict[str, Any]:
    """The last open roll and what it came to; `sum` where a player told no more than that."""
    last = game.last_roll
    if not last:
        return {}
    roll = Roll(last["dice"], tuple(last["values"]), last["mode"], last.get("sum"))
    return {**last, "plus": Spec.parse(roll.dice).plus, "total": roll.total}


def _asks(action: Action, game: Game, seat: str) -> int:
    """How many fields a form would show now; with none, and no worksheet to look at, a button does it."""
    if action.worksheet is not None:
        return len(action.fields)
    here = Context(game, seat)
    return sum(1 for f in action.fields.values() if f.when is None or f.when(here))


def _left_to_say(rules: Rules, game: Game, seat: str, ask: Asked) -> int:
    """How many fields the form of a prompt would still show; with none, one tap on the prompt does it."""
    action = rules.actions.get(ask.action)
    if action is None or action.worksheet is not None or action.refusal(game, seat) is not None:
        return 1
    rows = action.describe(Context(game, seat), ask.args)
    return sum(not row["hidden"] and not row["quiet"] for row in rows)


def _asked(rules: Rules, game: Game, seat: str, guard: Guard) -> list[dict[str, Any]]:
    def left(ask: Asked) -> int:
        return guard.part(ask.text, lambda: _left_to_say(rules, game, seat, ask), 1)

    return [
        {
            "id": a.id,
            "text": a.text,
            "action": a.action,
            "label": rules.actions[a.action].label if a.action in rules.actions else "",
            "args": dict(a.args),
            "fields": left(a) if seat in a.to else 0,
            "rule": a.rule,
            "to": list(a.to),
            "to_words": voices(game, a.to),
            "mine": seat in a.to,
            "by": a.by,
            "consent": a.is_consent,
            "asker": str(a.args.get("asker", "")),
        }
        for a in game.asked.values()
        if seat in (a.only or (seat,)) and (seat in a.to or not a.only)
    ]


def units_view(game: Game, seat: str) -> list[dict[str, Any]]:
    """Every unit as a seat sees it; counters it may not know are sorted by place, so that order tells nothing."""
    stacks = game.stacks()
    seen: list[dict[str, Any]] = []
    unknown: list[dict[str, Any]] = []
    for unit in game.units.values():
        known = may_see_unit(game, unit, seat, stacks)
        (seen if known else unknown).append(unit_view(game, unit, seat, stacks))
    return [*seen, *sorted(unknown, key=lambda u: str(u["id"]))]


def unit_view(
    game: Game, unit: Unit, seat: str, stacks: Mapping[str, list[Unit]] | None = None
) -> dict[str, Any]:
    """A unit as a seat sees it; a hidden one is only a counter of its side in a place."""
    if not may_see_unit(game, unit, seat, stacks):
        return {
            "id": _blind(unit, stack_of(game, unit, stacks)),
            "side": unit.side,
            "place": unit.place,
            "hidden": True,
            "name": "?",
        }
    marks = marks_view(game, unit.id, seat)
    return {
        "id": unit.id,
        "side": unit.side,
        "name": unit.name,
        "kind": unit.kind,
        "klass": unit.klass,
        "size": unit.size,
        "formation": unit.formation,
        "steps": unit.steps,
        "full": unit.full,
        "factors": known_factors(game, unit),
        "untried": unit.untried,
        "place": unit.place,
        "place_label": place_label(game, unit.place),
        "turn": unit.turn,
        "entry": unit.entry,
        "note": unit.note,
        "doubtful": unit.doubtful,
        "order": unit.order,
        "marks": marks,
        "mark_words": mark_words(game, marks),
        "step_words": f"{unit.steps} of {steps_label(game, unit.full)}" if unit.full > 1 else "",
    }


def _blind(unit: Unit, stack: list[Unit]) -> str:
    """A stand-in id that tells nothing: its place in the stack."""
    return f"{unit.side}-{unit.place}-{[u.id for u in stack].index(unit.id) + 1}"


def marks_view(game: Game, target: str, seat: str) -> dict[str, Any]:
    """The markers on a unit or hex that a seat may see."""
    return {
        name: mark.value
        for name, mark in game.marks.get(target, {}).items()
        if may_see_mark(game, target, name, seat)
    }


def mark_words(game: Game, marks: Mapping[str, Any]) -> list[str]:
    """Markers as a player reads them; those that only the rules need are left out."""
    quiet = {m.id for m in game.kit.markers if m.quiet}
    return [mark_label(game, name, value) for name, value in marks.items() if name not in quiet]


def _piles(game: Game, seat: str) -> list[dict[str, Any]]:
    held = (p for p in game.kit.piles if p.id in game.piles and holds(p.when, game.values))
    return [_pile(game, p, seat) for p in held]


def _pile(game: Game, definition: PileDef, seat: str) -> dict[str, Any]:
    pile = game.piles[definition.id]
    seen = {z.id: z for z in definition.zones}
    zones = []
    for zone, tokens in pile.zones.items():
        base = zone.partition(":")[0]
        open_to_seat = may_see_zone(game, definition.id, zone, seat)
        if zone_rule(game, definition.id, zone) == "none":
            continue
        row: dict[str, Any] = {
            "zone": zone,
            "label": seen[base].label if base in seen else base,
            "count": len(tokens),
        }
        if open_to_seat:
            row["tokens"] = [{"id": t, **game.face(definition.id, t)} for t in tokens]
        zones.append(row)
    return {"id": definition.id, "label": definition.label, "side": definition.side, "zones": zones}
