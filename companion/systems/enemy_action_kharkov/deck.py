"""A side's cards: where they lie when the companion deals them, how many there are when they are real."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from companion.engine.errors import NotNow
from companion.engine.play.actions import Chance
from companion.engine.positions.pieces import count
from companion.engine.record import events as e
from companion.engine.record.changes import IN_PASSING
from companion.engine.record.game import Game
from companion.systems.enemy_action_kharkov.base import GERMAN, NOBODY, SOVIET
from companion.systems.enemy_action_kharkov.manifest import SET_ASIDE, Card, card, manifest_ready

UNDECIDED, DIGITAL, REAL = "undecided", "digital", "real"
COUNTED = ("draw", "avail", "hand", "entering")
SOVIET_HAND = 5  # [5.0]
LIGHT_MUD = 4  # [15.34]


@dataclass(frozen=True)
class Plan:
    """What one side's preparation needs to know for a turn."""

    supplementals: int
    primary_in: int = 0
    supplemental_in: int = 0
    """How many cards enter, by kind: only real cards need telling."""


@dataclass(frozen=True)
class Deck:
    """One side's piles at one moment."""

    game: Game
    side: str

    @property
    def pile(self) -> str:
        return f"{self.side}-cards"

    @property
    def real(self) -> bool:
        return bool(self.game["cards-run"] == REAL)

    @property
    def hand_zone(self) -> str:
        return f"hand:{self.side}"

    def tokens(self, zone: str) -> list[str]:
        return self.game.piles[self.pile][self.hand_zone if zone == "hand" else zone]

    def labelled(self, zone: str) -> list[tuple[str, str]]:
        """The cards of a zone as choices of a form."""
        return [(n, card(self.game, n).label) for n in self.tokens(zone)]

    @property
    def real_box(self) -> list[tuple[str, str]]:
        """Real cards that may be played next; what a digital deck keeps in its box is nobody's business."""
        return self.labelled("box") if self.real else []

    def count(self, zone: str) -> int:
        """How many cards lie somewhere; real piles and hands are counted on tracks."""
        if self.real and zone in COUNTED:
            return int(self.game[f"{self.side}-{zone}"])
        if zone in ("discard-p", "discard-s"):
            return len(self.tokens(zone)) + len(self.tokens(zone.replace("discard", "facedown")))
        return len(self.tokens(zone))

    @property
    def left(self) -> int:
        """Cards still to be played this turn."""
        return self.count("draw") + self.count("hand")

    @property
    def limit(self) -> int:
        return int(self.game[f"{self.side}-hand-size"])

    def counts(self) -> dict[str, int]:
        zones = (*COUNTED, "in-use", "tactics", "discard-p", "discard-s", "removed")
        return {z: self.count(z) for z in zones}

    # -- moves ---------------------------------------------------------------------------------------------

    def tally(self, zone: str, number: int, reason: str) -> e.Set:
        """A real pile or hand has this many cards now."""
        name = f"{self.side}-{zone}"
        return e.Set(name, number, was=self.game[name], reason=reason)

    def shift(
        self, tokens: list[str], source: str, target: str, only: tuple[str, ...], reason: str
    ) -> Iterator[e.Event]:
        if tokens:
            kind = e.Returned if target in ("draw", "avail") else e.Drawn
            yield kind(self.pile, tuple(tokens), source, target, len(tokens), reason=reason, only=only)

    def lay(self, number: str, zone: str) -> Iterator[e.Event]:
        """A card is played from hand, face up; whoever lays it says so in the log."""
        if self.real:
            yield self.tally("hand", max(0, self.count("hand") - 1), IN_PASSING)
            yield e.Drawn(self.pile, (number,), "box", zone, 1, "physical", reason=IN_PASSING)
        else:
            yield e.Drawn(self.pile, (number,), self.hand_zone, zone, 1, reason=IN_PASSING)

    def discard(self, number: str, source: str, kind: str, *, stavka: bool = False) -> Iterator[e.Event]:
        """To the discards of its kind; STAVKA leaves the game from turn 7 on [5.6, 15.35]."""
        if stavka and self.game.turn >= 7:
            yield e.Returned(
                self.pile, (number,), source, "removed", 1, reason="STAVKA leaves the game [15.35]"
            )
            return
        name = "discard" if self.game["discards-open"] else "facedown"
        target = f"{name}-{'p' if kind == 'primary' else 's'}"
        yield e.Returned(self.pile, (number,), source, target, 1, reason=IN_PASSING)

    def draw_up(self, chance: Chance, *, told: bool = True) -> Iterator[e.Event]:
        """Fill the hand to its limit, or until the pile is empty [4-IV, 5.0].

        :param told: whether a player of real cards is told here what to do
        """
        missing = min(self.limit - self.count("hand"), self.count("draw"))
        if missing <= 0:
            return
        if self.real:
            yield self.tally("draw", self.count("draw") - missing, IN_PASSING)
            yield self.tally("hand", self.count("hand") + missing, IN_PASSING)
            if told:
                words = f"draws {count(missing, 'card')}: {self.count('hand')} in hand"
                yield e.Noted(f"{self.game.side_name(self.side)} {words}", rule="4-IV")
        else:
            yield chance.draw(
                self.game, self.pile, "draw", self.hand_zone, missing, only=(self.side,), reason="draws up"
            )

    # -- preparation [4-II] --------------------------------------------------------------------------------

    def prepare(self, plan: Plan, chance: Chance) -> Iterator[e.Event]:
        """The five steps in their order [4-II]; heavy mud keeps the third alone [15.34]."""
        mud = self.game["ground"] == "heavy-mud"
        yield from self._sweep()
        steps = self._real_steps if self.real else self._digital_steps
        yield from steps(plan, chance, mud)

    def _sweep(self) -> Iterator[e.Event]:
        """Cards a table left unplayed count as played, but stay face down; after set-up there are none."""
        if int(self.game["cards-prepared"]) == 0 or self.real:
            return  # real cards that were left stay where their owner has them
        for zone in (self.hand_zone, "draw"):
            for number in list(self.game.piles[self.pile][zone]):
                target = "facedown-p" if card(self.game, number).kind == "primary" else "facedown-s"
                yield e.Drawn(self.pile, (number,), zone, target, 1, reason="left unplayed", only=NOBODY)

    def due(self) -> list[Card]:
        """Entering cards whose turn has come (those that heavy mud held up as well)."""
        held = [card(self.game, n) for n in self.tokens("entering")]
        return [c for c in held if c.turn is not None and c.turn <= self.game.turn]

    def _digital_steps(self, plan: Plan, chance: Chance, mud: bool) -> Iterator[e.Event]:
        if not mud:
            for kind, target in (("primary", "draw"), ("supplemental", "avail")):
                new = [c.id for c in self.due() if c.kind == kind]
                yield from self.shift(new, "entering", target, NOBODY, "new cards [4-II.1]")
            taken = min(plan.supplementals, self.count("avail"))
            if taken:
                reason = "supplementals of the turn [4-II.2]"
                yield chance.draw(self.game, self.pile, "avail", "draw", taken, only=NOBODY, reason=reason)
        for zone in ("discard-s", "facedown-s"):
            yield from self.shift(self.tokens(zone), zone, "avail", NOBODY, "supplementals return [4-II.3]")
        if mud:
            return
        for zone in ("discard-p", "facedown-p"):
            yield from self.shift(self.tokens(zone), zone, "draw", NOBODY, "primaries return [4-II.4]")
        yield from self.draw_up(chance)

    def _real_steps(self, plan: Plan, chance: Chance, mud: bool) -> Iterator[e.Event]:
        draw, avail, taken = self.count("draw"), self.count("avail"), 0
        if not mud:
            new_p = min(plan.primary_in, self.count("entering"))
            new_s = min(plan.supplemental_in, self.count("entering") - new_p)
            if new_p + new_s:
                yield self.tally("entering", self.count("entering") - new_p - new_s, IN_PASSING)
            taken = min(plan.supplementals, avail + new_s)
            draw, avail = draw + new_p + taken, avail + new_s - taken
        avail += self.count("discard-s")
        draw += 0 if mud else self.count("discard-p")
        for zone in ("discard-s", "facedown-s", *(() if mud else ("discard-p", "facedown-p"))):
            yield from self.shift(self.tokens(zone), zone, "box", (), IN_PASSING)
        for zone, number in (("avail", avail), ("draw", draw)):
            if number != self.count(zone):
                yield self.tally(zone, number, IN_PASSING)
        if not mud:
            yield from self.draw_up(chance, told=False)
            into = f"{count(taken, 'supplemental')} into the draw pile"
            hand = f"{count(self.count('hand'), 'card')} in hand"
            yield e.Noted(f"{self.game.side_name(self.side)}: {into}, {hand}", rule="4-II")


