"""The log's words: each event as one short line, in the reader's own view of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion.engine.dice import Spec
from companion.engine.people.corrections import named_values
from companion.engine.people.settings import SETTING_NAMES, SETTING_VALUES
from companion.engine.record.changes import BY_SEQUENCE, IN_PASSING, OFF_COUNTER, OFF_IN_PASSING, PUT_BACK
from companion.engine.record.events import OFFERED, is_about_seats
from companion.engine.record.game import Game


def describe(body: Mapping[str, Any], game: Game) -> str:
    """A line for an event as `Event.seen_by` gives it; empty for events that need no line."""
    return _WORDS[str(body["kind"])](body, game)


def value_label(game: Game, name: str, value: Any) -> str:
    """A dial's or option's value in words."""
    choices = {d.id: d.values for d in game.kit.dials}
    choices |= {o.id: o.choices for o in (*game.kit.options, *game.scenario.options)}
    for choice in choices.get(name, ()):
        if choice.id == value:
            return choice.label
    if isinstance(value, bool):
        return "yes" if value else "no"
    found = dict(SETTING_VALUES.get(name, ())).get(value, str(value))
    return found[:1].lower() + found[1:] if name in SETTING_VALUES else found


def steps_label(game: Game, count: int) -> str:
    """So many steps, as the game calls them."""
    return f"{count} {game.kit.step_name if count == 1 else game.kit.steps_name}"


def mark_label(game: Game, marker: str, value: Any = True) -> str:
    """A marker with its value, in words: Fortification field."""
    kind = next((m for m in game.kit.markers if m.id == marker), None)
    label = kind.label if kind else marker
    if value is True or value is None or value is False or value == "on":
        return label
    words = {s.id: s.name for s in game.kit.sides} | dict(kind.words if kind else {})
    return f"{label} {words.get(str(value), value)}"


def name_label(game: Game, name: str) -> str:
    """A track's, dial's or option's label."""
    labels = dict(named_values(game))
    if name in labels:
        return labels[name]
    return {**SETTING_NAMES, "record": "The record"}.get(name, name.replace("-", " ").capitalize())


def place_label(game: Game, place: str) -> str:
    """A hex number, or a box by its label."""
    if place.startswith("box:"):
        box = place[4:]
        return next((b.label for b in game.kit.boxes if b.id == box), box)
    return place or "off the record"


def target_label(game: Game, target: str) -> str:
    """A unit's name or a hex number."""
    unit = game.units.get(target)
    return (unit.name or unit.kind or unit.id) if unit else target


def _why(body: Mapping[str, Any]) -> str:
    return f" ({body['reason']})" if body.get("reason") else ""


def _advanced(body: Mapping[str, Any], game: Game) -> str:
    phase = game.phase_def(str(body["phase"]))
    date = game.date(int(body["turn"]))
    title = f"{game.kit.turn_name} {body['turn']}{f', {date}' if date else ''}: {phase.name if phase else body['phase']}"
    return title + _why(body)


def _set(body: Mapping[str, Any], game: Game) -> str:
    name = name_label(game, str(body["name"]))
    if body.get("reason") == IN_PASSING:
        return ""
    if body.get("hidden"):
        return f"{name} changed in secret"
    was = body.get("was")
    if isinstance(body.get("value"), Mapping | list | tuple):
        return f"{name}: {body['reason']}" if body.get("reason") else ""  # a game's own record, not words
    value = value_label(game, str(body["name"]), body.get("value"))
    before = f"{value_label(game, str(body['name']), was)} \u2192 " if was is not None else ""
    return f"{name}: {before}{value}{_why(body)}"


def _rolled(body: Mapping[str, Any], game: Game) -> str:
    if body.get("hidden"):
        return f"rolled {str(body['dice']).replace('z', '')} in secret"
    spec = Spec.parse(str(body["dice"]))
    told = body.get("sum")
    values = [int(v) for v in body["values"]] if told is None else [int(told)]
    plus = f" {spec.plus:+d}" if spec.plus else ""
    adds_up = (len(values) > 1 and not body.get("each")) or spec.plus
    sums = f"{plus} = {sum(values) + spec.plus}" if adds_up else ""
    purpose = f"{body['purpose']}: " if body.get("purpose") else ""
    by_hand = " (by hand)" if body.get("mode") == "physical" else ""
    return f"{purpose}{str(spec).replace('z', '')} rolled {', '.join(map(str, values))}{sums}{by_hand}"


