"""The chit cup: required and declared draws, dark chits, and real chits entered as they come [9.3, 9.41]."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping
from functools import partial
from typing import Annotated

from companion.engine.errors import NotNow, Unreadable
from companion.engine.forms.fields import Choice, Context, Flag, Text, Whole
from companion.engine.forms.worksheet import Breakdown
from companion.engine.play.actions import Chance, Events
from companion.engine.play.duties import DONE, LEFT, learn, owe
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import rules
from companion.systems.enemy_action_kharkov.fight import CHITS, SUMMED, clean_up, current
from companion.systems.enemy_action_kharkov.hits import base_hits, tally
from companion.systems.enemy_action_kharkov.manifest import PLAIN, cup_is_real, dark
from companion.systems.enemy_action_kharkov.numbers import Tapped
from companion.systems.enemy_action_kharkov.odds import forecast
from companion.systems.enemy_action_kharkov.record import fight_of
from companion.systems.enemy_action_kharkov.situations import words
from companion.systems.enemy_action_kharkov.taking import settle


def owe_chits(game: Game, battle: Battle) -> e.Asked:
    """A combat once declared is fought: calling it off needs the other side [9.0]."""
    number = fight_of(game, battle).missing
    text = f"{game.side_name(battle.attacker)}: draw {count(number, 'chit')}"
    return owe(game, battle.attacker, text, "draw-chits", battle=battle, step=CHITS, rule="9.3", binding=True)


def _missing(ctx: Context) -> int:
    return fight_of(ctx.game, ctx.battle).missing if ctx.battle else 0


def _real(ctx: Context) -> bool:
    return cup_is_real(ctx.game)


Hits = partial(Tapped, low=-9, high=30, help="0 if you tap none", needed=lambda ctx: False)
"""The sum of real chits: one of the two is tapped, be it nought. Any that is not on the chips is told chit by chit."""


def _how_many(ctx: Context) -> list[tuple[str, str]]:
    number = _missing(ctx)
    return [("all", f"Draw {count(number, 'chit')}"), *([("one", "Draw one of them")] if number > 1 else [])]


def _by_hand(game: Game, duty: e.Asked, how: str) -> Events:
    """The combat was settled on the map, or both sides called it off: cards and chits are put away [9.0]."""
    battle = game.battles.get(duty.battle)
    if battle is None or battle.result:
        return
    yield from learn(game, battle, result="settled on the map" if how == DONE else "called off")
    for other in game.duties(battle):
        yield e.Answered(other.id, LEFT, battle=battle.id)
    yield from clean_up(game, battle, fought=how == DONE)


@rules.follow_up(rule="9.3, 9.41", label="Enter the chits", declined=_by_hand)
def draw_chits(
    game: Game,
    battle: Battle,
    chance: Chance,
    number: Annotated[
        str, Choice(label="Chits", options=_how_many, start=lambda c: "all", when=lambda c: not _real(c))
    ] = "all",
    defender: Annotated[
        int | None, Hits(label="Defender hits on them (D)", usual=range(-1, 7), when=_real)
    ] = None,
    attacker: Annotated[
        int | None, Hits(label="Attacker hits on them (A)", usual=range(7), when=_real)
    ] = None,
    was_dark: Annotated[bool, Flag(label="A dark chit was among them", when=_real)] = False,
    each: Annotated[bool, Flag(label="Enter them one by one", when=_real)] = False,
    hits: Annotated[
        str,
        Text(
            label="Chit by chit",
            most=200,
            placeholder="D1, A1 D1, -, D2*",
            help="with commas: its hits if a side applies, - if none does, * after a dark chit",
            when=_real,
            quiet=lambda c: not c.values.get("each"),
        ),
    ] = "",
) -> Events:
    """Draw the chits that are due, or enter what came out of the real cup: by their sum, or one by one."""
    if cup_is_real(game):
        if not hits.strip() and attacker is None and defender is None:
            raise Unreadable("which hits are on the chits?", field="defender", rule="9.5")
        summed = f"A{attacker or 0} D{defender or 0}{'*' if was_dark else ''}"
        yield from _enter(game, battle, hits, summed)
    else:
        missing = fight_of(game, battle).missing
        yield from _draw(game, battle, chance, 1 if number == "one" else missing)
    yield from _after(game, game.battles[battle.id])


def _draw(game: Game, battle: Battle, chance: Chance, number: int) -> Events:
    """One chit after the other, both faces for both sides to see; each is judged by the tally [9.4]."""
    for _ in range(number):
        if not game.piles["chits"]["cup"]:
            raise NotNow("the cup is empty: that cannot happen, check the chits set aside", rule="9.41")
        event = chance.draw(game, "chits", "cup", "drawn", 1, reason=IN_PASSING)
        yield event
        if dark(game.face("chits", event.tokens[0])):
            yield from _replenish(game, battle)


def _replenish(game: Game, battle: Battle) -> Generator[e.Event, None, None]:
    """A dark chit brings back at once what earlier combats set aside; this combat's follow at its end [9.41]."""
    yield from learn(game, battle, "a dark chit", dark=True)
    earlier = tuple(game.piles["chits"]["aside"])
    if earlier:
        yield e.Returned("chits", earlier, "aside", "cup", len(earlier), reason="a dark chit [9.41]")


