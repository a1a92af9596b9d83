"""Random play: cards and chits are never lost or doubled, and nothing hidden reaches another seat."""

from __future__ import annotations

import json
import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from systems.enemy_action_kharkov.ea_bench import SIDES, by_hand, command, hand, owners_book, table, zones

from companion.engine.errors import Mistake
from companion.engine.record.game import Game, replay

SEATS = ("soviet", "german", "table", "watch")
HIDDEN = ("draw", "avail", "box")


def conserved(t: Any) -> None:
    piles = t.game.piles
    assert piles["soviet-cards"].tokens() == [f"P{n:02d}" for n in range(1, 23)]
    assert piles["german-cards"].tokens() == [f"P{n:02d}" for n in range(23, 46)]
    assert piles["chits"].tokens() == [f"C{n:02d}" for n in range(1, 61)]
    assert piles["ground-markers"].tokens() == [f"G{n}" for n in range(1, 6)]
    for side, total in (("soviet", 22), ("german", 23)):
        assert sum(zones(t, side).values()) == total
    assert not any(n.startswith("P") and n in t.game.piles["chits"].tokens() for n in hand(t, "soviet"))


def ids_in(data: Any, letters: str) -> set[str]:
    """Every card or marker number in what a seat is given."""
    return set(re.findall(rf"\b[{letters}]\d+\b", json.dumps(data, default=str)))


def secret_cards(t: Any, seat: str) -> set[str]:
    """Cards that this seat may not know the place of: the enemy's hand, all draw piles and available boxes."""
    found: set[str] = set()
    for side in SIDES:
        pile = t.game.piles[f"{side}-cards"]
        for zone in pile.zones:
            if zone in HIDDEN or (zone == f"hand:{side}" and seat != side):
                found |= set(pile[zone])
    return found


def forms(t: Any, seat: str) -> list[Any]:
    """Every form this seat can open now."""
    open_ = [a.name for a in t.rules.actions.values() if a.refusal(t.game, seat) is None]
    return [t.form(seat, name) for name in open_]


def nothing_leaks(t: Any) -> None:
    for seat in SEATS:
        secret = secret_cards(t, seat)
        shown = t.sees(seat)
        assert not ids_in(shown, "P") & secret, (seat, ids_in(shown, "P") & secret)
        down = {m for z in t.game.piles["ground-markers"].zones if z.startswith("turn") or z == "unseen"
                for m in t.game.piles["ground-markers"][z]}  # fmt: skip
        assert not ids_in(shown, "G") & down
        if t.game["cards-run"] == "digital":
            assert not ids_in(forms(t, seat), "P") & secret
        assert not ids_in([a for a in shown["asked"]], "P") & secret


def events_leak(t: Any) -> None:
    """No event tells a seat of a card that went from one hidden place to another, or into the enemy's hand."""
    for event in t.events:
        body = event.to_json()
        if body["kind"] not in ("drawn", "returned") or body["pile"] == "chits":
            continue
        target = body["target"]
        for seat in SEATS:
            seen = event.seen_by(seat)
            owner = target.partition(":")[2]
            hidden = (
                target in ("draw", "avail", "unseen")
                or target.startswith("turn:")
                or (owner and owner != seat)
            )
            if hidden:
                assert not seen.get("tokens"), (seat, body)


MOVES = st.lists(
    st.tuples(
        st.sampled_from(
            ("play", "event", "fight", "draw", "declare", "tactic", "settle", "end", "pass", "next")
        ),
        st.integers(0, 30),
    ),
    max_size=40,
)


