"""What can be done at every table, whatever the game: phases, dice, corrections, taking back (units: unitactions)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from companion.engine.errors import NotNow, NotYours, Unknown, Unreadable
from companion.engine.play.actions import Events
from companion.engine.play.consent import DEEDS, LIFT_FOG, consent_rules, request
from companion.engine.play.fields import Choice, Context, Dice, Flag, Roll, Text, Whole
from companion.engine.play.rules import Rules
from companion.engine.play.seats import seat_rules
from companion.engine.record import events as e
from companion.engine.record.changes import take_off
from companion.engine.record.game import Game
from companion.engine.record.sequence import Turns, first, following, holds, order
from companion.engine.seat.words import BY_SEQUENCE, named_values

common = Rules("common", seat_rules)
common.actions |= consent_rules.actions

MODES = (("either", "Digital, or typed in"), ("digital", "Digital only"), ("physical", "Real ones, typed in"))


def open_table(rules: Rules, game: Game, options: dict[str, Any], seed_commitment: str, title: str) -> Events:
    """The first events of a table: started, the first phase, and what happens by itself then."""
    yield e.Started(game.kit.id, game.scenario.id, options, seed_commitment, title)
    turn, phase = first(game)
    yield e.Advanced(turn, phase)
    yield from _turn_begins(rules, game)
    yield from rules.run("enter", game)


def _turn_begins(rules: Rules, game: Game) -> Events:
    for name, by_turn in game.scenario.by_turn.items():
        if str(game.turn) in by_turn and game[name] != by_turn[str(game.turn)]:
            yield e.Set(name, by_turn[str(game.turn)], was=game[name], reason="turn record")
    yield from rules.run("turn", game)


def advance(rules: Rules, game: Game) -> Events:
    """Leave this phase and enter the next; at the end of the last turn, the game's finale."""
    open_before = [a.id for a in game.asked.values() if a.by not in DEEDS]
    yield from rules.run("leave", game)
    if game.ended:
        return
    for name in open_before:  # what the leaving hooks ask is for the next phase, so it stays
        if name in game.asked:
            yield e.Answered(name, "left")
    there = following(game)
    leaving_turn = there is None or there[0] != game.turn
    if leaving_turn:
        yield from rules.run("turn-end", game)
        if game.ended:
            return
        there = following(game)
    yield from _clear_markers(game, leaving_turn)
    if there is None:
        if rules.finale is not None:
            yield from rules.finale(game)
        if not game.ended:
            yield e.Ended("nobody", "", "The last turn is over. Enter the result by hand.")
        return
    yield e.Advanced(there[0], there[1], there[2])
    if leaving_turn:
        yield from _turn_begins(rules, game)
    yield from rules.run("enter", game)


def _clear_markers(game: Game, turn_over: bool) -> Events:
    for marker in game.kit.markers:
        if marker.clears in {"phase", game.phase} or (marker.clears == "turn" and turn_over):
            for target in list(game.marked(marker.id)):
                yield take_off(game, target, marker.id, BY_SEQUENCE)


def bind_common(rules: Rules) -> None:
    """Give a game the actions that run its own hooks and outcomes."""
    from companion.engine.positions.actions import bind_entry  # these three build on this module
    from companion.engine.positions.ranges import bind_ranges
    from companion.engine.positions.supply import bind_supply

    for bind in (bind_entry, bind_ranges, bind_supply):
        bind(rules)

    @rules.action(by="active", label="Next phase", group="next", fresh=True, primary=True)
    def next_phase(game: Game, seat: str = "") -> Events:
        """End this phase and go on."""
        movers = rules.movers(game)
        if seat in game.sides and seat not in movers:
            names = " and ".join(game.side_name(s) for s in movers)
            raise NotNow(f"the phase waits for {names}", given=seat, accepted=", ".join(movers))
        yield from advance(rules, game)

    @rules.action(by="any", label="Enter the result", group="hidden")
    def enter_result(
        game: Game,
        ask: Annotated[str, Text(most=60)],
        result: Annotated[str, Text(label="Result", most=40)],
        seat: str = "",
    ) -> Events:
        """Enter what your printed chart says where the companion's is blank."""
        question = game.asked.get(ask)
        if question is None or question.action != "enter-result":
            raise NotNow("that result was entered already, or taken back", field="ask", given=ask)
        if seat not in question.to:
            raise NotYours(
                "the result is entered by the player who fights, or at the table", field="ask", given=seat
            )
        sheet = dict(question.args["sheet"])
        chart = game.book.charts.get(str(sheet.get("chart", "")))
        if chart is not None and sheet.get("row") and sheet.get("column"):
            result = chart.check(str(sheet["row"]), str(sheet["column"]), result)
        if not result:
            raise Unreadable(
                "the result is missing", field="result", accepted=chart.examples if chart else ""
            )
        sheet["result"] = result
        worksheet = str(question.args["worksheet"])
        yield e.Answered(ask, result)
        yield e.Resolved(worksheet, sheet, result)
        if worksheet in rules.outcomes:
            yield from rules.outcomes[worksheet](game, sheet, result)


