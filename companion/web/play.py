"""A table's pages, as each seat sees them: table, phone, units, log, settings, and every action's form."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for

from companion.engine.errors import Mistake, NotYours, Several, Unknown
from companion.engine.guard import Guard
from companion.engine.play.actions import describe_fields
from companion.tables.log import Entry
from companion.tables.tables import Answer
from companion.web import qr
from companion.web.current import tables
from companion.web.intake import number
from companion.web.realdice import gather
from companion.web.seats import WATCH, base_url, held_seats, require

bp = Blueprint("play", __name__)
SETTINGS_GROUPS = ("settings", "fix")


def is_htmx() -> bool:
    return "HX-Request" in request.headers


def target() -> str:
    return request.headers.get("HX-Target", "")


def form_values() -> dict[str, Any]:
    """Submitted fields; a name sent several times becomes a list."""
    return gather(
        {
            name: values if len(values) > 1 else values[0]
            for name, values in request.values.lists()
            if name not in {"action_id", "rev", "page", "back", "tap"}
        }
    )


def page_context(code: str, seat: str) -> dict[str, Any]:
    """What every page of a seat needs."""
    view, guard = tables().view(code, seat), Guard()
    log = guard.part("The log", lambda: [log_row(entry) for entry in tables().log(code, seat, limit=8)], [])
    view["faults"] += guard.faults
    return {
        "v": view,
        "code": code,
        "seat": seat,
        "log": log,
        "undo_to": tables().undo_target(code) if seat != WATCH else None,
        "table_free": seat in tables().game(code).sides and tables().seating.is_table_free(code),
        "join_url": base_url() + url_for("lobby.join") + f"?code={code}",
        "qr": qr.svg(base_url() + url_for("lobby.join") + f"?code={code}", f"Watch table {code}"),
    }


def log_row(entry: Entry, most: int = 12) -> dict[str, Any]:
    """A log entry as the templates draw it, long ones cut short."""
    when = datetime.fromisoformat(entry.at).astimezone()
    return {
        "first": entry.first,
        "last": entry.last,
        "time": when.strftime("%H:%M"),
        "at": entry.at,
        "side": entry.seat if entry.seat not in {"table", WATCH} else "",
        "who": entry.seat_name,
        "label": entry.label,
        "text": entry.lines[0],
        "more": _short(entry.lines[1:], most),
        "rule": entry.rule,
        "turn": entry.turn,
        "phase": entry.phase,
        "undone": entry.undone,
        "kinds": entry.kinds,
        "seats": entry.about_seats,
    }


def _short(lines: list[str], most: int) -> list[str]:
    """The first lines of a long entry (a whole set-up) and how many more there are."""
    return lines if len(lines) <= most else [*lines[: most - 1], f"and {len(lines) - most + 1} more lines"]


def live_template(seat: str) -> str:
    return "table_live.html" if seat in {"table", WATCH} else "phone_live.html"


@bp.get("/t/<code>")
def any_seat(code: str) -> Response:
    """The first seat this device holds, or a place to watch."""
    code = tables().normal(code)
    tables().store.table(code)
    mine = held_seats(code)
    return redirect(url_for("play.seat_page", code=code, seat=mine[0] if mine else WATCH), 303)


@bp.get("/t/<code>/<seat>")
def seat_page(code: str, seat: str) -> Response | str:
    """A seat's main screen, or only its live part when htmx asks."""
    code = tables().normal(code)
    tables().store.table(code)
    require(code, seat)
    revision = tables().store.latest(code)
    tag = f'"{revision}-{seat}"'
    if target() == "live" and request.headers.get("If-None-Match") == tag:
        return Response(status=304)
    context = page_context(code, seat)
    if target() == "live":
        response = make_response(render_template(live_template(seat), **context))
        response.headers["ETag"] = tag
        response.headers["Cache-Control"] = "no-cache"
        response.headers["Vary"] = "Cookie, HX-Request, HX-Target"
        return response
    return render_template("table.html" if seat in {"table", WATCH} else "phone.html", **context)


# -- actions ---------------------------------------------------------------------------------------------


def _fields(
    code: str, seat: str, name: str, raw: dict[str, Any], errors: dict[str, str]
) -> list[dict[str, Any]]:
    rows = tables().fields(code, seat, name, raw)
    for row in rows:
        row["error"] = errors.get(row["name"], "")
        if row["type"] == "text" and row.get("long"):
            row["type"] = "long"
    return rows


