"""What one side may know and nobody else: chits under its units, Hitler's goal."""

import json

import pytest
from harness import refused
from kb_bench import enrol, jump, synthetic_book, table

from companion.engine.errors import NotYours, Unreadable
from companion.engine.record.events import Event

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
    t.do("axis", "declare-assault", target="KB3011", attackers=[own])
    return t, own, enemy, start


def test_drawn_chits_are_told_to_their_owner_only(assault):
    t, own, enemy, start = assault
    t.answer("axis")
    for seat in SEATS:
        assert ("zqx" in told(t, seat, start)) == (seat == "axis"), seat
    t.answer("soviet")
    mine = t.game.piles["chits"][f"at:{own}"][0]
    theirs = t.game.piles["chits"][f"at:{enemy}"][0]
    assert mine in told(t, "axis", start) and theirs not in told(t, "axis", start)
    assert theirs in told(t, "soviet", start) and mine not in told(t, "soviet", start)
    for seat in ("table", "watch"):
        assert "zqx" not in told(t, seat, start)


def test_totals_are_announced_but_not_how_they_came_about(assault):
    t, *_ = assault
    t.answer("axis")
    for seat in ("soviet", "table", "watch"):
        body = [event.seen_by(seat) for event in t.events if event.KIND == "resolved"]
        assert body and all("breakdown" not in b for b in body)
    assert t.game.mark("KB3011", "attack-total") in range(20, 24)


def test_a_reduced_chit_looks_like_a_full_one_to_others(assault):
    t, own, enemy, start = assault
    t.answer("axis")
    before = {seat: t.sees(seat)["units"] for seat in SEATS}
    t.do("axis", "lose-steps", unit=own)
    for seat in ("soviet", "table", "watch"):
        assert t.sees(seat)["units"] == before[seat]
        assert "reduced" not in told(t, seat, start)
    assert "reduced" in json.dumps(t.sees("axis"))


def test_the_attacker_cannot_peek_by_working_out_the_defenders_strength(assault):
    from companion.engine.play.fields import Context

    t, own, enemy, _ = assault
    t.answer("soviet")
    sheet = t.system.rules.worksheets["strength"]
    seen = sheet.fn(Context(t.game, "axis"), role="defence", target="KB3011", units=(enemy,))
    assert not seen.facts["complete"] and seen.facts["total"] == 0
    shown = sheet.fn(Context(t.game, "table"), role="defence", target="KB3011", units=(enemy,))
    assert shown.facts["total"] == 0
    with refused(Unreadable, field="units", given="soviet-3-tank"):
        t.do("axis", "announce-strength", role="defence", target="KB3011", units=[enemy])


def test_the_replacement_form_does_not_list_reduced_units_to_others(assault):
    from companion.engine.play.fields import Context

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
    from companion.engine.play.fields import Context

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
    t.answer("axis")
    for event in t.events:
        again = Event.from_json(json.loads(json.dumps(event.to_json())))
        for seat in SEATS:
            assert json.dumps(again.seen_by(seat)) == json.dumps(event.seen_by(seat))


def lines(t, seat, start):
    from companion.engine.seat.words import describe

    return [line for event in t.events[start:] if (line := describe(event.seen_by(seat), t.game))]


def test_the_log_tells_a_combat_in_few_words(assault):
    """Totals, results and losses for everybody; whose chit was turned for its owner."""
    t, *_ = assault
    start = len(t.events)
    t.answer("axis")
    told = lines(t, "soviet", start)
    assert [x for x in told if "has drawn a strength chit" in x] and [x for x in told if "strength at" in x]
    assert not [x for x in told if "from pool" in x or "chit full" in x]
    t.answer("soviet")
    start = len(t.events)
    t.answer("axis", die="7")
    assert not [x for x in lines(t, "table", start) if x.startswith("Done:")]
