"""Combat results [12.6-12.8]: the code taken apart, the loser's choices, retreats, breakouts, advances."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine import events as e
from companion.engine.actions import Events
from companion.engine.errors import NotNow, NotYours, Unreadable
from companion.engine.fields import Choice, Context, Dice, Flag, HexId, Roll, SideRef, Text, Whole
from companion.engine.game import Game
from companion.engine.worksheet import Breakdown, look_up

from .base import COMBAT_PHASES, D10, fall_blau, own_side, rules, to_side
from .units import is_mech, label, no_infiltration, steps_left

_PART = re.compile(r"([AD])(?:\((\d)\))?(?:r(\d))?")


@dataclass(frozen=True)
class Share:
    """What a result means for one force."""

    role: str
    """'A' or 'D'."""
    steps: int = 0
    retreat: int = 0

    @property
    def loser(self) -> bool:
        return self.retreat > 0

    def options(self) -> list[tuple[int, int]]:
        """12.62: further steps and hexes to retreat, from standing fast to falling all the way back."""
        return [(k, self.retreat - k) for k in range(self.retreat, -1, -1)]


def parse(code: str) -> list[Share]:
    """The shares of a result code, the loser's first [12.65]; 'NE' has none."""
    text = code.strip()
    if text in {"NE", "-", ""}:
        return []
    shares = []
    for part in re.split(r"[ /]+", text):
        found = _PART.fullmatch(part)
        if not found or not (found[2] or found[3]):
            raise Unreadable(f"{code!r} is not a combat result: write it like D(1)r2 or Ar1", given=code)
        shares.append(Share(found[1], int(found[2] or 0), int(found[3] or 0)))
    return sorted(shares, key=lambda s: not s.loser)


def in_words(share: Share, who: str) -> str:
    """A share as an instruction."""
    must = f"lose {share.steps} step(s)" if share.steps else ""
    more = f"then retreat {share.retreat} hex(es), each hex may be a step instead" if share.retreat else ""
    return f"{who}: {', '.join(filter(None, (must, more.removeprefix('then ') if not must else more)))}"


@rules.outcome("prepared-assault")
def assault_outcome(game: Game, sheet: dict[str, Any], result: str) -> Events:
    """Ask the loser first; his answer leads to the victor's part."""
    facts = sheet.get("facts", {})
    attacker = str(facts.get("attacker") or game.active)
    shares = parse(result)
    if not shares:
        yield e.Noted(f"{sheet['title']}: no effect", rule="12.6")
        return
    yield from ask_share(game, shares, facts, attacker)


def _side(share: Share, attacker: str, game: Game) -> str:
    return attacker if share.role == "A" else game.other(attacker)


def ask_share(game: Game, shares: list[Share], facts: dict[str, Any], attacker: str) -> Events:
    """Ask for the first share; the rest of the code travels along."""
    share, rest = shares[0], shares[1:]
    side = _side(share, attacker, game)
    members = facts.get("attackers" if share.role == "A" else "defenders") or []
    args = {
        "side": side,
        "role": share.role,
        "steps": share.steps,
        "retreat": share.retreat,
        "target": str(facts.get("target") or ""),
        "among": ",".join(members),
        "first": ",".join(first_losers(game, share, members, facts)),
        "then": " ".join(code(s) for s in rest),
        "others": ",".join(facts.get("defenders" if share.role == "A" else "attackers") or []),
        "encircled": bool(facts.get("encircled")),
    }
    text = in_words(share, game.side_name(side)) + waiting(game, members)
    yield e.Asked(
        f"result-{share.role}-{game.revision}", to_side(game, side), text, "settle-result", args, rule="12.62"
    )


def code(share: Share) -> str:
    """A share as it is printed."""
    return f"{share.role}{f'({share.steps})' if share.steps else ''}{f'r{share.retreat}' if share.retreat else ''}"


def waiting(game: Game, members: list[str]) -> str:
    """12.23: results wait while another attack from the same hex is still to be rolled."""
    places = {game.units[m].place for m in members if m in game.units}
    pending = sorted(
        {str(t) for n, t in game.marked("pa").items() if n in game.units and game.units[n].place in places}
    )
    return (
        f". Wait for the attack on {', '.join(pending)}: it comes from the same hex [12.23]"
        if pending
        else ""
    )


