"""Actions: who may do what and when, what a form asks for, and what is said to a mistake."""

from typing import Annotated, Any

import pytest
from harness import bare, refused
from toykit import Table, toy_kit, toy_rules

from companion.engine.errors import NotNow, NotYours, Several, Unknown, Unreadable
from companion.engine.forms.fields import Choice, Context, Dice, Flag, HexId, Text, Tokens, UnitRef, Whole
from companion.engine.forms.reading import read_all
from companion.engine.play.actions import make_action
from companion.engine.record import events as e
from companion.engine.record.battle import Battle
from companion.engine.record.game import Game
from companion.systems import new_rules


def kinds(events: list[e.Event]) -> list[str]:
    return [event.KIND for event in events]


# -- permission ----------------------------------------------------------------------------------------------

WHO = [
    # by, secret, phase -> the seats that may
    ("any", False, "weather", {"red", "blue", "table"}),
    ("any", True, "weather", {"red", "blue"}),
    ("active", False, "weather", {"red", "blue", "table"}),
    ("active", False, "red-move", {"red", "table"}),
    ("active", False, "blue-move", {"blue", "table"}),
    ("active", True, "blue-move", {"blue"}),
    ("red", False, "blue-move", {"red", "table"}),
    ("red", True, "blue-move", {"red"}),
    ("table", False, "weather", {"table"}),
    (lambda game: "blue" if game.turn == 1 else "red", False, "weather", {"blue", "table"}),
]


@pytest.mark.parametrize(("by", "secret", "phase", "allowed"), WHO)
def test_only_the_right_seats_may_act(by: Any, secret: bool, phase: str, allowed: set[str]) -> None:
    def salute(game: Game) -> Any:
        """Salute."""
        yield e.Noted("salute")

    action = make_action(salute, by=by, secret=secret)
    game = Table().until(phase).game
    for seat in ("red", "blue", "table", "watch", "organiser", ""):
        refused = action.refusal(game, seat)
        if seat in allowed:
            assert refused is None, seat
        else:
            assert isinstance(refused, NotYours), seat
            assert refused.status == 403
            assert "alute" in refused.message


@pytest.mark.parametrize(
    ("seat", "action", "words"),
    [
        ("watch", "ring", "watch may look on, not act: sit down at a seat to ring the bell"),
        ("red", "ring", "Ring the bell is done on the table's own screen"),
        ("red", "blue-word", "Blue's word belongs to the Blue seat"),
        ("table", "draw-card", "Draw a card is done on a player's own phone"),
        ("table", "count-reserve", "Count the reserve belongs to the Red seat"),
    ],
)
def test_a_seat_is_told_whose_action_it_is(seat: str, action: str, words: str) -> None:
    with pytest.raises(NotYours) as raised:
        Table().do(seat, action)
    assert raised.value.message == words


def test_the_wrong_phase_is_refused_with_the_right_one() -> None:
    with pytest.raises(NotNow) as raised:
        Table().do("red", "fight", attack=3, defence=1)
    assert raised.value.message == "Fight belongs to Red Movement or Blue Movement; this is Weather Phase"
    assert (raised.value.status, raised.value.given, raised.value.accepted) == (
        409,
        "weather",
        "red-move, blue-move",
    )


def test_a_condition_says_why_not() -> None:
    with pytest.raises(NotNow, match="scouts ride from day 2 on"):
        Table().do("red", "scout", unit="Guards")
    assert kinds(Table().until("weather", 2).do("red", "scout", unit="Guards")) == ["marked"]


def test_a_bare_no_is_still_a_sentence() -> None:
    def salute(game: Game) -> Any:
        """Salute."""
        yield e.Noted("salute")

    refused = make_action(salute, when=lambda game: False).refusal(Table().game, "red")
    assert refused is not None and refused.message == "Salute: not possible now"


def test_after_the_end_only_corrections_and_talk_go_on() -> None:
    table = Table()
    table.do("table", "end-game", winner="red")
    table.agree()
    with refused(NotNow, given="roll-dice"):
        table.do("red", "roll-dice")
    assert kinds(table.do("red", "note", text="well played")) == ["noted"]
    table.do("table", "take-back", to=table.game.revision - 5)
    table.agree()
    assert table.game.ended is None


def test_an_unknown_action_is_named_with_the_closest() -> None:
    with pytest.raises(Unknown, match="no action 'draw-cart' in this game. Did you mean draw-card"):
        Table().do("red", "draw-cart")
    assert toy_rules().find("draw_card") is toy_rules().find("draw-card")


# -- reading a submission ------------------------------------------------------------------------------------