def _zone_label(game: Game, pile: str, zone: str) -> str:
    definition = next((p for p in game.kit.piles if p.id == pile), None)
    base, _, owner = zone.partition(":")
    label = next((z.label for z in definition.zones if z.id == base), "") if definition else ""
    label = label or base
    if not owner:
        return label
    of_side = owner in game.sides
    return f"{game.side_name(owner)} {label}" if of_side else f"{label} {target_label(game, owner)}"


def _drawn(body: Mapping[str, Any], game: Game) -> str:
    if body.get("reason") == IN_PASSING:
        return ""
    pile = next((p.label for p in game.kit.piles if p.id == body["pile"]), str(body["pile"]))
    tokens = ", ".join(_token(game, str(body["pile"]), str(t)) for t in body.get("tokens") or ())
    what = tokens or str(body.get("count", 0))
    source = _zone_label(game, str(body["pile"]), str(body.get("source", "")))
    target = _zone_label(game, str(body["pile"]), str(body["target"]))
    by_hand = " (by hand)" if body.get("mode") == "physical" else ""
    return f"{pile}: {what} from {source} to {target}{by_hand}{_why(body)}"


def _token(game: Game, pile: str, token: str) -> str:
    name = game.face(pile, token).get("name", "")
    return f"{token} {name}".strip()


def _placed(body: Mapping[str, Any], game: Game) -> str:
    if body.get("reason") in (IN_PASSING, OFF_IN_PASSING):
        return ""
    unit = (
        target_label(game, str(body["unit"]))
        if "unit" in body
        else f"a {game.side_name(str(body.get('side')))} unit"
    )
    place = body.get("place")
    if place is None:
        facts = body["facts"] if isinstance(body.get("facts"), dict) else {}
        if body.get("reason") == OFF_COUNTER and (read := _read_off(facts, game)):
            return f"{unit}: {read}{_why(body)}"
        if facts.get("steps") is not None:
            return f"{unit}: {steps_label(game, int(facts['steps']))}{_why(body)}"
        return f"{unit}: {body.get('reason') or 'record changed'}"
    was = body.get("was")
    before = f"{place_label(game, str(was))} \u2192 " if was else ""
    return f"{unit}: {before}{place_label(game, str(place))}{_why(body)}"


def _read_off(facts: Mapping[str, Any], game: Game) -> str:
    """What a counter shows, as it was read: 'infantry, 2 steps, CS 9'."""
    steps = [steps_label(game, int(facts["steps"]))] if facts.get("steps") else []
    factors = [f"{name} {value}" for name, value in (facts.get("factors") or {}).items()]
    return ", ".join([*filter(None, [str(facts.get("kind") or "")]), *steps, *factors])


def _marked(body: Mapping[str, Any], game: Game) -> str:
    if body.get("reason") in (BY_SEQUENCE, IN_PASSING) or body.get("hidden"):
        return ""  # what the other side marks in secret is no line at all
    kind = next((m for m in game.kit.markers if m.id == body["marker"]), None)
    if kind is not None and kind.quiet:
        return ""
    target, value = target_label(game, str(body["target"])), body.get("value")
    off = " off" if value is None or value is False else ""
    return f"{target}: {mark_label(game, str(body['marker']), value)}{off}{_why(body)}"


def _noted(body: Mapping[str, Any], game: Game) -> str:
    if body.get("reason") == IN_PASSING:
        return ""
    secret = "" if body.get("rule") else "a note in secret"  # what the rules found out is no news to others
    return secret if body.get("hidden") else str(body.get("text", ""))