def first_losers(game: Game, share: Share, members: list[str], facts: dict[str, Any]) -> list[str]:
    """12.63, 15.3: the first step comes from a participant; a Tiger that shifted, else attackers' mechanized units."""
    here = [m for m in members if m in game.units and game.units[m].on_map]
    tigers = [m for m in here if game.units[m].kind.startswith("tiger")]
    if tigers:
        return tigers
    mech = [m for m in here if is_mech(game.units[m])]
    return mech if share.role == "A" and mech else here


def _hexes(ctx: Context) -> int:
    return int(ctx.values.get("retreat") or 0)


@rules.action(by="any", rule="12.62", label="Settle a combat result", group="hidden")
def settle_result(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=own_side)],
    role: Annotated[str, Choice(label="Force", options=(("A", "attacker"), ("D", "defender")))],
    steps: Annotated[int, Whole(label="Steps to lose", high=9)] = 0,
    retreat: Annotated[int, Whole(label="Retreat", high=9)] = 0,
    more: Annotated[
        int,
        Whole(
            label="Steps instead of hexes",
            high=9,
            when=lambda c: _hexes(c) > 0,
            help="0 retreats all the way",
        ),
    ] = 0,
    unfulfilled: Annotated[
        int,
        Whole(
            label="Hexes that cannot be retreated",
            high=9,
            when=lambda c: _hexes(c) > 0,
            help="a step each [12.71]",
        ),
    ] = 0,
    zones: Annotated[
        int,
        Whole(
            label="Enemy-controlled hexes entered",
            high=9,
            when=lambda c: _hexes(c) > 0,
            help="a step each [12.73]",
        ),
    ] = 0,
    target: Annotated[str, Text(label="Hex", most=6)] = "",
    among: Annotated[str, Text(label="Among", most=2000)] = "",
    first: Annotated[str, Text(label="First from", most=2000)] = "",
    then: Annotated[str, Text(label="Then", most=20)] = "",
    others: Annotated[str, Text(label="The other force", most=2000)] = "",
    encircled: Annotated[bool, Flag(label="Encirclement")] = False,
    seat: str = "",
) -> Events:
    """Choose how many hexes to fall back and how many steps to lose instead."""
    if seat in game.sides and seat != side:
        raise NotYours(f"{game.side_name(side)} settles its own result", given=seat, accepted=side)
    if more + unfulfilled > retreat:
        raise NotNow(
            f"r{retreat} means {retreat} hexes or steps in all, not {more + unfulfilled}",
            field="more",
            given=more,
        )
    back = retreat - more - unfulfilled
    total = steps + more + unfulfilled + zones
    members = [m for m in among.split(",") if m in game.units and game.units[m].on_map]
    have = sum(steps_left(game, game.units[m]) for m in members)
    if more and members and seat == side and steps + more > have:  # the table must not learn of reduced chits
        raise NotNow(
            f"there are {have} steps left in this force, not {steps + more} [12.62]", field="more", given=more
        )
    who = game.side_name(side)
    if total:
        text = f"{who}: lose {total} step(s)"
        args = {"side": side, "steps": total, "among": among, "first": first if (steps or more) else ""}
        yield e.Asked(
            f"loss-{side}-{game.revision}", to_side(game, side), text, "take-losses", args, rule="12.61"
        )
    if retreat:
        yield e.Noted(
            f"{who} retreats {back} hex(es)" + (f", {more} step(s) lost instead" if more else ""),
            rule="12.62",
        )
        other = game.other(side)
        text = (
            f"{game.side_name(other)} may advance up to {back} hex(es)"
            if back
            else f"{who} stood fast: no advance"
        )
        if back:
            limit = (
                "; non-mechanized units 1 hex after the encirclement"
                if encircled and not fall_blau(game)
                else ""
            )
            args = {"hexes": back, "encirclement": encircled and not fall_blau(game)}
            name = f"advance-{game.revision}"
            yield e.Asked(name, to_side(game, other), text + limit, "advance", args, rule="12.8")
        else:
            yield e.Noted(text, rule="12.8")
    for member in members if back else ():
        if game.units[member].kind == "ersatz":
            text = f"{label(game.units[member])} cannot retreat: eliminate it"
            name = f"static-{member}-{game.revision}"
            yield e.Asked(name, to_side(game, side), text, "eliminate-unit", {"unit": member}, rule="20.1")
    if then:
        facts = {
            "target": target,
            "attackers": _members(role, "A", among, others),
            "defenders": _members(role, "D", among, others),
        }
        yield from ask_share(game, parse(then), facts, side if role == "A" else game.other(side))