def test_every_mistake_is_reported_at_once() -> None:
    table = Table().until("red-move")
    with pytest.raises(Several) as raised:
        table.do("red", "fight", attack="lots", defence=0, posture="flee", postur="attack")
    found = {m.field: m.message for m in raised.value.mistakes}
    assert found == {
        "attack": "Attack: 'lots' is not a whole number from 1 to 99",
        "defence": "Defence: 0 is not a whole number from 1 to 99",
        "posture": "Posture: 'flee' is not one of: attack, defend.",
        "postur": "there is no field 'postur': attack, defence, posture, die. Did you mean posture?",
    }
    assert [row["field"] for row in raised.value.to_json()["errors"]] == list(found)  # type: ignore[attr-defined]


def test_what_is_missing_is_named() -> None:
    with pytest.raises(Several) as raised:
        Table().until("red-move").do("red", "fight")
    assert [m.message for m in raised.value.mistakes] == ["Attack is missing", "Defence is missing"]


def test_a_refused_submission_rolls_no_dice() -> None:
    table = Table().until("red-move")
    with pytest.raises(Unreadable):
        table.do("red", "fight", attack="lots", defence=1)
    assert table.stream.position == 0


CTX = Context(Table().game, "red")
HELD = Table()
HELD.do("red", "draw-card")
HAND = HELD.game.piles["deck"]["hand:red"][0]


@pytest.mark.parametrize(
    ("field", "raw", "value"),
    [
        (Text(), " a\r\nb\0 ", "a\nb"),
        (Text(), 12, "12"),
        (Text(), "half \ud83d a smile", "half ? a smile"),
        (Whole(), " 12 ", 12),
        (Whole(low=-5), "\u22123", -3),
        (Flag(), "on", True),
        (Flag(), False, False),
        (Flag(), "off", False),
        (Choice(options=(("a", "Attack"), ("d", "Defend"))), "ATTACK", "a"),
        (Choice(options=(("a", "Attack"), ("d", "Defend")), many=True), "a, d", ("a", "d")),
        (HexId(), "703", "0703"),
        (HexId(many=True), "0303 0404,0303", ("0303", "0404")),
        (UnitRef(), "guards", "red-guards"),
        (UnitRef(many=True), "Guards, Tanks, red-guards", ("red-guards", "red-tanks")),
        (UnitRef(many=True), ["Guards"], ("red-guards",)),
    ],
)
def test_a_field_reads_what_people_and_programs_send(field: Any, raw: Any, value: Any) -> None:
    assert field.read(raw, CTX) == value


@pytest.mark.parametrize(
    ("field", "raw", "words"),
    [
        (Text(most=5), "x" * 10_000, "10000 characters are too many: at most 5"),
        (Whole(), "9" * 5_000, "is not a whole number from 0 to 999"),
        (Whole(), "3.5", "'3.5' is not a whole number"),
        (Whole(), "²", "is not a whole number"),
        (Whole(), True, "is not a whole number"),
        (Flag(), "maybe", "'maybe' is not yes or no"),
        (Choice(options=(("a", "A"),)), {"a": 1}, "is not one of: a"),
        (Choice(), "a", "nothing at the moment"),
        (HexId(), "9999", "9999"),
        (HexId(), "<b>", "is not a hex number"),
        (HexId(), "x" * 10_000, "is not a hex number"),
        (UnitRef(), "Gaurds", "Did you mean Guards"),
        (UnitRef(pick=lambda c: []), "Guards", "cannot be chosen here"),
        (Tokens(pile="deck", zone="hand:red"), "STUKA", "is not there"),
        (Tokens(pile="deck", zone="hand:red"), " , ", "choose one of"),
        (Tokens(pile="nowhere", zone="x"), "a", "'a' is not there: nothing"),
    ],
)
def test_a_field_says_what_it_cannot_read(field: Any, raw: Any, words: str) -> None:
    with pytest.raises(Exception) as raised:
        field.read(raw, CTX)
    assert words in raised.value.message  # type: ignore[attr-defined]
    assert len(raised.value.message) < 400  # type: ignore[attr-defined]


def test_tokens_are_chosen_from_what_lies_there() -> None:
    field = Tokens(pile="deck", zone=lambda c: f"hand:{c.seat}", many=True)
    ctx = Context(HELD.game, "red")
    assert field.read([HAND.lower(), HAND], ctx) == (HAND,)
    assert [c["value"] for c in field.describe(ctx)["choices"]] == [HAND]
    assert field.describe(Context(HELD.game, "blue"))["choices"] == []


def test_a_field_that_does_not_apply_is_not_asked_for() -> None:
    fields = {
        "kind": Choice(options=(("air", "Air"), ("land", "Land"))),
        "height": Whole(when=lambda c: c.values.get("kind") == "air"),
    }
    defaults = {"kind": "land", "height": 0}
    assert read_all(fields, defaults, {"kind": "air", "height": "7"}, bare(toy_kit())) == (
        {"kind": "air", "height": 7},
        [],
    )
    assert read_all(fields, defaults, {"kind": "land", "height": "soup"}, bare(toy_kit())) == (
        {"kind": "land", "height": 0},
        [],
    )


