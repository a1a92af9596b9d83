"""Taking hits: what a combat's chits come to, and how each side satisfies its share [9.5, 9.52]."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Whole
from companion.engine.play.worksheet import Breakdown
from companion.engine.record import events as e
from companion.engine.record.changes import put_mark
from companion.engine.record.game import Game

from .base import SOVIET, ask, isolated, mechanised, on_record, rules
from .ending import conclude
from .fight import Fight, answered, attacker_of, current, defender_of, in_hand, is_fought, save, steps_text
from .hits import adjust, base_hits, tally, unknown_tactics
from .losses import caught_again


def settle(game: Game, fight: Fight) -> Events:
    """All chits are drawn: total them, or first ask for what only the tactics aid tells [9.5, 9.51]."""
    unknown = unknown_tactics(game, fight)
    if unknown:
        text = f"Read your tactics aid: what do {', '.join(unknown)} add to the hits?"
        yield ask(game, "aid", (*game.sides, "table"), text, "total-hits", "9.51")
        return
    yield from _total(game, fight, (0, 0))


@rules.action(
    phase="command", by="any", rule="9.51", label="Enter the tactics' hits", group="hidden", when=is_fought
)
def total_hits(
    game: Game,
    attacker: Annotated[int, Whole(label="Attacker hits, more or fewer", low=-9, high=9)] = 0,
    defender: Annotated[int, Whole(label="Defender hits, more or fewer", low=-9, high=9)] = 0,
) -> Events:
    """Enter what the tactics aid adds to or takes from the hits."""
    fight = in_hand(game)
    if fight.missing or fight.hits:
        raise NotNow("the chits of this combat are not all drawn, or already totalled", rule="9.5")
    yield from _total(game, fight, (attacker, defender))


def _total(game: Game, fight: Fight, by_hand: tuple[int, int]) -> Events:
    sheet = adjust(game, fight, base_hits(game, fight), by_hand)
    sheet.lines[:0] = tally(game, fight).lines
    yield from answered(game, "aid")
    fight.hits = {"A": sheet.facts["A"], "D": sheet.facts["D"]}
    yield e.Resolved("hits", sheet.to_json(), sheet.result)
    if sheet.facts["ip_spent"]:
        fight.ip = False
        if fight.target and game.mark(fight.target, "ip"):
            yield e.Marked(fight.target, "ip", None, reason="absorbed a hit", rule="12.24")
    yield save(fight, "")
    if fight.hits["D"]:
        text = f"Defender: {_hits_text(fight.hits['D'])} to satisfy"
        yield ask(game, "defend", (fight.defender, "table"), text, "apply-defence", "9.52")
    else:
        yield from _attacker_next(game, fight)


def _attacker_next(game: Game, fight: Fight) -> Events:
    """The attacker's hits follow the defender's [9.52]; with none the combat comes to its end."""
    if not fight.hits["A"]:
        yield from conclude(game, fight)
        return
    text = f"Attacker: {_hits_text(fight.hits['A'])}, the first is a step"
    yield ask(game, "attack", (fight.attacker, "table"), text, "apply-attack", "9.52")


def _hits_text(number: int) -> str:
    return "1 hit" if number == 1 else f"{number} hits"


# -- the defender's and the attacker's choices ---------------------------------------------------------------


def retreat_limit(game: Game, fight: Fight) -> int:
    """How many hexes the defenders may retreat at most."""
    units = on_record(game, fight.defenders)
    cut_off = [u for u in units if isolated(game, u)]
    if fight.defender == SOVIET and "nkvd" in (*fight.attack_tactics, *fight.defence_tactics):
        return 0  # Soviet defenders stand [9.7]
    if any(mechanised(u) for u in cut_off):
        return 0  # one that cannot move pins its stack [10.22]
    if cut_off or (not units and fight.status in ("isolated", "mixed")):
        return 1  # [9.75, 10.22]
    if any(game.mark(u.id, "dispersed") for u in units) or (
        not units and fight.status in ("dispersed", "dispersed-oos", "poor")
    ):
        return 1  # a dispersed unit keeps its stack to one hex [9.52]
    return 2


def defence_options(hits: int, limit: int) -> list[tuple[str, str]]:
    """Stand, or retreat a hex a hit, up to two [9.52]."""
    found = [("stand", f"Stand: lose {steps_text(hits)}")]
    if hits >= 1 and limit >= 1:
        found.append(("retreat-1", f"Retreat one hex: lose {steps_text(hits - 1)}"))
    if hits >= 2 and limit >= 2:
        found.append(("retreat-2", f"Retreat two hexes, dispersed: lose {steps_text(hits - 2)}"))
    return found


def attack_options(hits: int) -> list[tuple[str, str]]:
    """The first hit costs a step; dispersing all attackers satisfies up to two more [9.52]."""
    found = [("steps", f"Lose {steps_text(hits)}")]
    if hits >= 2:
        found.append(("disperse", f"Disperse all attackers: lose {steps_text(max(1, hits - 2))}"))
    return found


@rules.worksheet(rule="9.52", title="Ways to satisfy hits")
def apply_hits(
    ctx: Context,
    role: Annotated[
        str, Choice(label="Role", options=[("defender", "Defender"), ("attacker", "Attacker")])
    ] = "defender",
    hits: Annotated[int, Whole(label="Hits", high=20)] = 0,
    limit: Annotated[int, Whole(label="Hexes they may retreat", high=2)] = 2,
) -> Breakdown:
    """What a side may choose for its hits."""
    sheet = Breakdown("Ways to satisfy hits")
    options = defence_options(hits, limit) if role == "defender" else attack_options(hits) if hits else []
    for name, label in options:
        sheet.add(label, name, "9.52")
    sheet.facts["options"] = [name for name, _ in options]
    return sheet


def _defence(ctx: Context) -> list[tuple[str, str]]:
    fight = current(ctx.game)
    return defence_options(fight.hits.get("D", 0), retreat_limit(ctx.game, fight)) if fight else []


def _attack(ctx: Context) -> list[tuple[str, str]]:
    fight = current(ctx.game)
    return attack_options(fight.hits.get("A", 0)) if fight else []


def _sole(options: list[tuple[str, str]]) -> str:
    return options[0][0] if len(options) == 1 else ""


def _pending(game: Game, role: str) -> bool | str:
    fight = current(game)
    if fight is None or not fight.hits:
        return "no hits are waiting"
    if role == "D" and fight.retreat is not None:
        return "the defender has answered"
    if role == "A" and fight.hits["D"] and fight.retreat is None:
        return "the defender satisfies his hits first [9.52]"
    return bool(fight.hits[role]) or "no hits on this side"


@rules.action(
    phase="command",
    by=defender_of,
    rule="9.52",
    label="Defender takes hits",
    when=lambda game: _pending(game, "D"),
)
def apply_defence(
    game: Game,
    choice: Annotated[str, Choice(label="How", options=_defence, start=lambda c: _sole(_defence(c)))],
) -> Events:
    """Stand, or retreat one or two hexes; the other hits are step losses."""
    fight = in_hand(game)
    back = {"stand": 0, "retreat-1": 1, "retreat-2": 2}[choice]
    losses = fight.hits["D"] - back
    fight.retreat = back
    yield from answered(game, "defend")
    if losses and fight.defenders:  # without units on record the loss is a reminder
        fight.owed[fight.defender] = losses
    how = {0: "stand", 1: "retreat one hex", 2: "retreat two hexes"}[back]
    yield save(fight, f"{game.side_name(fight.defender)} {how}, lose {steps_text(losses)}")
    if losses:
        yield _ask_losses(game, fight.defender, f"Defender: lose {steps_text(losses)}", fight.defenders)
    if back:
        yield from _fall_back(game, fight, back)
    yield from _attacker_next(game, fight)


def _ask_losses(game: Game, side: str, text: str, units: list[str]) -> e.Asked:
    return ask(game, "lose", (side, "table"), text, "lose-steps" if units else "", "9.6")


def _fall_back(game: Game, fight: Fight, back: int) -> Events:
    """The defenders leave their hex; two hexes disperse them [9.7, 9.75]."""
    if back == 2:
        for unit in fight.defenders:
            yield put_mark(game, unit, "dispersed", "on", rule="9.75")
    yield from caught_again(game, fight)
    hexes = "one hex" if back == 1 else "two hexes, then dispersed"
    text = f"Defender: retreat {hexes}. Out of enemy zones, else to a supplied friend; any other zone costs a step"
    yield ask(game, "retreat", (fight.defender, "table"), text, "retreat" if fight.defenders else "", "9.7")


@rules.action(
    phase="command",
    by=attacker_of,
    rule="9.52",
    label="Attacker takes hits",
    when=lambda game: _pending(game, "A"),
)
def apply_attack(
    game: Game,
    choice: Annotated[str, Choice(label="How", options=_attack, start=lambda c: _sole(_attack(c)))],
) -> Events:
    """Lose steps, or disperse every attacker to satisfy up to two hits after the first."""
    fight = in_hand(game)
    hits = fight.hits["A"]
    yield from answered(game, "attack")
    losses = max(1, hits - 2) if choice == "disperse" else hits
    fight.hits = {**fight.hits, "A": 0}
    if fight.units:
        fight.owed[fight.attacker] = losses
    also = ", all attackers dispersed" if choice == "disperse" else ""
    yield save(fight, f"{game.side_name(fight.attacker)} lose {steps_text(losses)}{also}")
    yield _ask_losses(game, fight.attacker, f"Attacker: lose {steps_text(losses)}{also}", fight.units)
    if choice == "disperse":
        for unit in fight.units:
            yield put_mark(game, unit, "dispersed", "fresh", rule="9.9")
    yield from conclude(game, fight)