def _sheet(
    code: str, seat: str, name: str, raw: dict[str, Any], mistake: Mistake | None = None, status: int = 200
) -> tuple[str, int]:
    """An action's form with its live preview."""
    rules = tables().system_of(code).rules
    action = rules.find(name)
    errors: dict[str, str] = {}
    general = ""
    if mistake is not None:
        wrong = mistake.mistakes if isinstance(mistake, Several) else [mistake]
        errors = {m.field: m.message for m in wrong if m.field in action.fields}
        general = "; ".join(m.message for m in wrong if m.field not in action.fields)
    view, guard, preview = tables().view(code, seat), Guard(), None
    if action.worksheet is not None and mistake is None:
        try:
            preview = guard.part(
                action.worksheet.title,
                lambda: tables().preview(code, seat, name, _plain(raw)),
                None,
                Mistake,
            )
        except Mistake:
            preview = None  # not enough is filled in yet
    view["faults"] = guard.faults
    context = {
        "code": code,
        "seat": seat,
        "v": view,
        "action": action,
        "fields": _fields(code, seat, name, _plain(raw), errors),
        "preview": breakdown(preview.to_json()) if preview else None,
        "error": general,
        "ask": raw.get("_asked", ""),
        "rev": request.values.get("rev") or tables().store.latest(code),
    }
    if is_htmx():
        return render_template("action_sheet.html", page=False, **context), status
    return render_template("action.html", page=True, **context), status


def _plain(raw: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in raw.items() if not k.startswith("_")}


def breakdown(sheet: dict[str, Any]) -> dict[str, Any]:
    """A breakdown as the macro draws it."""
    chances = sorted(sheet.get("chances", {}).items(), key=lambda c: -c[1])
    modifier = sheet.get("modifier", 0)
    total = f"{modifier:+d}" if modifier else ""
    return {**sheet, "total": total, "chances": [{"result": r, "percent": 100 * p} for r, p in chances]}


@bp.route("/t/<code>/<seat>/do/<name>", methods=["GET"])
def action_form(code: str, seat: str, name: str) -> tuple[str, int]:
    """The form of an action."""
    code = tables().normal(code)
    require(code, seat)
    action = tables().system_of(code).rules.find(name)
    refused = action.refusal(tables().game(code), seat)
    if refused is not None:
        raise refused
    return _sheet(code, seat, name, _first_values(code, seat, name, form_values()))


def _first_values(code: str, seat: str, name: str, raw: dict[str, Any]) -> dict[str, Any]:
    """What the form will show when it opens, so that its first preview speaks of the same."""
    rows = tables().fields(code, seat, name, _plain(raw))
    shown = {row["name"]: row["value"] for row in rows if row["value"] not in (None, "", [], False)}
    return {**shown, **raw}


@bp.post("/t/<code>/<seat>/preview/<name>")
def action_preview(code: str, seat: str, name: str) -> tuple[str, int]:
    """The form again, with what the worksheet says to what has been typed so far."""
    code = tables().normal(code)
    require(code, seat)
    refused = tables().system_of(code).rules.find(name).refusal(tables().game(code), seat)
    if isinstance(refused, NotYours):
        raise refused  # a form offers choices that only its own seat may see
    return _sheet(code, seat, name, form_values())


@bp.post("/t/<code>/<seat>/do/<name>")
def do_action(code: str, seat: str, name: str) -> Response | tuple[str, int]:
    """Carry out an action."""
    code = tables().normal(code)
    require(code, seat)
    raw = form_values()
    given = request.values.get("rev", "")
    if name == "enter-result" and "_asked" in raw:
        raw["ask"] = raw.pop("_asked")
    try:
        answer = tables().act(
            code,
            seat,
            name,
            raw,
            action_id=request.values.get("action_id", ""),
            revision=number(given),
        )
    except Mistake as mistake:
        return _refused(code, seat, name, raw, mistake)
    return _done(code, seat, name, answer)


def _refused(
    code: str, seat: str, name: str, raw: dict[str, Any], mistake: Mistake
) -> Response | tuple[str, int]:
    action = tables().system_of(code).rules.actions.get(name.replace("_", "-"))
    from_sheet = not is_htmx() or target() == "sheet"
    if action is not None and action.fields and from_sheet and not isinstance(mistake, NotYours):
        return _sheet(code, seat, name, raw, mistake, mistake.status if mistake.status in {409, 422} else 422)
    if is_htmx() and target() == "live":
        body = render_template(
            live_template(seat), **page_context(code, seat), toast=mistake.message, bad=True
        )
        return body, 409
    if is_htmx():
        return render_template("sheet_error.html", message=mistake.message, code=code, seat=seat), 409
    return render_template("error.html", message=mistake.message, status=mistake.status), mistake.status


def _done(code: str, seat: str, name: str, answer: Answer) -> Response | str:
    if is_htmx() and target() == "live":
        return render_template(
            live_template(seat), **page_context(code, seat), toast=answer.lines[0] if answer.lines else ""
        )
    context = {
        "code": code,
        "seat": seat,
        "answer": answer,
        "result": breakdown(answer.result) if answer.result else None,
        "action": tables().system_of(code).rules.find(name),
        "v": tables().view(code, seat),
    }
    if is_htmx():
        waiting = any(a["mine"] for a in context["v"]["asked"])
        over = "tap" in request.values and not answer.result and not waiting
        # A tap on a prompt that leaves nothing to read or to do closes the sheet it stood in.
        response = make_response("" if over else render_template("done_sheet.html", page=False, **context))
        response.headers["HX-Trigger"] = "table-changed"
        return response
    if answer.result:
        return render_template("done.html", page=True, **context)
    back = request.values.get("back", "")
    own = (
        back.startswith(f"/t/{code}/{seat}") and back.isprintable()
    )  # never a page elsewhere, never a header
    return redirect(back if own else url_for("play.seat_page", code=code, seat=seat), 303)