def test_an_unticked_box_is_no_and_an_empty_text_is_the_default() -> None:
    fields = {"fog": Flag(), "name": Text()}
    assert read_all(fields, {"fog": False, "name": "x"}, {"name": ""}, bare(toy_kit()))[0] == {
        "fog": False,
        "name": "x",
    }


def test_a_form_describes_its_fields_with_choices_and_first_values() -> None:
    rows = {r["name"]: r for r in toy_rules().find("go-to").describe(CTX)}
    turn = rows["turn"]
    assert (turn["type"], turn["label"], turn["required"], turn["value"]) == ("whole", "Turn", True, 1)
    assert (turn["min"], turn["max"]) == (0, 99)
    assert [c["value"] for c in rows["phase"]["choices"]] == [
        "weather",
        "red-move",
        "air",
        "blue-move",
        "bog",
    ]
    assert rows["reason"]["required"] is False


def test_a_parameter_without_a_field_is_a_programming_error() -> None:
    def broken(game: Game, mystery: int) -> Any:
        yield e.Noted("")

    with pytest.raises(TypeError, match="parameter 'mystery' needs Annotated"):
        make_action(broken)


# -- dice ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "typed", "expected"),
    [
        ("either", "4", "physical"),
        ("either", None, "digital"),
        ("digital", None, "digital"),
        ("digital", "", "digital"),
        ("physical", "4", "physical"),
        ("digital", "4", "rolls its dice digitally"),
        ("physical", None, "roll 1d6 and enter what you rolled"),
        ("physical", "7", "'7' is not a roll of 1d6"),
    ],
)
def test_dice_are_digital_or_real_as_the_table_is_set(mode: str, typed: str | None, expected: str) -> None:
    table = Table(mode_dice=mode)
    if expected in {"digital", "physical"}:
        rolled = table.do("red", "roll-weather", die=typed)[0]
        assert isinstance(rolled, e.Rolled)
        assert (rolled.mode, rolled.purpose, rolled.dice) == (expected, "weather", "1d6")
        assert (rolled.index is None) == (expected == "physical")
        assert table.stream.position == (1 if expected == "digital" else 0)
    else:
        with pytest.raises(Unreadable) as raised:
            table.do("red", "roll-weather", die=typed)
        assert expected in raised.value.message
        assert raised.value.field == "die"


def test_dice_that_do_not_apply_are_not_rolled() -> None:
    rules = new_rules("toy")

    @rules.action()
    def maybe(game: Game, die: Annotated[Any, Dice(when=lambda c: False)] = None) -> Any:
        """Perhaps."""
        yield e.Noted(str(die))

    table = Table(rules=rules)
    assert table.do("red", "maybe") == [e.Noted("None")]


# -- worksheets, hooks, watchers, prompts --------------------------------------------------------------------


def test_a_worksheets_action_records_roll_breakdown_and_what_follows() -> None:
    table = Table().until("red-move")
    done = table.do("red", "fight", attack=8, defence=4, die="3")
    assert kinds(done) == ["rolled", "resolved", "set"]
    resolved = done[1]
    assert isinstance(resolved, e.Resolved)
    assert (resolved.result, resolved.breakdown["column"], resolved.breakdown["roll"]) == ("DR", "2:1", 3)
    assert table.game["vp"] == 4
    assert table.game.last_result["result"] == "DR"


def test_a_blank_cell_is_asked_of_the_player_and_his_answer_goes_the_same_way() -> None:
    table = Table().until("red-move")
    table.do("red", "fight", attack=4, defence=4, die="6")
    (ask,) = [a for a in table.sees("red")["asked"] if a["mine"]]
    assert ask["text"] == "Combat: read your Combat Results Table: column 1:1, row 6"
    assert ask["args"]["codes"] == ["AE", "AR", "DE", "DR", "NE"]
    with refused(NotYours, given="blue"):
        table.do("blue", "enter-result", _asked=ask["id"], result="DE")
    with pytest.raises(Unreadable, match="row 6, column 1:1: 'WIN' is not a result of this chart .AE, AR"):
        table.do("red", "enter-result", _asked=ask["id"], result="WIN")
    assert kinds(table.do("red", "enter-result", _asked=ask["id"], result="DE")) == [
        "answered",
        "set",
        "resolved",
        "set",
    ]
    assert table.game["vp"] == 4
    assert table.game.chart("crt").cell("6", "1:1").value == "DE", "what was read is known from now on"
    with refused(NotNow):
        table.do("red", "enter-result", _asked=ask["id"], result="DE")


