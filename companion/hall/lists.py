"""Players, rounds, results and standings as spreadsheets, written and read again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from companion.books.spreadsheet import write_table
from companion.engine.errors import Mistake, did_you_mean
from companion.hall.columns import Row, plain, read_rows
from companion.hall.founding import BadList, Problem
from companion.hall.results import Line
from companion.hall.rounds import Contest, Correction, Pair, Player, same
from companion.hall.standings import Standing
from companion.limits import HALL_NUMBER, HALL_PLAYERS, NOTE, NUMBER_DIGITS, PLAYER

MOST_VP = 9999


def amount(value: float | Fraction | None) -> str:
    """A number as it is read: 3, 2.5, 4.33."""
    if value is None:
        return ""
    exact = Fraction(value)
    shown = Decimal(exact.numerator) / Decimal(exact.denominator)
    text = str(shown.quantize(Decimal("0.01"), ROUND_HALF_UP))
    return text.rstrip("0").rstrip(".") if "." in text else text


def whole(text: str) -> int | None:
    """A whole number, with its sign; None for anything else."""
    text = text.strip().replace("\N{MINUS SIGN}", "-")
    digits = text.removeprefix("-").removeprefix("+")
    return int(text) if digits.isascii() and digits.isdecimal() and len(text) <= NUMBER_DIGITS else None


# -- players ---------------------------------------------------------------------------------------------

PLAYERS = ("player", "tournament")


def write_players(contest: Contest) -> str:
    """Everybody who entered."""
    lines = [[p.name, p.tournament, "sits out" if p.out else ""] for p in contest.players]
    return write_table([[*PLAYERS, "state"], *lines])


def read_players(contest: Contest, text: str) -> Contest:
    """Enter the players of a list; those who are entered already stay as they are.

    :raises BadList: with everything that is wrong; then nobody was entered
    """
    rows, wrong = read_rows(text, PLAYERS, {"state": ""})
    seen: dict[str, int] = {}
    new: list[Player] = []
    for row in rows:
        player, words = _player(contest, row, seen)
        wrong += [Problem(row.line, word) for word in words]
        new += [player] if player and same(player.name) not in contest.by_name else []
    if len(contest.players) + len(new) > HALL_PLAYERS:
        wrong.append(Problem(0, f"That would be too many: at most {HALL_PLAYERS} players."))
    if not rows and not wrong:
        wrong.append(Problem(0, "There is no player in it."))
    if wrong:
        raise BadList(wrong)
    return replace(contest, players=(*contest.players, *new))


def _player(contest: Contest, row: Row, seen: dict[str, int]) -> tuple[Player | None, list[str]]:
    name, words = " ".join(row["player"].split()), list[str]()
    if not name:
        words.append("no player's name.")
    elif len(name) > PLAYER:
        words.append(f"the name {name[:20]!r}... is too long: at most {PLAYER} characters.")
    elif same(name) in seen:
        words.append(f"{name} stands in line {seen[same(name)]} already.")
    seen.setdefault(same(name), row.line)
    names = [one.name for one in contest.tournaments]
    tournament = names[0] if len(names) == 1 else ""
    if row["tournament"]:
        tournament = next((one for one in names if same(one) == same(row["tournament"])), "")
        if not tournament:
            near = did_you_mean(row["tournament"], names) or f" There is {', '.join(names) or 'none yet'}."
            words.append(f"there is no tournament {row['tournament'][:40]!r}.{near}")
    elif not tournament:
        words.append(f"which tournament? There is {', '.join(names) or 'none yet'}.")
    there = contest.by_name.get(same(name))
    if there and tournament and there.tournament != tournament:
        words.append(f"{name} plays in {there.tournament} already.")
    return Player(name, tournament), words


# -- a proposed round ------------------------------------------------------------------------------------

PAIRS = ("table", "player 1", "player 2", "scenario")


def write_pairs(pairs: Iterable[Pair]) -> str:
    """A round's tables; a bye has no table and no second player."""
    lines = [
        [str(p.table or ""), *p.players, *[""] * p.is_bye, p.scenario, p.tournament, p.system] for p in pairs
    ]
    return write_table([[*PAIRS, "tournament", "game"], *lines])


