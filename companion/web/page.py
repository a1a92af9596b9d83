"""What the pages of a seat share: who asks for which part of one, and what every one of them shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from flask import Response, g, make_response, redirect, render_template, request
from markupsafe import Markup

from companion.engine.alike import gathered
from companion.engine.kit.blocks import Side
from companion.engine.seat.shapes import ActionView, CheckView, MarkView
from companion.tables.clocks import Clocks
from companion.tables.log import Entry
from companion.web import parts, qr
from companion.web.compiling import narrow
from companion.web.current import noted
from companion.web.exchange import asked
from companion.web.hallstrip import standstill
from companion.web.intake import number
from companion.web.moment import Moment, Objection
from companion.web.parts import macros
from companion.web.realdice import gather
from companion.web.seats import WATCH, DeviceVisit

STRIP = 8
"""Actions on the log strip of a screen, and so many lines at most of one of them."""
STRIP_LINES = 12
TOAST_LINES = 3
TO_DO = "To do: "
"""How the log words what is asked of somebody."""


def is_htmx() -> bool:
    return "HTTP_HX_REQUEST" in asked().environ


def target() -> str:
    found: str = asked().environ.get("HTTP_HX_TARGET", "")
    return found


def is_elsewhere(code: str, seat: str) -> bool:
    """Whether htmx asks from another page than the seat's main screen: that page draws its own live part."""
    if not is_htmx():
        return False
    here = urlsplit(asked().environ.get("HTTP_HX_CURRENT_URL", "")).path.rstrip("/")
    return bool(here) and here.casefold() != f"/t/{code}/{seat}".casefold()


def see_other(address: str) -> Response:
    """Send the browser on to another page."""
    return make_response(redirect(address, 303))


def unless_known(revision: str, draw: Callable[[], str | bytes]) -> Response:
    """A part of a page as it is at this revision; nothing to draw when the browser has it already."""
    if parts.tells():  # what one page lacks is no answer to another
        response = make_response(draw())
        response.headers["Cache-Control"] = "no-store"
        return response
    tag = f'"{revision}"'
    if request.headers.get("If-None-Match") == tag:
        return Response(status=304)
    response = make_response(draw())
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = "no-cache"
    response.headers["Vary"] = "Cookie, HX-Request, HX-Target"
    return response


def form_values() -> dict[str, Any]:
    """Submitted fields; a name sent several times becomes a list."""
    asker = asked()
    sent = asker.form if asker.method == "POST" and not asker.query_string else asker.values
    return gather(
        {
            name: values if len(values) > 1 else values[0]
            for name, values in sent.lists()
            if name not in {"action_id", "rev", "page", "back", "said"}
        }
    )


@dataclass(frozen=True)
class Toast:
    """What has just happened, or with `bad` what could not be done."""

    lines: Sequence[str]
    bad: bool = False
    undo: int | None = None
    """The line to go back to, where one tap takes it back."""
    live: bool = True
    """Whether it stands on the seat's main page, whose live part the answer to Undo is; other pages look again."""
    called: bool = False
    """Whether this seat is asked something that stands on its main screen, and this is another page."""


def toast_of(visit: DeviceVisit, lines: Sequence[str], before: int) -> Toast | None:
    """What an action did, with the way back when it is what Undo would undo.

    :param before: the revision before it
    """
    act = visit.undo
    undo = act.to if act and act.to >= before else None
    lines = gathered(line for line in lines if not line.startswith(TO_DO))  # its card or the head says that
    words = [*lines[:TOAST_LINES], *(["…"] if len(lines) > TOAST_LINES else [])]
    if not words and act and undo is not None and act.label != "answer":  # nothing is less news than a No
        words = [f"{act.label[:1].upper()}{act.label[1:]}."]
    if not words:
        return None
    elsewhere = is_elsewhere(visit.code, visit.seat)
    called = elsewhere and any(a.mine and a.live for a in visit.view.asked)
    return Toast(words, undo=undo, live=not elsewhere, called=called)


def said(visit: DeviceVisit) -> Toast | None:
    """What a plain form did before it led back here: the newest action, while it is the newest."""
    line = number(request.args.get("said"))
    if line is None or line != visit.revision or visit.seat == WATCH or is_htmx():
        return None
    lines = visit.last_words(line)
    return toast_of(visit, lines, 0) if lines else None


