"""The judge's pages: who waits for one, what a table is about at a glance, and the answer, which goes into its log.

They show what a watcher may see, and a side's own things only while that side lets the judge see them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from flask import Response, make_response, render_template, request

from companion.engine.errors import Mistake, NotYours, Unreadable
from companion.engine.people.talk import SHOWN
from companion.hall.board import Wanted, rows
from companion.hall.telling import JUDGE, tell
from companion.tables.log import Entry
from companion.web.current import desk, held, tables
from companion.web.desk.blueprint import bp
from companion.web.hall import ago
from companion.web.moment import Moment
from companion.web.page import see_other
from companion.web.seats import WATCH, DeviceVisit, visit

LINES, LINES_OF_ONE = 15, 12
RULING, RULE = 300, 20
RULE_NUMBER = re.compile(r"\b[A-Z]?\d{1,2}(?:\.\d{1,3})+[a-z]?\b")


@bp.get("/judge")
def judge_list() -> str:
    """The tables that wait for a judge, longest first; the others below."""
    found = rows(tables().store.tables(), desk().state().by_code, tables().systems, held("ages"))
    return render_template(
        "desk/judges.html",
        called=Wanted(shown="judge").of(found),
        others=[row for row in Wanted(order="table").of(found) if row.state not in ("judge", "ended")],
        ago=ago,
    )


@bp.get("/judge/<code>")
def judge_page(code: str) -> Response:
    """What a table is about: the call, the rules, what is owed, the last battle, the log."""
    return _page(code)


def _looking(code: str, seat: str) -> DeviceVisit:
    """A look at a table from a seat that shows itself to the judge, or from beside it."""
    found = visit(code, seat or WATCH)
    if seat and seat not in found.game[SHOWN]:
        raise NotYours(
            f"{found.game.side_name(seat[:40])} does not show its side to the judge. Its player can, under More.",
            given=seat[:40],
        )
    return found


def _page(code: str, mistake: Mistake | None = None) -> Response:
    here = _looking(code, request.args.get("as", ""))
    log = here.view.guard.part("The log", lambda: here.log(LINES, most=LINES_OF_ONE), [])
    table = desk().state().by_code.get(here.code)
    page = render_template(
        "desk/judge.html",
        v=here.view,
        code=here.code,
        seat=here.seat,
        table=table,
        log=log,
        moment=Moment(here.view, log),
        fights=list(reversed(here.view.battles)),
        rules=_at_issue(here, log),
        shows=[side for side in here.view.sides if side.id in here.game[SHOWN]],
        waiting=here.row.summary.get("judge_since", ""),
        error=mistake,
        sent=request.form if mistake else {},
    )
    return make_response(page, mistake.status if mistake else 200)


def _at_issue(here: DeviceVisit, log: Iterable[Entry]) -> list[str]:
    """The rules that it may be about, the likeliest first: named in the call, of what is open, of what happened last."""
    view = here.view
    found = RULE_NUMBER.findall(view.judge)
    found += [ask.rule for ask in view.asked]
    for fight in reversed(view.battles):
        if fight.sheet:
            found += [line.rule for line in (*fight.sheet.lines, *fight.sheet.effects)]
    found += [view.phase.rule, *(entry.rule for entry in log if not entry.undone)]
    return list(dict.fromkeys(rule for rule in found if rule))[:12]


@bp.post("/judge/<code>")
def rule(code: str) -> Response:
    """Write the judge's answer into the table's log, and end the call."""
    here = _looking(code, "")
    words = " ".join(request.form.get("ruling", "").split())
    number = " ".join(request.form.get("rule", "").split())
    try:
        if not words:
            raise Unreadable("the answer is missing: it goes into the table's log", field="ruling")
        if len(words) > RULING or len(number) > RULE:
            most = f"{RULING} letters for the answer, {RULE} for the rule's number"
            raise Unreadable(f"that is too long: at most {most}", field="ruling", accepted=most)
        tell(tables(), here.code, f"Judge: {words}{f' [{number}]' if number else ''}", by=JUDGE)
        if here.view.judge and "settled" in request.form:
            tables().act(here.code, "table", "judge-has-been", {})
    except Mistake as mistake:
        return _page(code, mistake)
    return see_other(f"/desk/judge/{here.code}?done=yes")