def read_pairs(contest: Contest, text: str, scenarios: Mapping[str, Sequence[str]]) -> list[Pair]:
    """A round as a list says it: everybody who is still in, once; who stands alone sits out.

    :param scenarios: those of each game
    :raises BadList: with everything that is wrong
    """
    rows, wrong = read_rows(text, PAIRS, {"tournament": "", "game": ""})
    pairs: list[Pair] = []
    seen: dict[str, int] = {}
    tables: dict[int, int] = {}
    for row in rows:
        found, words = _pair(contest, row, scenarios)
        for name in found.players if found else ():
            if name in seen:
                words.append(f"{name} stands in line {seen[name]} already.")
            seen.setdefault(name, row.line)
        if found and not found.is_bye:
            if found.table in tables:
                words.append(f"table {found.table} stands in line {tables[found.table]} already.")
            tables.setdefault(found.table, row.line)
        wrong += [Problem(row.line, word) for word in words]
        pairs += [found] if found else []
    if not wrong:  # a name that could not be read would be missed here once more
        missing = [p.name for p in contest.players if not p.out and p.name not in seen]
        wrong += [Problem(0, f"{name} is missing: give an opponent, or a line alone.") for name in missing]
    if wrong:
        raise BadList(wrong)
    return pairs


def _pair(
    contest: Contest, row: Row, scenarios: Mapping[str, Sequence[str]]
) -> tuple[Pair | None, list[str]]:
    words, players = list[str](), list[Player]()
    for column in ("player 1", "player 2"):
        if row[column]:
            try:
                players.append(contest.player(row[column]))
            except Mistake as mistake:
                words.append(mistake.message)
    words += [f"{player.name} sits out: bring the player back first." for player in players if player.out]
    if not players:
        return None, words or ["no player."]
    if len({player.tournament for player in players}) > 1:
        words.append(f"{players[0].name} and {players[1].name} play in different tournaments.")
    if len(players) == 2 and players[0] == players[1]:
        words.append(f"{players[0].name} cannot play against {players[0].name}.")
        players.pop()
    tournament = contest.tournament(players[0].tournament)
    scenario = row["scenario"] or tournament.scenario
    if scenario not in scenarios.get(tournament.system, ()):
        near = did_you_mean(scenario, scenarios.get(tournament.system, ()))
        words.append(f"{tournament.name} has no scenario {scenario[:40]!r}.{near}")
    table = whole(row["table"]) if row["table"] else 0
    if len(players) == 2 and not (table and 1 <= table <= HALL_NUMBER):
        words.append(f"{row['table'][:20]!r} is no table number: 1 to {HALL_NUMBER}.")
    names = tuple(player.name for player in players)
    known = tournament.name, tournament.system, scenario
    return Pair(*known, names, table or 0 if len(names) == 2 else 0), words


# -- results ---------------------------------------------------------------------------------------------

RESULTS = ("round", "table", "winner", "level", "vp 1", "vp 2", "reason")
BESIDE = (
    "tournament",
    "game",
    "scenario",
    "player 1",
    "side 1",
    "player 2",
    "side 2",
    "minutes",
    "clock 1",
    "clock 2",
    "told by",
    "code",
)
DRAW = "draw"


def write_results(lines: Iterable[Line]) -> str:
    """Every table of the published rounds with what it came to."""
    heads = [*RESULTS[:2], *BESIDE[:7], *RESULTS[2:6], *BESIDE[7:11], "reason", "code"]
    return write_table([heads, *map(_result, lines)])


def _result(line: Line) -> list[str]:
    found, pair = line.result, line.pair
    seats = [text for name, side in zip(pair.players, line.sides, strict=True) for text in (name, side)]
    told = [""] * 4
    if found is not None:
        told = [line.winner or DRAW, found.level, *(str(found.vp.get(side, "")) for side in line.sides)]
    took = ["", "", ""]
    if line.report is not None:
        clock = line.report.clock
        took = ["" if line.report.minutes is None else str(line.report.minutes)]
        took += [str(round(clock[side] / 60)) if side in clock else "" for side in line.sides]
    by = "organiser" if line.correction else "table" if found else ""
    reason = line.correction.reason if line.correction else ""
    about = [pair.tournament, pair.system, pair.scenario]
    return [str(line.round), str(pair.table), *about, *seats, *told, *took, by, reason, pair.code]


