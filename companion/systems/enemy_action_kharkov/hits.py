"""Hit totals, their adjustments, and how each side may satisfy them (9.5, 9.51, 9.52)."""

from __future__ import annotations

from typing import Annotated

from companion.engine.errors import NotNow
from companion.engine.kit.roster import Unit
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Flag, Whole
from companion.engine.play.worksheet import Breakdown
from companion.engine.record import events as e
from companion.engine.record.changes import put_mark
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import SOVIET, ask, mechanised, rules
from companion.systems.enemy_action_kharkov.fight import Fight, answered, cleanup, current, save
from companion.systems.enemy_action_kharkov.manifest import adjustment, dark, parse_hits
from companion.systems.enemy_action_kharkov.situations import TOWNS, Judged, by_role, judge


def judged_chits(game: Game, fight: Fight, total: int | None = None) -> list[Judged]:
    """Every chit of this combat as it counts; large attacks by the final number unless the table reads otherwise."""
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
    """9.5: what the chits drawn so far add up to."""
    chits = judged_chits(game, fight, total)
    return sum(c.attacker for c in chits), sum(c.defender for c in chits)


def tally(game: Game, fight: Fight) -> Breakdown:
    """The chits one by one with the side that applies, and the running total."""
    sheet = Breakdown("Chits")
    names = [*fight.chits, *(f"chit {n}" for n in range(1, len(fight.entered) + 1))]
    for name, chit in zip(names, judged_chits(game, fight), strict=True):
        mark = ", dark" if name in fight.chits and dark(game.face("chits", name)) else ""
        told = chit.situation if chit.face else "neither side applies"
        sheet.add(f"{name}{mark}: {told}", hit_text(chit) if chit.face else "-", "9.4")
    attacker, defender = base_hits(game, fight)
    sheet.result = f"A{attacker} D{defender}"
    sheet.facts = {"A": attacker, "D": defender, "drawn": fight.drawn}
    return sheet


def hit_text(chit: Judged) -> str:
    """'A1 D2', without what is nought."""
    hits = [f"{role}{n}" for role, n in (("A", chit.attacker), ("D", chit.defender)) if n]
    return " ".join(hits) or "0"


def unknown_tactics(game: Game, fight: Fight) -> list[str]:
    """Tactics whose change of hits stands only on the owner's aid."""
    played = [(t, "attack") for t in fight.attack_tactics] + [(t, "defence") for t in fight.defence_tactics]
    return [t for t, role in played if adjustment(game, t, role) is None]


def adjust(game: Game, fight: Fight, raw: tuple[int, int], by_hand: tuple[int, int] = (0, 0)) -> Breakdown:
    """9.51 in its order; `facts` has A, D, and whether the IP is spent."""
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
    if fight.status == "isolated":
        attacker = 0
        sheet.add("defenders isolated: attacker hits ignored", "A0", "10.22")
    elif fight.status in ("dispersed", "oos", "mixed", "dispersed-oos", "poor"):
        less = 2 if fight.status == "dispersed-oos" and game["dispersed-and-oos"] == "two" else 1
        attacker -= less
        sheet.add("defenders dispersed or out of supply", f"A-{less}", "9.51")
    if game["floor"] == "before":
        helped = helped and defender >= 0
        attacker, defender = max(0, attacker), max(0, defender)
    attacker, defender = _tactics(game, fight, sheet, attacker + by_hand[0], defender + by_hand[1])
    if by_hand != (0, 0):
        sheet.add("from the tactics aid", f"A{by_hand[0]:+d} D{by_hand[1]:+d}", "9.51")
    if fight.ip and not spent and helped and defender + 1 > 0:
        spent = True  # 12.24: a tactic brought the hit that the position took
    sheet.facts = {"A": max(0, attacker), "D": max(0, defender), "ip_spent": spent}
    sheet.result = f"A{max(0, attacker)} D{max(0, defender)}"
    return sheet


def _tactics(game: Game, fight: Fight, sheet: Breakdown, attacker: int, defender: int) -> tuple[int, int]:
    for names, role in ((fight.attack_tactics, "attack"), (fight.defence_tactics, "defence")):
        for name in names:
            a, d = adjustment(game, name, role) or (0, 0)
            if a or d:
                sheet.add(name, f"A{a:+d} D{d:+d}", "9.51")
                attacker, defender = attacker + a, defender + d
    if fight.status == "isolated":
        attacker = min(attacker, 0)
    return attacker, defender


