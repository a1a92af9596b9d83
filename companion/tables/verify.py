"""Verification: every digital roll and draw of an exported game recomputed from its seeds, and none missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from companion.engine import dice
from companion.engine.errors import Unreadable
from companion.engine.record import events as e
from companion.engine.record.game import Game, replay
from companion.tables.savefile import check_shape
from companion.tables.tables import Tables


@dataclass(frozen=True)
class Fault:
    """Something that an honest record cannot hold."""

    seq: int
    """The line it stands in; 0 when it is about the whole."""
    words: str


@dataclass
class Report:
    """What the verification found."""

    faults: list[Fault] = field(default_factory=list)
    recomputed: int = 0
    """Digital rolls and draws that came out as the seed gives them."""
    remarks: list[Fault] = field(default_factory=list)
    """What is possible in an honest record, and worth asking about."""
    by_hand: Counter[str] = field(default_factory=Counter)
    """Rolls and draws typed in, by the seat that typed them: nobody can recompute those."""

    @property
    def fair(self) -> bool:
        return not self.faults

    def blame(self, seq: int, words: str) -> None:
        self.faults.append(Fault(seq, words))


def verify(copy: Mapping[str, Any], tables: Tables) -> Report:
    """Recompute every digital roll and draw of a whole export, and look for what is missing.

    :raises Unreadable: if the file is not a whole export
    """
    if "seed" not in copy:
        raise Unreadable(
            "this copy does not hold the dice seed: it is laid open when the game is over and both sides agree"
        )
    check_shape(copy)
    report = Report()
    events = [e.Event.from_json(item["body"]) for item in copy["events"]]
    seeds = _seeds(events, str(copy["seed"]), report)
    if copy.get("commitment") not in (None, _fingerprint(seeds[-1])):
        report.blame(0, "the fingerprint written on the file is not that of its seed")
    stream = _Walk(tables, copy, report).through(events, seeds)
    if stream != int(copy["stream"]):
        report.blame(
            0,
            f"the stream stands at number {copy['stream']}, but the record accounts for {stream}: "
            "rolls or draws at its end are missing",
        )
    return report


def _seeds(events: list[e.Event], last: str, report: Report) -> list[str]:
    """The seeds in the order they were in use, each held against the fingerprint shown when it began."""
    changes = [(n, x) for n, x in enumerate(events, 1) if isinstance(x, e.Reseeded) and x.revealed]
    seeds = [*(change.revealed for _, change in changes), last]
    first = events[0]
    shown = [(1, first.commitment if isinstance(first, e.Started) else "")]
    shown += [(n, change.commitment) for n, change in changes]
    for seed, (seq, fingerprint) in zip(seeds, shown, strict=True):
        if _fingerprint(seed) != fingerprint:
            report.blame(seq, "the seed does not fit the fingerprint shown here")
    for (seq, _), old, new in zip(changes, seeds, seeds[1:], strict=False):
        if old == new or not isinstance(events[seq - 2], e.Undone | e.Set | e.Answered):
            report.blame(seq, "a new seed that did not come from an ending taken back")
    return seeds


def _fingerprint(seed: str) -> str:
    try:
        return dice.commitment(seed)
    except ValueError:
        return "unreadable"


class _Walk:
    """One walk through the record, rolling every roll again."""

    def __init__(self, tables: Tables, copy: Mapping[str, Any], report: Report) -> None:
        self.kit = tables.system(str(copy["system"])).kit
        self.scenario = str(copy["scenario"])
        self.seats = [str(item["seat"]) for item in copy["events"]]
        self.report = report
        self.game = Game(self.kit, self.scenario)
        self.position = 0
        self.words: set[str] = set()

    def through(self, events: list[e.Event], seeds: list[str]) -> int:
        """Check all events in order, and return how many numbers of the stream they used."""
        left = list(seeds)
        for seq, event in enumerate(events, 1):
            try:
                if isinstance(event, e.Reseeded) and event.revealed:
                    left.pop(0)
                elif isinstance(event, e.Rolled | e.Drawn):
                    self._chance(seq, event, left[0])
                elif isinstance(event, e.Set) and event.name.startswith("entropy-"):
                    self._words(seq, event)
                if isinstance(event, e.Undone):
                    self.game = replay(Game(self.kit, self.scenario), events[:seq])
                else:
                    self.game.apply(event, seq)
            except Exception as error:  # noqa: BLE001 - whatever a forged file makes fail is the file's fault
                self.report.blame(seq, f"this line cannot be replayed ({error})")
        return self.position

    def _words(self, seq: int, event: e.Set) -> None:
        """Words that go in late could have been chosen by somebody who had seen the seed."""
        if self.position and self.game[event.name] != event.value and event.value not in self.words:
            self.report.remarks.append(Fault(seq, "words were mixed into the dice after the first roll"))
        self.words.add(str(event.value))

    def _chance(self, seq: int, event: e.Rolled | e.Drawn, seed: str) -> None:
        if event.mode not in ("digital", "physical"):
            self.report.blame(seq, f"{event.mode[:20]!r} is neither digital nor by hand")
        elif event.mode == "physical":
            self.report.by_hand[self.seats[seq - 1]] += 1
            if isinstance(event, e.Rolled) and self.game["mode-dice"] == "digital":
                self.report.blame(seq, "dice typed in at a table set to digital dice")
        elif event.index is not None:
            self._recompute(seq, event, seed, event.index)
        elif isinstance(event, e.Rolled):
            self.report.blame(seq, "a digital roll without its number in the stream")

    def _recompute(self, seq: int, event: e.Rolled | e.Drawn, seed: str, index: int) -> None:
        if index > self.position:
            self.report.blame(
                seq,
                f"numbers {self.position} to {index - 1} of the stream were used before this line, "
                "but nothing shows what for: a roll or draw is missing, or was called one by hand",
            )
        elif index < self.position:
            self.report.blame(seq, f"number {index} of the stream had been used before")
        words = [str(w) for w in (self.game[f"entropy-{s}"] for s in self.game.sides) if w]
        stream = dice.Stream(seed, index, words)
        if isinstance(event, e.Rolled):
            fair = stream.roll(dice.Spec.parse(event.dice)) == tuple(event.values)
            text = f"{event.dice} rolled {', '.join(map(str, event.values))}"
        else:
            held = self.game.piles[event.pile][event.source]
            fair = stream.pick(held, len(event.tokens)) == tuple(event.tokens)
            text = f"{len(event.tokens)} drawn from {event.pile}"
        self.position = max(self.position, stream.position)
        if fair:
            self.report.recomputed += 1
        else:
            self.report.blame(seq, f"{text}: not what the seed gives")
