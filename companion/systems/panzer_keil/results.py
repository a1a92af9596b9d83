"""The result codes of the combat table: losses, retreats, markers, advances [9.6, B10.3.1]."""

from __future__ import annotations

from dataclasses import dataclass

from companion.engine.record.battle import Battle

ATTACKER, DEFENDER = "attacker", "defender"
ROLL, LOSSES, PAYING, RETREAT, ADVANCE, EXHAUSTION = range(6)
"""The order of a battle: losses, and the defender's price in an exchange [9.6], retreats [9.7], the advance [9.8],
then who ends exhausted [9.9]. A support attack is first rolled for [7.3]."""


@dataclass(frozen=True)
class Result:
    """What a code does to one side, and how far the attacker may advance."""

    code: str
    text: str
    sufferer: str = ""
    """'attacker', 'defender', or nobody."""
    losses: int = 0
    retreat: int = 0
    by: str = ""
    """Who moves the retreating units."""
    disrupts: bool = False
    advance: int = 0
    all_lost: bool = False


A, D = ATTACKER, DEFENDER
RESULTS: dict[str, Result] = {
    r.code: r
    for r in (
        Result("AE", "all attackers eliminated", A, all_lost=True),
        Result("AL2", "two attackers lost, the rest back 2 and disrupted", A, 2, 2, D, True),
        Result("AL", "one attacker lost, the rest back 2 and disrupted", A, 1, 2, D, True),
        Result("A2D", "attackers back 2 and disrupted", A, 0, 2, D, True),
        Result("A1D", "attackers back 1 and disrupted", A, 0, 1, D, True),
        Result("A2", "attackers back 2", A, 0, 2, A),
        Result("A1", "attackers back 1", A, 0, 1, A),
        Result("C", "contact, nothing happens"),
        Result("EX", "exchange"),
        Result("D1", "defenders back 1", D, 0, 1, D, advance=1),
        Result("D2", "defenders back 2", D, 0, 2, D, advance=2),
        Result("D1D", "defenders back 1 and disrupted", D, 0, 1, A, True, 1),
        Result("D2D", "defenders back 2 and disrupted", D, 0, 2, A, True, 2),
        Result("DL", "one defender lost, the rest back 2 and disrupted", D, 1, 2, A, True, 2),
        Result("DL2", "two defenders lost, the rest back 2 and disrupted", D, 2, 2, A, True, 2),
    )
}

RAISED = {"A1": "A1D", "A2": "A2D", "A1D": "AL", "A2D": "AL2", "AL": "AE", "AL2": "AE"}
"""An attack over a major river suffers the next worse result, once [B10.3.1]."""


def over_river(code: str) -> str:
    """The result for attackers across a major river."""
    return RAISED.get(code, code)


def beside_river(code: str) -> str:
    """The result for attackers who did not cross: a loss that the crossers met is not paid twice."""
    return "A2D" if code in ("AL", "AL2") else code


def advance_limit(code: str, major: bool) -> int:
    """Hexes the attackers may advance; one at most over a major river [B10.3.2]."""
    limit = RESULTS[code].advance
    return min(limit, 1) if major else limit


def one_for_crossers(battle: Battle, limit: int) -> str:
    """Said of an advance of which some attackers, over a major river, make one hex only [B10.3.2]."""
    some = battle.facts.get("major") and not battle.facts.get("all_major")
    return ", those over the major river 1" if some and limit > 1 else ""


def survivors_lost(units: int, owed: int, managed: int) -> int:
    """One unit for each hex that was not retreated, as long as there are units [9.7.5]."""
    return min(units, max(0, owed - managed))
