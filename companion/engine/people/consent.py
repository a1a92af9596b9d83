"""Consent: what one player may not do alone. A question goes to the others; when they agree, it is done.

The table's screen lies open before both players, so it may speak for a side, but only while no device sits at that side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from companion.engine.errors import NotNow, NotYours, Unreadable
from companion.engine.forms.fields import Choice, Flag, Text, Whole
from companion.engine.play.actions import Chance, Events
from companion.engine.play.duties import NOT_NEEDED
from companion.engine.play.rules import Rules
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING, PUT_BACK
from companion.engine.record.game import Game

consent_rules = Rules("consent")

TAKE_BACK, END, LAY_OPEN, LIFT_FOG = "take-back", "end-game", "lay-open", "lift-fog"
RULES_END, WAIVE, REDO = "rules-end", "waive", "redo"

Deed = Callable[[Game, Mapping[str, Any], str], Events]
"""What is done once everybody asked has agreed: (game, the question's arguments, who agreed) -> events."""

DEEDS: dict[str, Deed] = {}


def deed(kind: str) -> Callable[[Deed], Deed]:
    """Name what a kind of consent allows."""

    def define(fn: Deed) -> Deed:
        DEEDS[kind] = fn
        return fn

    return define


def request(
    game: Game, seat: str, kind: str, text: str, args: Mapping[str, Any], sides: Sequence[str] = ()
) -> Events:
    """Ask every other side to agree, or only those told; playing solo, do it at once."""
    if game["solo"]:
        yield from DEEDS[kind](game, args, "")
        return
    waiting = next((a for a in game.asked.values() if a.by == kind and {**a.args, **args} == a.args), None)
    if waiting is not None:
        raise NotNow(f"That is asked already: it waits for {voices(game, waiting.to)}.", given=kind)
    name = f"{kind}-{game.revision}"
    others = list(sides) or [side for side in game.sides if side != seat]
    yield from _ask(game, others, kind, text, {**args, "asker": seat, "group": name})


def _ask(game: Game, sides: list[str], kind: str, text: str, args: Mapping[str, Any]) -> Events:
    """A question for each side that a device sits at, and one on the table's screen for all others."""
    seated = [(side,) for side in sides if side in game.seated]
    absent = tuple(side for side in sides if side not in game.seated)
    for number, to in enumerate([*seated, *([(*absent, "table")] if absent else [])], 1):
        yield e.Asked(f"{kind}-{game.revision}-{number}", to, text, "agree", args, by=kind)


def voices(game: Game, seats: tuple[str, ...]) -> str:
    """Seats in words: German, or German or the table's screen."""
    return " or ".join("the table's screen" if s == "table" else game.side_name(s) for s in seats)


@consent_rules.action(by="any", label="Agree", group="hidden")
def agree(
    game: Game,
    ask: Annotated[str, Text(most=60)],
    yes: Annotated[bool, Flag()] = False,
    seat: str = "",
) -> Events:
    """Agree to what another seat wants to do, or refuse it; the asker may withdraw it."""
    question = game.asked.get(ask)
    if question is None or question.by not in DEEDS:
        raise NotNow("that question is no longer open", field="ask", given=ask)
    if seat not in question.to and (yes or seat != question.args.get("asker")):
        raise NotYours("the other side must answer this", field="ask", given=seat)
    if yes and "table" in question.to and game.seated & ({*question.to} - {"table"}):
        # Somebody sat down since it was asked: the table's screen no longer speaks for all of them.
        yield e.Answered(ask, "asked again")
        sides = [side for side in question.to if side != "table"]
        yield from _ask(game, sides, question.by, question.text, question.args)
        return
    group = question.args.get("group", ask)
    together = [a.id for a in game.asked.values() if a.args.get("group", a.id) == group]
    if not yes:
        for name in together:
            told = (
                question.text.removesuffix(" Agree?") if name == together[0] and seat in question.to else ""
            )
            yield e.Answered(name, "refused" if seat in question.to else "withdrawn", text=told)
        if question.by == RULES_END:
            yield e.Set("disputed", (*game["disputed"], question.args["key"]), reason=IN_PASSING)
            yield e.Noted(f"{who(game, seat)} does not agree that the game is over: {question.args['why']}")
        return
    if question.by not in (TAKE_BACK, REDO):  # which go back to before they were asked
        yield e.Answered(ask, "agreed")
    if together == [ask]:
        yield from DEEDS[question.by](game, question.args, game.side_name(seat))


# -- taking back -----------------------------------------------------------------------------------------


@consent_rules.action(by="any", label="Take back", group="fix")
def take_back(
    game: Game,
    to: Annotated[int, Whole(label="Back to line", high=10_000_000)],
    seat: str = "",
) -> Events:
    """Go back to an earlier line of the log; past a roll, a draw or the game's end the other side must agree."""
    if to >= game.revision or to < 2:
        raise Unreadable(
            f"line {to} is not behind us: 2 to {game.revision - 1}",
            field="to",
            given=to,
            accepted=f"2 to {game.revision - 1}",
        )
    past = game.hindsight
    undone = any(low < to < high for low, high in past.taken_back)
    theirs = [side for side in game.sides if side in past.acted and _is_anothers(game, side, seat)]
    if game.last_chance <= to and not game.ended and not undone:
        if not theirs:
            yield e.Undone(to)
            return
        names = " and ".join(map(game.side_name, theirs))
        what = f": {past.what}" if past.what else ""
        text = f"{who(game, seat)} wants to take back what {names} did{what}. Agree?"
        yield from request(game, seat, TAKE_BACK, text, {"to": to}, theirs)
        return
    beyond = "the game's end" if game.ended else "a roll or draw"
    what = "go back to what was taken back" if undone else f"take back, past {beyond}"
    yield from request(game, seat, TAKE_BACK, f"{who(game, seat)} wants to {what}. Agree?", {"to": to})


def _is_anothers(game: Game, side: str, seat: str) -> bool:
    """Whether what a side did is not this seat's to take back alone: the table's screen speaks for sides that are absent."""
    return side in game.seated if seat == "table" else side != seat


@deed(TAKE_BACK)
def _taken_back(game: Game, args: Mapping[str, Any], by: str) -> Events:
    yield e.Undone(int(args["to"]), reason=_agreed(game, args, by))


def _agreed(game: Game, args: Mapping[str, Any], by: str) -> str:
    """Who wanted it and who agreed, for the log; nothing where nobody had to."""
    return f"{who(game, str(args.get('asker', '')))} asked, {by} agreed" if by else ""


@consent_rules.action(by="any", label="Redo", group="hidden")
def redo(game: Game, seat: str = "") -> Events:
    """Put back what was just taken back: free for whoever took it back alone, else the other side must agree."""
    past = game.hindsight
    if not past.redo_to:
        raise NotNow("Nothing was taken back just now: there is nothing to put back.")
    if seat == past.redo_by:
        yield e.Undone(past.redo_to, reason=PUT_BACK)
        return
    text = f"{who(game, seat)} wants to put back what was taken back. Agree?"
    yield from request(game, seat, REDO, text, {"to": past.redo_to})


@deed(REDO)
def _put_back(game: Game, args: Mapping[str, Any], by: str) -> Events:
    if game.hindsight.redo_to != int(args["to"]):
        raise NotNow("Play has gone on since: what was taken back cannot be put back any more.")
    yield e.Undone(int(args["to"]), reason=f"{PUT_BACK}: {_agreed(game, args, by)}" if by else PUT_BACK)


def who(game: Game, seat: str) -> str:
    """A seat as the one who wants something."""
    return "The table's screen" if seat == "table" else game.side_name(seat)


# -- ending, and laying the record open ------------------------------------------------------------------


@consent_rules.action(
    by="any", label="End the game", group="fix", fresh=True, when=lambda game: not game.ended
)
def end_game(
    game: Game,
    winner: Annotated[
        str,
        Choice(
            label="Winner",
            options=lambda c: ([*((s.id, s.name) for s in c.game.kit.sides), ("nobody", "Draw")]),
        ),
    ],
    level: Annotated[str, Text(label="Level", most=60, placeholder="optional")] = "",
    why: Annotated[str, Text(label="Why", most=200)] = "",
    seat: str = "",
) -> Events:
    """Close the game with a result by hand; both sides must agree, and the whole record then lies open."""
    result = "a draw" if winner == "nobody" else f"{game.side_name(winner)} victory"
    text = (
        f"{who(game, seat)} wants to end the game: {result}{f', {level}' if level else ''}"
        f"{f' ({why})' if why else ''}. Everything hidden and the dice seed are then laid open. Agree?"
    )
    result_args = {"winner": winner, "level": level, "why": why}
    yield from request(game, seat, END, text, result_args)


@deed(END)
def _ended_by_hand(game: Game, args: Mapping[str, Any], by: str) -> Events:
    winner, level = str(args["winner"]), str(args["level"])
    if (
        winner not in game.sides and "draw" not in level.casefold()
    ):  # agreed on, unlike a count that decided nothing
        level = f"draw, {level}" if level else "draw"
    yield e.Ended(winner, level, str(args["why"]))
    yield from _laid_open(game, args, by)


def propose_end(
    game: Game, winner: str, level: str, why: str, rule: str, key: str = "", *, again: bool = False
) -> Events:
    """The rules say that the game is over before its last turn: both sides are told on what grounds, and must agree.

    Asked once; whoever refuses plays on, and is not asked again on the same grounds unless `again` is told.
    """
    grounds = key or f"{winner} {rule} {game.turn}"
    asked = any(a.by == RULES_END and a.args.get("key") == grounds for a in game.asked.values())
    if game.ended or asked or (grounds in game["disputed"] and not again):
        return
    result = "a draw" if winner not in game.sides else f"{game.side_name(winner)} victory"
    text = f"By rule {rule} the game is over: {result}{f', {level}' if level else ''}. {why} Agree?"
    args = {"winner": winner, "level": level, "why": why, "rule": rule, "key": grounds, "asker": "rules"}
    group = f"{RULES_END}-{game.revision}"
    if game["solo"]:
        yield e.Asked(
            f"{group}-1", (*game.sides, "table"), text, "agree", {**args, "group": group}, by=RULES_END
        )
    else:
        yield from _ask(game, list(game.sides), RULES_END, text, {**args, "group": group})


def withdraw_end(game: Game, key: str) -> Events:
    """What the ending was founded on no longer holds."""
    for question in list(game.asked.values()):
        if question.by == RULES_END and question.args.get("key") == key:
            yield e.Answered(question.id, "no longer holds", text=question.text)


@deed(RULES_END)
def _ended_by_rule(game: Game, args: Mapping[str, Any], by: str) -> Events:
    yield e.Ended(str(args["winner"]), str(args["level"]), str(args["why"]), str(args["rule"]))


@deed(WAIVE)
def _waived(game: Game, args: Mapping[str, Any], by: str) -> Events:
    duty = game.asked.get(str(args["duty"]))
    if duty is not None:
        yield e.Answered(duty.id, NOT_NEEDED, text=duty.text)


def _closed(game: Game) -> bool | str:
    if not game.ended:
        return "the game is not over"
    return "the record lies open already" if game.record_open else True


@consent_rules.action(by="any", label="Lay the record open", group="fix", when=_closed)
def lay_open(game: Game, seat: str = "") -> Events:
    """Show everything that was hidden, and the dice seed, now that the game is over; both sides must agree."""
    text = (
        f"The game is over. {who(game, seat)} wants to lay open everything hidden and the dice seed. Agree?"
    )
    yield from request(game, seat, LAY_OPEN, text, {})


@deed(LAY_OPEN)
def _laid_open(game: Game, args: Mapping[str, Any], by: str) -> Events:
    yield e.Set("record", "open", reason=f"agreed by {by}" if by else "")


@deed(LIFT_FOG)
def _fog_lifted(game: Game, args: Mapping[str, Any], by: str) -> Events:
    yield e.Set("fog", False, was=True, reason=f"agreed by {by}" if by else "")


# -- words mixed into the dice ---------------------------------------------------------------------------


def _unstirred(game: Game) -> bool | str:
    return not game.left_to_chance or "dice have been rolled: words go in before the first roll or draw"


@consent_rules.action(by="any", label="Add to the seed", group="settings", secret=True, when=_unstirred)
def add_entropy(
    game: Game,
    words: Annotated[str, Text(label="Anything", most=100, placeholder="any words or numbers of yours")],
    seat: str = "",
    chance: Chance | None = None,
) -> Events:
    """Mix your own words into the dice, once, before the first roll, so that nobody could have chosen the seed."""
    if game[f"entropy-{seat}"]:
        raise NotNow("your words are in the dice already: they cannot be changed", field="words")
    # A take-back can bring the game back to before its first roll, but not the dice.
    if chance is not None and chance.stream.position:
        raise NotNow("the dice have been used: words go in before the first roll or draw", field="words")
    yield e.Set(f"entropy-{seat}", words, reason="mixed into the dice")
