"""What the organiser's pages about players, rounds and standings share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flask import Response, current_app, make_response, request

from companion.books.spreadsheet import decode
from companion.engine.errors import Mistake
from companion.hall.desk import Hall
from companion.hall.founding import BadList, Problem
from companion.hall.results import Line, Reports
from companion.hall.rounds import Contest
from companion.web.current import desk, tables
from companion.web.page import see_other


def reports() -> Reports:
    """What finished tables report, as this process has read it."""
    found: Reports = current_app.extensions["companion"].setdefault("reports", Reports(tables()))
    return found


def contest() -> Contest:
    return desk().state().contest


def change(how: Callable[[Contest], Contest]) -> Hall:
    """Change tournaments, rounds or results, in one transaction."""
    return desk().change(lambda hall: replace(hall, contest=how(hall.contest)))


@dataclass(frozen=True)
class Trouble:
    """Why something was not done, for the top of the page it was asked from."""

    problems: Sequence[Problem]
    status: int = 422


def attempted(do: Callable[[], object], done: str, page: Callable[[Trouble], str]) -> Response:
    """Do something and go on to an address; where it was refused, the page again with everything that is wrong."""
    try:
        do()
    except BadList as bad:
        trouble = Trouble(bad.problems)
    except Mistake as mistake:
        trouble = Trouble([Problem(0, mistake.message)], mistake.status)
    else:
        return see_other(done)
    return make_response(page(trouble), trouble.status)


def sent(name: str = "list") -> str:
    """A list, from the file if one was sent."""
    file = request.files.get("file")
    return decode(file.read()) if file is not None and file.filename else request.form.get(name, "")


def csv(text: str, name: str) -> Response:
    """A spreadsheet to be saved."""
    response = make_response(text)
    response.headers["Content-Type"] = "text/csv; charset=utf-8"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    response.headers["Cache-Control"] = "no-store"
    return response


# -- words for templates ---------------------------------------------------------------------------------


def games() -> dict[str, dict[str, str]]:
    """Every game's scenarios by id, for a choice: {game: {id/id: name}}."""
    return {
        system.kit.system.name: {f"{system.id}/{one.id}": one.name for one in system.kit.scenarios.values()}
        for system in tables().systems.values()
    }


def game_words(system: str, scenario: str) -> str:
    """Game and scenario in words; their ids where the game is not on this shelf."""
    found = tables().systems.get(system)
    if found is None:
        return f"{system}, {scenario}"
    known = found.kit.scenarios.get(scenario)
    return f"{found.kit.system.name}, {known.name if known else scenario}"


def seats(line_sides: Sequence[str], system: str, players: Sequence[str]) -> list[dict[str, Any]]:
    """Players with their sides as a template draws them."""
    found = tables().systems.get(system)
    names = {side.id: side.name for side in found.kit.system.sides} if found else {}
    return [
        {"id": side, "name": names.get(side, side), "player": player}
        for side, player in zip(line_sides, players, strict=True)
    ]


def shown(line: Line) -> dict[str, Any]:
    """A table of a round as pages show it."""
    found, pair = line.result, line.pair
    state = "told" if line.correction else "done" if found else "count" if line.report else "open"
    return {
        "round": line.round,
        "table": pair.table,
        "code": pair.code,
        "tournament": pair.tournament,
        "game": game_words(pair.system, pair.scenario),
        "seats": [
            {
                **seat,
                "won": bool(found) and seat["id"] == (found.winner if found else ""),
                "vp": found.vp.get(seat["id"]) if found else None,
            }
            for seat in seats(line.sides, pair.system, pair.players)
        ],
        "drawn": found is not None and not found.winner,
        "level": found.level if found else "",
        "why": line.report.why if line.report else "",
        "minutes": line.report.minutes if line.report else None,
        "clock": [round(line.report.clock.get(side, 0) / 60) for side in line.sides]
        if line.report and line.report.clock
        else [],
        "reason": line.correction.reason if line.correction else "",
        "state": state,
        "gone": line.row is None,
    }
