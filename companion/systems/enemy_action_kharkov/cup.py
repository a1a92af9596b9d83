"""The chit cup: required and declared draws, dark chits, and real chits entered as they come [9.3, 9.41]."""

from __future__ import annotations

import re
from typing import Annotated

from companion.engine.errors import NotNow, Unreadable
from companion.engine.play.actions import Chance, Events
from companion.engine.play.fields import Context, Flag, Text, Whole
from companion.engine.play.worksheet import Breakdown
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game

from .base import ask, rules
from .fight import Fight, answered, attacker_of, current, in_hand, save
from .hits import tally
from .manifest import PLAIN, cup_is_real, dark
from .odds import forecast
from .taking import settle


def _owed(game: Game) -> bool | str:
    fight = current(game)
    if fight is None:
        return "declare a combat first"
    if fight.hits:
        return "this combat's chits are drawn"
    if fight.tactics_by in game.sides:
        return f"{game.side_name(fight.tactics_by)} may still play tactics: first they say they play no more [9.0]"
    if not fight.missing:
        return "declare how many more chits you draw"
    return True


def _missing(ctx: Context) -> int | None:
    fight = current(ctx.game)
    return fight.missing if fight else None


def _digital(game: Game) -> bool | str:
    if cup_is_real(game):
        if game["mode-chits"] == "digital":
            return "the companion cannot draw yet: fill in the chit sheet, or set the table to real chits"
        return False
    return _owed(game)


@rules.action(
    phase="command", by=attacker_of, rule="9.3", label="Draw chits", primary=True, when=_digital, fresh=True
)
def draw_chits(
    game: Game,
    chance: Chance,
    count: Annotated[
        int | None,
        Whole(
            label="How many now",
            help="all that are owed, or one by one",
            low=1,
            high=30,
            start=_missing,
            when=lambda c: (_missing(c) or 0) > 1,
        ),
    ] = None,
) -> Events:
    """Draw the required chits, then the declared ones, one by one; each is judged at once."""
    fight = in_hand(game)
    number = min(fight.missing, count or fight.missing)
    for _ in range(number):
        if not game.piles["chits"]["cup"]:
            raise NotNow("the cup is empty: that cannot happen, check the chits set aside", rule="9.41")
        event = chance.draw(game, "chits", "cup", "drawn", 1, reason=IN_PASSING)  # the tally tells
        yield event
        fight.drawn += 1
        fight.chits.append(event.tokens[0])
        if dark(game.face("chits", event.tokens[0])):
            yield from _replenish(game, fight)
    yield from _after(game, fight)


def _replenish(game: Game, fight: Fight) -> Events:
    """A dark chit brings back at once what earlier combats set aside; this combat's follow at its end [9.41]."""
    fight.dark = True
    earlier = tuple(game.piles["chits"]["aside"])
    if earlier:
        yield e.Returned("chits", earlier, "aside", "cup", len(earlier), reason="a dark chit [9.41]")


@rules.action(
    phase="command",
    by=attacker_of,
    rule="9.3, 9.41",
    label="Enter chits drawn",
    primary=True,
    when=lambda game: _owed(game) if cup_is_real(game) and game["mode-chits"] != "digital" else False,
)
def enter_chits(
    game: Game,
    attacker: Annotated[int, Whole(label="Attacker hits on them (A)", low=-9, high=30)] = 0,
    defender: Annotated[int, Whole(label="Defender hits on them (D)", low=-9, high=30)] = 0,
    was_dark: Annotated[bool, Flag(label="A dark chit was among them")] = False,
    hits: Annotated[
        str,
        Text(
            label="Or chit by chit",
            most=200,
            placeholder="D1, A1 D1, -, D2*",
            help="with commas: its hits if a side applies, - if none does, * after a dark chit",
        ),
    ] = "",
) -> Events:
    """Enter what came out of the real cup: all owed chits by their sum, or one by one."""
    fight = in_hand(game)
    if hits:
        items = [item.strip() for item in re.split(r"[,;/]", hits) if item.strip()]
    else:
        items = [f"A{attacker} D{defender}{'*' if was_dark else ''}", *["-"] * (fight.missing - 1)]
    if len(items) > fight.missing:
        raise Unreadable(
            f"{len(items)} chits are too many: {fight.missing} are owed",
            field="hits",
            given=hits,
            accepted="commas between",
            rule="9.3",
        )
    for item in items:
        text = item.replace("*", "").strip()
        if text not in ("-", "") and not PLAIN.fullmatch(text.upper()):
            raise Unreadable(
                f"{item!r} is not a chit: write A1, D2, A1 D1, D-1, S1, or - when it does not apply",
                field="hits",
                given=item,
            )
        yield _anonymous(game, dark_one="*" in item)
        fight.drawn += 1
        fight.entered.append("" if text == "-" else text.upper())
        if "*" in item:
            yield from _replenish(game, fight)
    yield from _after(game, fight)


