"""Combat results [12.6-12.8]: the code taken apart, the loser's choices, and who settles first."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import Unreadable
from companion.engine.forms.fields import Choice, Context
from companion.engine.play.actions import Events
from companion.engine.play.duties import DONE, learn, owe
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems.kharkov_battles.base import hex_count, rules
from companion.systems.kharkov_battles.battles import CHOICE, LOSSES, VICTOR, members, side_of, waits_for
from companion.systems.kharkov_battles.casualties import owe_losses, waiting
from companion.systems.kharkov_battles.deeds import tell
from companion.systems.kharkov_battles.retreats import begin_retreat, retreated
from companion.systems.kharkov_battles.units import steps_seen

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
    must = f"lose {count(share.steps, 'step')}" if share.steps else ""
    each = "the hex" if share.retreat == 1 else "each hex"
    more = f"then retreat {hex_count(share.retreat)}, {each} may be a step instead" if share.retreat else ""
    return f"{who}: {', '.join(filter(None, (must, more.removeprefix('then ') if not must else more)))}"


@rules.outcome("prepared-assault")
def assault_outcome(game: Game, sheet: dict[str, Any], result: str, battle: Battle) -> Events:
    """The loser settles first, then the victor [12.65]."""
    shares = parse(result)
    if not shares:
        yield e.Noted(f"{battle.title}: no effect", rule="12.6")
    for share in shares:
        side = side_of(battle, share.role)
        if share.loser:
            text = in_words(share, game.side_name(side))
            yield owe(
                game,
                side,
                text,
                settle_result,
                battle=battle,
                step=CHOICE,
                units=[u.id for u in members(game, battle, share.role)],
                rule="12.62",
                role=share.role,
                steps=share.steps,
                retreat=share.retreat,
            )
        else:
            step = VICTOR if any(s.loser for s in shares) else LOSSES
            yield from owe_losses(game, battle, share.role, share.steps, step)


def _share(ctx: Context) -> Share:
    args = ctx.args
    return Share(str(args.get("role", "D")), int(args.get("steps", 0)), int(args.get("retreat", 0)))


def _options(ctx: Context) -> list[tuple[str, str]]:
    """The loser's choices, each in words, as far as he has the steps for them [12.62]."""
    share, battle = _share(ctx), ctx.battle
    force = members(ctx.game, battle, share.role) if battle else []
    have = sum(steps_seen(ctx.game, u, ctx.seat) for u in force)
    on_record = battle is not None and bool(battle.units(side_of(battle, share.role)))
    return [
        (str(more), _in_short(share.steps, more, back))
        for more, back in reversed(share.options())
        if not on_record or not more or share.steps + more <= have
    ]


def _in_short(steps: int, more: int, back: int) -> str:
    lost = f"lose {count(steps + more, 'step')}" if steps + more else ""
    away = f"retreat {hex_count(back)}" if back else "stand fast"
    words = ", ".join(filter(None, (lost, away)))
    return words[:1].upper() + words[1:]


def _one_option(ctx: Context) -> Mapping[str, Any] | None:
    options = _options(ctx)
    return {"more": options[0][0]} if len(options) == 1 and not _waits(ctx) else None


def _waits(ctx: Context) -> list[Battle]:
    return waits_for(ctx.game, ctx.battle) if ctx.battle else []


def _settled_on_the_map(game: Game, duty: e.Asked, how: str) -> Events:
    battle = game.battles.get(duty.battle)
    if battle is not None and how == DONE:
        yield from retreated(game, battle, str(duty.args["role"]), int(duty.args["retreat"]))


@rules.follow_up(
    rule="12.62",
    label="Settle the result",
    still=lambda game, duty: duty.battle in game.battles,
    alone=_one_option,
    declined=_settled_on_the_map,
    warns=waiting,
)
def settle_result(
    game: Game,
    duty: e.Asked,
    battle: Battle,
    more: Annotated[str, Choice(label="Hexes or steps", options=_options)],
) -> Events:
    """Choose how many hexes to fall back and how many steps to lose instead."""
    share = _share(Context(game, duty=duty))
    extra = int(more)
    total, back = share.steps + extra, share.retreat - extra
    deeds = [f"loses {count(total, 'step')}"] * bool(total) + [f"retreats {hex_count(back)}"] * bool(back)
    words = f"{game.side_name(side_of(battle, share.role))} {' and '.join(deeds)}"
    battle = yield from tell(game, battle, words, "12.62")
    battle = yield from learn(
        game, battle, loser=share.role, mandatory=share.steps, retreat=share.retreat, extra=extra
    )
    if total:
        yield from owe_losses(game, battle, share.role, total, LOSSES, then="retreat")
    else:
        yield from begin_retreat(game, battle)