def test_a_prompts_action_answers_it() -> None:
    table = Table()
    table.do("red", "whisper", text="bribe the ferryman")
    (ask,) = table.game.asked
    assert kinds(table.do("red", "spend", text="bribe", _asked=ask)) == ["answered", "set"]
    assert not table.game.asked


@pytest.mark.parametrize("asked", [["x"], {"a": 1}, 7, None, "no-such-question"])
def test_a_prompt_that_is_not_there_is_not_answered(asked: Any) -> None:
    assert kinds(Table().do("red", "spend", _asked=asked)) == ["set"]


def test_a_prompt_is_over_when_its_phase_is() -> None:
    table = Table()
    table.do("red", "whisper", text="now or never")
    table.do("table", "next-phase")
    assert not table.game.asked


def test_a_dismissed_prompt_is_gone_for_good() -> None:
    table = Table()
    table.do("red", "whisper", text="later")
    (ask,) = table.game.asked
    with pytest.raises(NotNow):
        table.do("blue", "dismiss", ask=ask)
    table.do("red", "dismiss", ask=ask)
    with refused(NotNow, field="ask"):
        table.do("red", "dismiss", ask=ask)


def test_hooks_run_when_a_phase_is_left_and_a_turn_begins() -> None:
    table = Table().until("red-move")
    assert e.Noted("Red rests") in table.do("table", "next-phase")
    done = table.do("table", "next-phase")
    assert e.Set("vp", 5, was=3, reason="turn record") in done
    assert done[-1] == e.Noted("day 2 breaks")
    assert kinds(done)[0] == "advanced"


def test_a_hook_bound_to_turns_is_silent_on_others() -> None:
    assert not [event for event in Table().events if isinstance(event, e.Noted)]


def test_a_watcher_notices_what_has_come_about() -> None:
    table = Table()
    done = table.do("table", "correct", name="vp", value="20")
    assert kinds(done) == ["set", "ended"]
    assert table.game.ended == e.Ended("red", "decisive", "Red has twenty points.", "9.1")


def test_without_a_finale_the_last_turn_ends_undecided() -> None:
    table = Table().until("blue-move", 3)
    assert table.do("table", "next-phase")[-1] == e.Ended(
        "nobody", "", "The last turn is over. Enter the result by hand."
    )


def test_a_finale_has_the_last_word() -> None:
    rules = new_rules("toy")

    @rules.at_end
    def finale(game: Game) -> Any:
        yield e.Ended("blue", "marginal", "Blue held.")

    table = Table(rules=rules).until("blue-move", 3)
    assert table.do("table", "next-phase")[-1] == e.Ended("blue", "marginal", "Blue held.")


def test_a_hook_that_ends_the_game_stops_the_sequence() -> None:
    rules = new_rules("toy")

    @rules.leaving("turn", "1")
    def night(game: Game) -> Any:
        yield e.Ended("red", "", "Blue fell asleep.")

    table = Table(rules=rules).until("blue-move")
    assert kinds(table.do("table", "next-phase")) == ["ended"]
    assert table.game.turn == 1


@pytest.mark.parametrize(
    ("given", "ticked"), [("False", False), ("off", False), ("on", True), ("True", True)]
)
def test_a_follow_ups_no_is_not_drawn_as_a_tick(given: str, ticked: bool) -> None:
    """A prompt's arguments come as text in its link."""
    from companion.engine.play.actions import describe_fields

    (row,) = describe_fields({"guards": Flag()}, {"guards": False}, bare(toy_kit(), "red"), {"guards": given})
    assert row["value"] is ticked


def test_what_older_rules_asked_is_put_away_and_not_answered() -> None:
    """A question of an old game knows neither its battle nor its kind: nothing withdraws it, nothing trips over it."""
    table = Table()
    table.record(e.Asked("old-1", ("red", "table"), "Lose 2 steps", "lose-steps", {"steps": 2}))
    table.do("red", "note", text="years later")
    assert "old-1" in table.game.asked
    with refused(NotNow, given="lose-steps"):
        table.do("red", "lose-steps", _asked="old-1")
    assert [ask["fields"] for ask in table.asked("red")] == [1]
    table.do("red", "dismiss", ask="old-1")


def test_an_answer_that_needs_a_battle_is_not_given_without_one() -> None:
    """Questions of games from before there were battles can be put away, and never bring a page down."""
    rules = toy_rules()

    @rules.follow_up(rule="7.2", label="Retreat", still=lambda game, duty: True)
    def old_retreat(game: Game, battle: Battle) -> Any:
        yield e.Noted(battle.title)

    table = Table(rules=rules)
    table.record(e.Asked("old", ("red", "table"), "Retreat", "old-retreat"))
    with refused(NotNow, rule="7.2", given="old-retreat"):
        table.do("red", "old-retreat", _asked="old")
    table.do("red", "dismiss", ask="old")
    assert not table.game.asked
