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
from companion.engine.roster import Unit
from companion.engine.worksheet import Breakdown, look_up

from .base import COMBAT_PHASES, D10, fall_blau, own_side, rules, to_side
from .forces import force
from .units import label, no_infiltration, steps_left

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
    shares = parse(result)
    if not shares:
        yield e.Noted(f"{sheet['title']}: no effect", rule="12.6")
        return
    attacker = str(facts.get("attacker") or game.active)
    yield from ask_share(
        game, shares[0], result, attacker, int(facts.get("combat") or 0), bool(facts.get("encircled"))
    )


def ask_share(game: Game, share: Share, result: str, attacker: str, combat: int, encircled: bool) -> Events:
    """Ask a side how it meets its part of a result."""
    side = attacker if share.role == "A" else game.other(attacker)
    args = {"side": side, "role": share.role, "result": result, "combat": combat}
    if encircled:
        args["encircled"] = True
    text = in_words(share, game.side_name(side)) + waiting(game, combat)
    name = f"result-{share.role}-{game.revision}"
    yield e.Asked(name, to_side(game, side), text, "settle-result", args, rule="12.62")


def waiting(game: Game, combat: int) -> str:
    """12.23: results wait while another attack from the same hex is still to be rolled."""
    places = {u.place for u in force(game, combat, "A")}
    split = {
        str(t) for n, t in game.marked("pa").items() if n in game.units and game.units[n].place in places
    }
    if not split:
        return ""
    return f". Wait for the attack on {', '.join(sorted(split))}: it comes from the same hex [12.23]"


def _share(ctx: Context) -> Share | None:
    try:
        found = parse(str(ctx.values.get("result") or ""))
    except Unreadable:
        return None
    return next((s for s in found if s.role == ctx.values.get("role")), None)


def _options(ctx: Context) -> list[tuple[str, str]]:
    """12.62: the loser's choices, each in words."""
    share = _share(ctx)
    if share is None:
        return [("0", "as it falls")]
    return [(str(k), f"{k} more step(s), retreat {hexes}") for k, hexes in reversed(share.options())]


def _retreats(ctx: Context) -> bool:
    share = _share(ctx)
    return share is not None and share.loser


@rules.action(by="any", rule="12.62", label="Settle a combat result", group="hidden")
def settle_result(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=own_side)],
    role: Annotated[str, Choice(label="Force", options=(("A", "attacker"), ("D", "defender")))],
    result: Annotated[str, Text(label="Result", most=20)],
    combat: Annotated[int, Whole(label="Combat number", high=99)] = 0,
    more: Annotated[str, Choice(label="Steps instead of hexes", options=_options, when=_retreats)] = "0",
    unfulfilled: Annotated[
        int, Whole(label="Hexes that cannot be retreated", high=9, when=_retreats, help="a step each [12.71]")
    ] = 0,
    zones: Annotated[
        int, Whole(label="Enemy-controlled hexes entered", high=9, when=_retreats, help="a step each [12.73]")
    ] = 0,
    encircled: Annotated[bool, Flag(label="Encirclement Bonus used", when=_retreats)] = False,
    seat: str = "",
) -> Events:
    """Choose how many hexes to fall back and how many steps to lose instead."""
    if seat in game.sides and seat != side:
        raise NotYours(f"{game.side_name(side)} settles its own result", given=seat, accepted=side)
    shares = parse(result)
    share = next((s for s in shares if s.role == role), None)
    if share is None:
        raise NotNow(f"{result} has no part for this force", field="role", given=role)
    extra = int(more)
    if extra + unfulfilled > share.retreat:
        raise NotNow(
            f"r{share.retreat} means {share.retreat} hexes or steps in all", field="more", given=more
        )
    members = force(game, combat, role) if combat else []
    have = sum(steps_left(game, u) for u in members)
    if (
        extra and members and seat == side and share.steps + extra > have
    ):  # the table is not told of reduced chits
        raise NotNow(
            f"there are {have} steps left in this force, not {share.steps + extra}", field="more", given=more
        )
    total = share.steps + extra + unfulfilled + zones
    if total:
        args = {"side": side, "steps": total, "combat": combat, "role": role, "first": True}
        text = f"{game.side_name(side)}: lose {total} step(s)"
        name = f"loss-{side}-{game.revision}"
        yield e.Asked(name, to_side(game, side), text, "take-losses", args, rule="12.61")
    if share.loser:
        yield from _fall_back(game, side, share.retreat - extra - unfulfilled, members, encircled)
    rest = shares[shares.index(share) + 1 :]
    if rest:
        attacker = side if role == "A" else game.other(side)
        yield from ask_share(game, rest[0], result, attacker, combat, False)


def _fall_back(game: Game, side: str, back: int, members: list[Unit], encircled: bool) -> Events:
    """The retreat, and how far the victor may follow [12.8]."""
    who, other = game.side_name(side), game.other(side)
    if not back:
        yield e.Noted(f"{who} stands fast: no advance", rule="12.8")
        return
    yield e.Noted(f"{who} retreats {back} hex(es)", rule="12.7")
    limited = encircled and not fall_blau(game)
    text = f"{game.side_name(other)} may advance up to {back} hex(es)"
    text += "; non-mechanized units 1 hex after the encirclement" if limited else ""
    args = {"hexes": back, "encirclement": True} if limited else {"hexes": back}
    yield e.Asked(f"advance-{game.revision}", to_side(game, other), text, "advance", args, rule="12.8")
    for unit in members:
        if unit.kind == "ersatz":
            text = f"{label(unit)} cannot retreat: eliminate it"
            name = f"static-{unit.id}-{game.revision}"
            yield e.Asked(name, to_side(game, side), text, "eliminate-unit", {"unit": unit.id}, rule="20.1")


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
