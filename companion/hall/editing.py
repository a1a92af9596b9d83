"""What an organiser changes by hand: who plays in what, the proposal of a round, what a table is said to have come to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from companion.engine.errors import NotNow, Unknown, Unreadable
from companion.hall.rounds import Contest, Correction, Pair, Player, Round, Tournament, key, same
from companion.limits import HALL_TOURNAMENTS, PLAYER

# -- tournaments and players -----------------------------------------------------------------------------


def put_tournament(contest: Contest, tournament: Tournament, was: str = "") -> Contest:
    """Enter a tournament, or change the one that was called so; what a proposed round plays changes with it."""
    name = " ".join(tournament.name.split())
    if not name or len(name) > PLAYER:
        raise Unreadable(f"Give the tournament a name of 1 to {PLAYER} characters.", field="name", given=name)
    old = contest.tournament(was) if was else None
    if any(same(one.name) == same(name) and one is not old for one in contest.tournaments):
        raise NotNow(f"There is a tournament {name!r} already.", field="name", given=name)
    new = replace(tournament, name=name)
    if old is None:
        if len(contest.tournaments) >= HALL_TOURNAMENTS:
            raise NotNow(f"{HALL_TOURNAMENTS} tournaments are enough for one hall.")
        return replace(contest, tournaments=(*contest.tournaments, new))
    return replace(
        contest,
        tournaments=tuple(new if one is old else one for one in contest.tournaments),
        players=tuple(
            replace(p, tournament=name) if p.tournament == old.name else p for p in contest.players
        ),
        rounds=tuple(
            replace(one, pairs=tuple(_moved(pair, old, new, bool(one.published)) for pair in one.pairs))
            for one in contest.rounds
        ),
    )


def _moved(pair: Pair, old: Tournament, new: Tournament, published: bool) -> Pair:
    if pair.tournament != old.name:
        return pair
    played = pair if published else new
    return replace(pair, tournament=new.name, system=played.system, scenario=played.scenario)


def drop_tournament(contest: Contest, name: str) -> Contest:
    """Strike a tournament out in which nobody has entered."""
    old = contest.tournament(name)
    if contest.entered(old.name):
        raise NotNow(f"{old.name} has players: take them out of it first.")
    return replace(contest, tournaments=tuple(one for one in contest.tournaments if one is not old))


def put_player(contest: Contest, name: str, *, new: str = "", out: bool | None = None) -> Contest:
    """Rename a player everywhere, or let him sit out from now on or come back."""
    old = contest.player(name)
    called = " ".join(new.split()) or old.name
    if len(called) > PLAYER:
        raise Unreadable(f"The name is too long: at most {PLAYER} characters.", field="new", given=new)
    if same(called) != same(old.name) and same(called) in contest.by_name:
        raise NotNow(f"There is a player {called!r} already.", field="new", given=new)
    changed = Player(called, old.tournament, old.out if out is None else out)
    return replace(
        contest,
        players=tuple(changed if one is old else one for one in contest.players),
        rounds=tuple(replace(one, pairs=_renamed(one.pairs, old.name, called)) for one in contest.rounds),
    )


def _renamed(pairs: Sequence[Pair], old: str, new: str) -> tuple[Pair, ...]:
    return tuple(
        replace(pair, players=tuple(new if name == old else name for name in pair.players)) for pair in pairs
    )


def drop_player(contest: Contest, name: str) -> Contest:
    """Strike a player out who is in no round yet; one who played sits out instead."""
    old = contest.player(name)
    if any(old.name in pair.players for one in contest.rounds for pair in one.pairs):
        raise NotNow(f"{old.name} is in a round already: let the player sit out instead.")
    return replace(contest, players=tuple(one for one in contest.players if one is not old))


# -- the proposal ----------------------------------------------------------------------------------------


def proposal_of(contest: Contest) -> Round:
    """The round that can be changed."""
    if contest.proposal is None:
        raise NotNow("No round is proposed: what is published stays as it is. Pair the next round first.")
    return contest.proposal


def _with(contest: Contest, pairs: Sequence[Pair]) -> Contest:
    return replace(contest, rounds=(*contest.published, replace(proposal_of(contest), pairs=tuple(pairs))))


def discard(contest: Contest) -> Contest:
    """Throw the proposal away."""
    proposal_of(contest)
    return replace(contest, rounds=contest.published)


def turn(contest: Contest, table: int) -> Contest:
    """Let the two at a table change sides."""
    pairs = proposal_of(contest).pairs
    if not any(pair.table == table and not pair.is_bye for pair in pairs):
        raise Unknown(f"There is no table {table} in this round.", field="table", given=table)
    return _with(
        contest,
        [replace(p, players=p.players[::-1]) if p.table == table and not p.is_bye else p for p in pairs],
    )


def exchange(contest: Contest, one: str, other: str) -> Contest:
    """Let two players of a tournament change places; one of them may sit out."""
    a, b = contest.player(one), contest.player(other)
    if a == b:
        raise Unreadable("Choose two different players.", field="other", given=other)
    if a.tournament != b.tournament:
        raise NotNow(f"{a.name} and {b.name} play in different tournaments.", field="other", given=other)
    pairs = proposal_of(contest).pairs
    for player in (a, b):
        if not any(player.name in pair.players for pair in pairs):
            raise NotNow(f"{player.name} is not in this round.", field="one", given=player.name)
    swapped = {a.name: b.name, b.name: a.name}
    return _with(
        contest,
        [replace(p, players=tuple(swapped.get(name, name) for name in p.players)) for p in pairs],
    )


def put_proposal(contest: Contest, pairs: Sequence[Pair]) -> Contest:
    """The proposal as a list says it; the list was checked before."""
    return _with(contest, pairs)


# -- publishing ------------------------------------------------------------------------------------------


def publish(contest: Contest, number: int, at: str, codes: Mapping[int, str]) -> Contest:
    """What was proposed is played now.

    :param codes: the tables that were founded for it, by their numbers
    """
    found = proposal_of(contest)
    if found.number != number:
        raise NotNow(f"Round {number} is published already.")
    pairs = tuple(replace(p, code=codes.get(p.table, "")) if not p.is_bye else p for p in found.pairs)
    return replace(contest, rounds=(*contest.published, replace(found, pairs=pairs, published=at)))


# -- results by hand -------------------------------------------------------------------------------------


def pair_at(contest: Contest, number: int, table: int) -> Pair:
    """A table of a published round."""
    for one in contest.published:
        for pair in one.tables:
            if (one.number, pair.table) == (number, table):
                return pair
    raise Unknown(f"Round {number} has no table {table}.", field="table", given=table)


def correct(contest: Contest, number: int, table: int, said: Correction | None) -> Contest:
    """Say what a table came to, with the reason; None leaves it to the table's own report again."""
    pair_at(contest, number, table)
    others = {name: kept for name, kept in contest.results.items() if name != key(number, table)}
    if said is None:
        return replace(contest, results=others)
    if not said.reason.strip():
        raise Unreadable("Say why: whoever asks later will want to know.", field="reason")
    return replace(contest, results={**others, key(number, table): said})
