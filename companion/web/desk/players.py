"""The organiser's page of tournaments and players."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Response, render_template, request, url_for

from companion.engine.errors import Unreadable
from companion.hall import editing
from companion.hall.adopting import renamed
from companion.hall.desk import Hall
from companion.hall.listing import read_settings
from companion.hall.lists import read_players, write_players
from companion.hall.rounds import Contest, Tournament, history
from companion.web.current import desk, tables
from companion.web.desk.blueprint import bp
from companion.web.desk.contest import (
    Trouble,
    attempted,
    change,
    contest,
    csv,
    game_words,
    games,
    reports,
    sent,
)


@bp.get("/players")
def players() -> str:
    """Tournaments, who plays in them, and the list to paste."""
    return _page()


def _page(trouble: Trouble | None = None, text: str = "") -> str:
    now = contest()
    behind = history(now, reports().sides)
    wanted = request.args.get("player", "")
    chosen = now.player(wanted) if wanted else None
    listed: list[dict[str, Any]] = [
        {
            "name": one.name,
            "choice": f"{one.system}/{one.scenario}",
            "game": game_words(one.system, one.scenario),
            "options": " ".join(f"{k}={v}" for k, v in one.options.items()),
            "players": now.entered(one.name),
        }
        for one in now.tournaments
    ]
    return render_template(
        "desk/players.html",
        tournaments=listed,
        total=len(now.players),
        games=games(),
        chosen=chosen,
        seats=behind.get(chosen.name, []) if chosen else [],
        played={name for name, seats in behind.items() if seats},
        trouble=trouble,
        text=text,
    )


def _here() -> str:
    return url_for("desk.players")


@bp.post("/players")
def enter_players() -> Response:
    """Enter everybody of a list, or nobody."""
    text = sent()
    return attempted(
        lambda: change(lambda now: read_players(now, text)), _here(), lambda trouble: _page(trouble, text)
    )


@bp.get("/players.csv")
def players_csv() -> Response:
    """Everybody who entered."""
    return csv(write_players(contest()), "players")


@bp.post("/players/one")
def change_player() -> Response:
    """Rename somebody, let him sit out or come back, or strike him out."""
    name, do = request.form.get("player", ""), request.form.get("do", "")

    def by_hand(hall: Hall) -> Hall:
        old = hall.contest.player(name)
        if do == "drop":
            return _with(hall, editing.drop_player(hall.contest, name))
        if do in ("out", "in"):
            return _with(hall, editing.put_player(hall.contest, name, out=do == "out"))
        new = " ".join(request.form.get("new", "").split())
        return renamed(
            _with(hall, editing.put_player(hall.contest, name, new=new)), old.name, new or old.name
        )

    return attempted(lambda: desk().change(by_hand), _here(), _page)


def _with(hall: Hall, now: Contest) -> Hall:
    return replace(hall, contest=now)


@bp.post("/players/tournament")
def change_tournament() -> Response:
    """Enter a tournament, change one, or strike one out."""
    was = request.form.get("was", "")

    def do() -> None:
        if request.form.get("do") == "drop":
            change(lambda now: editing.drop_tournament(now, was))
        else:
            wanted = _tournament()
            change(lambda now: editing.put_tournament(now, wanted, was))

    return attempted(do, _here(), _page)


def _tournament() -> Tournament:
    system, _, scenario = request.form.get("scenario", "").partition("/")
    kit = tables().system(system).kit
    if scenario not in kit.scenarios:
        raise Unreadable(f"{kit.system.name} has no scenario {scenario[:40]!r}.", field="scenario")
    options, wrong = read_settings(request.form.get("options", ""))
    if wrong:
        raise Unreadable(" ".join(wrong), field="options")
    return Tournament(request.form.get("name", "").strip() or kit.system.name, system, scenario, options)
