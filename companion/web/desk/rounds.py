"""The organiser's page of rounds: pair, change by hand, publish, see results come in, correct them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from flask import Response, render_template, request, url_for

from companion.engine.errors import NotNow, Unknown
from companion.hall import editing
from companion.hall.adopting import adopt, adoptable
from companion.hall.editing import proposal_of
from companion.hall.founding import BadList, Problem
from companion.hall.lists import read_pairs, read_result, read_results, write_pairs, write_results
from companion.hall.publishing import publish_round
from companion.hall.results import Line
from companion.hall.rounds import Contest, Pair, Round, history, propose
from companion.web.current import desk, tables
from companion.web.desk.blueprint import bp
from companion.web.desk.contest import (
    Trouble,
    attempted,
    change,
    contest,
    csv,
    game_words,
    reports,
    seats,
    sent,
    shown,
)
from companion.web.intake import number

_lots = random.SystemRandom()


def _here(**more: Any) -> str:
    return url_for("desk.rounds", **more)


@bp.get("/rounds")
def rounds() -> str:
    """The round that is proposed or played; ?round=1 an earlier one."""
    return _page()


def _page(trouble: Trouble | None = None, text: str = "") -> str:
    now = contest()
    wanted = number(request.args.get("round"))
    one = next((r for r in now.rounds if r.number == wanted), now.rounds[-1] if now.rounds else None)
    lines = reports().lines(now, [one]) if one and one.published else []
    return render_template(
        "desk/rounds.html",
        round=one,
        rounds=now.rounds,
        proposal=_proposed(now, one) if one and not one.published else None,
        lines=[shown(line) for line in lines],
        byes=[pair.players[0] for pair in one.pairs if pair.is_bye] if one else [],
        missing=sum(line.result is None for line in lines),
        following=len(now.rounds) + 1,
        is_last=one is not None and one is now.rounds[-1],
        inside=sum(not player.out for player in now.players),
        lists=len(adoptable(desk().state())),
        trouble=trouble,
        text=text,
    )


def _proposed(now: Contest, one: Round) -> dict[str, Any]:
    """What the organiser looks over before publishing: who meets again, who is on the same side again."""
    behind = history(now, reports().sides)

    def pair_words(pair: Pair) -> dict[str, Any]:
        sides = reports().sides(pair.system)
        again = [seat.round for seat in behind.get(pair.players[0], ()) if seat.opponent == pair.players[1]]
        found = seats(sides, pair.system, pair.players)
        for seat in found:
            past = [kept.side for kept in behind.get(seat["player"], ()) if kept.side]
            seat["again"] = bool(past) and past[-1] == seat["id"]
        return {
            "table": pair.table,
            "tournament": pair.tournament,
            "game": game_words(pair.system, pair.scenario),
            "seats": found,
            "again": again,
        }

    everybody = sorted((name for pair in one.pairs for name in pair.players), key=str.casefold)
    return {"pairs": [pair_words(p) for p in one.tables], "names": everybody, "list": write_pairs(one.pairs)}


# -- the next round --------------------------------------------------------------------------------------


@bp.post("/rounds/pair")
def pair_round() -> Response:
    """Propose the next round; tables without a result are told of first."""

    def do() -> None:
        now = contest()
        waiting = [line for line in reports().lines(now) if line.result is None]
        if waiting and "anyway" not in request.form:
            where = ", ".join(f"{line.pair.table}" for line in waiting[:12])
            more = f" and {len(waiting) - 12} more" if len(waiting) > 12 else ""
            raise NotNow(f"No result yet of table {where}{more}: pair when they are in, or pair anyway.")
        results = reports().matches(now)
        change(lambda kept: propose(kept, results, reports().sides, _shuffled))

    return attempted(do, _here(), _page)


def _shuffled(names: Sequence[str]) -> list[str]:
    return _lots.sample(list(names), len(names))


@bp.post("/rounds/change")
def change_round() -> Response:
    """Change the proposal: two players' places, the sides at a table, or all of it by a list."""
    do, text = request.form.get("do", ""), ""
    if do.startswith("turn-"):
        table = number(do.removeprefix("turn-")) or 0
        return attempted(lambda: change(lambda now: editing.turn(now, table)), _here(), _page)
    if do == "exchange":
        one, other = request.form.get("one", ""), request.form.get("other", "")
        return attempted(lambda: change(lambda now: editing.exchange(now, one, other)), _here(), _page)
    if do == "discard":
        return attempted(lambda: change(editing.discard), _here(), _page)
    text = sent()
    known = {name: tuple(system.kit.scenarios) for name, system in tables().systems.items()}

    def by_list(now: Contest) -> Contest:
        proposal_of(now)
        return editing.put_proposal(now, read_pairs(now, text, known))

    return attempted(lambda: change(by_list), _here(), lambda trouble: _page(trouble, text))