# -- other pages -----------------------------------------------------------------------------------------


@bp.get("/t/<code>/<seat>/units")
def units_page(code: str, seat: str) -> str:
    """Units by hex, with filters."""
    code = tables().normal(code)
    require(code, seat)
    context = page_context(code, seat)
    show = request.args.get("show", "")
    context["show"] = show
    context["groups"] = _unit_groups(context["v"], show, seat)
    template = "units_live.html" if target() == "live" else "units.html"
    return render_template(template, **context)


def _unit_groups(view: dict[str, Any], show: str, seat: str) -> list[tuple[str, list[dict[str, Any]]]]:
    labels = {b["id"]: b["label"] for b in view["boxes"]}
    tests = {
        "oos": lambda u: any(m.startswith("oos") or m in ("isolated", "supply") for m in u.get("marks", {})),
        "reduced": lambda u: u.get("steps", 1) < u.get("full", 1),
        "mine": lambda u: u["side"] == seat,
        "waiting": lambda u: not u["place"],
    }
    keep = tests.get(show, lambda u: True)
    groups: dict[str, list[dict[str, Any]]] = {}
    for unit in sorted(view["units"], key=lambda u: -u.get("order", 0)):
        if keep(unit):
            groups.setdefault(labels.get(unit["place"], unit["place"] or "Not on the map yet"), []).append(
                unit
            )
    return sorted(groups.items(), key=lambda item: (not item[0][:1].isdigit(), item[0]))


@bp.get("/t/<code>/<seat>/log")
def log_page(code: str, seat: str) -> str:
    """The whole log, newest first."""
    code = tables().normal(code)
    require(code, seat)
    before = number(request.args.get("before"))
    side, kind = request.args.get("side", ""), request.args.get("kind", "")
    entries = tables().log(code, seat, limit=80, before=before)
    rows = [log_row(e, 60) for e in entries if (not side or e.seat == side) and (not kind or kind in e.kinds)]
    context = page_context(code, seat)
    phases = {p["id"]: p["name"] for p in context["v"]["phases"]}
    context |= {
        "rows": rows,
        "side": side,
        "kind": kind,
        "phases": phases,
        "older": entries[-1].first if entries and entries[-1].first > 1 else None,
    }
    return render_template("log.html", **context)


@bp.get("/t/<code>/<seat>/more")
def more_page(code: str, seat: str) -> str:
    """Everything that is not on the main screen."""
    code = tables().normal(code)
    require(code, seat)
    sheets = tables().system_of(code).rules.worksheets.values()
    return render_template("more.html", sheets=sheets, **page_context(code, seat))


@bp.route("/t/<code>/<seat>/sheet/<name>", methods=["GET", "POST"])
def worksheet_page(code: str, seat: str, name: str) -> tuple[str, int]:
    """A worksheet to play with; nothing is recorded."""
    code = tables().normal(code)
    require(code, seat)
    sheets = tables().system_of(code).rules.worksheets
    if name not in sheets:
        raise Unknown(f"There is no worksheet {name[:40]!r}: {', '.join(sheets)}", given=name)
    sheet = sheets[name]
    raw = form_values()
    context = tables().context(code, seat)
    errors: dict[str, str] = {}
    preview, guard = None, Guard()
    try:
        preview = guard.part(
            sheet.title, lambda: breakdown(sheet.work(raw, context).to_json()), None, Mistake
        )
    except Mistake as mistake:  # before anything is filled in, nothing is wrong yet
        wrong = mistake.mistakes if isinstance(mistake, Several) else [mistake]
        errors = {m.field: m.message for m in wrong} if raw else {}
    fields = describe_fields(sheet.fields, sheet.defaults, context, raw)
    for row in fields:
        row["error"] = errors.get(row["name"], "")
    general = "; ".join(text for name, text in errors.items() if name not in sheet.fields)
    page = page_context(code, seat)
    page["v"]["faults"] = guard.faults
    body = render_template(
        "worksheet.html",
        sheet=sheet,
        fields=fields,
        preview=preview,
        error=general,
        **page,
    )
    return body, 422 if errors and request.method == "POST" and not is_htmx() else 200


@bp.get("/t/<code>/<seat>/settings")
def settings_page(code: str, seat: str) -> str:
    """Modes, corrections, dice seed, export."""
    code = tables().normal(code)
    require(code, seat)
    context = page_context(code, seat)
    game = tables().game(code)
    kit = tables().system_of(code).kit
    scenario = kit.scenarios[game.scenario.id]
    readings = [
        {
            "id": o.id,
            "label": o.label,
            "text": o.text,
            "rule": o.rule,
            "value": game[o.id],
            "choices": o.choices,
        }
        for o in (*kit.system.options, *scenario.options)
    ]
    row = tables().row(code)
    context |= {
        "readings": readings,
        "entropy": {s: bool(game[f"entropy-{s}"]) for s in game.sides},
        "seed": row.seed if game.record_open else "",
        "groups": [a for a in context["v"]["actions"] if a["group"] in SETTINGS_GROUPS],
    }
    return render_template("settings.html", **context)