def read_results(lines: Iterable[Line], text: str, at: str) -> dict[tuple[int, int], Correction]:
    """What a list says otherwise than the tables and the organiser did before; a line without a winner says nothing.

    :raises BadList: with everything that is wrong
    """
    rows, wrong = read_rows(text, RESULTS, dict.fromkeys(BESIDE, ""))
    known = {(line.round, line.pair.table): line for line in lines}
    found: dict[tuple[int, int], Correction] = {}
    for row in rows:
        place = whole(row["round"]) or 0, whole(row["table"]) or 0
        line = known.get(place)
        if line is None:
            words = f"round {row['round'][:20] or '?'} has no table {row['table'][:20] or '?'}."
            wrong.append(Problem(row.line, words))
        elif row["winner"]:
            said, words_of_it = read_result(line, row.__getitem__, at)
            if said is not None and not words_of_it and not _same_result(said, line):
                if place in found:
                    words_of_it.append(f"round {place[0]}, table {place[1]} stands there twice.")
                elif not said.reason:
                    words_of_it.append("say why: the last column is the reason.")
                found[place] = said
            wrong += [Problem(row.line, words) for words in words_of_it]
    if wrong:
        raise BadList(wrong)
    return found


def read_result(line: Line, cell: Callable[[str], str], at: str) -> tuple[Correction | None, list[str]]:
    """A result as somebody writes it: the winner by name or side, or `draw`."""
    words = list[str]()
    winner = _winner(line, cell("winner"))
    if winner is None:
        names = ", ".join((*line.pair.players, *line.sides, DRAW))
        words.append(f"{cell('winner')[:40]!r} did not play there: {names}.")
    points: dict[str, int] = {}
    for column, side in zip(("vp 1", "vp 2"), line.sides, strict=True):
        if cell(column):
            value = whole(cell(column))
            if value is None or abs(value) > MOST_VP:
                words.append(f"{cell(column)[:20]!r} are no victory points: a whole number, or nothing.")
            else:
                points[side] = value
    level, reason = " ".join(cell("level").split()), " ".join(cell("reason").split())
    if len(level) > PLAYER:
        words.append(f"the level is too long: at most {PLAYER} characters.")
    if len(reason) > NOTE:
        words.append(f"the reason is too long: at most {NOTE} characters.")
    if words:
        return None, words
    return Correction(winner or "", level, points, reason, at), words


def _winner(line: Line, text: str) -> str | None:
    """A side, empty for a draw; None for somebody else."""
    if plain(text) in (DRAW, "nobody"):
        return ""
    called = {same(name): side for side, name in line.by_side.items()}
    return called.get(same(text)) or next((side for side in line.sides if same(side) == same(text)), None)


def _same_result(said: Correction, line: Line) -> bool:
    now = line.result
    if now is None:
        return False
    return (said.winner, said.level, said.vp) == (now.winner, now.level, dict(now.vp)) and (
        line.correction is None or said.reason == line.correction.reason
    )


# -- standings -------------------------------------------------------------------------------------------

STANDINGS = (
    "rank", "player", "tournament", "points", "played", "won", "drawn", "lost", "byes",
    "head to head", "opponents", "vp",
)  # fmt: skip


def write_standings(tables: Mapping[str, Sequence[Standing]]) -> str:
    """The standings of every tournament."""
    lines = [
        [
            str(s.rank), s.player, name, amount(s.points), *map(str, (s.played, s.won, s.drawn, s.lost, s.byes)),
            amount(s.head_to_head), amount(s.opponents), str(s.vp),
        ]
        for name, table in tables.items()
        for s in table
    ]  # fmt: skip
    return write_table([STANDINGS, *lines])