@bp.post("/rounds/publish")
def publish() -> Response:
    """Found the proposed round's tables, all or none; from then on it counts."""
    wanted = number(request.form.get("round")) or 0
    return attempted(lambda: publish_round(tables(), desk(), wanted), _here(), _page)


@bp.post("/rounds/adopt")
def adopt_tables() -> Response:
    """Take the tables of the organiser's list as round 1."""

    def name(system: str) -> str:
        return tables().system(system).kit.system.name

    at = tables().clock()
    return attempted(lambda: desk().change(lambda hall: adopt(hall, name, at)), _here(), _page)


@bp.get("/rounds/<int:which>.csv")
def round_csv(which: int) -> Response:
    """Who plays whom in a round."""
    one = next((r for r in contest().rounds if r.number == which), None)
    if one is None:
        raise Unknown(f"There is no round {which}.")
    return csv(write_pairs(one.pairs), f"round-{which}")


# -- results ---------------------------------------------------------------------------------------------


def _line(which: int, table: int) -> Line:
    now = contest()
    editing.pair_at(now, which, table)
    one = next(r for r in now.published if r.number == which)
    return next(line for line in reports().lines(now, [one]) if line.pair.table == table)


@bp.get("/rounds/<int:which>/<int:table>")
def result_form(which: int, table: int) -> str:
    """What a table came to, and the form that says otherwise."""
    return _result_page(_line(which, table))


def _result_page(line: Line, trouble: Trouble | None = None) -> str:
    found, form = line.result, request.form
    draw = found is not None and not found.winner
    given = {
        "winner": form.get("winner", "draw" if draw else found.winner if found else ""),
        "level": form.get("level", found.level if found else ""),
        "reason": form.get("reason", line.correction.reason if line.correction else ""),
    }
    for place, side in enumerate(line.sides, 1):
        given[f"vp{place}"] = form.get(f"vp-{place}", str(found.vp.get(side, "")) if found else "")
    return render_template("desk/result.html", line=shown(line), given=given, trouble=trouble)


@bp.post("/rounds/<int:which>/<int:table>")
def correct_result(which: int, table: int) -> Response:
    """Say what a table came to, and why; or leave it to the table again."""
    line = _line(which, table)

    def do() -> None:
        if request.form.get("do") == "table":
            change(lambda now: editing.correct(now, which, table, None))
            return
        said, wrong = read_result(
            line, lambda column: request.form.get(column.replace(" ", "-"), ""), tables().clock()
        )
        if wrong or said is None:
            raise BadList(Problem(0, words) for words in wrong)
        change(lambda now: editing.correct(now, which, table, said))

    return attempted(do, _here(round=which), lambda trouble: _result_page(line, trouble))


@bp.get("/results.csv")
def results_csv() -> Response:
    """Every table of every published round."""
    return csv(write_results(reports().lines(contest())), "results")


@bp.post("/results")
def enter_results() -> Response:
    """Results from a list: what is new or different becomes the organiser's word."""
    text = sent()

    def do() -> None:
        said = read_results(reports().lines(contest()), text, tables().clock())

        def enter(now: Contest) -> Contest:
            for (which, table), one in said.items():
                now = editing.correct(now, which, table, one)
            return now

        change(enter)

    return attempted(do, _here(), lambda trouble: _page(trouble, text))