def settle(game: Game, fight: Fight) -> Events:
    """All chits are drawn: total them, or first ask for what only the tactics aid tells."""
    unknown = unknown_tactics(game, fight)
    if unknown:
        text = f"Read your tactics aid: what do {', '.join(unknown)} add to the hits?"
        yield ask(game, "aid", (*game.sides, "table"), text, "total-hits", "9.51")
        return
    yield from _total(game, fight, (0, 0))


@rules.action(
    phase="command",
    by="any",
    rule="9.51",
    label="Enter the tactics' hits",
    group="hidden",
    when=lambda game: bool(current(game)) or "there is no combat in hand",
)
def total_hits(
    game: Game,
    attacker: Annotated[int, Whole(label="Attacker hits, more or fewer", low=-9, high=9)] = 0,
    defender: Annotated[int, Whole(label="Defender hits, more or fewer", low=-9, high=9)] = 0,
) -> Events:
    """Enter what the tactics aid adds to or takes from the hits."""
    fight = current(game)
    if fight is None or fight.missing or fight.hits:
        raise NotNow("the chits of this combat are not all drawn, or already totalled")
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
        text = f"Defender: {hits_word(fight.hits['D'])} to satisfy"
        yield ask(game, "defend", (fight.defender, "table"), text, "apply-defence", "9.52")
    elif fight.hits["A"]:
        yield _ask_attacker(game, fight)
    else:
        yield from conclude(game, fight)


def unfinished(game: Game) -> list[str]:
    """What units on record still owe after the hits: the retreat itself, and steps for it."""
    return [q.text for q in game.asked.values() if q.action and q.id.partition("-")[0] in ("retreat", "paid")]


@rules.watch
def combat_goes_on(game: Game) -> Events:
    """The advance is offered once the retreat is done or waved away."""
    fight = current(game)
    if fight is not None and fight.settled and not fight.concluded:
        yield from conclude(game, fight)


def conclude(game: Game, fight: Fight) -> Events:
    """When all hits are taken and the defenders are away: the advance, if the hex may be empty, and the end."""
    if not fight.settled or fight.concluded or unfinished(game):
        return
    fight.concluded = True
    yield save(fight, "")
    defenders = [game.units[u] for u in fight.defenders if u in game.units]
    gone = bool(defenders) and not any(u.on_map and u.place == fight.target for u in defenders)
    unknown = not defenders and bool(fight.hits.get("D"))
    if fight.retreat or gone or unknown:
        yield advance_reminder(game, fight, far=fight.retreat != 1)
    else:
        why = "The defenders hold" if fight.hits.get("D") else "No hits on the defenders"
        text = f"{why}: end the combat"
        yield ask(game, "advance", (fight.attacker, "table"), text, "end-combat", "9.0")


def _ask_attacker(game: Game, fight: Fight) -> e.Asked:
    text = f"Attacker: {hits_word(fight.hits['A'])}, the first is a step"
    return ask(game, "attack", (fight.attacker, "table"), text, "apply-attack", "9.52")


# -- the defender's and the attacker's choices ---------------------------------------------------------------


def retreat_limit(game: Game, fight: Fight) -> tuple[int, str]:
    """How many hexes the defenders may retreat at most, and why not more (9.52, 9.7, 9.75, 10.22)."""
    units = [game.units[u] for u in fight.defenders if u in game.units]
    isolated = [u for u in units if game.mark(u.id, "supply") == "isolated"]
    if fight.defender == SOVIET and "nkvd" in (*fight.attack_tactics, *fight.defence_tactics):
        return 0, "NKVD: Soviet defenders stand [9.7]"
    if any(mechanised(u) for u in isolated):
        return 0, "an isolated mechanised unit pins its stack [10.22]"
    if isolated or (not units and fight.status in ("isolated", "mixed")):
        return 1, "isolated units go one hex; mechanised ones none [10.22]"
    if any(game.mark(u.id, "dispersed") for u in units) or (
        not units and fight.status in ("dispersed", "dispersed-oos", "poor")
    ):
        return 1, "a dispersed unit keeps its stack to one hex [9.52]"
    return 2, ""


