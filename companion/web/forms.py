"""The form of every action with its live preview, what comes of sending it, and worksheets to play with."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from flask import Response, current_app, make_response, render_template, request, url_for

from companion.engine.errors import Mistake, NotYours, Several, StillOwed, Unknown, Warned
from companion.engine.forms.filling import describe_fields
from companion.engine.forms.worksheet import Breakdown
from companion.engine.play.actions import Action
from companion.engine.play.performing import answered_by
from companion.tables.submission import Answer
from companion.web import parts
from companion.web.dutycards import Question
from companion.web.exchange import asked
from companion.web.formfield import form_fields
from companion.web.intake import number
from companion.web.moment import Objection
from companion.web.openform import OpenForm
from companion.web.page import (
    Toast,
    form_values,
    is_elsewhere,
    is_htmx,
    page_context,
    screen,
    see_other,
    target,
    toast_of,
)
from companion.web.parts import macros
from companion.web.play import bp
from companion.web.pushing import hand_on, is_pushed
from companion.web.seats import DeviceVisit, require


def _sheet(
    visit: DeviceVisit,
    form: OpenForm,
    raw: dict[str, Any],
    mistake: Mistake | None = None,
    status: int = 200,
    touched: str = "",
    works: bool = True,
    whole: bool = True,
) -> tuple[str, int]:
    """An action's form with its live preview.

    :param touched: the fields that hold what a person chose, and that no first value replaces
    :param works: whether the action can be done now, so that its worksheet says something
    :param whole: whether all of it is drawn, or what the page has not got
    """
    action, warned = form.action, mistake if isinstance(mistake, Warned) else None
    errors, general = _told(None if warned else mistake, action.fields)
    base = f"/t/{visit.code}/{visit.seat}"
    preview = _preview(visit, form) if mistake is None and works else None
    drawn = form.drawn(errors, without="anyway" if warned else "")
    body = _bodies().body(action, base, drawn, preview, warned, visit.view.faults)
    if not whole and is_htmx():
        return body, status
    context = {
        "code": visit.code,
        "seat": visit.seat,
        "base": base,
        "v": visit.view,
        "action": action,
        "form": drawn,
        "body": body,
        "error": general,
        "ask": raw.get("_asked", ""),
        "touched": touched or raw.get("_touched", ""),
        "rev": request.values.get("rev") or visit.revision,
        **macros(),
    }
    if is_htmx():  # what Flask adds for a page is not looked at
        return current_app.jinja_env.get_template("action_sheet.html").render(context, page=False), status
    return render_template("action.html", page=True, **context), status


def _bodies() -> Any:
    """The macro that draws a form's fields with what its worksheet says."""
    return current_app.jinja_env.get_template("sheet_body.html").module


def _told(mistake: Mistake | None, fields: Any) -> tuple[dict[str, str], str]:
    """What is wrong with each field, and what with none in particular."""
    wrong = mistake.mistakes if isinstance(mistake, Several) else [mistake] if mistake else []
    errors = {m.field: m.message for m in wrong if m.field in fields}
    return errors, "; ".join(m.message for m in wrong if m.field not in fields)


def _preview(visit: DeviceVisit, form: OpenForm) -> Breakdown | None:
    """What the action's worksheet says so far; None while not enough is filled in."""
    sheet = form.action.worksheet
    if sheet is None or form.filled.mistakes:
        return None
    try:
        return visit.view.guard.part(sheet.title, form.work_out, None, Mistake)
    except Mistake:
        return None


@bp.route("/t/<code>/<seat>/do/<name>", methods=["GET"])
def action_form(code: str, seat: str, name: str) -> tuple[str, int]:
    """The form of an action."""
    visit = require(code, seat)
    raw = form_values()
    action, ctx = visit.form(name, raw)
    filled_in = " ".join(name for name in raw if not name.startswith("_"))
    return _sheet(visit, OpenForm(visit, action, ctx.duty).begin(raw), raw, touched=filled_in)


@bp.post("/t/<code>/<seat>/preview/<name>")
def action_preview(code: str, seat: str, name: str) -> tuple[str, int] | str:
    """The form again, with what the worksheet says to what has been typed so far; or a card's, with other fields."""
    visit = require(code, seat)
    action, raw = visit.rules.find(name), form_values()
    duty = answered_by(visit.game, action, seat, raw)
    refused = action.refusal(visit.game, seat, duty)
    if isinstance(refused, NotYours):
        raise refused  # a form offers choices that only its own seat may see
    form = OpenForm(visit, action, duty)
    if duty is not None and target() == f"body-{duty.id}":
        asked = next((a for a in visit.view.asked if a.id == duty.id), None)
        if asked is not None and asked.mine and asked.live:
            question = Question(asked, "form", form_fields(form.fill(raw).filled.rows, {}))
            return render_template("duty_form.html", q=question, base=f"/t/{visit.code}/{seat}")

    def draw() -> tuple[str, int]:
        form.begin(_touched(action, raw), but=("flag",))
        return _sheet(visit, form, raw, works=refused is None, whole=False)

    return form.again(raw, draw) if is_htmx() else draw()


