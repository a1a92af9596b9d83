"""Tables and rounds kept in step: tables from the organiser's list as a round, names and numbers that change later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from companion.engine.errors import NotNow
from companion.hall.desk import Hall
from companion.hall.roll import HallTable
from companion.hall.rounds import Contest, Pair, Player, Round, Tournament, key, same


def adoptable(hall: Hall) -> list[HallTable]:
    """Tables that could be the first round: two names each, and no round was paired yet."""
    if hall.contest.rounds:
        return []
    return [t for t in hall.tables if not t.round and t.state != "closed" and len(t.players) == 2]


def adopt(hall: Hall, game: Callable[[str], str], at: str) -> Hall:
    """Take them as round 1, with a tournament for each game and everybody entered who sits there.

    :param game: a game's name by its id
    """
    found = adoptable(hall)
    if not found:
        raise NotNow("There is no table with two players that belongs to no round.")
    contest = hall.contest
    for table in found:
        contest = _entered(contest, table, game(table.system))
    pairs = tuple(
        Pair(
            contest.player(first).tournament,
            table.system,
            table.scenario,
            (contest.player(first).name, contest.player(second).name),
            table.number,
            table.code,
        )
        for table in sorted(found, key=lambda t: t.number)
        for first, second in [tuple(table.players.values())]
    )
    codes = {table.code for table in found}
    return replace(
        hall,
        contest=replace(contest, rounds=(Round(1, pairs, at),)),
        tables=tuple(replace(t, round=1) if t.code in codes else t for t in hall.tables),
    )


def _entered(contest: Contest, table: HallTable, game: str) -> Contest:
    """With both players of a table, in the tournament of its game."""
    there = [one for one in contest.tournaments if one.system == table.system]
    tournament = there[0] if there else Tournament(game, table.system, table.scenario)
    new = [n for n in table.players.values() if same(n) not in contest.by_name]
    return replace(
        contest,
        tournaments=contest.tournaments if there else (*contest.tournaments, tournament),
        players=(*contest.players, *(Player(name, tournament.name) for name in new)),
    )


def follow(contest: Contest, table: HallTable) -> Contest:
    """The rounds after a table of one got another number or other players; players who entered nowhere are left out."""
    rounds = []
    results = dict(contest.results)
    for one in contest.rounds:
        pairs = list(one.pairs)
        for place, pair in enumerate(pairs):
            if table.code and pair.code == table.code:
                known = [contest.by_name.get(same(name)) for name in table.players.values()]
                names = tuple(player.name for player in known if player is not None)
                pairs[place] = replace(
                    pair, table=table.number, players=names if len(names) == 2 else pair.players
                )
                said = results.pop(key(one.number, pair.table), None)
                results |= {key(one.number, table.number): said} if said else {}
        rounds.append(replace(one, pairs=tuple(pairs)))
    return replace(contest, rounds=tuple(rounds), results=results)


def renamed(hall: Hall, old: str, new: str) -> Hall:
    """The roll after a player got another name."""
    return replace(
        hall,
        tables=tuple(
            replace(t, players={side: new if name == old else name for side, name in t.players.items()})
            for t in hall.tables
        ),
    )
