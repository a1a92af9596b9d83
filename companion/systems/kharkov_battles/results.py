"""Combat results [12.6-12.8]: the code taken apart, the loser's choices, and who settles first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import NotNow, Unreadable
from companion.engine.play.actions import Events
from companion.engine.play.fields import Choice, Context, Flag, SideRef, Text, Whole
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.systems.kharkov_battles.base import only_its_own, own_side, rules, some, to_side
from companion.systems.kharkov_battles.forces import COMBAT, ROLE, force
from companion.systems.kharkov_battles.retreats import ask_retreat
from companion.systems.kharkov_battles.units import steps_left

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
        """Further steps and hexes to retreat, from standing fast to falling all the way back [12.62]."""
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
            text = f"{code!r} is not a combat result: write it like D(1)r2 or Ar1"
            raise Unreadable(text, field="result", given=code, rule="12.6")
        shares.append(Share(found[1], int(found[2] or 0), int(found[3] or 0)))
    return sorted(shares, key=lambda s: not s.loser)


def in_words(share: Share, who: str) -> str:
    """A share as an instruction."""
    must = f"lose {some(share.steps, 'step')}" if share.steps else ""
    each = "the hex" if share.retreat == 1 else "each hex"
    more = f"then retreat {some(share.retreat, 'hex')}, {each} may be a step instead" if share.retreat else ""
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
    """Results wait while another attack from the same hex is still to be rolled [12.23]."""
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
    """The loser's choices, each in words [12.62]."""
    share = _share(ctx)
    if share is None:
        return [("0", "as it falls")]
    return [(str(k), _in_short(k, hexes)) for k, hexes in reversed(share.options())]


def _in_short(steps: int, hexes: int) -> str:
    if not steps:
        return f"retreat {some(hexes, 'hex')}"
    lost = f"lose {steps} more"
    return f"{lost}, retreat {some(hexes, 'hex')}" if hexes else f"{lost}, stand fast"


def _retreats(ctx: Context) -> bool:
    share = _share(ctx)
    return share is not None and share.loser


@rules.action(by="any", rule="12.62", label="Settle the result", group="hidden")
def settle_result(
    game: Game,
    side: Annotated[str, SideRef(label="Side", start=own_side, hidden=True)],
    role: ROLE,
    result: Annotated[str, Text(label="Result", most=20, hidden=True)],
    combat: COMBAT = 0,
    more: Annotated[str, Choice(label="Hexes or steps", options=_options, when=_retreats)] = "0",
    unfulfilled: Annotated[
        int, Whole(label="Hexes it cannot go", high=9, when=_retreats, help="a step each [12.71]")
    ] = 0,
    zones: Annotated[
        int,
        Whole(
            label="Enemy zones entered",
            high=9,
            when=_retreats,
            help="a step each, unless a friend stands there or a breakout succeeds [12.73]",
        ),
    ] = 0,
    encircled: Annotated[bool, Flag(label="Encirclement Bonus used", when=_retreats, hidden=True)] = False,
    seat: str = "",
) -> Events:
    """Choose how many hexes to fall back and how many steps to lose instead."""
    only_its_own(game, seat, side, "settles its own result")
    shares = parse(result)
    share = next((s for s in shares if s.role == role), None)
    if share is None:
        raise NotNow(f"{result} has no part for this force", field="role", given=role, rule="12.6")
    extra = int(more)
    if extra + unfulfilled > share.retreat:
        text = f"r{share.retreat} means {share.retreat} hexes or steps in all"
        raise NotNow(text, field="more", given=more, rule="12.62")
    members = force(game, combat, role) if combat else []
    have, wanted = sum(steps_left(game, u) for u in members), share.steps + extra
    if extra and members and seat == side and wanted > have:  # the table is not told of reduced chits
        text = f"there are {have} steps left in this force, not {wanted}"
        raise NotNow(text, field="more", given=more, rule="12.62")
    total = share.steps + extra + unfulfilled + zones
    back = share.retreat - extra - unfulfilled
    deeds = [f"loses {some(total, 'step')}"] * bool(total) + [f"retreats {some(back, 'hex')}"] * bool(back)
    yield e.Noted(f"{game.side_name(side)} {' and '.join(deeds) or 'holds'}", rule="12.62")
    if total:
        args = {"side": side, "steps": total, "combat": combat, "role": role, "first": True}
        text = f"{game.side_name(side)}: lose {some(total, 'step')}"
        name = f"loss-{side}-{game.revision}"
        yield e.Asked(name, to_side(game, side), text, "take-losses", args, rule="12.61")
    if share.loser:
        yield from ask_retreat(game, side, role, back, combat, encircled)
    rest = shares[shares.index(share) + 1 :]
    if rest:
        attacker = side if role == "A" else game.other(side)
        yield from ask_share(game, rest[0], result, attacker, combat, False)