def _touched(action: Action, raw: dict[str, Any]) -> dict[str, Any]:
    """What a person filled in: a first value that follows from other answers is worked out anew while nobody touched it."""
    told = raw.get("_touched")
    if told is None:  # without JavaScript nobody knows
        return raw
    names = {name.partition(".")[0] for name in str(told).split()}
    follows = {name for name, field in action.fields.items() if field.start and field.type != "flag"}
    return {name: value for name, value in raw.items() if name in names or name not in follows}


@bp.post("/t/<code>/<seat>/do/<name>")
def do_action(code: str, seat: str, name: str) -> Response | tuple[str | bytes, int] | bytes:
    """Carry out an action."""
    visit = require(code, seat)
    raw = form_values()
    sent = asked().values
    before = visit.revision
    try:
        answer = visit.act(
            name, raw, action_id=sent.get("action_id", ""), revision=number(sent.get("rev", ""))
        )
    except Warned as mistake:
        return _warned(visit, name, raw, mistake)
    except Mistake as mistake:
        return _refused(visit, name, raw, mistake)
    hand_on(visit)
    return _done(visit, answer, before)


def _warned(
    visit: DeviceVisit, name: str, raw: dict[str, Any], mistake: Warned
) -> Response | tuple[str | bytes, int]:
    """What is owed or speaks against it, with a second button that does it all the same."""
    action = visit.rules.find(name)
    if action.ends:
        mistake.instead = StillOwed.instead  # whatever speaks against it
    elsewhere = is_elsewhere(visit.code, visit.seat)
    if is_htmx() and (target() != "live" or elsewhere):
        form = OpenForm(visit, action, visit.game.asked.get(str(raw.get("_asked"))))
        sheet = make_response(_sheet(visit, form.fill(raw), raw, mistake, mistake.status))
        if target() == "live":
            sheet.headers.update({"HX-Retarget": "#sheet", "HX-Reswap": "innerHTML"})
        return sheet
    warning = Objection(action.name, mistake, raw)
    return screen(visit, template="" if is_htmx() else "warned.html", warning=warning), mistake.status


def _refused(
    visit: DeviceVisit, name: str, raw: dict[str, Any], mistake: Mistake
) -> Response | tuple[str | bytes, int]:
    action = visit.rules.actions.get(name.replace("_", "-"))
    from_sheet = not is_htmx() or target() == "sheet"
    duty = visit.game.asked.get(str(raw.get("_asked")))
    if action is not None and action.fields and from_sheet and not isinstance(mistake, NotYours):
        status = mistake.status if mistake.status in {409, 422} else 422
        return _sheet(visit, OpenForm(visit, action, duty).fill(raw), raw, mistake, status)
    message = mistake.message
    if is_htmx() and target() == "live" and is_elsewhere(visit.code, visit.seat):
        return _said(visit, Toast([message], bad=True), 409)
    if is_htmx() and target() == "live":
        wrong = {duty.id: message} if duty is not None and visit.seat in duty.to else {}
        toast = None if wrong else Toast([message], bad=True)
        return screen(visit, toast, wrong=wrong, sent=raw), 409
    if is_htmx():
        body = render_template("sheet_error.html", message=message, code=visit.code, seat=visit.seat)
        return body, 409
    return render_template("error.html", message=message, status=mistake.status), mistake.status


def _said(visit: DeviceVisit, toast: Toast | None, status: int = 200) -> Response:
    """The sheet closes, and the page behind it looks again; a page of its own only gets the words."""
    body = parts.plan("said.html").draw({"toast": toast, "code": visit.code, "seat": visit.seat})
    response = make_response(body, status)
    moved = f'{{"table-moved": {{"rev": {visit.revision}}}}}'
    response.headers["HX-Trigger"] = moved if is_pushed() else "table-changed"
    if target() == "live":
        response.headers["HX-Reswap"] = "none"
    return response


def _done(visit: DeviceVisit, answer: Answer, before: int) -> Response | bytes:
    """No receipt: the live screen shows what is, a toast what happened."""
    if is_htmx():
        undone = any(line.startswith("taken back") for line in answer.lines)  # the log knows what it was
        toast = toast_of(visit, visit.last_words(answer.revision) if undone else answer.lines, before)
        if target() == "live" and not is_elsewhere(visit.code, visit.seat):
            return screen(visit, toast)
        return _said(visit, toast)
    back = request.values.get("back", "")
    # never a page elsewhere, never a header
    own = back.startswith(f"/t/{visit.code}/{visit.seat}") and back.isprintable()
    home = url_for("play.seat_page", code=visit.code, seat=visit.seat)
    if own and back != home:
        return see_other(_telling(back, answer.revision))
    return see_other(url_for("play.seat_page", code=visit.code, seat=visit.seat, said=answer.revision))


def _telling(address: str, said: int) -> str:
    """An own address that tells of what was done last; what else stands in it stays."""
    parts = urlsplit(address)
    asked = [(name, value) for name, value in parse_qsl(parts.query) if name != "said"]
    return urlunsplit(("", "", parts.path, urlencode([*asked, ("said", said)]), ""))


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
