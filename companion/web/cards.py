"""Cards of a seat's own hand: what is printed on one, and what it can be played as."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, render_template

from companion.engine.errors import Unknown
from companion.engine.seat.shapes import TokenView
from companion.tables.visit import Visit
from companion.web.page import is_htmx, page_context
from companion.web.seats import require

bp = Blueprint("cards", __name__)


@bp.get("/t/<code>/<seat>/card/<pile>/<token>")
def card_page(code: str, seat: str, pile: str, token: str) -> str:
    """One card of this seat's own hand: its details, and what it can be played as."""
    visit = require(code, seat)
    zones = [z for p in visit.view.piles if p.id == pile for z in p.zones]
    tokens = [t for z in zones for t in z.tokens or () if t.id == token]
    if not tokens:
        raise Unknown(f"There is no card {token[:20]!r} in your hand.", given=token)
    card = tokens[0]
    plays = [
        (a, *_card_choices(visit, a.name, token)) for a in visit.view.actions if a.group in {"hand", "card"}
    ]
    return render_template(
        "card_sheet.html" if is_htmx() else "card.html",
        page=not is_htmx(),
        card=card,
        printed=_printed(visit, pile, card),
        plays=plays,
        pile=pile,
        **page_context(visit),
    )


def _card_choices(visit: Visit, action: str, token: str) -> tuple[str, list[dict[str, Any]]]:
    """What a card can be played as: the first choice its action leaves open once the card is named."""
    rows = visit.fields(action, {"card": token})
    first = next(
        (r for r in rows if r["name"] != "card" and r["type"] == "choice" and not r.get("many")), None
    )
    if first is None:
        return "", []
    name = first["name"]
    return name, [
        {**c, "sent": _sent_along(visit, action, token, name, c["value"])} for c in first["choices"]
    ]


def _sent_along(visit: Visit, action: str, token: str, name: str, value: Any) -> dict[str, Any] | None:
    """What goes along when a card is played as this, because it has one answer; None when more is to be asked."""
    rows = visit.fields(action, {"card": token, name: value})
    asked = [r for r in rows if r["name"] not in ("card", name) and not r["hidden"] and not r["quiet"]]
    if any(len(r.get("choices") or ()) != 1 or not r["value"] for r in asked):
        return None
    return {r["name"]: r["value"] for r in asked}


def _printed(visit: Visit, pile: str, card: TokenView) -> list[tuple[str, Any]]:
    """A card's face under the labels of the owner's list."""
    kit = visit.game.kit
    faces = next((p.faces for p in kit.piles if p.id == pile), "")
    columns = next((b.columns for b in kit.books if b.id == faces), ())
    labels = {str(c["id"]): str(c.get("label", c["id"])) for c in columns}
    return [
        (labels.get(k, k.capitalize()), v)
        for k, v in card.face.items()
        if k not in {"id", "name"} and v not in ("", None)
    ]