def defence_options(hits: int, limit: int) -> list[tuple[str, str]]:
    """9.52: stand, or retreat a hex a hit, up to two."""
    found = [("stand", f"Stand: lose {steps(hits)}")]
    if hits >= 1 and limit >= 1:
        found.append(("retreat-1", f"Retreat one hex: lose {steps(hits - 1)}"))
    if hits >= 2 and limit >= 2:
        found.append(("retreat-2", f"Retreat two hexes, dispersed: lose {steps(hits - 2)}"))
    return found


def attack_options(hits: int) -> list[tuple[str, str]]:
    """9.52: the first hit costs a step; dispersing all attackers satisfies up to two more."""
    found = [("steps", f"Lose {steps(hits)}")]
    if hits >= 2:
        found.append(("disperse", f"Disperse all attackers: lose {steps(max(1, hits - 2))}"))
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
    fight = current(ctx.game) if ctx.game else None
    if ctx.game is None or fight is None:
        return []
    return defence_options(fight.hits.get("D", 0), retreat_limit(ctx.game, fight)[0])


def _attack(ctx: Context) -> list[tuple[str, str]]:
    fight = current(ctx.game) if ctx.game else None
    return attack_options(fight.hits.get("A", 0)) if fight else []


def _sole(options: list[tuple[str, str]]) -> str:
    return options[0][0] if len(options) == 1 else ""


def _defender_of(game: Game) -> str:
    fight = current(game)
    return fight.defender if fight else "any"


def _attacker_of(game: Game) -> str:
    fight = current(game)
    return fight.attacker if fight else "any"


def _pending(game: Game, side: str) -> bool | str:
    fight = current(game)
    if fight is None or not fight.hits:
        return "no hits are waiting"
    if side == "D" and fight.retreat is not None:
        return "the defender has answered"
    if side == "A" and fight.hits["D"] and fight.retreat is None:
        return "the defender satisfies his hits first [9.52]"
    return bool(fight.hits[side]) or "no hits on this side"


@rules.action(
    phase="command",
    by=_defender_of,
    rule="9.52",
    label="Defender takes hits",
    when=lambda game: _pending(game, "D"),
)
def apply_defence(
    game: Game,
    choice: Annotated[str, Choice(label="How", options=_defence, start=lambda c: _sole(_defence(c)))],
) -> Events:
    """Stand, or retreat one or two hexes; the other hits are step losses."""
    fight = current(game)
    if fight is None:
        raise NotNow("no combat in hand")
    back = {"stand": 0, "retreat-1": 1, "retreat-2": 2}[choice]
    losses = fight.hits["D"] - back
    fight.retreat = back
    yield from answered(game, "defend")
    if losses and fight.defenders:  # without units on record the loss is a reminder
        fight.owed[fight.defender] = losses
    how = {0: "stand", 1: "retreat one hex", 2: "retreat two hexes"}[back]
    yield save(fight, f"{game.side_name(fight.defender)} {how}, lose {steps(losses)}")
    side = (fight.defender, "table")
    if losses:
        action = "lose-steps" if fight.defenders else ""
        yield ask(game, "lose", side, f"Defender: lose {steps(losses)}", action, "9.6")
    if back:
        if back == 2:
            for unit in fight.defenders:
                yield put_mark(game, unit, "dispersed", "on", rule="9.75")
        yield from caught_again(game, fight)
        hexes = "one hex" if back == 1 else "two hexes, then dispersed"
        text = f"Defender: retreat {hexes}. Out of enemy zones, else to a supplied friend; any other zone costs a step"
        yield ask(game, "retreat", side, text, "retreat" if fight.defenders else "", "9.7")
    if fight.hits["A"]:
        yield _ask_attacker(game, fight)
    else:
        yield from conclude(game, fight)


def steps(number: int) -> str:
    return "1 step" if number == 1 else f"{number or 'no'} steps"


def hits_word(number: int) -> str:
    return "1 hit" if number == 1 else f"{number} hits"


def advance_reminder(game: Game, fight: Fight, *, far: bool) -> e.Asked:
    """9.8: who may follow up when the hex is empty; `far`: after a two-hex retreat or an elimination."""
    text = "If the hex is empty, undispersed active attackers may advance, but none that a tactic brought in"
    if far:
        text += "; mechanised units two hexes, off the path of retreat not from zone to zone"
    return ask(game, "advance", (fight.attacker, "table"), text, "end-combat", "9.8")