def _anonymous(game: Game, *, dark_one: bool) -> e.Drawn:
    """A real chit leaves the cup: which one the companion cannot know, so any of its shade is counted off."""
    cup = game.piles["chits"]["cup"]
    if not cup:
        raise NotNow(
            "the companion's cup is empty: put the chits that were set aside back first", rule="9.41"
        )
    token = next((c for c in cup if dark(game.face("chits", c)) is dark_one), cup[0])
    return e.Drawn("chits", (token,), "cup", "drawn", 1, "physical", reason=IN_PASSING)


def _ask_draw(game: Game, fight: Fight) -> e.Asked:
    action = "enter-chits" if cup_is_real(game) else "draw-chits"
    text = (
        "Attacker: draw the last chit" if fight.missing == 1 else f"Attacker: draw {fight.missing} more chits"
    )
    return ask(game, "draw", (fight.attacker, "table"), text, action, "9.3")


def _after(game: Game, fight: Fight) -> Events:
    yield from answered(game, "tactics", "bonus", "join", "draw")
    yield save(fight, "")
    sheet = tally(game, fight)
    yield e.Resolved("chits", sheet.to_json(), sheet.result)
    if fight.missing:
        yield _ask_draw(game, fight)
        return
    if fight.declared is None and fight.extra:
        text = f"Declare 0 to {fight.extra} more chits"
        yield ask(game, "declare", (fight.attacker, "table"), text, "declare-draws", "9.3")
        return
    yield from settle(game, fight)


@rules.worksheet(rule="9.3", title="More chits")
def extra_draws(ctx: Context, extra: Annotated[int, Whole(label="More chits", high=24)] = 0) -> Breakdown:
    """What drawing this many more chits may bring, from what is left in the cup."""
    sheet = Breakdown("More chits", facts={"declared": extra})
    game, fight = ctx.game, current(ctx.game)
    if fight is None:
        sheet.warnings.append("there is no combat in hand")
        return sheet
    if extra > fight.extra:
        sheet.warnings.append(f"at most {fight.extra} more may be declared [9.3]")
        return sheet
    sheet.facts["extra"] = fight.extra
    sheet.add(f"drawn so far; up to {fight.extra} more", fight.drawn, "9.3")
    if not game["show-chances"] or cup_is_real(game):
        return sheet
    forecast(game, fight, extra, sheet)
    return sheet


def _may_declare(game: Game) -> bool | str:
    fight = current(game)
    if fight is None:
        return "declare a combat first"
    if fight.hits or fight.declared is not None:
        return "the draw is declared already"
    if fight.drawn < fight.required:
        return "draw the required chits first [9.3]"
    return True


@rules.action(
    phase="command",
    by=attacker_of,
    rule="9.3",
    worksheet=extra_draws,
    label="Declare more chits",
    primary=True,
    when=_may_declare,
)
def declare_draws(game: Game, sheet: Breakdown) -> Events:
    """Say how many more chits you draw; exactly that many are drawn."""
    fight = in_hand(game)
    extra = int(sheet.facts["declared"])
    if extra > fight.extra:
        raise Unreadable(f"at most {fight.extra} more chits", field="extra", given=extra, rule="9.3")
    yield from answered(game, "declare")
    fight.declared = extra
    yield save(fight, f"{extra} more chits declared")
    if extra:
        yield _ask_draw(game, fight)
    else:
        yield from settle(game, fight)


@rules.entering("end")
def all_chits_back(game: Game) -> Events:
    """Every chit returns to the cup [4-V, 9.41]."""
    if game.ended:
        return
    for zone in ("drawn", "aside"):
        tokens = tuple(game.piles["chits"][zone])
        if tokens:
            yield e.Returned("chits", tokens, zone, "cup", len(tokens), reason="end of turn [9.41]")
