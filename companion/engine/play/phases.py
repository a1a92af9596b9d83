"""The sequence in play: opening a table, ending a phase, what happens by itself then, the checklist."""

from __future__ import annotations

from typing import Annotated, Any

from companion.engine.errors import NotNow, Unknown, Unreadable
from companion.engine.forms.fields import Choice, Context, Flag, Text, Whole
from companion.engine.kit.blocks import Note, Phase
from companion.engine.kit.chart import cell_key
from companion.engine.kit.when import Turns, holds
from companion.engine.once import once
from companion.engine.play.actions import Events
from companion.engine.play.duties import LEFT
from companion.engine.play.rules import Rules
from companion.engine.record import events as e
from companion.engine.record.changes import BY_SEQUENCE, IN_PASSING, take_off
from companion.engine.record.game import Game
from companion.engine.record.sequence import first, following, order

phase_rules = Rules("phases")


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
    offers = [a for a in game.duties() if not a.is_owed]
    yield from rules.run("leave", game)
    if game.ended:
        return
    for offer in offers:  # what the leaving hooks ask is for the next phase; what is owed never lapses
        if offer.id in game.asked:
            yield e.Answered(offer.id, LEFT, battle=offer.battle)
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


def bind_phases(rules: Rules) -> None:
    """Give a game the actions that run its own hooks and outcomes."""

    @rules.action(by="active", label="Next phase", group="next", fresh=True, primary=True, ends=True)
    def next_phase(game: Game, seat: str = "") -> Events:
        """End this phase and go on; what is owed is said first, and goes along."""
        movers = rules.movers(game)
        if seat in game.sides and seat not in movers:
            names = " and ".join(game.side_name(s) for s in movers)
            raise NotNow(f"the phase waits for {names}", given=seat, accepted=", ".join(movers))
        yield from advance(rules, game)

    @rules.follow_up(label="Enter the result", ageless=True)
    def enter_result(
        game: Game, duty: e.Asked, result: Annotated[str, Text(label="Result on your chart", most=40)]
    ) -> Events:
        """Enter what your printed chart says where the companion's is blank."""
        sheet = dict(duty.args["sheet"])
        name, row, column = (str(sheet.get(part, "")) for part in ("chart", "row", "column"))
        chart = game.book.charts.get(name)
        if chart is not None and row and column:
            result = chart.check(row, column, result)
            yield e.Set("cells", {**game["cells"], cell_key(name, row, column): result}, reason=IN_PASSING)
        if not result:
            raise Unreadable(
                "the result is missing", field="result", accepted=chart.examples if chart else ""
            )
        sheet["result"] = result
        worksheet = str(duty.args["worksheet"])
        yield e.Resolved(worksheet, sheet, result)
        yield from rules.follows(game, worksheet, sheet, result, game.battles.get(duty.battle))


def _phases(ctx: Context) -> list[tuple[str, str]]:
    """The phases of a turn, told apart by their side; those of nobody by the part of the turn."""
    titles = {p.id: phase_title(ctx.game, p) for p in order(ctx.game)}
    twice = {t for t in titles.values() if list(titles.values()).count(t) > 1}
    return [
        (p.id, f"{titles[p.id]} ({p.part or p.code})" if titles[p.id] in twice else titles[p.id])
        for p in order(ctx.game)
    ]


def phase_title(game: Game, phase: Phase) -> str:
    """A phase with the side that acts in it: 'German: Combat'; where the sides take turns it is nobody's."""
    side = "" if phase.side.startswith("@") else game.side_of(phase)
    name = game.side_name(side) if side else ""
    return phase.name if not name or name.casefold() in phase.name.casefold() else f"{name}: {phase.name}"


@phase_rules.action(by="any", label="Go to another phase", group="fix", fresh=True)
def go_to(
    game: Game,
    turn: Annotated[int, Whole(label="Turn", high=99, start=lambda c: c.game.turn)],
    phase: Annotated[str, Choice(label="Phase", options=_phases)],
    reason: Annotated[str, Text(label="Why", most=200, placeholder="for the log")] = "",
) -> Events:
    """Set turn and phase by hand; nothing else changes."""
    if not game.scenario.first <= turn <= game.last:
        raise Unreadable(
            f"this scenario has turns {game.scenario.first} to {game.last}", field="turn", given=turn
        )
    yield e.Advanced(turn, phase, reason=reason or "set by hand")


@phase_rules.action(by="any", label="Tick", group="hidden")
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


@once
def in_force(game: Game) -> list[Note]:
    """Notes that hold on this turn."""
    return [
        note
        for note in (*game.kit.notes, *game.scenario.notes)
        if game.turn in Turns(note.turns)
        and (not note.phases or game.phase in note.phases)
        and holds(note.when, game.values)
    ]
