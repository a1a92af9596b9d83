"""Players, tournaments and rounds: who plays whom, as it is proposed and as it was published."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from companion.engine.errors import NotNow, Unknown, did_you_mean
from companion.hall.pairing import Entrant, draw
from companion.hall.standings import Match, Points, Standing, standings


@dataclass(frozen=True)
class Tournament:
    """Players who meet each other and nobody else, all in one game."""

    name: str
    system: str
    scenario: str
    """What its next round plays."""
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Player:
    """One who entered a tournament."""

    name: str
    tournament: str
    out: bool = False
    """He plays no further rounds; what he played stands."""


@dataclass(frozen=True)
class Pair:
    """Who sits at a table in a round; a bye has one player and no table."""

    tournament: str
    system: str
    scenario: str
    players: tuple[str, ...]
    """The one on the game's first side first."""
    table: int = 0
    code: str = ""
    """The companion's table, once it is founded."""

    @property
    def is_bye(self) -> bool:
        return len(self.players) == 1


@dataclass(frozen=True)
class Round:
    """A round of the whole hall: a proposal until it is published."""

    number: int
    pairs: tuple[Pair, ...] = ()
    published: str = ""
    """When."""

    @property
    def tables(self) -> tuple[Pair, ...]:
        """Those who play."""
        return tuple(pair for pair in self.pairs if not pair.is_bye)


@dataclass(frozen=True)
class Correction:
    """What the organiser says of a table instead of its own report, and why."""

    winner: str
    """A side; empty for a draw."""
    level: str = ""
    vp: Mapping[str, int] = field(default_factory=dict)
    reason: str = ""
    at: str = ""


Sides = Callable[[str], tuple[str, str]]
"""The two sides of a game, by its id."""


@dataclass(frozen=True)
class Contest:
    """The part of the organiser's record that is about rounds and results."""

    tournaments: tuple[Tournament, ...] = ()
    players: tuple[Player, ...] = ()
    rounds: tuple[Round, ...] = ()
    results: Mapping[str, Correction] = field(default_factory=dict)
    """By round and table: `2-14`."""
    points: Points = Points()

    @property
    def published(self) -> tuple[Round, ...]:
        """The rounds that count."""
        return tuple(one for one in self.rounds if one.published)

    @property
    def proposal(self) -> Round | None:
        """The next round, while it can be changed."""
        return next((one for one in self.rounds if not one.published), None)

    @cached_property
    def by_name(self) -> dict[str, Player]:
        return {same(player.name): player for player in self.players}

    def player(self, name: str) -> Player:
        found = self.by_name.get(same(name))
        if found is None:
            near = did_you_mean(name, [player.name for player in self.players])
            raise Unknown(f"There is no player {name[:60]!r}.{near}", field="player", given=name)
        return found

    def tournament(self, name: str) -> Tournament:
        found = next((one for one in self.tournaments if same(one.name) == same(name)), None)
        if found is None:
            near = did_you_mean(name, [one.name for one in self.tournaments])
            raise Unknown(f"There is no tournament {name[:60]!r}.{near}", field="tournament", given=name)
        return found

    def entered(self, tournament: str) -> list[Player]:
        return [player for player in self.players if player.tournament == tournament]


def same(name: str) -> str:
    """A name as it is compared."""
    return " ".join(name.split()).casefold()


def key(number: int, table: int) -> str:
    """How a table of a round is called in the results."""
    return f"{number}-{table}"


# -- the next round --------------------------------------------------------------------------------------

Results = Mapping[str, Match]
"""What is known of tables of published rounds, by their keys."""


def matches(contest: Contest, results: Results, tournament: str) -> list[Match]:
    """What counts for a tournament's standings: tables with a result, and byes."""
    found = []
    for one in contest.published:
        for pair in one.pairs:
            if pair.tournament == tournament:
                match = Match(pair.players) if pair.is_bye else results.get(key(one.number, pair.table))
                found += [match] if match else []
    return found


def ranking(contest: Contest, results: Results, tournament: str) -> list[Standing]:
    """A tournament's standings."""
    names = [player.name for player in contest.entered(tournament)]
    return standings(names, matches(contest, results, tournament), contest.points)


def propose(
    contest: Contest, results: Results, sides: Sides, shuffled: Callable[[Sequence[str]], Sequence[str]]
) -> Contest:
    """Pair the next round of every tournament, in place of an earlier proposal.

    :param shuffled: draws lots for whoever begins: before the first round nobody is better than anybody
    """
    pairs: list[Pair] = []
    for tournament in contest.tournaments:
        drawn = draw(entrants(contest, results, tournament, sides, shuffled), sides(tournament.system))
        known = tournament.name, tournament.system, tournament.scenario
        first = sum(not pair.is_bye for pair in pairs) + 1
        pairs += [Pair(*known, couple, table) for table, couple in enumerate(drawn.couples, first)]
        pairs += [Pair(*known, (drawn.bye,))] if drawn.bye else []
    if all(pair.is_bye for pair in pairs):
        raise NotNow("There is nobody to pair: a tournament needs two players who are still in.")
    return replace(contest, rounds=(*contest.published, Round(len(contest.published) + 1, tuple(pairs))))


def entrants(
    contest: Contest,
    results: Results,
    tournament: Tournament,
    sides: Sides,
    shuffled: Callable[[Sequence[str]], Sequence[str]] = lambda names: names,
) -> list[Entrant]:
    """Those who are still in, best first, with what they have behind them."""
    inside = {player.name for player in contest.entered(tournament.name) if not player.out}
    table = [line for line in ranking(contest, results, tournament.name) if line.player in inside]
    behind = history(contest, sides)
    if not any(behind.get(line.player) for line in table):
        lots = {name: n for n, name in enumerate(shuffled([line.player for line in table]))}
        table.sort(key=lambda line: lots[line.player])
    return [_entrant(line, behind.get(line.player, ())) for line in table]


@dataclass(frozen=True)
class Seat:
    """What somebody did in a published round: where he sat and against whom; a bye has neither side nor opponent."""

    round: int
    table: int
    side: str = ""
    opponent: str = ""


def history(contest: Contest, sides: Sides) -> dict[str, list[Seat]]:
    """Every player's rounds, oldest first."""
    found: dict[str, list[Seat]] = {}
    for one in contest.published:
        for pair in one.pairs:
            for place, name in enumerate(pair.players):
                seat = Seat(one.number, pair.table)
                if not pair.is_bye:
                    seat = replace(seat, side=sides(pair.system)[place], opponent=pair.players[1 - place])
                found.setdefault(name, []).append(seat)
    return found


def _entrant(line: Standing, behind: Sequence[Seat]) -> Entrant:
    met = [seat for seat in behind if seat.opponent]
    return Entrant(
        line.player,
        line.points,
        tuple(seat.opponent for seat in met),
        tuple(seat.side for seat in met),
        len(behind) - len(met),
    )