def decide(game: Game) -> str:
    """Whether the companion deals or the players do, by the table's setting and what the manifest tells."""
    mode, ready = game["mode-cards"], manifest_ready(game)
    if mode == "digital" and not ready:
        raise NotNow(
            "the companion cannot deal yet: fill in kind and turn of all 45 cards in the card manifest, "
            "or set the table to real cards",
            rule="4-II",
        )
    return DIGITAL if ready and mode != "physical" else REAL


def settle_mode(game: Game) -> Iterator[e.Event]:
    """Sort the boxes at first, and change between real and dealt cards at a preparation when the table wants it."""
    wanted, now = decide(game), game["cards-run"]
    if wanted == now:
        return
    if wanted == DIGITAL:
        for side in (SOVIET, GERMAN):
            yield from _sort(Deck(game, side), first=now == UNDECIDED)
    elif now == DIGITAL:
        for side in (SOVIET, GERMAN):
            yield from _pack(Deck(game, side))
    yield e.Set("cards-run", wanted, was=now, reason=IN_PASSING if now == UNDECIDED else "")


def _sort(deck: Deck, *, first: bool) -> Iterator[e.Event]:
    """Entering cards, draw pile, available box, and P41 in hand; later, primaries wait with the discards [3]."""
    piles: dict[str, list[str]] = {}
    for number in deck.tokens("box"):
        known = card(deck.game, number)
        if first and number == SET_ASIDE:
            zone = deck.hand_zone
        elif known.turn and known.turn >= deck.game.turn:
            zone = "entering"
        elif known.kind == "supplemental":
            zone = "avail"
        else:
            zone = "draw" if first else "discard-p"
        piles.setdefault(zone, []).append(number)
    for zone, numbers in piles.items():
        only = (deck.side,) if zone == deck.hand_zone else () if zone == "entering" else NOBODY
        yield from deck.shift(numbers, "box", zone, only, IN_PASSING)


def _pack(deck: Deck) -> Iterator[e.Event]:
    """The players take the cards over: what the companion held is counted from now on."""
    for zone in COUNTED:
        yield deck.tally(zone, deck.count(zone), "real cards from now on")
    for zone in ("entering", "draw", "avail", deck.hand_zone):
        yield from deck.shift(
            list(deck.game.piles[deck.pile][zone]), zone, "box", NOBODY, "real cards from now on"
        )