def _resolved(body: Mapping[str, Any], game: Game) -> str:
    sheet = body.get("breakdown", {})
    title = sheet.get("title", body["worksheet"]) if isinstance(sheet, Mapping) else body["worksheet"]
    column = f" at {sheet['column']}" if isinstance(sheet, Mapping) and sheet.get("column") else ""
    result = f": {body['result']}" if body.get("result") else ""
    effects = sheet.get("effects", ()) if isinstance(sheet, Mapping) else ()
    words = "; ".join(": ".join(filter(None, (x["label"], x.get("effect", "")))) for x in effects)
    return f"{title}{column}{result}{f' ({words})' if words else ''}"


def _ticked(body: Mapping[str, Any], game: Game) -> str:
    if body.get("text") == IN_PASSING:
        return ""
    return f"{'Done' if body.get('done') else 'Not done'}: {body.get('text') or body['item']}"


def _asked(body: Mapping[str, Any], game: Game) -> str:
    if body.get("hidden"):
        return ""
    if body.get("action") == "agree":
        return f"Asked: {str(body['text']).removesuffix(' Agree?')}"
    if body.get("duty") == OFFERED:
        return ""  # what nobody takes up is no story
    names = [game.side_name(seat) for seat in body.get("to", ()) if seat in game.sides]
    whose = names[0] if len(names) == 1 and names[0] not in str(body["text"]) else ""
    return f"{f'{whose} to' if whose else 'To'} do: {body['text']}"


def _answered(body: Mapping[str, Any], game: Game) -> str:
    if is_about_seats("answered", str(body["id"])):
        return "The new code for the table's screen was refused." if body.get("answer") == "refused" else ""
    return f"{str(body.get('answer', '')).capitalize()}: {body['text']}" if body.get("text") else ""


def _engaged(body: Mapping[str, Any], game: Game) -> str:
    if not body.get("battle"):
        side = game.side_name(str(body["attacker"]))
        title = str(body["title"])
        return title if title.startswith(side) else f"{side}: {title}"
    if body.get("result"):
        battle = game.battles.get(int(body["battle"]))
        return f"{battle.title if battle else 'The battle'}: {body['result']}"
    return str(body.get("reason", ""))


def _undone(body: Mapping[str, Any], game: Game) -> str:
    if str(body.get("reason", "")).startswith(PUT_BACK):
        return f"put back what was taken back{str(body['reason'])[len(PUT_BACK) :]}"
    return f"taken back to line {body['to']}{_why(body)}"


def _ended(body: Mapping[str, Any], game: Game) -> str:
    winner = game.side_name(str(body["winner"])) if body["winner"] in game.sides else str(body["winner"])
    level = f", {body['level']}" if body.get("level") else ""
    return f"The game is over: {winner}{level}. {body.get('why', '')}".strip()


def _seated(body: Mapping[str, Any], game: Game) -> str:
    side = game.side_name(str(body["seat"]))
    device, why = body.get("device") or "device", body.get("why", "")
    if body["seat"] == "table":
        words = {
            "joined": f"Table's screen: a {device} joined.",
            "left": f"Table's screen: a {device} left{', nobody holds it now' if why else ''}.",
            "new-code": f"The table's screen got a new code: {why}.",
        }
    else:
        words = {
            "joined": f"{side} {device} joined.",
            "left": f"{side} {device} left{': the seat is free' if why else ''}.",
            "new-code": f"{side} seat: the old code and device no longer work, a new code is shown.",
            "closed": f"{side} seat: closed.",
        }
    return words.get(str(body["what"]), str(why))


_WORDS = {
    "started": lambda body, game: f"Table opened: {game.kit.name}, {game.scenario.name}",
    "advanced": _advanced,
    "set": _set,
    "rolled": _rolled,
    "drawn": _drawn,
    "returned": _drawn,
    "placed": _placed,
    "marked": _marked,
    "sealed": lambda body, game: f"{game.side_name(str(body['seat']))} has chosen in secret",
    "revealed": lambda body, game: f"Revealed: {body['name']}",
    "resolved": _resolved,
    "engaged": _engaged,
    "asked": _asked,
    "answered": _answered,
    "ticked": _ticked,
    "noted": _noted,
    "seated": _seated,
    "undone": _undone,
    "reseeded": lambda body, game: (
        f"The dice go on with a new seed, fingerprint {str(body['commitment'])[:12]}…"
    ),
    "ended": _ended,
}