@rules.faces_of("chits")
def both_faces(game: Game, battle: Battle, token: str) -> Mapping[str, str]:
    """A chit as both players see it: front and back, and which of them is up [9.4]."""
    row, lines = game.face("chits", token), battle.sheet.get("lines", ())
    counted = next((str(x["label"]) for x in lines if str(x["label"]).startswith(token)), "")
    found = {"dark": "dark"} if dark(row) else {}
    for side in ("front", "back"):
        if row.get(side):
            told = words(str(row[side]), str(row.get(f"{side}_detail") or ""))
            up = "\u2713 " if counted.partition(": ")[2] == told else ""
            found[side] = f"{up}{told}: {row.get(f'{side}_hits') or '0'}"
    return found


def _enter(game: Game, battle: Battle, hits: str, summed: str) -> Events:
    """Real chits: which ones the companion cannot know, so any of their shade are counted off."""
    missing = fight_of(game, battle).missing
    items = [item.strip() for item in re.split(r"[,;/]", hits) if item.strip()]
    items = items or [summed, *[SUMMED] * (missing - 1)]
    if len(items) > missing:
        wrong = f"{len(items)} chits are too many: {missing} are owed"
        raise Unreadable(wrong, field="hits", given=hits, accepted="commas between", rule="9.3")
    entered = list(battle.facts.get("entered", ()))
    for item in items:
        text = item.replace("*", "").strip()
        if text not in ("-", "", SUMMED) and not PLAIN.fullmatch(text.upper()):
            wrong = f"{item!r} is not a chit: write A1, D2, A1 D1, D-1, S1, or - when it does not apply"
            raise Unreadable(wrong, field="hits", given=item)
        cup = game.piles["chits"]["cup"]
        if not cup:
            wrong = "the companion's cup is empty: put the chits that were set aside back first"
            raise NotNow(wrong, rule="9.41")
        token = next((c for c in cup if dark(game.face("chits", c)) is ("*" in item)), cup[0])
        yield e.Returned("chits", (token,), "cup", "drawn", 1, "physical", reason=IN_PASSING)
        entered.append("" if text == "-" else text.upper())
        if "*" in item:
            yield from _replenish(game, battle)
    yield from learn(game, battle, entered=entered)


def _after(game: Game, battle: Battle) -> Events:
    """The chits so far lie open; what is left to draw or to declare, else the hits [9.3, 9.5]."""
    fight = fight_of(game, battle)
    yield e.Resolved("hits", tally(game, fight).to_json(), battle=battle.id)
    if fight.missing:
        yield owe_chits(game, battle)
    elif fight.declared is None and fight.extra:
        attacker, defender = base_hits(game, fight)
        so_far = f"A{attacker} D{defender} so far"
        text = f"{game.side_name(battle.attacker)}: {so_far}: stop, or draw up to {fight.extra} more"
        yield owe(
            game, battle.attacker, text, declare_draws, battle=battle, step=CHITS, rule="9.3", binding=True
        )
    else:
        yield from settle(game, battle)


def _more(ctx: Context) -> list[tuple[str, str]]:
    """Stop here, or one to all of the chits that may be added; with what to expect, where the cup is known [9.3]."""
    game, battle = ctx.game, ctx.battle
    fight = fight_of(game, battle) if battle else None
    if fight is None:
        return []
    found = [("0", "Stop here")]
    for extra in range(1, fight.extra + 1):
        label = f"Draw {extra} more"
        if game["show-chances"] and not cup_is_real(game):
            sheet = Breakdown("")
            forecast(game, fight, extra, sheet)
            label += f": A{sheet.facts['expected_attacker']:.1f} D{sheet.facts['expected_defender']:.1f}"
        found.append((str(extra), label))
    return found


@rules.follow_up(rule="9.3", label="Declare more chits", declined=_by_hand)
def declare_draws(
    game: Game, battle: Battle, chance: Chance, extra: Annotated[str, Choice(label="More", options=_more)]
) -> Events:
    """Stop here, or say how many more chits you draw; exactly that many are drawn."""
    told = f"{count(int(extra), 'more chit')} declared" if int(extra) else "no more chits"
    battle = yield from learn(game, battle, told, declared=int(extra))
    if int(extra) and cup_is_real(game):
        yield owe_chits(game, battle)
        return
    yield from _draw(game, battle, chance, int(extra))
    yield from _after(game, game.battles[battle.id])


@rules.worksheet(rule="9.3", title="More chits")
def extra_draws(ctx: Context, extra: Annotated[int, Whole(label="More chits", high=24)] = 0) -> Breakdown:
    """What drawing this many more chits may bring, from what is left in the cup."""
    sheet = Breakdown("More chits", facts={"declared": extra})
    game, battle = ctx.game, current(ctx.game)
    if battle is None:
        sheet.warnings.append("there is no combat in hand")
        return sheet
    fight = fight_of(game, battle)
    if extra > fight.extra:
        sheet.warnings.append(f"at most {fight.extra} more may be declared [9.3]")
        return sheet
    sheet.facts["extra"] = fight.extra
    sheet.add(f"drawn so far; up to {fight.extra} more", fight.drawn, "9.3")
    if game["show-chances"] and not cup_is_real(game):
        forecast(game, fight, extra, sheet)
    return sheet


@rules.entering("end")
def all_chits_back(game: Game) -> Events:
    """Every chit returns to the cup [4-V, 9.41]."""
    for zone in ("drawn", "aside"):
        tokens = tuple(game.piles["chits"][zone])
        if tokens and not game.ended:
            yield e.Returned("chits", tokens, zone, "cup", len(tokens), reason="end of turn [9.41]")
