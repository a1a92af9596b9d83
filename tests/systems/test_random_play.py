"""All five games, played at random by all seats in any order: no duty is lost, none is a dead end, a replay is the game.

Longer than in the tests: COMPANION_PLAY_STEPS=2000.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from itertools import islice, product
from typing import Any

import pytest
from games.expected import plain
from harness import Bench, consents

from companion.engine.dice import Stream
from companion.engine.errors import Mistake, NotNow, NotYours, Warned
from companion.engine.play.actions import Chance
from companion.engine.play.performing import perform
from companion.engine.record import events as e
from companion.engine.record.game import Game
from companion.engine.record.sequence import order

STEPS = int(os.environ.get("COMPANION_PLAY_STEPS", "200"))
GAMES = [
    ("second-kharkov", "historical"),
    ("panzer-keil", "winter-1943"),
    ("enemy-action-kharkov", "campaign"),
    ("kharkov-battles", "third-kharkov-l"),
    ("wb95", "kharkov-1942"),
]
NEVER = {
    "end-game",
    "lay-open",
    "set-mode",
    "take-back",
    "redo",
    "agree",
    "dismiss",
    "add-entropy",
    "set-up",
    "enter",
}
"""What ends the game, lifts the fog, or comes about in a way of its own. Taps on the map are left out, too: at random they
pile fifty counters into one hex."""
TRIES = 60
"""Answers to one duty that are tried before it counts as a dead end."""


class Table:
    """One game, and a player who does whatever the views offer him."""

    def __init__(self, system: str, scenario: str, seed: int) -> None:
        self.rng = random.Random(f"{system} {scenario} {seed}")
        self.bench = Bench(system, scenario, mode_dice="digital", mode_chits="digital", mode_cards="digital")
        if self.bench.game.roster:
            self.bench.do("table", "set-up")
        self.put_out()
        self.owed: dict[str, str] = {}
        self.doing = ""
        self.fought: set[int] = set()
        self.answered = 0

    def put_out(self) -> None:
        """Stacks of both sides next to each other, so that there is something to fight about."""
        game, rng = self.game, self.rng
        grid = game.maps.grids[0]
        middle = next(h for h in rng.sample(sorted(grid.index), 200) if len(game.maps.neighbours(h)) == 6)
        near = [middle, *game.maps.neighbours(middle)]
        for number in range(12):
            side = game.sides[number % 2]
            place = (near[:3] if number % 2 else near[4:])[rng.randrange(3)]
            if any(unit.side != side for unit in game.units_at(place)):
                continue
            steps = rng.randint(1, 3)
            facts = {
                "side": side,
                "name": f"{side[0].upper()}{number}",
                "kind": rng.choice(game.kit.unit_kinds or ("infantry",)),
                "steps": steps,
                "full": steps,
                "factors": {name: rng.randint(1, 8) for name in game.kit.unit_factors},
            }
            self.bench.record(e.Placed(f"{side}-{number}", place, facts=facts, side=side))

    @property
    def game(self) -> Game:
        return self.bench.game

    # -- filling in

    def values(self, row: dict[str, Any]) -> list[Any]:
        """Values to try for one field, likelier ones first."""
        rng, kind = self.rng, row["type"]
        if kind in ("choice", "unit", "tokens"):
            options = [choice["value"] for choice in row["choices"]]
            rng.shuffle(options)
            if row.get("many"):
                sizes = [*range(len(options) + 1)] * 4
                return [rng.sample(options, n) for n in rng.sample(sizes, len(sizes))]
            return [*options[:6], *([] if row["required"] else [None])]
        if kind == "hex":
            return [self.hex() for _ in range(6)] + ([] if row["required"] else [None])
        if kind == "whole":
            low, high = row["min"], row["max"]
            return [row["value"], *(n for n in range(low, min(high, low + 4) + 1))]
        if kind == "flag":
            return rng.sample([True, False], 2)
        return [row["value"], "5", "2 1", "x"]

    def hex(self) -> str:
        """A hex with a unit in it, or one beside it."""
        held = list(self.game.stacks()) or sorted(self.game.maps.grids[0].index)[:50]
        place = self.rng.choice(held)
        return self.rng.choice([place, place, *self.game.maps.neighbours(place)])

    def fillings(self, rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Ways to fill in a form, from the choices that it offers."""
        asked = [row for row in rows if row["type"] != "dice" and not row["hidden"]]
        for values in product(*(self.values(row) for row in asked)):
            pairs = zip(asked, values, strict=True)
            yield {row["name"]: value for row, value in pairs if value is not None}

    # -- doing

    def do(self, seat: str, action: str, **fields: Any) -> bool:
        """Do something; whether the table let it happen. What it said against it once is then done anyway."""
        self.doing = f"{seat}: {action} {fields}"
        try:
            try:
                self.bench.do(seat, action, **fields)
            except Warned:
                self.bench.do(seat, action, **fields, anyway=True)
        except Mistake:
            return False
        self.look()
        return True

    def act(self) -> None:
        """Something that a seat is offered, filled in at random."""
        seat = self.rng.choice([*self.game.sides, *self.game.sides, "table"])
        view = self.bench.view(seat)
        offered = [
            a
            for a in view.actions
            if a.name not in NEVER and a.group not in ("fix", "talk", "settings", "map")
        ]
        now = [a for a in offered if a.now]
        for action in self.rng.sample(now or offered, min(3, len(now or offered))):
            for fields in islice(self.fillings(self.bench.form(seat, action.name)), 4):
                if self.do(seat, action.name, **fields):
                    return

    def answer(self) -> None:
        """Every duty that is live can be answered by a seat it is for, and by no other side."""
        live = [d for d in self.game.duties() if self.game.is_live(d)]
        if not live:
            return
        duty = self.rng.choice(live)
        seat = duty.to[0]
        self.wrong_seats(duty)
        action = self.bench.rules.actions.get(duty.action)
        if action is None:
            assert self.do(seat, "dismiss", ask=duty.id), f"a reminder that cannot be put away: {duty.text}"
            return
        told = {} if action.follow_up else dict(duty.args)
        view = next(a for a in self.bench.view(seat).asked if a.id == duty.id)
        if duty.action == "enter-result":
            ways = iter([{"result": code} for code in (duty.args["codes"] or ["-"])])
        elif action.worksheet is not None:
            ways = self.fillings(self.bench.form_of(seat, duty))
        else:
            ways = self.fillings(view.form)
        said = []
        for fields in islice(ways, TRIES):
            if self.do(seat, duty.action, **{**told, **fields, "_asked": duty.id}):
                self.answered += 1
                return
            said.append(f"{fields}: {self.refusal(seat, duty, {**told, **fields})}")
        if view.form and not any(row["type"] in ("text", "hex", "whole") for row in view.form):
            pytest.fail(f"no choice that is offered answers {duty.text!r}:\n" + "\n".join(said[:8]))
        assert self.do(seat, "dismiss", ask=duty.id), f"a dead end: {duty.text}"

    def refusal(self, seat: str, duty: e.Asked, fields: dict[str, Any]) -> str:
        try:
            self.trial(seat, duty, fields)
        except Mistake as mistake:
            return mistake.message
        return ""

    def trial(self, seat: str, duty: e.Asked, fields: dict[str, Any]) -> None:
        """Carry an answer out on a copy of the game."""
        copy = Game(self.bench.kit, self.bench.scenario, self.bench.book).restore(self.game.dump())
        action = self.bench.rules.find(duty.action)
        perform(
            self.bench.rules, copy, seat, action, {**fields, "_asked": duty.id}, Chance(Stream("22" * 32))
        )

    def wrong_seats(self, duty: e.Asked) -> None:
        for seat in set(self.game.sides) - set(duty.to):
            action = self.bench.rules.actions.get(duty.action)
            if action is not None and action.follow_up is not None:
                with pytest.raises((NotYours, NotNow)):
                    self.trial(seat, duty, {})

    def leave(self) -> None:
        """End the phase, whatever is owed; a side that may not, or an impulse that must be ended first, is no fault."""
        ends = [a for a in self.bench.view("table").actions if a.group in ("end", "next")]
        assert ends or self.game.ended, "nothing ends this phase"
        for action in ends:
            if self.do("table", action.name):
                return

    def jump(self) -> None:
        """On to a phase with fighting, as players do who only want to try one."""
        phases = [
            p.id
            for p in order(self.game)
            if any(w in p.id for w in ("combat", "attack", "assault", "command"))
        ]
        if phases:
            self.do("table", "go-to", turn=self.game.turn, phase=self.rng.choice(phases))

    def go_back(self) -> None:
        to = self.game.revision - self.rng.randint(1, 12)
        if to > 3 and self.do(self.rng.choice(self.game.sides), "take-back", to=to):
            for ask in consents(self.game):
                self.do(ask.to[0], "agree", ask=ask.id, yes=True)
            self.owed = {}
            self.look()

    def settle_endings(self) -> None:
        """Nobody agrees that the game is over, so that there is more of it."""
        for ask in consents(self.game):
            self.do(ask.to[0], "agree", ask=ask.id, yes=False)

    # -- what must hold

    def look(self) -> None:
        """No owed duty has gone without a word, and each is for a seat that exists."""
        answered = {event.id for event in self.bench.events if isinstance(event, e.Answered)}
        undone = any(isinstance(event, e.Undone) for event in self.bench.events[-30:])
        for name, text in self.owed.items():
            if name not in self.game.asked and name not in answered and not undone:
                pytest.fail(f"lost without a word: {text} ({self.doing})")
        self.owed = {d.id: d.text for d in self.game.duties() if d.is_owed}
        self.fought |= set(self.game.battles)
        for duty in self.game.duties():
            assert set(duty.to) <= {"table", *self.game.sides} and duty.to, duty
            assert not duty.action or duty.action in self.bench.rules.actions, duty
            assert not duty.battle or duty.battle in self.game.battles, duty
        for battle in self.game.fighting:
            assert any(self.game.is_live(d) for d in self.game.duties(battle)), f"{battle.title} is stuck"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("system", "scenario"), GAMES, ids=[system for system, _ in GAMES])
def test_no_duty_is_lost_and_none_is_a_dead_end(system: str, scenario: str, seed: int) -> None:
    table = Table(system, scenario, seed)
    ways = [table.act] * 8 + [table.answer] * 8 + [table.leave] * 2 + [table.jump, table.go_back]
    for _ in range(STEPS):
        table.rng.choice(ways)()
        table.settle_endings()
        if table.game.ended:
            break
    assert plain(table.bench.replayed().dump()) == plain(table.game.dump())
    print(f"{len(table.fought)} battles, {table.answered} answers, {len(table.bench.events)} events")
