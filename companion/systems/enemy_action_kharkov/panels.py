"""What the screens show of this game besides tracks: card counts, barred formations, the ground."""

from __future__ import annotations

from companion.engine.forms.panels import Fact, Panel
from companion.engine.record.game import Game
from companion.engine.seat.words import value_label
from companion.systems.enemy_action_kharkov.base import FORMATION_NAMES, rules, titled
from companion.systems.enemy_action_kharkov.command import COMMANDS, in_command, last, played
from companion.systems.enemy_action_kharkov.deck import Deck
from companion.systems.enemy_action_kharkov.impulse import may_pass, must_draw
from companion.systems.enemy_action_kharkov.manifest import (
    calendar,
    calendar_text,
    cup_is_real,
    manifest_ready,
)


@rules.panel
def impulse(game: Game, seat: str) -> Panel | None:
    """The card in play, who is barred and why, and the right to pass."""
    if game.phase != "command" or game.active not in game.sides or game.fighting:
        return None
    said, side = in_command(game), game.side_name(game.active)
    rows = []
    if said:
        what = COMMANDS.get(str(said.get("what")), "command not given yet")
        names = [FORMATION_NAMES.get(f, f) for f in said.get("for", [])]
        more = ", ".join([*names, *([titled(said["event"])] if "event" in said else [])])
        rows.append(Fact(played(game).label, f"{what}: {more}" if more else what, "5.2"))
    else:
        right = may_pass(game, game.active)
        empty = must_draw(game, game.active)
        words = "draws: no card in hand" if empty else "a card, or pass" if right.allowed else "a card"
        if words != "a card":  # whose move it is stands in the head, and Play a card below
            rows.append(Fact(f"{side} to play", words, "5.1"))
        if right.hands and not right.allowed:
            rows.append(Fact("No pass with these cards in hand", right.hands, "5.1"))
    for whose in sorted(game.sides, key=lambda s: s != seat):
        names = [FORMATION_NAMES.get(f, f) for f in last(game, whose)]
        if names:
            label = f"{game.side_name(whose)} barred: activated last impulse"
            rows.append(Fact(label, ", ".join(names), "6.3"))
    used = [game.side_name(s) for s in game.sides if game[f"one-unit-{s}"] == game.turn]
    if used:
        rows.append(Fact("One unit: used this turn", ", ".join(used), "6.1"))
    return Panel("Impulse", rows, first=True) if rows else None


@rules.panel
def dealing(game: Game) -> Panel | None:
    """Before the first hand: who deals, and how to have it otherwise."""
    if game["cards-run"] != "undecided" or game.phase not in ("reserve", "cards"):
        return None
    wanted = game["mode-cards"] != "physical"
    if wanted and manifest_ready(game):
        rows = [Fact("The companion deals; a hand shows on its own phone only", "", "4-II")]
    else:
        rows = [Fact("You deal from your own deck, the companion counts", "", "4-II")]
        if game["mode-cards"] == "digital":
            rows = [
                Fact("Set to digital cards, but the companion cannot deal yet", "", "4-II"),
                Fact("Fill in kind and turn of all 45 cards: Chart book, card manifest", "", "2.3"),
                Fact("Or change Cards in the settings to your own deck", "", "2.3"),
            ]
        elif wanted:
            rows.append(Fact("It can deal once the card manifest in the chart book is filled in", "", "2.3"))
    if cup_is_real(game):
        rows.append(Fact("You draw chits from your own cup and enter their hits", "", "9.3"))
    stuck = game["mode-cards"] == "digital" and not manifest_ready(game)
    return Panel("Who deals", rows, first=stuck or game.phase == "cards")


@rules.panel
def cards(game: Game, seat: str) -> Panel | None:
    """Real cards, counted; dealt ones are counted where they lie."""
    if int(game["cards-prepared"]) == 0 or game["cards-run"] != "real":
        return None
    rows = []
    for side in sorted(game.sides, key=lambda s: s != seat):
        deck = Deck(game, side)
        n, name = deck.counts(), game.side_name(side)
        rows.append(Fact(f"{name} hand + pile", f"{n['hand']} of {deck.limit} + {n['draw']}", "5.1"))
        used = f"{n['discard-p']} P, {n['discard-s']} S"
        rows.append(Fact(f"{name} available; discards", f"{n['avail']}; {used}", "5.6"))
    return Panel("Cards", rows)


@rules.panel
def calendar_space(game: Game) -> Panel | None:
    """This turn's space of the owner's calendar."""
    rows = []
    reach = calendar_text(game, game.turn, "far")
    if reach:
        rows.append(Fact("Fixed artillery range", reach, "2.1"))
    if game.scenario.id == "campaign" and 6 <= game.turn <= 12:
        known = int(game["ground-known"]) > game.turn
        face = value_label(game, "ground-next", game["ground-next"] if known else "unknown")
        rows.append(Fact("Ground next turn", face, "15.33"))
    if game.scenario.id != "campaign":
        return Panel("Calendar", rows) if rows else None
    over, under = calendar(game, game.turn, "soviet_over"), calendar(game, game.turn, "german_under")
    if over is not None:
        rows.append(Fact("Soviet win above", f"{over} VP", "15.36"))
    if under is not None:
        rows.append(Fact("German win below", f"{under} VP", "15.36"))
    return Panel("Calendar", rows) if rows else None
