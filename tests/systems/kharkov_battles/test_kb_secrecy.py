"""What one side may know and nobody else: chits under its units, Hitler's goal."""

import json

import pytest
from harness import refused
from kb_bench import answer, designate, enrol, jump, synthetic_book, table, total

from companion.engine.errors import NotYours
from companion.engine.forms.fields import Context
from companion.engine.record.events import Event
from companion.engine.seat.words import describe

SEATS = ("axis", "soviet", "table", "watch")


def told(t, seat, since=0):
    """Everything a seat gets: its view and its log, as text."""
    log = [event.seen_by(seat) for event in t.events[since:]]
    return json.dumps([t.sees(seat), log], default=str)


@pytest.fixture
def assault():
    """A designated attack with a hidden chit on either side; chits have tell-tale names and numbers."""
    sheet = {f"zqx{n}": {"full": f"A{20 + n}", "reduced": f"A{10 + n}", "pool": "both"} for n in range(4)}
    t = table("operation-star", synthetic_book(chits=sheet))
    start = len(t.events)  # the cup's contents are public, what is drawn is not
    jump(t, "axis-combat", 1)
    own = enrol(t, "axis", "6 Pz 4", "panzer", "KB3010", size="III", formation="6 Pz", rating="A")
    enemy = enrol(t, "soviet", "3 Tank", "tank", "KB3011", size="XXX", rating="A")
    for side in ("axis", "soviet"):  # so that each says something before the totals are told
        t.do("table", "correct", name=f"air-{side}", value="1")
    designate(t, "KB3011", own)
    return t, own, enemy, start


def announced(t):
    """Both chits are drawn and both totals told."""
    answer(t, "axis", "begin-assault", points=0)
    answer(t, "soviet", "commit-air", points=0)


def test_drawn_chits_are_told_to_their_owner_only(assault):
    t, own, enemy, start = assault
    for seat in SEATS:
        assert "zqx" not in told(t, seat, start)
    announced(t)
    mine = t.game.piles["chits"][f"at:{own}"][0]
    theirs = t.game.piles["chits"][f"at:{enemy}"][0]
    assert mine in told(t, "axis", start) and theirs not in told(t, "axis", start)
    assert theirs in told(t, "soviet", start) and mine not in told(t, "soviet", start)
    for seat in ("table", "watch"):
        assert "zqx" not in told(t, seat, start)


def test_no_chit_is_drawn_before_the_combat_is_begun(assault):
    """12.0: what is drawn for one attack must not be known while others are designated."""
    t, own, *_ = assault
    assert not t.game.mark(own, "chit") and total(t, "attack") is None


def test_totals_are_announced_but_not_how_they_came_about(assault):
    t, own, *_ = assault
    t.do("table", "mark", marker="disorganized", units=[own], value="on")
    announced(t)
    assert total(t, "attack") in range(10, 12)  # halved: its owner reads why
    how = f"{total(t, 'attack')}: 6 Pz 4"
    for seat in SEATS:
        assert (how in told(t, seat)) == (seat == "axis")
        assert f"Axis attacks with {total(t, 'attack')}" in told(t, seat)
        assert "origins" not in json.dumps(t.sees(seat)["battles"])


def test_the_odds_are_shown_to_all_once_both_totals_are_told(assault):
    t, *_ = assault
    assert all("sheet" not in t.sees(seat)["battles"][-1] for seat in SEATS)
    announced(t)
    for seat in SEATS:
        assert t.sees(seat)["battles"][-1]["sheet"]["column"]


def test_a_reduced_chit_looks_like_a_full_one_to_others(assault):
    t, own, enemy, start = assault
    announced(t)
    before = {seat: t.sees(seat)["units"] for seat in SEATS}
    words = {seat: told(t, seat, start).count("reduced") for seat in SEATS}  # on the Soviets' own chit
    t.do("axis", "lose-steps", unit=own)
    for seat in ("soviet", "table", "watch"):
        assert t.sees(seat)["units"] == before[seat]
        assert told(t, seat, start).count("reduced") == words[seat]
    assert "reduced" in json.dumps(t.sees("axis"))


def test_the_attacker_cannot_peek_by_working_out_the_defenders_strength(assault):
    t, own, enemy, _ = assault
    announced(t)
    sheet = t.system.rules.worksheets["strength"]
    seen = sheet.fn(Context(t.game, "axis"), role="defence", target="KB3011", units=(enemy,))
    assert not seen.facts["complete"] and seen.facts["total"] == 0
    shown = sheet.fn(Context(t.game, "table"), role="defence", target="KB3011", units=(enemy,))
    assert shown.facts["total"] == 0