def step(t: Any, what: str, n: int) -> None:
    """Try one thing; what is not allowed just does not happen."""
    g: Game = t.game
    side = g.active if g.active in SIDES else "soviet"
    try:
        if what == "play":
            cards = hand(t, side)
            t.do(side, "play-card", card=cards[n % len(cards)])
            names = (
                ("3T", "40", "69", "6", "1G", "MGP") if side == "soviet" else ("Raus", "IISS", "XL", "III")
            )
            t.do(side, "give-command", what="activate", formations=names[n % len(names)])
        elif what == "event":
            t.do(side, "give-command", what="event", event="special")
        elif what == "fight":
            t.do(
                side, "declare-combat", small=1 + n % 4, steps=1 + n % 3, attack=n, defence=3, terrain="clear"
            )
        elif what == "draw":
            t.do(side, "draw-chits")
        elif what == "declare":
            t.do(side, "declare-draws", extra=n % 3)
        elif what == "tactic":
            other = SIDES[n % 2]
            t.do(other, "play-tactic", card=hand(t, other)[0], tactic=("artillery", "intelligence")[n % 2])
        elif what == "settle":
            by_hand(t)
        elif what == "end":
            t.do(side, "end-impulse", anyway=True)
        elif what == "pass":
            t.do(side, "pass-impulse")
        elif n % 4 == 0:
            if g.phase == "cards":
                t.do("table", "prepare-cards")
            elif g.phase == "end" and g.turn >= 6:
                t.do("table", "reveal-ground")
            t.next()
    except (Mistake, ZeroDivisionError, IndexError):
        pass


@settings(max_examples=40, deadline=None)
@given(MOVES, st.sampled_from((1, 6, 10)))
def test_random_play_conserves_and_hides(moves: list[tuple[str, int]], turn: int) -> None:
    t = command(turn=turn)
    for what, n in moves:
        step(t, what, n)
        conserved(t)
    nothing_leaks(t)
    events_leak(t)
    copy = replay(Game(t.system.kit, t.scenario, t.book), t.events)
    assert copy.dump() == t.game.dump()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(("P07", "P08", "P02", "P30", "P41", "end", "pass")), max_size=25))
def test_real_cards_are_counted_right(moves: list[str]) -> None:
    """Box and tracks agree whatever is entered."""
    t = table(book=owners_book(), mode_cards="physical")
    t.until("cards")
    t.do("table", "prepare-cards")
    t.until("command")
    for move in moves:
        side = t.game.active
        try:
            if move == "end":
                t.do(side, "give-command", what="event", event="special")
                t.do(side, "end-impulse")
            elif move == "pass":
                t.do(side, "pass-impulse")
            else:
                t.do(side, "play-real-card", card=move)
        except Mistake:
            pass
        for whose in SIDES:
            counted = sum(t.game[f"{whose}-{z}"] for z in ("draw", "avail", "hand", "entering"))
            assert counted == len(t.game.piles[f"{whose}-cards"]["box"])
        nothing_leaks(t)


def test_face_down_ground_markers_stay_unknown() -> None:
    t = table()
    t.do("table", "go-to", turn=6, phase="end")
    t.do("table", "lay-ground")
    nothing_leaks(t)
    events_leak(t)
    for seat in SEATS:
        piles = {p["id"]: p for p in t.sees(seat)["piles"]}
        assert all("tokens" not in z or not z["tokens"] for z in piles["ground-markers"]["zones"])


def test_the_table_never_plays_from_a_hidden_hand() -> None:
    t = command()
    for action in ("play-card", "play-tactic"):
        assert t.system.rules.find(action).refusal(t.game, "table") is not None
    assert t.system.rules.find("play-card").refusal(t.game, "german") is not None


def test_the_log_says_what_a_seat_may_read() -> None:
    from companion.engine.seat.words import describe

    t = command()
    mine = hand(t, "soviet")
    for seat in ("german", "table", "watch"):
        lines = " ".join(describe(event.seen_by(seat), t.game) for event in t.events)
        assert not any(number in lines for number in mine)
        assert "{" not in lines
    own = " ".join(describe(event.seen_by("soviet"), t.game) for event in t.events)
    assert all(number in own for number in mine)


def test_the_forms_for_real_cards_list_none_of_a_digital_deck() -> None:
    """They can be asked for although they cannot be sent: what lies in a deck's box stays there."""
    t = table("campaign", book=owners_book())
    for seat in SEATS:
        for name in ("play-real-card", "play-real-tactic"):
            for side in SIDES:
                form = t.form(seat, name, side=side)
                assert not ids_in(form, "P"), (seat, name)