def _members(role: str, wanted: str, own: str, others: str) -> list[str]:
    return [m for m in (own if role == wanted else others).split(",") if m]


# -- retreat and advance -----------------------------------------------------------------------------------


@rules.action(phase=COMBAT_PHASES, by="any", rule="12.73", label="Breakout attempt")
def breakout(
    game: Game,
    side: Annotated[
        str, SideRef(label="Retreating side", start=lambda c: c.game.other(c.game.active) if c.game else "")
    ],
    hex: Annotated[str, HexId(label="From hex")] = "",
    die: Annotated[Roll | None, Dice(spec=D10, purpose="breakout")] = None,
) -> Events:
    """A defending stack with a unit able to infiltrate tries to break out instead of paying for enemy zones."""
    here = [u for u in game.units_at(hex) if u.side == side] if hex else []
    if here and all(no_infiltration(game, u) for u in here):
        raise NotNow("no unit in this stack can use Mobile Infiltration [12.73]", field="hex", given=hex)
    if side == game.active:
        raise NotNow("only a defending stack may try to break out [12.73]", field="side", given=side)
    sheet = Breakdown(
        f"Breakout{f' from {hex}' if hex else ''}", column="result", dice=D10, roll=die.total if die else 0
    )
    look_up(sheet, game.chart("breakout"), str(sheet.roll))
    yield from rules.settle(game, "breakout", sheet, to_side(game, side), "12.73")


@rules.outcome("breakout")
def breakout_outcome(game: Game, sheet: dict[str, Any], result: str) -> Events:
    """The table's words are for the players to carry out."""
    yield e.Noted(f"{sheet['title']}: {result}", rule="12.73")


def advance_limits(
    hexes: int, mech: bool, city: bool, major: bool, encirclement: bool, ezoc: bool
) -> tuple[int, str, str]:
    """How far one unit may advance, why, and the rule."""
    if hexes == 0:
        return 0, "nothing was taken as a retreat", "12.8"
    if city:
        return 1, "the first hex is a city", "12.82, 12.85"
    if major:
        return 1, "entered over a Major River", "12.82"
    if mech:
        return hexes, "may leave the path; stops at the next enemy zone", "12.82"
    if encirclement:
        return 1, "busy with prisoners after the encirclement", "12.51"
    if ezoc:
        return 1, "stops in the enemy zone of the first hex", "12.82"
    return hexes, "along the path of retreat", "12.82"


@rules.worksheet(rule="12.8", title="Advance after combat")
def advance_length(
    ctx: Context,
    hexes: Annotated[int, Whole(label="Hexes taken as a retreat", high=9)] = 0,
    first_city: Annotated[bool, Flag(label="First hex is a city")] = False,
    first_major: Annotated[bool, Flag(label="First hex entered over a Major River")] = False,
    first_ezoc: Annotated[bool, Flag(label="First hex in an enemy zone")] = False,
    encirclement: Annotated[bool, Flag(label="Encirclement Bonus used")] = False,
) -> Breakdown:
    """How far mechanized and other units may advance."""
    sheet = Breakdown("Advance after combat")
    errata = ctx.game is not None and fall_blau(ctx.game)
    for mech, name in ((True, "mechanized"), (False, "others")):
        most, why, rule = advance_limits(
            hexes, mech, first_city, first_major, encirclement and not errata, first_ezoc
        )
        sheet.add(f"{name}: {why}", f"{most} hex(es)", rule)
        sheet.facts[name] = most
    sheet.add("first into the vacated hex; never over an unbridged Major River after that", "", "12.82-12.84")
    sheet.result = f"{sheet.facts['mechanized']} / {sheet.facts['others']}"
    return sheet


@rules.action(by="any", rule="12.8", label="Advance after combat", group="hidden")
def advance(
    game: Game,
    hexes: Annotated[int, Whole(label="Up to", high=9)] = 0,
    encirclement: Annotated[bool, Flag(label="Encirclement Bonus used")] = False,
) -> Events:
    """The advance is done, or not wanted: victorious units need never advance."""
    yield e.Noted(f"advance of up to {hexes} hex(es) done", rule="12.8")
