"""What the screens show of this game besides tracks: card counts, barred formations, the combat, the ground."""

from __future__ import annotations

from typing import Any

from companion.engine.game import Game
from companion.systems.enemy_action_kharkov.base import FORMATION_NAMES, rules
from companion.systems.enemy_action_kharkov.command import in_command, last, played
from companion.systems.enemy_action_kharkov.deck import Deck
from companion.systems.enemy_action_kharkov.fight import current
from companion.systems.enemy_action_kharkov.hits import base_hits
from companion.systems.enemy_action_kharkov.impulse import may_pass
from companion.systems.enemy_action_kharkov.manifest import calendar, calendar_text, date_of
from companion.systems.enemy_action_kharkov.posts import overstacked

Row = dict[str, str]


def _row(label: str, value: object, rule: str = "") -> Row:
    return {"label": label, "value": str(value), "rule": rule}


@rules.panel
def cards(game: Game, seat: str) -> dict[str, Any] | None:
    """Counts only: what is in a hand stays there."""
    if int(game["cards-prepared"]) == 0:
        return None
    rows = []
    for side in game.sides:
        deck = Deck(game, side)
        n = deck.counts()
        text = f"hand {n['hand']} of {deck.limit}, draw pile {n['draw']}, available {n['avail']}"
        rows.append(_row(game.side_name(side), text, "5.1"))
        gone = f"primary {n['discard-p']}, supplemental {n['discard-s']}, entering {n['entering']}, out {n['removed']}"
        rows.append(_row(f"{game.side_name(side)} discards", gone, "5.6"))
    if game.phase == "command" and game.active in game.sides:
        why = may_pass(game, game.active)
        rows.append(_row("Pass", why or f"{game.side_name(game.active)} may pass", "5.1"))
    return {"title": "Cards", "rows": rows, "for": "both"}


@rules.panel
def formations(game: Game, seat: str) -> dict[str, Any] | None:
    """Who is barred now and why; the phone shows its own side first."""
    if game.phase != "command":
        return None
    rows = []
    for side in sorted(game.sides, key=lambda s: s != seat):
        names = [FORMATION_NAMES.get(f, f) for f in last(game, side)]
        rows.append(_row(f"{game.side_name(side)} barred", ", ".join(names) or "nobody", "6.3"))
        used = game[f"one-unit-{side}"] == game.turn
        rows.append(_row(f"{game.side_name(side)} one-unit activation", "used" if used else "free", "6.1"))
    said = in_command(game)
    if said:
        what = said.get("what", "command not given yet")
        names = [FORMATION_NAMES.get(f, f) for f in said.get("for", [])]
        text = f"{played(game).label}: {what} {', '.join(names)} {said.get('event', '')}"
        rows.insert(0, _row("In play", " ".join(text.split()), "5.2"))
    if any(FORMATION_NAMES and last(game, s) for s in game.sides):
        rows.append(
            _row("Why", "activated in that side's last impulse; the Von Manstein card is exempt", "6.3")
        )
    return {"title": "Formations", "rows": rows, "for": "both"}


@rules.panel
def combat(game: Game, seat: str) -> dict[str, Any] | None:
    """The combat in hand: everything in it is public."""
    fight = current(game)
    if fight is None:
        return None
    hits = fight.hits or dict(zip("AD", base_hits(game, fight), strict=True))
    rows = [
        _row(
            "Attacker",
            f"{game.side_name(fight.attacker)}{f' on {fight.target}' if fight.target else ''}",
            "9.0",
        ),
        _row("Strength", f"{fight.attack}:{fight.defence} in {fight.terrain}", "9.4"),
        _row("Chits", f"{fight.drawn} drawn, {fight.required} required, {fight.maximum} at most", "9.3"),
        _row("Attacker's tactics", ", ".join(fight.attack_tactics) or "none", "9.2"),
        _row("Defender's tactics", ", ".join(fight.defence_tactics) or "none", "9.2"),
        _row("Hits", f"A{hits.get('A', 0)} D{hits.get('D', 0)}{'' if fight.hits else ' so far'}", "9.5"),
    ]
    if fight.dark:
        rows.append(_row("Dark chit", "all chits return to the cup after this combat", "9.41"))
    for side, steps in fight.owed.items():
        rows.append(_row(f"{game.side_name(side)} owes", f"{steps} steps", "9.6"))
    return {"title": "Combat", "rows": rows, "for": "both"}


@rules.panel
def calendar_space(game: Game, seat: str) -> dict[str, Any] | None:
    """This turn's space of the owner's calendar."""
    rows = []
    for label, text in (
        ("Date", date_of(game, game.turn)),
        ("Fixed artillery range", calendar_text(game, game.turn, "far")),
    ):
        if text:
            rows.append(_row(label, text, "2.1"))
    over, under = calendar(game, game.turn, "soviet_over"), calendar(game, game.turn, "german_under")
    if over is not None:
        rows.append(_row("Soviet win above", f"{over} VP", "15.36"))
    if under is not None:
        rows.append(_row("German win below", f"{under} VP", "15.36"))
    return {"title": "Calendar", "rows": rows, "for": "both"} if rows else None


@rules.panel
def stacking(game: Game, seat: str) -> dict[str, Any] | None:
    """Hexes over the limit: the owner takes steps or units off."""
    rows = [_row(hex_id, text, "7.4") for hex_id, text in overstacked(game).items()]
    return {"title": "Too many in a hex", "rows": rows, "for": "both"} if rows else None
