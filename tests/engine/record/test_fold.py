"""A game is a fold of its events: replayed, restored or taken back, it is what it was."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from toykit import Table, plain, toy_kit

from companion.engine.errors import Mistake, Unknown
from companion.engine.record import events as e
from companion.engine.record.battle import begun
from companion.engine.record.game import Game, replay
from companion.engine.record.hindsight import effective

SIDES = ("red", "blue")
CARDS = frozenset(next(p.tokens for p in toy_kit().system.piles if p.id == "deck"))


def played() -> Table:
    """A table in the middle of everything."""
    table = Table()
    table.do("red", "draw-card")
    table.do("blue", "draw-card")
    table.do("table", "draw-chit")
    table.do("red", "choose", mission="bomb the bridge")
    table.do("red", "count-reserve", points=7)
    table.do("blue", "lay-mine", hex="0404")
    table.do("blue", "whisper", text="wait for dusk")
    table.do("table", "tick", item="1/weather/0", done=True)
    table.do("table", "roll-weather", die="6")
    table.until("red-move")
    table.do("red", "place-unit", unit="Guards", hex="0404")
    table.do("red", "fight", attack=4, defence=4, die="5")
    return table


def test_a_replayed_game_is_the_live_one() -> None:
    table = played()
    assert plain(table.replayed()) == plain(table.game)


def test_a_restored_game_is_the_dumped_one_and_plays_on_alike() -> None:
    table = played()
    state = json.loads(json.dumps(table.game.dump()))
    restored = Game(toy_kit(), "skirmish").restore(state)
    assert plain(restored) == plain(table.game)
    for event in (e.Set("vp", 9), e.Returned("cup", tuple(restored.piles["cup"]["drawn"]), "drawn", "cup")):
        restored.apply(event)
        table.game.apply(event)
    assert plain(restored) == plain(table.game)


def test_a_restored_ending_is_still_the_end() -> None:
    table = Table()
    table.do("table", "end-game", winner="blue", why="Red went home")
    table.agree()
    again = Game(toy_kit(), "skirmish").restore(json.loads(json.dumps(table.game.dump())))
    assert again.ended == e.Ended("blue", "", "Red went home")


def test_what_goes_back_is_no_chance_of_its_battle() -> None:
    """A battle shows the chits that were drawn for it, not those that are put away after it."""
    game = Table().game
    game.apply(e.Engaged(title="Attack", attacker="red", defender="blue"))
    battle = game.revision
    token = game.piles["cup"]["cup"][0]
    game.apply(e.Drawn("cup", (token,), "cup", "drawn", 1, battle=battle))
    game.apply(e.Returned("cup", (token,), "drawn", "cup", 1, battle=battle))
    assert [roll["kind"] for roll in game.battles[battle].rolls] == ["drawn"]


def test_a_game_needs_no_rules_to_be_replayed() -> None:
    """An old game opens after a rule was changed or removed: facts are enough."""
    table = played()
    assert replay(Game(toy_kit(), "skirmish"), table.events).phase == "red-move"


def test_an_unknown_scenario_is_named_with_the_known_ones() -> None:
    with pytest.raises(Unknown, match="no scenario 'skirmisch': skirmish. Did you mean skirmish"):
        Game(toy_kit(), "skirmisch")


@pytest.mark.parametrize(
    ("story", "counts"),
    [
        ("a b c", "a b c"),
        ("a b c <2", "a b"),
        ("a b c <1 d", "a d"),
        ("a b c <2 <1", "a"),
        ("a b <1 c <2", "a b"),
        ("a b c <1 <3", "a b c"),
        ("a b c <1 <3 <4", "a"),
        ("a b c <1 d <3 e", "a b c e"),
        ("a b c <0", ""),
        ("a b <1 c d <5 e <2", "a b"),
    ],
)
def test_taking_back_goes_to_a_line_and_can_itself_be_taken_back(story: str, counts: str) -> None:
    """`<n` takes back to line n; every word is one line of the log."""
    events: dict[int, e.Event] = {
        n: e.Undone(int(word[1:])) if word.startswith("<") else e.Noted(word)
        for n, word in enumerate(story.split(), 1)
    }
    base, chain = effective(events, len(events))
    assert base == 0
    assert " ".join(events[n].text for n in chain) == counts  # type: ignore[attr-defined]


def test_a_snapshot_bounds_what_is_read_unless_an_undo_jumps_behind_it() -> None:
    words = {n: e.Noted(str(n)) for n in range(1, 10)}
    assert effective(words, 9, 6) == (6, [7, 8, 9])
    assert effective({**words, 9: e.Undone(7)}, 9, 6) == (6, [7])
    assert effective({**words, 9: e.Undone(3)}, 9, 6) == (3, [])


def test_an_undo_is_never_applied_to_a_state() -> None:
    with pytest.raises(RuntimeError, match="effective"):
        Table().game.apply(e.Undone(2))


def test_undoing_what_was_done_leaves_no_trace_but_the_revision() -> None:
    table = Table(solo=True, fog=False)
    before = plain(table.game)
    line = table.game.revision
    table.do("red", "draw-card")
    table.do("table", "next-phase")
    table.do("table", "take-back", to=line)
    after = plain(table.game)
    assert after.pop("revision") > before.pop("revision")
    assert after == before


def test_a_unit_is_found_by_id_or_by_an_unmistakable_name() -> None:
    game = Table().game
    assert game.unit("red-guards") is game.unit(" guards ")
    with pytest.raises(Unknown, match="no unit 'Gaurds'.*Did you mean Guards"):
        game.unit("Gaurds")
    game.apply(e.Placed("blue-guards", "0101", facts={"side": "blue", "name": "Guards"}))
    with pytest.raises(Unknown, match="could be red-guards, blue-guards"):
        game.unit("Guards")


def test_the_newest_arrival_lies_on_top_of_its_stack() -> None:
    game = Table().game
    assert [u.id for u in game.units_at("0303")] == ["red-tanks", "red-guards"]
    game.apply(e.Placed("red-guards", "0404"))
    game.apply(e.Placed("red-guards", "0303"))
    assert [u.id for u in game.units_at("0303")] == ["red-guards", "red-tanks"]
    assert list(game.stacks()) == ["0303", "0505"]


def test_a_marker_set_to_nothing_is_gone() -> None:
    game = Table().game
    assert game.mark("red-guards", "oos") == 2
    assert game.marked("oos") == {"red-guards": 2}
    game.apply(e.Marked("red-guards", "oos", None))
    assert game.mark("red-guards", "oos") is None
    assert "red-guards" not in game.marks


class AnyPlay(RuleBasedStateMachine):
    """Random seats do random things, mistakes included; what must always hold is in the invariants."""

    @initialize(solo=st.booleans())
    def sit_down(self, solo: bool) -> None:
        self.table = Table(solo=solo, fog=not solo)
        self.tokens = {name: pile.tokens() for name, pile in self.table.game.piles.items()}
        self.revision = self.table.game.revision
        self.position = 0
        self.words = 0

    def attempt(self, seat: str, action: str, **fields: Any) -> None:
        before = plain(self.table.game)
        try:
            self.table.do(seat, action, **fields)
        except Mistake as mistake:
            assert mistake.message
            assert plain(self.table.game) == before, "a refused action changes nothing"

    def secret(self, seat: str) -> str:
        self.words += 1
        return f"secret-{seat}-{self.words}"

    seats = st.sampled_from(["red", "blue", "table", "watch"])

    @rule(
        seat=seats,
        unit=st.sampled_from(["Guards", "Jaeger", "Relief", "nobody"]),
        hex=st.sampled_from(["0404", "703", "x"]),
    )
    def move(self, seat: str, unit: str, hex: str) -> None:
        self.attempt(seat, "place-unit", unit=unit, hex=hex)

    @rule(
        seat=seats,
        unit=st.sampled_from(["Guards", "Tanks", "Flak"]),
        value=st.sampled_from(["on", "off", "3", "much"]),
    )
    def mark(self, seat: str, unit: str, value: str) -> None:
        self.attempt(seat, "mark", marker="oos", units=unit, value=value)

    @rule(
        seat=seats,
        action=st.sampled_from(["draw-card", "draw-chit", "hide-chit", "secret-roll", "roll-weather"]),
    )
    def draw_or_roll(self, seat: str, action: str) -> None:
        self.attempt(seat, action)

    @rule(seat=seats)
    def put_chits_back(self, seat: str) -> None:
        drawn = list(self.table.game.piles["cup"]["drawn"])
        self.attempt(seat, "return-chit", chits=drawn * 2)

    @rule(seat=st.sampled_from(SIDES))
    def play_a_card(self, seat: str) -> None:
        hand = self.table.game.piles["deck"][f"hand:{seat}"]
        self.attempt(seat, "play-card", card=hand[0] if hand else "STUKA")

    @rule(seat=seats)
    def choose_in_secret(self, seat: str) -> None:
        self.attempt(seat, "choose", mission=self.secret(seat))

    @rule(seat=seats)
    def whisper(self, seat: str) -> None:
        self.attempt(seat, "whisper", text=self.secret(seat))

    @rule(seat=seats, points=st.integers(-1, 21))
    def count_reserve(self, seat: str, points: int) -> None:
        self.attempt(seat, "count-reserve", points=points)

    @rule(
        seat=seats,
        dice=st.sampled_from(["1d6", "2d6", "1d10z", "soup"]),
        result=st.sampled_from([None, "3", "3 5", "12"]),
    )
    def roll(self, seat: str, dice: str, result: str | None) -> None:
        self.attempt(seat, "roll-dice", dice=dice, result=result)

    @rule(seat=seats, line=st.integers(0, 4), done=st.booleans())
    def tick(self, seat: str, line: int, done: bool) -> None:
        self.attempt(seat, "tick", item=f"{self.table.game.turn}/{self.table.game.phase}/{line}", done=done)

    @rule(seat=seats, value=st.sampled_from(["0", "7", "21", "mud"]))
    def set_a_value(self, seat: str, value: str) -> None:
        self.attempt(seat, "correct", name="weather" if value == "mud" else "vp", value=value)

    @rule(seat=seats, words=st.sampled_from(["fox", "hen"]))
    def stir_the_dice(self, seat: str, words: str) -> None:
        self.attempt(seat, "add-entropy", words=words)

    @rule(seat=seats)
    def go_on(self, seat: str) -> None:
        self.attempt(seat, "next-phase")

    @rule(seat=seats, attack=st.integers(0, 9), die=st.sampled_from([None, "1", "5"]))
    def fight(self, seat: str, attack: int, die: str | None) -> None:
        self.attempt(seat, "fight", attack=attack, defence=4, die=die)

    @rule(seat=seats, hex=st.sampled_from(["0505", "0303", "0101"]), column=st.sampled_from(["1:1", "2:1"]))
    def attack(self, seat: str, hex: str, column: str) -> None:
        self.attempt(seat, "attack", hex=hex, column=column)

    @rule(seat=seats, what=st.sampled_from(["plan-secretly", "owe-something", "call-off"]))
    def plan(self, seat: str, what: str) -> None:
        self.attempt(seat, what)

    @precondition(lambda self: self.table.game.duties())
    @rule(
        seat=seats,
        data=st.data(),
        guns=st.integers(0, 3),
        unit=st.sampled_from(["red-tanks", "red-guards", "blue-flak", "blue-jaeger"]),
        die=st.sampled_from([None, "1", "4", "5"]),
    )
    def do_a_duty(self, seat: str, data: st.DataObject, guns: int, unit: str, die: str | None) -> None:
        """Whatever is open is answered, by the right seat or another, in order or not."""
        duty = data.draw(st.sampled_from(self.table.game.duties()))
        told: dict[str, dict[str, Any]] = {
            "call-guns": {"guns": guns},
            "roll-attack": {"die": die},
            "lose-steps": {"units": [unit]},
            "fall-back": {"to": "0406"},
        }
        if duty.action:
            who = data.draw(st.sampled_from([*duty.to, seat]))
            self.attempt(who, duty.action, _asked=duty.id, **told.get(duty.action, {}))

    @rule(seat=seats)
    def end_it_anyway(self, seat: str) -> None:
        self.attempt(seat, "next-phase", anyway=True)

    @rule(seat=seats, back=st.integers(1, 12))
    def take_back(self, seat: str, back: int) -> None:
        self.attempt(seat, "take-back", to=self.table.game.revision - back)

    @precondition(lambda self: self.table.game.asked)
    @rule(seat=seats, data=st.data(), yes=st.booleans(), result=st.sampled_from(["AR", "DE", "??"]))
    def answer(self, seat: str, data: st.DataObject, yes: bool, result: str) -> None:
        ask = data.draw(st.sampled_from(sorted(self.table.game.asked)))
        question = self.table.game.asked[ask]
        if question.action == "enter-result":
            self.attempt(seat, "enter-result", _asked=ask, result=result)
        elif question.is_consent:
            self.attempt(seat, "agree", ask=ask, yes=yes)
        else:
            self.attempt(seat, "dismiss", ask=ask)

    @invariant()
    def no_token_is_lost_or_doubled(self) -> None:
        assert {name: pile.tokens() for name, pile in self.table.game.piles.items()} == self.tokens

    @invariant()
    def the_record_gives_the_live_state(self) -> None:
        assert plain(self.table.replayed()) == plain(self.table.game)

    @invariant()
    def a_snapshot_gives_the_live_state(self) -> None:
        assert plain(Game(toy_kit(), "skirmish").restore(plain(self.table.game))) == plain(self.table.game)

    @invariant()
    def the_revision_only_grows(self) -> None:
        assert self.table.game.revision == len(self.table.events) >= self.revision
        self.revision = self.table.game.revision

    @invariant()
    def the_random_stream_never_goes_back(self) -> None:
        assert self.table.stream.position >= self.position
        self.position = self.table.stream.position

    @invariant()
    def every_duty_belongs_to_a_battle_that_is_kept_and_one_step_of_it_is_live(self) -> None:
        game = self.table.game
        for battle in {a.battle for a in game.duties() if a.battle}:
            assert battle in game.battles
            assert len({a.step for a in game.duties(battle) if game.is_live(a)}) == 1

    @invariant()
    def no_plan_is_told(self) -> None:
        planners = {a.to[0] for a in self.table.game.asked.values() if a.action == "carry-plan"}
        for seat in ("red", "blue", "table", "watch"):
            text = json.dumps(self.table.sees(seat))
            assert "SECRET-PLAN" not in text
            assert seat in planners or "SECRET" not in text

    @invariant()
    def nothing_hidden_is_seen_by_another_seat(self) -> None:
        game = self.table.game
        shown = {
            event.values.get(s) for event in self.table.events if isinstance(event, e.Revealed) for s in SIDES
        }
        for seat in ("red", "blue", "table", "watch"):
            text = json.dumps([self.table.sees(seat), self.table.hears(seat)])
            for other in SIDES:
                if other == seat:
                    continue
                hand = set(game.piles["deck"][f"hand:{other}"])
                in_sight = set(game.piles["deck"]["discard"])
                for card in hand - in_sight - self.once_open():
                    assert card not in text, f"{seat} sees {other}'s {card}"
                words = [f"secret-{other}-{n}" for n in range(1, self.words + 1)]
                for word in words:
                    assert f'"{word}"' not in text or word in shown, f"{seat} sees {word}"
            for chit in set(game.piles["cup"]["aside"]) - self.once_drawn():
                holders = [
                    ev.only for ev in self.table.events if isinstance(ev, e.Drawn) and chit in ev.tokens
                ]
                assert seat in holders[-1] or f'"{chit}"' not in json.dumps(self.table.sees(seat))

    def once_open(self) -> set[str]:
        """Cards that lay face up once, before something was taken back: the log remembers them."""
        return {
            t for ev in self.table.events if isinstance(ev, e.Drawn) and not ev.only for t in ev.tokens
        } & CARDS

    def once_drawn(self) -> set[str]:
        return {t for ev in self.table.events if isinstance(ev, e.Drawn) and not ev.only for t in ev.tokens}


AnyPlay.TestCase.settings = settings(
    max_examples=25, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
test_random_play = pytest.mark.slow(AnyPlay.TestCase)


def test_a_later_calculation_of_another_kind_leaves_a_battles_result_alone():
    """A test that follows from a combat is no second result of it."""
    battle = begun(e.Engaged(title="Attack on 0303", attacker="red", defender="blue"), 7, 1, "move")
    battle = battle.resolved(e.Resolved("combat", {"title": "Combat"}, "D1", battle=7))
    after = battle.resolved(e.Resolved("morale", {"title": "Morale"}, "passed", battle=7))
    assert (after.result, after.worksheet, after.sheet) == ("D1", "combat", {"title": "Combat"})
    assert after.resolved(e.Resolved("combat", {"title": "Combat"}, "D2", battle=7)).result == "D2"


def test_filling_a_pile_is_no_draw():
    """Nobody chose anything by it: words may still go into the seed, and taking it back needs no consent."""
    game = Game(toy_kit(), "skirmish")
    game.apply(e.Drawn("cup", ("oak",), "", "cup", 1))
    assert not game.last_chance
    game.apply(e.Drawn("cup", ("oak",), "cup", "drawn", 1))
    assert game.last_chance == game.revision
