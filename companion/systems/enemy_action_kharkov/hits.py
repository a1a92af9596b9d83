"""Hit totals and their adjustments [9.5, 9.51]."""

from __future__ import annotations

from companion.engine.forms.worksheet import Breakdown
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import titled
from companion.systems.enemy_action_kharkov.fight import SUMMED, Fight
from companion.systems.enemy_action_kharkov.manifest import adjustment, dark, parse_hits
from companion.systems.enemy_action_kharkov.situations import TOWNS, UNPLEASANT, Judged, by_role, judge


def judged_chits(game: Game, fight: Fight, total: int | None = None) -> list[Judged]:
    """Every chit of this combat as it counts; large attacks by the final number unless read otherwise [9.4]."""
    number = (fight.total if fight.declared is not None else fight.drawn) if total is None else total
    found = []
    for index, token in enumerate(fight.chits, 1):
        drawn = index if game["large-attack"] == "so-far" else number
        found.append(judge(game.face("chits", token), fight, drawn))
    for text in fight.entered:
        attacker, defender = by_role(parse_hits(text), fight.attacker)
        found.append(Judged("front" if text else "", text, attacker, defender))
    return found


def base_hits(game: Game, fight: Fight, total: int | None = None) -> tuple[int, int]:
    """What the chits drawn so far add up to [9.5]."""
    chits = judged_chits(game, fight, total)
    return sum(c.attacker for c in chits), sum(c.defender for c in chits)


def tally(game: Game, fight: Fight) -> Breakdown:
    """The chits one by one with the side that applies, and the running total."""
    sheet = Breakdown("Chits")
    for role, names in (("attacker", fight.attack_tactics), ("defender", fight.defence_tactics)):
        if names:
            sheet.add(f"{role}'s tactics: {', '.join(map(titled, names))}", "", "9.2")
    names = [*fight.chits, *_entered(fight)]
    for name, chit in zip(names, judged_chits(game, fight), strict=True):
        if not name:
            continue  # in the sum before it
        mark = ", dark" if name in fight.chits and dark(game.face("chits", name)) else ""
        told = chit.situation if chit.face else "neither side applies"
        sheet.add(f"{name}{mark}: {told}", hit_text(chit) if chit.face else "-", "9.4")
    attacker, defender = base_hits(game, fight)
    sheet.title = f"Chits so far: A{attacker} D{defender}"
    sheet.result = f"A{attacker} D{defender} so far"
    sheet.facts = {"A": attacker, "D": defender, "drawn": fight.drawn}
    return sheet


def _entered(fight: Fight) -> list[str]:
    """Real chits by their number; those that were told by their sum are one line, and the others of it none."""
    found: list[str] = []
    for number, text in enumerate(fight.entered, 1):
        rest = fight.entered[number:]
        more = next((n for n, other in enumerate(rest) if other != SUMMED), len(rest))
        together = f"chits {number} to {number + more} together" if more else f"chit {number}"
        found.append("" if text == SUMMED else together)
    return found


def hit_text(chit: Judged) -> str:
    """'A1 D2', without what is nought."""
    hits = [f"{role}{n}" for role, n in (("A", chit.attacker), ("D", chit.defender)) if n]
    return " ".join(hits) or "0"


def unknown_tactics(game: Game, fight: Fight) -> list[str]:
    """Tactics whose change of hits stands only on the owner's aid."""
    played = [(t, "attack") for t in fight.attack_tactics] + [(t, "defence") for t in fight.defence_tactics]
    return [t for t, role in played if adjustment(game, t, role) is None]


def adjust(game: Game, fight: Fight, raw: tuple[int, int], by_hand: tuple[int, int] = (0, 0)) -> Breakdown:
    """The changes of the hits in their order; `facts` has A, D, and whether the IP is spent [9.51]."""
    sheet = Breakdown("Hits")
    attacker, defender = raw
    sheet.add("chits", f"A{attacker} D{defender}", "9.5")
    spent = False
    if fight.ip and defender > 0:
        spent = bool(game["ip-first"]) or not (fight.river and defender == 1)
    helped = fight.terrain not in TOWNS and fight.ip and (spent or defender <= 0)
    if fight.terrain in TOWNS or helped:
        defender -= 1
        sheet.add(
            "defender in a town or city" if fight.terrain in TOWNS else "improved position", "D-1", "9.51"
        )
    if fight.river:
        defender -= 1
        sheet.add("all attack across the river", "D-1", "9.51")
    attacker = _poor_defenders(game, fight, sheet, attacker)
    if game["floor"] == "before":
        helped = helped and defender >= 0
        attacker, defender = max(0, attacker), max(0, defender)
    attacker, defender = _tactics(game, fight, sheet, attacker + by_hand[0], defender + by_hand[1])
    if by_hand != (0, 0):
        sheet.add("from the tactics aid", f"A{by_hand[0]:+d} D{by_hand[1]:+d}", "9.51")
    if fight.ip and not spent and helped and defender + 1 > 0:
        spent = True  # a tactic brought the hit that the position took [12.24]
    sheet.facts = {"A": max(0, attacker), "D": max(0, defender), "ip_spent": spent}
    sheet.result = f"A{max(0, attacker)} D{max(0, defender)}"
    return sheet


def _poor_defenders(game: Game, fight: Fight, sheet: Breakdown, attacker: int) -> int:
    """The attacker's hits against defenders that are isolated, dispersed or out of supply [9.51, 10.22]."""
    if fight.status == "isolated":
        sheet.add("defenders isolated: attacker hits ignored", "A0", "10.22")
        return 0
    if fight.status not in UNPLEASANT:
        return attacker
    less = 2 if fight.status == "dispersed-oos" and game["dispersed-and-oos"] == "two" else 1
    sheet.add("defenders dispersed or out of supply", f"A-{less}", "9.51")
    return attacker - less


def _tactics(game: Game, fight: Fight, sheet: Breakdown, attacker: int, defender: int) -> tuple[int, int]:
    for names, role in ((fight.attack_tactics, "attack"), (fight.defence_tactics, "defence")):
        for name in names:
            a, d = adjustment(game, name, role) or (0, 0)
            if a or d:
                sheet.add(titled(name), f"A{a:+d} D{d:+d}", "9.51")
                attacker, defender = attacker + a, defender + d
    if fight.status == "isolated":
        attacker = min(attacker, 0)
    return attacker, defender
