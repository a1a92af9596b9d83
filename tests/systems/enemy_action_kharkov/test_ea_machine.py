"""Random play by every seat in any order: no duty is lost or a dead end, every offer is accepted, a replay is the game."""

from __future__ import annotations

import json
from itertools import islice, product
from typing import Any

import pytest
from games.expected import plain
from harness import Bench, consents
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from systems.enemy_action_kharkov.ea_bench import SIDES, SYSTEM, hand, mark, owners_book, put

from companion.engine.errors import Mistake, NotNow, NotYours, Warned
from companion.engine.record import events as e

PICK = st.integers(0, 10_000)
FRONT = ("1909", "2009", "2110", "1910"), ("2010", "2011", "1911", "2111")
"""Where the two sides stand, nose to nose."""
KINDS = ("infantry", "armour", "mechanised", "cavalry")
OPEN_FIELDS = ("whole", "text", "hex")
TRIES = 120
DEEDS = {
    "build-ip", "withdraw", "check-supply", "reveal-ground", "lay-ground", "deploy-reserve", "replace-steps",
    "mud-replacements", "take-town", "score-edge",
}  # fmt: skip


class Evening(RuleBasedStateMachine):
    """Two players who do whatever their screens offer."""

    t: Bench

    @initialize(seed=PICK, real_cup=st.booleans(), real_cards=st.booleans(), turn=st.sampled_from((1, 5, 7)))
    def open(self, seed: int, real_cup: bool, real_cards: bool, turn: int) -> None:
        book = owners_book("town 1910 Lozovaia\nedge german 2015\nedge soviet 2001\n2010-2009 donets\n")
        modes = {"mode_chits": "physical" if real_cup else "either"}
        self.t = t = Bench(
            SYSTEM, "campaign", book, **modes, mode_cards="physical" if real_cards else "either"
        )
        self.ends: list[int] = []
        self.owed: dict[str, str] = {}
        if turn > 1:
            t.do("table", "go-to", turn=turn, phase="cards")
        t.until("cards")
        t.do("table", "prepare-cards")
        t.until("command")
        for side, places, formation in zip(SIDES, FRONT, ("3T", "XL"), strict=True):
            for n in range(6):
                steps = 1 + (seed + n) % 3
                factors = {} if (seed + n) % 5 == 0 else {f"CS{k}": 2 * k for k in (1, 2, 3)}
                place = places[(seed // 7 + n) % len(places)]
                put(
                    t, side, f"{side[0]}{n}", place, formation=formation, steps=steps, full=steps,
                    kind=KINDS[(seed + n) % 4], factors=factors,
                )  # fmt: skip
            for n, box in enumerate((f"box:reserve-{side}", f"box:eliminated-{side}")):
                put(t, side, f"{side[0]}-box{n}", box, formation=formation, steps=1 - n, full=2)
        mark(t, f"g{seed % 6}", "supply", ("oos", "isolated")[seed % 2])
        mark(t, f"s{seed % 6}", "dispersed", "on")
        self.look()

    # -- what they do

    def do(self, seat: str, action: str, **fields: Any) -> bool:
        try:
            try:
                self.t.do(seat, action, **fields)
            except Warned:
                self.t.do(seat, action, **fields, anyway=True)
        except Mistake:
            return False
        self.look()
        return True

    def command(self, pick: int) -> None:
        """Play a card for an activation, if the impulse has none yet."""
        t, side = self.t, self.t.game.active
        if t.game.phase != "command" or t.game["command"]:
            return
        army = ("3T", "40") if side == "soviet" else ("XL", "III")
        if t.game["cards-run"] == "real":
            box = t.game.piles[f"{side}-cards"]["box"]
            done = bool(box) and self.do("table", "play-real-card", card=box[pick % len(box)])
        else:
            cards = hand(t, side)
            done = bool(cards) and self.do(side, "play-card", card=cards[pick % len(cards)])
        aims = ("activate", "kg", "units") if pick % 9 else ("deploy", "replace", "one-unit")
        for what, formation in product(aims, army) if done else ():
            fields: dict[str, Any] = (
                {"hex": "2010", "reach": 2} if what == "kg" else {"formations": formation}
            )
            if self.do(side, "give-command", what=what, **fields):
                return
        self.do(side, "give-command", what="event", event=("special", "engineers", "air supply")[pick % 3])

    @rule(pick=PICK)
    def declare(self, pick: int) -> None:
        """Attack something that the form offers."""
        t = self.t
        self.command(pick)
        side = t.game.active
        if not any(a["name"] == "declare-combat" for a in t.sees(side)["actions"]):
            self.answer(pick) if t.game.duties() else self.end(pick)
            return
        form = {row["name"]: row for row in t.form(side, "declare-combat")}
        targets = [choice["value"] for choice in form["hex"]["choices"]]
        if not targets:
            self.do(side, "declare-combat", small=2, steps=1, attack=5, defence=2, terrain="clear")
            return
        target = targets[pick % len(targets)]
        units = next(row for row in t.form(side, "declare-combat", hex=target) if row["name"] == "units")
        assert units["value"], "a target is offered that nobody stands next to"
        assert self.do(side, "declare-combat", hex=target, units=units["value"]), f"{target} by {units}"

    @rule(pick=PICK)
    def tactic(self, pick: int) -> None:
        """A card as a tactic, by the side that is asked."""
        live = [d for d in self.t.game.duties(action="no-tactics") if self.t.game.is_live(d)]
        if live and self.t.game["cards-run"] != "real":
            side = live[0].to[0]
            card = hand(self.t, side)[pick % len(hand(self.t, side))]
            form = {row["name"]: row for row in self.t.form(side, "play-tactic", card=card)}
            offered = form["tactic"]["choices"]
            if offered:
                tactic = offered[pick % len(offered)]["value"]
                assert self.do(side, "play-tactic", card=card, tactic=tactic), tactic
        else:
            self.answer(pick)

    @rule(pick=PICK)
    def answer(self, pick: int) -> None:
        """Something that is live, with a filling that its form offers."""
        live = [d for d in self.t.game.duties() if self.t.game.is_live(d)]
        if not live:
            self.end(pick)
            return
        duty = live[pick % len(live)]
        seat = duty.to[pick % len(duty.to)]
        seat = duty.to[0] if seat == "table" and pick % 3 else seat
        action = self.t.rules.actions.get(duty.action)
        if action is None or action.worksheet is not None:
            assert self.do(seat, "dismiss", ask=duty.id)
            return
        view = next(a for a in self.t.view(seat).asked if a.id == duty.id)
        if (
            action.refusal(self.t.game, seat, duty) is not None
        ):  # its phase is over: an offer of an own accord
            assert not duty.is_owed or action.follow_up is None
            self.do(seat, "dismiss", ask=duty.id)
            return
        for fields in islice(fillings(view.form, pick), TRIES):
            if self.do(seat, duty.action, **fields, _asked=duty.id):
                return
        free = any(row["type"] in OPEN_FIELDS for row in view.form)
        assert free, f"no choice that is offered answers {duty.text!r}: {view.form}"
        assert self.do(seat, "dismiss", ask=duty.id), f"a dead end: {duty.text}"

    @rule(pick=PICK)
    def deed(self, pick: int) -> None:
        """What a phase offers besides cards and combats, filled in from its own choices."""
        t = self.t
        seat = ("table", *SIDES)[pick % 3]
        open_ = {a["name"] for a in t.sees(seat)["actions"]} & DEEDS
        if not open_:
            self.answer(pick)
            return
        name = sorted(open_)[pick % len(open_)]
        form = t.form(seat, name)
        for fields in islice(fillings(form, pick), 12):
            if self.do(seat, name, **fields):
                return

    @rule(pick=PICK)
    def wave_away(self, pick: int) -> None:
        """Done on the map, does not apply, or no; where both must agree, they do."""
        duties = self.t.game.duties()
        if not duties or pick % 4:
            self.answer(pick)
        else:
            duty = duties[pick % len(duties)]
            how = ("done on the map", "does not apply")[pick % 2] if duty.is_owed else ""
            assert self.do(duty.to[0], "dismiss", ask=duty.id, how=how)
            for ask in consents(self.t.game):
                self.do(ask.to[0], "agree", ask=ask.id, yes=bool(pick % 3))

    @rule(pick=PICK)
    def die(self, pick: int) -> None:
        """A unit is taken off the map by hand, or moved."""
        units = [u for u in self.t.game.units.values() if u.on_map]
        if pick % 5:
            self.answer(pick)
        elif units:
            unit = units[pick % len(units)]
            place = "box:out" if pick % 2 else self.t.game.maps.neighbours(unit.place)[0]
            self.t.record(e.Placed(unit.id, place, was=unit.place, side=unit.side))
            assert self.do("table", "note", text="by hand")

    @rule(pick=PICK)
    def end(self, pick: int) -> None:
        """The impulse or the phase, whatever is owed."""
        if self.t.game.duties() and pick % 6:
            self.answer(pick)
            return
        before = {d.id for d in self.t.game.duties() if d.is_owed}
        side = self.t.game.active
        if self.t.game.phase == "cards":
            self.do("table", "prepare-cards")
        if self.t.game.phase == "command" and pick % 30:
            names = ("end-impulse", "pass-impulse", "draw-hand")
            ended = any(self.do(side, name, anyway=True) for name in names)
        else:
            ended = self.do("table", "next-phase", anyway=True)
        if ended:
            for name in before - self.t.game.asked.keys():
                told = [x for x in self.t.events if isinstance(x, e.Answered) and x.id == name]
                assert told and told[-1].answer == "no longer applies", "an owed duty lapsed"

    @rule(pick=PICK)
    def take_back(self, pick: int) -> None:
        """To an earlier line of the log, which is where an action ended."""
        to = self.ends[-2 - pick % 5] if len(self.ends) > 8 else 0
        if pick % 7:
            self.answer(pick)
        elif to and self.do(SIDES[pick % 2], "take-back", to=to):
            for ask in consents(self.t.game):
                self.do(ask.to[0], "agree", ask=ask.id, yes=True)
            self.owed = {d.id: d.text for d in self.t.game.duties() if d.is_owed}

    # -- what must hold

    def look(self) -> None:
        """No owed duty has gone without a word; nobody agrees that the game is over."""
        game = self.t.game
        self.ends = [*(n for n in self.ends if n < game.revision), game.revision]
        told = {event.id for event in self.t.events if isinstance(event, e.Answered)}
        lost = [text for name, text in self.owed.items() if name not in game.asked and name not in told]
        undone = any(isinstance(event, e.Undone) for event in self.t.events[-20:])
        assert undone or not lost, f"lost without a word: {lost}"
        self.owed = {d.id: d.text for d in game.duties() if d.is_owed}
        for ask in [a for a in consents(game) if a.by == "rules-end"]:
            self.t.do(ask.to[0], "agree", ask=ask.id, yes=False)

    @invariant()
    def every_duty_has_a_seat_and_an_action(self) -> None:
        if not hasattr(self, "t"):
            return
        game = self.t.game
        for duty in game.duties():
            assert duty.to and set(duty.to) <= {"table", *game.sides}
            assert not duty.action or duty.action in self.t.rules.actions
            assert not duty.battle or duty.battle in game.battles
        for battle in game.fighting:
            assert any(game.is_live(d) for d in game.duties(battle)), f"{battle.title} is stuck"
        assert sum(u.steps for u in game.units.values() if u.on_map) >= 0

    @invariant()
    def other_seats_are_refused(self) -> None:
        if not hasattr(self, "t"):
            return
        game = self.t.game
        for duty in game.duties():
            action = self.t.rules.actions.get(duty.action)
            if action is not None and action.follow_up is not None:
                for seat in {*SIDES, "watch"} - set(duty.to):
                    assert isinstance(action.refusal(game, seat, duty), NotYours | NotNow)

    @invariant()
    def cards_and_chits_are_all_there(self) -> None:
        if not hasattr(self, "t"):
            return
        piles = self.t.game.piles
        assert len(piles["chits"].tokens()) == 60
        assert len(piles["soviet-cards"].tokens()) == 22 and len(piles["german-cards"].tokens()) == 23
        if not self.t.game.fighting:
            assert not piles["soviet-cards"]["tactics"] and not piles["german-cards"]["tactics"]

    def teardown(self) -> None:
        if hasattr(self, "t"):
            assert plain(self.t.replayed().dump()) == plain(self.t.game.dump())
            for seat in (*SIDES, "table", "watch"):
                json.dumps(self.t.sees(seat))
                assert not self.t.view(seat).guard.faults if hasattr(self.t.view(seat), "guard") else True


def fillings(form: list[dict[str, Any]], pick: int) -> Any:
    """Ways to fill in a form from its own choices, another order for every pick."""
    rows = [row for row in form if not row["hidden"] and row["type"] != "dice"]
    for values in product(*(_values(row, pick) for row in rows)):
        yield {row["name"]: value for row, value in zip(rows, values, strict=True) if value is not None}


def _values(row: dict[str, Any], pick: int) -> list[Any]:
    if row["type"] in ("choice", "unit"):
        options = [choice["value"] for choice in row["choices"]]
        turn = pick % (len(options) or 1)
        options = [*options[turn:], *options[:turn]]
        if row.get("many"):
            around = [[*options[n:], *options[:n]] for n in range(len(options) or 1)]
            return [some[:n] for n in range(len(options) + 1) for some in around]
        return [*options, *([] if row["required"] else [None])]
    if row["type"] == "whole":
        return [pick % 4, 1, None]
    if row["type"] == "hex":
        return [["2012"] if row.get("many") else "2012", None]
    if row["type"] == "flag":
        return [bool(pick % 2), not pick % 2]
    return [None]


Evening.TestCase.settings = settings(
    max_examples=25,
    stateful_step_count=50,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
test_random_evenings = pytest.mark.slow(Evening.TestCase)
