"""The form of every action with its live preview, what comes of sending it, and worksheets to play with."""

from __future__ import annotations

from typing import Any

from flask import Response, make_response, render_template, request, url_for

from companion.engine.errors import Mistake, NotYours, Several, Unknown
from companion.engine.play.actions import Action, describe_fields
from companion.engine.play.worksheet import Breakdown
from companion.engine.seat.shapes import sheet_of
from companion.tables.tables import Answer
from companion.web.formfield import form_fields
from companion.web.intake import number
from companion.web.page import form_values, is_htmx, live_template, page_context, see_other, target
from companion.web.play import bp
from companion.web.seats import DeviceVisit, require


def _sheet(
    visit: DeviceVisit,
    action: Action,
    raw: dict[str, Any],
    mistake: Mistake | None = None,
    status: int = 200,
) -> tuple[str, int]:
    """An action's form with its live preview."""
    errors, general = _told(mistake, action.fields)
    given = _plain(raw)
    context = {
        "code": visit.code,
        "seat": visit.seat,
        "v": visit.view,
        "action": action,
        "preview": _preview(visit, action, given) if mistake is None else None,
        "fields": form_fields(action.describe(visit.context, given), errors),
        "error": general,
        "ask": raw.get("_asked", ""),
        "rev": request.values.get("rev") or visit.row.revision,
    }
    if is_htmx():
        return render_template("action_sheet.html", page=False, **context), status
    return render_template("action.html", page=True, **context), status


def _told(mistake: Mistake | None, fields: Any) -> tuple[dict[str, str], str]:
    """What is wrong with each field, and what with none in particular."""
    wrong = mistake.mistakes if isinstance(mistake, Several) else [mistake] if mistake else []
    errors = {m.field: m.message for m in wrong if m.field in fields}
    return errors, "; ".join(m.message for m in wrong if m.field not in fields)


def _preview(visit: DeviceVisit, action: Action, given: dict[str, Any]) -> Breakdown | None:
    """What the action's worksheet says so far; None while not enough is filled in."""
    if action.worksheet is None:
        return None
    try:
        return visit.view.guard.part(
            action.worksheet.title, lambda: visit.preview(action.name, given), None, Mistake
        )
    except Mistake:
        return None


def _plain(raw: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in raw.items() if not k.startswith("_")}


@bp.route("/t/<code>/<seat>/do/<name>", methods=["GET"])
def action_form(code: str, seat: str, name: str) -> tuple[str, int]:
    """The form of an action."""
    visit = require(code, seat)
    action = visit.rules.find(name)
    refused = action.refusal(visit.game, seat)
    if refused is not None:
        raise refused
    return _sheet(visit, action, _first_values(visit, action, form_values()))


def _first_values(visit: DeviceVisit, action: Action, raw: dict[str, Any]) -> dict[str, Any]:
    """What the form will show when it opens, so that its first preview speaks of the same."""
    rows = action.describe(visit.context, _plain(raw))
    shown = {row["name"]: row["value"] for row in rows if row["value"] not in (None, "", [], False)}
    return {**shown, **raw}


@bp.post("/t/<code>/<seat>/preview/<name>")
def action_preview(code: str, seat: str, name: str) -> tuple[str, int]:
    """The form again, with what the worksheet says to what has been typed so far."""
    visit = require(code, seat)
    action = visit.rules.find(name)
    refused = action.refusal(visit.game, seat)
    if isinstance(refused, NotYours):
        raise refused  # a form offers choices that only its own seat may see
    return _sheet(visit, action, form_values())


@bp.post("/t/<code>/<seat>/do/<name>")
def do_action(code: str, seat: str, name: str) -> Response | tuple[str, int] | str:
    """Carry out an action."""
    visit = require(code, seat)
    raw = form_values()
    if name == "enter-result" and "_asked" in raw:
        raw["ask"] = raw.pop("_asked")
    sent = request.values
    try:
        answer = visit.act(
            name, raw, action_id=sent.get("action_id", ""), revision=number(sent.get("rev", ""))
        )
    except Mistake as mistake:
        return _refused(visit, name, raw, mistake)
    return _done(visit, name, answer)


def _refused(
    visit: DeviceVisit, name: str, raw: dict[str, Any], mistake: Mistake
) -> Response | tuple[str, int]:
    action = visit.rules.actions.get(name.replace("_", "-"))
    from_sheet = not is_htmx() or target() == "sheet"
    if action is not None and action.fields and from_sheet and not isinstance(mistake, NotYours):
        return _sheet(visit, action, raw, mistake, mistake.status if mistake.status in {409, 422} else 422)
    message = mistake.message
    if is_htmx() and target() == "live":
        body = render_template(live_template(visit.seat), **page_context(visit, message, bad=True))
        return body, 409
    if is_htmx():
        body = render_template("sheet_error.html", message=message, code=visit.code, seat=visit.seat)
        return body, 409
    return render_template("error.html", message=message, status=mistake.status), mistake.status


def _done(visit: DeviceVisit, name: str, answer: Answer) -> Response | str:
    if is_htmx() and target() == "live":
        toast = answer.lines[0] if answer.lines else ""
        return render_template(live_template(visit.seat), **page_context(visit, toast))
    context = {
        "code": visit.code,
        "seat": visit.seat,
        "answer": answer,
        "result": sheet_of(answer.result) if answer.result else None,
        "action": visit.rules.find(name),
        "v": visit.view,
    }
    if is_htmx():
        waiting = any(a.mine for a in visit.view.asked)
        over = "tap" in request.values and not answer.result and not waiting
        # A tap on a prompt that leaves nothing to read or to do closes the sheet it stood in.
        response = make_response("" if over else render_template("done_sheet.html", page=False, **context))
        response.headers["HX-Trigger"] = "table-changed"
        return response
    if answer.result:
        return render_template("done.html", page=True, **context)
    back = request.values.get("back", "")
    # never a page elsewhere, never a header
    own = back.startswith(f"/t/{visit.code}/{visit.seat}") and back.isprintable()
    home = url_for("play.seat_page", code=visit.code, seat=visit.seat)
    return see_other(back if own else home)


@bp.route("/t/<code>/<seat>/sheet/<name>", methods=["GET", "POST"])
def worksheet_page(code: str, seat: str, name: str) -> tuple[str, int]:
    """A worksheet to play with; nothing is recorded."""
    visit = require(code, seat)
    sheets = visit.rules.worksheets
    if name not in sheets:
        raise Unknown(f"There is no worksheet {name[:40]!r}: {', '.join(sheets)}", given=name)
    sheet, raw, context = sheets[name], form_values(), visit.context
    wrong: Mistake | None = None
    preview = None
    try:
        preview = visit.view.guard.part(sheet.title, lambda: sheet.work(raw, context), None, Mistake)
    except Mistake as mistake:
        wrong = mistake if raw else None  # before anything is filled in, nothing is wrong yet
    errors, general = _told(wrong, sheet.fields)
    body = render_template(
        "worksheet.html",
        sheet=sheet,
        fields=form_fields(describe_fields(sheet.fields, sheet.defaults, context, raw), errors),
        preview=preview,
        error=general,
        **page_context(visit),
    )
    return body, 422 if wrong and request.method == "POST" and not is_htmx() else 200
