"""The organiser's page of standings: what a level is worth, who stands where, and the lists to take home."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Response, render_template, request, url_for

from companion.engine.errors import Unreadable
from companion.hall.lists import amount, write_standings
from companion.hall.rounds import Contest, ranking
from companion.hall.standings import Level, Points, Standing
from companion.limits import HALL_LEVELS, PLAYER
from companion.web.desk.blueprint import bp
from companion.web.desk.contest import Trouble, attempted, change, contest, csv, reports

MOST = 1000
EMPTY_ROWS = 3


def all_standings(now: Contest) -> dict[str, list[Standing]]:
    """Every tournament's standings."""
    results = reports().matches(now)
    return {one.name: ranking(now, results, one.name) for one in now.tournaments}


@bp.get("/standings")
def standings() -> str:
    """Who stands where, and the points that a result is worth."""
    return _page()


def _page(trouble: Trouble | None = None) -> str:
    now = contest()
    lines = reports().lines(now)
    told = sorted(
        {line.result.level for line in lines if line.result and line.result.winner and line.result.level}
    )
    points = now.points
    rows: list[dict[str, Any]] = [
        {"word": one.word, "win": amount(one.win), "loss": amount(one.loss)} for one in points.levels
    ]
    if trouble is not None:  # what was typed
        rows = [dict(zip(("word", "win", "loss"), row, strict=True)) for row in _typed()]
    empty = {"word": "", "win": "", "loss": ""}
    return render_template(
        "desk/standings.html",
        tables=all_standings(now),
        open=sum(line.result is None for line in lines),
        amount=amount,
        points={name: request.form.get(name, amount(getattr(points, name))) for name in PLAIN},
        levels=[*rows, *[empty] * (EMPTY_ROWS if len(rows) < HALL_LEVELS else 0)],
        told=[level for level in told if not any(known.covers(level) for known in points.levels)],
        trouble=trouble,
    )


@bp.get("/standings.csv")
def standings_csv() -> Response:
    """The standings of every tournament."""
    return csv(write_standings(all_standings(contest())), "standings")


# -- points ----------------------------------------------------------------------------------------------

PLAIN = {"win": "a victory", "draw": "a draw", "loss": "a defeat", "bye": "a bye"}


def _typed() -> list[tuple[str, str, str]]:
    """The rows of levels as they were sent, empty ones left out."""
    columns = (request.form.getlist(name) for name in ("word", "level-win", "level-loss"))
    rows = [(w.strip(), a.strip(), b.strip()) for w, a, b in zip(*columns, strict=False)]
    return [row for row in rows if any(row)]


def _amount(text: str, what: str, wrong: list[str]) -> float:
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = -1.0
    if not (0 <= value <= MOST and value * 2 == int(value * 2)):
        wrong.append(f"{text[:20]!r} for {what}: whole or half points, 0 to {MOST}.")
        return 0.0
    return value


def _points() -> Points:
    """The points of the form.

    :raises Unreadable: with everything that is wrong
    """
    wrong: list[str] = []
    plain = {name: _amount(request.form.get(name, ""), words, wrong) for name, words in PLAIN.items()}
    levels = []
    for word, win, loss in _typed()[: HALL_LEVELS + 1]:
        if not word or len(word) > PLAYER:
            wrong.append(f"{word[:20]!r} is no level: a word of 1 to {PLAYER} characters.")
        levels.append(
            Level(
                word,
                _amount(win, f"the winner at {word!r}", wrong),
                _amount(loss, f"the loser at {word!r}", wrong),
            )
        )
    if len(levels) > HALL_LEVELS:
        wrong.append(f"At most {HALL_LEVELS} levels.")
    if wrong:
        raise Unreadable(" ".join(wrong), field="points")
    return Points(**plain, levels=tuple(levels))


@bp.post("/standings")
def put_points() -> Response:
    """Say what results are worth; the standings follow at once."""

    def do() -> None:
        points = _points()
        change(lambda now: replace(now, points=points))

    return attempted(do, url_for("desk.standings"), _page)