@common.action(by="any", label="Go to another phase", group="fix", fresh=True)
def go_to(
    game: Game,
    turn: Annotated[int, Whole(label="Turn", high=99, start=lambda c: c.game.turn if c.game else 1)],
    phase: Annotated[
        str,
        Choice(label="Phase", options=lambda c: [(p.id, p.name) for p in order(c.game)] if c.game else []),
    ],
    reason: Annotated[str, Text(label="Why", most=200, placeholder="for the log")] = "",
) -> Events:
    """Set turn and phase by hand; nothing else changes."""
    if not game.scenario.first <= turn <= game.last:
        raise Unreadable(
            f"this scenario has turns {game.scenario.first} to {game.last}", field="turn", given=turn
        )
    yield e.Advanced(turn, phase, reason=reason or "set by hand")


@common.action(by="any", label="Roll dice", group="dice")
def roll_dice(
    game: Game,
    dice: Annotated[str, Text(label="Dice", most=12, placeholder="2d6")] = "1d6",
    purpose: Annotated[str, Text(label="What for", most=80, placeholder="optional")] = "",
    result: Annotated[
        Roll | None,
        Dice(
            label="Roll",
            spec=lambda c: str(c.values.get("dice") or "1d6"),
            purpose=lambda c: str(c.values.get("purpose") or ""),
        ),
    ] = None,
) -> Events:
    """Roll any dice, for anything."""
    return iter(())


@common.action(by="any", label="Tick", group="hidden")
def tick(
    game: Game,
    item: Annotated[str, Text(most=120)],
    done: Annotated[bool, Flag()] = False,
) -> Events:
    """Tick a line of the checklist, or clear it."""
    turn, phase, index = (item.split("/") + ["", ""])[:3]
    definition = game.phase_def(phase)
    lines = len(definition.checklist) if definition else 0
    if not turn.isdecimal() or definition is None or index not in map(str, range(lines)):
        raise Unknown(f"there is no checklist line {item!r}", field="item", given=item)
    yield e.Ticked(item, done, definition.checklist[int(index)].text)


def _values(ctx: Context) -> list[tuple[str, str]]:
    game = ctx.game
    if game is None:
        return []
    return [(n, label) for n, label in named_values(game) if ctx.seat in game.hidden.get(n, (ctx.seat,))]


def _tracks(ctx: Context) -> list[str]:
    return [t.id for t in ctx.game.kit.tracks] if ctx.game else []