def page_context(
    visit: DeviceVisit,
    toast: Toast | None = None,
    *,
    wrong: Mapping[str, str] | None = None,
    sent: Mapping[str, Any] | None = None,
    warning: Objection | None = None,
) -> dict[str, Any]:
    """What every page of a seat needs.

    :param wrong: what was wrong with the answer to a duty, by its id
    :param sent: what was answered there
    :param warning: what the rules say against an act, or what is owed as something ends
    """
    view = visit.view
    join = f"{visit.device.base}/join?code={visit.code}"
    log = view.guard.part("The log", lambda: visit.log(STRIP, most=STRIP_LINES), [])
    return {
        "v": view,
        "code": visit.code,
        "seat": visit.seat,
        "log": log,
        "moment": Moment(view, log, wrong, sent),
        "warning": warning,
        "undo": visit.undo if visit.seat != WATCH else None,
        "redo": visit.seat != WATCH and visit.can_redo,
        "news": _news(visit, log),
        "table_free": visit.seat in visit.game.sides and visit.is_table_free,
        "join_url": join,
        "toast": toast,
        "clocks": visit.clocks,
        "stands": standstill(visit.code),
        "qr": qr.svg(join, f"Watch table {visit.code}"),
    }


def screen(visit: DeviceVisit, toast: Toast | None = None, template: str = "", **more: Any) -> bytes:
    """A seat's main screen; only its live part unless a page is named."""
    context = {**page_context(visit, toast, **more), "tabs": tabs(visit)}
    live = parts.live(live_template(visit.seat), context, visit.device.base)
    if template:
        return render_template(template, **context, **macros(), live=Markup(live.decode())).encode()
    said = context["toast"] or context["warning"]  # what was said before makes room for what is asked
    return live + parts.plan("said.html").draw(context).encode() if said else live


def _news(visit: DeviceVisit, log: Sequence[Entry]) -> str:
    """What every screen says aloud when somebody else did it: something was taken back, or put back."""
    newest = next((line for line in log if not line.about_seats), None)
    if newest is None or newest.seat == visit.seat:
        return ""
    line = newest.lines[0]
    if line.startswith("Refused"):
        return line
    if "undone" not in newest.kinds:
        return ""
    by_consent = newest.label == "Agree"  # and then the line says who asked and who agreed
    return line[:1].upper() + line[1:] if by_consent else f"{newest.seat_name} {line}"


def seat_tabs() -> list[dict[str, Any]]:
    """The tabs of the device that a page is for."""
    return tabs(g.visit)


def tabs(visit: DeviceVisit) -> list[dict[str, Any]]:
    """One tab for each seat of a device that holds several; none otherwise."""
    if len(visit.held) < 2:
        return []
    game, rules = visit.game, visit.rules
    awaited = [] if game.active or not rules.awaited or game.ended else list(rules.awaited(game))
    return [
        {
            "id": one,
            "name": "Table" if one == "table" else game.side_name(one),
            "here": one == visit.seat,
            "asked": one in awaited
            or any(one in question.to and game.is_live(question) for question in game.asked.values()),
        }
        for one in visit.held
    ]


def side_clocks() -> Clocks | None:
    """The clocks of the table that a page is about; None where it has none."""
    visit: DeviceVisit = g.visit
    return visit.clocks


def hms(seconds: float) -> str:
    """Seconds as a clock shows them."""
    whole, sign = int(abs(seconds)), "\u2212" if seconds < 0 else ""
    return f"{sign}{whole // 3600}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def revision() -> int | str:
    """The revision that a page is drawn at, for a macro that is given no view; on a live screen what stands for it."""
    now = noted()
    visit: DeviceVisit = now.visit
    return now.get("at") or visit.game.revision


_brief: WeakKeyDictionary[Entry, Markup] = WeakKeyDictionary()


def brief_line(entry: Entry) -> Markup:
    """An entry of the log as a screen's strip shows it: drawn once, however often the screen is, and gone with it."""
    drawn = _brief.get(entry)
    if drawn is None:
        drawn = _brief[entry] = Markup(narrow(macros()["ui"].logline(entry, brief=True)))
    return drawn


def clock(at: str) -> str:
    """A moment of the record as the time of day here."""
    return datetime.fromisoformat(at).astimezone().strftime("%H:%M")


def with_effect(signs: Iterable[MarkView]) -> list[MarkView]:
    """Of some markers those whose effect there is to tell, each once."""
    return sorted({sign for sign in signs if sign.effect}, key=lambda sign: sign.words)


def side_name(sides: Iterable[Side], side: str) -> str:
    """A side by its name; empty where it is nobody's."""
    return next((one.name for one in sides if one.id == side), "")


def tally(checks: Iterable[tuple[CheckView, ActionView | None]]) -> tuple[int, int]:
    """How many lines of a checklist somebody does, and how many of them are done."""
    acts = [check for check, _ in checks if check.act]
    return len(acts), sum(1 for check in acts if check.done)


def live_template(seat: str) -> str:
    return {"table": "table_live.html", WATCH: "watch_live.html"}.get(seat, "phone_live.html")