def caught_again(game: Game, fight: Fight) -> Events:
    """9.74: units that had fallen back into this hex are eliminated when its defenders leave."""
    stack = game.units_at(fight.target) if fight.target else []
    for unit in [u for u in stack if u.side == fight.defender and game.mark(u.id, "fell-back")]:
        yield from eliminate(game, unit, f"had fallen back into {fight.target}", "9.74")


def eliminate(game: Game, unit: Unit, why: str, rule: str) -> Events:
    """9.63, 10.22: to its eliminated box, or out of the game for good."""
    destroyed = game.mark(unit.id, "supply") == "isolated"
    gone = destroyed or unit.full == 1
    place = "box:out" if gone else f"box:eliminated-{unit.side}"
    end = (
        "destroyed, isolated [10.22]" if destroyed else "eliminated, one step only" if gone else "eliminated"
    )
    why = ", ".join(filter(None, (end, why)))
    yield e.Placed(unit.id, place, was=unit.place, facts={"steps": 1}, reason=why, rule=rule, side=unit.side)
    for marker in ("supply", "dispersed", "active", "fell-back"):
        if game.mark(unit.id, marker):
            yield e.Marked(unit.id, marker, None)


@rules.action(
    phase="command",
    by=_attacker_of,
    rule="9.52",
    label="Attacker takes hits",
    when=lambda game: _pending(game, "A"),
)
def apply_attack(
    game: Game,
    choice: Annotated[str, Choice(label="How", options=_attack, start=lambda c: _sole(_attack(c)))],
) -> Events:
    """Lose steps, or disperse every attacker to satisfy up to two hits after the first."""
    fight = current(game)
    if fight is None:
        raise NotNow("no combat in hand")
    hits = fight.hits["A"]
    yield from answered(game, "attack")
    losses = max(1, hits - 2) if choice == "disperse" else hits
    fight.hits = {**fight.hits, "A": 0}
    if fight.units:
        fight.owed[fight.attacker] = losses
    also = ", all attackers dispersed" if choice == "disperse" else ""
    yield save(fight, f"{game.side_name(fight.attacker)} lose {steps(losses)}{also}")
    text = f"Attacker: lose {steps(losses)}{also}"
    yield ask(game, "lose", (fight.attacker, "table"), text, "lose-steps" if fight.units else "", "9.6")
    if choice == "disperse":
        for unit in fight.units:
            yield put_mark(game, unit, "dispersed", "fresh", rule="9.9")
    yield from conclude(game, fight)


def _unsettled(ctx: Context) -> bool:
    fight = current(ctx.game) if ctx.game else None
    return ctx.game is not None and fight is not None and (not fight.settled or bool(unfinished(ctx.game)))


@rules.action(
    phase="command",
    by=_attacker_of,
    rule="9.0",
    label="End the combat",
    group="hidden",
    when=lambda game: bool(current(game)) or "there is no combat in hand",
)
def end_combat(
    game: Game,
    anyway: Annotated[
        bool, Flag(label="Although something is still open", when=lambda ctx: _unsettled(ctx))
    ] = False,
) -> Events:
    """Advance, then put tactic cards and chits away."""
    fight = current(game)
    if fight is not None and not anyway and (fight.missing or not fight.hits):
        raise NotNow("chits are still to be drawn; tick 'although something is open' to break the combat off")
    if fight is not None and not anyway and fight.owed:
        owed = ", ".join(f"{game.side_name(s)} {n}" for s, n in fight.owed.items())
        raise NotNow(f"steps are still to be lost: {owed}")
    if fight is not None and not anyway and unfinished(game):
        raise NotNow(f"first: {unfinished(game)[0]}")
    if fight is not None and not anyway and not fight.settled:
        raise NotNow(
            "there are hits to take first; tick 'although something is open' to break the combat off"
        )
    yield from cleanup(game)


@rules.action(
    phase="command",
    by=_attacker_of,
    rule="9.0",
    label="Break off the combat",
    group="book-keeping",
    when=lambda game: bool(current(game)) or "there is no combat in hand",
)
def break_off(game: Game) -> Events:
    """Put tactic cards and chits away although something is still open."""
    yield e.Noted("The combat is broken off", rule="9.0")
    yield from cleanup(game)