def test_a_real_chits_number_is_its_owners_secret():
    """2.6: told on his phone; neither the card nor the answer nor the number reaches anybody else."""
    t = table("operation-star", mode_chits="physical")
    jump(t, "axis-combat", 1)
    own = enrol(t, "axis", "6 Pz 4", "panzer", "KB3010", size="III", formation="6 Pz", rating="A")
    enrol(t, "soviet", "R", "rifle", "KB3011", strength=3)
    designate(t, "KB3011", own)
    answer(t, "axis", "begin-assault")
    ask = next(a["id"] for a in t.asked("axis") if a["action"] == "tell-strength")
    for seat in ("soviet", "table"):
        with refused(NotYours, given=seat):
            t.do(seat, "tell-strength", _asked=ask, strength=1)
    start = len(t.events)
    t.do("axis", "tell-strength", _asked=ask, strength=23)
    assert t.game.mark(own, "chit-number") == 23
    for seat in ("soviet", "table", "watch"):
        assert "chit-number" not in told(t, seat, start)


def test_the_replacement_form_does_not_list_reduced_units_to_others(assault):
    t, own, *_ = assault
    t.do("axis", "lose-steps", unit=own)
    field = t.system.rules.actions["replace"].fields["unit"]
    values = {"side": "axis", "what": "reduced"}
    assert [u.id for u in field.units(Context(t.game, "axis", values))] == [own]
    for seat in ("soviet", "table", "watch"):
        assert not field.units(Context(t.game, seat, values))


def test_hitlers_goal_is_the_axis_players_secret():
    t = table("grand-campaign")
    start = len(t.events)
    assert [a["action"] for a in t.asked("axis")] == ["draw-goal"]
    for seat in ("soviet", "table", "watch"):
        assert "draw-goal" not in json.dumps(t.sees(seat))
        assert "goal; nobody" not in told(t, seat)
    for seat in ("soviet", "table"):
        with refused(NotYours, given=seat):
            t.do(seat, "draw-goal")
    t.answer("axis")
    goal, token = t.game["goal"], t.game.piles["goals"]["current"][0]
    assert goal in ("moscow", "volga", "caucasus")
    for seat in SEATS:
        text = told(t, seat, start)
        assert (goal in text.lower().replace("hitler goal", "")) == (seat == "axis"), seat
        assert (f'"{token}"' in text) == (seat == "axis"), seat


def test_the_goal_is_not_among_the_values_others_may_correct():
    t = table("grand-campaign")
    t.answer("axis")
    names = t.system.rules.actions["correct"].fields["name"]
    for seat in ("soviet", "table"):
        assert "goal" not in [v for v, _ in names.choices(Context(t.game, seat))]


def test_a_goal_drawn_from_a_real_box_is_secret_too():
    t = table("grand-campaign", mode_chits="physical")
    start = len(t.events)
    t.do("axis", "draw-goal", drawn="volga")
    for seat in ("soviet", "table", "watch"):
        assert "volga" not in told(t, seat, start).lower()
    assert "Volga" in told(t, "axis", start)


def test_every_secret_survives_storage(assault):
    t, *_ = assault
    announced(t)
    for event in t.events:
        again = Event.from_json(json.loads(json.dumps(event.to_json())))
        for seat in SEATS:
            assert json.dumps(again.seen_by(seat)) == json.dumps(event.seen_by(seat))


def lines(t, seat, start):
    return [line for event in t.events[start:] if (line := describe(event.seen_by(seat), t.game))]


def test_the_log_tells_a_combat_in_few_words(assault):
    """Totals, results and losses for everybody; whose chit was turned for its owner."""
    t, *_ = assault
    start = len(t.events)
    announced(t)
    said = lines(t, "soviet", start)
    assert [x for x in said if "has drawn a strength chit" in x]
    assert [x for x in said if "Axis attacks with" in x] and [x for x in said if "Soviet defends with" in x]
    assert not [x for x in said if "from pool" in x or "chit full" in x]
    start = len(t.events)
    answer(t, "axis", "roll-assault", die="7")
    assert not [x for x in lines(t, "table", start) if x.startswith("Done:")]