def _is_now(ctx: Context) -> Any:
    name = str(ctx.values.get("name") or "")
    value = ctx.game[name] if ctx.game and name else ""
    return {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value


@dataclass(frozen=True)
class NamedValue(Text):
    """A value of whatever the field `name` names: the form asks for a number, or offers the positions of a dial."""

    def describe(self, ctx: Context) -> dict[str, Any]:
        name = str(ctx.values.get("name") or "")
        if ctx.game is None or not name:
            return super().describe(ctx)
        track = next((t for t in ctx.game.kit.tracks if t.id == name), None)
        if track is not None:
            return {"type": "whole", "min": track.min, "max": track.max}
        choices = value_choices(ctx.game, name)
        return {"type": "choice", "choices": [{"value": v, "label": label} for v, label in choices]}


@common.action(by="any", label="Correct a value", group="fix")
def correct(
    game: Game,
    name: Annotated[str, Choice(label="What", options=_values)],
    value: Annotated[str, NamedValue(label="Is really", most=60, start=_is_now)],
    reason: Annotated[str, Text(label="Why", most=200, placeholder="for the log")] = "",
) -> Events:
    """Set any track, dial or option by hand; the log keeps the reason."""
    yield e.Set(
        name,
        _checked(game, name, value),
        was=game[name],
        reason=reason or "corrected by hand",
        only=game.hidden.get(name, ()),
    )


def _checked(game: Game, name: str, value: str) -> Any:
    for track in game.kit.tracks:
        if track.id == name:
            return Whole(low=track.min, high=track.max).read(value, Context(game))
    choices = value_choices(game, name)
    if not choices:
        raise Unknown(f"there is no value {name!r}", field="name", given=name)
    chosen = Choice(options=choices).read(value, Context(game))
    return chosen == "yes" if choices == YES_NO else chosen


YES_NO = [("yes", "Yes"), ("no", "No")]


def value_choices(game: Game, name: str) -> list[tuple[str, str]]:
    """The positions of a dial or the answers to an option; empty when there is no such thing."""
    for dial in game.kit.dials:
        if dial.id == name:
            return [(v.id, v.label) for v in dial.values]
    for option in (*game.kit.options, *game.scenario.options):
        if option.id == name:
            return [(v.id, v.label) for v in option.choices] or YES_NO
    return []


@common.action(by="any", label="Change a track", group="hidden")
def adjust(
    game: Game,
    name: Annotated[
        str,
        Choice(label="Track", options=lambda c: [(n, label) for n, label in _values(c) if n in _tracks(c)]),
    ],
    change: Annotated[int, Whole(label="By", low=-99, high=99)],
    reason: Annotated[str, Text(label="Why", most=200)] = "",
) -> Events:
    """Move a track up or down."""
    yield e.Set(
        name,
        _checked(game, name, str(int(game[name]) + change)),
        was=game[name],
        reason=reason or "by hand",
        only=game.hidden.get(name, ()),
    )


@common.action(by="table", label="Table settings", group="settings")
def set_mode(
    game: Game,
    dice: Annotated[
        str, Choice(label="Dice", options=MODES, start=lambda c: c.game["mode-dice"] if c.game else "")
    ] = "either",
    chits: Annotated[
        str, Choice(label="Chits", options=MODES, start=lambda c: c.game["mode-chits"] if c.game else "")
    ] = "either",
    cards: Annotated[
        str, Choice(label="Cards", options=MODES, start=lambda c: c.game["mode-cards"] if c.game else "")
    ] = "either",
    fog: Annotated[
        bool,
        Flag(
            label="Fog of war",
            help="a side sees only what it may of the other's stacks",
            start=lambda c: c.game["fog"] if c.game else True,
        ),
    ] = False,
    seat: str = "",
) -> Events:
    """Choose between digital and real dice, chits and cards; hide or show stacks."""
    for name, value in (("mode-dice", dice), ("mode-chits", chits), ("mode-cards", cards)):
        if game[name] != value:
            yield e.Set(name, value, was=game[name])
    if fog and not game["fog"]:
        yield e.Set("fog", True, was=False)
    elif game["fog"] and not fog:  # shows everybody what was hidden, so it is not the table's to decide
        text = "The fog of war is to be lifted: each side would see all of the other's stacks. Agree?"
        yield from request(game, seat, LIFT_FOG, text, {})


# -- talking -----------------------------------------------------------------------------


@common.action(by="any", label="Write a note", group="talk")
def note(game: Game, text: Annotated[str, Text(label="Note", most=500, long=True)]) -> Events:
    """Put a remark in the log."""
    yield e.Noted(text)


SETTLED = "settled"


def judge(game: Game) -> str:
    """What a judge is waited for; nothing when none is."""
    return "" if game["judge"] in (None, SETTLED) else str(game["judge"])


@common.action(by="any", label="Call a judge", group="talk", when=lambda game: not judge(game))
def call_judge(
    game: Game,
    about: Annotated[
        str, Text(label="What about", most=80, placeholder="rule 12.4, retreat before combat")
    ] = "",
    seat: str = "",
) -> Events:
    """Ask for a judge: the organiser's hall shows this table first."""
    who = "the table" if seat == "table" else game.side_name(seat)
    yield e.Set("judge", about or "called", reason=f"asked by {who}")


@common.action(by="any", label="The judge has been", group="talk", when=lambda game: bool(judge(game)))
def judge_has_been(game: Game) -> Events:
    """Settled: play goes on."""
    yield e.Set("judge", SETTLED, was=game["judge"])


@common.action(by="any", label="Not needed", group="hidden")
def dismiss(game: Game, ask: Annotated[str, Text(most=60)], seat: str = "") -> Events:
    """Put away a reminder that is not needed."""
    question = game.asked.get(ask)
    if question is None or question.by in DEEDS or (seat not in question.to and seat != "table"):
        raise NotNow("that reminder is no longer open", field="ask", given=ask)
    yield e.Answered(ask, "not needed")


def in_force(game: Game) -> list[dict[str, str]]:
    """Notes that hold on this turn."""
    found = []
    for item in (*game.kit.notes, *game.scenario.notes):
        here = not item.phases or game.phase in item.phases
        if game.turn in Turns(item.turns) and here and holds(item.when, game.values):
            found.append({"text": item.text, "rule": item.rule, "side": item.side})
    return found
